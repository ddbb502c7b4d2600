//! Every column before and after, and what each lost.
//!
//! Bars are shares of the rows released, so that no exact count is told. Bins of which the
//! report tells nothing are hatched, all to one height.

use super::markup::Markup;
use super::number;
use super::plot::{Plot, Size, Slot, lying, upright};
use moretta::pipeline::report::{Bin, ColumnFact, Histogram, Report, RowFacts};

/// Bars in a drawing of categories; the rarest of more share one.
const MOST_CATEGORIES: usize = 10;

/// Bars in a drawing of intervals.
const MOST_INTERVALS: usize = 40;

/// Columns in the ranking by loss.
const MOST_RANKED: usize = 30;

/// Loss by column, worst first.
pub(super) fn loss(report: &Report, page: &mut Markup) {
    let mut ranked: Vec<(&str, f64)> = report
        .columns
        .iter()
        .filter_map(|column| Some((column.name.as_str(), column.loss?)))
        .collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    let left_out = ranked.len().saturating_sub(MOST_RANKED);
    ranked.truncate(MOST_RANKED);
    page.raw("<section id=\"loss\"><h2>Loss by column</h2>");
    if ranked.is_empty() {
        page.raw("<p class=\"panel\">No column was generalised.</p></section>");
        return;
    }
    page.raw("<figure class=\"panel\"><p class=\"note\">Mean normalised certainty penalty of a released row: ");
    page.raw("0\u{202f}% keeps the value, 100\u{202f}% tells nothing.</p>");
    let slots = ranked.into_iter().map(|(name, loss)| Slot {
        label: name.to_owned(),
        detail: format!("{name}: {}", number::percent(loss)),
        after: Some(loss),
        value: Some(number::percent(loss)),
        ..Slot::default()
    });
    let plot = Plot {
        title: "Loss by column".to_owned(),
        description: "One bar for every generalised column, the largest loss first".to_owned(),
        size: Size::Wide,
        slots: slots.collect(),
        edges: Vec::new(),
        axis: number::percent,
        threshold: None,
    };
    lying(page, &plot);
    if left_out > 0 {
        page.element("p", &[("class", &"note")], |page| {
            page.text(number::count(left_out as u64));
            page.raw(" columns with a smaller loss are not drawn.");
        });
    }
    page.raw("</figure></section>");
}

/// Small multiples of all columns, then those that have no distribution.
pub(super) fn write(report: &Report, page: &mut Markup) {
    if report.columns.is_empty() {
        return;
    }
    let (drawn, plain): (Vec<&ColumnFact>, Vec<&ColumnFact>) = report
        .columns
        .iter()
        .partition(|column| column.histogram.is_some());
    page.raw("<section id=\"columns\"><h2>Columns before and after</h2>");
    if !drawn.is_empty() {
        page.raw("<p class=\"note\">Share of released rows by value, before and after. ");
        page.raw("A generalised row is spread evenly over the values it may stand for. Bins follow from the release.</p>");
        let hidden = |column: &&ColumnFact| {
            let histogram = column.histogram.as_ref();
            histogram.is_some_and(|histogram| histogram.bins.iter().any(is_hidden))
        };
        match drawn.iter().any(hidden) {
            true => legend_with(page, |page| {
                page.raw("<span class=\"swatch hatched\"></span>too few rows to be told; its height says nothing");
            }),
            false => legend(page),
        }
        page.element("div", &[("class", &"multiples")], |page| {
            for column in drawn {
                card(column, &report.rows, page);
            }
        });
    }
    if !plain.is_empty() {
        without_histogram(&plain, page);
    }
    page.raw("</section>");
}

pub(super) fn legend(page: &mut Markup) {
    legend_with(page, |_| {});
}

fn legend_with(page: &mut Markup, more: impl FnOnce(&mut Markup)) {
    page.raw("<p class=\"legend\"><span class=\"swatch before\"></span>before ");
    page.raw("<span class=\"swatch after\"></span>after");
    more(page);
    page.raw("</p>");
}

fn is_hidden(bin: &Bin) -> bool {
    bin.before.is_none() && bin.after.is_none()
}

