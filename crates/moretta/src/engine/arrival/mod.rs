//! Rows of a stream on their way from its sources to whoever decides them: those ahead of the
//! clock are turned away, and where rows wait, they go on in the order of their times.

mod cells;
mod refused;
mod reorder;

pub(crate) use cells::Columns;
pub(crate) use refused::Refused;
pub(crate) use reorder::{Ordered, Reorder, SOURCE_SHIFT};

use super::context::Clock;
use super::plan::Plan;
use crate::data::hierarchy::Ladder;
use crate::data::{Batch, Role, Schema, TimeFormat, times};
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Takes rows of the sources of a stream.
pub(crate) struct Arrival {
    columns: Columns,
    /// None where rows have no time, or nobody asks for it.
    time: Option<EventTime>,
    reorder: Option<Reorder>,
    clock: Clock,
    /// Milliseconds that a row may be ahead of the clock; none where nobody looks.
    skew: Option<i64>,
    /// The rows that were ahead of the clock.
    pub(crate) refused: Refused,
    ended: Vec<bool>,
}

/// Rows that go on.
pub(crate) struct Arrived {
    pub(crate) batch: Batch,
    /// Milliseconds since 1970 of each row; empty where rows have no time.
    pub(crate) times: Vec<i64>,
    /// None where rows do not wait.
    pub(crate) waited: Option<Waited>,
    /// Rows that were turned away.
    pub(crate) turned_away: Vec<u64>,
}

/// How rows have waited.
pub(crate) struct Waited {
    /// Whether each row came too late.
    pub(crate) late: Vec<bool>,
    /// How far its source has come since each row came, in milliseconds.
    pub(crate) delays: Vec<i64>,
}

/// How rows come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coming {
    /// For the first time.
    Live,
    /// After a restart; they were decided before.
    Again,
}

/// The time of an event.
#[derive(Clone, Debug)]
pub(crate) struct EventTime {
    /// The place of its column.
    pub(crate) place: usize,
    /// How it is written; guessed from the first row where nobody says.
    pub(crate) format: Option<TimeFormat>,
}

impl EventTime {
    /// The time of events with these columns, if they have one.
    pub(crate) fn find(plan: &Plan, schema: &Schema) -> Option<Self> {
        let place = *schema.with_role(Role::Time).first()?;
        let column = plan.column(&schema.fields()[place].name);
        Some(EventTime {
            place,
            format: column.and_then(|column| column.unit),
        })
    }

    /// Milliseconds since 1970 of each row.
    pub(crate) fn of(&mut self, batch: &Batch) -> Result<Vec<i64>> {
        times(batch, self.place, &mut self.format)
    }
}

impl Arrival {
    /// For rows of so many sources, all with these columns.
    pub(crate) fn new(
        plan: &Plan,
        read: &Schema,
        ladders: &HashMap<String, Ladder>,
        sources: usize,
        clock: Clock,
    ) -> Result<Self> {
        let columns = Columns::new(plan, read, ladders)?;
        let schema = columns.schema();
        let time = EventTime::find(plan, schema).filter(|_| plan.merges_sources());
        let lateness = match plan.stream() {
            None => plan.lateness(),
            Some(config) => config.waits(sources),
        };
        let reorder = time.as_ref().and(lateness).map(|lateness| {
            let subject = schema.with_role(Role::Subject).first().copied();
            Reorder::new(subject, lateness, sources)
        });
        Ok(Arrival {
            columns,
            time,
            reorder,
            clock,
            skew: plan.stream().map(|config| config.skew),
            refused: Refused::default(),
            ended: vec![false; sources],
        })
    }

    /// The columns of the rows that go on.
    pub(crate) fn schema(&self) -> &Arc<Schema> {
        self.columns.schema()
    }

    /// Whether rows wait for others.
    pub(crate) fn waits(&self) -> bool {
        self.reorder.is_some()
    }

    /// The source to read from next; none when all have ended. It is a function of the rows
    /// that have come.
    pub(crate) fn next_source(&self) -> Option<usize> {
        match &self.reorder {
            Some(reorder) => reorder.furthest_behind(),
            None => self.ended.iter().position(|ended| !ended),
        }
    }

    /// The rows with the columns that they go on with, and their times.
    pub(crate) fn look(&mut self, rows: &Batch) -> Result<Looked> {
        let batch = self.columns.of(rows)?;
        let times = match &mut self.time {
            None => Ok(Vec::new()),
            Some(time) => time.of(&batch),
        };
        match (times, &mut self.time) {
            (Err(flaw), Some(time)) => {
                let batch = batch.slice(0, readable(time, &batch));
                Ok(Looked {
                    times: time.of(&batch)?,
                    batch,
                    flaw: Some(flaw),
                })
            }
            (times, _) => Ok(Looked {
                times: times?,
                batch,
                flaw: None,
            }),
        }
    }

