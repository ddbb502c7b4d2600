//! Where the intervals of a release begin and end.

use crate::config::{Accepts, POSITIVE, Placed, Value, word, words};
use crate::error::Result;

/// What the bounds of an interval of numbers or dates are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Bounds {
    /// Round numbers that do not depend on single rows; see the method's page.
    #[default]
    Rounded,
    /// Multiples of this number; of so many days for dates.
    Every(f64),
    /// Labels of the hierarchy that every column of numbers or dates must have.
    Hierarchy,
    /// The least and the largest value of the class.
    Exact,
}

const BOUNDS: &[(&str, Bounds)] = &[
    ("rounded", Bounds::Rounded),
    ("hierarchy", Bounds::Hierarchy),
    ("exact", Bounds::Exact),
];

impl From<Bounds> for Value {
    fn from(bounds: Bounds) -> Self {
        match bounds {
            Bounds::Every(width) => Value::from(width),
            other => Value::from(word(BOUNDS, &other).unwrap_or_default()),
        }
    }
}

impl Bounds {
    /// The words of a policy, or a width.
    pub(super) const ACCEPTED: Accepts = Accepts::OneOf(&[
        Accepts::Word(|| words(BOUNDS)),
        Accepts::Number(POSITIVE, f64::MAX),
    ]);

    pub(super) fn read(placed: &Placed, name: &str) -> Result<Bounds> {
        match placed.value {
            Value::Text(_) => placed.word(name, BOUNDS),
            _ => placed.number(name).map(Bounds::Every),
        }
    }
}
