//! A k-d tree: which of many records are nearest to a target.
//!
//! Records are halved at the median of the attribute in which they are spread most,
//! again and again; each node keeps the box that holds its records, and a search leaves
//! out every node whose box is too far. Boxes know of nominal and missing values, and
//! distances are, bit for bit, those of [`weighted_distance`]: a term of a box is never
//! above that of a record in it, also as a rounded double. Equal records are one node,
//! however many they are.
//!
//! *Costs* a copy of the records, about a quarter more for the boxes, and n log n steps to
//! build; a search visits few nodes where attributes are few or the target is near, and
//! up to all of them where attributes are many and everything is about equally far.
//! *From* Bentley, "Multidimensional binary search trees used for associative searching"
//! (1975); Friedman, Bentley, Finkel, "An algorithm for finding best matches in
//! logarithmic expected time" (1977).
//!
//! ```
//! use moretta_data::math::kd_tree::KdTree;
//! let tree = KdTree::new(&[1.0, 4.0, 4.0, 9.0], &[1.0], &[false]);
//! assert_eq!(tree.ties(&[5.0], 1.0), Some(2)); // both 4s are at distance 1
//! assert_eq!(tree.ties(&[8.0], 16.0), None); // 9 is nearer than they are
//! ```

use super::distance::{Nearness, weighted_distance};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

/// Records of a node that is not halved.
const LEAF: usize = 24;

/// Records by their boxes.
#[derive(Clone, Debug)]
pub struct KdTree {
    nominal: Box<[bool]>,
    weights: Box<[f64]>,
    /// The records, those of a node side by side.
    values: Vec<f64>,
    /// The number of each of them, in the order in which they were given.
    ids: Vec<u32>,
    /// There are only numbers and none is missing.
    is_plain: bool,
    nodes: Vec<Node>,
    /// For each node a side for each attribute.
    sides: Vec<Side>,
}

#[derive(Clone, Debug)]
struct Node {
    rows: Range<usize>,
    /// The nodes of its halves; none for a leaf.
    halves: Option<[usize; 2]>,
    /// All its records are equal.
    is_point: bool,
}

/// What a box holds of one attribute.
#[derive(Clone, Copy, Debug)]
struct Side {
    low: f64,
    high: f64,
    /// Some value is missing.
    missing: bool,
}

impl Side {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let empty = Side {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            missing: false,
        };
        values.fold(empty, |side, value| match value.is_nan() {
            true => Side {
                missing: true,
                ..side
            },
            false => Side {
                low: side.low.min(value),
                high: side.high.max(value),
                ..side
            },
        })
    }

    fn has_values(&self) -> bool {
        self.low <= self.high
    }

    fn is_point(&self) -> bool {
        self.low == self.high && !self.missing || !self.has_values()
    }

    /// How far apart two of its values can be, squared.
    fn spread(&self, weight: f64, nominal: bool) -> f64 {
        if self.is_point() {
            return 0.0;
        }
        let apart = match (self.has_values(), nominal) {
            (true, true) if self.low < self.high => weight,
            (true, false) => (self.high - self.low).powi(2) * weight,
            _ => 0.0,
        };
        match self.missing {
            true => apart.max(of_missing(weight, nominal)),
            false => apart,
        }
    }

    /// The least term that a value of it can add to a squared distance.
    #[inline]
    fn least_term(&self, target: f64, weight: f64, nominal: bool) -> f64 {
        let missing = of_missing(weight, nominal);
        if target.is_nan() {
            return if self.missing { 0.0 } else { missing };
        }
        let gap = match target {
            _ if !self.has_values() => return missing,
            _ if target < self.low => self.low - target,
            _ if target > self.high => target - self.high,
            _ => return 0.0,
        };
        let term = match nominal {
            true => weight,
            false => gap * gap * weight,
        };
        match self.missing {
            true => term.min(missing),
            false => term,
        }
    }
}

/// The term of a missing value and one that is present.
#[inline]
fn of_missing(weight: f64, nominal: bool) -> f64 {
    if nominal { weight } else { 1.0 }
}

impl KdTree {
    /// Of records that lie one after the other. The squared difference of two numbers
    /// counts as its weight says; two nominal values differ by their weight, and so does a
    /// missing one from any other. A missing number is at 1 from any other.
    pub fn new(values: &[f64], weights: &[f64], nominal: &[bool]) -> Self {
        let width = nominal.len();
        let records = values.len().checked_div(width).unwrap_or(0);
        let mut tree = KdTree {
            nominal: nominal.into(),
            weights: weights.into(),
            values: Vec::with_capacity(values.len()),
            ids: Vec::with_capacity(records),
            is_plain: !nominal.contains(&true) && !values.iter().any(|value| value.is_nan()),
            nodes: Vec::new(),
            sides: Vec::new(),
        };
        let mut rows: Vec<usize> = (0..records).collect();
        if records > 0 {
            tree.grow(values, &mut rows);
        }
        tree
    }

