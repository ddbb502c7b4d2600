//! Tables that are put into clusters first, each protected by itself, against whole ones.

use super::data::Loaded;
use super::grid::{PARTS, parts};
use crate::sheet::{Cell, Place, Sheet, row};
use moretta::data::{Attribute, CategoricalTable, Records};
use moretta::engine::Plan;
use moretta::measure::categorical::{
    Categorical, CategoricalSettings, Figures, PartitionPairs, Scorer,
};
use moretta::{Error, Result};
use rayon::prelude::*;

/// A method that protects clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Method {
    pub(super) name: &'static str,
    /// Its lines in a policy; `K` stands for k.
    lines: &'static str,
}

pub(super) const METHODS: [Method; 2] = [
    Method {
        name: "microaggregation",
        lines: "[[protect]]\nmethod = \"microaggregation\"\nk = K\n",
    },
    Method {
        name: "global median",
        lines: "[[protect]]\nmethod = \"mondrian\"\noutput = \"median-or-mode\"\n[guarantee]\nk = K\n",
    },
];

/// The numbers of clusters; 1 is the whole table.
pub(super) const CLUSTERS: [usize; 6] = [1, 2, 3, 5, 10, 20];

/// A table protected in clusters.
#[derive(Clone, Debug)]
pub(super) struct Clustered {
    pub(super) data: &'static str,
    pub(super) method: &'static str,
    pub(super) clusters: usize,
    pub(super) k: u32,
    pub(super) figures: Figures,
    /// What clusters of originals and of the release have in common.
    pub(super) partitions: PartitionPairs,
}

/// Every method in every number of clusters with every k.
pub(super) fn compute(tables: &[Loaded], ks: &[u32], seed: u64) -> Result<Vec<Clustered>> {
    let mut tasks = Vec::new();
    for (data, _) in tables.iter().enumerate() {
        for method in METHODS {
            for clusters in CLUSTERS {
                tasks.extend(ks.iter().map(|&k| (data, method, clusters, k)));
            }
        }
    }
    let scorers: Vec<Scorer> = tables.iter().map(Loaded::scorer).collect::<Result<_>>()?;
    let task = |(data, method, clusters, k): (usize, Method, usize, u32)| {
        let table = &tables[data];
        let plan = plan(table, method, clusters, k, seed)?;
        let Some(records) = table.table.protected(&plan)? else {
            return Ok(None);
        };
        let masked = table.table.categorical(&records)?;
        Ok(Some(Clustered {
            data: table.set.name,
            method: method.name,
            clusters,
            k,
            figures: scorers[data].score(&masked)?.figures(),
            partitions: partitions(scorers[data].original(), table.table.originals(), &records)?,
        }))
    };
    let found: Vec<Option<Clustered>> = tasks.into_par_iter().map(task).collect::<Result<_>>()?;
    Ok(found.into_iter().flatten().collect())
}

fn plan(table: &Loaded, method: Method, clusters: usize, k: u32, seed: u64) -> Result<Plan> {
    let mut text = format!("seed = {seed}\n");
    if clusters > 1 {
        text += &format!("clusters = {clusters}\n");
    }
    for name in table.table.names() {
        text += &format!("[columns.{name}]\nrole = \"quasi\"\n");
    }
    Plan::parse(&(text + &method.lines.replace('K', &k.to_string())))
}

/// The clusters of both, by the product's own measure.
fn partitions(
    original: &CategoricalTable,
    originals: &Records,
    released: &Records,
) -> Result<PartitionPairs> {
    let attributes = original.variables().iter();
    let attributes = attributes.map(|variable| match variable.ordered {
        true => Attribute::Ordinal {
            levels: variable.levels,
        },
        false => Attribute::Nominal,
    });
    let attributes: Vec<Attribute> = attributes.collect();
    let measure = Categorical::new(&attributes, CategoricalSettings::default());
    let mut measure = measure.ok_or_else(|| Error::bug("no categories to cluster"))?;
    for (original, released) in originals.iter().zip(released.iter()) {
        measure.observe(original, released);
    }
    let found = measure.partitions().copied();
    found.ok_or_else(|| Error::input("all rows are alike, so that there are no clusters"))
}

/// Losses in percent, each 100 (1 − index).
pub(super) fn losses(pairs: &PartitionPairs) -> [f64; 7] {
    let [first, second] = pairs.wallace();
    [
        pairs.rand(),
        (1.0 + pairs.adjusted_rand()) / 2.0,
        pairs.jaccard(),
        pairs.fowlkes_mallows(),
        first,
        second,
        1.0 - pairs.loss(),
    ]
    .map(|index| 100.0 * (1.0 - index))
}

/// Losses and risks of all, and what clusters make of the score on average.
pub(super) fn sheets(found: &[Clustered]) -> Vec<Sheet> {
    let indices = [
        "Rand",
        "adjusted Rand",
        "Jaccard",
        "Fowlkes-Mallows",
        "Wallace 1",
        "Wallace 2",
        "CBIL",
    ];
    let head = ["data", "method", "clusters", "k", "IL", "DR", "mean", "max"];
    let head = [&head[..], &PARTS, &indices].concat();
    let title = "Tables in clusters: every k";
    let mut all = Sheet::new("clustering", title, Place::File, &head);
    let head = ["data", "method", "clusters", "IL", "DR", "mean", "max"];
    let head = [&head[..], &indices].concat();
    let title =
        "Tables in clusters, each protected by itself: averages over k; 1 is the whole table";
    let mut averages = Sheet::new("clustering-averages", title, Place::Both, &head);
    for one in found {
        let Figures { .. } = one.figures;
        let figures = &one.figures;
        let mut row = row![one.data, one.method, one.clusters, one.k];
        row.extend(row![
            figures.il(),
            figures.dr(),
            figures.mean(),
            figures.max()
        ]);
        row.extend(parts(figures).map(Cell::from));
        row.extend(losses(&one.partitions).map(Cell::from));
        all.rows.push(row);
    }
    for of in kinds(found) {
        let of_kind: Vec<&Clustered> = found
            .iter()
            .filter(|one| (one.data, one.method, one.clusters) == of)
            .collect();
        let average = |value: &dyn Fn(&Clustered) -> f64| -> f64 {
            of_kind.iter().map(|one| value(one)).sum::<f64>() / of_kind.len() as f64
        };
        let mut row = row![of.0, of.1, of.2];
        row.extend(row![
            average(&|one| one.figures.il()),
            average(&|one| one.figures.dr()),
            average(&|one| one.figures.mean()),
            average(&|one| one.figures.max()),
        ]);
        for place in 0..indices.len() {
            row.extend(row![average(&|one| losses(&one.partitions)[place])]);
        }
        averages.rows.push(row);
    }
    averages.note("Indices are told as losses, 100 (1 - index), adjusted Rand as 100 (1 - (1 + index) / 2); CBIL is the mean of Rand, adjusted Rand and Jaccard.");
    averages.note("The abstract of the source claims a better trade-off in clusters; its figures are not known to us.");
    vec![averages, all]
}

/// The different tables, methods and numbers of clusters, in their order.
fn kinds(found: &[Clustered]) -> Vec<(&'static str, &'static str, usize)> {
    let mut kinds = Vec::new();
    for one in found {
        let kind = (one.data, one.method, one.clusters);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}
