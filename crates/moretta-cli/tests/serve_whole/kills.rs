//! The server is killed at moments that a seed chooses, while an upload, the run of a release, its
//! publication and a stream are under way. Thousands of times with `MORETTA_LONG`, from its seed.

use crate::browser::Browser;
use crate::program::run;
use crate::team::{Team, text, until};
use moretta_server::clock::{Clock, HOUR};
use moretta_server::db::{Db, Value as Cell};
use moretta_server::id::Id;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::{Condvar, Mutex};
use std::thread::{scope, sleep};
use std::time::Duration;

/// How often the server is killed: as often in each of what is under way.
const KILLS: usize = 24;
/// Bytes of a part of an upload.
const PART: usize = 9_000;

/// Numbers that look random (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// What is under way.
#[derive(Clone, Copy, Debug)]
enum Work {
    Upload,
    Run,
    Publish,
    Stream,
}

const ALL: [Work; 4] = [Work::Upload, Work::Run, Work::Publish, Work::Stream];

/// How often each was about to do something.
#[derive(Default)]
struct Steps {
    of: Mutex<[u64; 4]>,
    more: Condvar,
}

impl Steps {
    fn tick(&self, work: Work) {
        self.of.lock().expect("no panic")[work as usize] += 1;
        self.more.notify_all();
    }

    /// Waits until there have been so many more.
    fn wait(&self, work: Work, more: u64) {
        let mut of = self.of.lock().expect("no panic");
        let end = of[work as usize] + more;
        while of[work as usize] < end {
            let (next, waited) = self
                .more
                .wait_timeout(of, Duration::from_secs(300))
                .expect("no panic");
            assert!(!waited.timed_out(), "{work:?} goes on");
            of = next;
        }
    }
}

/// What everybody needs who does something; each act ends with `None` when the server is killed.
struct Place<'a> {
    team: &'a Team,
    steps: &'a Steps,
    /// Whether what has begun is brought to its end, and nothing more is begun.
    ends: bool,
}

impl Place<'_> {
    fn send(&self, name: &str, method: &str, rest: &str, body: &[u8]) -> Option<(u16, Value)> {
        let headers = match method {
            "PATCH" => vec![("content-type", "application/octet-stream")],
            _ => Vec::new(),
        };
        let path = self.team.path(rest);
        let person = self.team.person(name);
        let answer = person.try_send(method, &path, &headers, body)?;
        let json = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        Some((answer.status, json))
    }

    fn see(&self, name: &str, rest: &str) -> Option<(u16, Value)> {
        self.send(name, "GET", rest, b"")
    }

    fn post(&self, name: &str, rest: &str, body: &Value) -> Option<(u16, Value)> {
        self.send(name, "POST", rest, body.to_string().as_bytes())
    }
}

fn find<'a>(items: &'a Value, name: &str) -> Option<&'a Value> {
    let items = items.as_array().expect("a list");
    let mut found = items.iter().filter(|item| item["name"] == name);
    let first = found.next();
    assert!(found.next().is_none(), "{name} is there once");
    first
}

/// Tables that are uploaded one after the other.
struct Uploads {
    table: Vec<u8>,
    /// How many are whole.
    made: usize,
    /// The one that is under way, and how many bytes of it were acknowledged.
    begun: Option<(String, usize)>,
}

impl Uploads {
    fn go_on(&mut self, place: &Place<'_>) -> Option<()> {
        loop {
            let name = format!("table{}", self.made);
            let (id, acknowledged) = match self.begun.take() {
                Some(begun) => begun,
                None => match self.begin(place, &format!("{name}.csv"))? {
                    Some(id) => (id, 0),
                    None => return Some(()),
                },
            };
            self.begun = Some((id.clone(), acknowledged));
            let path = format!("/uploads/{id}");
            let (status, shown) = place.see("sam", &path)?;
            if status == 404 {
                // What was not answered was done: the upload is a version by now.
                assert_eq!(acknowledged, self.table.len(), "no upload is lost");
            } else {
                assert_eq!(status, 200, "{shown}");
                let received = shown["received"].as_u64().expect("a number") as usize;
                assert!(received >= acknowledged, "nothing is lost");
                self.send_rest(place, &path, received)?;
                let into = json!({ "into": { "new": { "name": name, "identifiers": [] } } });
                let (status, told) = place.post("sam", &format!("{path}/finish"), &into)?;
                assert_eq!(status, 201, "{told}");
            }
            self.begun = None;
            self.made += 1;
        }
    }

