//! Matrices and equations for PRAM that searches find, against the designs of the literature.
//!
//! Searches judge matrices by the mean over a few draws that are always the same. All figures told
//! here are means over other draws, which no search has seen, alike for designs and for what was
//! found.

mod applied;
mod designs;
mod sheets;

use super::data::{DataSet, Loaded};
use super::evolution::{FITNESSES, word};
use crate::acceptance::Check;
use crate::cpu::CpuClock;
use crate::workers;
use applied::{Averages, Draws, averages, with_matrices};
use designs::designs;
use moretta::Result;
use moretta::data::CategoricalTable;
use moretta::measure::categorical::Scorer;
use moretta::optimize::evolution::{Crossover, Fitness, Moment, Selection, Settings, Stop};
use moretta::optimize::{EquationRules, MatrixRules, PramForm};
use moretta::pipeline::PramSearch;
use moretta::protect::pram::TransitionMatrix;
use rayon::prelude::*;
pub(super) use sheets::sheets;
use std::path::Path;

/// How much is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub(super) steps: u64,
    /// Draws over which figures are means.
    pub(super) draws: u64,
    pub(super) seed: u64,
}

/// Columns of a table that are protected together.
struct Target {
    loaded: Loaded,
    columns: String,
    scorer: Scorer,
    /// Whether these are all columns of the table.
    whole: bool,
    /// Whether it is the first column, of which more is told.
    first: bool,
}

/// A design of the literature with its parameter.
#[derive(Clone, Debug)]
pub(super) struct Designed {
    pub(super) data: &'static str,
    pub(super) columns: String,
    /// Designs with other parameters.
    pub(super) family: &'static str,
    pub(super) parameter: String,
    pub(super) averages: Averages,
    guessed: f64,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) data: &'static str,
    pub(super) columns: String,
    pub(super) fitness: Fitness,
    pub(super) family: String,
    pub(super) formula: Option<String>,
    names: Vec<String>,
    categories: Vec<Vec<String>>,
    matrices: Vec<TransitionMatrix>,
    pub(super) averages: Averages,
    /// Its score over the draws of the search, and that of the best design over the same.
    own_score: f64,
    best_design: f64,
    pub(super) curve: Vec<Moment>,
    steps: u64,
    seconds: f64,
    /// See [`guessed`].
    guessed: f64,
    /// How far expected frequencies are from those of the table, in percent of the rows.
    drift: f64,
    /// The share of rows that stay, the least over the columns.
    stays: f64,
    rules: Rules,
}

/// What a search keeps to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rules {
    Matrices,
    Invariant,
    Diagonal(f64),
    Depth(usize),
}

impl Rules {
    fn family(self) -> String {
        match self {
            Rules::Matrices => "evolved matrices".to_owned(),
            Rules::Invariant => "evolved invariant".to_owned(),
            Rules::Diagonal(share) => format!("evolved invariant, {share} stay"),
            Rules::Depth(depth) => format!("evolved equation, depth {depth}"),
        }
    }

    fn form(self) -> PramForm {
        let (invariant, diagonal) = match self {
            Rules::Depth(depth) => {
                return PramForm::Equations(EquationRules {
                    depth,
                    ..EquationRules::default()
                });
            }
            Rules::Matrices => (false, None),
            Rules::Invariant => (true, None),
            Rules::Diagonal(share) => (true, Some(share)),
        };
        PramForm::Matrices(MatrixRules {
            invariant,
            diagonal,
            ..MatrixRules::default()
        })
    }

    /// Rows are what is exchanged; equations are chosen by tournaments, as the source says.
    fn settings(self, fitness: Fitness, steps: u64) -> Settings {
        let stop = Stop {
            steps: Some(steps),
            ..Stop::default()
        };
        let usual = Settings {
            fitness,
            stop,
            ..Settings::default()
        };
        match self {
            Rules::Depth(_) => Settings {
                selection: Selection::Tournament(3),
                ..usual
            },
            _ => Settings {
                crossover: Crossover::Points(1),
                ..usual
            },
        }
    }
}

/// The rules of searches on all columns together, on the first column, and on the others.
const OF_ALL: [Rules; 7] = [
    Rules::Matrices,
    Rules::Invariant,
    Rules::Diagonal(0.8),
    Rules::Depth(1),
    Rules::Depth(2),
    Rules::Depth(4),
    Rules::Depth(6),
];
const OF_FIRST: [Rules; 4] = [
    Rules::Matrices,
    Rules::Invariant,
    Rules::Diagonal(0.8),
    Rules::Depth(4),
];
const OF_OTHERS: [Rules; 2] = [Rules::Matrices, Rules::Depth(4)];

/// Everything that was found of PRAM.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    pub(super) designed: Vec<Designed>,
    pub(super) found: Vec<Found>,
}

