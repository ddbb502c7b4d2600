//! The sources of a run: opened, checked against each other, and read where rows are wanted.

use super::ahead::Input;
use super::memory;
use crate::data::{Batch, Schema};
use crate::engine::{Progress, Stage};
use crate::error::{Error, Result};
use crate::io::{self, Source};
use crate::policy::Policy;
use std::sync::Arc;

/// The sources of a run.
pub(super) struct Inputs {
    sources: Vec<Input>,
    /// Rows of each source that were read and are not wanted yet.
    left: Vec<Option<Batch>>,
    schema: Arc<Schema>,
}

impl Inputs {
    /// Opens the sources: a table is read as fast as it goes and its files one after the other,
    /// a stream as it comes. Files that are merged by time are sources of their own.
    pub(super) fn open(policy: &Policy, progress: &Progress) -> Result<Self> {
        let mut options = policy.source.options.clone();
        options.progress = Some(progress.counter());
        let plans = policy.plan.column_plans()?;
        let paths = policy.source.paths();
        let sources = match policy.plan.is_stream() {
            false => {
                options.limits.needs = memory::needs(policy);
                progress.enter(Stage::Read);
                vec![Input::Here(io::open_all(&paths, &options, &plans)?)]
            }
            true => {
                options.stream = true;
                progress.enter(Stage::Protect);
                match policy.plan.merges_sources() {
                    false => vec![Input::new(io::open_all(&paths, &options, &plans)?)],
                    true => {
                        let sources = paths.iter().map(|path| io::open(path, &options, &plans));
                        apart(sources.collect::<Result<_>>()?)?
                    }
                }
            }
        };
        Ok(Inputs {
            schema: Arc::clone(sources[0].schema()),
            left: vec![None; sources.len()],
            sources,
        })
    }

    /// The columns of the rows.
    pub(super) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many sources there are.
    pub(super) fn len(&self) -> usize {
        self.sources.len()
    }

    /// At most so many of the next rows of a source; none when it has ended.
    pub(super) fn next(&mut self, source: usize, most: u64) -> Result<Option<Batch>> {
        let batch = match self.left[source].take() {
            Some(batch) => batch,
            None => match self.sources[source].next()? {
                Some(batch) => batch,
                None => return Ok(None),
            },
        };
        let rows = usize::try_from(most).map_or(batch.len(), |most| most.min(batch.len()));
        if rows == batch.len() {
            return Ok(Some(batch));
        }
        self.left[source] = Some(batch.slice(rows, batch.len() - rows));
        Ok(Some(batch.slice(0, rows)))
    }

    /// What was odd about the rows.
    pub(super) fn notes(&self) -> Vec<String> {
        let sources = self.sources.iter();
        let mut notes: Vec<String> = sources.flat_map(|s| s.notes()).collect();
        notes.dedup();
        notes
    }
}

/// Sources of which each is read when its rows are wanted.
fn apart(sources: Vec<Box<dyn Source>>) -> Result<Vec<Input>> {
    let names = |source: &dyn Source| -> Vec<String> {
        let fields = source.schema().fields().iter();
        fields.map(|field| field.name.to_string()).collect()
    };
    let first = names(&*sources[0]);
    if sources.iter().any(|other| names(&**other) != first) {
        return Err(Error::input("the sources have different columns")
            .help("give all of them the same columns in the same order"));
    }
    Ok(sources.into_iter().map(Input::new).collect())
}
