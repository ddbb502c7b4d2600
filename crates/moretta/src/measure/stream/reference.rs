//! The measures computed slowly from their definitions, to compare with.

use super::{Measured, Observed, Point, StreamMeasures};
use crate::data::{Batch, Categories, Column, Field, Kind, Role, RowIds, Schema};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A decided row with two attributes, and the users of made-up rows before it.
#[derive(Clone, Debug)]
struct Row {
    time: i64,
    user: Option<u8>,
    values: [Option<u8>; 2],
    levels: [Option<u16>; 2],
    fakes: Vec<u8>,
}

impl Row {
    /// Of one attribute, without made-up rows.
    fn plain(time: i64, user: u8, value: u8, level: Option<u16>) -> Self {
        Row {
            time,
            user: Some(user),
            values: [Some(value), None],
            levels: [level, None],
            fakes: Vec::new(),
        }
    }

    fn is_released(&self) -> bool {
        self.user.is_some() && self.levels != [None; 2]
    }

    /// A value, two of them together, or all.
    fn label(&self, column: usize) -> Option<String> {
        let value = self.values[column].unwrap_or(9);
        self.levels[column].map(|level| match level {
            0 => value.to_string(),
            1 => format!("{}-", value / 2),
            _ => "any".to_owned(),
        })
    }

    /// Who shows what on account of this row.
    fn shows(&self) -> Vec<(u8, usize, String)> {
        let users = self.fakes.iter().copied().chain(self.user);
        users
            .filter(|_| self.is_released())
            .flat_map(|user| {
                (0..2).filter_map(move |column| Some((user, column, self.label(column)?)))
            })
            .collect()
    }
}

fn rows(times: std::ops::Range<i64>) -> impl Strategy<Value = Vec<Row>> {
    let value = || prop::option::weighted(0.9, 0_u8..6);
    let level = || prop::option::weighted(0.7, 0_u16..3);
    let row = (
        times,
        prop::option::weighted(0.95, 0_u8..8),
        [value(), value()],
        [level(), level()],
        prop::collection::vec(0_u8..8, 0..2),
    );
    let row = row.prop_map(|(time, user, values, levels, fakes)| Row {
        time,
        user,
        values,
        levels,
        fakes,
    });
    prop::collection::vec(row, 0..80)
}

fn batch(ids: Vec<u64>, columns: [Categories; 3]) -> Batch {
    let category = || Kind::Category { ordered: false };
    let fields = vec![
        Field::new("a", Role::Quasi, category()),
        Field::new("user", Role::Subject, category()),
        Field::new("b", Role::Quasi, category()),
    ];
    Batch::new(
        Arc::new(Schema::new(fields).expect("names differ")),
        RowIds::List(ids.into()),
        columns.map(Column::Category).to_vec(),
    )
    .expect("fits")
}

fn observe(measures: &mut StreamMeasures, first: usize, rows: &[Row], backwards: bool) {
    let text = |value: &Option<u8>| value.map(|value| value.to_string());
    let value = |column: usize| rows.iter().map(|row| text(&row.values[column])).collect();
    let original = batch(
        (0..rows.len()).map(|row| (first + row) as u64).collect(),
        [
            value(0),
            rows.iter().map(|row| text(&row.user)).collect(),
            value(1),
        ],
    );
    let mut released: Vec<(u64, Option<u8>, &Row)> = Vec::new();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    if backwards {
        order.reverse();
    }
    for place in order {
        let row = &rows[place];
        if row.is_released() {
            let fakes = row.fakes.iter();
            released.extend(fakes.map(|&user| (1 << 63 | u64::from(user), Some(user), row)));
            released.push(((first + place) as u64, row.user, row));
        }
    }
    let label = |column: usize| {
        let labels = released.iter().map(|(_, _, row)| row.label(column));
        labels
            .map(|label| Some(label.unwrap_or("*".to_owned())))
            .collect()
    };
    let users = released.iter().map(|(_, user, _)| text(user)).collect();
    let shown = batch(
        released.iter().map(|&(id, ..)| id).collect(),
        [label(0), users, label(1)],
    );
    let times: Vec<i64> = rows.iter().map(|row| row.time).collect();
    let levels: Vec<Option<u16>> = released.iter().flat_map(|(_, _, row)| row.levels).collect();
    let delays: Vec<i64> = times.iter().map(|time| 1_000 - time).collect();
    let seen = Observed {
        times: &times,
        original: &original,
        released: &shown,
        levels: &levels,
        subject: 1,
        attributes: &[0, 2],
        delays: &delays,
        z: 7,
    };
    measures.observe(&seen).expect("fits");
}

