//! The recursion: cut, and cut again, until no cut is allowable.
//!
//! Rows are held as short arrays of codes and moved, not chased by index: each
//! cut writes the rows of both sides in order into a second buffer, and the two
//! buffers change roles from level to level. Every level of the recursion thus
//! reads and writes the table once, front to back. Order within a part stays
//! the order of the input, so the result does not depend on the thread count.

use super::super::limits::Limits;
use super::axis::{Axis, Ruler};
use super::cut::{Boundary, Codes, Scratch, Ties, choose};

/// Sets of at least this many rows are worth a second thread.
const PARALLEL: usize = 1 << 14;

/// The classes, one after the other.
pub(super) struct Partition {
    /// Rows of the table in the order of their classes.
    pub(super) rows: Vec<u32>,
    /// Where each class ends.
    pub(super) ends: Vec<usize>,
    /// Least and largest code of each class on each axis, class by class.
    pub(super) spans: Vec<(u32, u32)>,
}

/// Cuts the table along its axes as far as the limits allow.
pub(super) fn partition(axes: &[Axis], limits: &Limits, ties: &'static [Ties]) -> Partition {
    macro_rules! by_width {
        ($($width:literal)*) => {
            match axes.len() + 1 {
                $(width if width <= $width => divide_all::<$width>(axes, limits, ties),)*
                _ => divide_all::<MOST_AXES>(axes, limits, ties),
            }
        };
    }
    by_width!(2 3 4 5 6 7 8 9 11 13 17 25 33 65)
}

/// The most quasi-identifiers a table can have, plus one.
pub(super) const MOST_AXES: usize = 257;

fn divide_all<const W: usize>(axes: &[Axis], limits: &Limits, ties: &'static [Ties]) -> Partition {
    let n = axes.first().map_or(0, |axis| axis.codes.len());
    let mut rows = vec![[0u32; W]; n];
    for (i, row) in rows.iter_mut().enumerate() {
        for (slot, axis) in row.iter_mut().zip(axes) {
            *slot = axis.codes[i];
        }
        row[W - 1] = i as u32;
    }
    let mut spare = rows.clone();
    let recursion = Recursion::<W> {
        rulers: axes.iter().map(|axis| &axis.ruler).collect(),
        limits,
        ties,
    };
    let mut sizes = Vec::new();
    recursion.divide(
        &mut rows,
        &mut spare,
        true,
        &mut Scratch::default(),
        &mut sizes,
    );
    drop(spare);
    let mut spans = Vec::with_capacity(sizes.len() * axes.len());
    let mut ends = Vec::with_capacity(sizes.len());
    let mut end = 0;
    for size in sizes {
        let (low, high) = extent(&rows[end..end + size]);
        spans.extend(low.into_iter().zip(high).take(axes.len()));
        end += size;
        ends.push(end);
    }
    Partition {
        rows: rows.iter().map(|row| row[W - 1]).collect(),
        ends,
        spans,
    }
}

struct Recursion<'a, const W: usize> {
    rulers: Vec<&'a Ruler>,
    limits: &'a Limits,
    ties: &'static [Ties],
}

impl<const W: usize> Recursion<'_, W> {
    /// Puts the classes of `rows` one after the other into the first buffer,
    /// which is `rows` if `home` says so and `spare` if not, and notes their sizes.
    fn divide(
        &self,
        rows: &mut [[u32; W]],
        spare: &mut [[u32; W]],
        home: bool,
        scratch: &mut Scratch,
        sizes: &mut Vec<usize>,
    ) {
        if rows.len() >= 2 * self.limits.k {
            let (low, high) = extent(rows);
            let axes = self.widest_first(&low, &high);
            for (&ties, &axis) in self
                .ties
                .iter()
                .flat_map(|ties| axes.iter().map(move |axis| (ties, axis)))
            {
                let set = Codes {
                    code: |i: usize| rows[i][axis],
                    row: |i: usize| rows[i][W - 1],
                    len: rows.len(),
                    low: low[axis],
                    high: high[axis],
                };
                let boundaries = choose(&set, self.rulers[axis], self.limits, ties, scratch);
                if !boundaries.is_empty() {
                    return self.split(rows, spare, home, axis, 0, &boundaries, scratch, sizes);
                }
            }
        }
        if !home {
            spare.copy_from_slice(rows);
        }
        if !rows.is_empty() {
            sizes.push(rows.len());
        }
    }

    /// The axes on which the rows differ, widest first.
    fn widest_first(&self, low: &[u32; W], high: &[u32; W]) -> Vec<usize> {
        let mut axes: Vec<(f64, usize)> = self
            .rulers
            .iter()
            .enumerate()
            .map(|(axis, ruler)| (ruler.width(low[axis], high[axis]), axis))
            .filter(|(width, _)| *width > 0.0)
            .collect();
        axes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        axes.into_iter().map(|(_, axis)| axis).collect()
    }

    /// Parts `rows`, which start at place `offset` of the set the boundaries
    /// were made for, at all boundaries, the middle one first.
    #[expect(
        clippy::too_many_arguments,
        reason = "two buffers and where they stand"
    )]
    fn split(
        &self,
        rows: &mut [[u32; W]],
        spare: &mut [[u32; W]],
        home: bool,
        axis: usize,
        offset: usize,
        boundaries: &[Boundary],
        scratch: &mut Scratch,
        sizes: &mut Vec<usize>,
    ) {
        if boundaries.is_empty() {
            return self.divide(rows, spare, home, scratch, sizes);
        }
        let middle = boundaries.len() / 2;
        let boundary = boundaries[middle];
        let before = boundary.before - offset;
        move_rows(rows, spare, axis, boundary, before);
        let (left, right) = rows.split_at_mut(before);
        let (spare_left, spare_right) = spare.split_at_mut(before);
        let (lower, upper) = (&boundaries[..middle], &boundaries[middle + 1..]);
        if left.len() + right.len() < PARALLEL {
            self.split(spare_left, left, !home, axis, offset, lower, scratch, sizes);
            self.split(
                spare_right,
                right,
                !home,
                axis,
                boundary.before,
                upper,
                scratch,
                sizes,
            );
            return;
        }
        let mut right_sizes = Vec::new();
        rayon::join(
            || self.split(spare_left, left, !home, axis, offset, lower, scratch, sizes),
            || {
                let scratch = &mut Scratch::default();
                self.split(
                    spare_right,
                    right,
                    !home,
                    axis,
                    boundary.before,
                    upper,
                    scratch,
                    &mut right_sizes,
                );
            },
        );
        sizes.append(&mut right_sizes);
    }
}

/// Writes the rows before the boundary to the front of `to`, the others behind them, both in order.
fn move_rows<const W: usize>(
    from: &[[u32; W]],
    to: &mut [[u32; W]],
    axis: usize,
    boundary: Boundary,
    before: usize,
) {
    let (mut left, mut right) = (0, before);
    let mut ties = boundary.ties;
    for row in from {
        let code = row[axis];
        let tie = code == boundary.code && ties > 0;
        ties -= usize::from(tie);
        let goes_left = code < boundary.code || tie;
        let place = if goes_left { left } else { right };
        left += usize::from(goes_left);
        right += usize::from(!goes_left);
        to[place] = *row;
    }
}

/// Least and largest code on each axis.
fn extent<const W: usize>(rows: &[[u32; W]]) -> ([u32; W], [u32; W]) {
    let mut low = [u32::MAX; W];
    let mut high = [0; W];
    for row in rows {
        for axis in 0..W {
            low[axis] = low[axis].min(row[axis]);
            high[axis] = high[axis].max(row[axis]);
        }
    }
    (low, high)
}
