//! The independent checker: reads a release as anyone could and says what it really keeps.
//!
//! It knows the promise, the columns of the release and what the policy
//! declares about sensitive values; it does not know the method that made the
//! release and shares no grouping or diversity code with it.
//!
//! How it counts:
//!
//! - A class is the set of rows whose quasi-identifiers have the same texts,
//!   byte for byte; missing equals only missing.
//! - With a subject, sizes count distinct persons in a class, and promises about sensitive values
//!   distinct (person, value) pairs in a class: a person with 40 rows counts
//!   once for each value. Without a subject every row is a person.
//! - For l and p, sensitive values that look alike (spaces, letter case, Unicode form,
//!   characters that show nothing) are one value, and a suppressed one, `*`, is missing.
//! - A missing sensitive value adds nothing to l and p, and is a value of its own for beta and
//!   delta; for t see the kinds of distance. The reference distribution of t, beta and delta is
//!   that of the whole release, in which a person with rows in several classes counts once for
//!   each value too.
//! - A class of the population is what the released texts of a class cover of it.
//! - A release without rows keeps every promise.
//!
//! It does not see whether the released values are true; [`Truth`](super::Truth) does.
//!
//! Cost: one pass; a lookup a row for the class, and a sorted key for each
//! sensitive column and for the person. Memory grows with the number of
//! classes, of (class, value) pairs and, with a subject and where it matters how
//! many persons have a value, of (class, person, value) triples.

use super::claims::{Count, Declared, Tally, column_claim};
use super::classes::{Classes, Texts};
use super::findings::{ClaimFinding, Fault, Findings, Rule, Unit};
use super::population::Fit;
use super::sorted::Sorted;
use super::{ColumnPromise, Diversity, Guarantee, Sensitivity, sizes};
use crate::data::{Batch, Categories, MISSING, Role, Schema};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Checks one release, batch by batch.
pub struct Checker {
    guarantee: Guarantee,
    declared: Declared,
    quasi: Vec<Tracked>,
    sensitive: Vec<Sensitive>,
    subject: Option<Tracked>,
    unit: Option<Unit>,
    classes: Classes,
    class_rows: Vec<u32>,
    persons: Sorted<u64>,
    rows: u64,
    faults: Vec<Fault>,
    class_of_row: Vec<u32>,
}

/// A column of the release, its texts and the codes of the current batch.
struct Tracked {
    name: String,
    /// Values that look alike are one.
    looks: bool,
    texts: Texts,
    codes: Vec<u32>,
}

/// A sensitive column and how often each value occurs in each class, for promises of
/// diversity (l and p), which count what a reader sees, or for those of closeness.
struct Sensitive {
    column: Tracked,
    /// Whether it matters how many persons have a value, not only which values there are.
    weighs: bool,
    /// (class, value) of each row.
    of_rows: Sorted<u64>,
    /// (class, person, value) of each row.
    of_persons: Sorted<u128>,
}

/// Checks a release that is one batch.
pub fn plain_check(
    release: &Batch,
    guarantee: &Guarantee,
    declared: Declared,
    subjects: Option<&[u32]>,
) -> Result<Findings> {
    let mut checker = Checker::new(guarantee, release.schema(), declared)?;
    checker.observe(release, subjects)?;
    checker.finish()
}

