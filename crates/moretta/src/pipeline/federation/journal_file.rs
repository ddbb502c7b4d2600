//! A journal in two files: a checkpoint, and the entries since then.
//!
//! Each entry has its length, its number and a sum. A file that ends within an entry was being
//! written when the party was killed: that entry had no effect and is cut off. A sum that is
//! wrong before the end is damage, and the journal is refused. A checkpoint is written beside
//! the old one and renamed; entries that it covers are told by their numbers, so a kill between
//! the two steps does no harm. Files can be read by their owner alone.

use super::private_file::private;
use crate::error::{Error, Result};
use crate::federate::{Journal, Stored};
use crate::learn::model::{Reader, Writer};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 4] = b"mFjl";
const VERSION: u32 = 5;
/// Magic, version and the number of the first entry, or of the first after a checkpoint.
const START: usize = 16;
/// Length and sum.
const FRAME: usize = 4 + 16;

/// The journal.
#[derive(Debug)]
pub struct FileJournal {
    path: PathBuf,
    file: File,
    /// Whether each entry is on the disk, and not only with the operating system.
    syncs: bool,
    next: u64,
    end: u64,
    before: u64,
}

impl FileJournal {
    /// Bytes of a journal without entries.
    pub(super) const EMPTY: u64 = START as u64;

    /// Opens the journal at a path, or makes one. With `syncs` an entry also survives a loss of
    /// power, at the price of a write to the disk each.
    pub fn open(path: impl AsRef<Path>, syncs: bool) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let failed = |error| Error::io("open", &path, error);
        let file = private()
            .create(true)
            .truncate(false)
            .read(true)
            .open(&path)
            .map_err(failed)?;
        let mut journal = FileJournal {
            file,
            syncs,
            next: 0,
            end: 0,
            before: 0,
            path,
        };
        let length = journal
            .file
            .metadata()
            .map_err(|e| journal.failed(e))?
            .len();
        if length < START as u64 {
            journal.begin(0)?;
        }
        journal.read()?;
        Ok(journal)
    }

    fn failed(&self, error: std::io::Error) -> Error {
        Error::io("write", &self.path, error)
    }

    fn beside(&self, extension: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(extension);
        PathBuf::from(name)
    }

    /// Begins anew with entries from this number on.
    fn begin(&mut self, first: u64) -> Result<()> {
        let start = start(first);
        let written = self
            .file
            .set_len(0)
            .and_then(|()| self.file.seek(SeekFrom::Start(0)))
            .and_then(|_| self.file.write_all(&start));
        written.map_err(|error| self.failed(error))?;
        (self.next, self.end, self.before) = (first, START as u64, START as u64);
        self.sync()
    }

    fn sync(&mut self) -> Result<()> {
        match self.syncs {
            true => self.file.sync_data().map_err(|error| self.failed(error)),
            false => Ok(()),
        }
    }

    /// Cuts the file to a length.
    fn cut(&mut self, end: u64) -> Result<()> {
        let cut = self
            .file
            .set_len(end)
            .and_then(|()| self.file.seek(SeekFrom::Start(end)));
        cut.map_err(|error| self.failed(error))?;
        self.end = end;
        Ok(())
    }

    fn read_checkpoint(&self) -> Result<Option<(u64, Vec<u8>)>> {
        let path = self.beside(".checkpoint");
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", &path, error)),
        };
        let next = first_of(&bytes, &path)?;
        match framed(&bytes[START..], next) {
            Some((state, [])) => Ok(Some((next, state.to_vec()))),
            _ => Err(damaged(&path)),
        }
    }
}

impl Journal for FileJournal {
    fn append(&mut self, entry: &[u8]) -> Result<()> {
        let bytes = frame(entry, self.next);
        if let Err(error) = self.file.write_all(&bytes) {
            // Half an entry would be cut at the next start; it is better to leave none.
            let end = self.end;
            let failed = self.failed(error);
            self.cut(end)?;
            return Err(failed);
        }
        self.before = self.end;
        self.end += bytes.len() as u64;
        self.next += 1;
        self.sync()
    }

