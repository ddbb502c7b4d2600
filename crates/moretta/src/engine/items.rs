//! Items of persons beside the labels that are released of them.
//!
//! To the checker and the measures every item is a row with one quasi-identifier: its item before
//! and its label after. A class is then what somebody finds who knows one item. Sets of items are
//! counted apart.

use super::judge::Given;
use super::original::places_of;
use super::plan::Plan;
use crate::data::{
    Batch, Categories, Column, Domains, Field, Kind, Levels, LevelsBuilder, MISSING, Role, RowIds,
    Schema, items,
};
use crate::error::{Error, Result};
use crate::guarantee::{ClaimFinding, Fault, Rule, items_lost};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// What the column of persons is called where each row is one.
const ROW: &str = "(row)";

/// Items of a person, one a row, that no released label of that person covers. `given` are the
/// rows in the order of their ids; of some of them a label is released.
pub(crate) fn lost(given: &Batch, released: &Batch, domains: &Domains) -> Result<Option<Fault>> {
    let schema = given.schema();
    let places = (
        schema.with_role(Role::Items),
        schema.with_role(Role::Subject),
    );
    let (&[items], &[subject]) = (places.0.as_slice(), places.1.as_slice()) else {
        return Ok(None);
    };
    let name = &schema.fields()[items].name;
    if domains.separator(name).is_some() {
        return Ok(None);
    }
    let persons = given.categories(subject)?.codes();
    let rows = places_of(given, released.rows())?;
    let shown_by: Vec<u32> = rows.iter().map(|&row| persons[row as usize]).collect();
    let count = items_lost(
        (given.categories(items)?, persons),
        (released.categories(items)?, &shown_by),
        domains.require(name)?,
    )?;
    Ok((count > 0).then(|| Fault {
        column: Some(name.to_string()),
        rule: Rule::ItemLost,
        count,
    }))
}

/// The ids of all rows whose person has a row among those `released`.
pub(crate) fn of_persons(given: &Batch, released: &RowIds) -> Result<RowIds> {
    let (persons, _) = persons(given)?;
    let places = places_of(given, released)?;
    let shown: HashSet<u32> = places.iter().map(|&row| persons[row as usize]).collect();
    let rows = given.rows().iter().zip(&persons);
    let rows = rows.filter(|(_, person)| shown.contains(person));
    Ok(RowIds::List(rows.map(|(id, _)| id).collect()))
}

/// Whether sets of items are shown by enough persons; none where nothing is promised of them.
pub(crate) fn claim(
    plan: &Plan,
    originals: &Batch,
    release: &Batch,
) -> Result<Option<ClaimFinding>> {
    let Some(mut checker) = plan.itemset_checker() else {
        return Ok(None);
    };
    let subject = originals.schema().with_role(Role::Subject);
    match subject.first() {
        None => checker.observe(release, None)?,
        Some(&subject) => {
            let persons = originals.categories(subject)?.codes();
            let rows = places_of(originals, release.rows())?;
            let persons: Vec<u32> = rows.iter().map(|&row| persons[row as usize]).collect();
            checker.observe(release, Some(&persons))?;
        }
    }
    Ok(Some(checker.finish()))
}

/// Items of persons, one a row.
pub(crate) struct OneARow {
    /// Each item that was given, and its person.
    pub(crate) given: Given,
    /// The labels of those whose persons were not suppressed.
    pub(crate) release: Batch,
}

impl OneARow {
    /// Why items were suppressed, where all rows were for one reason.
    pub(crate) fn suppressed(&self, rows: &[(String, u64)]) -> Vec<(String, u64)> {
        let items = (self.given.rows.len() - self.release.len()) as u64;
        let reasons = rows.iter().map(|(why, _)| why).take(1);
        reasons.map(|why| (why.clone(), items)).collect()
    }
}

/// Each item of `given` as a row, and the label that its person shows for it; none where there are
/// no items. `released` are the rows that leave, with all columns.
pub(crate) fn one_a_row(plan: &Plan, given: &Given, released: &Batch) -> Result<Option<OneARow>> {
    let Some(column) = plan.items() else {
        return Ok(None);
    };
    let (rows, name) = (&given.rows, column.name.as_str());
    let domain = given.domains.require(name)?;
    let tree = domain.hierarchy.as_deref();
    let tree = tree.ok_or_else(|| Error::bug("items have no hierarchy"))?;
    let before = Lists::new(column_of(rows, name)?, column.separator.as_deref());
    let after = Lists::new(column_of(released, name)?, column.separator.as_deref());
    let (persons, levels) = persons(rows)?;
    let places = places_of(rows, released.rows())?;
    let mut shown: HashMap<u32, Vec<u32>> = HashMap::new();
    for (row, &place) in places.iter().enumerate() {
        let labels = shown.entry(persons[place as usize]).or_default();
        labels.extend_from_slice(after.of_row(row));
    }
    let under: Vec<Option<Range<u32>>> = after
        .texts
        .iter()
        .map(|label| tree.leaves_of(label))
        .collect();
    let leaves: Vec<Option<u32>> = before.texts.iter().map(|item| tree.leaf(item)).collect();
    let (mut subjects, mut items) = (Vec::new(), Vec::new());
    let (mut ids, mut labels) = (Vec::new(), Vec::new());
    for (row, &person) in persons.iter().enumerate() {
        for &item in before.of_row(row) {
            let covers = |label: &&u32| {
                let range = under[**label as usize].as_ref();
                let leaf = leaves[item as usize];
                range
                    .zip(leaf)
                    .is_some_and(|(range, leaf)| range.contains(&leaf))
            };
            // A person who shows nothing was suppressed.
            if let Some(shown) = shown.get(&person) {
                ids.push(items.len() as u32);
                labels.push(shown.iter().find(covers).copied().unwrap_or(MISSING));
            }
            subjects.push(person);
            items.push(item);
        }
    }
    let all = Categories::new(subjects, levels);
    let rows = rows_of(name, &all, items, before.texts)?;
    let shown = rows.take(&ids)?;
    let released = Categories::new(labels, Arc::new(after.texts));
    let columns = vec![shown.column(0).clone(), Column::Category(released)];
    let release = Batch::new(Arc::clone(shown.schema()), shown.rows().clone(), columns)?;
    let given = Given {
        rows,
        domains: Arc::clone(&given.domains),
    };
    Ok(Some(OneARow { given, release }))
}

