//! What z-anonymity costs on a stream in memory: CPU seconds a run and bytes of state.
//!
//! Reads a CSV stream with the columns `t`, `user` and `attribute` (a path such as
//! `a*b*c`) into batches, then decides all of them again and again on one thread
//! with a window of an hour, and prints one line of JSON. Reading, writing,
//! counting again and measuring are not counted.
//!
//! Memory is that of the state without the texts of users and paths, looked at in
//! one more run every 2,000 rows. Reported is the moment with the most paths, and
//! where z is tuned the one with the most live (path, user) pairs; those are
//! counted once more here, from the rows of the window alone.
//!
//! ```text
//! cargo run --release --workspace --bin stream_cost -- stream.csv --z 20
//! cargo run --release --workspace --bin stream_cost -- stream.csv --goal 0.8 --seconds 2
//! ```

use moretta::data::hierarchy::{HierarchySpec, Ladder, Rungs, Texts};
use moretta::data::{Batch, Role, times};
use moretta::io::{ColumnPlan, ReadAs, ReadOptions, open};
use moretta::protect::Operator;
use moretta::protect::z_anonymity::{Search, Stream, Tune, ZAnonymity};
use moretta_costs::{Outcome, cpu_seconds, peak_kilobytes};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The allocator of the program `moretta`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const WINDOW: i64 = 3_600_000;
const EVERY: i64 = 1_800_000;

/// How often the state is looked at: pairs come and go within a batch of the reader.
const LOOK: usize = 2_000;

/// What to run.
struct Job {
    path: PathBuf,
    z: u32,
    goal: Option<f64>,
    seconds: f64,
}

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn main() -> Outcome<()> {
    let job = Job::from_arguments()?;
    let config = job.config();
    let batches = read(&job.path, None)?;
    let mut rows = Rows::default();
    let (started, cpu) = (Instant::now(), cpu_seconds()?);
    let mut runs = 0;
    while runs == 0 || started.elapsed() < Duration::from_secs_f64(job.seconds) {
        rows = decide(&config, &batches, |_, _| ())?;
        runs += 1;
    }
    let wall = started.elapsed().as_secs_f64() / f64::from(runs);
    let cpu = (cpu_seconds()? - cpu) / f64::from(runs);
    drop(batches);
    let batches = read(&job.path, Some(LOOK))?;
    let mut peaks = Peaks::default();
    decide(&config, &batches, |batch, stream| peaks.note(batch, stream))?;
    let paths = peaks.paths;
    let mut result = serde_json::json!({
        "rows": rows.read, "released": rows.released, "z": job.z, "goal": job.goal,
        "runs": runs, "cpu_seconds": cpu, "wall_seconds": wall,
        "rows_per_cpu_second": rows.read as f64 / cpu, "peak_kilobytes": peak_kilobytes()?,
        "paths": paths.count, "state_bytes": paths.state, "text_bytes": paths.texts,
        "bytes_per_path": paths.state as f64 / paths.count as f64,
    });
    if let Some(most) = peaks.pairs {
        let live = live_pairs(&batches[..=most.batch])?;
        if live != most.live {
            return Err(format!("{} pairs are held and {live} are live", most.live).into());
        }
        result["pairs"] = serde_json::json!({
            "live": live, "table_bytes": most.table, "state_bytes": most.state,
            "bytes_per_pair": most.table as f64 / live as f64,
            "state_bytes_per_pair": most.state as f64 / live as f64,
            "live_at_end": peaks.end.0, "table_bytes_at_end": peaks.end.1,
        });
    }
    println!("{result}");
    Ok(())
}

impl Job {
    fn from_arguments() -> Outcome<Self> {
        let mut arguments = std::env::args().skip(1);
        let path = arguments.next().ok_or("give a CSV file")?;
        let mut job = Job {
            path: path.into(),
            z: 10,
            goal: None,
            seconds: 1.0,
        };
        while let Some(option) = arguments.next() {
            let value = arguments
                .next()
                .ok_or_else(|| format!("{option} needs a value"))?;
            match option.as_str() {
                "--z" => job.z = value.parse()?,
                "--goal" => job.goal = Some(value.parse()?),
                "--seconds" => job.seconds = value.parse()?,
                _ => return Err(format!("there is no option {option}").into()),
            }
        }
        Ok(job)
    }

