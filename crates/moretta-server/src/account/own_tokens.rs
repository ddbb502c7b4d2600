//! The own tokens, for programs: with a scope and an end, never for raw rows, approvals and grants.

use crate::app::App;
use crate::clock::Millis;
use crate::http::{Call, Created, Done, Json, Nothing, Route, delete, get, post};
use crate::id::Id;
use crate::name::Name;
use crate::problem::Result;
use crate::rights::{OwnAccount, Permit};
use crate::token::{self, Listed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/me/tokens", "The own tokens", list),
        post(
            "/me/tokens",
            "Makes a token; its secret is shown once",
            make,
        ),
        delete("/me/tokens/{token}", "Ends a token, at once", end),
    ]
}

fn list(
    app: &App,
    permit: Permit<OwnAccount>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Listed>>> {
    let (user, at) = (permit.user()?, permit.at());
    app.store.read(|sql| token::list(sql, user, at)).map(Json)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewToken {
    /// What its owner calls it.
    name: Name,
    /// What it may do: names of rights or of their areas.
    scope: Vec<String>,
    /// When it ends; in 90 days at most.
    ends_at: Millis,
}

/// A token that was made.
#[derive(Serialize, JsonSchema)]
struct Made {
    /// Its id, which is no secret.
    id: Id,
    /// What a program sends as `Authorization: Bearer …`. It is shown this once.
    secret: String,
}

fn make(
    app: &App,
    permit: Permit<OwnAccount>,
    call: Call<Nothing, Json<NewToken>>,
) -> Result<Created<Made>> {
    let (user, at, new) = (permit.user()?, permit.at(), &call.body.0);
    app.store
        .act(|act| {
            let name = new.name.text();
            let made = token::make(&mut **act, user, name, &new.scope, new.ends_at, at);
            let (id, secret) = made?;
            let mut entry = permit.entry("token.make");
            entry.subject = Some(id);
            entry.facts = vec![
                ("scope", new.scope.join(" ")),
                ("ends_at", new.ends_at.to_string()),
            ];
            act.log(&entry)?;
            Ok(Made {
                id,
                secret: secret.show().to_owned(),
            })
        })
        .map(Created)
}

fn end(app: &App, permit: Permit<OwnAccount>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let (token, user) = (call.id("token")?, permit.user()?);
    app.store.act(|act| {
        token::end(&mut **act, user, token)?;
        let mut entry = permit.entry("token.end");
        entry.subject = Some(token);
        act.log(&entry)
    })?;
    Ok(Done)
}
