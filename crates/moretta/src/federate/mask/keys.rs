//! The keys of an epoch, and the secrets that two of them make.
//!
//! A site draws one seed for a run and keeps it in the private folder of that run; the key of each
//! epoch follows from it: HKDF-SHA-256 with the id of the federation as salt, and the number of the
//! epoch and the sum of its topology as info. So a site that is killed and started again makes the same frames, byte by byte.
//! **A seed must never serve for two runs**: epoch, node, batch and positions come again with other
//! records, and the difference of two frames under one pad is the difference of what they hide. With
//! another topology of the same epoch, which an aggregator might show to a site that was put back to
//! an earlier state, come other keys and other pads.
//!
//! **Gives up** forward secrecy within a run: a thief of the seed can unmask what a node has
//! recorded of that site in all epochs of that run, as far as the thief has the frames and the
//! node's help. Keys that are drawn and forgotten would protect past epochs, and lose a batch with
//! every restart. Other runs have other seeds, of which this one tells nothing.

use super::{Member, PairSecrets, Sign, check_members, derive, hash_members};
use crate::error::{Error, Result};
use std::fmt;
use x25519_dalek::{PublicKey, SharedSecret, StaticSecret};

/// The secret key of a site for one epoch of a federation. It is never shown, not even by `Debug`.
pub struct MaskKey {
    federation: [u8; 32],
    epoch: u32,
    secret: StaticSecret,
}

impl MaskKey {
    /// The key that follows from the seed of a site, for an epoch and the sum of its topology.
    pub fn derive(seed: &[u8; 32], federation: &[u8; 32], epoch: u32, topology: &[u8; 32]) -> Self {
        let epoch_bytes = epoch.to_le_bytes();
        let info = [b"moretta/mask-key/2".as_slice(), &epoch_bytes, topology];
        Self::from_secret(derive(federation, seed, &info), federation, epoch)
    }

    /// A key of these bytes.
    pub(super) fn from_secret(secret: [u8; 32], federation: &[u8; 32], epoch: u32) -> Self {
        MaskKey {
            federation: *federation,
            epoch,
            secret: StaticSecret::from(secret),
        }
    }

    /// What the others need to know of it.
    pub fn public(&self) -> [u8; 32] {
        public_of(&self.secret)
    }

    /// The secrets with all other sources of a node.
    ///
    /// # Errors
    /// When the group is too small or too large, does not rise by id, does not hold this site with
    /// this key, or holds a key that makes no secret, or the same secret as another.
    pub fn pair_with(&self, own: u16, members: &[Member]) -> Result<PairSecrets> {
        check_members(members)?;
        let itself = Member {
            id: own,
            public: self.public(),
        };
        if !members.contains(&itself) {
            return Err(Error::input("the group lacks this site or its key"));
        }
        let others = members.iter().filter(|member| member.id != own);
        let pairs = others.map(|member| {
            let sign = match own < member.id {
                true => Sign::Plus,
                false => Sign::Minus,
            };
            Ok((sign, agree(&self.secret, &member.public)?))
        });
        let pairs: Vec<(Sign, SharedSecret)> = pairs.collect::<Result<_>>()?;
        // Equal secrets make equal masks, which could cancel each other within one frame.
        let mut secrets: Vec<&[u8; 32]> = pairs.iter().map(|(_, s)| s.as_bytes()).collect();
        secrets.sort_unstable();
        if secrets.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::input("two sources have the same mask key"));
        }
        Ok(PairSecrets {
            federation: self.federation,
            epoch: self.epoch,
            members: hash_members(members),
            pairs,
        })
    }
}

impl fmt::Debug for MaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MaskKey(secret)")
    }
}

/// What all texts of a public key have in common, if it makes a secret with others. One key has several
/// texts: the highest bit counts for nothing, and points that differ by one of low order make the
/// same secret with everybody.
pub(in crate::federate) fn trace(public: &[u8; 32]) -> Option<[u8; 32]> {
    let shared = agree(&StaticSecret::from([1; 32]), public).ok()?;
    Some(shared.to_bytes())
}

/// The public key of a secret one.
pub(in crate::federate) fn public_of(secret: &StaticSecret) -> [u8; 32] {
    PublicKey::from(secret).to_bytes()
}

/// The secret that two sites share: X25519.
///
/// # Errors
/// When the other key is a point of low order, with which every key makes the secret 0.
pub(in crate::federate) fn agree(secret: &StaticSecret, public: &[u8; 32]) -> Result<SharedSecret> {
    let shared = secret.diffie_hellman(&PublicKey::from(*public));
    match shared.was_contributory() {
        true => Ok(shared),
        false => Err(Error::input("a public key with which there is no secret")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of low order of Curve25519 and their other texts: 0, 1, two of order 8, −1, and
    /// those that are written beyond the prime, each with the highest bit that counts for nothing.
    fn points_of_low_order() -> Vec<[u8; 32]> {
        let near_prime = |last: u8| {
            let mut point = [0xff; 32];
            (point[0], point[31]) = (last, 0x7f);
            point
        };
        let small = |first: u8| {
            let mut point = [0; 32];
            point[0] = first;
            point
        };
        let of_order_8 = [
            [
                0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f,
                0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16,
                0x5f, 0x49, 0xb8, 0x00,
            ],
            [
                0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83,
                0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd,
                0xd0, 0x9f, 0x11, 0x57,
            ],
        ];
        let points = [
            small(0),
            small(1),
            near_prime(0xec),
            near_prime(0xed),
            near_prime(0xee),
        ];
        let points = points.into_iter().chain(of_order_8);
        let twin = |mut point: [u8; 32]| {
            point[31] |= 0x80;
            point
        };
        points.flat_map(|point| [point, twin(point)]).collect()
    }

    #[test]
    fn points_of_low_order_are_no_keys() {
        for point in points_of_low_order() {
            assert_eq!(trace(&point), None, "{point:02x?}");
            let mut giver = crate::federate::Giver::default();
            assert!(!giver.meet(1, 2, point), "{point:02x?}");
        }
    }

    #[test]
    fn a_key_is_known_by_all_of_its_texts() {
        let public = public_of(&StaticSecret::from([7; 32]));
        // The sum with the point of order 2 is written as the inverse.
        let inverse = [
            0x90, 0xc3, 0x4a, 0x83, 0x1c, 0x10, 0x70, 0x0b, 0x35, 0x25, 0xc6, 0x6a, 0x2f, 0xae,
            0x1e, 0xc2, 0x05, 0x1e, 0x06, 0xba, 0x68, 0x86, 0x49, 0xd2, 0x1f, 0x1f, 0x7e, 0x99,
            0x6c, 0xa6, 0x47, 0x5b,
        ];
        let mut high = public;
        high[31] |= 0x80;
        let own = StaticSecret::from([3; 32]);
        let secret = |key| *agree(&own, &key).expect("a secret").as_bytes();
        for text in [public, high, inverse] {
            assert_eq!(secret(text), secret(public));
            assert_eq!(trace(&text), trace(&public));
            let mut giver = crate::federate::Giver::default();
            assert!(giver.meet(1, 2, public) && giver.meet(1, 2, public));
            assert!(!giver.meet(1, 3, text), "it is that of another site");
            assert!(giver.meet(2, 3, text), "of another epoch");
        }
        assert_ne!(trace(&public_of(&own)), trace(&public));
    }
}
