//! Charts as inline SVG.
//!
//! A [`Plot`] is a row of slots, each with a value before, after or both; the
//! value before is drawn pale and wide, the value after strong and narrow over
//! it, so that both are seen whichever is larger. [`upright()`] suits ordered
//! bins, [`lying()`] suits names. A [`Timeline`] shows what changes: lines and bands
//! over time; [`Curves`] small lines over the number of records. Colours come from the style sheet by class, so
//! one drawing serves light, dark and print. Values that are not finite are
//! drawn as nothing.

mod area;
mod bands;
mod calendar;
mod curves;
mod lines;
mod lying;
mod timeline;
mod upright;

use crate::axis::{At, round_step};
use crate::markup::Markup;
use std::fmt::Write;

pub(super) use area::Span;
pub(super) use bands::{BANDS, Stack};
pub(super) use calendar::date_and_time;
pub(super) use curves::{Around, Curve, Curves, Point as CurvePoint, SLICES, curves};
pub(super) use lying::lying;
pub(super) use timeline::{Panel, Shape, Timeline, timeline};
pub(super) use upright::upright;

/// What to draw.
pub(super) struct Plot {
    /// Read aloud instead of the drawing.
    pub(super) title: String,
    /// What there is to see in it.
    pub(super) description: String,
    /// Small for one of many, wide for a figure of its own.
    pub(super) size: Size,
    /// The bars, in order.
    pub(super) slots: Vec<Slot>,
    /// What the borders of slots are called, one more than there are slots, where bars stand
    /// for intervals; then these are written instead of the labels. Upright plots only.
    pub(super) edges: Vec<String>,
    /// Writes a value at the axis.
    pub(super) axis: fn(f64) -> String,
    /// Where the promise lies; upright plots only.
    pub(super) threshold: Option<Threshold>,
}

/// One place on the axis.
#[derive(Default)]
pub(super) struct Slot {
    /// Under or beside the bar.
    pub(super) label: String,
    /// Shown when pointed at.
    pub(super) detail: String,
    pub(super) before: Option<f64>,
    pub(super) after: Option<f64>,
    /// Written at the end of the bar; lying plots only.
    pub(super) value: Option<String>,
    /// Breaks a promise.
    pub(super) alarm: bool,
    /// There is a value and it is not told; upright plots only.
    pub(super) hidden: bool,
    /// Drawn in the colour of this class rather than in that of what is after.
    pub(super) colour: Option<&'static str>,
}

/// A line between two slots with a forbidden side.
pub(super) struct Threshold {
    /// The line is drawn before this slot.
    pub(super) slot: usize,
    pub(super) label: String,
    pub(super) forbidden: Side,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Small,
    Wide,
}

impl Size {
    fn class(self) -> &'static str {
        match self {
            Size::Small => "plot small",
            Size::Wide => "plot wide",
        }
    }

    fn width(self) -> f64 {
        match self {
            Size::Small => 320.0,
            Size::Wide => 500.0,
        }
    }

    fn height(self) -> f64 {
        match self {
            Size::Small => 190.0,
            Size::Wide => 260.0,
        }
    }

    /// Of a character, at the largest font the style sheet gives to this size.
    fn character(self) -> f64 {
        match self {
            Size::Small => 6.6,
            Size::Wide => 8.4,
        }
    }
}

/// How high everything is hatched that is not told: one height for all, as any other would
/// tell, or seem to tell, how much it is.
const HATCHED: f64 = 14.0;

/// Between the lines that hatch.
const HATCH: f64 = 4.0;

/// Lines from `bottom` up between `left` and `right`.
fn hatch(lines: &mut String, left: f64, right: f64, bottom: f64) {
    let mut x = (left / HATCH).ceil() * HATCH;
    while x <= right {
        write!(lines, "M{} {}V{}", At(x), At(bottom), At(bottom - HATCHED))
            .expect("a string takes every write");
        x += HATCH;
    }
}

/// The largest value in the plot, 0 when it has none.
fn largest(slots: &[Slot]) -> f64 {
    slots
        .iter()
        .flat_map(|slot| [slot.before, slot.after])
        .flatten()
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max)
}

/// What of a value can be drawn.
fn drawn(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value > 0.0)
}

/// Round values from 0 to at least `largest`, about `wanted` of them, in steps
/// of 1, 2 or 5 times a power of ten.
fn ticks(largest: f64, wanted: usize) -> Vec<f64> {
    let drawable = largest > f64::MIN_POSITIVE * 1e3;
    let Some(step) = round_step(largest, wanted).filter(|_| drawable) else {
        return vec![0.0, 1.0];
    };
    let last = (largest / step - 1e-9).ceil() as usize;
    (0..=last).map(|tick| tick as f64 * step).collect()
}

