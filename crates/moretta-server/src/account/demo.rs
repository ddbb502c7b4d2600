//! Seven people of a demonstration, one for each of those who use a server, and a link for each with
//! which whoever started it is signed in as that person.
//!
//! The links do what no link of a server in use does: they sign in again and again, without a
//! password, as if the second factor had just been shown. They are made and taken only where the
//! settings say `demo`, which no file and no client can; such a server listens to its own machine and
//! keeps nothing.

use super::begin::Current;
use super::user::User;
use super::{Typed, check_site, cookie, set_factor};
use crate::app::App;
use crate::audit::Entry;
use crate::clock::{DAY, Millis};
use crate::http::{Call, Created, Json, Nothing, Route, WithCookies, post};
use crate::id::{Id, random_bytes};
use crate::problem::{Problem, Result};
use crate::project::Rules;
use crate::rights::{Open, Permit, Role};
use crate::secret::{Secret, hex};
use crate::session::{self, State};
use crate::store::Act;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![post(
        "/demo/session",
        "Signs in as a person of a demonstration; elsewhere there is none",
        enter,
    )]
}

/// The projects of a demonstration.
const PROJECTS: [&str; 2] = ["hospital", "shop"];

/// A person of a demonstration.
struct Actor {
    name: &'static str,
    what: &'static str,
    /// The role in each project, with a level.
    roles: [Option<(Role, i64)>; 2],
}

const fn actor(name: &'static str, what: &'static str, roles: [Option<(Role, i64)>; 2]) -> Actor {
    Actor { name, what, roles }
}

const ACTORS: [Actor; 7] = [
    actor(
        "officer",
        "approves releases and sets rules",
        [Some((Role::Officer, 0)), Some((Role::Officer, 0))],
    ),
    actor(
        "steward",
        "uploads data, protects them and asks for releases",
        [Some((Role::Steward, 0)), Some((Role::Steward, 0))],
    ),
    actor(
        "analyst",
        "reads releases of level 2 and coarser",
        [Some((Role::Analyst, 2)), Some((Role::Analyst, 2))],
    ),
    actor(
        "clinician",
        "reads raw rows of the hospital, for some weeks",
        [Some((Role::Analyst, 1)), None],
    ),
    actor(
        "operator",
        "runs streams of the shop",
        [None, Some((Role::Operator, 0))],
    ),
    actor("auditor", "reads the log, and no row", [None, None]),
    actor(
        "administrator",
        "invites people, and sees no data",
        [None, None],
    ),
];

/// A person of a demonstration and the link with which one is signed in as them.
#[derive(Clone, Debug)]
pub struct DemoPerson {
    /// The name of the account.
    pub name: &'static str,
    /// What this person does.
    pub what: &'static str,
    secret: Secret,
}

impl DemoPerson {
    /// The secret of the link.
    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The link on a server. Its secret stands in the fragment, which browsers send to nobody.
    pub fn address(&self, server: &str) -> String {
        format!("{server}/#demo={}", self.secret.show())
    }
}

