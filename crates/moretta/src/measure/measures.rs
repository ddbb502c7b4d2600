//! What measures of classes are computed from, in one pass over pairs of original and released
//! rows: [`Grouped`] is what the functions of the [`LIST`](super::LIST) see.
//!
//! Rows are grouped twice, by their original and by their released
//! quasi-identifiers, when a measure is first asked for; every measure of classes reads
//! those two groupings. Until then the codes of their values are kept, 8 bytes for each row
//! and quasi-identifier.
//! Suppressed rows belong to the original grouping only. What a learner loses is told
//! from outside.
//!
//! What is told before a suppressed row was shown depends on released rows alone, and
//! [`Measures::values_with`] then counts suppressed rows of which only a bound is known.

use super::column::{Identities, Values, read_weights};
use super::groups::{Belonging, Groups, Rows, SizeCount, Sizes, numbered};
use super::risk::belief::{BeliefChange, belief_change};
use super::risk::by_column::{Classes, RiskByColumn, by_column};
use super::risk::individual::{household_risk, individual_risks};
use super::risk::population::{Matched, covered_persons};
use super::risk::suda::{Suda, suda};
use super::risk::uniqueness::{Model, Sample, Uniques};
use super::risk::{RiskSetting, sizes_of};
use super::utility::{ColumnLoss, Extent, Lost, geometric_loss};
use super::{Band, risk};
use crate::data::{Batch, Column, Domain, MISSING, Role, Schema};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::sync::OnceLock;

