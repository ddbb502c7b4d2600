//! The categories among masked columns, as measures of pairs see them.
//!
//! Different pairs of an original and its masked record are counted, and figures are computed from
//! the counts when they are asked for. A domain is what the policy declares of an ordered column,
//! and of others the categories that occurred; a missing value is one more category, the last.
//!
//! Memory is bounded: of more than [`MOST_PAIRS`] different pairs nothing is told. Linkage looks for
//! an even part of the different pairs where there are many of them, among all originals, and
//! clusters are made of an even part of the records.

use super::bivariate::Bivariate;
use super::cells::Cells;
use super::contingency::subsets;
use super::fellegi_sunter::LinkageMode;
use super::partitions::PartitionPairs;
use super::score::{Distinct, Figures, ScoreSettings, Tally};
use crate::data::{Attribute, CategoricalTable, Variable, c_median, draw_seeds};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::OnceLock;

/// Different pairs that are counted.
const MOST_PAIRS: usize = 1 << 20;

/// Pairs that are looked for, and comparisons of them with originals where attributes are so many
/// that each is compared.
const LINKED: usize = 200_000;
const COMPARISONS: usize = 200_000_000;
const COMPARED: usize = 6;

/// Counts of contingency tables.
const MOST_COUNTS: usize = 500_000_000;

/// Records that are clustered.
const CLUSTERED: u64 = 20_000;

/// Missing, until the domain is known.
const MISSING: u32 = u32::MAX;

/// What measures of categories are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CategoricalSettings {
    /// How chances are found by which masked categories are linked.
    pub linkage: LinkageMode,
    /// The most attributes of a contingency table, 1 to 3.
    pub table_order: usize,
    /// Clusters of masked records that are held against those of the originals.
    pub clusters: usize,
}

impl Default for CategoricalSettings {
    fn default() -> Self {
        CategoricalSettings {
            linkage: LinkageMode::default(),
            table_order: 2,
            clusters: 10,
        }
    }
}

/// Counts of pairs, and what was computed from them.
pub struct Categorical {
    columns: Vec<Masked>,
    settings: CategoricalSettings,
    pairs: Cells,
    counts: Vec<u64>,
    is_full: bool,
    pair: Vec<u32>,
    figures: OnceLock<Option<(Figures, Vec<usize>)>>,
    pairs_of_columns: OnceLock<Vec<PairOfColumns>>,
    partitions: OnceLock<Option<PartitionPairs>>,
}

/// What is told of two columns, whose table is not kept.
struct PairOfColumns {
    chi_square_change: Option<f64>,
    uniques_kept: Option<f64>,
}

/// A masked column of categories.
struct Masked {
    place: usize,
    ordered: bool,
    declared: usize,
    /// One more than the largest code.
    seen: u32,
    has_missing: bool,
}

impl Masked {
    fn code(&mut self, value: f64) -> u32 {
        if value.is_nan() {
            self.has_missing = true;
            return MISSING;
        }
        // Codes of the encoder are whole and below 2²⁰.
        let code = value.clamp(0.0, f64::from(1 << 20)).round() as u32;
        self.seen = self.seen.max(code + 1);
        code
    }

    fn variable(&self) -> Variable {
        let levels = self.declared.max(self.seen as usize) + usize::from(self.has_missing);
        Variable {
            ordered: self.ordered,
            levels,
        }
    }
}

impl Categorical {
    /// Of the categories among these attributes; none where all of them are numbers.
    pub fn new(attributes: &[Attribute], settings: CategoricalSettings) -> Option<Self> {
        let column = |(place, kind): (usize, &Attribute)| {
            let (ordered, declared) = match kind {
                Attribute::Number => return None,
                Attribute::Ordinal { levels } => (true, *levels),
                Attribute::Nominal => (false, 0),
            };
            Some(Masked {
                place,
                ordered,
                declared,
                seen: 0,
                has_missing: false,
            })
        };
        let attributes = attributes.iter().enumerate();
        let columns: Vec<Masked> = attributes.filter_map(column).collect();
        if columns.is_empty() {
            return None;
        }
        Some(Categorical {
            pairs: Cells::new(2 * columns.len()),
            columns,
            settings,
            counts: Vec::new(),
            is_full: false,
            pair: Vec::new(),
            figures: OnceLock::new(),
            pairs_of_columns: OnceLock::new(),
            partitions: OnceLock::new(),
        })
    }

