//! What a site says of a batch: answers, bits, and what trouble nodes are given of it.

use super::Site;
use super::batch::Wait;
use crate::data::Records;
use crate::error::Result;
use crate::federate::forward::{Planes, Reaches, forwards, would_forward};
use crate::federate::frame::{Agreed, Answers, Bits, Body, Keys, Refusal};
use crate::federate::give::Asked;
use crate::federate::links::Address;
use crate::federate::nodes::width_of;
use crate::federate::party::{Note, Outbox, PartyId, Time};
use crate::federate::score::schema;
use crate::federate::terms::Mode;
use crate::federate::topology::{Node, Topology};

impl Site {
    /// Tells the next batch if it is classified, allowed, and its topology is known.
    pub(super) fn tell_next(&mut self, now: Time, out: &mut Outbox) -> Result<bool> {
        if self.told < self.course.skips_below().min(self.received) {
            out.notes.push(Note::Dropped(self.told));
            self.told += 1;
            return Ok(true);
        }
        let Some(place) = self.place_of(self.told) else {
            return Ok(self.tell_dropped(now, out));
        };
        let batch = &self.batches[place];
        let (number, count) = (batch.number, batch.present.len());
        if batch.judged.len() < count || batch.records.is_none() {
            return Ok(false);
        }
        let Some(topology) = self.course.topology(number).cloned() else {
            return Ok(false);
        };
        let two_factors = topology.nodes.iter().any(|node| node.second.is_some());
        if two_factors && self.course.state(number).is_none() {
            return Ok(false);
        }
        let lacks_scores = self.unscored.keys().any(|(batch, _)| *batch < number);
        if lacks_scores && self.terms.mode == Mode::Lockstep {
            return Ok(false);
        }
        let planes = self.rank(place, &topology);
        self.answer(place, &topology, &planes, now, out);
        self.forward(place, &topology, planes.forwards, now, out)?;
        self.told += 1;
        Ok(true)
    }

    /// Tells of a batch that was dropped that no record of it is answered.
    fn tell_dropped(&mut self, now: Time, out: &mut Outbox) -> bool {
        let first = self.batches.front().map(|first| first.number);
        if first.unwrap_or(self.received) <= self.told {
            return false;
        }
        let Some(topology) = self.course.topology(self.told).cloned() else {
            return false;
        };
        let count = self.terms.batch as usize;
        let planes = Planes::new(&topology, self.id, count);
        let answers = Answers {
            source: self.id,
            class_count: self.terms.classes,
            coarse: self.terms.coarse,
            present: Bits::new(count),
            classes: vec![0; count],
            confidences: vec![0.0; count],
            forwards: planes.forwards,
            what_ifs: planes.what_ifs,
            agreement: (0, 0),
            keys: 0,
        };
        let address = Address::new(PartyId::AGGREGATOR, topology.epoch, self.told);
        let address = address.of_source(self.id);
        self.links.send(address, &Body::Answers(answers), now, out);
        self.told += 1;
        true
    }

    /// Ranks the records of a batch and says which are forwarded and which would be.
    fn rank(&mut self, place: usize, topology: &Topology) -> Planes {
        let batch = &self.batches[place];
        let state = self.course.state(batch.number);
        let mut planes = Planes::new(topology, self.id, batch.present.len());
        // Without trouble nodes nobody asks for ranks.
        let Some(trouble) = self.terms.trouble.as_ref() else {
            return planes;
        };
        let nodes: Vec<&Node> = topology.destinations(self.id).collect();
        let lengths = topology.lengths_of(self.id);
        let two_factors = trouble.second_factor.is_some();
        for at in batch.present.places() {
            let confidence = batch.judged[at].confidence;
            let rank = self.quantile.push(confidence);
            for (node, bits) in nodes.iter().zip(&mut planes.forwards) {
                let mut rank = rank;
                if let (Some(book), Some(records)) = (&mut self.scores, &batch.records) {
                    let record = records.record(at);
                    let seed = self.giver.seed();
                    let schema = schema(seed, &self.columns, &*self.learner, record);
                    rank = book.rank(schema, confidence, node.sources.len() - 1);
                    let unscored = self.unscored.entry((batch.number, node.id)).or_default();
                    unscored.resize(at, (0, 0.0));
                    unscored.push((schema, confidence));
                }
                let accepts = |records: &Records| self.giver.accepts(node.kind, records.record(at));
                let accepted = batch.records.as_ref().is_some_and(accepts);
                if forwards(rank, node, Reaches::SITE, state) && accepted {
                    bits.set(at);
                }
            }
            for (&length, bits) in lengths.iter().zip(&mut planes.what_ifs) {
                if would_forward(rank, trouble.factor, two_factors, Reaches::SITE, length) {
                    bits.set(at);
                }
            }
        }
        planes
    }

