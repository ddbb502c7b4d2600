//! Rules between columns, and how rows fare with them.

use super::markup::Markup;
use super::number;
use moretta::pipeline::report::{Report, RuleFact};

const HEAD: &str = "<section id=\"rules\"><h2>Rules between columns</h2><div class=\"panel\">\
    <p class=\"note\">A row keeps a rule if it does so whatever its cells stand for, breaks it if \
    it does so whatever they stand for, and leaves it open otherwise: a reader who knows the rule \
    can rule some of these values out. Of the source, the rows that were released are told, \
    rounded up.</p><div class=\"scroll\"><table><thead><tr><th scope=\"col\">Rule</th>\
    <th scope=\"col\">says</th><th scope=\"col\" class=\"figure\">broken in the source</th>\
    <th scope=\"col\" class=\"figure\">kept in the release</th>\
    <th scope=\"col\" class=\"figure\">left open</th>\
    <th scope=\"col\" class=\"figure\">broken</th></tr></thead><tbody>";

pub(super) fn write(report: &Report, page: &mut Markup) {
    if report.rules.is_empty() {
        return;
    }
    page.raw(HEAD);
    for rule in &report.rules {
        page.element("tr", &[], |page| write_rule(rule, page));
    }
    page.raw("</tbody></table></div></div></section>");
}

fn write_rule(rule: &RuleFact, page: &mut Markup) {
    page.leaf("th", &[("scope", &"row")], &rule.name);
    page.element("td", &[], |page| page.leaf("code", &[], &rule.says));
    for figure in [
        source(rule),
        number::count(rule.kept),
        number::count(rule.open),
        number::count(rule.broken),
    ] {
        page.leaf("td", &[("class", &"figure")], figure);
    }
}

/// Rows that broke it before, as far as they are told.
fn source(rule: &RuleFact) -> String {
    match rule.broken_in_source {
        None => "not told".to_owned(),
        Some(0) => "0".to_owned(),
        Some(rows) => format!("at most {}", number::count(rows)),
    }
}

/// One line for a terminal.
pub(super) fn line(rule: &RuleFact) -> String {
    let mark = if rule.broken == 0 { "✓" } else { "!" };
    let open = match rule.open {
        0 => String::new(),
        rows => format!(", left open by {}", number::count(rows)),
    };
    format!(
        "{mark} rule {}: broken by {} released rows{open}",
        rule.name,
        number::count(rule.broken)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(broken_in_source: Option<u64>) -> Report {
        Report {
            rules: vec![RuleFact {
                name: "<b>".to_owned(),
                says: "age >= 18".to_owned(),
                broken_in_source,
                kept: 1234,
                open: 56,
                broken: 0,
            }],
            ..Report::default()
        }
    }

    #[test]
    fn rules_are_told_with_their_counts_and_names_cannot_break_the_page() {
        let written = |report: &Report| {
            let mut page = Markup::default();
            write(report, &mut page);
            page.into_string()
        };
        let page = written(&report(Some(20)));
        for part in ["&lt;b&gt;", "age &gt;= 18", "at most 20", "1,234", ">56<"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(written(&report(None)).contains("not told"));
        assert_eq!(written(&Report::default()), "");
        assert!(line(&report(None).rules[0]).contains("left open by 56"));
    }
}
