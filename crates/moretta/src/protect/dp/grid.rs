//! Real numbers as whole steps between bounds that the policy declares.
//!
//! A value is clamped to [lower, upper], rounded to the nearest of the points
//! lower + i · step, and only the whole number i goes on: noise is drawn and
//! added on whole numbers, and what is released is a function of the noisy
//! whole number alone. So the last bits of a floating-point number tell nothing
//! about the value (Mironov, On significance of the least significant bits for
//! differential privacy, 2012), and a value changes i by at most [`Grid::top`],
//! however the rounding falls.
//!
//! The step is a power of two, at most a 1024th of the range and of the noise's
//! scale, so rounding adds less than a millionth to the variance of the noise.
//! It follows from policy and bounds alone. A missing value becomes the middle
//! of the range; otherwise the release would tell who has none.

use crate::config::{Accepts, Placed, Value};
use crate::error::Result;

/// The declared range of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    lower: f64,
    upper: f64,
}

impl From<Bounds> for Value {
    fn from(bounds: Bounds) -> Self {
        Value::from(vec![bounds.lower, bounds.upper])
    }
}

impl Bounds {
    /// From `lower` to a greater `upper`; none if it is no range that can be divided.
    pub fn new(lower: f64, upper: f64) -> Option<Self> {
        let width = upper - lower;
        let divisible = (1e-200..=1e200).contains(&width);
        // A range narrower than the spacing of numbers at its ends has no middle.
        let resolved = width > lower.abs().max(upper.abs()) * 1e-9;
        (divisible && resolved).then_some(Bounds { lower, upper })
    }

    /// Both ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// `[lower, upper]`.
    pub(in crate::protect) const ACCEPTED: Accepts =
        Accepts::Ends(&Accepts::Number(f64::MIN, f64::MAX));

    /// Reads `[lower, upper]`.
    pub(in crate::protect) fn read(placed: &Placed, column: &str) -> Result<Self> {
        let bounds = match placed.list(column)? {
            [lower, upper] => Bounds::new(lower.number("bounds")?, upper.number("bounds")?),
            _ => None,
        };
        bounds.ok_or_else(|| {
            placed
                .error(format!("the bounds of `{column}` are a lower and a greater upper number"))
                .help("for example [0, 120]; take them from what the column can be, never from the data")
        })
    }

    /// Its lower end.
    pub fn lower(self) -> f64 {
        self.lower
    }

    /// upper − lower.
    pub fn width(self) -> f64 {
        self.upper - self.lower
    }

    /// Both ends are whole numbers that 32 bits can count between.
    pub(super) fn are_whole(self) -> bool {
        let whole = self.lower.fract() == 0.0 && self.upper.fract() == 0.0;
        whole && self.width() < f64::from(u32::MAX)
    }

    /// The nearest value within.
    pub fn clamp(self, value: f64) -> f64 {
        value.clamp(self.lower, self.upper)
    }
}

/// The points of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    lower: f64,
    step: f64,
    top: u32,
}

impl Grid {
    /// Points fine enough for noise of this scale, in units of the column; at most
    /// 2048 times its width over the scale, or 2048.
    pub fn new(bounds: Bounds, scale: f64) -> Self {
        let step = power_of_two_within(bounds.width().min(scale) / 1024.0);
        Self::with_step(bounds, step)
    }

    /// The whole numbers of the range.
    pub(super) fn whole(bounds: Bounds) -> Self {
        Self::with_step(bounds, 1.0)
    }

    fn with_step(bounds: Bounds, step: f64) -> Self {
        Grid {
            lower: bounds.lower,
            step,
            top: (bounds.width() / step).ceil() as u32,
        }
    }

    /// The largest number of a point: the most by which one value can change it.
    pub fn top(&self) -> u32 {
        self.top
    }

    /// The number of the nearest point; of the middle one for a missing value.
    #[inline]
    pub fn index(&self, value: f64) -> u32 {
        if value.is_nan() {
            return self.top / 2;
        }
        // The cast takes what lies below the range to 0.
        (((value - self.lower) / self.step + 0.5) as u32).min(self.top)
    }

    /// The value of a point, or of a place between or beyond the points.
    #[inline]
    pub fn value(&self, index: f64) -> f64 {
        self.lower + index * self.step
    }

    /// The distance of two points.
    pub fn step(&self) -> f64 {
        self.step
    }
}

/// The largest power of two that is at most `x`, which is positive and normal.
fn power_of_two_within(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_step_is_a_power_of_two_finer_than_range_and_noise() {
        let bounds = Bounds::new(0.0, 120.0).expect("a range");
        for (scale, step) in [
            (240.0, 0.0625),
            (12.0, 0.0078125),
            (1024.0, 0.0625),
            (1.5, 1.0 / 1024.0),
        ] {
            assert_eq!(Grid::new(bounds, scale).step(), step);
        }
    }

    #[test]
    fn values_beyond_the_bounds_and_missing_ones_stay_on_the_grid() {
        let grid = Grid::whole(Bounds::new(-10.0, 10.0).expect("a range"));
        for (value, index) in [
            (-10.0, 0),
            (-1e300, 0),
            (f64::NEG_INFINITY, 0),
            (0.4, 10),
            (0.6, 11),
            (10.0, 20),
            (f64::INFINITY, 20),
            (f64::NAN, 10),
        ] {
            assert_eq!(grid.index(value), index, "{value}");
        }
        assert_eq!(grid.value(25.0), 15.0);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for (lower, upper) in [
            (1.0, 1.0),
            (2.0, 1.0),
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
            (-1e308, 1e308),
            (1e15, 1e15 + 1.0),
            (0.0, 1e-320),
        ] {
            assert_eq!(Bounds::new(lower, upper), None, "{lower} {upper}");
        }
    }

    proptest! {
        #[test]
        fn a_value_within_the_bounds_comes_back_to_half_a_step(
            lower in -1e6f64..1e6, width in 1e-2f64..1e6, part in 0f64..=1.0, scale in 1e-2f64..1e9,
        ) {
            let bounds = Bounds::new(lower, lower + width).expect("a range");
            let grid = Grid::new(bounds, scale);
            let value = bounds.clamp(lower + part * width);
            let index = grid.index(value);
            prop_assert!(index <= grid.top());
            prop_assert!((grid.value(f64::from(index)) - value).abs() <= grid.step() * 0.500_001);
        }
    }
}
