//! What a leaf, or naive Bayes, knows of the attributes in each class.
//!
//! Numbers are taken for normally distributed, nominal values are counted. Missing
//! values are passed over in learning and in predicting.

use super::gaussian::{Gaussian, is_observable};
use super::model::{Loaded, Reader, Saved, Writer, saved};
use super::split::{Split, Test};
use super::subspace::Subspace;
use crate::error::Result;
use std::sync::Arc;

/// Distributions of the attributes of a subspace, given the class.
#[derive(Clone, Debug)]
pub(super) struct Observers {
    subspace: Arc<Subspace>,
    classes: usize,
    /// Class by class, the numbers of the subspace.
    gaussians: Vec<Gaussian>,
    /// The nominal attributes of the subspace.
    counts: Vec<Counts>,
}

/// Counts of the values of one attribute.
#[derive(Clone, Debug)]
struct Counts {
    values: usize,
    /// Class by class.
    weights: Vec<f64>,
    /// Of each class, the weight of all values and the greatest code plus one.
    totals: Vec<(f64, usize)>,
}

saved!(
    struct Counts with size: (usize, usize) {
        weights[size.0 * size.1], totals[size.1];
        values: size.0
    } if |counts| counts.totals.iter().all(|total| total.1 <= counts.values),
    else "more values than its column"
);

/// All but the subspace.
impl Saved for Observers {
    fn save(&self, out: &mut Writer) {
        self.gaussians.save(out);
        self.counts.save(out);
    }
}

/// Those of a subspace and of so many classes.
impl Loaded<(Arc<Subspace>, usize)> for Observers {
    fn load(with: &(Arc<Subspace>, usize), from: &mut Reader<'_>) -> Result<Self> {
        let (subspace, classes) = with;
        let numbers = subspace.numbers.len() * classes;
        let gaussians = from.many(numbers, |from| Loaded::load(&(), from))?;
        let counts = subspace.nominals.iter();
        let counts = counts.map(|&(_, values)| Counts::load(&(values, *classes), from));
        Ok(Observers {
            classes: *classes,
            gaussians,
            counts: counts.collect::<Result<_>>()?,
            subspace: Arc::clone(subspace),
        })
    }
}

impl Observers {
    pub(super) fn new(subspace: Arc<Subspace>, classes: usize) -> Self {
        let counts = |&(_, values): &(usize, usize)| Counts {
            values,
            weights: vec![0.0; values * classes],
            totals: vec![(0.0, 0); classes],
        };
        Observers {
            classes,
            gaussians: vec![Gaussian::EMPTY; subspace.numbers.len() * classes],
            counts: subspace.nominals.iter().map(counts).collect(),
            subspace,
        }
    }

    /// Takes a record of a class.
    #[inline]
    pub(super) fn add(&mut self, record: &[f64], class: usize, weight: f64) {
        let numbers = &self.subspace.numbers;
        let gaussians = &mut self.gaussians[class * numbers.len()..][..numbers.len()];
        for (gaussian, &place) in gaussians.iter_mut().zip(numbers) {
            let value = record[place];
            if is_observable(value) {
                gaussian.add(value, weight);
            }
        }
        for (counts, &(place, _)) in self.counts.iter_mut().zip(&self.subspace.nominals) {
            counts.add(record[place], class, weight);
        }
    }

    /// Appends the vote of each class: its prior weight times the densities of what the
    /// record holds.
    #[inline]
    pub(super) fn votes(&self, record: &[f64], prior: &[f64], votes: &mut Vec<f64>) {
        let total: f64 = prior.iter().sum();
        votes.clear();
        for (class, &weight) in prior.iter().enumerate() {
            votes.push(match weight > 0.0 {
                true => weight / total * self.density(record, class),
                false => 0.0,
            });
        }
    }

    #[inline]
    fn density(&self, record: &[f64], class: usize) -> f64 {
        let numbers = &self.subspace.numbers;
        let gaussians = &self.gaussians[class * numbers.len()..][..numbers.len()];
        let (mut height, mut exponent) = (1.0, 0.0);
        for (gaussian, &place) in gaussians.iter().zip(numbers) {
            let value = record[place];
            if is_observable(value) {
                height *= gaussian.height();
                exponent += gaussian.exponent(value);
            }
        }
        for (counts, &(place, _)) in self.counts.iter().zip(&self.subspace.nominals) {
            height *= counts.probability(record[place], class);
        }
        match self.gaussians.is_empty() {
            true => height,
            // Off a peak of infinite height it is 0 and not ∞ · 0.
            false => (height * (-exponent).exp()).max(0.0),
        }
    }

