//! A batch at the aggregator: what sources answered, and what was made of it.
//!
//! Which rows a batch is about the label holder says, by the sum of their keys. Before its labels
//! are there, answers of sites that have different rows are all kept: those of the rows that most
//! sites have count, and the others are laid aside.

use super::quality::Quality;
use crate::federate::classify::Judgement;
use crate::federate::frame::{Answers, Final, NO_NODE, Refusal};
use crate::federate::party::Time;
use crate::federate::terms::Terms;
use crate::federate::topology::{Node, Topology};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) struct Batch {
    pub(super) topology: Arc<Topology>,
    pub(super) started: Time,
    pub(super) answered: Option<Time>,
    /// Of each source of the topology: sites, then nodes.
    pub(super) answers: Vec<Option<Answers>>,
    /// Answers about other rows than those that count, by place.
    pub(super) aside: BTreeMap<usize, Answers>,
    /// The rows that the label holder has told labels of.
    pub(super) labelled: Option<KnownRows>,
    /// Where it is told what nodes are given, node by node.
    pub(super) feeds: Vec<Feed>,
    /// Whether something came after it was answered.
    pub(super) is_changed: bool,
    /// Sources whose answers were refused.
    pub(super) given_up: Vec<bool>,
    /// What the sites said together of each record, and who was sure of most.
    pub(super) chosen: Vec<Choice>,
}

/// By which rows are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownRows {
    /// The keyed sum of their keys.
    pub(super) keys: u64,
    /// How many there are.
    pub(super) count: usize,
}

/// A source of a node, and where its answers say what it forwards there.
pub(super) struct Feed {
    pub(super) node: u16,
    pub(super) source: u16,
    /// Of the source among all.
    pub(super) place: usize,
    /// Of the node among those that the source feeds.
    pub(super) plane: usize,
}

/// The complete answer to a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) candidate: Option<Judgement>,
    pub(super) best: Judgement,
    pub(super) who: u16,
    pub(super) order: u8,
}

impl Batch {
    pub(super) fn new(topology: Arc<Topology>, started: Time) -> Self {
        let sources = topology.sites.len() + topology.nodes.len();
        Batch {
            feeds: feeds(&topology),
            topology,
            started,
            answered: None,
            is_changed: false,
            answers: vec![None; sources],
            aside: BTreeMap::new(),
            labelled: None,
            given_up: vec![false; sources],
            chosen: Vec::new(),
        }
    }

    /// The place of a source.
    pub(super) fn place(&self, source: u16) -> Option<usize> {
        place_of(&self.topology, source)
    }

    /// Why answers cannot be taken.
    pub(super) fn fault(&self, answers: &Answers, terms: &Terms) -> Option<Refusal> {
        let source = answers.source;
        let forwards = self.topology.destinations(source).count();
        let what_ifs = self.topology.lengths_of(source).len();
        let planes = (answers.forwards.len(), answers.what_ifs.len()) != (forwards, what_ifs);
        let shape = answers.class_count != terms.classes || answers.coarse != terms.coarse;
        let count = answers.count();
        if planes || shape || count == 0 || count > terms.batch as usize {
            return Some(Refusal::Width);
        }
        if answers.classes.iter().any(|&class| class >= terms.classes) {
            return Some(Refusal::Class);
        }
        if answers
            .confidences
            .iter()
            .any(|confidence| !(0.0..=1.0).contains(confidence))
        {
            return Some(Refusal::Confidence);
        }
        let place = self.place(source)?;
        let others = self.labelled.zip(self.rows_of_site(place, answers));
        others
            .is_some_and(|(labelled, rows)| labelled != rows)
            .then_some(Refusal::Keys)
    }

    /// The rows that a site says it has; none of a node, and none of a site that has dropped the
    /// batch and does not know what was in it.
    fn rows_of_site(&self, place: usize, answers: &Answers) -> Option<KnownRows> {
        let is_told = place < self.topology.sites.len() && answers.present.ones() > 0;
        is_told.then_some(KnownRows {
            keys: answers.keys,
            count: answers.count(),
        })
    }

    /// The rows that count: those of the labels, before these are there those that most sites have,
    /// and of as many those of the first site.
    fn rows(&self) -> Option<KnownRows> {
        if self.labelled.is_some() {
            return self.labelled;
        }
        let known = self.answers.iter().enumerate();
        let known = known.filter_map(|(place, answers)| Some((place, answers.as_ref()?)));
        let aside = self.aside.iter().map(|(place, answers)| (*place, answers));
        let mut told: BTreeMap<usize, KnownRows> = BTreeMap::new();
        for (place, answers) in known.chain(aside) {
            if let Some(rows) = self.rows_of_site(place, answers) {
                told.insert(place, rows);
            }
        }
        let sites = |rows: &KnownRows| told.values().filter(|other| *other == rows).count();
        // The last of several greatest is taken.
        told.values().rev().max_by_key(|rows| sites(rows)).copied()
    }

