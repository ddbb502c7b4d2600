//! The search against trying every set of cuts.

use super::super::metric::{Mean, Metric};
use super::super::{Lattice, SearchKind};
use super::columns::columns;
use super::partition::{CutSet, CutTable, Evaluation};
use super::search::{Found, Search};
use super::*;
use crate::cancel::Cancel;
use crate::data::{Categories, Column, Domain, Domains, Field, Kind, Numbers, Region, RowIds};
use crate::guarantee::{Diversity, Ground, Guarantee, LDiversity, TCloseness};
use std::collections::BTreeMap;

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

/// A table of two or three columns with few values, and a letter that is sensitive.
fn some_table(draw: &mut impl FnMut(usize) -> usize, with_persons: bool) -> Batch {
    let rows = 4 + draw(24);
    let mut fields = Vec::new();
    let mut cells = Vec::new();
    for (column, values) in [(0, 2 + draw(4)), (1, 1 + draw(4)), (2, 1 + draw(2))] {
        let numbers: Numbers = (0..rows)
            .map(|_| (draw(12) > 0 || column > 0).then_some(draw(values) as f64 * 3.0))
            .collect();
        let kind = Kind::Number { integer: true };
        fields.push(Field::new(format!("q{column}"), Role::Quasi, kind));
        cells.push(Column::Number(numbers));
    }
    let kind = Kind::Category { ordered: false };
    let letters: Categories = (0..rows).map(|_| Some(["a", "b", "c"][draw(3)])).collect();
    fields.push(Field::new("letter", Role::Sensitive, kind.clone()));
    cells.push(Column::Category(letters));
    if with_persons {
        let persons: Categories = (0..rows).map(|_| Some(format!("p{}", draw(12)))).collect();
        fields.push(Field::new("person", Role::Subject, kind));
        cells.push(Column::Category(persons));
    }
    let schema = Arc::new(Schema::new(fields).expect("columns"));
    Batch::new(
        schema,
        RowIds::Range {
            start: 0,
            len: rows,
        },
        cells,
    )
    .expect("a table")
}

fn domains(table: &Batch) -> Domains {
    let fields = table.schema().fields().iter().zip(table.columns());
    let quasi = fields.filter(|(field, _)| field.role == Role::Quasi);
    Domains::new(quasi.map(|(field, column)| {
        let domain = Domain::of(field, column, None).expect("a domain");
        (field.name.to_string(), domain)
    }))
}

/// What a set of cuts loses, by the definition: rows are put together by what they show.
fn by_hand(table: &CutTable<'_>, data: &Batch, limits: &Limits, cuts: &CutSet) -> Evaluation {
    let rows = data.len();
    let parts: Vec<Vec<u32>> = (0..table.columns.len())
        .map(|c| table.parts(cuts, c))
        .collect();
    let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for row in 0..rows {
        let columns = table.columns.iter().zip(&parts);
        let key = columns.map(|(column, parts)| parts[column.bins[row] as usize]);
        classes.entry(key.collect()).or_default().push(row as u32);
    }
    let (mut squares, mut suppressed, mut kept) = (0.0, 0, 0);
    let mut lost = vec![0.0; table.columns.len()];
    for class in classes.values() {
        let size = class.len();
        if !limits.hold(class) {
            suppressed += size as u64;
            squares += (size * rows) as f64;
            lost.iter_mut().for_each(|lost| *lost += size as f64);
            continue;
        }
        kept += 1;
        squares += (size * size) as f64;
        for (place, column) in table.columns.iter().enumerate() {
            let part = parts[place][column.bins[class[0] as usize] as usize];
            let bins = (0..column.n_bins).filter(|&bin| parts[place][bin] == part);
            let bins: Vec<usize> = bins.collect();
            let star = bins.len() > 1 && bins.iter().any(|&bin| column.is_missing(bin));
            let values: usize = bins.iter().map(|&bin| column.values[bin]).sum();
            let all: usize = column.values.iter().sum();
            let share = match (star, values > 1) {
                (true, _) => 1.0,
                (false, true) => (values - 1) as f64 / (all - 1) as f64,
                (false, false) => 0.0,
            };
            lost[place] += share * size as f64;
        }
    }
    let lost = lost.iter().map(|lost| lost / rows as f64);
    let value = match table.metric {
        Metric::Loss {
            mean: Mean::Arithmetic,
        } => lost.sum::<f64>() / table.columns.len() as f64,
        Metric::Loss {
            mean: Mean::Geometric,
        } => {
            lost.map(|lost| 1.0 + lost)
                .product::<f64>()
                .powf(1.0 / table.columns.len() as f64)
                - 1.0
        }
        _ => squares,
    };
    Evaluation {
        value,
        suppressed,
        classes: kept,
        holds: suppressed <= table.budget,
    }
}

fn search(table: &CutTable<'_>, most: u64) -> Found {
    let mut search = Search {
        table,
        most,
        cancel: &Cancel::default(),
        watch: |_: &CutSet, _: &Evaluation, _| {},
    };
    search.run().expect("not cancelled")
}

