//! Made-up positions of vehicles over 48 hours; no vehicle is real.
//!
//! The attribute is COUNTRY\*REGION\*PROVINCE\*CITY\*STREET, always five levels.
//! A vehicle has a home city, where nearly all its trips begin; a trip goes
//! from street to street and now and then to another city of the province. Rush
//! hours stand out, and so do nights. About 0.022 vehicles a row and, at 100,000
//! rows, 0.083 paths a row; the map stops growing at 20,000 cities.

use super::clock::Clock;
use super::events::Events;
use super::places::Map;
use super::random::Random;
use super::session::{Session, World};
use super::zipf::{Exponent, Zipf};

const CLOCK: Clock = Clock {
    // The 18th of December 2018.
    midnight: 1_545_091_200,
    hours: 48,
    day: [
        12, 7, 5, 4, 6, 14, 40, 88, 104, 82, 70, 72, 80, 76, 72, 78, 92, 108, 110, 88, 60, 42, 30,
        20,
    ],
    milliseconds: false,
};

const VEHICLES_A_ROW: f64 = 0.024;
const CITIES_A_ROW: f64 = 0.008;
const MOST_CITIES: f64 = 20_000.0;

/// The numbers of vehicles are scattered below this prime.
const PRIME: u32 = 9_999_991;

/// Positions of a trip; seconds between them at least, and on top of that.
const TRIP: f64 = 9.0;
const AT_LEAST: f64 = 30.0;
const ON_TOP: f64 = 60.0;

/// How often a trip begins away from home, or reaches another city.
const AWAY: f64 = 0.05;
const NEXT_CITY: f64 = 0.12;

/// `rows` positions of vehicles that depend on `seed` alone.
pub fn positions(rows: usize, seed: u64) -> Events {
    let mut random = Random::new(seed);
    let fleet = Fleet::new(rows, &mut random);
    Events::new(fleet, CLOCK, rows, random)
}

#[derive(Debug)]
struct Fleet {
    map: Map,
    vehicles: Zipf,
    /// Of each vehicle, its city.
    homes: Vec<u32>,
}

impl Fleet {
    fn new(rows: usize, random: &mut Random) -> Self {
        let rows = rows as f64;
        let map = Map::new(
            (rows * CITIES_A_ROW).clamp(150.0, MOST_CITIES) as usize,
            random,
        );
        let vehicles = (rows * VEHICLES_A_ROW).clamp(20.0, f64::from(PRIME)) as u32;
        Fleet {
            vehicles: Zipf::new(vehicles, Exponent::Half, 5.0),
            homes: (0..vehicles).map(|_| map.city(random)).collect(),
            map,
        }
    }
}

impl World for Fleet {
    fn users(&self) -> u32 {
        self.vehicles.ranks()
    }

    fn paths(&self) -> u32 {
        self.map.streets()
    }

    fn session(&self, session: &mut Session<'_>) {
        let vehicle = self.vehicles.pick(session.random);
        let mut city = match session.random.chance(AWAY) {
            true => self.map.city(session.random),
            false => self.homes[vehicle as usize],
        };
        loop {
            if session.random.chance(NEXT_CITY) {
                city = self.map.city_near(city, session.random);
            }
            let street = self.map.street(city, session.random);
            session.show(vehicle, street);
            if !session.goes_on(TRIP) {
                return;
            }
            let pause = AT_LEAST + session.random.wait(ON_TOP);
            session.wait(pause);
        }
    }

    fn write_user(&self, user: u32, text: &mut String) {
        let number = u64::from(user) * 736_879 % u64::from(PRIME);
        text.push('v');
        text.push_str(itoa::Buffer::new().format(2_000_000 + number));
    }

    fn write_path(&self, path: u32, text: &mut String) {
        self.map.write(path, text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::events::tests::{distinct, rows};
    use super::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn vehicles_and_streets_are_as_many_as_documented() {
        let rows = rows(positions(100_000, 1));
        let vehicles = distinct(&rows, 1);
        let paths = distinct(&rows, 2);
        assert!((2_000..2_400).contains(&vehicles), "{vehicles}");
        assert!((7_500..9_500).contains(&paths), "{paths}");
    }

    #[test]
    fn a_street_name_is_found_in_many_cities() {
        let mut cities: HashMap<String, HashSet<String>> = HashMap::new();
        for [_, _, path] in rows(positions(30_000, 2)) {
            assert_eq!(path.split('*').count(), 5);
            let (city, street) = path.rsplit_once('*').expect("a city");
            let known = cities.entry(street.to_owned()).or_default();
            known.insert(city.to_owned());
        }
        assert!(cities["VIA ROMA"].len() > 100);
        let shared = cities.values().filter(|known| known.len() > 1).count();
        assert!(shared * 2 > cities.len(), "{shared} of {}", cities.len());
    }

    #[test]
    fn most_positions_of_a_vehicle_are_in_its_home_province() {
        let rows = rows(positions(30_000, 3));
        let mut vehicles: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
        for [_, vehicle, path] in &rows {
            let (city, _street) = path.rsplit_once('*').expect("a street");
            let (province, _city) = city.rsplit_once('*').expect("a city");
            let seen = vehicles.entry(vehicle).or_default();
            *seen.entry(province).or_default() += 1;
        }
        let home: usize = vehicles
            .values()
            .filter_map(|seen| seen.values().max())
            .sum();
        assert!(home * 10 > rows.len() * 9, "{home}");
    }

    #[test]
    fn vehicles_have_different_names() {
        let fleet = Fleet::new(1_000_000, &mut Random::new(4));
        let mut names = HashSet::new();
        for vehicle in 0..fleet.users() {
            let mut text = String::new();
            fleet.write_user(vehicle, &mut text);
            assert!(names.insert(text), "{vehicle}");
        }
    }
}
