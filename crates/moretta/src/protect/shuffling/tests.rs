use super::*;
use crate::data::Attribute;
use crate::data::Role;
use crate::protect::Masked;
use proptest::prelude::*;

/// Columns after the first of them were shuffled, the others given.
fn shuffled(columns: &[Vec<f64>], shuffled: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut mask = Shuffle {
        shuffled,
        generator: Xoshiro256PlusPlus::seed_from_u64(seed),
    };
    let rows = columns.first().map_or(0, Vec::len);
    let mut records = Records::new(columns.len());
    for row in 0..rows {
        let record: Vec<f64> = columns.iter().map(|column| column[row]).collect();
        records.push(&record);
    }
    let groups = mask.mask(&mut records, rows, &Cancel::default());
    assert!(groups.expect("shuffled").is_empty());
    let column = |attribute| records.column(attribute).collect();
    (0..columns.len()).map(column).collect()
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Spearman's rank correlation, written as its definition.
fn spearman(one: &[f64], other: &[f64]) -> f64 {
    let rank = |values: &[f64], x: f64| {
        let smaller = values.iter().filter(|&&y| y < x).count() as f64;
        let equal = values.iter().filter(|&&y| y == x).count() as f64;
        smaller + (equal + 1.0) / 2.0
    };
    let ranks = |values: &[f64]| -> Vec<f64> {
        let center = (values.len() as f64 + 1.0) / 2.0;
        values.iter().map(|&x| rank(values, x) - center).collect()
    };
    let (one, other) = (ranks(one), ranks(other));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    dot(&one, &other) / (dot(&one, &one) * dot(&other, &other)).sqrt()
}

/// The correlation of two columns without what a third one tells of both.
fn partial(one: &[f64], other: &[f64], given: &[f64]) -> f64 {
    let (a, b, c) = (
        spearman(one, other),
        spearman(one, given),
        spearman(other, given),
    );
    (a - b * c) / ((1.0 - b * b) * (1.0 - c * c)).sqrt()
}

/// A given column, a confidential one that goes with it, and one that goes with both.
fn related(rows: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
    let mut columns = vec![Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..rows {
        let given = normal();
        let first = 0.7 * given + 0.7 * normal();
        let second = 0.5 * first - 0.4 * given + 0.6 * normal();
        // Any scale: ranks are what counts.
        for (column, value) in columns.iter_mut().zip([first.exp(), second.powi(3), given]) {
            column.push(value);
        }
    }
    columns
}

#[test]
fn rank_correlations_stay_within_the_error_of_a_sample() {
    let columns = related(1000, 1);
    let released = shuffled(&columns, 2, 2);
    assert_eq!(released[2], columns[2], "what is given stays");
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let before = spearman(&columns[i], &columns[j]);
        let after = spearman(&released[i], &released[j]);
        assert!((before - after).abs() < 0.08, "{i} {j}: {before} {after}");
    }
}

#[test]
fn a_shuffled_value_tells_of_the_original_no_more_than_what_is_given() {
    let columns = related(1000, 3);
    let released = shuffled(&columns, 2, 4);
    for i in 0..2 {
        assert!(spearman(&columns[i], &columns[2]).abs() > 0.05);
        let told = partial(&columns[i], &released[i], &columns[2]);
        // Three standard errors of a correlation of 0.
        assert!(told.abs() < 0.095, "{i}: {told}");
        let alone = shuffled(&columns[i..=i], 1, 5);
        assert!(spearman(&columns[i], &alone[0]).abs() < 0.095);
    }
}

#[test]
fn a_value_that_others_determine_stays_where_it_was() {
    let given: Vec<f64> = (0..50).map(f64::from).collect();
    let doubled: Vec<f64> = given.iter().map(|x| x * 2.0).collect();
    let opposite: Vec<f64> = given.iter().map(|x| -x).collect();
    let released = shuffled(&[doubled.clone(), opposite, given], 2, 1);
    assert!(spearman(&released[0], &doubled) > 0.999);
    assert!(spearman(&released[1], &doubled) < -0.999);
}

#[test]
fn columns_that_are_the_same_are_shuffled_as_one() {
    let column: Vec<f64> = (0..60).map(|n| f64::from(n * 7 % 61)).collect();
    let twice: Vec<f64> = column.iter().map(|x| x + 100.0).collect();
    let released = shuffled(&[column.clone(), twice], 2, 9);
    assert_ne!(released[0], column);
    assert!(spearman(&released[0], &released[1]) > 0.999);
}

#[test]
fn constant_columns_missing_ones_and_few_values_are_no_trouble() {
    let numbers: Vec<f64> = (0..20).map(f64::from).collect();
    let (constant, missing) = (vec![4.0; 20], vec![f64::NAN; 20]);
    let mut few = missing.clone();
    (few[3], few[11]) = (1.0, 2.0);
    let released = shuffled(
        &[
            numbers.clone(),
            constant.clone(),
            missing,
            few,
            constant.clone(),
        ],
        4,
        1,
    );
    assert_eq!(sorted(&released[0]), numbers);
    assert_eq!(released[1], constant);
    assert!(released[2].iter().all(|x| x.is_nan()));
    assert_eq!(sorted(&released[3]), [1.0, 2.0]);
    assert!(!released[3][3].is_nan() && !released[3][11].is_nan());
    assert_eq!(released[4], constant);
}

#[test]
fn too_few_records_are_suppressed() {
    let names = ["x".to_owned()];
    for rows in 0..2 * LEAST {
        let mut filter = Shuffling::default()
            .filter(&MaskedColumn::numbers(&names), 1)
            .expect("built");
        let mut out = Masked::new(1);
        for row in 0..rows {
            filter.push(&[row as f64], &mut out).expect("taken");
        }
        filter.finish(&mut out).expect("done");
        let released = out.decided().iter().filter(|&&left| left).count();
        assert_eq!(released, if rows < LEAST { 0 } else { rows });
    }
}

#[test]
fn what_has_no_order_or_two_parts_is_refused() {
    let column = |name, attribute| MaskedColumn {
        name,
        role: Role::Plain,
        attribute,
    };
    let given = Shuffling {
        given: vec!["s".to_owned()],
        ..Shuffling::default()
    };
    let grades = Attribute::Ordinal { levels: 3 };
    let fits = [column("x", grades), column("s", Attribute::Number)];
    assert!(given.filter(&fits, 1).is_ok());
    for (columns, message) in [
        (
            [
                column("x", Attribute::Nominal),
                column("s", Attribute::Number),
            ],
            "shuffling needs ranks, and `x` has no order",
        ),
        (
            [
                column("x", Attribute::Number),
                column("s", Attribute::Nominal),
            ],
            "shuffling needs ranks, and `s` has no order",
        ),
        (
            [
                column("s", Attribute::Number),
                column("s", Attribute::Number),
            ],
            "`s` is shuffled, and `given` says that it stays as it is",
        ),
    ] {
        let error = given.filter(&columns, 1).err().expect("refused");
        assert_eq!(
            (error.exit_code(), error.to_string()),
            (3, message.to_owned())
        );
    }
}

/// The definition, step by step and with what is slow: of one shuffled and one given column
/// without missing values.
fn reference(x: &[f64], s: &[f64], seed: u64) -> Vec<f64> {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (n, rho) = (x.len(), spearman(x, s));
    let r = 2.0 * (std::f64::consts::PI * rho / 6.0).sin();
    let rank = |y: f64| {
        let smaller = s.iter().filter(|&&z| z < y).count() as f64;
        let equal = s.iter().filter(|&&z| z == y).count() as f64;
        smaller + (equal + 1.0) / 2.0
    };
    let draws: Vec<f64> = s
        .iter()
        .map(|&y| {
            let z: f64 = StandardNormal.sample(&mut generator);
            r * normal_score(rank(y), n) + (1.0 - r * r).sqrt() * z
        })
        .collect();
    let values = sorted(x);
    let place = |&y: &f64| draws.iter().filter(|&&other| other < y).count();
    draws.iter().map(|y| values[place(y)]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_column_given_another_is_that_of_the_reference(
        pairs in proptest::collection::vec((-1e3..1e3_f64, (-4..4_i32).prop_map(f64::from)), 10..60),
        seed: u64,
    ) {
        let (x, s): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        prop_assume!(s.iter().any(|&y| y != s[0]) && spearman(&x, &s).abs() < 0.99);
        let found = shuffled(&[x.clone(), s.clone()], 1, seed);
        prop_assert_eq!(&found[0], &reference(&x, &s, seed));
    }

    #[test]
    fn each_column_keeps_its_values_and_its_gaps(
        cells in proptest::collection::vec(
            proptest::collection::vec(
                prop_oneof![5 => -1e3..1e3_f64, 3 => Just(0.0), 1 => Just(f64::NAN)], 4),
            10..50,
        ),
        first in 1..5_usize,
        seed: u64,
    ) {
        let column = |i: usize| cells.iter().map(|record| record[i]).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = (0..4).map(column).collect();
        let released = shuffled(&columns, first, seed);
        for (place, (before, after)) in columns.iter().zip(&released).enumerate() {
            prop_assert_eq!(sorted(before), sorted(after));
            for (x, y) in before.iter().zip(after) {
                prop_assert_eq!(x.is_nan(), y.is_nan());
                prop_assert!(place < first || x.is_nan() || x == y);
            }
        }
    }
}
