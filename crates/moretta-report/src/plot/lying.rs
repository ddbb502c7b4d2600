//! Bars that lie beside their names: for categories and rankings.

use super::{Fill, Plot, Size, drawn, largest, outlines, pointer, shorten, svg, ticks};
use crate::axis::At;
use crate::markup::Markup;
use std::fmt::Write;

/// Where names end and values begin.
struct Area {
    left: f64,
    right: f64,
    bottom: f64,
    /// Of one row.
    step: f64,
    /// The value at the right.
    full: f64,
}

/// Below the bars, for the values of the axis.
const AXIS: f64 = 22.0;

impl Area {
    fn of(plot: &Plot, full: f64, valued: Option<usize>) -> Self {
        let width = plot.size.width();
        let slots = plot.slots.len().max(1) as f64;
        let names = plot.slots.iter().map(|slot| slot.label.chars().count());
        let names = names.max().unwrap_or(0) as f64 * plot.size.character() + 15.0;
        let step = match plot.size {
            // Small drawings stand side by side and are all of one height.
            Size::Small => ((plot.size.height() - AXIS - 2.0) / slots).clamp(16.0, 50.0),
            Size::Wide => 26.0,
        };
        Self {
            left: names.clamp(0.2 * width, 0.45 * width).round(),
            right: width
                - valued.map_or(16.0, |characters| {
                    (characters as f64 * plot.size.character() + 12.0).clamp(70.0, 0.3 * width)
                }),
            bottom: slots * step + 2.0,
            step,
            full,
        }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + (value / self.full).clamp(0.0, 1.0) * (self.right - self.left)
    }

    fn y(&self, slot: usize) -> f64 {
        slot as f64 * self.step + 2.0
    }
}

/// Draws lying bars; the drawing is as high as it has slots.
pub(crate) fn lying(page: &mut Markup, plot: &Plot) {
    let values = plot.slots.iter().filter_map(|slot| slot.value.as_ref());
    let valued = values.map(|value| value.chars().count()).max();
    let marks = ticks(largest(&plot.slots), 3);
    let full = marks.last().copied().unwrap_or(1.0);
    let area = Area::of(plot, full, valued);
    let axis = if valued.is_some() { 4.0 } else { AXIS };
    svg(page, plot, area.bottom + axis, |page| {
        if valued.is_none() {
            grid(page, plot, &area, &marks);
        }
        let base = format!("M{} 0V{}", At(area.left), At(area.bottom));
        page.shape("path", &[("class", &"base"), ("d", &base)]);
        outlines(page, plot, &FILL, |outline, slot, value, share| {
            bar(outline, &area, slot, value, share);
        });
        labels(page, plot, &area);
        for (slot, bin) in plot.slots.iter().enumerate() {
            let width = plot.size.width();
            pointer(page, &bin.detail, 0.0, area.y(slot), width, area.step);
        }
    });
}

fn grid(page: &mut Markup, plot: &Plot, area: &Area, marks: &[f64]) {
    for mark in marks {
        let x = area.x(*mark);
        let outline = format!("M{} 0V{}", At(x), At(area.bottom));
        page.shape("path", &[("class", &"grid"), ("d", &outline)]);
        page.leaf(
            "text",
            &[
                ("x", &At(x)),
                ("y", &At(area.bottom + 14.0)),
                ("class", &"middle"),
            ],
            (plot.axis)(*mark),
        );
    }
}

const FILL: Fill = Fill {
    before: 0.7,
    within: 0.36,
    alone: 0.6,
};

fn bar(outline: &mut String, area: &Area, slot: usize, value: f64, share: f64) {
    let height = area.step.min(26.0) * share;
    let top = area.y(slot) + (area.step - height) / 2.0;
    let right = area.x(value).max(area.left + 1.0);
    write!(
        outline,
        "M{} {}H{}V{}H{}Z",
        At(area.left),
        At(top),
        At(right),
        At(top + height),
        At(area.left)
    )
    .expect("a string takes every write");
}

fn labels(page: &mut Markup, plot: &Plot, area: &Area) {
    let most = ((area.left - 14.0) / plot.size.character()) as usize;
    for (slot, bin) in plot.slots.iter().enumerate() {
        let y = area.y(slot) + area.step / 2.0 + 4.0;
        page.leaf(
            "text",
            &[
                ("x", &At(area.left - 7.0)),
                ("y", &At(y)),
                ("class", &"end name"),
            ],
            shorten(&bin.label, most),
        );
        if let Some(value) = &bin.value {
            let longest = [bin.before, bin.after].into_iter().filter_map(drawn);
            let x = area.x(longest.fold(0.0, f64::max)) + 7.0;
            page.leaf("text", &[("x", &At(x)), ("y", &At(y))], value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Slot;
    use super::*;
    use crate::number;

    #[test]
    fn long_names_are_cut_but_told_in_full_when_pointed_at() {
        let name = "Chronic obstructive pulmonary disease";
        let plot = Plot {
            title: String::new(),
            description: String::new(),
            size: Size::Small,
            slots: vec![Slot {
                label: name.to_owned(),
                detail: name.to_owned(),
                after: Some(1.0),
                ..Slot::default()
            }],
            edges: Vec::new(),
            axis: number::number,
            threshold: None,
        };
        let mut page = Markup::default();
        lying(&mut page, &plot);
        let page = page.into_string();
        assert!(page.contains("Chronic obstructiv…"), "{page}");
        assert!(page.contains(&format!("<title>{name}</title>")));
    }
}
