//! Tables divided into clusters of near rows, each of which is protected by itself.
//!
//! Rows are put into clusters by c-median of the columns that a method protects. A cluster of fewer
//! than `least` persons could not be protected by itself: it joins the cluster whose centroid is
//! nearest, the smallest cluster first. So near rows end up in one class or group rather than where
//! a method cuts through them, and what each cluster becomes is as protected as a table of its own.

use crate::cancel::Cancel;
use crate::data::{
    Batch, ClusterColumn, Column, Kind, MISSING, Role, Variable, c_median, draw_seeds,
};
use crate::error::{Error, Result};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashSet;

/// The rows of each cluster, in order; at most `count` clusters of the columns at `places`.
///
/// # Errors
/// When a column only passes through, or it is cancelled.
pub fn clusters(
    table: &Batch,
    places: &[usize],
    (count, least): (usize, usize),
    seed: u64,
    cancel: &Cancel,
) -> Result<Vec<Vec<u32>>> {
    let columns: Vec<Coded> = places
        .iter()
        .map(|&place| Coded::new(table, place))
        .collect::<Result<_>>()?;
    let views: Vec<ClusterColumn<'_>> = columns.iter().map(Coded::view).collect();
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let seeds = draw_seeds(table.len(), count, &mut generator);
    let found = c_median(&views, &seeds, &|| cancel.check())?;
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); found.centroids.len()];
    for (&label, row) in found.labels.iter().zip(0..) {
        rows[label as usize].push(row);
    }
    let clusters = rows.into_iter().zip(found.centroids);
    let mut clusters: Vec<(Vec<u32>, Vec<f64>)> =
        clusters.filter(|(rows, _)| !rows.is_empty()).collect();
    join_small(&mut clusters, &columns, &persons(table)?, least);
    let mut rows: Vec<Vec<u32>> = clusters.into_iter().map(|(rows, _)| rows).collect();
    rows.iter_mut().for_each(|rows| rows.sort_unstable());
    Ok(rows)
}

/// Joins the smallest cluster with its nearest, until none has fewer than `least` persons.
fn join_small(
    clusters: &mut Vec<(Vec<u32>, Vec<f64>)>,
    columns: &[Coded],
    persons: &Option<Vec<u32>>,
    least: usize,
) {
    let size = |rows: &[u32]| match persons {
        None => rows.len(),
        Some(of) => {
            let distinct: HashSet<u32> = rows.iter().map(|&row| of[row as usize]).collect();
            distinct.len()
        }
    };
    while clusters.len() > 1 {
        let sizes = clusters.iter().map(|(rows, _)| size(rows));
        let smallest = sizes.enumerate().min_by_key(|&(_, size)| size);
        let Some((small, _)) = smallest.filter(|&(_, size)| size < least) else {
            return;
        };
        let (rows, centroid) = clusters.remove(small);
        let apart = |other: &[f64]| -> f64 {
            let values = centroid.iter().zip(other);
            let columns = columns.iter().zip(values);
            columns
                .map(|(column, (&a, &b))| column.distance(a, b))
                .sum()
        };
        let others = clusters.iter_mut();
        let nearest = others.min_by(|a, b| apart(&a.1).total_cmp(&apart(&b.1)));
        if let Some((joined, _)) = nearest {
            joined.extend(rows);
        }
    }
}

/// The person of each row; none where rows are persons.
fn persons(table: &Batch) -> Result<Option<Vec<u32>>> {
    let subject = table.schema().with_role(Role::Subject).first().copied();
    let codes = |place| Ok(table.categories(place)?.codes().to_vec());
    subject.map(codes).transpose()
}

/// A column as its values are clustered.
enum Coded {
    Categories(Variable, Vec<u32>),
    /// With its range.
    Numbers(Vec<f64>, f64),
}

