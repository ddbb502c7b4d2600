//! An order of released rows that says nothing but what the rows show.
//!
//! Rows are sorted by a hash of their released content. The place of a row is
//! then a function of the release alone: the order of the input cannot leak
//! through it, no seed has to be kept secret, and the same release always has
//! the same bytes. Rows with equal content are interchangeable. Two different
//! rows share a 64-bit hash with probability below 10⁻⁵ at ten million rows, and
//! then keep their order.

use crate::data::{Batch, Column, MISSING, plain_text};
use crate::error::Result;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use foldhash::fast::FixedState;
use rayon::slice::ParallelSliceMut;
use std::hash::BuildHasher;

const HASHER: FixedState = FixedState::with_seed(0x6d6f_7265_7474_6121);

/// The rows of the batch in the order of their content's hash.
pub(super) fn by_content(batch: &Batch) -> Result<Vec<u32>> {
    let mut hashes: Vec<(u64, u32)> = (0..batch.len() as u32).map(|row| (0, row)).collect();
    for column in batch.columns() {
        mix(&mut hashes, column)?;
    }
    hashes.par_sort_unstable();
    Ok(hashes.into_iter().map(|(_, row)| row).collect())
}

fn mix(hashes: &mut [(u64, u32)], column: &Column) -> Result<()> {
    let add = |hash: &mut u64, value: u64| *hash = HASHER.hash_one((*hash, value));
    match column {
        Column::Category(categories) => {
            let levels: Vec<u64> = categories
                .levels()
                .iter()
                .map(|text| HASHER.hash_one(text))
                .collect();
            for ((hash, _), &code) in hashes.iter_mut().zip(categories.codes()) {
                add(
                    hash,
                    if code == MISSING {
                        0
                    } else {
                        levels[code as usize]
                    },
                );
            }
        }
        Column::Number(numbers) => {
            for ((hash, row), value) in hashes.iter_mut().zip(numbers.values()) {
                add(
                    hash,
                    if numbers.is_missing(*row as usize) {
                        1
                    } else {
                        value.to_bits()
                    },
                );
            }
        }
        Column::Plain(array) => mix_plain(hashes, array, add)?,
    }
    Ok(())
}

fn mix_plain(
    hashes: &mut [(u64, u32)],
    array: &ArrayRef,
    add: impl Fn(&mut u64, u64),
) -> Result<()> {
    if *array.data_type() == DataType::Utf8 {
        for ((hash, _), text) in hashes.iter_mut().zip(array.as_string::<i32>().iter()) {
            add(hash, text.map_or(0, |text| HASHER.hash_one(text)));
        }
        return Ok(());
    }
    for ((hash, _), text) in hashes.iter_mut().zip(plain_text::shown(array)?) {
        add(hash, text.map_or(0, |text| HASHER.hash_one(text)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Field, Kind, Numbers, Role, RowIds, Schema};
    use std::sync::Arc;

    fn batch(rows: &[(f64, &str)]) -> Batch {
        let fields = vec![
            Field::new("n", Role::Plain, Kind::Number { integer: true }),
            Field::new("c", Role::Plain, Kind::Category { ordered: false }),
        ];
        let columns = vec![
            Column::Number(Numbers::from_iter(rows.iter().map(|r| r.0))),
            Column::Category(Categories::from_iter(rows.iter().map(|r| Some(r.1)))),
        ];
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        Batch::new(
            Arc::new(Schema::new(fields).expect("names differ")),
            ids,
            columns,
        )
        .expect("fits")
    }

    #[test]
    fn the_order_of_the_input_leaves_no_trace() {
        let rows: Vec<(f64, &str)> = (0..200)
            .map(|i| (f64::from(i % 37), ["a", "b", "c"][i as usize % 3]))
            .collect();
        let mut reversed = rows.clone();
        reversed.reverse();
        let show = |rows: &[(f64, &str)]| -> Vec<(f64, String)> {
            let batch = batch(rows);
            let order = by_content(&batch).expect("hashes");
            order
                .iter()
                .map(|&i| (rows[i as usize].0, rows[i as usize].1.to_owned()))
                .collect()
        };
        assert_eq!(show(&rows), show(&reversed));
        assert_ne!(
            by_content(&batch(&rows)).expect("hashes"),
            (0..200).collect::<Vec<u32>>()
        );
    }
}
