//! Options of `moretta federation`, `moretta site` and `moretta aggregate`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta federation simulate examples/federation
  moretta federation keys hub.toml --output keys
  moretta federation check hub.toml lab.toml icu.toml desk.toml

A folder stands for all policies in it that have [federation].")]
pub(crate) struct FederationArgs {
    #[command(subcommand)]
    pub(crate) command: FederationCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FederationCommand {
    /// Make the authority, a certificate and a key for each party, and the file of public keys
    #[command(after_help = "Example:\n  moretta federation keys hub.toml --output keys")]
    Keys(FederationKeysArgs),
    /// Find mistakes in policies of parties, and whether they agree
    #[command(after_help = "Example:\n  moretta federation check examples/federation")]
    Check(FederationPoliciesArgs),
    /// Run all parties in one process and tell how well they answer
    #[command(
        after_help = "Examples:\n  moretta federation simulate examples/federation\n  moretta federation simulate examples/federation --report federation.html"
    )]
    Simulate(FederationSimulateArgs),
    /// Tell what each party would see, in kinds of frames and bytes
    #[command(after_help = "Example:\n  moretta federation audit examples/federation")]
    Audit(FederationPoliciesArgs),
}

#[derive(Debug, Args)]
pub(crate) struct FederationKeysArgs {
    /// The policy of any party: it lists all of them
    pub(crate) policy: PathBuf,
    /// The folder for the files, which is made; what is there is never replaced
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// Days for which certificates are valid
    #[arg(long, default_value_t = 730, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub(crate) days: u32,
    /// The folder that no path of the policy may leave [default: the policy's own]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct FederationPoliciesArgs {
    /// Policies, or folders of them
    #[arg(required = true, value_name = "POLICY")]
    pub(crate) policies: Vec<PathBuf>,
    /// The folder that no path of a policy may leave [default: the policy's own]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct FederationSimulateArgs {
    #[command(flatten)]
    pub(crate) policies: FederationPoliciesArgs,
    /// Write the answers where the policy of the consumer says
    #[arg(long)]
    pub(crate) write: bool,
    /// Write a page of what happened, and its JSON beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta site lab.toml
  moretta site consumer.toml --force

The policy's `role` says what is run: site, labels, consumer or trouble. It ends when the rows have
ended and all of them are answered. Started again after a kill it goes on where it was.")]
pub(crate) struct PartyArgs {
    /// The policy of the party
    pub(crate) policy: PathBuf,
    /// The folder that no path of the policy may leave [default: the policy's own]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    /// Begin anew: drop the state of a run, with its secret, and replace its answers
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta aggregate hub.toml
  moretta aggregate hub.toml --report federation.html

It ends when all rows are answered and all parties know. Started again after a kill it goes on where
it was.")]
pub(crate) struct AggregateArgs {
    /// The policy of the aggregator
    pub(crate) policy: PathBuf,
    /// The folder that no path of the policy may leave [default: the policy's own]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    /// Write a page of what happened, and its JSON beside it, when it ends
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Begin anew: drop the state of a run, and replace a report that is there
    #[arg(long)]
    pub(crate) force: bool,
}
