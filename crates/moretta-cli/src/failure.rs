//! How errors reach a person: what, where, why and the way out; and the exit code.

use crate::args::Cli;
use crate::printable::{printable, printable_in_place, printable_json, printable_line};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};
use moretta::Error;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

/// An error of the library and, when it is about a policy, the policy.
#[derive(Debug)]
pub(crate) struct Failure {
    error: Box<Error>,
    policy: Option<PathBuf>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            error: Box::new(error),
            policy: None,
        }
    }
}

impl Failure {
    /// The policy that an error about a policy is about.
    pub(crate) fn of_policy(error: Error, policy: &Path) -> Self {
        Failure {
            error: Box::new(error),
            policy: Some(policy.to_owned()),
        }
    }
}

impl Failure {
    /// An error of a command that reads a file without a policy: its help names the options
    /// of the command instead of the keys of a policy.
    pub(crate) fn of_options(self) -> Self {
        let help = self.error.help_text().map(in_options);
        match help {
            Some(help) => Failure {
                error: Box::new(self.error.help(help)),
                ..self
            },
            None => self,
        }
    }
}

/// What a policy says, and how a command without one says it.
const OPTIONS: &[(&str, &str)] = &[
    ("try encoding = 'latin-1'", "try --latin1"),
    (
        "set `delimiter` under [source]",
        "name it: --delimiter CHARACTER",
    ),
    ("set `header = false` under [source]", "add --no-header"),
    (
        "name them in `missing`",
        "say that they mean missing: --missing TEXT for each",
    ),
    (", or set compression = \"gzip\" under [source]", ""),
    (", or set compression = \"zstd\" under [source]", ""),
    (" or `memory` in the `limits` of [source]", ""),
    (
        ", or declare `type = \"number\"` or `type = \"category\"` for the column",
        "",
    ),
    (", or declare `type = \"category\"` for the column", ""),
    (
        "declare `type = \"category\"` for the column, or give it the role plain",
        "write them as text, for example between other characters",
    ),
    (
        "declare the form, such as `format = \"%d.%m.%Y\"`, write all dates in one form",
        "correct the cells, or write all dates in one form",
    ),
];

fn in_options(help: &str) -> String {
    let replace = |help: String, (policy, option): &(&str, &str)| help.replace(policy, option);
    OPTIONS.iter().fold(help.to_owned(), replace)
}

/// Tells the person and gives the exit code.
pub(crate) fn show(failure: &Failure, cli: &Cli) -> ExitCode {
    let shown = Shown::new(failure);
    let mut stderr = std::io::stderr().lock();
    if cli.json {
        let json = serde_json::json!({
            "error": shown.headline,
            "help": failure.error.help_text(),
            "line": shown.line,
            "exit_code": failure.error.exit_code(),
        });
        let _ = writeln!(stderr, "{}", printable_json(&json.to_string()));
    } else {
        let colour = stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let theme = if colour {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let mut text = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_width(100);
        if handler.render_report(&mut text, &shown).is_err() {
            text = shown.to_string();
        }
        let _ = writeln!(stderr, "{}", text.trim_matches('\n'));
    }
    ExitCode::from(failure.error.exit_code())
}

/// Where the last panic was. Most are caught by whoever reads damaged bytes and are no bug.
static PANIC_PLACE: Mutex<String> = Mutex::new(String::new());

/// A panic may carry values from the data, so only its place is kept.
pub(crate) fn hide_panics() {
    std::panic::set_hook(Box::new(|info| {
        if let (Some(place), Ok(mut kept)) = (info.location(), PANIC_PLACE.lock()) {
            *kept = format!("{}:{}", place.file(), place.line());
        }
    }));
}

/// Tells of a panic that nobody caught and gives the exit code of a bug.
pub(crate) fn show_panic() -> ExitCode {
    let place = PANIC_PLACE
        .lock()
        .map_or_else(|_| String::new(), |place| place.clone());
    let bug = Error::bug(format!("it stopped at {place}; nothing was written"));
    let _ = writeln!(std::io::stderr(), "{bug}");
    ExitCode::from(bug.exit_code())
}

struct Shown<'a> {
    error: &'a Error,
    source: Option<NamedSource<String>>,
    span: Option<std::ops::Range<usize>>,
    line: Option<usize>,
    headline: String,
}

impl<'a> Shown<'a> {
    fn new(failure: &'a Failure) -> Self {
        let mut shown = Shown {
            error: &failure.error,
            source: None,
            span: None,
            line: None,
            headline: failure.error.to_string(),
        };
        let (Error::Policy(error), Some(path)) = (&*failure.error, &failure.policy) else {
            return shown;
        };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let Some(span) = error.span.clone().filter(|span| span.end <= text.len()) else {
            shown.headline = format!("{}: {}", path.display(), error.what);
            return shown;
        };
        let line = text[..span.start].lines().count().max(1);
        shown.line = Some(if text[..span.start].ends_with('\n') {
            line + 1
        } else {
            line
        });
        if error.secret {
            shown.headline = format!(
                "{}: line {}: {}",
                path.display(),
                shown.line.unwrap_or(1),
                error.what
            );
        } else {
            shown.source = Some(NamedSource::new(
                printable_line(&path.display().to_string()),
                printable_in_place(text),
            ));
            shown.span = Some(span);
        }
        shown
    }
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.headline))
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.headline))
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        self.error
            .help_text()
            .map(|help| Box::new(printable(help)) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.span.clone()?;
        let label = LabeledSpan::new(Some("here".to_owned()), span.start, span.len().max(1));
        Some(Box::new(std::iter::once(label)))
    }
}
