//! How the table of two attributes changes: cell by cell, in its χ², and for those who are unique.

use crate::data::Variable;

/// The table of two attributes, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Bivariate {
    before: Crossed,
    after: Crossed,
    /// By cell, the records that are in it before and after.
    stayed: Vec<u64>,
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
            stayed: empty.counts.clone(),
            before: empty.clone(),
            after: empty,
        })
    }

    /// Adds records whose two categories were `before` and are `after`.
    pub fn add(&mut self, before: (u32, u32), after: (u32, u32), count: u64) {
        self.before.add(before, count);
        self.after.add(after, count);
        if before == after {
            let cell = self.before.cell(before);
            self.stayed[cell] += count;
        }
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

    /// The share of records that are unique in both attributes, are left as they were and are still
    /// unique after masking: what masking leaves of the risk to be singled out. None where no record
    /// is unique.
    pub fn uniques_kept(&self) -> Option<f64> {
        let cells = 0..self.stayed.len();
        let uniques = cells.filter(|&cell| self.before.counts[cell] == 1);
        let (mut all, mut kept) = (0_u64, 0_u64);
        for cell in uniques {
            all += 1;
            kept += u64::from(self.stayed[cell] == 1 && self.after.counts[cell] == 1);
        }
        (all > 0).then(|| kept as f64 / all as f64)
    }

    /// Cramér's V, before and after.
    pub fn cramers_v(&self) -> [f64; 2] {
        [self.before.cramers_v(), self.after.cramers_v()]
    }
}

impl Crossed {
    fn cell(&self, (first, second): (u32, u32)) -> usize {
        first as usize * self.columns.len() + second as usize
    }

    fn add(&mut self, pair: (u32, u32), count: u64) {
        let cell = self.cell(pair);
        self.counts[cell] += count;
        self.rows[pair.0 as usize] += count;
        self.columns[pair.1 as usize] += count;
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
        let kept = |before: &[(u32, u32)], after: &[(u32, u32)]| {
            let [three, two] = [3, 2].map(Variable::ordinal);
            let mut table = Bivariate::new(three, two).expect("small");
            for (before, after) in before.iter().zip(after) {
                table.add(*before, *after, 1);
            }
            table.uniques_kept()
        };
        assert_eq!(kept(&before, &after), Some(1.0 / 3.0));
        assert_eq!(kept(&before, &before), Some(1.0));
        assert_eq!(kept(&[(1, 1); 2], &[(1, 1); 2]), None);
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
