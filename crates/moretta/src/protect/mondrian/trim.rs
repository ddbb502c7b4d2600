//! Giving up a few rows where that spares the others more.
//!
//! When a set can be cut no further, the rows at one end of an axis (or the
//! children of a node that are too small) may be suppressed, if the policy
//! allows it, the rest still keeps to the guarantee, and the loss of all rows
//! together falls: a suppressed row counts as lost on every axis, each kept one
//! gains what its box becomes narrower.

use super::super::limits::Limits;
use super::axis::Ruler;
use super::cut::{Boundary, Codes, Cut, Sorted};

/// What may be given up.
pub(super) struct Terms {
    /// The most rows.
    pub(super) budget: usize,
    /// What a row loses when it is suppressed, beyond what it loses already.
    pub(super) price: f64,
}

/// A way to give rows up.
pub(super) struct Trim {
    /// What all rows together gain.
    pub(super) gain: f64,
    /// Where to part them, and which parts to give up.
    pub(super) cut: Cut,
}

/// The best way along this axis, if there is one that gains.
pub(super) fn trim(
    set: &Codes<impl Iterator<Item = u32> + Clone, impl Iterator<Item = u32> + Clone>,
    ruler: &Ruler,
    limits: &Limits,
    terms: &Terms,
) -> Option<Trim> {
    let sorted = Sorted::new(set);
    match ruler.tree() {
        Some(tree) if set.high != ruler.missing => {
            let family = sorted.children(tree, set.low, set.high);
            small_children(&sorted, family, ruler, limits, terms)
        }
        _ => ends(&sorted, ruler, limits, terms),
    }
}

/// Rows at one end of the axis.
fn ends(sorted: &Sorted, ruler: &Ruler, limits: &Limits, terms: &Terms) -> Option<Trim> {
    let n = sorted.len();
    let width = ruler.width(sorted.codes[0], sorted.codes[n - 1]);
    let mut options: Vec<(f64, Boundary, bool)> = Vec::new();
    for boundary in sorted.boundaries() {
        let (low_end, high_end) = (boundary.before, n - boundary.before);
        for (given_up, kept, is_low) in [
            (low_end, boundary.before..n, true),
            (high_end, 0..boundary.before, false),
        ] {
            let left = ruler.width(sorted.codes[kept.start], sorted.codes[kept.end - 1]);
            let gain = (n - given_up) as f64 * (width - left) - given_up as f64 * terms.price;
            if given_up <= terms.budget && gain > 0.0 {
                options.push((gain, boundary, is_low));
            }
        }
    }
    options.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (gain, boundary, is_low) = options.into_iter().find(|(_, boundary, is_low)| {
        let kept = if *is_low {
            &sorted.rows[boundary.before..]
        } else {
            &sorted.rows[..boundary.before]
        };
        limits.hold(kept)
    })?;
    let cut = Cut::Parts {
        boundaries: vec![boundary],
        lost: vec![is_low, !is_low],
    };
    Some(Trim { gain, cut })
}

/// The children of a node that may not be classes, so that the others may.
fn small_children(
    sorted: &Sorted,
    family: Vec<Boundary>,
    ruler: &Ruler,
    limits: &Limits,
    terms: &Terms,
) -> Option<Trim> {
    let n = sorted.len();
    let width = ruler.width(sorted.codes[0], sorted.codes[n - 1]);
    let (mut gain, mut given_up, mut start) = (0.0, 0, 0);
    let mut lost = Vec::with_capacity(family.len() + 1);
    for end in family.iter().map(|b| b.before).chain([n]) {
        let holds = limits.hold(&sorted.rows[start..end]);
        if holds {
            let left = ruler.width(sorted.codes[start], sorted.codes[end - 1]);
            gain += (end - start) as f64 * (width - left);
        } else {
            given_up += end - start;
        }
        lost.push(!holds);
        start = end;
    }
    gain -= given_up as f64 * terms.price;
    let cut = Cut::Parts {
        boundaries: family,
        lost,
    };
    (given_up <= terms.budget && gain > 0.0).then_some(Trim { gain, cut })
}
