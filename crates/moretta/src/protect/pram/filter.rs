//! PRAM on records: counts where it must, then draws.

use super::known::{Known, MOST_CATEGORIES, Told};
use super::matrix::{Draws, TransitionMatrix};
use super::{MissingValues, Pram};
use crate::data::{Attribute, MISSING, Records};
use crate::error::{Error, Result};
use crate::math::uniform::Uniform;
use crate::protect::filter::{Filter, Masked};
use crate::protect::transition::CodedTransition;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Rows between which work can be stopped.
const ROWS: usize = 1 << 14;

/// A category: a code for every column.
type Cell = Box<[u32]>;

/// A column, or several that are taken together.
pub(super) struct Unit {
    names: Vec<String>,
    places: Vec<usize>,
    known: Option<Known>,
    ready: Option<Ready>,
}

/// A matrix at work.
struct Ready {
    cells: Vec<Cell>,
    index: HashMap<Cell, usize, FixedState>,
    matrix: TransitionMatrix,
    draws: Draws,
    fewest: Option<u64>,
}

impl Ready {
    fn new(cells: Vec<Cell>, matrix: TransitionMatrix, fewest: Option<u64>) -> Self {
        Ready {
            index: cells.iter().cloned().zip(0..).collect(),
            draws: matrix.draws(),
            cells,
            matrix,
            fewest,
        }
    }
}

impl Unit {
    pub(super) fn new(names: &[&str], places: Vec<usize>, known: Option<Known>) -> Self {
        Unit {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            places,
            known,
            ready: None,
        }
    }

    /// Whether a value of a record is missing.
    fn lacks(&self, record: &[f64]) -> bool {
        self.places.iter().any(|&place| record[place].is_nan())
    }

    /// The category of a record, put into `cell`.
    fn look(&self, record: &[f64], cell: &mut Vec<u32>) {
        cell.clear();
        cell.extend(self.places.iter().map(|&place| code(record[place])));
    }

    /// The matrix that is known beforehand.
    fn known_matrix(&self, pram: &Pram, uniform: &mut impl Uniform) -> Result<Option<Ready>> {
        let Some(known) = &self.known else {
            return Ok(None);
        };
        let matrix = match &known.told {
            Told::Matrix(rows) | Told::File(_, Some(rows)) => TransitionMatrix::new(rows)?,
            Told::Counts(counts) => pram.designed(counts, uniform),
            Told::File(_, None) => return Err(Error::bug("the file of a matrix was not read")),
        };
        let cells = known.codes().into_iter();
        let cells = cells.map(|codes| codes.into_iter().map(code).collect());
        Ok(Some(Ready::new(cells.collect(), matrix, known.fewest)))
    }

    /// The matrix that the design makes of these records. All categories of an ordered column are
    /// declared; of others, and of combinations, only those are possible that some record has, so
    /// that no value is drawn that only rows have which do not leave.
    fn counted(
        &self,
        pram: &Pram,
        records: &Records,
        attributes: &[Attribute],
        uniform: &mut impl Uniform,
    ) -> Result<Ready> {
        let mut counts: HashMap<Cell, u64, FixedState> = HashMap::default();
        let too_many = || {
            let what = format!("more than {MOST_CATEGORIES} different values");
            let error = Error::input(what).in_column(self.names.join(" & "));
            error.help("group categories first, or take columns one by one")
        };
        if let [place] = self.places[..]
            && let Some(&Attribute::Ordinal { levels }) = attributes.get(place)
        {
            if levels > MOST_CATEGORIES {
                return Err(too_many());
            }
            counts.extend((0..levels as u32).map(|code| (Cell::from([code]), 0)));
        }
        let mut cell = Vec::new();
        for record in records.iter() {
            if pram.missing == MissingValues::Stay && self.lacks(record) {
                continue;
            }
            self.look(record, &mut cell);
            if let Some(count) = counts.get_mut(cell.as_slice()) {
                *count += 1;
            } else if counts.len() == MOST_CATEGORIES {
                return Err(too_many());
            } else {
                counts.insert(cell.as_slice().into(), 1);
            }
        }
        let mut counts: Vec<(Cell, u64)> = counts.into_iter().collect();
        counts.sort_unstable();
        let frequencies: Vec<f64> = counts.iter().map(|&(_, count)| count as f64).collect();
        let matrix = pram.designed(&frequencies, uniform);
        let fewest = counts
            .iter()
            .map(|&(_, count)| count)
            .filter(|&count| count > 0);
        let fewest = fewest.min();
        let cells = counts.into_iter().map(|(cell, _)| cell).collect();
        Ok(Ready::new(cells, matrix, fewest))
    }

