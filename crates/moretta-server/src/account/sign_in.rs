//! Signing in and out, locking and unlocking, and showing the second factor.

use super::begin::{Beginning, Current, begin};
use super::proof::{self, Attempt};
use super::user::{User, account_name};
use super::{Typed, check_site, cookie};
use crate::app::App;
use crate::http::{Call, Created, Done, Json, Nothing, Route, WithCookies, delete, get, post};
use crate::name::Name;
use crate::problem::Result;
use crate::rights::{Half, Open, Permit};
use crate::session::{self, Shown, State};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        post("/session", "Signs in by name and password", sign_in),
        get("/session", "What the own session is waiting for", current),
        post(
            "/session/factor",
            "Shows the second factor, at sign-in and when it is asked for again",
            show_factor,
        ),
        post("/session/lock", "Locks the own session", lock),
        post("/session/unlock", "Unlocks it by the password", unlock),
        delete("/session", "Signs out", sign_out),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SignIn {
    /// The name of the account.
    name: Name,
    /// Its password.
    password: Typed,
}

fn sign_in(
    app: &App,
    permit: Permit<Open>,
    call: Call<Nothing, Json<SignIn>>,
) -> Result<WithCookies<Created<Current>>> {
    check_site(&call.head)?;
    let (at, given) = (permit.at(), &call.body.0);
    let name = account_name(&given.name);
    let user = app.store.read(|sql| User::by_name(sql, &name))?;
    let attempt = Attempt {
        head: &call.head,
        user: user.as_ref(),
        name: &name,
        act: "session.begin",
        at,
    };
    let guess = proof::password(app, &attempt, &given.password)?;
    let beginning = Beginning {
        head: &call.head,
        user: user.ok_or_else(proof::wrong_password)?.id,
        act: "session.begin",
        at,
    };
    let (cookies, current) = app.store.act(|act| begin(act, &beginning, Some(&guess)))?;
    Ok(WithCookies(cookies, Created(current)))
}

fn current(app: &App, permit: Permit<Half>, _: Call<Nothing, Nothing>) -> Result<Json<Current>> {
    let user = permit.user()?;
    let user = app.store.read(|sql| User::by_id(sql, user))?;
    Ok(Json(Current::of(permit.session()?, &user, permit.at())))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Code {
    /// Six digits of the authenticator, or a recovery code.
    code: Typed,
}

fn show_factor(
    app: &App,
    permit: Permit<Half>,
    call: Call<Nothing, Json<Code>>,
) -> Result<WithCookies<Json<Current>>> {
    let (at, session, user) = (permit.at(), permit.session()?, permit.user()?);
    session.check_open(at)?;
    let user = app.store.read(|sql| User::by_id(sql, user))?;
    let attempt = Attempt::of(&call.head, &user, "session.factor", at);
    let guess = proof::factor(app, &attempt, &call.body.0.code)?;
    let (cookies, current) = app.store.act(|act| {
        let secret = session::renew(&mut **act, session, State::Full, Shown::Factor, at)?;
        guess.clear(&mut **act)?;
        let mut cookies = vec![cookie::session(&secret)];
        cookies.extend(cookie::device(&mut **act, &call.head, user.id, at)?);
        let mut entry = permit.entry("session.factor");
        entry.subject = Some(session.id);
        act.log(&entry)?;
        Ok((
            cookies,
            Current::with_secret(&mut **act, &secret, &user, at)?,
        ))
    })?;
    Ok(WithCookies(cookies, Json(current)))
}

fn lock(app: &App, permit: Permit<Half>, _: Call<Nothing, Nothing>) -> Result<Done> {
    let session = permit.session()?.id;
    app.store.act(|act| {
        if session::lock(&mut **act, session)? == 0 {
            return Ok(());
        }
        let mut entry = permit.entry("session.lock");
        entry.subject = Some(session);
        act.log(&entry)
    })?;
    Ok(Done)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Password {
    /// The password.
    password: Typed,
}

fn unlock(
    app: &App,
    permit: Permit<Half>,
    call: Call<Nothing, Json<Password>>,
) -> Result<WithCookies<Json<Current>>> {
    let (at, session, user) = (permit.at(), permit.session()?, permit.user()?);
    let user = app.store.read(|sql| User::by_id(sql, user))?;
    let attempt = Attempt::of(&call.head, &user, "session.unlock", at);
    let guess = proof::password(app, &attempt, &call.body.0.password)?;
    // A lock does not stand in for a second factor that was never shown.
    let state = match session.has_factor && session.factor_at.is_none() {
        true => State::Waiting,
        false => State::Full,
    };
    let (cookies, current) = app.store.act(|act| {
        let secret = session::renew(&mut **act, session, state, Shown::Password, at)?;
        if state == State::Full {
            guess.clear(&mut **act)?;
        }
        let mut entry = permit.entry("session.unlock");
        entry.subject = Some(session.id);
        act.log(&entry)?;
        let current = Current::with_secret(&mut **act, &secret, &user, at)?;
        Ok((vec![cookie::session(&secret)], current))
    })?;
    Ok(WithCookies(cookies, Json(current)))
}

fn sign_out(
    app: &App,
    permit: Permit<Half>,
    _: Call<Nothing, Nothing>,
) -> Result<WithCookies<Done>> {
    let session = permit.session()?.id;
    app.store.act(|act| {
        session::end(&mut **act, session)?;
        let mut entry = permit.entry("session.end");
        entry.subject = Some(session);
        act.log(&entry)
    })?;
    Ok(WithCookies(vec![cookie::none()], Done))
}
