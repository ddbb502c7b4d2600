//! How much memory a run on a table needs, about.
//!
//! At its peak a run holds the table and the release, and of the rows that are judged at a
//! time what the checker and the measures make of them. The figures are bytes, fitted to
//! the peaks of 10 runs on tables of 100,000 to 10 million rows with 3 to 6
//! quasi-identifiers, which they meet to a sixth. Methods that mask records need less.

use crate::data::{Batch, Column, Role};
use crate::io::Needs;
use crate::policy::{Action, Policy};
use arrow_array::Array;
use arrow_array::cast::AsArray;

/// The program itself.
const PROGRAM: u64 = 41_000_000;
/// A row, whatever its columns, and more while it is judged.
const ROW: [u64; 2] = [3, 230];
/// A cell of a quasi-identifier, and more while it is judged.
const QUASI: [u64; 2] = [36, 107];
/// A cell of a sensitive column or a class.
const SENSITIVE: [u64; 2] = [10, 74];
/// A cell that names a person.
const SUBJECT: [u64; 2] = [30, 120];
/// A cell of another column besides its text.
const OTHER: [u64; 2] = [10, 121];

/// A cell that is searched: in about a hundred files of the population, and in those that no other
/// one beats.
const SEARCHED: u64 = 2_100;

/// What the rows of a table will need, as far as it is known before they are read.
pub(super) fn needs(policy: &Policy) -> Needs {
    let columns = policy.plan.columns.iter();
    let read = columns.filter(|c| c.action != Action::Drop || c.role == Role::Subject);
    with_files(policy, cells(read.map(|column| column.role)))
}

/// Bytes that a run on the table needs at its peak.
pub(super) fn run_bytes(policy: &Policy, table: &Batch) -> u64 {
    let fields = table.schema().fields().iter();
    let texts = table.columns().iter().map(text_bytes).sum();
    let needs = with_files(policy, cells(fields.map(|field| field.role)));
    PROGRAM + needs.bytes(table.len() as u64, texts)
}

/// Each further level holds the quasi-identifiers of its release beside the others, and a search
/// holds many files.
fn with_files(policy: &Policy, needs: Needs) -> Needs {
    let quasi = policy.plan.columns.iter().filter(|c| c.role == Role::Quasi);
    let quasi = quasi.count();
    let further = policy.plan.levels.len().saturating_sub(1);
    let searched = policy
        .evolve
        .as_ref()
        .map_or(0, |evolve| evolve.columns.as_ref().map_or(quasi, Vec::len));
    Needs {
        row: needs.row + (further * quasi) as u64 * QUASI[0] + searched as u64 * SEARCHED,
        ..needs
    }
}

/// What a row with cells of these roles needs.
fn cells(roles: impl Iterator<Item = Role>) -> Needs {
    let cell = |role: Role| match role {
        Role::Quasi => QUASI,
        Role::Sensitive | Role::Class => SENSITIVE,
        Role::Subject => SUBJECT,
        _ => OTHER,
    };
    let [row, window_row] = roles
        .map(cell)
        .fold(ROW, |all, cell| [all[0] + cell[0], all[1] + cell[1]]);
    Needs { row, window_row }
}

fn text_bytes(column: &Column) -> u64 {
    let bytes = match column {
        Column::Plain(array) => match array.as_string_opt::<i32>() {
            Some(text) => text.value_data().len(),
            None => array.get_array_memory_size(),
        },
        Column::Category(categories) => categories.levels().text().len(),
        Column::Number(_) => 0,
    };
    bytes as u64
}
