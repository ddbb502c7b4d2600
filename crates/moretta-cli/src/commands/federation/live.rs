//! A federation while it runs: lines of a terminal that change, or a rare line elsewhere.

use crate::console::Console;
use indicatif::{ProgressBar, ProgressStyle};
use moretta::pipeline::{Chronicle, FederationFacts, NodeFact, SiteFact};
use moretta_report::count;
use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Between two changes of what is shown.
const PAUSE: Duration = Duration::from_millis(200);
/// Between two lines where nothing can change.
const RARELY: Duration = Duration::from_secs(10);
/// The time that a rate is over.
const RATED: Duration = Duration::from_secs(5);
/// No line is longer, so that none is broken in a terminal of 80.
const WIDTH: usize = 80;
/// Sites, candidates and trouble nodes that are shown at most.
const SITES: usize = 10;
const CANDIDATES: usize = 3;
const NODES: usize = 6;

/// What shows a federation.
pub(crate) struct LiveView {
    shown: Shown,
    /// Who has no link, in words.
    lacking: Option<String>,
    next: Instant,
    begun: Instant,
    rated: VecDeque<(Instant, u64)>,
}

/// The link of a site, in words.
pub(crate) type Link<'a> = &'a dyn Fn(&str) -> String;

enum Shown {
    Nothing,
    Lines(ProgressBar),
    Log,
}

impl LiveView {
    pub(crate) fn new(console: &Console) -> Self {
        let shown = match (console.is_talkative(), std::io::stderr().is_terminal()) {
            (false, _) => Shown::Nothing,
            (true, true) => Shown::Lines(lines()),
            (true, false) => Shown::Log,
        };
        let now = Instant::now();
        LiveView {
            next: match shown {
                Shown::Log => now + RARELY,
                _ => now,
            },
            shown,
            begun: now,
            lacking: None,
            rated: VecDeque::from([(now, 0)]),
        }
    }

    /// Shows how things are, if it is time to; with the links of sites, where there are some.
    pub(crate) fn show(&mut self, chronicle: &Chronicle, link: Option<Link<'_>>) {
        let now = Instant::now();
        if matches!(self.shown, Shown::Nothing) || now < self.next {
            return;
        }
        let facts = chronicle.facts();
        let rate = self.rate(now, facts.records);
        match &self.shown {
            Shown::Nothing => {}
            Shown::Lines(bar) => {
                let mut lines = view(&facts, rate, link);
                lines.extend(self.lacking.iter().map(|text| cut(text, WIDTH - 1)));
                bar.set_message(lines.join("\n"));
                bar.tick();
                self.next = now + PAUSE;
            }
            Shown::Log => {
                let line = head(&facts, rate).join("  ");
                let _ = writeln!(std::io::stderr(), "{line}");
                self.next = now + RARELY;
            }
        }
    }

    fn rate(&mut self, now: Instant, records: u64) -> f64 {
        self.rated.push_back((now, records));
        while self.rated.len() > 2 && now - self.rated[1].0 >= RATED {
            self.rated.pop_front();
        }
        let (since, before) = self.rated[0];
        let seconds = (now - since).as_secs_f64().max(1e-3);
        records.saturating_sub(before) as f64 / seconds
    }

    /// Takes it away after a failure.
    pub(crate) fn clear(&self) {
        if let Shown::Lines(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }

    /// Shows the final figures, however short the run was: they stay where the result goes elsewhere,
    /// and make room for it where it is shown next.
    pub(crate) fn end(&self, chronicle: &Chronicle) {
        let Shown::Lines(bar) = &self.shown else {
            return;
        };
        if std::io::stdout().is_terminal() {
            bar.finish_and_clear();
        } else {
            bar.finish_with_message(last(&chronicle.facts(), self.begun.elapsed()).join("\n"));
        }
    }
}

/// What only parties that are linked need.
#[cfg(feature = "federation")]
impl LiveView {
    /// Whether what it shows changes while nothing happens.
    pub(crate) fn changes(&self) -> bool {
        matches!(self.shown, Shown::Lines(_))
    }

    /// Shows who has no link: in its lines, or as a line of its own.
    pub(crate) fn lacks(&mut self, lacking: Option<String>, console: &Console) {
        match (&self.shown, &lacking) {
            (Shown::Lines(_), _) => self.next = Instant::now(),
            (_, Some(text)) => console.hint(text),
            (_, None) => {}
        }
        self.lacking = lacking;
    }

    /// Prints beside what is shown.
    pub(crate) fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.shown {
            Shown::Lines(bar) => bar.suspend(print),
            _ => print(),
        }
    }
}

