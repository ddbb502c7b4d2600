//! Promises of rank swapping on random records, slow references, and published figures.

use super::*;
use crate::data::{Attribute, Batch, Column, Field, Kind, Records, Role, RowIds, Schema};
use crate::math::java_random::JavaRandom;
use crate::math::uniform::step;
use crate::protect::Masked;
use moretta_generate::moa::{Generator, RandomRbf};
use proptest::prelude::*;
use std::sync::Arc;

const DIRECTIONS: [Direction; 3] = [Direction::Ascending, Direction::Descending, Direction::Both];

fn any_records(most: usize) -> impl Strategy<Value = Records> {
    let value = prop_oneof![
        4 => (0..8).prop_map(f64::from),
        8 => -1.0..1.0_f64,
        1 => Just(f64::NAN),
    ];
    prop::collection::vec(value, 6..most * 3).prop_map(|values| {
        let mut records = Records::new(3);
        values
            .chunks_exact(3)
            .for_each(|record| records.push(record));
        records
    })
}

fn config(within: Within, direction: Direction, buffer: Option<usize>) -> RankSwapping {
    RankSwapping {
        inside: Inside::Table,
        within,
        direction,
        buffer,
        columns: None,
    }
}

/// Lets all records pass and checks order and delay on the way.
fn pass(config: &RankSwapping, records: &Records, seed: u64) -> Records {
    let column = MaskedColumn {
        name: "x",
        role: Role::Quasi,
        attribute: Attribute::Number,
    };
    let columns = vec![column; records.width()];
    let mut filter = config.filter(&columns, seed).expect("fits");
    let mut out = Masked::new(records.width());
    for (row, record) in records.iter().enumerate() {
        filter.push(record, &mut out).expect("taken");
        let waits = row + 1 - out.decided().len();
        assert!(
            config.buffer.is_none_or(|most| waits < most),
            "{waits} rows are held"
        );
    }
    filter.finish(&mut out).expect("done");
    // One that is alone would leave as it is.
    assert_eq!(out.decided(), vec![records.len() > 1; records.len()]);
    out.records().clone()
}

fn sorted(records: &Records, attribute: usize) -> Vec<u64> {
    let mut column: Vec<f64> = records.column(attribute).collect();
    column.sort_by(f64::total_cmp);
    column.into_iter().map(f64::to_bits).collect()
}

/// The published algorithm: everything is sorted anew for each value of the head.
fn slow(
    records: &Records,
    (ranks, direction): (usize, Direction),
    buffer: usize,
    uniform: &mut dyn Uniform,
) -> Records {
    let mut rows: Vec<Vec<f64>> = records.iter().map(<[f64]>::to_vec).collect();
    let mut swapped = vec![vec![false; records.width()]; rows.len()];
    for head in 0..rows.len() {
        let window = head..(head + buffer).min(rows.len());
        for attribute in 0..records.width() {
            if swapped[head][attribute] || rows[head][attribute].is_nan() {
                continue;
            }
            let free = |row: &usize| !swapped[*row][attribute] && !rows[*row][attribute].is_nan();
            let mut order: Vec<usize> = window.clone().filter(free).collect();
            let value = |row: usize| rows[row][attribute];
            match direction {
                Direction::Descending => order.sort_by(|&a, &b| value(b).total_cmp(&value(a))),
                _ => order.sort_by(|&a, &b| value(a).total_cmp(&value(b))),
            }
            let rank = order.iter().position(|&row| row == head).expect("free");
            let mut choices: Vec<usize> = (rank + 1..order.len()).take(ranks).collect();
            if direction == Direction::Both {
                choices.extend((0..rank).rev().take(ranks));
            }
            if choices.is_empty() {
                continue;
            }
            let partner = order[choices[step(uniform.draw(), choices.len()) - 1]];
            let (a, b) = (rows[head][attribute], rows[partner][attribute]);
            (rows[head][attribute], rows[partner][attribute]) = (b, a);
            swapped[partner][attribute] = true;
        }
    }
    let mut released = Records::new(records.width());
    rows.iter().for_each(|row| released.push(row));
    released
}

fn bits(records: &Records) -> Vec<u64> {
    records
        .iter()
        .flatten()
        .map(|value| value.to_bits())
        .collect()
}

