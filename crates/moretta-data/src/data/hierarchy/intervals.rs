//! Numbers fall into intervals of growing widths that start at 0.
//!
//! Whole numbers in intervals of whole widths are labelled by their ends, both
//! included: with the width 5 the number 33 is in `30..34`. Other numbers are
//! labelled with the upper end excluded: with the width 0.5 the number 0.7 is in
//! `[0.5, 1)`. The first form means what the same text means as a released
//! interval; the second cannot be mistaken for one. Negative numbers round down:
//! −3 is in `-5..-1`.
//!
//! The ends are the decimal numbers that are printed, so a label is true to the
//! last digit although 0.3 is not three times 0.1 in binary. Costs one pass over
//! the values a level.
//!
//! A single number, whose fellows are not known, is labelled as whole when it is
//! whole itself, so a stream of 12 and 12.5 has both `10..14` and `[10, 15)`.

use super::coverage::place_of;
use super::labels::Labels;
use super::{Hierarchy, Rungs, Texts};
use crate::data::levels::Levels;
use crate::error::{Error, Result};
use std::fmt::Write;

/// From 2^51 on, the ends of neighbouring intervals may be one number, and their
/// labels one text; half of that leaves room for rounding.
const LARGEST_INDEX: f64 = 1_125_899_906_842_624.0;

/// Below 2^50, a product of whole numbers is exact with room to spare.
const EXACT_PARTS: f64 = 1_125_899_906_842_624.0;

pub(super) fn build(
    widths: &[f64],
    column: &str,
    values: &Levels,
    texts: Texts,
) -> Result<Hierarchy> {
    let intervals = Intervals::new(widths, column, texts)?;
    let numbers = intervals.numbers(column, values)?;
    let scale = intervals.finest.of(&numbers);
    let indices = scale.indices(&numbers).map_err(|(count, first)| {
        Error::policy(format!(
            "column `{column}`: {count} values are too large for intervals of width {}, {}",
            widths[0],
            place_of(first + 1)
        ))
        .help("choose wider intervals")
    })?;
    let order = ascending(&numbers);
    let mut levels: Vec<Labels> = vec![values.iter().collect()];
    for &length in &intervals.lengths {
        let wider = indices.iter().map(|index| index.div_euclid(length));
        levels.push(Labels::by_key(wider, |&index, label| {
            scale.write(index, length, label);
        }));
    }
    let levels = levels
        .into_iter()
        .map(|level| level.in_order(&order))
        .collect();
    Ok(Hierarchy::under_top(levels))
}

/// How many of the first width make each of `widths`; the first is 1.
pub(super) fn nested(widths: &[f64]) -> std::result::Result<Vec<i64>, String> {
    if widths.is_empty() {
        return Err("a list of widths is needed and is empty".into());
    }
    if let Some(bad) = widths.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
        return Err(format!("a width must be a number above 0, not {bad}"));
    }
    let mut lengths = vec![1_i64];
    for pair in widths.windows(2) {
        let ratio = pair[1] / pair[0];
        let whole = ratio.round();
        // Decimal widths such as 0.1 and 0.3 are multiples up to rounding.
        if !(2.0..1e9).contains(&whole) || (ratio - whole).abs() > 1e-9 * whole {
            return Err(format!(
                "the width {} is not a multiple of {}",
                pair[1], pair[0]
            ));
        }
        let length = lengths[lengths.len() - 1].checked_mul(whole as i64);
        match length.filter(|&length| length < 1 << 53) {
            Some(length) => lengths.push(length),
            None => return Err("the largest width is too large for the smallest".into()),
        }
    }
    Ok(lengths)
}

/// Widths that nest, and what the numbers are read from.
#[derive(Clone, Debug)]
pub(super) struct Intervals {
    finest: Scale,
    /// How many finest intervals each level's intervals are long.
    lengths: Vec<i64>,
    texts: Texts,
}

impl Intervals {
    pub(super) fn new(widths: &[f64], column: &str, texts: Texts) -> Result<Self> {
        let lengths = nested(widths).map_err(|what| {
            Error::policy(format!("column `{column}`: {what}"))
                .help("for example intervals = [5, 10, 20]")
        })?;
        if matches!(texts, Texts::Date(_)) {
            return Err(Error::policy(format!(
                "column `{column}`: intervals need numbers, not dates"
            ))
            .help("use a hierarchy of dates, for example dates = [\"month\", \"year\"]"));
        }
        Ok(Intervals {
            finest: Scale::new(widths[0]),
            lengths,
            texts,
        })
    }

