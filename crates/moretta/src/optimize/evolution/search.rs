//! The search: step after step, or a part of the population at a time.

use super::archive::Archive;
use super::diversity::diversity;
use super::draws::{Draws, Purpose};
use super::history::{History, Moment};
use super::population::Population;
use super::rates::Rates;
use super::settings::Settings;
use super::step::{Accepted, Candidate, Variation, cross, mutate, parents};
use super::stop::{Far, Stopped};
use super::{Individual, TradeOff};
use crate::error::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A population on its way.
pub struct Search<I: Individual> {
    settings: Settings,
    seed: u64,
    population: Population<I>,
    archive: Archive<I::Genes>,
    history: History,
    /// The population as it is.
    now: Moment,
    accepted: Vec<Accepted>,
    rates: Rates,
    steps: u64,
    evaluations: u64,
    /// The steps after which the best score was what it is.
    improved: u64,
    /// The generation whose diversity was looked at last.
    looked: u64,
}

/// How far a search is, without a gene of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// Steps that were done.
    pub steps: u64,
    /// Individuals that were evaluated, those of the start aside.
    pub evaluations: u64,
    /// What has adapted.
    pub rates: Rates,
    /// The steps that changed something.
    pub accepted: Vec<Accepted>,
}

/// Trade-offs that are kept at most.
const FRONT: usize = 200;

impl<I: Individual> Search<I> {
    /// A search that begins with these members.
    ///
    /// # Errors
    /// When there are none, or they have no genes.
    pub fn new(settings: Settings, seed: u64, start: Vec<I>) -> Result<Self> {
        if start.first().is_none_or(Individual::is_empty) {
            return Err(Error::bug("a search that begins with nothing"));
        }
        let mut archive = Archive::new(FRONT);
        let population = Population::new(settings.fitness, start);
        for (member, &of) in population.members().iter().zip(population.trade_offs()) {
            archive.add(of, || member.genes());
        }
        let now = moment(&population, 0);
        Ok(Search {
            rates: Rates::new(settings.crossover_rate, settings.mutation.genes),
            history: History::new(now),
            now,
            settings,
            seed,
            population,
            archive,
            accepted: Vec::new(),
            steps: 0,
            evaluations: 0,
            improved: 0,
            looked: 0,
        })
    }

    /// A search that goes on from where another one was that began with the same members.
    ///
    /// # Errors
    /// When the steps do not fit these members: it was another search.
    pub fn resume(settings: Settings, seed: u64, start: Vec<I>, saved: &Saved) -> Result<Self> {
        let mut search = Search::new(settings, seed, start)?;
        let at_a_time = search.settings.at_a_time(search.population.len());
        let foreign = || Error::bug("steps of another search");
        let mut rest = &saved.accepted[..];
        while let Some(first) = rest.first() {
            // Steps of one part of the population are done together.
            let part = first.step / at_a_time;
            let together = rest
                .iter()
                .take_while(|accepted| accepted.step / at_a_time == part)
                .count();
            let (now, later) = rest.split_at(together);
            if now.last().is_some_and(|last| last.step >= saved.steps) {
                return Err(foreign());
            }
            search.note(part * at_a_time);
            let steps: Vec<(u64, Variation)> =
                now.iter().map(|step| (step.step, step.operator)).collect();
            let before = search.accepted.len();
            search.together(&steps);
            if search.accepted[before..] != *now {
                return Err(foreign());
            }
            search.refresh(((part + 1) * at_a_time).min(saved.steps));
            rest = later;
        }
        search.note(saved.steps);
        search.steps = saved.steps;
        search.evaluations = saved.evaluations;
        search.rates = saved.rates;
        // Diversity was looked at before the last steps, not after them.
        let before = saved.steps.saturating_sub(at_a_time);
        search.looked = before / search.population.len() as u64;
        Ok(search)
    }

