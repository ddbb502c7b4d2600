//! Whether the release keeps what was promised: headline, claims, key figures,
//! warnings.

use super::markup::Markup;
use super::promises::{is_masked, k_anonymity, promised_k, whole};
use super::suppression::Suppressed;
use super::{measures, number, risk};
use moretta::data::duration_text;
use moretta::measure::pairs::{PairFacts, PairValue};
use moretta::pipeline::report::{Claim, Report, StreamFacts};

pub(super) fn write(report: &Report, page: &mut Markup) {
    let tone = match report.verdict.passed {
        true if report.verdict.claims.is_empty() => "verdict open",
        true => "verdict passed",
        false => "verdict refused",
    };
    page.element("section", &[("id", &"verdict"), ("class", &tone)], |page| {
        page.leaf("h1", &[], headline(report));
        page.leaf("p", &[], explanation(report));
    });
    tiles(report, page);
    warnings(report, page);
    claims(report, page);
    levels(report, page);
}

/// The releases for other readers, of which this is one.
fn levels(report: &Report, page: &mut Markup) {
    let Some(facts) = &report.levels else {
        return;
    };
    page.element("section", &[("id", &"levels")], |page| {
        page.leaf("h2", &[], "Levels");
        page.leaf(
            "p",
            &[("class", &"note")],
            format!(
                "One table, released for {}. Each class of a stricter level is a union of classes of the finer ones, and all levels show the same rows: who has all of them still sees everybody among at least {}.",
                match facts.levels.len() {
                    1 => "one kind of readers".to_owned(),
                    kinds => format!("{} kinds of readers", number::count(kinds as u64)),
                },
                number::count(u64::from(facts.together()))
            ),
        );
        page.element("table", &[], |page| {
            page.element("thead", &[], |page| {
                page.element("tr", &[], |page| {
                    for head in ["Level", "Persons in a class, at least", "This report"] {
                        page.leaf("th", &[("scope", &"col")], head);
                    }
                });
            });
            page.element("tbody", &[], |page| {
                for level in &facts.levels {
                    page.element("tr", &[], |page| {
                        page.leaf("th", &[("scope", &"row")], &level.name);
                        page.leaf("td", &[("class", &"number")], number::count(u64::from(level.k)));
                        let this = if level.name == facts.level { "✓" } else { "" };
                        page.leaf("td", &[], this);
                    });
                }
            });
        });
    });
}

/// The verdict in one line, also the title of the page.
pub(super) fn headline(report: &Report) -> String {
    let verdict = &report.verdict;
    let done = match (verdict.passed, report.sink.is_some()) {
        (true, true) => "Released",
        (true, false) => "Checked",
        (false, _) => "Refused",
    };
    format!("{done}: {}", finding(report))
}

fn finding(report: &Report) -> String {
    let verdict = &report.verdict;
    let claims = verdict.claims.len();
    let broken = verdict.claims.iter().filter(|claim| !claim.holds).count();
    if verdict.passed && report.rows.released == 0 && is_masked(report) {
        return "no row may be shown".to_owned();
    }
    if verdict.passed && report.stream.is_some() && claims > 0 {
        return released(report);
    }
    if verdict.passed {
        let k = k_anonymity(report).and_then(|claim| whole(claim.found_value));
        return match k {
            Some(k) => format!(
                "every {} hides among at least {}",
                verdict.unit.trim_end_matches('s'),
                number::count(k)
            ),
            None if claims == 0 => "nothing was promised".to_owned(),
            None => "everything promised holds".to_owned(),
        };
    }
    match (broken, claims) {
        (0, _) if verdict.truthful == Some(false) => {
            "a released row does not cover its original".to_owned()
        }
        (0, _) if measures::over_limit(report).next().is_some() => {
            "a measure is over its limit".to_owned()
        }
        (0, _) => "the checker did not pass it".to_owned(),
        (1, 1) => "what was promised does not hold".to_owned(),
        (1, _) => format!("1 of {claims} promises does not hold"),
        (_, _) => format!("{broken} of {claims} promises do not hold"),
    }
}

/// What was released of a stream, and among how many users.
fn released(report: &Report) -> String {
    let rows = &report.rows;
    let mut text = format!(
        "{} of {} rows",
        number::count(rows.released),
        Suppressed::of(rows).read(rows.released)
    );
    let claims = report.verdict.claims.iter();
    let claims = claims.filter(|claim| claim.name.starts_with("z-anonymity"));
    let users = claims.filter_map(|claim| whole(claim.found_value));
    text += &match users.min() {
        Some(users) => format!(
            ", each value shared by at least {} users",
            number::count(users)
        ),
        None => "; everything promised holds".to_owned(),
    };
    text
}

