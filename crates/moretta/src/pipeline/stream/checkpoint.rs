//! How far a stream is, so that it goes on after a crash as if nothing had happened.
//!
//! A checkpoint names no user and no attribute: it says how many rows were read, the
//! time of the last one, and how many bytes were released. What the method remembers
//! is a function of the rows of the last two windows (three with fakes) before the
//! last row that was *decided*, and of a few numbers where they begin ([`Mark`]); so a
//! restart reads those rows again without releasing anything, cuts the release to the
//! bytes of the checkpoint, and goes on. The choices of z and the rows that were ahead
//! of the clock are noted too, since they cannot be found out again. The file ends with
//! the SHA-256 of what it says, names the policy it belongs to, and can tell whether
//! keys, hierarchies and sources are still the same ([`Bound`]).

use super::bound::Bound;
use super::refused::Refused;
use crate::error::{Error, Result};
use crate::io::create_private;
use crate::pipeline::place::folder_of;
use crate::pipeline::sha256;
use crate::policy::{CheckpointPolicy, Every, Policy};
use crate::protect::z_anonymity::{Known, Tally, Update};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The layout of the file.
const VERSION: u32 = 3;

/// How far a stream is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    pub(super) version: u32,
    pub(super) policy_sha256: String,
    /// What else it belongs to.
    pub(super) bound: Bound,
    /// Rows of each source that are done.
    pub(super) rows: Vec<u64>,
    /// The time of the last of them.
    pub(super) last: Vec<Option<i64>>,
    /// Which of them have ended.
    pub(super) ended: Vec<bool>,
    /// From where on rows are read again to know what the method knew.
    pub(super) mark: Mark,
    /// Rows from there on that were ahead of the clock.
    pub(super) refused: Refused,
    /// Bytes of the release.
    pub(super) bytes: u64,
    /// Bytes of the certificate.
    pub(super) certificate_bytes: Option<u64>,
    /// Rows released.
    pub(super) released: u64,
    /// The time of the first row.
    pub(super) first: Option<i64>,
    /// Every choice of z.
    pub(super) updates: Vec<Update>,
    /// What became of the attributes.
    pub(super) tally: Tally,
    /// Whether a report that is there may be replaced: the run was begun with `--force`, or
    /// has begun to write it.
    pub(super) replaces: bool,
}

impl Checkpoint {
    /// The checkpoint of a stream that has not begun.
    pub(super) fn start(policy: &Policy, bound: &Bound) -> Self {
        let sources = 1 + policy.source.more.len();
        Checkpoint {
            version: VERSION,
            policy_sha256: sha256::of_text(&policy.text),
            bound: bound.clone(),
            rows: vec![0; sources],
            last: vec![None; sources],
            ended: vec![false; sources],
            ..Checkpoint::default()
        }
    }

    /// Reads the checkpoint of this policy, if there is one.
    ///
    /// # Errors
    /// `Error::io` when it is damaged, of another version or of another policy, key,
    /// hierarchy or source.
    pub(super) fn load(place: &CheckpointPolicy, policy: &Policy) -> Result<Option<Self>> {
        let refuse = |what: String| {
            let what = format!("{what}; --force begins anew and replaces the release");
            let error = std::io::Error::new(ErrorKind::InvalidData, what);
            Error::io("resume from", &place.path, error)
        };
        let text = match std::fs::read_to_string(&place.path) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) if e.kind() == ErrorKind::InvalidData => {
                return Err(refuse("it is damaged: not a text".to_owned()));
            }
            Err(e) => return Err(Error::io("read", &place.path, e)),
        };
        let (body, sum) = text
            .trim_end()
            .rsplit_once('\n')
            .ok_or_else(|| refuse("it is damaged: its end is missing".to_owned()))?;
        let found = sha256::of_text(body);
        if sum != found {
            return Err(refuse(format!(
                "it is damaged: its sum should be {found} and is not"
            )));
        }
        let known: Checkpoint = serde_json::from_str(body)
            .map_err(|_| refuse("it is not a checkpoint of this version".to_owned()))?;
        if known.version != VERSION {
            return Err(refuse(format!(
                "it has version {}, this program reads version {VERSION}",
                known.version
            )));
        }
        let ours = sha256::of_text(&policy.text);
        if known.policy_sha256 != ours {
            return Err(refuse(format!(
                "it belongs to the policy with SHA-256 {}, this one has {ours}",
                known.policy_sha256
            )));
        }
        let sources = 1 + policy.source.more.len();
        let rows: u64 = known.rows.iter().sum();
        let odd = known.rows.len() != sources
            || known.last.len() != sources
            || known.ended.len() != sources
            || known.mark.rows > rows
            || known.mark.known.choices > known.updates.len()
            || !known.refused.fits();
        if odd {
            return Err(refuse("it does not fit together".to_owned()));
        }
        match known.bound.changed(policy)? {
            Some(changed) => Err(refuse(changed)),
            None => Ok(Some(known)),
        }
    }

    /// Whether rows had been read when it was made.
    pub(super) fn has_begun(&self) -> bool {
        self.rows.iter().any(|&rows| rows > 0)
    }

    /// Puts the checkpoint in place of the one before, whole or not at all.
    pub(super) fn save(&self, path: &Path) -> Result<()> {
        let body = serde_json::to_string(self)
            .map_err(|e| Error::bug(format!("a checkpoint that is no JSON: {e}")))?;
        let sum = sha256::of_text(&body);
        let next = next(path);
        let text = format!("{body}\n{sum}\n");
        std::fs::create_dir_all(folder_of(path))
            .and_then(|()| write_private(&next, text.as_bytes()))
            .and_then(|()| std::fs::rename(&next, path))
            .and_then(|()| std::fs::File::open(folder_of(path))?.sync_all())
            .map_err(|e| Error::io("write", path, e))
    }

    /// Takes the checkpoint away: what is finished must not be gone on with.
    pub(super) fn remove(path: &Path) -> Result<()> {
        // A killed run may have left it.
        let _ = std::fs::remove_file(next(path));
        std::fs::remove_file(path).map_err(|e| Error::io("remove", path, e))
    }
}

