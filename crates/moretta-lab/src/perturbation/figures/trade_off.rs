//! Accuracy against the probability of a breach: what is good lies in the upper left.

use super::super::attacks::{Attacker, Known};
use super::super::method::{Family, SIGMAS};
use super::super::results::{MethodResult, SetResult};
use crate::multiples::{Key, is_first, multiples};
use moretta_report::figure::{Align, Axis, Drawing, Mark, Panel, Scale, Stroke, Tone, brief};

pub(super) fn draw(results: &[SetResult], known: Known, epsilon: f64) -> String {
    let title = format!(
        "Accuracy against the probability of a relative error below {epsilon}, known records: {}",
        known.name()
    );
    let mut keys = vec![Key {
        tone: Tone(0),
        words: "dashes: unprotected".to_owned(),
    }];
    keys.extend(Family::ALL.map(|family| Key {
        tone: family.tone(),
        words: family.name().to_owned(),
    }));
    let (mut drawing, areas) = multiples(&title, &keys, results.len());
    sizes(&mut drawing);
    for (place, (set, area)) in results.iter().zip(areas).enumerate() {
        let accuracies = set.methods.iter().map(|method| method.learnt.accuracy);
        let panel = Panel {
            area,
            title: format!("{}, m = {}", set.name, set.features),
            x: Axis {
                label: "breach probability".to_owned(),
                scale: Scale::Linear {
                    low: 0.0,
                    high: 1.0,
                },
                marks: 5,
                write: brief,
            },
            y: Axis {
                label: if is_first(place) { "accuracy" } else { "" }.to_owned(),
                scale: Scale::linear(accuracies.chain([set.original.accuracy]), [0.0, 1.0]),
                marks: 5,
                write: brief,
            },
        };
        panel.frame(&mut drawing);
        fill(&mut drawing, &panel, set, known, epsilon);
    }
    drawing.finish()
}

/// The key of sizes and of attackers.
fn sizes(drawing: &mut Drawing) {
    let mut x = 16.0;
    for sigma in SIGMAS {
        drawing.circle("t0", (x + 6.0, 70.0), radius(sigma), "");
        drawing.text(
            (x + 18.0, 74.0),
            Align::Start,
            "muted",
            &format!("σ {sigma}"),
        );
        x += 70.0;
    }
    let words = "disc: ours";
    drawing.text((x + 6.0, 74.0), Align::Start, "muted", words);
    drawing.circle("t0 ring", (x + 86.0, 70.0), 4.5, "");
    let words = "ring: published (the best attack of either counts)";
    drawing.text((x + 98.0, 74.0), Align::Start, "muted", words);
}

fn radius(sigma: f64) -> f64 {
    let place = SIGMAS.iter().position(|known| *known == sigma);
    place.map_or(4.0, |place| 3.0 + 1.5 * place as f64)
}

fn fill(drawing: &mut Drawing, panel: &Panel, set: &SetResult, known: Known, epsilon: f64) {
    let unprotected = Stroke {
        tone: Tone(0),
        dashed: true,
    };
    let accuracy = set.original.accuracy;
    panel.line(drawing, unprotected, &[(0.0, accuracy), (1.0, accuracy)]);
    for family in Family::ALL {
        let of_family = |method: &&MethodResult| method.method.family == family;
        let methods: Vec<&MethodResult> = set.methods.iter().filter(of_family).collect();
        for attacker in Attacker::ALL {
            let at = |method: &MethodResult| {
                let breach = method.by(known).breach(attacker, epsilon);
                (breach, method.learnt.accuracy)
            };
            let filled = attacker == Attacker::Ours;
            let points: Vec<(f64, f64)> = methods.iter().map(|method| at(method)).collect();
            if points.len() > 1 {
                let stroke = Stroke {
                    tone: family.tone(),
                    dashed: !filled,
                };
                panel.line(drawing, stroke, &points);
            }
            for method in &methods {
                let mark = Mark {
                    tone: family.tone(),
                    radius: radius(method.method.sigma),
                    filled,
                };
                let (breach, accuracy) = at(method);
                let attack = &method.by(known).best(attacker, epsilon).attack;
                let detail = format!(
                    "{}, {attack}: accuracy {accuracy:.3}, breach {breach:.3}",
                    method.method
                );
                panel.mark(drawing, mark, at(method), &detail);
            }
        }
    }
}
