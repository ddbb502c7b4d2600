//! Where masked rows go: a file that appears when all is well, or standard output at once.

use super::masks::Crowd;
use crate::data::{Batch, Role, Schema};
use crate::error::Result;
use crate::guarantee::CrowdChecker;
use crate::io::{self, ColumnPlan, ReadAs, ReadOptions, Sink};
use crate::pipeline::judge::reading;
use crate::pipeline::place::Pending;
use crate::pipeline::run::without_dropped;
use crate::policy::{Policy, SinkPolicy};
use std::path::Path;
use std::sync::Arc;

/// Rows that are counted again at a time.
const CHUNK: usize = 1 << 16;

/// A release on its way.
pub(super) struct Output<'a> {
    policy: &'a Policy,
    sink: &'a SinkPolicy,
    /// The file aside; none where rows leave at once.
    pending: Option<Pending>,
    file: Box<dyn Sink>,
    /// Which records must look alike, and the checkers of those that leave at once.
    crowds: &'a [Crowd],
    leaving: Vec<CrowdChecker>,
}

impl<'a> Output<'a> {
    /// Rows for standard output leave at once.
    pub(super) fn open(
        policy: &'a Policy,
        sink: &'a SinkPolicy,
        schema: &Arc<Schema>,
        crowds: &'a [Crowd],
    ) -> Result<Self> {
        let at_once = sink.path == Path::new("-");
        let pending = match at_once {
            true => None,
            false => Some(Pending::new(&sink.path)?),
        };
        let path = pending.as_ref().map_or(&*sink.path, Pending::temporary);
        let released = without_dropped(policy, Batch::empty(Arc::clone(schema)))?;
        Ok(Output {
            policy,
            sink,
            file: io::create(path, &sink.options, released.schema())?,
            leaving: match at_once {
                true => crowds.iter().map(Crowd::checker).collect(),
                false => Vec::new(),
            },
            pending,
            crowds,
        })
    }

    /// Writes rows; those that leave at once are counted first.
    pub(super) fn write(&mut self, batch: Batch) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        for (checker, crowd) in self.leaving.iter_mut().zip(self.crowds) {
            checker.observe(&batch, &crowd.places(batch.schema())?)?;
        }
        self.file.write(&without_dropped(self.policy, batch)?)?;
        match self.pending.is_none() {
            true => self.file.flush(),
            false => Ok(()),
        }
    }

    /// Ends the release and counts it again from its file; gives the smallest of each crowd.
    pub(super) fn close(&mut self) -> Result<Vec<Option<u64>>> {
        self.file.close()?;
        match &self.pending {
            Some(pending) => {
                let crowds = self.crowds.iter();
                crowds
                    .map(|crowd| self.recount(pending.temporary(), crowd))
                    .collect()
            }
            None => {
                let checkers = std::mem::take(&mut self.leaving).into_iter();
                checkers.map(CrowdChecker::finish).collect()
            }
        }
    }

    fn recount(&self, path: &Path, crowd: &Crowd) -> Result<Option<u64>> {
        let options = ReadOptions {
            batch_rows: Some(CHUNK),
            ..reading(self.policy, self.sink)
        };
        let names = io::names(path, &options)?;
        let plan = |name: String| ColumnPlan {
            read: match crowd.columns.contains(&name) {
                true => ReadAs::Category,
                false => ReadAs::Skip,
            },
            role: Role::Quasi,
            name,
        };
        let plans: Vec<ColumnPlan> = names.into_iter().map(plan).collect();
        let source = io::open(path, &options, &plans)?;
        let places = crowd.places(source.schema())?;
        let mut checker = crowd.checker();
        for batch in source {
            checker.observe(&batch?, &places)?;
        }
        checker.finish()
    }

    /// Cells escaped against formulas.
    pub(super) fn escaped(&self) -> u64 {
        self.file.escaped()
    }

    /// Where the file lies now.
    pub(super) fn path(&self) -> &Path {
        self.pending
            .as_ref()
            .map_or(&self.sink.path, Pending::temporary)
    }

    /// The file aside, to be put in place.
    pub(super) fn into_pending(self) -> Option<Pending> {
        self.pending
    }
}
