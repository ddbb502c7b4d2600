//! Whether a set of rows may become a class: the guarantee as a operator sees it.
//!
//! A [`Profile`] grows row by row and can be asked at any time, so a method
//! that moves a boundary through sorted rows pays for each row once. The
//! checker of a release is `guarantee::check`, which shares nothing with this.

mod dense;
mod tally;

use crate::data::{Batch, Column, Domains, Role};
use crate::error::{Error, Result};
use crate::guarantee::{Diversity, Ground, Guarantee, TCloseness};
use dense::{Dense, dense};
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use tally::{Ask, Tally, Whole};

/// What every class must have.
pub(crate) struct Limits {
    /// The least number of persons (rows, without a subject column).
    pub(crate) k: usize,
    subjects: Option<Vec<u32>>,
    sensitive: Vec<Sensitive>,
}

/// What is asked of one sensitive column.
struct Sensitive {
    name: String,
    values: Vec<u32>,
    value_count: usize,
    /// Whether each value is the same number as the one before, written differently.
    repeats: Vec<bool>,
    asks: Vec<Ask>,
    /// What each ask is called in a policy, with its figure.
    labels: Vec<String>,
    whole: Whole,
}

impl Limits {
    /// Reads the subject and sensitive columns of `batch` that the guarantee speaks of.
    pub(crate) fn new(guarantee: &Guarantee, batch: &Batch, domains: &Domains) -> Result<Self> {
        let subject = batch.schema().with_role(Role::Subject).first().copied();
        let subjects = subject.map(|i| persons(batch.column(i))).transpose()?;
        let mut names: Vec<&str> = Vec::new();
        names.extend(guarantee.l.iter().map(|l| l.column.as_str()));
        names.extend(guarantee.t.iter().map(|t| t.column.as_str()));
        names.extend(guarantee.p.iter().map(|p| p.column.as_str()));
        names.sort_unstable();
        names.dedup();
        let mut sensitive = Vec::new();
        for name in names {
            let subjects = subjects.as_deref();
            match as_it_looks(batch, name)? {
                None => sensitive.push(Sensitive::new(name, guarantee, batch, subjects, domains)?),
                Some(seen) => {
                    let (diverse, close) = parted(guarantee);
                    sensitive.push(Sensitive::new(name, &diverse, &seen, subjects, domains)?);
                    if close.t.iter().any(|t| t.column == name) {
                        sensitive.push(Sensitive::new(name, &close, batch, subjects, domains)?);
                    }
                }
            }
        }
        Ok(Limits {
            k: guarantee.k.unwrap_or(1).max(1) as usize,
            subjects,
            sensitive,
        })
    }

    /// At least `k` rows, nothing else.
    pub(crate) fn rows(k: usize) -> Self {
        Limits {
            k: k.max(1),
            subjects: None,
            sensitive: Vec::new(),
        }
    }

    /// Measures closeness against these rows instead of the whole table. False
    /// when no closeness is asked for, so that it makes no difference.
    pub(crate) fn refer_to(&mut self, rows: &[u32]) -> bool {
        let subjects = self.subjects.as_deref();
        let mut any = false;
        for column in &mut self.sensitive {
            if column.asks.iter().any(Ask::is_closeness) {
                column.weigh(rows, subjects);
                any = true;
            }
        }
        any
    }

    /// Only rows are counted, so sizes decide.
    pub(crate) fn only_rows(&self) -> bool {
        self.subjects.is_none() && self.sensitive.is_empty()
    }

    /// Whether two sets that hold always hold together. Without persons they do,
    /// since diversity is concave and closeness convex; a person in both counts
    /// once in the union, which shifts its distribution.
    pub(crate) fn unite(&self) -> bool {
        let counts = |ask: &Ask| matches!(ask, Ask::Distinct(_));
        self.subjects.is_none() || self.sensitive.iter().all(|s| s.asks.iter().all(counts))
    }

    /// Whether rows that hold also hold with more rows.
    fn grow(&self) -> bool {
        let counts = |ask: &Ask| matches!(ask, Ask::Distinct(_));
        self.sensitive.iter().all(|s| s.asks.iter().all(counts))
    }

