//! The session of a table: collected, protected, ordered, checked and measured as a whole.

use super::levels::protect_levels;
use super::steps::{Compared, Protected, protect};
use super::trial::{Assessment, Candidate, Purpose};
use super::{Checked, Finished};
use crate::data::{Batch, Role, Schema};
use crate::engine::coarse;
use crate::engine::column_sets::of_release;
use crate::engine::columns::{numbered, without_dropped};
use crate::engine::context::Context;
use crate::engine::copies::Copies;
use crate::engine::facts::{Facts, Masked, report};
use crate::engine::faults::Faults;
use crate::engine::items;
use crate::engine::judge::{Judge, Judgement, Made, refused};
use crate::engine::learn::{accuracy_loss, accuracy_losses};
use crate::engine::ledger::KnownRows;
use crate::engine::masked::{self, Learn, Masks, Watch};
use crate::engine::order;
use crate::engine::original::{Original, in_order_of_ids, originals_of};
use crate::engine::plan::Plan;
use crate::engine::progress::Stage;
use crate::engine::report::{LevelFacts, RuleFact};
use crate::engine::rules;
use crate::engine::shown::counted_as_text;
use crate::engine::telling::Leaving;
use crate::engine::warnings::{run_warnings, sample_warnings};
use crate::error::{Error, Result};
use crate::guarantee::{Nesting, RuleCount, nesting};
use crate::measure::{self, Info, Measure};
use crate::protect::{Nest, Transition};
use std::sync::Arc;

/// The rows of a table so far.
pub(super) struct TableFlow {
    plan: Arc<Plan>,
    schema: Arc<Schema>,
    batches: Vec<Batch>,
    pub(super) notes: Vec<String>,
}

impl TableFlow {
    pub(super) fn new(plan: Arc<Plan>, schema: &Arc<Schema>) -> Result<Self> {
        Ok(TableFlow {
            plan,
            schema: Arc::clone(schema),
            batches: Vec::new(),
            notes: Vec::new(),
        })
    }

    pub(super) fn has_levels(&self) -> bool {
        !self.plan.levels.is_empty()
    }

    pub(super) fn push(&mut self, rows: Batch) -> Result<()> {
        if !rows.is_empty() {
            self.batches.push(rows);
        }
        Ok(())
    }

    /// Protects the table, then checks and measures what leaves.
    pub(super) fn finish(
        self,
        context: &Context,
        measures: &mut [Box<dyn Measure>],
    ) -> Result<Finished> {
        let table = self.collected()?;
        let broken = table.judge_source(context)?;
        let warned = table.warnings(context.strict)?;
        let made = table.protect(Compared::Yes, context)?;
        made.finish((warned, &broken), context, measures)
    }

    /// The same for each level, from the least to the most protected; they are nested.
    pub(super) fn finish_levels(self, context: &Context) -> Result<Vec<Finished>> {
        let table = self.collected()?;
        let broken = table.judge_source(context)?;
        table.refuse_mixed()?;
        let plans = table.plan.of_levels();
        let known = table.known(context)?;
        let mut context = context.clone();
        let mut made = Vec::new();
        let all = protect_levels(&plans, &table.original, &context)?;
        for (plan, protected) in plans.into_iter().zip(all) {
            let level = Table {
                masks: Masks::new(&plan, table.original.batch.schema())?,
                plan: Arc::new(plan),
                original: table.original.clone(),
            };
            made.push(level.treated(protected, known.clone())?);
        }
        check_nested(&table, &made)?;
        let mut finished: Vec<Finished> = Vec::new();
        // A ledger holds each level against those before it: the finest last.
        for (level, of) in made.into_iter().zip(&table.plan.levels).rev() {
            let warned = level.table.warnings(context.strict)?;
            let mut level = level.finish((warned, &broken), &context, &mut [])?;
            level.report.levels = Some(LevelFacts::new(&table.plan, of));
            if let (Some(history), Some(recorded)) = (&mut context.ledger, &level.recorded) {
                Arc::make_mut(history).add(recorded);
            }
            finished.push(level);
        }
        finished.reverse();
        Ok(finished)
    }

