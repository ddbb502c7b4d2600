//! What happened in a federation, as text.

use crate::console::table;
use moretta::pipeline::FederationFacts;
use moretta_report::count;
use std::fmt::Write;

/// Links that are shown, those with most bytes first; --json has all of them.
const LINKS: usize = 12;

/// All of it.
pub(crate) fn told(facts: &FederationFacts) -> String {
    let mut text = headline(facts);
    text.push('\n');
    if let Some(span) = facts.span() {
        let _ = writeln!(text, "{span}");
    }
    for part in [sites(facts), nodes(facts), frames(facts), links(facts)] {
        let _ = write!(text, "\n{part}");
    }
    for incident in &facts.incidents {
        let with = incident
            .party
            .as_deref()
            .map(|party| format!(" of {party}"));
        let _ = write!(
            text,
            "\n{}{}: {}",
            incident.what,
            with.unwrap_or_default(),
            count(incident.count)
        );
    }
    text
}

/// "3,000 records at 4 sites, accuracy 83.10 %, 84.2 bytes a record".
pub(crate) fn headline(facts: &FederationFacts) -> String {
    let mut text = format!(
        "{} records at {} sites",
        count(facts.records),
        facts.sites.len()
    );
    if let Some(accuracy) = facts.accuracy {
        let _ = write!(text, ", accuracy {}", percent(accuracy));
    }
    let _ = write!(text, ", {:.1} bytes a record", facts.bytes_a_record);
    for (answers, word) in [(facts.partial, "partial"), (facts.early, "early")] {
        if answers > 0 {
            let _ = write!(text, ", {} {word}", count(answers));
        }
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

fn rows(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let head = head.iter().map(|&word| word.to_owned()).collect();
    table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

fn sites(facts: &FederationFacts) -> String {
    let head = ["site", "accuracy", "confidence", "present", "last batch"];
    let row = |site: &moretta::pipeline::SiteFact| {
        vec![
            site.site.clone(),
            or_none(site.accuracy.map(percent)),
            or_none(site.confidence.map(|mean| format!("{mean:.3}"))),
            percent(site.presence),
            or_none(site.last_batch.map(count)),
        ]
    };
    rows(&head, facts.sites.iter().map(row))
}

fn nodes(facts: &FederationFacts) -> String {
    if facts.nodes.is_empty() {
        let why = facts.without_nodes();
        return why.unwrap_or_else(|| "no trouble nodes".to_owned()) + "\n";
    }
    let head = [
        "trouble node",
        "sources",
        "order",
        "from batch",
        "to batch",
        "forwarded",
        "joined",
        "answered",
        "accuracy",
    ];
    let row = |node: &moretta::pipeline::NodeFact| {
        vec![
            node.node.to_string(),
            node.sources.join(" "),
            node.order.to_string(),
            count(node.from_batch),
            or_none(node.to_batch.map(count)),
            count(node.forwarded),
            count(node.joined),
            count(node.answered),
            or_none(node.accuracy.map(percent)),
        ]
    };
    rows(&head, facts.nodes.iter().map(row))
}

fn frames(facts: &FederationFacts) -> String {
    let row = |frames: &moretta::pipeline::FrameFact| {
        vec![
            frames.kind.clone(),
            count(frames.frames),
            count(frames.bytes),
        ]
    };
    rows(&["frames", "number", "bytes"], facts.frames.iter().map(row))
}

fn links(facts: &FederationFacts) -> String {
    let mut links: Vec<_> = facts.links.iter().collect();
    links.sort_by_key(|link| std::cmp::Reverse(link.bytes));
    let row = |link: &&moretta::pipeline::LinkFact| {
        vec![
            format!("{} → {}", link.from, link.to),
            count(link.frames),
            count(link.bytes),
        ]
    };
    let mut text = rows(
        &["link", "frames", "bytes"],
        links.iter().take(LINKS).map(row),
    );
    if links.len() > LINKS {
        let _ = writeln!(text, "{} more links: see --json", links.len() - LINKS);
    }
    text
}
