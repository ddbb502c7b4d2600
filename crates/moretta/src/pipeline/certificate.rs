//! Why each cell of a stream was released, line by line, for whoever wants to count again.
//!
//! A line `row,column,level,counter,z,from,to` says that the cell of `column` in
//! row `row` of the source (`source:row` when there are several, both from 1 on)
//! shows the label `level` rungs above its value, that at least `counter` users
//! showed that label from `from` to `to` (milliseconds since 1970, both included),
//! and that `z` were needed. A line `row,,,,,,` says that the row was ahead of the clock
//! and was turned away. Made-up rows have no line, so a certificate betrays
//! them: it is for those who may see the source, not for the readers of a release.

use crate::data::RowIds;
use crate::engine::arrival::SOURCE_SHIFT;
use crate::error::{Error, Result};
use crate::io::create_private;
use crate::protect::z_anonymity::{Cell, MADE_UP};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const HEADER: &str = "row,column,level,counter,z,from,to";

/// What follows the row in the line of one that was turned away.
const TURNED_AWAY: &str = ",,,,,,";

/// Bytes of the longest line that is read.
const LONGEST: u64 = 1 << 16;

/// A certificate that is being written.
pub(super) struct Certificate {
    file: BufWriter<File>,
    path: PathBuf,
    columns: Vec<String>,
    window: i64,
    several: bool,
    bytes: u64,
    line: String,
}

/// What a certificate is about.
pub(super) struct Subject<'a> {
    /// The names of the attributes.
    pub(super) columns: &'a [&'a str],
    /// Milliseconds back that count.
    pub(super) window: i64,
    /// How many sources there are.
    pub(super) sources: usize,
}

impl Certificate {
    /// Begins a certificate; a file that is there is replaced.
    pub(super) fn create(path: &Path, subject: &Subject<'_>) -> Result<Self> {
        // Who knows which rows have a line knows which are made up.
        let file = create_private(path).map_err(|e| Error::io("create", path, e))?;
        let mut certificate = Certificate::new(path, file, subject);
        certificate.line.push_str(HEADER);
        certificate.end_line()?;
        Ok(certificate)
    }

    /// Goes on with a certificate after its first `bytes`; what is behind them is cut off.
    pub(super) fn resume(path: &Path, subject: &Subject<'_>, bytes: u64) -> Result<Self> {
        let failed = |e| Error::io("resume", path, e);
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
        Ok(Certificate {
            bytes,
            ..Certificate::new(path, file, subject)
        })
    }

    fn new(path: &Path, file: File, subject: &Subject<'_>) -> Self {
        Certificate {
            file: BufWriter::new(file),
            path: path.to_owned(),
            columns: subject.columns.iter().map(|name| quoted(name)).collect(),
            window: subject.window,
            several: subject.sources > 1,
            bytes: 0,
            line: String::new(),
        }
    }

    /// Writes a line for each cell that shows something. There is a time for each
    /// released row, and a cell for each row and attribute.
    pub(super) fn write(&mut self, ids: &RowIds, times: &[i64], cells: &[Cell]) -> Result<()> {
        let columns = self.columns.len();
        if times.len() != ids.len() || cells.len() != ids.len() * columns {
            return Err(Error::bug("a certificate was given rows that do not fit"));
        }
        for ((id, &to), cells) in ids.iter().zip(times).zip(cells.chunks_exact(columns)) {
            if id >= MADE_UP {
                continue;
            }
            let from = to.saturating_sub(self.window);
            for (column, cell) in cells.iter().enumerate() {
                let Some(level) = cell.level else {
                    continue;
                };
                self.line.clear();
                self.row(id);
                let (name, Cell { counter, z, .. }) = (&self.columns[column], cell);
                let _ = write!(self.line, ",{name},{level},{counter},{z},{from},{to}");
                self.end_line()?;
            }
        }
        Ok(())
    }

