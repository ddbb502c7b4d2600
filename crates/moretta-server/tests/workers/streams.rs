//! Streams with real children, which are killed: nothing is lost, and nothing is released twice.

use crate::kills::{Numbers, times};
use crate::office::{self, children, kill_server, process, until};
use crate::support::{Person, Server, Ward};
use http::Method;
use moretta::io::{Files, MemoryFiles};
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root};
use moretta_server::stream::Keeper;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub const TESTS: &[(&str, fn())] = &[
    (
        "a_stream_whose_children_and_servers_are_killed_releases_what_an_undisturbed_run_does",
        killed,
    ),
    (
        "another_policy_begins_after_the_events_that_the_one_before_has_taken",
        changed,
    ),
    (
        "a_stream_that_is_refused_or_stopped_takes_no_event_and_figures_tell_of_it",
        stopped,
    ),
];

const NOTED: &str = r#"
version = 1
[columns]
t = { role = "time", unit = "s" }
user = { role = "subject", action = "keep" }
place = { role = "quasi", hierarchy = { path = "/" } }
note = { role = "plain" }
[[protect]]
method = "z-anonymity"
z = 3
window = "60s"
"#;

fn events(count: u64) -> Vec<String> {
    let mut numbers = Numbers::new(5);
    let event = |n: u64| {
        format!(
            "{{\"t\":\"{}\",\"user\":\"canary{}\",\"place\":\"p{}/{}\",\"note\":\"n{n}\"}}\n",
            1_700_000_000 + n * 2,
            numbers.below(9),
            numbers.below(2),
            numbers.below(3)
        )
    };
    (0..count).map(event).collect()
}

/// What the library releases of all events in one run.
fn undisturbed(policy: &str, events: &[String]) -> Vec<Value> {
    let memory = MemoryFiles::default();
    memory.put(Path::new("events.jsonl"), events.concat().into_bytes());
    let root = Root::of_files(Files::provided(memory.clone()));
    let places = "\n[source]\npath = \"events.jsonl\"\n[sink]\npath = \"released.jsonl\"\n";
    let policy = Policy::parse(&format!("{policy}{places}"), &root).expect("a policy");
    let progress = Progress::default();
    let options = Options {
        command: String::new(),
        date: None,
        force: false,
        strict: false,
        render: &moretta_report::html,
        progress: &progress,
    };
    pipeline::run(&policy, &options).expect("a release");
    let released = memory.get(Path::new("released.jsonl")).expect("a file");
    let lines = released
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).expect("a row"))
        .collect()
}

fn keeper(server: &Server) -> Keeper {
    let program = std::env::current_exe().expect("this program");
    let program = program.to_str().expect("a text").to_owned();
    Keeper::start(Arc::clone(&server.app), vec![program, "worker".to_owned()])
}

/// Waits until a stream is what it should be.
fn wait(ward: &Ward, stream: &Value, what: &str, is: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let found = ward
            .server
            .see(&ward.steward, &ward.path(stream, ""))
            .expect(200);
        if is(&found) {
            return found;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "{what}: {found}"
        );
        pass(ward, 50);
    }
}

/// Lets time pass, for the children and for the server.
fn pass(ward: &Ward, milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
    ward.server.clock.forward(milliseconds as i64);
}

fn rows(ward: &Ward, reader: &Person, stream: &Value) -> Vec<Value> {
    let mut rows: Vec<Value> = Vec::new();
    loop {
        let path = ward.path(stream, &format!("/rows?after={}&limit=37", rows.len()));
        let page = ward.server.see(reader, &path).expect(200);
        let page = page["rows"].as_array().expect("rows");
        ward.server.clock.forward(50);
        if page.is_empty() {
            return rows;
        }
        rows.extend(page.iter().cloned());
    }
}

fn begun(policy: &str) -> (Ward, Value, String) {
    let mut ward = Ward::new();
    ward.policy = ward.write("noted", policy);
    let (stream, token) = ward.approved(2);
    ward.want(&stream, "start").expect(202);
    (ward, stream, token)
}

/// Kills of children and of servers; a campaign has more of them.
const KILLS: usize = 15;

