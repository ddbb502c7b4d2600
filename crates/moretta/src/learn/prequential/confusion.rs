//! Which classes were taken for which, and what that says of a learner.
//!
//! With p₀ the share of right answers, the kappa of a baseline that is right with
//! share p is (p₀ − p) / (1 − p): 1 for a learner that is always right, 0 for one
//! no better than the baseline, below 0 for a worse one.
//!
//! | | the baseline |
//! |---|---|
//! | kappa | answers by chance, each class as often as the learner does |
//! | kappa-M | always answers the most frequent class |
//! | kappa-T | answers the class of the record before |
//!
//! The baselines are judged on the same results as the learner.
//!
//! *Does not tell* how sure the learner was: only its first choice counts.
//! *Costs* O(1) a result and O(classes²) memory.
//! *From* Cohen (1960); Bifet, Read, Žliobaitė, Pfahringer, Holmes, "Pitfalls in
//! benchmarking data stream classification and how to avoid them" (2013); Bifet, De
//! Francisci Morales, Read, Holmes, Pfahringer, "Efficient online evaluation of big
//! data stream classifiers" (2015).

use serde::Serialize;

/// One answer of a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The class of the record.
    pub actual: u32,
    /// What the learner said.
    pub predicted: u32,
    /// The class is that of the record before.
    pub repeated: bool,
}

/// Weights of answers by actual and predicted class.
#[derive(Clone, Debug, PartialEq)]
pub struct Confusion {
    classes: usize,
    /// Rows are actual classes, columns predicted ones.
    weights: Vec<f64>,
    total: f64,
    right: f64,
    repeated: f64,
}

/// What a confusion matrix says; none where it says nothing, as of no results.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Share of right answers.
    pub accuracy: Option<f64>,
    /// Better than chance.
    pub kappa: Option<f64>,
    /// Better than the most frequent class.
    pub kappa_m: Option<f64>,
    /// Better than the class before.
    pub kappa_t: Option<f64>,
    /// Mean F1 over the classes that occur or are predicted.
    pub f1: Option<f64>,
    /// Each class, by its code.
    pub classes: Vec<ClassFigures>,
}

/// What a confusion matrix says of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ClassFigures {
    /// Share of the class that was found.
    pub recall: Option<f64>,
    /// Share of right ones among answers of the class.
    pub precision: Option<f64>,
    /// Harmonic mean of both: 2 right / (actual + predicted).
    pub f1: Option<f64>,
}

impl Confusion {
    /// No results, for so many classes.
    pub fn new(classes: usize) -> Self {
        Confusion {
            classes,
            weights: vec![0.0; classes * classes],
            total: 0.0,
            right: 0.0,
            repeated: 0.0,
        }
    }

    /// A result that counts so much; a negative weight takes one back. Both classes
    /// are below the number of classes.
    #[inline]
    pub fn add(&mut self, outcome: Outcome, weight: f64) {
        let cell = outcome.actual as usize * self.classes + outcome.predicted as usize;
        self.weights[cell] += weight;
        self.total += weight;
        if outcome.actual == outcome.predicted {
            self.right += weight;
        }
        if outcome.repeated {
            self.repeated += weight;
        }
    }

    /// Multiplies all weights, which changes no figure.
    pub fn scale(&mut self, factor: f64) {
        let sums = [&mut self.total, &mut self.right, &mut self.repeated];
        for weight in self.weights.iter_mut().chain(sums) {
            *weight *= factor;
        }
    }

    /// The weight of all results.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Share of right answers.
    pub fn accuracy(&self) -> Option<f64> {
        share(self.right, self.total)
    }

    /// Better than chance.
    pub fn kappa(&self) -> Option<f64> {
        let products = (0..self.classes).map(|class| self.actual(class) * self.predicted(class));
        self.above(products.sum::<f64>() / self.total)
    }

    /// Better than the most frequent class.
    pub fn kappa_m(&self) -> Option<f64> {
        let actual = (0..self.classes).map(|class| self.actual(class));
        self.above(actual.fold(0.0, f64::max))
    }

    /// Better than the class before.
    pub fn kappa_t(&self) -> Option<f64> {
        self.above(self.repeated)
    }

    /// Everything that can be said.
    pub fn figures(&self) -> Figures {
        let classes: Vec<ClassFigures> = (0..self.classes).map(|class| self.class(class)).collect();
        let known: Vec<f64> = classes.iter().filter_map(|class| class.f1).collect();
        Figures {
            accuracy: self.accuracy(),
            kappa: self.kappa(),
            kappa_m: self.kappa_m(),
            kappa_t: self.kappa_t(),
            f1: share(known.iter().sum(), known.len() as f64),
            classes,
        }
    }

    fn class(&self, class: usize) -> ClassFigures {
        let right = self.weights[class * self.classes + class];
        let (actual, predicted) = (self.actual(class), self.predicted(class));
        ClassFigures {
            recall: share(right, actual),
            precision: share(right, predicted),
            f1: share(2.0 * right, actual + predicted),
        }
    }

    fn actual(&self, class: usize) -> f64 {
        let row = &self.weights[class * self.classes..][..self.classes];
        row.iter().sum()
    }

    fn predicted(&self, class: usize) -> f64 {
        let column = self.weights.iter().skip(class).step_by(self.classes.max(1));
        column.sum()
    }

    /// How much better than a baseline of which so much is right.
    fn above(&self, baseline: f64) -> Option<f64> {
        let room = self.total - baseline;
        // A baseline that is always right leaves no room but that of rounding.
        (room > 1e-12 * self.total).then(|| (self.right - baseline) / room)
    }
}

