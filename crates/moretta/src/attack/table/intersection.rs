//! Intersection: several releases of the same persons, side by side.
//!
//! Each person is in a class of each release. Who knows a person's quasi-identifiers finds the
//! class in every one, and the person is among those who are in all of them: a *cell*. Suppressed
//! persons are a class too, as are those who are not in a release; rows that no release has do
//! not count. Classes of 5 and cells of 1 break k-anonymity though each release keeps it. Pairs of
//! releases are not enough to look at: three may single out a person whom no two do.
//!
//! Where classes overlap, as they may where equal values were divided, a person may be in several;
//! then it is among all who may be in the same ones, whichever of them it is.
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
use std::collections::BTreeSet;

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

/// The classes of a release that may hold each person: one, or several where classes overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fitting {
    /// Where the classes of each person end.
    ends: Vec<usize>,
    classes: Vec<u32>,
}

impl Fitting {
    /// Persons who are in one class each, [`MISSING`] for those who are in none.
    pub fn single(class_of: &[u32]) -> Self {
        let mut fitting = Fitting::default();
        for &class in class_of {
            fitting.push([class].into_iter().filter(|&class| class != MISSING));
        }
        fitting
    }

    /// One more person.
    pub fn push(&mut self, classes: impl Iterator<Item = u32>) {
        self.classes.extend(classes);
        self.ends.push(self.classes.len());
    }

    /// More persons, in their order.
    pub fn append(&mut self, more: &Fitting) {
        let start = self.classes.len();
        self.classes.extend(&more.classes);
        self.ends.extend(more.ends.iter().map(|end| start + end));
    }

    /// How many persons there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// There are no persons.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The classes of a person; none for one who is in no class.
    pub fn of(&self, person: usize) -> &[u32] {
        let start = person.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.classes[start..self.ends[person]]
    }
}

/// Cells of one person that are followed. Of somebody who fits more, some are left out, so
/// that others look more alone than they are.
const MOST_CELLS: usize = 64;

/// The cells that may hold each of some persons, and how many persons may be in each.
struct Cells {
    of: Fitting,
    sizes: Vec<u64>,
}

impl Cells {
    fn of(releases: &[&Fitting], persons: &[usize]) -> Self {
        let mut of = Fitting::default();
        persons.iter().for_each(|_| of.push([0].into_iter()));
        for release in releases {
            of = refine(&of, release, persons);
        }
        let most = of.classes.iter().max().map_or(0, |&last| last as usize + 1);
        let mut sizes = vec![0; most];
        of.classes
            .iter()
            .for_each(|&cell| sizes[cell as usize] += 1);
        Cells { of, sizes }
    }

    /// The least crowd in which each person may be.
    fn crowds(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.of.len()).map(|person| {
            let sizes = self
                .of
                .of(person)
                .iter()
                .map(|&cell| self.sizes[cell as usize]);
            sizes.min().unwrap_or(0)
        })
    }
}

/// The cells of some persons after one more release, dense from 0 on.
fn refine(cells: &Fitting, release: &Fitting, persons: &[usize]) -> Fitting {
    let mut known: HashMap<(u32, u32), u32, FixedState> = HashMap::default();
    let mut refined = Fitting::default();
    for (place, &person) in persons.iter().enumerate() {
        let classes = match release.of(person) {
            [] => &[MISSING],
            classes => classes,
        };
        let pairs = cells.of(place).iter();
        let pairs = pairs.flat_map(|&cell| classes.iter().map(move |&class| (cell, class)));
        refined.push(pairs.take(MOST_CELLS).map(|pair| {
            let next = known.len() as u32;
            *known.entry(pair).or_insert(next)
        }));
    }
    refined
}

/// Puts releases of the same persons side by side.
///
/// A person is in a crowd of all who may be in the same classes everywhere: where classes
/// overlap, an attacker cannot tell which of them it is, and of several the smallest crowd counts.
pub fn intersect(releases: &[&Fitting]) -> Option<Intersection> {
    let persons = releases.first()?.len();
    let is_in = |release: &&Fitting, person| !release.of(person).is_empty();
    let released = |&person: &usize| releases.iter().any(|release| is_in(release, person));
    let released: Vec<usize> = (0..persons).filter(released).collect();
    let mut smallest_class = None;
    for release in releases {
        let here = released.iter().copied();
        let here: Vec<usize> = here.filter(|&person| is_in(release, person)).collect();
        let crowds = Cells::of(&[*release], &here);
        smallest_class = crowds.crowds().chain(smallest_class).min();
    }
    let smallest_class = smallest_class.unwrap_or(0);
    let cells = Cells::of(releases, &released);
    let exposed = cells.crowds().filter(|&size| size < smallest_class).count() as u64;
    Some(Intersection {
        releases: releases.len(),
        persons: released.len() as u64,
        cells: cells.sizes.len() as u64,
        smallest_class,
        smallest_cell: cells.crowds().min().unwrap_or(0),
        exposed,
        share: exposed as f64 / released.len().max(1) as f64,
        learnt: None,
    })
}

