//! Table 4.6: other windows and other times of monitors, WFR by vote.

use super::case::Case;
use super::part::{Extent, Part, Results, Table};
use super::sets::WFR;
use crate::sheet::{Place, Sheet, row};
use moretta::Result;
use moretta::federate::{Rule, Terms};

pub(super) static TABLE: Table = Table {
    name: "4.6",
    cases,
    show,
};

/// What is changed, and the printed accuracy.
struct Change {
    words: &'static str,
    change: fn(&mut Terms),
    printed: Option<f64>,
}

const WITHIN: f64 = 1.0;

static CHANGES: [Change; 5] = [
    Change {
        words: "as in table 4.3",
        change: |_| {},
        printed: Some(75.75),
    },
    Change {
        words: "windows of 500",
        change: |terms| set_window(terms, 500),
        printed: Some(75.96),
    },
    Change {
        words: "windows of 2000",
        change: |terms| set_window(terms, 2000),
        printed: Some(77.19),
    },
    Change {
        words: "times of 100",
        change: |terms| set_times(terms, 100),
        printed: Some(77.89),
    },
    Change {
        words: "times of 1000",
        change: |terms| set_times(terms, 1000),
        printed: None,
    },
];

fn set_window(terms: &mut Terms, window: usize) {
    terms.window = window;
    terms.monitors.window = window;
}

fn set_times(terms: &mut Terms, time: u32) {
    terms.monitors.creation_time = time;
    terms.monitors.removal_time = time;
}

fn case(change: &Change, seed: u64) -> Case {
    Case::hierarchical(&WFR, Rule::Vote, 2, seed).with(change.change)
}

fn cases(extent: &Extent) -> Vec<Case> {
    if !extent.has(&WFR) {
        return Vec::new();
    }
    let seeded = |change: &'static Change| extent.seeded(|seed| case(change, seed));
    CHANGES.iter().flat_map(seeded).collect()
}

fn show(results: &Results<'_>) -> Result<Part> {
    let head = ["change", "printed", "ours", "interval", "in it", "verdict"];
    let title = "Table 4.6: windows and times, WFR, vote 1×, means over seeds";
    let mut sheet = Sheet::new("table-4-6", title, Place::Both, &head);
    let mut part = Part::default();
    if !results.extent.has(&WFR) {
        return Ok(part);
    }
    for change in &CHANGES {
        let ours = results.spread(|seed| case(change, seed), |run| run.accuracy)?;
        let printed = change.printed.filter(|_| results.extent.whole);
        let verdict = printed.map_or("–", |printed| {
            let holds = (printed - ours.mean).abs() <= WITHIN;
            part.check(format!("table 4.6, {}: within 1.0", change.words), holds);
            if holds { "holds" } else { "fails" }
        });
        let is_in = printed.map_or(
            "–",
            |printed| if ours.holds(printed) { "yes" } else { "no" },
        );
        sheet.rows.push(row![
            change.words,
            change.printed,
            ours.mean,
            ours.interval(),
            is_in,
            verdict
        ]);
    }
    part.sheets.push(sheet);
    Ok(part)
}
