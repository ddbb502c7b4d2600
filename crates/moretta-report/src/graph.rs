//! Edges between the rows: what the graph has lost, and who knows degrees.

mod drawing;
mod layout;
mod measures;

use super::markup::Markup;
use super::number;
use super::plot::{Plot, Size, Slot, upright};
use moretta::pipeline::report::{DegreeBand, GraphFacts, SemanticFacts};

const HEAD: &str = "<section id=\"graph\"><h2>Graph</h2><div class=\"pair\">";

const DEGREES: &str = "<figure class=\"panel\"><figcaption>Nodes by number of neighbours: pale before, strong \
    after</figcaption>";

const FIGURES: &str = "<div class=\"panel\"><p class=\"note\">Figures before are about edges between released \
    nodes.</p><div class=\"scroll\"><table><thead><tr><th scope=\"col\">Structure</th>\
    <th scope=\"col\" class=\"figure\">before</th><th scope=\"col\" class=\"figure\">after</th></tr></thead><tbody>";

const SEMANTIC: &str = "<div class=\"panel\"><p class=\"note\">AAMIL: links between values; CDIL: how often values \
    occur; DBIL: how far what is released of a node is from its values, in their hierarchies.</p>\
    <div class=\"scroll\"><table><thead><tr><th scope=\"col\">Loss by meaning</th>\
    <th scope=\"col\" class=\"figure\">AAMIL</th><th scope=\"col\" class=\"figure\">CDIL</th>\
    <th scope=\"col\" class=\"figure\">DBIL</th></tr></thead><tbody>";

const RISKS: &str = "<div class=\"panel\"><p class=\"note\">An intruder looks for nodes with as many neighbours as \
    the person had, and takes one of them.</p><div class=\"scroll\"><table><thead><tr>\
    <th scope=\"col\">Who knows</th><th scope=\"col\" class=\"figure\">finds before</th>\
    <th scope=\"col\" class=\"figure\">finds after</th>\
    <th scope=\"col\" class=\"figure\">at most</th></tr></thead><tbody>";

const END: &str = "</tbody></table></div></div>";

pub(super) fn write(facts: &GraphFacts, page: &mut Markup) {
    page.raw(HEAD);
    page.raw(DEGREES);
    upright(page, &degrees(facts));
    if facts.degrees.iter().any(|band| band.before.is_none()) {
        page.raw("<p class=\"note\">Hatched: too few nodes before, or the others would tell how many.</p>");
    }
    page.raw("</figure>");
    structure(facts, page);
    page.raw("</div>");
    page.raw("<div class=\"pair\">");
    if let Some(semantic) = &facts.semantic {
        loss(semantic, page);
    }
    risks(facts, page);
    page.raw("</div><div class=\"pair\">");
    if let Some(semantic) = &facts.semantic {
        measures::loss(semantic, page);
    }
    measures::risk(facts, page);
    page.raw("</div>");
    if let Some(drawn) = &facts.drawing {
        drawing::write(drawn, page);
    }
    page.raw("</section>");
}

fn degrees(facts: &GraphFacts) -> Plot {
    let slot = |band: &DegreeBand| {
        let label = match band.from == band.to {
            true => band.from.to_string(),
            false => format!("{}–{}", band.from, band.to),
        };
        let before = match band.before {
            None => "not told".to_owned(),
            Some(nodes) => number::count(nodes),
        };
        let after = number::count(band.after);
        Slot {
            detail: format!("{label} neighbours: before {before}, after {after} nodes"),
            label,
            before: band.before.map(|nodes| nodes as f64),
            after: Some(band.after as f64),
            hidden: band.before.is_none(),
            ..Slot::default()
        }
    };
    Plot {
        title: "Nodes by number of neighbours".to_owned(),
        description: "How many nodes have so many neighbours, before and after".to_owned(),
        size: Size::Wide,
        slots: facts.degrees.iter().map(slot).collect(),
        edges: Vec::new(),
        axis: |value| number::count(value.max(0.0) as u64),
        threshold: None,
    }
}

fn row(page: &mut Markup, name: &str, figures: &[String]) {
    page.element("tr", &[], |page| {
        page.leaf("th", &[("scope", &"row")], name);
        for figure in figures {
            page.leaf("td", &[("class", &"figure")], figure);
        }
    });
}

