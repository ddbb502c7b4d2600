//! The session of a stream: rows come from its sources, are decided and masked while others wait,
//! and are counted and measured as they leave.

use super::resume::{Course, Mark, Resume, cannot_resume, source_name};
use super::trial::{Assessment, Purpose};
use super::{Checked, Finished};
use crate::data::{Batch, Kind, Role, RowIds, Schema};
use crate::engine::arrival::{Arrival, Arrived, Coming, EventTime};
use crate::engine::coarse::at_most;
use crate::engine::columns::{Kept, rotation};
use crate::engine::context::{Context, Wanted};
use crate::engine::events::{self, Decided, Events};
use crate::engine::facts::{Facts, Masked, report};
use crate::engine::faults::Faults;
use crate::engine::masked::{self, Flow, Masks, Waiting, Watch};
use crate::engine::plan::{Action, Plan};
use crate::engine::progress::Live;
use crate::engine::report::RuleFact;
use crate::engine::rules;
use crate::error::{Error, Result};
use crate::guarantee::{CrowdChecker, RuleChecker};
use crate::measure::Measure;
use crate::protect::rotation::Rotation;
use crate::protect::z_anonymity::{Cell, Known, ZAnonymity, greatest_common_divisor};
use crate::protect::{Among, Masking, Method, Transition};
use std::sync::Arc;

/// A stream.
pub(super) struct StreamFlow {
    plan: Arc<Plan>,
    arrival: Arrival,
    /// Decides events, where they are decided one by one.
    events: Option<Events>,
    masks: Option<Masks>,
    /// Pseudonyms and masks.
    flow: Flow,
    crowds: Vec<CrowdChecker>,
    /// Holds rows of the source, and rows that leave, against rules; `None` without any.
    rules: Option<[RuleChecker; 2]>,
    kept: Kept,
    /// Originals for measures that were added.
    waiting: Waiting,
    pub(super) notes: Vec<String>,
    course: Course,
    released: u64,
    /// Masks draw noise that is a secret: a row that they have released is not shown to them
    /// again.
    is_private: bool,
    /// Records that came later than they may.
    late: u64,
    /// Rows that would have left again.
    replayed: u64,
    /// Nothing has come yet.
    new: bool,
    /// Whether rows carry why they may leave, for a certificate.
    certified: bool,
    faults: Faults,
    /// What was wrong with a row behind those that came last.
    flaw: Option<Error>,
}

/// Why rows may leave, or never will.
#[derive(Clone)]
pub(crate) enum Why {
    /// Events, their times, and what was counted of each of their attributes.
    Decided {
        ids: RowIds,
        times: Vec<i64>,
        cells: Vec<Cell>,
    },
    /// Records, and for each method among which others each was masked; none where by itself.
    Masked {
        ids: RowIds,
        among: Vec<Vec<Option<Among>>>,
    },
    /// Rows that were ahead of the clock and never leave.
    TurnedAway(Vec<u64>),
}

