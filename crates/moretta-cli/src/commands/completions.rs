//! `moretta completions`

use crate::args::{Cli, CompletionsArgs};
use crate::console::Console;
use crate::failure::Failure;
use clap::CommandFactory;
use std::process::ExitCode;

pub(crate) fn run(args: &CompletionsArgs, console: &Console) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "moretta", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    console.result(&script, || script.clone())
}
