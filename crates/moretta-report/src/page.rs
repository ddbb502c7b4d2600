//! The skeleton of the page.

use super::markup::Markup;
use super::promises::is_masked;
use super::{
    classes, column_sets, columns, evolution, exposure, graph, lattice, measures, pairs, policy,
    risk, rules, stream, suppression, verdict,
};
use moretta::pipeline::Report;
use moretta::pipeline::report::SMALL_CELL;

/// Colours, which the web app of the server has from the same file, and what uses them.
const STYLE: &str = concat!(include_str!("tokens.css"), include_str!("style.css"));

/// Nothing may be fetched and no script may run.
const SECURITY: &str = "<meta http-equiv=\"Content-Security-Policy\" \
    content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">";

/// A moretta: an oval without a mouth.
pub(super) const MASK: &str = "<svg class=\"mask\" viewBox=\"0 0 24 30\" aria-hidden=\"true\">\
    <path d=\"M12 1C5.5 1 2 5.8 2 12.5S6.5 29 12 29s10-9.8 10-16.5S18.5 1 12 1Z\
    M5.2 12.6c1.5-2 4-2 5.2.2-1.6 1.7-3.9 1.6-5.2-.2Z\
    M18.8 12.6c-1.5-2-4-2-5.2.2 1.6 1.7 3.9 1.6 5.2-.2Z\"/></svg>";

/// The report as a page that needs no other file.
pub fn html(report: &Report) -> String {
    let title = format!("{} – {}", report.name, verdict::headline(report));
    frame(&title, |page| {
        header(report, page);
        page.element("main", &[], |page| body(report, page));
        footer(report, page);
    })
}

/// A page that is complete in itself, around its content.
pub(super) fn frame(title: &str, content: impl FnOnce(&mut Markup)) -> String {
    let mut page = Markup::default();
    page.raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.raw(SECURITY);
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    page.raw("<meta name=\"color-scheme\" content=\"light dark\">");
    page.raw("<meta name=\"referrer\" content=\"no-referrer\">");
    page.leaf("title", &[], title);
    page.element("style", &[], |page| page.raw(STYLE));
    page.raw("</head>\n<body>");
    content(&mut page);
    page.raw("</body></html>\n");
    page.into_string()
}

fn body(report: &Report, page: &mut Markup) {
    verdict::write(report, page);
    match (&report.stream, &report.pairs) {
        (Some(facts), masked) => {
            stream::write(report, facts, page);
            if let Some(facts) = masked {
                pairs::write(facts, page);
            }
            columns::treatments(report, page);
        }
        (None, facts) if is_masked(report) => {
            suppression::write(report, page);
            if let Some(facts) = facts {
                pairs::write(facts, page);
            }
            columns::treatments(report, page);
        }
        (None, _) => table(report, page),
    }
    if let Some(search) = &report.search {
        lattice::write(search, page);
    }
    if let Some(facts) = &report.evolution {
        evolution::write(facts, page);
    }
    if let Some(facts) = &report.graph {
        graph::write(facts, page);
    }
    rules::write(report, page);
    measures::write(report, page);
    policy::write(report, page);
}

/// What only a table has: classes of rows, and distributions.
fn table(report: &Report, page: &mut Markup) {
    if !(report.class_sizes.is_empty() && report.risk.is_empty()) {
        page.raw("<section id=\"risk\"><h2>Risk</h2><div class=\"pair\">");
        classes::write(report, page);
        risk::write(report, page);
        page.raw("</div>");
        if let Some(risk) = report
            .risk_by_column
            .as_ref()
            .filter(|risk| !risk.columns.is_empty())
        {
            exposure::write(risk, page);
        }
        column_sets::write(report, page);
        page.raw("</section>");
    }
    page.raw("<div class=\"pair\">");
    columns::loss(report, page);
    suppression::write(report, page);
    page.raw("</div>");
    columns::write(report, page);
}