    /// How far it is, to go on later.
    pub fn saved(&self) -> Saved {
        Saved {
            steps: self.steps,
            evaluations: self.evaluations,
            rates: self.rates,
            accepted: self.accepted.clone(),
        }
    }

    /// The members.
    pub fn population(&self) -> &Population<I> {
        &self.population
    }

    /// The trade-offs that no other one beats, of all that ever were members.
    pub fn archive(&self) -> &Archive<I::Genes> {
        &self.archive
    }

    /// Best and mean score over the steps.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The population as it is.
    pub fn now(&self) -> Moment {
        Moment {
            step: self.steps,
            ..self.now
        }
    }

    /// Steps that were done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Individuals that were evaluated, those of the start aside.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// How many steps have changed something.
    pub fn accepted(&self) -> usize {
        self.accepted.len()
    }

    /// Goes on until a limit is reached or `stop` says so, which is asked after every `every`
    /// steps.
    pub fn run(
        &mut self,
        every: u64,
        mut stop: impl FnMut(&Self) -> Result<bool>,
    ) -> Result<Stopped> {
        let mut next = self.steps.saturating_add(every);
        loop {
            if let Some(why) = self.reached() {
                return Ok(why);
            }
            self.advance();
            if self.steps >= next {
                next = self.steps.saturating_add(every);
                if stop(self)? {
                    return Ok(Stopped::Asked);
                }
            }
        }
    }

    /// The next step, or the next ones together where there is a generation gap.
    pub fn advance(&mut self) {
        let at_a_time = self.settings.at_a_time(self.population.len());
        let first = self.steps;
        let left = self.settings.stop.steps_left(first);
        let end = first + at_a_time.min(left).max(1);
        let all = self.population.members()[0].len();
        let operator =
            |step: u64| Variation::draw(&self.settings, &self.rates, (self.seed, step), all);
        let before = self.accepted.len();
        match end - first {
            1 => {
                let operator = operator(first);
                self.single(first, operator);
                self.adapt(operator, self.accepted.len() > before, all);
            }
            _ => {
                let steps: Vec<(u64, Variation)> =
                    (first..end).map(|step| (step, operator(step))).collect();
                self.together(&steps);
                let taken: Vec<u64> = self.accepted[before..].iter().map(|a| a.step).collect();
                for (step, operator) in steps {
                    self.adapt(operator, taken.binary_search(&step).is_ok(), all);
                }
            }
        }
        if self.accepted.len() > before {
            self.refresh(end);
        }
        self.note(end);
        self.steps = end;
    }

    /// Why it has ended; none where it can go on.
    fn reached(&mut self) -> Option<Stopped> {
        let far = Far {
            steps: self.steps,
            members: self.population.len() as u64,
            evaluations: self.evaluations,
            best: self.now.best,
            improved: self.improved,
        };
        let stop = self.settings.stop;
        stop.reached(&far).or_else(|| {
            let generation = self.generation();
            let least = stop.diversity.filter(|_| generation > self.looked)?;
            self.looked = generation;
            (diversity(self.population.members()) < least).then_some(Stopped::Diversity)
        })
    }

    fn generation(&self) -> u64 {
        self.steps / self.population.len() as u64
    }

    fn adapt(&mut self, operator: Variation, taken: bool, all: usize) {
        self.evaluations += operator.children();
        let mutation = (self.settings.mutation, all);
        self.rates.note(operator.crosses(), taken, mutation);
        if self.settings.adaptive {
            self.rates.adapt();
        }
    }

    /// One step. A mutant is made in place and undone where it is no better.
    fn single(&mut self, step: u64, operator: Variation) {
        let of = (self.seed, step);
        let pair = parents(&self.settings, &self.population, of, operator.crosses());
        let taken = match operator {
            Variation::Mutation { genes } => [self.mutant(pair.0, of, genes), false],
            Variation::Crossover { genes } => {
                cross(&self.settings, &self.population, of, pair, genes)
                    .map(|candidate| self.compete(candidate))
            }
        };
        self.accept(step, operator, taken);
    }

