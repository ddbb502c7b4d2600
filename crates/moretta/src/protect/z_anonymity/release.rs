//! Batches in, released batches out.

use super::cell::Cell;
use super::draft::{Codes, Draft};
use super::engine::{Attribute, Engine, Fate, Verdict};
use super::hidden::Companions;
use super::paths::UNKNOWN;
use super::places::Places;
use super::tally::Tally;
use super::waiting::{Columns, Real, Shown, Waiting};
use super::{FakesOrder, Known, Update, ZAnonymity};
use crate::data::hierarchy::Ladder;
use crate::data::{
    Batch, Categories, Column, Kind, LevelsBuilder, MISSING, RowIds, Schema, TimeFormat, folded,
    times,
};
use crate::error::{Error, Result};
use crate::protect::Operator;
use crate::protect::identifiers::Key;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use std::sync::Arc;

/// Ids from here on are of rows that were made up.
pub const MADE_UP: u64 = 1 << 63;

/// Rows that are decided at once.
const AT_ONCE: usize = 1024;

/// z-anonymity at work on a stream.
pub struct Stream {
    config: ZAnonymity,
    schema: Arc<Schema>,
    places: Places,
    engine: Engine,
    format: Option<TimeFormat>,
    times: Vec<i64>,
    /// The times of the rows of the next batch, where somebody has told them.
    told: Option<Vec<i64>>,
    /// Rows of the next batch that came too late; empty when none did.
    late: Vec<bool>,
    tally: Tally,
    cells: Vec<Cell>,
    /// The rows that were decided last, and their attributes, column after column; all of the
    /// batch where rows wait.
    rows: Vec<u32>,
    attributes: Vec<Attribute>,
    verdicts: Vec<Verdict>,
    codes: Codes,
    made_up: u64,
    /// How many rows were released with made-up rows that are hidden.
    bursts: u64,
    /// The rows that wait, where made-up rows are hidden among them.
    waiting: Option<Waiting>,
    /// What was decided of the last batch, where rows wait before they leave.
    decided: Option<(Batch, Vec<Cell>)>,
}

impl Stream {
    /// Fails when the schema lacks a time, a subject or an attribute.
    /// `ladder` tells how the values of a column generalise; `shards` is the
    /// number of cores to count on.
    pub fn new(
        config: &ZAnonymity,
        schema: &Schema,
        ladder: impl Fn(&str) -> Ladder,
        format: Option<TimeFormat>,
        shards: usize,
    ) -> Result<Self> {
        let places = Places::find(config, schema)?;
        let mut fields = schema.fields().to_vec();
        for &place in &places.attributes {
            fields[place].kind = Kind::Category { ordered: false };
        }
        let ladders = places
            .attributes
            .iter()
            .map(|&place| ladder(&fields[place].name))
            .collect();
        let mut engine = Engine::new(config, ladders, shards.clamp(1, 64) as u8);
        let mut waiting = None;
        if let Some(fakes) = &config.fakes
            && fakes.order == FakesOrder::Hidden
        {
            let time = &fields[places.time];
            if time.kind != Kind::Plain(DataType::Utf8) {
                return Err(Error::policy(format!(
                    "fakes are hidden among times that are text, and column `{}` is not",
                    time.name
                ))
                .help("read the stream from CSV or JSON lines, or take `fakes` out"));
            }
            let key = Key::random()?;
            engine.hide_fakes(Companions::new(key.clone(), fakes.spread, config.window));
            waiting = Some(Waiting::new(key, fakes.spread));
        }
        Ok(Stream {
            engine,
            config: config.clone(),
            schema: Arc::new(Schema::new(fields)?),
            places,
            format,
            times: Vec::new(),
            told: None,
            late: Vec::new(),
            tally: Tally::default(),
            cells: Vec::new(),
            rows: Vec::new(),
            attributes: Vec::new(),
            verdicts: Vec::new(),
            codes: Codes::default(),
            made_up: 0,
            bursts: 0,
            waiting,
            decided: None,
        })
    }

    /// Draws fakes from this key instead of one of its own, so that they can be drawn again.
    /// It is for a stream that has not begun.
    #[must_use]
    pub fn with_fakes_key(mut self, key: Key) -> Self {
        if let (Some(waiting), Some(fakes)) = (&mut self.waiting, &self.config.fakes) {
            let companions = Companions::new(key.clone(), fakes.spread, self.config.window);
            self.engine.hide_fakes(companions);
            *waiting = Waiting::new(key, fakes.spread);
        }
        self
    }

    /// Goes on after a restart: the rows that come next, from the one with the id `row` on,
    /// were decided before, from where this was known on, with these choices of z.
    pub fn resume(&mut self, known: &Known, updates: &[Update], row: u64) {
        self.engine.resume(known, updates, row);
        if let (Some(waiting), Some(tick)) = (&mut self.waiting, known.tick) {
            waiting.tell(tick);
        }
    }

