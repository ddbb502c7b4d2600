//! The first administrators: by links that the program prints where it was started.
//!
//! There are no accounts to begin with. Where two persons are needed, the program prints two links:
//! whom the first administrator invites has an account that the first could have made for themselves,
//! so that another one has to begin as the first did. Who starts the program can do both; they have
//! the keys as well.

use super::begin::{Beginning, Current, begin};
use super::link::{self, Kind, Link, Redeemer};
use super::user::{NewUser, add};
use super::{Typed, check_site};
use crate::app::App;
use crate::audit::Entry;
use crate::clock::Millis;
use crate::db::Sql;
use crate::http::{Call, Created, Json, Nothing, Route, WithCookies, post};
use crate::id::Id;
use crate::name::Name;
use crate::problem::{Problem, Result};
use crate::rights::{Open, Permit};
use crate::secret::Secret;
use crate::session::IDLE;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![post(
        "/setup",
        "Begins as an administrator, by a link that the program has printed",
        set_up,
    )]
}

/// A link that the program prints.
#[derive(Clone, Debug)]
pub struct SetupLink {
    /// For whom it is.
    pub whose: &'static str,
    /// When it ends.
    pub ends_at: Millis,
    secret: Secret,
}

impl SetupLink {
    /// Its address on a server, such as `http://localhost:8440`. The secret stands in the fragment,
    /// which browsers send to nobody.
    pub fn address(&self, server: &str) -> String {
        format!("{server}/#setup={}", self.secret.show())
    }
}

/// The links to print at the start: for the first administrator while there is none, and for a second one,
/// whom no other one has invited, while two persons are needed and there are no two such.
///
/// # Errors
/// When the store does not answer.
pub fn setup_links(app: &App) -> Result<Vec<SetupLink>> {
    let mut links = Vec::new();
    for kind in [Kind::Setup, Kind::Second] {
        let is_wanted = kind == Kind::Setup || app.settings.four_eyes;
        if is_wanted && app.store.read(|sql| may_begin(sql, kind))? {
            links.push(printed(app, kind)?);
        }
    }
    Ok(links)
}

fn printed(app: &App, kind: Kind) -> Result<SetupLink> {
    let at = app.clock.now();
    let secret = app.store.act(|act| {
        let secret = link::make(&mut **act, kind, None, None, at)?;
        act.log(&Entry {
            at,
            act: "admin.link",
            facts: vec![("kind", kind.word().to_owned())],
            ..Entry::default()
        })?;
        Ok(secret)
    })?;
    Ok(SetupLink {
        whose: match kind {
            Kind::Second => "a second administrator, another person",
            _ => "the administrator",
        },
        ends_at: at + kind.length(),
        secret,
    })
}

/// How many administrators there are, and how many of them nobody has invited.
fn administrators(sql: &mut dyn Sql) -> Result<(i64, i64)> {
    let all = "SELECT count(*) FROM users WHERE admin = 1 AND state = 'active'";
    Ok((
        sql.number(all, values![])?,
        sql.number(&format!("{all} AND made_by IS NULL"), values![])?,
    ))
}

/// Whether the link of this kind may still be used.
fn may_begin(sql: &mut dyn Sql, kind: Kind) -> Result<bool> {
    let (all, first) = administrators(sql)?;
    Ok(match kind {
        Kind::Setup => all == 0,
        Kind::Second => first < 2,
        Kind::Invitation | Kind::Reset => false,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetUp {
    /// The secret of the link.
    link: Typed,
    /// The name of the account.
    name: Name,
    /// Its password.
    password: Typed,
}

fn set_up(
    app: &App,
    permit: Permit<Open>,
    call: Call<Nothing, Json<SetUp>>,
) -> Result<WithCookies<Created<Current>>> {
    check_site(&call.head)?;
    let (at, given) = (permit.at(), &call.body.0);
    let redeemer = Redeemer {
        secret: given.link.text()?,
        password: given.password.text()?,
        name: Some(given.name.text()),
        at,
    };
    let (cookies, current) = link::redeem(app, &redeemer, |act, link: &Link, hash| {
        if !may_begin(&mut **act, link.kind)? {
            let what = "the server has its administrators";
            return Err(Problem::conflict("set-up", what).help("have one of them invite you"));
        }
        let user = NewUser {
            id: Id::random(),
            name: &given.name,
            admin: true,
            auditor: false,
            idle_minutes: IDLE.0,
            at,
            by: None,
        };
        let number = add(&mut **act, &user)?;
        act.execute_one(
            "UPDATE users SET password = $1, state = 'active' WHERE id = $2",
            values![hash, user.id],
        )?;
        act.log(&Entry {
            at,
            actor: Some(number),
            act: "admin.setup",
            subject: Some(user.id),
            facts: vec![("kind", link.kind.word().to_owned())],
            ..Entry::default()
        })?;
        let beginning = Beginning {
            head: &call.head,
            user: user.id,
            act: "session.begin",
            at,
        };
        begin(act, &beginning, None)
    })?;
    Ok(WithCookies(cookies, Created(current)))
}
