//! What classes must have, asked row by row and by counts.

use super::*;
use crate::data::hierarchy::Hierarchy;
use crate::data::{Domain, Field, Kind, RowIds, Schema};
use crate::guarantee::{
    Absence, BetaLikeness, DeltaDisclosure, Diversity, Ground, KMap, LDiversity, Likeness,
    PSensitivity, Population, Presence, Sensitivity, TCloseness,
};
use proptest::prelude::*;
use std::sync::Arc;

/// A table of one sensitive column and, with persons, of whose rows they are.
fn table(values: Column, kind: Kind, persons: Option<&[&str]>) -> Batch {
    let len = values.len();
    let mut fields = vec![Field::new("s", Role::Sensitive, kind)];
    let mut columns = vec![values];
    if let Some(persons) = persons {
        let kind = Kind::Category { ordered: false };
        fields.push(Field::new("who", Role::Subject, kind));
        columns.push(Column::Category(persons.iter().map(Some).collect()));
    }
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    Batch::new(schema, RowIds::Range { start: 0, len }, columns).expect("fits")
}

/// One letter a row, `-` for missing.
fn letters(text: &str) -> Column {
    let texts = text.chars().map(|c| (c != '-').then(|| c.to_string()));
    Column::Category(texts.collect())
}

fn k(k: u32) -> Guarantee {
    Guarantee {
        k: Some(k),
        ..Guarantee::default()
    }
}

fn l(l: f64, kind: Diversity) -> Guarantee {
    let column = "s".to_owned();
    Guarantee {
        l: vec![LDiversity { column, l, kind }],
        ..Guarantee::default()
    }
}

fn t(t: f64, distance: Ground) -> Guarantee {
    let column = "s".to_owned();
    Guarantee {
        t: vec![TCloseness {
            column,
            t,
            distance,
        }],
        ..Guarantee::default()
    }
}

fn unordered() -> Kind {
    Kind::Category { ordered: false }
}

fn limits(guarantee: &Guarantee, batch: &Batch) -> Limits {
    Limits::new(guarantee, batch, &Domains::default()).expect("fits")
}

#[test]
fn persons_count_once_however_many_rows_they_have() {
    let batch = table(letters("xxxx"), unordered(), Some(&["a", "a", "b", "c"]));
    let limits = limits(&k(2), &batch);
    assert!(!limits.only_rows());
    for (rows, holds) in [(&[0, 1][..], false), (&[0, 2], true), (&[1], false)] {
        assert_eq!(limits.hold(rows), holds, "{rows:?}");
    }
}

#[test]
fn diversity_leaves_missing_values_out() {
    let recursive = Diversity::Recursive { c: 2.0 };
    for (guarantee, text, holds) in [
        (l(2.0, Diversity::Distinct), "ab", true),
        (l(2.0, Diversity::Distinct), "a-", false),
        (l(2.0, Diversity::Entropy), "aabb-", true),
        (l(2.0, Diversity::Entropy), "aaab", false),
        (l(1.0, Diversity::Entropy), "--", false),
        (l(2.0, recursive), "aaabb", true),
        (l(2.0, recursive), "aaaabb", false),
        (l(2.0, recursive), "----", false),
    ] {
        let limits = limits(&guarantee, &table(letters(text), unordered(), None));
        let rows: Vec<u32> = (0..text.len() as u32).collect();
        assert_eq!(limits.hold(&rows), holds, "{guarantee:?} {text}");
        assert_eq!(limits.refusal(text.len(), false).is_none(), holds, "{text}");
    }
}

#[test]
fn the_boundary_of_the_recursive_kind_is_left_to_no_rounding() {
    // 7 < 0.07 · 100 is false, but as floats the product is a little more than 7.
    let others = (1..=20).flat_map(|value| [f64::from(value); 5]);
    let values: Vec<f64> = [0.0; 7].into_iter().chain(others).collect();
    let rows: Vec<u32> = (0..values.len() as u32).collect();
    let column = Column::Number(values.into_iter().map(Some).collect());
    let batch = table(column, Kind::Number { integer: true }, None);
    let holds = |c| limits(&l(2.0, Diversity::Recursive { c }), &batch).hold(&rows);
    assert!(!holds(0.07) && holds(0.071));
}

