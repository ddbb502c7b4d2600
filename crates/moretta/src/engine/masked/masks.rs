//! The methods of a policy that mask records, taken together.

use crate::data::{Batch, Column, Role, Schema};
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use crate::guarantee::CrowdChecker;
use crate::protect::{Effect, Masking, Method, encoder, masked_columns};

/// What is masked, and what that promises.
pub(crate) struct Masks {
    /// Quasi-identifiers are what another method makes a promise about.
    covered: bool,
    /// Whether masked values can be held against their originals.
    pub(crate) is_comparable: bool,
    /// Whether a method draws from the seed of the plan.
    pub(crate) uses_seed: bool,
    /// What a record loses at most, in words, for each method that is differentially private.
    pub(crate) losses: Vec<String>,
    /// The places of the masked columns among those that are read.
    pub(crate) places: Vec<usize>,
    /// Their names.
    pub(crate) names: Vec<String>,
    /// The names of those that a private method masks.
    pub(crate) private: Vec<String>,
    /// The places of those that leave as they were masked.
    pub(crate) leaving: Vec<usize>,
    /// Names of other columns that leave in their place.
    pub(crate) made: Option<Vec<String>>,
    /// Whether persons are counted where records look alike.
    pub(crate) counts_persons: bool,
    /// Records that look alike, for each method that makes such.
    pub(crate) crowds: Vec<Crowd>,
}

/// Each record is one of `k` that look alike in these columns.
pub(crate) struct Crowd {
    pub(crate) k: u32,
    /// Rows within which they come together; none for a whole table.
    pub(crate) within: Option<u64>,
    pub(crate) columns: Vec<String>,
}

impl Crowd {
    /// Whoever counts it.
    pub(crate) fn checker(&self) -> CrowdChecker {
        CrowdChecker::new(self.k, self.within)
    }

    /// Counts it in rows of a release, and gives the size of the smallest.
    ///
    /// # Errors
    /// Exit code 1 when one is too small.
    pub(crate) fn smallest(
        &self,
        release: &Batch,
        persons: Option<&Column>,
    ) -> Result<Option<u64>> {
        let mut checker = self.checker();
        let places = self.places(release.schema())?;
        match persons {
            None => checker.observe(release, &places)?,
            Some(persons) => checker.observe_persons(release, &places, persons)?,
        }
        checker.finish()
    }

    /// The places of its columns.
    pub(crate) fn places(&self, schema: &Schema) -> Result<Vec<usize>> {
        let place = |name: &String| {
            let place = schema.index_of(name);
            place.ok_or_else(|| Error::bug("a masked column is not in the release"))
        };
        self.columns.iter().map(place).collect()
    }
}

impl Masks {
    /// The masks of rows with this schema; none where nothing is masked.
    pub(crate) fn new(plan: &Plan, schema: &Schema) -> Result<Option<Self>> {
        let mut masks = Masks {
            covered: plan.covers_quasi(),
            is_comparable: true,
            uses_seed: false,
            losses: Vec::new(),
            places: Vec::new(),
            names: Vec::new(),
            private: Vec::new(),
            leaving: Vec::new(),
            made: None,
            counts_persons: false,
            crowds: Vec::new(),
        };
        for (step, method) in plan.protect.iter().enumerate() {
            if let Some(masking) = method.as_masking() {
                masks.add(masking, &plan.protect[step + 1..], schema)?;
            }
        }
        Ok((!masks.places.is_empty()).then_some(masks))
    }

    fn add(&mut self, masking: &dyn Masking, later: &[Method], schema: &Schema) -> Result<()> {
        let columns = encoder(masking, schema)?;
        let columns = masked_columns(&columns, schema);
        self.made = masking.replaced_by(&columns)?.or(self.made.take());
        let places = masking.places(schema)?;
        let changed = changed(later, schema)?;
        // Where another method keeps the guarantee, k is counted over all that it is about.
        if let (Some(k), false) = (masking.k(), self.covered) {
            let all = || vec![columns.iter().map(|column| column.name).collect()];
            for part in masking.parts().unwrap_or_else(all) {
                self.crowds.push(Crowd {
                    k,
                    within: masking.buffer().map(|rows| rows as u64),
                    columns: part.into_iter().map(str::to_owned).collect(),
                });
            }
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
        self.counts_persons |=
            masking.counts_persons() && !schema.with_role(Role::Subject).is_empty();
        self.is_comparable &= masking.is_comparable();
        self.uses_seed |= masking.loss().is_none();
        self.losses.extend(masking.loss());
        Ok(())
    }

    /// Whether something that leaves is differentially private.
    pub(crate) fn is_private(&self) -> bool {
        !self.losses.is_empty()
    }

    /// Whether the column of this name is masked.
    pub(crate) fn has(&self, name: &str) -> bool {
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
