//! What it costs that the hierarchy changes between batches only, and that labels come late.
//!
//! The study has neither. Accuracies of one seed; those that are expected come from the plain
//! reference that the lab's tests run.

use super::case::Case;
use super::part::{Extent, Part, Results, Table, same_digits};
use super::sets::{COINS, EEG, OCC, Set, WFR};
use crate::sheet::{Cell, Place, Sheet};
use moretta::Result;
use moretta::federate::Rule;

pub(super) static TABLE: Table = Table {
    name: "batches",
    cases,
    show,
};

const SIZES: [u32; 4] = [1, 64, 256, 1000];
const DELAYS: [u64; 4] = [0, 64, 256, 1000];

/// Set, batch, delay, accuracy.
const EXPECTED: [(&str, u32, u64, f64); 15] = [
    ("WFR", 1, 0, 75.97),
    ("WFR", 64, 0, 75.71),
    ("WFR", 256, 0, 74.59),
    ("WFR", 1000, 0, 74.89),
    ("OCC", 1, 0, 90.05),
    ("OCC", 64, 0, 90.05),
    ("OCC", 256, 0, 90.13),
    ("OCC", 1000, 0, 90.04),
    ("OCC", 1, 64, 89.91),
    ("OCC", 1, 256, 89.66),
    ("OCC", 1, 1000, 88.43),
    ("coins", 1, 0, 89.35),
    ("coins", 64, 0, 85.89),
    ("coins", 256, 0, 88.92),
    ("coins", 1000, 0, 88.13),
];

fn sets(extent: &Extent) -> Vec<&'static Set> {
    let published = [&WFR, &OCC, &EEG].into_iter();
    let published = published.filter(|set| extent.has(set));
    published.chain([&COINS]).collect()
}

fn case(set: &'static Set, batch: u32, delay: u64) -> Case {
    let rule = match set.name == COINS.name {
        true => Rule::MaxConfidence,
        false => Rule::Vote,
    };
    Case::hierarchical(set, rule, 2, 1).with(|terms| {
        terms.batch = batch;
        terms.label_delay = delay;
    })
}

fn cases(extent: &Extent) -> Vec<Case> {
    let mut cases = Vec::new();
    for set in sets(extent) {
        for batch in SIZES {
            cases.extend(DELAYS.map(|delay| case(set, batch, delay)));
        }
    }
    cases
}

fn show(results: &Results<'_>) -> Result<Part> {
    let head = [
        "set",
        "batch",
        "labels at once",
        "64 late",
        "256 late",
        "1000 late",
    ];
    let title = "Batches and late labels: accuracy by vote 1×, coins by confidence";
    let mut sheet = Sheet::new("batches", title, Place::Both, &head);
    let mut part = Part::default();
    for set in sets(results.extent) {
        for batch in SIZES {
            let mut row: Vec<Cell> = vec![set.name.into(), batch.into()];
            for delay in DELAYS {
                let ours = results.book.of(&case(set, batch, delay))?.accuracy;
                row.push(ours.into());
                let key = (set.name, batch, delay);
                let known = EXPECTED.iter().find(|row| (row.0, row.1, row.2) == key);
                if let Some(known) = known.filter(|_| results.extent.whole) {
                    let what = format!("{}, batches of {batch}, {delay} late", set.name);
                    part.check(
                        format!("{what}: as the reference"),
                        same_digits(known.3, ours),
                    );
                }
            }
            sheet.rows.push(row);
        }
    }
    sheet.note("Removal counts records from a node's first one and the delay on.");
    part.sheets.push(sheet);
    Ok(part)
}
