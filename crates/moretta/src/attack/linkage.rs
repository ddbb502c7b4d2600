//! Linking: an attacker who knows the original of a record looks for the released one
//! that it became, and reads there what else was released of that person.
//!
//! - *nearest record*: the released record that is nearest, where columns have
//!   deviation 1.
//! - *rank intersection*, of rank swapping: no value moves by more than p ranks, and p
//!   is public. The released columns hold the values of the originals, so the ranks of
//!   a known value are public, too. On each column only the records within p ranks can
//!   be the one; what all columns leave is the set of candidates, and the right one is
//!   always among them. The more columns the attacker knows, the fewer are left.
//!
//! Of several candidates one is taken by lot: shares are what is expected of that. The
//! attacker knows all swapped columns, each exactly: who knows fewer links less. Of
//! more than 2,000 records every n-th is looked for, among all that were released.
//!
//! *Costs* a look at each released record for each one that is looked for.
//! *From* Nin, Herranz and Torra 2008 (rank intersection).

use super::success::moments;
use crate::data::Records;
use rayon::prelude::*;
use serde::Serialize;

/// Records that are looked for at most.
const LOOKED_FOR: usize = 2_000;

/// How often records were found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Linkage {
    /// The name of the attack.
    pub attack: String,
    /// What the attacker knows besides the method and its parameters.
    pub knows: String,
    /// Records that were looked for.
    pub records: usize,
    /// Expected share of them that is found.
    pub linked: f64,
    /// Share of them of which only one candidate is left, the right one.
    pub certain: f64,
    /// Median number of candidates.
    pub candidates: usize,
}

/// Links by distance; the originals are in the order of the release. Columns that do
/// not vary or are missing in either record do not count.
pub fn nearest_record(originals: &Records, released: &Records) -> Linkage {
    let weights: Vec<f64> = moments(originals)
        .iter()
        .map(|moments| match moments.variance() {
            variance if variance > 0.0 => 1.0 / variance,
            _ => 0.0,
        })
        .collect();
    let distance = |original: &[f64], release: &[f64]| -> f64 {
        let parts = original.iter().zip(release).zip(&weights);
        let squares = parts.map(|((x, y), weight)| weight * (x - y) * (x - y));
        squares.filter(|square| !square.is_nan()).sum()
    };
    link("nearest record", originals, |original| {
        let mut least = f64::INFINITY;
        let mut nearest = Vec::new();
        for (row, release) in released.iter().enumerate() {
            let distance = distance(original, release);
            if distance < least {
                least = distance;
                nearest.clear();
            }
            if distance <= least {
                nearest.push(row);
            }
        }
        nearest
    })
}

/// Links swapped records by what every column leaves, where values moved by at most
/// `ranks`; the originals are in the order of the release.
pub fn rank_intersection(originals: &Records, released: &Records, ranks: usize) -> Linkage {
    let columns: Vec<Vec<f64>> = (0..released.width())
        .map(|column| {
            let present = released.column(column).filter(|value| !value.is_nan());
            let mut sorted: Vec<f64> = present.collect();
            sorted.sort_by(f64::total_cmp);
            sorted
        })
        .collect();
    link("rank intersection", originals, |original| {
        let reach: Vec<[f64; 2]> = original
            .iter()
            .zip(&columns)
            .map(|(&value, sorted)| reach(value, sorted, ranks))
            .collect();
        let possible = |release: &[f64]| {
            let mut sides = release.iter().zip(&reach);
            sides.all(|(value, [least, most])| match least.is_nan() {
                // Missing values stay where they are.
                true => value.is_nan(),
                false => least <= value && value <= most,
            })
        };
        let rows = released.iter().enumerate();
        rows.filter_map(|(row, release)| possible(release).then_some(row))
            .collect()
    })
}

/// The values that one may have become by moving so many ranks: NaN of a missing one.
fn reach(value: f64, sorted: &[f64], ranks: usize) -> [f64; 2] {
    if value.is_nan() || sorted.is_empty() {
        return [f64::NAN; 2];
    }
    // Equal values share their ranks, and may have moved from any of them.
    let first = sorted.partition_point(|other| *other < value);
    let end = sorted.partition_point(|other| *other <= value);
    let last = sorted.len() - 1;
    let (least, most) = (first.saturating_sub(ranks), end.saturating_add(ranks));
    [
        sorted[least.min(last)],
        sorted[most.max(1).min(last + 1) - 1],
    ]
}

