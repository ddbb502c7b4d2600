//! What a program that is told to end in the middle of a stream should tell its user.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A stream that was running when the program was told to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// The release; `-` is standard output.
    pub release: PathBuf,
    /// The checkpoint from which the same command goes on, if the policy has one.
    pub checkpoint: Option<PathBuf>,
}

static RUNNING: Mutex<Option<Interrupted>> = Mutex::new(None);

fn running() -> MutexGuard<'static, Option<Interrupted>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The stream that is running; none when there is none.
pub fn interrupted() -> Option<Interrupted> {
    running().clone()
}

/// Says that a stream is running for as long as it is held.
pub(super) struct Running;

impl Running {
    pub(super) fn new(release: &Path, checkpoint: Option<&Path>) -> Self {
        *running() = Some(Interrupted {
            release: release.to_owned(),
            checkpoint: checkpoint.map(Path::to_owned),
        });
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        *running() = None;
    }
}
