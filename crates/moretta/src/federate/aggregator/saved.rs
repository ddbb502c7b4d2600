//! What the aggregator remembers over a restart.

use super::batch::{Batch, Choice, KnownRows};
use super::quality::Quality;
use super::{Aggregator, AggregatorOptions};
use crate::error::Result;
use crate::federate::classify::Judgement;
use crate::federate::frame::{Answers, Hello};
use crate::federate::label_book::LabelBook;
use crate::federate::party::PartyId;
use crate::federate::ratio::Ratio;
use crate::federate::state::{Reader, Writer, odd, read_learner, save_learner};
use crate::federate::terms::Terms;
use crate::federate::topology::Topology;
use crate::math::java_random::JavaRandom;
use std::sync::Arc;

pub(super) fn save(aggregator: &Aggregator) -> Result<Vec<u8>> {
    let mut out = Writer::default();
    out.raw(&aggregator.terms.sum());
    aggregator.links.save(&mut out);
    aggregator.nodes.save(&mut out)?;
    out.size(aggregator.hellos.len());
    for (site, hello) in &aggregator.hellos {
        out.u16(*site);
        hello.write(&mut out);
    }
    out.size(aggregator.masks.len());
    for ((epoch, mask), site) in &aggregator.masks {
        out.u32(*epoch);
        out.raw(mask);
        out.u16(*site);
    }
    out.size(aggregator.topologies.len());
    aggregator
        .topologies
        .iter()
        .for_each(|topology| topology.write(&mut out));
    if let Some(monitors) = &aggregator.monitors {
        monitors.save(&mut out);
    }
    out.u16(aggregator.next_node);
    out.size(aggregator.batches.len());
    for (number, batch) in &aggregator.batches {
        out.u64(*number);
        save_batch(batch, &mut out);
    }
    aggregator.labels.save(&mut out);
    let numbers = [
        aggregator.next,
        aggregator.below,
        aggregator.settled,
        aggregator.settled_batches,
        aggregator.closed,
    ];
    numbers.iter().for_each(|&number| out.u64(number));
    out.u64(aggregator.random.parts().0);
    if let Some((learner, _, has_learnt)) = &aggregator.stacker {
        out.bool(*has_learnt);
        save_learner(&**learner, &mut out)?;
    }
    out.size(aggregator.qualities.len());
    for (source, quality) in &aggregator.qualities {
        out.u16(*source);
        quality.save(&mut out);
    }
    out.size(aggregator.agreements_told.len());
    for (node, agreement) in &aggregator.agreements_told {
        out.u16(*node);
        out.u32(agreement.part);
        out.u32(agreement.over);
    }
    out.size(aggregator.ends.len());
    for (party, batches) in &aggregator.ends {
        out.u16(party.0);
        out.u64(*batches);
    }
    out.bool(aggregator.over);
    Ok(out.into_bytes())
}

fn save_batch(batch: &Batch, out: &mut Writer) {
    out.u32(batch.topology.epoch);
    out.u64(batch.started);
    out.bool(batch.answered.is_some());
    out.u64(batch.answered.unwrap_or(0));
    out.bool(batch.is_changed);
    for (answers, given_up) in batch.answers.iter().zip(&batch.given_up) {
        out.bool(*given_up);
        out.bool(answers.is_some());
        if let Some(answers) = answers {
            answers.write(out);
        }
    }
    out.bool(batch.labelled.is_some());
    if let Some(rows) = batch.labelled {
        out.u64(rows.keys);
        out.size(rows.count);
    }
    out.size(batch.aside.len());
    for (place, answers) in &batch.aside {
        out.size(*place);
        answers.write(out);
    }
    out.size(batch.chosen.len());
    for choice in &batch.chosen {
        out.bool(choice.candidate.is_some());
        for judgement in [choice.candidate.unwrap_or(choice.best), choice.best] {
            out.u32(judgement.class);
            out.f64(judgement.confidence);
        }
        out.u16(choice.who);
        out.byte(choice.order);
    }
}

