//! Special uniques (SUDA, Elliot, Manning and Ford 2002): rows that few of their values single out.
//!
//! A minimal sample unique is a set of columns on which a row is unique and on no smaller part
//! of which it is. The fewer columns it has, and the more of them a row has, the
//! easier the row is found: with M columns it scores (M - size)! for each. DIS
//! (data intrusion simulation) turns scores into the chance that a match is a true one.
//!
//! Cost: equal rows are taken together, and only those that are unique on all columns can be
//! unique on fewer; each set of columns is counted once, by refining the classes of a smaller one
//! from which classes of one row are left out. All sets are looked at, so their number doubles
//! with each column; above `MOST_VISITS` visits of rows nothing is told.

use super::refine::Partition;

/// Visits of distinct rows, over all sets of columns, at most.
const MOST_VISITS: u64 = 2_000_000_000;

/// More columns have more sets than can be looked at.
const MOST_COLUMNS: usize = 20;

/// What is special about each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Suda {
    /// The score of each row; 0 when it is not unique.
    pub scores: Vec<f64>,
    /// The chance that a match with it is a true one.
    pub dis: Vec<f64>,
    /// Minimal sample uniques of all rows.
    pub minimal_uniques: u64,
}

/// Looks for minimal sample uniques of rows as codes, column by column, which are this share of
/// the population; none when that would take too long.
pub fn suda(columns: &[&[u32]], fraction: f64) -> Option<Suda> {
    let rows = columns.first().map_or(0, |column| column.len());
    let distinct = Distinct::of(columns, rows);
    let sets = 1u64.checked_shl(columns.len() as u32)?;
    let visits = sets.saturating_mul(distinct.members.len() as u64);
    let searched = distinct.uniques > 0;
    if searched && (columns.len() > MOST_COLUMNS || visits > MOST_VISITS) {
        return None;
    }
    let mut search = Search {
        columns: columns.iter().map(|c| distinct.codes(c)).collect(),
        alone: distinct.counts.iter().map(|&count| count == 1).collect(),
        minimal: vec![Vec::new(); distinct.members.len()],
    };
    if searched {
        search.all_sizes();
    }
    Some(search.finish(&distinct, rows, fraction))
}

/// Rows that are equal in all columns, as one.
struct Distinct {
    /// A row of each.
    members: Vec<u32>,
    counts: Vec<u32>,
    /// The place of each row among them.
    place: Vec<u32>,
    uniques: u64,
}

impl Distinct {
    fn of(columns: &[&[u32]], rows: usize) -> Self {
        let pieces = columns.iter().map(|&column| std::iter::once(column));
        let (place, count) = crate::measure::groups::numbered(pieces, rows);
        let (mut members, mut counts) = (vec![0; count], vec![0u32; count]);
        for (row, &place) in place.iter().enumerate() {
            members[place as usize] = row as u32;
            counts[place as usize] += 1;
        }
        let uniques = counts.iter().filter(|&&count| count == 1).count() as u64;
        Distinct {
            members,
            counts,
            place,
            uniques,
        }
    }

    fn codes(&self, column: &[u32]) -> Vec<u32> {
        self.members
            .iter()
            .map(|&row| column[row as usize])
            .collect()
    }
}

struct Search {
    columns: Vec<Vec<u32>>,
    /// Whether a distinct row stands for one row.
    alone: Vec<bool>,
    /// The minimal sample uniques of each, as bits of columns.
    minimal: Vec<Vec<u32>>,
}

impl Search {
    /// Smaller sets first, so that what is found is minimal.
    fn all_sizes(&mut self) {
        let all = Partition::whole(self.alone.len());
        if self.alone.len() == 1 {
            // A class of one row is left out of partitions from the start.
            (0..self.columns.len()).for_each(|place| self.note(0, 1 << place));
        }
        for size in 1..=self.columns.len() {
            self.below(&all, 0, 0, size);
        }
    }

    /// Adds `more` columns from the place `from` on to those of `set`, whose classes are known.
    fn below(&mut self, classes: &Partition, from: usize, set: u32, more: usize) {
        let last = (self.columns.len() + 1).saturating_sub(more);
        for place in from..last {
            let set = set | 1 << place;
            let mut singles = Vec::new();
            let own = |row| row;
            let finer = classes.refined(&self.columns[place], own, |row| singles.push(row));
            if more == 1 {
                for row in singles {
                    self.note(row as usize, set);
                }
            } else if !finer.is_empty() {
                self.below(&finer, place + 1, set, more - 1);
            }
        }
    }

    fn note(&mut self, row: usize, set: u32) {
        let known = &mut self.minimal[row];
        if self.alone[row] && known.iter().all(|smaller| smaller & !set != 0) {
            known.push(set);
        }
    }

