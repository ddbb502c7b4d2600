//! Running measures of risk and loss, from pairs of original and protected records.
//!
//! A measure is shown each pair once, in the order in which records leave, and can
//! be asked at any time. What it says after n pairs depends on these pairs and their
//! order alone. Records are rows of numbers as of [`crate::data::Records`]; NaN is a
//! missing value, and each measure says what it makes of it. The caller leaves out
//! attributes that do not count.
//!
//! Memory is bounded: by the buffer of the linkages, or, of a table, by its originals, and
//! by fixed numbers of samples and of cells.

pub(super) mod entropy;
mod facts;
pub(super) mod il1s;
pub(super) mod interval_disclosure;
pub(super) mod moments;
pub(super) mod probabilistic_information_loss;
pub(super) mod probabilistic_linkage;
pub(super) mod record_linkage;
#[cfg(test)]
mod reference;
mod sample;
pub(super) mod sse;
mod timeline;
pub(super) mod variation;
mod window;

pub use facts::{PairColumn, PairColumnPoint, PairFacts, PairPoint, PairValue};
pub use timeline::PairMeasures;

use crate::data::Attribute;
use crate::error::{Error, Result};
use crate::measure::categorical::CategoricalSettings;

/// What measures are built with.
#[derive(Clone, Debug, PartialEq)]
pub struct PairSettings {
    /// What the values of a record mean.
    pub attributes: Vec<Attribute>,
    /// Originals of a stream among which a record is looked for, and protected values among
    /// which ranks are counted. The more, the harder to link.
    pub buffer: usize,
    /// Half the width of the intervals of interval disclosure, in percent of the
    /// ranks or of the standard deviation.
    pub interval: f64,
    /// Share of a standard deviation within which numbers agree, for probabilistic linkage.
    pub tolerance: f64,
    /// How masked categories are measured.
    pub categories: CategoricalSettings,
}

impl PairSettings {
    /// A buffer of 100, intervals of 10 percent, agreement within a tenth of the deviation.
    pub fn new(attributes: Vec<Attribute>) -> Self {
        PairSettings {
            attributes,
            buffer: 100,
            interval: 10.0,
            tolerance: 0.1,
            categories: CategoricalSettings::default(),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let what = match self {
            PairSettings { buffer: 0, .. } => "a buffer of no records links nothing",
            _ if !positive(self.interval) => "an interval needs a percentage above 0",
            _ if !(1..=3).contains(&self.categories.table_order) => "tables have 1 to 3 attributes",
            _ if self.categories.clusters == 0 => "records can not be put into no clusters",
            _ if !positive(self.tolerance) => "a tolerance must be a number above 0",
            _ => return Ok(()),
        };
        Err(Error::policy(what))
    }

    /// Whether an attribute is a category.
    pub(crate) fn has_categories(&self) -> bool {
        let mut attributes = self.attributes.iter();
        attributes.any(|kind| *kind != Attribute::Number)
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
    use crate::measure::{Info, LIST, Of, build};

    fn of_records() -> impl Iterator<Item = &'static Info> {
        LIST.iter().filter(|info| matches!(info.of, Of::Records(_)))
    }

    #[test]
    fn every_measure_of_the_list_is_built_and_no_other() {
        for info in of_records() {
            let measure = build(info.name, &settings()).expect("it is in the list");
            assert_eq!(measure.value(), None, "{}", info.name);
            assert!(!info.meaning.ends_with('.'), "{}", info.name);
        }
        for other in ["sss", "gcp", "accuracy_loss"] {
            let error = build(other, &settings()).err().expect("not of records");
            assert!(error.to_string().contains(&format!("`{other}`")));
        }
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
        for info in of_records() {
            let mut measure = build(info.name, &settings()).expect("built");
            for n in 0..200 {
                let value = |step: usize| odd[n * step % odd.len()];
                measure.observe_record(
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
        for info in of_records() {
            let mut measure = build(info.name, &PairSettings::new(Vec::new())).expect("built");
            for _ in 0..300 {
                measure.observe_record(&[], &[]);
            }
            let value = measure.value();
            assert!(value.is_none_or(f64::is_finite), "{}", info.name);
        }
    }
}
