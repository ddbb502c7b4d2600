//! `moretta learn`: how well learners do on the original and on the protected rows.

use super::{load_at, may_write};
use crate::args::{Compare, LearnArgs};
use crate::console::{Console, table, thousands};
use crate::failure::Failure;
use crate::report::{Study, learning_html, overview};
use moretta::Error;
use moretta::learn::Vocabulary;
use moretta::learn::prequential::{Schedule, ScoreSettings};
use moretta::pipeline::{self, LearnSettings, Learned, Lessons, Progress, SavedModel, Side};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

/// The learners that are compared when none is named.
const DEFAULT_LEARNERS: [&str; 2] = ["nb", "ht"];

/// Points of the table over time.
const MOMENTS: usize = 10;

pub(crate) fn run(args: &LearnArgs, console: &Console) -> Result<ExitCode, Failure> {
    if let Some(output) = &args.output {
        may_write(output, args.force)?;
    }
    if let Some(place) = &args.save_model {
        may_save(args, place)?;
    }
    let model = args.model.as_deref().map(SavedModel::open).transpose()?;
    let mut studies = Vec::new();
    for input in &args.inputs {
        let study = study(args, input, model.as_ref(), console)?;
        for note in &study.notes {
            console.hint(&format!("note: {note}"));
        }
        studies.push(study);
    }
    if let Some(output) = &args.output {
        std::fs::write(output, learning_html(&studies))
            .map_err(|e| Error::io("write", output, e))?;
    }
    console.result(&studies, || text(&studies, args))
}

/// Refuses, before anything is read, to save what is no single model, or in a wrong place.
fn may_save(args: &LearnArgs, place: &Path) -> moretta::Result<()> {
    let of_one = |what: &str, help: &str| {
        Err(Error::usage(format!("--save-model saves one model: {what}")).help(help))
    };
    let [input] = &args.inputs[..] else {
        return of_one("there are several inputs", "give one policy or file");
    };
    let named = match args.model {
        Some(_) => args.learner.len() <= 1,
        None => args.learner.len() == 1,
    };
    if !named {
        return of_one("which learner?", "name one, such as --learner ht");
    }
    let sides = match args.compare.len() {
        0 => usize::from(is_policy(input)) + 1,
        sides => sides,
    };
    if sides != 1 {
        let help = "choose --compare original or --compare protected";
        return of_one("learnt from which rows?", help);
    }
    let same = |other: &Path| match (place.canonicalize(), other.canonicalize()) {
        (Ok(place), Ok(other)) => place == other,
        _ => place == other,
    };
    if place == Path::new("-") {
        return Err(Error::usage("a model is not printed").help("name a file to keep it in"));
    }
    if same(input) || args.output.as_deref().is_some_and(same) {
        return Err(
            Error::usage("--save-model would replace another file of this call")
                .help("give the model a name of its own"),
        );
    }
    may_write(place, args.force)
}

fn is_policy(input: &Path) -> bool {
    input.extension().is_some_and(|ending| ending == "toml")
}

fn study(
    args: &LearnArgs,
    input: &Path,
    model: Option<&SavedModel>,
    console: &Console,
) -> Result<Study, Failure> {
    let progress = Progress::default();
    let known = model.map(SavedModel::vocabulary);
    let lessons = match is_policy(input) {
        true => of_policy(args, input, known, console, &progress)?,
        false => of_file(args, input, known, console, &progress)?,
    };
    let settings = settings(args, &lessons, model);
    let learners = match &args.save_model {
        None => console.watch(&progress, || pipeline::learn(&lessons, &settings, model))?,
        Some(place) => {
            let trained = console.watch(&progress, || {
                let trained = pipeline::train(&lessons, &settings, model)?;
                trained.save(place, args.force)?;
                Ok(trained)
            })?;
            if trained.from_originals {
                console.warn(&format!(
                    "note: {} learnt from original rows and tells about the persons in them: keep it as you keep the data",
                    place.display()
                ));
            }
            vec![trained.learned]
        }
    };
    Ok(Study {
        input: input.display().to_string(),
        records: lessons.len() as u64,
        window: args.window as u64,
        notes: lessons.notes,
        learners,
    })
}

/// The column to predict, if one was named here or in the model.
fn class<'a>(args: &'a LearnArgs, known: Option<&'a Vocabulary>) -> Option<&'a str> {
    args.class.as_deref().or(known.map(Vocabulary::class))
}

fn of_policy(
    args: &LearnArgs,
    input: &Path,
    known: Option<&Vocabulary>,
    console: &Console,
    progress: &Progress,
) -> Result<Lessons, Failure> {
    let policy = load_at(input, args.root.as_deref())?;
    let class = class(args, known);
    console
        .watch(progress, || {
            pipeline::lessons(&policy, class, known, progress)
        })
        .map_err(|error| Failure::of_policy(error, input))
}

fn of_file(
    args: &LearnArgs,
    input: &Path,
    known: Option<&Vocabulary>,
    console: &Console,
    progress: &Progress,
) -> Result<Lessons, Failure> {
    let class = class(args, known).ok_or_else(|| {
        Error::usage(format!(
            "{} is no policy: which column is the class?",
            input.display()
        ))
        .help("name it with --class, or give a policy, which ends in .toml")
    })?;
    let options = args.reading.options()?;
    Ok(console.watch(progress, || {
        pipeline::lessons_of_file(input, &options, class, known, progress)
    })?)
}

fn settings(args: &LearnArgs, lessons: &Lessons, model: Option<&SavedModel>) -> LearnSettings {
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
        learners: match (&args.learner[..], model) {
            ([], Some(model)) => vec![model.name().to_owned()],
            ([], None) => DEFAULT_LEARNERS.map(str::to_owned).to_vec(),
            (named, _) => named.to_vec(),
        },
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

fn text(studies: &[Study], args: &LearnArgs) -> String {
    let mut text = String::new();
    if let Some(rows) = overview(studies) {
        text = format!("accuracy in percent\n\n{}\n", table(&rows));
    }
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
    for (what, place) in [("page", &args.output), ("model", &args.save_model)] {
        if let Some(place) = place {
            let _ = writeln!(text, "{what}: {}", place.display());
        }
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
