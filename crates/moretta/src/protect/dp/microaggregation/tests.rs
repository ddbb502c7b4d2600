use super::filter::{sorted_sums, sums};
use super::*;
use crate::config::{Placed, Value};
use crate::protect::dp::Entropy;
use crate::protect::dp::acceptance::{accepts, cell, rejects, tally};
use proptest::prelude::*;

fn config(order: Order, k: usize, buffer: usize, names: &[&str]) -> DpMicroaggregation {
    let range = Bounds::new(0.0, 1.0).expect("a range");
    DpMicroaggregation {
        k,
        buffer,
        is_stream: true,
        epsilon: Epsilon::new(1.0).expect("in range"),
        bounds: names.iter().map(|&name| (name.to_owned(), range)).collect(),
        order,
        w: 1,
        budget: None,
        clamp: false,
    }
}

fn release(config: &DpMicroaggregation, records: &[Vec<f64>], seed: u64) -> (Vec<f64>, usize) {
    let names: Vec<&str> = config.bounds.keys().map(String::as_str).collect();
    let mut filter = config
        .build_with(&names, Entropy::fixed(seed))
        .expect("valid");
    let mut out = Vec::new();
    for record in records {
        filter.push(record, &mut out).expect("no budget is set");
    }
    let suppressed = filter.finish(&mut out).expect("no budget is set");
    (out, suppressed)
}

/// What changes in all, over the sums of two windows.
fn change(before: &[i64], after: &[i64]) -> i64 {
    before.iter().zip(after).map(|(a, b)| (a - b).abs()).sum()
}

fn univariate(window: &[u32], k: usize) -> Vec<i64> {
    let mut found = Vec::new();
    sorted_sums(&mut window.to_vec(), k, &mut found);
    found
}

/// The sums of one attribute of records in a fixed order: by distance, then by value.
fn multivariate(window: &[[u32; 2]], k: usize, place: usize) -> Vec<i64> {
    let mut window = window.to_vec();
    window.sort_by_key(|r| (r[0] * r[0] + r[1] * r[1], r[0], r[1]));
    let mut found = Vec::new();
    sums(window.iter().map(|r| r[place]), k, &mut found);
    found
}

/// Every window of `b` values below `n`, as digits.
fn windows(n: u32, b: u32) -> impl Iterator<Item = Vec<u32>> {
    (0..n.pow(b)).map(move |number| (0..b).map(|i| number / n.pow(i) % n).collect())
}

#[test]
fn no_neighbour_changes_univariate_sums_by_more_than_the_range_and_some_do_by_all_of_it() {
    let top = 3;
    for (b, k) in [(4, 2), (5, 2), (5, 1), (3, 3)] {
        let mut worst = 0;
        for window in windows(top + 1, b) {
            let before = univariate(&window, k);
            for i in 0..b as usize {
                for value in 0..=top {
                    let mut neighbour = window.clone();
                    neighbour[i] = value;
                    worst = worst.max(change(&before, &univariate(&neighbour, k)));
                }
            }
        }
        assert_eq!(worst, i64::from(top), "b = {b}, k = {k}");
    }
}

#[test]
fn no_neighbour_changes_multivariate_sums_by_more_than_the_range_times_the_groups() {
    let (side, k) = (3, 2);
    let mut worst = 0;
    for codes in windows(side * side, 4) {
        let window: Vec<[u32; 2]> = codes.iter().map(|c| [c / side, c % side]).collect();
        let before = multivariate(&window, k, 0);
        for record in 0..side * side {
            let mut neighbour = window.clone();
            neighbour[0] = [record / side, record % side];
            worst = worst.max(change(&before, &multivariate(&neighbour, k, 0)));
        }
    }
    let range = i64::from(side) - 1;
    assert!(worst <= 2 * range);
    // The bound of one range, which would be wrong here, is exceeded.
    assert!(worst > range, "{worst}");
}

