//! What waits in a project for a second person.

use super::{members, rules};
use crate::app::App;
use crate::http::{Call, Done, Json, Nothing, Route, get, post};
use crate::problem::{Problem, Result};
use crate::rights::{ConfirmMembers, ListMembers, Permit};
use crate::wish::{self, Wish};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/wishes",
            "What waits for a second person",
            list,
        ),
        post(
            "/projects/{project}/wishes/{wish}/decision",
            "Grants or refuses what another person asked for",
            decide,
        ),
    ]
}

fn list(
    app: &App,
    permit: Permit<ListMembers>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Vec<Wish>>> {
    let project = permit.project()?;
    let mut wishes = app.store.read(|sql| wish::waiting(sql, project))?;
    let sees_all = permit.member()?.role.is_some() || permit.signed()?.auditor;
    wishes.retain(|wish| sees_all || !is_for_members(wish));
    Ok(Json(wishes))
}

/// Whether a wish is about what a project does with its data, in which administrators have no part.
fn is_for_members(wish: &Wish) -> bool {
    wish.kind != "member"
}

/// A decision.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// Whether it is granted.
    grant: bool,
}

fn decide(
    app: &App,
    permit: Permit<ConfirmMembers>,
    call: Call<Nothing, Json<Decision>>,
) -> Result<Done> {
    let (project, id, grant) = (permit.project()?, call.id("wish")?, call.body.0.grant);
    let (by, at) = (permit.user()?, permit.at());
    let is_member = permit.member()?.role.is_some();
    app.store.act(|act| {
        let wish = wish::decide(&mut **act, id, Some(project), grant, by, at)?;
        if is_for_members(&wish) && !is_member {
            let what = "officers of the project decide this, and no administrator";
            return Err(Problem::forbidden(what).help("ask an officer who did not ask for it"));
        }
        let facts = match (&*wish.kind, grant) {
            (_, false) => Vec::new(),
            ("member", true) => members::granted(act, &wish, by, at)?,
            ("rules", true) => rules::granted(app, act, &permit, &wish)?,
            _ => {
                return Err(Problem::conflict(
                    "elsewhere",
                    "this is decided where it was asked for",
                ));
            }
        };
        let act_name = format!("{}.{}", wish.kind, if grant { "grant" } else { "refuse" });
        let mut entry = permit.entry(&act_name);
        entry.subject = Some(wish.subject);
        entry.facts = facts;
        act.log(&entry)
    })?;
    Ok(Done)
}
