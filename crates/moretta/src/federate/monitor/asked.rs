//! The lengths that sources are asked about, as far as there is room for them.

use crate::federate::topology::{MOST_LENGTHS, MOST_LENGTHS_TOGETHER};
use std::collections::{BTreeMap, BTreeSet};

/// The lengths of each source.
#[derive(Default)]
pub(super) struct AskedLengths {
    lengths: BTreeMap<u16, BTreeSet<u64>>,
    together: usize,
}

impl AskedLengths {
    /// Asks sources about a length, if all of them have room for it.
    pub(super) fn has_room(&mut self, sources: &[u16], length: u64) -> bool {
        let asked = |source: &u16| self.lengths.get(source);
        let lacks = |source: &&u16| asked(source).is_none_or(|known| !known.contains(&length));
        let new: Vec<u16> = sources.iter().filter(lacks).copied().collect();
        let is_full = |source: &u16| asked(source).is_some_and(|known| known.len() >= MOST_LENGTHS);
        if self.together + new.len() > MOST_LENGTHS_TOGETHER || new.iter().any(is_full) {
            return false;
        }
        self.together += new.len();
        for source in new {
            self.lengths.entry(source).or_default().insert(length);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_asked_about_no_more_lengths_than_there_is_room_for() {
        let mut asked = AskedLengths::default();
        assert!((0..256).all(|length| asked.has_room(&[0, 1], length)));
        assert!(!asked.has_room(&[0, 2], 256));
        // Nothing of what was left out counts.
        assert!((300..556).all(|length| asked.has_room(&[2, 3], length)));
        // A length that a source is asked about anyway takes no room.
        assert!(asked.has_room(&[0, 1], 17));
    }

    #[test]
    fn lengths_of_all_sources_fit_into_one_frame() {
        let mut asked = AskedLengths::default();
        let pair = |at: u16| [2 * at, 2 * at + 1];
        let found = (0..512).map(|at| {
            let lengths = (0..256).filter(|&length| asked.has_room(&pair(at), length));
            2 * lengths.count()
        });
        assert_eq!(found.sum::<usize>(), 1 << 16);
    }
}