fn lines() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{msg}") {
        bar.set_style(style);
    }
    bar
}

/// The lines of a run that is over, whose rate is over all of it.
fn last(facts: &FederationFacts, passed: Duration) -> Vec<String> {
    let rate = facts.records as f64 / passed.as_secs_f64().max(1e-3);
    view(facts, rate, None)
}

/// All lines.
fn view(facts: &FederationFacts, rate: f64, link: Option<Link<'_>>) -> Vec<String> {
    let mut lines = head(facts, rate).to_vec();
    lines[1].insert_str(0, "  ");
    lines.extend(waited_for(facts));
    lines.extend(sites(facts, link));
    lines.extend(agreements(facts));
    lines.extend(nodes(facts));
    lines.iter().map(|line| cut(line, WIDTH - 1)).collect()
}

fn cut(text: &str, most: usize) -> String {
    match text.chars().count() <= most {
        true => text.to_owned(),
        false => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

fn head(facts: &FederationFacts, rate: f64) -> [String; 2] {
    let share = |share: Option<f64>| share.map_or("–".to_owned(), percent);
    let first = format!(
        "{}  {} records  {}/s  accuracy {} (of late {})",
        facts.federation,
        count(facts.records),
        count(rate as u64),
        share(facts.accuracy),
        share(facts.recent_accuracy),
    );
    let since = match facts.restarted_at {
        Some(_) => ", all since the restart",
        None => "",
    };
    let second = format!("{:.1} bytes a record{since}", facts.bytes_a_record);
    [first, second]
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Who has not answered anything yet.
fn waited_for(facts: &FederationFacts) -> Option<String> {
    let silent = facts.sites.iter().filter(|site| site.last_batch.is_none());
    let silent: Vec<&str> = silent.map(|site| site.site.as_str()).collect();
    (!silent.is_empty()).then(|| format!("  nothing yet from {}", silent.join(", ")))
}

/// Those that were absent most come first where there is no room for all.
fn sites(facts: &FederationFacts, link: Option<Link<'_>>) -> Vec<String> {
    let mut sites: Vec<&SiteFact> = facts.sites.iter().collect();
    if sites.len() > SITES {
        sites.sort_by(|a, b| a.presence.total_cmp(&b.presence));
    }
    let width = sites.iter().take(SITES).map(|s| s.site.chars().count());
    // A link needs room.
    let widest = if link.is_some() { 18 } else { 24 };
    let width = width.max().unwrap_or(0).clamp(4, widest);
    let mut lines = vec![format!(
        "  {:width$}  {:>9}  {:>8}  {:>8}  {:>4}",
        "site", "batch", "present", "right", "sure"
    )];
    if link.is_some() {
        lines[0].push_str("  link");
    }
    for site in sites.iter().take(SITES) {
        let link = link.map_or(String::new(), |link| format!("  {}", link(&site.site)));
        lines.push(format!(
            "  {:width$}  {:>9}  {:>8}  {:>8}  {:>4}{link}",
            cut(&site.site, width),
            site.last_batch.map_or("–".to_owned(), count),
            percent(site.presence),
            site.accuracy.map_or("–".to_owned(), percent),
            site.confidence
                .map_or("–".to_owned(), |mean| format!("{mean:.2}")),
        ));
    }
    if sites.len() > SITES {
        lines.push(format!("  and {} more sites", sites.len() - SITES));
    }
    lines
}

fn agreements(facts: &FederationFacts) -> Option<String> {
    let newest = facts.agreements.iter().filter_map(|one| one.points.last());
    let newest = newest.map(|(batch, _)| *batch).max()?;
    let now = facts.agreements.iter().filter_map(|one| {
        let (_, agreement) = one.points.last().filter(|(batch, _)| *batch == newest)?;
        Some(format!("{} {agreement:.2}", one.sources.join("+")))
    });
    let best: Vec<String> = now.take(CANDIDATES).collect();
    Some(format!("  agree most  {}", best.join("  ")))
}

fn nodes(facts: &FederationFacts) -> Vec<String> {
    let alive: Vec<&NodeFact> = facts
        .nodes
        .iter()
        .filter(|node| node.to_batch.is_none())
        .collect();
    let gone = facts.nodes.len() - alive.len();
    let gone = gone as u64 + facts.forgotten_nodes;
    let mut lines = vec![format!(
        "  trouble nodes  {} there, {} gone",
        alive.len(),
        count(gone)
    )];
    for node in alive.iter().take(NODES) {
        lines.push(format!(
            "  {:>5}  {}  since batch {}  answered {}  right {}",
            node.node,
            node.sources.join("+"),
            count(node.from_batch),
            count(node.answered),
            node.accuracy.map_or("–".to_owned(), percent)
        ));
    }
    if alive.len() > NODES {
        lines.push(format!("  and {} more nodes", alive.len() - NODES));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::pipeline::AgreementFact;

    fn facts(sites: usize) -> FederationFacts {
        let site = |number: usize| SiteFact {
            site: format!("site-{number}"),
            accuracy: Some(0.75),
            confidence: Some(0.5),
            presence: number as f64 / sites as f64,
            last_batch: (number > 0).then_some(1234),
        };
        let node = |number: u16, to_batch| NodeFact {
            node: number,
            sources: vec!["a".to_owned(), "b".to_owned()],
            order: 1,
            from_batch: 7,
            to_batch,
            forwarded: 9,
            joined: 4,
            answered: 2,
            accuracy: None,
        };
        FederationFacts {
            federation: "f".to_owned(),
            counted: "all links",
            restarted_at: None,
            records: 12_345,
            labelled: 12_000,
            accuracy: Some(0.8),
            recent_accuracy: None,
            batch: 10,
            moment: 1,
            partial: 0,
            early: 0,
            bytes: 100,
            bytes_a_record: 8.25,
            sites: (0..sites).map(site).collect(),
            nodes: vec![node(7, Some(9)), node(8, None)],
            no_nodes: None,
            forgotten_nodes: 1,
            moments: Vec::new(),
            agreements: vec![
                AgreementFact {
                    sources: vec!["a".to_owned(), "c".to_owned()],
                    points: vec![(0, 0.1), (5, 0.25)],
                },
                AgreementFact {
                    sources: vec!["b".to_owned(), "c".to_owned()],
                    points: vec![(0, 0.9)],
                },
            ],
            frames: Vec::new(),
            links: Vec::new(),
            incidents: Vec::new(),
            parties: Vec::new(),
        }
    }

    #[test]
    fn lines_tell_sites_agreement_and_nodes() {
        let lines = view(&facts(2), 99.6, None);
        let expected = [
            "f  12,345 records  99/s  accuracy 80.0 % (of late –)",
            "  8.2 bytes a record",
            "  nothing yet from site-0",
            "  site        batch   present     right  sure",
            "  site-0          –     0.0 %    75.0 %  0.50",
            "  site-1      1,234    50.0 %    75.0 %  0.50",
            "  agree most  a+c 0.25",
            "  trouble nodes  1 there, 2 gone",
            "      8  a+b  since batch 7  answered 2  right –",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_short_run_ends_with_its_figures_and_a_restarted_one_says_so() {
        let mut facts = facts(2);
        facts.sites[0].last_batch = Some(4);
        facts.restarted_at = Some(3);
        let lines = last(&facts, Duration::from_millis(500));
        let head = "f  12,345 records  24,690/s  accuracy 80.0 % (of late –)";
        assert_eq!(lines[0], head);
        assert_eq!(lines[1], "  8.2 bytes a record, all since the restart");
        assert!(lines.iter().all(|line| !line.contains("nothing yet")));
    }

    #[test]
    fn links_of_sites_have_a_column_of_their_own() {
        let mut facts = facts(4);
        facts.sites[3].site = "a site with a long name indeed".to_owned();
        let link = |site: &str| {
            let word = match site {
                "site-0" => "not yet",
                "site-1" => "linked",
                "site-2" => "lost for 86399 s",
                _ => "shut out",
            };
            word.to_owned()
        };
        let lines = view(&facts, 99.6, Some(&link));
        let expected = [
            "  site                    batch   present     right  sure  link",
            "  site-0                      –     0.0 %    75.0 %  0.50  not yet",
            "  site-1                  1,234    25.0 %    75.0 %  0.50  linked",
            "  site-2                  1,234    50.0 %    75.0 %  0.50  lost for 86399 s",
            "  a site with a lon…      1,234    75.0 %    75.0 %  0.50  shut out",
        ];
        assert_eq!(lines[3..8], expected);
        assert!(lines.iter().all(|line| line.chars().count() < WIDTH));
    }

    #[test]
    fn many_sites_leave_room_and_the_absent_come_first() {
        let mut facts = facts(300);
        facts.federation = "long ".repeat(50);
        let lines = view(&facts, f64::MAX, None);
        assert!(lines.len() < 24, "{}", lines.len());
        assert!(lines.iter().all(|line| line.chars().count() < WIDTH));
        assert!(lines[4].contains("site-0 "), "{}", lines[4]);
        assert!(lines.iter().any(|line| line == "  and 290 more sites"));
    }
}
