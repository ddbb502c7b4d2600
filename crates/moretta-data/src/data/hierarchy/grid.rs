//! Points on the ground fall into square cells of growing sizes.
//!
//! A degree of latitude is 111,320 m. Rows are cut from the equator, in metres
//! north; columns from Greenwich, in metres east as measured in the middle of
//! the *coarsest* row that holds the point. All finer cells of that row share
//! its measure, so each cell lies in exactly one coarser cell; the price is that
//! a fine cell near the edge of a very high coarsest row is somewhat wider or
//! narrower than it says (5 km rows: less than 1 % below 85° of latitude).
//!
//! A cell is called by its size and its indices north and east, `100m:53:-12`.
//! Any point has one: 180° east is 180° west, and a pole has one cell. Cells
//! hide a place among the people in the cell, of whom there may be none: choose
//! sizes by the population. Costs one pass over the rows and one a level over
//! the distinct cells.

use super::intervals::nested;
use super::labels::Labels;
use super::points::{Points, cells_of};
use super::{Hierarchy, Rungs};
use crate::data::Categories;
use crate::error::{Error, Result};
use std::fmt::Write;

const METRES_PER_DEGREE: f64 = 111_320.0;

/// Finer cells could not be told apart by the coordinates.
const SMALLEST: f64 = 0.001;

/// Indices north and east of a finest cell.
type Cell = (i64, i64);

pub(super) fn build(sizes: &[f64], points: Points<'_>) -> Result<(Categories, Hierarchy)> {
    let grid = Grid::new(sizes)?;
    let (codes, cells) = cells_of(points, |latitude, longitude| grid.cell(latitude, longitude))?;
    let levels: Vec<Labels> = (0..sizes.len())
        .map(|level| {
            let keys = cells.iter().map(|&cell| grid.coarser(cell, level));
            Labels::by_key(keys, |&cell, label| grid.write(cell, level, label))
        })
        .collect();
    let names = levels[0].names.levels().clone();
    Ok((
        Categories::new(codes, names.into()),
        Hierarchy::under_top(levels),
    ))
}

/// Sizes that nest.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    finest: f64,
    /// How many finest cells each level's cells are long.
    lengths: Vec<i64>,
    /// How the names of each level's cells begin: `100m:`.
    beginnings: Vec<String>,
}

impl Grid {
    pub(super) fn new(sizes: &[f64]) -> Result<Self> {
        let refuse = |what: String| {
            Error::policy(format!("grid: {what}")).help("for example grid = [100, 1000, 10000]")
        };
        let lengths = nested(sizes).map_err(|what| refuse(what.replace("width", "size")))?;
        if sizes[0] < SMALLEST {
            return Err(refuse(format!("a cell must be at least {SMALLEST} m")));
        }
        Ok(Grid {
            finest: sizes[0],
            lengths,
            beginnings: sizes.iter().map(|size| format!("{size}m:")).collect(),
        })
    }

    /// The finest cell of a point on the globe.
    pub(super) fn cell(&self, latitude: f64, longitude: f64) -> Option<Cell> {
        let north = (latitude * METRES_PER_DEGREE / self.finest).floor() as i64;
        let longitude = match longitude {
            _ if latitude.abs() == 90.0 => 0.0,
            180.0 => -180.0,
            other => other,
        };
        let metres = longitude * METRES_PER_DEGREE * self.shrinkage(north);
        Some((north, (metres / self.finest).floor() as i64))
    }

    /// How much shorter a degree of longitude is in the middle of the coarsest
    /// row of `north` than at the equator.
    fn shrinkage(&self, north: i64) -> f64 {
        let length = self.lengths[self.lengths.len() - 1];
        let middle = (north.div_euclid(length) as f64 + 0.5) * length as f64 * self.finest;
        (middle / METRES_PER_DEGREE)
            .clamp(-90.0, 90.0)
            .to_radians()
            .cos()
            .max(0.0)
    }

    fn coarser(&self, (north, east): Cell, level: usize) -> Cell {
        let length = self.lengths[level];
        (north.div_euclid(length), east.div_euclid(length))
    }

    /// Appends the name of a cell of `level`.
    pub(super) fn write(&self, (north, east): Cell, level: usize, label: &mut String) {
        let _ = write!(label, "{}{north}:{east}", self.beginnings[level]);
    }

