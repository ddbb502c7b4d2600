//! IL, DR and Score of a masked file of categories.
//!
//! `IL` is the mean of DBIL, CTBIL and EBIL; `DR` is half of interval disclosure and a quarter of
//! each linkage, or half of the larger linkage; the score is the mean of IL and DR, or the larger
//! one. All of them are percentages from 0 to 100, and lower is better. From Domingo-Ferrer and
//! Torra (2001), and Marés (2013).
//!
//! A [`Scorer`] knows the originals; a [`Scored`] file holds counts of which all figures are
//! functions, so that a changed cell costs a few counts, and the figures are those of the file as if
//! it had been scored anew.

use super::cells::Cells;
use super::ctbil::Ctbil;
use super::dbil::Dbil;
use super::ebil::{Ebil, Terms};
use super::fellegi_sunter::{FellegiSunter, LinkageMode};
use super::interval::Intervals;
use super::joint::Joint;
use super::linkage::{Links, Originals};
use crate::data::{CategoricalTable, Variable};
use crate::error::{Error, Result};
use std::sync::Arc;

/// What figures are computed with.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreSettings {
    /// The most attributes of a contingency table of CTBIL, 1 to 3.
    pub order: usize,
    /// How the chances of probabilistic linkage are found.
    pub linkage: LinkageMode,
    /// Widths of the intervals of interval disclosure, in percent of the ranks.
    pub percents: Vec<u32>,
    /// How figures are put together.
    pub combination: Combination,
}

impl Default for ScoreSettings {
    /// Tables of two attributes, a known share of true pairs, intervals of 1 to 10 percent.
    fn default() -> Self {
        ScoreSettings {
            order: 2,
            linkage: LinkageMode::default(),
            percents: (1..=10).collect(),
            combination: Combination::default(),
        }
    }
}

/// How IL and DR are put together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Combination {
    /// What DBIL, CTBIL and EBIL weigh in IL.
    pub loss: [f64; 3],
    /// DR takes the larger linkage instead of their mean.
    pub largest_linkage: bool,
}

impl Default for Combination {
    fn default() -> Self {
        Combination {
            loss: [1.0 / 3.0; 3],
            largest_linkage: false,
        }
    }
}

/// The figures of a masked file, as percentages from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Distance-based information loss.
    pub dbil: f64,
    /// Contingency-table-based information loss.
    pub ctbil: f64,
    /// Entropy-based information loss.
    pub ebil: f64,
    /// Interval disclosure.
    pub interval: f64,
    /// Linkage by distance; a tie of g counts 1/g.
    pub distance_linkage: f64,
    /// Probabilistic linkage; a tie of g counts 1/g.
    pub probabilistic_linkage: f64,
    /// How IL and DR are put together.
    pub combination: Combination,
}

impl Figures {
    /// Information loss.
    pub fn il(&self) -> f64 {
        let losses = [self.dbil, self.ctbil, self.ebil];
        let weighed = losses.iter().zip(self.combination.loss);
        weighed.map(|(loss, weight)| loss * weight).sum()
    }

    /// Disclosure risk.
    pub fn dr(&self) -> f64 {
        let linkage = if self.combination.largest_linkage {
            self.distance_linkage.max(self.probabilistic_linkage)
        } else {
            (self.distance_linkage + self.probabilistic_linkage) / 2.0
        };
        (self.interval + linkage) / 2.0
    }

    /// The score that is the mean of IL and DR.
    pub fn mean(&self) -> f64 {
        (self.il() + self.dr()) / 2.0
    }

    /// The score that is the larger of IL and DR, which asks for both to be low alike.
    pub fn max(&self) -> f64 {
        self.il().max(self.dr())
    }
}

/// Scores masked files of one original.
#[derive(Clone, Debug)]
pub struct Scorer {
    original: Arc<CategoricalTable>,
    known: Arc<Known>,
}

/// The originals, and what figures are computed with.
#[derive(Debug)]
pub(super) struct Known {
    variables: Vec<Variable>,
    originals: Originals,
    /// Bits of a record whose categories are all as frequent.
    bits: f64,
    terms: Terms,
    intervals: Intervals,
    settings: ScoreSettings,
}

impl Scorer {
    /// Scores masked files of `original`.
    ///
    /// # Errors
    /// When the settings mean nothing.
    pub fn new(original: CategoricalTable, settings: ScoreSettings) -> Result<Self> {
        let mut distinct = Distinct::new(original.width());
        let mut record = Vec::new();
        for row in 0..original.rows() {
            record.clear();
            record.extend(original.row(row));
            distinct.add(&record, 1);
        }
        let known = distinct.known(original.variables(), settings)?;
        Ok(Scorer {
            original: Arc::new(original),
            known,
        })
    }

