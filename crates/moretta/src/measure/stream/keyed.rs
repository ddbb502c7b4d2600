//! Things known by a 64-bit key, each at a place that stays the same until it goes.

use hashbrown::HashTable;

/// Values by key; the keys are hashes, so they serve as their own.
#[derive(Default)]
pub(super) struct Keyed<T> {
    places: HashTable<u32>,
    slots: Vec<(u64, T)>,
    free: Vec<u32>,
}

impl<T: Default> Keyed<T> {
    /// The place of `key`, and whether it is new.
    #[inline]
    pub(super) fn place(&mut self, key: u64) -> (u32, bool) {
        let slots = &self.slots;
        let same = |&place: &u32| slots[place as usize].0 == key;
        match self.places.find(key, same) {
            Some(&place) => (place, false),
            None => (self.insert(key), true),
        }
    }

    fn insert(&mut self, key: u64) -> u32 {
        let place = self.free.pop().unwrap_or(self.slots.len() as u32);
        match self.slots.get_mut(place as usize) {
            Some(slot) => *slot = (key, T::default()),
            None => self.slots.push((key, T::default())),
        }
        let slots = &self.slots;
        self.places
            .insert_unique(key, place, |&place| slots[place as usize].0);
        place
    }

    #[inline]
    pub(super) fn at(&mut self, place: u32) -> &mut T {
        &mut self.slots[place as usize].1
    }

    pub(super) fn remove(&mut self, place: u32) {
        let key = self.slots[place as usize].0;
        if let Ok(entry) = self.places.find_entry(key, |&other| other == place) {
            entry.remove();
            self.free.push(place);
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.places.allocation_size()
            + self.slots.capacity() * size_of::<(u64, T)>()
            + self.free.capacity() * size_of::<u32>()
    }
}
