//! Accuracy and speed of the learners on streams that MOA's figures are known for.
//!
//! Predicts each record before it is learnt and prints, for each stream and learner,
//! the accuracy, what MOA printed, records a CPU second and the memory of the model.
//! Forests are run for several seeds; their mean is shown. Files of the folder that is
//! named first are read; without one only the generators run.
//!
//! ```text
//! cargo run --release --example learners -- ../shared/data [filter]
//! ```

use moretta::data::Records;
use moretta::io::generate::moa::{ConceptDrift, Generator, RandomRbf, RandomRbfDrift, Sea};
use moretta::learn::{
    AdaptiveRandomForest, Header, HoeffdingAdaptiveTree, HoeffdingTree, Input, LeafPrediction,
    Learner, NaiveBayes, predicted,
};
use std::error::Error;
use std::path::Path;

/// The allocator of the program `moretta`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Records learnt at a time.
const CHUNK: usize = 1000;
const SEEDS: u64 = 3;

struct Stream {
    name: &'static str,
    header: Header,
    records: Records,
    classes: Vec<u32>,
    /// Accuracies in MOA today: naive Bayes, Hoeffding tree, adaptive tree, forest of 10.
    moa: [f64; 4],
    /// Accuracy of the forest in MOA 17.06, after 1000 records.
    moa_2017: f64,
}

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn main() -> Outcome<()> {
    let folder = std::env::args().nth(1);
    let filter = std::env::args().nth(2).unwrap_or_default();
    println!("stream learner accuracy MOA records/s KiB");
    for stream in streams(folder.as_deref().map(Path::new))? {
        for (learner, moa, skipped) in learners(&stream) {
            if !format!("{} {learner}", stream.name).contains(&filter) {
                continue;
            }
            let seeds = if learner.starts_with("ARF") { SEEDS } else { 1 };
            let (mut accuracy, mut rate, mut memory) = (0.0, 0.0, 0);
            for seed in 1..=seeds {
                let mut learner = build(learner, &stream.header, seed)?;
                let cpu = cpu_seconds()?;
                accuracy += prequential(learner.as_mut(), &stream, skipped) / seeds as f64;
                rate = stream.records.len() as f64 / (cpu_seconds()? - cpu);
                memory = learner.memory() >> 10;
            }
            let name = stream.name;
            println!("{name} {learner} {accuracy:.2} {moa:.2} {rate:.0} {memory}");
        }
    }
    Ok(())
}

/// Names of the learners to run, MOA's figures, and how many records are not counted.
fn learners(stream: &Stream) -> Vec<(&'static str, f64, usize)> {
    let today = ["NB", "HT", "HAT", "ARF10"].into_iter().zip(stream.moa);
    let today = today.map(|(name, figure)| (name, figure, 0));
    let of_2017 = [("ARF-2017", stream.moa_2017, 1000)];
    let known = |learner: &(&str, f64, usize)| learner.1 > 0.0;
    today.chain(of_2017).filter(known).collect()
}

fn build(name: &str, header: &Header, seed: u64) -> Outcome<Box<dyn Learner>> {
    let mut of_2017 = AdaptiveRandomForest::of_moa_2017();
    of_2017.tree.leaf = LeafPrediction::NaiveBayes;
    let today = AdaptiveRandomForest {
        trees: 10,
        ..AdaptiveRandomForest::of_moa()
    };
    Ok(match name {
        "NB" => Box::new(NaiveBayes.build(header)),
        "HT" => Box::new(HoeffdingTree::default().build(header, seed)?),
        "HAT" => Box::new(HoeffdingAdaptiveTree::default().build(header, seed)?),
        "ARF10" => Box::new(today.build(header, seed)?),
        _ => Box::new(of_2017.build(header, seed)?),
    })
}

/// The percentage of records that were predicted rightly before they were learnt.
fn prequential(learner: &mut dyn Learner, stream: &Stream, skipped: usize) -> f64 {
    let (mut votes, mut right) = (Vec::new(), 0);
    let mut chunk = Records::new(stream.records.width());
    for (start, classes) in stream.classes.chunks(CHUNK).enumerate() {
        chunk.clear();
        for row in 0..classes.len() {
            chunk.push(stream.records.record(start * CHUNK + row));
        }
        learner.predict_then_learn(&chunk, classes, &mut votes);
        let votes = votes.chunks_exact(stream.header.classes());
        for (row, (votes, &class)) in votes.zip(classes).enumerate() {
            let counted = start * CHUNK + row >= skipped;
            right += usize::from(counted && predicted(votes) == class);
        }
    }
    100.0 * right as f64 / (stream.classes.len() - skipped) as f64
}

