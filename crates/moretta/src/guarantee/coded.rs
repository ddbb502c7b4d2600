//! Whether a released value is the code of its original: the beginning of its step, or the
//! end beyond which it lies.
//!
//! Looks at each pair by itself and computes nothing as the method does that made the codes:
//! a code is a multiple of the step, and the original lies less than a step above it, or
//! beyond the end that the code is.

use super::findings::Rule;
use crate::data::{Categories, Column, MISSING, Numbers};
use crate::error::{Error, Result};

/// How numbers, days or ordered categories are coded.
#[derive(Clone, Debug, PartialEq)]
pub struct Coding {
    /// The width of its steps, if it has any.
    pub step: Option<f64>,
    /// What smaller values become.
    pub bottom: Option<End>,
    /// What larger values become.
    pub top: Option<End>,
}

/// A value that stands for all beyond it.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// A number or a day.
    Number(f64),
    /// A category, whose place its column knows.
    Category(String),
}

impl End {
    /// The number or day.
    pub fn number(&self) -> Option<f64> {
        match self {
            End::Number(number) => Some(*number),
            End::Category(_) => None,
        }
    }
}

/// Decimal steps are no binary numbers: a few last digits of the quotient.
const ROUNDING: f64 = 1e-15;

impl Coding {
    /// How many rows hold another value than the code of their original.
    pub(super) fn compare(&self, original: &Column, released: &Column) -> Result<(Rule, u64)> {
        let untrue = match (original, released) {
            (Column::Number(before), Column::Number(after)) => self.untrue_numbers(before, after),
            (Column::Category(before), Column::Category(after)) => {
                self.untrue_categories(before, after)
            }
            _ => return Err(Error::bug("a coded column changed its kind")),
        };
        Ok((Rule::NotCovered, untrue))
    }

    fn untrue_numbers(&self, before: &Numbers, after: &Numbers) -> u64 {
        let pairs = before.iter().zip(after.iter());
        let untrue = pairs.filter(|pair| match *pair {
            (None, None) => false,
            (Some(original), Some(code)) => !self.is_code(code, original),
            _ => true,
        });
        untrue.count() as u64
    }

    fn is_code(&self, code: f64, original: f64) -> bool {
        let number = |end: &Option<End>| end.as_ref().and_then(End::number);
        let (bottom, top) = (number(&self.bottom), number(&self.top));
        let within =
            bottom.is_none_or(|bottom| code >= bottom) && top.is_none_or(|top| code <= top);
        let beyond = bottom.is_some_and(|bottom| code == bottom && original <= bottom)
            || top.is_some_and(|top| code == top && original >= top);
        let near = match self.step {
            None => code == original,
            Some(step) => {
                let steps = code / step;
                (steps - steps.round()).abs() <= ROUNDING * steps.abs().max(1.0)
                    && code <= original
                    && original < next_step(code, step)
                    && top.is_none_or(|top| code < top)
            }
        };
        within && (beyond || near)
    }

    fn untrue_categories(&self, before: &Categories, after: &Categories) -> u64 {
        let place = |end: &Option<End>| match end {
            Some(End::Category(text)) => before.levels().find(text),
            _ => None,
        };
        let (bottom, top) = (place(&self.bottom), place(&self.top));
        let is_code = |code: u32, original: u32| {
            let end = match code {
                code if Some(code) == bottom && original <= code => true,
                code if Some(code) == top && original >= code => true,
                code => code == original,
            };
            end && bottom.is_none_or(|bottom| code >= bottom) && top.is_none_or(|top| code <= top)
        };
        // The codes of both columns by the places of the originals.
        let places: Vec<Option<u32>> = after
            .levels()
            .iter()
            .map(|text| before.levels().find(text))
            .collect();
        let pairs = before.codes().iter().zip(after.codes());
        let untrue = pairs.filter(|pair| match *pair {
            (&MISSING, &MISSING) => false,
            (&original, &code) => match places.get(code as usize).copied().flatten() {
                Some(code) if original != MISSING => !is_code(code, original),
                _ => true,
            },
        });
        untrue.count() as u64
    }
}

/// Where the step after that of a code begins, at most a last digit too high where that is no
/// binary number.
fn next_step(code: f64, step: f64) -> f64 {
    let sum = code + step;
    match code.fract() == 0.0 && step.fract() == 0.0 {
        true => sum,
        false => sum.max(((code / step).round() + 1.0) * step).next_up(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[Option<f64>]) -> Column {
        Column::Number(values.iter().copied().collect())
    }

    fn untrue(coding: &Coding, original: Option<f64>, code: Option<f64>) -> bool {
        let found = coding.compare(&numbers(&[original]), &numbers(&[code]));
        found.expect("numbers").1 > 0
    }

    #[test]
    fn a_code_is_the_beginning_of_its_step_or_the_end_beyond_which_the_value_lies() {
        let coding = Coding {
            step: Some(5.0),
            bottom: Some(End::Number(20.0)),
            top: Some(End::Number(90.0)),
        };
        for (original, code, is_untrue) in [
            (33.0, 30.0, false),
            (34.0, 30.0, false),
            (35.0, 30.0, true),
            (29.0, 30.0, true),
            (33.0, 33.0, true),
            (97.0, 90.0, false),
            (97.0, 95.0, true),
            (89.0, 90.0, true),
            (3.0, 20.0, false),
            (24.0, 20.0, false),
            (3.0, 0.0, true),
            (25.0, 20.0, true),
        ] {
            let found = untrue(&coding, Some(original), Some(code));
            assert_eq!(found, is_untrue, "{original} {code}");
        }
        assert!(untrue(&coding, None, Some(20.0)));
        assert!(untrue(&coding, Some(33.0), None));
        assert!(!untrue(&coding, None, None));
    }

    #[test]
    fn ordered_categories_have_ends_by_their_order() {
        let column = |texts: &[Option<&str>]| {
            let levels = ["low", "mid", "high"].iter().collect();
            let levels = std::sync::Arc::new(levels);
            let code = |text: &Option<&str>| {
                text.and_then(|text| crate::data::Levels::find(&levels, text))
            };
            let codes = texts
                .iter()
                .map(|text| code(text).unwrap_or(MISSING))
                .collect();
            Column::Category(Categories::new(codes, std::sync::Arc::clone(&levels)))
        };
        let coding = Coding {
            step: None,
            bottom: None,
            top: Some(End::Category("mid".to_owned())),
        };
        for (original, code, faults) in [
            ("high", "mid", 0),
            ("low", "low", 0),
            ("low", "mid", 1),
            ("high", "high", 1),
        ] {
            let found = coding.compare(&column(&[Some(original)]), &column(&[Some(code)]));
            assert_eq!(found.expect("categories").1, faults, "{original} {code}");
        }
    }
}
