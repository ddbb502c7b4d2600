//! Sine: points in the unit square, below or above a curve, and two numbers that mean nothing.
//!
//! Gama and others, Learning with drift detection, SBIA 2004; after MOA's
//! `SineGenerator`.

use super::mixed::below_wave;
use super::{Generator, Header, Turns, Values, within};
use moretta_data::error::Result;
use moretta_data::math::java_random::JavaRandom;

const RELEVANT: usize = 2;
const IRRELEVANT: usize = 2;

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct Sine {
    /// The concept, 1 to 4: below sin x or below 0.5 + 0.3 sin 3πx; 2 and 4 exchange the classes.
    pub function: u32,
    /// Decides the records.
    pub seed: i64,
    /// Whether the classes take turns.
    pub balanced: bool,
    /// Leaves out the numbers that mean nothing.
    pub only_relevant: bool,
}

impl Default for Sine {
    fn default() -> Self {
        Sine {
            function: 1,
            seed: 1,
            balanced: false,
            only_relevant: false,
        }
    }
}

impl Sine {
    /// Checks the options.
    pub fn generator(&self) -> Result<SineGenerator> {
        within("function", self.function, 1..=4)?;
        Ok(SineGenerator {
            random: JavaRandom::new(self.seed),
            function: self.function,
            turns: Turns::new(self.balanced),
            attributes: RELEVANT + if self.only_relevant { 0 } else { IRRELEVANT },
        })
    }
}

/// Records of points.
#[derive(Clone, Debug)]
pub struct SineGenerator {
    random: JavaRandom,
    function: u32,
    turns: Turns,
    attributes: usize,
}

impl Generator for SineGenerator {
    fn header(&self) -> Header {
        Header::numbered(self.attributes, Values::Number, 2)
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        let (point, irrelevant) = record.split_at_mut(RELEVANT);
        loop {
            point.fill_with(|| self.random.next_double());
            let (x, y) = (point[0], point[1]);
            let below = match self.function {
                1 | 2 => y < libm::sin(x),
                _ => below_wave(x, y),
            };
            let exchanged = self.function.is_multiple_of(2);
            let class = u32::from(below == exchanged);
            if self.turns.accept(class) {
                irrelevant.fill_with(|| self.random.next_double());
                return class;
            }
        }
    }
}
