//! Streams that published figures are known for, from generators and from files.

use moretta::data::Records;
use moretta::learn::{Header, Input};
use moretta_generate::moa::{ConceptDrift, Generator, RandomRbf, RandomRbfDrift, Sea};
use std::path::{Path, PathBuf};

/// Records in memory and their classes.
pub(crate) struct Stream {
    pub(crate) header: Header,
    pub(crate) records: Records,
    pub(crate) classes: Vec<u32>,
}

impl Stream {
    pub(crate) fn new(inputs: Vec<Input>, records: Records, classes: Vec<u32>) -> Self {
        let count = classes.iter().max().map_or(1, |&most| most as usize + 1);
        Stream {
            header: Header::new(inputs, count).expect("a small header"),
            records,
            classes,
        }
    }

    pub(crate) fn generated(mut generator: impl Generator, rows: usize) -> Self {
        let width = generator.header().attributes.len();
        let (mut records, mut record) = (Records::new(width), vec![0.0; width]);
        let mut classes = Vec::with_capacity(rows);
        for _ in 0..rows {
            classes.push(generator.next(&mut record));
            records.push(&record);
        }
        Stream::new(vec![Input::Number; width], records, classes)
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
    ) -> Self {
        let text = std::fs::read_to_string(file).expect("a file of numbers");
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let (mut records, mut classes) = (Records::new(columns.len()), Vec::new());
        let mut names: Vec<&str> = Vec::new();
        for row in order(lines.len()) {
            let cells: Vec<&str> = lines[row].split(',').collect();
            let number = |&column: &usize| cells[column].parse().expect("a number");
            records.push(&columns.iter().map(number).collect::<Vec<f64>>());
            let name = cells.last().expect("a class");
            let place = names.iter().position(|known| known == name);
            classes.push(place.unwrap_or(names.len()) as u32);
            if place.is_none() {
                names.push(name);
            }
        }
        Stream::new(vec![Input::Number; columns.len()], records, classes)
    }
}

/// A folder of the public data; without it a test is skipped, except under `CI=true`.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(folder);
    if path.exists() {
        return Some(path);
    }
    let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!in_ci, "{folder} is not there");
    eprintln!("skipped: {folder} is not there");
    None
}

/// Five classes whose centres move: RBF-F (0.001) and RBF-M (0.0001).
pub(crate) fn moving_rbf(speed: f64) -> Stream {
    let options = RandomRbfDrift {
        speed,
        rbf: RandomRbf {
            classes: 5,
            ..RandomRbf::default()
        },
        ..RandomRbfDrift::default()
    };
    Stream::generated(options.generator().expect("sound"), 50_000)
}

/// Four concepts over the same records, with changes of this width: SEA-A (1) and SEA-G (10,000).
pub(crate) fn sea(width: f64) -> Stream {
    let concept = |function| -> Box<dyn Generator> {
        let sea = Sea {
            function,
            ..Sea::default()
        };
        Box::new(sea.generator().expect("sound"))
    };
    let drift = |position: f64, from, to| {
        let drift = ConceptDrift {
            position,
            width,
            ..ConceptDrift::default()
        };
        drift.generator(from, to).expect("streams of one shape")
    };
    let first = Box::new(drift(25_000.0, concept(1), concept(2)));
    let second = Box::new(drift(25_000.0, concept(3), concept(4)));
    Stream::generated(drift(50_000.0, first, second), 100_000)
}

/// WFR: the table twice.
pub(crate) fn wall_following_robot() -> Option<Stream> {
    let file = shared("wall-following-robot")?.join("wfr24.csv");
    let columns: Vec<usize> = (0..24).collect();
    let twice = |rows: usize| (0..2 * rows).map(|row| row % rows).collect();
    Some(Stream::read(&file, &columns, twice))
}

/// OCC: temperature, humidity and carbon dioxide.
pub(crate) fn occupancy() -> Option<Stream> {
    let folder = shared("occupancy")?;
    Some(shuffled(&folder.join("occupancy.csv"), &[0, 1, 3]))
}

/// EEG.
pub(crate) fn eye_states() -> Option<Stream> {
    let file = shared("eeg-eye-state")?.join("eeg-eye-state.csv");
    Some(shuffled(&file, &(0..14).collect::<Vec<usize>>()))
}

/// A file in the order that lies beside it.
fn shuffled(file: &Path, columns: &[usize]) -> Stream {
    let order = std::fs::read_to_string(file.with_file_name("shuffle-order.txt"));
    let order = order.expect("an order");
    let rows = |_| {
        let rows = order.lines().map(|row| row.parse().expect("a row"));
        rows.collect()
    };
    Stream::read(file, columns, rows)
}
