//! Interval disclosure: an attacker takes an interval round each guess, and the
//! original is within it or not.
//!
//! A guess is a released number, or one that another attack has made of the release.
//! The interval has a width of p percent, and results are means over p = 1, 2, …, 10:
//!
//! - *rank*: fewer than p percent of all guesses at the attribute lie strictly between
//!   the guess and the original; an equal guess is always within.
//! - *deviation*: original and guess differ by at most p percent of the standard
//!   deviation of the originals. An attacker hardly has it to the digit, but the same
//!   width for every guess makes guesses comparable.
//!
//! Beside each share stands the one that chance gives: how often the interval round the
//! guess at *another* record holds the original. A share near it tells nothing. A whole
//! record is within where all its attributes are; what chance gives there is counted
//! over all pairs of records, of larger tables over some 20,000 drawn ones.
//!
//! Attributes that do not vary, or are missing in the original, are left out; a missing
//! guess holds nothing. *Does not tell* whether the attacker knows whose record it is.
//!
//! *Costs* some searches in a sorted column for each value and width.
//! *From* Pagliuca and Seri 1999; Domingo-Ferrer, Mateo-Sanz and Torra 2001 (ranks,
//! widths from 1 to 10 percent); Mateo-Sanz, Sebé and Domingo-Ferrer 2004 (deviations).

use crate::data::Records;
use crate::error::{Error, Result};
use crate::math::moments::Moments;
use crate::math::uniform::Uniform;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::Serialize;
use std::ops::Range;
use std::time::Instant;

/// The widths of intervals, in percent.
const WIDTHS: std::ops::RangeInclusive<u32> = 1..=10;

/// Pairs of different records over which chance is counted, at least.
const PAIRS: usize = 20_000;

/// How wide an interval is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Interval {
    /// Some percent of the ranks.
    Rank,
    /// Some percent of the standard deviation.
    Deviation,
}

impl Interval {
    /// "rank" or "deviation".
    pub fn word(self) -> &'static str {
        match self {
            Interval::Rank => "rank",
            Interval::Deviation => "deviation",
        }
    }
}

/// How much intervals of one kind disclosed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disclosure {
    /// What the intervals were round: the release, or an attack on it.
    pub guess: String,
    /// Their kind.
    pub interval: Interval,
    /// Means over all widths.
    #[serde(flatten)]
    pub mean: Shares,
    /// By the width in percent: 1, 2, …, 10.
    pub by_width: Vec<Shares>,
    /// Time for all of it.
    pub seconds: f64,
}

/// Shares of what is within its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// Of all values.
    pub values: f64,
    /// The same for intervals round guesses at other records.
    pub values_by_chance: f64,
    /// Of all records, which are within where all their values are.
    pub records: f64,
    /// The same for intervals round guesses at other records.
    pub records_by_chance: f64,
}

/// Both kinds of intervals round guesses at the originals, which are in the same order;
/// `seed` draws the pairs of chance. The same for any number of threads.
///
/// # Errors
/// Fewer than two records.
pub fn disclosures(
    guess: &str,
    originals: &Records,
    guesses: &Records,
    seed: u64,
) -> Result<Vec<Disclosure>> {
    if originals.len() < 2 || originals.len() != guesses.len() {
        return Err(Error::input("fewer than two records to take intervals of")
            .help("attack a table with more rows, whose columns are numbers"));
    }
    let attributes = (0..originals.width())
        .map(|attribute| RankedColumn::new(originals, guesses, attribute))
        .filter(|attribute| attribute.deviation > 0.0)
        .collect::<Vec<_>>();
    let others = Others::draw(originals.len(), seed);
    let disclosure = |interval: Interval| {
        let start = Instant::now();
        let widths: Vec<u32> = WIDTHS.collect();
        let by_width: Vec<Shares> = widths
            .into_par_iter()
            .map(|percent| shares(&attributes, &others, interval, f64::from(percent)))
            .collect();
        Disclosure {
            guess: guess.to_owned(),
            interval,
            mean: Shares::mean(&by_width),
            by_width,
            seconds: start.elapsed().as_secs_f64(),
        }
    };
    Ok([Interval::Rank, Interval::Deviation].map(disclosure).into())
}

impl Shares {
    fn mean(all: &[Shares]) -> Self {
        let mean = |share: fn(&Shares) -> f64| {
            let sum: f64 = all.iter().map(share).sum();
            sum / all.len().max(1) as f64
        };
        Shares {
            values: mean(|shares| shares.values),
            values_by_chance: mean(|shares| shares.values_by_chance),
            records: mean(|shares| shares.records),
            records_by_chance: mean(|shares| shares.records_by_chance),
        }
    }
}

/// One column of all records.
struct RankedColumn {
    originals: Vec<f64>,
    guesses: Vec<f64>,
    /// The guesses that are not missing.
    sorted: Vec<f64>,
    deviation: f64,
}

