//! Promises of microaggregation on random records, slow references, and published figures.

use super::*;
use crate::config::{Placed, Value};
use crate::math::distance::{squared_distance, weighted_distance};
use crate::protect::Masked;
use moretta_generate::moa::{Generator, RandomRbf};
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::Path;

const KINDS: [Attribute; 4] = [
    Attribute::Number,
    Attribute::Ordinal { levels: 0 },
    Attribute::Nominal,
    Attribute::Number,
];

/// The same once it is known how many ordered categories there are.
const RANKED: [Attribute; 4] = [
    Attribute::Number,
    Attribute::Ordinal { levels: 8 },
    Attribute::Nominal,
    Attribute::Number,
];

/// Small whole numbers: sums are exact, ties are many; some values are missing.
fn any_records(most: usize) -> impl Strategy<Value = Records> {
    let value = prop_oneof![12 => (0..8).prop_map(f64::from), 1 => Just(f64::NAN)];
    prop::collection::vec(value, 0..most * 4).prop_map(|values| {
        let mut records = Records::new(4);
        values
            .chunks_exact(4)
            .for_each(|record| records.push(record));
        records
    })
}

fn config(k: usize, grouping: Grouping, buffer: Option<usize>) -> Microaggregation {
    Microaggregation {
        buffer,
        grouping,
        scale: Scale::None,
        ..Microaggregation::new(k)
    }
}

fn nominal() -> Vec<bool> {
    KINDS
        .iter()
        .map(|kind| *kind == Attribute::Nominal)
        .collect()
}

fn centre_of(records: &Records, rows: &[usize]) -> Vec<f64> {
    let mut centre = vec![0.0; 4];
    Centroid::new(&KINDS).of(rows.iter().map(|&row| records.record(row)), &mut centre);
    centre
}

/// MDAV as the paper tells it: everything anew at each step.
fn slow_mdav(records: &Records, k: usize) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..records.len()).collect();
    let mut groups = Vec::new();
    let farthest = |left: &[usize], from: &[f64]| {
        let mut best = left[0];
        let distance = |row: usize| squared_distance(from, records.record(row), &nominal());
        for &row in left {
            if distance(row) > distance(best) {
                best = row;
            }
        }
        best
    };
    let gather = |left: &mut Vec<usize>, row: usize| {
        let from = records.record(row);
        let mut order = left.clone();
        order.sort_by(|&a, &b| {
            let distance = |other| squared_distance(from, records.record(other), &nominal());
            (a != row)
                .cmp(&(b != row))
                .then(distance(a).total_cmp(&distance(b)))
        });
        order.truncate(k);
        left.retain(|row| !order.contains(row));
        order
    };
    while left.len() >= 3 * k {
        let extreme = farthest(&left, &centre_of(records, &left));
        groups.push(gather(&mut left, extreme));
        let opposite = farthest(&left, records.record(extreme));
        groups.push(gather(&mut left, opposite));
    }
    if left.len() >= 2 * k {
        let extreme = farthest(&left, &centre_of(records, &left));
        groups.push(gather(&mut left, extreme));
    }
    groups.push(left);
    groups
}

/// V-MDAV as the paper tells it.
fn slow_v_mdav(records: &Records, k: usize, gamma: f64) -> Vec<Vec<usize>> {
    let between = |a: usize, b: usize| {
        squared_distance(records.record(a), records.record(b), &nominal()).sqrt()
    };
    let mut left: Vec<usize> = (0..records.len()).collect();
    let centre = centre_of(records, &left);
    let out = |row: usize| squared_distance(&centre, records.record(row), &nominal());
    let mut groups: Vec<Vec<usize>> = Vec::new();
    while left.len() >= k {
        let farthest = |a: &usize, b: &usize| out(*a).total_cmp(&out(*b)).then(b.cmp(a));
        let extreme = left.iter().copied().max_by(farthest).expect("k are left");
        left.retain(|&row| row != extreme);
        left.sort_by(|&a, &b| {
            between(extreme, a)
                .total_cmp(&between(extreme, b))
                .then(a.cmp(&b))
        });
        let mut group: Vec<usize> = left.drain(..k - 1).collect();
        group.push(extreme);
        while group.len() < 2 * k - 1 && !left.is_empty() {
            let inside = |row: usize| {
                let all = group.iter().map(|&member| between(member, row));
                all.fold(f64::INFINITY, f64::min)
            };
            let nearest = |a: &usize, b: &usize| inside(*a).total_cmp(&inside(*b)).then(a.cmp(b));
            let candidate = left.iter().copied().min_by(nearest).expect("not empty");
            let others = left.iter().filter(|&&row| row != candidate);
            let outside = others.fold(f64::INFINITY, |least, &row| {
                least.min(between(candidate, row))
            });
            if inside(candidate) >= gamma * outside {
                break;
            }
            group.push(candidate);
            left.retain(|&row| row != candidate);
        }
        groups.push(group);
    }
    let centres: Vec<Vec<f64>> = groups
        .iter()
        .map(|group| centre_of(records, group))
        .collect();
    left.sort_unstable();
    for row in left {
        let far =
            |group: &usize| squared_distance(&centres[*group], records.record(row), &nominal());
        let nearest = (0..groups.len()).min_by(|a, b| far(a).total_cmp(&far(b)));
        groups[nearest.expect("k records or more")].push(row);
    }
    groups
}

