//! `graph microdata`: the nodes of a policy's graph as a table, edges dropped.

use super::super::place::{Pending, commit_all};
use super::super::places::check_outputs;
use super::Names;
use super::edge_file::read_edges;
use crate::data::{
    Batch, Categories, Column, ColumnPlan, Field, Kind, MISSING, ReadAs, Role, Schema,
};
use crate::engine::{Progress, Stage};
use crate::error::{Error, Result};
use crate::graph::microdata::DegreeBands;
use crate::graph::{EdgeList, Neighbours};
use crate::io::{self, ReadOptions, WriteOptions};
use crate::policy::Policy;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// The column that tells the band of a node's degree.
const DEGREE: &str = "degree";

/// What was extracted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Microdata {
    /// Records, one a node.
    pub records: u64,
    /// The columns.
    pub columns: Vec<String>,
    /// Edges that were dropped.
    pub edges: u64,
    /// The file.
    pub file: String,
}

/// Writes one record a node: the columns of the node table that neither identify nor are dropped,
/// and with `bands` the band of its degree. It is raw data, in the order of the source.
///
/// # Errors
/// When the policy has no graph, or a file cannot be read or written.
pub fn microdata(
    policy: &Policy,
    output: &Path,
    bands: Option<&DegreeBands>,
    force: bool,
    progress: &Progress,
) -> Result<Microdata> {
    let graph = policy.graph.as_ref();
    let graph = graph.ok_or_else(|| {
        Error::usage("the policy has no graph").help("microdata are extracted from a [graph]")
    })?;
    check_outputs(&[output], &policy.inputs(), force)?;
    progress.enter(Stage::Read);
    let names = Names::read(policy, graph, progress)?;
    let read = read_edges(policy, graph, &names, progress)?;
    let (edges, _) = EdgeList::new(names.len(), read.pairs, graph.directed);
    let degrees = bands.map(|bands| degrees(&names, &edges, bands));
    let options = ReadOptions {
        batch_rows: Some(1 << 16),
        ..policy.source.options.clone()
    };
    let plans = plans(policy, &options)?;
    let source = io::open_all(&policy.source.paths(), &options, &plans)?;
    let schema = schema(source.schema(), degrees.is_some())?;
    progress.enter(Stage::Write);
    let pending = Pending::new(output, &policy.files)?.private();
    let write = WriteOptions {
        guard_formulas: false,
        files: policy.files.clone(),
        ..WriteOptions::default()
    };
    let mut file = io::create(pending.temporary(), &write, &schema)?;
    let mut records = 0;
    for batch in source {
        let batch = batch?;
        let mut columns = batch.columns().to_vec();
        if let Some(degrees) = &degrees {
            let rows: Vec<u32> = (records as u32..records as u32 + batch.len() as u32).collect();
            columns.push(Column::Category(degrees.take(&rows)));
        }
        records += batch.len() as u64;
        file.write(&Batch::new(
            Arc::clone(&schema),
            batch.rows().clone(),
            columns,
        )?)?;
    }
    file.close()
        .map_err(|e| e.instead_of(pending.temporary(), output))?;
    commit_all(vec![pending], force)?;
    Ok(Microdata {
        records,
        columns: schema
            .fields()
            .iter()
            .map(|field| field.name.to_string())
            .collect(),
        edges: edges.len() as u64,
        file: output.display().to_string(),
    })
}

/// How each column is read: as it stands, or not at all.
fn plans(policy: &Policy, options: &ReadOptions) -> Result<Vec<ColumnPlan>> {
    let names = io::names(&policy.source.path, options)?;
    let plan = |name: String| {
        let role = policy
            .plan
            .column(&name)
            .map_or(Role::Drop, |column| column.role);
        let read = match role {
            Role::Identifier | Role::Subject | Role::Drop => ReadAs::Skip,
            _ => ReadAs::Plain,
        };
        ColumnPlan {
            name,
            role: Role::Plain,
            read,
        }
    };
    Ok(names.into_iter().map(plan).collect())
}

fn schema(source: &Schema, degrees: bool) -> Result<Arc<Schema>> {
    let mut fields = source.fields().to_vec();
    if degrees {
        fields.push(Field::new(
            DEGREE,
            Role::Plain,
            Kind::Category { ordered: false },
        ));
    }
    Ok(Arc::new(Schema::new(fields)?))
}

/// The band of each row's degree.
fn degrees(names: &Names, edges: &EdgeList, bands: &DegreeBands) -> Categories {
    let neighbours = Neighbours::of(edges);
    let mut texts = vec![MISSING; names.len() as usize];
    for place in 0..names.len() {
        if let Some(row) = names.row(u64::from(place)) {
            texts[row as usize] = neighbours.degree(place);
        }
    }
    texts
        .into_iter()
        .map(|degree| Some(bands.text(degree)))
        .collect()
}
