//! From rows that were read to masked rows that may leave.

use super::pairs::Pairs;
use crate::data::{Batch, Encoder, Schema};
use crate::error::{Error, Result};
use crate::measure::pairs::{PAIR_LIST, PairMeasures, PairSettings};
use crate::pipeline::progress::Records;
use crate::pipeline::run::pseudonyms;
use crate::policy::Policy;
use crate::protect::{Chain, Filtered, Masking, Protector};
use std::sync::Arc;

/// Masks rows and measures what leaves.
pub(super) struct Flow {
    chain: Chain,
    pairs: Pairs,
    /// None when nobody wants to know.
    measures: Option<PairMeasures>,
    pub(super) read: u64,
    pub(super) released: u64,
}

impl Flow {
    /// `watched`: somebody looks at the run.
    pub(super) fn new(
        policy: &Policy,
        masking: &dyn Masking,
        schema: &Arc<Schema>,
        watched: bool,
    ) -> Result<Self> {
        let places = masking.places(schema)?;
        let seed = match policy.seed {
            Some(seed) => seed,
            None => secret_seed()?,
        };
        let pseudonyms = pseudonyms(policy, schema)?;
        let filtered = Filtered::build(masking, pseudonyms.schema(), seed)?;
        Ok(Flow {
            chain: Chain::new(vec![Box::new(pseudonyms), Box::new(filtered)])?,
            // Columns that have no originals are paired for their order only.
            pairs: Pairs::new(
                schema,
                if masking.is_comparable() {
                    &places
                } else {
                    &[]
                },
            )?,
            measures: measures(policy, masking, schema, &places, watched)?,
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

    /// What was measured.
    pub(super) fn measures(&self) -> Option<&PairMeasures> {
        self.measures.as_ref()
    }

    /// How it is going.
    pub(super) fn live(&self) -> Records {
        let figures = self.measures.iter().flat_map(PairMeasures::values);
        Records {
            read: self.read,
            released: self.released,
            figures: figures
                .filter(|(info, _)| matches!(info.name, "record_linkage" | "sse"))
                .filter_map(|(info, value)| Some((info.name, value?, info.percent)))
                .collect(),
        }
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
        let measures = &mut self.measures;
        self.pairs.released(&released, |original, released| {
            if let Some(measures) = measures {
                measures.observe(original, released);
            }
        })?;
        Ok(released)
    }
}

/// What is worth measuring: what the policy asks for, everything where a report is
/// written, and the two classic figures for whoever watches. A report on what is
/// differentially private tells nothing of the originals unless it is asked to.
fn measures(
    policy: &Policy,
    masking: &dyn Masking,
    schema: &Schema,
    places: &[usize],
    watched: bool,
) -> Result<Option<PairMeasures>> {
    let limits = policy.fail_above.iter().map(|(name, _)| name.as_str());
    let asked = policy.report_measures.iter().map(String::as_str);
    let mut names: Vec<&str> = asked.chain(limits).collect();
    if !masking.is_comparable() {
        return match names.first() {
            None => Ok(None),
            Some(name) => Err(Error::policy(format!(
                "{name} compares values with their originals, and mixtures of columns have none"
            ))
            .help("take it out of [measure]; `moretta attack` tells what can be got back")),
        };
    }
    if names.is_empty() && policy.report.is_some() && masking.loss().is_none() {
        names = PAIR_LIST.iter().map(|info| info.name).collect();
    } else if watched {
        names.extend(["record_linkage", "sse"]);
    }
    names = PAIR_LIST
        .iter()
        .map(|info| info.name)
        .filter(|name| names.contains(name))
        .collect();
    if names.is_empty() {
        return Ok(None);
    }
    let attributes = Encoder::new(schema, places)?.attributes();
    let columns: Vec<&str> = places
        .iter()
        .map(|&place| &*schema.fields()[place].name)
        .collect();
    let settings = PairSettings {
        attributes,
        buffer: policy.pairs.buffer,
        interval: policy.pairs.interval,
        tolerance: policy.pairs.tolerance,
    };
    PairMeasures::new(&settings, &columns, &names).map(Some)
}

/// Noise that nobody can draw again.
pub(in crate::pipeline) fn secret_seed() -> Result<u64> {
    getrandom::u64().map_err(|e| Error::bug(format!("no randomness from the system: {e}")))
}
