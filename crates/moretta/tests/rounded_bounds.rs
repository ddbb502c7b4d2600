//! Rounded bounds of intervals: what they hide, what they cost, and that they are true.

mod support;

use moretta::data::region::Value;
use moretta::data::{
    Batch, Column, DateFormat, Domain, Domains, Field, Kind, Region, Role, RowIds, Schema,
};
use moretta::protect::mondrian::{Bounds, Mode, Mondrian};
use moretta::protect::{Method, Setting};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use support::only_k;

/// Ages, days and amounts of some rows.
#[derive(Clone, Debug)]
struct Table {
    rows: Vec<[f64; 3]>,
}

const NAMES: [&str; 3] = ["age", "born", "amount"];

impl Table {
    fn schema() -> Arc<Schema> {
        let kinds = [
            Kind::Number { integer: true },
            Kind::Date(DateFormat::ISO),
            Kind::Number { integer: false },
        ];
        let fields = NAMES.into_iter().zip(kinds);
        let fields = fields.map(|(name, kind)| Field::new(name, Role::Quasi, kind));
        Arc::new(Schema::new(fields.collect()).expect("names differ"))
    }

    fn batch(&self) -> Batch {
        let column = |i: usize| Column::Number(self.rows.iter().map(|row| Some(row[i])).collect());
        let ids = RowIds::Range {
            start: 0,
            len: self.rows.len(),
        };
        Batch::new(Table::schema(), ids, (0..3).map(column).collect()).expect("fits")
    }

    fn domains(&self) -> Domains {
        let batch = self.batch();
        let fields = batch.schema().fields().iter().zip(batch.columns());
        Domains::new(fields.map(|(field, column)| {
            let domain = Domain::of(field, column, None).expect("numbers");
            (field.name.to_string(), domain)
        }))
    }

    /// The cells of each row, rows in the order of the table.
    fn release(&self, k: u32, mode: Mode, bounds: Bounds) -> Vec<Vec<String>> {
        let method = Method::Mondrian(Mondrian {
            mode,
            bounds,
            ..Mondrian::default()
        });
        let setting = Setting {
            guarantee: only_k(k),
            domains: Arc::new(self.domains()),
            seed: 0,
            ..Setting::default()
        };
        let mut operator = method.build(&Table::schema(), &setting).expect("built");
        operator.push(self.batch()).expect("taken");
        let release = operator.finish().expect("released");
        let lines = support::lines(&release).into_iter();
        lines
            .map(|(_, cells)| cells.into_iter().flatten().collect())
            .collect()
    }

    fn intervals(&self, release: &[Vec<String>]) -> Vec<[(f64, f64); 3]> {
        let domains = self.domains();
        let interval = |i: usize, text: &str| {
            let domain = domains.require(NAMES[i]).expect("a domain");
            match Region::parse(Some(text), domain) {
                Some(Region::Interval(low, high)) => (low, high),
                other => panic!("{other:?}"),
            }
        };
        let row = |cells: &Vec<String>| [0, 1, 2].map(|i| interval(i, &cells[i]));
        release.iter().map(row).collect()
    }

    /// Of the rows that show an interval in a column, the share whose value is one of its
    /// bounds, and the share of those that are alone with that value in their class.
    fn on_bounds(&self, column: usize, release: &[Vec<String>]) -> (f64, f64) {
        let mut classes: BTreeMap<&[String], Vec<f64>> = BTreeMap::new();
        for (row, cells) in self.rows.iter().zip(release) {
            classes.entry(cells).or_default().push(row[column]);
        }
        let (mut rows, mut on, mut alone) = (0.0, 0.0, 0.0);
        for (cells, values) in classes {
            let (low, high) = self.intervals(&[cells.to_vec()])[0][column];
            for &value in values.iter().filter(|_| low < high) {
                let bound = value == low || value == high;
                let equal = values.iter().filter(|other| **other == value).count();
                rows += 1.0;
                on += f64::from(u8::from(bound));
                alone += f64::from(u8::from(bound && equal == 1));
            }
        }
        (on / rows, alone / rows)
    }
}

