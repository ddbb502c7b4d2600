//! Jobs asked for, seen and cancelled; what dispatchers do with them is tested in `workers`.

use crate::support::{Person, Server};
use http::Method;
use moretta_server::clock::DAY;
use moretta_server::db::Value as Cell;
use moretta_server::id::Id;
use moretta_server::job::{self, Kind, LEASE, Pool, Spec};
use serde_json::{Value, json};

/// A server with a project that has data and one member of each role.
struct Team {
    server: Server,
    project: Id,
    data: Id,
}

impl Team {
    fn new() -> Self {
        Team::with(2000)
    }

    fn with(previews: u32) -> Self {
        let server = Server::with(|settings| settings.limits.previews = previews);
        let (project, dataset, data) = (Id::random(), Id::random(), Id::random());
        server
            .app
            .store
            .act(|act| {
                act.execute(
                    "INSERT INTO projects (id, name, rules, state, made_at, made_by) \
                     VALUES ($1, 'ward', '{}', 'open', 0, 'x')",
                    &[Cell::from(project)],
                )?;
                act.execute(
                    "INSERT INTO datasets (id, project_id, name, identifiers, made_at, made_by) \
                     VALUES ($1, $2, 'march', '[]', 0, 'x')",
                    &[Cell::from(dataset), Cell::from(project)],
                )?;
                act.execute(
                    "INSERT INTO data_versions (id, dataset_id, number, file_name, place, object_id, bytes, sha256, \
                     uploaded_by, uploaded_at) VALUES ($1, $2, 1, 'march.csv', 'data.csv', $3, 1, $4, 'x', 0)",
                    &[
                        Cell::from(data),
                        Cell::from(dataset),
                        Cell::from(Id::random()),
                        Cell::from(vec![0_u8]),
                    ],
                )
            })
            .expect("a project");
        Team {
            server,
            project,
            data,
        }
    }

    fn member(&self, role: &str) -> Person {
        let person = self.server.signed_in(role);
        self.server
            .app
            .store
            .act(|act| {
                act.execute(
                    "INSERT INTO members (project_id, user_id, role, level, asked_by, confirmed_by, at) \
                     VALUES ($1, $2, $3, 2, 'x', 'y', 0)",
                    &[
                        Cell::from(self.project),
                        Cell::from(person.id),
                        Cell::from(role),
                    ],
                )
            })
            .expect("a member");
        person
    }

    fn path(&self, rest: &str) -> String {
        format!("/projects/{}/{rest}", self.project)
    }

    fn preview(&self) -> Value {
        json!({ "about": { "data": self.data, "text": "version = 1\n" } })
    }

    fn enqueue(&self, of: &Person, kind: Kind) -> Id {
        let (by, at) = ((self.project, of.id), self.server.clock.now());
        let spec = Spec::default();
        let queued = self
            .server
            .app
            .store
            .act(|act| job::enqueue(&mut **act, by, kind, &spec, at));
        queued.expect("a job")
    }

    fn claim(&self, pool: Pool) -> Option<job::Claimed> {
        let at = self.server.clock.now();
        let claimed = self
            .server
            .app
            .store
            .act(|act| job::claim(&self.server.app, act, pool, at));
        claimed.expect("the store answers")
    }
}

#[test]
fn a_job_is_asked_for_by_those_who_may_and_seen_as_their_role_sees_it() {
    let team = Team::new();
    let [steward, officer, analyst, operator, auditor] =
        ["steward", "officer", "analyst", "operator", "auditor"].map(|role| team.member(role));
    let server = &team.server;
    let path = team.path("jobs/preview");
    for other in [&officer, &analyst, &operator, &auditor] {
        let refused = server.send(other, Method::POST, &path, &team.preview());
        refused.refused(403, "forbidden");
    }
    let asked = server.send(&steward, Method::POST, &path, &team.preview());
    let id = asked.expect(202)["id"].as_str().expect("an id").to_owned();
    let one = team.path(&format!("jobs/{id}"));
    for (person, sees) in [
        (&steward, true),
        (&officer, true),
        (&auditor, true),
        (&analyst, false),
        (&operator, false),
    ] {
        let shown = server.see(person, &one);
        let listed = server.see(person, &team.path("jobs")).expect(200);
        assert_eq!(shown.status, if sees { 200 } else { 404 });
        let listed = listed["items"].as_array().expect("a list").len();
        assert_eq!(listed, usize::from(sees));
    }
    let own = team.enqueue(&analyst, Kind::Verify);
    let shown = server.see(&analyst, &team.path(&format!("jobs/{own}")));
    assert_eq!(shown.expect(200)["state"], "waiting");
    server
        .see(&server.signed_in("stranger"), &one)
        .refused(404, "no-such-project");
    let log = "SELECT count(*) FROM audit WHERE act = 'job.ask'";
    let logged = server.app.store.read(|sql| sql.number(log, &[]));
    assert_eq!(logged.expect("the log"), 1);
}

#[test]
fn a_job_is_about_data_that_are_there_and_one_policy() {
    let team = Team::new();
    let steward = team.member("steward");
    let path = team.path("jobs/plan");
    for (about, status) in [
        (json!({ "data": Id::random(), "text": "" }), 404),
        (json!({ "data": team.data, "policy": Id::random() }), 404),
        (json!({ "data": team.data }), 422),
        (
            json!({ "data": team.data, "policy": Id::random(), "text": "" }),
            422,
        ),
        (json!({ "data": team.data, "text": "version = 1" }), 202),
    ] {
        let asked = json!({ "about": about });
        let answered = team.server.send(&steward, Method::POST, &path, &asked);
        assert_eq!(answered.status, status, "{asked}");
    }
    let needs = team.server.send(
        &steward,
        Method::POST,
        &team.path("jobs/tune"),
        &team.preview(),
    );
    needs.refused(422, "unusable");
}

