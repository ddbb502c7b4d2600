//! What a report tells of a graph.
//!
//! Figures of the graph before are about edges between released nodes; of its degrees small
//! counts are hidden, with enough of their neighbours.

use super::super::files::file_facts;
use super::super::trial::read;
use super::drawing::drawing;
use super::{Names, NotEdges};
use crate::data::coded::{Coded, classes};
use crate::data::{Batch, Role, RowIds, SemanticSpace, Taxonomy};
use crate::engine::Progress;
use crate::engine::domains::domains;
use crate::engine::original::originals_of;
use crate::engine::report::{
    DegreeBand, DegreeRisk, GraphFacts, GraphFigure, SMALL_CELL, SemanticAttribute, SemanticFacts,
};
use crate::error::{Error, Result};
use crate::graph::degree_anonymity::Changed;
use crate::graph::semantic::Nodes;
use crate::graph::statistics::{Statistics, degree_band, overlap};
use crate::graph::{EdgeList, Neighbours, degree_attack};
use crate::policy::{GraphPolicy, Policy, Strangers};
use std::path::Path;

/// The edges between released nodes.
pub(super) struct Graphs<'a> {
    pub(super) before: &'a EdgeList,
    pub(super) after: &'a Changed,
}

/// What is told of a graph; its edge file lies at the first path for now.
pub(super) fn facts(
    policy: &Policy,
    graph: &GraphPolicy,
    (names, released): (&Names, &Batch),
    graphs: &Graphs<'_>,
    (path, place): (&Path, &Path),
) -> Result<GraphFacts> {
    let (before, after) = (graphs.before, &graphs.after.edges);
    let name = shown_as(policy, place);
    let [links, new_links] = [before, after].map(Neighbours::of);
    let statistics = [
        Statistics::of(before, &links),
        Statistics::of(after, &new_links),
    ];
    let degrees = |neighbours: &Neighbours| -> Vec<u32> {
        let nodes = 0..neighbours.len() as u32;
        nodes.map(|node| neighbours.degree(node)).collect()
    };
    let degrees = [degrees(&links), degrees(&new_links)];
    let semantic = nodes(policy, names, released)?;
    Ok(GraphFacts {
        file: file_facts(path, &name, (&policy.files, None), after.len() as u64)?,
        directed: graph.directed,
        nodes: released.len() as u64,
        added: graphs.after.added,
        removed: graphs.after.removed,
        degrees: bands(&statistics),
        figures: figures(&statistics, &links, &new_links),
        semantic: semantic.map(|nodes| semantic_facts(policy, released, &nodes, before, after)),
        risks: risks(&degrees, &shown(graph, released)),
        drawing: drawing(released, after)?,
    })
}

/// The edge file as the policy writes it where it is beside that of the nodes, else its name alone.
fn shown_as(policy: &Policy, place: &Path) -> String {
    let name = place.file_name().unwrap_or_default();
    let beside = policy
        .sink
        .as_ref()
        .filter(|sink| sink.path.parent() == place.parent());
    let shown = match beside {
        Some(sink) => Path::new(&sink.shown).with_file_name(name),
        None => Path::new(name).to_path_buf(),
    };
    shown.to_string_lossy().into_owned()
}

/// A count that is told unless it is small; 0 tells that nothing was done.
fn few(count: u64) -> Option<u64> {
    (!(1..=SMALL_CELL).contains(&count)).then_some(count)
}

fn bands([before, after]: &[Statistics; 2]) -> Vec<DegreeBand> {
    let bands = before.degrees.len().max(after.degrees.len());
    let count = |degrees: &[u64], place: usize| degrees.get(place).copied().unwrap_or(0);
    let old: Vec<u64> = (0..bands).map(|i| count(&before.degrees, i)).collect();
    let hidden = hidden(&old);
    (0..bands)
        .map(|place| {
            let band = degree_band(place);
            DegreeBand {
                from: *band.start(),
                to: *band.end(),
                before: (!hidden[place]).then_some(old[place]),
                after: count(&after.degrees, place),
            }
        })
        .collect()
}