impl Coded {
    fn new(table: &Batch, place: usize) -> Result<Self> {
        let field = &table.schema().fields()[place];
        match table.column(place) {
            Column::Number(numbers) => {
                let values: Vec<f64> = numbers.iter().map(|n| n.unwrap_or(f64::NAN)).collect();
                let ends = values.iter().filter(|value| !value.is_nan());
                let ends = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &value| {
                    (a.min(value), b.max(value))
                });
                let range = if ends.1 > ends.0 {
                    ends.1 - ends.0
                } else {
                    1.0
                };
                Ok(Coded::Numbers(values, range))
            }
            Column::Category(categories) => {
                let levels = categories.levels().len();
                let lacks = categories.codes().contains(&MISSING);
                // A missing value is one more category, the last.
                let code = |&code: &u32| if code == MISSING { levels as u32 } else { code };
                let variable = Variable {
                    ordered: field.kind == (Kind::Category { ordered: true }),
                    levels: levels + usize::from(lacks),
                };
                let codes = categories.codes().iter().map(code).collect();
                Ok(Coded::Categories(variable, codes))
            }
            Column::Plain(_) => {
                let what = format!("column `{}` only passes through", field.name);
                Err(Error::policy(what).help("give it a type: number, category or date"))
            }
        }
    }

    fn view(&self) -> ClusterColumn<'_> {
        match self {
            Coded::Categories(variable, codes) => ClusterColumn::Categories(*variable, codes),
            Coded::Numbers(values, _) => ClusterColumn::Numbers(values),
        }
    }

    fn distance(&self, a: f64, b: f64) -> f64 {
        match self {
            Coded::Categories(variable, _) => variable.distance(a as u32, b as u32),
            Coded::Numbers(..) if a.is_nan() || b.is_nan() => f64::from(a.is_nan() != b.is_nan()),
            Coded::Numbers(_, range) => (a - b).abs() / range,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, RowIds, Schema};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn table(numbers: &[Option<f64>], subjects: Option<&[&str]>) -> Batch {
        let mut fields = vec![Field::new(
            "x",
            Role::Quasi,
            Kind::Number { integer: false },
        )];
        let mut columns = vec![Column::Number(numbers.iter().copied().collect())];
        if let Some(subjects) = subjects {
            let kind = Kind::Category { ordered: false };
            fields.push(Field::new("who", Role::Subject, kind));
            let names = subjects.iter().map(|name| Some((*name).to_owned()));
            columns.push(Column::Category(names.collect()));
        }
        let ids = RowIds::Range {
            start: 0,
            len: numbers.len(),
        };
        let schema = Arc::new(Schema::new(fields).expect("names differ"));
        Batch::new(schema, ids, columns).expect("fits")
    }

    fn found(table: &Batch, count: usize, least: usize, seed: u64) -> Vec<Vec<u32>> {
        clusters(table, &[0], (count, least), seed, &Cancel::default()).expect("clusters")
    }

    #[test]
    fn near_rows_are_in_one_cluster() {
        let values = [1.0, 50.0, 2.0, 51.0, 1.5, 99.0, 98.0].map(Some);
        let seeds: Vec<u64> = (0..20).collect();
        let apart = |seed: &&u64| found(&table(&values, None), 3, 1, **seed).len() == 3;
        let seed = seeds.iter().find(apart).expect("a good start");
        let mut rows = found(&table(&values, None), 3, 1, *seed);
        rows.sort();
        assert_eq!(rows, [vec![0, 2, 4], vec![1, 3], vec![5, 6]]);
        // Two rows are too few: they join the cluster that is nearest, not the largest one.
        let mut rows = found(&table(&values, None), 3, 3, *seed);
        rows.sort();
        assert_eq!(rows, [vec![0, 2, 4], vec![1, 3, 5, 6]]);
    }

    #[test]
    fn a_cluster_counts_persons() {
        let values = [1.0, 1.0, 1.0, 9.0, 9.0, 9.0].map(Some);
        let one = ["a", "a", "a", "b", "c", "d"];
        for seed in 0..10 {
            let rows = found(&table(&values, Some(&one)), 2, 2, seed);
            assert_eq!(rows, [vec![0, 1, 2, 3, 4, 5]], "{seed}");
        }
    }

    proptest! {
        #[test]
        fn every_row_is_in_one_cluster_of_enough_rows(
            values in prop::collection::vec(prop::option::weighted(0.9, -9.0..9.0_f64), 0..60),
            count in 1..9_usize,
            least in 1..9_usize,
            seed: u64,
        ) {
            let rows = found(&table(&values, None), count, least, seed);
            prop_assert!(rows.len() <= count);
            prop_assert!(rows.len() == 1 || rows.iter().all(|rows| rows.len() >= least));
            let mut all = rows.concat();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..values.len() as u32));
        }
    }
}