impl StreamFlow {
    pub(super) fn new(
        plan: Arc<Plan>,
        read: &Arc<Schema>,
        from: &Resume,
        context: &Context,
        purpose: Option<Purpose>,
    ) -> Result<Self> {
        let ladders = match plan.stream() {
            None => Default::default(),
            Some(_) => {
                events::check(&plan)?;
                events::ladders(&plan)?
            }
        };
        let wanted = match purpose {
            None => context.wanted(),
            Some(_) => Wanted::NONE,
        };
        let sources = from.sources();
        let arrival = Arrival::new(&plan, read, &ladders, sources, context.clock.clone())?;
        let schema = Arc::clone(arrival.schema());
        check_kinds(&plan, &schema)?;
        let events = match plan.stream() {
            None => None,
            Some(config) => {
                let rotation = rotation(&plan, &context.keys, &schema)?;
                let rotation = rotation.filter(Rotation::rotates);
                let told = (rotation, wanted.all || wanted.live);
                let keys = &context.keys;
                Some(Events::new(&plan, config, &schema, &ladders, keys, told)?)
            }
        };
        let masks = Masks::new(&plan, &schema)?;
        let decided = events.as_ref().map_or(&schema, Events::schema);
        let flow = Flow::new(&plan, masks.as_ref(), decided, from.seed, context, wanted)?;
        let is_private = masks.as_ref().is_some_and(Masks::is_private);
        let horizon = match (plan.stream(), &masks) {
            // What masks remember depends on all that came before, unless they are not shown it.
            (Some(config), masks) if masks.is_none() || is_private => horizon(config, sources),
            _ => None,
        };
        let crowds = masks.iter().flat_map(|masks| &masks.crowds);
        let crowds = crowds.filter(|_| plan.audit);
        let mut stream = StreamFlow {
            crowds: crowds.map(|crowd| crowd.checker()).collect(),
            rules: rules::of_source(&plan, &schema)?
                .zip(rules::of_release(&plan)?)
                .map(<[RuleChecker; 2]>::from),
            kept: Kept::new(&plan, flow.schema())?,
            course: Course::new(from, horizon),
            released: from.released,
            events,
            masks,
            flow,
            is_private,
            late: 0,
            replayed: 0,
            waiting: Waiting::default(),
            notes: Vec::new(),
            new: true,
            certified: false,
            faults: match purpose {
                None => Faults::Refused,
                Some(_) => Faults::Noted(Vec::new()),
            },
            flaw: None,
            plan,
            arrival,
        };
        if from.has_begun() {
            stream.resume(from)?;
        }
        Ok(stream)
    }

    fn resume(&mut self, from: &Resume) -> Result<()> {
        if self.is_private {
            self.flow.skip(from.released)?;
        }
        if let Some(events) = &mut self.events {
            let known = Known {
                first: from.first,
                ..from.mark.known
            };
            let first = from.mark.place.rows;
            events.stream.resume(&known, &from.updates, first);
        }
        if let Some(read) = from.mark.read {
            self.arrival.resume(read, from.mark.reached);
        }
        self.arrival.refused = from.refused.clone();
        self.catch_up()
    }

    pub(super) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Keeps with the rows why they may leave, for a certificate: by decisions on events, where
    /// there are such, else by masks.
    pub(super) fn certify(&mut self) {
        self.certified = true;
        if self.events.is_none() {
            self.flow.certify();
        }
    }

    /// The columns of what leaves.
    pub(super) fn released_schema(&self) -> &Arc<Schema> {
        self.kept.schema()
    }

    /// The source whose rows are wanted next; none when all have ended.
    pub(super) fn next_source(&self) -> Option<usize> {
        self.course.next_source(self.arrival.next_source())
    }

    /// A source has told where the row after those that have come begins.
    pub(super) fn reached(&mut self, source: usize, position: u64) {
        self.course.reached(source, position);
    }

    /// Rows of a source that can come at once.
    pub(super) fn takes(&self, source: usize) -> u64 {
        self.course.takes(source)
    }

    /// Whether rows come that an earlier session had done.
    pub(super) fn is_behind(&self) -> bool {
        self.course.is_behind()
    }

    /// Takes rows of a source; gives those that may leave.
    pub(super) fn push(
        &mut self,
        source: usize,
        rows: &Batch,
        context: &Context,
        measures: &mut [Box<dyn Measure>],
    ) -> Result<Checked> {
        let mut looked = self.arrival.look(rows)?;
        if let (true, Some(masks)) = (self.new && !rows.is_empty(), &self.masks) {
            masked::refuse_mixed(&self.plan, &looked.batch, &masks.places)?;
        }
        self.new &= rows.is_empty();
        let several = self.course.rows.len() > 1;
        self.flaw = looked.flaw.take().map(|flaw| match several {
            true => flaw.in_file(source_name(source)),
            false => flaw,
        });
        let behind = self.course.is_behind();
        if behind && let Some(flaw) = self.flaw.take() {
            return Err(flaw);
        }
        let last = looked.times.last().copied();
        self.course.note(source, rows.len() as u64, last)?;
        let coming = match behind {
            true => Coming::Again,
            false => Coming::Live,
        };
        let turned_away = |arrived: &Arrived| match behind {
            true => Vec::new(),
            false => arrived.turned_away.clone(),
        };
        let arrived = self.arrival.push(looked, coming)?;
        let turned_away = turned_away(&arrived);
        let mut checked = self.take(arrived, measures)?;
        if !turned_away.is_empty() && self.certified {
            checked.why.push(Why::TurnedAway(turned_away));
        }
        self.mark();
        self.catch_up()?;
        if !self.faults.are_noted() {
            context.progress.tell(match &self.events {
                Some(events) => Live::Events(events.live()),
                None => Live::Records(self.flow.live()),
            });
        }
        Ok(checked)
    }

