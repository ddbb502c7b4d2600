//! Puts a table through the methods of a plan, one after the other.
//!
//! What one method releases is all that the next one gets. Each step is held against the
//! rows that it was given: what it covers must cover them, what it masks says nothing of
//! them, and all other cells must be as they were.

use crate::data::{Batch, Domains, Field, Role, Schema};
use crate::engine::columns::pseudonyms;
use crate::engine::context::Context;
use crate::engine::domains::domains;
use crate::engine::items;
use crate::engine::judge::Given;
use crate::engine::ledger::{KnownRows, together};
use crate::engine::masked::{secret_seed, too_few};
use crate::engine::order;
use crate::engine::original::{Original, in_order_of_ids, in_order_of_texts};
use crate::engine::plan::{Action, Conflict, Plan, Stage};
use crate::engine::population;
use crate::engine::progress;
use crate::engine::shown::covered_as_text;
use crate::error::{Error, Result};
use crate::guarantee::{Coding, Fault, Guarantee, Rule, Treatment, Truth, torn_persons};
use crate::protect::{
    Claim, Effect, Method, Nest, Operator, Setting, Solutions, Transition, clusters,
};
use std::collections::HashMap;
use std::sync::Arc;

/// Rows compared at a time.
const CHUNK: usize = 1 << 16;

/// What a table has become.
pub(super) struct Protected {
    /// The rows that may leave, with all columns, in no particular order.
    pub(super) rows: Batch,
    /// Why others may not, with counts.
    pub(super) suppressed: Vec<(String, u64)>,
    /// How many others are not in the sample that was drawn.
    pub(super) left_out: u64,
    /// Where a step is untrue of the rows that it was given; empty where it was not compared.
    pub(super) untruths: Vec<Fault>,
    /// What the method that keeps the guarantee was given; where the policy only draws a sample,
    /// the sample.
    pub(super) given: Option<Given>,
    /// What it found where it searched; of the rows that leave alone.
    pub(super) solutions: Option<Solutions>,
    /// The matrices by which categories were changed.
    pub(super) transitions: Vec<Transition>,
}

/// Whether each step is held against the rows that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Yes,
    No,
}

/// Puts the table through all methods, the last classes of which lie inside of `nest`.
pub(super) fn protect(
    plan: &Plan,
    original: &Original,
    compared: Compared,
    known: Option<&KnownRows>,
    nest: &Nest,
    context: &Context,
) -> Result<Protected> {
    population::check(plan, original.batch.schema(), context)?;
    context.progress.enter(progress::Stage::Protect);
    let seed = seed(plan)?;
    let stages = plan.stages();
    let given = match stages.first() {
        Some(stage) if !plan.is_buffered() => {
            order::for_method(plan, stage.method, original.batch.clone())?
        }
        _ => original.batch.clone(),
    };
    let mut protected = Protected {
        rows: pseudonyms(plan, &context.keys, given.schema())?.push(given.clone())?,
        suppressed: Vec::new(),
        left_out: 0,
        untruths: Vec::new(),
        given: None,
        solutions: None,
        transitions: Vec::new(),
    };
    let mut first = Some(given);
    for stage in stages {
        context.cancel.check()?;
        let mut rows = protected.rows;
        let mut step = Step {
            plan,
            context,
            stage,
            seed: seed.wrapping_add(stage.place as u64),
            first: first.is_some(),
            nest,
            domains: Arc::default(),
        };
        if !step.first && !plan.is_buffered() {
            rows = order::for_method(plan, stage.method, rows)?;
        }
        let before = first.take().unwrap_or_else(|| rows.clone());
        let effects = stage.effects(rows.schema())?;
        match stage.claim() == Claim::Classes {
            false => {
                step.domains = step.masked_domains(&rows)?;
                let given = rows.len();
                let mut released = step.release(stage.method, rows)?;
                if given > 0 && released.rows.is_empty() {
                    step.refuse_few(given)?;
                }
                protected.left_out += released.left_out;
                protected.transitions.append(&mut released.transitions);
                if stage.method.samples() {
                    // Nothing that follows may depend on values that were not drawn.
                    released.rows = in_order_of_texts(released.rows)?;
                }
                if plan.only_samples() {
                    let sample = original.with_rows(in_order_of_ids(&released.rows)?)?;
                    protected.given = Some(Given {
                        domains: Arc::new(domains(plan, &sample, None)?),
                        rows: sample.batch,
                    });
                }
                (protected.rows, protected.suppressed) = released.after(protected.suppressed);
            }
            true => {
                let table = match step.first {
                    true => original.clone(),
                    false => original.with_rows(in_order_of_ids(&rows)?)?,
                };
                let ledger = plan.ledger.zip(known);
                let mut released = match ledger {
                    Some((ledger, known)) if ledger.growth => step.grow(known, &table, rows)?,
                    _ => step.release_alone(&table, rows)?,
                };
                if let Some((ledger, known)) = ledger
                    && (ledger.growth || ledger.on_conflict == Conflict::Coarsen)
                {
                    released = step.coarsen(known, released)?;
                }
                protected.solutions = released.solutions.take();
                protected.left_out += released.left_out;
                (protected.rows, protected.suppressed) = released.after(protected.suppressed);
                protected.given = Some(Given {
                    rows: table.batch,
                    domains: Arc::clone(&step.domains),
                });
            }
        }
        if compared == Compared::Yes {
            let faults = step.compare(&effects, &before, &protected.rows)?;
            protected.untruths.extend(faults);
            if stage.method.samples() {
                protected.untruths.extend(torn(&before, &protected.rows)?);
            }
            if stage.method.covers_items() {
                let given = in_order_of_ids(&before)?;
                let lost = items::lost(&given, &protected.rows, &step.domains)?;
                protected.untruths.extend(lost);
            }
        }
    }
    Ok(protected)
}

