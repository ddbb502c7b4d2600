//! How a search is done.

use super::crossover::Crossover;
use super::fitness::Fitness;
use super::mutation::{Count, Mutation};
use super::selection::Selection;
use super::stop::Stop;

/// Whether a step does one thing or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variations {
    /// It mutates one member or crosses two.
    Either,
    /// It crosses two and mutates both children, or only mutates.
    Together,
}

/// How a search is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What makes one score of loss and risk.
    pub fitness: Fitness,
    /// How parents are chosen.
    pub selection: Selection,
    /// How genes are mixed.
    pub crossover: Crossover,
    /// How many genes a mutation changes.
    pub mutation: Mutation,
    /// Whether a step does one thing or both.
    pub operators: Variations,
    /// The chance that a step crosses.
    pub crossover_rate: f64,
    /// Whether that chance follows what has succeeded.
    pub adaptive: bool,
    /// The share of the population, its best, of which the first parent of a crossing is one.
    pub leaders: f64,
    /// The share of the population whose places are competed for at a time; none for one step at
    /// a time.
    pub generation_gap: Option<f64>,
    /// Whether a child that equals a member is turned away.
    pub no_duplicates: bool,
    /// When it ends.
    pub stop: Stop,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            fitness: Fitness::Mean,
            selection: Selection::Roulette,
            crossover: Crossover::Points(2),
            mutation: Mutation {
                genes: 1.0,
                count: Count::Fixed,
            },
            operators: Variations::Either,
            crossover_rate: 0.5,
            adaptive: false,
            leaders: 0.1,
            generation_gap: None,
            no_duplicates: false,
            stop: Stop::default(),
        }
    }
}

impl Settings {
    /// How many steps are done at a time, of a population of so many.
    pub(super) fn at_a_time(&self, members: usize) -> u64 {
        self.generation_gap.map_or(1, |gap| {
            let steps = (gap * members as f64).ceil();
            (steps as u64).max(1)
        })
    }

    /// How many leaders there are.
    pub(super) fn leaders(&self, members: usize) -> usize {
        ((self.leaders * members as f64).ceil() as usize).clamp(1, members.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_leader_and_a_step() {
        let settings = Settings {
            generation_gap: Some(0.001),
            ..Settings::default()
        };
        assert_eq!((settings.leaders(4), settings.at_a_time(4)), (1, 1));
        assert_eq!(settings.leaders(104), 11);
        assert_eq!(Settings::default().at_a_time(104), 1);
    }
}
