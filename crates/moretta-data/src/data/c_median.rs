//! c-median: records are put into c clusters around medians and most frequent categories.
//!
//! Each record goes to the nearest centroid, of several to the first; each centroid becomes the
//! average of its records; both in turn until no record moves. A cluster without records keeps its
//! centroid. Distances and averages of categories are those of a [`CategoricalTable`]; two numbers
//! differ by |a - b| over the range of their column, and their average is the lower median. A
//! missing number is 1 away from any other, and is larger than all of them. The cost is the sum of
//! the distances of records from their centroids, which no pass makes larger.
//!
//! A pass takes time in rows × clusters × columns, on all cores, and memory of one number a row.
//! From c-means and k-modes, with medians.

use super::categorical::{CategoricalTable, Variable};
use super::units::Units;
use crate::error::{Error, Result};
use crate::math::uniform::below;
use rand_core::Rng;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// A column of the records.
#[derive(Clone, Copy, Debug)]
pub enum ClusterColumn<'a> {
    /// Codes of categories.
    Categories(Variable, &'a [u32]),
    /// Numbers; NaN is missing.
    Numbers(&'a [f64]),
}

/// Records in clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The cluster of each row.
    pub labels: Vec<u32>,
    /// The centroid of each cluster: numbers, and codes of categories.
    pub centroids: Vec<Vec<f64>>,
    /// The sum of the distances of records from their centroids.
    pub cost: f64,
    /// How often records were assigned, the last time included, at which none moved.
    pub passes: usize,
}

impl CategoricalTable {
    /// The columns as c-median takes them.
    pub fn cluster_columns(&self) -> Vec<ClusterColumn<'_>> {
        let column = |(i, &variable)| ClusterColumn::Categories(variable, self.column(i));
        self.variables().iter().enumerate().map(column).collect()
    }
}

/// So many different rows of a table, drawn with the same chance, in the order of the table.
pub fn draw_seeds(rows: usize, clusters: usize, generator: &mut impl Rng) -> Vec<usize> {
    let clusters = clusters.min(rows);
    let mut drawn = BTreeSet::new();
    // Floyd's way: each draw comes from one row more, which stands in for one drawn before.
    for last in rows - clusters..rows {
        let row = below(generator, last as u64 + 1) as usize;
        if !drawn.insert(row) {
            drawn.insert(last);
        }
    }
    drawn.into_iter().collect()
}

/// Passes after which it ends in any case.
const MOST_PASSES: usize = 1000;

/// Rows that are assigned together.
const BLOCK: usize = 1024;

