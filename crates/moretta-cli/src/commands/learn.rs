//! `moretta learn`: how well learners do on the original and on the protected rows.

use super::load_at;
use crate::args::{Compare, LearnArgs};
use crate::console::{Console, counted, table};
use crate::failure::Failure;
use moretta::Error;
use moretta::learn::Vocabulary;
use moretta::learn::prequential::{Schedule, ScoreSettings};
use moretta::pipeline::{
    self, Arm, LearnSettings, Learned, Lessons, Outputs, Progress, SavedModel, Side, Trained,
};
use moretta::policy::Policy;
use moretta_report::{Study, arm_words, count, learning_html, overview};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The learners that are compared when none is named.
const DEFAULT_LEARNERS: [&str; 2] = ["nb", "ht"];

/// Points of the table over time.
const MOMENTS: usize = 10;

/// What to learn from.
enum Input<'a> {
    Policy(&'a Path, Box<Policy>),
    File(&'a Path),
}

pub(crate) fn run(args: &LearnArgs, console: &Console) -> Result<ExitCode, Failure> {
    if let Some(place) = &args.save_model {
        may_save(args, place)?;
    }
    let inputs = inputs(args)?;
    check_standard_input(&inputs)?;
    check_places(args, &inputs)?;
    let model = args.model.as_deref().map(SavedModel::open).transpose()?;
    let mut outputs = Outputs::default();
    let mut studies = Vec::new();
    let mut warnings = Vec::new();
    for input in &inputs {
        let (study, trained) = study(args, input, model.as_ref(), console)?;
        for note in &study.notes {
            console.hint(&format!("note: {note}"));
        }
        studies.push(study);
        if let (Some(place), Some(trained)) = (&args.save_model, trained) {
            outputs.add_private(place, &trained.model)?;
            warnings.extend(trained.from_originals.then(|| {
                format!(
                    "note: {} learnt from original rows and tells about the persons in them: keep it as you keep the data",
                    place.display()
                )
            }));
        }
    }
    if let Some(output) = &args.output {
        outputs.add(output, learning_html(&studies).as_bytes())?;
    }
    outputs.commit(args.force)?;
    for warning in &warnings {
        console.warn(warning);
    }
    if args.output.as_deref() == Some(Path::new("-")) {
        console.aside(&studies, || text(&studies, args));
        return Ok(ExitCode::SUCCESS);
    }
    console.result(&studies, || text(&studies, args))
}

fn inputs(args: &LearnArgs) -> Result<Vec<Input<'_>>, Failure> {
    args.inputs
        .iter()
        .map(|path| match is_policy(path) {
            true => {
                let policy = load_at(path, args.root.as_deref())?;
                Ok(Input::Policy(path, Box::new(policy)))
            }
            false => Ok(Input::File(path)),
        })
        .collect()
}

