//! Rank swapping: values of a column change places with others of nearly the same rank.
//!
//! Each column is swapped for itself: its values are put in order, and each changes
//! places with one at most p ranks away that is drawn by lot; p is `within`, as ranks
//! (`10`) or in percent of the rows (`"10%"`). On a table the values are paired from
//! the smallest up, or from the largest down. With a `buffer` of b rows it works on a
//! stream: when b rows are held the oldest leaves, and those of its values that were
//! not swapped yet change places with values in the window that were not either, p
//! ranks away among these; so a value comes from less than b rows away.
//!
//! Each value is swapped once at most, so the values of a column are exactly those of
//! the original, in other rows. A value that finds no partner stays: in a stream a
//! head at the end of the order with `direction` ascending or descending, and the
//! last of all. With `inside = "classes"`, behind a method that makes classes, values swap only
//! between rows of one class, so that k and all that is counted in classes (l, t, p) survive; a
//! value may stay there by lot, p in percent counts the rows of the class, and `direction` means
//! nothing. Ordered categories swap by their order, other categories by the order
//! in which they were seen, which means nothing: p should be large for them. Missing
//! values take no part and stay where they are.
//!
//! **Protects against** linking a person to a record by values that are known
//! exactly: those of a record come from several persons.
//! **Does not protect against** much else, and promises nothing formally: a column
//! taken alone is published as it is, an attacker knows each value to within p ranks,
//! and one who knows p and several columns narrows records down by intersection: of
//! 1,080 census records with 13 columns it found 90 % again at p = 15 %, and distances
//! 29 % (`moretta attack`). Inside classes it parts a value from the columns beside it that are
//! not quasi-identifiers; that somebody of the class has it is told as before, and a class of k
//! rows leaves k places for it at most. The swaps can be undone by whoever knows the `seed`.
//!
//! **Costs** n log n for a table; in a stream about log b a value, b records in memory
//! and a delay of less than b rows. A larger p protects more and weakens correlations.
//!
//! **From** Moore, Controlled data-swapping techniques for masking public use
//! microdata sets, US Bureau of the Census 1996; as a filter of streams Martínez
//! Rodríguez, Nin and Nuñez-del-Prado, Towards the adaptation of SDC methods to stream
//! mining, 2017, whose code swaps downwards (`direction = "descending"`) and counts p in ranks.
//!
//! ```
//! use moretta::protect::rank_swapping::Within;
//! assert_eq!(Within::Percent(10.0).ranks(250), 25);
//! assert_eq!(Within::Ranks(10).ranks(250), 10);
//! ```

mod classes;
mod order;
mod sliding;
mod table;
#[cfg(test)]
mod tests;

use super::config::MethodConfig;
use super::filter::{Filter, MaskedColumn, Masking, chosen};
use super::parameters::{COLUMNS, buffer};
use super::table::TableMethod;
use super::window::Window;
use super::{Company, Setting};
use crate::config::{Absent, Accepts, Form, Parameter, Placed, Protects, Section, Value, words};
use crate::error::{Error, Result};
use crate::math::uniform::Uniform;
use classes::InsideClasses;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use sliding::Sliding;
use table::Columns;

/// How far away a partner may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Within {
    /// So many ranks.
    Ranks(usize),
    /// So many ranks in a hundred rows, at least one.
    Percent(f64),
}

impl Within {
    /// The ranks that this means among so many rows.
    pub fn ranks(self, rows: usize) -> usize {
        match self {
            Within::Ranks(ranks) => ranks,
            Within::Percent(percent) => ((percent * rows as f64 / 100.0) as usize).max(1),
        }
    }

    fn read(placed: &Placed, name: &str) -> Result<Self> {
        match &placed.value {
            Value::Text(text) => percent(text)
                .map(Within::Percent)
                .ok_or_else(|| Error::bug("no percentage")),
            _ => placed.whole(name).map(Within::Ranks),
        }
    }
}

/// `10%` as 10, if it is above 0 and at most 100.
fn percent(text: &str) -> Option<f64> {
    let percent = text.strip_suffix('%')?.trim().parse().ok()?;
    (percent > 0.0 && percent <= 100.0).then_some(percent)
}

/// More ranks than any table has.
const MOST_RANKS: i64 = 1 << 32;

/// On which side of a value its partner is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The value that is swapped first gets a larger one.
    Ascending,
    /// The value that is swapped first gets a smaller one.
    Descending,
    /// On either side.
    #[default]
    Both,
}

impl Direction {
    /// What values are ordered by.
    #[inline]
    fn key(self, value: f64) -> f64 {
        match self {
            Direction::Descending => -value,
            Direction::Ascending | Direction::Both => value,
        }
    }
}

/// Between which rows values swap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// Any rows.
    #[default]
    Table,
    /// Rows that are alike in all quasi-identifiers.
    Classes,
}

const INSIDE_WORDS: &[(&str, Inside)] = &[("table", Inside::Table), ("classes", Inside::Classes)];

