//! What ensembles have in common: votes brought to one measure, and weights drawn by lot.

use super::poisson::poisson;
use crate::math::java_random::JavaRandom;

/// Adds to `sums` the share that each class has of `votes`, times `weight`. Without
/// votes nothing is added; infinite votes share all of it.
pub(super) fn add_shares(votes: &[f64], weight: f64, sums: &mut [f64]) {
    let total: f64 = votes.iter().sum();
    if total.is_infinite() {
        let infinite = votes.iter().filter(|vote| vote.is_infinite()).count();
        let classes = sums.iter_mut().zip(votes);
        for (sum, _) in classes.filter(|(_, vote)| vote.is_infinite()) {
            *sum += weight / infinite.max(1) as f64;
        }
    } else if total > 0.0 {
        for (sum, vote) in sums.iter_mut().zip(votes) {
            *sum += vote / total * weight;
        }
    }
}

/// Replaces `votes` by the sum of the votes of several learners, in their order.
pub(super) fn add_up(all: Vec<Vec<f64>>, length: usize, votes: &mut Vec<f64>) {
    votes.clear();
    votes.resize(length, 0.0);
    for sums in all {
        for (vote, sum) in votes.iter_mut().zip(sums) {
            *vote += sum;
        }
    }
}

/// Replaces `draws` by how often each of the learners learns each record: Poisson(λ)
/// times, and never one whose class is not known.
pub(super) fn draw_weights(
    learners: usize,
    lambda: f64,
    known: impl Iterator<Item = bool>,
    random: &mut JavaRandom,
    draws: &mut Vec<u32>,
) {
    draws.clear();
    for known in known {
        match known {
            true => draws.extend((0..learners).map(|_| poisson(lambda, random))),
            false => draws.resize(draws.len() + learners, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_the_weight() {
        let check = |votes: [f64; 3], expected: [f64; 3]| {
            let mut sums = [1.0; 3];
            add_shares(&votes, 4.0, &mut sums);
            assert_eq!(sums.map(|sum| sum - 1.0), expected, "{votes:?}");
        };
        check([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
        check([1.0, 0.0, 3.0], [1.0, 0.0, 3.0]);
        check([1e-320, 0.0, 1e-320], [2.0, 0.0, 2.0]);
        check([1.0, f64::INFINITY, 3.0], [0.0, 4.0, 0.0]);
        check([f64::INFINITY, f64::INFINITY, 0.0], [2.0, 2.0, 0.0]);
        check([f64::MAX, f64::MAX, 0.0], [0.0, 0.0, 0.0]);
    }
}