/// Parts of a whole; none of nothing.
fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(in crate::learn::prequential) const CLASSES: u32 = 3;

    /// Pairs of actual and predicted classes.
    pub(in crate::learn::prequential) fn any_answers() -> impl Strategy<Value = Vec<(u32, u32)>> {
        prop::collection::vec((0..CLASSES, 0..CLASSES), 0..120)
    }

    pub(in crate::learn::prequential) fn outcomes(answers: &[(u32, u32)]) -> Vec<Outcome> {
        let outcome = |(n, &(actual, predicted)): (usize, &(u32, u32))| Outcome {
            actual,
            predicted,
            repeated: n > 0 && answers[n - 1].0 == actual,
        };
        answers.iter().enumerate().map(outcome).collect()
    }

    /// Every figure by its definition, each result counting `weight(n)`.
    pub(in crate::learn::prequential) fn reference(
        outcomes: &[Outcome],
        weight: impl Fn(usize) -> f64,
    ) -> Figures {
        let sum = |is: &dyn Fn(&Outcome) -> bool| -> f64 {
            let results = outcomes.iter().enumerate();
            results.filter(|(_, o)| is(o)).map(|(n, _)| weight(n)).sum()
        };
        let total = sum(&|_| true);
        if total == 0.0 {
            let classes = vec![ClassFigures::default(); CLASSES as usize];
            return Figures {
                classes,
                ..Figures::default()
            };
        }
        let accuracy = sum(&|o| o.actual == o.predicted) / total;
        let kappa = |p: f64| (1.0 - p > 1e-12).then(|| (accuracy - p) / (1.0 - p));
        let actual = |class| sum(&|o| o.actual == class);
        let predicted = |class| sum(&|o| o.predicted == class);
        let over = |a: f64, b: f64| (b > 0.0).then(|| a / b);
        let classes = (0..CLASSES).map(|class| {
            let right = sum(&|o| o.actual == class && o.predicted == class);
            let recall = over(right, actual(class));
            let precision = over(right, predicted(class));
            let f1 = match (recall, precision) {
                (None, None) => None,
                (Some(r), Some(p)) if r + p > 0.0 => Some(2.0 * r * p / (r + p)),
                _ => Some(0.0),
            };
            ClassFigures {
                recall,
                precision,
                f1,
            }
        });
        let classes: Vec<ClassFigures> = classes.collect();
        let f1: Vec<f64> = classes.iter().filter_map(|class| class.f1).collect();
        let chance = (0..CLASSES).map(|class| actual(class) / total * predicted(class) / total);
        let most = (0..CLASSES).map(|class| actual(class) / total);
        Figures {
            accuracy: Some(accuracy),
            kappa: kappa(chance.sum()),
            kappa_m: kappa(most.fold(0.0, f64::max)),
            kappa_t: kappa(sum(&|o| o.repeated) / total),
            f1: Some(f1.iter().sum::<f64>() / f1.len() as f64),
            classes,
        }
    }

    /// Whether all figures are the same but for rounding.
    pub(in crate::learn::prequential) fn close(a: &Figures, b: &Figures) -> bool {
        let flat = |figures: &Figures| {
            let mut all = vec![
                figures.accuracy,
                figures.kappa,
                figures.kappa_m,
                figures.kappa_t,
                figures.f1,
            ];
            for class in &figures.classes {
                all.extend([class.recall, class.precision, class.f1]);
            }
            all
        };
        let (a, b) = (flat(a), flat(b));
        let same = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9 * (1.0 + a.abs()),
            (a, b) => a == b,
        };
        a.len() == b.len() && a.iter().zip(&b).all(same)
    }

    proptest! {
        #[test]
        fn figures_are_those_of_their_definitions(answers in any_answers()) {
            let outcomes = outcomes(&answers);
            let mut confusion = Confusion::new(CLASSES as usize);
            for &outcome in &outcomes {
                confusion.add(outcome, 1.0);
            }
            let (found, expected) = (confusion.figures(), reference(&outcomes, |_| 1.0));
            prop_assert!(close(&found, &expected), "{found:?}\n{expected:?}");
            confusion.scale(0.25);
            prop_assert!(close(&confusion.figures(), &expected));
        }
    }

    #[test]
    fn a_worked_example() {
        // 20 of class 0 with 15 found, 10 of class 1 with 4 found.
        let mut confusion = Confusion::new(2);
        for (actual, predicted, times) in [(0, 0, 15), (0, 1, 5), (1, 0, 6), (1, 1, 4)] {
            let outcome = Outcome {
                actual,
                predicted,
                repeated: false,
            };
            confusion.add(outcome, f64::from(times));
        }
        let figures = confusion.figures();
        let near = |value: Option<f64>, expected: f64| {
            assert!(
                (value.expect("known") - expected).abs() < 1e-12,
                "{value:?}"
            );
        };
        near(figures.accuracy, 19.0 / 30.0);
        // Chance is right with 20/30 · 21/30 + 10/30 · 9/30 = 510/900.
        near(figures.kappa, (570.0 - 510.0) / (900.0 - 510.0));
        near(figures.kappa_m, (19.0 - 20.0) / 10.0);
        near(figures.kappa_t, 19.0 / 30.0);
        near(figures.classes[1].recall, 0.4);
        near(figures.classes[1].precision, 4.0 / 9.0);
        near(figures.classes[1].f1, 8.0 / 19.0);
        assert_eq!(Confusion::new(0).figures(), Figures::default());
    }
}