/// How often the row of a record is found among the `candidates` of its original.
fn link(
    attack: &str,
    originals: &Records,
    candidates: impl Fn(&[f64]) -> Vec<usize> + Sync,
) -> Linkage {
    let stride = originals.len().div_ceil(LOOKED_FOR).max(1);
    let rows: Vec<usize> = (0..originals.len()).step_by(stride).collect();
    let found: Vec<(usize, bool)> = rows
        .par_iter()
        .map(|&row| {
            let candidates = candidates(originals.record(row));
            (candidates.len(), candidates.contains(&row))
        })
        .collect();
    let share = |chance: &dyn Fn(&(usize, bool)) -> f64| {
        found.iter().map(chance).sum::<f64>() / found.len().max(1) as f64
    };
    let right = |holds: bool| f64::from(u8::from(holds));
    let mut counts: Vec<usize> = found.iter().map(|(count, _)| *count).collect();
    counts.sort_unstable();
    Linkage {
        attack: attack.to_owned(),
        knows: "the originals, on all masked columns".to_owned(),
        records: found.len(),
        linked: share(&|&(count, holds)| right(holds) / count.max(1) as f64),
        certain: share(&|&(count, holds)| right(holds && count == 1)),
        candidates: counts.get(counts.len() / 2).copied().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::uniform::Uniform;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    const COLUMNS: usize = 4;

    /// Records of numbers with ties, some missing, and what they become when
    /// neighbours in each order change places, `ranks` apart.
    fn swapped(rows: usize, ranks: usize) -> (Records, Records) {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(8);
        let mut originals = Records::new(COLUMNS);
        for _ in 0..rows {
            let mut value = |column: usize| match generator.draw() {
                draw if draw < 0.02 => f64::NAN,
                draw => (draw * 50.0 * (column + 1) as f64).floor(),
            };
            originals.push(&(0..COLUMNS).map(&mut value).collect::<Vec<_>>());
        }
        let mut released = originals.clone();
        for column in 0..COLUMNS {
            let present = |row: &usize| !originals.record(*row)[column].is_nan();
            let mut order: Vec<usize> = (0..rows).filter(present).collect();
            let value = |row: usize| originals.record(row)[column];
            order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
            for block in order.chunks_exact(2 * ranks) {
                for (low, high) in block.iter().zip(&block[ranks..]) {
                    released.record_mut(*low)[column] = value(*high);
                    released.record_mut(*high)[column] = value(*low);
                }
            }
        }
        (originals, released)
    }

    #[test]
    fn the_right_record_is_always_a_candidate_and_more_ranks_leave_more() {
        let mut last = 1.1;
        for ranks in [1, 5, 20, 60] {
            let (originals, released) = swapped(300, ranks);
            let found = rank_intersection(&originals, &released, ranks);
            for row in 0..originals.len() {
                let reaches = originals.record(row).iter().zip(0..);
                for (&value, column) in reaches {
                    let mut sorted: Vec<f64> = released.column(column).collect();
                    sorted.retain(|value| !value.is_nan());
                    sorted.sort_by(f64::total_cmp);
                    let [least, most] = reach(value, &sorted, ranks);
                    let became = released.record(row)[column];
                    assert!(value.is_nan() || (least <= became && became <= most));
                }
            }
            assert!(found.linked < last, "{found:?}");
            assert!(found.certain <= found.linked, "{found:?}");
            assert_eq!(found.records, 300);
            last = found.linked;
        }
    }

    #[test]
    fn candidates_are_those_of_double_loops_over_ranks() {
        let (originals, released) = swapped(120, 9);
        let found = rank_intersection(&originals, &released, 9);
        let rank = |column: usize, value: f64| {
            let below = released.column(column).filter(|other| *other < value);
            let upto = released.column(column).filter(|other| *other <= value);
            (below.count() as i64, upto.count() as i64 - 1)
        };
        let near = |column: usize, x: f64, y: f64| {
            let ((x_low, x_high), (y_low, y_high)) = (rank(column, x), rank(column, y));
            match (x.is_nan(), y.is_nan()) {
                (false, false) => y_low <= x_high + 9 && y_high >= x_low - 9,
                (x, y) => x && y,
            }
        };
        let mut linked = 0.0;
        for original in originals.iter() {
            let fits = |release: &&[f64]| {
                (0..COLUMNS).all(|column| near(column, original[column], release[column]))
            };
            linked += 1.0 / released.iter().filter(fits).count() as f64;
        }
        assert!((found.linked - linked / 120.0).abs() < 1e-12);
    }

    #[test]
    fn rank_intersection_is_that_of_the_worked_example() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/data/worked-examples/mares/rank-swap-linkage-a.json");
        if !path.exists() {
            assert!(std::env::var_os("CI").is_none(), "CI needs the shared data");
            return;
        }
        let text = std::fs::read_to_string(path).expect("read");
        let example: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let (inputs, expected) = (&example["inputs"], &example["expected"]);
        let [originals, released] = ["original", "masked"].map(|name| {
            let mut records = Records::new(2);
            for row in inputs[name].as_array().expect("rows") {
                records.push(&[0, 1].map(|place| row[place].as_f64().expect("a number")));
            }
            records
        });
        let window = inputs["window"].as_u64().expect("a window") as usize;
        let found = rank_intersection(&originals, &released, window);
        let percent = expected["percent_fractional"].as_f64().expect("a number");
        assert!((100.0 * found.linked - percent).abs() < 1e-9, "{found:?}");
        let sets = expected["candidate_sets"].as_array().expect("sets");
        let mut sizes: Vec<usize> = sets
            .iter()
            .map(|set| set.as_array().map_or(0, Vec::len))
            .collect();
        sizes.sort_unstable();
        assert_eq!(found.candidates, sizes[sizes.len() / 2]);
    }

    #[test]
    fn a_release_as_it_was_is_linked_and_one_of_equals_by_lot() {
        let (originals, _) = swapped(200, 1);
        assert_eq!(nearest_record(&originals, &originals).linked, 1.0);
        let mut equals = Records::new(1);
        (0..10).for_each(|_| equals.push(&[3.0]));
        for found in [
            nearest_record(&equals, &equals),
            rank_intersection(&equals, &equals, 2),
        ] {
            assert!((found.linked - 0.1).abs() < 1e-12, "{found:?}");
            assert_eq!((found.certain, found.candidates), (0.0, 10));
        }
        let nothing = Records::new(2);
        assert_eq!(rank_intersection(&nothing, &nothing, 1).records, 0);
    }
}
