//! The beginning of a session, and what a page is told of the one that it has.

use super::guess::Guess;
use super::user::{State as Account, User};
use super::{cookie, proof};
use crate::audit::Entry;
use crate::clock::Millis;
use crate::db::Sql;
use crate::http::{Credentials, Head};
use crate::id::Id;
use crate::problem::Result;
use crate::rights::Signed;
use crate::secret::Secret;
use crate::session::{self, Session, State};
use crate::store::Act;
use schemars::JsonSchema;
use serde::Serialize;

/// A session as its own page sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Current {
    /// Who.
    user: Id,
    /// Their name.
    name: Option<String>,
    /// What it is waiting for: `full` for nothing, `waiting` for the second factor, `locked` for the
    /// password, `factor-needed` for a second factor to be set up.
    state: &'static str,
    /// What unsafe requests send in `X-Moretta-Token`.
    token: String,
    /// When it locks unless its person is active.
    locks_at: Millis,
    /// When it ends.
    ends_at: Millis,
    /// When the second factor was last shown in it.
    factor_at: Option<Millis>,
}

impl Current {
    pub(super) fn of(session: &Session, user: &User, at: Millis) -> Self {
        let state = match session.state {
            _ if session.is_locked(at) => State::Locked.word(),
            State::Full if session.needs_factor && !session.has_factor => "factor-needed",
            state => state.word(),
        };
        Current {
            user: user.id,
            name: user.name.clone(),
            state,
            token: session.token().to_owned(),
            locks_at: session.seen_at + session.idle,
            ends_at: session.ends_at,
            factor_at: session.factor_at,
        }
    }

    /// The session with a secret that was just made.
    pub(super) fn with_secret(
        sql: &mut dyn Sql,
        secret: &Secret,
        user: &User,
        at: Millis,
    ) -> Result<Self> {
        let found = session::find(sql, secret.show(), at)?;
        let session = found.and_then(|signed: Signed| signed.session);
        let session = session.ok_or_else(session::ended)?;
        Ok(Current::of(&session, user, at))
    }
}

/// How a session begins.
pub(super) struct Beginning<'a> {
    pub(super) head: &'a Head,
    /// Who has just shown their password.
    pub(super) user: Id,
    /// How they did, as the log calls it.
    pub(super) act: &'static str,
    pub(super) at: Millis,
}

/// Begins a session; who has a second factor shows it next. Gives the cookies with it.
pub(super) fn begin(
    act: &mut Act<'_>,
    beginning: &Beginning<'_>,
    guess: Option<&Guess>,
) -> Result<(Vec<String>, Current)> {
    let Beginning { head, at, .. } = *beginning;
    let user = User::by_id(&mut **act, beginning.user)?;
    if user.state != Account::Active {
        return Err(proof::wrong_password());
    }
    act.execute("DELETE FROM sessions WHERE ends_at <= $1", values![at])?;
    end_former(&mut **act, head, at)?;
    let state = match user.factor {
        Some(_) => State::Waiting,
        None => State::Full,
    };
    let (session, secret) = session::begin(&mut **act, user.id, state, None, at)?;
    let mut cookies = vec![cookie::session(&secret)];
    if state == State::Full {
        cookies.extend(cookie::device(&mut **act, head, user.id, at)?);
        if let Some(guess) = guess {
            guess.clear(&mut **act)?;
        }
    }
    act.log(&Entry {
        at,
        actor: Some(user.number),
        act: beginning.act,
        subject: Some(session),
        facts: vec![("state", state.word().to_owned())],
        ..Entry::default()
    })?;
    let current = Current::with_secret(&mut **act, &secret, &user, at)?;
    Ok((cookies, current))
}

/// Ends the session that the browser had: nobody else is to go on with it.
fn end_former(sql: &mut dyn Sql, head: &Head, at: Millis) -> Result<()> {
    let Credentials::Cookie(secret) = &head.credentials else {
        return Ok(());
    };
    match session::find(sql, secret, at)?.and_then(|signed| signed.session) {
        Some(session) => session::end(sql, session.id).map(drop),
        None => Ok(()),
    }
}
