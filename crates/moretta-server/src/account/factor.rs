//! The second factor: set up by who shows the password, and the one that there was before.
//!
//! The secret is sealed in the store. It counts once a code of it was given, so that nobody locks
//! themselves out by a secret that never reached their authenticator. Ten recovery codes go with it,
//! each good for once, shown once.

use super::begin::Current;
use super::proof::{self, Attempt};
use super::user::User;
use super::{Typed, cookie, totp};
use crate::app::App;
use crate::db::Sql;
use crate::http::{Call, Created, Json, Nothing, Route, WithCookies, post, put};
use crate::id::{Id, random_bytes};
use crate::problem::{Problem, Result};
use crate::rights::{Half, Permit};
use crate::seal::Sealer;
use crate::secret::Secret;
use crate::session::{self, Shown, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// How many recovery codes there are.
const RECOVERY: usize = 10;

// Who needs a second factor and has none can do nothing else, so these take the right of half a
// session and look themselves whether it is unlocked.
pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "/me/factor",
            "Begins to set up a second factor, by the password and the one before",
            prepare,
        ),
        put(
            "/me/factor",
            "Sets it up, by a first code; gives recovery codes",
            confirm,
        ),
    ]
}

/// What the second factor of a user is sealed for.
pub(super) fn sealed_for(user: Id) -> String {
    format!("factor {user}")
}

fn new_sealed_for(user: Id) -> String {
    format!("new factor {user}")
}

/// Gives a user the second factor with this secret, as a server for trying out does.
///
/// # Errors
/// When the store does not answer or there is no such user.
pub fn set_factor(app: &App, user: Id, secret: &[u8]) -> Result<()> {
    let sealed = Sealer::of(app)?.seal(&sealed_for(user), secret);
    app.store.act(|act| {
        act.execute_one(
            "UPDATE users SET factor = $1, factor_step = 0, new_factor = NULL WHERE id = $2",
            values![&sealed[..], user],
        )
    })
}

/// Takes the second factor of a user away, with all that was proved by it.
pub(super) fn remove(sql: &mut dyn Sql, user: Id) -> Result<()> {
    sql.execute_one(
        "UPDATE users SET factor = NULL, new_factor = NULL, version = version + 1 WHERE id = $1",
        values![user],
    )?;
    sql.execute("DELETE FROM recovery WHERE user_id = $1", values![user])?;
    sql.execute("DELETE FROM devices WHERE user_id = $1", values![user])?;
    session::end_all(sql, user, None).map(drop)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Proved {
    /// The password.
    password: Typed,
    /// A code of the second factor that there is, or a recovery code; none of who has none.
    code: Option<Typed>,
}

/// A secret for an authenticator; it is shown this once.
#[derive(Serialize, JsonSchema)]
struct Prepared {
    /// As it is typed into an authenticator.
    secret: String,
    /// As an authenticator reads it from a picture.
    address: String,
}

fn prepare(
    app: &App,
    permit: Permit<Half>,
    call: Call<Nothing, Json<Proved>>,
) -> Result<Created<Prepared>> {
    let (at, given) = (permit.at(), &call.body.0);
    permit.session()?.check_unlocked(at)?;
    let user = permit.user()?;
    let user = app.store.read(|sql| User::by_id(sql, user))?;
    let attempt = Attempt::of(&call.head, &user, "me.factor-begin", at);
    proof::password(app, &attempt, &given.password)?;
    if user.factor.is_some() {
        let code = given.code.as_ref().ok_or_else(|| {
            Problem::unusable("there is a second factor already")
                .help("give a code of it, or a recovery code, in `code`")
        })?;
        proof::factor(app, &attempt, code)?;
    }
    let secret = Zeroizing::new(random_bytes::<20>());
    let sealed = Sealer::of(app)?.seal(&new_sealed_for(user.id), &*secret);
    app.store.act(|act| {
        act.execute_one(
            "UPDATE users SET new_factor = $1 WHERE id = $2",
            values![&sealed[..], user.id],
        )?;
        act.log(&permit.entry("me.factor-begin"))
    })?;
    Ok(Created(Prepared {
        secret: totp::base32(&*secret),
        address: totp::address(user.name.as_deref().unwrap_or_default(), &*secret),
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct First {
    /// A code of the new second factor.
    code: Typed,
}

/// A second factor that was set up.
#[derive(Serialize, JsonSchema)]
struct Confirmed {
    /// Codes for the case that the authenticator is lost; each counts once. They are shown this once.
    recovery: Vec<String>,
    /// The session, which has a new token.
    session: Current,
}

fn confirm(
    app: &App,
    permit: Permit<Half>,
    call: Call<Nothing, Json<First>>,
) -> Result<WithCookies<Json<Confirmed>>> {
    let (at, session) = (permit.at(), permit.session()?);
    session.check_unlocked(at)?;
    let user = permit.user()?;
    let user = app.store.read(|sql| User::by_id(sql, user))?;
    let sealed = user.new_factor.as_deref().ok_or_else(|| {
        Problem::conflict("not-begun", "no second factor is being set up").help("begin again")
    })?;
    let sealer = Sealer::of(app)?;
    let secret = sealer.open(&new_sealed_for(user.id), sealed)?;
    // Who guesses this code gains nothing: they were shown the secret.
    let step = totp::step_of(&secret, call.body.0.code.text()?.trim(), at, 0).ok_or_else(|| {
        Problem::unusable("the code is not of the secret that was shown")
            .help("look whether the clock of the authenticator is right, and give its next code")
    })?;
    let factor = sealer.seal(&sealed_for(user.id), &secret);
    let codes: Vec<String> = (0..RECOVERY)
        .map(|_| totp::base32(&random_bytes::<10>()))
        .collect();
    let (cookies, current) = app.store.act(|act| {
        let set = act.execute(
            "UPDATE users SET factor = $1, factor_step = $2, new_factor = NULL, version = version + 1 \
             WHERE id = $3 AND new_factor = $4",
            values![&factor[..], step, user.id, sealed],
        )?;
        if set == 0 {
            return Err(Problem::conflict("not-begun", "it was set up meanwhile"));
        }
        act.execute("DELETE FROM recovery WHERE user_id = $1", values![user.id])?;
        for code in &codes {
            act.execute(
                "INSERT INTO recovery (secret, user_id) VALUES ($1, $2)",
                values![&Secret::new(code.clone()).sum()[..], user.id],
            )?;
        }
        session::end_all(&mut **act, user.id, Some(session.id))?;
        let secret = session::renew(&mut **act, session, State::Full, Shown::Factor, at)?;
        let mut cookies = vec![cookie::session(&secret)];
        cookies.extend(cookie::device(&mut **act, &call.head, user.id, at)?);
        act.log(&permit.entry("me.factor"))?;
        let current = Current::with_secret(&mut **act, &secret, &user, at)?;
        Ok((cookies, current))
    })?;
    Ok(WithCookies(
        cookies,
        Json(Confirmed {
            recovery: codes.iter().map(|code| in_fours(code)).collect(),
            session: current,
        }),
    ))
}

/// A code as people copy it.
fn in_fours(code: &str) -> String {
    let mut shown = String::new();
    for (place, letter) in code.chars().enumerate() {
        if place > 0 && place % 4 == 0 {
            shown.push('-');
        }
        shown.push(letter);
    }
    shown
}
