//! A sensible hierarchy for a column, from its values.
//!
//! | values | proposal |
//! |---|---|
//! | numbers | intervals of about a fifteenth of the range, rounded up to 1, 2 or 5 × 10ⁿ, then doubled while below the range |
//! | dates | those of month, quarter, year and decade that divide the span and are not too many or too few |
//! | digits of one length of at least 3, such as postal codes | masks from the right |
//! | other texts | none: their meaning is not in the data |
//!
//! For ages from 17 to 90 that is 5, 10, 20, 40.

use super::{DateUnit, HierarchySpec, MaskSide};
use crate::data::levels::Levels;
use crate::data::schema::Kind;
use crate::data::{Column, Numbers};

/// The hierarchy that suggests itself for a column, if one does.
pub fn propose(kind: &Kind, column: &Column) -> Option<HierarchySpec> {
    match (kind, column) {
        (Kind::Number { integer }, Column::Number(numbers)) => {
            intervals(numbers, *integer).map(HierarchySpec::Intervals)
        }
        (Kind::Date(_), Column::Number(days)) => {
            let (first, last) = range(days)?;
            let units = date_units(first as i32, last as i32);
            (!units.is_empty()).then_some(HierarchySpec::Dates(units))
        }
        (Kind::Category { .. }, Column::Category(categories)) => {
            is_code(categories.levels()).then_some(HierarchySpec::Mask(MaskSide::Right))
        }
        _ => None,
    }
}

fn range(numbers: &Numbers) -> Option<(f64, f64)> {
    let finite = numbers.iter().flatten().filter(|n| n.is_finite());
    finite.fold(None, |range, n| match range {
        None => Some((n, n)),
        Some((low, high)) => Some((n.min(low), n.max(high))),
    })
}

fn intervals(numbers: &Numbers, integer: bool) -> Option<Vec<f64>> {
    let (low, high) = range(numbers)?;
    let range = high - low;
    let mut width = round_up(range / 15.0);
    if integer {
        width = width.max(2.0);
    }
    let mut widths = Vec::new();
    while width.is_normal() && width < range {
        widths.push(width);
        width *= 2.0;
    }
    (!widths.is_empty()).then_some(widths)
}

/// The least of 1, 2, 5 × 10ⁿ that is not below `width`.
fn round_up(width: f64) -> f64 {
    let exponent = width.log10().floor();
    if !(-300.0..300.0).contains(&exponent) {
        return f64::NAN;
    }
    // Parsed, not computed: 0.1 cubed is not the number nearest to 0.001.
    let power = |digit: u8, exponent: f64| format!("{digit}e{exponent}").parse::<f64>();
    [(1, 0.0), (2, 0.0), (5, 0.0), (1, 1.0), (2, 1.0)]
        .into_iter()
        .filter_map(|(digit, step)| power(digit, exponent + step).ok())
        .find(|&nice| nice >= width)
        .unwrap_or(f64::NAN)
}

/// The units worth having between two days: at least two of each, months and
/// quarters only within ten years.
pub(super) fn date_units(first: i32, last: i32) -> Vec<DateUnit> {
    let count = |unit: DateUnit| unit.key(last) - unit.key(first) + 1;
    let mut units = vec![DateUnit::Month];
    units.extend(
        [DateUnit::Quarter, DateUnit::Year, DateUnit::Decade]
            .into_iter()
            .filter(|&unit| unit != DateUnit::Quarter || count(DateUnit::Year) <= 10),
    );
    units.retain(|&unit| count(unit) > 1);
    units
}

fn is_code(values: &Levels) -> bool {
    let length = values.iter().next().map_or(0, str::len);
    (3..super::MAX_LEVELS).contains(&length)
        && values
            .iter()
            .all(|text| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::date::to_day;
    use crate::data::{Categories, DateFormat, Field, Role};
    use DateUnit::{Decade, Month, Quarter, Year};
    use proptest::prelude::*;

    fn of_numbers(numbers: &[f64], integer: bool) -> Option<Vec<f64>> {
        intervals(&numbers.iter().copied().collect(), integer)
    }

    #[test]
    fn widths_are_round_and_double() {
        assert_eq!(
            of_numbers(&[17.0, 90.0], true),
            Some(vec![5.0, 10.0, 20.0, 40.0])
        );
        assert_eq!(
            of_numbers(&[0.0, 1.0], false),
            Some(vec![0.1, 0.2, 0.4, 0.8])
        );
        assert_eq!(of_numbers(&[0.0, 4.0], true), Some(vec![2.0]));
        assert_eq!(
            of_numbers(&[0.0, 250_000.0], true),
            Some(vec![20_000.0, 40_000.0, 80_000.0, 160_000.0])
        );
        for numbers in [&[][..], &[7.0], &[7.0, 8.0]] {
            assert_eq!(of_numbers(numbers, true), None, "{numbers:?}");
        }
    }

    #[test]
    fn units_divide_the_span() {
        for (from, to, units) in [
            ((2024, 3, 1), (2024, 3, 31), &[][..]),
            ((2024, 1, 1), (2024, 3, 1), &[Month]),
            ((2023, 1, 1), (2024, 12, 31), &[Month, Quarter, Year]),
            ((1931, 1, 1), (2008, 1, 1), &[Month, Year, Decade]),
        ] {
            let day = |(y, m, d)| to_day(y, m, d).expect("a date");
            assert_eq!(date_units(day(from), day(to)), units, "{from:?}");
        }
    }

    #[test]
    fn codes_are_masked_and_words_are_not() {
        let kind = Kind::Category { ordered: false };
        for (texts, expected) in [
            (
                ["04041", "50321"],
                Some(HierarchySpec::Mask(MaskSide::Right)),
            ),
            (["40", "50"], None),
            (["4041", "50321"], None),
            (["red", "tan"], None),
        ] {
            let column = Column::Category(Categories::from_iter(texts.map(Some)));
            assert_eq!(propose(&kind, &column), expected, "{texts:?}");
        }
    }

    proptest! {
        #[test]
        fn a_proposal_can_be_built(
            numbers in proptest::collection::vec(-1e6..1e6_f64, 0..50),
            scale in -12..12_i32,
            dates in any::<bool>(),
            integer in any::<bool>(),
        ) {
            let (kind, scale) = match (dates, integer) {
                (true, _) => (Kind::Date(DateFormat::ISO), 0.1),
                (_, integer) => (Kind::Number { integer }, 10_f64.powi(scale)),
            };
            let value = |n: f64| if dates || integer { (n * scale).round() } else { n * scale };
            let numbers: Numbers = numbers.into_iter().map(value).collect();
            let column = Column::Number(numbers);
            if let Some(spec) = propose(&kind, &column) {
                let field = Field::new("c", Role::Quasi, kind);
                let built = spec.build_for(&field, &column);
                prop_assert!(built.is_ok(), "{:?} {:?}", spec, built.err());
            }
        }
    }
}
