//! Proofs: a password or a code is counted, looked at, and given back when it was right.

use super::guess::Guess;
use super::totp;
use super::user::{State, User};
use super::{Typed, factor};
use crate::app::App;
use crate::audit::Entry;
use crate::clock::Millis;
use crate::db::Sql;
use crate::http::Head;
use crate::problem::{Problem, Result};
use crate::seal::Sealer;
use crate::secret::Secret;
use crate::store::Act;

/// What somebody tries to prove.
pub(super) struct Attempt<'a> {
    /// The request.
    pub(super) head: &'a Head,
    /// Whose account it is; none where nobody has the name.
    pub(super) user: Option<&'a User>,
    /// The name that was given.
    pub(super) name: &'a str,
    /// What they do, as the log calls it.
    pub(super) act: &'static str,
    /// When.
    pub(super) at: Millis,
}

impl<'a> Attempt<'a> {
    /// Of somebody whose account is known.
    pub(super) fn of(head: &'a Head, user: &'a User, act: &'static str, at: Millis) -> Self {
        Attempt {
            head,
            user: Some(user),
            name: "",
            act,
            at,
        }
    }

    /// Counts a guess, before it is looked at.
    fn charge(&self, app: &App) -> Result<(Guess, i64)> {
        app.store.act(|act| {
            let sql = &mut **act;
            let user = self.user.map(|user| user.id);
            let guess = Guess::of(sql, self.head, user, self.name, self.at)?;
            let number = guess.charge(sql, self.at)?;
            Ok((guess, number))
        })
    }

    fn log_wrong(&self, act: &mut Act<'_>, what: &str, number: i64) -> Result<()> {
        act.log(&Entry {
            at: self.at,
            actor: self.user.map(|user| user.number),
            act: self.act,
            refused: true,
            facts: vec![("wrong", what.to_owned()), ("guess", number.to_string())],
            ..Entry::default()
        })
    }
}

/// Whether a password is right. It takes as long where nobody has the name, or they may not sign in.
///
/// # Errors
/// 401 when it is wrong, 429 after ten wrong ones, 503 when too many wait.
pub(super) fn password(app: &App, attempt: &Attempt<'_>, given: &Typed) -> Result<Guess> {
    let given = given.text()?;
    let (guess, number) = attempt.charge(app)?;
    let active = attempt.user.filter(|user| user.state == State::Active);
    let stored = active.and_then(|user| user.password.as_deref());
    let looked = app.gate.verify(given, stored);
    if let Ok(false) = looked {
        app.store
            .act(|act| attempt.log_wrong(act, "password", number))?;
        return Err(wrong_password());
    }
    // Nobody looked at a guess that the gate refused.
    app.store.act(|act| guess.refund(&mut **act))?;
    looked.map(|_| guess)
}

/// Whether a code of the authenticator, or a recovery code, is right; it is used up then.
///
/// # Errors
/// 401 when it is wrong, 429 after ten wrong ones, 409 of who has no second factor.
pub(super) fn factor(app: &App, attempt: &Attempt<'_>, given: &Typed) -> Result<Guess> {
    let user = attempt
        .user
        .ok_or_else(|| Problem::bug("nobody shows a second factor"))?;
    let sealed = user.factor.as_deref().ok_or_else(|| {
        Problem::conflict("no-factor", "there is no second factor yet")
            .help("set one up under your account")
    })?;
    let given = plain(given.text()?);
    let (guess, number) = attempt.charge(app)?;
    let right = app.store.act(|act| {
        let right = match given.len() == 6 {
            true => {
                let secret = Sealer::of(app)?.open(&factor::sealed_for(user.id), sealed)?;
                let step = totp::step_of(&secret, &given, attempt.at, user.factor_step);
                match step {
                    Some(step) => use_step(&mut **act, user, step)?,
                    None => false,
                }
            }
            false => use_recovery(&mut **act, user, &given)?,
        };
        match right {
            true => guess.refund(&mut **act)?,
            false => attempt.log_wrong(act, "code", number)?,
        }
        Ok(right)
    });
    match right? {
        true => Ok(guess),
        false => Err(wrong("the code is wrong, or was used already")
            .help("give the next code of your authenticator, or one of your recovery codes")),
    }
}

/// What somebody is told whose name or password is wrong, whichever it is.
pub(super) fn wrong_password() -> Problem {
    wrong("the name or the password is wrong")
}

fn wrong(what: &str) -> Problem {
    Problem::new(401, "wrong", what)
}

/// A code as it is compared, whatever stands between its parts.
fn plain(code: &str) -> String {
    let kept = code.chars().filter(char::is_ascii_alphanumeric);
    kept.map(|c| c.to_ascii_uppercase()).collect()
}

/// Uses a code of a half minute up. Of two who show it at once, one is first.
fn use_step(sql: &mut dyn Sql, user: &User, step: i64) -> Result<bool> {
    let used = sql.execute(
        "UPDATE users SET factor_step = $1 WHERE id = $2 AND factor_step < $1",
        values![step, user.id],
    )?;
    Ok(used == 1)
}

fn use_recovery(sql: &mut dyn Sql, user: &User, code: &str) -> Result<bool> {
    let used = sql.execute(
        "DELETE FROM recovery WHERE secret = $1 AND user_id = $2",
        values![&Secret::new(code.to_owned()).sum()[..], user.id],
    )?;
    Ok(used == 1)
}
