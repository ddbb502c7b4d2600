//! What each quasi-identifier adds to the risk, by itself and beside the others.

use super::markup::Markup;
use super::number;
use super::plot::{Plot, Size, Slot, lying};
use moretta::measure::{Exposure, RiskByColumn};

/// Columns in the drawing.
const MOST: usize = 30;

pub(super) fn write(risk: &RiskByColumn, page: &mut Markup) {
    page.raw("<figure class=\"panel\" id=\"exposure\"><figcaption><h3>What each quasi-identifier adds to the risk</h3>");
    page.element("p", &[("class", &"note")], |page| {
        page.raw("Mean risk of a row: the share of rows that an attacker finds who guesses once for each. It is ");
        page.text(number::percent(risk.all.mean));
        page.raw(" for who knows all columns; the bars tell by how much less for who knows all but one. Rows of the release are counted.");
    });
    page.raw("</figcaption>");
    let drawn = risk.columns.iter().take(MOST);
    let plot = Plot {
        title: "Mean risk that each quasi-identifier adds".to_owned(),
        description: "One bar for every quasi-identifier, the one that adds most first".to_owned(),
        size: Size::Wide,
        slots: drawn
            .map(|column| slot(&column.name, risk.all.mean - column.without.mean))
            .collect(),
        edges: Vec::new(),
        axis: number::percent,
        threshold: None,
    };
    lying(page, &plot);
    page.raw("<p class=\"axis\">mean risk of a row, in percentage points</p>");
    table(risk, page);
    page.raw("</figure>");
}

fn slot(name: &str, added: f64) -> Slot {
    let value = number::percent(added.max(0.0));
    Slot {
        label: name.to_owned(),
        detail: format!("{name} adds {value}"),
        after: Some(added.max(0.0)),
        value: Some(value),
        ..Slot::default()
    }
}

fn table(risk: &RiskByColumn, page: &mut Markup) {
    let sides = risk
        .columns
        .iter()
        .flat_map(|column| [column.alone, column.without]);
    // In a release that keeps k no class of fewer columns is smaller.
    let below = sides.chain([risk.all]).any(|side| side.below_k > 0.0);
    page.raw(
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Known to the attacker</th>",
    );
    page.raw("<th scope=\"col\" class=\"figure\">Mean risk</th><th scope=\"col\" class=\"figure\">Highest risk</th>");
    if below {
        page.raw("<th scope=\"col\" class=\"figure\">Rows below k</th>");
    }
    page.raw("</tr></thead><tbody>");
    row(page, ["all quasi-identifiers", ""], &risk.all, below);
    for column in &risk.columns {
        row(page, [&column.name, " alone"], &column.alone, below);
        row(page, ["all but ", &column.name], &column.without, below);
    }
    page.raw("</tbody></table></div>");
}

fn row(page: &mut Markup, known: [&str; 2], exposure: &Exposure, below: bool) {
    page.element("tr", &[], |page| {
        page.leaf("th", &[("scope", &"row")], known.concat());
        let figures = [exposure.mean, exposure.highest, exposure.below_k];
        for figure in &figures[..if below { 3 } else { 2 }] {
            page.leaf("td", &[("class", &"figure")], number::percent(*figure));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    fn page(risk: &RiskByColumn) -> String {
        let mut page = Markup::default();
        write(risk, &mut page);
        page.into_string()
    }

    #[test]
    fn every_column_has_a_bar_and_two_lines() {
        let risk = fixture::admissions().risk_by_column.expect("risks");
        let text = page(&risk);
        for column in &risk.columns {
            assert!(text.contains(&format!(">{} alone<", column.name)));
            assert!(text.contains(&format!(">all but {}<", column.name)));
            assert!(text.contains(&format!("<title>{} adds ", column.name)));
        }
        assert!(!text.contains("below k"), "k is kept");
    }

    #[test]
    fn rows_below_k_are_told_where_there_are_such() {
        let mut risk = fixture::admissions().risk_by_column.expect("risks");
        risk.columns[0].alone.below_k = 0.25;
        assert!(page(&risk).contains("Rows below k") && page(&risk).contains("25\u{202f}%"));
    }
}
