//! Rules against a slow reference that tries every value of every cell.

use super::bind::{Bound, Codes, ColumnKind, bind};
use super::cell::{Cell, Truth, Values};
use super::possible::{Outcome, Question};
use super::*;
use crate::data::hierarchy::{Hierarchy, HierarchySpec};
use crate::data::{
    Batch, Categories, Column, DateFormat, Field, Kind, Numbers, Role, RowIds, Schema,
};
use std::sync::Arc;

/// How true a formula is of values, none of which may be there.
fn truth(formula: &Bound, values: &[Option<f64>]) -> Truth {
    let known = |holds: Option<bool>| match holds {
        None => Truth::Unknown,
        Some(true) => Truth::True,
        Some(false) => Truth::False,
    };
    let compare = |a: f64, comparison: Comparison, b: f64| match comparison {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
        Comparison::Less => a < b,
        Comparison::AtMost => a <= b,
        Comparison::Greater => a > b,
        Comparison::AtLeast => a >= b,
    };
    match formula {
        Bound::Constant(a, op, b) => known(values[*a].map(|a| compare(a, *op, *b))),
        Bound::Columns(a, op, b) => {
            known(values[*a].zip(values[*b]).map(|(a, b)| compare(a, *op, b)))
        }
        Bound::In(a, list) => known(values[*a].map(|a| list.contains(&a))),
        Bound::Missing(a) => known(Some(values[*a].is_none())),
        Bound::Not(inner) => match truth(inner, values) {
            Truth::True => Truth::False,
            Truth::Unknown => Truth::Unknown,
            Truth::False => Truth::True,
        },
        Bound::And(parts) => {
            let truths = parts.iter().map(|part| truth(part, values));
            truths.min().unwrap_or(Truth::True)
        }
        Bound::Or(parts) => {
            let truths = parts.iter().map(|part| truth(part, values));
            truths.max().unwrap_or(Truth::False)
        }
    }
}

/// What a row does, by trying all that its cells can be on a grid.
fn reference(formula: &Bound, cells: &[Cell], grid: &[f64]) -> Outcome {
    let options: Vec<Vec<Option<f64>>> = cells
        .iter()
        .map(|cell| {
            let values = grid
                .iter()
                .copied()
                .filter(|&n| cell.values.has(n))
                .map(Some);
            values.chain(cell.missing.then_some(None)).collect()
        })
        .collect();
    let (mut kept, mut broken) = (false, false);
    let mut places = vec![0; cells.len()];
    'all: loop {
        let values: Vec<Option<f64>> = places.iter().zip(&options).map(|(&p, o)| o[p]).collect();
        match truth(formula, &values) {
            Truth::False => broken = true,
            _ => kept = true,
        }
        for column in 0..=cells.len() {
            if column == cells.len() {
                break 'all;
            }
            places[column] += 1;
            if places[column] < options[column].len() {
                break;
            }
            places[column] = 0;
        }
    }
    match (kept, broken) {
        (true, true) => Outcome::Open,
        (true, false) => Outcome::Kept,
        _ => Outcome::Broken,
    }
}

/// The same numbers each time.
fn draws(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    }
}

const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::AtMost,
    Comparison::Greater,
    Comparison::AtLeast,
];

fn some_formula(columns: usize, depth: usize, draw: &mut impl FnMut(usize) -> usize) -> Bound {
    let parts = |draw: &mut _| {
        (0..2)
            .map(|_| some_formula(columns, depth - 1, draw))
            .collect()
    };
    match draw(if depth == 0 { 4 } else { 8 }) {
        0 => Bound::Constant(draw(columns), COMPARISONS[draw(6)], draw(4) as f64),
        1 => Bound::Columns(draw(columns), COMPARISONS[draw(6)], draw(columns)),
        2 => {
            let low = draw(3) as f64;
            Bound::In(draw(columns), vec![low, low + 1.0])
        }
        3 => Bound::Missing(draw(columns)),
        4 => Bound::Not(Box::new(some_formula(columns, depth - 1, draw))),
        5 | 6 => Bound::And(parts(draw)),
        _ => Bound::Or(parts(draw)),
    }
}

