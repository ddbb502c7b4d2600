//! Bits of the records of a batch, and small numbers packed side by side.

use crate::error::Result;
use crate::federate::frame::MOST_RECORDS;
use crate::federate::state::{Reader, Writer, odd};

/// A bit for each record of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    bytes: Vec<u8>,
    length: usize,
}

impl Bits {
    /// So many bits, none of them set.
    pub fn new(length: usize) -> Self {
        Bits {
            bytes: vec![0; length.div_ceil(8)],
            length,
        }
    }

    /// So many bits, all of them set.
    pub fn all(length: usize) -> Self {
        let mut bits = Bits::new(length);
        (0..length).for_each(|at| bits.set(at));
        bits
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether this one is set; one that there is not is not.
    pub fn get(&self, at: usize) -> bool {
        at < self.length && self.bytes[at / 8] >> (at % 8) & 1 == 1
    }

    /// Sets a bit.
    pub fn set(&mut self, at: usize) {
        if at < self.length {
            self.bytes[at / 8] |= 1 << (at % 8);
        }
    }

    /// How many are set.
    pub fn ones(&self) -> usize {
        self.bytes
            .iter()
            .map(|byte| byte.count_ones() as usize)
            .sum()
    }

    /// The places of those that are set, in order.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.length).filter(|&at| self.get(at))
    }

    /// The bits, but not how many.
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.raw(&self.bytes);
    }

    /// So many bits; those beyond the last are 0, so that each has one text alone.
    pub(in crate::federate) fn read(length: usize, from: &mut Reader<'_>) -> Result<Self> {
        let bytes = from.raw(length.div_ceil(8))?.to_vec();
        let rest = length % 8;
        match bytes.last() {
            Some(last) if rest > 0 && last >> rest != 0 => Err(odd("bits beyond the last record")),
            _ => Ok(Bits { bytes, length }),
        }
    }

    /// How many bits, then the bits or the places of those that are set, whichever is shorter.
    pub(super) fn write_short(&self, out: &mut Writer) {
        let ones = self.ones();
        let as_places = ones * 2 < self.bytes.len();
        out.u16(self.length as u16);
        out.bool(as_places);
        if as_places {
            out.u16(ones as u16);
            self.places().for_each(|place| out.u16(place as u16));
        } else {
            self.write(out);
        }
    }

    pub(super) fn read_short(from: &mut Reader<'_>) -> Result<Self> {
        let length = read_count(from)?;
        if !from.bool()? {
            return Bits::read(length, from);
        }
        let mut bits = Bits::new(length);
        let mut least = 0;
        for _ in 0..from.u16()? {
            let place = usize::from(from.u16()?);
            if place < least || place >= length {
                return Err(odd("places that do not rise"));
            }
            bits.set(place);
            least = place + 1;
        }
        match bits.ones() * 2 < bits.bytes.len() {
            true => Ok(bits),
            false => Err(odd("places where bits are shorter")),
        }
    }
}

/// How many records a batch has.
pub(super) fn read_count(from: &mut Reader<'_>) -> Result<usize> {
    let count = usize::from(from.u16()?);
    match count <= MOST_RECORDS {
        true => Ok(count),
        false => Err(odd("more records than a batch may have")),
    }
}

/// Bits that a number below `values` needs.
pub(super) fn width_of(values: u32) -> u32 {
    u32::BITS - values.saturating_sub(1).leading_zeros()
}

/// Numbers of so many bits each, side by side, the lowest bit first.
pub(super) fn pack(numbers: impl Iterator<Item = u32>, width: u32, out: &mut Writer) {
    let (mut word, mut filled) = (0_u64, 0);
    for number in numbers {
        word |= u64::from(number) << filled;
        filled += width;
        while filled >= 8 {
            out.byte(word as u8);
            word >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        out.byte(word as u8);
    }
}

/// So many numbers that were packed.
pub(super) fn unpack(count: usize, width: u32, from: &mut Reader<'_>) -> Result<Vec<u32>> {
    if width > 32 {
        return Err(odd("numbers of more than 32 bits"));
    }
    let bytes = from.raw((count * width as usize).div_ceil(8))?;
    let mut bytes = bytes.iter();
    let (mut word, mut filled) = (0_u64, 0);
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        while filled < width {
            word |= u64::from(*bytes.next().unwrap_or(&0)) << filled;
            filled += 8;
        }
        numbers.push((word & ((1 << width) - 1)) as u32);
        word >>= width;
        filled -= width;
    }
    match word {
        0 => Ok(numbers),
        _ => Err(odd("bits beyond the last number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_packed_and_found_again() {
        for width in [0, 1, 3, 8, 13, 32] {
            let numbers: Vec<u32> = (0..50_u32)
                .map(|at| (u64::from(at.wrapping_mul(2_654_435_761)) & ((1 << width) - 1)) as u32)
                .collect();
            let mut out = Writer::default();
            pack(numbers.iter().copied(), width, &mut out);
            let bytes = out.into_bytes();
            assert_eq!(bytes.len(), (50 * width as usize).div_ceil(8));
            let found = unpack(50, width, &mut Reader::new(&bytes));
            assert_eq!(found.expect("whole"), numbers);
        }
        assert_eq!([1, 2, 3, 4, 5].map(width_of), [0, 1, 2, 2, 3]);
    }

    #[test]
    fn bits_take_the_shorter_form() {
        let check = |places: &[usize], bytes| {
            let mut bits = Bits::new(100);
            places.iter().for_each(|&place| bits.set(place));
            let mut out = Writer::default();
            bits.write_short(&mut out);
            let written = out.into_bytes();
            assert_eq!(written.len(), bytes);
            let found = Bits::read_short(&mut Reader::new(&written));
            assert_eq!(found.expect("whole"), bits);
        };
        check(&[], 5);
        check(&[7, 99], 9);
        check(&[0, 1, 2, 3, 4, 5, 6], 16);
    }
}