    /// Protects the table for judges: what would leave, and what they find where they are asked.
    pub(super) fn try_out(self, purpose: Purpose, context: &Context) -> Result<Candidate> {
        let table = self.collected()?;
        table.judge_source(context)?;
        let (compared, mut faults) = (purpose.compared(), Faults::Noted(Vec::new()));
        let made = table.protect(compared, context)?;
        let assessment = match purpose {
            Purpose::Rows => None,
            Purpose::Assess => {
                let measures = made.judge(context, &mut faults)?.values();
                Some(Assessment {
                    measures,
                    faults: faults.noted(),
                })
            }
        };
        Ok(Candidate {
            plan: made.table.plan,
            original: made.table.original,
            rows: made.release,
            assessment,
        })
    }

    fn collected(self) -> Result<Table> {
        let batch = Batch::concat(&self.schema, self.batches)?;
        let original = Original::new(&self.plan, batch, self.notes)?;
        Ok(Table {
            masks: Masks::new(&self.plan, original.batch.schema())?,
            plan: self.plan,
            original,
        })
    }
}

/// Holds levels against each other, by the rows that leave.
///
/// # Errors
/// When somebody with all of them in hand would see fewer persons than the finest promises.
fn check_nested(table: &Table, levels: &[Treated]) -> Result<()> {
    let releases = levels.iter().map(|level| counted_as_text(&level.release));
    let releases = releases.collect::<Result<Vec<Batch>>>()?;
    let releases: Vec<&Batch> = releases.iter().collect();
    let schema = table.original.batch.schema();
    let quasi = schema.with_role(Role::Quasi);
    let mut quasi: Vec<&str> = quasi.iter().map(|&i| &*schema.fields()[i].name).collect();
    quasi.retain(|name| releases.iter().all(|r| r.schema().index_of(name).is_some()));
    let subject = schema.with_role(Role::Subject).first().copied();
    let persons = subject.and_then(|place| table.original.batch.column(place).as_categories());
    let found = nesting(&releases, &quasi, persons.map(|persons| persons.codes()))?;
    let least = table
        .plan
        .levels
        .first()
        .map_or(0, |level| u64::from(level.k));
    // Groups of masked records can have the same means.
    let divides = table.masks.is_some();
    let what = match found {
        Nesting { unequal: 1.., .. } => "levels do not show the same rows",
        Nesting { spread: 1.., .. } if !divides => "a class of a level lies in several of the next",
        Nesting {
            smallest: Some(size),
            ..
        } if size < least => "all levels together tell groups of fewer than k",
        _ => return Ok(()),
    };
    Err(Error::guarantee(what).help("nothing was written"))
}

/// All rows of a table.
struct Table {
    plan: Arc<Plan>,
    original: Original,
    /// What is masked of them; `None` where nothing is.
    masks: Option<Masks>,
}

impl Table {
    fn warnings(&self, strict: bool) -> Result<Vec<String>> {
        self.warnings_of(&self.original, strict)
    }

    fn warnings_of(&self, rows: &Original, strict: bool) -> Result<Vec<String>> {
        match self.plan.keeps_guarantee() {
            // Of records that are only masked, what was odd about the input.
            false => Ok(rows.notes.clone()),
            true => {
                let mut told = run_warnings(&self.plan, rows, self.masks.as_ref(), strict)?;
                // What a private method masks has no part in what is told.
                let private = self.masks.as_ref().filter(|masks| masks.is_private());
                let hidden = private.map_or(&[][..], |masks| &masks.names);
                told.extend(rules::texts_of_nobody(&self.plan, &rows.batch, hidden));
                Ok(told)
            }
        }
    }

    /// Holds all rows against the rules, before anything is protected.
    fn judge_source(&self, context: &Context) -> Result<Vec<RuleCount>> {
        self.source_rules(&self.original.batch, context)
            .and_then(|counts| {
                rules::refuse_source(&self.plan, &counts)?;
                Ok(counts)
            })
    }

