//! Where to cut a set of rows along one axis.
//!
//! All cut values are candidates, and the most balanced of the allowable ones is
//! taken. The most balanced of all has the largest smaller side, so if it leaves
//! fewer than k rows on a side no other cut is allowable either; if both its sides
//! may be classes, a median is enough. Only else are the rows sorted and every
//! candidate put to the requirements.

use super::super::limits::Limits;
use super::axis::Ruler;
use crate::data::hierarchy::Hierarchy;

/// How the rows equal to the cut value are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ties {
    /// All on one side: regions never overlap.
    Together,
    /// Divided, so that both sides have the same size.
    Divided,
}

/// A boundary between two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Boundary {
    /// Rows with a smaller code lie before it.
    pub(super) code: u32,
    /// Of the rows with this very code, so many lie before it too.
    pub(super) ties: usize,
    /// How many rows lie before it.
    pub(super) before: usize,
}

/// Where to part a set of rows, and which parts to give up.
pub(super) enum Cut {
    /// In two, keeping both.
    InTwo(Boundary),
    /// In several.
    Parts {
        /// In ascending order.
        boundaries: Vec<Boundary>,
        /// One mark a part: one more than there are boundaries.
        lost: Vec<bool>,
    },
}

impl Cut {
    /// At all of these boundaries, keeping every part.
    fn at(boundaries: Vec<Boundary>) -> Option<Cut> {
        let lost = vec![false; boundaries.len() + 1];
        (!boundaries.is_empty()).then_some(Cut::Parts { boundaries, lost })
    }

    /// How many of `len` rows lie in parts that are given up.
    pub(super) fn given_up(&self, len: usize) -> usize {
        let (boundaries, lost) = self.parts();
        let starts = [0].into_iter().chain(boundaries.iter().map(|b| b.before));
        let ends = boundaries.iter().map(|b| b.before).chain([len]);
        let parts = starts.zip(ends).zip(lost);
        parts
            .map(|((start, end), &lost)| if lost { end - start } else { 0 })
            .sum()
    }

    /// The boundaries and the marks of the parts.
    pub(super) fn parts(&self) -> (&[Boundary], &[bool]) {
        match self {
            Cut::InTwo(boundary) => (std::slice::from_ref(boundary), &[false, false]),
            Cut::Parts { boundaries, lost } => (boundaries, lost),
        }
    }
}

/// The codes of one axis in one set of rows.
pub(super) struct Codes<C, R> {
    /// The code of each row.
    pub(super) codes: C,
    /// The number of each row in the table.
    pub(super) rows: R,
    /// How many rows there are.
    pub(super) len: usize,
    /// The least code.
    pub(super) low: u32,
    /// The largest code.
    pub(super) high: u32,
}

/// Buffers that live as long as a branch of the recursion.
#[derive(Default)]
pub(super) struct Scratch {
    counts: Vec<u32>,
    codes: Vec<u32>,
}

/// The best allowable cut along this axis.
pub(super) fn choose(
    set: &Codes<impl Iterator<Item = u32> + Clone, impl Iterator<Item = u32> + Clone>,
    ruler: &Ruler,
    limits: &Limits,
    ties: Ties,
    scratch: &mut Scratch,
) -> Option<Cut> {
    let mixed = set.high == ruler.missing;
    if ruler.tree().is_none() && !mixed {
        let boundary = median_cut(set, limits.k, ties, scratch)?;
        let holds = |before| limits.hold_each(side(set, boundary, before));
        if limits.only_rows() || (holds(true) && holds(false)) {
            return Some(Cut::InTwo(boundary));
        }
    }
    let sorted = Sorted::new(set);
    match (ruler.tree(), ties) {
        _ if mixed => sorted.cut_near_missing(limits).map(Cut::InTwo),
        (Some(tree), Ties::Together) => {
            Cut::at(sorted.cut_all(sorted.children(tree, set.low, set.high), limits)?)
        }
        (Some(tree), Ties::Divided) => {
            let children = sorted.children(tree, set.low, set.high);
            sorted.cut_balanced(children, limits).map(Cut::InTwo)
        }
        (None, Ties::Together) => sorted
            .cut_balanced(sorted.boundaries(), limits)
            .map(Cut::InTwo),
        (None, Ties::Divided) => sorted
            .cut_balanced(sorted.positions(limits), limits)
            .map(Cut::InTwo),
    }
}

