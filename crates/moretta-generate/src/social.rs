//! A made-up social graph: users with a place and topics of interest, and who follows whom.
//!
//! | column | role | what |
//! |---|---|---|
//! | user | identifier | a handle, `@marasen17` |
//! | location | quasi | one of 36 cities, with its country and continent ([`locations`]) |
//! | topic1 to topic3 | quasi | three of 24 topics of interest, with their area ([`topics`]) |
//!
//! Users belong to communities of about 150. Most of a community live in one country and like
//! topics of one area, and two of three edges stay inside of it. Degrees follow a power law with
//! exponent 3: of n users the i-th has about √(n / i) times as many neighbours as the last one.
//!
//! A user's data is drawn anew from the user's number; memory is a batch, and of edges 8 bytes
//! and a little each, as none comes twice.

mod raw;

pub use raw::{RAW_FILES, write_raw};

use super::random::Random;
use arrow_array::builder::StringBuilder;
use arrow_schema::DataType;
use moretta_data::data::{Batch, Categories, Column, Field, Kind, Levels, Role, RowIds, Schema};
use moretta_data::error::{Error, Result};
use moretta_files::Source;
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;

/// Rows of a batch.
const BATCH: usize = 1 << 14;

/// Users of a community, about.
const COMMUNITY: u64 = 150;

/// The share of edges that stay in a community.
const INSIDE: f64 = 0.67;

/// The share of users who live elsewhere than their community, or like something else.
const ELSEWHERE: f64 = 0.25;

const SYLLABLES: [&str; 16] = [
    "ma", "lo", "te", "ri", "su", "ka", "ne", "bo", "ra", "lin", "do", "vel", "mir", "sen", "gor",
    "nia",
];

/// Countries with their continent and three cities each.
const COUNTRIES: [(&str, &str, [&str; 3]); 12] = [
    ("Spain", "Europe", ["Barcelona", "Madrid", "Valencia"]),
    ("UK", "Europe", ["London", "Manchester", "Leeds"]),
    ("Germany", "Europe", ["Berlin", "Hamburg", "Munich"]),
    ("Poland", "Europe", ["Warsaw", "Krakow", "Gdansk"]),
    ("USA", "America", ["Boston", "New York", "Chicago"]),
    ("Brazil", "America", ["Recife", "Santos", "Manaus"]),
    ("Peru", "America", ["Lima", "Cusco", "Tacna"]),
    ("Japan", "Asia", ["Tokyo", "Osaka", "Kyoto"]),
    ("India", "Asia", ["Delhi", "Mumbai", "Pune"]),
    ("Vietnam", "Asia", ["Hanoi", "Hue", "Vinh"]),
    ("Kenya", "Africa", ["Nairobi", "Mombasa", "Kisumu"]),
    ("Egypt", "Africa", ["Cairo", "Luxor", "Aswan"]),
];

/// Areas with four topics each.
const AREAS: [(&str, [&str; 4]); 6] = [
    ("sport", ["football", "tennis", "running", "sailing"]),
    ("arts", ["music", "cinema", "painting", "theatre"]),
    ("science", ["physics", "biology", "medicine", "space"]),
    ("technology", ["programming", "phones", "robots", "games"]),
    ("home", ["cooking", "gardening", "pets", "crafts"]),
    ("public life", ["politics", "economy", "climate", "history"]),
];

/// The taxonomy of locations: city, country, continent, world; one line a city.
pub fn locations() -> String {
    let mut text = String::new();
    for (country, continent, cities) in COUNTRIES {
        for city in cities {
            let _ = writeln!(text, "{city};{country};{continent};world");
        }
    }
    text
}

/// The taxonomy of topics: topic, area, all topics; one line a topic.
pub fn topics() -> String {
    let mut text = String::new();
    for (area, topics) in AREAS {
        for topic in topics {
            let _ = writeln!(text, "{topic};{area};any topic");
        }
    }
    text
}

/// The users of a graph, batch by batch.
pub struct Users {
    schema: Arc<Schema>,
    cities: Arc<Levels>,
    topics: Arc<Levels>,
    users: u64,
    seed: u64,
    next: u64,
}

