//! Several protectors, one after the other.

use super::Protector;
use crate::data::{Batch, Schema};
use crate::error::{Error, Result};
use crate::guarantee::Guarantee;
use std::sync::Arc;

/// What one releases, the next one takes. It promises what the last one promises.
pub struct Chain {
    links: Vec<Box<dyn Protector>>,
}

impl Chain {
    /// At least one link.
    pub fn new(links: Vec<Box<dyn Protector>>) -> Result<Self> {
        if links.is_empty() {
            return Err(Error::bug("a chain of no protectors"));
        }
        Ok(Chain { links })
    }

    fn last(&self) -> &dyn Protector {
        &*self.links[self.links.len() - 1]
    }
}

impl Protector for Chain {
    fn schema(&self) -> &Arc<Schema> {
        self.last().schema()
    }

    fn protect(&mut self, batch: Batch) -> Result<Batch> {
        self.links
            .iter_mut()
            .try_fold(batch, |batch, link| link.protect(batch))
    }

    fn finish(&mut self) -> Result<Batch> {
        let mut left = self.links[0].finish()?;
        for link in &mut self.links[1..] {
            let parts = vec![link.protect(left)?, link.finish()?];
            let parts = parts.into_iter().filter(|b| !b.is_empty()).collect();
            left = Batch::concat(&Arc::clone(link.schema()), parts)?;
        }
        Ok(left)
    }

    fn guarantee(&self) -> Guarantee {
        self.last().guarantee()
    }

    fn suppressed(&self) -> Vec<(String, u64)> {
        self.links
            .iter()
            .flat_map(|link| link.suppressed())
            .collect()
    }
}