fn sorted(mut groups: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

/// The rows in groups, and the smallest and largest group.
fn shape(groups: &[Vec<usize>]) -> (Vec<usize>, usize, usize) {
    let mut rows: Vec<usize> = groups.iter().flatten().copied().collect();
    rows.sort_unstable();
    let sizes = groups.iter().map(Vec::len);
    (
        rows,
        sizes.clone().min().unwrap_or(0),
        sizes.max().unwrap_or(0),
    )
}

/// Lets all records pass and checks order and delay on the way.
fn pass(config: &Microaggregation, records: &Records) -> Masked {
    let mut filter = config.filter(&KINDS, 0).expect("fits");
    filter.know(&RANKED);
    let mut out = Masked::new(4);
    for (row, record) in records.iter().enumerate() {
        filter.push(record, &mut out).expect("taken");
        let waits = row + 1 - out.decided().len();
        assert!(
            config.buffer.is_none_or(|most| waits < most),
            "{waits} rows are held"
        );
    }
    filter.finish(&mut out).expect("done");
    assert_eq!(out.decided().len(), records.len());
    out
}

fn smallest_class(released: &Records) -> usize {
    let mut classes: HashMap<Vec<u64>, usize> = HashMap::new();
    for record in released.iter() {
        let key = record.iter().map(|value| value.to_bits()).collect();
        *classes.entry(key).or_default() += 1;
    }
    classes.values().copied().min().unwrap_or(usize::MAX)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn mdav_is_the_obvious_mdav(records in any_records(60), k in 2..6_usize) {
        prop_assume!(records.len() >= k);
        let groups = config(k, Grouping::Mdav, None).groups(&KINDS, &records);
        prop_assert_eq!(sorted(groups), sorted(slow_mdav(&records, k)));
    }

    #[test]
    fn v_mdav_is_the_obvious_v_mdav(
        records in any_records(50),
        k in 2..6_usize,
        gamma in prop::sample::select(vec![0.25, 1.0, 1.5]),
    ) {
        prop_assume!(records.len() >= k);
        let config = Microaggregation { gamma, ..config(k, Grouping::VMdav, None) };
        let groups = config.groups(&KINDS, &records);
        prop_assert_eq!(sorted(groups), sorted(slow_v_mdav(&records, k, gamma)));
    }

    #[test]
    fn groups_have_k_to_2k_minus_1_records(records in any_records(80), k in 2..9_usize) {
        for grouping in [Grouping::Mdav, Grouping::VMdav] {
            let config = Microaggregation { gamma: 1.1, ..config(k, grouping, None) };
            let groups = config.groups(&KINDS, &records);
            let (rows, least, most) = shape(&groups);
            if records.len() < k {
                prop_assert!(groups.is_empty());
                continue;
            }
            prop_assert_eq!(rows, (0..records.len()).collect::<Vec<_>>());
            prop_assert!(least >= k);
            // Those left over by V-MDAV, fewer than k, may all join one group.
            let leftover = if grouping == Grouping::VMdav { k - 1 } else { 0 };
            prop_assert!(most < 2 * k + leftover);
        }
    }

    #[test]
    fn every_released_record_is_there_k_times_within_the_window(
        records in any_records(200),
        k in 2..7_usize,
        more in 0..40_usize,
        grouping in prop::sample::select(vec![Grouping::Nearest, Grouping::Mdav, Grouping::VMdav]),
        sums: bool,
    ) {
        let buffer = 2 * k + more;
        let distance = match grouping {
            Grouping::Nearest | Grouping::Mdav if sums => Distance::Sum,
            _ => Distance::Euclidean,
        };
        let config = Microaggregation { distance, ..config(k, grouping, Some(buffer)) };
        let out = pass(&config, &records);
        let suppressed = out.decided().iter().filter(|&&kept| !kept).count();
        let expected = if records.len() < k { records.len() } else { 0 };
        prop_assert_eq!(suppressed, expected);
        prop_assert!(smallest_class(out.records()) >= k);
        for row in 0..out.records().len() {
            let near = row.saturating_sub(buffer - 1)..(row + buffer).min(out.records().len());
            let bits = |row: usize| out.records().record(row).iter().map(|v| v.to_bits());
            let same = near.filter(|&other| bits(other).eq(bits(row))).count();
            prop_assert!(same >= k, "{} of {} in the window", same, k);
        }
    }

    #[test]
    fn the_head_is_grouped_with_its_nearest(records in any_records(60), k in 2..4_usize) {
        prop_assume!(records.len() >= 20);
        let out = pass(&config(k, Grouping::Nearest, Some(20)), &records);
        let mut order: Vec<usize> = (1..20).collect();
        let distance = |&row: &usize| squared_distance(records.record(0), records.record(row), &nominal());
        order.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        let mut group = vec![0];
        group.extend(&order[..k - 1]);
        let expected = centre_of(&records, &group);
        let bits = |record: &[f64]| record.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(out.records().record(0)), bits(&expected));
    }
}

