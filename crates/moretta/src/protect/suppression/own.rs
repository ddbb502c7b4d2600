//! Empty cells as values of their own: rows that stand out are put together by the fewest columns.
//!
//! For one column, then two, and so on: of all sets of so many columns that one is emptied by which
//! most rows come into classes that keep the guarantee, with each other or with rows that were emptied so before.
//! The last ones, too few for a class, lose all cells, together with rows of the largest classes.

use super::Cells;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::protect::limits::Limits;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

type Classes = HashMap<Box<[u32]>, Vec<u32>, FixedState>;

/// Empties cells until every class keeps the limits; the whole table does.
pub(super) fn empty(cells: &mut Cells, limits: &Limits, cancel: &Cancel) -> Result<()> {
    let all = (1_u32 << cells.columns.len()) - 1;
    let rows: Vec<u32> = (0..cells.rows() as u32).collect();
    // What is shown with these columns empty, class by class.
    let mut shown: HashMap<u32, Classes, FixedState> = HashMap::default();
    let mut open = settle(cells, limits, &mut shown, 0, rows);
    for size in 1..=cells.columns.len() {
        let sets = cells.sets(size);
        while !open.is_empty() {
            cancel.check()?;
            let gains = sets
                .iter()
                .map(|&set| (gain(cells, limits, &shown, set, &open), set));
            // Of several the first, which is the lightest.
            let Some((gain, set)) = gains.rev().max_by_key(|&(gain, _)| gain) else {
                break;
            };
            if gain == 0 {
                break;
            }
            open = settle(cells, limits, &mut shown, set, open);
        }
    }
    finish(cells, limits, shown, all, open);
    Ok(())
}

/// The classes of rows that these columns are empty in.
fn classes(cells: &Cells, set: u32, rows: &[u32]) -> Classes {
    let all = (1_u32 << cells.columns.len()) - 1;
    let mut classes = Classes::default();
    for &row in rows {
        let key = cells.key(row as usize, all & !set);
        classes.entry(key).or_default().push(row);
    }
    classes
}

/// Whether rows may be a class, with those that show the same already.
fn joins(limits: &Limits, there: Option<&Vec<u32>>, rows: &[u32]) -> bool {
    match there {
        None => limits.hold(rows),
        Some(there) => limits.hold(&[&there[..], rows].concat()),
    }
}

/// How many of the rows come into a class when these columns are emptied.
fn gain(
    cells: &Cells,
    limits: &Limits,
    shown: &HashMap<u32, Classes, FixedState>,
    set: u32,
    open: &[u32],
) -> usize {
    let there = shown.get(&set);
    let classes = classes(cells, set, open);
    let joined = classes.iter().filter(|(key, rows)| {
        let there = there.and_then(|there| there.get(*key));
        joins(limits, there, rows)
    });
    joined.map(|(_, rows)| rows.len()).sum()
}

/// Empties these columns in all rows that come into a class by that; gives the others.
fn settle(
    cells: &mut Cells,
    limits: &Limits,
    shown: &mut HashMap<u32, Classes, FixedState>,
    set: u32,
    open: Vec<u32>,
) -> Vec<u32> {
    let there = shown.entry(set).or_default();
    let mut left = Vec::new();
    for (key, rows) in classes(cells, set, &open) {
        if !joins(limits, there.get(&key), &rows) {
            left.extend(rows);
            continue;
        }
        for &row in &rows {
            cells.emptied[row as usize] = set;
        }
        there.entry(key).or_default().extend(rows);
    }
    left.sort_unstable();
    left
}

/// Empties the last rows, which are no class, and as many others as that takes.
fn finish(
    cells: &mut Cells,
    limits: &Limits,
    shown: HashMap<u32, Classes, FixedState>,
    all: u32,
    mut open: Vec<u32>,
) {
    if open.is_empty() {
        return;
    }
    let mut classes: Vec<Vec<u32>> = shown.into_values().flat_map(Classes::into_values).collect();
    // The largest first; of several that of the first row.
    classes.iter_mut().for_each(|rows| rows.sort_unstable());
    classes.sort_by_key(|rows| (std::cmp::Reverse(rows.len()), rows[0]));
    for rows in &mut classes {
        while !limits.hold(&open) && limits.hold(&rows[..rows.len() - 1]) {
            open.extend(rows.pop());
        }
    }
    while !limits.hold(&open)
        && let Some(rows) = classes.pop()
    {
        // None can spare a row: a whole one goes.
        open.extend(rows);
    }
    for row in open {
        cells.emptied[row as usize] = all;
    }
}
