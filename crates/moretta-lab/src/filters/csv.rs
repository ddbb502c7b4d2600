//! The results as a file: one line for each line of the tables and each side.

use super::point::Method;
use super::results::{Line, Runs};
use crate::interval::Interval;

const HEADER: &str = "table,generator,filter,a,b,k,p,epsilon,DR_printed,IL_printed,side,DR,IL,\
                      DR_difference,IL_difference,verdict,runs,DR_mean,DR_reach,IL_mean,IL_reach\n";

pub(crate) fn csv(lines: &[Line], judged: bool) -> String {
    let mut text = HEADER.to_owned();
    for line in lines {
        for runs in &line.columns {
            text += &row(line, runs, judged);
        }
    }
    text
}

fn row(line: &Line, runs: &Runs, judged: bool) -> String {
    let point = &line.point;
    let outcome = runs.first();
    let verdict = if judged {
        runs.verdict(point).words()
    } else {
        ""
    };
    let cells = [
        point.table.clone(),
        point.stream.name().to_owned(),
        point.method.name().to_owned(),
        parameters(point.method),
        point.risk.text.clone(),
        point.loss.text.clone(),
        runs.side.name.to_owned(),
        outcome.risk.to_string(),
        outcome.loss.to_string(),
        point.risk.difference(outcome.risk).to_string(),
        point.loss.difference(outcome.loss).to_string(),
        verdict.to_owned(),
        runs.outcomes.len().to_string(),
        interval(runs.risk()),
        interval(runs.loss()),
    ];
    cells.join(",") + "\n"
}

/// a, b, k, p, epsilon: those that the method has.
fn parameters(method: Method) -> String {
    match method {
        Method::Noise { a } => format!("{a},,,,"),
        Method::Microaggregation { k, b } => format!(",{b},{k},,"),
        Method::RankSwapping { p, b } => format!(",{b},,{p},"),
        Method::DifferentialPrivacy { epsilon, k, b } => format!(",{b},{k},,{epsilon}"),
    }
}

fn interval(interval: Option<Interval>) -> String {
    interval.map_or(",".to_owned(), |Interval { mean, reach }| {
        format!("{mean},{reach}")
    })
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::line;
    use super::*;

    #[test]
    fn every_line_has_the_cells_of_the_header() {
        let dp = Method::DifferentialPrivacy {
            epsilon: 0.1,
            k: 3,
            b: 100,
        };
        let methods = [
            Method::Noise { a: 0.1 },
            Method::Microaggregation { k: 3, b: 100 },
            Method::RankSwapping { p: 10, b: 100 },
            dp,
        ];
        for method in methods {
            for outcomes in [&[(0.1, 2.0)][..], &[(0.1, 2.0), (0.2, 3.0)]] {
                let text = csv(&[line(method, ("0.100", "2.0"), outcomes)], true);
                let counts: Vec<usize> = text.lines().map(|l| l.split(',').count()).collect();
                assert_eq!(counts, [21, 21], "{text}");
            }
        }
    }
}
