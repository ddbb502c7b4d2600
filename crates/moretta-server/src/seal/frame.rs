//! Where frames stand in a sealed file.

use super::cipher::OVERHEAD;
use crate::id::Id;

/// How many plain bytes a frame holds; the last one may hold fewer.
pub const FRAME: usize = 64 << 10;

/// What a sealed file begins with: its kind and the version of its format.
pub(super) const HEADER: [u8; 8] = *b"moretta\x01";

/// What is authenticated with a frame.
pub(super) fn context(of: Id, number: u64, is_last: bool) -> [u8; 33] {
    let mut context = [0; 33];
    context[..8].copy_from_slice(&HEADER);
    context[8..24].copy_from_slice(of.bytes());
    context[24..32].copy_from_slice(&number.to_be_bytes());
    context[32] = u8::from(is_last);
    context
}

/// Where a frame begins.
pub(super) fn position(number: u64) -> u64 {
    HEADER.len() as u64 + number * (FRAME + OVERHEAD) as u64
}

/// How many frames hold so many plain bytes; nothing has a frame too, which says that it is whole.
pub(super) fn frames(bytes: u64) -> u64 {
    bytes.div_ceil(FRAME as u64).max(1)
}

/// How long the file of so many plain bytes is.
pub(crate) fn sealed_length(bytes: u64) -> u64 {
    HEADER.len() as u64 + bytes + frames(bytes) * OVERHEAD as u64
}

/// How many plain bytes a frame of such a file holds.
pub(super) fn length_of(number: u64, bytes: u64) -> usize {
    (bytes - number * FRAME as u64).min(FRAME as u64) as usize
}
