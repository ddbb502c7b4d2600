//! The rows that were turned away because they were ahead of the clock.
//!
//! The clock goes on while a stream is down, so a restart cannot tell by it which
//! rows were turned away. They are noted by their places alone, neighbours
//! together, and no more than [`MOST`] stretches of them: where there are more, there
//! is no new checkpoint until a restart need not read the first of them again.

use serde::{Deserialize, Serialize};

/// The most stretches that are noted.
const MOST: usize = 1 << 16;

/// Ids of rows, as stretches from the first to the last in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refused {
    stretches: Vec<(u64, u64)>,
    /// The last row that could not be noted.
    #[serde(skip)]
    lost: Option<u64>,
}

impl Refused {
    /// Notes a row.
    pub(crate) fn add(&mut self, id: u64) {
        let place = self.stretches.partition_point(|&(first, _)| first <= id);
        let full = self.stretches.len() == MOST;
        match self.stretches[..place].last_mut() {
            Some((_, last)) if *last >= id => {}
            Some((_, last)) if *last + 1 == id => *last = id,
            _ if full => self.lost = self.lost.max(Some(id)),
            _ => self.stretches.insert(place, (id, id)),
        }
    }

    /// Whether the row was turned away.
    pub(crate) fn holds(&self, id: u64) -> bool {
        let place = self.stretches.partition_point(|&(first, _)| first <= id);
        place > 0 && self.stretches[place - 1].1 >= id
    }

    /// Forgets the rows before this one.
    pub(crate) fn forget(&mut self, before: u64) {
        self.stretches.retain(|&(_, last)| last >= before);
        self.lost = self.lost.filter(|&lost| lost >= before);
    }

    /// Whether every row is noted.
    pub(crate) fn is_whole(&self) -> bool {
        self.lost.is_none()
    }

    /// Whether the stretches are in order.
    pub(crate) fn fits(&self) -> bool {
        let apart = |pair: &[(u64, u64)]| pair[0].1 < pair[1].0;
        self.stretches.iter().all(|(first, last)| first <= last)
            && self.stretches.windows(2).all(apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_stretch_and_what_is_forgotten_is_gone() {
        let mut refused = Refused::default();
        for id in [3, 4, 5, 9, 12, 13, 1 << 48, 7, 4] {
            refused.add(id);
        }
        assert_eq!(
            refused.stretches,
            [(3, 5), (7, 7), (9, 9), (12, 13), (1 << 48, 1 << 48)]
        );
        assert!(refused.fits());
        let held: Vec<u64> = (0..15).filter(|&id| refused.holds(id)).collect();
        assert_eq!(held, [3, 4, 5, 7, 9, 12, 13]);
        refused.forget(13);
        assert!(!refused.holds(9) && refused.holds(13) && refused.holds(1 << 48));
    }

    #[test]
    fn more_than_can_be_noted_is_known_to_be_lost() {
        let mut refused = Refused::default();
        for id in (0..2 * MOST as u64 + 2).step_by(2) {
            assert!(refused.is_whole());
            refused.add(id);
        }
        assert!(!refused.is_whole());
        assert_eq!(refused.stretches.len(), MOST);
        refused.forget(2 * MOST as u64);
        assert!(!refused.is_whole());
        refused.forget(2 * MOST as u64 + 1);
        assert!(refused.is_whole());
    }
}