#[test]
fn a_person_with_one_value_in_many_rows_adds_it_once() {
    let persons = ["p", "p", "p", "q"];
    let batch = table(letters("aaab"), unordered(), Some(&persons));
    assert!(limits(&l(2.0, Diversity::Entropy), &batch).hold(&[0, 1, 2, 3]));
}

#[test]
fn closeness_is_measured_against_the_whole_or_what_is_left_of_it() {
    // Salaries 3 to 11 of Li, Li and Venkatasubramanian: {3, 4, 5} is at 0.375, {6, 8, 11} at 1/6.
    let pay = Column::Number((3..12).map(|n| Some(f64::from(n))).collect());
    let batch = table(pay, Kind::Number { integer: true }, None);
    let holds = |figure: f64, rows: &[u32]| limits(&t(figure, Ground::Ordered), &batch).hold(rows);
    assert!(holds(0.375, &[0, 1, 2]) && !holds(0.374, &[0, 1, 2]));
    assert!(holds(0.167, &[3, 5, 8]) && !holds(0.166, &[3, 5, 8]));
    let mut limits = limits(&t(0.1, Ground::Ordered), &batch);
    assert!(!limits.hold(&[0, 1, 2]));
    assert!(limits.refer_to(&[0, 1, 2]));
    assert!(limits.hold(&[0, 1, 2]), "they are all that is left");
}

#[test]
fn values_that_do_not_occur_are_no_steps_of_an_order() {
    let levels = ["low", "mid", "high", "never", "seen"];
    let column = crate::data::Categories::new(vec![0, 0, 2, 2], Arc::new(levels.iter().collect()));
    let batch = table(
        Column::Category(column),
        Kind::Category { ordered: true },
        None,
    );
    let holds = |figure| limits(&t(figure, Ground::Ordered), &batch).hold(&[0, 1]);
    assert!(holds(0.5) && !holds(0.49), "two values, one step");
}

#[test]
fn one_number_written_in_two_ways_is_one_step_of_an_order() {
    let texts = ["1", "2", "2.0", "3"].map(Some);
    let batch = table(
        Column::Category(texts.into_iter().collect()),
        unordered(),
        None,
    );
    // Of the steps 1, 2 and 3 the class {1} is (3/4 + 1/4)/2 away from the whole.
    let holds = |figure| limits(&t(figure, Ground::Ordered), &batch).hold(&[0]);
    assert!(holds(0.5) && !holds(0.49));
}

#[test]
fn a_declared_order_goes_before_the_order_of_numbers() {
    let levels = ["9", "1", "5"];
    let column = crate::data::Categories::new(vec![0, 1, 2], Arc::new(levels.iter().collect()));
    for (ordered, distance) in [(true, 0.5), (false, 0.5)] {
        let kind = Kind::Category { ordered };
        let batch = table(Column::Category(column.clone()), kind, None);
        // The first of the order is farthest from the whole: 9 as declared, 1 as a number.
        let first = if ordered { 0 } else { 1 };
        let limits = limits(&t(distance - 0.01, Ground::Ordered), &batch);
        assert!(!limits.hold(&[first]), "{ordered}");
        let middle = if ordered { 1 } else { 2 };
        assert!(limits.hold(&[middle]), "{ordered}");
    }
}

#[test]
fn a_class_without_values_is_as_far_away_as_can_be() {
    let column = Column::Number([Some(1.0), Some(2.0), None, None].into_iter().collect());
    let batch = table(column, Kind::Number { integer: true }, None);
    assert!(!limits(&t(0.9, Ground::Ordered), &batch).hold(&[2, 3]));
    assert!(limits(&t(1.0, Ground::Ordered), &batch).hold(&[2, 3]));
    assert!(
        limits(&t(0.5, Ground::Equal), &batch).hold(&[2, 3]),
        "missing is a value there"
    );
    let empty = table(
        Column::Number([None, None].into_iter().collect()),
        unordered(),
        None,
    );
    let refusal = limits(&t(0.5, Ground::Ordered), &empty).refusal(2, false);
    assert_eq!(refusal.expect("refused").exit_code(), 1);
}

#[test]
fn both_zeros_are_one_number() {
    let column = Column::Number([0.0, -0.0].into_iter().map(Some).collect());
    let batch = table(column, Kind::Number { integer: true }, None);
    assert!(!limits(&l(2.0, Diversity::Distinct), &batch).hold(&[0, 1]));
    assert!(limits(&l(1.0, Diversity::Distinct), &batch).hold(&[0, 1]));
}

