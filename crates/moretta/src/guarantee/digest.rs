//! Whether two runs of rows hold the same cells, known from one number a column.
//!
//! Some files can be read only when they are whole: by then the rows that went into them are
//! gone. So their cells are added up as they are written, and so are those that are read back.
//! Cells are the same by the rules of [`Same`](super::same): numbers as numbers, dates as days,
//! all other cells as texts.
//!
//! The sums depend on the order of the cells, and on keys that are drawn anew for each release, so
//! that nobody can choose two runs of rows with the same sums: others have them with a
//! probability of about 2⁻⁶⁴ a column.
//!
//! **Costs** one hash a cell, or one a distinct text of a batch where cells are categories;
//! memory for one number a column.

use super::findings::{Fault, Rule};
use super::same::{number_of, unescaped};
use crate::data::plain_text::shown;
use crate::data::{Batch, Column, Kind, MISSING, Schema};
use crate::error::{Error, Result};
use foldhash::quality::RandomState;
use std::hash::{BuildHasher, Hasher};

/// The sums of the columns of some rows.
#[derive(Clone)]
pub struct Digest {
    columns: Vec<Sum>,
    cells: Cells,
    rows: u64,
}

#[derive(Clone)]
struct Sum {
    name: String,
    kind: Kind,
    hasher: <RandomState as BuildHasher>::Hasher,
}

/// How a cell becomes a number.
#[derive(Clone)]
struct Cells {
    keys: RandomState,
    /// What a missing cell is written as, when the format cannot mark it.
    missing: Option<String>,
    /// Cells may have got a quote that guards them against being read as a formula.
    escapes: bool,
    /// Cells that begin with such a quote.
    quoted: u64,
}

impl Digest {
    /// Of rows with these columns. `escapes`: the release is a CSV file in which cells were
    /// escaped against formula injection; `missing` is what a missing cell is written as, where
    /// the format cannot mark it.
    pub fn new(schema: &Schema, escapes: bool, missing: Option<&str>) -> Self {
        let keys = RandomState::default();
        let fields = schema.fields().iter();
        Digest {
            columns: fields
                .map(|field| Sum {
                    name: field.name.to_string(),
                    kind: field.kind.clone(),
                    hasher: keys.build_hasher(),
                })
                .collect(),
            cells: Cells {
                keys,
                missing: missing.map(str::to_owned),
                escapes,
                quoted: 0,
            },
            rows: 0,
        }
    }

    /// Adds rows: those that are released, or those that were read back.
    ///
    /// # Errors
    /// A bug, when they have other columns.
    pub fn observe(&mut self, rows: &Batch) -> Result<()> {
        if rows.columns().len() != self.columns.len() {
            return Err(Error::bug("rows of other columns were added up"));
        }
        self.rows += rows.len() as u64;
        for (sum, column) in self.columns.iter_mut().zip(rows.columns()) {
            self.cells.add(sum, column)?;
        }
        Ok(())
    }

    /// One of no rows, which can be held against this one.
    pub fn anew(&self) -> Self {
        let mut anew = self.clone();
        for sum in &mut anew.columns {
            sum.hasher = self.cells.keys.build_hasher();
        }
        anew.cells.quoted = 0;
        anew.rows = 0;
        anew
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What `read`, the sums of rows that were read back, has otherwise, when so many cells were
    /// escaped.
    pub fn faults(&self, read: &Digest, escaped: u64) -> Vec<Fault> {
        if self.rows != read.rows {
            return vec![Fault {
                column: None,
                rule: Rule::RowsDiffer,
                count: self.rows.abs_diff(read.rows),
            }];
        }
        // Sums do not tell how many cells differ.
        let changed = |column: Option<String>| Fault {
            column,
            rule: Rule::Changed,
            count: self.rows,
        };
        let pairs = self.columns.iter().zip(&read.columns);
        let differ = pairs.filter(|(ours, theirs)| ours.hasher.finish() != theirs.hasher.finish());
        let mut faults: Vec<Fault> = differ
            .map(|(sum, _)| changed(Some(sum.name.clone())))
            .collect();
        if faults.is_empty() && read.cells.quoted != self.cells.quoted + escaped {
            faults.push(changed(None));
        }
        faults
    }
}

/// What stands for a cell that is missing.
const NO_CELL: u64 = 0x006D_6973_7369_6E67;

impl Cells {
    fn add(&mut self, Sum { kind, hasher, .. }: &mut Sum, column: &Column) -> Result<()> {
        match column {
            Column::Number(numbers) => {
                for number in numbers.iter() {
                    hasher.write_u64(self.number(number));
                }
            }
            Column::Category(categories) => {
                let many = categories.levels().len() > categories.len();
                let categories = match many {
                    true => &categories.compact(),
                    false => categories,
                };
                let levels = categories.levels().iter();
                let levels: Vec<(u64, bool)> = levels.map(|text| self.text(text)).collect();
                for &code in categories.codes() {
                    let (cell, quoted) = match code {
                        MISSING => (NO_CELL, false),
                        code => levels[code as usize],
                    };
                    self.quoted += u64::from(quoted);
                    hasher.write_u64(cell);
                }
            }
            Column::Plain(array) => {
                for text in &shown(array)? {
                    hasher.write_u64(self.plain(text, kind));
                }
            }
        }
        Ok(())
    }

