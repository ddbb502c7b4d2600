//! How long the calling thread has worked.

use std::time::Instant;

/// A clock of the calling thread, from when it was started.
pub(crate) struct CpuClock {
    wall: Instant,
    before: Option<u64>,
}

impl CpuClock {
    pub(crate) fn start() -> Self {
        CpuClock {
            wall: Instant::now(),
            before: nanoseconds(),
        }
    }

    /// Seconds that the thread has worked; those of the wall where the system does not tell.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.before, nanoseconds()) {
            (Some(before), Some(now)) => now.saturating_sub(before) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// What Linux tells of the calling thread.
fn nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
