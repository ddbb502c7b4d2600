//! Counts over time, piled upon one another by kind.
//!
//! Each band is drawn from the bottom up to its own top and the ones below it are
//! drawn over it, which takes half the coordinates of drawing each by itself.

use super::area::Area;
use super::bars;
use crate::axis::At;
use crate::markup::Markup;
use std::fmt::Write;

/// Kinds that have a colour of their own; the style sheet has as many.
pub(crate) const BANDS: [&str; 6] = [
    "level-0", "level-1", "level-2", "level-3", "level-4", "level-5",
];

/// What one span holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stack {
    /// What is known of each kind, from the bottom up.
    pub(crate) parts: Vec<f64>,
    /// On top of them.
    pub(crate) suppressed: f64,
    /// Everything; none when that is not known.
    pub(crate) total: Option<f64>,
    /// Some of it is not known.
    pub(crate) hidden: bool,
}

impl Stack {
    /// Up to which height parts are known; `kinds` of them.
    fn known(&self, kinds: usize) -> f64 {
        self.parts.iter().take(kinds).copied().map(finite).sum()
    }

    /// What must be there although nothing of it is known.
    fn rest(&self) -> f64 {
        let known = self.known(usize::MAX) + finite(self.suppressed);
        let rest = self.total.map_or(0.0, |total| finite(total) - known);
        if self.hidden { rest.max(0.0) } else { 0.0 }
    }

    fn height(&self) -> f64 {
        self.known(usize::MAX) + self.rest() + finite(self.suppressed)
    }
}

fn finite(value: f64) -> f64 {
    if value.is_finite() {
        value.max(0.0)
    } else {
        0.0
    }
}

/// The height of the highest stack.
pub(super) fn largest(stacks: &[Stack]) -> f64 {
    let heights = stacks.iter().map(|stack| {
        let total = stack.total.map_or(0.0, finite);
        stack.height().max(total)
    });
    heights.fold(0.0, f64::max)
}

/// Draws one stack a span. What is hidden is hatched above the known parts, to one height
/// however much it is; so is a span whose total is hidden.
pub(super) fn draw(page: &mut Markup, area: &Area<'_>, stacks: &[Stack]) {
    let stacks = &stacks[..stacks.len().min(area.spans.len())];
    let open = |span: usize| stacks.get(span).is_none_or(|stack| stack.total.is_none());
    area.hatch(page, |span| open(span).then_some(area.bottom));
    let top = |height: f64| area.y(height);
    band(page, area, "suppressed", stacks, |stack| {
        (stack.suppressed > 0.0).then(|| top(stack.height()))
    });
    area.hatch(page, |span| {
        let stack = stacks.get(span).filter(|stack| stack.rest() > 0.0)?;
        Some(top(stack.known(usize::MAX)))
    });
    let kinds = stacks.iter().map(|stack| stack.parts.len()).max();
    for kind in (0..kinds.unwrap_or(0)).rev() {
        let class = BANDS[kind.min(BANDS.len() - 1)];
        band(page, area, class, stacks, |stack| {
            let part = stack.parts.get(kind).copied().map_or(0.0, finite);
            (part > 0.0).then(|| top(stack.known(kind + 1)))
        });
    }
    outline(page, area, stacks);
}

/// One band as one path: steps along the tops, down to the bottom where it ends.
fn band(
    page: &mut Markup,
    area: &Area<'_>,
    class: &'static str,
    stacks: &[Stack],
    top: impl Fn(&Stack) -> Option<f64>,
) {
    let mut outline = String::new();
    let mut open = false;
    for (span, stack) in stacks.iter().enumerate() {
        let top = top(stack);
        if open && (top.is_none() || !area.joins(span)) {
            close(&mut outline, area);
            open = false;
        }
        if let Some(top) = top {
            let (left, right) = area.across(span);
            if !open {
                write!(outline, "M{} {}", At(left), At(area.bottom))
                    .expect("a string takes every write");
            }
            write!(outline, "V{}H{}", At(top), At(right.max(left + 0.5)))
                .expect("a string takes every write");
            open = true;
        }
    }
    if open {
        close(&mut outline, area);
    }
    bars(page, class, &outline);
}

fn close(outline: &mut String, area: &Area<'_>) {
    write!(outline, "V{}Z", At(area.bottom)).expect("a string takes every write");
}

/// The totals, where they are known.
fn outline(page: &mut Markup, area: &Area<'_>, stacks: &[Stack]) {
    let mut outline = String::new();
    let mut joined = false;
    for (span, stack) in stacks.iter().enumerate() {
        let Some(total) = stack.total else {
            joined = false;
            continue;
        };
        let ((left, right), y) = (area.across(span), area.y(finite(total)));
        let written = if joined && area.joins(span) {
            write!(outline, "V{}H{}", At(y), At(right))
        } else {
            write!(outline, "M{} {}H{}", At(left), At(y), At(right))
        };
        written.expect("a string takes every write");
        joined = true;
    }
    bars(page, "total", &outline);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_fills_what_the_total_leaves() {
        let check = |parts: &[f64], suppressed: f64, total, hidden, expected: f64| {
            let stack = Stack {
                parts: parts.to_vec(),
                suppressed,
                total,
                hidden,
            };
            assert_eq!(stack.rest(), expected, "{stack:?}");
        };
        check(&[50.0, 30.0], 12.0, Some(100.0), true, 8.0);
        check(&[50.0, 30.0], 12.0, Some(100.0), false, 0.0);
        check(&[50.0, 30.0], 12.0, Some(80.0), true, 0.0);
        check(&[50.0], 12.0, None, true, 0.0);
        check(&[f64::NAN], -1.0, Some(5.0), true, 5.0);
    }
}
