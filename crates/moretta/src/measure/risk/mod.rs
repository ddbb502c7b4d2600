//! How easily persons are found again in a release.
//!
//! The three attackers are those of El Emam and Dankar 2008: the prosecutor
//! knows that a person is in the release, the journalist only that the person
//! is in the population, the marketer wants to find as many as possible. All
//! of them know every quasi-identifier exactly, so these are upper bounds for
//! attackers who know less, and say nothing of columns that are not declared
//! quasi-identifiers. Sizes are in persons when a subject is known.

pub(super) mod by_column;
pub(super) mod population;

pub use by_column::{ColumnRisk, Exposure, RiskByColumn};

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

/// The largest 1/F, where F is f and as many of the population that the class
/// covers but that are not in it.
pub fn journalist_risk(sizes: &Sizes, covered_others: &[u64]) -> f64 {
    let population = sizes.persons.iter().zip(covered_others);
    let smallest = population.map(|(&f, others)| u64::from(f) + others).min();
    smallest.map_or(0.0, |f| 1.0 / f.max(1) as f64)
}

/// The mean of 1/f over the persons: classes over persons.
pub fn marketer_risk(sizes: &Sizes) -> f64 {
    let persons: u64 = sizes.persons.iter().map(|&f| u64::from(f)).sum();
    sizes.persons.len() as f64 / persons.max(1) as f64
}

/// Share of persons who are alone in their class.
pub fn uniques(sizes: &Sizes) -> f64 {
    let persons: u64 = sizes.persons.iter().map(|&f| u64::from(f)).sum();
    let alone = sizes.persons.iter().filter(|&&f| f == 1).count();
    alone as f64 / persons.max(1) as f64
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
    let persons: u64 = sizes.persons.iter().map(|&f| u64::from(f)).sum();
    let inside = sizes.persons.iter().filter(|&&f| {
        let risk = 1.0 / f64::from(f.max(1));
        from < risk && risk <= to
    });
    inside.map(|&f| u64::from(f)).sum::<u64>() as f64 / persons.max(1) as f64
}
