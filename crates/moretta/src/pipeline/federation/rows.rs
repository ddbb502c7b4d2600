//! The rows of a site or of the label holder, batch by batch.
//!
//! Rows must come in one order at all parties. A sum of the keys of a batch goes with its labels,
//! so that a site whose rows are others refuses them instead of learning what is wrong.

use crate::data::{Batch, Column, Encoder, Records};
use crate::error::{Error, Result};
use crate::federate::Rows;
use crate::io::{self, Source};
use crate::policy::FederationPolicy;
use sha2::{Digest, Sha256};

/// Rows of a party, in the order of its source.
pub struct PartyRows {
    source: Box<dyn Source>,
    encoder: Encoder,
    key: usize,
    class: Option<usize>,
    federation: [u8; 32],
    size: usize,
    /// The batch that comes next, and what was read of it.
    next: u64,
    read: Read,
    ended: bool,
}

/// Rows that were read and not given yet.
#[derive(Default)]
struct Read {
    records: Records,
    classes: Vec<u32>,
    keys: Vec<[u8; 8]>,
}

impl PartyRows {
    /// Opens the source of a site or label holder.
    ///
    /// # Errors
    /// When it cannot be read, or does not have the columns of the policy.
    pub fn open(policy: &FederationPolicy) -> Result<Self> {
        let source = policy.source.as_ref();
        let source = source.ok_or_else(|| Error::bug("a party without rows is asked for some"))?;
        let opened = io::open_all(&source.paths(), &source.options, &policy.columns)?;
        let schema = opened.schema();
        let place = |name: &str| {
            let place = schema.index_of(name);
            place.ok_or_else(|| Error::bug("a column of the policy that was not read"))
        };
        let features: Vec<usize> = policy
            .features
            .iter()
            .map(|feature| place(&feature.name))
            .collect::<Result<_>>()?;
        let mut encoder = Encoder::new(schema, &features)?;
        for (at, feature) in policy.features.iter().enumerate() {
            encoder.declare(at, &feature.categories);
        }
        let key = policy
            .key
            .as_deref()
            .ok_or_else(|| Error::bug("rows without a key"))?;
        Ok(PartyRows {
            key: place(key)?,
            class: policy.class.as_deref().map(place).transpose()?,
            read: Read {
                records: Records::new(features.len()),
                ..Read::default()
            },
            encoder,
            federation: policy.terms.federation,
            size: policy.terms.batch as usize,
            next: 0,
            ended: false,
            source: opened,
        })
    }

    /// The rows of a batch; none when the source has ended before it.
    ///
    /// # Errors
    /// When a row cannot be read, or a batch before the last one is asked for.
    pub fn rows(&mut self, batch: u64) -> Result<Option<Rows>> {
        if batch < self.next {
            return Err(Error::bug("rows that were given are asked for again"));
        }
        loop {
            let rows = self.next_rows()?;
            if rows.as_ref().is_none_or(|rows| rows.batch == batch) {
                return Ok(rows);
            }
        }
    }

    fn next_rows(&mut self) -> Result<Option<Rows>> {
        while self.read.keys.len() < self.size && !self.ended {
            match self.source.next() {
                Some(batch) => self.take(&batch?)?,
                None => self.ended = true,
            }
        }
        let count = self.size.min(self.read.keys.len());
        if count == 0 {
            return Ok(None);
        }
        let width = self.read.records.width();
        let mut records = Records::new(width);
        if width > 0 {
            records.extend_from(&self.read.records, 0..count);
            self.read.records.drop_front(count);
        }
        let classes = match self.class {
            Some(_) => self.read.classes.drain(..count).collect(),
            None => Vec::new(),
        };
        let mut sum = Sha256::new_with_prefix(self.federation);
        self.read
            .keys
            .drain(..count)
            .for_each(|key| sum.update(key));
        let batch = self.next;
        self.next += 1;
        Ok(Some(Rows {
            batch,
            records,
            absent: Vec::new(),
            classes,
            keys: first_eight(&sum.finalize()),
        }))
    }

    fn take(&mut self, batch: &Batch) -> Result<()> {
        let mut records = Records::default();
        self.encoder.encode(batch, &mut records)?;
        if records.width() > 0 {
            self.read.records.extend_from(&records, 0..records.len());
        }
        let keys = batch.categories(self.key)?;
        for row in 0..batch.len() {
            let mut sum = Sha256::new();
            sum.update(keys.get(row).unwrap_or_default());
            self.read
                .keys
                .push(first_eight(&sum.finalize()).to_le_bytes());
        }
        if let Some(Column::Category(classes)) = self.class.map(|class| batch.column(class)) {
            let code = |row: usize| match classes.is_missing(row) {
                true => u32::MAX,
                false => classes.codes()[row],
            };
            self.read.classes.extend((0..classes.len()).map(code));
        }
        Ok(())
    }
}

fn first_eight(sum: &[u8]) -> u64 {
    sum.first_chunk()
        .map_or(0, |first| u64::from_le_bytes(*first))
}