/// The label cut to `characters`, with an ellipsis.
fn shorten(label: &str, characters: usize) -> String {
    if label.chars().count() <= characters {
        return label.to_owned();
    }
    let kept: String = label.chars().take(characters.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

fn svg(page: &mut Markup, plot: &Plot, height: f64, content: impl FnOnce(&mut Markup)) {
    let view = format!("0 0 {} {}", At(plot.size.width()), At(height));
    page.element(
        "svg",
        &[
            ("class", &plot.size.class()),
            ("viewBox", &view),
            ("role", &"img"),
        ],
        |page| {
            page.leaf("title", &[], &plot.title);
            page.leaf("desc", &[], &plot.description);
            if plot.slots.is_empty() {
                nothing(page, plot.size.width(), height);
            } else {
                content(page);
            }
        },
    );
}

fn nothing(page: &mut Markup, width: f64, height: f64) {
    page.leaf(
        "text",
        &[
            ("x", &At(width / 2.0)),
            ("y", &At(height / 2.0)),
            ("class", &"middle"),
        ],
        "Nothing to show",
    );
}

/// An area over a slot that shows its detail when pointed at.
fn pointer(page: &mut Markup, detail: &str, x: f64, y: f64, width: f64, height: f64) {
    page.element(
        "rect",
        &[
            ("class", &"pointer"),
            ("x", &At(x)),
            ("y", &At(y)),
            ("width", &At(width)),
            ("height", &At(height)),
        ],
        |page| page.leaf("title", &[], detail),
    );
}

/// How much of its slot a bar fills.
struct Fill {
    /// Before.
    before: f64,
    /// After, drawn within before.
    within: f64,
    /// After, where there is no before.
    alone: f64,
}

/// All bars of a plot; `bar` adds the outline of one to a path: slot, value, and
/// how much of the slot it fills.
fn outlines(
    page: &mut Markup,
    plot: &Plot,
    fill: &Fill,
    bar: impl Fn(&mut String, usize, f64, f64),
) {
    let paired = plot.slots.iter().any(|slot| drawn(slot.before).is_some());
    let narrow = if paired { fill.within } else { fill.alone };
    let (mut before, mut after, mut alarm) = (String::new(), String::new(), String::new());
    for (slot, bin) in plot.slots.iter().enumerate() {
        if let Some(value) = drawn(bin.before) {
            bar(&mut before, slot, value, fill.before);
        }
        if let Some(value) = drawn(bin.after) {
            let outline = match bin.colour {
                Some(class) => {
                    let mut outline = String::new();
                    bar(&mut outline, slot, value, narrow);
                    bars(page, class, &outline);
                    continue;
                }
                None if bin.alarm => &mut alarm,
                None => &mut after,
            };
            bar(outline, slot, value, narrow);
        }
    }
    bars(page, "before", &before);
    bars(page, "after", &after);
    bars(page, "alarm", &alarm);
}

/// All shapes of one kind as one path, which keeps pages with many plots small.
fn bars(page: &mut Markup, class: &'static str, outline: &str) {
    if !outline.is_empty() {
        page.shape("path", &[("class", &class), ("d", &outline)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    fn plot(values: &[f64], size: Size) -> Plot {
        let slots = values.iter().map(|value| Slot {
            label: "a rather long label of a bin".to_owned(),
            before: Some(*value),
            after: Some(*value),
            value: Some(String::new()),
            ..Slot::default()
        });
        Plot {
            title: "t".to_owned(),
            description: "d".to_owned(),
            size,
            slots: slots.collect(),
            edges: Vec::new(),
            axis: number::number,
            threshold: Some(Threshold {
                slot: 1,
                label: "k".to_owned(),
                forbidden: Side::Right,
            }),
        }
    }

    #[test]
    fn ticks_are_round_and_cover_the_data() {
        let check = |largest: f64, expected: &[f64]| {
            let found = ticks(largest, 4);
            assert_eq!(found.len(), expected.len(), "{largest}: {found:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9, "{largest}");
            }
        };
        check(0.0, &[0.0, 1.0]);
        check(f64::NAN, &[0.0, 1.0]);
        check(-3.0, &[0.0, 1.0]);
        check(4.0, &[0.0, 1.0, 2.0, 3.0, 4.0]);
        check(7.3, &[0.0, 2.0, 4.0, 6.0, 8.0]);
        check(0.31, &[0.0, 0.1, 0.2, 0.3, 0.4]);
        check(190.0, &[0.0, 50.0, 100.0, 150.0, 200.0]);
    }

    #[test]
    fn ticks_are_few_for_any_size() {
        for exponent in -300..300 {
            let largest = 3.7 * 10f64.powi(exponent);
            let found = ticks(largest, 4);
            assert!((2..=6).contains(&found.len()), "{largest:e}");
            let last = found.last().expect("there are at least two");
            assert!(*last >= largest * 0.999_999);
        }
    }

    #[test]
    fn degenerate_values_draw_only_finite_numbers() {
        for values in [
            &[][..],
            &[0.0, 0.0],
            &[f64::NAN, f64::INFINITY, -1.0],
            &[1e308, 1e308],
            &[5e-324],
        ] {
            for size in [Size::Small, Size::Wide] {
                for draw in [upright, lying] {
                    let mut page = Markup::default();
                    draw(&mut page, &plot(values, size));
                    let page = page.into_string();
                    assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
                }
            }
        }
    }

    #[test]
    fn long_labels_are_cut_by_characters_not_bytes() {
        assert_eq!(shorten("kurz", 4), "kurz");
        assert_eq!(shorten("längere Wörter", 8), "längere…");
    }
}
