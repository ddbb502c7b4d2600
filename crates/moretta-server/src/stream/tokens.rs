//! Tokens for the events of a stream, made by stewards for the programs that send them.

use super::row;
use crate::app::App;
use crate::clock::Millis;
use crate::http::{Call, Created, Done, Json, Nothing, Route, delete, get, post};
use crate::id::Id;
use crate::name::Name;
use crate::problem::Result;
use crate::project::check_open;
use crate::rights::{DefineStreams, Permit};
use crate::token::{self, Listed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/streams/{stream}/tokens",
            "Tokens for the events of a stream; no secret is shown again",
            list,
        ),
        post(
            "/projects/{project}/streams/{stream}/tokens",
            "Makes a token for a program that sends events",
            make,
        ),
        delete(
            "/projects/{project}/streams/{stream}/tokens/{token}",
            "Ends a token, at once",
            end,
        ),
    ]
}

fn list(
    app: &App,
    permit: Permit<DefineStreams>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Listed>>> {
    let (project, stream) = (permit.project()?, call.id("stream")?);
    let tokens = app.store.read(|sql| {
        row::find(sql, project, stream)?;
        token::list_ingest(sql, stream, permit.at())
    })?;
    Ok(Json(tokens))
}

/// A new token.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewToken {
    /// What its program is called.
    name: Name,
    /// When it ends; at most 90 days from now.
    ends_at: Millis,
}

/// A token that was made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Made {
    /// Its id, which is no secret.
    id: Id,
    /// What its program sends as `Authorization: Bearer`; shown this once.
    token: String,
}

fn make(
    app: &App,
    permit: Permit<DefineStreams>,
    call: Call<Nothing, Json<NewToken>>,
) -> Result<Created<Made>> {
    let (project, stream, new) = (permit.project()?, call.id("stream")?, &call.body.0);
    let (by, at) = (permit.user()?, permit.at());
    app.store.act(|act| {
        check_open(&mut **act, project)?;
        row::find(&mut **act, project, stream)?;
        let made = token::make_ingest(&mut **act, by, stream, new.name.text(), new.ends_at, at)?;
        let mut entry = permit.entry("stream.token");
        entry.subject = Some(stream);
        entry.facts = vec![("ends_at", new.ends_at.to_string())];
        act.log(&entry)?;
        Ok(Created(Made {
            id: made.0,
            token: made.1.show().to_owned(),
        }))
    })
}

fn end(app: &App, permit: Permit<DefineStreams>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let (project, stream, token) = (permit.project()?, call.id("stream")?, call.id("token")?);
    app.store.act(|act| {
        row::find(&mut **act, project, stream)?;
        token::end_ingest(&mut **act, stream, token)?;
        let mut entry = permit.entry("stream.token-end");
        entry.subject = Some(stream);
        act.log(&entry)
    })?;
    Ok(Done)
}
