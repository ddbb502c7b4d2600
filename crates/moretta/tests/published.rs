//! Figures on public data that others have published, or that were measured with their programs.
//!
//! - ARX 3.9.2 finds optimal full-domain generalizations of Adult; at its optima
//!   our classes, suppression, discernibility and loss are the same.
//! - The widely used Python code of Mondrian (qiyuangong) loses 11.24 % strict and
//!   15.85 % relaxed on Adult with k = 10; we lose less.
//! - sdcMicro 5.8.1 sums up individual risk, household risk and DIS scores of its testdata.

mod support;

use moretta::data::hierarchy::Hierarchy;
use moretta::data::{
    Batch, Column, Domain, Domains, Field, Kind, Numbers, Region, Role, RowIds, Scale, Schema,
};
use moretta::guarantee::{
    BetaLikeness, Declared, Diversity, Findings, Ground, Guarantee, KMap, LDiversity, Likeness,
    Population, PopulationRows, Presence, TCloseness, plain_check,
};
use moretta::measure::risk::suda::suda;
use moretta::measure::{self, Measures, RiskSetting};
use moretta::protect::Solution;
use moretta::protect::datafly::Datafly;
use moretta::protect::generalization::Generalization;
use moretta::protect::lattice::{Lattice, Metric};
use moretta::protect::mondrian::{Bounds, Mode, Mondrian, Output, partition_codes};
use moretta::protect::{Method, Setting};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

fn read(path: &Path, delimiter: char) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).expect("a file");
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| line.split(delimiter).map(str::to_owned).collect())
        .collect()
}

fn batch(fields: Vec<Field>, columns: Vec<Column>) -> Batch {
    let ids = RowIds::Range {
        start: 0,
        len: columns[0].len(),
    };
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    Batch::new(schema, ids, columns).expect("fits")
}

fn protect(table: &Batch, method: &Method, setting: &Setting) -> moretta::Result<Batch> {
    let mut operator = method.build(table.schema(), setting)?;
    operator.push(table.clone())?;
    operator.finish()
}

/// Adult as ARX ships it, with its hierarchies.
struct Adult {
    table: Batch,
    domains: Arc<Domains>,
}

impl Adult {
    /// `sensitive` is no quasi-identifier.
    fn load(folder: &Path, sensitive: Option<&str>) -> Self {
        let mut rows = read(&folder.join("adult.csv"), ';');
        let header = rows.remove(0);
        let fields = header.iter().map(|name| {
            let role = match sensitive == Some(name.as_str()) {
                true => Role::Sensitive,
                false => Role::Quasi,
            };
            Field::new(name.as_str(), role, Kind::Category { ordered: false })
        });
        let columns = (0..header.len())
            .map(|i| Column::Category(rows.iter().map(|row| Some(&row[i])).collect()));
        let table = batch(fields.collect(), columns.collect());
        let domains = header.iter().enumerate().map(|(i, name)| {
            let file = folder.join(format!("adult_hierarchy_{name}.csv"));
            let tree = Arc::new(Hierarchy::from_chains(&read(&file, ';')).expect("a tree"));
            let field = &table.schema().fields()[i];
            let domain = Domain::of(field, table.column(i), Some(tree)).expect("categories");
            (name.clone(), domain)
        });
        Adult {
            domains: Arc::new(Domains::new(domains.collect::<Vec<_>>())),
            table,
        }
    }
}

impl Adult {
    /// How many rows were suppressed, and what a release is worth.
    fn measured(&self, release: &Batch, k: u32) -> (usize, Measures) {
        let kept: Vec<u32> = release.rows().iter().map(|id| id as u32).collect();
        let there: BTreeSet<u32> = kept.iter().copied().collect();
        let gone = (0..self.table.len() as u32).filter(|row| !there.contains(row));
        let gone: Vec<u32> = gone.collect();
        let quasi = self.domains.quasi(self.table.schema());
        let mut measures = Measures::new(self.table.schema(), &quasi, k);
        let original = self.table.take(&kept).expect("rows");
        measures.observe(&original, release).expect("pairs");
        let suppressed = self.table.take(&gone).expect("rows");
        measures.suppressed(&suppressed).expect("rows");
        (gone.len(), measures)
    }
}

/// What ARX finds.
struct Optimum {
    guarantee: Guarantee,
    sensitive: Option<&'static str>,
    limit: f64,
    levels: &'static [usize],
    loss: f64,
    suppressed: usize,
    classes: u64,
    discernibility: f64,
}

