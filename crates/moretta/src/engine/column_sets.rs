//! How many persons each set of up to four columns singles out.
//!
//! Of columns that nobody called quasi-identifiers, too: whoever knows a few harmless columns
//! may know a person by them. A person who is alone by some columns is alone by more of them,
//! so rows of such persons are left out as sets grow: most sets cost far less than a pass over
//! the rows. Smaller sets come first, and a budget of visits bounds what is looked at.
//!
//! Counts from 1 to [`SMALL_CELL`] are not told.

use super::report::{ColumnSet, SMALL_CELL};
use crate::data::coded::Coded;
use crate::data::{Batch, Role};
use crate::measure::risk::refine::Partition;

/// Sets of columns are looked at up to this size.
const LARGEST_SET: usize = 4;

/// Sets of each size that are told.
const TOLD: usize = 5;

/// What a set costs besides its rows, in visits of rows.
const SET_COST: u64 = 100;

/// The sets of each size that single most persons out, and more than their parts that are told,
/// of columns that are released; `persons` tells whose each row is.
pub(crate) fn column_sets(
    columns: &[Coded],
    rows: usize,
    persons: Option<&Coded>,
    visits: u64,
) -> Vec<ColumnSet> {
    let released: Vec<&Coded> = columns.iter().filter(|c| is_released(c, rows)).collect();
    let codes: Vec<&[u32]> = released.iter().map(|c| &c.codes[..rows]).collect();
    let mut best: Vec<Vec<(Vec<usize>, u64)>> = vec![Vec::new(); LARGEST_SET];
    let mut keep = |set: &[usize], persons: u64| {
        // What a smaller set does as well is not told again.
        let smaller = best[..set.len() - 1].iter().flatten();
        let holds = |part: &[usize]| part.iter().all(|i| set.contains(i));
        if smaller
            .into_iter()
            .any(|(part, most)| *most >= persons && holds(part))
        {
            return;
        }
        let best = &mut best[set.len() - 1];
        let place = best.partition_point(|(_, most)| *most >= persons);
        if persons > SMALL_CELL && place < TOLD {
            best.insert(place, (set.to_vec(), persons));
            best.truncate(TOLD);
        }
    };
    each_set(&codes, rows, persons.map(|c| &*c.codes), visits, &mut keep);
    let named = |(set, singled_out): (Vec<usize>, u64)| ColumnSet {
        columns: set.iter().map(|&i| released[i].name.clone()).collect(),
        singled_out,
    };
    best.into_iter().flatten().map(named).collect()
}

/// Visits of rows in a run, where a second is long.
const BRIEF: u64 = 4_000_000;

/// The same of a release, whose rows are counted, so that whoever has it can count the same.
pub(crate) fn of_release(release: &Batch) -> Vec<ColumnSet> {
    // One pass by each column must be possible.
    if release.len() as u64 * release.schema().len() as u64 > BRIEF {
        return Vec::new();
    }
    let places = 0..release.schema().len();
    let columns: Vec<Coded> = places.map(|place| Coded::new(release, place)).collect();
    column_sets(&columns, release.len(), None, BRIEF)
}

fn is_released(column: &Coded, rows: usize) -> bool {
    let role = matches!(
        column.role,
        Role::Quasi | Role::Sensitive | Role::Class | Role::Time | Role::Plain
    );
    role && column.codes.len() >= rows
}

/// Calls `told` with each set of up to four columns, as places in order, and the number of
/// persons it singles out, until so many visits of rows are made. Sets that hold one by which
/// everybody is alone are left out.
pub(crate) fn each_set(
    columns: &[&[u32]],
    rows: usize,
    persons: Option<&[u32]>,
    visits: u64,
    told: &mut dyn FnMut(&[usize], u64),
) {
    // One row is alone by nothing at all.
    if rows < 2 {
        return;
    }
    let identity: Vec<u32>;
    let persons = match persons {
        Some(persons) => persons,
        None => {
            identity = (0..rows as u32).collect();
            &identity
        }
    };
    let most = persons[..rows].iter().map(|&person| person.wrapping_add(1));
    let mut search = Search {
        columns,
        // A missing person is one of its own.
        times: vec![0; most.max().unwrap_or(0) as usize + 1],
        persons,
        singled_out: 0,
        visits,
        told,
    };
    let all = Partition::whole(rows);
    for size in 1..=LARGEST_SET.min(columns.len()) {
        if search.below(&all, &mut Vec::new(), size).is_none() {
            return;
        }
    }
}

struct Search<'a> {
    columns: &'a [&'a [u32]],
    persons: &'a [u32],
    /// How often each person is alone by a part of the set.
    times: Vec<u32>,
    /// Persons who are alone by the set.
    singled_out: u64,
    visits: u64,
    told: &'a mut dyn FnMut(&[usize], u64),
}

