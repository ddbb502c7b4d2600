//! GraphML: the nodes of a graph with their attributes, and its edges.
//!
//! A file holds two tables, and [`GraphTable`](super::GraphTable) says which one is read. Nodes have a column for each
//! `key` of nodes with a name, in the order of the file, and where that is asked for one of their ids;
//! `default` of a key is the value of nodes without one. Edges have a column for each end. Data of
//! edges, keys without a name (drawings of yEd) and ports are not read; hyperedges and graphs within
//! nodes are refused. Ids are texts.
//!
//! The rows go on as JSON lines, so that types, limits and missing values are those of a format that is
//! there already; places in errors are those of the file.

mod lines;
mod read;
mod write;
mod xml;

pub use write::append_edges;

use self::lines::{LineTable, Located};
use self::read::{Graph, Rows};
use self::write::GraphMlSink;
use super::Source;
use super::file_format::FileFormat;
use super::input::Input;
use super::jsonl;
use super::options::{ColumnPlan, ReadOptions};
use super::text::BLOCK_BYTES;
use moretta_data::error::Result;
use std::path::Path;
use std::sync::{Arc, Mutex};

pub(super) const FORMAT: FileFormat = FileFormat {
    names,
    open,
    create: |output, options, schema| {
        Ok(Box::new(GraphMlSink::new(output, &options.graph, schema)?))
    },
    resume: None,
    is_text: true,
    marks_missing: true,
    is_packed_whole: true,
    header_warning: None,
};

fn names(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    Ok(Graph::open(path, options)?.names)
}

/// Opens one of the tables for reading.
fn open(path: &Path, options: &ReadOptions, plans: &[ColumnPlan]) -> Result<Box<dyn Source>> {
    let graph = Graph::open(path, options)?;
    let lines = Arc::new(Mutex::new(LineTable::default()));
    let options = ReadOptions {
        names: graph.names.clone(),
        ..options.clone()
    };
    let rows = Rows::new(graph, Arc::clone(&lines));
    let input = Input::converted(path, Box::new(rows));
    let source = jsonl::open(input, &options, plans, BLOCK_BYTES);
    match source {
        Ok(source) => Ok(Box::new(Located { source, lines })),
        Err(error) => Err(lines::located(error, &lines)),
    }
}

#[cfg(test)]
mod tests;