fn card(column: &ColumnFact, rows: &RowFacts, page: &mut Markup) {
    page.element("figure", &[("class", &"card")], |page| {
        page.element("figcaption", &[], |page| {
            page.element("div", &[("class", &"head")], |page| {
                page.leaf("h3", &[("title", &column.name)], &column.name);
                page.leaf("span", &[("class", &"role")], &column.role);
            });
            page.leaf("p", &[("class", &"note")], facts(column));
        });
        if let Some(histogram) = &column.histogram {
            draw(column, histogram, rows, page);
        }
    });
}

/// "generalised, loss 12 %; missing 3 % before, 2 % after".
fn facts(column: &ColumnFact) -> String {
    let mut facts = column.treatment.clone();
    if let Some(loss) = column.loss {
        facts += &format!(", loss {}", number::percent(loss));
    }
    if column.missing_before > 0.0 || column.missing_after.is_some_and(|share| share > 0.0) {
        facts += &format!(
            "; missing {}",
            number::coarse_percent(column.missing_before)
        );
        if let Some(after) = column.missing_after {
            facts += &format!(" → {}", number::coarse_percent(after));
        }
    }
    facts
}

fn draw(column: &ColumnFact, histogram: &Histogram, rows: &RowFacts, page: &mut Markup) {
    let intervals = is_ordered(&histogram.bins) || histogram.bins.iter().any(is_hidden);
    let most = if intervals {
        MOST_INTERVALS
    } else {
        MOST_CATEGORIES
    };
    let bins = lump(&histogram.bins, most);
    let plot = Plot {
        title: format!("{} before and after", column.name),
        description: format!("Share of rows in {} bins", bins.len()),
        size: Size::Small,
        slots: bins.iter().map(|bin| slot(bin, rows)).collect(),
        edges: edges(&bins),
        axis: number::percent,
        threshold: None,
    };
    if intervals {
        upright(page, &plot);
    } else {
        lying(page, &plot);
    }
    if histogram.hidden_bins > 0 {
        page.element("p", &[("class", &"note")], |page| {
            page.text(number::count(histogram.hidden_bins));
            page.raw(match intervals {
                true => " hatched: too few rows, or the others would tell how many",
                false => " more not shown: too few rows share them",
            });
        });
    }
}

fn slot(bin: &Bin, rows: &RowFacts) -> Slot {
    let share = |value: f64| match rows.released {
        0 => 0.0,
        all => value / all as f64,
    };
    let (before, after) = (bin.before.map(share), bin.after.map(share));
    let told = |share: Option<f64>| share.map_or("hidden".to_owned(), number::percent);
    Slot {
        label: bin.label.clone(),
        detail: match is_hidden(bin) {
            true => format!("{}: hidden", bin.label),
            false => format!("{}: {} → {}", bin.label, told(before), told(after)),
        },
        before,
        after,
        hidden: is_hidden(bin),
        ..Slot::default()
    }
}

/// Where intervals that join begin and the last one ends; none of other bins.
fn edges(bins: &[Bin]) -> Vec<String> {
    let ends: Option<Vec<(&str, &str)>> = bins
        .iter()
        .map(|bin| bin.label.split_once(" to "))
        .collect();
    let ends = ends.unwrap_or_default();
    let join = ends.windows(2).all(|pair| pair[0].1 == pair[1].0);
    let last = ends.last().map(|(_, to)| *to);
    let edges = ends.iter().map(|(from, _)| *from).chain(last);
    edges.filter(|_| join).map(str::to_owned).collect()
}

/// Whether the bins are intervals, dates or numbers rather than names.
fn is_ordered(bins: &[Bin]) -> bool {
    let ordered = |bin: &Bin| {
        let label = &bin.label;
        label.contains(" to ") || label.parse::<f64>().is_ok() || is_part_of_year(label)
    };
    bins.len() > 2 && bins.iter().all(ordered)
}

/// "2024-03" or "2024-Q1".
fn is_part_of_year(label: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    label.split_once('-').is_some_and(|(year, part)| {
        let part = part.strip_prefix('Q').unwrap_or(part);
        year.len() == 4 && digits(year) && part.len() <= 2 && digits(part)
    })
}

