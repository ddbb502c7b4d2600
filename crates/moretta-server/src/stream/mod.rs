//! Streams: events in by HTTP, checked rows out, live.
//!
//! Events are accepted once they are on disk, in a sealed log (`intake`), each of which would be
//! taken by the engine: a bad one is refused with its line and nothing of its request is kept. A child
//! process runs the session (`worker::stream`) and writes what leaves to another log, each
//! record with the place from which another child goes on, so that a killed child or server loses
//! nothing and releases nothing twice (`keeper`). A stream is approved before its first event, by
//! somebody who neither defined it nor wrote its policy, and again for each version of the policy and
//! each audience (`decide`). When the rules of its project are tightened and it does not keep them, it
//! stops until it is approved again (`hold`).
//!
//! Steward define, officers approve, operators start and stop and see figures and no row. It does not
//! protect against who may send events: made-up users count like others.

pub(crate) mod alarms;
mod decide;
mod define;
mod events;
mod hold;
mod intake;
pub mod keeper;
mod normal;
mod points;
pub(crate) mod policy;
pub mod protocol;
mod retention;
mod row;
mod rows;
mod run;
mod segment;
mod tokens;

pub(crate) use hold::{hold_to_rules, stop_all};
pub use intake::Intakes;
pub use keeper::Keeper;
pub use retention::retention;

use crate::http::Route;

/// The routes of streams.
pub(crate) fn routes() -> Vec<Route> {
    let areas = [
        define::routes(),
        decide::routes(),
        run::routes(),
        tokens::routes(),
        events::routes(),
        rows::routes(),
        points::routes(),
    ];
    areas.into_iter().flatten().collect()
}
