//! Hierarchies and policies: texts with versions, and secrets that policies name.
//!
//! A version is never changed: an edit names the one that it was made of, and going back makes a new
//! version with the content of an old one. Contents are sealed, since hierarchies hold values of the
//! data. A policy of the server names no place; a version of a policy keeps the versions of the
//! hierarchies that it named when it was saved, so that what was approved can be run again.

mod bundle;
mod catalogue;
mod check;
mod compose;
mod kind;
mod routes;
mod secrets;
mod version;

pub use check::policy_of;
pub use compose::{Composed, Places, compose, place_of};
pub use kind::{Hierarchy, Policy, TextKind};
pub use secrets::{secret_context, secrets_of};
pub use version::{TextVersion, hierarchies_for};

use crate::http::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    let files = [
        routes::routes(),
        check::routes(),
        bundle::routes(),
        catalogue::routes(),
        secrets::routes(),
    ];
    files.into_iter().flatten().collect()
}
