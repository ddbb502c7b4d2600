//! How much memory a run on a table needs, about.
//!
//! At its peak a run holds the table and the release, and of a million rows what the
//! checker and the measures make of them when they are compared. The figures are bytes,
//! fitted to the peaks of 19 runs on tables of 100,000 to 3 million rows with 2 to 8
//! quasi-identifiers, which they meet to a quarter; a run below 100 MB may take 30 MB more.
//! Methods that mask records need less.

use crate::data::{Batch, Column, Role};
use crate::io::Needs;
use crate::policy::{Action, Policy};
use arrow_array::Array;
use arrow_array::cast::AsArray;

/// The program itself.
const PROGRAM: u64 = 41_000_000;
/// A row, whatever its columns, and more while it is compared.
const ROW: [u64; 2] = [8, 250];
/// A cell of a quasi-identifier.
const QUASI: u64 = 15;
/// A quasi-identifier of a combination that is counted by itself.
const CLASS: u64 = 41;
/// A cell of a sensitive column or a class, and more while it is compared.
const SENSITIVE: [u64; 2] = [8, 174];
/// A cell of another column besides its text, and more while it is compared.
const OTHER: [u64; 2] = [8, 28];

/// What the rows of a table will need, as far as it is known before they are read: each
/// may be the only one of its class.
pub(super) fn needs(policy: &Policy) -> Needs {
    let columns = policy.columns.iter();
    let read = columns.filter(|c| c.action != Action::Drop || c.role == Role::Subject);
    let roles: Vec<Role> = read.map(|column| column.role).collect();
    let quasi = roles.iter().filter(|role| **role == Role::Quasi).count() as u64;
    let mut needs = cells(&roles);
    needs.window_row += quasi * CLASS;
    needs
}

/// Bytes that a run on the table needs at its peak; `classes` is how many different
/// combinations of quasi-identifiers it has.
pub(super) fn run_bytes(table: &Batch, classes: usize) -> u64 {
    let fields = table.schema().fields();
    let roles: Vec<Role> = fields.iter().map(|field| field.role).collect();
    let quasi = table.schema().with_role(Role::Quasi).len() as u64;
    let texts = table.columns().iter().map(text_bytes).sum();
    let counted = Needs {
        row: 0,
        window_row: quasi * CLASS,
    };
    PROGRAM + cells(&roles).bytes(table.len() as u64, texts) + counted.bytes(classes as u64, 0)
}

/// What a row with cells of these roles needs.
fn cells(roles: &[Role]) -> Needs {
    let cell = |role: &Role| match role {
        Role::Quasi => [QUASI, 0],
        Role::Sensitive | Role::Class => SENSITIVE,
        _ => OTHER,
    };
    let [row, window_row] = roles
        .iter()
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