    fn source_rules(&self, rows: &Batch, context: &Context) -> Result<Vec<RuleCount>> {
        let Some(mut checker) = rules::of_source(&self.plan, rows.schema())? else {
            return Ok(Vec::new());
        };
        rules::judge(&mut checker, rows, || context.cancel.check())?;
        Ok(checker.counts())
    }

    /// What may be told of rules. `all` was counted in all rows of the source.
    fn told_rules(
        &self,
        release: &Batch,
        all: &[RuleCount],
        judged: &Judged,
        context: &Context,
    ) -> Result<Vec<RuleFact>> {
        let plan = &self.plan;
        let private = self.masks.as_ref().is_some_and(Masks::is_private);
        let asked = !(plan.report_measures.is_empty() && plan.fail_above.is_empty());
        let source = match release.len() == self.original.batch.len() {
            _ if plan.rules.is_empty() => return Ok(Vec::new()),
            true => all.to_vec(),
            false => {
                let originals = originals_of(&self.original.batch, release.rows())?;
                self.source_rules(&originals, context)?
            }
        };
        let source = (!private || asked).then_some(source.as_slice());
        Ok(rules::facts(plan, source, &judged.rules))
    }

    fn masked_names(&self) -> Vec<String> {
        let masks = self.masks.as_ref();
        masks.map_or_else(Vec::new, |masks| masks.names.clone())
    }

    fn protect(self, compared: Compared, context: &Context) -> Result<Treated> {
        self.refuse_mixed()?;
        let known = self.known(context)?;
        let (plan, nest) = (&self.plan, Nest::default());
        let known_rows = known.as_ref();
        let protected = protect(plan, &self.original, compared, known_rows, &nest, context)?;
        self.treated(protected, known)
    }

    fn refuse_mixed(&self) -> Result<()> {
        let refuse =
            |masks: &Masks| masked::refuse_mixed(&self.plan, &self.original.batch, &masks.places);
        self.masks.as_ref().map_or(Ok(()), refuse)
    }

    /// By what the ledger knows the rows; none without one.
    fn known(&self, context: &Context) -> Result<Option<KnownRows>> {
        match (&context.ledger, self.plan.ledger) {
            (Some(history), Some(_)) => history.known_rows(&self.original.batch).map(Some),
            _ => Ok(None),
        }
    }

    /// What was made of the rows, in the order in which they leave.
    fn treated(self, mut protected: Protected, known: Option<KnownRows>) -> Result<Treated> {
        let plan = &self.plan;
        let none = protected.rows.slice(0, 0);
        let rows = order::released(plan, std::mem::replace(&mut protected.rows, none))?;
        Ok(Treated {
            release: without_dropped(plan, &rows)?,
            table: self,
            protected,
            rows,
            known,
        })
    }
}

/// What was made of a table, not judged yet.
struct Treated {
    table: Table,
    /// What the methods tell; its rows are in `rows`.
    protected: Protected,
    /// The rows in the order in which they leave, with all columns.
    rows: Batch,
    /// The rows as they leave.
    release: Batch,
    /// By what the ledger knows the rows; none without one.
    known: Option<KnownRows>,
}

