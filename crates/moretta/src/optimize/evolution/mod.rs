//! Evolutionary search: a population of solutions of which better ones take the places of worse.
//!
//! A step makes one mutant of a member, or two children of a pair of members, and lets each
//! compete with the member that it comes from: the place goes to the one with the lower score, and
//! stays with its owner when they are equal. So neither the best nor the mean score ever gets
//! worse. Members are told apart by a trade-off of two numbers, a loss and a risk; [`Fitness`]
//! makes one score of them. All trade-offs that no other one beats are kept ([`Archive`]).
//!
//! What is drawn in step t follows from the seed and t alone ([`Draws`]). So a search gives the
//! same result for any number of threads, and one that was stopped goes on from the list of steps
//! that changed something ([`Accepted`]): it does these again and nothing else.
//!
//! **Costs** one evaluation a mutant and two a pair of children; what an evaluation costs is for
//! the [`Individual`] to say. A mutation is made in place and undone when it is no better.
//!
//! **From** Holland, Adaptation in natural and artificial systems, 1975 (roulette, crossover);
//! Syswerda, 1989 (uniform crossover, steady state); Rechenberg, 1973 (the rule of one fifth);
//! Zhang and Li, MOEA/D, 2007 (a direction for each place); on protected files Marés and Torra,
//! 2010 to 2013 (mutation or crossover, a group of leaders, elitist replacement).

mod archive;
mod crossover;
mod diversity;
mod draws;
mod fitness;
mod gray;
mod history;
mod mutation;
mod population;
mod ranked;
mod rates;
mod search;
mod selection;
mod settings;
mod step;
mod stop;
#[cfg(test)]
mod tests;

pub use archive::{Archive, Found};
pub use crossover::{Crossover, Exchange};
pub use draws::Draws;
pub use fitness::Fitness;
pub use gray::{Fixed, from_gray, to_gray};
pub use history::{History, Moment};
pub use mutation::{Count, Mutation};
pub use population::Population;
pub use ranked::best_first;
pub use rates::Rates;
pub use search::{Saved, Search};
pub use selection::{Selection, roulette};
pub use settings::{Settings, Variations};
pub use step::{Accepted, Variation};
pub use stop::{Stop, Stopped};

/// What is lost by a solution and what it risks; less is better of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TradeOff {
    /// What is lost.
    pub loss: f64,
    /// What it risks.
    pub risk: f64,
}

/// A solution that can be changed gene by gene.
pub trait Individual: Clone + Send + Sync {
    /// What it takes to undo a mutation.
    type Undo;
    /// What is kept of one that no other beats.
    type Genes: Clone + Send;
    /// What a child takes over from its other parent.
    type Exchange: Sync;

    /// How many genes it has; they may become more or fewer.
    fn len(&self) -> usize;
    /// Whether it has none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Its loss and risk.
    fn trade_off(&mut self) -> TradeOff;
    /// Its loss and risk as far as they can be told at once, where that costs much less. A mutant
    /// that is no better by them is turned away without asking for [`Individual::trade_off`]. They
    /// must follow from the genes before and after alone.
    fn glance(&mut self) -> Option<TradeOff> {
        None
    }
    /// Gives a gene another value; none where it can have no other one.
    fn mutate(&mut self, gene: usize, draws: &mut Draws) -> Option<Self::Undo>;
    /// Takes the last mutation back: also what [`Individual::glance`] tells later is as before.
    fn undo(&mut self, change: Self::Undo);
    /// What this one takes over from another in a crossing, and the other one from this.
    fn exchange(
        &self,
        other: &Self,
        crossover: Crossover,
        draws: &mut Draws,
    ) -> [Self::Exchange; 2];
    /// This one with some genes of another.
    fn crossed(&self, other: &Self, exchange: &Self::Exchange) -> Self;
    /// In how many genes both are equal: at most as many as either has.
    fn shared(&self, other: &Self) -> usize;
    /// A number that differs, but for chance, between individuals that differ.
    fn fingerprint(&self) -> u64;
    /// All genes.
    fn genes(&self) -> Self::Genes;
}
