//! Linking by few columns: an attacker who knows the original of a record on some of the masked
//! columns alone looks for the released record that is nearest on them.
//!
//! For each set of columns, the share of records that are found. Numbers and ordered categories
//! differ by their distance in standard deviations, others by 0 or 1, and squares are added up. Of
//! several nearest records one is taken by lot. What a released record has to be told apart by is
//! the columns that somebody may know: where two of ten are enough, hiding the others helps little.
//!
//! All sets of columns are tried where they are at most 127; else those of few columns, and all
//! columns together. Of many records every n-th is looked for, among all that were released.
//!
//! *Costs* a look at each different released record for each one that is looked for, by set of
//! columns; at most some billions.
//! *From* intruder scenarios of record linkage (Domingo-Ferrer and Torra 2001).

use super::success::moments;
use crate::data::{Attribute, Records};
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Ordering;

/// What is found by who knows some columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnownColumns {
    /// The columns that the attacker knows.
    pub columns: Vec<String>,
    /// Records that were looked for.
    pub records: usize,
    /// Expected share of them that is found.
    pub linked: f64,
    /// Share of them of which only one candidate is left, the right one.
    pub certain: f64,
}

/// Sets of columns, and fewer where there are many rows.
const SETS: usize = 127;
const FEW_SETS: usize = 31;
const MANY_ROWS: usize = 200_000;

/// Comparisons of records over all sets, and records that are looked for.
const COMPARISONS: usize = 4_000_000_000;
const LOOKED_FOR: usize = 2_000;
const LEAST_LOOKED_FOR: usize = 20;

/// Links by every set of columns that is tried; the originals are in the order of the release.
pub fn by_known_columns(
    names: &[&str],
    kinds: &[Attribute],
    originals: &Records,
    released: &Records,
) -> Vec<KnownColumns> {
    if originals.is_empty() || originals.len() != released.len() {
        return Vec::new();
    }
    let sets = sets(
        names.len(),
        if originals.len() > MANY_ROWS {
            FEW_SETS
        } else {
            SETS
        },
    );
    let most = COMPARISONS / originals.len() / sets.len().max(1);
    let looked_for = most.clamp(LEAST_LOOKED_FOR, LOOKED_FOR);
    let stride = originals.len().div_ceil(looked_for);
    let moments = moments(originals);
    let scale = |place: usize| match kinds[place] {
        Attribute::Nominal => Scale::Equal,
        _ => match moments[place].variance() {
            variance if variance > 0.0 => Scale::Squares(1.0 / variance),
            _ => Scale::Equal,
        },
    };
    let scales: Vec<Scale> = (0..names.len()).map(scale).collect();
    let linked = |places: &Vec<usize>| {
        let known = Known {
            places,
            scales: &scales,
        };
        let (records, linked, certain) = known.link(originals, released, stride);
        KnownColumns {
            columns: places
                .iter()
                .map(|&place| names[place].to_owned())
                .collect(),
            records,
            linked,
            certain,
        }
    };
    sets.iter().map(linked).collect()
}

/// All sets of columns up to a size that makes few enough, smaller ones first, and all columns.
fn sets(columns: usize, most: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..columns {
        let longer = |set: &Vec<usize>| {
            let next = set.last().map_or(0, |&last| last + 1);
            let set = set.clone();
            (next..columns).map(move |column| [set.as_slice(), &[column]].concat())
        };
        let longer: Vec<Vec<usize>> = last.iter().flat_map(longer).collect();
        if sets.len() + longer.len() > most && !sets.is_empty() {
            sets.push((0..columns).collect());
            return sets;
        }
        sets.extend_from_slice(&longer);
        last = longer;
    }
    sets
}

/// How far two values of a column are apart.
#[derive(Clone, Copy)]
enum Scale {
    /// One over the variance.
    Squares(f64),
    /// Equal or not.
    Equal,
}

impl Scale {
    fn distance(self, x: f64, y: f64) -> f64 {
        match self {
            Scale::Squares(weight) if !x.is_nan() && !y.is_nan() => weight * (x - y) * (x - y),
            // Missing values are like each other alone.
            _ if x.is_nan() && y.is_nan() => 0.0,
            _ => f64::from(x != y),
        }
    }
}

/// Some columns.
struct Known<'a> {
    places: &'a [usize],
    scales: &'a [Scale],
}

