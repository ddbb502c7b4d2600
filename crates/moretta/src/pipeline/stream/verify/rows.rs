//! The rows of the source as they were decided, and those of the release, one after the other.

use super::originals::Originals;
use crate::data::{Batch, Categories, Column, TimeFormat, times};
use crate::engine::Progress;
use crate::engine::arrival::Reorder;
use crate::engine::columns::rotation;
use crate::error::Result;
use crate::io::Source;
use crate::policy::Policy;
use crate::protect::rotation::Rotation;
use crate::protect::z_anonymity::{Mode, ZAnonymity};
use arrow_array::{Array, StringArray};
use std::collections::HashSet;
use std::sync::Arc;

/// Where the columns are that matter.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) time: usize,
    pub(super) subject: Option<usize>,
    pub(super) attributes: Vec<usize>,
    pub(super) group: Option<usize>,
}

/// Rows with what matters of them at hand.
pub(super) struct Rows {
    batch: Batch,
    times: Vec<i64>,
    places: Places,
    /// The subjects as they are released.
    shown: Option<Column>,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.batch.len()
    }

    pub(super) fn id(&self, row: usize) -> u64 {
        self.batch.rows().get(row)
    }

    pub(super) fn time(&self, row: usize) -> i64 {
        self.times[row]
    }

    /// The time as it is written, when it is a text.
    pub(super) fn time_text(&self, row: usize) -> Option<&str> {
        match self.batch.column(self.places.time) {
            Column::Plain(array) => {
                let texts = array.as_any().downcast_ref::<StringArray>()?;
                texts.is_valid(row).then(|| texts.value(row))
            }
            _ => None,
        }
    }

    pub(super) fn subject(&self, row: usize) -> Option<&str> {
        text(self.batch.column(self.places.subject?), row)
    }

    /// The subject as it is released.
    pub(super) fn shown_subject(&self, row: usize) -> Option<&str> {
        match &self.shown {
            Some(column) => text(column, row),
            None => self.subject(row),
        }
    }

    pub(super) fn group(&self, row: usize) -> Option<&str> {
        text(self.batch.column(self.places.group?), row)
    }

    pub(super) fn value(&self, row: usize, attribute: usize) -> Option<&str> {
        text(self.batch.column(self.places.attributes[attribute]), row)
    }
}

fn text(column: &Column, row: usize) -> Option<&str> {
    column
        .as_categories()
        .and_then(|column: &Categories| column.get(row))
}

/// The rows of the source in the order in which they were decided.
pub(super) struct Decided {
    sources: Originals,
    reorder: Option<Reorder>,
    ended: bool,
    rotation: Option<Rotation>,
    places: Places,
    format: Option<TimeFormat>,
    /// Rows that were ahead of the clock.
    turned_away: HashSet<u64>,
    /// Whether rows came behind the watermark.
    has_late: bool,
    /// Whether subjects are released as they are counted, as where rows are made up.
    folds: bool,
}

/// When the rows of the source are taken to have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// As they are read.
    AsRead,
    /// Before they were late, in any case.
    AnyTime,
}

impl Decided {
    pub(super) fn new(
        policy: &Policy,
        config: &ZAnonymity,
        sources: Originals,
        places: Places,
        arrival: Arrival,
    ) -> Result<Self> {
        let schema = sources.schema();
        let format = policy
            .plan
            .column(&schema.fields()[places.time].name)
            .and_then(|column| column.unit);
        let lateness = match (arrival, config.mode) {
            (Arrival::AnyTime, _) => i64::MAX,
            (_, Mode::Exact) => config.lateness,
            (_, Mode::ZeroDelay) => 0,
        };
        let keys = policy.context(&Progress::default())?.keys;
        let waits = config.waits(sources.len());
        Ok(Decided {
            reorder: waits.map(|_| Reorder::new(places.subject, lateness, sources.len())),
            rotation: rotation(&policy.plan, &keys, schema)?,
            sources,
            ended: false,
            places,
            format,
            turned_away: HashSet::new(),
            has_late: false,
            folds: config.fakes.is_some(),
        })
    }

    /// Leaves rows out that were ahead of the clock.
    pub(super) fn without(mut self, turned_away: HashSet<u64>) -> Self {
        self.turned_away = turned_away;
        self
    }

    /// Whether rows came behind the watermark so far.
    pub(super) fn has_late(&self) -> bool {
        self.has_late
    }