    /// The finest cell that `name` names.
    fn read(&self, name: &str) -> Option<Cell> {
        let indices = name.strip_prefix(self.beginnings[0].as_str())?;
        let (north, east) = indices.split_once(':')?;
        Some((north.parse().ok()?, east.parse().ok()?))
    }

    /// The cells that hold a finest cell, itself first; false when `name` names none.
    pub(super) fn climb(&self, name: &str, rungs: &mut Rungs) -> bool {
        let Some(cell) = self.read(name) else {
            return false;
        };
        for level in 0..self.lengths.len() {
            rungs.write(|label| self.write(self.coarser(cell, level), level, label));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Numbers;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn cells(sizes: &[f64], points: &[(f64, f64)]) -> (Categories, Hierarchy) {
        let latitude: Numbers = points.iter().map(|p| p.0).collect();
        let longitude: Numbers = points.iter().map(|p| p.1).collect();
        build(sizes, Points::new(&latitude, &longitude).expect("points")).expect("cells")
    }

    #[test]
    fn cells_are_called_by_size_and_indices() {
        let (names, h) = cells(
            &[100.0, 1000.0],
            &[(0.0005, -0.0005), (0.005, 0.01), (0.0, 0.0)],
        );
        let chain = |row| {
            let leaf = h.leaf(names.get(row).expect("a cell")).expect("a leaf");
            h.chain(leaf).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(chain(0), "100m:0:-1 1000m:0:-1 *");
        assert_eq!(chain(1), "100m:5:11 1000m:0:1 *");
        assert_eq!(chain(2), "100m:0:0 1000m:0:0 *");
    }

    #[test]
    fn cells_measure_on_the_ground_what_they_say() {
        let grid = Grid::new(&[100.0, 5000.0]).expect("a grid");
        for latitude in [0.0_f64, 30.0, -45.0, 60.0, 80.0] {
            let step = 1.0 / 1e6;
            let start = grid.cell(latitude, 10.0).expect("a cell").1;
            let end = grid.cell(latitude, 11.0).expect("a cell").1;
            let metres = METRES_PER_DEGREE * latitude.to_radians().cos();
            let measured = metres / (end - start) as f64;
            assert!((measured - 100.0).abs() < 1.0, "{latitude}: {measured}");
            let up = grid.cell(latitude + 1.0 - step, 10.0).expect("a cell").0;
            let down = grid.cell(latitude, 10.0).expect("a cell").0;
            assert!((1112..=1113).contains(&(up - down)), "{latitude}");
        }
    }

    #[test]
    fn poles_and_the_date_line_have_one_cell() {
        for points in [
            [(90.0, -120.0), (90.0, 77.0)],
            [(-90.0, 0.0), (-90.0, 180.0)],
            [(12.0, 180.0), (12.0, -180.0)],
        ] {
            let (names, _) = cells(&[50.0, 500.0], &points);
            assert_eq!(names.get(0), names.get(1), "{points:?}");
        }
    }

    #[test]
    fn sizes_that_do_not_nest_are_refused() {
        let none = Numbers::new(Vec::new());
        for sizes in [&[][..], &[0.0], &[100.0, 250.0], &[1e-5], &[f64::INFINITY]] {
            let points = Points::new(&none, &none).expect("points");
            let error = build(sizes, points).expect_err("refused");
            assert_eq!(error.exit_code(), 3, "{sizes:?}");
        }
    }

    proptest! {
        #[test]
        fn a_cell_lies_in_exactly_one_coarser_cell(
            points in proptest::collection::vec((-90.0..=90.0_f64, -180.0..=180.0_f64), 1..60),
            near in proptest::collection::vec((46.0..46.02_f64, 7.0..7.02_f64), 1..60),
            sizes in proptest::sample::select(vec![
                vec![100.0, 200.0, 1000.0],
                vec![0.5, 7.5],
                vec![10_000.0, 20_000_000.0],
                vec![250.0],
            ]),
        ) {
            let points: Vec<(f64, f64)> = points.into_iter().chain(near).collect();
            let (names, h) = cells(&sizes, &points);
            let mut parents: HashMap<&str, &str> = HashMap::new();
            for row in 0..points.len() {
                let leaf = h.leaf(names.get(row).expect("a cell")).expect("a leaf");
                let chain: Vec<&str> = h.chain(leaf).collect();
                prop_assert_eq!(chain.len(), sizes.len() + 1);
                for pair in chain.windows(2) {
                    prop_assert_eq!(*parents.entry(pair[0]).or_insert(pair[1]), pair[1]);
                }
            }
        }
    }
}