    /// Begins an upload, unless it was begun and not answered; gives its id.
    fn begin(&self, place: &Place<'_>, file: &str) -> Option<Option<String>> {
        let (_, begun) = place.see("sam", "/uploads")?;
        if let Some(begun) = find(&begun, file) {
            return Some(Some(text(&begun["id"])));
        }
        if place.ends {
            return Some(None);
        }
        let new = json!({ "name": file, "bytes": self.table.len() });
        let (status, begun) = place.post("sam", "/uploads", &new)?;
        assert_eq!(status, 201, "{begun}");
        Some(Some(text(&begun["id"])))
    }

    fn send_rest(&mut self, place: &Place<'_>, path: &str, from: usize) -> Option<()> {
        for at in (from..self.table.len()).step_by(PART) {
            place.steps.tick(Work::Upload);
            let end = self.table.len().min(at + PART);
            let path = format!("{path}?offset={at}");
            let (status, told) = place.send("sam", "PATCH", &path, &self.table[at..end])?;
            assert_eq!(status, 200, "{told}");
            if let Some((_, acknowledged)) = &mut self.begun {
                *acknowledged = end;
            }
        }
        if let Some((_, acknowledged)) = &mut self.begun {
            // Also what was sent before the server was killed and not answered.
            *acknowledged = self.table.len();
        }
        Some(())
    }
}

/// Releases of the same data, one after the other: asked for, run, approved, read and taken back.
pub(crate) struct Releases {
    pub(crate) request: Value,
    expected: Vec<u8>,
    /// How many were read and taken back.
    published: usize,
}

impl Releases {
    fn go_on(&mut self, place: &Place<'_>) -> Option<()> {
        loop {
            let name = format!("release{}", self.published);
            let (_, asked) = place.see("sue", "/requests")?;
            let Some(asked) = find(&asked["items"], &name) else {
                if place.ends {
                    return Some(());
                }
                let mut request = self.request.clone();
                request["name"] = name.into();
                let (status, told) = place.post("sue", "/requests", &request)?;
                assert_eq!(status, 202, "{told}");
                continue;
            };
            let id = text(&asked["id"]);
            let file = format!("/releases/{id}/levels/2/file");
            let state = text(&asked["state"]);
            if !matches!(&*state, "published" | "approved" | "revoked") {
                let read = place.team.person("nia");
                let read = read.try_send("GET", &place.team.path(&file), &[], b"")?;
                assert_eq!(read.status, 404, "nothing is half visible");
            }
            match &*state {
                "running" => self.watch(place, &asked["job"])?,
                "draft" => {
                    // Each of its three tries was killed.
                    let path = format!("/requests/{id}/run");
                    let (status, told) = place.post("sue", &path, &Value::Null)?;
                    assert_eq!(status, 202, "{told}");
                }
                "ready" => {
                    let (_, review) = place.see("olga", &format!("/requests/{id}"))?;
                    let manifest = json!({ "manifest": review["manifest"] });
                    place.steps.tick(Work::Publish);
                    let path = format!("/requests/{id}/approval");
                    let (status, told) = place.post("olga", &path, &manifest)?;
                    assert_eq!(status, 200, "{told}");
                }
                // The server publishes it at its start.
                "approved" => sleep(Duration::from_millis(50)),
                "published" => {
                    let path = place.team.path(&file);
                    let read = place.team.person("nia").try_send("GET", &path, &[], b"")?;
                    assert_eq!(read.status, 200);
                    assert!(
                        read.body == self.expected,
                        "the bytes of an undisturbed run"
                    );
                    let path = format!("/releases/{id}/revocation");
                    let reason = json!({ "reason": "the next one" });
                    let (status, told) = place.post("olga", &path, &reason)?;
                    assert_eq!(status, 200, "{told}");
                    self.published += 1;
                }
                "revoked" => self.published += 1,
                state => panic!("a release is {state}"),
            }
        }
    }

    fn watch(&self, place: &Place<'_>, job: &Value) -> Option<()> {
        let (_, job) = place.see("sue", &format!("/jobs/{}", text(job)))?;
        if job["state"] == "running" {
            place.steps.tick(Work::Run);
        }
        sleep(Duration::from_millis(40));
        Some(())
    }
}

/// A program that sends events, with a token and no session.
pub(crate) struct Shop {
    browser: Browser,
    bearer: String,
    path: String,
    /// All events that were sent, in lines.
    pub(crate) sent: String,
    number: u64,
    /// A batch that may not have been accepted, and the place before it.
    open: Option<(String, u64)>,
    next: u64,
    numbers: Numbers,
}

