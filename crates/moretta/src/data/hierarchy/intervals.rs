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

use super::labels::Labels;
use super::{Hierarchy, Texts};
use crate::data::levels::Levels;
use crate::error::{Error, Result};
use std::fmt::Write;

/// Beyond this, neighbouring whole numbers are no longer different.
const LARGEST_INDEX: f64 = 9_007_199_254_740_992.0;

pub(super) fn build(
    widths: &[f64],
    column: &str,
    values: &Levels,
    texts: Texts,
) -> Result<Hierarchy> {
    let ratios = nested(widths).map_err(|what| {
        Error::policy(format!("column `{column}`: {what}"))
            .help("for example intervals = [5, 10, 20]")
    })?;
    let numbers = numbers(column, values, texts)?;
    let scale = Scale::new(widths, &numbers);
    let mut indices = scale.indices(&numbers).map_err(|(count, first)| {
        Error::policy(format!(
            "column `{column}`: {count} values are too large for intervals of width {}, first value no. {}",
            widths[0],
            first + 1
        ))
        .help("choose wider intervals")
    })?;
    let order = ascending(&numbers);
    let mut levels: Vec<Labels> = vec![values.iter().collect()];
    let mut width = 1;
    for ratio in ratios {
        width *= ratio;
        indices
            .iter_mut()
            .for_each(|index| *index = index.div_euclid(ratio));
        levels.push(Labels::by_key(indices.iter().copied(), |&index, label| {
            scale.write(index, width, label);
        }));
    }
    let levels = levels
        .into_iter()
        .map(|level| level.in_order(&order))
        .collect();
    Ok(Hierarchy::under_top(levels))
}

/// How many intervals of each width make one of the next; the first is 1.
pub(super) fn nested(widths: &[f64]) -> std::result::Result<Vec<i64>, String> {
    if widths.is_empty() {
        return Err("a list of widths is needed and is empty".into());
    }
    if let Some(bad) = widths.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
        return Err(format!("a width must be a number above 0, not {bad}"));
    }
    let mut ratios = vec![1];
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
        ratios.push(whole as i64);
    }
    let all = ratios
        .iter()
        .try_fold(1_i64, |all, ratio| all.checked_mul(*ratio));
    match all.is_some_and(|all| all < 1 << 53) {
        true => Ok(ratios),
        false => Err("the largest width is too large for the smallest".into()),
    }
}

fn numbers(column: &str, values: &Levels, texts: Texts) -> Result<Vec<f64>> {
    if matches!(texts, Texts::Date(_)) {
        return Err(Error::policy(format!(
            "column `{column}`: intervals need numbers, not dates"
        ))
        .help("use a hierarchy of dates, for example dates = [\"month\", \"year\"]"));
    }
    let parsed: Vec<Option<f64>> = values.iter().map(|text| texts.number(text)).collect();
    let bad = parsed.iter().filter(|number| number.is_none()).count();
    if let Some(first) = parsed.iter().position(Option::is_none) {
        return Err(Error::policy(format!(
            "column `{column}`: intervals need numbers; {bad} of {} values are none, first value no. {}",
            values.len(),
            first + 1
        ))
        .help("give the column a hierarchy from a file, or a mask"));
    }
    Ok(parsed.into_iter().flatten().collect())
}

fn ascending(numbers: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
    order.sort_by(|&a, &b| numbers[a as usize].total_cmp(&numbers[b as usize]));
    order
}

/// The finest intervals and how their ends are written.
struct Scale {
    width: f64,
    decimals: usize,
    whole: bool,
}

impl Scale {
    fn new(widths: &[f64], numbers: &[f64]) -> Self {
        let width = widths[0];
        let text = width.to_string();
        let whole = |n: &f64| n.fract() == 0.0;
        Scale {
            width,
            decimals: text
                .split_once('.')
                .map_or(0, |(_, fraction)| fraction.len()),
            whole: whole(&width) && numbers.iter().all(whole),
        }
    }

    /// The finest interval of each number, or how many have none and the first of them.
    fn indices(&self, numbers: &[f64]) -> std::result::Result<Vec<i64>, (usize, usize)> {
        let outside = |n: &f64| (n / self.width).abs() >= LARGEST_INDEX;
        match numbers.iter().position(outside) {
            None => Ok(numbers.iter().map(|&n| self.index(n)).collect()),
            Some(first) => Err((numbers.iter().filter(|n| outside(n)).count(), first)),
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
                "column `age`: intervals need numbers; 1 of 2 values are none, first value no. 2",
            ),
            (
                "1e300",
                "column `age`: 1 values are too large for intervals of width 5, first value no. 2",
            ),
        ] {
            let values: Levels = ["1", text].iter().collect();
            let error = build(&[5.0], "age", &values, Texts::Category).expect_err("refused");
            assert_eq!(error.to_string(), message);
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
