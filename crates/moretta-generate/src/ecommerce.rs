//! Made-up visits to a web shop over 48 hours; no customer and no product is real.
//!
//! The attribute is a path of one to four categories and a product,
//! `computers*office*1043821`. What makes such streams hard is in it: paths of
//! different depth; one row in a hundred that shows a category alone, so that a
//! path is a leaf here and an inner node there; products that are listed in two
//! categories, so that a name says little without its path; and nights in which
//! hardly anybody comes. About 0.14 users and 0.047 paths a row, at any size.

use super::clock::Clock;
use super::events::Events;
use super::random::Random;
use super::session::{Session, World};
use super::zipf::{Exponent, Zipf};
use std::collections::HashSet;
use std::fmt::Write;

const CLOCK: Clock = Clock {
    // The first of October 2019.
    midnight: 1_569_888_000,
    hours: 48,
    day: [
        35, 20, 11, 7, 6, 9, 18, 35, 55, 72, 84, 92, 95, 93, 90, 90, 92, 95, 99, 104, 108, 102, 85,
        58,
    ],
    milliseconds: false,
};

/// Users who could come and products on offer, for each row; not all are seen.
const USERS_A_ROW: f64 = 0.194;
const PRODUCTS_A_ROW: f64 = 0.046;

/// Events of a session, and seconds between them.
const SESSION: f64 = 3.2;
const PAUSE: f64 = 70.0;

/// How often a visitor turns to another category, looks at a product that is not
/// popular, or looks at the category itself.
const TURNS: f64 = 0.2;
const UNPOPULAR: f64 = 0.25;
const BARE: f64 = 0.01;

/// One category in so many lists a product of the category before it.
const SHARING: usize = 7;

/// Numbers below this prime, times another number, modulo the prime, stay different.
const PRIME: u64 = 99_999_989;

const DEPARTMENTS: [&str; 12] = [
    "electronics",
    "appliances",
    "computers",
    "apparel",
    "furniture",
    "auto",
    "kids",
    "construction",
    "sport",
    "accessories",
    "medicine",
    "garden",
];
const SECTIONS: [&str; 30] = [
    "home",
    "office",
    "travel",
    "outdoor",
    "kitchen",
    "bathroom",
    "bedroom",
    "living_room",
    "workshop",
    "garage",
    "school",
    "camping",
    "fitness",
    "audio",
    "video",
    "lighting",
    "cleaning",
    "storage",
    "safety",
    "tools",
    "parts",
    "care",
    "games",
    "gifts",
    "winter",
    "summer",
    "bags",
    "cables",
    "batteries",
    "sets",
];
const GROUPS: [&str; 8] = [
    "classic",
    "compact",
    "professional",
    "portable",
    "premium",
    "basic",
    "spare",
    "used",
];
const LINES: [&str; 4] = ["small", "medium", "large", "mixed"];

/// `rows` visits to a shop that depend on `seed` alone.
pub fn ecommerce(rows: usize, seed: u64) -> Events {
    let mut random = Random::new(seed);
    let shop = Shop::new(rows, &mut random);
    Events::new(shop, CLOCK, rows, random)
}

#[derive(Debug)]
struct Shop {
    users: Zipf,
    /// The category of each rank, the most popular first.
    popularity: Zipf,
    categories: Vec<Category>,
    products: u32,
}

#[derive(Debug)]
struct Category {
    path: String,
    /// The number of its first product.
    first: u32,
    products: Zipf,
}

impl Shop {
    fn new(rows: usize, random: &mut Random) -> Self {
        let paths = category_paths(rows.isqrt().clamp(40, 453), random);
        let popularity = Zipf::new(paths.len() as u32, Exponent::FiveQuarters, 1.0);
        let mut shop = Shop {
            users: Zipf::new(share(rows, USERS_A_ROW), Exponent::Half, 1.0),
            popularity,
            categories: Vec::with_capacity(paths.len()),
            products: 0,
        };
        let sizes = category_sizes(share(rows, PRODUCTS_A_ROW), &popularity, random);
        for (path, size) in paths.into_iter().zip(sizes) {
            shop.categories.push(Category {
                path,
                first: shop.products,
                products: Zipf::new(size, Exponent::FiveQuarters, 1.0),
            });
            shop.products += size;
        }
        shop
    }

    /// The number of the product whose name is shown: one that is listed twice
    /// has a number in each category.
    fn named(&self, category: usize, product: u32) -> u32 {
        let second = product == self.categories[category].first + 1;
        match second && category % SHARING == 1 {
            true => self.categories[category - 1].first,
            false => product,
        }
    }
}

impl World for Shop {
    fn users(&self) -> u32 {
        self.users.ranks()
    }

    /// The products, then the categories.
    fn paths(&self) -> u32 {
        self.products + self.popularity.ranks()
    }

    fn session(&self, session: &mut Session<'_>) {
        let user = self.users.pick(session.random);
        let mut rank = self.popularity.pick(session.random);
        loop {
            let category = &self.categories[rank as usize];
            let product = match session.random.chance(UNPOPULAR) {
                true => category.products.uniform(session.random),
                false => category.products.pick(session.random),
            };
            match session.random.chance(BARE) {
                true => session.show(user, self.products + rank),
                false => session.show(user, category.first + product),
            }
            if !session.goes_on(SESSION) {
                return;
            }
            let pause = session.random.wait(PAUSE);
            session.wait(pause);
            if session.random.chance(TURNS) {
                rank = self.popularity.pick(session.random);
            }
        }
    }

