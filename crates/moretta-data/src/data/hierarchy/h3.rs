//! Points on the ground fall into the hexagons of H3, Uber's grid of the globe.
//!
//! Cells are called by their H3 index in hexadecimal, so any tool that knows H3
//! can draw them. A cell's parent covers it only nearly: H3 assigns seven
//! hexagons to a larger one, whose outline cuts through them. The tree is exact
//! all the same, since a point belongs to the parents of its finest cell. Costs
//! one pass over the rows and one a level over the distinct cells.

use super::labels::Labels;
use super::points::{Points, cells_of};
use super::{Hierarchy, Rungs};
use crate::data::Categories;
use crate::error::{Error, Result};
use h3o::{CellIndex, LatLng, Resolution};
use std::fmt::Write;

pub(super) fn build(resolutions: &[u8], points: Points<'_>) -> Result<(Categories, Hierarchy)> {
    let h3 = H3::new(resolutions)?;
    let (codes, cells) = cells_of(points, |latitude, longitude| h3.cell(latitude, longitude))?;
    let levels: Vec<Labels> = (0..h3.height())
        .map(|level| {
            let keys = cells.iter().map(|&cell| h3.coarser(cell, level));
            Labels::by_key(keys, |&cell, label| h3.write(cell, label))
        })
        .collect();
    let names = levels[0].names.levels().clone();
    Ok((
        Categories::new(codes, names.into()),
        Hierarchy::under_top(levels),
    ))
}

/// Resolutions that fall.
#[derive(Clone, Debug)]
pub(super) struct H3 {
    resolutions: Vec<Resolution>,
}

impl H3 {
    pub(super) fn new(resolutions: &[u8]) -> Result<Self> {
        let known: Option<Vec<Resolution>> = resolutions
            .iter()
            .map(|&resolution| Resolution::try_from(resolution).ok())
            .collect();
        known
            .filter(|all| !all.is_empty() && all.is_sorted_by(|a, b| a > b))
            .map(|resolutions| H3 { resolutions })
            .ok_or_else(|| {
                Error::policy("h3: the resolutions must fall, from at most 15 to at least 0")
                    .help("for example h3 = [9, 7, 5]")
            })
    }

    /// The finest cell of a point.
    pub(super) fn cell(&self, latitude: f64, longitude: f64) -> Option<CellIndex> {
        let point = LatLng::new(latitude, longitude).ok()?;
        Some(point.to_cell(self.resolutions[0]))
    }

    /// The cell of `level` that holds a finest cell.
    fn coarser(&self, cell: CellIndex, level: usize) -> CellIndex {
        cell.parent(self.resolutions[level])
            .expect("resolutions were checked to be no finer than the finest")
    }

    /// Appends the name of a cell.
    pub(super) fn write(&self, cell: CellIndex, label: &mut String) {
        let _ = write!(label, "{cell}");
    }

    /// The cells that hold a finest cell, itself first; false when `name` names none.
    pub(super) fn climb(&self, name: &str, rungs: &mut Rungs) -> bool {
        let cell = name.parse().ok();
        let finest = |cell: &CellIndex| cell.resolution() == self.resolutions[0];
        let Some(cell) = cell.filter(finest) else {
            return false;
        };
        for level in 0..self.height() {
            rungs.write(|label| self.write(self.coarser(cell, level), label));
        }
        true
    }

    /// How many labels a cell has.
    pub(super) fn height(&self) -> usize {
        self.resolutions.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Numbers;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn cells(resolutions: &[u8], points: &[(f64, f64)]) -> Result<(Categories, Hierarchy)> {
        let latitude: Numbers = points.iter().map(|p| p.0).collect();
        let longitude: Numbers = points.iter().map(|p| p.1).collect();
        build(resolutions, Points::new(&latitude, &longitude)?)
    }

    #[test]
    fn a_known_point_has_the_known_cell() {
        // The example of the H3 documentation: 37.3615593, -122.0553238 at resolution 5.
        let (names, h) = cells(&[5, 4], &[(37.361_559_3, -122.055_323_8)]).expect("cells");
        assert_eq!(names.get(0), Some("85283473fffffff"));
        assert_eq!(h.chain(0).nth(1), Some("8428347ffffffff"));
    }

    #[test]
    fn resolutions_must_fall() {
        for resolutions in [&[][..], &[16], &[5, 5], &[5, 7]] {
            let error = cells(resolutions, &[]).expect_err("refused");
            assert_eq!(error.exit_code(), 3);
        }
    }

    proptest! {
        #[test]
        fn every_point_has_a_cell_and_every_cell_one_parent(
            points in proptest::collection::vec((-90.0..=90.0_f64, -180.0..=180.0_f64), 1..40),
        ) {
            let (names, h) = cells(&[3, 1, 0], &points).expect("cells");
            let mut parents: HashMap<&str, &str> = HashMap::new();
            for row in 0..points.len() {
                let leaf = h.leaf(names.get(row).expect("a cell")).expect("a leaf");
                let chain: Vec<&str> = h.chain(leaf).collect();
                for pair in chain.windows(2) {
                    prop_assert_eq!(*parents.entry(pair[0]).or_insert(pair[1]), pair[1]);
                }
            }
        }
    }
}
