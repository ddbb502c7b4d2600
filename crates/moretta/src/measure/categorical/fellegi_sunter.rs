//! The model of Fellegi and Sunter: how likely two records that belong together agree in each
//! attribute, and two that do not.
//!
//! `m` is the chance that a pair of the same person agrees in an attribute, `u` that of a pair of
//! two persons. The weight of a pair is the sum over attributes of `log2(m / u)` where they agree and
//! `log2((1 - m) / (1 - u))` where not. The chances are estimated by EM from how often each pattern
//! of agreement occurs among all pairs, without knowing which belong together.

use super::em;
use std::cmp::Ordering;

/// How the chances are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkageMode {
    /// By EM, and with them the share of pairs that belong together.
    Em,
    /// By EM, where one pair of n belongs together, as many as there are.
    #[default]
    EmFixedPi,
    /// From the pairs themselves, as only the protector can: the worst case.
    Supervised,
}

/// Chances of agreement.
#[derive(Clone, Debug, PartialEq)]
pub struct FellegiSunter {
    /// Of two records that belong together, by attribute.
    pub m: Vec<f64>,
    /// Of two that do not.
    pub u: Vec<f64>,
    /// The share of pairs that belong together.
    pub pi: f64,
}

/// Rounds of EM at most.
const ROUNDS: usize = 50;

/// Chances stay this far from 0 and 1, so that weights are finite.
const LEAST: f64 = 1e-6;

impl FellegiSunter {
    /// Where EM starts.
    pub fn start(width: usize, pi: f64) -> Self {
        FellegiSunter {
            m: vec![0.9; width],
            u: vec![0.1; width],
            pi: bounded(pi),
        }
    }

    /// The chances that the protector sees: in how many of `matched` true pairs each attribute
    /// agrees, and in how many of `others`.
    pub fn supervised(agreed: &[f64], matched: f64, agreed_others: &[f64], others: f64) -> Self {
        let chances = |agreed: &[f64], of: f64| agreed.iter().map(|a| bounded(a / of)).collect();
        FellegiSunter {
            m: chances(agreed, matched),
            u: chances(agreed_others, others),
            pi: bounded(matched / (matched + others)),
        }
    }

    /// Estimates the chances from patterns and how often each occurs; a pattern has a bit for each
    /// attribute, 1 where both records agree.
    #[must_use]
    pub fn estimated(self, patterns: &[(u64, f64)], fixed_pi: bool) -> Self {
        self.improved(patterns, fixed_pi, ROUNDS)
    }

    /// At most so many rounds of EM.
    pub(super) fn improved(
        mut self,
        patterns: &[(u64, f64)],
        fixed_pi: bool,
        rounds: usize,
    ) -> Self {
        if patterns.iter().all(|(_, count)| *count <= 0.0) {
            return self;
        }
        match self.m.len() {
            1 => em::few::<1, 2>(&mut self, patterns, fixed_pi, rounds),
            2 => em::few::<2, 4>(&mut self, patterns, fixed_pi, rounds),
            3 => em::few::<3, 8>(&mut self, patterns, fixed_pi, rounds),
            4 => em::few::<4, 16>(&mut self, patterns, fixed_pi, rounds),
            5 => em::few::<5, 32>(&mut self, patterns, fixed_pi, rounds),
            6 => em::few::<6, 64>(&mut self, patterns, fixed_pi, rounds),
            _ => em::many(&mut self, patterns, fixed_pi, rounds),
        }
        self
    }

    /// How much a pattern speaks for two records belonging together, in bits.
    pub fn weight(&self, pattern: u64) -> f64 {
        let chances = self.m.iter().zip(&self.u).enumerate();
        let weights = chances.map(|(bit, (m, u))| {
            if pattern >> bit & 1 == 1 {
                (m / u).log2()
            } else {
                ((1.0 - m) / (1.0 - u)).log2()
            }
        });
        weights.sum()
    }