fn explanation(report: &Report) -> &'static str {
    let verdict = &report.verdict;
    match (verdict.passed, report.sink.is_some()) {
        (true, _) if verdict.claims.is_empty() => {
            "The policy sets no guarantee, so none was checked."
        }
        (true, true) if report.verdict.claims.iter().any(is_private) => {
            "How much a record loses is kept by how noise is made; nobody can read it off the file."
        }
        (true, true) if report.stream.is_some() => {
            "Every promise was checked by code that did not make the release."
        }
        (true, true) => {
            "The release was read again and every promise checked by code that did not make it."
        }
        (true, false) => "Every promise was checked. This run wrote no data.",
        (false, true) => "Do not pass the file on.",
        (false, false) => "Nothing was written.",
    }
}

fn is_private(claim: &Claim) -> bool {
    claim.name.starts_with("differential privacy")
}

/// A key figure.
struct Tile {
    name: &'static str,
    value: String,
    more: String,
    alarm: bool,
}

fn tiles(report: &Report, page: &mut Markup) {
    page.element("dl", &[("class", &"tiles")], |page| {
        let figures: Vec<Tile> = match (&report.stream, &report.pairs) {
            (Some(facts), _) => stream(facts).into(),
            (None, Some(facts)) => masked(facts).into(),
            (None, None) if is_masked(report) => Vec::new(),
            (None, None) => figures(report).into(),
        };
        for tile in rows(report).into_iter().chain(figures) {
            let class = if tile.alarm { "value fails" } else { "value" };
            page.element("div", &[], |page| {
                page.leaf("dt", &[], tile.name);
                page.leaf("dd", &[("class", &class)], &tile.value);
                page.leaf("dd", &[("class", &"note")], &tile.more);
            });
        }
    });
}

fn rows(report: &Report) -> [Tile; 3] {
    let released = report.rows.released;
    let suppressed = Suppressed::of(&report.rows);
    let release = match report.sink {
        Some(_) => "Rows released",
        None => "Rows to release",
    };
    let tile = |name, value, more| Tile {
        name,
        value,
        more,
        alarm: false,
    };
    [
        tile("Rows read", suppressed.read(released), String::new()),
        tile(release, number::count(released), String::new()),
        tile(
            "Suppressed",
            suppressed.share(released),
            format!("{} rows", suppressed.rows()),
        ),
    ]
}

fn figures(report: &Report) -> [Tile; 3] {
    let gcp = report.measures.iter().find(|measure| measure.name == "gcp");
    let limit = gcp.and_then(|gcp| gcp.limit);
    let highest = risk::highest(report);
    let allowed = promised_k(report).map_or(1.0, |k| 1.0 / k as f64);
    [
        Tile {
            name: "Classes",
            value: number::count(report.rows.classes_after),
            more: format!("{} before", number::count(report.rows.classes_before)),
            alarm: false,
        },
        Tile {
            name: "Information lost",
            value: gcp.map_or(number::NONE.to_owned(), |gcp| number::percent(gcp.after)),
            more: limit.map_or("GCP".to_owned(), |limit| {
                format!("GCP, limit {}", number::percent(limit))
            }),
            alarm: gcp.is_some_and(measures::is_over),
        },
        Tile {
            name: "Highest risk",
            value: highest.map_or(number::NONE.to_owned(), number::percent),
            more: highest.map_or_else(String::new, |risk| {
                format!("one in {}", number::number(1.0 / risk))
            }),
            alarm: highest.is_some_and(|risk| risk > allowed + 1e-9),
        },
    ]
}

/// From here on most users can be recognised.
const MOST: f64 = 0.5;

fn stream(facts: &StreamFacts) -> [Tile; 3] {
    let share = |share: Option<f64>| share.map_or(number::NONE.to_owned(), number::percent);
    let window = duration_text(facts.window);
    [
        Tile {
            name: "z at the end",
            value: number::count(u64::from(facts.z)),
            more: format!("users in {window}"),
            alarm: false,
        },
        Tile {
            name: "Users alike",
            value: share(facts.p_window),
            more: facts.goal.map_or(format!("in {window}"), |goal| {
                format!("in {window}, goal {}", number::percent(goal))
            }),
            alarm: false,
        },
        Tile {
            name: "Users unique",
            value: share(facts.unique_all),
            more: "over all time".to_owned(),
            alarm: facts
                .unique_all
                .is_some_and(|share| (MOST..=1.0).contains(&share)),
        },
    ]
}

