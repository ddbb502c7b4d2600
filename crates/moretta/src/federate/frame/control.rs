//! Small frames: who is there, what is agreed, received, allowed and refused.

use super::Kind;
use super::bits::{Bits, read_count};
use crate::error::Result;
use crate::federate::ratio::Ratio;
use crate::federate::state::{Reader, Writer, odd};
use crate::federate::topology::{Column, FragmentKind};

/// A party says who it is, and a site what it has and allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The sum of the terms that it goes by.
    pub terms: [u8; 32],
    /// The batch that it goes on with.
    pub next: u64,
    /// Columns of a site, without their names.
    pub columns: Vec<Column>,
    /// The most telling kind of fragments that it sends.
    pub allows: FragmentKind,
    /// Sources that a node must have for it.
    pub min_sources: u16,
    /// The public key of its masks in this epoch.
    pub mask: [u8; 32],
    /// Its signature under all of this.
    pub signature: [u8; 64],
}

impl Hello {
    /// What is signed.
    pub(in crate::federate) fn signed(&self, out: &mut Writer) {
        out.raw(&self.terms);
        out.u64(self.next);
        out.u16(self.columns.len() as u16);
        for column in &self.columns {
            column.write(out);
        }
        out.byte(self.allows as u8);
        out.u16(self.min_sources);
        out.raw(&self.mask);
    }

    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        self.signed(out);
        out.raw(&self.signature);
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Hello {
            terms: from.array()?,
            next: from.u64()?,
            columns: {
                let length = from.u16()?;
                from.many(usize::from(length), Column::read)?
            },
            allows: FragmentKind::read(from)?,
            min_sources: from.u16()?,
            mask: from.array()?,
            signature: from.array()?,
        })
    }
}

/// Which records a source forwards to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The site or trouble node.
    pub source: u16,
    /// The records.
    pub forwarded: Bits,
}

impl Keys {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.u16(self.source);
        self.forwarded.write_short(out);
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Keys {
            source: from.u16()?,
            forwarded: Bits::read_short(from)?,
        })
    }
}

/// Which records all sources of a node forward, and which sources these are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// The records.
    pub records: Bits,
    /// The sources, by id.
    pub members: Vec<u16>,
}

impl Agreed {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        self.records.write_short(out);
        out.u16(self.members.len() as u16);
        self.members.iter().for_each(|&member| out.u16(member));
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let records = Bits::read_short(from)?;
        let members = from.u16()?;
        Ok(Agreed {
            records,
            members: from.many(usize::from(members), Reader::u16)?,
        })
    }
}

/// Agreement and reach of the nodes of a topology, for the next batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Of each node: id, agreement a, reach r2.
    pub nodes: Vec<(u16, Ratio, Ratio)>,
}

impl State {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.u16(self.nodes.len() as u16);
        for &(node, agreement, reach) in &self.nodes {
            out.u16(node);
            for share in [agreement, reach] {
                out.u32(share.part);
                out.u32(share.over);
            }
        }
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let length = from.u16()?;
        let share = |from: &mut Reader<'_>| Ok(Ratio::new(from.u32()?, from.u32()?));
        let node = |from: &mut Reader<'_>| Ok((from.u16()?, share(from)?, share(from)?));
        Ok(State {
            nodes: from.many(usize::from(length), node)?,
        })
    }
}

/// The answer to one record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Final {
    /// The class.
    pub class: u32,
    /// The confidence in it.
    pub confidence: f64,
    /// The trouble node that gave it, or [`NO_NODE`](super::NO_NODE) for the sites together.
    pub who: u16,
    /// Its order, 0 for the sites.
    pub order: u8,
    /// Whether a site had not answered.
    pub partial: bool,
    /// Whether a trouble node was not waited for.
    pub early: bool,
}

/// The answers to a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Finals {
    /// One a record.
    pub records: Vec<Final>,
}

impl Finals {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.u16(self.records.len() as u16);
        for answer in &self.records {
            out.u32(answer.class);
            out.f64(answer.confidence);
            out.u16(answer.who);
            out.byte(answer.order);
            out.byte(u8::from(answer.partial) | u8::from(answer.early) << 1);
        }
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let count = read_count(from)?;
        let records = from.many(count, |from| {
            let (class, confidence) = (from.u32()?, from.f64()?);
            let (who, order, flags) = (from.u16()?, from.byte()?, from.byte()?);
            if flags > 3 {
                return Err(odd("a flag that there is not"));
            }
            Ok(Final {
                class,
                confidence,
                who,
                order,
                partial: flags & 1 == 1,
                early: flags & 2 == 2,
            })
        })?;
        Ok(Finals { records })
    }
}