pub(super) fn compute(
    sets: &[&'static DataSet],
    data: &Path,
    rows: usize,
    effort: Effort,
) -> Result<Results> {
    let targets = targets(sets, data, rows)?;
    // Searches draw from `seed`; what is told comes from other draws.
    let draws = Draws {
        first_seed: effort.seed.wrapping_add(1_000_000),
        count: effort.draws,
    };
    let mut tasks = Vec::new();
    for target in &targets {
        tasks.extend(designs().into_iter().map(|design| (target, design)));
    }
    let designed = tasks.into_par_iter().map(|(target, design)| {
        let averages = averages(&target.loaded, &target.scorer, &design.lines, draws)?;
        Ok(Designed {
            data: target.loaded.set.name,
            columns: target.columns.clone(),
            family: design.family,
            guessed: guessed(target.scorer.original(), |_, counts| design.matrix(counts)),
            parameter: design.parameter,
            averages,
        })
    });
    let designed = designed.collect::<Result<_>>()?;
    let mut tasks = Vec::new();
    for target in &targets {
        let rules: &[Rules] = match (target.whole, target.first) {
            (true, _) => &OF_ALL,
            (_, true) => &OF_FIRST,
            _ => &OF_OTHERS,
        };
        for fitness in FITNESSES {
            tasks.extend(rules.iter().map(|&rules| (target, fitness, rules)));
        }
    }
    let found = workers::each(&tasks, |&(target, fitness, rules)| {
        search(target, fitness, rules, effort, draws)
    })?;
    Ok(Results { designed, found })
}

fn targets(sets: &[&'static DataSet], data: &Path, rows: usize) -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    for set in sets {
        let all = 0..set.width();
        let single = all.clone().map(|place| place..place + 1);
        for places in single.chain([all.clone()]) {
            let loaded = set.load_columns(data, rows, places.clone())?;
            let whole = places == all;
            let columns = match whole {
                true => "all three".to_owned(),
                false => loaded.table.names().collect(),
            };
            targets.push(Target {
                scorer: loaded.scorer()?,
                columns,
                whole,
                first: places == (0..1),
                loaded,
            });
        }
    }
    Ok(targets)
}

fn search(
    target: &Target,
    fitness: Fitness,
    rules: Rules,
    effort: Effort,
    draws: Draws,
) -> Result<Found> {
    let search = PramSearch {
        settings: rules.settings(fitness, effort.steps),
        ..PramSearch::new(rules.form(), effort.seed)
    };
    let original = target.scorer.original();
    let clock = CpuClock::start();
    let found = search.run(original, |_| Ok(false))?;
    let seconds = clock.seconds();
    let designs = found.designs.iter().map(|(_, of)| fitness.score(*of, 0, 1));
    let table = &target.loaded.table;
    let lines = with_matrices(&target.loaded, &found.best.matrices);
    let matrices = found.best.matrices.iter().enumerate();
    let drift = matrices.clone().map(|(place, matrix)| {
        let counts = frequencies(original, place);
        let expected = matrix.expected(&counts);
        let apart: f64 = expected
            .iter()
            .zip(&counts)
            .map(|(a, b)| (a - b).abs())
            .sum();
        50.0 * apart / original.rows().max(1) as f64
    });
    let stays = matrices.map(|(place, matrix)| matrix.staying(&frequencies(original, place)));
    let categories = |place: usize| table.categories(place).unwrap_or_default().to_vec();
    Ok(Found {
        data: target.loaded.set.name,
        columns: target.columns.clone(),
        fitness,
        family: rules.family(),
        formula: found.best.equation.as_ref().map(ToString::to_string),
        names: table.names().map(str::to_owned).collect(),
        categories: (0..original.width()).map(categories).collect(),
        averages: averages(&target.loaded, &target.scorer, &lines, draws)?,
        own_score: found.score,
        best_design: designs.fold(f64::INFINITY, f64::min),
        curve: found.history,
        steps: found.steps,
        seconds,
        guessed: guessed(original, |place, _| found.best.matrices[place].clone()),
        drift: drift.fold(0.0, f64::max),
        stays: stays.fold(1.0, f64::min),
        matrices: found.best.matrices,
        rules,
    })
}

fn frequencies(table: &CategoricalTable, place: usize) -> Vec<f64> {
    let mut counts = vec![0.0; table.variables()[place].levels];
    for &code in table.column(place) {
        counts[code as usize] += 1.0;
    }
    counts
}

/// The percentage of values that somebody guesses who knows the frequencies and the matrix, and
/// takes for each released value the most probable original; the mean over the columns. No part of
/// IL or DR looks at it.
fn guessed(table: &CategoricalTable, matrix: impl Fn(usize, &[f64]) -> TransitionMatrix) -> f64 {
    let of_column = |place: usize| {
        let counts = frequencies(table, place);
        matrix(place, &counts).guessed(&counts)
    };
    let width = table.width();
    100.0 * (0..width).map(of_column).sum::<f64>() / width.max(1) as f64
}

/// What must hold of every search.
pub(super) fn checks(results: &Results) -> Vec<Check> {
    let mut checks = Vec::new();
    for found in &results.found {
        let who = format!(
            "{}, {}, {}, {}",
            found.data,
            found.columns,
            word(found.fitness),
            found.family
        );
        let curve = found.curve.windows(2);
        checks.push(Check {
            what: format!("{who}: neither best nor mean ever gets worse"),
            holds: { curve }
                .all(|pair| pair[1].best <= pair[0].best && pair[1].mean <= pair[0].mean),
        });
        if found.rules == Rules::Matrices && found.matrices.len() > 1 {
            checks.push(Check {
                what: format!(
                    "{who}: {:.2} below {:.2}, the best design over the same draws",
                    found.own_score, found.best_design
                ),
                holds: found.own_score < found.best_design,
            });
        }
        if let Rules::Invariant | Rules::Diagonal(_) = found.rules {
            checks.push(Check {
                what: format!("{who}: expected frequencies are those of the table"),
                holds: found.drift < 1e-6,
            });
        }
        if let Rules::Diagonal(share) = found.rules {
            checks.push(Check {
                what: format!(
                    "{who}: {:.3} of the rows stay, {share} at least",
                    found.stays
                ),
                holds: found.stays >= share - 1e-9,
            });
        }
    }
    checks
}
