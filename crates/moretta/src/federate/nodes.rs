//! Trouble nodes that run at one place, and what sources send them.

mod saved;

use super::course::Course;
use super::frame::{Agreed, Bits, Body, Fragment, Keys, Labels, NO_NODE, Refusal};
use super::label_book::LabelBook;
use super::links::{Address, Post, Received};
use super::mask::{LARGEST, MOST_MEMBERS};
use super::party::{Note, PartyId};
use super::terms::{Mode, Terms};
use super::topology::{FragmentKind, Node, Topology};
use super::trouble::{Classified, Inputs, Possible, TroubleNode, Values};
use crate::error::Result;
use crate::learn::Learner;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Batches of inputs that a node keeps ahead of its own.
const MOST_AHEAD: u64 = 64;
/// Frames of one party that wait for their topology, and bytes of these.
const MOST_EARLY: usize = 256;
const MOST_EARLY_BYTES: usize = 4 << 20;
/// Removed nodes whose models are kept.
const MOST_KEPT: usize = 64;
/// Batches of labels that are kept ahead of answers.
pub(super) const MOST_LABELS: u64 = 2048;
/// Batches whose labels are waited for.
const MOST_UNLEARNT: u64 = 1024;

/// The nodes of one place.
pub(super) struct Nodes {
    terms: Arc<Terms>,
    me: PartyId,
    course: Course,
    labels: LabelBook,
    nodes: BTreeMap<u16, TroubleNode>,
    /// The epoch whose nodes are made.
    made: Option<u32>,
    kept: VecDeque<Kept>,
    /// Frames of batches under a topology that is not known here yet.
    early: Vec<(PartyId, Received)>,
}

/// What a removed node knew, and of which records.
struct Kept {
    sources: Vec<u16>,
    topology: Topology,
    id: u16,
    learner: Box<dyn Learner>,
    has_learnt: bool,
}

impl Nodes {
    /// No nodes yet.
    pub(super) fn new(terms: Arc<Terms>, me: PartyId) -> Self {
        Nodes {
            me,
            course: Course::default(),
            labels: LabelBook::new(terms.batch),
            nodes: BTreeMap::new(),
            made: None,
            kept: VecDeque::new(),
            early: Vec::new(),
            terms,
        }
    }

    /// Bytes of each node's model.
    pub(super) fn memory(&self) -> Vec<(u16, usize)> {
        self.nodes
            .iter()
            .map(|(id, node)| (*id, node.memory()))
            .collect()
    }

    /// Takes a frame of a source, or of a node that agreed; those of an epoch that is not known
    /// here yet wait.
    pub(super) fn take(
        &mut self,
        from: PartyId,
        received: Received,
        post: &mut Post<'_>,
    ) -> Result<()> {
        if from == PartyId::LABELS || from == PartyId::CONSUMER {
            let header = received.header;
            let about = Address::new(from, header.epoch, header.batch).about(header.node);
            post.links.postpone(from, received.stream);
            post.refuse(from, Refusal::Unexpected, about);
            return Ok(());
        }
        if self.made.is_none_or(|made| made < received.header.epoch) {
            match self.has_room(from, &received.body) {
                true => self.early.push((from, received)),
                false => post.links.postpone(from, received.stream),
            }
            return Ok(());
        }
        self.take_of_node(from, received, post)
    }

    /// Whether a frame of a party may wait. One that may not comes again.
    fn has_room(&self, from: PartyId, body: &Body) -> bool {
        let waiting = self.early.iter().filter(|(sender, _)| *sender == from);
        let (count, bytes) = waiting.fold((0, 0), |(count, bytes), (_, received)| {
            (count + 1, bytes + bytes_of(&received.body))
        });
        count < MOST_EARLY && bytes + bytes_of(body) <= MOST_EARLY_BYTES
    }

    /// Whether labels are of a batch that is too far ahead to be kept.
    pub(super) fn is_far(&self, batch: u64) -> bool {
        batch >= self.course.closed().saturating_add(MOST_LABELS)
    }

