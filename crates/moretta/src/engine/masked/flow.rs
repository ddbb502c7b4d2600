//! A stream of records from rows that were read to masked rows that may leave.

use super::masks::Masks;
use super::secret_seed;
use super::watch::Watch;
use crate::data::{Batch, Schema};
use crate::engine::columns::pseudonyms;
use crate::engine::context::Context;
use crate::engine::plan::Plan;
use crate::engine::progress::Records;
use crate::engine::telling::Leaving;
use crate::error::Result;
use crate::protect::{Chain, Filtered, Operator};
use std::sync::Arc;

/// Masks rows and measures what leaves.
pub(crate) struct Flow {
    chain: Chain,
    pub(crate) watch: Watch,
    leaving: Leaving,
    pub(crate) read: u64,
    pub(crate) released: u64,
}

impl Flow {
    pub(crate) fn new(
        plan: &Plan,
        masks: &Masks,
        schema: &Arc<Schema>,
        context: &Context,
    ) -> Result<Self> {
        let seed = plan.seed.map_or_else(secret_seed, Ok)?;
        let mut links: Vec<Box<dyn Operator>> =
            vec![Box::new(pseudonyms(plan, &context.keys, schema)?)];
        for (step, masking) in plan.maskings().enumerate() {
            let schema = Arc::clone(links[step].schema());
            let seed = seed.wrapping_add(step as u64);
            links.push(Box::new(Filtered::build(
                masking,
                &schema,
                seed,
                &context.cancel,
            )?));
        }
        let chain = Chain::new(links)?;
        Ok(Flow {
            watch: Watch::new(
                plan,
                masks,
                (schema, chain.schema()),
                None,
                context.wanted(),
            )?,
            leaving: Leaving::new(masks.names.clone()),
            chain,
            read: 0,
            released: 0,
        })
    }

    /// The columns of what leaves.
    pub(crate) fn schema(&self) -> &Arc<Schema> {
        self.chain.schema()
    }

    /// Why rows were held back for good.
    pub(crate) fn suppressed(&self) -> Vec<(String, u64)> {
        self.chain.suppressed()
    }

    /// Whether columns that are not masked single rows out.
    pub(crate) fn telling(&mut self) -> Result<Option<String>> {
        std::mem::replace(&mut self.leaving, Leaving::new(Vec::new())).warning()
    }

    /// How it is going.
    pub(crate) fn live(&self) -> Records {
        self.watch.live(self.read)
    }

    /// Takes rows of a stream; gives those that may leave.
    pub(crate) fn push(&mut self, batch: Batch) -> Result<Batch> {
        self.read += batch.len() as u64;
        self.watch.read(&batch);
        let released = self.chain.push(batch)?;
        self.look(released)
    }

    /// Gives what is left of a stream.
    pub(crate) fn finish(&mut self) -> Result<Batch> {
        let released = self.chain.finish()?;
        self.look(released)
    }

    fn look(&mut self, released: Batch) -> Result<Batch> {
        self.released += released.len() as u64;
        self.leaving.observe(&released)?;
        self.watch.look(&released)?;
        Ok(released)
    }
}
