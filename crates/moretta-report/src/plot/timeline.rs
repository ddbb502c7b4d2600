//! Panels above one another that share an axis of time.
//!
//! Time is cut into [`Span`]s; every panel has one value, or one pile of values,
//! for each. What is not known is hatched, by lines of its own rather than a
//! pattern, since a page may refer to nothing, not even within itself.

use super::area::{Area, LEFT, Span};
use super::bands::{self, Stack};
use super::calendar::{self, Mark};
use super::lines;
use super::{nothing, pointer, ticks};
use crate::axis::At;
use crate::markup::Markup;

const WIDTH: f64 = 1000.0;

/// Above a panel, for its name.
const HEAD: f64 = 30.0;

/// Below the last panel, for times.
const FOOT: f64 = 22.0;

/// What to draw.
pub(crate) struct Timeline {
    /// Read aloud instead of the drawing.
    pub(crate) title: String,
    /// What there is to see in it.
    pub(crate) description: String,
    /// In the order of time, without overlaps.
    pub(crate) spans: Vec<Span>,
    /// From top to bottom.
    pub(crate) panels: Vec<Panel>,
}

/// One panel.
pub(crate) struct Panel {
    /// Stands above it.
    pub(crate) name: String,
    /// Writes a value at the axis.
    pub(crate) axis: fn(f64) -> String,
    pub(crate) shape: Shape,
}

/// What a panel shows of each span.
pub(crate) enum Shape {
    /// A line of steps.
    Line {
        /// None where it is not known.
        values: Vec<Option<f64>>,
        /// The value at the top, where that is not the largest.
        full: Option<f64>,
        /// Where the values should be, and how that is called.
        goal: Option<(f64, String)>,
    },
    /// Bands piled upon one another.
    Bands(Vec<Stack>),
}

impl Shape {
    fn height(&self) -> f64 {
        match self {
            Shape::Line { .. } => 92.0,
            Shape::Bands(_) => 190.0,
        }
    }

    fn marks(&self) -> Vec<f64> {
        match self {
            Shape::Line { values, full, goal } => {
                let goal = goal.as_ref().map(|(value, _)| *value);
                let values = values.iter().flatten().copied().chain(goal);
                let largest = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
                ticks(full.unwrap_or(largest), 2)
            }
            // Where no count is known, neither is a scale.
            Shape::Bands(stacks) => match bands::largest(stacks) {
                0.0 => vec![0.0],
                largest => ticks(largest, 4),
            },
        }
    }
}

/// Draws the panels.
pub(crate) fn timeline(page: &mut Markup, plot: &Timeline) {
    let heights = plot.panels.iter().map(|panel| HEAD + panel.shape.height());
    let bottom: f64 = heights.sum();
    let view = format!("0 0 {} {}", At(WIDTH), At(bottom + FOOT));
    page.element(
        "svg",
        &[
            ("class", &"plot wide time"),
            ("viewBox", &view),
            ("role", &"img"),
        ],
        |page| {
            page.leaf("title", &[], &plot.title);
            page.leaf("desc", &[], &plot.description);
            if plot.spans.is_empty() {
                nothing(page, WIDTH, bottom);
            } else {
                panels(page, plot, bottom);
            }
        },
    );
}

fn panels(page: &mut Markup, plot: &Timeline, bottom: f64) {
    let mut top = 0.0;
    for panel in &plot.panels {
        top += HEAD;
        let marks = panel.shape.marks();
        let area = Area {
            spans: &plot.spans,
            right: WIDTH - 8.0,
            top,
            bottom: top + panel.shape.height(),
            full: marks
                .last()
                .copied()
                .filter(|full| *full > 0.0)
                .unwrap_or(1.0),
        };
        draw(page, panel, &area, &marks);
        top = area.bottom;
    }
    let whole = Area {
        spans: &plot.spans,
        right: WIDTH - 8.0,
        top: 0.0,
        bottom,
        full: 1.0,
    };
    times(page, &whole);
    for (number, span) in plot.spans.iter().enumerate() {
        let (left, right) = whole.across(number);
        let width = (right - left).max(1.0);
        pointer(page, &span.detail, left, HEAD, width, bottom - HEAD);
    }
}

