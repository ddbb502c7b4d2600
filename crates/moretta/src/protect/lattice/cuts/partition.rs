//! What a set of cuts does to a table: its classes, which of them go, what is lost, and the least
//! that can be lost by more cuts.

use super::columns::CutColumn;
use crate::protect::lattice::metric::{Mean, Metric};
use crate::protect::limits::{Growth, Limits};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::fmt;

/// The most places to cut, of all columns together.
pub(super) const MOST_CUTS: usize = 64 * WORDS;
const WORDS: usize = 8;

/// A set of places to cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct CutSet([u64; WORDS]);

impl CutSet {
    pub(super) fn first(n: usize) -> Self {
        (0..n).fold(CutSet::default(), CutSet::with)
    }

    pub(super) fn has(&self, cut: usize) -> bool {
        self.0[cut / 64] >> (cut % 64) & 1 == 1
    }

    pub(super) fn with(mut self, cut: usize) -> Self {
        self.0[cut / 64] |= 1 << (cut % 64);
        self
    }

    pub(super) fn without(mut self, cut: usize) -> Self {
        self.0[cut / 64] &= !(1 << (cut % 64));
        self
    }

    pub(super) fn union(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
        self
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..MOST_CUTS).filter(|&cut| self.has(cut))
    }
}

impl fmt::Debug for CutSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A table whose columns can be cut.
pub(super) struct CutTable<'a> {
    pub(super) columns: &'a [CutColumn],
    pub(super) limits: &'a Limits,
    pub(super) metric: Metric,
    /// Rows that may be suppressed.
    pub(super) budget: u64,
    /// The first cut of each column among all cuts, and how many there are.
    firsts: Vec<usize>,
    pub(super) cuts: usize,
    /// The bin of each row in each column: distinct rows where only rows are counted.
    bins: Vec<Vec<u32>>,
    /// How many rows of the table each row stands for.
    weights: Vec<u64>,
    total: u64,
}

/// The classes that a set of cuts makes.
pub(super) struct Partition {
    cuts: CutSet,
    class_of: Vec<u32>,
    /// The rows of each class.
    sizes: Vec<u64>,
}

/// Whether a class keeps the promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Keeps,
    /// It does not, though parts of it may.
    Fails,
    /// Neither it nor any part of it does.
    Bars,
}

/// What was found of a set of cuts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Evaluation {
    pub(super) value: f64,
    pub(super) suppressed: u64,
    pub(super) classes: u64,
    pub(super) holds: bool,
}

/// What one more cut does to the classes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Split {
    /// The sum over classes of the product of the sizes of both parts.
    pub(super) gain: f64,
    /// It can be part of a set that loses less with it than without it.
    pub(super) useful: bool,
}

impl<'a> CutTable<'a> {
    /// `None` where columns and cuts are too many.
    pub(super) fn new(
        columns: &'a [CutColumn],
        limits: &'a Limits,
        metric: Metric,
        budget: u64,
    ) -> Option<Self> {
        let mut firsts = Vec::with_capacity(columns.len());
        let mut cuts = 0;
        for column in columns {
            firsts.push(cuts);
            cuts += column.n_bins - 1;
        }
        let bits: f64 = columns.iter().map(|c| (c.n_bins as f64).log2()).sum();
        let rows = columns.first().map_or(0, |column| column.bins.len());
        let mut table = CutTable {
            columns,
            limits,
            metric,
            budget,
            firsts,
            cuts,
            bins: columns.iter().map(|column| column.bins.clone()).collect(),
            weights: vec![1; rows],
            total: rows as u64,
        };
        if cuts > MOST_CUTS || bits > 127.0 {
            return None;
        }
        if limits.only_rows() {
            table.merge();
        }
        Some(table)
    }

    /// Keeps one of equal rows, which stands for all.
    fn merge(&mut self) {
        let all = self.partition(CutSet::first(self.cuts));
        let mut seen = vec![false; all.sizes.len()];
        let classes = all.class_of.iter().enumerate();
        let kept: Vec<usize> = classes
            .filter(|(_, class)| !std::mem::replace(&mut seen[**class as usize], true))
            .map(|(row, _)| row)
            .collect();
        self.weights = kept
            .iter()
            .map(|&row| all.sizes[all.class_of[row] as usize])
            .collect();
        for bins in &mut self.bins {
            *bins = kept.iter().map(|&row| bins[row]).collect();
        }
    }