    /// A number; both zeros are one.
    fn number(&self, number: Option<f64>) -> u64 {
        number.map_or(NO_CELL, |number| {
            self.keys.hash_one((number + 0.0).to_bits())
        })
    }

    /// A text without its quote, and whether it had one.
    fn text(&self, text: &str) -> (u64, bool) {
        let bare = unescaped(text).filter(|_| self.escapes);
        (self.keys.hash_one(bare.unwrap_or(text)), bare.is_some())
    }

    /// A cell that passes through, or the text of a number or a date.
    fn plain(&mut self, text: Option<&str>, kind: &Kind) -> u64 {
        let Some(text) = text.filter(|&text| self.missing.as_deref() != Some(text)) else {
            return NO_CELL;
        };
        if let (Kind::Number { .. } | Kind::Date(_), Some(number)) = (kind, number_of(text, kind)) {
            return self.number(Some(number));
        }
        let (cell, quoted) = self.text(text);
        self.quoted += u64::from(quoted);
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Role, RowIds};
    use arrow_array::StringArray;
    use proptest::prelude::*;
    use std::sync::Arc;

    type Row = (Option<i8>, Option<String>, Option<String>);

    /// The rows as they are released, or as a text format gives them back.
    fn batch(rows: &[Row], read: bool) -> Batch {
        let fields = vec![
            Field::new("n", Role::Quasi, Kind::Number { integer: false }),
            Field::new("c", Role::Quasi, Kind::Category { ordered: false }),
            Field::new("p", Role::Plain, Kind::Plain(arrow_schema::DataType::Utf8)),
        ];
        let texts = |text: fn(&Row) -> Option<String>| -> Column {
            Column::Plain(Arc::new(rows.iter().map(text).collect::<StringArray>()))
        };
        let number = |row: &Row| row.0.map(|n| f64::from(n) / 8.0);
        let columns = vec![
            match read {
                true => texts(|row| row.0.map(|n| (f64::from(n) / 8.0).to_string())),
                false => Column::Number(rows.iter().map(number).collect()),
            },
            Column::Category(rows.iter().map(|row| row.1.clone()).collect()),
            texts(|row| row.2.clone()),
        ];
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        let schema = Arc::new(Schema::new(fields).expect("three names"));
        Batch::new(schema, ids, columns).expect("fits")
    }

    /// What is found of rows that were read back, so many at a time.
    fn faults(released: &[Row], read: &[Row], size: usize) -> Vec<Fault> {
        let all = batch(released, false);
        let mut digest = Digest::new(all.schema(), false, None);
        digest.observe(&all).expect("its columns");
        let mut found = digest.anew();
        for rows in read.chunks(size) {
            found.observe(&batch(rows, true)).expect("its columns");
        }
        digest.faults(&found, 0)
    }

    fn row() -> impl Strategy<Value = Row> {
        let text = || proptest::option::of("[ab'=]{0,2}");
        (proptest::option::of(-2..3_i8), text(), text())
    }

    proptest! {
        #[test]
        fn sums_are_equal_where_all_cells_are(
            released in prop::collection::vec(row(), 0..12),
            other in row(), place in 0..12_usize, size in 1..5_usize,
        ) {
            prop_assert_eq!(faults(&released, &released, size), []);
            let mut read = released.clone();
            if let Some(cell) = read.get_mut(place) {
                *cell = other;
            }
            prop_assert_eq!(faults(&released, &read, size).is_empty(), read == released);
            read.rotate_left(place.min(released.len()));
            prop_assert_eq!(faults(&released, &read, size).is_empty(), read == released);
            read.push((None, None, None));
            let longer = faults(&released, &read, size);
            prop_assert_eq!(longer.first().map(|fault| fault.rule), Some(Rule::RowsDiffer));
        }
    }

    #[test]
    fn guards_and_signs_for_missing_are_the_writers() {
        let row = |text: &str| vec![(None, Some(text.to_owned()), Some(text.to_owned()))];
        let cell = |text: &str| {
            let mut columns = batch(&row(text), true).columns().to_vec();
            columns[0] = columns[2].clone();
            let schema = Arc::clone(batch(&[], true).schema());
            Batch::new(schema, RowIds::Range { start: 0, len: 1 }, columns).expect("fits")
        };
        for (released, read, escaped, same) in [
            ("=1", "'=1", 2, true),
            ("'=1", "'=1", 0, true),
            ("=1", "=1", 0, true),
            // One cell less was guarded than was said, or one more.
            ("=1", "'=1", 1, false),
            ("'=1", "=1", 0, false),
        ] {
            let all = batch(&row(released), false);
            let mut digest = Digest::new(all.schema(), true, Some("NA"));
            digest.observe(&all).expect("its columns");
            let mut found = digest.anew();
            let mut back = cell(read).columns().to_vec();
            back[0] = cell("NA").columns()[0].clone();
            let schema = Arc::clone(all.schema());
            let back = Batch::new(schema, all.rows().clone(), back).expect("fits");
            found.observe(&back).expect("its columns");
            let faults = digest.faults(&found, escaped);
            assert_eq!(faults.is_empty(), same, "{released} {read}");
        }
    }
}
