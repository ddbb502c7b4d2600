//! Sums of counts over sites, of which some may be lost on the way.
//!
//! Class totals of a report are added up so that the server learns the sum alone. As in
//! [`mask`](super::mask) each pair of sites adds and takes away the same words; but a sum of
//! counts over those that stayed still means something, so masks of lost sites can be taken off.
//! Each site adds a second mask of its own, b, and deals shares of b and of the key of its pair
//! masks to all others before it sends. For a site whose counts arrived the others give back their
//! shares of b, for a lost one those of the key: one of the two, never both, since both together
//! would bare its counts.
//!
//! Rounds, in which n sites take part and each needs t = ⌊2n/3⌋ + 1 of them:
//! 1. *Keys*: [`Counter::join`] signs two fresh keys; the server hands them on.
//! 2. *Shares*: [`Joined::share`] seals shares for each other site.
//! 3. *Counts*: [`Shared::mask`] masks the counts against those that have shared.
//! 4. *Survivors*: [`Sent::confirm`] signs the list of sites whose counts arrived, once.
//! 5. *Reveal*: [`Sent::reveal`] gives back one share a site when t sites have signed that list.
//!
//! **Protects against** a server that lies, also together with fewer than a third of the sites:
//! any two sets of t sites have an honest one in common, and that signs one list alone. A round is
//! joined once, whatever becomes of it: two sums with and without a site would tell its counts.
//! **Does not protect against** what the sum tells, nor against a site that counts wrongly. A site
//! that deals wrong shares can spoil a round, not learn from it.
//!
//! **Costs** two X25519, one sealed message of 112 bytes and two checks of signatures for each other
//! site, and n streams of ChaCha20 as long as the counts; the server n more streams for each lost
//! site, and t products for each secret. Of three sites none may be lost, of four to six one.
//! Records are never summed this way; see [`mask`](super::mask) for why.
//!
//! **From** Bonawitz and others 2017, with the round that makes it safe against active servers;
//! Shamir 1979.

mod sealed;
mod server;
mod shamir;
mod site;
#[cfg(test)]
mod tests;

pub use server::{CountsIn, KeysIn, SharesIn};
pub use shamir::Share;
pub use site::{Counter, Joined, Sent, Shared};

use super::mask::{FEWEST_MEMBERS, MOST_MEMBERS, Sign, combine, derive, has_signed};
use crate::error::{Error, Result};
use sha2::{Digest, Sha256};

/// The largest count: 2⁵³, of which 1024 add up to less than 2⁶⁴.
pub const LARGEST_COUNT: u64 = 1 << 53;

/// A site that may take part, as all know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The id of the site.
    pub id: u16,
    /// Its public identity; see [`Identity`](super::mask::Identity).
    pub identity: [u8; 32],
}

/// One sum, and who may take part in it.
#[derive(Clone, Debug)]
pub struct Round {
    federation: [u8; 32],
    number: u64,
    participants: Vec<Participant>,
    /// Of all of the above.
    hash: [u8; 32],
}

impl Round {
    /// A round whose number is higher than that of all before it.
    ///
    /// # Errors
    /// When there are fewer than three participants or more than 1024, or their ids do not rise.
    pub fn new(federation: [u8; 32], number: u64, participants: Vec<Participant>) -> Result<Self> {
        if !(FEWEST_MEMBERS..=MOST_MEMBERS).contains(&participants.len()) {
            return Err(Error::input("a sum is of 3 to 1024 sites"));
        }
        if !participants.is_sorted_by(|a, b| a.id < b.id) {
            return Err(Error::input("ids of participants do not rise"));
        }
        let mut hash = Sha256::new();
        hash.update(b"moretta/count-round/1");
        hash.update(federation);
        hash.update(number.to_le_bytes());
        for participant in &participants {
            hash.update(participant.id.to_le_bytes());
            hash.update(participant.identity);
        }
        Ok(Round {
            federation,
            number,
            participants,
            hash: hash.finalize().into(),
        })
    }

    /// Sites without which there is no sum: t = ⌊2n/3⌋ + 1.
    pub fn threshold(&self) -> usize {
        2 * self.participants.len() / 3 + 1
    }