impl Checker {
    /// A checker of releases with this schema, in which quasi-identifiers, the
    /// columns named in the guarantee and the subject are categories.
    ///
    /// # Errors
    /// When the guarantee names a column that the release does not have.
    pub fn new(guarantee: &Guarantee, schema: &Schema, declared: Declared) -> Result<Self> {
        let named = |role| {
            let places = schema.with_role(role).into_iter();
            places.map(|place| schema.fields()[place].name.to_string())
        };
        let quasi: Vec<Tracked> = named(Role::Quasi).map(Tracked::new).collect();
        let faults = named(Role::Identifier)
            .filter(|name| !declared.pseudonyms.contains(name))
            .map(|name| Fault {
                column: Some(name),
                rule: Rule::IdentifierReleased,
                count: 1,
            })
            .collect();
        let mut sensitive: Vec<Sensitive> = Vec::new();
        for promise in guarantee.of_columns() {
            let (name, diverse) = (promise.column(), promise.is_diversity());
            if schema.index_of(name).is_none() {
                return Err(Error::policy(format!(
                    "the guarantee names column `{name}`, which is not in the release"
                )));
            }
            let known = |s: &Sensitive| s.column.name == name && s.column.looks == diverse;
            if !sensitive.iter().any(known) {
                sensitive.push(Sensitive::new(name, diverse, guarantee));
            }
        }
        Ok(Checker {
            guarantee: guarantee.clone(),
            classes: Classes::new(quasi.len()),
            quasi,
            sensitive,
            subject: named(Role::Subject).next().map(Tracked::new),
            unit: None,
            declared,
            class_rows: Vec::new(),
            persons: Sorted::new(),
            rows: 0,
            faults,
            class_of_row: Vec::new(),
        })
    }

    /// Takes rows of the release. `subjects` gives the person of each row when
    /// the release itself does not, [`MISSING`] for none; it is given for all
    /// batches or for none, and goes before the subject column.
    pub fn observe(&mut self, release: &Batch, subjects: Option<&[u32]>) -> Result<()> {
        self.rows += release.len() as u64;
        if self.rows > u64::from(u32::MAX) {
            return Err(Error::input(format!(
                "the release has more than {} rows, which is as far as the checker counts",
                u32::MAX
            ))
            .help("release it in parts"));
        }
        let sensitive = self.sensitive.par_iter_mut().map(|s| &mut s.column);
        let tracked = self.quasi.par_iter_mut().chain(sensitive);
        tracked.try_for_each(|column| column.read(release))?;
        let mut codes = Vec::with_capacity(self.quasi.len());
        codes.extend(self.quasi.iter_mut().map(|c| std::mem::take(&mut c.codes)));
        self.classes
            .assign(&codes, release.len(), &mut self.class_of_row);
        for (column, codes) in self.quasi.iter_mut().zip(codes) {
            column.codes = codes;
        }
        self.class_rows.resize(self.classes.len(), 0);
        match self.unit_of(release, subjects)? {
            Unit::Rows => self.count_rows(),
            Unit::Persons => match (subjects, &mut self.subject) {
                (Some(subjects), _) => self.count_persons(subjects),
                (None, Some(subject)) => {
                    subject.read(release)?;
                    let codes = std::mem::take(&mut subject.codes);
                    self.count_persons(&codes);
                }
                (None, None) => return Err(mixed_units()),
            },
        }
        Ok(())
    }

    fn unit_of(&mut self, release: &Batch, subjects: Option<&[u32]>) -> Result<Unit> {
        if subjects.is_some_and(|subjects| subjects.len() != release.len()) {
            return Err(Error::bug("one person a row was expected"));
        }
        let unit = if subjects.is_some() || self.subject.is_some() {
            Unit::Persons
        } else {
            Unit::Rows
        };
        if *self.unit.get_or_insert(unit) != unit {
            return Err(mixed_units());
        }
        Ok(unit)
    }

    fn count_rows(&mut self) {
        for &class in &self.class_of_row {
            self.class_rows[class as usize] += 1;
        }
        let classes = &self.class_of_row;
        self.sensitive.par_iter_mut().for_each(|sensitive| {
            for (&class, &value) in classes.iter().zip(&sensitive.column.codes) {
                sensitive.of_rows.add(join(class, value));
            }
        });
    }

