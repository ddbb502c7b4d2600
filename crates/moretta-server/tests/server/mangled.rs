//! What is not as it should be, from an upload or in the lines to a worker: an answer that says so,
//! and never a panic.

use crate::ward::{Ward, text};
use moretta_server::id::Id;
use moretta_server::job::Kind;
use moretta_server::job::protocol::{Task, Text, Told};
use moretta_server::worker::{Process, work};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

const POLICY: &str = "version = 1\n[source]\npath = \"data.csv\"\n[columns]\nage = { role = \"quasi\" }\n\
                      ward = { role = \"plain\" }\n[guarantee]\nk = 2\n[[protect]]\nmethod = \"mondrian\"\n\
                      [sink]\npath = \"release.csv\"\n";
const TABLE: &[u8] = b"age,ward\n34,canary\n35,7\n36,7\n";
const JSON_LINES: &[u8] = b"{\"age\":34,\"ward\":\"canary\"}\n{\"age\":35,\"ward\":\"7\"}\n";

/// A change of some bytes.
#[derive(Clone, Debug)]
enum Change {
    Flip(Index, u8),
    Remove(Index, u8),
    Insert(Index, Vec<u8>),
    Cut(Index),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    // What readers take for structure, numbers that do not fit, and texts that are none.
    let pieces = [
        "{",
        "[",
        "\"",
        "\\u0000",
        ",",
        "-1",
        "1e999",
        "null",
        "\n",
        "18446744073709551616",
        "\u{feff}",
    ];
    let pieces = pieces.map(|piece| piece.as_bytes().to_vec());
    let inserted = prop_oneof![
        prop::sample::select(pieces.to_vec()),
        prop::collection::vec(any::<u8>(), 1..40),
        Just(b"[".repeat(5_000)),
    ];
    let change = prop_oneof![
        (any::<Index>(), 1..=255_u8).prop_map(|(at, by)| Change::Flip(at, by)),
        (any::<Index>(), 1..30_u8).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<Index>(), inserted).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        any::<Index>().prop_map(Change::Cut),
    ];
    prop::collection::vec(change, 1..6)
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        match change {
            Change::Flip(at, by) => {
                let at = at.index(bytes.len());
                bytes[at] ^= by;
            }
            Change::Remove(at, length) => {
                let at = at.index(bytes.len());
                let end = (at + usize::from(*length)).min(bytes.len());
                bytes.drain(at..end);
            }
            Change::Insert(at, more) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, more.iter().copied());
            }
            Change::Cut(at) => bytes.truncate(at.index(bytes.len())),
        }
    }
    bytes
}

/// Checks many of them, the same ones each time.
fn check<S: Strategy>(cases: u32, of: S, holds: impl Fn(S::Value) -> TestCaseResult) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[9; 32]);
    let mut config = Config::with_cases(cases);
    config.failure_persistence = None;
    let mut runner = TestRunner::new_with_rng(config, rng);
    runner.run(&of, holds).expect("it holds");
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("lines").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What a worker tells that reads these lines, which end in lines of the protocol whatever it read.
fn told(input: Vec<u8>) -> (bool, Vec<Value>) {
    let lines = Lines::default();
    let process = Process {
        limit: |_| Ok(()),
        gone: || (),
    };
    let is_done = work(Cursor::new(input), lines.clone(), &process);
    let lines = lines.0.lock().expect("lines").clone();
    let lines = lines.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    let told = lines.map(|line| serde_json::from_slice(line).expect("a line of JSON"));
    (is_done, told.collect())
}

fn answers_in_order(input: Vec<u8>) -> TestCaseResult {
    let (is_done, lines) = told(input);
    let kind = |line: &Value| line["told"].as_str().unwrap_or_default().to_owned();
    let last = lines.last().map(&kind).unwrap_or_default();
    prop_assert!(
        matches!(&*last, "done" | "failed" | "stopped"),
        "it ends with {:?}",
        last
    );
    prop_assert_eq!(is_done, last != "failed");
    let ends = lines.iter().filter(|line| kind(line) == last).count();
    prop_assert_eq!(ends, 1);
    let told = serde_json::to_string(&lines).expect("JSON");
    prop_assert!(!told.contains("panicked"), "{}", told);
    prop_assert!(!told.contains("canary"), "{}", told);
    Ok(())
}