    /// What is known besides the rows themselves, to resume from.
    pub fn known(&self) -> Known {
        Known {
            tick: self.waiting.as_ref().map(Waiting::clock),
            ..self.engine.known()
        }
    }

    /// Counts rows that were turned away before they came here.
    pub fn count_future(&mut self, rows: u64) {
        self.tally.future += rows;
    }

    /// All rows that were decided before a restart have come; this became of them.
    pub fn caught_up(&mut self, tally: Tally) {
        self.engine.caught_up();
        self.tally = tally;
    }

    /// The time of the first row and of the latest one.
    pub fn span(&self) -> Option<(i64, i64)> {
        self.engine.span()
    }

    /// The latest time that two users have reached; `i64::MIN` before that.
    pub fn reached(&self) -> i64 {
        self.engine.reached()
    }

    /// The times of the rows that were last decided, all rows of the batch.
    pub fn times(&self) -> &[i64] {
        &self.times
    }

    /// Tells the times of the rows of the next batch, and which of them came too late to be
    /// released; none where nobody has looked.
    pub fn tell(&mut self, times: Vec<i64>, late: Vec<bool>) {
        self.told = Some(times);
        self.late = late;
    }

    /// The z in use.
    pub fn z(&self) -> u32 {
        self.engine.z
    }

    /// The choices of z so far.
    pub fn updates(&self) -> &[Update] {
        &self.engine.updates
    }

    /// What became of the attributes so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Why each attribute of the rows that were last released was released, row by row.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// What was decided of the last batch and why, where rows wait before they
    /// leave; made-up rows are not among them.
    pub fn decided(&self) -> Option<(&Batch, &[Cell])> {
        let (batch, cells) = self.decided.as_ref()?;
        Some((batch, cells))
    }

    /// The places of the attributes, in the order of [`Stream::cells`].
    pub fn attributes(&self) -> &[usize] {
        &self.places.attributes
    }

    /// Bytes of the state without the texts of users and paths, and of those texts.
    pub fn memory(&self) -> (usize, usize) {
        let (waiting, texts) = self.waiting.as_ref().map_or((0, 0), Waiting::memory);
        (
            self.engine.memory() + self.codes.memory() + waiting,
            self.engine.text_bytes() + texts,
        )
    }

    /// How many (path, user) pairs are live, and the bytes of the table that
    /// holds them; none where z is fixed or users must be named.
    pub fn pairs(&self) -> Option<(usize, usize)> {
        self.engine.pairs()
    }

    /// How many paths are known.
    pub fn path_count(&self) -> usize {
        self.engine.paths.len()
    }

    /// Decides every row of the batch; gives what goes out of them, with made-up rows before
    /// theirs. Some rows at a time: what is known of them stays in the cache until they are done.
    fn decide(&mut self, batch: &Batch) -> Result<Draft> {
        self.times = match self.told.take() {
            Some(told) if told.len() == batch.len() => told,
            _ => times(batch, self.places.time, &mut self.format)?,
        };
        let late = std::mem::take(&mut self.late);
        let subject = batch.categories(self.places.subject)?;
        let names = subject.levels().iter();
        let users: Vec<u32> = names.map(|name| self.engine.users.intern(name)).collect();
        let names = subject.levels().iter();
        let shards: Vec<u8> = names.map(|name| self.engine.shard_of(name)).collect();
        self.tally.respelled |= self.engine.users.respelled();
        let groups = self.groups(batch)?;
        let mut columns = Vec::with_capacity(self.places.attributes.len());
        for (number, &place) in self.places.attributes.iter().enumerate() {
            let column = batch.categories(place)?;
            let values = column.levels().iter();
            let leaves: Vec<u32> = values
                .map(|value| self.engine.paths.leaf(number, value))
                .collect();
            columns.push((column.codes(), leaves));
        }
        let mut draft = Draft::new(batch.len(), columns.len());
        self.codes.start(self.engine.paths.len());
        self.cells.clear();
        self.rows.clear();
        self.attributes.clear();
        self.verdicts.clear();
        let codes = subject.codes();
        for start in (0..batch.len()).step_by(AT_ONCE) {
            if self.waiting.is_none() {
                self.rows.clear();
                self.attributes.clear();
                self.verdicts.clear();
            }
            let (first_row, first) = (self.rows.len(), self.attributes.len());
            for row in start..batch.len().min(start + AT_ONCE) {
                if codes[row] == MISSING {
                    self.tally.nobody += 1;
                    continue;
                }
                self.rows.push(row as u32);
                let id = batch.rows().get(row);
                for (codes_of, leaves) in &columns {
                    self.attributes.push(Attribute {
                        row: id,
                        time: self.times[row],
                        user: users[codes[row] as usize],
                        group: groups.as_ref().map_or(0, |groups| groups[row]),
                        late: late.get(row).copied().unwrap_or(false),
                        leaf: leaves
                            .get(codes_of[row] as usize)
                            .copied()
                            .unwrap_or(UNKNOWN),
                    });
                }
            }
            let rows = &self.rows[first_row..];
            let shard_of =
                |place: usize| shards[codes[rows[place / columns.len()] as usize] as usize];
            let attributes = &self.attributes[first..];
            self.engine.decide(attributes, shard_of, &mut self.verdicts);
            self.show_rows(&mut draft, batch, first_row);
        }
        Ok(draft)
    }

