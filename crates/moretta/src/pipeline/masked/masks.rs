//! The methods of a policy that mask records, taken together.

use crate::data::Schema;
use crate::error::{Error, Result};
use crate::guarantee::CrowdChecker;
use crate::policy::Policy;
use crate::protect::{Effect, Masking, Method, encoder, masked_columns};

/// What is masked, and what that promises.
pub(in crate::pipeline) struct Masks<'a> {
    methods: Vec<&'a dyn Masking>,
    keeps_guarantee: bool,
    /// The places of the masked columns among those that are read.
    pub(in crate::pipeline) places: Vec<usize>,
    /// Their names.
    pub(in crate::pipeline) names: Vec<String>,
    /// The names of those that a private method masks.
    pub(in crate::pipeline) private: Vec<String>,
    /// The places of those that leave as they were masked.
    pub(in crate::pipeline) leaving: Vec<usize>,
    /// Names of other columns that leave in their place.
    pub(super) made: Option<Vec<String>>,
    /// Records that look alike, for each method that makes such.
    pub(in crate::pipeline) crowds: Vec<Crowd>,
}

/// Each record is one of `k` that look alike in these columns.
pub(in crate::pipeline) struct Crowd {
    pub(in crate::pipeline) k: u32,
    /// Rows within which they come together; none for a whole table.
    pub(in crate::pipeline) within: Option<u64>,
    pub(in crate::pipeline) columns: Vec<String>,
}

impl Crowd {
    /// Whoever counts it.
    pub(in crate::pipeline) fn checker(&self) -> CrowdChecker {
        CrowdChecker::new(self.k, self.within)
    }

    /// The places of its columns.
    pub(in crate::pipeline) fn places(&self, schema: &Schema) -> Result<Vec<usize>> {
        let place = |name: &String| {
            let place = schema.index_of(name);
            place.ok_or_else(|| Error::bug("a masked column is not in the release"))
        };
        self.columns.iter().map(place).collect()
    }
}

impl<'a> Masks<'a> {
    /// The masks of rows with this schema; none where nothing is masked.
    pub(in crate::pipeline) fn new(policy: &'a Policy, schema: &Schema) -> Result<Option<Self>> {
        let mut masks = Masks {
            methods: Vec::new(),
            keeps_guarantee: policy.keeps_guarantee(),
            places: Vec::new(),
            names: Vec::new(),
            private: Vec::new(),
            leaving: Vec::new(),
            made: None,
            crowds: Vec::new(),
        };
        for (step, method) in policy.protect.iter().enumerate() {
            if let Some(masking) = method.as_masking() {
                masks.add(masking, &policy.protect[step + 1..], schema)?;
            }
        }
        Ok((!masks.methods.is_empty()).then_some(masks))
    }

    fn add(&mut self, masking: &'a dyn Masking, later: &[Method], schema: &Schema) -> Result<()> {
        let columns = encoder(masking, schema)?;
        let columns = masked_columns(&columns, schema);
        self.made = masking.replaced_by(&columns)?.or(self.made.take());
        let places = masking.places(schema)?;
        let changed = changed(later, schema)?;
        // Where another method keeps the guarantee, k is counted over all that it is about.
        if let (Some(k), false) = (masking.k(), self.keeps_guarantee) {
            self.crowds.push(Crowd {
                k,
                within: masking.buffer().map(|rows| rows as u64),
                columns: columns.iter().map(|c| c.name.to_owned()).collect(),
            });
        }
        for place in places {
            let name = schema.fields()[place].name.to_string();
            if masking.loss().is_some() {
                self.private.push(name.clone());
            }
            if !self.places.contains(&place) {
                self.places.push(place);
                self.names.push(name);
            }
            if !changed[place] {
                self.leaving.push(place);
            }
        }
        self.methods.push(masking);
        Ok(())
    }

    /// Whether masked values can be held against their originals.
    pub(in crate::pipeline) fn is_comparable(&self) -> bool {
        self.methods.iter().all(|masking| masking.is_comparable())
    }

    /// What a record loses at most, in words, for each method that is differentially private.
    pub(in crate::pipeline) fn losses(&self) -> impl Iterator<Item = String> {
        self.methods.iter().filter_map(|masking| masking.loss())
    }

    /// Whether something that leaves is differentially private.
    pub(in crate::pipeline) fn is_private(&self) -> bool {
        self.losses().next().is_some()
    }

    /// Whether a method draws from the seed of the policy.
    pub(in crate::pipeline) fn uses_seed(&self) -> bool {
        self.methods.iter().any(|masking| masking.loss().is_none())
    }

    /// Whether the column of this name is masked.
    pub(in crate::pipeline) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|masked| masked == name)
    }
}

/// Whether a method changes each column.
fn changed(methods: &[Method], schema: &Schema) -> Result<Vec<bool>> {
    let mut changed = vec![false; schema.len()];
    for method in methods {
        for (changed, effect) in changed.iter_mut().zip(method.effects(schema)?) {
            *changed |= effect != Effect::Kept;
        }
    }
    Ok(changed)
}
