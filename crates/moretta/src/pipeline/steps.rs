//! A table on its way through the methods of a policy, one after the other.
//!
//! What one method releases is all that the next one gets. Each step is held against the
//! rows that it was given: what it covers must cover them, what it masks says nothing of
//! them, and all other cells must be as they were.

use super::domains::domains_of;
use super::masked::secret_seed;
use super::order;
use super::progress::{Progress, Stage};
use super::read::{Original, in_order_of_ids};
use super::run::pseudonyms;
use super::shown::covered_as_text;
use crate::data::{Batch, Domains, Schema};
use crate::error::{Error, Result};
use crate::guarantee::{Fault, Treatment, Truth};
use crate::policy::{Action, Policy};
use crate::protect::{Effect, Protector, Setting};
use std::sync::Arc;

/// Rows compared at a time.
const CHUNK: usize = 1 << 20;

/// What a table has become.
pub(super) struct Protected {
    /// The rows that may leave, with all columns, in no particular order.
    pub(super) rows: Batch,
    /// Why others may not, with counts.
    pub(super) suppressed: Vec<(String, u64)>,
    /// What is untrue of the rows that a step was given; empty when nobody looked.
    pub(super) untruths: Vec<Fault>,
    /// What the method that keeps the guarantee was given.
    pub(super) given: Option<Given>,
}

/// Rows that a method was given, in the order of their ids, and their domains.
pub(super) struct Given {
    pub(super) rows: Batch,
    pub(super) domains: Arc<Domains>,
}

/// Whether each step is held against the rows that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Yes,
    No,
}

/// Puts the table through all methods.
pub(super) fn protect(
    policy: &Policy,
    original: &Original,
    compared: Compared,
    progress: &Progress,
) -> Result<Protected> {
    progress.enter(Stage::Protect);
    let seed = seed(policy)?;
    let given = match policy.is_buffered() {
        true => original.batch.clone(),
        false => order::for_methods(policy, &original.batch)?,
    };
    let mut protected = Protected {
        rows: pseudonyms(policy, given.schema())?.protect(given.clone())?,
        suppressed: Vec::new(),
        untruths: Vec::new(),
        given: None,
    };
    let mut given = Some(given);
    for (step, method) in policy.protect.iter().enumerate() {
        let rows = protected.rows;
        let first = given.take();
        let domains = match method.keeps_guarantee() {
            false => Arc::default(),
            true => {
                let rows = match step {
                    0 => original.batch.clone(),
                    _ => in_order_of_ids(&rows)?,
                };
                let domains = Arc::new(domains_of(policy, &rows, &original.made)?);
                protected.given = Some(Given {
                    rows,
                    domains: Arc::clone(&domains),
                });
                domains
            }
        };
        let setting = Setting {
            guarantee: policy.guarantee.clone(),
            domains,
            seed: seed.wrapping_add(step as u64),
        };
        let passes = Passes {
            policy,
            effects: &method.effects(rows.schema())?,
            domains: &setting.domains,
            first: step == 0,
        };
        let before = (compared == Compared::Yes).then(|| first.unwrap_or_else(|| rows.clone()));
        let mut operator = method.build(rows.schema(), &setting)?;
        let parts = [operator.protect(rows)?, operator.finish()?];
        let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
        protected.rows = Batch::concat(&Arc::clone(operator.schema()), parts)?;
        protected.suppressed.extend(operator.suppressed());
        if let Some(before) = before {
            let faults = passes.compare(&before, &protected.rows, original.batch.len())?;
            protected.untruths.extend(faults);
        }
    }
    Ok(protected)
}

/// For randomness that is not a secret. Who masks records without a seed does not want
/// anybody to draw the same numbers again.
fn seed(policy: &Policy) -> Result<u64> {
    match (policy.seed, policy.masking()) {
        (Some(seed), _) => Ok(seed),
        (None, None) => Ok(0),
        (None, Some(_)) => secret_seed(),
    }
}

/// What one step does to the rows that it is given.
struct Passes<'a> {
    policy: &'a Policy,
    effects: &'a [Effect],
    domains: &'a Domains,
    /// Pseudonyms are put in with the first step.
    first: bool,
}

impl Passes<'_> {
    /// What is untrue of `released`; both have ids below `ids`.
    fn compare(&self, given: &Batch, released: &Batch, ids: usize) -> Result<Vec<Fault>> {
        let treatments = self.treatments(given.schema())?;
        let mut truth = Truth::new(given.schema(), &treatments, false)?
            .with_made(made(given.schema(), released.schema()));
        let places = places(given, ids)?;
        let released = covered_as_text(released)?;
        for start in (0..released.len()).step_by(CHUNK) {
            let part = released.slice(start, CHUNK.min(released.len() - start));
            let place = |id: u64| places.get(id as usize).copied().flatten();
            let rows: Option<Vec<u32>> = part.rows().iter().map(place).collect();
            let rows = rows.ok_or_else(|| {
                Error::bug("a row was released that was never read, or was held back before")
            })?;
            truth.observe(&given.take(&rows)?, &part)?;
        }
        Ok(truth.findings(Some(released.len() as u64)))
    }

    fn treatments(&self, given: &Schema) -> Result<Vec<(String, Treatment)>> {
        let fields = given.fields().iter().zip(self.effects);
        fields
            .map(|(field, effect)| {
                let column = self.policy.column(&field.name);
                let pseudonym = matches!(
                    column.map(|column| &column.action),
                    Some(Action::Pseudonym { .. })
                );
                let treatment = match effect {
                    Effect::Kept if pseudonym && self.first => Treatment::Pseudonym,
                    Effect::Kept => Treatment::Kept,
                    Effect::Covered => {
                        Treatment::Generalised(self.domains.require(&field.name)?.clone())
                    }
                    Effect::Represented => {
                        Treatment::Representative(self.domains.require(&field.name)?.clone())
                    }
                    Effect::Masked => Treatment::Masked,
                    Effect::Replaced => Treatment::Dropped,
                };
                Ok((field.name.to_string(), treatment))
            })
            .collect()
    }
}

/// The columns that a step has made.
fn made(given: &Schema, released: &Schema) -> Vec<String> {
    let fields = released.fields().iter();
    let new = fields.filter(|field| given.index_of(&field.name).is_none());
    new.map(|field| field.name.to_string()).collect()
}

/// Where the row with each id is.
fn places(rows: &Batch, ids: usize) -> Result<Vec<Option<u32>>> {
    let mut places = vec![None; ids];
    for (id, place) in rows.rows().iter().zip(0..) {
        match places.get_mut(id as usize) {
            Some(slot) => *slot = Some(place),
            None => return Err(Error::bug("a row was released that was never read")),
        }
    }
    Ok(places)
}
