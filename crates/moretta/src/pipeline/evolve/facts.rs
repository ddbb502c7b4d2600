//! What a report tells of a search.

use crate::engine::report::{CurveFact, EvolutionFacts, GuessFact, StartFact, TradeOffFact};
use crate::optimize::evolution::{Fitness, Individual, Search, TradeOff};

/// Figures of populations are about the originals: to one digit behind the point they tell of no
/// single row of a few hundred.
fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A trade-off as it is told.
pub(super) fn told(of: TradeOff) -> TradeOffFact {
    TradeOffFact {
        loss: rounded(of.loss),
        risk: rounded(of.risk),
    }
}

/// How well a column is guessed, as it is told.
pub(super) fn guessed(column: &str, (guessed, stays): (f64, f64)) -> GuessFact {
    GuessFact {
        column: column.to_owned(),
        guessed: rounded(100.0 * guessed),
        stays: rounded(100.0 * stays),
    }
}

/// Warns of columns whose categories are exchanged rather than hidden: measures of linkage do not see
/// that, and who knows the matrix undoes it.
pub(super) fn exchanges(facts: &EvolutionFacts) -> impl Iterator<Item = String> + '_ {
    let exchanged = facts
        .guessed
        .iter()
        .filter(|of| of.guessed > 60.0 && of.guessed > of.stays + 20.0);
    exchanged.map(|of| {
        format!(
            "`{}`: who knows the matrix that was found guesses {:.0} % of its values right, though {:.0} % stay: it exchanges categories, which the measures of risk do not see; search again with a fixed `p` above 0.5, or with `invariant` and such a `diagonal`, and do not publish the matrix",
            of.column, of.guessed, of.stays
        )
    })
}

/// The word of a fitness in a policy.
fn word(fitness: Fitness) -> &'static str {
    match fitness {
        Fitness::Mean => "mean",
        Fitness::Max => "max",
        Fitness::Front => "front",
    }
}

/// What is told of a search; what was released is still to be filled in.
pub(super) fn facts<I: Individual>(
    search: &Search<I>,
    fitness: Fitness,
    start: Vec<StartFact>,
    columns: Vec<String>,
    ended: &str,
) -> EvolutionFacts {
    let moments = search.history().moments().iter().copied();
    let last = search.now();
    let ends = moments
        .clone()
        .last()
        .is_none_or(|moment| moment.step < last.step);
    let curve = moments.chain(ends.then_some(last)).map(|moment| CurveFact {
        step: moment.step,
        best: rounded(moment.best),
        mean: rounded(moment.mean),
    });
    let population = search.population().trade_offs();
    EvolutionFacts {
        fitness: word(fitness).to_owned(),
        columns,
        steps: search.steps(),
        evaluations: search.evaluations(),
        ended: ended.to_owned(),
        start,
        last: population.iter().map(|&of| told(of)).collect(),
        front: search
            .archive()
            .found()
            .iter()
            .map(|found| told(found.of))
            .collect(),
        search: String::new(),
        applications: None,
        equation: None,
        guessed: Vec::new(),
        designs: Vec::new(),
        picked: None,
        released: TradeOffFact::default(),
        curve: curve.collect(),
    }
}
