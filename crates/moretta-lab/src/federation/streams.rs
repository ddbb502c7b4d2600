//! Streams that published figures are known for, from generators and from files.
//!
//! Tests of the lab read them too, so this depends on nothing else of it.

use moretta::data::Records;
use moretta::learn::{Header, Input};
use moretta::{Error, Result};
use moretta_generate::moa::{ConceptDrift, Generator, RandomRbf, RandomRbfDrift, Sea, Values};
use std::path::Path;

/// Records in memory and their classes.
pub(crate) struct Stream {
    pub(crate) header: Header,
    pub(crate) records: Records,
    pub(crate) classes: Vec<u32>,
}

impl Stream {
    pub(crate) fn new(inputs: Vec<Input>, records: Records, classes: Vec<u32>) -> Result<Self> {
        let count = classes.iter().max().map_or(1, |&most| most as usize + 1);
        Ok(Stream {
            header: Header::new(inputs, count)?,
            records,
            classes,
        })
    }

    pub(crate) fn generated(mut generator: impl Generator, rows: usize) -> Result<Self> {
        let attributes = generator.header().attributes;
        let inputs = attributes.iter().map(|(_, values)| match *values {
            Values::Number => Input::Number,
            Values::Nominal(count) => Input::Nominal {
                values: count as usize,
            },
        });
        let width = attributes.len();
        let (mut records, mut record) = (Records::new(width), vec![0.0; width]);
        let mut classes = Vec::with_capacity(rows);
        for _ in 0..rows {
            classes.push(generator.next(&mut record));
            records.push(&record);
        }
        Stream::new(inputs.collect(), records, classes)
    }

    /// The same with six digits after the point, as files of the studies had them.
    pub(crate) fn rounded(mut self) -> Self {
        for row in 0..self.records.len() {
            for value in self.records.record_mut(row) {
                *value = (*value * 1e6).round() / 1e6;
            }
        }
        self
    }

    /// A file of numbers with the class last, its rows in the given order.
    pub(crate) fn read(
        file: &Path,
        columns: &[usize],
        order: impl Fn(usize) -> Vec<usize>,
    ) -> Result<Self> {
        let text = read_text(file)?;
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let (mut records, mut classes) = (Records::new(columns.len()), Vec::new());
        let mut names: Vec<&str> = Vec::new();
        for row in order(lines.len()) {
            let fault = |what: &str| Error::input(what).in_file(file).on_line(row as u64 + 2);
            let line = lines
                .get(row)
                .ok_or_else(|| fault("there is no such row"))?;
            let cells: Vec<&str> = line.split(',').collect();
            let number = |&column: &usize| {
                let cell = cells.get(column).and_then(|cell| cell.parse().ok());
                cell.ok_or_else(|| fault("not a number"))
            };
            let record: Vec<f64> = columns.iter().map(number).collect::<Result<_>>()?;
            records.push(&record);
            let name = cells.last().copied().unwrap_or_default();
            let place = names.iter().position(|known| *known == name);
            classes.push(place.unwrap_or(names.len()) as u32);
            if place.is_none() {
                names.push(name);
            }
        }
        Stream::new(vec![Input::Number; columns.len()], records, classes)
    }
}

/// Five classes whose centres move: RBF-F (0.001) and RBF-M (0.0001).
pub(crate) fn moving_rbf(speed: f64) -> Result<Stream> {
    let options = RandomRbfDrift {
        speed,
        rbf: RandomRbf {
            classes: 5,
            ..RandomRbf::default()
        },
        ..RandomRbfDrift::default()
    };
    Stream::generated(options.generator()?, 50_000)
}

/// Four concepts over the same records, with changes of this width: SEA-A (1) and SEA-G (10,000).
pub(crate) fn sea(width: f64) -> Result<Stream> {
    let concept = |function| -> Result<Box<dyn Generator>> {
        let sea = Sea {
            function,
            ..Sea::default()
        };
        Ok(Box::new(sea.generator()?))
    };
    let drift = |position: f64, from, to| {
        let drift = ConceptDrift {
            position,
            width,
            ..ConceptDrift::default()
        };
        drift.generator(from, to)
    };
    let first = Box::new(drift(25_000.0, concept(1)?, concept(2)?)?);
    let second = Box::new(drift(25_000.0, concept(3)?, concept(4)?)?);
    Stream::generated(drift(50_000.0, first, second)?, 100_000)
}

/// WFR: the table twice.
pub(crate) fn wall_following_robot(data: &Path) -> Result<Stream> {
    let file = data.join("wall-following-robot/wfr24.csv");
    let columns: Vec<usize> = (0..24).collect();
    let twice = |rows: usize| (0..2 * rows).map(|row| row % rows).collect();
    Stream::read(&file, &columns, twice)
}

/// OCC: temperature, humidity and carbon dioxide.
pub(crate) fn occupancy(data: &Path) -> Result<Stream> {
    shuffled(&data.join("occupancy/occupancy.csv"), &[0, 1, 3])
}

/// EEG.
pub(crate) fn eye_states(data: &Path) -> Result<Stream> {
    let columns: Vec<usize> = (0..14).collect();
    shuffled(&data.join("eeg-eye-state/eeg-eye-state.csv"), &columns)
}

/// A file in the order that lies beside it.
fn shuffled(file: &Path, columns: &[usize]) -> Result<Stream> {
    let path = file.with_file_name("shuffle-order.txt");
    let text = read_text(&path)?;
    let rows = (1..).zip(text.lines()).map(|(line, row)| {
        let fault = || Error::input("not a row").in_file(&path).on_line(line);
        row.parse().map_err(|_| fault())
    });
    let rows: Vec<usize> = rows.collect::<Result<_>>()?;
    Stream::read(file, columns, |_| rows.clone())
}

fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Error::input("there is no such file")
            .in_file(path)
            .help("name the folder of the public data with --data"),
        _ => Error::io("read", path, e),
    })
}