#[test]
fn the_factor_of_the_multivariate_order_is_needed() {
    // In order of distance the first attribute leaps from end to end at each group.
    let top = 1000;
    let corner = |i: u32| {
        if i.is_multiple_of(2) {
            [i / 2, top]
        } else {
            [top, i / 2]
        }
    };
    let window: Vec<[u32; 2]> = (0..10).flat_map(|i| [corner(i), corner(i)]).collect();
    let mut neighbour = window.clone();
    neighbour[0] = corner(10);
    let worst = change(
        &multivariate(&window, 2, 0),
        &multivariate(&neighbour, 2, 0),
    );
    assert!(worst > 9_900 && worst <= 10_000, "{worst}");
}

proptest! {
    #[test]
    fn univariate_sums_of_any_neighbours_change_by_the_change_of_the_value(
        mut window in prop::collection::vec(0u32..1000, 1..200),
        k in 1usize..20, place in any::<prop::sample::Index>(), value in 0u32..1000,
    ) {
        let before = univariate(&window, k);
        let place = place.index(window.len());
        let old = std::mem::replace(&mut window[place], value);
        let moved = change(&before, &univariate(&window, k));
        prop_assert_eq!(moved, i64::from(old.abs_diff(value)));
    }

    #[test]
    fn multivariate_sums_of_any_neighbours_change_by_at_most_the_range_for_each_group(
        mut window in prop::collection::vec([0u32..=50, 0u32..=50], 1..80),
        k in 1usize..20, place in any::<prop::sample::Index>(), record in [0u32..=50, 0u32..=50],
    ) {
        let groups = (window.len() / k).max(1) as i64;
        let before = [0, 1].map(|j| multivariate(&window, k, j));
        let place = place.index(window.len());
        window[place] = record;
        for (j, before) in before.iter().enumerate() {
            prop_assert!(change(before, &multivariate(&window, k, j)) <= 50 * groups);
        }
    }

    #[test]
    fn which_places_get_the_same_centroid_does_not_depend_on_the_data(
        window in prop::collection::vec([0f64..1.0, 0f64..1.0], 5..40),
        record in [0f64..1.0, 0f64..1.0], seed in any::<u64>(), k in 2usize..5,
    ) {
        for order in [Order::Univariate, Order::Multivariate, Order::Arrival] {
            let mut config = config(order, k, 20, &["x", "y"]);
            // So much noise that two centroids are hardly ever equal by chance, and never
            // for two seeds in a row.
            config.epsilon = Epsilon::new(Epsilon::LEAST).expect("in range");
            let records: Vec<Vec<f64>> = window.iter().map(|r| r.to_vec()).collect();
            let mut changed = records.clone();
            changed[0] = record.to_vec();
            let depends = |seed| {
                let (before, _) = release(&config, &records, seed);
                let (after, _) = release(&config, &changed, seed);
                pattern(&before) != pattern(&after)
            };
            prop_assert!(!(depends(seed) && depends(seed ^ 1)));
        }
    }
}

#[test]
fn the_centroid_of_its_own_group_would_tell_the_rank_of_a_record() {
    // As published: each record gets the centroid of its own group, in order of arrival.
    let published = |window: &[f64]| {
        let rank = |x: &f64| window.iter().filter(|y| *y < x).count();
        let groups: Vec<f64> = window.iter().map(|x| (rank(x) / 2) as f64).collect();
        pattern(&groups)
    };
    assert_ne!(
        published(&[0.1, 0.2, 0.3, 0.4]),
        published(&[0.9, 0.2, 0.3, 0.4])
    );
}

/// For each value, the first place where it stands.
fn pattern(values: &[f64]) -> Vec<Option<usize>> {
    let first = |v| values.iter().position(|w| w == v);
    values.iter().map(first).collect()
}

/// The noise of the sums: each record holds the middle of a range, so all else is noise.
fn noise(config: &DpMicroaggregation, windows: usize) -> Vec<i64> {
    let attribute = &config.attributes().expect("valid")[0];
    let middle = attribute.grid.value(f64::from(attribute.grid.top() / 2));
    let record = vec![middle; config.bounds.len()];
    let records = vec![record; windows * config.buffer];
    let (out, _) = release(config, &records, 5);
    let each = config.buffer * config.bounds.len();
    let steps = |value: f64| (value - middle) / attribute.grid.step() * config.k as f64;
    out.chunks(each)
        .map(|window| steps(window[0]).round() as i64)
        .collect()
}

