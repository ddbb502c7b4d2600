//! The command line: commands, options and the examples of `--help`.

mod attack;
mod compare_methods;
mod evolve;
mod federation;
mod generate;
mod graph;
mod learn;
#[cfg(feature = "serve")]
mod serve;
mod tune;

pub(crate) use attack::*;
pub(crate) use compare_methods::*;
pub(crate) use evolve::*;
pub(crate) use federation::*;
pub(crate) use generate::*;
pub(crate) use graph::*;
pub(crate) use learn::*;
#[cfg(feature = "serve")]
pub(crate) use serve::*;
pub(crate) use tune::*;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Publish personal data without giving the persons away.
///
/// One policy file says what to read, what to promise, how, and where to write.
/// Nothing is written that an independent check has not passed.
#[derive(Debug, Parser)]
#[command(name = "moretta", version, max_term_width = 100)]
#[command(after_help = after_help())]
pub(crate) struct Cli {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print no progress and no hints; warnings stay
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

fn after_help() -> String {
    let codes = moretta::error::EXIT_CODES.iter();
    let codes: String = codes
        .map(|(code, meaning)| format!("\n  {code:<3} {meaning}"))
        .collect();
    format!(
        "\
Examples:
  moretta init patients.csv          guess a policy for a file
  moretta check policy.toml          find mistakes in it
  moretta run policy.toml            make the release and its report
  moretta verify out.csv --policy policy.toml

Exit codes:{codes}"
    )
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Guess roles and hierarchies of a file and write a commented policy
    Init(InitArgs),
    /// Find mistakes in a policy, and columns it misses, without reading the rows
    #[command(after_help = "Example:\n  moretta check examples/hospital/policy.toml")]
    Check(PolicyArgs),
    /// Read the data and tell what a run would face: uniques, classes, warnings
    #[command(after_help = "Example:\n  moretta plan examples/hospital/policy.toml")]
    Plan(PolicyArgs),
    /// Protect, check and write the release and its report
    Run(RunArgs),
    /// Say what k, l and t a file really has, whoever made it
    Verify(VerifyArgs),
    /// Print risk and loss of two files side by side
    Compare(CompareArgs),
    /// Try every method that makes values coarser, and print what each would lose and risk
    CompareMethods(CompareMethodsArgs),
    /// Tell how well learners do on the original and on the protected rows
    Learn(LearnArgs),
    /// Attack what a policy would release, and count what an attacker gets back
    Attack(AttackArgs),
    /// Find how much a policy may protect and still meet goals
    Tune(TuneArgs),
    /// Search for a better protection than any method gives, and release it
    Evolve(EvolveArgs),
    /// List, verify or correct the ledger of a data set
    Ledger(LedgerArgs),
    /// Make a key pair that signs manifests, or print the public key of one
    Key(KeyArgs),
    /// Write made-up data
    Generate(GenerateArgs),
    /// Make node table and edge list of what persons write; take the nodes of a graph as a table
    Graph(GraphArgs),
    /// Make keys of a federation, check, simulate and audit it
    Federation(FederationArgs),
    /// Run a site, the label holder, the consumer or a host of trouble nodes of a federation
    Site(PartyArgs),
    /// Run the aggregator of a federation, which makes the final answers
    Aggregate(AggregateArgs),
    /// Run the server: users, roles, levels, approvals, jobs and streams behind one interface
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// Verify the exported log of a server
    #[cfg(feature = "serve")]
    Audit(AuditArgs),
    /// Move the store of a server to another database
    #[cfg(feature = "serve")]
    Store(StoreArgs),
    /// Build, draw and check hierarchies
    Hierarchy(HierarchyArgs),
    /// Print the page of a method, measure, promise, role, hierarchy or attacker
    Explain(ExplainArgs),
    /// Print the JSON Schema of a policy, for editors and forms
    #[command(after_help = "\
Example:
  moretta schema > policy.schema.json

An editor then completes keys and marks mistakes as they are typed. With Even Better TOML
(VS Code) or taplo, the first line of the policy names the schema:
  #:schema ./policy.schema.json")]
    Schema,
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Do a job of a server, which starts this itself
    #[cfg(feature = "serve")]
    #[command(hide = true)]
    Worker,
}

/// The policy and the folder it may use.
#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    /// The policy file
    pub(crate) policy: PathBuf,
    /// The folder that no path of the policy may leave [default: the policy's own]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    /// Refuse a table that needs more memory, such as 4GB [default: the policy's limit, or three quarters of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::parse)]
    pub(crate) memory: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta init admissions.csv
  moretta init admissions.csv --output ward-7.toml")]
pub(crate) struct InitArgs {
    /// The data
    pub(crate) file: PathBuf,
    /// Where to write the policy
    #[arg(long, short, default_value = "policy.toml")]
    pub(crate) output: PathBuf,
    /// Replace a policy that is there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How to read a file that no policy describes.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    /// The character between cells
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) delimiter: Option<char>,
    /// The character around cells that hold delimiters
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) quote: Option<char>,
    /// The file is latin-1, not UTF-8
    #[arg(long)]
    pub(crate) latin1: bool,
    /// The first line of the CSV is a row; the columns are column1, column2, …
    #[arg(long)]
    pub(crate) no_header: bool,
    /// The character before the decimals of numbers
    #[arg(long, value_name = "CHARACTER", value_parser = [".", ","])]
    pub(crate) decimal: Option<String>,
    /// A cell that means missing, besides the empty one; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) missing: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta run examples/hospital/policy.toml
  moretta run policy.toml --force --strict")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
    /// Refuse to promise only k when a sensitive column exists, and a header that looks like a row
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moretta verify out/admissions.csv --policy policy.toml\n  moretta verify out/a-staff.csv out/a-public.csv --policy levels.toml\n  moretta verify out/admissions.csv --manifest out/manifest.json --public-key steward.pub\n  moretta verify out/visits.csv --policy stream.toml --certificate out/why.csv\n  cat events.csv | moretta verify out/visits.csv --policy from-stdin.toml"
)]
pub(crate) struct VerifyArgs {
    /// The released file; of a policy with levels, the file of each, in their order there
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The file is of this level alone
    #[arg(long, value_name = "NAME", conflicts_with = "manifest")]
    pub(crate) level: Option<String>,
    /// The policy that says what the columns mean, what was promised and of what original
    #[arg(long, value_name = "POLICY", required_unless_present = "manifest")]
    pub(crate) policy: Option<PathBuf>,
    /// The signed manifest of the release: needs neither policy nor source
    #[arg(long, value_name = "FILE", conflicts_with_all = ["policy", "certificate", "root"])]
    pub(crate) manifest: Option<PathBuf>,
    /// The public key that must have signed the manifest, or a file that holds it
    #[arg(long, value_name = "KEY", requires = "manifest")]
    pub(crate) public_key: Option<String>,
    /// The certificate of a stream: every line is counted again
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// The released edges of a graph [default: where the policy writes them]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "manifest"])]
    pub(crate) edges: Option<PathBuf>,
    /// The folder that no path of the policy may leave [default: the policy's own]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// What finished files are held against, and how to read them.
#[derive(Debug, Args)]
pub(crate) struct AgainstArgs {
    /// The policy that says what the columns mean, what was promised and of what original
    #[arg(long, value_name = "POLICY")]
    pub(crate) policy: PathBuf,
    /// The folder that no path of the policy may leave [default: the policy's own]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  moretta compare strict.csv relaxed.csv --policy policy.toml")]
pub(crate) struct CompareArgs {
    /// The first file
    pub(crate) a: PathBuf,
    /// The second file
    pub(crate) b: PathBuf,
    #[command(flatten)]
    pub(crate) against: AgainstArgs,
}

#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    pub(crate) command: LedgerCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Print every release that was recorded, and the ε that was spent
    #[command(after_help = "Example:\n  moretta ledger list policy.toml")]
    List(PolicyArgs),
    /// Check every byte of the ledger, and that it holds a head that was kept elsewhere
    #[command(
        after_help = "Examples:\n  moretta ledger verify policy.toml\n  moretta ledger verify policy.toml --head 5f1c…"
    )]
    Verify(VerifyLedgerArgs),
    /// Take a release out of the count that was never handed to anybody
    #[command(after_help = "Example:\n  moretta ledger revoke policy.toml 3f0c9a61e2b47d58")]
    Revoke(RevokeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct VerifyLedgerArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// The last sum of the ledger at some time, as `list` prints it and manifests hold it
    #[arg(long, value_name = "SUM")]
    pub(crate) head: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// The id of the release, as `list` prints it
    pub(crate) release: String,
}

