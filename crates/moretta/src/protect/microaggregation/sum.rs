//! MDAV with the sum of the distances on each axis, as the literature on categorical data has it.
//!
//! As long as 3k records are left, the record farthest from their average and the record farthest
//! from that one are taken out; the first gets its k − 1 nearest, then the second. Where distances
//! are equal, the first record counts. So the second record is never in the group of the first,
//! however many records are equally far.
//!
//! Records that are equal are looked at once: a step costs the number of *different* records.

use super::centroid::Tally;
use super::sum_scale::SumScale;
use crate::cancel::Cancel;
use crate::data::{Attribute, Records};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Groups all records, which are at least k; once it is cancelled, in any way.
pub(super) fn mdav_by_sum(
    scale: &SumScale,
    records: &Records,
    k: usize,
    cancel: &Cancel,
) -> Vec<Vec<usize>> {
    let mut left = Left::all(scale, records);
    let mut groups = Vec::with_capacity(records.len() / k);
    while left.rows >= 3 * k && !cancel.is_cancelled() {
        let average = left.average();
        let (first, at_first) = left.take_farthest(&average);
        let (second, at_second) = left.take_farthest(&at_first);
        groups.push(left.gather(first, &at_first, k));
        groups.push(left.gather(second, &at_second, k));
    }
    if left.rows >= 2 * k {
        let average = left.average();
        let (row, record) = left.take_farthest(&average);
        groups.push(left.gather(row, &record, k));
    }
    groups.push(left.take_all());
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

/// A record and the rows that have it, in order.
struct Cell {
    record: Box<[f64]>,
    rows: VecDeque<usize>,
}

/// The records that are in no group.
struct Left<'a> {
    scale: &'a SumScale,
    axes: Vec<Axis>,
    cells: Vec<Cell>,
    rows: usize,
}

/// What a column counts.
struct Axis {
    attribute: Attribute,
    tally: Tally,
    sum: f64,
    present: f64,
}

impl Axis {
    fn new(attribute: Attribute) -> Self {
        Axis {
            attribute,
            tally: Tally::default(),
            sum: 0.0,
            present: 0.0,
        }
    }

    fn add(&mut self, value: f64) {
        match self.attribute {
            Attribute::Number if value.is_nan() => {}
            Attribute::Number => {
                self.sum += value;
                self.present += 1.0;
            }
            _ => self.tally.add(value),
        }
    }

    fn remove(&mut self, value: f64) {
        match self.attribute {
            Attribute::Number if value.is_nan() => {}
            Attribute::Number => {
                self.sum -= value;
                self.present -= 1.0;
            }
            _ => self.tally.remove(value),
        }
    }

    fn average(&self) -> f64 {
        match self.attribute {
            Attribute::Number => self.sum / self.present,
            Attribute::Ordinal { .. } => self.tally.median(),
            Attribute::Nominal => self.tally.mode(),
        }
    }
}

impl<'a> Left<'a> {
    fn all(scale: &'a SumScale, records: &Records) -> Self {
        let mut left = Left {
            scale,
            axes: scale.attributes().map(Axis::new).collect(),
            cells: Vec::new(),
            rows: records.len(),
        };
        let mut known: HashMap<Box<[u64]>, usize, FixedState> = HashMap::default();
        let mut bits = Vec::new();
        for (row, record) in records.iter().enumerate() {
            bits.clear();
            bits.extend(record.iter().map(|value| (value + 0.0).to_bits()));
            let place = match known.get(bits.as_slice()) {
                Some(&place) => place,
                None => {
                    known.insert(bits.as_slice().into(), left.cells.len());
                    left.cells.push(Cell {
                        record: record.into(),
                        rows: VecDeque::new(),
                    });
                    left.cells.len() - 1
                }
            };
            left.cells[place].rows.push_back(row);
            for (axis, &value) in left.axes.iter_mut().zip(record) {
                axis.add(value);
            }
        }
        left
    }

    fn average(&self) -> Vec<f64> {
        self.axes.iter().map(Axis::average).collect()
    }

    /// Takes out the first row of a cell.
    fn take(&mut self, cell: usize) -> usize {
        let Cell { record, rows } = &mut self.cells[cell];
        for (axis, &value) in self.axes.iter_mut().zip(record.iter()) {
            axis.remove(value);
        }
        self.rows -= 1;
        rows.pop_front().expect("cells without rows are gone")
    }

    /// Takes out the row farthest from a record, of several the first.
    fn take_farthest(&mut self, record: &[f64]) -> (usize, Box<[f64]>) {
        let mut best = (f64::NEG_INFINITY, Reverse(usize::MAX), 0);
        for (place, cell) in self.cells.iter().enumerate() {
            let found = (
                self.scale.distance(&cell.record, record),
                Reverse(cell.rows.front().copied().unwrap_or(usize::MAX)),
                place,
            );
            if (found.0, found.1) > (best.0, best.1) {
                best = found;
            }
        }
        let record = self.cells[best.2].record.clone();
        let row = self.take(best.2);
        self.drop_empty();
        (row, record)
    }