fn killed() {
    let kills = times(KILLS);
    let events = events(30 * kills as u64);
    let expected = undisturbed(NOTED, &events);
    assert!(expected.len() > 10 * kills, "{}", expected.len());
    let (ward, stream, token) = begun(NOTED);
    let mut numbers = Numbers::new(0x7374);
    let mut server = process(&ward.server);
    let mut last = 0;
    let mut sent = 0;
    for kill in 0..kills {
        let until_event = events.len().min(sent + 1 + numbers.below(40) as usize);
        if sent < until_event {
            ward.post(&stream, &token, "", &events[sent..until_event].concat())
                .expect(202);
        }
        sent = until_event;
        let child = until("a child keeps the stream", || {
            let mut children = children(server.id()).into_iter();
            children.find(|child| *child != last)
        });
        last = child;
        pass(&ward, numbers.below(250));
        match kill % 3 {
            // Another server has the stream, and the one that had it is not told.
            0 => {
                lease(&ward, "another");
                office::kill(child);
            }
            1 => office::kill(child),
            _ => {
                kill_server(server);
                lease(&ward, "the one that was killed");
                server = process(&ward.server);
            }
        }
    }
    if sent < events.len() {
        ward.post(&stream, &token, "", &events[sent..].concat())
            .expect(202);
    }
    ward.want(&stream, "finish").expect(202);
    wait(&ward, &stream, "finished", |found| {
        found["state"] == "finished"
    });
    kill_server(server);
    let reader = ward.reader("analyst", 2);
    assert_eq!(rows(&ward, &reader, &stream), expected);
    for entry in std::fs::read_dir(ward.server.app.settings.data.join("streams")).expect("logs") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        assert!(!bytes.windows(6).any(|bytes| bytes == b"canary"));
    }
}

/// Says of the stream that its claim is somebody's, and is over.
fn lease(ward: &Ward, by: &str) {
    let over = "UPDATE streams SET lease_by = $1, lease_until = 0 WHERE lease_by IS NOT NULL";
    let told = ward
        .server
        .app
        .store
        .act(|act| act.execute(over, &[by.into()]));
    told.expect("the store does it");
}

fn changed() {
    let events = events(120);
    let (ward, stream, token) = begun(NOTED);
    let keep = keeper(&ward.server);
    ward.post(&stream, &token, "", &events[..60].concat())
        .expect(202);
    wait(&ward, &stream, "60 events", |found| found["taken"] == 60);
    ward.want(&stream, "stop").expect(202);
    let found = wait(&ward, &stream, "stopped", |found| {
        found["state"] == "stopped"
    });
    let wider = NOTED.replace("z = 3", "z = 2");
    let open = ward.write("open", &wider);
    let version = found["version"].as_i64().expect("a version");
    let body = json!({ "policy_version": open });
    let path = ward.path(&stream, "");
    let stream = ward
        .edit(&ward.steward, Method::PATCH, &path, version, &body)
        .expect(200);
    ward.want(&stream, "start").refused(409, "not-approved");
    let stream = ward.decide(&ward.officer, &stream, true).expect(200);
    ward.want(&stream, "start").expect(202);
    ward.post(&stream, &token, "", &events[60..].concat())
        .expect(202);
    ward.want(&stream, "finish").expect(202);
    wait(&ward, &stream, "finished", |found| {
        found["state"] == "finished"
    });
    drop(keep);
    let reader = ward.reader("analyst", 2);
    let all = rows(&ward, &reader, &stream);
    let first = undisturbed(NOTED, &events[..60]);
    let then = undisturbed(&wider, &events[60..]);
    assert!(!first.is_empty() && !then.is_empty());
    assert_eq!(all, [first, then].concat());
}

fn stopped() {
    let (ward, stream, token) = begun(NOTED);
    let events = events(40);
    let keep = keeper(&ward.server);
    ward.post(&stream, &token, "", &events[..20].concat())
        .expect(202);
    wait(&ward, &stream, "20 events", |found| found["taken"] == 20);
    ward.want(&stream, "stop").expect(202);
    wait(&ward, &stream, "stopped", |found| {
        found["state"] == "stopped"
    });
    ward.post(&stream, &token, "", &events[20..].concat())
        .expect(202);
    let found = ward
        .server
        .see(&ward.steward, &ward.path(&stream, ""))
        .expect(200);
    assert_eq!(found["taken"], 20, "what comes meanwhile waits");
    ward.want(&stream, "start").expect(202);
    wait(&ward, &stream, "40 events", |found| found["taken"] == 40);
    ward.want(&stream, "restart").expect(202);
    wait(&ward, &stream, "running again", |found| {
        found["state"] == "running"
    });
    drop(keep);
    let figures = ward
        .server
        .see(&ward.operator, &ward.path(&stream, "/figures"))
        .expect(200);
    let marks = figures["marks"].as_array().expect("marks").iter();
    let marks: Vec<&str> = marks.filter_map(|mark| mark["what"].as_str()).collect();
    assert_eq!(marks, ["start", "stop", "start", "restart"]);
    assert!(!figures.to_string().contains("canary"));
}
