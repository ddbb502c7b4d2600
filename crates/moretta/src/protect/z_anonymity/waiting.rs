//! Rows that wait so that made-up rows can stand before and after them.
//!
//! Rows leave in the order of their times, those of one time in an order that is
//! drawn; a row leaves when no row can come any more that belongs before it.

use super::cell::Cell;
use super::hidden::Draws;
use crate::data::{Batch, Categories, Column, LevelsBuilder, MISSING, RowIds, Schema, TimeFormat};
use crate::error::{Error, Result};
use crate::protect::identifiers::Key;
use arrow_array::builder::StringBuilder;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// What a row shows. All rows have a time, a user and a label; a group only where the stream has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub(super) time: &'a str,
    pub(super) user: &'a str,
    pub(super) label: &'a str,
    pub(super) group: Option<&'a str>,
}

/// A row that waits.
#[derive(Debug)]
struct Row {
    time: i64,
    tie: u64,
    id: u64,
    cell: Cell,
    /// Time, user, label and group, one behind the other.
    text: Box<str>,
    ends: [u32; 3],
    grouped: bool,
}

impl Row {
    fn new(time: i64, tie: u64, id: u64, cell: Cell, shown: Shown<'_>) -> Self {
        let group = shown.group.unwrap_or_default();
        let parts = [shown.time, shown.user, shown.label];
        let length = parts.iter().map(|part| part.len()).sum::<usize>() + group.len();
        let mut text = String::with_capacity(length);
        let ends = parts.map(|part| {
            text.push_str(part);
            text.len() as u32
        });
        text.push_str(group);
        Row {
            time,
            tie,
            id,
            cell,
            text: text.into(),
            ends,
            grouped: shown.group.is_some(),
        }
    }

