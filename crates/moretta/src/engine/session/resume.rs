//! How far a stream is, so that another session goes on as if nothing had happened.
//!
//! It names no user and no attribute: it says how many rows of each source have come and the
//! time of the last one. What z-anonymity remembers is a function of the rows of the last two
//! windows (three with fakes) before the last row that was *decided*, and of a few numbers
//! where they begin ([`Mark`]); what masks remember is a function of all rows and of the seed.
//! So a session that goes on is shown those rows again and gives none of them back. The choices
//! of z, with the places of the rows before which they were made, and the rows that were ahead
//! of the clock are noted too, since they cannot be found out again.

use crate::engine::arrival::Refused;
use crate::engine::source::Place;
use crate::error::{Error, Result};
use crate::protect::z_anonymity::{Known, Tally, Update};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::ErrorKind;

/// How far a stream is. It holds no cell of any row; where masks draw from a seed that is a
/// secret, it holds that, so only who may see the originals may read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    /// Rows of each source that have come.
    pub(super) rows: Vec<u64>,
    /// The time of the last of them.
    pub(super) last: Vec<Option<i64>>,
    /// Which sources have ended.
    pub(super) ended: Vec<bool>,
    /// Rows that have left.
    pub(super) released: u64,
    /// From where on rows are shown again to know what the method knew.
    pub(super) mark: Mark,
    /// Rows from there on that were ahead of the clock.
    pub(super) refused: Refused,
    /// The time of the first row.
    pub(super) first: Option<i64>,
    /// Every choice of z.
    pub(super) updates: Vec<Update>,
    /// What became of the attributes.
    pub(super) tally: Tally,
    /// What masks draw from, where the plan does not say.
    pub(super) seed: Option<u64>,
}

impl Resume {
    /// Of a stream that has not begun.
    pub fn start(sources: usize) -> Self {
        Resume {
            rows: vec![0; sources],
            last: vec![None; sources],
            ended: vec![false; sources],
            ..Resume::default()
        }
    }

    /// How many sources the stream has.
    pub fn sources(&self) -> usize {
        self.rows.len()
    }

    /// Rows of each source that have come.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// Rows that have left.
    pub fn released(&self) -> u64 {
        self.released
    }

    /// Where the rows begin that a session wants to be shown, also those that it only wants to
    /// know.
    pub fn first_row(&self, source: usize) -> Place {
        match (source, self.sources()) {
            (0, 1) => self.mark.place,
            // Rows of several sources wait for each other from the first on.
            _ => Place::default(),
        }
    }

    /// Whether rows had come.
    pub fn has_begun(&self) -> bool {
        self.rows.iter().any(|&rows| rows > 0)
    }

    /// Whether its parts fit together; they do not if it was edited.
    pub fn fits(&self) -> bool {
        let sources = self.rows.len();
        let mut rows = self.rows.iter();
        let Some(rows) = rows.try_fold(0_u64, |sum, &rows| sum.checked_add(rows)) else {
            return false;
        };
        sources > 0
            && self.released.saturating_sub(self.tally.fakes) <= rows
            && self.last.len() == sources
            && self.ended.len() == sources
            && self.mark.place.rows <= rows
            && self
                .mark
                .place
                .position
                .is_none_or(|(before, _)| before <= self.mark.place.rows)
            && self.mark.known.choices <= self.updates.len()
            && self.refused.fits()
    }
}

/// How far each source is, and how far an earlier session was.
pub(super) struct Course {
    pub(super) rows: Vec<u64>,
    /// The last position that each source has told, and the rows before it.
    places: Vec<Option<(u64, u64)>>,
    last: Vec<Option<i64>>,
    ended: Vec<bool>,
    pub(super) marks: Marks,
    /// How far the session before was; none once it has been caught up with.
    again: Option<Resume>,
    /// Rows that an earlier session had done, and those of them that are not shown again.
    pub(super) went_on: Option<(u64, u64)>,
}

impl Course {
    /// Of a stream that goes on from there. Nothing before so many milliseconds matters; none
    /// when everything does.
    pub(super) fn new(from: &Resume, horizon: Option<i64>) -> Self {
        let sources = from.sources();
        let done = from.rows.iter().sum();
        let first = from.first_row(0).rows;
        Course {
            rows: vec![first; sources],
            places: vec![None; sources],
            last: vec![None; sources],
            ended: vec![false; sources],
            marks: Marks::new(horizon, from.mark),
            again: from.has_begun().then(|| from.clone()),
            went_on: from.has_begun().then_some((done, from.mark.place.rows)),
        }
    }

    /// Whether rows come that an earlier session had done.
    pub(super) fn is_behind(&self) -> bool {
        self.again.is_some()
    }

    /// The source whose rows come next, where `wanted` is the one that decides what leaves.
    /// What the earlier session had got of others comes before it goes on.
    pub(super) fn next_source(&self, wanted: Option<usize>) -> Option<usize> {
        let Some(again) = &self.again else {
            return wanted;
        };
        match wanted {
            Some(source) if self.is_new(again, source) => {
                let mut others = 0..again.rows.len();
                others.find(|&other| self.rows[other] < again.rows[other])
            }
            _ => wanted,
        }
    }

    /// Whether the next row of a source is one that the earlier session had not got.
    fn is_new(&self, again: &Resume, source: usize) -> bool {
        self.rows[source] >= again.rows[source] && !again.ended[source]
    }