    /// A source has ended; gives the rows that have waited for it alone.
    pub(super) fn end(
        &mut self,
        source: usize,
        measures: &mut [Box<dyn Measure>],
    ) -> Result<Checked> {
        self.course.end(source);
        let arrived = self.arrival.end(source)?;
        let checked = self.take(arrived, measures)?;
        self.catch_up()?;
        Ok(checked)
    }

    /// What was wrong with a row behind those that came last: it stops the stream once these
    /// have left.
    pub(super) fn take_flaw(&mut self) -> Option<Error> {
        self.flaw.take()
    }

    /// Decides, masks and checks rows.
    fn take(&mut self, arrived: Arrived, measures: &mut [Box<dyn Measure>]) -> Result<Checked> {
        self.judge_source(&arrived.batch)?;
        let hidden = self.is_private && self.course.is_behind();
        if !measures.is_empty() && !hidden {
            self.waiting.read(&arrived.batch);
        }
        let late = arrived.waited.iter().flat_map(|waited| &waited.late);
        self.late += late.filter(|&&late| late).count() as u64;
        let (decided, why) = match &mut self.events {
            None => (arrived.batch, None),
            Some(events) => {
                let decided = events.push(arrived, &mut self.faults)?;
                let why = self.why(&decided)?;
                (decided, why)
            }
        };
        if hidden {
            return Ok(Checked::new(Batch::empty(Arc::clone(self.kept.schema()))));
        }
        let released = self.flow.push(decided)?;
        self.check(released, why, measures)
    }

    /// Why rows that were just decided may leave.
    fn why(&self, decided: &Batch) -> Result<Option<Why>> {
        let Some(events) = self.events.as_ref().filter(|_| self.certified) else {
            return Ok(None);
        };
        if decided.is_empty() {
            return Ok(None);
        }
        let time = EventTime::find(&self.plan, decided.schema());
        let mut time = time.ok_or_else(|| Error::bug("a stream without a time"))?;
        Ok(Some(Why::Decided {
            ids: decided.rows().clone(),
            times: time.of(decided)?,
            cells: events.stream.cells().to_vec(),
        }))
    }

    /// What has not left yet, whether or not all has come.
    pub(super) fn rest(&mut self, measures: &mut [Box<dyn Measure>]) -> Result<Checked> {
        let released = self.flow.finish()?;
        self.check(released, None, measures)
    }

    /// Counts and measures rows before they leave. None leaves that an earlier session has
    /// given back.
    fn check(
        &mut self,
        released: Batch,
        why: Option<Why>,
        measures: &mut [Box<dyn Measure>],
    ) -> Result<Checked> {
        let rows = self.kept.of(&released)?;
        let among = self.flow.among(&released)?.filter(|_| !rows.is_empty());
        let masked = among.map(|among| Why::Masked {
            ids: released.rows().clone(),
            among,
        });
        self.judge_release(&rows)?;
        let found = self.count_crowds(&rows);
        if self.faults.take(found)?.is_none() {
            self.crowds.clear();
        }
        if !measures.is_empty() {
            self.waiting
                .pair(&events::real(&rows)?, |original, released| {
                    let mut measures = measures.iter_mut();
                    measures.try_for_each(|measure| measure.observe(original, released))
                })?;
        }
        match self.course.is_behind() {
            true => {
                self.replayed += rows.len() as u64;
                Ok(Checked::new(rows.slice(0, 0)))
            }
            false => {
                self.released += rows.len() as u64;
                let why = why.into_iter().chain(masked).collect();
                Ok(Checked { rows, why })
            }
        }
    }

