//! Edge lists as files: names of nodes read, numbers of nodes written and read back.

use super::names::Names;
use crate::data::{
    Batch, Categories, Column, ColumnPlan, Field, Kind, MISSING, Numbers, ReadAs, Role, RowIds,
    Schema,
};
use crate::engine::Progress;
use crate::error::{Error, Result};
use crate::graph::EdgeList;
use crate::guarantee::DegreeChecker;
use crate::io::{self, Format, ReadOptions, WriteOptions};
use crate::policy::{GraphPolicy, Policy, Strangers};
use std::path::Path;
use std::sync::Arc;

/// Edges as the nodes that they link.
pub(super) struct ReadEdges {
    pub(super) pairs: Vec<(u32, u32)>,
    /// Edges that were left out, since an end of them is no node.
    pub(super) strangers: u64,
}

/// Rows of a file at a time.
const ROWS: usize = 1 << 18;

/// Neighbours are counted in 32 bits.
const MOST_EDGES: usize = i32::MAX as usize;

/// How the edge list of a policy is read: as the node table, but for what endings tell.
fn options(policy: &Policy, graph: &GraphPolicy) -> ReadOptions {
    let source = policy.source.options.clone();
    ReadOptions {
        format: source.format.filter(|_| graph.within),
        compression: source.compression.filter(|_| graph.within),
        batch_rows: Some(ROWS),
        graph: graph.edge_table(),
        ..source
    }
}

/// The columns of an edge list: both ends, and others that are not read.
///
/// # Errors
/// When an end is not there.
fn plans(
    graph: &GraphPolicy,
    path: &Path,
    options: &ReadOptions,
    end: ReadAs,
) -> Result<Vec<ColumnPlan>> {
    let names = io::names(path, options)?;
    if let Some(absent) = graph.ends.iter().find(|end| !names.contains(end)) {
        return Err(
            Error::input(format!("the edge list has no column `{absent}`"))
                .in_file(path)
                .help("name the columns of both ends by `from` and `to` under [graph]"),
        );
    }
    let plan = |name: String| match graph.ends.contains(&name) {
        true => ColumnPlan {
            name,
            role: Role::Identifier,
            read: end.clone(),
        },
        false => ColumnPlan {
            name,
            role: Role::Drop,
            read: ReadAs::Skip,
        },
    };
    Ok(names.into_iter().map(plan).collect())
}

/// Reads the edge list of a policy.
///
/// # Errors
/// When an end is missing, or no node where the policy refuses that.
pub(super) fn read_edges(
    policy: &Policy,
    graph: &GraphPolicy,
    names: &Names,
    progress: &Progress,
) -> Result<ReadEdges> {
    let mut options = options(policy, graph);
    options.progress = Some(progress.counter());
    let plans = plans(graph, &graph.path, &options, ReadAs::Category)?;
    let mut edges = ReadEdges {
        pairs: Vec::new(),
        strangers: 0,
    };
    for batch in io::open(&graph.path, &options, &plans)? {
        let batch = batch?;
        let [from, to] = ends(graph, &batch, |column| {
            let cells = column.as_categories();
            cells.map(|cells| rows_of(cells, names))
        })?;
        for pair in from.into_iter().zip(to) {
            match pair {
                (Some(a), Some(b)) => edges.pairs.push((a, b)),
                _ => edges.strangers += 1,
            }
        }
        if edges.pairs.len() > MOST_EDGES {
            return Err(Error::input("too many edges: at most 2147483647").in_file(&graph.path));
        }
    }
    match (edges.strangers, graph.strangers) {
        (1.., Strangers::Refuse) => Err(Error::input(format!(
            "{} edges have an end that is not in the node table",
            edges.strangers
        ))
        .in_file(&graph.path)
        .help("add the nodes, or leave such edges out by unknown = \"drop\" under [graph]")),
        _ => Ok(edges),
    }
}

/// The columns of both ends, as `read` reads each.
fn ends<T>(
    graph: &GraphPolicy,
    batch: &Batch,
    read: impl Fn(&Column) -> Option<T>,
) -> Result<[T; 2]> {
    let end = |name: &str| {
        let column = batch.column_named(name).and_then(&read);
        column.ok_or_else(|| Error::bug("an end of edges was not read"))
    };
    Ok([end(&graph.ends[0])?, end(&graph.ends[1])?])
}

/// The row of each name; none where it is missing, or no node.
fn rows_of(cells: &Categories, names: &Names) -> Vec<Option<u32>> {
    let known: Vec<Option<u32>> = cells
        .levels()
        .iter()
        .map(|name| names.place(name))
        .collect();
    let row = |&code: &u32| match code {
        MISSING => None,
        code => known[code as usize],
    };
    cells.codes().iter().map(row).collect()
}

/// Writes edges as the numbers of their nodes, from 1; into a file that holds the nodes already
/// where that holds both.
pub(super) fn write_edges(
    graph: &GraphPolicy,
    edges: &EdgeList,
    path: &Path,
    options: &WriteOptions,
) -> Result<()> {
    if options.format == Some(Format::GraphMl) {
        return io::append_edges(path, &options.files, edges.pairs().iter().copied());
    }
    let field = |name: &String| {
        let integer = Kind::Number { integer: true };
        Field::new(name.as_str(), Role::Plain, integer)
    };
    let schema = Arc::new(Schema::new(graph.ends.iter().map(field).collect())?);
    let mut file = io::create(path, options, &schema)?;
    for part in edges.pairs().chunks(ROWS) {
        let column = |end: fn(&(u32, u32)) -> u32| {
            let numbers = part.iter().map(|pair| f64::from(end(pair)) + 1.0);
            Column::Number(Numbers::new(numbers.collect()))
        };
        let columns = vec![column(|pair| pair.0), column(|pair| pair.1)];
        let ids = RowIds::Range {
            start: 0,
            len: part.len(),
        };
        file.write(&Batch::new(Arc::clone(&schema), ids, columns)?)?;
    }
    file.close()
}

/// Reads a released edge list and shows every edge of it to the checker and to `each`.
pub(super) fn count_edges(
    graph: &GraphPolicy,
    path: &Path,
    options: &ReadOptions,
    checker: &mut DegreeChecker,
    mut each: impl FnMut([Option<u32>; 2]),
) -> Result<()> {
    let plans = plans(graph, path, options, ReadAs::Number)?;
    for batch in io::open(path, options, &plans)? {
        let batch = batch?;
        let [from, to] = ends(graph, &batch, |column| column.as_numbers().cloned())?;
        for (from, to) in from.iter().zip(to.iter()) {
            let pair = [from, to].map(node_of);
            checker.observe(pair);
            each(pair);
        }
    }
    Ok(())
}

/// The node of a number from 1.
pub(super) fn node_of(number: Option<f64>) -> Option<u32> {
    let whole = number.filter(|n| n.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(n));
    whole.map(|n| (n - 1.0) as u32)
}

/// How a written edge list is read back.
pub(super) fn as_written(graph: &GraphPolicy, written: &WriteOptions) -> ReadOptions {
    ReadOptions {
        format: written.format,
        graph: graph.edge_table(),
        delimiter: written.delimiter,
        batch_rows: Some(ROWS),
        files: written.files.clone(),
        ..ReadOptions::default()
    }
}

/// Whether the edge list of a policy has both ends.
///
/// # Errors
/// When it has not, or cannot be read.
pub(in crate::pipeline) fn check_header(policy: &Policy, graph: &GraphPolicy) -> Result<()> {
    plans(
        graph,
        &graph.path,
        &options(policy, graph),
        ReadAs::Category,
    )
    .map(drop)
}