/// What a method has released, and why it has held back other rows.
struct Released {
    rows: Batch,
    suppressed: Vec<(String, u64)>,
    left_out: u64,
    solutions: Option<Solutions>,
    transitions: Vec<Transition>,
}

impl Released {
    /// A sample tells of every row what became of it, as does a method that shows a label of a person
    /// once; no other method leaves rows out.
    fn accounts_for(&self, rows: usize, method: &Method) -> Result<()> {
        let suppressed: u64 = self.suppressed.iter().map(|(_, rows)| rows).sum();
        let told = self.rows.len() as u64 + suppressed + self.left_out;
        let may_leave_out = method.samples() || method.covers_items();
        match may_leave_out && told == rows as u64 || !may_leave_out && self.left_out == 0 {
            true => Ok(()),
            false => Err(Error::bug("rows of a sample are not accounted for")),
        }
    }

    /// Together with what was released of other rows.
    fn beside(mut self, other: Released) -> Result<Self> {
        let schema = Arc::clone(self.rows.schema());
        for (why, count) in other.suppressed {
            match self.suppressed.iter_mut().find(|(known, _)| *known == why) {
                Some((_, sum)) => *sum += count,
                None => self.suppressed.push((why, count)),
            }
        }
        self.transitions.extend(other.transitions);
        Ok(Released {
            rows: Batch::concat(&schema, vec![self.rows, other.rows])?,
            left_out: self.left_out + other.left_out,
            // Each cluster was searched by itself, and none stands for all.
            solutions: None,
            ..self
        })
    }

    fn after(self, mut before: Vec<(String, u64)>) -> (Batch, Vec<(String, u64)>) {
        before.extend(self.suppressed);
        (self.rows, before)
    }
}

/// The seed of randomness that is not a secret. Masks, and methods that draw, get one that nobody
/// can draw again where the plan has none.
fn seed(plan: &Plan) -> Result<u64> {
    match (plan.seed, plan.draws()) {
        (Some(seed), _) => Ok(seed),
        (None, false) => Ok(0),
        (None, true) => secret_seed(),
    }
}

/// A step at work on the rows that it is given.
struct Step<'a> {
    plan: &'a Plan,
    context: &'a Context,
    stage: Stage<'a>,
    seed: u64,
    /// Pseudonyms are put in with the first step.
    first: bool,
    /// What the release must lie inside of.
    nest: &'a Nest,
    /// The domains of the rows, where the method makes them coarser.
    domains: Arc<Domains>,
}

