//! Among which records each row was masked, kept until the row leaves.

use crate::data::RowIds;
use crate::error::{Error, Result};
use crate::protect::Among;
use std::collections::VecDeque;

/// Notes of each method that masks records, in the order in which it has let rows go.
#[derive(Default)]
pub(crate) struct Notes(Vec<VecDeque<(u64, Option<Among>)>>);

impl Notes {
    /// Methods have let rows go, which others may hold back.
    pub(crate) fn add(&mut self, notes: Vec<Vec<(u64, Option<Among>)>>) {
        self.0.resize_with(notes.len(), VecDeque::new);
        for (waiting, notes) in self.0.iter_mut().zip(notes) {
            waiting.extend(notes);
        }
    }

    /// What each method has noted of rows that leave; rows leave in their order, or never.
    ///
    /// # Errors
    /// A bug, when a row leaves that a method has not let go.
    pub(crate) fn take(&mut self, rows: &RowIds) -> Result<Vec<Vec<Option<Among>>>> {
        let of = |waiting: &mut VecDeque<(u64, Option<Among>)>| {
            let find = |id: u64| {
                let note = std::iter::from_fn(|| waiting.pop_front()).find(|note| note.0 == id);
                let note = note.ok_or_else(|| Error::bug("a row left that was not masked"));
                note.map(|(_, among)| among)
            };
            rows.iter().map(find).collect()
        };
        self.0.iter_mut().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_wait_for_their_rows_and_go_with_those_that_never_leave() {
        let among = |records| {
            Some(Among {
                group: None,
                records,
            })
        };
        let mut notes = Notes::default();
        notes.add(vec![vec![(0, among(5)), (1, None), (2, among(6))], vec![]]);
        notes.add(vec![vec![(3, among(7))], vec![(0, None), (2, among(8))]]);
        let rows = |ids: &[u64]| RowIds::List(ids.into());
        let found = notes.take(&rows(&[0, 2])).expect("noted");
        assert_eq!(found, [[among(5), among(6)], [None, among(8)]]);
        assert_eq!(notes.take(&rows(&[])).expect("none"), [[], []]);
        assert_eq!(notes.take(&rows(&[3])).expect_err("held").exit_code(), 8);
    }
}
