//! The results as drawings.

mod clustering;
mod evolution;
mod graphs;
mod grid;
mod pram;
mod scores;

use super::Results;
use crate::multiples::Key;
use moretta_report::figure::{Area, Axis, Drawing, Mark, Panel, Scale, Stroke, Tone, brief};

/// The name and the text of each drawing.
pub(super) fn figures(results: &Results) -> Vec<(String, String)> {
    let mut drawings = Vec::new();
    if !results.grids.is_empty() {
        drawings.push(grid::drawing(&results.grids));
    }
    drawings.extend(evolution::drawings(&results.evolution));
    drawings.extend(pram::drawing(&results.pram));
    drawings.extend(scores::drawing(&results.pram));
    drawings.extend(clustering::drawings(&results.clustering));
    drawings.extend(graphs::drawings(&results.graphs));
    drawings
}

/// A panel of loss against risk that shows all of these points.
fn trade_off(area: Area, title: String, points: &[(f64, f64)]) -> Panel {
    plain(area, title, ["IL in %", "DR in %"], points)
}

/// A panel with linear axes that shows all of these points.
fn plain(area: Area, title: String, [x, y]: [&str; 2], points: &[(f64, f64)]) -> Panel {
    let axis = |label: &str, values: &mut dyn Iterator<Item = f64>| Axis {
        label: label.to_owned(),
        scale: Scale::linear(values, [0.0, f64::INFINITY]),
        marks: 4,
        write: brief,
    };
    Panel {
        area,
        title,
        x: axis(x, &mut points.iter().map(|point| point.0)),
        y: axis(y, &mut points.iter().map(|point| point.1)),
    }
}

/// The same with a slot for each value across.
fn slotted(area: Area, title: String, labels: [&str; 2], points: &[(f64, f64)]) -> Panel {
    let mut panel = plain(area, title, labels, points);
    panel.x.scale = Scale::slots(points.iter().map(|point| point.0));
    panel
}

/// How the line at a place is drawn; tones are few, and lines beyond them dashed.
fn stroke(place: usize) -> Stroke {
    Stroke {
        tone: Tone(place % Tone::COUNT),
        dashed: place >= Tone::COUNT,
    }
}

/// The word of a line in the key.
fn key(place: usize, words: &str) -> Key {
    let Stroke { tone, dashed } = stroke(place);
    Key {
        tone,
        words: match dashed {
            true => format!("{words} (dashes)"),
            false => words.to_owned(),
        },
    }
}

/// The line at a place, with a mark at each point that tells of it.
fn add_line(
    drawing: &mut Drawing,
    panel: &Panel,
    place: usize,
    points: &[(f64, f64)],
    detail: impl Fn((f64, f64)) -> String,
) {
    let stroke = stroke(place);
    panel.line(drawing, stroke, points);
    let mark = Mark {
        tone: stroke.tone,
        radius: 2.2,
        filled: !stroke.dashed,
    };
    for &at in points {
        panel.mark(drawing, mark, at, &detail(at));
    }
}

/// Different names, in their order.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

/// A name without what a file name should not have.
fn file_name(words: &str) -> String {
    words.replace(", ", "-").replace(' ', "-") + ".svg"
}
