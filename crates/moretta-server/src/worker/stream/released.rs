//! Where released rows go: into a log, each record with how far the session was.
//!
//! Rows and the place from which another child goes on are one record, so that either both are on
//! disk or neither: a child that is killed at any moment releases no row twice and loses none.

use super::tail::Events;
use crate::seal::{Key, LogReader, LogWriter};
use crate::stream::protocol::{Segment, Start};
use moretta::data::Schema;
use moretta::engine::{Checked, Resume, Sink};
use moretta::io::{self, Files, MemoryFiles, WriteOptions};
use moretta::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Bytes after which a segment is full.
const FULL: u64 = 64 << 20;
/// Bytes of released rows that may wait in memory for the disk.
const WAITING: u64 = 8 << 20;
/// What the rows are called while they are written.
const ROWS: &str = "released.jsonl";

/// What stands on the first line of a record; its rows follow.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SoFar {
    /// From where another session goes on; none when all was released.
    pub(crate) resume: Option<Resume>,
    /// Where another policy would begin.
    pub(crate) to: Start,
}

/// The segment into which rows are released.
pub(super) struct Log {
    writer: LogWriter,
    number: u64,
    /// Held while this is open: two children never write into one log.
    _lock: File,
}

impl Log {
    /// Opens the segments of a version of a policy; gives how far it was. None while another child
    /// writes them, whose server has lost the stream.
    pub(super) fn open(
        segments: &[Segment],
        lock: &Path,
    ) -> std::io::Result<Option<(Self, Option<SoFar>)>> {
        let mut options = File::options();
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .open(lock)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let last = segments.last().ok_or(std::io::ErrorKind::NotFound)?;
        let log = Log {
            writer: opened(last)?,
            number: last.number,
            _lock: file,
        };
        // A segment that was recorded and not begun has no file.
        let begun = segments.iter().rev();
        for segment in begun.filter(|segment| segment.path.exists()) {
            let key = key(segment)?;
            let mut reader = LogReader::open(&segment.path, &key, segment.object, segment.first)?;
            let mut so_far = None;
            while let Some(record) = reader.record()? {
                so_far = Some(parse(&record.content)?.0);
            }
            if so_far.is_some() {
                return Ok(Some((log, so_far)));
            }
        }
        Ok(Some((log, None)))
    }

    /// Rows released so far.
    pub(super) fn next(&self) -> u64 {
        self.writer.next()
    }

    /// Whether it is time for another segment.
    fn is_full(&self) -> bool {
        self.writer.bytes() >= FULL
    }

    /// Goes on in another segment.
    fn turn(&mut self, segment: &Segment) -> std::io::Result<()> {
        if segment.number <= self.number || segment.first != self.next() {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        self.number = segment.number;
        self.writer = opened(segment)?;
        Ok(())
    }
}

fn key(segment: &Segment) -> std::io::Result<Key> {
    Key::parse(&segment.key).ok_or_else(|| std::io::ErrorKind::InvalidData.into())
}

/// Opens a segment; makes its file when it is the first time.
fn opened(segment: &Segment) -> std::io::Result<LogWriter> {
    let key = key(segment)?;
    match segment.path.exists() {
        true => LogWriter::open(&segment.path, &key, segment.object, segment.first),
        false => LogWriter::create(&segment.path, &key, segment.object, segment.first),
    }
}

/// The parts of a record: how far the session was, and the rows.
pub(crate) fn parse(content: &[u8]) -> std::io::Result<(SoFar, &[u8])> {
    let end = content.iter().position(|&byte| byte == b'\n');
    let end = end.ok_or(std::io::ErrorKind::InvalidData)?;
    let so_far = serde_json::from_slice(&content[..end])?;
    Ok((so_far, &content[end + 1..]))
}

/// Where batches of events ended: how many events had come then, and the byte at which the next one
/// begins. Events that are not wanted count below 0.
#[derive(Clone, Default)]
pub(super) struct Reached(Arc<Mutex<Vec<(i64, u64)>>>);

impl Reached {
    /// Another batch has ended.
    pub(super) fn note(&self, events: i64, byte: u64) {
        self.ends().push((events, byte));
    }

