//! Nested releases of one table: every class of a stricter level is a union of classes of the
//! finer one, and all levels show the same rows.
//!
//! The strictest level is made first, and each finer one inside of the one before it: cuts go on
//! within its boxes, groups within its groups, and whole columns are recoded to no higher level.
//! So somebody with all levels in hand sees the classes of the finest, and no smaller ones.
//!
//! Suppression would break that: of a row that only one level leaves out the reader of both
//! knows more. So a row is left out of all levels or of none, and `suppress` is the share of
//! all of them together. Only `lattice` needs it in finer levels too; there each level gets its
//! part of the share, and rows that fall below a promise because of others are left out until
//! no level loses one more. If they are too many then, less is given to begin with.

use super::steps::{Compared, Protected, protect};
use crate::data::{Batch, RowIds};
use crate::engine::context::Context;
use crate::engine::domains::domains;
use crate::engine::judge::Given;
use crate::engine::original::{Original, in_order_of_ids};
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use crate::protect::{Nest, Nested, Solutions};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What part of the share that may be suppressed is tried, in this order.
const PARTS: [f64; 4] = [1.0, 0.5, 0.25, 0.0];

/// Protects the table for each of `plans`, which go from the least to the most protected; the
/// results do, too.
pub(super) fn protect_levels(
    plans: &[Plan],
    original: &Original,
    context: &Context,
) -> Result<Vec<Protected>> {
    let levels = Levels {
        plans,
        original,
        context,
    };
    let kept = levels.kept()?;
    let left = match &kept {
        None => original.clone(),
        Some(ids) => original.alone(ids)?,
    };
    let mut made: Vec<Protected> = Vec::new();
    for plan in plans.iter().rev() {
        let nest = inside(&made);
        let plan = suppressing(plan, 0.0);
        let mut protected = protect(&plan, &left, Compared::Yes, None, &nest, context)?;
        if protected.rows.len() != left.batch.len() {
            let k = plan.guarantee.k.unwrap_or_default();
            return Err(Error::guarantee(format!(
                "the table has too few rows for a level with k = {k}"
            ))
            .help("take the strictest level out"));
        }
        if kept.is_some() {
            protected = levels.with_all_rows(protected, &left)?;
        }
        made.push(protected);
    }
    made.reverse();
    Ok(made)
}

/// What a finer release must lie inside of: all coarser ones.
fn inside(coarser: &[Protected]) -> Nest {
    let last = coarser.last().and_then(|last| last.solutions.as_ref());
    Nest {
        levels: bounds(last, |level| (0, level)),
        within: coarser.iter().map(|made| made.rows.clone()).collect(),
    }
}

/// Bounds of the levels of columns by those of the best node, where there was a search.
fn bounds(
    solutions: Option<&Solutions>,
    bound: impl Fn(usize) -> (usize, usize),
) -> BTreeMap<String, (usize, usize)> {
    let best = solutions.and_then(|found| Some((found, found.best.first()?)));
    let Some((found, best)) = best else {
        return BTreeMap::new();
    };
    let columns = found.columns.iter().cloned();
    columns
        .zip(best.levels.iter().map(|&level| bound(level)))
        .collect()
}

/// The plan with less leave to suppress.
fn suppressing(plan: &Plan, share: f64) -> Plan {
    let mut plan = plan.clone();
    for method in &mut plan.protect {
        *method = method.suppressing(share);
    }
    plan
}

struct Levels<'a> {
    plans: &'a [Plan],
    original: &'a Original,
    context: &'a Context,
}