    fn judge_source(&mut self, rows: &Batch) -> Result<()> {
        let Some([source, _]) = &mut self.rules else {
            return Ok(());
        };
        source.observe(rows)?;
        rules::refuse_source(&self.plan, &source.counts())
    }

    fn judge_release(&mut self, rows: &Batch) -> Result<()> {
        let Some([_, release]) = &mut self.rules else {
            return Ok(());
        };
        release.observe(rows)?;
        let refused = rules::refuse_release(&self.plan, &release.counts());
        // A fault is noted once, not again with each batch.
        if self.faults.take(refused)?.is_none() {
            self.rules = None;
        }
        Ok(())
    }

    fn told_rules(&self) -> Vec<RuleFact> {
        let Some([source, release]) = &self.rules else {
            return Vec::new();
        };
        let plan = &self.plan;
        let asked = !(plan.report_measures.is_empty() && plan.fail_above.is_empty());
        let source = (!self.is_private || asked).then(|| source.counts());
        rules::facts(plan, source.as_deref(), &release.counts())
    }

    fn count_crowds(&mut self, rows: &Batch) -> Result<()> {
        let crowds = self.masks.iter().flat_map(|masks| &masks.crowds);
        for (checker, crowd) in self.crowds.iter_mut().zip(crowds) {
            checker.observe(rows, &crowd.places(rows.schema())?)?;
        }
        Ok(())
    }

    /// Goes on for the first time once the earlier session is caught up with.
    fn catch_up(&mut self) -> Result<()> {
        let Some(again) = self.course.caught_up(self.arrival.next_source()) else {
            return Ok(());
        };
        // All rows were shown again, so those that had left would have left again.
        if again.mark.place.rows == 0 && !self.is_private && self.replayed != again.released {
            return Err(cannot_resume(
                "its rows are not those that were protected before".to_owned(),
            ));
        }
        if let Some(events) = &mut self.events {
            events.stream.caught_up(again.tally);
        }
        Ok(())
    }

    /// Notes from where on rows would have to be shown again.
    fn mark(&mut self) {
        let Some(events) = &self.events else {
            return;
        };
        let (arrival, place) = (&self.arrival, self.course.place(0));
        let known = events.stream.known();
        let latest = arrival.read().max(known.newest);
        let mark = || {
            let mut known = known;
            if let Some(tick) = &mut known.tick {
                // Rows that wait will tell the clock before those that come after them.
                *tick = arrival.waiting_times().fold(*tick, greatest_common_divisor);
            }
            Mark {
                place,
                read: arrival.read(),
                reached: arrival.reached(),
                known,
            }
        };
        self.course.marks.add(mark, latest, known.reached);
        let first = self.course.marks.first().place.rows;
        if first > 0 {
            self.arrival.refused.forget(first);
        }
    }

    /// After how many more rows it can be told how far it is; none where that is not known.
    pub(super) fn settles_in(&self) -> Option<u64> {
        match self.is_private {
            true => self.flow.settles_in(),
            false => Some(0),
        }
    }

    /// How far it is; none while that cannot be told. Noise that is a secret is not drawn again
    /// for a group of which some records have left, so none of them may wait.
    pub(super) fn state(&self) -> Option<Resume> {
        let stream = self.events.as_ref().map(|events| &events.stream);
        let known = self.plan.can_go_on()
            && !self.course.is_behind()
            && self.arrival.refused.is_whole()
            && self.settles_in() == Some(0);
        let mut so_far = self.course.so_far();
        let forgets = self.is_private || self.masks.is_none();
        if forgets && stream.is_none() && !self.arrival.waits() {
            so_far.mark.place = self.course.place(0);
        }
        known.then(|| Resume {
            released: self.released,
            refused: self.arrival.refused.clone(),
            first: stream
                .and_then(|stream| stream.span())
                .map(|(first, _)| first),
            updates: stream.map_or_else(Vec::new, |stream| stream.updates().to_vec()),
            tally: stream.map_or_else(Default::default, |stream| stream.tally().clone()),
            seed: self.flow.secret_seed(),
            ..so_far
        })
    }

