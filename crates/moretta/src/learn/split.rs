//! Splits of a leaf: tests of one attribute, and how much they would tell about the class.

/// How the worth of a split is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// Bits of information about the class.
    #[default]
    InformationGain,
    /// How much likelier two records of a branch are of one class.
    Gini,
}

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

impl Test {
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