    /// How many records are at the distance from `target` whose square is `squared`, equal
    /// as roots; `None` when one is nearer.
    pub fn ties(&self, target: &[f64], squared: f64) -> Option<usize> {
        let nearness = Nearness::new(squared);
        let mut ties = 0;
        let mut open = Vec::new();
        open.extend((!self.nodes.is_empty()).then(|| (self.least(0, target), 0)));
        while let Some((least, place)) = open.pop() {
            if nearness.compare(least) == Ordering::Greater {
                continue;
            }
            let node = &self.nodes[place];
            match node.halves {
                Some(halves) => {
                    let [one, other] = halves.map(|half| (self.least(half, target), half));
                    // The nearer half is looked at first: what is nearer ends the search.
                    match one.0 <= other.0 {
                        true => open.extend([other, one]),
                        false => open.extend([one, other]),
                    }
                }
                None => ties += self.ties_of_leaf(node, target, &nearness)?,
            }
        }
        Some(ties)
    }

    fn ties_of_leaf(&self, node: &Node, target: &[f64], nearness: &Nearness) -> Option<usize> {
        let (looked_at, each) = match node.is_point {
            true => (node.rows.start..node.rows.start + 1, node.rows.len()),
            false => (node.rows.clone(), 1),
        };
        let mut ties = 0;
        for row in looked_at {
            let record = record(&self.values, row, self.nominal.len());
            let sum = weighted_distance(record, target, &self.weights, &self.nominal);
            match nearness.compare(sum) {
                Ordering::Less => return None,
                Ordering::Equal => ties += each,
                Ordering::Greater => {}
            }
        }
        Some(ties)
    }

    /// The squared distance of a record to a target.
    #[inline]
    fn distance(&self, place: usize, target: &[f64]) -> f64 {
        let record = record(&self.values, place, self.nominal.len());
        if !self.is_plain {
            return weighted_distance(record, target, &self.weights, &self.nominal);
        }
        let terms = record.iter().zip(target).zip(&self.weights);
        terms.fold(0.0, |sum, ((a, b), weight)| {
            sum + (a - b) * (a - b) * weight
        })
    }

    /// The least squared distance that a record of a node can have.
    fn least(&self, node: usize, target: &[f64]) -> f64 {
        let width = self.nominal.len();
        let sides = self.sides[node * width..][..width].iter().zip(target);
        if self.is_plain {
            let terms = sides.zip(&self.weights);
            return terms.fold(0.0, |sum, ((side, &target), weight)| {
                let gap = (side.low - target).max(target - side.high).max(0.0);
                sum + gap * gap * weight
            });
        }
        let kinds = self.weights.iter().zip(&self.nominal);
        sides
            .zip(kinds)
            .fold(0.0, |sum, ((side, &target), (&weight, &nominal))| {
                sum + side.least_term(target, weight, nominal)
            })
    }

    /// Adds the node of some rows and all below it; gives its place.
    fn grow(&mut self, values: &[f64], rows: &mut [usize]) -> usize {
        let width = self.nominal.len();
        let side = |attribute: usize| {
            let column = rows.iter().map(|row| values[row * width + attribute]);
            Side::of(column)
        };
        let sides: Vec<Side> = (0..width).map(side).collect();
        let is_point = sides.iter().all(Side::is_point);
        let widest = self.widest(&sides);
        let place = self.nodes.len();
        let start = self.values.len() / width;
        self.sides.extend(sides);
        self.nodes.push(Node {
            rows: start..start + rows.len(),
            halves: None,
            is_point,
        });
        if is_point || rows.len() <= LEAF {
            for &row in &*rows {
                self.values.extend(record(values, row, width));
                self.ids.push(row as u32);
            }
            return place;
        }
        let value = |row: usize| values[row * width + widest];
        let (low, _, _) =
            rows.select_nth_unstable_by(rows.len() / 2, |&a, &b| value(a).total_cmp(&value(b)));
        let middle = low.len();
        let (low, high) = rows.split_at_mut(middle);
        let halves = [self.grow(values, low), self.grow(values, high)];
        self.nodes[place].halves = Some(halves);
        place
    }

    /// The attribute in which records are spread most.
    fn widest(&self, sides: &[Side]) -> usize {
        let kinds = self.weights.iter().zip(&self.nominal);
        let spreads = sides.iter().zip(kinds);
        let spreads = spreads.map(|(side, (&weight, &nominal))| side.spread(weight, nominal));
        let widest = spreads.enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
        widest.map_or(0, |(attribute, _)| attribute)
    }
}

