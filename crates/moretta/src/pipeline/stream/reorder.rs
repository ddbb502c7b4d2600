//! Rows in the order of their times, whatever order they come in.
//!
//! The watermark is the latest time that every source has reached, less the
//! lateness that is allowed. A source has reached what two of its users have: one
//! client alone, wherever its clock is, moves nothing but its own rows. A source with
//! one user only is as far as that user, unless it is the only source. A row waits
//! until the watermark has passed it; so rows go on in the order (time, source, place
//! in the source). A row that comes behind the watermark goes on at once, marked as late.

use crate::data::{Batch, TimeFormat, folded, times};
use crate::error::Result;
use crate::protect::z_anonymity::Reached;
use foldhash::fast::FixedState;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hash::BuildHasher;

/// Bits of a row id that tell its place in its source; those above tell the source.
pub(super) const SOURCE_SHIFT: u32 = 48;

/// Puts rows in order.
pub(super) struct Reorder {
    /// The places of the time and of the subject.
    place: usize,
    subject: usize,
    format: Option<TimeFormat>,
    lateness: i64,
    /// How far each source is; none when it has ended.
    reached: Vec<Option<Reached>>,
    users: FixedState,
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Batches of which rows are waiting, and how many.
    batches: BTreeMap<u64, (Batch, usize)>,
    next: u64,
    latest: i64,
}

/// Ordered by time, then source and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time: i64,
    id: u64,
    batch: u64,
    row: u32,
}

/// A row that goes on.
struct Going {
    entry: Waiting,
    late: bool,
    newest: i64,
}

/// Rows that go on, and which of them came too late.
pub(super) struct Ordered {
    pub(super) batch: Batch,
    pub(super) late: Vec<bool>,
    /// The latest time that was read when each row went on.
    pub(super) newest: Vec<i64>,
}

impl Reorder {
    pub(super) fn new(
        (place, subject): (usize, usize),
        format: Option<TimeFormat>,
        lateness: i64,
        sources: usize,
    ) -> Self {
        Reorder {
            place,
            subject,
            format,
            lateness,
            reached: vec![Some(Reached::default()); sources],
            users: FixedState::default(),
            waiting: BinaryHeap::new(),
            batches: BTreeMap::new(),
            next: 0,
            latest: i64::MIN,
        }
    }

    /// Goes on after a restart: rows of one source were read up to the time `latest`, and two
    /// users had reached another one.
    pub(super) fn resume(&mut self, latest: i64, reached: Option<i64>) {
        self.latest = latest;
        self.reached = vec![Some(reached.map_or_else(Reached::default, Reached::at))];
    }

    /// The latest time that two users of the first source have reached.
    pub(super) fn reached(&self) -> Option<i64> {
        let first = self.reached.first()?.as_ref()?;
        Some(first.time()).filter(|&time| time > i64::MIN)
    }

    /// The times of the rows that wait.
    pub(super) fn waiting_times(&self) -> impl Iterator<Item = i64> + '_ {
        self.waiting.iter().map(|Reverse(entry)| entry.time)
    }

    /// The source that is furthest behind, if one has not ended.
    pub(super) fn furthest_behind(&self) -> Option<usize> {
        let open = |(source, reached): (usize, &Option<Reached>)| {
            Some((self.time_of(reached.as_ref()?), source))
        };
        self.reached
            .iter()
            .enumerate()
            .filter_map(open)
            .min()
            .map(|(_, source)| source)
    }

    /// How far a source is.
    fn time_of(&self, reached: &Reached) -> i64 {
        match reached.time() {
            i64::MIN if self.reached.len() > 1 => reached.latest(),
            time => time,
        }
    }

    /// Takes rows of a source; gives those that need not wait any longer.
    pub(super) fn push(&mut self, batch: Batch) -> Result<Option<Ordered>> {
        let times = times(&batch, self.place, &mut self.format)?;
        let number = self.next;
        self.next += 1;
        let mut going: Vec<Going> = Vec::new();
        let rows = batch.len();
        let ids = batch.rows().clone();
        let subjects = batch.categories(self.subject)?.clone();
        let names = subjects.levels().iter();
        let users: Vec<u64> = names
            .map(|name| self.users.hash_one(folded(name)))
            .collect();
        self.batches.insert(number, (batch, rows));
        for (row, &time) in times.iter().enumerate() {
            let id = ids.get(row);
            self.latest = self.latest.max(time);
            let entry = Waiting {
                time,
                id,
                batch: number,
                row: row as u32,
            };
            if time < self.watermark() {
                going.push(Going {
                    entry,
                    late: true,
                    newest: self.latest,
                });
                continue;
            }
            self.waiting.push(Reverse(entry));
            let source = (id >> SOURCE_SHIFT) as usize;
            // A row without a subject moves nothing.
            let user = users.get(subjects.codes()[row] as usize);
            if let (Some(Some(reached)), Some(&user)) = (self.reached.get_mut(source), user) {
                reached.see(user, time);
                self.let_go(&mut going);
            }
        }
        self.gather(going)
    }

    /// A source has ended: nobody waits for it any more.
    pub(super) fn end(&mut self, source: usize) -> Result<Option<Ordered>> {
        self.reached[source] = None;
        let mut going: Vec<Going> = Vec::new();
        self.let_go(&mut going);
        self.gather(going)
    }

    /// The latest time that was read.
    pub(super) fn latest(&self) -> i64 {
        self.latest
    }

    fn watermark(&self) -> i64 {
        let open = self.reached.iter().flatten();
        let least = open.map(|reached| self.time_of(reached)).min();
        least.map_or(i64::MAX, |reached| reached.saturating_sub(self.lateness))
    }

    fn let_go(&mut self, going: &mut Vec<Going>) {
        let watermark = self.watermark();
        while let Some(&Reverse(first)) = self.waiting.peek()
            && (first.time < watermark || watermark == i64::MAX)
        {
            self.waiting.pop();
            going.push(Going {
                entry: first,
                late: false,
                newest: self.latest,
            });
        }
    }

    /// One batch of the rows that go on.
    fn gather(&mut self, going: Vec<Going>) -> Result<Option<Ordered>> {
        if going.is_empty() {
            self.batches.retain(|_, (_, waiting)| *waiting > 0);
            return Ok(None);
        }
        let mut involved: BTreeMap<u64, u32> = BTreeMap::new();
        for Going { entry, .. } in &going {
            involved.insert(entry.batch, 0);
        }
        let (mut parts, mut start) = (Vec::new(), 0);
        for (number, first) in &mut involved {
            if let Some((batch, _)) = self.batches.get(number) {
                *first = start;
                start += batch.len() as u32;
                parts.push(batch.clone());
            }
        }
        let all = match parts.len() {
            1 => parts.remove(0),
            _ => Batch::concat(&parts[0].schema().clone(), parts)?,
        };
        let rows: Vec<u32> = going
            .iter()
            .map(|Going { entry, .. }| involved[&entry.batch] + entry.row)
            .collect();
        for Going { entry, .. } in &going {
            if let Some((_, waiting)) = self.batches.get_mut(&entry.batch) {
                *waiting -= 1;
            }
        }
        self.batches.retain(|_, (_, waiting)| *waiting > 0);
        let whole = rows.len() == all.len() && rows.iter().copied().eq(0..all.len() as u32);
        Ok(Some(Ordered {
            batch: if whole { all } else { all.take(&rows)? },
            late: going.iter().map(|going| going.late).collect(),
            newest: going.iter().map(|going| going.newest).collect(),
        }))
    }
}
