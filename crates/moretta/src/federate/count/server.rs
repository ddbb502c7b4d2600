//! The server's side of a sum: what it hands on, and what it adds up.
//!
//! It takes what has come when a round is closed; a site that is missing is lost from there on.
//! Each step consumes the one before.

use super::shamir::{Share, Weights};
use super::{Keys, LARGEST_COUNT, MaskedCounts, Reveal, Revealed, Round, SealedShare, Sign};
use crate::error::{Error, Result};
use crate::federate::mask::{agree, public_of};
use x25519_dalek::StaticSecret;

/// The server after the round of keys.
#[derive(Debug)]
pub struct KeysIn {
    round: Round,
    keys: Vec<Keys>,
}

impl KeysIn {
    /// With the keys that have come.
    ///
    /// # Errors
    /// When they are too few, not signed, or a site has sent two.
    pub fn new(round: &Round, mut keys: Vec<Keys>) -> Result<Self> {
        keys.sort_unstable_by_key(|keys| keys.id);
        round.check_keys(&keys)?;
        Ok(KeysIn {
            round: round.clone(),
            keys,
        })
    }

    /// For all sites that sent keys.
    pub fn keys(&self) -> &[Keys] {
        &self.keys
    }

    /// With the shares that have come. A site that has not sealed shares for all others is lost.
    ///
    /// # Errors
    /// When too few sites have shared.
    pub fn share(self, mut sealed: Vec<SealedShare>) -> Result<SharesIn> {
        sealed.sort_unstable_by_key(|sealed| (sealed.from, sealed.to));
        let complete = |keys: &&Keys| {
            let from = sealed.iter().filter(|sealed| sealed.from == keys.id);
            let others = self.keys.iter().filter(|other| other.id != keys.id);
            from.map(|sealed| sealed.to)
                .eq(others.map(|other| other.id))
        };
        let sharers: Vec<Keys> = self.keys.iter().filter(complete).copied().collect();
        self.round.check_enough(sharers.len())?;
        Ok(SharesIn {
            round: self.round,
            sharers,
            sealed,
        })
    }
}

/// The server after the round of shares.
#[derive(Debug)]
pub struct SharesIn {
    round: Round,
    sharers: Vec<Keys>,
    sealed: Vec<SealedShare>,
}

impl SharesIn {
    /// For one site: the shares that all who have shared sealed for it.
    pub fn shares_for(&self, id: u16) -> Vec<SealedShare> {
        let shared = |from: u16| self.sharers.iter().any(|keys| keys.id == from);
        let mine = self.sealed.iter().filter(|sealed| sealed.to == id);
        mine.filter(|sealed| shared(sealed.from)).cloned().collect()
    }

    /// With the masked counts that have come.
    ///
    /// # Errors
    /// When they are too few, differ in size, come twice or from a site that has not shared.
    pub fn add_counts(self, mut counts: Vec<MaskedCounts>) -> Result<CountsIn> {
        self.round.check_enough(counts.len())?;
        counts.sort_unstable_by_key(|counts| counts.id);
        let survivors: Vec<u16> = counts.iter().map(|counts| counts.id).collect();
        let shared = |id: &u16| self.sharers.iter().any(|keys| keys.id == *id);
        if !survivors.is_sorted_by(|a, b| a < b) || !survivors.iter().all(shared) {
            return Err(Error::input(
                "masked counts come twice or from another site",
            ));
        }
        let mut words = vec![0_u64; counts[0].words.len()];
        for counts in &counts {
            if counts.words.len() != words.len() {
                return Err(Error::input("masked counts differ in size"));
            }
            let each = words.iter_mut().zip(&counts.words);
            each.for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
        }
        Ok(CountsIn {
            round: self.round,
            sharers: self.sharers,
            survivors,
            words,
        })
    }
}

/// The server after the round of counts.
#[derive(Debug)]
pub struct CountsIn {
    round: Round,
    sharers: Vec<Keys>,
    survivors: Vec<u16>,
    words: Vec<u64>,
}

impl CountsIn {
    /// Sites whose counts are in the sum, for all of them to confirm.
    pub fn survivors(&self) -> &[u16] {
        &self.survivors
    }

    /// The sum of the counts of all survivors.
    ///
    /// # Errors
    /// When too few sites have revealed shares, these do not fit, or the sum is impossible.
    pub fn finish(mut self, mut reveals: Vec<Reveal>) -> Result<Vec<u64>> {
        self.round.check_enough(reveals.len())?;
        reveals.sort_unstable_by_key(|reveal| reveal.by);
        if !reveals.is_sorted_by(|a, b| a.by < b.by) {
            return Err(Error::input("a site has revealed shares twice"));
        }
        reveals.truncate(self.round.threshold());
        let holder = |reveal: &Reveal| Ok(self.round.place(reveal.by)? as u64 + 1);
        let holders: Vec<u64> = reveals.iter().map(holder).collect::<Result<_>>()?;
        let weights = Weights::new(&holders);
        for keys in &self.sharers {
            let survived = self.survivors.binary_search(&keys.id).is_ok();
            let shares = reveals
                .iter()
                .map(|reveal| share(reveal, keys.id, survived));
            let secret = weights.join(&shares.collect::<Result<Vec<Share>>>()?)?;
            match survived {
                true => self.round.self_mask(&secret, Sign::Minus, &mut self.words),
                false => take_off(
                    &self.round,
                    &self.sharers,
                    &self.survivors,
                    (keys, StaticSecret::from(secret)),
                    &mut self.words,
                )?,
            }
        }
        let most = LARGEST_COUNT * self.survivors.len() as u64;
        match self.words.iter().all(|&word| word <= most) {
            true => Ok(self.words),
            false => Err(Error::input("a sum of counts is out of range")),
        }
    }
}

/// The share of a site's secret that another has revealed.
fn share(reveal: &Reveal, id: u16, survived: bool) -> Result<Share> {
    let mut shares = reveal.shares.iter();
    match shares.find(|(of, _)| *of == id).map(|(_, share)| share) {
        Some(Revealed::SelfMask(share)) if survived => Ok(*share),
        Some(Revealed::MaskKey(share)) if !survived => Ok(*share),
        _ => Err(Error::input(format!(
            "site {} has not revealed the share that is needed of site {id}",
            reveal.by
        ))),
    }
}

/// Takes the masks of a lost site off the sum of those that survived.
fn take_off(
    round: &Round,
    sharers: &[Keys],
    survivors: &[u16],
    (lost, secret): (&Keys, StaticSecret),
    words: &mut [u64],
) -> Result<()> {
    if public_of(&secret) != lost.mask {
        let what = format!("shares of site {} do not give its key", lost.id);
        return Err(Error::input(what));
    }
    let survived = |keys: &&Keys| survivors.binary_search(&keys.id).is_ok();
    for keys in sharers.iter().filter(survived) {
        // The survivor has added it if its id is the lower one.
        let sign = match keys.id < lost.id {
            true => Sign::Minus,
            false => Sign::Plus,
        };
        round.pair_mask(agree(&secret, &keys.mask)?.as_bytes(), sign, words);
    }
    Ok(())
}
