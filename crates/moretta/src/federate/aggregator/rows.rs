//! Which rows a batch is about: those that the label holder has.
//!
//! A site that has other rows, be it by mistake or on purpose, answers other questions. Nobody is
//! refused for it before the labels of the batch are there, since a site that comes first must not
//! say what all others should have.

use super::Aggregator;
use super::batch::KnownRows;
use crate::federate::frame::Refusal;
use crate::federate::links::Address;
use crate::federate::party::{Outbox, PartyId};
use crate::federate::terms::Mode;

impl Aggregator {
    /// The rows that the labels of a batch are of.
    pub(super) fn labelled_rows(&self, number: u64) -> Option<KnownRows> {
        let labels = self.labels.of_batch(number)?;
        Some(KnownRows {
            keys: labels.keys,
            count: labels.present.len(),
        })
    }

    /// Refuses answers to a batch that are about other rows than its labels. What sites agreed on
    /// in lockstep is answered for good.
    pub(super) fn hold_against_labels(&mut self, number: u64, out: &mut Outbox) {
        let (Some(rows), Some(mut batch)) =
            (self.labelled_rows(number), self.batches.remove(&number))
        else {
            return;
        };
        if self.terms.mode != Mode::Lockstep || !batch.is_answered() {
            for site in batch.set_labelled(rows) {
                let about = Address::new(PartyId(site), batch.topology.epoch, number);
                self.links.refuse(PartyId(site), Refusal::Keys, about, out);
            }
            if number < self.closed {
                self.answer_again(number, &mut batch);
            }
        }
        self.batches.insert(number, batch);
    }
}