impl Shop {
    fn go_on(&mut self, place: &Place<'_>) -> Option<()> {
        self.browser.go_to(place.team.server().address());
        let (_, told) = self.send("GET", "", "")?;
        let at = told["next"].as_u64().expect("a place");
        assert!(at >= self.next, "no event is lost");
        if let Some((batch, before)) = self.open.take() {
            // What was not answered is there as a whole or not at all.
            match at > before {
                true => self.sent += &batch,
                false => self.open = Some((batch, before)),
            }
        } else {
            assert_eq!(at, self.next, "no event is there twice");
        }
        self.next = at;
        while !place.ends || self.open.is_some() {
            let batch = match self.open.take() {
                Some((batch, _)) => batch,
                None => self.batch(),
            };
            place.steps.tick(Work::Stream);
            self.open = Some((batch.clone(), self.next));
            let (status, told) = self.send("POST", &format!("?at={}", self.next), &batch)?;
            assert_eq!(status, 202, "{told}");
            self.next = told["next"].as_u64().expect("a place");
            self.open = None;
            self.sent += &batch;
            sleep(Duration::from_millis(15));
        }
        Some(())
    }

    pub(crate) fn batch(&mut self) -> String {
        let many = 1 + self.numbers.below(12);
        let mut batch = String::new();
        for _ in 0..many {
            let (user, place) = (self.numbers.below(9), self.numbers.below(6));
            let time = 1_700_000_000 + 2 * self.number;
            batch += &format!(
                "{{\"t\":\"{time}\",\"user\":\"canary-event-{user}\",\"place\":\"p{}/{place}\",\"note\":\"n{}\"}}\n",
                place % 2,
                self.number
            );
            self.number += 1;
        }
        batch
    }

    pub(crate) fn send(&self, method: &str, query: &str, body: &str) -> Option<(u16, Value)> {
        let mut headers = vec![("authorization", &*self.bearer)];
        if method == "POST" {
            headers.push(("content-type", "application/x-ndjson"));
        }
        let path = format!("{}{query}", self.path);
        let answer = self
            .browser
            .try_send(method, &path, &headers, body.as_bytes())?;
        let json = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        Some((answer.status, json))
    }
}

pub(crate) const STREAM: &str = r#"
version = 1
[columns]
t = { role = "time", unit = "s" }
user = { role = "subject", action = "keep" }
place = { role = "quasi", hierarchy = { path = "/" } }
note = { role = "plain" }
[[protect]]
method = "z-anonymity"
z = 5
window = "60s"
"#;

const TABLE: &str = r#"
version = 1
[columns]
name = { role = "identifier" }
age = { role = "quasi" }
ward = { role = "quasi" }
cost = { role = "plain" }
[guarantee]
k = 5
[[protect]]
method = "mondrian"
"#;

/// A table with a name in each row that is nowhere else.
pub(crate) fn table(rows: u64) -> Vec<u8> {
    let row = |row: u64| {
        let (age, ward) = (20 + row * 7919 % 61, row * 104_729 % 12);
        format!("canary-name-{row},{age},{ward},{}\n", row * 31 % 977)
    };
    let rows: String = (0..rows).map(row).collect();
    format!("name,age,ward,cost\n{rows}").into_bytes()
}

/// What the command line releases of the same bytes.
pub(crate) fn undisturbed(policy: &str, (source, content): (&str, &[u8]), sink: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(source), content).expect("written");
    let places = format!("\n[source]\npath = \"{source}\"\n[sink]\npath = \"{sink}\"\n");
    fs::write(
        folder.path().join("policy.toml"),
        format!("{policy}{places}"),
    )
    .expect("written");
    run(folder.path(), &["run", "policy.toml"]);
    fs::read(folder.path().join(sink)).expect("a release")
}

/// As if as much time had passed as claims last, and everybody had shown their second factor again.
fn pass_time(db: &dyn Db) {
    let now = Clock::default().now();
    let sessions: [Cell; 2] = [now.into(), (now + HOUR).into()];
    let statements: [(&str, &[Cell]); 3] = [
        (
            "UPDATE jobs SET lease_until = 0 WHERE state = 'running'",
            &[],
        ),
        (
            "UPDATE streams SET lease_until = 0 WHERE lease_by IS NOT NULL",
            &[],
        ),
        (
            "UPDATE sessions SET seen_at = $1, factor_at = $1, ends_at = $2",
            &sessions,
        ),
    ];
    for (statement, values) in statements {
        let told = db.write(&mut |sql| sql.execute(statement, values).map(drop));
        told.expect("the store does it");
    }
}