fn some_cell(whole: bool, draw: &mut impl FnMut(usize) -> usize) -> Cell {
    let missing = draw(4) == 0;
    let values = match draw(6) {
        0 => Values::everything(whole),
        1 => Values::one_of((0..4).filter(|_| draw(2) == 0).map(f64::from).collect()),
        2 => {
            let value = draw(4) as f64;
            Values::within(value, value, whole)
        }
        3 => Values::within(f64::NEG_INFINITY, draw(4) as f64, whole),
        _ => {
            let low = draw(4);
            Values::within(low as f64, (low + draw(4 - low)) as f64, whole)
        }
    };
    let missing = missing || values.is_empty();
    Cell { missing, values }
}

#[test]
fn outcomes_are_those_of_trying_every_value() {
    let mut draw = draws(11);
    let mut seen = [0; 3];
    for case in 0..6000 {
        let columns = 1 + draw(3);
        let formula = some_formula(columns, 1 + draw(3), &mut draw);
        let whole = case % 2 == 0;
        let cells: Vec<Cell> = (0..columns).map(|_| some_cell(whole, &mut draw)).collect();
        // Beyond and between constants and ends there is room for three columns.
        let grid: Vec<f64> = match whole {
            true => (-4..=7).map(f64::from).collect(),
            false => (-4..=16).map(|quarter| f64::from(quarter) / 4.0).collect(),
        };
        let expected = reference(&formula, &cells, &grid);
        let question = Question::new(formula.clone(), columns);
        let found = question.outcome(&cells.iter().collect::<Vec<&Cell>>());
        assert_eq!(found, expected, "{formula:?} {cells:?}");
        seen[expected as usize] += 1;
    }
    assert!(seen.iter().all(|&times| times > 300), "{seen:?}");
}

#[test]
fn numbers_beyond_all_constants_are_found_however_large() {
    let formula = Bound::And(vec![
        Bound::Constant(0, Comparison::Greater, 1e300),
        Bound::Not(Box::new(Bound::Missing(0))),
    ]);
    let cell = Cell {
        missing: false,
        values: Values::within(1e300, f64::INFINITY, false),
    };
    assert_eq!(Question::new(formula, 1).outcome(&[&cell]), Outcome::Open);
}

/// A rule without a condition on where it applies.
fn rule(text: &str) -> ColumnRule {
    ColumnRule {
        name: "r".to_owned(),
        when: None,
        then: Condition::parse(text).expect(text),
        source: Breach::Refuse,
        release: Breach::Refuse,
        span: 0..0,
    }
}

fn regions(name: &str, kind: ColumnKind, rule: Option<HierarchySpec>) -> Reading {
    Reading {
        name: name.to_owned(),
        kind,
        labels: Labels::Regions {
            rule,
            tree: None,
            empty_is_any: false,
        },
    }
}

/// Rows of texts.
fn texts(names: &[&str], rows: &[&[&str]]) -> Batch {
    let kind = Kind::Category { ordered: false };
    let fields = names
        .iter()
        .map(|name| Field::new(*name, Role::Quasi, kind.clone()));
    let column = |place: usize| {
        let cells = rows
            .iter()
            .map(|row| Some(row[place]).filter(|text| !text.is_empty()));
        Column::Category(cells.collect::<Categories>())
    };
    Batch::new(
        Arc::new(Schema::new(fields.collect()).expect("columns")),
        RowIds::Range {
            start: 0,
            len: rows.len(),
        },
        (0..names.len()).map(column).collect(),
    )
    .expect("a batch")
}

fn counts(rule: ColumnRule, readings: Vec<Reading>, rows: &Batch) -> [u64; 3] {
    let mut checker = RuleChecker::new(&[rule], readings).expect("it fits");
    checker.observe(rows).expect("judged");
    let count = checker.counts().remove(0);
    [count.kept, count.open, count.broken]
}

const NUMBER: ColumnKind = ColumnKind::Number { whole: false };

