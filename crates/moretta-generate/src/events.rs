//! A stream of events in the order of time: who showed what, and when.
//!
//! | column | role | what |
//! |---|---|---|
//! | t | time | since 1970, in seconds, or in seconds with three decimals |
//! | user | subject | who |
//! | attribute | quasi | what, as a path from the general to the special: `a*b*c` |
//!
//! A world says who there is and what a session looks like. Here sessions
//! begin, minute by minute and more of them by day than by night, and their
//! events wait in the minute that they fall into until that minute is over; then
//! they leave it sorted. So memory holds the sessions that are going on and a few
//! bytes for each user and path, however many rows there are.

use super::clock::Clock;
use super::names::Names;
use super::random::Random;
use super::session::{Event, Session, World};
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use moretta_data::data::{Batch, Column, Field, Kind, Role, RowIds, Schema};
use moretta_data::error::Result;
use moretta_files::Source;
use std::collections::VecDeque;
use std::sync::Arc;

/// Rows of a batch, unless told otherwise.
const BATCH: usize = 1 << 16;

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

    /// All rows as they are written: t, user, attribute.
    pub fn into_rows(self) -> impl Iterator<Item = Result<[String; 3]>> {
        self.flat_map(|batch| match batch {
            Ok(batch) => rows_of(&batch).into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
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
        let left = self.rows - self.made;
        let (random, waiting) = (&mut self.random, &mut self.waiting);
        let mut session = Session::new(self.clock, self.minute, left, random, waiting);
        self.world.session(&mut session);
        self.made += session.events();
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

fn rows_of(batch: &Batch) -> Vec<[String; 3]> {
    let time = |row| match batch.column(0) {
        Column::Plain(times) => times.as_string::<i32>().value(row).to_owned(),
        _ => String::new(),
    };
    let text = |column: usize, row| {
        let categories = batch.column(column).as_categories();
        categories
            .and_then(|c| c.get(row))
            .unwrap_or_default()
            .to_owned()
    };
    (0..batch.len())
        .map(|row| [time(row), text(1, row), text(2, row)])
        .collect()
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

#[cfg(test)]
pub(super) mod tests {
    use super::super::{domains, ecommerce, positions};
    use super::*;
    use sha2::{Digest, Sha256};
    use std::collections::HashSet;

    /// All rows of a stream.
    pub(in super::super) fn rows(events: Events) -> Vec<[String; 3]> {
        events.into_rows().map(|row| row.expect("a row")).collect()
    }

    /// How many different values there are in a column of `rows`.
    pub(in super::super) fn distinct(rows: &[[String; 3]], column: usize) -> usize {
        rows.iter()
            .map(|row| &row[column])
            .collect::<HashSet<_>>()
            .len()
    }

    type Generate = fn(usize, u64) -> Events;

    const ALL: [(&str, Generate); 3] = [
        ("ecommerce", ecommerce),
        ("domains", domains),
        ("positions", positions),
    ];

    #[test]
    fn rows_depend_on_the_seed_and_not_on_the_batches() {
        for (name, generate) in ALL {
            let whole = rows(generate(5000, 42));
            assert_eq!(whole.len(), 5000, "{name}");
            for size in [1, 777, 5000, 1 << 20] {
                let parts = rows(generate(5000, 42).in_batches_of(size));
                assert!(parts == whole, "{name} in batches of {size}");
            }
            assert!(rows(generate(5000, 43)) != whole, "{name}");
        }
    }

    #[test]
    fn ids_go_on_from_batch_to_batch_and_levels_are_those_of_the_batch() {
        for (name, generate) in ALL {
            let mut next = 0;
            for batch in generate(3000, 1).in_batches_of(700) {
                let batch = batch.expect("rows");
                for id in batch.rows().iter() {
                    assert_eq!(id, next, "{name}");
                    next += 1;
                }
                for column in [1, 2] {
                    let column = batch.column(column).as_categories().expect("a category");
                    assert_eq!(*column, column.compact(), "{name}");
                }
            }
            assert_eq!(next, 3000, "{name}");
        }
    }

    #[test]
    fn times_never_decrease_and_some_are_equal() {
        for (name, generate) in ALL {
            let times: Vec<f64> = rows(generate(50_000, 3))
                .iter()
                .map(|row| row[0].parse().expect("a number"))
                .collect();
            assert!(times.is_sorted(), "{name}");
            let equal = times.windows(2).filter(|pair| pair[0] == pair[1]).count();
            assert!(equal > 100, "{name}: {equal}");
        }
    }

    #[test]
    fn any_number_of_rows_is_met() {
        for (name, generate) in ALL {
            for count in [0, 1, 2, 50, 999] {
                assert_eq!(rows(generate(count, 8)).len(), count, "{name}");
            }
        }
    }

    #[test]
    fn nights_are_quiet() {
        for (name, generate) in ALL {
            let mut hours = [0_u32; 24];
            for [time, ..] in rows(generate(50_000, 6)) {
                let second: u64 = time[..10].parse().expect("seconds");
                hours[(second / 3600 % 24) as usize] += 1;
            }
            assert!(hours[3] * 5 < hours[18] && hours[3] > 0, "{name}");
        }
    }

    #[test]
    fn the_bytes_stay_what_they_are() {
        let sums = ALL.map(|(_, generate)| {
            let mut hasher = Sha256::new();
            for row in rows(generate(20_000, 7)) {
                hasher.update(row.join(",") + "\n");
            }
            let sum = hasher.finalize();
            sum[..8]
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect::<String>()
        });
        assert_eq!(
            sums,
            ["2b07bb45158eb416", "accbf5aae980fadb", "8c537f88d9c29253"]
        );
    }
}
