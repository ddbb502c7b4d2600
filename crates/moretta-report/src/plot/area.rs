//! The place of a panel in a time line, and of values in it.

use super::{HATCH, HATCHED, bars, hatch};
use crate::axis::At;
use crate::markup::Markup;
use std::fmt::Write;

/// For the values at the left.
pub(super) const LEFT: f64 = 64.0;

/// A piece of time, in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// Shown when pointed at.
    pub(crate) detail: String,
}

/// The part of the drawing that belongs to one panel.
pub(super) struct Area<'a> {
    pub(super) spans: &'a [Span],
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    /// The value at the top.
    pub(super) full: f64,
}

impl Area<'_> {
    pub(super) fn left(&self) -> f64 {
        LEFT
    }

    /// Where a span begins and ends.
    pub(super) fn across(&self, span: usize) -> (f64, f64) {
        let Span { from, to, .. } = self.spans[span];
        (self.x(from), self.x(to))
    }

    pub(super) fn x(&self, time: i64) -> f64 {
        let from = self.spans.first().map_or(0, |span| span.from) as f64;
        let to = self.spans.last().map_or(0, |span| span.to) as f64;
        let share = (time as f64 - from) / (to - from);
        let share = if share.is_finite() { share } else { 0.0 };
        LEFT + share.clamp(0.0, 1.0) * (self.right - LEFT)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom - (value / self.full).clamp(0.0, 1.0) * (self.bottom - self.top)
    }

    /// Whether a span begins where the one before it ends.
    pub(super) fn joins(&self, span: usize) -> bool {
        span > 0 && self.spans[span - 1].to == self.spans[span].from
    }

    /// Hatches the spans that `bottom_of` gives a place to, from there up; a narrow one by
    /// itself still gets a line.
    pub(super) fn hatch(&self, page: &mut Markup, bottom_of: impl Fn(usize) -> Option<f64>) {
        let (mut ground, mut lines) = (String::new(), String::new());
        for span in 0..self.spans.len() {
            let Some(bottom) = bottom_of(span) else {
                continue;
            };
            let (left, right) = self.across(span);
            write!(
                ground,
                "M{} {}H{}V{}H{}Z",
                At(left),
                At(bottom),
                At(right),
                At(bottom - HATCHED),
                At(left)
            )
            .expect("a string takes every write");
            let first = (left / HATCH).ceil() * HATCH;
            if first >= right && !(self.joins(span) && bottom_of(span - 1).is_some()) {
                let middle = f64::midpoint(left, right);
                hatch(&mut lines, middle, middle + HATCH, bottom);
            } else {
                hatch(&mut lines, left, right, bottom);
            }
        }
        bars(page, "ground", &ground);
        bars(page, "hatch", &lines);
    }
}
