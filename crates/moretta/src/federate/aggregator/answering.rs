//! From the answers of sources to the final ones.

use super::Aggregator;
use super::batch::Batch;
use super::quality::Quality;
use crate::federate::answer::{elected, most_confident};
use crate::federate::classify::{Judgement, classify};
use crate::federate::frame::{Body, Final, Finals};
use crate::federate::links::Address;
use crate::federate::party::{Outbox, PartyId, Time};
use crate::federate::ratio::Ratio;
use crate::federate::terms::{Mode, Rule, Terms};
use crate::federate::topology::Topology;

impl Aggregator {
    /// Answers the next batch; in lockstep each record is settled as soon as its time has come.
    pub(super) fn answer(&mut self, now: Time, out: &mut Outbox) {
        let number = self.next;
        let first = number * u64::from(self.terms.batch);
        let Some(mut batch) = self.batches.remove(&number) else {
            return;
        };
        let (Some(count), epoch) = (batch.count(), batch.topology.epoch) else {
            self.batches.insert(number, batch);
            return;
        };
        for source in batch.topology.sources() {
            let new = || Quality::new(self.terms.window);
            self.qualities.entry(source).or_insert_with(new);
        }
        let mut records = Vec::with_capacity(count);
        batch.chosen.reserve(count);
        for at in 0..count {
            let record = first + at as u64;
            records.push(self.answer_record(&mut batch, at, record));
            if at + 1 == count {
                batch.set_answered(now);
                self.note_agreements(&batch);
                self.tell_scores(number, &batch, now, out);
            }
            if self.terms.mode == Mode::Lockstep {
                let due = (record + 1).saturating_sub(self.terms.label_delay);
                self.settle_below(due, Some((number, &batch)), out);
            }
        }
        self.catch_up();
        if self.settled < first + count as u64 {
            self.batches.insert(number, batch);
        }
        if self.has_consumer {
            let address = Address::new(PartyId::CONSUMER, epoch, number);
            self.links
                .send(address, &Body::Final(Finals { records }), now, out);
        }
        self.next += 1;
    }

    /// Remembers how much the sources of nodes agree.
    fn note_agreements(&mut self, batch: &Batch) {
        for (node, place) in batch
            .topology
            .nodes
            .iter()
            .zip(batch.topology.sites.len()..)
        {
            if let Some(answers) = &batch.answers[place] {
                let (sum, full) = answers.agreement;
                let sources = node.sources.len() as u32;
                let agreement = Ratio::new(sources.saturating_mul(full), sum.max(1));
                self.agreements_told.insert(node.id, agreement);
            }
        }
    }

    /// The final answer to a record, for the consumer; that for monitors is kept.
    pub(super) fn answer_record(&mut self, batch: &mut Batch, at: usize, record: u64) -> Final {
        let mut sites = std::mem::take(&mut self.said);
        sites.clear();
        sites.extend(batch.judgements_of_sites(at));
        if self.terms.answer.calibrate {
            for (site, judgement) in batch.topology.sites.iter().zip(&mut sites) {
                let quality = self.qualities.get(&site.id);
                if let (Some(judgement), Some(quality)) = (judgement, quality) {
                    judgement.confidence = quality.cap(judgement.confidence);
                }
            }
        }
        let candidate = self.candidate(&sites, &batch.topology, record);
        self.said = sites;
        let calibrated = self.terms.answer.calibrate.then_some(&self.qualities);
        batch.choose(at, candidate, &self.terms, calibrated)
    }

    /// What the sites say together.
    fn candidate(
        &mut self,
        sites: &[Option<Judgement>],
        topology: &Topology,
        record: u64,
    ) -> Option<Judgement> {
        match self.terms.answer.rule {
            Rule::MaxConfidence => most_confident(sites),
            Rule::Vote => elected(sites, |_| 1.0, &mut self.random, &mut self.counts),
            Rule::WeightedVote => {
                let quality = |site: usize| self.qualities.get(&topology.sites[site].id);
                let weight = |site: usize| quality(site).map_or(1.0, Quality::weight);
                elected(sites, weight, &mut self.random, &mut self.counts)
            }
            Rule::Stack => {
                let (learner, _, has_learnt) = self.stacker.as_ref()?;
                let inputs = stacked(sites, &self.terms, topology);
                let number = self.terms.first_record + record;
                let classes = self.terms.classes;
                let votes = &mut self.votes;
                Some(classify(
                    &**learner,
                    *has_learnt,
                    &inputs,
                    classes,
                    number,
                    votes,
                ))
            }
        }
    }
}

/// The classes that sites answer, as a record of nominal values.
pub(super) fn stacked(sites: &[Option<Judgement>], terms: &Terms, topology: &Topology) -> Vec<f64> {
    let mut inputs = vec![f64::NAN; terms.sites.len()];
    for (site, judgement) in topology.sites.iter().zip(sites) {
        let place = terms.sites.iter().position(|id| *id == site.id);
        if let (Some(place), Some(judgement)) = (place, judgement) {
            inputs[place] = f64::from(judgement.class);
        }
    }
    inputs
}
