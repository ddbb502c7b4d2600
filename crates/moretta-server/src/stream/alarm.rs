//! What people are told of a stream that runs: that it misses its goal, or that nothing comes any more.
//!
//! An alarm is a mark of the stream; it stands for as long as it is the latest one, so whatever is
//! done about it ends it. A stream that fails has such a mark, too.

use super::points::Point;
use crate::clock::{Millis, SECOND};

/// How long nothing has to come.
const SILENT: Millis = 5 * 60 * SECOND;

/// Marks that wait in the inbox while they are the latest.
pub const ALARMS: [&str; 3] = [FAILED, UNDER_GOAL, NO_EVENTS];
/// It cannot go on.
pub(super) const FAILED: &str = "failed";
/// Fewer users are alike than it aims at.
const UNDER_GOAL: &str = "under-goal";
/// No event was taken for a while.
const NO_EVENTS: &str = "no-events";
/// Neither is so any more.
const WELL: &str = "well";

/// Looks at points as they come.
#[derive(Debug)]
pub(super) struct Watch {
    /// When events were last taken.
    heard: Option<Millis>,
    said: &'static str,
}

impl Default for Watch {
    fn default() -> Self {
        Watch {
            heard: None,
            said: WELL,
        }
    }
}

impl Watch {
    /// Looks at a point; gives the mark where something else is to be said now.
    pub(super) fn look(&mut self, point: &Point, at: Millis) -> Option<&'static str> {
        if self.heard.is_none() || point.taken != Some(0) {
            self.heard = Some(at);
        }
        let silent = self.heard.is_some_and(|heard| at - heard >= SILENT);
        let under = matches!((point.p, point.goal), (Some(p), Some(goal)) if p < goal);
        let says = match (silent, under) {
            (true, _) => NO_EVENTS,
            (false, true) => UNDER_GOAL,
            (false, false) => WELL,
        };
        (std::mem::replace(&mut self.said, says) != says).then_some(says)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_said_once() {
        let mut watch = Watch::default();
        let mut look = |seconds: i64, taken, p| {
            let point = Point {
                taken,
                p,
                goal: Some(0.8),
                ..Point::default()
            };
            watch.look(&point, seconds * SECOND)
        };
        assert_eq!(look(0, Some(0), None), None);
        assert_eq!(look(10, Some(20), Some(0.8)), None);
        assert_eq!(look(20, Some(20), Some(0.7)), Some(UNDER_GOAL));
        assert_eq!(look(30, None, Some(0.7)), None, "few are not none");
        assert_eq!(look(320, Some(0), Some(0.7)), None);
        assert_eq!(look(330, Some(0), Some(0.7)), Some(NO_EVENTS));
        assert_eq!(look(340, Some(0), Some(0.7)), None);
        assert_eq!(look(350, Some(99), Some(0.7)), Some(UNDER_GOAL));
        assert_eq!(look(360, Some(99), Some(0.9)), Some(WELL));
    }
}
