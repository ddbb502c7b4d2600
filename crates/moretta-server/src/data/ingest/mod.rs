//! How data come in: uploaded piece by piece, or taken from the inbox.

mod arrival;
mod inbox;
mod upload;

pub(super) use upload::give_up_old;

use crate::http::Route;

pub(super) fn routes() -> Vec<Route> {
    [upload::routes(), inbox::routes()]
        .into_iter()
        .flatten()
        .collect()
}