/// A stream that was approved and runs, and who sends its events.
pub(crate) fn stream(team: &Team, policy: &str) -> (String, Shop) {
    let body = json!({ "name": "visits", "content": policy });
    let saved = team.post("sam", "/policies", &body).expect(201);
    let body = json!({ "name": "visits", "policy_version": saved["id"], "level": 2 });
    let stream = team.post("sam", "/streams", &body).expect(201);
    let path = format!("/streams/{}", text(&stream["id"]));
    let version = stream["version"].to_string();
    let decision = json!({ "approve": true, "reason": "read it" }).to_string();
    let headers = [("if-match", &*version)];
    let decided = format!("{path}/decision");
    team.send("olga", "POST", &decided, &headers, decision.as_bytes())
        .expect(200);
    let body = json!({ "name": "shop", "ends_at": Clock::default().now() + 24 * HOUR });
    let token = team
        .post("sam", &format!("{path}/tokens"), &body)
        .expect(201);
    let wanted = json!({ "wanted": "start" });
    team.post("pat", &format!("{path}/wanted"), &wanted)
        .expect(202);
    let shop = Shop {
        browser: Browser::new(team.server().address()),
        bearer: format!("Bearer {}", text(&token["token"])),
        path: team.path(&format!("{path}/events")),
        sent: String::new(),
        number: 0,
        open: None,
        next: 0,
        numbers: Numbers(0x7368_6f70),
    };
    (path, shop)
}

pub(crate) fn releases(team: &Team, table: &[u8]) -> Releases {
    let new = json!({ "name": "march.csv", "bytes": table.len() });
    let upload = text(&team.post("sue", "/uploads", &new).expect(201)["id"]);
    let octets = [("content-type", "application/octet-stream")];
    let path = format!("/uploads/{upload}");
    team.send("sue", "PATCH", &format!("{path}?offset=0"), &octets, table)
        .expect(200);
    let into = json!({ "into": { "new": { "name": "march", "identifiers": [] } } });
    let data = team
        .post("sue", &format!("{path}/finish"), &into)
        .expect(201);
    let body = json!({ "name": "admissions", "content": TABLE });
    let policy = team.post("sue", "/policies", &body).expect(201);
    Releases {
        request: json!({
            "name": "", "purpose": "study 12", "policy": policy["id"], "data": data["id"],
            "levels": [2], "ends_at": null,
        }),
        expected: undisturbed(TABLE, ("data.csv", table), "release.csv"),
        published: 0,
    }
}

fn campaign() -> (usize, Numbers) {
    let seed = std::env::var("MORETTA_LONG").ok();
    match seed.and_then(|text| text.trim().parse::<u64>().ok()) {
        Some(seed) => (KILLS * 20, Numbers(seed.max(1))),
        None => (KILLS, Numbers(0x6b69_6c6c)),
    }
}

/// Whenever the server is killed: no event, row, file or act is lost or there twice, what is released
/// is what an undisturbed run releases, the log is whole, and nothing lies on disk in plain.
#[test]
fn a_server_that_is_killed_at_random_loses_nothing_and_shows_nothing_half() {
    let mut team = Team::new(&[
        ("sam", "steward", None),
        ("sue", "steward", None),
        ("olga", "officer", None),
        ("nia", "analyst", Some(2)),
        ("pat", "operator", None),
        ("uma", "auditor", None),
    ]);
    let (kills, mut numbers) = campaign();
    let table = table(6_000);
    let mut releases = releases(&team, &table);
    let (stream, mut shop) = stream(&team, STREAM);
    let mut uploads = Uploads {
        table: table.clone(),
        made: 0,
        begun: None,
    };
    let steps = Steps::default();
    for kill in 0..=kills {
        let work = ALL[kill % ALL.len()];
        let ends = kill == kills;
        let place = Place {
            team: &team,
            steps: &steps,
            ends,
        };
        let workers = scope(|scope| {
            let working = [
                scope.spawn(|| uploads.go_on(&place)),
                scope.spawn(|| releases.go_on(&place)),
                scope.spawn(|| shop.go_on(&place)),
            ];
            let workers = (!ends).then(|| {
                let (more, microseconds) = match work {
                    Work::Upload | Work::Stream => (1 + numbers.below(20), 20_000),
                    Work::Run => (1, 400_000),
                    Work::Publish => (1, 60_000),
                };
                steps.wait(work, more);
                sleep(Duration::from_micros(numbers.below(microseconds)));
                place.team.server().strike()
            });
            for working in working {
                let done = working.join().expect("no panic");
                assert_eq!(done.is_some(), ends, "all goes on until a kill");
            }
            workers
        });
        if let Some(workers) = workers {
            team.start_again(&workers, pass_time);
        }
    }
    let wanted = json!({ "wanted": "finish" });
    team.post("pat", &format!("{stream}/wanted"), &wanted)
        .expect(202);
    until("the stream is finished", || {
        let found = team.see("pat", &stream).expect(200);
        assert_ne!(found["state"], "failed", "{found}");
        (found["state"] == "finished").then_some(())
    });
    let events = ("events.jsonl", shop.sent.as_bytes());
    let expected = lines(&undisturbed(STREAM, events, "released.jsonl"));
    assert!(expected.len() > kills, "{}", expected.len());
    assert!(
        rows(&team, &stream) == expected,
        "the rows of an undisturbed run"
    );
    assert!(releases.published >= kills / ALL.len());
    are_there_once(&team, &uploads, &releases);
    team.end_server();
    is_as_it_was_sent(&team, &uploads);
    no_plain_text(team.folder.path());
    assert!(!holds(&team.printed, b"canary-"));
}

