//! `moretta graph extract|microdata`

use super::load;
use crate::args::{ExtractArgs, GraphArgs, GraphCommand, MicrodataArgs};
use crate::console::{Console, counted};
use crate::failure::Failure;
use moretta::graph::microdata::DegreeBands;
use moretta::pipeline::{self, ExtractSettings, Extracted, Progress, TopicSettings};
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &GraphArgs, console: &Console) -> Result<ExitCode, Failure> {
    match &args.command {
        GraphCommand::Extract(args) => extract(args, console),
        GraphCommand::Microdata(args) => microdata(args, console),
    }
}

/// Said of all that is written here.
const RAW: &str = "this is raw data, not a release";

fn microdata(args: &MicrodataArgs, console: &Console) -> Result<ExitCode, Failure> {
    let bands = args.degree_bands.as_deref().map(str::parse::<DegreeBands>);
    let bands = bands.transpose()?;
    let policy = load(&args.policy)?;
    let progress = Progress::default();
    let work = || pipeline::microdata(&policy, &args.output, bands.as_ref(), args.force, &progress);
    let found = console
        .watch(&progress, work)
        .map_err(|error| Failure::of_policy(error, &args.policy.policy))?;
    let shown = console.result(&found, || {
        format!(
            "{} ({}), {} dropped\nwrote {}",
            counted(found.records, "record"),
            found.columns.join(", "),
            counted(found.edges, "edge"),
            found.file
        )
    })?;
    console.warn(&format!("{RAW}: protect it by a policy of its own"));
    Ok(shown)
}

fn extract(args: &ExtractArgs, console: &Console) -> Result<ExitCode, Failure> {
    let topics = args.posts.clone().zip(args.topic_taxonomy.clone());
    let settings = ExtractSettings {
        profiles: args.profiles.clone(),
        connections: args.connections.clone(),
        locations: args.location_taxonomy.clone(),
        aliases: args.location_aliases.clone(),
        topics: topics.map(|(posts, taxonomy)| TopicSettings {
            posts,
            taxonomy,
            lexicon: args.topic_lexicon.clone(),
            count: usize::from(args.topics),
        }),
        keep: args.keep.clone(),
        output: args.output.clone(),
        policy: args.policy,
        force: args.force,
    };
    let progress = Progress::default();
    let found = console.watch(&progress, || pipeline::extract(&settings, &progress))?;
    let shown = console.result(&found, || told(&found, settings.topics.is_some()))?;
    console.warn(&format!("{RAW}: it names persons"));
    if args.policy {
        let policy = args.output.join("policy.toml");
        console.hint(&format!(
            "read the policy line by line, then\n  moretta run {}",
            policy.display()
        ));
    }
    Ok(shown)
}

fn told(found: &Extracted, topics: bool) -> String {
    let mut text = format!(
        "{}, {}\n",
        counted(found.nodes, "node"),
        counted(found.edges, "edge")
    );
    let mut line = |count: u64, what: &str| {
        if count > 0 {
            let _ = writeln!(text, "  {count} {what}");
        }
    };
    line(found.located, "locations found in the taxonomy");
    line(found.unknown_location, "locations unknown: missing now");
    line(
        found.several_locations,
        "locations that name several places: missing now",
    );
    line(found.no_location, "persons without a location");
    line(
        found.connections_left_out,
        "connections of somebody without a profile: left out",
    );
    if topics {
        line(found.posts, "posts read");
        line(found.posts_without_topic, "posts about none of the topics");
        line(
            found.posts_left_out,
            "posts of somebody without a profile: left out",
        );
        line(found.nodes_without_topic, "persons without a topic");
    }
    for file in &found.files {
        let _ = writeln!(text, "wrote {file}");
    }
    text
}