/// Whether noise falls off as it should for ε = 1 split over `m` attributes.
fn noise_cells(noise: &[i64], config: &DpMicroaggregation, m: f64) -> (Vec<u64>, Vec<f64>) {
    let top = f64::from(config.attributes().expect("valid")[0].grid.top());
    let scale = top * m * config.sensitivity() as f64;
    let width = (scale / 4.0).round() as i64;
    let mut place = noise.iter().map(|&x| cell(20, x.div_euclid(width)));
    let counts = tally(41, noise.len(), || place.next().expect("one for each"));
    let below = |n: i64| {
        let q = (-1.0 / scale).exp();
        let tail = |n: i64| q.powi(n as i32) / (1.0 + q);
        if n > 0 { 1.0 - tail(n) } else { tail(1 - n) }
    };
    let edge = |i: i64| match i {
        -20 => 0.0,
        21 => 1.0,
        _ => below(i * width),
    };
    let expected = (-20..=20).map(|i| edge(i + 1) - edge(i)).collect();
    (counts, expected)
}

#[test]
fn centroids_have_laplace_noise_of_the_proved_scale() {
    for (order, names) in [
        (Order::Univariate, &["x"][..]),
        (Order::Univariate, &["x", "y"]),
        (Order::Multivariate, &["x", "y"]),
        (Order::Arrival, &["x", "y"]),
    ] {
        let config = config(order, 3, 6, names);
        let noise = noise(&config, 3_000);
        let (counts, expected) = noise_cells(&noise, &config, names.len() as f64);
        accepts(&counts, &expected);
        // Planted: not divided by k; one-sided; ε doubled; not split over attributes.
        let planted: [fn(i64) -> i64; 3] = [|x| 3 * x, i64::abs, |x| x / 2];
        for bug in planted {
            let wrong: Vec<i64> = noise.iter().copied().map(bug).collect();
            rejects(
                &noise_cells(&wrong, &config, names.len() as f64).0,
                &expected,
            );
        }
        let (counts, expected) = noise_cells(&noise, &config, names.len() as f64 + 1.0);
        rejects(&counts, &expected);
    }
}

#[test]
fn centroids_without_much_noise_are_the_means_of_sorted_groups() {
    let mut config = config(Order::Univariate, 2, 4, &["x"]);
    config.epsilon = Epsilon::new(1000.0).expect("in range");
    let records: Vec<Vec<f64>> = [0.9, 0.1, 0.8, 0.2, 0.5].map(|x| vec![x]).to_vec();
    let (mut out, suppressed) = release(&config, &records, 1);
    out.sort_by(f64::total_cmp);
    assert_eq!(suppressed, 1);
    for (value, expected) in out.iter().zip([0.15, 0.15, 0.85, 0.85]) {
        assert!((value - expected).abs() < 0.02, "{value}");
    }
}

#[test]
fn a_tail_joins_the_last_group_or_is_suppressed() {
    for order in [Order::Univariate, Order::Multivariate, Order::Arrival] {
        for n in 0..20 {
            let config = config(order, 3, 8, &["x"]);
            let records = vec![vec![0.5]; n];
            let (out, suppressed) = release(&config, &records, 1);
            let tail = n % 8;
            assert_eq!(suppressed, if tail < 3 { tail } else { 0 }, "{n}");
            assert_eq!(out.len(), n - suppressed);
            for value in &out {
                assert!(out.iter().filter(|v| *v == value).count() >= 3);
            }
        }
    }
}

#[test]
fn a_spent_budget_ends_the_stream_with_exit_code_7() {
    let mut config = config(Order::Univariate, 2, 2, &["x"]);
    config.budget = Some(Budget {
        epsilon: Epsilon::new(2.0).expect("in range"),
        delta: 0.0,
    });
    let mut filter = config.build_with(&["x"], Entropy::fixed(1)).expect("valid");
    let mut out = Vec::new();
    for _ in 0..5 {
        filter.push(&[0.5], &mut out).expect("within the budget");
    }
    for _ in 0..3 {
        let error = filter.push(&[0.5], &mut out).expect_err("spent");
        assert_eq!(error.exit_code(), 7);
    }
    assert!(filter.finish(&mut out).is_err());
    assert_eq!(out.len(), 4);
}

