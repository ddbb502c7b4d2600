//! A table on its way: collected, protected, ordered, checked and measured as a whole.

use super::Checked;
use crate::data::{Batch, Schema};
use crate::engine::columns::without_dropped;
use crate::engine::context::Context;
use crate::engine::facts::{Facts, Masked, report};
use crate::engine::judge::{Judge, Judgement, Made, refused};
use crate::engine::learn::{accuracy_loss, accuracy_losses};
use crate::engine::masked::{self, Learn, Masks, Watch};
use crate::engine::order;
use crate::engine::original::{Original, in_order_of_ids, originals_of};
use crate::engine::plan::Plan;
use crate::engine::progress::Stage;
use crate::engine::report::Report;
use crate::engine::steps::{Compared, protect};
use crate::engine::telling::Leaving;
use crate::engine::warnings::run_warnings;
use crate::error::{Error, Result};
use crate::measure::{self, Info, Measure};
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
    ) -> Result<(Checked, Report)> {
        let (plan, progress) = (&*self.plan, &context.progress);
        let batch = Batch::concat(&self.schema, self.batches)?;
        let original = Original::new(plan, batch, self.notes)?;
        let schema = original.batch.schema();
        let masks = Masks::new(plan, schema)?;
        let warn = |rows: &Original| match plan.keeps_guarantee() {
            // Of records that are only masked, what was odd about the input.
            false => Ok(rows.notes.clone()),
            true => run_warnings(plan, rows, masks.as_ref(), context.strict),
        };
        let known = warn(&original)?;
        if let Some(masks) = &masks {
            masked::refuse_mixed(plan, &original.batch, &masks.places)?;
        }
        let masked_names = masks.as_ref().map_or_else(Vec::new, |m| m.names.clone());
        let protected = protect(plan, &original, Compared::Yes, context)?;
        let rows = order::released(plan, protected.rows)?;
        let release = without_dropped(plan, &rows)?;
        progress.enter(Stage::Check);
        let judgement = match &protected.given {
            None => None,
            Some(given) => {
                let made = Made {
                    release: &release,
                    suppressed: &protected.suppressed,
                    untruths: protected.untruths.clone(),
                    masked: &masked_names,
                    accuracy_losses: accuracy_losses(plan, &original, &release)?,
                };
                Some(Judge { plan, given }.judge(made, context)?)
            }
        };
        if let Some(fault) = protected.untruths.first() {
            return Err(refused(fault));
        }
        if let Some(judgement) = &judgement {
            accept(plan, judgement)?;
        }
        let masked = match &masks {
            None => None,
            Some(masks) => {
                let watch = look(plan, masks, &original, &rows, context)?;
                masked::keep_limits(plan, &watch)?;
                Some((watch, smallest_crowds(masks, &release)?))
            }
        };
        drop(rows);
        for measure in measures {
            show(measure.as_mut(), &original.batch, &release)?;
        }
        let mut telling = Leaving::new(masked_names);
        telling.observe(&release)?;
        let mut told = match release.len() == original.batch.len() {
            true => known,
            false => {
                let ids: Vec<u64> = release.rows().iter().collect();
                warn(&original.of_rows(&ids)?)?
            }
        };
        let telling = telling.warning()?;
        match plan.keeps_guarantee() {
            true => told.splice(0..0, telling).for_each(drop),
            false => told.extend(telling),
        }
        let report = report(&Facts {
            plan,
            schema,
            judgement: judgement.as_ref(),
            decided: None,
            masked: match (&masks, &masked) {
                (Some(masks), Some((watch, crowds))) => Some(Masked {
                    masks,
                    watch,
                    crowds,
                }),
                _ => None,
            },
            read: original.batch.len() as u64,
            released: release.len() as u64,
            suppressed: &protected.suppressed,
            warnings: &told,
        });
        context.cancel.check()?;
        Ok((Checked::new(release), report))
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
pub(crate) fn look(
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

/// The smallest of each crowd; none where nothing was released.
fn smallest_crowds(masks: &Masks, release: &Batch) -> Result<Vec<Option<u64>>> {
    let crowds = masks.crowds.iter();
    crowds
        .map(|crowd| {
            let mut checker = crowd.checker();
            checker.observe(release, &crowd.places(release.schema())?)?;
            checker.finish()
        })
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
                .help("take its limit away: it needs a class, or rows that are released"));
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
