//! How far a run of a stream is, so that it goes on after a crash as if nothing had happened.
//!
//! Beside what its session tells of itself ([`Resume`]), a checkpoint says how many bytes were
//! released: a restart shows the session the rows that it must know, cuts the release to the
//! bytes of the checkpoint, and goes on. The file ends with the SHA-256 of what it says, names
//! the policy it belongs to, and can tell whether keys, hierarchies and sources are still the
//! same ([`Bound`]).

use super::bound::Bound;
use super::sealed;
use crate::engine::Resume;
use crate::error::{Error, Result};
use crate::io::Files;
use crate::pipeline::place::{folder_of, make_folders, remove_empty};
use crate::pipeline::sha256;
use crate::policy::{CheckpointPolicy, Policy};
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The layout of the file.
const VERSION: u32 = 5;

/// How to begin anew.
const AGAIN: &str = "--force begins anew and replaces the release";

/// How far a stream is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    pub(super) version: u32,
    pub(super) policy_sha256: String,
    /// What else it belongs to.
    pub(super) bound: Bound,
    /// What the session tells of itself.
    pub(super) resume: Resume,
    /// Bytes of the release.
    pub(super) bytes: u64,
    /// Their sum, where nobody else may have changed them.
    pub(super) sum: Sum,
    /// The sum of the certificate.
    pub(super) certificate: Option<Sum>,
    /// Whether a report that is there may be replaced: the run was begun with `--force`, or
    /// has begun to write it.
    pub(super) replaces: bool,
    /// The report of a release that is whole and was about to be put in its place, as JSON.
    pub(super) finished: Option<String>,
}

impl Checkpoint {
    /// The checkpoint of a stream that has not begun.
    pub(super) fn start(policy: &Policy, bound: &Bound) -> Self {
        Checkpoint {
            version: VERSION,
            policy_sha256: sha256::of_text(&policy.text),
            bound: bound.clone(),
            resume: Resume::start(sources(policy)),
            ..Checkpoint::default()
        }
    }

    /// Reads the checkpoint of this policy, if there is one.
    ///
    /// # Errors
    /// `Error::io` when it is damaged, of another version or of another policy, key,
    /// hierarchy or source.
    pub(super) fn load(place: &CheckpointPolicy, policy: &Policy) -> Result<Option<Self>> {
        let refuse = |what: String| sealed::refused(&place.path, &what, AGAIN);
        let Some(known) = sealed::read::<Checkpoint>(&place.path, &policy.files, AGAIN)? else {
            return Ok(None);
        };
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
        if known.resume.sources() != sources(policy) || !known.resume.fits() {
            return Err(refuse("it does not fit together".to_owned()));
        }
        match known.bound.changed(policy)? {
            Some(changed) => Err(refuse(changed)),
            None => Ok(Some(known)),
        }
    }

    /// Puts the checkpoint in place of the one before, whole or not at all.
    pub(super) fn save(&self, path: &Path, files: &Files) -> Result<()> {
        sealed::write(path, files, self)
    }

    /// Takes the checkpoint away: what is finished must not be gone on with.
    pub(super) fn remove(path: &Path, files: &Files) -> Result<()> {
        sealed::remove(path, files)
    }
}

/// The sum of the first bytes of a file, which can be gone on with: FNV-1a. It tells damage, not
/// whoever can write the checkpoint as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sum {
    bytes: u64,
    state: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Sum {
            bytes: 0,
            state: 0xcbf2_9ce4_8422_2325,
        }
    }
}

impl Sum {
    /// Of how many bytes it is.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fails unless the file at `path` begins with these bytes.
    pub(super) fn check(&self, path: &Path, files: &Files) -> Result<()> {
        let found = Sum::default().up_to(path, files, self.bytes);
        match found.is_ok_and(|found| found == *self) {
            true => Ok(()),
            false => Err(changed(path)),
        }
    }

    /// That of so many bytes of the file, of which these are the first.
    pub(super) fn up_to(mut self, path: &Path, files: &Files, bytes: u64) -> Result<Self> {
        let failed = |e| Error::io("read", path, e);
        let mut file = files.open(path).map_err(failed)?;
        file.seek(SeekFrom::Start(self.bytes)).map_err(failed)?;
        let mut file = file.take(bytes.saturating_sub(self.bytes));
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = file.read(&mut buffer).map_err(failed)?;
            if read == 0 {
                return Ok(self);
            }
            self.bytes += read as u64;
            let fold =
                |state: u64, &byte: &u8| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            self.state = buffer[..read].iter().fold(self.state, fold);
        }
    }
}

/// What an earlier run has written was changed by somebody.
pub(super) fn changed(path: &Path) -> Error {
    let what = "it is not what was written; --force begins anew";
    let error = std::io::Error::new(ErrorKind::InvalidData, what);
    Error::io("go on writing", path, error)
}

/// Keeps others from running the same policy for as long as it is held.
pub(super) struct Lock(
    #[expect(dead_code, reason = "what counts is that it is held")] Option<Held>,
);

/// A file that is locked.
struct Held {
    path: PathBuf,
    /// Folders that were made for it.
    made_folders: Vec<PathBuf>,
    _file: File,
}

impl Lock {
    /// Fails when another run goes on with this checkpoint, or writes to this ledger.
    /// Whoever keeps files by a provider sees to it that one run at a time has them.
    pub(super) fn new(checkpoint: &Path, files: &Files) -> Result<Self> {
        if files.are_provided() {
            return Ok(Lock(None));
        }
        let name = checkpoint.file_name().unwrap_or_default().to_string_lossy();
        let path = checkpoint.with_file_name(format!(".{name}.lock"));
        let failed = |e| Error::io("lock", checkpoint, e);
        let made_folders = make_folders(folder_of(checkpoint))?;
        loop {
            let mut open = File::options();
            open.write(true).create(true).truncate(false);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
            let file = open.open(&path).map_err(failed)?;
            match file.try_lock() {
                // The run before may have taken the file away in between.
                Ok(()) if is_at(&file, &path) => {
                    return Ok(Lock(Some(Held {
                        path,
                        made_folders,
                        _file: file,
                    })));
                }
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::usage(format!(
                        "another run goes on with {}",
                        checkpoint.display()
                    ))
                    .help("wait until it has ended, or stop it"));
                }
                Err(TryLockError::Error(e)) => return Err(failed(e)),
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        remove_empty(&self.made_folders);
    }
}

/// Whether the file is still the one of that name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.metadata()) {
        (Ok(ours), Ok(there)) => ours.ino() == there.ino() && ours.dev() == there.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// How many sources a run of the policy has: files that are not merged are one.
pub(super) fn sources(policy: &Policy) -> usize {
    match policy.plan.merges_sources() {
        true => policy.source.paths().len(),
        false => 1,
    }
}