/// Which counts are hidden: small ones, and the next larger ones until what is hidden cannot be
/// had by subtraction.
fn hidden(counts: &[u64]) -> Vec<bool> {
    let mut hidden: Vec<bool> = counts.iter().map(|&count| few(count).is_none()).collect();
    let sum = |hidden: &[bool]| -> (usize, u64) {
        let these = counts.iter().zip(hidden).filter(|(_, hidden)| **hidden);
        these.fold((0, 0), |(n, sum), (count, _)| (n + 1, sum + count))
    };
    loop {
        let (number, total) = sum(&hidden);
        if number == 0 || number > 1 && total > SMALL_CELL {
            return hidden;
        }
        let open = (0..counts.len()).filter(|&place| !hidden[place] && counts[place] > 0);
        match open.min_by_key(|&place| counts[place]) {
            Some(place) => hidden[place] = true,
            None => return hidden,
        }
    }
}

fn figures(
    [before, after]: &[Statistics; 2],
    links: &Neighbours,
    new_links: &Neighbours,
) -> Vec<GraphFigure> {
    let figure = |name: &str, before: Option<f64>, after: f64| GraphFigure {
        name: name.to_owned(),
        before: before.map(four_digits),
        after: four_digits(after),
    };
    let both = |name: &str, of: fn(&Statistics) -> f64| figure(name, Some(of(before)), of(after));
    vec![
        both("edges", |graph| graph.edges as f64),
        both("mean degree", Statistics::mean_degree),
        both("clustering coefficient", |graph| graph.clustering),
        both("transitivity", |graph| graph.transitivity),
        figure("neighbourhood overlap", None, overlap(links, new_links)),
        both("communities", |graph| f64::from(graph.communities.count)),
        both("modularity", |graph| graph.communities.modularity),
        figure(
            "modularity of the communities before",
            Some(before.communities.modularity),
            before.communities.modularity_in(new_links),
        ),
    ]
}