impl Treated {
    /// Checks and measures what leaves; `warned` is what was said of all rows, `broken` by how many
    /// each rule is.
    fn finish(
        self,
        (warned, broken): (Vec<String>, &[RuleCount]),
        context: &Context,
        measures: &mut [Box<dyn Measure>],
    ) -> Result<Finished> {
        let judged = self.judge(context, &mut Faults::Refused)?;
        let Treated {
            table,
            protected,
            rows,
            release,
            known: known_rows,
        } = self;
        drop(rows);
        let Table {
            plan,
            original,
            masks,
        } = &table;
        let recorded = match (&context.ledger, &known_rows) {
            (Some(history), Some(known)) => Some(history.record(plan, known, &release)?),
            _ => None,
        };
        for measure in measures {
            show(measure.as_mut(), &original.batch, &release)?;
        }
        let mut telling = Leaving::new(table.masked_names());
        telling.observe(&release)?;
        let mut told = match release.len() == original.batch.len() {
            true => warned,
            false => {
                let ids: Vec<u64> = release.rows().iter().collect();
                table.warnings_of(&original.of_rows(&ids)?, context.strict)?
            }
        };
        let copies = Copies::of_release(plan, &original.batch, release.rows())?;
        told.extend(copies);
        told.extend(sample_warnings(plan));
        let telling = telling.warning()?;
        match plan.keeps_guarantee() {
            true => told.splice(0..0, telling).for_each(drop),
            false => told.extend(telling),
        }
        let rules = table.told_rules(&release, broken, &judged, context)?;
        let mut report = report(&Facts {
            plan,
            rules: &rules,
            schema: original.batch.schema(),
            judgement: judged.judgement.as_ref(),
            decided: None,
            masked: match (masks, &judged.masked) {
                (Some(masks), Some((watch, crowds))) => Some(Masked {
                    masks,
                    watch,
                    crowds,
                }),
                _ => None,
            },
            read: original.batch.len() as u64 - protected.left_out,
            left_out: protected.left_out,
            released: release.len() as u64,
            suppressed: &protected.suppressed,
            solutions: protected.solutions.as_ref(),
            warnings: &told,
        });
        if plan.keeps_guarantee() {
            report.column_sets = of_release(&release);
        }
        let exchanges = protected.transitions.iter().filter_map(Transition::warning);
        report.warnings.extend(exchanges);
        context.cancel.check()?;
        Ok(Finished {
            rows: Checked::new(numbered(plan, release)?),
            report,
            recorded,
            transitions: protected.transitions,
        })
    }

    /// Puts the release to the checks and the measures.
    fn judge(&self, context: &Context, faults: &mut Faults) -> Result<Judged> {
        let Table {
            plan,
            original,
            masks,
        } = &self.table;
        context.progress.enter(Stage::Check);
        let untruths = &self.protected.untruths;
        let judgement = match &self.protected.given {
            None => None,
            Some(given) => {
                let told = &self.protected.suppressed;
                let items = items::one_a_row(plan, given, &self.rows)?;
                let (given, release, suppressed) = match &items {
                    Some(items) => (&items.given, &items.release, items.suppressed(told)),
                    None => (given, &self.release, told.clone()),
                };
                let put = Made {
                    release,
                    suppressed: &suppressed,
                    untruths: untruths.clone(),
                    masked: &self.table.masked_names(),
                    accuracy_losses: accuracy_losses(plan, original, &self.release)?,
                };
                let mut judgement = Judge { plan, given }.judge(put, context)?;
                if items.is_some() {
                    let claim = items::claim(plan, &original.batch, &self.release)?;
                    judgement.findings.claims.extend(claim);
                    // Rows are told, not items.
                    judgement.published.reasons = coarse::reasons(told, 0);
                }
                Some(judgement)
            }
        };
        faults.take(match (untruths.first(), &judgement) {
            (Some(fault), _) => Err(refused(fault)),
            (None, Some(judgement)) => accept(plan, judgement),
            (None, None) => Ok(()),
        })?;
        let masked = match masks {
            None => None,
            Some(masks) => {
                let watch = look(plan, masks, original, &self.rows, context)?;
                faults.take(masked::keep_limits(plan, &watch))?;
                let crowds = faults.take(smallest_crowds(masks, &self.release, &self.rows))?;
                Some((watch, crowds.unwrap_or_default()))
            }
        };
        let rules = match rules::of_release(plan)? {
            None => Vec::new(),
            Some(mut checker) => {
                rules::judge(&mut checker, &self.release, || context.cancel.check())?;
                checker.counts()
            }
        };
        faults.take(rules::refuse_release(plan, &rules))?;
        Ok(Judged {
            judgement,
            masked,
            rules,
        })
    }
}

/// What checks and measures have found.
struct Judged {
    /// Of the method that keeps the guarantee.
    judgement: Option<Judgement>,
    /// Of masked records, with the smallest of each crowd.
    masked: Option<(Watch, Vec<Option<u64>>)>,
    /// Of rules between columns.
    rules: Vec<RuleCount>,
}

