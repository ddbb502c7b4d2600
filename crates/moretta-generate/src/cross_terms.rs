//! Coins whose class follows pairs of them: no coin tells anything that matters by itself.
//!
//! The class is 1 if coins 0 and 1 are both up, or coins 2 and 3; in every second part of the
//! stream coins 4 and 5 take the place of 2 and 3. Whoever sees single coins does little better
//! than a guess, so the stream shows what sites gain that learn some records together, and how
//! fast they follow when other pairs begin to matter. Each part has a generator of its own, by a
//! seed of its own; further coins decide nothing.
//!
//! The defaults are the 30,000 records of the demonstration in the study of hierarchical
//! distributed stream mining, to the bit: parts of 10,000 records, seeds 5, 0 and 1, no noise.
//! A record costs a draw a coin and one for the noise.
//!
//! ```
//! use moretta_generate::CrossTerms;
//! use moretta_generate::moa::Generator;
//!
//! let mut coins = CrossTerms::default().generator()?;
//! let mut record = [0.0; 6];
//! let class = coins.next(&mut record);
//! let up = |coin: usize| record[coin] == 1.0;
//! assert_eq!(class == 1, up(0) && up(1) || up(2) && up(3));
//! # Ok::<(), moretta_data::Error>(())
//! ```

use crate::moa::{Generator, Header, Values};
use moretta_data::error::{Error, Result};
use moretta_data::math::java_random::JavaRandom;

/// Coins that the class can depend on.
const TELLING: usize = 6;
/// Coins at most.
const MOST: usize = 4096;

/// The options, by default those of the study.
#[derive(Clone, Debug)]
pub struct CrossTerms {
    /// Records of a part, after which the pairs change.
    pub part: usize,
    /// The seed of each part; after the last one they begin again.
    pub seeds: Vec<i64>,
    /// The share of records whose class is the other one.
    pub noise: f64,
    /// Coins of a record, 6 or more.
    pub coins: usize,
}

impl Default for CrossTerms {
    fn default() -> Self {
        CrossTerms {
            part: 10_000,
            seeds: vec![5, 0, 1],
            noise: 0.0,
            coins: TELLING,
        }
    }
}

impl CrossTerms {
    /// The same options with other records: seed 1 gives those of the study.
    pub fn seeded(mut self, seed: u64) -> Self {
        let shift = seed.wrapping_sub(1).wrapping_mul(6).cast_signed();
        let seeds = CrossTerms::default().seeds;
        self.seeds = seeds.iter().map(|own| own.wrapping_add(shift)).collect();
        self
    }

    /// Checks the options.
    pub fn generator(&self) -> Result<CrossTermsGenerator> {
        let refuse = |what: &str, help: &str| Err(Error::usage(what).help(help));
        if self.part == 0 {
            return refuse("a part has no records", "give parts of 1 record or more");
        }
        if !(0.0..=1.0).contains(&self.noise) {
            return refuse("noise is no share", "choose noise from 0 to 1");
        }
        if !(TELLING..=MOST).contains(&self.coins) {
            return refuse("too few or too many coins", "choose coins from 6 to 4096");
        }
        let Some(&first) = self.seeds.first() else {
            return refuse("no part has a seed", "give a seed for each part");
        };
        Ok(CrossTermsGenerator {
            options: self.clone(),
            random: JavaRandom::new(first),
            part: 0,
            given: 0,
        })
    }
}

/// Records of coins, each 0 or 1.
#[derive(Clone, Debug)]
pub struct CrossTermsGenerator {
    options: CrossTerms,
    random: JavaRandom,
    part: usize,
    /// Records of this part that were given.
    given: usize,
}

impl Generator for CrossTermsGenerator {
    fn header(&self) -> Header {
        let coin = |number| (format!("f{number}"), Values::Nominal(2));
        Header {
            attributes: (0..self.options.coins).map(coin).collect(),
            classes: 2,
        }
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        if self.given == self.options.part {
            (self.part, self.given) = (self.part + 1, 0);
            let seeds = &self.options.seeds;
            self.random = JavaRandom::new(seeds[self.part % seeds.len()]);
        }
        self.given += 1;
        for coin in record.iter_mut() {
            *coin = f64::from(u8::from(self.random.next_float() < 0.5));
        }
        let pairs = if self.part.is_multiple_of(2) {
            [0, 2]
        } else {
            [0, 4]
        };
        let both = |&at: &usize| record[at] == 1.0 && record[at + 1] == 1.0;
        let flips = f64::from(self.random.next_float()) < self.options.noise;
        u32::from(pairs.iter().any(both) != flips)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(options: &CrossTerms, count: usize) -> Vec<(Vec<f64>, u32)> {
        let mut generator = options.generator().expect("sound options");
        let mut record = vec![0.0; options.coins];
        let mut next = |_| {
            let class = generator.next(&mut record);
            (record.clone(), class)
        };
        (0..count).map(&mut next).collect()
    }

    #[test]
    fn pairs_change_with_the_parts_and_come_back() {
        let options = CrossTerms {
            part: 500,
            ..CrossTerms::default()
        };
        for (place, (record, class)) in records(&options, 2000).into_iter().enumerate() {
            let second = if place / 500 % 2 == 0 { 2 } else { 4 };
            let both = |at: usize| record[at] * record[at + 1] == 1.0;
            assert_eq!(class == 1, both(0) || both(second), "{place}");
        }
    }

    #[test]
    fn seven_sixteenths_are_of_class_1_and_noise_flips_its_share() {
        let clean = records(&CrossTerms::default(), 30_000);
        let ones = clean.iter().filter(|(_, class)| *class == 1).count();
        assert!((ones as f64 / 30_000.0 - 7.0 / 16.0).abs() < 0.01);
        let noisy = CrossTerms {
            noise: 0.1,
            ..CrossTerms::default()
        };
        let noisy = records(&noisy, 30_000);
        assert!(clean.iter().zip(&noisy).all(|(a, b)| a.0 == b.0));
        let flipped = clean.iter().zip(&noisy).filter(|(a, b)| a.1 != b.1).count();
        assert!((flipped as f64 / 30_000.0 - 0.1).abs() < 0.01);
    }

    #[test]
    fn seed_1_is_the_study_and_others_differ() {
        let study = CrossTerms::default();
        assert_eq!(study.clone().seeded(1).seeds, study.seeds);
        let other = study.clone().seeded(2);
        assert_ne!(records(&study, 100), records(&other, 100));
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let sound = CrossTerms::default;
        for options in [
            CrossTerms { part: 0, ..sound() },
            CrossTerms {
                noise: 1.5,
                ..sound()
            },
            CrossTerms {
                noise: f64::NAN,
                ..sound()
            },
            CrossTerms {
                coins: 5,
                ..sound()
            },
            CrossTerms {
                seeds: Vec::new(),
                ..sound()
            },
        ] {
            let error = options.generator().expect_err("out of range");
            assert!(error.help_text().is_some(), "{error}");
        }
    }
}