fn draw(page: &mut Markup, panel: &Panel, area: &Area<'_>, marks: &[f64]) {
    page.leaf(
        "text",
        &[
            ("x", &At(LEFT)),
            ("y", &At(area.top - 8.0)),
            ("class", &"name"),
        ],
        &panel.name,
    );
    grid(page, panel, area, marks);
    match &panel.shape {
        Shape::Line { values, goal, .. } => lines::draw(page, area, values, goal.as_ref()),
        Shape::Bands(stacks) => bands::draw(page, area, stacks),
    }
}

fn grid(page: &mut Markup, panel: &Panel, area: &Area<'_>, marks: &[f64]) {
    for mark in marks {
        let y = area.y(*mark);
        let class = if *mark > 0.0 { "grid" } else { "base" };
        let outline = format!("M{} {}H{}", At(LEFT), At(y), At(area.right));
        page.shape("path", &[("class", &class), ("d", &outline)]);
        page.leaf(
            "text",
            &[
                ("x", &At(LEFT - 7.0)),
                ("y", &At(y + 4.0)),
                ("class", &"end"),
            ],
            (panel.axis)(*mark),
        );
    }
}

/// The axis of time, once for all panels.
fn times(page: &mut Markup, area: &Area<'_>) {
    let from = area.spans.first().map_or(0, |span| span.from);
    let to = area.spans.last().map_or(0, |span| span.to);
    for Mark { time, label, day } in calendar::marks(from, to, 9) {
        let x = area.x(time);
        let class = if day { "tick day" } else { "tick" };
        let end = if day { HEAD } else { area.bottom - 5.0 };
        let outline = format!("M{} {}V{}", At(x), At(area.bottom), At(end));
        page.shape("path", &[("class", &class), ("d", &outline)]);
        let half = label.chars().count() as f64 * 8.4 / 2.0;
        page.leaf(
            "text",
            &[
                ("x", &At(x.min(WIDTH - half).max(half))),
                ("y", &At(area.bottom + 17.0)),
                ("class", &"middle"),
            ],
            label,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    fn spans(ends: &[(i64, i64)]) -> Vec<Span> {
        let span = |&(from, to): &(i64, i64)| Span {
            from,
            to,
            detail: String::new(),
        };
        ends.iter().map(span).collect()
    }

    fn line(values: &[Option<f64>]) -> Panel {
        Panel {
            name: "z".to_owned(),
            axis: number::number,
            shape: Shape::Line {
                values: values.to_vec(),
                full: None,
                goal: None,
            },
        }
    }

    fn drawn(spans: Vec<Span>, panels: Vec<Panel>) -> String {
        let mut page = Markup::default();
        let plot = Timeline {
            title: "t".to_owned(),
            description: "d".to_owned(),
            spans,
            panels,
        };
        timeline(&mut page, &plot);
        page.into_string()
    }

    #[test]
    fn what_is_not_known_is_hatched_and_never_drawn_as_nothing() {
        let ends = spans(&[(0, 10), (10, 20), (20, 30)]);
        let known = drawn(ends.clone(), vec![line(&[Some(0.0), Some(1.0), Some(1.0)])]);
        assert!(!known.contains("hatch"));
        let gap = drawn(ends, vec![line(&[Some(1.0), None, Some(1.0)])]);
        assert!(gap.contains("class=\"hatch\""));
        let line = gap.split("class=\"line\"").nth(1).expect("there is a line");
        let outline = line.split('"').nth(1).expect("the line has an outline");
        assert_eq!(outline.matches('M').count(), 2, "{outline}");
    }

    #[test]
    fn odd_times_and_values_draw_only_finite_numbers() {
        let odd = [
            Some(f64::NAN),
            Some(f64::INFINITY),
            Some(-1.0),
            Some(1e308),
            None,
        ];
        for ends in [
            &[][..],
            &[(0, 0)],
            &[(i64::MIN, i64::MAX)],
            &[(i64::MIN, -1), (0, 0), (0, 1), (5, 9), (10, i64::MAX)],
        ] {
            let bands = odd.iter().take(ends.len()).map(|value| Stack {
                parts: vec![value.unwrap_or(0.0), f64::NAN],
                suppressed: f64::INFINITY,
                total: *value,
                hidden: true,
            });
            let bands = Panel {
                name: String::new(),
                axis: number::number,
                shape: Shape::Bands(bands.collect()),
            };
            let page = drawn(spans(ends), vec![line(&odd[..ends.len()]), bands]);
            assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
        }
    }
}