impl Judged {
    /// Every measure, exactly.
    fn values(&self) -> Vec<(&'static str, Option<f64>)> {
        let watch = self.masked.as_ref().map(|(watch, _)| watch);
        let mut values = watch.map_or_else(Vec::new, Watch::values);
        if let Some(judgement) = &self.judgement {
            let classes = judgement.measures.values().into_iter();
            values.extend(classes.map(|value| (value.name, Some(value.after))));
        }
        values
    }
}

/// Rows that an added measure gets at a time.
const CHUNK: usize = 1 << 16;

/// Shows all rows that leave to a measure.
fn show(measure: &mut dyn Measure, original: &Batch, release: &Batch) -> Result<()> {
    for start in (0..release.len()).step_by(CHUNK) {
        let released = release.slice(start, CHUNK.min(release.len() - start));
        measure.observe(&originals_of(original, released.rows())?, &released)?;
    }
    Ok(())
}

/// What is measured of masked `rows`, which leave with all columns in this order.
fn look(
    plan: &Plan,
    masks: &Masks,
    original: &Original,
    rows: &Batch,
    context: &Context,
) -> Result<Watch> {
    let schemas = (&**original.batch.schema(), &**rows.schema());
    let is_table = !plan.is_buffered();
    let learn = &mut |info: &'static Info, asked: bool| {
        let release = without_dropped(plan, rows)?;
        match accuracy_loss(plan, original, &release, info) {
            // Nobody asked, and there is nothing to learn.
            Err(Error::Input(_) | Error::Policy(_)) if !asked => Ok(None),
            loss => loss,
        }
    };
    let table = is_table.then_some((rows.len(), learn as &mut Learn<'_>));
    let mut watch = Watch::new(plan, masks, schemas, table, context.wanted())?;
    // Measures see pairs in the order of the release, too: what they tell of some pairs
    // must not depend on an order that does not leave.
    let originals = originals_of(&original.batch, rows.rows())?;
    if is_table {
        // Of rows that are suppressed nothing is told, so nobody is taken to know them.
        watch.prepare(&in_order_of_ids(&originals)?)?;
    }
    for start in (0..rows.len()).step_by(LOOKED_AT) {
        context.cancel.check()?;
        let len = LOOKED_AT.min(rows.len() - start);
        watch.read(&originals.slice(start, len));
        watch.look(&rows.slice(start, len))?;
    }
    Ok(watch)
}

/// Pairs that are measured at a time, between which the session can be stopped.
const LOOKED_AT: usize = 1 << 10;

/// The smallest of each crowd; none where nothing was released. `rows` are those of the release
/// with all columns, of which one may tell persons.
fn smallest_crowds(masks: &Masks, release: &Batch, rows: &Batch) -> Result<Vec<Option<u64>>> {
    let persons = rows.schema().with_role(Role::Subject).first().copied();
    let persons = persons.map(|place| rows.column(place));
    let crowds = masks.crowds.iter();
    crowds
        .map(|crowd| crowd.smallest(release, persons))
        .collect()
}

/// Refuses a release that misses its guarantee or a goal.
fn accept(plan: &Plan, judgement: &Judgement) -> Result<()> {
    if !judgement.passed() {
        return Err(judgement.refusal());
    }
    // Others are of pairs of records.
    let limits = plan.fail_above.iter();
    for (name, limit) in
        limits.filter(|(name, _)| measure::find(name).is_some_and(|info| info.is_of(true, false)))
    {
        let Some(value) = judgement.measure(name) else {
            return Err(Error::goal(format!("{name} could not be measured"))
                .help("take its limit away: it needs a class, rows that are released, a model that fits, or fewer columns"));
        };
        if value.is_nan() || value > *limit {
            return Err(
                Error::goal(format!("{name} is {value:.4}, above the limit of {limit}")).help(
                    "loosen the guarantee, change the method, or raise the limit under [measure]",
                ),
            );
        }
    }
    Ok(())
}
