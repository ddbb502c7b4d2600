//! The child that runs a stream: events of a log in, checked rows into another one, for as long as
//! there are events.
//!
//! It is one session of the library between a source that waits for more and a sink that commits
//! rows together with the place from which another child goes on. It hears of new segments and of
//! its end on standard input, and tells figures each second; when its input closes, the server has
//! ended, and so does it.

mod arriving;
mod released;
mod tail;

pub(crate) use released::parse;
pub(crate) use tail::ACCEPTED;

use super::Process;
use super::limits::Allowed;
use crate::problem::Problem;
use crate::stream::policy;
use crate::stream::protocol::{Figures, Segment, StreamTask, StreamTold, ToStream};
use arriving::Arriving;
use moretta::engine::{Every, Live, Progress, Pump, Resume, Session, Sink};
use moretta::io::{self, Files, MemoryFiles, Provider, Readable, Writable};
use moretta::policy::{Policy, Secrets};
use moretta::protect::Method;
use moretta::{Error, Result};
use released::{Committed, Log, Reached, Releases, Segments, locked};
use std::io::{BufRead, ErrorKind, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tail::Events;

/// How often what was released is committed.
const COMMIT: Every = Every::Milliseconds(100);
/// How often figures are told.
const FIGURES: Duration = Duration::from_secs(1);
/// Shares of so many users are not told.
const FEW: u64 = 10;
/// What the policy calls the events.
pub(crate) const EVENTS: &str = "events.jsonl";

/// Tells the server something; nobody hears it when the server has ended.
#[derive(Clone)]
struct Teller(Arc<Mutex<Box<dyn Write + Send>>>);

impl Teller {
    fn tell(&self, told: &StreamTold) {
        let mut output = locked(&self.0);
        let line = serde_json::to_vec(told).unwrap_or_default();
        let _ = output.write_all(&line);
        let _ = output.write_all(b"\n");
        let _ = output.flush();
    }
}

/// Runs a stream until it is told to stop, fails, or nobody hears it any more. Gives whether it
/// stopped as it was told to.
pub(super) fn run_stream(
    task: StreamTask,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    process: &Process,
) -> bool {
    let teller = Teller(Arc::new(Mutex::new(Box::new(output))));
    let failed = |problem: Problem| StreamTold::Failed {
        status: problem.status,
        code: problem.code.to_owned(),
        what: problem.what,
        help: problem.help,
    };
    let allowed = Allowed {
        memory: task.memory,
        inputs: Vec::new(),
        folder: &task.folder,
    };
    if let Err(problem) = (process.limit)(&allowed) {
        teller.tell(&failed(problem));
        return false;
    }
    let events = Events::new(task.events.clone());
    let (give, given) = channel();
    hear(input, events.clone(), give);
    let segments = Box::new(Asked {
        teller: teller.clone(),
        given,
    });
    let told = match run(&task, &events, segments, &teller) {
        Ok(finished) => StreamTold::Stopped { finished },
        Err(_) if events.are_stopped() => StreamTold::Stopped { finished: false },
        Err(error) => failed(Problem::from(error)),
    };
    teller.tell(&told);
    matches!(told, StreamTold::Stopped { .. })
}

/// Hears what the server says, on a thread of its own.
fn hear(input: impl BufRead + Send + 'static, events: Events, give: Sender<Segment>) {
    std::thread::spawn(move || {
        for line in input.lines() {
            let Ok(line) = line else { break };
            match serde_json::from_str(&line) {
                Ok(ToStream::Events { segment }) => events.add(segment),
                Ok(ToStream::Released { segment }) => drop(give.send(segment)),
                Ok(ToStream::Finish) => events.finish(),
                Ok(ToStream::Stop) | Err(_) => break,
            }
        }
        // Who waits for a segment stops waiting, since nobody can give one any more.
        events.stop();
    });
}

/// Asks the server for segments.
struct Asked {
    teller: Teller,
    given: Receiver<Segment>,
}

impl Segments for Asked {
    fn next_segment(&mut self, next: u64) -> std::io::Result<Segment> {
        self.teller.tell(&StreamTold::Full { next });
        self.given
            .recv()
            .map_err(|_| ErrorKind::ConnectionAborted.into())
    }
}

fn run(
    task: &StreamTask,
    events: &Events,
    segments: Box<dyn Segments>,
    teller: &Teller,
) -> Result<bool> {
    let lock = task.folder.join(format!("{}.released", task.stream));
    let Some((log, so_far)) = Log::open(&task.released, &lock).map_err(read_failed)? else {
        // It is tried again by the server.
        return Ok(false);
    };
    let resume = match so_far {
        None => Resume::start(1),
        Some(so_far) => match so_far.resume {
            Some(resume) => resume,
            None => return Ok(true),
        },
    };
    // Rows before it, and the byte at which it begins.
    let (before, byte) = match resume.first_row(0).position {
        Some((rows, byte)) => (rows as i64, byte),
        None => (-(task.from.skip as i64), task.from.byte),
    };
    let (policy, files) = open(task, events, byte)?;
    let goal = goal_of(&policy);
    let plan = Arc::new(policy.loaded_plan()?);
    let options = policy::options(&policy, files);
    let source = io::open(Path::new(EVENTS), &options, &policy.plan.column_plans()?)?;
    let progress = Progress::default();
    progress.watch();
    let mut session = Session::resume(&plan, source.schema(), &resume, policy.context(&progress)?)?;
    let schema = session.released_schema().ok_or_else(|| {
        Error::policy("the policy is one for tables").help("use a method for streams")
    })?;
    let reached = Reached::default();
    let mut releases = Releases::new(
        log,
        segments,
        schema,
        (reached.clone(), events.clone()),
        byte,
    )?;
    let arriving = Arriving::new(source, (before, byte), &reached)?;
    if !resume.has_begun() {
        // What masks draw from is on disk before a row can be seen.
        let start = session.state()?.unwrap_or(resume);
        releases.commit(Some(&start))?;
    }
    let committed = releases.committed();
    let mut pump = Pump::new(session, vec![Box::new(arriving)], releases, Some(COMMIT))?;
    teller.tell(&StreamTold::Running);
    let mut told = Instant::now();
    while pump.step()? {
        if told.elapsed() >= FIGURES {
            told = Instant::now();
            teller.tell(&StreamTold::Figures(figures(&committed, &progress, goal)));
        }
    }
    pump.finish()?;
    teller.tell(&StreamTold::Figures(figures(&committed, &progress, goal)));
    Ok(true)
}

fn figures(committed: &Mutex<Committed>, progress: &Progress, goal: Option<f64>) -> Figures {
    let mut so_far = locked(committed);
    let mut waited = std::mem::take(&mut so_far.waited);
    waited.sort_unstable();
    let at = |share: f64| waited[((waited.len() - 1) as f64 * share) as usize];
    let mut figures = Figures {
        taken: so_far.taken,
        released: so_far.released,
        to: so_far.to,
        needed_from: so_far.needed_from,
        delay: (!waited.is_empty()).then(|| (at(0.5), at(0.99))),
        goal,
        ..Figures::default()
    };
    match progress.live() {
        Some(Live::Events(live)) => {
            figures.attributes = Some((live.read, live.suppressed));
            figures.levels = live.levels;
            figures.z = Some(live.z);
            figures.window = live.window;
            figures.p = shown_share(live.p, live.users);
            figures.unique = shown_share(live.unique, live.users);
        }
        Some(Live::Records(records)) => {
            let named = records.figures.iter();
            figures.measures = named
                .map(|(name, value, _)| ((*name).to_owned(), *value))
                .collect();
        }
        _ => {}
    }
    figures
}

/// A share of users as it may be told: in whole percent, of more than ten users, so that nobody
/// computes a count of few from it.
fn shown_share(share: Option<f64>, users: u64) -> Option<f64> {
    let share = share.filter(|_| users > FEW)?;
    Some((share * 100.0).round() / 100.0)
}

/// The share of users that z is tuned for, where it is.
fn goal_of(policy: &Policy) -> Option<f64> {
    let mut methods = policy.plan.protect.iter();
    methods.find_map(|method| match method {
        Method::ZAnonymity(z) => z.tune.map(|tune| tune.goal),
        _ => None,
    })
}

/// The policy, which reads its hierarchies from memory and its events from the log.
fn open(task: &StreamTask, events: &Events, byte: u64) -> Result<(Policy, Files)> {
    let texts = MemoryFiles::default();
    for (name, text) in &task.texts {
        texts.put(Path::new(name), text.clone().into_bytes());
    }
    let files = Files::provided(StreamFiles {
        texts,
        events: events.clone(),
        byte,
    });
    let secrets = task.secrets.clone();
    let secrets = Secrets::by(move |name| {
        let found = secrets.iter().find(|(secret, _)| secret == name);
        found.map(|(_, digits)| digits.clone().into_bytes())
    });
    let policy = policy::open(&task.policy, files.clone(), secrets)?;
    Ok((policy, files))
}

fn read_failed(error: std::io::Error) -> Error {
    Error::io("read", Path::new(EVENTS), error)
}

/// Hierarchies in memory, and the events.
#[derive(Debug)]
struct StreamFiles {
    texts: MemoryFiles,
    events: Events,
    byte: u64,
}

impl Provider for StreamFiles {
    fn open(&self, path: &Path) -> std::io::Result<Box<dyn Readable>> {
        match path == Path::new(EVENTS) {
            true => Ok(Box::new(self.events.read(self.byte))),
            false => self.texts.open(path),
        }
    }

    fn create(&self, _: &Path) -> std::io::Result<Box<dyn Writable>> {
        Err(ErrorKind::Unsupported.into())
    }

    fn reopen(&self, _: &Path, _: u64) -> std::io::Result<Box<dyn Writable>> {
        Err(ErrorKind::Unsupported.into())
    }

    fn rename(&self, _: &Path, _: &Path, _: bool) -> std::io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    fn remove(&self, _: &Path) -> std::io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    fn exists(&self, path: &Path) -> bool {
        path == Path::new(EVENTS) || self.texts.exists(path)
    }

    fn is_live(&self, path: &Path) -> bool {
        path == Path::new(EVENTS)
    }
}

#[cfg(test)]
mod tests;