/// The rows before a boundary, or those from it on.
fn side(
    set: &Codes<impl Iterator<Item = u32> + Clone, impl Iterator<Item = u32> + Clone>,
    boundary: Boundary,
    before: bool,
) -> impl Iterator<Item = u32> {
    let mut ties = boundary.ties;
    let rows = set.codes.clone().zip(set.rows.clone());
    rows.filter(move |&(code, _)| {
        let tie = code == boundary.code && ties > 0;
        ties -= usize::from(tie);
        (code < boundary.code || tie) == before
    })
    .map(|(_, row)| row)
}

/// The cut nearest to the middle, when it leaves k rows on both sides.
fn median_cut(
    set: &Codes<impl Iterator<Item = u32> + Clone, impl Iterator<Item = u32> + Clone>,
    k: usize,
    ties: Ties,
    scratch: &mut Scratch,
) -> Option<Boundary> {
    let boundary = match ties {
        Ties::Together => {
            let run = run_at(set, (set.len - 1) / 2, scratch);
            let off = |before: usize| (2 * before).abs_diff(set.len);
            let (code, before) = if off(run.before) <= off(run.through) {
                (run.code, run.before)
            } else {
                (run.code + 1, run.through)
            };
            Boundary {
                code,
                ties: 0,
                before,
            }
        }
        Ties::Divided => {
            let before = set.len / 2;
            let run = run_at(set, before, scratch);
            Boundary {
                code: run.code,
                ties: before - run.before,
                before,
            }
        }
    };
    (boundary.before >= k && set.len - boundary.before >= k).then_some(boundary)
}

/// The rows with one code, as they lie in sorted order.
struct Run {
    code: u32,
    before: usize,
    through: usize,
}

/// The run that holds place `position` of the sorted rows.
fn run_at(
    set: &Codes<impl Iterator<Item = u32> + Clone, impl Iterator<Item = u32> + Clone>,
    position: usize,
    scratch: &mut Scratch,
) -> Run {
    let span = (set.high - set.low) as usize + 1;
    if span > (4 * set.len).max(512) {
        return run_by_selection(set, position, &mut scratch.codes);
    }
    let counts = &mut scratch.counts;
    counts.clear();
    counts.resize(span, 0);
    for code in set.codes.clone() {
        counts[(code - set.low) as usize] += 1;
    }
    let mut before = 0;
    let mut offset = 0;
    while before + counts[offset] as usize <= position {
        before += counts[offset] as usize;
        offset += 1;
    }
    Run {
        code: set.low + offset as u32,
        before,
        through: before + counts[offset] as usize,
    }
}

fn run_by_selection(
    set: &Codes<impl Iterator<Item = u32> + Clone, impl Iterator<Item = u32> + Clone>,
    position: usize,
    codes: &mut Vec<u32>,
) -> Run {
    codes.clear();
    codes.extend(set.codes.clone());
    let (_, &mut code, _) = codes.select_nth_unstable(position);
    let before = codes.iter().filter(|&&c| c < code).count();
    let through = before + codes.iter().filter(|&&c| c == code).count();
    Run {
        code,
        before,
        through,
    }
}

/// A set of rows in the order of its codes; rows with equal codes keep their order.
pub(super) struct Sorted {
    /// Ascending.
    pub(super) codes: Vec<u32>,
    /// The row of each code.
    pub(super) rows: Vec<u32>,
}

impl Sorted {
    pub(super) fn new(
        set: &Codes<impl Iterator<Item = u32> + Clone, impl Iterator<Item = u32> + Clone>,
    ) -> Self {
        let span = (set.high - set.low) as usize + 1;
        if span <= set.len {
            return Sorted::by_counting(set, span);
        }
        let codes = set.codes.clone().zip(0u64..);
        let mut keys: Vec<u64> = codes.map(|(code, i)| u64::from(code) << 32 | i).collect();
        keys.sort_unstable();
        let rows: Vec<u32> = set.rows.clone().collect();
        Sorted {
            codes: keys.iter().map(|key| (key >> 32) as u32).collect(),
            rows: keys.iter().map(|&key| rows[key as u32 as usize]).collect(),
        }
    }

