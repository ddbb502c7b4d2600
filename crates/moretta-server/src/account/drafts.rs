//! Drafts: what a person was writing, kept while their session is locked or their browser is gone.
//!
//! Pages save them every two seconds, so they are not in the log; they change nothing that anybody
//! else can see. They are sealed, since a policy may hold words of the data.

use crate::app::App;
use crate::clock::Millis;
use crate::db::Row;
use crate::http::{Call, Done, Json, Nothing, Route, delete, get, put};
use crate::name::Name;
use crate::problem::{Problem, Result};
use crate::rights::{OwnAccount, Permit};
use crate::seal::Sealer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many drafts a person may have, and how many bytes one may have.
const MOST: (i64, usize) = (50, 512 << 10);

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/me/drafts", "The own drafts", list),
        get("/me/drafts/{draft}", "A draft", read),
        put(
            "/me/drafts/{draft}",
            "Keeps a draft, or another state of it",
            keep,
        ),
        delete("/me/drafts/{draft}", "Forgets a draft", forget),
    ]
}

/// A draft of a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Listed {
    /// What it is called.
    name: String,
    /// When it was kept.
    at: Millis,
}

/// A draft.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Draft {
    /// What it holds; pages alone know what it means.
    content: Value,
}

fn list(
    app: &App,
    permit: Permit<OwnAccount>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Listed>>> {
    let user = permit.user()?;
    let query = "SELECT name, at FROM drafts WHERE user_id = $1 ORDER BY at DESC, name";
    let rows = app.store.read(|sql| sql.query(query, values![user]))?;
    let listed = |row: &Row| {
        Ok(Listed {
            name: row.text(0)?.to_owned(),
            at: row.integer(1)?,
        })
    };
    rows.iter().map(listed).collect::<Result<_>>().map(Json)
}

/// The name of the draft of a request, and what it is sealed for.
fn named<Q, B>(permit: &Permit<OwnAccount>, call: &Call<Q, B>) -> Result<(Name, String)> {
    let name = Name::new(call.head.part("draft")?)?;
    let of = format!("draft {} {}", permit.user()?, name.text());
    Ok((name, of))
}

fn read(
    app: &App,
    permit: Permit<OwnAccount>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<Draft>> {
    let ((name, of), user) = (named(&permit, &call)?, permit.user()?);
    let query = "SELECT sealed FROM drafts WHERE user_id = $1 AND name = $2";
    let row = app
        .store
        .read(|sql| sql.row(query, values![user, name.text()]))?;
    let row = row.ok_or_else(|| Problem::not_found("draft"))?;
    let content = Sealer::of(app)?.open(&of, row.bytes(0)?)?;
    let content = serde_json::from_slice(&content);
    let content = content.map_err(|_| Problem::bug("a draft of the store cannot be read"))?;
    Ok(Json(Draft { content }))
}

fn keep(app: &App, permit: Permit<OwnAccount>, call: Call<Nothing, Json<Draft>>) -> Result<Done> {
    let ((name, of), user) = (named(&permit, &call)?, permit.user()?);
    let content = serde_json::to_vec(&call.body.0.content)
        .map_err(|_| Problem::bug("a draft cannot be written"))?;
    if content.len() > MOST.1 {
        return Err(Problem::new(413, "too-long", "a draft has 512 KiB at most"));
    }
    let sealed = Sealer::of(app)?.seal(&of, &content);
    app.store.act(|act| {
        act.execute(
            "INSERT INTO drafts (user_id, name, sealed, at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (user_id, name) DO UPDATE SET sealed = excluded.sealed, at = excluded.at",
            values![user, name.text(), &sealed[..], permit.at()],
        )?;
        let count = "SELECT count(*) FROM drafts WHERE user_id = $1";
        match act.number(count, values![user])? <= MOST.0 {
            true => Ok(()),
            false => Err(
                Problem::conflict("too-many-drafts", "nobody has more than 50 drafts")
                    .help("forget some"),
            ),
        }
    })?;
    Ok(Done)
}

fn forget(app: &App, permit: Permit<OwnAccount>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let ((name, _), user) = (named(&permit, &call)?, permit.user()?);
    let delete = "DELETE FROM drafts WHERE user_id = $1 AND name = $2";
    match app
        .store
        .act(|act| act.execute(delete, values![user, name.text()]))?
    {
        0 => Err(Problem::not_found("draft")),
        _ => Ok(Done),
    }
}
