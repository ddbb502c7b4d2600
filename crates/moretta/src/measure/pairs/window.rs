//! The last originals, for measures that look for a record among them.

use crate::data::Records;
use crate::math::distance::Slots;

/// The last records, the oldest replaced first.
#[derive(Clone, Debug)]
pub(super) struct Window {
    slots: Slots,
    seen: u64,
    /// Slots that held a record before the first was put in.
    known: usize,
}

impl Window {
    /// For so many records, at least one.
    pub(super) fn new(buffer: usize, nominal: &[bool]) -> Self {
        Window {
            slots: Slots::new(buffer.max(1), nominal),
            seen: 0,
            known: 0,
        }
    }

    /// Puts a record in and says into which slot.
    #[inline]
    pub(super) fn push(&mut self, record: &[f64]) -> usize {
        let slot = (self.seen % self.slots.len() as u64) as usize;
        self.slots.set(slot, record);
        self.seen += 1;
        slot
    }

    /// Fills the slots with records that will be put in again, in this order.
    pub(super) fn fill(&mut self, records: &Records) {
        for (slot, record) in records.iter().take(self.slots.len()).enumerate() {
            self.slots.set(slot, record);
            self.known = slot + 1;
        }
    }

    /// From now on the squared difference of two numbers counts so much.
    pub(super) fn weigh(&mut self, weights: &[f64]) {
        self.slots.weigh(weights);
    }

    /// The records; the first [`filled`](Self::filled) slots hold one.
    pub(super) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// How many slots hold a record.
    pub(super) fn filled(&self) -> usize {
        self.slots.len().min((self.seen as usize).max(self.known))
    }

    /// Records ever put in.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }
}