    /// The logarithm of how likely the patterns are.
    pub fn log_likelihood(&self, patterns: &[(u64, f64)]) -> f64 {
        let likelihood = |&(pattern, count): &(u64, f64)| {
            let [m, u] = [&self.m, &self.u].map(|chances| chance(chances, pattern));
            count * (self.pi * m + (1.0 - self.pi) * u).ln()
        };
        patterns.iter().map(likelihood).sum()
    }

    /// The weights from which on pairs are links, and up to which they are none, of some patterns:
    /// so that pairs that do not belong together are links with a chance of at most `alpha`, and
    /// those that do are none with at most `beta`. Pairs in between are for a clerk.
    pub fn thresholds(
        &self,
        patterns: impl Iterator<Item = u64>,
        alpha: f64,
        beta: f64,
    ) -> (Option<f64>, Option<f64>) {
        let mut weighed: Vec<(f64, u64)> = patterns.map(|one| (self.weight(one), one)).collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let within =
            |chances: &[f64], most: f64, patterns: &mut dyn Iterator<Item = &(f64, u64)>| {
                let mut sum = 0.0;
                let allowed = patterns.take_while(|(_, pattern)| {
                    sum += chance(chances, *pattern);
                    sum <= most
                });
                allowed.last().map(|(weight, _)| *weight)
            };
        let links = within(&self.u, alpha, &mut weighed.iter());
        let no_links = within(&self.m, beta, &mut weighed.iter().rev());
        (links, no_links)
    }

    /// The attributes of which pairs that belong together agree less often than others: agreement
    /// then counts against a match, and the estimate is not to be trusted.
    pub fn inverted(&self) -> impl Iterator<Item = usize> + '_ {
        let chances = self.m.iter().zip(&self.u).enumerate();
        chances.filter(|(_, (m, u))| m < u).map(|(place, _)| place)
    }

    /// The rank of each pattern by its weight, 0 for the largest; equal weights share one.
    pub(super) fn ranks(&self, patterns: &[u64], ranks: &mut Vec<u32>) {
        // What is equal may differ a little after rounds of EM.
        const EQUAL: f64 = 1e-6;
        let chances = self.m.iter().zip(&self.u);
        let of_bit = |(m, u): (&f64, &f64)| [((1.0 - m) / (1.0 - u)).log2(), (m / u).log2()];
        let weights: Vec<[f64; 2]> = chances.map(of_bit).collect();
        let weight = |pattern: u64| -> f64 {
            let bits = weights.iter().enumerate();
            bits.map(|(bit, weights)| weights[(pattern >> bit & 1) as usize])
                .sum()
        };
        let places = patterns.iter().enumerate();
        let mut weighed: Vec<(f64, usize)> = places
            .map(|(place, &pattern)| (weight(pattern), place))
            .collect();
        weighed.sort_unstable_by(|a, b| match b.0.total_cmp(&a.0) {
            Ordering::Equal => a.1.cmp(&b.1),
            order => order,
        });
        ranks.clear();
        ranks.resize(patterns.len(), 0);
        let (mut rank, mut first) = (0, f64::INFINITY);
        for (number, (weight, place)) in weighed.into_iter().enumerate() {
            if number == 0 {
                first = weight;
            } else if weight < first - EQUAL {
                rank += 1;
                first = weight;
            }
            ranks[place] = rank;
        }
    }
}

/// The chance of a pattern.
fn chance(chances: &[f64], pattern: u64) -> f64 {
    let bits = chances.iter().enumerate();
    let of_bit = |(bit, chance): (usize, &f64)| match pattern >> bit & 1 {
        1 => *chance,
        _ => 1.0 - chance,
    };
    bits.map(of_bit).product()
}

/// A chance that is neither 0 nor 1; the least where there is none.
pub(super) fn bounded(chance: f64) -> f64 {
    if chance > LEAST {
        chance.min(1.0 - LEAST)
    } else {
        LEAST
    }
}