/// The sum of the differences of two records, numbers over their range in the first 20 of all.
fn slow_sum(records: &Records, a: usize, b: usize) -> f64 {
    let range = |column: usize| {
        let present = records.column(column).take(20).filter(|x| !x.is_nan());
        let (least, most) = present.fold((f64::MAX, f64::MIN), |(l, m), x| (l.min(x), m.max(x)));
        if most > least { most - least } else { 1.0 }
    };
    let difference = |column: usize| {
        let (a, b) = (records.record(a)[column], records.record(b)[column]);
        match RANKED[column] {
            _ if a.is_nan() || b.is_nan() => f64::from(a.is_nan() != b.is_nan()),
            Attribute::Number => (a - b).abs() / range(column),
            Attribute::Ordinal { levels } => (a - b).abs() / levels as f64,
            Attribute::Nominal => f64::from(a != b),
        }
    };
    (0..4).map(difference).sum()
}

proptest! {
    #[test]
    fn a_stream_that_fits_into_its_buffer_is_grouped_by_sums_as_a_table(
        records in any_records(60),
        k in 2..5_usize,
        grouping in prop::sample::select(vec![Grouping::Nearest, Grouping::Mdav]),
    ) {
        prop_assume!(records.len() >= k);
        let sum = |grouping, buffer| Microaggregation {
            distance: Distance::Sum,
            ..config(k, grouping, buffer)
        };
        let mut expected = records.clone();
        sum(Grouping::Mdav, None).mask(&RANKED, &mut expected);
        let out = pass(&sum(grouping, Some(100)), &records);
        let bits = |records: &Records| records.values().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(out.records()), bits(&expected));
    }

    #[test]
    fn the_head_is_grouped_with_its_nearest_by_sums(records in any_records(60), k in 2..4_usize) {
        prop_assume!(records.len() >= 20);
        let by_sum = Microaggregation {
            distance: Distance::Sum,
            ..config(k, Grouping::Nearest, Some(20))
        };
        let out = pass(&by_sum, &records);
        let mut order: Vec<usize> = (1..20).collect();
        let far = |row: usize| slow_sum(&records, 0, row);
        order.sort_by(|&a, &b| far(a).total_cmp(&far(b)));
        // Distances that are the same but for rounding may be in any order.
        prop_assume!(far(order[k - 1]) - far(order[k - 2]) > 1e-9);
        let mut group = vec![0];
        group.extend(&order[..k - 1]);
        let bits = |record: &[f64]| record.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(out.records().record(0)), bits(&centre_of(&records, &group)));
    }
}

