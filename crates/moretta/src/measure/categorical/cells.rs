//! Different records of categories, each with a place of its own.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// A set of records; places of those that are taken out are used again.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    width: usize,
    codes: Vec<u32>,
    places: HashTable<u32>,
    free: Vec<u32>,
}

impl Cells {
    pub(super) fn new(width: usize) -> Self {
        Cells {
            width,
            codes: Vec::new(),
            places: HashTable::new(),
            free: Vec::new(),
        }
    }

    /// The record at a place.
    #[inline]
    pub(super) fn record(&self, place: u32) -> &[u32] {
        &self.codes[place as usize * self.width..][..self.width]
    }

    /// The place of a record, and whether it is new.
    pub(super) fn insert(&mut self, record: &[u32]) -> (u32, bool) {
        let Cells {
            width,
            codes,
            places,
            free,
        } = self;
        let at = |place: u32| place as usize * *width;
        let found = places.find(hash(record), |&place| {
            codes[at(place)..][..*width] == *record
        });
        if let Some(&place) = found {
            return (place, false);
        }
        let place = free.pop().unwrap_or_else(|| {
            codes.extend_from_slice(record);
            places.len() as u32
        });
        codes[at(place)..][..*width].copy_from_slice(record);
        places.insert_unique(hash(record), place, |&place| {
            hash(&codes[at(place)..][..*width])
        });
        (place, true)
    }

    /// Takes the record at a place out.
    pub(super) fn remove(&mut self, place: u32) {
        let hash = hash(self.record(place));
        if let Ok(entry) = self.places.find_entry(hash, |&other| other == place) {
            entry.remove();
            self.free.push(place);
        }
    }
}

fn hash(record: &[u32]) -> u64 {
    FixedState::default().hash_one(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_has_one_place_and_free_places_are_used_again() {
        let mut cells = Cells::new(2);
        assert_eq!(cells.insert(&[1, 2]), (0, true));
        assert_eq!(cells.insert(&[2, 1]), (1, true));
        assert_eq!(cells.insert(&[1, 2]), (0, false));
        cells.remove(0);
        assert_eq!(cells.insert(&[3, 3]), (0, true));
        assert_eq!(cells.record(0), [3, 3]);
        assert_eq!(cells.insert(&[1, 2]), (2, true));
    }

    #[test]
    fn records_of_no_attributes_are_one() {
        let mut cells = Cells::new(0);
        assert_eq!(cells.insert(&[]), (0, true));
        assert_eq!(cells.insert(&[]), (0, false));
    }
}