/// A task with a folder that is not there, so that nothing is written wherever its name has gone.
fn task() -> Vec<u8> {
    let task = Task {
        job: Id::from_bytes([7; 16]),
        kind: Kind::Plan,
        policy: POLICY.to_owned(),
        options: json!({}),
        inputs: Vec::new(),
        texts: vec![Text {
            name: "data.csv".to_owned(),
            content: String::from_utf8(TABLE.to_vec()).expect("a text"),
        }],
        folder: "/nowhere/made".into(),
        secrets: vec![("key".to_owned(), "canary-key".to_owned())],
        date: "2026-03-01".to_owned(),
        memory: 1 << 30,
        threads: 1,
    };
    let mut line = serde_json::to_vec(&task).expect("JSON");
    line.push(b'\n');
    line
}

/// The line of a stream whose logs are not there.
fn stream_task() -> Vec<u8> {
    let segment = json!({ "number": 0, "first": 0, "object": Id::from_bytes([7; 16]),
                          "path": "/nowhere/log", "key": "07".repeat(32) });
    let policy = "version = 1\n[source]\npath = \"events.jsonl\"\n[columns]\nt = { role = \"time\", unit = \"s\" }\n\
                  user = { role = \"subject\" }\nplace = { role = \"quasi\", hierarchy = { path = \"/\" } }\n\
                  [[protect]]\nmethod = \"z-anonymity\"\nz = 3\nwindow = \"60s\"\n[sink]\npath = \"released.jsonl\"\n";
    let task = json!({ "stream": Id::from_bytes([8; 16]), "folder": "/nowhere", "policy": policy, "texts": [],
                       "secrets": [], "events": [segment], "released": [segment],
                       "from": { "byte": 0, "skip": 0 }, "memory": 1 << 30 });
    format!("{task}\n{{\"say\":\"stop\"}}\n").into_bytes()
}

#[test]
fn a_worker_answers_any_bytes() {
    let bytes = prop::collection::vec(any::<u8>(), 0..2_000);
    check(200, bytes, answers_in_order);
}

#[test]
fn a_worker_answers_lines_that_were_mangled() {
    check(300, changes(), |changes| {
        answers_in_order(changed(task(), &changes))
    });
    check(150, changes(), |changes| {
        answers_in_order(changed(stream_task(), &changes))
    });
}

#[test]
fn a_worker_answers_any_value_in_the_place_of_another() {
    let value = prop::sample::select(vec![
        json!(null),
        json!(-1),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("\u{0}"),
        json!("../../x"),
        json!([]),
        json!({}),
        json!([[[[]]]]),
    ]);
    let task: Value = serde_json::from_slice(&task()).expect("a task");
    let names: Vec<String> = task
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect();
    let kinds = [
        "profile", "preview", "plan", "explore", "tune", "learn", "attack", "verify", "release",
    ];
    let places = (
        prop::sample::select(names),
        value,
        prop::sample::select(kinds.to_vec()),
    );
    check(300, places, |(name, value, kind)| {
        let mut task = task.clone();
        task["kind"] = json!(kind);
        task[&name] = value;
        let mut line = task.to_string().into_bytes();
        line.push(b'\n');
        answers_in_order(line)
    });
}

#[test]
fn a_task_that_is_as_it_should_be_is_worked_on() {
    // Otherwise the others would try nothing but what is refused at once.
    let (_, lines) = told(task());
    let last = lines.last().expect("a line");
    let told: Told = serde_json::from_value(last.clone()).expect("told");
    let wrong = "a worker was given no task";
    assert!(!matches!(told, Told::Failed(failure) if failure.what == wrong));
}

