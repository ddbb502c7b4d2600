//! Table 4.1: six coins, and sites that find the pairs that matter. No chance decides here, so
//! every cell must come out.

use super::case::Case;
use super::part::{Extent, Part, Results, Table, same_digits};
use super::sets::COINS;
use crate::sheet::{Place, Sheet, row};
use moretta::Result;
use moretta::federate::Rule;

pub(super) static TABLE: Table = Table {
    name: "4.1",
    cases,
    show,
};

fn cases(_: &Extent) -> Vec<Case> {
    vec![flat(), hierarchical()]
}

fn flat() -> Case {
    Case::flat(&COINS, Rule::MaxConfidence)
}

fn hierarchical() -> Case {
    Case::hierarchical(&COINS, Rule::MaxConfidence, 2, 1)
}

fn show(results: &Results<'_>) -> Result<Part> {
    let title = "Table 4.1: six coins, Hoeffding trees";
    let mut sheet = Sheet::new(
        "table-4-1",
        title,
        Place::Both,
        &["figure", "printed", "ours", "verdict"],
    );
    let mut part = Part::default();
    let alone = results.book.of(&flat())?;
    let run = results.book.of(&hierarchical())?;
    let mut cells = vec![
        ("accuracy of sites alone".to_owned(), 62.08, alone.accuracy),
        (
            "accuracy with trouble nodes".to_owned(),
            89.35,
            run.accuracy,
        ),
        ("TDTV".to_owned(), 37.29, run.volume),
    ];
    let nodes = [
        ("[0,1]", 16.17),
        ("[2,3]", 12.10),
        ("[4,5]", 8.69),
        ("[[2,3],5]", 0.33),
    ];
    for (name, printed) in nodes {
        cells.push((format!("TDTV to {name}"), printed, run.volume_of(name)));
    }
    cells.push(("use of [0,1]".to_owned(), 21.43, run.used_of("[0,1]")));
    for (what, printed, ours) in cells {
        let holds = same_digits(printed, ours);
        let word = match (results.extent.whole, holds) {
            (false, _) => "–",
            (true, true) => "same",
            (true, false) => "differs",
        };
        if results.extent.whole {
            part.check(format!("table 4.1, {what}: both digits"), holds);
        }
        sheet.rows.push(row![what, printed, ours, word]);
    }
    part.sheets.push(sheet);
    Ok(part)
}
