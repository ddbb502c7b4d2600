//! Files of categories as individuals: each cell is a gene, row by row, and its category the value.
//!
//! Loss and risk are IL and DR of [`Scorer`]. A mutation costs the counts that its cell is in, so
//! that hundreds of thousands a second are tried on one core.

use super::cells::Cells;
use super::genome::FileGenome;
use crate::data::{CategoricalTable, Records, Variable};
use crate::error::Result;
use crate::measure::categorical::{Figures, ScoreSettings, Scored, Scorer};
use crate::optimize::evolution::{Crossover, Draws, Exchange, Individual, TradeOff};
use std::sync::Arc;

/// Files of one original whose cells are categories.
#[derive(Clone)]
pub struct CategoryFiles(Arc<Shared>);

struct Shared {
    scorer: Scorer,
    /// Whether ordered categories become neighbours.
    near: bool,
}

impl CategoryFiles {
    /// Files of the original of `scorer`; `near` says whether mutations take ordered categories to a
    /// neighbour.
    pub fn new(scorer: Scorer, near: bool) -> Self {
        CategoryFiles(Arc::new(Shared { scorer, near }))
    }

    /// The file of these categories.
    ///
    /// # Errors
    /// When it has other rows or attributes than the original.
    pub fn file(&self, masked: &CategoricalTable) -> Result<CategoryFile> {
        Ok(CategoryFile::new(&self.0, self.0.scorer.score(masked)?))
    }
}

/// A file of categories.
#[derive(Clone)]
pub struct CategoryFile {
    shared: Arc<Shared>,
    scored: Scored,
    print: u64,
}

/// Crossings of a larger share of the cells are scored anew.
const ANEW: usize = 8;

impl CategoryFile {
    fn new(shared: &Arc<Shared>, scored: Scored) -> Self {
        let masked = scored.masked();
        let mut print = 0;
        for attribute in 0..masked.width() {
            for (row, &code) in masked.column(attribute).iter().enumerate() {
                print ^= part(row, attribute, code);
            }
        }
        CategoryFile {
            shared: Arc::clone(shared),
            scored,
            print,
        }
    }

    fn set(&mut self, row: usize, attribute: usize, code: u32) -> u32 {
        let before = self.scored.masked().column(attribute)[row];
        self.print ^= part(row, attribute, before) ^ part(row, attribute, code);
        self.scored.replace(row, attribute, code);
        before
    }

    /// The row and the attribute of a gene.
    fn cell(&self, gene: usize) -> (usize, usize) {
        let width = self.scored.masked().width();
        (gene / width, gene % width)
    }
}

fn told(figures: Figures) -> TradeOff {
    TradeOff {
        loss: figures.il(),
        risk: figures.dr(),
    }
}

/// What a cell adds to the fingerprint.
fn part(row: usize, attribute: usize, code: u32) -> u64 {
    let cell = (row as u64) << 24 ^ (attribute as u64) << 56 ^ u64::from(code);
    let number = cell.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number ^ (number >> 29)
}

impl Individual for CategoryFile {
    /// Row, attribute and category, and the order of weights that the file had.
    type Undo = (usize, usize, u32, u64);
    type Genes = CategoricalTable;
    type Exchange = Exchange;

    fn len(&self) -> usize {
        self.scored.masked().rows() * self.scored.masked().width()
    }

    fn trade_off(&mut self) -> TradeOff {
        told(self.scored.figures())
    }

    fn mutate(&mut self, gene: usize, draws: &mut Draws) -> Option<Self::Undo> {
        let (row, attribute) = self.cell(gene);
        let masked = self.scored.masked();
        let variable = masked.variables()[attribute];
        let code = masked.column(attribute)[row];
        if variable.levels < 2 {
            return None;
        }
        let last = variable.levels as u32 - 1;
        let other = match self.shared.near && variable.ordered {
            // Reflected at the ends.
            true => match draws.below(2) {
                0 if code > 0 => code - 1,
                0 => 1,
                _ if code < last => code + 1,
                _ => last - 1,
            },
            false => {
                let other = draws.below(variable.levels - 1) as u32;
                other + u32::from(other >= code)
            }
        };
        let orders = self.scored.orders();
        Some((row, attribute, self.set(row, attribute, other), orders))
    }