    /// One more record, and what is released of it.
    pub fn observe(&mut self, original: &[f64], released: &[f64]) {
        if self.is_full {
            return;
        }
        self.figures.take();
        self.pairs_of_columns.take();
        self.partitions.take();
        self.pair.clear();
        for record in [original, released] {
            for column in &mut self.columns {
                self.pair.push(column.code(record[column.place]));
            }
        }
        let (place, is_new) = self.pairs.insert(&self.pair);
        if is_new {
            self.counts.push(0);
        }
        self.counts[place as usize] += 1;
        if self.counts.len() > MOST_PAIRS {
            self.is_full = true;
            self.pairs = Cells::new(self.pair.len());
            self.counts = Vec::new();
        }
    }

    /// A share from 0 to 1, of a figure that the literature tells as a percentage from 0 to 100.
    pub fn share(&self, percent: impl Fn(&Figures) -> f64) -> Option<f64> {
        let (figures, _) = self.figures()?;
        Some(percent(figures) / 100.0)
    }

    /// The places of attributes in which records that belong together agree less often than others,
    /// by the chances of probabilistic linkage.
    pub fn inverted(&self) -> Vec<usize> {
        let places = self.figures().map(|(_, inverted)| inverted.clone());
        places.unwrap_or_default()
    }

    /// By how much χ² of two columns changes relative to what it was, on average over all pairs of
    /// columns that were not independent.
    pub fn chi_square_change(&self) -> Option<f64> {
        mean(
            self.pairs_of_columns()
                .iter()
                .filter_map(|of| of.chi_square_change),
        )
    }

    /// The share of records that are unique in two columns, stay as they were and are still unique,
    /// on average over all pairs of columns that have some; 0 where none has.
    pub fn unique_pairs_kept(&self) -> Option<f64> {
        let pairs = self.pairs_of_columns();
        let none = (!pairs.is_empty() && !self.counts.is_empty()).then_some(0.0);
        mean(pairs.iter().filter_map(|of| of.uniques_kept)).or(none)
    }

    /// Each pair of columns whose table is not too large.
    fn pairs_of_columns(&self) -> &[PairOfColumns] {
        self.pairs_of_columns.get_or_init(|| {
            let variables = self.variables();
            let table = |pair: &Vec<usize>| {
                let &[a, b] = pair.as_slice() else {
                    return None;
                };
                let mut table = Bivariate::new(variables[a], variables[b])?;
                self.each(&variables, |original, masked, count| {
                    let of = |record: &[u32]| (record[a], record[b]);
                    table.add(of(original), of(masked), count);
                });
                Some(PairOfColumns {
                    chi_square_change: table.chi_square_change(),
                    uniques_kept: table.uniques_kept(),
                })
            };
            let pairs = subsets(variables.len(), 2);
            pairs.iter().filter_map(table).collect()
        })
    }

    /// What the clusters of originals and those of masked records have in common; none where all
    /// originals are alike.
    pub fn partitions(&self) -> Option<&PartitionPairs> {
        self.partitions.get_or_init(|| self.clustered()).as_ref()
    }

    fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn variables(&self) -> Vec<Variable> {
        self.columns.iter().map(Masked::variable).collect()
    }

    /// Calls `each` with an original, its masked record and how often both occur together.
    fn each(&self, variables: &[Variable], mut each: impl FnMut(&[u32], &[u32], u64)) {
        let mut pair = Vec::new();
        for (place, &count) in self.counts.iter().enumerate() {
            pair.clear();
            pair.extend_from_slice(self.pairs.record(place as u32));
            let (original, masked) = pair.split_at_mut(variables.len());
            for record in [&mut *original, &mut *masked] {
                for (code, variable) in record.iter_mut().zip(variables) {
                    *code = (*code).min(variable.levels as u32 - 1);
                }
            }
            each(original, masked, count);
        }
    }

