//! What a policy would release of a sample of its rows, measured and not written.
//!
//! A private method is not tried on the rows: what it would release of them costs as much of its
//! budget as a release. It is shown on made-up rows, drawn from the bounds and categories that the
//! policy declares, which tell nothing of anybody.

use super::trial::Rows;
use crate::data::{ReadAs, Role};
use crate::engine::report::Report;
use crate::engine::{Plan, Progress, Resume, Session, Stage};
use crate::error::{Error, Result};
use crate::io::{Files, MemoryFiles, ReadOptions};
use crate::policy::Policy;
use crate::protect::Method;
use crate::protect::dp::Bounds;
use crate::protect::dp::local::Mechanism;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Where made-up rows are.
const MADE_UP: &str = "made-up.csv";

/// What a policy would release of a sample.
#[derive(Clone, Debug)]
pub struct Preview {
    /// Rows of the sample.
    pub rows: u64,
    /// Whether they were made up, since a method is private.
    pub made_up: bool,
    /// What would be told of each level, from the least to the most protected; of a policy
    /// without levels, of its one release. Figures are not rounded.
    pub reports: Vec<Report>,
}

/// Tries a policy on at most `rows` of its rows, which `seed` chooses.
///
/// # Errors
/// When a promise could not be kept on the sample, or the policy leaves its method to a search.
pub fn preview(policy: &Policy, rows: u64, seed: u64, progress: &Progress) -> Result<Preview> {
    policy.refuse_evolve("a preview")?;
    if policy.goal.is_some() {
        return Err(
            Error::policy("a preview needs a method, and [goal] leaves it to a search")
                .help("explore first, and name the method that was chosen under [[protect]]"),
        );
    }
    let private = policy.is_private();
    let made_up = match private {
        true => Some(on_made_up_rows(policy, rows, seed)),
        false => None,
    };
    let policy = made_up.as_ref().unwrap_or(policy);
    let all = Rows::read(policy, progress)?;
    let sample = all.sample(rows, seed)?;
    progress.enter(Stage::Protect);
    let mut reports = Vec::new();
    for level in policy.of_levels() {
        let plan = Plan {
            fail_above: Vec::new(),
            levels: Vec::new(),
            ledger: None,
            ..level.loaded_plan()?
        };
        reports.push(tried(&level, plan, &sample, progress)?);
    }
    Ok(Preview {
        rows: sample.len(),
        made_up: private,
        reports,
    })
}

fn tried(policy: &Policy, plan: Plan, rows: &Rows, progress: &Progress) -> Result<Report> {
    let mut context = policy.context(progress)?;
    context.measure_all = true;
    let (plan, sources) = (Arc::new(plan), rows.sources.len());
    let session = Session::resume(&plan, &rows.schema, &Resume::start(sources), context)?;
    let mut session = session.trusted();
    let mut batches: Vec<_> = rows.sources.iter().map(|source| source.iter()).collect();
    while let Some(source) = session.next_source() {
        match batches[source].next() {
            Some(batch) => session.push_from(source, batch.clone()).map(drop)?,
            None => session.end(source).map(drop)?,
        }
    }
    let (_, outcome) = session.finish()?;
    Ok(outcome.report)
}

/// The policy with made-up rows in place of its own.
fn on_made_up_rows(policy: &Policy, rows: u64, seed: u64) -> Policy {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let columns: Vec<Made> = policy
        .plan
        .columns
        .iter()
        .map(|column| made(policy, column))
        .collect();
    let names = policy
        .plan
        .columns
        .iter()
        .flat_map(|column| match &column.from {
            Some(from) => from.to_vec(),
            None => vec![column.name.clone()],
        });
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let names: Vec<String> = names.map(|name| quoted(&name)).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..rows.min(10_000) {
        let cells = columns.iter().map(|column| match column {
            Made::Number(low, high, whole) => {
                let share = random.next_u64() as f64 / u64::MAX as f64;
                let number = low + share * (high - low);
                let number = if *whole { number.round() } else { number };
                number.to_string()
            }
            Made::Category(labels) => {
                let place = random.next_u64() as usize % labels.len().max(1);
                quoted(labels.get(place).map_or("", String::as_str))
            }
            Made::Row => row.to_string(),
            Made::Place => "46.5,6.6".to_owned(),
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    let memory = MemoryFiles::default();
    memory.put(Path::new(MADE_UP), text.into_bytes());
    let mut policy = policy.clone();
    policy.source.path = MADE_UP.into();
    policy.source.more = Vec::new();
    policy.source.options = ReadOptions {
        limits: policy.source.options.limits,
        files: Files::provided(memory),
        ..ReadOptions::default()
    };
    policy
}

/// How the cells of a column are made up.
enum Made {
    Number(f64, f64, bool),
    Category(Vec<String>),
    /// The number of the row, as ids and times in seconds are.
    Row,
    /// A latitude and a longitude.
    Place,
}

fn made(policy: &Policy, column: &crate::engine::ColumnPolicy) -> Made {
    if column.from.is_some() {
        return Made::Place;
    }
    let within = |bounds: &Bounds| {
        let (low, high) = bounds.ends();
        Made::Number(low, high, column.read == ReadAs::Integer)
    };
    for method in &policy.plan.protect {
        match method {
            Method::DpMicroaggregation(config) => {
                if let Some(bounds) = config.bounds.get(&column.name) {
                    return within(bounds);
                }
            }
            Method::LocalDp(config) => {
                let own = config.columns.get(&column.name);
                match own.map(|own| &own.mechanism) {
                    Some(
                        Mechanism::Laplace(bounds)
                        | Mechanism::Geometric(bounds)
                        | Mechanism::Gaussian { bounds, .. },
                    ) => return within(bounds),
                    Some(Mechanism::Exponential(labels) | Mechanism::Kary(labels)) => {
                        return Made::Category(labels.clone());
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }
    match (&column.read, column.role, column.range) {
        (_, _, Some((low, high))) => Made::Number(low, high, column.read == ReadAs::Integer),
        (_, Role::Identifier | Role::Key | Role::Subject | Role::Time, _) => Made::Row,
        (ReadAs::Number, ..) => Made::Number(0.0, 100.0, false),
        (ReadAs::Integer, ..) => Made::Number(0.0, 100.0, true),
        (ReadAs::Ordered(labels), ..) => Made::Category(labels.clone()),
        _ => Made::Category(["a", "b", "c"].map(str::to_owned).to_vec()),
    }
}