impl Known<'_> {
    /// Records that were looked for, the share that is found, and for certain.
    fn link(&self, originals: &Records, released: &Records, stride: usize) -> (usize, f64, f64) {
        // Released records that look alike here are looked at once.
        let mut order: Vec<u32> = (0..released.len() as u32).collect();
        let compare = |a: &u32, b: &u32| {
            let (a, b) = (released.record(*a as usize), released.record(*b as usize));
            let mut values = self
                .places
                .iter()
                .map(|&place| a[place].total_cmp(&b[place]));
            values
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        };
        order.par_sort_unstable_by(compare);
        let alike: Vec<(u32, usize)> = order
            .chunk_by(|a, b| compare(a, b).is_eq())
            .map(|rows| (rows[0], rows.len()))
            .collect();
        let rows: Vec<usize> = (0..originals.len()).step_by(stride).collect();
        let found: Vec<(f64, bool)> = rows
            .par_iter()
            .map(|&row| {
                let original = originals.record(row);
                let (least, candidates) = self.nearest(original, released, &alike);
                let own = self.distance(original, released.record(row)) <= least;
                if own {
                    (1.0 / candidates as f64, candidates == 1)
                } else {
                    (0.0, false)
                }
            })
            .collect();
        let count = found.len().max(1) as f64;
        let linked: f64 = found.iter().map(|(chance, _)| chance).sum();
        let certain = found.iter().filter(|(_, certain)| *certain).count();
        (found.len(), linked / count, certain as f64 / count)
    }

    fn nearest(
        &self,
        original: &[f64],
        released: &Records,
        alike: &[(u32, usize)],
    ) -> (f64, usize) {
        let start = (f64::INFINITY, 0);
        alike
            .iter()
            .fold(start, |(least, candidates), &(row, count)| {
                let distance = self.distance(original, released.record(row as usize));
                if distance < least {
                    (distance, count)
                } else if distance == least {
                    (least, candidates + count)
                } else {
                    (least, candidates)
                }
            })
    }

    fn distance(&self, original: &[f64], released: &[f64]) -> f64 {
        let places = self.places.iter();
        let distances =
            places.map(|&place| self.scales[place].distance(original[place], released[place]));
        distances.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Attribute; 3] = [
        Attribute::Number,
        Attribute::Ordinal { levels: 4 },
        Attribute::Nominal,
    ];

    fn records(rows: usize, shift: usize) -> Records {
        let mut records = Records::new(3);
        for n in 0..rows {
            let missing = n % 17 == 3;
            let number = if missing {
                f64::NAN
            } else {
                ((n * 31 + shift) % 23) as f64
            };
            records.push(&[
                number,
                ((n * 7 + shift) % 4) as f64,
                ((n * 5 + shift * (n % 2)) % 3) as f64,
            ]);
        }
        records
    }

    /// Every record against every other, set by set of columns.
    fn slow(set: &[usize], originals: &Records, released: &Records) -> (f64, f64) {
        let deviation = |place: usize| {
            let values: Vec<f64> = originals.column(place).filter(|x| !x.is_nan()).collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
        };
        let distance = |x: &[f64], y: &[f64]| -> f64 {
            let one = |&place: &usize| match (x[place], y[place]) {
                (a, b) if a.is_nan() && b.is_nan() => 0.0,
                (a, b) if a.is_nan() || b.is_nan() => 1.0,
                (a, b) if place == 2 => f64::from(a != b),
                (a, b) => ((a - b) / deviation(place)).powi(2),
            };
            set.iter().map(one).sum()
        };
        let (mut linked, mut certain) = (0.0, 0.0);
        for (row, original) in originals.iter().enumerate() {
            let all: Vec<f64> = released
                .iter()
                .map(|other| distance(original, other))
                .collect();
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let near = all.iter().filter(|d| **d <= least + 1e-9).count();
            if all[row] <= least + 1e-9 {
                linked += 1.0 / near as f64;
                certain += f64::from(near == 1);
            }
        }
        (
            linked / originals.len() as f64,
            certain / originals.len() as f64,
        )
    }

    #[test]
    fn each_set_of_columns_finds_what_comparing_all_finds() {
        let (originals, released) = (records(60, 0), records(60, 1));
        let found = by_known_columns(&["a", "b", "c"], &KINDS, &originals, &released);
        assert_eq!(found.len(), 7);
        for one in &found {
            let places = one
                .columns
                .iter()
                .map(|name| ["a", "b", "c"].iter().position(|n| n == name));
            let places: Vec<usize> = places.map(|place| place.expect("a column")).collect();
            let (linked, certain) = slow(&places, &originals, &released);
            assert!((one.linked - linked).abs() < 1e-9, "{one:?} {linked}");
            assert!((one.certain - certain).abs() < 1e-9, "{one:?} {certain}");
            assert_eq!(one.records, 60);
        }
    }

    #[test]
    fn who_knows_all_columns_of_a_release_as_it_was_is_never_wrong() {
        let mut originals = Records::new(3);
        (0..40).for_each(|n| originals.push(&[f64::from(n), f64::from(n % 4), 0.0]));
        let found = by_known_columns(&["a", "b", "c"], &KINDS, &originals, &originals);
        let of = |names: &[&str]| {
            found
                .iter()
                .find(|one| one.columns == names)
                .expect("tried")
        };
        assert_eq!(of(&["a"]).linked, 1.0);
        assert!((of(&["b"]).linked - 0.1).abs() < 1e-12);
        assert!((of(&["c"]).linked - 1.0 / 40.0).abs() < 1e-12);
        assert_eq!(of(&["c"]).certain, 0.0);
        assert_eq!(of(&["a", "b", "c"]).certain, 1.0);
        assert!(
            by_known_columns(&["a"], &KINDS[..1], &Records::new(1), &Records::new(1)).is_empty()
        );
    }

    #[test]
    fn of_many_columns_small_sets_and_all_together_are_tried() {
        assert_eq!(sets(7, SETS).len(), 127);
        let tried = sets(10, SETS);
        assert_eq!(tried.len(), 10 + 45 + 1);
        assert_eq!(tried.last().map(Vec::len), Some(10));
        assert_eq!(sets(200, SETS).len(), 201);
        assert!(sets(0, SETS).is_empty());
        assert_eq!(sets(1, SETS), [vec![0]]);
    }
}