/// Records of a tree that can be taken out, and searched for the nearest of those left.
#[derive(Clone, Debug)]
pub struct Remaining {
    tree: KdTree,
    /// Where each record is, by its number.
    places: Vec<u32>,
    /// The leaf of each place.
    leaves: Vec<u32>,
    /// The node above each node; of the first one itself.
    above: Vec<u32>,
    /// The records left of each node; those of a leaf come before the others of it.
    left: Vec<u32>,
}

/// The memory of a search, and what it has found.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Nodes to be looked at, with the bits of the least distance of their records.
    open: BinaryHeap<Reverse<(u64, u32)>>,
    /// Squared distances and numbers of the records that were found, the nearest first.
    pub found: Vec<(f64, u32)>,
}

impl Remaining {
    /// All records of a tree, of which there are fewer than 2³².
    pub fn new(tree: KdTree) -> Self {
        let mut places = vec![0; tree.ids.len()];
        for (place, &id) in (0..).zip(&tree.ids) {
            places[id as usize] = place;
        }
        let mut leaves = vec![0; tree.ids.len()];
        let mut above = vec![0; tree.nodes.len()];
        for (number, node) in (0..).zip(&tree.nodes) {
            match node.halves {
                Some(halves) => halves.iter().for_each(|&half| above[half] = number),
                None => leaves[node.rows.clone()].fill(number),
            }
        }
        Remaining {
            left: tree
                .nodes
                .iter()
                .map(|node| node.rows.len() as u32)
                .collect(),
            tree,
            places,
            leaves,
            above,
        }
    }

