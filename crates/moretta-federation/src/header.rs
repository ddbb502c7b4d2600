//! The part of a frame that the transport knows: 32 bytes, little-endian.
//!
//! u16 magic, u8 version, u8 kind, u64 federation, u32 epoch, u16 sender, u16 node, u64 batch,
//! u32 length of what follows. Only what decides whether a frame may pass a link is looked at.

use moretta::federate::Terms;
use moretta::federate::frame::{Kind, MAGIC, VERSION};

use crate::party::PartyId;
use crate::refusal::Refusal;

/// Bytes of a header.
pub const HEADER_BYTES: usize = 32;

/// The kind of frame that an aggregator passes on as it is, with the site that made it as sender.
const HELLO: u8 = Kind::Hello as u8;

/// What all frames of a federation begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// The first two bytes of a frame.
    pub magic: u16,
    /// The version of the frames.
    pub version: u8,
    /// The first eight bytes of the federation's id, read as a little-endian number. The last four
    /// of them are those of the run in frames, which parties look at themselves.
    pub federation: u64,
}

impl Protocol {
    /// The protocol of a federation.
    pub fn of(terms: &Terms) -> Self {
        Protocol {
            magic: u16::from_le_bytes(MAGIC),
            version: VERSION,
            federation: terms.federation_number(),
        }
    }

    /// Whether a frame may come over the link of `peer`, of which all frames must be: but for the
    /// hello of a site, which the aggregator passes on.
    pub fn check(&self, frame: &[u8], peer: PartyId) -> Result<(), Refusal> {
        let (header, body) = frame
            .split_first_chunk::<HEADER_BYTES>()
            .ok_or(Refusal::NoFrame)?;
        if field(header, 0) != self.magic.to_le_bytes() {
            return Err(Refusal::NoFrame);
        }
        if header[2] != self.version {
            return Err(Refusal::OtherVersion);
        }
        if u32::from_le_bytes(field(header, 4)) != self.federation as u32 {
            return Err(Refusal::OtherFederation);
        }
        if u32::from_le_bytes(field(header, 28)) as usize != body.len() {
            return Err(Refusal::NoFrame);
        }
        let sender = PartyId(u16::from_le_bytes(field(header, 16)));
        let passed_on = peer == PartyId::AGGREGATOR && header[3] == HELLO && sender.is_site();
        if sender != peer && !passed_on {
            return Err(Refusal::OtherSender);
        }
        Ok(())
    }

    /// The header of a frame of that kind and sender; the remaining fields are 0.
    pub fn header(&self, kind: u8, sender: PartyId, batch: u64, length: u32) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..2].copy_from_slice(&self.magic.to_le_bytes());
        header[2] = self.version;
        header[3] = kind;
        header[4..12].copy_from_slice(&self.federation.to_le_bytes());
        header[16..18].copy_from_slice(&sender.0.to_le_bytes());
        header[20..28].copy_from_slice(&batch.to_le_bytes());
        header[28..].copy_from_slice(&length.to_le_bytes());
        header
    }
}

/// The batch in the header of a frame that was checked.
pub fn batch(frame: &[u8]) -> Option<u64> {
    let header = frame.first_chunk::<HEADER_BYTES>()?;
    Some(u64::from_le_bytes(field(header, 20)))
}

fn field<const N: usize>(header: &[u8; HEADER_BYTES], from: usize) -> [u8; N] {
    std::array::from_fn(|i| header[from + i])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTOCOL: Protocol = Protocol {
        magic: 0x464d,
        version: 1,
        federation: 0x0807_0605_0403_0201,
    };

    #[test]
    fn only_whole_frames_of_the_federation_and_the_peer_pass() {
        let header = PROTOCOL.header(2, PartyId(7), 9, 3);
        let frame = [&header[..], b"abc"].concat();
        assert_eq!(batch(&frame), Some(9));
        let changed = |place: usize| {
            let mut frame = frame.clone();
            frame[place] ^= 1;
            frame
        };
        let check = |frame: &[u8], expected| {
            assert_eq!(PROTOCOL.check(frame, PartyId(7)), expected);
        };
        check(&frame, Ok(()));
        check(&changed(3), Ok(()));
        check(&changed(13), Ok(()));
        check(&changed(20), Ok(()));
        check(&[], Err(Refusal::NoFrame));
        check(&frame[..31], Err(Refusal::NoFrame));
        check(&frame[..34], Err(Refusal::NoFrame));
        check(&[&frame[..], b"d"].concat(), Err(Refusal::NoFrame));
        check(&changed(0), Err(Refusal::NoFrame));
        check(&changed(2), Err(Refusal::OtherVersion));
        check(&changed(7), Err(Refusal::OtherFederation));
        check(&changed(8), Ok(()));
        check(&changed(17), Err(Refusal::OtherSender));
        check(&changed(31), Err(Refusal::NoFrame));
    }

    #[test]
    fn aggregators_pass_on_hellos_of_sites_and_nothing_else() {
        let check = |kind, sender, peer, expected| {
            let frame = PROTOCOL.header(kind, sender, 0, 0);
            assert_eq!(PROTOCOL.check(&frame, peer), expected, "{kind} {sender}");
        };
        let (site, other) = (PartyId(3), PartyId(4));
        check(HELLO, site, PartyId::AGGREGATOR, Ok(()));
        check(
            HELLO + 1,
            site,
            PartyId::AGGREGATOR,
            Err(Refusal::OtherSender),
        );
        check(
            HELLO,
            PartyId::LABELS,
            PartyId::AGGREGATOR,
            Err(Refusal::OtherSender),
        );
        check(HELLO, site, other, Err(Refusal::OtherSender));
        check(HELLO, site, PartyId::LABELS, Err(Refusal::OtherSender));
    }
}