fn structure(facts: &GraphFacts, page: &mut Markup) {
    page.raw(FIGURES);
    let shown = |value: f64| match value.fract() == 0.0 {
        true => number::count(value.max(0.0) as u64),
        false => format!("{value:.4}"),
    };
    for figure in &facts.figures {
        let before = figure.before.map_or_else(String::new, shown);
        row(page, &figure.name, &[before, shown(figure.after)]);
    }
    for (name, edges) in [
        ("edges added", facts.added),
        ("edges removed", facts.removed),
    ] {
        row(page, name, &[String::new(), number::count(edges)]);
    }
    page.raw(END);
}

fn loss(facts: &SemanticFacts, page: &mut Markup) {
    page.raw(SEMANTIC);
    let percent = |value: f64| format!("{value:.2} %");
    for attribute in &facts.attributes {
        let figures = [
            percent(attribute.aamil),
            percent(attribute.cdil),
            String::new(),
        ];
        row(page, &attribute.name, &figures);
    }
    let all = [facts.aamil, facts.cdil, facts.dbil].map(percent);
    row(page, "all", &all);
    page.raw("</tbody></table></div><p>");
    page.text(format!("Average semantic loss {}", percent(facts.average)));
    if let Some(risk) = facts.risk {
        page.text(format!(
            "; the nearest node is the right one in {}",
            percent(risk)
        ));
    }
    if let Some(bound) = facts.bound {
        page.text(format!(", of {} that k allows", percent(bound)));
    }
    page.raw(".</p></div>");
}

fn risks(facts: &GraphFacts, page: &mut Markup) {
    page.raw(RISKS);
    for risk in &facts.risks {
        let figures = [risk.before, risk.mean, risk.largest].map(number::percent);
        row(page, &risk.knows, &figures);
    }
    page.raw(END);
}

/// Two lines for a terminal.
pub(super) fn lines(facts: &GraphFacts) -> Vec<String> {
    let mut lines = vec![format!(
        "{} edges ({} added, {} removed) to {}",
        number::count(facts.file.rows),
        number::count(facts.added),
        number::count(facts.removed),
        facts.file.path
    )];
    if let Some(semantic) = &facts.semantic {
        let risk = semantic.risk.unwrap_or(0.0);
        lines.push(format!(
            "semantic loss {:.2} %, semantic risk {risk:.2} %",
            semantic.average
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::assert_balanced;
    use moretta::pipeline::report::{DegreeRisk, FileFacts, GraphFigure, SemanticAttribute};

    fn facts() -> GraphFacts {
        let band = |from, to, before, after| DegreeBand {
            from,
            to,
            before,
            after,
        };
        GraphFacts {
            file: FileFacts {
                path: "follows.csv".to_owned(),
                rows: 1520,
                ..FileFacts::default()
            },
            directed: false,
            nodes: 300,
            added: 20,
            removed: 0,
            degrees: vec![
                band(0, 0, None, 5),
                band(1, 1, Some(100), 90),
                band(2, 3, None, 205),
            ],
            figures: vec![GraphFigure {
                name: "<i>clustering".to_owned(),
                before: Some(0.125),
                after: 0.25,
            }],
            semantic: Some(SemanticFacts {
                attributes: vec![SemanticAttribute {
                    name: "<b>".to_owned(),
                    aamil: 1.0,
                    cdil: 2.0,
                }],
                aamil: 1.0,
                cdil: 2.0,
                dbil: 3.0,
                average: 2.0,
                risk: Some(7.5),
                bound: Some(20.0),
            }),
            risks: vec![DegreeRisk {
                knows: "degrees".to_owned(),
                before: 0.5,
                mean: 0.125,
                largest: 0.2,
            }],
            drawing: None,
        }
    }

    #[test]
    fn every_figure_is_shown_and_no_name_breaks_the_page() {
        let mut page = Markup::default();
        write(&facts(), &mut page);
        let page = page.into_string();
        assert_balanced(&page);
        for part in [
            "&lt;b&gt;",
            "&lt;i&gt;",
            "0.1250",
            "7.50 %",
            "20.00 %",
            "Hatched",
            "12.5",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let lines = lines(&facts());
        assert_eq!(lines[0], "1,520 edges (20 added, 0 removed) to follows.csv");
        assert!(lines[1].contains("semantic risk 7.50 %"), "{lines:?}");
    }

    #[test]
    fn a_graph_without_hierarchies_has_no_semantic_loss() {
        let plain = GraphFacts {
            semantic: None,
            ..facts()
        };
        let mut page = Markup::default();
        write(&plain, &mut page);
        assert!(!page.into_string().contains("AAMIL"));
        assert_eq!(lines(&plain).len(), 1);
    }
}
