//! The measures that look at who shows what.

use super::Observed;
use super::groups::Shares;
use super::history::History;
use super::information::Information;
use super::keys::{Keys, NOTHING};
use super::matches::Match;
use super::window::Window;
use crate::data::{Batch, Categories};
use crate::error::{Error, Result};

/// Sets of users and information of labels.
pub(super) struct Deep {
    subjects: Keys,
    values: Vec<Keys>,
    labels: Vec<Keys>,
    window: Window,
    pub(super) history: History,
    pub(super) information: Information,
    /// Rows decided, and those before the history was full.
    rows: u64,
    rows_of_history: u64,
}

/// The codes of the columns of a batch.
pub(super) struct Columns<'a> {
    subjects: &'a [u32],
    values: Vec<&'a [u32]>,
    labels: Vec<&'a [u32]>,
}

impl Deep {
    pub(super) fn new(k: u32, window: i64) -> Self {
        Deep {
            subjects: Keys::default(),
            values: Vec::new(),
            labels: Vec::new(),
            window: Window::new(window, k),
            history: History::new(k),
            information: Information::new(),
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
        Ok(Columns {
            subjects: codes(&mut self.subjects, seen.released, seen.subject)?,
            values: all_codes(&mut self.values, seen.original, seen.attributes)?,
            labels: all_codes(&mut self.labels, seen.released, seen.attributes)?,
        })
    }

    /// Takes in an original row and what was released with it.
    #[inline]
    pub(super) fn observe(
        &mut self,
        columns: &Columns<'_>,
        levels: &[Option<u16>],
        time: i64,
        row: usize,
        released: &[Match],
    ) {
        self.rows += 1;
        self.rows_of_history += u64::from(!self.history.is_full());
        let notes = !self.information.is_full();
        let width = columns.values.len();
        for column in 0..width {
            let mut shown = NOTHING;
            for found in released {
                let place = found.released as usize;
                if levels[place * width + column].is_none() {
                    continue;
                }
                let label = self.labels[column].key(columns.labels[column][place]);
                let user = self.subjects.key(columns.subjects[place]);
                self.show(time, user, label);
                if !found.made_up {
                    shown = label;
                }
            }
            if notes {
                let value = self.values[column].key(columns.values[column][row]);
                self.information.note(column, value, shown);
            }
        }
    }

    #[inline]
    fn show(&mut self, time: i64, user: u64, label: u64) {
        // What the window holds is no news to the history.
        if user != NOTHING && label != NOTHING && self.window.show(time, user, label) {
            self.history.show(user, label);
        }
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
    }
}

fn all_codes<'a>(keys: &mut [Keys], batch: &'a Batch, places: &[usize]) -> Result<Vec<&'a [u32]>> {
    let columns = keys.iter_mut().zip(places);
    columns
        .map(|(keys, &place)| codes(keys, batch, place))
        .collect()
}

fn codes<'a>(keys: &mut Keys, batch: &'a Batch, place: usize) -> Result<&'a [u32]> {
    let column: &Categories = batch.column(place).as_categories().ok_or_else(|| {
        let name = &batch.schema().fields()[place].name;
        Error::bug(format!("column `{name}` was not read as categories"))
    })?;
    keys.start(column);
    Ok(column.codes())
}
