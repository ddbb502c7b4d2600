//! Samples of bounded size, without randomness: of a stream of unknown length, and of a
//! table.
//!
//! [`EvenSample`] takes records of a table at even distances. A table leaves in the order of
//! a hash of what it shows, so that they are as good as drawn by chance.
//!
//! [`SystematicSample`] is for streams: every step-th record is kept, from the first on;
//! when the sample is full, every other one is dropped and the step doubles. So the sample
//! of the first n records
//! is always records 0, step, 2·step, … with step the least power of two that makes
//! them fit: it does not depend on how the stream was cut into batches, and up to
//! its size it is the whole stream. A stream whose period is a power of two is
//! sampled badly.

use crate::data::Records;

/// Records of a table at even distances, all of them where they are few.
#[derive(Clone, Copy, Debug)]
pub(super) struct EvenSample {
    records: u128,
    most: u128,
    seen: u128,
}

impl EvenSample {
    /// Of so many records, at most `most`.
    pub(super) fn new(records: usize, most: usize) -> Self {
        EvenSample {
            records: records.max(1) as u128,
            most: most.min(records) as u128,
            seen: 0,
        }
    }

    /// Whether the next record is in the sample.
    pub(super) fn takes_next(&mut self) -> bool {
        let before = self.seen * self.most / self.records;
        self.seen += 1;
        self.seen * self.most / self.records > before
    }
}

/// Every step-th record.
#[derive(Clone, Debug)]
pub(super) struct SystematicSample {
    records: Records,
    most: usize,
    step: u64,
    seen: u64,
}

impl SystematicSample {
    /// Of records of so many values, at most `most` of them, and at least two.
    pub(super) fn new(width: usize, most: usize) -> Self {
        SystematicSample {
            records: Records::new(width),
            most: most.max(2),
            step: 1,
            seen: 0,
        }
    }

    /// One more record.
    pub(super) fn push(&mut self, record: &[f64]) {
        if self.seen.is_multiple_of(self.step) {
            if self.records.len() == self.most {
                self.thin();
            }
            if self.seen.is_multiple_of(self.step) {
                self.records.push(record);
            }
        }
        self.seen += 1;
    }

    /// The records kept, in order.
    pub(super) fn records(&self) -> &Records {
        &self.records
    }

    fn thin(&mut self) {
        let mut kept = Records::new(self.records.width());
        self.records
            .iter()
            .step_by(2)
            .for_each(|record| kept.push(record));
        self.records = kept;
        self.step *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_sample_is_as_large_as_it_may_be_and_leaves_no_gap() {
        for (records, most) in [
            (1, 1),
            (7, 7),
            (7, 9),
            (10_001, 10_000),
            (1000, 3),
            (99, 10),
        ] {
            let mut sample = EvenSample::new(records, most);
            let taken: Vec<usize> = (0..records).filter(|_| sample.takes_next()).collect();
            assert_eq!(taken.len(), records.min(most));
            let step = records.div_ceil(most);
            assert!(taken.windows(2).all(|two| two[1] - two[0] <= step));
        }
    }

    #[test]
    fn the_sample_is_every_step_th_record_and_fits() {
        let mut sample = SystematicSample::new(1, 5);
        for n in 0..200_usize {
            sample.push(&[n as f64]);
            let fits = |step: &usize| n / step < 5;
            let step = (0..).map(|power| 1 << power).find(fits).expect("one fits");
            let expected: Vec<f64> = (0..=n).step_by(step).map(|n| n as f64).collect();
            let found: Vec<f64> = sample.records().column(0).collect();
            assert_eq!(found, expected);
        }
    }
}
