//! Columns that single rows out together, and the population that the table is a sample of.

use super::markup::Markup;
use super::number;
use moretta::pipeline::report::{PopulationFact, Report};

pub(super) fn write(report: &Report, page: &mut Markup) {
    if report.column_sets.is_empty() && report.population.is_none() {
        return;
    }
    page.raw("<div class=\"panel\" id=\"column-sets\">");
    if let Some(population) = &report.population {
        write_population(population, page);
    }
    if !report.column_sets.is_empty() {
        write_sets(report, page);
    }
    page.raw("</div>");
}

fn write_population(population: &PopulationFact, page: &mut Markup) {
    let [before, after] = population.models.map(|model| model.word());
    page.raw("<h3>The population</h3>");
    page.element("p", &[("class", &"note")], |page| {
        page.text(format!(
            "The release is taken as a sample of {} persons. Those who are unique in the \
             population are estimated by the model of {before} before and of {after} after; all \
             models are among the measures.",
            number::count(population.persons)
        ));
    });
}

fn write_sets(report: &Report, page: &mut Markup) {
    page.raw("<h3>Columns that single rows out together</h3>");
    page.raw("<p class=\"note\">Rows of the release that nobody else is like in these columns, quasi-identifiers or not, for up to four columns: whoever knows these of a person finds the row.</p>");
    page.raw(
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">These columns together</th>",
    );
    page.raw("<th scope=\"col\" class=\"figure\">single out rows</th></tr></thead><tbody>");
    for set in &report.column_sets {
        page.element("tr", &[], |page| {
            page.leaf("th", &[("scope", &"row")], set.columns.join(", "));
            page.leaf(
                "td",
                &[("class", &"figure")],
                number::count(set.singled_out),
            );
        });
    }
    page.raw("</tbody></table></div>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::measure::risk::uniqueness::Model;
    use moretta::pipeline::report::ColumnSet;

    fn written(report: &Report) -> String {
        let mut page = Markup::default();
        write(report, &mut page);
        page.into_string()
    }

    #[test]
    fn sets_and_population_are_told_and_names_cannot_break_the_page() {
        let report = Report {
            column_sets: vec![ColumnSet {
                columns: vec!["age".to_owned(), "<b>".to_owned()],
                singled_out: 1234,
            }],
            population: Some(PopulationFact {
                persons: 1_000_000,
                models: [Model::Pitman, Model::Zayatz],
            }),
            ..Report::default()
        };
        let page = written(&report);
        assert!(page.contains("age, &lt;b&gt;"), "{page}");
        assert!(
            page.contains("1,234") && page.contains("Pitman before"),
            "{page}"
        );
        assert_eq!(written(&Report::default()), "");
    }
}