/// Standard input can be read once, from its start to its end.
fn check_standard_input(inputs: &[Input<'_>]) -> moretta::Result<()> {
    let standard = Path::new("-");
    let mut readers = 0;
    for input in inputs {
        match input {
            Input::File(path) if *path == standard => {
                return Err(Error::usage(
                    "without a policy the rows are read twice, and standard input can be read once",
                )
                .help(
                    "save the rows in a file, or give a policy with path = \"-\" under [source]",
                ));
            }
            Input::File(_) => {}
            Input::Policy(_, policy) => {
                readers += usize::from(policy.inputs().contains(&standard));
            }
        }
    }
    match readers {
        0 | 1 => Ok(()),
        _ => Err(Error::usage(format!(
            "{readers} policies read standard input, which can be read once"
        ))
        .help("save the rows in a file and name it under [source]")),
    }
}

/// Refuses to write over what is read, or unasked over what is there. A model may
/// go on in its own place.
fn check_places(args: &LearnArgs, inputs: &[Input<'_>]) -> moretta::Result<()> {
    let mut read = Vec::new();
    for input in inputs {
        match input {
            Input::File(path) => read.push(*path),
            Input::Policy(path, policy) => {
                read.push(path);
                read.extend(policy.inputs());
            }
        }
    }
    let written: Vec<&PathBuf> = args.save_model.iter().chain(&args.output).collect();
    pipeline::check_outputs(&written, &read, args.force)?;
    let page: Vec<&PathBuf> = args.output.iter().collect();
    let model: Vec<&Path> = args.model.iter().map(PathBuf::as_path).collect();
    pipeline::check_outputs(&page, &model, args.force)
}

/// Refuses, before anything is read, to save what is no single model, or to print it.
fn may_save(args: &LearnArgs, place: &Path) -> moretta::Result<()> {
    let of_one = |what: &str, help: &str| {
        Err(Error::usage(format!("--save-model saves one model: {what}")).help(help))
    };
    let [input] = &args.inputs[..] else {
        return of_one("there are several inputs", "give one policy or file");
    };
    let named = match args.model {
        Some(_) => args.learners().len() <= 1,
        None => args.learners().len() == 1,
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
    if place == Path::new("-") {
        return Err(Error::usage("a model is not written to standard output")
            .help("name a file to keep it in"));
    }
    Ok(())
}

fn is_policy(input: &Path) -> bool {
    input.extension().is_some_and(|ending| ending == "toml")
}

fn study(
    args: &LearnArgs,
    input: &Input<'_>,
    model: Option<&SavedModel>,
    console: &Console,
) -> Result<(Study, Option<Trained>), Failure> {
    let progress = Progress::default();
    let known = model.map(SavedModel::vocabulary);
    let (path, lessons) = match input {
        Input::Policy(path, policy) => {
            let lessons = of_policy(args, policy, known, console, &progress);
            (
                path,
                lessons.map_err(|error| Failure::of_policy(error, path))?,
            )
        }
        Input::File(path) => (path, of_file(args, path, known, console, &progress)?),
    };
    let settings = settings(args, &lessons, model);
    let (learners, trained) = match &args.save_model {
        None => (
            console.watch(&progress, || {
                pipeline::learn(&lessons, &settings, model, &progress)
            })?,
            None,
        ),
        Some(_) => {
            let trained =
                console.watch(&progress, || pipeline::train(&lessons, &settings, model))?;
            (vec![trained.learned.clone()], Some(trained))
        }
    };
    let study = Study {
        input: path.display().to_string(),
        records: lessons.len() as u64,
        window: args.window as u64,
        notes: lessons.notes,
        learners,
    };
    Ok((study, trained))
}

/// The column to predict, if one was named here or in the model.
fn class<'a>(args: &'a LearnArgs, known: Option<&'a Vocabulary>) -> Option<&'a str> {
    args.class.as_deref().or(known.map(Vocabulary::class))
}

fn of_policy(
    args: &LearnArgs,
    policy: &Policy,
    known: Option<&Vocabulary>,
    console: &Console,
    progress: &Progress,
) -> moretta::Result<Lessons> {
    let class = class(args, known);
    let keeps = args.save_model.is_some() && args.compare != [Compare::Original];
    console.watch(progress, || match keeps {
        true => pipeline::lessons_to_keep(policy, class, known, progress),
        false => pipeline::lessons(policy, class, known, progress),
    })
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
    let lessons = console.watch(progress, || {
        pipeline::lessons_of_file(input, &options, class, known, progress)
    });
    lessons.map_err(|error| Failure::from(error).of_options())
}

fn settings(args: &LearnArgs, lessons: &Lessons, model: Option<&SavedModel>) -> LearnSettings {
    LearnSettings {
        learners: match (&args.learners()[..], model) {
            ([], Some(model)) => vec![model.name().to_owned()],
            ([], None) => DEFAULT_LEARNERS.map(str::to_owned).to_vec(),
            (named, _) => named.to_vec(),
        },
        arms: arms(args, lessons),
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

/// What is compared: where no side is named, both that are there. What learnt from
/// protected rows is tested on both, a model that is saved on its own.
fn arms(args: &LearnArgs, lessons: &Lessons) -> Vec<Arm> {
    let named = |side: Compare| args.compare.is_empty() || args.compare.contains(&side);
    let mut arms = Vec::new();
    if named(Compare::Original) && (lessons.has(Side::Original) || !args.compare.is_empty()) {
        arms.push(Arm::ORIGINAL);
    }
    if named(Compare::Protected) && (lessons.has(Side::Protected) || !args.compare.is_empty()) {
        arms.push(Arm::PROTECTED);
        let applied = lessons.exams(Arm::APPLIED).is_some() && args.save_model.is_none();
        arms.extend(applied.then_some(Arm::APPLIED));
    }
    arms
}

fn text(studies: &[Study], args: &LearnArgs) -> String {
    let mut text = String::new();
    if let Some(rows) = overview(studies) {
        text = format!("accuracy in percent\n\n{}\n", table(&rows));
    }
    for study in studies {
        let _ = writeln!(
            text,
            "{}: {}\n",
            study.input,
            counted(study.records, "record")
        );
        text.push_str(&table(&figures(study)));
        let moments = moments(study);
        if moments.len() > 1 {
            let _ = writeln!(
                text,
                "\naccuracy over the last {}\n",
                counted(study.window, "record")
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
        "tested on",
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
            learned.tested.word().to_owned(),
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
            count(learned.memory.div_ceil(1024) as u64),
        ]);
    }
    rows
}

/// Accuracy at some moments, a column for each learner and side.
fn moments(study: &Study) -> Vec<Vec<String>> {
    let name = |learned: &Learned| format!("{} {}", learned.learner, arm_words(learned));
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
        let mut row = vec![count(first.points[place].results)];
        row.extend(study.learners.iter().map(accuracy));
        rows.push(row);
    }
    rows
}
