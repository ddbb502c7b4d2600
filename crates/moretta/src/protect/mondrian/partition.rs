//! The recursion: cut, and cut again, until no cut is allowable.
//!
//! Rows are held as short arrays of codes and moved, not chased by index: each
//! cut writes the rows of both sides in order into a second buffer, and the two
//! buffers change roles from level to level. Every level of the recursion thus
//! reads and writes the table once, front to back. Order within a part stays
//! the order of the input, so the result does not depend on the thread count.
//! So does what may be suppressed: each part gets its share by its size. Codes
//! are signed and as short as they can be, because processors compare eight
//! such numbers at once even without newer instructions.

use super::super::limits::Limits;
use super::axis::{Axis, Ruler};
use super::cut::{Boundary, Codes, Cut, Scratch, Ties, choose};
use super::refusal::Refusal;
use super::trim::{Terms, Trim, trim};

/// Sets of at least this many rows are worth a second thread.
const PARALLEL: usize = 1 << 14;

/// The most quasi-identifiers a table can have.
pub(super) const MOST_AXES: usize = 256;

/// The classes, one after the other.
pub(super) struct Partition {
    /// Rows of the table in the order of their classes, without suppressed ones.
    pub(super) rows: Vec<u32>,
    /// Where each class ends.
    pub(super) ends: Vec<usize>,
    /// Least and largest code of each class on each axis, class by class.
    pub(super) spans: Vec<(u32, u32)>,
    /// How deep in the recursion lies the cut before each class, from 1; 0 for the first class.
    pub(super) depths: Vec<u32>,
}

impl Partition {
    /// The rows of each class.
    pub(super) fn classes(&self) -> impl Iterator<Item = &[u32]> + '_ {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.rows[start..end])
    }
}

/// How to partition.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    /// What every class must have.
    pub(super) limits: &'a Limits,
    /// The class of each row in a coarser release, inside which cuts are made, and which of these
    /// classes stay as they are; none where the whole table is cut.
    pub(super) inside: Option<(&'a [u32], &'a [bool])>,
    /// The ways to cut, in the order in which they are tried.
    pub(super) ties: &'a [Ties],
    /// The most rows that may be suppressed.
    pub(super) budget: usize,
    /// How often allowed cuts are refused.
    pub(super) refusal: Refusal,
}

/// Cuts the table along its axes as far as the rules allow.
pub(super) fn partition(axes: &[Axis], rules: Rules<'_>) -> Partition {
    let largest = axes
        .iter()
        .map(|axis| axis.ruler.missing)
        .max()
        .unwrap_or(0);
    if largest <= i16::MAX as u32 {
        by_width::<i16>(axes, rules)
    } else {
        by_width::<i32>(axes, rules)
    }
}

fn by_width<C: Code>(axes: &[Axis], rules: Rules<'_>) -> Partition {
    match axes.len() {
        0..=2 => divide_all::<C, 2>(axes, rules),
        3 => divide_all::<C, 3>(axes, rules),
        4 => divide_all::<C, 4>(axes, rules),
        5..=6 => divide_all::<C, 6>(axes, rules),
        7..=8 => divide_all::<C, 8>(axes, rules),
        9..=12 => divide_all::<C, 12>(axes, rules),
        13..=16 => divide_all::<C, 16>(axes, rules),
        17..=32 => divide_all::<C, 32>(axes, rules),
        33..=64 => divide_all::<C, 64>(axes, rules),
        _ => divide_all::<C, MOST_AXES>(axes, rules),
    }
}

/// A code of an axis, in as few bytes as will do.
trait Code: Copy + Ord + Send + Sync {
    const LEAST: Self;
    const LARGEST: Self;
    fn new(code: u32) -> Self;
    fn get(self) -> u32;
}

macro_rules! code {
    ($type:ty) => {
        impl Code for $type {
            const LEAST: Self = <$type>::MIN;
            const LARGEST: Self = <$type>::MAX;
            fn new(code: u32) -> Self {
                code as $type
            }
            fn get(self) -> u32 {
                self as u32
            }
        }
    };
}
code!(i16);
code!(i32);

/// A row of the table: its code on each axis, and its number.
#[derive(Clone, Copy)]
struct Row<C, const W: usize> {
    codes: [C; W],
    number: u32,
}