    /// The part of each bin of a column.
    pub(super) fn parts(&self, cuts: &CutSet, column: usize) -> Vec<u32> {
        let first = self.firsts[column];
        let mut part = 0;
        (0..self.columns[column].n_bins)
            .map(|bin| {
                part += u32::from(bin > 0 && cuts.has(first + bin - 1));
                part
            })
            .collect()
    }

    /// How many of the cuts each column has.
    pub(super) fn cuts_by_column(&self, cuts: &CutSet) -> Vec<usize> {
        let columns = self.columns.iter().zip(&self.firsts);
        columns
            .map(|(column, &first)| {
                (first..first + column.n_bins - 1)
                    .filter(|&cut| cuts.has(cut))
                    .count()
            })
            .collect()
    }

    pub(super) fn partition(&self, cuts: CutSet) -> Partition {
        let mut keys = vec![0u128; self.weights.len()];
        for (column, bins) in self.bins.iter().enumerate() {
            let parts = self.parts(&cuts, column);
            let radix = parts.last().map_or(1, |&last| u128::from(last) + 1);
            if radix == 1 {
                continue;
            }
            for (key, &bin) in keys.iter_mut().zip(bins) {
                *key = *key * radix + u128::from(parts[bin as usize]);
            }
        }
        let mut known: HashMap<u128, u32, FixedState> = HashMap::default();
        let mut sizes: Vec<u64> = Vec::new();
        let class_of = keys.iter().zip(&self.weights).map(|(&key, &weight)| {
            let next = sizes.len() as u32;
            let class = *known.entry(key).or_insert(next);
            if class == next {
                sizes.push(0);
            }
            sizes[class as usize] += weight;
            class
        });
        Partition {
            class_of: class_of.collect(),
            cuts,
            sizes,
        }
    }

    /// The rows of each class, one after the other, and where those of each begin.
    fn members(&self, partition: &Partition) -> (Vec<u32>, Vec<usize>) {
        let mut starts = vec![0; partition.sizes.len() + 1];
        for &class in &partition.class_of {
            starts[class as usize + 1] += 1;
        }
        for class in 1..starts.len() {
            starts[class] += starts[class - 1];
        }
        let mut next = starts.clone();
        let mut members = vec![0; partition.class_of.len()];
        for (row, &class) in (0..).zip(&partition.class_of) {
            members[next[class as usize]] = row;
            next[class as usize] += 1;
        }
        (members, starts)
    }

    /// Whether each class keeps the promises.
    pub(super) fn judge(&self, partition: &Partition) -> Vec<Verdict> {
        let limits = self.limits;
        let k = limits.k as u64;
        if limits.only_rows() {
            let verdict = |&size: &u64| match size >= k {
                true => Verdict::Keeps,
                false => Verdict::Bars,
            };
            return partition.sizes.iter().map(verdict).collect();
        }
        let (members, starts) = self.members(partition);
        let monotone = limits.growth() == Growth::Always;
        let verdict = |class: usize| {
            let rows = &members[starts[class]..starts[class + 1]];
            match limits.hold(rows) {
                true => Verdict::Keeps,
                false if monotone || limits.size_of(rows) < limits.k => Verdict::Bars,
                false => Verdict::Fails,
            }
        };
        (0..partition.sizes.len()).map(verdict).collect()
    }

    /// What is lost by a set of cuts.
    pub(super) fn evaluate(&self, partition: &Partition, verdicts: &[Verdict]) -> Evaluation {
        let classes = partition.sizes.iter().zip(verdicts);
        let gone = classes
            .clone()
            .filter(|(_, verdict)| **verdict != Verdict::Keeps);
        let suppressed: u64 = gone.map(|(size, _)| size).sum();
        let value = self.lost(partition, |class| verdicts[class] == Verdict::Keeps, 1);
        Evaluation {
            value,
            suppressed,
            classes: classes
                .filter(|(_, verdict)| **verdict == Verdict::Keeps)
                .count() as u64,
            holds: suppressed <= self.budget,
        }
    }

    /// Rows that every set of more cuts suppresses, too.
    pub(super) fn barred(&self, partition: &Partition, verdicts: &[Verdict]) -> u64 {
        let classes = partition.sizes.iter().zip(verdicts);
        let barred = classes.filter(|(_, verdict)| **verdict == Verdict::Bars);
        barred.map(|(size, _)| size).sum()
    }

    /// The least that is lost by any set between `head` and `all`: a class of it holds that of
    /// `all`, and at least k rows where it is kept, and none is kept that `head` bars.
    pub(super) fn bound(&self, head: &Partition, verdicts: &[Verdict], all: &Partition) -> f64 {
        let barred = |row: usize| verdicts[head.class_of[row] as usize] == Verdict::Bars;
        self.lost_by_rows(all, |row| !barred(row), self.limits.k as u64)
    }

