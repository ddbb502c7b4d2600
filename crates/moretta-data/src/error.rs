//! The one error of the library: variants by cause, so that a caller knows whose turn it is.
//!
//! A message names the file, line, column, rule and count; it never carries a
//! cell of the data. It has no trailing full stop; `help` says the way out.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// `Result` with the library's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, by cause.
#[derive(Debug)]
pub enum Error {
    /// The guarantee is not met; nothing was written.
    Guarantee(Message),
    /// The policy cannot be used as it stands.
    Policy(PolicyError),
    /// The data cannot be read as declared.
    Input(InputError),
    /// The operating system refused.
    Io(IoError),
    /// A goal of the policy (`fail_above`) was missed; nothing was written.
    Goal(Message),
    /// The privacy budget or the ledger forbids it.
    Budget(Message),
    /// The call itself makes no sense (for example, output equals input).
    Usage(Message),
    /// The caller has stopped the work. What had not left does not leave.
    Cancelled,
    /// An invariant of ours was broken.
    Bug(String),
}

/// The exit codes of the program and what they mean.
pub const EXIT_CODES: &[(u8, &str)] = &[
    (0, "all is well"),
    (1, "the guarantee is not met; nothing was written"),
    (2, "wrong use of the program"),
    (3, "a mistake in the policy"),
    (4, "a mistake in the data"),
    (
        5,
        "cannot read or write, or the network of a federation fails",
    ),
    (
        6,
        "a goal is not met (`fail_above`, `tune`); nothing was written",
    ),
    (
        7,
        "the privacy budget is spent, the ledger forbids the release, or a site does not consent; nothing was written",
    ),
    (8, "a bug of ours"),
    (
        INTERRUPTED,
        "interrupted; nothing is half written, and a stream with a checkpoint can go on",
    ),
];

/// The exit code of a program that was told to end, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// A sentence and the way out.
#[derive(Debug)]
pub struct Message {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// An error in a policy file, with the place when it is known.
#[derive(Debug)]
pub struct PolicyError {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Bytes of the policy text that are meant.
    pub span: Option<Range<usize>>,
    /// The text must not be shown, because it holds a secret.
    pub secret: bool,
}

/// An error in the data, with the place when it is known.
#[derive(Debug)]
pub struct InputError {
    /// The file, as the user named it; none for a stream on standard input.
    pub file: Option<PathBuf>,
    /// The line, counted from 1 with the header as line 1.
    pub line: Option<u64>,
    /// The name of the column.
    pub column: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// An error of the operating system and the path it is about.
#[derive(Debug)]
pub struct IoError {
    /// What was being done: "read", "write", "create", …
    pub action: &'static str,
    /// The path it was done to.
    pub path: PathBuf,
    /// The system's answer.
    pub source: std::io::Error,
}

impl Error {
    /// The guarantee is not met.
    pub fn guarantee(what: impl Into<String>) -> Self {
        Error::Guarantee(Message::new(what))
    }

    /// The policy is wrong; add the place with [`Error::at`].
    pub fn policy(what: impl Into<String>) -> Self {
        Error::Policy(PolicyError {
            what: what.into(),
            help: None,
            span: None,
            secret: false,
        })
    }

    /// The policy needs a part of the library that was left out when it was built.
    pub fn left_out(what: &str, feature: &str) -> Self {
        Error::policy(format!("{what} was left out when this program was built"))
            .help(format!("build it with the feature `{feature}`"))
    }

    /// The data is wrong; add the place with [`Error::in_file`], [`Error::on_line`], [`Error::in_column`].
    pub fn input(what: impl Into<String>) -> Self {
        Error::Input(InputError {
            file: None,
            line: None,
            column: None,
            what: what.into(),
            help: None,
        })
    }

    /// The operating system refused `action` on `path`.
    pub fn io(action: &'static str, path: impl AsRef<Path>, source: std::io::Error) -> Self {
        Error::Io(IoError {
            action,
            path: path.as_ref().to_owned(),
            source,
        })
    }

    /// A goal was missed.
    pub fn goal(what: impl Into<String>) -> Self {
        Error::Goal(Message::new(what))
    }

    /// The privacy budget or the ledger forbids it.
    pub fn budget(what: impl Into<String>) -> Self {
        Error::Budget(Message::new(what))
    }

    /// The call makes no sense.
    pub fn usage(what: impl Into<String>) -> Self {
        Error::Usage(Message::new(what))
    }

    /// An invariant of ours was broken.
    pub fn bug(what: impl Into<String>) -> Self {
        Error::Bug(what.into())
    }

    /// Whether a reader of what is written has closed the pipe.
    pub fn is_broken_pipe(&self) -> bool {
        match self {
            Error::Io(error) => error.source.kind() == std::io::ErrorKind::BrokenPipe,
            _ => false,
        }
    }

    /// Adds the way out.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        let help = match &mut self {
            Error::Guarantee(m) | Error::Goal(m) | Error::Budget(m) | Error::Usage(m) => {
                &mut m.help
            }
            Error::Policy(e) => &mut e.help,
            Error::Input(e) => &mut e.help,
            Error::Io(_) | Error::Bug(_) | Error::Cancelled => return self,
        };
        *help = Some(text.into());
        self
    }

