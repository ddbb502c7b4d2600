//! Accuracy over the last records, along the stream.

use super::super::learning::Learnt;
use super::super::method::Family;
use super::super::results::{MethodResult, SetResult};
use crate::multiples::{Key, is_first, multiples};
use moretta_report::figure::{Axis, Panel, Scale, Stroke, Tone, brief};

pub(super) fn draw(results: &[SetResult], sigma: f64) -> String {
    let title = format!("Accuracy over the last records, σ {sigma}");
    let mut keys = vec![Key {
        tone: Tone(0),
        words: "unprotected".to_owned(),
    }];
    keys.extend(Family::ALL.map(|family| Key {
        tone: family.tone(),
        words: family.name().to_owned(),
    }));
    let (mut drawing, areas) = multiples(&title, &keys, results.len());
    for (place, (set, area)) in results.iter().zip(areas).enumerate() {
        let curves = curves(set, sigma);
        let accuracies = curves
            .iter()
            .flat_map(|(_, learnt)| learnt.over_time.iter().map(|point| point.1));
        let panel = Panel {
            area,
            title: set.name.to_owned(),
            x: Axis {
                label: "records".to_owned(),
                scale: Scale::Linear {
                    low: 0.0,
                    high: set.records as f64,
                },
                marks: 4,
                write: brief,
            },
            y: Axis {
                label: if is_first(place) { "accuracy" } else { "" }.to_owned(),
                scale: Scale::linear(accuracies, [0.0, 1.0]),
                marks: 5,
                write: brief,
            },
        };
        panel.frame(&mut drawing);
        for (tone, learnt) in curves {
            let points = learnt.over_time.iter();
            let points: Vec<(f64, f64)> = points.map(|&(at, y)| (at as f64, y)).collect();
            let dashed = false;
            panel.line(&mut drawing, Stroke { tone, dashed }, &points);
        }
    }
    drawing.finish()
}

/// The original and the methods with noise of this size.
fn curves(set: &SetResult, sigma: f64) -> Vec<(Tone, &Learnt)> {
    let shown = |method: &&MethodResult| {
        method.method.family == Family::Projection || method.method.sigma == sigma
    };
    let methods = set.methods.iter().filter(shown);
    let methods = methods.map(|method| (method.method.family.tone(), &method.learnt));
    std::iter::once((Tone(0), &set.original))
        .chain(methods)
        .collect()
}