#[test]
fn groups_of_v_mdav_grow_where_records_lie_close() {
    let groups = |values: &[f64], gamma: f64| {
        let mut records = Records::new(1);
        values.iter().for_each(|&value| records.push(&[value]));
        let config = Microaggregation {
            gamma,
            ..config(3, Grouping::VMdav, None)
        };
        sorted(config.groups(&[Attribute::Number], &records))
    };
    // The fourth of the first cluster is as far from the group as from the fifth.
    let values = [0.0, 1.0, 2.0, 3.0, 4.0, 50.0, 51.0, 52.0];
    assert_eq!(groups(&values, 1.1), [vec![5, 6, 7], vec![0, 1, 2, 3, 4]]);
    // Six records make two groups, or one of five and one that must join it.
    let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    assert_eq!(groups(&values, 0.2), [vec![0, 1, 2], vec![3, 4, 5]]);
    assert_eq!(groups(&values, 1.1), [vec![0, 1, 2, 3, 4, 5]]);
    // With γ = 0 no group grows, and the last joins the group that is nearest.
    let values = [0.0, 1.0, 2.0, 50.0, 51.0, 52.0, 49.0];
    assert_eq!(groups(&values, 0.0), [vec![0, 1, 2], vec![3, 4, 5, 6]]);
}

#[test]
fn numbers_as_large_as_they_get_are_grouped_and_stay_finite() {
    let mut records = Records::new(4);
    for row in 0..200 {
        let huge = if row % 2 == 0 { f64::MAX } else { -f64::MAX };
        records.push(&[
            huge,
            f64::from(row % 3),
            f64::from(row % 5),
            huge / f64::from(row + 1),
        ]);
    }
    for scale in [Scale::Deviation, Scale::Range, Scale::None] {
        for grouping in [Grouping::Nearest, Grouping::Mdav, Grouping::VMdav] {
            let config = Microaggregation {
                scale,
                ..config(3, grouping, Some(20))
            };
            let out = pass(&config, &records);
            assert_eq!(out.records().len(), 200);
            assert!(smallest_class(out.records()) >= 3, "{scale:?} {grouping:?}");
            assert!(
                out.records()
                    .iter()
                    .flatten()
                    .all(|value| value.is_finite())
            );
        }
    }
}

/// A table of the shared data; under CI it must be there.
fn load(name: &str) -> Option<Records> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = data.join(name).join(format!("{name}.csv"));
    if !path.exists() {
        let ci = std::env::var_os("CI").is_some();
        assert!(!ci, "CI needs the shared data: {name}");
        return None;
    }
    let text = std::fs::read_to_string(path).expect("a file");
    let mut lines = text.lines();
    let width = lines.next().expect("a header").split(',').count();
    let mut records = Records::new(width);
    for line in lines {
        let record: Vec<f64> = line
            .split(',')
            .map(|cell| cell.parse().expect("a number"))
            .collect();
        records.push(&record);
    }
    Some(records)
}

/// 100 SSE / SST on columns divided by their sample standard deviations.
fn loss(original: &Records, masked: &Records) -> f64 {
    let (mut within, mut total) = (0.0, 0.0);
    for attribute in 0..original.width() {
        let column: Vec<f64> = original.column(attribute).collect();
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        let squares: f64 = column.iter().map(|value| (value - mean).powi(2)).sum();
        let pairs = column.iter().zip(masked.column(attribute));
        let error: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
        within += error / squares;
        total += 1.0;
    }
    100.0 * within / total
}

#[test]
fn mdav_loses_what_was_published_on_census_and_tarragona() {
    for (name, published) in [
        (
            "census",
            [(3, 5.6922), (4, 7.4947), (5, 9.0884), (10, 14.1559)],
        ),
        (
            "tarragona",
            [(3, 16.9326), (4, 19.5460), (5, 22.4619), (10, 33.1929)],
        ),
    ] {
        let Some(original) = load(name) else { return };
        let attributes = vec![Attribute::Number; original.width()];
        for (k, expected) in published {
            let mut masked = original.clone();
            Microaggregation::new(k).mask(&attributes, &mut masked);
            let found = loss(&original, &masked);
            assert!((found - expected).abs() < 0.5e-4, "{name} k = {k}: {found}");
        }
    }
}

/// Groups of the first columns of the worked example, whose rows are counted from 1.
fn example() -> (Vec<Attribute>, Records) {
    let kinds = vec![
        Attribute::Number,
        Attribute::Ordinal { levels: 3 },
        Attribute::Nominal,
    ];
    let mut records = Records::new(3);
    for (age, income, region) in [
        (20.0, 0.0, 0.0),
        (22.0, 0.0, 0.0),
        (25.0, 1.0, 1.0),
        (41.0, 1.0, 1.0),
        (43.0, 2.0, 1.0),
        (45.0, 2.0, 0.0),
        (60.0, 2.0, 0.0),
        (63.0, 1.0, 1.0),
    ] {
        records.push(&[age, income, region]);
    }
    (kinds, records)
}