#[test]
fn intervals_sets_and_stars_are_judged_by_what_they_can_be() {
    let marriage = ColumnRule {
        when: Some(Condition::parse("status in ('married', 'widowed')").expect("read")),
        ..rule("age >= 18")
    };
    for (age, status, expected) in [
        ("30", "married", [1, 0, 0]),
        ("17", "married", [0, 0, 1]),
        ("17", "single", [1, 0, 0]),
        ("10..17", "married", [0, 0, 1]),
        ("10..17", "{married|widowed}", [0, 0, 1]),
        ("10..17", "{married|single}", [0, 1, 0]),
        ("10..20", "married", [0, 1, 0]),
        ("18..20", "*", [1, 0, 0]),
        ("..17", "*", [0, 1, 0]),
        ("*", "married", [0, 1, 0]),
        ("", "married", [1, 0, 0]),
        ("17", "", [1, 0, 0]),
        ("'17", "married", [0, 1, 0]),
        ("'-17", "married", [0, 0, 1]),
    ] {
        let readings = vec![
            regions("age", NUMBER, None),
            regions("status", ColumnKind::Text, None),
        ];
        let rows = texts(&["age", "status"], &[&[age, status]]);
        assert_eq!(
            counts(marriage.clone(), readings, &rows),
            expected,
            "{age} {status}"
        );
    }
}

#[test]
fn dates_orders_hierarchies_and_texts_are_read_as_what_they_are() {
    let date = || ColumnKind::Date(DateFormat::ISO);
    let order = || ColumnKind::Ordered(["low", "mid", "high"].map(str::to_owned).to_vec());
    let months = || {
        Some(HierarchySpec::Dates(vec![
            crate::data::hierarchy::DateUnit::Month,
        ]))
    };
    for (text, kinds, hierarchy, cells, expected) in [
        (
            "a >= b",
            [date(), date()],
            None,
            ["2024-01-02", "2024-01-02"],
            [1, 0, 0],
        ),
        (
            "a > b",
            [date(), date()],
            None,
            ["2024-01-02", "2024-01-02"],
            [0, 0, 1],
        ),
        (
            "a >= b",
            [date(), date()],
            months(),
            ["2024-01", "2024-02"],
            [0, 0, 1],
        ),
        (
            "a >= b",
            [date(), date()],
            months(),
            ["2024-02", "2024-02"],
            [0, 1, 0],
        ),
        (
            "a >= '2024-02-29' or b is missing",
            [date(), date()],
            months(),
            ["2024-02", "2023-01"],
            [0, 1, 0],
        ),
        (
            "a >= '2024-03-01'",
            [date(), date()],
            months(),
            ["2024-02", ""],
            [0, 0, 1],
        ),
        (
            "a > 'low' and a < 'high'",
            [order(), order()],
            None,
            ["low..high", ""],
            [0, 1, 0],
        ),
        ("a > b", [order(), order()], None, ["mid", "low"], [1, 0, 0]),
        (
            "a > 'mid'",
            [order(), order()],
            None,
            ["low..mid", ""],
            [0, 0, 1],
        ),
        (
            "a = b",
            [ColumnKind::Text, ColumnKind::Text],
            None,
            ["x", "{y|z}"],
            [0, 0, 1],
        ),
        (
            "a = b",
            [ColumnKind::Text, ColumnKind::Text],
            None,
            ["x", "{x|z}"],
            [0, 1, 0],
        ),
        (
            "a != b",
            [ColumnKind::Text, ColumnKind::Text],
            None,
            ["x", "y"],
            [1, 0, 0],
        ),
        (
            "a = 'x'",
            [ColumnKind::Text, ColumnKind::Text],
            None,
            ["{y|z}", ""],
            [0, 0, 1],
        ),
        (
            "a = '4041'",
            [ColumnKind::Text, ColumnKind::Text],
            Some(HierarchySpec::Mask(crate::data::hierarchy::MaskSide::Right)),
            ["40**", ""],
            [0, 1, 0],
        ),
    ] {
        let [a, b] = kinds;
        let mut readings = vec![
            regions("a", a, hierarchy.clone()),
            regions("b", b, hierarchy),
        ];
        let rows = texts(&["a", "b"], &[&cells]);
        readings.retain(|reading| rule(text).formula().columns().contains(&&*reading.name));
        assert_eq!(
            counts(rule(text), readings, &rows),
            expected,
            "{text} {cells:?}"
        );
    }
}

#[test]
fn whole_numbers_have_nothing_between_them() {
    let between = || rule("age > 3 and age < 4");
    let rows = texts(&["age"], &[&["0..9"]]);
    let read = |whole| vec![regions("age", ColumnKind::Number { whole }, None)];
    assert_eq!(counts(between(), read(true), &rows), [0, 0, 1]);
    assert_eq!(counts(between(), read(false), &rows), [0, 1, 0]);
}