    /// An empty profile for these limits.
    pub(crate) fn profile(&self) -> Profile {
        Profile {
            rows: 0,
            persons: HashSet::default(),
            tallies: self
                .sensitive
                .iter()
                .map(|column| Tally::new(column.value_count, &column.asks))
                .collect(),
        }
    }

    /// Whether these rows may be a class.
    pub(crate) fn hold(&self, rows: &[u32]) -> bool {
        if rows.len() < self.k {
            return false;
        }
        if self.only_rows() {
            return true;
        }
        self.hold_each(rows.iter().copied())
    }

    /// Whether the rows that come may be a class; stops when they are enough.
    pub(crate) fn hold_each(&self, rows: impl Iterator<Item = u32>) -> bool {
        if self.grow() {
            return self.enough(rows).is_some();
        }
        let mut profile = self.profile();
        rows.for_each(|row| profile.add(self, row));
        profile.holds(self)
    }

    /// How many of the rows that come may be a class, if more of them may be one too.
    fn enough(&self, rows: impl Iterator<Item = u32>) -> Option<usize> {
        let mut profile = self.profile();
        for (before, row) in rows.enumerate() {
            profile.add(self, row);
            if profile.holds(self) {
                return Some(before + 1);
            }
        }
        None
    }

    /// What keeps these rows from being a class.
    pub(crate) fn obstacle(&self, rows: &[u32]) -> Option<String> {
        let mut profile = self.profile();
        rows.iter().for_each(|&row| profile.add(self, row));
        if profile.persons(self) < self.k {
            return Some(format!("k={}", self.k));
        }
        let columns = self.sensitive.iter().zip(&profile.tallies);
        columns.into_iter().find_map(|(column, tally)| {
            let mut asks = column.asks.iter().zip(&column.labels);
            let (_, label) = asks.find(|(ask, _)| !tally.holds(ask, &column.whole))?;
            Some(format!("{label} of `{}`", column.name))
        })
    }

    /// For each of the ascending `positions`, whether both the rows before it
    /// and the rows from it on may be classes.
    pub(crate) fn allow(&self, rows: &[u32], positions: &[usize]) -> Vec<bool> {
        if self.only_rows() {
            let fits = |&p: &usize| p >= self.k && rows.len() - p >= self.k;
            return positions.iter().map(fits).collect();
        }
        if self.grow() {
            let first = self.enough(rows.iter().copied());
            let last = self.enough(rows.iter().rev().copied());
            let (Some(first), Some(last)) = (first, last) else {
                return vec![false; positions.len()];
            };
            let fits = |&p: &usize| p >= first && rows.len() - p >= last;
            return positions.iter().map(fits).collect();
        }
        let mut flags = vec![false; positions.len()];
        let mut profile = self.profile();
        let mut done = 0;
        for (flag, &position) in flags.iter_mut().zip(positions) {
            rows[done..position]
                .iter()
                .for_each(|&row| profile.add(self, row));
            done = position;
            *flag = profile.holds(self);
        }
        profile = self.profile();
        let mut done = rows.len();
        for (flag, &position) in flags.iter_mut().zip(positions).rev() {
            rows[position..done]
                .iter()
                .for_each(|&row| profile.add(self, row));
            done = position;
            *flag = *flag && profile.holds(self);
        }
        flags
    }