    /// Writes a line for each row that was turned away.
    pub(super) fn turn_away(&mut self, ids: &[u64]) -> Result<()> {
        for &id in ids {
            self.line.clear();
            self.row(id);
            self.line.push_str(TURNED_AWAY);
            self.end_line()?;
        }
        Ok(())
    }

    fn row(&mut self, id: u64) {
        let Row { source, number } = Row::of(id);
        let _ = match self.several {
            true => write!(self.line, "{source}:{number}"),
            false => write!(self.line, "{number}"),
        };
    }

    fn end_line(&mut self) -> Result<()> {
        self.line.push('\n');
        self.bytes += self.line.len() as u64;
        self.file
            .write_all(self.line.as_bytes())
            .map_err(|e| Error::io("write", &self.path, e))
    }

    /// Hands everything to the operating system.
    pub(super) fn flush(&mut self) -> Result<()> {
        let flushed = self.file.flush();
        flushed.map_err(|e| Error::io("write", &self.path, e))
    }

    /// Brings everything to disk; gives the bytes of the certificate.
    pub(super) fn sync(&mut self) -> Result<u64> {
        self.flush()?;
        let synced = self.file.get_ref().sync_data();
        synced.map_err(|e| Error::io("write", &self.path, e))?;
        Ok(self.bytes)
    }

    /// Ends the certificate.
    pub(super) fn close(mut self) -> Result<()> {
        self.sync().map(|_| ())
    }
}

/// The name of a column as a field of CSV.
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
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

    fn id(self) -> Option<u64> {
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

/// A line of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Which line of the file it is.
    pub(super) number: u64,
    pub(super) row: Row,
    /// The place of the column among the attributes.
    pub(super) column: usize,
    pub(super) level: usize,
    pub(super) counter: u64,
    pub(super) z: u64,
    pub(super) from: i64,
    pub(super) to: i64,
}

/// A certificate that is being read.
pub(super) struct Lines {
    file: BufReader<File>,
    path: PathBuf,
    columns: Vec<String>,
    text: String,
    number: u64,
    next: Option<Line>,
    /// Lines come in the order of times and not in that of the decisions, as rows do
    /// that made-up ones hide among.
    mixed: bool,
    /// Lines that were read before their rows, by row.
    early: HashMap<Row, VecDeque<Line>>,
    /// The rows that were turned away, as far as was read.
    turned_away: HashSet<u64>,
}

