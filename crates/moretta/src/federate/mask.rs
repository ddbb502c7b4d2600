//! Pairwise masks: a trouble node learns the sum of what its sources send, and nothing else.
//!
//! A source writes each number as a whole number of 2⁻³² and adds, modulo 2⁶⁴, one word for each
//! source of higher id and takes one away for each of lower id. Each pair of sources makes the
//! same words from a secret that it alone knows, so in the sum of all frames every word is added
//! once and taken away once. Any frame, and any sum of some of the frames, is uniform.
//!
//! **Protects against** the node, also together with all but two of its sources: they learn the
//! sum of the two, not which part is whose. So a group has at least three members.
//! **Does not protect against** what the sum itself tells (see [`project`](super::project)),
//! against a source that sends a wrong number, of which [`MaskedSum`] sees no more than an
//! impossible sum, nor against being called twice for one scope with other values: the difference
//! of both frames is the difference of the values. The caller writes a frame into its journal
//! before it sends it, and sends that frame or none. A source that is lost loses the batch: sums
//! with and without it would tell what it sent.
//!
//! **Costs** X25519 with each other source once for each group and epoch, two SHA-256 of the group
//! and the positions a batch, and 8 bytes of ChaCha20 a number and other source. Frames have
//! 8 bytes a number, whatever the number of sources.
//!
//! **From** Bonawitz and others 2017 (masks in pairs); RFC 7748, 5869 and 8439.
//!
//! ```
//! use moretta::federate::mask::{MaskKey, MaskedSum, Member, Scope};
//!
//! let federation = [7; 32];
//! let keys = [1, 2, 3].map(|site| MaskKey::derive(&[site; 32], &federation, 1, &[0; 32]));
//! let members: Vec<Member> = (0..).zip(&keys).map(|(id, key)| Member { id, public: key.public() }).collect();
//! // Records 4 and 9 of the batch, one number a record.
//! let scope = Scope { node: 1, batch: 0, positions: &[4, 9], width: 1 };
//! let mut sum = MaskedSum::new(&members, 2)?;
//! for ((id, key), values) in (0..).zip(&keys).zip([[1.0, 0.5], [2.0, 0.25], [-0.5, 0.0]]) {
//!     let frame = key.pair_with(id, &members)?.mask(&scope, &values)?;
//!     sum.add(id, &frame)?;
//! }
//! assert_eq!(sum.finish()?, [2.5, 0.75]);
//! # Ok::<(), moretta::Error>(())
//! ```

mod announcement;
mod derive;
mod fixed_point;
mod keys;
mod stream;
mod sum;
#[cfg(test)]
mod tests;

pub use announcement::{Announcement, Identity};
pub use fixed_point::LARGEST;
pub use keys::MaskKey;
pub use sum::MaskedSum;

pub(in crate::federate) use announcement::has_signed;
pub(in crate::federate) use derive::derive;
pub(in crate::federate) use keys::{agree, public_of, trace};
pub(in crate::federate) use stream::{Sign, combine, fill};

use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fmt;
use x25519_dalek::SharedSecret;

/// Fewer sources than this hide nothing from the node and one of them.
pub const FEWEST_MEMBERS: usize = 3;

/// More sources than this could make a sum that 64 bits do not hold.
pub const MOST_MEMBERS: usize = 1024;

/// A source of a trouble node, as all sources of the node know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The id of the site.
    pub id: u16,
    /// Its public key of this epoch; see [`Announcement`] for where it comes from.
    pub public: [u8; 32],
}

/// What one frame is about.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The trouble node.
    pub node: u32,
    /// The batch.
    pub batch: u64,
    /// The records of the batch that all sources forward, which strictly rise.
    pub positions: &'a [u16],
    /// Numbers of a record: k.
    pub width: usize,
}

/// The secrets that a source has with each other source of a node, for one epoch.
pub struct PairSecrets {
    federation: [u8; 32],
    epoch: u32,
    members: [u8; 32],
    pairs: Vec<(Sign, SharedSecret)>,
}

impl PairSecrets {
    /// The frame of this source: `values` record by record, masked.
    ///
    /// # Errors
    /// Positions that do not rise, another number of values than the scope has, or a value that is
    /// not a number of at most [`LARGEST`].
    pub fn mask(&self, scope: &Scope<'_>, values: &[f64]) -> Result<Vec<u64>> {
        if !scope.positions.is_sorted_by(|a, b| a < b) {
            return Err(Error::input("positions of agreed records do not rise"));
        }
        if scope.positions.len().checked_mul(scope.width) != Some(values.len()) {
            return Err(Error::input("a fragment has another size than its scope"));
        }
        let mut words = fixed_point::encode(values).ok_or_else(|| {
            Error::input("a projected number is missing or too large to be masked")
                .help("look at the bounds of the columns, and at `sigma`")
        })?;
        let info = self.info(scope);
        for (sign, secret) in &self.pairs {
            let key = derive(&self.federation, secret.as_bytes(), &[&info]);
            combine(&key, *sign, &mut words);
        }
        Ok(words)
    }

    fn info(&self, scope: &Scope<'_>) -> Vec<u8> {
        let mut positions = Sha256::new();
        for position in scope.positions {
            positions.update(position.to_le_bytes());
        }
        let mut info = b"moretta/mask/1".to_vec();
        info.extend(self.epoch.to_le_bytes());
        info.extend(scope.node.to_le_bytes());
        info.extend(scope.batch.to_le_bytes());
        info.extend(self.members);
        info.extend(positions.finalize());
        info
    }
}

impl fmt::Debug for PairSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PairSecrets({} secrets)", self.pairs.len())
    }
}

/// Fails on groups in which a mask would hide less than it seems to.
fn check_members(members: &[Member]) -> Result<()> {
    if !(FEWEST_MEMBERS..=MOST_MEMBERS).contains(&members.len()) {
        return Err(Error::input(format!(
            "masked sums are of {FEWEST_MEMBERS} to {MOST_MEMBERS} sources, not of {}",
            members.len()
        )));
    }
    if !members.is_sorted_by(|a, b| a.id < b.id) {
        return Err(Error::input("ids of sources do not rise"));
    }
    Ok(())
}

fn hash_members(members: &[Member]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for member in members {
        hash.update(member.id.to_le_bytes());
        hash.update(member.public);
    }
    hash.finalize().into()
}
