//! Logs: sealed files that grow by whole records, each of which is on disk before it is told.
//!
//! A record is a head and its sealed content; the head says where it stands in what is logged, in
//! whatever the log counts (bytes of events, released rows), and is authenticated with the number of
//! the record, so that none can be missing, stand twice or come from another log. A program that is
//! killed while it writes leaves the beginning of a record, which nobody was told of and which is cut
//! off when the log is opened again. Records that are cut off by somebody else are not seen here:
//! who keeps the log knows how far it was.

use super::cipher::{Cipher, OVERHEAD};
use super::key::Key;
use super::write::changed;
use crate::id::Id;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::Path;
use zeroize::Zeroizing;

/// What a log begins with: its kind and the version of its format.
const HEADER: [u8; 8] = *b"morelog\x01";
/// Bytes of the head of a record: the bytes sealed, the first place and the place after the last.
const HEAD: usize = 4 + 8 + 8;
/// How many bytes a record may have.
const MOST: usize = 64 << 20;

/// The head of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    sealed: u32,
    first: u64,
    next: u64,
}

impl Head {
    fn bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..4].copy_from_slice(&self.sealed.to_be_bytes());
        bytes[4..12].copy_from_slice(&self.first.to_be_bytes());
        bytes[12..].copy_from_slice(&self.next.to_be_bytes());
        bytes
    }

    /// What a head says; none that could be the head of a record.
    fn parse(bytes: &[u8; HEAD]) -> Option<Self> {
        let number = |range: std::ops::Range<usize>| {
            let digits = bytes[range].iter();
            digits.fold(0_u64, |number, &byte| number << 8 | u64::from(byte))
        };
        let head = Head {
            sealed: number(0..4) as u32,
            first: number(4..12),
            next: number(12..20),
        };
        let fits = (OVERHEAD..=MOST + OVERHEAD).contains(&(head.sealed as usize));
        (fits && head.next >= head.first).then_some(head)
    }

    /// What is authenticated with the content.
    fn context(self, of: Id, number: u64) -> [u8; 48] {
        let mut context = [0; 48];
        context[..8].copy_from_slice(&HEADER);
        context[8..24].copy_from_slice(of.bytes());
        context[24..32].copy_from_slice(&number.to_be_bytes());
        context[32..40].copy_from_slice(&self.first.to_be_bytes());
        context[40..].copy_from_slice(&self.next.to_be_bytes());
        context
    }
}

/// A record.
#[derive(Clone)]
pub struct Record {
    /// Where it begins.
    pub first: u64,
    /// Where the next one begins.
    pub next: u64,
    /// What it holds.
    pub content: Zeroizing<Vec<u8>>,
}

/// Without its content.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("first", &self.first)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

/// Adds records to a log. There may be one at a time.
pub struct LogWriter {
    file: File,
    cipher: Cipher,
    of: Id,
    number: u64,
    next: u64,
    bytes: u64,
    broken: bool,
}

impl LogWriter {
    /// Begins a log in a new file, whose first record begins at `first`.
    ///
    /// # Errors
    /// When there is a file already, or it cannot be written.
    pub fn create(path: &Path, key: &Key, of: Id, first: u64) -> Result<Self> {
        // Half a header never has the name of a log, also where the process is killed meanwhile.
        let beside = path.with_extension("new");
        let _ = std::fs::remove_file(&beside);
        let mut file = moretta::io::create_private(&beside)?;
        file.write_all(&HEADER)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)?;
        if let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(LogWriter {
            file,
            cipher: Cipher::new(key),
            of,
            number: 0,
            next: first,
            bytes: HEADER.len() as u64,
            broken: false,
        })
    }

    /// Goes on with a log; the beginning of a record that was not written whole is cut off.
    ///
    /// # Errors
    /// When it is no such log, or was changed.
    pub fn open(path: &Path, key: &Key, of: Id, first: u64) -> Result<Self> {
        let mut reader = LogReader::open(path, key, of, first)?;
        reader.find_end()?;
        let file = OpenOptions::new().write(true).open(path)?;
        if file.metadata()?.len() > reader.at {
            file.set_len(reader.at)?;
            file.sync_all()?;
        }
        let mut writer = LogWriter {
            file,
            cipher: reader.cipher,
            of,
            number: reader.number,
            next: reader.next,
            bytes: reader.at,
            broken: false,
        };
        writer.file.seek(SeekFrom::Start(writer.bytes))?;
        Ok(writer)
    }

    /// Where the next record begins.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a record that ends before `next`. It is on disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written; what was begun is cut off, and if that fails too, nothing can be
    /// added until the log is opened again.
    pub fn append(&mut self, next: u64, content: &[u8]) -> Result<()> {
        if self.broken {
            return Err(changed("the end"));
        }
        if content.len() > MOST || next < self.next {
            return Err(ErrorKind::InvalidInput.into());
        }
        let head = Head {
            sealed: (content.len() + OVERHEAD) as u32,
            first: self.next,
            next,
        };
        let sealed = self
            .cipher
            .seal(&head.context(self.of, self.number), content);
        let mut record = head.bytes().to_vec();
        record.extend_from_slice(&sealed);
        let written = self
            .file
            .write_all(&record)
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            let cut = self.file.set_len(self.bytes);
            let back = self.file.seek(SeekFrom::Start(self.bytes));
            self.broken = cut.is_err() || back.is_err();
            return Err(error);
        }
        self.bytes += record.len() as u64;
        self.number += 1;
        self.next = next;
        Ok(())
    }
}

