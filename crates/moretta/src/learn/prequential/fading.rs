//! Results that count the less the older they are: by a factor α for each later one.
//!
//! α = 0.999 forgets about as a window of 1000 does. Rather than making all old
//! weights smaller, the weight of the new one grows, and all are brought down
//! together before it leaves the range of doubles.
//!
//! *From* Gama, Sebastião, Rodrigues, "On evaluating stream learning algorithms" (2013).

use super::confusion::{Confusion, Outcome};

/// Weights are brought down when the newest is larger.
const LARGE: f64 = 1e100;

/// The confusion matrix of all results, the newest first.
#[derive(Clone, Debug)]
pub struct Fading {
    growth: f64,
    weight: f64,
    confusion: Confusion,
}

impl Fading {
    /// With factor α, above 0 and at most 1.
    pub fn new(classes: usize, alpha: f64) -> Self {
        Fading {
            growth: alpha.recip(),
            weight: 1.0,
            confusion: Confusion::new(classes),
        }
    }

    /// One more result.
    pub fn add(&mut self, outcome: Outcome) {
        self.confusion.add(outcome, self.weight);
        self.weight *= self.growth;
        if self.weight > LARGE {
            self.confusion.scale(self.weight.recip());
            self.weight = 1.0;
        }
    }

    /// The faded results.
    pub fn confusion(&self) -> &Confusion {
        &self.confusion
    }
}

#[cfg(test)]
mod tests {
    use super::super::confusion::tests::{CLASSES, any_answers, close, outcomes, reference};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn figures_are_those_of_weighted_results(
            answers in any_answers(),
            alpha in prop::sample::select(vec![1.0, 0.999, 0.9, 0.5]),
        ) {
            let outcomes = outcomes(&answers);
            let mut fading = Fading::new(CLASSES as usize, alpha);
            outcomes.iter().for_each(|&outcome| fading.add(outcome));
            let last = outcomes.len() as i32 - 1;
            let expected = reference(&outcomes, |n| alpha.powi(last - n as i32));
            prop_assert!(close(&fading.confusion().figures(), &expected));
        }
    }

    #[test]
    fn weights_stay_finite_over_a_long_stream() {
        let mut fading = Fading::new(2, 0.5);
        for n in 0..5000 {
            let outcome = Outcome {
                actual: n % 2,
                predicted: 0,
                repeated: false,
            };
            fading.add(outcome);
        }
        let accuracy = fading.confusion().accuracy().expect("there are results");
        assert!((accuracy - 1.0 / 3.0).abs() < 1e-9, "{accuracy}");
    }
}
