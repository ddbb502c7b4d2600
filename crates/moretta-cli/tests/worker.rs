//! `moretta worker` as a process: a release of the hospital, and what is left when it is killed.

#![cfg(all(feature = "serve", target_os = "linux"))]

use moretta_server::id::Id;
use moretta_server::job::Kind;
use moretta_server::job::protocol::{Sealed, Task, Text, Told};
use moretta_server::seal::{Key, SealedWriter};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

fn hospital(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital");
    fs::read(folder.join(name)).expect("an example")
}

fn task(folder: &Path) -> Task {
    let (object, key) = (Id::random(), Key::random());
    let path = folder.join("data");
    let file = File::create(&path).expect("created");
    let mut writer = SealedWriter::new(file, &key, object).expect("begun");
    writer
        .write_all(&hospital("admissions.csv"))
        .expect("written");
    let written = writer.finish().expect("whole");
    let made = folder.join("made");
    fs::create_dir(&made).expect("a folder");
    let policy = String::from_utf8(hospital("policy.toml")).expect("a text");
    let policy = policy
        .replace("admissions.csv\"", "data.csv\"")
        .replace("out/data.csv", "release.csv")
        .replace("out/report.html", "report.html");
    Task {
        job: Id::random(),
        kind: Kind::Release,
        policy,
        options: serde_json::Value::Null,
        inputs: vec![Sealed {
            name: "data.csv".to_owned(),
            object,
            path,
            key: key.digits().to_string(),
            bytes: written.bytes,
        }],
        texts: vec![Text {
            name: "education.csv".to_owned(),
            content: String::from_utf8(hospital("education.csv")).expect("a text"),
        }],
        folder: made,
        secrets: Vec::new(),
        date: "2026-03-01".to_owned(),
        memory: 2 << 30,
        threads: 2,
    }
}

fn start(task: &Task) -> (Child, ChildStdin) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_moretta"))
        .arg("worker")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut input = child.stdin.take().expect("an input");
    let mut line = serde_json::to_vec(task).expect("a line");
    line.push(b'\n');
    input.write_all(&line).expect("told");
    (child, input)
}

/// No cell of the data lies in the folder in the clear.
fn nothing_is_in_the_clear(folder: &Path) {
    let rows = String::from_utf8(hospital("admissions.csv")).expect("a text");
    let names: Vec<&str> = rows
        .lines()
        .skip(1)
        .step_by(211)
        .filter_map(|row| row.split(',').next())
        .collect();
    for place in [folder.to_owned(), folder.join("made")] {
        for entry in fs::read_dir(place).expect("a folder") {
            let path = entry.expect("an entry").path();
            let Ok(bytes) = fs::read(&path) else { continue };
            for word in names.iter().chain(&["diagnosis", "orthopaedics", "<html"]) {
                let holds = bytes
                    .windows(word.len())
                    .any(|part| part == word.as_bytes());
                assert!(!holds, "{}", path.display());
            }
        }
    }
}

#[test]
fn a_worker_releases_within_its_limits_and_leaves_nothing_in_the_clear() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, input) = start(&task(folder.path()));
    let lines = BufReader::new(child.stdout.take().expect("an output")).lines();
    let told: Vec<Told> = lines
        .map(|line| serde_json::from_str(&line.expect("a line")).expect("told"))
        .collect();
    match told.last() {
        Some(Told::Done { result, made }) => {
            assert_eq!(result["verified"]["passed"], true);
            assert_eq!(made.len(), 5, "{made:?}");
        }
        other => panic!("{other:?}"),
    }
    assert!(child.wait().expect("ended").success());
    drop(input);
    nothing_is_in_the_clear(folder.path());
}

#[test]
fn a_worker_ends_with_its_input_or_a_kill_and_leaves_nothing_in_the_clear() {
    for kill in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut child, input) = start(&task(folder.path()));
        match kill {
            true => child.kill().expect("killed"),
            false => drop(input),
        }
        assert!(!child.wait().expect("ended").success() || !kill);
        nothing_is_in_the_clear(folder.path());
    }
}
