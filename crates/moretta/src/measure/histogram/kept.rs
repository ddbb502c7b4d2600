//! The distribution of a column that is released as it is.
//!
//! Before and after are the same, and both follow from the release. Few different numbers
//! or dates have a bin each, more of them fall into bins with round edges.

use super::bins::NumberBins;
use super::{Cell, Hidden, Histogram, hide, hide_names};
use crate::data::plain_text::plain_text;
use crate::data::{Column, DateFormat, Kind, MISSING};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, StringArray};
use foldhash::{HashMap, HashSet};

/// So many different numbers have a bin each.
const FEW: usize = 10;

/// A column of more different texts has no distribution.
const MOST_TEXTS: usize = 10_000;

/// The distribution of the rows `released` of a column; none when nothing may be shown of it.
pub fn kept(column: &Column, kind: &Kind, released: &[u64]) -> Option<Histogram> {
    let rows = || released.iter().map(|&id| id as usize);
    match column {
        Column::Number(numbers) => {
            let date = match kind {
                Kind::Date(format) => Some(*format),
                _ => None,
            };
            of_numbers(rows().filter_map(|row| numbers.get(row)), date)
        }
        Column::Category(categories) => {
            let mut counts = vec![0; categories.levels().len()];
            for code in rows().map(|row| categories.codes()[row]) {
                if code != MISSING {
                    counts[code as usize] += 1;
                }
            }
            let ordered = *kind == Kind::Category { ordered: true };
            of_texts(categories.levels().iter().zip(counts), ordered)
        }
        Column::Plain(array) => of_plain(array, released),
    }
}

fn of_plain(array: &ArrayRef, released: &[u64]) -> Option<Histogram> {
    let rows = || released.iter().map(|&id| id as usize);
    if let Some(typed) = array.as_primitive_opt::<Float64Type>() {
        let present = rows().filter(|&row| typed.is_valid(row));
        let numbers: Vec<f64> = present.map(|row| typed.value(row)).collect();
        if numbers.iter().all(|number| number.is_finite()) {
            return of_numbers(numbers.iter().copied(), None);
        }
    }
    let texts: StringArray = plain_text(array).ok()?;
    let cells = || {
        let present = rows().filter(|&row| texts.is_valid(row));
        present.map(|row| texts.value(row))
    };
    if let Some(numbers) = cells().map(number).collect::<Option<Vec<f64>>>() {
        return of_numbers(numbers.iter().copied(), None);
    }
    let day = |text: &str| DateFormat::ISO.parse(text).map(f64::from);
    if let Some(days) = cells().map(day).collect::<Option<Vec<f64>>>() {
        return of_numbers(days.iter().copied(), Some(DateFormat::ISO));
    }
    let mut counts: HashMap<&str, u64> = HashMap::default();
    for text in cells() {
        *counts.entry(text).or_default() += 1;
        if counts.len() > MOST_TEXTS {
            return None;
        }
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_unstable();
    of_texts(counts.into_iter(), false)
}

/// A number, and no code such as `0041`.
fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let is_code = matches!(digits, [b'0', b'0'..=b'9', ..]);
    let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
    number.filter(|_| !is_code)
}

fn of_numbers(
    numbers: impl Iterator<Item = f64> + Clone,
    date: Option<DateFormat>,
) -> Option<Histogram> {
    let mut distinct: HashSet<u64> = HashSet::default();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for number in numbers.clone() {
        (low, high) = (low.min(number), high.max(number));
        if distinct.len() <= FEW {
            distinct.insert((number + 0.0).to_bits());
        }
    }
    if distinct.len() <= FEW {
        let mut distinct: Vec<f64> = distinct.into_iter().map(f64::from_bits).collect();
        distinct.sort_by(f64::total_cmp);
        let mut counts = vec![0; distinct.len()];
        for number in numbers {
            let place = distinct.binary_search_by(|other| other.total_cmp(&(number + 0.0)));
            counts[place.unwrap_or_else(|place| place)] += 1;
        }
        let text = |&number: &f64| match date {
            Some(format) => format.format(number as i32),
            None => number.to_string(),
        };
        let texts: Vec<String> = distinct.iter().map(text).collect();
        return of_texts(texts.iter().map(String::as_str).zip(counts), true);
    }
    let bins = NumberBins::new(low, high, date.is_some());
    let mut counts = vec![0; bins.len()];
    for bin in numbers.filter_map(|number| bins.place(number)) {
        counts[bin] += 1;
    }
    let cells = counts.into_iter().enumerate();
    let cells = cells.map(|(bin, count)| same(bins.label(bin), count));
    hide(cells.collect(), None, Hidden::InPlace)
}

