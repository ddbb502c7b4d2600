//! Interval bounds that are somebody's exact value.
//!
//! Where an interval goes from the least to the largest value of its class, both ends are values
//! of persons in it: who finds the only person of 90 in `85..90` knows the age, and next to a
//! second release exact ends give classes away. Ends that follow from a grid or a hierarchy are
//! somebody's value too, now and then, by chance. So the share is told beyond chance: with s the
//! share of ends that are a value of a person in the class and c that of all numbers between the
//! ends, in steps of the least difference of two values, it is (s − c)/(1 − c), and 0 where that is
//! below 0.
//!
//! It is about intervals of numbers and dates; labels of a hierarchy are public.

use super::{Evidence, ReleasedTable, TableAttack};
use crate::data::{Numbers, Region};
use std::collections::BTreeSet;

/// The attack.
pub const ATTACK: TableAttack = TableAttack {
    name: "exact_bounds",
    knows: "the method, and so that ends of intervals are values of persons",
    way_out: "never use bounds = \"exact\"; give `bounds` a width, or use bounds = \"hierarchy\"",
    run,
};

/// Ends and values between them, and how many of each are a value of a person in the class.
#[derive(Clone, Copy, Default)]
struct Hits {
    ends: u64,
    exact_ends: u64,
    between: u64,
    exact_between: u64,
}

impl Hits {
    fn add(&mut self, other: Hits) {
        self.ends += other.ends;
        self.exact_ends += other.exact_ends;
        self.between += other.between;
        self.exact_between += other.exact_between;
    }

    fn beyond_chance(self) -> f64 {
        let share = |part: u64, of: u64| {
            if of == 0 {
                0.0
            } else {
                part as f64 / of as f64
            }
        };
        let exact = share(self.exact_ends, self.ends);
        let chance = share(self.exact_between, self.between);
        match chance < 1.0 {
            true => ((exact - chance) / (1.0 - chance)).max(0.0),
            false => 0.0,
        }
    }
}

fn run(table: &ReleasedTable) -> Option<Evidence> {
    let mut all = Hits::default();
    let mut worst: Option<(f64, &str)> = None;
    let mut classes: BTreeSet<usize> = BTreeSet::new();
    for column in &table.quasi {
        let Some(numbers) = numbers(table, &column.name) else {
            continue;
        };
        let mut of_column = Hits::default();
        let mut members: Vec<Vec<f64>> = vec![Vec::new(); table.sizes.len()];
        let mut values: Vec<f64> = Vec::new();
        for (&class, number) in table.known.iter().zip(numbers.iter()) {
            if let Some(members) = members.get_mut(class as usize) {
                members.extend(number);
                values.extend(number);
            }
        }
        sort(&mut values);
        let gaps = values.windows(2).map(|pair| pair[1] - pair[0]);
        let step = gaps.reduce(f64::min).unwrap_or(1.0);
        for (class, own) in members.iter_mut().enumerate() {
            let text = column.text_of_class[class] as usize;
            let Some(Some(Region::Interval(low, high))) = column.regions.get(text) else {
                continue;
            };
            if low >= high {
                continue;
            }
            sort(own);
            let hits = hits(*low, *high, own, step);
            if hits.exact_ends > 0 {
                classes.insert(class);
            }
            of_column.add(hits);
        }
        let share = of_column.beyond_chance();
        if of_column.ends > 0 && worst.is_none_or(|(most, _)| share > most) {
            worst = Some((share, &column.name));
        }
        all.add(of_column);
    }
    let (_, name) = worst?;
    Some(Evidence {
        share: all.beyond_chance(),
        classes: classes.len() as u64,
        column: Some(name.to_owned()),
        details: vec![format!(
            "of the numbers between ends {:.1} % are a value of a person in the class",
            100.0 * all.exact_between as f64 / all.between.max(1) as f64
        )],
        ..ATTACK.evidence("ends of intervals", all.exact_ends, all.ends)
    })
}

/// The numbers of known persons, where a column holds numbers or dates.
fn numbers<'a>(table: &'a ReleasedTable, name: &str) -> Option<&'a Numbers> {
    table.people.column_named(name)?.as_numbers()
}

/// `own` are the values of the class, ascending; values are a `step` apart, or a multiple of it.
fn hits(low: f64, high: f64, own: &[f64], step: f64) -> Hits {
    let ends = [low, high];
    let ends = ends.iter().filter(|end| end.is_finite());
    let is_own = |value: &&f64| own.binary_search_by(|x| x.total_cmp(value)).is_ok();
    let from = own.partition_point(|&value| value <= low);
    let to = own.partition_point(|&value| value < high);
    let exact_between = to.saturating_sub(from) as u64;
    let possible = ((high - low) / step).round() - 1.0;
    let is_closed = low.is_finite() && high.is_finite();
    Hits {
        ends: ends.clone().count() as u64,
        exact_ends: ends.filter(is_own).count() as u64,
        between: match is_closed {
            true => (possible as u64).max(exact_between),
            false => 0,
        },
        exact_between: if is_closed { exact_between } else { 0 },
    }
}

/// Ascending, each value once.
fn sort(values: &mut Vec<f64>) {
    values.iter_mut().for_each(|value| *value += 0.0);
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
}

#[cfg(test)]
mod tests {
    use super::super::tests::table_of_ages;
    use super::*;

    #[test]
    fn ends_that_are_values_are_found_and_round_ones_are_not() {
        let ages = [21, 23, 28, 34, 36, 39];
        let exact = ["21..28", "21..28", "21..28", "34..39", "34..39", "34..39"];
        let found = run(&table_of_ages(&ages, &exact)).expect("intervals");
        assert_eq!((found.succeeds, found.of, found.share), (4, 4, 1.0));
        assert_eq!((found.classes, found.column.as_deref()), (2, Some("age")));
        let round = ["20..29", "20..29", "20..29", "30..40", "30..40", "30..40"];
        let found = run(&table_of_ages(&ages, &round)).expect("intervals");
        assert_eq!((found.succeeds, found.of, found.share), (0, 4, 0.0));
    }

    #[test]
    fn ends_that_are_values_as_often_as_others_are_by_chance() {
        // Everybody between 20 and 29 is there, so that a round end is somebody's age as well.
        let ages: Vec<u8> = (20..30).collect();
        let found = run(&table_of_ages(&ages, &["20..29"; 10])).expect("intervals");
        assert_eq!((found.succeeds, found.of, found.share), (2, 2, 0.0));
    }

    #[test]
    fn single_values_open_ends_and_labels_are_no_bounds() {
        assert_eq!(run(&table_of_ages(&[21, 21], &["21", "21"])), None);
        let open = run(&table_of_ages(&[91, 95], &["90..", "90.."])).expect("one end");
        assert_eq!(open.of, 1);
    }
}
