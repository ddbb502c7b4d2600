//! Whoever looks at rows between deciding and writing: the checker, which counts
//! again, and the measures.

use crate::data::hierarchy::Ladder;
use crate::data::{Batch, Role, Schema};
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::guarantee::{Decided, StreamChecker, StreamFindings};
use crate::measure::stream::{Live, Measured, Observed, StreamMeasures};
use crate::protect::rotation::Rotation;
use crate::protect::z_anonymity::{Cell, FakesOrder, MADE_UP, Stream, ZAnonymity};
use std::borrow::Cow;

/// Looks at every row before it is written.
pub(crate) struct Watch {
    checker: Option<StreamChecker>,
    /// None where nobody wants to know.
    measures: Option<StreamMeasures>,
    subject: usize,
    group: Option<usize>,
    /// Milliseconds that rows wait after they were decided.
    spread: i64,
    cells: Cells,
    /// Pseudonyms that change with time: who is looked at over a longer time is then many.
    rotation: Option<Rotation>,
}

/// What is told of each released row and attribute.
#[derive(Default)]
struct Cells {
    z: Vec<u32>,
    fakes: Vec<u32>,
    levels: Vec<Option<u16>>,
}

/// Rows that were decided and what is to leave of them.
pub(crate) struct Looked<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) batch: &'a Batch,
    pub(crate) released: &'a Batch,
    /// How long each row has waited before it was decided; none where rows do not wait.
    pub(crate) delays: Option<Vec<i64>>,
}

impl Watch {
    /// `measured` tells whether to measure; `ladder` is that of each attribute.
    pub(crate) fn new(
        plan: &Plan,
        config: &ZAnonymity,
        schema: &Schema,
        ladder: impl Fn(&str) -> Ladder,
        rotation: Option<Rotation>,
        measured: bool,
    ) -> Self {
        let group = config.group.as_ref();
        let checker = plan.audit.then(|| {
            let attributes = schema.with_role(Role::Quasi).into_iter();
            let ladders = attributes.map(|place| ladder(&schema.fields()[place].name));
            let most = group.map(|group| group.at_most);
            let checker = StreamChecker::new(config.window, ladders.collect(), most)
                .with_lateness(config.allowed_lateness())
                .with_least(config.least_z());
            match &config.fakes {
                Some(fakes) => checker.with_fakes_at_most(fakes.at_most),
                None => checker,
            }
        });
        let (k, every) = match config.tune {
            Some(tune) => (tune.k, tune.every),
            None => (config.k, config.window),
        };
        Watch {
            checker,
            measures: measured.then(|| StreamMeasures::new(k, config.window, every)),
            subject: schema
                .with_role(Role::Subject)
                .first()
                .copied()
                .unwrap_or(0),
            group: group.and_then(|group| schema.index_of(&group.column)),
            spread: match &config.fakes {
                Some(fakes) if fakes.order == FakesOrder::Hidden => fakes.spread,
                _ => 0,
            },
            cells: Cells::default(),
            rotation: rotation.filter(Rotation::rotates),
        }
    }

    /// Counts the rows again and measures them.
    ///
    /// # Errors
    /// `Error::guarantee` when a row may not leave.
    pub(crate) fn look(&mut self, looked: Looked<'_>) -> Result<()> {
        let Looked {
            stream,
            batch,
            released,
            delays,
        } = looked;
        if self.checker.is_none() && self.measures.is_none() {
            return Ok(());
        }
        let mut delays = delays.unwrap_or_else(|| vec![0; batch.len()]);
        delays
            .iter_mut()
            .for_each(|delay| *delay = delay.saturating_add(self.spread));
        let waits = stream.decided().is_some();
        let (decided, cells) = stream.decided().unwrap_or((released, stream.cells()));
        self.cells.fill(cells, stream.attributes().len());
        let (checker, measures, told) = (&mut self.checker, &mut self.measures, &self.cells);
        let (subject, group, rotation) = (self.subject, self.group, &mut self.rotation);
        let check = || match checker {
            None => Ok(()),
            Some(checker) => {
                checker.check(&Decided {
                    times: stream.times(),
                    original: batch,
                    released: decided,
                    z: &told.z,
                    fakes: &told.fakes,
                    fakes_follow: waits,
                    subject,
                    attributes: stream.attributes(),
                    group,
                })?;
                match waits {
                    true => checker.settle(released, subject, stream.attributes()[0]),
                    false => Ok(()),
                }
            }
        };
        let measure = || {
            let Some(measures) = measures else {
                return Ok(());
            };
            let mut shown = decided.clone();
            let mut levels = Cow::Borrowed(&told.levels[..]);
            if waits {
                let made_up = made_up(released)?;
                levels
                    .to_mut()
                    .resize(told.levels.len() + made_up.len(), Some(0));
                shown = Batch::concat(&shown.schema().clone(), vec![shown, made_up])?;
            }
            if let Some(rotation) = rotation {
                shown = rotation.apply(&shown)?;
            }
            measures.observe(&Observed {
                times: stream.times(),
                delays: &delays,
                original: batch,
                released: &shown,
                levels: &levels,
                subject,
                attributes: stream.attributes(),
                z: stream.z(),
            })
        };
        let (checked, measured) = rayon::join(check, measure);
        checked.and(measured)
    }

    /// The stream has ended and `left` is what leaves at last.
    pub(crate) fn finish(&mut self, stream: &Stream, left: &Batch) -> Result<()> {
        match &mut self.checker {
            None => Ok(()),
            Some(checker) => {
                checker.settle(left, self.subject, stream.attributes()[0])?;
                checker.finish()
            }
        }
    }

    /// Counts no more.
    pub(crate) fn stop_checking(&mut self) {
        self.checker = None;
    }

    /// What the checker found; none when it was turned off.
    pub(crate) fn findings(&self) -> Option<StreamFindings> {
        self.checker.as_ref().map(StreamChecker::findings)
    }

    /// What the measures found; none when nobody wanted to know.
    pub(crate) fn measured(&mut self) -> Option<Measured> {
        self.measures.as_mut().map(StreamMeasures::facts)
    }

    /// How the stream is doing.
    pub(crate) fn live(&self, stream: &Stream) -> Live {
        if let Some(measures) = &self.measures {
            return measures.live();
        }
        let tally = stream.tally();
        let released = tally.levels.iter().sum();
        let held = tally.rare + tally.telling + tally.late + tally.unknown;
        Live {
            read: released + held,
            released,
            levels: tally.levels.clone(),
            suppressed: held,
            fakes: tally.fakes,
            z: stream.z(),
            ..Live::default()
        }
    }
}

impl Cells {
    fn fill(&mut self, cells: &[Cell], attributes: usize) {
        self.z.clear();
        self.z.extend(cells.iter().map(|cell| match cell.level {
            // Even at z = 0 a row shows what its own user shows.
            Some(_) => cell.z.max(1),
            None => 0,
        }));
        self.levels.clear();
        self.levels.extend(cells.iter().map(|cell| cell.level));
        self.fakes.clear();
        if cells.iter().any(|cell| cell.fakes > 0) {
            let rows = cells.chunks_exact(attributes);
            self.fakes.extend(rows.map(|row| row[0].fakes));
        }
    }
}

/// The made-up rows among those that leave.
fn made_up(released: &Batch) -> Result<Batch> {
    let ids = released.rows().iter().enumerate();
    let rows = ids.filter(|&(_, id)| id >= MADE_UP);
    let rows: Vec<u32> = rows.map(|(row, _)| row as u32).collect();
    released.take(&rows)
}
