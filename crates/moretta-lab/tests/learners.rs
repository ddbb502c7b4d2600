//! Learners reach the accuracies that MOA reaches on the same streams.
//!
//! Each record is predicted before it is learnt. Figures of today's MOA count all
//! records; those of the forest of MOA 17.06 skip the first 1000. The example
//! `learners` of the library prints the whole table.

use moretta::data::Records;
use moretta::io::generate::moa::{ConceptDrift, Generator, RandomRbf, Sea};
use moretta::learn::{
    AdaptiveRandomForest, Header, HoeffdingAdaptiveTree, HoeffdingTree, Input, LeafPrediction,
    Learner, NaiveBayes, predicted,
};
use std::path::{Path, PathBuf};

struct Stream {
    header: Header,
    records: Records,
    classes: Vec<u32>,
}

impl Stream {
    fn new(inputs: Vec<Input>, records: Records, classes: Vec<u32>) -> Self {
        let count = classes.iter().max().map_or(1, |&most| most as usize + 1);
        Stream {
            header: Header::new(inputs, count).expect("a small header"),
            records,
            classes,
        }
    }

    fn generated(mut generator: impl Generator, rows: usize) -> Self {
        let width = generator.header().attributes.len();
        let (mut records, mut record) = (Records::new(width), vec![0.0; width]);
        let mut classes = Vec::with_capacity(rows);
        for _ in 0..rows {
            classes.push(generator.next(&mut record));
            records.push(&record);
        }
        Stream::new(vec![Input::Number; width], records, classes)
    }

    /// A file of numbers with the class last, its rows in the given order.
    fn read(file: &Path, columns: &[usize], order: impl Fn(usize) -> Vec<usize>) -> Self {
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
fn shared(folder: &str) -> Option<PathBuf> {
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

fn check(stream: &Stream, mut learner: impl Learner, skipped: usize, moa: f64, within: f64) {
    let mut votes = Vec::new();
    learner.predict_then_learn(&stream.records, &stream.classes, &mut votes);
    let votes = votes.chunks_exact(stream.header.classes()).map(predicted);
    let pairs = votes.zip(&stream.classes).skip(skipped);
    let right = pairs.filter(|(vote, class)| vote == *class).count();
    let accuracy = 100.0 * right as f64 / (stream.classes.len() - skipped) as f64;
    assert!((accuracy - moa).abs() <= within, "{accuracy} for {moa}");
}

/// Naive Bayes, the Hoeffding tree and the adaptive tree use no chance, or MOA's.
fn check_trees(stream: &Stream, [bayes, tree, adaptive]: [f64; 3]) {
    let header = &stream.header;
    check(stream, NaiveBayes.build(header), 0, bayes, 0.01);
    let learner = HoeffdingTree::default().build(header, 1).expect("sound");
    check(stream, learner, 0, tree, 0.02);
    let learner = HoeffdingAdaptiveTree::default().build(header, 1);
    check(stream, learner.expect("sound"), 0, adaptive, 0.02);
}

#[test]
fn trees_are_as_accurate_as_those_of_moa_on_random_rbf() {
    let generator = RandomRbf::default().generator().expect("sound");
    check_trees(
        &Stream::generated(generator, 100_000),
        [72.31, 85.39, 84.28],
    );
}

#[test]
fn trees_are_as_accurate_as_those_of_moa_on_abrupt_sea() {
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
            width: 1.0,
            ..ConceptDrift::default()
        };
        drift.generator(from, to).expect("streams of one shape")
    };
    let first = Box::new(drift(25_000.0, concept(1), concept(2)));
    let second = Box::new(drift(25_000.0, concept(3), concept(4)));
    let stream = Stream::generated(drift(50_000.0, first, second), 100_000);
    check_trees(&stream, [83.65, 84.28, 87.06]);
}

#[test]
fn trees_are_as_accurate_as_those_of_moa_on_electricity() {
    let Some(folder) = shared("electricity") else {
        return;
    };
    let columns: Vec<usize> = (0..8).collect();
    let file = folder.join("electricity.csv");
    let mut stream = Stream::read(&file, &columns, |rows| (0..rows).collect());
    let mut inputs = vec![Input::Number; 8];
    inputs[1] = Input::Nominal { values: 7 };
    for row in 0..stream.records.len() {
        // The day of the week is written from 1.
        stream.records.record_mut(row)[1] -= 1.0;
    }
    stream.header = Header::new(inputs, 2).expect("small");
    check_trees(&stream, [73.36, 79.20, 83.39]);
    check(&stream, forest_of_10(&stream.header), 0, 89.33, 0.5);
}

fn forest_of_10(header: &Header) -> impl Learner + use<> {
    let options = AdaptiveRandomForest {
        trees: 10,
        ..AdaptiveRandomForest::of_moa()
    };
    options.build(header, 1).expect("sound")
}

fn forest_of_2017(header: &Header) -> impl Learner + use<> {
    let mut options = AdaptiveRandomForest::of_moa_2017();
    options.tree.leaf = LeafPrediction::NaiveBayes;
    options.build(header, 1).expect("sound")
}

#[test]
fn the_forest_of_2017_is_as_accurate_on_the_wall_following_robot() {
    let Some(folder) = shared("wall-following-robot") else {
        return;
    };
    let columns: Vec<usize> = (0..24).collect();
    let twice = |rows: usize| (0..2 * rows).map(|row| row % rows).collect();
    let stream = Stream::read(&folder.join("wfr24.csv"), &columns, twice);
    check(&stream, forest_of_2017(&stream.header), 1000, 92.83, 0.5);
}

/// A file in the order that lies beside it.
fn shuffled(file: &Path, columns: &[usize]) -> Stream {
    let order = std::fs::read_to_string(file.with_file_name("shuffle-order.txt"));
    let order = order.expect("an order");
    let rows = |_| {
        order
            .lines()
            .map(|row| row.parse().expect("a row"))
            .collect()
    };
    Stream::read(file, columns, rows)
}

#[test]
fn the_forest_of_2017_is_as_accurate_on_occupancy() {
    if let Some(folder) = shared("occupancy") {
        let stream = shuffled(&folder.join("occupancy.csv"), &[0, 1, 3]);
        check(&stream, forest_of_2017(&stream.header), 1000, 95.66, 0.5);
    }
}

#[test]
fn the_forest_of_2017_is_as_accurate_on_eye_states() {
    if let Some(folder) = shared("eeg-eye-state") {
        let columns: Vec<usize> = (0..14).collect();
        let stream = shuffled(&folder.join("eeg-eye-state.csv"), &columns);
        check(&stream, forest_of_2017(&stream.header), 1000, 82.06, 0.5);
    }
}