#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) command: KeyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Write a new private key that only you may read, and print its public key
    #[command(after_help = "Example:\n  moretta key new steward.key")]
    New(NewKeyArgs),
    /// Print the public key of a private one
    #[command(
        after_help = "Examples:\n  moretta key public steward.key\n  moretta key public env:MORETTA_SIGNING_KEY"
    )]
    Public(PublicKeyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct NewKeyArgs {
    /// Where to write the private key; what is there is never replaced
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct PublicKeyArgs {
    /// The file of the private key, or env:NAME
    pub(crate) key: String,
}

#[derive(Debug, Args)]
pub(crate) struct HierarchyArgs {
    #[command(subcommand)]
    pub(crate) command: HierarchyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HierarchyCommand {
    /// Build one from the values of a column
    #[command(
        after_help = "Example:\n  moretta hierarchy new patients.csv --column zip --kind prefixes --output zip.csv"
    )]
    New(NewArgs),
    /// Draw one as a tree
    #[command(after_help = "Example:\n  moretta hierarchy show education.csv")]
    Show(ShowArgs),
    /// Check that one covers the values of a column
    #[command(
        after_help = "Example:\n  moretta hierarchy check education.csv patients.csv --column education"
    )]
    Check(CoverArgs),
}

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The data
    pub(crate) file: PathBuf,
    /// The column
    #[arg(long)]
    pub(crate) column: String,
    /// How to build it [default: what suggests itself]
    #[arg(long)]
    pub(crate) kind: Option<NewKind>,
    /// Where to write it
    #[arg(long, short, default_value = "-")]
    pub(crate) output: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NewKind {
    /// Groups of equally many rows: 16, 8, 4, 2
    Quantiles,
    /// Shared beginnings of texts
    Prefixes,
    /// Month, quarter, year, decade
    Dates,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The hierarchy
    pub(crate) hierarchy: PathBuf,
    /// Show at most so many children of a node
    #[arg(long, default_value_t = 12)]
    pub(crate) children: usize,
}

#[derive(Debug, Args)]
pub(crate) struct CoverArgs {
    /// The hierarchy
    pub(crate) hierarchy: PathBuf,
    /// The data
    pub(crate) file: PathBuf,
    /// The column
    #[arg(long)]
    pub(crate) column: String,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moretta explain mondrian\n  moretta explain k\n  moretta explain attackers\n  moretta explain"
)]
pub(crate) struct ExplainArgs {
    /// What to explain; without it, all topics are listed
    pub(crate) topic: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  moretta completions bash > /etc/bash_completion.d/moretta")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_examples_of_a_command_are_its_own() {
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            let Some(help) = command.get_after_help() else {
                continue;
            };
            let help = help.to_string();
            let own = [format!("moretta {name}"), format!("| moretta {name}")];
            let examples = help.lines().filter(|line| line.starts_with("  moretta "));
            for line in examples {
                assert!(own.iter().any(|own| line.contains(own)), "{name}: {line}");
            }
            assert!(help.contains(&own[0]), "{name} has no example");
        }
        for name in ["check", "plan", "run", "explain"] {
            let command = Cli::command();
            let command = command.find_subcommand(name).expect(name);
            assert!(command.get_after_help().is_some(), "{name}");
        }
    }
}
