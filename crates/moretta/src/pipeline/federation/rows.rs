//! The rows of a site or of the label holder, batch by batch.
//!
//! Rows must come in one order at all parties. A sum of the keys of a batch goes with its labels,
//! so that a site whose rows are others refuses them instead of learning what is wrong.
//!
//! **Protects against** an aggregator that tries all keys there are: the sum is an HMAC under a
//! secret that sites and the label holder alone share. **Does not protect against** one that sees
//! the same batch in two runs: it has the same sum in both.

use crate::data::{Batch, Column, Encoder, Records};
use crate::error::{Error, Result};
use crate::federate::Rows;
use crate::io::{self, Source};
use crate::policy::FederationPolicy;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::ops::Range;

/// Bytes of a source that are parsed together: a site is a small machine.
const BLOCK_BYTES: usize = 64 << 10;

/// Rows of a party, in the order of its source.
pub struct PartyRows {
    source: Box<dyn Source>,
    encoder: Encoder,
    key: usize,
    class: Option<usize>,
    federation: [u8; 32],
    secret: [u8; 32],
    size: usize,
    /// The batch that comes next, and what was read of it.
    next: u64,
    read: Read,
    ended: bool,
}

/// Rows that were read, and how many of them were given.
#[derive(Default)]
struct Read {
    records: Records,
    classes: Vec<u32>,
    keys: Keys,
    given: usize,
}

/// Keys of rows one after the other, the length of each before it.
#[derive(Default)]
struct Keys {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Keys {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn push(&mut self, key: &str) {
        self.bytes.extend((key.len() as u64).to_le_bytes());
        self.bytes.extend(key.as_bytes());
        self.ends.push(self.bytes.len());
    }

    fn start(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// All bytes of some rows.
    fn of(&self, rows: Range<usize>) -> &[u8] {
        &self.bytes[self.start(rows.start)..self.start(rows.end)]
    }

    fn drop_front(&mut self, rows: usize) {
        let gone = self.start(rows);
        self.bytes.drain(..gone);
        self.ends.drain(..rows);
        self.ends.iter_mut().for_each(|end| *end -= gone);
    }
}

impl Read {
    fn left(&self) -> usize {
        self.keys.len() - self.given
    }

    /// Drops what was given, once for all rows that come together.
    fn drop_given(&mut self) {
        if self.records.width() > 0 {
            self.records.drop_front(self.given);
        }
        self.classes.drain(..self.given.min(self.classes.len()));
        self.keys.drop_front(self.given);
        self.given = 0;
    }
}

impl PartyRows {
    /// Opens the source of a site or label holder; sums of keys are made under the secret.
    ///
    /// # Errors
    /// When it cannot be read, or does not have the columns of the policy.
    pub fn open(policy: &FederationPolicy, secret: [u8; 32]) -> Result<Self> {
        let source = policy.source.as_ref();
        let source = source.ok_or_else(|| Error::bug("a party without rows is asked for some"))?;
        // Rows are told as they come; a source need not fit into memory, or end.
        let options = io::ReadOptions {
            stream: true,
            block_bytes: Some(BLOCK_BYTES),
            ..source.options.clone()
        };
        let opened = io::open_all(&source.paths(), &options, &policy.columns)?;
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
            secret,
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
        while self.read.left() < self.size && !self.ended {
            match self.source.next() {
                Some(batch) => self.take(&batch?)?,
                None => self.ended = true,
            }
        }
        let count = self.size.min(self.read.left());
        if count == 0 {
            return Ok(None);
        }
        let given = self.read.given..self.read.given + count;
        self.read.given = given.end;
        let width = self.read.records.width();
        let mut records = Records::new(width);
        if width > 0 {
            records.extend_from(&self.read.records, given.clone());
        }
        let classes = match self.class {
            Some(_) => self.read.classes[given.clone()].to_vec(),
            None => Vec::new(),
        };
        let batch = self.next;
        let keys = self.read.keys.of(given);
        let keys = sum_of(&self.secret, &self.federation, batch, keys);
        self.next += 1;
        Ok(Some(Rows {
            batch,
            content: content_of(&self.secret, keys, &records, &classes),
            records,
            absent: Vec::new(),
            classes,
            keys,
        }))
    }

