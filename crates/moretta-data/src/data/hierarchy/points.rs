//! Columns of latitudes and longitudes as points.

use crate::data::{MISSING, Numbers};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::hash::Hash;

/// Two columns of coordinates in degrees, of one length.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    latitude: &'a Numbers,
    longitude: &'a Numbers,
}

impl<'a> Points<'a> {
    pub(super) fn new(latitude: &'a Numbers, longitude: &'a Numbers) -> Result<Self> {
        if latitude.len() != longitude.len() {
            return Err(Error::bug("latitude and longitude differ in length"));
        }
        let points = Points {
            latitude,
            longitude,
        };
        match points.outside() {
            (0, _) => Ok(points),
            (count, first) => Err(Error::input(format!(
                "{count} points lie outside ±90° of latitude and ±180° of longitude, first in row {}",
                first + 1
            ))
            .help("are latitude and longitude exchanged, or not in degrees?")),
        }
    }

    fn iter(self) -> impl Iterator<Item = Option<(f64, f64)>> + 'a {
        let pairs = self.latitude.iter().zip(self.longitude.iter());
        pairs.map(|(latitude, longitude)| latitude.zip(longitude))
    }

    /// How many points there are outside the globe, and the first row of them.
    fn outside(self) -> (usize, usize) {
        let mut outside = self.iter().enumerate().filter(|(_, point)| {
            point.is_some_and(|(latitude, longitude)| !on_globe(latitude, longitude))
        });
        match outside.next() {
            None => (0, 0),
            Some((first, _)) => (1 + outside.count(), first),
        }
    }
}

/// Whether a point in degrees exists.
pub(super) fn on_globe(latitude: f64, longitude: f64) -> bool {
    (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude)
}

/// The code of each point's cell, and the distinct cells in the order of first appearance.
pub(super) fn cells_of<C: Copy + Eq + Hash>(
    points: Points<'_>,
    cell: impl Fn(f64, f64) -> Option<C>,
) -> Result<(Vec<u32>, Vec<C>)> {
    let mut code_of: HashMap<C, u32, FixedState> = HashMap::default();
    let mut cells = Vec::new();
    let mut codes = Vec::with_capacity(points.latitude.len());
    for point in points.iter() {
        let Some((latitude, longitude)) = point else {
            codes.push(MISSING);
            continue;
        };
        let cell = cell(latitude, longitude)
            .ok_or_else(|| Error::bug("a point on the globe has no cell"))?;
        codes.push(*code_of.entry(cell).or_insert_with(|| {
            cells.push(cell);
            cells.len() as u32 - 1
        }));
    }
    Ok((codes, cells))
}
