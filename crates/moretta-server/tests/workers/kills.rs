//! Whoever writes is killed at moments that a fixed seed chooses: in an upload, in a publication, in
//! a migration. Jobs and streams have files of their own, and the whole program is killed by tests of
//! `moretta-cli`. More than a hundred kills in all; with `MORETTA_LONG` twenty times as many, from its
//! seed.

use crate::hospital::{FAR, Hospital, NEAR};
use crate::office::{database, program, until};
use crate::support::{Person, Postgres};
use crate::ward::{Ward, holds, text};
use http::{HeaderMap, HeaderValue, Method};
use moretta_server::app::App;
use moretta_server::audit;
use moretta_server::clock::{Clock, HOUR};
use moretta_server::db::{Db, MIGRATIONS, Migration, SqliteDb, migrate_by, tables};
use moretta_server::http::{Given, Head, Request};
use moretta_server::id::Id;
use moretta_server::release::tend;
use moretta_server::settings::Settings;
use moretta_server::store::Store;
use moretta_server::zone::sweep;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// All of them.
pub const TESTS: &[(&str, fn())] = &[
    ("an_upload_survives_random_kills", uploads),
    ("a_publication_survives_random_kills", publications),
    ("a_migration_survives_random_kills", migrations),
];

/// Kills of each of these.
const KILLS: usize = 20;

/// Numbers that look random (Marsaglia's xorshift).
pub struct Numbers(u64);

impl Numbers {
    /// From the seed of a campaign, or always the same.
    pub fn new(seed: u64) -> Self {
        let long = std::env::var("MORETTA_LONG").ok();
        let long = long.and_then(|text| text.trim().parse::<u64>().ok());
        Numbers((seed ^ long.unwrap_or(0)).max(1))
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// So many kills, or those of a campaign.
pub fn times(usual: usize) -> usize {
    match std::env::var_os("MORETTA_LONG") {
        Some(_) => usual * 20,
        None => usual,
    }
}

/// This program as one who writes, and what it tells.
struct Writer {
    child: Child,
    told: Receiver<String>,
}

impl Writer {
    fn start(arguments: &[String]) -> Self {
        let mut child = Command::new(&program()[0])
            .arg("writer")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, told) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Writer { child, told }
    }

    /// Kills it after a while; gives all that it has told.
    fn killed(mut self, wait: Duration) -> Vec<String> {
        // It is there once it has told something.
        let first = self.told.recv().expect("it begins");
        std::thread::sleep(wait);
        self.child.kill().expect("a process");
        self.child.wait().expect("a process");
        std::iter::once(first).chain(self.told.iter()).collect()
    }
}

/// What a writer needs of a server to write as somebody.
fn arguments(what: &str, server: &crate::support::Server, who: &Person) -> Vec<String> {
    let settings = &server.app.settings;
    let path = |path: &Path| path.display().to_string();
    let database = server.postgres.as_ref();
    vec![
        what.to_owned(),
        path(&settings.data),
        path(&settings.keys),
        server.clock.now().to_string(),
        database.map_or_else(String::new, |postgres| postgres.address()),
        who.secret.clone(),
    ]
}

fn tell(line: &str) {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}").expect("told");
    output.flush().expect("told");
}

/// Writes until it is killed.
pub fn write(arguments: &[String]) -> ! {
    if arguments[0] == "migrate" {
        let db = database(Path::new(&arguments[1]), &arguments[2]);
        tell("begun");
        migrate_by(&*db, &steps()).expect("migrated");
    } else {
        let app = app(arguments);
        let writer = Sender {
            app: &app,
            person: Person::of(Id::random(), "writer", &arguments[5]),
        };
        tell("begun");
        match &*arguments[0] {
            "upload" => upload(&writer, &arguments[6..]),
            _ => {
                writer.send(Method::POST, &arguments[6], arguments[7].as_bytes());
                tell("answered");
            }
        }
    }
    loop {
        std::thread::park();
    }
}

fn app(arguments: &[String]) -> App {
    let (data, keys) = (Path::new(&arguments[1]), Path::new(&arguments[2]));
    let mut settings = Settings {
        data: data.to_owned(),
        keys: keys.to_owned(),
        ..Settings::default()
    };
    settings.limits.calls = (1_000_000, 1_000_000);
    let db = database(&data.join("store"), &arguments[4]);
    let clock = Clock::standing(arguments[3].parse().expect("a time"));
    App::new(Store::open(db).expect("a store"), clock, settings)
}

/// Sends requests of somebody straight to a server in this process.
struct Sender<'a> {
    app: &'a App,
    person: Person,
}

