//! What a site remembers over a restart: all but its records, which it reads again.

use super::batch::{OwnBatch, Wait};
use super::{Site, SiteOptions};
use crate::error::Result;
use crate::federate::classify::Judgement;
use crate::federate::course::Course;
use crate::federate::label_book::LabelBook;
use crate::federate::quantile::Quantile;
use crate::federate::score::ScoreBook;
use crate::federate::state::{
    Reader, Writer, odd, read_bits, read_learner, save_bits, save_learner,
};
use crate::federate::terms::Terms;
use crate::federate::topology::Column;
use std::sync::Arc;

pub(super) fn save(site: &Site) -> Result<Vec<u8>> {
    let mut out = Writer::default();
    out.raw(&site.terms.sum());
    out.bool(site.has_learnt);
    save_learner(&*site.learner, &mut out)?;
    site.links.save(&mut out);
    site.course.save(&mut out);
    site.labels.save(&mut out);
    site.quantile.save(&mut out);
    site.giver.save(&mut out);
    out.size(site.others.len());
    for (id, columns) in &site.others {
        out.u16(*id);
        out.size(columns.len());
        columns.iter().for_each(|column| column.write(&mut out));
    }
    if let Some(scores) = &site.scores {
        scores.save(&mut out);
    }
    out.size(site.unscored.len());
    for ((batch, node), records) in &site.unscored {
        out.u64(*batch);
        out.u16(*node);
        out.size(records.len());
        for (schema, confidence) in records {
            out.u64(*schema);
            out.f64(*confidence);
        }
    }
    for number in [site.received, site.classified, site.learnt, site.told] {
        out.u64(number);
    }
    for flag in [site.greeted, site.ended, site.end_told, site.over] {
        out.bool(flag);
    }
    out.size(site.batches.len());
    for batch in &site.batches {
        out.u64(batch.number);
        out.u64(batch.keys);
        out.u64(batch.content);
        save_bits(&batch.present, &mut out);
        out.size(batch.judged.len());
        for judgement in &batch.judged {
            out.u32(judgement.class);
            out.f64(judgement.confidence);
        }
        out.size(batch.waits.len());
        for wait in &batch.waits {
            out.u16(wait.node);
            save_bits(&wait.forwarded, &mut out);
            out.bool(wait.agreed.is_some());
            if let Some(agreed) = &wait.agreed {
                save_bits(agreed, &mut out);
            }
        }
    }
    Ok(out.into_bytes())
}

impl Site {
    /// The site that was saved; it must be shown its rows again from
    /// [`resumes_at`](crate::federate::Party::resumes_at) on.
    pub fn load(terms: Arc<Terms>, options: SiteOptions, bytes: &[u8]) -> Result<Self> {
        let mut site = Site::new(terms, options)?;
        let mut from = Reader::new(bytes);
        if from.array()? != site.terms.sum() {
            return Err(odd("other terms than this federation has"));
        }
        site.has_learnt = from.bool()?;
        site.learner = read_learner(&site.header, &mut from)?;
        site.links.load(&mut from)?;
        site.course = Course::load(&mut from)?;
        site.labels = LabelBook::load(site.terms.batch, &mut from)?;
        site.quantile = Quantile::load(site.terms.window, &mut from)?;
        site.giver.load(&mut from)?;
        for _ in 0..from.length()? {
            let id = from.u16()?;
            let length = from.length()?;
            let columns = from.many(length, Column::read)?;
            site.others.insert(id, columns);
        }
        let score = site
            .terms
            .trouble
            .as_ref()
            .and_then(|trouble| trouble.score);
        if let Some(score) = score {
            site.scores = Some(ScoreBook::load(score, site.terms.window, &mut from)?);
        }
        for _ in 0..from.length()? {
            let place = (from.u64()?, from.u16()?);
            let length = from.length()?;
            let records = from.many(length, |from| Ok((from.u64()?, from.f64()?)))?;
            site.unscored.insert(place, records);
        }
        site.received = from.u64()?;
        site.classified = from.u64()?;
        site.learnt = from.u64()?;
        site.told = from.u64()?;
        site.greeted = from.bool()?;
        site.ended = from.bool()?;
        site.end_told = from.bool()?;
        site.over = from.bool()?;
        for _ in 0..from.length()? {
            site.batches.push_back(read_batch(&mut from)?);
        }
        from.end()?;
        let numbers = site.batches.iter().map(|batch| batch.number);
        let last = site
            .batches
            .back()
            .is_none_or(|last| last.number + 1 == site.received);
        match last && numbers.is_sorted_by(|a, b| a + 1 == *b) {
            true => Ok(site),
            false => Err(odd("batches that do not follow each other")),
        }
    }
}

fn read_batch(from: &mut Reader<'_>) -> Result<OwnBatch> {
    let (number, keys, content) = (from.u64()?, from.u64()?, from.u64()?);
    let present = read_bits(from)?;
    let judged = from.length()?;
    let judged = from.many(judged, |from| {
        Ok(Judgement {
            class: from.u32()?,
            confidence: from.f64()?,
        })
    })?;
    let waits = from.length()?;
    let waits = from.many(waits, |from| {
        Ok(Wait {
            node: from.u16()?,
            forwarded: read_bits(from)?,
            agreed: match from.bool()? {
                true => Some(read_bits(from)?),
                false => None,
            },
        })
    })?;
    Ok(OwnBatch {
        number,
        records: None,
        present,
        keys,
        content,
        judged,
        waits,
    })
}
