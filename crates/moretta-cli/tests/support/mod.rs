//! A folder with a table and a policy, the built program run in it, and what it did.
//!
//! Every cell of the table that names a person holds [`CANARY`] or
//! [`CANARY_NUMBER`]. Neither may ever show up in what the program prints or
//! writes, whatever went wrong.

#![allow(
    dead_code,
    unused_imports,
    reason = "each test program uses its own part of this module"
)]

pub(crate) mod federation;
mod table;
mod typed;

pub(crate) use table::{HEADER, Table};
pub(crate) use typed::{write_arrow, write_arrow_stream, write_parquet};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Marks a cell of text that must not be shown.
pub(crate) const CANARY: &str = "canary-7f3a";

/// Marks a cell of digits that must not be shown.
pub(crate) const CANARY_NUMBER: &str = "918273645";

/// The built program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_moretta");

/// A policy that fits [`Table::of`].
pub(crate) const POLICY: &str = r#"version = 1

[source]
path = "admissions.csv"

[columns]
name      = { role = "identifier" }
patient   = { role = "subject" }
age       = { role = "quasi" }
sex       = { role = "quasi" }
zip       = { role = "quasi", type = "category", hierarchy = { mask = "right" } }
admission = { role = "quasi" }
diagnosis = { role = "sensitive" }
cost      = { role = "plain" }

[guarantee]
k = 5

[[protect]]
method = "mondrian"

[sink]
path = "out/release.csv"

[report]
path = "out/report.html"
"#;

/// [`POLICY`] with one part replaced by another.
pub(crate) fn policy_with(from: &str, to: &str) -> String {
    replaced(POLICY, from, to)
}

/// `text` with `from`, which must be there, replaced.
pub(crate) fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not in the policy");
    text.replace(from, to)
}

/// A folder of its own for one run of the program.
pub(crate) struct Folder {
    root: tempfile::TempDir,
}

impl Folder {
    /// With [`POLICY`] and no data.
    pub(crate) fn new() -> Self {
        let folder = Folder {
            root: tempfile::tempdir().expect("a folder"),
        };
        std::fs::create_dir(folder.temporary()).expect("a folder for temporary files");
        folder.write("work/policy.toml", POLICY)
    }

    /// With [`POLICY`] and this table.
    pub(crate) fn with_table(table: &Table) -> Self {
        Folder::new().data(table.csv())
    }

    /// Sets the table's bytes.
    pub(crate) fn data(self, bytes: impl AsRef<[u8]>) -> Self {
        self.file("admissions.csv", bytes)
    }

    /// Sets the policy.
    pub(crate) fn policy(self, text: &str) -> Self {
        self.file("policy.toml", text)
    }

    /// Adds a file beside the policy.
    pub(crate) fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.write(&format!("work/{name}"), bytes)
    }

    /// Adds a file that lies outside the folder of the policy.
    pub(crate) fn outside(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.write(name, bytes)
    }

    fn write(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        let path = self.root.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, bytes).expect("written");
        self
    }

    /// The place of a file beside the policy.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    fn temporary(&self) -> PathBuf {
        self.root.path().join("temporary")
    }

    /// The text of a file beside the policy.
    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a text file")
    }

    /// The report as JSON.
    pub(crate) fn report(&self) -> serde_json::Value {
        serde_json::from_str(&self.text("out/report.json")).expect("JSON")
    }

    /// `moretta run policy.toml`
    pub(crate) fn run(&self) -> Ran<'_> {
        self.moretta(&["run", "policy.toml"])
    }

    /// The program with these arguments, in the folder of the policy.
    pub(crate) fn moretta(&self, arguments: &[&str]) -> Ran<'_> {
        let before = self.files();
        let output = self.command(PROGRAM).args(arguments).output();
        Ran::new(self, before, output.expect("the program starts"))
    }

    /// As [`Folder::moretta`], with at most `kibibytes` of address space.
    pub(crate) fn moretta_within(&self, kibibytes: u64, arguments: &[&str]) -> Ran<'_> {
        let before = self.files();
        let output = self
            .command("sh")
            .args(["-c", "ulimit -v \"$0\" && exec \"$@\""])
            .arg(kibibytes.to_string())
            .arg(PROGRAM)
            .args(arguments)
            .output();
        Ran::new(self, before, output.expect("the program starts"))
    }

    /// A command that runs in the folder of the policy.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path(""))
            .env("TMPDIR", self.temporary())
            .env("NO_COLOR", "1")
            // A report tells its day, which may end between two runs.
            .env("SOURCE_DATE_EPOCH", "1709251200")
            .stdin(Stdio::null());
        command
    }

    /// Every file and folder below, with its bytes.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut files = BTreeMap::new();
        collect(self.root.path(), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
            files.insert(path, None);
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            files.insert(path, Some(bytes));
        }
    }
}

