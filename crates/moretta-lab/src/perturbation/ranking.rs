//! Which methods are better over all streams.

use super::attacks::{Attacker, EPSILONS, Known};
use super::method::methods;
use super::results::SetResult;
use crate::statistics::{Friedman, average_ranks, critical_difference};

/// How probable it may be that methods that do not differ are called different.
pub(super) const ALPHA: f64 = 0.05;

/// Ranks of the methods by their magnitude: the least is the best.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ranking {
    pub(super) known: Known,
    pub(super) epsilon: f64,
    pub(super) attacker: Attacker,
    /// Average rank of each method, in the order of the tables.
    pub(super) ranks: Vec<f64>,
    /// None for a single stream.
    pub(super) friedman: Option<Friedman>,
    pub(super) critical_difference: f64,
}

/// A ranking for each kind of attacker and each ε.
pub(super) fn rankings(results: &[SetResult]) -> Vec<Ranking> {
    let difference = critical_difference(methods().len(), results.len().max(1), ALPHA);
    let mut rankings = Vec::new();
    for epsilon in EPSILONS {
        for known in Known::ALL {
            for attacker in Attacker::ALL {
                let magnitudes = |set: &SetResult| -> Vec<f64> {
                    let methods = set.methods.iter();
                    methods
                        .map(|method| method.magnitude(known, epsilon, attacker))
                        .collect()
                };
                let values: Vec<Vec<f64>> = results.iter().map(magnitudes).collect();
                let ranks = average_ranks(&values);
                rankings.push(Ranking {
                    known,
                    epsilon,
                    attacker,
                    friedman: Friedman::of(&ranks, results.len()),
                    ranks,
                    critical_difference: difference,
                });
            }
        }
    }
    rankings
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::small;
    use super::*;

    #[test]
    fn every_attacker_has_a_ranking_of_all_methods() {
        let rankings = rankings(&small());
        assert_eq!(rankings.len(), 12);
        for ranking in rankings {
            let sum: f64 = ranking.ranks.iter().sum();
            assert!((sum - 28.0).abs() < 1e-9, "{ranking:?}");
            assert!(ranking.friedman.is_some());
            // 2.949 · √(7 · 8 / (6 · 2))
            assert!((ranking.critical_difference - 6.370).abs() < 0.01);
        }
    }
}
