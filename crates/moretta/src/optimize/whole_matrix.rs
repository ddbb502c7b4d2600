//! Matrices of whole numbers whose rows add up to the same sum: probabilities to a given number of
//! digits, as genes of a search.
//!
//! **From** Marés and Torra, 2010: probabilities are simplified before they are evolved.

use super::evolution::Draws;

/// A square matrix of whole numbers; each row adds up to `denominator`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WholeMatrix {
    denominator: u32,
    width: usize,
    cells: Vec<u32>,
}

impl WholeMatrix {
    /// The probabilities of each row in whole parts of `denominator`: rounded down, and what is
    /// left goes to the largest remainders, of equal ones to the first.
    pub fn rounded<'a>(rows: impl Iterator<Item = &'a [f64]>, denominator: u32) -> Self {
        let mut cells = Vec::new();
        let mut width = 0;
        for row in rows {
            width = row.len();
            cells.extend(parts(row, denominator));
        }
        WholeMatrix {
            denominator,
            width,
            cells,
        }
    }

    /// How many rows it has, and how many numbers each has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// What each row adds up to.
    pub fn denominator(&self) -> u32 {
        self.denominator
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.cells[row * self.width..][..self.width]
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.cells.chunks_exact(self.width.max(1))
    }

    /// The probabilities.
    pub fn probabilities(&self) -> Vec<Vec<f64>> {
        let share = |&part: &u32| f64::from(part) / f64::from(self.denominator);
        self.rows()
            .map(|row| row.iter().map(share).collect())
            .collect()
    }

    /// Moves an amount of a row from one column to another, as much as is there.
    pub fn transfer(&mut self, row: usize, from: usize, to: usize, amount: u32) {
        let row = &mut self.cells[row * self.width..][..self.width];
        let amount = amount.min(row[from]);
        row[from] -= amount;
        row[to] += amount;
    }

    /// Moves 1 to `most` parts of a row from a column that has some to another one. Whether there
    /// are two columns.
    pub fn mutate(&mut self, row: usize, most: u32, draws: &mut Draws) -> bool {
        if self.width < 2 {
            return false;
        }
        let filled = (0..self.width).filter(|&column| self.row(row)[column] > 0);
        let filled: Vec<usize> = filled.collect();
        let from = filled[draws.below(filled.len())];
        let to = draws.below(self.width - 1);
        let to = to + usize::from(to >= from);
        let most = most.min(self.row(row)[from]).max(1);
        let amount = 1 + draws.below(most as usize) as u32;
        self.transfer(row, from, to, amount);
        true
    }

    /// Takes a row from another matrix of the same size.
    pub fn take(&mut self, row: usize, other: &WholeMatrix) {
        let cells = row * self.width..(row + 1) * self.width;
        self.cells[cells.clone()].copy_from_slice(&other.cells[cells]);
    }
}

/// One row in whole parts.
fn parts(row: &[f64], denominator: u32) -> Vec<u32> {
    let sum: f64 = row.iter().sum();
    let exact = row
        .iter()
        .map(|p| p / sum.max(f64::MIN_POSITIVE) * f64::from(denominator));
    let exact: Vec<f64> = exact.collect();
    let mut parts: Vec<u32> = exact.iter().map(|part| part.floor() as u32).collect();
    let mut order: Vec<usize> = (0..row.len()).collect();
    let remainder = |column: usize| exact[column] - exact[column].floor();
    // A stable sort leaves equal ones in their order.
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)));
    let given: u32 = parts.iter().sum();
    let left = denominator.saturating_sub(given) as usize;
    for &column in order
        .iter()
        .cycle()
        .take(if row.is_empty() { 0 } else { left })
    {
        parts[column] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_left_goes_to_the_largest_remainders_and_of_equal_ones_to_the_first() {
        assert_eq!(parts(&[0.5, 0.25, 0.25], 10), [5, 3, 2]);
        assert_eq!(parts(&[1.0 / 3.0; 3], 100), [34, 33, 33]);
        assert_eq!(parts(&[0.0, 1.0], 1000), [0, 1000]);
        assert_eq!(parts(&[0.999, 0.001], 100), [100, 0]);
        assert_eq!(parts(&[], 100), [0; 0]);
    }

    proptest! {
        #[test]
        fn rows_add_up_to_the_denominator_whatever_is_done(
            width in 1..7_usize, thousand in any::<bool>(), seed in 0..999_u64, most in 1..200_u32,
        ) {
            let denominator = if thousand { 1000 } else { 100 };
            let mut draws = Draws::new(seed);
            let mut matrix = || {
                let rows: Vec<Vec<f64>> = (0..width)
                    .map(|_| (0..width).map(|_| draws.share() + 1e-9).collect())
                    .collect();
                WholeMatrix::rounded(rows.iter().map(Vec::as_slice), denominator)
            };
            let (mut one, other) = (matrix(), matrix());
            for step in 0..200 {
                let row = draws.below(width);
                let before = one.clone();
                if step % 5 == 0 {
                    one.take(row, &other);
                    prop_assert_eq!(one.row(row), other.row(row));
                } else {
                    prop_assert_eq!(one.mutate(row, most, &mut draws), width > 1);
                    let moved = one.row(row).iter().zip(before.row(row));
                    let moved: u32 = moved.map(|(a, b)| a.abs_diff(*b)).sum();
                    prop_assert!(moved <= 2 * most && (width == 1 || moved >= 2));
                }
                for row in one.rows() {
                    prop_assert_eq!(row.iter().sum::<u32>(), denominator);
                }
                let rows = (0..width).filter(|&other| other != row);
                let others = { rows }.all(|row| one.row(row) == before.row(row));
                prop_assert!(others);
            }
        }
    }
}
