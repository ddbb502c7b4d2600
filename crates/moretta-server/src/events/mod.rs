//! Events: what has changed, told at once to those who may know it, and kept for a day.
//!
//! An event is a row of the store, written in the transaction of what it tells of; its number is its
//! place. Listeners share one look at the table, which follows each act of this process and each
//! second. What a listener may know is asked for each event, when it is told. Events are hints to
//! read again, not the record: that is the log.

mod hub;
mod inbox;
mod listener;
mod routes;

pub use hub::Hub;
pub use inbox::waiting_for;
pub use listener::Listener;
pub use routes::routes;

use crate::clock::{DAY, Millis, SECOND};
use crate::db::{Row, Sql};
use crate::id::Id;
use crate::problem::{Problem, Result};

/// How long events are kept.
pub const KEPT: Millis = DAY;

/// After how many events old ones are looked for.
const SWEEP: i64 = 256;

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A job: its body has `id`, `state`, `stage`, `rows` and `share`.
    Job,
    /// A stream: `id`, `at` and `figures`; one a second.
    Stream,
    /// A release: `id` and `state`.
    Release,
    /// What waits for a person; each is told a `count` of their own.
    Inbox,
}

impl Kind {
    /// As the store and browsers have it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Job => "job",
            Kind::Stream => "stream",
            Kind::Release => "release",
            Kind::Inbox => "inbox",
        }
    }

    fn parse(word: &str) -> Result<Self> {
        let all = [Kind::Job, Kind::Stream, Kind::Release, Kind::Inbox];
        let found = all.into_iter().find(|kind| kind.word() == word);
        found.ok_or_else(|| Problem::bug("the store has a kind of event that is none"))
    }
}

/// What is to be told.
#[derive(Clone, Debug)]
pub struct News {
    /// What it is about.
    pub kind: Kind,
    /// The project; none of what is about the whole server.
    pub project: Option<Id>,
    /// The job, stream or release.
    pub subject: Option<Id>,
    /// Whose job it is.
    pub user: Option<Id>,
    /// What is told, in JSON; never a cell.
    pub body: serde_json::Value,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its place.
    pub number: i64,
    /// When.
    pub at: Millis,
    /// What was told.
    pub news: News,
}

/// Tells something, in the transaction in which it happens. Of a stream one event a second is kept:
/// the next one has newer figures.
///
/// # Errors
/// When the store does not answer.
pub fn tell(sql: &mut dyn Sql, news: &News, at: Millis) -> Result<()> {
    if news.kind == Kind::Stream {
        let recent = "SELECT count(*) FROM events WHERE subject = $1 AND at > $2 AND at <= $3";
        if sql.number(recent, values![news.subject, at - SECOND, at])? > 0 {
            return Ok(());
        }
    }
    let number = sql.number("SELECT COALESCE(MAX(number), 0) FROM events", values![])? + 1;
    sql.execute(
        "INSERT INTO events (number, at, kind, project_id, subject, user_id, body) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        values![
            number,
            at,
            news.kind.word(),
            news.project,
            news.subject,
            news.user,
            news.body.to_string()
        ],
    )?;
    if number % SWEEP == 0 {
        // The last one stays, so that no number is given twice.
        sql.execute(
            "DELETE FROM events WHERE at < $1 AND number < $2",
            values![at - KEPT, number],
        )?;
    }
    Ok(())
}

/// Tells that what waits for some persons has changed: those who decide in `project`, or
/// administrators where there is none.
///
/// # Errors
/// When the store does not answer.
pub fn tell_inbox(sql: &mut dyn Sql, project: Option<Id>, at: Millis) -> Result<()> {
    let news = News {
        kind: Kind::Inbox,
        project,
        subject: None,
        user: None,
        body: serde_json::Value::Null,
    };
    tell(sql, &news, at)
}

/// Tells officers and operators that what is to be looked at of a stream has changed.
///
/// # Errors
/// When the store does not answer.
pub(crate) fn tell_alarm(sql: &mut dyn Sql, project: Id, stream: Id, at: Millis) -> Result<()> {
    let news = News {
        kind: Kind::Inbox,
        project: Some(project),
        subject: Some(stream),
        user: None,
        body: serde_json::Value::Null,
    };
    tell(sql, &news, at)
}

const COLUMNS: &str = "number, at, kind, project_id, subject, user_id, body";

fn read(row: &Row) -> Result<Event> {
    let body = serde_json::from_str(row.text(6)?);
    Ok(Event {
        number: row.integer(0)?,
        at: row.integer(1)?,
        news: News {
            kind: Kind::parse(row.text(2)?)?,
            project: row.maybe_id(3)?,
            subject: row.maybe_id(4)?,
            user: row.maybe_id(5)?,
            body: body.map_err(|_| Problem::bug("an event of the store cannot be read"))?,
        },
    })
}

/// The number of the last event; 0 before the first.
fn last(sql: &mut dyn Sql) -> Result<i64> {
    sql.number("SELECT COALESCE(MAX(number), 0) FROM events", values![])
}

/// Events after `number`, the oldest first, at most `limit`.
fn after(sql: &mut dyn Sql, number: i64, limit: i64) -> Result<Vec<Event>> {
    let query = format!("SELECT {COLUMNS} FROM events WHERE number > $1 ORDER BY number LIMIT $2");
    sql.query(&query, values![number, limit])?
        .iter()
        .map(read)
        .collect()
}
