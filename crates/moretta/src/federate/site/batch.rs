//! A batch of a site's own records, until it is told and learnt.

use crate::data::Records;
use crate::error::{Error, Result};
use crate::federate::classify::Judgement;
use crate::federate::frame::Bits;
use crate::federate::party::Rows;

pub(super) struct OwnBatch {
    pub(super) number: u64,
    /// None after a restart, until the rows were read again.
    pub(super) records: Option<Records>,
    pub(super) present: Bits,
    pub(super) keys: u64,
    pub(super) content: u64,
    /// Of the first records, as far as they are classified.
    pub(super) judged: Vec<Judgement>,
    /// Nodes that were not given what they agreed on.
    pub(super) waits: Vec<Wait>,
}

/// A node that a batch was forwarded to, keys first.
pub(super) struct Wait {
    pub(super) node: u16,
    pub(super) forwarded: Bits,
    /// What all of its sources forward, once it has said so.
    pub(super) agreed: Option<Bits>,
}

impl OwnBatch {
    pub(super) fn new(rows: &Rows) -> Self {
        OwnBatch {
            number: rows.batch,
            present: present(rows),
            keys: rows.keys,
            content: rows.content,
            judged: Vec::new(),
            waits: Vec::new(),
            records: Some(rows.records.clone()),
        }
    }

    /// Takes the rows of a batch that was known before a restart.
    pub(super) fn refill(&mut self, rows: &Rows) -> Result<()> {
        if self.records.is_some() {
            return Ok(());
        }
        let known = (&self.present, self.keys, self.content);
        if (&present(rows), rows.keys, rows.content) != known {
            return Err(
                Error::input("the records are not those from before the restart")
                    .help("give the same source as before, or begin all parties anew with --force"),
            );
        }
        self.records = Some(rows.records.clone());
        Ok(())
    }
}

/// All records but those that are absent.
fn present(rows: &Rows) -> Bits {
    let count = rows.records.len();
    if rows.absent.is_empty() {
        return Bits::all(count);
    }
    let mut present = Bits::new(count);
    (0..count)
        .filter(|at| !rows.absent.contains(at))
        .for_each(|at| present.set(at));
    present
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(value: f64, keys: u64, content: u64) -> Rows {
        let mut records = Records::new(1);
        records.push(&[value]);
        Rows {
            batch: 3,
            records,
            keys,
            content,
            ..Rows::default()
        }
    }

    /// Other values under the same keys would be hidden under pads that were used before.
    #[test]
    fn rows_are_known_again_by_all_that_they_hold() {
        for (keys, content, fits) in [(7, 8, true), (6, 8, false), (7, 9, false)] {
            let mut batch = OwnBatch::new(&rows(0.5, 7, 8));
            batch.records = None;
            let refilled = batch.refill(&rows(0.25, keys, content));
            assert_eq!(refilled.is_ok(), fits, "{keys} {content}");
            assert_eq!(batch.records.is_some(), fits);
        }
    }
}