    fn ends(&self) -> MutexGuard<'_, Vec<(i64, u64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place after so many events, or after all that have come; what lies before it is
    /// forgotten.
    fn place(&self, taken: Option<u64>) -> Start {
        let mut ends = self.ends();
        let taken = taken.map(|taken| taken as i64);
        let last = ends
            .iter()
            .rposition(|(events, _)| taken.is_none_or(|taken| *events <= taken));
        ends.drain(..last.unwrap_or(0));
        let (events, byte) = ends.first().copied().unwrap_or_default();
        Start {
            byte,
            skip: taken.map_or(0, |taken| (taken - events).max(0) as u64),
        }
    }
}

/// What the server is asked for when a segment is full.
pub(super) trait Segments: Send {
    /// The segment for rows from `next` on.
    fn next_segment(&mut self, next: u64) -> std::io::Result<Segment>;
}

/// How far what was committed is, for figures.
#[derive(Clone, Debug, Default)]
pub(super) struct Committed {
    /// Events taken.
    pub(super) taken: u64,
    /// Rows released.
    pub(super) released: u64,
    /// Where another policy would begin.
    pub(super) to: Start,
    /// The first byte that another child would need.
    pub(super) needed_from: u64,
    /// Milliseconds that events have waited until what became of them was on disk.
    pub(super) waited: Vec<u64>,
}

/// Takes checked rows and commits them. A record reaches the disk on a thread of its own, while the
/// next rows are worked on: however slow the disk is, no event waits for it.
pub(super) struct Releases {
    disk: Disk,
    memory: MemoryFiles,
    file: Box<dyn io::Sink>,
    /// Rows since the last commit.
    rows: u64,
    reached: Reached,
    events: Events,
    first_byte: u64,
    /// Events taken at the last commit; none before the first since the child began.
    taken: Option<u64>,
    committed: Arc<Mutex<Committed>>,
}

/// The log and who gives it segments, here or on the thread that writes a record.
enum Disk {
    Idle(Box<Segmented>),
    Writes(JoinHandle<std::io::Result<Box<Segmented>>>),
    /// A record could not be written.
    Failed,
}

/// A log that goes on in another segment when one is full.
struct Segmented {
    log: Log,
    segments: Box<dyn Segments>,
}

impl Segmented {
    fn append(&mut self, rows: u64, content: &[u8]) -> std::io::Result<()> {
        if self.log.is_full() {
            let next = self.segments.next_segment(self.log.next())?;
            self.log.turn(&next)?;
        }
        self.log.writer.append(self.log.next() + rows, content)
    }
}

impl Releases {
    pub(super) fn new(
        log: Log,
        segments: Box<dyn Segments>,
        schema: &Arc<Schema>,
        (reached, events): (Reached, Events),
        first_byte: u64,
    ) -> Result<Self> {
        let memory = MemoryFiles::default();
        let options = WriteOptions {
            files: Files::provided(memory.clone()),
            ..WriteOptions::default()
        };
        Ok(Releases {
            file: io::create(Path::new(ROWS), &options, schema)?,
            disk: Disk::Idle(Box::new(Segmented { log, segments })),
            memory,
            rows: 0,
            reached,
            events,
            first_byte,
            taken: None,
            committed: Arc::default(),
        })
    }

    /// How far it is; waits are told once.
    pub(super) fn committed(&self) -> Arc<Mutex<Committed>> {
        Arc::clone(&self.committed)
    }

    /// Waits until what was committed is on disk.
    fn settle(&mut self) -> std::io::Result<Box<Segmented>> {
        match std::mem::replace(&mut self.disk, Disk::Failed) {
            Disk::Idle(segmented) => Ok(segmented),
            Disk::Writes(thread) => thread.join().unwrap_or_else(|_| Err(unwritten())),
            Disk::Failed => Err(unwritten()),
        }
    }

    /// The record of the rows since the last commit.
    fn record(&mut self, head: &SoFar) -> Result<Vec<u8>> {
        let mut content =
            serde_json::to_vec(head).map_err(|_| Error::bug("a place cannot be written"))?;
        content.push(b'\n');
        self.file.flush()?;
        let rows = self.memory.take(Path::new(ROWS));
        content.extend(rows.ok_or_else(|| Error::bug("released rows have gone"))?);
        Ok(content)
    }
}

impl Sink for Releases {
    fn write(&mut self, rows: &Checked) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.rows += rows.rows().len() as u64;
        self.file.write(rows.rows())
    }

    fn commit(&mut self, so_far: Option<&Resume>) -> Result<()> {
        let taken = so_far.map(|so_far| so_far.rows().iter().sum::<u64>());
        if self.rows == 0 && taken.is_some() && taken == self.taken {
            return Ok(());
        }
        let to = self.reached.place(taken);
        let content = self.record(&SoFar {
            resume: so_far.cloned(),
            to,
        })?;
        let (is_first, is_last) = (self.taken.is_none(), taken.is_none());
        let taken = taken.or(self.taken).unwrap_or_default();
        self.taken = Some(taken);
        let needed = so_far.and_then(|so_far| so_far.first_row(0).position);
        let so_far = Committed {
            taken,
            to,
            needed_from: match so_far {
                Some(_) => needed.map_or(self.first_byte, |(_, byte)| byte),
                None => to.byte,
            },
            ..Committed::default()
        };
        let failed = |e| Error::io("write", Path::new(ROWS), e);
        let mut segmented = self.settle().map_err(failed)?;
        let rows = std::mem::take(&mut self.rows);
        let (events, committed) = (self.events.clone(), Arc::clone(&self.committed));
        self.disk = Disk::Writes(std::thread::spawn(move || {
            segmented.append(rows, &content)?;
            let now = now();
            let waited = events.accepted_before(so_far.to.byte).into_iter();
            let waited = waited.map(|accepted| (now - accepted).max(0) as u64);
            let mut committed = locked(&committed);
            let before = std::mem::take(&mut committed.waited);
            *committed = Committed {
                released: segmented.log.next(),
                waited: before.into_iter().chain(waited).collect(),
                ..so_far
            };
            Ok(segmented)
        }));
        // What masks draw from is on disk before a row can be seen, and the end before it is told.
        if is_first || is_last {
            self.disk = Disk::Idle(self.settle().map_err(failed)?);
        }
        Ok(())
    }

    fn is_busy(&self) -> bool {
        let waiting = self.memory.bytes(Path::new(ROWS)).unwrap_or_default();
        let writes = matches!(&self.disk, Disk::Writes(thread) if !thread.is_finished());
        writes && waiting < WAITING
    }

    fn abort(&mut self) {}
}

/// A record that is on its way gets there before the log is let go.
impl Drop for Releases {
    fn drop(&mut self) {
        drop(self.settle());
    }
}

fn unwritten() -> std::io::Error {
    std::io::Error::other("released rows could not be written")
}

/// The time, in milliseconds since 1970.
fn now() -> i64 {
    crate::clock::Clock::default().now()
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