impl Lines {
    /// Opens a certificate about these attributes; in a `mixed` one lines come in the
    /// order of times, those of one time in any order.
    pub(super) fn open(path: &Path, columns: &[&str], mixed: bool) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io("read", path, e))?;
        let mut lines = Lines {
            file: BufReader::new(file),
            path: path.to_owned(),
            columns: columns.iter().map(|name| quoted(name)).collect(),
            text: String::new(),
            number: 0,
            next: None,
            mixed,
            early: HashMap::new(),
            turned_away: HashSet::new(),
        };
        lines.read()?;
        if lines.text != HEADER {
            return Err(lines.error("this is no certificate").help(format!(
                "a certificate begins with {HEADER} and is written by `certificate` under [sink]"
            )));
        }
        lines.next = lines.parse_next()?;
        Ok(lines)
    }

    /// Reads on to the lines about a row of this time.
    pub(super) fn read_until(&mut self, time: i64) -> Result<()> {
        while self.mixed
            && let Some(line) = self.next.take_if(|line| line.to <= time)
        {
            self.early.entry(line.row).or_default().push_back(line);
            self.next = self.parse_next()?;
        }
        Ok(())
    }

    /// The number of the first line that was not taken; none when all were.
    pub(super) fn first_left(&self) -> Option<u64> {
        let early = self.early.values().flatten();
        early.chain(&self.next).map(|line| line.number).min()
    }

    /// The next line about this row, if there is one.
    pub(super) fn take(&mut self, row: Row) -> Result<Option<Line>> {
        if !self.mixed {
            let Some(line) = self.next.take_if(|line| line.row == row) else {
                return Ok(None);
            };
            self.next = self.parse_next()?;
            return Ok(Some(line));
        }
        let Some(lines) = self.early.get_mut(&row) else {
            return Ok(None);
        };
        let line = lines.pop_front();
        if lines.is_empty() {
            self.early.remove(&row);
        }
        Ok(line)
    }

    /// Reads to the end; gives the ids of the rows that were turned away.
    pub(super) fn into_turned_away(mut self) -> Result<HashSet<u64>> {
        while self.next.is_some() {
            self.next = self.parse_next()?;
        }
        Ok(self.turned_away)
    }

    fn read(&mut self) -> Result<bool> {
        self.text.clear();
        let read = (&mut self.file).take(LONGEST).read_line(&mut self.text);
        let read = read.map_err(|e| Error::io("read", &self.path, e))?;
        self.number += 1;
        let length = self.text.trim_end_matches(['\n', '\r']).len();
        self.text.truncate(length);
        Ok(read > 0)
    }

    fn parse_next(&mut self) -> Result<Option<Line>> {
        loop {
            if !self.read()? {
                return Ok(None);
            }
            let row = self.text.strip_suffix(TURNED_AWAY).and_then(Row::parse);
            let Some(id) = row.and_then(Row::id) else {
                break;
            };
            self.turned_away.insert(id);
        }
        match self.parse() {
            Some(line) => Ok(Some(line)),
            None => Err(self
                .error("this is no line of a certificate for this policy")
                .help(format!(
                    "a line says {HEADER}; the column is one with the role quasi"
                ))),
        }
    }

    fn parse(&self) -> Option<Line> {
        // Only the name of a column can hold commas, and it is the second field.
        let (row, rest) = self.text.split_once(',')?;
        let mut fields = rest.rsplitn(6, ',');
        let mut number = || fields.next();
        let to = number()?.parse().ok()?;
        let from = number()?.parse().ok()?;
        let z = number()?.parse().ok()?;
        let counter = number()?.parse().ok()?;
        let level = number()?.parse().ok()?;
        let name = number()?;
        Some(Line {
            number: self.number,
            row: Row::parse(row)?,
            column: self.columns.iter().position(|column| column == name)?,
            level,
            counter,
            z,
            from,
            to,
        })
    }

    fn error(&self, what: &str) -> Error {
        Error::input(what).in_file(&self.path).on_line(self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBJECT: Subject<'static> = Subject {
        columns: &["place", "a,\"b\""],
        window: 1000,
        sources: 1,
    };

    fn cell(level: Option<u16>, counter: u32) -> Cell {
        Cell {
            level,
            counter,
            z: 5,
            fakes: 0,
        }
    }

    fn path() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("certificate.csv");
        (folder, path)
    }

    fn write(certificate: &mut Certificate, ids: &[u64]) {
        let times: Vec<i64> = ids.iter().map(|&id| id as i64).collect();
        let cells = ids.iter().flat_map(|_| [cell(Some(2), 7), cell(None, 0)]);
        let cells: Vec<Cell> = cells.collect();
        certificate
            .write(&RowIds::List(ids.into()), &times, &cells)
            .expect("written");
    }

    #[test]
    fn lines_come_back_as_they_were_written() {
        let (_folder, path) = path();
        let mut certificate = Certificate::create(&path, &SUBJECT).expect("created");
        let ids = RowIds::List([3, MADE_UP, 4].into());
        let cells = [
            cell(Some(0), 5),
            cell(Some(1), 8),
            cell(Some(0), 5),
            cell(Some(0), 5),
            cell(None, 0),
            cell(Some(3), 6),
        ];
        certificate
            .write(&ids, &[2000, 2000, 2500], &cells)
            .expect("written");
        certificate.close().expect("closed");
        let text = std::fs::read_to_string(&path).expect("a text");
        assert_eq!(
            text,
            "row,column,level,counter,z,from,to\n\
             4,place,0,5,5,1000,2000\n\
             4,\"a,\"\"b\"\"\",1,8,5,1000,2000\n\
             5,\"a,\"\"b\"\"\",3,6,5,1500,2500\n"
        );
        let mut lines = Lines::open(&path, SUBJECT.columns, false).expect("opened");
        let row = |number| Row { source: 1, number };
        assert_eq!(lines.take(row(1)).expect("read"), None);
        let line = lines.take(row(4)).expect("read").expect("a line");
        assert_eq!((line.column, line.level, line.counter), (0, 0, 5));
        assert_eq!((line.z, line.from, line.to), (5, 1000, 2000));
        assert_eq!(lines.take(row(4)).expect("read").map(|l| l.column), Some(1));
        assert_eq!(lines.take(row(5)).expect("read").map(|l| l.level), Some(3));
        assert_eq!(lines.first_left(), None);
    }

    #[test]
    fn rows_that_were_turned_away_have_lines_of_their_own() {
        let (_folder, path) = path();
        let subject = Subject {
            sources: 2,
            ..SUBJECT
        };
        let second = 1 << SOURCE_SHIFT;
        let mut certificate = Certificate::create(&path, &subject).expect("created");
        certificate.turn_away(&[7]).expect("written");
        write(&mut certificate, &[1]);
        certificate.turn_away(&[second, 8]).expect("written");
        certificate.close().expect("closed");
        let lines = || Lines::open(&path, SUBJECT.columns, false).expect("opened");
        let turned_away = lines().into_turned_away().expect("read");
        assert_eq!(turned_away, HashSet::from([7, 8, second]));
        let line = lines().take(Row::of(1)).expect("read");
        assert_eq!(line.map(|line| line.level), Some(2));
    }

    #[test]
    fn resuming_gives_the_bytes_of_one_run() {
        let (_folder, path) = path();
        let subject = Subject {
            sources: 2,
            ..SUBJECT
        };
        let (first, second) = ([1, 2], [1 << SOURCE_SHIFT]);
        let mut whole = Certificate::create(&path, &subject).expect("created");
        write(&mut whole, &first);
        write(&mut whole, &second);
        whole.close().expect("closed");
        let expected = std::fs::read(&path).expect("bytes");
        assert!(expected.ends_with(b"\n2:1,place,2,7,5,281474976709656,281474976710656\n"));
        let mut certificate = Certificate::create(&path, &subject).expect("created");
        write(&mut certificate, &first);
        let bytes = certificate.sync().expect("on disk");
        write(&mut certificate, &first);
        drop(certificate);
        let mut certificate = Certificate::resume(&path, &subject, bytes).expect("resumed");
        write(&mut certificate, &second);
        assert_eq!(certificate.sync().expect("on disk"), expected.len() as u64);
        assert_eq!(std::fs::read(&path).expect("bytes"), expected);
        assert!(Certificate::resume(&path, &subject, 1 << 20).is_err());
    }

    #[test]
    fn what_is_no_certificate_is_refused_with_its_line() {
        let (_folder, path) = path();
        let cases = [
            ("", 1),
            ("t,user\n", 1),
            ("HEADER\n1,place,0,5\n", 2),
            ("HEADER\n1,place,0,5,5,0,1\n1,other,0,5,5,0,1\n", 3),
            ("HEADER\n1,place,0,-5,5,0,1\n", 2),
            ("HEADER\nx,place,0,5,5,0,1\n", 2),
        ];
        for (text, line) in cases {
            std::fs::write(&path, text.replace("HEADER", HEADER)).expect("written");
            let row = Row {
                source: 1,
                number: 1,
            };
            let read =
                Lines::open(&path, SUBJECT.columns, false).and_then(|mut lines| lines.take(row));
            let error = read.expect_err(text);
            assert_eq!(error.exit_code(), 4);
            assert!(
                error.to_string().contains(&format!("line {line}: ")),
                "{error}"
            );
        }
    }
}