impl RankedColumn {
    fn new(originals: &Records, guesses: &Records, attribute: usize) -> Self {
        let originals: Vec<f64> = originals.column(attribute).collect();
        let guesses: Vec<f64> = guesses.column(attribute).collect();
        let present = guesses.iter().copied().filter(|guess| !guess.is_nan());
        let mut sorted: Vec<f64> = present.collect();
        sorted.sort_by(f64::total_cmp);
        let moments: Moments = originals.iter().copied().collect();
        RankedColumn {
            originals,
            guesses,
            sorted,
            deviation: moments.deviation(),
        }
    }

    /// The places among the sorted guesses of those whose interval holds `x`: they are
    /// neighbours.
    fn holders(&self, x: f64, interval: Interval, percent: f64) -> Range<usize> {
        let sorted = &self.sorted[..];
        if let Interval::Deviation = interval {
            let reach = percent / 100.0 * self.deviation;
            let first = sorted.partition_point(|guess| x - guess > reach);
            let end = sorted.partition_point(|guess| guess - x <= reach);
            return first..end.max(first);
        }
        let ranks = (percent * sorted.len() as f64 / 100.0).max(1.0).ceil() as usize;
        let below = sorted.partition_point(|guess| *guess < x);
        let upto = sorted.partition_point(|guess| *guess <= x);
        // Equal guesses have the same interval, so none of them is left out.
        let first = match below.checked_sub(ranks) {
            Some(place) => sorted.partition_point(|guess| *guess < sorted[place]),
            None => 0,
        };
        let last = (upto + ranks).min(sorted.len());
        let end = match last > upto {
            true => sorted.partition_point(|guess| *guess <= sorted[last - 1]),
            false => upto,
        };
        first..end
    }

    /// Whether the guess at a record is among these.
    fn holds(&self, record: usize, holders: &Range<usize>) -> bool {
        match &self.sorted[holders.clone()] {
            [] => false,
            [first, .., last] => (*first..=*last).contains(&self.guesses[record]),
            [only] => *only == self.guesses[record],
        }
    }
}

/// For each record some others.
struct Others {
    records: Vec<u32>,
    /// Others for each.
    each: usize,
}

impl Others {
    /// All others, or some of them where there are too many.
    fn draw(records: usize, seed: u64) -> Self {
        let each = PAIRS.div_ceil(records).min(records - 1);
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut step = |place: usize| match each == records - 1 {
            true => place % each,
            false => (generator.draw() * (records - 1) as f64) as usize,
        };
        let other = |place: usize| ((place / each + 1 + step(place)) % records) as u32;
        Others {
            records: (0..records * each).map(other).collect(),
            each,
        }
    }

    fn of(&self, record: usize) -> &[u32] {
        &self.records[record * self.each..][..self.each]
    }
}