    fn config(&self) -> ZAnonymity {
        let tune = |goal| Tune {
            at_least: 1,
            goal,
            k: 2,
            every: EVERY,
            search: Search::MinZ,
        };
        ZAnonymity {
            tune: self.goal.map(tune),
            ..ZAnonymity::fixed(self.z, WINDOW)
        }
    }
}

fn read(path: &Path, batch_rows: Option<usize>) -> Outcome<Vec<Batch>> {
    let options = ReadOptions {
        stream: batch_rows.is_none(),
        batch_rows,
        ..ReadOptions::default()
    };
    let plans = [
        ("t", Role::Time, ReadAs::Plain),
        ("user", Role::Subject, ReadAs::Category),
        ("attribute", Role::Quasi, ReadAs::Category),
    ]
    .map(|(name, role, read)| ColumnPlan {
        name: name.to_owned(),
        role,
        read,
    });
    Ok(open(path, &options, &plans)?.collect::<Result<_, _>>()?)
}

fn ladder() -> moretta::Result<Ladder> {
    HierarchySpec::Path("*".to_owned()).ladder("attribute", Texts::Category)
}

/// Rows that were read and that were released.
#[derive(Clone, Copy, Default)]
struct Rows {
    read: usize,
    released: usize,
}

/// The state when it was largest.
#[derive(Clone, Copy, Default)]
struct Peaks {
    paths: PathPeak,
    pairs: Option<PairPeak>,
    /// Live pairs and bytes of their table after the last row.
    end: (usize, usize),
}

#[derive(Clone, Copy, Default)]
struct PathPeak {
    count: usize,
    state: usize,
    texts: usize,
}

#[derive(Clone, Copy)]
struct PairPeak {
    /// After which batch.
    batch: usize,
    live: usize,
    table: usize,
    state: usize,
}

impl Peaks {
    fn note(&mut self, batch: usize, stream: &Stream) {
        let (state, texts) = stream.memory();
        let count = stream.path_count();
        if count > self.paths.count {
            self.paths = PathPeak {
                count,
                state,
                texts,
            };
        }
        if let Some((live, table)) = stream.pairs() {
            self.end = (live, table);
            if self.pairs.is_none_or(|most| live > most.live) {
                self.pairs = Some(PairPeak {
                    batch,
                    live,
                    table,
                    state,
                });
            }
        }
    }
}

/// Decides the whole stream; `look` is shown the state after each batch.
fn decide(
    config: &ZAnonymity,
    batches: &[Batch],
    mut look: impl FnMut(usize, &Stream),
) -> Outcome<Rows> {
    let ladder = ladder()?;
    let schema = batches.first().ok_or("a stream without rows")?.schema();
    let mut stream = Stream::new(config, schema, |_| ladder.clone(), None, 1)?;
    let mut rows = Rows::default();
    for (number, batch) in batches.iter().enumerate() {
        rows.read += batch.len();
        rows.released += stream.push(batch.clone())?.len();
        look(number, &stream);
    }
    Ok(rows)
}

/// How many (path, user) pairs there are in the window before the last row.
fn live_pairs(batches: &[Batch]) -> Outcome<usize> {
    let (mut format, ladder, mut rungs) = (None, ladder()?, Rungs::default());
    let times = batches
        .iter()
        .map(|batch| times(batch, 0, &mut format))
        .collect::<Result<Vec<_>, _>>()?;
    let newest = times.iter().flatten().max().ok_or("no rows")?;
    let mut live: HashSet<(String, &str)> = HashSet::new();
    for (batch, times) in batches.iter().zip(&times) {
        let column = |place: usize| batch.column(place).as_categories();
        let (users, values) = column(1).zip(column(2)).ok_or("no categories")?;
        for row in (0..batch.len()).filter(|&row| times[row] >= newest - WINDOW) {
            let (user, value) = users.get(row).zip(values.get(row)).ok_or("a gap")?;
            ladder.climb(value, &mut rungs);
            live.extend(rungs.iter().map(|label| (label.to_owned(), user)));
        }
    }
    Ok(live.len())
}
