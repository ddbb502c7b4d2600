//! What a method does to each column of the rows that it is given.

use super::{Method, encoder, masked_columns};
use crate::data::{Role, Schema};
use crate::error::Result;

/// What a method does to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Its values pass.
    Kept,
    /// Each value is replaced by a region that holds it.
    Covered,
    /// Each value is replaced by one that stands for a group.
    Represented,
    /// Each value is replaced by another one.
    Masked,
    /// Other columns leave in its place.
    Replaced,
}

impl Method {
    /// What it does to each column of rows with this schema.
    ///
    /// # Errors
    /// When it cannot work on such rows.
    pub fn effects(&self, schema: &Schema) -> Result<Vec<Effect>> {
        let Some(masking) = self.as_masking() else {
            let effect = |name: &str, role: Role| match role {
                Role::Quasi if self.represents(name) => Effect::Represented,
                Role::Quasi => Effect::Covered,
                _ => Effect::Kept,
            };
            let fields = schema.fields().iter();
            return Ok(fields.map(|f| effect(&f.name, f.role)).collect());
        };
        let columns = encoder(masking, schema)?;
        let replaces = masking.replaced_by(&masked_columns(&columns, schema))?;
        let mut effects = vec![Effect::Kept; schema.len()];
        for place in masking.places(schema)? {
            effects[place] = match replaces {
                None => Effect::Masked,
                Some(_) => Effect::Replaced,
            };
        }
        Ok(effects)
    }
}