    fn count_persons(&mut self, subjects: &[u32]) {
        let (classes, persons) = (&self.class_of_row, &mut self.persons);
        let count_persons = || {
            let mut without = 0;
            for (&class, &person) in classes.iter().zip(subjects) {
                match person {
                    MISSING => without += 1,
                    person => persons.add(join(class, person)),
                }
            }
            without
        };
        let count_values = |sensitive: &mut Sensitive| {
            let rows = classes.iter().zip(subjects);
            for ((&class, &person), &value) in rows.zip(&sensitive.column.codes) {
                if person == MISSING {
                    continue;
                }
                if sensitive.weighs {
                    let group = u128::from(join(class, person));
                    sensitive.of_persons.add(group << 32 | u128::from(value));
                } else {
                    sensitive.of_rows.add(join(class, value));
                }
            }
        };
        let sensitive = self.sensitive.par_iter_mut();
        let (without, ()) = rayon::join(count_persons, || sensitive.for_each(count_values));
        if without > 0 {
            self.count_missing_subjects(without);
        }
    }

    fn count_missing_subjects(&mut self, rows: u64) {
        let mut known = self.faults.iter_mut();
        match known.find(|f| f.rule == Rule::SubjectMissing) {
            Some(fault) => fault.count += rows,
            None => self.faults.push(Fault {
                column: self.subject.as_ref().map(|s| s.name.clone()),
                rule: Rule::SubjectMissing,
                count: rows,
            }),
        }
    }

    /// What the release really keeps.
    ///
    /// # Errors
    /// When closeness needs an order or a tree that the policy does not declare.
    pub fn finish(self) -> Result<Findings> {
        let unit = self.unit.unwrap_or(match self.subject {
            Some(_) => Unit::Persons,
            None => Unit::Rows,
        });
        let fit = self.fit()?;
        // The table of tuples is no longer needed and may be large.
        drop((self.classes, self.quasi));
        let (sizes, persons) = match unit {
            Unit::Rows => (self.class_rows, self.rows),
            Unit::Persons => count_distinct_persons(self.persons, self.class_rows),
        };
        let mut class_sizes = BTreeMap::new();
        for &size in &sizes {
            *class_sizes.entry(u64::from(size)).or_insert(0) += 1;
        }
        let (guarantee, declared) = (self.guarantee, self.declared);
        let mut claims = sizes::claims(&guarantee, &sizes);
        claims.extend(fit.iter().flat_map(|fit| fit.claims(&guarantee, &sizes)));
        let mut columns: Vec<String> = Vec::new();
        let mut promised: Vec<((usize, usize), ClaimFinding)> = Vec::new();
        for sensitive in self.sensitive {
            let diverse = sensitive.column.looks;
            let (column, counts, totals) = sensitive.into_counts(unit);
            let name = column.name.clone();
            let tally = Tally::new(column.name, counts, totals, &column.texts, sizes.len());
            let known = columns.iter().position(|column| tally.is_of(column));
            let place = known.unwrap_or(columns.len());
            columns.extend(known.is_none().then_some(name));
            for (order, promise) in guarantee.of_columns().enumerate() {
                if tally.is_of(promise.column()) && promise.is_diversity() == diverse {
                    let claim = column_claim(promise, &tally, &declared)?;
                    promised.push(((place, order), claim));
                }
            }
        }
        // Column by column, model by model.
        promised.sort_by_key(|(place, _)| *place);
        claims.extend(promised.into_iter().map(|(_, claim)| claim));
        Ok(Findings {
            rows: self.rows,
            persons,
            unit,
            classes: sizes.len() as u64,
            smallest_class: sizes.iter().min().map(|&size| u64::from(size)),
            class_sizes,
            claims,
            faults: self.faults,
        })
    }

    /// How the population that the promise is about falls into the classes.
    fn fit(&self) -> Result<Option<Fit>> {
        if self.guarantee.population().is_none() {
            return Ok(None);
        }
        let population =
            self.declared.population.as_ref().ok_or_else(|| {
                Error::policy("the promise is about a population that was not given")
            })?;
        let columns = self.quasi.iter();
        let columns: Vec<(&str, &Texts)> = columns.map(|c| (&*c.name, &c.texts)).collect();
        Fit::new(population, &columns, &self.classes).map(Some)
    }
}

