//! `moretta-lab`: published studies, repeated.
//!
//! What was printed stands beside what the published code really computes and,
//! where the product has an answer, beside ours. Methods that are known to leak
//! live here and nowhere else, so that no policy can choose them.

mod acceptance;
mod categorical;
mod cpu;
mod delimited;
mod federation;
mod filters;
mod interval;
mod multiples;
mod output;
mod page;
mod perturbation;
mod sheet;
mod statistics;
mod tables;
mod text_rows;
mod workers;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(name = "moretta-lab", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    study: Study,
}

#[derive(Debug, Subcommand)]
enum Study {
    /// Masked categories: grids of methods, evolved files and matrices, clusters, social graphs
    Categorical(categorical::CategoricalArgs),
    /// Sites that keep their columns: published accuracies, data volumes, and a broken secure sum
    Federation(federation::FederationArgs),
    /// Disclosure risk and information loss of four stream filters, tables A.1 to A.16
    Filters(filters::FiltersArgs),
    /// Random projection with independent or cumulative noise: accuracy against breaches
    Perturbation(perturbation::PerturbationArgs),
    /// What methods for tables lose against k and rows, on Adult, German Credit and Census
    Tables(tables::TablesArgs),
}

fn main() -> ExitCode {
    let done = match Cli::parse().study {
        Study::Categorical(args) => categorical::run(&args),
        Study::Federation(args) => federation::run(&args),
        Study::Filters(args) => filters::run(&args),
        Study::Perturbation(args) => perturbation::run(&args),
        Study::Tables(args) => tables::run(&args),
    };
    done.unwrap_or_else(|error| {
        let mut told = format!("error: {error}\n");
        if let Some(help) = error.help_text() {
            told += &format!("help: {help}\n");
        }
        // Nobody is left to tell when this fails too.
        let _ = std::io::stderr().write_all(told.as_bytes());
        ExitCode::from(error.exit_code())
    })
}
