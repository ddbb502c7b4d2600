//! Releases: asked for, run, reviewed, approved to the byte, published by level, revoked.
//!
//! The run comes before the approval, in staging, and approval publishes exactly those bytes: it
//! names the hash of a manifest that names policy, data, audience and every file. Who asked,
//! uploaded or edited does not approve.

mod again;
mod ask;
pub mod csv;
mod decide;
mod difference;
mod facts;
mod filter;
mod inbox;
pub mod index;
pub mod ledger;
mod made;
mod manifest;
mod publish;
mod published;
mod record;
mod review;
mod rows;
mod says;
mod source;
mod state;
mod table;
mod task;
mod terms;

pub(crate) use again::{Again, again};
pub(crate) use made::follow;
pub use publish::tend;
pub use state::{State, Step};
pub use table::{Counts, Found, Table};
pub use task::{FileSum, LEDGER, Made, MadeLevel, Options, Part, ToVerify};

use crate::http::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    let files = [
        ask::routes(),
        review::routes(),
        decide::routes(),
        published::routes(),
        inbox::routes(),
    ];
    files.into_iter().flatten().collect()
}
