//! The route of events.

use super::Listener;
use crate::app::App;
use crate::http::{Call, Live, Nothing, Route, get};
use crate::problem::Result;
use crate::rights::{Permit, SignedIn};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![get(
        "/events",
        "What changes, as it does: jobs, streams, releases, what waits, and when the session locks",
        listen,
    )]
}

fn listen(app: &App, _: Permit<SignedIn>, call: Call<Nothing, Nothing>) -> Result<Live> {
    let mut listener = Listener::new(app, &app.hub, &call.head)?;
    Ok(Live {
        next: Box::new(move |app| listener.next(app)),
        news: app.store.bell().listen(),
    })
}
