//! Accuracy and speed of the learners on streams that MOA's figures are known for.
//!
//! Predicts each record before it is learnt and prints, for each stream and learner,
//! the accuracy, what MOA printed, records a CPU second, records a second and the
//! memory of the model. Each is run `--times` (3), forests with another seed each time:
//! accuracies are means, rates are the best. `--data` names the folder of the real streams; without it
//! only the generators run. `--only` keeps the lines that contain a text. `--write`
//! writes the streams that MOA's figures of today are for as CSV and runs nothing.
//! Forests use as many threads as `RAYON_NUM_THREADS` says.
//!
//! ```text
//! cargo run --release --workspace --bin learners -- --data ../shared/data --only ARF
//! ```

use moretta::data::Records;
use moretta::learn::{self, Header, Input, Learner, predicted};
use moretta_costs::{Outcome, cpu_seconds};
use moretta_generate::moa::{ConceptDrift, Generator, RandomRbf, RandomRbfDrift, Sea};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The allocator of the program `moretta`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Records learnt at a time.
const CHUNK: usize = 1000;

struct Options {
    data: Option<PathBuf>,
    only: String,
    times: u64,
    write: Option<PathBuf>,
}

struct Stream {
    name: &'static str,
    header: Header,
    records: Records,
    classes: Vec<u32>,
    /// Accuracies in MOA today: naive Bayes, Hoeffding tree, adaptive tree, forest of 10,
    /// nearest neighbours.
    moa: [f64; 5],
    /// Accuracy of the forest in MOA 17.06, after 1000 records.
    moa_2017: f64,
}

fn main() -> Outcome<()> {
    let options = options()?;
    let streams = streams(options.data.as_deref())?;
    match &options.write {
        Some(folder) => streams
            .iter()
            .filter(|stream| stream.moa != [0.0; 5])
            .try_for_each(|stream| write(stream, folder)),
        None => print(&streams, &options),
    }
}

fn options() -> Outcome<Options> {
    let mut options = Options {
        data: None,
        only: String::new(),
        times: 3,
        write: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or("an option without a value")?;
        match name.as_str() {
            "--data" => options.data = Some(value.into()),
            "--only" => options.only = value,
            "--times" => options.times = value.parse()?,
            "--write" => options.write = Some(value.into()),
            _ => return Err(format!("{name} is no option").into()),
        }
    }
    Ok(options)
}

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn print(streams: &[Stream], options: &Options) -> Outcome<()> {
    println!("stream learner accuracy MOA records/CPU-s records/s KiB");
    for stream in streams {
        let chunks = chunks(&stream.records);
        for (learner, moa, skipped) in learners(stream) {
            let name = format!("{} {learner}", stream.name);
            if !name.contains(&options.only) {
                continue;
            }
            let (mut accuracy, mut per_cpu, mut per_wall, mut memory) = (0.0, 0.0, 0.0, 0);
            for run in 1..=options.times {
                // The chance of the other learners is MOA's, with its seed.
                let seed = if learner.starts_with("ARF") { run } else { 1 };
                let mut learner = build(learner, &stream.header, seed)?;
                let (cpu, wall) = (cpu_seconds()?, Instant::now());
                accuracy +=
                    prequential(learner.as_mut(), stream, &chunks, skipped) / options.times as f64;
                let records = stream.records.len() as f64;
                per_wall = f64::max(per_wall, records / wall.elapsed().as_secs_f64());
                per_cpu = f64::max(per_cpu, records / (cpu_seconds()? - cpu));
                memory = learner.memory() >> 10;
            }
            println!("{name} {accuracy:.2} {moa:.2} {per_cpu:.0} {per_wall:.0} {memory}");
        }
    }
    Ok(())
}

/// Codes stand for nominal values and classes.
fn write(stream: &Stream, folder: &Path) -> Outcome<()> {
    let mut text = String::new();
    for column in 1..=stream.records.width() {
        write!(text, "att{column},")?;
    }
    writeln!(text, "class")?;
    for (record, class) in stream.records.iter().zip(&stream.classes) {
        for value in record {
            write!(text, "{value},")?;
        }
        writeln!(text, "{class}")?;
    }
    std::fs::write(folder.join(stream.name).with_extension("csv"), text)?;
    Ok(())
}

/// Names of the learners to run, MOA's figures, and how many records are not counted.
fn learners(stream: &Stream) -> Vec<(&'static str, f64, usize)> {
    let today = ["NB", "HT", "HAT", "ARF10", "kNN"]
        .into_iter()
        .zip(stream.moa);
    let today = today.map(|(name, figure)| (name, figure, 0));
    let ours = [("arf", stream.moa[3], 0)];
    let of_2017 = [("ARF-2017", stream.moa_2017, 1000)];
    let known = |learner: &(&str, f64, usize)| learner.1 > 0.0;
    today.chain(ours).chain(of_2017).filter(known).collect()
}

/// The learners as the command line has them; forests of MOA are its presets.
fn build(name: &str, header: &Header, seed: u64) -> Outcome<Box<dyn Learner>> {
    let text = match name {
        "NB" => "nb",
        "HT" => "ht",
        "HAT" => "hat",
        "ARF10" => "arf(preset=moa)",
        "arf" => "arf",
        "kNN" => "knn",
        _ => "arf(preset=2017, leaf=nb)",
    };
    Ok(learn::build(text, header, seed)?)
}

/// The percentage of records that were predicted rightly before they were learnt.
fn prequential(
    learner: &mut dyn Learner,
    stream: &Stream,
    chunks: &[Records],
    skipped: usize,
) -> f64 {
    let (mut votes, mut seen, mut right) = (Vec::new(), 0, 0);
    for (chunk, classes) in chunks.iter().zip(stream.classes.chunks(CHUNK)) {
        learner.predict_then_learn(chunk, classes, &mut votes);
        for (votes, &class) in votes.chunks_exact(stream.header.classes()).zip(classes) {
            right += usize::from(seen >= skipped && predicted(votes) == class);
            seen += 1;
        }
    }
    100.0 * right as f64 / (stream.classes.len() - skipped) as f64
}

/// The records as a stream brings them.
fn chunks(records: &Records) -> Vec<Records> {
    let mut chunks = Vec::new();
    for (row, record) in records.iter().enumerate() {
        if row % CHUNK == 0 {
            chunks.push(Records::new(records.width()));
        }
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(record);
        }
    }
    chunks
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
            [72.31, 85.39, 84.28, 93.67, 92.81],
            0.0,
        )?,
        generated(
            "SEA-A",
            sea()?,
            100_000,
            [83.65, 84.28, 87.06, 88.75, 86.69],
            88.67,
        )?,
        generated(
            "RBF-F",
            Box::new(fast.generator()?),
            50_000,
            [0.0; 5],
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
        let figures = [73.36, 79.20, 83.39, 89.33, 78.38];
        streams.push(named("electricity", electricity, figures, 0.0)?);
        streams.push(named("WFR", twice, [0.0; 5], 92.83)?);
        streams.push(named("OCC", occupancy, [0.0; 5], 95.66)?);
        streams.push(named("EEG", eeg, [0.0; 5], 82.06)?);
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
    moa: [f64; 5],
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
    moa: [f64; 5],
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
