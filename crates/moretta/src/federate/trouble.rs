//! A trouble node: joins what its sources forward, classifies and learns what all of them did.
//!
//! It sees keys of every record that some source forwards, and of those that all forward what
//! the sites' policies give: a sum of masked projections, projections, or records as they are. A
//! node that is a source of another one forwards its joined records as they are to it.

mod inputs;
mod saved;

use super::agreement::Agreement;
use super::classify::{Judgement, classify};
use super::forward::{Planes, Reaches, forwards, would_forward};
use super::frame::{Answers, Bits, State};
use super::label_book::{Known, LabelBook};
use super::quantile::Quantile;
use super::ratio::{Rank, Ratio, Reach};
use super::state::odd;
use super::terms::{Mode, Terms, TroubleTerms};
use super::topology::{FragmentKind, Node, Topology};
use crate::error::{Error, Result};
use crate::learn::{self, Header, Input, Learner};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub(super) use inputs::{Inputs, Possible, Values};

/// The node.
pub(super) struct TroubleNode {
    terms: Arc<Terms>,
    /// That under which it was made, which says what its records are.
    topology: Topology,
    pub(super) entry: Node,
    header: Header,
    joins: Vec<Join>,
    learner: Box<dyn Learner>,
    has_learnt: bool,
    agreement: Agreement,
    quantile: Quantile,
    pub(super) inputs: BTreeMap<u64, Inputs>,
    /// The batch that it works on.
    pub(super) next: u64,
    progress: Option<Progress>,
    /// Records that it classified and has not learnt.
    unlearnt: VecDeque<(u64, Vec<f64>)>,
    /// Batches that its destinations have not asked for yet.
    pub(super) given: BTreeMap<u64, Given>,
    votes: Vec<f64>,
}

/// Where the values of a source go in a joined record.
#[derive(Clone, Debug)]
enum Join {
    /// Each to its place.
    Places(Vec<usize>),
    /// Added to those of other sites.
    Added(usize),
}

/// A batch that is being classified.
struct Progress {
    at: usize,
    rows: Vec<usize>,
    judged: Vec<Option<Judgement>>,
    records: Vec<f64>,
    planes: Planes,
}

/// Joined records that it forwards, until they are asked for.
pub(super) struct Given {
    pub(super) forwards: Vec<(u16, Bits)>,
    pub(super) present: Bits,
    pub(super) records: Vec<f64>,
}

/// A batch that is classified.
pub(super) struct Classified {
    pub(super) answers: Answers,
    pub(super) given: Given,
}

impl TroubleNode {
    /// A node that has learnt nothing, or what an earlier one over the same sources knew.
    pub(super) fn new(
        terms: &Arc<Terms>,
        topology: &Topology,
        entry: &Node,
        known: Option<(Box<dyn Learner>, bool)>,
    ) -> Result<Self> {
        let (header, joins) = shape(topology, entry, terms.classes)?;
        let (learner, has_learnt) = match known {
            Some(known) => known,
            None => {
                let trouble = trouble_terms(terms)?;
                (
                    learn::build(&trouble.learner, &header, trouble.seed)?,
                    false,
                )
            }
        };
        Ok(TroubleNode {
            agreement: Agreement::new(entry.sources.len() as u16, terms.window),
            quantile: Quantile::new(terms.window),
            topology: topology.clone(),
            entry: entry.clone(),
            header,
            joins,
            learner,
            has_learnt,
            inputs: BTreeMap::new(),
            next: entry.first,
            progress: None,
            unlearnt: VecDeque::new(),
            given: BTreeMap::new(),
            votes: Vec::new(),
            terms: Arc::clone(terms),
        })
    }

    /// What it knows, for a node over the same sources.
    pub(super) fn into_knowledge(self) -> (Topology, Box<dyn Learner>, bool) {
        (self.topology, self.learner, self.has_learnt)
    }

    /// The first record whose label it still needs.
    pub(super) fn needs_labels_from(&self) -> u64 {
        let next = self.next.saturating_mul(u64::from(self.terms.batch));
        self.unlearnt
            .front()
            .map_or(next, |(record, _)| (*record).min(next))
    }

    /// Bytes of its model.
    pub(super) fn memory(&self) -> usize {
        self.learner.memory()
    }

