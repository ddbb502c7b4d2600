//! A stream from rows that may leave to rows as they leave: with pseudonyms, and masked.

use super::masks::Masks;
use super::notes::Notes;
use super::recoded::Recodes;
use super::secret_seed;
use super::watch::Watch;
use crate::cancel::Cancel;
use crate::data::{Batch, Role, Schema};
use crate::engine::columns::{Kept, Persons};
use crate::engine::context::{Context, Wanted};
use crate::engine::copies::Copies;
use crate::engine::plan::Plan;
use crate::engine::progress::Records;
use crate::engine::telling::Leaving;
use crate::error::Result;
use crate::protect::{Among, Chain, Filtered, Operator, Transition};
use std::sync::Arc;

/// Puts pseudonyms in, masks rows and measures what leaves.
pub(crate) struct Flow {
    chain: Chain,
    /// None where nothing is masked.
    pub(crate) watch: Option<Watch>,
    /// What masks draw from, where the plan does not say.
    seed: Option<u64>,
    leaving: Leaving,
    /// None where no name is replaced by a pseudonym.
    copies: Option<Copies>,
    read: u64,
    /// What masks tell of rows that have not left, where somebody wants to know.
    notes: Option<Notes>,
    released: u64,
}

/// The methods that rows of these columns go through once they may leave, one after the other.
fn steps(
    plan: &Plan,
    mut given: Arc<Schema>,
    seed: u64,
    cancel: &Cancel,
) -> Result<Vec<Box<dyn Operator>>> {
    let mut links: Vec<Box<dyn Operator>> = Vec::new();
    let mut seeds = (0u64..).map(|step| seed.wrapping_add(step));
    for method in &plan.protect {
        let link: Box<dyn Operator> = match (method.as_masking(), method.as_recoding()) {
            (Some(masking), _) => {
                let seed = seeds.next().unwrap_or(seed);
                Box::new(Filtered::build(masking, &given, seed, cancel)?)
            }
            (None, Some(recoding)) => Box::new(Recodes::new(plan, recoding, &given)?),
            // Events were decided before.
            (None, None) => continue,
        };
        given = Arc::clone(link.schema());
        links.push(link);
    }
    Ok(links)
}

/// The columns of what leaves a stream with these columns.
pub(crate) fn released_schema(plan: &Plan, schema: &Arc<Schema>) -> Result<Arc<Schema>> {
    let links = steps(plan, Arc::clone(schema), 0, &Cancel::default())?;
    let schema = links.last().map_or(schema, |link| link.schema());
    Ok(Arc::clone(Kept::new(plan, schema)?.schema()))
}

impl Flow {
    /// `seed` is what an earlier session has drawn from.
    pub(crate) fn new(
        plan: &Plan,
        masks: Option<&Masks>,
        schema: &Arc<Schema>,
        seed: Option<u64>,
        context: &Context,
        wanted: Wanted,
    ) -> Result<Self> {
        let secret = match (plan.seed, masks) {
            (None, Some(_)) => Some(seed.map_or_else(secret_seed, Ok)?),
            _ => None,
        };
        let seed = plan.seed.or(secret).unwrap_or(0);
        let persons: Box<dyn Operator> = Box::new(Persons::new(plan, &context.keys, schema)?);
        let mut links = vec![persons];
        let given = Arc::clone(links[0].schema());
        links.extend(steps(plan, given, seed, &context.cancel)?);
        let chain = Chain::new(links)?;
        let watch = |masks| Watch::new(plan, masks, (schema, chain.schema()), None, wanted);
        let mut protected = masks.map_or_else(Vec::new, |masks| masks.names.clone());
        let recoded = plan.columns.iter().map(|column| &column.name);
        protected.extend(recoded.filter(|name| plan.recodes_in_stream(name)).cloned());
        if plan.stream().is_some() {
            // Nearly every event has a time of its own.
            let times = plan.columns.iter().filter(|c| c.role == Role::Time);
            protected.extend(times.map(|column| column.name.clone()));
        }
        Ok(Flow {
            watch: masks.map(watch).transpose()?,
            seed: secret,
            leaving: Leaving::new(protected),
            copies: Copies::new(plan, schema)?,
            chain,
            read: 0,
            notes: None,
            released: 0,
        })
    }

    /// The columns of what leaves.
    pub(crate) fn schema(&self) -> &Arc<Schema> {
        self.chain.schema()
    }

    /// Why rows were held back for good.
    pub(crate) fn suppressed(&self) -> Vec<(String, u64)> {
        self.chain.suppressed()
    }

    /// The matrices by which categories are changed.
    pub(crate) fn transitions(&self) -> Vec<Transition> {
        self.chain.transitions()
    }

    /// Whether columns that are not masked single rows out.
    pub(crate) fn telling(&mut self) -> Result<Option<String>> {
        std::mem::replace(&mut self.leaving, Leaving::new(Vec::new())).warning()
    }

    /// The columns that name the persons behind pseudonyms.
    pub(crate) fn copies(&self) -> Vec<String> {
        let copies = self.copies.as_ref();
        copies.map_or_else(Vec::new, Copies::warnings)
    }

    /// How it is going.
    pub(crate) fn live(&self) -> Records {
        match &self.watch {
            Some(watch) => watch.live(self.read),
            None => Records {
                read: self.read,
                released: self.released,
                ..Records::default()
            },
        }
    }

    /// After how many more rows nothing waits here; none where that is not known.
    pub(crate) fn settles_in(&self) -> Option<u64> {
        self.chain.settles_in()
    }

    /// So many rows were released before, in another run.
    pub(crate) fn skip(&mut self, rows: u64) -> Result<()> {
        self.chain.skip(rows)
    }

    /// What masks draw from, where the plan does not say.
    pub(crate) fn secret_seed(&self) -> Option<u64> {
        self.seed
    }

    /// Somebody wants to know among which records each row is masked.
    pub(crate) fn certify(&mut self) {
        self.notes = Some(Notes::default());
        self.chain.among();
    }

    /// Among which records rows that leave were masked, by method; none where nobody has asked.
    pub(crate) fn among(&mut self, released: &Batch) -> Result<Option<Vec<Vec<Option<Among>>>>> {
        let notes = self.notes.as_mut();
        notes.map(|notes| notes.take(released.rows())).transpose()
    }

    /// Takes rows of a stream; gives those that may leave.
    pub(crate) fn push(&mut self, batch: Batch) -> Result<Batch> {
        self.read += batch.len() as u64;
        if let Some(copies) = &mut self.copies {
            copies.observe(&batch)?;
        }
        if let Some(watch) = &mut self.watch {
            watch.read(&batch);
        }
        let released = self.chain.push(batch)?;
        self.look(released)
    }

    /// Gives what is left of a stream.
    pub(crate) fn finish(&mut self) -> Result<Batch> {
        let released = self.chain.finish()?;
        self.look(released)
    }

    fn look(&mut self, released: Batch) -> Result<Batch> {
        if let Some(notes) = &mut self.notes {
            notes.add(self.chain.among());
        }
        self.released += released.len() as u64;
        self.leaving.observe(&released)?;
        if let Some(watch) = &mut self.watch {
            watch.look(&released)?;
        }
        Ok(released)
    }
}
