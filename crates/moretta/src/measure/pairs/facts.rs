//! What is told of pairs, in the report.

use serde::{Deserialize, Serialize};

/// The measures of pairs, and the columns before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairFacts {
    /// Pairs that were measured.
    pub records: u64,
    /// Records of a table: linkages look among all its originals, and nothing is told of
    /// a part of them.
    #[serde(default)]
    pub table: bool,
    /// b: originals of a stream among which a record was looked for, and protected values
    /// among which ranks were counted.
    pub buffer: u64,
    /// p: half the width of disclosure intervals, in percent.
    pub interval: f64,
    /// The measures, in the order of the list.
    pub measures: Vec<PairValue>,
    /// Numbers and ordinals before and after.
    pub columns: Vec<PairColumn>,
}

/// One measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairValue {
    /// The name used in a policy.
    pub name: String,
    /// "risk" or "loss".
    pub family: String,
    /// What it says, in one sentence.
    pub meaning: String,
    /// "low" or "high".
    pub goal: String,
    /// Shown as a percentage.
    pub percent: bool,
    /// Of all pairs; none when nothing can be said.
    pub value: Option<f64>,
    /// Of the first pairs, more and more of them.
    pub points: Vec<PairPoint>,
}

/// A measure of the first pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairPoint {
    /// How many.
    pub records: u64,
    /// None when nothing could be said.
    pub value: Option<f64>,
}

/// A column before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairColumn {
    /// Its name.
    pub name: String,
    /// Piece by piece of the stream.
    pub points: Vec<PairColumnPoint>,
}

/// A column before and after, in the pairs from the last point to this one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairColumnPoint {
    /// Pairs up to its end.
    pub records: u64,
    /// Mean and standard deviation of the originals; none when all are missing.
    pub before: Option<(f64, f64)>,
    /// Mean and standard deviation of what was released.
    pub after: Option<(f64, f64)>,
}

/// Digits of a figure that is no share, and of means.
const DIGITS: i32 = 3;

impl PairFacts {
    /// The same as it may be told: figures compare with the originals, and several exact ones
    /// together tell how many rows had a rare category. Shares are rounded to a tenth of a percent,
    /// others to three digits.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        for measure in &mut self.measures {
            let round = |value: f64| match measure.percent {
                true => (value * 1000.0).round() / 1000.0,
                false => significant(value, DIGITS),
            };
            measure.value = measure.value.map(round);
            for point in &mut measure.points {
                point.value = point.value.map(round);
            }
        }
        for point in self
            .columns
            .iter_mut()
            .flat_map(|column| &mut column.points)
        {
            for side in [&mut point.before, &mut point.after] {
                let round = |value| significant(value, DIGITS);
                *side = side.map(|(mean, deviation)| (round(mean), round(deviation)));
            }
        }
        self
    }
}

/// A number with so many digits.
fn significant(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10_f64.powi(digits - 1 - value.abs().log10().floor() as i32);
    let rounded = (value * scale).round() / scale;
    if rounded.is_finite() { rounded } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_three_digits() {
        let cases = [
            (12_345.0, 12_300.0),
            (0.012_345, 0.0123),
            (-9.996, -10.0),
            (0.0, 0.0),
            (1e-320, 1e-320),
        ];
        for (value, expected) in cases {
            assert_eq!(significant(value, 3), expected);
        }
        assert!(significant(f64::NAN, 3).is_nan());
    }
}