/// The sum of squared distances of records to the centres of their groups.
fn squares(kinds: &[Attribute], records: &Records, groups: &[Vec<usize>]) -> f64 {
    let axes = Axes::new(kinds);
    let mut spread = Spread::new(Scale::Deviation, &axes);
    records.iter().for_each(|record| spread.observe(record));
    let nominal: Vec<bool> = (kinds.iter())
        .map(|kind| *kind == Attribute::Nominal)
        .collect();
    let mut squares = 0.0;
    for group in groups {
        let mut centre = vec![0.0; kinds.len()];
        Centroid::new(kinds).of(group.iter().map(|&row| records.record(row)), &mut centre);
        for &row in group {
            let weights = spread.weights();
            squares += weighted_distance(records.record(row), &centre, weights, &nominal);
        }
    }
    squares
}

#[test]
fn numbers_ranks_and_categories_are_grouped_together_as_the_worked_example_says() {
    let (kinds, records) = example();
    let groups = Microaggregation::new(2).groups(&kinds, &records);
    assert_eq!(groups, [vec![7, 6], vec![0, 1], vec![5, 4], vec![2, 3]]);
    assert!((squares(&kinds, &records, &groups) - 2.749_510).abs() < 0.5e-6);
    let all = vec![(0..8).collect()];
    assert!((squares(&kinds, &records, &all) - 12.25).abs() < 1e-12);
}

#[test]
fn one_column_is_grouped_with_the_least_loss_as_published() {
    let Some(census) = load("census") else { return };
    let column: Vec<f64> = census.column(CENSUS_AFNLWGT).collect();
    let mut records = Records::new(1);
    column.iter().for_each(|&value| records.push(&[value]));
    for (k, share, count) in [(3, 0.130_762, 326), (5, 0.177_591, 202)] {
        let config = Microaggregation {
            grouping: Grouping::HansenMukherjee,
            ..Microaggregation::new(k)
        };
        let groups = config.groups(&[Attribute::Number], &records);
        assert_eq!(groups.len(), count);
        let mut masked = records.clone();
        config.mask(&[Attribute::Number], &mut masked);
        let found = loss(&records, &masked);
        assert!((found - share).abs() < 0.5e-6, "k = {k}: {found}");
        // MDAV on a line cannot lose less.
        let mut by_mdav = records.clone();
        Microaggregation::new(k).mask(&[Attribute::Number], &mut by_mdav);
        assert!(loss(&records, &by_mdav) >= found);
    }
}

/// The place of AFNLWGT among the columns of census.
const CENSUS_AFNLWGT: usize = 0;

#[test]
fn other_groupings_lose_what_they_should_on_census() {
    let Some(original) = load("census") else {
        return;
    };
    let kinds = vec![Attribute::Number; original.width()];
    let lost = |grouping, axis| {
        let mut masked = original.clone();
        let config = Microaggregation {
            grouping,
            axis,
            ..Microaggregation::new(3)
        };
        config.mask(&kinds, &mut masked);
        assert!(smallest_class(&masked) >= 3);
        loss(&original, &masked)
    };
    let mdav = lost(Grouping::Mdav, Axis::Principal);
    for (grouping, axis, most) in [
        (Grouping::MuApprox, Axis::Principal, 1.5),
        (Grouping::Projection, Axis::Principal, 4.5),
        (Grouping::Projection, Axis::Sum, 4.5),
    ] {
        let found = lost(grouping, axis);
        assert!(found < most * mdav, "{grouping:?} {axis:?}: {found}");
    }
}

