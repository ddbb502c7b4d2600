//! Options of `moretta compare-methods`.

use super::PolicyArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta compare-methods examples/hospital/policy.toml
  moretta compare-methods examples/hospital/policy.toml --k 2,5,10,25 --output methods.html
  moretta compare-methods examples/hospital/policy.toml --clusters 2,4,8

The policy is tried with every method that decides by itself how coarse values become, and
with each k. Promises, hierarchies and the share of rows that may be suppressed stay the
same; the policy's own method keeps its parameters, others have their defaults. mu-argus
promises k for few columns at a time only; its risk is measured over all of them. Nothing
is released. A method is on the front when no other one has at most its risk and its loss.")]
pub(crate) struct CompareMethodsArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// The values of k to try [default: that of the policy]
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..=1_000_000_000))]
    pub(crate) k: Vec<u32>,
    /// Try each method also in so many clusters of near rows [default: as the policy says]
    #[arg(long, value_name = "CLUSTERS", value_delimiter = ',', value_parser = clusters)]
    pub(crate) clusters: Vec<usize>,
    /// The measure of risk by which trade-offs are judged
    #[arg(long, value_name = "MEASURE", default_value = "marketer_risk")]
    pub(crate) risk: String,
    /// The measure of loss by which they are judged
    #[arg(long, value_name = "MEASURE", default_value = "gcp")]
    pub(crate) loss: String,
    /// Where to write a page with the figures and a drawing
    #[arg(long, short, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a page that is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// As a policy has it.
fn clusters(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 2..=10_000) => Ok(count),
        _ => Err("a number from 2 to 10000".to_owned()),
    }
}