    /// All sources have ended: gives what is left, and the smallest of each crowd.
    fn drain(&mut self, measures: &mut [Box<dyn Measure>]) -> Result<(Checked, Vec<Option<u64>>)> {
        let mut left = Vec::new();
        while let Some(source) = self.arrival.next_source() {
            left.push(self.end(source, measures)?);
        }
        self.course.finish()?;
        if let Some(events) = &mut self.events {
            let decided = events.finish(&mut self.faults)?;
            let why = self.why(&decided)?;
            let released = self.flow.push(decided)?;
            left.push(self.check(released, why, measures)?);
        }
        left.push(self.rest(measures)?);
        let (left, why): (Vec<Batch>, Vec<Vec<Why>>) =
            left.into_iter().map(|left| (left.rows, left.why)).unzip();
        let why = why.into_iter().flatten().collect();
        let rows = Batch::concat(self.kept.schema(), left)?;
        let crowds = std::mem::take(&mut self.crowds).into_iter();
        let crowds = crowds.map(CrowdChecker::finish).collect();
        let crowds = self.faults.take(crowds)?.unwrap_or_default();
        if let Some(watch) = &self.flow.watch {
            self.faults.take(masked::keep_limits(&self.plan, watch))?;
        }
        Ok((Checked { rows, why }, crowds))
    }

    /// All sources have ended: gives what is left for judges, and what they have found.
    pub(super) fn try_out(mut self, purpose: Purpose) -> Result<(Batch, Option<Assessment>)> {
        let rows = self.drain(&mut [])?.0.rows;
        let assessment = (purpose == Purpose::Assess).then(|| Assessment {
            measures: self
                .flow
                .watch
                .as_ref()
                .map_or_else(Vec::new, Watch::values),
            faults: self.faults.noted(),
        });
        Ok((rows, assessment))
    }

    /// A stream that is too short for its masks is refused; of events none may be shared.
    fn refuse_few(&self) -> Result<()> {
        let read: u64 = self.course.rows.iter().sum();
        if self.events.is_some() || self.released > 0 || read == 0 {
            return Ok(());
        }
        let methods = self.plan.protect.iter();
        let masks = methods.filter_map(|method| Some((method.name(), method.as_masking()?)));
        match masks.max_by_key(|(_, masking)| masking.least()) {
            Some((name, masking)) => Err(masked::too_few(name, masking, read)),
            None => Ok(()),
        }
    }

