//! What of accounts waits for a second person: another administrator, an auditor of everything, a new
//! second factor, a new password of who has no second factor. Whoever is alone with `four_eyes` off is their own second person, which
//! the log says.

use super::user::{State, User};
use super::{factor, link};
use crate::app::App;
use crate::db::Sql;
use crate::http::{Call, Done, Json, Nothing, Route, get, post};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{ConfirmUsers, ListUsers, ManageUsers, Permit};
use crate::store::Act;
use crate::token;
use crate::wish::{self, Asked, Wish};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/wishes",
            "What of accounts waits for a second person",
            list,
        ),
        post(
            "/wishes/{wish}/decision",
            "Grants or refuses what another administrator asked for",
            decide,
        ),
    ]
}

fn list(app: &App, _: Permit<ListUsers>, _: Call<Nothing, Nothing>) -> Result<Json<Vec<Wish>>> {
    app.store.read(wish::waiting_of_accounts).map(Json)
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// Whether it is granted.
    grant: bool,
}

fn decide(
    app: &App,
    permit: Permit<ConfirmUsers>,
    call: Call<Nothing, Json<Decision>>,
) -> Result<Done> {
    let (id, grant, by) = (call.id("wish")?, call.body.0.grant, permit.user()?);
    app.store.act(|act| {
        let wish = wish::decide(&mut **act, id, None, grant, by, permit.at())?;
        match grant {
            true => fulfil(act, &wish.kind, wish.subject)?,
            false => act
                .execute("DELETE FROM links WHERE wish_id = $1", values![id])
                .map(drop)?,
        }
        let mut entry = permit.entry(if grant { "user.grant" } else { "user.refuse" });
        entry.subject = Some(wish.subject);
        entry.facts = vec![("what", wish.kind)];
        act.log(&entry)
    })?;
    Ok(Done)
}

/// Asks a second person for something about a user; does it at once where none is needed.
pub(super) fn ask(
    app: &App,
    act: &mut Act<'_>,
    permit: &Permit<ManageUsers>,
    user: &User,
    kind: &'static str,
    reason: &str,
) -> Result<Option<Id>> {
    if reason.trim().is_empty() || reason.chars().count() > 1000 {
        return Err(Problem::unusable("say why, in at most 1,000 characters"));
    }
    match kind {
        "admin" => check_may_administer(&mut **act, user)?,
        "auditor" if permit.user()? == user.id => return Err(own_account()),
        _ => {}
    }
    let mut entry = permit.entry("user.ask");
    entry.subject = Some(user.id);
    entry.facts = vec![("what", kind.to_owned())];
    if !app.settings.four_eyes {
        fulfil(act, kind, user.id)?;
        entry.act = "user.grant";
        entry.facts.push(("alone", "four_eyes is off".to_owned()));
        act.log(&entry)?;
        return Ok(None);
    }
    let asked = Asked {
        kind,
        project: None,
        subject: user.id,
        wish: "{}".to_owned(),
        reason,
        by: permit.user()?,
        at: permit.at(),
    };
    let wish = wish::ask(&mut **act, &asked)?;
    act.log(&entry)?;
    Ok(Some(wish))
}

fn fulfil(act: &mut Act<'_>, kind: &str, user: Id) -> Result<()> {
    match kind {
        "admin" => {
            let user = User::by_id(&mut **act, user)?;
            check_may_administer(&mut **act, &user)?;
            act.execute_one(
                "UPDATE users SET admin = 1, version = version + 1 WHERE id = $1",
                values![user.id],
            )
        }
        "auditor" => {
            // Who has the link of an invitation would become what a second person confirms.
            check_active(&User::by_id(&mut **act, user)?)?;
            link::end_of(&mut **act, user)?;
            token::end_all(&mut **act, user)?;
            act.execute_one(
                "UPDATE users SET auditor = 1, version = version + 1 WHERE id = $1",
                values![user],
            )
        }
        "factor" => factor::remove(&mut **act, user),
        // Its link can be used from now on.
        "reset" => Ok(()),
        _ => Err(Problem::conflict(
            "elsewhere",
            "this is decided where it was asked for",
        )),
    }
}

/// Nobody does this to their own account.
pub(super) fn own_account() -> Problem {
    Problem::conflict("own-account", "nobody does this to their own account")
        .help("ask another administrator, or use the pages of your own account")
}

fn check_active(user: &User) -> Result<()> {
    match user.state {
        State::Active => Ok(()),
        _ => Err(
            Problem::conflict("not-active", "the user has not signed in yet, or may not")
                .help("grant it when they have signed in"),
        ),
    }
}

fn check_may_administer(sql: &mut dyn Sql, user: &User) -> Result<()> {
    check_active(user)?;
    let count = "SELECT count(*) FROM members WHERE user_id = $1";
    match sql.number(count, values![user.id])? {
        0 => Ok(()),
        _ => Err(
            Problem::conflict("member", "an administrator is a member of no project")
                .help("end the memberships first, or invite that person a second time"),
        ),
    }
}

/// Makes an administrator an ordinary user; one stays.
pub(super) fn dismiss(act: &mut Act<'_>, permit: &Permit<ManageUsers>, user: &User) -> Result<()> {
    let others = "SELECT count(*) FROM users WHERE admin = 1 AND state = 'active' AND id <> $1";
    if act.number(others, values![user.id])? == 0 {
        let what = "this is the only administrator";
        return Err(Problem::conflict("last-admin", what).help("make somebody else one first"));
    }
    act.execute_one(
        "UPDATE users SET admin = 0, version = version + 1 WHERE id = $1",
        values![user.id],
    )?;
    link::end_of(&mut **act, user.id)?;
    let mut entry = permit.entry("user.dismiss");
    entry.subject = Some(user.id);
    act.log(&entry)
}
