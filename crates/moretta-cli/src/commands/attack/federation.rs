//! What hosts of trouble nodes, colluding sites and the aggregator get of a federation.

use super::percent;
use crate::args::AttackArgs;
use crate::commands::federation::{load_policies, simulate::seed_of};
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::attack::reconstruction::StudySettings;
use moretta::pipeline::{AttackedFederation, Coalition, ConfidenceLeak, Progress, attack_policies};
use moretta::policy::is_federation;
use moretta_report::count;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Whether these are policies of a federation, or folders of them.
pub(super) fn is_one(files: &[PathBuf]) -> bool {
    let is_party = |path: &PathBuf| {
        path.is_dir() || std::fs::read_to_string(path).is_ok_and(|text| is_federation(&text))
    };
    !files.is_empty() && files.iter().all(is_party)
}

pub(super) fn run(
    args: &AttackArgs,
    settings: &StudySettings,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let policies = load_policies(&args.files, args.root.as_deref())?;
    let progress = Progress::default();
    let attack = || attack_policies(&policies, seed_of, settings, &progress);
    let attacked = console.watch(&progress, attack)?;
    for note in &attacked.notes {
        console.hint(&format!("note: {note}"));
    }
    console.result(&attacked, || text(&attacked))
}

fn text(attacked: &AttackedFederation) -> String {
    let [low, high] = attacked.epsilons;
    let mut text = format!(
        "{}: fragments are {}; a breach is an error below {low} or {high} of a record's numbers\n",
        attacked.federation, attacked.fragments
    );
    for coalition in attacked.coalitions.iter().filter(|one| one.is_own) {
        if let Some(worst) = worst(&attacked.coalitions, coalition) {
            text.push_str(&worst);
            break;
        }
    }
    let _ = write!(
        text,
        "\nwhat the host of a trouble node gets of the others\n"
    );
    text.push_str(&coalitions(&attacked.coalitions, attacked.epsilons));
    let _ = write!(
        text,
        "\nwhat the aggregator reads from confidences, and from the bits with them\n"
    );
    text.push_str(&confidences(&attacked.confidences));
    text
}

/// The worst that befalls the policies as they are.
fn worst(all: &[Coalition], one: &Coalition) -> Option<String> {
    let own = all.iter().filter(|other| other.is_own);
    let own = own.filter(|other| other.beats_guess);
    let beyond = |other: &&Coalition| {
        let of = |tried: &Option<moretta::pipeline::Tried>| {
            tried.as_ref().map_or(0.0, |tried| tried.breaches[1])
        };
        of(&other.strongest) - of(&other.guess)
    };
    let worst = own.max_by(|a, b| beyond(a).total_cmp(&beyond(b)));
    let Some(worst) = worst else {
        return Some(format!(
            "no attack on {} fragments gets more than a guess of who sees none\n",
            one.fragments
        ));
    };
    let strongest = worst.strongest.as_ref()?;
    let guess = worst.guess.as_ref();
    let guess = guess.map_or(String::new(), |guess| {
        format!(", where a guess gets {}", percent(guess.breaches[1]))
    });
    Some(format!(
        "strongest: {} gets {} of the records of {} for a host with {}{guess}\n",
        strongest.attack,
        percent(strongest.breaches[1]),
        worst.victims.join(" "),
        match worst.colluders.is_empty() {
            true => format!("{} known records", worst.known),
            false => format!(
                "{} and {} known records",
                worst.colluders.join(" "),
                worst.known
            ),
        }
    ))
}

fn coalitions(all: &[Coalition], [low, high]: [f64; 2]) -> String {
    let head = [
        "fragments".to_owned(),
        "node".to_owned(),
        "with".to_owned(),
        "of".to_owned(),
        "records".to_owned(),
        "known".to_owned(),
        "strongest attack".to_owned(),
        format!("below {low}"),
        format!("below {high}"),
        "guess alone".to_owned(),
        "".to_owned(),
    ];
    let row = |one: &Coalition| {
        let breaches = |tried: &Option<moretta::pipeline::Tried>| {
            let shown = tried.as_ref().map(|tried| tried.breaches.map(percent));
            shown.unwrap_or(["–".to_owned(), "–".to_owned()])
        };
        let [strong_low, strong_high] = breaches(&one.strongest);
        let guess = match &one.guess {
            Some(_) => breaches(&one.guess).join(", "),
            None => "–".to_owned(),
        };
        vec![
            match one.is_own {
                true => format!("{} *", one.fragments),
                false => one.fragments.to_owned(),
            },
            one.node.to_string(),
            match one.colluders.is_empty() {
                true => "nobody".to_owned(),
                false => one.colluders.join(" "),
            },
            one.victims.join(" "),
            count(one.records as u64),
            one.known.to_string(),
            one.strongest
                .as_ref()
                .map_or("–".to_owned(), |tried| tried.attack.clone()),
            strong_low,
            strong_high,
            guess,
            match one.beats_guess {
                true => String::new(),
                false => "no better than guessing".to_owned(),
            },
        ]
    };
    let rows = all.iter().map(row);
    let mut text = table(
        &std::iter::once(head.to_vec())
            .chain(rows)
            .collect::<Vec<_>>(),
    );
    text.push_str(
        "* as the policies have it; the others show what another choice would give away\n",
    );
    let repeated = all.iter().filter(|one| one.is_own && one.repeats > 0.0);
    if let Some(one) = repeated.max_by(|a, b| a.repeats.total_cmp(&b.repeats)) {
        let _ = writeln!(
            text,
            "{} of the fragments of {} are those of another record too: who knows one of these records knows the other",
            percent(one.repeats),
            one.victims.join(" ")
        );
    }
    text
}

fn confidences(all: &[ConfidenceLeak]) -> String {
    let head = [
        "site",
        "columns",
        "bits",
        "confidences",
        "names one value",
        "with bits",
        "guessed right",
        "with bits",
        "by chance",
    ];
    let row = |leak: &ConfidenceLeak| {
        vec![
            leak.site.clone(),
            leak.columns.to_string(),
            match leak.is_own {
                true => format!("{} *", leak.bits),
                false => leak.bits.to_string(),
            },
            count(leak.confidences as u64),
            percent(leak.single),
            percent(leak.single_with_bits),
            percent(leak.guessed),
            percent(leak.guessed_with_bits),
            percent(leak.by_chance),
        ]
    };
    let rows = all.iter().map(row);
    let head = head.map(str::to_owned).to_vec();
    let mut text = table(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
    text.push_str("of the column that is told most, by who knows the site's model when it has learnt all records; bits say whether a record is forwarded, or would be\n");
    text
}
