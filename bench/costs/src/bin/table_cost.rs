//! What microaggregation of a table costs and loses: CPU seconds and 100 SSE/SST, in memory.
//!
//! Takes the numbers of a CSV file, all columns or those that are named, or records that are
//! made up: `rbf`, `gauss`, `uniform` or `line` (one column), so many as the second argument
//! says. Rows that have a cell that is no number are left out. Prints one line of JSON for each
//! set of lines of a method that follows; the fastest of several runs counts.
//!
//! ```text
//! cargo run --release --workspace --bin table_cost -- gauss 1000000 'k = 5'
//! cargo run --release --workspace --bin table_cost -- ../shared/data/eia/eia.csv UTILITYID,TOTSALES 'k = 3'
//! ```

use moretta::data::{Attribute, Records};
use moretta::policy::{Policy, Root};
use moretta::protect::Method;
use moretta::protect::microaggregation::Microaggregation;
use moretta_costs::{Outcome, cpu_seconds, peak_kilobytes};
use moretta_generate::moa::{Generator, RandomRbf};
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::Path;

/// The allocator of the program `moretta`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs of which the fastest counts, if they take less than a second.
const RUNS: usize = 9;

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let data = arguments.next().ok_or("name a file or a kind of data")?;
    let which = arguments
        .next()
        .ok_or("name columns, or say how many rows")?;
    let records = match which.parse::<usize>() {
        Ok(rows) => made_up(&data, rows)?,
        Err(_) => read(Path::new(&data), &which)?,
    };
    let kinds = vec![Attribute::Number; records.width()];
    for lines in arguments {
        let config = config(&lines)?;
        let mut seconds = f64::INFINITY;
        let mut masked = records.clone();
        for _ in 0..RUNS {
            masked = records.clone();
            let before = cpu_seconds()?;
            config.mask(&kinds, &mut masked);
            seconds = seconds.min(cpu_seconds()? - before);
            if seconds > 1.0 {
                break;
            }
        }
        println!(
            "{{\"data\":\"{data}\",\"rows\":{},\"columns\":{},\"method\":\"{}\",\"cpu_seconds\":{seconds:.4},\"loss\":{:.4},\"peak_kilobytes\":{}}}",
            records.len(),
            records.width(),
            lines.replace('"', "'").replace('\n', ", "),
            loss(&records, &masked),
            peak_kilobytes()?
        );
    }
    Ok(())
}

fn config(lines: &str) -> Outcome<Microaggregation> {
    let text = format!(
        "version = 1\n[source]\npath = \"a.csv\"\n[columns]\nx = {{ role = \"quasi\" }}\n[[protect]]\nmethod = \"microaggregation\"\n{lines}\n"
    );
    let root = Root::of_policy(Path::new("policy.toml"), None)?;
    match Policy::parse(&text, &root)?.plan.protect.remove(0) {
        Method::Microaggregation(config) => Ok(config),
        _ => Err("not microaggregation".into()),
    }
}

fn made_up(kind: &str, rows: usize) -> Outcome<Records> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let width = if kind == "line" { 1 } else { 10 };
    let mut record = vec![0.0; width];
    let mut records = Records::new(width);
    let mut rbf = RandomRbf::default().generator()?;
    for _ in 0..rows {
        match kind {
            "rbf" => {
                rbf.next(&mut record);
            }
            "gauss" | "line" => {
                for value in &mut record {
                    *value = StandardNormal.sample(&mut random);
                }
            }
            "uniform" => {
                for value in &mut record {
                    *value = StandardUniform.sample(&mut random);
                }
            }
            _ => return Err("the data are rbf, gauss, uniform, line or a file".into()),
        }
        records.push(&record);
    }
    Ok(records)
}

fn read(path: &Path, names: &str) -> Outcome<Records> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().ok_or("no header")?.split(',').collect();
    let wanted: Vec<&str> = match names {
        "all" => header.clone(),
        _ => names.split(',').collect(),
    };
    let place = |name: &&str| header.iter().position(|other| other == name);
    let places: Option<Vec<usize>> = wanted.iter().map(place).collect();
    let places = places.ok_or("there is no such column")?;
    let mut records = Records::new(places.len());
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |&place: &usize| cells.get(place)?.trim().parse::<f64>().ok();
        if let Some(record) = places.iter().map(number).collect::<Option<Vec<f64>>>() {
            records.push(&record);
        }
    }
    Ok(records)
}

/// 100 SSE/SST on columns divided by their standard deviations.
fn loss(original: &Records, masked: &Records) -> f64 {
    let (mut lost, mut columns) = (0.0, 0.0);
    for column in 0..original.width() {
        let mean = original.column(column).sum::<f64>() / original.len() as f64;
        let all: f64 = original.column(column).map(|x| (x - mean).powi(2)).sum();
        let pairs = original.column(column).zip(masked.column(column));
        if all > 0.0 {
            lost += pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>() / all;
            columns += 1.0;
        }
    }
    100.0 * lost / columns
}
