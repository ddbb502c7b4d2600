//! Whether releases of one table at several levels are nested, and what all of them tell together.
//!
//! A reader with every level in hand knows of a row its class in each: a *cell*. Each cell must
//! hold as many persons as the finest level promises, and a class of a finer level lies in one
//! class of the next. A row that only some levels show would be told by that, so all show the
//! same rows.
//!
//! Counts rows by their ids, which only the engine has; [`nested_files`] looks at files alone.

mod files;

pub use files::{FileNesting, nested_files};

use super::classes::{Classes, Texts};
use crate::data::Batch;
use crate::error::{Error, Result};

/// What releases of one table tell together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nesting {
    /// Rows that one release has and another one has not.
    pub unequal: u64,
    /// Classes of a release that lie in several classes of the next coarser one.
    pub spread: u64,
    /// The fewest persons, or rows, that are alike in all releases; none without rows.
    pub smallest: Option<u64>,
}

/// Puts releases side by side, from the finest to the coarsest: rows that look alike in these
/// columns, which hold texts. `persons` tells whose each row is by its id, where persons are
/// counted.
///
/// # Errors
/// When a release has no such columns.
pub fn nesting(releases: &[&Batch], columns: &[&str], persons: Option<&[u32]>) -> Result<Nesting> {
    let mut found = Nesting::default();
    let mut class_of: Vec<Vec<u32>> = Vec::new();
    let mut ids: Vec<u64> = Vec::new();
    for release in releases {
        let (own, classes) = in_order(release, columns)?;
        if class_of.is_empty() {
            ids = own;
        } else if ids != own {
            found.unequal += unequal(&ids, &own);
        }
        class_of.push(classes);
    }
    if found.unequal > 0 {
        return Ok(found);
    }
    for pair in class_of.windows(2) {
        found.spread += spread(&pair[0], &pair[1]);
    }
    let mut cells = Vec::new();
    Classes::new(class_of.len()).assign(&class_of, ids.len(), &mut cells);
    let person = |row: usize| match persons {
        Some(persons) => persons.get(ids[row] as usize).copied().map(u64::from),
        None => Some(row as u64),
    };
    let whose: Option<Vec<u64>> = (0..ids.len()).map(person).collect();
    let whose = whose.ok_or_else(|| Error::bug("a row was released that nobody has"))?;
    let mut members: Vec<(u32, u64)> = cells.into_iter().zip(whose).collect();
    members.sort_unstable();
    members.dedup();
    let sizes = members
        .chunk_by(|a, b| a.0 == b.0)
        .map(|cell| cell.len() as u64);
    found.smallest = sizes.min();
    Ok(found)
}

/// The ids of a release, ascending, and the class of each row.
fn in_order(release: &Batch, columns: &[&str]) -> Result<(Vec<u64>, Vec<u32>)> {
    let (_, classes) = classes_of(release, columns)?;
    let mut rows: Vec<(u64, u32)> = release.rows().iter().zip(classes).collect();
    rows.sort_unstable();
    Ok(rows.into_iter().unzip())
}

/// The classes of a release by what these columns show, and the class of each row.
fn classes_of(release: &Batch, columns: &[&str]) -> Result<(Classes, Vec<u32>)> {
    let mut codes = Vec::new();
    for name in columns {
        let column = release.column_named(name).and_then(|c| c.as_categories());
        let column = column.ok_or_else(|| Error::bug(format!("`{name}` shows no texts")))?;
        let mut own = Vec::new();
        Texts::default().translate(column, &mut own);
        codes.push(own);
    }
    let (mut classes, mut of_row) = (Classes::new(codes.len()), Vec::new());
    classes.assign(&codes, release.len(), &mut of_row);
    Ok((classes, of_row))
}

/// Ids that are in one of two ascending lists.
fn unequal(some: &[u64], others: &[u64]) -> u64 {
    let only = |a: &[u64], b: &[u64]| {
        let missing = a.iter().filter(|id| b.binary_search(id).is_err());
        missing.count() as u64
    };
    only(some, others) + only(others, some)
}

/// Classes of the finer release that lie in several of the coarser one.
fn spread(finer: &[u32], coarser: &[u32]) -> u64 {
    let mut pairs: Vec<(u32, u32)> = finer.iter().copied().zip(coarser.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let several = pairs
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|in_class| in_class.len() > 1);
    several.count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Column, Field, Kind, Role, RowIds, Schema};
    use std::sync::Arc;

    /// A release of these rows, each shown by one letter.
    pub(super) fn release(rows: &[(u64, &str)]) -> Batch {
        let field = Field::new("q", Role::Quasi, Kind::Category { ordered: false });
        let schema = Arc::new(Schema::new(vec![field]).expect("one name"));
        let shown: Categories = rows.iter().map(|(_, text)| Some(*text)).collect();
        let ids: Arc<[u64]> = rows.iter().map(|(id, _)| *id).collect();
        Batch::new(schema, RowIds::List(ids), vec![Column::Category(shown)]).expect("fits")
    }

    fn numbered(shown: &str) -> Batch {
        let texts: Vec<String> = shown.chars().map(String::from).collect();
        let rows = texts.iter().enumerate();
        let rows: Vec<(u64, &str)> = rows.map(|(id, text)| (id as u64, &**text)).collect();
        release(&rows)
    }

    fn check(levels: &[&str], persons: Option<&[u32]>) -> Nesting {
        let levels: Vec<Batch> = levels.iter().map(|shown| numbered(shown)).collect();
        nesting(&levels.iter().collect::<Vec<_>>(), &["q"], persons).expect("texts")
    }

    #[test]
    fn cells_of_nested_releases_are_the_classes_of_the_finest() {
        let found = check(&["aabbbcc", "xxxxxyy", "*******"], None);
        assert_eq!(
            (found.unequal, found.spread, found.smallest),
            (0, 0, Some(2))
        );
    }

    #[test]
    fn releases_that_cut_across_each_other_are_found() {
        // Classes of 3 and 4, and of 2 and 5: together one row stands alone.
        let found = check(&["aaabbbb", "xxyyyyy"], None);
        assert_eq!((found.spread, found.smallest), (1, Some(1)));
        // Large cells can still be cells of releases that are not nested.
        let found = check(&["aaaabbbb", "xxyyxxyy"], None);
        assert_eq!((found.spread, found.smallest), (2, Some(2)));
    }

    #[test]
    fn a_row_that_one_level_leaves_out_is_found() {
        let all = release(&[(0, "a"), (1, "a"), (2, "a")]);
        let some = release(&[(2, "x"), (0, "x")]);
        let found = nesting(&[&some, &all], &["q"], None).expect("texts");
        assert_eq!((found.unequal, found.smallest), (1, None));
    }

    #[test]
    fn persons_count_once_in_a_cell_and_rows_may_come_in_any_order() {
        let fine = release(&[(3, "b"), (0, "a"), (1, "a"), (2, "b")]);
        let coarse = release(&[(0, "x"), (2, "x"), (1, "x"), (3, "x")]);
        let persons = [7, 7, 8, 9];
        let found = nesting(&[&fine, &coarse], &["q"], Some(&persons)).expect("texts");
        assert_eq!(
            (found.unequal, found.spread, found.smallest),
            (0, 0, Some(1))
        );
    }
}
