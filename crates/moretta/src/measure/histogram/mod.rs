//! The distribution of a column before and after, over the same rows and bins.
//!
//! Suppressed rows are in neither: what they held would be the difference of
//! the two. For the same reason a value that no released row had has no bin.
//!
//! Numbers fall into at most 20 bins with round edges (1, 2 or 5 times a power
//! of ten), dates into months, quarters or years, and the 20 most frequent
//! categories have a bin each, with one more for the rest. A released row is
//! spread evenly over the values that its region covers. Missing values are in no
//! bin. Bins with small counts are hidden, and more of them where the small
//! counts could be had by subtraction.
//!
//! Cost: one count a row; memory for the distinct texts.

mod bins;
mod small;

pub use small::SMALL_CELL;

use super::column::Codes;
use crate::data::{Column, Domain, Levels, LevelsBuilder, MISSING, Region, Scale};
use bins::NumberBins;
use std::ops::Range;
use std::sync::Arc;

/// Categories with a bin of their own.
const TOP_CATEGORIES: usize = 20;

/// Counts over bins, before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// The bins that may be shown, in order.
    pub bins: Vec<Bin>,
    /// Bins left out because a count was small or would give a small one away.
    pub hidden_bins: u64,
}

/// One bin.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// "30 to 40", "2024-Q1", or the category.
    pub label: String,
    /// Rows before.
    pub before: f64,
    /// Rows after.
    pub after: f64,
}

/// Counts the values of one column.
pub struct HistogramBuilder {
    domain: Domain,
    /// The leaves of the hierarchy that count; all when not given.
    leaves: Option<Vec<bool>>,
    scale: BinScale,
    original: Codes,
    released: Codes,
    before: Vec<u64>,
    before_texts: Vec<u64>,
    after_bins: Vec<f64>,
    after_texts: Vec<u64>,
}

enum BinScale {
    Numbers(NumberBins),
    Categories {
        levels: Arc<Levels>,
        codes: LevelsBuilder,
        ordered: bool,
    },
}

impl HistogramBuilder {
    /// For a column with this domain.
    pub fn new(domain: &Domain) -> Self {
        let scale = match &domain.scale {
            Scale::Number { low, high, date } => {
                BinScale::Numbers(NumberBins::new(*low, *high, date.is_some()))
            }
            Scale::Category { levels, ordered } => BinScale::Categories {
                codes: LevelsBuilder::from_levels(levels),
                levels: Arc::clone(levels),
                ordered: *ordered,
            },
        };
        let cells = match &scale {
            BinScale::Numbers(bins) => bins.len(),
            BinScale::Categories { levels, .. } => levels.len(),
        };
        HistogramBuilder {
            domain: domain.clone(),
            leaves: None,
            scale,
            original: Codes::default(),
            released: Codes::default(),
            before: vec![0; cells],
            before_texts: Vec::new(),
            after_bins: vec![0.0; cells],
            after_texts: Vec::new(),
        }
    }

    /// A label stands for these leaves of the hierarchy only.
    pub fn count_leaves(&mut self, leaves: Vec<bool>) {
        self.leaves = Some(leaves);
    }

    /// Takes original values of released rows.
    pub fn observe_original(&mut self, column: &Column) {
        match (column, &self.scale) {
            (Column::Number(numbers), BinScale::Numbers(bins)) => {
                for number in numbers.iter().flatten() {
                    if let Some(bin) = bins.place(number) {
                        self.before[bin] += 1;
                    }
                }
            }
            (Column::Category(categories), BinScale::Categories { .. }) => {
                let counts = &mut self.before_texts;
                self.original.each(categories, |code| count(counts, code));
            }
            _ => {}
        }
    }

    /// Takes released values.
    pub fn observe_released(&mut self, column: &Column) {
        match (column, &self.scale) {
            (Column::Number(numbers), BinScale::Numbers(bins)) => {
                for number in numbers.iter().flatten() {
                    if let Some(bin) = bins.place(number) {
                        self.after_bins[bin] += 1.0;
                    }
                }
            }
            (Column::Category(categories), _) => {
                let counts = &mut self.after_texts;
                self.released.each(categories, |code| count(counts, code));
            }
            _ => {}
        }
    }

    /// The distribution, small counts hidden.
    pub fn finish(&self) -> Histogram {
        let before = self.original_cells();
        let after = self.spread();
        let bins = match &self.scale {
            BinScale::Numbers(bins) => inhabited(&before, &after)
                .map(|bin| Bin {
                    label: bins.label(bin),
                    before: before[bin],
                    after: after[bin],
                })
                .collect(),
            BinScale::Categories {
                levels, ordered, ..
            } => category_bins(levels, *ordered, &before, &after),
        };
        hide(bins)
    }

