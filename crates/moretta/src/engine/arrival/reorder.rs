//! Rows in the order of their times, whatever order they come in.
//!
//! The watermark is the latest time that every source has reached, less the
//! lateness that is allowed. A source has reached what two of its users have: one
//! client alone, wherever its clock is, moves nothing but its own rows. A source with
//! one user only is as far as that user, unless it is the only source. A row waits
//! until the watermark has passed it; so rows go on in the order (time, source, place
//! in the source). A row that comes behind the watermark goes on at once, marked as late.
//!
//! Of several sources the next row is always one of the source that is furthest behind. So
//! what is late depends on the rows of each source, and not on how many of them were read
//! at a time.

use crate::data::{Batch, folded};
use crate::error::Result;
use crate::protect::z_anonymity::Reached;
use foldhash::fast::FixedState;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::hash::BuildHasher;

/// Bits of a row id that tell its place in its source; those above tell the source.
pub(crate) const SOURCE_SHIFT: u32 = 48;

/// Puts rows in order.
pub(crate) struct Reorder {
    /// The place of the subject; without one, every row is another user's.
    subject: Option<usize>,
    lateness: i64,
    sources: Vec<Source>,
    users: FixedState,
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Batches of which rows are waiting, and how many.
    batches: BTreeMap<u64, (Batch, usize)>,
    next: u64,
    latest: i64,
}

/// A source and its rows that are still to be taken.
#[derive(Default)]
struct Source {
    reached: Reached,
    has_ended: bool,
    rows: VecDeque<Taken>,
}

/// A row when it is taken.
struct Taken {
    entry: Waiting,
    /// None of a row without a subject.
    user: Option<u64>,
}

impl Source {
    /// How far it is, by the clock of its rows; that of one user as long as there is no other.
    fn head(&self) -> i64 {
        match self.reached.time() {
            i64::MIN => self.reached.latest(),
            time => time,
        }
    }
}

/// Ordered by time, then source and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time: i64,
    id: u64,
    batch: u64,
    row: u32,
    /// How far its source was when it came.
    came: i64,
}

impl Waiting {
    fn source(&self) -> usize {
        (self.id >> SOURCE_SHIFT) as usize
    }
}

/// A row that goes on.
struct Going {
    entry: Waiting,
    late: bool,
    delay: i64,
}

/// Rows that go on, and which of them came too late.
pub(crate) struct Ordered {
    pub(crate) batch: Batch,
    pub(crate) times: Vec<i64>,
    pub(crate) late: Vec<bool>,
    /// How far the source of each row has come since the row came, in milliseconds.
    pub(crate) delays: Vec<i64>,
}

impl Reorder {
    pub(crate) fn new(subject: Option<usize>, lateness: i64, sources: usize) -> Self {
        Reorder {
            subject,
            lateness,
            sources: (0..sources).map(|_| Source::default()).collect(),
            users: FixedState::default(),
            waiting: BinaryHeap::new(),
            batches: BTreeMap::new(),
            next: 0,
            latest: i64::MIN,
        }
    }

    /// Goes on after a restart: rows of one source were read up to the time `latest`, and two
    /// users had reached another one.
    pub(crate) fn resume(&mut self, latest: i64, reached: Option<i64>) {
        self.latest = latest;
        if let (Some(source), Some(reached)) = (self.sources.first_mut(), reached) {
            source.reached = Reached::at(reached);
        }
    }

    /// The latest time that two users of the first source have reached.
    pub(crate) fn reached(&self) -> Option<i64> {
        let first = self.sources.first()?;
        Some(first.reached.time()).filter(|&time| time > i64::MIN)
    }

