//! One step: which operator, of which parents, and what becomes of the children.

use super::draws::{Draws, Purpose};
use super::population::Population;
use super::rates::Rates;
use super::settings::{Settings, Variations};
use super::{Individual, TradeOff};
use serde::{Deserialize, Serialize};

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Variation {
    /// Changes so many genes of one member.
    Mutation {
        /// How many.
        genes: usize,
    },
    /// Exchanges genes of two members, and changes so many of each child.
    Crossover {
        /// How many; none where a step does one thing alone.
        genes: usize,
    },
}

impl Variation {
    /// Whether it crosses.
    pub(super) fn crosses(self) -> bool {
        matches!(self, Variation::Crossover { .. })
    }

    /// How many individuals it makes.
    pub(super) fn children(self) -> u64 {
        1 + u64::from(self.crosses())
    }

    /// The operator of a step.
    pub(super) fn draw(settings: &Settings, rates: &Rates, of: (u64, u64), all: usize) -> Self {
        let mut draws = Draws::of(of.0, of.1, Purpose::Variation);
        let crosses = draws.share() < rates.crossover;
        let genes = settings.mutation.genes(rates.genes, all, &mut draws);
        match (crosses, settings.operators) {
            (false, _) => Variation::Mutation { genes },
            (true, Variations::Either) => Variation::Crossover { genes: 0 },
            (true, Variations::Together) => Variation::Crossover { genes },
        }
    }
}

/// A step that has changed the population. No value of a gene is in it: the step draws the same
/// when it is done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// Its number, from 0.
    pub step: u64,
    /// What it did.
    pub operator: Variation,
    /// Whether the first and the second child took a place.
    pub taken: [bool; 2],
}

/// An individual that competes for a place.
pub(super) struct Candidate<I> {
    pub(super) place: usize,
    pub(super) individual: I,
    pub(super) of: TradeOff,
}

/// The parents of a step: one, or two that differ where there are two.
pub(super) fn parents<I: Individual>(
    settings: &Settings,
    population: &Population<I>,
    (seed, step): (u64, u64),
    crosses: bool,
) -> (usize, usize) {
    let mut draws = Draws::of(seed, step, Purpose::Parents);
    let ranked = population.ranked();
    if !crosses {
        let parent = settings.selection.choose(ranked, &mut draws);
        return (parent, parent);
    }
    let leader = draws.below(settings.leaders(population.len()));
    let first = ranked.order()[leader];
    let second = settings.selection.choose(ranked, &mut draws);
    match first == second {
        true => (first, (second + 1) % population.len()),
        false => (first, second),
    }
}

/// Changes so many genes in place; gives what undoes it, the last change last.
pub(super) fn mutate<I: Individual>(
    individual: &mut I,
    genes: usize,
    draws: &mut Draws,
) -> Vec<I::Undo> {
    let mutated = (0..genes).filter_map(|_| {
        let gene = draws.below(individual.len());
        individual.mutate(gene, draws)
    });
    mutated.collect()
}

/// The two children of a crossing, each with the place of the parent that it is more like; of
/// equals the first parent.
pub(super) fn cross<I: Individual>(
    settings: &Settings,
    population: &Population<I>,
    of: (u64, u64),
    (first, second): (usize, usize),
    genes: usize,
) -> [Candidate<I>; 2] {
    let (one, other) = (&population.members()[first], &population.members()[second]);
    let mut draws = Draws::of(of.0, of.1, Purpose::Exchange);
    let exchange = one.exchange(other, settings.crossover, &mut draws);
    let child = |from: &I, with: &I, exchange: &I::Exchange, purpose: Purpose| {
        let mut individual = from.crossed(with, exchange);
        if genes > 0 {
            let mut draws = Draws::of(of.0, of.1, purpose);
            mutate(&mut individual, genes, &mut draws);
        }
        let place = match individual.shared(one) >= individual.shared(other) {
            true => first,
            false => second,
        };
        Candidate {
            place,
            of: individual.trade_off(),
            individual,
        }
    };
    let (first, second) = rayon::join(
        || child(one, other, &exchange[0], Purpose::FirstChild),
        || child(other, one, &exchange[1], Purpose::SecondChild),
    );
    [first, second]
}
