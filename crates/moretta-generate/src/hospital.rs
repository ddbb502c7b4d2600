//! Made-up admissions to a hospital; no person, place or figure is real.
//!
//! | column | role | what |
//! |---|---|---|
//! | name | identifier | syllables |
//! | patient | subject | `P0000001`; about 1.3 admissions each, with the same person's data |
//! | age | quasi | 0 to 98 years at admission, half of them from 60 |
//! | sex | quasi | f, m |
//! | zip | quasi | 60 codes of five digits around six towns, skewed |
//! | education | quasi | six ordered levels that depend on age; 2 % missing |
//! | admission | quasi | a day of 2023 or 2024, `2024-03-01` |
//! | ward | plain | mostly that of the diagnosis, else emergency |
//! | diagnosis | sensitive | fourteen, skewed, by age and sex |
//! | cost | sensitive | log-normal with a median for each diagnosis, in cents |
//!
//! Memory is one batch, however many rows: a person's data is drawn anew from the
//! person's number whenever the person comes back.

use super::random::Random;
use arrow_array::builder::StringBuilder;
use arrow_schema::DataType;
use moretta_data::data::date::to_day;
use moretta_data::data::{
    Batch, Categories, Column, DateFormat, Field, Kind, Levels, MISSING, Numbers, Role, RowIds,
    Schema,
};
use moretta_data::error::Result;
use moretta_files::Source;
use std::sync::Arc;

/// Rows of a batch, unless told otherwise.
const BATCH: usize = 8192;

/// 2023 and 2024.
const DAYS: u64 = 365 + 366;

/// Of 1000 admissions, how many are somebody's first: 1.3 admissions a person.
const FIRST_VISITS: u64 = 769;

const FIRST_SYLLABLES: [&str; 14] = [
    "Ma", "Lo", "Te", "Ri", "Su", "Ka", "Ne", "Bo", "Ali", "Va", "Do", "Mi", "Jo", "El",
];
const LAST_SYLLABLES: [&str; 14] = [
    "ra", "lin", "do", "vel", "na", "mir", "sa", "to", "rik", "len", "bert", "nia", "gor", "sen",
];

/// The first three digits of a town's codes, and how many patients live there.
const TOWNS: [(u32, u32); 6] = [
    (301, 30),
    (302, 22),
    (304, 16),
    (317, 14),
    (318, 11),
    (345, 7),
];

/// The codes of a town.
const CODES: u32 = 10;

const EDUCATION: [&str; 6] = [
    "none",
    "primary",
    "lower secondary",
    "upper secondary",
    "bachelor",
    "master",
];

/// Weights of the education by age: below 6, 12, 16, 20, 26, and above.
const SCHOOLING: [(f64, [u32; 6]); 6] = [
    (6.0, [1, 0, 0, 0, 0, 0]),
    (12.0, [1, 9, 0, 0, 0, 0]),
    (16.0, [0, 4, 6, 0, 0, 0]),
    (20.0, [0, 1, 6, 3, 0, 0]),
    (26.0, [0, 2, 10, 60, 26, 2]),
    (f64::INFINITY, [1, 6, 21, 44, 18, 10]),
];

/// A diagnosis: its ward, its weight below 18, 40, 65 and above, and the median
/// and spread (of the logarithm) of its cost.
struct Diagnosis {
    name: &'static str,
    ward: &'static str,
    weights: [u32; 4],
    women_only: bool,
    cost: (f64, f64),
}

const fn diagnosis(
    name: &'static str,
    ward: &'static str,
    weights: [u32; 4],
    cost: (f64, f64),
) -> Diagnosis {
    Diagnosis {
        name,
        ward,
        weights,
        women_only: false,
        cost,
    }
}

