//! `moretta worker`: does one job for a server, which starts it and tells it on standard input what to
//! do. People have no use for it.

use moretta::error::INTERRUPTED;
use moretta_server::job::protocol::Task;
use moretta_server::problem::{Problem, Result};
use moretta_server::worker::{Process, limits, work};
use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

pub(crate) fn run() -> ExitCode {
    let process = Process {
        limit,
        gone: || std::process::exit(INTERRUPTED.into()),
    };
    match work(BufReader::new(stdin()), stdout(), &process) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// What this process may use from now on. What the kernel has no limit for stays as it is.
fn limit(task: &Task) -> Result<()> {
    let limited = limits::limit(task);
    limited.map(drop).map_err(|error| {
        let what = format!("the worker cannot limit itself: {}", error.kind());
        Problem::unavailable(what)
    })
}
