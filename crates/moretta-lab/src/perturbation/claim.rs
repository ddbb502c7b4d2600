//! The claim of the thesis, counted: does cumulative noise protect better than
//! independent noise of the same average size, and does it cost less?

use super::attacks::{Attacked, Attacker, Known};
use super::method::{Family, SIGMAS};
use super::results::{MethodResult, SetResult};

/// In how many pairs of a stream and a size of noise cumulative noise was …
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) better: usize,
    pub(super) equal: usize,
    pub(super) worse: usize,
}

impl Tally {
    /// Counts a pair of figures of which less is better.
    fn add(&mut self, cumulative: f64, independent: f64) {
        match cumulative.total_cmp(&independent) {
            std::cmp::Ordering::Less => self.better += 1,
            std::cmp::Ordering::Equal => self.equal += 1,
            std::cmp::Ordering::Greater => self.worse += 1,
        }
    }
}

/// Which sizes of noise are held against each other, cumulative first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// Each with its like.
    Same,
    /// The most cumulative noise with the least independent noise.
    MostWithLeast,
}

impl Sizes {
    pub(super) const ALL: [Sizes; 2] = [Sizes::Same, Sizes::MostWithLeast];

    fn pairs(self) -> Vec<(f64, f64)> {
        match self {
            Sizes::Same => SIGMAS.map(|sigma| (sigma, sigma)).to_vec(),
            Sizes::MostWithLeast => vec![(SIGMAS[SIGMAS.len() - 1], SIGMAS[0])],
        }
    }

    pub(super) fn words(self) -> String {
        match self {
            Sizes::Same => "of the same average size".to_owned(),
            Sizes::MostWithLeast => {
                let (cumulative, independent) = self.pairs()[0];
                format!("of {cumulative} against {independent}")
            }
        }
    }
}

/// Accuracy.
pub(super) fn accuracy(results: &[SetResult], sizes: Sizes) -> Tally {
    tally(results, sizes, |method| -method.learnt.accuracy)
}

/// The probability of a breach.
pub(super) fn breach(
    results: &[SetResult],
    sizes: Sizes,
    known: Known,
    epsilon: f64,
    attacker: Attacker,
) -> Tally {
    let breach = |attacked: &Attacked| attacked.breach(attacker, epsilon);
    tally(results, sizes, |method| breach(method.by(known)))
}

/// Both together.
pub(super) fn magnitude(
    results: &[SetResult],
    sizes: Sizes,
    known: Known,
    epsilon: f64,
    attacker: Attacker,
) -> Tally {
    tally(results, sizes, |method| {
        method.magnitude(known, epsilon, attacker)
    })
}

fn tally(results: &[SetResult], sizes: Sizes, figure: impl Fn(&MethodResult) -> f64) -> Tally {
    let mut tally = Tally::default();
    for set in results {
        let of = |family: Family, sigma: f64| {
            let mut methods = set.methods.iter();
            let found = methods.find(|m| m.method.family == family && m.method.sigma == sigma);
            found.map(&figure)
        };
        for (cumulative, independent) in sizes.pairs() {
            let cumulative = of(Family::Cumulative, cumulative);
            let independent = of(Family::Independent, independent);
            if let (Some(cumulative), Some(independent)) = (cumulative, independent) {
                tally.add(cumulative, independent);
            }
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::small;
    use super::*;

    #[test]
    fn every_pair_is_counted_once() {
        let mut results = small();
        for (sizes, pairs) in [(Sizes::Same, 6), (Sizes::MostWithLeast, 2)] {
            let check = |tally: Tally| {
                assert_eq!(tally.better + tally.equal + tally.worse, pairs, "{tally:?}");
            };
            check(accuracy(&results, sizes));
            check(breach(&results, sizes, Known::One, 0.1, Attacker::Ours));
            check(magnitude(&results, sizes, Known::Half, 0.2, Attacker::Ours));
        }
        for method in &mut results[0].methods {
            let cumulative = method.method.family == Family::Cumulative;
            method.learnt.accuracy = if cumulative { 0.9 } else { 0.8 };
        }
        assert!(accuracy(&results, Sizes::Same).better >= 3);
    }
}
