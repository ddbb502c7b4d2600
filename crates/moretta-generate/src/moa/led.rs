//! LED: the seven segments of a digit's display, some of them wrong, and 17 bits that mean nothing.
//!
//! Breiman and others, Classification and Regression Trees, 1984; after MOA's
//! `LEDGenerator`. The class is the digit and never wrong. With drift, as in
//! `LEDGeneratorDrift`, the first segments stand where bits without meaning stood: a
//! stream of it after one without is a change of concept.

use super::{Generator, Header, Values, percent, within};
use moretta_data::error::Result;
use moretta_data::math::java_random::JavaRandom;

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
    /// How many segments, 0 to 7, have changed places with bits that mean nothing; none where
    /// those are left out.
    pub drift_attributes: usize,
}

impl Default for Led {
    fn default() -> Self {
        Led {
            seed: 1,
            noise: 10,
            only_relevant: false,
            drift_attributes: 0,
        }
    }
}

impl Led {
    /// Checks the options.
    pub fn generator(&self) -> Result<LedGenerator> {
        within("noise", self.noise, 0..=100)?;
        within("drift attributes", self.drift_attributes, 0..=SEGMENTS)?;
        let attributes = SEGMENTS + if self.only_relevant { 0 } else { IRRELEVANT };
        let mut places: Vec<usize> = (0..attributes).collect();
        if !self.only_relevant {
            let (segments, irrelevant) = places.split_at_mut(SEGMENTS);
            let moved = self.drift_attributes;
            segments[..moved].swap_with_slice(&mut irrelevant[..moved]);
        }
        Ok(LedGenerator {
            random: JavaRandom::new(self.seed),
            noise: self.noise,
            places,
        })
    }
}

/// Records of bits.
#[derive(Clone, Debug)]
pub struct LedGenerator {
    random: JavaRandom,
    noise: u32,
    /// Where each bit is written, the segments first.
    places: Vec<usize>,
}

impl Generator for LedGenerator {
    fn header(&self) -> Header {
        Header::numbered(self.places.len(), Values::Nominal(2), 10)
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        let digit = self.random.next_int_below(10) as usize;
        let (segments, irrelevant) = self.places.split_at(SEGMENTS);
        for (at, &place) in segments.iter().enumerate() {
            let lit = DIGITS[digit] >> (SEGMENTS - 1 - at) & 1;
            record[place] = f64::from(lit ^ u8::from(percent(&mut self.random, self.noise)));
        }
        for &place in irrelevant {
            record[place] = f64::from(self.random.next_int_below(2));
        }
        digit as u32
    }
}
