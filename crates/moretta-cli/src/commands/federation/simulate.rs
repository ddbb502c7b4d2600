//! `moretta federation simulate`: all parties in one process.

use super::load_all;
use crate::args::FederationSimulateArgs;
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::Error;
use moretta::federate::Note;
use moretta::federate::frame::Kind;
use moretta::federate::simulate::Outcome;
use moretta::pipeline::{AnswerWriter, made_up_seed, open_simulated};
use moretta::policy::{FederationPolicy, FederationRole};
use moretta_report::count;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

/// What happened in a federation.
#[derive(Serialize)]
pub(super) struct Figures {
    pub(super) records: u64,
    accuracy: Option<f64>,
    sites: usize,
    nodes: Vec<NodeLife>,
    partial: u64,
    early: u64,
    pub(super) bytes_a_record: f64,
    pub(super) bytes: Vec<(String, u64)>,
}

/// From when to when a trouble node was there.
#[derive(Serialize)]
struct NodeLife {
    node: u16,
    sources: Vec<String>,
    from_batch: u64,
    to_batch: Option<u64>,
    forwarded: u64,
    answered: u64,
}

pub(crate) fn run(args: &FederationSimulateArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policies = load_all(&args.policies)?;
    let writer = match args.write {
        true => Some(consumer(&policies)?),
        false => None,
    };
    let writer = writer
        .map(|policy| AnswerWriter::create(policy, args.force))
        .transpose()?;
    let outcome = simulate(&policies)?;
    if let Some(mut writer) = writer {
        let batch = policies[0].terms.batch as usize;
        for answers in outcome.finals.chunks(batch) {
            writer.write(answers)?;
        }
        writer.close()?;
    }
    let figures = figures(&policies, &outcome);
    console.result(&figures, || text(&figures))
}

/// Runs all parties; a site without a seed of its own gets one that is made up.
pub(super) fn simulate(policies: &[FederationPolicy]) -> moretta::Result<Outcome> {
    let simulated = open_simulated(policies, |policy| match &policy.identity {
        Some(files) if files.seed.exists() => files.read_seed(),
        _ => Ok(made_up_seed(policy)),
    })?;
    simulated.run()
}

fn consumer(policies: &[FederationPolicy]) -> moretta::Result<&FederationPolicy> {
    let found = policies
        .iter()
        .find(|policy| policy.role == FederationRole::Consumer);
    found.ok_or_else(|| {
        Error::usage("no policy is that of the consumer, which says where answers go")
            .help("add one with the role consumer, or take --write out")
    })
}

pub(super) fn figures(policies: &[FederationPolicy], outcome: &Outcome) -> Figures {
    let settled = &outcome.settled;
    let right = settled
        .iter()
        .filter(|record| record.answer.class == record.label)
        .count();
    let mut nodes: Vec<NodeLife> = Vec::new();
    for note in &outcome.notes {
        match note {
            Note::Created(node, sources, batch) => nodes.push(NodeLife {
                node: *node,
                sources: sources
                    .iter()
                    .map(|source| source_name(policies, *source))
                    .collect(),
                from_batch: *batch,
                to_batch: None,
                forwarded: 0,
                answered: 0,
            }),
            Note::Removed(node, batch) => {
                if let Some(life) = nodes.iter_mut().find(|life| life.node == *node) {
                    life.to_batch = Some(*batch);
                }
            }
            _ => {}
        }
    }
    for life in &mut nodes {
        let forwards = settled.iter().flat_map(|record| &record.forwarded);
        life.forwarded = forwards.filter(|(node, _)| *node == life.node).count() as u64;
        life.answered = settled.iter().filter(|r| r.answer.who == life.node).count() as u64;
    }
    let records = outcome.finals.len() as u64;
    let total: u64 = outcome.bytes.values().sum();
    Figures {
        records,
        accuracy: (!settled.is_empty()).then(|| right as f64 / settled.len() as f64),
        sites: policies
            .first()
            .map_or(0, |policy| policy.terms.sites.len()),
        nodes,
        partial: outcome
            .finals
            .iter()
            .filter(|answer| answer.partial)
            .count() as u64,
        early: outcome.finals.iter().filter(|answer| answer.early).count() as u64,
        bytes_a_record: total as f64 / (records as f64).max(1.0),
        bytes: outcome
            .bytes
            .iter()
            .map(|(kind, bytes)| (kind_name(*kind), *bytes))
            .collect(),
    }
}

/// The id of a site, or the number of a trouble node.
fn source_name(policies: &[FederationPolicy], source: u16) -> String {
    let parties = policies.first().map_or(&[][..], |policy| &policy.parties);
    let site = parties.iter().find(|party| party.number.0 == source);
    site.map_or_else(|| source.to_string(), |party| party.id.clone())
}

fn kind_name(kind: u8) -> String {
    let found = Kind::ALL.into_iter().find(|other| *other as u8 == kind);
    found.map_or_else(
        || kind.to_string(),
        |kind| format!("{kind:?}").to_lowercase(),
    )
}

fn text(figures: &Figures) -> String {
    let mut text = format!(
        "{} records at {} sites",
        count(figures.records),
        figures.sites
    );
    if let Some(accuracy) = figures.accuracy {
        let _ = write!(text, ", accuracy {:.2} %", accuracy * 100.0);
    }
    let _ = writeln!(text, ", {:.1} bytes a record", figures.bytes_a_record);
    if figures.nodes.is_empty() {
        text.push_str("no trouble nodes\n");
    } else {
        let head = [
            "trouble node",
            "sources",
            "from batch",
            "to batch",
            "forwarded",
            "answered",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for life in &figures.nodes {
            rows.push(vec![
                life.node.to_string(),
                life.sources.join(" "),
                life.from_batch.to_string(),
                life.to_batch
                    .map_or_else(|| "–".to_owned(), |batch| batch.to_string()),
                count(life.forwarded),
                count(life.answered),
            ]);
        }
        text.push('\n');
        text.push_str(&table(&rows));
    }
    let mut rows = vec![["frames", "bytes"].map(str::to_owned).to_vec()];
    for (kind, bytes) in &figures.bytes {
        rows.push(vec![kind.clone(), count(*bytes)]);
    }
    text.push('\n');
    text.push_str(&table(&rows));
    text
}
