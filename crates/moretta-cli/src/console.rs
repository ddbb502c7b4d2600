//! What a person sees: results on standard output, progress on standard error.

use crate::failure::Failure;
use crate::live::{LiveFacts, live_line, records_line, search_line};
use crate::printable::{printable, printable_json, printable_line};
use indicatif::{ProgressBar, ProgressStyle};
use moretta::measure;
use moretta::pipeline::{Live, Progress, Stage};
use moretta::{Error, Result};
use moretta_report::{count, number};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How to talk to the person.
pub(crate) struct Console {
    json: bool,
    quiet: bool,
}

impl Console {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Console { json, quiet }
    }

    /// Whether people read along.
    pub(crate) fn is_talkative(&self) -> bool {
        !self.quiet && !self.json
    }

    /// Prints a result, as JSON if that was asked for.
    pub(crate) fn result(
        &self,
        value: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> std::result::Result<ExitCode, Failure> {
        let shown = if self.json {
            let json = serde_json::to_string_pretty(value)
                .map_err(|e| Error::bug(format!("a result that is no JSON: {e}")))?;
            printable_json(&json).into_owned()
        } else {
            printable(&text()).into_owned()
        };
        let mut out = std::io::stdout().lock();
        match writeln!(out, "{}", shown.trim_end()) {
            // Whoever reads has read enough.
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => {}
            other => other.map_err(|e| Error::io("write", "standard output", e))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Prints a result on standard error, where standard output has the release.
    pub(crate) fn aside(&self, value: &impl Serialize, text: impl FnOnce() -> String) {
        match self.json {
            true => {
                if let Ok(json) = serde_json::to_string_pretty(value) {
                    let _ = writeln!(std::io::stderr(), "{}", printable_json(&json));
                }
            }
            false => self.hint(&text()),
        }
    }

    /// Prints something that is not a result, such as the next step.
    pub(crate) fn hint(&self, text: &str) {
        if !self.quiet && !self.json {
            let _ = writeln!(std::io::stderr(), "{}", printable(text));
        }
    }

    /// Prints what nobody should overlook, beside JSON and in quiet, too.
    pub(crate) fn warn(&self, text: &str) {
        let _ = writeln!(std::io::stderr(), "{}", printable(text));
    }

    /// Prints what a report warns of; JSON tells it anyway.
    pub(crate) fn warnings(&self, warnings: &[String]) {
        if !self.json {
            for warning in warnings {
                self.warn(&format!("warning: {warning}"));
            }
        }
    }

    /// Does long work while showing how far it is.
    pub(crate) fn watch<T>(
        &self,
        progress: &Progress,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if self.quiet || self.json {
            return work();
        }
        let terminal = std::io::stderr().is_terminal();
        if terminal {
            progress.watch();
        }
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| match terminal {
                true => show(progress, &done),
                false => log(progress, &done),
            });
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            done.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
            match result {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}

fn show(progress: &Progress, done: &AtomicBool) {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {msg}") {
        bar.set_style(style);
    }
    while !done.load(Ordering::Relaxed) {
        let ((stage, seconds), rows) = (progress.stage(), progress.rows());
        let rate = if seconds > 0.0 {
            rows as f64 / seconds
        } else {
            0.0
        };
        bar.set_message(
            match (live(progress).or_else(|| searching(progress)), rows) {
                (Some(line), _) => line,
                (None, 0) => format!("{} {seconds:.1} s", stage.word()),
                (None, _) => format!(
                    "{} {} rows, {} rows/s",
                    stage.word(),
                    count(rows),
                    count(rate as u64)
                ),
            },
        );
        bar.tick();
        std::thread::park_timeout(Duration::from_millis(80));
    }
    bar.finish_and_clear();
}

/// How a search is doing, in one line.
fn searching(progress: &Progress) -> Option<String> {
    let (Stage::Protect, seconds) = progress.stage() else {
        return None;
    };
    let (looked_at, gap) = progress.trail().so_far()?;
    let best = match gap < 1.0 {
        true => format!("the best can be {:.1} % better at most", gap * 100.0),
        false => "none keeps the promises yet".to_owned(),
    };
    Some(format!(
        "search {seconds:.1} s, {} combinations looked at, {best}",
        count(looked_at)
    ))
}

/// How a stream is doing, in one line.
fn live(progress: &Progress) -> Option<String> {
    let (_, seconds) = progress.stage();
    let rate = |rows: u64| rows as f64 / seconds.max(1e-3);
    let live = match progress.live()? {
        Live::Events(live) => live,
        Live::Records(records) => return Some(records_line(&records, rate(records.read))),
        Live::Start(made, all) => {
            let (made, all) = (count(made), count(all));
            return Some(format!("start {seconds:.1} s, {made} of {all} made"));
        }
        Live::Search(search) => return Some(search_line(&search)),
    };
    let real = live.released.saturating_sub(live.fakes);
    Some(live_line(&LiveFacts {
        rows: live.read,
        rate: rate(live.read),
        released: real as f64 / (live.read as f64).max(1.0),
        z: live.z,
        p: live.p,
        unique: live.unique,
        delay_ms: live.delay,
        fakes: live.fakes,
    }))
}

/// Where nobody watches, a long stream says now and then how it is doing.
fn log(progress: &Progress, done: &AtomicBool) {
    const EVERY: Duration = Duration::from_secs(10);
    let mut next = Instant::now() + EVERY;
    while !done.load(Ordering::Relaxed) {
        std::thread::park_timeout(next.saturating_duration_since(Instant::now()));
        if Instant::now() >= next {
            next += EVERY;
            if let Some(line) = live(progress) {
                let _ = writeln!(std::io::stderr(), "{line}");
            }
        }
    }
}

/// The value of a measure, a share in percent; empty where it could not be measured.
pub(crate) fn figure(name: &str, value: Option<f64>) -> String {
    let percent = measure::find(name).is_some_and(|info| info.percent);
    match value {
        None => String::new(),
        Some(value) if percent => format!("{:.2} %", value * 100.0),
        Some(value) => number(value),
    }
}

/// So many of what `noun` names, which takes an s.
pub(crate) fn counted(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(n))
}

/// Rows of cells as a table with aligned columns, the first row as its head.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<Cow<'_, str>>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| printable_line(cell)).collect())
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (i, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| format!("{cell:width$}"))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
        if i == 0 {
            let rule: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
            text.push_str(&rule.join("  "));
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        for (n, text) in [
            (0, "0 rows"),
            (1, "1 row"),
            (2, "2 rows"),
            (1000, "1,000 rows"),
        ] {
            assert_eq!(counted(n, "row"), text);
        }
    }
}