#[test]
fn trees_of_dates_are_found_by_the_texts_of_the_dates() {
    let format = crate::data::DateFormat::ISO;
    let field = Field::new("s", Role::Sensitive, Kind::Date(format));
    let column = Column::Number([0.0, 400.0].into_iter().map(Some).collect());
    let chains = [["1970-01-01", "1970", "*"], ["1971-02-05", "1971", "*"]];
    let chains: Vec<Vec<&str>> = chains.iter().map(|c| c.to_vec()).collect();
    let tree = Arc::new(Hierarchy::from_chains(&chains).expect("a tree"));
    let domain = Domain::of(&field, &column, Some(tree)).expect("dates");
    let domains = Domains::new([("s".to_owned(), domain)]);
    let batch = table(column, Kind::Date(format), None);
    let limits = Limits::new(&t(0.5, Ground::Hierarchical), &batch, &domains);
    assert!(limits.expect("found").hold(&[0]));
}

#[test]
fn what_cannot_be_counted_is_an_error_of_the_policy() {
    let plain = Column::Plain(Arc::new(arrow_array::StringArray::from(vec!["a", "b"])));
    let kind = Kind::Plain(arrow_schema::DataType::Utf8);
    for (guarantee, batch) in [
        (l(1.0, Diversity::Distinct), table(plain, kind, None)),
        (
            t(0.1, Ground::Ordered),
            table(letters("ab"), unordered(), None),
        ),
        (
            t(0.1, Ground::Hierarchical),
            table(letters("ab"), unordered(), None),
        ),
    ] {
        let error = Limits::new(&guarantee, &batch, &Domains::default()).err();
        assert_eq!(error.expect("refused").exit_code(), 3, "{guarantee:?}");
    }
}

#[test]
fn refusals_name_the_figure_that_cannot_be_reached() {
    let batch = table(letters("aab"), unordered(), None);
    let p = Guarantee {
        p: vec![PSensitivity {
            kind: Sensitivity::Distinct,
            column: "s".into(),
            p: 3,
        }],
        ..Guarantee::default()
    };
    for (guarantee, words) in [
        (k(4), "3 rows; k=4 needs at least 4 persons"),
        (p, "`s` has 2 values, l=3 impossible"),
    ] {
        let refusal = limits(&guarantee, &batch)
            .refusal(3, false)
            .expect("refused");
        assert_eq!(
            (refusal.exit_code(), refusal.to_string().as_str()),
            (1, words)
        );
    }
}

#[test]
fn every_boundary_is_allowed_exactly_where_both_sides_hold() {
    let persons = ["p", "q", "p", "r", "q", "s", "t", "p"];
    let batch = table(letters("abacbba-"), unordered(), Some(&persons));
    let mut guarantee = l(2.0, Diversity::Distinct);
    guarantee.k = Some(2);
    let limits = limits(&guarantee, &batch);
    let rows: Vec<u32> = vec![3, 1, 4, 0, 5, 2, 6, 7];
    let positions: Vec<usize> = (0..=rows.len()).collect();
    let expected: Vec<bool> = positions
        .iter()
        .map(|&p| limits.hold(&rows[..p]) && limits.hold(&rows[p..]))
        .collect();
    assert_eq!(limits.allow(&rows, &positions), expected);
    assert!(expected.contains(&true) && expected.contains(&false));
}

/// How often each value is there, and how many are missing.
type Counted = (Vec<(u32, u32)>, u32);

/// The counts of these rows, found the slow way: each person once, and once for each value.
fn counted(limits: &Limits, rows: &[u32]) -> (usize, Vec<Counted>) {
    let person = |row: u32| match limits.persons() {
        Some(persons) => persons[row as usize],
        None => row,
    };
    let distinct = |pairs: &mut Vec<(u32, u32)>| {
        pairs.sort_unstable();
        pairs.dedup();
    };
    let mut persons: Vec<(u32, u32)> = rows.iter().map(|&row| (person(row), 0)).collect();
    distinct(&mut persons);
    let columns = limits.sensitive_codes().map(|(codes, _)| {
        let pairs = rows.iter().map(|&row| (codes[row as usize], person(row)));
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        distinct(&mut pairs);
        let count = |run: &[(u32, u32)]| (run[0].0, run.len() as u32);
        let mut counts: Vec<_> = pairs.chunk_by(|a, b| a.0 == b.0).map(count).collect();
        let missing = counts.pop_if(|(value, _)| *value == crate::data::MISSING);
        (counts, missing.map_or(0, |(_, count)| count))
    });
    (persons.len(), columns.collect())
}

