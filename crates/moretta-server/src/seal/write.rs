//! Writes a sealed file, all at once or with pauses.

use super::cipher::Cipher;
use super::frame::{FRAME, HEADER, context, position};
use super::key::Key;
use super::read::SealedReader;
use crate::id::Id;
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use zeroize::Zeroizing;

/// Writes a sealed file.
///
/// A frame reaches the file once and is never written again. What has not filled one is kept in
/// memory, and between two parts of an upload in [`Paused`]: a server that is killed while it
/// writes can only lose what it had not yet said to have.
pub struct SealedWriter {
    file: File,
    cipher: Cipher,
    of: Id,
    frames: u64,
    rest: Zeroizing<Vec<u8>>,
    sum: Sha256,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The number of plain bytes.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

/// From where writing goes on. Full frames are in the file and on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paused {
    /// The number of plain bytes so far.
    pub bytes: u64,
    /// What has not filled a frame, and the sum so far; sealed.
    pub rest: Vec<u8>,
}

impl SealedWriter {
    /// Begins in an empty file that is open for writing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(mut file: File, key: &Key, of: Id) -> Result<Self> {
        file.write_all(&HEADER)?;
        Ok(SealedWriter {
            file,
            cipher: Cipher::new(key),
            of,
            frames: 0,
            rest: Zeroizing::new(Vec::with_capacity(FRAME)),
            sum: Sha256::new(),
        })
    }

    /// Goes on where it was paused; what was written after that is cut off.
    ///
    /// # Errors
    /// When the pause is of another file, or the file is too short.
    pub fn resume(mut file: File, key: &Key, of: Id, paused: &Paused) -> Result<Self> {
        let cipher = Cipher::new(key);
        let opened = cipher.open(&pausing(of, paused.bytes), &paused.rest);
        let opened = opened.ok_or_else(|| changed("the pause"))?;
        let (sum, kept) = opened
            .split_at_checked(SerializedState::<Sha256>::default().len())
            .ok_or_else(|| changed("the pause"))?;
        let sum = SerializedState::<Sha256>::try_from(sum).map_err(|_| changed("the pause"))?;
        let sum = Sha256::deserialize(&sum).map_err(|_| changed("the pause"))?;
        let frames = (paused.bytes - kept.len() as u64) / FRAME as u64;
        let end = position(frames);
        if file.metadata()?.len() < end {
            return Err(changed("the end"));
        }
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        let mut rest = Zeroizing::new(Vec::with_capacity(FRAME));
        rest.extend_from_slice(kept);
        Ok(SealedWriter {
            file,
            cipher,
            of,
            frames,
            rest,
            sum,
        })
    }

    /// What was written so far, to be read while writing goes on; `sealed` is the same file.
    pub fn so_far<R: Read + Seek>(&self, sealed: R, key: &Key) -> SealedReader<R> {
        SealedReader::so_far(sealed, key, self.of, (self.frames, self.rest.clone()))
    }

    /// The number of plain bytes so far.
    pub fn bytes(&self) -> u64 {
        self.frames * FRAME as u64 + self.rest.len() as u64
    }

    /// Brings what was written to disk and gives from where to go on.
    ///
    /// # Errors
    /// When it cannot be brought there.
    pub fn pause(self) -> Result<Paused> {
        self.file.sync_all()?;
        let mut kept = Zeroizing::new(self.sum.serialize().to_vec());
        kept.extend_from_slice(&self.rest);
        let bytes = self.bytes();
        Ok(Paused {
            bytes,
            rest: self.cipher.seal(&pausing(self.of, bytes), &kept),
        })
    }

    /// Writes the last frame and brings all to disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> Result<Written> {
        self.frame(true)?;
        self.file.sync_all()?;
        Ok(Written {
            bytes: self.bytes(),
            sha256: self.sum.finalize().into(),
        })
    }

    fn frame(&mut self, is_last: bool) -> Result<()> {
        let context = context(self.of, self.frames, is_last);
        self.file.write_all(&self.cipher.seal(&context, &self.rest))
    }
}

impl Write for SealedWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        // A full frame waits for what comes after it: only then it is known not to be the last.
        if self.rest.len() == FRAME {
            self.frame(false)?;
            self.frames += 1;
            self.rest.clear();
        }
        let taken = &bytes[..bytes.len().min(FRAME - self.rest.len())];
        self.rest.extend_from_slice(taken);
        self.sum.update(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What is authenticated with a pause.
fn pausing(of: Id, bytes: u64) -> Vec<u8> {
    format!("moretta pause 1 {of} {bytes}").into_bytes()
}

pub(super) fn changed(what: &str) -> Error {
    Error::new(
        ErrorKind::InvalidData,
        format!("{what} of a sealed file is not as it was written"),
    )
}

impl fmt::Debug for SealedWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedWriter")
            .field("of", &self.of)
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
