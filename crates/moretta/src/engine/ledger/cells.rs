//! Cells: persons whom all releases so far, taken together, do not tell apart.
//!
//! Of each row the ledger knows one running cell. A new release splits cells: the pair of the
//! old cell and the new class becomes a new cell. Being in the table and not released is a class
//! of its own, and so is being absent. Rows that were never released are in no cell yet: no
//! release tells whether they waited or were not there. Two releases at a time are not enough:
//! three of which each pair keeps k may leave a person alone.
//!
//! Cost: a look-up a row.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The class of what is in a table and was not released.
pub const SUPPRESSED: u32 = 0;

/// The class of what was in an earlier table and is not in this one.
const ABSENT: u32 = u32::MAX;

/// The cell of what was never released.
const NEVER: u32 = u32::MAX;

/// What one release says of a row that is known by the same id in all releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// Which row, under a key.
    pub id: u128,
    /// Whose row, under a key; some other number for each person.
    pub person: u64,
    /// Its class, or [`SUPPRESSED`].
    pub class: u32,
}

/// The running cell of each row that was ever released.
#[derive(Clone, Default)]
pub(crate) struct Cells {
    of: HashMap<u128, Seen, FixedState>,
    /// How many cells there are.
    count: usize,
}

/// What is known of a row.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) cell: u32,
    person: u64,
}

/// Cells that are too small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Small {
    /// How many there are.
    pub(crate) cells: u64,
    /// Persons in them.
    pub(crate) persons: u64,
}

impl Cells {
    /// The cells after one more release, of each row of which `units` tells once.
    pub(crate) fn after(&self, units: &[Unit]) -> Cells {
        let mut before = self.of.clone();
        let mut next: HashMap<u128, Seen, FixedState> =
            HashMap::with_capacity_and_hasher(before.len().max(units.len()), FixedState::default());
        let mut known: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
        let mut cell = |old: u32, class: u32| {
            let count = known.len() as u32;
            *known.entry((old, class)).or_insert(count)
        };
        for unit in units {
            let old = match before.remove(&unit.id) {
                Some(seen) => seen.cell,
                None if unit.class == SUPPRESSED => continue,
                None => NEVER,
            };
            let seen = Seen {
                cell: cell(old, unit.class),
                person: unit.person,
            };
            next.insert(unit.id, seen);
        }
        for (id, seen) in before {
            let cell = cell(seen.cell, ABSENT);
            next.insert(id, Seen { cell, ..seen });
        }
        Cells {
            of: next,
            count: known.len(),
        }
    }

    /// What is known of a row.
    pub(super) fn seen(&self, id: u128) -> Option<Seen> {
        self.of.get(&id).copied()
    }

    /// How many cells there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// How many that are too small.
    pub(crate) fn small(&self, k: u32) -> Small {
        let small = self.persons().into_iter().filter(|&size| size < k);
        small.fold(Small::default(), |sum, size| Small {
            cells: sum.cells + 1,
            persons: sum.persons + u64::from(size),
        })
    }

