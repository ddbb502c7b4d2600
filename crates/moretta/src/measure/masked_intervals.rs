//! Interval disclosure of a whole masked table of numbers, as the literature has it: an interval
//! is taken round each *masked* value, and the original is within it or not.
//!
//! *Ranks*: the mid-rank of a value in the masked column is `(#{< v} + #{≤ v} + 1) / 2`; an original
//! is disclosed when its mid-rank differs from that of its masked value by at most `p · n / 200`, half
//! of an interval that is p percent of the n ranks wide. *Deviations*: when both differ by at most k
//! standard deviations (over n − 1) of the masked column.
//!
//! The measures `rank_interval_disclosure` and `sd_interval_disclosure` follow a stream instead, with a
//! window of protected values and the deviation of the originals so far; these functions are for
//! searches and studies that score one table after the other.
//!
//! *Costs* a sort of each column. *From* Domingo-Ferrer, Mateo-Sanz and Torra 2001; deviations as in
//! sdcMicro's `dRisk`.

use crate::data::Records;
use crate::math::moments::Moments;

/// The share of values that are disclosed within intervals of each of some percents of the ranks.
/// A missing value is disclosed by nothing.
pub fn rank_disclosure(originals: &Records, masked: &Records, percents: &[f64]) -> Vec<f64> {
    let rows = originals.len().min(masked.len());
    let columns = originals.width().min(masked.width());
    let mut found = vec![0_u64; percents.len()];
    for column in 0..columns {
        let mut sorted: Vec<f64> = masked.column(column).filter(|x| !x.is_nan()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        // Twice the mid-rank, less one.
        let rank = |value: f64| {
            let below = sorted.partition_point(|other| *other < value);
            below + sorted.partition_point(|other| *other <= value)
        };
        for (x, y) in originals.column(column).zip(masked.column(column)) {
            if x.is_nan() || y.is_nan() {
                continue;
            }
            let difference = rank(x).abs_diff(rank(y)) as f64 / 2.0;
            for (found, percent) in found.iter_mut().zip(percents) {
                *found += u64::from(difference <= percent * rows as f64 / 200.0);
            }
        }
    }
    let values = (rows * columns).max(1) as f64;
    found
        .into_iter()
        .map(|found| found as f64 / values)
        .collect()
}

/// The share of values that are within `deviations` standard deviations of their masked value, and
/// the share of records all of whose values are.
pub fn deviation_disclosure(originals: &Records, masked: &Records, deviations: f64) -> (f64, f64) {
    let width = |column| {
        let moments: Moments = masked.column(column).filter(|x| !x.is_nan()).collect();
        deviations * moments.deviation()
    };
    let widths: Vec<f64> = (0..masked.width()).map(width).collect();
    let (mut values, mut records) = (0, 0_u64);
    for (original, masked) in originals.iter().zip(masked.iter()) {
        let pairs = original.iter().zip(masked).zip(&widths);
        let within = pairs.filter(|((x, y), width)| (*x - *y).abs() <= **width);
        let within = within.count();
        values += within as u64;
        records += u64::from(within == widths.len());
    }
    let rows = originals.len().max(1) as f64;
    let all = rows * widths.len().max(1) as f64;
    (values as f64 / all, records as f64 / rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::path::Path;

    fn numbers(value: &Value) -> Vec<f64> {
        let values = value.as_array().expect("a list").iter();
        values.map(|x| x.as_f64().expect("a number")).collect()
    }

    #[test]
    fn disclosure_is_that_of_the_worked_example() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/data/worked-examples/mares/interval-disclosure-a.json");
        if !path.exists() {
            assert!(std::env::var_os("CI").is_none(), "CI needs the shared data");
            return;
        }
        let text = std::fs::read_to_string(path).expect("read");
        let example: Value = serde_json::from_str(&text).expect("JSON");
        let (inputs, expected) = (&example["inputs"], &example["expected"]);
        let [originals, masked] = ["original", "masked"].map(|name| {
            let mut records = Records::new(2);
            let rows = inputs[name].as_array().expect("rows");
            rows.iter().for_each(|row| records.push(&numbers(row)));
            records
        });
        let close = |found: f64, expected: &Value| {
            let expected = expected.as_f64().expect("a number");
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        };
        let percents = numbers(&inputs["rank_p_percent"]);
        let found = rank_disclosure(&originals, &masked, &percents);
        for (percent, found) in percents.iter().zip(&found) {
            let expected = &expected["rank_percent_by_p"][format!("{percent}")];
            close(100.0 * found, expected);
        }
        let mean = 100.0 * found.iter().sum::<f64>() / found.len() as f64;
        close(mean, &expected["rank_mean"]);
        for k in numbers(&inputs["sd_k"]) {
            let (values, records) = deviation_disclosure(&originals, &masked, k);
            close(
                100.0 * values,
                &expected["sd_value_level_percent"][format!("{k}")],
            );
            close(
                records,
                &expected["sd_record_level_fraction"][format!("{k}")],
            );
        }
    }

    #[test]
    fn missing_values_and_no_records_are_no_trouble() {
        let mut records = Records::new(1);
        [1.0, f64::NAN, 3.0]
            .iter()
            .for_each(|&x| records.push(&[x]));
        assert_eq!(rank_disclosure(&records, &records, &[1.0]), [2.0 / 3.0]);
        assert_eq!(
            deviation_disclosure(&records, &records, 0.1),
            (2.0 / 3.0, 2.0 / 3.0)
        );
        let none = Records::new(1);
        assert_eq!(rank_disclosure(&none, &none, &[1.0]), [0.0]);
        assert_eq!(deviation_disclosure(&none, &none, 0.1), (0.0, 0.0));
    }
}