    /// Several steps whose parents are those of now; children compete in the order of steps.
    fn together(&mut self, steps: &[(u64, Variation)]) {
        if let [(step, operator)] = *steps {
            return self.single(step, operator);
        }
        let (settings, population, seed) = (&self.settings, &self.population, self.seed);
        let children = |&(step, operator): &(u64, Variation)| {
            let of = (seed, step);
            let pair = parents(settings, population, of, operator.crosses());
            match operator {
                Variation::Crossover { genes } => {
                    cross(settings, population, of, pair, genes).map(Some)
                }
                Variation::Mutation { genes } => {
                    let mut individual = population.members()[pair.0].clone();
                    let mut draws = Draws::of(seed, step, Purpose::FirstChild);
                    mutate(&mut individual, genes, &mut draws);
                    let worse = population.is_no_better(pair.0, individual.glance());
                    let mutant = (!worse).then(|| Candidate {
                        place: pair.0,
                        of: individual.trade_off(),
                        individual,
                    });
                    [mutant, None]
                }
            }
        };
        let made: Vec<_> = steps.par_iter().map(children).collect();
        for (children, &(step, operator)) in made.into_iter().zip(steps) {
            let taken = children.map(|child| child.is_some_and(|child| self.compete(child)));
            self.accept(step, operator, taken);
        }
    }

    /// Changes the member at a place, and keeps the change where that is better.
    fn mutant(&mut self, place: usize, (seed, step): (u64, u64), genes: usize) -> bool {
        let mut draws = Draws::of(seed, step, Purpose::FirstChild);
        let member = self.population.member_mut(place);
        let changes = mutate(member, genes, &mut draws);
        let glance = member.glance();
        if !self.population.is_no_better(place, glance) {
            let member = self.population.member_mut(place);
            let (of, fingerprint) = (member.trade_off(), member.fingerprint());
            if self.is_better(place, of, fingerprint) {
                self.population.changed(place, of);
                self.found(place, of);
                return true;
            }
        }
        let member = self.population.member_mut(place);
        for change in changes.into_iter().rev() {
            member.undo(change);
        }
        false
    }

    /// Gives a candidate its place where it is better.
    fn compete(&mut self, candidate: Candidate<I>) -> bool {
        let Candidate {
            place,
            individual,
            of,
        } = candidate;
        let better = self.is_better(place, of, individual.fingerprint());
        if better {
            self.population.replace(place, individual, of);
            self.found(place, of);
        }
        better
    }

    fn is_better(&self, place: usize, of: TradeOff, fingerprint: u64) -> bool {
        let score = self.population.score_at(place, of);
        score < self.population.scores()[place]
            && !(self.settings.no_duplicates && self.population.has(fingerprint))
    }

    /// Keeps the member at a place where no other one beats it.
    fn found(&mut self, place: usize, of: TradeOff) {
        let member = &self.population.members()[place];
        self.archive.add(of, || member.genes());
    }

    fn accept(&mut self, step: u64, operator: Variation, taken: [bool; 2]) {
        if taken != [false; 2] {
            self.accepted.push(Accepted {
                step,
                operator,
                taken,
            });
        }
    }

    /// Looks at the population, which has changed, after so many steps.
    fn refresh(&mut self, steps: u64) {
        let now = moment(&self.population, steps);
        if now.best < self.now.best {
            self.improved = steps;
        }
        self.now = now;
    }

    /// Notes that the population was as it is after so many steps.
    fn note(&mut self, steps: u64) {
        self.history.note(Moment {
            step: steps,
            ..self.now
        });
    }
}

fn moment<I: Individual>(population: &Population<I>, step: u64) -> Moment {
    let best = population.best();
    Moment {
        step,
        best: population.scores()[best],
        mean: population.mean(),
        of: population.trade_offs()[best],
    }
}
