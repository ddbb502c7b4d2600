//! What a method does to each column of the rows that it is given.

use super::recoding::Recoding;
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
    /// Each value is replaced by one that stands for its step, or for all beyond an end.
    Coded,
    /// Each value is replaced by one that stands for a group.
    Represented,
    /// Each value is replaced by another one.
    Masked,
    /// Values change places, each with one of a row that is alike in all quasi-identifiers.
    Exchanged,
    /// Other columns leave in its place.
    Replaced,
}

impl Method {
    /// What it does to each column of rows with this schema.
    ///
    /// # Errors
    /// When it cannot work on such rows.
    pub fn effects(&self, schema: &Schema) -> Result<Vec<Effect>> {
        if let Some(recoding) = self.as_recoding() {
            return Ok(recoding_effects(recoding, schema));
        }
        let Some(masking) = self.as_masking() else {
            if self.samples() {
                return Ok(vec![Effect::Kept; schema.len()]);
            }
            let effect = |name: &str, role: Role| match role {
                Role::Quasi if self.represents(name) => Effect::Represented,
                Role::Quasi => Effect::Covered,
                Role::Items if self.covers_items() => Effect::Covered,
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
                None if masking.inside_classes() => Effect::Exchanged,
                None => Effect::Masked,
                Some(_) => Effect::Replaced,
            };
        }
        let remade = self.remakes().into_iter();
        for place in remade.filter_map(|name| schema.index_of(name)) {
            effects[place] = Effect::Masked;
        }
        Ok(effects)
    }
}

/// What recoding does to each column of rows with this schema, before whatever follows.
pub(crate) fn recoding_effects(recoding: &Recoding, schema: &Schema) -> Vec<Effect> {
    let coded = |name: &str| recoding.coded().any(|(_, coded)| coded == name);
    let effect = |name: &str, role: Role| match role {
        // Of a stream no promise is about the others.
        Role::Quasi if recoding.buffer.is_some() && !recoding.recodes(name) => Effect::Kept,
        Role::Quasi => Effect::Covered,
        Role::Sensitive | Role::Plain if coded(name) => Effect::Coded,
        _ => Effect::Kept,
    };
    let fields = schema.fields().iter();
    fields
        .map(|field| effect(&field.name, field.role))
        .collect()
}
