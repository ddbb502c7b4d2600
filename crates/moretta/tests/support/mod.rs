//! Small random tables with quasi-identifiers of every kind, for tests of the operators.

#![allow(dead_code, reason = "each test uses a part of it")]

use moretta::data::hierarchy::Hierarchy;
use moretta::data::{
    Batch, Categories, Column, DateFormat, Domain, Domains, Field, Kind, Levels, MISSING, Role,
    RowIds, Schema,
};
use moretta::guarantee::{
    Absence, BetaLikeness, Checker, Declared, DeltaDisclosure, Diversity, Fault, Findings, Ground,
    Guarantee, LDiversity, Likeness, PSensitivity, Sensitivity, TCloseness, Treatment, Truth,
};
use moretta::io::{ColumnPlan, ReadAs};
use moretta::protect::mondrian::{Bounds, Mode, Mondrian};
use moretta::protect::{Method, Operator, Setting};
use moretta::{Error, Result};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder of the public data; without it a test is skipped, except under `CI=true`.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(folder);
    if path.exists() {
        return Some(path);
    }
    assert_ne!(
        std::env::var("CI").as_deref(),
        Ok("true"),
        "{folder} is not there"
    );
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    {
        eprintln!("skipped: {folder} is not there");
    }
    None
}

/// What a quasi-identifier holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Number,
    Date,
    Ordered,
    Nominal,
    /// Categories with a hierarchy.
    Tree,
    /// Numbers with a hierarchy.
    NumberTree,
}

pub(crate) const AXES: [Axis; 6] = [
    Axis::Number,
    Axis::Date,
    Axis::Ordered,
    Axis::Nominal,
    Axis::Tree,
    Axis::NumberTree,
];

/// Cells are codes below this.
pub(crate) const VALUES: u8 = 6;

const NUMBERS: [f64; VALUES as usize] = [-3.0, -1.0, 0.0, 0.5, 4.0, 10.0];
const DAYS: [f64; VALUES as usize] = [0.0, 1.0, 31.0, 365.0, 400.0, 4000.0];
pub(crate) const WORDS: [&str; VALUES as usize] = ["v0", "v1", "v2", "v3", "v4", "v5"];

/// Sensitive values, in their declared order; the last one is never used.
pub(crate) const SENSITIVE: [&str; 5] = ["low", "mid", "high", "top", "none"];

impl Axis {
    /// The value behind a code, as it stands in a file.
    pub(crate) fn text(self, code: u8) -> String {
        match self {
            Axis::Number | Axis::NumberTree => NUMBERS[code as usize].to_string(),
            Axis::Date => DateFormat::ISO.format(DAYS[code as usize] as i32),
            _ => WORDS[code as usize].to_owned(),
        }
    }

    /// The number behind a code.
    pub(crate) fn number(self, code: u8) -> Option<f64> {
        match self {
            Axis::Number | Axis::NumberTree => Some(NUMBERS[code as usize]),
            Axis::Date => Some(DAYS[code as usize]),
            _ => None,
        }
    }

    pub(crate) fn has_tree(self) -> bool {
        matches!(self, Axis::Tree | Axis::NumberTree)
    }

    fn kind(self) -> Kind {
        match self {
            Axis::Number | Axis::NumberTree => Kind::Number { integer: false },
            Axis::Date => Kind::Date(DateFormat::ISO),
            Axis::Ordered => Kind::Category { ordered: true },
            Axis::Nominal | Axis::Tree => Kind::Category { ordered: false },
        }
    }

    fn column(self, cells: &[Option<u8>]) -> Column {
        match self {
            Axis::Number | Axis::NumberTree | Axis::Date => Column::Number(
                cells
                    .iter()
                    .map(|cell| cell.and_then(|code| self.number(code)))
                    .collect(),
            ),
            Axis::Ordered => Column::Category(declared(cells, &WORDS)),
            Axis::Nominal | Axis::Tree => Column::Category(
                cells
                    .iter()
                    .map(|cell| cell.map(|code| WORDS[code as usize]))
                    .collect(),
            ),
        }
    }
}

fn declared(cells: &[Option<u8>], words: &[&str]) -> Categories {
    let levels: Levels = words.iter().collect();
    let codes = cells.iter().map(|cell| cell.map_or(MISSING, u32::from));
    Categories::new(codes.collect(), Arc::new(levels))
}