impl Tracked {
    fn new(name: String) -> Self {
        Tracked {
            name,
            looks: false,
            texts: Texts::default(),
            codes: Vec::new(),
        }
    }

    fn read(&mut self, release: &Batch) -> Result<()> {
        let column: &Categories = release
            .column_named(&self.name)
            .and_then(|column| column.as_categories())
            .ok_or_else(|| {
                Error::bug(format!(
                    "column `{}` of the release was not read as categories",
                    self.name
                ))
            })?;
        match self.looks {
            true => self.texts.translate_looks(column, &mut self.codes),
            false => self.texts.translate(column, &mut self.codes),
        }
        Ok(())
    }
}

impl Sensitive {
    fn new(name: &str, diverse: bool, guarantee: &Guarantee) -> Self {
        let weighs = |promise: ColumnPromise<'_>| match promise {
            ColumnPromise::L(l) => l.kind != Diversity::Distinct,
            ColumnPromise::P(p) => p.kind != Sensitivity::Distinct,
            _ => false,
        };
        let mut promises = guarantee.of_columns().filter(|p| p.column() == name);
        Sensitive {
            column: Tracked {
                looks: diverse,
                ..Tracked::new(name.to_owned())
            },
            weighs: !diverse || promises.any(weighs),
            of_rows: Sorted::new(),
            of_persons: Sorted::new(),
        }
    }

    /// How often each value is in each class, and in all, missing values last: in persons
    /// where that matters, else in rows.
    fn into_counts(self, unit: Unit) -> (Tracked, Vec<Count>, Vec<u64>) {
        let values = self.column.texts.levels().len();
        let mut totals = vec![0; values + 1];
        let mut add = |value: u32, count: u32| {
            totals[(value as usize).min(values)] += u64::from(count);
        };
        let counts: Vec<Count> = if !self.weighs || unit == Unit::Rows {
            let (keys, counts) = self.of_rows.into_sorted();
            let keys = keys.into_iter().map(split).zip(counts);
            keys.map(|((class, value), count)| {
                add(value, count);
                Count {
                    class,
                    value,
                    count,
                }
            })
            .collect()
        } else {
            let triples = self.of_persons.into_sorted().0;
            for pair in distinct_pairs(&triples) {
                add(split(pair).1, 1);
            }
            count_pairs_of_persons(triples)
        };
        (self.column, counts, totals)
    }
}