/// Shares of users alike and alone, of what was shown.
fn slow_shares<'a>(rows: impl Iterator<Item = &'a Row>, k: usize) -> (Option<f64>, Option<f64>) {
    let mut sets: BTreeMap<u8, BTreeSet<(usize, String)>> = BTreeMap::new();
    for (user, column, label) in rows.flat_map(Row::shows) {
        sets.entry(user).or_default().insert((column, label));
    }
    let mut sizes: BTreeMap<_, usize> = BTreeMap::new();
    for set in sets.values() {
        *sizes.entry(set).or_default() += 1;
    }
    let share = |enough: &dyn Fn(usize) -> bool| {
        let users: usize = sizes.values().filter(|&&size| enough(size)).sum();
        (!sets.is_empty()).then(|| users as f64 / sets.len() as f64)
    };
    (share(&|size| size >= k), share(&|size| size == 1))
}

fn slow_point(rows: &[Row], from: usize, time: i64, window: i64, k: usize) -> Point {
    let (p, unique) = slow_shares(rows.iter().filter(|row| row.time > time - window), k);
    let (levels, suppressed) = slow_levels(&rows[from..]);
    let read = 2 * (rows.len() - from) as u64;
    Point {
        time,
        z: 7,
        p,
        unique,
        read,
        levels,
        suppressed,
    }
}

fn slow_levels(rows: &[Row]) -> (Vec<u64>, u64) {
    let released = rows.iter().filter(|row| row.is_released());
    let shown: Vec<u16> = released.flat_map(|row| row.levels).flatten().collect();
    let count = |level: u16| shown.iter().filter(|&&other| other == level).count() as u64;
    let most = shown.iter().max().map_or(0, |most| most + 1);
    let levels = (0..most).map(count).collect();
    (levels, (2 * rows.len() - shown.len()) as u64)
}

fn slow_timeline(rows: &[Row], window: i64, every: i64, k: usize) -> Vec<Point> {
    let mut latest = i64::MIN;
    let numbers: Vec<i64> = rows
        .iter()
        .map(|row| {
            latest = latest.max(row.time);
            latest.div_euclid(every)
        })
        .collect();
    let (mut points, mut from) = (Vec::new(), 0);
    for row in 1..=rows.len() {
        if row == rows.len() {
            points.push(slow_point(rows, from, latest, window, k));
        } else if numbers[row] != numbers[row - 1] {
            let end = (numbers[row - 1] + 1) * every;
            points.push(slow_point(&rows[..row], from, end, window, k));
            from = row;
        }
    }
    points
}

fn slow_entropy<T: Ord>(things: impl Iterator<Item = T>) -> f64 {
    let mut counts: BTreeMap<T, f64> = BTreeMap::new();
    for thing in things {
        *counts.entry(thing).or_default() += 1.0;
    }
    let all: f64 = counts.values().sum();
    counts.values().map(|n| n / all * (all / n).log2()).sum()
}

/// Entropy before and after, and what is left; mutual information as the loss of
/// entropy of the values when the label is known.
fn slow_information(rows: &[Row]) -> (f64, f64, f64) {
    let [mut before, mut after, mut left] = [0.0; 3];
    for column in 0..2 {
        let label = |row: &Row| row.is_released().then(|| row.label(column)).flatten();
        let value = |row: &Row| row.values[column];
        let entropy = slow_entropy(rows.iter().map(value));
        let labels: BTreeSet<Option<String>> = rows.iter().map(label).collect();
        let unknown = labels.iter().map(|one| {
            let under: Vec<&Row> = rows.iter().filter(|row| label(row) == *one).collect();
            let share = under.len() as f64 / rows.len() as f64;
            share * slow_entropy(under.iter().map(|row| value(row)))
        });
        left += entropy - unknown.sum::<f64>();
        before += entropy;
        after += slow_entropy(rows.iter().map(label));
    }
    let residual = if before > 0.0 { left / before } else { 1.0 };
    (before, after, residual)
}