fn streams(folder: Option<&Path>) -> Outcome<Vec<Stream>> {
    let rbf = RandomRbf::default().generator()?;
    let fast = RandomRbfDrift {
        speed: 0.001,
        rbf: RandomRbf {
            classes: 5,
            ..RandomRbf::default()
        },
        ..RandomRbfDrift::default()
    };
    let mut streams = vec![
        generated(
            "RBF",
            Box::new(rbf),
            100_000,
            [72.31, 85.39, 84.28, 93.67],
            0.0,
        )?,
        generated(
            "SEA-A",
            sea()?,
            100_000,
            [83.65, 84.28, 87.06, 88.75],
            88.67,
        )?,
        generated(
            "RBF-F",
            Box::new(fast.generator()?),
            50_000,
            [0.0; 4],
            68.70,
        )?,
    ];
    if let Some(folder) = folder {
        let mut electricity = read(&folder.join("electricity/electricity.csv"), None, None)?;
        for row in 0..electricity.0.len() {
            // The day of the week is nominal, and written from 1.
            electricity.0.record_mut(row)[1] -= 1.0;
        }
        let robot = read(&folder.join("wall-following-robot/wfr24.csv"), None, None)?;
        let twice = repeated(robot);
        let order = folder.join("occupancy/shuffle-order.txt");
        let kept: &[usize] = &[0, 1, 3];
        let file = folder.join("occupancy/occupancy.csv");
        let occupancy = read(&file, Some(&order), Some(kept))?;
        let order = folder.join("eeg-eye-state/shuffle-order.txt");
        let file = folder.join("eeg-eye-state/eeg-eye-state.csv");
        let eeg = read(&file, Some(&order), None)?;
        let figures = [73.36, 79.20, 83.39, 89.33];
        streams.push(named("electricity", electricity, figures, 0.0)?);
        streams.push(named("WFR", twice, [0.0; 4], 92.83)?);
        streams.push(named("OCC", occupancy, [0.0; 4], 95.66)?);
        streams.push(named("EEG", eeg, [0.0; 4], 82.06)?);
    }
    Ok(streams)
}

/// Four concepts over the same records, one after the other.
fn sea() -> Outcome<Box<dyn Generator>> {
    let concept = |function| -> Outcome<Box<dyn Generator>> {
        let sea = Sea {
            function,
            ..Sea::default()
        };
        Ok(Box::new(sea.generator()?))
    };
    let drift = |position: f64, from, to| -> Outcome<Box<dyn Generator>> {
        let drift = ConceptDrift {
            position,
            width: 1.0,
            ..ConceptDrift::default()
        };
        Ok(Box::new(drift.generator(from, to)?))
    };
    let first = drift(25_000.0, concept(1)?, concept(2)?)?;
    let second = drift(25_000.0, concept(3)?, concept(4)?)?;
    drift(50_000.0, first, second)
}

fn generated(
    name: &'static str,
    mut generator: Box<dyn Generator>,
    rows: usize,
    moa: [f64; 4],
    moa_2017: f64,
) -> Outcome<Stream> {
    let shape = generator.header();
    let mut records = Records::new(shape.attributes.len());
    let mut record = vec![0.0; shape.attributes.len()];
    let mut classes = Vec::with_capacity(rows);
    for _ in 0..rows {
        classes.push(generator.next(&mut record));
        records.push(&record);
    }
    named(name, (records, classes), moa, moa_2017)
}

fn named(
    name: &'static str,
    (records, classes): (Records, Vec<u32>),
    moa: [f64; 4],
    moa_2017: f64,
) -> Outcome<Stream> {
    let count = classes.iter().max().map_or(1, |&most| most as usize + 1);
    let mut inputs = vec![Input::Number; records.width()];
    if name == "electricity" {
        inputs[1] = Input::Nominal { values: 7 };
    }
    Ok(Stream {
        name,
        header: Header::new(inputs, count)?,
        records,
        classes,
        moa,
        moa_2017,
    })
}

/// A file of numbers with the class last, in the given order, of some columns or all.
fn read(
    file: &Path,
    order: Option<&Path>,
    columns: Option<&[usize]>,
) -> Outcome<(Records, Vec<u32>)> {
    let text = std::fs::read_to_string(file)?;
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let order: Vec<usize> = match order {
        None => (0..lines.len()).collect(),
        Some(order) => {
            let text = std::fs::read_to_string(order)?;
            text.lines().map(str::parse).collect::<Result<_, _>>()?
        }
    };
    let width = lines.first().map_or(0, |line| line.split(',').count()) - 1;
    let columns = columns.map_or_else(|| (0..width).collect(), <[usize]>::to_vec);
    let (mut records, mut classes) = (Records::new(columns.len()), Vec::new());
    let mut names: Vec<&str> = Vec::new();
    for row in order {
        let cells: Vec<&str> = lines[row].split(',').collect();
        let numbers = columns.iter().map(|&column| cells[column].parse());
        records.push(&numbers.collect::<Result<Vec<f64>, _>>()?);
        let place = names.iter().position(|&name| name == cells[width]);
        classes.push(place.unwrap_or(names.len()) as u32);
        if place.is_none() {
            names.push(cells[width]);
        }
    }
    Ok((records, classes))
}

fn repeated((records, classes): (Records, Vec<u32>)) -> (Records, Vec<u32>) {
    let mut twice = records.clone();
    records.iter().for_each(|record| twice.push(record));
    (twice, classes.repeat(2))
}

/// CPU seconds of all threads so far.
fn cpu_seconds() -> Outcome<f64> {
    let mut seconds = 0.0;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let first = text.split(' ').next().ok_or("no times of this thread")?;
        seconds += first.trim().parse::<f64>()? / 1e9;
    }
    Ok(seconds)
}