/// Watches pairs of original and released rows for all measures.
pub struct Measures {
    columns: Vec<Watched>,
    k: u32,
    label: Option<(String, Identities)>,
    subject: Option<(String, Identities)>,
    risk: RiskSetting,
    households: Option<(String, Identities)>,
    sensitive: Vec<Sensitive>,
    released: u64,
    suppressed: u64,
    of_released: Belonging,
    of_suppressed: Belonging,
    sampled_released: Sampled,
    sampled_suppressed: Sampled,
    /// Of the originals of all rows.
    before: OnceLock<Sizes>,
    /// Of the released rows.
    after: OnceLock<Groups>,
    /// The class of each released row, and how many classes there are.
    class_of: OnceLock<(Vec<u32>, usize)>,
    accuracy_losses: Vec<(&'static str, f64)>,
    attacks: Vec<(&'static str, f64)>,
    /// What loss is measured against, when that is not what this release shows.
    extents: Option<Vec<Extent>>,
}

/// What rows of a sample tell of its population; as long as the rows, or empty.
#[derive(Default)]
struct Sampled {
    weights: Vec<f64>,
    households: Option<Vec<u32>>,
}

/// A sensitive column as it is released.
struct Sensitive {
    name: String,
    values: Values,
    codes: Vec<u32>,
}

struct Watched {
    name: String,
    domain: Domain,
    loss: ColumnLoss,
    /// How much its loss counts in ncp and gcp.
    weight: f64,
    original_values: Values,
    released_values: Values,
    /// Codes of the originals of released rows, of what was released for them, and of the
    /// originals of suppressed rows.
    originals: Vec<u32>,
    released: Vec<u32>,
    suppressed: Vec<u32>,
}

impl Measures {
    /// Measures releases of a table with this schema. `domains` are those of
    /// the quasi-identifiers; `k` is what class sizes are held against. Labels
    /// are those of the class column and persons those of the subject column,
    /// if there are such.
    pub fn new(original: &Schema, domains: &[(String, Domain)], k: u32) -> Self {
        let named = |role| {
            let place = original.with_role(role).first().copied()?;
            let name = original.fields()[place].name.to_string();
            Some((name, Identities::default()))
        };
        Measures {
            columns: domains
                .iter()
                .map(|(name, domain)| Watched {
                    name: name.clone(),
                    domain: domain.clone(),
                    loss: ColumnLoss::new(domain.clone()),
                    weight: 1.0,
                    original_values: Values::default(),
                    released_values: Values::default(),
                    originals: Vec::new(),
                    released: Vec::new(),
                    suppressed: Vec::new(),
                })
                .collect(),
            k,
            label: named(Role::Class),
            subject: named(Role::Subject),
            risk: RiskSetting::default(),
            households: None,
            sensitive: original
                .with_role(Role::Sensitive)
                .into_iter()
                .map(|place| Sensitive {
                    name: original.fields()[place].name.to_string(),
                    values: Values::default(),
                    codes: Vec::new(),
                })
                .collect(),
            released: 0,
            suppressed: 0,
            of_released: Belonging::default(),
            of_suppressed: Belonging::default(),
            sampled_released: Sampled::default(),
            sampled_suppressed: Sampled::default(),
            before: OnceLock::new(),
            after: OnceLock::new(),
            class_of: OnceLock::new(),
            accuracy_losses: Vec::new(),
            attacks: Vec::new(),
            extents: None,
        }
    }

    /// The same, where the loss of each column counts as much as `weight` says of its name.
    #[must_use]
    pub fn weighted(mut self, weight: impl Fn(&str) -> f64) -> Self {
        for column in &mut self.columns {
            column.weight = weight(&column.name);
        }
        self
    }

    /// The same, of a table that is a sample as `risk` says.
    #[must_use]
    pub fn sampled(mut self, risk: &RiskSetting) -> Self {
        let named = |name: &String| (name.clone(), Identities::default());
        self.households = risk.households.as_ref().map(named);
        self.risk = risk.clone();
        self
    }

    /// The policy says between what numbers the values of a column are.
    pub fn declare_range(&mut self, column: &str, range: (f64, f64)) {
        for watched in self.columns.iter_mut().filter(|c| c.name == column) {
            watched.loss.declare_range(range);
        }
    }

    /// All leaves of hierarchies count, also those that no released row had: the originals
    /// are not known row by row.
    pub fn count_all_leaves(&mut self) {
        for watched in &mut self.columns {
            watched.loss.count_all_leaves();
        }
    }

    /// What the loss of each column is measured against.
    pub fn extents(&self) -> Vec<Extent> {
        let of_release = || self.columns.iter().map(|c| c.loss.extent()).collect();
        self.extents.clone().unwrap_or_else(of_release)
    }

    /// Measures against these instead of what the release shows, column by column.
    pub fn measure_against(&mut self, extents: Vec<Extent>) {
        self.extents = Some(extents);
    }

    /// So many rows will be released: memory for them is taken at once.
    pub fn expect(&mut self, rows: usize) {
        for column in &mut self.columns {
            column.originals.reserve_exact(rows);
            column.released.reserve_exact(rows);
        }
        let Belonging { persons, labels } = &mut self.of_released;
        for (column, codes) in [(&self.subject, persons), (&self.label, labels)] {
            if column.is_some() {
                codes.get_or_insert_default().reserve_exact(rows);
            }
        }
    }

    /// Row `i` of `protected` was released for row `i` of `original`.
    pub fn observe(&mut self, original: &Batch, protected: &Batch) -> Result<()> {
        if original.len() != protected.len() {
            return Err(Error::bug(
                "released rows were paired with fewer or more originals",
            ));
        }
        self.released += original.len() as u64;
        self.before.take();
        self.after.take();
        self.class_of.take();
        let persons = &mut self.of_released.persons;
        read_identities(&mut self.subject, original, persons)?;
        read_identities(&mut self.label, original, &mut self.of_released.labels)?;
        read_sampled(
            &self.risk,
            &mut self.households,
            original,
            &mut self.sampled_released,
        )?;
        for Sensitive {
            name,
            values,
            codes,
        } in &mut self.sensitive
        {
            match protected.column_named(name) {
                None | Some(Column::Plain(_)) => {}
                Some(column) => values.read(name, column, codes)?,
            }
        }
        self.columns.par_iter_mut().try_for_each(|column| {
            let name = &column.name;
            let (before, after) = (named(original, name)?, named(protected, name)?);
            let (originals, released) = (&mut column.originals, &mut column.released);
            column.original_values.read(name, before, originals)?;
            column.released_values.read(name, after, released)?;
            column.loss.observe(before, after)
        })
    }

    /// These rows were not released.
    pub fn suppressed(&mut self, original: &Batch) -> Result<()> {
        self.suppressed += original.len() as u64;
        self.before.take();
        let persons = &mut self.of_suppressed.persons;
        read_identities(&mut self.subject, original, persons)?;
        read_identities(&mut self.label, original, &mut self.of_suppressed.labels)?;
        let sampled = &mut self.sampled_suppressed;
        read_sampled(&self.risk, &mut self.households, original, sampled)?;
        for column in &mut self.columns {
            let values = named(original, &column.name)?;
            let codes = &mut column.suppressed;
            column.original_values.read(&column.name, values, codes)?;
        }
        Ok(())
    }

    /// What a learner loses, which only learning can tell, by the names of measures.
    pub fn tell_accuracy_losses(&mut self, losses: Vec<(&'static str, f64)>) {
        self.accuracy_losses = losses;
    }

    /// What attacks on the release get, by the names of measures.
    pub fn tell_attacks(&mut self, attacks: Vec<(&'static str, f64)>) {
        self.attacks = attacks;
    }

    fn rows<'a>(
        &'a self,
        count: u64,
        belonging: &'a Belonging,
        codes: impl Fn(&'a Watched) -> &'a Vec<u32>,
    ) -> Rows<'a> {
        Rows {
            columns: self.columns.iter().map(|c| codes(c).as_slice()).collect(),
            count: count as usize,
            belonging,
        }
    }

    fn suppressed_rows(&self) -> Rows<'_> {
        self.rows(self.suppressed, &self.of_suppressed, |c| &c.suppressed)
    }

    /// The sizes of groups of originals, released or not.
    fn before(&self) -> &Sizes {
        self.before.get_or_init(|| {
            let released = self.rows(self.released, &self.of_released, |c| &c.originals);
            Groups::sizes(&[released, self.suppressed_rows()])
        })
    }

    /// The classes of the release.
    fn after(&self) -> &Groups {
        self.after.get_or_init(|| {
            Groups::new(&[self.rows(self.released, &self.of_released, |c| &c.released)])
        })
    }

    /// The class of each released row, and how many classes there are.
    fn class_of(&self) -> &(Vec<u32>, usize) {
        self.class_of.get_or_init(|| {
            let columns = self.columns.iter();
            let columns = columns.map(|column| std::iter::once(column.released.as_slice()));
            numbered(columns, self.released as usize)
        })
    }

    /// The codes of the originals of all rows, column by column.
    fn originals(&self) -> Vec<Vec<u32>> {
        let columns = self.columns.iter();
        columns
            .map(|column| [column.originals.as_slice(), &column.suppressed].concat())
            .collect()
    }

    /// What measures of classes are functions of, as if so many rows had been suppressed.
    pub(super) fn grouped(&self, suppressed: u64) -> Grouped<'_> {
        Grouped {
            measures: self,
            suppressed,
            lost: OnceLock::new(),
            population: OnceLock::new(),
            uniques: OnceLock::new(),
            suda: OnceLock::new(),
            beliefs: OnceLock::new(),
        }
    }

    /// Rows that were not released.
    pub(super) fn rows_suppressed(&self) -> u64 {
        self.suppressed
    }

    /// What a learner loses by the measure called `name`, if that was told.
    pub(super) fn accuracy_loss(&self, name: &str) -> Option<f64> {
        let mut told = self.accuracy_losses.iter();
        told.find(|(told, _)| *told == name).map(|(_, loss)| *loss)
    }

    /// What the attack called `name` gets, if that was told.
    pub(super) fn attack(&self, name: &str) -> Option<f64> {
        let mut told = self.attacks.iter();
        told.find(|(told, _)| *told == name)
            .map(|(_, share)| *share)
    }

    /// How many classes of the original have each size.
    pub fn class_sizes_before(&self) -> Vec<SizeCount> {
        self.before().histogram()
    }

    /// How many classes of the release have each size.
    pub fn class_sizes_after(&self) -> Vec<SizeCount> {
        self.after().sizes.histogram()
    }

    /// Shares of persons by prosecutor risk.
    pub fn risk_bands(&self) -> Vec<Band> {
        risk::bands(self.before(), &self.after().sizes)
    }

    /// Persons of the population, and the models chosen to say who is unique in it, before and
    /// after; none when its size is not known.
    pub fn population(&self) -> Option<(u64, [Model; 2])> {
        let grouped = self.grouped(self.suppressed);
        let [before, after] = grouped.estimates()?;
        Some((after.population as u64, [before.chosen, after.chosen]))
    }

    /// What each quasi-identifier adds to the risk of released rows; none without rows.
    pub fn risk_by_column(&self) -> Option<RiskByColumn> {
        let names: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
        let Groups { sizes, members } = self.after();
        let classes = Classes {
            columns: self
                .columns
                .iter()
                .map(|c| at(&c.released, members))
                .collect(),
            rows: &sizes.rows,
        };
        by_column(&names, &classes, self.k)
    }

    /// Mean NCP of a released row, by quasi-identifier.
    pub fn column_loss(&self) -> Vec<(String, f64)> {
        let columns = self.columns.iter().zip(self.lost());
        columns
            .map(|(c, lost)| (c.name.clone(), lost.ncp / c.loss.rows().max(1) as f64))
            .collect()
    }

    /// Quasi-identifiers whose range few rows would have stretched.
    pub fn stretched(&self) -> Vec<String> {
        let columns = self.columns.iter().zip(self.extents());
        columns
            .filter(|(_, extent)| extent.is_stretched())
            .map(|(column, _)| column.name.clone())
            .collect()
    }

    /// What each column lost in the released rows.
    fn lost(&self) -> Vec<Lost> {
        let columns = self.columns.iter().zip(self.extents());
        columns
            .map(|(column, extent)| column.loss.lost(&extent))
            .collect()
    }

    /// What a row weighs.
    fn weights(&self) -> f64 {
        self.columns.iter().map(|column| column.weight).sum()
    }

    fn covered_suppressed(&self) -> Vec<u64> {
        let (classes, suppressed) = (self.after(), Groups::new(&[self.suppressed_rows()]));
        let columns = self.columns.iter();
        let columns: Vec<Matched<'_>> = columns
            .map(|column| Matched {
                domain: &column.domain,
                released: &column.released_values,
                classes: at(&column.released, &classes.members),
                original: &column.original_values,
                groups: at(&column.suppressed, &suppressed.members),
            })
            .collect();
        covered_persons(classes.members.len(), &suppressed.sizes.persons, &columns)
    }
}

/// A table before and after, as measures of classes see it.
pub struct Grouped<'a> {
    measures: &'a Measures,
    suppressed: u64,
    lost: OnceLock<Vec<Lost>>,
    /// Persons of the population that each class covers.
    population: OnceLock<Vec<u64>>,
    uniques: OnceLock<[Uniques; 2]>,
    suda: OnceLock<Option<[Suda; 2]>>,
    beliefs: OnceLock<Option<BeliefChange>>,
}

