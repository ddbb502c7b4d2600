//! Designs of PRAM against what searches have found.

use super::super::evolution::{FITNESSES, word};
use super::super::pram::{Designed, Found, Results};
use super::{distinct, key, trade_off};
use crate::multiples::{Key, multiples};
use moretta::optimize::evolution::Fitness;
use moretta_report::figure::{Mark, Tone};

/// The kinds of protections: the first word of a family, and how its marks look.
const KINDS: [(&str, Mark); 6] = [
    ("design A", mark(0, true)),
    ("design B", mark(0, false)),
    ("evolved matrices", mark(1, true)),
    ("evolved invariant", mark(2, true)),
    ("evolved equation", mark(3, true)),
    ("invariant design", mark(4, false)),
];

const fn mark(tone: usize, filled: bool) -> Mark {
    Mark {
        tone: Tone(tone),
        radius: 3.0,
        filled,
    }
}

fn kind(family: &str) -> Mark {
    let name = match family.starts_with("design") && family.ends_with("invariant") {
        true => "invariant design",
        false => family,
    };
    let kind = KINDS.iter().find(|(kind, _)| name.starts_with(kind));
    kind.map_or(mark(0, true), |(_, mark)| *mark)
}

/// A panel for each target and fitness.
pub(super) fn drawing(results: &Results) -> Option<(String, String)> {
    let keys: Vec<Key> = KINDS
        .iter()
        .map(|(name, mark)| Key {
            words: match mark.filled {
                true => (*name).to_owned(),
                false => format!("{name} (rings)"),
            },
            ..key(mark.tone.0, name)
        })
        .collect();
    let mut panels: Vec<(&str, &str, Fitness)> = Vec::new();
    for data in distinct(results.designed.iter().map(|one| one.data)) {
        let of = results.designed.iter().filter(|one| one.data == data);
        for columns in distinct(of.map(|one| &*one.columns)) {
            panels.extend(FITNESSES.map(|fitness| (data, columns, fitness)));
        }
    }
    let title = "PRAM: designs over their parameters, and what searches have found";
    let (mut drawing, areas) = multiples(title, &keys, panels.len());
    for (&(data, columns, fitness), area) in panels.iter().zip(areas) {
        let designed = |one: &&Designed| one.data == data && one.columns == columns;
        let found =
            |one: &&Found| one.data == data && one.columns == columns && one.fitness == fitness;
        let mut marks: Vec<(Mark, (f64, f64), String)> = Vec::new();
        for one in results.designed.iter().filter(designed) {
            let of = one.averages.of;
            let detail = format!("{}, {}", one.family, one.parameter);
            marks.push((kind(one.family), (of.loss, of.risk), detail));
        }
        for one in results.found.iter().filter(found) {
            let of = one.averages.of;
            let detail = one.formula.clone().unwrap_or_default();
            let detail = format!("{} {detail}", one.family);
            marks.push((kind(&one.family), (of.loss, of.risk), detail));
        }
        let points: Vec<(f64, f64)> = marks.iter().map(|(_, at, _)| *at).collect();
        let title = format!("{data}, {columns}: {}", word(fitness));
        let panel = trade_off(area, title, &points);
        panel.frame(&mut drawing);
        for (mark, at, detail) in marks {
            let detail = format!("{detail}: IL {:.2}, DR {:.2}", at.0, at.1);
            panel.mark(&mut drawing, mark, at, &detail);
        }
    }
    (!panels.is_empty()).then(|| ("pram.svg".to_owned(), drawing.finish()))
}