    /// Shows each possible split and its branches, class weights one branch after the
    /// other: numbers at `points` thresholds between their extremes, nominal values
    /// each apart and, unless only two branches are wanted, all at once.
    pub(super) fn splits(
        &self,
        points: u32,
        binary: bool,
        branches: &mut Vec<f64>,
        mut show: impl FnMut(&Split, &[f64]),
    ) {
        for (slot, &place) in self.subspace.numbers.iter().enumerate() {
            let (least, greatest) = self.range(slot);
            let step = (greatest - least) / (f64::from(points) + 1.0);
            for point in 1..=points {
                let threshold = least + step * f64::from(point);
                if threshold > least && threshold < greatest {
                    let split = Split::new(place, Test::AtMost(threshold));
                    self.divide(slot, threshold, branches);
                    show(&split, branches);
                }
            }
        }
        for (slot, &(place, _)) in self.subspace.nominals.iter().enumerate() {
            let counts = &self.counts[slot];
            let seen = counts.seen();
            let each = (0..seen).map(|code| Test::Equals(code as u32));
            let all = (!binary && seen > 0).then_some(Test::Each(counts.values as u32));
            for test in all.into_iter().chain(each) {
                counts.divide(test, self.classes, branches);
                show(&Split::new(place, test), branches);
            }
        }
    }

    /// The first split of the last nominal attribute of the record that has shown a value.
    pub(super) fn last_nominal_split(&self, binary: bool) -> Option<Split> {
        let nominals = self.subspace.nominals.iter().zip(&self.counts);
        let seen = nominals.filter(|(_, counts)| counts.seen() > 0);
        let (&(place, values), _) = seen.max_by_key(|((place, _), _)| *place)?;
        let test = match binary {
            true => Test::Equals(0),
            false => Test::Each(values as u32),
        };
        Some(Split::new(place, test))
    }

    /// The class weights in the branches of a split, one branch after the other.
    pub(super) fn branches(&self, split: &Split) -> Vec<f64> {
        let mut branches = Vec::new();
        match split.test {
            Test::AtMost(threshold) => {
                let slot = |&place: &usize| place == split.attribute;
                if let Some(slot) = self.subspace.numbers.iter().position(slot) {
                    self.divide(slot, threshold, &mut branches);
                }
            }
            test => {
                let slot = |&(place, _): &(usize, usize)| place == split.attribute;
                if let Some(slot) = self.subspace.nominals.iter().position(slot) {
                    self.counts[slot].divide(test, self.classes, &mut branches);
                }
            }
        }
        branches
    }

    fn of_number(&self, slot: usize) -> impl Iterator<Item = &Gaussian> {
        let numbers = self.subspace.numbers.len();
        self.gaussians.iter().skip(slot).step_by(numbers.max(1))
    }

    fn range(&self, slot: usize) -> (f64, f64) {
        let extremes = (f64::INFINITY, f64::NEG_INFINITY);
        self.of_number(slot)
            .fold(extremes, |(least, greatest), gaussian| {
                let (low, high) = gaussian.range();
                (least.min(low), greatest.max(high))
            })
    }

    fn divide(&self, slot: usize, threshold: f64, branches: &mut Vec<f64>) {
        branches.clear();
        branches.resize(2 * self.classes, 0.0);
        let (low, high) = branches.split_at_mut(self.classes);
        for (class, gaussian) in self.of_number(slot).enumerate() {
            if gaussian.weight() > 0.0 {
                (low[class], high[class]) = gaussian.divide(threshold);
            }
        }
    }

    /// Bytes on the heap, without the subspace.
    pub(super) fn memory(&self) -> usize {
        let counts = |counts: &Counts| {
            size_of::<Counts>()
                + counts.weights.capacity() * size_of::<f64>()
                + counts.totals.capacity() * size_of::<(f64, usize)>()
        };
        self.gaussians.capacity() * size_of::<Gaussian>()
            + self.counts.iter().map(counts).sum::<usize>()
    }

    /// Bytes that those of a subspace will have on the heap.
    pub(super) fn memory_of(subspace: &Subspace, classes: usize) -> usize {
        let counts = |&(_, values): &(usize, usize)| {
            size_of::<Counts>() + classes * (values * size_of::<f64>() + size_of::<(f64, usize)>())
        };
        subspace.numbers.len() * classes * size_of::<Gaussian>()
            + subspace.nominals.iter().map(counts).sum::<usize>()
    }

    /// The subspace that is observed.
    pub(super) fn subspace(&self) -> &Arc<Subspace> {
        &self.subspace
    }
}

impl Counts {
    fn code(&self, value: f64) -> Option<usize> {
        (value >= 0.0 && value < self.values as f64).then_some(value as usize)
    }

    fn add(&mut self, value: f64, class: usize, weight: f64) {
        if let Some(code) = self.code(value) {
            self.weights[class * self.values + code] += weight;
            let (total, seen) = &mut self.totals[class];
            *total += weight;
            *seen = (*seen).max(code + 1);
        }
    }