    /// All sources have ended: gives what is left, and what is told of the stream.
    pub(super) fn finish(mut self, measures: &mut [Box<dyn Measure>]) -> Result<Finished> {
        let (rest, crowds) = self.drain(measures)?;
        self.refuse_few()?;
        if self.late > 0 && self.events.is_none() {
            self.notes.push(format!(
                "up to {} rows came later than `lateness` allows and left out of their order; raise it",
                at_most(self.late)
            ));
        }
        if let (true, None, Some((done, _))) = (self.is_private, &self.events, self.course.went_on)
        {
            self.notes.push(format!(
                "the run went on after row {done}: counts of rows are about the whole stream, \
                 measures and the other warnings about the rows after it"
            ));
        }
        let waits = |masking: &dyn Masking| !masking.is_row_local();
        if self.events.is_some() && self.plan.maskings().any(waits) {
            let told =
                "a mask holds events back until others have come, which the delay does not count";
            self.notes.push(told.to_owned());
        }
        self.notes.extend(self.flow.telling()?);
        self.notes.extend(self.flow.copies());
        self.notes.extend(of_recoding(&self.plan));
        let read: u64 = self.course.rows.iter().sum();
        let mut suppressed = self.flow.suppressed();
        let mut real = self.released;
        let rules = self.told_rules();
        let decided = self.events.as_mut().zip(self.plan.stream());
        let decided = decided.map(|(events, config)| {
            real -= events.stream.tally().fakes;
            suppressed.extend(events::held_back(&events.stream, read - real));
            Decided {
                config,
                measured: events.watch.measured(),
                findings: events.watch.findings(),
                stream: &events.stream,
                went_on: self.course.went_on,
            }
        });
        let mut report = report(&Facts {
            plan: &self.plan,
            rules: &rules,
            schema: self.arrival.schema(),
            judgement: None,
            decided,
            masked: match (&self.masks, &self.flow.watch) {
                (Some(masks), Some(watch)) => Some(Masked {
                    masks,
                    watch,
                    crowds: &crowds,
                }),
                _ => None,
            },
            read,
            released: real,
            left_out: 0,
            suppressed: &suppressed,
            solutions: None,
            warnings: &self.notes,
        });
        let transitions = self.flow.transitions();
        let exchanges = transitions.iter().filter_map(Transition::warning);
        report.warnings.extend(exchanges);
        Ok(Finished {
            rows: rest,
            report,
            recorded: None,
            transitions,
        })
    }
}

/// Times are read as they are, and what is counted are categories.
fn check_kinds(plan: &Plan, schema: &Schema) -> Result<()> {
    let group = plan.stream().and_then(|config| config.group.as_ref());
    for field in schema.fields() {
        let plain = matches!(field.kind, Kind::Plain(_));
        let category = matches!(field.kind, Kind::Category { .. });
        let counted = match field.role {
            Role::Subject => true,
            Role::Quasi => plan.stream().is_some(),
            _ => group.is_some_and(|group| *group.column == *field.name),
        };
        let what = match (field.role, plain, category) {
            (Role::Time, false, _) if plan.reads_times() => {
                "times are plain cells, and these are not"
            }
            (_, _, false) if counted => "what is counted are categories, and these are none",
            _ => continue,
        };
        return Err(Error::usage(format!("column `{}`: {what}", field.name))
            .help("give the column the kind that `Plan::column_plans` names"));
    }
    Ok(())
}

/// What a steward should know of a stream that is recoded and not counted.
fn of_recoding(plan: &Plan) -> Vec<String> {
    if plan.stream().is_some() || !plan.protect.iter().any(Method::recodes_stream) {
        return Vec::new();
    }
    let quasi = plan.columns.iter().filter(|c| c.role == Role::Quasi);
    let (recoded, others): (Vec<_>, Vec<_>) =
        quasi.partition(|column| plan.recodes_in_stream(&column.name));
    let counted = (!recoded.is_empty()).then(|| {
        "quasi-identifiers are recoded and nobody counts who is alike: a row can still be alone"
            .to_owned()
    });
    // Where something is masked, its own warning names those that are not.
    let kept = others.iter().filter(|column| column.action == Action::Keep);
    let kept: Vec<String> = kept.map(|column| format!("`{}`", column.name)).collect();
    let open = (!kept.is_empty() && plan.maskings().next().is_none()).then(|| {
        format!(
            "quasi-identifiers are released as they are: {}",
            kept.join(", ")
        )
    });
    counted.into_iter().chain(open).collect()
}

/// Milliseconds before the last decided row that matter; none when everything does.
fn horizon(config: &ZAnonymity, sources: usize) -> Option<i64> {
    // What a guard has held back depends on all that came before.
    let bounded = !config.hold_unique && sources == 1;
    let spread = config.fakes.as_ref().map_or(0, |fakes| 2 * fakes.spread);
    // Who is made up depends on what was released in the window before, too.
    let windows = if config.fakes.is_some() { 3 } else { 2 };
    bounded.then_some(windows * (config.window + config.lateness) + spread)
}