impl fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogWriter")
            .field("of", &self.of)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

/// Reads a log, also while it grows.
pub struct LogReader {
    file: File,
    cipher: Cipher,
    of: Id,
    number: u64,
    next: u64,
    at: u64,
}

impl LogReader {
    /// Opens a log whose first record begins at `first`.
    ///
    /// # Errors
    /// When it is no such log.
    pub fn open(path: &Path, key: &Key, of: Id, first: u64) -> Result<Self> {
        let mut file = File::open(path)?;
        let mut header = [0; HEADER.len()];
        file.read_exact(&mut header)?;
        if header != HEADER {
            return Err(changed("the header"));
        }
        Ok(LogReader {
            file,
            cipher: Cipher::new(key),
            of,
            number: 0,
            next: first,
            at: HEADER.len() as u64,
        })
    }

    /// Where the next record begins.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Goes on to the record that holds the place `to`, or to the end if none does yet. Records that
    /// are passed are not opened.
    ///
    /// # Errors
    /// When the log was changed.
    pub fn pass(&mut self, to: u64) -> Result<()> {
        while let Some(head) = self.head()? {
            if head.next > to {
                break;
            }
            self.step(head);
        }
        Ok(())
    }

    /// The next record; none while it is not there whole.
    ///
    /// # Errors
    /// When the log was changed.
    pub fn record(&mut self) -> Result<Option<Record>> {
        let Some(head) = self.head()? else {
            return Ok(None);
        };
        let mut sealed = vec![0; head.sealed as usize];
        self.file.read_exact(&mut sealed)?;
        let context = head.context(self.of, self.number);
        let Some(content) = self.cipher.open(&context, &sealed) else {
            // The end of what is written at the moment, or was when somebody was killed.
            return match self.file.metadata()?.len() == self.end_of(head) {
                true => Ok(None),
                false => Err(changed("a record")),
            };
        };
        self.step(head);
        Ok(Some(Record {
            first: head.first,
            next: head.next,
            content,
        }))
    }

    /// Goes to the end of the last whole record.
    fn find_end(&mut self) -> Result<()> {
        let mut last = None;
        while let Some(head) = self.head()? {
            last = Some((self.at, self.number, self.next));
            self.step(head);
        }
        if let Some(before) = last {
            (self.at, self.number, self.next) = before;
            self.record()?;
        }
        Ok(())
    }

    /// The head of the next record; none while the record is not there in its full length.
    fn head(&mut self) -> Result<Option<Head>> {
        let length = self.file.metadata()?.len();
        if length < self.at + HEAD as u64 {
            return Ok(None);
        }
        self.file.seek(SeekFrom::Start(self.at))?;
        let mut bytes = [0; HEAD];
        self.file.read_exact(&mut bytes)?;
        let head = Head::parse(&bytes).filter(|head| head.first == self.next);
        match head {
            Some(head) if length >= self.end_of(head) => Ok(Some(head)),
            Some(_) => Ok(None),
            // A disk may have grown the file before it had the bytes.
            None if bytes == [0; HEAD] => Ok(None),
            None => Err(changed("a record")),
        }
    }

    fn end_of(&self, head: Head) -> u64 {
        self.at + HEAD as u64 + u64::from(head.sealed)
    }

    fn step(&mut self, head: Head) {
        self.at = self.end_of(head);
        self.number += 1;
        self.next = head.next;
    }
}

