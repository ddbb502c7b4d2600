//! The report of a run in a few lines, for a terminal.

use crate::evolution;
use crate::number::{count, percent, seconds, told};
use crate::suppression::Suppressed;
use crate::{graph, rules};
use moretta::pipeline::report::{Report, SearchFacts, StreamFacts};
use std::fmt::Write;

/// Measures of masked records that are worth a line even where the policy does not name them; the
/// report has all.
const SHOWN: [&str; 4] = [
    "record_linkage",
    "sse",
    "sse_ratio",
    "probabilistic_information_loss",
];

/// The report in a few lines: rows, promises, and the figures that matter most.
pub fn summary(report: &Report) -> String {
    let mut text = match &report.stream {
        Some(facts) => stream_rows(report, facts),
        None => table_rows(report),
    };
    if let Some(levels) = &report.levels {
        text.insert_str(0, &format!("level {}\n", levels.level));
    }
    for claim in &report.verdict.claims {
        let mark = if claim.holds { "✓" } else { "✗" };
        let _ = writeln!(
            text,
            "{mark} {}: promised {}, found {}",
            claim.name, claim.promised, claim.found
        );
    }
    for rule in &report.rules {
        let _ = writeln!(text, "{}", plain_spaces(&rules::line(rule)));
    }
    if let Some(why) = &report.chosen {
        let _ = writeln!(text, "  {why}");
    }
    if let Some(facts) = &report.evolution {
        let _ = writeln!(text, "  {}", evolution::told(facts));
    }
    if let Some(search) = &report.search {
        let inside = report
            .levels
            .as_ref()
            .is_some_and(|levels| !levels.is_strictest());
        let _ = writeln!(text, "  {}", searched(search, inside));
    }
    let usual = ["gcp", "prosecutor_risk"].into_iter();
    let asked = report.asked.iter().map(String::as_str);
    let asked = asked.filter(|name| !usual.clone().any(|usual| usual == *name));
    for name in usual.clone().chain(asked) {
        if let Some(measure) = report.measures.iter().find(|m| m.name == name) {
            text.push_str(&figure(name, measure.after, measure.percent));
        }
    }
    for line in report.graph.iter().flat_map(graph::lines) {
        let _ = writeln!(text, "  {}", plain_spaces(&line));
    }
    if let Some(facts) = &report.stream {
        let _ = writeln!(text, "  {}", stream_figures(facts));
    }
    for measure in report.pairs.iter().flat_map(|facts| &facts.measures) {
        let shown = SHOWN.contains(&measure.name.as_str()) || report.asked.contains(&measure.name);
        if let (Some(value), true) = (measure.value, shown) {
            // Figures of records are told to a tenth of a percent or three digits.
            let _ = match measure.percent {
                true => writeln!(text, "  {} {:.1} %", measure.name, value * 100.0),
                false => writeln!(text, "  {} {value}", measure.name),
            };
        }
    }
    text
}

/// The line of a measure.
fn figure(name: &str, value: f64, percent: bool) -> String {
    match percent {
        true => format!("  {name} {:.2} %\n", value * 100.0),
        false => format!("  {name} {value:.4}\n"),
    }
}

/// The levels that were released, and how sure it is that no others lose less; of those alone
/// that lie inside a stricter release, where there is one.
fn searched(search: &SearchFacts, inside: bool) -> String {
    let levels = search.best.first().map(|node| &node.levels);
    let levels = search.columns.iter().zip(levels.into_iter().flatten());
    let levels: Vec<String> = levels
        .map(|(name, level)| format!("{name} {level}"))
        .collect();
    let others = match (search.of_cuts, inside) {
        (true, _) => "others at the places where it could cut",
        (false, true) => "others inside the stricter level",
        (false, false) => "others",
    };
    let sure = match search.gap > 0.0 {
        true => format!(
            "not proven, {others} could lose up to {:.1} % less",
            search.gap * 100.0
        ),
        false => format!("no {others} lose less"),
    };
    let what = if search.of_cuts { "cuts" } else { "levels" };
    format!("{what} {}: {sure}", levels.join(", "))
}

fn sink(report: &Report) -> &str {
    report.sink.as_ref().map_or("", |sink| sink.path.as_str())
}

