//! Empty cells as any value: each row that matches too few loses the fewest cells.
//!
//! Rows that match fewer than k lose one cell, if one is enough, then two, and so on. The
//! rarest rows go first, of these those with the fewest sets of columns without which they match
//! k; of such sets that is emptied by which most other rows are helped that match too few.
//! An emptied row matches more rows and is matched by more, so those that come later may need
//! nothing.

use super::Cells;
use crate::cancel::Cancel;
use crate::data::MISSING;
use crate::error::Result;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// By what is shown in some columns.
type ByShown<T> = HashMap<Box<[u32]>, T, FixedState>;

/// Rows that are looked at for how much an empty cell helps.
const LOOKED_AT: usize = 256;

/// Empties cells until every row matches k; there are at least k rows.
pub(super) fn empty(cells: &mut Cells, cancel: &Cancel) -> Result<()> {
    let all = (1_u32 << cells.columns.len()) - 1;
    let mut matches = Matches::new(cells);
    let mut open: Vec<usize> = (0..cells.rows())
        .filter(|&row| matches.of_row(cells, row) < cells.k)
        .collect();
    for size in 1..=cells.columns.len() {
        let sets = match size == cells.columns.len() {
            true => vec![all],
            false => cells.sets(size),
        };
        let mut others = Others::new(cells, &sets, &open);
        // The rarest first, and those with the fewest ways out.
        let mut ways: Vec<(usize, usize, usize)> = Vec::new();
        for &row in &open {
            cancel.check()?;
            let mut enough = |&&set: &&u32| matches.without(cells, row, set) >= cells.k;
            let ways_out = sets.iter().filter(|set| enough(set)).count();
            ways.push((matches.of_row(cells, row), ways_out, row));
        }
        ways.sort_unstable();
        for (_, ways, row) in ways {
            cancel.check()?;
            if ways == 0 || matches.of_row(cells, row) >= cells.k {
                continue;
            }
            let mut best: Option<(usize, usize, u32)> = None;
            for &set in &sets {
                let count = matches.without(cells, row, set);
                let helped = others.matching(cells, row, set).count();
                let better =
                    best.is_none_or(|(most, counted, _)| (helped, count) > (most, counted));
                if count >= cells.k && better {
                    best = Some((helped, count, set));
                }
            }
            let Some((_, _, set)) = best else { continue };
            cells.emptied[row] = set & !matches.silent[row];
            matches.empty(cells, row, set);
            let helped: Vec<usize> = others.matching(cells, row, set).collect();
            let done = helped
                .into_iter()
                .filter(|&row| matches.of_row(cells, row) >= cells.k);
            others.done.extend(done);
        }
        open.retain(|&row| matches.of_row(cells, row) < cells.k);
    }
    Ok(())
}

/// Rows that match too few, by what they show without some columns.
struct Others {
    all: u32,
    by: HashMap<u32, ByShown<Vec<usize>>, FixedState>,
    /// Those that match enough by now.
    done: HashSet<usize, FixedState>,
}

impl Others {
    fn new(cells: &Cells, sets: &[u32], open: &[usize]) -> Self {
        let all = (1_u32 << cells.columns.len()) - 1;
        let mut others = Others {
            all,
            by: HashMap::default(),
            done: HashSet::default(),
        };
        for &set in sets {
            let by = others.by.entry(set).or_default();
            for &row in open {
                by.entry(cells.key(row, all & !set)).or_default().push(row);
            }
        }
        others
    }

    /// Some of those that a row matches without these columns.
    fn matching(&self, cells: &Cells, row: usize, set: u32) -> impl Iterator<Item = usize> {
        let rows = self.by.get(&set);
        let rows = rows.and_then(|rows| rows.get(&cells.key(row, self.all & !set)));
        let rows = rows.into_iter().flatten().take(LOOKED_AT).copied();
        rows.filter(|row| !self.done.contains(row))
    }
}

/// How many rows match what is asked for.
struct Matches {
    /// For each row the columns that say nothing.
    silent: Vec<u32>,
    /// How many rows have these columns silent.
    patterns: BTreeMap<u32, usize>,
    /// For rows with such silent columns, how often they show something in other columns.
    counts: HashMap<(u32, u32), ByShown<usize>, FixedState>,
}

impl Matches {
    fn new(cells: &Cells) -> Self {
        let bits = |row: usize| {
            let columns = cells.columns.iter().enumerate();
            let missing = columns.filter(|(_, codes)| codes[row] == MISSING);
            missing.fold(0, |bits, (bit, _)| bits | 1 << bit)
        };
        let silent: Vec<u32> = (0..cells.rows()).map(bits).collect();
        let mut patterns = BTreeMap::new();
        for &pattern in &silent {
            *patterns.entry(pattern).or_default() += 1;
        }
        Matches {
            silent,
            patterns,
            counts: HashMap::default(),
        }
    }

    /// Rows that match a row as it is shown.
    fn of_row(&mut self, cells: &Cells, row: usize) -> usize {
        self.without(cells, row, 0)
    }

    /// Rows that match a row without some columns.
    fn without(&mut self, cells: &Cells, row: usize, columns: u32) -> usize {
        let all = (1_u32 << cells.columns.len()) - 1;
        self.count(cells, row, all & !self.silent[row] & !columns)
    }

    /// Rows that show in these columns what `row` does, or nothing.
    fn count(&mut self, cells: &Cells, row: usize, columns: u32) -> usize {
        let patterns: Vec<u32> = self.patterns.keys().copied().collect();
        let mut matching = 0;
        for pattern in patterns {
            let both = columns & !pattern;
            let silent = &self.silent;
            let counts = self.counts.entry((pattern, both)).or_insert_with(|| {
                let mut counts = HashMap::default();
                let rows = (0..silent.len()).filter(|&row| silent[row] == pattern);
                rows.for_each(|row| *counts.entry(cells.key(row, both)).or_default() += 1);
                counts
            });
            matching += counts.get(&cells.key(row, both)).copied().unwrap_or(0);
        }
        matching
    }

    /// A row says nothing in these columns any more.
    fn empty(&mut self, cells: &Cells, row: usize, columns: u32) {
        let before = self.silent[row];
        let after = before | columns;
        for ((pattern, both), counts) in &mut self.counts {
            let key = || cells.key(row, *both);
            if *pattern == before {
                counts.entry(key()).and_modify(|count| *count -= 1);
            } else if *pattern == after {
                *counts.entry(key()).or_default() += 1;
            }
        }
        self.silent[row] = after;
        *self.patterns.entry(after).or_default() += 1;
        if let Some(rows) = self.patterns.get_mut(&before) {
            *rows -= 1;
            if *rows == 0 {
                self.patterns.remove(&before);
            }
        }
    }
}