    /// The place of a site among the participants.
    fn place(&self, id: u16) -> Result<usize> {
        let place = self.participants.binary_search_by_key(&id, |p| p.id);
        place.map_err(|_| Error::input(format!("site {id} takes no part in the round")))
    }

    /// Fails unless t sites are left.
    fn check_enough(&self, sites: usize) -> Result<()> {
        match sites >= self.threshold() {
            true => Ok(()),
            false => Err(Error::input(format!(
                "{sites} of {} sites are left, and a sum needs {}",
                self.participants.len(),
                self.threshold()
            ))),
        }
    }

    /// Fails unless keys are signed by sites that take part, rise by id, are enough and differ.
    fn check_keys(&self, keys: &[Keys]) -> Result<()> {
        self.check_enough(keys.len())?;
        if !keys.is_sorted_by(|a, b| a.id < b.id) {
            return Err(Error::input("ids of keys do not rise"));
        }
        for keys in keys {
            let identity = &self.participants[self.place(keys.id)?].identity;
            if !has_signed(identity, &keys.text(self), &keys.signature) {
                let what = format!("the keys of site {} are not signed by it", keys.id);
                return Err(Error::input(what));
            }
        }
        let mut publics: Vec<[u8; 32]> = keys.iter().flat_map(|k| [k.channel, k.mask]).collect();
        publics.sort_unstable();
        match publics.windows(2).all(|pair| pair[0] != pair[1]) {
            true => Ok(()),
            false => Err(Error::input("two sites have the same key")),
        }
    }

    /// The text by which a site signs who survived.
    fn survivors_text(&self, survivors: &[u16]) -> Vec<u8> {
        let mut text = [b"moretta/count-survivors/1".as_slice(), &self.hash].concat();
        text.extend(survivors.iter().flat_map(|id| id.to_le_bytes()));
        text
    }

    /// Adds the mask of two sites, or takes it away.
    fn pair_mask(&self, secret: &[u8; 32], sign: Sign, words: &mut [u64]) {
        let info = [b"moretta/count-pair/1".as_slice(), &self.hash];
        combine(&derive(&self.federation, secret, &info), sign, words);
    }

    /// Adds the own mask of a site, or takes it away.
    fn self_mask(&self, secret: &[u8; 32], sign: Sign, words: &mut [u64]) {
        let info = [b"moretta/count-self/1".as_slice(), &self.hash];
        combine(&derive(&self.federation, secret, &info), sign, words);
    }
}

/// The public keys of a site for one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The site.
    pub id: u16,
    /// Shares for it are sealed to this key.
    pub channel: [u8; 32],
    /// Its pair masks are made with this one.
    pub mask: [u8; 32],
    /// By the identity of the site.
    pub signature: [u8; 64],
}

impl Keys {
    fn text(&self, round: &Round) -> Vec<u8> {
        let id = self.id.to_le_bytes();
        let text = b"moretta/count-keys/1".as_slice();
        [text, &round.hash, &id, &self.channel, &self.mask].concat()
    }
}

/// Shares of a site's secrets that only one other site can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedShare {
    /// Whose secrets.
    pub from: u16,
    /// Who can read it.
    pub to: u16,
    /// Ciphertext and code of authentication.
    pub bytes: Vec<u8>,
}

/// What a site sends instead of its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedCounts {
    /// The site.
    pub id: u16,
    /// Its counts with all masks.
    pub words: Vec<u64>,
}

/// That a site knows of one list of survivors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// The site.
    pub id: u16,
    /// By its identity.
    pub signature: [u8; 64],
}

/// A share of one of the two secrets of a site; there is no way to say both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revealed {
    /// Of the own mask of a site whose counts arrived.
    SelfMask(Share),
    /// Of the key of a lost site.
    MaskKey(Share),
}

/// What a site gives back at the end: for each that has shared, one share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reveal {
    /// Who held the shares.
    pub by: u16,
    /// Whose they are, and which.
    pub shares: Vec<(u16, Revealed)>,
}
