//! Attacks on the written files of a graph: by attributes, by degrees, by those of neighbours, and by
//! what goes together.
//!
//! In a file nobody can say which node is which person. So two things are counted: how many released
//! nodes look alike to somebody who knows what the release shows of a person, and how many nodes fit a
//! person of the source by values that cover those of the person, and by the number of neighbours. The
//! chance is that of somebody who takes one of them; where the edges were changed, the right one need
//! not be among them.

use super::super::release_columns::{Taken, release_plans};
use super::super::trial::read;
use super::Names;
use super::edge_file::{count_edges, read_edges};
use crate::data::coded::{Coded, classes};
use crate::data::{Batch, Role, RowIds, SemanticSpace, Taxonomy};
use crate::engine::domains::domains;
use crate::engine::original::originals_of;
use crate::engine::{Progress, Stage};
use crate::error::{Error, Result};
use crate::graph::semantic::ReleasedRecords;
use crate::graph::{EdgeList, Hidden, Neighbours, Structure, hidden};
use crate::guarantee::DegreeChecker;
use crate::io::{self, ReadOptions};
use crate::policy::{GraphPolicy, Policy};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// How attacks on the files of a graph went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttackedGraph {
    /// Released nodes.
    pub nodes: u64,
    /// Released edges.
    pub edges: u64,
    /// What each intruder gets.
    pub attacks: Vec<GraphAttack>,
    /// What is not covered by a promise, and what was not tried.
    pub notes: Vec<String>,
}

/// What an intruder gets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphAttack {
    /// What is looked for: released nodes that look alike, or persons of the source.
    pub target: &'static str,
    /// What the intruder knows.
    pub knows: &'static str,
    /// Nodes or persons.
    pub of: u64,
    /// Those to whom no released node fits.
    pub nowhere: u64,
    /// Those to whom one alone fits.
    pub alone: u64,
    /// Those to whom fewer than k fit.
    pub below: u64,
    /// The fewest that fit anybody.
    pub least: u64,
    /// The mean chance to take the right one.
    pub chance: f64,
    /// How many the policy promises; none where it promises nothing.
    pub promised: Option<u32>,
}

const NODES: &str = "nodes that look alike";
const PERSONS: &str = "persons of the source";

/// Attacks the written files of a graph.
///
/// # Errors
/// When the policy has no graph, or a file cannot be read.
pub fn attack_graph(
    policy: &Policy,
    (nodes, edges): (&Path, &Path),
    options: &ReadOptions,
    progress: &Progress,
) -> Result<AttackedGraph> {
    let graph = policy.graph.as_ref();
    let graph = graph.ok_or_else(|| Error::usage("the policy has no graph"))?;
    progress.enter(Stage::Read);
    let released = released_nodes(policy, graph, nodes, options)?;
    let links = released_edges(graph, (nodes, edges), released.len() as u32, options)?;
    let neighbours = Neighbours::of(&links);
    progress.enter(Stage::Check);
    let mut found = AttackedGraph {
        nodes: released.len() as u64,
        edges: links.len() as u64,
        attacks: look_alike(policy, graph, &released, &neighbours),
        notes: Vec::new(),
    };
    match persons(policy, graph, &released, &neighbours, progress)? {
        Some(attacks) => found.attacks.extend(attacks),
        None => found.notes.push(
            "persons were not looked for: the release shows no labels of hierarchies".to_owned(),
        ),
    }
    found.notes.extend(uncovered(&found.attacks));
    Ok(found)
}

fn released_nodes(
    policy: &Policy,
    graph: &GraphPolicy,
    path: &Path,
    options: &ReadOptions,
) -> Result<Batch> {
    let options = ReadOptions {
        graph: graph.node_table(),
        ..options.clone()
    };
    let plans = release_plans(policy, path, &options, Taken::Release)?;
    let source = io::open(path, &options, &plans)?;
    let schema = Arc::clone(source.schema());
    Batch::concat(&schema, source.collect::<Result<Vec<_>>>()?)
}

fn released_edges(
    graph: &GraphPolicy,
    (nodes, edges): (&Path, &Path),
    count: u32,
    options: &ReadOptions,
) -> Result<EdgeList> {
    let same = nodes == edges;
    let options = ReadOptions {
        format: options.format.filter(|_| same),
        compression: options.compression.filter(|_| same),
        graph: graph.edge_table(),
        ..options.clone()
    };
    let mut checker = DegreeChecker::new(count, graph.directed);
    let mut pairs = Vec::new();
    count_edges(graph, edges, &options, &mut checker, |pair| {
        if let [Some(a), Some(b)] = pair
            && a < count
            && b < count
        {
            pairs.push((a, b));
        }
    })?;
    if let Some(fault) = checker.faults().first() {
        return Err(Error::input(fault.to_string())
            .in_file(edges)
            .help("attack the files that one run has written; `moretta verify` tells more"));
    }
    Ok(EdgeList::new(count, pairs, graph.directed).0)
}

