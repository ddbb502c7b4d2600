//! `moretta-lab categorical`: a study of the protection of categories, repeated.
//!
//! What every masking method over its grid loses and risks ([`grid`]); searches over the cells of
//! protected files ([`evolution`]); matrices and equations of PRAM that searches find ([`pram`]); tables that are put into clusters first ([`clustering`]); and
//! social graphs ([`graphs`]): on German Credit, Solar Flare, Adult and Tarragona. All figures come
//! out of the product's own methods, searches and measures. Of the source (Marés, Categorical data
//! protection on statistical datasets and social networks, UAB 2013) we know what was done and
//! none of the figures, so that nothing stands beside ours; what must hold of a search and of a
//! graph is checked instead ([`acceptance`]).
//!
//! *Costs* minutes; `--quick` tries everything out on few rows.

mod clustering;
mod data;
mod evolution;
mod figures;
mod graphs;
mod grid;
mod pram;

use crate::acceptance;
use crate::output::{create_folder, print, write};
use crate::page::page;
use crate::sheet::{self, Place, Sheet, row};
use clap::{Args, ValueEnum};
use data::{ADULT, ALL_OF_ADULT, DataSet, FLARE, GERMAN, Loaded, TARRAGONA};
use moretta::Result;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  moretta-lab categorical --output study
  moretta-lab categorical --quick
  moretta-lab categorical --parts grid,graphs --seed 7

Prints tables. --output adds all figures as CSV, drawings as SVG and a page for both; files of
an earlier study in that folder are replaced. The same seed gives the same figures, but for
seconds. Ends with 6 when a property fails that must hold: the best file found is better than
the best of the start, also without the best of the start, and no graph has a semantic risk
above 1/k.")]
pub(crate) struct CategoricalArgs {
    /// Where the public data are
    #[arg(long, value_name = "FOLDER", default_value = "../shared/data")]
    data: PathBuf,
    /// Write figures and drawings into a folder
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// The parts of the study
    #[arg(long, value_delimiter = ',', value_name = "PART", default_values_t = Part::ALL)]
    parts: Vec<Part>,
    /// What all draws follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Steps of each search over cells of categories; one over numbers has a sixtieth, one over matrices a twelfth
    #[arg(long, value_parser = clap::value_parser!(u64).range(60..))]
    steps: Option<u64>,
    /// Few rows and few steps, to try it out
    #[arg(long)]
    quick: bool,
}

/// A part of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Grid,
    Evolution,
    Pram,
    Clustering,
    Graphs,
}

impl Part {
    const ALL: [Part; 5] = [
        Part::Grid,
        Part::Evolution,
        Part::Pram,
        Part::Clustering,
        Part::Graphs,
    ];
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

/// How much is done.
struct Extent {
    /// The most rows of a table, users of a graph and members of a population.
    rows: usize,
    users: usize,
    members: usize,
    /// Steps of a search over cells of categories, of numbers, and of one over matrices.
    steps: [u64; 3],
    /// Draws of PRAM over which figures are means.
    draws: u64,
    k: &'static [u32],
}

/// Everything that the study has found.
#[derive(Default)]
struct Results {
    grids: Vec<grid::Grid>,
    evolution: Vec<evolution::Found>,
    pram: pram::Results,
    clustering: Vec<clustering::Clustered>,
    graphs: Vec<graphs::Protected>,
}

/// The tables of which a search must find something better, also without the best of the start.
const ROBUST: [&str; 2] = ["flare", "german"];

const TITLE: &str = "Protected categories: what methods and searches lose and risk";

pub(crate) fn run(args: &CategoricalArgs) -> Result<ExitCode> {
    let start = Instant::now();
    let results = compute(args)?;
    let checks = [
        evolution::checks(&results.evolution, &ROBUST),
        pram::checks(&results.pram),
        graphs::checks(&results.graphs),
    ]
    .concat();
    let sheets = [
        grid::sheets(&results.grids),
        evolution::sheets(&results.evolution),
        pram::sheets(&results.pram),
        clustering::sheets(&results.clustering),
        graphs::sheets(&results.graphs),
        acceptance::sheets(&checks),
        vec![data_sheet()],
    ];
    let sheets = sheets.concat().into_iter();
    let sheets: Vec<Sheet> = sheets.filter(|sheet| !sheet.rows.is_empty()).collect();
    let text = sheet::text(&sheets);
    print(&text)?;
    if let Some(folder) = &args.output {
        create_folder(folder)?;
        let drawings = figures::figures(&results);
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

/// What is done: little of it where it is only tried out.
fn extent(args: &CategoricalArgs) -> Extent {
    let extent = match args.quick {
        true => Extent {
            rows: 80,
            users: 400,
            members: 10,
            steps: [500, 10, 60],
            draws: 1,
            k: &[2, 5],
        },
        false => Extent {
            rows: usize::MAX,
            users: usize::MAX,
            members: usize::MAX,
            steps: [60_000, 1_000, 5_000],
            draws: 10,
            k: &[2, 3, 5, 10, 20],
        },
    };
    match args.steps {
        Some(steps) => Extent {
            steps: [steps, steps / 60, steps / 12],
            ..extent
        },
        None => extent,
    }
}

fn compute(args: &CategoricalArgs) -> Result<Results> {
    let Extent {
        rows,
        users,
        members,
        steps,
        draws,
        k,
    } = extent(args);
    let load = |sets: &[&'static DataSet]| -> Result<Vec<Loaded>> {
        sets.iter().map(|set| set.load(&args.data, rows)).collect()
    };
    let wants = |part: Part| args.parts.contains(&part);
    let mut results = Results::default();
    if wants(Part::Grid) {
        let tables = load(&[&GERMAN, &FLARE, &ADULT, &ALL_OF_ADULT, &TARRAGONA])?;
        let grids = tables.iter().map(|table| grid::compute(table, args.seed));
        results.grids = grids.collect::<Result<_>>()?;
    }
    if wants(Part::Evolution) {
        let effort = evolution::Effort {
            steps: steps[0],
            steps_of_numbers: steps[1],
            members,
            executions: 2,
            seed: args.seed,
        };
        let tables = load(&[&GERMAN, &FLARE, &ADULT, &TARRAGONA])?;
        results.evolution = evolution::compute(&tables, &ROBUST, effort)?;
    }
    if wants(Part::Pram) {
        let effort = pram::Effort {
            steps: steps[2],
            draws,
            seed: args.seed,
        };
        results.pram = pram::compute(&[&GERMAN, &FLARE], &args.data, rows, effort)?;
    }
    if wants(Part::Clustering) {
        let tables = load(&[&GERMAN, &FLARE, &ADULT])?;
        results.clustering = clustering::compute(&tables, k, args.seed)?;
    }
    if wants(Part::Graphs) {
        results.graphs = graphs::compute(k, users, args.seed)?;
    }
    Ok(results)
}

/// What a reader should know of the tables.
fn data_sheet() -> Sheet {
    let mut sheet = Sheet::new("data", "Data", Place::Terminal, &[]);
    for set in [&GERMAN, &FLARE, &ADULT, &ALL_OF_ADULT, &TARRAGONA] {
        sheet.rows.push(row![format!("{}: {}", set.name, set.note)]);
    }
    sheet
}