    /// The group of each row; rows without one are one group together.
    fn groups(&mut self, batch: &Batch) -> Result<Option<Vec<u32>>> {
        let Some(place) = self.places.group else {
            return Ok(None);
        };
        let column = batch.categories(place)?;
        let names = column.levels().iter();
        let numbers: Vec<u32> = names
            .map(|name| self.engine.groups.intern(0, &folded(name)))
            .collect();
        let number = |&code: &u32| numbers.get(code as usize).copied().unwrap_or(MISSING);
        Ok(Some(column.codes().iter().map(number).collect()))
    }

    /// Adds what goes out of the rows that were decided, from the one at `first` on.
    fn show_rows(&mut self, draft: &mut Draft, batch: &Batch, first: usize) {
        let columns = self.places.attributes.len();
        let mut fakes = std::mem::take(&mut self.engine.fakes);
        if self.waiting.is_some() {
            // They are drawn later and leave with the rows that wait.
            fakes.clear();
        }
        let mut fakes = fakes.into_iter();
        let (rows, verdicts) = (
            std::mem::take(&mut self.rows),
            std::mem::take(&mut self.verdicts),
        );
        let decided = verdicts[first * columns..].chunks_exact(columns);
        for (&row, verdicts) in rows[first..].iter().zip(decided) {
            let mut any = false;
            for verdict in verdicts {
                self.tally.add(verdict);
                any |= verdict.is_released();
            }
            if !any {
                continue;
            }
            if let Fate::Faked(n) = verdicts[0].fate {
                for fake in fakes.by_ref().take(n as usize) {
                    draft.fakes.push((draft.rows.len(), fake.user));
                    self.show(draft, verdicts, row, MADE_UP | self.made_up);
                    self.made_up += 1;
                }
            }
            self.show(draft, verdicts, row, batch.rows().get(row as usize));
        }
        (self.rows, self.verdicts) = (rows, verdicts);
    }

    #[inline]
    fn show(&mut self, draft: &mut Draft, verdicts: &[Verdict], row: u32, id: u64) {
        draft.rows.push(row);
        draft.ids.push(id);
        for (verdict, (codes, labels)) in verdicts.iter().zip(&mut draft.columns) {
            let released = verdict.is_released();
            codes.push(match released {
                true => self.codes.code(verdict.path, labels, &self.engine.paths),
                false => self.codes.hidden(labels),
            });
            self.cells.push(verdict.cell());
        }
    }

    /// Lets the rows that were decided wait.
    fn hold(&mut self, batch: &Batch, waiting: &mut Waiting) -> Result<()> {
        let format = self.format.unwrap_or(TimeFormat::Seconds);
        let engine = &self.engine;
        let texts = match batch.column(self.places.time) {
            Column::Plain(array) => array.as_string_opt::<i32>(),
            _ => None,
        };
        let texts = texts.ok_or_else(|| Error::bug("times that are no text"))?;
        let decided = self.rows.iter().zip(&self.attributes).zip(&self.verdicts);
        let mut told = 0;
        for ((&row, attribute), verdict) in decided {
            // Rows without a user tell the clock too.
            let until = row as usize + 1;
            for &time in &self.times[told..until] {
                waiting.tell(time);
            }
            told = until;
            if !verdict.is_released() {
                continue;
            }
            let id = batch.rows().get(row as usize);
            let shown = Shown {
                time: texts.value(row as usize),
                user: engine.users.name(attribute.user),
                label: engine.paths.label(verdict.path),
                group: self.group_name(attribute.group),
            };
            let mut draws = waiting.draws(id);
            let cell = verdict.cell();
            waiting.push(attribute.time, draws.next(), id, cell, shown);
            if cell.fakes > 0 {
                let real = Real {
                    time: attribute.time,
                    text: shown.time.into(),
                    label: shown.label.into(),
                    cell,
                    draws,
                    tick: waiting.tick(format, shown.time),
                    left: cell.fakes,
                };
                waiting.expect(self.bursts, real);
                self.bursts += 1;
            }
        }
        for &time in &self.times[told..] {
            waiting.tell(time);
        }
        Ok(())
    }