    fn undo(&mut self, (row, attribute, code, orders): Self::Undo) {
        self.set(row, attribute, code);
        if self.scored.orders() != orders {
            // The mutant had another order of weights, by which the next one would be looked at.
            self.scored.figures();
        }
    }

    fn glance(&mut self) -> Option<TradeOff> {
        self.scored.figures_in_order().map(told)
    }

    fn exchange(&self, _: &Self, crossover: Crossover, draws: &mut Draws) -> [Exchange; 2] {
        crossover.exchange(self.len(), draws).for_both()
    }

    fn crossed(&self, other: &Self, exchange: &Exchange) -> Self {
        let genes = exchange.iter().map(|gene| self.cell(gene));
        if exchange.genes() * ANEW < self.len() {
            let mut child = self.clone();
            for (row, attribute) in genes {
                let code = other.scored.masked().column(attribute)[row];
                child.set(row, attribute, code);
            }
            return child;
        }
        let mut masked = self.scored.masked().clone();
        for (row, attribute) in genes {
            masked.column_mut(attribute)[row] = other.scored.masked().column(attribute)[row];
        }
        match self.shared.scorer.score(&masked) {
            Ok(scored) => CategoryFile::new(&self.shared, scored),
            // Two files of one original are of its domains.
            Err(_) => self.clone(),
        }
    }

    fn shared(&self, other: &Self) -> usize {
        let (one, other) = (self.scored.masked(), other.scored.masked());
        let column = |attribute: usize| {
            let pairs = one.column(attribute).iter().zip(other.column(attribute));
            pairs.filter(|(one, other)| one == other).count()
        };
        (0..one.width()).map(column).sum()
    }

    fn fingerprint(&self) -> u64 {
        self.print
    }

    fn genes(&self) -> CategoricalTable {
        self.scored.masked().clone()
    }
}

/// Files of these cells, some of whose categories may be a missing value.
pub(super) struct Categories {
    files: CategoryFiles,
    /// By column, whether its last category is a missing value.
    missing: Vec<bool>,
}

impl Categories {
    /// For these cells; `near` says whether mutations take ordered categories to a neighbour.
    ///
    /// # Errors
    /// When the cells cannot be scored.
    pub(super) fn new(cells: &Cells, near: bool) -> Result<Self> {
        let (originals, missing) = coded(cells)?;
        let scorer = Scorer::new(originals, ScoreSettings::default())?;
        Ok(Categories {
            files: CategoryFiles::new(scorer, near),
            missing,
        })
    }
}

/// The originals as a table, and by column whether its last category is a missing value.
///
/// # Errors
/// When they are no categories.
pub(super) fn coded(cells: &Cells) -> Result<(CategoricalTable, Vec<bool>)> {
    let width = cells.width();
    let missing = |place: usize| cells.records.column(place).any(f64::is_nan);
    let missing: Vec<bool> = (0..width).map(missing).collect();
    let variables = (0..width).map(|place| {
        let categories = cells.categories[place].as_ref().map_or(0, Vec::len);
        Variable {
            ordered: cells.is_ordered(place),
            levels: categories + usize::from(missing[place]),
        }
    });
    Ok((table(variables.collect(), &cells.records)?, missing))
}

/// The table of these records; a missing value is the last category.
pub(super) fn table(variables: Vec<Variable>, records: &Records) -> Result<CategoricalTable> {
    let columns = variables.iter().enumerate().map(|(place, variable)| {
        let codes = records.column(place).map(|code| match code.is_nan() {
            true => variable.levels.saturating_sub(1) as u32,
            false => code as u32,
        });
        codes.collect()
    });
    let columns = columns.collect();
    CategoricalTable::new(variables, columns)
}

impl FileGenome for Categories {
    type Of = CategoryFile;

    fn individual(&self, records: &Records) -> Result<CategoryFile> {
        let variables = self.files.0.scorer.original().variables().to_vec();
        self.files.file(&table(variables, records)?)
    }

    fn records(&self, genes: &CategoricalTable) -> Records {
        let mut records = Records::new(genes.width());
        let mut record = vec![0.0; genes.width()];
        for row in 0..genes.rows() {
            for (place, (value, code)) in record.iter_mut().zip(genes.row(row)).enumerate() {
                let levels = genes.variables()[place].levels;
                *value = match self.missing[place] && code as usize + 1 == levels {
                    true => f64::NAN,
                    false => f64::from(code),
                };
            }
            records.push(&record);
        }
        records
    }
}
