//! How far a stream is, so that it goes on after a crash as if nothing had happened.
//!
//! A checkpoint names no user and no attribute: it says how many rows were read, the
//! time of the last one, and how many bytes were released. What the method remembers
//! is a function of the rows of the last two windows (three with fakes), so a
//! restart reads those again without releasing anything, cuts
//! the release to the bytes of the checkpoint, and goes on. The choices of z are
//! noted too, since they depend on all that came before. The file ends with the
//! SHA-256 of what it says and names the policy it belongs to.

use crate::error::{Error, Result};
use crate::io::create_private;
use crate::pipeline::place::folder_of;
use crate::pipeline::sha256;
use crate::policy::{CheckpointPolicy, Every, Policy};
use crate::protect::z_anonymity::{Tally, Update};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Instant;

/// The layout of the file.
const VERSION: u32 = 1;

/// How far a stream is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    pub(super) version: u32,
    pub(super) policy_sha256: String,
    /// Rows of each source that are done.
    pub(super) rows: Vec<u64>,
    /// The time of the last of them.
    pub(super) last: Vec<Option<i64>>,
    /// Rows that need not be read again to know what the method knew; of the first source.
    pub(super) forgotten: u64,
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
}

impl Checkpoint {
    /// The checkpoint of a stream that has not begun.
    pub(super) fn start(policy: &Policy, sources: usize) -> Self {
        Checkpoint {
            version: VERSION,
            policy_sha256: sha256::of_text(&policy.text),
            rows: vec![0; sources],
            last: vec![None; sources],
            ..Checkpoint::default()
        }
    }

    /// Reads the checkpoint of this policy, if there is one.
    ///
    /// # Errors
    /// `Error::io` when it is damaged, of another version or of another policy.
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
            || known.forgotten > rows
            || (known.bytes == 0) != (rows == 0);
        match odd {
            true => Err(refuse("it does not fit together".to_owned())),
            false => Ok(Some(known)),
        }
    }

    /// Puts the checkpoint in place of the one before, whole or not at all.
    pub(super) fn save(&self, path: &Path) -> Result<()> {
        let body = serde_json::to_string(self)
            .map_err(|e| Error::bug(format!("a checkpoint that is no JSON: {e}")))?;
        let sum = sha256::of_text(&body);
        // Always the same name, so that a crash leaves at most one of them.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let next = path.with_file_name(format!(".{name}.next"));
        write_private(&next, format!("{body}\n{sum}\n").as_bytes())
            .and_then(|()| std::fs::rename(&next, path))
            .and_then(|()| std::fs::File::open(folder_of(path))?.sync_all())
            .map_err(|e| Error::io("write", path, e))
    }
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

/// Which rows a restart need not read again: those from before the times that still matter.
pub(super) struct Marks {
    /// Rows read, and the latest time among them.
    marks: VecDeque<(u64, i64)>,
    latest: i64,
    /// How far the stream is, whoever may be ahead of it.
    reached: i64,
    /// Milliseconds that matter; none when everything does.
    horizon: Option<i64>,
}

impl Marks {
    pub(super) fn new(horizon: Option<i64>) -> Self {
        Marks {
            marks: VecDeque::new(),
            latest: i64::MIN,
            reached: i64::MIN,
            horizon,
        }
    }

    /// Notes that rows up to `rows` were read, the latest of time `latest`, and that
    /// the stream has reached a time.
    pub(super) fn add(&mut self, rows: u64, latest: i64, reached: i64) {
        self.latest = self.latest.max(latest);
        self.reached = self.reached.max(reached);
        if self.horizon.is_some() {
            self.marks.push_back((rows, self.latest));
        }
        self.forget();
    }

    /// Rows that need not be read again.
    pub(super) fn forgotten(&self) -> u64 {
        match self.marks.front() {
            Some(&(rows, latest)) if self.is_past(latest) => rows,
            _ => 0,
        }
    }

    fn is_past(&self, latest: i64) -> bool {
        self.horizon
            .is_some_and(|horizon| latest < self.reached.saturating_sub(horizon))
    }

    /// Keeps the last mark that lies wholly in the past, and those after it.
    fn forget(&mut self) {
        while let Some(&(_, latest)) = self.marks.get(1)
            && self.is_past(latest)
        {
            self.marks.pop_front();
        }
    }
}
