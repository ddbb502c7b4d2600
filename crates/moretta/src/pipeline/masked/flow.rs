//! From rows that were read to masked rows that may leave.

use super::pairs::Pairs;
use super::unchanged::Unchanged;
use crate::data::{Attribute, Batch, Encoder, Kind, Role, Schema};
use crate::error::{Error, Result};
use crate::measure::is_accuracy_loss;
use crate::measure::pairs::{PAIR_LIST, PairMeasures, PairSettings};
use crate::pipeline::order;
use crate::pipeline::progress::Records;
use crate::pipeline::read::originals_of;
use crate::pipeline::run::pseudonyms;
use crate::policy::Policy;
use crate::protect::{Chain, Filtered, Masking, Protector, encoder, masked_columns};
use std::sync::Arc;

/// Masks rows and measures what leaves.
pub(super) struct Flow {
    chain: Chain,
    pairs: Pairs,
    looked: Unchanged,
    /// None when nobody wants to know.
    measures: Option<PairMeasures>,
    pub(super) read: u64,
    pub(super) released: u64,
}

impl Flow {
    /// `table`: the rows of a table, which comes at once; `watched`: somebody looks at the run.
    pub(super) fn new(
        policy: &Policy,
        masking: &dyn Masking,
        schema: &Arc<Schema>,
        table: Option<usize>,
        watched: bool,
    ) -> Result<Self> {
        let places = masking.places(schema)?;
        let seed = match policy.seed {
            Some(seed) => seed,
            None => secret_seed()?,
        };
        let pseudonyms = pseudonyms(policy, schema)?;
        let filtered = Filtered::build(masking, pseudonyms.schema(), seed)?;
        let compared = match masking.is_comparable() {
            true => &places[..],
            false => &[],
        };
        let released = Released::new(masking, schema, places.clone())?;
        let measures = measures(policy, masking, schema, &released, (table, watched))?;
        let chain = Chain::new(vec![Box::new(pseudonyms), Box::new(filtered)])?;
        Ok(Flow {
            pairs: released.pairs(schema, chain.schema(), measures.is_some())?,
            chain,
            measures,
            looked: Unchanged::new(schema, compared),
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

    /// Columns most of whose numbers left as they were.
    pub(super) fn unchanged(&self) -> Vec<&str> {
        self.looked.columns(self.released)
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

    /// Masks a whole table; gives the rows in the order in which they leave.
    pub(super) fn mask(&mut self, policy: &Policy, original: &Batch) -> Result<Batch> {
        self.read += original.len() as u64;
        if let Some(measures) = &mut self.measures {
            measures.prepare(self.pairs.encode(original)?);
        }
        let rows = order::for_methods(policy, original)?;
        let parts = vec![self.chain.protect(rows)?, self.chain.finish()?];
        let masked = Batch::concat(self.chain.schema(), parts)?;
        let released = match order::of_release(policy, &masked)? {
            Some(order) => masked.take(&order)?,
            None => masked,
        };
        // Measures see pairs in the order of the release, too: what they tell of some
        // pairs must not depend on an order that does not leave.
        self.pairs.read(&originals_of(original, released.rows())?);
        self.look(released)
    }

    /// Takes rows of a stream; gives those that may leave.
    pub(super) fn push(&mut self, batch: Batch) -> Result<Batch> {
        self.read += batch.len() as u64;
        self.pairs.read(&batch);
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
        let (measures, looked) = (&mut self.measures, &mut self.looked);
        self.pairs
            .released(&released, |original, released, labels| {
                looked.observe(original, released);
                if let Some(measures) = measures {
                    measures.observe_labelled(original, released, labels);
                }
            })?;
        Ok(released)
    }
}

/// The masked columns, what they leave as, and the class that leaves beside them.
struct Released {
    places: Vec<usize>,
    /// Names of other columns that leave in their place.
    made: Option<Vec<String>>,
    class: Option<usize>,
}

impl Released {
    fn new(masking: &dyn Masking, schema: &Schema, places: Vec<usize>) -> Result<Self> {
        let columns = masked_columns(&encoder(masking, schema)?, schema);
        let made = masking.replaced_by(&columns)?;
        Ok(Released {
            class: class(schema).filter(|place| made.is_none() || !places.contains(place)),
            places,
            made,
        })
    }

    /// Columns that have no originals are paired where they are `measured`, else for
    /// their order only.
    fn pairs(&self, before: &Schema, after: &Schema, measured: bool) -> Result<Pairs> {
        let own = |&place: &usize| &*before.fields()[place].name;
        let (columns, names): (&[usize], Vec<&str>) = match &self.made {
            None => (&self.places, self.places.iter().map(own).collect()),
            Some(_) if !measured => (&[], Vec::new()),
            Some(made) => (&self.places, made.iter().map(String::as_str).collect()),
        };
        Pairs::new((before, columns), (after, &names), self.class)
    }
}

/// What is worth measuring: what the policy asks for, everything where a report is
/// written, and the two classic figures for whoever watches. A report on what is
/// differentially private tells nothing of the originals unless it is asked to.
fn measures(
    policy: &Policy,
    masking: &dyn Masking,
    schema: &Schema,
    released: &Released,
    (table, watched): (Option<usize>, bool),
) -> Result<Option<PairMeasures>> {
    let Released { places, class, .. } = released;
    let limits = policy.fail_above.iter().map(|(name, _)| name.as_str());
    let asked = policy.report_measures.iter().map(String::as_str);
    let mut names: Vec<&str> = asked.chain(limits).collect();
    let learnt = names.iter().find(|name| is_accuracy_loss(name));
    if let (Some(name), None) = (learnt, class) {
        return Err(Error::policy(format!(
            "{name} needs a class that has a type and is released"
        ))
        .help("give the column to predict a type, and do not mix it into others"));
    }
    let measurable = |name: &str| masking.is_comparable() || is_accuracy_loss(name);
    if let Some(name) = names.iter().find(|name| !measurable(name)) {
        return Err(Error::policy(format!(
            "{name} compares values with their originals, and mixtures of columns have none"
        ))
        .help("take it out of [measure]; accuracy_loss tells what learners lose, and `moretta attack` what can be got back"));
    }
    if names.is_empty() && policy.report.is_some() && masking.loss().is_none() {
        names = PAIR_LIST.iter().map(|info| info.name).collect();
        names.retain(|name| !is_accuracy_loss(name) || class.is_some());
    } else if watched && masking.loss().is_none() {
        names.extend(["record_linkage", "sse"]);
    }
    names = PAIR_LIST
        .iter()
        .map(|info| info.name)
        .filter(|name| names.contains(name) && measurable(name))
        .collect();
    if names.is_empty() {
        return Ok(None);
    }
    let attributes = Encoder::new(schema, places)?.attributes();
    let columns: Vec<&str> = places
        .iter()
        .map(|&place| &*schema.fields()[place].name)
        .collect();
    let made = released.made.as_ref();
    let settings = PairSettings {
        attributes,
        released: made.map(|names| vec![Attribute::Number; names.len()]),
        buffer: policy.pairs.buffer.unwrap_or(match table {
            Some(rows) => rows.clamp(1, RANKED),
            None => 100,
        }),
        interval: policy.pairs.interval,
        tolerance: policy.pairs.tolerance,
        learner: policy.pairs.learner,
        class: places.iter().position(|place| Some(*place) == *class),
    };
    PairMeasures::new(&settings, &columns, &names).map(Some)
}

/// Protected values of a table among which ranks are counted.
const RANKED: usize = 1_000;

/// The column that learners predict, if there is one and it has a type.
fn class(schema: &Schema) -> Option<usize> {
    match schema.with_role(Role::Class)[..] {
        [class] if !matches!(schema.fields()[class].kind, Kind::Plain(_)) => Some(class),
        _ => None,
    }
}

/// Noise that nobody can draw again.
pub(in crate::pipeline) fn secret_seed() -> Result<u64> {
    getrandom::u64().map_err(|e| Error::bug(format!("no randomness from the system: {e}")))
}
