//! Transition matrices: what each category becomes, and how likely.
//!
//! Row k holds the probabilities that category k is released as each category. Frequencies are
//! those of the original categories.

use crate::error::{Error, Result};
use crate::math::matrix::Matrix;
use crate::math::uniform::Uniform;

/// How far from 1 the probabilities of a row that somebody wrote down may add up to.
const TOLERANCE: f64 = 1e-6;

/// A matrix whose rows are probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct TransitionMatrix(Matrix);

impl TransitionMatrix {
    /// A matrix that somebody wrote down, of as many rows as categories. Rows that miss 1 by
    /// rounding are divided by their sum.
    ///
    /// # Errors
    /// When it is not square, or a row holds no probabilities.
    pub fn new(rows: &[Vec<f64>]) -> Result<Self> {
        let width = rows.len();
        if width == 0 {
            return Err(Error::policy("a matrix of no rows").help(SQUARE));
        }
        let mut values = Vec::with_capacity(width * width);
        for (row, number) in rows.iter().zip(1..) {
            if row.len() != width {
                let what = format!(
                    "row {number} of the matrix has {} values, and there are {width} rows",
                    row.len()
                );
                return Err(Error::policy(what).help(SQUARE));
            }
            if row.iter().any(|p| !(0.0..=1.0).contains(p)) {
                let what = format!("row {number} of the matrix has values outside of 0 to 1");
                return Err(Error::policy(what).help("they are probabilities"));
            }
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() > TOLERANCE {
                let what = format!("row {number} of the matrix adds up to {sum}");
                return Err(Error::policy(what).help("the probabilities of a row add up to 1"));
            }
            values.extend(row.iter().map(|p| p / sum));
        }
        Ok(TransitionMatrix(Matrix::of_values(width, values)))
    }

    /// Each category stays with probability `p`; the rarer another category is, the likelier it
    /// is drawn: p_kl = (1 − p) (S − T_k − T_l) / ((L − 2) (S − T_k)).
    pub fn constant_diagonal(frequencies: &[f64], p: f64) -> Self {
        let (levels, all) = (frequencies.len(), frequencies.iter().sum::<f64>());
        TransitionMatrix::of(levels, |k, l| {
            let others = all - frequencies[k];
            match (k == l, levels) {
                (_, 1) => 1.0,
                (true, _) => p,
                (false, 2) => 1.0 - p,
                (false, _) if others <= 0.0 => (1.0 - p) / (levels - 1) as f64,
                (false, _) => {
                    let share = (others - frequencies[l]) / ((levels - 2) as f64 * others);
                    (1.0 - p) * share
                }
            }
        })
    }

    /// From each category as many change as from any other, so that rare ones change most:
    /// p_kk = 1 − θ T_min / T_k, all others alike. A category that nobody has stays.
    pub fn equal_counts(frequencies: &[f64], theta: f64) -> Self {
        let levels = frequencies.len();
        let present = frequencies.iter().copied().filter(|&t| t > 0.0);
        let least = present.fold(f64::INFINITY, f64::min);
        TransitionMatrix::of(levels, |k, l| {
            let leaves = match frequencies[k] > 0.0 && levels > 1 {
                true => theta * least / frequencies[k],
                false => 0.0,
            };
            match k == l {
                true => 1.0 - leaves,
                false => leaves / (levels - 1) as f64,
            }
        })
    }

    /// Each category stays with a probability that is drawn between `least` and 1, all others
    /// alike.
    pub fn random_diagonal(levels: usize, least: f64, uniform: &mut impl Uniform) -> Self {
        let draws = (0..levels).map(|_| least + (1.0 - least) * uniform.draw());
        let stays: Vec<f64> = draws.collect();
        TransitionMatrix::of(levels, |k, l| match (k == l, levels) {
            (_, 1) => 1.0,
            (true, _) => stays[k],
            (false, _) => (1.0 - stays[k]) / (levels - 1) as f64,
        })
    }

    pub(super) fn of(levels: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        TransitionMatrix(Matrix::new(levels, levels, entry))
    }

    /// How many categories there are.
    pub fn levels(&self) -> usize {
        self.0.rows()
    }

