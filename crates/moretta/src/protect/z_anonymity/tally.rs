//! What became of the attributes of a stream, counted.

use super::engine::{Fate, Verdict};
use serde::{Deserialize, Serialize};

/// What became of the attributes so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Released attributes by the number of rungs above the value.
    pub levels: Vec<u64>,
    /// Attributes with too few users.
    pub rare: u64,
    /// Attributes that would have made a set too rare.
    pub telling: u64,
    /// Attributes of rows that came late.
    pub late: u64,
    /// Attributes that are missing or that their hierarchy does not know.
    pub unknown: u64,
    /// Rows without a subject.
    pub nobody: u64,
    /// Rows ahead of the clock.
    pub future: u64,
    /// Attributes released together with made-up rows.
    pub faked: u64,
    /// Rows that were made up.
    pub fakes: u64,
    /// Whether persons were written in several ways that look the same.
    pub respelled: bool,
}

impl Tally {
    pub(super) fn add(&mut self, verdict: &Verdict) {
        match verdict.fate {
            Fate::Released => self.release(usize::from(verdict.level)),
            Fate::Faked(fakes) => {
                self.release(0);
                self.faked += 1;
                self.fakes += u64::from(fakes);
            }
            Fate::Rare => self.rare += 1,
            Fate::Late => self.late += 1,
            Fate::Unknown => self.unknown += 1,
            Fate::Telling => self.telling += 1,
        }
    }

    #[inline]
    fn release(&mut self, level: usize) {
        if level >= self.levels.len() {
            self.levels.resize(level + 1, 0);
        }
        self.levels[level] += 1;
    }

    /// Why attributes were held back for good, with counts.
    pub(super) fn suppressed(&self) -> Vec<(String, u64)> {
        [
            ("too few users", self.rare),
            ("the user's set would be too rare", self.telling),
            ("came too late", self.late),
            ("missing or not in the hierarchy", self.unknown),
            ("without a subject", self.nobody),
            ("ahead of the clock", self.future),
        ]
        .into_iter()
        .filter(|&(_, count)| count > 0)
        .map(|(why, count)| (why.to_owned(), count))
        .collect()
    }
}
