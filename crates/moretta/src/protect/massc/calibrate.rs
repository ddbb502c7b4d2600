//! Calibration by raking: weights whose totals are those of the whole table.
//!
//! Of all weights with these totals, those that are nearest to the design weights d by
//! Σ w·ln(w/d) − w + d. They are d·exp(λ·x), so above 0; λ is found by Newton's steps, halved as long as
//! they lead too far. Where the totals are margins of categories this is iterative proportional
//! fitting.

use crate::cancel::Cancel;
use crate::data::{Batch, Column};
use crate::error::{Error, Result};
use crate::math::cholesky::Cholesky;

/// Totals that are kept at most: more would take too long, and leave no freedom.
const MOST_TOTALS: usize = 200;

/// How far totals may be off, as a share of what goes into them.
const TOLERANCE: f64 = 1e-12;

/// How far they may be off where rounding lets them come no nearer.
const ROUNDED: f64 = 1e-10;

const ROUNDS: usize = 100;

/// What each row adds to the totals, in the table and in the sample.
pub(super) struct Calibration<'a> {
    table: &'a Batch,
    sample: &'a Batch,
    totals: Vec<Total>,
    aims: Vec<f64>,
}

/// One total: the sum of what each row adds to it, times its weight.
enum Total {
    /// Every row adds 1.
    Rows,
    /// A row adds its number as a share of this one.
    Number(usize, f64),
    /// A row with this category adds 1.
    Category(usize, u32),
}

impl Total {
    fn of(&self, batch: &Batch, row: usize) -> f64 {
        match *self {
            Total::Rows => 1.0,
            Total::Number(place, scale) => match batch.column(place) {
                Column::Number(numbers) => numbers.get(row).map_or(0.0, |x| x / scale),
                _ => 0.0,
            },
            Total::Category(place, code) => match batch.column(place) {
                Column::Category(categories) => {
                    f64::from(u8::from(categories.codes()[row] == code))
                }
                _ => 0.0,
            },
        }
    }
}

impl<'a> Calibration<'a> {
    /// Of the sum of weights and the totals of these columns, which the sample codes like the table.
    pub(super) fn new(table: &'a Batch, sample: &'a Batch, names: &[String]) -> Result<Self> {
        let mut totals = vec![Total::Rows];
        for name in names {
            let place = table.schema().index_of(name);
            let place = place.ok_or_else(|| {
                Error::policy(format!("`totals` names `{name}`, which is not read"))
            })?;
            match table.column(place) {
                Column::Number(numbers) => {
                    let largest = numbers
                        .iter()
                        .flatten()
                        .fold(0.0, |most: f64, x| most.max(x.abs()));
                    // Where all are 0, so is every total.
                    totals.extend((largest > 0.0).then_some(Total::Number(place, largest)));
                }
                Column::Category(categories) => {
                    let mut codes = categories.codes().to_vec();
                    codes.sort_unstable();
                    codes.dedup();
                    // The weight of one category follows from the sum and the others; missing is
                    // a category of its own.
                    codes.pop();
                    totals.extend(codes.into_iter().map(|code| Total::Category(place, code)));
                }
                Column::Plain(_) => {
                    return Err(Error::policy(format!(
                        "`totals` names `{name}`, which only passes through"
                    ))
                    .help("give it a type: number or category"));
                }
            }
        }
        if totals.len() > MOST_TOTALS {
            return Err(
                Error::policy(format!("`totals` have more than {MOST_TOTALS} categories"))
                    .help("name columns with fewer categories"),
            );
        }
        Ok(Calibration {
            table,
            sample,
            totals,
            aims: Vec::new(),
        })
    }

    /// Takes the totals of the table with these weights as those to be met.
    pub(super) fn aim(&mut self, weights: &[f64]) {
        let of = |total: &Total| {
            let rows = weights.iter().enumerate();
            rows.map(|(row, weight)| weight * total.of(self.table, row))
                .sum()
        };
        self.aims = self.totals.iter().map(of).collect();
    }

