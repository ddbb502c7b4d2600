//! A run of a policy with a graph: the node table goes through its session as any other, and the
//! edges follow its rows.
//!
//! A node is released under the number of its row, and rows are in the order of what they show.
//! The table goes through its session in a secret order, so that a number tells neither the order
//! of the input nor a name. Edges of nodes that are not released go with them. The edge file is
//! written aside, read back, and counted by the checker.

mod attack;
mod drawing;
mod edge_file;
mod extract;
mod facts;
mod microdata;
mod names;
mod verify;

pub use attack::{AttackedGraph, GraphAttack, attack_graph};
pub(super) use edge_file::check_header;
pub use extract::{ExtractSettings, Extracted, TopicSettings, extract};
pub use microdata::{Microdata, microdata};
pub(super) use names::Names;
pub use verify::verify_graph;

use super::options::Options;
use super::place::Pending;
use super::read_back::read_back;
use crate::data::Batch;
use crate::engine::facts::claim;
use crate::engine::report::Report;
use crate::engine::{Cancel, Stage};
use crate::error::{Error, Result};
use crate::graph::degree_anonymity::{Changed, anonymize};
use crate::graph::{EdgeList, LeftOut};
use crate::guarantee::DegreeChecker;
use crate::io::{self, Format, WriteOptions};
use crate::policy::{GraphPolicy, Policy, SinkPolicy};
use edge_file::{as_written, count_edges, read_edges, write_edges};
use facts::{Graphs, both_known, facts, warnings};
use std::path::Path;

/// Edges that were read and of which none was made.
struct NotEdges {
    left_out: LeftOut,
    strangers: u64,
}

/// Writes the edges between released nodes aside, and tells of them in the report of the nodes;
/// none where the policy has no graph.
///
/// # Errors
/// When names or edges cannot be read, or the file does not keep what is promised.
pub(super) fn release(
    policy: &Policy,
    sink: &SinkPolicy,
    (names, released, nodes): (Option<&Names>, Option<&Batch>, &Path),
    report: &mut Report,
    options: &Options<'_>,
) -> Result<Option<Pending>> {
    let (Some(graph), Some(names)) = (&policy.graph, names) else {
        return Ok(None);
    };
    let released = released.ok_or_else(|| Error::bug("no nodes were released"))?;
    let place = match sink.holds_edges() {
        true => Some(&sink.path),
        false => sink.edges.as_ref(),
    };
    let place = place.ok_or_else(|| Error::bug("nothing says where the edges go"))?;
    options.progress.enter(Stage::Protect);
    let read = read_edges(policy, graph, names, options.progress)?;
    let (all, left_out) = EdgeList::new(names.len(), read.pairs, graph.directed);
    let mut numbers = vec![None; names.len() as usize];
    for (id, number) in released.rows().iter().zip(0..) {
        numbers[id as usize] = Some(number);
    }
    let before = all.renumbered(&numbers, released.len() as u32);
    drop(all);
    let changed = changed(graph, &before, names.seed)?;
    options.progress.enter(Stage::Write);
    let pending = match sink.holds_edges() {
        true => None,
        false => Some(Pending::new(place, &policy.files)?),
    };
    let path = pending.as_ref().map_or(nodes, Pending::temporary);
    let written = edge_options(sink);
    write_edges(graph, &changed.edges, path, &written).map_err(|e| e.instead_of(path, place))?;
    options.progress.enter(Stage::Check);
    if pending.is_none() {
        // The file has changed since its nodes were checked.
        read_back(policy, sink, path, released, options.progress)
            .map_err(|e| e.instead_of(path, place))?;
    }
    let checker = check_written(graph, &changed.edges, path, &written)
        .map_err(|e| e.instead_of(path, place))?;
    if let Some(found) = checker.claim(graph.degree_k) {
        report.verdict.claims.push(claim(&found));
    }
    let not_edges = NotEdges {
        left_out,
        strangers: read.strangers,
    };
    report.warnings.extend(warnings(graph, &not_edges));
    let graphs = Graphs {
        before: &before,
        after: &changed,
    };
    let told = (path, place.as_path());
    let facts = facts(policy, graph, (names, released), &graphs, told)?;
    report.warnings.extend(both_known(policy, &facts));
    report.graph = Some(facts);
    Ok(pending)
}

/// How edges are written: as the nodes, but for what the ending of the name tells.
fn edge_options(sink: &SinkPolicy) -> WriteOptions {
    WriteOptions {
        format: sink.holds_edges().then_some(Format::GraphMl),
        compression: None,
        header: true,
        ..sink.options.clone()
    }
}

/// The edges that are released.
fn changed(graph: &GraphPolicy, before: &EdgeList, seed: u64) -> Result<Changed> {
    match graph.degree_k {
        None => Ok(Changed {
            edges: before.clone(),
            added: 0,
            removed: 0,
        }),
        Some(k) => anonymize(before, k, seed, &Cancel::default()),
    }
}

/// Reads the edges back: the file must hold them, all of them, in their order, and keep what is
/// promised.
fn check_written(
    graph: &GraphPolicy,
    edges: &EdgeList,
    path: &Path,
    written: &WriteOptions,
) -> Result<DegreeChecker> {
    if io::names(path, &as_written(graph, written))? != graph.ends {
        return Err(Error::guarantee(
            "the edge file does not hold the columns that may be released",
        ));
    }
    let mut checker = DegreeChecker::new(edges.nodes(), graph.directed);
    let mut expected = edges.pairs().iter();
    let mut differs = 0u64;
    let each = |pair: [Option<u32>; 2]| {
        let same = expected.next().map(|&(a, b)| [Some(a), Some(b)]) == Some(pair);
        differs += u64::from(!same);
    };
    count_edges(graph, path, &as_written(graph, written), &mut checker, each)?;
    if differs > 0 || expected.next().is_some() {
        return Err(Error::guarantee(
            "the edge file does not hold the edges that were to be released",
        ));
    }
    let broken = checker.claim(graph.degree_k).filter(|claim| !claim.holds);
    if let Some(claim) = broken {
        let what = format!(
            "{}: promised {}, found {}",
            claim.name, claim.promised, claim.found_text
        );
        return Err(Error::guarantee(what).help("nothing was written; please report this"));
    }
    match checker.faults().first() {
        None => Ok(checker),
        Some(fault) => Err(Error::guarantee(format!("the edge file: {fault}"))),
    }
}
