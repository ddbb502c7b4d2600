//! Pairs released records with their originals and shows them to the measures.

use super::waiting::Waiting;
use crate::data::{Batch, Encoder, Records, Schema};
use crate::error::{Error, Result};

/// Originals whose records have not left, and some of their columns as records.
pub(crate) struct Pairs {
    waiting: Waiting,
    /// One for both sides, or the codes of categories would differ.
    encoder: Encoder,
    /// The places of the columns after.
    places: Vec<usize>,
    originals: Records,
    released: Records,
}

impl Pairs {
    /// Of these columns, which are released under their names.
    pub(crate) fn new(before: &Schema, columns: &[usize], after: &Schema) -> Result<Self> {
        let places = columns.iter().map(|&place| {
            let place = after.index_of(&before.fields()[place].name);
            place.ok_or_else(|| Error::bug("a column that is paired is not released"))
        });
        Ok(Pairs {
            waiting: Waiting::default(),
            encoder: Encoder::new(before, columns)?.with_declared(before),
            places: places.collect::<Result<_>>()?,
            originals: Records::new(columns.len()),
            released: Records::new(columns.len()),
        })
    }

    /// The records of a batch, with the codes that pairs have.
    pub(crate) fn encode(&mut self, batch: &Batch) -> Result<&Records> {
        self.encoder.encode(batch, &mut self.originals)?;
        Ok(&self.originals)
    }

    /// Shows released rows with their originals, in the order of the release, and the records
    /// of both.
    ///
    /// # Errors
    /// A bug, when a row is released twice, out of order, or was never read.
    pub(crate) fn released(
        &mut self,
        released: &Batch,
        mut show: impl FnMut((&Batch, &Batch), (&Records, &Records)) -> Result<()>,
    ) -> Result<()> {
        let Pairs {
            waiting,
            encoder,
            places,
            originals,
            released: records,
        } = self;
        waiting.pair(released, |before, after| {
            encoder.encode(before, originals)?;
            encoder.encode_at(after, places, records)?;
            show((before, after), (originals, records))
        })
    }

    /// Rows that were read.
    pub(crate) fn read(&mut self, batch: &Batch) {
        self.waiting.read(batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Field, Kind, Role, RowIds};
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

    fn pairs() -> Pairs {
        let empty = batch(&[]);
        let schema = empty.schema();
        Pairs::new(schema, &[0], schema).expect("a number")
    }

    fn meet(
        met: &mut Vec<u64>,
        rows: (&Batch, &Batch),
        (originals, released): (&Records, &Records),
    ) -> Result<()> {
        assert!(rows.0.rows().iter().eq(rows.1.rows().iter()));
        assert_eq!(rows.0.len(), originals.len());
        for (original, released) in originals.iter().zip(released.iter()) {
            assert_eq!(original, released);
            met.push(original[0] as u64);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn each_released_record_meets_its_original(
            released in prop::collection::vec(any::<bool>(), 1..60),
            read in 1..20_usize, late in 0..3_usize, size in 1..20_usize,
        ) {
            let ids: Vec<u64> = (0..released.len() as u64).collect();
            let left: Vec<u64> = ids.iter().copied().filter(|&id| released[id as usize]).collect();
            let mut pairs = pairs();
            let mut met = Vec::new();
            let mut batches = left.chunks(size).peekable();
            for (place, chunk) in ids.chunks(read).enumerate() {
                pairs.read(&batch(chunk));
                let known = ((place + 1) * read) as u64;
                if place < late { continue; }
                while let Some(part) = batches.next_if(|part| part.iter().all(|&id| id < known)) {
                    pairs.released(&batch(part), |rows, records| meet(&mut met, rows, records))
                        .expect("in order");
                }
            }
            for part in batches {
                pairs.released(&batch(part), |rows, records| meet(&mut met, rows, records))
                    .expect("in order");
            }
            prop_assert_eq!(met, left);
        }
    }

    #[test]
    fn rows_released_twice_out_of_order_or_never_read_are_bugs() {
        for released in [[1, 1], [2, 1], [2, 9]] {
            let mut pairs = pairs();
            pairs.read(&batch(&[0, 1, 2, 3]));
            let found = pairs.released(&batch(&released), |_, _| Ok(()));
            assert_eq!(found.expect_err("a fault").exit_code(), 8, "{released:?}");
        }
    }
}
