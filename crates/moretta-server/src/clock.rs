//! The time, which tests can move.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 in UTC.
pub type Millis = i64;

/// A second.
pub const SECOND: Millis = 1000;
/// A minute.
pub const MINUTE: Millis = 60 * SECOND;
/// An hour.
pub const HOUR: Millis = 60 * MINUTE;
/// A day.
pub const DAY: Millis = 24 * HOUR;

/// Where the server reads the time.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    moved: Option<Arc<AtomicI64>>,
}

impl Clock {
    /// A clock that stands still until somebody moves it.
    pub fn standing(at: Millis) -> Self {
        Clock {
            moved: Some(Arc::new(AtomicI64::new(at))),
        }
    }

    /// The time.
    pub fn now(&self) -> Millis {
        match &self.moved {
            Some(at) => at.load(Ordering::SeqCst),
            None => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_millis() as Millis),
        }
    }

    /// Moves a standing clock; does nothing to another one.
    pub fn forward(&self, by: Millis) {
        if let Some(at) = &self.moved {
            at.fetch_add(by, Ordering::SeqCst);
        }
    }
}
