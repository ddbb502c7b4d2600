//! Keeps streams running: a child for each one that is wanted, its lease, its figures, and another
//! child when one was killed.

use super::points::{self, Buckets, Point, mark};
use super::protocol::{Figures, Segment, Start, StreamTask, StreamTold, ToStream};
use super::row::Kept;
use super::segment::{self, Side};
use super::{define, policy};
use crate::app::App;
use crate::audit::Entry;
use crate::clock::{Millis, SECOND};
use crate::events::{Kind, News, tell, tell_alarm};
use crate::id::Id;
use crate::job::{Heard, Worker, memory_of, opened_secrets};
use crate::problem::{Problem, Result};
use crate::seal::{LogReader, problem};
use crate::worker::stream::parse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// For how long a stream is claimed at a time.
const LEASE: Millis = 30 * SECOND;
/// How often a claim is kept.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How often what is wanted is looked at, and figures are kept.
const LOOK: Duration = Duration::from_secs(1);
/// The longest pause before a stream whose child was killed runs again.
const PAUSE: u32 = 6;
/// How many streams run in one process.
const MOST: usize = 64;

/// Keeps the streams of a server running. When it is dropped, their children stop where they are.
pub struct Keeper {
    stop: Arc<AtomicBool>,
    app: Arc<App>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Begins, with children that are started as `program` says.
    pub fn start(app: Arc<App>, program: Vec<String>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let all = All {
            app: Arc::clone(&app),
            program,
            stop: Arc::clone(&stop),
            killed: Mutex::default(),
        };
        let thread = std::thread::spawn(move || Arc::new(all).run());
        Keeper {
            stop,
            app,
            thread: Some(thread),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.app.store.bell().ring();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keeper").finish_non_exhaustive()
    }
}

struct All {
    app: Arc<App>,
    program: Vec<String>,
    stop: Arc<AtomicBool>,
    /// How often in a row the child of a stream was killed, and when.
    killed: Mutex<HashMap<Id, (u32, Instant)>>,
}

/// A stream that this process keeps.
#[derive(Clone, Debug)]
struct Claim {
    stream: Id,
    project: Id,
    by: Id,
    epoch: i64,
    policy: Id,
}

/// How a child ended.
enum Ended {
    /// As it was told to; `true` when nothing is left to release.
    Stopped(bool),
    /// It cannot go on, and another one could not either.
    Failed(Kept),
    /// It was killed.
    Killed,
    /// Another process has the stream.
    Lost,
}

impl All {
    fn run(self: Arc<Self>) {
        let mut threads: Vec<JoinHandle<()>> = Vec::new();
        let mut seen = self.app.store.bell().rings();
        while !self.stops() {
            threads.retain(|thread| !thread.is_finished());
            match self.claim(threads.len()) {
                Ok(Some(claim)) => {
                    let all = Arc::clone(&self);
                    threads.push(std::thread::spawn(move || all.keep(&claim)));
                }
                Ok(None) | Err(_) => seen = self.app.store.bell().wait(seen, LOOK),
            }
        }
        for thread in threads {
            let _ = thread.join();
        }
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the child of a stream was killed so recently that it is waited for a while.
    fn pauses(&self, stream: Id) -> bool {
        let killed = self.killed.lock().unwrap_or_else(PoisonError::into_inner);
        killed.get(&stream).is_some_and(|(times, at)| {
            at.elapsed() < Duration::from_millis(100 << (*times).min(PAUSE + 3))
        })
    }

    fn note(&self, stream: Id, was_killed: bool) {
        let mut killed = self.killed.lock().unwrap_or_else(PoisonError::into_inner);
        match was_killed {
            true => {
                let times = killed.get(&stream).map_or(0, |(times, _)| *times) + 1;
                killed.insert(stream, (times, Instant::now()));
            }
            false => drop(killed.remove(&stream)),
        }
    }

    /// Claims a stream that is wanted and that nobody keeps.
    fn claim(&self, kept: usize) -> Result<Option<Claim>> {
        let at = self.app.clock.now();
        if kept >= MOST {
            return Ok(None);
        }
        let waiting = "SELECT id, project_id, epoch, policy_version_id FROM streams \
                       WHERE wanted IN ('running', 'finished') AND decision = 'approved' \
                       AND state NOT IN ('failed', 'finished') \
                       AND (lease_by IS NULL OR lease_until < $1) ORDER BY id";
        let left = "SELECT count(*) FROM streams WHERE state IN ('starting', 'running') \
                    AND wanted = 'stopped' AND (lease_by IS NULL OR lease_until < $1)";
        let (rows, left) = self.app.store.read(|sql| {
            let left = sql.number(left, values![at])?;
            Ok((sql.query(waiting, values![at])?, left))
        })?;
        if left > 0 {
            // Their server has ended without a word; nobody wants them any more.
            let stopped = "UPDATE streams SET state = 'stopped', lease_by = NULL, lease_until = NULL \
                           WHERE state IN ('starting', 'running') AND wanted = 'stopped' \
                           AND (lease_by IS NULL OR lease_until < $1)";
            self.app
                .store
                .act(|act| act.execute(stopped, values![at]))?;
        }
        for row in rows {
            let claim = Claim {
                stream: row.id(0)?,
                project: row.id(1)?,
                by: Id::random(),
                epoch: row.integer(2)?,
                policy: row.id(3)?,
            };
            if self.pauses(claim.stream) {
                continue;
            }
            let claimed = self.app.store.act(|act| {
                act.execute(
                    "UPDATE streams SET lease_by = $1, lease_until = $2, state = 'starting' WHERE id = $3 \
                     AND wanted IN ('running', 'finished') AND decision = 'approved' AND epoch = $4 \
                     AND (lease_by IS NULL OR lease_until < $5)",
                    values![claim.by, at + LEASE, claim.stream, claim.epoch, at],
                )
            })?;
            if claimed == 1 {
                return Ok(Some(claim));
            }
        }
        Ok(None)
    }

    fn keep(&self, claim: &Claim) {
        let begun = Instant::now();
        let ended = self.task(claim).and_then(|task| {
            let started = Worker::start(&self.program, &task.folder, &task);
            let worker = started.map_err(|e| {
                Problem::unavailable(format!("no worker can be started: {}", e.kind()))
            })?;
            Ok(self.watch(claim, worker, &task.events))
        });
        let ended = ended.unwrap_or_else(|problem| match problem.status {
            // The store or the disk is away: it is tried again.
            503 => Ended::Killed,
            _ => Ended::Failed(Kept {
                code: problem.code.to_owned(),
                title: problem.what,
                help: problem.help,
            }),
        });
        if begun.elapsed() > Duration::from_secs(60) {
            self.note(claim.stream, false);
        }
        self.note(claim.stream, matches!(ended, Ended::Killed));
        // Where its end cannot be written, the lease runs out.
        let _ = self.end(claim, &ended);
    }

    /// Hears what a child tells until it ends, and says what is wanted of it.
    fn watch(&self, claim: &Claim, mut worker: Worker<StreamTold>, events: &[Segment]) -> Ended {
        let mut known = events.last().map_or(0, |last| last.number);
        let (mut kept, mut looked) = (Instant::now(), Instant::now());
        let mut buckets = Buckets::default();
        let mut said = None;
        loop {
            let heard = match worker.hear(LOOK / 4) {
                Heard::Told(StreamTold::Stopped { finished }) => return Ended::Stopped(finished),
                Heard::Told(StreamTold::Failed {
                    code, what, help, ..
                }) => {
                    return Ended::Failed(Kept {
                        code,
                        title: what,
                        help,
                    });
                }
                Heard::Told(StreamTold::Running) => self.is_running(claim),
                Heard::Told(StreamTold::Figures(figures)) => {
                    self.figures(claim, figures, &mut buckets)
                }
                Heard::Told(StreamTold::Full { next }) => self.next_segment(claim, next, &worker),
                Heard::Nothing => Ok(()),
                Heard::Ended(_) if self.stops() => return Ended::Stopped(false),
                Heard::Ended(_) => return Ended::Killed,
            };
            if heard.is_err() && kept.elapsed() >= HEARTBEAT * 5 {
                return Ended::Lost;
            }
            if self.stops() && said.is_none() {
                said = Some(Instant::now());
                let _ = worker.say(&ToStream::Stop);
            }
            // One that does not stop is killed when it is dropped.
            if said.is_some_and(|said: Instant| said.elapsed() > HEARTBEAT) {
                return Ended::Stopped(false);
            }
            if looked.elapsed() < LOOK {
                continue;
            }
            looked = Instant::now();
            match self.look(claim, &worker, &mut known, kept.elapsed() >= HEARTBEAT) {
                Ok(Wanted::Run) => {
                    if kept.elapsed() >= HEARTBEAT {
                        kept = Instant::now();
                    }
                }
                Ok(Wanted::Stop) if said.is_none() => {
                    said = Some(Instant::now());
                    let _ = worker.say(&ToStream::Stop);
                }
                Ok(Wanted::Stop) => {}
                Ok(Wanted::Finish) => drop(worker.say(&ToStream::Finish)),
                Ok(Wanted::Lost) => return Ended::Lost,
                Err(_) if kept.elapsed() >= HEARTBEAT * 5 => return Ended::Lost,
                Err(_) => {}
            }
        }
    }

    /// What is wanted of a stream by now; new segments of events are told to its child.
    fn look(
        &self,
        claim: &Claim,
        worker: &Worker<StreamTold>,
        known: &mut u64,
        keeps: bool,
    ) -> Result<Wanted> {
        let (app, at) = (&self.app, self.app.clock.now());
        let (wanted, segments) = app.store.read(|sql| {
            let row = sql.row(
                "SELECT wanted, epoch, decision FROM streams WHERE id = $1 AND lease_by = $2",
                values![claim.stream, claim.by],
            )?;
            let Some(row) = row else {
                return Ok((Wanted::Lost, Vec::new()));
            };
            let goes_on = row.integer(1)? == claim.epoch && row.text(2)? == "approved";
            let wanted = match row.text(0)? {
                "running" if goes_on => Wanted::Run,
                "finished" if goes_on => Wanted::Finish,
                _ => Wanted::Stop,
            };
            let segments = segment::list(app, sql, (claim.stream, Side::Events))?;
            Ok((wanted, segments))
        })?;
        for segment in segments {
            if segment.number > *known {
                *known = segment.number;
                worker
                    .say(&ToStream::Events { segment })
                    .map_err(|e| problem(&e))?;
            }
        }
        if keeps {
            let keep = "UPDATE streams SET lease_until = $1 WHERE id = $2 AND lease_by = $3";
            let kept = app
                .store
                .act(|act| act.execute(keep, values![at + LEASE, claim.stream, claim.by]))?;
            if kept == 0 {
                return Ok(Wanted::Lost);
            }
        }
        Ok(wanted)
    }

    fn is_running(&self, claim: &Claim) -> Result<()> {
        let running = "UPDATE streams SET state = 'running' WHERE id = $1 AND lease_by = $2";
        self.app
            .store
            .act(|act| act.execute(running, values![claim.stream, claim.by]))
            .map(drop)
    }

    /// Keeps figures, tells them, and deletes events that no child needs any more.
    fn figures(&self, claim: &Claim, figures: Figures, buckets: &mut Buckets) -> Result<()> {
        let (app, at) = (&self.app, self.app.clock.now());
        let files = app.store.act(|act| {
            act.execute_one(
                "UPDATE streams SET taken = $1, released = $2, taken_to = $3, needed_from = $4 \
                 WHERE id = $5 AND lease_by = $6",
                values![
                    figures.taken as i64,
                    figures.released as i64,
                    figures.to.byte as i64,
                    figures.needed_from as i64,
                    claim.stream,
                    claim.by
                ],
            )?;
            let accepted = "SELECT accepted FROM streams WHERE id = $1";
            let accepted = act.number(accepted, values![claim.stream])? as u64;
            let lag = accepted.saturating_sub(figures.to.byte);
            let was = buckets.alarm;
            if let Some(point) = buckets.add(figures.clone(), lag, at) {
                points::keep(&mut **act, claim.stream, &point, at)?;
            }
            if buckets.alarm != was {
                tell_alarm(&mut **act, claim.project, claim.stream, at)?;
            }
            let now = buckets.now(lag);
            tell(&mut **act, &news(claim, &now, at), at)?;
            segment::forget(app, act, claim.stream, figures.needed_from as i64)
        })?;
        for file in files {
            let _ = std::fs::remove_file(file);
        }
        Ok(())
    }

    fn next_segment(&self, claim: &Claim, next: u64, worker: &Worker<StreamTold>) -> Result<()> {
        let (app, at) = (&self.app, self.app.clock.now());
        let side = (claim.stream, Side::Released);
        let segment = app
            .store
            .act(|act| segment::begin(app, act, side, next, Some(claim.policy), at))?;
        worker
            .say(&ToStream::Released { segment })
            .map_err(|e| problem(&e))
    }

    /// All that a child needs.
    fn task(&self, claim: &Claim) -> Result<StreamTask> {
        let (app, at) = (&self.app, self.app.clock.now());
        let folder = segment::folder(app)?;
        let (before, mut own) = app
            .store
            .read(|sql| segment::released(app, sql, claim.stream, claim.policy))?;
        let (mut from, next) = end_of(&before)?;
        if own.is_empty() {
            let side = (claim.stream, Side::Released);
            own.push(
                app.store
                    .act(|act| segment::begin(app, act, side, next, Some(claim.policy), at))?,
            );
        }
        app.store.read(|sql| {
            let (text, texts) = define::texts_of(app, sql, claim.project, claim.policy)?;
            let events = segment::list(app, sql, (claim.stream, Side::Events))?;
            if let Some(first) = events.first().filter(|first| from.byte < first.first) {
                // The rules of the project have had the events before it deleted.
                from = Start {
                    byte: first.first,
                    skip: 0,
                };
            }
            Ok(StreamTask {
                stream: claim.stream,
                folder: folder.clone(),
                policy: policy::composed(&text)?.text,
                texts,
                secrets: opened_secrets(app, sql, claim.project, &text)?,
                events,
                released: own.clone(),
                from,
                memory: memory_of(app) / 2,
            })
        })
    }

    fn end(&self, claim: &Claim, ended: &Ended) -> Result<()> {
        let at = self.app.clock.now();
        let (state, problem, what) = match ended {
            Ended::Lost => return Ok(()),
            Ended::Stopped(true) => ("finished", None, Some("finished")),
            Ended::Stopped(false) => ("stopped", None, None),
            Ended::Killed => ("stopped", None, Some("killed")),
            Ended::Failed(kept) => {
                let kept = serde_json::to_string(kept).unwrap_or_default();
                ("failed", Some(kept), Some("failed"))
            }
        };
        self.app.store.act(|act| {
            let changed = act.execute(
                "UPDATE streams SET state = $1, problem = $2, lease_by = NULL, lease_until = NULL \
                 WHERE id = $3 AND lease_by = $4",
                values![state, problem.as_deref(), claim.stream, claim.by],
            )?;
            let (1, Some(what)) = (changed, what) else {
                return Ok(());
            };
            mark(&mut **act, claim.stream, what, at)?;
            if what == "failed" {
                tell_alarm(&mut **act, claim.project, claim.stream, at)?;
            }
            let name = format!("stream.{what}");
            act.log(&Entry {
                at,
                act: &name,
                project: Some(claim.project),
                subject: Some(claim.stream),
                ..Entry::default()
            })
        })
    }
}

/// What is wanted of a stream that runs.
enum Wanted {
    Run,
    Stop,
    Finish,
    Lost,
}

/// Where the last record of released rows ends: in the events, and in the rows.
fn end_of(segments: &[Segment]) -> Result<(Start, u64)> {
    let failed = |e: std::io::Error| problem(&e);
    let mut to = Start::default();
    let mut next = 0;
    for segment in segments
        .iter()
        .rev()
        .filter(|segment| segment.path.exists())
    {
        let key = segment::key(segment)?;
        let mut reader =
            LogReader::open(&segment.path, &key, segment.object, segment.first).map_err(failed)?;
        next = next.max(segment.first);
        let mut found = false;
        while let Some(record) = reader.record().map_err(failed)? {
            to = parse(&record.content).map_err(failed)?.0.to;
            next = next.max(record.next);
            found = true;
        }
        if found {
            break;
        }
    }
    Ok((to, next))
}

fn news(claim: &Claim, figures: &Point, at: Millis) -> News {
    News {
        kind: Kind::Stream,
        project: Some(claim.project),
        subject: Some(claim.stream),
        user: None,
        body: serde_json::json!({ "id": claim.stream, "at": at, "figures": figures }),
    }
}
