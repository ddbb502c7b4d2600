//! Where values lie on an axis, and which of them are named.

use crate::axis::round_step;

/// How values are laid out.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Equal differences are equally far.
    Linear {
        /// The value at the start.
        low: f64,
        /// The value at the end.
        high: f64,
    },
    /// Equal ratios are equally far; both ends are above 0.
    Logarithmic {
        /// The value at the start.
        low: f64,
        /// The value at the end.
        high: f64,
    },
    /// Each of these values has a slot, all of one width.
    Slots(Vec<f64>),
}

impl Scale {
    /// A linear one for values, with a little room, between `least` and `most`.
    pub fn linear(values: impl Iterator<Item = f64>, [least, most]: [f64; 2]) -> Self {
        let (low, high) = ends(values.filter(|value| value.is_finite())).unwrap_or((0.0, 1.0));
        let room = ((high - low) * 0.06).max(1e-3 * low.abs().max(high.abs()).max(1e-3));
        Scale::Linear {
            low: (low - room).max(least),
            high: (high + room).min(most),
        }
    }

    /// A logarithmic one for those of the values that it can show, with a little room.
    pub fn logarithmic(values: impl Iterator<Item = f64>) -> Self {
        let positive = values.filter(|value| *value > 0.0 && value.is_finite());
        let (low, high) = ends(positive).unwrap_or((0.1, 10.0));
        let room = (high / low).powf(0.05).max(1.1);
        Scale::Logarithmic {
            low: low / room,
            high: high * room,
        }
    }

    /// A slot for each of the values.
    pub fn slots(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        Scale::Slots(values)
    }

    /// Where a value lies, from 0 to 1; none if it cannot be shown.
    pub fn share(&self, value: f64) -> Option<f64> {
        let share = match self {
            Scale::Linear { low, high } => (value - low) / (high - low),
            Scale::Logarithmic { low, high } => (value / low).ln() / (high / low).ln(),
            Scale::Slots(values) => {
                let place = values.partition_point(|other| *other < value);
                (place as f64 + 0.5) / values.len() as f64
            }
        };
        share.is_finite().then(|| share.clamp(0.0, 1.0))
    }

    /// About so many values to be named: round ones, or all that have a slot.
    pub fn marks(&self, wanted: usize) -> Vec<f64> {
        match self {
            Scale::Linear { low, high } => round(*low, *high, wanted),
            Scale::Logarithmic { low, high } => decades(*low, *high, wanted),
            Scale::Slots(values) => values.clone(),
        }
    }
}

fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |ends: Option<(f64, f64)>, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn round(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let Some(step) = round_step(high - low, wanted) else {
        return Vec::new();
    };
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|mark| mark as f64 * step).collect()
}

/// Powers of ten, with 2 and 5 of each where these are few, and round values where even
/// those are.
fn decades(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let within = |mark: &f64| (low..=high).contains(mark);
    let of = |factors: &'static [f64]| -> Vec<f64> {
        let powers = (first..=last).map(|exponent| 10_f64.powi(exponent));
        let marks = powers.flat_map(|power| factors.iter().map(move |factor| factor * power));
        marks.filter(within).collect()
    };
    let (fine, coarse) = (of(&[1.0, 2.0, 5.0]), of(&[1.0]));
    if fine.len() < 2 {
        return round(low, high, wanted);
    }
    if fine.len() <= wanted + 1 {
        return fine;
    }
    let every = coarse.len().div_ceil(wanted.max(1)).max(1);
    coarse.into_iter().step_by(every).collect()
}

/// A number in as few characters as tell it: `0.2`, `25k`, `2M`.
pub fn brief(value: f64) -> String {
    for (unit, name) in [(1e6, "M"), (1e3, "k")] {
        if value.abs() >= unit {
            return format!("{}{name}", (value / unit * 1e3).round() / 1e3);
        }
    }
    format!("{}", (value * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_within_the_scale() {
        let check = |scale: Scale, expected: &[&str]| {
            let found: Vec<String> = scale.marks(4).into_iter().map(brief).collect();
            assert_eq!(found, expected, "{scale:?}");
        };
        let linear = |low, high| Scale::Linear { low, high };
        check(linear(0.0, 1.0), &["0", "0.5", "1"]);
        check(linear(0.61, 0.83), &["0.7", "0.8"]);
        check(linear(-3.0, 4.0), &["-2", "0", "2", "4"]);
        check(linear(0.0, 48_000.0), &["0", "20k", "40k"]);
        let logarithmic = |low, high| Scale::Logarithmic { low, high };
        check(logarithmic(0.9, 11.0), &["1", "2", "5", "10"]);
        check(logarithmic(0.5, 20_000.0), &["1", "100", "10k"]);
        check(logarithmic(1.1, 1.9), &["1.2", "1.4", "1.6", "1.8"]);
        check(Scale::slots([3.0, 1.0, 3.0].into_iter()), &["1", "3"]);
    }

    #[test]
    fn values_lie_within_the_scale_or_nowhere() {
        let scale = Scale::linear([0.2, f64::NAN, 0.4].into_iter(), [0.0, 1.0]);
        let middle = scale.share(0.3).expect("a value");
        assert!((middle - 0.5).abs() < 1e-9);
        assert_eq!(scale.share(9.0), Some(1.0));
        assert_eq!(scale.share(f64::NAN), None);
        let scale = Scale::logarithmic([0.0, 1.0, 100.0].into_iter());
        let middle = scale.share(10.0).expect("a value");
        assert!((middle - 0.5).abs() < 1e-9);
        assert_eq!(scale.share(-1.0), None);
        let slots = Scale::slots([10.0, 20.0].into_iter());
        assert_eq!(slots.share(20.0), Some(0.75));
    }

    #[test]
    fn odd_values_give_a_scale_all_the_same() {
        for values in [&[][..], &[f64::NAN], &[0.0], &[7.0, 7.0], &[1e300, -1e300]] {
            for scale in [
                Scale::linear(values.iter().copied(), [f64::MIN, f64::MAX]),
                Scale::logarithmic(values.iter().copied()),
            ] {
                assert!(scale.marks(4).len() < 20, "{scale:?}");
                for value in [0.5, 7.0, 0.0, f64::INFINITY] {
                    let share = scale.share(value);
                    assert!(share.is_none_or(|share| (0.0..=1.0).contains(&share)));
                }
            }
        }
    }
}
