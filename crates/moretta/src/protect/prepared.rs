//! Prepared records: values that a search has found, put in the places of their originals.
//!
//! No policy names it: `moretta evolve` puts what it has found through a session like the release
//! of any method, so that promises and limits are checked, and the file read back, by the same
//! code. It promises nothing.

use super::config::MethodConfig;
use super::filter::{Filter, Masked, MaskedColumn, Masking, chosen};
use crate::data::Records;
use crate::error::{Error, Result};
use std::sync::Arc;

/// Records that leave in the places of others.
pub(crate) struct Prepared {
    columns: Option<Vec<String>>,
    /// The categories of each column, whose places are their codes; none of numbers.
    categories: Vec<Option<Vec<String>>>,
    records: Option<Arc<Pairs>>,
}

/// Records in the order of the table, and what leaves of them.
struct Pairs {
    originals: Records,
    released: Records,
}

impl Prepared {
    /// A place that is kept for what is still to be found: no row passes.
    pub(crate) fn open(columns: Option<Vec<String>>) -> Self {
        Prepared {
            columns,
            categories: Vec::new(),
            records: None,
        }
    }

    /// Puts `released` in the places of `originals`, which are all rows of the table in the order
    /// of the source. `columns` are the masked ones with their categories, in the order of the
    /// records.
    ///
    /// # Errors
    /// When there are not as many of both.
    pub(crate) fn new(
        columns: Vec<(String, Option<Vec<String>>)>,
        originals: Records,
        released: Records,
    ) -> Result<Self> {
        let width = columns.len();
        let fits = originals.width() == width && released.width() == width;
        if !fits || originals.len() != released.len() {
            return Err(Error::bug(
                "prepared records that do not fit their originals",
            ));
        }
        let (names, categories) = columns.into_iter().unzip();
        Ok(Prepared {
            columns: Some(names),
            categories,
            records: Some(Arc::new(Pairs {
                originals,
                released,
            })),
        })
    }
}

impl MethodConfig for Prepared {
    fn is_random(&self) -> bool {
        false
    }

    // Records go to their places, which are those of the source.
    fn depends_on_order(&self) -> bool {
        false
    }

    fn works_in_clusters(&self) -> bool {
        false
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl Masking for Prepared {
    fn buffer(&self) -> Option<usize> {
        None
    }

    fn columns(&self) -> Option<Vec<&str>> {
        chosen(&self.columns)
    }

    fn categories(&self, column: &str) -> Option<&[String]> {
        let place = self
            .columns
            .as_ref()?
            .iter()
            .position(|name| name == column)?;
        self.categories.get(place)?.as_deref()
    }

    fn filter(&self, _: &[MaskedColumn<'_>], _seed: u64) -> Result<Box<dyn Filter>> {
        Ok(Box::new(Put {
            records: self.records.clone(),
            next: 0,
        }))
    }
}

/// Puts record after record in place.
struct Put {
    records: Option<Arc<Pairs>>,
    next: usize,
}

/// Missing values are equal.
fn same(one: &[f64], other: &[f64]) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.all(|(a, b)| a == b || a.is_nan() && b.is_nan())
}

impl Filter for Put {
    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        let Some(pairs) = &self.records else {
            return Err(Error::policy("what protects the rows is still to be found")
                .help("`moretta evolve` searches for it and releases it"));
        };
        let row = self.next;
        self.next += 1;
        if row >= pairs.originals.len() || !same(pairs.originals.record(row), record) {
            return Err(Error::bug(
                "a row is not the one that a record was prepared for",
            ));
        }
        out.release(pairs.released.record(row));
        Ok(())
    }

    fn finish(&mut self, _: &mut Masked) -> Result<()> {
        match &self.records {
            Some(pairs) if self.next != pairs.originals.len() => Err(Error::bug(
                "records were prepared for rows that did not come",
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(values: &[[f64; 2]]) -> Records {
        let mut records = Records::new(2);
        for record in values {
            records.push(record);
        }
        records
    }

    fn prepared() -> Prepared {
        let columns = vec![("a".to_owned(), None), ("b".to_owned(), None)];
        let originals = records(&[[1.0, f64::NAN], [2.0, 3.0]]);
        Prepared::new(columns, originals, records(&[[5.0, 6.0], [7.0, f64::NAN]])).expect("fits")
    }

    fn push(prepared: &Prepared, rows: &[[f64; 2]]) -> Result<Records> {
        let mut filter = prepared.filter(&[], 0)?;
        let mut out = Masked::new(2);
        for row in rows {
            filter.push(row, &mut out)?;
        }
        filter.finish(&mut out)?;
        Ok(out.into_records())
    }

    #[test]
    fn each_record_leaves_in_the_place_of_its_original() {
        let out = push(&prepared(), &[[1.0, f64::NAN], [2.0, 3.0]]).expect("the same rows");
        assert_eq!(out.record(0), [5.0, 6.0]);
        assert!(out.record(1)[1].is_nan());
    }

    #[test]
    fn other_rows_fewer_rows_and_more_rows_are_refused() {
        for rows in [
            &[[2.0, 3.0], [1.0, f64::NAN]][..],
            &[[1.0, f64::NAN]],
            &[[1.0, f64::NAN], [2.0, 3.0], [2.0, 3.0]],
        ] {
            assert!(push(&prepared(), rows).is_err());
        }
        let columns = vec![("a".to_owned(), None), ("b".to_owned(), None)];
        assert!(Prepared::new(columns, records(&[[1.0, 2.0]]), Records::new(2)).is_err());
    }

    #[test]
    fn nothing_passes_before_something_was_found() {
        let open = Prepared::open(None);
        assert_eq!(push(&open, &[[1.0, 2.0]]).expect_err("open").exit_code(), 3);
    }
}
