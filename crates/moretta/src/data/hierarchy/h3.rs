//! Points on the ground fall into the hexagons of H3, Uber's grid of the globe.
//!
//! Cells are called by their H3 index in hexadecimal, so any tool that knows H3
//! can draw them. A cell's parent covers it only nearly: H3 assigns seven
//! hexagons to a larger one, whose outline cuts through them. The tree is exact
//! all the same, since a point belongs to the parents of its finest cell. Costs
//! one pass over the rows and one a level over the distinct cells.

use super::Hierarchy;
use super::geography::{Points, cells_of};
use super::labels::Labels;
use crate::data::Categories;
use crate::error::{Error, Result};
use h3o::{CellIndex, LatLng, Resolution};
use std::fmt::Write;

pub(super) fn build(resolutions: &[u8], points: Points<'_>) -> Result<(Categories, Hierarchy)> {
    let resolutions = check(resolutions)?;
    let finest = resolutions[0];
    let (codes, cells) = cells_of(points, |latitude, longitude| {
        let point = LatLng::new(latitude, longitude).ok()?;
        Some(point.to_cell(finest))
    })?;
    let levels: Vec<Labels> = resolutions
        .iter()
        .map(|&resolution| {
            let keys = cells.iter().map(|cell| parent(*cell, resolution));
            Labels::by_key(keys, |cell, label| {
                let _ = write!(label, "{cell}");
            })
        })
        .collect();
    let names = levels[0].names.levels().clone();
    Ok((
        Categories::new(codes, names.into()),
        Hierarchy::under_top(levels),
    ))
}

fn parent(cell: CellIndex, resolution: Resolution) -> CellIndex {
    cell.parent(resolution)
        .expect("resolutions were checked to be no finer than the finest")
}

fn check(resolutions: &[u8]) -> Result<Vec<Resolution>> {
    let known: Option<Vec<Resolution>> = resolutions
        .iter()
        .map(|&resolution| Resolution::try_from(resolution).ok())
        .collect();
    known
        .filter(|all| !all.is_empty() && all.is_sorted_by(|a, b| a > b))
        .ok_or_else(|| {
            Error::policy("h3: the resolutions must fall, from at most 15 to at least 0")
                .help("for example h3 = [9, 7, 5]")
        })
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
