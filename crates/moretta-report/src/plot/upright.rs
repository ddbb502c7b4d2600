//! Bars that stand on a line: for bins that have an order.

use super::{
    Fill, Plot, Side, Threshold, bars, hatch, largest, outlines, pointer, shorten, svg, ticks,
};
use crate::axis::At;
use crate::markup::Markup;
use std::fmt::Write;

/// The part of the drawing that holds the bars.
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// Of one slot.
    step: f64,
    /// The value at the top.
    full: f64,
}

impl Area {
    fn of(plot: &Plot, marks: &[f64]) -> Self {
        let widest = marks.iter().map(|mark| (plot.axis)(*mark).chars().count());
        let gutter = widest.max().unwrap_or(0) as f64 * plot.size.character();
        let left = gutter.min(0.3 * plot.size.width()) + 10.0;
        let right = plot.size.width() - 6.0;
        Self {
            left,
            right,
            top: if plot.threshold.is_some() { 26.0 } else { 8.0 },
            bottom: plot.size.height() - 24.0,
            step: (right - left) / plot.slots.len().max(1) as f64,
            full: marks.last().copied().unwrap_or(1.0),
        }
    }

    fn x(&self, slot: usize) -> f64 {
        self.left + slot as f64 * self.step
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - (value / self.full).clamp(0.0, 1.0) * (self.bottom - self.top)
    }
}

/// Draws upright bars.
pub(crate) fn upright(page: &mut Markup, plot: &Plot) {
    svg(page, plot, plot.size.height(), |page| {
        let marks = ticks(largest(&plot.slots), 4);
        let area = Area::of(plot, &marks);
        grid(page, plot, &area, &marks);
        if let Some(threshold) = &plot.threshold {
            zone(page, &area, threshold);
        }
        outlines(page, plot, &FILL, |outline, slot, value, share| {
            bar(outline, &area, slot, value, share);
        });
        hidden(page, plot, &area);
        labels(page, plot, &area);
        if let Some(threshold) = &plot.threshold {
            line(page, plot, &area, threshold);
        }
        for (slot, bin) in plot.slots.iter().enumerate() {
            let height = area.bottom - area.top;
            pointer(page, &bin.detail, area.x(slot), area.top, area.step, height);
        }
    });
}

fn grid(page: &mut Markup, plot: &Plot, area: &Area, marks: &[f64]) {
    for mark in marks {
        let y = area.y(*mark);
        let class = if *mark > 0.0 { "grid" } else { "base" };
        let outline = format!("M{} {}H{}", At(area.left), At(y), At(area.right));
        page.shape("path", &[("class", &class), ("d", &outline)]);
        page.leaf(
            "text",
            &[
                ("x", &At(area.left - 6.0)),
                ("y", &At(y + 4.0)),
                ("class", &"end"),
            ],
            (plot.axis)(*mark),
        );
    }
}

const FILL: Fill = Fill {
    before: 0.76,
    within: 0.44,
    alone: 0.76,
};

fn bar(outline: &mut String, area: &Area, slot: usize, value: f64, share: f64) {
    // A bar of something is never so low that it looks like nothing.
    let top = area.y(value).min(area.bottom - 1.0);
    let width = area.step * share;
    let left = area.x(slot) + (area.step - width) / 2.0;
    write!(
        outline,
        "M{} {}V{}H{}V{}Z",
        At(left),
        At(area.bottom),
        At(top),
        At(left + width),
        At(area.bottom)
    )
    .expect("a string takes every write");
}

/// What is not told is hatched over the width of a bar.
fn hidden(page: &mut Markup, plot: &Plot, area: &Area) {
    let mut lines = String::new();
    for (slot, _) in plot.slots.iter().enumerate().filter(|(_, bin)| bin.hidden) {
        let width = area.step * FILL.before;
        let left = area.x(slot) + (area.step - width) / 2.0;
        hatch(&mut lines, left, left + width, area.bottom);
    }
    bars(page, "hatch", &lines);
}

/// As many labels as fit, evenly spaced: under the bars, or at their borders.
fn labels(page: &mut Markup, plot: &Plot, area: &Area) {
    let character = plot.size.character();
    let most = (110.0 / character) as usize;
    let (names, shift): (Vec<&String>, f64) = match plot.edges.len() > plot.slots.len() {
        true => (plot.edges.iter().collect(), 0.0),
        false => (plot.slots.iter().map(|slot| &slot.label).collect(), 0.5),
    };
    let texts: Vec<String> = names.iter().map(|name| shorten(name, most)).collect();
    let widest = texts.iter().map(|text| text.chars().count()).max();
    let room = widest.unwrap_or(0) as f64 * character + 6.0;
    let stride = (room / area.step).ceil().max(1.0) as usize;
    // The first slot inside the promise is always named.
    let first = plot.threshold.as_ref().map_or(0, |line| line.slot % stride);
    let mut free = f64::NEG_INFINITY;
    for (slot, text) in texts.iter().enumerate().skip(first).step_by(stride) {
        let half = text.chars().count() as f64 * character / 2.0;
        let middle = area.x(slot) + area.step * shift;
        let x = middle.min(plot.size.width() - half).max(half);
        // The last one is moved inwards, where another may stand.
        if x - half < free {
            continue;
        }
        free = x + half;
        page.leaf(
            "text",
            &[
                ("x", &At(x)),
                ("y", &At(area.bottom + 16.0)),
                ("class", &"middle"),
            ],
            text,
        );
    }
}

