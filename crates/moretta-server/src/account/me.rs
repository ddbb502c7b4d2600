//! The own account: who one is, what one may do where, what one prefers, and the password.

use super::begin::Current;
use super::proof::{self, Attempt};
use super::user::User;
use super::{Typed, cookie, weak};
use crate::app::App;
use crate::clock::Millis;
use crate::db::Sql;
use crate::http::{Call, Json, Nothing, Route, Tagged, WithCookies, get, outdated, patch, post};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{OwnAccount, Permit, RIGHTS, Role, SignedIn, To};
use crate::session::{self, IDLE, Shown, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How many bytes preferences may have.
const PREFERENCES: usize = 16 << 10;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/me",
            "Who one is, and what one may do in which project",
            me,
        ),
        patch("/me", "Changes preferences and idle minutes", change).of_version(),
        post(
            "/me/password",
            "Changes the password, and ends all other sessions",
            change_password,
        ),
    ]
}

/// Who is signed in.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Me {
    /// Their id.
    id: Id,
    /// Their number in the log.
    number: i64,
    /// Their name.
    name: Option<String>,
    /// Whether they administer the server.
    admin: bool,
    /// Whether they audit everything.
    auditor: bool,
    /// What they may do outside of projects: names of rights, from which a menu is made.
    rights: Vec<&'static str>,
    /// The projects of which they are a member.
    projects: Vec<Membership>,
    /// What pages remember of them.
    preferences: Map<String, Value>,
    /// Idle minutes after which their sessions lock.
    idle_minutes: i64,
    /// The most that they may choose.
    most_idle_minutes: i64,
    /// Whether they have a second factor.
    has_factor: bool,
    /// Whether they must have one.
    needs_factor: bool,
    /// How many recovery codes are left.
    recovery_codes: i64,
    /// The version, which an edit names.
    version: i64,
}

/// What somebody is in a project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Membership {
    /// The project.
    project: Id,
    /// Its name.
    name: String,
    /// The role.
    role: Role,
    /// The finest level that may be read.
    level: Option<i64>,
    /// When it ends.
    ends_at: Option<Millis>,
    /// What the role may do: names of rights, from which a menu is made.
    rights: Vec<&'static str>,
}

fn read(sql: &mut dyn Sql, id: Id, at: Millis) -> Result<Me> {
    let user = User::by_id(sql, id)?;
    let row = sql.row(
        "SELECT auditor, idle_minutes, own_idle_minutes, preferences, version FROM users WHERE id = $1",
        values![id],
    )?;
    let row = row.ok_or_else(|| Problem::not_found("user"))?;
    let auditor = row.yes(0)?;
    let most = row.integer(1)?.clamp(1, IDLE.1);
    let preferences = match row.maybe_text(3)? {
        Some(text) => serde_json::from_str(&text)
            .map_err(|_| Problem::bug("preferences of the store cannot be read"))?,
        None => Map::new(),
    };
    let codes = "SELECT count(*) FROM recovery WHERE user_id = $1";
    Ok(Me {
        id,
        number: user.number,
        admin: user.admin,
        auditor,
        rights: global_rights(user.admin, auditor),
        projects: memberships(sql, id, at)?,
        preferences,
        idle_minutes: row.maybe_integer(2)?.unwrap_or(most).clamp(1, most),
        most_idle_minutes: most,
        has_factor: user.factor.is_some(),
        needs_factor: user.needs_factor(),
        recovery_codes: sql.number(codes, values![id])?,
        version: row.integer(4)?,
        name: user.name,
    })
}

fn memberships(sql: &mut dyn Sql, user: Id, at: Millis) -> Result<Vec<Membership>> {
    let rows = sql.query(
        "SELECT p.id, p.name, m.role, m.level, m.ends_at FROM members m JOIN projects p ON p.id = m.project_id \
         WHERE m.user_id = $1 AND (m.ends_at IS NULL OR m.ends_at > $2) ORDER BY p.name",
        values![user, at],
    )?;
    let membership = |row: &crate::db::Row| {
        let (role, level) = (Role::parse(row.text(2)?)?, row.integer(3)?);
        let rights = RIGHTS.iter().filter(|right| right.has(role, level));
        Ok(Membership {
            project: row.id(0)?,
            name: row.text(1)?.to_owned(),
            role,
            level: Some(level).filter(|level| *level > 0),
            ends_at: row.maybe_integer(4)?,
            rights: rights.map(|right| right.name).collect(),
        })
    };
    rows.iter().map(membership).collect()
}

