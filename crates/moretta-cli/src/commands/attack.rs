//! `moretta attack`: what an attacker gets back of a release that a policy would make.

mod federation;
mod graph;
mod tables;

use super::{load, release_options};
use crate::args::{AttackArgs, OptimizerArg, PolicyArgs};
use crate::console::{Console, counted, table};
use crate::failure::Failure;
use moretta::Error;
use moretta::attack::Success;
use moretta::attack::interval::Disclosure;
use moretta::attack::known_columns::KnownColumns;
use moretta::attack::linkage::Linkage;
use moretta::attack::reconstruction::{Optimizer, StudySettings};
use moretta::pipeline::{self, AttackSettings, Attacked, Progress};
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &AttackArgs, console: &Console) -> Result<ExitCode, Failure> {
    if args.policy.is_none() && federation::is_one(&args.files) {
        return federation::run(args, &settings(args).study, console);
    }
    let place = match (&args.policy, &args.files[..]) {
        (Some(policy), _) => policy,
        (None, [policy]) => policy,
        (None, _) => {
            let error = Error::usage("several files are releases, and nothing says of what");
            return Err(error.help("add --policy POLICY").into());
        }
    };
    let policy = load(&PolicyArgs {
        policy: place.clone(),
        root: args.root.clone(),
        memory: args.memory,
    })?;
    let progress = Progress::default();
    let failed = |error| Failure::of_policy(error, place);
    if policy.graph.is_some() {
        let options = release_options(&policy, &args.reading)?;
        let nodes = args.policy.as_ref().and(args.files.first());
        if args.files.len() > 1 {
            return Err(Error::usage("the files of one graph are attacked at a time").into());
        }
        return graph::run(&policy, (nodes, args.edges.as_ref()), &options, console);
    }
    if args.edges.is_some() {
        return Err(Error::usage("only the policy of a graph has edges")
            .help("take --edges away")
            .into());
    }
    if args.policy.is_some() {
        let options = release_options(&policy, &args.reading)?;
        let attack = || pipeline::attack_files(&policy, &args.files, &options, &progress);
        let attacked = console.watch(&progress, attack).map_err(failed)?;
        return tables::print(&attacked, console);
    }
    if policy.plan.masking().is_none() && policy.plan.keeps_guarantee() {
        let attack = || pipeline::attack_table(&policy, &progress);
        let attacked = console.watch(&progress, attack).map_err(failed)?;
        return tables::print(&attacked, console);
    }
    let settings = settings(args);
    let attacked = console
        .watch(&progress, || {
            pipeline::attack(&policy, &settings, &progress)
        })
        .map_err(failed)?;
    for note in &attacked.notes {
        console.hint(&format!("note: {note}"));
    }
    console.result(&attacked, || text(&attacked))
}

