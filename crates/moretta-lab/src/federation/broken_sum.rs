//! The study's secure sum, broken in three ways on a few numbers.

use super::case::Case;
use super::part::{Extent, Part, Results, Table};
use super::published_sum::{Secret, close_in};
use crate::sheet::{Place, Sheet, row};
use moretta::Result;
use moretta::math::java_random::JavaRandom;

pub(super) static TABLE: Table = Table {
    name: "sum",
    cases: |_: &Extent| Vec::<Case>::new(),
    show,
};

/// θ.
const BOUND: f64 = 1.0;

fn secret(random: &mut JavaRandom) -> Secret {
    Secret {
        bound: BOUND,
        shift: BOUND * random.next_double(),
    }
}

fn show(_: &Results<'_>) -> Result<Part> {
    let mut part = Part {
        sheets: vec![wrong(), wrap(), collusion()],
        ..Part::default()
    };
    let mut random = JavaRandom::new(3);
    let sum = |values: &[f64]| {
        let secret = secret(&mut random);
        secret.sum(secret.chain(values))
    };
    let found = [&[0.7, 0.6][..], &[0.2, -0.5]].map(sum);
    let wrong = found
        .iter()
        .zip([1.3, -0.3])
        .all(|(a, b)| (a - b).abs() > 0.5);
    part.check(
        "the published sum of 0.7 and 0.6 and of 0.2 and -0.5 is wrong",
        wrong,
    );
    Ok(part)
}

/// Sums that leave the range of the features.
fn wrong() -> Sheet {
    let title =
        "The published secure sum, 1: numbers from 0 to θ = 1 only, but projections are not";
    let head = ["a", "b", "true sum", "sum at the node", "verdict"];
    let mut sheet = Sheet::new("sum-wrong", title, Place::Both, &head);
    let mut random = JavaRandom::new(1);
    for (a, b) in [(0.25, 0.5), (0.7, 0.6), (0.2, -0.5), (-1.3, 0.1)] {
        let secret = secret(&mut random);
        let found = secret.sum(secret.chain(&[a, b]));
        let right = (found - (a + b)).abs() < 1e-9;
        let word = if right { "right" } else { "wrong" };
        sheet.rows.push(row![a, b, a + b, found, word]);
    }
    sheet
}

/// What the node learns of a number that stays, record by record.
fn wrap() -> Sheet {
    let first = 0.37;
    let title = "The published secure sum, 2: the node sees whether a's number went round";
    let head = ["records", "least that a can be", "most", "width"];
    let mut sheet = Sheet::new("sum-wrap", title, Place::Both, &head);
    let mut random = JavaRandom::new(5);
    let mut seen = Vec::new();
    for records in [1_usize, 10, 100, 1000] {
        while seen.len() < records {
            let secret = secret(&mut random);
            let second = random.next_double() * (BOUND - first);
            seen.push(secret.seen(secret.chain(&[first, second])));
        }
        let (least, most) = close_in(&seen);
        let written = |value: f64| format!("{value:.4}");
        sheet.rows.push(row![
            records,
            written(least),
            written(most),
            written(most - least)
        ]);
    }
    sheet.note(format!(
        "a's number is {first} in every record; b's changes, and hides nothing."
    ));
    sheet
}

/// What the node and the second of three sources have together.
fn collusion() -> Sheet {
    let title = "The published secure sum, 3: the node and b alone get a's number";
    let head = ["a", "node knows ζ", "b knows z", "z - ζ mod θ", "verdict"];
    let mut sheet = Sheet::new("sum-collusion", title, Place::Both, &head);
    let mut random = JavaRandom::new(7);
    for first in [0.12, 0.37, 0.81] {
        let secret = secret(&mut random);
        let sent = secret.first(first);
        let found = secret.collude(sent);
        let exposed = (found - first).abs() < 1e-9;
        let word = if exposed { "exposed" } else { "hidden" };
        sheet
            .rows
            .push(row![first, secret.shift, sent, found, word]);
    }
    sheet.note("The claim was that c is needed too. The product masks whole numbers in pairs.");
    sheet
}
