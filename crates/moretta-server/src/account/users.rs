//! Users as administrators see and change them.
//!
//! An administrator hands out links and never knows a password. What would give them an account that
//! reads data waits for a second person: a new second factor of who reads data, audits or administers, a
//! new password of such a person who has no second factor yet, another administrator or auditor.

use super::link::{self, Kind};
use super::user::{NewUser, State, User, account_name, add};
use super::{decisions, deletion};
use crate::app::App;
use crate::clock::Millis;
use crate::db::{Row, Sql};
use crate::http::{
    Accepted, Call, Created, Done, Json, Nothing, Route, Tagged, delete, get, outdated, patch, post,
};
use crate::id::Id;
use crate::name::Name;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::rights::{ListUsers, ManageUsers, Permit};
use crate::session::{self, IDLE};
use crate::store::Act;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/users", "All users", list),
        post(
            "/users",
            "Invites somebody; gives the link to hand over",
            invite,
        ),
        get("/users/{user}", "A user", show),
        patch(
            "/users/{user}",
            "Changes a user; another administrator or auditor waits for a second person",
            change,
        )
        .of_version(),
        delete(
            "/users/{user}",
            "Deletes a user; what they did stays in the log under their number",
            remove,
        ),
        post("/users/{user}/disable", "Disables a user, at once", disable),
        post("/users/{user}/enable", "Lets a user sign in again", enable),
        delete(
            "/users/{user}/sessions",
            "Ends all sessions of a user",
            end_sessions,
        ),
        post(
            "/users/{user}/link",
            "Gives a link by which a user chooses a password",
            hand_link,
        ),
        post(
            "/users/{user}/factor-removal",
            "Takes the second factor of a user away, or asks a second person to",
            remove_factor,
        ),
    ]
}

/// A user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Listed {
    /// Their id.
    id: Id,
    /// Their number in the log.
    number: i64,
    /// Their name; none of a deleted one.
    name: Option<String>,
    /// `invited`, `active`, `disabled` or `deleted`.
    state: String,
    /// Whether they administer the server.
    admin: bool,
    /// Whether they audit everything.
    auditor: bool,
    /// The most idle minutes that they may choose.
    idle_minutes: i64,
    /// Whether they have a second factor.
    has_factor: bool,
    /// When they were invited.
    made_at: Millis,
    /// Who invited them.
    made_by: Option<Id>,
    /// The version, which an edit names.
    version: i64,
}

const SELECT: &str = "SELECT id, number, name, state, admin, auditor, idle_minutes, factor, made_at, made_by, \
                      version FROM users WHERE";

fn read(row: &Row) -> Result<Listed> {
    Ok(Listed {
        id: row.id(0)?,
        number: row.integer(1)?,
        name: row.maybe_text(2)?,
        state: row.text(3)?.to_owned(),
        admin: row.yes(4)?,
        auditor: row.yes(5)?,
        idle_minutes: row.integer(6)?,
        has_factor: !row.is_null(7)?,
        made_at: row.integer(8)?,
        made_by: row.maybe_id(9)?,
        version: row.integer(10)?,
    })
}

fn find(sql: &mut dyn Sql, id: Id) -> Result<Listed> {
    let row = sql.row(&format!("{SELECT} id = $1"), values![id])?;
    read(&row.ok_or_else(|| Problem::not_found("user"))?)
}

