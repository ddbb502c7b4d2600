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

/// The day of a time in UTC, as `2026-03-01`.
pub fn date(at: Millis) -> String {
    // Days are counted from a first of March, so that a leap day is the last of its year.
    let days = at.div_euclid(DAY) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, over) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + over)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_723, "2024-01-01"),
            (-1, "1969-12-31"),
        ] {
            assert_eq!(date(days * DAY + 1), expected);
        }
    }
}
