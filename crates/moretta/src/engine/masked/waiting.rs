//! Originals whose rows have not left, and the pairs that they make with those that have.

use crate::data::{Batch, RowIds};
use crate::error::{Error, Result};
use std::collections::VecDeque;

/// Originals whose rows have not left. Rows leave in the order in which they were read.
#[derive(Default)]
pub(crate) struct Waiting(VecDeque<Batch>);

impl Waiting {
    /// Rows that were read.
    pub(crate) fn read(&mut self, batch: &Batch) {
        if !batch.is_empty() {
            self.0.push_back(batch.clone());
        }
    }

    /// Shows released rows beside their originals, in the order of the release.
    ///
    /// # Errors
    /// A bug, when a row is released twice, out of order, or was never read.
    pub(crate) fn pair(
        &mut self,
        released: &Batch,
        mut show: impl FnMut(&Batch, &Batch) -> Result<()>,
    ) -> Result<()> {
        let mut start = 0;
        while start < released.len() {
            let original = self.0.front().ok_or_else(foreign)?;
            let places = places(original.rows(), released.rows(), start);
            let seen = places.last().map_or(0, |&last| last as usize + 1);
            if !places.is_empty() {
                let before = original.take(&places)?;
                show(&before, &released.slice(start, places.len()))?;
                start += places.len();
            }
            // The rest of these rows was suppressed, or leaves later.
            match start < released.len() || seen == original.len() {
                true => drop(self.0.pop_front()),
                false => self.0[0] = original.slice(seen, original.len() - seen),
            }
        }
        Ok(())
    }
}

/// The places of the rows, in the order in which they wait, that `released` goes on with.
fn places(waiting: &RowIds, released: &RowIds, start: usize) -> Vec<u32> {
    let mut next = (start..released.len())
        .map(|row| released.get(row))
        .peekable();
    let places = waiting.iter().zip(0..);
    places
        .filter_map(|(id, place)| next.next_if_eq(&id).map(|_| place))
        .collect()
}

fn foreign() -> Error {
    Error::bug("a record was released that was not read, or not in its order")
}