fn four_digits(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The attributes of released nodes before and after as nodes of their taxonomies; none where
/// the release shows something else, or nothing has a taxonomy.
fn nodes(policy: &Policy, names: &Names, released: &Batch) -> Result<Option<Nodes>> {
    let plan = policy.loaded_plan()?;
    let rows = released.rows().iter().map(|place| names.row(place));
    let rows: Option<Vec<u64>> = rows.collect();
    let rows = rows.ok_or_else(|| Error::bug("a node was released that was never read"))?;
    let mut ascending = rows.clone();
    ascending.sort_unstable();
    let original = read(policy, &Progress::default())?;
    let original = original.alone(&RowIds::List(ascending.into()))?;
    let domains = domains(&plan, &original, None)?;
    let originals = originals_of(&original.batch, &RowIds::List(rows.into()))?;
    let (mut taxonomies, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for place in originals.schema().with_role(Role::Quasi) {
        let name = &originals.schema().fields()[place].name;
        let domain = domains.require(name)?;
        let (old, new) = (originals.column(place), released.column_named(name));
        let taxonomy = Taxonomy::of(domain, old);
        let old = taxonomy.encode(old, domain);
        let new = new.and_then(|new| taxonomy.encode(new, domain));
        let (Some(old), Some(new)) = (old, new) else {
            return Ok(None);
        };
        taxonomies.push(taxonomy);
        before.push(old);
        after.push(new);
    }
    Ok((!taxonomies.is_empty()).then(|| Nodes {
        space: SemanticSpace::new(taxonomies),
        original: before,
        released: after,
    }))
}

fn semantic_facts(
    policy: &Policy,
    released: &Batch,
    nodes: &Nodes,
    before: &EdgeList,
    after: &EdgeList,
) -> SemanticFacts {
    let loss = nodes.loss(before, after);
    let schema = released.schema();
    let quasi = schema.with_role(Role::Quasi).into_iter();
    let names = quasi.map(|place| schema.fields()[place].name.to_string());
    let figures = loss.links.iter().zip(&loss.frequencies);
    let attribute = |(name, (links, frequencies)): (String, (&f64, &f64))| SemanticAttribute {
        name,
        aamil: four_digits(*links),
        cdil: four_digits(*frequencies),
    };
    SemanticFacts {
        attributes: names.zip(figures).map(attribute).collect(),
        aamil: four_digits(loss.aamil()),
        cdil: four_digits(loss.cdil()),
        dbil: four_digits(loss.distance),
        average: four_digits(loss.average()),
        risk: nodes.risk().map(four_digits),
        bound: policy.plan.guarantee.k.map(|k| 100.0 / f64::from(k)),
    }
}

/// What each released node shows, as numbers that are equal where that is.
fn shown(graph: &GraphPolicy, released: &Batch) -> Vec<u32> {
    let columns = released.schema().fields().iter().enumerate();
    let columns = columns.filter(|(_, field)| *field.name != *graph.node);
    let columns: Vec<Coded> = columns.map(|(i, _)| Coded::new(released, i)).collect();
    let codes: Vec<&[u32]> = columns.iter().map(|column| &column.codes[..]).collect();
    classes(&codes, released.len())
}

/// Intruders who know degrees.
fn risks([before, after]: &[Vec<u32>; 2], classes: &[u32]) -> Vec<DegreeRisk> {
    let risk = |knows: &str, classes: Option<&[u32]>| {
        let found = degree_attack(before, after, classes);
        let plain = degree_attack(before, before, classes);
        DegreeRisk {
            knows: knows.to_owned(),
            before: four_digits(plain.mean),
            mean: four_digits(found.mean),
            largest: four_digits(found.largest),
        }
    };
    vec![
        risk("the number of neighbours", None),
        risk("the number of neighbours and the attributes", Some(classes)),
    ]
}

/// A warning where attributes and degree together tell more than k allows each of them to.
pub(super) fn both_known(policy: &Policy, facts: &GraphFacts) -> Option<String> {
    let k = f64::from(policy.plan.guarantee.k.unwrap_or(1));
    let both = facts.risks.last()?;
    (k > 1.0 && both.largest > 1.0 / k + 1e-4).then(|| {
        format!(
            "{} together tell more than either: somebody who knows both finds the right node in {:.1} % of cases",
            both.knows,
            100.0 * both.mean
        )
    })
}

/// What a steward should know of edges that were left out.
pub(super) fn warnings(graph: &GraphPolicy, not: &NotEdges) -> Vec<String> {
    let told = |count: u64, what: &str| {
        let count = match few(count) {
            None => format!("at most {SMALL_CELL}"),
            Some(0) => return None,
            Some(count) => count.to_string(),
        };
        Some(format!("{count} {what}"))
    };
    let strangers = match graph.strangers {
        Strangers::Refuse => 0,
        Strangers::Drop => not.strangers,
    };
    let warnings = [
        told(not.left_out.loops, "edges link a node to itself and were left out"),
        told(not.left_out.repeated, "edges are there more than once and were released once"),
        told(strangers, "edges have an end that is not in the node table and were left out"),
        match graph.degree_k {
            Some(_) => None,
            None => Some("nothing is promised of the edges: somebody who knows how many neighbours a person has may find the node; add degree_k under [graph]".to_owned()),
        },
    ];
    warnings.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_counts_cannot_be_had_by_subtraction() {
        for (counts, expected) in [
            (&[100, 50, 20][..], &[false, false, false][..]),
            (&[100, 50, 3], &[false, true, true]),
            (&[100, 50, 0, 3, 4], &[false, true, false, true, true]),
            (&[100, 8, 9], &[false, true, true]),
            (&[3], &[true]),
            (&[0, 0], &[false, false]),
        ] {
            assert_eq!(hidden(counts), expected, "{counts:?}");
        }
    }
}