    fn numbers(&self, column: &str, values: &Levels) -> Result<Vec<f64>> {
        let parse = |text| self.texts.number(text);
        let parsed: Vec<Option<f64>> = values.iter().map(parse).collect();
        let bad = parsed.iter().filter(|number| number.is_none()).count();
        if let Some(first) = parsed.iter().position(Option::is_none) {
            return Err(Error::policy(format!(
                "column `{column}`: intervals need numbers; {bad} of {} values are none, {}",
                values.len(),
                place_of(first + 1)
            ))
            .help("give the column a hierarchy from a file, or a mask"));
        }
        Ok(parsed.into_iter().flatten().collect())
    }

    /// The number as it is written and then its intervals; false when it is no
    /// number or too large.
    pub(super) fn climb(&self, text: &str, rungs: &mut Rungs) -> bool {
        let number = self.texts.number(text);
        let Some(number) = number.filter(|number| !self.finest.excludes(number)) else {
            return false;
        };
        let scale = self.finest.of(&[number]);
        let index = scale.index(number);
        rungs.push(text);
        for &length in &self.lengths {
            rungs.write(|label| scale.write(index.div_euclid(length), length, label));
        }
        true
    }
}

fn ascending(numbers: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
    order.sort_by(|&a, &b| numbers[a as usize].total_cmp(&numbers[b as usize]));
    order
}

/// The finest intervals and how their ends are written.
#[derive(Clone, Copy, Debug)]
struct Scale {
    width: f64,
    decimals: usize,
    /// 10 to the power of the decimals, and how many of its parts make the width.
    parts: (f64, f64),
    /// The width and all numbers are whole.
    whole: bool,
}

impl Scale {
    fn new(width: f64) -> Self {
        let text = width.to_string();
        let decimals = text
            .split_once('.')
            .map_or(0, |(_, fraction)| fraction.len());
        // Larger powers of ten are no floats.
        let one = match decimals {
            0..=22 => format!("1e{decimals}").parse().unwrap_or(f64::NAN),
            _ => f64::NAN,
        };
        Scale {
            width,
            decimals,
            parts: (one, (width * one).round()),
            whole: width.fract() == 0.0,
        }
    }

    /// The scale on which all of `numbers` are labelled in one form.
    fn of(self, numbers: &[f64]) -> Self {
        Scale {
            whole: self.whole && numbers.iter().all(|n| n.fract() == 0.0),
            ..self
        }
    }

    /// Whether a number is too large to have an interval.
    fn excludes(&self, number: &f64) -> bool {
        (number / self.width).abs() >= LARGEST_INDEX
    }

    /// The finest interval of each number, or how many have none and the first of them.
    fn indices(&self, numbers: &[f64]) -> std::result::Result<Vec<i64>, (usize, usize)> {
        match numbers.iter().position(|n| self.excludes(n)) {
            None => Ok(numbers.iter().map(|&n| self.index(n)).collect()),
            Some(first) => Err((numbers.iter().filter(|n| self.excludes(n)).count(), first)),
        }
    }

    fn index(&self, number: f64) -> i64 {
        let index = (number / self.width).floor() as i64;
        // The quotient is rounded, so it may be one off.
        if number < self.end(index) {
            index - 1
        } else if number >= self.end(index + 1) {
            index + 1
        } else {
            index
        }
    }

    /// The lower end of the finest interval `index`, as the number that is printed.
    fn end(&self, index: i64) -> f64 {
        let product = index as f64 * self.width;
        if self.decimals == 0 {
            return product;
        }
        let (one, width) = self.parts;
        let count = index as f64 * width;
        // Both are exact, so their quotient is the float that the decimals are read as.
        if count.abs() < EXACT_PARTS {
            return count / one;
        }
        let printed = format!("{product:.*}", self.decimals);
        printed.parse().unwrap_or(product)
    }

