//! Running measures of risk and loss, from pairs of original and protected records.
//!
//! A measure is shown each pair once, in the order in which records leave, and can
//! be asked at any time. What it says after n pairs depends on these pairs and their
//! order alone. Records are rows of numbers as of [`crate::data::Records`]; NaN is a
//! missing value, and each measure says what it makes of it. The class of a
//! record comes beside it; the caller leaves out attributes that do not count.
//!
//! Memory is bounded: by the buffer of the linkages, or, of a table, by its originals, and
//! by fixed numbers of samples and of cells.

mod accuracy_loss;
mod entropy;
mod facts;
mod il1s;
mod interval_disclosure;
mod list;
mod moments;
mod probabilistic_information_loss;
mod probabilistic_linkage;
mod record_linkage;
#[cfg(test)]
mod reference;
mod sample;
mod sse;
mod timeline;
mod window;

pub use facts::{PairColumn, PairColumnPoint, PairFacts, PairPoint, PairValue};
pub use list::PAIR_LIST;
pub use timeline::PairMeasures;

use crate::data::{Attribute, Records};
use crate::error::{Error, Result};
use crate::measure::is_accuracy_loss;
use list::MEASURES;

/// A measure that looks at pairs.
pub trait PairMeasure: Send {
    /// One more pair: a record, and what is released of it.
    fn observe(&mut self, original: &[f64], protected: &[f64]);
    /// Of a table: all originals are known before the first pair is shown.
    fn prepare(&mut self, _originals: &Records) {}
    /// One more pair, with the classes of the record.
    fn observe_labelled(&mut self, original: &[f64], protected: &[f64], _labels: Labels) {
        self.observe(original, protected);
    }
    /// The measure of all pairs so far; none while nothing can be said.
    fn value(&self) -> Option<f64>;
}

/// The class of a record, before and after; NaN where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labels {
    /// As it was.
    pub original: f64,
    /// As it is released.
    pub protected: f64,
}

impl Labels {
    /// Of a record without a class.
    pub const NONE: Labels = Labels {
        original: f64::NAN,
        protected: f64::NAN,
    };
}

/// What measures are built with.
#[derive(Clone, Debug, PartialEq)]
pub struct PairSettings {
    /// What the values of a record mean.
    pub attributes: Vec<Attribute>,
    /// What the values of a protected record mean, where these are not the same
    /// attributes. Only losses of accuracy can make something of such pairs.
    pub released: Option<Vec<Attribute>>,
    /// Originals of a stream among which a record is looked for, and protected values among
    /// which ranks are counted. The more, the harder to link.
    pub buffer: usize,
    /// Half the width of the intervals of interval disclosure, in percent of the
    /// ranks or of the standard deviation.
    pub interval: f64,
    /// Share of a standard deviation within which numbers agree, for probabilistic linkage.
    pub tolerance: f64,
    /// The learner whose accuracy is compared, one of [`crate::learn::LEARNERS`].
    pub learner: String,
    /// The place of the class among the attributes, where it is masked, too.
    pub class: Option<usize>,
}

impl PairSettings {
    /// A buffer of 100, intervals of 10 percent, agreement within a tenth of the deviation.
    pub fn new(attributes: Vec<Attribute>) -> Self {
        PairSettings {
            attributes,
            released: None,
            buffer: 100,
            interval: 10.0,
            tolerance: 0.1,
            learner: "nb".to_owned(),
            class: None,
        }
    }

    /// Which attributes are nominal.
    fn nominal(&self) -> Vec<bool> {
        let attributes = self.attributes.iter();
        attributes.map(|kind| *kind == Attribute::Nominal).collect()
    }

    /// The places of numbers and ordinals.
    fn scalars(&self) -> Vec<usize> {
        let places = self.attributes.iter().enumerate();
        let scalars = places.filter(|(_, kind)| **kind != Attribute::Nominal);
        scalars.map(|(place, _)| place).collect()
    }
}

/// The measure called `name`, which is one of [`PAIR_LIST`].
pub fn build(name: &str, settings: &PairSettings) -> Result<Box<dyn PairMeasure>> {
    check(settings)?;
    if settings.released.is_some() && !is_accuracy_loss(name) {
        return Err(Error::bug(format!("{name} of records that do not compare")));
    }
    let found = MEASURES.iter().find(|(info, _)| info.name == name);
    let (_, build) = found.ok_or_else(|| unknown(name))?;
    Ok(build(settings))
}

fn check(settings: &PairSettings) -> Result<()> {
    let positive = |value: f64| value.is_finite() && value > 0.0;
    let what = match settings {
        PairSettings { buffer: 0, .. } => "a buffer of no records links nothing",
        _ if !positive(settings.interval) => "an interval needs a percentage above 0",
        _ if !positive(settings.tolerance) => "a tolerance must be a number above 0",
        _ => return Ok(()),
    };
    Err(Error::policy(what))
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = PAIR_LIST.iter().map(|info| info.name).collect();
    Error::policy(format!("`{name}` is no measure of pairs"))
        .help(format!("choose from {}", names.join(", ")))
}

/// The mean; none of nothing, nor where values are too large for one.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_u64, 0.0), |(count, sum), value| (count + 1, sum + value));
    let mean = sum / count as f64;
    mean.is_finite().then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::reference::{KINDS, settings};
    use super::*;

    #[test]
    fn every_measure_of_the_list_is_built_and_no_other() {
        for info in PAIR_LIST {
            let measure = build(info.name, &settings()).expect("it is in the list");
            assert_eq!(measure.value(), None, "{}", info.name);
            assert!(!info.meaning.ends_with('.'), "{}", info.name);
        }
        let error = build("sss", &settings()).err().expect("not in the list");
        assert!(error.to_string().contains("`sss`"));
    }

    #[test]
    fn settings_that_mean_nothing_are_refused() {
        let odd = |change: fn(&mut PairSettings)| {
            let mut settings = settings();
            change(&mut settings);
            build("sse", &settings).is_err()
        };
        assert!(odd(|settings| settings.buffer = 0));
        assert!(odd(|settings| settings.interval = 0.0));
        assert!(odd(|settings| settings.tolerance = f64::NAN));
        assert_eq!(settings().scalars(), [0, 1, 2]);
        assert_eq!(settings().nominal().len(), KINDS.len());
    }

    #[test]
    fn values_without_measure_are_no_trouble() {
        let odd = [1e308, -1e308, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 0.0];
        for info in PAIR_LIST {
            let mut measure = build(info.name, &settings()).expect("built");
            for n in 0..200 {
                let value = |step: usize| odd[n * step % odd.len()];
                measure.observe(
                    &[value(1), value(5), value(7), value(11)],
                    &[value(5), value(1), value(1), value(7)],
                );
                let value = measure.value();
                assert!(value.is_none_or(f64::is_finite), "{}: {value:?}", info.name);
            }
        }
    }

    #[test]
    fn records_of_no_attributes_are_no_trouble() {
        for info in PAIR_LIST {
            let mut measure = build(info.name, &PairSettings::new(Vec::new())).expect("built");
            for _ in 0..300 {
                measure.observe(&[], &[]);
            }
            let value = measure.value();
            assert!(value.is_none_or(f64::is_finite), "{}", info.name);
        }
    }
}