fn shares(
    attributes: &[RankedColumn],
    others: &Others,
    interval: Interval,
    percent: f64,
) -> Shares {
    let records = others.records.len() / others.each;
    let (mut values, mut within, mut by_chance) = (0_u64, 0_u64, 0.0);
    let (mut known, mut whole) = (vec![false; records], vec![true; records]);
    let mut whole_others = vec![true; others.records.len()];
    for attribute in attributes {
        for (record, &x) in attribute.originals.iter().enumerate() {
            if x.is_nan() {
                continue;
            }
            let holders = attribute.holders(x, interval, percent);
            let held = attribute.holds(record, &holders);
            values += 1;
            within += u64::from(held);
            by_chance += (holders.len() - usize::from(held)) as f64 / (records - 1) as f64;
            known[record] = true;
            whole[record] &= held;
            let of = &mut whole_others[record * others.each..][..others.each];
            for (whole, &other) in of.iter_mut().zip(others.of(record)) {
                *whole = *whole && attribute.holds(other as usize, &holders);
            }
        }
    }
    let known_records = known.iter().filter(|&&known| known).count();
    let whole = (0..records).filter(|&record| known[record] && whole[record]);
    let pairs = whole_others.iter().enumerate();
    let chances = pairs.filter(|(place, whole)| **whole && known[place / others.each]);
    let share = |part: f64, all: f64| part / all.max(1.0);
    Shares {
        values: share(within as f64, values as f64),
        values_by_chance: share(by_chance, values as f64),
        records: share(whole.count() as f64, known_records as f64),
        records_by_chance: share(chances.count() as f64, (known_records * others.each) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn records(width: usize, values: &[f64]) -> Records {
        let mut records = Records::new(width);
        values
            .chunks_exact(width)
            .for_each(|record| records.push(record));
        records
    }

    /// As the definition says, by looking at all guesses.
    fn within(
        originals: &Records,
        guesses: &Records,
        pair: [usize; 2],
        place: usize,
        of: (Interval, u32),
    ) -> bool {
        let (x, y) = (
            originals.record(pair[0])[place],
            guesses.record(pair[1])[place],
        );
        let percent = f64::from(of.1) / 100.0;
        if y.is_nan() {
            return false;
        }
        match of.0 {
            Interval::Deviation => {
                let moments: Moments = originals.column(place).collect();
                (x - y).abs() <= percent * moments.deviation()
            }
            Interval::Rank => {
                let present = guesses.column(place).filter(|guess| !guess.is_nan());
                let between = |guess: &f64| x.min(y) < *guess && *guess < x.max(y);
                let (inside, all) = present.fold((0, 0), |(inside, all), guess| {
                    (inside + u32::from(between(&guess)), all + 1)
                });
                f64::from(inside) < (f64::from(of.1) * f64::from(all) / 100.0).max(1.0)
            }
        }
    }

    /// Shares over pairs of an original and a guess.
    fn by_loops(
        originals: &Records,
        guesses: &Records,
        of: (Interval, u32),
        pairs: impl Fn(usize, usize) -> bool,
    ) -> [f64; 2] {
        let (mut values, mut inside, mut whole, mut all) = (0, 0, 0, 0);
        for i in 0..originals.len() {
            for j in (0..guesses.len()).filter(|&j| pairs(i, j)) {
                let known = (0..originals.width()).filter(|&place| {
                    let moments: Moments = originals.column(place).collect();
                    !originals.record(i)[place].is_nan() && moments.deviation() > 0.0
                });
                let held: Vec<bool> = known
                    .map(|place| within(originals, guesses, [i, j], place, of))
                    .collect();
                values += held.len();
                inside += held.iter().filter(|&&held| held).count();
                all += usize::from(!held.is_empty());
                whole += usize::from(!held.is_empty() && held.iter().all(|&held| held));
            }
        }
        let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
        [share(inside, values), share(whole, all)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn shares_are_those_of_double_loops(
            values in prop::collection::vec(prop_oneof![9 => (-8..8_i32).prop_map(f64::from), 1 => Just(f64::NAN)], 8..100),
        ) {
            let half = values.len() / 4 * 2;
            let (originals, guesses) = (records(2, &values[..half]), records(2, &values[half..2 * half]));
            let found = disclosures("release", &originals, &guesses, 1).expect("two records");
            prop_assert_eq!(found.len(), 2);
            for disclosure in found {
                for (shares, percent) in disclosure.by_width.iter().zip(1..) {
                    let of = (disclosure.interval, percent);
                    let own = by_loops(&originals, &guesses, of, |i, j| i == j);
                    let other = by_loops(&originals, &guesses, of, |i, j| i != j);
                    prop_assert_eq!([shares.values, shares.records], own);
                    prop_assert!((shares.values_by_chance - other[0]).abs() < 1e-12);
                    prop_assert!((shares.records_by_chance - other[1]).abs() < 1e-12);
                }
            }
        }
    }

    /// Uniform originals, and guesses with noise of this size.
    fn noisy(rows: usize, noise: f64) -> (Records, Records) {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(9);
        let (mut originals, mut guesses) = (Records::new(1), Records::new(1));
        for _ in 0..rows {
            let x = generator.draw();
            originals.push(&[x]);
            guesses.push(&[x + noise * (2.0 * generator.draw() - 1.0)]);
        }
        (originals, guesses)
    }

    #[test]
    fn what_is_released_as_it_was_is_within_and_chance_has_its_share() {
        let (originals, _) = noisy(3000, 0.0);
        let found = disclosures("release", &originals, &originals, 1).expect("records");
        for disclosure in &found {
            assert_eq!(
                (disclosure.mean.values, disclosure.mean.records),
                (1.0, 1.0)
            );
        }
        // Of ranks within p percent on either side, 2p − p² of all pairs.
        for (percent, shares) in (1..).zip(&found[0].by_width) {
            let p = f64::from(percent) / 100.0;
            let expected = 2.0 * p - p * p;
            assert!(
                (shares.values_by_chance - expected).abs() < 2e-3,
                "{percent}"
            );
            assert!(
                (shares.records_by_chance - expected).abs() < 2e-2,
                "{percent}"
            );
        }
    }

    #[test]
    fn noise_of_known_size_is_within_as_often_as_it_is_small() {
        let noise = 0.5;
        let (originals, guesses) = noisy(6000, noise);
        let found = disclosures("release", &originals, &guesses, 1).expect("records");
        let deviation = (1.0_f64 / 12.0).sqrt();
        for (percent, shares) in (1..).zip(&found[1].by_width) {
            // |uniform noise| is below the reach with this probability.
            let expected = f64::from(percent) / 100.0 * deviation / noise;
            assert!(
                (shares.values - expected).abs() < 0.015,
                "{percent}: {shares:?}"
            );
        }
    }

    #[test]
    fn columns_that_do_not_vary_or_are_missing_are_no_trouble() {
        let nothing = records(2, &[f64::NAN; 8]);
        let constant = records(2, &[1.0; 8]);
        for (originals, guesses) in [
            (&nothing, &constant),
            (&constant, &nothing),
            (&nothing, &nothing),
            (&constant, &constant),
        ] {
            for disclosure in disclosures("release", originals, guesses, 1).expect("records") {
                assert_eq!(disclosure.mean, Shares::default());
            }
        }
        assert!(disclosures("release", &records(1, &[1.0]), &records(1, &[1.0]), 1).is_err());
    }
}
