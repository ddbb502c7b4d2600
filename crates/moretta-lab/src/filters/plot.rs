//! The results as drawings: one SVG for each table, risk above loss.
//!
//! The horizontal axis is the parameter that the table sweeps (a, k or p), its
//! values equally spaced. There is a colour for each b, a line for each side
//! (dashed from the second on) and a ring for each printed figure; with
//! repeats a bar shows the confidence interval. Loss is on a logarithmic scale.

use super::point::Method;
use super::results::{Line, Runs};
use crate::interval::Interval;
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 640.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = WIDTH - 110.0;
/// Top and bottom of the two panels.
const PANELS: [(f64, f64); 2] = [(50.0, 300.0), (350.0, 590.0)];
const COLOURS: [&str; 4] = ["#1b6ca8", "#c8553d", "#3a7d44", "#7d4f9e"];

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

    /// Position on the scale.
    fn scaled(self, value: f64) -> f64 {
        match self {
            Measure::Risk => value,
            Measure::Loss => value.max(f64::MIN_POSITIVE).log10(),
        }
    }

    fn unscaled(self, position: f64) -> String {
        match self {
            Measure::Risk => format!("{position:.3}"),
            Measure::Loss => super::figure::scientific(10_f64.powf(position), 1),
        }
    }
}

fn drawing(table: &[Line]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        title(table)
    );
    for (measure, span) in [Measure::Risk, Measure::Loss].into_iter().zip(PANELS) {
        Panel::new(table, measure, span).draw(&mut svg);
    }
    legend(table, &mut svg);
    svg + "</svg>\n"
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

fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

fn legend(table: &[Line], svg: &mut String) {
    let entries = buffers(table).into_iter().filter(|&b| b > 0).enumerate();
    for (index, b) in entries {
        let y = PANELS[0].0 + 10.0 + 18.0 * index as f64;
        let (x, fill) = (RIGHT + 15.0, colour(index));
        add(
            svg,
            format_args!("<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\">b = {b}</text>"),
        );
    }
}

fn add(svg: &mut String, element: std::fmt::Arguments<'_>) {
    writeln!(svg, "{element}").expect("a string takes every write");
}

struct Panel<'a> {
    table: &'a [Line],
    measure: Measure,
    /// The values of the swept parameter.
    values: Vec<f64>,
    top: f64,
    bottom: f64,
    low: f64,
    high: f64,
}

impl<'a> Panel<'a> {
    fn new(table: &'a [Line], measure: Measure, (top, bottom): (f64, f64)) -> Self {
        let mut values: Vec<f64> = table
            .iter()
            .map(|l| coordinates(l.point.method).0)
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for line in table {
            let ours = line.columns.iter().map(|runs| measure.first(runs));
            for value in ours.chain([measure.printed(line)]) {
                low = low.min(measure.scaled(value));
                high = high.max(measure.scaled(value));
            }
        }
        if matches!(measure, Measure::Risk) {
            (low, high) = (0.0, high.max(1e-3));
        }
        // Losses that are all alike still get a scale that can be read.
        let least = if low == 0.0 { 0.0 } else { 0.05 };
        let margin = ((high - low) * 0.05).max(least);
        Panel {
            table,
            measure,
            values,
            top,
            bottom,
            low: if low == 0.0 { 0.0 } else { low - margin },
            high: high + margin,
        }
    }

    fn x(&self, value: f64) -> f64 {
        let place = self.values.partition_point(|&other| other < value) as f64;
        LEFT + (RIGHT - LEFT) * (place + 0.5) / self.values.len() as f64
    }

    fn y(&self, value: f64) -> f64 {
        let share = (self.measure.scaled(value) - self.low) / (self.high - self.low);
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - self.top)
    }

    fn draw(&self, svg: &mut String) {
        self.axes(svg);
        for (index, b) in buffers(self.table).into_iter().enumerate() {
            let of_b = |line: &&Line| coordinates(line.point.method).1 == b;
            let lines: Vec<&Line> = self.table.iter().filter(of_b).collect();
            self.rings(svg, &lines, colour(index));
            for side in 0..super::sides::SIDES.len() {
                self.curve(svg, &lines, side, colour(index));
            }
        }
    }

    fn axes(&self, svg: &mut String) {
        let (top, bottom) = (self.top, self.bottom);
        add(
            svg,
            format_args!(
                "<path d=\"M{LEFT} {top}V{bottom}H{RIGHT}\" fill=\"none\" stroke=\"#444\"/>\n\
                 <text x=\"{LEFT}\" y=\"{:.1}\">{}</text>",
                top - 8.0,
                self.measure.label()
            ),
        );
        for step in 0..=4 {
            let share = f64::from(step) / 4.0;
            let y = bottom - share * (bottom - top);
            let label = self
                .measure
                .unscaled(self.low + share * (self.high - self.low));
            add(
                svg,
                format_args!(
                    "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                    LEFT - 6.0,
                    y + 4.0
                ),
            );
        }
        let (x, y) = (RIGHT + 15.0, bottom + 16.0);
        let swept = swept(self.table[0].point.method);
        add(
            svg,
            format_args!("<text x=\"{x}\" y=\"{y}\">{swept}</text>"),
        );
        for &value in &self.values {
            let x = self.x(value);
            add(
                svg,
                format_args!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{value}</text>"),
            );
        }
    }

    fn rings(&self, svg: &mut String, lines: &[&Line], colour: &str) {
        for line in lines {
            let x = self.x(coordinates(line.point.method).0);
            let y = self.y(self.measure.printed(line));
            add(
                svg,
                format_args!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"none\" stroke=\"{colour}\"/>"
                ),
            );
        }
    }

    fn curve(&self, svg: &mut String, lines: &[&Line], side: usize, colour: &str) {
        let mut places = Vec::new();
        for line in lines {
            let side = super::sides::SIDES[side].name;
            let Some(runs) = line.columns.iter().find(|runs| runs.side.name == side) else {
                continue;
            };
            let x = self.x(coordinates(line.point.method).0);
            places.push((x, self.y(self.measure.first(runs))));
            if let Some(Interval { mean, reach }) = self.measure.interval(runs) {
                let (low, high) = (self.y(mean - reach), self.y(mean + reach));
                add(
                    svg,
                    format_args!("<path d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{colour}\"/>"),
                );
            }
        }
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let points: Vec<String> = places
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let dashes = if side == 0 { "none" } else { "5 3" };
        add(
            svg,
            format_args!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\"/>",
                points.join(" ")
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::line;
    use super::super::sides::SIDES;
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
        // Risk and loss, of two buffers, on each side.
        assert_eq!(svg.matches("<polyline").count(), 4 * SIDES.len());
        assert_eq!(svg.matches("b = ").count(), 2);
        assert!(!svg.contains("NaN"), "{svg}");
    }
}
