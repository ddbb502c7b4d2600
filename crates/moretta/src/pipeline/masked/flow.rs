//! A stream of records from rows that were read to masked rows that may leave.

use super::masks::Masks;
use super::secret_seed;
use super::watch::Watch;
use crate::data::{Batch, Schema};
use crate::error::Result;
use crate::pipeline::progress::Records;
use crate::pipeline::run::pseudonyms;
use crate::pipeline::telling::Leaving;
use crate::policy::Policy;
use crate::protect::{Chain, Filtered, Protector};
use std::sync::Arc;

/// Masks rows and measures what leaves.
pub(super) struct Flow {
    chain: Chain,
    pub(super) watch: Watch,
    leaving: Leaving,
    pub(super) read: u64,
    pub(super) released: u64,
}

impl Flow {
    /// `watched`: somebody looks at the run.
    pub(super) fn new(
        policy: &Policy,
        masks: &Masks<'_>,
        schema: &Arc<Schema>,
        watched: bool,
    ) -> Result<Self> {
        let seed = policy.seed.map_or_else(secret_seed, Ok)?;
        let mut links: Vec<Box<dyn Protector>> = vec![Box::new(pseudonyms(policy, schema)?)];
        for (step, masking) in policy.maskings().enumerate() {
            let schema = Arc::clone(links[step].schema());
            let seed = seed.wrapping_add(step as u64);
            links.push(Box::new(Filtered::build(masking, &schema, seed)?));
        }
        let chain = Chain::new(links)?;
        Ok(Flow {
            watch: Watch::new(policy, masks, (schema, chain.schema()), None, watched)?,
            leaving: Leaving::new(masks.names.clone()),
            chain,
            read: 0,
            released: 0,
        })
    }

    /// The columns of what leaves.
    pub(super) fn schema(&self) -> &Arc<Schema> {
        self.chain.schema()
    }

    /// Why rows were held back for good.
    pub(super) fn suppressed(&self) -> Vec<(String, u64)> {
        self.chain.suppressed()
    }

    /// Whether columns that are not masked single rows out.
    pub(super) fn telling(&mut self) -> Result<Option<String>> {
        std::mem::replace(&mut self.leaving, Leaving::new(Vec::new())).warning()
    }

    /// How it is going.
    pub(super) fn live(&self) -> Records {
        self.watch.live(self.read)
    }

    /// Takes rows of a stream; gives those that may leave.
    pub(super) fn push(&mut self, batch: Batch) -> Result<Batch> {
        self.read += batch.len() as u64;
        self.watch.read(&batch);
        let released = self.chain.protect(batch)?;
        self.look(released)
    }

    /// Gives what is left of a stream.
    pub(super) fn finish(&mut self) -> Result<Batch> {
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
