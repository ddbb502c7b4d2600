//! The nearest of many records of categories.
//!
//! Different records are sorted, so that those with the same first categories lie together; a search
//! goes from attribute to attribute and leaves out all that are farther than what it has found.

use super::cells::Cells;
use crate::data::Units;

/// Different records, sorted, with how often each occurs.
#[derive(Clone, Debug)]
pub(super) struct Sorted {
    width: usize,
    codes: Vec<u32>,
    /// How many there are before each, and after the last.
    before: Vec<u64>,
}

/// What a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nearest {
    /// The least distance, in units.
    pub(super) distance: u64,
    /// How many records have it.
    pub(super) records: u64,
}

impl Sorted {
    /// Sorts some cells, of which each occurs as often as `counts` says.
    pub(super) fn new(width: usize, cells: &Cells, counts: &[u64]) -> Self {
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| cells.record(a).cmp(cells.record(b)));
        let mut total = 0;
        let mut before = vec![0];
        let mut codes = Vec::with_capacity(order.len() * width);
        for &cell in &order {
            codes.extend_from_slice(cells.record(cell));
            total += counts[cell as usize];
            before.push(total);
        }
        Sorted {
            width,
            codes,
            before,
        }
    }

    /// How many different records there are.
    pub(super) fn len(&self) -> usize {
        self.before.len() - 1
    }

    /// A different record, and how often it occurs.
    pub(super) fn get(&self, place: usize) -> (&[u32], u64) {
        let record = &self.codes[place * self.width..][..self.width];
        (record, self.before[place + 1] - self.before[place])
    }

    /// The least distance from a record, and how many have it.
    pub(super) fn nearest(&self, units: &Units, record: &[u32]) -> Nearest {
        let mut found = Nearest {
            distance: u64::MAX,
            records: 0,
        };
        let search = Search {
            sorted: self,
            units,
            record,
        };
        search.descend(0, (0, self.len()), 0, &mut found);
        found
    }

    #[inline]
    fn code(&self, depth: usize, place: usize) -> u32 {
        self.codes[place * self.width + depth]
    }

    /// The first of some places whose category is at least `code`.
    fn first(&self, depth: usize, (start, end): (usize, usize), code: u32) -> usize {
        let (mut low, mut high) = (start, end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.code(depth, middle) < code {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

struct Search<'a> {
    sorted: &'a Sorted,
    units: &'a Units,
    record: &'a [u32],
}

impl Search<'_> {
    /// Looks at places whose first `depth` categories are `distance` from those of the record.
    fn descend(
        &self,
        depth: usize,
        (start, end): (usize, usize),
        distance: u64,
        found: &mut Nearest,
    ) {
        if start == end || distance > found.distance {
            return;
        }
        let sorted = self.sorted;
        if depth == sorted.width {
            if distance < found.distance {
                *found = Nearest {
                    distance,
                    records: 0,
                };
            }
            found.records += sorted.before[end] - sorted.before[start];
            return;
        }
        let code = self.record[depth];
        let equal = sorted.first(depth, (start, end), code);
        let above = sorted.first(depth, (equal, end), code.saturating_add(1));
        self.descend(depth + 1, (equal, above), distance, found);
        // Outwards on both sides, so that the first category that is too far ends a side.
        let (mut low, mut high) = (equal, above);
        while low > start {
            let other = sorted.code(depth, low - 1);
            let next = distance + self.units.distance(depth, code, other);
            if next > found.distance {
                break;
            }
            let first = sorted.first(depth, (start, low), other);
            self.descend(depth + 1, (first, low), next, found);
            low = first;
        }
        while high < end {
            let other = sorted.code(depth, high);
            let next = distance + self.units.distance(depth, code, other);
            if next > found.distance {
                break;
            }
            let last = sorted.first(depth, (high, end), other + 1);
            self.descend(depth + 1, (high, last), next, found);
            high = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;
    use proptest::prelude::*;

    fn sorted(records: &[[u32; 3]]) -> Sorted {
        let mut cells = Cells::new(3);
        let mut counts = Vec::new();
        for record in records {
            let (place, new) = cells.insert(record);
            if new {
                counts.push(0);
            }
            counts[place as usize] += 1;
        }
        Sorted::new(3, &cells, &counts)
    }

    proptest! {
        #[test]
        fn a_search_finds_what_comparing_all_finds(
            records in prop::collection::vec([0_u32..4, 0..3, 0..6], 1..60),
            record in [0_u32..4, 0..3, 0..6],
        ) {
            let sorted = sorted(&records);
            let variables = [Variable::ordinal(4), Variable::nominal(3), Variable::ordinal(6)];
            let units = Units::new(&variables);
            let distance = |other: &[u32; 3]| -> u64 {
                (0..3).map(|i| units.distance(i, record[i], other[i])).sum()
            };
            let least = records.iter().map(distance).min().expect("records");
            let count = records.iter().filter(|other| distance(other) == least).count();
            let found = sorted.nearest(&units, &record);
            prop_assert_eq!(found, Nearest { distance: least, records: count as u64 });
        }
    }

    #[test]
    fn among_no_records_none_is_near() {
        let found = sorted(&[]).nearest(&Units::new(&[Variable::ordinal(2); 3]), &[0, 0, 0]);
        assert_eq!(found.records, 0);
    }
}
