//! Finds the class of a release that covers a known person.
//!
//! For each distinct value of a column the classes that cover it are one row of bits, and a
//! person's classes are those in which all columns agree. Several may cover a person, as where
//! equal values were divided; of very many the first ones are taken.
//!
//! Cost: a word for every 64 classes, for each person and column.

use super::column::ReleasedColumn;
use super::intersection::Fitting;
use crate::data::region::Value;
use crate::data::{Batch, Column, Domain, Domains, MISSING, Region, Scale};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;

/// Classes of one person that are told.
const MOST: usize = 16;

/// People who are looked for at a time.
const CHUNK: usize = 4096;

/// The classes that cover each of `people`.
pub(super) fn find(
    people: &Batch,
    quasi: &[ReleasedColumn],
    classes: usize,
    domains: &Domains,
) -> Fitting {
    let columns: Vec<Covering> = quasi
        .iter()
        .map(|released| {
            let column = people.column_named(&released.name);
            let domain = domains.get(&released.name);
            match (column, domain) {
                (Some(column), Some(domain)) => Covering::new(released, column, domain, classes),
                _ => Covering::none(people.len(), classes),
            }
        })
        .collect();
    let words = classes.div_ceil(64);
    let of_chunk = |start: usize| {
        let mut found = Fitting::default();
        for person in start..people.len().min(start + CHUNK) {
            let covering = (0..words).flat_map(|word| {
                let all = columns.iter().map(|column| column.row(person)[word]);
                let bits = all.fold(u64::MAX, |bits, more| bits & more);
                places(bits).map(move |place| 64 * word as u32 + place)
            });
            let covering = covering.filter(|&class| (class as usize) < classes);
            found.push(covering.take(MOST));
        }
        found
    };
    let starts: Vec<usize> = (0..people.len()).step_by(CHUNK).collect();
    let chunks: Vec<Fitting> = starts.into_par_iter().map(of_chunk).collect();
    let mut found = Fitting::default();
    chunks.iter().for_each(|chunk| found.append(chunk));
    found
}

/// The places of the bits that are set.
fn places(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(place)
    })
}

/// The classes that cover each value of a column.
struct Covering {
    words: usize,
    /// A row of bits for each distinct value.
    bits: Vec<u64>,
    /// The distinct value of each person.
    value_of: Vec<u32>,
}

impl Covering {
    fn new(released: &ReleasedColumn, column: &Column, domain: &Domain, classes: usize) -> Self {
        let mut covering = Covering::none(0, classes);
        let mut known: HashMap<Option<u64>, u32, FixedState> = HashMap::default();
        for row in 0..column.len() {
            let key = match column {
                Column::Category(c) => c.get(row).map(|_| u64::from(c.codes()[row])),
                Column::Number(n) => n.get(row).map(f64::to_bits),
                Column::Plain(_) => None,
            };
            let next = known.len() as u32;
            let value = *known.entry(key).or_insert(next);
            if value == next {
                covering.add(released, column, row, domain);
            }
            covering.value_of.push(value);
        }
        covering
    }

    /// No class covers anybody.
    fn none(people: usize, classes: usize) -> Self {
        let words = classes.div_ceil(64);
        Covering {
            words,
            bits: vec![0; if people > 0 { words } else { 0 }],
            value_of: vec![0; people],
        }
    }

    fn add(&mut self, released: &ReleasedColumn, column: &Column, row: usize, domain: &Domain) {
        let covers = |region: &Option<Region>| {
            let covers = |value| region.as_ref().is_some_and(|r| r.covers(value, domain));
            match column {
                Column::Number(n) => covers(n.get(row).map_or(Value::Missing, Value::Number)),
                Column::Category(c) => match (c.get(row), &domain.scale) {
                    (None, _) => covers(Value::Missing),
                    (Some(text), Scale::Category { levels, .. }) => {
                        let code = levels.find(text).unwrap_or(MISSING);
                        covers(Value::Category(code, text))
                    }
                    _ => false,
                },
                Column::Plain(_) => false,
            }
        };
        let covered: Vec<bool> = released.regions.iter().map(covers).collect();
        let is_missing = match column {
            Column::Number(n) => n.get(row).is_none(),
            Column::Category(c) => c.get(row).is_none(),
            Column::Plain(_) => false,
        };
        let start = self.bits.len();
        self.bits.resize(start + self.words, 0);
        for (class, &text) in released.text_of_class.iter().enumerate() {
            if covered.get(text as usize).copied().unwrap_or(is_missing) {
                self.bits[start + class / 64] |= 1 << (class % 64);
            }
        }
    }

    fn row(&self, person: usize) -> &[u64] {
        &self.bits[self.value_of[person] as usize * self.words..][..self.words]
    }
}
