//! How rows fared: released, or suppressed and why.
//!
//! How many were suppressed is told as a bound, also by what was read less what was released. Rows
//! that were not drawn into a sample, or that repeat a label of their person, are left out by design
//! and told apart.

use super::markup::Markup;
use super::number;
use moretta::pipeline::report::{Report, RowFacts};

/// Rows suppressed, as far as the report tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suppressed {
    /// At most so many.
    at_most: u64,
    /// Others were left out by design, at most so many.
    left_out: u64,
    /// These are shown by other rows of their person.
    merged: bool,
}

impl Suppressed {
    pub(crate) fn of(rows: &RowFacts) -> Self {
        let reasons = rows.suppressed.iter().map(|reason| reason.at_most);
        Suppressed {
            at_most: reasons.fold(0, u64::saturating_add),
            left_out: rows.left_out,
            merged: rows.merged,
        }
    }

    /// Whether no row was.
    pub(crate) fn is_none(self) -> bool {
        self.at_most == 0
    }

    /// "0" or "≤ 20".
    pub(crate) fn rows(self) -> String {
        bound(!self.is_none(), number::count(self.at_most))
    }

    /// Rows that were left out by design, "≤ 900"; none where none was.
    pub(crate) fn left_out(self) -> Option<String> {
        let some = self.left_out > 0;
        some.then(|| bound(true, number::count(self.left_out)))
    }

    /// Rows read, or a bound.
    pub(crate) fn read(self, released: u64) -> String {
        let shown = released.saturating_add(self.at_most);
        let read = shown.saturating_add(self.left_out);
        bound(self.at_most.max(self.left_out) > 0, number::count(read))
    }

    /// The share of rows read, or of those in the sample; or a bound.
    pub(crate) fn share(self, released: u64) -> String {
        match self.most_drawn(released) {
            0 => number::NONE.to_owned(),
            drawn => {
                let share = number::percent(self.at_most as f64 / drawn as f64);
                bound(!self.is_none(), share)
            }
        }
    }

    /// Rows read, or drawn into the sample, at most.
    pub(crate) fn most_drawn(self, released: u64) -> u64 {
        let shown = if self.merged { self.left_out } else { 0 };
        released.saturating_add(self.at_most).saturating_add(shown)
    }
}

fn bound(is_bound: bool, figure: String) -> String {
    match is_bound {
        true => format!("≤\u{202f}{figure}"),
        false => figure,
    }
}

pub(crate) fn write(report: &Report, page: &mut Markup) {
    let rows = &report.rows;
    let suppressed = Suppressed::of(rows);
    page.element("section", &[("id", &"suppression")], |page| {
        page.raw("<h2>What was suppressed</h2><div class=\"panel\">");
        balance(report, page);
        if suppressed.is_none() {
            page.raw("<p>No row was suppressed.</p>");
        } else {
            reasons(rows, page);
        }
        if let Some(left_out) = suppressed.left_out() {
            page.element("p", &[("class", &"note")], |page| {
                page.raw(match rows.merged {
                    true => "Left out because their person shows the same label in another row: ",
                    false => "Not drawn into the sample, by design: ",
                });
                page.text(left_out);
                page.raw(" rows. They count neither as suppressed nor as lost.");
            });
        }
        if rows.escaped > 0 {
            page.element("p", &[("class", &"note")], |page| {
                page.raw("Cells escaped because a spreadsheet would run them as formulas: ");
                page.text(number::hidden_or_count(Some(rows.escaped)));
            });
        }
        page.raw("</div>");
    });
}

/// One bar: what was released of what was read, or drawn.
fn balance(report: &Report, page: &mut Markup) {
    let rows = &report.rows;
    let suppressed = Suppressed::of(rows);
    let drawn = suppressed.most_drawn(rows.released);
    if drawn == 0 {
        return;
    }
    let released = (rows.released as f64 / drawn as f64 * 1000.0).round();
    let title = format!(
        "{} of {} rows {} released",
        number::count(rows.released),
        suppressed.read(rows.released),
        match report.sink {
            Some(_) => "were",
            None => "would be",
        }
    );
    page.element(
        "svg",
        &[
            ("class", &"balance"),
            ("viewBox", &"0 0 1000 10"),
            ("preserveAspectRatio", &"none"),
            ("role", &"img"),
        ],
        |page| {
            page.leaf("title", &[], &title);
            page.raw("<rect class=\"alarm\" width=\"1000\" height=\"10\"/>");
            page.shape(
                "rect",
                &[("class", &"after"), ("width", &released), ("height", &"10")],
            );
        },
    );
    page.element("p", &[("class", &"note")], |page| {
        page.text(&title);
        page.raw("; ");
        page.text(suppressed.rows());
        page.raw(" suppressed (");
        page.text(suppressed.share(rows.released));
        page.raw(").");
    });
}

