//! What a party remembers as bytes: those of saved models, and learners by their names.

pub(super) use crate::learn::model::{Reader, Writer, odd};

use super::frame::{Bits, MOST_RECORDS};
use crate::error::{Error, Result};
use crate::learn::{Header, Learner, load_learner};

/// Writes what a learner knows.
pub(super) fn save_learner(learner: &dyn Learner, out: &mut Writer) -> Result<()> {
    let knowledge = learner.knowledge().ok_or_else(|| {
        Error::usage("this learner cannot be saved").help("take one that `moretta learn` lists")
    })?;
    out.text(knowledge.name);
    out.size(knowledge.bytes.len());
    out.raw(&knowledge.bytes);
    Ok(())
}

/// The learner that was written, of records of this header.
pub(super) fn read_learner(header: &Header, from: &mut Reader<'_>) -> Result<Box<dyn Learner>> {
    let name = from.text()?;
    let length = from.length()?;
    let mut body = Reader::new(from.raw(length)?);
    let learner = load_learner(name, header, &mut body)?;
    body.end()?;
    Ok(learner)
}

/// Writes bits and how many they are.
pub(super) fn save_bits(bits: &Bits, out: &mut Writer) {
    out.size(bits.len());
    out.size(bits.ones());
    bits.places().for_each(|place| out.u32(place as u32));
}

/// Bits that were written.
pub(super) fn read_bits(from: &mut Reader<'_>) -> Result<Bits> {
    let length = from.size()?;
    if length > MOST_RECORDS {
        return Err(odd("more records than a batch may have"));
    }
    let mut bits = Bits::new(length);
    for _ in 0..from.length()? {
        bits.set(from.u32()? as usize);
    }
    Ok(bits)
}
