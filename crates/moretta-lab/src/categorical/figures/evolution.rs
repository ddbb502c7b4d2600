//! Scores over the steps, and the first and the last population.

use super::super::evolution::{FITNESSES, Found, word};
use super::{distinct, file_name, key, plain, trade_off};
use crate::multiples::multiples;
use moretta::optimize::evolution::TradeOff;
use moretta_report::figure::{Area, Drawing, Mark, Stroke, Tone};

/// A drawing for each table, and one for searches without the best of the start.
pub(super) fn drawings(found: &[Found]) -> Vec<(String, String)> {
    let names = distinct(found.iter().map(|one| one.data));
    let mut drawings: Vec<(String, String)> =
        names.iter().map(|data| drawing(found, data)).collect();
    let robust = |data: &&&str| {
        let mut of = found.iter().filter(|one| one.data == **data);
        of.any(|one| one.left_out > 0.0)
    };
    let robust: Vec<&str> = names.iter().filter(robust).copied().collect();
    if !robust.is_empty() {
        drawings.push(robustness(found, &robust));
    }
    drawings
}

fn drawing(found: &[Found], data: &str) -> (String, String) {
    let keys = [
        key(1, "first execution; the best solid, the mean dashed"),
        key(2, "second execution"),
        key(0, "first population (grey)"),
    ];
    let title = format!("{data}: the search over cells");
    let (mut drawing, areas) = multiples(&title, &keys, 2 * FITNESSES.len());
    let (curves, scatters) = areas.split_at(FITNESSES.len());
    for ((fitness, &area), &below) in FITNESSES.iter().zip(curves).zip(scatters) {
        let whole = found
            .iter()
            .filter(|one| one.data == data && one.fitness == *fitness && one.left_out == 0.0);
        let runs: Vec<&Found> = whole.collect();
        let title = format!("score by {}", word(*fitness));
        add_curves(&mut drawing, area, title, &runs, |place| 1 + place);
        let points = |files: &[TradeOff]| -> Vec<(f64, f64)> {
            files.iter().map(|of| (of.loss, of.risk)).collect()
        };
        let all: Vec<(f64, f64)> = runs
            .iter()
            .flat_map(|run| [points(&run.first), points(&run.last)].concat())
            .collect();
        let title = format!("populations by {}", word(*fitness));
        let panel = trade_off(below, title, &all);
        panel.frame(&mut drawing);
        for (place, run) in runs.iter().enumerate() {
            for (files, tone, filled) in [(&run.first, 0, false), (&run.last, 1 + place, true)] {
                let mark = Mark {
                    tone: Tone(tone),
                    radius: 2.0,
                    filled,
                };
                for at in points(files) {
                    let detail = format!("IL {:.2}, DR {:.2}", at.0, at.1);
                    panel.mark(&mut drawing, mark, at, &detail);
                }
            }
        }
    }
    (file_name(&format!("evolution {data}")), drawing.finish())
}

/// Best and mean over the steps; the tone of each run follows from its place.
fn add_curves(
    drawing: &mut Drawing,
    area: Area,
    title: String,
    runs: &[&Found],
    tone: impl Fn(usize) -> usize,
) {
    let best = |run: &Found| -> Vec<(f64, f64)> {
        let moments = run.curve.iter();
        moments
            .map(|moment| (moment.step as f64, moment.best))
            .collect()
    };
    let mean = |run: &Found| -> Vec<(f64, f64)> {
        let moments = run.curve.iter();
        moments
            .map(|moment| (moment.step as f64, moment.mean))
            .collect()
    };
    let all: Vec<(f64, f64)> = runs
        .iter()
        .flat_map(|run| [best(run), mean(run)].concat())
        .collect();
    let panel = plain(area, title, ["steps", "score"], &all);
    panel.frame(drawing);
    for (place, run) in runs.iter().enumerate() {
        let tone = Tone(tone(place));
        for (line, dashed) in [(best(run), false), (mean(run), true)] {
            panel.line(drawing, Stroke { tone, dashed }, &line);
        }
    }
}

/// The first execution with and without the best of the start.
fn robustness(found: &[Found], names: &[&str]) -> (String, String) {
    let keys = [
        key(1, "whole start; the best solid, the mean dashed"),
        key(2, "without the best 5 %"),
        key(3, "without the best 10 %"),
    ];
    let title = "The search without the best of the start";
    let (mut drawing, areas) = multiples(title, &keys, names.len() * FITNESSES.len());
    let panels = names
        .iter()
        .flat_map(|name| FITNESSES.map(|fitness| (*name, fitness)));
    for ((name, fitness), area) in panels.zip(areas) {
        let seed = found.iter().map(|one| one.seed).min();
        let runs = found
            .iter()
            .filter(|one| one.data == name && one.fitness == fitness && Some(one.seed) == seed);
        let mut runs: Vec<&Found> = runs.collect();
        runs.sort_by(|a, b| a.left_out.total_cmp(&b.left_out));
        let title = format!("{name}, {}", word(fitness));
        add_curves(&mut drawing, area, title, &runs, |place| 1 + place);
    }
    ("evolution-robustness.svg".to_owned(), drawing.finish())
}
