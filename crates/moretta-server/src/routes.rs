//! The list of routes.

use crate::http::Route;

/// All routes, area by area.
pub(crate) fn routes() -> Vec<Route> {
    let areas = [
        crate::health::routes(),
        crate::overview::routes(),
        crate::backup::routes(),
        crate::account::routes(),
        crate::project::routes(),
        crate::audit::routes(),
        crate::data::routes(),
        crate::text::routes(),
        crate::events::routes(),
        crate::job::routes(),
        crate::release::routes(),
        crate::stream::routes(),
    ];
    areas.into_iter().flatten().collect()
}
