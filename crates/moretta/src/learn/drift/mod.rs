//! Detectors of change in a stream of numbers, mostly the 0/1 errors of a learner.
//!
//! A detector sees one number after the other and says whether what it sees is
//! still what it saw. None keeps the stream: the memory is constant, or grows with
//! the logarithm of the stretch without change. ADWIN's window is in
//! [`crate::math::adwin`], since methods that follow drift use it as well.

mod adwin;
mod ddm;
mod eddm;
mod kswin;
mod page_hinkley;

pub use crate::math::adwin::Adwin;
pub use ddm::{Ddm, DdmDetector};
pub use eddm::Eddm;
pub use kswin::{Kswin, KswinDetector};
pub use page_hinkley::{PageHinkley, PageHinkleyDetector};

/// What a detector says after a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signal {
    /// Nothing new.
    #[default]
    None,
    /// There may be a change.
    Warning,
    /// There was a change.
    Drift,
}

/// Watches a stream of numbers for a change.
pub trait Detector: Send {
    /// Takes the next number. A value that is not a number is passed over.
    fn update(&mut self, value: f64) -> Signal;
    /// Bytes that the detector occupies.
    fn memory(&self) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::java_random::JavaRandom;

    fn detectors() -> Vec<(&'static str, Box<dyn Detector>)> {
        vec![
            ("ADWIN", Box::new(Adwin::new(0.002))),
            ("DDM", Box::new(Ddm::default().build())),
            ("EDDM", Box::new(Eddm::default())),
            ("Page-Hinkley", Box::new(PageHinkley::default().build())),
            ("KSWIN", Box::new(Kswin::default().build(1))),
        ]
    }

    /// The errors of a learner: rarely at first, from `change` on half of the time.
    fn errors(length: usize, change: usize) -> Vec<f64> {
        let mut random = JavaRandom::new(5);
        let error = |at| f64::from(random.next_double() < if at < change { 0.1 } else { 0.5 });
        (0..length).map(error).collect()
    }

    #[test]
    fn every_detector_sees_errors_become_frequent() {
        for (name, mut detector) in detectors() {
            let stream = errors(4000, 2000);
            let drifts: Vec<usize> = (0..stream.len())
                .filter(|&at| detector.update(stream[at]) == Signal::Drift)
                .collect();
            let seen = drifts.iter().any(|at| (2000..2600).contains(at));
            assert!(seen, "{name}: {drifts:?}");
        }
    }

    #[test]
    fn values_that_are_no_numbers_change_nothing() {
        for ((name, mut plain), (_, mut holed)) in detectors().into_iter().zip(detectors()) {
            for value in errors(3000, 1500) {
                assert_eq!(holed.update(f64::NAN), Signal::None, "{name}");
                assert_eq!(plain.update(value), holed.update(value), "{name}");
            }
        }
    }

    #[test]
    fn memory_does_not_grow_with_the_stream() {
        for (name, mut detector) in detectors() {
            for value in errors(20_000, 20_000) {
                detector.update(value);
            }
            assert!(detector.memory() < 10_000, "{name}: {}", detector.memory());
        }
    }
}
