//! Figures as they are told to those who prepare data and may not see the rows: counts are rounded
//! to 5, and those from 1 to 10 are not told, nor are what is left of the whole beside them.
//!
//! **Protects against** reading off a profile or a preview that a single person has a value, or
//! has not. **Does not protect against** differences between very many profiles of data that
//! change a little: how often somebody asks is for others to watch.

use crate::engine::report::SMALL_CELL;
use serde_json::{Number, Value};

/// What counts are rounded to.
const STEP: u64 = 5;

/// Figures by these names are not counts of the data.
const EXACT: &[&str] = &[
    "draws",
    "epsilon",
    "features",
    "hierarchy_levels",
    "k",
    "known",
    "lattice",
    "levels",
    "limit",
    "promised_value",
    "released_columns",
    "sample",
    "size",
    "value",
    "version",
    "window",
];

/// A count of some of `of`, where it is told.
pub fn rounded_count(count: u64, of: u64) -> Option<u64> {
    let small = |count: u64| (1..=SMALL_CELL).contains(&count);
    let hidden = small(count) || small(of.saturating_sub(count));
    (!hidden).then(|| to_step(count))
}

/// A share of `of`, where the count that it stands for is told.
pub fn rounded_share(share: f64, of: u64) -> Option<f64> {
    let count = rounded_count((share * of as f64).round() as u64, of)?;
    let whole = to_step(of).max(STEP) as f64;
    Some(digits(count as f64 / whole))
}

/// The size of a class of which at least `least` were promised: that, or more in steps of 5 from 15 on.
pub fn rounded_size(size: u64, least: u64) -> u64 {
    match size / STEP * STEP {
        step if step > SMALL_CELL => step.max(least),
        _ => least,
    }
}

fn to_step(count: u64) -> u64 {
    (count + STEP / 2) / STEP * STEP
}

/// A figure with three digits.
fn digits(figure: f64) -> f64 {
    format!("{figure:.2e}").parse().unwrap_or(figure)
}

/// A sentence whose counts of rows, persons and the like are rounded.
pub fn rounded_text(text: &str) -> String {
    let counted = ["row", "person", "value", "class", "cell", "record", "of"];
    let words: Vec<&str> = text.split(' ').collect();
    let told = words.iter().enumerate().map(|(place, word)| {
        let next = words.get(place + 1).copied().unwrap_or_default();
        let counts = counted.iter().any(|what| next.starts_with(what));
        match word.replace(',', "").parse::<u64>() {
            Ok(count) if counts && (1..=SMALL_CELL).contains(&count) => "a few".to_owned(),
            Ok(count) if counts => to_step(count).to_string(),
            _ => (*word).to_owned(),
        }
    });
    told.collect::<Vec<_>>().join(" ")
}

/// Figures as JSON: whole numbers are counts and `null` where they are not told, others have three
/// digits, and sentences are told as [`rounded_text`] does.
pub fn rounded_json(value: Value) -> Value {
    rounded_within(value, false)
}

/// The same; a `value` of measures is a figure of the data, and elsewhere what was set.
fn rounded_within(value: Value, measures: bool) -> Value {
    match value {
        Value::Number(number) => number_of(&number),
        Value::String(text) => Value::String(rounded_text(&text)),
        Value::Array(items) => items
            .into_iter()
            .map(|item| rounded_within(item, measures))
            .collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let is_exact = EXACT.contains(&&*name) && !(measures && name == "value");
                let value = match is_exact {
                    true => value,
                    false => rounded_within(value, measures || name == "measures"),
                };
                (name, value)
            });
            Value::Object(fields.collect())
        }
        other => other,
    }
}

fn number_of(number: &Number) -> Value {
    match number.as_u64() {
        Some(count) => rounded_count(count, count).map_or(Value::Null, Value::from),
        None => number
            .as_f64()
            .map_or(Value::Null, |figure| digits(figure).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn small_counts_and_their_complements_are_not_told() {
        for (count, of, told) in [
            (0, 100, Some(0)),
            (1, 100, None),
            (10, 100, None),
            (11, 100, Some(10)),
            (13, 100, Some(15)),
            (89, 100, Some(90)),
            (90, 100, None),
            (99, 100, None),
            (100, 100, Some(100)),
            (0, 4, None),
        ] {
            assert_eq!(rounded_count(count, of), told, "{count} of {of}");
        }
        assert_eq!(rounded_share(0.5, 1001), Some(0.5));
        assert_eq!(rounded_share(0.001, 1000), None);
    }

    #[test]
    fn what_attacks_get_is_no_exact_figure() {
        let figures = json!({ "attacks": [{ "succeeds": 3, "of": 4002, "share": 0.123456 }] });
        let told = json!({ "attacks": [{ "succeeds": null, "of": 4000, "share": 0.123 }] });
        assert_eq!(rounded_json(figures), told);
    }

    #[test]
    fn sizes_of_classes_are_told_as_promised_or_in_steps() {
        for (size, least, told) in [(5, 5, 5), (14, 5, 5), (19, 5, 15), (18, 17, 17), (3, 2, 2)] {
            assert_eq!(rounded_size(size, least), told, "{size}");
        }
    }

    #[test]
    fn what_was_set_is_exact_and_what_was_measured_is_not() {
        let figures = json!({ "value": 1234.5, "measures": [{ "value": 0.123456 }] });
        let told = json!({ "value": 1234.5, "measures": [{ "value": 0.123 }] });
        assert_eq!(rounded_json(figures), told);
    }

    #[test]
    fn sentences_and_json_are_rounded() {
        assert_eq!(
            rounded_text("3 of 4,002 rows have no value; k = 5"),
            "a few of 4000 rows have no value; k = 5"
        );
        let figures = json!({ "k": 3, "rows": 4002, "few": [2, 0.123456], "text": "7 rows" });
        let told = json!({ "k": 3, "rows": 4000, "few": [null, 0.123], "text": "a few rows" });
        assert_eq!(rounded_json(figures), told);
    }
}
