//! Files of a provider: everything that a policy reads and writes goes through it, and has the bytes
//! that it has in a folder.

use moretta::io::{Files, MemoryFiles, ReadOptions};
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root, Secrets};
use std::fs;
use std::path::Path;

const COLUMNS: &str = "version = 1\nseed = 5\n[source]\npath = \"data.csv\"\n[columns]\n\
    who = { role = \"subject\", action = \"pseudonym\", key = \"KEY\" }\n\
    age = { role = \"quasi\", type = \"integer\" }\n\
    town = { role = \"quasi\", hierarchy = { file = \"towns.csv\" } }\n\
    income = { role = \"sensitive\", type = \"number\" }\n";

const TABLE: &str = "[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\n";

const STREAM: &str =
    "[[protect]]\nmethod = \"microaggregation\"\nk = 3\nbuffer = 10\ncolumns = [\"age\"]\n";

fn rows() -> String {
    let mut text = "who,age,town,income\n".to_owned();
    for n in 0..200 {
        let town = ["bern", "thun", "genf"][n % 3];
        text += &format!("p{n},{},{town},{}\n", 20 + n * 7 % 60, 1000 + n * 37 % 900);
    }
    text
}

fn inputs() -> [(&'static str, String); 2] {
    let towns = "bern;west;*\nthun;west;*\ngenf;south;*\n";
    [("data.csv", rows()), ("towns.csv", towns.to_owned())]
}

fn options(progress: &Progress) -> Options<'_> {
    Options {
        command: "moretta run policy.toml".to_owned(),
        date: Some("2026-03-01".to_owned()),
        force: false,
        strict: false,
        render: &|report| format!("<p>{}", report.name),
        progress,
    }
}

/// A policy whose key is told in two ways, each for its kind of files.
fn policies(text: &str, folder: &Path, memory: &MemoryFiles) -> (Policy, Policy) {
    for (name, text) in inputs() {
        fs::write(folder.join(name), &text).expect("written");
        memory.put(Path::new(name), text.into_bytes());
    }
    fs::write(folder.join("key"), "0123456789abcdef").expect("written");
    let root = Root::of_policy(&folder.join("policy.toml"), None).expect("a root");
    let here = Policy::parse(&text.replace("KEY", "file:key"), &root).expect("a policy");
    let secrets = Secrets::by(|name| (name == "mine").then(|| b"0123456789abcdef".to_vec()));
    let root = Root::of_files(Files::provided(memory.clone())).with_secrets(secrets.alone());
    let there = Policy::parse(&text.replace("KEY", "secret:mine"), &root).expect("a policy");
    (here, there)
}

#[test]
fn releases_of_every_kind_have_the_same_bytes_and_leave_nothing_else() {
    let levels = "[levels]\na = { k = 3 }\nb = { k = 9 }\n";
    let ledger = "[ledger]\npath = \"ledger\"\nkey = \"KEY\"\n";
    let report = "[report]\npath = \"report.html\"\n";
    let checkpoint = "[checkpoint]\npath = \"progress.json\"\nevery = 50\n";
    for (what, sink, rest) in [
        (TABLE, "release.csv", format!("{report}{ledger}")),
        (TABLE, "release.csv", format!("{report}{levels}{ledger}")),
        (TABLE, "release.jsonl", report.to_owned()),
        (TABLE, "release.csv.gz", String::new()),
        (TABLE, "release.parquet", report.to_owned()),
        (TABLE, "release.arrow", String::new()),
        (STREAM, "release.csv", report.to_owned()),
        (STREAM, "release.csv", checkpoint.to_owned()),
        (STREAM, "release.parquet", String::new()),
    ] {
        // A stream masks all that is known of a person.
        let columns = match what == STREAM {
            true => COLUMNS
                .replace(
                    "subject\", action = \"pseudonym\", key = \"KEY\"",
                    "identifier\"",
                )
                .replace("quasi\", hierarchy = { file = \"towns.csv\" }", "plain\""),
            false => COLUMNS.to_owned(),
        };
        let text = format!("{columns}{what}[sink]\npath = \"{sink}\"\n{rest}");
        let (folder, memory) = (
            tempfile::tempdir().expect("a folder"),
            MemoryFiles::default(),
        );
        let (here, there) = policies(&text, folder.path(), &memory);
        for policy in [&here, &there] {
            let progress = Progress::default();
            let found = pipeline::run_levels(policy, &options(&progress));
            found.unwrap_or_else(|error| panic!("{sink}: {error}"));
        }
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .expect("a folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("a name")
            })
            .filter(|name| name != "key")
            .collect();
        names.sort();
        let kept: Vec<String> = memory
            .names()
            .iter()
            .map(|name| name.display().to_string())
            .collect();
        assert_eq!(kept, names, "{sink}");
        for name in names.iter().filter(|name| name.starts_with("release")) {
            let expected = fs::read(folder.path().join(name)).expect("there");
            assert!(memory.get(Path::new(name)) == Some(expected), "{name}");
        }
        assert!(!Path::new(sink).exists());
    }
}