    /// Original rows by cell.
    fn original_cells(&self) -> Vec<f64> {
        let mut cells: Vec<f64> = self.before.iter().map(|&n| n as f64).collect();
        if let BinScale::Categories { codes, .. } = &self.scale {
            for (text, &n) in self.original.texts().iter().zip(&self.before_texts) {
                if let Some(code) = codes.find(text) {
                    cells[code as usize] += n as f64;
                }
            }
        }
        cells
    }

    /// Released rows by cell, each spread over the cells of its region.
    fn spread(&self) -> Vec<f64> {
        let mut cells = self.after_bins.clone();
        for (text, &n) in self.released.texts().iter().zip(&self.after_texts) {
            let Some(region) = Region::parse(Some(text), &self.domain) else {
                continue;
            };
            for (cell, share) in self.covered(&region) {
                cells[cell] += n as f64 * share;
            }
        }
        cells
    }

    /// The cells of a region and the share of its values in each.
    fn covered(&self, region: &Region) -> Vec<(usize, f64)> {
        match (region, &self.scale, &self.domain.scale) {
            (Region::Any, BinScale::Numbers(bins), Scale::Number { low, high, .. }) => {
                bins.between(*low, *high)
            }
            (Region::Any, ..) => even((0..self.before.len()).collect()),
            (Region::Interval(low, high), BinScale::Numbers(bins), _) => bins.between(*low, *high),
            (Region::Set(codes), ..) => even(codes.iter().map(|&code| code as usize).collect()),
            (Region::Node(level, node), scale, _) => {
                even(self.covered_leaves(*level, *node, scale))
            }
            _ => Vec::new(),
        }
    }

    fn covered_leaves(&self, level: usize, node: u32, scale: &BinScale) -> Vec<usize> {
        let Some(tree) = &self.domain.hierarchy else {
            return Vec::new();
        };
        let counts = |leaf: &u32| match &self.leaves {
            Some(leaves) => leaves.get(*leaf as usize) == Some(&true),
            None => true,
        };
        let leaves = tree.leaves_under(level, node).filter(counts);
        let labels = leaves.map(|leaf| tree.label(0, leaf));
        match scale {
            BinScale::Categories { codes, .. } => labels
                .filter_map(|label| codes.find(label).map(|code| code as usize))
                .collect(),
            BinScale::Numbers(bins) => labels
                .filter_map(
                    |label| match Region::parse(Some(label), &self.plain_domain()) {
                        Some(Region::Interval(n, _)) => bins.place(n),
                        _ => None,
                    },
                )
                .collect(),
        }
    }

    /// The domain without its tree, in which a leaf is read as the number it is.
    fn plain_domain(&self) -> Domain {
        Domain {
            scale: self.domain.scale.clone(),
            hierarchy: None,
        }
    }
}

/// Each of these cells, as often as it is named, with the same share.
fn even(cells: Vec<usize>) -> Vec<(usize, f64)> {
    let share = 1.0 / cells.len() as f64;
    cells.into_iter().map(|cell| (cell, share)).collect()
}

fn count(counts: &mut Vec<u64>, code: u32) {
    if code == MISSING {
        return;
    }
    let code = code as usize;
    if code >= counts.len() {
        counts.resize(code + 1, 0);
    }
    counts[code] += 1;
}

/// From the first to the last bin with rows: those beyond are there for suppressed rows.
fn inhabited(before: &[f64], after: &[f64]) -> Range<usize> {
    let rows = |bin: &usize| before[*bin] > 0.0 || after[*bin] > 0.0;
    let first = (0..before.len()).find(rows).unwrap_or(0);
    let end = (0..before.len()).rfind(rows).map_or(0, |last| last + 1);
    first..end
}

/// The most frequent categories and the rest together; ordered ones keep their order.
fn category_bins(levels: &Levels, ordered: bool, before: &[f64], after: &[f64]) -> Vec<Bin> {
    let seen = |code: &usize| before[*code] > 0.0;
    let (mut frequent, unseen): (Vec<usize>, Vec<usize>) = (0..levels.len()).partition(seen);
    frequent.sort_by(|&a, &b| before[b].total_cmp(&before[a]));
    let mut rest = frequent.split_off(frequent.len().min(TOP_CATEGORIES));
    rest.extend(unseen.into_iter().filter(|&code| after[code] > 0.0));
    if ordered {
        frequent.sort_unstable();
    }
    let one = |&code: &usize| Bin {
        label: levels.get(code as u32).to_owned(),
        before: before[code],
        after: after[code],
    };
    let mut bins: Vec<Bin> = frequent.iter().map(one).collect();
    if !rest.is_empty() {
        bins.push(Bin {
            label: format!("{} others", rest.len()),
            before: rest.iter().map(|&code| before[code]).sum(),
            after: rest.iter().map(|&code| after[code]).sum(),
        });
    }
    bins
}

