//! Linear learners: a weight for each class and feature, moved a little by each record.
//!
//! Numbers are standardised by their mean and deviation so far and cut at
//! ± [`FARTHEST`], so that an outlier does not undo what was learnt; a nominal value
//! is one feature a code; a missing value adds nothing. Scores are w · x; votes are
//! their softmax.
//!
//! | rule | step, of rate η |
//! |---|---|
//! | perceptron | if wrong: w of the class + η x, w of what was said − η x |
//! | logistic | each class: w + η ([it is the class] − its vote) x |
//!
//! *Does not learn* what is not linear in the attributes.
//! *Costs* O(classes · attributes) a record; memory the same, with a place for each code.
//! *From* Rosenblatt (1958); Robbins, Monro (1951).

use super::model::{Knowledge, Reader, odd};
use super::{Header, Input, Learner, predicted};
use crate::error::{Error, Result};
use crate::math::moments::Moments;
use std::cell::RefCell;

/// Deviations from the mean that count.
const FARTHEST: f64 = 5.0;

/// More weights than this would be no small model.
const MOST_WEIGHTS: usize = 1 << 26;

/// How weights are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Only by mistakes.
    Perceptron,
    /// Along the gradient of the likelihood.
    Logistic,
}

/// A linear learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// How weights are moved.
    pub rule: Rule,
    /// η: how much a record moves them. Growing it, drift is followed faster and
    /// chance, too.
    pub rate: f64,
}

impl Linear {
    /// A perceptron with η = 1, which for it is only a unit.
    pub const PERCEPTRON: Linear = Linear {
        rule: Rule::Perceptron,
        rate: 1.0,
    };

    /// Logistic regression with η = 0.02.
    pub const LOGISTIC: Linear = Linear {
        rule: Rule::Logistic,
        rate: 0.02,
    };

    /// A learner that has seen nothing.
    pub fn build(&self, header: &Header) -> Result<LinearLearner> {
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return Err(Error::usage("a learning rate is a number above 0"));
        }
        let mut features = 1;
        let mut columns = Vec::new();
        for &input in header.attributes() {
            columns.push(Column {
                input,
                feature: features,
                moments: Moments::default(),
            });
            features += match input {
                Input::Number => 1,
                Input::Nominal { values } => values,
            };
        }
        let weights = features.saturating_mul(header.classes());
        if weights > MOST_WEIGHTS {
            let what = format!("a linear learner would need {weights} weights");
            return Err(Error::usage(what).help("leave out columns with many values"));
        }
        Ok(LinearLearner {
            options: *self,
            classes: header.classes(),
            features,
            columns,
            weights: vec![0.0; weights],
            known: false,
            votes: Vec::new(),
            scratch: RefCell::default(),
        })
    }
}

/// An attribute and where its features begin.
#[derive(Clone, Debug)]
struct Column {
    input: Input,
    feature: usize,
    moments: Moments,
}

/// The weights so far.
#[derive(Clone, Debug)]
pub struct LinearLearner {
    options: Linear,
    classes: usize,
    /// The first one is always 1.
    features: usize,
    columns: Vec<Column>,
    /// Class by class.
    weights: Vec<f64>,
    known: bool,
    votes: Vec<f64>,
    /// Features that are not 0, so that predicting allocates nothing.
    scratch: RefCell<Vec<(usize, f64)>>,
}

impl Column {
    /// The feature that a value sets, and to what.
    fn feature(&self, value: f64) -> Option<(usize, f64)> {
        match self.input {
            Input::Nominal { values } => {
                let code = value as usize;
                (value >= 0.0 && code < values).then(|| (self.feature + code, 1.0))
            }
            Input::Number => {
                let standard = (value - self.moments.mean()) / self.moments.deviation();
                // Missing, of a column that does not vary, or beyond the range of doubles.
                (!standard.is_nan()).then(|| (self.feature, standard.clamp(-FARTHEST, FARTHEST)))
            }
        }
    }
}

impl LinearLearner {
    pub(super) fn load(rule: Rule, header: &Header, from: &mut Reader<'_>) -> Result<Self> {
        let options = Linear {
            rule,
            rate: from.f64()?,
        };
        let known = from.bool()?;
        let moments = from.many(header.attributes().len(), |from| {
            let (count, mean, squares) = (from.count()?, from.f64()?, from.f64()?);
            Ok(Moments::from_parts(count, mean, squares))
        })?;
        let learner = options.build(header);
        let mut learner = learner.map_err(|_| odd("options that are out of range"))?;
        for (column, moments) in learner.columns.iter_mut().zip(moments) {
            column.moments = moments;
        }
        learner.weights = from.f64s(learner.weights.len())?;
        learner.known = known;
        Ok(learner)
    }

    fn features(&self, record: &[f64], features: &mut Vec<(usize, f64)>) {
        features.clear();
        features.push((0, 1.0));
        let columns = self.columns.iter().zip(record);
        features.extend(columns.filter_map(|(column, &value)| column.feature(value)));
    }

    fn vote(&self, features: &[(usize, f64)], votes: &mut Vec<f64>) {
        votes.clear();
        votes.extend(self.weights.chunks_exact(self.features).map(|weights| {
            let terms = features
                .iter()
                .map(|&(place, value)| weights[place] * value);
            terms.sum::<f64>()
        }));
        softmax(votes);
    }

    fn add(&mut self, class: usize, step: f64, features: &[(usize, f64)]) {
        let weights = &mut self.weights[class * self.features..][..self.features];
        for &(place, value) in features {
            weights[place] += step * value;
        }
    }
}