    fn answer(
        &mut self,
        place: usize,
        topology: &Topology,
        planes: &Planes,
        now: Time,
        out: &mut Outbox,
    ) {
        let batch = &self.batches[place];
        let mut present = batch.present.clone();
        if self.terms.answer.omit_forwarded {
            let told = |&at: &usize| !planes.forwards.iter().any(|bits| bits.get(at));
            let mut kept = Bits::new(present.len());
            present.places().filter(told).for_each(|at| kept.set(at));
            present = kept;
        }
        let of = |at: usize| present.get(at).then(|| batch.judged[at]);
        let count = present.len();
        let answers = Answers {
            source: self.id,
            class_count: self.terms.classes,
            coarse: self.terms.coarse,
            classes: (0..count).map(|at| of(at).map_or(0, |j| j.class)).collect(),
            confidences: (0..count)
                .map(|at| of(at).map_or(0.0, |j| j.confidence))
                .collect(),
            present,
            forwards: planes.forwards.clone(),
            what_ifs: planes.what_ifs.clone(),
            agreement: (0, 0),
            keys: batch.keys,
        };
        let address = Address::new(PartyId::AGGREGATOR, topology.epoch, batch.number);
        let address = address.of_source(self.id);
        self.links.send(address, &Body::Answers(answers), now, out);
    }

    fn forward(
        &mut self,
        place: usize,
        topology: &Topology,
        planes: Vec<Bits>,
        now: Time,
        out: &mut Outbox,
    ) -> Result<()> {
        let number = self.batches[place].number;
        for (node, forwarded) in topology.destinations(self.id).zip(planes) {
            let address = Address::new(node.host, topology.epoch, number);
            let address = address.of_source(self.id).about(node.id);
            if node.two_phase {
                self.batches[place].waits.push(Wait {
                    node: node.id,
                    forwarded: forwarded.clone(),
                    agreed: None,
                });
                let keys = Keys {
                    source: self.id,
                    forwarded,
                };
                self.links.send(address, &Body::Keys(keys), now, out);
                continue;
            }
            self.give(place, topology, node, &forwarded, true, now, out)?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "a frame has many sides")]
    fn give(
        &mut self,
        place: usize,
        topology: &Topology,
        node: &Node,
        places: &Bits,
        with_keys: bool,
        now: Time,
        out: &mut Outbox,
    ) -> Result<()> {
        let batch = &self.batches[place];
        let Some(records) = &batch.records else {
            return Ok(());
        };
        let body = self.giver.give(&Asked {
            terms: &self.terms,
            topology,
            node,
            width: width_of(topology, node, self.id),
            source: self.id,
            batch: batch.number,
            records,
            places,
            with_keys,
        })?;
        let address = Address::new(node.host, topology.epoch, batch.number);
        self.links
            .send(address.of_source(self.id).about(node.id), &body, now, out);
        Ok(())
    }

    /// Takes what a node has agreed on with its sources, once.
    pub(super) fn take_agreed(
        &mut self,
        about: Address,
        agreed: Agreed,
        out: &mut Outbox,
    ) -> Option<Refusal> {
        let (from, node, number) = (about.to, about.node, about.batch);
        // By its epoch: a credit may name one that is still on its way.
        let topology = self.course.of_epoch(about.epoch);
        let entry = topology.and_then(|topology| topology.node(node));
        let Some(place) = self.place_of(number) else {
            // The batch was told and forgotten: this comes too late to be answered.
            out.notes.push(Note::Late(from, number));
            return (number >= self.told).then_some(Refusal::Batch);
        };
        let Some(entry) = entry.filter(|entry| entry.host == from) else {
            return Some(Refusal::Sender);
        };
        let members = agreed.members == entry.sources;
        let mut waits = self.batches[place].waits.iter_mut();
        let Some(wait) = waits.find(|wait| wait.node == node && wait.agreed.is_none()) else {
            return Some(Refusal::Unexpected);
        };
        let own = agreed.records.places().all(|at| wait.forwarded.get(at));
        if !own || agreed.records.len() != wait.forwarded.len() || !members {
            return Some(Refusal::Width);
        }
        wait.agreed = Some(agreed.records);
        None
    }

    /// Sends the values of agreed records whose masks can be made.
    pub(super) fn give_agreed(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        for place in 0..self.batches.len() {
            let mut next = 0;
            while let Some(wait) = self.batches[place].waits.get(next) {
                next += 1;
                let number = self.batches[place].number;
                let Some(topology) = self.course.topology(number).cloned() else {
                    continue;
                };
                let Some(node) = topology.node(wait.node) else {
                    continue;
                };
                let knows = self.giver.knows(self.id, &topology, node);
                let (Some(agreed), true) = (wait.agreed.clone(), knows) else {
                    continue;
                };
                if self.batches[place].records.is_none() {
                    continue;
                }
                self.give(place, &topology, node, &agreed, false, now, out)?;
                next -= 1;
                self.batches[place].waits.remove(next);
            }
        }
        Ok(())
    }
}
