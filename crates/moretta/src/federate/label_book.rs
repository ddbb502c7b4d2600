//! True classes that have come, until every record that they belong to is learnt.

use super::frame::{Bits, Labels};
use super::state::{Reader, Writer, odd};
use crate::error::Result;
use std::collections::BTreeMap;

/// The labels of batches that are not done with.
#[derive(Clone, Debug)]
pub(super) struct LabelBook {
    batch: u64,
    batches: BTreeMap<u64, Labels>,
}

/// What is known of the label of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Its batch has not come.
    NotYet,
    /// It has none.
    Never,
    /// It is this class.
    Class(u32),
}

impl LabelBook {
    /// No labels yet, of batches of so many records.
    pub(super) fn new(batch: u32) -> Self {
        LabelBook {
            batch: u64::from(batch.max(1)),
            batches: BTreeMap::new(),
        }
    }

    pub(super) fn insert(&mut self, batch: u64, labels: Labels) {
        self.batches.insert(batch, labels);
    }

    /// The labels of a batch, if they have come.
    pub(super) fn of_batch(&self, batch: u64) -> Option<&Labels> {
        self.batches.get(&batch)
    }

    /// The first batch behind all whose labels are there.
    pub(super) fn told_below(&self) -> Option<u64> {
        let (last, _) = self.batches.last_key_value()?;
        Some(last.saturating_add(1))
    }

    pub(super) fn label(&self, record: u64) -> Known {
        match self.batches.get(&(record / self.batch)) {
            None => Known::NotYet,
            Some(labels) => match labels.label((record % self.batch) as usize) {
                Some(class) => Known::Class(class),
                None => Known::Never,
            },
        }
    }

    /// Drops batches all of whose records lie below this one.
    pub(super) fn forget_below(&mut self, record: u64) {
        let first = record / self.batch;
        while let Some(entry) = self.batches.first_entry() {
            if *entry.key() >= first {
                break;
            }
            entry.remove();
        }
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.batches.len());
        for (batch, labels) in &self.batches {
            out.u64(*batch);
            out.u32(labels.class_count);
            out.u64(labels.keys);
            out.size(labels.classes.len());
            for at in 0..labels.classes.len() {
                out.u32(labels.label(at).unwrap_or(u32::MAX));
            }
        }
    }

    pub(super) fn load(batch: u32, from: &mut Reader<'_>) -> Result<Self> {
        let mut book = LabelBook::new(batch);
        for _ in 0..from.length()? {
            let (batch, class_count, keys) = (from.u64()?, from.u32()?, from.u64()?);
            let count = from.length()?;
            let mut present = Bits::new(count);
            let mut classes = from.many(count, Reader::u32)?;
            for (at, class) in classes.iter_mut().enumerate() {
                match *class {
                    u32::MAX => *class = 0,
                    class if class < class_count => present.set(at),
                    _ => return Err(odd("a class that there is not")),
                }
            }
            let labels = Labels {
                class_count,
                present,
                classes,
                keys,
            };
            book.batches.insert(batch, labels);
        }
        Ok(book)
    }
}
