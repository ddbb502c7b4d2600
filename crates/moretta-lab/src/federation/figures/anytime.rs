//! Accuracy of answers that wait for nodes up to an order.

use moretta_report::figure::{Area, Axis, Drawing, Mark, Panel, Scale, Stroke, Tone, brief};

/// Of answers that wait for orders up to 0, 1, 2 and so on.
pub(super) fn draw(accuracies: &[f64]) -> String {
    let title = "WFR, vote 2×: accuracy of answers that do not wait for all nodes";
    let mut drawing = Drawing::new(620.0, 360.0, title);
    let orders = (0..accuracies.len()).map(|order| order as f64);
    let panel = Panel {
        area: Area {
            left: 80.0,
            right: 590.0,
            top: 60.0,
            bottom: 300.0,
        },
        title: String::new(),
        x: Axis {
            label: "highest order of nodes that is waited for; 0 is sites alone".to_owned(),
            scale: Scale::slots(orders.clone()),
            marks: accuracies.len(),
            write: brief,
        },
        y: Axis {
            label: "accuracy, %".to_owned(),
            scale: Scale::linear(accuracies.iter().copied(), [0.0, 100.0]),
            marks: 6,
            write: brief,
        },
    };
    panel.frame(&mut drawing);
    let points: Vec<(f64, f64)> = orders.zip(accuracies.iter().copied()).collect();
    let stroke = Stroke {
        tone: Tone(2),
        dashed: false,
    };
    panel.line(&mut drawing, stroke, &points);
    let mark = Mark {
        tone: Tone(2),
        radius: 4.0,
        filled: true,
    };
    for (order, accuracy) in points {
        let detail = format!("orders up to {order}: {accuracy:.2} %");
        panel.mark(&mut drawing, mark, (order, accuracy), &detail);
        panel.words(&mut drawing, (order, accuracy), &format!("{accuracy:.1}"));
    }
    drawing.finish()
}
