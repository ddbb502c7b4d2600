//! `moretta-lab federation`: sites that keep their columns learn together, repeated.
//!
//! HDSM and its baselines as in a published study of hierarchical distributed stream mining
//! (thesis, AUT 2019): accuracies, volumes and ratios of times, each beside what was printed, with
//! an interval over seeds of forests where chance decides; then what batches, late labels,
//! fragments that hide and the product's variants cost; and the study's secure sum, broken. All
//! runs are those of the product (`moretta::federate`), all parties in one process, or linked by
//! gRPC on this machine.
//!
//! *Not at hand*: gas sensors, Higgs, flights and drives. *Costs* hours of CPU with ten seeds;
//! `--seeds`, `--sets`, `--tables` and `--records` cut it.

mod accuracies;
mod batches;
mod broken_sum;
mod case;
mod central;
mod demonstration;
mod figures;
#[cfg(feature = "grpc")]
mod linked;
mod measures;
mod part;
mod printed;
mod privacy;
mod published_sum;
mod sets;
mod stream_list;
mod streams;
mod variants;
mod volumes;
mod windows;

use crate::acceptance;
use crate::output::{create_folder, print, write};
use crate::page::page;
use crate::sheet::{self, Sheet};
use case::{Book, Case, Network};
use clap::Args;
use moretta::{Error, Result};
use part::{Extent, Part, Results, Table};
use printed::Printed;
use sets::Set;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  moretta-lab federation --tables 4.1
  moretta-lab federation --tables 4.3,4.5 --seeds 3 --sets WFR,OCC
  moretta-lab federation --tables 4.1 --network grpc
  moretta-lab federation --tables sum
  moretta-lab federation --output study

Tables: 4.1, 4.2, 4.3 (with ranks), 4.4, 4.5, 4.6, 4.7, batches, privacy, variants, figures, sum.
Prints them, ours beside printed. --output adds all figures as CSV, drawings as SVG and a page for
both; files of an earlier study in that folder are replaced. The same seeds give the same figures,
but for times. Ends with 6 when a figure is not within its tolerance.")]
pub(crate) struct FederationArgs {
    /// Where the public data are
    #[arg(long, value_name = "FOLDER", default_value = "../shared/data")]
    data: PathBuf,
    /// Write figures and drawings into a folder
    #[arg(long, visible_alias = "out", value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// The tables to repeat [default: all]
    #[arg(
        long,
        visible_alias = "table",
        value_delimiter = ',',
        value_name = "TABLE"
    )]
    tables: Vec<String>,
    /// The streams of tables 4.2 to 4.7 [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SET")]
    sets: Vec<String>,
    /// How many seeds of forests, from 1 on
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Take at most so many records of each stream, to try it out; nothing printed is compared
    #[arg(long)]
    records: Option<usize>,
    /// What carries the frames; figures are the same but for bytes and times
    #[arg(long, value_enum, default_value_t = Network::Sim)]
    network: Network,
}

/// All tables, in the order in which they are shown.
static TABLES: [&Table; 12] = [
    &demonstration::TABLE,
    &stream_list::TABLE,
    &accuracies::TABLE,
    &central::TIMES,
    &volumes::TABLE,
    &windows::TABLE,
    &central::TABLE,
    &batches::TABLE,
    &privacy::TABLE,
    &variants::TABLE,
    &figures::TABLE,
    &broken_sum::TABLE,
];

const TITLE: &str = "Sites that keep their columns: a study repeated";

pub(crate) fn run(args: &FederationArgs) -> Result<ExitCode> {
    let start = Instant::now();
    let Part {
        mut sheets,
        checks,
        drawings,
    } = compute(args)?;
    if !checks.is_empty() {
        sheets.extend(acceptance::sheets(&checks));
    }
    sheets.retain(|sheet: &Sheet| !sheet.rows.is_empty());
    let text = sheet::text(&sheets);
    print(&text)?;
    if let Some(folder) = &args.output {
        create_folder(folder)?;
        let shown = page(TITLE, &text, &drawings);
        write(&folder.join("index.html"), &shown)?;
        for (name, content) in sheet::files(&sheets).into_iter().chain(drawings) {
            write(&folder.join(name), &content)?;
        }
    }
    print(&format!("{:.0} s\n", start.elapsed().as_secs_f64()))?;
    let fails = checks.iter().any(|check| !check.holds);
    Ok(ExitCode::from(if fails { 6 } else { 0 }))
}

fn compute(args: &FederationArgs) -> Result<Part> {
    let tables = chosen(&args.tables)?;
    let extent = Extent {
        sets: sets::chosen(&args.sets)?,
        seeds: args.seeds,
        whole: args.records.is_none(),
    };
    let cases: Vec<Case> = tables
        .iter()
        .flat_map(|table| (table.cases)(&extent))
        .collect();
    let most = args.records.unwrap_or(usize::MAX);
    let read = |set: &Set| set.read(&args.data, most);
    let book = Book::fill(&cases, args.network, read)?;
    let results = Results {
        read: &read,
        extent: &extent,
        book: &book,
        printed: &match cases.is_empty() {
            true => Printed::default(),
            false => Printed::read(&args.data)?,
        },
    };
    let mut whole = Part::default();
    for table in tables {
        let part = (table.show)(&results)?;
        whole.sheets.extend(part.sheets);
        whole.checks.extend(part.checks);
        whole.drawings.extend(part.drawings);
    }
    Ok(whole)
}

/// The tables of these names, or all.
fn chosen(names: &[String]) -> Result<Vec<&'static Table>> {
    let known = || TABLES.iter().map(|table| table.name);
    if let Some(unknown) = names
        .iter()
        .find(|name| known().all(|table| table != **name))
    {
        let known: Vec<&str> = known().collect();
        return Err(Error::usage(format!("there is no table {unknown}"))
            .help(format!("choose from {}", known.join(", "))));
    }
    let wanted = |table: &&&Table| names.is_empty() || names.iter().any(|name| table.name == name);
    Ok(TABLES.iter().filter(wanted).copied().collect())
}