fn hide(bins: Vec<Bin>) -> Histogram {
    let counts: Vec<[f64; 2]> = bins.iter().map(|bin| [bin.before, bin.after]).collect();
    let hidden = small::hidden(&counts);
    let hidden_bins = hidden.iter().filter(|&&hidden| hidden).count() as u64;
    let shown = bins.into_iter().zip(hidden).filter(|(_, hidden)| !hidden);
    Histogram {
        bins: shown.map(|(bin, _)| bin).collect(),
        hidden_bins,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::Hierarchy;
    use crate::data::{Categories, Numbers};

    fn numbers(low: f64, high: f64) -> Domain {
        Domain {
            scale: Scale::Number {
                low,
                high,
                date: None,
            },
            hierarchy: None,
        }
    }

    fn texts(texts: &[(&str, usize)]) -> Column {
        let slots = texts
            .iter()
            .flat_map(|&(text, n)| std::iter::repeat_n(Some(text), n));
        Column::Category(slots.collect::<Categories>())
    }

    fn shown(histogram: &Histogram) -> Vec<(&str, f64, f64)> {
        let bins = histogram.bins.iter();
        bins.map(|b| (b.label.as_str(), b.before, b.after))
            .collect()
    }

    #[test]
    fn a_generalised_row_is_spread_over_the_values_it_covers() {
        let mut builder = HistogramBuilder::new(&numbers(0.0, 40.0));
        let values: Numbers = (0..900).map(|i| f64::from(i % 9) * 5.0).collect();
        builder.observe_original(&Column::Number(values));
        builder.observe_released(&texts(&[
            ("0..9", 200),
            ("10..40", 620),
            ("40", 20),
            ("*", 82),
        ]));
        let histogram = builder.finish();
        let after: Vec<f64> = histogram.bins.iter().map(|b| b.after).collect();
        let expected = [110.0, 110.0, 110.0, 110.0, 110.0, 110.0, 110.0, 110.0, 42.0];
        for (found, expected) in after.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{after:?}");
        }
        assert_eq!(histogram.bins[8].label, "40 to 45");
        assert!(histogram.bins.iter().all(|b| b.before == 100.0));
    }

    #[test]
    fn categories_are_spread_over_sets_and_nodes() {
        let chains = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]].map(|c| c.to_vec());
        let domain = Domain {
            scale: Scale::Category {
                levels: Arc::new(["a", "b", "c"].iter().collect()),
                ordered: false,
            },
            hierarchy: Some(Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))),
        };
        let mut builder = HistogramBuilder::new(&domain);
        builder.observe_original(&texts(&[("c", 60), ("a", 20), ("b", 40)]));
        builder.observe_original(&texts(&[("a", 10)]));
        builder.observe_released(&texts(&[("x", 50), ("c", 30), ("*", 30)]));
        let histogram = builder.finish();
        assert_eq!(
            shown(&histogram),
            [("c", 60.0, 40.0), ("b", 40.0, 35.0), ("a", 30.0, 35.0)]
        );
        assert_eq!(histogram.hidden_bins, 0);
    }

    #[test]
    fn rare_categories_are_hidden_with_another_bin() {
        let domain = Domain {
            scale: Scale::Category {
                levels: Arc::new(["a", "b", "c"].iter().collect()),
                ordered: true,
            },
            hierarchy: None,
        };
        let mut builder = HistogramBuilder::new(&domain);
        let column = texts(&[("a", 50), ("b", 3), ("c", 20)]);
        builder.observe_original(&column);
        builder.observe_released(&column);
        let histogram = builder.finish();
        assert_eq!(shown(&histogram), [("a", 50.0, 50.0)]);
        assert_eq!(histogram.hidden_bins, 2);
    }

    #[test]
    fn values_that_no_released_row_had_have_no_bin() {
        let mut builder = HistogramBuilder::new(&numbers(0.0, 110.0));
        builder.observe_original(&Column::Number(std::iter::repeat_n(25.0, 40).collect()));
        builder.observe_released(&texts(&[("20..29", 40)]));
        let histogram = builder.finish();
        assert_eq!(histogram.bins.first().map(|b| &*b.label), Some("20 to 30"));
        assert_eq!(histogram.bins.len(), 1);
        let domain = Domain {
            scale: Scale::Category {
                levels: Arc::new(["a", "b", "gone"].iter().collect()),
                ordered: false,
            },
            hierarchy: None,
        };
        for (released, expected) in [
            (&[("a", 50), ("b", 40)][..], &["a", "b"][..]),
            (&[("*", 90)], &["a", "b", "1 others"]),
        ] {
            let mut builder = HistogramBuilder::new(&domain);
            builder.observe_original(&texts(&[("a", 50), ("b", 40)]));
            builder.observe_released(&texts(released));
            let histogram = builder.finish();
            let labels: Vec<&str> = histogram.bins.iter().map(|b| &*b.label).collect();
            assert_eq!(labels, expected);
        }
    }

    #[test]
    fn a_column_without_values_has_no_bins() {
        let builder = HistogramBuilder::new(&numbers(f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!(builder.finish(), Histogram::default());
    }
}
