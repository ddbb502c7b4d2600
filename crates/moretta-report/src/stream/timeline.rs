//! z, the users alike and the released values over time.

use super::intervals::{Interval, intervals, length};
use super::{by_colour, level_name};
use crate::markup::Markup;
use crate::number;
use crate::plot::{BANDS, Panel, Shape, Span, Timeline, date_and_time, timeline};
use moretta::data::duration_text;
use moretta::pipeline::report::StreamFacts;

pub(super) fn write(facts: &StreamFacts, page: &mut Markup) {
    let pieces = intervals(&facts.timeline, facts.window);
    page.raw("<section id=\"timeline\"><h2>Over time</h2><figure class=\"panel\"><figcaption>");
    page.leaf("p", &[("class", &"note")], describe(facts, &pieces));
    if let Some(note) = merged(&pieces) {
        page.leaf("p", &[("class", &"note")], note);
    }
    page.raw("</figcaption>");
    if !pieces.is_empty() {
        legend(facts, page);
    }
    let plot = Timeline {
        title: "The stream over time".to_owned(),
        description: describe(facts, &pieces),
        spans: pieces.iter().map(|piece| span(facts, piece)).collect(),
        panels: panels(facts, &pieces),
    };
    page.element("div", &[("class", &"scroll")], |page| timeline(page, &plot));
    page.raw("<p class=\"axis\">time (UTC)</p></figure></section>");
}

fn panels(facts: &StreamFacts, pieces: &[Interval]) -> Vec<Panel> {
    let z = pieces.iter().map(|piece| Some(f64::from(piece.z)));
    let z = Panel {
        name: "z: users that must share a value".to_owned(),
        axis: number::number,
        shape: Shape::Line {
            values: z.collect(),
            full: None,
            goal: None,
        },
    };
    let p = Panel {
        name: format!(
            "p{}: users of the window with a released set that {} or more have",
            subscript(facts.k),
            number::count(u64::from(facts.k))
        ),
        axis: number::percent,
        shape: Shape::Line {
            values: pieces.iter().map(|piece| piece.p).collect(),
            full: Some(1.0),
            goal: facts
                .goal
                .map(|goal| (goal, format!("goal {}", number::percent(goal)))),
        },
    };
    let bands = Panel {
        name: match interval(facts) {
            Some(length) => format!("values every {length}, by what became of them"),
            None => "values, by what became of them".to_owned(),
        },
        axis: number::number,
        shape: Shape::Bands(pieces.iter().map(|piece| piece.stack.clone()).collect()),
    };
    vec![z, p, bands]
}

fn interval(facts: &StreamFacts) -> Option<String> {
    let mut points: Vec<_> = facts.timeline.iter().collect();
    points.sort_by_key(|point| point.time);
    length(&points).map(duration_text)
}

fn span(facts: &StreamFacts, piece: &Interval) -> Span {
    let share = |share: Option<f64>| share.map_or(number::NONE.to_owned(), number::percent);
    // The mean of several intervals can be small though none of their counts is.
    let read = match number::told(piece.stack.total.map(|total| total.ceil() as u64)) {
        Some(total) => format!("{} read", number::count(total)),
        None => "values read hidden".to_owned(),
    };
    Span {
        from: piece.from,
        to: piece.to,
        detail: format!(
            "{} to {}: z {}, p{} {}, unique {}, {read}{}",
            date_and_time(piece.from),
            date_and_time(piece.to),
            piece.z,
            subscript(facts.k),
            share(piece.p),
            share(piece.unique),
            if piece.stack.hidden {
                ", some counts hidden"
            } else {
                ""
            },
        ),
    }
}

/// 12 as "₁₂".
fn subscript(number: u32) -> String {
    const DIGITS: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];
    let digits = number.to_string();
    let digits = digits
        .bytes()
        .map(|digit| DIGITS[usize::from(digit - b'0')]);
    digits.collect()
}

