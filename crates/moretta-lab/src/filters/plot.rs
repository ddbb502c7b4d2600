//! The results as drawings: one SVG for each table, risk above loss.
//!
//! The horizontal axis is the parameter that the table sweeps (a, k or p), its
//! values equally spaced. There is a colour for each b, a line for each side
//! (dashed from the second on) and a ring for each printed figure; with
//! repeats a bar shows the confidence interval. Loss is on a logarithmic scale.

use super::point::Method;
use super::results::{Line, Runs};
use super::sides::SIDES;
use crate::interval::Interval;
use moretta_report::figure::{Align, Area, Axis, Drawing, Mark, Panel, Scale, Stroke, Tone, brief};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 640.0;
const RIGHT: f64 = WIDTH - 110.0;
/// Top and bottom of the two panels.
const PANELS: [(f64, f64); 2] = [(60.0, 300.0), (360.0, 590.0)];

/// The name and the text of each drawing.
pub(crate) fn plots(lines: &[Line]) -> Vec<(String, String)> {
    lines
        .chunk_by(|a, b| a.point.table == b.point.table)
        .map(|table| {
            let name = format!("table-{}.svg", table[0].point.table);
            (name, drawing(table))
        })
        .collect()
}

/// The swept parameter and the buffer of a method, 0 when it has none.
fn coordinates(method: Method) -> (f64, usize) {
    match method {
        Method::Noise { a } => (a, 0),
        Method::RankSwapping { p, b } => (p as f64, b),
        Method::Microaggregation { k, b } | Method::DifferentialPrivacy { k, b, .. } => {
            (k as f64, b)
        }
    }
}

/// The name of the swept parameter.
fn swept(method: Method) -> &'static str {
    match method {
        Method::Noise { .. } => "a",
        Method::RankSwapping { .. } => "p",
        Method::Microaggregation { .. } | Method::DifferentialPrivacy { .. } => "k",
    }
}

/// What a panel shows of a line.
#[derive(Clone, Copy)]
enum Measure {
    Risk,
    Loss,
}

impl Measure {
    fn label(self) -> &'static str {
        match self {
            Measure::Risk => "disclosure risk",
            Measure::Loss => "information loss",
        }
    }

    fn printed(self, line: &Line) -> f64 {
        match self {
            Measure::Risk => line.point.risk.value,
            Measure::Loss => line.point.loss.value,
        }
    }

    fn first(self, runs: &Runs) -> f64 {
        match self {
            Measure::Risk => runs.first().risk,
            Measure::Loss => runs.first().loss,
        }
    }

    fn interval(self, runs: &Runs) -> Option<Interval> {
        match self {
            Measure::Risk => runs.risk(),
            Measure::Loss => runs.loss(),
        }
    }

    fn axis(self, table: &[Line]) -> Axis {
        let values = table.iter().flat_map(|line| {
            let ours = line.columns.iter().map(|runs| self.first(runs));
            ours.chain([self.printed(line)])
        });
        let (scale, write): (Scale, fn(f64) -> String) = match self {
            Measure::Risk => (Scale::linear(values.chain([0.0]), [0.0, 1.0]), brief),
            Measure::Loss => (Scale::logarithmic(values), scientific),
        };
        Axis {
            label: String::new(),
            scale,
            marks: 4,
            write,
        }
    }
}

fn scientific(value: f64) -> String {
    super::figure::scientific(value, 1)
}

fn drawing(table: &[Line]) -> String {
    let mut drawing = Drawing::new(WIDTH, HEIGHT, &title(table));
    for (measure, (top, bottom)) in [Measure::Risk, Measure::Loss].into_iter().zip(PANELS) {
        let area = Area {
            left: 80.0,
            right: RIGHT,
            top,
            bottom,
        };
        draw(&mut drawing, &panel(table, measure, area), table, measure);
    }
    legend(&mut drawing, table);
    drawing.finish()
}

