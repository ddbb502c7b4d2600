//! Intersection: several releases of the same persons, side by side.
//!
//! Each person is in a class of each release. Who knows a person's quasi-identifiers finds the
//! class in every one, and the person is among those who are in all of them: a *cell*. Suppressed
//! persons are a class too, as are those who are not in a release; rows that no release has do
//! not count. Classes of 5 and cells of 1 break k-anonymity though each release keeps it. Pairs of
//! releases are not enough to look at: three may single out a person whom no two do.
//!
//! What is learnt needs no cell of one: a sensitive value that is the only one common to all
//! classes of a person is the person's.
//!
//! **Costs** one hash table over the persons a release.
//!
//! **From** Ganta, Kasiviswanathan and Smith, Composition attacks and auxiliary information in data
//! privacy, KDD 2008.

use crate::data::MISSING;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;

/// What several releases tell together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Intersection {
    /// Releases that were put side by side.
    pub releases: usize,
    /// Persons who are in at least one of them.
    pub persons: u64,
    /// Cells of persons who are in the same classes everywhere.
    pub cells: u64,
    /// The smallest class of any of the releases.
    pub smallest_class: u64,
    /// The smallest cell.
    pub smallest_cell: u64,
    /// Persons in cells smaller than the smallest class: what the releases add to each other.
    pub exposed: u64,
    /// Their share.
    pub share: f64,
    /// Persons of whom one sensitive value is left, in the column with most of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learnt: Option<u64>,
}

/// The cell of each person, dense from 0 on, after one more release: `class_of` gives the class
/// of each person there, [`MISSING`] for one who is not in it.
pub fn refine(cell_of: &[u32], class_of: &[u32]) -> Vec<u32> {
    let mut known: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
    let pairs = cell_of.iter().zip(class_of);
    pairs
        .map(|(&cell, &class)| {
            let next = known.len() as u32;
            *known.entry((cell, class)).or_insert(next)
        })
        .collect()
}

/// How many persons are in each cell or class; [`MISSING`] is none.
pub fn counted(of: &[u32]) -> Vec<u64> {
    let present = of.iter().filter(|&&place| place != MISSING);
    let most = present.clone().max().map_or(0, |&last| last as usize + 1);
    let mut counts = vec![0; most];
    present.for_each(|&place| counts[place as usize] += 1);
    counts
}

/// Puts releases side by side: the class of each person in each of them, [`MISSING`] for none.
pub fn intersect(releases: &[Vec<u32>]) -> Option<Intersection> {
    let persons = releases.first()?.len();
    let is_released = |person: &usize| releases.iter().any(|classes| classes[*person] != MISSING);
    let released: Vec<usize> = (0..persons).filter(is_released).collect();
    let mut cell_of = vec![0; released.len()];
    for classes in releases {
        let here: Vec<u32> = released.iter().map(|&person| classes[person]).collect();
        cell_of = refine(&cell_of, &here);
    }
    let classes = releases.iter().flat_map(|classes| counted(classes));
    let smallest_class = classes.filter(|&size| size > 0).min().unwrap_or(0);
    let cells = counted(&cell_of);
    let exposed: u64 = cells.iter().filter(|&&size| size < smallest_class).sum();
    Some(Intersection {
        releases: releases.len(),
        persons: released.len() as u64,
        cells: cells.len() as u64,
        smallest_class,
        smallest_cell: cells.iter().copied().min().unwrap_or(0),
        exposed,
        share: exposed as f64 / released.len().max(1) as f64,
        learnt: None,
    })
}

/// The values of a sensitive column in each class of a release.
pub type ValuesOfClasses = Vec<Vec<String>>;