fn header(report: &Report, page: &mut Markup) {
    page.element("header", &[], |page| {
        page.raw(MASK);
        page.raw("<div>");
        page.leaf("p", &[("class", &"name")], &report.name);
        page.element("p", &[("class", &"note")], |page| {
            page.raw("Anonymization report: ");
            page.text(&report.source.path);
            if let Some(sink) = &report.sink {
                page.raw(" → ");
                page.text(&sink.path);
            }
            if let Some(date) = &report.date {
                page.raw(", ");
                page.text(date);
            }
        });
        if let Some(purpose) = &report.purpose {
            page.element("p", &[("class", &"note purpose")], |page| {
                page.raw("Purpose: ");
                page.text(purpose);
            });
        }
        page.raw("</div>");
    });
}

fn footer(report: &Report, page: &mut Markup) {
    page.element("footer", &[], |page| {
        page.text(&report.program);
        page.raw(", report layout ");
        page.text(report.version);
        page.raw(". This page shows no row of the data; counts from 1 to ");
        page.text(SMALL_CELL);
        page.raw(" are hidden unless the release itself shows them, and of suppressed rows only bounds are told.");
    });
}

#[cfg(test)]
pub(super) mod tests {
    use crate::{fixture, html};
    use moretta::pipeline::Report;
    use moretta::pipeline::report::SMALL_CELL;

    /// Opening and closing tags match, void elements aside.
    pub(crate) fn assert_balanced(page: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = page;
        while let Some(at) = rest.find('<') {
            let end = at + rest[at..].find('>').expect("a tag ends");
            let tag = &rest[at + 1..end];
            rest = &rest[end + 1..];
            let name = tag.trim_start_matches('/');
            let name = name.split([' ', '/']).next().expect("a tag has a name");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "before {:.60}", rest);
            } else if !(tag.ends_with('/') || ["!DOCTYPE", "meta"].contains(&name)) {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }

    /// Reports at the edges of what can happen.
    fn cases() -> Vec<(&'static str, Report)> {
        vec![
            ("admissions", fixture::admissions()),
            ("refused", fixture::refused()),
            ("empty", fixture::empty()),
            ("degenerate", fixture::degenerate()),
            ("hostile", fixture::hostile()),
            ("events", fixture::events()),
            ("events-without-points", fixture::events_without_points()),
            ("events-with-one-point", fixture::events_with_one_point()),
            ("events-all-hidden", fixture::events_all_hidden()),
            ("events-at-a-fixed-z", fixture::events_at_a_fixed_z()),
            (
                "events-with-many-points",
                fixture::events_with_many_points(),
            ),
            ("events-quiet", fixture::events_quiet()),
            ("events-degenerate", fixture::events_degenerate()),
            ("filtered", fixture::filtered()),
            ("evolved", fixture::evolved()),
            ("evolved-degenerate", fixture::evolved_degenerate()),
            ("filtered-few", fixture::filtered_few()),
            ("filtered-once", fixture::filtered_once()),
            ("filtered-degenerate", fixture::filtered_degenerate()),
        ]
    }

    #[test]
    fn every_page_is_well_formed_and_fetches_nothing() {
        for (name, report) in cases() {
            let page = html(&report);
            assert_balanced(&page);
            let own = page.replace("<meta http-equiv", "");
            for reference in [
                "http", "src=", "href=", "<script", "url(", "@import", "<link",
            ] {
                assert!(!own.contains(reference), "{name} has {reference}");
            }
        }
    }

    #[test]
    fn no_drawing_has_a_number_that_is_none() {
        for (name, report) in cases() {
            let page = html(&report);
            for value in ["NaN", "inf\"", "inf ", "-inf"] {
                assert!(!page.contains(value), "{name} has {value}");
            }
        }
    }

    #[test]
    fn every_text_of_the_report_is_shown_and_escaped() {
        let page = html(&fixture::hostile());
        assert!(!page.contains(fixture::HOSTILE));
        assert!(!page.contains("<script") && !page.contains("<img"));
        let shown = page.matches("&lt;script&gt;").count();
        assert!(shown > 60, "only {shown} of the texts are shown");
        assert!(!page.contains("onerror=\"") && !page.contains("onerror='"));
    }