/// The checkpoint on its way; always the same name, so that a crash leaves at most one of them.
fn next(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.next"))
}

/// Writes a file that only its owner can read, and brings it to disk.
fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = create_private(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// When the next checkpoint is due.
pub(super) struct Due {
    every: Every,
    rows: u64,
    since: Instant,
}

impl Due {
    pub(super) fn new(every: Every) -> Self {
        Due {
            every,
            rows: 0,
            since: Instant::now(),
        }
    }

    /// Whether it is due after `rows` more.
    pub(super) fn after(&mut self, rows: usize) -> bool {
        self.rows += rows as u64;
        let due = match self.every {
            Every::Rows(rows) => self.rows >= rows,
            Every::Milliseconds(ms) => self.since.elapsed().as_millis() >= ms as u128,
        };
        if due {
            self.rows = 0;
            self.since = Instant::now();
        }
        due
    }
}

/// A place from which reading the rows again leads to the same state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// Rows of the first source that need not be read again.
    pub(super) rows: u64,
    /// The latest time among them, where rows wait for others.
    pub(super) read: Option<i64>,
    /// The latest time that two users among them have reached, where rows wait.
    pub(super) reached: Option<i64>,
    /// What the method knew besides the rows.
    pub(super) known: Known,
}

impl Mark {
    /// The latest time before it.
    fn latest(&self) -> Option<i64> {
        self.read.max(self.known.newest)
    }
}

/// Finds the last place before which nothing matters any more.
pub(super) struct Marks {
    marks: VecDeque<Mark>,
    /// Milliseconds before the last decided row that matter; none when everything does.
    horizon: Option<i64>,
}

/// Marks are so many parts of the horizon apart, or they would be as many as rows.
const PARTS: i64 = 32;

impl Marks {
    /// From a mark on, of which nothing is known to lie in the past yet.
    pub(super) fn new(horizon: Option<i64>, first: Mark) -> Self {
        Marks {
            marks: VecDeque::from([first]),
            horizon,
        }
    }

    /// Tells that rows up to a mark were read and that those up to the time `decided` were decided.
    pub(super) fn add(
        &mut self,
        mark: impl FnOnce() -> Mark,
        latest: Option<i64>,
        decided: Option<i64>,
    ) {
        let Some(horizon) = self.horizon else {
            return;
        };
        let newest = self.marks.back().and_then(Mark::latest);
        if latest.is_some_and(|latest| {
            newest.is_none_or(|newest| latest.saturating_sub(newest) > horizon / PARTS)
        }) {
            self.marks.push_back(mark());
        }
        let past = decided.map(|decided| decided.saturating_sub(horizon));
        while let Some(next) = self.marks.get(1)
            && next.latest() < past
        {
            self.marks.pop_front();
        }
    }

    /// From where on a restart must read.
    pub(super) fn first(&self) -> Mark {
        self.marks.front().copied().unwrap_or_default()
    }
}
