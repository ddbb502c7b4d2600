//! How the table of two attributes changes: cell by cell, in its χ², and for those who are unique.

use crate::data::Variable;

/// The table of two attributes, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Bivariate {
    before: Crossed,
    after: Crossed,
}

/// Counts of pairs of categories.
#[derive(Clone, Debug, PartialEq)]
struct Crossed {
    counts: Vec<u64>,
    rows: Vec<u64>,
    columns: Vec<u64>,
    total: u64,
}

/// Cells that a table can have.
const MOST_CELLS: usize = 1 << 22;

impl Bivariate {
    /// An empty table of two attributes; none of domains whose table is too large.
    pub fn new(first: Variable, second: Variable) -> Option<Self> {
        let cells = first.levels.checked_mul(second.levels)?;
        let empty = Crossed {
            counts: vec![0; (cells <= MOST_CELLS).then_some(cells)?],
            rows: vec![0; first.levels],
            columns: vec![0; second.levels],
            total: 0,
        };
        Some(Bivariate {
            before: empty.clone(),
            after: empty,
        })
    }

    /// Adds records whose two categories were `before` and are `after`.
    pub fn add(&mut self, before: (u32, u32), after: (u32, u32), count: u64) {
        self.before.add(before, count);
        self.after.add(after, count);
    }

    /// The sum of absolute differences of the cells.
    pub fn difference(&self) -> u64 {
        let cells = self.before.counts.iter().zip(&self.after.counts);
        cells.map(|(before, after)| before.abs_diff(*after)).sum()
    }

    /// The mean absolute difference of a cell.
    pub fn difference_per_cell(&self) -> f64 {
        self.difference() as f64 / self.before.counts.len().max(1) as f64
    }

    /// χ² of independence, before and after; cells of categories that do not occur are left out.
    pub fn chi_square(&self) -> [f64; 2] {
        [self.before.chi_square(), self.after.chi_square()]
    }

    /// The absolute change of χ² over what it was; none where the attributes were independent.
    pub fn chi_square_change(&self) -> Option<f64> {
        let [before, after] = self.chi_square();
        (before > 0.0).then(|| (after - before).abs() / before)
    }

    /// Cramér's V, before and after.
    pub fn cramers_v(&self) -> [f64; 2] {
        [self.before.cramers_v(), self.after.cramers_v()]
    }
}

/// The share of records that are unique in two attributes, are left as they were and are still
/// unique after masking: what masking of two attributes leaves of the risk to be singled out.
pub fn unique_pairs_kept(before: &[(u32, u32)], after: &[(u32, u32)]) -> f64 {
    use std::collections::HashMap;
    let counted = |pairs: &[(u32, u32)]| {
        let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
        pairs
            .iter()
            .for_each(|&pair| *counts.entry(pair).or_default() += 1);
        counts
    };
    let (first, second) = (counted(before), counted(after));
    let unique = before
        .iter()
        .zip(after)
        .filter(|(pair, _)| first[*pair] == 1);
    let (mut all, mut kept) = (0_u64, 0_u64);
    for (pair, masked) in unique {
        all += 1;
        kept += u64::from(pair == masked && second[masked] == 1);
    }
    if all == 0 {
        0.0
    } else {
        kept as f64 / all as f64
    }
}

impl Crossed {
    fn add(&mut self, (first, second): (u32, u32), count: u64) {
        let (first, second) = (first as usize, second as usize);
        self.counts[first * self.columns.len() + second] += count;
        self.rows[first] += count;
        self.columns[second] += count;
        self.total += count;
    }

    fn chi_square(&self) -> f64 {
        let cells = self.counts.chunks_exact(self.columns.len().max(1));
        let of_row = |(counts, &row): (&[u64], &u64)| -> f64 {
            let cells = counts.iter().zip(&self.columns);
            let occurs = cells.filter(|(_, column)| row > 0 && **column > 0);
            occurs
                .map(|(&count, &column)| {
                    let expected = row as f64 * column as f64 / self.total as f64;
                    (count as f64 - expected).powi(2) / expected
                })
                .sum()
        };
        cells.zip(&self.rows).map(of_row).sum()
    }

    fn cramers_v(&self) -> f64 {
        let least = self.rows.len().min(self.columns.len()).saturating_sub(1) as f64;
        let most = self.total as f64 * least;
        if most > 0.0 {
            (self.chi_square() / most).sqrt()
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_uniques_that_stay_are_counted() {
        let before = [(0, 0), (0, 1), (1, 1), (1, 1), (2, 0)];
        // The first is no longer unique, the second has changed, the last one stays.
        let after = [(0, 0), (0, 0), (1, 1), (1, 1), (2, 0)];
        assert_eq!(unique_pairs_kept(&before, &after), 1.0 / 3.0);
        assert_eq!(unique_pairs_kept(&before, &before), 1.0);
        assert_eq!(unique_pairs_kept(&[(1, 1); 2], &[(1, 1); 2]), 0.0);
    }

    #[test]
    fn independent_attributes_have_no_change_to_speak_of() {
        let [two, huge] = [2, 1 << 20].map(Variable::ordinal);
        assert!(Bivariate::new(huge, huge).is_none());
        let mut table = Bivariate::new(two, two).expect("small");
        for cell in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            table.add(cell, (0, 0), 5);
        }
        assert_eq!(table.chi_square_change(), None);
        assert_eq!((table.chi_square(), table.difference()), ([0.0; 2], 30));
    }
}
