//! The last b records in the order of arrival.

/// A queue of records that was full once it gave its first.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    values: Vec<f64>,
    attributes: usize,
    capacity: usize,
    /// Records that came and records that left.
    end: usize,
    start: usize,
}

impl Window {
    pub(crate) fn new(capacity: usize, attributes: usize) -> Self {
        Window {
            values: vec![0.0; capacity * attributes],
            attributes,
            capacity,
            end: 0,
            start: 0,
        }
    }

    /// Adds a record. True when the window is full, so that the head is to leave.
    pub(crate) fn push(&mut self, record: &[f64]) -> bool {
        self.end += 1;
        self.get_mut(self.end - 1).copy_from_slice(record);
        self.end - self.start == self.capacity
    }

    /// The numbers of the records in the window; they count from the first that came.
    pub(crate) fn numbers(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// The number of the oldest record.
    pub(crate) fn head(&self) -> usize {
        self.start
    }

    /// Lets the head leave.
    pub(crate) fn pop(&mut self) {
        self.start += 1;
    }

    /// The place of a record among the last `capacity`.
    pub(crate) fn slot(&self, number: usize) -> usize {
        number % self.capacity
    }

    pub(crate) fn get(&self, number: usize) -> &[f64] {
        let slot = self.slot(number);
        &self.values[slot * self.attributes..][..self.attributes]
    }

    pub(crate) fn get_mut(&mut self, number: usize) -> &mut [f64] {
        let slot = self.slot(number);
        &mut self.values[slot * self.attributes..][..self.attributes]
    }
}