/// The best of the attackers, and what masking has cost.
fn masked(facts: &PairFacts) -> [Tile; 3] {
    let of = |family: &'static str| {
        let measures = facts.measures.iter();
        measures.filter(move |measure| measure.family == family)
    };
    let value = |measure: Option<&PairValue>| {
        let value = measure.and_then(|measure| measure.value);
        value.map_or(number::NONE.to_owned(), number::percent)
    };
    let linked = of("risk")
        .filter(|measure| measure.name.ends_with("linkage") && measure.value.is_some())
        .max_by(|one, other| {
            let value = |measure: &PairValue| measure.value.unwrap_or(0.0);
            value(one).total_cmp(&value(other))
        });
    let named = |name: &'static str| of("loss").find(move |measure| measure.name == name);
    [
        Tile {
            name: "Records linked",
            value: value(linked),
            more: linked.map_or_else(String::new, |measure| {
                format!("at most, by {}", measure.name.replace('_', " "))
            }),
            alarm: false,
        },
        Tile {
            name: "Spread lost",
            value: value(named("sse_ratio")),
            more: "SSE over SST".to_owned(),
            alarm: false,
        },
        Tile {
            name: "Statistics lost",
            value: value(named("probabilistic_information_loss")),
            more: "probabilistic information loss".to_owned(),
            alarm: false,
        },
    ]
}

fn warnings(report: &Report, page: &mut Markup) {
    if report.warnings.is_empty() {
        return;
    }
    page.raw("<section id=\"warnings\" class=\"warnings\"><h2>To be weighed</h2><ul>");
    for warning in &report.warnings {
        page.element("li", &[], |page| page.prose(warning));
    }
    page.raw("</ul></section>");
}

fn claims(report: &Report, page: &mut Markup) {
    let verdict = &report.verdict;
    if verdict.claims.is_empty() && verdict.truthful.is_none() {
        return;
    }
    page.raw("<section id=\"claims\"><h2>What was promised</h2><div class=\"scroll\"><table>");
    page.raw("<thead><tr><th scope=\"col\">Promise</th><th scope=\"col\">Promised</th>");
    page.raw("<th scope=\"col\">Found</th><th scope=\"col\">Holds</th></tr></thead><tbody>");
    for claim in &verdict.claims {
        row(
            page,
            [&claim.name, &claim.promised, &claim.found],
            claim.holds,
        );
    }
    if let Some(truthful) = verdict.truthful {
        let found = if truthful {
            "every row"
        } else {
            "not every row"
        };
        row(
            page,
            ["truthfulness", "released rows cover their originals", found],
            truthful,
        );
    }
    page.raw("</tbody></table></div></section>");
}

fn row(page: &mut Markup, [name, promised, found]: [&str; 3], holds: bool) {
    page.element("tr", &[], |page| {
        page.element("th", &[("scope", &"row")], |page| page.prose(name));
        page.leaf("td", &[], promised);
        page.leaf("td", &[], found);
        if holds {
            page.raw("<td class=\"holds\">✓ holds</td>");
        } else {
            page.raw("<td class=\"fails\">✗ fails</td>");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_headline_says_what_happened() {
        let check = |change: fn(&mut Report), expected: &str| {
            let mut report = fixture::admissions();
            change(&mut report);
            assert_eq!(headline(&report), expected);
        };
        check(|_| (), "Released: every person hides among at least 5");
        check(
            |report| report.sink = None,
            "Checked: every person hides among at least 5",
        );
        check(
            |report| {
                report.verdict.unit = "rows".to_owned();
                report.verdict.claims[0].found_value = Some(1200.0);
            },
            "Released: every row hides among at least 1,200",
        );
        check(
            |report| report.verdict.claims.clear(),
            "Released: nothing was promised",
        );
        check(
            |report| {
                report.verdict.passed = false;
                report.verdict.claims[1].holds = false;
            },
            "Refused: 1 of 3 promises does not hold",
        );
        check(
            |report| {
                report.verdict.passed = false;
                report.measures[0].limit = Some(0.0);
            },
            "Refused: a measure is over its limit",
        );
        check(
            |report| {
                report.verdict.passed = false;
                report.verdict.truthful = Some(false);
            },
            "Refused: a released row does not cover its original",
        );
    }

    #[test]
    fn the_headline_of_a_stream_counts_its_rows() {
        let check = |change: fn(&mut Report), expected: &str| {
            let mut report = fixture::events();
            report.rows.released = 97_412;
            report.rows.suppressed.clear();
            change(&mut report);
            assert_eq!(headline(&report), expected);
        };
        check(
            |_| (),
            "Released: 97,412 of 97,412 rows, each value shared by at least 5 users",
        );
        check(
            |report| report.rows.suppressed = vec![fixture::reason("rare", 10)],
            "Released: 97,412 of ≤\u{202f}97,422 rows, each value shared by at least 5 users",
        );
        check(
            |report| {
                report.verdict.claims.remove(0);
            },
            "Released: 97,412 of 97,412 rows; everything promised holds",
        );
        check(
            |report| report.verdict.claims.clear(),
            "Released: nothing was promised",
        );
        check(
            |report| {
                report.verdict.passed = false;
                report.verdict.claims[0].holds = false;
            },
            "Refused: 1 of 2 promises does not hold",
        );
    }

    #[test]
    fn k_is_read_from_its_claim() {
        let mut report = fixture::admissions();
        assert_eq!(promised_k(&report), Some(5));
        report.verdict.claims.remove(0);
        assert_eq!(promised_k(&report), None);
    }
}
