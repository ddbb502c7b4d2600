//! From rows that were read to rows that may leave.

use super::checkpoint::Mark;
use super::outputs::pseudonyms;
use super::refused::Refused;
use super::reorder::{Ordered, Reorder};
use super::watch::{Looked, Watch};
use crate::data::hierarchy::Ladder;
use crate::data::{Batch, Role, Schema, TimeFormat, times};
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::protect::Operator;
use crate::protect::z_anonymity::{
    Known, Mode, Stream, Update, ZAnonymity, greatest_common_divisor,
};
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
    /// Milliseconds since 1970 by the clock of this machine.
    pub(super) clock: Box<dyn Fn() -> i64>,
    skew: i64,
    /// The rows that were ahead of the clock.
    pub(super) refused: Refused,
    /// Those of them that nobody has asked for yet.
    turned_away: Vec<u64>,
    /// The place of the time and how it is written.
    time: usize,
    format: Option<TimeFormat>,
}

/// How rows come to the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coming {
    /// For the first time.
    Live,
    /// After a restart; they were decided before.
    Again,
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
            .plan
            .column(&schema.fields()[time].name)
            .and_then(|column| column.unit);
        let lateness = match config.mode {
            Mode::Exact => config.lateness,
            Mode::ZeroDelay => 0,
        };
        let (rotation, _) = pseudonyms(policy, schema, time, format)?;
        let waits = config.mode == Mode::Exact || sources > 1;
        let mut stream = Stream::new(config, schema, ladder, format, SHARDS)?;
        if let Some(key) = policy.fakes_key()? {
            stream = stream.with_fakes_key(key);
        }
        Ok(Flow {
            reorder: waits.then(|| Reorder::new((time, subject), format, lateness, sources)),
            stream,
            watch: Watch::new(policy, config, schema, ladder, rotation, measured),
            clock: Box::new(now),
            skew: config.skew,
            refused: Refused::default(),
            turned_away: Vec::new(),
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

    /// Goes on after a restart from where the rows up to a mark had been read.
    pub(super) fn resume(&mut self, mark: &Mark, first: Option<i64>, updates: &[Update]) {
        let known = Known {
            first,
            ..mark.known
        };
        self.stream.resume(&known, updates, mark.rows);
        if let (Some(reorder), Some(read)) = (&mut self.reorder, mark.read) {
            reorder.resume(read, mark.reached);
        }
    }

    /// What a restart must know besides the rows after the first `rows`.
    pub(super) fn mark(&self, rows: u64) -> Mark {
        let mut known = self.stream.known();
        let reorder = self.reorder.as_ref();
        if let Some(tick) = &mut known.tick {
            // Rows that wait will tell the clock before those that are read after them.
            let waiting = reorder.into_iter().flat_map(Reorder::waiting_times);
            *tick = waiting.fold(*tick, greatest_common_divisor);
        }
        let read = reorder.map(Reorder::latest);
        Mark {
            rows,
            read: read.filter(|&read| read > i64::MIN),
            reached: reorder.and_then(Reorder::reached),
            known,
        }
    }

    /// The latest time that was read.
    pub(super) fn latest(&self) -> Option<i64> {
        let read = self.reorder.as_ref().map(Reorder::latest);
        read.filter(|&read| read > i64::MIN)
            .max(self.stream.known().newest)
    }

    /// The latest time that two users have reached, of rows that were decided.
    pub(super) fn decided(&self) -> Option<i64> {
        self.stream.known().reached
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
    pub(super) fn push(&mut self, batch: Batch, coming: Coming) -> Result<Option<Batch>> {
        let batch = self.turn_away(batch, coming)?;
        match &mut self.reorder {
            None => self.decide(batch, None).map(Some),
            Some(reorder) => {
                let ordered = reorder.push(batch)?;
                self.decide_ordered(ordered)
            }
        }
    }

    /// The rows that were turned away since this was last asked.
    pub(super) fn take_turned_away(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.turned_away)
    }

    /// The rows that are not ahead of the clock, or were not when they came first.
    fn turn_away(&mut self, batch: Batch, coming: Coming) -> Result<Batch> {
        let latest = (self.clock)().saturating_add(self.skew);
        let times = times(&batch, self.time, &mut self.format)?;
        let ids = batch.rows();
        let is_refused = |row: usize| match coming {
            Coming::Live => times[row] > latest,
            Coming::Again => self.refused.holds(ids.get(row)),
        };
        let kept = (0..batch.len()).filter(|&row| !is_refused(row));
        let kept: Vec<u32> = kept.map(|row| row as u32).collect();
        if kept.len() == batch.len() {
            return Ok(batch);
        }
        if coming == Coming::Live {
            for row in (0..batch.len()).filter(|&row| times[row] > latest) {
                self.refused.add(ids.get(row));
                self.turned_away.push(ids.get(row));
            }
        }
        self.stream.count_future((batch.len() - kept.len()) as u64);
        batch.take(&kept)
    }

    /// A source has ended; gives what nobody waits for any more.
    pub(super) fn end(&mut self, source: usize) -> Result<Option<Batch>> {
        match &mut self.reorder {
            None => Ok(None),
            Some(reorder) => {
                let ordered = reorder.end(source)?;
                self.decide_ordered(ordered)
            }
        }
    }

    /// All sources have ended; gives what is left.
    pub(super) fn finish(&mut self) -> Result<Batch> {
        let left = self.stream.finish()?;
        self.watch.finish(&self.stream, &left)?;
        Ok(left)
    }

    fn decide_ordered(&mut self, ordered: Option<Ordered>) -> Result<Option<Batch>> {
        let Some(Ordered {
            batch,
            late,
            delays,
        }) = ordered
        else {
            return Ok(None);
        };
        self.stream.mark_late(late);
        self.decide(batch, Some(delays)).map(Some)
    }

    /// Decides rows; what may leave of them is counted again and measured first.
    fn decide(&mut self, batch: Batch, delays: Option<Vec<i64>>) -> Result<Batch> {
        let released = self.stream.push(batch.clone())?;
        self.watch.look(Looked {
            stream: &self.stream,
            batch: &batch,
            released: &released,
            delays,
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
