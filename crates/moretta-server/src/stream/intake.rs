//! Events as they come in: looked at by the engine, sealed, on disk, and only then accepted.
//!
//! One process at a time adds to the log of a stream; a lock on a file beside the logs says which.

use super::normal::{Normal, normal};
use super::policy;
use super::protocol::Segment;
use super::row;
use super::segment::{self, Side};
use crate::app::App;
use crate::clock::{HOUR, Millis};
use crate::id::{Id, random_bytes};
use crate::problem::{Problem, Result};
use crate::project::check_open;
use crate::seal::{LogWriter, problem};
use crate::secret::hex;
use crate::store::Act;
use crate::worker::stream::{ACCEPTED, EVENTS};
use moretta::Error;
use moretta::engine::{Context, Plan, Session};
use moretta::io::{self, ColumnPlan, Files, MemoryFiles, ReadOptions};
use moretta::policy::Secrets;
use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes after which a segment is full.
const FULL: u64 = 64 << 20;
/// For how long a segment takes events, so that old ones can be deleted without new ones.
pub(super) const SPAN: Millis = HOUR;
/// Bytes of events that may wait to be taken.
const LAG: u64 = 1 << 30;
/// How often the store is told how far a log is.
const NOTE: Duration = Duration::from_secs(1);

/// The logs that this process adds to.
#[derive(Default)]
pub struct Intakes {
    of: Mutex<HashMap<Id, Arc<Mutex<Option<Intake>>>>>,
}

impl std::fmt::Debug for Intakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Intakes").finish_non_exhaustive()
    }
}

/// The log of a stream, open for more events.
struct Intake {
    writer: LogWriter,
    /// When its segment was begun.
    begun: Millis,
    reader: EventReader,
    /// When the store was last told how far the log is.
    noted: Instant,
    _lock: File,
}

/// Looks at events as the policy of the stream will.
struct EventReader {
    version: Id,
    columns: Vec<String>,
    plans: Vec<ColumnPlan>,
    plan: Arc<Plan>,
    context: Context,
    options: ReadOptions,
}

/// What was accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accepted {
    /// How many events.
    pub(super) events: u64,
    /// The place after them.
    pub(super) next: u64,
}

impl Intakes {
    fn of(&self, stream: Id) -> Arc<Mutex<Option<Intake>>> {
        Arc::clone(locked(&self.of).entry(stream).or_default())
    }

    /// Where the next event of a stream will be.
    pub(super) fn next(&self, app: &App, (project, stream): (Id, Id)) -> Result<u64> {
        let intake = self.of(stream);
        let mut intake = locked(&intake);
        opened(app, &mut intake, (project, stream)).map(|intake| intake.writer.next())
    }

    /// Takes events that begin at `at`, if a place is named: all of them or none.
    pub(super) fn take(
        &self,
        app: &App,
        (project, stream): (Id, Id),
        body: &[u8],
        at: Option<u64>,
    ) -> Result<Accepted> {
        let intake = self.of(stream);
        let mut slot = locked(&intake);
        let taken = opened(app, &mut slot, (project, stream))
            .and_then(|intake| intake.take(app, (project, stream), body, at));
        if taken.as_ref().is_err_and(|problem| problem.status >= 500) {
            // Whatever state it was left in, it is read from disk the next time.
            *slot = None;
        }
        taken
    }

    /// Begins another segment of a stream, so that all before it can be deleted.
    pub(super) fn turn(&self, app: &App, (project, stream): (Id, Id)) -> Result<()> {
        let intake = self.of(stream);
        let mut slot = locked(&intake);
        // It is read from disk, whoever has added to it.
        *slot = None;
        let found = app.store.read(|sql| row::find(sql, project, stream))?;
        Intake::open(app, project, &found)?.turn(app, stream)
    }

    /// Lets go of the log of a stream, so that its policy is read again.
    pub(super) fn close(&self, stream: Id) {
        *locked(&self.of(stream)) = None;
    }
}

fn opened<'a>(
    app: &App,
    slot: &'a mut Option<Intake>,
    (project, stream): (Id, Id),
) -> Result<&'a mut Intake> {
    let found = app.store.read(|sql| {
        check_open(sql, project)?;
        row::find(sql, project, stream)
    })?;
    if found.decision != "approved" {
        return Err(
            Problem::conflict("not-approved", "the stream is not approved")
                .help("an officer of the project approves it before its first event"),
        );
    }
    if slot
        .as_ref()
        .is_some_and(|intake| intake.reader.version != found.policy_version)
    {
        *slot = None;
    }
    if slot.is_none() {
        *slot = Some(Intake::open(app, project, &found)?);
    }
    slot.as_mut()
        .ok_or_else(|| Problem::bug("a log is not open"))
}

impl Intake {
    fn open(app: &App, project: Id, stream: &row::Stream) -> Result<Self> {
        let lock = lock(&segment::folder(app)?.join(format!("{}.lock", stream.id)))?;
        let reader = EventReader::open(app, project, stream.policy_version)?;
        let side = (stream.id, Side::Events);
        let segments = app.store.read(|sql| segment::list(app, sql, side))?;
        let segment = match segments.last() {
            Some(last) => last.clone(),
            None => begin(app, stream.id, 0)?,
        };
        let at = "SELECT at FROM segments WHERE object_id = $1";
        let begun = app
            .store
            .read(|sql| sql.number(at, values![segment.object]))?;
        let writer = open_segment(&segment)?;
        if writer.next() < stream.accepted as u64 {
            return Err(
                Problem::new(500, "damaged", "events that were accepted are missing")
                    .help("have the data folder restored from a backup"),
            );
        }
        Ok(Intake {
            writer,
            begun,
            reader,
            noted: Instant::now(),
            _lock: lock,
        })
    }

