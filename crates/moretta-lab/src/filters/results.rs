//! Runs the grid and judges what comes out.

use super::estimators::Outcome;
use super::point::{Point, Seeds};
use super::sides::{SIDES, Side};
use crate::interval::Interval;
use moretta::Result;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How far a figure may be off.
const TOLERANCE: f64 = 0.01;

/// A line of the tables with the runs of each side.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) point: Point,
    pub(crate) columns: Vec<Runs>,
}

/// What a side gave for a line.
#[derive(Debug)]
pub(crate) struct Runs {
    pub(crate) side: &'static Side,
    /// That of the published seeds, then the repeats.
    pub(crate) outcomes: Vec<Outcome>,
}

/// How an outcome stands to the printed figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It would be printed the same.
    AsPrinted,
    /// Within 1 % of what the figures may stand for.
    Within,
    Differs,
}

impl Verdict {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Verdict::AsPrinted => "as printed",
            Verdict::Within => "within 1 %",
            Verdict::Differs => "differs",
        }
    }
}

impl Runs {
    pub(crate) fn first(&self) -> Outcome {
        self.outcomes[0]
    }

    pub(crate) fn risk(&self) -> Option<Interval> {
        Interval::of(self.outcomes.iter().map(|outcome| outcome.risk))
    }

    pub(crate) fn loss(&self) -> Option<Interval> {
        Interval::of(self.outcomes.iter().map(|outcome| outcome.loss))
    }

    pub(crate) fn verdict(&self, point: &Point) -> Verdict {
        let Outcome { risk, loss } = self.first();
        let same = point.risk.stands_for(risk) && point.loss.stands_for(loss);
        let gap = point.risk.gap(risk).max(point.loss.gap(loss));
        match (same, gap <= TOLERANCE) {
            (true, _) => Verdict::AsPrinted,
            (false, true) => Verdict::Within,
            (false, false) => Verdict::Differs,
        }
    }
}

impl Line {
    /// Whether a side that must agree does not.
    pub(crate) fn fails(&self) -> bool {
        self.columns.iter().any(|runs| {
            (runs.side.must_agree)(self.point.method)
                && runs.verdict(&self.point) == Verdict::Differs
        })
    }
}

/// Runs every point for every side, on all cores; the result does not depend on them.
pub(crate) fn compute(
    points: Vec<Point>,
    rows: usize,
    repeats: u32,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Line>> {
    let done = AtomicUsize::new(0);
    let all = points.len() * SIDES.len() * repeats as usize;
    let run = |point: &Point, side: &'static Side| -> Result<Option<Runs>> {
        let outcomes: Result<Vec<Option<Outcome>>> = (0..repeats)
            .into_par_iter()
            .map(|run| {
                let outcome = point.run(side.build, rows, Seeds(run));
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
                outcome
            })
            .collect();
        let outcomes: Option<Vec<Outcome>> = outcomes?.into_iter().collect();
        Ok(outcomes.map(|outcomes| Runs { side, outcomes }))
    };
    points
        .into_par_iter()
        .map(|point| {
            let columns: Result<Vec<Option<Runs>>> =
                SIDES.iter().map(|side| run(&point, side)).collect();
            Ok(Line {
                columns: columns?.into_iter().flatten().collect(),
                point,
            })
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::figure::{Figure, Shortening};
    use super::super::point::{Method, Stream};
    use super::*;

    /// A line with made-up outcomes.
    pub(crate) fn line(method: Method, printed: (&str, &str), outcomes: &[(f64, f64)]) -> Line {
        let figure = |text| Figure::parse(text, Shortening::Rounded).expect("a figure");
        let outcome = |&(risk, loss): &(f64, f64)| Outcome { risk, loss };
        Line {
            point: Point {
                table: "A.3".to_owned(),
                stream: Stream::Rbf,
                method,
                risk: figure(printed.0),
                loss: figure(printed.1),
            },
            columns: vec![Runs {
                side: &SIDES[0],
                outcomes: outcomes.iter().map(outcome).collect(),
            }],
        }
    }

    #[test]
    fn verdicts_follow_the_printed_figures() {
        let check = |outcome, expected| {
            let method = Method::RankSwapping { p: 10, b: 100 };
            let line = line(method, ("0.500", "1.000E+06"), &[outcome]);
            assert_eq!(line.columns[0].verdict(&line.point), expected);
            assert_eq!(line.fails(), expected == Verdict::Differs);
        };
        check((0.5004, 1.0004e6), Verdict::AsPrinted);
        check((0.5049, 1.0004e6), Verdict::Within);
        check((0.5, 0.991e6), Verdict::Within);
        check((0.5, 0.98e6), Verdict::Differs);
        check((0.51, 1e6), Verdict::Differs);
    }
}
