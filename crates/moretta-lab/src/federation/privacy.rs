//! What it costs to hide values from trouble nodes: records as they are, projections, and sums of
//! masked projections, with noise.
//!
//! Masked sums need three sources, so records as they are are shown for groups of three and four
//! too: what is lost to larger groups is not lost to masks. How well projections hide is what
//! `moretta attack` and the study of perturbation tell, not this table.

use super::case::Case;
use super::part::{Extent, Part, Results, Table};
use super::sets::{EEG, OCC, Set, WFR};
use crate::sheet::{Cell, Place, Sheet};
use moretta::Result;
use moretta::federate::{FragmentKind, Rule};

pub(super) static TABLE: Table = Table {
    name: "privacy",
    cases,
    show,
};

const NOISES: [f64; 4] = [0.0, 0.05, 0.1, 0.25];
const BATCH: u32 = 64;
/// Seeds at most: a mean of so many tells what is lost.
const SEEDS: u64 = 3;

/// How records reach nodes, and of how many sources.
static WAYS: [(FragmentKind, u8, &str); 6] = [
    (FragmentKind::Raw, 2, "as they are"),
    (FragmentKind::Raw, 3, "as they are"),
    (FragmentKind::Raw, 4, "as they are"),
    (FragmentKind::Projected, 2, "projected"),
    (FragmentKind::Masked, 3, "masked sums"),
    (FragmentKind::Masked, 4, "masked sums"),
];

fn sets(extent: &Extent) -> impl Iterator<Item = &'static Set> {
    let all = [&WFR, &OCC, &EEG].into_iter();
    all.filter(|set| extent.has(set))
}

fn case(set: &'static Set, kind: FragmentKind, group: u8, noise: f64, seed: u64) -> Case {
    let case = Case::hierarchical(set, Rule::Vote, 2, seed.min(SEEDS));
    let case = case.with(|terms| terms.batch = BATCH);
    case.with_trouble(|trouble| {
        trouble.fragments = kind;
        trouble.group = group;
        trouble.noise = noise;
    })
}

/// Noise is of projections.
fn noises(kind: FragmentKind) -> &'static [f64] {
    match kind {
        FragmentKind::Raw => &NOISES[..1],
        _ => &NOISES,
    }
}

fn cases(extent: &Extent) -> Vec<Case> {
    let mut cases = Vec::new();
    for set in sets(extent) {
        for &(kind, group, _) in &WAYS {
            for &noise in noises(kind) {
                if u16::from(group) <= set.sites() {
                    cases.extend(extent.seeded(|seed| case(set, kind, group, noise, seed)));
                }
            }
        }
    }
    cases
}

fn show(results: &Results<'_>) -> Result<Part> {
    let head = [
        "set",
        "records",
        "sources",
        "noise 0",
        "noise 0.05",
        "noise 0.1",
        "noise 0.25",
        "TDTV",
        "nodes",
    ];
    let title = "Privacy: accuracy by vote 1×, batches of 64, by what trouble nodes see";
    let mut sheet = Sheet::new("privacy", title, Place::Both, &head);
    for set in sets(results.extent) {
        for &(kind, group, words) in &WAYS {
            if u16::from(group) > set.sites() {
                continue;
            }
            let mut row: Vec<Cell> = vec![set.name.into(), words.into(), u32::from(group).into()];
            for &noise in &NOISES {
                let accuracy = match noises(kind).contains(&noise) {
                    true => {
                        let case = |seed| case(set, kind, group, noise, seed);
                        Some(results.spread(case, |run| run.accuracy)?.mean)
                    }
                    false => None,
                };
                row.push(accuracy.into());
            }
            let first = |seed| case(set, kind, group, 0.0, seed);
            row.push(results.spread(first, |run| run.volume)?.mean.into());
            row.push(
                results
                    .spread(first, |run| run.nodes.len() as f64)?
                    .mean
                    .into(),
            );
            sheet.rows.push(row);
        }
    }
    let seeds = results.extent.seeds.min(SEEDS);
    sheet.note(format!(
        "Means over {seeds} seeds. Noise accumulates; it is σ on average over 10,000 records. TDTV \
         and nodes made are without noise. OCC has three sites, so no group of four."
    ));
    Ok(Part {
        sheets: vec![sheet],
        ..Part::default()
    })
}