fn guarantees() -> Vec<Guarantee> {
    let k = |k| Guarantee {
        k: Some(k),
        ..Guarantee::default()
    };
    let l = LDiversity {
        l: 2.0,
        kind: Diversity::Distinct,
        column: "letter".to_owned(),
    };
    let t = TCloseness {
        t: 0.4,
        distance: Ground::Equal,
        column: "letter".to_owned(),
    };
    vec![
        k(2),
        k(3),
        k(6),
        Guarantee { l: vec![l], ..k(2) },
        Guarantee { t: vec![t], ..k(2) },
    ]
}

const METRICS: [Metric; 3] = [
    Metric::Discernibility,
    Metric::Loss {
        mean: Mean::Arithmetic,
    },
    Metric::Loss {
        mean: Mean::Geometric,
    },
];

#[test]
fn the_best_of_all_sets_of_cuts_is_found() {
    let mut draw = draws(5);
    let (mut reached, mut unreached, mut divided) = (0, 0, 0);
    for case in 0..240 {
        let with_persons = case % 5 == 4;
        let data = some_table(&mut draw, with_persons);
        let domains = domains(&data);
        let guarantees = guarantees();
        let guarantee = &guarantees[draw(guarantees.len())];
        let limits = Limits::new(guarantee, &data, &domains).expect("limits");
        let metric = METRICS[case % 3];
        let budget = [0, data.len() / 8, data.len() / 2, data.len()][draw(4)] as u64;
        let places = data.schema().with_role(Role::Quasi);
        let columns = columns(&data, &places, |_| 1.0, None).expect("columns");
        let table = CutTable::new(&columns, &limits, metric, budget).expect("it fits");
        let mut best = f64::INFINITY;
        for set in 0..1u32 << table.cuts {
            let cuts = (0..table.cuts).filter(|cut| set >> cut & 1 == 1);
            let cuts = cuts.fold(CutSet::default(), CutSet::with);
            let expected = by_hand(&table, &data, &limits, &cuts);
            let partition = table.partition(cuts);
            let found = table.evaluate(&partition, &table.judge(&partition));
            assert!(
                (found.value - expected.value).abs() < 1e-9,
                "{found:?} {expected:?}"
            );
            let rest = (expected.suppressed, expected.classes, expected.holds);
            assert_eq!((found.suppressed, found.classes, found.holds), rest);
            if expected.holds {
                best = best.min(expected.value);
            }
        }
        let found = search(&table, u64::MAX);
        assert_eq!(
            found.gap(),
            if best.is_finite() { 0.0 } else { found.gap() }
        );
        match found.best {
            None => {
                assert_eq!(best, f64::INFINITY, "case {case}");
                unreached += 1;
            }
            Some((cuts, evaluation)) => {
                let slack = 1e-9 * best.max(1.0);
                assert!(
                    (evaluation.value - best).abs() < slack,
                    "case {case}: {evaluation:?} {best}"
                );
                reached += 1;
                divided += u32::from(cuts.len() > 0);
            }
        }
        // A search that stops early knows how much less another set could lose.
        let early = search(&table, 3);
        if let Some((_, evaluation)) = early.best {
            assert!(
                evaluation.value * (1.0 - early.gap()) <= best + 1e-9,
                "case {case}"
            );
        }
    }
    assert!(
        reached > 150 && unreached >= 2 && divided > 60,
        "{reached} {unreached} {divided}"
    );
}

#[test]
fn what_is_released_is_true_and_keeps_the_promise() {
    let mut draw = draws(9);
    for _ in 0..60 {
        let data = some_table(&mut draw, false);
        let domains = Arc::new(domains(&data));
        let config = Lattice {
            search: SearchKind::Cuts {
                most: 1000,
                per_column: Some(2),
            },
            metric: Metric::Discernibility,
            suppress: 0.3,
            ..Lattice::default()
        };
        let guarantee = Guarantee {
            k: Some(3),
            ..Guarantee::default()
        };
        let setting = Setting {
            guarantee,
            domains: Arc::clone(&domains),
            ..Setting::default()
        };
        let method = super::super::MethodConfig::table(&config, &setting).expect("a method");
        let Ok(release) = method.release(&data) else {
            continue;
        };
        let batch = release.batch;
        assert!(batch.len() as f64 >= 0.7 * data.len() as f64);
        let quasi = data.schema().with_role(Role::Quasi);
        let mut classes: BTreeMap<Vec<Option<&str>>, usize> = BTreeMap::new();
        for row in 0..batch.len() {
            let id = batch.rows().get(row) as usize;
            let mut shown = Vec::new();
            for &place in &quasi {
                let text = batch.column(place).as_categories().expect("texts").get(row);
                let name = &*data.schema().fields()[place].name;
                let domain = domains.require(name).expect("a domain");
                let region = Region::parse(text, domain).expect("a region");
                let Column::Number(numbers) = data.column(place) else {
                    panic!("numbers");
                };
                let value = numbers.get(id);
                let value = value.map_or(
                    crate::data::region::Value::Missing,
                    crate::data::region::Value::Number,
                );
                assert!(region.covers(value, domain), "{text:?}");
                shown.push(text);
            }
            *classes.entry(shown).or_default() += 1;
        }
        assert!(classes.values().all(|&size| size >= 3), "{classes:?}");
        let solutions = release.solutions.expect("a search");
        assert!(solutions.of_cuts && solutions.best.len() == 1);
    }
}
