//! Links that are used once: who has one chooses a password, and nothing else.
//!
//! The secret stands in the fragment of the address, which browsers send to nobody. A link is claimed
//! before its password is hashed, so that a hundred uses at once cost one hash and one succeeds; a
//! claim that comes to nothing is given back. A link does not stand in for the second factor.

use super::begin::{Beginning, Current, begin};
use super::user::User;
use super::{Typed, check_site, weak};
use crate::app::App;
use crate::audit::Entry;
use crate::clock::{DAY, MINUTE, Millis, SECOND};
use crate::db::Sql;
use crate::http::{Call, Created, Json, Nothing, Route, WithCookies, post};
use crate::id::{Id, random_bytes};
use crate::problem::{Problem, Result};
use crate::rights::{Open, Permit};
use crate::secret::{Secret, hex};
use crate::session;
use crate::store::Act;
use crate::token;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long who uses a link may take, before another one may try.
const CLAIM: Millis = 30 * SECOND;

pub(super) fn routes() -> Vec<Route> {
    vec![
        post("/links/look", "What a link is for", look),
        post(
            "/links/use",
            "Uses an invitation or a reset: chooses a password and signs in",
            redeem_own,
        ),
    ]
}

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// For the first administrator.
    Setup,
    /// For a second administrator, whom the first one has not invited.
    Second,
    /// For somebody who was invited.
    Invitation,
    /// For somebody who has lost their password.
    Reset,
}

impl Kind {
    /// As the store writes it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Setup => "setup",
            Kind::Second => "second",
            Kind::Invitation => "invitation",
            Kind::Reset => "reset",
        }
    }

    fn parse(word: &str) -> Result<Self> {
        let all = [Kind::Setup, Kind::Second, Kind::Invitation, Kind::Reset];
        let found = all.into_iter().find(|kind| kind.word() == word);
        found.ok_or_else(|| Problem::bug("the store has a link of no kind"))
    }

    /// How long it may be used.
    pub(super) fn length(self) -> Millis {
        match self {
            Kind::Setup | Kind::Second => 30 * MINUTE,
            Kind::Invitation | Kind::Reset => DAY,
        }
    }

    fn is_setup(self) -> bool {
        matches!(self, Kind::Setup | Kind::Second)
    }
}

/// A link that can be used.
pub(super) struct Link {
    pub(super) kind: Kind,
    /// Whose password it sets; none of those with which an administrator begins.
    pub(super) user: Option<Id>,
    ends_at: Millis,
    claimed_until: Millis,
}

/// Makes a link; those that the same person had before are worth nothing any more.
pub(super) fn make(
    sql: &mut dyn Sql,
    kind: Kind,
    user: Option<Id>,
    wish: Option<Id>,
    at: Millis,
) -> Result<Secret> {
    match user {
        Some(user) => end_of(sql, user)?,
        None => sql
            .execute("DELETE FROM links WHERE kind = $1", values![kind.word()])
            .map(drop)?,
    }
    sql.execute("DELETE FROM links WHERE ends_at <= $1", values![at])?;
    let secret = Secret::new(hex(&random_bytes::<32>()));
    sql.execute(
        "INSERT INTO links (secret, kind, user_id, made_at, ends_at, wish_id) VALUES ($1, $2, $3, $4, $5, $6)",
        values![
            &secret.sum()[..],
            kind.word(),
            user,
            at,
            at + kind.length(),
            wish
        ],
    )?;
    Ok(secret)
}

/// Ends the links of a user.
pub(super) fn end_of(sql: &mut dyn Sql, user: Id) -> Result<()> {
    sql.execute("DELETE FROM links WHERE user_id = $1", values![user])
        .map(drop)
}

/// Finds the link with a secret. One that was used, is too old or was never made is the same.
fn find(sql: &mut dyn Sql, secret: &str, at: Millis) -> Result<Link> {
    let row = sql.row(
        "SELECT l.kind, l.user_id, l.ends_at, l.claimed_until, l.wish_id, w.state \
         FROM links l LEFT JOIN wishes w ON w.id = l.wish_id WHERE l.secret = $1 AND l.ends_at > $2 AND l.kind <> 'demo'",
        values![&Secret::new(secret.to_owned()).sum()[..], at],
    )?;
    let row = row.ok_or_else(over)?;
    if !row.is_null(4)? {
        match row.maybe_text(5)?.as_deref() {
            Some("granted") => {}
            Some("waiting") => {
                let what = "a second person has to grant this link first";
                return Err(Problem::conflict("waiting", what));
            }
            _ => return Err(over()),
        }
    }
    Ok(Link {
        kind: Kind::parse(row.text(0)?)?,
        user: row.maybe_id(1)?,
        ends_at: row.integer(2)?,
        claimed_until: row.integer(3)?,
    })
}

fn over() -> Problem {
    let what = "the link was used, is too old, or was never made";
    Problem::new(404, "link-over", what).help("ask an administrator for a new one")
}

