//! How easily persons are found again in a release.
//!
//! The three attackers are those of El Emam and Dankar 2008: the prosecutor
//! knows that a person is in the release, the journalist only that the person
//! is in the population, the marketer wants to find as many as possible. A class
//! of f persons in the release has F in the population. All
//! of them know every quasi-identifier exactly, so these are upper bounds for
//! attackers who know less, and say nothing of columns that are not declared
//! quasi-identifiers. Sizes are in persons when a subject is known.

pub mod belief;
pub(super) mod by_column;
pub mod individual;
pub(super) mod population;
pub(crate) mod refine;
mod setting;
pub mod suda;
pub mod uniqueness;

pub use by_column::{ColumnRisk, Exposure, RiskByColumn};
pub use setting::{Population, RiskSetting};

use super::Sizes;

/// Share of persons in a band of prosecutor risk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Risk above this…
    pub from: f64,
    /// …and at most this.
    pub to: f64,
    /// Share of the persons of the original.
    pub before: f64,
    /// Share of the persons of the release.
    pub after: f64,
}

const EDGES: [f64; 8] = [0.0, 0.01, 0.05, 0.1, 0.2, 1.0 / 3.0, 0.5, 1.0];

/// The largest 1/f; 0 without rows.
pub fn prosecutor_risk(sizes: &Sizes) -> f64 {
    let smallest = sizes.persons.iter().min();
    smallest.map_or(0.0, |&f| 1.0 / f64::from(f.max(1)))
}

/// The mean of 1/f over the persons: classes over persons.
pub fn average_risk(sizes: &Sizes) -> f64 {
    sizes.persons.len() as f64 / persons(sizes).max(1) as f64
}

/// Share of persons whose 1/f is above `threshold`.
pub fn at_risk(sizes: &Sizes, threshold: f64) -> f64 {
    share(sizes, &sizes_of(sizes), |all| is_above(all, threshold))
}

/// The largest 1/F, where `population` is the F of each class.
pub fn journalist_risk(population: &[u64]) -> f64 {
    let smallest = population.iter().min();
    smallest.map_or(0.0, |&all| 1.0 / all.max(1) as f64)
}

/// The mean risk for a journalist: classes over their population, or what a marketer finds
/// where that is more.
pub fn journalist_average(sizes: &Sizes, population: &[u64]) -> f64 {
    let all: u64 = population.iter().sum();
    let of_population = population.len() as f64 / all.max(1) as f64;
    of_population.max(marketer_risk(sizes, population))
}

/// Share of persons whose 1/F is above `threshold`.
pub fn journalist_at_risk(sizes: &Sizes, population: &[u64], threshold: f64) -> f64 {
    share(sizes, population, |all| is_above(all, threshold))
}

/// The mean of 1/F over the persons: what one guess for each would find.
pub fn marketer_risk(sizes: &Sizes, population: &[u64]) -> f64 {
    let classes = sizes.persons.iter().zip(population);
    let found = classes.map(|(&f, &all)| f64::from(f) / all.max(1) as f64);
    found.sum::<f64>() / persons(sizes).max(1) as f64
}

/// The population of each class when it is the table itself.
pub fn sizes_of(sizes: &Sizes) -> Vec<u64> {
    sizes.persons.iter().map(|&f| u64::from(f)).collect()
}

fn is_above(all: u64, threshold: f64) -> bool {
    1.0 / all.max(1) as f64 > threshold
}

fn persons(sizes: &Sizes) -> u64 {
    sizes.persons.iter().map(|&f| u64::from(f)).sum()
}

/// Share of persons in classes whose population is such.
fn share(sizes: &Sizes, population: &[u64], is_such: impl Fn(u64) -> bool) -> f64 {
    let classes = sizes.persons.iter().zip(population);
    let such = classes.filter(|(_, all)| is_such(**all));
    let count: u64 = such.map(|(&f, _)| u64::from(f)).sum();
    count as f64 / persons(sizes).max(1) as f64
}

/// Share of persons who are alone in their class.
pub fn uniques(sizes: &Sizes) -> f64 {
    let alone = sizes.persons.iter().filter(|&&f| f == 1).count();
    alone as f64 / persons(sizes).max(1) as f64
}

/// How many groups are smaller than k.
pub fn small_groups(sizes: &Sizes, k: u32) -> u64 {
    sizes.persons.iter().filter(|&&f| f < k).count() as u64
}

/// Small groups left as a share of those there were; 0 when there were none and are none.
pub fn hiding_failure(before: &Sizes, after: &Sizes, k: u32) -> f64 {
    let left = small_groups(after, k);
    left as f64 / small_groups(before, k).max(left).max(1) as f64
}

/// Shares of persons by 1/f, before and after, in bands of ascending risk.
pub fn bands(before: &Sizes, after: &Sizes) -> Vec<Band> {
    EDGES
        .windows(2)
        .map(|edge| Band {
            from: edge[0],
            to: edge[1],
            before: share_between(before, edge[0], edge[1]),
            after: share_between(after, edge[0], edge[1]),
        })
        .collect()
}

fn share_between(sizes: &Sizes, from: f64, to: f64) -> f64 {
    share(sizes, &sizes_of(sizes), |all| {
        let risk = 1.0 / all.max(1) as f64;
        from < risk && risk <= to
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_classes_and_their_population_by_hand() {
        let sizes = Sizes {
            rows: vec![2, 2, 4],
            persons: vec![2, 2, 4],
            majority: vec![0; 3],
        };
        let population = [4, 10, 8];
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        close(prosecutor_risk(&sizes), 0.5);
        close(average_risk(&sizes), 0.375);
        close(at_risk(&sizes, 0.2), 1.0);
        close(journalist_risk(&population), 0.25);
        close(journalist_average(&sizes, &population), 0.15);
        close(journalist_at_risk(&sizes, &population, 0.2), 0.25);
        close(marketer_risk(&sizes, &population), 0.15);
        // Exactly at the threshold is not above it.
        close(journalist_at_risk(&sizes, &population, 0.25), 0.0);
    }

    #[test]
    fn many_classes_of_a_small_population_make_the_average_of_a_journalist() {
        let sizes = Sizes {
            rows: vec![1, 9],
            persons: vec![1, 9],
            majority: vec![0; 2],
        };
        // 2 classes of 101 persons; a marketer finds (1/1 + 9/100)/10.
        assert!((journalist_average(&sizes, &[1, 100]) - 0.109).abs() < 1e-12);
        assert!((journalist_average(&sizes, &[2, 10]) - 2.0 / 12.0).abs() < 1e-12);
    }
}
