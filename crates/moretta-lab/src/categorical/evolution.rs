//! The search over cells: two executions of each fitness, and without the best of the start.

use super::data::Loaded;
use super::grid::{BITS, PARTS, measured, parts, short};
use crate::acceptance::Check;
use crate::cpu::CpuClock;
use crate::sheet::{Place, Sheet, row};
use crate::workers;
use moretta::Result;
use moretta::data::Records;
use moretta::optimize::evolution::{
    Fitness, Individual, Moment, Search, Settings, Stop, TradeOff, best_first,
};
use moretta::pipeline::CategoryFiles;

/// What a search is to do.
#[derive(Clone, Copy, Debug)]
struct Task {
    /// The place of the table.
    data: usize,
    fitness: Fitness,
    /// The place of the seed, from 0.
    execution: usize,
    /// The share of the start, its best, that is left out.
    left_out: f64,
}

/// The best, the mean and the worst score of a population.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scores {
    pub(super) best: f64,
    mean: f64,
    worst: f64,
}

impl Scores {
    fn of(scores: &[f64]) -> Self {
        Scores {
            best: scores.iter().copied().fold(f64::INFINITY, f64::min),
            mean: scores.iter().sum::<f64>() / scores.len().max(1) as f64,
            worst: scores.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// What a search has found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) data: &'static str,
    pub(super) fitness: Fitness,
    pub(super) seed: u64,
    pub(super) left_out: f64,
    /// The mean score of the files that were left out.
    pub(super) left_out_mean: Option<f64>,
    members: usize,
    steps: u64,
    evaluations: u64,
    pub(super) start: Scores,
    pub(super) end: Scores,
    /// The best file of the start.
    best_start: String,
    /// Loss and risk of the best file, and what they are made of, where its cells are categories.
    best: TradeOff,
    parts: Option<[f64; 6]>,
    pub(super) first: Vec<TradeOff>,
    pub(super) last: Vec<TradeOff>,
    pub(super) curve: Vec<Moment>,
    seconds: f64,
}

/// How much is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Steps over categories.
    pub(super) steps: u64,
    /// Steps over numbers, of which each costs the measures of a whole file.
    pub(super) steps_of_numbers: u64,
    /// Members at most: the best of the start.
    pub(super) members: usize,
    pub(super) executions: usize,
    pub(super) seed: u64,
}

/// The shares of the start that are left out to see how robust the search is.
const LEFT_OUT: [f64; 2] = [0.05, 0.1];

pub(super) const FITNESSES: [Fitness; 2] = [Fitness::Mean, Fitness::Max];

/// Every search on these tables; those of which `robust` says so also without the best of the
/// start.
pub(super) fn compute(tables: &[Loaded], robust: &[&str], effort: Effort) -> Result<Vec<Found>> {
    let mut starts: Vec<Vec<Start>> = Vec::new();
    let mut tasks = Vec::new();
    for (data, table) in tables.iter().enumerate() {
        let seeds = (0..effort.executions).map(|execution| effort.seed + execution as u64);
        starts.push(
            seeds
                .map(|seed| start(table, seed))
                .collect::<Result<_>>()?,
        );
        for fitness in FITNESSES {
            let task = |execution: usize, left_out: f64| Task {
                data,
                fitness,
                execution,
                left_out,
            };
            tasks.extend((0..effort.executions).map(|execution| task(execution, 0.0)));
            if robust.contains(&table.set.name) {
                tasks.extend(LEFT_OUT.map(|share| task(0, share)));
            }
        }
    }
    workers::each(&tasks, |task| {
        let (loaded, start) = (&tables[task.data], &starts[task.data][task.execution]);
        if loaded.holds_numbers() {
            let files = loaded.table.number_files(BITS);
            let file = |records: &Records| Ok(files.file(records));
            return Ok(search(loaded, start, &file, *task, effort)?.0);
        }
        let scorer = loaded.scorer()?;
        let files = CategoryFiles::new(scorer.clone(), false);
        let file = |records: &Records| files.file(&loaded.table.categorical(records)?);
        let (mut found, best) = search(loaded, start, &file, *task, effort)?;
        found.parts = Some(parts(&scorer.score(&best)?.figures()));
        Ok(found)
    })
}

/// What a search begins with.
struct Start {
    files: Vec<(String, Records)>,
    /// Loss and risk of each file.
    of: Vec<TradeOff>,
}

fn start(loaded: &Loaded, seed: u64) -> Result<Start> {
    let files = loaded.table.start(seed)?;
    let of = measured(loaded, &files)?;
    Ok(Start {
        of: of.into_iter().map(|(of, _)| of).collect(),
        files,
    })
}

/// A search, and the genes of the best that it has found.
fn search<I: Individual>(
    loaded: &Loaded,
    start: &Start,
    files: &(dyn Fn(&Records) -> Result<I> + Sync),
    task: Task,
    effort: Effort,
) -> Result<(Found, I::Genes)> {
    let Task {
        fitness, left_out, ..
    } = task;
    let seed = effort.seed + task.execution as u64;
    let score = |of: &TradeOff| fitness.score(*of, 0, 1);
    let scores: Vec<f64> = start.of.iter().map(score).collect();
    let mut order = best_first(&scores);
    order.truncate(effort.members);
    let removed = (left_out * order.len() as f64).ceil() as usize;
    let (removed, kept) = order.split_at(removed.min(order.len()));
    let removed_scores: Vec<f64> = removed.iter().map(|&place| scores[place]).collect();
    let best_start = kept.first().map(|&place| short(&start.files[place].0));
    let mut places = kept.to_vec();
    places.sort_unstable();
    let members = places.iter().map(|&place| files(&start.files[place].1));
    let members: Vec<I> = members.collect::<Result<_>>()?;
    let steps = match loaded.holds_numbers() {
        true => effort.steps_of_numbers,
        false => effort.steps,
    };
    let settings = Settings {
        fitness,
        stop: Stop {
            steps: Some(steps),
            ..Stop::default()
        },
        ..Settings::default()
    };
    let mut search = Search::new(settings, seed, members)?;
    let first = search.population().trade_offs().to_vec();
    let begin = Scores::of(search.population().scores());
    let clock = CpuClock::start();
    search.run(u64::MAX, |_| Ok(false))?;
    let seconds = clock.seconds();
    let population = search.population();
    let best = population.best();
    let mut curve = search.history().moments().to_vec();
    if curve.last().is_none_or(|last| last.step < search.steps()) {
        curve.push(search.now());
    }
    let found = Found {
        data: loaded.set.name,
        fitness,
        seed,
        left_out,
        left_out_mean: (!removed.is_empty()).then(|| Scores::of(&removed_scores).mean),
        members: population.len(),
        steps: search.steps(),
        evaluations: search.evaluations(),
        start: begin,
        end: Scores::of(population.scores()),
        best_start: best_start.unwrap_or_default(),
        best: population.trade_offs()[best],
        parts: None,
        first,
        last: population.trade_offs().to_vec(),
        curve,
        seconds,
    };
    let genes = population.members()[best].genes();
    Ok((found, genes))
}

/// The word of a fitness in a policy.
pub(super) fn word(fitness: Fitness) -> &'static str {
    match fitness {
        Fitness::Mean => "mean",
        Fitness::Max => "max",
        Fitness::Front => "front",
    }
}

