//! What Mondrian costs on a table in memory: CPU seconds a run, classes, information loss.
//!
//! Reads columns of a CSV file as quasi-identifiers, runs the method as a policy
//! would (coding, partitioning, recoding) again and again, and prints one line
//! of JSON. Reading the file is not counted. CPU time is that of all threads;
//! `RAYON_NUM_THREADS=1` keeps it free of waiting.
//!
//! Loss is the normalised certainty penalty by *code width*, as the public
//! Python code counts it: a class that spans the codes `low..=high` of a column
//! loses `(high - low) / (codes - 1)`, categories numbered by first appearance,
//! numbers by their value; the mean over rows and columns.
//!
//! ```text
//! cargo run --release --workspace --bin mondrian_cost -- adult.csv age,sex,race --k 10 --mode relaxed --seconds 2
//! ```

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use moretta::data::{Batch, Column, Domain, Domains, Role, Schema};
use moretta::guarantee::Guarantee;
use moretta::io::{ColumnPlan, ReadAs, ReadOptions, names, open};
use moretta::protect::mondrian::{Bounds, Mode, Mondrian};
use moretta::protect::{Method, Setting};
use moretta_costs::{Outcome, cpu_seconds, peak_kilobytes};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The allocator of the program `moretta`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What to run.
struct Job {
    path: PathBuf,
    columns: Vec<String>,
    k: u32,
    mode: Mode,
    seconds: f64,
    rows: Option<usize>,
}

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn main() -> Outcome<()> {
    let job = Job::from_arguments()?;
    let table = read(&job)?;
    let method = Method::Mondrian(Mondrian {
        mode: job.mode,
        // As the peers show them.
        bounds: Bounds::Exact,
        ..Mondrian::default()
    });
    let setting = setting(&job, &table)?;
    let mut release = protect(&method, &table, &setting)?;
    let (started, cpu) = (Instant::now(), cpu_seconds()?);
    let mut runs = 0;
    while runs == 0 || started.elapsed() < Duration::from_secs_f64(job.seconds) {
        drop(release);
        release = protect(&method, &table, &setting)?;
        runs += 1;
    }
    let wall = started.elapsed().as_secs_f64() / f64::from(runs);
    let cpu = (cpu_seconds()? - cpu) / f64::from(runs);
    let (classes, smallest, ncp) = loss(&table, &release);
    println!(
        "{}",
        serde_json::json!({
            "rows": table.len(), "columns": job.columns.len(), "k": job.k, "runs": runs,
            "cpu_seconds": cpu, "wall_seconds": wall, "peak_kilobytes": peak_kilobytes()?,
            "classes": classes, "smallest_class": smallest, "ncp": ncp,
        })
    );
    Ok(())
}

impl Job {
    fn from_arguments() -> Outcome<Self> {
        let mut arguments = std::env::args().skip(1);
        let (Some(path), Some(columns)) = (arguments.next(), arguments.next()) else {
            return Err("give a CSV file and the names of its quasi-identifiers: a,b,c".into());
        };
        let mut job = Job {
            path: path.into(),
            columns: columns.split(',').map(str::to_owned).collect(),
            k: 10,
            mode: Mode::Strict,
            seconds: 1.0,
            rows: None,
        };
        while let Some(option) = arguments.next() {
            let value = arguments
                .next()
                .ok_or_else(|| format!("{option} needs a value"))?;
            match option.as_str() {
                "--k" => job.k = value.parse()?,
                "--seconds" => job.seconds = value.parse()?,
                "--rows" => job.rows = Some(value.parse()?),
                "--mode" => job.mode = mode(&value)?,
                _ => return Err(format!("there is no option {option}").into()),
            }
        }
        Ok(job)
    }
}

fn mode(word: &str) -> Outcome<Mode> {
    match word {
        "strict" => Ok(Mode::Strict),
        "relaxed" => Ok(Mode::Relaxed),
        "balanced" => Ok(Mode::Balanced),
        _ => Err("a mode is strict, relaxed or balanced".into()),
    }
}