fn divide_all<C: Code, const W: usize>(axes: &[Axis], rules: Rules<'_>) -> Partition {
    let n = axes.first().map_or(0, |axis| axis.codes.len());
    let blank = Row {
        codes: [C::new(0); W],
        number: 0,
    };
    let mut rows = vec![blank; n];
    for (row, number) in rows.iter_mut().zip(0..) {
        row.number = number;
    }
    for (place, axis) in axes.iter().enumerate() {
        for (row, &code) in rows.iter_mut().zip(&axis.codes) {
            row.codes[place] = C::new(code);
        }
    }
    let mut spare = vec![blank; n];
    let recursion = Recursion {
        rulers: axes.iter().map(|axis| &axis.ruler).collect(),
        rules,
    };
    let mut branch = Branch::default();
    let mut ends = Vec::new();
    if let Some((classes, _)) = rules.inside {
        let class_of = |row: &Row<C, W>| classes[row.number as usize];
        rows.sort_by_key(class_of);
        let classes = rows.chunk_by(|a, b| class_of(a) == class_of(b));
        ends.extend(classes.scan(0, |end, class| {
            *end += class.len();
            Some(*end)
        }));
        ends.pop();
    }
    let set = Set {
        rows: &mut rows,
        spare: &mut spare,
        home: true,
        budget: rules.budget,
        depth: 0,
        cut_before: 0,
    };
    recursion.divide_each(set, (0, &ends), &mut branch);
    drop(spare);
    collect(&rows, &branch.pieces, axes.len())
}

/// Lists the classes that lie one after the other in `rows`.
fn collect<C: Code, const W: usize>(
    rows: &[Row<C, W>],
    pieces: &[Piece],
    n_axes: usize,
) -> Partition {
    let mut partition = Partition {
        rows: Vec::with_capacity(rows.len()),
        ends: Vec::with_capacity(pieces.len()),
        spans: Vec::with_capacity(pieces.len() * n_axes),
        depths: Vec::with_capacity(pieces.len()),
    };
    let mut start = 0;
    let mut depth = u32::MAX;
    for piece in pieces {
        let class = &rows[start..start + piece.len];
        start += piece.len;
        depth = depth.min(piece.cut_before);
        if piece.lost {
            continue;
        }
        partition
            .depths
            .push(std::mem::replace(&mut depth, u32::MAX));
        let (low, high) = extent(class);
        let spans = low.into_iter().zip(high).take(n_axes);
        partition
            .spans
            .extend(spans.map(|(low, high)| (low.get(), high.get())));
        partition.rows.extend(class.iter().map(|row| row.number));
        partition.ends.push(partition.rows.len());
    }
    partition
}

/// A set of rows and the buffer beside it.
struct Set<'a, C, const W: usize> {
    rows: &'a mut [Row<C, W>],
    spare: &'a mut [Row<C, W>],
    /// `rows` is the buffer that classes end up in.
    home: bool,
    /// How many rows may be suppressed.
    budget: usize,
    /// How many cuts led to it.
    depth: u32,
    /// The depth of the cut just before its first row, 0 at the start of the table.
    cut_before: u32,
}

/// A run of rows that is finished: a class, or suppressed.
struct Piece {
    len: usize,
    lost: bool,
    cut_before: u32,
}

/// What one thread carries along.
#[derive(Default)]
struct Branch {
    scratch: Scratch,
    pieces: Vec<Piece>,
}

/// The boundaries at which a set is still to be parted along an axis. They
/// count rows from the start of a larger set, `offset` rows before this one.
#[derive(Clone, Copy)]
struct Parting<'a> {
    axis: usize,
    offset: usize,
    boundaries: &'a [Boundary],
    lost: &'a [bool],
}

struct Recursion<'a> {
    rulers: Vec<&'a Ruler>,
    rules: Rules<'a>,
}

