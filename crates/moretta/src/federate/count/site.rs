//! A site's side of a sum. Each step consumes the one before, so none can be taken twice.

use super::sealed::{Held, open, seal};
use super::shamir::split;
use super::{
    Confirmation, Keys, LARGEST_COUNT, MaskedCounts, Participant, Reveal, Revealed, Round,
    SealedShare,
};
use crate::error::{Error, Result};
use crate::federate::mask::{Identity, Sign, agree, derive, has_signed, public_of};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use x25519_dalek::StaticSecret;

/// A site that counts. It joins rounds whose numbers rise, and each of them once.
#[derive(Debug)]
pub struct Counter {
    id: u16,
    identity: Arc<Identity>,
    last: Option<u64>,
}

impl Counter {
    /// A site whose last round, as its journal has it, was `last`.
    pub fn new(id: u16, identity: Identity, last: Option<u64>) -> Self {
        let identity = Arc::new(identity);
        Counter { id, identity, last }
    }

    /// The last round that it has joined; its journal must hold that before keys are sent.
    pub fn last(&self) -> Option<u64> {
        self.last
    }

    /// Joins a round with fresh random bytes, and gives the keys for the server.
    ///
    /// # Errors
    /// When it has joined this round or a later one, whoever took part, or takes no part in it.
    pub fn join(&mut self, round: &Round, random: &[u8; 32]) -> Result<(Joined, Keys)> {
        if self.last.is_some_and(|last| round.number <= last) {
            return Err(Error::input("a round of counts is not repeated")
                .help("count again in a round with a higher number"));
        }
        let own = Participant {
            id: self.id,
            identity: self.identity.public(),
        };
        if !round.participants.contains(&own) {
            return Err(Error::input("the round lacks this site or its identity"));
        }
        self.last = Some(round.number);
        let secret = |purpose: &[u8]| derive(&round.hash, random, &[purpose]);
        let joined = Joined {
            id: self.id,
            identity: Arc::clone(&self.identity),
            round: round.clone(),
            channel: StaticSecret::from(secret(b"channel")),
            mask: StaticSecret::from(secret(b"mask")),
            self_mask: secret(b"self mask"),
            dealing: [secret(b"shares of self mask"), secret(b"shares of mask")],
        };
        let keys = joined.keys();
        Ok((joined, keys))
    }
}

/// A site that has sent its keys.
pub struct Joined {
    id: u16,
    identity: Arc<Identity>,
    round: Round,
    channel: StaticSecret,
    mask: StaticSecret,
    self_mask: [u8; 32],
    /// The coefficients of its shares follow from these.
    dealing: [[u8; 32]; 2],
}

impl Joined {
    fn keys(&self) -> Keys {
        let mut keys = Keys {
            id: self.id,
            channel: public_of(&self.channel),
            mask: public_of(&self.mask),
            signature: [0; 64],
        };
        keys.signature = self.identity.sign(&keys.text(&self.round));
        keys
    }

    /// Takes the keys of all, and gives shares for each other site.
    ///
    /// # Errors
    /// When they are too few, not signed, not all different, or its own are not among them.
    pub fn share(self, keys: &[Keys]) -> Result<(Shared, Vec<SealedShare>)> {
        self.round.check_keys(keys)?;
        if !keys.contains(&self.keys()) {
            return Err(Error::input(
                "the keys of this site are not among those of all",
            ));
        }
        let (threshold, holders) = (self.round.threshold(), self.round.participants.len());
        let mask_key = self.mask.to_bytes();
        let dealt = split(&self.self_mask, threshold, holders, &self.dealing[0]);
        let dealt = dealt
            .into_iter()
            .zip(split(&mask_key, threshold, holders, &self.dealing[1]));
        let dealt: Vec<Held> = dealt
            .map(|(self_mask, mask_key)| Held {
                self_mask,
                mask_key,
            })
            .collect();
        let id = self.id;
        let mut sealed = Vec::new();
        for other in keys.iter().filter(|keys| keys.id != id) {
            let secret = agree(&self.channel, &other.channel)?;
            let held = &dealt[self.round.place(other.id)?];
            sealed.push(seal(&self.round, secret.as_bytes(), (id, other.id), held));
        }
        let own = dealt[self.round.place(id)?];
        let shared = Shared {
            own,
            keys: keys.to_vec(),
            joined: self,
        };
        Ok((shared, sealed))
    }
}

/// A site that has dealt its shares.
pub struct Shared {
    joined: Joined,
    keys: Vec<Keys>,
    own: Held,
}

