//! Classes that come as counts instead of rows: for methods that merge counted classes.

use super::{Growth, Histogram, Limits};

/// A class as counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassCounts<'a> {
    /// Its persons, or rows where there is no subject.
    pub(crate) size: usize,
    /// Rows of the population that fall into it; only looked at where
    /// [`Limits::asks_population`].
    pub(crate) population: u64,
    /// One histogram for each of [`Limits::sensitive_codes`], in their order.
    pub(crate) histograms: &'a [Histogram<'a>],
}

impl Limits {
    /// Whether all that is asked of a class by itself holds: all models but the average risk.
    pub(crate) fn holds_counts(&self, class: &ClassCounts<'_>) -> bool {
        class.size >= self.k
            && (!self.fit.is_asked() || self.fit.holds(class.size, class.population))
            && self
                .sensitive
                .iter()
                .zip(class.histograms)
                .all(|(column, histogram)| {
                    let mut asks = column.asks.iter();
                    asks.all(|ask| ask.holds(histogram, &column.whole))
                })
    }

    /// The code of each row's value in each sensitive column that something is asked of,
    /// [`MISSING`](crate::data::MISSING) for none, and how many codes there are.
    pub(crate) fn sensitive_codes(&self) -> impl Iterator<Item = (&[u32], usize)> {
        let columns = self.sensitive.iter();
        columns.map(|column| (column.values.as_slice(), column.value_count))
    }

    /// The person of each row, where persons are counted. Each person counts once in a class and
    /// once for each value there, so counts of classes with persons in common cannot be added.
    pub(crate) fn persons(&self) -> Option<&[u32]> {
        self.subjects.as_deref()
    }

    /// What classes that hold leave to larger ones: the weakest that any model says. The average
    /// risk, which is of the whole table, never gets worse.
    pub(crate) fn growth(&self) -> Growth {
        let persons = self.subjects.is_some();
        let of_population = match (self.fit.grows(), persons && self.fit.asks_for_all()) {
            (true, _) => Growth::Always,
            (false, false) => Growth::Unions,
            (false, true) => Growth::Never,
        };
        self.growth_of_values().min(of_population)
    }

    /// The same of sizes and sensitive values alone.
    pub(super) fn growth_of_values(&self) -> Growth {
        let persons = self.subjects.is_some();
        let asks = self.sensitive.iter().flat_map(|column| &column.asks);
        let growth = asks.map(|ask| ask.growth(persons)).min();
        growth.unwrap_or(Growth::Always)
    }

    /// The part of [`Limits::holds_counts`] that only gets better with more rows: a class that
    /// fails this part fails at every finer level too.
    pub(crate) fn holds_growing(&self, class: &ClassCounts<'_>) -> bool {
        let grows = |ask: &&super::Ask| ask.growth(self.subjects.is_some()) == Growth::Always;
        class.size >= self.k
            && self.fit.holds_least(class.population)
            && self
                .sensitive
                .iter()
                .zip(class.histograms)
                .all(|(column, histogram)| {
                    let mut asks = column.asks.iter().filter(grows);
                    asks.all(|ask| ask.holds(histogram, &column.whole))
                })
    }

    /// What keeps rows from being a class of so many rows of the population.
    pub(crate) fn misfit(&self, rows: &[u32], population: u64) -> Option<String> {
        let asked = self.fit.is_asked() && !rows.is_empty();
        let misses = asked && !self.fit.holds(self.size_of(rows), population);
        misses.then(|| self.fit.label())
    }

    /// Whether anything is asked that only a population can answer.
    pub(crate) fn asks_population(&self) -> bool {
        self.fit.is_asked()
    }

    /// Whether every row of the population must fall into a class that is released.
    pub(crate) fn asks_for_all(&self) -> bool {
        self.fit.asks_for_all()
    }

    /// The largest share of classes in the persons of the release, where one is promised. Held
    /// by suppressing whole classes, the smallest first: see
    /// [`first_that_stay`](super::first_that_stay).
    pub(crate) fn average_risk(&self) -> Option<f64> {
        self.average_risk
    }
}