fn global_rights(admin: bool, auditor: bool) -> Vec<&'static str> {
    let given = |to: &To| match to {
        To::Signed => true,
        To::Admin => admin,
        To::Auditor => auditor,
        _ => false,
    };
    let rights = RIGHTS.iter().filter(|right| right.to.iter().any(given));
    rights.map(|right| right.name).collect()
}

fn me(app: &App, permit: Permit<SignedIn>, _: Call<Nothing, Nothing>) -> Result<Tagged<Json<Me>>> {
    let (user, at) = (permit.user()?, permit.at());
    let me = app.store.read(|sql| read(sql, user, at))?;
    Ok(Tagged(me.version, Json(me)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Changed {
    /// What pages remember, instead of what they did.
    preferences: Option<Map<String, Value>>,
    /// Idle minutes after which sessions lock: 1 up to the most that an administrator has set.
    idle_minutes: Option<i64>,
}

fn change(
    app: &App,
    permit: Permit<OwnAccount>,
    call: Call<Nothing, Json<Changed>>,
) -> Result<Tagged<Json<Me>>> {
    let (user, at, seen) = (permit.user()?, permit.at(), call.seen_version()?);
    let Changed {
        preferences,
        idle_minutes,
    } = &call.body.0;
    let preferences = preferences.as_ref().map(serde_json::to_string).transpose();
    let preferences = preferences.map_err(|_| Problem::bug("preferences cannot be written"))?;
    if preferences
        .as_ref()
        .is_some_and(|text| text.len() > PREFERENCES)
    {
        return Err(Problem::unusable("preferences have 16 KiB at most"));
    }
    let me = app.store.act(|act| {
        let most = read(&mut **act, user, at)?.most_idle_minutes;
        if idle_minutes.is_some_and(|minutes| !(1..=most).contains(&minutes)) {
            let what = format!("idle minutes are 1 to {most}");
            return Err(Problem::unusable(what));
        }
        let changed = act.execute(
            "UPDATE users SET preferences = COALESCE($1, preferences), \
             own_idle_minutes = COALESCE($2, own_idle_minutes), version = version + 1 \
             WHERE id = $3 AND version = $4",
            values![preferences.clone(), *idle_minutes, user, seen],
        )?;
        if changed == 0 {
            return Err(outdated());
        }
        let mut entry = permit.entry("me.change");
        let minutes = idle_minutes.map(|minutes| ("idle_minutes", minutes.to_string()));
        entry.facts.extend(minutes);
        act.log(&entry)?;
        read(&mut **act, user, at)
    })?;
    Ok(Tagged(me.version, Json(me)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewPassword {
    /// The password so far.
    password: Typed,
    /// The password from now on.
    new: Typed,
}

fn change_password(
    app: &App,
    permit: Permit<OwnAccount>,
    call: Call<Nothing, Json<NewPassword>>,
) -> Result<WithCookies<Json<Current>>> {
    let (at, session, user) = (permit.at(), permit.session()?, permit.user()?);
    let user = app.store.read(|sql| User::by_id(sql, user))?;
    let (given, new) = (&call.body.0, call.body.0.new.text()?);
    weak::check(new, user.name.as_deref().unwrap_or_default())?;
    let attempt = Attempt::of(&call.head, &user, "me.password", at);
    proof::password(app, &attempt, &given.password)?;
    let hash = app.gate.hash(new)?;
    let (cookies, current) = app.store.act(|act| {
        let changed = act.execute(
            "UPDATE users SET password = $1, version = version + 1 WHERE id = $2 AND password = $3",
            values![&hash, user.id, user.password.clone()],
        )?;
        if changed == 0 {
            return Err(outdated());
        }
        session::end_all(&mut **act, user.id, Some(session.id))?;
        let secret = session::renew(&mut **act, session, State::Full, Shown::Password, at)?;
        act.log(&permit.entry("me.password"))?;
        let current = Current::with_secret(&mut **act, &secret, &user, at)?;
        Ok((vec![cookie::session(&secret)], current))
    })?;
    Ok(WithCookies(cookies, Json(current)))
}