impl Shared {
    /// Takes the shares that others have sealed for it, and masks its counts against those.
    ///
    /// # Errors
    /// When too few have shared, one twice, a share cannot be opened, or a count is too large.
    pub fn mask(self, sealed: &[SealedShare], counts: &[u64]) -> Result<(Sent, MaskedCounts)> {
        let Joined { id, round, .. } = &self.joined;
        if counts.iter().any(|&count| count > LARGEST_COUNT) {
            return Err(Error::input("a count is too large to be summed"));
        }
        round.check_enough(sealed.len() + 1)?;
        let mut held = BTreeMap::from([(*id, self.own)]);
        let mut words = counts.to_vec();
        round.self_mask(&self.joined.self_mask, Sign::Plus, &mut words);
        for sealed in sealed {
            let keys = self.keys.iter().find(|keys| keys.id == sealed.from);
            let keys = keys.filter(|_| sealed.to == *id && sealed.from != *id);
            let keys = keys.ok_or_else(|| Error::input("shares of or for another site"))?;
            let secret = agree(&self.joined.channel, &keys.channel)?;
            let shares = open(round, secret.as_bytes(), sealed)?;
            if held.insert(sealed.from, shares).is_some() {
                return Err(Error::input(format!("site {} sent two shares", keys.id)));
            }
            let sign = match *id < keys.id {
                true => Sign::Plus,
                false => Sign::Minus,
            };
            let secret = agree(&self.joined.mask, &keys.mask)?;
            round.pair_mask(secret.as_bytes(), sign, &mut words);
        }
        let id = *id;
        let sent = Sent {
            id,
            identity: self.joined.identity,
            round: self.joined.round,
            held,
            survivors: None,
        };
        Ok((sent, MaskedCounts { id, words }))
    }
}

/// A site that has sent its masked counts.
pub struct Sent {
    id: u16,
    identity: Arc<Identity>,
    round: Round,
    /// Of each site that has shared, itself included.
    held: BTreeMap<u16, Held>,
    /// The one list that it has confirmed.
    survivors: Option<Vec<u16>>,
}

impl Sent {
    /// Signs the list of sites whose counts arrived.
    ///
    /// # Errors
    /// When it has signed another list, or this one does not rise, is too short, lacks this site
    /// or has one that did not share.
    pub fn confirm(&mut self, survivors: &[u16]) -> Result<Confirmation> {
        self.round.check_enough(survivors.len())?;
        let shared = survivors.iter().all(|id| self.held.contains_key(id));
        let rises = survivors.is_sorted_by(|a, b| a < b);
        if !shared || !rises || !survivors.contains(&self.id) {
            return Err(Error::input("the list of survivors cannot be right"));
        }
        let confirmed = self.survivors.get_or_insert_with(|| survivors.to_vec());
        if confirmed != survivors {
            return Err(Error::input("another list of survivors was confirmed")
                .help("both would bare the counts of a site; the round is lost"));
        }
        let text = self.round.survivors_text(survivors);
        Ok(Confirmation {
            id: self.id,
            signature: self.identity.sign(&text),
        })
    }

    /// Gives back, of each site, a share of its own mask if it survived, else of its key.
    ///
    /// # Errors
    /// Before it has confirmed a list, or when fewer than t sites have signed that same list.
    pub fn reveal(&self, confirmations: &[Confirmation]) -> Result<Reveal> {
        let Some(survivors) = &self.survivors else {
            return Err(Error::input("no list of survivors was confirmed"));
        };
        let text = self.round.survivors_text(survivors);
        if !confirmations.is_sorted_by(|a, b| a.id < b.id) {
            return Err(Error::input("ids of confirmations do not rise"));
        }
        self.round.check_enough(confirmations.len())?;
        for confirmation in confirmations {
            let place = self.round.place(confirmation.id)?;
            let identity = &self.round.participants[place].identity;
            if !has_signed(identity, &text, &confirmation.signature) {
                let what = format!("site {} has not confirmed this list", confirmation.id);
                return Err(Error::input(what));
            }
        }
        let revealed = |(&id, held): (&u16, &Held)| match survivors.binary_search(&id) {
            Ok(_) => (id, Revealed::SelfMask(held.self_mask)),
            Err(_) => (id, Revealed::MaskKey(held.mask_key)),
        };
        Ok(Reveal {
            by: self.id,
            shares: self.held.iter().map(revealed).collect(),
        })
    }
}

macro_rules! hide {
    ($($name:ident)*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(secret)"))
            }
        }
    )*};
}

hide!(Joined Shared Sent);