const DIAGNOSES: [Diagnosis; 14] = [
    diagnosis("pneumonia", "medicine", [14, 6, 12, 22], (6_200.0, 0.5)),
    diagnosis("heart failure", "cardiology", [0, 1, 9, 26], (8_900.0, 0.6)),
    diagnosis(
        "heart attack",
        "cardiology",
        [0, 1, 11, 13],
        (14_500.0, 0.5),
    ),
    diagnosis("stroke", "neurology", [0, 1, 7, 15], (13_200.0, 0.7)),
    diagnosis("epilepsy", "neurology", [5, 4, 3, 2], (4_700.0, 0.5)),
    diagnosis(
        "hip fracture",
        "orthopaedics",
        [0, 1, 3, 16],
        (17_800.0, 0.3),
    ),
    diagnosis(
        "arm fracture",
        "orthopaedics",
        [17, 9, 7, 5],
        (3_900.0, 0.4),
    ),
    diagnosis("appendicitis", "surgery", [12, 10, 4, 1], (7_300.0, 0.3)),
    diagnosis("gallstones", "surgery", [1, 8, 12, 8], (6_800.0, 0.4)),
    diagnosis("asthma", "medicine", [16, 7, 5, 3], (2_900.0, 0.5)),
    diagnosis("diabetes", "medicine", [4, 4, 10, 9], (4_100.0, 0.5)),
    diagnosis("depression", "medicine", [4, 11, 9, 4], (5_600.0, 0.8)),
    diagnosis("HIV infection", "medicine", [0, 2, 1, 0], (9_400.0, 0.6)),
    Diagnosis {
        name: "childbirth",
        ward: "maternity",
        weights: [1, 60, 2, 0],
        women_only: true,
        cost: (5_100.0, 0.3),
    },
];

/// Admissions, batch by batch.
#[derive(Clone, Debug)]
pub struct Hospital {
    schema: Arc<Schema>,
    education: Arc<Levels>,
    random: Random,
    seed: u64,
    rows: usize,
    next: usize,
    persons: u64,
    batch: usize,
}

/// `rows` admissions that depend on `seed` alone.
pub fn hospital(rows: usize, seed: u64) -> Hospital {
    Hospital {
        schema: Arc::new(schema()),
        education: Arc::new(EDUCATION.iter().collect()),
        random: Random::new(seed),
        seed,
        rows,
        next: 0,
        persons: 0,
        batch: BATCH,
    }
}

impl Hospital {
    /// The same rows in batches of another size.
    pub fn in_batches_of(mut self, rows: usize) -> Self {
        self.batch = rows.max(1);
        self
    }

    /// All remaining rows as one batch.
    ///
    /// # Errors
    /// None but a bug of ours.
    pub fn into_batch(self) -> Result<Batch> {
        let rows = self.rows - self.next;
        let mut source = self.in_batches_of(rows);
        let schema = Arc::clone(&source.schema);
        source.next().unwrap_or_else(|| Ok(Batch::empty(schema)))
    }

    fn admission(&mut self) -> Admission {
        let number = match self.random.below(1000) < FIRST_VISITS || self.persons == 0 {
            true => {
                self.persons += 1;
                self.persons - 1
            }
            false => self.random.below(self.persons),
        };
        Admission::new(Person::new(self.seed, number), &mut self.random)
    }
}

impl Iterator for Hospital {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let len = self.batch.min(self.rows - self.next);
        if len == 0 {
            return None;
        }
        let rows = RowIds::Range {
            start: self.next as u64,
            len,
        };
        let admissions: Vec<Admission> = (0..len).map(|_| self.admission()).collect();
        self.next += len;
        let columns = columns(&admissions, &self.education);
        Some(Batch::new(Arc::clone(&self.schema), rows, columns))
    }
}