/// The values of a sensitive column in each class of a release.
pub type ValuesOfClasses = Vec<Vec<String>>;

/// Of how many persons one value is left that all their classes have; `values` holds, for each
/// release, the values of each class, ascending. Who may be in several classes of a release may
/// have the values of all of them.
pub fn learnt(releases: &[&Fitting], values: &[ValuesOfClasses]) -> u64 {
    let persons = releases.first().map_or(0, |release| release.len());
    let mut known: HashMap<Vec<&[u32]>, bool, FixedState> = HashMap::default();
    let mut found = 0;
    for person in 0..persons {
        let classes: Vec<&[u32]> = releases.iter().map(|release| release.of(person)).collect();
        if classes.iter().any(|classes| classes.is_empty()) {
            continue;
        }
        let one_left = known.entry(classes).or_insert_with_key(|classes| {
            let has = |place: usize, value: &String| {
                let mut sets = classes[place]
                    .iter()
                    .map(|&class| &values[place][class as usize]);
                sets.any(|set| set.binary_search(value).is_ok())
            };
            let first = classes[0]
                .iter()
                .flat_map(|&class| &values[0][class as usize]);
            let in_all = |value: &&String| (1..classes.len()).all(|place| has(place, value));
            let left: BTreeSet<&String> = first.filter(in_all).collect();
            left.len() == 1
        });
        found += u64::from(*one_left);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(releases: &[[u32; 8]]) -> Vec<u64> {
        let releases: Vec<Fitting> = releases.iter().map(|r| Fitting::single(r)).collect();
        let releases: Vec<&Fitting> = releases.iter().collect();
        let mut sizes = Cells::of(&releases, &(0..8).collect::<Vec<usize>>()).sizes;
        sizes.sort_unstable();
        sizes
    }

    fn fitting(persons: &[&[u32]]) -> Fitting {
        let mut fitting = Fitting::default();
        persons
            .iter()
            .for_each(|classes| fitting.push(classes.iter().copied()));
        fitting
    }

    #[test]
    fn who_fits_two_classes_may_be_in_either() {
        // 1 2 5 5 5 5 8 9 divided as 1..5 and 5..9: nobody stands among fewer than six.
        let both: &[u32] = &[0, 1];
        let divided = fitting(&[&[0], &[0], both, both, both, both, &[1], &[1]]);
        let alone = intersect(&[&divided]).expect("a release");
        assert_eq!((alone.smallest_class, alone.exposed), (6, 0));
        // Beside halves, the first two and the 5s among the first four may be those of 0 and 0.
        let halves = Fitting::single(&[0, 0, 0, 0, 1, 1, 1, 1]);
        let found = intersect(&[&divided, &halves]).expect("two releases");
        assert_eq!((found.smallest_class, found.smallest_cell), (4, 2));
        // A 5 could be the one of 1 and 0, where two could be; the first two are among four.
        assert_eq!((found.cells, found.exposed), (4, 4));
        let texts = |sets: &[&[&str]]| -> ValuesOfClasses {
            let set = |set: &&[&str]| set.iter().map(|text| (*text).to_owned()).collect();
            sets.iter().map(set).collect()
        };
        // Who may be in both classes may have either value.
        let values = [texts(&[&["flu"], &["gout"]])];
        assert_eq!(learnt(&[&divided], &values), 4);
    }

    #[test]
    fn who_fits_very_many_classes_costs_no_more_than_a_few() {
        let many: Vec<u32> = (0..60).collect();
        let release = fitting(&[&many, &many, &[3], &[3]]);
        let found = intersect(&[&release, &release, &release]).expect("releases");
        assert_eq!(found.persons, 4);
        assert!(found.cells <= 2 * MOST_CELLS as u64 + 2, "{found:?}");
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
        let (fine, coarse) = (Fitting::single(&fine), Fitting::single(&coarse));
        let found = intersect(&[&fine, &coarse]).expect("two releases");
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
        let releases = [[0, 0, 1, 1], [0, 0, 1, MISSING]].map(|r| Fitting::single(&r));
        let values = [
            texts(&[&["flu", "gout"], &["flu", "hiv"]]),
            texts(&[&["asthma", "gout"], &["flu", "hiv"]]),
        ];
        assert_eq!(learnt(&releases.each_ref(), &values), 2);
    }

    proptest! {
        #[test]
        fn cells_are_the_persons_who_share_all_classes(
            releases in proptest::collection::vec(
                proptest::collection::vec(prop_oneof![4 => 0u32..3, 1 => Just(MISSING)], 12),
                1..4,
            ),
        ) {
            let single: Vec<Fitting> = releases.iter().map(|r| Fitting::single(r)).collect();
            let single: Vec<&Fitting> = single.iter().collect();
            let found = intersect(&single).expect("releases");
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
