//! A project whose steward asks for releases, and a job that ends as the test says.

use crate::support::{Answered, Person, Server};
use http::Method;
use moretta::engine::report::{Claim, ColumnFact, Report, SizeCount};
use moretta_server::app::App;
use moretta_server::clock::DAY;
use moretta_server::db::{Sql, Value as Cell};
use moretta_server::id::Id;
use moretta_server::job::{self, Claimed, Kind, Object, Outcome, Pool};
use moretta_server::problem::Problem;
use moretta_server::release::csv::Format;
use moretta_server::release::{LEDGER, Part, index};
use moretta_server::zone::StagingZone;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::Write;

pub const POLICY: &str = "version = 1
name = \"ward\"

[columns]
person = { role = \"subject\" }
age = { role = \"quasi\" }
ward = { role = \"plain\" }

[guarantee]
k = 2

[levels]
near = { k = 5 }
far = { k = 25 }

[[protect]]
method = \"mondrian\"
";

/// Rows of both levels.
pub const NEAR: &str = "age,ward\n57..80,7\n57..80,7\n20..33,9\n20..33,7\n";
pub const FAR: &str = "age,ward\n20..80,7\n20..80,7\n20..80,9\n20..80,7\n";

/// A project with its people, a data version and a policy version.
pub struct Hospital {
    pub server: Server,
    pub project: Id,
    pub dataset: Id,
    pub data: Id,
    pub policy: Id,
    pub officer: Person,
    pub steward: Person,
    /// An analyst of level 3.
    pub far: Person,
    /// An analyst of level 2.
    pub near: Person,
}

/// How a run ends.
#[derive(Clone)]
pub struct Run {
    pub near: String,
    /// What attackers find.
    pub attack: f64,
    /// Whether there is a ledger.
    pub ledger: bool,
}

impl Default for Run {
    fn default() -> Self {
        Run {
            near: NEAR.to_owned(),
            attack: 0.0,
            ledger: true,
        }
    }
}

impl Hospital {
    pub fn new() -> Self {
        Hospital::with(true)
    }

    pub fn with(four_eyes: bool) -> Self {
        let server = Server::with(|settings| settings.four_eyes = four_eyes);
        let people = ["Olga", "Sam", "Fae", "Nia"].map(|name| server.signed_in(name));
        let [officer, steward, far, near] = people;
        let (project, dataset, data) = (Id::random(), Id::random(), Id::random());
        let at = server.clock.now();
        server
            .app
            .store
            .act(|act| {
                let cells: [Cell; 3] = [project.into(), at.into(), officer.id.into()];
                act.execute(
                    "INSERT INTO projects (id, name, rules, state, made_at, made_by) \
                     VALUES ($1, 'hospital', '{}', 'open', $2, $3)",
                    &cells,
                )?;
                let cells: [Cell; 4] = [dataset.into(), project.into(), at.into(), steward.id.into()];
                act.execute(
                    "INSERT INTO datasets (id, project_id, name, identifiers, made_at, made_by) \
                     VALUES ($1, $2, 'ward-7', '[]', $3, $4)",
                    &cells,
                )?;
                let cells: [Cell; 6] = [
                    data.into(),
                    dataset.into(),
                    Id::random().into(),
                    vec![7_u8; 32].into(),
                    steward.id.into(),
                    at.into(),
                ];
                act.execute(
                    "INSERT INTO data_versions (id, dataset_id, number, file_name, place, object_id, bytes, \
                     sha256, uploaded_by, uploaded_at) VALUES ($1, $2, 1, 'may.csv', 'data.csv', $3, 1, $4, $5, $6)",
                    &cells,
                )
                .map(drop)
            })
            .expect("a project");
        let mut hospital = Hospital {
            server,
            project,
            dataset,
            data,
            policy: project,
            officer,
            steward,
            far,
            near,
        };
        for (person, role, level) in [
            (&hospital.officer, "officer", 0),
            (&hospital.steward, "steward", 0),
            (&hospital.far, "analyst", 3),
            (&hospital.near, "analyst", 2),
        ] {
            hospital.join(person, role, level);
        }
        hospital.policy = hospital.write_policy("ward", POLICY);
        hospital
    }

    pub fn app(&self) -> &App {
        &self.server.app
    }

    /// Makes somebody a member, or another one.
    pub fn join(&self, person: &Person, role: &str, level: i64) {
        let cells: [Cell; 5] = [
            self.project.into(),
            person.id.into(),
            role.into(),
            level.into(),
            self.server.clock.now().into(),
        ];
        self.change(
            "INSERT INTO members (project_id, user_id, role, level, asked_by, confirmed_by, at) \
             VALUES ($1, $2, $3, $4, $2, $1, $5) ON CONFLICT (project_id, user_id) \
             DO UPDATE SET role = excluded.role, level = excluded.level",
            &cells,
        );
    }

    /// Changes the store behind the back of the server.
    pub fn change(&self, statement: &str, cells: &[Cell]) {
        let changed = self.app().store.act(|act| act.execute(statement, cells));
        changed.expect("changed");
    }

    /// Reads a number of the store.
    pub fn number(&self, query: &str, cells: &[Cell]) -> i64 {
        let read = |sql: &mut dyn Sql| sql.number(query, cells);
        self.app().store.read(read).expect("a number")
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/projects/{}{rest}", self.project)
    }

    pub fn send(&self, who: &Person, rest: &str, body: &Value) -> Answered {
        self.server.send(who, Method::POST, &self.path(rest), body)
    }

    pub fn see(&self, who: &Person, rest: &str) -> Answered {
        self.server.see(who, &self.path(rest))
    }

    pub fn rules(&self, rules: &Value) {
        let cells: [Cell; 2] = [rules.to_string().into(), self.project.into()];
        self.change("UPDATE projects SET rules = $1 WHERE id = $2", &cells);
    }

    pub fn write_policy(&self, name: &str, text: &str) -> Id {
        let body = json!({ "name": name, "content": text });
        let made = self.send(&self.steward, "/policies", &body).expect(201);
        id_of(&made["id"])
    }

    /// Asks for a release of both levels.
    pub fn request(&self) -> Value {
        json!({
            "name": "May", "purpose": "study 12", "policy": self.policy, "data": self.data,
            "levels": [2, 3], "ends_at": null,
        })
    }

    pub fn ask(&self) -> Id {
        id_of(
            &self
                .send(&self.steward, "/requests", &self.request())
                .expect(202)["id"],
        )
    }

    /// Claims the one release job that waits.
    pub fn claim(&self) -> Claimed {
        let at = self.server.clock.now();
        let app = self.app();
        let claimed = app.store.act(|act| job::claim(app, act, Pool::Batch, at));
        let claimed = claimed.expect("claimed").expect("a job waits");
        assert_eq!(claimed.kind, Kind::Release);
        claimed
    }

    /// Ends a job.
    pub fn end(&self, job: &Claimed, outcome: &Outcome) -> Result<(), Problem> {
        let at = self.server.clock.now();
        let app = self.app();
        app.store.act(|act| job::end(app, act, job, outcome, at))
    }

    /// Does the job that waits, as a worker does.
    pub fn run(&self, run: &Run) {
        let job = self.claim();
        let outcome = self.made(&job, run);
        self.end(&job, &outcome).expect("ended");
    }

    pub fn made(&self, job: &Claimed, run: &Run) -> Outcome {
        let mut made = Vec::new();
        let mut levels = Vec::new();
        for (level, name, k, rows) in [(2, "near", 5, &*run.near), (3, "far", 25, FAR)] {
            let columns = ["age", "ward"].map(str::to_owned);
            let mut index = Vec::new();
            let head = index::make(rows.as_bytes(), Format::default(), &columns, &mut index);
            let count = head.expect("an index").rows;
            let report = serde_json::to_vec(&report(k, count, run.attack)).expect("a report");
            let dictionary = json!({ "columns": [{ "name": "age" }, { "name": "ward" }] });
            for (part, bytes) in [
                (Part::Rows, rows.as_bytes().to_vec()),
                (Part::Index, index),
                (Part::Page, b"<script>alert(1)</script>".to_vec()),
                (Part::Report, report),
                (Part::Dictionary, dictionary.to_string().into_bytes()),
            ] {
                made.push(self.stage(job, &part.file(level), &bytes));
            }
            levels.push(json!({ "level": level, "name": name, "rows": count }));
        }
        if run.ledger {
            made.push(self.stage(job, LEDGER, b"classes"));
        }
        Outcome::Done {
            result: json!({ "levels": levels, "more": true }),
            made,
        }
    }

    fn stage(&self, job: &Claimed, name: &str, bytes: &[u8]) -> Object {
        let staging = StagingZone::of(self.app()).expect("a zone");
        let (object, mut writer) = staging.create().expect("begun");
        writer.write_all(bytes).expect("written");
        let written = writer.finish().expect("finished");
        let of = (self.project, Some(job.id));
        let recorded = self
            .app()
            .store
            .act(|act| staging.record(act, &object, &written, of, 1));
        recorded.expect("recorded");
        Object {
            name: name.to_owned(),
            id: object.id,
            bytes: written.bytes,
            sha256: Sha256::digest(bytes).to_vec(),
        }
    }

    pub fn state(&self, release: Id) -> String {
        let path = format!("/requests/{release}");
        let review = self.see(&self.officer, &path).expect(200);
        review["state"].as_str().expect("a state").to_owned()
    }

    pub fn manifest(&self, release: Id) -> String {
        let path = format!("/requests/{release}");
        let review = self.see(&self.officer, &path).expect(200);
        review["manifest"].as_str().unwrap_or_default().to_owned()
    }

    pub fn approve(&self, release: Id) -> Answered {
        let body = json!({ "manifest": self.manifest(release) });
        self.send(
            &self.officer,
            &format!("/requests/{release}/approval"),
            &body,
        )
    }

    pub fn revoke(&self, release: Id) -> Answered {
        let path = format!("/releases/{release}/revocation");
        self.send(&self.officer, &path, &json!({ "reason": "wrong ward" }))
    }

    /// A release that waits for approval.
    pub fn ready(&self) -> Id {
        let release = self.ask();
        self.run(&Run::default());
        release
    }

    /// A release that was published.
    pub fn published(&self) -> Id {
        let release = self.ready();
        self.approve(release).expect(200);
        release
    }

    /// A day goes by; everybody is signed in again.
    pub fn a_day_later(&mut self) {
        self.server.clock.forward(DAY);
        for person in [
            &mut self.officer,
            &mut self.steward,
            &mut self.far,
            &mut self.near,
        ] {
            *person = self.server.again(person.id, &person.name.clone(), true);
        }
    }
}

pub fn id_of(value: &Value) -> Id {
    Id::parse(value.as_str().expect("a text")).expect("an id")
}

fn report(k: u32, rows: u64, attack: f64) -> Report {
    let mut report = Report {
        name: "ward".to_owned(),
        class_sizes: vec![SizeCount {
            size: u64::from(k) + 2,
            classes: 1,
        }],
        ..Report::default()
    };
    report.rows.released = rows;
    report.verdict.passed = true;
    report.verdict.claims = vec![Claim {
        name: "k-anonymity".to_owned(),
        promised: format!("at least {k}"),
        promised_value: Some(f64::from(k)),
        found: (k + 2).to_string(),
        found_value: Some(f64::from(k + 2)),
        holds: true,
    }];
    report.columns = vec![ColumnFact {
        name: "age".to_owned(),
        role: "quasi".to_owned(),
        treatment: "generalised".to_owned(),
        loss: Some(0.25),
        missing_before: 0.0,
        missing_after: Some(0.0),
        histogram: None,
    }];
    report.measures = vec![moretta::engine::report::MeasureFact {
        name: "homogeneity".to_owned(),
        meaning: "what is known".to_owned(),
        family: "risk".to_owned(),
        before: None,
        after: attack,
        percent: true,
        limit: None,
    }];
    report
}
