//! A correct release passes the checker; each of many planted faults is caught, and by the right rule.

use arrow_array::StringArray;
use moretta::data::hierarchy::Hierarchy;
use moretta::data::{
    Batch, Categories, Column, DateFormat, Domain, Field, Kind, Levels, Role, RowIds, Scale, Schema,
};
use moretta::guarantee::{
    Absence, BetaLikeness, Checker, Declared, DeltaDisclosure, Diversity, Ground, Guarantee, KMap,
    LDiversity, Likeness, PSensitivity, Population, PopulationRows, Presence, Sensitivity,
    TCloseness, Treatment, Truth,
};
use std::collections::HashMap;
use std::sync::Arc;

const COLUMNS: [&str; 12] = [
    "name",
    "person",
    "age",
    "zip",
    "job",
    "grade",
    "born",
    "weight",
    "diagnosis",
    "salary",
    "outcome",
    "note",
];
const EXTRA: usize = 24;

type Cells = Vec<Option<String>>;

/// An original table, what was released of it, and what was promised.
struct World {
    original: Vec<Cells>,
    header: Vec<&'static str>,
    released: Vec<Cells>,
    /// The row of the original that each released row was made from.
    pairs: Vec<u64>,
    /// Rows that the operator said it released.
    announced: u64,
    guarantee: Guarantee,
    /// The originals that are the population.
    population: Vec<usize>,
    /// Persons are told apart by their pseudonyms in the file.
    by_pseudonym: bool,
    escapes: bool,
}

impl World {
    /// Four classes of six persons; row 24 is a second row of the person of row 0.
    fn new() -> Self {
        let mut original: Vec<Cells> = (0..24).map(|id| original_row(id / 6, id % 6, id)).collect();
        let mut extra = original[0].clone();
        extra[11] = Some("t24".into());
        original.push(extra);
        let released = (0..25)
            .map(|id| released_row(if id == EXTRA { 0 } else { id / 6 }, &original[id]))
            .collect();
        World {
            original,
            header: COLUMNS[1..].to_vec(),
            released,
            pairs: (0..25).collect(),
            announced: 25,
            guarantee: promises(),
            population: (0..24).collect(),
            by_pseudonym: false,
            escapes: false,
        }
    }

    fn place(&self, column: &str) -> usize {
        let place = self.header.iter().position(|name| *name == column);
        place.expect("a column of the release")
    }

    fn set(&mut self, row: usize, column: &str, text: &str) {
        let place = self.place(column);
        self.released[row][place] = Some(text.into());
    }

    fn clear(&mut self, row: usize, column: &str) {
        let place = self.place(column);
        self.released[row][place] = None;
    }

    /// The original is so too: the release is true, but something else may be wrong with it.
    fn both(&mut self, row: usize, column: &str, text: Option<&str>) {
        let place = self.place(column);
        self.released[row][place] = text.map(str::to_owned);
        let original = COLUMNS.iter().position(|name| *name == column);
        self.original[row][original.expect("a column")] = text.map(str::to_owned);
    }

    fn swap(&mut self, a: usize, b: usize, column: &str) {
        let place = self.place(column);
        let text = self.released[a][place].clone();
        self.released[a][place] = self.released[b][place].clone();
        self.released[b][place] = text;
    }

    fn remove(&mut self, row: usize) {
        self.released.remove(row);
        self.pairs.remove(row);
    }

    fn suppress(&mut self, row: usize) {
        self.remove(row);
        self.announced -= 1;
    }

    /// One promise alone.
    fn promise(&mut self, guarantee: Guarantee) {
        self.guarantee = guarantee;
    }

    fn only(&mut self, l: Vec<LDiversity>, t: Vec<TCloseness>, p: Vec<PSensitivity>) {
        let k = Some(6);
        self.guarantee = Guarantee {
            k,
            l,
            t,
            p,
            ..Guarantee::default()
        };
    }
}

fn original_row(class: usize, j: usize, id: usize) -> Cells {
    let age = match class {
        0 | 1 => Some([20, 21, 22, 23, 24, 29][j]),
        2 => Some([30, 31, 32, 33, 34, 39][j]),
        _ => None,
    };
    let zip = match class {
        0 | 2 => 1000 + j,
        1 => 2000 + j,
        _ => 1000 * (1 + j % 2) + j,
    };
    let job = match class {
        0 | 1 => Some("nurse"),
        2 => Some(["clerk", "cook"][j % 2]),
        _ => [Some("nurse"), Some("clerk"), None][j % 3],
    };
    let grade = match class {
        0 | 1 => ["low", "mid"][j % 2],
        2 => "high",
        _ => ["low", "mid", "high"][j % 3],
    };
    let first = DateFormat::ISO.parse("2000-01-01").expect("a date");
    vec![
        Some(format!("Name {id}")),
        Some(format!("p{id}")),
        age.map(|age: i32| age.to_string()),
        Some(zip.to_string()),
        job.map(str::to_owned),
        Some(grade.to_owned()),
        Some(DateFormat::ISO.format(first + 73 * j as i32)),
        Some((50 + 8 * j).to_string()),
        Some(["a", "a", "b", "b", "c", "c"][j].to_owned()),
        Some((10 * (j + 1)).to_string()),
        Some(["yes", "no"][j % 2].to_owned()),
        Some(format!("t{id}")),
    ]
}

