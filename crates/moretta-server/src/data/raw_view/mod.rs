//! Raw rows, for members with level 1: page by page, each page in the log before it leaves.

mod rows;

use crate::http::Route;

pub(super) fn routes() -> Vec<Route> {
    rows::routes()
}