    /// How many records are left.
    pub fn len(&self) -> usize {
        self.left.first().map_or(0, |&left| left as usize)
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a record was not taken out.
    pub fn has(&self, record: usize) -> bool {
        let place = self.places[record];
        let leaf = self.leaves[place as usize] as usize;
        let start = self.tree.nodes[leaf].rows.start;
        (place as usize) < start + self.left[leaf] as usize
    }

    /// Takes a record out, if it is left.
    pub fn take(&mut self, record: usize) {
        if !self.has(record) {
            return;
        }
        let place = self.places[record] as usize;
        let mut node = self.leaves[place] as usize;
        let last = self.tree.nodes[node].rows.start + self.left[node] as usize - 1;
        let other = self.tree.ids[last];
        self.tree.ids.swap(place, last);
        for attribute in 0..self.tree.nominal.len() {
            let width = self.tree.nominal.len();
            let values = &mut self.tree.values;
            values.swap(place * width + attribute, last * width + attribute);
        }
        self.places[record] = last as u32;
        self.places[other as usize] = place as u32;
        loop {
            self.left[node] -= 1;
            match node {
                0 => return,
                _ => node = self.above[node] as usize,
            }
        }
    }

    /// Finds the records that are nearest to `target`, at most `count`; of equally near ones
    /// those of a smaller number. A search that has looked at `most` records ends with the
    /// nearest of those: boxes are opened by their distance, so they are near, if not the
    /// nearest.
    pub fn nearest(&self, target: &[f64], count: usize, most: usize, search: &mut Search) {
        let Search { open, found } = search;
        found.clear();
        if count == 0 || self.is_empty() {
            return;
        }
        let mut seen = 0;
        open.clear();
        open.push(Reverse((self.tree.least(0, target).to_bits(), 0)));
        while let Some(Reverse((least, number))) = open.pop() {
            let full = found.len() == count;
            // Squares are not negative, so they are in the order of their bits.
            if full && (f64::from_bits(least) > found[count - 1].0 || seen >= most) {
                return;
            }
            let node = &self.tree.nodes[number as usize];
            let Some(halves) = node.halves else {
                seen += self.look_at(number as usize, target, count, found);
                continue;
            };
            for half in halves.into_iter().filter(|&half| self.left[half] > 0) {
                let least = self.tree.least(half, target);
                if found.len() < count || least <= found[count - 1].0 {
                    open.push(Reverse((least.to_bits(), half as u32)));
                }
            }
        }
    }

    /// Takes the nearest of a leaf among those found; gives how many were looked at.
    fn look_at(
        &self,
        leaf: usize,
        target: &[f64],
        count: usize,
        found: &mut Vec<(f64, u32)>,
    ) -> usize {
        let node = &self.tree.nodes[leaf];
        let mut left = self.left[leaf] as usize;
        if node.is_point {
            // Any of equal records are as good as others.
            left = left.min(count);
        }
        for place in node.rows.start..node.rows.start + left {
            let candidate = (self.tree.distance(place, target), self.tree.ids[place]);
            let before = |other: &(f64, u32)| {
                let order = other
                    .0
                    .total_cmp(&candidate.0)
                    .then(other.1.cmp(&candidate.1));
                order == Ordering::Less
            };
            if found.len() < count || !found.last().is_some_and(before) {
                found.insert(found.partition_point(before), candidate);
                found.truncate(count);
            }
        }
        left
    }
}

fn record(values: &[f64], row: usize, width: usize) -> &[f64] {
    &values[row * width..][..width]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = f64> {
        prop_oneof![
            4 => -3.0..3.0_f64,
            6 => prop::sample::select(vec![-1.0, -0.0, 0.0, 1.0, 2.0]),
            1 => Just(f64::NAN),
            1 => prop::sample::select(vec![f64::INFINITY, f64::NEG_INFINITY, 1e308]),
        ]
    }

    proptest! {
        #[test]
        fn ties_are_those_of_looking_at_all_records(
            nominal in prop::collection::vec(any::<bool>(), 1..5),
            values in prop::collection::vec(any_value(), 5..1200),
            weights in prop::collection::vec(prop::sample::select(vec![0.0, 0.3, 1.0, 7.0]), 5),
            own in 0..1200_usize,
        ) {
            let width = nominal.len();
            let values = &values[..values.len() / width * width];
            let (weights, records) = (&weights[..width], values.len() / width);
            let tree = KdTree::new(values, weights, &nominal);
            for target in [0, records / 2, records - 1] {
                let target = record(values, target, width);
                let square = |row: usize| {
                    weighted_distance(record(values, row, width), target, weights, &nominal)
                };
                let own = square(own % records);
                prop_assume!(own.is_finite());
                let roots = || (0..records).map(|row| square(row).sqrt());
                let nearer = roots().any(|root| root < own.sqrt());
                let equal = roots().filter(|root| *root == own.sqrt()).count();
                prop_assert_eq!(tree.ties(target, own), (!nearer).then_some(equal));
            }
        }
    }

    proptest! {
        #[test]
        fn the_nearest_of_those_left_are_those_of_looking_at_all(
            nominal in prop::collection::vec(any::<bool>(), 1..4),
            values in prop::collection::vec(any_value(), 4..600),
            weights in prop::collection::vec(prop::sample::select(vec![0.0, 0.3, 1.0, 7.0]), 4),
            gone in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
            count in 0..9_usize,
        ) {
            let width = nominal.len();
            let values = &values[..values.len() / width * width];
            let (weights, records) = (&weights[..width], values.len() / width);
            let mut tree = Remaining::new(KdTree::new(values, weights, &nominal));
            let mut left: Vec<u32> = (0..records as u32).collect();
            for index in gone {
                let record = index.index(records);
                tree.take(record);
                left.retain(|&other| other as usize != record);
                prop_assert!(!tree.has(record) && tree.len() == left.len());
            }
            let mut search = Search::default();
            for target in [0, records / 2, records - 1] {
                let target = record(values, target, width);
                let square = |row: u32| {
                    weighted_distance(record(values, row as usize, width), target, weights, &nominal)
                };
                let mut expected: Vec<f64> = left.iter().map(|&row| square(row)).collect();
                expected.sort_by(f64::total_cmp);
                expected.truncate(count);
                tree.nearest(target, count, usize::MAX, &mut search);
                let found = &search.found;
                prop_assume!(expected.iter().all(|square| square.is_finite()));
                let distances: Vec<f64> = found.iter().map(|&(distance, _)| distance).collect();
                prop_assert_eq!(distances, expected);
                prop_assert!(found.iter().all(|&(distance, row)| distance == square(row)));
                let rows: std::collections::BTreeSet<u32> = found.iter().map(|f| f.1).collect();
                prop_assert_eq!(rows.len(), found.len());
                // A search that is cut short finds as many.
                tree.nearest(target, count, 1, &mut search);
                prop_assert_eq!(search.found.len(), count.min(left.len()));
            }
        }
    }

    #[test]
    fn equal_records_and_none_at_all_are_no_trouble() {
        let tree = KdTree::new(&[2.0; 5000], &[1.0], &[false]);
        assert_eq!((tree.nodes.len(), tree.ties(&[3.0], 1.0)), (1, Some(5000)));
        assert_eq!(
            KdTree::new(&[], &[1.0], &[false]).ties(&[3.0], 1.0),
            Some(0)
        );
        assert_eq!(KdTree::new(&[], &[], &[]).ties(&[], 0.0), Some(0));
    }
}