    fn shown(&self) -> Shown<'_> {
        let [time, user, label] = self.ends.map(|end| end as usize);
        Shown {
            time: &self.text[..time],
            user: &self.text[time..user],
            label: &self.text[user..label],
            group: self.grouped.then(|| &self.text[label..]),
        }
    }

    fn order(&self) -> (i64, u64, u64) {
        (self.time, self.tie, self.id)
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Row {}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Row {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

/// A real row for which made-up rows will be drawn.
#[derive(Debug)]
pub(super) struct Real {
    pub(super) time: i64,
    pub(super) text: Box<str>,
    pub(super) label: Box<str>,
    pub(super) cell: Cell,
    pub(super) draws: Draws,
    /// The step of the clock.
    pub(super) tick: i64,
    /// How many made-up rows are still to come.
    pub(super) left: u32,
}

/// Where the columns are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub(super) time: usize,
    pub(super) user: usize,
    pub(super) label: usize,
}

/// The rows that wait.
pub(super) struct Waiting {
    key: Key,
    /// Milliseconds that a made-up row may be away from the row it helps.
    reach: i64,
    /// Rows for which made-up rows will be drawn.
    expected: HashMap<u64, Real, FixedState>,
    rows: BinaryHeap<Reverse<Row>>,
    /// The greatest common divisor of all times so far: the tick of the stream's clock.
    tick: i64,
}

impl Waiting {
    pub(super) fn new(key: Key, spread: i64) -> Self {
        Waiting {
            key,
            reach: (spread / 2).max(1),
            expected: HashMap::default(),
            rows: BinaryHeap::new(),
            tick: 0,
        }
    }

    /// Learns the clock from the time of a row, whether it is released or not.
    pub(super) fn tell(&mut self, time: i64) {
        self.tick = greatest_common_divisor(self.tick, time);
    }

    /// The greatest common divisor of all times that were told.
    pub(super) fn clock(&self) -> i64 {
        self.tick
    }

    /// The numbers for the row with this id.
    pub(super) fn draws(&self, id: u64) -> Draws {
        Draws::new(&self.key, &[b"row", &id.to_be_bytes()])
    }

    /// Takes a row.
    pub(super) fn push(&mut self, time: i64, tie: u64, id: u64, cell: Cell, shown: Shown<'_>) {
        self.rows
            .push(Reverse(Row::new(time, tie, id, cell, shown)));
    }

    /// Keeps what the made-up rows of a row will need.
    pub(super) fn expect(&mut self, burst: u64, real: Real) {
        self.expected.insert(burst, real);
    }

    /// Takes a made-up row that was drawn for the row `burst`.
    pub(super) fn push_fake(
        &mut self,
        burst: u64,
        (user, group): (&str, Option<&str>),
        offset: i64,
        format: TimeFormat,
        id: u64,
    ) -> Result<()> {
        let real = self.expected.get_mut(&burst);
        let real = real.ok_or_else(|| Error::bug("a made-up row of no row"))?;
        real.left = real.left.saturating_sub(1);
        let ticks = offset.div_euclid(real.tick).max(-(self.reach / real.tick));
        let time = real.time.saturating_add(ticks * real.tick);
        let mut text = String::with_capacity(real.text.len());
        format.write(time, &real.text, &mut text);
        let text = draw_fine_decimals(text, &real.text, &mut real.draws);
        let shown = Shown {
            time: &text,
            user,
            label: &real.label,
            group,
        };
        let row = Row::new(time, real.draws.next(), id, real.cell, shown);
        self.rows.push(Reverse(row));
        if real.left == 0 {
            self.expected.remove(&burst);
        }
        Ok(())
    }

    /// The least step of the clock by which times like `text` are told.
    pub(super) fn tick(&self, format: TimeFormat, text: &str) -> i64 {
        match (self.tick, format.resolution(text)) {
            (0, resolution) => resolution,
            (tick, resolution) if tick % resolution == 0 => tick,
            (_, resolution) => resolution,
        }
    }

    /// The rows before `end`, all rows when there is none, and why each was released.
    pub(super) fn release(
        &mut self,
        end: Option<i64>,
        schema: &Arc<Schema>,
        places: Columns,
        cells: &mut Vec<Cell>,
    ) -> Result<Batch> {
        let (mut ids, mut times) = (Vec::new(), StringBuilder::new());
        let mut texts: [(LevelsBuilder, Vec<u32>); 3] = Default::default();
        while let Some(Reverse(row)) = self.rows.peek()
            && end.is_none_or(|end| row.time < end)
        {
            let Some(Reverse(row)) = self.rows.pop() else {
                break;
            };
            let shown = row.shown();
            times.append_value(shown.time);
            let others = [Some(shown.user), Some(shown.label), shown.group];
            for ((levels, codes), text) in texts.iter_mut().zip(others) {
                codes.push(text.map_or(MISSING, |text| levels.intern(text)));
            }
            ids.push(row.id);
            cells.push(row.cell);
        }
        let times = Arc::new(times.finish());
        let [users, labels, groups] = texts.map(|(levels, codes)| {
            Column::Category(Categories::new(codes, Arc::new(levels.finish())))
        });
        let columns = (0..schema.len())
            .map(|place| match place {
                place if place == places.time => Column::Plain(times.clone()),
                place if place == places.user => users.clone(),
                place if place == places.label => labels.clone(),
                _ => groups.clone(),
            })
            .collect();
        Batch::new(Arc::clone(schema), RowIds::List(ids.into()), columns)
    }

    /// Bytes held, and bytes of texts.
    pub(super) fn memory(&self) -> (usize, usize) {
        let texts = self.rows.iter().map(|Reverse(row)| row.text.len());
        (self.rows.capacity() * size_of::<Row>(), texts.sum())
    }
}

/// Digits behind the milliseconds are not known, so they are drawn where real ones are not 0.
fn draw_fine_decimals(text: String, like: &str, draws: &mut Draws) -> String {
    let Some(point) = text.find('.') else {
        return text;
    };
    let is_fine = |place: usize, c: char| place > point + 3 && c.is_ascii_digit();
    let end = text[point + 1..]
        .find(|c: char| !c.is_ascii_digit())
        .map_or(text.len(), |length| point + 1 + length);
    let fine = like.find('.').and_then(|point| like.get(point + 4..));
    let digits = fine.map(|fine| fine.chars().take_while(char::is_ascii_digit));
    if digits.is_none_or(|mut digits| digits.all(|digit| digit == '0')) {
        return text;
    }
    text.char_indices()
        .map(|(place, c)| match place < end && is_fine(place, c) {
            true => char::from(b'0' + draws.below(10) as u8),
            false => c,
        })
        .collect()
}

pub(crate) fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fine_decimals_are_drawn_only_where_real_ones_are_not_zeros() {
        let key = Key::derived([7; 32]);
        for (text, like, same) in [
            ("12", "10", true),
            ("12.217", "10.113", true),
            ("12.217000", "10.113000", true),
            ("12.217000000000", "10.113592184622", false),
            (
                "2017-05-15T00:55:38.217000000000+02:00",
                "2017-05-15T00:55:37.113592184622+02:00",
                false,
            ),
        ] {
            let mut draws = Draws::new(&key, &[b"test"]);
            let found = draw_fine_decimals(text.to_owned(), like, &mut draws);
            assert_eq!(found == text, same, "{text}");
            assert_eq!(found.len(), text.len());
            let kept = text.find('.').map_or(text.len(), |point| point + 4);
            assert_eq!(found[..kept.min(text.len())], text[..kept.min(text.len())]);
            assert_eq!(found.ends_with("+02:00"), text.ends_with("+02:00"));
        }
    }

    #[test]
    fn the_clock_is_learned_from_the_times() {
        let mut waiting = Waiting::new(Key::derived([7; 32]), 60_000);
        let format = TimeFormat::Seconds;
        assert_eq!(waiting.tick(format, "12"), 1000);
        for time in [600_000, 900_000, -300_000] {
            waiting.tell(time);
        }
        assert_eq!(waiting.tick(format, "600"), 300_000);
        waiting.tell(900_500);
        assert_eq!(waiting.tick(format, "600"), 1000);
        assert_eq!(waiting.tick(format, "900.5"), 500);
    }
}
