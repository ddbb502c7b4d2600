//! Who is drawn: of each stratum its share, and of a stratum any units alike.

use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::math::uniform::{below, shuffle};
use rand_core::Rng;

/// Rows between which drawing can be stopped.
const ROWS: usize = 1 << 16;

/// What is drawn: rows, or persons with all of theirs.
pub(super) struct Units<'a> {
    pub(super) rows: usize,
    /// The person of each row; rows are drawn where nobody is told.
    pub(super) persons: Option<&'a [u32]>,
    /// The stratum of each row, numbered from 0 on.
    pub(super) strata: Option<&'a [u32]>,
}

impl Units<'_> {
    /// The units of each stratum.
    ///
    /// # Errors
    /// When rows of a person are in several strata.
    pub(super) fn counts(&self) -> Result<Vec<u64>> {
        let strata = self.strata.and_then(|strata| strata.iter().max());
        let mut counts = vec![0; strata.map_or(1, |&last| last as usize + 1)];
        let mut strata_of = vec![None; self.person_codes()];
        for row in 0..self.rows {
            let stratum = self.stratum(row);
            match self.person(row) {
                None => counts[stratum] += 1,
                Some(person) => match strata_of[person].replace(stratum as u32) {
                    None => counts[stratum] += 1,
                    Some(before) if before as usize == stratum => {}
                    Some(_) => return Err(torn()),
                },
            }
        }
        Ok(counts)
    }

    /// The rows of those who are drawn, in their order: `shares` of the `counts` units of each
    /// stratum. Each unit in turn is drawn as likely as a place is left for it, so all sets of
    /// units are alike.
    pub(super) fn draw(
        &self,
        mut counts: Vec<u64>,
        mut shares: Vec<u64>,
        generator: &mut impl Rng,
        cancel: &Cancel,
    ) -> Result<Vec<u32>> {
        let mut lot = |stratum: usize| {
            let drawn = below(generator, counts[stratum]) < shares[stratum];
            counts[stratum] -= 1;
            shares[stratum] -= u64::from(drawn);
            drawn
        };
        let mut drawn_persons = vec![None; self.person_codes()];
        let mut drawn = Vec::new();
        for row in 0..self.rows {
            if row % ROWS == 0 {
                cancel.check()?;
            }
            let stratum = self.stratum(row);
            let is_drawn = match self.person(row) {
                None => lot(stratum),
                Some(person) => *drawn_persons[person].get_or_insert_with(|| lot(stratum)),
            };
            if is_drawn {
                drawn.push(row as u32);
            }
        }
        Ok(drawn)
    }

    fn stratum(&self, row: usize) -> usize {
        self.strata.map_or(0, |strata| strata[row] as usize)
    }

    /// The person of a row. Rows without a name are one person, as they are where persons are
    /// counted.
    fn person(&self, row: usize) -> Option<usize> {
        let code = self.persons?[row];
        Some(code.checked_add(1).map_or(0, |place| place as usize))
    }

    fn person_codes(&self) -> usize {
        let persons = self.persons.unwrap_or_default();
        let named = persons.iter().filter_map(|code| code.checked_add(1));
        named.max().map_or(1, |last| last as usize + 1)
    }
}

fn torn() -> Error {
    Error::input("persons have rows in several strata, and are drawn with all of their rows")
        .help("name `strata` that are the same in all rows of a person")
}

/// How many units of each stratum are drawn: `size` in all, of each its proportional share
/// rounded down or up by lot, so that each unit is drawn with the chance `size` over all units.
pub(super) fn shares(counts: &[u64], size: u64, generator: &mut impl Rng) -> Vec<u64> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    shuffle(&mut order, generator);
    let start = below(generator, counts.iter().sum());
    rounded(counts, size, &order, start)
}

/// Proportional shares; rounded up are those whose remainders, laid end to end in this order,
/// hold one of the points that lie all units apart from `start` on, which is below that. A
/// remainder holds one as often, over all starts, as it is a part of all units.
pub(super) fn rounded(counts: &[u64], size: u64, order: &[usize], start: u64) -> Vec<u64> {
    let all = u128::from(counts.iter().sum::<u64>().max(1));
    let share = |stratum: usize| u128::from(size) * u128::from(counts[stratum]);
    let points_before = |end: u128| match end.checked_sub(u128::from(start) + 1) {
        Some(beyond) => beyond / all + 1,
        None => 0,
    };
    let mut shares = vec![0; counts.len()];
    let mut end = 0;
    for &stratum in order {
        let before = points_before(end);
        end += share(stratum) % all;
        shares[stratum] = (share(stratum) / all + points_before(end) - before) as u64;
    }
    shares
}
