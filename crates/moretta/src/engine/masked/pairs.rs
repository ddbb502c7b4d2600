//! Pairs released records with their originals and shows them to the measures.

use super::waiting::Waiting;
use crate::data::{Batch, Encoder, Records, Schema};
use crate::error::{Error, Result};
use crate::measure::pairs::Labels;

/// Originals whose records have not left, and what is measured of those that have.
pub(crate) struct Pairs {
    waiting: Waiting,
    records: Sides,
    class: Option<Sides>,
}

/// Some columns before and after, as records.
struct Sides {
    encoder: Encoder,
    /// What becomes of the columns, where they are not released under their names.
    /// Columns that are have one encoder, or the codes of categories would differ.
    made: Option<Encoder>,
    /// The places after of columns that are released under their names.
    places: Vec<usize>,
    originals: Records,
    released: Records,
}

impl Pairs {
    /// Of these columns, which are released as columns of these names, with the class
    /// beside them.
    pub(crate) fn new(
        (before, columns): (&Schema, &[usize]),
        (after, names): (&Schema, &[&str]),
        class: Option<usize>,
    ) -> Result<Self> {
        let class = class.map(|place| {
            let name = &*before.fields()[place].name;
            Sides::new((before, &[place]), (after, &[name]))
        });
        Ok(Pairs {
            waiting: Waiting::default(),
            records: Sides::new((before, columns), (after, names))?,
            class: class.transpose()?,
        })
    }

    /// The records of a batch, with the codes that pairs have.
    pub(crate) fn encode(&mut self, batch: &Batch) -> Result<&Records> {
        let Sides {
            encoder, originals, ..
        } = &mut self.records;
        encoder.encode(batch, originals)?;
        Ok(originals)
    }

    /// Shows each released row with its original, in the order of the release.
    ///
    /// # Errors
    /// A bug, when a row is released twice, out of order, or was never read.
    pub(crate) fn released(
        &mut self,
        released: &Batch,
        mut show: impl FnMut(&[f64], &[f64], Labels),
    ) -> Result<()> {
        let Pairs {
            waiting,
            records,
            class,
        } = self;
        waiting.pair(released, |before, after| {
            records.encode(before, after)?;
            if let Some(class) = class.as_mut() {
                class.encode(before, after)?;
            }
            let pairs = records.originals.iter().zip(records.released.iter());
            for (row, (original, released)) in pairs.enumerate() {
                let labels = class.as_ref();
                let labels = labels.map_or(Labels::NONE, |class| class.labels(row));
                show(original, released, labels);
            }
            Ok(())
        })
    }

    /// Rows that were read.
    pub(crate) fn read(&mut self, batch: &Batch) {
        self.waiting.read(batch);
    }
}

impl Sides {
    fn new(
        (before, columns): (&Schema, &[usize]),
        (after, names): (&Schema, &[&str]),
    ) -> Result<Self> {
        let places = names.iter().map(|name| {
            let place = after.index_of(name);
            place.ok_or_else(|| Error::bug("a column that is paired is not released"))
        });
        let places: Vec<usize> = places.collect::<Result<_>>()?;
        let own = columns.iter().map(|&place| &*before.fields()[place].name);
        let made = match own.eq(names.iter().copied()) {
            true => None,
            false => Some(Encoder::new(after, &places)?.with_declared(after)),
        };
        Ok(Sides {
            encoder: Encoder::new(before, columns)?.with_declared(before),
            originals: Records::new(columns.len()),
            released: Records::new(places.len()),
            made,
            places,
        })
    }

    fn encode(&mut self, before: &Batch, after: &Batch) -> Result<()> {
        self.encoder.encode(before, &mut self.originals)?;
        match &mut self.made {
            Some(encoder) => encoder.encode(after, &mut self.released),
            None => self
                .encoder
                .encode_at(after, &self.places, &mut self.released),
        }
    }

    fn labels(&self, row: usize) -> Labels {
        Labels {
            original: self.originals.record(row)[0],
            protected: self.released.record(row)[0],
        }
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
        Pairs::new((schema, &[0]), (schema, &["x"]), Some(0)).expect("a number")
    }

    #[test]
    fn mixtures_and_a_class_that_moved_are_found_by_their_names() {
        let number = |name: &str| Field::new(name, Role::Quasi, Kind::Number { integer: false });
        let schema = |names: &[&str]| {
            let fields = names.iter().map(|name| number(name)).collect();
            Arc::new(Schema::new(fields).expect("names"))
        };
        let table = |schema: &Arc<Schema>, values: &[f64]| {
            let columns = values
                .iter()
                .map(|&value| Column::Number([Some(value)].into_iter().collect()));
            let rows = RowIds::Range { start: 0, len: 1 };
            Batch::new(Arc::clone(schema), rows, columns.collect()).expect("fits")
        };
        let (before, after) = (schema(&["x", "y", "kind"]), schema(&["p1", "kind"]));
        let mut pairs = Pairs::new((&before, &[0, 1]), (&after, &["p1"]), Some(2)).expect("fits");
        pairs.read(&table(&before, &[1.0, 2.0, 9.0]));
        let mut met = 0;
        let shown = pairs.released(&table(&after, &[7.0, 9.0]), |original, released, labels| {
            assert_eq!((original, released), (&[1.0, 2.0][..], &[7.0][..]));
            assert_eq!((labels.original, labels.protected), (9.0, 9.0));
            met += 1;
        });
        shown.expect("in order");
        assert_eq!(met, 1);
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
            let mut pairs = pairs();
            pairs.read(&batch(&[0, 1, 2, 3]));
            let found = pairs.released(&batch(&released), |_, _, _| {});
            assert_eq!(found.expect_err("a fault").exit_code(), 8, "{released:?}");
        }
    }
}
