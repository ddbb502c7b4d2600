//! What the loss of a column is measured against.
//!
//! A released value loses the share of the column's values that it leaves open, so it
//! matters which values there are. The policy says so, or else the released rows; rows
//! that were not released never do. Loss is published beside the release, and a range
//! that a suppressed person has stretched could be computed from both.
//!
//! | values | measured against |
//! |---|---|
//! | numbers, dates | the declared `range`, else the least to the largest bound of a released interval, where one without an end (`90..`) loses all |
//! | ordered categories | the declared `order` |
//! | other categories | those that released sets name |
//! | labels of a hierarchy | the leaves in its file, else the leaves that released rows had |
//!
//! One absurd number would make every other interval look narrow. Where the outermost rows
//! at one end, at most [`OUTERMOST`] of them all, make the range more than [`STRETCHED`]
//! times as wide as it is without them, they are left out and lose 1 at most, and the
//! report warns.

use crate::data::hierarchy::Hierarchy;
use crate::data::{Domain, Region, Scale};
use std::collections::BTreeSet;

/// The share of rows at one end of a range that may be left out of it.
const OUTERMOST: f64 = 0.05;

/// A range that is so many times as wide as it is without its outermost rows is stretched.
pub const STRETCHED: f64 = 5.0;

/// What the loss of a column is measured against.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extent {
    /// The least and the largest number; none when none is shown.
    span: Option<(f64, f64)>,
    /// The policy has declared it, so that an open end reaches as far.
    declared: bool,
    /// Outermost rows were left out of the span.
    stretched: bool,
    /// The codes of the categories.
    categories: BTreeSet<u32>,
    /// How many leaves that count come before each leaf; none when all of the tree count.
    leaves_before: Option<Vec<u32>>,
}

impl Extent {
    /// Of released regions with their numbers of rows. `range` is the declared one;
    /// `leaves` marks those of the hierarchy that count, when not all do.
    pub(super) fn new(
        regions: &[(Region, u64)],
        domain: &Domain,
        range: Option<(f64, f64)>,
        leaves: Option<&[bool]>,
    ) -> Self {
        let (span, stretched) = match range {
            Some(range) => (Some(range), false),
            None => span(regions),
        };
        Extent {
            span,
            declared: range.is_some(),
            stretched,
            categories: categories(regions, domain),
            leaves_before: leaves.map(before_each),
        }
    }

    /// Few rows would have made the range much wider and were left out.
    pub fn is_stretched(&self) -> bool {
        self.stretched
    }

    /// What both have, so that two releases are measured against the same.
    pub fn joined(&self, other: &Extent) -> Extent {
        let span = match (self.span, other.span) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        Extent {
            span,
            declared: self.declared && other.declared,
            stretched: self.stretched || other.stretched,
            categories: self.categories.union(&other.categories).copied().collect(),
            leaves_before: None,
        }
    }

    /// Normalised certainty penalty of a region: 0 for one value, 1 for anything.
    ///
    /// A numeric interval loses its width over the width of the range; a node the share
    /// of leaves under it, 0 when it is one leaf; a set of c of D categories loses
    /// (c − 1)/(D − 1), which for a run of codes is its width.
    pub fn ncp(&self, region: &Region, tree: Option<&Hierarchy>) -> f64 {
        match (region, tree) {
            (Region::Node(level, node), Some(tree)) => match self.leaves(tree, *level, *node) {
                (..=1, _) => 0.0,
                (under, all) => f64::from(under) / f64::from(all),
            },
            _ => self.loss(region, tree),
        }
    }

    /// The share of other values that a region leaves open: as [`Extent::ncp`], and
    /// (c − 1)/(D − 1) also for a node over c of D leaves.
    pub fn loss(&self, region: &Region, tree: Option<&Hierarchy>) -> f64 {
        match (region, tree) {
            (Region::Missing, _) => 0.0,
            (Region::Any, _) | (Region::Node(..), None) => 1.0,
            (Region::Interval(low, high), _) => match self.span {
                _ if low == high => 0.0,
                // Nobody knows how far an open end reaches.
                _ if region.is_open() && !self.declared => 1.0,
                Some((least, largest)) if largest > least => {
                    // An open end reaches as far as the policy says.
                    let low = if low.is_finite() {
                        *low
                    } else {
                        least.min(*high)
                    };
                    let high = if high.is_finite() {
                        *high
                    } else {
                        largest.max(low)
                    };
                    ((high - low) / (largest - least)).min(1.0)
                }
                _ => 1.0,
            },
            (Region::Set(codes), _) => others(codes.len(), self.categories.len()),
            (Region::Node(level, node), Some(tree)) => {
                let (under, all) = self.leaves(tree, *level, *node);
                others(under as usize, all as usize)
            }
        }
    }