    /// Why the whole table cannot be one class, if it cannot: then nothing can be released.
    pub(crate) fn refusal(&self, n_rows: usize) -> Option<Error> {
        let mut profile = self.profile();
        (0..n_rows as u32).for_each(|row| profile.add(self, row));
        let persons = profile.persons(self);
        if persons < self.k {
            let unit = if self.subjects.is_some() && n_rows > 0 {
                "persons"
            } else {
                "rows"
            };
            return Some(
                Error::guarantee(format!(
                    "{persons} {unit}; k={} needs at least {} persons",
                    self.k, self.k
                ))
                .help("lower k, or bring more data"),
            );
        }
        self.sensitive.iter().zip(&profile.tallies).find_map(|(column, tally)| {
            let ask = column.asks.iter().find(|ask| !tally.holds(ask, &column.whole))?;
            let name = &column.name;
            Some(match ask {
                Ask::Distinct(l) => Error::guarantee(format!(
                    "`{name}` has {} values, l={l} impossible",
                    tally.distinct
                ))
                .help("lower l (or p), or leave the column out of the guarantee"),
                Ask::Entropy(l) => Error::guarantee(format!(
                    "the entropy of `{name}` in the whole table is below ln {l}, so no class can reach it"
                ))
                .help("lower l, or use kind = \"distinct\""),
                Ask::Recursive { c, l } => Error::guarantee(format!(
                    "the whole table is not recursive ({c}, {l})-diverse in `{name}`, so no partition can be"
                ))
                .help("raise c or lower l"),
                // A table is at distance 0 of itself unless it holds nothing to compare.
                Ask::Equal(_) | Ask::Ordered(_) | Ask::Hierarchical(..) => Error::guarantee(
                    format!("`{name}` has no values, so no class can be close to the whole"),
                )
                .help("leave the column out of the guarantee, or use distance = \"equal\""),
            })
        })
    }
}

impl Sensitive {
    fn new(
        name: &str,
        guarantee: &Guarantee,
        batch: &Batch,
        subjects: Option<&[u32]>,
        domains: &Domains,
    ) -> Result<Self> {
        let index = batch.schema().index_of(name).ok_or_else(|| {
            Error::policy(format!(
                "the guarantee speaks of a column `{name}` that is not in the data"
            ))
        })?;
        let hierarchical = |t: &TCloseness| t.column == name && t.distance == Ground::Hierarchical;
        let Dense {
            codes: values,
            values: value_count,
            texts,
            repeats,
            in_order,
        } = dense(batch, index, domains, guarantee.t.iter().any(hierarchical))?;
        let (mut asks, mut labels) = (Vec::new(), Vec::new());
        for l in guarantee.l.iter().filter(|l| l.column == name) {
            labels.push(format!("l={}", l.l));
            asks.push(match l.kind {
                Diversity::Distinct => Ask::Distinct(l.l.ceil() as usize),
                Diversity::Entropy => Ask::Entropy(l.l),
                Diversity::Recursive { c } => Ask::Recursive {
                    c,
                    l: l.l.ceil() as usize,
                },
            });
        }
        for p in guarantee.p.iter().filter(|p| p.column == name) {
            labels.push(format!("p={}", p.p));
            asks.push(Ask::Distinct(p.p as usize));
        }
        for t in guarantee.t.iter().filter(|t| t.column == name) {
            labels.push(format!("t={}", t.t));
            asks.push(match t.distance {
                Ground::Equal => Ask::Equal(t.t),
                Ground::Ordered if !in_order => {
                    return Err(Error::policy(format!(
                        "ordered t-closeness needs an order of `{name}`, and its values are not numbers"
                    ))
                    .help("declare `order`, or use distance = \"equal\" or \"hierarchical\""));
                }
                Ground::Ordered => Ask::Ordered(t.t),
                Ground::Hierarchical => {
                    let tree = domains
                        .get(name)
                        .and_then(|domain| domain.hierarchy.clone())
                        .ok_or_else(|| {
                            Error::policy(format!(
                                "hierarchical t-closeness needs a hierarchy of `{name}`"
                            ))
                        })?;
                    let leaves = texts
                        .iter()
                        .map(|text| tree.leaf(text))
                        .collect::<Option<Vec<u32>>>()
                        .ok_or_else(|| {
                            Error::policy(format!(
                                "the hierarchy of `{name}` misses values of the data"
                            ))
                        })?;
                    Ask::Hierarchical(t.t, tree, leaves)
                }
            });
        }
        let mut column = Sensitive {
            name: name.to_owned(),
            values,
            value_count,
            repeats,
            asks,
            labels,
            whole: Whole::default(),
        };
        if column.asks.iter().any(Ask::is_closeness) {
            let rows: Vec<u32> = (0..batch.len() as u32).collect();
            column.weigh(&rows, subjects);
        }
        Ok(column)
    }

