//! Numbers that follow from a key and a number of a record, whoever asks and how often.
//!
//! The stream of ChaCha20 under the key, with the number as nonce, gives 16 bytes for two
//! normals: the radius √(−2·ln u) of one half and the angle 2π·v of the other, of which cosine
//! and sine are two independent normals. No draw is refused and repeated, so each place of the
//! stream belongs to one number. None is further than 8.6 from 0.
//!
//! Logarithm, sine and cosine are those of `libm`, so that all platforms make the same bytes.
//!
//! **From** Box and Muller 1958.

use crate::federate::mask::fill;
use std::f64::consts::TAU;

/// 2⁻⁵³, the spacing of uniform draws.
const SPACING: f64 = 1.0 / (1_u64 << 53) as f64;

/// Draws under one key.
pub(super) struct Draws {
    key: [u8; 32],
    bytes: Vec<u8>,
}

impl Draws {
    pub(super) fn new(key: [u8; 32]) -> Self {
        Draws {
            key,
            bytes: Vec::new(),
        }
    }

    /// The standard normals of a number.
    pub(super) fn normals(&mut self, number: u64, out: &mut [f64]) {
        self.bytes.resize(out.len().div_ceil(2) * 16, 0);
        fill(&self.key, number, &mut self.bytes);
        for (bytes, pair) in self.bytes.as_chunks().0.iter().zip(out.chunks_mut(2)) {
            let bits = u128::from_le_bytes(*bytes);
            let normals = box_muller(bits as u64, (bits >> 64) as u64);
            pair.iter_mut().zip(normals).for_each(|(to, n)| *to = n);
        }
    }

    /// So many uniform numbers from −most to most.
    pub(super) fn within(&mut self, most: f64, count: usize) -> Vec<f64> {
        self.bytes.resize(count * 8, 0);
        fill(&self.key, 0, &mut self.bytes);
        let words = self.bytes.as_chunks().0.iter().copied();
        let uniform = words.map(|bytes| (u64::from_le_bytes(bytes) >> 11) as f64 * SPACING);
        uniform.map(|u| (2.0 * u - 1.0) * most).collect()
    }
}

fn box_muller(radius: u64, angle: u64) -> [f64; 2] {
    // In (0, 1], so that the logarithm is finite.
    let u = ((radius >> 11) + 1) as f64 * SPACING;
    let radius = (-2.0 * libm::log(u)).sqrt();
    let (sin, cos) = libm::sincos((angle >> 11) as f64 * SPACING * TAU);
    [radius * cos, radius * sin]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_range_give_finite_numbers() {
        assert_eq!(box_muller(u64::MAX, 0), [0.0, 0.0]);
        let [far, zero] = box_muller(0, 0);
        assert!((8.5..8.6).contains(&far) && zero == 0.0, "{far}");
        for angle in [1_u64 << 62, 1 << 63, u64::MAX] {
            let [x, y] = box_muller(0, angle);
            assert!((x.hypot(y) - far).abs() < 1e-12);
        }
    }

    #[test]
    fn normals_have_the_moments_of_the_normal_distribution() {
        let mut draws = Draws::new([7; 32]);
        let mut row = [0.0; 5];
        let (count, mut sums) = (200_000.0, [0.0; 4]);
        let mut cross = 0.0;
        for number in 0..40_000 {
            draws.normals(number, &mut row);
            cross += row[0] * row[1] + row[2] * row[3];
            for value in row {
                for (power, sum) in (1..).zip(&mut sums) {
                    *sum += f64::powi(value, power) / count;
                }
            }
        }
        // Five standard deviations of each mean: √(1, 2, 15, 96)/√count.
        for (place, (expected, variance)) in [(0.0, 1.0), (1.0, 2.0), (0.0, 15.0), (3.0, 96.0_f64)]
            .into_iter()
            .enumerate()
        {
            let bound = 5.0 * (variance / count).sqrt();
            assert!((sums[place] - expected).abs() < bound, "{place}: {sums:?}");
        }
        assert!(
            (cross / 80_000.0).abs() < 5.0 / 80_000_f64.sqrt(),
            "{cross}"
        );
    }

    #[test]
    fn normals_of_a_number_are_the_same_whenever_they_are_asked_for() {
        let mut draws = Draws::new([7; 32]);
        let mut at = |number: u64| {
            let mut row = [0.0; 3];
            draws.normals(number, &mut row);
            row.map(f64::to_bits)
        };
        let first = [at(0), at(1), at(2)];
        assert_eq!([at(2), at(0), at(1)], [first[2], first[0], first[1]]);
        assert_ne!(first[0], first[1]);
    }

    #[test]
    fn uniform_numbers_stay_within() {
        let numbers = Draws::new([1; 32]).within(5.0, 10_000);
        assert!(numbers.iter().all(|number| (-5.0..5.0).contains(number)));
        let mean = numbers.iter().sum::<f64>() / 10_000.0;
        // Five standard deviations.
        assert!(mean.abs() < 0.145, "{mean}");
    }
}