    /// Weights of the sample with the totals that were taken, near to these.
    ///
    /// # Errors
    /// When there are none, or it is cancelled.
    pub(super) fn solve(&self, design: Vec<f64>, cancel: &Cancel) -> Result<Vec<f64>> {
        let width = self.totals.len();
        let mut multipliers = vec![0.0; width];
        let mut weights = design.clone();
        let mut root = Cholesky::new(width);
        let mut last = f64::INFINITY;
        for _ in 0..ROUNDS {
            cancel.check()?;
            let Sums {
                totals,
                sizes,
                products,
            } = self.sums(&weights);
            let missed: Vec<f64> = self
                .aims
                .iter()
                .zip(&totals)
                .map(|(aim, sum)| aim - sum)
                .collect();
            let off = missed.iter().zip(&sizes).zip(&self.aims);
            let off = off.map(|((missed, size), aim)| {
                missed.abs() / size.max(aim.abs()).max(f64::MIN_POSITIVE)
            });
            let off = off.fold(0.0, f64::max);
            if off <= TOLERANCE || off <= ROUNDED && off >= last {
                return Ok(weights);
            }
            last = off;
            // A little more on the diagonal lets totals follow from each other.
            root.factor(|i, j| {
                let product = products[i * width + j];
                product * if i == j { 1.0 + 1e-11 } else { 1.0 }
            });
            if !root.is_definite() {
                break;
            }
            let mut step = missed;
            root.solve(&mut step, 1);
            if !self.advance(&design, &mut multipliers, &step, &mut weights) {
                break;
            }
        }
        Err(
            Error::guarantee("no weights of the drawn rows have the totals of the table")
                .help("name fewer `totals`, draw more, or join categories that few have"),
        )
    }

    /// Goes as far along the step as it leads nearer: the function whose minimum is sought falls.
    fn advance(
        &self,
        design: &[f64],
        multipliers: &mut [f64],
        step: &[f64],
        weights: &mut Vec<f64>,
    ) -> bool {
        let height = |weights: &[f64], multipliers: &[f64]| {
            let aimed: f64 = multipliers
                .iter()
                .zip(&self.aims)
                .map(|(m, aim)| m * aim)
                .sum();
            weights.iter().sum::<f64>() - aimed
        };
        let before = height(weights, multipliers);
        let mut length = 1.0;
        while length > 1e-9 {
            let there = multipliers
                .iter()
                .zip(step)
                .map(|(m, step)| m + length * step);
            let there: Vec<f64> = there.collect();
            let moved: Vec<f64> = design
                .iter()
                .enumerate()
                .map(|(row, weight)| {
                    let terms = self.totals.iter().zip(&there);
                    weight
                        * terms
                            .map(|(total, m)| m * total.of(self.sample, row))
                            .sum::<f64>()
                            .exp()
                })
                .collect();
            let found = height(&moved, &there);
            if found.is_finite() && found <= before + 1e-12 * before.abs() {
                multipliers.copy_from_slice(&there);
                *weights = moved;
                return true;
            }
            length /= 2.0;
        }
        false
    }

    fn sums(&self, weights: &[f64]) -> Sums {
        let width = self.totals.len();
        let mut sums = Sums {
            totals: vec![0.0; width],
            sizes: vec![0.0; width],
            products: vec![0.0; width * width],
        };
        let mut adds = vec![0.0; width];
        for (row, &weight) in weights.iter().enumerate() {
            for (add, total) in adds.iter_mut().zip(&self.totals) {
                *add = total.of(self.sample, row);
            }
            for (i, &x) in adds.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                sums.totals[i] += weight * x;
                sums.sizes[i] += weight * x.abs();
                for (product, &y) in sums.products[i * width..].iter_mut().zip(&adds[..=i]) {
                    *product += weight * x * y;
                }
            }
        }
        sums
    }
}

/// Of weighted rows: the totals, how large what went into them was, and how totals go together.
struct Sums {
    totals: Vec<f64>,
    sizes: Vec<f64>,
    products: Vec<f64>,
}
