//! What a steward should know before a release: promises that are weaker than they look.

use super::read::Original;
use crate::data::{Batch, Column, Role};
use crate::error::{Error, Result};
use crate::policy::{Action, Policy};

/// A person with more than this share of the rows is worth a warning.
const MOST_OF_ONE: f64 = 0.4;

/// Warnings about a policy and its table. With `strict`, a promise that leaves
/// sensitive values open is an error.
pub fn warnings(policy: &Policy, original: &Original, strict: bool) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let notes = &original.notes;
    let original = &original.batch;
    let guarantee = &policy.guarantee;
    if guarantee.k.is_none() {
        return Err(
            Error::policy("the policy promises no k, so nothing hides a person")
                .help("add [guarantee] with k = 5"),
        );
    }
    let sensitive = original.schema().with_role(Role::Sensitive);
    if !sensitive.is_empty()
        && guarantee.l.is_empty()
        && guarantee.t.is_empty()
        && guarantee.p.is_empty()
    {
        let what = "only k is promised although a sensitive column exists: a class in which all share one value gives it away";
        if strict {
            return Err(Error::policy(what)
                .help("add l, t or p under [guarantee], or run without --strict"));
        }
        warnings.push(format!("{what}; add l, t or p under [guarantee]"));
    }
    warnings.extend(missing_cells(original));
    warnings.extend(representatives(policy));
    for column in &policy.columns {
        if column.role == Role::Subject && column.action == Action::Keep {
            warnings.push(format!(
                "column `{}` tells persons and is released as it is; a pseudonym would be safer",
                column.name
            ));
        }
    }
    warnings.extend(largest_person(original));
    warnings.extend_from_slice(notes);
    Ok(warnings)
}

/// Quasi-identifiers with missing cells, and those that have nothing else.
fn missing_cells(original: &Batch) -> Vec<String> {
    let named = |all: bool| {
        let columns = original.schema().with_role(Role::Quasi).into_iter();
        let columns = columns.filter(|&i| {
            let column = original.column(i);
            let missing = column.missing_count();
            missing > 0 && (missing == column.len()) == all
        });
        list(columns.map(|i| &*original.schema().fields()[i].name))
    };
    let some = named(false).map(|names| {
        format!("missing cells count as a value of their own, equal only to missing: {names}")
    });
    let all = named(true).map(|names| format!("all cells are missing: {names}"));
    some.into_iter().chain(all).collect()
}

/// Columns whose loss the measures cannot see.
fn representatives(policy: &Policy) -> Option<String> {
    let columns = policy.columns.iter();
    let shown = columns.filter(|c| c.role == Role::Quasi && policy.represents(&c.name));
    list(shown.map(|column| column.name.as_str())).map(|names| {
        format!("one value stands for each class, which gcp, ncp and loss take for the original: {names}")
    })
}

/// Names in backticks, if there are any.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn largest_person(original: &Batch) -> Option<String> {
    let subject = *original.schema().with_role(Role::Subject).first()?;
    let Column::Category(persons) = original.column(subject) else {
        return None;
    };
    let mut counts = vec![0usize; persons.levels().len()];
    for &code in persons.codes() {
        if let Some(count) = counts.get_mut(code as usize) {
            *count += 1;
        }
    }
    let most = counts.into_iter().max()? as f64 / persons.len() as f64;
    (most >= MOST_OF_ONE && persons.len() > 1).then(|| {
        format!(
            "one person has {:.0} % of the rows; it counts once in every class",
            most * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Kind, Numbers, RowIds, Schema};
    use std::sync::Arc;

    #[test]
    fn missing_cells_are_told_without_their_number() {
        let columns = [[Some(1.0), Some(2.0)], [Some(1.0), None], [None, None]];
        let fields = ["a", "b", "c"]
            .map(|name| Field::new(name, Role::Quasi, Kind::Number { integer: true }));
        let schema = Arc::new(Schema::new(fields.to_vec()).expect("names differ"));
        let columns = columns.map(|cells| Column::Number(Numbers::from_iter(cells)));
        let batch =
            Batch::new(schema, RowIds::Range { start: 0, len: 2 }, columns.to_vec()).expect("fits");
        assert_eq!(
            missing_cells(&batch),
            [
                "missing cells count as a value of their own, equal only to missing: `b`",
                "all cells are missing: `c`",
            ]
        );
    }
}
