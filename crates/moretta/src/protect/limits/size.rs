//! How large classes must be: in the table, in the population, and on average.

use crate::guarantee::{Guarantee, KMap, Population, Presence};

/// The least number of persons that every class must have: by k, by the maximum risk, and by
/// k-map where the population is only known by its size.
pub(super) fn least_size(guarantee: &Guarantee) -> usize {
    let of_map = guarantee.k_map.as_ref().and_then(least_in_sample);
    let least = guarantee.class_size().max(of_map).unwrap_or(1);
    least.max(1) as usize
}

/// How many persons of a sample make it probable that a class has k in the population.
fn least_in_sample(map: &KMap) -> Option<u32> {
    let Population::Estimated {
        fraction,
        alpha,
        truncated,
    } = map.population
    else {
        return None;
    };
    let mean = f64::from(map.k) * fraction;
    let none = (-mean).exp();
    let (mut term, mut up_to, mut count) = (none, none, 0);
    let share = |up_to: f64| match truncated {
        true => (up_to - none) / (1.0 - none),
        false => up_to,
    };
    while count < map.k && share(up_to) < 1.0 - alpha {
        count += 1;
        term *= mean / f64::from(count);
        up_to += term;
    }
    Some((count + 1).min(map.k))
}

/// How many persons of the population a class must fit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Fit {
    least: Option<u64>,
    share: Option<(f64, f64)>,
}

/// Shares of counts are compared with the figures of a policy; this is how far they may be off.
const ROUNDING: f64 = 1e-12;

impl Fit {
    pub(super) fn new(guarantee: &Guarantee) -> Self {
        let of_table = |map: &KMap| match map.population {
            Population::Table(_) => Some(u64::from(map.k)),
            Population::Estimated { .. } => None,
        };
        let share = |presence: &Presence| (presence.min, presence.max);
        Fit {
            least: guarantee.k_map.as_ref().and_then(of_table),
            share: guarantee.presence.as_ref().map(share),
        }
    }

    /// Whether anything is asked that only a population can answer.
    pub(super) fn is_asked(&self) -> bool {
        *self != Fit::default()
    }

    /// What it is called in a policy, with its figures.
    pub(super) fn label(&self) -> String {
        let least = self.least.map(|least| format!("k_map={least}"));
        let share = self
            .share
            .map(|(min, max)| format!("presence={min}..{max}"));
        let both: Vec<String> = least.into_iter().chain(share).collect();
        both.join(", ")
    }

    /// Whether a share of the population must not be too small.
    pub(super) fn asks_for_all(&self) -> bool {
        self.share.is_some_and(|(min, _)| min > 0.0)
    }

    /// Whether only the least number matters, which grows with a class.
    pub(super) fn grows(&self) -> bool {
        self.share.is_none()
    }

    /// Whether so many of the population are enough, whatever share of them is in the class.
    pub(super) fn holds_least(&self, population: u64) -> bool {
        self.least.is_none_or(|least| population >= least)
    }

    /// Whether a class of `size` persons may be so many of the population.
    pub(super) fn holds(&self, size: usize, population: u64) -> bool {
        let share = size as f64 / population as f64;
        let within = |(min, max): (f64, f64)| share >= min - ROUNDING && share <= max + ROUNDING;
        self.holds_least(population) && self.share.is_none_or(within)
    }
}

/// How many of the classes, whose `sizes` ascend, must go from the first on until classes over
/// persons of those that are left are at most `risk`.
///
/// Taking the smallest first leaves the most persons: each class that goes is one class less,
/// whatever its size.
pub(crate) fn first_that_stay(risk: f64, sizes: &[u64]) -> usize {
    let mut persons: u64 = sizes.iter().sum();
    for (gone, size) in sizes.iter().enumerate() {
        let classes = (sizes.len() - gone) as f64;
        if classes <= risk * persons as f64 * (1.0 + ROUNDING) {
            return gone;
        }
        persons -= size;
    }
    sizes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimated(k: u32, fraction: f64, alpha: f64, truncated: bool) -> Option<u32> {
        let population = Population::Estimated {
            fraction,
            alpha,
            truncated,
        };
        least_in_sample(&KMap { k, population })
    }

    #[test]
    fn twenty_of_a_population_are_seldom_more_than_five_of_a_tenth_of_it() {
        assert_eq!(estimated(20, 0.1, 0.05, false), Some(6));
        // P(X ≤ 5 | X ≥ 1) = (0.98344 − 0.13534)/0.86466 = 0.98085; of 4: 0.93909.
        assert_eq!(estimated(20, 0.1, 0.05, true), Some(6));
        assert_eq!(estimated(20, 0.1, 0.06, false), Some(5));
        assert_eq!(estimated(20, 0.1, 0.06, true), Some(6));
    }

    #[test]
    fn a_class_of_k_is_always_enough() {
        assert_eq!(estimated(3, 1.0, 0.001, false), Some(3));
        assert_eq!(estimated(5, 1e-9, 0.5, false), Some(1));
    }

    #[test]
    fn the_smallest_classes_go_until_the_average_holds() {
        let sizes = [1, 1, 2, 4];
        for (risk, gone) in [(0.34, 2), (0.5, 0), (0.3, 3), (0.25, 3), (0.2, 4)] {
            assert_eq!(first_that_stay(risk, &sizes), gone, "{risk}");
        }
    }

    #[test]
    fn shares_of_a_population_lie_between_their_bounds() {
        let fit = Fit {
            least: Some(5),
            share: Some((0.1, 0.2)),
        };
        for (size, population, holds) in [
            (1, 5, true),
            (1, 10, true),
            (1, 11, false),
            (2, 9, false),
            (1, 4, false),
            (1, 0, false),
        ] {
            assert_eq!(fit.holds(size, population), holds, "{size} of {population}");
        }
    }
}
