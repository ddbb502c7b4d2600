//! Lines over the number of records, small enough to stand beside others.
//!
//! A curve may have a band around it, drawn pale, or two edges, drawn thin; so a
//! mean and its deviation are seen before and after in one drawing. Where a value
//! is not known the line is broken.

use super::{Size, bars, nothing, pointer};
use crate::axis::At;
use crate::markup::Markup;
use crate::number;
use std::fmt::Write;

/// Slices that show their detail when pointed at.
pub(crate) const SLICES: usize = 20;

/// What to draw.
pub(crate) struct Curves {
    /// Read aloud instead of the drawing.
    pub(crate) title: String,
    /// What there is to see in it.
    pub(crate) description: String,
    /// Writes a value at the axis.
    pub(crate) axis: fn(f64) -> String,
    /// Whether the axis begins at 0 rather than at the least value.
    pub(crate) from_zero: bool,
    /// Records at the right end.
    pub(crate) records: u64,
    /// The ones above others come last.
    pub(crate) curves: Vec<Curve>,
    /// Shown when pointed at: [`SLICES`] of them from left to right, or none.
    pub(crate) details: Vec<String>,
}

/// One line.
pub(crate) struct Curve {
    /// Of the line.
    pub(crate) class: &'static str,
    pub(crate) points: Vec<Point>,
    pub(crate) around: Around,
}

/// What is drawn at a distance from a curve.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Around {
    Nothing,
    /// A filled band.
    Band,
    /// A thin line on either side.
    Edges,
}

/// A value of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Records up to it.
    pub(crate) at: f64,
    /// None where it is not known.
    pub(crate) value: Option<f64>,
    /// Of the band or the edges.
    pub(crate) distance: f64,
}

impl Point {
    /// The value with `share` of the distance added; what cannot be drawn is none.
    fn offset(&self, share: f64) -> Option<f64> {
        let value = self.value?;
        let offset = match share {
            0.0 => value,
            _ => value + share * self.distance,
        };
        // Far from the largest double, so that ranges of it are finite.
        (offset.abs() < 1e300 && self.at.is_finite()).then_some(offset)
    }
}

/// The part of the drawing that holds the lines.
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    low: f64,
    high: f64,
    records: f64,
}

impl Area {
    fn of(plot: &Curves, marks: &[f64]) -> Self {
        let widest = marks.iter().map(|mark| (plot.axis)(*mark).chars().count());
        let gutter = widest.max().unwrap_or(0) as f64 * Size::Small.character();
        Area {
            left: gutter.min(0.3 * Size::Small.width()) + 10.0,
            right: Size::Small.width() - 8.0,
            top: 8.0,
            bottom: Size::Small.height() - 24.0,
            low: marks.first().copied().unwrap_or(0.0),
            high: marks.last().copied().unwrap_or(1.0),
            records: plot.records.max(1) as f64,
        }
    }

    fn x(&self, records: f64) -> f64 {
        let share = (records / self.records).clamp(0.0, 1.0);
        self.left + share * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - self.top)
    }
}

/// Draws the curves.
pub(crate) fn curves(page: &mut Markup, plot: &Curves) {
    let (width, height) = (Size::Small.width(), Size::Small.height());
    let view = format!("0 0 {} {}", At(width), At(height));
    let class = Size::Small.class();
    page.element(
        "svg",
        &[("class", &class), ("viewBox", &view), ("role", &"img")],
        |page| {
            page.leaf("title", &[], &plot.title);
            page.leaf("desc", &[], &plot.description);
            match range(plot) {
                Some((low, high)) => draw(page, plot, &ticks_between(low, high, 4)),
                None => nothing(page, width, height),
            }
        },
    );
}

/// The least and the largest value that is drawn.
fn range(plot: &Curves) -> Option<(f64, f64)> {
    let values = plot.curves.iter().flat_map(|curve| {
        let around = match curve.around {
            Around::Nothing => &[0.0][..],
            Around::Band | Around::Edges => &[0.0, -1.0, 1.0],
        };
        let points = curve.points.iter();
        points.flat_map(move |point| around.iter().filter_map(|share| point.offset(*share)))
    });
    let ends = values.map(|value| (value, value));
    let (low, high) = ends.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
    match plot.from_zero {
        true => Some((low.min(0.0), high.max(0.0))),
        false => Some((low, high)),
    }
}

/// Round values that enclose two, about `wanted` of them.
fn ticks_between(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let size = low.abs().max(high.abs());
    // A difference that no axis could tell is none.
    if high - low <= 1e-9 * size || high - low < f64::MIN_POSITIVE * 1e3 {
        return match size > 1e-280 {
            true => vec![low - size / 2.0, low, low + size / 2.0],
            false => vec![0.0, 1.0],
        };
    }
    let steps = super::ticks(high - low, wanted);
    let step = steps[1];
    let first = (low / step + 1e-9).floor();
    let last = (high / step - 1e-9).ceil();
    let count = (last - first).clamp(1.0, 20.0) as usize;
    (0..=count).map(|n| (first + n as f64) * step).collect()
}

fn draw(page: &mut Markup, plot: &Curves, marks: &[f64]) {
    let area = Area::of(plot, marks);
    let curves = || plot.curves.iter();
    for curve in curves().filter(|curve| curve.around == Around::Band) {
        bars(page, "band", &band(&area, &curve.points));
    }
    grid(page, plot, &area, marks);
    for curve in curves().filter(|curve| curve.around == Around::Edges) {
        let sides = [-1.0, 1.0].map(|share| line(&area, &curve.points, share));
        bars(page, "edge", &sides.concat());
    }
    for curve in curves() {
        bars(page, curve.class, &line(&area, &curve.points, 0.0));
    }
    records(page, &area);
    let width = (area.right - area.left) / SLICES as f64;
    for (slice, detail) in plot.details.iter().take(SLICES).enumerate() {
        let left = area.left + slice as f64 * width;
        pointer(page, detail, left, area.top, width, area.bottom - area.top);
    }
}