fn optima() -> Vec<Optimum> {
    let k = support::only_k;
    let optimum = |k, limit, levels, loss, suppressed, classes, discernibility| Optimum {
        guarantee: support::only_k(k),
        sensitive: None,
        limit,
        levels,
        loss,
        suppressed,
        classes,
        discernibility,
    };
    let occupation = || "occupation".to_owned();
    vec![
        optimum(
            2,
            0.0,
            &[0, 4, 1, 1, 3, 2, 0, 2, 0],
            0.529695514,
            0,
            52,
            113_240_304.0,
        ),
        optimum(
            5,
            0.0,
            &[0, 4, 1, 1, 3, 2, 2, 1, 0],
            0.573150966,
            0,
            24,
            70_009_068.0,
        ),
        optimum(
            2,
            0.05,
            &[0, 3, 0, 0, 1, 1, 1, 1, 0],
            0.169005863,
            1_350,
            1_468,
            45_976_728.0,
        ),
        optimum(
            5,
            0.05,
            &[0, 3, 0, 0, 2, 1, 1, 2, 0],
            0.241932365,
            1_346,
            397,
            59_199_546.0,
        ),
        Optimum {
            guarantee: Guarantee {
                l: vec![LDiversity {
                    column: occupation(),
                    l: 3.0,
                    kind: Diversity::Distinct,
                }],
                ..k(5)
            },
            sensitive: Some("occupation"),
            ..optimum(
                5,
                0.0,
                &[0, 4, 1, 2, 3, 2, 0, 0],
                0.542210825,
                0,
                26,
                180_946_394.0,
            )
        },
        Optimum {
            guarantee: Guarantee {
                t: vec![TCloseness {
                    column: occupation(),
                    t: 0.2,
                    distance: Ground::Equal,
                }],
                ..k(5)
            },
            sensitive: Some("occupation"),
            ..optimum(
                5,
                0.0,
                &[1, 4, 1, 1, 3, 2, 2, 1],
                0.918395364,
                0,
                2,
                456_853_172.0,
            )
        },
    ]
}

#[test]
fn full_domain_generalization_of_adult_is_that_of_arx() {
    let Some(folder) = support::shared("adult") else {
        return;
    };
    for optimum in optima() {
        let adult = Adult::load(&folder, optimum.sensitive);
        let quasi = adult.domains.quasi(adult.table.schema());
        assert_eq!(quasi.len(), optimum.levels.len());
        let names = quasi.iter().map(|(name, _)| name.clone());
        let method = Method::Generalization(Generalization {
            levels: names.zip(optimum.levels.iter().copied()).collect(),
            suppress: optimum.limit,
        });
        let setting = Setting {
            guarantee: optimum.guarantee.clone(),
            domains: Arc::clone(&adult.domains),
            seed: 0,
            ..Setting::default()
        };
        let release = protect(&adult.table, &method, &setting).expect("released");
        let k = optimum.guarantee.k.expect("a k");
        let (gone, measures) = adult.measured(&release, k);
        let values = measures.values();
        let values: HashMap<&str, f64> = values.iter().map(|v| (v.name, v.after)).collect();
        let classes: u64 = measures.class_sizes_after().iter().map(|s| s.groups).sum();
        let what = format!("{:?}", optimum.guarantee);
        assert_eq!(gone, optimum.suppressed, "{what}");
        assert_eq!(classes, optimum.classes, "{what}");
        assert_eq!(values["discernibility"], optimum.discernibility, "{what}");
        assert!((values["loss"] - optimum.loss).abs() < 1e-9, "{what}");
        assert_eq!(values["hiding_failure"], 0.0);
        assert!(values["prosecutor_risk"] <= 1.0 / f64::from(k));
        if optimum.sensitive.is_none() {
            let original: u64 = measures.class_sizes_before().iter().map(|s| s.groups).sum();
            assert_eq!(original, 19_502, "distinct tuples of the original");
        }
    }
}

