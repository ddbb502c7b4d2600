//! Classes that are joined until, taken together with earlier releases, nobody stands in a cell
//! of fewer than k.
//!
//! Whoever was in one cell before must be in one class now, or in classes with enough others of
//! the cell. Where a cell would be split too finely, it is joined with all new classes that its
//! rows are in (union-find), and each component is published as one class; a component only
//! grows, so no other cell gets smaller by that. Rows that were never released before appear
//! in a component only if k persons of them do. Where an old cell would still be split,
//! because some of its rows are suppressed now, all of its rows are.
//! Rows that are absent cannot be brought back: then the check refuses the release.

use super::cells::{Cells, SUPPRESSED, Unit};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// The component of each row, [`SUPPRESSED`] for those that must not be released.
pub(crate) fn coarsened(cells: &Cells, rows: &[Unit], k: u32) -> Vec<u32> {
    let mut joined: HashSet<u32, FixedState> = HashSet::default();
    let mut components: Vec<u32> = rows.iter().map(|row| row.class).collect();
    loop {
        let split = Split::of(cells, rows, &components, k);
        let new = split.old.difference(&joined).count();
        if new == 0 {
            break;
        }
        joined.extend(&split.old);
        components = join(cells, rows, &joined);
    }
    loop {
        let split = Split::of(cells, rows, &components, k);
        let mut changed = false;
        for (row, component) in rows.iter().zip(&mut components) {
            let goes = match cells.seen(row.id) {
                Some(seen) => split.old.contains(&seen.cell),
                None => split.fresh.contains(&row.id),
            };
            changed |= goes && *component != SUPPRESSED;
            *component = if goes { SUPPRESSED } else { *component };
        }
        if !changed {
            return components;
        }
    }
}

/// Who would be told apart.
struct Split {
    /// Old cells of which a part would be too small.
    old: HashSet<u32, FixedState>,
    /// Rows that were never released and would come with too few.
    fresh: HashSet<u128, FixedState>,
}

impl Split {
    fn of(cells: &Cells, rows: &[Unit], components: &[u32], k: u32) -> Self {
        let now = rows.iter().zip(components);
        let now: Vec<Unit> = now.map(|(row, &class)| Unit { class, ..*row }).collect();
        let after = cells.after(&now);
        let sizes = after.persons();
        let mut split = Split {
            old: HashSet::default(),
            fresh: HashSet::default(),
        };
        for row in rows {
            let small = after
                .seen(row.id)
                .is_some_and(|s| sizes[s.cell as usize] < k);
            match cells.seen(row.id) {
                Some(seen) if small => drop(split.old.insert(seen.cell)),
                None if small => drop(split.fresh.insert(row.id)),
                _ => {}
            }
        }
        split
    }
}

/// The component of each released row, where these old cells are joined with their classes.
fn join(cells: &Cells, rows: &[Unit], joined: &HashSet<u32, FixedState>) -> Vec<u32> {
    let classes = rows.iter().map(|row| row.class).max().unwrap_or(0) as usize + 1;
    // Classes come first, then old cells.
    let mut parents: Vec<u32> = (0..(classes + cells.len()) as u32).collect();
    for row in rows.iter().filter(|row| row.class != SUPPRESSED) {
        if let Some(seen) = cells.seen(row.id)
            && joined.contains(&seen.cell)
        {
            let (class, cell) = (row.class, classes as u32 + seen.cell);
            let (a, b) = (root(&mut parents, class), root(&mut parents, cell));
            // The smaller number is the root, so that a class stays one.
            parents[a.max(b) as usize] = a.min(b);
        }
    }
    rows.iter()
        .map(|row| match row.class {
            SUPPRESSED => SUPPRESSED,
            class => root(&mut parents, class),
        })
        .collect()
}

fn root(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        let above = parents[node as usize];
        parents[node as usize] = parents[above as usize];
        node = above;
    }
    node
}

#[cfg(test)]
mod tests {
    use super::super::cells::tests::release;
    use super::*;
    use proptest::prelude::*;

    fn check(first: &[u32], second: &[u32], k: u32, expected: &[&[usize]], gone: &[usize]) {
        let cells = Cells::default().after(&release(first));
        let found = coarsened(&cells, &release(second), k);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for row in (0..found.len()).filter(|&row| found[row] != SUPPRESSED) {
            match groups
                .iter_mut()
                .find(|group| found[group[0]] == found[row])
            {
                Some(group) => group.push(row),
                None => groups.push(vec![row]),
            }
        }
        assert_eq!(groups, expected);
        let suppressed = (0..found.len()).filter(|&row| found[row] == SUPPRESSED);
        assert_eq!(suppressed.collect::<Vec<_>>(), gone);
    }

    #[test]
    fn classes_that_share_an_old_cell_become_one() {
        let first = [0, 0, 0, 0, 1, 1, 1, 1];
        check(
            &first,
            &[0, 0, 0, 1, 1, 1, 1, 1],
            2,
            &[&[0, 1, 2, 3, 4, 5, 6, 7]],
            &[],
        );
        check(
            &first,
            &[0, 0, 0, 0, 2, 2, 2, 1],
            2,
            &[&[0, 1, 2, 3], &[4, 5, 6, 7]],
            &[],
        );
        // Parts of two are large enough.
        check(
            &first,
            &[0, 0, 0, 0, 2, 2, 1, 1],
            2,
            &[&[0, 1, 2, 3], &[4, 5], &[6, 7]],
            &[],
        );
        // What agrees already stays.
        check(
            &first,
            &[1, 1, 1, 1, 0, 0, 0, 0],
            2,
            &[&[0, 1, 2, 3], &[4, 5, 6, 7]],
            &[],
        );
    }

    #[test]
    fn rows_suppressed_before_come_back_together_or_not_at_all() {
        // Row 2 alone stays away; 2 and 5 together come.
        check(
            &[0, 0, 9, 1, 1],
            &[0, 0, 0, 1, 1],
            2,
            &[&[0, 1], &[3, 4]],
            &[2],
        );
        check(
            &[0, 0, 9, 1, 1, 9],
            &[0, 0, 0, 1, 1, 0],
            2,
            &[&[0, 1, 2, 5], &[3, 4]],
            &[],
        );
    }

    #[test]
    fn a_cell_that_would_be_split_by_suppression_goes_as_a_whole() {
        check(
            &[0, 0, 0, 0, 1, 1],
            &[0, 0, 0, 9, 1, 1],
            2,
            &[&[4, 5]],
            &[0, 1, 2, 3],
        );
    }

    proptest! {
        /// Whatever comes, no cell is too small but those of rows that are absent.
        #[test]
        fn no_cell_is_too_small_afterwards(
            first in proptest::collection::vec(0u32..3, 6..20),
            second in proptest::collection::vec(prop_oneof![0u32..4, Just(9)], 20),
            third in proptest::collection::vec(prop_oneof![0u32..4, Just(9)], 20),
        ) {
            let mut cells = Cells::default().after(&release(&first));
            let k = 2;
            prop_assume!(cells.small(k).cells == 0);
            for classes in [&second, &third] {
                let rows = release(&classes[..first.len()]);
                let components = coarsened(&cells, &rows, k);
                let units: Vec<Unit> = rows.iter().zip(&components)
                    .map(|(row, &class)| Unit { class, ..*row })
                    .collect();
                for (row, unit) in rows.iter().zip(&units) {
                    prop_assert!(row.class != SUPPRESSED || unit.class == SUPPRESSED);
                }
                cells = cells.after(&units);
                prop_assert_eq!(cells.small(k).cells, 0);
            }
        }
    }
}
