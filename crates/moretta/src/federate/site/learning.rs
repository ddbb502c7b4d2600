//! A site classifies its records in their order, and learns those whose labels have come.

use super::Site;
use crate::federate::classify::classify;
use crate::federate::label_book::Known;
use crate::federate::terms::Mode;

impl Site {
    /// Classifies the next record if it is there and all before it are learnt that should be.
    pub(super) fn classify_next(&mut self) -> bool {
        let number = self.classified / u64::from(self.terms.batch);
        let Some(place) = self.place_of(number) else {
            return false;
        };
        let due = self.classified.saturating_sub(self.terms.label_delay);
        if !self.learn_below(due) && self.terms.mode == Mode::Lockstep {
            return false;
        }
        let batch = &mut self.batches[place];
        let at = batch.judged.len();
        let Some(records) = batch.records.as_ref().filter(|_| at < batch.present.len()) else {
            return false;
        };
        let judgement = classify(
            &*self.learner,
            self.has_learnt,
            records.record(at),
            self.terms.classes,
            self.terms.first_record + self.classified,
            &mut self.votes,
        );
        batch.judged.push(judgement);
        self.classified += 1;
        true
    }

    /// Whether all labels have come that are learnt before the last record of a batch is classified.
    pub(super) fn can_learn_before(&self, batch: u64) -> bool {
        let last = (batch + 1).saturating_mul(u64::from(self.terms.batch)) - 1;
        let due = last.saturating_sub(self.terms.label_delay);
        due <= self.learnt || self.labels.label(due - 1) != Known::NotYet
    }

    /// Learns all records below this one, or those up to the first whose label has not come.
    pub(super) fn learn_below(&mut self, record: u64) -> bool {
        while self.learnt < record {
            let label = self.labels.label(self.learnt);
            let at = (self.learnt % u64::from(self.terms.batch)) as usize;
            let number = self.learnt / u64::from(self.terms.batch);
            match (
                label,
                self.place_of(number).map(|place| &self.batches[place]),
            ) {
                (Known::NotYet, _) => return false,
                (Known::Class(class), Some(batch)) if batch.present.get(at) => {
                    let Some(records) = &batch.records else {
                        return false;
                    };
                    self.learner.learn(records.record(at), class);
                    self.has_learnt = true;
                }
                _ => {}
            }
            self.learnt += 1;
        }
        true
    }
}