/// One node of the lattice of Adult's hierarchies, under this guarantee; the rows before it.
fn node(
    adult: &Adult,
    guarantee: Guarantee,
    levels: &[usize],
    limit: f64,
    population: Option<&Adult>,
) -> (Batch, Findings) {
    let names = adult.domains.quasi(adult.table.schema()).into_iter();
    let names: Vec<String> = names.map(|(name, _)| name).collect();
    let method = Method::Generalization(Generalization {
        levels: names.into_iter().zip(levels.iter().copied()).collect(),
        suppress: limit,
    });
    let setting = Setting {
        guarantee: guarantee.clone(),
        domains: Arc::clone(&adult.domains),
        population: population.map(|adult| Arc::new(adult.table.clone())),
        ..Setting::default()
    };
    let release = protect(&adult.table, &method, &setting).expect("released");
    let declared = Declared {
        population: population.map(|people| PopulationRows {
            rows: Arc::new(people.table.clone()),
            domains: people
                .domains
                .quasi(people.table.schema())
                .into_iter()
                .collect(),
        }),
        ..Declared::default()
    };
    let findings = plain_check(&release, &guarantee, declared, None).expect("checked");
    (release, findings)
}

fn loss_of(adult: &Adult, release: &Batch) -> f64 {
    let quasi = adult.domains.quasi(adult.table.schema());
    let mut measures = Measures::new(adult.table.schema(), &quasi, 1);
    let kept: Vec<u32> = release.rows().iter().map(|id| id as u32).collect();
    let there: BTreeSet<u32> = kept.iter().copied().collect();
    let gone = (0..adult.table.len() as u32).filter(|row| !there.contains(row));
    let gone: Vec<u32> = gone.collect();
    let original = adult.table.take(&kept).expect("rows");
    measures.observe(&original, release).expect("pairs");
    let gone = adult.table.take(&gone).expect("rows");
    measures.suppressed(&gone).expect("rows");
    let values = measures.values();
    let loss = values.iter().find(|value| value.name == "loss");
    loss.expect("measured").after
}

#[test]
fn beta_likeness_of_occupations_is_that_of_arx() {
    let Some(folder) = support::shared("adult") else {
        return;
    };
    let adult = Adult::load(&folder, Some("occupation"));
    let like = |beta, kind| Guarantee {
        beta: vec![BetaLikeness {
            column: "occupation".to_owned(),
            beta,
            kind,
        }],
        ..support::only_k(5)
    };
    for kind in [Likeness::Basic, Likeness::Enhanced] {
        let (release, found) = node(
            &adult,
            like(1.0, kind),
            &[1, 4, 1, 2, 3, 2, 2, 0],
            0.0,
            None,
        );
        let best = best_of(&adult, &like(1.0, kind), &Lattice::default(), None);
        assert_eq!(best.levels, [1, 4, 1, 2, 3, 2, 2, 0]);
        let sizes: Vec<u64> = found.class_sizes.keys().copied().collect();
        assert_eq!(sizes, [7_508, 22_654]);
        let gain = found.claims[1].found.expect("two classes");
        assert!((gain - 0.9493).abs() < 5e-5, "{gain}");
        assert!((loss_of(&adult, &release) - 0.834_008_086).abs() < 1e-9);
        // The other class gains 0.3221.
        for (beta, failing) in [(0.3220, 2), (0.3222, 1), (0.9494, 0)] {
            let found = plain_check(&release, &like(beta, kind), Declared::default(), None);
            let found = found.expect("checked");
            assert_eq!(found.claims[1].failing_classes, failing, "{beta}");
        }
    }
}

#[test]
fn the_average_risk_of_adult_is_kept_by_suppressing_the_smallest_classes() {
    let Some(folder) = support::shared("adult") else {
        return;
    };
    let adult = Adult::load(&folder, None);
    let guarantee = Guarantee {
        average_risk: Some(0.01),
        ..Guarantee::default()
    };
    let levels = [0, 3, 0, 1, 2, 1, 1, 2, 0];
    let lattice = Lattice {
        suppress: 0.05,
        ..Lattice::default()
    };
    let best = best_of(&adult, &guarantee, &lattice, None);
    assert_eq!(
        (&*best.levels, best.suppressed, best.classes),
        (&levels[..], 787, 293)
    );
    assert!(
        best.loss
            .is_some_and(|loss| (loss - 0.274_264_512).abs() < 1e-9),
        "{best:?}"
    );
    let (release, found) = node(&adult, guarantee, &levels, 0.05, None);
    assert!(found.passed());
    assert_eq!(
        (found.classes, adult.table.len() - release.len()),
        (293, 787)
    );
    // ARX, which of classes of equal size keeps those that cost less, loses 0.274296530.
    let loss = loss_of(&adult, &release);
    assert!((loss - 0.274_264_512).abs() < 1e-9, "{loss}");
}

