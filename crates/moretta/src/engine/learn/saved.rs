//! A model that was saved, to go on with.

use crate::error::Result;
use crate::learn::{Learner, Model, Vocabulary};

/// A model that was saved and found sound. `Debug` shows nothing of it.
pub struct SavedModel {
    bytes: Vec<u8>,
    name: &'static str,
    vocabulary: Vocabulary,
    from_originals: bool,
}

impl SavedModel {
    /// Checks the bytes of a model.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let model = Model::load(&bytes)?;
        Ok(SavedModel {
            name: model.name(),
            vocabulary: model.vocabulary,
            from_originals: model.from_originals,
            bytes,
        })
    }

    /// The learner's name, one of [`learn::LEARNERS`](crate::learn::LEARNERS).
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it knows of the columns.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Whether it has ever learnt from rows that were not protected.
    pub fn is_from_originals(&self) -> bool {
        self.from_originals
    }

    /// A learner that goes on from here.
    pub fn learner(&self) -> Result<Box<dyn Learner>> {
        Ok(Model::load(&self.bytes)?.learner)
    }
}
