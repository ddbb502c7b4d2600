//! Sites, bytes, incidents, and what each party saw.

use super::{Cell, share, table};
use crate::markup::Markup;
use crate::number;
use moretta::pipeline::{FederationFacts, FrameFact, IncidentFact, LinkFact, PartyFact, SiteFact};

/// Links that are listed at most, those with most bytes first.
const MOST_LINKS: usize = 40;

pub(super) fn sites(facts: &FederationFacts, page: &mut Markup) {
    page.raw("<section class=\"federation\" id=\"sites\"><h2>Sites</h2>");
    let sure = facts.sites.iter().filter(|site| {
        let gap = site.confidence.zip(site.accuracy);
        gap.is_some_and(|(confidence, accuracy)| confidence - accuracy > 0.25)
    });
    let sure: Vec<&str> = sure.map(|site| site.site.as_str()).collect();
    let sentence = match sure.is_empty() {
        true => "No site is surer than right by more than a quarter.".to_owned(),
        false => format!(
            "Surer than right by more than a quarter: {}.",
            sure.join(", ")
        ),
    };
    page.leaf("p", &[("class", &"note")], sentence);
    let head = [
        "Site",
        "Right alone",
        "Mean confidence",
        "Present",
        "Last batch",
    ];
    let row = |site: &SiteFact| {
        let confidence = site.confidence.map(|mean| format!("{mean:.3}"));
        vec![
            Cell::Name(site.site.clone()),
            Cell::Figure(share(site.accuracy)),
            Cell::Figure(confidence.unwrap_or_else(|| number::NONE.to_owned())),
            Cell::Figure(number::percent(site.presence)),
            Cell::Figure(
                site.last_batch
                    .map_or(number::NONE.to_owned(), number::count),
            ),
        ]
    };
    table(page, &head, facts.sites.iter().map(row));
    page.raw("</section>");
}

pub(super) fn bytes(facts: &FederationFacts, page: &mut Markup) {
    page.raw("<section class=\"federation\" id=\"bytes\"><h2>Bytes</h2>");
    page.leaf(
        "p",
        &[("class", &"note")],
        format!(
            "{} bytes a record, {} in all, of {}; headers of frames are counted, those of the network below are not.",
            number::number(facts.bytes_a_record),
            number::bytes(facts.bytes),
            facts.counted
        ),
    );
    page.raw("<div class=\"pair\"><div>");
    let head = ["Kind of frames", "Frames", "Bytes", "A record"];
    let records = facts.records.max(1) as f64;
    let row = |frames: &FrameFact| {
        vec![
            Cell::Name(frames.kind.clone()),
            Cell::Figure(number::count(frames.frames)),
            Cell::Figure(number::count(frames.bytes)),
            Cell::Figure(number::number(frames.bytes as f64 / records)),
        ]
    };
    table(page, &head, facts.frames.iter().map(row));
    page.raw("</div><div>");
    let mut links: Vec<&LinkFact> = facts.links.iter().collect();
    links.sort_by_key(|link| std::cmp::Reverse(link.bytes));
    let row = |link: &&LinkFact| {
        vec![
            Cell::Name(format!("{} → {}", link.from, link.to)),
            Cell::Figure(number::count(link.frames)),
            Cell::Figure(number::count(link.bytes)),
            Cell::Figure(number::number(link.bytes as f64 / records)),
        ]
    };
    let head = ["Link", "Frames", "Bytes", "A record"];
    table(page, &head, links.iter().take(MOST_LINKS).map(row));
    if links.len() > MOST_LINKS {
        let more = links.len() - MOST_LINKS;
        let text = format!("{more} more links are in the JSON beside this page.");
        page.leaf("p", &[("class", &"note foot")], text);
    }
    page.raw("</div></div></section>");
}

pub(super) fn incidents(facts: &FederationFacts, page: &mut Markup) {
    page.raw("<section class=\"federation\" id=\"incidents\"><h2>What went wrong</h2>");
    if facts.incidents.is_empty() {
        page.raw("<p class=\"note\">No frame was refused or came too late, and no party was shut out or silent for too long.</p></section>");
        return;
    }
    let row = |incident: &IncidentFact| {
        let party = incident.party.as_deref().unwrap_or(number::NONE);
        vec![
            Cell::Name(incident.what.to_owned()),
            Cell::Text(party.to_owned()),
            Cell::Figure(number::count(incident.count)),
        ]
    };
    table(
        page,
        &["What", "Party", "Times"],
        facts.incidents.iter().map(row),
    );
    page.raw("</section>");
}

pub(super) fn parties(facts: &FederationFacts, page: &mut Markup) {
    page.raw("<section class=\"federation\" id=\"parties\"><h2>What each party saw</h2>");
    page.raw("<p class=\"note\">No attribute value, column name, model or rank is in any frame, except for fragments of records as the sites' own policies allow.</p>");
    let row = |party: &PartyFact| {
        let received = party.received.iter();
        let received = received.map(|of| format!("{} {}", of.kind, number::bytes(of.bytes)));
        vec![
            Cell::Name(party.party.clone()),
            Cell::Text(party.role.to_owned()),
            Cell::Text(party.sees.join("; ")),
            Cell::Text(received.collect::<Vec<_>>().join(", ")),
        ]
    };
    let head = ["Party", "Role", "Sees", "Was sent"];
    table(page, &head, facts.parties.iter().map(row));
    page.raw("</section>");
}