/// Every tenth row of Adult, with Adult as the population.
#[test]
fn k_map_and_presence_of_a_sample_of_adult_are_those_of_arx() {
    let Some(folder) = support::shared("adult") else {
        return;
    };
    let adult = Adult::load(&folder, None);
    let rows: Vec<u32> = (0..adult.table.len() as u32).step_by(10).collect();
    let sample = adult.table.take(&rows).expect("rows");
    let sample = Adult {
        table: batch(sample.schema().fields().to_vec(), sample.columns().to_vec()),
        domains: Arc::clone(&adult.domains),
    };
    assert_eq!(sample.table.len(), 3_017);
    let map = Guarantee {
        k_map: Some(KMap {
            k: 5,
            population: Population::Table("adult.csv".into()),
        }),
        ..Guarantee::default()
    };
    let presence = Guarantee {
        presence: Some(Presence {
            min: 0.0,
            max: 0.2,
            population: "adult.csv".into(),
        }),
        ..Guarantee::default()
    };
    for (guarantee, levels, classes, expected) in [
        (map, [0, 4, 1, 1, 1, 2, 2, 1, 0], 101, 0.485_555_649),
        (presence, [0, 4, 1, 1, 2, 2, 2, 1, 0], 59, 0.508_648_695),
    ] {
        let best = best_of(&sample, &guarantee, &Lattice::default(), Some(&adult));
        assert_eq!((&*best.levels, best.classes), (&levels[..], classes));
        assert!(
            best.loss.is_some_and(|loss| (loss - expected).abs() < 1e-9),
            "{best:?}"
        );
        let (release, found) = node(&sample, guarantee.clone(), &levels, 0.0, Some(&adult));
        assert!(found.passed(), "{:?}", found.claims);
        assert_eq!((release.len(), found.classes), (3_017, classes));
        let loss = loss_of(&sample, &release);
        assert!((loss - expected).abs() < 1e-9, "{loss}");
        // One level less of the second column misses it.
        let mut finer = levels;
        finer[1] -= 1;
        let names = sample.domains.quasi(sample.table.schema()).into_iter();
        let names = names.map(|(name, _)| name);
        let method = Method::Generalization(Generalization {
            levels: names.zip(finer).collect(),
            suppress: 0.0,
        });
        let setting = Setting {
            guarantee,
            domains: Arc::clone(&sample.domains),
            population: Some(Arc::new(adult.table.clone())),
            ..Setting::default()
        };
        let refused = protect(&sample.table, &method, &setting).expect_err("optimal");
        assert_eq!(refused.exit_code(), 1);
    }
}

/// The best levels, what they lose, and whether that is proven.
fn best_of(
    adult: &Adult,
    guarantee: &Guarantee,
    lattice: &Lattice,
    population: Option<&Adult>,
) -> Solution {
    let setting = Setting {
        guarantee: guarantee.clone(),
        domains: Arc::clone(&adult.domains),
        population: population.map(|people| Arc::new(people.table.clone())),
        ..Setting::default()
    };
    let method = Method::Lattice(lattice.clone());
    let mut operator = method.build(adult.table.schema(), &setting).expect("built");
    operator.push(adult.table.clone()).expect("taken");
    let release = operator.finish().expect("released");
    let solutions = operator.solutions().expect("a search");
    assert_eq!(solutions.gap, 0.0, "proven");
    let best = solutions.best[0].clone();
    assert_eq!(
        release.len() as u64,
        adult.table.len() as u64 - best.suppressed
    );
    best
}

#[test]
fn the_lattice_of_adult_has_the_optima_of_arx() {
    let Some(folder) = support::shared("adult") else {
        return;
    };
    for optimum in optima() {
        let adult = Adult::load(&folder, optimum.sensitive);
        let lattice = Lattice {
            suppress: optimum.limit,
            ..Lattice::default()
        };
        let best = best_of(&adult, &optimum.guarantee, &lattice, None);
        let what = format!("{:?}", optimum.guarantee);
        assert_eq!(best.levels, optimum.levels, "{what}");
        assert_eq!(best.suppressed as usize, optimum.suppressed, "{what}");
        assert_eq!(best.classes, optimum.classes, "{what}");
        let loss = best.loss.expect("it holds");
        assert!((loss - optimum.loss).abs() < 1e-9, "{what}: {loss}");
    }
}

