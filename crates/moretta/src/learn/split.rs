//! Splits of a leaf: tests of one attribute, and how much they would tell about the class.

use super::model::{Loaded, Reader, Saved, Writer, odd, saved};
use super::{Header, Input};
use crate::error::Result;
use std::ops::Range;

/// How the worth of a split is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// Bits of information about the class.
    #[default]
    InformationGain,
    /// How much likelier two records of a branch are of one class.
    Gini,
}

saved!(enum Criterion { InformationGain, Gini } else "a criterion that there is not");

/// A branch with less of the weight than this does not count as one.
const LEAST_BRANCH: f64 = 0.01;

impl Criterion {
    /// What is gained by going from `before`, weights of classes, to branches, weights
    /// of classes one branch after the other. Without two branches of some weight
    /// nothing is, which is said by negative infinity.
    pub(super) fn merit(self, before: &[f64], branches: &[f64]) -> f64 {
        let total: f64 = branches.iter().sum();
        let (mut impurity, mut heavy) = (0.0, 0);
        for branch in branches.chunks_exact(before.len()) {
            let weight: f64 = branch.iter().sum();
            heavy += usize::from(weight > LEAST_BRANCH * total);
            impurity += self.weighted_impurity(branch, weight);
        }
        if heavy < 2 {
            return f64::NEG_INFINITY;
        }
        let weight = before.iter().sum();
        self.weighted_impurity(before, weight) / weight - impurity / total
    }

    /// The impurity of a distribution, times its weight.
    fn weighted_impurity(self, classes: &[f64], weight: f64) -> f64 {
        if weight <= 0.0 {
            return 0.0;
        }
        let sum = |term: fn(f64) -> f64| classes.iter().map(|&class| term(class)).sum::<f64>();
        match self {
            Criterion::InformationGain => times_its_logarithm(weight) - sum(times_its_logarithm),
            Criterion::Gini => weight - sum(|class| class * class) / weight,
        }
    }

    /// The greatest merit that a split of so many classes can have.
    pub(super) fn range(self, classes: usize) -> f64 {
        match self {
            Criterion::InformationGain => (classes.max(2) as f64).log2(),
            Criterion::Gini => 1.0,
        }
    }
}

fn times_its_logarithm(weight: f64) -> f64 {
    match weight > 0.0 {
        true => weight * weight.log2(),
        false => 0.0,
    }
}

/// A test of one attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    pub(super) attribute: usize,
    pub(super) test: Test,
}

/// What is asked of the attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Test {
    /// Branch 0 if at most this number, else 1.
    AtMost(f64),
    /// Branch 0 if this code, else 1.
    Equals(u32),
    /// A branch for each code below this.
    Each(u32),
}

impl Split {
    pub(super) fn new(attribute: usize, test: Test) -> Self {
        Split { attribute, test }
    }

    /// The branch of a record, if it has a value that the test knows.
    #[inline]
    pub(super) fn branch(&self, record: &[f64]) -> Option<usize> {
        self.test.branch(record[self.attribute])
    }
}

/// A split in a tree, whose children lie side by side behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fork {
    pub(super) split: Split,
    /// The place of the first child.
    pub(super) first: usize,
    /// The branch of records whose value is missing.
    pub(super) heaviest: usize,
}

impl Fork {
    /// The place of the child that a record goes to.
    #[inline]
    pub(super) fn child(&self, record: &[f64]) -> usize {
        self.first + self.split.branch(record).unwrap_or(self.heaviest)
    }

    /// The places of all children.
    pub(super) fn children(&self) -> Range<usize> {
        self.first..self.first + self.split.test.branches()
    }
}

// Whether there are children at these places is for `check_shape` to say.
saved!(
    struct Fork with header: Header { split, first, heaviest }
    if |fork| fork.heaviest < fork.split.test.branches(), else "a branch that its split does not have"
);

impl Saved for Split {
    fn save(&self, out: &mut Writer) {
        out.size(self.attribute);
        self.test.save(out);
    }
}

/// Fails unless the test suits its attribute.
impl Loaded<Header> for Split {
    fn load(header: &Header, from: &mut Reader<'_>) -> Result<Self> {
        let attribute = from.size()?;
        let input = header.attributes().get(attribute);
        let input = input.ok_or_else(|| odd("a split of a column that there is not"))?;
        Ok(Split::new(attribute, Test::load(*input, from)?))
    }
}

/// Fails unless so many nodes are one tree: each but the first is the child of one fork,
/// which lies before it. So every way down ends, and is no longer than the tree.
pub(super) fn check_shape<'a>(
    nodes: usize,
    forks: impl Iterator<Item = (usize, &'a Fork)>,
) -> Result<()> {
    if nodes == 0 {
        return Err(odd("a tree without a root"));
    }
    let mut parents = vec![0_u8; nodes];
    for (place, fork) in forks {
        let end = fork.first.checked_add(fork.split.test.branches());
        if fork.first <= place || end.is_none_or(|end| end > nodes) {
            return Err(odd("a branch that leads nowhere"));
        }
        for child in fork.children() {
            parents[child] = parents[child].saturating_add(1);
        }
    }
    match parents.iter().skip(1).all(|&parents| parents == 1) {
        true => Ok(()),
        false => Err(odd("branches that are not one tree")),
    }
}