fn zone(page: &mut Markup, area: &Area, threshold: &Threshold) {
    let at = area.x(threshold.slot);
    let (left, right) = match threshold.forbidden {
        Side::Left => (area.left, at),
        Side::Right => (at, area.right),
    };
    page.shape(
        "rect",
        &[
            ("class", &"zone"),
            ("x", &At(left)),
            ("y", &At(area.top)),
            ("width", &At((right - left).max(0.0))),
            ("height", &At(area.bottom - area.top)),
        ],
    );
}

fn line(page: &mut Markup, plot: &Plot, area: &Area, threshold: &Threshold) {
    let at = area.x(threshold.slot).min(area.right);
    let outline = format!("M{} {}V{}", At(at), At(area.top - 16.0), At(area.bottom));
    page.shape("path", &[("class", &"threshold"), ("d", &outline)]);
    let room = threshold.label.chars().count() as f64 * plot.size.character() + 8.0;
    let (x, class) = if at + room < plot.size.width() {
        (at + 6.0, "promise")
    } else {
        (at - 6.0, "promise end")
    };
    page.leaf(
        "text",
        &[("x", &At(x)), ("y", &At(area.top - 8.0)), ("class", &class)],
        &threshold.label,
    );
}

#[cfg(test)]
mod tests {
    use super::super::{Size, Slot};
    use super::*;
    use crate::number;

    #[test]
    fn bars_stand_as_high_as_their_values() {
        let slot = |after| Slot {
            after: Some(after),
            ..Slot::default()
        };
        let plot = Plot {
            title: String::new(),
            description: String::new(),
            size: Size::Small,
            slots: vec![slot(4.0), slot(2.0), slot(0.0)],
            edges: Vec::new(),
            axis: number::number,
            threshold: None,
        };
        let area = Area::of(&plot, &ticks(4.0, 4));
        assert!((area.y(4.0) - area.top).abs() < 1e-9);
        assert!((area.y(2.0) - (area.top + area.bottom) / 2.0).abs() < 1e-9);
        let mut page = Markup::default();
        upright(&mut page, &plot);
        let page = page.into_string();
        let path = page.split("class=\"after\" d=\"").nth(1).expect("a path");
        let path = path.split('"').next().expect("a value");
        assert_eq!(path.matches('M').count(), 2, "{path}");
    }

    #[test]
    fn labels_never_overlap_and_stay_inside() {
        for slots in 1..60 {
            for (length, edges) in [(1, true), (3, true), (7, false), (13, true), (40, false)] {
                let label = |slot: usize| format!("{slot:>length$}").replace(' ', "9");
                let slot = |place: usize| Slot {
                    label: label(place),
                    after: Some(1.0),
                    ..Slot::default()
                };
                let borders = if edges { 0..slots + 1 } else { 0..0 };
                let plot = Plot {
                    title: String::new(),
                    description: String::new(),
                    size: Size::Wide,
                    slots: (0..slots).map(slot).collect(),
                    edges: borders.map(label).collect(),
                    axis: number::number,
                    threshold: None,
                };
                let mut page = Markup::default();
                upright(&mut page, &plot);
                let page = page.into_string();
                let mut free = 0.0;
                for text in page.split("<text x=\"").skip(1) {
                    let (x, rest) = text.split_once('"').expect("a place");
                    let Some((_, rest)) = rest.split_once("class=\"middle\">") else {
                        continue;
                    };
                    let label = rest.split('<').next().expect("a text");
                    let half = label.chars().count() as f64 * Size::Wide.character() / 2.0;
                    let x: f64 = x.parse().expect("a number");
                    assert!(x - half > free - 0.2, "{slots} {length}: {label} at {x}");
                    free = x + half;
                }
                assert!((1.0..=Size::Wide.width() + 0.2).contains(&free), "{slots}");
            }
        }
    }

    #[test]
    fn what_is_hidden_is_hatched_to_one_height() {
        let slot = |after: Option<f64>| Slot {
            after,
            hidden: after.is_none(),
            ..Slot::default()
        };
        let heights = |values: &[Option<f64>]| {
            let plot = Plot {
                title: String::new(),
                description: String::new(),
                size: Size::Small,
                slots: values.iter().map(|value| slot(*value)).collect(),
                edges: Vec::new(),
                axis: number::number,
                threshold: None,
            };
            let mut page = Markup::default();
            upright(&mut page, &plot);
            let page = page.into_string();
            let lines = page.split("class=\"hatch\" d=\"").nth(1).unwrap_or("");
            let lines = lines.split('"').next().expect("a value").split('M').skip(1);
            let mut heights: Vec<&str> = lines
                .map(|line| line.split_once(' ').expect("a place").1)
                .collect();
            heights.dedup();
            heights.join(" ")
        };
        let one = heights(&[None, Some(4.0), Some(2.0)]);
        assert_eq!(one, "166V152");
        assert_eq!(heights(&[None, Some(90.0), None]), one);
        assert_eq!(heights(&[Some(4.0)]), "");
    }
}
