//! `moretta tune`: how much a policy may protect and still meet goals.

use super::load;
use crate::args::{PreferArg, ScaleArg, TuneArgs};
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::optimize::{Prefer, Scale};
use moretta::pipeline::{self, Attempt, Figure, Progress, TuneSettings, Tuned};
use moretta::policy::Root;
use moretta::{Error, measure};
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &TuneArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = load(&args.policy)?;
    let root = Root::of_policy(&args.policy.policy, args.policy.root.as_deref())?;
    let progress = Progress::default();
    let settings = settings(args);
    let tuned = console
        .watch(&progress, || {
            pipeline::tune(&policy, &root, &settings, &progress)
        })
        .map_err(|error| Failure::of_policy(error, &args.policy.policy))?;
    let code = console.result(&tuned, || text(&tuned))?;
    if let Some(caution) = tuned.caution {
        console.hint(caution);
    }
    if tuned.best.is_none() {
        return Err(none_meets(&tuned).into());
    }
    for hint in hints(&tuned) {
        console.hint(hint);
    }
    Ok(code)
}

fn settings(args: &TuneArgs) -> TuneSettings {
    TuneSettings {
        parameter: args.vary.name.clone(),
        between: args.vary.between,
        steps: args.steps as usize,
        scale: args.scale.map(|scale| match scale {
            ScaleArg::Linear => Scale::Linear,
            ScaleArg::Log => Scale::Logarithmic,
        }),
        bisections: args.bisections as usize,
        prefer: args.prefer.map(|prefer| match prefer {
            PreferArg::High => Prefer::High,
            PreferArg::Low => Prefer::Low,
        }),
        goals: args.goals.clone(),
        seed: args.seed,
        draws: args.draws,
    }
}

/// The values that were tried, and the line for the policy.
fn text(tuned: &Tuned) -> String {
    let goals = tuned
        .tried
        .first()
        .into_iter()
        .flat_map(|one| &one.measures);
    let goals = goals.map(|goal| {
        let tested = goal
            .tested
            .map(|side| format!(", tested on {} rows", side.word()));
        let limit = shown(&goal.name, goal.limit);
        format!("{} ≤ {limit}{}", goal.name, tested.unwrap_or_default())
    });
    let head = std::iter::once(tuned.parameter.clone())
        .chain(goals)
        .chain(["goals".to_owned()]);
    let mut rows = vec![head.collect()];
    rows.extend(tuned.tried.iter().map(row));
    let mut text = table(&rows);
    if let Some(best) = tuned.best {
        let Tuned {
            section, parameter, ..
        } = tuned;
        let _ = write!(text, "\n{section}\n{parameter} = {best}\n");
    }
    text
}

fn row(tried: &Attempt) -> Vec<String> {
    let figure = |figure: &Figure| match figure.value {
        Some(value) => shown(&figure.name, value),
        None => "–".to_owned(),
    };
    let word = match (&tried.refused, tried.meets) {
        (Some(why), _) => why.as_str(),
        (None, true) => "met",
        (None, false) => "missed",
    };
    std::iter::once(tried.value.to_string())
        .chain(tried.measures.iter().map(figure))
        .chain([word.to_owned()])
        .collect()
}

/// Shares as percentages.
fn shown(name: &str, value: f64) -> String {
    match measure::find(name).is_some_and(|info| info.percent) {
        true => format!("{:.2} %", value * 100.0),
        false => format!("{value:.4}"),
    }
}

fn none_meets(tuned: &Tuned) -> Error {
    let what = format!(
        "no value of `{}` that was tried meets all goals",
        tuned.parameter
    );
    let error = Error::goal(what);
    match tuned.nearest {
        Some(nearest) => error.help(format!(
            "the nearest is {} = {nearest}; allow more, or try another range or method",
            tuned.parameter
        )),
        None => error,
    }
}

fn hints(tuned: &Tuned) -> impl Iterator<Item = &'static str> {
    [
        (tuned.at_end, "the end of the range meets the goals: a wider one may protect more"),
        (
            tuned.ragged,
            "a value misses a goal between two that do not: there may be better ones; --steps tries more",
        ),
    ]
    .into_iter()
    .filter_map(|(holds, hint)| holds.then_some(hint))
}
