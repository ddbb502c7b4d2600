//! The geometric distribution: P(n) = (1 − q) qⁿ with q = e^−γ.
//!
//! Written in binary, the bits of a geometric number are independent, and bit i
//! is one with probability qʷ / (1 + qʷ), w = 2ⁱ. So the low bits of a sample,
//! as far as γ 2ⁱ < 2, are one coin each, and what is above them is geometric
//! again with few values: the length of a run of coins of probability e^−γ2ⁱ.
//!
//! A coin compares uniform bits with its threshold, known to 118 bits, and
//! stops at the first byte that differs: seldom more than one is needed. The
//! distribution is exact to 2⁻¹¹¹ in total variation.

use super::Ratio;
use super::fixed_point::{exp_negative, quotient};
use crate::protect::dp::Entropy;

const MOST_BITS: usize = 50;

/// The longest run; a longer one has a probability below 2⁻²⁰⁰⁰⁰.
const LONGEST: u64 = 8191;

/// A sampler of geometric numbers.
#[derive(Clone, Debug)]
pub struct Geometric {
    /// How many low bits have a coin.
    bits: usize,
    /// The first byte of the threshold of each, and of the coin of the run.
    first: [u8; MOST_BITS + 1],
    /// The bytes that follow.
    rest: [u128; MOST_BITS + 1],
}

impl Geometric {
    /// Numbers that fall off at the rate γ.
    pub fn new(rate: Ratio) -> Self {
        let mut sampler = Geometric {
            bits: 0,
            first: [0; MOST_BITS + 1],
            rest: [0; MOST_BITS + 1],
        };
        let numerator = u128::from(rate.numerator());
        let denominator = u128::from(rate.denominator());
        while numerator << sampler.bits < 2 * denominator {
            sampler.set(sampler.bits, bit_threshold(rate, sampler.bits as u32));
            sampler.bits += 1;
        }
        if numerator < 128 * denominator {
            sampler.set(sampler.bits, exp_negative(rate, sampler.bits as u32));
        }
        sampler
    }

    fn set(&mut self, coin: usize, threshold: u128) {
        self.first[coin] = (threshold >> 120) as u8;
        self.rest[coin] = threshold << 8;
    }

    /// One number.
    pub fn sample(&self, entropy: &mut Entropy) -> u64 {
        self.sample_and_bit(entropy).0
    }

    /// One number and a fair coin.
    #[inline]
    pub(super) fn sample_and_bit(&self, entropy: &mut Entropy) -> (u64, bool) {
        let (mut number, mut undecided) = (0u64, 0u64);
        let bytes = entropy.bytes(self.bits + 1);
        let coin = bytes[self.bits] & 1 == 1;
        for (i, (&byte, &first)) in bytes.iter().zip(&self.first[..self.bits]).enumerate() {
            number |= u64::from(byte < first) << i;
            undecided |= u64::from(byte == first) << i;
        }
        while undecided > 0 {
            let i = undecided.trailing_zeros();
            number |= u64::from(is_below(entropy, self.rest[i as usize])) << i;
            undecided &= undecided - 1;
        }
        (number | self.run(entropy) << self.bits, coin)
    }

    #[inline]
    fn run(&self, entropy: &mut Entropy) -> u64 {
        let (first, rest) = (self.first[self.bits], self.rest[self.bits]);
        let mut length = 0;
        while length < LONGEST {
            let byte = entropy.bytes(1)[0];
            if byte > first || byte == first && !is_below(entropy, rest) {
                break;
            }
            length += 1;
        }
        length
    }

    /// The logarithm of the probability of `n`, from the thresholds as they stand.
    #[cfg(test)]
    pub(in crate::protect::dp) fn log_probability(&self, n: u64) -> f64 {
        let odds = |i| (f64::from(self.first[i]) + self.rest[i] as f64 / 2f64.powi(128)) / 256.0;
        let bit = |i| match n >> i & 1 {
            1 => f64::ln(odds(i)),
            _ => f64::ln_1p(-odds(i)),
        };
        let run = odds(self.bits);
        (0..self.bits).map(bit).sum::<f64>() + (n >> self.bits) as f64 * run.ln() + (-run).ln_1p()
    }
}

/// 2¹²⁸ p / (1 + p) for p = e^−γ2ⁱ, to within 2¹⁰.
fn bit_threshold(rate: Ratio, i: u32) -> u128 {
    let power = exp_negative(rate, i) >> 2;
    quotient(power, (1 << 126) + power)
}

/// Whether a uniform fraction lies below this one; its bits are drawn as needed.
fn is_below(entropy: &mut Entropy, fraction: u128) -> bool {
    let (high, low) = ((fraction >> 64) as u64, fraction as u64);
    let drawn = entropy.next_u64();
    drawn < high || drawn == high && entropy.next_u64() < low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protect::dp::acceptance::{accepts, rejects, tally};

    /// The cells 0, 1, …, cells − 1, the last one with the tail.
    fn probabilities(rate: f64, cells: usize) -> Vec<f64> {
        let q = (-rate).exp();
        let mut p: Vec<f64> = (0..cells).map(|n| (1.0 - q) * q.powi(n as i32)).collect();
        p[cells - 1] = q.powi(cells as i32 - 1);
        p
    }

    fn sampler(a: u64, b: u64) -> Geometric {
        Geometric::new(Ratio::new(a, b).expect("in range"))
    }

    #[test]
    fn samples_are_geometric() {
        let mut entropy = Entropy::fixed(1);
        for (a, b) in [(1, 100), (1, 3), (1, 1), (7, 2), (200, 1)] {
            let sampler = sampler(a, b);
            let cells = (8 * b / a + 3) as usize;
            let counts = tally(cells, 60_000, || sampler.sample(&mut entropy) as usize);
            accepts(&counts, &probabilities(a as f64 / b as f64, cells));
        }
    }

    #[test]
    fn a_doubled_rate_an_offset_and_a_lost_bit_are_rejected() {
        let expected = probabilities(0.1, 80);
        let (right, doubled, near) = (sampler(1, 10), sampler(2, 10), sampler(11, 100));
        let planted: [&dyn Fn(&mut Entropy) -> u64; 4] = [
            &|entropy| doubled.sample(entropy),
            &|entropy| right.sample(entropy) + 1,
            &|entropy| right.sample(entropy) & !4,
            &|entropy| near.sample(entropy),
        ];
        for bug in planted {
            let mut entropy = Entropy::fixed(2);
            let counts = tally(80, 50_000, || bug(&mut entropy) as usize);
            rejects(&counts, &expected);
        }
    }

    #[test]
    fn the_coins_multiply_to_the_geometric_probabilities() {
        for (a, b) in [(1u64, 7u64), (3, 2), (1, 1_000_000)] {
            let rate = a as f64 / b as f64;
            let sampler = sampler(a, b);
            for n in [0u64, 1, 2, 5, 12, 40, 1_000_003] {
                let log = sampler.log_probability(n);
                let expected = (-(-rate).exp_m1()).ln() - rate * n as f64;
                if n as f64 * rate < 60.0 {
                    assert!((log - expected).abs() < 1e-9, "{a}/{b} at {n}");
                }
            }
        }
    }

    #[test]
    fn undecided_bytes_are_decided_by_the_bytes_that_follow() {
        let mut entropy = Entropy::fixed(3);
        let counts = tally(2, 50_000, || is_below(&mut entropy, 3 << 126).into());
        accepts(&counts, &[0.25, 0.75]);
    }
}
