//! Counts rows that keep rules, break them, or leave them open.

use super::ColumnRule;
use super::bind::{Bound, Codes, bind};
use super::cell::Cell;
use super::possible::{Outcome, Question};
use super::read::{Reader, Reading};
use crate::data::{Batch, Column, MISSING, Numbers};
use crate::error::{Error, Result};
use crate::guarantee::classes::Texts;
use crate::guarantee::same::texts_of;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;

/// How rows fare with one rule. No cell is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleCount {
    /// Rows that keep it, whatever their cells stand for.
    pub kept: u64,
    /// Rows that keep it for some of the values that their cells stand for.
    pub open: u64,
    /// Rows that break it, whatever their cells stand for.
    pub broken: u64,
    /// The ids of the first of these, at most [`RuleCount::TOLD`].
    pub first: Vec<u64>,
}

impl RuleCount {
    /// How many ids are kept.
    pub const TOLD: usize = 10;

    /// Rows that were judged.
    pub fn rows(&self) -> u64 {
        self.kept + self.open + self.broken
    }

    fn add(&mut self, outcome: Outcome, id: u64) {
        match outcome {
            Outcome::Kept => self.kept += 1,
            Outcome::Open => self.open += 1,
            Outcome::Broken => {
                self.broken += 1;
                if self.first.len() < RuleCount::TOLD {
                    self.first.push(id);
                }
            }
        }
    }

    fn merge(&mut self, later: RuleCount) {
        self.kept += later.kept;
        self.open += later.open;
        self.broken += later.broken;
        let room = RuleCount::TOLD - self.first.len();
        self.first.extend(later.first.into_iter().take(room));
    }
}

/// Holds rows against rules.
pub struct RuleChecker {
    columns: Vec<Watched>,
    rules: Vec<Asked>,
    codes: Codes,
}

/// A column that rules name.
struct Watched {
    reader: Reader,
    texts: Texts,
    /// What each text can be.
    cells: Vec<Cell>,
    empty: Cell,
    /// The texts of the batch at hand.
    rows: Vec<u32>,
}

struct Asked {
    question: Question,
    /// Its columns, among those that are watched.
    columns: Vec<usize>,
    count: RuleCount,
}

/// Rows that are judged at a time.
const CHUNK: usize = 1 << 14;

impl RuleChecker {
    /// For rows whose columns are read so; all that rules name must be among them.
    ///
    /// # Errors
    /// A bug, when a rule does not fit its columns.
    pub fn new(rules: &[ColumnRule], readings: Vec<Reading>) -> Result<Self> {
        let names: Vec<String> = readings.iter().map(|r| r.name.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let kinds: Vec<_> = readings.iter().map(|r| r.kind.clone()).collect();
        let mut columns: Vec<Watched> = readings.into_iter().map(Watched::new).collect();
        let (mut codes, mut asked) = (Codes::default(), Vec::new());
        for rule in rules {
            let formula = rule.formula();
            if formula.columns().iter().any(|name| !names.contains(name)) {
                return Err(Error::bug("a rule names a column that nobody reads"));
            }
            let bound = bind(&formula, &names, &kinds, &mut codes);
            let bound = bound.map_err(|mismatch| Error::bug(mismatch.what))?;
            note(&bound, &mut columns);
            let places = formula.columns().into_iter();
            let places = places.filter_map(|name| names.iter().position(|known| *known == name));
            let places: Vec<usize> = places.collect();
            let local = localised(bound, &places);
            asked.push(Asked {
                question: Question::new(local, places.len()),
                columns: places,
                count: RuleCount::default(),
            });
        }
        for column in &mut columns {
            let constants = &mut column.reader.constants;
            constants.sort_by(f64::total_cmp);
            constants.dedup();
            column.empty = column.reader.empty();
        }
        Ok(RuleChecker {
            columns,
            rules: asked,
            codes,
        })
    }

    /// Judges more rows.
    ///
    /// # Errors
    /// When they have no column that a rule names, or it has no text.
    pub fn observe(&mut self, rows: &Batch) -> Result<()> {
        let mut views = Vec::with_capacity(self.columns.len());
        for watched in &mut self.columns {
            let name = &watched.reader.reading.name;
            let column = rows.column_named(name).ok_or_else(|| {
                Error::policy(format!(
                    "a rule is about column `{name}`, which is not there"
                ))
            })?;
            views.push(watched.view(column, &mut self.codes)?);
        }
        let columns = &self.columns;
        for asked in &mut self.rules {
            let starts: Vec<usize> = (0..rows.len()).step_by(CHUNK).collect();
            let parts = starts.par_iter().map(|&start| {
                let end = rows.len().min(start + CHUNK);
                asked.judge(start..end, columns, &views, |row| rows.rows().get(row))
            });
            let parts: Vec<RuleCount> = parts.collect();
            parts.into_iter().for_each(|part| asked.count.merge(part));
        }
        Ok(())
    }

    /// How rows fare with each rule so far, in the order of the rules.
    pub fn counts(&self) -> Vec<RuleCount> {
        self.rules.iter().map(|asked| asked.count.clone()).collect()
    }
}

/// The cells of a column in the batch at hand.
enum View {
    /// One value each.
    Numbers(Numbers),
    /// Codes of what was read.
    Coded,
}

impl Watched {
    fn new(reading: Reading) -> Self {
        Watched {
            reader: Reader {
                reading,
                compared: false,
                constants: Vec::new(),
            },
            texts: Texts::default(),
            cells: Vec::new(),
            empty: Cell::missing(),
            rows: Vec::new(),
        }
    }

