//! Semantic losses and risk of graphs against k.

use super::super::graphs::Protected;
use super::{add_line, distinct, key, slotted};
use crate::multiples::{Key, multiples};

/// What a line shows, and whether it is of the microdata.
type Value = (&'static str, fn(&Protected) -> f64);

const LOSSES: [Value; 4] = [
    ("AAMIL", |one| one.semantic.aamil),
    ("CDIL", |one| one.semantic.cdil),
    ("DBIL", |one| one.semantic.dbil),
    ("average", |one| one.semantic.average),
];
const RISKS: [Value; 2] = [
    ("semantic risk", |one| one.semantic.risk.unwrap_or(f64::NAN)),
    ("100/k", |one| 100.0 / f64::from(one.k)),
];
const MICRODATA: [Value; 2] = [
    ("IL of MDAV", |one| one.microdata.il()),
    ("DR of MDAV", |one| one.microdata.dr()),
];

/// Two panels for each graph.
pub(super) fn drawings(found: &[Protected]) -> Option<(String, String)> {
    let names = distinct(found.iter().map(|one| one.graph));
    let lines: Vec<Value> = [&LOSSES[..], &RISKS, &MICRODATA].concat();
    let keys = lines.iter().enumerate();
    let keys: Vec<Key> = keys.map(|(place, (name, _))| key(place, name)).collect();
    let title = "Social graphs: loss and risk against k";
    let (mut drawing, areas) = multiples(title, &keys, 2 * names.len());
    let panels = names
        .iter()
        .flat_map(|name| [(*name, true), (*name, false)]);
    for ((name, losses), area) in panels.zip(areas) {
        let is_loss = |place: usize| place < LOSSES.len() || lines[place].0.starts_with("IL");
        let shown: Vec<usize> = (0..lines.len())
            .filter(|&place| is_loss(place) == losses)
            .collect();
        let of = |place: usize| -> Vec<(f64, f64)> {
            let of = found.iter().filter(|one| one.graph == name);
            of.map(|one| (f64::from(one.k), (lines[place].1)(one)))
                .collect()
        };
        let all: Vec<(f64, f64)> = shown.iter().flat_map(|&place| of(place)).collect();
        let title = format!("{name}: {}", if losses { "loss" } else { "risk" });
        let panel = slotted(area, title, ["k", "percent"], &all);
        panel.frame(&mut drawing);
        for &place in &shown {
            add_line(&mut drawing, &panel, place, &of(place), |at| {
                format!("{}, k = {}: {:.2}", lines[place].0, at.0, at.1)
            });
        }
    }
    (!names.is_empty()).then(|| ("graphs.svg".to_owned(), drawing.finish()))
}