fn released_row(class: usize, original: &Cells) -> Cells {
    let [age, zip, job, grade] = [
        [
            Some("20..29"),
            Some("10**"),
            Some("nurse"),
            Some("low..mid"),
        ],
        [
            Some("20..29"),
            Some("20**"),
            Some("nurse"),
            Some("low..mid"),
        ],
        [
            Some("30..39"),
            Some("10**"),
            Some("{clerk|cook}"),
            Some("high"),
        ],
        [None, Some("*"), Some("*"), Some("low..high")],
    ][class];
    let mut row: Cells = vec![original[1].as_ref().map(|person| format!("x{person}"))];
    let born = Some("2000-01-01..2000-12-31");
    let regions = [age, zip, job, grade, born, Some("70")];
    row.extend(regions.map(|text| text.map(str::to_owned)));
    row.extend(original[8..].iter().cloned());
    row
}

fn l(kind: Diversity, l: f64) -> LDiversity {
    let column = "diagnosis".into();
    LDiversity { column, l, kind }
}

fn t(column: &str, distance: Ground, t: f64) -> TCloseness {
    let column = column.into();
    TCloseness {
        column,
        t,
        distance,
    }
}

fn p(p: u32) -> PSensitivity {
    let column = "diagnosis".into();
    PSensitivity {
        column,
        p,
        kind: Sensitivity::Distinct,
    }
}

/// Every class keeps each of them with nothing to spare, or nearly.
fn promises() -> Guarantee {
    Guarantee {
        k: Some(6),
        l: vec![
            l(Diversity::Distinct, 3.0),
            l(Diversity::Entropy, 3.0),
            l(Diversity::Recursive { c: 0.6 }, 2.0),
        ],
        t: vec![
            t("diagnosis", Ground::Equal, 0.1),
            t("diagnosis", Ground::Hierarchical, 0.1),
            t("salary", Ground::Equal, 0.1),
            t("salary", Ground::Ordered, 0.05),
        ],
        p: vec![p(3)],
        ..Guarantee::default()
    }
}

fn zip_tree() -> Arc<Hierarchy> {
    let chains: Vec<Vec<String>> = (1000..1006)
        .chain(2000..2006)
        .map(|zip: i32| zip.to_string())
        .map(|zip| {
            let masked = (1..5).map(|n| format!("{}{}", &zip[..4 - n], "*".repeat(n)));
            let mut chain = vec![zip.clone()];
            chain.extend(masked.take(3));
            chain.push("*".into());
            chain
        })
        .collect();
    Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))
}

fn diagnosis_tree() -> Arc<Hierarchy> {
    let chains = [["a", "x"], ["b", "x"], ["c", "y"], ["d", "y"]].map(|chain| chain.to_vec());
    Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))
}

fn number(low: f64, high: f64, date: Option<DateFormat>) -> Domain {
    let scale = Scale::Number { low, high, date };
    let hierarchy = None;
    Domain { scale, hierarchy }
}

fn category(levels: &[&str], ordered: bool, hierarchy: Option<Arc<Hierarchy>>) -> Domain {
    let levels = Arc::new(levels.iter().collect::<Levels>());
    let scale = Scale::Category { levels, ordered };
    Domain { scale, hierarchy }
}

fn treatments() -> Vec<(String, Treatment)> {
    let zips: Vec<String> = (1000..1006)
        .chain(2000..2006)
        .map(|z| z.to_string())
        .collect();
    let zips: Vec<&str> = zips.iter().map(String::as_str).collect();
    let (from, to) = (10_957.0, 11_322.0);
    let of = |column| match column {
        "name" => Treatment::Dropped,
        "person" => Treatment::Pseudonym,
        "age" => Treatment::Generalised(number(20.0, 39.0, None)),
        "zip" => Treatment::Generalised(category(&zips, false, Some(zip_tree()))),
        "job" => Treatment::Generalised(category(&["nurse", "clerk", "cook"], false, None)),
        "grade" => Treatment::Generalised(category(&["low", "mid", "high"], true, None)),
        "born" => Treatment::Generalised(number(from, to, Some(DateFormat::ISO))),
        "weight" => Treatment::Representative(number(50.0, 90.0, None)),
        _ => Treatment::Kept,
    };
    COLUMNS.map(|c| (c.to_owned(), of(c))).to_vec()
}

