//! Why cells of events were released.
//!
//! A line `row,column,level,counter,z,from,to` says that the cell of `column` in
//! row `row` shows the label `level` rungs above its value, that at least `counter` users
//! showed that label from `from` to `to` (milliseconds since 1970, both included),
//! and that `z` were needed. Made-up rows have no line, so a certificate betrays them.

use super::{Row, Texts};
use crate::data::RowIds;
use crate::error::{Error, Result};
use crate::io::Files;
use crate::protect::z_anonymity::{Cell, MADE_UP};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::path::Path;

pub(super) const HEADER: &str = "row,column,level,counter,z,from,to";

/// What a certificate is about.
pub(in crate::pipeline) struct Subject {
    /// The names of the attributes.
    columns: Vec<String>,
    /// Milliseconds back that count.
    window: i64,
}

impl Subject {
    /// Of these attributes, counted over so many milliseconds.
    pub(in crate::pipeline) fn new(columns: &[&str], window: i64) -> Self {
        Subject {
            columns: columns.iter().map(|name| quoted(name)).collect(),
            window,
        }
    }

    /// Writes a line for each cell that shows something. There is a time for each released row,
    /// and a cell for each row and attribute.
    pub(super) fn write(
        &self,
        ids: &RowIds,
        times: &[i64],
        cells: &[Cell],
        mut write: impl FnMut(u64, fmt::Arguments<'_>) -> Result<()>,
    ) -> Result<()> {
        let columns = self.columns.len();
        if times.len() != ids.len() || cells.len() != ids.len() * columns {
            return Err(Error::bug("a certificate was given rows that do not fit"));
        }
        for ((id, &to), cells) in ids.iter().zip(times).zip(cells.chunks_exact(columns)) {
            if id >= MADE_UP {
                continue;
            }
            let from = to.saturating_sub(self.window);
            for (name, cell) in self.columns.iter().zip(cells) {
                let Cell { counter, z, .. } = cell;
                if let Some(level) = cell.level {
                    write(
                        id,
                        format_args!(",{name},{level},{counter},{z},{from},{to}"),
                    )?;
                }
            }
        }
        Ok(())
    }
}

/// The name of a column as a field of CSV.
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

/// A line of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::pipeline) struct Line {
    /// Which line of the file it is.
    pub(in crate::pipeline) number: u64,
    pub(in crate::pipeline) row: Row,
    /// The place of the column among the attributes.
    pub(in crate::pipeline) column: usize,
    pub(in crate::pipeline) level: usize,
    pub(in crate::pipeline) counter: u64,
    pub(in crate::pipeline) z: u64,
    pub(in crate::pipeline) from: i64,
    pub(in crate::pipeline) to: i64,
}

/// A certificate that is being read.
pub(in crate::pipeline) struct Lines {
    texts: Texts,
    columns: Vec<String>,
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
    pub(in crate::pipeline) fn open(
        path: (&Path, &Files),
        columns: &[&str],
        mixed: bool,
    ) -> Result<Self> {
        let mut lines = Lines {
            texts: Texts::open(path, HEADER)?,
            columns: columns.iter().map(|name| quoted(name)).collect(),
            next: None,
            mixed,
            early: HashMap::new(),
            turned_away: HashSet::new(),
        };
        lines.next = lines.parse_next()?;
        Ok(lines)
    }

    /// Reads on to the lines about a row of this time.
    pub(in crate::pipeline) fn read_until(&mut self, time: i64) -> Result<()> {
        while self.mixed
            && let Some(line) = self.next.take_if(|line| line.to <= time)
        {
            self.early.entry(line.row).or_default().push_back(line);
            self.next = self.parse_next()?;
        }
        Ok(())
    }

    /// The number of the first line that was not taken; none when all were.
    pub(in crate::pipeline) fn first_left(&self) -> Option<u64> {
        let early = self.early.values().flatten();
        early.chain(&self.next).map(|line| line.number).min()
    }

