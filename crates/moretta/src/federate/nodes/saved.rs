//! What nodes remember over a restart.

use super::Nodes;
use crate::error::Result;
use crate::federate::course::Course;
use crate::federate::frame::{Header, decode, encode};
use crate::federate::label_book::LabelBook;
use crate::federate::links::Received;
use crate::federate::party::PartyId;
use crate::federate::state::{Reader, Writer, odd, read_learner, save_learner};
use crate::federate::trouble::TroubleNode;

impl Nodes {
    pub(in crate::federate) fn save(&self, out: &mut Writer) -> Result<()> {
        self.course.save(out);
        self.labels.save(out);
        out.bool(self.made.is_some());
        out.u32(self.made.unwrap_or(0));
        out.size(self.nodes.len());
        for node in self.nodes.values() {
            node.save_identity(out);
            node.save(out)?;
        }
        out.size(self.kept.len());
        for kept in &self.kept {
            out.size(kept.sources.len());
            kept.sources.iter().for_each(|&source| out.u16(source));
            kept.topology.write(out);
            out.u16(kept.id);
            out.bool(kept.has_learnt);
            save_learner(&*kept.learner, out)?;
        }
        out.size(self.early.len());
        for (from, received) in &self.early {
            let bytes = encode(&received.header, &received.body);
            out.u16(from.0);
            out.size(bytes.len());
            out.raw(&bytes);
        }
        Ok(())
    }

    pub(in crate::federate) fn load(&mut self, from: &mut Reader<'_>) -> Result<()> {
        self.course = Course::load(from)?;
        self.labels = LabelBook::load(self.terms.batch, from)?;
        let made = from.bool()?;
        let epoch = from.u32()?;
        self.made = made.then_some(epoch);
        for _ in 0..from.length()? {
            let node = TroubleNode::load(&self.terms, from)?;
            self.nodes.insert(node.entry.id, node);
        }
        for _ in 0..from.length()? {
            self.kept.push_back(super::Kept::load(&self.terms, from)?);
        }
        for _ in 0..from.length()? {
            let party = PartyId(from.u16()?);
            let length = from.length()?;
            let (header, body): (Header, _) =
                decode(from.raw(length)?).map_err(|_| odd("a frame that is none"))?;
            self.early.push((party, Received::new(header, body)));
        }
        Ok(())
    }
}

impl super::Kept {
    fn load(terms: &crate::federate::Terms, from: &mut Reader<'_>) -> Result<Self> {
        let length = from.length()?;
        let sources = from.many(length, Reader::u16)?;
        let topology = crate::federate::Topology::read(from)?;
        let id = from.u16()?;
        let has_learnt = from.bool()?;
        let header = crate::federate::trouble::header_of(&topology, id, terms.classes)?;
        Ok(super::Kept {
            sources,
            topology,
            id,
            has_learnt,
            learner: read_learner(&header, from)?,
        })
    }
}