proptest! {
    #[test]
    fn the_window_swaps_as_if_it_were_sorted_for_each_value(
        records in any_records(150),
        ranks in 1..20_usize,
        buffer in 2..90_usize,
        direction in prop::sample::select(DIRECTIONS.to_vec()),
        seed: u64,
    ) {
        let released = pass(&config(Within::Ranks(ranks), direction, Some(buffer)), &records, seed);
        let mut uniform = Xoshiro256PlusPlus::seed_from_u64(seed);
        let expected = slow(&records, (ranks, direction), buffer, &mut uniform);
        prop_assert_eq!(bits(&released), bits(&expected));
    }

    #[test]
    fn each_column_keeps_its_values_and_missing_ones_their_rows(
        records in any_records(100),
        percent in 1.0..100.0_f64,
        buffer in prop::option::of(2..50_usize),
        direction in prop::sample::select(DIRECTIONS.to_vec()),
        seed: u64,
    ) {
        let config = config(Within::Percent(percent), direction, buffer);
        let released = pass(&config, &records, seed);
        for attribute in 0..3 {
            prop_assert_eq!(sorted(&released, attribute), sorted(&records, attribute));
            let mut pairs = released.column(attribute).zip(records.column(attribute));
            prop_assert!(pairs.all(|(a, b)| a.is_nan() == b.is_nan()));
        }
    }

    #[test]
    fn values_of_a_table_move_p_ranks_at_most_and_one_stays_at_most(
        order in Just((0..60).collect::<Vec<i32>>()).prop_shuffle(),
        ranks in 1..70_usize,
        direction in prop::sample::select(DIRECTIONS.to_vec()),
        seed: u64,
    ) {
        let mut records = Records::new(1);
        order.iter().for_each(|&rank| records.push(&[f64::from(rank)]));
        let released = pass(&config(Within::Ranks(ranks), direction, None), &records, seed);
        let moves: Vec<f64> = released
            .column(0)
            .zip(&order)
            .map(|(now, &was)| (now - f64::from(was)).abs())
            .collect();
        prop_assert!(moves.iter().all(|&by| by <= ranks as f64), "{:?}", moves);
        let stay = moves.iter().filter(|&&by| by == 0.0).count();
        prop_assert!(ranks < order.len() || stay <= 1, "{} stay", stay);
        for (row, &rank) in order.iter().enumerate() {
            let partner = order.iter().position(|&other| f64::from(other) == released.record(row)[0]);
            let back = released.record(partner.expect("a value of the column"))[0];
            prop_assert_eq!(back, f64::from(rank));
        }
    }
}

#[test]
fn partners_within_reach_are_equally_likely() {
    let mut records = Records::new(1);
    for value in [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] {
        records.push(&[value]);
    }
    // The first row is the smallest value: its partners are the next three.
    let mut counts = [0_i32; 6];
    for seed in 0..9000 {
        let config = config(Within::Ranks(3), Direction::Both, None);
        counts[pass(&config, &records, seed).record(0)[0] as usize] += 1;
    }
    // Five standard deviations of a count.
    let near = |count: &i32| (count - 3000).abs() < 224;
    assert!(counts[1..4].iter().all(near), "{counts:?}");
    assert_eq!((counts[0], counts[4], counts[5]), (0, 0, 0));
}

#[test]
fn percent_and_ranks_are_told_apart() {
    let read = |value: Value| {
        let mut section = Section::new("[[protect]]", 0..1);
        section.insert("within", 0..1, Placed { value, span: 0..1 });
        RankSwapping::read(&mut section).map(|config| config.within)
    };
    let text = |text: &str| Value::Text(text.to_owned());
    for (value, rows, ranks) in [
        (text("10%"), 250, 25),
        (text("10 %"), 100, 10),
        (text("2.5%"), 1000, 25),
        (text("0.1%"), 250, 1),
        (Value::Whole(10), 250, 10),
    ] {
        assert_eq!(read(value).expect("fits").ranks(rows), ranks);
    }
    for value in [
        Value::Number(0.1),
        Value::Whole(0),
        text("10"),
        text("0%"),
        text("101%"),
        text("NaN%"),
        Value::Flag(true),
    ] {
        let error = read(value).expect_err("refused");
        assert_eq!(
            error.help_text(),
            Some("for example within = 10 or within = \"10%\"")
        );
    }
}

/// Information loss, the sum of squared differences, of the first records that leave.
fn loss(generator: &mut dyn Generator, ranks: usize, buffer: usize, emitted: usize) -> f64 {
    let width = generator.header().attributes.len();
    let config = config(Within::Ranks(ranks), Direction::Descending, Some(buffer));
    let mut filter = config
        .filter_with(width, JavaRandom::new(3_141_592))
        .expect("fits");
    let mut originals = Records::new(width);
    let mut out = Masked::new(width);
    let mut record = vec![0.0; width];
    while out.decided().len() < emitted {
        generator.next(&mut record);
        originals.push(&record);
        filter.push(&record, &mut out).expect("taken");
    }
    let pairs = originals.iter().zip(out.records().iter());
    let terms = pairs.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)));
    terms.sum()
}