/// What a measure says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Of the original; none when it makes no sense there.
    pub before: Option<f64>,
    /// Of the release.
    pub after: f64,
}

impl Grouped<'_> {
    /// The sizes of groups of originals, released or not.
    pub fn before(&self) -> &Sizes {
        self.measures.before()
    }

    /// The sizes of the classes of the release.
    pub fn after(&self) -> &Sizes {
        &self.measures.after().sizes
    }

    /// What class sizes are held against.
    pub fn k(&self) -> u32 {
        self.measures.k
    }

    /// Whether there is a class column.
    pub fn has_labels(&self) -> bool {
        self.measures.label.is_some()
    }

    /// A measure of sizes and of the number of suppressed rows, of which the original has none.
    pub fn both(&self, measure: impl Fn(&Sizes, u64) -> f64) -> Option<Figure> {
        Some(Figure {
            before: Some(measure(self.before(), 0)),
            after: measure(self.after(), self.suppressed),
        })
    }

    /// A measure that makes sense of the release only.
    pub fn only(&self, after: f64) -> Option<Figure> {
        Some(Figure {
            before: None,
            after,
        })
    }

    /// A measure of sizes and of the persons of the population that each class covers.
    /// Suppressed persons are in the population, too.
    pub fn in_population(&self, measure: impl Fn(&Sizes, &[u64]) -> f64) -> Option<Figure> {
        let population = self.population.get_or_init(|| {
            let covered = self.measures.covered_suppressed();
            let classes = self.after().persons.iter().zip(covered);
            classes.map(|(&f, others)| u64::from(f) + others).collect()
        });
        Some(Figure {
            before: Some(measure(self.before(), &sizes_of(self.before()))),
            after: measure(self.after(), population),
        })
    }

    /// The chance to be found above which persons are at risk.
    pub fn threshold(&self) -> f64 {
        self.measures.risk.threshold
    }

    /// What models say of persons who are unique in the population; none when its size is not
    /// known.
    pub fn uniques(&self, estimate: impl Fn(&Uniques) -> Option<f64>) -> Option<Figure> {
        let [before, after] = self.estimates()?;
        Some(Figure {
            before: estimate(before).map(|uniques| before.rate(uniques)),
            after: after.rate(estimate(after)?),
        })
    }

    fn estimates(&self) -> Option<&[Uniques; 2]> {
        let population = self.measures.risk.population?;
        let estimated = self.uniques.get_or_init(|| {
            [self.before(), self.after()].map(|sizes| {
                let persons = sizes_of(sizes).iter().sum();
                let all = population.persons(persons);
                Uniques::estimate(&Sample::new(sizes.persons.iter().copied(), all))
            })
        });
        Some(estimated)
    }

    /// What is special about rows; none when the sampling fraction is not known, or there are
    /// too many sets of columns.
    pub fn suda(&self, measure: impl Fn(&Suda) -> f64) -> Option<Figure> {
        let population = self.measures.risk.population?;
        let found = self.suda.get_or_init(|| {
            let columns = self.measures.columns.iter();
            let after: Vec<&[u32]> = columns.map(|column| &*column.released).collect();
            let originals = self.measures.originals();
            let before: Vec<&[u32]> = originals.iter().map(Vec::as_slice).collect();
            let look = |columns: &[&[u32]]| {
                let rows = columns.first().map_or(0, |column| column.len());
                suda(columns, population.fraction(rows as u64))
            };
            Some([look(&before)?, look(&after)?])
        });
        let [before, after] = found.as_ref()?;
        Some(Figure {
            before: Some(measure(before)),
            after: measure(after),
        })
    }

    /// A measure of the risk of each row, where weights are known.
    fn of_sample(&self, measure: impl Fn(&[f64], Option<&[u32]>) -> Option<f64>) -> Option<Figure> {
        let Measures {
            sampled_released: released,
            sampled_suppressed: suppressed,
            ..
        } = self.measures;
        self.measures.risk.weights.as_ref()?;
        if released.weights.len() as u64 != self.measures.released {
            return None;
        }
        let (class_of, classes) = self.measures.class_of();
        let risks = individual_risks(class_of, *classes, &released.weights);
        let after = measure(&risks, released.households.as_deref())?;
        let originals = self.measures.originals();
        let weights = [released.weights.as_slice(), &suppressed.weights].concat();
        let columns = originals.iter();
        let columns = columns.map(|column| std::iter::once(column.as_slice()));
        let (class_of, classes) = numbered(columns, weights.len());
        let risks = individual_risks(&class_of, classes, &weights);
        let [first, rest] = [released, suppressed].map(|sampled| sampled.households.as_deref());
        let households = first.map(|first| [first, rest.unwrap_or_default()].concat());
        Some(Figure {
            before: measure(&risks, households.as_deref()),
            after,
        })
    }

    /// The mean chance that a person of the sample is found in the population.
    pub fn individual_risk(&self) -> Option<Figure> {
        self.of_sample(|risks, _| Some(risks.iter().sum::<f64>() / risks.len().max(1) as f64))
    }

    /// The mean chance that somebody of a person's household is found.
    pub fn household_risk(&self) -> Option<Figure> {
        self.of_sample(|risks, households| {
            // A person without a household is one alone.
            let mut households = households?.to_vec();
            let known = households.iter().filter(|&&h| h != MISSING).max();
            let mut next = known.map_or(0, |&largest| largest + 1);
            for household in households.iter_mut().filter(|h| **h == MISSING) {
                *household = next;
                next += 1;
            }
            Some(household_risk(risks, &households, next as usize))
        })
    }

    /// By how much belief in sensitive values changes, of the column where it changes most; none
    /// without a sensitive column.
    pub fn beliefs(&self, change: impl Fn(&BeliefChange) -> f64) -> Option<Figure> {
        let beliefs = self.beliefs.get_or_init(|| {
            let Measures {
                sensitive,
                released,
                ..
            } = self.measures;
            let whole = sensitive
                .iter()
                .filter(|c| c.codes.len() as u64 == *released);
            let changes = whole.map(|column| {
                let (class_of, classes) = self.measures.class_of();
                belief_change(class_of, *classes, &column.codes)
            });
            changes.reduce(|one, other| BeliefChange {
                largest: one.largest.max(other.largest),
                mean: one.mean.max(other.mean),
            })
        });
        self.only(change(beliefs.as_ref()?))
    }

    fn lost(&self) -> &[Lost] {
        self.lost.get_or_init(|| self.measures.lost())
    }

    /// Loss of all cells, a suppressed one loses 1.
    pub fn ncp(&self) -> f64 {
        let columns = self.measures.columns.iter().zip(self.lost());
        let released: f64 = columns.map(|(column, lost)| column.weight * lost.ncp).sum();
        released + self.suppressed as f64 * self.measures.weights()
    }

    /// The same, over all cells.
    pub fn gcp(&self) -> f64 {
        match self.rows() as f64 * self.measures.weights() {
            0.0 => 0.0,
            cells => self.ncp() / cells,
        }
    }

    /// The geometric mean over the columns.
    pub fn loss(&self) -> f64 {
        let (rows, suppressed) = (self.rows().max(1) as f64, self.suppressed as f64);
        let means = self
            .lost()
            .iter()
            .map(|lost| (lost.loss + suppressed) / rows);
        geometric_loss(&means.collect::<Vec<f64>>())
    }

    fn rows(&self) -> u64 {
        self.measures.released + self.suppressed
    }
}

