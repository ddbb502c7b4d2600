//! `moretta-lab perturbation`: what random projection costs a learner, and what it hides.
//!
//! Eight streams are projected without noise (RP), with independent (RPIN) and with
//! cumulative noise (RPCN) of three sizes, as in the study of Denham, Pears and Naeem
//! (2020) and the thesis behind it. Of each release a forest tells the accuracy that is
//! left, and attackers who know some records how many others they get back: those of the
//! study, with its attacks and its search for maxima, and ours, with better ones. Ranks
//! over all streams tell whether the methods differ.
//!
//! *Not the published runs*: matrices, noise and attacked records come from our own
//! generators, and streams differ where [`data_sets`] says so. *Costs* five minutes of CPU
//! time by default, with all records and 500 attacks; `--records` and `--attacks` cut it.

mod attacks;
mod claim;
mod csv;
mod data_sets;
mod figures;
mod generated;
mod learning;
mod method;
mod page;
mod ranking;
mod results;
mod table;
mod text_table;

use crate::output::{create_folder, print, progress, write};
use clap::Args;
use moretta::{Error, Result};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Where the public data are, seen from the root of the repository.
const DATA: &str = "../shared/data";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  moretta-lab perturbation --output study
  moretta-lab perturbation --sets rbf,sea --records 5000 --attacks 100

Prints a table. --output adds the figures as CSV, drawings as SVG and a page for both;
files of an earlier study in that folder are replaced.")]
pub(crate) struct PerturbationArgs {
    /// Where the public data are
    #[arg(long, value_name = "FOLDER", default_value = DATA)]
    data: PathBuf,
    /// Write figures and drawings into a folder
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Only these data sets: rbf, sea, electricity, robot, arem, htru2, breast-cancer, adult
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    sets: Vec<String>,
    /// At most so many records of each data set, from its beginning
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..))]
    records: u32,
    /// Records that each attacker attacks
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    attacks: u32,
    /// Draws matrices, noise and the attacked records
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads to run on, 0 for one a core; the figures are the same for any number
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
}

pub(crate) fn run(args: &PerturbationArgs) -> Result<ExitCode> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(usize::from(args.threads));
    let pool = threads
        .build()
        .map_err(|_| Error::usage("so many threads cannot be started").help("choose fewer"))?;
    pool.install(|| study(args))?;
    Ok(ExitCode::SUCCESS)
}

fn study(args: &PerturbationArgs) -> Result<()> {
    let start = Instant::now();
    let sources = data_sets::chosen(&args.sets)?;
    let sets = data_sets::read(&sources, &args.data, args.records as usize)?;
    let settings = results::Settings {
        attacks: args.attacks as usize,
        seed: args.seed,
    };
    let results = results::compute(&sets, &settings, &progress)?;
    let rankings = ranking::rankings(&results);
    let text = table::table(&results, &rankings);
    print(&text)?;
    if let Some(folder) = &args.output {
        create_folder(folder)?;
        let drawings = figures::figures(&results, &rankings);
        let page = page::page(&text, &sources, &drawings);
        write(&folder.join("index.html"), &page)?;
        let files = csv::files(&results, &rankings).into_iter();
        for (name, content) in files.chain(drawings) {
            write(&folder.join(name), &content)?;
        }
    }
    print(&format!("{:.0} s\n", start.elapsed().as_secs_f64()))
}