    /// Takes labels, which were found sound and are not too far ahead.
    pub(super) fn take_labels(&mut self, batch: u64, labels: Labels) {
        if !self.is_far(batch) {
            self.labels.insert(batch, labels);
        }
    }

    /// What the aggregator says.
    pub(super) fn course(&mut self) -> &mut Course {
        &mut self.course
    }

    /// The nodes that run here.
    pub(super) fn ids(&self) -> impl Iterator<Item = u16> {
        self.nodes.keys().copied()
    }

    /// Makes the nodes of topologies that have come, and takes what came before them.
    fn make_nodes(&mut self, post: &mut Post<'_>) -> Result<()> {
        let Some(topology) = self.course.newest().cloned() else {
            return Ok(());
        };
        if self.made == Some(topology.epoch) {
            return Ok(());
        }
        self.made = Some(topology.epoch);
        let me = self.me;
        for entry in topology.nodes.iter().filter(|entry| entry.host == me) {
            match self.nodes.get_mut(&entry.id) {
                Some(node) if node.entry.is_but_for_phases(entry) => node.entry = entry.clone(),
                _ => {
                    let known = self.known_model(entry);
                    let node = TroubleNode::new(&self.terms, &topology, entry, known)?;
                    self.nodes.insert(entry.id, node);
                }
            }
        }
        let early = std::mem::take(&mut self.early);
        for (from, received) in early {
            match received.header.epoch <= topology.epoch {
                true => self.take_of_node(from, received, post)?,
                false => self.early.push((from, received)),
            }
        }
        Ok(())
    }

    fn known_model(&mut self, entry: &Node) -> Option<(Box<dyn Learner>, bool)> {
        let place = self
            .kept
            .iter()
            .position(|kept| kept.sources == entry.sources)?;
        let kept = self.kept.remove(place)?;
        Some((kept.learner, kept.has_learnt))
    }

    fn take_of_node(
        &mut self,
        from: PartyId,
        received: Received,
        post: &mut Post<'_>,
    ) -> Result<()> {
        let (header, stream) = (received.header, received.stream);
        let refused = match received.body {
            Body::Agreed(agreed) => {
                let address = Address::new(from, header.epoch, header.batch).about(header.node);
                self.give(address, &agreed, post)
            }
            body => {
                let next = self.nodes.get(&header.node).map(|node| node.next);
                if next.is_some_and(|next| header.batch >= next.saturating_add(MOST_AHEAD)) {
                    // Its sender knows of a credit that is still on its way to this place.
                    post.links.postpone(from, stream);
                    return Ok(());
                }
                self.take_input(from, header.node, header.epoch, header.batch, body, post)
            }
        };
        if let Some(why) = refused {
            let about = Address::new(from, header.epoch, header.batch).about(header.node);
            post.links.postpone(from, stream);
            post.refuse(from, why, about);
        }
        Ok(())
    }

