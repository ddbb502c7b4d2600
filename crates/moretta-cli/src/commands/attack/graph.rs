//! What attacks on the files of a graph got, in words.

use super::{percent, tables};
use crate::console::{Console, counted, table};
use crate::failure::Failure;
use moretta::Error;
use moretta::io::{Format, ReadOptions};
use moretta::pipeline::{self, AttackedGraph, AttackedTables, GraphAttack, Progress};
use moretta::policy::Policy;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Attacks the files that the policy writes, or `nodes` and `edges` instead of them.
pub(super) fn run(
    policy: &Policy,
    (nodes, edges): (Option<&PathBuf>, Option<&PathBuf>),
    options: &ReadOptions,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let sink = policy.sink.as_ref();
    let nodes = nodes.or(sink.map(|sink| &sink.path));
    let Some(nodes) = nodes.filter(|path| path.exists()) else {
        let error = Error::usage("a graph is attacked by its written files, and there are none");
        return Err(error
            .help("run the policy first, or name them: moretta attack nodes.csv --edges edges.csv --policy POLICY")
            .into());
    };
    let within = Format::from_path(nodes) == Some(Format::GraphMl);
    let written = sink.and_then(|sink| sink.edges.as_ref());
    let edges: &Path = match edges.or(written).filter(|_| !within) {
        Some(edges) => edges,
        None => nodes,
    };
    let progress = Progress::default();
    let attack = || pipeline::attack_graph(policy, (nodes, edges), options, &progress);
    let graph = console.watch(&progress, attack)?;
    let table = match policy.plan.keeps_guarantee() {
        true => Some(pipeline::attack_files(
            policy,
            std::slice::from_ref(nodes),
            options,
            &progress,
        )?),
        false => None,
    };
    let table = table.filter(|found| found.releases.iter().any(|one| !one.attacks.is_empty()));
    let found = Attacked { graph, table };
    let shown = console.result(&found, || {
        let rows = found.table.as_ref().map(tables::text);
        text(&found.graph, nodes) + &rows.map_or(String::new(), |rows| format!("\n{rows}"))
    })?;
    for note in &found.graph.notes {
        console.warn(note);
    }
    Ok(shown)
}

/// The graph, and its nodes as a table.
#[derive(Serialize)]
struct Attacked {
    #[serde(flatten)]
    graph: AttackedGraph,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<AttackedTables>,
}

fn text(found: &AttackedGraph, nodes: &Path) -> String {
    let mut text = format!(
        "{}: {} and {}\n",
        nodes.display(),
        counted(found.nodes, "node"),
        counted(found.edges, "edge")
    );
    let head = [
        "looked for",
        "the attacker knows",
        "alone",
        "below k",
        "of",
        "fewest",
        "mean chance",
        "promised",
    ];
    let line = |attack: &GraphAttack| {
        vec![
            attack.target.to_owned(),
            attack.knows.to_owned(),
            attack.alone.to_string(),
            attack.below.to_string(),
            attack.of.to_string(),
            attack.least.to_string(),
            percent(attack.chance),
            match attack.promised {
                Some(k) => format!("{k} alike"),
                None => "nothing".to_owned(),
            },
        ]
    };
    let lines = found.attacks.iter().map(line);
    let head = head.map(str::to_owned).to_vec();
    text.push_str(&table(
        &std::iter::once(head).chain(lines).collect::<Vec<_>>(),
    ));
    let lost = found.attacks.iter().filter(|attack| attack.nowhere > 0);
    for attack in lost {
        let _ = writeln!(
            text,
            "  {}: {} of {} fit no released node",
            attack.knows, attack.nowhere, attack.of
        );
    }
    text
}
