//! Links over a restart. Acknowledgements that were waiting are given when frames come again.

use super::Links;
use super::incoming::Incoming;
use crate::error::Result;
use crate::federate::frame::{Kind, Stream};
use crate::federate::party::PartyId;
use crate::federate::state::{Reader, Writer, odd};
use std::collections::BTreeMap;

impl Links {
    pub(in crate::federate) fn save(&self, out: &mut Writer) {
        out.size(self.outgoing.all().count());
        for (to, stream, at, bytes) in self.outgoing.all() {
            out.u16(to.0);
            save_stream(&stream, out);
            out.u64(at);
            out.size(bytes.len());
            out.raw(bytes);
        }
        out.size(self.incoming.all().len());
        for ((from, kind, source, node), batches) in self.incoming.all() {
            out.u16(from.0);
            let first = Stream {
                kind: *kind,
                source: *source,
                node: *node,
                batch: 0,
            };
            save_stream(&first, out);
            out.size(batches.len());
            for (batch, sum) in batches {
                out.u64(*batch);
                out.raw(sum);
            }
        }
        out.size(self.conduct.faults.len());
        for (party, batches) in &self.conduct.faults {
            out.u16(party.0);
            out.size(batches.len());
            batches.iter().for_each(|&batch| out.u64(batch));
        }
        let shut_out = &self.conduct.shut_out;
        out.size(shut_out.len());
        shut_out.iter().for_each(|party| out.u16(party.0));
        out.size(self.unheard.len());
        for (party, since) in &self.unheard {
            out.u16(party.0);
            out.u64(*since);
        }
        if let Some(run) = &self.run {
            run.save(out);
            out.bool(self.asked.is_some());
            out.u64(self.asked.unwrap_or(0));
        }
    }

    /// What was saved; frames that were on their way are sent again once links are there.
    pub(in crate::federate) fn load(&mut self, from: &mut Reader<'_>) -> Result<()> {
        for _ in 0..from.length()? {
            let (to, stream) = (PartyId(from.u16()?), load_stream(from)?);
            let (at, length) = (from.u64()?, from.length()?);
            let bytes = from.raw(length)?.to_vec();
            self.outgoing.insert(to, stream, bytes, at);
        }
        let mut seen = BTreeMap::new();
        for _ in 0..from.length()? {
            let (party, stream) = (PartyId(from.u16()?), load_stream(from)?);
            let length = from.length()?;
            let batches = from.many(length, |from| Ok((from.u64()?, from.array()?)))?;
            let of_stream = (party, stream.kind, stream.source, stream.node);
            seen.insert(of_stream, batches.into_iter().collect());
        }
        self.incoming = Incoming::of(seen);
        for _ in 0..from.length()? {
            let party = PartyId(from.u16()?);
            let length = from.length()?;
            let batches = from.many(length, Reader::u64)?;
            self.told = batches.iter().copied().fold(self.told, u64::max);
            self.conduct.faults.insert(party, batches.into());
        }
        for _ in 0..from.length()? {
            self.conduct.shut_out.insert(PartyId(from.u16()?));
        }
        for _ in 0..from.length()? {
            let party = PartyId(from.u16()?);
            self.unheard.insert(party, from.u64()?);
        }
        if let Some(run) = &mut self.run {
            run.load(from)?;
            let (asked, at) = (from.bool()?, from.u64()?);
            self.asked = asked.then_some(at);
        }
        Ok(())
    }
}

fn save_stream(stream: &Stream, out: &mut Writer) {
    out.byte(stream.kind as u8);
    out.u16(stream.source);
    out.u16(stream.node);
    out.u64(stream.batch);
}

fn load_stream(from: &mut Reader<'_>) -> Result<Stream> {
    let byte = from.byte()?;
    let kind = Kind::ALL.into_iter().find(|kind| *kind as u8 == byte);
    Ok(Stream {
        kind: kind.ok_or_else(|| odd("a kind of frame that there is not"))?,
        source: from.u16()?,
        node: from.u16()?,
        batch: from.u64()?,
    })
}