#[test]
fn balances_and_combinations_of_adult_are_those_of_arx() {
    let Some(folder) = support::shared("adult") else {
        return;
    };
    let adult = Adult::load(&folder, None);
    for (balance, loss) in [(0.25, 0.223187571), (0.5, 0.241932365), (0.75, 0.145700583)] {
        let lattice = Lattice {
            suppress: 0.05,
            balance,
            ..Lattice::default()
        };
        let best = best_of(&adult, &support::only_k(5), &lattice, None);
        assert_eq!(best.levels, [0, 3, 0, 0, 2, 1, 1, 2, 0], "{balance}");
        let found = best.loss.expect("it holds");
        assert!((found - loss).abs() < 1e-9, "{balance}: {found}");
    }
    let ambiguity = Lattice {
        metric: Metric::Ambiguity,
        ..Lattice::default()
    };
    let best = best_of(&adult, &support::only_k(5), &ambiguity, None);
    assert_eq!(best.levels, [1, 1, 1, 2, 3, 2, 2, 1, 1]);
    assert_eq!(best.loss, Some(523_825_971_200.0));
    let mut weighed = adult;
    let half = [
        "sex",
        "race",
        "marital-status",
        "education",
        "native-country",
    ];
    let half = half
        .into_iter()
        .chain(["workclass", "occupation", "salary-class"]);
    let weights: Vec<(String, f64)> = half.map(|name| (name.to_owned(), 0.5)).collect();
    weighed.domains = Arc::new((*weighed.domains).clone().weighted(weights));
    let lattice = Lattice {
        suppress: 0.05,
        ..Lattice::default()
    };
    let best = best_of(&weighed, &support::only_k(5), &lattice, None);
    assert!(
        best.loss
            .is_some_and(|loss| (loss - 0.138800741).abs() < 1e-9),
        "{best:?}"
    );
}

#[test]
fn datafly_takes_adult_to_the_levels_that_were_computed_for_it() {
    let Some(folder) = support::shared("adult") else {
        return;
    };
    let adult = Adult::load(&folder, None);
    let setting = Setting {
        guarantee: support::only_k(5),
        domains: Arc::clone(&adult.domains),
        ..Setting::default()
    };
    let datafly = Method::Datafly(Datafly {
        suppress: 0.05,
        ..Datafly::default()
    });
    let release = protect(&adult.table, &datafly, &setting).expect("released");
    let (gone, measures) = adult.measured(&release, 5);
    let classes: u64 = measures.class_sizes_after().iter().map(|s| s.groups).sum();
    assert_eq!((gone, classes), (1_119, 377));
    let values = measures.values();
    let loss = values
        .iter()
        .find(|value| value.name == "loss")
        .expect("a loss");
    assert!((loss.after - 0.274_715_496).abs() < 1e-9, "{}", loss.after);
    // Nine steps, to these levels.
    let names = adult
        .domains
        .quasi(adult.table.schema())
        .into_iter()
        .map(|(name, _)| name);
    let fixed = Method::Generalization(Generalization {
        levels: names.zip([0, 4, 0, 1, 1, 1, 1, 1, 0]).collect(),
        suppress: 0.05,
    });
    let expected = protect(&adult.table, &fixed, &setting).expect("released");
    assert_eq!(support::lines(&release), support::lines(&expected));
}

/// Columns of Adult as UCI ships it; numbers where `number` says so, without rows with a `?` in them.
fn uci(folder: &Path, columns: &[&str], number: impl Fn(&str) -> bool) -> Batch {
    let mut rows = read(&folder.join("adult-uci.csv"), ',');
    let header = rows.remove(0);
    let places: Vec<usize> = columns
        .iter()
        .map(|name| header.iter().position(|h| h == name).expect("a column"))
        .collect();
    rows.retain(|row| places.iter().all(|&i| row[i] != "?"));
    let fields = columns.iter().map(|name| {
        let kind = match number(name) {
            true => Kind::Number { integer: true },
            false => Kind::Category { ordered: false },
        };
        Field::new(*name, Role::Quasi, kind)
    });
    let column = |(&i, name): (&usize, &&str)| {
        let texts = rows.iter().map(|row| row[i].as_str());
        match number(name) {
            true => Column::Number(texts.map(|t| t.parse::<f64>().ok()).collect::<Numbers>()),
            false => Column::Category(texts.map(Some).collect()),
        }
    };
    let columns = places.iter().zip(columns).map(column).collect();
    batch(fields.collect(), columns)
}

