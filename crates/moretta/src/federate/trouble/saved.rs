//! What a trouble node remembers over a restart: also the joined records that it has not learnt.

use super::inputs::Inputs;
use super::{Given, TroubleNode};
use crate::error::Result;
use crate::federate::agreement::Agreement;
use crate::federate::frame::Bits;
use crate::federate::quantile::Quantile;
use crate::federate::state::{
    Reader, Writer, odd, read_bits, read_learner, save_bits, save_learner,
};
use crate::federate::terms::Terms;
use crate::federate::topology::Topology;
use std::sync::Arc;

impl TroubleNode {
    /// Under which topology it was made, and which node it is.
    pub(in crate::federate) fn save_identity(&self, out: &mut Writer) {
        self.topology.write(out);
        out.u16(self.entry.id);
    }

    /// Everything else, also how far a batch is.
    pub(in crate::federate) fn save(&self, out: &mut Writer) -> Result<()> {
        out.bool(self.has_learnt);
        save_learner(&*self.learner, out)?;
        self.agreement.save(out);
        self.quantile.save(out);
        out.u64(self.next);
        out.size(self.unlearnt.len());
        for (record, values) in &self.unlearnt {
            out.u64(*record);
            out.f64s(values);
        }
        out.size(self.inputs.len());
        for (batch, inputs) in &self.inputs {
            out.u64(*batch);
            inputs.save(out);
        }
        out.size(self.given.len());
        for (batch, given) in &self.given {
            out.u64(*batch);
            save_bits(&given.present, out);
            out.size(given.records.len());
            out.f64s(&given.records);
            out.size(given.forwards.len());
            for (node, bits) in &given.forwards {
                out.u16(*node);
                save_bits(bits, out);
            }
        }
        self.save_progress(out);
        Ok(())
    }

    fn save_progress(&self, out: &mut Writer) {
        out.bool(self.progress.is_some());
        let Some(progress) = &self.progress else {
            return;
        };
        out.size(progress.at);
        out.size(progress.rows.len());
        progress.rows.iter().for_each(|&row| out.size(row));
        out.size(progress.judged.len());
        for judged in &progress.judged {
            out.bool(judged.is_some());
            out.u32(judged.map_or(0, |judged| judged.class));
            out.f64(judged.map_or(0.0, |judged| judged.confidence));
        }
        out.size(progress.records.len());
        out.f64s(&progress.records);
        for planes in [&progress.planes.forwards, &progress.planes.what_ifs] {
            out.size(planes.len());
            planes.iter().for_each(|bits| save_bits(bits, out));
        }
    }

    pub(in crate::federate) fn load(terms: &Arc<Terms>, from: &mut Reader<'_>) -> Result<Self> {
        let topology = Topology::read(from)?;
        let id = from.u16()?;
        let entry = topology
            .node(id)
            .ok_or_else(|| odd("a node that there is not"))?;
        let mut node = TroubleNode::new(terms, &topology, entry, None)?;
        node.has_learnt = from.bool()?;
        node.learner = read_learner(&node.header, from)?;
        let sources = entry.sources.len();
        node.agreement = Agreement::load(sources as u16, terms.window, from)?;
        node.quantile = Quantile::load(terms.window, from)?;
        node.next = from.u64()?;
        let width = node.header.attributes().len();
        for _ in 0..from.length()? {
            let record = from.u64()?;
            node.unlearnt.push_back((record, from.f64s(width)?));
        }
        for _ in 0..from.length()? {
            let batch = from.u64()?;
            node.inputs.insert(batch, Inputs::load(sources, from)?);
        }
        for _ in 0..from.length()? {
            let (batch, present) = (from.u64()?, read_bits(from)?);
            let length = from.length()?;
            let records = from.f64s(length)?;
            let length = from.length()?;
            let forwards: Vec<(u16, Bits)> =
                from.many(length, |from| Ok((from.u16()?, read_bits(from)?)))?;
            if records.len() != present.ones() * width {
                return Err(odd("records of another width than their node has"));
            }
            let given = Given {
                forwards,
                present,
                records,
            };
            node.given.insert(batch, given);
        }
        node.progress = load_progress(sources, from)?;
        Ok(node)
    }
}

fn load_progress(sources: usize, from: &mut Reader<'_>) -> Result<Option<super::Progress>> {
    if !from.bool()? {
        return Ok(None);
    }
    let at = from.size()?;
    let length = from.length()?;
    let rows = from.many(length, Reader::size)?;
    let length = from.length()?;
    let judged = from.many(length, |from| {
        let some = from.bool()?;
        let judgement = crate::federate::classify::Judgement {
            class: from.u32()?,
            confidence: from.f64()?,
        };
        Ok(some.then_some(judgement))
    })?;
    let length = from.length()?;
    let records = from.f64s(length)?;
    let mut planes = || -> Result<Vec<Bits>> {
        let length = from.length()?;
        from.many(length, read_bits)
    };
    let planes = super::Planes {
        forwards: planes()?,
        what_ifs: planes()?,
    };
    match at <= judged.len() && rows.len() == sources {
        true => Ok(Some(super::Progress {
            at,
            rows,
            judged,
            records,
            planes,
        })),
        false => Err(odd("a batch that is further than it is long")),
    }
}

impl Inputs {
    fn save(&self, out: &mut Writer) {
        out.u32(self.epoch);
        out.bool(self.is_spoilt);
        for keys in self.keys.iter().chain([&self.agreed]) {
            out.bool(keys.is_some());
            if let Some(keys) = keys {
                save_bits(keys, out);
            }
        }
        for values in &self.values {
            match values {
                None => out.byte(0),
                Some(super::Values::Plain(values)) => {
                    out.byte(1);
                    out.size(values.len());
                    out.f64s(values);
                }
                Some(super::Values::Masked(words)) => {
                    out.byte(2);
                    out.size(words.len());
                    words.iter().for_each(|&word| out.u64(word));
                }
            }
        }
    }

    fn load(sources: usize, from: &mut Reader<'_>) -> Result<Self> {
        let mut inputs = Inputs::new(sources, from.u32()?);
        inputs.is_spoilt = from.bool()?;
        for place in 0..=sources {
            let keys = match from.bool()? {
                true => Some(read_bits(from)?),
                false => None,
            };
            match inputs.keys.get_mut(place) {
                Some(slot) => *slot = keys,
                None => inputs.agreed = keys,
            }
        }
        for place in 0..sources {
            inputs.values[place] = match from.byte()? {
                0 => None,
                1 => {
                    let length = from.length()?;
                    Some(super::Values::Plain(from.f64s(length)?))
                }
                2 => {
                    let length = from.length()?;
                    Some(super::Values::Masked(from.many(length, Reader::u64)?))
                }
                _ => return Err(odd("values of a kind that there is not")),
            };
        }
        Ok(inputs)
    }
}