    /// Leaves under a node and in the whole tree, as far as they count.
    fn leaves(&self, tree: &Hierarchy, level: usize, node: u32) -> (u32, u32) {
        let under = tree.leaves_under(level, node);
        match &self.leaves_before {
            None => (under.len() as u32, tree.leaf_count() as u32),
            Some(before) => {
                let at = |leaf: u32| before.get(leaf as usize).copied().unwrap_or(0);
                let all = before.last().copied().unwrap_or(0);
                (at(under.end).saturating_sub(at(under.start)), all)
            }
        }
    }
}

fn others(some: usize, all: usize) -> f64 {
    match all.saturating_sub(1) {
        0 => 0.0,
        others => (some.saturating_sub(1) as f64 / others as f64).min(1.0),
    }
}

fn before_each(counts: &[bool]) -> Vec<u32> {
    let mut before = vec![0];
    let mut sum = 0;
    before.extend(counts.iter().map(|&counts| {
        sum += u32::from(counts);
        sum
    }));
    before
}

/// A declared order is public as a whole; other categories are known when they are shown.
fn categories(regions: &[(Region, u64)], domain: &Domain) -> BTreeSet<u32> {
    match &domain.scale {
        Scale::Category {
            levels,
            ordered: true,
        } => (0..levels.len() as u32).collect(),
        _ => regions
            .iter()
            .filter_map(|(region, _)| match region {
                Region::Set(codes) => Some(codes),
                _ => None,
            })
            .flatten()
            .copied()
            .collect(),
    }
}

/// The hull of the intervals, and whether outermost rows were left out of it.
fn span(regions: &[(Region, u64)]) -> (Option<(f64, f64)>, bool) {
    let mut lows = Vec::new();
    let mut highs = Vec::new();
    for (region, rows) in regions {
        if let (Region::Interval(low, high), 1..) = (region, *rows) {
            // Both ends ascend outwards; an open one is nowhere.
            let end = |end: f64, other: f64| if end.is_finite() { end } else { other };
            lows.push((-end(*low, *high), *rows));
            highs.push((end(*high, *low), *rows));
        }
    }
    let (Some([low, inner_low]), Some([high, inner_high])) = (ends(lows), ends(highs)) else {
        return (None, false);
    };
    let (low, inner_low) = (-low, -inner_low);
    let stretches = |whole: f64, inner: f64| inner > 0.0 && whole > STRETCHED * inner;
    let (mut span, mut stretched) = ((low, high), false);
    if stretches(span.1 - span.0, inner_high - span.0) {
        (span.1, stretched) = (inner_high, true);
    }
    if stretches(span.1 - span.0, span.1 - inner_low) {
        (span.0, stretched) = (inner_low, true);
    }
    (Some(span), stretched)
}

