//! What parties send each other: a header of 32 bytes and a body of its kind, little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 2 | magic `mF` |
//! | 1 | version |
//! | 1 | kind |
//! | 4 | the first bytes of the federation's id |
//! | 4 | the number of the run; inside of one process the next bytes of the id |
//! | 4 | epoch: under which topology it was made |
//! | 2 | sender |
//! | 2 | trouble node it is about, or [`NO_NODE`] |
//! | 8 | batch |
//! | 4 | length of the body |
//!
//! Every byte string decodes to a frame or to a [`Flaw`]; lengths are checked before memory is
//! taken. No frame holds a column name, a rank, a window or a model; attribute values only in a
//! [`Fragment`], which a site sends where its own policy allows it.

mod answers;
mod bits;
mod control;
mod fragment;
mod labels;

pub use answers::{Answers, Coarse};
pub use bits::Bits;
pub use control::{
    Ack, Agreed, Credit, End, Final, Finals, Hello, Join, Keys, Refusal, Scores, State, Stream,
};
pub use fragment::{Fragment, Masked};
pub use labels::Labels;

use super::party_id::PartyId;
use super::state::{Reader, Writer};
use super::topology::Topology;
use crate::error::{Error, Result};

/// Bytes before a body.
pub const HEADER: usize = 32;
/// Bytes of a frame at most.
pub const MOST_BYTES: usize = 1 << 20;
/// Records of a batch at most.
pub const MOST_RECORDS: usize = 4096;
/// In place of a trouble node where a frame is about none.
pub const NO_NODE: u16 = u16::MAX;

/// What frames begin with.
pub const MAGIC: [u8; 2] = *b"mF";
/// The version of frames.
pub const VERSION: u8 = 3;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A party says who it is.
    Hello = 1,
    /// Classes, coarse confidences and bits of a source.
    Answers,
    /// Which records a source forwards.
    Keys,
    /// Which records all sources forward.
    Agreed,
    /// Columns of forwarded records.
    Fragment,
    /// Masked sums of forwarded records.
    Masked,
    /// True classes.
    Labels,
    /// Agreement and reach of nodes.
    State,
    /// Trouble nodes from a batch on.
    Topology,
    /// Final answers.
    Final,
    /// What was received for good.
    Ack,
    /// How far parties may go.
    Credit,
    /// Why a frame was not taken.
    Refuse,
    /// T of records whose sources agreed.
    Scores,
    /// A party joins a run.
    Join,
    /// Rows, or a run, have ended.
    End,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 16] = [
        Kind::Hello,
        Kind::Answers,
        Kind::Keys,
        Kind::Agreed,
        Kind::Fragment,
        Kind::Masked,
        Kind::Labels,
        Kind::State,
        Kind::Topology,
        Kind::Final,
        Kind::Ack,
        Kind::Credit,
        Kind::Refuse,
        Kind::Scores,
        Kind::Join,
        Kind::End,
    ];

    fn of(byte: u8) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == byte)
    }

    /// Whether frames of it may name a trouble node. Others name none, so that a frame is known by
    /// what it is about.
    fn may_name_node(self) -> bool {
        let of_node = [Kind::Keys, Kind::Agreed, Kind::Fragment, Kind::Masked];
        of_node.contains(&self) || matches!(self, Kind::Scores | Kind::Refuse)
    }
}

/// Whom a frame is from and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it is.
    pub kind: Kind,
    /// The first bytes of the federation's id, and the number of the run.
    pub federation: u64,
    /// Under which topology it was made.
    pub epoch: u32,
    /// Who made it.
    pub sender: PartyId,
    /// The trouble node it is about.
    pub node: u16,
    /// The batch it is about.
    pub batch: u64,
}

/// A frame as its kind.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "said at the kinds")]
pub enum Body {
    Hello(Hello),
    Answers(Answers),
    Keys(Keys),
    Agreed(Agreed),
    Fragment(Fragment),
    Masked(Masked),
    Labels(Labels),
    State(State),
    Topology(Topology),
    Final(Finals),
    Ack(Ack),
    Credit(Credit),
    Refuse(Refusal),
    Scores(Scores),
    Join(Join),
    End(End),
}

impl Body {
    /// What it is.
    pub fn kind(&self) -> Kind {
        match self {
            Body::Hello(_) => Kind::Hello,
            Body::Answers(_) => Kind::Answers,
            Body::Keys(_) => Kind::Keys,
            Body::Agreed(_) => Kind::Agreed,
            Body::Fragment(_) => Kind::Fragment,
            Body::Masked(_) => Kind::Masked,
            Body::Labels(_) => Kind::Labels,
            Body::State(_) => Kind::State,
            Body::Topology(_) => Kind::Topology,
            Body::Final(_) => Kind::Final,
            Body::Ack(_) => Kind::Ack,
            Body::Credit(_) => Kind::Credit,
            Body::Refuse(_) => Kind::Refuse,
            Body::Scores(_) => Kind::Scores,
            Body::Join(_) => Kind::Join,
            Body::End(_) => Kind::End,
        }
    }

