//! Events sent to a stream by programs with a token for it.

use crate::app::App;
use crate::http::{Accepted, Call, Json, Nothing, Octets, Route, get, post};
use crate::problem::{Problem, Result};
use crate::rights::{Permit, SendEvents};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "/projects/{project}/streams/{stream}/events",
            "Sends events, a line of JSON each; they are on disk when this answers",
            send,
        ),
        get(
            "/projects/{project}/streams/{stream}/events",
            "Where the next event is to be sent to",
            place,
        ),
    ]
}

/// Where events are sent to.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct To {
    /// The `next` of the answer before; a request that was answered already is refused then.
    at: Option<u64>,
}

/// What was accepted.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct Taken {
    /// How many events.
    events: u64,
    /// The place of the next event.
    next: u64,
}

fn send(app: &App, permit: Permit<SendEvents>, call: Call<To, Octets>) -> Result<Accepted<Taken>> {
    let of = (permit.project()?, call.id("stream")?);
    let body = &call.body.0;
    let taken = app.intakes.take(app, of, body, call.query.at)?;
    if taken.events == 0 {
        return Err(Problem::unusable("the body has no events"));
    }
    Ok(Accepted(Taken {
        events: taken.events,
        next: taken.next,
    }))
}

fn place(
    app: &App,
    permit: Permit<SendEvents>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<Taken>> {
    let of = (permit.project()?, call.id("stream")?);
    let next = app.intakes.next(app, of)?;
    Ok(Json(Taken { events: 0, next }))
}