    /// Classifies the next batch, whose inputs are complete, as far as labels allow.
    pub(super) fn work(
        &mut self,
        topology: &Topology,
        labels: &LabelBook,
        state: Option<&State>,
    ) -> Option<Classified> {
        let inputs = self.inputs.get(&self.next)?;
        let count = inputs.count()?;
        if self.progress.is_none() {
            self.progress = Some(Progress {
                at: 0,
                rows: vec![0; self.entry.sources.len()],
                judged: vec![None; count],
                records: Vec::new(),
                planes: Planes::new(topology, self.entry.id, count),
            });
        }
        while self
            .progress
            .as_ref()
            .is_some_and(|progress| progress.at < count)
        {
            if !self.work_on_record(topology, labels, state) {
                return None;
            }
        }
        let progress = self.progress.take()?;
        let classified = self.classified(topology, progress);
        self.inputs.remove(&self.next);
        self.next = self.next.saturating_add(1);
        Some(classified)
    }

    /// One record; false if its turn has not come.
    fn work_on_record(
        &mut self,
        topology: &Topology,
        labels: &LabelBook,
        state: Option<&State>,
    ) -> bool {
        let Some(at) = self.progress.as_ref().map(|progress| progress.at) else {
            return false;
        };
        let first = self.next.saturating_mul(u64::from(self.terms.batch));
        let record = first.saturating_add(at as u64);
        let due = record.saturating_sub(self.terms.label_delay);
        if !self.learn_below(due, labels) && self.terms.mode == Mode::Lockstep {
            return false;
        }
        let (Some(inputs), Some(progress)) = (self.inputs.get(&self.next), &mut self.progress)
        else {
            return false;
        };
        let forwarded = inputs.forwarded(at);
        self.agreement.push(forwarded);
        if usize::from(forwarded) == self.entry.sources.len() {
            let mut joined = vec![0.0; self.header.attributes().len()];
            for (source, join) in self.joins.iter().enumerate() {
                inputs.join(
                    source,
                    progress.rows[source],
                    join_places(join),
                    &mut joined,
                );
            }
            let judgement = classify(
                &*self.learner,
                self.has_learnt,
                &joined,
                self.terms.classes,
                self.terms.first_record + record,
                &mut self.votes,
            );
            let rank = self.quantile.push(judgement.confidence);
            progress.judged[at] = Some(judgement);
            progress.records.extend_from_slice(&joined);
            self.unlearnt.push_back((record, joined));
            self.set_planes(at, rank, topology, state);
        }
        let (Some(inputs), Some(progress)) = (self.inputs.get(&self.next), &mut self.progress)
        else {
            return false;
        };
        inputs.step(at, &mut progress.rows);
        progress.at += 1;
        true
    }

    fn set_planes(&mut self, at: usize, rank: Rank, topology: &Topology, state: Option<&State>) {
        let Some(progress) = &mut self.progress else {
            return;
        };
        let own = state.and_then(|state| {
            let found = state.nodes.iter().find(|(id, ..)| *id == self.entry.id);
            found.map(|(_, _, reach)| *reach)
        });
        let reaches = Reaches {
            reach: Reach::of_node(self.agreement.ratio(), self.entry.factor, self.entry.length),
            second: own.unwrap_or(Ratio::new(0, 1)),
        };
        let nodes = topology.destinations(self.entry.id);
        for (node, bits) in nodes.zip(&mut progress.planes.forwards) {
            if forwards(rank, node, reaches, state) {
                bits.set(at);
            }
        }
        let Some(trouble) = &self.terms.trouble else {
            return;
        };
        let two_factors = trouble.second_factor.is_some();
        let lengths = topology.lengths_of(self.entry.id).iter();
        for (&length, bits) in lengths.zip(&mut progress.planes.what_ifs) {
            if would_forward(rank, trouble.factor, two_factors, reaches, length) {
                bits.set(at);
            }
        }
    }

    /// Learns its records below this one, or those up to the first whose label has not come.
    pub(super) fn learn_below(&mut self, record: u64, labels: &LabelBook) -> bool {
        while let Some((next, joined)) = self.unlearnt.front() {
            if *next >= record {
                break;
            }
            match labels.label(*next) {
                Known::NotYet => return false,
                Known::Never => {}
                Known::Class(class) => {
                    self.learner.learn(joined, class);
                    self.has_learnt = true;
                }
            }
            self.unlearnt.pop_front();
        }
        true
    }

    /// Gives up a batch of so many records and answers none of them.
    pub(super) fn pass(&mut self, topology: &Topology, count: usize) -> Classified {
        self.skip();
        let progress = Progress {
            at: count,
            rows: Vec::new(),
            judged: vec![None; count],
            records: Vec::new(),
            planes: Planes::new(topology, self.entry.id, count),
        };
        self.classified(topology, progress)
    }

