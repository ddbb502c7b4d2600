//! Why each row of a stream was released, line by line, for whoever wants to count again.
//!
//! There is one kind of line for events ([`events`]) and one for masked records ([`records`]); a
//! line `row,,,,,,` of either says that the row was ahead of the clock and was turned away. A row
//! is that of the source (`source:row` when there are several, both from 1 on). A certificate
//! tells which row of a release is which of the source: it is for those who may see the source,
//! not for the readers of a release.

pub(super) mod events;
pub(super) mod records;

use crate::engine::Why;
use crate::engine::arrival::SOURCE_SHIFT;
use crate::error::{Error, Result};
use crate::io::{Files, Readable, Writable};
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What follows the row in the line of one that was turned away.
const TURNED_AWAY: &str = ",,,,,,";

/// Bytes of the longest line that is read.
const LONGEST: u64 = 1 << 16;

/// A certificate that is being written.
pub(super) struct Certificate {
    about: About,
    lines: Lines,
}

/// The file with its lines.
struct Lines {
    file: BufWriter<Box<dyn Writable>>,
    path: PathBuf,
    several: bool,
    bytes: u64,
    line: String,
}

/// What a certificate is about.
pub(super) enum About {
    /// Events.
    Events(events::Subject),
    /// Masked records.
    Records(records::Subject),
}

impl About {
    fn header(&self) -> &'static str {
        match self {
            About::Events(_) => events::HEADER,
            About::Records(_) => records::HEADER,
        }
    }
}

impl Certificate {
    /// Begins a certificate; a file that is there is replaced. `several`: there is more than one
    /// source.
    pub(super) fn create(
        (path, files): (&Path, &Files),
        about: About,
        several: bool,
    ) -> Result<Self> {
        // Who knows which rows have a line knows which are made up.
        let file = files.create(path);
        let file = file.map_err(|e| Error::io("create", path, e))?;
        let mut lines = Lines::new(path, file, several, 0);
        lines.line.push_str(about.header());
        lines.end_line()?;
        Ok(Certificate { about, lines })
    }

    /// Goes on with a certificate after its first `bytes`; what is behind them is cut off.
    pub(super) fn resume(
        (path, files): (&Path, &Files),
        about: About,
        several: bool,
        bytes: u64,
    ) -> Result<Self> {
        let failed = |e| Error::io("resume", path, e);
        if let Some(provider) = files.provider() {
            let file = provider.reopen(path, bytes).map_err(failed)?;
            let lines = Lines::new(path, file, several, bytes);
            return Ok(Certificate { about, lines });
        }
        let mut file = File::options().write(true).open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.len() < bytes {
            let kind = std::io::ErrorKind::UnexpectedEof;
            return Err(failed(std::io::Error::new(
                kind,
                "it is shorter than its checkpoint says",
            )));
        }
        file.set_len(bytes).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let lines = Lines::new(path, Box::new(file), several, bytes);
        Ok(Certificate { about, lines })
    }

    /// Writes the lines about some rows.
    pub(super) fn write(&mut self, why: &Why) -> Result<()> {
        let Certificate { about, lines } = self;
        let mut write = |id, rest: fmt::Arguments<'_>| lines.write(id, rest);
        match (about, why) {
            (_, Why::TurnedAway(ids)) => {
                let mut ids = ids.iter();
                ids.try_for_each(|&id| write(id, format_args!("{TURNED_AWAY}")))
            }
            (About::Events(subject), Why::Decided { ids, times, cells }) => {
                subject.write(ids, times, cells, write)
            }
            (About::Records(subject), Why::Masked { ids, among }) => {
                subject.write(ids, among, write)
            }
            _ => Err(Error::bug("a certificate was given rows of another kind")),
        }
    }

    /// Hands everything to the operating system.
    pub(super) fn flush(&mut self) -> Result<()> {
        let flushed = self.lines.file.flush();
        flushed.map_err(|e| Error::io("write", &self.lines.path, e))
    }

