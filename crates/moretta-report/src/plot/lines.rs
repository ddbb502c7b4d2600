//! A line of steps over time, with the goal it should reach.

use super::area::Area;
use super::bars;
use crate::axis::At;
use crate::markup::Markup;
use std::fmt::Write;

/// Draws one value a span; where there is none the line ends and the panel is
/// hatched.
pub(super) fn draw(
    page: &mut Markup,
    area: &Area<'_>,
    values: &[Option<f64>],
    goal: Option<&(f64, String)>,
) {
    let known = |span: usize| {
        values
            .get(span)
            .copied()
            .flatten()
            .filter(|v| v.is_finite())
    };
    area.hatch(page, |span| known(span).is_none().then_some(area.bottom));
    let mut outline = String::new();
    let mut before = None;
    for span in 0..area.spans.len() {
        let here = known(span).map(|value| area.y(value));
        if let Some(y) = here {
            let (left, right) = area.across(span);
            step(
                &mut outline,
                before.filter(|_| area.joins(span)),
                left,
                right,
                y,
            );
        }
        before = here;
    }
    if let Some((value, label)) = goal.filter(|(value, _)| value.is_finite()) {
        aim(page, area, *value, label);
    }
    bars(page, "line", &outline);
}

/// One step, joined to the one before it if there is one.
fn step(outline: &mut String, before: Option<f64>, left: f64, right: f64, y: f64) {
    // A step of no length would be drawn as nothing.
    let right = right.max(left + 0.5);
    let written = match before {
        None => write!(outline, "M{} {}H{}", At(left), At(y), At(right)),
        Some(before) if before == y => write!(outline, "H{}", At(right)),
        Some(_) => write!(outline, "V{}H{}", At(y), At(right)),
    };
    written.expect("a string takes every write");
}

fn aim(page: &mut Markup, area: &Area<'_>, value: f64, label: &str) {
    let y = area.y(value);
    let outline = format!("M{} {}H{}", At(area.left()), At(y), At(area.right));
    page.shape("path", &[("class", &"goal"), ("d", &outline)]);
    page.leaf(
        "text",
        &[
            ("x", &At(area.right)),
            ("y", &At(area.top - 8.0)),
            ("class", &"end aim"),
        ],
        label,
    );
}