#[test]
fn a_node_is_one_of_its_leaves() {
    let chains = [
        ["1", "young"],
        ["17", "young"],
        ["18", "old"],
        ["60", "old"],
    ];
    let chains = chains.map(|chain| [chain[0], chain[1], "*"].to_vec());
    let tree = Arc::new(Hierarchy::from_chains(&chains).expect("a tree"));
    for (text, cell, expected) in [
        ("age >= 18", "young", [0, 0, 1]),
        ("age >= 18", "old", [1, 0, 0]),
        ("age >= 30 and age >= 18", "old", [0, 1, 0]),
        ("age in (2, 3)", "young", [0, 0, 1]),
        ("age >= 18", "*", [0, 1, 0]),
    ] {
        let reading = Reading {
            labels: Labels::Regions {
                rule: None,
                tree: Some(Arc::clone(&tree)),
                empty_is_any: false,
            },
            ..regions("age", NUMBER, None)
        };
        let rows = texts(&["age"], &[&[cell]]);
        assert_eq!(
            counts(rule(text), vec![reading], &rows),
            expected,
            "{text} {cell}"
        );
    }
}

#[test]
fn numbers_are_judged_exactly_and_the_first_rows_that_break_are_told() {
    let fields =
        ["low", "high"].map(|name| Field::new(name, Role::Quasi, Kind::Number { integer: false }));
    let rows = 50_000;
    let low: Numbers = (0..rows)
        .map(|n| (n % 7 != 0).then_some(f64::from(n)))
        .collect();
    let high = Numbers::new((0..rows).map(|n| f64::from(n - n % 5 + 2)).collect());
    let batch = Batch::new(
        Arc::new(Schema::new(fields.to_vec()).expect("columns")),
        RowIds::Range {
            start: 0,
            len: rows as usize,
        },
        vec![Column::Number(low.clone()), Column::Number(high.clone())],
    )
    .expect("a batch");
    let values = |name: &str| Reading {
        labels: Labels::Values,
        ..regions(name, NUMBER, None)
    };
    let mut checker = RuleChecker::new(&[rule("low <= high")], vec![values("low"), values("high")])
        .expect("fits");
    checker.observe(&batch.slice(0, 20_000)).expect("judged");
    checker
        .observe(&batch.slice(20_000, 30_000))
        .expect("judged");
    let broken: Vec<u64> = (0..rows as usize)
        .filter(|&row| {
            low.get(row)
                .is_some_and(|low| high.get(row).is_some_and(|high| low > high))
        })
        .map(|row| row as u64)
        .collect();
    let count = checker.counts().remove(0);
    assert_eq!((count.open, count.broken), (0, broken.len() as u64));
    assert_eq!(count.rows(), rows as u64);
    assert_eq!(count.first, broken[..RuleCount::TOLD]);
}

#[test]
fn what_cannot_be_compared_is_told() {
    let kinds = |name: &str| match name {
        "age" => Some(NUMBER),
        "born" => Some(ColumnKind::Date(DateFormat::ISO)),
        "grade" => Some(ColumnKind::Ordered(vec!["low".to_owned()])),
        "job" => Some(ColumnKind::Text),
        _ => None,
    };
    for (text, what) in [
        ("age >= '18'", "`age` is a number"),
        ("born > 1990", "`born` is a date"),
        ("born > '1990'", "`born` is a date"),
        ("grade < 'high'", "`grade` is an ordered category"),
        ("job < 'x'", "without an order"),
        ("job = 3", "`job` is a category"),
        ("job in ('x', 3)", "`job` is a category"),
        ("age < born", "cannot be compared"),
        ("other < 3", "`other`"),
    ] {
        let formula = Condition::parse(text).expect(text).formula;
        let mismatch = check_kinds(&formula, &kinds).expect_err(text);
        assert!(mismatch.what.contains(what), "{text}: {}", mismatch.what);
    }
    let fits = "age > 3 and born < '2024-01-01' and grade = 'low' and not job = 'x'";
    let formula = Condition::parse(fits).expect(fits).formula;
    assert_eq!(check_kinds(&formula, &kinds), Ok(()));
    let columns = ["age", "born", "grade", "job"];
    let kinds: Vec<ColumnKind> = columns.iter().filter_map(|name| kinds(name)).collect();
    assert!(bind(&formula, &columns, &kinds, &mut Codes::default()).is_ok());
}