/// Each label of a release as a row with its person; none where there are no items.
pub(crate) fn labels_a_row(plan: &Plan, release: &Batch) -> Result<Option<Batch>> {
    let Some(column) = plan.items() else {
        return Ok(None);
    };
    let shown = Lists::new(
        column_of(release, &column.name)?,
        column.separator.as_deref(),
    );
    let (persons, levels) = persons(release)?;
    let (mut subjects, mut labels) = (Vec::new(), Vec::new());
    for (row, &person) in persons.iter().enumerate() {
        labels.extend_from_slice(shown.of_row(row));
        subjects.resize(labels.len(), person);
    }
    let subjects = Categories::new(subjects, levels);
    rows_of(&column.name, &subjects, labels, shown.texts).map(Some)
}

/// The person and the label of each item that a release shows; none where there are no items.
/// `known` tells whose the rows are, where the release itself does not.
pub(crate) fn labels_of_persons(
    plan: &Plan,
    release: &Batch,
    known: Option<&[u32]>,
) -> Result<Option<Vec<(u32, u32)>>> {
    let Some(column) = plan.items() else {
        return Ok(None);
    };
    let shown = Lists::new(
        column_of(release, &column.name)?,
        column.separator.as_deref(),
    );
    let of_row = match known {
        Some(known) => known.to_vec(),
        None => persons(release)?.0,
    };
    let labels = of_row.iter().enumerate().flat_map(|(row, &person)| {
        let labels = shown.of_row(row).iter();
        labels.map(move |&label| (person, label))
    });
    Ok(Some(labels.collect()))
}

/// Rows of a person and an item, which is a quasi-identifier.
fn rows_of(name: &str, persons: &Categories, codes: Vec<u32>, texts: Levels) -> Result<Batch> {
    let category = Kind::Category { ordered: false };
    let schema = Schema::new(vec![
        Field::new(ROW, Role::Subject, category.clone()),
        Field::new(name, Role::Quasi, category),
    ])?;
    let ids = RowIds::Range {
        start: 0,
        len: codes.len(),
    };
    let items = Categories::new(codes, Arc::new(texts));
    let columns = vec![Column::Category(persons.clone()), Column::Category(items)];
    Batch::new(Arc::new(schema), ids, columns)
}

/// Cells as lists of texts.
struct Lists<'a> {
    codes: &'a [u32],
    of_cell: Vec<Vec<u32>>,
    texts: Levels,
}

impl<'a> Lists<'a> {
    fn new(cells: &'a Categories, separator: Option<&str>) -> Self {
        let mut texts = LevelsBuilder::default();
        let lists = cells.levels().iter().map(|cell| match separator {
            None => vec![texts.intern(cell)],
            Some(separator) => items::split(cell, separator)
                .map(|item| texts.intern(item))
                .collect(),
        });
        Lists {
            codes: cells.codes(),
            of_cell: lists.collect(),
            texts: texts.levels().clone(),
        }
    }

    fn of_row(&self, row: usize) -> &[u32] {
        let list = self.of_cell.get(self.codes[row] as usize);
        list.map_or(&[], Vec::as_slice)
    }
}

fn column_of<'a>(rows: &'a Batch, name: &str) -> Result<&'a Categories> {
    let column = rows.column_named(name);
    let column = column.and_then(|column| column.as_categories());
    column.ok_or_else(|| Error::bug("items are not categories"))
}

/// The person of each row: its subject, or the row itself.
fn persons(rows: &Batch) -> Result<(Vec<u32>, Arc<Levels>)> {
    match rows.schema().with_role(Role::Subject).first() {
        Some(&subject) => {
            let persons = rows.categories(subject)?;
            Ok((persons.codes().to_vec(), Arc::clone(persons.levels())))
        }
        None => {
            let mut levels = Levels::default();
            (0..rows.len()).for_each(|row| levels.push(&row.to_string()));
            Ok(((0..rows.len() as u32).collect(), Arc::new(levels)))
        }
    }
}