    /// Brings everything to disk; gives the bytes of the certificate.
    pub(super) fn sync(&mut self) -> Result<u64> {
        self.flush()?;
        let synced = self.lines.file.get_mut().sync();
        synced.map_err(|e| Error::io("write", &self.lines.path, e))?;
        Ok(self.lines.bytes)
    }

    /// Ends the certificate.
    pub(super) fn close(mut self) -> Result<()> {
        self.flush()?;
        let closed = self.lines.file.get_mut().close();
        closed.map_err(|e| Error::io("write", &self.lines.path, e))
    }
}

impl Lines {
    fn new(path: &Path, file: Box<dyn Writable>, several: bool, bytes: u64) -> Self {
        Lines {
            file: BufWriter::new(file),
            path: path.to_owned(),
            several,
            bytes,
            line: String::new(),
        }
    }

    /// A line about the row with this id.
    fn write(&mut self, id: u64, rest: fmt::Arguments<'_>) -> Result<()> {
        let Row { source, number } = Row::of(id);
        self.line.clear();
        let _ = match self.several {
            true => write!(self.line, "{source}:{number}{rest}"),
            false => write!(self.line, "{number}{rest}"),
        };
        self.end_line()
    }

    fn end_line(&mut self) -> Result<()> {
        self.line.push('\n');
        self.bytes += self.line.len() as u64;
        self.file
            .write_all(self.line.as_bytes())
            .map_err(|e| Error::io("write", &self.path, e))
    }
}

/// The lines of a certificate that is being read.
struct Texts {
    file: BufReader<Box<dyn Readable>>,
    path: PathBuf,
    text: String,
    /// Which line it is.
    number: u64,
}

impl Texts {
    /// Opens a certificate that begins with this header.
    fn open((path, files): (&Path, &Files), header: &str) -> Result<Self> {
        let file = files.open(path).map_err(|e| Error::io("read", path, e))?;
        let mut texts = Texts {
            file: BufReader::new(file),
            path: path.to_owned(),
            text: String::new(),
            number: 0,
        };
        texts.read()?;
        if texts.text != header {
            return Err(texts
                .error("this is no certificate for this policy")
                .help(format!(
                    "a certificate begins with {header} and is written by `certificate` under [sink]"
                )));
        }
        Ok(texts)
    }

    /// Reads the next line; false at the end.
    fn read(&mut self) -> Result<bool> {
        self.text.clear();
        let read = (&mut self.file).take(LONGEST).read_line(&mut self.text);
        let read = read.map_err(|e| Error::io("read", &self.path, e))?;
        self.number += 1;
        let length = self.text.trim_end_matches(['\n', '\r']).len();
        self.text.truncate(length);
        Ok(read > 0)
    }

    /// The id of the row, where the line says that it was turned away.
    fn turned_away(&self) -> Option<u64> {
        let row = self.text.strip_suffix(TURNED_AWAY).and_then(Row::parse);
        row.and_then(Row::id)
    }

    fn error(&self, what: &str) -> Error {
        Error::input(what).in_file(&self.path).on_line(self.number)
    }
}

/// A row of a source; both are counted from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Row {
    pub(super) source: u64,
    pub(super) number: u64,
}

impl Row {
    /// The row with this id.
    pub(super) fn of(id: u64) -> Self {
        Row {
            source: (id >> SOURCE_SHIFT) + 1,
            number: (id & ((1 << SOURCE_SHIFT) - 1)) + 1,
        }
    }

    pub(super) fn id(self) -> Option<u64> {
        let source = self.source.checked_sub(1)?.checked_shl(SOURCE_SHIFT)?;
        Some(source | self.number.checked_sub(1)?)
    }

    fn parse(text: &str) -> Option<Self> {
        let (source, number) = text.split_once(':').unwrap_or(("1", text));
        Some(Row {
            source: source.parse().ok()?,
            number: number.parse().ok()?,
        })
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.source {
            1 => write!(f, "row {} of the source", self.number),
            source => write!(f, "row {} of source {source}", self.number),
        }
    }
}
