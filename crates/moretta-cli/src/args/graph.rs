//! `moretta graph`: node tables and edge lists before they are protected.

use super::PolicyArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    #[command(subcommand)]
    pub(crate) command: GraphCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GraphCommand {
    /// Make node table and edge list of profiles, posts and connections
    #[command(after_help = "\
Example:
  moretta graph extract --profiles profiles.jsonl --connections connections.jsonl \\
    --location-taxonomy locations.csv --location-aliases aliases.csv \\
    --posts posts.jsonl --topic-taxonomy topics.csv --topic-lexicon lexicon.csv --topics 2 \\
    --output graph --policy

A profile is {\"id\": …, \"location\": …}, a post {\"author\": …, \"text\": …, \"hashtags\": […]},
a connection {\"from\": …, \"to\": …}; other fields are not read. What comes out is raw data.")]
    Extract(ExtractArgs),
    /// Write the nodes of a policy's graph as a table, without edges, that other policies protect
    #[command(after_help = "\
Example:
  moretta graph microdata social.toml --degree-bands 1,2,5,10 --output microdata.csv

One record a node: columns that neither identify nor are dropped, and with --degree-bands a column
`degree`. What comes out is raw data.")]
    Microdata(MicrodataArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MicrodataArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Where to write; the ending tells the format
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Degrees at which bands begin, such as 1,2,5,10, or `double` for 1, 2 to 3, 4 to 7, …
    #[arg(long, value_name = "DEGREES")]
    pub(crate) degree_bands: Option<String>,
    /// Replace a file that is there
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    /// The persons, one JSON object a line: `id`, `location`
    #[arg(long, value_name = "FILE")]
    pub(crate) profiles: PathBuf,
    /// Who is linked to whom, one JSON object a line: `from`, `to`
    #[arg(long, value_name = "FILE")]
    pub(crate) connections: PathBuf,
    /// The places, as a hierarchy file
    #[arg(long, value_name = "FILE")]
    pub(crate) location_taxonomy: PathBuf,
    /// Other names of places: a name and a label a line
    #[arg(long, value_name = "FILE")]
    pub(crate) location_aliases: Option<PathBuf>,
    /// What persons write, one JSON object a line: `author`, `text`, `hashtags`
    #[arg(long, value_name = "FILE", requires = "topic_taxonomy")]
    pub(crate) posts: Option<PathBuf>,
    /// The topics, as a hierarchy file
    #[arg(long, value_name = "FILE", requires = "posts")]
    pub(crate) topic_taxonomy: Option<PathBuf>,
    /// Keywords and #hashtags: a word and a topic a line [default: the labels of the taxonomy]
    #[arg(long, value_name = "FILE", requires = "posts")]
    pub(crate) topic_lexicon: Option<PathBuf>,
    /// How many topics of a person become columns
    #[arg(long, value_name = "COLUMNS", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) topics: u16,
    /// A field of profiles that becomes a column as it is; may be repeated
    #[arg(long, value_name = "FIELD")]
    pub(crate) keep: Vec<String>,
    /// The folder for nodes.csv, edges.csv, locations.csv, topics.csv
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// Write a first policy.toml beside them
    #[arg(long)]
    pub(crate) policy: bool,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
}
