//! Checks the files of a released graph, made by this program or another.

use super::super::verify::{Verification, verify};
use super::edge_file::{count_edges, node_of};
use crate::engine::facts::verdict;
use crate::engine::{Progress, Stage};
use crate::error::{Error, Result};
use crate::guarantee::{DegreeChecker, Fault, Rule};
use crate::io::{self, ColumnPlan, ReadAs, ReadOptions};
use crate::policy::{GraphPolicy, Policy};
use std::path::Path;

/// Checks the node table as [`verify`] does, that its nodes are numbered by their rows, and the
/// edges: ends are nodes, no edge is there twice, and degrees are as promised.
///
/// # Errors
/// When a file cannot be read, or the policy has no graph.
pub fn verify_graph(
    policy: &Policy,
    nodes: &Path,
    edges: &Path,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Verification> {
    let graph = policy.graph.as_ref();
    let graph = graph.ok_or_else(|| {
        Error::usage("only the policy of a graph has edges").help("take --edges away")
    })?;
    let options = &ReadOptions {
        graph: graph.node_table(),
        ..options.clone()
    };
    let mut found = verify(policy, nodes, options, progress)?;
    progress.enter(Stage::Check);
    let findings = &mut found.findings;
    findings.faults.extend(misnumbered(graph, nodes, options)?);
    let same = nodes == edges;
    let options = ReadOptions {
        format: options.format.filter(|_| same),
        compression: options.compression.filter(|_| same),
        graph: graph.edge_table(),
        ..options.clone()
    };
    let mut checker = DegreeChecker::new(findings.rows as u32, graph.directed);
    count_edges(graph, edges, &options, &mut checker, |_| ())?;
    findings.claims.extend(checker.claim(graph.degree_k));
    findings.faults.extend(checker.faults());
    found.verdict = verdict(findings, None);
    Ok(found)
}

/// Nodes that are not called by the number of their row.
fn misnumbered(graph: &GraphPolicy, path: &Path, options: &ReadOptions) -> Result<Option<Fault>> {
    let names = io::names(path, options)?;
    if !names.contains(&graph.node) {
        let what = format!("the file lacks the node column `{}`", graph.node);
        return Err(Error::input(what).in_file(path));
    }
    let plan = |name: &String| ColumnPlan {
        name: name.clone(),
        role: crate::data::Role::Plain,
        read: match *name == graph.node {
            true => ReadAs::Number,
            false => ReadAs::Skip,
        },
    };
    let plans: Vec<ColumnPlan> = names.iter().map(plan).collect();
    let (mut row, mut count) = (0u32, 0);
    for batch in io::open(path, options, &plans)? {
        let batch = batch?;
        let numbers = batch.column_named(&graph.node).and_then(|c| c.as_numbers());
        for number in numbers.iter().flat_map(|numbers| numbers.iter()) {
            count += u64::from(node_of(number) != Some(row));
            row += 1;
        }
    }
    Ok((count > 0).then(|| Fault {
        column: Some(graph.node.clone()),
        rule: Rule::NotNumbered,
        count,
    }))
}
