//! Prior and posterior belief (Bayes-optimal privacy, Machanavajjhala and others 2006).
//!
//! Who sees the release believes that a person has a sensitive value with the share that the value
//! has in the whole table; who finds the person's class, with its share in the class. Belief
//! changes by the difference, up or down. The table is the release: what an outsider has.
//!
//! Cost: a sort of the rows by class and value for each sensitive column.

use rayon::slice::ParallelSliceMut;

/// By how much beliefs change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BeliefChange {
    /// The largest change over classes and values, also values that a class does not have.
    pub largest: f64,
    /// The mean over the rows of the change of belief in what each row shows.
    pub mean: f64,
}

/// Of one sensitive column: the class of each row, below `classes`, and its value as a code.
pub fn belief_change(class_of: &[u32], classes: usize, values: &[u32]) -> BeliefChange {
    let rows = class_of.len() as f64;
    let mut sizes = vec![0u32; classes];
    class_of
        .iter()
        .for_each(|&class| sizes[class as usize] += 1);
    let table = counted(values.iter().copied());
    let mut by_count = table.clone();
    by_count.sort_unstable_by_key(|&(_, count)| std::cmp::Reverse(count));
    let pairs = class_of.iter().zip(values);
    let pairs = pairs.map(|(&class, &value)| u64::from(class) << 32 | u64::from(value));
    let mut change = BeliefChange::default();
    for class in counted(pairs).chunk_by(|a, b| a.0 >> 32 == b.0 >> 32) {
        let size = f64::from(sizes[(class[0].0 >> 32) as usize]);
        for &(pair, count) in class {
            let prior = f64::from(count_of(&table, pair as u32)) / rows;
            let by = (f64::from(count) / size - prior).abs();
            change.largest = change.largest.max(by);
            change.mean += f64::from(count) * by / rows;
        }
        let has = |value: u32| {
            let key = class[0].0 >> 32 << 32 | u64::from(value);
            count_of(class, key) > 0
        };
        // What the class does not have is no longer believed at all.
        let absent = by_count.iter().find(|(value, _)| !has(*value));
        let prior = absent.map_or(0.0, |&(_, count)| f64::from(count) / rows);
        change.largest = change.largest.max(prior);
    }
    change
}

/// How often each key occurs, in the order of keys.
fn counted<T: Ord + Copy + Send>(all: impl Iterator<Item = T>) -> Vec<(T, u32)> {
    let mut all: Vec<T> = all.collect();
    all.par_sort_unstable();
    let runs = all.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], run.len() as u32)).collect()
}

fn count_of<T: Ord + Copy>(counts: &[(T, u32)], key: T) -> u32 {
    let place = counts.binary_search_by_key(&key, |(key, _)| *key);
    place.map_or(0, |place| counts[place].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Flu is 5 of 8, hiv 2, ulcer 1; the first class has flu twice, the second one of each two.
    #[test]
    fn a_belief_by_hand() {
        let classes = [0, 0, 1, 1, 2, 2, 2, 2];
        let (flu, hiv, ulcer) = (0, 1, 2);
        let values = [flu, flu, hiv, flu, ulcer, flu, hiv, flu];
        let found = belief_change(&classes, 3, &values);
        // In the first class, flu rises from 5/8 to 1; nobody has hiv, which falls from 1/4.
        assert_eq!(found.largest, 0.375);
        let first = 2.0 * 0.375;
        let second = (0.5f64 - 0.25) + (0.625 - 0.5);
        let third = (0.25f64 - 0.125) + 2.0 * (0.625 - 0.5) + 0.0;
        assert!((found.mean - (first + second + third) / 8.0).abs() < 1e-12);
        assert_eq!(belief_change(&[], 0, &[]), BeliefChange::default());
    }

    #[test]
    fn a_value_that_a_class_lacks_counts() {
        // One class of 3 lacks the value that 7 of 10 have.
        let classes = [0, 0, 0, 1, 1, 1, 1, 1, 1, 1];
        let values = [1, 2, 3, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(belief_change(&classes, 2, &values).largest, 0.7);
    }

    proptest! {
        #[test]
        fn changes_are_those_of_all_classes_and_all_values(
            rows in proptest::collection::vec((0u32..4, 0u32..5), 1..50),
        ) {
            let (classes, values): (Vec<u32>, Vec<u32>) = rows.iter().copied().unzip();
            let n = rows.len() as f64;
            let share = |class: Option<u32>, value: u32| {
                let inside = || rows.iter().filter(|row| class.is_none_or(|class| row.0 == class));
                inside().filter(|row| row.1 == value).count() as f64 / inside().count() as f64
            };
            let change = |class, value| (share(Some(class), value) - share(None, value)).abs();
            let mut largest = 0.0f64;
            for &(class, _) in &rows {
                for &(_, value) in &rows {
                    largest = largest.max(change(class, value));
                }
            }
            let mean = rows.iter().map(|&(class, value)| change(class, value)).sum::<f64>() / n;
            let found = belief_change(&classes, 4, &values);
            prop_assert!((found.largest - largest).abs() < 1e-12);
            prop_assert!((found.mean - mean).abs() < 1e-12);
        }
    }
}
