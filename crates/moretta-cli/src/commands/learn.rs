//! `moretta learn`: how well learners do on the original and on the protected rows.

use super::{load_at, may_write};
use crate::args::{Compare, LearnArgs};
use crate::console::{Console, table, thousands};
use crate::failure::Failure;
use crate::report::{Study, learning_html};
use moretta::Error;
use moretta::learn::prequential::{Schedule, ScoreSettings};
use moretta::pipeline::{self, LearnSettings, Learned, Lessons, Progress, Side};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

/// Points of the table over time.
const MOMENTS: usize = 10;

pub(crate) fn run(args: &LearnArgs, console: &Console) -> Result<ExitCode, Failure> {
    if let Some(output) = &args.output {
        may_write(output, args.force)?;
    }
    let mut studies = Vec::new();
    for input in &args.inputs {
        let study = study(args, input, console)?;
        for note in &study.notes {
            console.hint(&format!("note: {note}"));
        }
        studies.push(study);
    }
    if let Some(output) = &args.output {
        std::fs::write(output, learning_html(&studies))
            .map_err(|e| Error::io("write", output, e))?;
    }
    console.result(&studies, || text(&studies, args.output.as_deref()))
}

fn study(args: &LearnArgs, input: &Path, console: &Console) -> Result<Study, Failure> {
    let progress = Progress::default();
    let lessons = match input.extension().is_some_and(|ending| ending == "toml") {
        true => of_policy(args, input, console, &progress)?,
        false => of_file(args, input, console, &progress)?,
    };
    let settings = settings(args, &lessons);
    let learners = console.watch(&progress, || pipeline::learn(&lessons, &settings))?;
    Ok(Study {
        input: input.display().to_string(),
        records: lessons.len() as u64,
        window: args.window as u64,
        notes: lessons.notes,
        learners,
    })
}

fn of_policy(
    args: &LearnArgs,
    input: &Path,
    console: &Console,
    progress: &Progress,
) -> Result<Lessons, Failure> {
    let policy = load_at(input, args.root.as_deref())?;
    let class = args.class.as_deref();
    console
        .watch(progress, || pipeline::lessons(&policy, class, progress))
        .map_err(|error| Failure::of_policy(error, input))
}

fn of_file(
    args: &LearnArgs,
    input: &Path,
    console: &Console,
    progress: &Progress,
) -> Result<Lessons, Failure> {
    let class = args.class.as_deref().ok_or_else(|| {
        Error::usage(format!(
            "{} is no policy: which column is the class?",
            input.display()
        ))
        .help("name it with --class, or give a policy, which ends in .toml")
    })?;
    let options = args.reading.options()?;
    Ok(console.watch(progress, || {
        pipeline::lessons_of_file(input, &options, class, progress)
    })?)
}

fn settings(args: &LearnArgs, lessons: &Lessons) -> LearnSettings {
    let mut sides: Vec<Side> = Vec::new();
    for side in &args.compare {
        let side = match side {
            Compare::Original => Side::Original,
            Compare::Protected => Side::Protected,
        };
        if !sides.contains(&side) {
            sides.push(side);
        }
    }
    if sides.is_empty() {
        sides = vec![Side::Original, Side::Protected];
        sides.retain(|side| lessons.has(*side));
    }
    LearnSettings {
        learners: args.learner.clone(),
        sides,
        schedule: match (args.chunks, &args.hold_out[..]) {
            (Some(size), _) => Schedule::Chunks { size },
            (None, [test, train]) => Schedule::HoldOut {
                test: *test,
                train: *train,
            },
            _ => Schedule::TestThenTrain,
        },
        score: ScoreSettings {
            warm_up: args.warm_up,
            window: args.window,
            fading: args.fading,
            ..ScoreSettings::default()
        },
        seed: args.seed,
    }
}

fn text(studies: &[Study], output: Option<&Path>) -> String {
    let mut text = String::new();
    for study in studies {
        let _ = writeln!(
            text,
            "{}: {} records\n",
            study.input,
            thousands(study.records)
        );
        text.push_str(&table(&figures(study)));
        let moments = moments(study);
        if moments.len() > 1 {
            let _ = writeln!(
                text,
                "\naccuracy over the last {} records\n",
                thousands(study.window)
            );
            text.push_str(&table(&moments));
        }
        text.push('\n');
    }
    if let Some(output) = output {
        let _ = writeln!(text, "page: {}", output.display());
    }
    text
}

/// A share as a percentage with two decimals, as the literature has it.
fn share(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{:.2}", value * 100.0))
}

fn figures(study: &Study) -> Vec<Vec<String>> {
    let head = [
        "learner",
        "learnt from",
        "accuracy",
        "± SD",
        "lost",
        "kappa",
        "kappa-M",
        "kappa-T",
        "F1",
        "faded",
        "KiB",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for learned in &study.learners {
        let whole = &learned.whole;
        rows.push(vec![
            learned.learner.clone(),
            learned.side.word().to_owned(),
            share(whole.accuracy),
            share(learned.deviation),
            match study.lost(learned) {
                None => String::new(),
                lost => share(lost),
            },
            share(whole.kappa),
            share(whole.kappa_m),
            share(whole.kappa_t),
            share(whole.f1),
            share(learned.faded.accuracy),
            thousands(learned.memory.div_ceil(1024) as u64),
        ]);
    }
    rows
}

/// Accuracy at some moments, a column for each learner and side.
fn moments(study: &Study) -> Vec<Vec<String>> {
    let name = |learned: &Learned| format!("{} {}", learned.learner, learned.side.word());
    let head = study.learners.iter().map(name);
    let mut rows = vec![
        [("records".to_owned())]
            .into_iter()
            .chain(head)
            .collect::<Vec<_>>(),
    ];
    let Some(first) = study.learners.first() else {
        return rows;
    };
    let stride = first.points.len().div_ceil(MOMENTS).max(1);
    let mut places: Vec<usize> = (0..first.points.len()).rev().step_by(stride).collect();
    places.reverse();
    for place in places {
        let accuracy =
            |learned: &Learned| share(learned.points.get(place).and_then(|point| point.accuracy));
        let mut row = vec![thousands(first.points[place].results)];
        row.extend(study.learners.iter().map(accuracy));
        rows.push(row);
    }
    rows
}
