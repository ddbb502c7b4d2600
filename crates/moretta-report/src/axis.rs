//! Coordinates of drawings, and round values along an axis.

use std::fmt;

/// A coordinate: one decimal, and always a number.
pub(crate) struct At(pub(crate) f64);

impl fmt::Display for At {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = if self.0.is_finite() {
            (self.0 * 10.0).round()
        } else {
            0.0
        };
        write!(formatter, "{}", tenths / 10.0)
    }
}

/// The least of 1, 2 or 5 times a power of ten that divides `extent` into at most about
/// `wanted` steps; none where there is nothing to divide.
pub(crate) fn round_step(extent: f64, wanted: usize) -> Option<f64> {
    let rough = extent / wanted.max(1) as f64;
    if !(rough.is_finite() && rough > 0.0) {
        return None;
    }
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|step| *step >= rough * (1.0 - 1e-9));
    Some(step.unwrap_or(10.0 * power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_always_numbers() {
        for (value, expected) in [
            (1.0, "1"),
            (1.25, "1.3"),
            (-0.5, "-0.5"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
        ] {
            assert_eq!(At(value).to_string(), expected);
        }
    }

    #[test]
    fn steps_are_round() {
        for (extent, expected) in [
            (4.0, Some(1.0)),
            (7.3, Some(2.0)),
            (190.0, Some(50.0)),
            (0.0, None),
            (-1.0, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(round_step(extent, 4), expected, "{extent}");
        }
    }
}