    /// Puts the made-up rows that were drawn among those that wait.
    fn hold_fakes(&mut self, waiting: &mut Waiting) -> Result<()> {
        let format = self.format.unwrap_or(TimeFormat::Seconds);
        for fake in std::mem::take(&mut self.engine.drawn) {
            let who = (
                self.engine.users.name(fake.user),
                self.group_name(fake.group),
            );
            let id = MADE_UP | self.made_up;
            waiting.push_fake(fake.burst, who, fake.offset, format, id)?;
            self.made_up += 1;
        }
        Ok(())
    }

    fn group_name(&self, group: u32) -> Option<&str> {
        self.places.group?;
        (group != MISSING).then(|| self.engine.groups.get(group))
    }

    /// Lets go of the rows before `end`, of all rows when there is none.
    fn let_go(&mut self, waiting: &mut Waiting, end: Option<i64>) -> Result<Batch> {
        let places = Columns {
            time: self.places.time,
            user: self.places.subject,
            label: self.places.attributes[0],
        };
        self.cells.clear();
        waiting.release(end, &self.schema, places, &mut self.cells)
    }

    /// Before this time no row can come any more that is released, real or made up.
    fn watermark(&self) -> i64 {
        let spread = self.config.fakes.as_ref().map_or(0, |fakes| fakes.spread);
        let reached = self.engine.reached();
        reached.saturating_sub(self.config.allowed_lateness() + spread)
    }

    /// The batch that goes out.
    fn assemble(&self, batch: &Batch, draft: Draft) -> Result<Batch> {
        let whole = draft.rows.len() == batch.len() && draft.fakes.is_empty();
        let mut columns = Vec::with_capacity(self.schema.len());
        let mut attributes = draft.columns.into_iter();
        for (place, column) in batch.columns().iter().enumerate() {
            columns.push(if self.places.attributes.contains(&place) {
                let (codes, labels) = attributes
                    .next()
                    .ok_or_else(|| Error::bug("an attribute was lost"))?;
                Column::Category(Categories::new(codes, Arc::new(labels)))
            } else if place == self.places.subject && self.config.fakes.is_some() {
                self.with_fakes(&column.take(&draft.rows)?, &draft.fakes)?
            } else if whole {
                column.clone()
            } else {
                column.take(&draft.rows)?
            });
        }
        let ids = match whole {
            true => batch.rows().clone(),
            false => RowIds::List(draft.ids.into()),
        };
        Batch::new(Arc::clone(&self.schema), ids, columns)
    }

    /// The subjects of the rows, with those of made-up rows in their places. All of them as
    /// they are counted, or their spelling would tell which are made up.
    fn with_fakes(&self, column: &Column, fakes: &[(usize, u32)]) -> Result<Column> {
        let Column::Category(subjects) = column else {
            return Err(Error::bug("a subject that is no category"));
        };
        let subjects = subjects.folded();
        let mut levels = LevelsBuilder::from_levels(subjects.levels());
        let mut codes = subjects.codes().to_vec();
        for &(row, user) in fakes {
            codes[row] = levels.intern(self.engine.users.name(user));
        }
        Ok(Column::Category(Categories::new(
            codes,
            Arc::new(levels.finish()),
        )))
    }
}

impl Verdict {
    pub(super) fn is_released(&self) -> bool {
        matches!(self.fate, Fate::Released | Fate::Faked(_))
    }

    #[inline]
    fn cell(&self) -> Cell {
        Cell {
            level: self.is_released().then_some(self.level),
            counter: self.counter,
            z: self.z,
            fakes: match self.fate {
                Fate::Faked(fakes) => fakes,
                _ => 0,
            },
        }
    }
}

impl Operator for Stream {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn push(&mut self, batch: Batch) -> Result<Batch> {
        let draft = self.decide(&batch)?;
        let decided = self.assemble(&batch, draft)?;
        let released = match self.waiting.take() {
            None => decided,
            Some(mut waiting) => {
                self.decided = Some((decided, std::mem::take(&mut self.cells)));
                self.hold(&batch, &mut waiting)?;
                self.hold_fakes(&mut waiting)?;
                let released = self.let_go(&mut waiting, Some(self.watermark()))?;
                self.waiting = Some(waiting);
                released
            }
        };
        self.engine.clear();
        Ok(released)
    }

    fn finish(&mut self) -> Result<Batch> {
        self.cells.clear();
        match self.waiting.take() {
            None => Ok(Batch::empty(Arc::clone(&self.schema))),
            Some(mut waiting) => {
                self.engine.draw_fakes(None);
                self.hold_fakes(&mut waiting)?;
                self.let_go(&mut waiting, None)
            }
        }
    }

    fn suppressed(&self) -> Vec<(String, u64)> {
        self.tally.suppressed()
    }
}