    fn take_input(
        &mut self,
        from: PartyId,
        id: u16,
        epoch: u32,
        batch: u64,
        body: Body,
        post: &mut Post<'_>,
    ) -> Option<Refusal> {
        let Some(node) = self.nodes.get_mut(&id) else {
            post.out.notes.push(Note::Late(from, batch));
            return None;
        };
        if batch < node.next {
            post.out.notes.push(Note::Late(from, batch));
            return None;
        }
        let Some(topology) = self.course.of_epoch(epoch) else {
            post.out.notes.push(Note::Late(from, batch));
            return None;
        };
        let source = match &body {
            Body::Keys(keys) => keys.source,
            Body::Fragment(fragment) => fragment.source,
            Body::Masked(masked) => masked.source,
            _ => NO_NODE,
        };
        if party_of(topology, source) != Some(from) {
            return Some(Refusal::Sender);
        }
        let place = node.entry.sources.iter().position(|known| *known == source);
        let Some(place) = place else {
            return Some(Refusal::Sender);
        };
        // Phases are those of the epoch, which may be older than the node's newest.
        let entry = topology.node(id);
        let Some(entry) = entry.filter(|entry| entry.is_but_for_phases(&node.entry)) else {
            return Some(Refusal::Epoch);
        };
        let width = width_of(topology, entry, source);
        let sources = entry.sources.len();
        let of_site = topology.node(source).is_none();
        let (kind, two_phase) = (entry.kind, entry.two_phase);
        let inputs = node
            .inputs
            .entry(batch)
            .or_insert_with(|| Inputs::new(sources, epoch));
        if inputs.epoch != epoch {
            return Some(Refusal::Epoch);
        }
        let labels = self.labels.of_batch(batch);
        let labelled = labels.map(|labels| labels.present.len());
        let refused = match body {
            Body::Keys(keys) if two_phase => inputs.set_keys(place, keys.forwarded, labelled),
            Body::Fragment(fragment) => {
                let masked = kind == FragmentKind::Masked && of_site;
                let other = usize::from(fragment.width) != width && fragment.rows() > 0;
                let keyed = fragment.forwarded.is_some();
                if masked || other {
                    Some(Refusal::Width)
                } else if keyed == two_phase {
                    Some(Refusal::Unexpected)
                } else {
                    let keys = fragment.forwarded;
                    let keys = keys.map(|keys| inputs.set_keys(place, keys, labelled));
                    let values = Values::Plain(fragment.values);
                    let possible = match kind {
                        FragmentKind::Raw => Possible::Of(topology.columns_of(source)),
                        _ if of_site => Possible::UpTo(LARGEST),
                        _ => Possible::UpTo(LARGEST * MOST_MEMBERS as f64),
                    };
                    keys.flatten()
                        .or_else(|| inputs.set_values(place, width, values, &possible))
                }
            }
            Body::Masked(masked) if kind == FragmentKind::Masked && of_site => {
                match usize::from(masked.width) == width {
                    true => {
                        let words = Values::Masked(masked.words);
                        inputs.set_values(place, width, words, &Possible::UpTo(LARGEST))
                    }
                    false => Some(Refusal::Width),
                }
            }
            _ => Some(Refusal::Unexpected),
        };
        inputs.is_spoilt |= refused.is_some();
        refused
    }

    /// Sends joined records of a node that another node has agreed on, to who runs that one alone.
    fn give(&mut self, address: Address, agreed: &Agreed, post: &mut Post<'_>) -> Option<Refusal> {
        let (destination, batch) = (address.node, address.batch);
        let of_epoch = self.course.of_epoch(address.epoch);
        let mut known = of_epoch.into_iter().chain(self.course.newest());
        let Some(entry) = known.find_map(|topology| topology.node(destination)) else {
            post.out.notes.push(Note::Late(address.to, batch));
            return None;
        };
        if entry.host != address.to {
            return Some(Refusal::Sender);
        }
        let mut frames = Vec::new();
        for node in self.nodes.values_mut() {
            let Some(given) = node.given.get_mut(&batch) else {
                continue;
            };
            let place = given.forwards.iter().position(|(id, _)| *id == destination);
            let Some(place) = place else { continue };
            let forwarded = &given.forwards[place].1;
            if !agreed.records.places().all(|at| forwarded.get(at)) {
                return Some(Refusal::Width);
            }
            let width = node.entry.width;
            let values = given.rows(&agreed.records, usize::from(width));
            given.forwards.remove(place);
            if given.forwards.is_empty() {
                node.given.remove(&batch);
            }
            let fragment = Fragment {
                source: node.entry.id,
                forwarded: None,
                width,
                values,
            };
            frames.push((node.entry.id, fragment));
        }
        for (source, fragment) in frames {
            post.send(address.of_source(source), &Body::Fragment(fragment));
        }
        None
    }