fn list(
    app: &App,
    _: Permit<ListUsers>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<Listed>>> {
    let (limit, after) = (call.query.limit()?, call.query.after_number()?.unwrap_or(0));
    let query = format!("{SELECT} number > $1 ORDER BY number LIMIT $2");
    let rows = app
        .store
        .read(|sql| sql.query(&query, values![after, limit + 1]))?;
    let users = rows.iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(Json(Page::of(users, limit, |user| user.number.to_string())))
}

fn show(
    app: &App,
    _: Permit<ListUsers>,
    call: Call<Nothing, Nothing>,
) -> Result<Tagged<Json<Listed>>> {
    let id = call.id("user")?;
    let user = app.store.read(|sql| find(sql, id))?;
    Ok(Tagged(user.version, Json(user)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Invitation {
    /// The name of the account, which no other one has.
    name: Name,
    /// Whether they are to audit everything, which a second person grants once they have signed in.
    #[serde(default)]
    auditor: bool,
    /// The most idle minutes that they may choose, 1 to 30; 10 without.
    idle_minutes: Option<i64>,
}

/// A link to hand over. It is shown this once.
#[derive(Serialize, JsonSchema)]
struct Handed {
    /// Whose it is.
    user: Id,
    /// The secret, which stands in the fragment of the address: `/#link=…`.
    link: String,
    /// When it ends.
    ends_at: Millis,
    /// The wish that a second person has to grant: of an invitation, before they audit; else before
    /// the link can be used.
    wish: Option<Id>,
}

fn check_idle(minutes: i64) -> Result<i64> {
    match (1..=IDLE.1).contains(&minutes) {
        true => Ok(minutes),
        false => Err(Problem::unusable("idle minutes are 1 to 30")),
    }
}

fn invite(
    app: &App,
    permit: Permit<ManageUsers>,
    call: Call<Nothing, Json<Invitation>>,
) -> Result<Created<Handed>> {
    let (at, new, id) = (permit.at(), &call.body.0, Id::random());
    let idle_minutes = check_idle(new.idle_minutes.unwrap_or(IDLE.0))?;
    let (secret, wish) = app.store.act(|act| {
        let user = NewUser {
            id,
            name: &new.name,
            admin: false,
            auditor: new.auditor && !app.settings.four_eyes,
            idle_minutes,
            at,
            by: Some(permit.user()?),
        };
        let number = add(&mut **act, &user)?;
        let mut entry = permit.entry("user.invite");
        entry.subject = Some(id);
        entry.facts = vec![
            ("number", number.to_string()),
            ("auditor", user.auditor.to_string()),
        ];
        act.log(&entry)?;
        let wish = match new.auditor && !user.auditor {
            true => {
                let user = User::by_id(&mut **act, id)?;
                decisions::ask(app, act, &permit, &user, "auditor", "invited as an auditor")?
            }
            false => None,
        };
        let secret = link::make(&mut **act, Kind::Invitation, Some(id), None, at)?;
        Ok((secret, wish))
    })?;
    Ok(Created(Handed {
        user: id,
        link: secret.show().to_owned(),
        ends_at: at + Kind::Invitation.length(),
        wish,
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Changed {
    /// Another name.
    name: Option<Name>,
    /// Whether they administer the server.
    admin: Option<bool>,
    /// Whether they audit everything.
    auditor: Option<bool>,
    /// The most idle minutes that they may choose.
    idle_minutes: Option<i64>,
    /// Why; of who becomes an administrator or an auditor.
    reason: Option<String>,
}

/// What has become of a change.
#[derive(Serialize, JsonSchema)]
struct Outcome {
    /// The user as they are now.
    user: Listed,
    /// The wish that waits for a second person: that the user administers the server, or audits it.
    wish: Option<Id>,
}

fn change(
    app: &App,
    permit: Permit<ManageUsers>,
    call: Call<Nothing, Json<Changed>>,
) -> Result<Tagged<Json<Outcome>>> {
    let (id, seen, changed) = (call.id("user")?, call.seen_version()?, &call.body.0);
    let idle_minutes = changed.idle_minutes.map(check_idle).transpose()?;
    if changed.admin == Some(true) && changed.auditor == Some(true) {
        let what = "a second person grants one thing at a time";
        return Err(Problem::unusable(what).help("ask for the other one in a request of its own"));
    }
    let outcome = app.store.act(|act| {
        let user = User::by_id(&mut **act, id)?;
        let name = changed.name.as_ref().map(account_name);
        let updated = act.execute(
            "UPDATE users SET name = COALESCE($1, name), auditor = CASE WHEN $2 = 1 THEN 0 ELSE auditor END, \
             idle_minutes = COALESCE($3, idle_minutes), version = version + 1 WHERE id = $4 AND version = $5",
            values![name, i64::from(changed.auditor == Some(false)), idle_minutes, id, seen],
        );
        let updated = match &changed.name {
            Some(name) => updated.map_err(|problem| name.taken(problem))?,
            None => updated?,
        };
        if updated == 0 {
            return Err(outdated());
        }
        let mut entry = permit.entry("user.change");
        entry.subject = Some(id);
        entry.facts = facts(changed);
        act.log(&entry)?;
        if changed.admin == Some(false) && user.admin {
            decisions::dismiss(act, &permit, &user)?;
        }
        let becomes = match (changed.admin, changed.auditor) {
            (Some(true), _) if !user.admin => Some("admin"),
            (_, Some(true)) if !user.auditor => Some("auditor"),
            _ => None,
        };
        let reason = changed.reason.as_deref().unwrap_or_default();
        let wish = match becomes {
            Some(kind) => decisions::ask(app, act, &permit, &user, kind, reason)?,
            None => None,
        };
        let user = find(&mut **act, id)?;
        Ok(Outcome { user, wish })
    })?;
    Ok(Tagged(outcome.user.version, Json(outcome)))
}

/// What the log says of a change: never a name.
fn facts(changed: &Changed) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if changed.name.is_some() {
        facts.push(("name", "changed".to_owned()));
    }
    // That somebody becomes one is an entry of its own.
    let ends = changed.auditor.filter(|yes| !yes);
    facts.extend(ends.map(|yes| ("auditor", yes.to_string())));
    facts.extend(
        changed
            .idle_minutes
            .map(|most| ("idle_minutes", most.to_string())),
    );
    facts
}

/// The user of a request, who is somebody else.
fn other(act: &mut Act<'_>, permit: &Permit<ManageUsers>, id: Id) -> Result<User> {
    match permit.user()? == id {
        true => Err(decisions::own_account()),
        false => User::by_id(&mut **act, id),
    }
}

fn set_state(act: &mut Act<'_>, user: Id, state: State) -> Result<()> {
    act.execute_one(
        "UPDATE users SET state = $1, version = version + 1 WHERE id = $2",
        values![state.word(), user],
    )
}

fn log(act: &mut Act<'_>, permit: &Permit<ManageUsers>, name: &str, user: Id) -> Result<()> {
    let mut entry = permit.entry(name);
    entry.subject = Some(user);
    act.log(&entry)
}

fn disable(app: &App, permit: Permit<ManageUsers>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let id = call.id("user")?;
    app.store.act(|act| {
        let user = other(act, &permit, id)?;
        if user.state == State::Disabled {
            return Err(Problem::conflict(
                "disabled",
                "the user is disabled already",
            ));
        }
        set_state(act, id, State::Disabled)?;
        session::end_all(&mut **act, id, None)?;
        link::end_of(&mut **act, id)?;
        log(act, &permit, "user.disable", id)
    })?;
    Ok(Done)
}

fn enable(app: &App, permit: Permit<ManageUsers>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let id = call.id("user")?;
    app.store.act(|act| {
        let user = other(act, &permit, id)?;
        if user.state != State::Disabled {
            return Err(Problem::conflict("enabled", "the user is not disabled"));
        }
        let state = match user.password {
            Some(_) => State::Active,
            None => State::Invited,
        };
        set_state(act, id, state)?;
        log(act, &permit, "user.enable", id)
    })?;
    Ok(Done)
}

fn remove(app: &App, permit: Permit<ManageUsers>, call: Call<Nothing, Nothing>) -> Result<Done> {
    let id = call.id("user")?;
    app.store.act(|act| {
        let user = other(act, &permit, id)?;
        deletion::delete(act, &permit, &user)
    })?;
    Ok(Done)
}

/// How many sessions were ended.
#[derive(Serialize, JsonSchema)]
struct Ended {
    /// Their number.
    sessions: u64,
}

fn end_sessions(
    app: &App,
    permit: Permit<ManageUsers>,
    call: Call<Nothing, Nothing>,
) -> Result<Json<Ended>> {
    let id = call.id("user")?;
    app.store
        .act(|act| {
            User::by_id(&mut **act, id)?;
            let sessions = session::end_all(&mut **act, id, None)?;
            log(act, &permit, "user.end-sessions", id)?;
            Ok(Ended { sessions })
        })
        .map(Json)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Why {
    /// Why.
    reason: String,
}

fn hand_link(
    app: &App,
    permit: Permit<ManageUsers>,
    call: Call<Nothing, Json<Why>>,
) -> Result<Created<Handed>> {
    let (id, at, reason) = (call.id("user")?, permit.at(), &call.body.0.reason);
    let handed = app.store.act(|act| {
        let user = other(act, &permit, id)?;
        let kind = match user.state {
            State::Invited => Kind::Invitation,
            State::Active => Kind::Reset,
            State::Disabled | State::Deleted => {
                let what = "the user is disabled";
                return Err(Problem::conflict("disabled", what).help("enable the user first"));
            }
        };
        // Without a second factor, the link alone would be the account.
        let wish = match user.needs_factor() && user.factor.is_none() {
            true => decisions::ask(app, act, &permit, &user, "reset", reason)?,
            false => None,
        };
        let secret = link::make(&mut **act, kind, Some(id), wish, at)?;
        log(act, &permit, "user.link", id)?;
        Ok(Handed {
            user: id,
            link: secret.show().to_owned(),
            ends_at: at + kind.length(),
            wish,
        })
    })?;
    Ok(Created(handed))
}

/// What has become of it.
#[derive(Serialize, JsonSchema)]
struct Removal {
    /// `removed`, or `waiting` for a second person.
    state: &'static str,
    /// The wish that waits.
    wish: Option<Id>,
}

fn remove_factor(
    app: &App,
    permit: Permit<ManageUsers>,
    call: Call<Nothing, Json<Why>>,
) -> Result<Accepted<Removal>> {
    let (id, reason) = (call.id("user")?, &call.body.0.reason);
    let wish = app.store.act(|act| {
        let user = other(act, &permit, id)?;
        if user.factor.is_none() {
            return Err(Problem::conflict(
                "no-factor",
                "the user has no second factor",
            ));
        }
        match user.needs_factor() {
            true => decisions::ask(app, act, &permit, &user, "factor", reason),
            false => {
                super::factor::remove(&mut **act, id)?;
                log(act, &permit, "user.factor", id)?;
                Ok(None)
            }
        }
    })?;
    Ok(Accepted(Removal {
        state: if wish.is_some() { "waiting" } else { "removed" },
        wish,
    }))
}