impl Source for Hospital {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

/// What stays the same from one admission of a person to the next.
struct Person {
    number: u64,
    first_name: [&'static str; 2],
    last_name: [&'static str; 3],
    female: bool,
    /// In years, at the beginning of 2023.
    age: f64,
    zip: u32,
    education: u32,
}

impl Person {
    fn new(seed: u64, number: u64) -> Self {
        let mut random = Random::numbered(seed, number);
        let age = age(&mut random);
        let middle = *random.pick(&LAST_SYLLABLES);
        Person {
            number,
            first_name: [
                *random.pick(&FIRST_SYLLABLES),
                *random.pick(&LAST_SYLLABLES),
            ],
            last_name: [
                *random.pick(&FIRST_SYLLABLES),
                if random.below(2) == 0 { middle } else { "" },
                *random.pick(&LAST_SYLLABLES),
            ],
            female: random.below(100) < 52,
            age,
            zip: zip(&mut random),
            education: education(age, &mut random),
        }
    }
}

/// Few children, a broad middle and many old people.
fn age(random: &mut Random) -> f64 {
    let (low, high) =
        [(0.0, 18.0), (18.0, 60.0), (60.0, 97.0)][random.weighted([12, 38, 50].into_iter())];
    // The mean of two uniforms, so that the ends of each group are rare.
    low + (high - low) * (random.unit() + random.unit()) / 2.0
}

fn zip(random: &mut Random) -> u32 {
    let town = TOWNS[random.weighted(TOWNS.iter().map(|town| town.1))].0;
    let code = random.weighted((0..CODES).map(|code| 120 / (code + 1))) as u32;
    town * 100 + code * 7
}

fn education(age: f64, random: &mut Random) -> u32 {
    let missing = random.below(100) < 2;
    let (_, weights) = SCHOOLING
        .iter()
        .find(|(below, _)| age < *below)
        .unwrap_or(&SCHOOLING[SCHOOLING.len() - 1]);
    let level = random.weighted(weights.iter().copied()) as u32;
    if missing { MISSING } else { level }
}

struct Admission {
    person: Person,
    /// Since the first of January 2023.
    day: u64,
    age: f64,
    diagnosis: &'static Diagnosis,
    ward: &'static str,
    cost: f64,
}

impl Admission {
    fn new(person: Person, random: &mut Random) -> Self {
        let day = random.below(DAYS);
        let age = (person.age + day as f64 / 365.25).floor();
        let band = [18.0, 40.0, 65.0]
            .iter()
            .filter(|&&limit| age >= limit)
            .count();
        let weight = |d: &Diagnosis| match d.women_only && !person.female {
            true => 0,
            false => d.weights[band],
        };
        let diagnosis = &DIAGNOSES[random.weighted(DIAGNOSES.iter().map(weight))];
        let ward = match (random.below(100), age < 16.0) {
            (0..15, _) => "emergency",
            (_, true) => "paediatrics",
            _ => diagnosis.ward,
        };
        let (median, spread) = diagnosis.cost;
        let cost = (median * (spread * random.normal()).exp() * 100.0).round() / 100.0;
        Admission {
            person,
            day,
            age,
            diagnosis,
            ward,
            cost,
        }
    }
}

fn schema() -> Schema {
    let category = Kind::Category { ordered: false };
    let text = Kind::Plain(DataType::Utf8);
    Schema::new(vec![
        Field::new("name", Role::Identifier, text.clone()),
        Field::new("patient", Role::Subject, category.clone()),
        Field::new("age", Role::Quasi, Kind::Number { integer: true }),
        Field::new("sex", Role::Quasi, category.clone()),
        Field::new("zip", Role::Quasi, category.clone()),
        Field::new("education", Role::Quasi, Kind::Category { ordered: true }),
        Field::new("admission", Role::Quasi, Kind::Date(DateFormat::ISO)),
        Field::new("ward", Role::Plain, text),
        Field::new("diagnosis", Role::Sensitive, category),
        Field::new("cost", Role::Sensitive, Kind::Number { integer: false }),
    ])
    .expect("the names differ")
}

fn columns(admissions: &[Admission], education: &Arc<Levels>) -> Vec<Column> {
    let numbers = |value: &dyn Fn(&Admission) -> f64| {
        Column::Number(admissions.iter().map(value).collect::<Numbers>())
    };
    let categories = |text: &dyn Fn(&Admission) -> String| {
        let texts = admissions.iter().map(|a| Some(text(a)));
        Column::Category(texts.collect::<Categories>())
    };
    let texts = |pieces: &dyn Fn(&Admission) -> Vec<&'static str>| {
        let mut builder = StringBuilder::new();
        for admission in admissions {
            builder.append_value(pieces(admission).concat());
        }
        Column::Plain(Arc::new(builder.finish()))
    };
    let start = to_day(2023, 1, 1).expect("a date that exists");
    let schooling = admissions.iter().map(|a| a.person.education).collect();
    vec![
        texts(&|a| a.person.full_name()),
        categories(&|a| format!("P{:07}", a.person.number + 1)),
        numbers(&|a| a.age),
        categories(&|a| if a.person.female { "f" } else { "m" }.to_owned()),
        categories(&|a| format!("{:05}", a.person.zip)),
        Column::Category(Categories::new(schooling, Arc::clone(education))),
        numbers(&|a| f64::from(start) + a.day as f64),
        texts(&|a| vec![a.ward]),
        categories(&|a| a.diagnosis.name.to_owned()),
        numbers(&|a| a.cost),
    ]
}

impl Person {
    fn full_name(&self) -> Vec<&'static str> {
        let [given, end] = self.first_name;
        let [family, middle, last] = self.last_name;
        vec![given, end, " ", family, middle, last]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    const ROWS: usize = 20_000;

