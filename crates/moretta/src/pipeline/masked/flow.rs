//! From rows that were read to masked rows that may leave.

use super::pairs::Pairs;
use crate::data::{Batch, Schema};
use crate::error::{Error, Result};
use crate::pipeline::run::pseudonyms;
use crate::policy::Policy;
use crate::protect::{Chain, Filtered, Masking, Protector};
use std::sync::Arc;

/// Masks rows and measures what leaves.
pub(super) struct Flow {
    chain: Chain,
    pairs: Pairs,
    pub(super) read: u64,
    pub(super) released: u64,
}

impl Flow {
    pub(super) fn new(
        policy: &Policy,
        masking: &dyn Masking,
        schema: &Arc<Schema>,
    ) -> Result<Self> {
        let seed = match policy.seed {
            Some(seed) => seed,
            None => secret_seed()?,
        };
        let pseudonyms = pseudonyms(policy, schema)?;
        let filtered = Filtered::build(masking, pseudonyms.schema(), seed)?;
        Ok(Flow {
            chain: Chain::new(vec![Box::new(pseudonyms), Box::new(filtered)])?,
            pairs: Pairs::new(schema, &masking.places(schema)?)?,
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

    /// Takes rows; gives those that may leave.
    pub(super) fn push(&mut self, batch: Batch) -> Result<Batch> {
        self.read += batch.len() as u64;
        self.pairs.read(&batch);
        let released = self.chain.protect(batch)?;
        self.look(released)
    }

    /// Gives what is left.
    pub(super) fn finish(&mut self) -> Result<Batch> {
        let released = self.chain.finish()?;
        self.look(released)
    }

    fn look(&mut self, released: Batch) -> Result<Batch> {
        self.released += released.len() as u64;
        self.pairs.released(&released, |_, _| {})?;
        Ok(released)
    }
}

/// Noise that nobody can draw again.
fn secret_seed() -> Result<u64> {
    getrandom::u64().map_err(|e| Error::bug(format!("no randomness from the system: {e}")))
}
