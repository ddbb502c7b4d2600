//! Accuracy lost by learning from what is released.
//!
//! Two copies of a learner go through the records in the order in which they leave,
//! each record a test before it is a lesson: one learns the originals, the other what is
//! released of them. Where the class is masked, too, the second is taught the released
//! class and judged by the original one.
//!
//! ```text
//! accuracy loss = accuracy of the learner of originals − accuracy of that of the release
//! ```
//!
//! `accuracy_loss` tests both with originals, as who learns from a release and applies
//! the learner to persons does; `accuracy_loss_masked` tests the second with what is
//! released, as who has nothing else does. The two can differ much: near records that
//! became one are hard to tell apart, whatever was learnt. Mixtures of attributes can only
//! be tested with mixtures, and both measures do. Below 0 the release is easier to learn. Only masked attributes are seen, or, where
//! what leaves are mixtures of them, those mixtures. Classes and categories are those of
//! the first [`LOOK`] records; a later class is left out, a later category counts as
//! missing. Records without a class, and suppressed ones, are left out of both.
//!
//! *Does not tell* what another learner would lose, nor one that could prepare the data.
//! *Costs* what two learners cost; memory of their models and of [`LOOK`] records.
//! *From* Denham, Pears, Naeem, "Enhancing random projection with independent and
//! cumulative additive noise for privacy-preserving data stream mining" (2020), where
//! accuracy on the perturbed stream is the utility.

use super::{Labels, PairMeasure, PairSettings};
use crate::data::{Attribute, Records};
use crate::learn::prequential::{Schedule, ScoreSettings, Trial};
use crate::learn::{self, Header, Input};

/// Records that are looked at before the learners are built.
const LOOK: usize = 1000;

/// More different values than this in so few records are no classes.
const MOST_CLASSES: usize = 100;

/// The difference between two learners.
pub(super) struct AccuracyLoss {
    /// Both are tested with originals.
    on_originals: bool,
    learner: &'static str,
    attributes: Vec<Attribute>,
    /// Of what is released, where it is not the same attributes.
    released: Option<Vec<Attribute>>,
    /// The place of the class among the attributes of a record, where it is masked.
    class: Option<usize>,
    first: First,
    halves: Halves,
}

/// The first pairs, until the learners can be built.
#[derive(Default)]
struct First {
    originals: Records,
    protected: Records,
    labels: Vec<Labels>,
}

enum Halves {
    /// Not enough was seen.
    Waiting,
    Learning(Box<Pair>),
    /// There is nothing to learn.
    None,
}

struct Pair {
    /// The values of the class, in order.
    classes: Vec<f64>,
    original: Trial,
    protected: Trial,
    on_originals: bool,
}

impl AccuracyLoss {
    /// Tested with what is released.
    pub(super) fn of_masked(settings: &PairSettings) -> Self {
        AccuracyLoss {
            on_originals: false,
            ..AccuracyLoss::new(settings)
        }
    }

    /// Tested with originals, where what is released are the same attributes.
    pub(super) fn new(settings: &PairSettings) -> Self {
        let mut attributes = settings.attributes.clone();
        let class = settings.class.filter(|place| *place < attributes.len());
        if let Some(place) = class {
            attributes.remove(place);
        }
        let released = settings.released.clone();
        AccuracyLoss {
            on_originals: released.is_none(),
            learner: settings.learner,
            first: First {
                originals: Records::new(attributes.len()),
                protected: Records::new(released.as_ref().map_or(attributes.len(), Vec::len)),
                labels: Vec::new(),
            },
            attributes,
            released,
            class,
            halves: Halves::Waiting,
        }
    }

    fn learnt(&self) -> Option<Pair> {
        let kinds = (&self.attributes[..], self.released.as_deref());
        self.first.learnt(self.learner, kinds, self.on_originals)
    }

    fn keep(&mut self, original: &[f64], protected: &[f64], labels: Labels) {
        let without = |record: &[f64]| -> Vec<f64> {
            let values = record.iter().enumerate();
            let values = values.filter(|(place, _)| Some(*place) != self.class);
            values.map(|(_, &value)| value).collect()
        };
        self.first.originals.push(&without(original));
        self.first.protected.push(&without(protected));
        self.first.labels.push(labels);
        if self.first.labels.len() == LOOK {
            self.halves = match self.learnt() {
                Some(pair) => Halves::Learning(Box::new(pair)),
                None => Halves::None,
            };
            self.first = First::default();
        }
    }
}

