//! The matrix of a random projection, fitted to what the attacker knows: how it is
//! drawn, some records with what they became, and how other records of the population
//! are distributed, class by class.
//!
//! Where the matrix is W, released records of a class are those of the population times
//! W, with noise. The attacker has a sample of the population, and looks for the most
//! probable W: entries are independent normals; known records became what they became;
//! and the released records of each class have the density that the sample and W give
//! them. That is first looked for with normal densities, so that means and covariances
//! of the sample are matched with those of the release, class by class, from many
//! starts; both sides are smoothed at first, which leaves few maxima. The best are then
//! refined with a density of kernels round the records of the sample. Features that
//! are 0 or 1 hold categories: kernels never lie between two of them, which tells more
//! than anything else. In the end each record is what is expected of it, given W, its
//! release, its class and the noise. It works for fewer released numbers than features
//! and with noise of either kind.
//!
//! - *fitted matrix*: with records that are known together with what they became.
//! - *fitted matrix, over neighbours*, where rows leave in their order and noise is
//!   independent: neighbours take it off first.
//! - *fitted matrix, known by sample*: no released record is known.
//! - *fitted matrix, linked first*: records are known, but not what they became. The
//!   matrix fitted without them tells what they should have become; the nearest
//!   released records are taken for it, and the matrix is fitted again.
//! - *mean of the class* does not look at the released numbers: what attacks must beat.
//!
//! Cumulative noise is taken for independent noise of its average size in the search; of
//! what is reconstructed the part is taken off that the known records tell.
//! *Does not tell* much of records of a class that is rare in the sample, and assumes
//! that sample and release are of one population.
//!
//! *Costs* some seconds for ten features; the search looks at 250 records of each
//! class of either side, some hundred times.
//! *From* Liu, Giannella and Kargupta 2006 (known samples), Silverman 1986 (kernels that
//! keep the covariance). The attack is ours.

mod attacker;
mod fit;
mod kernels;
mod noise;
mod normal;
mod population;
mod prior;
mod spread;

use super::reconstruction::Stream;
use super::rows::Rows;
use super::success::{Guess, Success, Yardstick};
use crate::data::Records;
use crate::error::Result;
use attacker::Attacker;
use fit::Search;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;

/// More features than this would take an hour.
const MOST: usize = 100;

const FITTED: &str = "fitted matrix";
const OVER_NEIGHBOURS: &str = "fitted matrix, over neighbours";
const BY_SAMPLE: &str = "fitted matrix, known by sample";
const LINKED_FIRST: &str = "fitted matrix, linked first";
const MEAN: &str = "mean of the class";

/// What was released, and how.
#[derive(Clone, Copy, Debug)]
pub struct Release<'a> {
    /// Originals and what became of them.
    pub stream: &'a Stream<'a>,
    /// The class of each record, where it is released.
    pub classes: Option<&'a [u32]>,
    /// Rows leave in the order of the source.
    pub in_order: bool,
}

/// Originals that the attacker does not have, and what attacks take for them.
#[derive(Clone, Debug)]
pub struct FittedMatrix {
    /// The originals.
    pub originals: Records,
    /// Records of the sample.
    pub sample: usize,
    /// Each attack; the last one does not look at the released numbers.
    pub guesses: Vec<Guess>,
}

impl FittedMatrix {
    /// How each did.
    pub fn successes(&self, yardstick: Yardstick) -> Vec<Success> {
        let guesses = self.guesses.iter();
        guesses
            .map(|guess| Success::of_guess(&self.originals, guess, yardstick))
            .collect()
    }
}

/// Whether there are so few features that it can be tried.
pub fn applies(features: usize) -> bool {
    (1..=MOST).contains(&features)
}

/// Attacks all records with so many known ones and a sample of others; without a
/// number, of a thousand or half of them. `seed` draws both.
///
/// # Errors
/// Fewer records of the sample, or of the others, than features; nothing that varies.
pub fn attack(
    release: &Release<'_>,
    known: usize,
    sample: Option<usize>,
    seed: u64,
) -> Result<FittedMatrix> {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let rows = Rows::draw(release.stream, sample, known, &mut generator)?;
    let attacker = Attacker::new(release, &rows);
    let mut guesses = Vec::new();
    let mut tried = |attack: &str, knows: &str, start: Instant, records: Records| {
        guesses.push(Guess {
            attack: attack.to_owned(),
            knows: attacker.knows(knows),
            records,
            seconds: start.elapsed().as_secs_f64(),
        });
    };

    let start = Instant::now();
    let nothing = attacker.known(&[]);
    let search = Search {
        given: None,
        drawn: 60,
        refined: 3,
    };
    let blind = attacker.fit(&nothing, search, &mut generator)?;
    let records = attacker.guess(&blind, &nothing)?;
    tried(BY_SAMPLE, "no released record", start, records);

    let start = Instant::now();
    let linked = attacker.known(&rows.known);
    let search = Search {
        given: Some(&blind),
        drawn: 12,
        refined: 2,
    };
    let matrix = attacker.fit(&linked, search, &mut generator)?;
    let records = attacker.guess(&matrix, &linked)?;
    let knows = format!("{known} records and the rows they became");
    tried(FITTED, &knows, start, records);

    let start = Instant::now();
    if let Some(records) = attacker.guess_over_neighbours(&matrix) {
        let knows = format!("{knows}, the order of the rows");
        tried(OVER_NEIGHBOURS, &knows, start, records);
    }

    let start = Instant::now();
    let found = attacker.link(&rows.known, &blind);
    let search = Search {
        given: Some(&blind),
        drawn: 0,
        refined: 1,
    };
    let matrix = attacker.fit(&found, search, &mut generator)?;
    let records = attacker.guess(&matrix, &found)?;
    let knows = format!("{known} records, not the rows they became");
    tried(LINKED_FIRST, &knows, start, records);

    tried(MEAN, "no released record", Instant::now(), attacker.means());
    Ok(FittedMatrix {
        originals: attacker.originals(),
        sample: rows.sample.len(),
        guesses,
    })
}

#[cfg(test)]
mod tests;