impl Step<'_> {
    /// Releases rows as a whole, or cluster by cluster.
    fn release(&self, method: &Method, rows: Batch) -> Result<Released> {
        match self.plan.clusters {
            Some(count) if method.works_in_clusters() && !rows.is_empty() => {
                self.release_clusters(count, method, &rows)
            }
            _ => self.release_whole(method, rows, self.seed),
        }
    }

    /// Each cluster is a table of its own; rows leave in the order in which they were given.
    fn release_clusters(&self, count: usize, method: &Method, rows: &Batch) -> Result<Released> {
        let masking = method.as_masking();
        let places = match masking {
            Some(masking) => masking.places(rows.schema())?,
            None => rows.schema().with_role(Role::Quasi),
        };
        let k = self.plan.guarantee.class_size().unwrap_or(1) as usize;
        let least = masking.map_or(k, |masking| masking.least().max(k));
        let wanted = (count, least);
        // Which rows are near each other is no secret, and the same in every run.
        let seed = self.plan.seed.unwrap_or(0);
        let clusters = clusters(rows, &places, wanted, seed, &self.context.cancel)?;
        let mut all: Option<Released> = None;
        for (rows_of, number) in clusters.iter().zip(0_u64..) {
            // Chance in one cluster is not that in another.
            let seed = self.seed.wrapping_add(number << 32);
            let released = self.release_whole(method, rows.take(rows_of)?, seed)?;
            all = Some(match all {
                None => released,
                Some(all) => all.beside(released)?,
            });
        }
        let all = all.ok_or_else(|| Error::bug("rows in no cluster"))?;
        let places = places_of(rows);
        let place = |id: u64| places.get(id as usize).copied().flatten();
        let mut order: Vec<(Option<u32>, u32)> =
            all.rows.rows().iter().map(place).zip(0..).collect();
        order.sort_unstable();
        let order: Vec<u32> = order.into_iter().map(|(_, row)| row).collect();
        Ok(Released {
            rows: all.rows.take(&order)?,
            ..all
        })
    }

    fn release_whole(&self, method: &Method, rows: Batch, seed: u64) -> Result<Released> {
        let setting = Setting {
            guarantee: self.plan.guarantee.clone(),
            domains: Arc::clone(&self.domains),
            population: self.context.population.clone(),
            nest: self.nest.clone(),
            seed,
            cancel: self.context.cancel.clone(),
            trail: self.context.progress.trail().clone(),
        };
        let mut operator = self.stage.build(method, rows.schema(), &setting)?;
        let (all, given) = (rows.len(), Arc::clone(rows.schema()));
        let parts = [operator.push(rows)?, operator.finish()?];
        let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let released = Released {
            rows: labelled(
                Batch::concat(&Arc::clone(operator.schema()), parts)?,
                &given,
            )?,
            suppressed: operator.suppressed(),
            left_out: operator.left_out(),
            solutions: operator.solutions(),
            transitions: operator.transitions(),
        };
        released.accounts_for(all, method)?;
        Ok(released)
    }

    /// Releases `rows`, those of `table`, so that the release does not tell of suppressed
    /// rows by how it is written: by the grid of a number, the notation of an interval, the
    /// height of a tree. Where rows are suppressed, the others are protected once more, as a
    /// table of their own from which nothing more is suppressed. What is released then is
    /// what the policy makes of the released rows alone; tables that differ in suppressed
    /// rows only have the same release. The types of columns are the exception: where the
    /// policy does not declare them, all rows that were read decide.
    ///
    /// The promise holds for the second release as for any. That there is one follows from
    /// the first: classes that keep k, l, t and p keep them together, too (where persons have
    /// rows in several classes entropy can fall a little; then the run is refused). Costs the
    /// time of a second release, where rows are suppressed.
    fn release_alone(&mut self, table: &Original, rows: Batch) -> Result<Released> {
        let all = rows.len();
        let population = self.context.population.as_deref();
        self.domains = Arc::new(domains(self.plan, table, population)?);
        let released = self.release(self.stage.method, rows)?;
        let kept = released.rows.len() + released.left_out as usize;
        if released.rows.is_empty() || kept == all {
            return Ok(released);
        }
        let ids = match self.stage.method.covers_items() {
            false => in_order_of_ids(&released.rows)?.rows().clone(),
            true => items::of_persons(&table.batch, released.rows.rows())?,
        };
        let left = table.alone(&ids)?;
        let rows = self.given(&left)?;
        let own = Arc::new(domains(self.plan, &left, population)?);
        let whole = std::mem::replace(&mut self.domains, Arc::clone(&own));
        let again = self.release(&self.stage.method.suppressing(0.0), rows)?;
        self.domains = Arc::new(whole.with_trees_of(&own));
        match again.rows.len() + again.left_out as usize == left.batch.len() {
            true => Ok(Released {
                suppressed: released.suppressed,
                ..again
            }),
            false => Err(Error::bug("rows were suppressed once more")),
        }
    }

    /// The domains of the columns that are masked, where distances follow from hierarchies.
    fn masked_domains(&self, rows: &Batch) -> Result<Arc<Domains>> {
        let masking = self.stage.method.as_masking();
        let Some(masking) = masking.filter(|masking| masking.follows_hierarchies()) else {
            return Ok(Arc::default());
        };
        let places = masking.places(rows.schema())?;
        let fields = places
            .iter()
            .map(|&place| rows.schema().fields()[place].clone());
        let columns = places.iter().map(|&place| rows.column(place).clone());
        let schema = Arc::new(Schema::new(fields.collect())?);
        let masked = Original {
            batch: Batch::new(schema, rows.rows().clone(), columns.collect())?,
            made: HashMap::new(),
            notes: Vec::new(),
        };
        Ok(Arc::new(domains(self.plan, &masked, None)?))
    }

    /// The rows of a part of the table as the method gets them.
    fn given(&self, part: &Original) -> Result<Batch> {
        let rows = order::for_method(self.plan, self.stage.method, part.batch.clone())?;
        match self.first {
            true => pseudonyms(self.plan, &self.context.keys, rows.schema())?.push(rows),
            false => Ok(rows),
        }
    }

    /// Releases a table that has grown: rows that were released keep their class, and the
    /// others become classes of their own, or wait.
    fn grow(&mut self, known: &KnownRows, table: &Original, rows: Batch) -> Result<Released> {
        let whole = Arc::new(domains(
            self.plan,
            table,
            self.context.population.as_deref(),
        )?);
        let guarantee = &self.plan.guarantee;
        let k = guarantee.class_size().unwrap_or(1);
        let only_k = *guarantee
            == Guarantee {
                k: guarantee.k,
                maximum_risk: guarantee.maximum_risk,
                ..Guarantee::default()
            };
        let history = self.context.ledger.as_ref();
        let grown = match history {
            Some(history) => history.grown(known, &rows, &whole, only_k.then_some(k))?,
            None => None,
        };
        let Some(grown) = grown else {
            return self.release_alone(table, rows);
        };
        let fresh = rows.take(&grown.fresh)?;
        let count = fresh.len() as u64;
        let made = match known.persons(&fresh) >= k as usize {
            false => None,
            true => {
                let left = table.alone(in_order_of_ids(&fresh)?.rows())?;
                let fresh = self.given(&left)?;
                match self.release_alone(&left, fresh) {
                    Ok(made) => Some(made),
                    // They do not make a class that keeps every promise yet.
                    Err(Error::Guarantee(_)) => None,
                    Err(error) => return Err(error),
                }
            }
        };
        self.domains = whole;
        match made {
            Some(made) => Ok(Released {
                rows: together(grown.kept, made.rows)?,
                suppressed: made.suppressed,
                left_out: 0,
                solutions: made.solutions,
                transitions: made.transitions,
            }),
            None => Ok(Released {
                rows: grown.kept,
                suppressed: vec![("new rows wait until enough of them come".to_owned(), count)],
                left_out: 0,
                solutions: None,
                transitions: Vec::new(),
            }),
        }
    }

    /// A table that is too short for one group, or for the method, is refused.
    fn refuse_few(&self, rows: usize) -> Result<()> {
        match self.stage.method.as_masking() {
            Some(masking) => Err(too_few(self.stage.method.name(), masking, rows as u64)),
            None => Ok(()),
        }
    }

    /// Joins classes by which readers of earlier releases could tell somebody.
    fn coarsen(&self, known: &KnownRows, mut released: Released) -> Result<Released> {
        let Some(history) = &self.context.ledger else {
            return Ok(released);
        };
        let none = released.rows.slice(0, 0);
        let rows = std::mem::replace(&mut released.rows, none);
        let (rows, gone) = history.coarsen(self.plan, known, rows, &self.domains)?;
        if gone > 0 && rows.is_empty() {
            return Err(Error::budget(
                "with earlier releases in hand, a reader could tell persons apart however classes are joined: no row is left to release",
            )
            .help("nothing was written. Release the columns that were released before, or wait for more rows; `moretta ledger list` shows what was released"));
        }
        if gone > 0 {
            let why = "earlier releases would tell them apart".to_owned();
            released.suppressed.push((why, gone));
        }
        Ok(Released { rows, ..released })
    }

    /// What is untrue of `released`.
    fn compare(&self, effects: &[Effect], given: &Batch, released: &Batch) -> Result<Vec<Fault>> {
        let treatments = self.treatments(effects, given.schema())?;
        let mut truth = Truth::new(given.schema(), &treatments, false)?.with_made(
            match effects.contains(&Effect::Replaced) {
                true => made(given.schema(), released.schema()),
                false => Vec::new(),
            },
        );
        let places = places_of(given);
        let released = covered_as_text(released)?;
        for start in (0..released.len()).step_by(CHUNK) {
            self.context.cancel.check()?;
            let part = released.slice(start, CHUNK.min(released.len() - start));
            let place = |id: u64| places.get(id as usize).copied().flatten();
            let rows: Option<Vec<u32>> = part.rows().iter().map(place).collect();
            let rows = rows.ok_or_else(|| {
                Error::bug("a row was released that was never read, or was held back before")
            })?;
            let original = match rows.windows(2).all(|pair| pair[1] == pair[0] + 1) {
                true => given.slice(rows.first().map_or(0, |&row| row as usize), rows.len()),
                false => given.take(&rows)?,
            };
            truth.observe(&original, &part)?;
        }
        Ok(truth.findings(Some(released.len() as u64)))
    }

    /// The rule by which the values of a column are coded.
    fn coding(&self, field: &Field) -> Result<Coding> {
        let rules = self.stage.rules();
        let coding = rules.map(|rules| rules.coding(field)).transpose()?;
        coding
            .flatten()
            .ok_or_else(|| Error::bug(format!("column `{}` is coded by no rule", field.name)))
    }

    fn treatments(&self, effects: &[Effect], given: &Schema) -> Result<Vec<(String, Treatment)>> {
        let fields = given.fields().iter().zip(effects);
        fields
            .map(|(field, effect)| {
                let column = self.plan.column(&field.name);
                let pseudonym = matches!(
                    column.map(|column| &column.action),
                    Some(Action::Pseudonym { .. })
                );
                let treatment = match effect {
                    Effect::Kept if pseudonym && self.first => Treatment::Pseudonym,
                    Effect::Kept => Treatment::Kept,
                    Effect::Covered => {
                        let domain = self.domains.require(&field.name)?.clone();
                        match self.domains.separator(&field.name) {
                            Some(separator) => Treatment::Listed(domain, separator.to_owned()),
                            None => Treatment::Generalised(domain),
                        }
                    }
                    Effect::Represented => {
                        Treatment::Representative(self.domains.require(&field.name)?.clone())
                    }
                    Effect::Coded => Treatment::Coded(self.coding(field)?),
                    Effect::Exchanged => Treatment::Exchanged,
                    Effect::Masked => Treatment::Masked,
                    Effect::Replaced => Treatment::Dropped,
                };
                Ok((field.name.to_string(), treatment))
            })
            .collect()
    }
}

