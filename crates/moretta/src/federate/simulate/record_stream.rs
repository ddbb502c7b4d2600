//! What parties of a simulation have themselves, batch by batch.

use super::process::SiteSource;
use crate::data::Records;
use crate::federate::{PartyId, Rows};

/// Rows of all parties, which can be read again.
pub trait RecordStream {
    /// How many batches there are.
    fn batches(&self) -> u64;

    /// A batch of a site or of the label holder.
    fn rows(&self, party: PartyId, batch: u64) -> Rows;
}

/// A stream that is there as a whole.
pub struct Table {
    batch: usize,
    sites: Vec<(PartyId, Records)>,
    classes: Vec<u32>,
}

impl Table {
    /// Takes the records of sites and the class of each record.
    pub fn new(batch: u32, ids: &[u16], sources: &[SiteSource], classes: Vec<u32>) -> Self {
        let ids = ids.iter().map(|&id| PartyId(id));
        let records = sources.iter().map(|source| source.records.clone());
        Table {
            batch: batch as usize,
            sites: ids.zip(records).collect(),
            classes,
        }
    }
}

impl RecordStream for Table {
    fn batches(&self) -> u64 {
        self.classes.len().div_ceil(self.batch) as u64
    }

    fn rows(&self, party: PartyId, batch: u64) -> Rows {
        let start = batch as usize * self.batch;
        let end = (start + self.batch).min(self.classes.len());
        let mut rows = Rows {
            batch,
            keys: batch + 1,
            ..Rows::default()
        };
        match self.sites.iter().find(|(site, _)| *site == party) {
            Some((_, records)) => {
                rows.records = Records::new(records.width());
                (start..end).for_each(|row| rows.records.push(records.record(row)));
            }
            None => rows.classes = self.classes[start..end].to_vec(),
        }
        rows
    }
}
