//! The members of a population.

use super::fitness::Fitness;
use super::ranked::Ranked;
use super::{Individual, TradeOff};
use rayon::prelude::*;

/// The members of a population.
pub struct Population<I> {
    fitness: Fitness,
    members: Vec<I>,
    trade_offs: Vec<TradeOff>,
    fingerprints: Vec<u64>,
    ranked: Ranked,
}

impl<I: Individual> Population<I> {
    /// Of these members. Where places have directions, each gets the member that is best in its
    /// own, of those that are left.
    pub(super) fn new(fitness: Fitness, members: Vec<I>) -> Self {
        let mut members = members;
        let trade_offs = members.par_iter_mut().map(Individual::trade_off);
        let mut trade_offs: Vec<TradeOff> = trade_offs.collect();
        let size = members.len();
        if fitness == Fitness::Front {
            for place in 0..size {
                let score = |&other: &usize| fitness.score(trade_offs[other], place, size);
                let rest = place..size;
                let best = rest.min_by(|a, b| score(a).total_cmp(&score(b)));
                let best = best.unwrap_or(place);
                members.swap(place, best);
                trade_offs.swap(place, best);
            }
        }
        let scores = trade_offs.iter().enumerate();
        let scores = scores.map(|(place, &of)| fitness.score(of, place, size));
        Population {
            fitness,
            ranked: Ranked::new(scores.collect()),
            fingerprints: members.iter().map(Individual::fingerprint).collect(),
            trade_offs,
            members,
        }
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members, place by place.
    pub fn members(&self) -> &[I] {
        &self.members
    }

    /// Loss and risk of each member.
    pub fn trade_offs(&self) -> &[TradeOff] {
        &self.trade_offs
    }

    /// The score of each member.
    pub fn scores(&self) -> &[f64] {
        self.ranked.scores()
    }

    /// The place of the best member.
    pub fn best(&self) -> usize {
        self.ranked.order()[0]
    }

    /// The mean score. Adding in the order of places never gets larger when a term does not.
    pub fn mean(&self) -> f64 {
        self.scores().iter().sum::<f64>() / self.len() as f64
    }

    pub(super) fn ranked(&self) -> &Ranked {
        &self.ranked
    }

    /// Whether it has a member with this fingerprint.
    pub(super) fn has(&self, fingerprint: u64) -> bool {
        self.fingerprints.contains(&fingerprint)
    }

    /// The score that a trade-off has at a place.
    pub(super) fn score_at(&self, place: usize, of: TradeOff) -> f64 {
        self.fitness.score(of, place, self.len())
    }

    /// Whether what is known of a trade-off is no better than the member at a place.
    pub(super) fn is_no_better(&self, place: usize, of: Option<TradeOff>) -> bool {
        of.is_some_and(|of| self.score_at(place, of) >= self.scores()[place])
    }

    pub(super) fn member_mut(&mut self, place: usize) -> &mut I {
        &mut self.members[place]
    }

    /// Notes that the member at a place was changed, and what it is now.
    pub(super) fn changed(&mut self, place: usize, of: TradeOff) {
        self.trade_offs[place] = of;
        self.fingerprints[place] = self.members[place].fingerprint();
        let score = self.score_at(place, of);
        self.ranked.set(place, score);
    }

    /// Gives a place to another one.
    pub(super) fn replace(&mut self, place: usize, member: I, of: TradeOff) {
        self.members[place] = member;
        self.changed(place, of);
    }
}
