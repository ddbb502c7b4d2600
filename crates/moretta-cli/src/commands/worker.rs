//! `moretta worker`: does one job or runs one stream for a server, which starts it and tells it on
//! standard input what to do. People have no use for it.

use moretta::error::INTERRUPTED;
use moretta_server::worker::{Process, limits, work};
use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

pub(crate) fn run() -> ExitCode {
    let process = Process {
        limit: limits::hold,
        gone: || std::process::exit(INTERRUPTED.into()),
    };
    match work(BufReader::new(stdin()), stdout(), &process) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
