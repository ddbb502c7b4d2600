//! The one loop: rows of sources go through a session into a sink.

use super::context::Context;
use super::plan::Plan;
use super::session::{Outcome, Resume, Session};
use super::sink::Sink;
use super::source::{Each, Source};
use crate::data::{Batch, Schema};
use crate::error::{Error, Result};
use std::sync::Arc;
use std::time::Instant;

/// How often what has left is committed before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// After so many rows.
    Rows(u64),
    /// After so many milliseconds.
    Milliseconds(i64),
}

/// Lets rows of sources through a session into a sink.
pub struct Pump<'a, S> {
    session: Session,
    sources: Vec<Tap<'a>>,
    sink: S,
    due: Option<Due>,
}

/// A source, and rows of it that were read and are not wanted yet.
struct Tap<'a> {
    source: Box<dyn Source + 'a>,
    left: Option<Batch>,
    /// Rows that an earlier session has done and that are not shown again.
    skip: u64,
}

impl<'a, S: Sink> Pump<'a, S> {
    /// Commits as often as said, where the session can be gone on with.
    ///
    /// # Errors
    /// When there are other sources than the session has, or one cannot go to where the session
    /// wants its rows from.
    pub fn new(
        session: Session,
        sources: Vec<Box<dyn Source + 'a>>,
        sink: S,
        every: Option<Every>,
    ) -> Result<Self> {
        if sources.len() != session.sources() {
            return Err(Error::usage(format!(
                "a session of {} sources was given {}",
                session.sources(),
                sources.len()
            )));
        }
        let taps = sources.into_iter().enumerate();
        let taps = taps.map(|(number, mut source)| {
            let first = session.first_row(number);
            let skip = match first.position {
                Some((rows, position)) if source.seek(position)? => first.rows - rows,
                _ => first.rows,
            };
            Ok(Tap {
                source,
                left: None,
                skip,
            })
        });
        Ok(Pump {
            sources: taps.collect::<Result<_>>()?,
            session,
            sink,
            due: every.map(Due::new),
        })
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Lets the next rows through, at most as many as lie between two commits, or ends a
    /// source; false when every source has ended.
    ///
    /// # Errors
    /// Those of the sources, the session and the sink.
    pub fn step(&mut self) -> Result<bool> {
        let Some(source) = self.session.next_source() else {
            return Ok(false);
        };
        let settles = || self.session.settles_in().filter(|&rows| rows > 0);
        let most = match &self.due {
            None => u64::MAX,
            Some(due) if due.is_due => settles().unwrap_or(due.most()),
            Some(due) => due.most(),
        };
        let most = most.min(self.session.takes(source));
        let rows = match self.sources[source].next(most) {
            Ok(Some(rows)) => rows,
            Ok(None) => {
                if let Some(released) = self.session.end(source)? {
                    self.sink.write(&released)?;
                }
                return Ok(true);
            }
            Err(flaw) => {
                // What can be gone on with is not given up.
                if self.due.is_none()
                    && let Some(rest) = self.session.abandon()?
                {
                    self.sink.write(&rest)?;
                }
                return Err(flaw);
            }
        };
        let (count, behind) = (rows.len(), self.session.is_behind());
        let released = self.session.push_from(source, rows)?;
        if let Some(position) = self.sources[source].position() {
            self.session.reached(source, position);
        }
        if let Some(released) = released {
            self.sink.write(&released)?;
        }
        self.session.stands()?;
        if let Some(due) = self.due.as_mut().filter(|_| !behind)
            && due.after(count, self.sink.is_busy())
            && let Some(so_far) = self.session.state()?
        {
            self.sink.commit(Some(&so_far))?;
            due.is_due = false;
        }
        Ok(true)
    }

    /// The session, which has all rows and all remarks about them, and the sink.
    fn ended(mut self) -> (Session, S) {
        let notes = self.sources.iter().flat_map(|tap| tap.source.notes());
        let mut notes: Vec<String> = notes.collect();
        notes.dedup();
        self.session.note(notes);
        (self.session, self.sink)
    }

    /// Lets go of what is left and commits it; gives the sink back.
    ///
    /// # Errors
    /// When a promise is not kept, or the sink fails; it is aborted then.
    pub fn finish(self) -> Result<(Outcome, S)> {
        let (session, mut sink) = self.ended();
        let ended = session.finish().and_then(|(rest, outcome)| {
            sink.write(&rest)?;
            sink.commit(None)?;
            Ok(outcome)
        });
        match ended {
            Ok(outcome) => Ok((outcome, sink)),
            Err(error) => {
                sink.abort();
                Err(error)
            }
        }
    }

    /// Steps until every source has ended; gives the session, to be finished.
    ///
    /// # Errors
    /// Those of the sources, the session and the sink, which is aborted then.
    pub fn read(mut self) -> Result<Session> {
        loop {
            match self.step() {
                Ok(true) => {}
                Ok(false) => return Ok(self.ended().0),
                Err(error) => {
                    self.sink.abort();
                    return Err(error);
                }
            }
        }
    }

    /// Steps until every source has ended, and finishes.
    ///
    /// # Errors
    /// Those of the sources, the session and the sink, which is aborted then.
    pub fn run(mut self) -> Result<(Outcome, S)> {
        loop {
            match self.step() {
                Ok(true) => {}
                Ok(false) => return self.finish(),
                Err(error) => {
                    self.sink.abort();
                    return Err(error);
                }
            }
        }
    }
}

impl Tap<'_> {
    /// At most so many of the next rows; none at the end.
    fn next(&mut self, most: u64) -> Result<Option<Batch>> {
        loop {
            let batch = match self.left.take() {
                Some(batch) => batch,
                None => match self.source.next()? {
                    Some(batch) => batch,
                    None => return Ok(None),
                },
            };
            let rows = batch.len() as u64;
            if rows == 0 {
                return Ok(Some(batch));
            }
            if self.skip >= rows {
                self.skip -= rows;
                continue;
            }
            let start = std::mem::take(&mut self.skip);
            let end = rows.min(start.saturating_add(most));
            if end < rows {
                self.left = Some(batch.slice(end as usize, (rows - end) as usize));
            }
            return Ok(Some(batch.slice(start as usize, (end - start) as usize)));
        }
    }