    fn finish(self, distinct: &Distinct, rows: usize, fraction: f64) -> Suda {
        let columns = self.columns.len();
        let score = |sets: &Vec<u32>| -> f64 {
            let sizes = sets.iter().map(|set| set.count_ones() as usize);
            sizes.map(|size| factorial(columns - size)).sum()
        };
        let scores: Vec<f64> = self.minimal.iter().map(score).collect();
        let pairs = distinct.counts.iter().filter(|&&count| count == 2).count();
        let dis = dis(&scores, columns, 2 * pairs as u64, fraction);
        let spread = |of: &[f64]| -> Vec<f64> {
            let places = distinct.place.iter();
            places.map(|&place| of[place as usize]).collect()
        };
        debug_assert_eq!(rows, distinct.place.len());
        Suda {
            scores: spread(&scores),
            dis: spread(&dis),
            minimal_uniques: self.minimal.iter().map(|sets| sets.len() as u64).sum(),
        }
    }
}

/// The chance that a match with each row is a true one, where `pairs` rows are in classes of two.
fn dis(scores: &[f64], columns: usize, pairs: u64, fraction: f64) -> Vec<f64> {
    let uniques = scores.iter().filter(|&&score| score > 0.0).count() as f64;
    let power = 1.0 + (8.0 - columns as f64) / 20.0;
    let known = uniques * fraction;
    let match_rate = known / (known + pairs as f64 * (1.0 - fraction));
    let scored = scores.iter().filter(|&&score| score > 0.0);
    let sum: f64 = scored.map(|score| score.powf(-power)).sum();
    let chance = |&score: &f64| match score > 0.0 {
        true => 1.0 / (1.0 + (uniques / match_rate - uniques) / (score.powf(power) * sum)),
        false => 0.0,
    };
    scores.iter().map(chance).collect()
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|i| i as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_column<const M: usize>(rows: &[[u32; M]]) -> Vec<Vec<u32>> {
        (0..M)
            .map(|place| rows.iter().map(|row| row[place]).collect())
            .collect()
    }

    fn run<const M: usize>(rows: &[[u32; M]], fraction: f64) -> Suda {
        let columns = by_column(rows);
        let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        suda(&columns, fraction).expect("few rows")
    }

    #[test]
    fn the_worked_rows_score_as_worked() {
        #[rustfmt::skip]
        let rows = [
            [1, 1, 1], [1, 1, 2], [1, 2, 1], [2, 1, 1],
            [2, 2, 2], [2, 2, 2], [1, 2, 2], [1, 2, 2],
        ];
        let found = run(&rows, 0.05);
        assert_eq!(found.scores, [1.0, 1.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        for (dis, expected) in found
            .dis
            .iter()
            .zip([0.043068, 0.043068, 0.043068, 0.096692])
        {
            assert!((dis - expected).abs() <= 5e-7, "{dis} {expected}");
        }
        assert_eq!(found.dis[4..], [0.0; 4]);
    }

    #[test]
    fn without_pairs_a_match_is_true_and_without_uniques_there_is_none() {
        assert_eq!(run(&[[1, 1], [2, 2], [3, 3]], 0.1).dis, [1.0; 3]);
        assert_eq!(run(&[[1, 1], [1, 1]], 0.1).dis, [0.0; 2]);
        assert_eq!(run::<2>(&[], 0.1).dis, [0.0; 0]);
    }

    #[test]
    fn a_row_by_itself_is_singled_out_by_each_column() {
        let found = run(&[[4, 5, 6]], 0.1);
        assert_eq!((found.minimal_uniques, found.scores), (3, vec![6.0]));
    }

    #[test]
    fn too_many_sets_of_columns_are_not_looked_at() {
        let column: Vec<u32> = (0..1000).collect();
        let columns = vec![column.as_slice(); 30];
        assert_eq!(suda(&columns, 0.1), None);
    }

    /// Every set of columns, every row, every other row.
    fn slow(rows: &[[u32; 4]]) -> Vec<Vec<u32>> {
        let unique = |row: &[u32; 4], set: u32| {
            let places = || (0..4).filter(move |place| set & 1 << place != 0);
            let same = |other: &&[u32; 4]| places().all(|place| row[place] == other[place]);
            rows.iter().filter(same).count() == 1
        };
        let minimal = |row: &[u32; 4]| {
            let smaller = |set: u32| (1..set).filter(move |part| part & !set == 0);
            (1..16)
                .filter(|&set| unique(row, set) && !smaller(set).any(|part| unique(row, part)))
                .collect()
        };
        rows.iter().map(minimal).collect()
    }

    proptest! {
        #[test]
        fn minimal_uniques_are_those_of_rows_compared_one_by_one(
            rows in proptest::collection::vec(proptest::array::uniform4(0u32..4), 0..40),
        ) {
            let expected = slow(&rows);
            let found = run(&rows, 0.2);
            let count: usize = expected.iter().map(Vec::len).sum();
            prop_assert_eq!(found.minimal_uniques, count as u64);
            for (score, sets) in found.scores.iter().zip(&expected) {
                let sizes = sets.iter().map(|set| set.count_ones() as usize);
                let expected: f64 = sizes.map(|size| factorial(4 - size)).sum();
                prop_assert_eq!(*score, expected);
            }
        }
    }
}
