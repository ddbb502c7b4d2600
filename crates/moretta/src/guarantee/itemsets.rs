//! Counts the sets of labels that persons show: each of at most m by k persons, or by none.
//!
//! For k^m-anonymity. A person shows the labels of all rows of a subject or, without one, of a
//! row. A label that is shown twice counts as two: whoever knows two items below it looks for
//! persons who show it twice. Empty cells show nothing.
//!
//! Cost: all sets of m labels of each person, and memory for the different ones.

use super::findings::ClaimFinding;
use super::models::KmAnonymous;
use crate::data::items;
use crate::data::{Batch, MISSING};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The column of items of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemColumn {
    /// Its name.
    pub name: String,
    /// What is between the items of a cell; none where a cell holds one.
    pub separator: Option<String>,
}

/// Counts sets of labels.
pub struct ItemsetChecker {
    km: KmAnonymous,
    column: ItemColumn,
    labels: HashMap<String, u32, FixedState>,
    /// Person and label of each cell.
    shown: Vec<(u64, u32)>,
    rows: u64,
}

impl ItemsetChecker {
    /// Of the items in this column.
    pub fn new(km: KmAnonymous, column: ItemColumn) -> Self {
        ItemsetChecker {
            km,
            column,
            labels: HashMap::default(),
            shown: Vec::new(),
            rows: 0,
        }
    }

    /// Looks at the next rows of a release; `subjects` gives the person of each.
    ///
    /// # Errors
    /// When the column is not in the release.
    pub fn observe(&mut self, release: &Batch, subjects: Option<&[u32]>) -> Result<()> {
        let column = release.column_named(&self.column.name);
        let column = column.and_then(|column| column.as_categories());
        let column = column.ok_or_else(|| Error::bug("the column of items is not released"))?;
        let separator = self.column.separator.clone();
        let mut texts: Vec<Vec<u32>> = Vec::with_capacity(column.levels().len());
        for text in column.levels().iter() {
            let labels = match &separator {
                Some(separator) => items::split(text, separator).collect(),
                None => vec![text],
            };
            texts.push(labels.into_iter().map(|label| self.code(label)).collect());
        }
        for (row, &code) in column.codes().iter().enumerate() {
            let person = match subjects.map(|subjects| subjects[row]) {
                // Nobody knows who these are, so they are persons of their own.
                None | Some(MISSING) => u64::from(u32::MAX) + 1 + self.rows,
                Some(person) => u64::from(person),
            };
            self.rows += 1;
            let labels = texts.get(code as usize).into_iter().flatten();
            self.shown.extend(labels.map(|&label| (person, label)));
        }
        Ok(())
    }

    fn code(&mut self, label: &str) -> u32 {
        if let Some(&code) = self.labels.get(label) {
            return code;
        }
        let code = self.labels.len() as u32;
        self.labels.insert(label.to_owned(), code);
        code
    }

    /// What the release keeps.
    pub fn finish(mut self) -> ClaimFinding {
        self.shown.sort_unstable();
        let mut counts: HashMap<Vec<u32>, u32, FixedState> = HashMap::default();
        let persons = self.shown.chunk_by(|a, b| a.0 == b.0);
        let (mut labels, mut set) = (Vec::new(), Vec::new());
        for person in persons {
            labels.clear();
            labels.extend(person.iter().map(|&(_, label)| label));
            add_sets(&labels, self.km.m as usize, &mut set, &mut counts);
        }
        let smallest = counts.values().copied().min();
        let rare = counts.values().filter(|&&persons| persons < self.km.k);
        let failing_classes = rare.count() as u64;
        let KmAnonymous { k, m } = self.km;
        ClaimFinding {
            name: format!("k^m-anonymity of `{}`", self.column.name),
            promised: format!("at least {k} persons for each set of up to {m} items"),
            promised_value: f64::from(k),
            found: smallest.map(f64::from),
            found_text: smallest.map_or("no item shown".to_owned(), |n| n.to_string()),
            holds: failing_classes == 0,
            failing_classes,
        }
    }
}

/// Adds every set of one to `more` of these labels, which are in order, once.
fn add_sets(
    labels: &[u32],
    more: usize,
    set: &mut Vec<u32>,
    counts: &mut HashMap<Vec<u32>, u32, FixedState>,
) {
    for (place, &label) in labels.iter().enumerate() {
        // The same label at a later place makes no other set.
        if more == 0 || place > 0 && labels[place - 1] == label {
            continue;
        }
        set.push(label);
        match counts.get_mut(set.as_slice()) {
            Some(persons) => *persons += 1,
            None => {
                counts.insert(set.clone(), 1);
            }
        }
        add_sets(&labels[place + 1..], more - 1, set, counts);
        set.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Column, Field, Kind, Role, RowIds, Schema};
    use std::sync::Arc;

    /// Whether sets of up to m items are shown by k persons, and the fewest that show one.
    fn check(
        (k, m): (u32, u32),
        separator: Option<&str>,
        cells: &[&str],
        persons: Option<&[u32]>,
    ) -> (bool, Option<f64>) {
        let field = Field::new("i", Role::Items, Kind::Category { ordered: false });
        let schema = Arc::new(Schema::new(vec![field]).expect("one name"));
        let cells: Categories = cells
            .iter()
            .map(|cell| (!cell.is_empty()).then_some(*cell))
            .collect();
        let ids = RowIds::Range {
            start: 0,
            len: cells.len(),
        };
        let release = Batch::new(schema, ids, vec![Column::Category(cells)]).expect("fits");
        let column = ItemColumn {
            name: "i".to_owned(),
            separator: separator.map(str::to_owned),
        };
        let mut checker = ItemsetChecker::new(KmAnonymous { k, m }, column);
        // Batches make no difference.
        for row in 0..release.len() {
            let subject = persons.map(|persons| &persons[row..=row]);
            checker
                .observe(&release.slice(row, 1), subject)
                .expect("items");
        }
        let claim = checker.finish();
        (claim.holds, claim.found)
    }

    #[test]
    fn pairs_may_be_rare_where_single_items_are_not() {
        let lists = ["a;b", "a;c", "b;c", "a", "b;"];
        assert_eq!(check((2, 1), Some(";"), &lists, None), (true, Some(2.0)));
        assert_eq!(check((2, 2), Some(";"), &lists, None), (false, Some(1.0)));
        let twice = [&lists[..], &lists[..]].concat();
        assert_eq!(check((2, 2), Some(";"), &twice, None), (true, Some(2.0)));
        assert_eq!(check((2, 4), Some(";"), &["", " ; "], None), (true, None));
    }

    #[test]
    fn rows_of_one_person_are_one_set() {
        let rows = ["a", "b", "a", "b", "a"];
        assert_eq!(
            check((2, 2), None, &rows, Some(&[1, 1, 2, 2, 3])),
            (true, Some(2.0))
        );
        assert_eq!(
            check((2, 2), None, &rows, Some(&[1, 1, 1, 2, 3])),
            (false, Some(1.0))
        );
        // Without persons each row is one.
        assert_eq!(check((2, 2), None, &rows, None), (true, Some(2.0)));
    }

    #[test]
    fn a_label_that_only_one_person_shows_twice_gives_that_person_away() {
        let lists = ["a;a", "a", "a"];
        assert_eq!(check((2, 1), Some(";"), &lists, None), (true, Some(3.0)));
        assert_eq!(check((2, 2), Some(";"), &lists, None), (false, Some(1.0)));
    }
}
