//! How far a run is, so that a program can show it.

use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::measure::stream::Live as Events;
use crate::protect::Trail;
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// What a run is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Reading the source.
    #[default]
    Read,
    /// Protecting the rows.
    Protect,
    /// Writing the release aside.
    Write,
    /// Reading the release back, checking and measuring it.
    Check,
    /// Rendering the report and putting everything in place.
    Report,
}

impl Stage {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Read => "read",
            Stage::Protect => "protect",
            Stage::Write => "write",
            Stage::Check => "check",
            Stage::Report => "report",
        }
    }
}

/// How a stream is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum Live {
    /// Events that are decided one by one.
    Events(Events),
    /// Records that are masked.
    Records(Records),
    /// What a search begins with: how much of it was made, of how much.
    Start(u64, u64),
    /// Protected files that are searched.
    Search(Searched),
}

/// How a search over protected files is doing; scores are percentages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Searched {
    /// Steps so far.
    pub steps: u64,
    /// Steps a second since it began or went on.
    pub rate: f64,
    /// The best score.
    pub best: f64,
    /// The mean score of the population.
    pub mean: f64,
    /// Information loss of the best.
    pub loss: f64,
    /// Disclosure risk of the best.
    pub risk: f64,
}

/// How records that are masked are doing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// Rows read.
    pub read: u64,
    /// Rows released.
    pub released: u64,
    /// Measures so far: name, value, and whether it is a percentage.
    pub figures: Vec<(&'static str, f64, bool)>,
}

/// Shared between a run and the program that shows it: clones are about the same run.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    rows: Arc<AtomicU64>,
    log: Mutex<Log>,
    live: Mutex<Option<Live>>,
    watched: AtomicBool,
    trail: Trail,
    cancel: Cancel,
    listener: Mutex<Listener>,
}

/// Who is told of what a search has found so far.
#[derive(Default)]
struct Listener(Option<Box<dyn Fn(Value) + Send>>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

#[derive(Debug, Default)]
struct Log {
    current: Option<(Stage, Instant)>,
    done: Vec<(Stage, f64)>,
}

impl Progress {
    /// Rows of the current stage so far.
    pub fn rows(&self) -> u64 {
        self.0.rows.load(Ordering::Relaxed)
    }

    /// The current stage and the seconds spent in it.
    pub fn stage(&self) -> (Stage, f64) {
        let log = self.0.log.lock().unwrap_or_else(|e| e.into_inner());
        log.current.map_or((Stage::Read, 0.0), |(stage, since)| {
            (stage, since.elapsed().as_secs_f64())
        })
    }

    /// How a stream is doing, once it has begun.
    pub fn live(&self) -> Option<Live> {
        self.0
            .live
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .clone()
    }

    /// How a search over recodings goes.
    pub fn trail(&self) -> &Trail {
        &self.0.trail
    }

    /// Stops the run, or whatever else goes on, from another thread.
    pub fn cancel(&self) -> &Cancel {
        &self.0.cancel
    }

    /// Has `found` told of each point of a search as soon as it was tried: an
    /// [`Attempt`](crate::pipeline::Attempt), a [`Point`](crate::pipeline::Point) or a
    /// [`TriedMethod`](crate::pipeline::TriedMethod) as JSON. What lies on the front is
    /// known at the end alone. Also of how learners are doing
    /// ([`Learning`](crate::pipeline::Learning)), of attacks on a table
    /// ([`Evidence`](crate::attack::table::Evidence)) and on masked records
    /// ([`SoFar`](crate::attack::reconstruction::SoFar)).
    pub fn on_found(&self, found: impl Fn(Value) + Send + 'static) {
        let mut listener = self.0.listener.lock().unwrap_or_else(|e| e.into_inner());
        listener.0 = Some(Box::new(found));
    }

    /// Tells of a point of a search; fails when the search is to stop.
    pub(crate) fn found(&self, point: &impl Serialize) -> Result<()> {
        let listener = self.0.listener.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(found) = &listener.0 {
            let point = serde_json::to_value(point)
                .map_err(|e| Error::bug(format!("a point that is no JSON: {e}")))?;
            found(point);
        }
        self.0.cancel.check()
    }

    /// Says that the program shows figures, so that they are worth computing.
    pub fn watch(&self) {
        self.0.watched.store(true, Ordering::Relaxed);
    }

    /// Whether the program shows figures.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.watched.load(Ordering::Relaxed)
    }

    /// Sets the figures of a running stream.
    pub(crate) fn tell(&self, live: Live) {
        *self.0.live.lock().unwrap_or_else(|e| e.into_inner()) = Some(live);
    }

    /// The counter that a source counts its rows with.
    pub(crate) fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.0.rows)
    }

    /// Adds rows of the current stage.
    pub(crate) fn add(&self, rows: usize) {
        self.0.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Ends the current stage and enters the next.
    pub(crate) fn enter(&self, stage: Stage) {
        self.leave();
        self.0.rows.store(0, Ordering::Relaxed);
        let mut log = self.0.log.lock().unwrap_or_else(|e| e.into_inner());
        log.current = Some((stage, Instant::now()));
    }

    /// Ends the current stage; gives the seconds of all stages so far.
    pub(crate) fn leave(&self) -> Vec<(Stage, f64)> {
        let mut log = self.0.log.lock().unwrap_or_else(|e| e.into_inner());
        if let Some((stage, since)) = log.current.take() {
            let seconds = since.elapsed().as_secs_f64();
            match log.done.iter_mut().find(|(done, _)| *done == stage) {
                Some((_, before)) => *before += seconds,
                None => log.done.push((stage, seconds)),
            }
        }
        log.done.clone()
    }
}