    /// Gives up a batch that will never be complete.
    fn skip(&mut self) {
        self.inputs.remove(&self.next);
        self.progress = None;
        self.next = self.next.saturating_add(1);
    }

    /// The same, and those after it of which nothing has come, as far as batches are closed: in one
    /// step, since whoever says how far that is may say anything.
    pub(super) fn skip_below(&mut self, closed: u64) {
        self.skip();
        let known = self
            .inputs
            .keys()
            .copied()
            .find(|&batch| batch >= self.next);
        let next = known.map_or(closed, |known| known.min(closed));
        self.next = self.next.max(next);
    }

    /// Forgets records whose labels are lost.
    pub(super) fn keep_unlearnt(&mut self, most: usize) {
        while self.unlearnt.len() > most {
            self.unlearnt.pop_front();
        }
    }

    fn classified(&self, topology: &Topology, progress: Progress) -> Classified {
        let count = progress.judged.len();
        let mut present = Bits::new(count);
        let answered = |at: &usize| progress.judged[*at].is_some();
        (0..count).filter(answered).for_each(|at| present.set(at));
        let judged = progress.judged.iter();
        let classes = judged.clone().map(|judged| judged.map_or(0, |j| j.class));
        let confidences = judged.map(|judged| judged.map_or(0.0, |j| j.confidence));
        let destinations = topology.destinations(self.entry.id).map(|node| node.id);
        Classified {
            answers: Answers {
                source: self.entry.id,
                class_count: self.terms.classes,
                coarse: self.terms.coarse,
                present: present.clone(),
                classes: classes.collect(),
                confidences: confidences.collect(),
                forwards: progress.planes.forwards.clone(),
                what_ifs: progress.planes.what_ifs,
                agreement: self.agreement.counts(),
                keys: 0,
            },
            given: Given {
                forwards: destinations.zip(progress.planes.forwards).collect(),
                present,
                records: progress.records,
            },
        }
    }
}

impl Given {
    /// The joined records at these places, of so many values each.
    pub(super) fn rows(&self, places: &Bits, width: usize) -> Vec<f64> {
        let mut values = Vec::new();
        for (row, at) in self.present.places().enumerate() {
            if places.get(at) {
                values.extend_from_slice(&self.records[row * width..][..width]);
            }
        }
        values
    }
}

fn join_places(join: &Join) -> inputs::Place<'_> {
    match join {
        Join::Places(places) => inputs::Place::Each(places),
        Join::Added(width) => inputs::Place::Added(*width),
    }
}

/// What a joined record is: columns of all sources, rising, each once; or the sum of what sites
/// give, followed by the records of nodes.
fn shape(topology: &Topology, entry: &Node, classes: u32) -> Result<(Header, Vec<Join>)> {
    if entry.kind == FragmentKind::Raw {
        let columns = topology.columns_of_all(&entry.sources);
        let inputs = columns.iter().map(|column| column.input()).collect();
        let place = |id: u64| {
            columns
                .iter()
                .position(|column| column.id == id)
                .unwrap_or(0)
        };
        let join = |&source: &u16| {
            let own = topology.columns_of(source);
            Join::Places(own.iter().map(|column| place(column.id)).collect())
        };
        let joins = entry.sources.iter().map(join).collect();
        return Ok((Header::new(inputs, classes as usize)?, joins));
    }
    let of_nodes = |source: &u16| topology.node(*source).map(|node| usize::from(node.width));
    let nodes: usize = entry.sources.iter().filter_map(of_nodes).sum();
    let projected = usize::from(entry.width).saturating_sub(nodes);
    let mut next = projected;
    let join = |source: &u16| match of_nodes(source) {
        None => Join::Added(projected),
        Some(width) => {
            next += width;
            Join::Places((next - width..next).collect())
        }
    };
    let joins = entry.sources.iter().map(join).collect();
    let inputs = vec![Input::Number; usize::from(entry.width)];
    Ok((Header::new(inputs, classes as usize)?, joins))
}

/// What the records of a node hold.
pub(super) fn header_of(topology: &Topology, id: u16, classes: u32) -> Result<Header> {
    let entry = topology
        .node(id)
        .ok_or_else(|| odd("a node that there is not"))?;
    shape(topology, entry, classes).map(|(header, _)| header)
}

pub(super) fn trouble_terms(terms: &Terms) -> Result<&TroubleTerms> {
    let trouble = terms.trouble.as_ref();
    trouble.ok_or_else(|| Error::bug("a trouble node where there is none"))
}
