//! When a trouble node goes: it answers too seldom, or no better than what is below it.

use super::hoeffding;
use crate::error::Result;
use crate::federate::bit_window::BitWindow;
use crate::federate::state::{Reader, Writer};
use crate::federate::terms::MonitorTerms;

/// What is known of one node.
#[derive(Clone, Debug)]
pub(super) struct Removal {
    /// The first record that counts: labels of earlier ones had not taught it.
    pub(super) from_record: u64,
    used: BitWindow,
    right: BitWindow,
    right_below: BitWindow,
    unused_streak: u32,
    worse_streak: u32,
}

/// What became of a record.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    /// Another one gave the final answer.
    Unused,
    /// It gave the final answer.
    Used {
        /// Whether that was right.
        right: bool,
        /// Whether the most confident of lower order was.
        right_below: bool,
    },
}

impl Removal {
    pub(super) fn new(from_record: u64, terms: &MonitorTerms) -> Self {
        let window = || BitWindow::new(terms.window);
        Removal {
            from_record,
            used: window(),
            right: window(),
            right_below: window(),
            unused_streak: 0,
            worse_streak: 0,
        }
    }

    pub(super) fn push(&mut self, outcome: Outcome, terms: &MonitorTerms) {
        self.used.push(matches!(outcome, Outcome::Used { .. }));
        count(&mut self.unused_streak, self.used.mean() < terms.usage);
        if let Outcome::Used { right, right_below } = outcome {
            self.right.push(right);
            self.right_below.push(right_below);
            let bound = hoeffding(terms.delta, self.right.size() + terms.removal_time);
            let worse = self.right.mean() < self.right_below.mean() + bound;
            count(&mut self.worse_streak, worse);
        }
    }

    /// Whether it has been below one of the thresholds long enough.
    pub(super) fn fires(&self, terms: &MonitorTerms) -> bool {
        self.unused_streak.max(self.worse_streak) >= terms.removal_time
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.u64(self.from_record);
        for window in [&self.used, &self.right, &self.right_below] {
            window.save(out);
        }
        out.u32(self.unused_streak);
        out.u32(self.worse_streak);
    }

    pub(super) fn load(terms: &MonitorTerms, from: &mut Reader<'_>) -> Result<Self> {
        Ok(Removal {
            from_record: from.u64()?,
            used: BitWindow::load(terms.window, from)?,
            right: BitWindow::load(terms.window, from)?,
            right_below: BitWindow::load(terms.window, from)?,
            unused_streak: from.u32()?,
            worse_streak: from.u32()?,
        })
    }
}

/// One more in a row, or none again.
fn count(streak: &mut u32, holds: bool) {
    *streak = match holds {
        true => streak.saturating_add(1),
        false => 0,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fires_at(outcome: impl Fn(usize) -> Outcome) -> Option<usize> {
        let terms = MonitorTerms::default();
        let mut removal = Removal::new(0, &terms);
        (0..5000).find(|&at| {
            removal.push(outcome(at), &terms);
            removal.fires(&terms)
        })
    }

    #[test]
    fn nodes_go_when_unused_or_no_better_than_what_is_below() {
        let used = |right, right_below| Outcome::Used { right, right_below };
        assert_eq!(fires_at(|_| Outcome::Unused), Some(499));
        assert_eq!(fires_at(|_| used(true, true)), Some(499), "not capped at 1");
        assert_eq!(fires_at(|_| used(true, false)), None);
        let seldom = |at| match at % 10 {
            0 => used(true, false),
            _ => Outcome::Unused,
        };
        assert_eq!(fires_at(seldom), None, "a tenth is enough");
    }
}