fn measured(rows: &[Row], size: usize, backwards: bool, every: i64) -> Measured {
    let mut measures = StreamMeasures::new(2, 20, every);
    for (number, part) in rows.chunks(size).enumerate() {
        observe(&mut measures, number * size, part, backwards);
    }
    measures.facts()
}

fn close(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-9)
}

proptest! {
    #[test]
    fn every_measure_equals_its_definition(
        rows in rows(-30..60),
        size in 1..30_usize,
        every in 1..40_i64,
    ) {
        let facts = measured(&rows, size, false, every);
        let timeline = slow_timeline(&rows, 20, every, 2);
        prop_assert_eq!(&facts.timeline, &timeline);
        let (levels, suppressed) = slow_levels(&rows);
        prop_assert_eq!((&facts.levels, facts.suppressed), (&levels, suppressed));
        prop_assert_eq!((facts.p_all, facts.unique_all), slow_shares(rows.iter(), 2));
        prop_assert_eq!(facts.all_time_rows, None);
        let released: Vec<&Row> = rows.iter().filter(|row| row.is_released()).collect();
        let fakes: usize = released.iter().map(|row| row.fakes.len()).sum();
        prop_assert_eq!(facts.fakes, fakes as u64);
        let delays: Vec<i64> = released.iter().map(|row| 1_000 - row.time).collect();
        prop_assert_eq!(facts.delay_max, delays.iter().copied().max().unwrap_or(0));
        let mean = delays.iter().sum::<i64>() as f64 / delays.len().max(1) as f64;
        prop_assert!(close(Some(facts.delay_mean), mean));
        if rows.is_empty() {
            prop_assert_eq!(facts.residual_information, None);
        } else {
            let (before, after, residual) = slow_information(&rows);
            prop_assert!(close(facts.entropy_before, before), "{:?} {}", facts, before);
            prop_assert!(close(facts.entropy_after, after), "{:?} {}", facts, after);
            prop_assert!(close(facts.residual_information, residual), "{:?} {}", facts, residual);
        }
    }

    #[test]
    fn neither_the_size_of_batches_nor_the_order_of_releases_matters(
        rows in rows(0..100),
        size in 1..30_usize,
        backwards: bool,
    ) {
        let whole = measured(&rows, rows.len().max(1), false, 10);
        prop_assert_eq!(measured(&rows, size, backwards, 10), whole);
    }
}

#[test]
fn a_stream_of_six_rows_gives_the_figures_found_by_hand() {
    // Values 0 and 1 share a parent. The window is 20 long, intervals are 10.
    let rows = [
        Row::plain(0, 1, 0, Some(0)),
        Row::plain(1, 2, 0, Some(0)),
        Row::plain(5, 3, 1, Some(1)),
        Row::plain(8, 4, 2, None),
        Row::plain(10, 2, 1, Some(1)),
        Row::plain(24, 4, 0, Some(0)),
    ];
    let facts = measured(&rows, 4, false, 10);
    // At 10: {0} {0} {0-}. At 20 the row of time 0 is gone, and 2 shows {0, 0-}. At
    // 24 those up to 4 are gone: 3 and 2 show {0-}, 4 shows {0}.
    let told: Vec<_> = facts.timeline.iter().map(|p| (p.time, p.p)).collect();
    let third = |n: f64| Some(n / 3.0);
    assert_eq!(told, [(10, third(2.0)), (20, Some(0.0)), (24, third(2.0))]);
    assert_eq!(facts.timeline[0].levels, [2, 1]);
    // Users 1 and 4 have shown {0}, user 2 {0, 0-}, user 3 {0-}.
    assert_eq!((facts.p_all, facts.unique_all), (Some(0.5), Some(0.5)));
    assert_eq!((facts.levels, facts.suppressed), (vec![3, 2], 7));
    // Values 3, 2, 1 of 6; labels 3, 2, 1 of 6; each label tells the value.
    let bits = 0.5 + 2.0_f64.log2() / 3.0 * 3.0_f64.log2() + 6.0_f64.log2() / 6.0;
    assert!(close(facts.entropy_before, bits) && close(facts.entropy_after, bits));
    assert!(close(facts.residual_information, 1.0));
    assert_eq!((facts.delay_max, facts.delay_mean), (1_000, 992.0));
}

