//! From rows that were read to rows that may leave.

use super::reorder::{Ordered, Reorder};
use crate::data::hierarchy::Ladder;
use crate::data::{Batch, Role, Schema};
use crate::error::{Error, Result};
use crate::guarantee::{Decided, StreamChecker, StreamFindings};
use crate::measure::stream::{Facts as Measured, Live, Observed, StreamMeasures};
use crate::policy::Policy;
use crate::protect::Protector;
use crate::protect::z_anonymity::{Cell, FakesOrder, MADE_UP, Mode, Stream, ZAnonymity};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The stages between reading and writing.
pub(super) struct Flow {
    reorder: Option<Reorder>,
    pub(super) stream: Stream,
    /// Counts everything again before it leaves.
    checker: Option<StreamChecker>,
    measures: StreamMeasures,
    subject: usize,
    group: Option<usize>,
    skew: i64,
    /// Milliseconds that rows wait after they were decided.
    spread: i64,
    scratch: Scratch,
}

/// What is told to the checker and the measures of each released row and attribute.
#[derive(Default)]
struct Scratch {
    z: Vec<u32>,
    fakes: Vec<u32>,
    levels: Vec<Option<u16>>,
}

impl Flow {
    pub(super) fn new(
        policy: &Policy,
        config: &ZAnonymity,
        schema: &Arc<Schema>,
        ladders: &HashMap<String, Ladder>,
        sources: usize,
        deep: bool,
    ) -> Result<Self> {
        let ladder = |name: &str| ladders.get(name).cloned().unwrap_or_else(Ladder::flat);
        let time = *schema.with_role(Role::Time).first().ok_or_else(|| {
            Error::policy("a stream needs a column with the role time")
                .help("for example t = { role = \"time\" }")
        })?;
        let format = policy
            .column(&schema.fields()[time].name)
            .and_then(|column| column.unit);
        let lateness = match config.mode {
            Mode::Exact => config.lateness,
            Mode::ZeroDelay => 0,
        };
        let subject = schema.with_role(Role::Subject).first().copied();
        let group = config.group.as_ref();
        let quasi = schema.with_role(Role::Quasi).into_iter();
        let ladders = quasi.map(|place| ladder(&schema.fields()[place].name));
        let checker = policy.audit.then(|| {
            let most = group.map(|group| group.at_most);
            StreamChecker::new(config.window, ladders.collect(), most)
                .with_lateness(config.allowed_lateness())
        });
        let (k, every) = match config.tune {
            Some(tune) => (tune.k, tune.every),
            None => (config.k, config.window),
        };
        let waits = config.mode == Mode::Exact || sources > 1;
        Ok(Flow {
            reorder: waits.then(|| Reorder::new(time, format, lateness, sources)),
            stream: Stream::new(config, schema, ladder, format, rayon::current_num_threads())?,
            checker,
            measures: StreamMeasures::new(k, config.window, every, deep),
            subject: subject.unwrap_or(0),
            group: group.and_then(|group| schema.index_of(&group.column)),
            skew: config.skew,
            spread: match &config.fakes {
                Some(fakes) if fakes.order == FakesOrder::Hidden => fakes.spread,
                _ => 0,
            },
            scratch: Scratch::default(),
        })
    }

    /// The columns of what leaves.
    pub(super) fn schema(&self) -> &Arc<Schema> {
        self.stream.schema()
    }

    /// The source to read from next; none when all have ended.
    pub(super) fn next_source(&self, ended: bool) -> Option<usize> {
        match &self.reorder {
            Some(reorder) => reorder.furthest_behind(),
            None => (!ended).then_some(0),
        }
    }

    /// The latest time that was read.
    pub(super) fn latest(&self) -> i64 {
        let decided = self.stream.span().map_or(i64::MIN, |(_, latest)| latest);
        let read = self.reorder.as_ref().map_or(i64::MIN, Reorder::latest);
        decided.max(read)
    }

    /// Takes rows that were read; gives those that may leave.
    pub(super) fn push(&mut self, batch: Batch) -> Result<Option<Batch>> {
        match &mut self.reorder {
            None => self.decide(batch).map(Some),
            Some(reorder) => {
                let ordered = reorder.push(batch)?;
                self.decide_ordered(ordered)
            }
        }
    }

    /// A source has ended; gives what nobody waits for any more.
    pub(super) fn end(&mut self, source: usize) -> Result<Option<Batch>> {
        match &mut self.reorder {
            None => Ok(None),
            Some(reorder) => {
                let ordered = reorder.end(source)?;
                self.decide_ordered(ordered)
            }
        }
    }

