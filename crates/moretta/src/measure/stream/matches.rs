//! Which released row is of which original.

use super::Observed;
use crate::data::RowIds;
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Ids from here on are of rows that were made up.
const MADE_UP: u64 = 1 << 63;

/// A released row and the original row that it goes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) original: u32,
    pub(super) released: u32,
    pub(super) made_up: bool,
}

/// The released rows of a batch in the order of the originals.
///
/// A made-up row goes with the next real one, or the last when there is none: it
/// was made up for that one's sake and has about its time.
#[derive(Default)]
pub(super) struct Matches {
    found: Vec<Match>,
}

impl Matches {
    /// Matches by id. Costs one walk over both when rows are released in their
    /// order, a table of the ids else.
    pub(super) fn find(&mut self, seen: &Observed<'_>) -> Result<&[Match]> {
        self.found.clear();
        if seen.original.is_empty() {
            return match seen.released.is_empty() {
                true => Ok(&self.found),
                false => Err(lost()),
            };
        }
        if !self.walk(seen) {
            self.search(seen)?;
        }
        self.place_made_up(seen);
        Ok(&self.found)
    }

    /// Whether every released row was found by going through both once.
    fn walk(&mut self, seen: &Observed<'_>) -> bool {
        let (originals, released) = (seen.original.rows(), seen.released.rows());
        let mut next = 0;
        self.found.reserve(released.len());
        for (id, released) in released.iter().zip(0_u32..) {
            let made_up = id >= MADE_UP;
            if !made_up {
                let Some(original) = find(originals, next, id) else {
                    return false;
                };
                next = original + 1;
            }
            self.found.push(Match {
                original: (next as u32).saturating_sub(1),
                released,
                made_up,
            });
        }
        true
    }

    /// Finds released rows in any order.
    fn search(&mut self, seen: &Observed<'_>) -> Result<()> {
        self.found.clear();
        let ids = seen.original.rows().iter().zip(0_u32..);
        let mut row_of: HashMap<u64, u32, FixedState> = ids.collect();
        for (id, released) in seen.released.rows().iter().zip(0_u32..) {
            let made_up = id >= MADE_UP;
            // A row that is taken out cannot be released a second time.
            let original = match made_up {
                true => 0,
                false => row_of.remove(&id).ok_or_else(lost)?,
            };
            self.found.push(Match {
                original,
                released,
                made_up,
            });
        }
        Ok(())
    }

    fn place_made_up(&mut self, seen: &Observed<'_>) {
        let real = |found: &&Match| !found.made_up;
        let mut place = match self.found.iter().rfind(real) {
            Some(last) => last.original,
            None => seen.original.len() as u32 - 1,
        };
        let mut ordered = true;
        for found in self.found.iter_mut().rev() {
            ordered &= found.made_up || found.original <= place;
            match found.made_up {
                true => found.original = place,
                false => place = found.original,
            }
        }
        if !ordered {
            self.found.sort_by_key(|found| found.original);
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.found.capacity() * size_of::<Match>()
    }
}

/// The row with this id, at `from` or after.
#[inline]
fn find(rows: &RowIds, from: usize, id: u64) -> Option<usize> {
    match rows {
        RowIds::Range { start, len } => {
            let row = id.checked_sub(*start)? as usize;
            (row >= from && row < *len).then_some(row)
        }
        RowIds::List(ids) => {
            let after = ids.get(from..)?.iter().position(|&other| other == id)?;
            Some(from + after)
        }
    }
}

fn lost() -> Error {
    Error::bug("a row was released that was not decided, or twice")
}
