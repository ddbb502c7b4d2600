//! MDAV of one column of numbers or ranks: the same groups without looking at all distances.
//!
//! On a line the record farthest from the centre is one of the two ends, the record farthest
//! from it is the other end, and the nearest to an end are those beside it. So what is left is
//! always a run of the sorted records, and MDAV takes k of them from its ends in turn. Of
//! records with one value the first row goes first, from whichever end.
//!
//! **Costs** a sort.

use super::points::Points;
use crate::data::Attribute;
use std::cmp::Ordering;

/// The groups of MDAV, if the points lie on a line: one column in which all values are present
/// and have an order.
pub(super) fn mdav_on_a_line(points: &Points<'_>, k: usize) -> Option<Vec<Vec<usize>>> {
    let ([attribute], [weight]) = (points.axes.attributes(), points.weights) else {
        return None;
    };
    let finite = points
        .records
        .values()
        .iter()
        .all(|value| value.is_finite());
    if *attribute == Attribute::Nominal || !finite {
        return None;
    }
    let mut line = Line::new(points.records.values(), *attribute, *weight);
    let mut groups = Vec::with_capacity(line.len() / k);
    while line.len() >= 3 * k {
        let end = line.farthest_out();
        groups.push(line.take(end, k));
        groups.push(line.take(end.other(), k));
    }
    if line.len() >= 2 * k {
        let end = line.farthest_out();
        groups.push(line.take(end, k));
    }
    groups.push(line.take(End::Low, line.len()));
    Some(groups)
}

#[derive(Clone, Copy)]
enum End {
    Low,
    High,
}

impl End {
    fn other(self) -> Self {
        match self {
            End::Low => End::High,
            End::High => End::Low,
        }
    }
}

/// Sorted records, of which those in the middle are left.
struct Line {
    attribute: Attribute,
    weight: f64,
    values: Vec<f64>,
    rows: Vec<usize>,
    /// Sums of the values before each place.
    sums: Vec<f64>,
    /// Records of one value: which of their rows are left.
    runs: Vec<std::ops::Range<usize>>,
    low: usize,
    high: usize,
    /// Records that were taken from each end.
    taken: [usize; 2],
}

impl Line {
    fn new(values: &[f64], attribute: Attribute, weight: f64) -> Self {
        let mut rows: Vec<usize> = (0..values.len()).collect();
        rows.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        // Zeros of both signs are one value.
        let sorted: Vec<f64> = rows.iter().map(|&row| values[row] + 0.0).collect();
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for run in sorted.chunk_by(|a, b| a == b) {
            let start = runs.last().map_or(0, |run| run.end);
            runs.push(start..start + run.len());
            rows[start..start + run.len()].sort_unstable();
        }
        let sums = std::iter::once(0.0).chain(sorted.iter().scan(0.0, |sum, value| {
            *sum += value;
            Some(*sum)
        }));
        Line {
            attribute,
            weight,
            sums: sums.collect(),
            rows,
            low: 0,
            high: runs.len().saturating_sub(1),
            runs,
            values: sorted,
            taken: [0; 2],
        }
    }

    fn len(&self) -> usize {
        self.values.len() - self.taken[0] - self.taken[1]
    }

    /// The end that is farther from the centre of what is left.
    fn farthest_out(&self) -> End {
        let (from, to) = (self.taken[0], self.values.len() - self.taken[1]);
        let centre = match self.attribute {
            Attribute::Number => (self.sums[to] - self.sums[from]) / (to - from) as f64,
            _ => self.values[from + (to - from - 1) / 2],
        };
        let out = |place: usize| (self.values[place] - centre).powi(2) * self.weight;
        match out(from).total_cmp(&out(to - 1)) {
            Ordering::Greater => End::Low,
            Ordering::Less => End::High,
            Ordering::Equal => {
                let first = |run: usize| self.rows[self.runs[run].start];
                match first(self.low) <= first(self.high) {
                    true => End::Low,
                    false => End::High,
                }
            }
        }
    }

    fn take(&mut self, end: End, count: usize) -> Vec<usize> {
        let mut group = Vec::with_capacity(count);
        while group.len() < count {
            let run = match end {
                End::Low => &mut self.runs[self.low],
                End::High => &mut self.runs[self.high],
            };
            let more = run.len().min(count - group.len());
            group.extend(&self.rows[run.start..run.start + more]);
            run.start += more;
            match (run.start == run.end, end) {
                (true, End::Low) => self.low += 1,
                (true, End::High) => self.high = self.high.saturating_sub(1),
                (false, _) => {}
            }
        }
        self.taken[end as usize] += count;
        group
    }
}