    /// The originals.
    pub fn original(&self) -> &CategoricalTable {
        &self.original
    }

    /// Scores a masked file, row `i` of which comes from row `i` of the original.
    ///
    /// # Errors
    /// When it has other rows or attributes than the original.
    pub fn score(&self, masked: &CategoricalTable) -> Result<Scored> {
        let original = &self.original;
        if masked.variables() != original.variables() || masked.rows() != original.rows() {
            return Err(Error::bug("a masked file that is not one of the original"));
        }
        let mut tally = Tally::new(&self.known);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for row in 0..original.rows() {
            before.clear();
            after.clear();
            before.extend(original.row(row));
            after.extend(masked.row(row));
            tally.add(&before, &after, 1);
        }
        Ok(Scored {
            original: Arc::clone(original),
            masked: masked.clone(),
            tally,
            before,
            after,
        })
    }
}

/// A masked file with the counts that its figures are functions of.
#[derive(Clone, Debug)]
pub struct Scored {
    original: Arc<CategoricalTable>,
    masked: CategoricalTable,
    tally: Tally,
    before: Vec<u32>,
    after: Vec<u32>,
}

impl Scored {
    /// The masked file as it is now.
    pub fn masked(&self) -> &CategoricalTable {
        &self.masked
    }

    /// The figures of the file as it is now. Costs the rounds of EM, and the categories of the
    /// attributes that have changed.
    pub fn figures(&mut self) -> Figures {
        self.tally.figures()
    }

    /// The figures of the file as it is now where the weights of probabilistic linkage keep the
    /// order that they had when [`Scored::figures`] was asked last, which few changes of a cell
    /// alter: costs no round of EM. None where that order does not tell.
    pub fn figures_in_order(&mut self) -> Option<Figures> {
        let linked = self.tally.links.by_weights_as_before()?;
        Some(self.tally.figures_with(linked))
    }

    /// A number that is another one after that order has changed.
    pub fn orders(&self) -> u64 {
        self.tally.links.orders()
    }

    /// The chances of agreement behind the probabilistic linkage.
    pub fn fellegi_sunter(&mut self) -> FellegiSunter {
        self.tally.model()
    }

    /// The percentage of records linked by distance, where ties do not count.
    pub fn distance_linkage_alone(&self) -> f64 {
        100.0 * self.tally.links.by_distance_alone()
    }

    /// How many pairs agree in each pattern.
    #[cfg(test)]
    pub(super) fn pattern_counts(&self) -> Vec<(u64, f64)> {
        self.tally.links.pattern_counts()
    }

    /// The percentage of records linked by given chances.
    #[cfg(test)]
    pub(super) fn linked_by(&mut self, model: &FellegiSunter) -> f64 {
        100.0 * self.tally.links.by_weights_of(model)
    }

    /// An attribute of a row becomes another category of its domain.
    ///
    /// # Panics
    /// When there is no such row, attribute or category.
    pub fn replace(&mut self, row: usize, attribute: usize, code: u32) {
        let old = self.masked.column(attribute)[row];
        if old == code {
            return;
        }
        self.before.clear();
        self.before.extend(self.original.row(row));
        self.after.clear();
        self.after.extend(self.masked.row(row));
        self.tally
            .replace(&self.before, &mut self.after, attribute, code);
        self.masked.column_mut(attribute)[row] = code;
    }
}

/// Different records, and how often each occurs.
#[derive(Clone, Debug)]
pub(super) struct Distinct {
    cells: Cells,
    counts: Vec<u64>,
}

