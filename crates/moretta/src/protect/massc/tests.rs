use super::*;
use crate::data::{Categories, Field, Role, RowIds};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A row: town, age, income and weight.
type Row = (Option<&'static str>, Option<f64>, f64, f64);

fn table(rows: &[Row]) -> Batch {
    let number = || Kind::Number { integer: false };
    let category = || Kind::Category { ordered: false };
    let fields = vec![
        Field::new("town", Role::Quasi, category()),
        Field::new("age", Role::Quasi, number()),
        Field::new("income", Role::Sensitive, number()),
        Field::new("weight", Role::Plain, number()),
    ];
    let columns = vec![
        Column::Category(rows.iter().map(|row| row.0).collect::<Categories>()),
        Column::Number(rows.iter().map(|row| row.1).collect()),
        Column::Number(rows.iter().map(|row| Some(row.2)).collect()),
        Column::Number(rows.iter().map(|row| Some(row.3)).collect()),
    ];
    let ids = RowIds::Range {
        start: 0,
        len: rows.len(),
    };
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    Batch::new(schema, ids, columns).expect("fits")
}

/// Towns of many and of few, and ages by which some are alone.
fn rows(count: usize) -> Vec<Row> {
    let row = |i: usize| {
        let town = ["Arno", "Brenta", "Piave", "Sile"][(i * i % 23) % 4];
        let age = match i % 17 {
            0 => None,
            3 => Some(100.0 + i as f64),
            5 | 9 => Some(2000.0 + (i / 120) as f64),
            rest => Some((20 + rest % 6) as f64),
        };
        let income = (i * 37 % 101) as f64;
        (Some(town), age, income, 1.0 + (i % 3) as f64)
    };
    (0..count).map(row).collect()
}

fn config(totals: &[&str]) -> Massc {
    Massc {
        substitute: [0.5, 0.3, 0.1],
        fraction: [0.6; RISKS],
        rare: 5,
        weight: "weight".to_owned(),
        totals: totals.iter().map(|name| (*name).to_owned()).collect(),
        columns: None,
    }
}

fn release(config: &Massc, table: &Batch, seed: u64) -> Result<Batch> {
    let steps = Steps {
        config: config.clone(),
        seed,
        cancel: Cancel::default(),
    };
    Ok(steps.release(table)?.batch)
}

fn numbers(batch: &Batch, place: usize) -> Vec<Option<f64>> {
    batch
        .column(place)
        .as_numbers()
        .expect("numbers")
        .iter()
        .collect()
}

fn texts(batch: &Batch, place: usize) -> Vec<Option<&str>> {
    let categories = batch.column(place).as_categories().expect("categories");
    (0..batch.len()).map(|row| categories.get(row)).collect()
}

/// Weighted totals: of rows, of income, of age where it is known, and of each town.
fn totals(batch: &Batch) -> Vec<(String, f64)> {
    let weights: Vec<f64> = numbers(batch, 3).into_iter().flatten().collect();
    let sum = |values: Vec<Option<f64>>| {
        let pairs = values.into_iter().zip(&weights);
        pairs.map(|(x, w)| x.unwrap_or(0.0) * w).sum::<f64>()
    };
    let mut towns: BTreeMap<Option<&str>, f64> = BTreeMap::new();
    for (town, weight) in texts(batch, 0).into_iter().zip(&weights) {
        *towns.entry(town).or_default() += weight;
    }
    let towns = towns
        .into_iter()
        .map(|(town, weight)| (format!("{town:?}"), weight));
    let mut totals = vec![
        ("rows".to_owned(), weights.iter().sum()),
        ("income".to_owned(), sum(numbers(batch, 2))),
        ("age".to_owned(), sum(numbers(batch, 1))),
    ];
    totals.extend(towns);
    totals
}

#[test]
fn weighted_totals_of_the_sample_are_those_of_the_table() {
    let table = table(&rows(600));
    let expected = totals(&table);
    for seed in 0..20 {
        let sample = release(&config(&["income", "age", "town"]), &table, seed).expect("released");
        assert!(
            numbers(&sample, 3)
                .iter()
                .all(|weight| weight.is_some_and(|w| w > 0.0))
        );
        for ((name, found), (_, expected)) in totals(&sample).iter().zip(&expected) {
            let off = (found - expected).abs() / expected;
            assert!(off < 1e-9, "{name}: {found} {expected}");
        }
        // Of what was not named only the sum of weights is kept.
        let sample = release(&config(&[]), &table, seed).expect("released");
        let found = totals(&sample);
        assert!((found[0].1 - expected[0].1).abs() < 1e-9 * expected[0].1);
        assert!((found[1].1 - expected[1].1).abs() > 1e-6 * expected[1].1);
    }
}

/// Margins of two columns of categories fitted in turn, as Deming and Stephan did in 1940.
#[test]
fn margins_are_raked_as_by_iterative_proportional_fitting() {
    let rows: Vec<Row> = rows(400);
    let coarse: Vec<Row> = rows
        .iter()
        .map(|&(town, _, income, weight)| (town, None, income, weight))
        .collect();
    let table = table(&coarse);
    let parities: Vec<Option<&str>> = coarse
        .iter()
        .map(|row| Some(if row.2 % 2.0 == 0.0 { "even" } else { "odd" }))
        .collect();
    let mut columns = table.columns().to_vec();
    columns[1] = Column::Category(parities.into_iter().collect());
    let mut fields = table.schema().fields().to_vec();
    fields[1].kind = Kind::Category { ordered: false };
    let schema = Arc::new(Schema::new(fields).expect("names"));
    let table = Batch::new(schema, table.rows().clone(), columns).expect("fits");
    let config = Massc {
        substitute: [0.0; RISKS],
        ..config(&["town", "age"])
    };
    let sample = release(&config, &table, 3).expect("released");
    let margins = |batch: &Batch, weights: &[f64], place: usize| {
        let mut margins: BTreeMap<String, f64> = BTreeMap::new();
        for (text, weight) in texts(batch, place).iter().zip(weights) {
            *margins.entry(format!("{text:?}")).or_default() += weight;
        }
        margins
    };
    let whole: Vec<f64> = coarse.iter().map(|row| row.3).collect();
    let aims = [0, 1].map(|place| margins(&table, &whole, place));
    let ids = sample.rows().iter();
    let mut fitted: Vec<f64> = ids.map(|id| coarse[id as usize].3 / 0.6).collect();
    for _ in 0..500 {
        for (place, aims) in aims.iter().enumerate() {
            let now = margins(&sample, &fitted, place);
            for (text, weight) in texts(&sample, place).iter().zip(&mut fitted) {
                let text = format!("{text:?}");
                *weight *= aims[&text] / now[&text];
            }
        }
    }
    for (found, expected) in numbers(&sample, 3).into_iter().flatten().zip(fitted) {
        assert!(
            (found - expected).abs() < 1e-9 * expected,
            "{found} {expected}"
        );
    }
}

#[test]
fn each_risk_is_drawn_and_substituted_at_its_rate() {
    let all = rows(850);
    let table = table(&all);
    let columns: Vec<&Column> = table.columns()[..2].iter().collect();
    let risks = Risks::new(&columns, None, table.len(), 5);
    let of_row = risks.of_persons(None);
    let config = Massc {
        fraction: [0.3, 0.5, 0.9],
        ..config(&[])
    };
    let counts: Vec<f64> = (0..RISKS as u32)
        .map(|risk| of_row.iter().filter(|&&own| own == risk).count() as f64)
        .collect();
    assert!(counts.iter().all(|&count| count > 20.0), "{counts:?}");
    let mut drawn = vec![0_u32; all.len()];
    let mut changed = [0.0; RISKS];
    let draws = 400;
    for seed in 0..draws {
        let sample = release(&config, &table, seed).expect("released");
        let cells = texts(&sample, 0).into_iter().zip(numbers(&sample, 1));
        let mut sizes = [0.0; RISKS];
        for (id, cells) in sample.rows().iter().zip(cells) {
            let (row, risk) = (id as usize, of_row[id as usize] as usize);
            drawn[row] += 1;
            sizes[risk] += 1.0;
            let differs = cells != (all[row].0, all[row].1);
            changed[risk] += f64::from(u8::from(differs)) / counts[risk];
        }
        for risk in 0..RISKS {
            let exact = counts[risk] * config.fraction[risk];
            assert!(
                (sizes[risk] - exact).abs() < 1.0,
                "{risk}: {sizes:?} {counts:?}"
            );
        }
    }
    let draws = f64::from(draws as u32);
    for (row, &times) in drawn.iter().enumerate() {
        let chance = config.fraction[of_row[row] as usize];
        let deviation = (draws * chance * (1.0 - chance)).sqrt();
        let off = (f64::from(times) - draws * chance).abs();
        assert!(off < 5.0 * deviation, "{row}: {times}");
    }
    for risk in 0..RISKS {
        let expected = config.substitute[risk] * config.fraction[risk];
        let deviation = (expected / (counts[risk] * draws)).sqrt();
        let off = (changed[risk] / draws - expected).abs();
        assert!(
            off < 5.0 * deviation,
            "{risk}: {} {expected}",
            changed[risk] / draws
        );
    }
}

#[test]
fn with_one_fraction_weights_do_not_tell_who_was_alone() {
    let table = table(&rows(500));
    let sample = release(&config(&["income"]), &table, 8).expect("released");
    let mut weights: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    let old: Vec<f64> = numbers(&table, 3).into_iter().flatten().collect();
    let pairs = numbers(&sample, 2).into_iter().zip(numbers(&sample, 3));
    for (id, (income, weight)) in sample.rows().iter().zip(pairs) {
        let (income, weight) = (income.expect("there"), weight.expect("there"));
        let key = (income.to_bits(), old[id as usize].to_bits());
        let known = *weights.entry(key).or_insert(weight);
        assert_eq!(known, weight, "the same income and old weight");
    }
    assert!(weights.len() < sample.len());
}

#[test]
fn what_cannot_be_weighted_is_refused() {
    let mut few = rows(60);
    few.push((Some("Timavo"), Some(30.0), 5.0, 1.0));
    let refused = |config: &Massc, rows: &[Row]| {
        let outcomes = (0..40).map(|seed| release(config, &table(rows), seed));
        outcomes
            .filter_map(|outcome| outcome.err())
            .map(|e| (e.exit_code(), e.to_string()))
            .next()
    };
    let missed = "no weights of the drawn rows have the totals of the table";
    assert_eq!(
        refused(&config(&["town"]), &few),
        Some((1, missed.to_owned()))
    );
    few[3].3 = 0.0;
    let (code, message) = refused(&config(&[]), &few).expect("refused");
    assert!(
        code == 4 && message.contains("a weight is missing or not above 0"),
        "{message}"
    );
    let nothing = Massc {
        fraction: [1.0; RISKS],
        ..config(&[])
    };
    let (code, message) = refused(&nothing, &rows(30)).expect("refused");
    assert_eq!(
        (code, &*message),
        (1, "too few rows to draw a part of them")
    );
    let named = Massc {
        weight: "town".to_owned(),
        ..config(&[])
    };
    assert_eq!(refused(&named, &rows(30)).expect("refused").0, 3);
}

/// The risk of each row, counted the slow way.
fn slow_risks(rows: &[Row], persons: Option<&[u32]>, rare: usize) -> Vec<u32> {
    let like = |a: usize, b: usize| (rows[a].0, rows[a].1) == (rows[b].0, rows[b].1);
    let person = |row: usize| persons.map_or(row as u32, |persons| persons[row]);
    let own = |row: usize| {
        let mut others: Vec<u32> = (0..rows.len())
            .filter(|&b| like(row, b))
            .map(person)
            .collect();
        others.sort_unstable();
        others.dedup();
        match others.len() {
            1 => 0,
            size if size < rare => 1,
            _ => 2,
        }
    };
    let of_person = |row: usize| {
        let rows = (0..rows.len()).filter(|&b| person(b) == person(row));
        rows.map(own).min().unwrap_or(2)
    };
    (0..rows.len()).map(of_person).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn risks_are_those_of_a_slow_count(
        cells in proptest::collection::vec((0..3_usize, proptest::option::of(0..4_u8), 0..12_u32), 1..50),
        rare in 2..6_usize,
        counted: bool,
    ) {
        let town = |i: usize| [Some("Arno"), Some("Brenta"), None][i];
        let rows: Vec<Row> = cells.iter().map(|c| (town(c.0), c.1.map(f64::from), 0.0, 1.0)).collect();
        let persons: Vec<u32> = cells.iter().map(|c| c.2.checked_sub(1).unwrap_or(u32::MAX)).collect();
        let persons = counted.then_some(&*persons);
        let table = table(&rows);
        let columns: Vec<&Column> = table.columns()[..2].iter().collect();
        let risks = Risks::new(&columns, persons, rows.len(), rare);
        prop_assert_eq!(risks.of_persons(persons), slow_risks(&rows, persons, rare));
    }

    #[test]
    fn a_partner_is_one_of_the_nearest_that_differ_in_the_same_risk(
        cells in proptest::collection::vec((0..3_usize, proptest::option::of(0..9_u8)), 2..60),
        seed: u64,
    ) {
        let town = |i: usize| [Some("Arno"), Some("Brenta"), None][i];
        let rows: Vec<Row> = cells.iter().map(|c| (town(c.0), c.1.map(f64::from), 0.0, 1.0)).collect();
        let table = table(&rows);
        let columns: Vec<&Column> = table.columns()[..2].iter().collect();
        // At most 30 combinations, so all of them are looked at but for the far end.
        let risks = Risks::new(&columns, None, rows.len(), 3);
        let own = slow_risks(&rows, None, 3);
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut partners = Partners::new(&columns, &risks, &mut generator);
        let from = partners.choose(&[1.0; RISKS], &mut generator, &Cancel::default());
        let ages = rows.iter().filter_map(|row| row.1);
        let width = ages.clone().fold(0.0, f64::max) - ages.fold(f64::MAX, f64::min);
        let distance = |a: usize, b: usize| {
            let towns = f64::from(u8::from(rows[a].0 != rows[b].0));
            towns + match (rows[a].1, rows[b].1) {
                (None, None) => 0.0,
                (Some(x), Some(y)) if x == y => 0.0,
                (Some(x), Some(y)) => (x - y).abs() / width,
                _ => 1.0,
            }
        };
        for (row, partner) in from.expect("chosen").into_iter().enumerate() {
            let partner = partner as usize;
            let others = (0..rows.len()).filter(|&b| own[b] == own[row] && distance(row, b) > 0.0);
            let nearest = others.map(|b| distance(row, b)).fold(f64::INFINITY, f64::min);
            if nearest.is_infinite() {
                prop_assert_eq!(partner, row, "nobody to take from");
            } else {
                prop_assert_eq!(own[partner], own[row]);
                prop_assert!(distance(row, partner) > 0.0);
                // The order of values is not that of distances: what is near in it need not be
                // the nearest of all, but it is where few stand on either side.
                let classes = risks.of_class.iter().filter(|&&risk| risk == own[row]).count();
                prop_assert!(classes > 26 || distance(row, partner) == nearest);
            }
        }
    }
}
