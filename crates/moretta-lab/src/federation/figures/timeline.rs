//! Agreement of candidates over the records, with the threshold that it must reach, and when
//! nodes over the same sources come and go.

use crate::federation::measures::Measured;
use crate::multiples::{Key, is_first, multiples};
use moretta_report::figure::{Axis, Drawing, Mark, Panel, Scale, Stroke, Tone, brief};
use std::collections::BTreeMap;

const AGREEMENT: Tone = Tone(2);
const THRESHOLD: Tone = Tone(0);
const MADE: Tone = Tone(3);
const REMOVED: Tone = Tone(1);
/// The height at which the life of nodes is drawn, above all agreements.
const LIFE: f64 = 1.08;
/// Panels at most.
const MOST: usize = 8;

/// What the monitor of a candidate has compared: records, agreement, threshold.
type Course = Vec<(f64, f64, f64)>;

/// A panel for each pair of sources that became a node.
pub(super) fn draw(set: &str, run: &Measured) -> String {
    let courses = courses(run);
    let mut shown: Vec<(&String, &Course)> = courses.iter().collect();
    shown.truncate(MOST);
    let keys = [
        (AGREEMENT, "agreement"),
        (THRESHOLD, "threshold (dashed)"),
        (MADE, "node made (disc) and there (line above)"),
        (REMOVED, "node removed (ring)"),
    ];
    let keys = keys.map(|(tone, words)| Key {
        tone,
        words: words.to_owned(),
    });
    let title = format!("{set}: agreement of sources until they became nodes, over records");
    let (mut drawing, areas) = multiples(&title, &keys, shown.len().max(1));
    for (place, ((name, course), area)) in shown.into_iter().zip(areas).enumerate() {
        let label = if is_first(place) { "agreement" } else { "" };
        let panel = Panel {
            area,
            title: name.clone(),
            x: Axis {
                label: "records".to_owned(),
                scale: Scale::Linear {
                    low: 0.0,
                    high: run.records as f64,
                },
                marks: 3,
                write: brief,
            },
            y: Axis {
                label: label.to_owned(),
                scale: Scale::Linear {
                    low: 0.0,
                    high: 1.15,
                },
                marks: 5,
                write: brief,
            },
        };
        panel.frame(&mut drawing);
        lines(&mut drawing, &panel, course);
        marks(&mut drawing, &panel, run, name);
    }
    drawing.finish()
}

/// What candidates that became nodes compared, by the name of the node.
fn courses(run: &Measured) -> BTreeMap<String, Course> {
    let mut courses: BTreeMap<String, Course> = BTreeMap::new();
    for (record, candidates) in &run.samples {
        for candidate in candidates {
            let mut sources = candidate.sources.clone();
            sources.sort_unstable();
            if let Some(node) = run.nodes.iter().find(|node| node.sources == sources) {
                let course = courses.entry(node.name.clone()).or_default();
                course.push((*record as f64, candidate.agreement, candidate.threshold));
            }
        }
    }
    courses
}

/// Lines with gaps while the pair is no candidate.
fn lines(drawing: &mut Drawing, panel: &Panel, course: &Course) {
    let looks = super::LOOKS as f64;
    for piece in course.chunk_by(|a, b| b.0 - a.0 < 1.5 * looks) {
        let agreement: Vec<(f64, f64)> = piece.iter().map(|at| (at.0, at.1)).collect();
        let threshold: Vec<(f64, f64)> = piece.iter().map(|at| (at.0, at.2)).collect();
        let whole = Stroke {
            tone: AGREEMENT,
            dashed: false,
        };
        let dashed = Stroke {
            tone: THRESHOLD,
            dashed: true,
        };
        panel.line(drawing, whole, &agreement);
        panel.line(drawing, dashed, &threshold);
    }
}

fn marks(drawing: &mut Drawing, panel: &Panel, run: &Measured, name: &str) {
    for node in run.nodes.iter().filter(|node| node.name == name) {
        let [first, end] = node.life;
        let mark = |tone, filled| Mark {
            tone,
            radius: 4.0,
            filled,
        };
        let detail = format!("{name} made at {first}");
        let life = [first, end].map(|record| (record as f64, LIFE));
        let stroke = Stroke {
            tone: MADE,
            dashed: false,
        };
        panel.line(drawing, stroke, &life);
        panel.mark(drawing, mark(MADE, true), (first as f64, LIFE), &detail);
        if end < run.records {
            let detail = format!("{name} removed at {end}");
            panel.mark(drawing, mark(REMOVED, false), (end as f64, LIFE), &detail);
        }
    }
}