    /// The next line about this row, if there is one.
    pub(in crate::pipeline) fn take(&mut self, row: Row) -> Result<Option<Line>> {
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
    pub(in crate::pipeline) fn into_turned_away(mut self) -> Result<HashSet<u64>> {
        while self.next.is_some() {
            self.next = self.parse_next()?;
        }
        Ok(self.turned_away)
    }

    fn parse_next(&mut self) -> Result<Option<Line>> {
        loop {
            if !self.texts.read()? {
                return Ok(None);
            }
            let Some(id) = self.texts.turned_away() else {
                break;
            };
            self.turned_away.insert(id);
        }
        match self.parse() {
            Some(line) => Ok(Some(line)),
            None => Err(self
                .texts
                .error("this is no line of a certificate for this policy")
                .help(format!(
                    "a line says {HEADER}; the column is one with the role quasi"
                ))),
        }
    }

    fn parse(&self) -> Option<Line> {
        // Only the name of a column can hold commas, and it is the second field.
        let (row, rest) = self.texts.text.split_once(',')?;
        let mut fields = rest.rsplitn(6, ',');
        let mut number = || fields.next();
        let to = number()?.parse().ok()?;
        let from = number()?.parse().ok()?;
        let z = number()?.parse().ok()?;
        let counter = number()?.parse().ok()?;
        let level = number()?.parse().ok()?;
        let name = number()?;
        Some(Line {
            number: self.texts.number,
            row: Row::parse(row)?,
            column: self.columns.iter().position(|column| column == name)?,
            level,
            counter,
            z,
            from,
            to,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{About, Certificate};
    use super::*;
    use crate::engine::Why;
    use crate::engine::arrival::SOURCE_SHIFT;
    use std::path::PathBuf;

    const COLUMNS: [&str; 2] = ["place", "a,\"b\""];

    fn about() -> About {
        About::Events(Subject::new(&COLUMNS, 1000))
    }

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
        let ids = RowIds::List(ids.into());
        let why = Why::Decided { ids, times, cells };
        certificate.write(&why).expect("written");
    }

    #[test]
    fn lines_come_back_as_they_were_written() {
        let (_folder, path) = path();
        let mut certificate =
            Certificate::create((&path, &Files::default()), about(), false).expect("created");
        let ids = RowIds::List([3, MADE_UP, 4].into());
        let cells = [
            cell(Some(0), 5),
            cell(Some(1), 8),
            cell(Some(0), 5),
            cell(Some(0), 5),
            cell(None, 0),
            cell(Some(3), 6),
        ];
        let why = Why::Decided {
            ids,
            times: vec![2000, 2000, 2500],
            cells: cells.to_vec(),
        };
        certificate.write(&why).expect("written");
        certificate.close().expect("closed");
        let text = std::fs::read_to_string(&path).expect("a text");
        assert_eq!(
            text,
            "row,column,level,counter,z,from,to\n\
             4,place,0,5,5,1000,2000\n\
             4,\"a,\"\"b\"\"\",1,8,5,1000,2000\n\
             5,\"a,\"\"b\"\"\",3,6,5,1500,2500\n"
        );
        let mut lines = Lines::open((&path, &Files::default()), &COLUMNS, false).expect("opened");
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
        let second = 1 << SOURCE_SHIFT;
        let mut certificate =
            Certificate::create((&path, &Files::default()), about(), true).expect("created");
        certificate
            .write(&Why::TurnedAway(vec![7]))
            .expect("written");
        write(&mut certificate, &[1]);
        certificate
            .write(&Why::TurnedAway(vec![second, 8]))
            .expect("written");
        certificate.close().expect("closed");
        let lines = || Lines::open((&path, &Files::default()), &COLUMNS, false).expect("opened");
        let turned_away = lines().into_turned_away().expect("read");
        assert_eq!(turned_away, HashSet::from([7, 8, second]));
        let line = lines().take(Row::of(1)).expect("read");
        assert_eq!(line.map(|line| line.level), Some(2));
    }

    #[test]
    fn resuming_gives_the_bytes_of_one_run() {
        let (_folder, path) = path();
        let (first, second) = ([1, 2], [1 << SOURCE_SHIFT]);
        let mut whole =
            Certificate::create((&path, &Files::default()), about(), true).expect("created");
        write(&mut whole, &first);
        write(&mut whole, &second);
        whole.close().expect("closed");
        let expected = std::fs::read(&path).expect("bytes");
        assert!(expected.ends_with(b"\n2:1,place,2,7,5,281474976709656,281474976710656\n"));
        let mut certificate =
            Certificate::create((&path, &Files::default()), about(), true).expect("created");
        write(&mut certificate, &first);
        let bytes = certificate.sync().expect("on disk");
        write(&mut certificate, &first);
        drop(certificate);
        let mut certificate =
            Certificate::resume((&path, &Files::default()), about(), true, bytes).expect("resumed");
        write(&mut certificate, &second);
        assert_eq!(certificate.sync().expect("on disk"), expected.len() as u64);
        assert_eq!(std::fs::read(&path).expect("bytes"), expected);
        assert!(Certificate::resume((&path, &Files::default()), about(), true, 1 << 20).is_err());
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
            let read = Lines::open((&path, &Files::default()), &COLUMNS, false)
                .and_then(|mut lines| lines.take(row));
            let error = read.expect_err(text);
            assert_eq!(error.exit_code(), 4);
            assert!(
                error.to_string().contains(&format!("line {line}: ")),
                "{error}"
            );
        }
    }
}