impl Test {
    fn save(self, out: &mut Writer) {
        let (kind, bits) = match self {
            Test::AtMost(threshold) => (0, threshold.to_bits()),
            Test::Equals(code) => (1, u64::from(code)),
            Test::Each(codes) => (2, u64::from(codes)),
        };
        out.byte(kind);
        out.u64(bits);
    }

    fn load(input: Input, from: &mut Reader<'_>) -> Result<Self> {
        let (kind, bits) = (from.byte()?, from.u64()?);
        let threshold = f64::from_bits(bits);
        match (kind, input) {
            (0, Input::Number) if threshold.is_finite() => Ok(Test::AtMost(threshold)),
            (1, Input::Nominal { values }) if bits < values as u64 => Ok(Test::Equals(bits as u32)),
            (2, Input::Nominal { values }) if bits == values as u64 && bits > 0 => {
                Ok(Test::Each(bits as u32))
            }
            _ => Err(odd("a test that does not suit its column")),
        }
    }

    pub(super) fn branches(self) -> usize {
        match self {
            Test::AtMost(_) | Test::Equals(_) => 2,
            Test::Each(codes) => codes as usize,
        }
    }

    #[inline]
    pub(super) fn branch(self, value: f64) -> Option<usize> {
        match self {
            _ if value.is_nan() => None,
            Test::AtMost(threshold) => Some(usize::from(value > threshold)),
            Test::Equals(code) => Some(usize::from(value != f64::from(code))),
            Test::Each(codes) => {
                (value >= 0.0 && value < f64::from(codes)).then_some(value as usize)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merits_are_those_computed_by_hand() {
        let check = |criterion: Criterion, before: &[f64], branches: &[f64], expected: f64| {
            let merit = criterion.merit(before, branches);
            let close = merit == expected || (merit - expected).abs() < 1e-12;
            assert!(close, "{criterion:?} {branches:?}: {merit}");
        };
        let (gain, gini) = (Criterion::InformationGain, Criterion::Gini);
        check(gain, &[4.0, 4.0], &[4.0, 0.0, 0.0, 4.0], 1.0);
        check(gain, &[4.0, 4.0], &[2.0, 2.0, 2.0, 2.0], 0.0);
        check(gain, &[4.0, 4.0], &[4.0, 4.0, 0.0, 0.0], f64::NEG_INFINITY);
        check(gini, &[4.0, 4.0], &[4.0, 0.0, 0.0, 4.0], 0.5);
        check(gini, &[4.0, 4.0], &[2.0, 2.0, 2.0, 2.0], 0.0);
        check(gini, &[3.0, 1.0], &[3.0, 0.0, 0.0, 1.0], 0.375);
        check(gain, &[1.0, 1.0, 2.0], &[1.0, 1.0, 0.0, 0.0, 0.0, 2.0], 1.0);
    }

    #[test]
    fn nodes_that_are_not_one_tree_are_refused() {
        let check = |nodes: usize, forks: &[(usize, usize)], sound: bool| {
            let forks: Vec<(usize, Fork)> = forks
                .iter()
                .map(|&(place, first)| {
                    let split = Split::new(0, Test::AtMost(1.0));
                    let fork = Fork {
                        split,
                        first,
                        heaviest: 0,
                    };
                    (place, fork)
                })
                .collect();
            let found = check_shape(nodes, forks.iter().map(|(place, fork)| (*place, fork)));
            assert_eq!(found.is_ok(), sound, "{nodes} {forks:?}");
        };
        check(0, &[], false);
        check(1, &[], true);
        check(2, &[], false);
        check(3, &[(0, 1)], true);
        check(5, &[(0, 1), (2, 3)], true);
        check(5, &[(0, 3), (3, 1)], false);
        check(4, &[(0, 1), (1, 2)], false);
        check(3, &[(0, 0)], false);
        check(3, &[(0, 2)], false);
        check(3, &[(0, usize::MAX)], false);
        check(4, &[(0, 1)], false);
    }

    #[test]
    fn records_take_the_branch_of_their_value() {
        let check = |test: Test, value: f64, expected: Option<usize>| {
            assert_eq!(Split::new(1, test).branch(&[9.0, value]), expected);
        };
        check(Test::AtMost(2.0), 2.0, Some(0));
        check(Test::AtMost(2.0), 2.1, Some(1));
        check(Test::AtMost(2.0), f64::NAN, None);
        check(Test::Equals(3), 3.0, Some(0));
        check(Test::Equals(3), 1.0, Some(1));
        check(Test::Each(3), 2.0, Some(2));
        check(Test::Each(3), 3.0, None);
        check(Test::Each(3), -1.0, None);
        check(Test::Each(3), f64::NAN, None);
    }
}