    fn figures(&self) -> Option<&(Figures, Vec<usize>)> {
        self.figures.get_or_init(|| self.scored()).as_ref()
    }

    fn scored(&self) -> Option<(Figures, Vec<usize>)> {
        let variables = self.variables();
        let tables = subsets(variables.len(), self.settings.table_order).len();
        if self.counts.is_empty() || tables.saturating_mul(self.counts.len()) > MOST_COUNTS {
            return None;
        }
        let mut originals = Distinct::new(variables.len());
        self.each(&variables, |original, _, count| {
            originals.add(original, count);
        });
        let settings = ScoreSettings {
            order: self.settings.table_order,
            linkage: self.settings.linkage,
            ..ScoreSettings::default()
        };
        let most = if variables.len() <= COMPARED {
            LINKED
        } else {
            COMPARISONS / originals.len()
        };
        let stride = self.counts.len().div_ceil(most.max(1));
        let mut tally = Tally::new(&originals.known(&variables, settings).ok()?);
        let mut place = 0;
        self.each(&variables, |original, masked, count| {
            tally.add_values(original, masked, count as i64);
            if place % stride == 0 {
                tally.add_link(original, masked, count as i64);
            }
            place += 1;
        });
        let model = tally.model();
        let inverted = model
            .inverted()
            .map(|attribute| self.columns[attribute].place);
        Some((tally.figures(), inverted.collect()))
    }

    fn clustered(&self) -> Option<PartitionPairs> {
        let variables = self.variables();
        let stride = self.rows().div_ceil(CLUSTERED).max(1);
        let mut columns = [
            vec![Vec::new(); variables.len()],
            vec![Vec::new(); variables.len()],
        ];
        let mut originals = Distinct::new(variables.len());
        // The first row of each different original: seeds that are alike would make empty clusters.
        let mut firsts = Vec::new();
        let mut seen = 0;
        self.each(&variables, |original, masked, count| {
            let end = seen + count;
            let taken = end.div_ceil(stride) - seen.div_ceil(stride);
            seen = end;
            if taken > 0 && originals.add(original, count) {
                firsts.push(columns[0].first().map_or(0, Vec::len));
            }
            for (columns, record) in columns.iter_mut().zip([original, masked]) {
                for (column, &code) in columns.iter_mut().zip(record) {
                    column.extend(std::iter::repeat_n(code, taken as usize));
                }
            }
        });
        if firsts.len() < 2 {
            return None;
        }
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(0);
        let seeds = draw_seeds(firsts.len(), self.settings.clusters, &mut generator);
        let seeds: Vec<usize> = seeds.into_iter().map(|seed| firsts[seed]).collect();
        let labels = columns.map(|columns| {
            let table = CategoricalTable::new(variables.clone(), columns).ok()?;
            let clusters = c_median(&table.cluster_columns(), &seeds, &|| Ok(())).ok()?;
            Some(clusters.labels)
        });
        let [Some(before), Some(after)] = labels else {
            return None;
        };
        Some(PartitionPairs::new(&before, &after))
    }
}