/// Clusters the rows of some columns, with the rows `seeds` as first centroids. `check` is called
/// often, and ends it by an error.
///
/// # Errors
/// When there are rows but no seeds, or `check` fails.
pub fn c_median(
    columns: &[ClusterColumn<'_>],
    seeds: &[usize],
    check: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Clusters> {
    let rows = columns.first().map_or(0, ClusterColumn::len);
    if columns.iter().any(|column| column.len() != rows) || seeds.iter().any(|&s| s >= rows) {
        return Err(Error::bug("columns and seeds of different tables"));
    }
    if seeds.is_empty() && rows > 0 {
        return Err(Error::policy("records can not be put into no clusters")
            .help("ask for one cluster or more"));
    }
    let space = Space::new(columns);
    let mut clusters = Clusters {
        labels: vec![u32::MAX; rows],
        centroids: seeds.iter().map(|&row| space.record(row)).collect(),
        cost: 0.0,
        passes: 0,
    };
    while clusters.passes < MOST_PASSES {
        clusters.passes += 1;
        let moved = space.assign(&mut clusters, check)?;
        if !moved {
            break;
        }
        space.average(&mut clusters, check)?;
    }
    Ok(clusters)
}

impl ClusterColumn<'_> {
    fn len(&self) -> usize {
        match self {
            ClusterColumn::Categories(_, codes) => codes.len(),
            ClusterColumn::Numbers(numbers) => numbers.len(),
        }
    }
}

/// The columns with what their distances are measured in: one unit for all, so that equal
/// distances of categories are equal numbers.
struct Space<'a> {
    columns: Vec<(ClusterColumn<'a>, f64)>,
    one: f64,
}

impl<'a> Space<'a> {
    fn new(columns: &[ClusterColumn<'a>]) -> Self {
        let variable = |column: &ClusterColumn<'_>| match column {
            ClusterColumn::Categories(variable, _) => *variable,
            ClusterColumn::Numbers(_) => Variable::nominal(0),
        };
        let units = Units::new(&columns.iter().map(variable).collect::<Vec<_>>());
        let one = units.one() as f64;
        let scale = |(i, column): (usize, &ClusterColumn<'a>)| match *column {
            ClusterColumn::Categories(..) => (*column, units.step(i).1 as f64),
            ClusterColumn::Numbers(numbers) => (*column, one / range(numbers)),
        };
        Space {
            columns: columns.iter().enumerate().map(scale).collect(),
            one,
        }
    }

    fn record(&self, row: usize) -> Vec<f64> {
        let value = |(column, _): &(ClusterColumn<'_>, f64)| match column {
            ClusterColumn::Categories(_, codes) => f64::from(codes[row]),
            ClusterColumn::Numbers(numbers) => numbers[row],
        };
        self.columns.iter().map(value).collect()
    }

    /// Puts each row into the nearest cluster; whether any moved.
    fn assign(
        &self,
        clusters: &mut Clusters,
        check: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<bool> {
        let Clusters {
            labels, centroids, ..
        } = clusters;
        let blocks = labels.par_chunks_mut(BLOCK).enumerate();
        let assigned: Vec<(bool, f64)> = blocks
            .map(|(block, labels)| {
                check()?;
                Ok(self.assign_block(block * BLOCK, labels, centroids))
            })
            .collect::<Result<_>>()?;
        // Summed block by block in their order, so that threads make no difference.
        let cost: f64 = assigned.iter().map(|(_, cost)| cost).sum();
        clusters.cost = cost / self.one;
        Ok(assigned.iter().any(|(moved, _)| *moved))
    }

    fn assign_block(
        &self,
        start: usize,
        labels: &mut [u32],
        centroids: &[Vec<f64>],
    ) -> (bool, f64) {
        let mut nearest = [(f64::INFINITY, 0_u32); BLOCK];
        let nearest = &mut nearest[..labels.len()];
        let mut distances = [0.0; BLOCK];
        let distances = &mut distances[..labels.len()];
        for (cluster, centroid) in centroids.iter().enumerate() {
            distances.fill(0.0);
            for ((column, scale), &centre) in self.columns.iter().zip(centroid) {
                column.add_distances(start, centre, *scale, self.one, distances);
            }
            for (nearest, &distance) in nearest.iter_mut().zip(&*distances) {
                if distance < nearest.0 {
                    *nearest = (distance, cluster as u32);
                }
            }
        }
        let moved = labels.iter().zip(&*nearest).any(|(a, (_, b))| a != b);
        for (label, (_, cluster)) in labels.iter_mut().zip(&*nearest) {
            *label = *cluster;
        }
        (moved, nearest.iter().map(|(distance, _)| distance).sum())
    }

    /// Makes each centroid the average of its rows.
    fn average(
        &self,
        clusters: &mut Clusters,
        check: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<()> {
        let (members, ends) = grouped(&clusters.labels, clusters.centroids.len());
        let averages = self.columns.par_iter().map(|(column, _)| {
            let mut start = 0;
            let mut counts = Vec::new();
            let mut values = Vec::new();
            let average = |&end: &usize| {
                check()?;
                let rows = &members[start..end];
                start = end;
                Ok(column.average(rows, &mut counts, &mut values))
            };
            ends.iter().map(average).collect::<Result<Vec<_>>>()
        });
        let averages: Vec<Vec<Option<f64>>> = averages.collect::<Result<_>>()?;
        for (i, averages) in averages.iter().enumerate() {
            for (centroid, average) in clusters.centroids.iter_mut().zip(averages) {
                centroid[i] = average.unwrap_or(centroid[i]);
            }
        }
        Ok(())
    }
}

impl ClusterColumn<'_> {
    /// Adds to each of some distances that of a row, from row `start` on, from a centre.
    fn add_distances(
        &self,
        start: usize,
        centre: f64,
        scale: f64,
        one: f64,
        distances: &mut [f64],
    ) {
        match self {
            ClusterColumn::Categories(variable, codes) => {
                let codes = &codes[start..][..distances.len()];
                let centre = centre as u32;
                if variable.ordered {
                    for (distance, &code) in distances.iter_mut().zip(codes) {
                        *distance += f64::from(code.abs_diff(centre)) * scale;
                    }
                } else {
                    for (distance, &code) in distances.iter_mut().zip(codes) {
                        *distance += f64::from(code != centre) * scale;
                    }
                }
            }
            ClusterColumn::Numbers(numbers) => {
                let numbers = &numbers[start..][..distances.len()];
                for (distance, &number) in distances.iter_mut().zip(numbers) {
                    *distance += match (number.is_nan(), centre.is_nan()) {
                        (false, false) => (number - centre).abs() * scale,
                        (a, b) => f64::from(a != b) * one,
                    };
                }
            }
        }
    }

    /// The average of some rows; none of no rows. Both buffers are for its own use.
    fn average(&self, rows: &[u32], counts: &mut Vec<usize>, values: &mut Vec<f64>) -> Option<f64> {
        match self {
            ClusterColumn::Categories(variable, codes) => {
                counts.clear();
                counts.resize(variable.levels, 0);
                rows.iter()
                    .for_each(|&row| counts[codes[row as usize] as usize] += 1);
                variable.average(counts).map(f64::from)
            }
            ClusterColumn::Numbers(numbers) => {
                values.clear();
                // Of one sign, so that all missing numbers are last.
                let number = |&row: &u32| match numbers[row as usize] {
                    number if number.is_nan() => f64::NAN.abs(),
                    number => number,
                };
                values.extend(rows.iter().map(number));
                let middle = rows.len().checked_sub(1)? / 2;
                Some(*values.select_nth_unstable_by(middle, f64::total_cmp).1)
            }
        }
    }
}

/// The rows of each cluster, one cluster after the other, and where each ends.
fn grouped(labels: &[u32], clusters: usize) -> (Vec<u32>, Vec<usize>) {
    let mut ends = vec![0; clusters];
    labels.iter().for_each(|&label| ends[label as usize] += 1);
    let mut total = 0;
    for end in &mut ends {
        (total, *end) = (total + *end, total);
    }
    let mut rows = vec![0; labels.len()];
    for (row, &label) in labels.iter().enumerate() {
        let end = &mut ends[label as usize];
        rows[*end] = row as u32;
        *end += 1;
    }
    (rows, ends)
}

/// The largest less the smallest number; 1 where they do not differ.
fn range(numbers: &[f64]) -> f64 {
    let (least, most) = numbers
        .iter()
        .filter(|number| number.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &x| {
            (least.min(x), most.max(x))
        });
    match most - least {
        range if range > 0.0 && range.is_finite() => range,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use serde_json::Value;
    use std::path::Path;

    fn never() -> Result<()> {
        Ok(())
    }

    fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
        value.as_array().expect("a list").iter().map(item).collect()
    }

    fn whole(value: &Value) -> u32 {
        value.as_u64().expect("a whole number") as u32
    }

    #[test]
    fn the_worked_example_is_found() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/data/worked-examples/mares/c-median-a.json");
        if !path.exists() {
            assert!(std::env::var_os("CI").is_none(), "CI needs the shared data");
            return;
        }
        let text = std::fs::read_to_string(path).expect("read");
        let example: Value = serde_json::from_str(&text).expect("JSON");
        let (inputs, expected) = (&example["inputs"], &example["expected"]);
        let variables = list(&inputs["schema"], |column| Variable {
            ordered: column[0] == "ordinal",
            levels: whole(&column[1]) as usize,
        });
        let records = list(&inputs["records"], |record| list(record, whole));
        let column = |i| records.iter().map(|record: &Vec<u32>| record[i]).collect();
        let columns = (0..variables.len()).map(column).collect();
        let table = CategoricalTable::new(variables, columns).expect("codes");
        let seeds = list(&inputs["seed_records"], |seed| whole(seed) as usize);
        let found = c_median(&table.cluster_columns(), &seeds, &never).expect("clusters");
        assert_eq!(found.labels, list(&expected["labels"], whole));
        let centroids = list(&expected["centroids"], |centroid| {
            list(centroid, |code| f64::from(whole(code)))
        });
        assert_eq!(found.centroids, centroids);
        let cost = expected["cost"].as_f64().expect("a number");
        assert!((found.cost - cost).abs() < 1e-9, "{}", found.cost);
        assert_eq!(found.passes as u32, whole(&expected["assignment_passes"]));
    }

    /// Everything again, row by row and pass by pass, in whole eighths of the distances.
    fn slow(codes: &[(u32, u32)], numbers: &[f64], seeds: &[usize]) -> (Vec<u32>, i64) {
        let record = |row: usize| (codes[row].0, codes[row].1, numbers[row]);
        let part = |a: f64, b: f64| (a - b).abs() as i64;
        let distance = |a: (u32, u32, f64), b: (u32, u32, f64)| {
            2 * i64::from(a.0.abs_diff(b.0)) + 8 * i64::from(a.1 != b.1) + part(a.2, b.2)
        };
        let mut centres: Vec<_> = seeds.iter().map(|&row| record(row)).collect();
        let mut labels = Vec::new();
        loop {
            let nearest = |row: usize| {
                let distances = centres.iter().map(|&centre| distance(record(row), centre));
                let (label, _) = distances
                    .enumerate()
                    .min_by_key(|&(label, distance)| (distance, label))?;
                Some(label as u32)
            };
            let next: Vec<u32> = (0..codes.len()).filter_map(nearest).collect();
            if next == labels {
                let costs = (0..codes.len())
                    .map(|row| distance(record(row), centres[labels[row] as usize]));
                return (labels.clone(), costs.sum());
            }
            labels = next;
            for (label, centre) in centres.iter_mut().enumerate() {
                let own = |&row: &usize| labels[row] as usize == label;
                let rows: Vec<usize> = (0..codes.len()).filter(own).collect();
                if rows.is_empty() {
                    continue;
                }
                let mut firsts: Vec<u32> = rows.iter().map(|&row| codes[row].0).collect();
                firsts.sort_unstable();
                let mut values: Vec<f64> = rows.iter().map(|&row| numbers[row]).collect();
                values.sort_by(f64::total_cmp);
                let count = |code| rows.iter().filter(|&&row| codes[row].1 == code).count();
                let mode = (0..3).rev().max_by_key(|&code| count(code));
                let middle = (rows.len() - 1) / 2;
                *centre = (firsts[middle], mode.expect("three"), values[middle]);
            }
        }
    }

    proptest! {
        #[test]
        fn clusters_are_those_of_a_slow_search(
            rows in prop::collection::vec(((0_u32..4, 0_u32..3), 0_u8..9), 2..60),
            clusters in 1_usize..6,
            seed in any::<u64>(),
        ) {
            let codes: Vec<(u32, u32)> = rows.iter().map(|row| row.0).collect();
            // The ends are always there, so that the range is 8.
            let mut numbers: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            (numbers[0], numbers[1]) = (0.0, 8.0);
            let [first, second] = [
                codes.iter().map(|code| code.0).collect::<Vec<_>>(),
                codes.iter().map(|code| code.1).collect(),
            ];
            let columns = [
                ClusterColumn::Categories(Variable::ordinal(4), &first),
                ClusterColumn::Categories(Variable::nominal(3), &second),
                ClusterColumn::Numbers(&numbers),
            ];
            let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
            let seeds = draw_seeds(rows.len(), clusters, &mut generator);
            prop_assert_eq!(seeds.len(), clusters.min(rows.len()));
            let found = c_median(&columns, &seeds, &never).expect("clusters");
            let (labels, cost) = slow(&codes, &numbers, &seeds);
            prop_assert_eq!(&found.labels, &labels);
            prop_assert!((found.cost - cost as f64 / 8.0).abs() < 1e-9);
        }
    }

    #[test]
    fn missing_numbers_are_far_from_others_and_last() {
        let numbers = [f64::NAN, 1.0, 1.5, -f64::NAN, f64::NAN];
        let found = c_median(&[ClusterColumn::Numbers(&numbers)], &[1, 0], &never);
        let found = found.expect("clusters");
        assert_eq!(found.labels, [1, 0, 0, 1, 1]);
        assert!(found.centroids[1][0].is_nan());
        assert_eq!((found.centroids[0][0], found.cost), (1.0, 1.0));
    }

    #[test]
    fn a_cluster_without_rows_keeps_its_centroid() {
        let codes = [2, 2, 0];
        let columns = [ClusterColumn::Categories(Variable::ordinal(3), &codes)];
        let found = c_median(&columns, &[0, 1, 2], &never).expect("clusters");
        assert_eq!(found.labels, [0, 0, 2]);
        assert_eq!(found.centroids, [[2.0], [2.0], [0.0]]);
    }

    #[test]
    fn it_can_be_cancelled_and_needs_a_cluster() {
        let codes = [0, 1];
        let columns = [ClusterColumn::Categories(Variable::ordinal(2), &codes)];
        let cancelled = || Err(Error::Cancelled);
        let ended = c_median(&columns, &[0], &cancelled);
        assert!(matches!(ended, Err(Error::Cancelled)));
        assert!(c_median(&columns, &[], &never).is_err());
        assert!(c_median(&columns, &[2], &never).is_err());
        let none = c_median(&[], &[], &never).expect("nothing");
        assert!(none.labels.is_empty());
    }
}