    fn take(
        &mut self,
        app: &App,
        (project, stream): (Id, Id),
        body: &[u8],
        at: Option<u64>,
    ) -> Result<Accepted> {
        let next = self.writer.next();
        if at.is_some_and(|at| at != next) {
            let what = format!("the next event of the stream is at {next}");
            return Err(Problem::conflict("other-place", what)
                .help("send what comes after this place; what was before it has been accepted"));
        }
        let Normal { text, events } = normal(body, &self.reader.columns)?;
        if events == 0 {
            return Ok(Accepted { events, next });
        }
        let waiting = app.store.read(|sql| {
            let taken = "SELECT taken_to FROM streams WHERE id = $1 AND project_id = $2";
            sql.number(taken, values![stream, project])
        })?;
        if next.saturating_sub(waiting as u64) + text.len() as u64 > LAG {
            let what = "too many events wait to be taken";
            return Err(Problem::new(429, "lag", what)
                .help("is the stream running?")
                .after(5));
        }
        self.reader.look(&text)?;
        crate::zone::check_room(
            &segment::folder(app)?,
            text.len() as u64,
            app.settings.limits.reserve_bytes,
        )?;
        let now = app.clock.now();
        if self.writer.bytes() >= FULL || now - self.begun >= SPAN {
            self.turn(app, stream)?;
        }
        let mut content = Vec::with_capacity(ACCEPTED + text.len());
        content.extend_from_slice(&now.to_be_bytes());
        content.extend_from_slice(&text);
        let next = next + text.len() as u64;
        self.writer
            .append(next, &content)
            .map_err(|e| problem(&e))?;
        if self.noted.elapsed() >= NOTE {
            self.noted = Instant::now();
            // What was accepted is accepted, whether the store answers or not.
            let _ = app.store.act(|act| note(act, stream, next));
        }
        Ok(Accepted { events, next })
    }
}

impl Intake {
    /// Goes on in another segment.
    fn turn(&mut self, app: &App, stream: Id) -> Result<()> {
        self.begun = app.clock.now();
        self.writer = open_segment(&begin(app, stream, self.writer.next())?)?;
        Ok(())
    }
}

/// Begins a segment of events.
fn begin(app: &App, stream: Id, first: u64) -> Result<Segment> {
    let at = app.clock.now();
    app.store.act(|act| {
        note(act, stream, first)?;
        segment::begin(app, act, (stream, Side::Events), first, None, at)
    })
}

/// Tells the store how far the log is at least, so that a log that was cut is found.
fn note(act: &mut Act<'_>, stream: Id, next: u64) -> Result<()> {
    let accepted = "UPDATE streams SET accepted = $1 WHERE id = $2 AND accepted < $1";
    act.execute(accepted, values![next as i64, stream])
        .map(drop)
}

fn open_segment(segment: &Segment) -> Result<LogWriter> {
    let key = segment::key(segment)?;
    let writer = match segment.path.exists() {
        true => LogWriter::open(&segment.path, &key, segment.object, segment.first),
        false => LogWriter::create(&segment.path, &key, segment.object, segment.first),
    };
    writer.map_err(|e| problem(&e))
}

fn lock(path: &Path) -> Result<File> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path);
    let file = file.map_err(|e| problem(&e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Problem::unavailable(
            "another process takes the events of this stream",
        )),
        Err(TryLockError::Error(e)) => Err(problem(&e)),
    }
}

impl EventReader {
    fn open(app: &App, project: Id, version: Id) -> Result<Self> {
        let (text, hierarchies) = app
            .store
            .read(|sql| super::define::texts_of(app, sql, project, version))?;
        let files = MemoryFiles::default();
        for (name, content) in hierarchies {
            files.put(Path::new(&name), content.into_bytes());
        }
        let files = Files::provided(files);
        // No row that is made here leaves, so no key of the project is needed.
        let secrets = Secrets::by(|_| Some(hex(&random_bytes::<32>()).into_bytes()));
        let composed = policy::composed(&text)?;
        let policy = policy::open(&composed.text, files.clone(), secrets)?;
        let options = policy::options(&policy, files);
        Ok(EventReader {
            version,
            columns: options.names.clone(),
            plans: policy.plan.column_plans()?,
            plan: Arc::new(policy.loaded_plan()?),
            context: policy.context(&moretta::engine::Progress::default())?,
            options,
        })
    }

    /// Fails when the engine would not take events of their form.
    fn look(&self, events: &[u8]) -> Result<()> {
        let memory = MemoryFiles::default();
        memory.put(Path::new(EVENTS), events.to_vec());
        let options = ReadOptions {
            files: Files::provided(memory),
            ..self.options.clone()
        };
        let look = || {
            let source = io::open(Path::new(EVENTS), &options, &self.plans)?;
            let mut session = Session::open(&self.plan, source.schema(), self.context.clone())?;
            for batch in source {
                session.push(batch?)?;
                session.stands()?;
            }
            Ok(())
        };
        look().map_err(|error: Error| {
            let mut problem = Problem::from(error);
            problem.code = "unusable";
            problem
        })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