impl Recursion<'_> {
    /// Divides the parts of a set by themselves. They lie one after the other and end at `ends`
    /// and with the set, which are counted from `offset` rows before it.
    fn divide_each<C: Code, const W: usize>(
        &self,
        set: Set<'_, C, W>,
        (offset, ends): (usize, &[usize]),
        branch: &mut Branch,
    ) {
        if ends.is_empty() {
            return match self.stays(set.rows) {
                true => finish(set, false, branch),
                false => self.divide(set, branch),
            };
        }
        let middle = ends.len() / 2;
        let end = ends[middle];
        let parallel = set.rows.len() >= PARALLEL;
        let (rows, others) = set.rows.split_at_mut(end - offset);
        let (spare, other_spare) = set.spare.split_at_mut(end - offset);
        let left = Set { rows, spare, ..set };
        let right = Set {
            rows: others,
            spare: other_spare,
            ..left
        };
        let (lower, upper) = ((offset, &ends[..middle]), (end, &ends[middle + 1..]));
        if !parallel {
            self.divide_each(left, lower, branch);
            self.divide_each(right, upper, branch);
            return;
        }
        let mut other = Branch::default();
        rayon::join(
            || self.divide_each(left, lower, branch),
            || self.divide_each(right, upper, &mut other),
        );
        branch.pieces.append(&mut other.pieces);
    }

    /// Whether the rows, a class of a coarser release, stay as they are.
    fn stays<C, const W: usize>(&self, rows: &[Row<C, W>]) -> bool {
        let (Some((classes, uncut)), Some(first)) = (self.rules.inside, rows.first()) else {
            return false;
        };
        uncut[classes[first.number as usize] as usize]
    }

    /// Cuts the set as far as allowed and notes its classes.
    fn divide<C: Code, const W: usize>(&self, mut set: Set<'_, C, W>, branch: &mut Branch) {
        match self.cut(&set, &mut branch.scratch) {
            None => finish(set, false, branch),
            Some((axis, cut)) => {
                set.budget = set.budget.saturating_sub(cut.given_up(set.rows.len()));
                set.depth += 1;
                let (boundaries, lost) = cut.parts();
                let parting = Parting {
                    axis,
                    offset: 0,
                    boundaries,
                    lost,
                };
                self.part(set, parting, branch);
            }
        }
    }

    /// The axis along which to cut, the widest that has an allowable cut, and where.
    fn cut<C: Code, const W: usize>(
        &self,
        set: &Set<'_, C, W>,
        scratch: &mut Scratch,
    ) -> Option<(usize, Cut)> {
        let Rules { limits, ties, .. } = self.rules;
        if set.rows.len() < 2 * limits.k && set.budget == 0 {
            return None;
        }
        let (low, high) = extent(set.rows);
        let mut widths = [(0.0, 0); W];
        let axes = self.widest_first(&low, &high, &mut widths);
        if set.rows.len() >= 2 * limits.k {
            for &ties in ties {
                for &(_, axis) in axes {
                    let codes = codes(set.rows, axis, low[axis].get(), high[axis].get());
                    if let Some(cut) = choose(&codes, self.rulers[axis], limits, ties, scratch)
                        && !self.refuses(axis, set.rows.len(), &low, &high)
                    {
                        return Some((axis, cut));
                    }
                }
            }
        }
        if set.budget == 0 {
            return None;
        }
        let lost_already: f64 = axes.iter().map(|(width, _)| width).sum();
        let terms = Terms {
            budget: set.budget,
            price: self.rulers.iter().map(|ruler| ruler.weight).sum::<f64>() - lost_already,
        };
        let trims = axes.iter().filter_map(|&(_, axis)| {
            let codes = codes(set.rows, axis, low[axis].get(), high[axis].get());
            Some((axis, trim(&codes, self.rulers[axis], limits, &terms)?))
        });
        let best = trims.reduce(|a: (usize, Trim), b| if b.1.gain > a.1.gain { b } else { a })?;
        Some((best.0, best.1.cut))
    }

    /// Whether an allowed cut of a set of so many rows between these codes is refused by chance.
    fn refuses<C: Code, const W: usize>(
        &self,
        axis: usize,
        rows: usize,
        low: &[C; W],
        high: &[C; W],
    ) -> bool {
        let refusal = self.rules.refusal;
        if refusal.share <= 0.0 {
            return false;
        }
        let ends = low.iter().chain(high).map(|code| code.get());
        refusal.refuses(axis, (rows, ends.collect::<Vec<u32>>()))
    }

    /// The axes on which the rows differ with their widths, widest first.
    fn widest_first<'w, C: Code, const W: usize>(
        &self,
        low: &[C; W],
        high: &[C; W],
        widths: &'w mut [(f64, usize); W],
    ) -> &'w [(f64, usize)] {
        let mut n = 0;
        for (axis, ruler) in self.rulers.iter().enumerate() {
            let width = ruler.width(low[axis].get(), high[axis].get());
            if width > 0.0 {
                widths[n] = (width, axis);
                n += 1;
            }
        }
        let widths = &mut widths[..n];
        widths.sort_by(|a, b| b.0.total_cmp(&a.0));
        widths
    }

    /// Parts the set at all boundaries, the middle one first.
    fn part<C: Code, const W: usize>(
        &self,
        set: Set<'_, C, W>,
        parting: Parting<'_>,
        branch: &mut Branch,
    ) {
        let Parting {
            axis,
            offset,
            boundaries,
            lost,
        } = parting;
        if boundaries.is_empty() {
            return if lost[0] {
                finish(set, true, branch)
            } else {
                self.divide(set, branch)
            };
        }
        let middle = boundaries.len() / 2;
        let boundary = boundaries[middle];
        let (left, right) = split(set, axis, boundary, boundary.before - offset);
        let lower = Parting {
            boundaries: &boundaries[..middle],
            lost: &lost[..=middle],
            ..parting
        };
        let upper = Parting {
            axis,
            offset: boundary.before,
            boundaries: &boundaries[middle + 1..],
            lost: &lost[middle + 1..],
        };
        if left.rows.len() + right.rows.len() < PARALLEL {
            self.part(left, lower, branch);
            self.part(right, upper, branch);
            return;
        }
        let mut other = Branch::default();
        rayon::join(
            || self.part(left, lower, branch),
            || self.part(right, upper, &mut other),
        );
        branch.pieces.append(&mut other.pieces);
    }
}

