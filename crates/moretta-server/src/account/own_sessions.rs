//! The own sessions, of all browsers.

use crate::app::App;
use crate::clock::Millis;
use crate::db::Row;
use crate::http::{Call, Done, Json, Nothing, Route, delete, get};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{OwnAccount, Permit};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/me/sessions", "The own sessions", list),
        delete("/me/sessions/{session}", "Ends one of them, at once", end),
    ]
}

/// A session of somebody.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Listed {
    /// Its id, which is no secret.
    id: Id,
    /// Whether it is the one that asks.
    own: bool,
    /// When it began.
    made_at: Millis,
    /// When its person was last active.
    seen_at: Millis,
    /// When it ends.
    ends_at: Millis,
}

fn list(
    app: &App,
    permit: Permit<OwnAccount>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Listed>>> {
    let (own, user, at) = (permit.session()?.id, permit.user()?, permit.at());
    let rows = app.store.read(|sql| {
        sql.query(
            "SELECT id, made_at, seen_at, ends_at FROM sessions WHERE user_id = $1 AND ends_at > $2 \
             ORDER BY seen_at DESC, id",
            values![user, at],
        )
    })?;
    let listed = |row: &Row| {
        let id = row.id(0)?;
        Ok(Listed {
            id,
            own: id == own,
            made_at: row.integer(1)?,
            seen_at: row.integer(2)?,
            ends_at: row.integer(3)?,
        })
    };
    rows.iter().map(listed).collect::<Result<_>>().map(Json)
}

fn end(app: &App, permit: Permit<OwnAccount>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let (session, user) = (call.id("session")?, permit.user()?);
    app.store.act(|act| {
        let ended = act.execute(
            "DELETE FROM sessions WHERE id = $1 AND user_id = $2",
            values![session, user],
        )?;
        if ended == 0 {
            return Err(Problem::not_found("session"));
        }
        let mut entry = permit.entry("session.end");
        entry.subject = Some(session);
        act.log(&entry)
    })?;
    Ok(Done)
}
