//! The results as a table on the terminal.

use super::results::{Line, Runs, Verdict};
use crate::interval::Interval;
use std::time::Duration;

/// One line for each line of the tables and each side.
pub(crate) fn table(lines: &[Line], judged: bool) -> String {
    let mut text = header(lines);
    for line in lines {
        for runs in &line.columns {
            text += &row(line, runs, judged);
        }
    }
    text
}

fn repeated(lines: &[Line]) -> bool {
    let mut columns = lines.iter().flat_map(|line| &line.columns);
    columns.any(|runs| runs.outcomes.len() > 1)
}

fn header(lines: &[Line]) -> String {
    let mut text = format!(
        "{:5} {:9} {:28} {:>6} {:>12}   {:10} {:>8} {:>7} {:>15} {:>7}  {:10}",
        "table", "stream", "filter", "DR", "IL", "side", "DR", "diff", "IL", "diff", "verdict"
    );
    if repeated(lines) {
        text += &format!("  {:>20}  {:>24}", "DR mean ± 95 %", "IL mean ± 95 %");
    }
    text.trim_end().to_owned() + "\n"
}

fn row(line: &Line, runs: &Runs, judged: bool) -> String {
    let point = &line.point;
    let outcome = runs.first();
    let verdict = if judged {
        runs.verdict(point).words()
    } else {
        ""
    };
    let mut text = format!(
        "{:5} {:9} {:28} {:>6} {:>12}   {:10} {:>8.6} {:>7} {:>15} {:>7}  {verdict:10}",
        point.table,
        point.stream.name(),
        point.method.to_string(),
        point.risk.text,
        point.loss.text,
        runs.side.name,
        outcome.risk,
        percent(point.risk.difference(outcome.risk), judged),
        loss(outcome.loss),
        percent(point.loss.difference(outcome.loss), judged),
    );
    if let (Some(risk), Some(of_loss)) = (runs.risk(), runs.loss()) {
        let Interval { mean, reach } = risk;
        text += &format!("  {:>20}", format!("{mean:.6} ± {reach:.6}"));
        let Interval { mean, reach } = of_loss;
        text += &format!("  {:>24}", format!("{} ± {}", loss(mean), loss(reach)));
    }
    text.trim_end().to_owned() + "\n"
}

fn percent(difference: f64, judged: bool) -> String {
    if !judged {
        return String::new();
    }
    format!("{:+.2}%", difference * 100.0)
}

/// Two decimals, or five figures of a large number.
fn loss(value: f64) -> String {
    if value < 1e8 {
        return format!("{value:.2}");
    }
    super::figure::scientific(value, 4)
}

/// How many lines agree, for each side.
pub(crate) fn summary(lines: &[Line], judged: bool, time: Duration) -> String {
    let mut text = format!("\n{} lines, {:.1} s\n", lines.len(), time.as_secs_f64());
    if !judged {
        return text + "no verdicts: the tables are about 100000 records\n";
    }
    for side in super::sides::SIDES {
        let verdicts: Vec<Verdict> = lines
            .iter()
            .flat_map(|line| line.columns.iter().map(move |runs| (line, runs)))
            .filter(|(_, runs)| runs.side.name == side.name)
            .map(|(line, runs)| runs.verdict(&line.point))
            .collect();
        let count = |verdict| verdicts.iter().filter(|&&v| v == verdict).count();
        text += &format!(
            "{}: {} as printed, {} more within 1 %, {} differ\n  {}\n",
            side.name,
            count(Verdict::AsPrinted),
            count(Verdict::Within),
            count(Verdict::Differs),
            side.note
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::point::Method;
    use super::super::results::tests::line;
    use super::*;

    #[test]
    fn a_line_shows_what_was_printed_and_what_came_out() {
        let method = Method::Microaggregation { k: 3, b: 100 };
        let lines = [line(
            method,
            ("0.232", "74917.30"),
            &[(0.232065, 74917.3018)],
        )];
        let text = table(&lines, true);
        let row: Vec<&str> = text
            .lines()
            .nth(1)
            .expect("a row")
            .split_whitespace()
            .collect();
        let expected = "A.3 rbf microaggregation k=3 b=100 0.232 74917.30 published \
                        0.232065 +0.03% 74917.30 +0.00% as printed";
        assert_eq!(row.join(" "), expected);
        let told = summary(&lines, true, Duration::from_secs(2));
        assert!(told.contains("1 as printed, 0 more within 1 %, 0 differ"));
    }

    #[test]
    fn repeats_add_intervals_and_other_sizes_take_verdicts_away() {
        let method = Method::Noise { a: 0.5 };
        let lines = [line(method, ("0.5", "1.00"), &[(0.5, 1.0), (0.7, 3.0)])];
        let text = table(&lines, false);
        assert!(text.contains("0.600000 ± 1.270600"), "{text}");
        assert!(text.contains("2.00 ± 12.71"), "{text}");
        assert!(!text.contains('%') || !text.contains("within"), "{text}");
        assert!(summary(&lines, false, Duration::ZERO).contains("no verdicts"));
    }
}
