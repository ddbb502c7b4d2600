//! A file that was changed between the writing of its rows and the end of its run is refused, in
//! every format and for every kind of stream.

use crate::engine::{Clock, Progress};
use crate::error::Result;
use crate::pipeline::Options;
use crate::pipeline::run::Run;
use crate::policy::{Policy, Root};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const FORMATS: [&str; 9] = [
    "csv",
    "jsonl",
    "csv.gz",
    "jsonl.zst",
    "csv.zst",
    "arff",
    "parquet",
    "arrow",
    "arrows",
];

const NOISE: &str = "method = \"noise\"\namount = 0.2\nbuffer = 7\ncolumns = [\"x\"]";
const GROUPS: &str = "method = \"microaggregation\"\nk = 3\nbuffer = 10\ncolumns = [\"x\"]";
const EVENTS: &str = "method = \"z-anonymity\"\nz = 2\nwindow = \"1m\"";
const MADE_UP: &str = "method = \"z-anonymity\"\nz = 2\nwindow = \"1m\"\nfakes = { at_most = \"z/2\", order = \"hidden\", spread = \"1s\", key = \"env:PATH\" }";

/// A policy about forty rows, one of which shows this place.
fn policy(folder: &Path, method: &str, format: &str, rest: &str, place: &str) -> Policy {
    std::fs::create_dir_all(folder.join("out")).expect("a folder");
    let mut text = "t,user,c,x\n".to_owned();
    for row in 0..40 {
        let (time, other) = (1_700_000_000 + row, format!("c{}", row % 2));
        let place = if row == 29 { place } else { &other };
        let _ = writeln!(text, "{time},u{},{place},{}", row % 7, row * 3 % 11);
    }
    std::fs::write(folder.join("in.csv"), text).expect("written");
    let events = method.contains("z-anonymity");
    let (user, c, x) = match events {
        true => ("subject", "quasi", "drop"),
        false => ("plain", "plain", "plain"),
    };
    let kind = if events { "" } else { ", type = \"number\"" };
    let text = format!(
        "version = 1\nseed = 4\n[source]\npath = \"in.csv\"\n[columns]\n\
         t = {{ role = \"time\", unit = \"s\" }}\nuser = {{ role = \"{user}\" }}\n\
         c = {{ role = \"{c}\" }}\nx = {{ role = \"{x}\"{kind} }}\n[[protect]]\n{method}\n\
         [sink]\npath = \"out/release.{format}\"\n{rest}\n"
    );
    let root = Root::of_policy(&folder.join("policy.toml"), None).expect("a root");
    Policy::parse(&text, &root).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Runs a policy; somebody replaces what was written before the run has ended.
fn run(policy: &Policy, folder: &Path, other: Option<&[u8]>) -> Result<()> {
    let progress = Progress::default();
    let options = Options::plain(&progress);
    let mut run = Run::begin(policy, &options, Clock::default())?;
    while run.step()? {}
    if let Some(bytes) = other {
        let written = written(&folder.join("out"));
        let aside = folder.join("aside");
        std::fs::write(&aside, bytes).expect("written");
        std::fs::rename(&aside, &written).expect("replaced");
    }
    run.finish(&options).map(|_| ())
}

/// The one file in a folder.
fn written(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

#[test]
fn a_file_that_was_changed_before_its_run_has_ended_is_refused() {
    for method in [NOISE, GROUPS, EVENTS, MADE_UP] {
        for format in FORMATS {
            let told = format!("{format}\n{method}");
            let release = |place: &str, other: Option<&[u8]>, rest: &str| {
                let folder = tempfile::tempdir().expect("a folder");
                let policy = policy(folder.path(), method, format, rest, place);
                let ended = run(&policy, folder.path(), other);
                let path = folder.path().join("out").join(format!("release.{format}"));
                (ended, std::fs::read(path).ok())
            };
            let (ended, same) = release("c0", None, "");
            ended.unwrap_or_else(|e| panic!("{told}: {e}"));
            let same = same.expect("a release");
            let (ended, other) = release("c1", None, "");
            ended.unwrap_or_else(|e| panic!("{told}: {e}"));
            let other = other.expect("a release");
            assert!(same != other, "{told}");
            // What has come meanwhile is as good as what was written.
            release("c0", Some(&same), "")
                .0
                .unwrap_or_else(|e| panic!("{told}: {e}"));
            let (ended, left) = release("c0", Some(&other), "");
            let error = ended.expect_err(&told);
            assert_eq!(error.exit_code(), 1, "{told}: {error}");
            let in_place = method.contains("z-anonymity");
            // What nobody can read before its end has not been read.
            let was_read = ["csv", "jsonl"].contains(&format);
            assert_eq!(left.is_some(), in_place && was_read, "{told}");
            let help = error.help_text().expect("a way out");
            assert_eq!(help.contains("nothing was written"), !in_place, "{help}");
            // What everybody can see is read back with the audit alone.
            let silent = "[guarantee]\naudit = false";
            let (ended, _) = release("c0", Some(&other), silent);
            assert_eq!(ended.is_ok(), in_place, "{told}");
        }
    }
}

/// Rows are read back when they are saved; here all of them were when somebody changes one.
#[test]
fn rows_that_were_read_back_before_are_looked_at_once_more() {
    let rest = "[checkpoint]\npath = \"progress.json\"\nevery = 5";
    for method in [NOISE, GROUPS] {
        for format in ["csv", "jsonl"] {
            let release = |place: &str, other: Option<&[u8]>| {
                let folder = tempfile::tempdir().expect("a folder");
                let policy = policy(folder.path(), method, format, rest, place);
                let ended = run(&policy, folder.path(), other);
                let path = folder.path().join("out").join(format!("release.{format}"));
                (ended, std::fs::read(path).ok())
            };
            let (ended, other) = release("c1", None);
            ended.unwrap_or_else(|e| panic!("{format}\n{method}: {e}"));
            let (ended, left) = release("c0", other.as_deref());
            let error = ended.expect_err("changed");
            assert_eq!(
                (error.exit_code(), left),
                (1, None),
                "{format}\n{method}: {error}"
            );
        }
    }
}
