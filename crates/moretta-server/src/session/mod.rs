//! Sessions: a secret in a cookie, its sum in the store, a lock after idle minutes, an end.

mod seen;

pub use seen::Seen;

use crate::clock::{HOUR, MINUTE, Millis, SECOND};
use crate::db::{Sql, Value};
use crate::id::{Id, random_bytes};
use crate::problem::{Problem, Result};
use crate::rights::{Role, Signed};
use crate::secret::{Secret, hex};
use sha2::{Digest, Sha256};

/// When a session ends, whatever happens.
pub const LENGTH: Millis = 12 * HOUR;
/// Idle minutes after which it locks, and the most that users may choose.
pub const IDLE: (i64, i64) = (10, 30);
/// How exactly the last activity is known.
const TOUCH: Millis = 5 * SECOND;

/// What a session is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// For nothing.
    Full,
    /// For the second factor.
    Waiting,
    /// For the password, since it was locked by hand.
    Locked,
}

impl State {
    /// As the store and the API write it.
    pub fn word(self) -> &'static str {
        match self {
            State::Full => "full",
            State::Waiting => "waiting",
            State::Locked => "locked",
        }
    }
}

/// A session that was found.
#[derive(Clone)]
pub struct Session {
    /// Its id, which is no secret.
    pub id: Id,
    /// What it waits for.
    pub state: State,
    /// When its person was last active.
    pub seen_at: Millis,
    /// After how long without activity it locks.
    pub idle: Millis,
    /// When the second factor was last shown in it.
    pub factor_at: Option<Millis>,
    /// When the password was last given in it.
    pub password_at: Millis,
    /// When it ends.
    pub ends_at: Millis,
    /// Whether its person must have a second factor.
    pub needs_factor: bool,
    /// Whether they have one.
    pub has_factor: bool,
    token: String,
    sum: [u8; 32],
}

/// What is shown to make more of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The password.
    Password,
    /// The second factor.
    Factor,
}

/// Without its token.
impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Whether it is locked, by hand or by time.
    pub fn is_locked(&self, at: Millis) -> bool {
        self.state == State::Locked || at - self.seen_at >= self.idle
    }

    /// Whether `token` is the one that unsafe requests of this session send.
    pub fn is_token(&self, token: &str) -> bool {
        // Sums are compared, so that the time tells nothing of the token.
        Sha256::digest(token) == Sha256::digest(&self.token)
    }

    /// The token that unsafe requests of this session send.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Fails unless the session can be used for more than unlocking it.
    ///
    /// # Errors
    /// 401 when it is locked or waits for the second factor, 403 when one has to be set up.
    pub fn check_usable(&self, at: Millis) -> Result<()> {
        self.check_unlocked(at)?;
        if self.needs_factor && !self.has_factor {
            return Err(factor_needed());
        }
        Ok(())
    }

    /// Fails when it is locked.
    ///
    /// # Errors
    /// 401
    pub fn check_open(&self, at: Millis) -> Result<()> {
        match self.is_locked(at) {
            true => Err(Problem::new(401, "session-locked", "the session is locked")
                .help("give the password again")),
            false => Ok(()),
        }
    }

    /// Fails when it is locked or waits for the second factor.
    ///
    /// # Errors
    /// 401
    pub fn check_unlocked(&self, at: Millis) -> Result<()> {
        self.check_open(at)?;
        if self.state == State::Waiting {
            return Err(
                Problem::new(401, "second-factor", "the second factor is missing")
                    .help("give the code of your authenticator"),
            );
        }
        Ok(())
    }
}

/// A person must have a second factor and has none.
pub fn factor_needed() -> Problem {
    let what = "administrators, auditors, officers, stewards and members with level 1 need a second factor";
    Problem::new(403, "factor-needed", what).help("set one up under your account")
}

/// The token that goes with a secret; the store knows neither.
pub fn token_of(secret: &str) -> String {
    hex(&Sha256::digest(format!("moretta token {secret}")))
}

/// Begins a session of who has just given a password; gives its id and its secret, which nobody
/// else will ever know.
///
/// # Errors
/// When the store does not answer.
pub fn begin(
    sql: &mut dyn Sql,
    user: Id,
    state: State,
    factor_at: Option<Millis>,
    at: Millis,
) -> Result<(Id, Secret)> {
    let (id, secret) = (Id::random(), Secret::new(hex(&random_bytes::<32>())));
    sql.execute(
        "INSERT INTO sessions (id, secret, user_id, state, made_at, seen_at, factor_at, password_at, ends_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            Value::from(id),
            Value::from(&secret.sum()[..]),
            Value::from(user),
            Value::from(state.word()),
            Value::from(at),
            Value::from(at),
            Value::from(factor_at),
            Value::from(at),
            Value::from(at + LENGTH),
        ],
    )?;
    Ok((id, secret))
}