/// One promise of each kind about `s`, with this figure.
fn of_each_kind(figure: f64) -> Vec<Guarantee> {
    let column = || "s".to_owned();
    let beta = |kind| Guarantee {
        beta: vec![BetaLikeness {
            column: column(),
            beta: figure,
            kind,
        }],
        ..Guarantee::default()
    };
    let delta = |absent| Guarantee {
        delta: vec![DeltaDisclosure {
            column: column(),
            delta: figure,
            absent,
        }],
        ..Guarantee::default()
    };
    let p = |kind| Guarantee {
        p: vec![PSensitivity {
            column: column(),
            p: figure.ceil() as u32,
            kind,
        }],
        ..Guarantee::default()
    };
    let whole = figure.ceil();
    vec![
        k(whole as u32),
        l(whole, Diversity::Distinct),
        l(figure.max(1.0), Diversity::Entropy),
        l(2.0, Diversity::Recursive { c: figure }),
        t(figure / 3.0, Ground::Equal),
        t(figure / 3.0, Ground::Ordered),
        p(Sensitivity::Distinct),
        p(Sensitivity::Each),
        beta(Likeness::Basic),
        beta(Likeness::Enhanced),
        delta(Absence::Infinite),
        delta(Absence::Ignore),
    ]
}

proptest! {
    #[test]
    fn rows_and_counts_get_the_same_answer(
        cells in proptest::collection::vec((proptest::option::weighted(0.9, 0u8..4), 0u8..5), 2..24),
        cut in 1usize..23,
        persons: bool,
        figure in 0.3f64..3.0,
    ) {
        let values = cells.iter().map(|(value, _)| value.map(f64::from));
        let names: Vec<String> = cells.iter().map(|(_, who)| who.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let column = Column::Number(values.collect());
        let kind = Kind::Number { integer: true };
        let batch = table(column, kind, persons.then_some(&names));
        let rows: Vec<u32> = (0..cut.min(cells.len()) as u32).collect();
        for guarantee in of_each_kind(figure) {
            let limits = limits(&guarantee, &batch);
            let (size, columns) = counted(&limits, &rows);
            let histograms: Vec<Histogram<'_>> = columns.iter().map(|(counts, missing)| Histogram { counts, missing: *missing }).collect();
            let class = ClassCounts { size, population: 0, histograms: &histograms };
            let by_rows = limits.hold(&rows);
            prop_assert_eq!(limits.holds_counts(&class), by_rows, "{:?}", guarantee);
            prop_assert!(limits.holds_growing(&class) || !by_rows);
        }
    }
}

#[test]
fn a_set_of_promises_grows_as_its_weakest_part() {
    let batch = table(letters("abab"), unordered(), None);
    let of = |guarantee: &Guarantee| limits(guarantee, &batch).growth();
    let mut kinds = of_each_kind(2.0);
    // Letters have no order.
    kinds.retain(|g| g.t.iter().all(|t| t.distance == Ground::Equal));
    let found: Vec<Growth> = kinds.iter().map(of).collect();
    let (always, unions, never) = (Growth::Always, Growth::Unions, Growth::Never);
    let expected = [
        always, always, unions, unions, unions, always, unions, unions, unions, unions, never,
    ];
    assert_eq!(found, expected);
    let presence = Guarantee {
        presence: Some(Presence {
            min: 0.0,
            max: 0.5,
            population: "people.csv".into(),
        }),
        ..k(2)
    };
    assert_eq!(of(&presence), unions);
    let map = Guarantee {
        k_map: Some(KMap {
            k: 2,
            population: Population::Table("people.csv".into()),
        }),
        ..k(2)
    };
    assert_eq!(of(&map), always);
    let risks = Guarantee {
        maximum_risk: Some(0.2),
        average_risk: Some(0.01),
        ..Guarantee::default()
    };
    assert_eq!((of(&risks), limits(&risks, &batch).k), (always, 5));
    assert_eq!(limits(&risks, &batch).average_by_size().k, 100);
}