/// A line through the points with a share of their distance added.
fn line(area: &Area, points: &[Point], share: f64) -> String {
    let mut outline = String::new();
    for run in points.split(|point| point.offset(share).is_none()) {
        for (number, point) in run.iter().enumerate() {
            let y = area.y(point.offset(share).unwrap_or_default());
            let x = area.x(point.at);
            let step = if number == 0 { 'M' } else { 'L' };
            write!(outline, "{step}{} {}", At(x), At(y)).expect("a string takes every write");
            if run.len() == 1 {
                // A line of one point would be drawn as nothing.
                write!(outline, "h2").expect("a string takes every write");
            }
        }
    }
    outline
}

/// The outline between both sides of the points.
fn band(area: &Area, points: &[Point]) -> String {
    let known = |point: &Point| point.offset(1.0).is_some() && point.offset(-1.0).is_some();
    let mut outline = String::new();
    for run in points.split(|point| !known(point)) {
        let upper = run.iter().map(|point| (point, 1.0));
        let lower = run.iter().rev().map(|point| (point, -1.0));
        for (number, (point, share)) in upper.chain(lower).enumerate() {
            let y = area.y(point.offset(share).unwrap_or_default());
            let step = if number == 0 { 'M' } else { 'L' };
            write!(outline, "{step}{} {}", At(area.x(point.at)), At(y))
                .expect("a string takes every write");
        }
        if !run.is_empty() {
            outline.push('Z');
        }
    }
    outline
}

fn grid(page: &mut Markup, plot: &Curves, area: &Area, marks: &[f64]) {
    for mark in marks {
        let y = area.y(*mark);
        let lowest = *mark == area.low;
        let class = if lowest { "base" } else { "grid" };
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

/// The axis of records.
fn records(page: &mut Markup, area: &Area) {
    let marks = super::ticks(area.records, 3);
    for mark in marks.into_iter().filter(|mark| *mark <= area.records) {
        let x = area.x(mark);
        let outline = format!("M{} {}v4", At(x), At(area.bottom));
        page.shape("path", &[("class", &"tick"), ("d", &outline)]);
        let label = number::count(mark.round() as u64);
        let half = label.chars().count() as f64 * Size::Small.character() / 2.0;
        page.leaf(
            "text",
            &[
                ("x", &At(x.min(Size::Small.width() - half))),
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

    fn plot(values: &[Option<f64>], around: Around) -> Curves {
        let point = |(place, value): (usize, &Option<f64>)| Point {
            at: 10.0 * (place + 1) as f64,
            value: *value,
            distance: 1.0,
        };
        Curves {
            title: "t".to_owned(),
            description: "d".to_owned(),
            axis: number::number,
            from_zero: false,
            records: 10 * values.len() as u64,
            curves: vec![Curve {
                class: "line",
                points: values.iter().enumerate().map(point).collect(),
                around,
            }],
            details: vec![String::new(); SLICES],
        }
    }

    fn drawn(values: &[Option<f64>], around: Around) -> String {
        let mut page = Markup::default();
        curves(&mut page, &plot(values, around));
        page.into_string()
    }

    #[test]
    fn a_line_is_broken_where_a_value_is_not_known() {
        let page = drawn(&[Some(1.0), Some(2.0), None, Some(3.0)], Around::Nothing);
        let line = page.split("class=\"line\" d=\"").nth(1).expect("a line");
        let outline = line.split('"').next().expect("an outline");
        assert_eq!(outline.matches('M').count(), 2, "{outline}");
    }

    #[test]
    fn a_band_and_edges_are_drawn_when_asked_for() {
        for (around, class) in [(Around::Band, "band"), (Around::Edges, "edge")] {
            let page = drawn(&[Some(-1.0), Some(2.0)], around);
            assert!(page.contains(&format!("class=\"{class}\"")));
        }
        assert!(!drawn(&[Some(1.0)], Around::Nothing).contains("band"));
        assert!(drawn(&[None, None], Around::Band).contains("Nothing to show"));
    }

    #[test]
    fn odd_values_draw_only_finite_numbers() {
        for values in [
            &[][..],
            &[Some(f64::NAN), Some(f64::INFINITY)],
            &[Some(1e308), Some(-1e308), Some(1.0)],
            &[Some(1e299), Some(-1e299)],
            &[Some(5e-324), Some(0.0)],
            &[Some(0.0)],
            &[Some(7.0), Some(7.0)],
        ] {
            for around in [Around::Nothing, Around::Band, Around::Edges] {
                let page = drawn(values, around);
                assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
            }
        }
    }

    #[test]
    fn ticks_enclose_the_values() {
        for (low, high) in [
            (-3.2, 4.1),
            (0.0, 1.0),
            (99.5, 100.5),
            (-1e-9, 2e-9),
            (5.0, 5.0),
            (0.0, 0.0),
            (-7.0, -2.0),
            (1e12, 1e12 + 3.0),
        ] {
            let marks = ticks_between(low, high, 4);
            let (first, last) = (marks[0], marks[marks.len() - 1]);
            let slack = 1e-9 * low.abs().max(high.abs());
            assert!(first <= low + slack && last >= high - slack, "{marks:?}");
            assert!((2..=8).contains(&marks.len()), "{marks:?}");
        }
    }
}