    /// Where the source is, if all that was read of it has gone through.
    fn position(&self) -> Option<u64> {
        match self.left {
            None => self.source.position(),
            Some(_) => None,
        }
    }
}

/// When what has left is committed next.
struct Due {
    every: Every,
    rows: u64,
    since: Instant,
    /// As soon as the session can tell how far it is.
    is_due: bool,
}

impl Due {
    fn new(every: Every) -> Self {
        Due {
            every,
            rows: 0,
            since: Instant::now(),
            is_due: false,
        }
    }

    /// The most rows between two commits.
    fn most(&self) -> u64 {
        match self.every {
            Every::Rows(rows) => rows,
            Every::Milliseconds(_) => u64::MAX,
        }
    }

    /// Whether it is due after `rows` more; a busy sink is asked again when the next one is due.
    fn after(&mut self, rows: usize, is_busy: bool) -> bool {
        self.rows += rows as u64;
        let due = match self.every {
            Every::Rows(rows) => self.rows >= rows,
            Every::Milliseconds(ms) => self.since.elapsed().as_millis() >= ms as u128,
        };
        if due {
            self.rows = 0;
            self.since = Instant::now();
            self.is_due = true;
        }
        self.is_due &= !is_busy;
        self.is_due
    }
}

/// Lets rows of this schema through a session into a sink; tells how it went.
///
/// # Errors
/// Those of the rows, of the session and of the sink, which is aborted then.
pub fn run(
    plan: &Arc<Plan>,
    schema: &Arc<Schema>,
    rows: impl IntoIterator<Item = Result<Batch>>,
    sink: &mut dyn Sink,
    context: Context,
) -> Result<Outcome> {
    run_from(
        plan,
        schema,
        vec![Box::new(Each(rows.into_iter()))],
        sink,
        (&Resume::start(1), None),
        context,
    )
}

/// Lets rows of sources through a session that goes on from where another one was, and commits
/// as often as said; tells how it went.
///
/// # Errors
/// Those of the sources, of the session and of the sink, which is aborted then.
pub fn run_from<'a>(
    plan: &Arc<Plan>,
    schema: &Arc<Schema>,
    sources: Vec<Box<dyn Source + 'a>>,
    sink: &'a mut dyn Sink,
    (from, every): (&Resume, Option<Every>),
    context: Context,
) -> Result<Outcome> {
    let session = Session::resume(plan, schema, from, context)?;
    Pump::new(session, sources, sink, every)?
        .run()
        .map(|(outcome, _)| outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_sink_is_asked_when_the_next_commit_is_due() {
        let mut due = Due::new(Every::Rows(4));
        assert!(!due.after(3, false));
        assert!(!due.after(1, true));
        // Not with each row meanwhile.
        assert!(!due.after(3, false));
        assert!(due.after(1, false));
        // Asked and not able to tell how far it is, the session is asked again.
        assert!(due.after(1, false));
    }
}