/// The distinct (person, value) pairs of (class, person, value) triples.
fn distinct_pairs(triples: &[u128]) -> Vec<u64> {
    let mut pairs: Vec<u64> = triples.iter().map(|&triple| triple as u64).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The persons of each class, and of all.
fn count_distinct_persons(pairs: Sorted<u64>, mut sizes: Vec<u32>) -> (Vec<u32>, u64) {
    let (pairs, _) = pairs.into_sorted();
    let mut persons = Vec::with_capacity(pairs.len());
    for (class, person) in pairs.into_iter().map(split) {
        sizes[class as usize] += 1;
        persons.push(person);
    }
    persons.par_sort_unstable();
    persons.dedup();
    (sizes, persons.len() as u64)
}

/// From distinct (class, person, value) triples in order: a value counts once for each person.
fn count_pairs_of_persons(triples: Vec<u128>) -> Vec<Count> {
    let mut counts: Vec<Count> = Vec::new();
    let mut values: Vec<u32> = Vec::new();
    for triples in triples.chunk_by(|a, b| a >> 64 == b >> 64) {
        let class = (triples[0] >> 64) as u32;
        values.clear();
        values.extend(triples.iter().map(|&triple| triple as u32));
        values.sort_unstable();
        counts.extend(values.chunk_by(|a, b| a == b).map(|equal| Count {
            class,
            value: equal[0],
            count: equal.len() as u32,
        }));
    }
    counts
}

/// A key that sorts by `first`, then by `second`.
fn join(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

fn split(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

fn mixed_units() -> Error {
    Error::bug("persons were given for some batches of a release and not for others")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Field, Kind, RowIds};
    use crate::guarantee::{
        Absence, BetaLikeness, DeltaDisclosure, Diversity, Ground, LDiversity, Likeness,
        PSensitivity, Sensitivity, TCloseness,
    };
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Quasi-identifiers a and b, sensitive value s, person.
    type Row = (
        Option<&'static str>,
        Option<&'static str>,
        Option<&'static str>,
        u32,
    );

    fn release(rows: &[Row]) -> Batch {
        let category = Kind::Category { ordered: false };
        let fields = vec![
            Field::new("a", Role::Quasi, category.clone()),
            Field::new("s", Role::Sensitive, category.clone()),
            Field::new("b", Role::Quasi, category),
        ];
        let columns = vec![
            Column::Category(rows.iter().map(|r| r.0).collect()),
            Column::Category(rows.iter().map(|r| r.2).collect()),
            Column::Category(rows.iter().map(|r| r.1).collect()),
        ];
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        let schema = Arc::new(Schema::new(fields).expect("names differ"));
        Batch::new(schema, ids, columns).expect("fits")
    }

    fn everything() -> Guarantee {
        let l = |kind, l| LDiversity {
            column: "s".into(),
            l,
            kind,
        };
        let t = |distance| TCloseness {
            column: "s".into(),
            t: 0.4,
            distance,
        };
        let beta = |kind| BetaLikeness {
            column: "s".into(),
            beta: 0.6,
            kind,
        };
        let delta = |absent| DeltaDisclosure {
            column: "s".into(),
            delta: 0.7,
            absent,
        };
        Guarantee {
            k: Some(3),
            maximum_risk: Some(0.4),
            average_risk: Some(0.2),
            beta: vec![beta(Likeness::Basic), beta(Likeness::Enhanced)],
            delta: vec![delta(Absence::Infinite), delta(Absence::Ignore)],
            l: vec![
                l(Diversity::Distinct, 2.0),
                l(Diversity::Entropy, 1.5),
                l(Diversity::Recursive { c: 1.5 }, 2.0),
            ],
            t: vec![t(Ground::Equal), t(Ground::Ordered)],
            p: [Sensitivity::Distinct, Sensitivity::Each]
                .map(|kind| PSensitivity {
                    column: "s".into(),
                    p: 2,
                    kind,
                })
                .to_vec(),
            ..Guarantee::default()
        }
    }

    /// The counts of a class, the slow way: compare texts, list pairs, look for doubles.
    fn slow_counts(class: &[Row], persons: bool) -> (usize, Vec<(Option<&'static str>, u32)>) {
        let mut people: Vec<u32> = Vec::new();
        let mut pairs: Vec<(u32, Option<&str>)> = Vec::new();
        for (number, row) in class.iter().enumerate() {
            let person = if persons { row.3 } else { number as u32 };
            if !people.contains(&person) {
                people.push(person);
            }
            if !pairs.contains(&(person, row.2)) {
                pairs.push((person, row.2));
            }
        }
        let mut counts: Vec<(Option<&str>, u32)> = Vec::new();
        for (_, value) in pairs {
            match counts.iter_mut().find(|(v, _)| *v == value) {
                Some((_, n)) => *n += 1,
                None => counts.push((value, 1)),
            }
        }
        (people.len(), counts)
    }

    /// Of each claim, in the order in which they are found, whether the largest figure is the worst.
    const HIGH: [bool; 14] = {
        let (low, high) = (false, true);
        [
            low, high, high, low, low, high, high, high, low, low, high, high, high, high,
        ]
    };

    /// The worst figure of each claim and its failing classes.
    fn slow(rows: &[Row], persons: bool) -> (Vec<usize>, Vec<(f64, u64)>) {
        let mut classes: Vec<Vec<Row>> = Vec::new();
        for row in rows {
            match classes
                .iter_mut()
                .find(|c| (c[0].0, c[0].1) == (row.0, row.1))
            {
                Some(class) => class.push(*row),
                None => classes.push(vec![*row]),
            }
        }
        let counted: Vec<_> = classes.iter().map(|c| slow_counts(c, persons)).collect();
        let share = |counts: &[(Option<&str>, u32)], value: Option<&str>, missing: bool| -> f64 {
            let all = counts.iter().filter(|(v, _)| missing || v.is_some());
            let total: u32 = all.map(|(_, n)| n).sum();
            let here = counts.iter().filter(|(v, _)| *v == value);
            f64::from(here.map(|(_, n)| n).sum::<u32>()) / f64::from(total)
        };
        let (_, whole) = slow_counts(rows, persons);
        let mut values: Vec<Option<&str>> = whole.iter().map(|(v, _)| *v).collect();
        values.sort_unstable();
        values.dedup();
        // Risks are largest where sizes are smallest; the average is one figure of the table.
        let mut worst: Vec<(f64, u64)> = (HIGH.iter())
            .map(|high| (if *high { 0.0 } else { f64::INFINITY }, 0))
            .collect();
        let persons: usize = counted.iter().map(|(size, _)| size).sum();
        let average = counted.len() as f64 / persons as f64;
        for (size, counts) in &counted {
            let mut present: Vec<u32> = counts.iter().filter_map(|(v, n)| v.map(|_| *n)).collect();
            present.sort_unstable();
            present.reverse();
            let distinct = present.len() as f64;
            let entropy: f64 = present
                .iter()
                .map(|&n| f64::from(n) / f64::from(present.iter().sum::<u32>()))
                .map(|p| -p * p.ln())
                .sum();
            let exp = if present.is_empty() {
                0.0
            } else {
                entropy.exp()
            };
            let tail: u32 = present.iter().skip(1).sum();
            let ratio = if tail == 0 {
                f64::INFINITY
            } else {
                f64::from(present[0]) / f64::from(tail)
            };
            let equal: f64 = values
                .iter()
                .map(|&v| (share(counts, v, true) - share(&whole, v, true)).abs() / 2.0)
                .sum();
            let ordered_values: Vec<_> = values.iter().filter(|v| v.is_some()).collect();
            let mut moved = 0.0;
            let mut ordered = 0.0;
            for &&value in &ordered_values {
                moved += share(counts, value, false) - share(&whole, value, false);
                ordered += f64::abs(moved);
            }
            ordered /= (ordered_values.len() as f64 - 1.0).max(1.0);
            if present.is_empty() {
                ordered = 1.0;
            }
            let rarest = present.last().map_or(f64::INFINITY, |&n| f64::from(n));
            let (mut gain, mut like) = (0.0, true);
            let (mut strict, mut of_present) = (0.0, 0.0);
            for &value in &values {
                let (q, p) = (share(counts, value, true), share(&whole, value, true));
                gain = f64::max(gain, (q - p) / p);
                like &= (q - p) / p <= f64::min(0.6, -p.ln()) + 1e-9 || q == 0.0;
                let doublings = (q / p).log2().abs();
                strict = f64::max(strict, doublings);
                if q > 0.0 {
                    of_present = f64::max(of_present, doublings);
                }
            }
            let figures = [
                *size as f64,
                1.0 / *size as f64,
                average,
                distinct,
                exp,
                ratio,
                equal,
                ordered,
                distinct,
                rarest,
                gain,
                gain,
                strict,
                of_present,
            ];
            let holds = [
                *size >= 3,
                1.0 / *size as f64 <= 0.4,
                average <= 0.2 + 1e-9,
                distinct >= 2.0,
                exp >= 1.5 - 1e-9,
                ratio < 1.5,
                equal <= 0.4 + 1e-9,
                ordered <= 0.4 + 1e-9,
                distinct >= 2.0,
                rarest >= 2.0,
                gain <= 0.6 + 1e-9,
                like,
                strict < 0.7,
                of_present < 0.7,
            ];
            for (i, slot) in worst.iter_mut().enumerate() {
                slot.0 = if HIGH[i] {
                    f64::max(slot.0, figures[i])
                } else {
                    f64::min(slot.0, figures[i])
                };
                slot.1 += u64::from(!holds[i]);
            }
        }
        (counted.iter().map(|(size, _)| *size).collect(), worst)
    }

    fn compare(rows: &[Row], persons: bool, cut: usize) {
        let subjects: Vec<u32> = rows.iter().map(|r| r.3).collect();
        let parts = [&rows[..cut], &rows[cut..]];
        let given = [&subjects[..cut], &subjects[cut..]];
        let schema = Arc::clone(release(rows).schema());
        let mut checker =
            Checker::new(&everything(), &schema, Declared::default()).expect("columns exist");
        for (part, subjects) in parts.iter().zip(given) {
            checker
                .observe(&release(part), persons.then_some(subjects))
                .expect("fits");
        }
        let found = checker.finish().expect("numbers are ordered");
        let (sizes, worst) = slow(rows, persons);
        assert_eq!(found.classes, sizes.len() as u64);
        assert_eq!(found.smallest_class, sizes.iter().min().map(|&s| s as u64));
        let counted: u64 = found.class_sizes.iter().map(|(s, n)| s * n).sum();
        assert_eq!(counted, sizes.iter().sum::<usize>() as u64);
        let names: Vec<&str> = found.claims.iter().map(|c| c.name.as_str()).collect();
        for ((claim, (figure, failing)), name) in found.claims.iter().zip(&worst).zip(names) {
            // Where no class has a value, none is rare.
            let value = claim.found.unwrap_or(f64::INFINITY);
            assert!(
                value == *figure || (value - figure).abs() < 1e-9,
                "{name}: {value} {figure}"
            );
            assert_eq!(claim.failing_classes, *failing, "{name}");
            assert_eq!(claim.holds, *failing == 0, "{name}");
        }
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let text = proptest::sample::select(vec![None, Some(""), Some("x"), Some("x ")]);
        let other = proptest::sample::select(vec![None, Some("y"), Some("*")]);
        let value = proptest::sample::select(vec![None, Some("1"), Some("2"), Some("3")]);
        proptest::collection::vec((text, other, value, 0u32..6), 1..40)
    }

    proptest! {
        #[test]
        fn it_finds_what_the_slow_way_finds(rows in rows(), persons: bool, cut in 0usize..40) {
            compare(&rows, persons, cut.min(rows.len()));
        }
    }

    #[test]
    fn a_release_without_rows_keeps_every_promise() {
        let found = plain_check(&release(&[]), &everything(), Declared::default(), None)
            .expect("columns exist");
        assert!(found.passed());
        assert_eq!(found.claims[0].found_text, "no rows");
    }

    #[test]
    fn closeness_without_an_order_or_a_tree_is_an_error_of_the_policy() {
        let rows: Vec<Row> = vec![(None, None, Some("low"), 0), (None, None, Some("high"), 1)];
        for (distance, message) in [
            (Ground::Ordered, "needs an order"),
            (Ground::Hierarchical, "needs a hierarchy"),
        ] {
            let guarantee = Guarantee {
                t: vec![TCloseness {
                    column: "s".into(),
                    t: 0.5,
                    distance,
                }],
                ..Guarantee::default()
            };
            let error = plain_check(&release(&rows), &guarantee, Declared::default(), None)
                .expect_err("not declared");
            assert!(error.to_string().contains(message), "{error}");
            assert_eq!(error.exit_code(), 3);
        }
    }

    #[test]
    fn a_row_without_a_person_is_a_fault_and_adds_to_no_class() {
        let rows: Vec<Row> = vec![(None, None, None, 0); 3];
        let found = plain_check(
            &release(&rows),
            &Guarantee::default(),
            Declared::default(),
            Some(&[7, MISSING, 8]),
        )
        .expect("fits");
        assert_eq!(found.smallest_class, Some(2));
        assert_eq!(found.persons, 2);
        assert_eq!(found.faults[0].rule, Rule::SubjectMissing);
        assert!(!found.passed());
    }
}
