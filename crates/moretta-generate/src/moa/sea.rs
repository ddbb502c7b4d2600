//! SEA: three numbers from 0 to 10, of which two decide the class by their sum.
//!
//! Street and Kim, A streaming ensemble algorithm (SEA) for large-scale
//! classification, KDD 2001; after MOA's `SEAGenerator`.

use super::{Generator, Header, Turns, Values, percent, within};
use moretta_data::error::Result;
use moretta_data::math::java_random::JavaRandom;

/// The sums up to which the class is 0, for each function.
const THRESHOLDS: [f64; 4] = [8.0, 9.0, 7.0, 9.5];

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct Sea {
    /// The concept, 1 to 4.
    pub function: u32,
    /// Decides the records.
    pub seed: i64,
    /// Whether the classes take turns.
    pub balanced: bool,
    /// How many percent of the classes are wrong.
    pub noise: u32,
}

impl Default for Sea {
    fn default() -> Self {
        Sea {
            function: 1,
            seed: 1,
            balanced: false,
            noise: 10,
        }
    }
}

impl Sea {
    /// Checks the options.
    pub fn generator(&self) -> Result<SeaGenerator> {
        within("function", self.function, 1..=4)?;
        within("noise", self.noise, 0..=100)?;
        Ok(SeaGenerator {
            random: JavaRandom::new(self.seed),
            threshold: THRESHOLDS[self.function as usize - 1],
            noise: self.noise,
            turns: Turns::new(self.balanced),
        })
    }
}

/// Records of three numbers.
#[derive(Clone, Debug)]
pub struct SeaGenerator {
    random: JavaRandom,
    threshold: f64,
    noise: u32,
    turns: Turns,
}

impl Generator for SeaGenerator {
    fn header(&self) -> Header {
        let name = |number| (format!("attrib{number}"), Values::Number);
        Header {
            attributes: (1..=3).map(name).collect(),
            classes: 2,
        }
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        loop {
            for value in record.iter_mut() {
                *value = 10.0 * self.random.next_double();
            }
            let class = u32::from(record[0] + record[1] > self.threshold);
            if self.turns.accept(class) {
                return class ^ u32::from(percent(&mut self.random, self.noise));
            }
        }
    }
}
