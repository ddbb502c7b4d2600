//! Values as the beginnings of cells, and regions of those as regions of the values.
//!
//! Inside a chain a value is held as the number with which its cell begins, or as its top or
//! bottom, so that the method that follows can order and cut it. What that method says of such
//! numbers is then said of all values that they stand for.

use crate::data::hierarchy::TOP;
use crate::data::{
    Categories, Column, Domain, Levels, LevelsBuilder, MISSING, Numbers, Region, Scale,
};
use crate::error::{Error, Result};
use crate::guarantee::{Coding, End};
use crate::protect::mondrian::grid::Grid;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::Arc;

/// The cells of a column.
pub(super) struct Cells {
    grid: Option<Grid>,
    coding: Coding,
}

/// Beyond this, not every whole number is a float.
const EXACT: f64 = (1u64 << 53) as f64;

impl Cells {
    pub(super) fn new(coding: Coding) -> Self {
        Cells { grid: None, coding }
    }

    /// The cells of a column of which the policy tells whether its numbers are whole.
    pub(super) fn declared(coding: Coding, whole: bool) -> Self {
        let grid = coding.step.map(|step| Grid::every(step, whole, false));
        Cells { grid, coding }
    }

    /// Whether whole numbers stay whole.
    pub(super) fn are_whole(&self) -> bool {
        let ends = [self.bottom(), self.top()].into_iter().flatten();
        let mut edges = self.coding.step.into_iter().chain(ends);
        edges.all(|edge| edge.fract() == 0.0)
    }

    /// The cells of this column. Whether they end before the next begins follows from the
    /// values that are recoded, not from a type that rows decide which are not released.
    pub(super) fn of(&mut self, column: &Column) {
        let whole = |numbers: &Numbers| numbers.iter().flatten().all(|n| n.fract() == 0.0);
        let whole = column.as_numbers().is_some_and(whole);
        let step = self.coding.step;
        self.grid = step.map(|step| Grid::every(step, whole, false));
    }

    /// The column with each value as the beginning of its cell.
    pub(super) fn recoded(&self, column: &Column) -> Result<Column> {
        match column {
            Column::Number(numbers) => {
                let recoded = numbers
                    .iter()
                    .map(|slot| slot.map(|n| self.beginning(n)).transpose());
                Ok(Column::Number(recoded.collect::<Result<Numbers>>()?))
            }
            Column::Category(categories) => {
                let (bottom, top) = self.places(categories.levels())?;
                let recode = |&code: &u32| match code {
                    MISSING => MISSING,
                    code => code.clamp(bottom, top),
                };
                let codes = categories.codes().iter().map(recode).collect();
                let levels = Arc::clone(categories.levels());
                Ok(Column::Category(Categories::new(codes, levels)))
            }
            Column::Plain(_) => Err(Error::bug("a recoded column was read as plain")),
        }
    }

    /// What the next method has made of the column, as a reader may take it: `domain` is that
    /// of the recoded values.
    pub(super) fn shown(&self, column: &Column, domain: &Domain) -> Result<Column> {
        let mut texts = LevelsBuilder::default();
        let codes = match column {
            Column::Number(numbers) => {
                let mut known: HashMap<u64, u32, FixedState> = HashMap::default();
                let mut code = |n: f64| {
                    *known.entry((n + 0.0).to_bits()).or_insert_with(|| {
                        let text = self.wider(Region::Interval(n, n), domain).text(domain);
                        texts.intern(&text.unwrap_or_default())
                    })
                };
                let codes = numbers.iter();
                codes.map(|n| n.map_or(MISSING, &mut code)).collect()
            }
            Column::Category(categories) => {
                let wider = |text: &str| {
                    let region = Region::parse(Some(text), domain);
                    let region = region.ok_or_else(|| Error::bug("a value is no region"))?;
                    Ok(texts.intern(
                        self.wider(region, domain)
                            .text(domain)
                            .as_deref()
                            .unwrap_or(TOP),
                    ))
                };
                let used = categories.compact();
                let new = used
                    .levels()
                    .iter()
                    .map(wider)
                    .collect::<Result<Vec<u32>>>()?;
                let codes = used.codes().iter();
                codes
                    .map(|&code| new.get(code as usize).copied().unwrap_or(MISSING))
                    .collect()
            }
            Column::Plain(_) => return Err(Error::bug("a recoded column was read as plain")),
        };
        Ok(Column::Category(Categories::new(
            codes,
            Arc::new(texts.finish()),
        )))
    }

    /// All values whose beginnings lie in a region.
    fn wider(&self, region: Region, domain: &Domain) -> Region {
        match (region, &domain.scale) {
            (Region::Interval(low, high), _) => {
                let low = match self.bottom() {
                    Some(bottom) if low <= bottom => f64::NEG_INFINITY,
                    _ => low,
                };
                let high = match self.top() {
                    Some(top) if high >= top => f64::INFINITY,
                    _ => self.grid.map_or(high, |grid| grid.cell(high).1),
                };
                match low.is_infinite() && high.is_infinite() {
                    true => Region::Any,
                    false => Region::Interval(low, high),
                }
            }
            (Region::Set(codes), Scale::Category { levels, .. }) => {
                let (Some(&low), Some(&high), Ok((bottom, top))) =
                    (codes.first(), codes.last(), self.places(levels))
                else {
                    return Region::Set(codes);
                };
                let low = if low <= bottom { 0 } else { low };
                let high = if high >= top {
                    levels.len() as u32 - 1
                } else {
                    high
                };
                Region::Set((low..=high).collect())
            }
            (region, _) => region,
        }
    }

    fn beginning(&self, number: f64) -> Result<f64> {
        match (self.bottom(), self.top()) {
            (Some(bottom), _) if number <= bottom => return Ok(bottom),
            (_, Some(top)) if number >= top => return Ok(top),
            _ => {}
        }
        let Some(grid) = self.grid else {
            return Ok(number);
        };
        match grid.is_exact(number, EXACT) {
            true => Ok(grid.cell(number).0),
            false => Err(Error::input("numbers are too large to be rounded exactly").help(
                "give the column a `top` and a `bottom`, or divide it first: beyond 2^53, in units of the last decimal of its step, or 2^50 steps, numbers are not told apart",
            )),
        }
    }

    fn bottom(&self) -> Option<f64> {
        self.coding.bottom.as_ref()?.number()
    }

    fn top(&self) -> Option<f64> {
        self.coding.top.as_ref()?.number()
    }

    /// The places of bottom and top among ordered categories.
    fn places(&self, levels: &Levels) -> Result<(u32, u32)> {
        let place = |end: &Option<End>, absent: u32| match end {
            Some(End::Category(text)) => levels.find(text).ok_or_else(|| {
                Error::policy(
                    "a `top` or `bottom` is not one of the ordered categories of its column",
                )
                .help("name one of its `order` under [columns]")
            }),
            _ => Ok(absent),
        };
        let last = (levels.len() as u32).saturating_sub(1);
        let (bottom, top) = (
            place(&self.coding.bottom, 0)?,
            place(&self.coding.top, last)?,
        );
        match bottom <= top {
            true => Ok((bottom, top)),
            false => Err(Error::policy("a `bottom` lies above its `top`")
                .help("swap them, or leave one out")),
        }
    }
}
