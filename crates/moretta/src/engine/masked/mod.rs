//! Methods that mask records: what they promise together, what is measured of the rows
//! that leave, and the flow of a stream of records.
//!
//! A stream leaves in the order in which it came. A file appears only when all of it was
//! written, read back and found good. What goes to standard output is counted as it
//! leaves, and the stream stops at the first fault.

mod flow;
mod masks;
mod notes;
mod pairs;
mod recoded;
mod unchanged;
mod waiting;
mod watch;

pub(crate) use flow::{Flow, released_schema};
pub(crate) use masks::Masks;
pub(crate) use recoded::recoded;
pub(crate) use waiting::Waiting;
pub(crate) use watch::{Learn, Watch};

use super::plan::{Action, Plan};
use crate::data::{Attribute, Batch, Column, ReadAs, Role, Schema};
use crate::error::{Error, Result};
use crate::measure::{self, PairMeasures};
use crate::protect::{MaskedColumn, Masking};

/// What k leaves open.
pub(crate) const SENSITIVE: &str = "only k is promised although a sensitive column exists: a group in which all share one value gives it away";

/// Noise that nobody can draw again.
pub(crate) fn secret_seed() -> Result<u64> {
    getrandom::u64().map_err(|e| Error::bug(format!("no randomness from the system: {e}")))
}

/// Of so few rows the method would release none: an empty file is of no use to any reader.
pub(crate) fn too_few(method: &str, masking: &dyn Masking, rows: u64) -> Error {
    match masking.k() {
        Some(k) => Error::guarantee(format!("{rows} rows; k={k} needs at least {k} persons"))
            .help("lower k, or bring more data"),
        None => {
            let least = masking.least();
            Error::input(format!("{rows} rows; {method} needs at least {least}")).help(
                "bring more data, or take a method that masks each row by itself, such as local-dp",
            )
        }
    }
}

/// What can be known of the policy without reading the rows.
pub(crate) fn check(plan: &Plan) -> Result<()> {
    let mut maskings = plan.maskings();
    maskings.try_for_each(|masking| check_masking(plan, masking))
}

fn check_masking(plan: &Plan, masking: &dyn Masking) -> Result<()> {
    let schema = plan.declared_schema()?;
    let places = masking.places(&schema)?;
    let mut columns = Vec::new();
    for &place in &places {
        let field = &schema.fields()[place];
        let Some(column) = plan.column(&field.name) else {
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
            ReadAs::Category => Attribute::Nominal,
            ReadAs::Ordered(ref levels) => Attribute::Ordinal {
                levels: levels.len(),
            },
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
    if masking.k().is_some() && !plan.covers_quasi() {
        check_masked(plan, &schema, &places, "k is promised")?;
        if !masking.counts_persons() {
            check_rows(plan)?;
        }
    }
    if masking.loss().is_some() && !plan.covers_quasi() {
        check_masked(plan, &schema, &places, "differential privacy is promised")?;
    }
    // Where all types are declared, the method can say what does not fit them.
    if columns.len() == places.len() {
        masking.check(&columns)?;
    }
    Ok(())
}

/// A promise is about all quasi-identifiers: one that passes as it is would break it.
fn check_masked(plan: &Plan, schema: &Schema, places: &[usize], promise: &str) -> Result<()> {
    let passes = plan.columns.iter().find(|column| {
        let place = schema.index_of(&column.name);
        let masked = place.is_some_and(|place| places.contains(&place));
        column.role == Role::Quasi && !masked
    });
    match passes {
        Some(column) => Err(Error::policy(format!(
            "{promise} and the quasi-identifier `{}` is {}",
            column.name,
            match plan.recodes_in_stream(&column.name) {
                true => "only recoded, so it would still tell records apart",
                false => "not masked, so it would be released as it is",
            }
        ))
        .at(column.span.clone())
        .help("let the method mask it, leave it out by role = \"drop\", or publish it knowingly by role = \"plain\"")),
        None => Ok(()),
    }
}

/// Groups of k in a stream count rows, not persons.
fn check_rows(plan: &Plan) -> Result<()> {
    let subject = plan.columns.iter().find(|c| c.role == Role::Subject);
    match subject {
        Some(column) => Err(Error::policy(format!(
            "the groups count rows and not the persons of `{}`",
            column.name
        ))
        .at(column.span.clone())
        .help("where each person has one row, make it an identifier that is not released; else release a table, without a `buffer`")),
        None => Ok(()),
    }
}

/// Refuses a column that nobody called categories and most of whose values are
/// numbers: one stray cell would make a mask of numbers a mask of words.
pub(crate) fn refuse_mixed(plan: &Plan, batch: &Batch, places: &[usize]) -> Result<()> {
    for &place in places {
        let name = &batch.schema().fields()[place].name;
        let declared = plan.column(name).is_some_and(|c| c.read != ReadAs::Infer);
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

/// A promise that leaves sensitive values open is an error where warnings are.
pub(crate) fn refuse_sensitive(plan: &Plan, strict: bool) -> Result<()> {
    let sensitive = plan.columns.iter().any(|c| c.role == Role::Sensitive);
    let alike = plan.maskings().any(|masking| masking.k().is_some());
    match strict && sensitive && alike && !plan.covers_quasi() {
        true => {
            Err(Error::policy(SENSITIVE)
                .help("use mondrian with l, t or p, or run without --strict"))
        }
        false => Ok(()),
    }
}

/// Refuses a release that misses a goal, or of which it cannot be measured.
pub(crate) fn keep_limits(plan: &Plan, watch: &Watch) -> Result<()> {
    let values: Vec<_> = watch
        .measures()
        .into_iter()
        .flat_map(PairMeasures::values)
        .collect();
    // Others are of classes and regions.
    let coarse = |name: &str| {
        plan.keeps_guarantee() && measure::find(name).is_some_and(|info| info.is_of(true, false))
    };
    for (name, limit) in plan.fail_above.iter().filter(|(name, _)| !coarse(name)) {
        let found = values.iter().find(|(info, _)| info.name == name);
        let value = found.and_then(|(_, value)| *value);
        let Some(value) = value.filter(|value| value.is_finite()) else {
            return Err(Error::goal(format!("{name} could not be measured")).help(
                "take its limit away: it needs masked columns that leave as they were masked, and numbers that are not too large",
            ));
        };
        if value > *limit {
            return Err(
                Error::goal(format!("{name} is {value:.4}, above the limit of {limit}"))
                    .help("change the method, or raise the limit under [measure]"),
            );
        }
    }
    Ok(())
}