fn told(
    (target, knows): (&'static str, &'static str),
    found: Hidden,
    promised: Option<u32>,
) -> GraphAttack {
    GraphAttack {
        target,
        knows,
        of: found.nodes,
        nowhere: found.nowhere,
        alone: found.alone,
        below: found.below,
        least: found.least,
        chance: found.chance,
        promised,
    }
}

/// How many nodes look alike, for each thing that an intruder may know.
fn look_alike(
    policy: &Policy,
    graph: &GraphPolicy,
    released: &Batch,
    neighbours: &Neighbours,
) -> Vec<GraphAttack> {
    let fields = released.schema().fields().iter().enumerate();
    let shown = fields.filter(|(_, field)| *field.name != *graph.node);
    let columns: Vec<Coded> = shown
        .map(|(place, _)| Coded::new(released, place))
        .collect();
    let codes: Vec<&[u32]> = columns.iter().map(|column| &column.codes[..]).collect();
    let classes = classes(&codes, released.len());
    let k = policy.plan.guarantee.k;
    let degree_k = graph.degree_k;
    let least = u64::from(k.or(degree_k).unwrap_or(2));
    let attack = |knows, classes: Option<&[u32]>, structure, promised: Option<u32>| {
        let wanted = promised.map_or(least, u64::from);
        told(
            (NODES, knows),
            hidden(neighbours, classes, structure, wanted),
            promised,
        )
    };
    vec![
        attack("the attributes", Some(&classes), Structure::None, k),
        attack("the degree", None, Structure::Degree, degree_k),
        attack(
            "attributes and degree",
            Some(&classes),
            Structure::Degree,
            None,
        ),
        attack(
            "the neighbours' degrees",
            None,
            Structure::NeighbourDegrees,
            None,
        ),
        attack(
            "attributes and neighbours' degrees",
            Some(&classes),
            Structure::NeighbourDegrees,
            None,
        ),
    ]
}

/// How many released nodes fit each person of the source; none where labels are no nodes of
/// taxonomies.
fn persons(
    policy: &Policy,
    graph: &GraphPolicy,
    released: &Batch,
    neighbours: &Neighbours,
    progress: &Progress,
) -> Result<Option<Vec<GraphAttack>>> {
    let plan = policy.loaded_plan()?;
    let names = Names::read(policy, graph, progress)?;
    let read_pairs = read_edges(policy, graph, &names, progress)?;
    let (before, _) = EdgeList::new(names.len(), read_pairs.pairs, graph.directed);
    let before = Neighbours::of(&before);
    let rows: Option<Vec<u64>> = (0..u64::from(names.len()))
        .map(|place| names.row(place))
        .collect();
    let rows = rows.ok_or_else(|| Error::bug("a node that was never read"))?;
    let original = read(policy, progress)?;
    let domains = domains(&plan, &original, None)?;
    let originals = originals_of(&original.batch, &RowIds::List(rows.into()))?;
    let (mut taxonomies, mut values, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for place in originals.schema().with_role(Role::Quasi) {
        let name = &originals.schema().fields()[place].name;
        let domain = domains.require(name)?;
        let column = originals.column(place);
        let taxonomy = Taxonomy::of(domain, column);
        let shown = released.column_named(name);
        let shown = shown.and_then(|shown| taxonomy.encode(shown, domain));
        let (Some(value), Some(shown)) = (taxonomy.encode(column, domain), shown) else {
            return Ok(None);
        };
        taxonomies.push(taxonomy);
        values.push(value);
        labels.push(shown);
    }
    let degrees = |of: &Neighbours| -> Vec<u32> {
        let nodes = 0..of.len() as u32;
        nodes.map(|node| of.degree(node)).collect()
    };
    let space = SemanticSpace::new(taxonomies);
    let records = ReleasedRecords::new(&space, &labels, &degrees(neighbours));
    let known = degrees(&before);
    let k = policy.plan.guarantee.k;
    let least = u64::from(k.unwrap_or(2));
    let find = |degrees| records.find(&values, degrees, names.len() as usize, least);
    Ok(Some(vec![
        told((PERSONS, "the values"), find(None), k),
        told((PERSONS, "values and degree"), find(Some(&known)), None),
    ]))
}

/// What no promise covers although somebody is alone or in too small a company.
fn uncovered(attacks: &[GraphAttack]) -> Vec<String> {
    let open = attacks
        .iter()
        .filter(|attack| attack.promised.is_none() && attack.below > 0);
    open.map(|attack| {
        format!(
            "nothing is promised against somebody who knows {}: {} of {} {} are alone, {} are fewer than promised elsewhere",
            attack.knows, attack.alone, attack.of, attack.target, attack.below
        )
    })
    .collect()
}