fn title(table: &[Line]) -> String {
    let point = &table[0].point;
    let filter = match point.method {
        Method::DifferentialPrivacy { epsilon, .. } => {
            format!("differential privacy, ε = {epsilon}")
        }
        method => method.name().replace('_', " "),
    };
    let (name, stream) = (&point.table, point.stream.name());
    format!("Table {name}: {filter} on {stream} (rings: printed, dashes: ours)")
}

fn buffers(table: &[Line]) -> Vec<usize> {
    let mut all: Vec<usize> = table
        .iter()
        .map(|l| coordinates(l.point.method).1)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The tone of the lines with the nth b.
fn tone(index: usize) -> Tone {
    Tone(index + 1)
}

fn legend(drawing: &mut Drawing, table: &[Line]) {
    let entries = buffers(table).into_iter().filter(|&b| b > 0).enumerate();
    for (index, b) in entries {
        let place = (RIGHT + 15.0, PANELS[0].0 + 10.0 + 18.0 * index as f64);
        let class = tone(index).class();
        drawing.text(place, Align::Start, &class, &format!("b = {b}"));
    }
}

fn panel(table: &[Line], measure: Measure, area: Area) -> Panel {
    let swept_values = table.iter().map(|line| coordinates(line.point.method).0);
    let x = Axis {
        label: swept(table[0].point.method).to_owned(),
        scale: Scale::slots(swept_values),
        marks: table.len(),
        write: brief,
    };
    Panel {
        area,
        title: measure.label().to_owned(),
        x,
        y: measure.axis(table),
    }
}

fn draw(drawing: &mut Drawing, panel: &Panel, table: &[Line], measure: Measure) {
    panel.frame(drawing);
    for (index, b) in buffers(table).into_iter().enumerate() {
        let of_b = |line: &&Line| coordinates(line.point.method).1 == b;
        let lines: Vec<&Line> = table.iter().filter(of_b).collect();
        rings(drawing, panel, &lines, measure, tone(index));
        for side in 0..SIDES.len() {
            curve(drawing, panel, &lines, measure, (side, tone(index)));
        }
    }
}

fn rings(drawing: &mut Drawing, panel: &Panel, lines: &[&Line], measure: Measure, tone: Tone) {
    let mark = Mark {
        tone,
        radius: 5.0,
        filled: false,
    };
    for line in lines {
        let at = (coordinates(line.point.method).0, measure.printed(line));
        panel.mark(drawing, mark, at, &format!("printed {}", at.1));
    }
}

fn curve(
    drawing: &mut Drawing,
    panel: &Panel,
    lines: &[&Line],
    measure: Measure,
    (side, tone): (usize, Tone),
) {
    let mut points = Vec::new();
    for line in lines {
        let name = SIDES[side].name;
        let Some(runs) = line.columns.iter().find(|runs| runs.side.name == name) else {
            continue;
        };
        let x = coordinates(line.point.method).0;
        points.push((x, measure.first(runs)));
        if let Some(Interval { mean, reach }) = measure.interval(runs) {
            // What lies below everything ends at the lower edge, also of a logarithm.
            let low = (mean - reach).max(f64::MIN_POSITIVE);
            panel.bar(drawing, tone, x, [low, mean + reach]);
        }
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let dashed = side > 0;
    panel.line(drawing, Stroke { tone, dashed }, &points);
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::line;
    use super::*;

    #[test]
    fn a_table_is_one_drawing_with_a_ring_for_each_printed_figure() {
        let lines: Vec<Line> = [(3, 100), (5, 100), (3, 250), (5, 250)]
            .into_iter()
            .map(|(k, b)| {
                let method = Method::Microaggregation { k, b };
                line(method, ("0.2", "7e4"), &[(0.2, 7e4), (0.21, 7.1e4)])
            })
            .collect();
        let drawings = plots(&lines);
        assert_eq!(drawings.len(), 1);
        let (name, svg) = &drawings[0];
        assert_eq!(name, "table-A.3.svg");
        assert_eq!(svg.matches("<circle").count(), 8);
        // Risk and loss, of two buffers, on the only side.
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert_eq!(svg.matches("b = ").count(), 2);
        assert!(!svg.contains("NaN"), "{svg}");
    }
}