fn table_rows(report: &Report) -> String {
    let rows = &report.rows;
    let suppressed = Suppressed::of(rows);
    // Records that are masked one by one have no classes.
    let classes = match rows.classes_after {
        0 => String::new(),
        classes => format!(" in {} classes", count(classes)),
    };
    let read = suppressed.read(rows.released);
    let released = format!(
        "released {} of {read} rows{classes} to {}\n",
        count(rows.released),
        sink(report)
    );
    let mut text = released;
    if let Some(left_out) = suppressed.left_out() {
        let why = match rows.merged {
            true => "left out because they repeat a label of their person",
            false => "not drawn into the sample",
        };
        let _ = writeln!(text, "{why} {left_out} rows");
    }
    if !suppressed.is_none() {
        let _ = writeln!(text, "suppressed {} rows", suppressed.rows());
    }
    plain_spaces(&text)
}

/// A terminal's font may lack the narrow space.
fn plain_spaces(text: &str) -> String {
    text.replace('\u{202f}', " ")
}

/// How many rows of a stream were released, and how specific they are. Small
/// counts are not told, nor can they be had by subtraction.
fn stream_rows(report: &Report, facts: &StreamFacts) -> String {
    let released = report.rows.released;
    let suppressed = Suppressed::of(&report.rows);
    let (whole, generalised) = facts.levels.split_at(facts.levels.len().min(1));
    let mut parts = vec![
        format!("{} whole", sum(whole)),
        format!("{} generalised", sum(generalised)),
        format!("{} suppressed", suppressed.rows()),
    ];
    if facts.fakes != Some(0) {
        parts.push(format!("{} made up", sum(&[facts.fakes])));
    }
    plain_spaces(&format!(
        "released {} of {} rows to {} ({})\n",
        count(released),
        suppressed.read(released),
        sink(report),
        parts.join(", ")
    ))
}

/// The sum of counts some of which may be hidden.
fn sum(counts: &[Option<u64>]) -> String {
    let known = counts.iter().filter_map(|known| told(*known));
    let hidden = known.clone().count() < counts.len();
    match (known.fold(0, u64::saturating_add), hidden) {
        (known, false) => count(known),
        (0, true) => "few".to_owned(),
        (known, true) => format!("more than {}", count(known)),
    }
}

/// "p_2 in the window 84.0 %, unique over all time 38.2 %, delay 0 ms".
fn stream_figures(facts: &StreamFacts) -> String {
    let mut parts = Vec::new();
    if let Some(p) = facts.p_window {
        parts.push(format!("p_{} in the window {}", facts.k, percent(p)));
    }
    if let Some(unique) = facts.unique_all {
        parts.push(format!("unique over all time {}", percent(unique)));
    }
    parts.extend(facts.delay.map(|delay| match delay.max {
        ..=0 => "delay 0 ms".to_owned(),
        most => format!(
            "delay {}, at most {}",
            seconds(delay.mean / 1000.0),
            seconds(most as f64 / 1000.0)
        ),
    }));
    plain_spaces(&parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use moretta::pipeline::report::Delay;

    fn events() -> Report {
        let mut report = fixture::events();
        report.rows.released = 97_412;
        report.rows.suppressed = vec![fixture::reason("rare", 2_600)];
        report
    }

    #[test]
    fn a_stream_is_summed_up_by_rows_promises_and_figures() {
        let mut report = events();
        let facts = report.stream.as_mut().expect("the report of a stream");
        facts.levels = vec![Some(41_203), Some(50_000), Some(2001)];
        let text = summary(&report);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "released 97,412 of ≤ 100,012 rows to out/clicks.csv (41,203 whole, 52,001 generalised, ≤ 2,600 suppressed, 412 made up)",
                "✓ z-anonymity of `attribute` in 1h: promised at least 5, found 5",
                "✓ at most one release of a row: promised 1, found 1",
                "  p_2 in the window 84.3 %, unique over all time 38.2 %, delay 0 ms",
            ]
        );
    }

    #[test]
    fn small_counts_of_a_stream_are_not_told() {
        let mut report = events();
        report.rows.suppressed[0].at_most = 10;
        let facts = report.stream.as_mut().expect("the report of a stream");
        facts.levels = vec![Some(7), Some(50_000), None];
        facts.fakes = Some(2);
        (facts.p_window, facts.unique_all) = (None, None);
        facts.delay = Some(Delay {
            mean: 12.0,
            max: 3400,
        });
        let text = summary(&report);
        assert!(text.starts_with(
            "released 97,412 of ≤ 97,422 rows to out/clicks.csv (few whole, more than 50,000 generalised, ≤ 10 suppressed, few made up)\n"
        ), "{text}");
        assert!(text.ends_with("\n  delay 12 ms, at most 3.4 s\n"), "{text}");
    }
}