impl Distinct {
    pub(super) fn new(width: usize) -> Self {
        Distinct {
            cells: Cells::new(width),
            counts: Vec::new(),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Adds a record; whether it is new.
    pub(super) fn add(&mut self, record: &[u32], count: u64) -> bool {
        let (place, is_new) = self.cells.insert(record);
        if is_new {
            self.counts.push(0);
        }
        self.counts[place as usize] += count;
        is_new
    }

    pub(super) fn known(
        &self,
        variables: &[Variable],
        settings: ScoreSettings,
    ) -> Result<Arc<Known>> {
        if !(1..=3).contains(&settings.order) {
            return Err(Error::policy("tables of CTBIL have 1 to 3 attributes"));
        }
        let rows = self.counts.iter().sum();
        let bits = |variable: &Variable| (variable.levels.max(1) as f64).log2();
        Ok(Arc::new(Known {
            bits: variables.iter().map(bits).sum(),
            variables: variables.to_vec(),
            originals: Originals::new(variables, &self.cells, &self.counts),
            terms: Terms::new(rows),
            intervals: Intervals::new(&settings.percents, rows),
            settings,
        }))
    }
}

/// The counts that all figures are functions of.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    known: Arc<Known>,
    joints: Vec<Attribute>,
    dbil: Dbil,
    ctbil: Ctbil,
    ebil: Ebil,
    links: Links,
    rows: i64,
}

/// Counts of one attribute, and what of it was found by intervals after so many changes.
#[derive(Clone, Debug)]
struct Attribute {
    joint: Joint,
    found: (u64, u64),
    ranks: Vec<u64>,
}

impl Attribute {
    fn found(&mut self, intervals: &Intervals) -> u64 {
        let changes = self.joint.changes();
        if self.found.1 != changes {
            let found = intervals.found(&self.joint, &mut self.ranks);
            self.found = (found, changes);
        }
        self.found.0
    }
}

impl Tally {
    pub(super) fn new(known: &Arc<Known>) -> Self {
        let joint = |&variable: &Variable| Attribute {
            joint: Joint::new(variable),
            found: (0, 0),
            ranks: Vec::new(),
        };
        Tally {
            joints: known.variables.iter().map(joint).collect(),
            dbil: Dbil::default(),
            ctbil: Ctbil::new(&known.variables, known.settings.order),
            ebil: Ebil::default(),
            links: Links::new(&known.originals),
            rows: 0,
            known: Arc::clone(known),
        }
    }

    fn add(&mut self, original: &[u32], masked: &[u32], weight: i64) {
        self.add_values(original, masked, weight);
        self.add_link(original, masked, weight);
    }

    /// Adds a pair of records to all figures but those of linkage.
    pub(super) fn add_values(&mut self, original: &[u32], masked: &[u32], weight: i64) {
        self.rows += weight;
        for (attribute, codes) in original.iter().zip(masked).enumerate() {
            self.add_value(attribute, (*codes.0, *codes.1), weight);
        }
        self.ctbil.add(original, masked, weight);
    }

    /// Adds a pair of records to the figures of linkage, which may be of some records alone.
    pub(super) fn add_link(&mut self, original: &[u32], masked: &[u32], weight: i64) {
        let originals = &self.known.originals;
        self.links.add(originals, original, masked, weight);
    }

    fn replace(&mut self, original: &[u32], masked: &mut [u32], attribute: usize, code: u32) {
        let of = original[attribute];
        self.add_value(attribute, (of, masked[attribute]), -1);
        self.add_value(attribute, (of, code), 1);
        self.ctbil.replace(masked, attribute, code, 1);
        let originals = &self.known.originals;
        self.links.add(originals, original, masked, -1);
        masked[attribute] = code;
        self.links.add(originals, original, masked, 1);
    }

    #[inline]
    fn add_value(&mut self, attribute: usize, codes: (u32, u32), weight: i64) {
        let before = self.joints[attribute].joint.add(codes.0, codes.1, weight);
        self.ebil.add(&self.known.terms, before, weight);
        let units = self.known.originals.units();
        self.dbil.add(units, attribute, codes, weight);
    }

    pub(super) fn figures(&mut self) -> Figures {
        let mode = self.known.settings.linkage;
        let (linked, _) = self.links.by_weight(&self.known.originals, mode);
        self.figures_with(linked)
    }

    /// The figures, where this share of records is linked by probability.
    fn figures_with(&mut self, linked: f64) -> Figures {
        let settings = &self.known.settings;
        let intervals = &self.known.intervals;
        let found = |attribute: &mut Attribute| attribute.found(intervals);
        let found: u64 = self.joints.iter_mut().map(found).sum();
        let rows = self.rows as f64;
        let values = rows * self.joints.len() as f64;
        let units = self.known.originals.units();
        Figures {
            dbil: percent(self.dbil.sum(units), values),
            ctbil: percent(
                self.ctbil.sum() as f64,
                2.0 * rows * self.ctbil.tables() as f64,
            ),
            ebil: percent(self.ebil.bits(), rows * self.known.bits),
            interval: percent(found as f64, values * intervals.len() as f64),
            distance_linkage: 100.0 * self.links.by_distance(),
            probabilistic_linkage: 100.0 * linked,
            combination: settings.combination,
        }
    }

    pub(super) fn model(&mut self) -> FellegiSunter {
        let Known {
            originals,
            settings,
            ..
        } = &*self.known;
        self.links.by_weight(originals, settings.linkage).1
    }
}

/// A part of a whole; 0 of nothing.
fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        100.0 * part / whole
    } else {
        0.0
    }
}