/// Two families and an only child, the second family in two branches.
pub(crate) fn tree(axis: Axis) -> Arc<Hierarchy> {
    let above = [
        ["a", "a", "*"],
        ["a", "a", "*"],
        ["b", "b1", "*"],
        ["b", "b1", "*"],
        ["b", "b2", "*"],
        ["c", "c", "*"],
    ];
    let chains: Vec<Vec<String>> = (0..VALUES)
        .map(|code| {
            let [family, branch, top] = above[code as usize];
            vec![axis.text(code), branch.into(), family.into(), top.into()]
        })
        .collect();
    Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))
}

/// The tree of the sensitive values: the two lower ones and the others are families.
pub(crate) fn sensitive_tree() -> Arc<Hierarchy> {
    let chains: Vec<Vec<&str>> = SENSITIVE
        .iter()
        .zip(["less", "less", "more", "more", "more"])
        .map(|(value, family)| vec![*value, family, "*"])
        .collect();
    Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))
}

/// One row of a table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) cells: Vec<Option<u8>>,
    pub(crate) sensitive: Option<u8>,
    pub(crate) person: u8,
}

/// A table and what is promised of its release.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) axes: Vec<Axis>,
    pub(crate) rows: Vec<Row>,
    pub(crate) guarantee: Guarantee,
    /// Whether rows belong to persons.
    pub(crate) subject: bool,
}

impl Table {
    pub(crate) fn name(axis: usize) -> String {
        format!("q{axis}")
    }

    pub(crate) fn schema(&self) -> Arc<Schema> {
        let category = Kind::Category { ordered: false };
        let mut fields: Vec<Field> = (0..self.axes.len())
            .map(|i| Field::new(Table::name(i), Role::Quasi, self.axes[i].kind()))
            .collect();
        let person = match self.subject {
            true => Role::Subject,
            false => Role::Plain,
        };
        fields.push(Field::new(
            "s",
            Role::Sensitive,
            Kind::Category { ordered: true },
        ));
        fields.push(Field::new("person", person, category));
        Arc::new(Schema::new(fields).expect("names differ"))
    }

    pub(crate) fn batch(&self) -> Batch {
        let mut columns: Vec<Column> = (0..self.axes.len())
            .map(|i| {
                let cells: Vec<_> = self.rows.iter().map(|row| row.cells[i]).collect();
                self.axes[i].column(&cells)
            })
            .collect();
        let cells: Vec<_> = self.rows.iter().map(|row| row.sensitive).collect();
        columns.push(Column::Category(declared(&cells, &SENSITIVE)));
        let persons = self.rows.iter().map(|row| Some(format!("p{}", row.person)));
        columns.push(Column::Category(persons.collect()));
        let ids = RowIds::Range {
            start: 0,
            len: self.rows.len(),
        };
        Batch::new(self.schema(), ids, columns).expect("fits")
    }

    pub(crate) fn domains(&self) -> Arc<Domains> {
        let batch = self.batch();
        let schema = self.schema();
        let mut domains: Vec<(String, Domain)> = (0..self.axes.len())
            .map(|i| {
                let axis = self.axes[i];
                let tree = axis.has_tree().then(|| tree(axis));
                let domain = Domain::of(&schema.fields()[i], batch.column(i), tree);
                (Table::name(i), domain.expect("protected"))
            })
            .collect();
        let s = self.axes.len();
        let domain = Domain::of(&schema.fields()[s], batch.column(s), Some(sensitive_tree()));
        domains.push(("s".to_owned(), domain.expect("categories")));
        Arc::new(Domains::new(domains))
    }

    pub(crate) fn setting(&self) -> Setting {
        Setting {
            guarantee: self.guarantee.clone(),
            domains: self.domains(),
            seed: 7,
            ..Setting::default()
        }
    }

    pub(crate) fn build(&self, method: &Method) -> Result<Box<dyn Operator>> {
        method.build(&self.schema(), &self.setting())
    }

    /// Feeds the table to the method, so many rows at a time.
    pub(crate) fn protect(&self, method: &Method, at_a_time: usize) -> Result<Batch> {
        let mut operator = self.build(method)?;
        let batch = self.batch();
        let mut parts = Vec::new();
        for start in (0..batch.len()).step_by(at_a_time.max(1)) {
            let len = at_a_time.min(batch.len() - start);
            parts.push(operator.push(part(&batch, start, len))?);
        }
        parts.push(operator.finish()?);
        parts.retain(|part| !part.is_empty());
        Batch::concat(&Arc::clone(operator.schema()), parts)
    }

