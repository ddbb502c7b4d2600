//! A search for matrices or equations on a table of categories, for studies: no policy, no file, and
//! nothing is released.
//!
//! ```
//! use moretta::data::{CategoricalTable, Variable};
//! use moretta::optimize::evolution::{Settings, Stop};
//! use moretta::optimize::{EquationRules, PramForm};
//! use moretta::pipeline::PramSearch;
//!
//! let column = |of: usize| (0..60).map(|row| (row * of / 7 % 4) as u32).collect();
//! let table = CategoricalTable::new(vec![Variable::ordinal(4); 2], vec![column(5), column(11)])?;
//! let search = PramSearch {
//!     settings: Settings { stop: Stop { steps: Some(50), ..Stop::default() }, ..Settings::default() },
//!     ..PramSearch::new(PramForm::Equations(EquationRules::default()), 1)
//! };
//! let found = search.run(&table, |_| Ok(false))?;
//! assert!(found.score <= found.history[0].best);
//! println!("{}", found.best.equation.expect("an equation"));
//! # Ok::<(), moretta::Error>(())
//! ```

use super::applications::Ground;
use super::matrices::Matrices;
use super::{Breed, Genotype, designs};
use crate::data::CategoricalTable;
use crate::error::Result;
use crate::measure::categorical::ScoreSettings;
use crate::optimize::PramForm;
use crate::optimize::evolution::{Moment, Search, Settings, Stopped, TradeOff};
use crate::protect::pram::{MatrixEquation, TransitionMatrix};
use rayon::prelude::*;

/// A search for matrices of PRAM that lose and risk less.
#[derive(Clone, Debug, PartialEq)]
pub struct PramSearch {
    /// What is searched for.
    pub form: PramForm,
    /// Files that each matrix is judged by; more of them leave less to chance.
    pub applications: usize,
    /// How the search goes.
    pub settings: Settings,
    /// What loss and risk are computed with.
    pub score: ScoreSettings,
    /// What everything is drawn from.
    pub seed: u64,
}

/// Matrices that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct PramSolution {
    /// A matrix for each column, as it is applied: repaired where that is asked for.
    pub matrices: Vec<TransitionMatrix>,
    /// The equation that makes them; none where matrices were searched for.
    pub equation: Option<MatrixEquation>,
    /// Mean information loss and disclosure risk over the applications.
    pub of: TradeOff,
    /// By column, the share of values that somebody guesses right who knows the matrix and the
    /// frequencies: an exchange of categories gives 1, which the measures of risk do not see.
    pub guessed: Vec<f64>,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq)]
pub struct PramFound {
    /// The one with the least score; of a search for a front the one with the least mean of loss and
    /// risk.
    pub best: PramSolution,
    /// Its score at the place that it has in the population.
    pub score: f64,
    /// All that no other one beats, from little loss to little risk.
    pub front: Vec<PramSolution>,
    /// The population at the start, and what its members are called.
    pub start: Vec<(String, TradeOff)>,
    /// Designs of the literature under the same draws, as they are: neither rounded nor repaired.
    pub designs: Vec<(String, TradeOff)>,
    /// Best and mean score over the steps.
    pub history: Vec<Moment>,
    /// Mutations and crossings.
    pub steps: u64,
    /// Mutants and children that were evaluated.
    pub evaluations: u64,
    /// Steps that have changed the population.
    pub accepted: usize,
    /// Why it has ended.
    pub stopped: Stopped,
}

/// Steps between questions whether to stop.
const LOOK: u64 = 64;

impl PramSearch {
    /// A search with the usual settings: three applications, and no end unless one is set.
    pub fn new(form: PramForm, seed: u64) -> Self {
        PramSearch {
            form,
            applications: 3,
            settings: Settings::default(),
            score: ScoreSettings::default(),
            seed,
        }
    }

    /// Searches until an end of the settings is reached, or `stop` says so, which is asked now and
    /// then.
    ///
    /// # Errors
    /// When the table has no rows, or `stop` fails.
    pub fn run(
        &self,
        original: &CategoricalTable,
        stop: impl FnMut(Moment) -> Result<bool>,
    ) -> Result<PramFound> {
        match &self.form {
            PramForm::Matrices(rules) => self.searched::<Matrices>(rules, original, stop),
            PramForm::Equations(rules) => self.searched::<MatrixEquation>(rules, original, stop),
        }
    }

    fn searched<G: Genotype>(
        &self,
        rules: &G::Rules,
        original: &CategoricalTable,
        mut stop: impl FnMut(Moment) -> Result<bool>,
    ) -> Result<PramFound> {
        let ground = Ground::new(original, self.score.clone(), self.applications, self.seed)?;
        let begun = begin::<G>(ground, rules.clone(), self.seed, &|_| Ok(()))?;
        let (breed, designs) = (begun.breed, begun.designs);
        let (labels, members): (Vec<String>, Vec<_>) = begun.members.into_iter().unzip();
        let mut search = Search::new(self.settings.clone(), self.seed, members)?;
        let start = search.population().trade_offs().to_vec();
        let stopped = search.run(LOOK, |search| stop(search.now()))?;
        let solution = |genes: &G, of: TradeOff| {
            let matrices = breed.matrices(genes);
            let guessed = matrices.iter().zip(breed.ground.all_frequencies());
            PramSolution {
                guessed: guessed.map(|(matrix, of)| matrix.guessed(of)).collect(),
                equation: genes.equation().cloned(),
                matrices,
                of,
            }
        };
        let population = search.population();
        let best = population.best();
        let member = &population.members()[best];
        let front = search.archive().found().iter();
        Ok(PramFound {
            best: solution(&member.genotype, population.trade_offs()[best]),
            score: population.scores()[best],
            front: front
                .map(|found| solution(&found.genes, found.of))
                .collect(),
            start: labels.into_iter().zip(start).collect(),
            designs,
            history: search.history().moments().to_vec(),
            steps: search.steps(),
            evaluations: search.evaluations(),
            accepted: search.accepted(),
            stopped,
        })
    }
}

/// What a search begins with.
pub(super) struct Begun<G: Genotype> {
    pub(super) breed: std::sync::Arc<Breed<G>>,
    pub(super) members: Vec<(String, super::Randomizer<G>)>,
    pub(super) designs: Vec<(String, TradeOff)>,
}

/// The members that a search begins with, and the designs of the literature beside them. `make` is
/// told before each member is made, of how many.
///
/// # Errors
/// When files cannot be scored.
pub(super) fn begin<G: Genotype>(
    ground: Ground,
    rules: G::Rules,
    seed: u64,
    make: &(dyn Fn(usize) -> Result<()> + Sync),
) -> Result<Begun<G>> {
    let breed = Breed::<G>::new(ground, rules);
    let start = G::start(&breed.rules, breed.ground.all_frequencies(), seed);
    let all = start.len();
    let members = start.into_par_iter().map(|(label, genotype)| {
        make(all)?;
        let individual = breed.individual(genotype)?;
        Ok((label, individual))
    });
    let members = members.collect::<Result<Vec<_>>>()?;
    let designs = designs(breed.ground.all_frequencies()).into_par_iter();
    let designs = designs.map(|(label, matrices)| Ok((label, breed.measured(&matrices)?)));
    let designs = designs.collect::<Result<Vec<_>>>()?;
    Ok(Begun {
        breed,
        members,
        designs,
    })
}