#[test]
fn the_live_line_shows_the_window_as_it_is_now() {
    let mut measures = StreamMeasures::new(2, 20, 1_000);
    let rows: Vec<Row> = (0..4).map(|user| Row::plain(0, user, 0, Some(0))).collect();
    observe(&mut measures, 0, &rows, false);
    let live = measures.live();
    assert_eq!((live.read, live.released, live.suppressed), (8, 4, 4));
    assert_eq!((live.levels, live.window), (vec![4], Some(0.0)));
    assert_eq!(
        (live.p, live.unique, live.delay),
        (Some(1.0), Some(0.0), 1_000)
    );
    observe(&mut measures, 4, &[Row::plain(20, 9, 0, Some(1))], false);
    assert_eq!(
        (measures.live().p, measures.live().unique),
        (Some(0.0), Some(1.0))
    );
    assert_eq!(measures.live().levels, [4, 1]);
    assert_eq!(measures.live().window, Some(1.0));
    observe(&mut measures, 5, &[Row::plain(50, 9, 0, None)], false);
    assert_eq!((measures.live().p, measures.live().z), (None, 7));
}

#[test]
fn levels_are_counted_and_delays_told_by_interval() {
    let mut measures = StreamMeasures::new(2, 20, 10);
    let rows = [
        Row::plain(0, 1, 0, Some(2)),
        Row::plain(9, 2, 0, None),
        Row::plain(30, 2, 1, Some(0)),
    ];
    observe(&mut measures, 0, &rows, false);
    let facts = measures.facts();
    assert_eq!((facts.levels, facts.suppressed), (vec![1, 0, 1], 4));
    assert_eq!(facts.delay_mean, 985.0);
    let points: Vec<_> = facts.timeline.iter().map(|p| (p.time, p.read)).collect();
    assert_eq!(points, [(10, 4), (30, 2)]);
}

#[test]
fn what_leaves_the_window_leaves_memory() {
    let mut measures = StreamMeasures::new(2, 20, 10);
    let mut sizes = Vec::new();
    for round in 0..300_u32 {
        let time = i64::from(round) * 10;
        let rows: Vec<Row> = (0..200)
            .map(|user| Row::plain(time, user, (round % 100) as u8, Some(0)))
            .collect();
        observe(&mut measures, round as usize * 200, &rows, false);
        sizes.push(measures.memory());
    }
    // From the hundredth round on nothing is new but the points of the time line.
    assert!(
        sizes[299] - sizes[110] < 300 * 200,
        "{} {}",
        sizes[110],
        sizes[299]
    );
}

#[test]
fn a_row_that_was_not_decided_or_is_released_twice_is_a_bug() {
    let texts = |n: usize| -> Categories { (0..n).map(|_| Some("x")).collect() };
    let of = |ids: &[u64]| batch(ids.to_vec(), std::array::from_fn(|_| texts(ids.len())));
    for released in [&[4][..], &[1, 1], &[1, 0, 1]] {
        let levels = vec![Some(0); 2 * released.len()];
        let seen = Observed {
            times: &[1, 2],
            original: &of(&[0, 1]),
            released: &of(released),
            levels: &levels,
            subject: 1,
            attributes: &[0, 2],
            delays: &[0, 0],
            z: 1,
        };
        let mut measures = StreamMeasures::new(2, 20, 10);
        let error = measures.observe(&seen).expect_err("not accepted");
        assert_eq!(error.exit_code(), 8);
    }
}