    /// The label of interval `index` that is as wide as `width` finest ones.
    fn write(&self, index: i64, width: i64, label: &mut String) {
        let low = self.end(index.saturating_mul(width));
        let high = self.end(index.saturating_add(1).saturating_mul(width));
        let _ = match (self.whole, high - 1.0 == low) {
            (true, true) => write!(label, "{low}"),
            (true, false) => write!(label, "{low}..{}", high - 1.0),
            (false, _) => write!(label, "[{low}, {high})"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hierarchy(widths: &[f64], numbers: &[f64]) -> Hierarchy {
        let values: Levels = numbers.iter().map(f64::to_string).collect();
        build(widths, "age", &values, Texts::Number).expect("intervals")
    }

    fn chains(widths: &[f64], numbers: &[f64]) -> Vec<String> {
        let h = hierarchy(widths, numbers);
        let chain = |leaf| h.chain(leaf).collect::<Vec<_>>().join(" ");
        (0..h.leaf_count() as u32).map(chain).collect()
    }

    #[test]
    fn whole_numbers_have_closed_intervals_and_others_half_open_ones() {
        assert_eq!(
            chains(&[5.0, 10.0, 40.0], &[34.0, -3.0, 35.0, 0.0]),
            [
                "-3 -5..-1 -10..-1 -40..-1 *",
                "0 0..4 0..9 0..39 *",
                "34 30..34 30..39 0..39 *",
                "35 35..39 30..39 0..39 *"
            ]
        );
        assert_eq!(chains(&[1.0, 2.0], &[7.0]), ["7 7 6..7 *"]);
        assert_eq!(
            chains(&[5.0], &[-0.5, 12.0]),
            ["-0.5 [-5, 0) *", "12 [10, 15) *"]
        );
        assert_eq!(
            chains(&[0.1, 0.3], &[0.3, 0.7]),
            ["0.3 [0.3, 0.4) [0.3, 0.6) *", "0.7 [0.7, 0.8) [0.6, 0.9) *"]
        );
        assert!(chains(&[1.0], &[]).is_empty());
    }

    #[test]
    fn widths_and_values_that_make_no_intervals_are_refused() {
        let one: Levels = ["1"].iter().collect();
        for widths in [
            &[][..],
            &[0.0],
            &[-5.0],
            &[f64::NAN],
            &[5.0, 12.0],
            &[5.0, 5.0],
            &[10.0, 5.0],
            &[1.0, 1e8, 1e16],
        ] {
            let error = build(widths, "age", &one, Texts::Number).expect_err("refused");
            assert_eq!(error.exit_code(), 3, "{widths:?}");
        }
        for (text, message) in [
            (
                "x",
                "column `age`: intervals need numbers; 1 of 2 values are none, the first of them is no. 2 of its distinct values, sorted",
            ),
            (
                "1e300",
                "column `age`: 1 values are too large for intervals of width 5, the first of them is no. 2 of its distinct values, sorted",
            ),
        ] {
            let values: Levels = ["1", text].iter().collect();
            let error = build(&[5.0], "age", &values, Texts::Category).expect_err("refused");
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn neighbouring_intervals_have_different_labels_however_large() {
        let largest = LARGEST_INDEX as i64;
        for width in [0.1, 0.7, 1e-9, 1.0, 3.0, 5.0, 1e6, 12_345_678.9, 1e280] {
            let scale = Scale::new(width);
            for (from, length) in [(largest - 50, 1), (-largest, 1), (largest / 7 - 50, 7)] {
                let label = |index| {
                    let mut label = String::new();
                    scale.write(index, length, &mut label);
                    label
                };
                for index in from..from + 50 {
                    assert_ne!(label(index), label(index + 1), "{width}");
                    assert!(scale.end(index) < scale.end(index + 1), "{width}");
                }
            }
        }
    }

    fn ends(label: &str) -> (f64, f64) {
        let inner = label.trim_start_matches('[').trim_end_matches(')');
        let (low, high) = inner.split_once(", ").expect("two ends");
        (
            low.parse().expect("a number"),
            high.parse().expect("a number"),
        )
    }

    proptest! {
        #[test]
        fn ends_are_the_numbers_that_are_printed(
            index in prop_oneof![-1000..1000_i64, -(1_i64 << 53)..1 << 53],
            width in prop_oneof![(1..5000_u32).prop_map(|n| f64::from(n) / 1000.0), 1e-9..10.0],
        ) {
            let scale = Scale::new(width);
            let printed = format!("{:.*}", scale.decimals, index as f64 * width);
            prop_assert_eq!(scale.end(index), printed.parse::<f64>().expect("a number"));
        }

        #[test]
        fn every_number_lies_in_the_intervals_it_is_said_to_lie_in(
            tenths in proptest::collection::hash_set(-2000_i32..2000, 1..40),
            width in proptest::sample::select(vec![0.1, 0.2, 0.05, 0.3, 0.7, 1.1, 3.0]),
        ) {
            let mut numbers: Vec<f64> = tenths.iter().map(|&t| f64::from(t) / 10.0).collect();
            numbers.push(0.05);
            let h = hierarchy(&[width, width * 4.0], &numbers);
            for (leaf, number) in (0..).zip({ numbers.sort_by(f64::total_cmp); numbers }) {
                prop_assert_eq!(h.label(0, leaf), number.to_string());
                for level in [1, 2] {
                    let (low, high) = ends(h.label(level, h.node(level, leaf)));
                    prop_assert!(low <= number && number < high);
                }
            }
        }
    }
}
