//! The measures of loss and of risk, with their limits.

use super::markup::Markup;
use super::number;
use moretta::pipeline::report::{MeasureFact, Report};

/// Families in the order they are shown.
const FAMILIES: [(&str, &str); 2] = [("loss", "Loss"), ("risk", "Risk")];

pub(super) fn write(report: &Report, page: &mut Markup) {
    if report.measures.is_empty() {
        return;
    }
    page.raw("<section id=\"measures\"><h2>Measures</h2>");
    page.raw("<div class=\"scroll\"><table class=\"measures\"><thead><tr>");
    page.raw("<th scope=\"col\">Measure</th>");
    page.raw("<th scope=\"col\" class=\"figure\">Before</th>");
    page.raw("<th scope=\"col\" class=\"figure\">After</th>");
    page.raw("<th scope=\"col\" class=\"figure\">Limit</th></tr></thead>");
    for (family, heading) in FAMILIES {
        group(report, heading, |measure| measure.family == family, page);
    }
    let known = |measure: &MeasureFact| FAMILIES.iter().any(|(name, _)| *name == measure.family);
    group(report, "Other", |measure| !known(measure), page);
    page.raw("</table></div></section>");
}

/// Measures over the limit that the policy sets for them.
pub(super) fn over_limit(report: &Report) -> impl Iterator<Item = &MeasureFact> {
    report.measures.iter().filter(|measure| is_over(measure))
}

pub(super) fn is_over(measure: &MeasureFact) -> bool {
    measure.limit.is_some_and(|limit| measure.after > limit)
}

fn group(
    report: &Report,
    heading: &'static str,
    belongs: impl Fn(&MeasureFact) -> bool,
    page: &mut Markup,
) {
    let mut members = report.measures.iter().filter(|measure| belongs(measure));
    let Some(first) = members.next() else {
        return;
    };
    page.element("tbody", &[], |page| {
        page.element("tr", &[("class", &"family")], |page| {
            page.leaf("th", &[("scope", &"rowgroup"), ("colspan", &4)], heading);
        });
        row(first, page);
        members.for_each(|measure| row(measure, page));
    });
}

fn row(measure: &MeasureFact, page: &mut Markup) {
    let show = |value: Option<f64>| match value {
        Some(value) if measure.percent => number::percent(value),
        Some(value) => number::number(value),
        None => number::NONE.to_owned(),
    };
    page.element("tr", &[], |page| {
        page.element("th", &[("scope", &"row")], |page| {
            page.leaf("code", &[], &measure.name);
            page.leaf("span", &[("class", &"meaning")], &measure.meaning);
        });
        page.leaf("td", &[("class", &"figure")], show(measure.before));
        let class = match measure.limit {
            Some(_) if is_over(measure) => "figure fails",
            Some(_) => "figure holds",
            None => "figure",
        };
        page.element("td", &[("class", &class)], |page| {
            if is_over(measure) {
                page.raw("✗ ");
            }
            page.text(show(Some(measure.after)));
        });
        page.leaf("td", &[("class", &"figure")], show(measure.limit));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn every_measure_is_shown_once_whatever_its_family() {
        let mut report = fixture::admissions();
        report.measures[0].family = "delay".to_owned();
        let mut page = Markup::default();
        write(&report, &mut page);
        let page = page.into_string();
        for measure in &report.measures {
            let name = format!("<code>{}</code>", measure.name);
            assert_eq!(page.matches(&name).count(), 1, "{name}");
        }
        assert!(page.contains(">Other<"));
    }

    #[test]
    fn only_a_value_above_its_limit_is_over() {
        let mut report = fixture::admissions();
        assert_eq!(over_limit(&report).count(), 0);
        report.measures[0].limit = Some(report.measures[0].after / 2.0);
        assert_eq!(over_limit(&report).count(), 1);
    }
}