    /// Whether answers are about the rows that count.
    fn is_about(&self, rows: Option<KnownRows>, place: usize, answers: &Answers) -> bool {
        let Some(rows) = rows.filter(|_| answers.present.ones() > 0) else {
            return true;
        };
        match self.rows_of_site(place, answers) {
            Some(own) => own == rows,
            None => answers.count() == rows.count,
        }
    }

    /// Lays answers aside that are about other rows than those that count, and takes back those
    /// that are about these.
    fn sort_out(&mut self) {
        let rows = self.rows();
        for place in 0..self.answers.len() {
            let known = self.answers[place].take();
            let Some(answers) = known.or_else(|| self.aside.remove(&place)) else {
                continue;
            };
            match self.is_about(rows, place, &answers) {
                true => self.answers[place] = Some(answers),
                false => drop(self.aside.insert(place, answers)),
            }
        }
    }

    /// Whether sites have told of different rows.
    pub(super) fn has_other_rows(&self) -> bool {
        let sites = self.topology.sites.len();
        self.aside.keys().any(|&place| place < sites)
    }

    /// Takes the rows that the label holder has told labels of. Gives the sites that have others:
    /// nothing of them counts.
    pub(super) fn set_labelled(&mut self, rows: KnownRows) -> Vec<u16> {
        if self.labelled.replace(rows) == Some(rows) {
            return Vec::new();
        }
        let before = self.aside.keys().copied().collect::<Vec<usize>>();
        self.sort_out();
        self.is_changed |= self.is_answered() && !before.iter().eq(self.aside.keys());
        let sites = self.topology.sites.iter().enumerate();
        let others = sites.filter(|(place, _)| self.aside.contains_key(place));
        let others: Vec<u16> = others.map(|(_, site)| site.id).collect();
        for &site in &others {
            self.give_up(site);
        }
        others
    }

    pub(super) fn insert(&mut self, answers: Answers) {
        self.is_changed |= self.is_answered();
        let Some(place) = self.place(answers.source) else {
            return;
        };
        // Mostly all have the same rows.
        let sites = self.topology.sites.len();
        let mut first = self.answers.iter().take(sites).flatten();
        let first = first.find(|first| first.present.ones() > 0);
        let fits = first.is_some_and(|first| {
            let rows = KnownRows {
                keys: first.keys,
                count: first.count(),
            };
            self.is_about(Some(rows), place, &answers)
        });
        self.answers[place] = Some(answers);
        if !fits || !self.aside.is_empty() {
            self.sort_out();
        }
    }

    /// Goes on without a source.
    pub(super) fn give_up(&mut self, source: u16) {
        if let Some(place) = self.place(source) {
            self.given_up[place] = true;
        }
    }

    /// How many records it has, once somebody has told.
    pub(super) fn count(&self) -> Option<usize> {
        let all = || self.answers.iter().flatten();
        let told = all().find(|answers| answers.present.ones() > 0);
        told.or_else(|| all().next()).map(Answers::count)
    }

    pub(super) fn is_answered(&self) -> bool {
        self.answered.is_some()
    }

    pub(super) fn set_answered(&mut self, now: Time) {
        self.answered = Some(now);
    }

    /// Sources that have not answered.
    pub(super) fn missing(&self) -> impl Iterator<Item = u16> {
        let silent = self.topology.sources().enumerate();
        let silent =
            silent.filter(|(place, _)| self.answers[*place].is_none() && !self.given_up[*place]);
        let silent = silent.filter(|(place, _)| !self.aside.contains_key(place));
        silent.map(|(_, source)| source)
    }

    /// Whether all sources have answered but those that are gone.
    pub(super) fn has_all(&self, gone: impl Fn(u16) -> bool) -> bool {
        self.missing().all(gone)
    }

    /// Whether nobody is waited for: no site, and no node of at most this order that could
    /// still answer a record.
    pub(super) fn is_complete(&self, max_order: Option<u8>, gone: impl Fn(u16) -> bool) -> bool {
        let mut missing = self.missing().filter(|&source| !gone(source));
        missing.all(|source| match self.topology.node(source) {
            None => false,
            Some(node) => {
                let beyond = max_order.is_some_and(|most| node.order > most);
                beyond || !self.is_expected(node)
            }
        })
    }

    /// Whether some record may still be answered by a node.
    fn is_expected(&self, node: &Node) -> bool {
        let count = self.count().unwrap_or(0);
        (0..count).any(|at| self.may_answer(node, at))
    }

