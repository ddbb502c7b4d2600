//! Table 4.2: the streams and how sites share their columns, counted from the copies at hand.
//!
//! Four of the eleven streams are not at hand whole. Their rows say what is known of them and why
//! nothing is run; a part of a stream would give figures that stand beside no printed ones.

use super::case::Case;
use super::part::{Extent, Part, Results, Table};
use super::sets::{ALL, Set};
use super::streams::Stream;
use crate::sheet::{Cell, Place, Sheet, row};
use moretta::Result;
use std::collections::HashSet;

pub(super) static TABLE: Table = Table {
    name: "4.2",
    cases: |_: &Extent| Vec::<Case>::new(),
    show,
};

/// Records as the study has them, in the order of the sets, and where they are from.
const SAID: [(&str, usize, &str); 7] = [
    ("EEG", 14_980, "file, shuffled"),
    ("OCC", 20_560, "three files in one, shuffled"),
    (
        "WFR",
        10_912,
        "file twice; the text of the study counts its header too",
    ),
    ("RBF-F", 50_000, "generated, centres move by 0.001"),
    ("RBF-M", 50_000, "generated, centres move by 0.0001"),
    (
        "SEA-A",
        100_000,
        "generated, three sudden changes; all concepts draw the same rows",
    ),
    (
        "SEA-G",
        100_000,
        "generated, three slow changes; all concepts draw the same rows",
    ),
];

/// A stream that is not at hand whole.
struct Missing {
    name: &'static str,
    records: Option<usize>,
    attributes: u32,
    classes: u32,
    sites: &'static str,
    why: &'static str,
}

const MISSING: [Missing; 4] = [
    Missing {
        name: "GAS",
        records: Some(13_910),
        attributes: 128,
        classes: 6,
        sites: "16 × 8",
        why: "not at hand whole: two of ten batches",
    },
    Missing {
        name: "HIG",
        records: Some(10_000),
        attributes: 19,
        classes: 2,
        sites: "5, of 3 and 4",
        why: "not at hand",
    },
    Missing {
        name: "FLT",
        records: None,
        attributes: 20,
        classes: 2,
        sites: "9, of 1 to 3",
        why: "not at hand",
    },
    Missing {
        name: "SDD",
        records: Some(58_509),
        attributes: 48,
        classes: 11,
        sites: "12 × 4",
        why: "not at hand",
    },
];

fn show(results: &Results<'_>) -> Result<Part> {
    let head = [
        "set",
        "records, study",
        "ours",
        "distinct",
        "attributes",
        "classes",
        "sites",
        "from",
    ];
    let title = "Table 4.2: streams and sites, counted from our copies";
    let mut sheet = Sheet::new("table-4-2", title, Place::Both, &head);
    let mut part = Part::default();
    for &set in ALL.iter().filter(|set| results.extent.has(set)) {
        let stream = (results.read)(set)?;
        let said = SAID.iter().find(|(name, ..)| *name == set.name);
        let records = stream.records.len();
        if results.extent.whole {
            part.check(
                format!("table 4.2, {}: as many records as the study", set.name),
                said.is_some_and(|(_, said, _)| records == *said),
            );
        }
        sheet.rows.push(row![
            set.name,
            said.map_or(Cell::Nothing, |(_, said, _)| (*said).into()),
            records,
            distinct(&stream),
            stream.records.width(),
            stream.header.classes(),
            split(set),
            said.map_or("", |(.., from)| from),
        ]);
    }
    for missing in &MISSING {
        sheet.rows.push(row![
            missing.name,
            missing.records.map_or(Cell::Nothing, Into::into),
            Cell::Nothing,
            Cell::Nothing,
            missing.attributes,
            missing.classes,
            missing.sites,
            missing.why,
        ]);
    }
    sheet.note("Figures of the four streams without a copy are of their publishers.");
    part.sheets.push(sheet);
    Ok(part)
}

/// Sites and the columns of each.
fn split(set: &Set) -> String {
    format!("{} × {}", set.sites(), set.width)
}

/// How many records differ in their attributes.
fn distinct(stream: &Stream) -> usize {
    let bits = |record: &[f64]| record.iter().map(|value| value.to_bits()).collect();
    let records: HashSet<Vec<u64>> = stream.records.iter().map(bits).collect();
    records.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_set_has_a_row_and_sea_replays_its_records() {
        for set in ALL {
            assert!(SAID.iter().any(|(name, ..)| *name == set.name));
        }
        let sea = ALL.iter().find(|set| set.name == "SEA-A");
        let sea = sea.expect("a set").read(Path::new("nowhere"), usize::MAX);
        assert_eq!(distinct(&sea.expect("generated")), 25_001);
    }
}
