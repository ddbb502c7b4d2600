//! The files that PRAM makes with a matrix, by draws that are always the same.
//!
//! Each application has a uniform draw of its own for each cell, so that loss and risk are
//! functions of the matrices alone: what differs between two matrices is never luck. A matrix that
//! changes in one row changes cells of that category alone, and of these only those whose draw lies
//! where the row has changed.

use crate::data::CategoricalTable;
use crate::error::{Error, Result};
use crate::measure::categorical::{Figures, ScoreSettings, Scored, Scorer};
use crate::optimize::evolution::{Draws, TradeOff};
use crate::protect::pram::TransitionMatrix;

/// The originals, and what is drawn for each of their cells.
pub(super) struct Ground {
    scorer: Scorer,
    /// By application, column and row.
    uniforms: Vec<Vec<Vec<f64>>>,
    /// By column and category, the rows that have it.
    rows: Vec<Vec<Vec<usize>>>,
    /// By column, how many rows have each category.
    frequencies: Vec<Vec<f64>>,
}

/// Sets the draws of applications apart from those of steps and releases with the same seed.
const APPLICATIONS: u64 = 0x7072_616d_5f61_7070;

impl Ground {
    /// For so many applications to these originals.
    ///
    /// # Errors
    /// When there are no rows, no columns or no applications.
    pub(super) fn new(
        original: &CategoricalTable,
        settings: ScoreSettings,
        applications: usize,
        seed: u64,
    ) -> Result<Self> {
        if original.rows() == 0 || original.width() == 0 || applications == 0 {
            return Err(Error::input("there are no rows to search matrices for")
                .help("bring a table with rows, and at least one application"));
        }
        let columns = 0..original.width();
        let rows = columns.clone().map(|column| {
            let mut rows = vec![Vec::new(); original.variables()[column].levels];
            for (row, &code) in original.column(column).iter().enumerate() {
                rows[code as usize].push(row);
            }
            rows
        });
        let rows: Vec<Vec<Vec<usize>>> = rows.collect();
        let frequencies = rows.iter().map(|of: &Vec<Vec<usize>>| {
            let counts = of.iter().map(|rows| rows.len() as f64);
            counts.collect()
        });
        let uniforms = (1..=applications as u64).map(|application| {
            let mut draws = Draws::new((seed ^ APPLICATIONS).wrapping_mul(application * 2 + 1));
            let columns = columns.clone();
            let column = |_| (0..original.rows()).map(|_| draws.share()).collect();
            columns.map(column).collect()
        });
        Ok(Ground {
            frequencies: frequencies.collect(),
            uniforms: uniforms.collect(),
            scorer: Scorer::new(original.clone(), settings)?,
            rows,
        })
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.rows.len()
    }

    /// How many rows have each category of a column.
    pub(super) fn frequencies(&self, column: usize) -> &[f64] {
        &self.frequencies[column]
    }

    /// How many rows have each category of each column.
    pub(super) fn all_frequencies(&self) -> &[Vec<f64>] {
        &self.frequencies
    }

    /// The files that these matrices make, of each column one.
    ///
    /// # Errors
    /// When they cannot be scored.
    pub(super) fn applied(&self, matrices: &[TransitionMatrix]) -> Result<Vec<Scored>> {
        let applications = 0..self.uniforms.len();
        applications
            .map(|application| self.scorer.score(&self.file(application, matrices)))
            .collect()
    }

    fn file(&self, application: usize, matrices: &[TransitionMatrix]) -> CategoricalTable {
        let mut masked = self.scorer.original().clone();
        for (column, matrix) in matrices.iter().enumerate() {
            let draws = matrix.draws();
            let uniforms = &self.uniforms[application][column];
            for (code, &u) in masked.column_mut(column).iter_mut().zip(uniforms) {
                *code = draws.draw(*code as usize, u) as u32;
            }
        }
        masked
    }

    /// Lets files follow matrices of some columns that have changed in some rows; gives what undoes
    /// it.
    pub(super) fn follow(&self, files: &mut [Scored], changed: &[Changed]) -> Vec<Undone> {
        let drawn: Vec<_> = changed
            .iter()
            .map(|changed| changed.matrix.draws())
            .collect();
        let mut undone = Vec::with_capacity(files.len());
        for (file, uniforms) in files.iter_mut().zip(&self.uniforms) {
            let mut cells: Vec<(usize, usize, u32)> = Vec::new();
            for (changed, draws) in changed.iter().zip(&drawn) {
                let column = changed.column;
                let masked = file.masked().column(column);
                for &category in &changed.rows {
                    for &row in &self.rows[column][category] {
                        let code = draws.draw(category, uniforms[column][row]) as u32;
                        if code != masked[row] {
                            cells.push((row, column, code));
                        }
                    }
                }
            }
            undone.push(self.put(file, cells));
        }
        undone
    }

    /// Changes cells of a file, one by one or, where they are many, by scoring it anew.
    fn put(&self, file: &mut Scored, mut cells: Vec<(usize, usize, u32)>) -> Undone {
        let all = file.masked().rows() * file.masked().width();
        if cells.len() * ANEW > all {
            let mut masked = file.masked().clone();
            for &(row, column, code) in &cells {
                masked.column_mut(column)[row] = code;
            }
            if let Ok(scored) = self.scorer.score(&masked) {
                return Undone::Whole(Box::new(std::mem::replace(file, scored)));
            }
        }
        let orders = file.orders();
        for (row, column, code) in &mut cells {
            let before = file.masked().column(*column)[*row];
            file.replace(*row, *column, *code);
            *code = before;
        }
        Undone::Cells(cells, orders)
    }
}

/// A matrix that has changed.
pub(super) struct Changed {
    pub(super) column: usize,
    /// The categories whose probabilities are others.
    pub(super) rows: Vec<usize>,
    /// The matrix as it is now.
    pub(super) matrix: TransitionMatrix,
}

/// Changes of a larger share of the cells are scored anew.
const ANEW: usize = 8;

/// A file as it was.
pub(super) enum Undone {
    /// Row, column and category of cells that were replaced, and the order of weights before.
    Cells(Vec<(usize, usize, u32)>, u64),
    /// All of it.
    Whole(Box<Scored>),
}

/// Takes back what [`Ground::follow`] did last.
pub(super) fn undo(files: &mut [Scored], undone: Vec<Undone>) {
    for (file, undone) in files.iter_mut().zip(undone) {
        match undone {
            Undone::Whole(before) => *file = *before,
            Undone::Cells(cells, orders) => {
                for (row, column, code) in cells.into_iter().rev() {
                    file.replace(row, column, code);
                }
                if file.orders() != orders {
                    // The mutant had another order of weights, by which the next one would be
                    // looked at.
                    file.figures();
                }
            }
        }
    }
}

/// The mean loss and risk of files.
pub(super) fn mean(figures: impl Iterator<Item = Figures>) -> TradeOff {
    let (mut loss, mut risk, mut files) = (0.0, 0.0, 0.0_f64);
    for figures in figures {
        loss += figures.il();
        risk += figures.dr();
        files += 1.0;
    }
    TradeOff {
        loss: loss / files.max(1.0),
        risk: risk / files.max(1.0),
    }
}