/// `users` users that depend on `seed` alone.
pub fn users(users: usize, seed: u64) -> Result<Users> {
    let category = |name| Field::new(name, Role::Quasi, Kind::Category { ordered: false });
    let fields = vec![
        Field::new("user", Role::Identifier, Kind::Plain(DataType::Utf8)),
        category("location"),
        category("topic1"),
        category("topic2"),
        category("topic3"),
    ];
    Ok(Users {
        schema: Arc::new(Schema::new(fields)?),
        cities: Arc::new(COUNTRIES.iter().flat_map(|country| country.2).collect()),
        topics: Arc::new(AREAS.iter().flat_map(|area| area.1).collect()),
        users: users as u64,
        seed,
        next: 0,
    })
}

/// How many communities so many users have.
fn communities(users: u64) -> u64 {
    users.div_ceil(COMMUNITY).max(1)
}

/// What is known of a user.
struct User {
    city: u32,
    topics: [u32; 3],
}

impl User {
    fn new(seed: u64, number: u64, users: u64) -> Self {
        let community = number % communities(users);
        let mut home = Random::numbered(seed ^ 0x636f_6d6d, community);
        let (country, area) = (home.below(12) as u32, home.below(6) as u32);
        let mut random = Random::numbered(seed, number);
        let country = match random.chance(ELSEWHERE) {
            true => random.below(12) as u32,
            false => country,
        };
        let city = country * 3 + random.weighted([6, 3, 1].into_iter()) as u32;
        let mut topics = [u32::MAX; 3];
        for place in 0..3 {
            while topics[place] == u32::MAX || topics[..place].contains(&topics[place]) {
                topics[place] = match random.chance(ELSEWHERE) {
                    true => random.below(24) as u32,
                    false => area * 4 + random.below(4) as u32,
                };
            }
        }
        User { city, topics }
    }
}

/// Writes the handle of a user.
fn handle(text: &mut String, number: u64) {
    let mut random = Random::numbered(0x6e61_6d65, number);
    text.clear();
    text.push('@');
    for _ in 0..2 {
        let syllable: &&str = random.pick(&SYLLABLES);
        text.push_str(syllable);
    }
    let _ = write!(text, "{number}");
}

impl Iterator for Users {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let len = (self.users - self.next).min(BATCH as u64);
        if len == 0 {
            return None;
        }
        let numbers = self.next..self.next + len;
        self.next += len;
        let mut names = StringBuilder::new();
        let mut text = String::new();
        for number in numbers.clone() {
            handle(&mut text, number);
            names.append_value(&text);
        }
        let of = |number| User::new(self.seed, number, self.users);
        let users: Vec<User> = numbers.clone().map(of).collect();
        let column = |code: &dyn Fn(&User) -> u32, levels: &Arc<Levels>| {
            let codes = users.iter().map(code).collect();
            Column::Category(Categories::new(codes, Arc::clone(levels)))
        };
        let columns = vec![
            Column::Plain(Arc::new(names.finish())),
            column(&|user| user.city, &self.cities),
            column(&|user| user.topics[0], &self.topics),
            column(&|user| user.topics[1], &self.topics),
            column(&|user| user.topics[2], &self.topics),
        ];
        let ids = RowIds::Range {
            start: numbers.start,
            len: len as usize,
        };
        Some(Batch::new(Arc::clone(&self.schema), ids, columns))
    }
}

