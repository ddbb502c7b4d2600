//! A stream of events in the order of time: who showed what, and when.
//!
//! | column | role | what |
//! |---|---|---|
//! | t | time | since 1970, in seconds, or in seconds with three decimals |
//! | user | subject | who |
//! | attribute | quasi | what, as a path from the general to the special: `a*b*c` |
//!
//! A [`World`] says who there is and what a session looks like. Here sessions
//! begin, minute by minute and more of them by day than by night, and their
//! events wait in the minute that they fall into until that minute is over; then
//! they leave it sorted. So memory holds the sessions that are going on and a few
//! bytes for each user and path, however many rows there are.

use super::super::Source;
use super::random::Random;
use crate::data::{Batch, Categories, Column, Field, Kind, Levels, MISSING, Role, RowIds, Schema};
use crate::error::Result;
use arrow_array::builder::StringBuilder;
use arrow_schema::DataType;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

/// Rows of a batch, unless told otherwise.
const BATCH: usize = 1 << 16;

/// Who there is, what they can show and how a session goes. Users and paths are
/// numbers from 0 until they are written.
pub(super) trait World: Debug + Send + Sync {
    /// How many users there are.
    fn users(&self) -> u32;
    /// How many paths there are.
    fn paths(&self) -> u32;
    /// Shows at least one event.
    fn session(&self, session: &mut Session<'_>);
    /// Appends the name of a user; different users have different names.
    fn write_user(&self, user: u32, text: &mut String);
    /// Appends a path; different numbers have different paths.
    fn write_path(&self, path: u32, text: &mut String);
}

/// When a stream begins, how long it is and how it counts time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// A midnight, in seconds since 1970.
    pub(super) midnight: u64,
    /// How long the stream is.
    pub(super) hours: u32,
    /// How many sessions begin at each full hour, in proportion; straight lines between.
    pub(super) day: [u32; 24],
    /// Whether time is counted and written in milliseconds rather than seconds.
    pub(super) milliseconds: bool,
}

impl Clock {
    fn minutes(&self) -> u32 {
        self.hours * 60
    }

    fn ticks_of_a_second(&self) -> u32 {
        if self.milliseconds { 1000 } else { 1 }
    }

    fn ticks_of_a_minute(&self) -> u32 {
        60 * self.ticks_of_a_second()
    }

    fn weight(&self, minute: u32) -> u64 {
        let (hour, past) = ((minute / 60) as usize % 24, minute % 60);
        u64::from(self.day[hour] * (60 - past) + self.day[(hour + 1) % 24] * past)
    }

    fn write(&self, ticks: u32, text: &mut String) {
        let second = u64::from(ticks / self.ticks_of_a_second());
        text.push_str(itoa::Buffer::new().format(self.midnight + second));
        if self.milliseconds {
            // Four digits of which the first gives way to the point keep the zeros.
            let fraction = 1000 + ticks % 1000;
            text.push('.');
            text.push_str(&itoa::Buffer::new().format(fraction)[1..]);
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Event {
    /// Ticks of the clock since it began.
    time: u32,
    user: u32,
    path: u32,
}

/// A user's visit while it goes on.
pub(super) struct Session<'a> {
    /// Everything that is left to chance.
    pub(super) random: &'a mut Random,
    waiting: &'a mut VecDeque<Vec<Event>>,
    clock: Clock,
    /// The minute of the first of `waiting`.
    minute: u32,
    time: u32,
    left: usize,
}

impl Session<'_> {
    /// An event at this moment.
    pub(super) fn show(&mut self, user: u32, path: u32) {
        if self.is_over() {
            return;
        }
        let ahead = (self.time / self.clock.ticks_of_a_minute() - self.minute) as usize;
        if self.waiting.len() <= ahead {
            self.waiting.resize_with(ahead + 1, Vec::new);
        }
        let time = self.time;
        self.waiting[ahead].push(Event { time, user, path });
        self.left -= 1;
    }

    /// Lets time pass, in seconds.
    pub(super) fn wait(&mut self, seconds: f64) {
        let ticks = seconds * f64::from(self.clock.ticks_of_a_second());
        self.time = self.time.saturating_add(ticks.round() as u32);
    }

    /// Whether one more follows, in a series of `mean` on average.
    pub(super) fn goes_on(&mut self, mean: f64) -> bool {
        !self.is_over() && self.random.chance(1.0 - 1.0 / mean)
    }

    /// No row is left to fill, or the stream has come to its end.
    fn is_over(&self) -> bool {
        let end = self.clock.minutes() * self.clock.ticks_of_a_minute();
        self.left == 0 || self.time >= end
    }
}

/// Events, batch by batch; the times never decrease.
#[derive(Clone, Debug)]
pub struct Events {
    world: Arc<dyn World>,
    schema: Arc<Schema>,
    clock: Clock,
    random: Random,
    /// All rows that are asked for, those made and those given.
    rows: usize,
    made: usize,
    given: usize,
    /// The next minute in which sessions begin, the weight of those before and of all.
    minute: u32,
    weight: u64,
    total: u64,
    /// Events of this minute and those that follow.
    waiting: VecDeque<Vec<Event>>,
    /// Events of the minute before, sorted, and how many of them were given.
    sorted: Vec<Event>,
    taken: usize,
    users: Names,
    paths: Names,
    batch: usize,
}

impl Events {
    /// `rows` events of `world`, which depend on `random` alone.
    pub(super) fn new(
        world: impl World + 'static,
        clock: Clock,
        rows: usize,
        random: Random,
    ) -> Self {
        Events {
            users: Names::new(world.users()),
            paths: Names::new(world.paths()),
            world: Arc::new(world),
            schema: Arc::new(schema()),
            clock,
            random,
            rows,
            made: 0,
            given: 0,
            minute: 0,
            weight: 0,
            total: (0..clock.minutes()).map(|m| clock.weight(m)).sum(),
            waiting: VecDeque::new(),
            sorted: Vec::new(),
            taken: 0,
            batch: BATCH,
        }
    }