    /// Persons in each cell.
    pub(super) fn persons(&self) -> Vec<u32> {
        let mut pairs: Vec<(u32, u64)> = self.of.values().map(|s| (s.cell, s.person)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut sizes = vec![0; self.count];
        pairs
            .iter()
            .for_each(|&(cell, _)| sizes[cell as usize] += 1);
        sizes
    }

    /// Rows that were ever released.
    pub(crate) fn rows(&self) -> usize {
        self.of.len()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows 0, 1, 2, … with these classes; 9 is suppressed.
    pub(in crate::engine::ledger) fn release(classes: &[u32]) -> Vec<Unit> {
        let rows = classes.iter().enumerate();
        rows.map(|(row, &class)| Unit {
            id: row as u128,
            person: row as u64,
            class: if class == 9 { SUPPRESSED } else { class + 1 },
        })
        .collect()
    }

    fn check(releases: &[&[u32]], k: u32, small: &[u64]) {
        let mut cells = Cells::default();
        for (classes, expected) in releases.iter().zip(small) {
            cells = cells.after(&release(classes));
            assert_eq!(cells.small(k).cells, *expected, "{classes:?}");
        }
    }

    #[test]
    fn worked_examples() {
        let first: &[u32] = &[0, 0, 0, 0, 1, 1, 1, 1];
        // Cells of 3, 1 and 4.
        check(&[first, &[0, 0, 0, 1, 1, 1, 1, 1]], 2, &[0, 1]);
        // Four cells of 2; then each pair of releases has cells of 2, all three cells of 1.
        let second: &[u32] = &[0, 0, 1, 1, 1, 1, 0, 0];
        let third: &[u32] = &[0, 1, 0, 1, 0, 1, 0, 1];
        check(&[first, second, third], 2, &[0, 0, 8]);
        check(&[first, third], 2, &[0, 0]);
        check(&[second, third], 2, &[0, 0]);
    }

    #[test]
    fn suppressed_and_absent_are_classes_once_a_row_was_released() {
        // One row of a class is suppressed in the second release, and one is absent.
        check(&[&[0, 0, 0, 0], &[0, 0, 0, 9]], 2, &[0, 1]);
        check(&[&[0, 0, 0, 0], &[0, 0, 0]], 2, &[0, 1]);
        // Two at once hide each other.
        check(&[&[0, 0, 0, 0], &[0, 0, 9, 9]], 2, &[0, 0]);
        check(&[&[0, 0, 9], &[0, 0, 9]], 2, &[0, 0]);
        // Who was suppressed and comes alone is told.
        check(&[&[0, 0, 9], &[0, 0, 0]], 2, &[0, 1]);
        // A fine release without rows 3, 6 and 7, then a coarse one with all.
        let fine: &[u32] = &[0, 0, 9, 1, 1, 9, 9, 1];
        check(&[fine, &[0, 0, 0, 1, 1, 1, 1, 1]], 2, &[0, 1]);
    }

    #[test]
    fn persons_are_counted_not_rows() {
        let mut rows = release(&[0, 0, 0, 1, 1, 1]);
        let cells = Cells::default().after(&rows);
        assert_eq!(cells.small(3), Small::default());
        rows[1].person = 0;
        let cells = Cells::default().after(&rows);
        let small = Small {
            cells: 1,
            persons: 2,
        };
        assert_eq!(cells.small(3), small);
    }

    proptest! {
        /// Cells are the rows that have the same class in every release.
        #[test]
        fn cells_are_intersections_of_classes(
            releases in proptest::collection::vec(
                proptest::collection::vec(proptest::option::weighted(0.9, 0u32..4), 12),
                1..5,
            ),
            k in 1u32..5,
        ) {
            let mut cells = Cells::default();
            for classes in &releases {
                let units = classes.iter().enumerate().filter_map(|(row, class)| {
                    let class = (*class)?;
                    Some(Unit { id: row as u128, person: row as u64, class })
                });
                cells = cells.after(&units.collect::<Vec<_>>());
            }
            // What came before the first release of a row is not told.
            let history = |row: usize| -> Vec<Option<u32>> {
                let is_released = |classes: &&Vec<Option<u32>>| classes[row] > Some(0);
                let waited = releases.iter().take_while(|classes| !is_released(classes)).count();
                let rest = releases[waited..].iter().map(|classes| classes[row]);
                std::iter::repeat_n(Some(99), waited).chain(rest).collect()
            };
            let released = |row: usize| releases.iter().any(|classes| classes[row] > Some(0));
            let persons = (0..12).filter(|&row| {
                let same = (0..12).filter(|&other| history(other) == history(row));
                released(row) && same.count() < k as usize
            });
            prop_assert_eq!(cells.small(k).persons, persons.count() as u64);
        }
    }
}
