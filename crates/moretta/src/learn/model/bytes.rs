//! Numbers and texts as bytes, and back from bytes that nobody may be trusted to have written.
//!
//! Integers and doubles are little-endian and of fixed width; a double is its bits, so
//! NaN and infinity stay what they are. A reader allocates nothing that the bytes at
//! hand do not fill.

use crate::error::{Error, Result};

/// Counters beyond this are no counters: no stream is as long, and one more never overflows.
pub(crate) const MOST_COUNTED: u64 = 1 << 53;

/// Bytes that grow.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.byte(u8::from(value));
    }

    pub(crate) fn u16(&mut self, value: u16) {
        self.raw(&value.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.raw(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.raw(&value.to_le_bytes());
    }

    pub(crate) fn size(&mut self, value: usize) {
        self.u64(value as u64);
    }

    /// How often something happened: what only a made-up model could have counted is cut,
    /// so that it can be read again.
    pub(crate) fn count(&mut self, value: u64) {
        self.u64(value.min(MOST_COUNTED));
    }

    pub(crate) fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }

    /// The values, but not how many.
    pub(crate) fn f64s(&mut self, values: &[f64]) {
        self.bytes.reserve(size_of_val(values));
        for &value in values {
            self.f64(value);
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.size(text.len());
        self.raw(text.as_bytes());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Bytes that were not read yet.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn bool(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(odd("a yes or no that is neither")),
        }
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A size that is not the length of what follows.
    pub(crate) fn size(&mut self) -> Result<usize> {
        let size = self.u64()?;
        usize::try_from(size).map_err(|_| odd("a size beyond this machine"))
    }

    /// How often something happened.
    pub(crate) fn count(&mut self) -> Result<u64> {
        let count = self.u64()?;
        match count <= MOST_COUNTED {
            true => Ok(count),
            false => Err(odd("a count that no stream reaches")),
        }
    }

    /// How many things follow, of which each has a byte at least.
    pub(crate) fn length(&mut self) -> Result<usize> {
        let length = self.size()?;
        self.must_hold(length)?;
        Ok(length)
    }

    /// So many things, of which each has a byte at least. Memory is taken for as much as the
    /// bytes that are left would fill, and for more only as things are really there.
    pub(crate) fn many<T>(
        &mut self,
        length: usize,
        mut one: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.must_hold(length)?;
        let filled = self.rest.len() / size_of::<T>().max(1);
        let mut all = Vec::with_capacity(length.min(filled));
        for _ in 0..length {
            all.push(one(self)?);
        }
        all.shrink_to_fit();
        Ok(all)
    }

    fn must_hold(&self, length: usize) -> Result<()> {
        match length <= self.rest.len() {
            true => Ok(()),
            false => Err(odd("a length beyond its end")),
        }
    }

    pub(crate) fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// So many values.
    pub(crate) fn f64s(&mut self, values: usize) -> Result<Vec<f64>> {
        let bytes = values.checked_mul(size_of::<f64>());
        let bytes = self.raw(bytes.ok_or_else(|| odd("a length beyond its end"))?)?;
        let value = |bytes: &[u8]| {
            let bits = bytes.try_into().expect("chunks of eight");
            f64::from_bits(u64::from_le_bytes(bits))
        };
        Ok(bytes.chunks_exact(size_of::<f64>()).map(value).collect())
    }

    pub(crate) fn text(&mut self) -> Result<&'a str> {
        let length = self.length()?;
        std::str::from_utf8(self.raw(length)?).map_err(|_| odd("a text that is not UTF-8"))
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Fails if anything is left.
    pub(crate) fn end(self) -> Result<()> {
        match self.rest.is_empty() {
            true => Ok(()),
            false => Err(odd("more than its learner can hold")),
        }
    }

    pub(crate) fn raw(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or_else(|| odd("an end too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(self.raw(N)?.try_into().expect("as many as were asked for"))
    }
}

/// The model has something that no learner would have saved.
pub(crate) fn odd(what: &str) -> Error {
    Error::input(format!("the model does not fit together: it has {what}"))
        .help("take a copy that was not changed, or learn the model again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_more() {
        let mut writer = Writer::default();
        writer.bool(true);
        writer.u32(7);
        writer.size(9);
        writer.f64s(&[f64::NAN, -0.0, f64::INFINITY]);
        writer.text("naïve");
        let bytes = writer.into_bytes();
        let mut reader = Reader::new(&bytes);
        assert!(reader.bool().expect("a bool"));
        assert_eq!(reader.u32().expect("a number"), 7);
        assert_eq!(reader.size().expect("a size"), 9);
        let values = reader.f64s(3).expect("three");
        assert!(values[0].is_nan() && values[1].is_sign_negative() && values[2] > 0.0);
        assert_eq!(reader.text().expect("a text"), "naïve");
        assert!(reader.byte().is_err());
        assert!(reader.end().is_ok());
    }

    #[test]
    fn counts_beyond_all_streams_are_cut_so_that_they_can_be_read_again() {
        for (count, expected) in [
            (7, 7),
            (MOST_COUNTED, MOST_COUNTED),
            (u64::MAX, MOST_COUNTED),
        ] {
            let mut writer = Writer::default();
            writer.count(count);
            let bytes = writer.into_bytes();
            assert_eq!(Reader::new(&bytes).count().expect("a count"), expected);
        }
    }

    #[test]
    fn lengths_beyond_the_end_allocate_nothing() {
        let huge = u64::MAX.to_le_bytes();
        assert!(Reader::new(&huge).length().is_err());
        assert!(Reader::new(&huge).text().is_err());
        assert!(Reader::new(&huge).count().is_err());
        assert!(Reader::new(&huge).f64s(usize::MAX).is_err());
        assert!(Reader::new(&huge).f64s(2).is_err());
        assert!(Reader::new(&[2]).bool().is_err());
        assert!(Reader::new(&huge).end().is_err());
    }
}