impl Sender<'_> {
    fn send(&self, method: Method, path: &str, body: &[u8]) -> Option<Value> {
        let kind = match method {
            Method::PATCH => "application/octet-stream",
            _ => "application/json",
        };
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("cookie", self.person.cookie()),
            ("x-moretta-token", self.person.token.clone()),
            ("sec-fetch-site", "same-origin".to_owned()),
            ("content-type", kind.to_owned()),
        ] {
            headers.insert(name, HeaderValue::from_str(&value).expect("a value"));
        }
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut head = Head::new(
            method,
            path,
            query,
            headers,
            IpAddr::V4(Ipv4Addr::LOCALHOST),
        );
        let looked = self.app.look(&mut head, Some("localhost"));
        let body = body.to_vec();
        match looked.and_then(|_| self.app.answer(Request { head, body })) {
            Ok(Given::Ready(ready)) => serde_json::from_slice(&ready.body).ok(),
            _ => None,
        }
    }
}

/// The table that is uploaded: each number stands in it once.
fn table() -> Vec<u8> {
    let rows = (0..40_000_u64).map(|row| format!("canary{row},{}\n", row * 7919 % 100_003));
    format!("age,ward\n{}", rows.collect::<String>()).into_bytes()
}

/// Sends the rest of an upload in parts, and makes a version of it.
fn upload(writer: &Sender<'_>, about: &[String]) {
    let [project, upload, from] = about else {
        panic!("an upload has a place");
    };
    let (table, mut sent) = (table(), from.parse::<usize>().expect("a place"));
    while sent < table.len() {
        let end = table.len().min(sent + 9_000);
        let path = format!("{project}/uploads/{upload}?offset={sent}");
        let answered = writer.send(Method::PATCH, &path, &table[sent..end]);
        assert!(answered.is_some(), "a part is taken");
        sent = end;
        tell(&sent.to_string());
    }
    let into = json!({ "into": { "new": { "name": upload, "identifiers": [] } } });
    let path = format!("{project}/uploads/{upload}/finish");
    let made = writer.send(Method::POST, &path, into.to_string().as_bytes());
    tell(&format!("made {}", made.is_some()));
}

/// Whenever the kills come, what was acknowledged is there, no version is half a file or there twice,
/// the log is whole, and nothing lies on disk in plain.
fn uploads() {
    let ward = Ward::new();
    let (mut numbers, table) = (Numbers::new(0x7570), table());
    let (mut kills, mut versions) = (0, 0);
    let project = ward.path("");
    while kills < times(KILLS) {
        let upload = ward.begin("march.csv");
        let mut from = 0;
        let made = loop {
            let mut about = arguments("upload", &ward.server, &ward.steward);
            about.extend([project.clone(), upload.clone(), from.to_string()]);
            let told = Writer::start(&about).killed(Duration::from_millis(numbers.below(120)));
            kills += 1;
            let acknowledged = told
                .iter()
                .rev()
                .find_map(|line| line.parse::<usize>().ok());
            let shown = ward.see(&ward.steward, &format!("/uploads/{upload}"));
            if shown.status == 404 {
                break true;
            }
            let received = shown.expect(200)["received"].as_u64().expect("a number");
            let received = usize::try_from(received).expect("a place");
            assert!(received >= acknowledged.unwrap_or(from), "nothing is lost");
            assert!(!told.iter().any(|line| line == "made true"));
            from = received;
            if kills >= times(KILLS) {
                break false;
            }
        };
        if !made {
            ward.part(&upload, from as u64, &table[from..]).expect(200);
            let into = json!({ "into": { "new": { "name": upload, "identifiers": [] } } });
            let finish = format!("/uploads/{upload}/finish");
            ward.post(&ward.steward, &finish, &into).expect(201);
        }
        versions += 1;
    }
    let sets = ward.see(&ward.steward, "/datasets?limit=500").expect(200);
    let sets = sets["items"].as_array().expect("data sets").clone();
    assert_eq!(sets.len(), versions, "none twice");
    for set in &sets {
        assert_eq!(set["last"]["number"], 1, "{}", text(&set["name"]));
        assert!(
            ward.stored(&set["last"]) == table,
            "the bytes that were sent"
        );
    }
    sweep(&ward.server.app, Duration::ZERO).expect("swept");
    let folder = &ward.server.app.settings.data;
    let kept = std::fs::read_dir(folder.join("raw"))
        .expect("a zone")
        .count();
    assert_eq!(kept, versions, "nothing is left over");
    assert!(!holds(ward.server.folder.path(), b"canary"));
    is_whole(&ward.server.app);
}

