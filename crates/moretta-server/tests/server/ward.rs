//! A project with a person of each role that reads or changes data.

use crate::support::{Answered, Person, Server};
use http::Method;
use moretta_server::app::App;
use moretta_server::data::DataVersion;
use moretta_server::db::Value as Cell;
use moretta_server::id::Id;
use moretta_server::settings::Settings;
use moretta_server::zone::RawZone;
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A project and its people.
pub struct Ward {
    pub server: Server,
    pub project: Id,
    pub steward: Person,
    pub officer: Person,
    /// An analyst with level 1.
    pub clinician: Person,
    /// An analyst with level 2.
    pub analyst: Person,
    pub auditor: Person,
}

impl Ward {
    pub fn new() -> Self {
        Ward::with(|_| ())
    }

    pub fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let server = Server::with(|settings| {
            settings.limits.calls = (1_000_000, 1_000_000);
            change(settings);
        });
        let project = Id::random();
        let at = server.clock.now();
        let insert = "INSERT INTO projects (id, name, rules, state, made_at, made_by) VALUES ($1, $2, '{}', 'open', $3, '')";
        let cells = [Cell::from(project), Cell::from("ward-7"), Cell::from(at)];
        let made = server.app.store.act(|act| act.execute(insert, &cells));
        made.expect("a project");
        let ward = Ward {
            steward: server.signed_in("sam"),
            officer: server.signed_in("ola"),
            clinician: server.signed_in("cleo"),
            analyst: server.signed_in("ann"),
            auditor: server.signed_in("ute"),
            project,
            server,
        };
        for (person, role, level) in [
            (&ward.steward, "steward", 0),
            (&ward.officer, "officer", 0),
            (&ward.clinician, "analyst", 1),
            (&ward.analyst, "analyst", 2),
            (&ward.auditor, "auditor", 0),
        ] {
            ward.join(person, role, level);
        }
        ward
    }

    /// Makes somebody a member.
    pub fn join(&self, person: &Person, role: &str, level: i64) {
        let insert = "INSERT INTO members (project_id, user_id, role, level, asked_by, confirmed_by, at) \
                      VALUES ($1, $2, $3, $4, '', 'y', 0)";
        let cells = [
            Cell::from(self.project),
            Cell::from(person.id),
            Cell::from(role),
            Cell::from(level),
        ];
        let joined = self.server.app.store.act(|act| act.execute(insert, &cells));
        joined.expect("a member");
    }

    /// The same server, started again.
    pub fn restart(&mut self) {
        let app = &self.server.app;
        let (store, settings) = (app.store.clone(), app.settings.clone());
        self.server.app = Arc::new(App::new(store, self.server.clock.clone(), settings));
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/projects/{}{rest}", self.project)
    }

    pub fn post(&self, person: &Person, rest: &str, body: &Value) -> Answered {
        self.server
            .send(person, Method::POST, &self.path(rest), body)
    }

    pub fn see(&self, person: &Person, rest: &str) -> Answered {
        self.server.see(person, &self.path(rest))
    }

    /// Sends bytes of an upload.
    pub fn part(&self, upload: &str, offset: u64, bytes: &[u8]) -> Answered {
        let cookie = self.steward.cookie();
        let headers = [
            ("cookie", &*cookie),
            ("x-moretta-token", &*self.steward.token),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/octet-stream"),
        ];
        let path = self.path(&format!("/uploads/{upload}?offset={offset}"));
        self.server.ask(Method::PATCH, &path, &headers, bytes)
    }

    /// Begins an upload; gives its id.
    pub fn begin(&self, name: &str) -> String {
        let upload = self.post(&self.steward, "/uploads", &json!({ "name": name }));
        text(&upload.expect(201)["id"])
    }

    /// Uploads a file as the first version of a new data set.
    pub fn upload(&self, name: &str, bytes: &[u8], identifiers: &[&str]) -> Value {
        let set = format!("{name} {}", Id::random());
        let into = json!({ "new": { "name": set, "identifiers": identifiers } });
        self.upload_into(name, bytes, &into).expect(201)
    }

    /// Uploads a file as a version of a data set.
    pub fn upload_into(&self, name: &str, bytes: &[u8], into: &Value) -> Answered {
        let upload = self.begin(name);
        self.part(&upload, 0, bytes).expect(200);
        let finish = format!("/uploads/{upload}/finish");
        self.post(&self.steward, &finish, &json!({ "into": into }))
    }

    /// What lies in the raw zone of a version.
    pub fn stored(&self, version: &Value) -> Vec<u8> {
        let id = Id::parse(&text(&version["id"])).expect("an id");
        let app = &self.server.app;
        let raw = RawZone::of(app).expect("a zone");
        let opened = app.store.read(|sql| {
            let version = DataVersion::find(sql, self.project, id)?;
            raw.open(sql, version.object()?)
        });
        let mut bytes = Vec::new();
        opened
            .expect("opened")
            .read_to_end(&mut bytes)
            .expect("read");
        bytes
    }

    /// The acts in the log, the last one last.
    pub fn acts(&self) -> Vec<(String, Value)> {
        let query = "SELECT act, entry FROM audit ORDER BY number";
        let rows = self.server.app.store.read(|sql| sql.query(query, &[]));
        let rows = rows.expect("the log");
        let read = |row: &moretta_server::db::Row| {
            let entry = serde_json::from_str(row.text(1).expect("an entry"));
            (
                row.text(0).expect("an act").to_owned(),
                entry.expect("JSON"),
            )
        };
        rows.iter().map(read).collect()
    }
}

/// The text of a value.
pub fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// The path of a version.
pub fn version_path(version: &Value) -> String {
    let (set, id) = (text(&version["dataset"]), text(&version["id"]));
    format!("/datasets/{set}/versions/{id}")
}

/// All files below a folder; none where there is no folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if !folder.exists() {
        return found;
    }
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// Whether some file below a folder holds these bytes.
pub fn holds(folder: &Path, what: &[u8]) -> bool {
    files(folder).iter().any(|path| {
        let bytes = fs::read(path).expect("a file");
        bytes.windows(what.len()).any(|window| window == what)
    })
}