    /// Rows of a source that can come at once: those that the earlier session has not done wait
    /// until it is caught up with.
    pub(super) fn takes(&self, source: usize) -> u64 {
        let left = self.again.as_ref().map(|again| {
            let rows = again.rows.get(source).copied().unwrap_or(0);
            rows.saturating_sub(self.rows.get(source).copied().unwrap_or(0))
        });
        // A source that had ended should send none; `note` fails if it does.
        left.filter(|&left| left > 0).unwrap_or(u64::MAX)
    }

    /// Adds `rows` to those that have come from a source; `last` is the time of the last one.
    ///
    /// # Errors
    /// When they are not those that the earlier session got.
    pub(super) fn note(&mut self, source: usize, rows: u64, last: Option<i64>) -> Result<()> {
        self.rows[source] += rows;
        self.last[source] = last.or(self.last[source]);
        let Some(again) = &self.again else {
            return Ok(());
        };
        if self.rows[source] > again.rows[source] {
            return Err(cannot_resume(
                "a source that had ended has more rows now".to_owned(),
            ));
        }
        if self.rows[source] == again.rows[source] && self.last[source] != again.last[source] {
            return Err(cannot_resume(format!(
                "row {} of the source has another time than when the checkpoint was made; \
                 send the stream from its first row",
                again.rows[source]
            )));
        }
        Ok(())
    }

    /// A source has told where the row after those that have come begins.
    pub(super) fn reached(&mut self, source: usize, position: u64) {
        if let Some(place) = self.places.get_mut(source) {
            *place = Some((self.rows[source], position));
        }
    }

    /// Where the next row of a source is.
    pub(super) fn place(&self, source: usize) -> Place {
        Place {
            rows: self.rows[source],
            position: self.places[source],
        }
    }

    /// A source has ended.
    pub(super) fn end(&mut self, source: usize) {
        self.ended[source] = true;
    }

    /// Gives how far the earlier session was, once, when all that it had got has come.
    pub(super) fn caught_up(&mut self, wanted: Option<usize>) -> Option<Resume> {
        let again = self.again.as_ref()?;
        let goes_on = wanted.is_some_and(|source| self.is_new(again, source))
            && self.next_source(wanted).is_none();
        match goes_on {
            true => self.again.take(),
            false => None,
        }
    }

    /// Fails when the sources have ended before the earlier session was caught up with.
    pub(super) fn finish(&self) -> Result<()> {
        match &self.again {
            None => Ok(()),
            Some(again) => Err(cannot_resume(format!(
                "the source has {} rows and the checkpoint says {}",
                self.rows.iter().sum::<u64>(),
                again.rows.iter().sum::<u64>()
            ))),
        }
    }

    /// How far it is.
    pub(super) fn so_far(&self) -> Resume {
        Resume {
            rows: self.rows.clone(),
            last: self.last.clone(),
            ended: self.ended.clone(),
            mark: self.marks.first(),
            ..Resume::default()
        }
    }
}

/// What errors call the one source of a session, or all of them.
pub(crate) const THE_SOURCE: &str = "the source";

/// What errors call one of several sources.
pub(crate) fn source_name(source: usize) -> String {
    format!("source {}", source + 1)
}

/// What comes is not what an earlier session got.
pub(super) fn cannot_resume(what: String) -> Error {
    let error = std::io::Error::new(ErrorKind::InvalidData, what);
    Error::io("resume from", THE_SOURCE, error)
}

/// A place from which reading the rows again leads to the same state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// Where the rows begin that must be shown again.
    pub(super) place: Place,
    /// The latest time among them, where rows wait for others.
    pub(super) read: Option<i64>,
    /// The latest time that two users among them have reached, where rows wait.
    pub(super) reached: Option<i64>,
    /// What the method knew besides the rows.
    pub(super) known: Known,
}

impl Mark {
    /// The latest time before it.
    fn latest(&self) -> Option<i64> {
        self.read.max(self.known.newest)
    }
}

/// Finds the last place before which nothing matters any more.
pub(super) struct Marks {
    marks: VecDeque<Mark>,
    /// Milliseconds before the last decided row that matter; none when everything does.
    horizon: Option<i64>,
}

/// Marks are so many parts of the horizon apart, or they would be as many as rows.
const PARTS: i64 = 32;

impl Marks {
    /// From a mark on, of which nothing is known to lie in the past yet.
    pub(super) fn new(horizon: Option<i64>, first: Mark) -> Self {
        Marks {
            marks: VecDeque::from([first]),
            horizon,
        }
    }

    /// Tells that rows up to a mark were read and that those up to the time `decided` were decided.
    pub(super) fn add(
        &mut self,
        mark: impl FnOnce() -> Mark,
        latest: Option<i64>,
        decided: Option<i64>,
    ) {
        let Some(horizon) = self.horizon else {
            return;
        };
        let newest = self.marks.back().and_then(Mark::latest);
        if latest.is_some_and(|latest| {
            newest.is_none_or(|newest| latest.saturating_sub(newest) > horizon / PARTS)
        }) {
            self.marks.push_back(mark());
        }
        let past = decided.map(|decided| decided.saturating_sub(horizon));
        while let Some(next) = self.marks.get(1)
            && next.latest() < past
        {
            self.marks.pop_front();
        }
    }

    /// From where on a restart must read.
    pub(super) fn first(&self) -> Mark {
        self.marks.front().copied().unwrap_or_default()
    }
}