    fn view(&mut self, column: &Column, codes: &mut Codes) -> Result<View> {
        if let (Column::Number(numbers), true) = (column, self.reader.has_numbers()) {
            return Ok(View::Numbers(numbers.clone()));
        }
        self.texts.translate(&*texts_of(column)?, &mut self.rows);
        for code in self.cells.len()..self.texts.levels().len() {
            let text = self.texts.levels().get(code as u32);
            self.cells.push(self.reader.read(text, codes));
        }
        Ok(View::Coded)
    }

    /// The cell with this code.
    fn cell(&self, code: u32) -> &Cell {
        match code {
            MISSING => &self.empty,
            code => &self.cells[code as usize],
        }
    }
}

impl Asked {
    fn judge(
        &self,
        rows: std::ops::Range<usize>,
        columns: &[Watched],
        views: &[View],
        id: impl Fn(usize) -> u64,
    ) -> RuleCount {
        let mut count = RuleCount::default();
        // Numbers become cells of one value; the others share what was read of their text.
        let own = self.columns.iter().map(|&column| match &views[column] {
            View::Coded => Vec::new(),
            View::Numbers(numbers) => {
                let empty = &columns[column].empty;
                let cell = |row: usize| numbers.get(row).map_or(empty.clone(), Cell::one);
                rows.clone().map(cell).collect()
            }
        });
        let own: Vec<Vec<Cell>> = own.collect();
        let all_coded = own.iter().all(Vec::is_empty);
        let mut known: HashMap<Vec<u32>, Outcome, FixedState> = HashMap::default();
        let mut codes: Vec<u32> = Vec::with_capacity(self.columns.len());
        let mut cells: Vec<&Cell> = Vec::with_capacity(self.columns.len());
        for (place, row) in rows.enumerate() {
            codes.clear();
            if all_coded {
                codes.extend(self.columns.iter().map(|&column| columns[column].rows[row]));
                if let Some(&outcome) = known.get(codes.as_slice()) {
                    count.add(outcome, id(row));
                    continue;
                }
            }
            cells.clear();
            cells.extend(self.columns.iter().zip(&own).map(|(&column, own)| {
                let watched = &columns[column];
                match own.get(place) {
                    Some(cell) => cell,
                    None => watched.cell(watched.rows[row]),
                }
            }));
            let outcome = self.question.outcome(&cells);
            if all_coded {
                known.insert(codes.clone(), outcome);
            }
            count.add(outcome, id(row));
        }
        count
    }
}

/// Tells columns what they are compared with.
fn note(formula: &Bound, columns: &mut [Watched]) {
    match formula {
        Bound::Constant(column, _, constant) => {
            columns[*column].reader.constants.push(*constant);
        }
        Bound::In(column, constants) => columns[*column].reader.constants.extend(constants),
        Bound::Columns(a, _, b) => {
            columns[*a].reader.compared = true;
            columns[*b].reader.compared = true;
        }
        Bound::Missing(_) => {}
        Bound::Not(inner) => note(inner, columns),
        Bound::And(parts) | Bound::Or(parts) => {
            parts.iter().for_each(|part| note(part, columns));
        }
    }
}

/// The same formula with columns counted among `places`.
fn localised(formula: Bound, places: &[usize]) -> Bound {
    let place = |column: usize| places.iter().position(|&p| p == column).unwrap_or(0);
    let all = |parts: Vec<Bound>| -> Vec<Bound> {
        let parts = parts.into_iter();
        parts.map(|part| localised(part, places)).collect()
    };
    match formula {
        Bound::Constant(column, comparison, constant) => {
            Bound::Constant(place(column), comparison, constant)
        }
        Bound::Columns(a, comparison, b) => Bound::Columns(place(a), comparison, place(b)),
        Bound::In(column, constants) => Bound::In(place(column), constants),
        Bound::Missing(column) => Bound::Missing(place(column)),
        Bound::Not(inner) => Bound::Not(Box::new(localised(*inner, places))),
        Bound::And(parts) => Bound::And(all(parts)),
        Bound::Or(parts) => Bound::Or(all(parts)),
    }
}