    /// The same rows in batches of another size.
    pub fn in_batches_of(mut self, rows: usize) -> Self {
        self.batch = rows.max(1);
        self
    }

    /// The next events, at most `len`, fewer at the end of a minute.
    fn take(&mut self, len: usize) -> &[Event] {
        while self.taken == self.sorted.len() && self.minute < self.clock.minutes() {
            self.next_minute();
        }
        let start = self.taken;
        self.taken = self.sorted.len().min(start + len);
        &self.sorted[start..self.taken]
    }

    /// Begins the sessions of a minute and sorts the events that fall into it.
    fn next_minute(&mut self) {
        self.weight += self.clock.weight(self.minute);
        let due = self.rows as u128 * u128::from(self.weight) / u128::from(self.total);
        while (self.made as u128) < due {
            self.begin_session();
        }
        self.minute += 1;
        self.taken = 0;
        self.sorted.clear();
        if let Some(mut events) = self.waiting.pop_front() {
            // Stable: events of one moment keep the order in which they were made.
            events.sort_by_key(|event| event.time);
            self.sorted = events;
        }
    }

    fn begin_session(&mut self) {
        let ticks = self.clock.ticks_of_a_minute();
        let left = self.rows - self.made;
        let mut session = Session {
            time: self.minute * ticks + self.random.below(u64::from(ticks)) as u32,
            random: &mut self.random,
            waiting: &mut self.waiting,
            clock: self.clock,
            minute: self.minute,
            left,
        };
        self.world.session(&mut session);
        self.made += left - session.left;
    }

    fn columns(&mut self, events: &[Event]) -> Vec<Column> {
        let mut times = StringBuilder::with_capacity(events.len(), events.len() * 14);
        let mut text = String::new();
        for event in events {
            text.clear();
            self.clock.write(event.time, &mut text);
            times.append_value(&text);
        }
        let world = &*self.world;
        let users = events.iter().map(|event| event.user);
        let paths = events.iter().map(|event| event.path);
        vec![
            Column::Plain(Arc::new(times.finish())),
            Column::Category(
                self.users
                    .column(users, |user, text| world.write_user(user, text)),
            ),
            Column::Category(
                self.paths
                    .column(paths, |path, text| world.write_path(path, text)),
            ),
        ]
    }
}

impl Iterator for Events {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let len = self.batch.min(self.rows - self.given);
        if len == 0 {
            return None;
        }
        let mut events = Vec::with_capacity(len);
        while events.len() < len {
            let more = self.take(len - events.len());
            events.extend_from_slice(more);
        }
        let rows = RowIds::Range {
            start: self.given as u64,
            len,
        };
        self.given += len;
        let columns = self.columns(&events);
        Some(Batch::new(Arc::clone(&self.schema), rows, columns))
    }
}

impl Source for Events {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

fn schema() -> Schema {
    let category = Kind::Category { ordered: false };
    Schema::new(vec![
        Field::new("t", Role::Time, Kind::Plain(DataType::Utf8)),
        Field::new("user", Role::Subject, category.clone()),
        Field::new("attribute", Role::Quasi, category),
    ])
    .expect("the names differ")
}

/// Gives the numbers of a batch their levels; each name is written once a batch.
#[derive(Clone, Debug)]
struct Names {
    /// The level of each number in this batch.
    level: Vec<u32>,
    used: Vec<u32>,
}

impl Names {
    fn new(numbers: u32) -> Self {
        Names {
            level: vec![MISSING; numbers as usize],
            used: Vec::new(),
        }
    }

    fn column(
        &mut self,
        numbers: impl Iterator<Item = u32>,
        write: impl Fn(u32, &mut String),
    ) -> Categories {
        let codes = numbers.map(|number| self.level_of(number)).collect();
        let mut levels = Levels::default();
        let mut text = String::new();
        for number in self.used.drain(..) {
            self.level[number as usize] = MISSING;
            text.clear();
            write(number, &mut text);
            levels.push(&text);
        }
        Categories::new(codes, Arc::new(levels))
    }

    fn level_of(&mut self, number: u32) -> u32 {
        let level = &mut self.level[number as usize];
        if *level == MISSING {
            *level = self.used.len() as u32;
            self.used.push(number);
        }
        *level
    }
}