    fn take_back(&mut self) -> Result<()> {
        if self.end > self.before {
            self.cut(self.before)?;
            self.next -= 1;
        }
        Ok(())
    }

    fn checkpoint(&mut self, state: &[u8]) -> Result<()> {
        let (aside, path) = (self.beside(".new"), self.beside(".checkpoint"));
        let failed = |error| Error::io("write", &path, error);
        let mut file = private()
            .create(true)
            .truncate(true)
            .open(&aside)
            .map_err(failed)?;
        let written = file
            .write_all(&start(self.next))
            .and_then(|()| file.write_all(&frame(state, self.next)))
            .and_then(|()| file.sync_data())
            .and_then(|()| std::fs::rename(&aside, &path));
        if written.is_err() {
            // A disk that is full needs the room.
            let _ = std::fs::remove_file(&aside);
        }
        written.map_err(failed)?;
        self.begin(self.next)
    }

    fn read(&mut self) -> Result<Stored> {
        let mut bytes = Vec::new();
        let read = self
            .file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.read_to_end(&mut bytes));
        read.map_err(|error| Error::io("read", &self.path, error))?;
        let checkpoint = self.read_checkpoint()?;
        let covered = checkpoint.as_ref().map_or(0, |(next, _)| *next);
        let mut number = first_of(&bytes, &self.path)?;
        if number > covered {
            return Err(damaged(&self.path));
        }
        let mut entries = Vec::new();
        let mut rest = &bytes[START..];
        while let Some((entry, after)) = framed(rest, number) {
            if number >= covered {
                entries.push(entry.to_vec());
            }
            (rest, number) = (after, number + 1);
        }
        if !is_torn(rest) {
            return Err(damaged(&self.path));
        }
        self.cut((bytes.len() - rest.len()) as u64)?;
        (self.before, self.next) = (self.end, number);
        if number < covered {
            self.begin(covered)?;
        }
        Ok(Stored {
            checkpoint: checkpoint.map(|(_, state)| state),
            entries,
        })
    }
}

fn start(first: u64) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw(MAGIC);
    out.u32(VERSION);
    out.u64(first);
    out.into_bytes()
}

/// The number of the first entry of a file, if it is one of this version.
fn first_of(bytes: &[u8], path: &Path) -> Result<u64> {
    let mut from = Reader::new(bytes);
    let (magic, version) = (from.array::<4>(), from.u32());
    match (magic, version) {
        (Ok(magic), Ok(VERSION)) if magic == *MAGIC => from.u64(),
        (Ok(magic), Ok(_)) if magic == *MAGIC => {
            Err(Error::input("the journal is of another version")
                .in_file(path)
                .help(
                    "go on with the program that wrote it, or begin all parties anew with --force",
                ))
        }
        _ => Err(damaged(path)),
    }
}

fn sum(body: &[u8], number: u64) -> [u8; 16] {
    let mut sum = Sha256::new();
    sum.update(number.to_le_bytes());
    sum.update(body);
    sum.finalize()[..16].try_into().expect("32 bytes")
}

fn frame(body: &[u8], number: u64) -> Vec<u8> {
    let mut out = Writer::default();
    out.u32(body.len() as u32);
    out.raw(&sum(body, number));
    out.raw(body);
    out.into_bytes()
}

/// The entry of a number at the beginning of bytes, and what follows it.
fn framed(bytes: &[u8], number: u64) -> Option<(&[u8], &[u8])> {
    let (head, rest) = bytes.split_at_checked(FRAME)?;
    let (length, known) = head.split_at(4);
    let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
    let (body, after) = rest.split_at_checked(length)?;
    (sum(body, number) == known).then_some((body, after))
}

/// Whether bytes that are no entry are the beginning of one at the end of the file.
fn is_torn(rest: &[u8]) -> bool {
    let Some((head, body)) = rest.split_at_checked(FRAME) else {
        return true;
    };
    let length = head[..4].iter().rev();
    let length = length.fold(0_usize, |sum, &byte| sum << 8 | usize::from(byte));
    body.len() <= length
}

fn damaged(path: &Path) -> Error {
    Error::input("the journal is damaged")
        .in_file(path)
        .help("begin all parties anew with --force")
}
