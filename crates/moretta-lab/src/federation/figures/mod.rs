//! The study as drawings: when sites agree and nodes come and go, what waiting for high orders
//! is worth, and which records trouble two sites at once.

mod anytime;
mod ranks;
mod timeline;

use super::case::Case;
use super::part::{Extent, Part, Results, Table};
use super::sets::{COINS, Set, WFR};
use super::variants::{self, ORDERS};
use moretta::Result;
use moretta::federate::Rule;

pub(super) static TABLE: Table = Table {
    name: "figures",
    cases,
    show,
};

/// Records between two looks at candidates.
const LOOKS: usize = 100;

/// The runs whose monitors are shown.
fn watched(set: &'static Set, rule: Rule) -> Case {
    let mut case = Case::hierarchical(set, rule, 2, 1);
    case.looks = Some(LOOKS);
    case
}

fn cases(extent: &Extent) -> Vec<Case> {
    let mut cases = vec![watched(&COINS, Rule::MaxConfidence)];
    if extent.has(&WFR) {
        cases.push(watched(&WFR, Rule::Vote));
        cases.extend(ORDERS.map(variants::anytime));
    }
    cases
}

fn show(results: &Results<'_>) -> Result<Part> {
    let mut part = Part::default();
    let mut timeline = |set: &'static Set, rule| -> Result<()> {
        let run = results.book.of(&watched(set, rule))?;
        let name = format!("timeline-{}.svg", set.name.to_lowercase());
        let drawing = timeline::draw(set.name, run);
        part.drawings.push((name, drawing));
        Ok(())
    };
    timeline(&COINS, Rule::MaxConfidence)?;
    if results.extent.has(&WFR) {
        timeline(&WFR, Rule::Vote)?;
        let runs = ORDERS.map(|order| results.book.of(&variants::anytime(order)));
        let runs = runs.into_iter().collect::<Result<Vec<_>>>()?;
        let accuracies: Vec<f64> = runs.iter().map(|run| run.accuracy).collect();
        let drawing = anytime::draw(&accuracies);
        part.drawings.push(("anytime.svg".to_owned(), drawing));
        let drawing = ranks::draw(results.book.stream(&WFR)?)?;
        part.drawings.push(("ranks.svg".to_owned(), drawing));
    }
    Ok(part)
}
