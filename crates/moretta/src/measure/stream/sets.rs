//! The measures that look at who shows what.

use super::Observed;
use super::groups::Shares;
use super::history::History;
use super::information::Information;
use super::keys::{Keys, NOTHING};
use super::matches::Match;
use super::window::Window;
use crate::data::Batch;
use crate::error::Result;

/// Sets of users and information of labels.
pub(super) struct Sets {
    subjects: Keys,
    values: Vec<Keys>,
    labels: Vec<Keys>,
    window: Window,
    pub(super) history: History,
    pub(super) information: Information,
    /// The label of each attribute of the batch, row by row.
    shown: Vec<u64>,
    /// What is new to the window, and the row of the batch.
    news: Vec<(u64, u64, u32)>,
    /// Rows decided, and those until the history was full.
    rows: u64,
    rows_of_history: u64,
}

/// The codes of the columns of a batch.
pub(super) struct Columns<'a> {
    subjects: &'a [u32],
    values: Vec<&'a [u32]>,
    labels: Vec<&'a [u32]>,
    rows: usize,
}

impl Sets {
    pub(super) fn new(k: u32, window: i64) -> Self {
        Sets {
            subjects: Keys::default(),
            values: Vec::new(),
            labels: Vec::new(),
            window: Window::new(window, k),
            history: History::new(k),
            information: Information::new(),
            shown: Vec::new(),
            news: Vec::new(),
            rows: 0,
            rows_of_history: 0,
        }
    }

    /// Gets ready for a batch.
    pub(super) fn start<'a>(&mut self, seen: &Observed<'a>) -> Result<Columns<'a>> {
        let width = seen.attributes.len();
        self.values.resize_with(width, Keys::default);
        self.labels.resize_with(width, Keys::default);
        self.information.widen(width);
        self.shown.clear();
        self.shown.resize(seen.original.len() * width, NOTHING);
        Ok(Columns {
            subjects: codes(&mut self.subjects, seen.released, seen.subject)?,
            values: all_codes(&mut self.values, seen.original, seen.attributes)?,
            labels: all_codes(&mut self.labels, seen.released, seen.attributes)?,
            rows: seen.original.len(),
        })
    }

    /// Takes in what was released with an original row.
    #[inline]
    pub(super) fn show(
        &mut self,
        columns: &Columns<'_>,
        levels: &[Option<u16>],
        time: i64,
        found: &Match,
    ) {
        let place = found.released as usize;
        let user = self.subjects.key(columns.subjects[place]);
        let width = columns.labels.len();
        for (column, labels) in columns.labels.iter().enumerate() {
            if levels[place * width + column].is_none() {
                continue;
            }
            let label = self.labels[column].key(labels[place]);
            if !found.made_up {
                self.shown[found.original as usize * width + column] = label;
            }
            if user == NOTHING || label == NOTHING {
                continue;
            }
            // What the window holds is no news to the history.
            if self.window.show(time, user, label) {
                self.news.push((user, label, found.original));
            }
        }
    }

    /// Takes in the batch as a whole: loops of their own, in which the processor
    /// can wait for several rows at a time.
    pub(super) fn finish(&mut self, columns: &Columns<'_>, latest: i64) {
        let rows = columns.rows as u64;
        for (user, label, row) in self.news.drain(..) {
            if !self.history.is_full() {
                self.history.show(user, label);
                self.rows_of_history = self.rows + u64::from(row) + 1;
            }
        }
        self.rows += rows;
        if !self.history.is_full() {
            self.rows_of_history = self.rows;
        }
        let width = columns.values.len();
        for (row, shown) in self.shown.chunks_exact(width.max(1)).enumerate() {
            if self.information.is_full() {
                break;
            }
            for (column, &label) in shown.iter().enumerate() {
                let value = self.values[column].key(columns.values[column][row]);
                self.information.note(column, value, label);
            }
        }
        self.window.shares(latest);
    }

    /// The shares of the window that ends at `end`.
    pub(super) fn shares(&mut self, end: i64) -> Option<Shares> {
        self.window.shares(end)
    }

    /// The shares when they were last asked for.
    pub(super) fn last_shares(&self) -> Option<Shares> {
        self.window.last_shares()
    }

    /// Rows that the history is about, when not all.
    pub(super) fn all_time_rows(&self) -> Option<u64> {
        (self.rows_of_history < self.rows).then_some(self.rows_of_history)
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let keys = self.values.iter().chain(&self.labels);
        self.subjects.memory()
            + keys.map(Keys::memory).sum::<usize>()
            + self.window.memory()
            + self.history.memory()
            + self.information.memory()
            + self.shown.capacity() * size_of::<u64>()
            + self.news.capacity() * size_of::<(u64, u64, u32)>()
    }
}

fn all_codes<'a>(keys: &mut [Keys], batch: &'a Batch, places: &[usize]) -> Result<Vec<&'a [u32]>> {
    let columns = keys.iter_mut().zip(places);
    columns
        .map(|(keys, &place)| codes(keys, batch, place))
        .collect()
}

fn codes<'a>(keys: &mut Keys, batch: &'a Batch, place: usize) -> Result<&'a [u32]> {
    let column = batch.categories(place)?;
    keys.start(column);
    Ok(column.codes())
}