#[test]
fn windows_that_share_epsilon_get_a_part_each() {
    let mut config = config(Order::Univariate, 3, 6, &["x"]);
    config.w = 4;
    let (counts, expected) = noise_cells(&noise(&config, 3_000), &config, 4.0);
    accepts(&counts, &expected);
}

#[test]
fn missing_and_wild_values_are_taken_as_the_middle_and_the_bounds() {
    let mut config = config(Order::Arrival, 2, 2, &["x"]);
    config.epsilon = Epsilon::new(1000.0).expect("in range");
    let records = [f64::NAN, f64::NAN, 1e300, 7.0, f64::NEG_INFINITY, -1.0].map(|x| vec![x]);
    let (out, _) = release(&config, &records, 1);
    for (value, expected) in out.iter().zip([0.5, 0.5, 1.0, 1.0, 0.0, 0.0]) {
        assert!((value - expected).abs() < 0.02, "{value}");
    }
}

#[test]
fn columns_without_bounds_and_bounds_without_columns_are_errors() {
    let config = config(Order::Univariate, 2, 4, &["x", "y"]);
    for (names, message) in [
        (
            &["x", "y", "z"][..],
            "dp-microaggregation has no bounds for `z`",
        ),
        (
            &["x"],
            "`bounds` names `y`, which is no column that is protected",
        ),
    ] {
        let error = config.build(names).err().expect("refused");
        assert_eq!(error.to_string(), message);
        assert_eq!(error.exit_code(), 3);
    }
}

fn placed(value: Value) -> Placed {
    Placed { value, span: 0..1 }
}

fn section(settings: &[(&str, Value)]) -> Section {
    let mut section = Section::new("[[protect]]", 0..1);
    for (key, value) in settings {
        section.insert(key, 0..1, placed(value.clone()));
    }
    section
}

fn ranges(lower: f64, upper: f64) -> Value {
    let list = [lower, upper].map(|x| placed(Value::Number(x))).to_vec();
    Value::Table(section(&[("x", Value::List(list))]))
}

#[test]
fn a_policy_is_read_or_refused() {
    let epsilon = || ("epsilon", Value::Number(1.0));
    let mut good = section(&[
        ("k", Value::Whole(3)),
        epsilon(),
        ("bounds", ranges(0.0, 1.0)),
    ]);
    let read = DpMicroaggregation::read(&mut good).expect("valid");
    assert_eq!(
        (read.buffer, read.w, read.order),
        (100, 1, Order::Univariate)
    );
    good.finish().expect("nothing is left");
    for (settings, message) in [
        (vec![epsilon()], "[[protect]] needs `k`"),
        (
            vec![("k", Value::Whole(3)), epsilon()],
            "[[protect]] needs `bounds`",
        ),
        (
            vec![
                ("k", Value::Whole(3)),
                epsilon(),
                ("bounds", ranges(1.0, 1.0)),
            ],
            "the bounds of `x` are a lower and a greater upper number",
        ),
        (
            vec![
                ("k", Value::Whole(3)),
                ("epsilon", Value::Number(0.0)),
                ("bounds", ranges(0.0, 1.0)),
            ],
            "`epsilon` must lie between 0.00000095367431640625 and 1024",
        ),
        (
            vec![
                ("k", Value::Whole(3)),
                ("epsilon", Value::Number(0.00001)),
                ("w", Value::Whole(1_000_000)),
                ("bounds", ranges(0.0, 1.0)),
            ],
            "`epsilon` is too small for so many attributes and windows",
        ),
        (
            vec![
                ("k", Value::Whole(3)),
                epsilon(),
                ("buffer", Value::Whole(2)),
                ("bounds", ranges(0.0, 1.0)),
            ],
            "`buffer` must be a whole number from 3 to 1000000",
        ),
    ] {
        let error = DpMicroaggregation::read(&mut section(&settings)).expect_err("refused");
        assert_eq!(error.to_string(), message);
    }
}
