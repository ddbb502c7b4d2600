//! What a source tells the aggregator of a batch: classes, coarse confidences and bits.
//!
//! A confidence of 64 bits names the attribute value behind it at a site of one column; with 8
//! bits few are left that belong to one value alone. Ranks do not travel: a bit says whether the
//! record would be forwarded to a node of a given length.

use super::bits::{Bits, pack, read_count, unpack, width_of};
use crate::error::Result;
use crate::federate::state::{Reader, Writer, odd};

/// How many bits a confidence has on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coarse {
    /// 256 steps from 0 to 1.
    Bits8,
    /// 65,536 steps.
    Bits16,
    /// The double itself.
    Exact,
}

impl Coarse {
    /// 8, 16 or 64 bits.
    pub fn of_bits(bits: u32) -> Option<Self> {
        match bits {
            8 => Some(Coarse::Bits8),
            16 => Some(Coarse::Bits16),
            64 => Some(Coarse::Exact),
            _ => None,
        }
    }

    /// How many bits these are.
    pub fn bits(self) -> u8 {
        match self {
            Coarse::Bits8 => 8,
            Coarse::Bits16 => 16,
            Coarse::Exact => 64,
        }
    }

    /// What is left of a confidence.
    pub fn round(self, confidence: f64) -> f64 {
        match self.steps() {
            Some(steps) => (confidence * steps).round() / steps,
            None => confidence,
        }
    }

    fn steps(self) -> Option<f64> {
        match self {
            Coarse::Bits8 => Some(255.0),
            Coarse::Bits16 => Some(65535.0),
            Coarse::Exact => None,
        }
    }

    fn write(self, confidence: f64, out: &mut Writer) {
        let step = |steps: f64| (confidence * steps).round();
        match self {
            Coarse::Bits8 => out.byte(step(255.0) as u8),
            Coarse::Bits16 => out.u16(step(65535.0) as u16),
            Coarse::Exact => out.f64(confidence),
        }
    }

    fn read(self, from: &mut Reader<'_>) -> Result<f64> {
        Ok(match self {
            Coarse::Bits8 => f64::from(from.byte()?) / 255.0,
            Coarse::Bits16 => f64::from(from.u16()?) / 65535.0,
            Coarse::Exact => from.f64()?,
        })
    }
}

/// The answers of one source to a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The site or trouble node.
    pub source: u16,
    /// How many classes there are.
    pub class_count: u32,
    /// How coarse confidences are.
    pub coarse: Coarse,
    /// Which records it answered.
    pub present: Bits,
    /// The class of each record, 0 where there is no answer.
    pub classes: Vec<u32>,
    /// The confidence in it, 0 where there is no answer.
    pub confidences: Vec<f64>,
    /// For each destination, which records it forwards.
    pub forwards: Vec<Bits>,
    /// For each length of the topology, which records it would forward.
    pub what_ifs: Vec<Bits>,
    /// Σn and #full of a trouble node; zeros of a site.
    pub agreement: (u32, u32),
    /// A keyed sum of the keys of the batch, by which parties see that they hold the same one.
    pub keys: u64,
}

impl Answers {
    /// Records of the batch.
    pub fn count(&self) -> usize {
        self.present.len()
    }

    /// Whether a record is forwarded to the destination of that place.
    pub(in crate::federate) fn forwards_at(&self, plane: usize, at: usize) -> bool {
        self.forwards.get(plane).is_some_and(|bits| bits.get(at))
    }

    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        let whole = self.present.ones() == self.count();
        out.u16(self.source);
        out.u16(self.count() as u16);
        out.u32(self.class_count);
        out.byte(self.coarse.bits());
        out.bool(whole);
        out.byte(self.forwards.len() as u8);
        out.u16(self.what_ifs.len() as u16);
        out.u32(self.agreement.0);
        out.u32(self.agreement.1);
        out.u64(self.keys);
        if !whole {
            self.present.write(out);
        }
        let classes = self.present.places().map(|at| self.classes[at]);
        pack(classes, width_of(self.class_count), out);
        for at in self.present.places() {
            self.coarse.write(self.confidences[at], out);
        }
        for bits in self.forwards.iter().chain(&self.what_ifs) {
            bits.write(out);
        }
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let source = from.u16()?;
        let count = read_count(from)?;
        let class_count = from.u32()?;
        let coarse = Coarse::of_bits(u32::from(from.byte()?));
        let coarse = coarse.ok_or_else(|| odd("a confidence of so many bits"))?;
        let whole = from.bool()?;
        let (forwards, what_ifs) = (from.byte()?, from.u16()?);
        let agreement = (from.u32()?, from.u32()?);
        let keys = from.u64()?;
        let present = match whole {
            true => Bits::all(count),
            false => Bits::read(count, from)?,
        };
        if !whole && present.ones() == count {
            return Err(odd("a bitmap where all are there"));
        }
        let answered = present.ones();
        let mut known = unpack(answered, width_of(class_count), from)?.into_iter();
        let mut classes = vec![0; count];
        let mut confidences = vec![0.0; count];
        for at in present.places() {
            classes[at] = known.next().unwrap_or(0);
        }
        for at in present.places() {
            confidences[at] = coarse.read(from)?;
        }
        let mut planes = |planes: usize| -> Result<Vec<Bits>> {
            (0..planes).map(|_| Bits::read(count, from)).collect()
        };
        Ok(Answers {
            source,
            class_count,
            coarse,
            classes,
            confidences,
            forwards: planes(usize::from(forwards))?,
            what_ifs: planes(usize::from(what_ifs))?,
            present,
            agreement,
            keys,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_confidences_are_nearest_steps() {
        assert_eq!(Coarse::Bits8.round(0.5), 128.0 / 255.0);
        assert_eq!(Coarse::Bits16.round(1.0), 1.0);
        assert_eq!(Coarse::Exact.round(0.123_456_789), 0.123_456_789);
        assert_eq!(Coarse::of_bits(32), None);
    }

    #[test]
    fn two_classes_and_eight_bits_take_little_more_than_a_byte_a_record() {
        let answers = Answers {
            source: 0,
            class_count: 2,
            coarse: Coarse::Bits8,
            present: Bits::all(256),
            classes: vec![1; 256],
            confidences: vec![0.75; 256],
            forwards: vec![Bits::new(256)],
            what_ifs: vec![Bits::new(256)],
            agreement: (0, 0),
            keys: 7,
        };
        let mut out = Writer::default();
        answers.write(&mut out);
        assert_eq!(out.into_bytes().len(), 29 + 256 + 3 * 32);
    }
}
