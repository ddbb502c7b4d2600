//! Made-up look-ups of domain names in a network over 26 hours; no address and no
//! domain is real.
//!
//! Few users with many events each, the clock in milliseconds, one category above
//! the domain: `cat06*d34.com`. A user has favourites that come again and again,
//! so that nearly everybody can be told from the others, and a page asks for the
//! same domain several times in a moment. About 70 (rows / 1000)^0.55 users, at
//! most 7,809, and 60 (rows / 1000)^0.85 domains, at most 27,482, of which most
//! are seen.

use super::clock::Clock;
use super::events::Events;
use super::random::Random;
use super::session::{Session, World};
use super::zipf::{Exponent, Zipf};
use std::fmt::Write;

const CLOCK: Clock = Clock {
    // The 15th of May 2017.
    midnight: 1_494_806_400,
    hours: 26,
    day: [
        40, 25, 16, 11, 9, 11, 20, 40, 66, 84, 92, 95, 90, 86, 90, 94, 96, 98, 100, 104, 108, 106,
        92, 66,
    ],
    milliseconds: true,
};

const CATEGORIES: u32 = 83;

/// Endings of domains and how common each is.
const ENDINGS: [(&str, u32); 10] = [
    ("com", 40),
    ("it", 16),
    ("net", 12),
    ("org", 9),
    ("tv", 6),
    ("io", 5),
    ("de", 4),
    ("fr", 4),
    ("com.br", 2),
    ("co.nz", 2),
];

/// A user's favourites: most of them popular, some that hardly anybody knows.
const POPULAR: usize = 12;
const OWN: usize = 4;

/// Pages of a session and seconds between them.
const SESSION: f64 = 6.0;
const READING: f64 = 25.0;
const FAVOURITE: f64 = 0.15;

/// Look-ups of a page and seconds between them.
const BURST: f64 = 1.6;
const PAUSE: f64 = 1.5;

/// `rows` look-ups that depend on `seed` alone.
pub fn domains(rows: usize, seed: u64) -> Events {
    let mut random = Random::new(seed);
    let network = Network::new(rows, &mut random);
    Events::new(network, CLOCK, rows, random)
}

#[derive(Debug)]
struct Network {
    users: Zipf,
    domains: Zipf,
    /// Of each domain, its category and its ending.
    kinds: Vec<(u8, u8)>,
    /// Of each user, the favourite domains.
    favourites: Vec<[u32; POPULAR + OWN]>,
    /// Turns the addresses of the users round.
    offset: u32,
}

impl Network {
    fn new(rows: usize, random: &mut Random) -> Self {
        let grown = |base: f64, power: f64, most: f64| {
            (base * (rows as f64 / 1000.0).powf(power)).clamp(1.0, most) as u32
        };
        let users = grown(70.0, 0.55, 7_809.0);
        let domains = Zipf::new(grown(60.0, 0.85, 27_482.0), Exponent::FiveQuarters, 1.5);
        let categories = Zipf::new(CATEGORIES, Exponent::ThreeQuarters, 1.0);
        let kinds = (0..domains.ranks()).map(|_| {
            let ending = random.weighted(ENDINGS.iter().map(|ending| ending.1));
            (categories.pick(random) as u8, ending as u8)
        });
        Network {
            users: Zipf::new(users, Exponent::ThreeQuarters, 5.0),
            domains,
            kinds: kinds.collect(),
            favourites: (0..users).map(|_| favourites(&domains, random)).collect(),
            offset: random.below(1 << 24) as u32,
        }
    }

    fn page(&self, user: u32, random: &mut Random) -> u32 {
        match random.chance(FAVOURITE) {
            true => *random.pick(&self.favourites[user as usize]),
            false => self.domains.pick(random),
        }
    }
}

fn favourites(domains: &Zipf, random: &mut Random) -> [u32; POPULAR + OWN] {
    std::array::from_fn(|place| match place < POPULAR {
        true => domains.pick(random),
        false => domains.uniform(random),
    })
}

impl World for Network {
    fn users(&self) -> u32 {
        self.users.ranks()
    }

    fn paths(&self) -> u32 {
        self.domains.ranks()
    }

    fn session(&self, session: &mut Session<'_>) {
        let user = self.users.pick(session.random);
        loop {
            let domain = self.page(user, session.random);
            session.show(user, domain);
            while session.goes_on(BURST) {
                let pause = session.random.wait(PAUSE);
                session.wait(pause);
                session.show(user, domain);
            }
            if !session.goes_on(SESSION) {
                return;
            }
            let reading = session.random.wait(READING);
            session.wait(reading);
        }
    }

    fn write_user(&self, user: u32, text: &mut String) {
        // An odd factor permutes the numbers of 24 bits, so no address comes twice.
        let address = user.wrapping_mul(0x9e_3779).wrapping_add(self.offset);
        let [_, a, b, c] = address.to_be_bytes();
        let _ = write!(text, "10.{a}.{b}.{c}");
    }

    fn write_path(&self, path: u32, text: &mut String) {
        let (category, ending) = self.kinds[path as usize];
        let ending = ENDINGS[ending as usize].0;
        let _ = write!(text, "cat{category:02}*d{path}.{ending}");
    }
}

#[cfg(test)]
mod tests {
    use super::super::events::tests::{distinct, rows};
    use super::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn users_are_few_and_most_domains_are_seen() {
        for count in [10_000, 100_000] {
            let rows = rows(domains(count, 1));
            let thousands = count as f64 / 1000.0;
            let users = distinct(&rows, 1) as f64 / (70.0 * thousands.powf(0.55));
            let seen = distinct(&rows, 2) as f64 / (60.0 * thousands.powf(0.85));
            assert!((0.85..=1.0).contains(&users), "{users} of {count}");
            assert!((0.75..=1.0).contains(&seen), "{seen} of {count}");
        }
    }

    #[test]
    fn numbers_of_users_and_domains_have_a_limit() {
        let network = Network::new(100_000_000, &mut Random::new(1));
        assert_eq!((network.users(), network.paths()), (7_809, 27_482));
        let mut addresses = HashSet::new();
        for user in 0..network.users() {
            let mut text = String::new();
            network.write_user(user, &mut text);
            assert!(addresses.insert(text), "{user}");
        }
    }

    #[test]
    fn a_category_and_a_domain_make_a_path() {
        for [time, user, path] in rows(domains(5000, 2)) {
            let (category, domain) = path.split_once('*').expect("two levels");
            assert!(category.len() == 5 && category.starts_with("cat"), "{path}");
            assert!(domain.starts_with('d') && domain.contains('.'), "{path}");
            assert!(user.starts_with("10.") && user.split('.').count() == 4);
            assert_eq!(time.split_once('.').map(|(_, ms)| ms.len()), Some(3));
        }
    }

    #[test]
    fn the_same_domain_is_asked_for_again_and_again() {
        let rows = rows(domains(50_000, 3));
        let mut last: HashMap<&str, &str> = HashMap::new();
        let repeats = rows
            .iter()
            .filter(|[_, user, path]| last.insert(user, path) == Some(path))
            .count();
        let share = repeats as f64 / rows.len() as f64;
        assert!((0.3..0.5).contains(&share), "{share}");
    }
}
