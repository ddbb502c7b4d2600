//! STAGGER: things of a size, a colour and a shape, and three concepts about them.
//!
//! Schlimmer and Granger, Incremental learning from noisy data, Machine Learning 1986;
//! after MOA's `STAGGERGenerator`.

use super::{Generator, Header, Turns, Values, within};
use moretta_data::error::Result;
use moretta_data::math::java_random::JavaRandom;

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct Stagger {
    /// The concept: 1 small and red, 2 green or a circle, 3 medium or large.
    pub function: u32,
    /// Decides the records.
    pub seed: i64,
    /// Whether the classes take turns.
    pub balanced: bool,
}

impl Default for Stagger {
    fn default() -> Self {
        Stagger {
            function: 1,
            seed: 1,
            balanced: false,
        }
    }
}

impl Stagger {
    /// Checks the options.
    pub fn generator(&self) -> Result<StaggerGenerator> {
        within("function", self.function, 1..=3)?;
        Ok(StaggerGenerator {
            random: JavaRandom::new(self.seed),
            function: self.function,
            turns: Turns::new(self.balanced),
        })
    }
}

/// Records of sizes (small, medium, large), colours (red, blue, green) and shapes (circle,
/// square, triangle).
#[derive(Clone, Debug)]
pub struct StaggerGenerator {
    random: JavaRandom,
    function: u32,
    turns: Turns,
}

impl Generator for StaggerGenerator {
    fn header(&self) -> Header {
        let attributes = ["size", "color", "shape"];
        Header {
            attributes: attributes
                .map(|name| (name.to_owned(), Values::Nominal(3)))
                .to_vec(),
            classes: 2,
        }
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        loop {
            let [size, color, shape] = [(); 3].map(|()| self.random.next_int_below(3));
            let class = u32::from(match self.function {
                1 => size == 0 && color == 0,
                2 => color == 2 || shape == 0,
                _ => size != 0,
            });
            if self.turns.accept(class) {
                record.copy_from_slice(&[size, color, shape].map(f64::from));
                return class;
            }
        }
    }
}