fn field(name: &'static str, original: bool) -> Field {
    let role = match name {
        "name" => Role::Identifier,
        "person" => Role::Subject,
        "diagnosis" | "salary" => Role::Sensitive,
        "outcome" => Role::Class,
        "note" | "ward" => Role::Plain,
        _ => Role::Quasi,
    };
    let kind = match name {
        "age" | "weight" | "salary" if original => Kind::Number { integer: true },
        "born" if original => Kind::Date(DateFormat::ISO),
        "note" | "ward" => Kind::Plain(arrow_schema::DataType::Utf8),
        _ => Kind::Category {
            ordered: name == "grade",
        },
    };
    Field::new(name, role, kind)
}

fn batch(header: &[&'static str], rows: &[&Cells], ids: Vec<u64>, original: bool) -> Batch {
    let fields: Vec<Field> = header.iter().map(|name| field(name, original)).collect();
    let columns = fields
        .iter()
        .enumerate()
        .map(|(place, field)| {
            let texts = rows.iter().map(|row| row[place].as_deref());
            match field.kind {
                Kind::Number { .. } => Column::Number(
                    texts
                        .map(|text| text.map(|text| text.parse().expect("a number")))
                        .collect(),
                ),
                Kind::Date(format) => Column::Number(
                    texts
                        .map(|text| text.map(|text| f64::from(format.parse(text).expect("a date"))))
                        .collect(),
                ),
                Kind::Category { .. } => Column::Category(texts.collect::<Categories>()),
                Kind::Plain(_) => Column::Plain(Arc::new(StringArray::from_iter(texts))),
            }
        })
        .collect();
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    Batch::new(schema, RowIds::List(ids.into()), columns).expect("fits")
}

/// Everything the checker and the comparison object to.
fn judge(world: &World) -> Vec<String> {
    let originals: Vec<&Cells> = world
        .pairs
        .iter()
        .map(|&id| &world.original[id as usize])
        .collect();
    let original = batch(&COLUMNS, &originals, world.pairs.clone(), true);
    let rows: Vec<&Cells> = world.released.iter().collect();
    let ids = (0..rows.len() as u64).collect();
    let release = batch(&world.header, &rows, ids, false);
    // A representative says nothing of others: here all of the population have that weight.
    let weight = COLUMNS.iter().position(|name| *name == "weight");
    let person = |&id: &usize| {
        let mut cells = world.original[id].clone();
        cells[weight.expect("a column")] = Some("70".into());
        cells
    };
    let people: Vec<Cells> = world.population.iter().map(person).collect();
    let people: Vec<&Cells> = people.iter().collect();
    let ids = (0..people.len() as u64).collect();
    let domains = treatments()
        .into_iter()
        .filter_map(|(name, treatment)| match treatment {
            Treatment::Generalised(domain) | Treatment::Representative(domain) => {
                Some((name, domain))
            }
            _ => None,
        });
    let declared = Declared {
        trees: HashMap::from([("diagnosis".to_owned(), diagnosis_tree())]),
        population: Some(PopulationRows {
            rows: Arc::new(batch(&COLUMNS, &people, ids, true)),
            domains: domains.collect(),
        }),
        ..Declared::default()
    };
    let persons = original
        .column_named("person")
        .and_then(Column::as_categories)
        .expect("persons");
    let mut checker = Checker::new(&world.guarantee, release.schema(), declared).expect("columns");
    let mut truth = Truth::new(original.schema(), &treatments(), world.escapes).expect("treated");
    // In two parts, so that dictionaries change on the way.
    let half = rows.len() / 2;
    for (start, len) in [(0, half), (half, rows.len() - half)] {
        let take: Vec<u32> = (start as u32..(start + len) as u32).collect();
        let rebuilt: Vec<&Cells> = rows[start..start + len].to_vec();
        let part = batch(
            &world.header,
            &rebuilt,
            (start as u64..(start + len) as u64).collect(),
            false,
        );
        let subjects = &persons.codes()[start..start + len];
        checker
            .observe(&part, (!world.by_pseudonym).then_some(subjects))
            .expect("fits");
        truth
            .observe(&original.take(&take).expect("rows"), &part)
            .expect("fits");
    }
    let findings = checker.finish().expect("declared");
    let claims = findings
        .claims
        .iter()
        .filter(|c| !c.holds)
        .map(|c| c.name.clone());
    let mut faults = findings.faults.clone();
    faults.extend(truth.findings(Some(world.announced)));
    faults.sort_by_key(|f| (f.column.clone(), f.rule));
    faults.dedup();
    let faults = faults.iter().map(|f| {
        format!(
            "{}: {:?} {}",
            f.column.as_deref().unwrap_or("file"),
            f.rule,
            f.count
        )
    });
    claims.chain(faults).collect()
}

const K: &str = "k-anonymity";
const DISTINCT: &str = "distinct l-diversity of `diagnosis`";
const ENTROPY: &str = "entropy l-diversity of `diagnosis`";
const RECURSIVE: &str = "recursive (c, l)-diversity of `diagnosis`";
const EQUAL: &str = "equal t-closeness of `diagnosis`";
const TREE: &str = "hierarchical t-closeness of `diagnosis`";
const SALARY_EQUAL: &str = "equal t-closeness of `salary`";
const SALARY_ORDERED: &str = "ordered t-closeness of `salary`";
const P: &str = "p-sensitivity of `diagnosis`";

/// What the fault is, how it is planted, and all that must be found.
type Planted = (&'static str, fn(&mut World), &'static [&'static str]);

/// The classes are too small, or look larger than they are.
const CLASSES: &[Planted] = &[
    (
        "one class one person short",
        |w| {
            w.suppress(23);
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "k promised one above what there is",
        |w| {
            w.guarantee = Guarantee {
                k: Some(7),
                ..Guarantee::default()
            }
        },
        &[K],
    ),
    (
        "a person's second row makes up for a missing person",
        |w| {
            w.suppress(1);
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "one person under two pseudonyms makes up for a missing person",
        |w| {
            w.by_pseudonym = true;
            w.set(EXTRA, "person", "xp99");
            w.suppress(1);
            w.only(vec![], vec![], vec![]);
        },
        &["person: PseudonymsMixed 1"],
    ),
    (
        "two persons share a pseudonym",
        |w| {
            w.by_pseudonym = true;
            w.set(1, "person", "xp2");
            w.only(vec![], vec![], vec![]);
        },
        &[K, "person: PseudonymsMixed 1"],
    ),
    (
        "a row without a person",
        |w| {
            w.by_pseudonym = true;
            w.clear(7, "person");
            w.only(vec![], vec![], vec![]);
        },
        &[K, "person: SubjectMissing 1", "person: Changed 1"],
    ),
    (
        "one row moved to another class",
        |w| {
            w.set(13, "age", "20..29");
            w.only(vec![], vec![], vec![]);
        },
        &[K, "age: NotCovered 1"],
    ),
    (
        "a trailing space makes a new class",
        |w| {
            w.set(3, "zip", "10** ");
            w.only(vec![], vec![], vec![]);
        },
        &[K, "zip: NotInDomain 1"],
    ),
    (
        "another case makes a new class",
        |w| {
            w.set(3, "job", "Nurse");
            w.only(vec![], vec![], vec![]);
        },
        &[K, "job: NotInDomain 1"],
    ),
    (
        "a true but narrower interval makes a new class",
        |w| {
            w.set(2, "age", "20..28");
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "a raw number where an interval is needed",
        |w| {
            w.set(2, "age", "22");
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "a raw leaf where a node is needed",
        |w| {
            w.set(2, "zip", "1002");
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "a node of a lower level than its class",
        |w| {
            w.set(2, "zip", "100*");
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "a node of a higher level than its class",
        |w| {
            w.set(2, "zip", "1***");
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "the same set in another order makes a new class",
        |w| {
            w.set(12, "job", "{cook|clerk}");
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "the same number written otherwise makes a new class",
        |w| {
            w.set(2, "age", "20.0..29");
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "one cell suppressed alone",
        |w| {
            w.set(2, "age", "*");
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "anything instead of missing",
        |w| {
            w.set(18, "age", "*");
            w.only(vec![], vec![], vec![]);
        },
        &[K],
    ),
    (
        "an empty text instead of missing",
        |w| {
            w.set(18, "age", "");
            w.only(vec![], vec![], vec![]);
        },
        &[K, "age: NotInDomain 1"],
    ),
    (
        "a text that looks missing",
        |w| {
            w.set(18, "age", "NA");
            w.only(vec![], vec![], vec![]);
        },
        &[K, "age: NotInDomain 1"],
    ),
    (
        "missing instead of its interval",
        |w| {
            w.clear(2, "age");
            w.only(vec![], vec![], vec![]);
        },
        &[K, "age: NotCovered 1"],
    ),
    (
        "missing counted as equal to every class",
        |w| {
            (0..6).for_each(|row| w.clear(row, "job"));
            w.set(0, "job", "nurse");
            w.set(EXTRA, "job", "nurse");
            w.only(vec![], vec![], vec![]);
        },
        &[K, "job: NotCovered 5"],
    ),
];

/// The sensitive values of a class are too much alike.
const SENSITIVE: &[Planted] = &[
    (
        "one class lacks one value",
        |w| {
            w.both(4, "diagnosis", Some("a"));
            w.both(5, "diagnosis", Some("b"));
            w.only(vec![l(Diversity::Distinct, 3.0)], vec![], vec![]);
        },
        &[DISTINCT],
    ),
    (
        "a value of a person's second row counts once",
        |w| {
            w.only(
                vec![l(Diversity::Recursive { c: 0.6 }, 2.0)],
                vec![],
                vec![],
            );
            w.both(1, "diagnosis", Some("b"));
            w.both(2, "diagnosis", Some("b"));
        },
        &[RECURSIVE],
    ),
    (
        "missing counted as a third value",
        |w| {
            w.both(4, "diagnosis", None);
            w.both(5, "diagnosis", None);
            w.only(vec![l(Diversity::Distinct, 3.0)], vec![], vec![p(3)]);
        },
        &[DISTINCT, P],
    ),
    (
        "missing counted in the entropy",
        |w| {
            w.both(4, "diagnosis", None);
            w.both(5, "diagnosis", None);
            w.only(vec![l(Diversity::Entropy, 3.0)], vec![], vec![]);
        },
        &[ENTROPY],
    ),
    (
        "missing counted in the tail",
        |w| {
            w.both(4, "diagnosis", None);
            w.both(5, "diagnosis", None);
            w.only(
                vec![l(Diversity::Recursive { c: 0.6 }, 2.0)],
                vec![],
                vec![],
            );
        },
        &[RECURSIVE],
    ),
    (
        "a class with no sensitive value at all",
        |w| {
            (6..12).for_each(|row| w.both(row, "diagnosis", None));
            w.only(
                vec![l(Diversity::Distinct, 1.0), l(Diversity::Entropy, 1.0)],
                vec![],
                vec![p(1)],
            );
        },
        &[DISTINCT, ENTROPY, P],
    ),
    (
        "entropy slightly below l",
        |w| {
            w.both(4, "diagnosis", Some("a"));
            w.only(
                vec![l(Diversity::Distinct, 3.0), l(Diversity::Entropy, 3.0)],
                vec![],
                vec![],
            );
        },
        &[ENTROPY],
    ),
    (
        "entropy promised a hair above what there is",
        |w| {
            w.only(vec![l(Diversity::Entropy, 3.000_001)], vec![], vec![]);
        },
        &[ENTROPY],
    ),
    (
        "the recursive bound met only with equality",
        |w| {
            w.only(
                vec![l(Diversity::Recursive { c: 0.5 }, 2.0)],
                vec![],
                vec![],
            );
        },
        &[RECURSIVE],
    ),
    (
        "the recursive tail starts one value too early",
        |w| {
            w.only(
                vec![l(Diversity::Recursive { c: 0.6 }, 3.0)],
                vec![],
                vec![],
            );
        },
        &[RECURSIVE],
    ),
    (
        "fewer values than the recursive l",
        |w| {
            w.only(
                vec![l(Diversity::Recursive { c: 99.0 }, 4.0)],
                vec![],
                vec![],
            );
        },
        &[RECURSIVE],
    ),
    (
        "one class has too few values for p",
        |w| {
            w.both(16, "diagnosis", Some("a"));
            w.both(17, "diagnosis", Some("b"));
            w.only(vec![], vec![], vec![p(3)]);
        },
        &[P],
    ),
    (
        "p promised one above what there is",
        |w| w.only(vec![], vec![], vec![p(4)]),
        &[P],
    ),
    (
        "the distribution of a class slightly too far",
        |w| {
            w.both(4, "diagnosis", Some("a"));
            w.only(vec![], vec![t("diagnosis", Ground::Equal, 0.1249)], vec![]);
        },
        &[EQUAL],
    ),
    (
        "a class full of missing values is far",
        |w| {
            (0..6).for_each(|row| w.both(row, "diagnosis", None));
            w.both(EXTRA, "diagnosis", None);
            w.only(vec![], vec![t("diagnosis", Ground::Equal, 0.7)], vec![]);
        },
        &[EQUAL],
    ),
    (
        "a far value at a tolerable equal distance",
        |w| {
            w.both(6, "salary", Some("60"));
            w.only(
                vec![],
                vec![
                    t("salary", Ground::Equal, 0.13),
                    t("salary", Ground::Ordered, 0.12),
                ],
                vec![],
            );
        },
        &[SALARY_ORDERED],
    ),
    (
        "a near value at a tolerable ordered distance",
        |w| {
            w.both(6, "salary", Some("20"));
            w.only(
                vec![],
                vec![
                    t("salary", Ground::Equal, 0.12),
                    t("salary", Ground::Ordered, 0.03),
                ],
                vec![],
            );
        },
        &[SALARY_EQUAL],
    ),
    (
        "numbers ordered as texts",
        |w| {
            // As texts 100 would stand beside 10; as numbers it is the largest.
            (0..4).for_each(|class| w.both(6 * class, "salary", Some("100")));
            w.both(EXTRA, "salary", Some("100"));
            w.both(6, "salary", Some("20"));
            w.only(vec![], vec![t("salary", Ground::Ordered, 0.12)], vec![]);
        },
        &[SALARY_ORDERED],
    ),
    (
        "a value of another branch",
        |w| {
            w.both(8, "diagnosis", Some("c"));
            w.only(
                vec![],
                vec![t("diagnosis", Ground::Hierarchical, 0.12)],
                vec![],
            );
        },
        &[TREE],
    ),
    (
        "two values swapped between classes",
        |w| {
            w.both(0, "diagnosis", Some("c"));
            w.both(EXTRA, "diagnosis", Some("c"));
            w.both(10, "diagnosis", Some("a"));
            w.only(vec![], vec![t("diagnosis", Ground::Equal, 0.1)], vec![]);
        },
        &[EQUAL],
    ),
];

/// The release says something that is not so.
const UNTRUE: &[Planted] = &[
    (
        "an interval that does not contain its value",
        |w| {
            (0..6)
                .chain([EXTRA])
                .for_each(|r| w.set(r, "age", "40..49"))
        },
        &["age: NotCovered 7"],
    ),
    (
        "an interval whose bounds are swapped",
        |w| {
            (0..6)
                .chain([EXTRA])
                .for_each(|r| w.set(r, "age", "29..20"))
        },
        &["age: NotInDomain 7"],
    ),
    (
        "an interval one above its lower bound",
        |w| {
            (0..6)
                .chain([EXTRA])
                .for_each(|r| w.set(r, "age", "21..29"))
        },
        &["age: NotCovered 2"],
    ),
    (
        "an interval one below its upper bound",
        |w| (6..12).for_each(|r| w.set(r, "age", "20..28")),
        &["age: NotCovered 1"],
    ),
    (
        "an interval without ends",
        |w| (6..12).for_each(|r| w.set(r, "age", "..")),
        &["age: NotInDomain 6"],
    ),
    (
        "an interval without an end that begins too late",
        |w| (6..12).for_each(|r| w.set(r, "age", "30..")),
        &["age: NotCovered 6"],
    ),
    (
        "dates one day short",
        |w| (0..25).for_each(|r| w.set(r, "born", "2000-01-01..2000-12-30")),
        &["born: NotCovered 4"],
    ),
    (
        "a date that does not exist",
        |w| (0..25).for_each(|r| w.set(r, "born", "2000-01-01..2000-12-32")),
        &["born: NotInDomain 25"],
    ),
    (
        "dates as numbers",
        |w| (0..25).for_each(|r| w.set(r, "born", "10957..11322")),
        &["born: NotInDomain 25"],
    ),
    (
        "a node of the wrong branch",
        |w| (12..18).for_each(|r| w.set(r, "zip", "20**")),
        &["zip: NotCovered 6"],
    ),
    (
        "a label of another column",
        |w| (12..18).for_each(|r| w.set(r, "zip", "high")),
        &["zip: NotInDomain 6"],
    ),
    (
        "a label that no hierarchy has",
        |w| (12..18).for_each(|r| w.set(r, "zip", "10*")),
        &["zip: NotInDomain 6"],
    ),
    (
        "a set without its value",
        |w| (12..18).for_each(|r| w.set(r, "job", "{clerk|nurse}")),
        &["job: NotCovered 3"],
    ),
    (
        "a set with a foreign value",
        |w| (12..18).for_each(|r| w.set(r, "job", "{clerk|cook|king}")),
        &["job: NotInDomain 6"],
    ),
    (
        "a run of categories too short",
        |w| (18..24).for_each(|r| w.set(r, "grade", "low..mid")),
        &["grade: NotCovered 2"],
    ),
    (
        "a run of categories without order",
        |w| (12..18).for_each(|r| w.set(r, "job", "clerk..cook")),
        &["job: NotInDomain 6"],
    ),
    (
        "a representative outside the domain",
        |w| (0..25).for_each(|r| w.set(r, "weight", "91")),
        &["weight: NotInDomain 25"],
    ),
    (
        "a representative that is an interval",
        |w| (0..25).for_each(|r| w.set(r, "weight", "50..90")),
        &["weight: NotInDomain 25"],
    ),
    (
        "two rows swapped between classes",
        |w| w.released.swap(7, 13),
        &[
            "age: NotCovered 2",
            "grade: NotCovered 2",
            "job: NotCovered 2",
            "note: Changed 2",
            "zip: NotCovered 2",
        ],
    ),
    (
        "two rows swapped within a class",
        |w| w.released.swap(8, 9),
        &["note: Changed 2", "outcome: Changed 2", "salary: Changed 2"],
    ),
    (
        "two sensitive cells swapped",
        |w| w.swap(6, 8, "diagnosis"),
        &["diagnosis: Changed 2"],
    ),
    (
        "two sensitive cells swapped between classes",
        |w| w.swap(7, 14, "salary"),
        &[SALARY_EQUAL, "salary: Changed 2"],
    ),
    (
        "a class label changed",
        |w| w.set(6, "outcome", "no"),
        &["outcome: Changed 1"],
    ),
    (
        "a plain cell changed",
        |w| w.set(6, "note", "t7"),
        &["note: Changed 1"],
    ),
    (
        "a plain cell lost",
        |w| w.clear(6, "note"),
        &["note: Changed 1"],
    ),
    (
        "a sensitive number made rounder",
        |w| {
            w.both(6, "salary", Some("10"));
            w.set(6, "salary", "10.5");
            w.only(vec![], vec![], vec![]);
        },
        &["salary: Changed 1"],
    ),
    (
        "an escape nobody allowed",
        |w| {
            w.both(6, "note", Some("=1"));
            w.set(6, "note", "'=1");
        },
        &["note: Changed 1"],
    ),
    (
        "a person under the own name",
        |w| {
            w.set(6, "person", "p6");
        },
        &["person: NotPseudonymous 1"],
    ),
];

/// Rows or columns that should not be there, or should.
const FILE: &[Planted] = &[
    (
        "an identifying column in the release",
        |w| {
            w.header.push("name");
            w.released
                .iter_mut()
                .for_each(|row| row.push(Some("Name".into())));
        },
        &["name: IdentifierReleased 1"],
    ),
    (
        "a column that nobody knows",
        |w| {
            w.header.push("ward");
            w.released
                .iter_mut()
                .for_each(|row| row.push(Some("7".into())));
        },
        &["ward: UnexpectedColumn 1"],
    ),
    (
        "a column forgotten",
        |w| {
            w.header.pop();
            w.released.iter_mut().for_each(|row| {
                row.pop();
            });
        },
        &["note: ColumnAbsent 1"],
    ),
    (
        "one row dropped after it was released",
        |w| w.remove(EXTRA),
        &["file: RowsDiffer 1"],
    ),
    (
        "one row released twice",
        |w| {
            w.released.push(w.released[6].clone());
            w.pairs.push(6);
            w.announced += 1;
        },
        &["file: ReleasedTwice 1"],
    ),
    (
        "one row written twice",
        |w| {
            w.released.push(w.released[6].clone());
            w.pairs.push(6);
        },
        &["file: ReleasedTwice 1", "file: RowsDiffer 1"],
    ),
];

fn beta(beta: f64, kind: Likeness) -> Guarantee {
    let column = "diagnosis".into();
    Guarantee {
        beta: vec![BetaLikeness { column, beta, kind }],
        ..Guarantee::default()
    }
}

fn delta(delta: f64, absent: Absence) -> Guarantee {
    Guarantee {
        delta: vec![DeltaDisclosure {
            column: "diagnosis".into(),
            delta,
            absent,
        }],
        ..Guarantee::default()
    }
}

fn each(p: u32) -> Guarantee {
    Guarantee {
        p: vec![PSensitivity {
            column: "diagnosis".into(),
            p,
            kind: Sensitivity::Each,
        }],
        ..Guarantee::default()
    }
}

fn risks(maximum: Option<f64>, average: Option<f64>) -> Guarantee {
    Guarantee {
        maximum_risk: maximum,
        average_risk: average,
        ..Guarantee::default()
    }
}

fn map(k: u32) -> Guarantee {
    Guarantee {
        k_map: Some(KMap {
            k,
            population: Population::Table("people.csv".into()),
        }),
        ..Guarantee::default()
    }
}

fn estimated(k: u32) -> Guarantee {
    Guarantee {
        k_map: Some(KMap {
            k,
            population: Population::Estimated {
                fraction: 0.1,
                alpha: 0.05,
                truncated: false,
            },
        }),
        ..Guarantee::default()
    }
}

fn presence(min: f64, max: f64) -> Guarantee {
    Guarantee {
        presence: Some(Presence {
            min,
            max,
            population: "people.csv".into(),
        }),
        ..Guarantee::default()
    }
}

const MAXIMUM: &str = "maximum risk";
const AVERAGE: &str = "average risk";
const MAP: &str = "k-map";
const ESTIMATED: &str = "k-map by estimate";
const PRESENCE: &str = "delta-presence";
const BASIC: &str = "basic beta-likeness of `diagnosis`";
const ENHANCED: &str = "enhanced beta-likeness of `diagnosis`";
const STRICT: &str = "delta-disclosure of `diagnosis`";
const OF_PRESENT: &str = "delta-disclosure of present values of `diagnosis`";
const EACH: &str = "p-sensitivity of each value of `diagnosis`";

/// Each further model misses by little. Classes hold a, a, b, b, c, c; in the whole all are alike.
const MODELS: &[Planted] = &[
    (
        "a value that is more frequent in one class",
        |w| {
            w.promise(beta(0.3, Likeness::Basic));
            w.both(0, "diagnosis", Some("b"));
            w.both(EXTRA, "diagnosis", Some("b"));
        },
        // 1/2 of the class against 9/24 of all: a gain of 1/3.
        &[BASIC],
    ),
    (
        "a frequent value that is bounded by its share",
        |w| {
            w.promise(beta(1.0, Likeness::Enhanced));
            (0..24).for_each(|row| w.both(row, "diagnosis", Some("a")));
            for row in [0, 6, 7, 12, 13] {
                w.both(row, "diagnosis", Some("b"));
            }
            w.both(EXTRA, "diagnosis", Some("b"));
        },
        // All of the last class have a, 19/24 of all: 0.263 > 0.234.
        &[ENHANCED],
    ),
    (
        "a value that a class does not hold",
        |w| {
            w.promise(delta(9.0, Absence::Infinite));
            w.both(4, "diagnosis", Some("a"));
            w.both(5, "diagnosis", Some("b"));
        },
        &[STRICT],
    ),
    (
        "a missing diagnosis that other classes do not have",
        |w| {
            w.promise(delta(9.0, Absence::Infinite));
            w.both(4, "diagnosis", None);
        },
        &[STRICT],
    ),
    (
        "a value that is at the bound of present ones",
        |w| {
            w.promise(delta(1.0, Absence::Ignore));
            (0..24).for_each(|row| w.both(row, "diagnosis", Some("a")));
            (0..6).for_each(|row| {
                w.both(row, "diagnosis", Some(["b", "b", "b", "a", "a", "a"][row]))
            });
            (6..9).for_each(|row| w.both(row, "diagnosis", Some("b")));
            w.both(EXTRA, "diagnosis", Some("b"));
        },
        // 3/6 against 6/24.
        &[OF_PRESENT],
    ),
    (
        "a value that is in its class once",
        |w| {
            w.promise(each(2));
            w.both(8, "diagnosis", Some("a"));
        },
        &[EACH],
    ),
    (
        "a class of six for one in seven",
        |w| w.promise(risks(Some(0.16), None)),
        &[MAXIMUM],
    ),
    (
        "twenty-three persons in four classes",
        |w| {
            w.suppress(23);
            w.promise(risks(None, Some(1.0 / 6.0)));
        },
        &[AVERAGE],
    ),
    (
        "one person of the population short",
        |w| {
            w.promise(map(6));
            w.population.remove(7);
        },
        &[MAP],
    ),
    (
        "a class in whose region nobody of the population lives",
        |w| {
            w.promise(map(1));
            w.population.truncate(18);
        },
        &[MAP],
    ),
    (
        "a class of six for forty in a tenth",
        // P(X > 7) = 0.051 with a mean of 4.
        |w| w.promise(estimated(40)),
        &[ESTIMATED],
    ),
    (
        "all of a population class in the release",
        |w| w.promise(presence(0.0, 0.99)),
        &[PRESENCE],
    ),
    (
        "a population class that nobody of the release is in",
        |w| {
            w.promise(presence(0.5, 1.0));
            (18..24).rev().for_each(|row| w.suppress(row));
        },
        &[PRESENCE],
    ),
];

#[test]
fn every_model_holds_of_the_correct_release() {
    for guarantee in [
        beta(0.001, Likeness::Basic),
        beta(0.001, Likeness::Enhanced),
        delta(0.001, Absence::Infinite),
        delta(0.001, Absence::Ignore),
        each(2),
        risks(Some(1.0 / 6.0), Some(1.0 / 6.0)),
        map(6),
        estimated(20),
        presence(1.0, 1.0),
    ] {
        let mut world = World::new();
        world.promise(guarantee.clone());
        assert_eq!(judge(&world), Vec::<String>::new(), "{guarantee:?}");
    }
}

#[test]
fn the_correct_release_passes() {
    let world = World::new();
    assert_eq!(judge(&world), Vec::<String>::new());
    let mut by_pseudonym = World::new();
    by_pseudonym.by_pseudonym = true;
    assert_eq!(judge(&by_pseudonym), Vec::<String>::new());
}

#[test]
fn what_is_allowed_passes() {
    type Allowed = (&'static str, fn(&mut World));
    let allowed: &[Allowed] = &[
        ("an escape that was asked for", |w| {
            w.escapes = true;
            w.both(6, "note", Some("=1"));
            w.set(6, "note", "'=1");
        }),
        ("a whole class suppressed", |w| {
            (18..24).rev().for_each(|row| w.suppress(row))
        }),
        ("a number written otherwise", |w| w.set(6, "salary", "10")),
        ("rows in another order", |w| {
            w.released.reverse();
            w.pairs.reverse();
        }),
        ("a person's second row suppressed", |w| w.suppress(EXTRA)),
    ];
    for (name, change) in allowed {
        let mut world = World::new();
        change(&mut world);
        assert_eq!(judge(&world), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn every_planted_fault_is_caught_by_the_right_rule() {
    let faults: Vec<&Planted> = [CLASSES, SENSITIVE, MODELS, UNTRUE, FILE]
        .into_iter()
        .flatten()
        .collect();
    assert!(faults.len() >= 50, "{} faults", faults.len());
    let mut names: Vec<&str> = faults.iter().map(|f| f.0).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), faults.len(), "each fault is another one");
    let mut wrong = Vec::new();
    for (name, plant, expected) in faults {
        let mut world = World::new();
        plant(&mut world);
        let found = judge(&world);
        if found != *expected {
            wrong.push(format!(
                "{name}\n  found    {found:?}\n  expected {expected:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