    /// Whether all sources of a node forwarded a record, as far as is known.
    pub(super) fn may_answer(&self, node: &Node, at: usize) -> bool {
        let first = self.feeds.partition_point(|feed| feed.node < node.id);
        let feeds = self.feeds[first..].iter();
        let mut feeds = feeds.take_while(|feed| feed.node == node.id);
        feeds.all(|feed| self.may_forward(feed, at))
    }

    fn may_forward(&self, feed: &Feed, at: usize) -> bool {
        match (&self.answers[feed.place], self.topology.node(feed.source)) {
            (Some(answers), _) => answers.forwards_at(feed.plane, at),
            (None, Some(node)) => self.may_answer(node, at),
            (None, None) => true,
        }
    }

    /// What a source answered to a record.
    pub(super) fn judgement(&self, place: usize, at: usize) -> Option<Judgement> {
        let answers = self.answers[place].as_ref()?;
        answers.present.get(at).then(|| Judgement {
            class: answers.classes[at],
            confidence: answers.confidences[at],
        })
    }

    pub(super) fn judgements_of_sites(&self, at: usize) -> impl Iterator<Item = Option<Judgement>> {
        (0..self.topology.sites.len()).map(move |place| self.judgement(place, at))
    }

    /// Whether a site has not answered a record, nor forwarded it instead.
    fn is_partial(&self, at: usize, omits: bool) -> bool {
        let sites = self.answers.iter().take(self.topology.sites.len());
        sites.into_iter().any(|answers| match answers {
            None => true,
            Some(answers) if answers.present.get(at) => false,
            Some(answers) => !(omits && answers.forwards.iter().any(|bits| bits.get(at))),
        })
    }

    /// The most confident of what the sites say together and of the nodes, the first of several:
    /// for the consumer among those of the orders that it waits for; the complete choice is kept.
    pub(super) fn choose(
        &mut self,
        at: usize,
        candidate: Option<Judgement>,
        terms: &Terms,
        qualities: Option<&BTreeMap<u16, Quality>>,
    ) -> Final {
        let nothing = Judgement {
            class: 0,
            confidence: 0.0,
        };
        let start = Choice {
            candidate,
            best: candidate.unwrap_or(nothing),
            who: NO_NODE,
            order: 0,
        };
        let (mut told, mut chosen, mut early) = (start, start, false);
        let mut silent = candidate.is_none();
        for (node, place) in self.topology.nodes.iter().zip(self.topology.sites.len()..) {
            let within = terms.answer.max_order.is_none_or(|most| node.order <= most);
            let Some(mut judgement) = self.judgement(place, at) else {
                early |= self.answers[place].is_none() && self.may_answer(node, at);
                continue;
            };
            if let Some(quality) = qualities.and_then(|all| all.get(&node.id)) {
                judgement.confidence = quality.cap(judgement.confidence);
            }
            let better = silent || judgement.confidence > chosen.best.confidence;
            if better {
                (chosen.best, chosen.who, chosen.order) = (judgement, node.id, node.order);
            }
            if within && (silent || judgement.confidence > told.best.confidence) {
                (told.best, told.who, told.order) = (judgement, node.id, node.order);
            }
            early |= !within;
            silent = false;
        }
        match self.chosen.get_mut(at) {
            Some(known) => *known = chosen,
            None => self.chosen.push(chosen),
        }
        Final {
            class: told.best.class,
            confidence: told.best.confidence,
            who: told.who,
            order: told.order,
            partial: self.is_partial(at, terms.answer.omit_forwarded),
            early,
        }
    }

    /// The most confident answer of lower order than this.
    pub(super) fn best_below(&self, at: usize, order: u8) -> Option<Judgement> {
        let mut best = self.chosen.get(at).and_then(|choice| choice.candidate);
        for (node, place) in self.topology.nodes.iter().zip(self.topology.sites.len()..) {
            if node.order < order
                && let Some(judgement) = self.judgement(place, at)
                && best.is_none_or(|best| judgement.confidence > best.confidence)
            {
                best = Some(judgement);
            }
        }
        best
    }
}

/// The place of a source among sites and nodes.
fn place_of(topology: &Topology, source: u16) -> Option<usize> {
    let sites = &topology.sites;
    if let Ok(place) = sites.binary_search_by_key(&source, |site| site.id) {
        return Some(place);
    }
    let nodes = &topology.nodes;
    let place = nodes.binary_search_by_key(&source, |node| node.id);
    place.ok().map(|place| sites.len() + place)
}

fn feeds(topology: &Topology) -> Vec<Feed> {
    let mut planes = vec![0; topology.sites.len() + topology.nodes.len()];
    let mut feeds = Vec::new();
    for node in &topology.nodes {
        for &source in &node.sources {
            let Some(place) = place_of(topology, source) else {
                continue;
            };
            let plane = planes[place];
            planes[place] += 1;
            feeds.push(Feed {
                node: node.id,
                source,
                place,
                plane,
            });
        }
    }
    feeds
}
