//! How often values of one sensitive column are in a class.

/// Counts of the values of one sensitive column, each person once a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Histogram<'a> {
    /// The codes of the values that are there, ascending, and how often each is.
    pub(crate) counts: &'a [(u32, u32)],
    /// How many have no value.
    pub(crate) missing: u32,
}

impl Histogram<'_> {
    /// How many have a value.
    pub(super) fn present(&self) -> u32 {
        self.counts.iter().map(|&(_, count)| count).sum()
    }

    /// How many there are; at least 1, to be divided by.
    pub(super) fn total(&self) -> f64 {
        f64::from((self.present() + self.missing).max(1))
    }
}