    /// Takes rows that were looked at; gives those that go on.
    pub(crate) fn push(&mut self, rows: Looked, coming: Coming) -> Result<Arrived> {
        let (batch, times, turned_away) = self.turn_away(rows, coming)?;
        let Some(reorder) = &mut self.reorder else {
            return Ok(Arrived {
                batch,
                times,
                waited: None,
                turned_away,
            });
        };
        let ordered = reorder.push(batch, &times)?;
        self.arrived(ordered, turned_away)
    }

    /// A source has ended; gives what nobody waits for any more.
    pub(crate) fn end(&mut self, source: usize) -> Result<Arrived> {
        self.ended[source] = true;
        let ordered = match &mut self.reorder {
            None => None,
            Some(reorder) => reorder.end(source)?,
        };
        self.arrived(ordered, Vec::new())
    }

    fn arrived(&self, ordered: Option<Ordered>, turned_away: Vec<u64>) -> Result<Arrived> {
        let empty = || Batch::empty(Arc::clone(self.schema()));
        Ok(match ordered {
            None => Arrived {
                batch: empty(),
                times: Vec::new(),
                waited: None,
                turned_away,
            },
            Some(ordered) => Arrived {
                batch: ordered.batch,
                times: ordered.times,
                waited: Some(Waited {
                    late: ordered.late,
                    delays: ordered.delays,
                }),
                turned_away,
            },
        })
    }

    /// The rows that are not ahead of the clock, or were not when they came first, their times,
    /// and the others.
    fn turn_away(&mut self, rows: Looked, coming: Coming) -> Result<(Batch, Vec<i64>, Vec<u64>)> {
        let Looked { batch, times, .. } = rows;
        let Some(skew) = self.skew else {
            return Ok((batch, times, Vec::new()));
        };
        let latest = self.clock.now().saturating_add(skew);
        let ids = batch.rows();
        let is_refused = |row: usize| match coming {
            Coming::Live => times[row] > latest,
            Coming::Again => self.refused.holds(ids.get(row)),
        };
        if !(0..batch.len()).any(is_refused) {
            return Ok((batch, times, Vec::new()));
        }
        let (gone, kept): (Vec<u32>, Vec<u32>) =
            (0..batch.len() as u32).partition(|&row| is_refused(row as usize));
        let gone: Vec<u64> = gone.iter().map(|&row| ids.get(row as usize)).collect();
        if coming == Coming::Live {
            gone.iter().for_each(|&id| self.refused.add(id));
        }
        let times = kept.iter().map(|&row| times[row as usize]).collect();
        Ok((batch.take(&kept)?, times, gone))
    }

    /// Goes on after a restart: rows of one source were read up to the time `read`, and two
    /// users had reached another one.
    pub(crate) fn resume(&mut self, read: i64, reached: Option<i64>) {
        if let Some(reorder) = &mut self.reorder {
            reorder.resume(read, reached);
        }
    }

    /// The latest time that was read, where rows wait.
    pub(crate) fn read(&self) -> Option<i64> {
        let read = self.reorder.as_ref().map(Reorder::latest);
        read.filter(|&read| read > i64::MIN)
    }

    /// The latest time that two users of the first source have reached, where rows wait.
    pub(crate) fn reached(&self) -> Option<i64> {
        self.reorder.as_ref().and_then(Reorder::reached)
    }

    /// The times of the rows that wait.
    pub(crate) fn waiting_times(&self) -> impl Iterator<Item = i64> + '_ {
        self.reorder.iter().flat_map(Reorder::waiting_times)
    }
}

/// Rows whose times were read.
pub(crate) struct Looked {
    pub(crate) batch: Batch,
    /// Milliseconds since 1970 of each row; empty where rows have no time.
    pub(crate) times: Vec<i64>,
    /// What was wrong with the row after the last of these.
    pub(crate) flaw: Option<Error>,
}

/// How many rows come before the first one whose time cannot be read.
fn readable(time: &mut EventTime, batch: &Batch) -> usize {
    let (mut good, mut bad) = (0, batch.len() + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match time.of(&batch.slice(0, middle)) {
            Ok(_) => good = middle,
            Err(_) => bad = middle,
        }
    }
    good
}