/// What a run of the program did.
pub(crate) struct Ran<'a> {
    folder: &'a Folder,
    before: BTreeMap<PathBuf, Option<Vec<u8>>>,
    /// The exit code; none when a signal ended it.
    pub(crate) code: Option<i32>,
    /// What it printed as its result.
    pub(crate) stdout: String,
    /// What it printed besides.
    pub(crate) stderr: String,
}

impl<'a> Ran<'a> {
    fn new(folder: &'a Folder, before: BTreeMap<PathBuf, Option<Vec<u8>>>, output: Output) -> Self {
        let ran = Ran {
            folder,
            before,
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        };
        ran.hides(CANARY);
        ran.hides(CANARY_NUMBER);
        ran
    }

    /// Neither the output of the program nor its reports hold `secret`.
    pub(crate) fn hides(&self, secret: &str) -> &Self {
        let reports = ["out/report.html", "out/report.json"]
            .map(|name| std::fs::read_to_string(self.folder.path(name)).unwrap_or_default());
        for text in reports.iter().chain([&self.stdout, &self.stderr]) {
            assert!(!text.contains(secret), "a value is shown:\n{text}");
        }
        self
    }

    /// It failed with this code and this message, and left nothing behind.
    pub(crate) fn fails(&self, code: i32, message: &str) -> &Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        self.says(message);
        assert!(!self.stderr.contains("bug of moretta"), "{}", self.stderr);
        assert_eq!(self.stdout, "");
        let after = self.folder.files();
        let names = |files: &BTreeMap<PathBuf, _>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&after), names(&self.before), "nothing is left behind");
        assert!(after == self.before, "no file has changed");
        self
    }

    /// It made a release and a report, and no other file.
    pub(crate) fn succeeds(&self) -> &Self {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        let new: Vec<PathBuf> = self
            .folder
            .files()
            .into_keys()
            .filter(|path| !self.before.contains_key(path))
            .filter_map(|path| Some(path.strip_prefix(self.folder.path("")).ok()?.to_owned()))
            .collect();
        let expected = [
            "out",
            "out/release.csv",
            "out/report.html",
            "out/report.json",
        ];
        assert_eq!(new, expected.map(PathBuf::from));
        self
    }

    /// The text on standard error holds `message`, however its lines are broken.
    pub(crate) fn says(&self, message: &str) -> &Self {
        let pressed = |text: &str| -> String {
            text.chars()
                .filter(|c| !c.is_whitespace() && *c != '│')
                .collect()
        };
        assert!(
            pressed(&self.stderr).contains(&pressed(message)),
            "{message:?} is not in:\n{}",
            self.stderr
        );
        self
    }

    /// One of the warnings in the report, and on standard error, holds `text`.
    pub(crate) fn warns(&self, text: &str) -> &Self {
        let report = self.folder.report();
        let warnings = report["warnings"].as_array().expect("a list");
        let told = |warning: &serde_json::Value| warning.as_str().is_some_and(|w| w.contains(text));
        assert!(warnings.iter().any(told), "{text:?} is not in {warnings:?}");
        self.says(text)
    }
}
