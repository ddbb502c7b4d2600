//! Scores and losses of tables in clusters against k.

use super::super::clustering::{CLUSTERS, Clustered, METHODS, losses};
use super::{add_line, distinct, file_name, key, slotted};
use crate::multiples::{Key, multiples};

/// What a panel shows.
type Value = (&'static str, fn(&Clustered) -> f64);

const VALUES: [Value; 4] = [
    ("IL", |one| one.figures.il()),
    ("DR", |one| one.figures.dr()),
    ("score (mean)", |one| one.figures.mean()),
    ("CBIL", |one| losses(&one.partitions)[6]),
];

/// A drawing for each table: a row of panels for each method, a line for each number of clusters.
pub(super) fn drawings(found: &[Clustered]) -> Vec<(String, String)> {
    let names = distinct(found.iter().map(|one| one.data));
    names.into_iter().map(|data| drawing(found, data)).collect()
}

fn drawing(found: &[Clustered], data: &str) -> (String, String) {
    let words = |clusters: usize| match clusters {
        1 => "whole table".to_owned(),
        _ => format!("{clusters} clusters"),
    };
    let keys = CLUSTERS.iter().enumerate();
    let keys: Vec<Key> = keys
        .map(|(place, &clusters)| key(place, &words(clusters)))
        .collect();
    let title = format!("{data}: clusters protected by themselves, against k");
    let panels = METHODS.len() * VALUES.len();
    let (mut drawing, areas) = multiples(&title, &keys, panels);
    let shown = METHODS
        .iter()
        .flat_map(|method| VALUES.map(|value| (method.name, value)));
    for ((method, (name, value)), area) in shown.zip(areas) {
        let of = |clusters: Option<usize>| -> Vec<(f64, f64)> {
            let of = found.iter().filter(|one| {
                one.data == data
                    && one.method == method
                    && clusters.is_none_or(|clusters| one.clusters == clusters)
            });
            of.map(|one| (f64::from(one.k), value(one))).collect()
        };
        let title = format!("{method}: {name}");
        let panel = slotted(area, title, ["k", "percent"], &of(None));
        panel.frame(&mut drawing);
        for (place, &clusters) in CLUSTERS.iter().enumerate() {
            let line = of(Some(clusters));
            add_line(&mut drawing, &panel, place, &line, |at| {
                format!("{}, k = {}: {name} {:.2}", words(clusters), at.0, at.1)
            });
        }
    }
    (file_name(&format!("clustering {data}")), drawing.finish())
}