proptest! {
    #[test]
    fn mdav_on_a_line_is_the_obvious_mdav(
        values in prop::collection::vec((0..25).prop_map(f64::from), 2..70),
        k in 2..6_usize,
        ranks in any::<bool>(),
    ) {
        prop_assume!(values.len() >= k);
        let kind = if ranks { Attribute::Ordinal { levels: 25 } } else { Attribute::Number };
        let mut records = Records::new(1);
        // A second column in which all are equal keeps the records off the line.
        let mut off = Records::new(2);
        for &value in &values {
            records.push(&[value]);
            off.push(&[value, 7.0]);
        }
        let config = config(k, Grouping::Mdav, None);
        let on = config.groups(&[kind], &records);
        prop_assert_eq!(sorted(on), sorted(config.groups(&[kind, Attribute::Nominal], &off)));
    }

    #[test]
    fn groups_found_by_an_index_hold_each_row_once_and_keep_k(
        records in any_records(120), k in 2..6_usize,
        grouping in prop::sample::select(vec![Grouping::Mdav, Grouping::MuApprox]),
    ) {
        prop_assume!(records.len() >= k);
        let config = Microaggregation { exact: 0, ..config(k, grouping, None) };
        let groups = config.groups(&KINDS, &records);
        let (rows, least, most) = shape(&groups);
        prop_assert_eq!(rows, (0..records.len()).collect::<Vec<_>>());
        prop_assert!(least >= k && most <= (2 * k - 1).max((3 * k).saturating_sub(5)));
    }
}

#[test]
fn an_index_loses_hardly_more_than_looking_at_all() {
    let mut generator = RandomRbf::default().generator().expect("defaults");
    let kinds = vec![Attribute::Number; generator.header().attributes.len()];
    let mut original = Records::new(kinds.len());
    let mut record = vec![0.0; kinds.len()];
    for _ in 0..4_000 {
        generator.next(&mut record);
        original.push(&record);
    }
    let lost = |exact| {
        let mut masked = original.clone();
        let config = Microaggregation {
            exact,
            ..Microaggregation::new(5)
        };
        config.mask(&kinds, &mut masked);
        loss(&original, &masked)
    };
    let (all, index) = (lost(4_000), lost(0));
    assert!((index / all - 1.0).abs() < 0.01, "{index} against {all}");
}

#[test]
fn the_nearest_in_a_stream_lose_what_they_should() {
    // The sum of squared differences of the first 100,000 that leave a window of 100;
    // consecutive records instead of the nearest would lose 74,917.
    let mut generator = RandomRbf::default().generator().expect("defaults");
    let kinds = vec![Attribute::Number; generator.header().attributes.len()];
    let config = config(3, Grouping::Nearest, Some(100));
    let mut filter = config.filter(&kinds, 0).expect("fits");
    let (mut originals, mut out) = (Records::new(kinds.len()), Masked::new(kinds.len()));
    let mut record = vec![0.0; kinds.len()];
    while out.decided().len() < 100_000 {
        generator.next(&mut record);
        originals.push(&record);
        filter.push(&record, &mut out).expect("taken");
    }
    let pairs = originals
        .iter()
        .flatten()
        .zip(out.records().iter().flatten());
    let lost: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
    assert!((lost - 26_268.5).abs() < 0.05, "{lost}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let read = |settings: &[(&str, Value)]| {
        let mut section = Section::new("[[protect]]", 0..1);
        for (key, value) in settings {
            let value = value.clone();
            section.insert(key, 0..1, Placed { value, span: 0..1 });
        }
        Microaggregation::read(&mut section)
    };
    let text = |word: &str| Value::Text(word.to_owned());
    for settings in [
        vec![],
        vec![("k", Value::Whole(1))],
        vec![("k", Value::Whole(3)), ("buffer", Value::Whole(5))],
        vec![("k", Value::Whole(3)), ("grouping", text("nearest"))],
        vec![("k", Value::Whole(3)), ("grouping", text("farthest"))],
        vec![("k", Value::Whole(3)), ("gamma", Value::Number(0.5))],
        vec![("k", Value::Whole(3)), ("axis", text("sum"))],
        vec![
            ("k", Value::Whole(3)),
            ("buffer", Value::Whole(9)),
            ("grouping", text("mu-approx")),
        ],
        vec![
            ("k", Value::Whole(3)),
            ("buffer", Value::Whole(9)),
            ("exact", Value::Whole(99)),
        ],
    ] {
        assert!(read(&settings).is_err(), "{settings:?}");
    }
    let stream = read(&[("k", Value::Whole(3)), ("buffer", Value::Whole(6))]).expect("fits");
    assert_eq!(stream.grouping, Grouping::Nearest);
    assert_eq!(
        read(&[("k", Value::Whole(3))]).expect("fits"),
        Microaggregation::new(3)
    );
    assert!(stream.filter(&[], 0).is_err());
    assert!(Microaggregation::new(3).filter(&KINDS, 0).is_err());
}