impl Source for Users {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

/// The edges of a graph, batch by batch.
pub struct Follows {
    schema: Arc<Schema>,
    random: Random,
    users: u64,
    edges: u64,
    seen: HashSet<(u32, u32)>,
}

/// `edges` different edges between `users` users that depend on `seed` alone.
///
/// # Errors
/// When there are too many edges for so many users.
pub fn follows(users: usize, edges: usize, seed: u64) -> Result<Follows> {
    let (users, edges) = (users as u64, edges as u64);
    let pairs = users.saturating_mul(users.saturating_sub(1)) / 2;
    if edges > pairs / 8 || users > u64::from(u32::MAX) {
        return Err(Error::usage(format!(
            "{users} users have at most {} edges here, an eighth of all pairs",
            pairs / 8
        ))
        .help("ask for fewer edges, or for more users"));
    }
    let plain = |name| Field::new(name, Role::Identifier, Kind::Plain(DataType::Utf8));
    Ok(Follows {
        schema: Arc::new(Schema::new(vec![plain("from"), plain("to")])?),
        random: Random::new(seed ^ 0x6564_6765),
        users,
        edges,
        seen: HashSet::new(),
    })
}

impl Follows {
    /// One of the first `count` numbers, small ones more often.
    fn popular(&mut self, count: u64) -> u64 {
        let unit = self.random.unit();
        ((unit * unit * count as f64) as u64).min(count - 1)
    }

    /// An edge that has not come yet.
    fn edge(&mut self) -> (u64, u64) {
        let communities = communities(self.users);
        loop {
            let from = self.popular(self.users);
            let to = match self.random.chance(INSIDE) {
                false => self.popular(self.users),
                true => {
                    let community = from % communities;
                    let members = (self.users - community).div_ceil(communities);
                    community + self.popular(members) * communities
                }
            };
            let edge = (from.min(to) as u32, from.max(to) as u32);
            if from != to && self.seen.insert(edge) {
                return (from, to);
            }
        }
    }
}

impl Iterator for Follows {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let start = self.seen.len() as u64;
        let len = (self.edges - start).min(BATCH as u64) as usize;
        if len == 0 {
            return None;
        }
        let [mut from, mut to] = [StringBuilder::new(), StringBuilder::new()];
        let mut text = String::new();
        for _ in 0..len {
            let edge = self.edge();
            handle(&mut text, edge.0);
            from.append_value(&text);
            handle(&mut text, edge.1);
            to.append_value(&text);
        }
        let columns = vec![
            Column::Plain(Arc::new(from.finish())),
            Column::Plain(Arc::new(to.finish())),
        ];
        let ids = RowIds::Range { start, len };
        Some(Batch::new(Arc::clone(&self.schema), ids, columns))
    }
}

impl Source for Follows {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn pairs(users: usize, edges: usize, seed: u64) -> Vec<(u64, u64)> {
        let mut follows = follows(users, edges, seed).expect("not too many");
        (0..edges).map(|_| follows.edge()).collect()
    }

    #[test]
    fn edges_are_different_and_stay_in_communities_more_often_than_not() {
        let edges = pairs(2_000, 10_000, 3);
        let distinct: BTreeSet<(u64, u64)> =
            edges.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        assert_eq!(distinct.len(), 10_000);
        let communities = communities(2_000);
        let inside = edges
            .iter()
            .filter(|(a, b)| a % communities == b % communities);
        let share = inside.count() as f64 / 10_000.0;
        assert!((0.55..0.8).contains(&share), "{share}");
        assert!(follows(10, 40, 1).is_err(), "too many");
    }

    #[test]
    fn degrees_fall_with_the_root_of_the_rank() {
        let mut degrees: BTreeMap<u64, u32> = BTreeMap::new();
        for (a, b) in pairs(5_000, 25_000, 1) {
            *degrees.entry(a).or_default() += 1;
            *degrees.entry(b).or_default() += 1;
        }
        let mean = |from: u64, to: u64| {
            let sum: u32 = (from..to).filter_map(|user| degrees.get(&user)).sum();
            f64::from(sum) / (to - from) as f64
        };
        let ratio = mean(40, 60) / mean(4_000, 5_000);
        assert!((6.0..14.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn every_value_has_a_line_in_its_taxonomy() {
        let (locations, topics) = (locations(), topics());
        let users = users(500, 1).expect("a schema");
        for (levels, text, count) in [(&users.cities, locations, 36), (&users.topics, topics, 24)] {
            let leaves: Vec<&str> = text.lines().filter_map(|l| l.split(';').next()).collect();
            assert_eq!(leaves.len(), count);
            assert!(levels.iter().eq(leaves.iter().copied()));
        }
        let batch = users.into_iter().next().expect("rows").expect("a batch");
        assert_eq!(batch.len(), 500);
    }
}