    fn write_user(&self, user: u32, text: &mut String) {
        text.push('u');
        text.push_str(itoa::Buffer::new().format(500_000_000 + scattered(user)));
    }

    fn write_path(&self, path: u32, text: &mut String) {
        if let Some(category) = path.checked_sub(self.products) {
            text.push_str(&self.categories[category as usize].path);
            return;
        }
        let category = self.categories.partition_point(|c| c.first <= path) - 1;
        let product = self.named(category, path);
        text.push_str(&self.categories[category].path);
        text.push('*');
        text.push_str(itoa::Buffer::new().format(1_000_000 + scattered(product)));
    }
}

/// Two numbers never become the same one, and neighbours lie far apart.
fn scattered(number: u32) -> u64 {
    u64::from(number) * 7_368_787 % PRIME
}

/// A share of the rows, below the prime that names are scattered by.
fn share(rows: usize, of_a_row: f64) -> u32 {
    (rows as f64 * of_a_row).clamp(1.0, PRIME as f64 / 2.0) as u32
}

/// `count` different paths; there are many more.
fn category_paths(count: usize, random: &mut Random) -> Vec<String> {
    let departments = Zipf::new(DEPARTMENTS.len() as u32, Exponent::ThreeQuarters, 1.0);
    let mut known = HashSet::new();
    let mut paths = Vec::with_capacity(count);
    while paths.len() < count {
        let depth = 1 + random.weighted([1, 6, 2, 1].into_iter());
        let mut path = DEPARTMENTS[departments.pick(random) as usize].to_owned();
        for names in [&SECTIONS[..], &GROUPS, &LINES].iter().take(depth - 1) {
            let _ = write!(path, "*{}", random.pick(names));
        }
        if known.insert(path.clone()) {
            paths.push(path);
        }
    }
    paths
}

/// Popular categories have more products; each has two or more.
fn category_sizes(products: u32, popularity: &Zipf, random: &mut Random) -> Vec<u32> {
    let mut sizes = vec![2; popularity.ranks() as usize];
    for _ in 2 * popularity.ranks()..products {
        let rank = match random.chance(0.2) {
            true => popularity.uniform(random),
            false => popularity.pick(random),
        };
        sizes[rank as usize] += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::super::events::tests::{distinct, rows};
    use super::*;
    use std::collections::HashMap;

    /// Names of products are numbers, names of categories are not.
    fn shows_a_product(path: &str) -> bool {
        path.ends_with(|c: char| c.is_ascii_digit())
    }

    #[test]
    fn users_and_paths_grow_with_the_rows() {
        for count in [20_000, 100_000] {
            let rows = rows(ecommerce(count, 1));
            let users = distinct(&rows, 1) as f64 / count as f64;
            let paths = distinct(&rows, 2) as f64 / count as f64;
            assert!((0.13..0.15).contains(&users), "{users} of {count}");
            assert!((0.042..0.052).contains(&paths), "{paths} of {count}");
        }
    }

    #[test]
    fn one_row_in_a_hundred_shows_a_category_that_is_also_an_inner_node() {
        let rows = rows(ecommerce(50_000, 2));
        let paths = || rows.iter().map(|row| row[2].as_str());
        let bare: Vec<&str> = paths().filter(|path| !shows_a_product(path)).collect();
        let share = bare.len() as f64 / rows.len() as f64;
        assert!((0.008..0.012).contains(&share), "{share}");
        let parents: HashSet<&str> = paths()
            .filter_map(|path| path.rsplit_once('*').map(|(parent, _)| parent))
            .collect();
        let inner = bare.iter().filter(|path| parents.contains(**path)).count();
        assert!(inner * 10 > bare.len() * 9, "{inner} of {}", bare.len());
    }

    #[test]
    fn products_lie_below_one_to_four_categories() {
        let mut depths = [0; 6];
        for [_, _, path] in rows(ecommerce(20_000, 3)) {
            if shows_a_product(&path) {
                depths[path.split('*').count()] += 1;
            }
        }
        assert_eq!(depths[..2], [0, 0]);
        assert!(depths[2..].iter().all(|&rows| rows > 100), "{depths:?}");
    }

    #[test]
    fn some_products_are_listed_in_two_categories() {
        let mut parents: HashMap<String, HashSet<String>> = HashMap::new();
        for [_, _, path] in rows(ecommerce(50_000, 4)) {
            if shows_a_product(&path) {
                let (parent, name) = path.rsplit_once('*').expect("a category");
                let known = parents.entry(name.to_owned()).or_default();
                known.insert(parent.to_owned());
            }
        }
        let twice = parents.values().filter(|known| known.len() == 2).count();
        assert!(twice >= 10, "{twice}");
        assert!(parents.values().all(|known| known.len() <= 2));
    }

    #[test]
    fn different_numbers_have_different_names() {
        let shop = Shop::new(30_000, &mut Random::new(9));
        let mut names = HashSet::new();
        for path in 0..shop.paths() {
            let mut text = String::new();
            shop.write_path(path, &mut text);
            assert!(names.insert(text), "{path}");
        }
        for user in 0..shop.users() {
            let mut text = String::new();
            shop.write_user(user, &mut text);
            assert!(names.insert(text), "{user}");
        }
    }
}
