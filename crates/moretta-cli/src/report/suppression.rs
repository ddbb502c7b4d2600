//! How rows fared: released, or suppressed and why.
//!
//! A hidden count must not come back as what was read less what was released,
//! so where that difference would tell it, the page shows rows read and rows
//! suppressed as the range that the hidden count leaves open.

use super::markup::Markup;
use super::number;
use moretta::pipeline::report::{Report, RowFacts, SMALL_CELL};

/// Rows suppressed, as far as the page tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suppressed {
    /// At least so many.
    pub(crate) low: u64,
    /// At most so many.
    pub(crate) high: u64,
}

impl Suppressed {
    pub(crate) fn of(rows: &RowFacts) -> Self {
        let exact = rows.read.saturating_sub(rows.released);
        let (known, hidden) = known_and_hidden(rows);
        let open = match hidden {
            0 if exact > SMALL_CELL => exact..=exact,
            0 => exact.min(1)..=SMALL_CELL.min(exact.saturating_mul(SMALL_CELL)),
            _ => {
                let most = SMALL_CELL.saturating_mul(hidden);
                known.saturating_add(hidden)..=known.saturating_add(most)
            }
        };
        // Outside of what the reasons leave open, rows went for reasons that
        // are not told, and the difference gives no hidden count away.
        if open.contains(&exact) {
            Self {
                low: *open.start(),
                high: *open.end(),
            }
        } else {
            Self {
                low: exact,
                high: exact,
            }
        }
    }

    pub(super) fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// The count, or its range.
    pub(crate) fn rows(self) -> String {
        range(self.low, self.high)
    }

    /// Rows read, or their range.
    pub(crate) fn read(self, released: u64) -> String {
        range(
            released.saturating_add(self.low),
            released.saturating_add(self.high),
        )
    }

    /// The share of rows read, or a bound.
    pub(super) fn share(self, released: u64) -> String {
        let read = released.saturating_add(self.high);
        if read == 0 {
            return number::NONE.to_owned();
        }
        let share = number::percent(self.high as f64 / read as f64);
        if self.is_exact() {
            share
        } else {
            format!("≤ {share}")
        }
    }
}

fn range(low: u64, high: u64) -> String {
    if low == high {
        number::count(low)
    } else {
        format!("{}–{}", number::count(low), number::count(high))
    }
}

/// Rows of the reasons that are told, and how many reasons are not.
fn known_and_hidden(rows: &RowFacts) -> (u64, u64) {
    let told = rows.suppressed.iter();
    let told = told.filter_map(|reason| number::told(reason.rows));
    let hidden = rows.suppressed.len() - told.clone().count();
    (told.sum(), hidden as u64)
}

pub(super) fn write(report: &Report, page: &mut Markup) {
    let rows = &report.rows;
    let suppressed = Suppressed::of(rows);
    page.element("section", &[("id", &"suppression")], |page| {
        page.raw("<h2>What was suppressed</h2><div class=\"panel\">");
        balance(report, page);
        if rows.suppressed.is_empty() {
            lead_without_reasons(suppressed, page);
        } else {
            reasons(rows, page);
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

fn lead_without_reasons(suppressed: Suppressed, page: &mut Markup) {
    if suppressed.high == 0 {
        page.raw("<p>No row was suppressed.</p>");
    } else {
        page.element("p", &[], |page| {
            page.text(suppressed.rows());
            page.raw(" rows, for reasons that were not recorded.");
        });
    }
}

/// One bar: what was released of what was read.
fn balance(report: &Report, page: &mut Markup) {
    let rows = &report.rows;
    let suppressed = Suppressed::of(rows);
    let read = rows.released.saturating_add(suppressed.high);
    if read == 0 {
        return;
    }
    let released = (rows.released as f64 / read as f64 * 1000.0).round();
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
    let (known, hidden) = known_and_hidden(rows);
    let rest = rows
        .read
        .saturating_sub(rows.released)
        .saturating_sub(known);
    // Counts hidden only to protect their neighbours can be larger.
    let all_small = rest <= SMALL_CELL.saturating_mul(hidden);
    page.raw("<table><thead><tr><th scope=\"col\">Reason</th>");
    page.raw("<th scope=\"col\" class=\"figure\">Rows</th></tr></thead><tbody>");
    for reason in &rows.suppressed {
        page.element("tr", &[], |page| {
            page.element("th", &[("scope", &"row")], |page| page.prose(&reason.why));
            let (class, text) = match number::hidden_or_count(reason.rows) {
                text if !text.ends_with("hidden") => ("figure", text),
                text if all_small => ("figure hidden", text),
                _ => ("figure hidden", "hidden".to_owned()),
            };
            page.leaf("td", &[("class", &class)], text);
        });
    }
    page.raw("</tbody></table>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::pipeline::report::Reason;

    fn facts(read: u64, released: u64, suppressed: &[Option<u64>]) -> RowFacts {
        let reason = |rows: &Option<u64>| Reason {
            why: "class too small".to_owned(),
            rows: *rows,
        };
        RowFacts {
            read_is_bound: suppressed.contains(&None),
            read,
            released,
            suppressed: suppressed.iter().map(reason).collect(),
            classes_before: 0,
            classes_after: 0,
            escaped: 0,
        }
    }

    #[test]
    fn a_hidden_count_does_not_come_back_by_subtraction() {
        for (suppressed, low, high) in [
            (&[][..], 1, 10),
            (&[None], 1, 10),
            (&[Some(7)], 1, 10),
            (&[None, None], 2, 20),
        ] {
            let found = Suppressed::of(&facts(5000, 4993, suppressed));
            assert_eq!(found, Suppressed { low, high }, "{suppressed:?}");
        }
        let found = Suppressed::of(&facts(5000, 4893, &[Some(100), None]));
        assert_eq!(
            found,
            Suppressed {
                low: 101,
                high: 110
            }
        );
        assert_eq!(found.read(4893), "4,994–5,003");
        assert!(found.share(4893).starts_with("≤ 2.2"));
    }

    #[test]
    fn what_may_be_told_is_exact() {
        for (read, released, suppressed, exact) in [
            (5000, 5000, &[][..], 0),
            (5000, 5000, &[Some(0)], 0),
            (5000, 4900, &[Some(100)], 100),
            (5000, 4900, &[None, None], 100),
            (0, 0, &[], 0),
        ] {
            let found = Suppressed::of(&facts(read, released, suppressed));
            assert_eq!((found.low, found.high), (exact, exact));
            assert_eq!(found.read(released), number::count(read));
        }
    }

    #[test]
    fn counts_hidden_for_their_neighbours_are_not_called_small() {
        let mut page = Markup::default();
        reasons(&facts(5000, 4900, &[None, None]), &mut page);
        let page = page.into_string();
        assert!(page.contains(">hidden<") && !page.contains("1–10"));
    }
}
