//! Columns of latitudes and longitudes as points, and the cells they fall into.

use super::{Hierarchy, HierarchySpec, grid};
use crate::data::{Categories, MISSING, Numbers};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::hash::Hash;

impl HierarchySpec {
    /// The finest cell of each point and the hierarchy over the cells. A point
    /// that lacks one coordinate has no cell.
    ///
    /// # Errors
    /// `Error::policy` when this is no geographic hierarchy or its sizes do not
    /// nest; `Error::input` with the count and the first row (from 1) when points
    /// lie outside ±90° of latitude and ±180° of longitude.
    pub fn cells(
        &self,
        latitude: &Numbers,
        longitude: &Numbers,
    ) -> Result<(Categories, Hierarchy)> {
        let points = Points::new(latitude, longitude)?;
        match self {
            HierarchySpec::Grid(sizes) => grid::build(sizes, points),
            #[cfg(feature = "h3")]
            HierarchySpec::H3(resolutions) => super::h3::build(resolutions, points),
            #[cfg(not(feature = "h3"))]
            HierarchySpec::H3(_) => Err(Error::left_out("hierarchies of H3 cells", "h3")),
            _ => Err(
                Error::policy("latitude and longitude need a geographic hierarchy")
                    .help("for example grid = [100, 1000] or h3 = [9, 7]"),
            ),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_without_a_coordinate_has_no_cell() {
        let latitude = Numbers::from_iter([Some(46.0), None, Some(46.0), Some(1.0)]);
        let longitude = Numbers::from_iter([Some(7.0), Some(7.0), Some(7.0), None]);
        for spec in [HierarchySpec::Grid(vec![100.0]), HierarchySpec::H3(vec![7])] {
            if let (HierarchySpec::H3(_), false) = (&spec, cfg!(feature = "h3")) {
                let error = spec.cells(&latitude, &longitude).expect_err("left out");
                assert_eq!(error.help_text(), Some("build it with the feature `h3`"));
                continue;
            }
            let (cells, h) = spec.cells(&latitude, &longitude).expect("cells");
            assert_eq!(cells.codes(), [0, MISSING, 0, MISSING]);
            assert_eq!((h.leaf_count(), h.level_count()), (1, 2));
        }
    }

    #[test]
    fn points_off_the_globe_are_counted() {
        let latitude = Numbers::new(vec![46.0, 90.5, 7.0, f64::NAN]);
        let longitude = Numbers::new(vec![7.0, 0.0, 181.0, 0.0]);
        let error = HierarchySpec::H3(vec![7])
            .cells(&latitude, &longitude)
            .expect_err("off the globe");
        assert_eq!(error.exit_code(), 4);
        assert_eq!(
            error.to_string(),
            "3 points lie outside ±90° of latitude and ±180° of longitude, first in row 2"
        );
    }
}
