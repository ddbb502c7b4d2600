//! `evolve`: searches for a release that loses and risks less than what any method makes, and makes
//! it.
//!
//! A search over cells begins with the file protected by every method over a grid of its parameters;
//! one over transition matrices of PRAM, or over equations that make them, begins with designs of the
//! literature or with random equations. All of them see IL and DR of whole files, and go the same
//! way. What is found is released by an ordinary run: a session checks and measures it, and the file
//! is read back. How far it is stands beside the release, so that the same command goes on after it
//! was stopped.

mod categories;
mod cells;
mod checkpoint;
mod facts;
mod genome;
mod grid;
mod making;
mod numbers;
mod pram;
mod shown;
mod start;
mod table;
#[cfg(test)]
mod tests;

use super::checkpoint::Lock;
use super::interrupted::Running;
use super::options::Options;
use super::places::check_places;
use super::run::{Run, no_sink};
use super::sealed;
use super::trial::read;
use crate::engine::masked::secret_seed;
use crate::engine::report::{EquationFact, EvolutionFacts, StartFact};
use crate::engine::{Clock, Context, Live, Outcome, Searched, Stage, check_plan};
use crate::error::{Error, Result};
use crate::optimize::PramForm;
use crate::optimize::evolution::{Fitness, Individual, Search, TradeOff, best_first};
use crate::policy::{Evolve, Policy, SearchOver};
use crate::protect::Method;
use crate::protect::pram::{Diagonal, MatrixEquation};
use categories::Categories;
pub use categories::{CategoryFile, CategoryFiles};
use cells::Cells;
use checkpoint::Checkpoint;
use genome::{Begun, Files, Genome};
pub use numbers::{MeasuredNumbers, NumberFile, NumberFiles};
use pram::{EquationGenome, MatrixGenome};
pub use pram::{PramFound, PramSearch, PramSolution};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Instant;
pub use table::SearchTable;

/// What is wanted of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// The place on the front of what is released, from 1; none for the best score.
    pub pick: Option<usize>,
    /// Nothing is released: the front is only listed, and the search can be gone on with.
    pub list: bool,
    /// The search begins anew, wherever an earlier one was.
    pub restart: bool,
}

/// What has become of a search.
pub struct Evolved {
    /// What it has found.
    pub facts: EvolutionFacts,
    /// Losses and risks that no other one beats, from little loss to little risk, to all digits: for
    /// who searches, and no report.
    pub front: Vec<TradeOff>,
    /// The place on the front, from 1, of what is released where none is picked; none where it is
    /// not on it any more.
    pub would_release: Option<usize>,
    /// The release; none where the front was only listed.
    pub outcome: Option<Outcome>,
}

/// Searches, and releases what was found.
///
/// # Errors
/// When the policy has no `[evolve]`, its columns cannot be searched, or what was found breaks a
/// promise or a limit.
pub fn evolve(policy: &Policy, wish: &Wish, options: &Options<'_>) -> Result<Evolved> {
    let evolve = policy.evolve.as_ref().ok_or_else(|| {
        Error::policy("the policy has no [evolve]")
            .help("add [evolve], which may be empty, in place of [[protect]]")
    })?;
    let sink = policy.sink.as_ref().ok_or_else(no_sink)?;
    check_plan(&policy.plan, options.strict)?;
    check_places(policy, options.force || wish.list)?;
    let place = (sink.path != Path::new("-")).then(|| checkpoint::place(&sink.path));
    let _lock = place.as_deref();
    let _lock = _lock.map(|place| Lock::new(place, &policy.files));
    let _lock = _lock.transpose()?;
    let original = read(policy, options.progress)?;
    let cells = Cells::of(policy, evolve, &original)?;
    drop(original);
    let task = Task {
        policy,
        evolve,
        wish,
        cells: &cells,
        place,
        options,
    };
    match (&evolve.over, cells.are_categories()) {
        (SearchOver::Cells, true) => task.run(&Files(Categories::new(&cells, evolve.near)?)),
        (SearchOver::Cells, false) => task.run(&Files(NumberFiles::new(&cells, evolve.bits))),
        (SearchOver::Pram { .. }, false) => Err(Error::policy(
            "the columns hold numbers, and transition matrices are for categories",
        )
        .at(evolve.span.clone())
        .help("name columns of categories under `columns`, or give them the type category")),
        (SearchOver::Pram { form, applications }, true) => match form {
            PramForm::Matrices(rules) => {
                task.run(&MatrixGenome::new(&cells, *applications, rules.clone())?)
            }
            PramForm::Equations(rules) => {
                task.run(&EquationGenome::new(&cells, *applications, rules.clone())?)
            }
        },
    }
}