/// Brings the set home as one piece.
fn finish<C: Code, const W: usize>(set: Set<'_, C, W>, lost: bool, branch: &mut Branch) {
    if !set.home {
        set.spare.copy_from_slice(set.rows);
    }
    if !set.rows.is_empty() {
        let len = set.rows.len();
        branch.pieces.push(Piece {
            len,
            lost,
            cut_before: set.cut_before,
        });
    }
}

fn codes<C: Code, const W: usize>(
    rows: &[Row<C, W>],
    axis: usize,
    low: u32,
    high: u32,
) -> Codes<impl Iterator<Item = u32> + Clone, impl Iterator<Item = u32> + Clone> {
    Codes {
        codes: rows.iter().map(move |row| row.codes[axis].get()),
        rows: rows.iter().map(|row| row.number),
        len: rows.len(),
        low,
        high,
    }
}

/// Moves the rows to the other buffer: the `before` ones that lie before the
/// boundary to its front, the others behind them, both in order.
fn split<C: Code, const W: usize>(
    set: Set<'_, C, W>,
    axis: usize,
    boundary: Boundary,
    before: usize,
) -> (Set<'_, C, W>, Set<'_, C, W>) {
    let Set {
        rows,
        spare,
        home,
        budget,
        depth,
        cut_before,
    } = set;
    move_rows(rows, spare, axis, boundary, before);
    let left_budget = budget * before / rows.len().max(1);
    let (rows_left, rows_right) = rows.split_at_mut(before);
    let (spare_left, spare_right) = spare.split_at_mut(before);
    let side = |rows, spare, budget, cut_before| Set {
        rows,
        spare,
        home: !home,
        budget,
        depth,
        cut_before,
    };
    (
        side(spare_left, rows_left, left_budget, cut_before),
        side(spare_right, rows_right, budget - left_budget, depth),
    )
}