    fn batch(seed: u64) -> Batch {
        hospital(ROWS, seed).into_batch().expect("rows")
    }

    fn texts(batch: &Batch, name: &str) -> Vec<String> {
        let column = batch.column_named(name).and_then(Column::as_categories);
        let column = column.expect("a category");
        (0..column.len())
            .map(|row| column.get(row).unwrap_or("").to_owned())
            .collect()
    }

    fn numbers<'a>(batch: &'a Batch, name: &str) -> &'a [f64] {
        let column = batch.column_named(name).and_then(Column::as_numbers);
        column.expect("numbers").values()
    }

    #[test]
    fn rows_depend_on_the_seed_and_not_on_the_batches() {
        let whole = batch(42);
        let source = hospital(ROWS, 42).in_batches_of(777);
        let schema = Arc::clone(source.schema());
        let parts = source.collect::<Result<Vec<_>>>().expect("rows");
        let joined = Batch::concat(&schema, parts).expect("joins");
        for name in ["patient", "sex", "zip", "education", "diagnosis"] {
            assert_eq!(texts(&whole, name), texts(&joined, name), "{name}");
        }
        assert_eq!(numbers(&whole, "cost"), numbers(&joined, "cost"));
        assert_ne!(numbers(&whole, "cost"), numbers(&batch(43), "cost"));
        assert_eq!(joined.rows().iter().last(), Some(ROWS as u64 - 1));
        assert!(hospital(0, 1).into_batch().expect("no rows").is_empty());
    }

    #[test]
    fn the_shape_is_as_documented() {
        let batch = batch(1);
        let distinct = |name| {
            texts(&batch, name)
                .into_iter()
                .collect::<HashSet<_>>()
                .len()
        };
        let per_person = ROWS as f64 / distinct("patient") as f64;
        assert!((1.27..1.33).contains(&per_person), "{per_person}");
        assert_eq!((distinct("zip"), distinct("diagnosis")), (60, 14));
        let missing = batch
            .column_named("education")
            .expect("there")
            .missing_count();
        let share = missing as f64 / ROWS as f64;
        assert!((0.015..0.025).contains(&share), "{share}");
        let ages = numbers(&batch, "age");
        assert!(
            ages.iter()
                .all(|a| (0.0..=98.0).contains(a) && a.fract() == 0.0)
        );
        let old = ages.iter().filter(|a| **a >= 60.0).count() as f64 / ROWS as f64;
        assert!((0.47..0.55).contains(&old), "{old}");
        let days = numbers(&batch, "admission");
        let year = |day: f64| &DateFormat::ISO.format(day as i32)[..4] == "2023";
        assert!(days.iter().any(|d| year(*d)) && days.iter().any(|d| !year(*d)));
        assert!(numbers(&batch, "cost").iter().all(|c| *c > 0.0));
    }

    #[test]
    fn a_person_who_returns_is_the_same_person() {
        let batch = batch(9);
        let (patients, sexes, zips) = (
            texts(&batch, "patient"),
            texts(&batch, "sex"),
            texts(&batch, "zip"),
        );
        let ages = numbers(&batch, "age");
        let mut known: HashMap<&str, (&str, &str, f64)> = HashMap::new();
        for row in 0..ROWS {
            let now = (sexes[row].as_str(), zips[row].as_str(), ages[row]);
            let then = known.entry(&patients[row]).or_insert(now);
            assert_eq!((then.0, then.1), (now.0, now.1));
            assert!((then.2 - now.2).abs() <= 2.0);
        }
    }

    #[test]
    fn only_women_give_birth_and_the_old_break_their_hips() {
        let batch = batch(5);
        let (sexes, diagnoses) = (texts(&batch, "sex"), texts(&batch, "diagnosis"));
        let ages = numbers(&batch, "age");
        let rows_with = |name: &'static str| {
            (0..ROWS)
                .filter(|&row| diagnoses[row] == name)
                .collect::<Vec<_>>()
        };
        assert!(rows_with("childbirth").iter().all(|&row| sexes[row] == "f"));
        let hips = rows_with("hip fracture");
        let old = hips.iter().filter(|&&row| ages[row] >= 65.0).count();
        assert!(
            hips.len() > 100 && old * 4 > hips.len() * 3,
            "{old} of {}",
            hips.len()
        );
    }
}
