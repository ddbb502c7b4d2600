//! How far the answers of a run are written: the next batch, and the bytes and records before it.
//!
//! Two places are written in turn, each with a sum, so that one of them is whole whenever the
//! process is killed.

use super::private_file::private;
use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Three numbers and a sum.
const SLOT: usize = 3 * 8 + 8;

/// How far answers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// The next batch.
    pub(super) batch: u64,
    /// Bytes of the file; 0 before the first answers.
    pub(super) bytes: u64,
    /// Answers in it.
    pub(super) records: u64,
}

/// The file that says so.
#[derive(Debug)]
pub struct AnswerPosition {
    path: PathBuf,
    file: File,
    /// None where nothing was ever written.
    pub(super) known: Option<Written>,
    next_slot: u64,
}

impl AnswerPosition {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let failed = |error| Error::io("open", path, error);
        let mut options = private();
        let file = options.read(true).create(true).truncate(false).open(path);
        let mut position = AnswerPosition {
            path: path.to_owned(),
            file: file.map_err(failed)?,
            known: None,
            next_slot: 0,
        };
        let mut bytes = Vec::new();
        position.file.read_to_end(&mut bytes).map_err(failed)?;
        for (slot, bytes) in bytes.chunks(SLOT).enumerate() {
            let Some(written) = read(bytes) else { continue };
            if position
                .known
                .is_none_or(|known| known.batch <= written.batch)
            {
                position.known = Some(written);
                position.next_slot = 1 - (slot as u64).min(1);
            }
        }
        Ok(position)
    }

    pub(super) fn write(&mut self, written: Written) -> Result<()> {
        let place = SeekFrom::Start(self.next_slot * SLOT as u64);
        let bytes = bytes_of(written);
        let put = self.file.seek(place);
        put.and_then(|_| self.file.write_all(&bytes))
            .map_err(|error| Error::io("write", &self.path, error))?;
        self.next_slot = 1 - self.next_slot;
        self.known = Some(written);
        Ok(())
    }
}

fn bytes_of(written: Written) -> [u8; SLOT] {
    let mut bytes = [0; SLOT];
    let numbers = [written.batch, written.bytes, written.records];
    for (place, number) in bytes.chunks_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    let sum = Sha256::digest(&bytes[..SLOT - 8]);
    bytes[SLOT - 8..].copy_from_slice(&sum[..8]);
    bytes
}

fn read(bytes: &[u8]) -> Option<Written> {
    let number = |place: usize| {
        let part = bytes.get(8 * place..8 * place + 8)?;
        Some(u64::from_le_bytes(part.try_into().ok()?))
    };
    let written = Written {
        batch: number(0)?,
        bytes: number(1)?,
        records: number(2)?,
    };
    (bytes_of(written) == *bytes).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_is_whole_wherever_the_other_is_torn() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("answers");
        let written = |batch| Written {
            batch,
            bytes: batch * 100,
            records: batch * 3,
        };
        let mut position = AnswerPosition::open(&path).expect("made");
        assert_eq!(position.known, None);
        (0..5).for_each(|batch| position.write(written(batch)).expect("room"));
        let whole = std::fs::read(&path).expect("bytes");
        assert_eq!(whole.len(), 2 * SLOT);
        let known = || AnswerPosition::open(&path).expect("opened").known;
        assert_eq!(known(), Some(written(4)));
        for torn in 0..SLOT {
            let mut bytes = whole.clone();
            bytes[torn] ^= 1;
            std::fs::write(&path, bytes).expect("written");
            assert_eq!(known(), Some(written(3)), "{torn}");
        }
        let mut position = AnswerPosition::open(&path).expect("opened");
        position.write(written(4)).expect("room");
        assert_eq!(known(), Some(written(4)));
    }
}