    /// Changes a record.
    fn change(
        &self,
        record: &mut [f64],
        missing: MissingValues,
        cell: &mut Vec<u32>,
        uniform: &mut impl Uniform,
    ) -> Result<()> {
        let lacks = self.lacks(record);
        if missing == MissingValues::Stay && lacks {
            return Ok(());
        }
        let ready = self.ready.as_ref();
        let ready = ready.ok_or_else(|| Error::bug("a matrix that nobody has made"))?;
        self.look(record, cell);
        let Some(&category) = ready.index.get(cell.as_slice()) else {
            return Err(self.unknown(lacks));
        };
        let drawn = ready.draws.draw(category, uniform.draw());
        for (&place, &code) in self.places.iter().zip(&ready.cells[drawn]) {
            record[place] = if code == MISSING {
                f64::NAN
            } else {
                f64::from(code)
            };
        }
        Ok(())
    }

    fn unknown(&self, lacks: bool) -> Error {
        let (what, help) = match lacks {
            true => (
                "a value is missing, and the matrix has no such category",
                "add a category with an empty text to the matrix, or set missing = \"stays\"",
            ),
            false => (
                "a value is no category of the matrix",
                "give `matrices` all that the column can be, for example one category for all others",
            ),
        };
        Error::input(what)
            .in_column(self.names.join(" & "))
            .help(help)
    }
}

fn code(value: f64) -> u32 {
    match value.is_nan() {
        true => MISSING,
        false => value as u32,
    }
}

/// Changes records: of a stream at once, of a table when all were counted.
pub(super) struct Changes<U> {
    pram: Pram,
    units: Vec<Unit>,
    uniform: U,
    attributes: Vec<Attribute>,
    /// The records of a table.
    held: Option<Records>,
    record: Vec<f64>,
    cell: Vec<u32>,
}

impl<U: Uniform> Changes<U> {
    pub(super) fn new(pram: Pram, mut units: Vec<Unit>, mut uniform: U) -> Result<Self> {
        for unit in &mut units {
            unit.ready = unit.known_matrix(&pram, &mut uniform)?;
        }
        let width = units.iter().map(|unit| unit.places.len()).sum();
        Ok(Changes {
            held: pram.buffer.is_none().then(|| Records::new(width)),
            pram,
            units,
            uniform,
            attributes: Vec::new(),
            record: Vec::new(),
            cell: Vec::new(),
        })
    }

    fn change(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        self.record.clear();
        self.record.extend_from_slice(record);
        for unit in &self.units {
            let missing = self.pram.missing;
            unit.change(&mut self.record, missing, &mut self.cell, &mut self.uniform)?;
        }
        out.release(&self.record);
        Ok(())
    }
}

impl<U: Uniform> Filter for Changes<U> {
    fn know(&mut self, attributes: &[Attribute]) {
        self.attributes = attributes.to_vec();
    }

    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
        match &mut self.held {
            None => self.change(record, out),
            Some(held) => {
                held.push(record);
                Ok(())
            }
        }
    }

    fn finish(&mut self, out: &mut Masked) -> Result<()> {
        let Some(held) = self.held.take() else {
            return Ok(());
        };
        for place in 0..self.units.len() {
            out.cancel.check()?;
            if self.units[place].ready.is_none() {
                let unit = &self.units[place];
                let of = (&self.pram, &held, &self.attributes);
                let ready = unit.counted(of.0, of.1, of.2, &mut self.uniform)?;
                self.units[place].ready = Some(ready);
            }
        }
        for (row, record) in held.iter().enumerate() {
            if row % ROWS == 0 {
                out.cancel.check()?;
            }
            self.change(record, out)?;
        }
        Ok(())
    }

    fn settles_in(&self) -> Option<u64> {
        self.held.is_none().then_some(0)
    }

    fn transitions(&self) -> Vec<CodedTransition> {
        let units = self.units.iter();
        let told = units.filter_map(|unit| Some((unit, unit.ready.as_ref()?)));
        told.map(|(unit, ready)| {
            let codes = |cell: &Cell| {
                let code = |&code: &u32| match code {
                    MISSING => f64::NAN,
                    code => f64::from(code),
                };
                cell.iter().map(code).collect()
            };
            CodedTransition {
                places: unit.places.clone(),
                categories: ready.cells.iter().map(codes).collect(),
                matrix: ready.matrix.rows().map(<[f64]>::to_vec).collect(),
                fewest: ready.fewest,
            }
        })
        .collect()
    }
}
