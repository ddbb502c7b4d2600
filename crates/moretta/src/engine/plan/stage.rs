//! The steps of a chain: each method, and with it the recoding that stands right before it.
//!
//! A method that makes recoded values coarser says of them what is true of the originals only
//! together with the recoding. So both are one step: held against the rows before them, and
//! measured against these.

use super::Plan;
use crate::data::Schema;
use crate::error::Result;
use crate::protect::recoding::Recoding;
use crate::protect::{Claim, Effect, Method, Operator, Setting, recoding_effects};
use std::sync::Arc;

/// A step of a chain.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    /// The place of its method among those of the plan.
    pub(crate) place: usize,
    /// What is recoded before the method.
    pub(crate) recoding: Option<&'a Recoding>,
    /// The method.
    pub(crate) method: &'a Method,
}

impl Plan {
    /// The methods in order, a recoding with the method that makes its values coarser still.
    pub(crate) fn stages(&self) -> Vec<Stage<'_>> {
        let mut stages = Vec::new();
        let mut before = None;
        for (place, method) in self.protect.iter().enumerate() {
            let next = self.protect.get(place + 1);
            let coarser = next.is_some_and(|next| next.keeps_guarantee() && !next.is_recoding());
            match method.as_recoding() {
                Some(recoding) if coarser => before = Some(recoding),
                _ => stages.push(Stage {
                    place,
                    recoding: before.take(),
                    method,
                }),
            }
        }
        stages
    }
}

impl Stage<'_> {
    /// What becomes of each column of rows with this schema.
    pub(crate) fn effects(&self, schema: &Schema) -> Result<Vec<Effect>> {
        let mut effects = self.method.effects(schema)?;
        if let Some(recoding) = self.recoding {
            for (effect, before) in effects.iter_mut().zip(recoding_effects(recoding, schema)) {
                if *effect == Effect::Kept {
                    *effect = before;
                }
            }
        }
        Ok(effects)
    }

    /// The rules by which columns are recoded, if there are any.
    pub(crate) fn rules(&self) -> Option<&Recoding> {
        self.recoding.or(self.method.as_recoding())
    }

    /// What it promises of the rows that leave it.
    pub(crate) fn claim(&self) -> Claim {
        self.method.claim()
    }

    /// Makes it work on tables of this schema; `method` is its own, perhaps with less leave.
    pub(crate) fn build(
        &self,
        method: &Method,
        schema: &Arc<Schema>,
        setting: &Setting,
    ) -> Result<Box<dyn Operator>> {
        match self.recoding {
            Some(recoding) => method.build_after(recoding, schema, setting),
            None => method.build(schema, setting),
        }
    }
}