impl Search<'_> {
    /// Adds `more` columns to those of `set`, whose classes are known; none when no visits
    /// are left.
    fn below(&mut self, classes: &Partition, set: &mut Vec<usize>, more: usize) -> Option<()> {
        let from = set.last().map_or(0, |last| last + 1);
        let end = (self.columns.len() + 1).saturating_sub(more);
        for place in from..end {
            let cost = classes.len() as u64 + SET_COST;
            self.visits = self.visits.checked_sub(cost)?;
            let mut alone = Vec::new();
            let person = |row: u32| self.persons[row as usize];
            let finer = classes.refined(self.columns[place], person, |row| alone.push(row));
            alone.iter().for_each(|&row| self.single_out(row));
            set.push(place);
            let more_visits = match more {
                1 => {
                    (self.told)(set, self.singled_out);
                    Some(())
                }
                _ if finer.is_empty() => Some(()),
                _ => self.below(&finer, set, more - 1),
            };
            set.pop();
            alone.iter().for_each(|&row| self.take_back(row));
            more_visits?;
        }
        Some(())
    }

    fn single_out(&mut self, row: u32) {
        let times = &mut self.times[self.persons[row as usize].wrapping_add(1) as usize];
        self.singled_out += u64::from(*times == 0);
        *times += 1;
    }

    fn take_back(&mut self, row: u32) {
        let times = &mut self.times[self.persons[row as usize].wrapping_add(1) as usize];
        *times -= 1;
        self.singled_out -= u64::from(*times == 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn found(columns: &[Vec<u32>], persons: Option<&[u32]>) -> BTreeMap<Vec<usize>, u64> {
        let codes: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let mut found = BTreeMap::new();
        let mut keep = |set: &[usize], count: u64| {
            assert!(found.insert(set.to_vec(), count).is_none(), "{set:?} twice");
        };
        each_set(&codes, columns[0].len(), persons, u64::MAX, &mut keep);
        found
    }

    /// Compares each row with each other.
    fn slow(columns: &[Vec<u32>], persons: &[u32], set: &[usize]) -> u64 {
        let rows = persons.len();
        let same = |a: usize, b: usize| set.iter().all(|&c| columns[c][a] == columns[c][b]);
        let alone = (0..rows).filter(|&a| {
            let mut others = (0..rows).filter(|&b| same(a, b));
            others.all(|b| persons[b] == persons[a])
        });
        alone.map(|row| persons[row]).collect::<BTreeSet<_>>().len() as u64
    }

    proptest! {
        #[test]
        fn counts_are_those_of_rows_compared_one_by_one(
            rows in proptest::collection::vec((proptest::array::uniform5(0u32..5), 0u32..6), 1..30),
            subject: bool,
        ) {
            let columns: Vec<Vec<u32>> = (0..5)
                .map(|place| rows.iter().map(|row| row.0[place]).collect())
                .collect();
            let persons: Vec<u32> = match subject {
                true => rows.iter().map(|row| row.1).collect(),
                false => (0..rows.len() as u32).collect(),
            };
            let all = persons.iter().collect::<BTreeSet<_>>().len() as u64;
            let found = found(&columns, subject.then_some(&persons));
            for mask in 1u32..32 {
                let set: Vec<usize> = (0..5).filter(|place| mask & 1 << place != 0).collect();
                if set.len() > LARGEST_SET {
                    continue;
                }
                let expected = slow(&columns, &persons, &set);
                match found.get(&set) {
                    Some(&count) => prop_assert_eq!(count, expected, "{:?}", set),
                    None => prop_assert_eq!(expected, all, "{:?}", set),
                }
            }
        }
    }

    #[test]
    fn pairs_of_columns_of_adult_single_out_as_many_as_counted_elsewhere() {
        let place = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../shared/data/adult/adult.csv"
        );
        let Ok(text) = std::fs::read_to_string(place) else {
            assert!(std::env::var_os("CI").is_none(), "Adult must be there");
            return;
        };
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let names: Vec<&str> = lines[0].split(';').collect();
        let columns: Vec<Coded> = names
            .iter()
            .enumerate()
            .map(|(place, name)| {
                let cells = lines[1..].iter().map(|line| line.split(';').nth(place));
                let cells: crate::data::Categories = cells.collect();
                Coded {
                    name: (*name).to_owned(),
                    role: Role::Quasi,
                    distinct: cells.levels().len() as u64,
                    codes: cells.codes().to_vec(),
                }
            })
            .collect();
        let codes: Vec<Vec<u32>> = columns.iter().map(|c| c.codes.clone()).collect();
        let pairs = found(&codes, None);
        let pairs = pairs.iter().filter(|(set, _)| set.len() == 2);
        let counts: u64 = pairs.map(|(_, count)| count).sum();
        assert_eq!(counts, 1_220);
        let told = column_sets(&columns, codes[0].len(), None, u64::MAX);
        let pair = told.iter().find(|set| set.columns.len() == 2);
        let pair = pair.expect("a pair");
        assert_eq!(pair.columns, ["age", "native-country"]);
        assert_eq!(pair.singled_out, 560);
        assert!(told.iter().all(|set| set.singled_out > SMALL_CELL));
    }

    #[test]
    fn a_budget_ends_the_search_after_smaller_sets() {
        let columns: Vec<Vec<u32>> = vec![(0..50).map(|row| row % 7).collect(); 30];
        let codes: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let mut sizes = Vec::new();
        each_set(&codes, 50, None, 20_000, &mut |set, _| {
            sizes.push(set.len())
        });
        assert!(sizes.is_sorted() && sizes.len() < 200, "{}", sizes.len());
        assert_eq!(sizes.iter().filter(|&&size| size == 1).count(), 30);
    }
}
