//! What each quasi-identifier adds to the risk, by itself and beside the others.

use super::markup::Markup;
use super::number;
use super::plot::{Plot, Size, Slot, lying};
use moretta::measure::{Exposure, RiskByColumn};

/// Columns in the drawing.
const MOST: usize = 30;

pub(super) fn write(risk: &RiskByColumn, page: &mut Markup) {
    page.raw("<div class=\"pair\" id=\"exposure\"><figure class=\"panel\"><figcaption><h3>What each quasi-identifier adds to the risk</h3>");
    page.element("p", &[("class", &"note")], |page| {
        page.raw("Mean risk of a row: the share of rows that an attacker finds who guesses once for each. It is ");
        page.text(number::percent(risk.all.mean));
        page.raw(" for an attacker who knows all columns; the bars tell how much of it is gone for one who knows all but this. Rows of the release are counted.");
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
    page.raw("<p class=\"axis\">mean risk of a row, in percentage points</p></figure>");
    page.raw("<div class=\"panel\">");
    table(risk, page);
    page.raw("</div></div>");
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
    page.raw("<h3>Mean and highest risk of a row</h3><div class=\"scroll\"><table><thead><tr>");
    page.raw("<th scope=\"col\">Known to the attacker</th>");
    page.raw("<th scope=\"col\" class=\"figure\">alone</th><th scope=\"col\" class=\"figure\">all but this</th>");
    page.raw("</tr></thead><tbody>");
    for column in &risk.columns {
        row(page, &column.name, &[column.alone, column.without], below);
    }
    page.raw("</tbody></table></div><p class=\"note foot\">Who knows all: ");
    page.text(told(&risk.all, below));
    page.raw(match below {
        true => ". The third figure is the share of rows in classes of fewer than k rows, or of unique rows.</p>",
        false => ".</p>",
    });
}

fn row(page: &mut Markup, name: &str, sides: &[Exposure], below: bool) {
    page.element("tr", &[], |page| {
        page.leaf("th", &[("scope", &"row")], name);
        for side in sides {
            page.leaf("td", &[("class", &"figure")], told(side, below));
        }
    });
}

/// "1.1 % · 2.2 %": mean, highest and, if asked, rows below k.
fn told(exposure: &Exposure, below: bool) -> String {
    let figures = [exposure.mean, exposure.highest, exposure.below_k];
    let figures = figures.iter().take(if below { 3 } else { 2 });
    let texts: Vec<String> = figures.map(|figure| number::percent(*figure)).collect();
    texts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn page(risk: &RiskByColumn) -> String {
        let mut page = Markup::default();
        write(risk, &mut page);
        page.into_string()
    }

    #[test]
    fn every_column_has_a_bar_and_a_line() {
        let risk = fixture::admissions().risk_by_column.expect("risks");
        let text = page(&risk);
        for column in &risk.columns {
            assert!(text.contains(&format!("<th scope=\"row\">{}<", column.name)));
            assert!(text.contains(&format!("<title>{} adds ", column.name)));
        }
        assert!(text.contains(">1.1\u{202f}% · 2.2\u{202f}%<"), "{text}");
        assert!(!text.contains("third figure"), "k is kept");
    }

    #[test]
    fn rows_below_k_are_told_where_there_are_such() {
        let mut risk = fixture::admissions().risk_by_column.expect("risks");
        risk.columns[0].alone.below_k = 0.25;
        let text = page(&risk);
        assert!(text.contains("third figure") && text.contains(" · 25\u{202f}%<"));
    }
}