fn of_texts<'a>(counts: impl Iterator<Item = (&'a str, u64)>, ordered: bool) -> Option<Histogram> {
    let counts = counts.filter(|(_, count)| *count > 0);
    let cells = counts.map(|(text, count)| same(text.to_owned(), count));
    hide_names(cells.collect(), ordered, None)
}

/// The release tells where nobody is.
fn same(label: String, count: u64) -> Cell {
    Cell {
        label,
        before: count,
        after: count as f64,
        empty: count == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Numbers};
    use std::sync::Arc;

    fn plain(texts: &[(&str, usize)]) -> Column {
        let cells = (texts.iter()).flat_map(|&(text, n)| std::iter::repeat_n(text, n));
        Column::Plain(Arc::new(cells.map(Some).collect::<StringArray>()))
    }

    fn check(column: &Column, kind: Kind, expected: Option<&[(&str, Option<f64>)]>) {
        let rows: Vec<u64> = (0..column.len() as u64).collect();
        let found = kept(column, &kind, &rows);
        let bins = found.as_ref().map(|histogram| {
            let bins = histogram.bins.iter();
            bins.map(|bin| (&*bin.label, bin.after)).collect::<Vec<_>>()
        });
        assert_eq!(bins.as_deref(), expected);
        for bin in found.iter().flat_map(|histogram| &histogram.bins) {
            assert_eq!(bin.before, bin.after);
        }
    }

    #[test]
    fn plain_texts_numbers_and_dates_are_told_by_their_kind() {
        let text = Kind::Category { ordered: false };
        let wards = plain(&[("east", 20), ("west", 30), ("roof", 3), ("cellar", 9)]);
        let expected = [("west", Some(30.0)), ("east", Some(20.0))];
        check(&wards, text.clone(), Some(&expected));
        let floors = plain(&[("2", 20), ("10", 12), ("1", 11)]);
        let expected = [("1", Some(11.0)), ("2", Some(20.0)), ("10", Some(12.0))];
        check(&floors, text.clone(), Some(&expected));
        let codes = plain(&[("0041", 12), ("0042", 13)]);
        let expected = [("0042", Some(13.0)), ("0041", Some(12.0))];
        check(&codes, text.clone(), Some(&expected));
        let names: Vec<String> = (0..50).map(|i| format!("name {i}")).collect();
        let names: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        check(&plain(&names), text, None);
    }

    #[test]
    fn bins_of_numbers_that_few_have_keep_their_place() {
        let costs = (0..300).map(|i| f64::from(i % 30)).chain([95.0, 99.0]);
        let costs = Column::Number(costs.collect::<Numbers>());
        let expected: Vec<(String, Option<f64>)> = (0..20)
            .map(|bin| {
                let count = match bin {
                    0..=5 => Some(50.0),
                    19 => None,
                    _ => Some(0.0),
                };
                // The least of the others is hidden with the two.
                let count = count.filter(|_| bin != 0);
                (format!("{} to {}", bin * 5, bin * 5 + 5), count)
            })
            .collect();
        let expected: Vec<(&str, Option<f64>)> =
            expected.iter().map(|(label, n)| (&**label, *n)).collect();
        check(&costs, Kind::Number { integer: false }, Some(&expected));
    }

    #[test]
    fn rows_that_were_not_released_do_not_count() {
        let texts = [("a", 12), ("gone", 40), ("b", 13)];
        let texts = texts
            .iter()
            .flat_map(|&(t, n)| std::iter::repeat_n(Some(t), n));
        let column = Column::Category(texts.collect::<Categories>());
        let rows: Vec<u64> = (0..12).chain(52..65).collect();
        let found = kept(&column, &Kind::Category { ordered: false }, &rows).expect("bins");
        let labels: Vec<&str> = found.bins.iter().map(|bin| &*bin.label).collect();
        assert_eq!((labels, found.hidden_bins), (vec!["b", "a"], 0));
    }
}