    /// The same for codes that are no more than rows: each row has its place once it is
    /// known how many come before it.
    fn by_counting(
        set: &Codes<impl Iterator<Item = u32> + Clone, impl Iterator<Item = u32> + Clone>,
        span: usize,
    ) -> Self {
        let mut places = vec![0; span];
        for code in set.codes.clone() {
            places[(code - set.low) as usize] += 1;
        }
        let mut codes = Vec::with_capacity(set.len);
        for (place, code) in places.iter_mut().zip(set.low..) {
            let count = std::mem::replace(place, codes.len());
            codes.resize(codes.len() + count, code);
        }
        let mut rows = vec![0; set.len];
        for (code, row) in set.codes.clone().zip(set.rows.clone()) {
            let place = &mut places[(code - set.low) as usize];
            rows[*place] = row;
            *place += 1;
        }
        Sorted { codes, rows }
    }

    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// Every place where the code changes.
    pub(super) fn boundaries(&self) -> Vec<Boundary> {
        (1..self.len())
            .filter(|&i| self.codes[i] != self.codes[i - 1])
            .map(|before| Boundary {
                code: self.codes[before],
                ties: 0,
                before,
            })
            .collect()
    }

    /// Every place at all that leaves k rows on both sides.
    fn positions(&self, limits: &Limits) -> Vec<Boundary> {
        if self.codes[0] == self.codes[self.len() - 1] {
            return Vec::new();
        }
        (limits.k..(self.len() + 1).saturating_sub(limits.k))
            .map(|before| {
                let code = self.codes[before];
                let first = self.codes.partition_point(|&c| c < code);
                Boundary {
                    code,
                    ties: before - first,
                    before,
                }
            })
            .collect()
    }

    /// The places between the children of the lowest node over all the codes.
    pub(super) fn children(&self, tree: &Hierarchy, low: u32, high: u32) -> Vec<Boundary> {
        let (level, _) = tree.lowest_common(low, high);
        let child = |i: usize| tree.node(level.saturating_sub(1), self.codes[i]);
        (1..self.len())
            .filter(|&i| child(i) != child(i - 1))
            .map(|before| Boundary {
                code: self.codes[before],
                ties: 0,
                before,
            })
            .collect()
    }

    /// All boundaries at once, when every part may be a class.
    fn cut_all(&self, boundaries: Vec<Boundary>, limits: &Limits) -> Option<Vec<Boundary>> {
        let mut start = 0;
        for end in boundaries.iter().map(|b| b.before).chain([self.len()]) {
            if !limits.hold(&self.rows[start..end]) {
                return None;
            }
            start = end;
        }
        Some(boundaries)
    }

    /// The allowable boundary nearest to the middle, the lower of two.
    fn cut_balanced(&self, boundaries: Vec<Boundary>, limits: &Limits) -> Option<Boundary> {
        self.allowable(boundaries, limits)
            .min_by_key(|b| (2 * b.before).abs_diff(self.len()))
    }

    /// The last allowable boundary: missing values, which lie last, share their
    /// side with as few others as can be, since that side loses everything.
    fn cut_near_missing(&self, limits: &Limits) -> Option<Boundary> {
        self.allowable(self.boundaries(), limits).last()
    }

