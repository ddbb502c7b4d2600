//! Streams with real children, which are killed: nothing is lost, and nothing is released twice.

use crate::support::{Person, Server, Ward};
use http::Method;
use moretta::io::{Files, MemoryFiles};
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root};
use moretta_server::stream::Keeper;
use rustix::process::{Pid, Signal, kill_process};
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

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn events(count: u64) -> Vec<String> {
    let mut dice = Dice(5);
    let event = |n: u64| {
        format!(
            "{{\"t\":\"{}\",\"user\":\"canary{}\",\"place\":\"p{}/{}\",\"note\":\"n{n}\"}}\n",
            1_700_000_000 + n * 2,
            dice.roll(9),
            dice.roll(2),
            dice.roll(3)
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

/// Kills the children of this process.
fn kill_children() -> usize {
    let own = std::process::id().to_string();
    let mut killed = 0;
    for entry in std::fs::read_dir("/proc").expect("processes").flatten() {
        let Some(id) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<i32>().ok())
        else {
            continue;
        };
        let told = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = told
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split(' ').nth(2));
        if parent == Some(&*own)
            && let Some(id) = Pid::from_raw(id)
        {
            killed += usize::from(kill_process(id, Signal::KILL).is_ok());
        }
    }
    killed
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

fn killed() {
    let events = events(400);
    let expected = undisturbed(NOTED, &events);
    assert!(expected.len() > 200, "{}", expected.len());
    let (ward, stream, token) = begun(NOTED);
    let mut dice = Dice(17);
    let mut keep = Some(keeper(&ward.server));
    let (mut sent, mut kills) = (0, 0);
    while sent < events.len() {
        let until = events.len().min(sent + 1 + dice.roll(25) as usize);
        ward.post(&stream, &token, "", &events[sent..until].concat())
            .expect(202);
        sent = until;
        pass(&ward, dice.roll(150));
        match dice.roll(5) {
            0 => kills += kill_children(),
            1 => {
                // The server ends, and another one begins.
                drop(keep.take());
                keep = Some(keeper(&ward.server));
            }
            2 => {
                // The server is cut off, and another one has its streams.
                let lost = "UPDATE streams SET lease_by = 'another', lease_until = $1";
                let until = [ward.server.clock.now().into()];
                ward.server
                    .app
                    .store
                    .act(|act| act.execute(lost, &until))
                    .expect("lost");
                ward.server.clock.forward(1);
            }
            _ => {}
        }
    }
    assert!(kills > 2, "{kills}");
    ward.want(&stream, "finish").expect(202);
    wait(&ward, &stream, "finished", |found| {
        found["state"] == "finished"
    });
    drop(keep);
    let reader = ward.reader("analyst", 2);
    assert_eq!(rows(&ward, &reader, &stream), expected);
    for entry in std::fs::read_dir(ward.server.app.settings.data.join("streams")).expect("logs") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        assert!(!bytes.windows(6).any(|bytes| bytes == b"canary"));
    }
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