    /// The release as anyone reads it from a file: texts.
    pub(crate) fn as_read(&self, release: &Batch) -> Batch {
        let domains = self.domains();
        let columns = release
            .schema()
            .fields()
            .iter()
            .zip(release.columns())
            .map(|(field, column)| match column {
                Column::Number(numbers) => {
                    let domain = domains.require(&field.name).expect("a domain");
                    let texts = numbers.iter().map(|n| n.map(|n| domain.number_text(n)));
                    Column::Category(texts.collect())
                }
                other => other.clone(),
            })
            .collect();
        Batch::new(release.schema().clone(), release.rows().clone(), columns).expect("fits")
    }

    /// What the independent checker says of a release.
    pub(crate) fn check(&self, release: &Batch) -> Result<Findings> {
        let mut declared = Declared::default();
        let order = SENSITIVE.iter().map(|s| (*s).to_owned()).collect();
        declared.orders.insert("s".to_owned(), order);
        declared.trees.insert("s".to_owned(), sensitive_tree());
        let mut checker = Checker::new(&self.guarantee, release.schema(), declared)?;
        checker.observe(&self.as_read(release), None)?;
        checker.finish()
    }

    /// What is untrue in a release.
    pub(crate) fn untruths(&self, release: &Batch, method: &Method) -> Vec<Fault> {
        let domains = self.domains();
        let represents = |name: &str| match method {
            Method::Mondrian(mondrian) => mondrian.output_for(name).is_representative(),
            _ => false,
        };
        let treatments: Vec<(String, Treatment)> = self
            .schema()
            .fields()
            .iter()
            .map(|field| {
                let name = field.name.to_string();
                let treatment = match (field.role, domains.get(&name)) {
                    (Role::Quasi, Some(domain)) if represents(&name) => {
                        Treatment::Representative(domain.clone())
                    }
                    (Role::Quasi, Some(domain)) => Treatment::Generalised(domain.clone()),
                    _ => Treatment::Kept,
                };
                (name, treatment)
            })
            .collect();
        let mut truth = Truth::new(&self.schema(), &treatments, false).expect("treated");
        let rows: Vec<u32> = release.rows().iter().map(|id| id as u32).collect();
        let original = self.batch().take(&rows).expect("ids are rows");
        let read = self.as_read(release);
        truth.observe(&original, &read).expect("pairs");
        truth.findings(Some(release.len() as u64))
    }
}

/// A run of rows as a source gives them: the levels of a batch are those that it holds.
fn part(batch: &Batch, start: usize, len: usize) -> Batch {
    let slice = batch.slice(start, len);
    let fields = slice.schema().fields().iter();
    let columns = fields
        .zip(slice.columns())
        .map(|(field, column)| match column {
            Column::Category(c) if field.kind == (Kind::Category { ordered: false }) => {
                Column::Category(c.compact())
            }
            other => other.clone(),
        })
        .collect();
    Batch::new(slice.schema().clone(), slice.rows().clone(), columns).expect("fits")
}

/// Rows of a release as texts: id first, then every cell.
pub(crate) fn lines(batch: &Batch) -> Vec<(u64, Vec<Option<String>>)> {
    let cell = |column: &Column, row: usize| match column {
        Column::Number(numbers) => numbers.get(row).map(|n| n.to_string()),
        Column::Category(categories) => categories.get(row).map(str::to_owned),
        Column::Plain(_) => None,
    };
    let mut lines: Vec<_> = (0..batch.len())
        .map(|row| {
            let cells = batch.columns().iter().map(|c| cell(c, row)).collect();
            (batch.rows().get(row), cells)
        })
        .collect();
    lines.sort();
    lines
}

/// What is written of an error: its exit code and its words.
pub(crate) fn told(error: &Error) -> (u8, String) {
    (error.exit_code(), error.to_string())
}

pub(crate) fn only_k(k: u32) -> Guarantee {
    Guarantee {
        k: Some(k),
        ..Guarantee::default()
    }
}

pub(crate) fn mondrian(mode: Mode) -> Method {
    Method::Mondrian(Mondrian {
        mode,
        ..Mondrian::default()
    })
}

/// Mondrian that shows the least and the largest value of a class.
pub(crate) fn exact_mondrian(mode: Mode) -> Method {
    Method::Mondrian(Mondrian {
        mode,
        bounds: Bounds::Exact,
        ..Mondrian::default()
    })
}

pub(crate) fn modes() -> impl Strategy<Value = Mode> {
    prop_oneof![
        Just(Mode::Strict),
        Just(Mode::Relaxed),
        Just(Mode::Balanced)
    ]
}