fn describe(facts: &StreamFacts, pieces: &[Interval]) -> String {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
        return "The stream was too short for a point in time.".to_owned();
    };
    let mut text = format!(
        "From {} to {} UTC",
        date_and_time(first.from),
        date_and_time(last.to)
    );
    let zs = facts.timeline.iter().map(|point| point.z);
    let (least, most) = (zs.clone().min().unwrap_or(0), zs.max().unwrap_or(0));
    text += &match (least == most, facts.goal) {
        (true, None) => format!(", z was {least}"),
        (true, Some(_)) => format!(", z tuned itself and stayed at {least}"),
        (false, _) => format!(", z tuned itself between {least} and {most}"),
    };
    let shares = facts.timeline.iter().filter_map(|point| point.p);
    let shares: Vec<f64> = shares.filter(|share| (0.0..=1.0).contains(share)).collect();
    let least = shares.iter().copied().reduce(f64::min);
    let most = shares.iter().copied().reduce(f64::max);
    text += &match (least, most) {
        (Some(least), Some(most)) => format!(
            "; between {} and {} of the users were alike.",
            number::percent(least),
            number::percent(most)
        ),
        _ => "; how many users were alike is not known.".to_owned(),
    };
    text
}

/// What a piece stands for when it stands for several points.
fn merged(pieces: &[Interval]) -> Option<String> {
    let points = pieces.first()?.points;
    (points > 1).then(|| {
        format!(
            "A step stands for {points} intervals: it shows the lowest z and p of them and the mean of their values."
        )
    })
}

fn legend(facts: &StreamFacts, page: &mut Markup) {
    let levels = facts.timeline.iter().map(|point| point.levels.len()).max();
    let levels = levels.unwrap_or(0);
    let kinds = by_colour(&vec![None; levels]).len();
    page.raw("<p class=\"legend bands\">");
    for (level, class) in BANDS.iter().enumerate().take(kinds) {
        let class = format!("swatch {class}");
        page.element("span", &[], |page| {
            page.leaf("span", &[("class", &class)], "");
            page.text(level_name(level, levels));
        });
    }
    page.raw("<span><span class=\"swatch suppressed\"></span>suppressed</span>");
    page.raw("<span><span class=\"swatch hatched\"></span>hidden or not known; its height says nothing</span>");
    page.raw("<span><span class=\"swatch total\"></span>read</span></p>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use moretta::pipeline::report::Report;

    fn facts(report: Report) -> StreamFacts {
        report.stream.expect("the report of a stream")
    }

    #[test]
    fn the_description_tells_what_there_is_to_see() {
        let check = |report: Report, expected: &str| {
            let facts = facts(report);
            let pieces = intervals(&facts.timeline, facts.window);
            let found = describe(&facts, &pieces);
            assert!(found.contains(expected), "{found}");
        };
        check(fixture::events(), "z tuned itself between");
        check(fixture::events_without_points(), "too short");
        check(fixture::events_at_a_fixed_z(), "UTC, z was 10; ");
        check(fixture::events_all_hidden(), "is not known");
    }

    #[test]
    fn a_panel_has_the_goal_only_when_there_is_one() {
        for (report, expected) in [(fixture::events(), 1), (fixture::events_at_a_fixed_z(), 0)] {
            let mut page = Markup::default();
            write(&facts(report), &mut page);
            let page = page.into_string();
            assert_eq!(page.matches("class=\"goal\"").count(), expected);
        }
    }

    #[test]
    fn hidden_intervals_are_hatched() {
        let mut page = Markup::default();
        write(&facts(fixture::events_all_hidden()), &mut page);
        let page = page.into_string();
        // The panel of p and the panel of values.
        assert_eq!(page.matches("class=\"hatch\"").count(), 2);
        assert!(!page.contains("class=\"total\""));
    }

    #[test]
    fn subscripts_are_written_digit_by_digit() {
        assert_eq!(subscript(2), "₂");
        assert_eq!(subscript(107), "₁₀₇");
    }
}
