//! Guesses: ten wrong ones an account, then a quarter of an hour without.
//!
//! Sign-in, unlock, step-up and second factor count together. A guess is counted before it is looked
//! at, and given back when it was right, so that a thousand tries at once are ten. A browser that has
//! signed in before has a count of its own: who guesses from outside locks out nobody who has one.
//! Names that nobody has are counted in the same way.

use crate::clock::{DAY, MINUTE, Millis};
use crate::db::Sql;
use crate::http::{DEVICE_COOKIE, Head};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::secret::{Secret, hex};

/// How many wrong guesses there may be.
const MOST: i64 = 10;
/// How long wrong guesses count after the last one.
const WINDOW: Millis = 15 * MINUTE;
/// How long a device is known.
pub(super) const DEVICE: Millis = 180 * DAY;

/// What wrong guesses are counted for.
#[derive(Clone, Debug)]
pub(super) struct Guess(String);

impl Guess {
    /// For an account, or a name that nobody has, as a browser guesses it.
    pub(super) fn of(
        sql: &mut dyn Sql,
        head: &Head,
        user: Option<Id>,
        name: &str,
        at: Millis,
    ) -> Result<Self> {
        let device = Secret::new(head.cookie(DEVICE_COOKIE).unwrap_or_default()).sum();
        // Nobody's devices are looked for as well, so that both take the same time.
        let known = is_known(sql, &device, user.unwrap_or(Id::from_bytes([0; 16])), at)?;
        Ok(Guess(match user {
            Some(user) if known => format!("device {} {user}", hex(&device)),
            Some(user) => format!("user {user}"),
            None => format!("name {}", hex(&Secret::new(name.to_owned()).sum())),
        }))
    }

    /// Counts a guess; gives its number.
    ///
    /// # Errors
    /// 429 after ten wrong ones.
    pub(super) fn charge(&self, sql: &mut dyn Sql, at: Millis) -> Result<i64> {
        sql.execute(
            "DELETE FROM guesses WHERE last_at <= $1",
            values![at - WINDOW],
        )?;
        let row = sql.row(
            "SELECT wrong, last_at FROM guesses WHERE of = $1",
            values![&self.0],
        )?;
        let (wrong, last_at) = match row {
            Some(row) => (row.integer(0)?, row.integer(1)?),
            None => (0, at),
        };
        if wrong >= MOST {
            let seconds = (last_at + WINDOW - at).max(1000) / 1000;
            let what = "these are too many wrong passwords or codes";
            return Err(Problem::new(429, "too-many-guesses", what)
                .help("wait, or use a browser in which you have signed in before")
                .after(seconds as u64));
        }
        sql.execute(
            "INSERT INTO guesses (of, wrong, last_at) VALUES ($1, 1, $2) \
             ON CONFLICT (of) DO UPDATE SET wrong = guesses.wrong + 1, last_at = excluded.last_at",
            values![&self.0, at],
        )?;
        Ok(wrong + 1)
    }

    /// Gives a guess back: it was right, or nobody looked at it.
    pub(super) fn refund(&self, sql: &mut dyn Sql) -> Result<()> {
        let less = "UPDATE guesses SET wrong = wrong - 1 WHERE of = $1 AND wrong > 0";
        sql.execute(less, values![&self.0]).map(drop)
    }

    /// Forgets wrong guesses, once somebody has shown everything that they have.
    pub(super) fn clear(&self, sql: &mut dyn Sql) -> Result<()> {
        sql.execute("DELETE FROM guesses WHERE of = $1", values![&self.0])
            .map(drop)
    }
}

/// Whether somebody has signed in by a device before.
pub(super) fn is_known(sql: &mut dyn Sql, device: &[u8], user: Id, at: Millis) -> Result<bool> {
    let count = "SELECT count(*) FROM devices WHERE secret = $1 AND user_id = $2 AND made_at > $3";
    Ok(sql.number(count, values![device, user, at - DEVICE])? > 0)
}