    fn write(&self, out: &mut Writer) {
        match self {
            Body::Hello(body) => body.write(out),
            Body::Answers(body) => body.write(out),
            Body::Keys(body) => body.write(out),
            Body::Agreed(body) => body.write(out),
            Body::Fragment(body) => body.write(out),
            Body::Masked(body) => body.write(out),
            Body::Labels(body) => body.write(out),
            Body::State(body) => body.write(out),
            Body::Topology(body) => body.write(out),
            Body::Final(body) => body.write(out),
            Body::Ack(body) => body.write(out),
            Body::Credit(body) => body.write(out),
            Body::Refuse(body) => body.write(out),
            Body::Scores(body) => body.write(out),
            Body::Join(body) => body.write(out),
            Body::End(body) => body.write(out),
        }
    }

    fn read(kind: Kind, from: &mut Reader<'_>) -> Result<Self> {
        Ok(match kind {
            Kind::Hello => Body::Hello(Hello::read(from)?),
            Kind::Answers => Body::Answers(Answers::read(from)?),
            Kind::Keys => Body::Keys(Keys::read(from)?),
            Kind::Agreed => Body::Agreed(Agreed::read(from)?),
            Kind::Fragment => Body::Fragment(Fragment::read(from)?),
            Kind::Masked => Body::Masked(Masked::read(from)?),
            Kind::Labels => Body::Labels(Labels::read(from)?),
            Kind::State => Body::State(State::read(from)?),
            Kind::Topology => Body::Topology(Topology::read(from)?),
            Kind::Final => Body::Final(Finals::read(from)?),
            Kind::Ack => Body::Ack(Ack::read(from)?),
            Kind::Credit => Body::Credit(Credit::read(from)?),
            Kind::Refuse => Body::Refuse(Refusal::read(from)?),
            Kind::Scores => Body::Scores(Scores::read(from)?),
            Kind::Join => Body::Join(Join::read(from)?),
            Kind::End => Body::End(End::read(from)?),
        })
    }
}

/// Why bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Shorter than a header.
    Short,
    /// Not of ours.
    Magic,
    /// Of a version that this program does not speak.
    Version(u8),
    /// Of a kind that there is not.
    Kind(u8),
    /// Longer or shorter than it says, or than is allowed.
    Length,
    /// A trouble node in a frame of a kind that is about none.
    Node,
    /// A body that its kind does not have.
    Body,
}

impl Flaw {
    /// What to tell whoever runs the program.
    pub fn error(self) -> Error {
        let what = match self {
            Flaw::Short | Flaw::Length => "a frame has not the length that it says".to_owned(),
            Flaw::Magic => "what came is no frame of a federation".to_owned(),
            Flaw::Version(other) => {
                format!("a frame has version {other}, this program speaks {VERSION}")
            }
            Flaw::Kind(_) => "a frame is of a kind that there is not".to_owned(),
            Flaw::Node => "a frame names a trouble node that it is not about".to_owned(),
            Flaw::Body => "a frame holds what its kind does not have".to_owned(),
        };
        Error::input(what).help("run the same version of the program at all parties")
    }
}

/// A frame as bytes.
pub fn encode(header: &Header, body: &Body) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw(&MAGIC);
    out.byte(VERSION);
    out.byte(body.kind() as u8);
    out.u64(header.federation);
    out.u32(header.epoch);
    out.u16(header.sender.0);
    out.u16(header.node);
    out.u64(header.batch);
    out.u32(0);
    body.write(&mut out);
    let mut bytes = out.into_bytes();
    let length = (bytes.len() - HEADER) as u32;
    bytes[HEADER - 4..HEADER].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// The header of a frame, if its body is as long as it says.
pub fn decode_header(bytes: &[u8]) -> std::result::Result<Header, Flaw> {
    let (start, body) = bytes.split_at_checked(HEADER).ok_or(Flaw::Short)?;
    if start[..2] != MAGIC {
        return Err(Flaw::Magic);
    }
    if start[2] != VERSION {
        return Err(Flaw::Version(start[2]));
    }
    let kind = Kind::of(start[3]).ok_or(Flaw::Kind(start[3]))?;
    let number = |at: usize, length: usize| {
        let bytes = start[at..at + length].iter().rev();
        bytes.fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte))
    };
    if number(28, 4) != body.len() as u64 || bytes.len() > MOST_BYTES {
        return Err(Flaw::Length);
    }
    let node = number(18, 2) as u16;
    if node != NO_NODE && !kind.may_name_node() {
        return Err(Flaw::Node);
    }
    Ok(Header {
        kind,
        federation: number(4, 8),
        epoch: number(12, 4) as u32,
        sender: PartyId(number(16, 2) as u16),
        node,
        batch: number(20, 8),
    })
}

/// The frame that bytes are.
pub fn decode(bytes: &[u8]) -> std::result::Result<(Header, Body), Flaw> {
    let header = decode_header(bytes)?;
    let mut from = Reader::new(&bytes[HEADER..]);
    let body = Body::read(header.kind, &mut from).map_err(|_| Flaw::Body)?;
    from.end().map_err(|_| Flaw::Body)?;
    Ok((header, body))
}

#[cfg(test)]
mod tests;