/// Rows by a linear congruential generator, so that every run has the same.
fn made_up(rows: usize, seed: u64) -> Table {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let rows = (0..rows).map(|_| {
        let age = 18 + (next(40) + next(40)) as i32;
        let amount = (next(1_000_000) * next(1_000)) as f64 / 1e4;
        [
            f64::from(age),
            f64::from(20_000 - 365 * age - next(365) as i32),
            amount,
        ]
    });
    Table {
        rows: rows.collect(),
    }
}

#[test]
fn no_value_is_shown_for_its_own_sake() {
    let table = made_up(2_000, 5);
    let shares = |bounds, column| {
        let release = table.release(5, Mode::Strict, bounds);
        table.on_bounds(column, &release)
    };
    for column in [1, 2] {
        let (exact, rounded) = (
            shares(Bounds::Exact, column),
            shares(Bounds::Rounded, column),
        );
        assert!(
            exact.0 > 0.2 && rounded.0 < 0.02,
            "{column}: {exact:?} {rounded:?}"
        );
    }
    // Of ages two share a cell, and both are bounds; only chance puts one there alone.
    let (exact, rounded) = (shares(Bounds::Exact, 0), shares(Bounds::Rounded, 0));
    assert!(rounded.1 < 0.7 * exact.1, "{exact:?} {rounded:?}");
    let wide = shares(Bounds::Every(5.0), 0);
    assert!(
        wide.0 < 0.6 * exact.0 && wide.1 < 0.6 * exact.1,
        "{exact:?} {wide:?}"
    );
}

/// What the class shows, as a set of texts, does not depend on where in their cells values lie.
#[test]
fn values_that_move_within_their_cells_change_nothing() {
    let table = made_up(1_500, 9);
    let mut moved = table.clone();
    for (i, row) in moved.rows.iter_mut().enumerate() {
        row[0] = 2.0 * (row[0] / 2.0).floor() + (i % 2) as f64;
    }
    for mode in [Mode::Strict, Mode::Relaxed, Mode::Balanced] {
        let release = |table: &Table| table.release(5, mode, Bounds::Rounded);
        assert_eq!(release(&table), release(&moved), "{mode:?}");
        assert_ne!(
            table.release(5, mode, Bounds::Exact),
            moved.release(5, mode, Bounds::Exact)
        );
    }
}

fn tables() -> impl Strategy<Value = Table> {
    let row = (
        0i32..90,
        -20_000i32..20_000,
        prop_oneof![-1e3..1e3f64, Just(0.1), Just(1e12)],
    )
        .prop_map(|(age, day, amount)| [f64::from(age), f64::from(day), amount]);
    proptest::collection::vec(row, 5..300).prop_map(|rows| Table { rows })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        rng_seed: RngSeed::Fixed(3),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn intervals_cover_their_rows_and_strict_ones_are_apart(
        table in tables(),
        k in 1u32..6,
        mode in support::modes(),
        bounds in prop_oneof![Just(Bounds::Rounded), (1u8..40).prop_map(|w| Bounds::Every(f64::from(w) / 4.0))],
    ) {
        let release = table.release(k, mode, bounds);
        let domains = table.domains();
        let mut classes: BTreeMap<&[String], usize> = BTreeMap::new();
        for (row, cells) in table.rows.iter().zip(&release) {
            for ((name, &value), text) in NAMES.iter().zip(row).zip(cells) {
                let domain = domains.require(name).expect("a domain");
                let region = Region::parse(Some(text), domain).expect("a region");
                prop_assert!(region.covers(Value::Number(value), domain), "{} {}", value, text);
            }
            *classes.entry(cells).or_default() += 1;
        }
        prop_assert!(classes.values().all(|&rows| rows >= k as usize));
        if mode == Mode::Strict {
            let shown: BTreeSet<&[String]> = classes.into_keys().collect();
            let shown: Vec<Vec<String>> = shown.into_iter().map(<[String]>::to_vec).collect();
            let boxes = table.intervals(&shown);
            for (i, a) in boxes.iter().enumerate() {
                for b in &boxes[..i] {
                    // Cells of fractions share their edge.
                    let apart = a.iter().zip(b).any(|(a, b)| a.1 <= b.0 || b.1 <= a.0);
                    prop_assert!(apart, "{:?} {:?}", a, b);
                }
            }
        }
    }
}