/// Whenever the kills come, a release is public as a whole or not at all, and once.
fn publications() {
    let mut numbers = Numbers::new(0x7075);
    let hospital = Hospital::new();
    let mut published = 0;
    for _ in 0..times(KILLS) {
        let release = hospital.ready();
        let body = json!({ "manifest": hospital.manifest(release) }).to_string();
        let path = hospital.path(&format!("/requests/{release}/approval"));
        let mut about = arguments("approve", &hospital.server, &hospital.officer);
        about.extend([path, body]);
        Writer::start(&about).killed(Duration::from_micros(numbers.below(40_000)));
        // As the next start does it.
        tend(hospital.app()).expect("tended");
        sweep(hospital.app(), Duration::ZERO).expect("swept");
        let file = |level: u32| {
            let path = format!("/releases/{release}/levels/{level}/file");
            hospital.see(&hospital.near, &path)
        };
        match &*hospital.state(release) {
            "ready" => {
                assert_eq!((file(2).status, file(3).status), (404, 404));
                hospital.approve(release).expect(200);
            }
            state => assert_eq!(state, "published"),
        }
        assert_eq!(file(2).body, NEAR.as_bytes());
        assert_eq!(file(3).body, FAR.as_bytes());
        published += 1;
        // The next one is not held against a growing list.
        hospital.revoke(release).expect(200);
        // Rates are of a clock that stands.
        hospital.server.clock.forward(10_000);
        if published % 20 == 0 {
            let touch = "UPDATE sessions SET seen_at = $1, factor_at = $1, ends_at = $2";
            let now = hospital.server.clock.now();
            hospital.change(touch, &[now.into(), (now + HOUR).into()]);
        }
    }
    let count = |act: &str| {
        let query = format!(
            "SELECT count(*) FROM audit WHERE act = '{act}' AND entry LIKE '%\"refused\":false%'"
        );
        hospital.number(&query, &[])
    };
    assert_eq!(count("release.publish"), published, "each once");
    assert_eq!(count("release.approve"), published, "each once");
    is_whole(hospital.app());
}

fn is_whole(app: &App) {
    let verified = app.store.read(|sql| audit::verify(sql, None));
    let fault = verified.expect("the store answers").fault;
    assert!(fault.is_none(), "{fault:?}");
}

/// The steps of the program, and another one of many small parts, of which none may be seen without
/// the others.
fn steps() -> Vec<Migration> {
    let next = Migration {
        version: MIGRATIONS.len() as i64 + 1,
        sql: "ALTER TABLE marks ADD COLUMN m BIGINT; UPDATE marks SET m = at; \
              CREATE TABLE b (n BIGINT) STRICT; INSERT INTO b SELECT at FROM marks; \
              CREATE TABLE c (n BIGINT) STRICT; INSERT INTO c SELECT at FROM marks; \
              UPDATE marks SET m = m + 1; UPDATE b SET n = n + 1; UPDATE c SET n = n + 1; \
              UPDATE marks SET m = m - 1;",
    };
    [MIGRATIONS, &[next]].concat()
}

/// A number of a store that may be of any version; none where there is no such table.
fn number(db: &dyn Db, query: &str) -> Option<i64> {
    let mut found = None;
    let read = db.read(&mut |sql| {
        found = sql.number(query, &[]).ok();
        Ok(())
    });
    // A statement that is refused ends a transaction of PostgreSQL.
    assert!(read.is_ok() || found.is_none(), "the store answers");
    found
}

const VERSION: &str = "SELECT value FROM store WHERE name = 'version'";

/// Whenever the kills come, a store is of one version or of another, with all its tables and rows, and
/// the copy of the old one is whole.
fn migrations() {
    const ROWS: i64 = 20_000;
    let mut numbers = Numbers::new(0x6d69);
    let (newest, known) = (steps().len() as i64, MIGRATIONS.len() as i64);
    for turn in 0..times(KILLS) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        let postgres = Postgres::new();
        let address = postgres
            .as_ref()
            .map_or_else(String::new, Postgres::address);
        // A store that is new, and one with rows that this program has made.
        let rows = if turn % 2 == 0 { 0 } else { ROWS };
        if rows > 0 {
            let db = database(&path, &address);
            migrate_by(&*db, MIGRATIONS).expect("the first");
            let insert = "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 20000) \
                          INSERT INTO marks (stream_id, at, what) SELECT 'x', n, 'start' FROM s";
            db.write(&mut |sql| sql.execute(insert, &[]).map(drop))
                .expect("rows");
        }
        let about = ["migrate", &path.display().to_string(), &address].map(str::to_owned);
        Writer::start(&about).killed(Duration::from_micros(numbers.below(90_000)));
        let db = match &postgres {
            Some(postgres) => Arc::new(postgres.open()) as Arc<dyn Db>,
            None => Arc::new(until("the store opens", || SqliteDb::open(&path).ok())),
        };
        let version = number(&*db, VERSION).unwrap_or(0);
        let oldest = if rows > 0 { known } else { 0 };
        assert!([oldest, newest].contains(&version), "{version}");
        for table in tables() {
            let count = number(&*db, &format!("SELECT count(*) FROM {table}"));
            assert_eq!(count.is_some(), version > 0, "{table} of version {version}");
        }
        for table in ["b", "c"] {
            let count = number(&*db, &format!("SELECT count(*) FROM {table}"));
            assert_eq!(count, (version == newest).then_some(rows), "{table}");
        }
        let copy = folder.path().join(format!("store-of-version-{known}"));
        if copy.exists() {
            let copy = SqliteDb::open(&copy).expect("a store");
            assert_eq!(number(&copy, "SELECT count(*) FROM marks"), Some(rows));
        }
        migrate_by(&*db, &steps()).expect("the rest");
        let same = "SELECT count(*) FROM marks JOIN b ON b.n = marks.m + 1 JOIN c ON c.n = b.n";
        assert_eq!(number(&*db, same), Some(rows));
    }
}