#[test]
fn files_that_were_mangled_are_taken_or_refused() {
    let ward = Ward::new();
    let endings = [
        ("csv", TABLE),
        ("tsv", TABLE),
        ("jsonl", JSON_LINES),
        ("parquet", b"PAR1\x15\x04\x15\x10PAR1"),
        ("arrow", b"ARROW1\0\0\xff\xff\xff\xff\x10\0\0\0ARROW1"),
        ("arrows", b"\xff\xff\xff\xff\x78\0\0\0\x10\0\0\0"),
        ("csv.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c\x4f\xd5"),
        ("csv.zst", b"\x28\xb5\x2f\xfd\x04\x58\x51\0\0age\n34\n"),
        ("arff", b"@relation r\n@attribute age numeric\n@data\n34\n"),
    ];
    let names = prop_oneof![
        Just(vec![]),
        Just(vec!["age"]),
        Just(vec!["age", "\u{0}", "age"])
    ];
    let of = (prop::sample::select(endings.to_vec()), changes(), names);
    check(150, of, |((ending, whole), changes, identifiers)| {
        let bytes = changed(whole.to_vec(), &changes);
        let name = format!("may.{ending}");
        let begun = ward.post(&ward.steward, "/uploads", &json!({ "name": name }));
        if begun.status != 201 {
            prop_assert_eq!(begun.status, 422, "{}", name);
            return Ok(());
        }
        let upload = text(&begun.json["id"]);
        let sent = ward.part(&upload, 0, &bytes);
        prop_assert!(sent.status < 500, "{}", sent.json);
        let into =
            json!({ "new": { "name": Id::random().to_string(), "identifiers": identifiers } });
        let finish = format!("/uploads/{upload}/finish");
        let finished = ward.post(&ward.steward, &finish, &json!({ "into": into }));
        prop_assert!(
            matches!(finished.status, 201 | 409 | 413 | 422),
            "{} {}",
            ending,
            finished.json
        );
        if finished.status != 201 {
            let told = String::from_utf8_lossy(&finished.body).into_owned();
            prop_assert!(!told.contains("canary"), "{}", told);
            let path = ward.path(&format!("/uploads/{upload}"));
            let gone = ward
                .server
                .send(&ward.steward, http::Method::DELETE, &path, &Value::Null);
            prop_assert_eq!(gone.status, 204);
        }
        Ok(())
    });
}

#[test]
fn bodies_and_offsets_of_uploads_that_were_mangled_are_refused() {
    let ward = Ward::new();
    let upload = ward.begin("may.csv");
    let body = br#"{"name":"may.csv","bytes":10,"sha256":"00","into":{"new":{"name":"may","identifiers":[]}}}"#;
    let cookie = ward.steward.cookie();
    let headers = [
        ("cookie", &*cookie),
        ("x-moretta-token", &*ward.steward.token),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/json"),
    ];
    let offsets = prop_oneof![
        any::<u64>().prop_map(|offset| offset.saturating_add(1).to_string()),
        "[^&#]{0,20}x"
    ];
    check(150, (changes(), offsets), |(changes, offset)| {
        let body = changed(body.to_vec(), &changes);
        for rest in ["/uploads", &format!("/uploads/{upload}/finish")] {
            let path = ward.path(rest);
            let answered = ward.server.ask(http::Method::POST, &path, &headers, &body);
            prop_assert!(
                (400..500).contains(&answered.status),
                "{} {}",
                answered.status,
                answered.json
            );
        }
        let headers = [
            headers[0],
            headers[1],
            headers[2],
            ("content-type", "application/octet-stream"),
        ];
        let path = ward.path(&format!("/uploads/{upload}?offset={offset}"));
        let answered = ward
            .server
            .ask(http::Method::PATCH, &path, &headers, b"age\n");
        prop_assert!(
            (400..500).contains(&answered.status),
            "{} {}",
            answered.status,
            answered.json
        );
        Ok(())
    });
}
