//! How much sources agree in what troubles them, over time.

use super::legend::Legend;
use super::{Cell, batches, figure, table};
use crate::figure::{Area, Axis, Drawing, Panel, Scale, Stroke, Tone, brief};
use crate::markup::Markup;
use crate::number;
use moretta::pipeline::{AgreementFact, FederationFacts};

const LEFT: f64 = 70.0;
const RIGHT: f64 = 1020.0;
const HEIGHT: f64 = 200.0;

pub(super) fn write(facts: &FederationFacts, page: &mut Markup) {
    if facts.agreements.is_empty() {
        return;
    }
    page.raw("<section class=\"federation\" id=\"agreement\"><h2>Agreement over time</h2>");
    let sentence = "Of records that were answered wrong: how often sources that might share a trouble node would have forwarded the same ones. Shown are those that agreed most; a line ends when its node is made, or when others agree more.";
    figure(page, sentence, draw(facts));
    let head = ["Sources", "First seen", "Highest", "Last seen", "Then"];
    let row = |of: &AgreementFact| {
        let (first, last) = (of.points.first(), of.points.last());
        let batch = |point: Option<&(u64, f64)>| {
            let batch = point.map(|(batch, _)| number::count(*batch));
            Cell::Figure(batch.unwrap_or_default())
        };
        let highest = of.points.iter().map(|point| point.1).fold(0.0, f64::max);
        vec![
            Cell::Name(of.sources.join(", ")),
            batch(first),
            Cell::Figure(format!("{highest:.2}")),
            batch(last),
            Cell::Figure(last.map_or(String::new(), |point| format!("{:.2}", point.1))),
        ]
    };
    table(page, &head, facts.agreements.iter().map(row));
    page.raw("</section>");
}

fn draw(facts: &FederationFacts) -> Markup {
    let [first, last] = batches(facts);
    let stroke = |place: usize| Stroke {
        tone: Tone(1 + place % (Tone::COUNT - 1)),
        dashed: place >= Tone::COUNT - 1,
    };
    let entries = facts.agreements.iter().enumerate();
    let entries = entries.map(|(place, of)| (stroke(place), of.sources.join(", ")));
    let legend = Legend::new(entries, [LEFT, RIGHT], 44.0);
    let area = Area {
        left: LEFT,
        right: RIGHT,
        top: legend.bottom,
        bottom: legend.bottom + HEIGHT,
    };
    let panel = Panel {
        area,
        title: String::new(),
        x: Axis {
            label: "batch".to_owned(),
            scale: Scale::Linear {
                low: first as f64,
                high: last as f64,
            },
            marks: 10,
            write: brief,
        },
        y: Axis {
            label: "agreement".to_owned(),
            scale: Scale::Linear {
                low: 0.0,
                high: 1.0,
            },
            marks: 5,
            write: brief,
        },
    };
    let height = area.bottom + 50.0;
    let mut drawing = Drawing::inside(1040.0, height, "Agreement of sources over batches");
    panel.frame(&mut drawing);
    legend.draw(&mut drawing);
    for (place, of) in facts.agreements.iter().enumerate() {
        for part in parts(of, facts.moment) {
            panel.line(&mut drawing, stroke(place), &part);
        }
    }
    drawing.into_markup()
}

/// The points of neighbouring moments; where a candidate was not among the best there is a gap.
fn parts(of: &AgreementFact, moment: u64) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut last = None;
    for &(batch, agreement) in &of.points {
        if last != Some(batch) {
            parts.push(Vec::new());
        }
        last = Some(batch + moment);
        let at = batch as f64 + 0.5 * moment as f64;
        if let Some(part) = parts.last_mut() {
            part.push((at, agreement));
        }
    }
    parts
}
