//! How far the start of a search is, which may take long.

use crate::engine::{Live, Progress};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what is made.
pub(super) struct Making {
    progress: Progress,
    begun: AtomicU64,
}

impl Making {
    /// Tells those who watch.
    pub(super) fn new(progress: &Progress) -> Self {
        Making {
            progress: progress.clone(),
            begun: AtomicU64::new(0),
        }
    }

    /// One more is being made, of so many.
    pub(super) fn one_of(&self, all: usize) {
        let before = self.begun.fetch_add(1, Ordering::Relaxed);
        self.progress.tell(Live::Start(before, all as u64));
    }
}