/// How much of the start was left out.
pub(super) fn share(left_out: f64) -> String {
    match left_out > 0.0 {
        true => format!("{:.0} %", 100.0 * left_out),
        false => String::new(),
    }
}

/// Scores at the start and the end, the best files, and the curves.
pub(super) fn sheets(found: &[Found]) -> Vec<Sheet> {
    let head = [
        "data",
        "fitness",
        "seed",
        "left out",
        "files",
        "steps",
        "start best",
        "start mean",
        "start worst",
        "end best",
        "end mean",
        "end worst",
        "CPU seconds",
    ];
    let title = "The search over cells: scores of the first and the last population";
    let mut scores = Sheet::new("evolution", title, Place::Both, &head);
    let head = [
        "data",
        "fitness",
        "seed",
        "left out",
        "best of the start",
        "score",
        "found",
        "IL",
        "DR",
    ];
    let head = [&head[..], &PARTS].concat();
    let title = "The best file of the start, and the best found";
    let mut best = Sheet::new("evolution-best", title, Place::Both, &head);
    let head = [
        "data", "fitness", "seed", "left out", "step", "best", "mean",
    ];
    let mut curves = Sheet::new("evolution-curves", "Curves", Place::File, &head);
    let head = [
        "data",
        "fitness",
        "seed",
        "left out",
        "population",
        "IL",
        "DR",
    ];
    let mut populations = Sheet::new("evolution-populations", "Files", Place::File, &head);
    for one in found {
        let key = row![one.data, word(one.fitness), one.seed, share(one.left_out)];
        let with_key = |cells| [key.clone(), cells].concat();
        let (start, end) = (one.start, one.end);
        scores.rows.push(with_key(row![
            one.members,
            one.steps,
            start.best,
            start.mean,
            start.worst,
            end.best,
            end.mean,
            end.worst,
            one.seconds,
        ]));
        let mut cells = row![
            &*one.best_start,
            start.best,
            end.best,
            one.best.loss,
            one.best.risk
        ];
        for place in 0..PARTS.len() {
            cells.extend(row![one.parts.map(|parts| parts[place])]);
        }
        best.rows.push(with_key(cells));
        for moment in &one.curve {
            curves
                .rows
                .push(with_key(row![moment.step, moment.best, moment.mean]));
        }
        for (name, files) in [("first", &one.first), ("last", &one.last)] {
            for of in files {
                populations
                    .rows
                    .push(with_key(row![name, of.loss, of.risk]));
            }
        }
    }
    let evaluations: u64 = found.iter().map(|one| one.evaluations).sum();
    scores.note(format!("{evaluations} files were evaluated. CPU seconds are those of the steps, on one thread each; the start aside."));
    scores.note("The source study printed final scores and CPU seconds (its tables 3.2 and 3.3); neither is known to us.");
    vec![scores, best, curves, populations]
}

/// What must hold of every search; that it finds something better, of those on tables of which
/// `better` says so.
pub(super) fn checks(found: &[Found], better: &[&str]) -> Vec<Check> {
    let mut checks = Vec::new();
    for one in found {
        let left_out = match one.left_out > 0.0 {
            true => format!(" without the best {}", share(one.left_out)),
            false => String::new(),
        };
        let who = format!(
            "{}, {}, seed {}{left_out}",
            one.data,
            word(one.fitness),
            one.seed
        );
        let never_worse = one
            .curve
            .windows(2)
            .all(|pair| pair[1].best <= pair[0].best && pair[1].mean <= pair[0].mean);
        checks.push(Check {
            what: format!("{who}: neither best nor mean ever gets worse"),
            holds: never_worse,
        });
        let required = better.contains(&one.data);
        checks.extend(required.then(|| Check {
            what: format!(
                "{who}: best at the end {:.2} below {:.2} at the start",
                one.end.best, one.start.best
            ),
            holds: one.end.best < one.start.best,
        }));
        if let Some(mean) = one.left_out_mean {
            checks.push(Check {
                what: format!(
                    "{who}: best {:.2} no worse than {mean:.2}, the mean of those left out",
                    one.end.best
                ),
                holds: one.end.best <= mean,
            });
        }
    }
    checks
}