fn settings(args: &AttackArgs) -> AttackSettings {
    let study = StudySettings {
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
    AttackSettings {
        study,
        sample: args.sample.map(|records| records as usize),
        learner: args.learner.clone(),
        class: args.class.clone(),
    }
}

fn text(attacked: &Attacked) -> String {
    let mut text = head(attacked);
    if !attacked.attacks.is_empty() {
        let _ = write!(text, "\n{}", table(&successes(attacked)));
    }
    if !attacked.links.is_empty() {
        let _ = write!(
            text,
            "\nknown originals that are found among the released records\n{}",
            links(attacked)
        );
    }
    if !attacked.known_columns.is_empty() {
        let _ = write!(
            text,
            "\nfound among the released records by who knows the originals of some columns\n{}",
            known_columns(attacked)
        );
    }
    let near: Vec<&Success> = attacked
        .attacks
        .iter()
        .filter(|success| !success.by_distance.is_empty())
        .collect();
    if !near.is_empty() {
        let _ = write!(
            text,
            "\nmedian error by rows to the nearest known record\n{}",
            distances(&near)
        );
    }
    if !attacked.intervals.is_empty() {
        let _ = write!(
            text,
            "\nwithin an interval of 1, 2, …, 10 % round the guess, on average\n{}",
            intervals(attacked)
        );
    }
    text
}

/// What was attacked, what the attackers knew, and who got most.
fn head(attacked: &Attacked) -> String {
    let mut head = match attacked.known {
        Some(known) => format!(
            "{}: {} released as {}; the attacker knows {}",
            attacked.method,
            counted(attacked.features as u64, "feature"),
            counted(attacked.released as u64, "number"),
            counted(known as u64, "record")
        ),
        None => format!("{}: {}", attacked.method, masked(attacked)),
    };
    if let Some(sample) = attacked.sample {
        let sample = counted(sample as u64, "other");
        let _ = write!(head, ", a sample of {sample}, or both");
    }
    if !attacked.attacks.is_empty() {
        let _ = write!(head, "; a breach is an error below {}", attacked.epsilon);
    }
    head.push('\n');
    let strongest = [
        (&attacked.strongest, "reconstructs"),
        (&attacked.strongest_link, "finds again"),
    ];
    for (strongest, what) in strongest {
        let Some(strongest) = strongest else { continue };
        let _ = writeln!(
            head,
            "strongest: {} {what} {} of the records; the attacker knows {}",
            strongest.attack,
            percent(strongest.share),
            strongest.knows
        );
    }
    if let (Some(learner), Some(accuracy)) = (&attacked.learner, attacked.accuracy) {
        let percent = accuracy * 100.0;
        let _ = writeln!(head, "accuracy of {learner} on the release: {percent:.2} %");
    }
    head
}

/// "2 masked columns (1 number, 1 nominal category)".
fn masked(attacked: &Attacked) -> String {
    let kinds = attacked.masked.unwrap_or_default();
    let parts = [
        (kinds.numbers, "number", "numbers"),
        (kinds.ordered, "ordered category", "ordered categories"),
        (kinds.nominal, "nominal category", "nominal categories"),
    ];
    let part = |(count, one, many): (usize, &str, &str)| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let columns = kinds.numbers + kinds.ordered + kinds.nominal;
    let parts: Vec<String> = parts.into_iter().filter_map(part).collect();
    let columns = counted(columns as u64, "masked column");
    format!("{columns} ({})", parts.join(", "))
}

fn successes(attacked: &Attacked) -> Vec<Vec<String>> {
    let mut names = vec![
        "attack",
        "the attacker knows",
        "records",
        "breach",
        "95 % between",
        "median error",
        "seconds",
    ];
    if attacked.accuracy.is_some() {
        names.push("magnitude");
    }
    let head = names.into_iter().map(str::to_owned).collect();
    let lines = attacked.attacks.iter().map(line);
    std::iter::once(head).chain(lines).collect()
}

fn line(success: &Success) -> Vec<String> {
    let interval = success.interval.map_or("–".to_owned(), |interval| {
        let [low, high] = interval.map(|end| end * 100.0);
        format!("{low:.1} and {high:.1} %")
    });
    let cells = [
        success.attack.clone(),
        success.knows.clone(),
        success.records.to_string(),
        percent(success.breach),
        interval,
        error(success.median_error),
        format!("{:.6}", success.seconds),
    ];
    let magnitude = success.magnitude.map(|magnitude| format!("{magnitude:.4}"));
    cells.into_iter().chain(magnitude).collect()
}

fn links(attacked: &Attacked) -> String {
    let head = [
        "attack",
        "the attacker knows",
        "records",
        "linked",
        "for certain",
        "candidates",
    ];
    let row = |link: &Linkage| {
        vec![
            link.attack.clone(),
            link.knows.clone(),
            link.records.to_string(),
            percent(link.linked),
            percent(link.certain),
            link.candidates.to_string(),
        ]
    };
    let rows = attacked.links.iter().map(row);
    let head = head.map(str::to_owned).to_vec();
    table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

/// Sets of columns that are shown, those that find most first; --json has all of them.
const SHOWN: usize = 15;

fn known_columns(attacked: &Attacked) -> String {
    let mut sets: Vec<&KnownColumns> = attacked.known_columns.iter().collect();
    sets.sort_by(|a, b| b.linked.total_cmp(&a.linked));
    let row = |set: &&KnownColumns| {
        vec![
            set.columns.join(", "),
            set.records.to_string(),
            percent(set.linked),
            percent(set.certain),
        ]
    };
    let rows = sets.iter().take(SHOWN).map(row);
    let head = ["the attacker knows", "records", "linked", "for certain"];
    let head = head.map(str::to_owned).to_vec();
    let mut text = table(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
    if sets.len() > SHOWN {
        let _ = writeln!(
            text,
            "{} more sets of columns: see --json",
            sets.len() - SHOWN
        );
    }
    text
}

/// Attacks beside each other, nearer records first.
fn distances(attacks: &[&Success]) -> String {
    let ranges = attacks.first().into_iter().flat_map(|one| &one.by_distance);
    let ranges = ranges.map(|part| format!("{}–{}", part.from, part.to));
    let head = std::iter::once("attack".to_owned()).chain(ranges).collect();
    let rows = attacks.iter().map(|one| {
        let errors = one.by_distance.iter().map(|part| error(part.median_error));
        std::iter::once(one.attack.clone()).chain(errors).collect()
    });
    table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

fn intervals(attacked: &Attacked) -> String {
    let head = [
        "guess",
        "interval",
        "values",
        "by chance",
        "whole records",
        "by chance",
        "seconds",
    ];
    let row = |disclosure: &Disclosure| {
        let mean = &disclosure.mean;
        vec![
            disclosure.guess.clone(),
            disclosure.interval.word().to_owned(),
            percent(mean.values),
            percent(mean.values_by_chance),
            percent(mean.records),
            percent(mean.records_by_chance),
            format!("{:.3}", disclosure.seconds),
        ]
    };
    let rows = attacked.intervals.iter().map(row);
    let head = head.map(str::to_owned).to_vec();
    table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// An attack that found nothing has no error.
fn error(error: f64) -> String {
    match error.is_finite() {
        true => format!("{error:.3}"),
        false => "none found".to_owned(),
    }
}