    /// The distribution of the rows that classes are compared with, with and
    /// without missing values.
    fn weigh(&mut self, rows: &[u32], subjects: Option<&[u32]>) {
        let mut tally = Tally::new(self.value_count, &self.asks);
        for &row in rows {
            let row = row as usize;
            tally.add(self.values[row], subjects.map(|s| s[row]));
        }
        self.whole = tally.whole(&self.repeats);
    }
}

/// What a growing set of rows holds.
pub(crate) struct Profile {
    rows: usize,
    persons: HashSet<u32, FixedState>,
    tallies: Vec<Tally>,
}

impl Profile {
    /// Adds a row.
    pub(crate) fn add(&mut self, limits: &Limits, row: u32) {
        self.rows += 1;
        let subject = limits.subjects.as_ref().map(|s| s[row as usize]);
        if self.persons.len() < limits.k {
            self.persons.extend(subject);
        }
        for (tally, column) in self.tallies.iter_mut().zip(&limits.sensitive) {
            tally.add(column.values[row as usize], subject);
        }
    }

    fn persons(&self, limits: &Limits) -> usize {
        if limits.subjects.is_some() {
            self.persons.len()
        } else {
            self.rows
        }
    }

    /// Whether the rows so far may be a class.
    pub(crate) fn holds(&self, limits: &Limits) -> bool {
        self.persons(limits) >= limits.k
            && self
                .tallies
                .iter()
                .zip(&limits.sensitive)
                .all(|(tally, column)| {
                    column
                        .asks
                        .iter()
                        .all(|ask| tally.holds(ask, &column.whole))
                })
    }
}

/// The promises that count values as a reader sees them, and those that measure distances.
fn parted(guarantee: &Guarantee) -> (Guarantee, Guarantee) {
    let diverse = Guarantee {
        t: Vec::new(),
        ..guarantee.clone()
    };
    let close = Guarantee {
        t: guarantee.t.clone(),
        ..Guarantee::default()
    };
    (diverse, close)
}

/// The table with the values of the column as a reader sees them, where that is fewer:
/// `flu` and `Flu ` are one, and `*` is none.
fn as_it_looks(batch: &Batch, name: &str) -> Result<Option<Batch>> {
    let place = batch.schema().index_of(name);
    let Some(place) = place else {
        return Ok(None);
    };
    let Some(categories) = batch.column(place).as_categories() else {
        return Ok(None);
    };
    let seen = categories.as_they_look();
    if seen.levels().len() == categories.levels().len() {
        return Ok(None);
    }
    let mut columns = batch.columns().to_vec();
    columns[place] = Column::Category(seen);
    let schema = std::sync::Arc::clone(batch.schema());
    Batch::new(schema, batch.rows().clone(), columns).map(Some)
}

/// The person of each row.
fn persons(column: &Column) -> Result<Vec<u32>> {
    let persons = column.as_categories();
    let persons = persons.ok_or_else(|| Error::bug("persons were not read as categories"))?;
    Ok(persons.codes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::Hierarchy;
    use crate::data::{Domain, Field, Kind, RowIds, Schema};
    use crate::guarantee::{LDiversity, PSensitivity};
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
            assert_eq!(limits.refusal(text.len()).is_none(), holds, "{text}");
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
        let holds =
            |figure: f64, rows: &[u32]| limits(&t(figure, Ground::Ordered), &batch).hold(rows);
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
        let column =
            crate::data::Categories::new(vec![0, 0, 2, 2], Arc::new(levels.iter().collect()));
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
        let refusal = limits(&t(0.5, Ground::Ordered), &empty).refusal(2);
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
                column: "s".into(),
                p: 3,
            }],
            ..Guarantee::default()
        };
        for (guarantee, words) in [
            (k(4), "3 rows; k=4 needs at least 4 persons"),
            (p, "`s` has 2 values, l=3 impossible"),
        ] {
            let refusal = limits(&guarantee, &batch).refusal(3).expect("refused");
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
}
