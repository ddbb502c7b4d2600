//! The numbers, or days, that a released text stands for.

use crate::data::date::to_day;
use crate::data::{Domain, Region};

/// From the least to the largest number of a released interval or of the label of a rule;
/// none when the text does not say. `plain` is the domain without its tree.
pub(super) fn span(text: &str, plain: &Domain) -> Option<(f64, f64)> {
    match Region::parse(Some(text), plain) {
        Some(Region::Interval(low, high)) => Some((low, high)),
        _ if plain.is_date() => days(text),
        _ => half_open(text),
    }
}

/// `[0.5, 1)`, as the hierarchy of intervals writes it.
fn half_open(text: &str) -> Option<(f64, f64)> {
    let (low, high) = text
        .strip_prefix('[')?
        .strip_suffix(')')?
        .split_once(", ")?;
    let (low, high) = (low.parse::<f64>().ok()?, high.parse::<f64>().ok()?);
    (low < high).then_some((low, high.next_down()))
}

/// `2024-03`, `2024-Q1`, `2024` and `2020s`, as the hierarchy of dates writes them.
fn days(text: &str) -> Option<(f64, f64)> {
    let (text, decade) = match text.strip_suffix('s') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (year, first, months) = match text.split_at_checked(4)? {
        (year, "") => (year, 1, if decade { 120 } else { 12 }),
        (year, rest) => match rest.strip_prefix("-Q") {
            Some(quarter) => (year, quarter.parse::<i32>().ok()? * 3 - 2, 3),
            None => (year, rest.strip_prefix('-')?.parse().ok()?, 1),
        },
    };
    let year: i32 = year.parse().ok()?;
    let next = first - 1 + months;
    let begin = to_day(year, first, 1)?;
    let end = to_day(year + next / 12, next % 12 + 1, 1)?;
    Some((f64::from(begin), f64::from(end - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DateFormat, Scale};

    fn domain(date: Option<DateFormat>) -> Domain {
        Domain {
            scale: Scale::Number {
                low: 0.0,
                high: 0.0,
                date,
            },
            hierarchy: None,
        }
    }

    #[test]
    fn labels_of_rules_are_read_as_the_numbers_they_cover() {
        for (text, expected) in [
            ("30", Some((30.0, 30.0))),
            ("30..34", Some((30.0, 34.0))),
            ("-5..-1", Some((-5.0, -1.0))),
            ("[0.5, 1)", Some((0.5, 1f64.next_down()))),
            ("4**", None),
            ("young", None),
            ("[1, 1)", None),
        ] {
            assert_eq!(span(text, &domain(None)), expected, "{text}");
        }
        let day = |text| f64::from(DateFormat::ISO.parse(text).expect("a date"));
        for (text, expected) in [
            ("2024-03", Some(("2024-03-01", "2024-03-31"))),
            ("2024-12", Some(("2024-12-01", "2024-12-31"))),
            ("2024-Q4", Some(("2024-10-01", "2024-12-31"))),
            ("2024", Some(("2024-01-01", "2024-12-31"))),
            ("2020s", Some(("2020-01-01", "2029-12-31"))),
            ("2024-03-05..2024-04-01", Some(("2024-03-05", "2024-04-01"))),
            ("2024-13", None),
            ("2024-Q9", None),
            ("long ago", None),
        ] {
            let expected = expected.map(|(from, to)| (day(from), day(to)));
            let found = span(text, &domain(Some(DateFormat::ISO)));
            assert_eq!(found, expected, "{text}");
        }
    }
}
