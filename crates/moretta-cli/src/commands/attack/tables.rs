//! What attacks on tables got, in words.

use super::percent;
use crate::console::{Console, counted, table};
use crate::failure::Failure;
use moretta::attack::known_items::KnownItems;
use moretta::attack::table::Evidence;
use moretta::attack::table::intersection::Intersection;
use moretta::pipeline::{AttackedRelease, AttackedTables};
use moretta_report::count;
use std::fmt::Write;
use std::process::ExitCode;

pub(super) fn print(attacked: &AttackedTables, console: &Console) -> Result<ExitCode, Failure> {
    for note in &attacked.notes {
        console.hint(&format!("note: {note}"));
    }
    console.result(attacked, || text(attacked))
}

pub(super) fn text(attacked: &AttackedTables) -> String {
    let mut text: String = attacked.releases.iter().map(release).collect();
    if let Some(intersection) = &attacked.intersection {
        text.push_str(&side_by_side(intersection));
    }
    text
}

fn release(release: &AttackedRelease) -> String {
    let name = match &release.file {
        Some(file) => file.display().to_string(),
        None => "what would be released".to_owned(),
    };
    let rows = counted(release.rows, "row");
    let mut text = format!("{name}: {rows} in {}\n", classes(release.classes));
    let head = ["attack", "gets", "succeeds in", "of", "classes", "column"];
    let line = |evidence: &Evidence| {
        vec![
            evidence.attack.to_owned(),
            percent(evidence.share),
            evidence.succeeds.to_string(),
            format!("{} {}", evidence.of, evidence.unit),
            evidence.classes.to_string(),
            evidence.column.clone().unwrap_or_default(),
        ]
    };
    if !release.known_items.is_empty() {
        text.push_str(&known_items(&release.known_items));
    } else if release.attacks.is_empty() {
        text.push_str("no attack fits: there is neither a sensitive column, nor a bound of an interval, nor a hierarchy by which classes were divided\n");
    }
    if release.attacks.is_empty() {
        return text;
    }
    let lines = release.attacks.iter().map(line);
    let head = head.map(str::to_owned).to_vec();
    text.push_str(&table(
        &std::iter::once(head).chain(lines).collect::<Vec<_>>(),
    ));
    for evidence in &release.attacks {
        for detail in &evidence.details {
            let _ = writeln!(text, "  {}: {detail}", evidence.attack);
        }
        if evidence.share > 0.0 {
            let _ = writeln!(text, "  {}: {}", evidence.attack, evidence.way_out);
        }
    }
    text
}

/// What is got by who knows some items of a person.
fn known_items(found: &[KnownItems]) -> String {
    let head = [
        "known items",
        "persons",
        "singled out",
        "among fewer than k",
        "fewest that fit",
    ];
    let line = |known: &KnownItems| {
        vec![
            format!("up to {}", known.items),
            count(known.persons),
            count(known.singled_out),
            count(known.below_k),
            count(known.fewest),
        ]
    };
    let head = head.map(str::to_owned).to_vec();
    let lines = found.iter().map(line);
    table(&std::iter::once(head).chain(lines).collect::<Vec<_>>())
}

fn side_by_side(found: &Intersection) -> String {
    let mut text = format!(
        "\n{} releases side by side: {} in {}\n  the smallest class of one has {}, the smallest cell of all {}\n  {} of the persons are in cells smaller than any class\n",
        found.releases,
        counted(found.persons, "person"),
        counted(found.cells, "cell"),
        counted(found.smallest_class, "person"),
        counted(found.smallest_cell, "person"),
        percent(found.share),
    );
    if let Some(learnt) = found.learnt {
        let share = learnt as f64 / found.persons.max(1) as f64;
        let _ = writeln!(
            text,
            "  of {} one sensitive value is left that all their classes have",
            percent(share)
        );
    }
    text
}

fn classes(count: u64) -> String {
    match count {
        1 => "1 class".to_owned(),
        _ => format!("{count} classes"),
    }
}
