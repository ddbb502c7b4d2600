//! What is half written is taken away when the program is told to end.
//!
//! Signals that somebody has set aside stay so: `nohup` sets the hangup aside, a shell the
//! interrupt of what it starts in the background. Each of the others ends the program.

use crate::printable::printable;
use moretta::pipeline::Interrupted;
use std::io::Write;
use std::sync::Mutex;

/// What ends a command that ends itself, as a server does.
static OWN_END: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Has `stop` called at the first signal, whereupon the command ends itself. The second signal ends
/// the program as it ends others.
#[cfg_attr(
    not(feature = "serve"),
    expect(dead_code, reason = "servers end themselves")
)]
pub(crate) fn end_by(stop: impl FnOnce() + Send + 'static) {
    if let Ok(mut own_end) = OWN_END.lock() {
        *own_end = Some(Box::new(stop));
    }
}

/// At a signal: lets the command end itself, or ends the program.
fn end_somehow() {
    let stop = OWN_END.lock().ok().and_then(|mut own_end| own_end.take());
    match stop {
        Some(stop) => stop(),
        None => end(),
    }
}

fn end() -> ! {
    moretta::pipeline::abandon();
    if let Some(stream) = moretta::pipeline::interrupted() {
        let told = told(&stream);
        let _ = writeln!(std::io::stderr(), "\n{}", printable(&told));
    }
    std::process::exit(i32::from(moretta::error::INTERRUPTED))
}

/// How a stream that was interrupted can go on.
fn told(stream: &Interrupted) -> String {
    match &stream.checkpoint {
        Some(path) => format!(
            "interrupted; the same command goes on where checkpoint {} says",
            path.display()
        ),
        None => "interrupted; rows that have left stay where they are, and without [checkpoint] \
                 the stream cannot go on"
            .to_owned(),
    }
}

/// Ends the program in good order at a signal. To be called before there are threads.
#[cfg(unix)]
pub(crate) fn clean_up_when_interrupted() {
    use nix::sys::signal::{SigSet, Signal};
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        if !is_set_aside(signal as u32) {
            signals.add(signal);
        }
    }
    // A thread that waits for signals may take its time, which a handler may not.
    if signals.thread_block().is_err() {
        return;
    }
    std::thread::spawn(move || {
        while signals.wait().is_ok() {
            end_somehow();
        }
    });
}

/// Whether the signal was ignored when the program started. Where the system does not
/// say, as on macOS, an ignored signal stays ignored whoever waits for it.
#[cfg(unix)]
fn is_set_aside(signal: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored(&status) >> (signal - 1) & 1 == 1
}

/// The signals that are ignored, a bit for each.
#[cfg(unix)]
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// Ends the program in good order at a signal.
#[cfg(not(unix))]
pub(crate) fn clean_up_when_interrupted() {
    let _ = ctrlc::try_set_handler(end_somehow);
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        let status = "Name:\tmoretta\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001003\n";
        assert_eq!(ignored(status), 0x1003);
        assert_eq!(ignored("Name:\tmoretta\n"), 0);
    }
}
