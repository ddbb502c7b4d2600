//! Lanes of sites and trouble nodes over batches.

use super::{Cell, batches, figure, share, short, table};
use crate::figure::{Align, Drawing, Scale, Tone, brief};
use crate::markup::Markup;
use crate::number;
use moretta::pipeline::{FederationFacts, NoNodes, NodeFact};

/// Lanes of sites and of nodes that are drawn at most.
const MOST_SITES: usize = 24;
const MOST_NODES: usize = 32;

const WIDTH: f64 = 1040.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 1020.0;
const TOP: f64 = 64.0;
const LANE: f64 = 24.0;
const SITE: Tone = Tone(0);
const GONE: Tone = Tone(1);

/// Nodes of the same order share a tone.
fn tone(order: u8) -> Tone {
    Tone(2 + usize::from(order.saturating_sub(1)) % 3)
}

pub(super) fn write(facts: &FederationFacts, page: &mut Markup) {
    page.raw("<section class=\"federation\" id=\"hierarchy\"><h2>Hierarchy over time</h2>");
    figure(page, &sentence(facts), draw(facts));
    if !facts.nodes.is_empty() {
        let head = [
            "Trouble node",
            "Sources",
            "Order",
            "From batch",
            "To batch",
            "Forwarded",
            "Joined",
            "Answered",
            "Right",
        ];
        let row = |node: &NodeFact| {
            let number = |value: u64| Cell::Figure(number::count(value));
            vec![
                Cell::Name(node.node.to_string()),
                Cell::Text(node.sources.join(", ")),
                Cell::Figure(node.order.to_string()),
                number(node.from_batch),
                node.to_batch
                    .map_or_else(|| Cell::Figure(number::NONE.to_owned()), number),
                number(node.forwarded),
                number(node.joined),
                number(node.answered),
                Cell::Figure(share(node.accuracy)),
            ]
        };
        page.raw("<p class=\"note\">Forwarded counts every source by itself, joined the records that all sources of a node forwarded. A node learns from joined records alone, and answered are those to which it gave the final answer.</p>");
        table(page, &head, facts.nodes.iter().map(row));
    }
    page.raw("</section>");
}

fn sentence(facts: &FederationFacts) -> String {
    let shown = drawn(facts).len();
    let mut text = match facts.nodes.len() {
        0 => {
            let why = facts.no_nodes.map(NoNodes::sentence);
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            format!("No trouble node was made{why}.")
        }
        1 => "One trouble node was made.".to_owned(),
        made => format!("{} trouble nodes were made.", number::count(made as u64)),
    };
    if !facts.nodes.is_empty() {
        text.push_str(" A disc marks its creation, with a line from each source; a ring its removal. Lanes of sites are dashed where a site answered less than half of the records.");
    }
    if shown < facts.nodes.len() {
        text.push_str(&format!(
            " Drawn are the {shown} that answered most; the table has all."
        ));
    }
    if facts.forgotten_nodes > 0 {
        text.push_str(&format!(
            " {} older ones are not listed any more.",
            number::count(facts.forgotten_nodes)
        ));
    }
    text
}

/// The nodes that answered most, from low to high order.
fn drawn(facts: &FederationFacts) -> Vec<&NodeFact> {
    let mut nodes: Vec<&NodeFact> = facts.nodes.iter().collect();
    nodes.sort_by_key(|node| std::cmp::Reverse(node.answered));
    nodes.truncate(MOST_NODES);
    nodes.sort_by_key(|node| (node.order, node.from_batch, node.node));
    nodes
}

/// The sites; of many those that feed a node that is drawn.
fn sites<'a>(facts: &'a FederationFacts, nodes: &[&NodeFact]) -> Vec<(usize, &'a str)> {
    let all = facts
        .sites
        .iter()
        .map(|site| site.site.as_str())
        .enumerate();
    let mut sites: Vec<(usize, &str)> = all.collect();
    if sites.len() > MOST_SITES {
        let feeds = |site: &str| nodes.iter().any(|n| n.sources.iter().any(|s| s == site));
        sites.retain(|(_, site)| feeds(site));
        sites.truncate(MOST_SITES);
    }
    sites
}

fn draw(facts: &FederationFacts) -> Markup {
    let nodes = drawn(facts);
    let sites = sites(facts, &nodes);
    let lanes = sites.len() + nodes.len();
    let bottom = TOP + LANE * lanes as f64;
    let mut drawing = Drawing::inside(WIDTH, bottom + 48.0, "Trouble nodes over batches");
    let [first, last] = batches(facts);
    let scale = Scale::Linear {
        low: first as f64,
        high: last as f64,
    };
    let x = |batch: u64| LEFT + scale.share(batch as f64).unwrap_or(0.0) * (RIGHT - LEFT);
    for mark in scale.marks(10) {
        let at = LEFT + scale.share(mark).unwrap_or(0.0) * (RIGHT - LEFT);
        drawing.path("grid", format_args!("M{at:.1} {TOP:.1}V{bottom:.1}"));
        let place = (at, bottom + 16.0);
        drawing.text(place, Align::Middle, "muted", &brief(mark));
    }
    let middle = 0.5 * (LEFT + RIGHT);
    drawing.text((middle, bottom + 34.0), Align::Middle, "muted", "batch");
    let lane = |place: usize| TOP + LANE * (place as f64 + 0.5);
    let name_of = |place: usize| match place < sites.len() {
        true => sites[place].1.to_owned(),
        false => nodes[place - sites.len()].node.to_string(),
    };
    let names: Vec<String> = (0..lanes).map(name_of).collect();
    for (place, (site, name)) in sites.iter().enumerate() {
        let y = lane(place);
        drawing.text((LEFT - 12.0, y + 4.0), Align::End, "", &short(name, 24));
        for moment in &facts.moments {
            let present = moment.presence.get(*site).copied().unwrap_or(0.0);
            let dashed = if present < 0.5 { " dashed" } else { "" };
            let (from, to) = (x(moment.from_batch), x(moment.from_batch + facts.moment));
            let class = format!("{} line{dashed}", SITE.class());
            drawing.path(&class, format_args!("M{from:.1} {y:.1}H{to:.1}"));
        }
    }
    for (place, node) in nodes.iter().enumerate() {
        let y = lane(sites.len() + place);
        let class = tone(node.order).class();
        let (from, to) = (x(node.from_batch), x(node.to_batch.unwrap_or(last)));
        let name = format!("{} ({})", node.node, node.sources.join(", "));
        drawing.text((LEFT - 12.0, y + 4.0), Align::End, "", &short(&name, 28));
        drawing.path(
            &format!("{class} thick"),
            format_args!("M{from:.1} {y:.1}H{to:.1}"),
        );
        for source in &node.sources {
            let Some(above) = names.iter().position(|name| name == source) else {
                continue;
            };
            let top = lane(above);
            drawing.path(
                &format!("{class} line"),
                format_args!("M{from:.1} {top:.1}V{y:.1}"),
            );
            drawing.circle(&class, (from, top), 3.0, source);
        }
        let detail = format!(
            "node {} over {} from batch {}: {} answered, {} right",
            node.node,
            node.sources.join(", "),
            number::count(node.from_batch),
            number::count(node.answered),
            share(node.accuracy)
        );
        drawing.circle(&class, (from, y), 5.5, &detail);
        if let Some(end) = node.to_batch {
            let detail = format!("removed at batch {}", number::count(end));
            let class = format!("{} ring", GONE.class());
            drawing.circle(&class, (to, y), 5.5, &detail);
        }
    }
    drawing.into_markup()
}
