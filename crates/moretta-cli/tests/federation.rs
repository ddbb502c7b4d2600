//! A federation from the command line: in one process, and as processes that are linked.
#![cfg(feature = "federation")]

mod support;

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::PROGRAM;

const PARTIES: [&str; 7] = ["hub", "desk", "viewer", "home", "icu", "lab", "ward"];

/// No test waits longer for processes to end.
const LONG: Duration = Duration::from_secs(240);

/// A copy of the example with ports of its own and this many records.
fn example(records: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/federation");
    let ports: Vec<TcpListener> = (0..2)
        .map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"))
        .collect();
    let port = |place: usize| {
        ports[place]
            .local_addr()
            .expect("an address")
            .port()
            .to_string()
    };
    for entry in std::fs::read_dir(example).expect("the example") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_owned();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let text = match ending {
            Some("toml" | "csv") => std::fs::read_to_string(&path).expect("a text"),
            _ => continue,
        };
        let text = match ending {
            Some("csv") => text
                .lines()
                .take(records + 1)
                .map(|line| format!("{line}\n"))
                .collect(),
            _ => text.replace("7443", &port(0)).replace("7444", &port(1)),
        };
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn moretta(folder: &Path, args: &[&str]) -> Output {
    let run = Command::new(PROGRAM)
        .args(args)
        .current_dir(folder)
        .output();
    run.expect("the program runs")
}

fn succeeded(run: &Output) -> String {
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8_lossy(&run.stdout).into_owned()
}

fn change(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).expect("a policy");
    assert!(text.contains(from), "{from} in {file}");
    std::fs::write(path, text.replace(from, to)).expect("written");
}