    /// Lets every node go on as far as it can.
    pub(super) fn advance(&mut self, post: &mut Post<'_>) -> Result<()> {
        if self.terms.mode != Mode::Lockstep {
            self.course.skip_closed();
        }
        self.make_nodes(post)?;
        let ids: Vec<u16> = self.ids().collect();
        for &id in &ids {
            while self.advance_node(id, post) {}
        }
        let has_lost = self.nodes.len() < ids.len();
        let end = u64::from(self.terms.batch);
        let needed = self
            .nodes
            .values()
            .map(TroubleNode::needs_labels_from)
            .min();
        let needed = needed.unwrap_or(self.course.closed().saturating_mul(end));
        self.labels
            .forget_below(needed.saturating_sub(self.terms.label_delay));
        let oldest = self.nodes.values().map(|node| node.next).min();
        let oldest = oldest.unwrap_or(self.course.closed());
        // The aggregator has topologies of its own besides.
        let forgets = self.course.forget_below(oldest);
        if (forgets || has_lost) && self.me != PartyId::AGGREGATOR {
            let known: BTreeSet<u16> = self.course.sources().chain(self.ids()).collect();
            let sites = &self.terms.sites;
            let is_there = |source: u16| known.contains(&source) || sites.contains(&source);
            post.links.forget_streams(is_there);
        }
        Ok(())
    }

    fn advance_node(&mut self, id: u16, post: &mut Post<'_>) -> bool {
        let flow = self.terms.mode != Mode::Lockstep;
        let Some(node) = self.nodes.get_mut(&id) else {
            return false;
        };
        let batch = node.next;
        let skips_below = self.course.skips_below();
        if batch < skips_below && !node.inputs.contains_key(&batch) {
            node.skip_below(skips_below);
            return true;
        }
        let Some(topology) = self.course.topology(batch).cloned() else {
            return false;
        };
        let Some(two_phase) = topology.node(id).map(|entry| entry.two_phase) else {
            if let Some(node) = self.nodes.remove(&id) {
                self.keep(node);
            }
            return false;
        };
        if flow {
            node.learn_below(u64::MAX, &self.labels);
            let most = MOST_UNLEARNT.saturating_mul(u64::from(self.terms.batch));
            node.keep_unlearnt(usize::try_from(most).unwrap_or(usize::MAX));
        }
        let state = self.course.state(batch);
        if node.entry.second.is_some() && state.is_none() {
            return false;
        }
        let shut_out = |&source: &u16| {
            let party = party_of(&topology, source);
            party.is_some_and(|party| post.links.is_shut_out(party))
        };
        let is_cut_off = node.entry.sources.iter().any(shut_out);
        let complete = match node.inputs.get_mut(&batch) {
            None => Ok(false),
            Some(inputs) if inputs.is_spoilt => Err(Refusal::Value),
            Some(inputs) => {
                let asks = two_phase && !inputs.is_agreed();
                if let Some(records) = asks.then(|| inputs.agree()).flatten() {
                    self.ask(id, &topology, batch, &records, post);
                    return true;
                }
                inputs.is_complete()
            }
        };
        let Some(node) = self.nodes.get_mut(&id) else {
            return false;
        };
        match complete {
            Ok(true) => {}
            // In lockstep this is a batch that was answered without a source that is shut out.
            Ok(false) if batch < self.course.closed() => {
                node.skip_below(self.course.closed());
                return true;
            }
            Ok(false) if is_cut_off => return self.pass(id, &topology, post),
            Ok(false) => return false,
            Err(why) => {
                let passed = self.pass(id, &topology, post);
                if passed {
                    post.out.notes.push(Note::Refused(self.me, why));
                }
                return passed;
            }
        }
        match node.work(&topology, &self.labels, state) {
            None => false,
            Some(classified) => {
                self.tell(id, &topology, batch, classified, post);
                true
            }
        }
    }

    /// Gives up a batch for a node, and answers none of its records.
    fn pass(&mut self, id: u16, topology: &Topology, post: &mut Post<'_>) -> bool {
        let Some(node) = self.nodes.get_mut(&id) else {
            return false;
        };
        let batch = node.next;
        let count = node.inputs.get(&batch).and_then(Inputs::count);
        match count {
            Some(count) => {
                let classified = node.pass(topology, count);
                self.tell(id, topology, batch, classified, post);
                true
            }
            None if batch < self.course.closed() => {
                node.skip_below(self.course.closed());
                true
            }
            None => false,
        }
    }

    /// Sources whose inputs a node waits for.
    pub(super) fn waits_for(&self, id: u16) -> Vec<u16> {
        let Some(node) = self.nodes.get(&id) else {
            return Vec::new();
        };
        let inputs = node.inputs.get(&node.next);
        let sources = node.entry.sources.iter().enumerate();
        let silent = sources.filter(|(place, _)| inputs.is_none_or(|inputs| !inputs.has(*place)));
        silent.map(|(_, source)| *source).collect()
    }

