//! What the tests of all measures share: pairs, and that a measure says at any time
//! what a slow obvious function of the pairs so far says.

use super::PairSettings;
use crate::data::Attribute;
use crate::measure::Measure;
use proptest::prelude::*;

/// A record and what is released of it.
pub(super) type Pair = (Vec<f64>, Vec<f64>);

/// The attributes of the pairs.
pub(super) const KINDS: [Attribute; 4] = [
    Attribute::Number,
    Attribute::Number,
    Attribute::Ordinal { levels: 4 },
    Attribute::Nominal,
];

/// Of [`KINDS`], with a buffer that overflows soon.
pub(super) fn settings() -> PairSettings {
    PairSettings {
        buffer: 7,
        ..PairSettings::new(KINDS.to_vec())
    }
}

/// Pairs with ties, equal and distant values and, if wanted, missing ones.
pub(super) fn any_pairs(missing: bool) -> impl Strategy<Value = Vec<Pair>> {
    let nan = move |value: f64, one: u8| if missing && one == 0 { f64::NAN } else { value };
    let number = (
        -3.0..3.0_f64,
        prop::option::of(-1.0..1.0_f64),
        0..9_u8,
        0..9_u8,
    );
    let code = (0..4_u8, prop::option::of(0..4_u8), 0..9_u8, 0..9_u8);
    let number = number.prop_map(move |(x, noise, a, b)| {
        let x = (x * 4.0).round() / 4.0;
        (nan(x, a), nan(x + noise.unwrap_or(0.0), b))
    });
    let code = code.prop_map(move |(x, other, a, b)| {
        (nan(f64::from(x), a), nan(f64::from(other.unwrap_or(x)), b))
    });
    let record = (number.clone(), number, code.clone(), code);
    let pair = record.prop_map(|(a, b, c, d)| (vec![a.0, b.0, c.0, d.0], vec![a.1, b.1, c.1, d.1]));
    prop::collection::vec(pair, 0..40)
}

/// Like [`any_pairs`], but released as they were.
pub(super) fn same_pairs() -> impl Strategy<Value = Vec<Pair>> {
    any_pairs(true).prop_map(|pairs| {
        let same = pairs
            .into_iter()
            .map(|(original, _)| (original.clone(), original));
        same.collect()
    })
}

/// Checks a measure against `expected` of the pairs so far, after every pair.
pub(super) fn check(
    mut measure: impl Measure,
    pairs: &[Pair],
    expected: impl Fn(&[Pair]) -> Option<f64>,
) -> Result<(), TestCaseError> {
    for (n, (original, protected)) in pairs.iter().enumerate() {
        measure.observe_record(original, protected);
        let (found, expected) = (measure.value(), expected(&pairs[..=n]));
        let near = match (found, expected) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1.0),
            (a, b) => a == b,
        };
        prop_assert!(near, "after {} pairs {found:?}, not {expected:?}", n + 1);
    }
    Ok(())
}

/// Columns of both sides, without the pairs in which a value of `places` is missing.
pub(super) fn complete(pairs: &[Pair], places: &[usize]) -> Vec<Pair> {
    let pick = |record: &[f64]| {
        places
            .iter()
            .map(|&place| record[place])
            .collect::<Vec<_>>()
    };
    let picked = pairs.iter().map(|(a, b)| (pick(a), pick(b)));
    let finite = |record: &[f64]| record.iter().all(|value| value.is_finite());
    picked.filter(|(a, b)| finite(a) && finite(b)).collect()
}

/// Mean of some values; none of nothing.
pub(super) fn average(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Standard deviation over n − 1.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let Some(mean) = average(values).filter(|_| values.len() > 1) else {
        return 0.0;
    };
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// The pairs and the expected figures of a worked example on numbers; without the public data there
/// is none, except under CI.
pub(super) fn worked_example(name: &str) -> Option<(Vec<Pair>, serde_json::Value)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/worked-examples/mares")
        .join(format!("{name}.json"));
    if !path.exists() {
        assert!(std::env::var_os("CI").is_none(), "CI needs the shared data");
        return None;
    }
    let text = std::fs::read_to_string(path).expect("read");
    let mut example: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let records = |name: &str| -> Vec<Vec<f64>> {
        let rows = example["inputs"][name].as_array().expect("rows").iter();
        let number = |value: &serde_json::Value| value.as_f64().expect("a number");
        rows.map(|row| row.as_array().expect("a row").iter().map(number).collect())
            .collect()
    };
    let pairs = records("original").into_iter().zip(records("masked"));
    let pairs = pairs.collect();
    Some((pairs, example["expected"].take()))
}
