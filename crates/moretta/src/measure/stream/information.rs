//! Entropy of what is shown, before and after, and how much of it is left.
//!
//! H(X) = −Σ p log₂ p in bits, with p the share of rows that show x; what is not
//! released is one label of its own. The information left is I(X; Y) / H(X) with
//! I(X; Y) = H(X) + H(Y) − H(X, Y): 1 when the label tells the value, 0 when it
//! tells nothing. Several columns are added up. Costs a look into a table of
//! (value, label) pairs for each attribute and 25 to 50 bytes a pair; at [`MOST`]
//! pairs the figures stay as they are.

use hashbrown::{HashMap, HashTable};

/// Pairs that are kept, of all columns together.
const MOST: usize = 20_000_000;

/// What is left of the information, in bits and as a share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Left {
    pub(super) before: f64,
    pub(super) after: f64,
    pub(super) residual: f64,
}

/// Counts of (value, label) pairs, column by column.
pub(super) struct Information {
    most: usize,
    columns: Vec<HashTable<Pair>>,
    pairs: usize,
}

struct Pair {
    value: u64,
    label: u64,
    rows: u64,
}

impl Pair {
    fn hash(value: u64, label: u64) -> u64 {
        value ^ label.rotate_left(32)
    }
}

impl Information {
    pub(super) fn new() -> Self {
        Information::with_room(MOST)
    }

    fn with_room(most: usize) -> Self {
        Information {
            most,
            columns: Vec::new(),
            pairs: 0,
        }
    }

    /// Makes room for so many columns.
    pub(super) fn widen(&mut self, columns: usize) {
        if self.columns.len() < columns {
            self.columns.resize_with(columns, HashTable::new);
        }
    }

    /// Whether nothing is noted any more.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.pairs >= self.most
    }

    /// `value` is shown as `label`.
    #[inline]
    pub(super) fn note(&mut self, column: usize, value: u64, label: u64) {
        let table = &mut self.columns[column];
        let hash = Pair::hash(value, label);
        let same = |pair: &Pair| pair.value == value && pair.label == label;
        if let Some(pair) = table.find_mut(hash, same) {
            pair.rows += 1;
            return;
        }
        let pair = Pair {
            value,
            label,
            rows: 1,
        };
        table.insert_unique(hash, pair, |pair| Pair::hash(pair.value, pair.label));
        self.pairs += 1;
    }

    /// What is left; none before the first row.
    pub(super) fn left(&self) -> Option<Left> {
        let [mut before, mut after, mut common] = [0.0; 3];
        for table in &self.columns {
            let value = entropy(sums(table, |pair| pair.value));
            let label = entropy(sums(table, |pair| pair.label));
            let both = entropy(table.iter().map(|pair| pair.rows).collect());
            before += value;
            after += label;
            common += value + label - both;
        }
        let residual = match before > 0.0 {
            true => (common / before).clamp(0.0, 1.0),
            false => 1.0,
        };
        (self.pairs > 0).then_some(Left {
            before,
            after,
            residual,
        })
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.columns.iter().map(HashTable::allocation_size).sum()
    }
}

/// Rows by the part of the pair that `part` gives.
fn sums(table: &HashTable<Pair>, part: impl Fn(&Pair) -> u64) -> Vec<u64> {
    let mut rows: HashMap<u64, u64, foldhash::fast::FixedState> = HashMap::default();
    for pair in table {
        *rows.entry(part(pair)).or_insert(0) += pair.rows;
    }
    rows.into_values().collect()
}

/// Bits of a distribution, added up in an order that does not depend on keys.
fn entropy(mut counts: Vec<u64>) -> f64 {
    counts.sort_unstable();
    let all = counts.iter().sum::<u64>() as f64;
    let bits = |&count: &u64| {
        let share = count as f64 / all;
        -share * share.log2()
    };
    counts.iter().map(bits).sum::<f64>() + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(pairs: &[(u64, u64)]) -> Option<(f64, f64, f64)> {
        let mut information = Information::new();
        information.widen(1);
        for &(value, label) in pairs {
            information.note(0, value, label);
        }
        let left = information.left()?;
        Some((left.before, left.after, left.residual))
    }

    #[test]
    fn information_left_is_known_for_simple_releases() {
        assert_eq!(left(&[]), None);
        assert_eq!(left(&[(1, 5), (1, 5)]), Some((0.0, 0.0, 1.0)));
        let same = [(1, 1), (2, 2), (3, 3), (4, 4)];
        assert_eq!(left(&same), Some((2.0, 2.0, 1.0)));
        assert_eq!(left(&same.map(|(v, _)| (v, 0))), Some((2.0, 0.0, 0.0)));
        assert_eq!(left(&same.map(|(v, _)| (v, v / 3))), Some((2.0, 1.0, 0.5)));
    }

    #[test]
    fn when_there_is_no_more_room_it_says_so() {
        let mut information = Information::with_room(3);
        information.widen(2);
        for (column, value) in [(0, 1), (1, 1), (0, 1)] {
            information.note(column, value, 0);
            assert!(!information.is_full());
        }
        information.note(1, 2, 0);
        assert!(information.is_full());
    }
}
