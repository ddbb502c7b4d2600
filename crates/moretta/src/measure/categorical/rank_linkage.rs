//! Linkage for rank swapping: an intruder who knows how far values were swapped.
//!
//! Of an original value, the positions that hold it in the sorted masked column, widened by the
//! window w on each side, give a range of values; the masked records that have all of their values
//! in the ranges of a record are the candidates for it. Rank swapping with that window always leaves
//! the true one among them. The risk is the mean of one over the number of candidates, 0 where the
//! true one is none. From Nin, Herranz and Torra (2008); the exact rule is ours.

use super::cells::Cells;
use super::nearest::Sorted;
use crate::data::{CategoricalTable, Variable};

/// The share of records that are found by who knows the window.
pub fn rank_linkage(original: &CategoricalTable, masked: &CategoricalTable, window: usize) -> f64 {
    let pairs = (0..original.rows().min(masked.rows())).map(|row| {
        let record = |table: &CategoricalTable| table.row(row).collect::<Vec<u32>>();
        (record(original), record(masked), 1)
    });
    let mut linkage = RankLinkage::new(original.variables());
    for (original, masked, count) in pairs {
        linkage.add(&original, &masked, count);
    }
    linkage.share(window as u64)
}

/// Pairs of records, counted by their cells.
#[derive(Clone, Debug)]
pub(super) struct RankLinkage {
    width: usize,
    /// An original and its masked record, side by side.
    pairs: Cells,
    counts: Vec<u64>,
    masked: Cells,
    masked_counts: Vec<u64>,
    /// How often each masked category occurs, by attribute.
    columns: Vec<Vec<u64>>,
}

impl RankLinkage {
    pub(super) fn new(variables: &[Variable]) -> Self {
        RankLinkage {
            width: variables.len(),
            pairs: Cells::new(2 * variables.len()),
            counts: Vec::new(),
            masked: Cells::new(variables.len()),
            masked_counts: Vec::new(),
            columns: variables.iter().map(|v| vec![0; v.levels]).collect(),
        }
    }

    /// Adds a pair of records.
    pub(super) fn add(&mut self, original: &[u32], masked: &[u32], count: u64) {
        let add = |cells: &mut Cells, counts: &mut Vec<u64>, record: &[u32]| {
            let (place, _) = cells.insert(record);
            counts.resize(cells.places(), 0);
            counts[place as usize] += count;
        };
        let pair = [original, masked].concat();
        add(&mut self.pairs, &mut self.counts, &pair);
        add(&mut self.masked, &mut self.masked_counts, masked);
        for (column, &code) in self.columns.iter_mut().zip(masked) {
            column[code as usize] += count;
        }
    }

    /// The share of records that are found, with a window of so many ranks.
    pub(super) fn share(&self, window: u64) -> f64 {
        let sorted = Sorted::new(self.width, &self.masked, &self.masked_counts);
        let columns = self.columns.iter();
        let ranges: Vec<Vec<(u32, u32)>> =
            columns.map(|counts| value_ranges(counts, window)).collect();
        let mut rows = 0;
        let mut found = 0.0;
        let mut range = Vec::with_capacity(self.width);
        for (place, &count) in self.counts.iter().enumerate() {
            let (original, masked) = self.pairs.record(place as u32).split_at(self.width);
            rows += count;
            range.clear();
            let of_column = |(ranges, &code): (&Vec<(u32, u32)>, &u32)| ranges[code as usize];
            range.extend(ranges.iter().zip(original).map(of_column));
            let mut inside = range.iter().zip(masked);
            if inside.all(|((least, most), code)| (least..=most).contains(&code)) {
                found += count as f64 / sorted.in_box(&range) as f64;
            }
        }
        if rows == 0 { 0.0 } else { found / rows as f64 }
    }
}

/// Of each category, the least and the greatest one that lies within a window of its positions in
/// the sorted column.
fn value_ranges(counts: &[u64], window: u64) -> Vec<(u32, u32)> {
    let total: u64 = counts.iter().sum();
    let ends: Vec<u64> = counts
        .iter()
        .scan(0, |end, count| {
            *end += count;
            Some(*end)
        })
        .collect();
    // The category at a position is the first that ends after it.
    let at = |position: u64| ends.partition_point(|&end| end <= position) as u32;
    let range = |(code, &count): (usize, &u64)| {
        let start = (ends[code] - count).saturating_sub(window);
        let end = (ends[code] + window).min(total);
        if start < end {
            (at(start), at(end - 1))
        } else {
            (code as u32, code as u32)
        }
    };
    counts.iter().enumerate().map(range).collect()
}