/// None of nothing.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    let sum: f64 = values.iter().sum();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::super::score::Scorer;
    use super::*;
    use crate::measure::{LIST, Of};

    fn of(attributes: &[Attribute]) -> Option<Categorical> {
        Categorical::new(attributes, CategoricalSettings::default())
    }

    const KINDS: [Attribute; 3] = [
        Attribute::Ordinal { levels: 5 },
        Attribute::Number,
        Attribute::Nominal,
    ];

    /// A record of an ordered category, a number and another category.
    fn record(n: u32, shift: u32) -> Vec<f64> {
        let code = |step: u32, of: u32| f64::from((n * step + n / 7 + shift * (n % 3)) % of);
        vec![code(7, 4), f64::from(n), code(5, 3)]
    }

    fn observed(rows: u32) -> Categorical {
        let mut categorical = of(&KINDS).expect("categories");
        for n in 0..rows {
            categorical.observe(&record(n, 0), &record(n, 1));
        }
        categorical
    }

    #[test]
    fn shares_are_percentages_of_the_score_over_a_hundred() {
        let categorical = observed(90);
        // The declared domain of ordered categories, of others those that occur.
        let variables = vec![Variable::ordinal(5), Variable::nominal(3)];
        let table = |shift: u32| {
            let column = |place: usize| (0..90).map(|n| record(n, shift)[place] as u32).collect();
            CategoricalTable::new(variables.clone(), vec![column(0), column(2)]).expect("codes")
        };
        let scorer = Scorer::new(table(0), ScoreSettings::default()).expect("settings");
        let figures = scorer.score(&table(1)).expect("a file").figures();
        let figure: [fn(&Figures) -> f64; 10] = [
            |f| f.dbil,
            |f| f.ctbil,
            |f| f.ebil,
            |f| f.interval,
            |f| f.distance_linkage,
            |f| f.probabilistic_linkage,
            Figures::il,
            Figures::dr,
            Figures::mean,
            Figures::max,
        ];
        for figure in figure {
            let share = categorical.share(figure).expect("counted");
            assert!((share - figure(&figures) / 100.0).abs() < 1e-12);
            assert!((0.0..=1.0).contains(&share));
        }
    }

    #[test]
    fn every_listed_measure_of_categories_says_something_in_its_unit() {
        let categorical = observed(300);
        let empty = of(&KINDS).expect("categories");
        for info in LIST {
            if let Of::Categories(measure) = info.of {
                let value = measure(&categorical).expect("categories that vary");
                assert!(value.is_finite(), "{}", info.name);
                assert!(
                    !info.percent || (0.0..=1.0).contains(&value),
                    "{}",
                    info.name
                );
                assert_eq!(measure(&empty), None, "{}", info.name);
            }
        }
    }

    #[test]
    fn a_release_as_it_was_loses_nothing_and_numbers_do_not_count() {
        let mut categorical = of(&KINDS).expect("categories");
        for n in 0..60 {
            let original = record(n, 0);
            let mut released = original.clone();
            released[1] += 1.0;
            categorical.observe(&original, &released);
        }
        assert_eq!(categorical.share(|f| f.dbil), Some(0.0));
        assert_eq!(categorical.share(|f| f.ctbil), Some(0.0));
        assert_eq!(categorical.chi_square_change(), Some(0.0));
        assert_eq!(
            categorical.partitions().map(PartitionPairs::loss),
            Some(0.0)
        );
        assert!(of(&[Attribute::Number]).is_none());
    }

    #[test]
    fn missing_values_are_one_more_category() {
        let mut categorical = of(&[Attribute::Nominal]).expect("one");
        for (original, released) in [(0.0, 0.0), (1.0, f64::NAN), (f64::NAN, f64::NAN)] {
            categorical.observe(&[original], &[released]);
        }
        assert_eq!(categorical.variables(), [Variable::nominal(3)]);
        // One value of three has changed; of the two masked as missing, one bit is open.
        let dbil = categorical.share(|f| f.dbil).expect("counted");
        assert!((dbil - 1.0 / 3.0).abs() < 1e-12, "{dbil}");
        let ebil = categorical.share(|f| f.ebil).expect("counted");
        assert!((ebil - 2.0 / (3.0 * 3.0_f64.log2())).abs() < 1e-9, "{ebil}");
    }

    #[test]
    fn of_more_different_pairs_than_are_counted_nothing_is_told() {
        let kinds = [Attribute::Nominal, Attribute::Nominal];
        let mut categorical = of(&kinds).expect("categories");
        for n in 0..=MOST_PAIRS as u32 {
            let record = [f64::from(n % 1024), f64::from(n / 1024)];
            categorical.observe(&record, &record);
        }
        assert_eq!(categorical.share(Figures::il), None);
        assert!(categorical.inverted().is_empty());
        assert_eq!(categorical.rows(), 0);
    }
}