impl Levels<'_> {
    /// The rows that all levels show; none where that is all rows.
    fn kept(&self) -> Result<Option<RowIds>> {
        let share = self.plans.iter().flat_map(|plan| &plan.protect);
        let share = share.filter_map(|method| method.suppress());
        let share = share.fold(0.0, f64::max);
        let rows = self.original.batch.len();
        let most = (share * rows as f64).floor() as usize;
        if most == 0 {
            return Ok(None);
        }
        for part in PARTS {
            let kept = match self.settled((part * most as f64).floor() as usize) {
                // What finer levels leave out is missing in the stricter ones.
                Err(Error::Guarantee(_)) if part > 0.0 => continue,
                kept => kept?,
            };
            let lost = rows - kept.as_ref().map_or(rows, RowIds::len);
            // A table without rows is of no use to any reader.
            if lost <= most && lost < rows {
                return Ok(kept.filter(|_| lost > 0));
            }
        }
        Ok(None)
    }

    /// The rows that are left when no level leaves out one more, if each gets its part of `most`
    /// rows to begin with; none where that is all rows.
    fn settled(&self, most: usize) -> Result<Option<RowIds>> {
        let all = self.original.batch.len();
        let mut left: Option<RowIds> = None;
        let mut coarser: Vec<Protected> = Vec::new();
        let mut nodes = Vec::new();
        for (place, plan) in self.plans.iter().enumerate().rev() {
            let rows = left.as_ref().map_or(all, RowIds::len);
            let mut nested = plan.protect.iter().filter_map(|method| method.nests());
            let budget = match nested.next() {
                Some(Nested::Recoded) => most.saturating_sub(all - rows) / (place + 1),
                // Inside of classes that hold nothing need be left out.
                _ if place + 1 < self.plans.len() => 0,
                _ => most,
            };
            let nest = inside(&coarser);
            let made = self.try_out(plan, &left, &nest, share_of(budget, rows))?;
            nodes.push((
                plan,
                bounds(made.solutions.as_ref(), |level| (level, level)),
            ));
            left = ids(&made.rows, all)?.or(left);
            if left.as_ref().is_some_and(|left| left.is_empty()) {
                return Ok(left);
            }
            coarser.push(made);
        }
        // What a finer level has left out, coarser classes may need.
        loop {
            let before = left.as_ref().map_or(all, RowIds::len);
            for (plan, node) in nodes.iter().filter(|(_, node)| !node.is_empty()) {
                let nest = Nest {
                    levels: node.clone(),
                    within: Vec::new(),
                };
                let made = self.try_out(plan, &left, &nest, 1.0)?;
                left = ids(&made.rows, all)?.or(left);
            }
            let after = left.as_ref().map_or(all, RowIds::len);
            if after == before || after == 0 {
                return Ok(left);
            }
        }
    }

    /// Protects some of the rows for a level.
    fn try_out(
        &self,
        plan: &Plan,
        left: &Option<RowIds>,
        nest: &Nest,
        share: f64,
    ) -> Result<Protected> {
        let alone = left.as_ref().map(|ids| self.original.alone(ids));
        let alone = alone.transpose()?;
        let rows = alone.as_ref().unwrap_or(self.original);
        let plan = suppressing(plan, share);
        protect(&plan, rows, Compared::No, None, nest, self.context)
    }

    /// Measures are of all rows, and tell of those that were left out.
    fn with_all_rows(&self, mut protected: Protected, left: &Original) -> Result<Protected> {
        let all = self.original.batch.len();
        let gone = (all - left.batch.len()) as u64;
        let why = "a level could not show it".to_owned();
        protected.suppressed = vec![(why, gone)];
        if let (Some(given), Some(plan)) = (&mut protected.given, self.plans.first()) {
            let whole = domains(plan, self.original, self.context.population.as_deref())?;
            *given = Given {
                rows: self.original.batch.clone(),
                domains: Arc::new(whole.with_trees_of(&given.domains)),
            };
        }
        Ok(protected)
    }
}

/// The share of `rows` that lets a method leave out `budget` of them.
fn share_of(budget: usize, rows: usize) -> f64 {
    match budget {
        0 => 0.0,
        // The method rounds down.
        _ => ((budget as f64 + 0.5) / rows as f64).min(1.0),
    }
}

/// The ids of rows, ascending; none where they are all.
fn ids(rows: &Batch, all: usize) -> Result<Option<RowIds>> {
    match rows.len() == all {
        true => Ok(None),
        false => Ok(Some(in_order_of_ids(rows)?.rows().clone())),
    }
}