#[test]
fn what_was_released_is_verified_and_searched_with_the_provider() {
    let text = format!("{COLUMNS}{TABLE}[sink]\npath = \"release.csv\"\n");
    let (folder, memory) = (
        tempfile::tempdir().expect("a folder"),
        MemoryFiles::default(),
    );
    let (_, policy) = policies(&text, folder.path(), &memory);
    let progress = Progress::default();
    pipeline::run(&policy, &options(&progress)).expect("released");
    let reading = ReadOptions {
        files: policy.files.clone(),
        ..ReadOptions::default()
    };
    let release = Path::new("release.csv");
    let found = pipeline::verify(&policy, release, &reading, &progress).expect("verified");
    assert!(found.verdict.passed);
    let attacked = pipeline::attack_files(&policy, &[release.to_owned()], &reading, &progress);
    assert_eq!(attacked.expect("attacked").releases.len(), 1);
    let again = pipeline::run(&policy, &options(&progress)).expect_err("it is there");
    assert_eq!(again.exit_code(), 2);
    progress.cancel().cancel();
    let stopped = pipeline::plan(&policy, &progress).expect_err("stopped");
    assert!(matches!(stopped, moretta::Error::Cancelled));
}

#[test]
fn keys_and_paths_that_are_not_for_here_are_refused_with_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
    let files = || Root::of_files(Files::provided(MemoryFiles::default()));
    let knows = || Secrets::by(|_| Some(b"0123456789abcdef".to_vec()));
    let both = here.clone().with_secrets(knows());
    let alone = here.clone().with_secrets(knows().alone());
    let text = format!("{COLUMNS}{TABLE}").replace(
        "hierarchy = { file = \"towns.csv\" }",
        "type = \"category\"",
    );
    for (root, key, refused) in [
        (&here, "env:KEY", None),
        (&here, "secret:mine", Some("nobody here knows keys")),
        (&both, "secret:mine", None),
        (&both, "env:KEY", None),
        (&both, "secret:", Some("is not followed by the name")),
        (&alone, "secret:mine", None),
        (&alone, "env:KEY", Some("not taken from files")),
        (&alone, "file:key", Some("not taken from files")),
    ] {
        let found = Policy::parse(&text.replace("KEY\"", &format!("{key}\"")), root);
        match (refused, found) {
            (None, Ok(_)) => {}
            (Some(what), Err(error)) => {
                assert!(error.to_string().contains(what), "{key}: {error}");
                assert!(error.help_text().is_some() && error.exit_code() == 3);
            }
            (_, found) => panic!("{key}: {:?}", found.err()),
        }
    }
    for path in [
        "../data.csv",
        "/etc/passwd",
        "a/b.csv",
        "-",
        ".",
        "..",
        "http://a/b",
        "a\0.csv",
    ] {
        let text = text
            .replace("data.csv", &path.replace('\0', "\\u0000"))
            .replace("KEY", "env:KEY");
        let error = Policy::parse(&text, &files()).expect_err(path);
        assert!(
            error.to_string().contains("by its name alone"),
            "{path}: {error}"
        );
    }
}