/// Of how many persons one value is left that all their classes have; `values` holds, for each
/// release, the values of each class, ascending.
pub fn learnt(releases: &[Vec<u32>], values: &[ValuesOfClasses]) -> u64 {
    let persons = releases.first().map_or(0, Vec::len);
    let mut known: HashMap<Vec<u32>, bool, FixedState> = HashMap::default();
    let mut found = 0;
    for person in 0..persons {
        let classes: Vec<u32> = releases.iter().map(|classes| classes[person]).collect();
        if classes.contains(&MISSING) {
            continue;
        }
        let one_left = *known.entry(classes).or_insert_with_key(|classes| {
            let mut sets = classes.iter().zip(values);
            let mut sets = sets
                .by_ref()
                .map(|(&class, values)| &values[class as usize]);
            let Some(first) = sets.next() else {
                return false;
            };
            let rest: Vec<&Vec<String>> = sets.collect();
            let in_all = |value: &&String| rest.iter().all(|set| set.binary_search(value).is_ok());
            first.iter().filter(in_all).count() == 1
        });
        found += u64::from(one_left);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(releases: &[[u32; 8]]) -> Vec<u64> {
        let mut cell_of = vec![0; 8];
        for release in releases {
            cell_of = refine(&cell_of, release);
        }
        let mut counts = counted(&cell_of);
        counts.sort_unstable();
        counts
    }

    #[test]
    fn pairs_of_releases_are_not_enough_to_look_at() {
        let first = [0, 0, 0, 0, 1, 1, 1, 1];
        let shifted = [0, 0, 0, 1, 1, 1, 1, 1];
        let halves = [0, 0, 1, 1, 1, 1, 0, 0];
        let others = [0, 1, 0, 1, 0, 1, 0, 1];
        assert_eq!(cells(&[first, shifted]), [1, 3, 4]);
        assert_eq!(cells(&[first, halves]), [2; 4]);
        assert_eq!(cells(&[first, others]), [2; 4]);
        assert_eq!(cells(&[halves, others]), [2; 4]);
        assert_eq!(cells(&[first, halves, others]), [1; 8]);
    }

    #[test]
    fn suppressed_rows_make_cells_and_rows_never_published_do_not_count() {
        // Fine {1,2}, {4,5,8}, suppressed {3,6,7}; coarse {1,2,3}, {4..8}; a ninth is in neither.
        let (m, never) = (MISSING, MISSING);
        let fine = vec![0, 0, m, 1, 1, m, m, 1, never];
        let coarse = vec![0, 0, 0, 1, 1, 1, 1, 1, never];
        let found = intersect(&[fine, coarse]).expect("two releases");
        assert_eq!((found.persons, found.cells), (8, 4));
        assert_eq!((found.smallest_class, found.smallest_cell), (2, 1));
        assert_eq!((found.exposed, found.share), (1, 0.125));
    }

    #[test]
    fn one_value_may_be_left_without_a_cell_of_one() {
        let texts = |sets: &[&[&str]]| -> ValuesOfClasses {
            let set = |set: &&[&str]| set.iter().map(|text| (*text).to_owned()).collect();
            sets.iter().map(set).collect()
        };
        let releases = [vec![0, 0, 1, 1], vec![0, 0, 1, MISSING]];
        let values = [
            texts(&[&["flu", "gout"], &["flu", "hiv"]]),
            texts(&[&["asthma", "gout"], &["flu", "hiv"]]),
        ];
        assert_eq!(learnt(&releases, &values), 2);
    }

    proptest! {
        #[test]
        fn cells_are_the_persons_who_share_all_classes(
            releases in proptest::collection::vec(
                proptest::collection::vec(prop_oneof![4 => 0u32..3, 1 => Just(MISSING)], 12),
                1..4,
            ),
        ) {
            let found = intersect(&releases).expect("releases");
            let tuple = |person: usize| -> Vec<u32> { releases.iter().map(|r| r[person]).collect() };
            let is_in = |person: &usize| tuple(*person).iter().any(|&class| class != MISSING);
            let persons: Vec<usize> = (0..12).filter(is_in).collect();
            let size = |person: usize| persons.iter().filter(|&&p| tuple(p) == tuple(person)).count() as u64;
            prop_assert_eq!(found.persons, persons.len() as u64);
            prop_assert_eq!(found.smallest_cell, persons.iter().map(|&p| size(p)).min().unwrap_or(0));
            let exposed = persons.iter().filter(|&&p| size(p) < found.smallest_class).count();
            prop_assert_eq!(found.exposed, exposed as u64);
        }
    }
}