    fn allowable(
        &self,
        boundaries: Vec<Boundary>,
        limits: &Limits,
    ) -> impl Iterator<Item = Boundary> + use<> {
        let positions: Vec<usize> = boundaries.iter().map(|b| b.before).collect();
        let flags = limits.allow(&self.rows, &positions);
        boundaries
            .into_iter()
            .zip(flags)
            .filter_map(|(b, allowed)| allowed.then_some(b))
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::*;
    use crate::data::{Column, Domain, Field, Kind, Role};
    use std::sync::Arc;

    /// The sizes of the parts of the best cut of these codes; the code `missing` is no value.
    fn parts(codes: &[u32], missing: u32, tree: bool, k: usize, ties: Ties) -> Vec<usize> {
        let texts = (0..missing).map(|code| Some(code.to_string()));
        let column = Column::Category(texts.collect());
        // Pairs of codes are families: 0 and 1, 2 and 3, and so on.
        let tree = tree.then(|| {
            let chains: Vec<Vec<String>> = (0..missing)
                .map(|c| vec![c.to_string(), format!("f{}", c / 2), "*".into()])
                .collect();
            Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))
        });
        let field = Field::new("c", Role::Quasi, Kind::Category { ordered: false });
        let domain = Domain::of(&field, &column, tree).expect("categories");
        let axis = Axis::new("c", &column, &domain, true).expect("fits");
        let set = Codes {
            codes: codes.iter().copied(),
            rows: 0..codes.len() as u32,
            len: codes.len(),
            low: *codes.iter().min().expect("rows"),
            high: *codes.iter().max().expect("rows"),
        };
        let limits = Limits::rows(k);
        let cut = choose(&set, &axis.ruler, &limits, ties, &mut Scratch::default());
        let Some(cut) = cut else {
            return Vec::new();
        };
        let ends = cut.parts().0.iter().map(|b| b.before).chain([codes.len()]);
        let mut start = 0;
        ends.map(|end| end - std::mem::replace(&mut start, end))
            .collect()
    }

    #[test]
    fn counting_sorts_as_comparing_does() {
        for span in [1, 7, 300, 5000] {
            let codes: Vec<u32> = (0..1000u32).map(|i| 40 + i * i * 7 % span).collect();
            let rows: Vec<u32> = (0..1000u32).map(|i| i * 3 % 1000).collect();
            let set = Codes {
                codes: codes.iter().copied(),
                rows: rows.iter().copied(),
                len: 1000,
                low: *codes.iter().min().expect("rows"),
                high: *codes.iter().max().expect("rows"),
            };
            let mut expected: Vec<(u32, u32)> = set.codes.clone().zip(set.rows.clone()).collect();
            expected.sort_by_key(|&(code, _)| code);
            let Sorted { codes, rows } = Sorted::new(&set);
            let found: Vec<(u32, u32)> = codes.into_iter().zip(rows).collect();
            assert_eq!(found, expected, "{span}");
        }
    }

    #[test]
    fn equal_values_stay_together_and_every_cut_value_is_a_candidate() {
        for (codes, k, expected) in [
            (&[1, 1, 2, 2, 2, 2][..], 2, &[2, 4][..]),
            (&[1, 1, 2, 2, 2, 2], 3, &[]),
            (&[0, 1, 2, 3], 2, &[2, 2]),
            (&[0, 0, 1, 2, 2], 2, &[2, 3]),
            (&[3, 0, 2, 1, 0], 1, &[2, 3]),
            (&[0, 0, 0, 1], 1, &[3, 1]),
            (&[0, 1, 1, 1, 1, 1, 2], 1, &[1, 6]),
        ] {
            assert_eq!(
                parts(codes, 9, false, k, Ties::Together),
                expected,
                "{codes:?}"
            );
        }
    }

    #[test]
    fn divided_values_give_halves() {
        for (codes, k, expected) in [
            (&[1, 1, 1, 2][..], 2, &[2, 2][..]),
            (&[1, 1, 1, 2, 2], 2, &[2, 3]),
            (&[1, 1, 1, 2, 2], 3, &[]),
        ] {
            assert_eq!(
                parts(codes, 9, false, k, Ties::Divided),
                expected,
                "{codes:?}"
            );
        }
    }

    #[test]
    fn codes_far_apart_are_cut_as_those_close_together() {
        let close: Vec<u32> = (0..40).map(|i| i * 7 % 11).collect();
        let apart: Vec<u32> = close.iter().map(|c| c * 1_000).collect();
        for k in [1, 5, 20] {
            for ties in [Ties::Together, Ties::Divided] {
                assert_eq!(
                    parts(&close, 11, false, k, ties),
                    parts(&apart, 11_000, false, k, ties)
                );
            }
        }
    }

    #[test]
    fn a_node_opens_into_all_its_children_or_not_at_all() {
        for (codes, k, together, divided) in [
            (&[0, 1, 2, 3, 4, 5][..], 2, &[2, 2, 2][..], &[2, 4][..]),
            (&[0, 1, 2, 4, 5], 2, &[], &[2, 3]),
            (&[0, 0, 1, 1], 2, &[2, 2], &[2, 2]),
            (&[0, 0, 0, 1], 2, &[], &[]),
        ] {
            assert_eq!(
                parts(codes, 6, true, k, Ties::Together),
                together,
                "{codes:?}"
            );
            assert_eq!(
                parts(codes, 6, true, k, Ties::Divided),
                divided,
                "{codes:?}"
            );
        }
    }

    #[test]
    fn missing_values_share_their_side_with_as_few_as_can_be() {
        for (codes, k, expected) in [
            (&[0, 1, 2, 3, 9, 9][..], 2, &[4, 2][..]),
            (&[0, 1, 2, 3, 9], 2, &[3, 2]),
            (&[0, 0, 0, 9, 9], 2, &[3, 2]),
            (&[0, 0, 0, 9], 2, &[]),
        ] {
            for ties in [Ties::Together, Ties::Divided] {
                assert_eq!(parts(codes, 9, false, k, ties), expected, "{codes:?}");
            }
        }
    }
}
