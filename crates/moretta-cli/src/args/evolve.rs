//! Options of `moretta evolve`.

use super::PolicyArgs;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta evolve policy.toml
  moretta evolve policy.toml --list
  moretta evolve policy.toml --pick 3

The policy has [evolve] in place of [[protect]]. Its columns are protected by every method over
a grid of parameters, and cells of these files are mutated and exchanged where that lowers
information loss and disclosure risk. With search = \"matrices\" or \"equations\" the transition
matrices of pram evolve instead, or equations that make them. What is found is released like any
other table: checked, measured, read back. When the search is stopped, the same command goes on.

With --list nothing is released: the trade-offs that no other one beats are listed, and --pick
releases one of them without searching again.")]
pub(crate) struct EvolveArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Only search and list the front
    #[arg(long, conflicts_with = "pick")]
    pub(crate) list: bool,
    /// Release this trade-off of the front, counted from 1, instead of the best score
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pick: Option<u32>,
    /// Begin the search anew, wherever an earlier one was
    #[arg(long)]
    pub(crate) restart: bool,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
    /// Refuse a header that looks like a row
    #[arg(long)]
    pub(crate) strict: bool,
}