/// Makes the people and projects of a demonstration in an empty store.
///
/// # Errors
/// When the server is none, or the store does not answer.
pub fn demo_people(app: &App) -> Result<Vec<DemoPerson>> {
    if !app.settings.demo {
        return Err(Problem::bug("this server is no demonstration"));
    }
    let at = app.clock.now();
    let ids = ACTORS.each_ref().map(|_| Id::random());
    let people = app.store.act(|act| {
        let mut people = Vec::new();
        for (number, (actor, id)) in (1_i64..).zip(ACTORS.iter().zip(ids)) {
            people.push(add(act, actor, id, number, at)?);
        }
        let [officer, steward, .., administrator] = ids;
        for (place, name) in PROJECTS.into_iter().enumerate() {
            let project = Id::random();
            act.execute(
                "INSERT INTO projects (id, name, rules, state, made_at, made_by) VALUES ($1, $2, $3, 'open', $4, $5)",
                values![project, name, rules_of(name).text(), at, administrator],
            )?;
            for (actor, user) in ACTORS.iter().zip(ids) {
                let Some((role, level)) = actor.roles[place] else {
                    continue;
                };
                let ends_at = (level == 1).then_some(at + 60 * DAY);
                // Nobody confirms what they get.
                let confirmed_by = if user == officer { steward } else { officer };
                act.execute(
                    "INSERT INTO members (project_id, user_id, role, level, ends_at, asked_by, confirmed_by, at) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                    values![project, user, role.word(), level, ends_at, administrator, confirmed_by, at],
                )?;
                act.log(&Entry {
                    at,
                    act: "member.grant",
                    project: Some(project),
                    subject: Some(user),
                    facts: facts(role, level, ends_at),
                    ..Entry::default()
                })?;
            }
        }
        Ok(people)
    })?;
    for id in ids {
        set_factor(app, id, &random_bytes::<20>())?;
    }
    Ok(people)
}

/// A shop with few visitors hides them among fewer others than is usual.
fn rules_of(project: &str) -> Rules {
    let mut rules = Rules::default();
    if project == "shop" {
        rules.least_k.insert(2, 3);
    }
    rules
}

fn facts(role: Role, level: i64, ends_at: Option<Millis>) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("role", role.word().to_owned()),
        ("alone", "a demonstration".to_owned()),
    ];
    facts.extend((level > 0).then(|| ("level", level.to_string())));
    facts.extend(ends_at.map(|ends| ("ends_at", ends.to_string())));
    facts
}

fn add(act: &mut Act<'_>, actor: &Actor, id: Id, number: i64, at: Millis) -> Result<DemoPerson> {
    let (admin, auditor) = (actor.name == "administrator", actor.name == "auditor");
    act.execute(
        "INSERT INTO users (id, number, name, state, admin, auditor, idle_minutes, made_at) \
         VALUES ($1, $2, $3, 'active', $4, $5, 30, $6)",
        values![id, number, actor.name, admin, auditor, at],
    )?;
    let secret = Secret::new(hex(&random_bytes::<32>()));
    act.execute(
        "INSERT INTO links (secret, kind, user_id, made_at, ends_at) VALUES ($1, 'demo', $2, $3, $4)",
        values![&secret.sum()[..], id, at, at + 365 * DAY],
    )?;
    act.log(&Entry {
        at,
        act: "user.make",
        subject: Some(id),
        facts: vec![("alone", "a demonstration".to_owned())],
        ..Entry::default()
    })?;
    Ok(DemoPerson {
        name: actor.name,
        what: actor.what,
        secret,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Entering {
    /// The secret of the link.
    link: Typed,
}

fn enter(
    app: &App,
    permit: Permit<Open>,
    call: Call<Nothing, Json<Entering>>,
) -> Result<WithCookies<Created<Current>>> {
    check_site(&call.head)?;
    if !app.settings.demo {
        return Err(Problem::not_found("route"));
    }
    let sum = Secret::new(call.body.0.link.text()?.to_owned()).sum();
    let at = permit.at();
    let (secret, current) = app.store.act(|act| {
        let row = act.row(
            "SELECT user_id FROM links WHERE kind = 'demo' AND secret = $1",
            values![&sum[..]],
        )?;
        let user = row.ok_or_else(|| Problem::not_found("link"))?.id(0)?;
        let user = User::by_id(&mut **act, user)?;
        let (session, secret) = session::begin(&mut **act, user.id, State::Full, Some(at), at)?;
        act.log(&Entry {
            at,
            actor: Some(user.number),
            act: "session.begin",
            subject: Some(session),
            facts: vec![("by", "a link of the demonstration".to_owned())],
            ..Entry::default()
        })?;
        let current = Current::with_secret(&mut **act, &secret, &user, at)?;
        Ok((secret, current))
    })?;
    Ok(WithCookies(
        vec![cookie::session(&secret)],
        Created(current),
    ))
}
