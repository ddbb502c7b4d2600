//! What happened in a federation, as one page: the hierarchy of trouble nodes over time, accuracy,
//! sites, bytes, and what each party saw.

mod accuracy;
mod agreement;
mod hierarchy;
mod legend;
mod tables;

use super::markup::Markup;
use super::number;
use super::page::{MASK, frame};
use moretta::pipeline::FederationFacts;

/// The page of a federation, which needs no other file.
pub fn federation_html(facts: &FederationFacts) -> String {
    let title = format!("{} – federation", facts.federation);
    frame(&title, |page| {
        header(facts, page);
        page.element("main", &[], |page| {
            tiles(facts, page);
            hierarchy::write(facts, page);
            accuracy::write(facts, page);
            agreement::write(facts, page);
            tables::sites(facts, page);
            tables::bytes(facts, page);
            tables::incidents(facts, page);
            tables::parties(facts, page);
        });
        page.raw("<footer>This page shows no record, no column and no key: names of parties, counts, shares and bytes.</footer>");
    })
}

fn header(facts: &FederationFacts, page: &mut Markup) {
    page.element("header", &[], |page| {
        page.raw(MASK);
        page.raw("<div>");
        page.leaf("p", &[("class", &"name")], &facts.federation);
        page.leaf(
            "p",
            &[("class", &"note")],
            format!(
                "Federation report: {} records at {} sites, batches of {}; bytes of {}.",
                number::count(facts.records),
                number::count(facts.sites.len() as u64),
                number::count(u64::from(facts.batch)),
                facts.counted
            ),
        );
        if let Some(span) = facts.span() {
            page.leaf("p", &[("class", &"note")], format!("{span}."));
        }
        page.raw("</div>");
    });
}

fn tiles(facts: &FederationFacts, page: &mut Markup) {
    let alive = facts.nodes.iter().filter(|node| node.to_batch.is_none());
    let alive = alive.count() as u64;
    let gone = facts.nodes.len() as u64 - alive + facts.forgotten_nodes;
    let of_records = |answers: u64, what: &str| {
        let share = answers as f64 / facts.records.max(1) as f64;
        format!("{}, {what}", number::percent(share))
    };
    let tiles = [
        (
            "Records answered",
            number::count(facts.records),
            format!("{} with a known class", number::count(facts.labelled)),
        ),
        (
            "Accuracy",
            share(facts.accuracy),
            format!("{} of late", share(facts.recent_accuracy)),
        ),
        (
            "Trouble nodes",
            number::count(alive),
            format!("{} gone", number::count(gone)),
        ),
        (
            "Bytes a record",
            number::number(facts.bytes_a_record),
            format!("{} in all", number::bytes(facts.bytes)),
        ),
        (
            "Partial answers",
            number::count(facts.partial),
            of_records(facts.partial, "made without all sites"),
        ),
        (
            "Early answers",
            number::count(facts.early),
            of_records(facts.early, "nodes not waited for"),
        ),
    ];
    page.element("dl", &[("class", &"tiles")], |page| {
        for (name, value, more) in tiles {
            page.element("div", &[], |page| {
                page.leaf("dt", &[], name);
                page.leaf("dd", &[("class", &"value")], value);
                page.leaf("dd", &[("class", &"note")], more);
            });
        }
    });
}

fn share(share: Option<f64>) -> String {
    share.map_or(number::NONE.to_owned(), number::percent)
}

/// A figure with a sentence above it.
fn figure(page: &mut Markup, sentence: &str, drawing: Markup) {
    page.raw("<figure class=\"panel\"><figcaption>");
    page.leaf("p", &[("class", &"note")], sentence);
    page.raw("</figcaption><div class=\"scroll\">");
    page.append(drawing);
    page.raw("</div></figure>");
}

/// A cell of a table.
enum Cell {
    Name(String),
    Text(String),
    Figure(String),
}

/// A table that scrolls by itself where it is wider than a phone.
fn table(page: &mut Markup, head: &[&str], rows: impl Iterator<Item = Vec<Cell>>) {
    let rows: Vec<Vec<Cell>> = rows.collect();
    let is_figure = |column: usize| {
        let first = rows.first().and_then(|row| row.get(column));
        matches!(first, Some(Cell::Figure(_)))
    };
    page.raw("<div class=\"scroll\"><table><thead><tr>");
    for (column, word) in head.iter().enumerate() {
        let class = if is_figure(column) { "figure" } else { "" };
        page.leaf("th", &[("scope", &"col"), ("class", &class)], word);
    }
    page.raw("</tr></thead><tbody>");
    for row in &rows {
        page.element("tr", &[], |page| {
            for cell in row {
                match cell {
                    Cell::Name(text) => page.leaf("th", &[("scope", &"row")], text),
                    Cell::Text(text) => page.leaf("td", &[], text),
                    Cell::Figure(text) => page.leaf("td", &[("class", &"figure")], text),
                }
            }
        });
    }
    page.raw("</tbody></table></div>");
}

/// The first batch that was seen and the one after the last.
fn batches(facts: &FederationFacts) -> [u64; 2] {
    let moments = facts.moments.iter();
    let first = moments.clone().map(|moment| moment.from_batch).min();
    let last = moments.map(|moment| moment.from_batch + facts.moment).max();
    let (first, last) = (first.unwrap_or(0), last.unwrap_or(1));
    [first, last.max(first + 1)]
}

/// A name that leaves room.
fn short(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
