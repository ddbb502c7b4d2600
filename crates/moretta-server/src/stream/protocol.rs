//! What the server and the child that runs a stream say to each other: one line of JSON each.

use crate::id::Id;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// All that a child needs to begin or go on with a stream.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamTask {
    /// The stream.
    pub stream: Id,
    /// The folder of the logs.
    pub folder: PathBuf,
    /// The policy, with the places that the server gives it.
    pub policy: String,
    /// Hierarchies by the names that the policy has for them.
    pub texts: Vec<(String, String)>,
    /// Secrets by the names that the policy has for them, in hexadecimal digits.
    pub secrets: Vec<(String, String)>,
    /// Segments of events that are there still, in order.
    pub events: Vec<Segment>,
    /// Segments of what this version of the policy has released, in order; the last one may be empty.
    pub released: Vec<Segment>,
    /// Where this version of the policy begins, when it has released nothing yet.
    pub from: Start,
    /// Bytes of memory that it may use.
    pub memory: u64,
}

/// A place between two events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// A byte of the events at which one begins.
    pub byte: u64,
    /// Events after that which are not wanted.
    pub skip: u64,
}

/// A sealed log file and what opens it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Its place among those of its side.
    pub number: u64,
    /// Where its first record begins.
    pub first: u64,
    /// Its object, which names its file.
    pub object: Id,
    /// Where it lies.
    pub path: PathBuf,
    /// Its key, in hexadecimal digits.
    pub key: String,
}

/// Without its key.
impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("object", &self.object)
            .field("first", &self.first)
            .finish_non_exhaustive()
    }
}

/// Without policy, texts and secrets.
impl std::fmt::Debug for StreamTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamTask")
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

/// What the server says after the task.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "say")]
pub enum ToStream {
    /// Another segment of events has begun.
    Events {
        /// Which.
        segment: Segment,
    },
    /// Here is the segment for what is released next.
    Released {
        /// Which.
        segment: Segment,
    },
    /// Stop where you are, so that another child can go on.
    Stop,
    /// No more events come: release what is left by this version of the policy.
    Finish,
}

/// What the child says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "told")]
pub enum StreamTold {
    /// It has caught up with where the child before it was.
    Running,
    /// How it is doing.
    Figures(Figures),
    /// The last segment for released rows is full: it needs another one, which begins there.
    Full {
        /// The row that is released next.
        next: u64,
    },
    /// It has stopped; `finished` when nothing is left to release.
    Stopped {
        /// Whether all was released.
        finished: bool,
    },
    /// It cannot go on.
    Failed {
        /// The status, code, sentence and help of the problem.
        status: u16,
        /// The library's code.
        code: String,
        /// What is wrong.
        what: String,
        /// What to do about it.
        help: Option<String>,
    },
}

/// How a stream is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Events taken by this version of the policy.
    pub taken: u64,
    /// Rows released by it, all of them on disk.
    pub released: u64,
    /// Where the next policy would begin.
    pub to: Start,
    /// The first byte of the events that a child would need to go on.
    pub needed_from: u64,
    /// Attributes decided, and not released, so far.
    pub attributes: Option<(u64, u64)>,
    /// Attributes released so far, by the number of rungs climbed.
    pub levels: Vec<u64>,
    /// The z in use.
    pub z: Option<u32>,
    /// Share of users of the window who are alike, in whole percent; none of few users.
    pub p: Option<f64>,
    /// The share that z is tuned for, where it is.
    pub goal: Option<f64>,
    /// Share of the window for which the stream has been seen.
    pub window: Option<f64>,
    /// Share of users of the window whose released set nobody else has, as `p` is told.
    pub unique: Option<f64>,
    /// Milliseconds from when an event was accepted until what became of it was on disk, since the
    /// figures before: median and 99th percentile.
    pub delay: Option<(u64, u64)>,
    /// Figures of masked records by name.
    pub measures: Vec<(String, f64)>,
}