fn move_rows<C: Code, const W: usize>(
    from: &[Row<C, W>],
    to: &mut [Row<C, W>],
    axis: usize,
    boundary: Boundary,
    before: usize,
) {
    let (mut left, mut right) = (0, before);
    let mut ties = boundary.ties;
    for row in from {
        let code = row.codes[axis].get();
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
fn extent<C: Code, const W: usize>(rows: &[Row<C, W>]) -> ([C; W], [C; W]) {
    let mut low = [C::LARGEST; W];
    let mut high = [C::LEAST; W];
    for row in rows {
        for axis in 0..W {
            low[axis] = low[axis].min(row.codes[axis]);
            high[axis] = high[axis].max(row.codes[axis]);
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::*;
    use crate::data::Categories;

    fn axes(columns: &[&[&str]]) -> Vec<Axis> {
        columns
            .iter()
            .map(|texts| {
                let column: Categories = texts.iter().map(|t| (*t != "-").then_some(*t)).collect();
                Axis::of_codes(column.codes(), column.levels().len() as u32)
            })
            .collect()
    }

    fn classes(columns: &[&[&str]], k: usize, mode: Mode, budget: usize) -> Vec<Vec<u32>> {
        let rules = Rules {
            inside: None,
            limits: &Limits::rows(k),
            ties: mode.ties(),
            budget,
            refusal: Refusal::default(),
        };
        let partition = partition(&axes(columns), rules);
        assert_eq!(
            partition.ends.last().copied().unwrap_or(0),
            partition.rows.len()
        );
        assert_eq!(partition.spans.len(), partition.ends.len() * columns.len());
        partition.classes().map(<[u32]>::to_vec).collect()
    }

    #[test]
    fn the_widest_axis_is_cut_first_and_the_first_of_equals() {
        let first = &["a", "a", "b", "b"];
        let second = &["x", "y", "x", "y"];
        assert_eq!(
            classes(&[first, second], 2, Mode::Strict, 0),
            [[0, 1], [2, 3]]
        );
        assert_eq!(
            classes(&[second, first], 2, Mode::Strict, 0),
            [[0, 2], [1, 3]]
        );
        // Once the second is cut, the others spread over a third of the first only.
        let wide: &[&str] = &["a", "b", "c", "d", "a", "b", "c", "d"];
        let halves: &[&str] = &["x", "x", "x", "x", "y", "y", "y", "y"];
        let found = classes(&[wide, halves], 2, Mode::Strict, 0);
        assert_eq!(found, [[0, 1], [4, 5], [2, 3], [6, 7]]);
    }

    #[test]
    fn an_axis_without_an_allowable_cut_gives_way_to_the_next() {
        let columns: &[&[&str]] = &[&["a", "a", "a", "z"], &["x", "y", "x", "y"]];
        assert_eq!(classes(columns, 2, Mode::Strict, 0), [[0, 2], [1, 3]]);
    }

    #[test]
    fn relaxed_divides_equal_values_only_where_nothing_else_helps() {
        let columns: &[&[&str]] = &[&["a", "a", "a", "b"]];
        assert_eq!(classes(columns, 2, Mode::Strict, 0), [[0, 1, 2, 3]]);
        assert_eq!(classes(columns, 2, Mode::Relaxed, 0), [[0, 1], [2, 3]]);
        assert_eq!(classes(columns, 2, Mode::Balanced, 0), [[0, 1], [2, 3]]);
    }

    #[test]
    fn rows_that_are_all_equal_or_too_few_stay_one_class() {
        assert_eq!(
            classes(&[&["a"; 5]], 1, Mode::Balanced, 0),
            [[0, 1, 2, 3, 4]]
        );
        assert_eq!(classes(&[&["-"; 3]], 1, Mode::Strict, 0), [[0, 1, 2]]);
        assert_eq!(
            classes(&[&["a", "b", "c"]], 2, Mode::Strict, 0),
            [[0, 1, 2]]
        );
        assert_eq!(classes(&[&[]], 2, Mode::Strict, 0), Vec::<Vec<u32>>::new());
    }

    #[test]
    fn rows_are_given_up_within_the_budget_where_that_spares_the_others() {
        let outlier: &[&[&str]] = &[&["a", "a", "a", "b"]];
        assert_eq!(classes(outlier, 3, Mode::Strict, 0), [[0, 1, 2, 3]]);
        assert_eq!(classes(outlier, 3, Mode::Strict, 1), [[0, 1, 2]]);
        assert_eq!(
            classes(&[&["a"; 4]], 3, Mode::Strict, 4),
            [[0, 1, 2, 3]],
            "nothing to gain"
        );
        let two: &[&[&str]] = &[&["a", "a", "a", "b", "b"]];
        assert_eq!(
            classes(two, 3, Mode::Strict, 1),
            [[0, 1, 2, 3, 4]],
            "too dear"
        );
    }

    #[test]
    fn what_was_given_up_is_not_there_to_be_given_up_again() {
        let columns: &[&[&str]] = &[&["a", "b", "c", "c", "c", "c"]];
        assert_eq!(classes(columns, 4, Mode::Strict, 1), [[1, 2, 3, 4, 5]]);
        assert_eq!(classes(columns, 4, Mode::Strict, 2), [[2, 3, 4, 5]]);
    }
}