    /// Laplace's estimate over the codes that the class has shown; 1 if the value is
    /// missing, 0 if the class has shown none.
    fn probability(&self, value: f64, class: usize) -> f64 {
        let Some(code) = self.code(value) else {
            return 1.0;
        };
        let (total, seen) = self.totals[class];
        match seen {
            0 => 0.0,
            _ => (self.weights[class * self.values + code] + 1.0) / (total + seen as f64),
        }
    }

    fn seen(&self) -> usize {
        self.totals.iter().map(|total| total.1).max().unwrap_or(0)
    }

    fn divide(&self, test: Test, classes: usize, branches: &mut Vec<f64>) {
        branches.clear();
        branches.resize(test.branches() * classes, 0.0);
        for class in 0..classes {
            let weights = &self.weights[class * self.values..][..self.totals[class].1];
            for (code, &weight) in weights.iter().enumerate() {
                if let Some(branch) = test.branch(code as f64) {
                    branches[branch * classes + class] += weight;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Header, Input};
    use super::*;

    fn observers(inputs: &[Input], records: &[(&[f64], usize)]) -> Observers {
        let header = Header::new(inputs.to_vec(), 2).expect("small");
        let mut observers = Observers::new(Subspace::whole(&header), 2);
        for &(record, class) in records {
            observers.add(record, class, 1.0);
        }
        observers
    }

    const NOMINAL: Input = Input::Nominal { values: 4 };

    #[test]
    fn votes_are_priors_times_laplace_estimates() {
        let observers = observers(&[NOMINAL], &[(&[0.0], 0), (&[1.0], 0), (&[1.0], 1)]);
        let check = |value: f64, expected: [f64; 2]| {
            let mut votes = Vec::new();
            observers.votes(&[value], &[2.0, 1.0], &mut votes);
            for (vote, expected) in votes.iter().zip(expected) {
                assert!((vote - expected).abs() < 1e-12, "{value}: {votes:?}");
            }
        };
        check(0.0, [2.0 / 3.0 * 2.0 / 4.0, 1.0 / 3.0 * 1.0 / 3.0]);
        check(1.0, [2.0 / 3.0 * 2.0 / 4.0, 1.0 / 3.0 * 2.0 / 3.0]);
        for missing in [f64::NAN, -1.0, 4.0, f64::INFINITY] {
            check(missing, [2.0 / 3.0, 1.0 / 3.0]);
        }
    }

    #[test]
    fn off_a_peak_without_width_the_density_is_0() {
        let records: [(&[f64], usize); 3] = [(&[0.0], 1), (&[-3.5e-156], 1), (&[9.0], 0)];
        let observers = observers(&[Input::Number], &records);
        let mut votes = Vec::new();
        observers.votes(&[9.0], &[1.0, 2.0], &mut votes);
        assert!(votes[0] > 0.0 && votes[1] == 0.0, "{votes:?}");
    }

    #[test]
    fn missing_numbers_say_nothing() {
        let inputs = [Input::Number, Input::Number];
        let full: [(&[f64], usize); 4] = [
            (&[1.0, f64::NAN], 0),
            (&[2.0, 5.0], 0),
            (&[4.0, 6.0], 1),
            (&[f64::INFINITY, 7.0], 1),
        ];
        let observers = observers(&inputs, &full);
        let mut votes = Vec::new();
        observers.votes(&[f64::NAN, f64::NAN], &[2.0, 2.0], &mut votes);
        assert_eq!(votes, [0.5, 0.5]);
        observers.votes(&[1.5, f64::NAN], &[2.0, 2.0], &mut votes);
        assert!(votes[0] > 0.0 && votes[1] == 0.0, "{votes:?}");
    }

    #[test]
    fn splits_are_shown_with_the_weights_of_their_branches() {
        let records: [(&[f64], usize); 4] = [
            (&[0.0, 0.0], 0),
            (&[1.0, 0.0], 0),
            (&[10.0, 2.0], 1),
            (&[11.0, 2.0], 1),
        ];
        let observers = observers(&[Input::Number, NOMINAL], &records);
        let (mut numeric, mut nominal) = (0, Vec::new());
        observers.splits(10, false, &mut Vec::new(), |split, branches| {
            assert_eq!(observers.branches(split), branches);
            assert!((branches.iter().sum::<f64>() - 4.0).abs() < 1e-9);
            match split.test {
                Test::AtMost(_) => numeric += 1,
                test => nominal.push((test, branches.to_vec())),
            }
        });
        assert_eq!(numeric, 10);
        let expected = [
            (Test::Each(4), vec![2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0]),
            (Test::Equals(0), vec![2.0, 0.0, 0.0, 2.0]),
            (Test::Equals(1), vec![0.0, 0.0, 2.0, 2.0]),
            (Test::Equals(2), vec![0.0, 2.0, 2.0, 0.0]),
        ];
        assert_eq!(nominal, expected);
    }
}