/// A frame by what it is about; its sender is that of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stream {
    /// What it is.
    pub kind: Kind,
    /// Which source made it.
    pub source: u16,
    /// The trouble node it is about.
    pub node: u16,
    /// The batch, or the epoch of what comes once an epoch.
    pub batch: u64,
}

/// What was received for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The frames.
    pub frames: Vec<Stream>,
}

impl Ack {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.u16(self.frames.len() as u16);
        for frame in &self.frames {
            out.byte(frame.kind as u8);
            out.u16(frame.source);
            out.u16(frame.node);
            out.u64(frame.batch);
        }
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let length = from.u16()?;
        let frame = |from: &mut Reader<'_>| {
            let kind = Kind::of(from.byte()?).ok_or_else(|| odd("a kind that there is not"))?;
            Ok(Stream {
                kind,
                source: from.u16()?,
                node: from.u16()?,
                batch: from.u64()?,
            })
        };
        Ok(Ack {
            frames: from.many(usize::from(length), frame)?,
        })
    }
}

/// How far parties may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// The first batch that is not allowed yet.
    pub below: u64,
    /// The newest topology that batches below it may be under.
    pub epoch: u32,
    /// Batches below this are answered.
    pub closed: u64,
}

impl Credit {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.u64(self.below);
        out.u32(self.epoch);
        out.u64(self.closed);
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Credit {
            below: from.u64()?,
            epoch: from.u32()?,
            closed: from.u64()?,
        })
    }
}

/// Why a frame was not taken: a code, never a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Refusal {
    /// Not a frame, or of another version.
    Malformed = 1,
    /// Of another federation or under other terms.
    Stranger,
    /// Not from whom it says.
    Sender,
    /// A kind that this party does not take, or not from this one.
    Unexpected,
    /// Of an epoch that is not that of its batch.
    Epoch,
    /// Below what was acknowledged, or too far ahead.
    Batch,
    /// Other bytes than those that came before.
    Conflict,
    /// Other numbers of records, columns, bits or words than agreed.
    Width,
    /// A class that there is not.
    Class,
    /// A confidence outside of 0 to 1.
    Confidence,
    /// A value out of its bounds.
    Value,
    /// Other keys than this party has.
    Keys,
    /// A masked sum out of its range.
    Sum,
    /// A signature that is not that of its sender.
    Signature,
    /// More than this site gives away.
    Consent,
    /// From a party that was shut out.
    Quarantine,
    /// Of another run, or from a party that was begun anew within one.
    Run,
    /// A column that sites share, and another size or kind than it has at a site before.
    Columns,
    /// More columns, or values of them, than a site may have.
    Room,
}

impl Refusal {
    /// All reasons.
    pub const ALL: [Refusal; 19] = [
        Refusal::Malformed,
        Refusal::Stranger,
        Refusal::Sender,
        Refusal::Unexpected,
        Refusal::Epoch,
        Refusal::Batch,
        Refusal::Conflict,
        Refusal::Width,
        Refusal::Class,
        Refusal::Confidence,
        Refusal::Value,
        Refusal::Keys,
        Refusal::Sum,
        Refusal::Signature,
        Refusal::Consent,
        Refusal::Quarantine,
        Refusal::Run,
        Refusal::Columns,
        Refusal::Room,
    ];

    pub(in crate::federate) fn write(self, out: &mut Writer) {
        out.byte(self as u8);
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let byte = from.byte()?;
        let found = Refusal::ALL.into_iter().find(|code| *code as u8 == byte);
        found.ok_or_else(|| odd("a reason that there is not"))
    }
}

/// A party says that it belongs to a run, or asks to: see [`Mark`](crate::federate::Mark).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// What the party drew when it was begun; the aggregator repeats it.
    pub mark: [u8; 16],
    /// The number of the run, or 0 where it is not known.
    pub run: u32,
    /// The sum of the party's terms.
    pub terms: [u8; 32],
}

impl Join {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.raw(&self.mark);
        out.u32(self.run);
        out.raw(&self.terms);
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Join {
            mark: from.array()?,
            run: from.u32()?,
            terms: from.array()?,
        })
    }
}

/// Rows have ended; of the aggregator: all are answered, and the run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// How many batches there were.
    pub batches: u64,
}

impl End {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.u64(self.batches);
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(End {
            batches: from.u64()?,
        })
    }
}

/// T of records, as the aggregator tells it to sites that ask for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// Which records these are.
    pub records: Bits,
    /// T of each of them.
    pub scores: Vec<f32>,
}

impl Scores {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        self.records.write_short(out);
        self.scores
            .iter()
            .for_each(|score| out.u32(score.to_bits()));
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let records = Bits::read_short(from)?;
        let score = |from: &mut Reader<'_>| from.u32().map(f32::from_bits);
        Ok(Scores {
            scores: from.many(records.ones(), score)?,
            records,
        })
    }
}