/// k, and nothing to four more promises. Figures lie off the values that small
/// classes can have, so that rounding decides nothing.
pub(crate) fn guarantees() -> impl Strategy<Value = Guarantee> {
    let kinds = prop_oneof![
        (1u8..4).prop_map(|l| (f64::from(l), Diversity::Distinct)),
        Just((1.71, Diversity::Entropy)),
        Just((2.0, Diversity::Recursive { c: 2.37 })),
        Just((3.0, Diversity::Recursive { c: 3.21 })),
    ];
    let grounds = prop_oneof![
        Just((0.4137, Ground::Equal)),
        Just((0.2531, Ground::Ordered)),
        Just((0.3319, Ground::Hierarchical)),
    ];
    let column = || "s".to_owned();
    (
        1u32..6,
        proptest::option::of(kinds),
        proptest::option::of(grounds),
        proptest::option::weighted(0.2, 1u32..4),
        proptest::option::weighted(0.3, comparisons()),
    )
        .prop_map(move |(k, l, t, p, more)| Guarantee {
            k: Some(k),
            l: l.into_iter()
                .map(|(l, kind)| LDiversity {
                    column: column(),
                    l,
                    kind,
                })
                .collect(),
            t: t.into_iter()
                .map(|(t, distance)| TCloseness {
                    column: column(),
                    t,
                    distance,
                })
                .collect(),
            p: p.into_iter()
                .map(|p| PSensitivity {
                    kind: Sensitivity::Distinct,
                    column: column(),
                    p,
                })
                .chain(more.iter().flat_map(|more| more.p.clone()))
                .collect(),
            beta: more.iter().flat_map(|more| more.beta.clone()).collect(),
            delta: more.iter().flat_map(|more| more.delta.clone()).collect(),
            ..Guarantee::default()
        })
}

/// Beta-likeness, delta-disclosure or p of each value.
fn comparisons() -> impl Strategy<Value = Guarantee> {
    let column = || "s".to_owned();
    let beta = move |(beta, enhanced): (f64, bool)| Guarantee {
        beta: vec![BetaLikeness {
            column: column(),
            beta,
            kind: match enhanced {
                true => Likeness::Enhanced,
                false => Likeness::Basic,
            },
        }],
        ..Guarantee::default()
    };
    let delta = move |(delta, ignored): (f64, bool)| Guarantee {
        delta: vec![DeltaDisclosure {
            column: column(),
            delta,
            absent: match ignored {
                true => Absence::Ignore,
                false => Absence::Infinite,
            },
        }],
        ..Guarantee::default()
    };
    let each = move |p: u32| Guarantee {
        p: vec![PSensitivity {
            column: column(),
            p,
            kind: Sensitivity::Each,
        }],
        ..Guarantee::default()
    };
    let figures = |figures: [f64; 2]| (proptest::sample::select(figures.to_vec()), any::<bool>());
    prop_oneof![
        figures([0.7331, 1.3713]).prop_map(beta),
        figures([0.8317, 1.6173]).prop_map(delta),
        (2u32..4).prop_map(each),
    ]
}

/// Tables of up to `most` rows and four axes; `missing` is the share of missing cells.
pub(crate) fn tables(
    most: usize,
    missing: f64,
    guarantee: impl Strategy<Value = Guarantee>,
) -> impl Strategy<Value = Table> {
    let axes = proptest::collection::vec(proptest::sample::select(&AXES[..]), 1..5);
    let cell = move || {
        (0.0..1.0f64, 0..VALUES).prop_map(move |(chance, code)| (chance >= missing).then_some(code))
    };
    let row = (proptest::collection::vec(cell(), 4), cell(), 0u8..12).prop_map(
        |(cells, sensitive, person)| Row {
            cells,
            sensitive: sensitive.map(|code| code % (SENSITIVE.len() as u8 - 1)),
            person,
        },
    );
    let rows = proptest::collection::vec(row, 1..=most);
    (axes, rows, guarantee, any::<bool>()).prop_map(|(axes, mut rows, guarantee, subject)| {
        rows.iter_mut()
            .for_each(|row| row.cells.truncate(axes.len()));
        Table {
            axes,
            rows,
            guarantee,
            subject,
        }
    })
}

/// The streams of 100,000 events of the public data.
pub(crate) const STREAMS: [&str; 3] = ["ecommerce", "domains", "positions"];

/// How their columns are read.
pub(crate) fn stream_plans() -> Vec<ColumnPlan> {
    [
        ("t", Role::Time, ReadAs::Plain),
        ("user", Role::Subject, ReadAs::Category),
        ("attribute", Role::Quasi, ReadAs::Category),
    ]
    .map(|(name, role, read)| ColumnPlan {
        name: name.to_owned(),
        role,
        read,
    })
    .into()
}
