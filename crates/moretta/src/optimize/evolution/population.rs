//! The members of a population, and how they rank.

use super::settings::Fitness;
use super::{Individual, TradeOff};
use rayon::prelude::*;

/// The places of scores from the best, the lowest, to the worst; of equals the first.
pub fn best_first(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(a.cmp(&b)));
    order
}

/// Scores and the order that they make.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    scores: Vec<f64>,
    /// Places from the best to the worst; of equals the first.
    order: Vec<usize>,
}

impl Ranked {
    pub(super) fn new(scores: Vec<f64>) -> Self {
        let order = best_first(&scores);
        Ranked { scores, order }
    }

    /// The score of each place.
    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The places from the best to the worst.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    fn set(&mut self, place: usize, score: f64) {
        let Ranked { scores, order } = self;
        order.retain(|&other| other != place);
        scores[place] = score;
        let before = |&other: &usize| {
            let order = scores[other].total_cmp(&score);
            order.then(other.cmp(&place)).is_lt()
        };
        order.insert(order.partition_point(before), place);
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_sorting_anew(
            start in proptest::collection::vec(0..9_u32, 1..20),
            changes in proptest::collection::vec((0..20_usize, 0..9_u32), 0..30),
        ) {
            let mut ranked = Ranked::new(start.iter().map(|&score| f64::from(score)).collect());
            for (place, score) in changes {
                ranked.set(place % start.len(), f64::from(score));
                let anew = Ranked::new(ranked.scores().to_vec());
                prop_assert_eq!(ranked.order(), anew.order());
            }
        }
    }
}