impl First {
    /// Two learners that have seen these pairs; none where there are no classes.
    fn learnt(
        &self,
        learner: &str,
        (attributes, released): (&[Attribute], Option<&[Attribute]>),
        on_originals: bool,
    ) -> Option<Pair> {
        let mut classes: Vec<f64> = self.labels.iter().map(|labels| labels.original).collect();
        classes.sort_by(f64::total_cmp);
        classes.dedup();
        if classes.is_empty() || classes.len() > MOST_CLASSES || attributes.is_empty() {
            return None;
        }
        let both = &[&self.originals, &self.protected][..];
        let (original, protected) = match released {
            None => {
                let header = header(attributes, both, classes.len())?;
                (header.clone(), header)
            }
            Some(released) => (
                header(attributes, &both[..1], classes.len())?,
                header(released, &both[1..], classes.len())?,
            ),
        };
        let mut pair = Pair {
            classes,
            original: trial(learner, &original)?,
            protected: trial(learner, &protected)?,
            on_originals,
        };
        let records = self.originals.iter().zip(self.protected.iter());
        for ((original, protected), labels) in records.zip(&self.labels) {
            pair.learn(original, protected, *labels);
        }
        Some(pair)
    }
}

/// Of these attributes, whose categories are those of the records.
fn header(attributes: &[Attribute], records: &[&Records], classes: usize) -> Option<Header> {
    let input = |(place, kind): (usize, &Attribute)| match kind {
        Attribute::Nominal => {
            let codes = records.iter().flat_map(|records| records.column(place));
            Input::Nominal {
                values: codes.fold(0.0, f64::max).min(1e6) as usize + 1,
            }
        }
        Attribute::Number | Attribute::Ordinal { .. } => Input::Number,
    };
    Header::new(attributes.iter().enumerate().map(input).collect(), classes).ok()
}

fn trial(learner: &str, header: &Header) -> Option<Trial> {
    let learner = learn::build(learner, header, 1).ok()?;
    let settings = ScoreSettings::default();
    Trial::new(learner, header, Schedule::TestThenTrain, &settings).ok()
}

impl Pair {
    fn learn(&mut self, original: &[f64], protected: &[f64], labels: Labels) {
        let class = |label: f64| {
            let place = self
                .classes
                .binary_search_by(|other| other.total_cmp(&label));
            place.ok().map(|place| place as u32)
        };
        if let (Some(actual), Some(taught)) = (class(labels.original), class(labels.protected)) {
            let exam = if self.on_originals {
                original
            } else {
                protected
            };
            self.original.push(original, actual);
            self.protected.push_tested(exam, protected, actual, taught);
        }
    }

    fn loss(&self) -> Option<f64> {
        let accuracy = |trial: &Trial| trial.score().accuracy();
        Some(accuracy(&self.original)? - accuracy(&self.protected)?)
    }
}

impl PairMeasure for AccuracyLoss {
    /// Without a class there is nothing to learn.
    fn observe(&mut self, _: &[f64], _: &[f64]) {}

    fn observe_labelled(&mut self, original: &[f64], protected: &[f64], labels: Labels) {
        if labels.original.is_nan() || labels.protected.is_nan() {
            return;
        }
        match (&mut self.halves, self.class) {
            (Halves::None, _) => {}
            (Halves::Waiting, _) => self.keep(original, protected, labels),
            (Halves::Learning(pair), None) => pair.learn(original, protected, labels),
            (Halves::Learning(pair), Some(place)) => {
                let (mut original, mut protected) = (original.to_vec(), protected.to_vec());
                original.remove(place);
                protected.remove(place);
                pair.learn(&original, &protected, labels);
            }
        }
    }

