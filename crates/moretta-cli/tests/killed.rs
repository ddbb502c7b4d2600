//! A run that is killed leaves no release, and the next run works as if nothing had been.
//!
//! A run that is told to end takes away what it has begun. After a kill, what may be
//! left is a hidden file beside the place of the release, readable by its owner only. It
//! holds protected rows that were not checked yet, never raw ones, since only what a
//! method has released is written. No later run reads it; the next one that writes there
//! a minute later takes it away.

#![cfg(unix)]

mod support;

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;
use support::{Folder, PROGRAM};

/// The example of a hospital with many more rows.
fn hospital() -> Folder {
    hospital_of("300000")
}

fn hospital_of(rows: &str) -> Folder {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital");
    let read = |name: &str| std::fs::read(example.join(name)).expect("the example");
    let folder = Folder::new()
        .file("policy.toml", read("policy.toml"))
        .file("education.csv", read("education.csv"));
    let made = folder
        .command(PROGRAM)
        .args(["generate", "hospital", "--rows", rows])
        .args(["--output", "admissions.csv"])
        .output()
        .expect("the program starts");
    assert!(made.status.success());
    folder
}

fn start(folder: &Folder) -> Child {
    folder
        .command(PROGRAM)
        .args(["run", "policy.toml"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Hidden files beside the release.
fn leftovers(folder: &Folder) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder.path("out")) else {
        return Vec::new();
    };
    let hidden = |path: &PathBuf| {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| name.starts_with(".moretta-"))
    };
    entries
        .map(|entry| entry.expect("an entry").path())
        .filter(hidden)
        .collect()
}

fn has_written(folder: &Folder) -> bool {
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    leftovers(folder).iter().any(|path| size(path) > 0)
}

fn wait_until_it_writes(folder: &Folder, run: &mut Child) {
    while !has_written(folder) {
        let ended = run.try_wait().expect("a child of ours");
        assert!(ended.is_none(), "it ended before a file was seen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Names and patients of the table, both of which the policy drops.
fn raw_values(folder: &Folder) -> HashSet<String> {
    let text = folder.text("admissions.csv");
    let persons = text
        .lines()
        .skip(1)
        .flat_map(|line| line.split(',').take(2).map(str::to_owned));
    persons.collect()
}

#[test]
fn a_killed_run_leaves_no_release_and_can_be_repeated() {
    let folder = hospital();
    let raw = raw_values(&folder);
    assert!(folder.text("admissions.csv").starts_with("name,patient,"));
    for (stage, after) in [
        ("while it reads", Duration::from_millis(300)),
        ("as soon as it writes", Duration::ZERO),
        ("while it writes or checks", Duration::from_millis(50)),
    ] {
        let mut run = start(&folder);
        if stage != "while it reads" {
            wait_until_it_writes(&folder, &mut run);
        }
        std::thread::sleep(after);
        run.kill().expect("killed");
        let status = run.wait().expect("ended");
        assert!(!status.success(), "it was still running {stage}");
        for name in ["admissions.csv", "report.html", "report.json"] {
            assert!(
                !folder.path("out").join(name).exists(),
                "{name}, killed {stage}"
            );
        }
        for path in leftovers(&folder) {
            let metadata = std::fs::metadata(&path).expect("a file");
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{stage}");
            let text = std::fs::read_to_string(&path).expect("text");
            let shown = text
                .split(['\n', ','])
                .filter(|cell| raw.contains(*cell))
                .count();
            assert_eq!(shown, 0, "raw values in what is left, killed {stage}");
            std::fs::remove_file(path).expect("removed");
        }
    }
    let ran = folder.moretta(&["run", "policy.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(folder.path("out/admissions.csv").exists() && leftovers(&folder).is_empty());
}

/// Signals as a terminal and a service manager send them; `env` sees to it that
/// whoever runs the tests has not set them aside.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_told_to_end_leaves_nothing() {
    let folder = hospital();
    let before = folder.files();
    for signal in ["INT", "TERM"] {
        let mut run = folder
            .command("env")
            .arg("--default-signal=INT,TERM,HUP")
            .arg(PROGRAM)
            .args(["run", "policy.toml"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        wait_until_it_writes(&folder, &mut run);
        let sent = folder
            .command("kill")
            .args(["-s", signal, &run.id().to_string()])
            .status();
        assert!(sent.expect("kill").success());
        let status = run.wait().expect("ended");
        assert_eq!(status.code(), Some(130), "{signal}");
        assert!(folder.files() == before, "{signal}");
    }
}

/// A shell without job control sets the interrupt aside for what it starts in the background.
#[cfg(target_os = "linux")]
#[test]
fn a_background_run_that_is_told_to_end_leaves_nothing() {
    let folder = hospital_of("300000");
    let before = folder.files();
    let mut shell = folder
        .command("sh")
        .arg("-c")
        .arg("\"$0\" run policy.toml & echo $!; wait $!; exit $?")
        .arg(PROGRAM)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell");
    let mut line = String::new();
    let output = shell.stdout.take().expect("piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).expect("a line");
    let run = line.trim();
    wait_until_it_writes(&folder, &mut shell);
    let send = |signal: &str| {
        let sent = folder.command("kill").args(["-s", signal, run]).status();
        assert!(sent.expect("kill").success());
    };
    send("INT");
    std::thread::sleep(Duration::from_millis(20));
    assert!(has_written(&folder), "what is set aside does not end it");
    send("TERM");
    assert_eq!(shell.wait().expect("ended").code(), Some(130));
    assert!(folder.files() == before);
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_run_has_left_is_swept_by_the_next_and_a_living_one_keeps_its_file() {
    let folder = hospital_of("300000");
    let mut dead = start(&folder);
    wait_until_it_writes(&folder, &mut dead);
    dead.kill().expect("killed");
    dead.wait().expect("ended");
    let left = leftovers(&folder);
    assert!(!left.is_empty());
    let mut living = start(&folder);
    wait_until_it_writes_beside(&folder, &left, &mut living);
    let stopped = folder
        .command("kill")
        .args(["-s", "STOP", &living.id().to_string()])
        .status();
    assert!(stopped.expect("kill").success());
    let hour = std::time::SystemTime::now() - Duration::from_secs(3600);
    let all = leftovers(&folder);
    for path in &all {
        let file = std::fs::File::options()
            .write(true)
            .open(path)
            .expect("a file");
        file.set_modified(hour).expect("set");
    }
    let ran = folder.moretta(&["run", "policy.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let kept = leftovers(&folder);
    living.kill().expect("killed");
    living.wait().expect("ended");
    assert!(left.iter().all(|path| !path.exists()), "swept");
    let expected: Vec<&PathBuf> = all.iter().filter(|path| !left.contains(path)).collect();
    assert!(
        !expected.is_empty() && expected.iter().all(|path| kept.contains(path)),
        "kept"
    );
}

#[cfg(target_os = "linux")]
fn wait_until_it_writes_beside(folder: &Folder, others: &[PathBuf], run: &mut Child) {
    while leftovers(folder).iter().all(|path| others.contains(path)) {
        let ended = run.try_wait().expect("a child of ours");
        assert!(ended.is_none(), "it ended before a file was seen");
        std::thread::sleep(Duration::from_millis(1));
    }
}
