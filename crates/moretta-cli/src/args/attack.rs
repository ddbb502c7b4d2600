//! Options of `moretta attack`.

use super::PolicyArgs;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta attack examples/projection/policy.toml --known 4 --attacks 500
  moretta attack policy.toml --known 9 --epsilon 0.1 --accuracy 0.85 --json

The policy releases a random projection. An attacker knows some original records and
which released ones they became, and reconstructs others. Nothing is written, and no
value is shown.")]
pub(crate) struct AttackArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Records that the attacker knows
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) known: u32,
    /// Records that are attacked
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) attacks: u32,
    /// A relative error below this is a breach
    #[arg(long, default_value_t = 0.2, value_parser = share)]
    pub(crate) epsilon: f64,
    /// How the most probable record is searched for
    #[arg(long, value_enum, default_value_t = OptimizerArg::Lbfgs)]
    pub(crate) optimizer: OptimizerArg,
    /// Points that each search starts from
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) starts: u32,
    /// Accuracy of a learner on the release; adds the privacy-accuracy magnitude
    #[arg(long, value_parser = share)]
    pub(crate) accuracy: Option<f64>,
    /// Chooses the records
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum OptimizerArg {
    /// Along gradients: fast
    Lbfgs,
    /// By values alone: as published
    NelderMead,
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n| (0.0..=1.0).contains(n));
    number.ok_or_else(|| "a number from 0 to 1 is needed".to_owned())
}
