//! `moretta attack`: what an attacker gets back of a release that a policy would make.

use super::load;
use crate::args::{AttackArgs, OptimizerArg};
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::attack::reconstruction::{Optimizer, Study, StudySettings, Success};
use moretta::pipeline::{self, Progress};
use std::process::ExitCode;

pub(crate) fn run(args: &AttackArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = load(&args.policy)?;
    let progress = Progress::default();
    let settings = StudySettings {
        known: args.known as usize,
        attacks: args.attacks as usize,
        epsilon: args.epsilon,
        optimizer: match args.optimizer {
            OptimizerArg::Lbfgs => Optimizer::Lbfgs,
            OptimizerArg::NelderMead => Optimizer::NelderMead,
        },
        starts: args.starts as usize,
        accuracy: args.accuracy,
        seed: args.seed,
    };
    let study = console
        .watch(&progress, || {
            pipeline::attack(&policy, &settings, &progress)
        })
        .map_err(|error| Failure::of_policy(error, &args.policy.policy))?;
    console.result(&study, || text(&study))
}

fn text(study: &Study) -> String {
    let head = format!(
        "{} features released as {} numbers; the attacker knows {} records; a breach is an error below {}\n\n",
        study.features, study.released, study.known, study.epsilon
    );
    let known = study.attacks.iter().any(|one| one.magnitude.is_some());
    let mut names = vec![
        "attack",
        "breach",
        "95 % between",
        "median error",
        "seconds",
    ];
    if known {
        names.push("magnitude");
    }
    let mut rows = vec![names.into_iter().map(str::to_owned).collect()];
    rows.extend(study.attacks.iter().map(line));
    let far = format!(
        "\nmedian error by rows to the nearest known record\n{}",
        distances(study)
    );
    head + &table(&rows) + &far
}

fn line(success: &Success) -> Vec<String> {
    let [low, high] = success.interval.map(|end| end * 100.0);
    let cells = [
        success.attack.clone(),
        format!("{:.1} %", success.breach * 100.0),
        format!("{low:.1} and {high:.1} %"),
        error(success.median_error),
        format!("{:.6}", success.seconds),
    ];
    let magnitude = success.magnitude.map(|magnitude| format!("{magnitude:.4}"));
    cells.into_iter().chain(magnitude).collect()
}

/// Attacks beside each other, nearer records first.
fn distances(study: &Study) -> String {
    let Some(first) = study.attacks.first() else {
        return String::new();
    };
    let ranges = first.by_distance.iter();
    let ranges = ranges.map(|part| format!("{}–{}", part.from, part.to));
    let head = std::iter::once("attack".to_owned()).chain(ranges).collect();
    let rows = study.attacks.iter().map(|one| {
        let errors = one.by_distance.iter().map(|part| error(part.median_error));
        std::iter::once(one.attack.clone()).chain(errors).collect()
    });
    table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

/// An attack that found nothing has no error.
fn error(error: f64) -> String {
    match error.is_finite() {
        true => format!("{error:.3}"),
        false => "none found".to_owned(),
    }
}
