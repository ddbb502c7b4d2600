//! A small released graph for a report to draw: what its nodes show, and its edges.
//!
//! Everything in it stands in the released files.

use crate::data::{Batch, Categories, Role};
use crate::engine::report::{GraphDrawing, GraphGroup};
use crate::engine::shown::covered_as_text;
use crate::error::Result;
use crate::graph::EdgeList;
use std::collections::BTreeMap;

/// Nodes and edges that can still be told apart in a drawing.
const MOST_NODES: u32 = 150;
const MOST_EDGES: usize = 1500;

/// What a missing value is shown as.
const MISSING: &str = "(missing)";

/// The drawing of a small graph; none of a larger one, nor of one without labels.
pub(super) fn drawing(released: &Batch, edges: &EdgeList) -> Result<Option<GraphDrawing>> {
    let fits = (1..=MOST_NODES).contains(&edges.nodes()) && edges.len() <= MOST_EDGES;
    let rows = covered_as_text(released)?;
    let quasi = rows.schema().with_role(Role::Quasi);
    let columns: Vec<&Categories> = quasi
        .iter()
        .filter_map(|&place| rows.column(place).as_categories())
        .collect();
    if !fits || columns.is_empty() || columns.len() != quasi.len() {
        return Ok(None);
    }
    let shown = |row: usize| -> Vec<String> {
        let cells = columns.iter().map(|column| column.get(row));
        cells
            .map(|cell| cell.unwrap_or(MISSING).to_owned())
            .collect()
    };
    let mut members: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for row in 0..rows.len() {
        *members.entry(shown(row)).or_insert(0) += 1;
    }
    let groups = members
        .into_iter()
        .map(|(shown, nodes)| GraphGroup { shown, nodes });
    let mut groups: Vec<GraphGroup> = groups.collect();
    // Sorted by what they show already.
    groups.sort_by_key(|group| std::cmp::Reverse(group.nodes));
    let place = |row: usize| {
        let shown = shown(row);
        groups.iter().position(|group| group.shown == shown)
    };
    let nodes = (0..rows.len()).map(|row| place(row).unwrap_or(0) as u32);
    Ok(Some(GraphDrawing {
        columns: quasi
            .iter()
            .map(|&place| rows.schema().fields()[place].name.to_string())
            .collect(),
        nodes: nodes.collect(),
        groups,
        edges: edges.pairs().to_vec(),
    }))
}