#[test]
fn the_published_figures_come_out() {
    for (ranks, buffer, expected) in [(10, 100, 19136.6247), (10, 250, 6875.9440)] {
        let mut generator = RandomRbf::default().generator().expect("defaults");
        let found = loss(&mut generator, ranks, buffer, 100_000);
        assert!(
            (found - expected).abs() < 1e-4,
            "p = {ranks}, b = {buffer}: {found}"
        );
    }
}

#[test]
fn percent_are_of_the_rows_in_the_window() {
    let mut uniform = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut records = Records::new(1);
    for _ in 0..600 {
        records.push(&[uniform.draw()]);
    }
    for (buffer, ranks) in [(Some(250), 25), (Some(1000), 60), (None, 60)] {
        let percent = config(Within::Percent(10.0), Direction::Both, buffer);
        let absolute = config(Within::Ranks(ranks), Direction::Both, buffer);
        let [a, b] = [percent, absolute].map(|config| pass(&config, &records, 1));
        assert_eq!(bits(&a), bits(&b), "{buffer:?}");
        let other = config(Within::Ranks(ranks + 1), Direction::Both, buffer);
        assert_ne!(bits(&a), bits(&pass(&other, &records, 1)), "{buffer:?}");
    }
}

/// Rows of classes, their values, and what beside these tells them apart.
fn classed(classes: &[u8], values: &[Option<f64>]) -> Batch {
    let number = Kind::Number { integer: true };
    let fields = vec![
        Field::new("class", Role::Quasi, number.clone()),
        Field::new("value", Role::Sensitive, number),
    ];
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    let ids = RowIds::Range {
        start: 0,
        len: classes.len(),
    };
    let classes = classes.iter().map(|&class| Some(f64::from(class)));
    let columns = vec![
        Column::Number(classes.collect()),
        Column::Number(values.iter().copied().collect()),
    ];
    Batch::new(schema, ids, columns).expect("fits")
}

fn swapped_inside(table: &Batch, seed: u64) -> Vec<Option<f64>> {
    let config = RankSwapping {
        inside: Inside::Classes,
        columns: Some(vec!["value".to_owned()]),
        ..config(Within::Percent(100.0), Direction::Both, None)
    };
    let setting = Setting {
        seed,
        ..Setting::default()
    };
    let method = config.table(&setting).expect("a function on tables");
    let release = method.release(table).expect("released").batch;
    assert_eq!(release.schema(), table.schema());
    let numbers = release.column(1).as_numbers().expect("numbers");
    numbers.iter().collect()
}

#[test]
fn swaps_inside_classes_leave_each_class_its_values_and_missing_ones_their_places() {
    let classes = [1, 2, 1, 2, 1, 3, 1, 2];
    let values = [1, 2, 3, 4, 0, 6, 7, 8].map(|n| (n > 0).then_some(f64::from(n)));
    let table = classed(&classes, &values);
    let mut moved = 0;
    for seed in 0..50 {
        let swapped = swapped_inside(&table, seed);
        for class in [1, 2, 3] {
            let of_class = |values: &[Option<f64>]| {
                let rows = values.iter().zip(classes).filter(|(_, c)| *c == class);
                let mut values: Vec<String> = rows.map(|(v, _)| format!("{v:?}")).collect();
                values.sort();
                values
            };
            assert_eq!(of_class(&swapped), of_class(&values), "{seed}");
        }
        assert_eq!(swapped[4], None, "{seed}");
        assert_eq!(swapped[5], Some(6.0), "alone in its class");
        moved += usize::from(swapped != values);
    }
    assert!(moved > 30, "{moved}");
}

/// Who knows that the two values of a class are always swapped swaps them back.
#[test]
fn the_values_of_a_class_of_two_are_swapped_half_the_time() {
    let rows = 4000_u32;
    let classes: Vec<u8> = (0..rows).map(|row| (row / 2 % 250) as u8).collect();
    let values: Vec<Option<f64>> = (0..rows).map(|row| Some(f64::from(row))).collect();
    let mut swapped = 0;
    for start in (0..rows as usize).step_by(500) {
        let part = start..start + 500;
        let table = classed(&classes[part.clone()], &values[part.clone()]);
        let released = swapped_inside(&table, start as u64);
        let pairs = released.iter().zip(&values[part]);
        swapped += pairs.filter(|(after, before)| after != before).count();
    }
    // 2000 pairs; five standard deviations are 112.
    assert!((swapped / 2).abs_diff(1000) < 112, "{swapped}");
}