impl Aggregator {
    /// The aggregator that was saved.
    pub fn load(terms: Arc<Terms>, options: AggregatorOptions, bytes: &[u8]) -> Result<Self> {
        let mut aggregator = Aggregator::new(terms, options)?;
        let mut from = Reader::new(bytes);
        let from = &mut from;
        if from.array()? != aggregator.terms.sum() {
            return Err(odd("other terms than this federation has"));
        }
        aggregator.links.load(from)?;
        aggregator.nodes.load(from)?;
        for _ in 0..from.length()? {
            let site = from.u16()?;
            aggregator.hellos.insert(site, Hello::read(from)?);
        }
        for _ in 0..from.length()? {
            let shown = (from.u32()?, from.array()?);
            aggregator.masks.insert(shown, from.u16()?);
        }
        for _ in 0..from.length()? {
            aggregator
                .topologies
                .push_back(Arc::new(Topology::read(from)?));
        }
        if let Some(monitors) = &mut aggregator.monitors {
            monitors.load(from)?;
        }
        aggregator.next_node = from.u16()?;
        for _ in 0..from.length()? {
            let number = from.u64()?;
            let batch = aggregator.load_batch(from)?;
            aggregator.batches.insert(number, batch);
        }
        aggregator.labels = LabelBook::load(aggregator.terms.batch, from)?;
        aggregator.next = from.u64()?;
        aggregator.below = from.u64()?;
        aggregator.settled = from.u64()?;
        aggregator.settled_batches = from.u64()?;
        aggregator.closed = from.u64()?;
        let random = JavaRandom::from_parts(from.u64()?, None);
        aggregator.random = random.ok_or_else(|| odd("a source of chance that there is not"))?;
        if let Some((learner, header, has_learnt)) = &mut aggregator.stacker {
            *has_learnt = from.bool()?;
            *learner = read_learner(header, from)?;
        }
        for _ in 0..from.length()? {
            let source = from.u16()?;
            let quality = Quality::load(aggregator.terms.window, from)?;
            aggregator.qualities.insert(source, quality);
        }
        for _ in 0..from.length()? {
            let node = from.u16()?;
            let agreement = Ratio::new(from.u32()?, from.u32()?);
            aggregator.agreements_told.insert(node, agreement);
        }
        for _ in 0..from.length()? {
            let party = PartyId(from.u16()?);
            aggregator.ends.insert(party, from.u64()?);
        }
        aggregator.over = from.bool()?;
        match from.is_empty() {
            true => Ok(aggregator),
            false => Err(odd("something behind its end")),
        }
    }

    fn load_batch(&self, from: &mut Reader<'_>) -> Result<Batch> {
        let epoch = from.u32()?;
        let topology = self
            .topologies
            .iter()
            .find(|topology| topology.epoch == epoch);
        let topology = topology.ok_or_else(|| odd("a batch of an epoch that there is not"))?;
        let mut batch = Batch::new(Arc::clone(topology), from.u64()?);
        let (is_answered, answered) = (from.bool()?, from.u64()?);
        batch.answered = is_answered.then_some(answered);
        batch.is_changed = from.bool()?;
        for place in 0..batch.answers.len() {
            batch.given_up[place] = from.bool()?;
            if from.bool()? {
                batch.answers[place] = Some(Answers::read(from)?);
            }
        }
        if from.bool()? {
            batch.labelled = Some(KnownRows {
                keys: from.u64()?,
                count: from.size()?,
            });
        }
        for _ in 0..from.length()? {
            let place = from.size()?;
            if place >= batch.answers.len() {
                return Err(odd("answers of a source that there is not"));
            }
            batch.aside.insert(place, Answers::read(from)?);
        }
        for _ in 0..from.length()? {
            let some = from.bool()?;
            let mut judgement = || -> Result<Judgement> {
                Ok(Judgement {
                    class: from.u32()?,
                    confidence: from.f64()?,
                })
            };
            let (candidate, best) = (judgement()?, judgement()?);
            batch.chosen.push(Choice {
                candidate: some.then_some(candidate),
                best,
                who: from.u16()?,
                order: from.byte()?,
            });
        }
        Ok(batch)
    }
}
