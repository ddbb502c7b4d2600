//! `moretta run`

use super::load;
use crate::args::RunArgs;
use crate::console::Console;
use crate::failure::Failure;
use moretta::data::DateFormat;
use moretta::pipeline::{self, Options, Progress, Report};
use moretta::policy::Policy;
use moretta_report::{html, summary};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

pub(crate) fn run(args: &RunArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = load(&args.policy)?;
    let progress = Progress::default();
    let options = Options {
        command: command(args, &policy),
        date: today(),
        force: args.force,
        strict: args.strict,
        render: &html,
        progress: &progress,
    };
    let ledger = policy.ledger.as_ref().map(|ledger| &ledger.path);
    let begun = ledger.filter(|path| !path.exists());
    let outcomes = console
        .watch(&progress, || pipeline::run_levels(&policy, &options))
        .map_err(|error| Failure::of_policy(error, &args.policy.policy))?;
    let to_stdout = policy
        .sink
        .as_ref()
        .is_some_and(|sink| is_standard(&sink.path));
    let reports: Vec<&Report> = outcomes.iter().map(|outcome| &outcome.report).collect();
    warn(&reports, console);
    if let Some(place) = begun {
        console.hint(&format!(
            "note: there was no ledger at {}, so this is the first release in a new one. Was there one before? Then bring it back: what was released is not known without it",
            place.display()
        ));
    }
    let mut text = String::new();
    for (report, level) in reports.iter().zip(policy.of_levels()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&summary(report));
        if let Some(page) = &level.report {
            let _ = writeln!(text, "report: {}", page.display());
        }
    }
    match &reports[..] {
        [report] if to_stdout => {
            console.aside(report, || text);
            Ok(ExitCode::SUCCESS)
        }
        [report] => console.result(report, || text),
        levels => console.result(&levels, || text),
    }
}

/// Prints warnings: those of all levels once, others with the name of their level.
fn warn(reports: &[&Report], console: &Console) {
    let everywhere = |warning: &&String| reports.iter().all(|r| r.warnings.contains(warning));
    let mut told: Vec<String> = Vec::new();
    for report in reports {
        for warning in &report.warnings {
            let warning = match &report.levels {
                Some(facts) if !everywhere(&warning) => format!("{}: {warning}", facts.level),
                _ => warning.clone(),
            };
            if !told.contains(&warning) {
                told.push(warning);
            }
        }
    }
    console.warnings(&told);
}

/// The command that makes the same release again, as a shell takes it: the release and its
/// report are there by then.
fn command(args: &RunArgs, policy: &Policy) -> String {
    let mut command = format!("moretta run {}", quoted(&args.policy.policy));
    if let Some(root) = &args.policy.root {
        let _ = write!(command, " --root {}", quoted(root));
    }
    if args.strict {
        command.push_str(" --strict");
    }
    let sink = policy.sink.as_ref().map(|sink| sink.path.as_path());
    if sink.is_some_and(|path| !is_standard(path)) || policy.report.is_some() {
        command.push_str(" --force");
    }
    command
}

pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A path as one word of a shell.
pub(super) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:@%".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// The day, in UTC; that of `SOURCE_DATE_EPOCH` where it is set, so that a report can be made
/// again to the byte.
pub(super) fn today() -> Option<String> {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok();
    let seconds = match fixed.and_then(|seconds| seconds.trim().parse::<u64>().ok()) {
        Some(seconds) => seconds,
        None => {
            let passed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            passed.ok()?.as_secs()
        }
    };
    let day = i32::try_from(seconds / 86_400).ok()?;
    Some(DateFormat::ISO.format(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        for (path, expected) in [
            (
                "examples/hospital/policy.toml",
                "examples/hospital/policy.toml",
            ),
            ("my policy.toml", "'my policy.toml'"),
            ("it's; rm.toml", "'it'\\''s; rm.toml'"),
            ("$HOME.toml", "'$HOME.toml'"),
        ] {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }
}
