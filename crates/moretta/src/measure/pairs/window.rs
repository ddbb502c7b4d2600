//! The last originals, for measures that look for a record among them.

use crate::math::distance::Slots;

/// The last records, the oldest replaced first.
#[derive(Clone, Debug)]
pub(super) struct Window {
    slots: Slots,
    seen: u64,
}

impl Window {
    /// For so many records, at least one.
    pub(super) fn new(buffer: usize, nominal: &[bool]) -> Self {
        Window {
            slots: Slots::new(buffer.max(1), nominal),
            seen: 0,
        }
    }

    /// Puts a record in.
    #[inline]
    pub(super) fn push(&mut self, record: &[f64]) {
        let slot = (self.seen % self.slots.len() as u64) as usize;
        self.slots.set(slot, record);
        self.seen += 1;
    }

    /// How many records are at the distance from `target` whose square is `squared`;
    /// `None` when one is nearer.
    pub(super) fn ties(&mut self, target: &[f64], squared: f64, weights: &[f64]) -> Option<usize> {
        self.slots.weigh(weights);
        self.slots.ties(self.filled(), target, squared)
    }

    /// The records; the first [`filled`](Self::filled) slots hold one.
    pub(super) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// How many slots hold a record.
    pub(super) fn filled(&self) -> usize {
        self.slots.len().min(self.seen as usize)
    }
}
