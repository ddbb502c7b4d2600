//! Several operators, one after the other.

use super::{Among, Operator, Transition};
use crate::data::{Batch, Schema};
use crate::error::{Error, Result};
use std::sync::Arc;

/// What one releases, the next one takes. It promises what the last one promises.
pub struct Chain {
    links: Vec<Box<dyn Operator>>,
}

impl Chain {
    /// At least one link.
    pub fn new(links: Vec<Box<dyn Operator>>) -> Result<Self> {
        if links.is_empty() {
            return Err(Error::bug("a chain of no operators"));
        }
        Ok(Chain { links })
    }

    fn last(&self) -> &dyn Operator {
        &*self.links[self.links.len() - 1]
    }
}

impl Operator for Chain {
    fn schema(&self) -> &Arc<Schema> {
        self.last().schema()
    }

    fn push(&mut self, batch: Batch) -> Result<Batch> {
        self.links
            .iter_mut()
            .try_fold(batch, |batch, link| link.push(batch))
    }

    fn finish(&mut self) -> Result<Batch> {
        let mut left = self.links[0].finish()?;
        for link in &mut self.links[1..] {
            let parts = vec![link.push(left)?, link.finish()?];
            let parts = parts.into_iter().filter(|b| !b.is_empty()).collect();
            left = Batch::concat(&Arc::clone(link.schema()), parts)?;
        }
        Ok(left)
    }

    /// Behind a link that holds rows back, nobody knows when those of the next one leave.
    fn settles_in(&self) -> Option<u64> {
        let links = self.links.iter().map(|link| link.settles_in());
        let links: Option<Vec<u64>> = links.collect();
        let mut waiting = links?.into_iter().filter(|&rows| rows > 0);
        let rows = waiting.next().unwrap_or(0);
        waiting.next().is_none().then_some(rows)
    }

    fn skip(&mut self, rows: u64) -> Result<()> {
        let mut links = self.links.iter_mut();
        links.try_for_each(|link| link.skip(rows))
    }

    fn among(&mut self) -> Vec<Vec<(u64, Option<Among>)>> {
        self.links
            .iter_mut()
            .flat_map(|link| link.among())
            .collect()
    }

    fn transitions(&self) -> Vec<Transition> {
        let links = self.links.iter();
        links.flat_map(|link| link.transitions()).collect()
    }

    fn suppressed(&self) -> Vec<(String, u64)> {
        self.links
            .iter()
            .flat_map(|link| link.suppressed())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Field, Kind, Role, RowIds};

    /// Adds 1 to every number; passes rows on at once, or keeps all but the first until the end.
    struct AddOne {
        schema: Arc<Schema>,
        waits: bool,
        kept: Vec<Batch>,
    }

    fn schema() -> Arc<Schema> {
        let field = Field::new("n", Role::Quasi, Kind::Number { integer: true });
        Arc::new(Schema::new(vec![field]).expect("one name"))
    }

    fn link(waits: bool) -> Box<dyn Operator> {
        Box::new(AddOne {
            schema: schema(),
            waits,
            kept: Vec::new(),
        })
    }

    impl Operator for AddOne {
        fn schema(&self) -> &Arc<Schema> {
            &self.schema
        }

        fn push(&mut self, batch: Batch) -> Result<Batch> {
            let numbers = batch.column(0).as_numbers().expect("numbers");
            let more = Column::Number(numbers.iter().map(|n| n.map(|n| n + 1.0)).collect());
            let batch = Batch::new(schema(), batch.rows().clone(), vec![more])?;
            if self.waits && !batch.is_empty() {
                self.kept.push(batch.slice(1, batch.len() - 1));
                return Ok(batch.slice(0, 1));
            }
            Ok(batch)
        }

        fn finish(&mut self) -> Result<Batch> {
            Batch::concat(&self.schema, std::mem::take(&mut self.kept))
        }

        fn suppressed(&self) -> Vec<(String, u64)> {
            vec![("none".to_owned(), 0)]
        }
    }

    fn rows(batch: &Batch) -> Vec<(u64, f64)> {
        let numbers = batch.column(0).as_numbers().expect("numbers");
        batch
            .rows()
            .iter()
            .zip(numbers.values().iter().copied())
            .collect()
    }

    #[test]
    fn every_row_passes_every_link_once_whoever_waits() {
        for waits in [[false, false], [true, false], [false, true], [true, true]] {
            let mut chain = Chain::new(waits.map(link).into()).expect("two links");
            let numbers = Column::Number((0..5).map(|n| Some(f64::from(n) * 10.0)).collect());
            let ids = RowIds::Range { start: 0, len: 5 };
            let batch = Batch::new(schema(), ids, vec![numbers]).expect("fits");
            let mut found = rows(&chain.push(batch.slice(0, 3)).expect("taken"));
            found.extend(rows(&chain.push(batch.slice(3, 2)).expect("taken")));
            found.extend(rows(&chain.finish().expect("finished")));
            found.sort_by_key(|row| row.0);
            let expected: Vec<(u64, f64)> = (0..5).map(|id| (id, id as f64 * 10.0 + 2.0)).collect();
            assert_eq!(found, expected, "{waits:?}");
        }
    }

    #[test]
    fn all_links_tell_what_they_suppressed() {
        let chain = Chain::new(vec![link(false), link(true)]).expect("two links");
        assert_eq!(chain.suppressed().len(), 2);
        assert!(Chain::new(Vec::new()).is_err());
    }
}