    /// The probabilities of each category.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.0.iter()
    }

    /// The probability that `original` is released as `released`.
    pub fn at(&self, original: usize, released: usize) -> f64 {
        self.0.at(original, released)
    }

    /// What a released category was: Q_kj = P_jk T_j / Σ_i P_ik T_i, and itself where none is
    /// released as k.
    pub fn bayes(&self, frequencies: &[f64]) -> Self {
        let sums = self.expected(frequencies);
        TransitionMatrix::of(self.levels(), |k, j| match sums[k] > 0.0 {
            true => self.at(j, k) * frequencies[j] / sums[k],
            false => f64::from(k == j),
        })
    }

    /// A matrix by which these frequencies are expected to stay as they are: what is released is
    /// drawn by this one, and taken back by what it says of the original. Of the result the share
    /// `alpha` is used, and the share 1 − `alpha` of all stays.
    #[must_use]
    pub fn invariant(&self, frequencies: &[f64], alpha: f64) -> Self {
        let two = self.0.times(&self.bayes(frequencies).0);
        TransitionMatrix(two).mixed(alpha)
    }

    /// An invariant matrix of which at least the share `stays` of all rows is expected to stay;
    /// of an invariant matrix that lets more stay, itself.
    #[must_use]
    pub fn repaired(&self, frequencies: &[f64], stays: f64) -> Self {
        let invariant = self.invariant(frequencies, 1.0);
        let now = invariant.staying(frequencies);
        match now < stays {
            true => invariant.mixed((1.0 - stays) / (1.0 - now)),
            false => invariant,
        }
    }

    /// The share of all rows that is expected to stay as it is.
    pub fn staying(&self, frequencies: &[f64]) -> f64 {
        let all: f64 = frequencies.iter().sum();
        let stay = frequencies
            .iter()
            .enumerate()
            .map(|(k, t)| t * self.at(k, k));
        stay.sum::<f64>() / all
    }

    /// The share of all rows whose category somebody guesses right who knows the matrix and the
    /// frequencies: for each released category the original one that is most likely.
    pub fn guessed(&self, frequencies: &[f64]) -> f64 {
        let all: f64 = frequencies.iter().sum();
        let right = |released: usize| {
            let rows = frequencies.iter().enumerate();
            let rows = rows.map(|(k, t)| t * self.at(k, released));
            rows.fold(0.0, f64::max)
        };
        (0..self.levels()).map(right).sum::<f64>() / all
    }

    fn mixed(&self, alpha: f64) -> Self {
        TransitionMatrix::of(self.levels(), |k, l| {
            alpha * self.at(k, l) + (1.0 - alpha) * f64::from(k == l)
        })
    }

    /// The frequencies that a release is expected to have: Pᵀ T.
    pub fn expected(&self, frequencies: &[f64]) -> Vec<f64> {
        let mut expected = vec![0.0; self.levels()];
        crate::math::matrix::times(frequencies, &self.0, &mut expected);
        expected
    }

    /// The inverse, by which what was released is counted back.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn inverse(&self) -> Result<Matrix> {
        self.0.inverse().ok_or_else(|| {
            Error::input("the matrix has no inverse: a release tells nothing of some frequencies")
                .help("categories that become the same ones with the same probabilities cannot be told apart; let more of the values stay")
        })
    }

    /// By what factor, as its logarithm, a released category changes the odds of any two original
    /// ones at most; infinite where one rules another out.
    pub fn epsilon(&self) -> f64 {
        let column = |l: usize| {
            let chances = (0..self.levels()).map(|k| self.at(k, l));
            let (least, most) = chances.fold((1.0_f64, 0.0_f64), |(a, b), p| (a.min(p), b.max(p)));
            match most > 0.0 {
                true => (most / least).ln(),
                false => 0.0,
            }
        };
        (0..self.levels()).map(column).fold(0.0, f64::max)
    }

    /// Ready to be drawn from.
    pub(crate) fn draws(&self) -> Draws {
        let mut cumulative = self.0.clone();
        let mut last = Vec::with_capacity(self.levels());
        for k in 0..self.levels() {
            let row = cumulative.row_mut(k);
            last.push(row.iter().rposition(|&p| p > 0.0).unwrap_or(k));
            let mut sum = 0.0;
            for p in row {
                sum += *p;
                *p = sum;
            }
        }
        Draws { cumulative, last }
    }
}

const SQUARE: &str = "a matrix has a row for each category, and as many values in each row";

/// Cumulative probabilities.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    cumulative: Matrix,
    /// The last category of each row that can be drawn: sums of a row may miss 1 by rounding.
    last: Vec<usize>,
}