/// Rows of a file with one in each line.
pub(crate) fn lines(file: &[u8]) -> Vec<Value> {
    let lines = file.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).expect("a row"))
        .collect()
}

pub(crate) fn rows(team: &Team, stream: &str) -> Vec<Value> {
    let mut rows: Vec<Value> = Vec::new();
    loop {
        let path = format!("{stream}/rows?after={}&limit=500", rows.len());
        let page = team.see("nia", &path).expect(200);
        let page = page["rows"].as_array().expect("rows");
        if page.is_empty() {
            return rows;
        }
        rows.extend(page.iter().cloned());
    }
}

/// Each act stands in the log once, which is whole.
fn are_there_once(team: &Team, uploads: &Uploads, releases: &Releases) {
    let uma = team.person("uma");
    uma.see("/audit/verification").expect(200);
    let export = uma.see("/audit/export");
    let file = team.folder.path().join("log.txt");
    fs::write(&file, &export.body).expect("written");
    run(team.folder.path(), &["audit", "log.txt"]);
    let log = String::from_utf8(export.body).expect("a text");
    for (act, times) in [
        ("release.publish", releases.published),
        ("release.approve", releases.published),
        ("release.revoke", releases.published),
        ("data.version", uploads.made + 1),
    ] {
        let entries = log.lines().filter(|line| {
            line.contains(&format!("\"act\":\"{act}\"")) && line.contains("\"refused\":false")
        });
        assert_eq!(entries.count(), times, "{act}");
    }
}

/// Every uploaded table is there once, as it was sent, and no other file.
fn is_as_it_was_sent(team: &Team, uploads: &Uploads) {
    use moretta_server::app::App;
    use moretta_server::data::DataVersion;
    use moretta_server::settings::Settings;
    use moretta_server::store::Store;
    use moretta_server::zone::{RawZone, sweep};
    use std::io::Read;

    let folder = team.folder.path().join("share/moretta");
    let settings = Settings {
        data: folder.join("server"),
        keys: folder.join("server.keys"),
        ..Settings::default()
    };
    let store = Store::open(team.store()).expect("a store");
    let app = App::new(store, Clock::default(), settings);
    let raw = RawZone::of(&app).expect("a zone");
    let project = Id::parse(team.project()).expect("an id");
    let versions = "SELECT v.id, d.name FROM data_versions v JOIN datasets d ON d.id = v.dataset_id \
                    WHERE d.name LIKE 'table%'";
    let versions = app
        .store
        .read(|sql| sql.query(versions, &[]))
        .expect("read");
    let mut names = Vec::new();
    for row in &versions {
        let opened = app.store.read(|sql| {
            let version = DataVersion::find(sql, project, row.id(0)?)?;
            raw.open(sql, version.object()?)
        });
        let mut bytes = Vec::new();
        let read = opened.expect("opened").read_to_end(&mut bytes);
        read.expect("read");
        assert!(bytes == uploads.table, "the bytes that were sent");
        names.push(row.text(1).expect("a name").to_owned());
    }
    names.sort();
    names.dedup();
    assert_eq!((names.len(), versions.len()), (uploads.made, uploads.made));
    sweep(&app, Duration::ZERO).expect("swept");
    let kept = fs::read_dir(app.settings.data.join("raw")).expect("a zone");
    assert_eq!(kept.count(), uploads.made + 1, "nothing is left over");
    let tries = fs::read_dir(app.settings.data.join("tries"));
    assert_eq!(tries.map_or(0, Iterator::count), 0, "no try is left over");
}

fn holds(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

/// No value of a table or an event lies in any file.
fn no_plain_text(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            no_plain_text(&path);
        } else {
            let bytes = fs::read(&path).expect("a file");
            assert!(!holds(&bytes, b"canary-"), "{}", path.display());
        }
    }
}
