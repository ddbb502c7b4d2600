//! Imbalanced: the records of a stream, with classes in other shares than its own.
//!
//! The class of each record is drawn by the given shares; the record is the next one of
//! that class. After MOA's `ImbalancedStream`, which keeps all records that wait for
//! their turn. Here each class has a copy of the stream and passes over the records of
//! the others: the same records in the memory of the copies.

use super::{Generator, Header, within};
use moretta_data::error::{Error, Result};
use moretta_data::math::java_random::JavaRandom;

/// How many records of other classes are passed over before a class counts as gone.
const PATIENCE: u32 = 1_000_000;

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct Imbalanced {
    /// The share of each class from the first on; classes beyond the list have none.
    pub shares: Vec<f64>,
    /// Decides the classes.
    pub seed: i64,
}

impl Default for Imbalanced {
    fn default() -> Self {
        Imbalanced {
            shares: vec![0.9, 0.1],
            seed: 1,
        }
    }
}

impl Imbalanced {
    /// A stream of the records that each stream made by `stream` gives.
    pub fn generator(
        &self,
        stream: impl Fn() -> Result<Box<dyn Generator>>,
    ) -> Result<ImbalancedGenerator> {
        let classes = stream()?.header().classes as usize;
        within("shares", self.shares.len(), 1..=classes)?;
        for &share in &self.shares {
            within("share", share, 0.0..=1.0)?;
        }
        if (self.shares.iter().sum::<f64>() - 1.0).abs() > 1e-9 {
            return Err(Error::usage("the shares of the classes do not add up to 1"));
        }
        for (class, _) in self
            .shares
            .iter()
            .enumerate()
            .filter(|(_, share)| **share > 0.0)
        {
            if !comes(class as u32, stream()?) {
                return Err(Error::usage(format!("the stream gives no class {class}"))
                    .help("give that class no share"));
            }
        }
        let copies = self.shares.iter().map(|_| stream());
        Ok(ImbalancedGenerator {
            copies: copies.collect::<Result<_>>()?,
            shares: self.shares.clone(),
            random: JavaRandom::new(self.seed),
        })
    }
}

/// Whether a record of this class is among the next ones.
fn comes(class: u32, mut stream: Box<dyn Generator>) -> bool {
    let mut record = vec![0.0; stream.header().attributes.len()];
    (0..PATIENCE).any(|_| stream.next(&mut record) == class)
}

/// Records of one stream in other shares.
#[derive(Debug)]
pub struct ImbalancedGenerator {
    /// The stream, once for each class.
    copies: Vec<Box<dyn Generator>>,
    shares: Vec<f64>,
    random: JavaRandom,
}

impl ImbalancedGenerator {
    /// The next class. Shares are taken off one by one, as MOA does, so that rounding agrees.
    fn class(&mut self) -> usize {
        let mut left = self.random.next_double();
        for (class, share) in self.shares.iter().enumerate() {
            left -= share;
            if left <= 0.0 {
                return class;
            }
        }
        self.shares.len() - 1
    }
}

impl Generator for ImbalancedGenerator {
    fn header(&self) -> Header {
        self.copies[0].header()
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        let class = self.class();
        let stream = &mut self.copies[class];
        let mut given = stream.next(record);
        // A class that a drift has taken away must not keep the stream waiting for ever.
        for _ in 0..PATIENCE {
            if given as usize == class {
                break;
            }
            given = stream.next(record);
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Sea, Stagger};
    use super::*;

    #[test]
    fn a_record_is_the_next_one_of_its_class() {
        let sea = || -> Result<Box<dyn Generator>> { Ok(Box::new(Sea::default().generator()?)) };
        let mut stream = Imbalanced::default().generator(sea).expect("sound options");
        let mut plain = sea().expect("sound options");
        let mut record = [0.0; 3];
        let mut waiting: [Vec<[f64; 3]>; 2] = Default::default();
        let mut counts = [0; 2];
        for _ in 0..2000 {
            let class = stream.next(&mut record) as usize;
            while waiting[class].is_empty() {
                let mut other = [0.0; 3];
                let of = plain.next(&mut other) as usize;
                waiting[of].push(other);
            }
            assert_eq!(waiting[class].remove(0), record);
            counts[class] += 1;
        }
        assert!((1740..1860).contains(&counts[0]), "{counts:?}");
    }

    #[test]
    fn shares_that_cannot_be_kept_are_refused() {
        let stagger =
            || -> Result<Box<dyn Generator>> { Ok(Box::new(Stagger::default().generator()?)) };
        for shares in [
            vec![],
            vec![0.5, 0.4],
            vec![0.5, 0.25, 0.25],
            vec![1.5, -0.5],
        ] {
            let options = Imbalanced { shares, seed: 1 };
            let error = options.generator(stagger).expect_err("unsound shares");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
