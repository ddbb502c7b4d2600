//! The sources of a run: opened, and checked against each other.

use super::ahead::Input;
use super::memory;
use super::no_rows::Filled;
use crate::data::{ColumnPlan, Kind, ReadAs, Role, Schema};
use crate::engine::{Progress, Stage};
use crate::error::{Error, Result};
use crate::io::{self, ReadOptions, Source};
use crate::policy::Policy;
use std::path::Path;
use std::sync::Arc;

/// The sources of a run, all with the same columns.
pub(super) struct Inputs {
    pub(super) sources: Vec<Input>,
    pub(super) schema: Arc<Schema>,
}

impl Inputs {
    /// Opens the sources: a table is read as fast as it goes and its files one after the other,
    /// a stream as it comes. Files that are merged by time are sources of their own.
    pub(super) fn open(policy: &Policy, progress: &Progress) -> Result<Self> {
        let mut options = policy.source.options.clone();
        options.progress = Some(progress.counter());
        let is_stream = policy.plan.is_stream();
        match is_stream {
            true => {
                options.stream = true;
                progress.enter(Stage::Protect);
            }
            false => {
                options.limits.needs = memory::needs(policy);
                progress.enter(Stage::Read);
            }
        }
        let sources = open_sources(policy, &options)?;
        Ok(Inputs {
            schema: Arc::clone(sources[0].schema()),
            sources: match is_stream {
                true => sources.into_iter().map(Input::new).collect(),
                false => sources.into_iter().map(Input::Here).collect(),
            },
        })
    }
}

/// Opens the files of a policy, which are one source unless they are merged by time.
pub(super) fn open_sources(policy: &Policy, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
    let plans = policy.plan.column_plans()?;
    let paths = policy.source.paths();
    if !policy.plan.merges_sources() {
        let source = io::open_all(&paths, options, &plans)?;
        // Of events that come as they happen there may be none yet.
        let may_be_empty = policy.plan.is_stream() && policy.source.path == Path::new("-");
        return Ok(vec![match may_be_empty {
            true => source,
            false => Box::new(Filled::new(source, &policy.source.path, policy)),
        }]);
    }
    let sources = paths.iter().map(|path| io::open(path, options, &plans));
    let sources = sources.collect::<Result<Vec<_>>>()?;
    check_names(&sources)?;
    Ok(sources)
}

/// Opens the node table of a graph, of which the column `node` alone is read.
pub(super) fn node_table(
    policy: &Policy,
    node: &str,
    progress: &Progress,
) -> Result<Box<dyn Source>> {
    let options = ReadOptions {
        batch_rows: Some(1 << 18),
        progress: Some(progress.counter()),
        ..policy.source.options.clone()
    };
    let names = io::names(&policy.source.path, &options)?;
    let plan = |name: String| ColumnPlan {
        role: Role::Identifier,
        read: match name == node {
            true => ReadAs::Category,
            false => ReadAs::Skip,
        },
        name,
    };
    let plans: Vec<ColumnPlan> = names.into_iter().map(plan).collect();
    io::open_all(&policy.source.paths(), &options, &plans)
}

/// Rows that are merged have the same columns.
fn check_names(sources: &[Box<dyn Source>]) -> Result<()> {
    let names = |source: &dyn Source| -> Vec<String> {
        let fields = source.schema().fields().iter();
        fields.map(|field| field.name.to_string()).collect()
    };
    let first = names(&*sources[0]);
    if sources.iter().any(|other| names(&**other) != first) {
        return Err(Error::input("the sources have different columns")
            .help("give all of them the same columns in the same order"));
    }
    let kinds = |source: &dyn Source| -> Vec<Kind> {
        let fields = source.schema().fields().iter();
        let kind = |kind: &Kind| match kind {
            Kind::Number { .. } => Kind::Number { integer: false },
            kind => kind.clone(),
        };
        fields.map(|field| kind(&field.kind)).collect()
    };
    let first_kinds = kinds(&*sources[0]);
    for source in &sources[1..] {
        let mut pairs = kinds(&**source).into_iter().zip(&first_kinds);
        if let Some(place) = pairs.position(|(other, first)| other != *first) {
            return Err(
                Error::input("the sources write its cells in different ways")
                    .in_column(&*first[place])
                    .help("give all of them one format, and the column a type"),
            );
        }
    }
    Ok(())
}