    fn lost(&self, partition: &Partition, keeps: impl Fn(usize) -> bool, least: u64) -> f64 {
        self.lost_by_rows(
            partition,
            |row| keeps(partition.class_of[row] as usize),
            least,
        )
    }

    /// What is lost where these rows are kept, in classes of at least so many rows.
    fn lost_by_rows(
        &self,
        partition: &Partition,
        keeps: impl Fn(usize) -> bool,
        least: u64,
    ) -> f64 {
        let rows = || self.weights.iter().enumerate();
        match self.metric {
            Metric::Loss { mean } => {
                let columns = self.columns.iter().enumerate().map(|(place, column)| {
                    let shares = self.shares(&partition.cuts, place);
                    let bins = &self.bins[place];
                    let lost = rows().map(|(row, &weight)| match keeps(row) {
                        true => shares[bins[row] as usize] * weight as f64,
                        false => weight as f64,
                    });
                    column.weight * lost.sum::<f64>() / self.total.max(1) as f64
                });
                mean_of(mean, columns, self.columns.len())
            }
            _ => rows()
                .map(|(row, &weight)| {
                    let size = partition.sizes[partition.class_of[row] as usize].max(least);
                    weight as f64 * if keeps(row) { size } else { self.total } as f64
                })
                .sum(),
        }
    }

    /// What a value of each bin loses.
    fn shares(&self, cuts: &CutSet, place: usize) -> Vec<f64> {
        let column = &self.columns[place];
        let parts = self.parts(cuts, place);
        let mut values = vec![0; column.n_bins];
        let mut says_nothing = vec![false; column.n_bins];
        for (bin, &part) in parts.iter().enumerate() {
            values[part as usize] += column.values.get(bin).copied().unwrap_or(0);
            // A part that holds missing cells beside others shows `*`.
            let with_missing = column.is_missing(bin) && bin > 0 && parts[bin - 1] == part;
            says_nothing[part as usize] |= with_missing;
        }
        let share = |&part: &u32| match says_nothing[part as usize] {
            true => 1.0,
            false => column.share(values[part as usize]),
        };
        parts.iter().map(share).collect()
    }

    /// What each cut does to the classes of a set.
    pub(super) fn splits(&self, head: &Partition, verdicts: &[Verdict]) -> Vec<Split> {
        let (members, starts) = self.members(head);
        let k = self.limits.k as u64;
        // What is suppressed counts all rows, so a class of which one part is too small is not
        // worth dividing, unless it is larger than half of them. Not so where promises can hold
        // of a part and not of the whole: then both parts must be too small.
        let strict = self.limits.growth() == Growth::Always;
        // A loss shrinks with every cut, whether or not it divides a class.
        let narrows = matches!(self.metric, Metric::Loss { .. });
        let blank = Split {
            gain: 0.0,
            useful: narrows,
        };
        let mut splits = vec![blank; self.cuts];
        for (place, bins) in self.bins.iter().enumerate() {
            let mut rows_of_bin = vec![0u64; self.columns[place].n_bins];
            for class in 0..head.sizes.len() {
                if verdicts[class] == Verdict::Bars {
                    continue;
                }
                let rows = &members[starts[class]..starts[class + 1]];
                let (mut low, mut high) = (usize::MAX, 0);
                for &row in rows {
                    let bin = bins[row as usize] as usize;
                    (low, high) = (low.min(bin), high.max(bin));
                    rows_of_bin[bin] += self.weights[row as usize];
                }
                let size = head.sizes[class];
                let mut left = 0;
                for bin in low..high {
                    left += std::mem::take(&mut rows_of_bin[bin]);
                    let right = size - left;
                    let split = &mut splits[self.firsts[place] + bin];
                    split.gain += left as f64 * right as f64;
                    let one = left.max(right) >= k;
                    let both = left.min(right) >= k;
                    split.useful |= match strict {
                        true => both || one && 2 * size > self.total + 1,
                        false => one,
                    };
                }
                rows_of_bin[high] = 0;
            }
        }
        splits
    }
}

fn mean_of(mean: Mean, lost: impl Iterator<Item = f64>, columns: usize) -> f64 {
    let columns = columns.max(1) as f64;
    match mean {
        Mean::Geometric => {
            lost.map(|lost| 1.0 + lost)
                .product::<f64>()
                .powf(1.0 / columns)
                - 1.0
        }
        Mean::Arithmetic => lost.sum::<f64>() / columns,
    }
}
