//! Who has which mask key: announced by sites, signed by what identifies them.
//!
//! The aggregator hands public keys on. Unsigned, it could hand on its own instead and take off
//! every mask; so a site signs its key with an Ed25519 key that the others know from their
//! policies, and takes no other key. The signed text begins with a prefix of its own and names
//! federation, epoch and site, so that no signature serves for another purpose, time or site.
//!
//! **Does not protect against** a site that gives its own secrets away.
//!
//! **From** RFC 8032, with the strict verification that refuses keys and points of low order.

use super::Member;
use crate::error::{Error, Result};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use std::fmt;

/// The key by which others know a site. It is never shown, not even by `Debug`.
pub struct Identity(SigningKey);

impl Identity {
    /// The key of these secret bytes.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Identity(SigningKey::from_bytes(seed))
    }

    /// What the policies of the others hold of it.
    pub fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// Signs a text, which begins with its purpose.
    pub(in crate::federate) fn sign(&self, text: &[u8]) -> [u8; 64] {
        self.0.sign(text).to_bytes()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(secret)")
    }
}

/// Whether a site, known by its public identity, has signed a text.
pub(in crate::federate) fn has_signed(
    identity: &[u8; 32],
    text: &[u8],
    signature: &[u8; 64],
) -> bool {
    let Ok(key) = VerifyingKey::from_bytes(identity) else {
        return false;
    };
    let signature = Signature::from_bytes(signature);
    !key.is_weak() && key.verify_strict(text, &signature).is_ok()
}

/// A mask key as a site tells it to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// The id of the federation.
    pub federation: [u8; 32],
    /// The epoch in which the key is used.
    pub epoch: u32,
    /// The site and its public key.
    pub member: Member,
}

impl Announcement {
    /// The signature of the site.
    pub fn sign(&self, identity: &Identity) -> [u8; 64] {
        identity.sign(&self.text())
    }

    /// The site with its key, now that its signature is known to be right.
    ///
    /// # Errors
    /// When `identity` has not signed exactly this.
    pub fn verify(&self, identity: &[u8; 32], signature: &[u8; 64]) -> Result<Member> {
        match has_signed(identity, &self.text(), signature) {
            true => Ok(self.member),
            false => Err(Error::input(format!(
                "the mask key of site {} is not signed by it",
                self.member.id
            ))
            .help("compare its identity with the one that the policy holds")),
        }
    }

    fn text(&self) -> Vec<u8> {
        let mut text = b"moretta/mask-key-of/1".to_vec();
        text.extend(self.federation);
        text.extend(self.epoch.to_le_bytes());
        text.extend(self.member.id.to_le_bytes());
        text.extend(self.member.public);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_one_federation_epoch_site_and_key() {
        let identity = Identity::from_seed(&[5; 32]);
        let announced = Announcement {
            federation: [1; 32],
            epoch: 2,
            member: Member {
                id: 3,
                public: [4; 32],
            },
        };
        let signature = announced.sign(&identity);
        let member = announced.verify(&identity.public(), &signature);
        assert_eq!(member.expect("signed"), announced.member);

        let check = |announced: Announcement, identity: [u8; 32], signature: [u8; 64]| {
            let refused = announced
                .verify(&identity, &signature)
                .expect_err("refused");
            assert!(refused.to_string().contains("is not signed by it"));
        };
        let public = identity.public();
        let with = |change: fn(&mut Announcement)| {
            let mut other = announced;
            change(&mut other);
            other
        };
        check(with(|a| a.federation[31] = 0), public, signature);
        check(with(|a| a.epoch = 3), public, signature);
        check(with(|a| a.member.id = 4), public, signature);
        check(with(|a| a.member.public[0] = 0), public, signature);
        check(announced, Identity::from_seed(&[6; 32]).public(), signature);
        check(announced, public, [0; 64]);
        // The neutral element, under which some signatures pass for every text.
        let mut neutral = [0; 32];
        neutral[0] = 1;
        let mut everything = [0; 64];
        everything[0] = 1;
        check(announced, neutral, everything);
    }

    #[test]
    fn identities_are_never_shown() {
        let shown = format!("{:?}", Identity::from_seed(&[0xab; 32]));
        assert_eq!(shown, "Identity(secret)");
    }
}
