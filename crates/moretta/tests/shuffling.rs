//! Data shuffling of public data: what it keeps, and what it still tells.

mod support;

use moretta::attack::linkage::nearest_record;
use moretta::data::Records;
use moretta::protect::shuffling::Shuffling;
use moretta::protect::{Masked, MaskedColumn, Masking};

/// Taxable income, total earnings and wages; beside them federal tax and interest.
const SHUFFLED: [&str; 3] = ["TAXINC", "PTOTVAL", "WSALVAL"];
const GIVEN: [&str; 2] = ["FEDTAX", "INTVAL"];

/// The columns of the census, the shuffled ones first; none without the data.
fn census() -> Option<Records> {
    let path = support::shared("census")?.join("census.csv");
    let text = std::fs::read_to_string(path).expect("read");
    let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    let place = |name: &&str| header.iter().position(|n| n == name).expect("a column");
    let places: Vec<usize> = SHUFFLED.iter().chain(&GIVEN).map(place).collect();
    let mut records = Records::new(places.len());
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let record: Vec<f64> = places
            .iter()
            .map(|&place| cells[place].parse().expect("a number"))
            .collect();
        records.push(&record);
    }
    Some(records)
}

fn shuffled(records: &Records, seed: u64) -> Records {
    let names: Vec<String> = SHUFFLED
        .iter()
        .chain(&GIVEN)
        .map(|n| (*n).to_owned())
        .collect();
    let method = Shuffling {
        given: GIVEN.map(str::to_owned).to_vec(),
        ..Shuffling::default()
    };
    let mut filter = method
        .filter(&MaskedColumn::numbers(&names), seed)
        .expect("built");
    let mut out = Masked::new(names.len());
    for record in records.iter() {
        filter.push(record, &mut out).expect("taken");
    }
    filter.finish(&mut out).expect("done");
    out.into_records()
}

/// Ranks of a column about their mean, equal values at the mean of theirs.
fn ranks(records: &Records, column: usize) -> Vec<f64> {
    let values: Vec<f64> = records.column(column).collect();
    let rank = |x: f64| {
        let smaller = values.iter().filter(|&&y| y < x).count() as f64;
        let equal = values.iter().filter(|&&y| y == x).count() as f64;
        smaller + (equal + 1.0) / 2.0 - (values.len() as f64 + 1.0) / 2.0
    };
    values.iter().map(|&x| rank(x)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// What is left of ranks that two others explain, by projection.
fn residual(ranks: &[f64], given: [&[f64]; 2]) -> Vec<f64> {
    let [first, second] = given;
    let less = |a: &[f64], b: &[f64]| -> Vec<f64> {
        let slope = dot(a, b) / dot(b, b);
        a.iter().zip(b).map(|(x, y)| x - slope * y).collect()
    };
    let second = less(second, first);
    less(&less(ranks, first), &second)
}

#[test]
fn the_census_keeps_its_values_and_its_rank_correlations() {
    let Some(records) = census() else { return };
    assert_eq!(records.len(), 1_080);
    let released = shuffled(&records, 1);
    let width = SHUFFLED.len() + GIVEN.len();
    for column in 0..width {
        let sorted = |records: &Records| {
            let mut values: Vec<f64> = records.column(column).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        assert_eq!(sorted(&records), sorted(&released));
        let same = records.column(column).eq(released.column(column));
        assert_eq!(same, column >= SHUFFLED.len());
    }
    for i in 0..width {
        for j in 0..i {
            let [before, after] = [&records, &released]
                .map(|records| correlation(&ranks(records, i), &ranks(records, j)));
            assert!(
                (before - after).abs() < TOLERANCE,
                "{i} {j}: {before} {after}"
            );
        }
    }
}

/// Three standard errors of a rank correlation of 1,080 records near 0.
const TOLERANCE: f64 = 0.092;

#[test]
fn shuffled_values_of_the_census_tell_no_more_than_the_given_ones() {
    let Some(records) = census() else { return };
    let released = shuffled(&records, 1);
    let given = [3, 4].map(|column| ranks(&records, column));
    let given = [&*given[0], &*given[1]];
    for column in 0..SHUFFLED.len() {
        let [before, after] =
            [&records, &released].map(|records| residual(&ranks(records, column), given));
        let told = correlation(&before, &after);
        assert!(told.abs() < TOLERANCE, "{column}: {told}");
    }
}

/// Who knows all columns of a person finds the record by the given ones alone; the shuffled
/// values lead astray, and by themselves lead nowhere.
#[test]
fn an_attacker_with_all_originals_finds_no_more_than_by_what_was_given() {
    let Some(records) = census() else { return };
    let part = |records: &Records, columns: std::ops::Range<usize>| {
        let mut some = Records::new(columns.len());
        records
            .iter()
            .for_each(|record| some.push(&record[columns.clone()]));
        some
    };
    let width = SHUFFLED.len() + GIVEN.len();
    let linked = |released: &Records, columns: std::ops::Range<usize>| {
        nearest_record(&part(&records, columns.clone()), &part(released, columns)).linked
    };
    let released = shuffled(&records, 1);
    let by_given = linked(&released, SHUFFLED.len()..width);
    let by_all = linked(&released, 0..width);
    let by_shuffled = linked(&released, 0..SHUFFLED.len());
    let untouched = linked(&records, 0..SHUFFLED.len());
    assert!(by_all <= by_given, "{by_all} {by_given}");
    assert!(untouched > 0.95, "{untouched}");
    assert!(by_shuffled < 0.02, "{by_shuffled}");
}
