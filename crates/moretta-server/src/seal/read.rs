//! Reads a sealed file, at any place.

use super::cipher::{Cipher, OVERHEAD};
use super::frame::{FRAME, HEADER, context, frames, length_of, position, sealed_length};
use super::key::Key;
use super::write::changed;
use crate::id::Id;
use std::fmt;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};
use std::ops::Range;
use zeroize::Zeroizing;

/// Reads a sealed file. What it gives was sealed for this object at this place; what was changed,
/// cut off or put elsewhere is an error.
pub struct SealedReader<R> {
    sealed: R,
    cipher: Cipher,
    of: Id,
    bytes: u64,
    at: u64,
    /// The frame that is open.
    number: u64,
    /// Its bytes, and which of them are plain; each frame is read into the same memory.
    frame: Zeroizing<Vec<u8>>,
    plain: Range<usize>,
    /// Of a file that is still written: its full frames, and what has not filled one.
    growing: Option<(u64, Zeroizing<Vec<u8>>)>,
}

impl<R: Read + Seek> SealedReader<R> {
    /// Opens a file of `bytes` plain bytes. Its end is verified at once, other frames when they are
    /// read.
    ///
    /// # Errors
    /// When it is no such file, is shorter or longer, or its end was changed.
    pub fn new(mut sealed: R, key: &Key, of: Id, bytes: u64) -> Result<Self> {
        if sealed.seek(SeekFrom::End(0))? != sealed_length(bytes) {
            return Err(changed("the length"));
        }
        let mut header = [0; HEADER.len()];
        sealed.seek(SeekFrom::Start(0))?;
        sealed.read_exact(&mut header)?;
        if header != HEADER {
            return Err(changed("the header"));
        }
        let mut reader = SealedReader {
            sealed,
            cipher: Cipher::new(key),
            of,
            bytes,
            at: 0,
            number: 0,
            frame: Zeroizing::default(),
            plain: 0..0,
            growing: None,
        };
        reader.open(frames(bytes) - 1)?;
        Ok(reader)
    }

    /// What a file holds that is still written: some full frames, and the rest in memory.
    pub(super) fn so_far(
        sealed: R,
        key: &Key,
        of: Id,
        (full, rest): (u64, Zeroizing<Vec<u8>>),
    ) -> Self {
        SealedReader {
            sealed,
            cipher: Cipher::new(key),
            of,
            bytes: full * FRAME as u64 + rest.len() as u64,
            at: 0,
            number: 0,
            frame: Zeroizing::default(),
            plain: 0..0,
            growing: Some((full, rest)),
        }
    }

    /// The number of plain bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn open(&mut self, number: u64) -> Result<()> {
        // Until it is verified there is nothing to give.
        self.plain = 0..0;
        if let Some((full, rest)) = &self.growing
            && number == *full
        {
            self.frame.clear();
            self.frame.extend_from_slice(rest);
            self.plain = 0..rest.len();
            self.number = number;
            return Ok(());
        }
        self.frame
            .resize(length_of(number, self.bytes) + OVERHEAD, 0);
        self.sealed.seek(SeekFrom::Start(position(number)))?;
        self.sealed.read_exact(&mut self.frame)?;
        let is_last = self.growing.is_none() && number + 1 == frames(self.bytes);
        let context = context(self.of, number, is_last);
        let opened = self.cipher.open_in_place(&context, &mut self.frame);
        self.plain = opened.ok_or_else(|| changed("a frame"))?;
        self.number = number;
        Ok(())
    }
}

impl<R: Read + Seek> Read for SealedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        if self.at >= self.bytes || into.is_empty() {
            return Ok(0);
        }
        let number = self.at / FRAME as u64;
        if number != self.number || self.plain.is_empty() {
            self.open(number)?;
        }
        let rest = &self.frame[self.plain.clone()][(self.at % FRAME as u64) as usize..];
        let taken = rest.len().min(into.len());
        into[..taken].copy_from_slice(&rest[..taken]);
        self.at += taken as u64;
        Ok(taken)
    }
}

impl<R: Read + Seek> Seek for SealedReader<R> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "before the beginning"))?;
        Ok(self.at)
    }
}

impl<R> fmt::Debug for SealedReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedReader")
            .field("of", &self.of)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
