//! The best score of designs and of each search for PRAM, as bars.

use super::super::evolution::{FITNESSES, word};
use super::super::pram::Results;
use super::{distinct, key};
use crate::multiples::multiples;
use moretta_report::figure::{Axis, Panel, Scale, Tone, brief};

/// A panel for each table and fitness: all columns together.
pub(super) fn drawing(results: &Results) -> Option<(String, String)> {
    let names = distinct(results.found.iter().map(|one| one.data));
    let found = results.found.iter().filter(|one| one.columns == ALL);
    let families = distinct(found.map(|one| &*one.family));
    let mut keys = vec![key(0, "1: best design")];
    let numbered = families.iter().zip(2..);
    keys.extend(numbered.map(|(name, place)| key(place - 1, &format!("{place}: {name}"))));
    // Bars of one tone are told apart by their place.
    keys.iter_mut()
        .for_each(|key| key.words = key.words.replace(" (dashes)", ""));
    let title = "PRAM of all columns together: scores, lower is better";
    let (mut drawing, areas) = multiples(title, &keys, names.len() * FITNESSES.len());
    let panels = names
        .iter()
        .flat_map(|name| FITNESSES.map(|fitness| (*name, fitness)));
    for ((name, fitness), area) in panels.zip(areas) {
        let of = results.designed.iter();
        let of = of.filter(|one| one.data == name && one.columns == ALL);
        let design = of.map(|one| fitness.score(one.averages.of, 0, 1));
        let mut bars = vec![design.fold(f64::INFINITY, f64::min)];
        for family in &families {
            let mut of = results.found.iter().filter(|one| {
                one.data == name
                    && one.columns == ALL
                    && one.fitness == fitness
                    && one.family == *family
            });
            let score = of.next().map(|one| fitness.score(one.averages.of, 0, 1));
            bars.push(score.unwrap_or(f64::NAN));
        }
        let places = (1..=bars.len()).map(|place| place as f64);
        let highest = bars.iter().copied().fold(0.0, f64::max);
        let panel = Panel {
            area,
            title: format!("{name}, {}", word(fitness)),
            x: Axis {
                label: "protection".to_owned(),
                scale: Scale::slots(places),
                marks: bars.len(),
                write: brief,
            },
            y: Axis {
                label: "score".to_owned(),
                scale: Scale::Linear {
                    low: 0.0,
                    high: 1.05 * highest.max(1.0),
                },
                marks: 4,
                write: brief,
            },
        };
        panel.frame(&mut drawing);
        for (place, &score) in bars.iter().enumerate() {
            panel.column(&mut drawing, Tone(place), ((place + 1) as f64, score));
        }
    }
    (!names.is_empty()).then(|| ("pram-scores.svg".to_owned(), drawing.finish()))
}

/// The columns of a target that has all of a table.
const ALL: &str = "all three";
