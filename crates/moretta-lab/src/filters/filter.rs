//! What a stream filter is here: records in, pairs of original and released records out.

/// A filter of records, one by one.
pub(crate) trait Filter {
    /// Takes the next record. True when it wrote a pair, false while it waits for more.
    fn push(&mut self, record: &[f64], pair: &mut Pair) -> bool;
}

/// A released record and what the filter says it was made from.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) original: Vec<f64>,
    pub(crate) released: Vec<f64>,
}

impl Pair {
    pub(crate) fn new(attributes: usize) -> Self {
        Pair {
            original: vec![0.0; attributes],
            released: vec![0.0; attributes],
        }
    }
}
