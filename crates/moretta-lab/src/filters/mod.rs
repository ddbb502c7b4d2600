//! `moretta-lab filters`: the four privacy filters for MOA, and the tables printed about them.
//!
//! A thesis of 2015 measured noise addition, microaggregation, rank swapping and
//! "differential privacy" on the streams RandomRBF and Waveform: disclosure risk
//! (DR) and information loss (IL) over 100,000 records, one run each, in tables
//! A.1 to A.16. This study runs its grid again with the filters exactly as their
//! code was, and lays the figures beside the printed ones. What the code really did
//! is told in the files of the filters; two of them release what they should hide.

mod csv;
mod differential_privacy;
mod estimators;
mod figure;
mod filter;
mod microaggregation;
mod noise;
mod ours;
mod plot;
mod point;
mod printed;
mod rank_swapping;
mod results;
mod sides;
mod table;
mod window;

use crate::output::{create_folder, print, progress, write};
use clap::Args;
use moretta::Result;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Where the lines of the tables are, seen from the root of the repository.
const PRINTED: &str = "../shared/data/published/privacy-filters-tables-A1-A16.csv";

/// How many records the authors ran.
const ROWS: usize = 100_000;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  moretta-lab filters
  moretta-lab filters --tables A.1,A.3 --repeats 10 --csv filters.csv --plots plots

Ends with 6 when a figure that must be the printed one is more than 1 % off.")]
pub(crate) struct FiltersArgs {
    /// The lines of the published tables
    #[arg(long, value_name = "FILE", default_value = PRINTED)]
    printed: PathBuf,
    /// Only these tables
    #[arg(long, value_delimiter = ',', value_name = "A.1,…")]
    tables: Vec<String>,
    /// Released records of each run; with another number there are no verdicts
    #[arg(long, default_value_t = ROWS)]
    rows: usize,
    /// Runs of each line: the first with the published seeds, the others with new ones
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeats: u32,
    /// Write all figures to a file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw each table into a folder
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

pub(crate) fn run(args: &FiltersArgs) -> Result<ExitCode> {
    let start = Instant::now();
    let points = printed::read(&args.printed, &args.tables)?;
    let results = results::compute(points, args.rows, args.repeats, &progress)?;
    let judged = args.rows == ROWS;
    let mut text = table::table(&results, judged);
    text += &table::summary(&results, judged, start.elapsed());
    print(&text)?;
    if let Some(path) = &args.csv {
        write(path, &csv::csv(&results, judged))?;
    }
    if let Some(folder) = &args.plots {
        create_folder(folder)?;
        for (name, drawing) in plot::plots(&results) {
            write(&folder.join(name), &drawing)?;
        }
    }
    let failed = judged && results.iter().any(results::Line::fails);
    Ok(ExitCode::from(if failed { 6 } else { 0 }))
}
