//! Which cells points on the ground fall into: those of a grid, or those of H3.

use super::points::Points;
use super::{Hierarchy, HierarchySpec, grid};
use crate::data::{Categories, Numbers};
use crate::error::{Error, Result};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MISSING;

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