#[test]
fn a_project_has_its_previews_a_day_and_the_officer_sees_their_number() {
    let team = Team::with(2);
    let (steward, officer) = (team.member("steward"), team.member("officer"));
    let server = &team.server;
    let ask = || {
        server.send(
            &steward,
            Method::POST,
            &team.path("jobs/preview"),
            &team.preview(),
        )
    };
    ask().expect(202);
    ask().expect(202);
    ask().refused(429, "previews");
    let seen = server.see(&officer, &team.path("previews")).expect(200);
    assert_eq!(seen, json!({ "made": 2, "at_most": 2 }));
    server.clock.forward(DAY);
    let steward = server.again(steward.id, "steward", true);
    let asked = server.send(
        &steward,
        Method::POST,
        &team.path("jobs/preview"),
        &team.preview(),
    );
    asked.expect(202);
}

#[test]
fn jobs_are_listed_page_by_page_also_those_of_one_moment() {
    let team = Team::new();
    let steward = team.member("steward");
    let made: Vec<Id> = (0..7).map(|_| team.enqueue(&steward, Kind::Plan)).collect();
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let path = team.path(&format!("jobs?limit=3{after}"));
        let page = team.server.see(&steward, &path).expect(200);
        let items = page["items"].as_array().expect("items");
        seen.extend(
            items
                .iter()
                .filter_map(|job| Id::parse(job["id"].as_str()?)),
        );
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    seen.sort();
    let mut made = made;
    made.sort();
    assert_eq!(seen, made);
    let wrong = team.server.see(&steward, &team.path("jobs?after=x"));
    wrong.refused(422, "unusable");
}

#[test]
fn a_waiting_job_is_cancelled_at_once_by_stewards_only_and_can_be_tried_again() {
    let team = Team::new();
    let (steward, officer) = (team.member("steward"), team.member("officer"));
    let server = &team.server;
    let id = team.enqueue(&steward, Kind::Plan);
    let cancel = team.path(&format!("jobs/{id}/cancel"));
    let retry = team.path(&format!("jobs/{id}/retry"));
    server
        .send(&officer, Method::POST, &cancel, &Value::Null)
        .refused(403, "forbidden");
    server
        .send(&steward, Method::POST, &retry, &Value::Null)
        .refused(409, "state");
    server
        .send(&steward, Method::POST, &cancel, &Value::Null)
        .expect(204);
    server
        .send(&steward, Method::POST, &cancel, &Value::Null)
        .refused(409, "ended");
    assert!(team.claim(Pool::Batch).is_none());
    server
        .send(&steward, Method::POST, &retry, &Value::Null)
        .expect(202);
    assert!(team.claim(Pool::Batch).is_some());
}

#[test]
fn a_claim_ends_with_its_lease_and_the_third_one_is_the_last() {
    let team = Team::new();
    let steward = team.member("steward");
    let id = team.enqueue(&steward, Kind::Plan);
    for attempt in 1..=3 {
        let claimed = team.claim(Pool::Batch).expect("the job");
        assert_eq!((claimed.id, claimed.attempt), (id, attempt));
        assert!(team.claim(Pool::Batch).is_none(), "it is claimed");
        assert!(team.claim(Pool::Interactive).is_none(), "another pool");
        team.server.clock.forward(LEASE + 1);
    }
    assert!(team.claim(Pool::Batch).is_none());
    let steward = team.server.again(steward.id, "steward", true);
    let job = team.server.see(&steward, &team.path(&format!("jobs/{id}")));
    let job = job.expect(200);
    assert_eq!(job["state"], "failed");
    assert_eq!(job["problem"]["code"], "killed");
}

#[test]
fn the_job_that_waits_longest_is_claimed_first() {
    let team = Team::new();
    let steward = team.member("steward");
    let first = team.enqueue(&steward, Kind::Plan);
    team.server.clock.forward(1);
    team.enqueue(&steward, Kind::Plan);
    assert_eq!(team.claim(Pool::Batch).map(|job| job.id), Some(first));
}

#[test]
fn whatever_tells_of_raw_data_counts_towards_the_day() {
    let team = Team::with(30);
    let (steward, officer) = (team.member("steward"), team.member("officer"));
    let server = &team.server;
    let about = team.preview()["about"].clone();
    let ask = |kind: &str, options: Value| {
        let body = json!({ "about": about, "options": options });
        server.send(
            &steward,
            Method::POST,
            &team.path(&format!("jobs/{kind}")),
            &body,
        )
    };
    let made = || server.see(&officer, &team.path("previews")).expect(200)["made"].clone();
    for kind in ["preview", "plan", "attack"] {
        ask(kind, Value::Null).expect(202);
    }
    assert_eq!(made(), 3);
    ask("learn", json!({ "learners": ["nb", "ht"] })).expect(202);
    assert_eq!(made(), 5);
    let tune = |steps: u32| {
        json!({ "parameter": "k", "between": [2, 9], "goals": [["gcp", 0.3]], "steps": steps,
                "bisections": 3, "draws": 2 })
    };
    ask("tune", tune(7)).expect(202);
    assert_eq!(made(), 25);
    // A search that is larger than what is left is refused, and a smaller one is not.
    ask("tune", tune(7)).refused(429, "previews");
    ask("explore", json!({ "k": [2, 3, 5, 7, 11] })).refused(429, "previews");
    ask(
        "tune",
        json!({ "parameter": "k", "between": [2, 9], "goals": [], "steps": 2, "bisections": 3 }),
    )
    .expect(202);
    for kind in ["preview", "plan", "attack", "learn", "explore"] {
        ask(kind, Value::Null).refused(429, "previews");
    }
    assert_eq!(made(), 30);
}