    /// All sources have ended; gives what is left.
    pub(super) fn finish(&mut self) -> Result<Batch> {
        let left = self.stream.finish()?;
        if self.stream.decided().is_some() {
            self.settle(&left, &left)?;
        }
        if let Some(checker) = &self.checker {
            checker.finish()?;
        }
        Ok(left)
    }

    fn decide_ordered(&mut self, ordered: Option<Ordered>) -> Result<Option<Batch>> {
        let Some(Ordered { batch, late }) = ordered else {
            return Ok(None);
        };
        self.stream.mark_late(late);
        self.decide(batch).map(Some)
    }

    /// Decides rows; what may leave of them is counted again and measured first.
    fn decide(&mut self, batch: Batch) -> Result<Batch> {
        let now = now();
        self.stream.set_clock(now);
        let released = self.stream.protect(batch.clone())?;
        let stream = &self.stream;
        let (decided, cells) = stream.decided().unwrap_or((&released, stream.cells()));
        self.scratch.fill(cells, stream.attributes().len());
        let (scratch, waits) = (&self.scratch, stream.decided().is_some());
        let checker = self.checker.as_mut();
        let measures = &mut self.measures;
        let (subject, group, skew, spread) = (self.subject, self.group, self.skew, self.spread);
        let newest = stream.span().map_or(0, |(_, newest)| newest);
        let latest = now.saturating_add(skew);
        let check = || match checker {
            None => Ok(()),
            Some(checker) => {
                checker.turn_away_after(latest);
                checker.check(&Decided {
                    times: stream.times(),
                    original: &batch,
                    released: decided,
                    z: &scratch.z,
                    fakes: &scratch.fakes,
                    fakes_follow: waits,
                    subject,
                    attributes: stream.attributes(),
                    group,
                })
            }
        };
        let measure = || {
            let (times, original) = admitted(stream.times(), &batch, latest)?;
            measures.observe(&Observed {
                times: &times,
                original: &original,
                released: decided,
                levels: &scratch.levels,
                subject,
                attributes: stream.attributes(),
                newest: newest.saturating_add(spread),
                z: stream.z(),
            })
        };
        let (checked, measured) = rayon::join(check, measure);
        checked?;
        measured?;
        if waits {
            self.settle(&batch, &released)?;
        }
        Ok(released)
    }

    /// Looks at made-up rows that leave later than those they help.
    fn settle(&mut self, batch: &Batch, released: &Batch) -> Result<()> {
        let attribute = self.stream.attributes()[0];
        if let Some(checker) = &mut self.checker {
            checker.settle(released, attribute)?;
        }
        let ids = released.rows().iter().enumerate();
        let made_up: Vec<u32> = ids
            .filter(|&(_, id)| id >= MADE_UP)
            .map(|(row, _)| row as u32)
            .collect();
        self.measures.observe(&Observed {
            times: &[],
            original: &batch.slice(0, 0),
            released: &released.take(&made_up)?,
            levels: &vec![Some(0); made_up.len()],
            subject: self.subject,
            attributes: self.stream.attributes(),
            newest: self.stream.span().map_or(0, |(_, newest)| newest),
            z: self.stream.z(),
        })
    }

    /// What the checker found; none when it was turned off.
    pub(super) fn findings(&self) -> Option<StreamFindings> {
        self.checker.as_ref().map(StreamChecker::findings)
    }

    /// What the measures found.
    pub(super) fn measured(&mut self) -> Measured {
        self.measures.facts()
    }

    /// How the stream is doing.
    pub(super) fn live(&self) -> Live {
        self.measures.live()
    }
}

impl Scratch {
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

/// The rows that were not turned away for being ahead of the clock.
fn admitted<'a>(
    times: &'a [i64],
    batch: &'a Batch,
    latest: i64,
) -> Result<(Cow<'a, [i64]>, Cow<'a, Batch>)> {
    if times.iter().all(|&time| time <= latest) {
        return Ok((Cow::Borrowed(times), Cow::Borrowed(batch)));
    }
    let rows = (0..batch.len() as u32).filter(|&row| times[row as usize] <= latest);
    let rows: Vec<u32> = rows.collect();
    let times = rows.iter().map(|&row| times[row as usize]).collect();
    Ok((Cow::Owned(times), Cow::Owned(batch.take(&rows)?)))
}

/// Milliseconds since 1970 by the clock of this machine.
fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}
