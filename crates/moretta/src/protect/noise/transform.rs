//! Noise on another scale: numbers are taken there, get their noise, and are brought back.
//!
//! *rank-normal* takes the i-th smallest of n numbers to a place of the i-th of n equal shares of a
//! normal distribution, drawn by lot, and equal numbers to places of all their shares: together
//! they look normal whatever the column looked like. On the way back places between the middles
//! of two shares become numbers between theirs, and what is beyond the first or the last middle
//! is reflected there, so no number leaves the range of the column, and none is pressed onto its
//! ends, which are somebody's value.
//!
//! *log* takes logarithms, so numbers must be above 0 and stay there.

use crate::data::Records;
use crate::error::{Error, Result};
use rand_distr::{Distribution, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The scale on which noise is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transform {
    /// That of the numbers.
    #[default]
    None,
    /// That of ranks, as a normal distribution has them.
    RankNormal,
    /// That of logarithms.
    Log,
}

/// The way to the scale of one column and back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scale {
    Plain,
    Log,
    Ranks(Ranks),
}

impl Scale {
    /// The logarithm of a number; others of a scale of ranks were taken there all together.
    pub(super) fn forward(&self, value: f64) -> Result<f64> {
        match self {
            Scale::Log if value <= 0.0 => Err(Error::input(
                "a number is not above 0, and transform = \"log\" takes logarithms",
            )
            .help("use transform = \"rank-normal\", or leave the column out of `columns`")),
            Scale::Log => Ok(value.ln()),
            _ => Ok(value),
        }
    }

    /// A number with noise brought back.
    pub(super) fn back(&self, value: f64) -> f64 {
        match self {
            Scale::Plain => value,
            Scale::Log => value.exp(),
            Scale::Ranks(_) if value.is_nan() => value,
            Scale::Ranks(ranks) => ranks.back(value),
        }
    }
}

/// The numbers of a column by their places in a normal distribution.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ranks {
    /// The distinct numbers, ascending, each with the share of numbers up to the middle of the
    /// first and of the last of its equals.
    numbers: Vec<(f64, f64, f64)>,
}

impl Ranks {
    /// Takes a column of records to its scale; missing numbers stay missing.
    pub(super) fn take(
        records: &mut Records,
        column: usize,
        generator: &mut Xoshiro256PlusPlus,
    ) -> Self {
        let present = records.iter().map(|record| record[column]);
        let mut sorted: Vec<f64> = present.filter(|value| !value.is_nan()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let mut numbers: Vec<(f64, f64, f64)> = Vec::new();
        for (place, value) in sorted.into_iter().enumerate() {
            let share = (place as f64 + 0.5) / n;
            match numbers.last_mut() {
                Some((number, _, last)) if *number == value => *last = share,
                _ => numbers.push((value, share, share)),
            }
        }
        let ranks = Ranks { numbers };
        for row in 0..records.len() {
            let value = records.record(row)[column];
            if !value.is_nan() {
                let drawn: f64 = StandardUniform.sample(generator);
                records.record_mut(row)[column] = normal_quantile(ranks.share(value, drawn, n));
            }
        }
        ranks
    }

    /// The share of numbers below one of them; of equals one by lot.
    fn share(&self, value: f64, drawn: f64, n: f64) -> f64 {
        let place = self
            .numbers
            .partition_point(|(number, _, _)| *number < value);
        match self.numbers.get(place) {
            // Each of the equals stands for 1/n around its place.
            Some((_, first, last)) => first - 0.5 / n + drawn * (last - first + 1.0 / n),
            None => 0.5,
        }
    }

    fn back(&self, place: f64) -> f64 {
        let (Some(&(least, low, _)), Some(&(largest, _, high))) =
            (self.numbers.first(), self.numbers.last())
        else {
            return f64::NAN;
        };
        if low == high {
            return least;
        }
        let mut share = normal_share(place);
        // Reflected at the ends, as often as it takes.
        let span = high - low;
        share = (share - low).rem_euclid(2.0 * span);
        share = low
            + if share > span {
                2.0 * span - share
            } else {
                share
            };
        let next = self.numbers.partition_point(|(_, _, last)| *last < share);
        let Some(&(number, first, _)) = self.numbers.get(next) else {
            return largest;
        };
        if share >= first || next == 0 {
            return number;
        }
        let (below, _, last) = self.numbers[next - 1];
        let part = (share - last) / (first - last);
        (below + (number - below) * part).clamp(below, number)
    }
}

/// The share of a normal distribution below a place.
pub(super) fn normal_share(place: f64) -> f64 {
    0.5 * libm::erfc(-place * std::f64::consts::FRAC_1_SQRT_2)
}

/// The place below which a share of a normal distribution lies: a first guess (Abramowitz and
/// Stegun 26.2.23), then steps of Newton, which double its digits each time.
pub(super) fn normal_quantile(share: f64) -> f64 {
    let tail = share.min(1.0 - share).max(1e-300);
    let t = (-2.0 * tail.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut place = -(t - above / below);
    for _ in 0..4 {
        let density = (-0.5 * place * place).exp() / (2.0 * std::f64::consts::PI).sqrt();
        if density > 0.0 {
            place -= (normal_share(place) - tail) / density;
        }
    }
    if share > 0.5 { -place } else { place }
}

/// The records as places in a normal distribution, column by column, by their own ranks; equal
/// numbers have the place of their middle one.
pub fn normal_scores(records: &Records) -> Records {
    let mut scores = records.clone();
    for column in 0..records.width() {
        let mut sorted: Vec<f64> = records.column(column).filter(|x| !x.is_nan()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let n = sorted.len() as f64;
        for row in 0..records.len() {
            let value = records.record(row)[column];
            if !value.is_nan() {
                let below = sorted.partition_point(|other| *other < value);
                let up_to = sorted.partition_point(|other| *other <= value);
                let share = (below + up_to) as f64 / (2.0 * n);
                scores.record_mut(row)[column] = normal_quantile(share);
            }
        }
    }
    scores
}

/// The logarithms of all numbers; of those that have none, missing.
pub fn logarithms(records: &Records) -> Records {
    let mut logarithms = records.clone();
    for row in 0..records.len() {
        let record = logarithms.record_mut(row);
        record.iter_mut().for_each(|value| *value = value.ln());
    }
    logarithms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (share, place) in [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
            (0.9, 1.281_551_565_544_600_5),
            (1e-6, -4.753_424_308_822_899),
            (0.999_999, 4.753_424_308_822_899),
        ] {
            assert!((normal_quantile(share) - place).abs() < 1e-9, "{share}");
        }
        for hundredth in 1..100 {
            let share = f64::from(hundredth) / 100.0;
            assert!((normal_share(normal_quantile(share)) - share).abs() < 1e-14);
        }
        assert!(normal_quantile(0.0).is_finite() && normal_quantile(1.0).is_finite());
    }

    #[test]
    fn scores_follow_ranks_whatever_the_numbers_are() {
        let records = |numbers: [f64; 4]| {
            let mut records = Records::new(1);
            numbers.iter().for_each(|&number| records.push(&[number]));
            normal_scores(&records)
        };
        assert_eq!(
            records([1.0, 2.0, 3.0, 4.0]),
            records([-9.0, 0.5, 7.0, 1e9])
        );
        let tied = records([5.0, 5.0, 5.0, 9.0]);
        assert_eq!(tied.record(0), tied.record(2));
        assert!(tied.record(0)[0] < 0.0 && tied.record(3)[0] > 0.0);
    }
}
