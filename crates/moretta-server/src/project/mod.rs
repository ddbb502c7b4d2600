//! Projects, their members and their rules.

mod list;
mod members;
mod rules;
mod wishes;

pub use rules::Rules;

use crate::http::Route;

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
