//! Values of forwarded records on their way to a trouble node, where a site allows it.
//!
//! Rows that are equal travel once with their places where that is shorter; the rows themselves
//! are sorted, and each tells only what differs from the one before: a prefix tree, written
//! depth first.

use super::bits::{Bits, pack, read_count, unpack, width_of};
use crate::error::Result;
use crate::federate::state::{Reader, Writer, odd};

/// Values beyond which a fragment is not decoded: those that the longest frame has room for. Rows that
/// travel once must not take more memory than the same rows one by one.
const MOST_VALUES: usize = super::MOST_BYTES / 8;

/// Columns of the records that a source forwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Fragment {
    /// The site or trouble node.
    pub source: u16,
    /// Which records these are; none where the node has said which it wants.
    pub forwarded: Option<Bits>,
    /// Values of a row.
    pub width: u16,
    /// Row by row.
    pub values: Vec<f64>,
}

impl Fragment {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.values
            .len()
            .checked_div(usize::from(self.width))
            .unwrap_or(0)
    }

    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.u16(self.source);
        out.bool(self.forwarded.is_some());
        if let Some(forwarded) = &self.forwarded {
            forwarded.write_short(out);
        }
        out.u16(self.width);
        out.u16(self.rows() as u16);
        let width = usize::from(self.width).max(1);
        let tree = PrefixTree::new(&self.values, width);
        let shorter = tree.bytes() < self.values.len() * 8;
        out.bool(shorter);
        if shorter {
            tree.write(out);
        } else {
            out.f64s(&self.values);
        }
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let source = from.u16()?;
        let forwarded = match from.bool()? {
            true => Some(Bits::read_short(from)?),
            false => None,
        };
        let width = from.u16()?;
        let rows = read_count(from)?;
        let values = usize::from(width) * rows;
        if values > MOST_VALUES || (width == 0 && rows > 0) {
            return Err(odd("more values than a fragment may have"));
        }
        let values = match from.bool()? {
            true => PrefixTree::read(rows, usize::from(width), from)?,
            false => from.f64s(values)?,
        };
        Ok(Fragment {
            source,
            forwarded,
            width,
            values,
        })
    }
}

/// Distinct rows in order, and which of them each row is.
struct PrefixTree<'a> {
    width: usize,
    distinct: Vec<&'a [f64]>,
    places: Vec<u32>,
}

impl<'a> PrefixTree<'a> {
    fn new(values: &'a [f64], width: usize) -> Self {
        let rows: Vec<&[f64]> = values.chunks_exact(width).collect();
        let bits = |row: &[f64]| {
            row.iter()
                .map(|value| value.to_bits())
                .collect::<Vec<u64>>()
        };
        let mut order: Vec<(Vec<u64>, usize)> = rows
            .iter()
            .enumerate()
            .map(|(at, row)| (bits(row), at))
            .collect();
        order.sort_unstable();
        let (mut distinct, mut places) = (Vec::new(), vec![0; rows.len()]);
        for (at, (row, place)) in order.iter().enumerate() {
            if at == 0 || *row != order[at - 1].0 {
                distinct.push(rows[*place]);
            }
            places[*place] = distinct.len() as u32 - 1;
        }
        PrefixTree {
            width,
            distinct,
            places,
        }
    }

    /// Values that a distinct row shares with the one before.
    fn shared(&self, at: usize) -> usize {
        let Some(before) = at.checked_sub(1) else {
            return 0;
        };
        let pairs = self.distinct[at].iter().zip(self.distinct[before]);
        pairs
            .take_while(|(a, b)| a.to_bits() == b.to_bits())
            .count()
    }

    fn bytes(&self) -> usize {
        let distinct = self.distinct.len();
        let values: usize = (0..distinct).map(|at| self.width - self.shared(at)).sum();
        let prefix = width_of(self.width as u32 + 1) as usize;
        let place = width_of(distinct as u32) as usize;
        let bits = distinct * prefix + self.places.len() * place;
        2 + values * 8 + bits.div_ceil(8) + 1
    }