/// At most so many bins: the rarest go together into one at the end.
fn lump(bins: &[Bin], most: usize) -> Vec<Bin> {
    if bins.len() <= most {
        return bins.to_vec();
    }
    let mut by_count: Vec<usize> = (0..bins.len()).collect();
    let rows = |bin: usize| bins[bin].after.unwrap_or(0.0);
    by_count.sort_by(|one, other| rows(*other).total_cmp(&rows(*one)));
    // The measures may have put the rarest together already.
    by_count.sort_by_key(|bin| *bin + 1 == bins.len() && together(&bins[*bin]) > 1);
    let (kept, rest) = by_count.split_at_mut(most - 1);
    kept.sort_unstable();
    let mut lumped: Vec<Bin> = kept.iter().map(|bin| bins[*bin].clone()).collect();
    lumped.push(Bin {
        label: format!(
            "{} others",
            number::count(rest.iter().map(|bin| together(&bins[*bin])).sum())
        ),
        before: rest.iter().map(|bin| bins[*bin].before).sum(),
        after: rest.iter().map(|bin| bins[*bin].after).sum(),
    });
    lumped
}

/// How many categories a bin holds: 21 in "21 others".
fn together(bin: &Bin) -> u64 {
    let number = bin.label.strip_suffix(" others");
    number.and_then(|number| number.parse().ok()).unwrap_or(1)
}

fn without_histogram(columns: &[&ColumnFact], page: &mut Markup) {
    page.raw("<h3>Columns without a distribution</h3>");
    list(columns, page);
}

/// Every column and what was done to it.
pub(super) fn treatments(report: &Report, page: &mut Markup) {
    if report.columns.is_empty() {
        return;
    }
    page.raw("<section id=\"treatments\"><h2>Columns</h2>");
    list(&report.columns.iter().collect::<Vec<_>>(), page);
    page.raw("</section>");
}

fn list(columns: &[&ColumnFact], page: &mut Markup) {
    page.raw("<div class=\"scroll\"><table><thead><tr>");
    page.raw("<th scope=\"col\">Column</th><th scope=\"col\">Role</th>");
    page.raw("<th scope=\"col\">What was done</th></tr></thead><tbody>");
    for column in columns {
        page.element("tr", &[], |page| {
            page.leaf("th", &[("scope", &"row")], &column.name);
            page.leaf("td", &[], &column.role);
            page.leaf("td", &[], facts(column));
        });
    }
    page.raw("</tbody></table></div>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(labels: &[&str]) -> Vec<Bin> {
        let bin = |(position, label): (usize, &&str)| Bin {
            label: (*label).to_owned(),
            before: Some(1.0),
            after: Some(position as f64),
        };
        labels.iter().enumerate().map(bin).collect()
    }

    #[test]
    fn numbers_stand_and_names_lie() {
        for (labels, expected) in [
            (&["0 to 10", "10 to 20", "20 to 30"][..], true),
            (&["1", "2", "3"], true),
            (&["2023-Q3", "2023-Q4", "2024-Q1"], true),
            (&["2023-11", "2023-12", "2024-01"], true),
            (&["0044-1", "4711-999", "4"], false),
            (&["4041", "404*", "4"], false),
            (&["female", "male"], false),
            (&["0", "1"], false),
            (&[], false),
        ] {
            assert_eq!(is_ordered(&bins(labels)), expected, "{labels:?}");
        }
    }

    #[test]
    fn intervals_that_join_are_labelled_at_their_borders() {
        assert_eq!(edges(&bins(&["0 to 5", "5 to 10"])), ["0", "5", "10"]);
        for labels in [&["2000 to 2004", "2005 to 2009"][..], &["a", "b"], &[]] {
            assert!(edges(&bins(labels)).is_empty(), "{labels:?}");
        }
    }

    #[test]
    fn the_rarest_bins_share_one_and_nothing_is_lost() {
        let lumped = lump(&bins(&["a", "b", "c", "d", "e"]), 3);
        let labels: Vec<&str> = lumped.iter().map(|bin| bin.label.as_str()).collect();
        assert_eq!(labels, ["d", "e", "3 others"]);
        let sum = |count: fn(&Bin) -> Option<f64>| lumped.iter().filter_map(count).sum::<f64>();
        assert_eq!((sum(|bin| bin.before), sum(|bin| bin.after)), (5.0, 10.0));
        let lumped = lump(&bins(&["a", "b", "c", "d", "21 others"]), 3);
        let labels: Vec<&str> = lumped.iter().map(|bin| bin.label.as_str()).collect();
        assert_eq!(labels, ["c", "d", "23 others"]);
    }
}
