//! Two shares for one reader: encrypted by ChaCha20, then authenticated by HMAC-SHA-256.
//!
//! Shares travel through the server, which must not read them. Both keys follow from the X25519
//! secret of sender and reader, the round and both ids, so that a sealed share fits no other
//! round, sender or reader. Keys of a round are fresh and each pair and direction seals once, so
//! no stream is used twice.

use super::shamir::{SHARE_BYTES, Share};
use super::{Round, SealedShare};
use crate::error::{Error, Result};
use crate::federate::mask::{derive, fill};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The shares of one site that another holds.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) self_mask: Share,
    pub(super) mask_key: Share,
}

const PLAIN: usize = 2 * SHARE_BYTES;
const CODE: usize = 32;

/// Seals shares; `secret` is that of the two sites.
pub(super) fn seal(round: &Round, secret: &[u8; 32], ids: (u16, u16), held: &Held) -> SealedShare {
    let mut bytes = [held.self_mask.to_bytes(), held.mask_key.to_bytes()].concat();
    encrypt(&key(round, secret, ids, b"cipher"), &mut bytes);
    let code = code(&key(round, secret, ids, b"code00"), &bytes);
    bytes.extend(code.finalize().into_bytes());
    SealedShare {
        from: ids.0,
        to: ids.1,
        bytes,
    }
}

/// Reads shares.
///
/// # Errors
/// When they were not sealed by that site for this one in this round, or were changed.
pub(super) fn open(round: &Round, secret: &[u8; 32], sealed: &SealedShare) -> Result<Held> {
    let ids = (sealed.from, sealed.to);
    let refused = || Error::input(format!("the shares of site {} cannot be opened", ids.0));
    if sealed.bytes.len() != PLAIN + CODE {
        return Err(refused());
    }
    let (bytes, found) = sealed.bytes.split_at(PLAIN);
    let code = code(&key(round, secret, ids, b"code00"), bytes);
    code.verify_slice(found).map_err(|_| refused())?;
    let mut bytes = bytes.to_vec();
    encrypt(&key(round, secret, ids, b"cipher"), &mut bytes);
    let (shares, _) = bytes.as_chunks::<SHARE_BYTES>();
    let share = |place: usize| Share::from_bytes(&shares[place]).ok_or_else(refused);
    Ok(Held {
        self_mask: share(0)?,
        mask_key: share(1)?,
    })
}

fn key(round: &Round, secret: &[u8; 32], ids: (u16, u16), purpose: &[u8; 6]) -> [u8; 32] {
    let (from, to) = (ids.0.to_le_bytes(), ids.1.to_le_bytes());
    let info = [
        b"moretta/count-share/1".as_slice(),
        purpose,
        &round.hash,
        &from,
        &to,
    ];
    derive(&round.federation, secret, &info)
}

/// Encrypts, and decrypts.
fn encrypt(key: &[u8; 32], bytes: &mut [u8]) {
    let mut stream = [0; PLAIN];
    fill(key, 0, &mut stream);
    bytes
        .iter_mut()
        .zip(stream)
        .for_each(|(byte, s)| *byte ^= s);
}

fn code(key: &[u8; 32], bytes: &[u8]) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(key);
    let mut mac = mac.expect("HMAC takes keys of any length");
    mac.update(bytes);
    mac
}