    /// Tells the sources of a node which records they agree on.
    fn ask(
        &mut self,
        id: u16,
        topology: &Topology,
        batch: u64,
        records: &Bits,
        post: &mut Post<'_>,
    ) {
        let Some(entry) = topology.node(id) else {
            return;
        };
        let agreed = Agreed {
            records: records.clone(),
            members: entry.sources.clone(),
        };
        let mut parties: Vec<PartyId> = entry
            .sources
            .iter()
            .filter_map(|&source| party_of(topology, source))
            .collect();
        parties.sort_unstable();
        parties.dedup();
        for party in parties {
            let address = Address::new(party, topology.epoch, batch).about(id);
            post.send(address, &Body::Agreed(agreed.clone()));
        }
    }

    fn tell(
        &mut self,
        id: u16,
        topology: &Topology,
        batch: u64,
        classified: Classified,
        post: &mut Post<'_>,
    ) {
        let Classified { answers, given } = classified;
        let address = Address::new(PartyId::AGGREGATOR, topology.epoch, batch).of_source(id);
        post.send(address, &Body::Answers(answers));
        let Some(entry) = topology.node(id) else {
            return;
        };
        let mut waits = given;
        for node in topology.destinations(id) {
            let place = waits.forwards.iter().position(|(to, _)| *to == node.id);
            let Some(place) = place else { continue };
            let address = Address::new(node.host, topology.epoch, batch);
            let address = address.of_source(id).about(node.id);
            let forwarded = waits.forwards[place].1.clone();
            let body = match node.two_phase {
                true => Body::Keys(Keys {
                    source: id,
                    forwarded,
                }),
                false => {
                    let values = waits.rows(&forwarded, usize::from(entry.width));
                    waits.forwards.remove(place);
                    Body::Fragment(Fragment {
                        source: id,
                        forwarded: Some(forwarded),
                        width: entry.width,
                        values,
                    })
                }
            };
            post.send(address, &body);
        }
        if !waits.forwards.is_empty()
            && let Some(node) = self.nodes.get_mut(&id)
        {
            node.given.insert(batch, waits);
            let oldest = batch.saturating_sub(MOST_AHEAD);
            node.given = node.given.split_off(&oldest);
        }
    }

    fn keep(&mut self, node: TroubleNode) {
        if self
            .terms
            .trouble
            .as_ref()
            .is_some_and(|trouble| trouble.keeps_models)
        {
            let (id, sources) = (node.entry.id, node.entry.sources.clone());
            let (topology, learner, has_learnt) = node.into_knowledge();
            self.kept.push_back(Kept {
                sources,
                topology,
                id,
                learner,
                has_learnt,
            });
            if self.kept.len() > MOST_KEPT {
                self.kept.pop_front();
            }
        }
    }
}

/// Who runs a source: a site itself, or the host of a node.
pub(super) fn party_of(topology: &Topology, source: u16) -> Option<PartyId> {
    match topology.node(source) {
        Some(node) => Some(node.host),
        None => topology
            .sites
            .iter()
            .any(|site| site.id == source)
            .then_some(PartyId(source)),
    }
}

/// Values that a source gives to a node, a record.
pub(super) fn width_of(topology: &Topology, entry: &Node, source: u16) -> usize {
    if let Some(node) = topology.node(source) {
        return usize::from(node.width);
    }
    match entry.kind {
        FragmentKind::Raw => topology.columns_of_all(&[source]).len(),
        _ => {
            let nodes = entry
                .sources
                .iter()
                .filter_map(|&source| topology.node(source));
            let nodes: usize = nodes.map(|node| usize::from(node.width)).sum();
            usize::from(entry.width).saturating_sub(nodes)
        }
    }
}

/// Bytes that what sources send takes here.
fn bytes_of(body: &Body) -> usize {
    match body {
        Body::Fragment(fragment) => fragment.values.len() * 8,
        Body::Masked(masked) => masked.words.len() * 8,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
