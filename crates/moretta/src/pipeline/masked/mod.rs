//! Methods that mask records: what they promise together, what is measured of the rows
//! that leave, and the flow of a stream of records.
//!
//! A stream leaves in the order in which it came. A file appears only when all of it was
//! written, read back and found good. What goes to standard output is counted as it
//! leaves, and the stream stops at the first fault.

mod flow;
mod masks;
mod output;
mod pairs;
mod run;
mod unchanged;
mod watch;

pub(super) use masks::Masks;
pub(super) use run::{keep_limits, refuse_sensitive, run};
pub(super) use watch::Watch;

use crate::data::{Attribute, Batch, Column, Field, Kind, Role, Schema};
use crate::error::{Error, Result};
use crate::io::ReadAs;
use crate::policy::{Action, Policy};
use crate::protect::{MaskedColumn, Masking};

/// Noise that nobody can draw again.
pub(super) fn secret_seed() -> Result<u64> {
    getrandom::u64().map_err(|e| Error::bug(format!("no randomness from the system: {e}")))
}

/// What can be known of the policy without reading the rows.
pub(super) fn check(policy: &Policy) -> Result<()> {
    let mut maskings = policy.maskings();
    maskings.try_for_each(|masking| check_masking(policy, masking))
}

fn check_masking(policy: &Policy, masking: &dyn Masking) -> Result<()> {
    let read = policy.columns.iter();
    let fields = read
        .filter(|column| column.plan().read != ReadAs::Skip)
        .map(|column| Field::new(&*column.name, column.role, Kind::Number { integer: false }));
    let schema = Schema::new(fields.collect())?;
    let places = masking.places(&schema)?;
    let mut columns = Vec::new();
    for &place in &places {
        let field = &schema.fields()[place];
        let Some(column) = policy.column(&field.name) else {
            continue;
        };
        if column.action != Action::Keep {
            let what = format!("`{}` is masked and not released as it is", field.name);
            return Err(Error::policy(what)
                .at(column.span.clone())
                .help("leave it out of `columns`, or let it be released"));
        }
        let attribute = match column.read {
            ReadAs::Number | ReadAs::Integer | ReadAs::Date(_) => Attribute::Number,
            ReadAs::Category | ReadAs::Ordered(_) => Attribute::Nominal,
            ReadAs::Plain => {
                let what = format!("`{}` is masked and only passes through", field.name);
                return Err(Error::policy(what)
                    .at(column.span.clone())
                    .help("give it a type: number, category or date"));
            }
            _ => continue,
        };
        columns.push(MaskedColumn {
            name: &field.name,
            role: field.role,
            attribute,
        });
    }
    // Where another method makes values coarser, the promise is its own.
    if masking.k().is_some() && !policy.keeps_guarantee() {
        check_masked(policy, &schema, &places, "k is promised")?;
        check_rows(policy)?;
    }
    if masking.loss().is_some() && !policy.keeps_guarantee() {
        check_masked(policy, &schema, &places, "differential privacy is promised")?;
    }
    // Where all types are declared, the method can say what does not fit them.
    if columns.len() == places.len() {
        masking.filter(&columns, 0)?;
    }
    Ok(())
}

/// A promise is about all quasi-identifiers: one that passes as it is would break it.
fn check_masked(policy: &Policy, schema: &Schema, places: &[usize], promise: &str) -> Result<()> {
    let passes = policy.columns.iter().find(|column| {
        let place = schema.index_of(&column.name);
        let masked = place.is_some_and(|place| places.contains(&place));
        column.role == Role::Quasi && !masked
    });
    match passes {
        Some(column) => Err(Error::policy(format!(
            "{promise} and the quasi-identifier `{}` is not masked, so it would be released as it is",
            column.name
        ))
        .at(column.span.clone())
        .help("let the method mask it, leave it out by role = \"drop\", or publish it knowingly by role = \"plain\"")),
        None => Ok(()),
    }
}

/// Groups of k count rows, not persons.
fn check_rows(policy: &Policy) -> Result<()> {
    let subject = policy.columns.iter().find(|c| c.role == Role::Subject);
    match subject {
        Some(column) => Err(Error::policy(format!(
            "the groups count rows and not the persons of `{}`",
            column.name
        ))
        .at(column.span.clone())
        .help("where each person has one row, make it an identifier that is not released; else use mondrian")),
        None => Ok(()),
    }
}

/// Refuses a column that nobody called categories and most of whose values are
/// numbers: one stray cell would make a mask of numbers a mask of words.
pub(super) fn refuse_mixed(policy: &Policy, batch: &Batch, places: &[usize]) -> Result<()> {
    for &place in places {
        let name = &batch.schema().fields()[place].name;
        let declared = policy.column(name).is_some_and(|c| c.read != ReadAs::Infer);
        let Column::Category(categories) = batch.column(place) else {
            continue;
        };
        let levels = categories.levels();
        let is_number = |text: &&str| text.trim().replace(',', ".").parse::<f64>().is_ok();
        let numbers = levels.iter().filter(is_number).count();
        if !declared && numbers >= 10 && 2 * numbers > levels.len() {
            return Err(Error::input("most values are numbers and some are not")
                .in_column(&**name)
                .help("say type = \"number\" and name what stands for missing under [source], or say type = \"category\""));
        }
    }
    Ok(())
}