const DIRECTIONS: &[(&str, Direction)] = &[
    ("ascending", Direction::Ascending),
    ("descending", Direction::Descending),
    ("both", Direction::Both),
];

/// Rank swapping with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct RankSwapping {
    /// How far away a partner may be.
    pub within: Within,
    /// On which side it is.
    pub direction: Direction,
    /// Where it is.
    pub inside: Inside,
    /// Rows that are held at most; none for a whole table.
    pub buffer: Option<usize>,
    /// The columns; none for all quasi-identifiers.
    pub columns: Option<Vec<String>>,
}

const WITHIN: Parameter = Parameter::new(
    "within",
    Accepts::OneOf(&[
        Accepts::Whole(1, MOST_RANKS),
        Accepts::Form(&Form {
            what: "a percentage above 0 and up to 100",
            example: "10%",
            pattern: r"^\s*[0-9.eE+-]+\s*%$",
            fits: |text| percent(text).is_some(),
        }),
    ]),
    Absent::Text("10%"),
    "how many ranks, or percent of the rows, the partner of a value may be away; a larger number hides and loses more",
)
.examples(&["10", "\"10%\""])
.tunable(Protects::More);
const DIRECTION: Parameter = Parameter::new(
    "direction",
    Accepts::Word(|| words(DIRECTIONS)),
    Absent::Text("both"),
    "whether the first of a pair gets a larger or a smaller value, or either; of a table, whether values are paired from the smallest up (both, ascending) or from the largest down",
);
const INSIDE: Parameter = Parameter::new(
    "inside",
    Accepts::Word(|| words(INSIDE_WORDS)),
    Absent::Text("table"),
    "whether values swap with those of any row, or only of rows in the same class, which a method before it has made",
);
const BUFFER: Parameter = buffer(2);

impl RankSwapping {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[WITHIN, DIRECTION, INSIDE, BUFFER, COLUMNS];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let swapping = RankSwapping {
            within: section.read(&WITHIN, Within::read)?,
            direction: section.word(&DIRECTION, DIRECTIONS)?,
            inside: section.word(&INSIDE, INSIDE_WORDS)?,
            buffer: section.optional(&BUFFER, Placed::whole)?,
            columns: section.optional(&COLUMNS, Placed::texts)?,
        };
        if swapping.inside == Inside::Classes && swapping.buffer.is_some() {
            return Err(section
                .error("a stream with a `buffer` has no classes to swap inside")
                .help("take `buffer` or `inside` out"));
        }
        Ok(swapping)
    }

    /// Writes its parameters as [`RankSwapping::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        match self.within {
            Within::Ranks(ranks) => section.set(&WITHIN, ranks),
            Within::Percent(percent) => section.set(&WITHIN, format!("{percent}%")),
        }
        section.set_word(&DIRECTION, DIRECTIONS, self.direction);
        section.set_word(&INSIDE, INSIDE_WORDS, self.inside);
        section.set_optional(&BUFFER, self.buffer);
        section.set_optional(&COLUMNS, self.columns.clone());
    }

    /// Ready to mask records of so many values, with draws that the caller provides.
    pub fn filter_with<U>(&self, width: usize, uniform: U) -> Result<Box<dyn Filter>>
    where
        U: Uniform + 'static,
    {
        let (within, direction) = (self.within, self.direction);
        match self.buffer {
            Some(buffer) if buffer < 2 || buffer > u32::MAX as usize => Err(Error::policy(
                "rank swapping needs a buffer of 2 rows or more",
            )),
            Some(buffer) => {
                let how = (within, direction);
                Ok(Box::new(Sliding::new(how, buffer, width, uniform)))
            }
            None => {
                let mask = Box::new(Columns {
                    within,
                    direction,
                    may_stay: false,
                    uniform,
                });
                Ok(Box::new(Window::new(mask, width, None, 2)))
            }
        }
    }
}

impl MethodConfig for RankSwapping {
    fn is_random(&self) -> bool {
        true
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        match self.inside {
            Inside::Table => None,
            Inside::Classes => Some(Box::new(InsideClasses {
                config: self.clone(),
                seed: setting.seed,
                cancel: setting.cancel.clone(),
            })),
        }
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl Masking for RankSwapping {
    fn buffer(&self) -> Option<usize> {
        self.buffer
    }

    fn columns(&self) -> Option<Vec<&str>> {
        chosen(&self.columns)
    }

    fn strength(&self) -> Option<(&'static str, String)> {
        let value = match self.within {
            Within::Ranks(ranks) => ranks.to_string(),
            Within::Percent(percent) => format!("{percent}%"),
        };
        Some((WITHIN.name, value))
    }

    fn company(&self) -> Company {
        Company::Held
    }

    fn inside_classes(&self) -> bool {
        self.inside == Inside::Classes
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], seed: u64) -> Result<Box<dyn Filter>> {
        self.filter_with(columns.len(), Xoshiro256PlusPlus::seed_from_u64(seed))
    }
}
