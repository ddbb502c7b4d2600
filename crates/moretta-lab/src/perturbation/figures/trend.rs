//! The error of attacks against the distance to the nearest known record in the stream.
//!
//! Cumulative noise of two records differs the more the more rows are between them, so
//! attacks on it should fail far away; independent noise knows no distance.

use super::super::attacks::{Attacker, Known};
use super::super::method::Family;
use super::super::results::{MethodResult, SetResult};
use crate::multiples::{Key, is_first, multiples};
use moretta::attack::reconstruction::{AtDistance, Success};
use moretta_report::figure::{Axis, Drawing, Mark, Panel, Scale, Stroke, brief};

/// The noise that is shown.
const SIGMA: f64 = 0.1;

/// Which attacks are shown: those that breach most at this ε.
const EPSILON: f64 = 0.2;

pub(super) fn draw(results: &[SetResult], known: Known) -> String {
    let title = format!(
        "Median relative error by the rows to the nearest known record, σ {SIGMA}, known records: \
         {}",
        known.name()
    );
    let keys = Family::ALL.map(|family| Key {
        tone: family.tone(),
        words: format!("{} (solid: ours, dashes: published)", family.name()),
    });
    let (mut drawing, areas) = multiples(&title, &keys, results.len());
    for (place, (set, area)) in results.iter().zip(areas).enumerate() {
        let points = || {
            let curves = curves(set, known);
            curves
                .into_iter()
                .flat_map(|(_, _, success)| points(success))
        };
        let panel = Panel {
            area,
            title: format!("{}, m = {}", set.name, set.features),
            x: Axis {
                label: "rows to the nearest known record".to_owned(),
                scale: Scale::logarithmic(points().map(|(x, _)| x)),
                marks: 4,
                write: brief,
            },
            y: Axis {
                label: if is_first(place) {
                    "relative error"
                } else {
                    ""
                }
                .to_owned(),
                scale: Scale::logarithmic(points().map(|(_, y)| y)),
                marks: 4,
                write: written,
            },
        };
        panel.frame(&mut drawing);
        fill(&mut drawing, &panel, set, known);
    }
    drawing.finish()
}

/// Errors without noise may be as small as rounding.
fn written(value: f64) -> String {
    match value < 1e-3 {
        true => format!("{value:.0e}"),
        false => brief((value * 1e4).round() / 1e4),
    }
}

type Curve<'a> = (Family, Attacker, &'a Success);

fn curves(set: &SetResult, known: Known) -> Vec<Curve<'_>> {
    let shown = |method: &&MethodResult| {
        method.method.family == Family::Projection || method.method.sigma == SIGMA
    };
    let methods = set.methods.iter().filter(shown);
    methods
        .flat_map(|method| {
            Attacker::ALL.map(|attacker| {
                let success = method.by(known).best(attacker, EPSILON);
                (method.method.family, attacker, success)
            })
        })
        .collect()
}

fn points(success: &Success) -> Vec<(f64, f64)> {
    let middle = |part: &AtDistance| 0.5 * (part.from + part.to) as f64;
    let parts = success.by_distance.iter();
    parts
        .map(|part| (middle(part), part.median_error))
        .collect()
}

fn fill(drawing: &mut Drawing, panel: &Panel, set: &SetResult, known: Known) {
    for (family, attacker, success) in curves(set, known) {
        let tone = family.tone();
        let dashed = attacker == Attacker::Published;
        let points = points(success);
        panel.line(drawing, Stroke { tone, dashed }, &points);
        let mark = Mark {
            tone,
            radius: 2.5,
            filled: !dashed,
        };
        for at in points {
            let detail = format!("{}: {:.0} rows, error {:.3}", success.attack, at.0, at.1);
            panel.mark(drawing, mark, at, &detail);
        }
    }
}