    /// A row with its k − 1 nearest, of those equally far the first.
    fn gather(&mut self, row: usize, record: &[f64], k: usize) -> Vec<usize> {
        let mut near: Vec<(f64, usize)> = (self.cells.iter().enumerate())
            .map(|(place, cell)| (self.scale.distance(&cell.record, record), place))
            .collect();
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut group = vec![row];
        for run in near.chunk_by(|a, b| a.0 == b.0) {
            let first = |place: usize| Some(Reverse((*self.cells[place].rows.front()?, place)));
            let mut firsts: BinaryHeap<Reverse<(usize, usize)>> =
                run.iter().filter_map(|&(_, place)| first(place)).collect();
            while group.len() < k {
                let Some(Reverse((_, place))) = firsts.pop() else {
                    break;
                };
                group.push(self.take(place));
                let next = self.cells[place].rows.front();
                firsts.extend(next.map(|&row| Reverse((row, place))));
            }
            if group.len() == k {
                break;
            }
        }
        self.drop_empty();
        group
    }

    fn take_all(&mut self) -> Vec<usize> {
        let cells = std::mem::take(&mut self.cells);
        self.rows = 0;
        cells.into_iter().flat_map(|cell| cell.rows).collect()
    }

    fn drop_empty(&mut self) {
        self.cells.retain(|cell| !cell.rows.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::super::sum_scale::Ends;
    use super::*;
    use crate::data::{CategoricalTable, Units, Variable};
    use proptest::prelude::*;

    fn grouped(attributes: &[Attribute], records: &Records, k: usize) -> Vec<Vec<usize>> {
        let mut ends = Ends::new(attributes);
        records.iter().for_each(|record| ends.observe(record));
        mdav_by_sum(&ends.scale(), records, k, &Cancel::default())
    }

    /// The algorithm as it is written down, row by row.
    fn slow(table: &CategoricalTable, k: usize) -> Vec<Vec<usize>> {
        let units = Units::new(table.variables());
        let distance = |row: usize, from: &[u32]| -> u64 {
            let codes = table.row(row).zip(from).enumerate();
            codes.map(|(i, (a, &b))| units.distance(i, a, b)).sum()
        };
        let farthest = |rows: &[usize], from: &[u32]| {
            let mut best = rows[0];
            for &row in rows {
                if distance(row, from) > distance(best, from) {
                    best = row;
                }
            }
            best
        };
        let record = |row: usize| table.row(row).collect::<Vec<u32>>();
        let cluster = |rows: &mut Vec<usize>, centre: usize, k: usize| {
            let mut near = rows.clone();
            let from = record(centre);
            near.sort_by_key(|&row| distance(row, &from));
            near.truncate(k - 1);
            rows.retain(|row| !near.contains(row));
            near.push(centre);
            near.sort_unstable();
            near
        };
        let mut rows: Vec<usize> = (0..table.rows()).collect();
        let mut groups = Vec::new();
        while rows.len() >= 3 * k {
            let average = table.average(&rows).expect("rows");
            let r = farthest(&rows, &average);
            rows.retain(|&row| row != r);
            let s = farthest(&rows, &record(r));
            rows.retain(|&row| row != s);
            groups.push(cluster(&mut rows, r, k));
            groups.push(cluster(&mut rows, s, k));
        }
        if rows.len() >= 2 * k {
            let average = table.average(&rows).expect("rows");
            let r = farthest(&rows, &average);
            rows.retain(|&row| row != r);
            groups.push(cluster(&mut rows, r, k));
        }
        groups.push(rows);
        groups
    }

    proptest! {
        #[test]
        fn groups_are_those_of_the_algorithm_row_by_row(
            rows in prop::collection::vec((0..5_u32, 0..4_u32, 0..3_u32), 2..60),
            k in 2..7_usize,
        ) {
            prop_assume!(rows.len() >= k);
            let variables = [Variable::ordinal(5), Variable::ordinal(4), Variable::nominal(3)];
            let columns = [
                rows.iter().map(|row| row.0).collect(),
                rows.iter().map(|row| row.1).collect(),
                rows.iter().map(|row| row.2).collect(),
            ];
            let table = CategoricalTable::new(variables.to_vec(), columns.to_vec()).expect("codes");
            let attributes = [
                Attribute::Ordinal { levels: 5 },
                Attribute::Ordinal { levels: 4 },
                Attribute::Nominal,
            ];
            let mut records = Records::new(3);
            for (a, b, c) in &rows {
                records.push(&[f64::from(*a), f64::from(*b), f64::from(*c)]);
            }
            let found = grouped(&attributes, &records, k);
            prop_assert!(found.iter().all(|group| (k..2 * k).contains(&group.len())));
            prop_assert_eq!(found, slow(&table, k));
        }
    }

    #[test]
    fn numbers_and_missing_values_are_grouped_too() {
        let attributes = [Attribute::Number, Attribute::Nominal];
        let mut records = Records::new(2);
        for (number, code) in [
            (1.0, 0.0),
            (9.0, f64::NAN),
            (1.5, 0.0),
            (f64::NAN, f64::NAN),
        ] {
            records.push(&[number, code]);
        }
        let groups = grouped(&attributes, &records, 2);
        assert_eq!(groups, [[1, 3], [0, 2]]);
        let groups = grouped(&[Attribute::Number], &Records::new(1), 2);
        assert_eq!(groups.concat().len(), 0);
    }
}