/// A search that is to be done.
struct Task<'a> {
    policy: &'a Policy,
    evolve: &'a Evolve,
    wish: &'a Wish,
    cells: &'a Cells,
    /// Where it notes how far it is; none for standard output.
    place: Option<PathBuf>,
    options: &'a Options<'a>,
}

/// The members that a search begins with, and what is told of them.
struct Started<I> {
    start: Vec<StartFact>,
    /// What it is held against.
    designs: Vec<StartFact>,
    members: Vec<I>,
}

/// Steps between looks at the clock.
const LOOK: u64 = 64;

impl Task<'_> {
    fn run<G: Genome>(&self, genome: &G) -> Result<Evolved> {
        let context = self.policy.context(self.options.progress)?;
        self.options.progress.enter(Stage::Protect);
        let known = match (&self.place, self.wish.restart) {
            (Some(place), false) => Checkpoint::load(place, self.policy, self.cells)?,
            _ => None,
        };
        let mut checkpoint = match known {
            Some(known) => known,
            None => {
                let seed = self.policy.plan.seed.map_or_else(secret_seed, Ok)?;
                Checkpoint::start(self.policy, self.cells, seed)?
            }
        };
        let Started {
            start,
            designs,
            members,
        } = self.members(genome, checkpoint.seed, &context)?;
        let settings = self.evolve.settings.clone();
        let seed = checkpoint.seed;
        let mut search = match (&checkpoint.saved, &self.place) {
            (Some(saved), Some(place)) => Search::resume(settings, seed, members, saved)
                .map_err(|_| Checkpoint::misfit(place))?,
            _ => Search::new(settings, seed, members)?,
        };
        let ended = match &checkpoint.ended {
            Some(ended) => ended.clone(),
            None => self.search(&mut search, &mut checkpoint, &context)?,
        };
        let columns = self.cells.names().map(str::to_owned).collect();
        let fitness = self.evolve.settings.fitness;
        let mut facts = EvolutionFacts {
            search: self.evolve.over.word().to_owned(),
            applications: self.evolve.over.applications(),
            designs,
            ..facts::facts(&search, fitness, start, columns, &ended)
        };
        let front: Vec<TradeOff> = search.archive().found().iter().map(|f| f.of).collect();
        let (picked, of, genes) = self.chosen::<G>(&search)?;
        let at = |of: TradeOff| front.iter().position(|&other| other == of);
        let would_release = match self.wish.pick {
            None => at(of).map(|place| place + 1),
            Some(_) => None,
        };
        if self.wish.list {
            return Ok(Evolved {
                facts,
                front,
                would_release,
                outcome: None,
            });
        }
        facts.picked = picked;
        facts.released = facts::told(of);
        facts.equation = genome.equation(&genes).map(|equation| told(&equation));
        let guessed = facts.columns.iter().zip(genome.guessed(&genes));
        facts.guessed = guessed
            .map(|(column, of)| facts::guessed(column, of))
            .collect();
        drop(search);
        let outcome = self.release(genome.method(self.cells, &genes)?, &facts)?;
        // Who picks one of a front may look at another one; without it there is nothing to choose.
        let place = self.place.as_deref().filter(|place| place.exists());
        if let Some(place) = place.filter(|_| self.wish.pick.is_none()) {
            sealed::remove(place, &self.policy.files)?;
        }
        Ok(Evolved {
            facts,
            front,
            would_release,
            outcome: Some(outcome),
        })
    }

    /// The members that the search begins with, and what is told of the start.
    fn members<G: Genome>(
        &self,
        genome: &G,
        seed: u64,
        context: &Context,
    ) -> Result<Started<G::Of>> {
        let Begun { members, designs } = genome.begin(self.cells, seed, context)?;
        let scored = members.into_par_iter().map(|(label, mut member)| {
            let of = member.trade_off();
            (label, of, member)
        });
        let made: Vec<(String, TradeOff, G::Of)> = scored.collect();
        let designs = designs.into_iter().map(|(method, of)| StartFact {
            method,
            of: facts::told(of),
        });
        let fact = |(label, of, _): &(String, TradeOff, G::Of)| StartFact {
            method: label.clone(),
            of: facts::told(*of),
        };
        let facts: Vec<StartFact> = made.iter().map(fact).collect();
        // Of the start as a whole no place has a direction yet.
        let fitness = match self.evolve.settings.fitness {
            Fitness::Max => Fitness::Max,
            Fitness::Mean | Fitness::Front => Fitness::Mean,
        };
        let scores: Vec<f64> = made
            .iter()
            .map(|(_, of, _)| fitness.score(*of, 0, 1))
            .collect();
        let left_out = (self.evolve.leave_out_best * made.len() as f64).ceil() as usize;
        let most = self.evolve.population.unwrap_or(usize::MAX);
        let kept = best_first(&scores).into_iter().skip(left_out).take(most);
        let mut kept: Vec<usize> = kept.collect();
        kept.sort_unstable();
        let mut made: Vec<Option<G::Of>> =
            made.into_iter().map(|(_, _, file)| Some(file)).collect();
        let members: Vec<G::Of> = kept
            .iter()
            .filter_map(|&place| made[place].take())
            .collect();
        let start = kept.into_iter().map(|place| facts[place].clone());
        Ok(Started {
            start: start.collect(),
            designs: designs.collect(),
            members,
        })
    }

    /// Goes on to the end; notes now and then how far it is.
    fn search<I: Individual>(
        &self,
        search: &mut Search<I>,
        checkpoint: &mut Checkpoint,
        context: &Context,
    ) -> Result<String> {
        let sink = self.policy.sink.as_ref().map(|sink| sink.path.clone());
        let place = self.place.as_deref();
        let _running = sink.map(|sink| Running::new(&sink, place));
        let (begun, before) = (Instant::now(), checkpoint.milliseconds);
        let first = search.steps();
        let mut noted = begun;
        if let Some(place) = place {
            // What is drawn from must not be lost.
            checkpoint.save(place, &self.policy.files)?;
        }
        let why = search.run(LOOK, |search| {
            context.cancel.check()?;
            let seconds = begun.elapsed().as_secs_f64();
            checkpoint.milliseconds = before + begun.elapsed().as_millis() as u64;
            self.tell(search, (search.steps() - first) as f64 / seconds.max(1e-3));
            let due = noted.elapsed().as_millis() as i64 >= self.evolve.save_every;
            if let Some(place) = place.filter(|_| due) {
                checkpoint.saved = Some(search.saved());
                checkpoint.save(place, &self.policy.files)?;
                noted = Instant::now();
            }
            let time = self.evolve.time;
            Ok(time.is_some_and(|time| checkpoint.milliseconds as i64 >= time))
        })?;
        let ended = why.words().to_owned();
        if let Some(place) = place {
            checkpoint.saved = Some(search.saved());
            checkpoint.ended = Some(ended.clone());
            checkpoint.save(place, &self.policy.files)?;
        }
        Ok(ended)
    }

    fn tell<I: Individual>(&self, search: &Search<I>, rate: f64) {
        let now = search.now();
        self.options.progress.tell(Live::Search(Searched {
            steps: search.steps(),
            rate,
            best: now.best,
            mean: now.mean,
            loss: now.of.loss,
            risk: now.of.risk,
        }));
    }

    /// What is released: the one that was picked, else the best; of a search for a front the one
    /// whose larger one of loss and risk is the least.
    fn chosen<G: Genome>(
        &self,
        search: &Search<G::Of>,
    ) -> Result<(Option<usize>, TradeOff, <G::Of as Individual>::Genes)> {
        let front = search.archive().found();
        let place = match (self.wish.pick, self.evolve.settings.fitness) {
            (Some(pick), _) => Some(pick.wrapping_sub(1)),
            (None, Fitness::Front) => {
                let scores = front.iter().map(|found| Fitness::Max.score(found.of, 0, 1));
                best_first(&scores.collect::<Vec<f64>>()).first().copied()
            }
            (None, _) => None,
        };
        let Some(place) = place else {
            let population = search.population();
            let best = population.best();
            let genes = population.members()[best].genes();
            return Ok((None, population.trade_offs()[best], genes));
        };
        let found = front.get(place).ok_or_else(|| {
            Error::usage(format!("--pick: the front has places 1 to {}", front.len()))
                .help("`moretta evolve POLICY --list` shows them")
        })?;
        Ok((Some(place + 1), found.of, found.genes.clone()))
    }

    /// Releases what was found by an ordinary run.
    fn release(&self, method: Method, facts: &EvolutionFacts) -> Result<Outcome> {
        let mut policy = self.policy.clone();
        policy.plan.protect = vec![method];
        let run = Run::begin(&policy, self.options, Clock::default())?;
        run.run_as(self.options, |report| {
            report.evolution = Some(facts.clone());
            report.warnings.extend(facts::exchanges(facts));
        })
    }
}

/// An equation as it is told.
fn told(equation: &MatrixEquation) -> EquationFact {
    EquationFact {
        weights: equation.weights_text(),
        diagonal: match equation.diagonal {
            Diagonal::Constant(p) => p.to_string(),
            Diagonal::Equation(_) => equation.diagonal_text().unwrap_or_default(),
        },
    }
}