    /// The times of the rows that wait.
    pub(crate) fn waiting_times(&self) -> impl Iterator<Item = i64> + '_ {
        self.waiting.iter().map(|Reverse(entry)| entry.time)
    }

    /// The source that is furthest behind, if one has not ended.
    pub(crate) fn furthest_behind(&self) -> Option<usize> {
        let sources = self.sources.iter().enumerate();
        let open = sources.filter(|(_, source)| !source.has_ended);
        open.min_by_key(|(_, source)| self.time_of(source))
            .map(|(place, _)| place)
    }

    /// How far a source is.
    fn time_of(&self, source: &Source) -> i64 {
        match self.sources.len() {
            1 => source.reached.time(),
            _ => source.head(),
        }
    }

    /// Takes rows of a source; gives those that need not wait any longer. Rows of a source
    /// that is not the furthest behind are taken when it is.
    pub(crate) fn push(&mut self, batch: Batch, times: &[i64]) -> Result<Option<Ordered>> {
        let number = self.next;
        self.next += 1;
        let ids = batch.rows().clone();
        let users = self.users_of(&batch)?;
        self.batches.insert(number, (batch, times.len()));
        for (row, &time) in times.iter().enumerate() {
            let entry = Waiting {
                time,
                id: ids.get(row),
                batch: number,
                row: row as u32,
                came: time,
            };
            if let Some(source) = self.sources.get_mut(entry.source()) {
                source.rows.push_back(Taken {
                    entry,
                    user: users[row],
                });
            }
        }
        self.take_rows()
    }

    /// Whose each row is; none of a row without a subject.
    fn users_of(&self, batch: &Batch) -> Result<Vec<Option<u64>>> {
        let Some(subject) = self.subject else {
            return Ok(batch.rows().iter().map(Some).collect());
        };
        let subjects = batch.categories(subject)?;
        let names = subjects.levels().iter();
        let users: Vec<u64> = names
            .map(|name| self.users.hash_one(folded(name)))
            .collect();
        let codes = subjects.codes().iter();
        Ok(codes
            .map(|&code| users.get(code as usize).copied())
            .collect())
    }

    /// A source has ended, of which all rows were taken: nobody waits for it any more.
    pub(crate) fn end(&mut self, source: usize) -> Result<Option<Ordered>> {
        self.sources[source].has_ended = true;
        self.take_rows()
    }

    /// Takes rows for as long as the source that is furthest behind has some.
    fn take_rows(&mut self) -> Result<Option<Ordered>> {
        let mut going: Vec<Going> = Vec::new();
        self.let_go(&mut going);
        while let Some(source) = self.furthest_behind()
            && let Some(taken) = self.sources[source].rows.pop_front()
        {
            self.take(source, taken, &mut going);
        }
        self.gather(going)
    }

    fn take(&mut self, source: usize, Taken { mut entry, user }: Taken, going: &mut Vec<Going>) {
        self.latest = self.latest.max(entry.time);
        if entry.time < self.watermark() {
            going.push(Going {
                entry,
                late: true,
                delay: 0,
            });
            return;
        }
        let source = &mut self.sources[source];
        // A row without a subject moves nothing.
        if let Some(user) = user {
            source.reached.see(user, entry.time);
        }
        entry.came = source.head();
        self.waiting.push(Reverse(entry));
        self.let_go(going);
    }

    /// The latest time that was read.
    pub(crate) fn latest(&self) -> i64 {
        self.latest
    }

    fn watermark(&self) -> i64 {
        let open = self.sources.iter().filter(|source| !source.has_ended);
        let least = open.map(|source| self.time_of(source)).min();
        least.map_or(i64::MAX, |reached| reached.saturating_sub(self.lateness))
    }

    fn let_go(&mut self, going: &mut Vec<Going>) {
        let watermark = self.watermark();
        while let Some(&Reverse(entry)) = self.waiting.peek()
            && (entry.time < watermark || watermark == i64::MAX)
        {
            self.waiting.pop();
            let head = self.sources.get(entry.source()).map(Source::head);
            going.push(Going {
                entry,
                late: false,
                delay: head.map_or(0, |head| head.saturating_sub(entry.came)),
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
            times: going.iter().map(|going| going.entry.time).collect(),
            late: going.iter().map(|going| going.late).collect(),
            delays: going.iter().map(|going| going.delay).collect(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Column, Field, Kind, Role, RowIds, Schema};
    use arrow_array::StringArray;
    use arrow_schema::DataType;
    use std::sync::Arc;

    /// Rows (second, user) of the first source.
    fn batch(rows: &[(i64, &str)]) -> Batch {
        let fields = vec![
            Field::new("t", Role::Time, Kind::Plain(DataType::Utf8)),
            Field::new("user", Role::Subject, Kind::Category { ordered: false }),
        ];
        let times: StringArray = rows.iter().map(|row| Some(row.0.to_string())).collect();
        let users: Categories = rows.iter().map(|row| Some(row.1)).collect();
        Batch::new(
            Arc::new(Schema::new(fields).expect("names")),
            RowIds::Range {
                start: 0,
                len: rows.len(),
            },
            vec![Column::Plain(Arc::new(times)), Column::Category(users)],
        )
        .expect("fits")
    }

    #[test]
    fn a_row_waits_from_its_own_coming_whatever_time_others_have() {
        let mut reorder = Reorder::new(Some(1), 10_000, 1);
        // One client is an hour ahead, and a row comes six seconds behind.
        let rows = [
            (100, "a"),
            (101, "b"),
            (3701, "fast"),
            (95, "a"),
            (102, "b"),
            (111, "a"),
            (113, "b"),
        ];
        let times: Vec<i64> = rows.iter().map(|row| 1000 * row.0).collect();
        let ordered = reorder.push(batch(&rows), &times).expect("pushed");
        let ordered = ordered.expect("some need not wait");
        assert_eq!(ordered.late, [false; 4]);
        let places: Vec<u64> = ordered.batch.rows().iter().collect();
        assert_eq!(places, [3, 0, 1, 4]);
        // By what two users have reached: 101, 100 (of the first alone), 101 and 102.
        assert_eq!(ordered.delays, [10_000, 11_000, 13_000, 11_000]);
        let left = reorder.end(0).expect("nothing fails").expect("the others");
        assert_eq!(left.delays, [2_000, 0, 12_000]);
    }
}
