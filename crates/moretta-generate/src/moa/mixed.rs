//! Mixed: two bits and two numbers; the class is positive where two of three conditions hold.
//!
//! The conditions are the first bit, the second bit, and a point that lies below the
//! curve 0.5 + 0.3 sin 3πx. Gama and others, Learning with drift detection, SBIA 2004;
//! after MOA's `MixedGenerator`.

use super::{Generator, Header, Turns, Values, within};
use moretta_data::error::Result;
use moretta_data::math::java_random::JavaRandom;
use std::f64::consts::PI;

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct Mixed {
    /// The concept, 1 or 2; the second one exchanges the classes.
    pub function: u32,
    /// Decides the records.
    pub seed: i64,
    /// Whether the classes take turns.
    pub balanced: bool,
}

impl Default for Mixed {
    fn default() -> Self {
        Mixed {
            function: 1,
            seed: 1,
            balanced: false,
        }
    }
}

impl Mixed {
    /// Checks the options.
    pub fn generator(&self) -> Result<MixedGenerator> {
        within("function", self.function, 1..=2)?;
        Ok(MixedGenerator {
            random: JavaRandom::new(self.seed),
            exchanged: self.function == 2,
            turns: Turns::new(self.balanced),
        })
    }
}

/// Records of two bits and two numbers.
#[derive(Clone, Debug)]
pub struct MixedGenerator {
    random: JavaRandom,
    exchanged: bool,
    turns: Turns,
}

impl Generator for MixedGenerator {
    fn header(&self) -> Header {
        let bit = Values::Nominal(2);
        let number = Values::Number;
        let attributes = [("v", bit), ("w", bit), ("x", number), ("y", number)];
        Header {
            attributes: attributes
                .map(|(name, values)| (name.to_owned(), values))
                .to_vec(),
            classes: 2,
        }
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        loop {
            let [v, w] = [(); 2].map(|()| self.random.next_double() >= 0.5);
            let [x, y] = [(); 2].map(|()| self.random.next_double());
            let conditions = [v, w, below_wave(x, y)];
            let positive = conditions.iter().filter(|&&holds| holds).count() >= 2;
            let class = u32::from(positive == self.exchanged);
            if self.turns.accept(class) {
                record.copy_from_slice(&[f64::from(v), f64::from(w), x, y]);
                return class;
            }
        }
    }
}

/// Whether a point lies below the curve 0.5 + 0.3 sin 3πx.
pub(super) fn below_wave(x: f64, y: f64) -> bool {
    y < 0.5 + 0.3 * libm::sin(3.0 * PI * x)
}
