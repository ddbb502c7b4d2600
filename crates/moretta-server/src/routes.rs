//! The list of routes.

use crate::http::Route;

/// All routes, area by area.
pub fn routes() -> Vec<Route> {
    [crate::health::routes()].into_iter().flatten().collect()
}