fn start(folder: &Path, party: &str) -> Child {
    let command = if party == "hub" { "aggregate" } else { "site" };
    Command::new(PROGRAM)
        .args([command, &format!("{party}.toml"), "--json"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits for all of them, and ends those that take too long.
fn wait(children: Vec<(&str, Child)>) -> Vec<(String, Output)> {
    let begin = Instant::now();
    let end = |(party, mut child): (&str, Child)| {
        while child.try_wait().expect("a process").is_none() {
            if begin.elapsed() > LONG {
                child.kill().expect("ended");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        (
            party.to_owned(),
            child.wait_with_output().expect("its output"),
        )
    };
    children.into_iter().map(end).collect()
}

/// Runs the parties in one process and linked, and compares the bytes of their answers.
fn check_answers(folder: &Path, parties: &[&'static str]) {
    let keys = ["federation", "keys", "hub.toml", "--output", "keys"];
    succeeded(&moretta(folder, &keys));
    let simulated = moretta(
        folder,
        &["federation", "simulate", ".", "--write", "--json"],
    );
    let simulated = succeeded(&simulated);
    assert!(simulated.contains("\"records\": 1500"), "{simulated}");
    assert!(simulated.contains("\"node\": 4"), "{simulated}");
    let answers = folder.join("out/answers.csv");
    let expected = std::fs::read(&answers).expect("answers");
    std::fs::remove_file(&answers).expect("removed");
    let children = parties.iter().map(|&party| (party, start(folder, party)));
    for (party, output) in wait(children.collect()) {
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{party}: {told}");
    }
    let linked = std::fs::read(&answers).expect("answers");
    assert!(linked == expected, "answers differ");
    assert_eq!(linked.iter().filter(|byte| **byte == b'\n').count(), 1501);
}

#[test]
fn linked_processes_answer_as_one_process_does() {
    let folder = example(1500);
    check_answers(folder.path(), &PARTIES);
}

#[test]
fn trouble_nodes_at_a_place_of_their_own_answer_alike() {
    let folder = example(1500);
    let folder = folder.path();
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address").to_string();
    drop(free);
    for party in PARTIES {
        let policy = format!("{party}.toml");
        let hosts = format!("hosts = {{ node = \"{address}\" }}\npins = ");
        change(folder, &policy, "pins = ", &hosts);
        let parties = "viewer = \"consumer\", node = \"trouble\"";
        change(folder, &policy, "viewer = \"consumer\"", parties);
    }
    let viewer = std::fs::read_to_string(folder.join("viewer.toml")).expect("a policy");
    let (_, federation) = viewer.split_once("[federation]").expect("a section");
    let node = federation
        .replace("role = \"consumer\"", "role = \"trouble\"")
        .replace(
            "id = \"viewer\"",
            &format!("id = \"node\"\nlisten = \"{address}\""),
        )
        .replace("keys/viewer", "keys/node");
    let node = format!("version = 1\n[federation]{node}");
    std::fs::write(folder.join("node.toml"), node).expect("written");
    let parties: Vec<&str> = PARTIES.into_iter().chain(["node"]).collect();
    check_answers(folder, &parties);
}

#[test]
fn strangers_and_other_terms_are_refused_with_a_reason() {
    let folder = example(100);
    let folder = folder.path();
    let check = |party: &str, code: i32, told: &str| {
        let command = if party == "hub" { "aggregate" } else { "site" };
        let run = moretta(folder, &[command, &format!("{party}.toml")]);
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(told), "{told}: {stderr}");
    };
    check("lab", 5, "keys/lab.pem");
    succeeded(&moretta(
        folder,
        &["federation", "keys", "hub.toml", "--output", "keys"],
    ));
    let again = moretta(
        folder,
        &["federation", "keys", "hub.toml", "--output", "keys"],
    );
    assert_eq!(again.status.code(), Some(2));
    change(folder, "lab.toml", "keys/lab.key", "keys/icu.key");
    check("lab", 3, "not of the key beside it");
    change(folder, "lab.toml", "keys/icu.key", "keys/lab.key");
    change(folder, "lab.toml", "keys/lab.pem", "keys/icu.pem");
    check("lab", 3, "is that of site `icu`");
    change(folder, "lab.toml", "keys/icu.pem", "keys/lab.pem");
    change(folder, "lab.toml", "batch = 64", "batch = 32");
    let run = moretta(folder, &["federation", "check", "."]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(3), "{told}");
    assert!(told.contains("have not agreed"), "{told}");
    let mut hub = start(folder, "hub");
    check("lab", 3, "has not agreed on the same terms");
    hub.kill().expect("ended");
    hub.wait().expect("ended");
    assert!(!folder.join("out").exists());
}

#[test]
fn rows_in_another_order_are_found_before_anything_is_learnt() {
    let folder = example(100);
    let folder = folder.path();
    change(folder, "icu.csv", "v00007,", "v99999,");
    let run = moretta(folder, &["federation", "simulate", "."]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(4), "{told}");
    assert!(
        told.contains("the keys of `icu`") && !told.contains("v99999"),
        "{told}"
    );
}

#[test]
fn checks_tell_who_sees_what() {
    let folder = example(100);
    let folder = folder.path();
    let check = |party: &str, told: &[&str]| {
        let run = moretta(folder, &["check", &format!("{party}.toml")]);
        let text = succeeded(&run) + &String::from_utf8_lossy(&run.stderr);
        for told in told {
            assert!(text.contains(told), "{told}: {text}");
        }
    };
    check("lab", &["labels reach this site, as they reach every site"]);
    check("home", &["this site has one column"]);
    check("hub", &["sums of masked projections", "(8 bits)"]);
    for party in PARTIES {
        change(
            folder,
            &format!("{party}.toml"),
            "kind = \"masked\"",
            "kind = \"raw\"",
        );
    }
    check("hub", &["values of forwarded records", "fragments are raw"]);
    let audit = succeeded(&moretta(folder, &["federation", "audit", "."]));
    assert!(
        audit.contains("classes, coarse confidences, forward bits"),
        "{audit}"
    );
}