/// The quasi-identifiers, in the order of the arguments.
fn read(job: &Job) -> Outcome<Batch> {
    let options = ReadOptions::default();
    let plans: Vec<ColumnPlan> = names(&job.path, &options)?
        .into_iter()
        .map(|name| {
            let wanted = job.columns.contains(&name);
            ColumnPlan {
                name,
                role: Role::Quasi,
                read: if wanted { ReadAs::Infer } else { ReadAs::Skip },
            }
        })
        .collect();
    let source = open(&job.path, &options, &plans)?;
    let schema = Arc::clone(source.schema());
    let table = Batch::concat(&schema, source.collect::<Result<_, _>>()?)?;
    let rows = job.rows.unwrap_or(table.len()).min(table.len());
    in_order(&table.slice(0, rows), &job.columns)
}

fn in_order(table: &Batch, names: &[String]) -> Outcome<Batch> {
    let places = names
        .iter()
        .map(|name| {
            let place = table.schema().index_of(name);
            place.ok_or_else(|| format!("the file has no column `{name}`"))
        })
        .collect::<Result<Vec<usize>, _>>()?;
    let fields = places.iter().map(|&i| table.schema().fields()[i].clone());
    let schema = Arc::new(Schema::new(fields.collect())?);
    let columns = places.iter().map(|&i| table.column(i).clone()).collect();
    Ok(Batch::new(schema, table.rows().clone(), columns)?)
}

fn setting(job: &Job, table: &Batch) -> Outcome<Setting> {
    let columns = table.schema().fields().iter().zip(table.columns());
    let domains = columns
        .map(|(field, column)| Ok((field.name.to_string(), Domain::of(field, column, None)?)))
        .collect::<moretta::Result<Vec<_>>>()?;
    Ok(Setting {
        guarantee: Guarantee {
            k: Some(job.k),
            ..Guarantee::default()
        },
        domains: Arc::new(Domains::new(domains)),
        seed: 0,
        ..Setting::default()
    })
}

fn protect(method: &Method, table: &Batch, setting: &Setting) -> Outcome<Batch> {
    let mut operator = method.build(table.schema(), setting)?;
    operator.push(table.clone())?;
    Ok(operator.finish()?)
}

/// Classes that can be told apart, rows of the smallest one, and the mean loss by code width.
fn loss(table: &Batch, release: &Batch) -> (usize, usize, f64) {
    let released: Vec<&[u32]> = release
        .columns()
        .iter()
        .filter_map(|column| column.as_categories().map(|c| c.codes()))
        .collect();
    let mut known: HashMap<Vec<u32>, usize, FixedState> = HashMap::default();
    let class_of_row: Vec<usize> = (0..table.len())
        .map(|row| {
            let shown = released.iter().map(|codes| codes[row]).collect();
            let next = known.len();
            *known.entry(shown).or_insert(next)
        })
        .collect();
    let mut sizes = vec![0; known.len()];
    class_of_row.iter().for_each(|&class| sizes[class] += 1);
    let total: f64 = table
        .columns()
        .iter()
        .map(|column| column_loss(column, &class_of_row, &sizes))
        .sum();
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    (sizes.len(), smallest, total / table.columns().len() as f64)
}

/// The mean over rows of the width of a row's class, relative to the whole column.
fn column_loss(column: &Column, class_of_row: &[usize], sizes: &[usize]) -> f64 {
    let values = positions(column);
    let mut spans = vec![(f64::INFINITY, f64::NEG_INFINITY); sizes.len()];
    for (&class, &value) in class_of_row.iter().zip(&values) {
        let (low, high) = &mut spans[class];
        *low = low.min(value);
        *high = high.max(value);
    }
    let low = spans.iter().fold(f64::INFINITY, |low, s| low.min(s.0));
    let high = spans
        .iter()
        .fold(f64::NEG_INFINITY, |high, s| high.max(s.1));
    let lost = spans
        .iter()
        .zip(sizes)
        .map(|(s, &n)| (s.1 - s.0) * n as f64);
    lost.sum::<f64>() / ((high - low) * values.len() as f64)
}

/// Numbers by their value, categories by their code.
fn positions(column: &Column) -> Vec<f64> {
    match column {
        Column::Number(numbers) => numbers.values().to_vec(),
        Column::Category(categories) => categories.codes().iter().map(|&c| f64::from(c)).collect(),
        Column::Plain(array) => vec![0.0; array.len()],
    }
}