/// The rows with the roles that their columns had before: a method does not change them.
fn labelled(rows: Batch, given: &Schema) -> Result<Batch> {
    let mut fields = rows.schema().fields().to_vec();
    for field in &mut fields {
        if let Some(place) = given.index_of(&field.name) {
            field.role = given.fields()[place].role;
        }
    }
    let schema = Arc::new(Schema::new(fields)?);
    Batch::new(schema, rows.rows().clone(), rows.columns().to_vec())
}

/// Persons of whom a sample holds a part of their rows.
fn torn(given: &Batch, sample: &Batch) -> Result<Option<Fault>> {
    let Some(&subject) = given.schema().with_role(Role::Subject).first() else {
        return Ok(None);
    };
    let places = places_of(given);
    let mut drawn = vec![false; given.len()];
    for id in sample.rows().iter() {
        if let Some(&Some(place)) = places.get(id as usize) {
            drawn[place as usize] = true;
        }
    }
    let count = torn_persons(given.categories(subject)?, &drawn);
    Ok((count > 0).then(|| Fault {
        column: Some(given.schema().fields()[subject].name.to_string()),
        rule: Rule::PersonTorn,
        count,
    }))
}

/// The columns that a step has made.
fn made(given: &Schema, released: &Schema) -> Vec<String> {
    let fields = released.fields().iter();
    let new = fields.filter(|field| given.index_of(&field.name).is_none());
    new.map(|field| field.name.to_string()).collect()
}

/// Where the row with each id is.
fn places_of(rows: &Batch) -> Vec<Option<u32>> {
    let most = rows.rows().iter().max().map_or(0, |id| id as usize + 1);
    let mut places = vec![None; most];
    for (id, place) in rows.rows().iter().zip(0..) {
        places[id as usize] = Some(place);
    }
    places
}