fn claim(sql: &mut dyn Sql, secret: &str, setup: bool, at: Millis) -> Result<Link> {
    let link = find(sql, secret, at)?;
    if link.kind.is_setup() != setup {
        return Err(over());
    }
    if link.claimed_until > at {
        let what = "the link is being used at this moment";
        return Err(Problem::conflict("link-in-use", what).after(1));
    }
    set_claim(sql, secret, at + CLAIM)?;
    Ok(link)
}

fn set_claim(sql: &mut dyn Sql, secret: &str, until: Millis) -> Result<()> {
    sql.execute(
        "UPDATE links SET claimed_until = $1 WHERE secret = $2",
        values![until, &Secret::new(secret.to_owned()).sum()[..]],
    )
    .map(drop)
}

fn take(sql: &mut dyn Sql, secret: &str) -> Result<()> {
    let sum = Secret::new(secret.to_owned()).sum();
    match sql.execute("DELETE FROM links WHERE secret = $1", values![&sum[..]])? {
        1 => Ok(()),
        _ => Err(over()),
    }
}

/// Somebody who uses a link.
pub(super) struct Redeemer<'a> {
    pub(super) secret: &'a str,
    /// The password that they choose.
    pub(super) password: &'a str,
    /// The name that they choose, of who begins as an administrator.
    pub(super) name: Option<&'a str>,
    pub(super) at: Millis,
}

/// Uses a link: `then` gets the hash of the password, in the transaction that uses it up.
pub(super) fn redeem<T>(
    app: &App,
    redeemer: &Redeemer<'_>,
    mut then: impl FnMut(&mut Act<'_>, &Link, &str) -> Result<T>,
) -> Result<T> {
    let Redeemer { secret, at, .. } = *redeemer;
    let setup = redeemer.name.is_some();
    let link = app.store.act(|act| claim(&mut **act, secret, setup, at))?;
    let used = hash(app, redeemer, &link).and_then(|hash| {
        app.store.act(|act| {
            take(&mut **act, secret)?;
            then(act, &link, &hash)
        })
    });
    if used.is_err() {
        app.store.act(|act| set_claim(&mut **act, secret, 0))?;
    }
    used
}

fn hash(app: &App, redeemer: &Redeemer<'_>, link: &Link) -> Result<String> {
    let name = match (redeemer.name, link.user) {
        (Some(name), _) => name.to_owned(),
        (None, Some(user)) => {
            let user = app.store.read(|sql| User::by_id(sql, user))?;
            user.name.unwrap_or_default()
        }
        (None, None) => return Err(over()),
    };
    weak::check(redeemer.password, &name)?;
    app.gate.hash(redeemer.password)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Looked {
    /// The secret of the link.
    link: Typed,
}

/// What a link is for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Told {
    /// What kind it is.
    kind: Kind,
    /// The name of the account that it is for.
    name: Option<String>,
    /// When it ends.
    ends_at: Millis,
}

fn look(app: &App, permit: Permit<Open>, call: Call<Nothing, Json<Looked>>) -> Result<Json<Told>> {
    check_site(&call.head)?;
    let secret = call.body.0.link.text()?;
    app.store
        .read(|sql| {
            let link = find(sql, secret, permit.at())?;
            let user = link.user.map(|user| User::by_id(sql, user)).transpose()?;
            Ok(Told {
                kind: link.kind,
                name: user.and_then(|user| user.name),
                ends_at: link.ends_at,
            })
        })
        .map(Json)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Redeemed {
    /// The secret of the link.
    link: Typed,
    /// The password from now on.
    password: Typed,
}

fn redeem_own(
    app: &App,
    permit: Permit<Open>,
    call: Call<Nothing, Json<Redeemed>>,
) -> Result<WithCookies<Created<Current>>> {
    check_site(&call.head)?;
    let at = permit.at();
    let redeemer = Redeemer {
        secret: call.body.0.link.text()?,
        password: call.body.0.password.text()?,
        name: None,
        at,
    };
    let (cookies, current) = redeem(app, &redeemer, |act, link, hash| {
        let user = link.user.ok_or_else(over)?;
        set_password(act, user, hash)?;
        session::end_all(&mut **act, user, None)?;
        token::end_all(&mut **act, user)?;
        let number = User::by_id(&mut **act, user)?.number;
        act.log(&Entry {
            at,
            actor: Some(number),
            act: "link.use",
            subject: Some(user),
            facts: vec![("kind", link.kind.word().to_owned())],
            ..Entry::default()
        })?;
        let beginning = Beginning {
            head: &call.head,
            user,
            act: "session.begin",
            at,
        };
        begin(act, &beginning, None)
    })?;
    Ok(WithCookies(cookies, Created(current)))
}

/// Sets the password of somebody who was invited or has lost theirs.
fn set_password(act: &mut Act<'_>, user: Id, hash: &str) -> Result<()> {
    let changed = act.execute(
        "UPDATE users SET password = $1, state = 'active', version = version + 1 \
         WHERE id = $2 AND state IN ('invited', 'active')",
        values![hash, user],
    )?;
    match changed {
        1 => Ok(()),
        _ => Err(over()),
    }
}
