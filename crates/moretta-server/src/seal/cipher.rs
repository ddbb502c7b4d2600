//! AES-256-GCM under fresh random nonces.

use super::key::Key;
use crate::id::random_bytes;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use std::ops::Range;
use zeroize::Zeroizing;

/// How many bytes more a sealed piece has: its nonce before it, its tag behind it.
pub(super) const OVERHEAD: usize = NONCE_LEN + 16;

/// A key that is ready for use.
pub(super) struct Cipher(LessSafeKey);

impl Cipher {
    pub(super) fn new(key: &Key) -> Self {
        let key = UnboundKey::new(&AES_256_GCM, key.bytes()).expect("a key has 32 bytes");
        Cipher(LessSafeKey::new(key))
    }

    /// Seals; only who gives the same `context` can open it.
    pub(super) fn seal(&self, context: &[u8], plain: &[u8]) -> Vec<u8> {
        // A key seals at most 80,000 frames, or small secrets in their thousands: that two random
        // nonces of 96 bits are the same has a chance below 1 in 10^19.
        let nonce = random_bytes::<NONCE_LEN>();
        let mut sealed = Vec::with_capacity(plain.len() + OVERHEAD);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(plain);
        let tag = self
            .0
            .seal_in_place_separate_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context),
                &mut sealed[NONCE_LEN..],
            )
            .expect("a piece is far shorter than the cipher allows");
        sealed.extend_from_slice(tag.as_ref());
        sealed
    }

    /// Opens; none of what was sealed otherwise or changed since.
    pub(super) fn open(&self, context: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut plain = Zeroizing::new(sealed.to_vec());
        let opened = self.open_in_place(context, &mut plain)?;
        plain.truncate(opened.end);
        plain.drain(..opened.start);
        Some(plain)
    }

    /// Opens where it lies, and gives the place of what was sealed.
    pub(super) fn open_in_place(&self, context: &[u8], sealed: &mut [u8]) -> Option<Range<usize>> {
        let (nonce, rest) = sealed.split_at_mut_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let opened = self.0.open_in_place(nonce, Aad::from(context), rest).ok()?;
        Some(NONCE_LEN..NONCE_LEN + opened.len())
    }
}
