//! How data come in: uploaded piece by piece, or taken from the inbox.

mod arrival;
mod inbox;
mod upload;

use crate::http::Route;

pub(super) fn routes() -> Vec<Route> {
    [upload::routes(), inbox::routes()]
        .into_iter()
        .flatten()
        .collect()
}
