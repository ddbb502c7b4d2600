//! One who listens to events.

use super::hub::Place;
use super::{Event, Hub, Kind, waiting_for};
use crate::app::App;
use crate::clock::{Millis, SECOND};
use crate::db::Sql;
use crate::http::Head;
use crate::job;
use crate::problem::Result;
use crate::rights::{
    ListReleases, ReadStreams, ReviewRelease, Right, RightInfo, Role, Signed, SignedIn, To, permit,
    standing,
};
use std::fmt::Write;

/// After how long without an event a comment is written, so that nobody takes the line for dead.
const COMMENT: Millis = 15 * SECOND;
/// How often it is asked whether the session still stands where nothing happens.
const ASKED: Millis = 5 * SECOND;

/// Reads events for who asked for them.
#[derive(Debug)]
pub struct Listener {
    head: Head,
    seen: i64,
    resync: bool,
    /// When something was last written, and when the session was last looked at.
    written: Millis,
    asked: Option<Millis>,
    /// When the session locks, as it was last told.
    locks_at: Option<Millis>,
    ended: bool,
    _place: Place,
}

impl Listener {
    /// Begins after the event that the browser has seen last, or with what comes now.
    ///
    /// # Errors
    /// When too many listen, or the store does not answer.
    pub fn new(app: &App, hub: &Hub, head: &Head) -> Result<Self> {
        let place = hub.enter()?;
        let seen = head.header("last-event-id").map(str::parse::<i64>);
        let (first, last) = app.store.read(|sql| {
            let first = "SELECT COALESCE(MIN(number), 1) FROM events";
            Ok((sql.number(first, values![])?, super::last(sql)?))
        })?;
        // Who has seen a later one has seen another store; who lacks some has to read all again.
        let (seen, resync) = match seen {
            None => (last, false),
            Some(Ok(seen)) if (first - 1..=last).contains(&seen) => (seen, false),
            Some(_) => (last, true),
        };
        Ok(Listener {
            head: head.clone(),
            seen,
            resync,
            written: app.clock.now(),
            asked: None,
            locks_at: None,
            ended: false,
            _place: place,
        })
    }

    /// What there is to tell now, as browsers read it; nothing is empty, none the end. While the store
    /// does not answer, nothing is told.
    pub fn next(&mut self, app: &App) -> Option<Vec<u8>> {
        if self.ended {
            return None;
        }
        let mut out = String::new();
        match self.tell(app, &mut out) {
            Ok(()) => {}
            Err(problem) if matches!(problem.status, 401 | 403 | 404) => {
                self.ended = true;
                out.clear();
                write(&mut out, None, "session", r#"{"locks_in":0}"#);
            }
            // Events that were not told are told by the next look.
            Err(_) => out.clear(),
        }
        let at = app.clock.now();
        if out.is_empty() && (at - self.written).abs() >= COMMENT {
            out.push_str(": still there\n\n");
        }
        if !out.is_empty() {
            self.written = at;
        }
        Some(out.into_bytes())
    }

    fn tell(&mut self, app: &App, out: &mut String) -> Result<()> {
        let at = app.clock.now();
        let events = app.hub.after(&app.store, self.seen, at)?;
        let due = self.asked.is_none_or(|asked| (at - asked).abs() >= ASKED);
        if events.is_empty() && !due {
            return Ok(());
        }
        let permit = permit::<SignedIn>(app, &self.head)?;
        let signed = permit.signed()?;
        if self.resync {
            write(out, Some(self.seen), "resync", "{}");
        }
        let locks_at = signed
            .session
            .as_ref()
            .map(|session| (session.seen_at + session.idle).min(session.ends_at));
        if let Some(locks) = locks_at.filter(|_| locks_at != self.locks_at) {
            let body = format!(r#"{{"locks_in":{}}}"#, (locks - at).max(0));
            write(out, None, "session", &body);
        }
        let bodies = app.store.read(|sql| {
            let told = events.iter().map(|event| told(sql, event, signed, at));
            told.collect::<Result<Vec<_>>>()
        })?;
        for (event, body) in events.iter().zip(bodies) {
            if let Some(body) = body {
                write(out, Some(event.number), event.news.kind.word(), &body);
            }
        }
        self.resync = false;
        self.locks_at = locks_at;
        self.asked = Some(at);
        self.seen = events.last().map_or(self.seen, |event| event.number);
        Ok(())
    }
}

fn write(out: &mut String, number: Option<i64>, kind: &str, body: &str) {
    if let Some(number) = number {
        let _ = writeln!(out, "id: {number}");
    }
    // Bodies are JSON on one line.
    let _ = write!(out, "event: {kind}\ndata: {body}\n\n");
}

/// What somebody is told of an event; none where they may not know of it.
fn told(sql: &mut dyn Sql, event: &Event, signed: &Signed, at: Millis) -> Result<Option<String>> {
    let news = &event.news;
    if news.kind == Kind::Inbox {
        let concerned = match news.project {
            None => signed.admin,
            Some(project) => {
                let member = standing(sql, signed.user, project, at)?;
                let role = member.and_then(|member| member.role);
                // Operators are told of streams, and not of what else officers decide.
                role == Some(Role::Officer)
                    || role == Some(Role::Operator) && news.subject.is_some()
            }
        };
        if !concerned {
            return Ok(None);
        }
        let count = waiting_for(sql, signed, at)?;
        return Ok(count.map(|count| format!(r#"{{"count":{count}}}"#)));
    }
    let Some(project) = news.project else {
        return Ok(None);
    };
    let Some(member) = standing(sql, signed.user, project, at)? else {
        return Ok(None);
    };
    let has = |right: &RightInfo| {
        member
            .role
            .is_some_and(|role| right.has(role, member.level.unwrap_or(0)))
            || signed.auditor && right.to.contains(&To::Auditor)
    };
    let may = match news.kind {
        Kind::Job => member
            .role
            .is_some_and(|role| job::may_see(role, news.user == Some(signed.user))),
        Kind::Stream => has(&ReadStreams::INFO),
        Kind::Release if has(&ReviewRelease::INFO) => true,
        Kind::Release if has(&ListReleases::INFO) => is_published(sql, news.subject, member.level)?,
        _ => false,
    };
    Ok(may.then(|| news.body.to_string()))
}

/// Whether a release was published at a level that a member may read.
fn is_published(
    sql: &mut dyn Sql,
    release: Option<crate::id::Id>,
    level: Option<i64>,
) -> Result<bool> {
    let Some(level) = level else {
        return Ok(false);
    };
    let published = "SELECT count(*) FROM releases r JOIN release_levels l ON l.release_id = r.id \
                     WHERE r.id = $1 AND l.level >= $2 AND r.published_at IS NOT NULL";
    Ok(sql.number(published, values![release, level])? > 0)
}
