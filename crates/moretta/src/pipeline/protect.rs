//! What the methods of a policy make of a table.
//!
//! A release must not tell of suppressed rows by how it is written: by the grid of a number,
//! the notation of an interval, the height of a tree. So where rows are suppressed, the
//! others are protected once more, as a table of their own from which nothing more is
//! suppressed. What is released then is what the policy makes of the released rows alone;
//! tables that differ in suppressed rows only have the same release. The types of columns
//! are the exception: where the policy does not declare them, all rows that were read decide.
//!
//! The promise holds for the second release as for any. That there is one follows from the
//! first: classes that keep k, l, t and p keep them together, too (where persons have rows in
//! several classes entropy can fall a little; then the run is refused). Costs the time of a
//! second release, where rows are suppressed.

use super::domains::domains;
use super::order;
use super::progress::{Progress, Stage};
use super::read::Original;
use super::run::build;
use crate::data::{Batch, Domains, RowIds};
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::protect::{Method, Protector};
use std::sync::Arc;

/// What a policy makes of a table.
pub(super) struct Protected {
    /// The rows that are released, with all their columns.
    pub(super) release: Batch,
    /// Why others were held back, and how many.
    pub(super) suppressed: Vec<(String, u64)>,
    /// The domains of the table, with trees over the values of the released rows.
    pub(super) domains: Arc<Domains>,
}

/// Protects a table that is released whole or in part.
pub(super) fn protect(
    policy: &Policy,
    original: &Original,
    progress: &Progress,
) -> Result<Protected> {
    let domains = Arc::new(domains(policy, original)?);
    progress.enter(Stage::Protect);
    let (release, suppressed) = protect_once(policy, original, &domains)?;
    if release.is_empty() || release.len() == original.batch.len() {
        return Ok(Protected {
            release,
            suppressed,
            domains,
        });
    }
    let mut ids: Vec<u64> = release.rows().iter().collect();
    drop(release);
    ids.sort_unstable();
    let (release, own) = protect_rest(policy, &original.alone(&ids)?)?;
    Ok(Protected {
        release,
        suppressed,
        domains: Arc::new(domains.with_trees_of(&own)),
    })
}

/// Protects what is left of a table, as if there had never been more.
fn protect_rest(policy: &Policy, left: &Original) -> Result<(Batch, Arc<Domains>)> {
    let mut policy = policy.clone();
    let whole = policy.protect.iter().map(Method::without_suppression);
    policy.protect = whole.collect();
    let own = Arc::new(domains(&policy, left)?);
    let (release, _) = protect_once(&policy, left, &own)?;
    match release.len() == left.batch.len() {
        true => Ok((release, own)),
        false => Err(Error::bug("rows were suppressed once more")),
    }
}

fn protect_once(
    policy: &Policy,
    original: &Original,
    domains: &Arc<Domains>,
) -> Result<(Batch, Vec<(String, u64)>)> {
    let mut protector = build(policy, original.batch.schema(), domains)?;
    let now = protector.protect(order::for_methods(policy, &original.batch)?)?;
    let later = protector.finish()?;
    let parts = [now, later]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    let release = Batch::concat(&Arc::clone(protector.schema()), parts)?;
    check_ids(&original.batch, release.rows())?;
    Ok((release, protector.suppressed()))
}

/// Each id comes out at most once, and none that did not go in.
fn check_ids(original: &Batch, released: &RowIds) -> Result<()> {
    let most = original.rows().iter().max().map_or(0, |id| id as usize + 1);
    let mut waiting = vec![false; most];
    original
        .rows()
        .iter()
        .for_each(|id| waiting[id as usize] = true);
    for id in released.iter() {
        match waiting.get_mut(id as usize) {
            Some(waiting) if *waiting => *waiting = false,
            _ => {
                return Err(Error::bug(
                    "a row was released twice, or one that was never read",
                ));
            }
        }
    }
    Ok(())
}