    /// The next rows; none when all have been decided.
    pub(super) fn next(&mut self) -> Result<Option<Rows>> {
        while let Some(batch) = self.next_batch()? {
            if !batch.is_empty() {
                return self.rows(batch).map(Some);
            }
        }
        Ok(None)
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            let next = match &self.reorder {
                Some(reorder) => reorder.furthest_behind(),
                None => (!self.ended).then_some(0),
            };
            let Some(source) = next else {
                return Ok(None);
            };
            let batch = self.sources.next(source)?;
            self.ended = batch.is_none();
            let batch = batch.map(|batch| self.accepted(batch)).transpose()?;
            let ordered = match (&mut self.reorder, batch) {
                (None, Some(batch)) => return Ok(Some(batch)),
                (None, None) => None,
                (Some(reorder), Some(batch)) => {
                    let times = times(&batch, self.places.time, &mut self.format)?;
                    reorder.push(batch, &times)?
                }
                (Some(reorder), None) => reorder.end(source)?,
            };
            if let Some(ordered) = ordered {
                self.has_late |= ordered.late.contains(&true);
                return Ok(Some(ordered.batch));
            }
        }
    }

    /// The rows that were not ahead of the clock.
    fn accepted(&self, batch: Batch) -> Result<Batch> {
        if self.turned_away.is_empty() {
            return Ok(batch);
        }
        let ids = batch.rows().iter().enumerate();
        let kept = ids.filter(|(_, id)| !self.turned_away.contains(id));
        let kept: Vec<u32> = kept.map(|(row, _)| row as u32).collect();
        batch.take(&kept)
    }

    fn rows(&mut self, mut batch: Batch) -> Result<Rows> {
        if let (true, Some(place)) = (self.folds, self.places.subject) {
            let mut columns = batch.columns().to_vec();
            columns[place] = Column::Category(batch.categories(place)?.folded());
            batch = Batch::new(Arc::clone(batch.schema()), batch.rows().clone(), columns)?;
        }
        let shown = match (&mut self.rotation, self.places.subject) {
            (Some(rotation), Some(subject)) => {
                Some(rotation.apply(&batch)?.column(subject).clone())
            }
            _ => None,
        };
        Ok(Rows {
            times: times(&batch, self.places.time, &mut self.format)?,
            batch,
            places: self.places.clone(),
            shown,
        })
    }
}

/// The rows of a release, one after the other.
pub(super) struct Released {
    /// None when there is not a byte of it.
    source: Option<Box<dyn Source>>,
    places: Places,
    format: Option<TimeFormat>,
    rows: Option<Rows>,
    row: usize,
    number: u64,
    escapes: bool,
}

impl Released {
    /// Cells may have been escaped against formulas when `escapes`.
    pub(super) fn new(
        source: Option<Box<dyn Source>>,
        places: Places,
        format: Option<TimeFormat>,
        escapes: bool,
    ) -> Result<Self> {
        let mut released = Released {
            source,
            places,
            format,
            rows: None,
            row: 0,
            number: 1,
            escapes,
        };
        released.fill()?;
        Ok(released)
    }

    /// The number of the row that comes next, from 1 on.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether all rows have gone by.
    pub(super) fn is_done(&self) -> bool {
        self.rows.is_none()
    }

    /// The time of the row that comes next.
    pub(super) fn time(&self) -> Option<i64> {
        self.rows.as_ref().map(|rows| rows.time(self.row))
    }

    /// Whether the subject is released.
    pub(super) fn has_subject(&self) -> bool {
        self.places.subject.is_some()
    }

    pub(super) fn subject(&self) -> &str {
        let rows = self.rows.as_ref();
        let text = rows.and_then(|rows| rows.subject(self.row));
        text.unwrap_or_default()
    }

    pub(super) fn label(&self, attribute: usize) -> &str {
        let rows = self.rows.as_ref();
        let text = rows.and_then(|rows| rows.value(self.row, attribute));
        text.unwrap_or_default()
    }

    /// Whether a released text is this one, perhaps guarded against being read as a formula.
    pub(super) fn is_same(&self, released: &str, text: &str) -> bool {
        released == text || self.escapes && released.strip_prefix('\'') == Some(text)
    }

    /// The text that a released one stands for if it was guarded.
    pub(super) fn plain<'a>(&self, released: &'a str) -> Option<&'a str> {
        released.strip_prefix('\'').filter(|_| self.escapes)
    }

    /// Whether the row that comes next has the time and the subject of a row of the source.
    pub(super) fn is_of(&self, rows: &Rows, row: usize) -> bool {
        let Some(mine) = &self.rows else {
            return false;
        };
        let texts = mine.time_text(self.row).zip(rows.time_text(row));
        mine.time(self.row) == rows.time(row)
            && texts.is_none_or(|(mine, other)| mine == other)
            && (!self.has_subject()
                || self.is_same(self.subject(), rows.shown_subject(row).unwrap_or_default()))
    }

    /// Goes on to the next row.
    pub(super) fn advance(&mut self) -> Result<()> {
        self.row += 1;
        self.number += 1;
        match &self.rows {
            Some(rows) if self.row < rows.len() => Ok(()),
            _ => self.fill(),
        }
    }

    fn fill(&mut self) -> Result<()> {
        self.row = 0;
        self.rows = None;
        while let Some(batch) = self
            .source
            .iter_mut()
            .find_map(Iterator::next)
            .transpose()?
        {
            if batch.is_empty() {
                continue;
            }
            self.rows = Some(Rows {
                times: times(&batch, self.places.time, &mut self.format)?,
                batch,
                places: self.places.clone(),
                shown: None,
            });
            break;
        }
        Ok(())
    }
}
