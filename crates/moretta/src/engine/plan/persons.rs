//! By what persons are counted, and that nothing names them unasked.

use super::{Action, ColumnPolicy};
use crate::data::Role;
use crate::error::{Error, Result};

/// Identifiers are never released as they are.
pub(super) fn refuse_identifiers(columns: &[ColumnPolicy]) -> Result<()> {
    let named =
        |column: &&ColumnPolicy| column.role == Role::Identifier && column.action == Action::Keep;
    match columns.iter().find(named) {
        None => Ok(()),
        Some(column) => Err(Error::policy(format!(
            "`{}` is an identifier and would be released as it is",
            column.name
        ))
        .at(column.span.clone())
        .help("drop it, or release a pseudonym of it")),
    }
}

/// Makes a released pseudonym the subject: equal pseudonyms in a class are one person to a
/// reader, so rows must not be counted. Keys join tables; they name persons only where
/// nothing else does.
pub(super) fn count_pseudonyms(columns: &mut [ColumnPolicy]) -> Result<()> {
    let released = |column: &ColumnPolicy, role| {
        column.role == role && matches!(column.action, Action::Pseudonym { .. })
    };
    let subject = columns.iter().position(|c| c.role == Role::Subject);
    let with_role = |role| {
        let places = 0..columns.len();
        places
            .filter(|&i| released(&columns[i], role))
            .collect::<Vec<usize>>()
    };
    let mut naming = with_role(Role::Identifier);
    if naming.is_empty() && subject.is_none() {
        naming = with_role(Role::Key);
    }
    match (subject.or(naming.first().copied()), naming.last()) {
        (Some(person), Some(&other)) if person != other => {
            let (person, other) = (&columns[person], &columns[other]);
            Err(Error::policy(format!(
                "`{}` is released as a pseudonym and persons are counted by `{}`: a class may show fewer pseudonyms than k",
                other.name, person.name
            ))
            .at(other.span.clone())
            .help(format!(
                "give `{}` action = \"drop\", or let it be the only column that names persons",
                other.name
            )))
        }
        (Some(person), _) => {
            columns[person].role = Role::Subject;
            Ok(())
        }
        (None, _) => Ok(()),
    }
}

/// One column tells the person.
pub(super) fn check_subjects(columns: &[ColumnPolicy]) -> Result<()> {
    match columns.iter().filter(|c| c.role == Role::Subject).nth(1) {
        Some(second) => Err(Error::policy(format!("`{}` is a second subject column", second.name))
            .at(second.span.clone())
            .help("one column tells the person; make the other an identifier or a quasi-identifier")),
        None => Ok(()),
    }
}

/// Each column is spoken of once, and what is called dropped is.
pub(super) fn check_columns(columns: &[ColumnPolicy]) -> Result<()> {
    for (place, column) in columns.iter().enumerate() {
        let twice = columns[..place]
            .iter()
            .any(|other| other.name == column.name);
        if twice || column.role == Role::Drop && column.action != Action::Drop {
            let what = match twice {
                true => "is spoken of twice",
                false => "has the role drop and would be released",
            };
            return Err(Error::policy(format!("`{}` {what}", column.name))
                .at(column.span.clone())
                .help("name each column once, with the role that it has"));
        }
    }
    Ok(())
}