/// Classes and mean NCP of a release, categories by the width of their codes.
fn loss(table: &Batch, k: u32, mode: Mode) -> (usize, f64) {
    loss_with(table, k, mode, Bounds::Exact)
}

fn loss_with(table: &Batch, k: u32, mode: Mode, bounds: Bounds) -> (usize, f64) {
    let domains = table.schema().fields().iter().zip(table.columns());
    let domains = domains.map(|(field, column)| {
        let domain = Domain::of(field, column, None).expect("protected");
        (field.name.to_string(), domain)
    });
    let setting = Setting {
        guarantee: support::only_k(k),
        domains: Arc::new(Domains::new(domains.collect::<Vec<_>>())),
        seed: 0,
        ..Setting::default()
    };
    let method = Method::Mondrian(Mondrian {
        mode,
        output: Output::Interval,
        bounds,
        ..Mondrian::default()
    });
    let release = protect(table, &method, &setting).expect("released");
    let mut sum = 0.0;
    for (name, domain) in setting.domains.quasi(table.schema()) {
        let column = release.column_named(&name).and_then(Column::as_categories);
        let column = column.expect("regions");
        let widths: Vec<f64> = column
            .levels()
            .iter()
            .map(|text| {
                width(
                    &Region::parse(Some(text), &domain).expect("a region"),
                    &domain,
                )
            })
            .collect();
        sum += column
            .codes()
            .iter()
            .map(|&c| widths[c as usize])
            .sum::<f64>();
    }
    let tuple = |row: usize| -> Vec<u32> {
        let columns = release.columns().iter().filter_map(Column::as_categories);
        columns.map(|column| column.codes()[row]).collect()
    };
    let classes: BTreeSet<Vec<u32>> = (0..release.len()).map(tuple).collect();
    let cells = (table.len() * table.schema().len()) as f64;
    (classes.len(), 100.0 * sum / cells)
}

fn width(region: &Region, domain: &Domain) -> f64 {
    match (region, &domain.scale) {
        (Region::Interval(a, b), Scale::Number { low, high, .. }) => (b - a) / (high - low),
        (Region::Set(codes), Scale::Category { levels, .. }) => {
            f64::from(codes[codes.len() - 1] - codes[0]) / (levels.len() - 1) as f64
        }
        other => panic!("no interval and no set: {other:?}"),
    }
}

const QUASI: [&str; 8] = [
    "age",
    "workclass",
    "education-num",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
];

fn is_number(name: &str) -> bool {
    matches!(name, "age" | "education-num" | "fnlwgt")
}

fn assert_figures(found: (usize, f64), classes: usize, percent: f64, peer: f64) {
    assert_eq!(found.0, classes);
    assert!((found.1 - percent).abs() < 5e-5, "{}", found.1);
    assert!(found.1 < peer);
}

#[test]
fn mondrian_loses_less_of_adult_than_the_code_in_wide_use() {
    let Some(folder) = support::shared("adult-uci") else {
        return;
    };
    let table = uci(&folder, &QUASI, is_number);
    assert_eq!(table.len(), 30_162);
    assert_figures(loss(&table, 10, Mode::Strict), 2_088, 7.3564, 11.24);
    assert_figures(loss(&table, 10, Mode::Relaxed), 2_244, 7.2218, 15.85);
    let table = uci(&folder, &["age", "fnlwgt"], is_number);
    assert_eq!(table.len(), 32_561);
    assert_figures(loss(&table, 10, Mode::Strict), 2_444, 0.5125, 0.6067);
    assert_figures(loss(&table, 10, Mode::Relaxed), 2_455, 0.5113, 0.6067);
}

/// Rounded bounds are the default because they cost little.
#[test]
fn rounded_bounds_cost_less_than_a_tenth_of_the_loss_of_adult() {
    let Some(folder) = support::shared("adult-uci") else {
        return;
    };
    let table = uci(&folder, &QUASI, is_number);
    for k in [5, 10] {
        let exact = loss(&table, k, Mode::Strict).1;
        let rounded = loss_with(&table, k, Mode::Strict, Bounds::Rounded).1;
        assert!(
            exact < rounded && rounded < 1.1 * exact,
            "{exact} {rounded}"
        );
    }
}