fn at(codes: &[u32], rows: &[u32]) -> Vec<u32> {
    rows.iter().map(|&row| codes[row as usize]).collect()
}

fn named<'a>(batch: &'a Batch, name: &str) -> Result<&'a Column> {
    batch
        .column_named(name)
        .ok_or_else(|| Error::bug(format!("column `{name}` is measured but not there")))
}

/// Appends weights and households, where rows have them.
fn read_sampled(
    risk: &RiskSetting,
    households: &mut Option<(String, Identities)>,
    batch: &Batch,
    sampled: &mut Sampled,
) -> Result<()> {
    if let Some(name) = &risk.weights
        && let Some(column) = batch.column_named(name)
    {
        read_weights(name, column, &mut sampled.weights)?;
    }
    match households {
        Some((name, _)) if batch.column_named(name).is_some() => {
            read_identities(households, batch, &mut sampled.households)
        }
        _ => Ok(()),
    }
}

/// Appends the codes of a column, if there is one.
fn read_identities(
    column: &mut Option<(String, Identities)>,
    batch: &Batch,
    codes: &mut Option<Vec<u32>>,
) -> Result<()> {
    let Some((name, identities)) = column else {
        return Ok(());
    };
    identities.read(name, named(batch, name)?, codes.get_or_insert_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::region::Value as Original;
    use crate::data::{Field, Kind, Levels, Region, RowIds, Scale};
    use crate::measure::risk::Population;
    use crate::measure::{Info, LIST, Of, learnt};
    use proptest::prelude::*;
    use std::sync::Arc;

    const LEVELS: [&str; 4] = ["a", "b", "c", "d"];
    const NUMBERS: [&str; 4] = ["0", "1", "2", "4"];
    const SETS: [&str; 3] = ["{a|b}", "{c|d}", "*"];
    const INTERVALS: [&str; 3] = ["0..1", "2..4", "*"];

    /// A row: number, category, person, label, and how it is released.
    #[derive(Clone, Debug)]
    struct Row {
        number: Option<usize>,
        category: Option<usize>,
        person: usize,
        label: usize,
        released: bool,
        /// Release as it is, as half of the domain, or as anything.
        coarse: usize,
    }

    impl Row {
        fn texts(&self) -> (Option<&'static str>, Option<&'static str>) {
            let show = |cell: Option<usize>, raw: [&'static str; 4], sets: [&'static str; 3]| match (
                cell,
                self.coarse,
            ) {
                (_, 2) => Some(sets[2]),
                (None, _) => None,
                (Some(i), 0) => Some(raw[i]),
                (Some(i), _) => Some(sets[i / 2]),
            };
            (
                show(self.number, NUMBERS, INTERVALS),
                show(self.category, LEVELS, SETS),
            )
        }

        fn value(cell: Option<usize>) -> f64 {
            cell.map_or(f64::NAN, |i| [0.0, 1.0, 2.0, 4.0][i])
        }

        /// The numbers and the codes of the categories that the row shows.
        fn shows(&self) -> (Vec<f64>, Vec<usize>) {
            let numbers = match (self.number, self.coarse) {
                (None, _) | (_, 2) => vec![],
                (_, 0) => vec![Row::value(self.number)],
                (Some(i), _) => [[0.0, 1.0], [2.0, 4.0]][i / 2].to_vec(),
            };
            let codes = match (self.category, self.coarse) {
                (None, _) | (_, 2) => vec![],
                (Some(i), 0) => vec![i],
                (Some(i), _) => vec![i / 2 * 2, i / 2 * 2 + 1],
            };
            (numbers, codes)
        }

        /// What its number and its category lose among the released rows.
        fn ncp(&self, released: &[&Row]) -> [f64; 2] {
            let shown: Vec<_> = released.iter().map(|row| row.shows()).collect();
            let numbers = || shown.iter().flat_map(|(numbers, _)| numbers.iter());
            let width = |numbers: &mut dyn Iterator<Item = &f64>| {
                let ends = (f64::INFINITY, f64::NEG_INFINITY);
                let (low, high) = numbers.fold(ends, |(a, b), &n| (a.min(n), b.max(n)));
                high - low
            };
            let named = |code: &usize| shown.iter().any(|(_, codes)| codes.contains(code));
            let all = (0..LEVELS.len()).filter(named).count();
            if self.coarse == 2 {
                return [1.0, 1.0];
            }
            let (own, codes) = self.shows();
            let number = match own.len() {
                0 | 1 => 0.0,
                _ => width(&mut own.iter()) / width(&mut numbers()),
            };
            let category = match codes.len() {
                0 | 1 => 0.0,
                n => (n - 1) as f64 / (all - 1) as f64,
            };
            [number, category]
        }
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let cell = || proptest::option::weighted(0.8, 0usize..4);
        let row = (cell(), cell(), 0usize..5, 0usize..2, 0u8..4, 0usize..3).prop_map(
            |(number, category, person, label, released, coarse)| Row {
                number,
                category,
                person,
                label,
                released: released > 0,
                coarse,
            },
        );
        proptest::collection::vec(row, 1..30)
    }

    fn fields(released: bool, subject: bool) -> Arc<Schema> {
        let category = Kind::Category { ordered: false };
        let number = match released {
            true => category.clone(),
            false => Kind::Number { integer: true },
        };
        let person = if subject { Role::Subject } else { Role::Plain };
        Arc::new(
            Schema::new(vec![
                Field::new("n", Role::Quasi, number),
                Field::new("c", Role::Quasi, category.clone()),
                Field::new("person", person, category.clone()),
                Field::new("label", Role::Class, category),
            ])
            .expect("names differ"),
        )
    }

    fn batch(rows: &[&Row], released: bool, subject: bool) -> Batch {
        let number = if released {
            Column::Category(rows.iter().map(|r| r.texts().0).collect())
        } else {
            let numbers = rows.iter().map(|r| r.number.map(|_| Row::value(r.number)));
            Column::Number(numbers.collect())
        };
        let category = rows.iter().map(|r| match released {
            true => r.texts().1,
            false => r.category.map(|i| LEVELS[i]),
        });
        let columns = vec![
            number,
            Column::Category(category.collect()),
            Column::Category(
                rows.iter()
                    .map(|r| Some(LEVELS.get(r.person).unwrap_or(&"e")))
                    .collect(),
            ),
            Column::Category(rows.iter().map(|r| Some(LEVELS[r.label])).collect()),
        ];
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        Batch::new(fields(released, subject), ids, columns).expect("fits")
    }

    fn domains() -> Vec<(String, Domain)> {
        let numbers = Scale::Number {
            low: 0.0,
            high: 4.0,
            date: None,
        };
        let categories = Scale::Category {
            levels: Arc::new(LEVELS.iter().collect::<Levels>()),
            ordered: false,
        };
        [("n", numbers), ("c", categories)]
            .map(|(name, scale)| {
                let hierarchy = None;
                (name.to_owned(), Domain { scale, hierarchy })
            })
            .to_vec()
    }

    /// Groups by comparing each row with each group.
    fn slow_groups<'a, K: PartialEq>(
        rows: &[&'a Row],
        key: impl Fn(&Row) -> K,
    ) -> Vec<Vec<&'a Row>> {
        let mut groups: Vec<Vec<&Row>> = Vec::new();
        for &row in rows {
            match groups.iter_mut().find(|group| key(group[0]) == key(row)) {
                Some(group) => group.push(row),
                None => groups.push(vec![row]),
            }
        }
        groups
    }

    fn persons(group: &[&Row], subject: bool) -> f64 {
        if !subject {
            return group.len() as f64;
        }
        (0..5)
            .filter(|&p| group.iter().any(|row| row.person == p))
            .count() as f64
    }

    fn slow(name: &str, rows: &[&Row], all: &[Row], groups: &[Vec<&Row>], subject: bool) -> f64 {
        let n = all.len() as f64;
        let lost = n - rows.len() as f64;
        let sizes: Vec<f64> = groups.iter().map(|g| persons(g, subject)).collect();
        let people: f64 = sizes.iter().sum();
        let largest = |risks: Vec<f64>| risks.into_iter().fold(0.0, f64::max);
        match name {
            "prosecutor_risk" => largest(sizes.iter().map(|f| 1.0 / f).collect()),
            "average_risk" => sizes.iter().map(|f| f * (1.0 / f)).sum::<f64>() / people.max(1.0),
            "at_risk" => {
                let above = sizes.iter().filter(|&&f| 1.0 / f > 0.2);
                above.sum::<f64>() / people.max(1.0)
            }
            "uniques" => sizes.iter().filter(|&&f| f == 1.0).count() as f64 / people.max(1.0),
            "discernibility" => {
                groups
                    .iter()
                    .map(|g| (g.len() * g.len()) as f64)
                    .sum::<f64>()
                    + lost * n
            }
            "average_class_size" => n / (groups.len().max(1) as f64 * 3.0),
            "classification" => {
                let minority = groups.iter().map(|g| {
                    let ones = g.iter().filter(|row| row.label == 1).count();
                    ones.min(g.len() - ones) as f64
                });
                (minority.sum::<f64>() + lost) / n
            }
            other => panic!("no slow way for {other}"),
        }
    }

    /// Persons in each class, and those of the population that it covers.
    fn slow_population(all: &[Row], classes: &[Vec<&Row>], subject: bool) -> Vec<(f64, f64)> {
        let domains = domains();
        let covers = |class: &Row, row: &Row| {
            let (n, c) = class.texts();
            let number = match row.number {
                Some(_) => Original::Number(Row::value(row.number)),
                None => Original::Missing,
            };
            let category = match row.category {
                Some(i) => Original::Category(i as u32, LEVELS[i]),
                None => Original::Missing,
            };
            [(n, number, &domains[0].1), (c, category, &domains[1].1)]
                .into_iter()
                .all(|(text, value, domain)| {
                    Region::parse(text, domain).is_some_and(|r| r.covers(value, domain))
                })
        };
        let suppressed: Vec<&Row> = all.iter().filter(|row| !row.released).collect();
        // Each original group of suppressed rows adds its own persons.
        let groups = slow_groups(&suppressed, |row| (row.number, row.category));
        let sizes = classes.iter().map(|class| {
            let inside = groups.iter().filter(|group| covers(class[0], group[0]));
            let others: f64 = inside.map(|group| persons(group, subject)).sum();
            let own = persons(class, subject);
            (own, own + others)
        });
        sizes.collect()
    }

    /// Of classes of f persons who are F in the population.
    fn slow_journalist(name: &str, classes: &[(f64, f64)]) -> f64 {
        let people: f64 = classes.iter().map(|(f, _)| f).sum::<f64>().max(1.0);
        let found: f64 = classes.iter().map(|(f, all)| f / all).sum::<f64>() / people;
        match name {
            "journalist_risk" => classes.iter().map(|(_, all)| 1.0 / all).fold(0.0, f64::max),
            "marketer_risk" => found,
            "journalist_average" => {
                let all: f64 = classes.iter().map(|(_, all)| all).sum();
                found.max(classes.len() as f64 / all.max(1.0))
            }
            _ => {
                let above = classes.iter().filter(|(_, all)| 1.0 / all > 0.2);
                above.map(|(f, _)| f).sum::<f64>() / people
            }
        }
    }

    fn compare(all: &[Row], subject: bool, cut: usize) {
        let mut measures = Measures::new(&fields(false, subject), &domains(), 3);
        let cut = cut.min(all.len());
        for part in [&all[..cut], &all[cut..]] {
            let released: Vec<&Row> = part.iter().filter(|row| row.released).collect();
            let suppressed: Vec<&Row> = part.iter().filter(|row| !row.released).collect();
            let (before, after) = (
                batch(&released, false, subject),
                batch(&released, true, subject),
            );
            measures.observe(&before, &after).expect("fits");
            measures
                .suppressed(&batch(&suppressed, false, subject))
                .expect("fits");
        }
        let everyone: Vec<&Row> = all.iter().collect();
        let released: Vec<&Row> = all.iter().filter(|row| row.released).collect();
        let before = slow_groups(&everyone, |row| (row.number, row.category));
        let after = slow_groups(&released, Row::texts);
        let lost = (all.len() - released.len()) as f64;
        let of_column = |column: usize| -> f64 {
            let cells = released.iter().map(|row| row.ncp(&released)[column]);
            cells.sum()
        };
        let ncp = of_column(0) + of_column(1) + 2.0 * lost;
        let small = |groups: &[Vec<&Row>]| {
            groups.iter().filter(|g| persons(g, subject) < 3.0).count() as f64
        };
        for value in measures.values() {
            let (expected_before, expected_after) = match value.name {
                "ncp" => (None, ncp),
                "gcp" => (None, ncp / (2.0 * all.len() as f64)),
                "loss" => {
                    let mean = |column| (of_column(column) + lost) / all.len() as f64;
                    (None, ((1.0 + mean(0)) * (1.0 + mean(1))).sqrt() - 1.0)
                }
                "hiding_failure" => {
                    let (was, is) = (small(&before), small(&after));
                    (
                        None,
                        if is == 0.0 {
                            0.0
                        } else {
                            (is / was.max(1.0)).min(1.0)
                        },
                    )
                }
                name @ ("journalist_risk" | "journalist_average" | "journalist_at_risk"
                | "marketer_risk") => {
                    let itself = before.iter().map(|group| persons(group, subject));
                    let itself: Vec<(f64, f64)> = itself.map(|f| (f, f)).collect();
                    let population = slow_population(all, &after, subject);
                    (
                        Some(slow_journalist(name, &itself)),
                        slow_journalist(name, &population),
                    )
                }
                name => (
                    Some(slow(name, &everyone, all, &before, subject)),
                    slow(name, &released, all, &after, subject),
                ),
            };
            assert_eq!(
                value.before.is_some(),
                expected_before.is_some(),
                "{}",
                value.name
            );
            let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert!(
                close(value.before.unwrap_or(0.0), expected_before.unwrap_or(0.0)),
                "{value:?} {expected_before:?}"
            );
            assert!(
                close(value.after, expected_after),
                "{value:?} {expected_after}"
            );
        }
        let bands = measures.risk_bands();
        assert!((bands.iter().map(|b| b.before).sum::<f64>() - 1.0).abs() < 1e-9);
        let sizes = measures.class_sizes_after();
        assert_eq!(
            sizes.iter().map(|s| s.groups).sum::<u64>(),
            after.len() as u64
        );
        let means: f64 = measures.column_loss().iter().map(|(_, mean)| mean).sum();
        let expected = (ncp - 2.0 * lost) / released.len().max(1) as f64;
        assert!((means - expected).abs() < 1e-9);
        bounds_are_of_released_rows(all, subject);
    }

    /// With a bound for their number, suppressed rows may be any.
    fn bounds_are_of_released_rows(all: &[Row], subject: bool) {
        let released: Vec<&Row> = all.iter().filter(|row| row.released).collect();
        let mut alone = Measures::new(&fields(false, subject), &domains(), 3);
        let pair = [false, true].map(|side| batch(&released, side, subject));
        alone.observe(&pair[0], &pair[1]).expect("fits");
        let bounds = alone.values_with((all.len() - released.len()) as u64);
        let suppressed: Vec<&Row> = all.iter().filter(|row| !row.released).collect();
        alone
            .suppressed(&batch(&suppressed, false, subject))
            .expect("fits");
        for (bound, exact) in bounds.iter().zip(alone.values()) {
            let name = bound.name;
            let close = (bound.after - exact.after).abs() < 1e-9;
            match name {
                // Suppressed persons can only hide others…
                "journalist_risk" | "journalist_average" | "journalist_at_risk"
                | "marketer_risk" => assert!(bound.after >= exact.after - 1e-9, "{name}"),
                // …and fill groups that were small.
                "hiding_failure" => assert_eq!(bound.after > 0.0, exact.after > 0.0),
                _ => assert!(close, "{name}"),
            }
        }
    }

    proptest! {
        #[test]
        fn every_measure_equals_its_definition(rows in rows(), subject: bool, cut in 0usize..30) {
            compare(&rows, subject, cut);
        }
    }

    #[test]
    fn the_values_are_those_of_the_list() {
        let setting = RiskSetting {
            population: Some(Population::Size(1_000)),
            weights: Some("n".to_owned()),
            households: Some("person".to_owned()),
            ..RiskSetting::default()
        };
        let mut schema = fields(false, true).fields().to_vec();
        let category = Kind::Category { ordered: false };
        schema.push(Field::new("sensitive", Role::Sensitive, category));
        let schema = Schema::new(schema).expect("names differ");
        let mut measures = Measures::new(&schema, &domains(), 3).sampled(&setting);
        let none = batch(&[], false, true);
        measures.observe(&none, &none).expect("fits");
        measures.tell_accuracy_losses(learnt().map(|info| (info.name, 0.1)).collect());
        let names: Vec<&str> = measures.values().iter().map(|v| v.name).collect();
        let of_tables = |info: &&Info| matches!(info.of, Of::Classes(_) | Of::Lessons { .. });
        let listed = LIST.iter().filter(of_tables).map(|info| info.name);
        let listed: Vec<&str> = listed.collect();
        assert_eq!(names, listed);
        assert!(
            measures
                .values()
                .iter()
                .all(|value| value.after.is_finite())
        );
    }
}
