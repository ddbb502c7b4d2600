//! Entropy-based loss: how much of what a value told the protected value no longer tells.
//!
//! ```text
//! loss = mean over the attributes of  H(X | X') / H(X)
//! ```
//!
//! from the counts of (original, protected) of each attribute so far: 0 when the
//! protected value determines the original, 1 when it says nothing about it. An
//! attribute whose originals do not vary is left out.
//!
//! Ordinals and nominal values count by their codes; codes from 255 on are one.
//! Numbers are put into 16 bins with about equally many of the originals of the
//! first 1,000 pairs (of those so far, while there are fewer), and both sides use
//! the same bins. A missing value is a category of its own.
//!
//! *Does not tell* losses within a bin. On few pairs with many categories it is too
//! low, since each pair of values is seen once. *Costs* one count a value, a search
//! among 16 bins for numbers; at most 512 kB for an attribute of 255 categories.
//! *From* Kooiman, Willenborg, Gouweleeuw, "PRAM: a method for disclosure limitation
//! of microdata" (1997).

use super::{PairSettings, mean};
use crate::data::Attribute;
use crate::measure::Measure;

/// Pairs from which bins are made.
const FIRST: usize = 1_000;

/// Bins of numbers.
const BINS: usize = 16;

/// Categories that are told apart, the missing value among them.
const MOST_CATEGORIES: usize = 256;

/// Mean share of the information that is lost.
pub(in crate::measure) struct EntropyLoss {
    columns: Vec<Column>,
}

enum Column {
    Categories(Table),
    Numbers {
        /// Both sides, until there are bins.
        first: Vec<(f64, f64)>,
        bins: Option<Bins>,
        table: Table,
    },
}

impl EntropyLoss {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        let column = |kind: &Attribute| match kind {
            Attribute::Number => Column::Numbers {
                first: Vec::new(),
                bins: None,
                table: Table::default(),
            },
            _ => Column::Categories(Table::default()),
        };
        EntropyLoss {
            columns: settings.attributes.iter().map(column).collect(),
        }
    }
}

impl Measure for EntropyLoss {
    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        let values = original.iter().zip(protected);
        for (column, (&x, &y)) in self.columns.iter_mut().zip(values) {
            column.observe(x, y);
        }
    }

    fn value(&self) -> Option<f64> {
        mean(self.columns.iter().filter_map(Column::loss))
    }
}

impl Column {
    fn observe(&mut self, x: f64, y: f64) {
        match self {
            Column::Categories(table) => table.add(category(x), category(y)),
            Column::Numbers { first, bins, table } => match bins {
                Some(bins) => table.add(bins.bin(x), bins.bin(y)),
                None => {
                    first.push((x, y));
                    if first.len() == FIRST {
                        let first = std::mem::take(first);
                        let made = Bins::of(&first);
                        *table = made.table(&first);
                        *bins = Some(made);
                    }
                }
            },
        }
    }

    fn loss(&self) -> Option<f64> {
        match self {
            Column::Numbers {
                first, bins: None, ..
            } => Bins::of(first).table(first).loss(),
            Column::Categories(table) | Column::Numbers { table, .. } => table.loss(),
        }
    }
}

/// 0 for a missing value, else one more than the code.
fn category(value: f64) -> usize {
    match value.is_nan() {
        true => 0,
        false => (value.round() as usize).min(MOST_CATEGORIES - 2) + 1,
    }
}

/// Lower ends of all bins but the first.
struct Bins(Vec<f64>);

impl Bins {
    fn of(pairs: &[(f64, f64)]) -> Self {
        let originals = pairs.iter().map(|(original, _)| *original);
        let mut sorted: Vec<f64> = originals.filter(|value| !value.is_nan()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let ends = (1..BINS).filter_map(|bin| sorted.get(bin * sorted.len() / BINS));
        let mut ends: Vec<f64> = ends.copied().collect();
        ends.dedup();
        Bins(ends)
    }

    /// 0 for a missing value, else one more than the number of the bin.
    fn bin(&self, value: f64) -> usize {
        match value.is_nan() {
            true => 0,
            false => self.0.partition_point(|end| *end <= value) + 1,
        }
    }

    fn table(&self, pairs: &[(f64, f64)]) -> Table {
        let mut table = Table::default();
        for &(x, y) in pairs {
            table.add(self.bin(x), self.bin(y));
        }
        table
    }
}

/// How often each two categories met.
#[derive(Default)]
struct Table {
    /// Categories of a side, a power of two.
    side: usize,
    /// Row by row, a row for each original.
    counts: Vec<u64>,
}

impl Table {
    fn add(&mut self, x: usize, y: usize) {
        if x.max(y) >= self.side {
            self.grow((x.max(y) + 1).next_power_of_two());
        }
        self.counts[x * self.side + y] += 1;
    }

