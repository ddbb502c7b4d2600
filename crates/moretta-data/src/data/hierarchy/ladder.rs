//! How single values generalise when the other values of the column are not known.
//!
//! A [`Hierarchy`](super::Hierarchy) is built over all values of a column; a
//! stream does not have them. A [`Ladder`] takes one value and gives its labels
//! from the most specific to the most general. The top, which says nothing, is
//! not among them: a row that may not even show its last label is suppressed.
//!
//! Counting by label is sound. A label means the same whoever climbs to it and on
//! whatever rung, and the labels above it are always the same; so every value
//! that reaches a label reaches all labels above it, and counts never fall on the
//! way up. Equal labels therefore share one count, whatever the kind of ladder.
//!
//! A climb reads the value once, writes its labels and, when the value stands in
//! a file, looks it up in a hash table; it allocates nothing per value, except
//! for numbers and dates that a file spells otherwise.

use super::dates::Dates;
use super::grid::Grid;
#[cfg(feature = "h3")]
use super::h3::H3;
use super::intervals::Intervals;
use super::path::Separator;
use super::points::on_globe;
use super::{Hierarchy, HierarchySpec, HierarchyTable, MaskSide, Rungs, Texts, file, mask};
#[cfg(not(feature = "h3"))]
use crate::error::Error;
use crate::error::Result;
use std::sync::Arc;

/// How single values generalise, without knowing the other values.
///
/// ```
/// use moretta_data::data::hierarchy::{HierarchySpec, Rungs, Texts};
///
/// let ladder = HierarchySpec::Path("*".into()).ladder("place", Texts::Category)?;
/// let mut rungs = Rungs::default();
/// assert!(ladder.climb("Torino*Centro*Via Roma", &mut rungs));
/// let labels: Vec<&str> = rungs.iter().collect();
/// assert_eq!(labels, ["Torino*Centro*Via Roma", "Torino*Centro", "Torino"]);
/// # Ok::<(), moretta_data::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ladder {
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    Flat,
    File(Arc<Hierarchy>, Texts),
    Intervals(Intervals),
    Mask(MaskSide),
    Dates(Dates),
    Path(Separator),
    Grid(Grid),
    #[cfg(feature = "h3")]
    H3(H3),
}

impl HierarchySpec {
    /// The ladder of the column `column`, whose values are `texts`.
    ///
    /// It gives a value the labels of the tree that [`HierarchySpec::build`] makes over
    /// values that are all alike: all whole or all not for intervals. A path may have up to
    /// 256 parts.
    ///
    /// # Errors
    /// `Error::policy` when the rule is wrong in itself or does not fit the texts,
    /// or the file is no tree; those of reading the file.
    pub fn ladder(&self, column: &str, texts: Texts) -> Result<Ladder> {
        let rule = match self {
            HierarchySpec::File(path) => {
                Rule::File(Arc::new(HierarchyTable::read(path)?.tree(texts)?), texts)
            }
            HierarchySpec::Table(table) => Rule::File(Arc::new(table.tree(texts)?), texts),
            HierarchySpec::Intervals(widths) => {
                Rule::Intervals(Intervals::new(widths, column, texts)?)
            }
            HierarchySpec::Mask(side) => Rule::Mask(*side),
            HierarchySpec::Dates(units) => Rule::Dates(Dates::new(units, column, texts)?),
            HierarchySpec::Path(separator) => Rule::Path(Separator::new(separator, column)?),
            HierarchySpec::Grid(sizes) => Rule::Grid(Grid::new(sizes)?),
            #[cfg(feature = "h3")]
            HierarchySpec::H3(resolutions) => Rule::H3(H3::new(resolutions)?),
            #[cfg(not(feature = "h3"))]
            HierarchySpec::H3(_) => return Err(Error::left_out("hierarchies of H3 cells", "h3")),
        };
        Ok(Ladder { rule })
    }
}

impl Ladder {
    /// Of values that do not generalise.
    pub fn flat() -> Ladder {
        Ladder { rule: Rule::Flat }
    }

    /// Fills `rungs` with the labels of `value`, itself first, then ever coarser
    /// ones, without the top. A value of a file, and a cell, is called as the file
    /// or the grid calls it, however it is spelled.
    ///
    /// False, and no rungs, when the ladder does not know the value: it is not in
    /// the file or is the top there, no number or too large for the intervals, no
    /// date of the format, longer than 63 characters for a mask, of more than 256
    /// parts for a path, no finest cell.
    pub fn climb(&self, value: &str, rungs: &mut Rungs) -> bool {
        rungs.clear();
        match &self.rule {
            Rule::Flat => rungs.push(value),
            Rule::Path(separator) => return separator.climb(value, rungs),
            Rule::File(tree, texts) => return file::climb(tree, *texts, value, rungs),
            Rule::Intervals(intervals) => return intervals.climb(value, rungs),
            Rule::Mask(side) => return mask::climb(*side, value, rungs),
            Rule::Dates(dates) => return dates.climb(value, rungs),
            Rule::Grid(grid) => return grid.climb(value, rungs),
            #[cfg(feature = "h3")]
            Rule::H3(h3) => return h3.climb(value, rungs),
        }
        true
    }

    /// Writes the name of the finest cell of a point in degrees, the value to
    /// climb from. False, and an empty name, when the point is not on the globe
    /// or this is no geographic ladder.
    pub fn cell(&self, latitude: f64, longitude: f64, name: &mut String) -> bool {
        name.clear();
        if !on_globe(latitude, longitude) {
            return false;
        }
        match &self.rule {
            Rule::Grid(grid) => grid
                .cell(latitude, longitude)
                .map(|cell| grid.write(cell, 0, name)),
            #[cfg(feature = "h3")]
            Rule::H3(h3) => h3
                .cell(latitude, longitude)
                .map(|cell| h3.write(cell, name)),
            _ => None,
        }
        .is_some()
    }

    /// The byte between the parts of a path, when it is one byte; then the text of
    /// a value up to each of them is a label.
    pub fn separator(&self) -> Option<u8> {
        match &self.rule {
            Rule::Path(Separator::Byte(byte)) => Some(*byte),
            _ => None,
        }
    }

    /// Whether every label may be a value too, as with paths; elsewhere a value that
    /// only looks like a label of others is not known.
    pub fn labels_are_values(&self) -> bool {
        matches!(self.rule, Rule::Flat | Rule::Path(_))
    }
}

#[cfg(test)]
mod tests;