impl Draws {
    /// What a category becomes by a draw from [0, 1): the first whose cumulative probability is
    /// larger.
    #[inline]
    pub(crate) fn draw(&self, category: usize, u: f64) -> usize {
        let row = self.cumulative.row(category);
        row.partition_point(|&sum| sum <= u)
            .min(self.last[category])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn assert_stochastic(matrix: &TransitionMatrix) {
        for row in matrix.rows() {
            assert!(
                row.iter().all(|p| (0.0..=1.0 + 1e-12).contains(p)),
                "{row:?}"
            );
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
        }
    }

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-9, "{found:?} {expected:?}");
        }
    }

    const FREQUENCIES: [&[f64]; 8] = [
        &[10.0, 20.0, 30.0, 40.0],
        &[0.0, 3.0, 1.0],
        &[5.0],
        &[0.0],
        &[7.0, 0.0],
        &[0.0, 0.0, 0.0],
        &[0.0, 9.0, 0.0],
        &[1.0, 1_000_000.0, 17.0, 0.0, 3.0],
    ];

    fn designs(frequencies: &[f64], p: f64) -> [TransitionMatrix; 3] {
        let mut uniform = Xoshiro256PlusPlus::seed_from_u64(1);
        [
            TransitionMatrix::constant_diagonal(frequencies, p),
            TransitionMatrix::equal_counts(frequencies, p),
            TransitionMatrix::random_diagonal(frequencies.len(), p, &mut uniform),
        ]
    }

    #[test]
    fn rows_of_all_designs_are_probabilities_whatever_the_frequencies() {
        for frequencies in FREQUENCIES {
            for p in [0.0, 0.3, 1.0] {
                for design in designs(frequencies, p) {
                    assert_stochastic(&design);
                    assert_stochastic(&design.bayes(frequencies));
                    assert_stochastic(&design.invariant(frequencies, 0.7));
                }
            }
        }
    }

    #[test]
    fn invariant_matrices_keep_the_frequencies_and_equal_counts_does_too() {
        for frequencies in FREQUENCIES {
            for design in designs(frequencies, 0.4) {
                for alpha in [0.0, 0.5, 1.0] {
                    let invariant = design.invariant(frequencies, alpha);
                    near(&invariant.expected(frequencies), frequencies);
                }
            }
        }
        let full = FREQUENCIES[0];
        near(
            &TransitionMatrix::equal_counts(full, 0.8).expected(full),
            full,
        );
    }

    #[test]
    fn a_repaired_matrix_is_invariant_and_lets_the_wanted_share_stay() {
        for frequencies in [FREQUENCIES[0], FREQUENCIES[7]] {
            for design in designs(frequencies, 0.4) {
                let before = design.invariant(frequencies, 1.0).staying(frequencies);
                for stays in [0.2, 0.9, 0.99] {
                    let repaired = design.repaired(frequencies, stays);
                    assert_stochastic(&repaired);
                    near(&repaired.expected(frequencies), frequencies);
                    let found = repaired.staying(frequencies);
                    assert!(
                        (found - before.max(stays)).abs() < 1e-9,
                        "{found} {before} {stays}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_exchange_of_categories_hides_nothing_from_who_knows_the_matrix() {
        let frequencies = [60.0, 30.0, 10.0];
        let exchange = [
            vec![0.0, 1.0, 0.0],
            vec![0.0, 0.0, 1.0],
            vec![1.0, 0.0, 0.0],
        ];
        let exchange = TransitionMatrix::new(&exchange).expect("probabilities");
        assert_eq!(exchange.staying(&frequencies), 0.0);
        assert_eq!(exchange.guessed(&frequencies), 1.0);
        let blank =
            TransitionMatrix::new(&[vec![1.0 / 3.0; 3], vec![1.0 / 3.0; 3], vec![1.0 / 3.0; 3]]);
        let blank = blank.expect("probabilities").guessed(&frequencies);
        assert!(
            (blank - 0.6).abs() < 1e-12,
            "no more than without a release: {blank}"
        );
    }

    #[test]
    fn a_draw_is_the_first_category_whose_sum_is_larger() {
        let rows = [
            vec![0.25, 0.0, 0.75],
            vec![0.0, 1.0, 0.0],
            vec![1.0, 0.0, 0.0],
        ];
        let draws = TransitionMatrix::new(&rows).expect("probabilities").draws();
        for (u, expected) in [(0.0, 0), (0.2499, 0), (0.25, 2), (0.9999999999999999, 2)] {
            assert_eq!(draws.draw(0, u), expected, "{u}");
        }
        for u in [0.0, 0.5, 0.9999999999999999] {
            assert_eq!((draws.draw(1, u), draws.draw(2, u)), (1, 0));
        }
        // Ten tenths add up to less than 1, and the last category can never be drawn.
        let mut tenths = vec![0.1; 10];
        tenths.push(0.0);
        let rows: Vec<Vec<f64>> = vec![tenths; 11];
        let draws = TransitionMatrix::new(&rows).expect("probabilities").draws();
        assert_eq!(draws.draw(0, 0.9999999999999999), 9);
    }

    #[test]
    fn what_is_no_matrix_of_probabilities_is_refused_with_its_row() {
        let check = |rows: &[Vec<f64>], what: &str| {
            let error = TransitionMatrix::new(rows).expect_err(what);
            assert!(error.to_string().contains(what), "{error}");
        };
        check(&[], "no rows");
        check(
            &[vec![1.0], vec![0.5, 0.5]],
            "row 1 of the matrix has 1 values",
        );
        check(
            &[vec![0.5, 0.5], vec![0.2, 0.7]],
            "row 2 of the matrix adds up to 0.8999",
        );
        check(
            &[vec![1.5, -0.5], vec![0.0, 1.0]],
            "row 1 of the matrix has values outside",
        );
        check(&[vec![f64::NAN, 1.0], vec![0.0, 1.0]], "row 1");
        assert!(TransitionMatrix::new(&[vec![0.3333333, 0.6666667], vec![0.0, 1.0]]).is_ok());
    }

    #[test]
    fn epsilon_is_that_of_randomised_response() {
        let warner = |p: f64| {
            TransitionMatrix::new(&[vec![p, 1.0 - p], vec![1.0 - p, p]]).expect("probabilities")
        };
        assert!((warner(0.75).epsilon() - 3.0_f64.ln()).abs() < 1e-12);
        assert_eq!(warner(0.5).epsilon(), 0.0);
        assert_eq!(warner(1.0).epsilon(), f64::INFINITY);
    }
}
