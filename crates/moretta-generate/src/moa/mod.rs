//! The synthetic streams of MOA, bit for bit: records of numbers and nominal values, with a class.
//!
//! Learners and filters of streams are compared on them. The rows are those of
//! MOA for the same options and seeds, so what was published about them can be
//! repeated; the defaults are MOA's too. A record costs no allocation and the
//! memory is that of the model.
//!
//! Each generator is made from an inert struct of its options; it gives records
//! by itself, or batches through [`Instances`].
//!
//! ```
//! use moretta_generate::moa::{Generator, Sea};
//!
//! let mut sea = Sea::default().generator()?;
//! let mut record = [0.0; 3];
//! assert_eq!(sea.next(&mut record), 1);
//! assert_eq!(record, [7.308781907032909, 4.100808114922017, 2.077148413097171]);
//! # Ok::<(), moretta_data::Error>(())
//! ```

mod agrawal;
mod concept_drift;
mod hyperplane;
mod imbalanced;
mod instances;
mod led;
mod mixed;
mod random_rbf;
mod random_rbf_drift;
mod random_tree;
mod sea;
mod sine;
mod stagger;
mod waveform;

#[cfg(test)]
mod published;

pub use agrawal::{Agrawal, AgrawalGenerator};
pub use concept_drift::{ConceptDrift, ConceptDriftGenerator, Recurrence};
pub use hyperplane::{Hyperplane, HyperplaneGenerator};
pub use imbalanced::{Imbalanced, ImbalancedGenerator};
pub use instances::Instances;
pub use led::{Led, LedGenerator};
pub use mixed::{Mixed, MixedGenerator};
pub use random_rbf::{RandomRbf, RandomRbfGenerator};
pub use random_rbf_drift::{RandomRbfDrift, RandomRbfDriftGenerator};
pub use random_tree::{RandomTree, RandomTreeGenerator};
pub use sea::{Sea, SeaGenerator};
pub use sine::{Sine, SineGenerator};
pub use stagger::{Stagger, StaggerGenerator};
pub use waveform::{Waveform, WaveformGenerator};

use moretta_data::error::{Error, Result};
use moretta_data::math::java_random::JavaRandom;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// Gives records without end.
pub trait Generator: Debug + Send {
    /// What a record holds.
    fn header(&self) -> Header;
    /// Writes the next record, which has one place for each attribute, and gives
    /// its class. A nominal value is written as its index.
    fn next(&mut self, record: &mut [f64]) -> u32;
}

/// What the records of a stream hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Names and values of the attributes, in the order of the record.
    pub attributes: Vec<(String, Values)>,
    /// How many classes there are.
    pub classes: u32,
}

impl Header {
    /// `count` attributes called `att1`, `att2`, …
    fn numbered(count: usize, values: Values, classes: u32) -> Self {
        let name = |number| (format!("att{number}"), values);
        Header {
            attributes: (1..=count).map(name).collect(),
            classes,
        }
    }
}

/// What values an attribute takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Any number.
    Number,
    /// One of so many, by index.
    Nominal(u32),
}

/// Attributes, centroids and classes have bounds so that a slip of the hand does
/// not ask for more memory than there is.
const MOST: u32 = 10_000;

/// Fails when an option is out of its range.
fn within<T: PartialOrd + std::fmt::Display>(
    option: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    let (low, high) = range.into_inner();
    Err(Error::usage(format!("{option} cannot be {value}"))
        .help(format!("choose {option} from {low} to {high}")))
}

/// Whether chance hits so many percent.
fn percent(random: &mut JavaRandom, percentage: u32) -> bool {
    (random.next_int_below(100) as u32) < percentage
}

/// Takes turns between the two classes, if asked to; the first turn is class 1's.
#[derive(Clone, Debug)]
struct Turns {
    balanced: bool,
    wanted: u32,
}

impl Turns {
    fn new(balanced: bool) -> Self {
        Turns {
            balanced,
            wanted: 1,
        }
    }

    /// Whether a record of this class may go out; if so, the turn is over.
    fn accept(&mut self, class: u32) -> bool {
        let accepted = !self.balanced || class == self.wanted;
        if self.balanced && accepted {
            self.wanted = 1 - self.wanted;
        }
        accepted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_out_of_range_are_refused_with_the_range() {
        let check = |made: Result<()>, expected: &str| {
            let error = made.expect_err(expected);
            assert_eq!(error.exit_code(), 2);
            assert_eq!(error.to_string(), expected);
            assert!(error.help_text().is_some_and(|help| help.contains("from")));
        };
        let sea = Sea {
            function: 5,
            ..Sea::default()
        };
        check(sea.generator().map(drop), "function cannot be 5");
        let rbf = RandomRbf {
            centroids: 0,
            ..RandomRbf::default()
        };
        check(rbf.generator().map(drop), "centroids cannot be 0");
        let rbf = RandomRbf {
            attributes: usize::MAX,
            ..RandomRbf::default()
        };
        let told = format!("attributes cannot be {}", usize::MAX);
        check(rbf.generator().map(drop), &told);
        let drift = RandomRbfDrift {
            speed: f64::NAN,
            ..RandomRbfDrift::default()
        };
        check(drift.generator().map(drop), "speed cannot be NaN");
        let plane = Hyperplane {
            drift_attributes: 11,
            ..Hyperplane::default()
        };
        check(plane.generator().map(drop), "drift attributes cannot be 11");
        let agrawal = Agrawal {
            perturbation: 1.5,
            ..Agrawal::default()
        };
        check(agrawal.generator().map(drop), "perturbation cannot be 1.5");
    }
}
