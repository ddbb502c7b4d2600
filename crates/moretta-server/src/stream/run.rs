//! Streams started, stopped, restarted and ended by operators.

use super::points::mark;
use super::row::{self, Stream};
use crate::app::App;
use crate::http::{Accepted, Call, Json, Nothing, Route, post};
use crate::problem::{Problem, Result};
use crate::project::check_open;
use crate::rights::{Permit, RunStreams};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![post(
        "/projects/{project}/streams/{stream}/wanted",
        "Starts, stops, restarts or ends a stream",
        want,
    )]
}

/// What is wanted of a stream.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Wanted {
    /// It runs.
    Start,
    /// It stops where it is; events are kept until it is started again.
    Stop,
    /// Its process ends, and another one goes on where it was.
    Restart,
    /// What waits is released as far as it may be; this version of the policy is over then.
    Finish,
}

/// What is wanted of a stream.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wish {
    /// What.
    wanted: Wanted,
}

fn want(
    app: &App,
    permit: Permit<RunStreams>,
    call: Call<Nothing, Json<Wish>>,
) -> Result<Accepted<Stream>> {
    let (project, id, at) = (permit.project()?, call.id("stream")?, permit.at());
    let wanted = call.body.0.wanted;
    let stream = app.store.act(|act| {
        let stream = row::find(&mut **act, project, id)?;
        if !matches!(wanted, Wanted::Stop) {
            check_open(&mut **act, project)?;
        }
        if stream.decision != "approved" && !matches!(wanted, Wanted::Stop) {
            return Err(Problem::conflict("not-approved", "the stream is not approved")
                .help("an officer of the project approves it first"));
        }
        if stream.state == "finished" && !matches!(wanted, Wanted::Stop) {
            return Err(Problem::conflict("finished", "this version of the policy has ended")
                .help("a steward gives the stream another version of its policy"));
        }
        let (word, what) = match wanted {
            Wanted::Start => ("running", "start"),
            Wanted::Stop => ("stopped", "stop"),
            Wanted::Restart => ("running", "restart"),
            Wanted::Finish => ("finished", "finish"),
        };
        // One that has failed is tried again by hand only; a new epoch ends the process that runs.
        let epoch = match wanted {
            Wanted::Restart => "epoch + 1",
            _ => "epoch",
        };
        act.execute_one(
            &format!(
                "UPDATE streams SET wanted = $1, problem = NULL, epoch = {epoch}, version = version + 1, \
                 state = CASE WHEN state = 'failed' THEN 'stopped' ELSE state END WHERE id = $2"
            ),
            values![word, id],
        )?;
        mark(&mut **act, id, what, at)?;
        let name = format!("stream.{what}");
        let mut entry = permit.entry(&name);
        entry.subject = Some(id);
        act.log(&entry)?;
        row::find(&mut **act, project, id)
    })?;
    Ok(Accepted(stream))
}
