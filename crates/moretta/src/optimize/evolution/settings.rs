//! How a search is done.

use super::TradeOff;
use super::crossover::Crossover;
use super::mutation::{Count, Mutation};
use super::selection::Selection;
use super::stop::Stop;

/// What makes one score of a loss and a risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitness {
    /// Their mean.
    Mean,
    /// The larger one.
    Max,
    /// Each place of the population has a direction of its own, from little loss to little risk,
    /// and the score is the larger one of both, weighted by it: what is found are many trade-offs.
    Front,
}

impl Fitness {
    /// The score of a trade-off at a place among `places`.
    #[inline]
    pub fn score(self, of: TradeOff, place: usize, places: usize) -> f64 {
        match self {
            Fitness::Mean => (of.loss + of.risk) / 2.0,
            Fitness::Max => of.loss.max(of.risk),
            Fitness::Front => {
                let weight = direction(place, places);
                (2.0 * weight * of.loss).max(2.0 * (1.0 - weight) * of.risk)
            }
        }
    }
}

/// The weight of loss at a place: from 0.05 to 0.95.
fn direction(place: usize, places: usize) -> f64 {
    match places {
        0 | 1 => 0.5,
        _ => 0.05 + 0.9 * place as f64 / (places - 1) as f64,
    }
}

/// Whether a step does one thing or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operators {
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
    pub operators: Operators,
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
            operators: Operators::Either,
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
    fn scores_are_the_mean_the_larger_one_or_a_direction() {
        let of = TradeOff {
            loss: 24.0,
            risk: 38.0,
        };
        assert_eq!(Fitness::Mean.score(of, 0, 5), 31.0);
        assert_eq!(Fitness::Max.score(of, 0, 5), 38.0);
        // The place in the middle weighs both alike.
        assert_eq!(Fitness::Front.score(of, 2, 5), 38.0);
        assert!((Fitness::Front.score(of, 0, 5) - 1.9 * 38.0).abs() < 1e-12);
        assert!((Fitness::Front.score(of, 4, 5) - 1.9 * 24.0).abs() < 1e-12);
        assert_eq!(Fitness::Front.score(of, 0, 1), 38.0);
    }

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