/// The outermost value, and that without the outermost rows.
fn ends(mut values: Vec<(f64, u64)>) -> Option<[f64; 2]> {
    values.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let rows: u64 = values.iter().map(|(_, rows)| rows).sum();
    let spared = (rows as f64 * OUTERMOST) as u64;
    let mut passed = 0;
    let inner = values.iter().find(|(_, rows)| {
        passed += rows;
        passed > spared
    });
    Some([values.first()?.0, inner?.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn numbers() -> Domain {
        let scale = Scale::Number {
            low: -1e9,
            high: 1e9,
            date: None,
        };
        Domain {
            scale,
            hierarchy: None,
        }
    }

    fn of(regions: &[(Region, u64)], range: Option<(f64, f64)>) -> Extent {
        Extent::new(regions, &numbers(), range, None)
    }

    #[test]
    fn an_open_end_reaches_as_far_as_the_policy_says_or_loses_all() {
        let shown = [
            (Region::Interval(20.0, 29.0), 40),
            (Region::Interval(40.0, f64::INFINITY), 60),
            (Region::Interval(f64::NEG_INFINITY, 10.0), 60),
        ];
        let declared = of(&shown, Some((0.0, 120.0)));
        for (region, ncp) in [(&shown[1].0, 80.0 / 120.0), (&shown[2].0, 10.0 / 120.0)] {
            assert_eq!(declared.ncp(region, None), ncp);
        }
        // Without a declared range nobody knows how far.
        let undeclared = of(&shown, None);
        for (region, _) in &shown[1..] {
            assert_eq!(undeclared.ncp(region, None), 1.0);
            assert_eq!(undeclared.loss(region, None), 1.0);
        }
        assert_eq!(undeclared.ncp(&shown[0].0, None), 9.0 / 30.0);
    }

    #[test]
    fn numbers_are_measured_against_what_the_release_shows() {
        let shown = of(
            &[
                (Region::Interval(20.0, 29.0), 40),
                (Region::Interval(30.0, 60.0), 60),
                (Region::Any, 5),
            ],
            None,
        );
        for (region, expected) in [
            (Region::Interval(20.0, 30.0), 0.25),
            (Region::Interval(25.0, 25.0), 0.0),
            (Region::Interval(0.0, 100.0), 1.0),
            (Region::Any, 1.0),
            (Region::Missing, 0.0),
        ] {
            assert_eq!(shown.ncp(&region, None), expected, "{region:?}");
            assert_eq!(shown.loss(&region, None), expected, "{region:?}");
        }
    }

    #[test]
    fn a_declared_range_does_not_depend_on_the_rows() {
        let shown = of(&[(Region::Interval(20.0, 500.0), 9)], Some((0.0, 120.0)));
        assert_eq!(shown.ncp(&Region::Interval(30.0, 60.0), None), 0.25);
        assert_eq!(shown.ncp(&Region::Interval(20.0, 500.0), None), 1.0);
        assert!(!shown.is_stretched());
    }

    #[test]
    fn few_absurd_rows_do_not_make_all_others_look_narrow() {
        let usual = [
            (Region::Interval(20.0, 40.0), 95),
            (Region::Interval(40.0, 100.0), 96),
        ];
        for (absurd, rows, span, stretched) in [
            (Region::Interval(60.0, 1e6), 9, (20.0, 100.0), true),
            (Region::Interval(-1e6, 40.0), 9, (20.0, 100.0), true),
            // So many rows are no accident, and so little more is no stretch.
            (Region::Interval(60.0, 1e6), 19, (20.0, 1e6), false),
            (Region::Interval(60.0, 400.0), 9, (20.0, 400.0), false),
        ] {
            let mut regions = usual.to_vec();
            regions.push((absurd.clone(), rows));
            let found = of(&regions, None);
            assert_eq!(found.span, Some(span), "{absurd:?} of {rows} rows");
            assert_eq!(found.is_stretched(), stretched, "{absurd:?}");
        }
    }

    #[test]
    fn categories_are_those_that_the_release_names() {
        let domain = |ordered| Domain {
            scale: Scale::Category {
                levels: Arc::new(["a", "b", "c", "d", "e"].iter().collect()),
                ordered,
            },
            hierarchy: None,
        };
        let regions = [(Region::Set(vec![0, 1]), 3), (Region::Set(vec![3]), 3)];
        for (ordered, expected) in [(false, 0.5), (true, 0.25)] {
            let found = Extent::new(&regions, &domain(ordered), None, None);
            assert_eq!(found.ncp(&Region::Set(vec![0, 1]), None), expected);
        }
    }

    #[test]
    fn a_node_is_measured_by_the_leaves_that_count() {
        let chains = [["a", "x"], ["b", "x"], ["c", "y"], ["d", "y"]].map(|c| c.to_vec());
        let tree = Hierarchy::from_chains(&chains).expect("a tree");
        let node = |label: &str| {
            let (level, node) = tree.find(label).expect("a node");
            Region::Node(level, node)
        };
        let all = Extent::new(&[], &numbers(), None, None);
        assert_eq!(all.ncp(&node("x"), Some(&tree)), 0.5);
        assert_eq!(all.loss(&node("x"), Some(&tree)), 1.0 / 3.0);
        let some = Extent::new(&[], &numbers(), None, Some(&[true, true, true, false]));
        assert_eq!(some.ncp(&node("x"), Some(&tree)), 2.0 / 3.0);
        assert_eq!(some.loss(&node("x"), Some(&tree)), 0.5);
        assert_eq!(some.ncp(&node("y"), Some(&tree)), 0.0);
        assert_eq!(some.ncp(&node("a"), Some(&tree)), 0.0);
    }

    #[test]
    fn two_releases_are_measured_against_what_both_show() {
        let one = of(&[(Region::Interval(0.0, 10.0), 5)], None);
        let other = of(&[(Region::Interval(5.0, 40.0), 5)], None);
        assert_eq!(one.joined(&other).span, Some((0.0, 40.0)));
        assert_eq!(one.joined(&of(&[], None)), one);
    }
}
