//! What the values of a point mean: the columns of a record and, behind them, the ancestors
//! of its categories in their hierarchies.
//!
//! Two categories whose lowest common ancestor is at level l of a hierarchy of height h are at
//! distance l/h, as in t-closeness. As a sum of terms that are 0 or not: their ancestors
//! differ at every level below l, and to differ at level i counts ((i + 1)² - i²)/h². These
//! terms add up to (l/h)², so hierarchies are measured as all other nominal values are.

use crate::data::hierarchy::Hierarchy;
use crate::data::{Attribute, Levels, Records};
use crate::error::{Error, Result};
use std::borrow::Cow;

/// The axes along which points differ.
#[derive(Clone, Debug)]
pub(super) struct Axes {
    /// Of each value of a point.
    attributes: Vec<Attribute>,
    /// How many of them are columns.
    columns: usize,
    ladders: Vec<Ladder>,
}

/// The ancestors of the categories of a column.
#[derive(Clone, Debug)]
struct Ladder {
    column: usize,
    /// Where its ancestors lie in a point.
    place: usize,
    /// Levels of the hierarchy above the categories.
    height: usize,
    /// Category by category, those at levels 1 to `height` - 1: at the top all are equal.
    ancestors: Vec<f64>,
}

impl Axes {
    /// Of columns without hierarchies.
    pub(super) fn new(attributes: &[Attribute]) -> Self {
        Axes {
            attributes: attributes.to_vec(),
            columns: attributes.len(),
            ladders: Vec::new(),
        }
    }

    /// The categories of a nominal column, in the order of their codes, differ by their tree.
    ///
    /// # Errors
    /// When the tree misses a category.
    pub(super) fn with_hierarchy(
        mut self,
        column: usize,
        categories: &Levels,
        tree: &Hierarchy,
    ) -> Result<Self> {
        let height = tree.level_count() - 1;
        let mut ancestors = Vec::with_capacity(categories.len() * height.saturating_sub(1));
        for category in categories.iter() {
            let leaf = tree
                .leaf(category)
                .ok_or_else(|| Error::bug("a hierarchy misses a category"))?;
            ancestors.extend((1..height).map(|level| f64::from(tree.node(level, leaf))));
        }
        let place = self.attributes.len();
        let above = height.saturating_sub(1);
        self.attributes.resize(place + above, Attribute::Nominal);
        self.ladders.push(Ladder {
            column,
            place,
            height,
            ancestors,
        });
        Ok(self)
    }

    /// What each value of a point means.
    pub(super) fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// What each column of a record means.
    pub(super) fn columns(&self) -> &[Attribute] {
        &self.attributes[..self.columns]
    }

    /// The points of records.
    pub(super) fn points<'a>(&self, records: &'a Records) -> Cow<'a, Records> {
        if self.ladders.iter().all(|ladder| ladder.height < 2) {
            return Cow::Borrowed(records);
        }
        let mut points = Records::new(self.attributes.len());
        let mut point = vec![0.0; self.attributes.len()];
        for record in records.iter() {
            point[..self.columns].copy_from_slice(record);
            self.climb(&mut point);
            points.push(&point);
        }
        Cow::Owned(points)
    }

    /// Puts the ancestors of a point's categories behind its columns.
    pub(super) fn climb(&self, point: &mut [f64]) {
        for ladder in &self.ladders {
            let above = ladder.height.saturating_sub(1);
            let code = point[ladder.column];
            // A missing category has no ancestors, and a cast would make it the first one.
            let found = (!code.is_nan()).then(|| ladder.ancestors.get(code as usize * above..));
            match found.flatten().and_then(|ancestors| ancestors.get(..above)) {
                Some(ancestors) => point[ladder.place..][..above].copy_from_slice(ancestors),
                None => point[ladder.place..][..above].fill(f64::NAN),
            }
        }
    }

    /// Lets categories and their ancestors count by their level.
    pub(super) fn weigh(&self, weights: &mut [f64]) {
        for ladder in &self.ladders {
            let whole = (ladder.height * ladder.height) as f64;
            let step = |level: usize| (2 * level + 1) as f64 / whole;
            weights[ladder.column] = step(0);
            for level in 1..ladder.height {
                weights[ladder.place + level - 1] = step(level);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::distance::weighted_distance;

    #[test]
    fn categories_are_as_far_apart_as_their_common_ancestor_is_high() {
        let chains = [
            ["oak", "broadleaf", "tree", "*"],
            ["ash", "broadleaf", "tree", "*"],
            ["fir", "conifer", "tree", "*"],
            ["rose", "shrub", "bush", "*"],
        ]
        .map(|chain| chain.map(str::to_owned).to_vec());
        let tree = Hierarchy::from_chains(&chains).expect("a tree");
        let categories: Levels = ["ash", "fir", "oak", "rose"].into_iter().collect();
        let axes = Axes::new(&[Attribute::Number, Attribute::Nominal])
            .with_hierarchy(1, &categories, &tree)
            .expect("covers all");
        let mut records = Records::new(2);
        for code in [0.0, 1.0, 2.0, 3.0, f64::NAN] {
            records.push(&[5.0, code]);
        }
        let points = axes.points(&records);
        let mut weights = vec![1.0; axes.attributes().len()];
        axes.weigh(&mut weights);
        let nominal: Vec<bool> = (axes.attributes().iter())
            .map(|attribute| *attribute == Attribute::Nominal)
            .collect();
        let apart = |a: usize, b: usize| {
            weighted_distance(points.record(a), points.record(b), &weights, &nominal).sqrt()
        };
        for (a, b, level) in [
            (0, 0, 0.0),
            (0, 2, 1.0),
            (0, 1, 2.0),
            (1, 3, 3.0),
            (2, 4, 3.0),
            (4, 4, 0.0),
        ] {
            assert!((apart(a, b) - level / 3.0).abs() < 1e-15, "{a} {b}");
        }
    }

    #[test]
    fn a_tree_without_levels_between_is_as_no_tree() {
        let chains = [["a", "*"], ["b", "*"]].map(|chain| chain.map(str::to_owned).to_vec());
        let tree = Hierarchy::from_chains(&chains).expect("a tree");
        let axes = Axes::new(&[Attribute::Nominal])
            .with_hierarchy(0, &["a", "b"].into_iter().collect(), &tree)
            .expect("covers all");
        let mut weights = [7.0];
        axes.weigh(&mut weights);
        assert_eq!((weights, axes.attributes().len()), ([1.0], 1));
    }
}
