//! Made-up positions of vehicles over 48 hours; no vehicle is real.
//!
//! The attribute is COUNTRY\*REGION\*PROVINCE\*CITY\*STREET, always five levels.
//! A vehicle has a home city, where nearly all its trips begin; a trip goes
//! from street to street and now and then to another city of the province. Rush
//! hours stand out, and so do nights. About 0.022 vehicles a row and, at 100,000
//! rows, 0.083 paths a row; the map stops growing at 20,000 cities.

use super::events::{Clock, Events, Session, World};
use super::places::Map;
use super::random::Random;
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
const CITIES_A_ROW: f64 = 0.01;
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
