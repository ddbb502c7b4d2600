//! Whom the release leaves recognisable, and what it is still worth.

use crate::markup::Markup;
use crate::number;
use moretta::data::duration_text;
use moretta::pipeline::report::StreamFacts;

/// From this share of unique users on the page warns.
const MANY: f64 = 0.05;

pub(super) fn write(facts: &StreamFacts, page: &mut Markup) {
    page.raw("<section id=\"privacy\"><h2>Who can be recognised</h2>");
    advice(facts, page);
    page.raw("<div class=\"pair\"><div class=\"panel\"><h3>Users by what they show</h3>");
    users(facts, page);
    page.raw("</div><div class=\"panel\"><h3>What the release is worth</h3>");
    worth(facts, page);
    page.raw("</div></div></section>");
}

/// What a steward should make of it.
fn advice(facts: &StreamFacts, page: &mut Markup) {
    let Some(unique) = facts.unique_all.filter(|share| (0.0..=1.0).contains(share)) else {
        page.raw(
            "<p class=\"advice\">How many users can be recognised over all time was not measured. ",
        );
        page.raw("z hides single events; it does not hide users whose events are released under one name for long.</p>");
        return;
    };
    if unique < MANY {
        page.element("p", &[("class", &"advice")], |page| {
            page.text(number::percent(unique));
            page.raw(
                " of the users have a set of released values that nobody else has over all time. ",
            );
            page.raw("Few can be recognised by what they show together.");
        });
        return;
    }
    page.element("p", &[("class", &"advice weak")], |page| {
        page.element("strong", &[], |page| {
            page.raw("The names of users are the weak spot: ");
            page.text(number::percent(unique));
            page.raw(" of them have a set of released values that nobody else has over all time.");
        });
        page.raw(" Each value is shared by enough users, but whoever knows a few events of such a user finds all the others under the same name. ");
        page.raw("Give users new pseudonyms again and again (<code>rotate</code>), drop the subject, or hold back what makes sets unique (<code>unique_sets = &quot;hold&quot;</code>).");
    });
}

fn users(facts: &StreamFacts, page: &mut Markup) {
    page.raw("<table><thead><tr><th scope=\"col\">Share of users</th>");
    page.element("th", &[("scope", &"col"), ("class", &"figure")], |page| {
        page.raw("In ");
        page.text(duration_text(facts.window));
    });
    page.raw("<th scope=\"col\" class=\"figure\">Over all time</th></tr></thead><tbody>");
    let alike = format!("Alike (p_{})", facts.k);
    let meaning = format!(
        "whose released set {} or more users have",
        number::count(u64::from(facts.k))
    );
    row(
        page,
        &alike,
        &meaning,
        &[share(facts.p_window), share(facts.p_all)],
    );
    row(
        page,
        "Unique",
        "whose released set nobody else has",
        &[share(facts.unique_window), share(facts.unique_all)],
    );
    page.raw("</tbody></table>");
    page.element("p", &[("class", &"note foot")], |page| {
        page.raw("Figures of the window are means over the intervals.");
        if let Some(rows) = facts.all_time_rows {
            page.raw(" Figures over all time are of ");
            page.text(number::hidden_or_count(Some(rows)));
            page.raw(" rows only: memory did not allow for more.");
        }
    });
}

fn worth(facts: &StreamFacts, page: &mut Markup) {
    let bits = |bits: Option<f64>| match bits {
        Some(bits) if bits.is_finite() => format!("{}\u{202f}bits", number::number(bits)),
        _ => number::NONE.to_owned(),
    };
    page.raw("<table><tbody>");
    row(
        page,
        "Information left",
        "of what the values told before",
        &[share(facts.residual_information)],
    );
    row(
        page,
        "Entropy",
        "of the values before, of the labels released",
        &[format!(
            "{} → {}",
            bits(facts.entropy_before),
            bits(facts.entropy_after)
        )],
    );
    let delay = facts.delay.map_or("not measured".to_owned(), |delay| {
        let mean = number::seconds(delay.mean / 1000.0);
        match delay.max {
            ..=0 => mean,
            most => format!("{mean}, at most {}", number::seconds(most as f64 / 1000.0)),
        }
    });
    let mode = format!(
        "that released rows waited, by the times of the stream; mode {}",
        facts.mode
    );
    row(page, "Mean delay", &mode, &[delay]);
    row(
        page,
        "Made-up rows",
        "that no user caused",
        &[number::told(facts.fakes).map_or("hidden".to_owned(), number::count)],
    );
    page.raw("</tbody></table>");
}

fn row(page: &mut Markup, name: &str, meaning: &str, figures: &[String]) {
    page.element("tr", &[], |page| {
        page.element("th", &[("scope", &"row")], |page| {
            page.text(name);
            page.leaf("span", &[("class", &"meaning")], meaning);
        });
        for figure in figures {
            page.leaf("td", &[("class", &"figure")], figure);
        }
    });
}

fn share(share: Option<f64>) -> String {
    share.map_or(number::NONE.to_owned(), number::percent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn many_unique_users_are_warned_of_and_the_way_out_is_told() {
        let check = |unique: Option<f64>, expected: &str, warns: bool| {
            let report = fixture::events();
            let mut facts = report.stream.expect("the report of a stream");
            facts.unique_all = unique;
            let mut page = Markup::default();
            write(&facts, &mut page);
            let page = page.into_string();
            assert!(page.contains(expected), "{unique:?}");
            assert_eq!(page.contains("unique_sets"), warns, "{unique:?}");
        };
        check(Some(0.98), "98\u{202f}% of them", true);
        check(Some(0.382), "weak spot", true);
        check(Some(0.01), "Few can be recognised", false);
        check(Some(0.0), "Few can be recognised", false);
        check(None, "not measured", false);
        check(Some(f64::NAN), "not measured", false);
    }
}