    fn write(&self, out: &mut Writer) {
        let distinct = self.distinct.len();
        let shared: Vec<u32> = (0..distinct).map(|at| self.shared(at) as u32).collect();
        out.u16(distinct as u16);
        pack(shared.iter().copied(), width_of(self.width as u32 + 1), out);
        for (row, &shared) in self.distinct.iter().zip(&shared) {
            out.f64s(&row[shared as usize..]);
        }
        pack(self.places.iter().copied(), width_of(distinct as u32), out);
    }

    fn read(rows: usize, width: usize, from: &mut Reader<'_>) -> Result<Vec<f64>> {
        let distinct = usize::from(from.u16()?);
        if distinct > rows {
            return Err(odd("more distinct rows than rows"));
        }
        let shared = unpack(distinct, width_of(width as u32 + 1), from)?;
        let mut tree: Vec<f64> = Vec::new();
        for (at, shared) in shared.into_iter().map(|shared| shared as usize).enumerate() {
            if shared > width || (at == 0 && shared > 0) {
                return Err(odd("a row that shares more than it has"));
            }
            let start = tree.len().saturating_sub(width);
            tree.extend_from_within(start..start + shared);
            tree.extend(from.f64s(width - shared)?);
        }
        let places = unpack(rows, width_of(distinct as u32), from)?;
        let mut values = Vec::with_capacity(rows * width);
        for place in places.into_iter().map(|place| place as usize) {
            let row = tree.get(place * width..(place + 1) * width);
            values.extend_from_slice(row.ok_or_else(|| odd("a row that there is not"))?);
        }
        Ok(values)
    }
}

/// Masked sums of agreed records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// The site or trouble node.
    pub source: u16,
    /// Words of a row.
    pub width: u16,
    /// Row by row, in the order that the node has said.
    pub words: Vec<u64>,
}

impl Masked {
    pub(in crate::federate) fn write(&self, out: &mut Writer) {
        out.u16(self.source);
        out.u16(self.width);
        out.u32(self.words.len() as u32);
        self.words.iter().for_each(|&word| out.u64(word));
    }

    pub(in crate::federate) fn read(from: &mut Reader<'_>) -> Result<Self> {
        let (source, width) = (from.u16()?, from.u16()?);
        let length = from.u32()? as usize;
        Ok(Masked {
            source,
            width,
            words: from.many(length, Reader::u64)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(width: u16, values: &[f64], bytes: usize) {
        let fragment = Fragment {
            source: 3,
            forwarded: None,
            width,
            values: values.to_vec(),
        };
        let mut out = Writer::default();
        fragment.write(&mut out);
        let written = out.into_bytes();
        assert_eq!(written.len(), bytes, "{values:?}");
        let found = Fragment::read(&mut Reader::new(&written)).expect("whole");
        assert_eq!(found, fragment);
    }

    #[test]
    fn rows_that_travel_once_take_no_more_memory_than_a_frame() {
        let read = |rows: usize| {
            let fragment = Fragment {
                source: 3,
                forwarded: None,
                width: 2048,
                values: vec![0.5; rows * 2048],
            };
            let mut out = Writer::default();
            fragment.write(&mut out);
            let written = out.into_bytes();
            assert!(written.len() < 17_000);
            Fragment::read(&mut Reader::new(&written)).is_ok()
        };
        assert_eq!([64, 65, 4000].map(read), [true, false, false]);
    }

    #[test]
    fn equal_rows_and_equal_prefixes_travel_once() {
        check(2, &[], 8);
        check(2, &[1.0, 2.0], 8 + 16);
        check(2, &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0], 8 + 2 + 1 + 16);
        check(
            2,
            &[1.0, 2.0, 1.0, 3.0, 1.0, 2.0, 1.0, 3.0],
            8 + 2 + 1 + 24 + 1,
        );
        check(1, &[5.0, 4.0, 3.0], 8 + 24);
    }

    #[test]
    fn crafted_trees_are_refused() {
        for bytes in [
            &[9, 0][..],
            &[1, 0, 3],
            &[1, 0, 0, 1, 2],
            &[2, 0, 0xff, 0xff],
        ] {
            assert!(PrefixTree::read(3, 1, &mut Reader::new(bytes)).is_err());
        }
    }
}
