//! `java.util.Random`, bit for bit: the source of chance of MOA and of the studies made with it.
//!
//! A linear congruential generator of 48 bits, so good enough to repeat what was
//! published and never for a secret. The logarithm of the Gaussian is fdlibm's,
//! as `StrictMath` demands: that of the platform differs in the last bit now and
//! then.
//!
//! ```
//! use moretta_data::math::java_random::JavaRandom;
//!
//! let mut random = JavaRandom::new(42);
//! assert_eq!(random.next_int(), -1_170_105_035);
//! assert_eq!(random.next_int_below(100), 63);
//! ```

use super::fdlibm::ln;

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// A generator in the state that Java's would have.
#[derive(Clone, Debug)]
pub struct JavaRandom {
    state: u64,
    /// The second value of the last pair of Gaussians.
    kept: Option<f64>,
}

impl JavaRandom {
    /// `new Random(seed)`
    pub fn new(seed: i64) -> Self {
        JavaRandom {
            state: (seed as u64 ^ MULTIPLIER) & MASK,
            kept: None,
        }
    }

    /// The state and the Gaussian that is kept, to go on from later.
    pub fn parts(&self) -> (u64, Option<f64>) {
        (self.state, self.kept)
    }

    /// A generator that goes on from [`parts`](Self::parts); none for a state of more
    /// than 48 bits.
    pub fn from_parts(state: u64, kept: Option<f64>) -> Option<Self> {
        (state <= MASK).then_some(JavaRandom { state, kept })
    }

    /// The top `bits` of the next state, at most 32.
    #[inline]
    fn next(&mut self, bits: u32) -> i32 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
        (self.state >> (48 - bits)) as i32
    }

    /// Any integer.
    #[inline]
    pub fn next_int(&mut self) -> i32 {
        self.next(32)
    }

    /// An integer from 0 up to, but without, `bound`, which is at least 1.
    #[inline]
    pub fn next_int_below(&mut self, bound: i32) -> i32 {
        debug_assert!(bound > 0);
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(self.next(31))) >> 31) as i32;
        }
        loop {
            let bits = self.next(31);
            let value = bits % bound;
            // The last, incomplete run of `bound` values would favour the small ones.
            if (bits - value).checked_add(bound - 1).is_some() {
                return value;
            }
        }
    }

    /// Any long integer that 48 bits of state can give.
    pub fn next_long(&mut self) -> i64 {
        let high = i64::from(self.next(32)) << 32;
        high.wrapping_add(i64::from(self.next(32)))
    }

    /// The toss of a coin.
    pub fn next_boolean(&mut self) -> bool {
        self.next(1) != 0
    }

    /// A number in [0, 1) with 24 bits.
    pub fn next_float(&mut self) -> f32 {
        self.next(24) as f32 / (1 << 24) as f32
    }

    /// A number in [0, 1) with 53 bits.
    #[inline]
    pub fn next_double(&mut self) -> f64 {
        let high = i64::from(self.next(26)) << 27;
        (high + i64::from(self.next(27))) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A standard normal number; each second one costs no draw.
    #[inline]
    pub fn next_gaussian(&mut self) -> f64 {
        if let Some(kept) = self.kept.take() {
            return kept;
        }
        loop {
            let first = 2.0 * self.next_double() - 1.0;
            let second = 2.0 * self.next_double() - 1.0;
            let square = first * first + second * second;
            if square < 1.0 && square != 0.0 {
                let multiplier = (-2.0 * ln(square) / square).sqrt();
                self.kept = Some(second * multiplier);
                return first * multiplier;
            }
        }
    }

    /// `Collections.shuffle(list, this)`
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for size in (2..=list.len()).rev() {
            list.swap(size - 1, self.next_int_below(size as i32) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// What Java prints for `call`, as text.
    fn call(random: &mut JavaRandom, call: &str) -> String {
        match call {
            "nextInt" => random.next_int().to_string(),
            "nextInt(100)" => random.next_int_below(100).to_string(),
            "nextInt(64)" => random.next_int_below(64).to_string(),
            "nextLong" => random.next_long().to_string(),
            "nextBoolean" => random.next_boolean().to_string(),
            "nextDouble" => random.next_double().to_bits().to_string(),
            "nextGaussian" => random.next_gaussian().to_bits().to_string(),
            _ => panic!("unknown call {call}"),
        }
    }

    #[test]
    fn every_call_gives_what_java_gives() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/data/moa-streams/java-util-random.csv");
        let Ok(text) = std::fs::read_to_string(path) else {
            assert!(std::env::var_os("CI").is_none(), "CI needs the shared data");
            return;
        };
        let mut random = JavaRandom::new(0);
        let mut compared = 0;
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            if cells[2] == "0" {
                random = JavaRandom::new(cells[0].parse().expect("a seed"));
            }
            let expected = match cells[1] {
                "nextDouble" | "nextGaussian" => {
                    let number: f64 = cells[3].parse().expect("a number");
                    number.to_bits().to_string()
                }
                _ => cells[3].to_owned(),
            };
            assert_eq!(call(&mut random, cells[1]), expected, "{line}");
            compared += 1;
        }
        assert_eq!(compared, 3500);
    }

    #[test]
    fn bounds_that_are_no_power_of_two_reject_the_last_run() {
        // Half of all draws are rejected here, so a generator that does not would differ.
        let mut random = JavaRandom::new(42);
        let mut plain = JavaRandom::new(42);
        let bound = (1 << 30) + 1;
        let given: Vec<i32> = (0..100).map(|_| random.next_int_below(bound)).collect();
        let all: Vec<i32> = (0..300).map(|_| plain.next(31)).collect();
        let fitting: Vec<i32> = all.into_iter().filter(|&bits| bits < bound).collect();
        assert_eq!(given, fitting[..100]);
    }

    #[test]
    fn floats_are_the_top_bits_of_a_draw() {
        let mut random = JavaRandom::new(7);
        let mut same = JavaRandom::new(7);
        for _ in 0..1000 {
            let float = random.next_float();
            let bits = same.next_int() as u32 >> 8;
            assert_eq!(float, bits as f32 / 16_777_216.0);
        }
    }

    #[test]
    fn shuffling_draws_from_the_end_and_nothing_for_one() {
        let mut random = JavaRandom::new(5);
        let mut same = random.clone();
        let mut list = [0, 1, 2, 3];
        random.shuffle(&mut list);
        let mut expected = [0, 1, 2, 3];
        for size in [4, 3, 2] {
            expected.swap(size - 1, same.next_int_below(size as i32) as usize);
        }
        assert_eq!(list, expected);
        random.shuffle(&mut [1]);
        assert_eq!(random.next_int(), same.next_int());
    }
}