/// The same table as bare codes, numbers as they are: widths are then counted
/// from code 0, which makes ages look narrower and puts them later in the order of cuts.
#[test]
fn mondrian_on_the_codes_of_adult_has_its_own_figures() {
    let Some(folder) = support::shared("adult-uci") else {
        return;
    };
    let table = uci(&folder, &QUASI, is_number);
    let codes: Vec<Vec<u32>> = table
        .columns()
        .iter()
        .map(|column| match column {
            Column::Number(numbers) => numbers.values().iter().map(|&n| n as u32).collect(),
            Column::Category(categories) => categories.codes().to_vec(),
            Column::Plain(_) => Vec::new(),
        })
        .collect();
    let extent = |codes: &[u32], rows: &[u32]| {
        let codes = rows.iter().map(|&row| codes[row as usize]);
        let (low, high) = codes.fold((u32::MAX, 0), |(low, high), c| (low.min(c), high.max(c)));
        f64::from(high - low)
    };
    let all: Vec<u32> = (0..table.len() as u32).collect();
    for (mode, n_classes, percent, peer) in [
        (Mode::Strict, 2_081, 7.0647, 11.24),
        (Mode::Relaxed, 2_246, 6.9156, 15.85),
    ] {
        let classes = partition_codes(&codes, &[], 10, mode);
        let ncp = |codes: &Vec<u32>| {
            let sums = classes
                .iter()
                .map(|rows| rows.len() as f64 * extent(codes, rows));
            sums.sum::<f64>() / extent(codes, &all)
        };
        let cells = (table.len() * codes.len()) as f64;
        let found = 100.0 * codes.iter().map(ncp).sum::<f64>() / cells;
        assert_figures((classes.len(), found), n_classes, percent, peer);
    }
}

#[test]
fn every_cut_value_is_a_candidate() {
    let classes = partition_codes(&[vec![1, 1, 2, 2, 2, 2]], &[], 2, Mode::Strict);
    assert_eq!(classes, [vec![0, 1], vec![2, 3, 4, 5]]);
}

/// sdcMicro's household survey: seven keys, weights and households.
#[test]
fn risks_of_testdata_are_those_of_sdcmicro() {
    let Some(folder) = support::shared("testdata") else {
        return;
    };
    let mut rows = read(&folder.join("testdata.csv"), ',');
    let header = rows.remove(0);
    let category = || Kind::Category { ordered: false };
    let roles = header.iter().enumerate().map(|(place, name)| match place {
        0..7 => Field::new(name.as_str(), Role::Quasi, category()),
        _ => Field::new(name.as_str(), Role::Plain, category()),
    });
    let fields: Vec<Field> = roles.collect();
    let columns = (0..header.len())
        .map(|place| Column::Category(rows.iter().map(|row| Some(&row[place])).collect()));
    let table = batch(fields.clone(), columns.collect());
    let domains: Vec<(String, Domain)> = (0..7)
        .map(|place| {
            let domain = Domain::of(&fields[place], table.column(place), None);
            (header[place].clone(), domain.expect("categories"))
        })
        .collect();
    let setting = RiskSetting {
        population: Some(measure::Population::Fraction(0.01)),
        weights: Some("sampling_weight".to_owned()),
        households: Some("ori_hid".to_owned()),
        ..RiskSetting::default()
    };
    let mut measures = Measures::new(table.schema(), &domains, 2).sampled(&setting);
    measures.observe(&table, &table).expect("pairs");
    let persons = table.len() as f64;
    for (name, sum, digits) in [
        ("individual_risk", 10.7782989187, 5e-11),
        ("household_risk", 51.812927436, 5e-10),
        ("suda_average", 9.831093, 5e-7),
        ("suda_risk", 0.678143 * persons, 5e-7 * persons),
    ] {
        let value = measures.value(name).expect("measured");
        for found in [value.before.expect("of the original"), value.after] {
            let found = found * persons;
            assert!((found - sum).abs() <= digits, "{name}: {found}");
        }
    }
    let keys = (0..7).map(|place| table.column(place).as_categories());
    let keys: Vec<&[u32]> = keys.map(|c| c.expect("categories").codes()).collect();
    let found = suda(&keys, 0.01).expect("few columns");
    assert_eq!(found.minimal_uniques, 235);
    assert_eq!(found.scores.iter().sum::<f64>(), 4_890.0);
}
