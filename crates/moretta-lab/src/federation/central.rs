//! Tables 4.7 and 4.4: one forest that sees all columns beside the best of HDSM, and how much
//! longer a hierarchy takes than votes of sites alone.
//!
//! The study's best is the best of nine single runs, which flatters: an interval over seeds is
//! given for the rule and factor that are best on average. Of times only ratios mean anything.

use super::accuracies::{FACTORS, RULES};
use super::case::Case;
use super::part::{Extent, Part, Results, Spread, Table};
use super::sets::{FOREST, Set};
use crate::sheet::{Place, Sheet, row};
use moretta::Result;
use moretta::federate::Rule;

pub(super) static TABLE: Table = Table {
    name: "4.7",
    cases,
    show,
};

pub(super) static TIMES: Table = Table {
    name: "4.4",
    cases: cases_of_times,
    show: show_times,
};

const WITHIN: f64 = 0.5;

fn cases(extent: &Extent) -> Vec<Case> {
    let mut cases = Vec::new();
    for &set in &extent.sets {
        cases.extend(extent.seeded(|seed| Case::central(set, seed)));
        for (rule, _) in RULES {
            for (halves, _) in FACTORS {
                cases.extend(extent.seeded(|seed| Case::hierarchical(set, rule, halves, seed)));
            }
        }
    }
    cases
}

fn show(results: &Results<'_>) -> Result<Part> {
    let head = [
        "set",
        "central printed",
        "ours",
        "interval",
        "verdict",
        "best HDSM printed",
        "best single run",
        "best on average",
        "mean",
        "its interval",
        "in it",
    ];
    let title = "Table 4.7: one forest that sees all columns, and the best of HDSM";
    let mut sheet = Sheet::new("table-4-7", title, Place::Both, &head);
    let mut part = Part::default();
    for &set in &results.extent.sets {
        let central = results.spread(|seed| Case::central(set, seed), |run| run.accuracy)?;
        let printed = results.printed.central(set.name);
        let (name, best, most) = best(results, set)?;
        let verdict = printed.filter(|_| results.extent.whole).map(|[_, whole]| {
            let holds = (whole - central.mean).abs() <= WITHIN;
            part.check(
                format!("table 4.7, {}: central within 0.5", set.name),
                holds,
            );
            if holds { "holds" } else { "fails" }
        });
        let is_in = printed.map_or("–", |[one, _]| if best.holds(one) { "yes" } else { "no" });
        sheet.rows.push(row![
            set.name,
            printed.map(|[_, whole]| whole),
            central.mean,
            central.interval(),
            verdict.unwrap_or("–"),
            printed.map(|[one, _]| one),
            most,
            name,
            best.mean,
            best.interval(),
            is_in
        ]);
    }
    part.sheets.push(sheet);
    Ok(part)
}

/// The rule and factor that are best on average, their accuracy, and the best of all runs.
fn best(results: &Results<'_>, set: &'static Set) -> Result<(String, Spread, f64)> {
    let mut found: Option<(String, Spread)> = None;
    let mut most = f64::NEG_INFINITY;
    for (rule, word) in RULES {
        for (halves, factor) in FACTORS {
            let case = |seed| Case::hierarchical(set, rule, halves, seed);
            let ours = results.spread(case, |run| run.accuracy)?;
            most = most.max(ours.most);
            if found.as_ref().is_none_or(|(_, best)| ours.mean > best.mean) {
                found = Some((format!("{word} {factor}×"), ours));
            }
        }
    }
    let nothing = || (String::new(), Spread::of(&[f64::NAN]));
    let (name, spread) = found.unwrap_or_else(nothing);
    Ok((name, spread, most))
}

fn cases_of_times(extent: &Extent) -> Vec<Case> {
    let methods = |set: &&'static Set| ways(set).map(|(_, case)| case);
    extent.sets.iter().flat_map(methods).collect()
}

/// What is timed.
fn ways(set: &'static Set) -> [(&'static str, Case); 4] {
    [
        ("DVote", Case::flat(set, Rule::Vote)),
        ("DStack", Case::flat(set, Rule::Stack)),
        ("Park with ARF", Case::park(set, FOREST, 1)),
        ("HDSM vote 1×", Case::hierarchical(set, Rule::Vote, 2, 1)),
    ]
}

fn show_times(results: &Results<'_>) -> Result<Part> {
    let head = [
        "set",
        "way",
        "CPU µs a record",
        "times DVote",
        "study, times DVote",
    ];
    let title = "Table 4.4: ratios of times; one process, one thread, batches of one record";
    let mut sheet = Sheet::new("table-4-4", title, Place::Both, &head);
    for &set in &results.extent.sets {
        let mut first = None;
        for (name, case) in ways(set) {
            let run = results.book.of(&case)?;
            let base = *first.get_or_insert(run.seconds);
            let micros = run.seconds * 1e6 / run.records.max(1) as f64;
            // Of the study the ratio of throughputs on EEG is known: 168,000 to 7,700.
            let study = ((set.name, name) == ("EEG", "HDSM vote 1×")).then_some(168.0 / 7.7);
            sheet
                .rows
                .push(row![set.name, name, micros, run.seconds / base, study]);
        }
    }
    sheet.note(
        "Every frame is really encoded, also inside of one process; monitors make batches wait \
         for each other. Parties that run beside each other divide this among them.",
    );
    Ok(Part {
        sheets: vec![sheet],
        ..Part::default()
    })
}
