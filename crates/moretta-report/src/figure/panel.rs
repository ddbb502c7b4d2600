//! A part of a drawing with two axes.

use super::drawing::{Align, Drawing, Tone};
use super::scale::Scale;

/// Where a panel is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Its left edge.
    pub left: f64,
    /// Its right edge.
    pub right: f64,
    /// Its upper edge, the lesser one.
    pub top: f64,
    /// Its lower edge.
    pub bottom: f64,
}

/// An axis: what it is of, and how its values are written.
pub struct Axis {
    /// What its values are; empty for no label.
    pub label: String,
    /// Where values lie on it.
    pub scale: Scale,
    /// About how many values are named.
    pub marks: usize,
    /// Writes a value.
    pub write: fn(f64) -> String,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// Its colour.
    pub tone: Tone,
    /// Dashes rather than a whole line.
    pub dashed: bool,
}

/// How a single value is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Its colour.
    pub tone: Tone,
    /// Half its width.
    pub radius: f64,
    /// A disc rather than a ring.
    pub filled: bool,
}

/// A part of a drawing with two axes.
pub struct Panel {
    /// Where it is.
    pub area: Area,
    /// What it shows, above it.
    pub title: String,
    /// The axis along the lower edge.
    pub x: Axis,
    /// The axis along the left edge.
    pub y: Axis,
}

impl Panel {
    /// Axes, values, names and lines across.
    pub fn frame(&self, drawing: &mut Drawing) {
        let Area {
            left,
            right,
            top,
            bottom,
        } = self.area;
        drawing.text((left, top - 10.0), Align::Start, "", &self.title);
        for mark in self.y.scale.marks(self.y.marks) {
            let y = self.y_of(mark).unwrap_or(bottom);
            drawing.path("grid", format_args!("M{left:.1} {y:.1}H{right:.1}"));
            let place = (left - 6.0, y + 4.0);
            drawing.text(place, Align::End, "muted", &(self.y.write)(mark));
        }
        for mark in self.x.scale.marks(self.x.marks) {
            let x = self.x_of(mark).unwrap_or(left);
            if !matches!(self.x.scale, Scale::Slots(_)) {
                drawing.path("grid", format_args!("M{x:.1} {top:.1}V{bottom:.1}"));
            }
            let place = (x, bottom + 16.0);
            drawing.text(place, Align::Middle, "muted", &(self.x.write)(mark));
        }
        let outline = format_args!("M{left:.1} {top:.1}V{bottom:.1}H{right:.1}");
        drawing.path("axis", outline);
        let place = (0.5 * (left + right), bottom + 33.0);
        drawing.text(place, Align::Middle, "muted", &self.x.label);
        let place = (left - 46.0, 0.5 * (top + bottom));
        drawing.upward(place, "muted", &self.y.label);
    }

    /// A line through points; those that cannot be shown are left out.
    pub fn line(&self, drawing: &mut Drawing, stroke: Stroke, points: &[(f64, f64)]) {
        let places: Vec<(f64, f64)> = points.iter().filter_map(|&at| self.place(at)).collect();
        let dashed = if stroke.dashed { " dashed" } else { "" };
        let class = format!("{} line{dashed}", stroke.tone.class());
        drawing.polyline(&class, &places);
    }

    /// A mark that tells its detail when it is pointed at.
    pub fn mark(&self, drawing: &mut Drawing, mark: Mark, at: (f64, f64), detail: &str) {
        let Some(place) = self.place(at) else { return };
        let class = match mark.filled {
            true => mark.tone.class(),
            false => format!("{} ring", mark.tone.class()),
        };
        drawing.circle(&class, place, mark.radius, detail);
    }

    /// Words above a place.
    pub fn words(&self, drawing: &mut Drawing, at: (f64, f64), words: &str) {
        if let Some((x, y)) = self.place(at) {
            drawing.text((x, y - 8.0), Align::Middle, "", words);
        }
    }

    /// A bar from one value to another.
    pub fn bar(&self, drawing: &mut Drawing, tone: Tone, x: f64, [from, to]: [f64; 2]) {
        if let (Some((x, from)), Some((_, to))) = (self.place((x, from)), self.place((x, to))) {
            let outline = format_args!("M{x:.1} {from:.1}V{to:.1}");
            drawing.path(&tone.class(), outline);
        }
    }

    /// A thick bar from the lower end up to a value.
    pub fn column(&self, drawing: &mut Drawing, tone: Tone, at: (f64, f64)) {
        if let Some((x, y)) = self.place(at) {
            let bottom = self.area.bottom;
            let outline = format_args!("M{x:.1} {bottom:.1}V{y:.1}");
            drawing.path(&format!("{} column", tone.class()), outline);
        }
    }

    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.x_of(x)?, self.y_of(y)?))
    }

    fn x_of(&self, value: f64) -> Option<f64> {
        let Area { left, right, .. } = self.area;
        Some(left + self.x.scale.share(value)? * (right - left))
    }

    fn y_of(&self, value: f64) -> Option<f64> {
        let Area { top, bottom, .. } = self.area;
        Some(bottom - self.y.scale.share(value)? * (bottom - top))
    }
}

#[cfg(test)]
mod tests {
    use super::super::scale::brief;
    use super::*;

    fn panel() -> Panel {
        let axis = |label: &str| Axis {
            label: label.to_owned(),
            scale: Scale::Linear {
                low: 0.0,
                high: 1.0,
            },
            marks: 4,
            write: brief,
        };
        Panel {
            area: Area {
                left: 100.0,
                right: 200.0,
                top: 50.0,
                bottom: 150.0,
            },
            title: "t".to_owned(),
            x: axis("x"),
            y: axis("y"),
        }
    }

    #[test]
    fn values_are_placed_from_the_lower_left() {
        let mut drawing = Drawing::new(300.0, 200.0, "");
        let stroke = Stroke {
            tone: Tone(1),
            dashed: true,
        };
        let points = [(0.0, 0.0), (f64::NAN, 0.5), (1.0, 0.25)];
        panel().line(&mut drawing, stroke, &points);
        let svg = drawing.finish();
        assert!(svg.contains("points=\"100,150 200,125\""), "{svg}");
        assert!(svg.contains("class=\"t1 line dashed\""), "{svg}");
    }

    #[test]
    fn what_cannot_be_shown_is_not_drawn() {
        let mut drawing = Drawing::new(300.0, 200.0, "");
        let mark = Mark {
            tone: Tone(0),
            radius: 3.0,
            filled: true,
        };
        panel().frame(&mut drawing);
        panel().mark(&mut drawing, mark, (f64::NAN, 0.0), "");
        panel().bar(&mut drawing, Tone(0), 0.5, [0.0, f64::INFINITY]);
        panel().words(&mut drawing, (0.5, f64::NAN), "nowhere");
        let svg = drawing.finish();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(
            !svg.contains("<circle") && !svg.contains("nowhere"),
            "{svg}"
        );
    }
}