/// Gives a session a new secret and state, as at each step that proves more; the old secret is
/// worth nothing any more. It ends when it would have.
///
/// # Errors
/// 401 when it ended or got another secret meanwhile.
pub fn renew(
    sql: &mut dyn Sql,
    session: &Session,
    state: State,
    shown: Shown,
    at: Millis,
) -> Result<Secret> {
    let secret = Secret::new(hex(&random_bytes::<32>()));
    let (factor_at, password_at) = match shown {
        Shown::Password => (session.factor_at, at),
        Shown::Factor => (Some(at), session.password_at),
    };
    let changed = sql.execute(
        "UPDATE sessions SET secret = $1, state = $2, seen_at = $3, factor_at = $4, password_at = $5 \
         WHERE id = $6 AND secret = $7",
        &[
            Value::from(&secret.sum()[..]),
            Value::from(state.word()),
            Value::from(at),
            Value::from(factor_at),
            Value::from(password_at),
            Value::from(session.id),
            Value::from(&session.sum[..]),
        ],
    )?;
    match changed {
        1 => Ok(secret),
        _ => Err(ended()),
    }
}

/// The session ended while a request was on its way.
pub fn ended() -> Problem {
    Problem::new(401, "signed-out", "the session has ended").help("sign in")
}

/// Locks a session by hand; gives 0 where it is not open: one that waits for the second factor goes
/// on waiting.
///
/// # Errors
/// When the store does not answer.
pub fn lock(sql: &mut dyn Sql, session: Id) -> Result<u64> {
    sql.execute(
        "UPDATE sessions SET state = 'locked' WHERE id = $1 AND state = 'full'",
        values![session],
    )
}

/// Notes when the person of a session was there.
fn touch(sql: &mut dyn Sql, session: Id, at: Millis) -> Result<()> {
    sql.execute(
        "UPDATE sessions SET seen_at = $1 WHERE id = $2 AND seen_at < $1",
        values![at, session],
    )
    .map(drop)
}

/// Whether it is news that the person of a session is there.
pub fn is_news(session: &Session, at: Millis) -> bool {
    session.state == State::Full && at - session.seen_at >= TOUCH
}

/// Ends one session.
///
/// # Errors
/// When the store does not answer.
pub fn end(sql: &mut dyn Sql, session: Id) -> Result<u64> {
    sql.execute("DELETE FROM sessions WHERE id = $1", values![session])
}

/// Ends all sessions of a user, but for one.
///
/// # Errors
/// When the store does not answer.
pub fn end_all(sql: &mut dyn Sql, user: Id, but: Option<Id>) -> Result<u64> {
    let but = but.map_or_else(String::new, |id| id.to_string());
    sql.execute(
        "DELETE FROM sessions WHERE user_id = $1 AND id <> $2",
        values![user, but],
    )
}

/// Ends all sessions and tokens of everybody, and all links that are used once: an older store does not
/// know which of them have ended or were used since. Gives the number of sessions.
///
/// # Errors
/// When the store does not answer.
pub fn end_everybodys(sql: &mut dyn Sql) -> Result<u64> {
    sql.execute("DELETE FROM links", values![])?;
    sql.execute("DELETE FROM tokens", values![])?;
    sql.execute("DELETE FROM devices", values![])?;
    sql.execute("DELETE FROM sessions", values![])
}

/// Finds the session with a secret; none that has ended or whose user is disabled.
///
/// # Errors
/// When the store does not answer.
pub fn find(sql: &mut dyn Sql, secret: &str, at: Millis) -> Result<Option<Signed>> {
    let sum = Secret::new(secret.to_owned()).sum();
    let query = format!(
        "SELECT s.id, s.state, s.seen_at, s.factor_at, s.ends_at, u.id, u.number, u.admin, u.auditor, \
                u.idle_minutes, u.factor, u.own_idle_minutes, s.password_at, \
                (SELECT count(*) FROM members m WHERE m.user_id = u.id AND {}) \
         FROM sessions s JOIN users u ON u.id = s.user_id \
         WHERE s.secret = $1 AND s.ends_at > $2 AND u.state = 'active'",
        Role::TRUSTED
    );
    let row = sql.row(&query, values![&sum[..], at])?;
    let Some(row) = row else { return Ok(None) };
    let state = match row.text(1)? {
        "full" => State::Full,
        "waiting" => State::Waiting,
        _ => State::Locked,
    };
    let (admin, auditor) = (row.yes(7)?, row.yes(8)?);
    let most = row.integer(9)?.clamp(1, IDLE.1);
    let idle = row.maybe_integer(11)?.unwrap_or(most).clamp(1, most);
    Ok(Some(Signed {
        user: row.id(5)?,
        number: row.integer(6)?,
        admin,
        auditor,
        session: Some(Session {
            id: row.id(0)?,
            state,
            seen_at: row.integer(2)?,
            idle: idle * MINUTE,
            factor_at: row.maybe_integer(3)?,
            ends_at: row.integer(4)?,
            password_at: row.integer(12)?,
            needs_factor: admin || auditor || row.integer(13)? > 0,
            has_factor: !row.is_null(10)?,
            token: token_of(secret),
            sum,
        }),
    }))
}
