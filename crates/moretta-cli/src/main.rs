//! The program `moretta`: anonymize tables and streams from one policy file.

mod args;
mod commands;
mod console;
mod failure;
mod interrupt;
mod live;
mod memory;
mod printable;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let had_large_pages = memory::use_large_pages(false);
    failure::hide_panics();
    let cli = Cli::parse();
    #[cfg(feature = "serve")]
    if matches!(cli.command, Command::Worker) {
        // It limits itself while it has one thread, and ends with its input.
        return commands::worker::run();
    }
    let is_party = matches!(cli.command, Command::Site(_) | Command::Aggregate(_));
    if is_party && had_large_pages {
        memory::start_without_large_pages();
    }
    memory::use_large_pages(!is_party);
    // After a party has started again: handlers and blocked signals would not be as they should.
    interrupt::clean_up_when_interrupted();
    match std::panic::catch_unwind(|| dispatch(&cli)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => failure::show(&error, &cli),
        Err(_) => failure::show_panic(),
    }
}

fn dispatch(cli: &Cli) -> Result<ExitCode, Failure> {
    let console = console::Console::new(cli.json, cli.quiet);
    match &cli.command {
        Command::Init(args) => commands::init::run(args, &console).map_err(Failure::of_options),
        Command::Check(args) => commands::check::run(args, &console),
        Command::Plan(args) => commands::plan::run(args, &console),
        Command::Run(args) => commands::run::run(args, &console),
        Command::Verify(args) => commands::verify::run(args, &console),
        Command::Compare(args) => commands::compare::run(args, &console),
        Command::CompareMethods(args) => commands::compare_methods::run(args, &console),
        Command::Learn(args) => commands::learn::run(args, &console),
        Command::Attack(args) => commands::attack::run(args, &console),
        Command::Tune(args) => commands::tune::run(args, &console),
        Command::Evolve(args) => commands::evolve::run(args, &console),
        Command::Ledger(args) => commands::ledger::run(args, &console),
        Command::Key(args) => commands::key::run(args, &console),
        Command::Generate(args) => commands::generate::run(args, &console),
        Command::Graph(args) => commands::graph::run(args, &console),
        Command::Federation(args) => commands::federation::run(args, &console),
        Command::Site(args) => commands::site::run(args, &console),
        Command::Aggregate(args) => commands::aggregate::run(args, &console),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(args, &console),
        #[cfg(feature = "serve")]
        Command::Audit(args) => commands::audit::run(args, &console),
        #[cfg(feature = "serve")]
        Command::Store(args) => commands::store::run(args, &console),
        Command::Hierarchy(args) => {
            commands::hierarchy::run(args, &console).map_err(Failure::of_options)
        }
        Command::Explain(args) => commands::explain::run(args, &console),
        Command::Schema => commands::schema::run(&console),
        Command::Completions(args) => commands::completions::run(args, &console),
        #[cfg(feature = "serve")]
        Command::Worker => Ok(commands::worker::run()),
    }
}