    fn grow(&mut self, side: usize) {
        let mut counts = vec![0; side * side];
        let old = self.counts.chunks_exact(self.side.max(1));
        for (row, old) in counts.chunks_exact_mut(side).zip(old) {
            row[..old.len()].copy_from_slice(old);
        }
        *self = Table { side, counts };
    }

    /// H(X | X') / H(X); none when X does not vary.
    fn loss(&self) -> Option<f64> {
        let rows = self.counts.chunks_exact(self.side.max(1));
        let originals = rows.clone().map(|row| row.iter().sum::<u64>());
        let mut columns = vec![0; self.side];
        for row in rows {
            columns
                .iter_mut()
                .zip(row)
                .for_each(|(sum, count)| *sum += count);
        }
        let total = self.counts.iter().sum::<u64>();
        let entropy = |counts: &mut dyn Iterator<Item = u64>| -> f64 {
            let nats = counts.filter(|count| *count > 0).map(|count| {
                let share = count as f64 / total as f64;
                -share * share.ln()
            });
            nats.sum()
        };
        let original = entropy(&mut originals.into_iter());
        let protected = entropy(&mut columns.into_iter());
        let both = entropy(&mut self.counts.iter().copied());
        (original > 0.0).then(|| ((both - protected) / original).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{KINDS, Pair, any_pairs, average, check, same_pairs, settings};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Names of the categories, or of the bins of the first 1,000 pairs.
    fn names(pairs: &[Pair], place: usize) -> Vec<(usize, usize)> {
        let first = pairs[..pairs.len().min(FIRST)].iter();
        let mut sorted: Vec<f64> = first.map(|(original, _)| original[place]).collect();
        sorted.retain(|value| !value.is_nan());
        sorted.sort_by(f64::total_cmp);
        let name = |value: f64| match KINDS[place] {
            _ if value.is_nan() => 0,
            Attribute::Number => {
                let mut ends: Vec<f64> = (1..16).map(|n| sorted[n * sorted.len() / 16]).collect();
                ends.dedup();
                1 + ends.iter().filter(|end| **end <= value).count()
            }
            _ => 1 + value as usize,
        };
        let named = pairs.iter().map(|(x, y)| {
            let some = !sorted.is_empty() || KINDS[place] != Attribute::Number;
            let name = |value: f64| {
                if some {
                    name(value)
                } else {
                    usize::from(!value.is_nan())
                }
            };
            (name(x[place]), name(y[place]))
        });
        named.collect()
    }

    fn bits<K: Ord>(values: impl Iterator<Item = K>) -> f64 {
        let mut counts = BTreeMap::new();
        values.for_each(|value| *counts.entry(value).or_insert(0.0) += 1.0);
        let total: f64 = counts.values().sum();
        counts
            .values()
            .map(|count| count / total * (total / count).log2())
            .sum()
    }

    fn reference(pairs: &[Pair]) -> Option<f64> {
        let losses = (0..4).filter_map(|place| {
            let names = names(pairs, place);
            let original = bits(names.iter().map(|name| name.0));
            let given = bits(names.iter()) - bits(names.iter().map(|name| name.1));
            (original > 0.0).then(|| given / original)
        });
        average(&losses.collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn the_loss_is_that_of_the_entropies(pairs in any_pairs(true)) {
            check(EntropyLoss::new(&settings()), &pairs, reference)?;
        }

        #[test]
        fn what_is_released_as_it_was_loses_nothing(pairs in same_pairs()) {
            check(EntropyLoss::new(&settings()), &pairs, |pairs| reference(pairs).map(|_| 0.0))?;
        }
    }

    #[test]
    fn bins_stay_those_of_the_first_thousand() {
        let pair = |n: i32| {
            let x = f64::from(n * 37 % 211) + f64::from(n / 900);
            let (a, b) = (f64::from(n % 4), f64::from(n % 3));
            (vec![x, -x, a, b], vec![x + 9.0 * a, x, b, b])
        };
        let pairs: Vec<Pair> = (0..1_200).map(pair).collect();
        let mut measure = EntropyLoss::new(&settings());
        for (n, (original, protected)) in pairs.iter().enumerate() {
            measure.observe_record(original, protected);
            if [10, 998, 999, 1_000, 1_199].contains(&n) {
                let (found, expected) = (measure.value(), reference(&pairs[..=n]));
                let (found, expected) = (found.expect("pairs"), expected.expect("pairs"));
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{n}: {found} is not {expected}"
                );
            }
        }
    }

    #[test]
    fn one_value_for_all_loses_all_and_many_categories_are_no_trouble() {
        let mut measure = EntropyLoss::new(&PairSettings::new(vec![Attribute::Nominal]));
        for n in 0..3_000 {
            measure.observe_record(&[f64::from(n)], &[-1.0]);
        }
        let loss = measure.value().expect("it varies");
        assert!((loss - 1.0).abs() < 1e-12, "{loss}");
    }
}