    /// Adds the place in the policy text.
    pub fn at(mut self, span: Range<usize>) -> Self {
        if let Error::Policy(e) = &mut self {
            e.span.get_or_insert(span);
        }
        self
    }

    /// The text of the policy must not be shown.
    pub fn secret(mut self) -> Self {
        if let Error::Policy(e) = &mut self {
            e.secret = true;
        }
        self
    }

    /// Adds the file of an input error.
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        if let Error::Input(e) = &mut self {
            e.file.get_or_insert_with(|| file.as_ref().to_owned());
        }
        self
    }

    /// Adds the line of an input error.
    pub fn on_line(mut self, line: u64) -> Self {
        if let Error::Input(e) = &mut self {
            e.line.get_or_insert(line);
        }
        self
    }

    /// Adds the column of an input error.
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        if let Error::Input(e) = &mut self {
            e.column.get_or_insert_with(|| column.into());
        }
        self
    }

    /// Replaces path `from` by `to`, so that no temporary name is shown.
    pub fn instead_of(mut self, from: &Path, to: &Path) -> Self {
        let path = match &mut self {
            Error::Input(e) => e.file.as_mut(),
            Error::Io(e) => Some(&mut e.path),
            _ => None,
        };
        if let Some(path) = path.filter(|path| **path == *from) {
            *path = to.to_owned();
        }
        self
    }

    /// The exit code of the program for this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Guarantee(_) => 1,
            Error::Usage(_) => 2,
            Error::Policy(_) => 3,
            Error::Input(_) => 4,
            Error::Io(_) => 5,
            Error::Goal(_) => 6,
            Error::Budget(_) => 7,
            Error::Bug(_) => 8,
            Error::Cancelled => INTERRUPTED,
        }
    }

    /// The way out, where one is known.
    pub fn help_text(&self) -> Option<&str> {
        match self {
            Error::Guarantee(m) | Error::Goal(m) | Error::Budget(m) | Error::Usage(m) => {
                m.help.as_deref()
            }
            Error::Policy(e) => e.help.as_deref(),
            Error::Input(e) => e.help.as_deref(),
            Error::Io(_) | Error::Bug(_) | Error::Cancelled => None,
        }
    }
}

impl Message {
    fn new(what: impl Into<String>) -> Self {
        Message {
            what: what.into(),
            help: None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Guarantee(m) | Error::Goal(m) | Error::Budget(m) | Error::Usage(m) => {
                f.write_str(&m.what)
            }
            Error::Policy(e) => f.write_str(&e.what),
            Error::Input(e) => e.fmt(f),
            Error::Io(e) => write!(
                f,
                "cannot {} {}: {}",
                e.action,
                e.path.display(),
                plain_reason(&e.source)
            ),
            Error::Cancelled => f.write_str("cancelled"),
            Error::Bug(what) => write!(f, "this is a bug of moretta: {what}"),
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(column) = &self.column {
            write!(f, "column `{column}`: ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(e) => Some(&e.source),
            _ => None,
        }
    }
}

/// The system's reason in lower case and without its number.
fn plain_reason(error: &std::io::Error) -> String {
    use std::io::ErrorKind::*;
    match error.kind() {
        NotFound => "no such file".into(),
        PermissionDenied => "permission denied".into(),
        IsADirectory => "it is a directory".into(),
        AlreadyExists => "it exists already".into(),
        StorageFull => "no space left".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_error_tells_file_line_and_column() {
        let error = Error::input("not a finite number")
            .in_file("a.csv")
            .on_line(7)
            .in_column("age");
        assert_eq!(
            error.to_string(),
            "a.csv: line 7: column `age`: not a finite number"
        );
        assert_eq!(error.exit_code(), 4);
    }

    #[test]
    fn a_temporary_name_is_replaced_by_the_one_that_people_know() {
        let told = |error: Error| error.instead_of(Path::new("tmp"), Path::new("out.csv"));
        let error = told(Error::input("field over 1 MiB").in_file("tmp"));
        assert_eq!(error.to_string(), "out.csv: field over 1 MiB");
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let error = told(Error::io("write", "tmp", full));
        assert_eq!(error.to_string(), "cannot write out.csv: no space left");
        let error = told(Error::input("x").in_file("in.csv"));
        assert_eq!(error.to_string(), "in.csv: x");
    }

    #[test]
    fn every_exit_code_has_a_meaning() {
        let io = Error::io("read", "a.csv", std::io::ErrorKind::NotFound.into());
        let errors = [
            Error::guarantee(""),
            Error::usage(""),
            Error::policy(""),
            Error::input(""),
            io,
            Error::goal(""),
            Error::budget(""),
            Error::bug(""),
            Error::Cancelled,
        ];
        let mut codes = vec![0];
        codes.extend(errors.iter().map(Error::exit_code));
        let told: Vec<u8> = EXIT_CODES.iter().map(|(code, _)| *code).collect();
        assert_eq!(told, codes);
    }

    #[test]
    fn a_place_once_set_stays() {
        let error = Error::input("x").on_line(7).on_line(9);
        assert_eq!(error.to_string(), "line 7: x");
    }
}