    fn value(&self) -> Option<f64> {
        match &self.halves {
            Halves::None => None,
            Halves::Waiting => self.learnt()?.loss(),
            Halves::Learning(pair) => pair.loss(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(class: Option<usize>) -> PairSettings {
        PairSettings {
            class,
            learner: "knn",
            ..PairSettings::new(vec![Attribute::Number; 2])
        }
    }

    /// The loss over so many records whose class, 3 or 8, is told by the first value,
    /// when what is released of them is `masked`.
    fn loss(
        records: u32,
        class: Option<usize>,
        masked: impl Fn(u32, [f64; 2], f64) -> ([f64; 2], f64),
    ) -> Option<f64> {
        loss_of(AccuracyLoss::new(&settings(class)), records, masked)
    }

    fn loss_of(
        mut measure: AccuracyLoss,
        records: u32,
        masked: impl Fn(u32, [f64; 2], f64) -> ([f64; 2], f64),
    ) -> Option<f64> {
        let class = measure.class;
        for n in 0..records {
            let x = f64::from(n * 37 % 101);
            let label = if x < 50.0 { 3.0 } else { 8.0 };
            let original = match class {
                Some(_) => [x, label],
                None => [x, f64::from(n * 53 % 97)],
            };
            let (protected, released) = masked(n, original, label);
            let labels = Labels {
                original: label,
                protected: released,
            };
            measure.observe_labelled(&original, &protected, labels);
        }
        measure.value()
    }

    #[test]
    fn what_is_released_as_it_was_loses_nothing() {
        for records in [10, 999, 1000, 1001, 1500] {
            assert_eq!(
                loss(records, None, |_, record, label| (record, label)),
                Some(0.0)
            );
        }
    }

    #[test]
    fn hiding_what_tells_the_class_loses_about_half() {
        let hidden = |_, [_, y]: [f64; 2], label| ([0.0, y], label);
        for records in [400, 1500] {
            let lost = loss(records, None, hidden).expect("there are classes");
            assert!((0.3..0.6).contains(&lost), "{records}: {lost}");
        }
    }

    #[test]
    fn a_release_that_is_learnt_well_may_be_of_no_use_on_originals() {
        let turned = |_, [x, y]: [f64; 2], label| ([100.0 - x, y], label);
        for records in [900, 1500] {
            let original = loss_of(AccuracyLoss::new(&settings(None)), records, turned);
            let masked = loss_of(AccuracyLoss::of_masked(&settings(None)), records, turned);
            assert!(original > Some(0.8), "{original:?}");
            assert!(masked.is_some_and(|lost| lost.abs() < 0.02), "{masked:?}");
        }
    }

    #[test]
    fn a_masked_class_teaches_wrongly_and_is_no_attribute() {
        // Every third record is released with the other class.
        let wrong = |n: u32, [x, _]: [f64; 2], label: f64| {
            let released = if n.is_multiple_of(3) {
                11.0 - label
            } else {
                label
            };
            ([x, released], released)
        };
        for records in [700, 1500] {
            let lost = loss(records, Some(1), wrong).expect("there are classes");
            assert!((0.01..0.4).contains(&lost), "{records}: {lost}");
        }
    }

    #[test]
    fn mixtures_of_attributes_are_learnt_as_what_they_are() {
        let settings = PairSettings {
            released: Some(vec![Attribute::Number; 3]),
            ..settings(None)
        };
        for (records, tells) in [(700, true), (1500, true), (1500, false)] {
            let mut measure = AccuracyLoss::new(&settings);
            for n in 0..records {
                let x = f64::from(n * 37 % 101);
                let y = f64::from(n * 53 % 97);
                let labels = Labels {
                    original: f64::from(x < 50.0),
                    protected: f64::from(x < 50.0),
                };
                let told = if tells { x - y } else { y };
                measure.observe_labelled(&[x, y], &[y, told, -y], labels);
            }
            let lost = measure.value().expect("there are classes");
            let expected = if tells { -0.05..0.1 } else { 0.3..0.6 };
            assert!(expected.contains(&lost), "{records} {tells}: {lost}");
        }
        assert!(super::super::build("sse", &settings).is_err());
    }

    #[test]
    fn without_classes_there_is_nothing_to_lose() {
        let missing = |_, record, _| (record, f64::NAN);
        assert_eq!(loss(1500, None, missing), None);
        let mut measure = AccuracyLoss::new(&settings(None));
        for n in 0..1500 {
            let label = f64::from(n);
            let labels = Labels {
                original: label,
                protected: label,
            };
            measure.observe_labelled(&[0.0; 2], &[0.0; 2], labels);
        }
        assert_eq!(measure.value(), None);
    }
}