    fn take(&mut self, batch: &Batch) -> Result<()> {
        self.read.drop_given();
        let mut records = Records::default();
        self.encoder.encode(batch, &mut records)?;
        if records.width() > 0 {
            self.read.records.extend_from(&records, 0..records.len());
        }
        let keys = batch.categories(self.key)?;
        for row in 0..batch.len() {
            self.read.keys.push(keys.get(row).unwrap_or_default());
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

/// The keyed sum of the keys of a batch.
fn sum_of(secret: &[u8; 32], federation: &[u8; 32], batch: u64, keys: &[u8]) -> u64 {
    let mut sum = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    sum.update(b"moretta/records/2");
    sum.update(federation);
    sum.update(&batch.to_le_bytes());
    sum.update(keys);
    first_of(sum)
}

/// The keyed sum of what a batch holds.
fn content_of(secret: &[u8; 32], keys: u64, records: &Records, classes: &[u32]) -> u64 {
    let mut sum = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    sum.update(b"moretta/content/1");
    sum.update(&keys.to_le_bytes());
    let values = records.iter().flatten();
    let values: Vec<u8> = values
        .flat_map(|value| value.to_bits().to_le_bytes())
        .collect();
    sum.update(&values);
    for class in classes {
        sum.update(&class.to_le_bytes());
    }
    first_of(sum)
}

fn first_of(sum: Hmac<Sha256>) -> u64 {
    let sum = sum.finalize().into_bytes();
    sum.first_chunk()
        .map_or(0, |first| u64::from_le_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(of: &[&str]) -> Keys {
        let mut keys = Keys::default();
        of.iter().for_each(|key| keys.push(key));
        keys
    }

    fn sum(secret: u8, federation: u8, batch: u64, of: &[&str]) -> u64 {
        let keys = keys(of);
        sum_of(
            &[secret; 32],
            &[federation; 32],
            batch,
            keys.of(0..of.len()),
        )
    }

    /// An aggregator that knows the federation tries every number that a patient can have.
    fn guessed(seen: u64, secret: u8) -> Option<u32> {
        (0..2000).find(|number| sum(secret, 3, 0, &[&format!("v{number:05}")]) == seen)
    }

    #[test]
    fn a_batch_of_one_record_cannot_be_guessed_without_the_secret() {
        let seen = sum(9, 3, 0, &["v01234"]);
        assert_eq!(guessed(seen, 9), Some(1234));
        assert_eq!(guessed(seen, 0), None);
        assert_eq!(guessed(seen, 3), None);
    }

    #[test]
    fn sums_tell_federations_batches_orders_and_lengths_apart() {
        let own = sum(9, 1, 0, &["a", "bc"]);
        assert_eq!(sum(9, 1, 0, &["a", "bc"]), own);
        let others = [
            sum(9, 2, 0, &["a", "bc"]),
            sum(9, 1, 1, &["a", "bc"]),
            sum(9, 1, 0, &["bc", "a"]),
            sum(9, 1, 0, &["ab", "c"]),
            sum(9, 1, 0, &["a", "bc", ""]),
        ];
        assert!(others.iter().all(|other| *other != own));
    }

    #[test]
    fn keys_of_rows_that_were_given_are_dropped() {
        let mut read = keys(&["a", "", "bcd", "e"]);
        let last = read.of(2..4).to_vec();
        read.drop_front(2);
        assert_eq!((read.len(), read.of(0..2)), (2, &last[..]));
        read.drop_front(2);
        assert_eq!((read.len(), read.of(0..0)), (0, &[][..]));
    }

    #[test]
    fn contents_tell_values_classes_and_keys_apart() {
        let content = |secret: u8, keys: u64, values: &[f64], classes: &[u32]| {
            let mut records = Records::new(2);
            values
                .chunks_exact(2)
                .for_each(|record| records.push(record));
            content_of(&[secret; 32], keys, &records, classes)
        };
        let own = content(9, 5, &[1.0, 2.0, 3.0, 4.0], &[0, 1]);
        assert_eq!(content(9, 5, &[1.0, 2.0, 3.0, 4.0], &[0, 1]), own);
        for other in [
            content(9, 5, &[1.0, 2.0, 3.0, 4.000001], &[0, 1]),
            content(9, 5, &[1.0, 2.0, 4.0, 3.0], &[0, 1]),
            content(9, 5, &[1.0, 2.0, 3.0, f64::NAN], &[0, 1]),
            content(9, 5, &[1.0, 2.0, 3.0, 4.0], &[0, 0]),
            content(9, 6, &[1.0, 2.0, 3.0, 4.0], &[0, 1]),
            content(8, 5, &[1.0, 2.0, 3.0, 4.0], &[0, 1]),
        ] {
            assert_ne!(other, own);
        }
    }
}