impl fmt::Debug for LogReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogReader")
            .field("of", &self.of)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    struct Log {
        folder: tempfile::TempDir,
        key: Key,
        of: Id,
    }

    impl Log {
        fn new() -> Self {
            Log {
                folder: tempfile::tempdir().expect("a folder"),
                key: Key::random(),
                of: Id::random(),
            }
        }

        fn path(&self) -> std::path::PathBuf {
            self.folder.path().join("log")
        }

        fn create(&self, first: u64) -> LogWriter {
            LogWriter::create(&self.path(), &self.key, self.of, first).expect("a log")
        }

        fn reopened(&self, first: u64) -> Result<LogWriter> {
            LogWriter::open(&self.path(), &self.key, self.of, first)
        }

        fn read(&self, first: u64) -> Result<Vec<(u64, u64, Vec<u8>)>> {
            let mut reader = LogReader::open(&self.path(), &self.key, self.of, first)?;
            let mut records = Vec::new();
            while let Some(record) = reader.record()? {
                records.push((record.first, record.next, record.content.to_vec()));
            }
            Ok(records)
        }
    }

    #[test]
    fn records_are_read_as_they_come_and_from_any_place() {
        let log = Log::new();
        let mut writer = log.create(100);
        let mut reader = LogReader::open(&log.path(), &log.key, log.of, 100).expect("opens");
        assert!(reader.record().expect("reads").is_none());
        writer.append(103, b"canary-one").expect("written");
        let first = reader.record().expect("reads").expect("there");
        assert_eq!(
            (first.first, first.next, &**first.content),
            (100, 103, &b"canary-one"[..])
        );
        writer.append(103, b"").expect("an empty one");
        writer.append(110, b"two").expect("written");
        let sealed = fs::read(log.path()).expect("a file");
        assert!(!sealed.windows(6).any(|bytes| bytes == b"canary"));
        for (to, expected) in [
            (100, Some(100)),
            (102, Some(100)),
            (103, Some(103)),
            (109, Some(103)),
            (110, None),
        ] {
            let mut reader = LogReader::open(&log.path(), &log.key, log.of, 100).expect("opens");
            reader.pass(to).expect("passes");
            let found = reader.record().expect("reads").map(|record| record.first);
            assert_eq!(found, expected, "{to}");
        }
        let other = LogReader::open(&log.path(), &log.key, Id::random(), 100);
        let read = other.and_then(|mut other| other.record());
        assert!(read.is_err(), "a log of another object");
    }

    #[test]
    fn a_changed_moved_or_missing_record_is_found() {
        let log = Log::new();
        let mut writer = log.create(0);
        for number in 1..=4_u64 {
            writer
                .append(10 * number, &[number as u8; 30])
                .expect("written");
        }
        drop(writer);
        let whole = fs::read(log.path()).expect("a file");
        let record = HEAD + OVERHEAD + 30;
        let records = |range: std::ops::Range<usize>| {
            whole[8 + range.start * record..8 + range.end * record].to_vec()
        };
        let put = |parts: &[Vec<u8>]| {
            fs::write(log.path(), [&HEADER[..], &parts.concat()].concat()).expect("written");
            log.read(0)
        };
        assert_eq!(put(&[records(0..4)]).expect("whole").len(), 4);
        assert!(put(&[records(1..4)]).is_err(), "the first is missing");
        assert!(
            put(&[records(0..1), records(2..4)]).is_err(),
            "one is missing"
        );
        assert!(
            put(&[records(0..2), records(1..4)]).is_err(),
            "one stands twice"
        );
        for place in 8..8 + 3 * record {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            fs::write(log.path(), &changed).expect("written");
            let read = log.read(0);
            assert!(read.map_or(true, |read| read.len() < 3), "byte {place}");
        }
    }

    proptest! {
        #[test]
        fn a_log_that_was_cut_goes_on_after_its_last_whole_record(
            lengths in proptest::collection::vec(0usize..200, 1..8),
            cut in 0usize..2000,
            zeros in 0usize..100,
        ) {
            let log = Log::new();
            let mut writer = log.create(7);
            let mut ends = vec![writer.bytes()];
            for (number, &length) in lengths.iter().enumerate() {
                writer.append(writer.next() + length as u64, &vec![number as u8; length]).expect("written");
                ends.push(writer.bytes());
            }
            drop(writer);
            let mut bytes = fs::read(log.path()).expect("a file");
            bytes.truncate(cut.max(HEADER.len()));
            let whole = ends.iter().filter(|&&end| end <= bytes.len() as u64).count() - 1;
            if (bytes.len() as u64) < ends[lengths.len()] {
                bytes.extend(vec![0; zeros]);
            }
            fs::write(log.path(), &bytes).expect("written");
            let reopened = log.reopened(7);
            // Zeros in the middle of a record that lie before another end are damage, and told as such.
            if let Ok(mut writer) = reopened {
                let kept: u64 = lengths[..whole].iter().map(|&length| length as u64).sum();
                prop_assert_eq!(writer.next(), 7 + kept);
                writer.append(writer.next() + 1, b"new").expect("written");
                let read = log.read(7).expect("reads");
                prop_assert_eq!(read.len(), whole + 1);
                prop_assert_eq!(&read[whole].2[..], b"new");
            } else {
                prop_assert!(zeros > 0);
            }
        }
    }
}