fn reasons(rows: &RowFacts, page: &mut Markup) {
    page.raw("<table><thead><tr><th scope=\"col\">Reason</th>");
    page.raw("<th scope=\"col\" class=\"figure\">Rows</th></tr></thead><tbody>");
    for reason in &rows.suppressed {
        page.element("tr", &[], |page| {
            page.element("th", &[("scope", &"row")], |page| page.prose(&reason.why));
            let bound = format!("≤\u{202f}{}", number::count(reason.at_most));
            page.leaf("td", &[("class", &"figure")], bound);
        });
    }
    page.raw("</tbody></table>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::pipeline::report::Reason;

    fn facts(released: u64, suppressed: &[u64]) -> RowFacts {
        let reason = |&at_most: &u64| Reason {
            why: "class too small".to_owned(),
            at_most,
        };
        let gone: u64 = suppressed.iter().sum();
        RowFacts {
            read_is_bound: gone > 0,
            read: released + gone,
            released,
            suppressed: suppressed.iter().map(reason).collect(),
            ..RowFacts::default()
        }
    }

    #[test]
    fn rows_that_were_not_drawn_are_read_and_not_suppressed() {
        let mut facts = facts(90, &[10]);
        facts.left_out = 900;
        let found = Suppressed::of(&facts);
        assert_eq!(found.rows(), "≤\u{202f}10");
        assert_eq!(found.share(90), "≤\u{202f}10\u{202f}%");
        assert_eq!(found.read(90), "≤\u{202f}1,000");
        assert_eq!(found.left_out().as_deref(), Some("≤\u{202f}900"));
        facts.suppressed.clear();
        let found = Suppressed::of(&facts);
        assert_eq!(
            (found.rows(), found.read(90)),
            ("0".into(), "≤\u{202f}990".into())
        );
        let mut report = crate::fixture::admissions();
        report.rows = facts;
        let mut page = Markup::default();
        write(&report, &mut page);
        let page = page.into_string();
        assert!(page.contains("No row was suppressed."), "{page}");
        assert!(
            page.contains("Not drawn into the sample, by design: ≤\u{202f}900 rows"),
            "{page}"
        );
        let text = crate::summary::summary(&report);
        assert!(
            text.contains("not drawn into the sample ≤ 900 rows\n"),
            "{text}"
        );
        assert!(!text.contains("suppressed"), "{text}");
    }

    #[test]
    fn rows_are_told_as_bounds_unless_none_was_suppressed() {
        for (released, suppressed, rows, read, share) in [
            (5000, &[][..], "0", "5,000", "0\u{202f}%"),
            (
                4990,
                &[10],
                "≤\u{202f}10",
                "≤\u{202f}5,000",
                "≤\u{202f}0.2\u{202f}%",
            ),
            (
                4880,
                &[110, 10],
                "≤\u{202f}120",
                "≤\u{202f}5,000",
                "≤\u{202f}2.4\u{202f}%",
            ),
            (0, &[], "0", "0", number::NONE),
        ] {
            let found = Suppressed::of(&facts(released, suppressed));
            assert_eq!(found.rows(), rows);
            assert_eq!(found.read(released), read);
            assert_eq!(found.share(released), share);
        }
    }

    #[test]
    fn every_reason_has_its_bound() {
        let mut page = Markup::default();
        reasons(&facts(4880, &[110, 10]), &mut page);
        let page = page.into_string();
        assert!(
            page.contains(">≤\u{202f}110<") && page.contains(">≤\u{202f}10<"),
            "{page}"
        );
    }
}
