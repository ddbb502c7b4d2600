//! How well a matrix fits if records of each class are distributed as normal kernels
//! round those of the sample, and what is expected of a record then.

use super::population::Class;
use super::prior::Prior;
use super::spread::Spread;
use crate::math::matrix::{Matrix, times};
use crate::math::optimize::Objective;
use rayon::prelude::*;

/// Records that are looked at together; the same for any number of threads.
const CHUNK: usize = 64;

/// The logarithm of the density of released records.
pub(super) struct Kernels<'a> {
    pub(super) prior: &'a Prior,
    pub(super) classes: &'a [Class],
    /// Covariance of the noise.
    pub(super) noise: &'a Matrix,
}

/// Sums over released records.
struct Sums {
    density: f64,
    /// By kernel, distances of the records from it, weighted by their shares, white.
    distances: Vec<f64>,
    /// Products of them.
    products: Vec<f64>,
}

impl Kernels<'_> {
    /// None where the density is not defined.
    fn class(&self, matrix: &Matrix, class: &Class, slopes: &mut Matrix) -> Option<f64> {
        let k = matrix.columns();
        let seen = Seen::new(matrix, class, self.noise)?;
        let chunks: Vec<Sums> = class
            .records
            .values()
            .par_chunks(CHUNK * k)
            .map(|records| seen.sums(records))
            .collect();
        let mut sums = seen.no_sums();
        for chunk in chunks {
            sums.density += chunk.density;
            add(&mut sums.distances, &chunk.distances);
            add(&mut sums.products, &chunk.products);
        }
        let n = class.records.rows() as f64;
        let scale = class.weight / n;
        let spread = &seen.spread;
        let centres = class.centres.iter();
        for (distances, centre) in sums.distances.chunks_exact_mut(k).zip(centres) {
            spread.factor.solve_upper(distances, 1);
            for (place, &x) in centre.iter().enumerate() {
                let slopes = slopes.row_mut(place).iter_mut().zip(&*distances);
                slopes.for_each(|(slope, distance)| *slope += scale * x * distance);
            }
        }
        let mut half = sums.products;
        spread.factor.solve_upper(&mut half, k);
        let mut by_spread = Matrix::of_values(k, half).transposed().values().to_vec();
        spread.factor.solve_upper(&mut by_spread, k);
        let by_spread = Matrix::new(k, k, |i, j| {
            0.5 * scale * (by_spread[i * k + j] - n * spread.inverse.at(i, j))
        });
        spread.add_slope(&by_spread, slopes);
        Some(scale * (sums.density - 0.5 * n * spread.factor.log_determinant()))
    }
}

impl Objective for Kernels<'_> {
    fn value(&mut self, point: &[f64]) -> f64 {
        self.gradient(point, &mut vec![0.0; point.len()])
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let matrix = self.prior.matrix(point);
        let mut slopes = Matrix::zeros(matrix.rows(), matrix.columns());
        let mut value = 0.0;
        for class in self.classes {
            match self.class(&matrix, class, &mut slopes) {
                Some(part) => value += part,
                None => return f64::NEG_INFINITY,
            }
        }
        value + self.prior.slope(point, &slopes, gradient)
    }
}

/// The kernels of a class as a release shows them.
pub(super) struct Seen<'a> {
    class: &'a Class,
    matrix: &'a Matrix,
    spread: Spread,
    /// Where they are, white.
    centres: Vec<f64>,
    /// What a released record tells of the features, k × m.
    gain: Matrix,
}

impl<'a> Seen<'a> {
    pub(super) fn new(matrix: &'a Matrix, class: &'a Class, noise: &Matrix) -> Option<Self> {
        let spread = Spread::new(matrix, &class.kernel, noise)?;
        let k = matrix.columns();
        let centres = class.centres.times(matrix);
        let mut centres = centres.values().to_vec();
        centres
            .chunks_exact_mut(k)
            .for_each(|centre| spread.whiten(centre));
        Some(Seen {
            gain: spread.weighted.transposed().solved(&spread.factor),
            class,
            matrix,
            spread,
            centres,
        })
    }

    /// The share that each kernel has in a white record, and the logarithm of their
    /// mean density.
    fn shares(&self, record: &[f64], shares: &mut [f64]) -> f64 {
        let k = record.len();
        let mut most = f64::NEG_INFINITY;
        for (share, centre) in shares.iter_mut().zip(self.centres.chunks_exact(k)) {
            let squares = centre.iter().zip(record).map(|(a, b)| (a - b) * (a - b));
            *share = -0.5 * squares.sum::<f64>();
            most = most.max(*share);
        }
        let mut sum = 0.0;
        for share in &mut *shares {
            *share = (*share - most).exp();
            sum += *share;
        }
        shares.iter_mut().for_each(|share| *share /= sum);
        most + (sum / shares.len() as f64).ln()
    }

    fn no_sums(&self) -> Sums {
        let k = self.matrix.columns();
        Sums {
            density: 0.0,
            distances: vec![0.0; self.centres.len()],
            products: vec![0.0; k * k],
        }
    }

    fn sums(&self, records: &[f64]) -> Sums {
        const NOTHING: f64 = 1e-9;
        let k = self.matrix.columns();
        let mut sums = self.no_sums();
        let mut shares = vec![0.0; self.centres.len() / k];
        let (mut white, mut apart) = (vec![0.0; k], vec![0.0; k]);
        for record in records.chunks_exact(k) {
            white.copy_from_slice(record);
            self.spread.whiten(&mut white);
            sums.density += self.shares(&white, &mut shares);
            let kernels = self.centres.chunks_exact(k).zip(&shares);
            for ((centre, &share), distances) in kernels.zip(sums.distances.chunks_exact_mut(k)) {
                if share < NOTHING {
                    continue;
                }
                for ((apart, x), y) in apart.iter_mut().zip(&white).zip(centre) {
                    *apart = x - y;
                }
                for (i, x) in apart.iter().enumerate() {
                    distances[i] += share * x;
                    let products = sums.products[i * k..][..k].iter_mut().zip(&apart);
                    products.for_each(|(product, y)| *product += share * x * y);
                }
            }
        }
        sums
    }

    /// What is expected of the features of a released record.
    pub(super) fn expected(&self, record: &[f64]) -> Vec<f64> {
        let mut white = record.to_vec();
        self.spread.whiten(&mut white);
        let mut shares = vec![0.0; self.class.centres.rows()];
        self.shares(&white, &mut shares);
        let mut features = vec![0.0; self.matrix.rows()];
        times(&shares, &self.class.centres, &mut features);
        let mut back = vec![0.0; record.len()];
        times(&features, self.matrix, &mut back);
        let apart: Vec<f64> = record.iter().zip(&back).map(|(x, y)| x - y).collect();
        times(&apart, &self.gain, &mut features);
        features
    }
}

fn add(sums: &mut [f64], parts: &[f64]) {
    for (sum, part) in sums.iter_mut().zip(parts) {
        *sum += part;
    }
}
