//! `moretta-lab tables`: what methods for tables lose, as a study of anonymization for big data
//! measured it.
//!
//! Mondrian on age and sampling weight of Adult beside the printed figures; NCP, GCP, DM and time
//! of every method against k and against rows; worked tables; and the methods that
//! `moretta compare-methods` knows side by side on Adult, German Credit and Census. All figures
//! come out of the product's own comparison, but for those of microaggregation, whose centroids
//! it measures by other means ([`centroids`]).
//!
//! *Costs* 20 seconds; `--rows` cuts the tables. Seconds are of one run and of this machine.

mod centroids;
mod csv;
mod data;
mod figures;
mod methods;
mod printed;
mod series;
mod text;
mod worked;

use crate::output::{create_folder, print, progress, write};
use crate::page::page;
use clap::Args;
use moretta::Result;
use moretta::pipeline::Comparison;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Where the public data are, seen from the root of the repository.
const DATA: &str = "../shared/data";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  moretta-lab tables --output study
  moretta-lab tables --rows 1000 --k 2,10

Prints tables. --output adds the figures as CSV, drawings as SVG and a page for both; files of
an earlier study in that folder are replaced. Ends with 6 when a worked table is released
otherwise than it was worked out.")]
pub(crate) struct TablesArgs {
    /// Where the public data are
    #[arg(long, value_name = "FOLDER", default_value = DATA)]
    data: PathBuf,
    /// Write figures and drawings into a folder
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// The values of k
    #[arg(long, value_delimiter = ',', value_name = "K", default_value = "2,5,10,25,50,100", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    k: Vec<u32>,
    /// At most so many rows of each table, from all of it
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(200..))]
    rows: u32,
}

/// Everything that the study has found.
struct Results {
    printed: Vec<printed::Printed>,
    series: Vec<series::Series>,
    side_by_side: Vec<Comparison>,
    worked: Vec<worked::Checked>,
}

/// The k of the methods side by side.
const SIDE_BY_SIDE_K: [u32; 2] = [5, 25];

pub(crate) fn run(args: &TablesArgs) -> Result<ExitCode> {
    let start = Instant::now();
    let results = compute(args)?;
    let text = text::text(&results);
    print(&text)?;
    if let Some(folder) = &args.output {
        create_folder(folder)?;
        let drawings = figures::figures(&results);
        let shown = page("What methods for tables lose", &text, &drawings);
        write(&folder.join("index.html"), &shown)?;
        for (name, content) in csv::files(&results).into_iter().chain(drawings) {
            write(&folder.join(name), &content)?;
        }
    }
    print(&format!("{:.0} s\n", start.elapsed().as_secs_f64()))?;
    let wrong = results.worked.iter().any(|table| table.wrong != Some(0));
    Ok(ExitCode::from(if wrong { 6 } else { 0 }))
}

fn compute(args: &TablesArgs) -> Result<Results> {
    const PARTS: usize = 4;
    let (data, rows) = (&*args.data, args.rows as usize);
    let worked = worked::compute()?;
    progress(1, PARTS);
    let printed = printed::compute(data, rows)?;
    progress(2, PARTS);
    let side_by_side = side_by_side(data, rows)?;
    progress(3, PARTS);
    let settings = series::Settings {
        k: args.k.clone(),
        rows,
    };
    let series = series::compute(data, &settings)?;
    progress(4, PARTS);
    Ok(Results {
        printed,
        series,
        side_by_side,
        worked,
    })
}

fn side_by_side(data: &Path, most: usize) -> Result<Vec<Comparison>> {
    let tables = data::SIDE_BY_SIDE.iter();
    tables
        .map(|table| {
            let rows = table.read(data, most)?;
            series::compare(&rows, Vec::new(), &SIDE_BY_SIDE_K, data)
        })
        .collect()
}
