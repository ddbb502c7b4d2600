//! LED: the seven segments of a digit's display, some of them wrong, and 17 bits that mean nothing.
//!
//! Breiman and others, Classification and Regression Trees, 1984; after MOA's
//! `LEDGenerator`. The class is the digit and never wrong.

use super::{Generator, Header, Values, percent, within};
use crate::error::Result;
use crate::math::java_random::JavaRandom;

const SEGMENTS: usize = 7;
const IRRELEVANT: usize = 17;

/// The segments of each digit, the first one highest.
const DIGITS: [u8; 10] = [
    0b1110111, 0b0010010, 0b1011101, 0b1011011, 0b0111010, 0b1101011, 0b1101111, 0b1010010,
    0b1111111, 0b1111011,
];

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct Led {
    /// Decides the records.
    pub seed: i64,
    /// How many percent of the segments are wrong.
    pub noise: u32,
    /// Leaves out the bits that mean nothing.
    pub only_relevant: bool,
}

impl Default for Led {
    fn default() -> Self {
        Led {
            seed: 1,
            noise: 10,
            only_relevant: false,
        }
    }
}

impl Led {
    /// Checks the options.
    pub fn generator(&self) -> Result<LedGenerator> {
        within("noise", self.noise, 0..=100)?;
        Ok(LedGenerator {
            random: JavaRandom::new(self.seed),
            noise: self.noise,
            attributes: SEGMENTS + if self.only_relevant { 0 } else { IRRELEVANT },
        })
    }
}

/// Records of bits.
#[derive(Clone, Debug)]
pub struct LedGenerator {
    random: JavaRandom,
    noise: u32,
    attributes: usize,
}

impl Generator for LedGenerator {
    fn header(&self) -> Header {
        Header::numbered(self.attributes, Values::Nominal(2), 10)
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        let digit = self.random.next_int_below(10) as usize;
        let (segments, irrelevant) = record.split_at_mut(SEGMENTS);
        for (at, value) in segments.iter_mut().enumerate() {
            let lit = DIGITS[digit] >> (SEGMENTS - 1 - at) & 1;
            *value = f64::from(lit ^ u8::from(percent(&mut self.random, self.noise)));
        }
        for value in irrelevant {
            *value = f64::from(self.random.next_int_below(2));
        }
        digit as u32
    }
}
