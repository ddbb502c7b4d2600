//! Rows from programs that embed the library, and what these get to see: nobody has checked
//! the one, and the other must tell no more than a file would.

use crate::data::{Batch, Column, Field, Kind, Role, RowIds, Schema};
use crate::error::{Error, Result};
use foldhash::HashSet;
use std::sync::Arc;

/// Days that a date can be away from 1970: ten thousand years.
const MOST_DAYS: f64 = 3_660_000.0;

/// Refuses rows that no source of ours would give.
///
/// # Errors
/// When columns have other names or kinds than those of the session, a number is not finite, a
/// date is none, categories name a text twice, or persons are not categories.
pub(super) fn check(rows: &Batch, schema: &Schema) -> Result<()> {
    let names = |schema: &Schema| -> Vec<String> {
        let fields = schema.fields().iter();
        fields.map(|field| field.name.to_string()).collect()
    };
    if names(rows.schema()) != names(schema) {
        return Err(Error::usage("the rows have other columns than the session")
            .help("push rows of the schema that the session was opened with"));
    }
    let columns = schema.fields().iter().zip(rows.columns());
    columns
        .into_iter()
        .try_for_each(|(field, column)| check_column(field, column))
}

fn check_column(field: &Field, column: &Column) -> Result<()> {
    let refuse = |what: &str| Err(Error::input(what).in_column(&*field.name));
    match (&field.kind, column) {
        _ if field.role == Role::Subject && column.as_categories().is_none() => {
            refuse("persons are counted by categories, and these are none")
        }
        (Kind::Number { .. } | Kind::Date(_), Column::Number(numbers)) => {
            let is_date = matches!(field.kind, Kind::Date(_));
            let fits = |value: f64| value.is_finite() && (!is_date || value.abs() <= MOST_DAYS);
            match numbers.iter().flatten().all(fits) {
                true => Ok(()),
                false => refuse("a number is not finite, or a date is too far away"),
            }
        }
        (Kind::Category { .. }, Column::Category(categories)) => {
            let levels = categories.levels();
            let texts: HashSet<&str> = levels.iter().collect();
            match texts.len() == levels.len() {
                true => Ok(()),
                false => refuse("the categories name a text twice"),
            }
        }
        (Kind::Plain(_), Column::Plain(_)) => Ok(()),
        _ => refuse("the cells are of another kind than the session was opened for"),
    }
}

/// Rows as others may see them: no category that no row shows, and numbers that tell nothing
/// of the rows that were pushed; `before` rows have left already.
pub(super) fn shown(rows: &Batch, before: u64) -> Result<Batch> {
    let columns = rows.schema().fields().iter().zip(rows.columns());
    let columns = columns.map(|(field, column)| column.used(&field.kind));
    let ids = RowIds::Range {
        start: before,
        len: rows.len(),
    };
    Batch::new(Arc::clone(rows.schema()), ids, columns.collect())
}
