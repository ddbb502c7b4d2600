//! Pairs released records with their originals and shows them to the measures.

use crate::data::{Batch, Encoder, Records, RowIds, Schema};
use crate::error::{Error, Result};
use crate::measure::pairs::Labels;
use std::collections::VecDeque;

/// Originals whose records have not left, and what is measured of those that have.
pub(super) struct Pairs {
    waiting: VecDeque<Batch>,
    /// One encoder for both sides, or the codes of categories would differ.
    encoder: Encoder,
    originals: Records,
    released: Records,
    class: Option<Class>,
}

/// The classes of records, before and after.
struct Class {
    encoder: Encoder,
    originals: Records,
    released: Records,
}

impl Pairs {
    /// Of these columns, with the class beside them.
    pub(super) fn new(schema: &Schema, columns: &[usize], class: Option<usize>) -> Result<Self> {
        let class = class.map(|place| {
            Ok(Class {
                encoder: Encoder::new(schema, &[place])?,
                originals: Records::new(1),
                released: Records::new(1),
            })
        });
        Ok(Pairs {
            waiting: VecDeque::new(),
            encoder: Encoder::new(schema, columns)?,
            originals: Records::new(columns.len()),
            released: Records::new(columns.len()),
            class: class.transpose()?,
        })
    }

    /// The records of a batch, with the codes that pairs have.
    pub(super) fn encode(&mut self, batch: &Batch) -> Result<&Records> {
        self.encoder.encode(batch, &mut self.originals)?;
        Ok(&self.originals)
    }

    /// Rows that were read.
    pub(super) fn read(&mut self, batch: &Batch) {
        if !batch.is_empty() {
            self.waiting.push_back(batch.clone());
        }
    }

    /// Shows each released row with its original, in the order of the release.
    ///
    /// # Errors
    /// A bug, when a row is released twice, out of order, or was never read.
    pub(super) fn released(
        &mut self,
        released: &Batch,
        mut show: impl FnMut(&[f64], &[f64], Labels),
    ) -> Result<()> {
        let mut start = 0;
        while start < released.len() {
            let original = self.waiting.front().ok_or_else(foreign)?;
            let places = places(original.rows(), released.rows(), start);
            let seen = places.last().map_or(0, |&last| last as usize + 1);
            if !places.is_empty() {
                let before = original.take(&places)?;
                let after = released.slice(start, places.len());
                self.encoder.encode(&before, &mut self.originals)?;
                self.encoder.encode(&after, &mut self.released)?;
                if let Some(class) = &mut self.class {
                    class.encoder.encode(&before, &mut class.originals)?;
                    class.encoder.encode(&after, &mut class.released)?;
                }
                let pairs = self.originals.iter().zip(self.released.iter());
                for (row, (original, released)) in pairs.enumerate() {
                    let labels = self.class.as_ref();
                    let labels = labels.map_or(Labels::NONE, |class| class.labels(row));
                    show(original, released, labels);
                }
                start += places.len();
            }
            // The rest of these rows was suppressed, or leaves later.
            match start < released.len() || seen == original.len() {
                true => drop(self.waiting.pop_front()),
                false => self.waiting[0] = original.slice(seen, original.len() - seen),
            }
        }
        Ok(())
    }
}

impl Class {
    fn labels(&self, row: usize) -> Labels {
        Labels {
            original: self.originals.record(row)[0],
            protected: self.released.record(row)[0],
        }
    }
}

/// The places of the rows, in the order in which they wait, that `released` goes on with.
fn places(waiting: &RowIds, released: &RowIds, start: usize) -> Vec<u32> {
    let mut next = (start..released.len())
        .map(|row| released.get(row))
        .peekable();
    let places = waiting.iter().zip(0..);
    places
        .filter_map(|(id, place)| next.next_if_eq(&id).map(|_| place))
        .collect()
}

fn foreign() -> Error {
    Error::bug("a record was released that was not read, or not in its order")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Field, Kind, Role};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn batch(ids: &[u64]) -> Batch {
        let field = Field::new("x", Role::Quasi, Kind::Number { integer: true });
        let schema = Arc::new(Schema::new(vec![field]).expect("one name"));
        let numbers = ids.iter().map(|&id| Some(id as f64)).collect();
        let rows = match ids.first() {
            Some(&start) if ids.is_sorted_by(|a, b| a + 1 == *b) => RowIds::Range {
                start,
                len: ids.len(),
            },
            _ => RowIds::List(ids.into()),
        };
        Batch::new(schema, rows, vec![Column::Number(numbers)]).expect("fits")
    }

    proptest! {
        #[test]
        fn each_released_record_meets_its_original(
            released in prop::collection::vec(any::<bool>(), 1..60),
            read in 1..20_usize, late in 0..3_usize, size in 1..20_usize,
        ) {
            let ids: Vec<u64> = (0..released.len() as u64).collect();
            let left: Vec<u64> = ids.iter().copied().filter(|&id| released[id as usize]).collect();
            let mut pairs = Pairs::new(batch(&[]).schema(), &[0], Some(0)).expect("a number");
            let mut met = Vec::new();
            let mut batches = left.chunks(size).peekable();
            for (place, chunk) in ids.chunks(read).enumerate() {
                pairs.read(&batch(chunk));
                let known = ((place + 1) * read) as u64;
                if place < late { continue; }
                while let Some(part) = batches.next_if(|part| part.iter().all(|&id| id < known)) {
                    pairs.released(&batch(part), |original, released, labels| {
                        assert_eq!(labels.original, original[0]);
                        assert_eq!(original, released);
                        met.push(original[0] as u64);
                    }).expect("in order");
                }
            }
            for part in batches {
                pairs.released(&batch(part), |original, released, labels| {
                    assert_eq!(labels.protected, released[0]);
                    assert_eq!(original, released);
                    met.push(original[0] as u64);
                }).expect("in order");
            }
            prop_assert_eq!(met, left);
        }
    }

    #[test]
    fn rows_released_twice_out_of_order_or_never_read_are_bugs() {
        for released in [[1, 1], [2, 1], [2, 9]] {
            let mut pairs = Pairs::new(batch(&[]).schema(), &[0], Some(0)).expect("a number");
            pairs.read(&batch(&[0, 1, 2, 3]));
            let found = pairs.released(&batch(&released), |_, _, _| {});
            assert_eq!(found.expect_err("a fault").exit_code(), 8, "{released:?}");
        }
    }
}
