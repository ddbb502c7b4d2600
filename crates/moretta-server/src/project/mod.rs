//! Projects, their members and their rules.

mod list;
mod members;
mod promised;
mod rules;
mod wishes;

pub use promised::{Promised, broken};
pub use rules::Rules;

use crate::db::Sql;
use crate::http::Route;
use crate::id::Id;
use crate::problem::{Problem, Result};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    [
        list::routes(),
        members::routes(),
        rules::routes(),
        wishes::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Fails when a project is closed: nothing new begins in it.
///
/// # Errors
/// 409
pub(crate) fn check_open(sql: &mut dyn Sql, project: Id) -> Result<()> {
    let open = "SELECT count(*) FROM projects WHERE id = $1 AND state = 'open'";
    match sql.number(open, values![project])? {
        1 => Ok(()),
        _ => Err(Problem::conflict("closed", "the project is closed")
            .help("ask an administrator to open it again")),
    }
}
