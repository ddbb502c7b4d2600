//! What a table of the study comes to: sheets, properties that must hold, drawings.

use super::case::{Book, Case};
use super::measures::Measured;
use super::printed::Printed;
use super::sets::Set;
use super::streams::Stream;
use crate::acceptance::Check;
use crate::sheet::Sheet;
use moretta::Result;

/// How much is done.
pub(super) struct Extent {
    pub(super) sets: Vec<&'static Set>,
    /// Seeds of forests, from 1 on.
    pub(super) seeds: u64,
    /// Whether streams are whole, so that printed figures can be compared.
    pub(super) whole: bool,
}

impl Extent {
    /// The same run for each seed.
    pub(super) fn seeded(&self, case: impl Fn(u64) -> Case) -> Vec<Case> {
        (1..=self.seeds).map(case).collect()
    }

    pub(super) fn has(&self, set: &Set) -> bool {
        self.sets.iter().any(|one| one.name == set.name)
    }
}

/// A table of the study.
pub(super) struct Table {
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// The runs that it needs.
    pub(super) cases: fn(&Extent) -> Vec<Case>,
    pub(super) show: fn(&Results<'_>) -> Result<Part>,
}

/// What tables are made of.
pub(super) struct Results<'a> {
    pub(super) extent: &'a Extent,
    pub(super) book: &'a Book,
    pub(super) printed: &'a Printed,
    /// Reads the records of a set.
    pub(super) read: &'a dyn Fn(&Set) -> Result<Stream>,
}

impl Results<'_> {
    /// A figure of the same run over all seeds.
    pub(super) fn spread(
        &self,
        case: impl Fn(u64) -> Case,
        figure: impl Fn(&Measured) -> f64,
    ) -> Result<Spread> {
        let cases = self.extent.seeded(case);
        let values = cases.iter().map(|case| Ok(figure(self.book.of(case)?)));
        Ok(Spread::of(&values.collect::<Result<Vec<f64>>>()?))
    }
}

/// What a table comes to.
#[derive(Default)]
pub(super) struct Part {
    pub(super) sheets: Vec<Sheet>,
    pub(super) checks: Vec<Check>,
    /// Names and texts of drawings.
    pub(super) drawings: Vec<(String, String)>,
}

impl Part {
    /// Something that must hold.
    pub(super) fn check(&mut self, what: impl Into<String>, holds: bool) {
        let what = what.into();
        self.checks.push(Check { what, holds });
    }
}

/// A figure over the seeds of forests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) mean: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Spread {
    pub(super) fn of(values: &[f64]) -> Self {
        Spread {
            mean: values.iter().sum::<f64>() / values.len() as f64,
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Whether one more run would not stand out.
    pub(super) fn holds(&self, value: f64) -> bool {
        (self.least..=self.most).contains(&value)
    }

    /// The least and the most, as a terminal shows them.
    pub(super) fn interval(&self) -> String {
        match self.least == self.most {
            true => format!("{:.2}", self.least),
            false => format!("{:.2} to {:.2}", self.least, self.most),
        }
    }
}

/// Whether two figures are the same to both digits behind the point.
pub(super) fn same_digits(a: f64, b: f64) -> bool {
    format!("{a:.2}") == format!("{b:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_reaches_from_the_least_to_the_most() {
        let spread = Spread::of(&[2.0, 1.0, 4.5]);
        assert_eq!((spread.mean, spread.least, spread.most), (2.5, 1.0, 4.5));
        assert!(spread.holds(1.0) && spread.holds(4.5) && !spread.holds(4.51));
        assert_eq!(spread.interval(), "1.00 to 4.50");
        assert_eq!(Spread::of(&[3.0]).interval(), "3.00");
        assert!(same_digits(1.004, 1.0) && !same_digits(1.006, 1.0));
    }
}
