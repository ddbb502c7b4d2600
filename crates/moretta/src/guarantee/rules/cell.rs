//! What a cell can be, and what that lets comparisons be.
//!
//! Truths have an order: false, unknown, true. A comparison of cells can have any truth of a
//! [`Span`]; its ends are exact for a single comparison.

use super::formula::Comparison;

/// The values that a cell can stand for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// It can be missing.
    pub(super) missing: bool,
    pub(super) values: Values,
}

/// Values, each a number.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    /// All between two, both included, or of these the whole ones. An end that is infinite is
    /// open.
    Within { low: f64, high: f64, whole: bool },
    /// These, ascending.
    OneOf(Vec<f64>),
}

/// How true something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Truth {
    False,
    Unknown,
    True,
}

/// The least and the largest truth that something can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) low: Truth,
    pub(super) high: Truth,
}

impl Span {
    pub(super) const OF_ONE: fn(Truth) -> Span = |truth| Span {
        low: truth,
        high: truth,
    };

    /// Of something that can be false, true or, where a cell is missing, unknown.
    fn of(can_be_false: bool, can_be_true: bool, missing: bool) -> Span {
        Span {
            low: match (can_be_false, missing) {
                (true, _) => Truth::False,
                (false, true) => Truth::Unknown,
                (false, false) => Truth::True,
            },
            high: match (can_be_true, missing) {
                (true, _) => Truth::True,
                (false, true) => Truth::Unknown,
                (false, false) => Truth::False,
            },
        }
    }

    pub(super) fn not(self) -> Span {
        let turned = |truth| match truth {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        };
        Span {
            low: turned(self.high),
            high: turned(self.low),
        }
    }
}

impl Cell {
    pub(super) fn missing() -> Self {
        Cell {
            missing: true,
            values: Values::OneOf(Vec::new()),
        }
    }

    /// One number.
    pub(super) fn one(value: f64) -> Self {
        Cell {
            missing: false,
            values: Values::Within {
                low: value,
                high: value,
                whole: false,
            },
        }
    }

    /// Any value, also none.
    pub(super) fn anything(whole: bool) -> Self {
        Cell {
            missing: true,
            values: Values::everything(whole),
        }
    }

    /// Whether it can be nothing at all: no value and not missing.
    pub(super) fn is_impossible(&self) -> bool {
        !self.missing && self.values.is_empty()
    }

    /// Whether the cell compared with a number can be false, unknown, true.
    pub(super) fn compare(&self, comparison: Comparison, other: &Cell) -> Span {
        let (a, b) = (&self.values, &other.values);
        if a.is_empty() || b.is_empty() {
            return Span::OF_ONE(Truth::Unknown);
        }
        let missing = self.missing || other.missing;
        let (can_be_true, can_be_false) = match comparison {
            Comparison::Equal => (a.meets(b), a.differs(b)),
            Comparison::NotEqual => (a.differs(b), a.meets(b)),
            Comparison::Less => (a.low() < b.high(), a.high() >= b.low()),
            Comparison::AtLeast => (a.high() >= b.low(), a.low() < b.high()),
            Comparison::AtMost => (a.low() <= b.high(), a.high() > b.low()),
            Comparison::Greater => (a.high() > b.low(), a.low() <= b.high()),
        };
        Span::of(can_be_false, can_be_true, missing)
    }

    /// Whether the cell is one of some ascending numbers.
    pub(super) fn is_in(&self, numbers: &[f64]) -> Span {
        if self.values.is_empty() {
            return Span::OF_ONE(Truth::Unknown);
        }
        let can_be_true = numbers.iter().any(|&number| self.values.has(number));
        Span::of(
            self.values.has_other_than(numbers),
            can_be_true,
            self.missing,
        )
    }

    /// Whether the cell is missing, which is never unknown.
    pub(super) fn is_missing(&self) -> Span {
        Span::of(!self.values.is_empty(), self.missing, false)
    }
}

impl Values {
    pub(super) fn everything(whole: bool) -> Self {
        Values::Within {
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            whole,
        }
    }

    /// All between two numbers; whole ones end at whole ones.
    pub(super) fn within(low: f64, high: f64, whole: bool) -> Self {
        let (low, high) = match whole {
            true => (low.ceil(), high.floor()),
            false => (low, high),
        };
        match low <= high {
            true => Values::Within { low, high, whole },
            false => Values::OneOf(Vec::new()),
        }
    }

    /// These, in any order.
    pub(super) fn one_of(mut numbers: Vec<f64>) -> Self {
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        Values::OneOf(numbers)
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Values::OneOf(numbers) if numbers.is_empty())
    }

    /// The least, or minus infinity.
    pub(super) fn low(&self) -> f64 {
        match self {
            Values::Within { low, .. } => *low,
            Values::OneOf(numbers) => numbers.first().copied().unwrap_or(f64::INFINITY),
        }
    }

    /// The largest, or infinity.
    pub(super) fn high(&self) -> f64 {
        match self {
            Values::Within { high, .. } => *high,
            Values::OneOf(numbers) => numbers.last().copied().unwrap_or(f64::NEG_INFINITY),
        }
    }

    pub(super) fn has(&self, number: f64) -> bool {
        match self {
            Values::Within { low, high, whole } => {
                *low <= number && number <= *high && (!whole || number.fract() == 0.0)
            }
            Values::OneOf(numbers) => numbers.binary_search_by(|n| n.total_cmp(&number)).is_ok(),
        }
    }

    /// Whether both have a value in common.
    fn meets(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::OneOf(numbers), values) | (values, Values::OneOf(numbers)) => {
                numbers.iter().any(|&number| values.has(number))
            }
            (
                Values::Within { low, high, whole },
                Values::Within {
                    low: other_low,
                    high: other_high,
                    whole: other_whole,
                },
            ) => {
                let (low, high) = (low.max(*other_low), high.min(*other_high));
                !Values::within(low, high, *whole || *other_whole).is_empty()
            }
        }
    }

    /// Whether one can have a value that is not that of the other.
    fn differs(&self, other: &Values) -> bool {
        self.low() != self.high() || other.low() != other.high() || self.low() != other.low()
    }

    /// Whether it has a value that is none of some ascending numbers.
    fn has_other_than(&self, numbers: &[f64]) -> bool {
        let listed = |number: f64| numbers.binary_search_by(|n| n.total_cmp(&number)).is_ok();
        match self {
            Values::OneOf(own) => own.iter().any(|&number| !listed(number)),
            Values::Within { low, high, .. } if low == high => !listed(*low),
            Values::Within { whole: false, .. } => true,
            Values::Within { low, high, .. } => {
                let inside = numbers.iter().filter(|&&number| self.has(number)).count();
                high - low + 1.0 > inside as f64
            }
        }
    }
}
