//! How specific the values are that were released of the whole stream.

use super::{by_colour, level_name};
use crate::markup::Markup;
use crate::number;
use crate::plot::{BANDS, Plot, Size, Slot, lying};
use crate::suppression::Suppressed;
use moretta::pipeline::report::{Report, StreamFacts};

pub(super) fn write(report: &Report, facts: &StreamFacts, page: &mut Markup) {
    page.raw("<section id=\"levels\"><h2>How specific the release is</h2>");
    page.raw("<figure class=\"panel\"><p class=\"note\">Values of the whole stream. ");
    page.raw("A value that too few users share is released as the next label of its hierarchy that enough do. Shares are of released values.</p>");
    let plot = Plot {
        title: "Values by level".to_owned(),
        description: "One bar for every level of the hierarchy, the whole value first".to_owned(),
        size: Size::Wide,
        slots: slots(report, facts),
        edges: Vec::new(),
        axis: number::number,
        threshold: None,
    };
    lying(page, &plot);
    if number::told(facts.fakes) != Some(0) {
        page.raw("<p class=\"note\">A made-up row shows a value under the name of a user who did not show it, so that enough users do. Count no users by a release that has them.</p>");
    }
    page.raw("</figure></section>");
}

fn slots(report: &Report, facts: &StreamFacts) -> Vec<Slot> {
    let levels = by_colour(&facts.levels);
    let suppressed = Suppressed::of(&report.rows);
    let known = levels.iter().map(|(known, _)| *known);
    let all = known.fold(0, u64::saturating_add);
    // Of a whole that is not known there are no shares.
    let hidden = levels.iter().any(|(_, hidden)| *hidden);
    let all = Some(all).filter(|all| *all > 0 && !hidden);
    let mut slots: Vec<Slot> = levels
        .iter()
        .zip(BANDS)
        .enumerate()
        .map(|(level, (&(known, hidden), class))| {
            let value = match hidden {
                true if known == 0 => "hidden".to_owned(),
                true => format!("at least {}", number::count(known)),
                false => shown(known, all),
            };
            slot(level_name(level, facts.levels.len()), known, value, class)
        })
        .collect();
    slots.push(slot(
        "suppressed rows".to_owned(),
        suppressed.most_drawn(0),
        suppressed.rows(),
        "suppressed",
    ));
    match number::told(facts.fakes) {
        Some(0) => {}
        Some(fakes) => {
            let value = number::count(fakes);
            slots.push(slot("made-up rows".to_owned(), fakes, value, "made-up"));
        }
        None => slots.push(slot(
            "made-up rows".to_owned(),
            0,
            "hidden".to_owned(),
            "made-up",
        )),
    }
    slots
}

fn slot(label: String, count: u64, value: String, colour: &'static str) -> Slot {
    Slot {
        detail: format!("{label}: {value}"),
        label,
        after: Some(count as f64),
        value: Some(value),
        colour: Some(colour),
        ..Slot::default()
    }
}

/// "52,001 · 53.4 %".
fn shown(count: u64, all: Option<u64>) -> String {
    match all {
        None => number::count(count),
        Some(all) => format!(
            "{} · {}",
            number::count(count),
            number::percent(count as f64 / all as f64)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn values(report: &Report) -> Vec<(String, String)> {
        let facts = report.stream.as_ref().expect("the report of a stream");
        let slots = slots(report, facts).into_iter();
        let named = slots.map(|slot| (slot.label, slot.value.unwrap_or_default()));
        named.collect()
    }

    #[test]
    fn every_level_is_named_and_hidden_ones_are_not_drawn_as_nothing() {
        let mut report = fixture::events();
        let facts = report.stream.as_mut().expect("the report of a stream");
        facts.levels = vec![Some(500), Some(7), None];
        facts.fakes = Some(3);
        let values = values(&report);
        let labels: Vec<&str> = values.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "whole value",
                "1 step more general",
                "2 steps more general",
                "suppressed rows",
                "made-up rows"
            ]
        );
        assert_eq!(values[0].1, "500");
        assert_eq!(
            (values[1].1.as_str(), values[2].1.as_str()),
            ("hidden", "hidden")
        );
        assert_eq!(values[4].1, "hidden");
    }

    #[test]
    fn a_deep_hierarchy_ends_in_one_bar() {
        let mut report = fixture::events();
        let facts = report.stream.as_mut().expect("the report of a stream");
        facts.levels = vec![Some(100); 21];
        facts.fakes = Some(0);
        let values = values(&report);
        assert_eq!(values.len(), BANDS.len() + 1);
        assert_eq!(values[5].0, "5+ steps more general");
        assert!(values[5].1.starts_with("1,600 · "));
    }
}
