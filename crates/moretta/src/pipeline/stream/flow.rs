//! From rows that were read to rows that may leave.

use super::outputs::pseudonyms;
use super::reorder::{Ordered, Reorder};
use super::watch::{Looked, Watch};
use crate::data::hierarchy::Ladder;
use crate::data::{Batch, Role, Schema, TimeFormat, times};
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::protect::Protector;
use crate::protect::z_anonymity::{Mode, Stream, ZAnonymity};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Shards of users to count on. Counters of shards add up exactly, but each shard
/// walks all rows; on two cores reading ahead pays more, and both together pay less.
const SHARDS: usize = 1;

/// The stages between reading and writing.
pub(super) struct Flow {
    reorder: Option<Reorder>,
    pub(super) stream: Stream,
    pub(super) watch: Watch,
    skew: i64,
    /// The place of the time and how it is written.
    time: usize,
    format: Option<TimeFormat>,
}

impl Flow {
    pub(super) fn new(
        policy: &Policy,
        config: &ZAnonymity,
        schema: &Arc<Schema>,
        ladders: &HashMap<String, Ladder>,
        sources: usize,
        measured: bool,
    ) -> Result<Self> {
        let ladder = |name: &str| ladders.get(name).cloned().unwrap_or_else(Ladder::flat);
        let time = *schema.with_role(Role::Time).first().ok_or_else(|| {
            Error::policy("a stream needs a column with the role time")
                .help("for example t = { role = \"time\" }")
        })?;
        let subject = *schema.with_role(Role::Subject).first().ok_or_else(|| {
            Error::policy("a stream needs a column with the role subject")
                .help("for example user = { role = \"subject\" }")
        })?;
        let format = policy
            .column(&schema.fields()[time].name)
            .and_then(|column| column.unit);
        let lateness = match config.mode {
            Mode::Exact => config.lateness,
            Mode::ZeroDelay => 0,
        };
        let (rotation, _) = pseudonyms(policy, schema, time, format)?;
        let waits = config.mode == Mode::Exact || sources > 1;
        Ok(Flow {
            reorder: waits.then(|| Reorder::new((time, subject), format, lateness, sources)),
            stream: Stream::new(config, schema, ladder, format, SHARDS)?,
            watch: Watch::new(policy, config, schema, ladder, rotation, measured),
            skew: config.skew,
            time,
            format,
        })
    }

    /// The columns of what leaves.
    pub(super) fn schema(&self) -> &Arc<Schema> {
        self.stream.schema()
    }

    /// The source to read from next; none when all have ended.
    pub(super) fn next_source(&self, ended: bool) -> Option<usize> {
        match &self.reorder {
            Some(reorder) => reorder.furthest_behind(),
            None => (!ended).then_some(0),
        }
    }

    /// The latest time that was read.
    pub(super) fn latest(&self) -> i64 {
        let decided = self.stream.span().map_or(i64::MIN, |(_, latest)| latest);
        let read = self.reorder.as_ref().map_or(i64::MIN, Reorder::latest);
        decided.max(read)
    }

    /// The latest time that two users have reached, of rows that were decided.
    pub(super) fn reached(&self) -> i64 {
        self.stream.reached()
    }

    /// The time of the last row.
    pub(super) fn last_time(&mut self, batch: &Batch) -> Option<i64> {
        let last = batch.slice(batch.len().saturating_sub(1), batch.len().min(1));
        let times = times(&last, self.time, &mut self.format).ok()?;
        times.first().copied()
    }

    /// How many rows come before the first one whose time cannot be read.
    pub(super) fn readable(&mut self, batch: &Batch) -> usize {
        let (mut good, mut bad) = (0, batch.len() + 1);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            match times(&batch.slice(0, middle), self.time, &mut self.format) {
                Ok(_) => good = middle,
                Err(_) => bad = middle,
            }
        }
        good
    }

    /// Takes rows that were read; gives those that may leave.
    pub(super) fn push(&mut self, batch: Batch) -> Result<Option<Batch>> {
        let now = now();
        match &mut self.reorder {
            None => self.decide(batch, None, now).map(Some),
            Some(reorder) => {
                let ordered = reorder.push(batch, now.saturating_add(self.skew))?;
                self.decide_ordered(ordered, now)
            }
        }
    }

    /// A source has ended; gives what nobody waits for any more.
    pub(super) fn end(&mut self, source: usize) -> Result<Option<Batch>> {
        match &mut self.reorder {
            None => Ok(None),
            Some(reorder) => {
                let ordered = reorder.end(source)?;
                self.decide_ordered(ordered, now())
            }
        }
    }

    /// All sources have ended; gives what is left.
    pub(super) fn finish(&mut self) -> Result<Batch> {
        let left = self.stream.finish()?;
        self.watch.finish(&self.stream, &left)?;
        Ok(left)
    }

    fn decide_ordered(&mut self, ordered: Option<Ordered>, now: i64) -> Result<Option<Batch>> {
        let Some(Ordered {
            batch,
            late,
            newest,
        }) = ordered
        else {
            return Ok(None);
        };
        self.stream.mark_late(late);
        self.decide(batch, Some(newest), now).map(Some)
    }

    /// Decides rows; what may leave of them is counted again and measured first.
    fn decide(&mut self, batch: Batch, newest: Option<Vec<i64>>, now: i64) -> Result<Batch> {
        self.stream.set_clock(now);
        let released = self.stream.protect(batch.clone())?;
        self.watch.look(Looked {
            stream: &self.stream,
            batch: &batch,
            released: &released,
            newest,
            latest: now.saturating_add(self.skew),
        })?;
        Ok(released)
    }
}

/// Milliseconds since 1970 by the clock of this machine.
fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}
