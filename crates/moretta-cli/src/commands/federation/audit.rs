//! `moretta federation audit`: what each party sees, with the bytes that a run would send.

use super::load_all;
use super::simulate::simulate;
use crate::args::FederationPoliciesArgs;
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::pipeline::federation_sees;
use moretta_report::count;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

#[derive(Serialize)]
struct Audited {
    records: u64,
    parties: Vec<AuditedParty>,
    frames: Vec<AuditedFrames>,
}

#[derive(Serialize)]
struct AuditedParty {
    id: String,
    role: &'static str,
    sees: Vec<String>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct AuditedFrames {
    kind: String,
    path: &'static str,
    holds: &'static str,
    bytes: u64,
    bytes_a_record: f64,
}

/// Every kind of frame: between whom, and what it holds.
const FRAMES: &[(&str, &str, &str)] = &[
    (
        "hello",
        "site → aggregator → sites",
        "sum of terms, number and kinds of columns, public key of masks",
    ),
    (
        "answers",
        "site, node → aggregator",
        "classes, coarse confidences, forward bits",
    ),
    ("keys", "source → node", "which records are forwarded"),
    (
        "agreed",
        "node → sources",
        "which records all sources forward",
    ),
    (
        "fragment",
        "source → node",
        "projections or values of forwarded records",
    ),
    (
        "masked",
        "source → node",
        "masked shares of a sum of projections",
    ),
    ("labels", "label holder → all", "true classes"),
    ("state", "node ↔ sources", "agreement of nodes"),
    (
        "topology",
        "aggregator → all",
        "trouble nodes and their sources",
    ),
    (
        "final",
        "aggregator → consumer",
        "class, confidence and flags of each record",
    ),
    ("ack", "all", "what was received"),
    ("credit", "aggregator → all", "how far parties may go"),
    ("refuse", "all", "a number that says why"),
    ("scores", "node → sources", "scores of agreed records"),
    (
        "join",
        "all ↔ aggregator",
        "number of the run, sum of terms, a random mark",
    ),
    ("end", "all ↔ aggregator", "how many batches there were"),
];

pub(crate) fn run(args: &FederationPoliciesArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policies = load_all(args)?;
    let figures = simulate(&policies, console, |_| Ok(()))?.facts();
    let of = |kind: &str| figures.frames.iter().find(|frames| frames.kind == kind);
    let frames = FRAMES.iter().filter_map(|&(kind, path, holds)| {
        let bytes = of(kind)?.bytes;
        Some(AuditedFrames {
            kind: kind.to_owned(),
            path,
            holds,
            bytes,
            bytes_a_record: bytes as f64 / (figures.records as f64).max(1.0),
        })
    });
    let audited = Audited {
        records: figures.records,
        frames: frames.collect(),
        parties: policies
            .iter()
            .map(|policy| AuditedParty {
                id: policy.id.clone(),
                role: policy.role.word(),
                sees: federation_sees(policy.role, &policy.terms),
                warnings: policy.warnings(),
            })
            .collect(),
    };
    console.result(&audited, || text(&audited))
}

fn text(audited: &Audited) -> String {
    let mut text = String::new();
    for party in &audited.parties {
        let _ = writeln!(text, "{} ({})", party.id, party.role);
        for sentence in party.sees.iter().chain(&party.warnings) {
            let _ = writeln!(text, "  {sentence}");
        }
    }
    let head = ["frames", "between", "hold", "bytes", "a record"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for frames in &audited.frames {
        rows.push(vec![
            frames.kind.clone(),
            frames.path.to_owned(),
            frames.holds.to_owned(),
            count(frames.bytes),
            format!("{:.2}", frames.bytes_a_record),
        ]);
    }
    let _ = writeln!(text, "\n{} records", count(audited.records));
    text.push_str(&table(&rows));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::federate::frame::Kind;

    #[test]
    fn every_kind_of_frame_is_told() {
        let kinds = Kind::ALL.map(|kind| format!("{kind:?}").to_lowercase());
        assert_eq!(
            FRAMES.iter().map(|frame| frame.0).collect::<Vec<_>>(),
            kinds
        );
    }
}