impl Learner for LinearLearner {
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>) {
        if !self.known {
            votes.clear();
            votes.resize(self.classes, 0.0);
            return;
        }
        let features = &mut *self.scratch.borrow_mut();
        self.features(record, features);
        self.vote(features, votes);
    }

    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64) {
        if class as usize >= self.classes {
            return;
        }
        self.known = true;
        for (column, &value) in self.columns.iter_mut().zip(record) {
            column.moments.push(value);
        }
        let mut features = self.scratch.take();
        let mut votes = std::mem::take(&mut self.votes);
        self.features(record, &mut features);
        self.vote(&features, &mut votes);
        let (class, step) = (class as usize, self.options.rate * weight);
        match self.options.rule {
            Rule::Perceptron => {
                let said = predicted(&votes) as usize;
                if said != class {
                    self.add(class, step, &features);
                    self.add(said, -step, &features);
                }
            }
            Rule::Logistic => {
                for (other, vote) in votes.iter().enumerate() {
                    let error = f64::from(u8::from(other == class)) - vote;
                    self.add(other, step * error, &features);
                }
            }
        }
        self.votes = votes;
        self.scratch.replace(features);
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
            + (self.weights.len() + self.classes) * size_of::<f64>()
            + self.columns.len() * (size_of::<Column>() + size_of::<(usize, f64)>())
    }

    fn knowledge(&self) -> Option<Knowledge> {
        let name = match self.options.rule {
            Rule::Perceptron => "perceptron",
            Rule::Logistic => "logistic",
        };
        Knowledge::new(name, |out| {
            out.f64(self.options.rate);
            out.bool(self.known);
            for Column { moments, .. } in &self.columns {
                out.count(moments.count());
                out.f64s(&[moments.mean(), moments.squares()]);
            }
            out.f64s(&self.weights);
        })
    }
}

/// Scores as shares of their exponentials.
fn softmax(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for score in &mut *scores {
        *score = (*score - most).exp();
    }
    let sum: f64 = scores.iter().sum();
    for score in scores {
        *score /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Linear; 2] = [Linear::PERCEPTRON, Linear::LOGISTIC];

    /// The share of right answers to the last half of 2000 records.
    fn accuracy(options: Linear, inputs: Vec<Input>, of: impl Fn(u32) -> (Vec<f64>, u32)) -> f64 {
        let header = Header::new(inputs, 3).expect("a header");
        let mut learner = options.build(&header).expect("sound options");
        let mut votes = Vec::new();
        let mut right = 0;
        for n in 0..2000 {
            let (record, class) = of(n);
            learner.predict(&record, &mut votes);
            right += u32::from(n >= 1000 && predicted(&votes) == class);
            learner.learn(&record, class);
        }
        f64::from(right) / 1000.0
    }

    #[test]
    fn what_is_linear_is_learnt_in_any_unit_and_with_gaps() {
        for (options, unit) in BOTH.into_iter().flat_map(|rule| [(rule, 1.0), (rule, 1e6)]) {
            let inputs = vec![Input::Number, Input::Number];
            let found = accuracy(options, inputs, |n| {
                let (x, y) = (f64::from(n * 37 % 101), f64::from(n * 53 % 97));
                let class = if x > 1.5 * y { 2 } else { u32::from(y > 60.0) };
                let x = if n % 50 == 7 { f64::NAN } else { x * unit };
                (vec![x, y], class)
            });
            assert!(found > 0.8, "{options:?} {unit}: {found}");
        }
    }

    #[test]
    fn each_code_has_a_weight_of_its_own() {
        for options in BOTH {
            let found = accuracy(options, vec![Input::Nominal { values: 6 }], |n| {
                let code = n * 7 % 6;
                (vec![f64::from(code)], [2, 0, 1, 1, 0, 2][code as usize])
            });
            assert_eq!(found, 1.0, "{options:?}");
        }
    }

    #[test]
    fn the_logistic_step_is_the_gradient_of_the_likelihood() {
        let header = Header::new(vec![Input::Nominal { values: 2 }], 2).expect("a header");
        let mut learner = Linear::LOGISTIC.build(&header).expect("sound");
        for (code, class) in [(0.0, 1), (1.0, 0), (0.0, 0)] {
            let loss = |learner: &LinearLearner| {
                let mut votes = Vec::new();
                learner.predict(&[code], &mut votes);
                match learner.known {
                    true => -votes[class as usize].ln(),
                    false => 2_f64.ln(),
                }
            };
            let before = learner.clone();
            learner.learn(&[code], class);
            for place in 0..before.weights.len() {
                let mut moved = before.clone();
                moved.known = true;
                let at = loss(&moved);
                moved.weights[place] += 1e-6;
                let slope = (loss(&moved) - at) / 1e-6;
                let step = (learner.weights[place] - before.weights[place]) / 0.02;
                assert!((step + slope).abs() < 1e-5, "{place}: {step} {slope}");
            }
        }
    }

    #[test]
    fn odd_values_leave_votes_that_are_shares() {
        let odd = [
            1e308,
            -1e308,
            f64::INFINITY,
            f64::NAN,
            5e-324,
            f64::NEG_INFINITY,
        ];
        let inputs = vec![Input::Number, Input::Nominal { values: 2 }, Input::Number];
        let header = Header::new(inputs, 2).expect("a header");
        for options in BOTH {
            let mut learner = options.build(&header).expect("sound");
            let mut votes = Vec::new();
            for n in 0..200 {
                let record = [odd[n % 6], odd[n * 5 % 6], odd[n * 7 % 6]];
                learner.learn(&record, n as u32 % 2);
                learner.predict(&record, &mut votes);
                let sum: f64 = votes.iter().sum();
                assert!((sum - 1.0).abs() < 1e-9, "{votes:?}");
            }
        }
        let rate = 0.0;
        let odd = Linear {
            rate,
            ..Linear::LOGISTIC
        };
        assert!(odd.build(&header).is_err());
    }
}
