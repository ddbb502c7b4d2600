//! What a graph has lost by meaning and who is found in it, as bars.

use crate::markup::Markup;
use crate::number;
use crate::plot::{Plot, Size, Slot, lying};
use moretta::pipeline::report::{GraphFacts, SemanticFacts};

fn percent(value: f64) -> String {
    format!("{value:.2} %")
}

/// AAMIL and CDIL of each attribute, DBIL, and their mean.
pub(super) fn loss(facts: &SemanticFacts, page: &mut Markup) {
    let slot = |label: String, value: f64| Slot {
        detail: format!("{label}: {}", percent(value)),
        label,
        after: Some(value),
        value: Some(percent(value)),
        ..Slot::default()
    };
    let attributes = facts.attributes.iter().flat_map(|attribute| {
        let name = &attribute.name;
        [
            slot(format!("AAMIL {name}"), attribute.aamil),
            slot(format!("CDIL {name}"), attribute.cdil),
        ]
    });
    let all = [
        slot("DBIL".to_owned(), facts.dbil),
        Slot {
            colour: Some("level-3"),
            ..slot("mean of the three".to_owned(), facts.average)
        },
    ];
    let plot = Plot {
        title: "Loss by meaning".to_owned(),
        description: "AAMIL and CDIL of each attribute, DBIL, and the mean of the three".to_owned(),
        size: Size::Wide,
        slots: attributes.chain(all).collect(),
        edges: Vec::new(),
        axis: number::number,
        threshold: None,
    };
    page.raw("<figure class=\"panel\"><figcaption>Loss by meaning, in percent</figcaption>");
    lying(page, &plot);
    page.raw("</figure>");
}

/// How often intruders find a person, with the edges as they were and as they are released.
pub(super) fn risk(facts: &GraphFacts, page: &mut Markup) {
    let slot = |knows: &str, before: Option<f64>, after: f64| Slot {
        label: knows.to_owned(),
        detail: match before {
            Some(before) => format!(
                "{knows}: {} before, {} after",
                number::percent(before),
                number::percent(after)
            ),
            None => format!("{knows}: {}", number::percent(after)),
        },
        before,
        after: Some(after),
        value: Some(number::percent(after)),
        ..Slot::default()
    };
    let degrees = facts.risks.iter().map(|risk| {
        let label = match risk.knows.contains("attributes") {
            true => "degree and attributes",
            false => "degree",
        };
        slot(label, Some(risk.before), risk.mean)
    });
    let semantic = facts.semantic.as_ref().and_then(|semantic| semantic.risk);
    let semantic = semantic.map(|risk| slot("all attributes", None, risk / 100.0));
    let plot = Plot {
        title: "Persons found".to_owned(),
        description: "The mean chance to find a person, by what the intruder knows".to_owned(),
        size: Size::Wide,
        slots: semantic.into_iter().chain(degrees).collect(),
        edges: Vec::new(),
        axis: number::percent,
        threshold: None,
    };
    page.raw(
        "<figure class=\"panel\"><figcaption>The mean chance to find a person, by what the intruder \
         knows: pale with the edges as they were, strong as released</figcaption>",
    );
    lying(page, &plot);
    page.raw("</figure>");
}