    /// Everything on a page that can be read, seen or heard: texts, tooltips, attributes.
    fn texts(page: &str) -> impl Iterator<Item = &str> {
        let body = page.split("<body>").nth(1).unwrap_or("");
        let body = body.split("<pre").next().unwrap_or("");
        body.split(['<', '>', '"'])
    }

    /// Where a text counts from 1 to [`SMALL_CELL`] rows or persons.
    fn small_count(text: &str) -> bool {
        let words: Vec<&str> = text.split([' ', '\u{202f}', ';', ':', '(']).collect();
        words.windows(2).any(|pair| {
            let count: Result<u64, _> = pair[0].parse();
            let noun = pair[1].trim_end_matches(['.', ',', ')']);
            let nouns = [
                "rows", "row", "persons", "users", "records", "values", "cells", "read",
            ];
            count.is_ok_and(|count| (1..=SMALL_CELL).contains(&count)) && nouns.contains(&noun)
        })
    }

    #[test]
    fn no_text_and_no_tooltip_counts_few_persons() {
        assert!(small_count(
            "2024-01-01 to 2024-01-02: z 5, 7 read, some counts hidden"
        ));
        assert!(!small_count("12 of 5,008 rows and 0 persons"));
        for (name, report) in cases() {
            for text in texts(&html(&report)) {
                // Anyone who counts the release sees the sizes of its classes; k is promised.
                let open = [
                    " classes",
                    "smallest class",
                    "fewer than ",
                    "shared by at least ",
                ];
                let open = open.iter().any(|words| text.contains(words));
                assert!(open || !small_count(text), "{name}: {text}");
            }
        }
    }

    #[test]
    fn two_hundred_columns_stay_below_a_megabyte() {
        let page = html(&fixture::wide(200));
        assert!(page.len() < 1_000_000, "{} bytes", page.len());
        assert_balanced(&page);
    }

    #[test]
    fn two_thousand_points_stay_below_a_fifth_of_a_megabyte() {
        let page = html(&fixture::events_with_many_points());
        assert!(page.len() < 200_000, "{} bytes", page.len());
    }

    #[test]
    fn a_stream_has_no_classes_and_a_table_no_timeline() {
        let (stream, table) = (html(&fixture::events()), html(&fixture::admissions()));
        for (section, of_stream) in [
            ("timeline", true),
            ("levels", true),
            ("privacy", true),
            ("suppression", true),
            ("risk", false),
            ("loss", false),
            ("columns", false),
        ] {
            let section = format!("<section id=\"{section}\">");
            assert_eq!(stream.contains(&section), of_stream, "{section}");
            let of_both = section.contains("suppression");
            assert_eq!(table.contains(&section), !of_stream || of_both, "{section}");
        }
    }

    #[test]
    fn events_with_a_mask_tell_both() {
        let report = Report {
            pairs: fixture::filtered().pairs,
            ..fixture::events()
        };
        let page = html(&report);
        for section in ["timeline", "privacy", "pairs"] {
            assert!(
                page.contains(&format!("<section id=\"{section}\">")),
                "{section}"
            );
        }
        assert_balanced(&page);
    }

    #[test]
    fn the_same_report_gives_the_same_page() {
        assert_eq!(html(&fixture::admissions()), html(&fixture::admissions()));
    }

    /// Set `MORETTA_REPORT_DIR` to look at the pages in a browser.
    #[test]
    fn pages_can_be_written_to_a_folder() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let folder = std::env::var_os("MORETTA_REPORT_DIR")
            .map_or_else(|| temporary.path().to_owned(), std::path::PathBuf::from);
        for (name, report) in cases() {
            let path = folder.join(name).with_extension("html");
            std::fs::write(&path, html(&report)).expect("the page is written");
            let written = std::fs::read_to_string(&path).expect("the page is read");
            assert!(written.starts_with("<!DOCTYPE html>") && written.ends_with("</html>\n"));
        }
    }
}
