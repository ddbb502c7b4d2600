//! Streams defined, approved, fed and read; their children are tested elsewhere.

use crate::support::{POLICY, Person, Ward};
use http::Method;
use moretta_server::clock::{DAY, HOUR, MINUTE};
use moretta_server::id::Id;
use moretta_server::stream::retention;
use serde_json::{Value, json};

const EVENT: &str = "{\"t\":1700000000,\"user\":\"canary-u1\",\"place\":\"a/b\"}\n";

#[test]
fn a_stream_is_approved_before_its_first_event_by_somebody_else_and_again_for_each_change() {
    let ward = Ward::new();
    let stream = ward.define("visits", &ward.policy, 2).expect(201);
    assert_eq!(stream["decision"], "waiting");
    ward.want(&stream, "start").refused(409, "not-approved");
    // A steward who is an officer as well, which no administrator can bring about, still cannot.
    let update = "UPDATE members SET role = 'officer' WHERE user_id = $1";
    let both = ward
        .server
        .app
        .store
        .act(|act| act.execute(update, &[ward.steward.id.into()]));
    both.expect("an officer");
    ward.decide(&ward.steward, &stream, true)
        .refused(403, "second-person");
    let back = "UPDATE members SET role = 'steward' WHERE user_id = $1";
    let both = ward
        .server
        .app
        .store
        .act(|act| act.execute(back, &[ward.steward.id.into()]));
    both.expect("a steward");
    let stream = ward.decide(&ward.officer, &stream, true).expect(200);
    assert_eq!(stream["decision"], "approved");
    ward.decide(&ward.officer, &stream, false)
        .refused(409, "decided");

    let version = stream["version"].as_i64().expect("a version");
    let released = "UPDATE streams SET released = 1";
    let released = ward.server.app.store.act(|act| act.execute(released, &[]));
    released.expect("released");
    let wider = json!({ "level": 3 });
    let path = ward.path(&stream, "");
    ward.edit(&ward.steward, Method::PATCH, &path, version, &wider)
        .refused(409, "level");
    let again = ward.write("again", POLICY);
    let body = json!({ "policy_version": again });
    let changed = ward.edit(
        &ward.steward,
        Method::PATCH,
        &ward.path(&stream, ""),
        version,
        &body,
    );
    let changed = changed.expect(200);
    assert_eq!(changed["decision"], "waiting");
    ward.want(&changed, "start").refused(409, "not-approved");
    let old = ward.edit(
        &ward.officer,
        Method::POST,
        &ward.path(&stream, "/decision"),
        version,
        &json!({ "approve": true, "reason": "an old page" }),
    );
    old.refused(412, "outdated");
}

#[test]
fn events_are_accepted_whole_or_not_at_all_and_once() {
    let ward = Ward::new();
    let waiting = ward.define("other", &ward.policy, 2).expect(201);
    let (stream, token) = ward.approved(2);
    ward.post(&waiting, &token, "", EVENT)
        .refused(403, "forbidden");
    let first = ward.post(&stream, &token, "?at=0", EVENT).expect(202);
    assert_eq!(first["events"], 1);
    let next = first["next"].as_u64().expect("a place");
    ward.post(&stream, &token, "?at=0", EVENT)
        .refused(409, "other-place");
    for bad in [
        "{\"t\":1700000001,\"user\":\"canary-u2\",\"place\":\"a\"}\n{\"t\":\"canary\",\"user\":\"u\",\"place\":\"a\"}",
        "{\"t\":1700000001,\"user\":\"canary-u2\",\"place\":\"a\"}\n{\"canary\":1}",
        "{\"t\":1700000001,\"user\":\"canary-u2\",\"place\":\"a\"}\n[\"canary\"]",
    ] {
        let answered = ward.post(&stream, &token, "", bad);
        assert_eq!(answered.status, 422, "{bad}");
        let told = String::from_utf8_lossy(&answered.body).into_owned();
        assert!(!told.contains("canary"), "{told}");
    }
    ward.post(&stream, &token, "", "\n\n")
        .refused(422, "unusable");
    let headers = [("authorization", &*format!("Bearer {token}"))];
    let place = ward
        .server
        .ask(Method::GET, &ward.path(&stream, "/events"), &headers, b"");
    assert_eq!(
        place.expect(200)["next"].as_u64(),
        Some(next),
        "nothing of bad ones was kept"
    );
}

#[test]
fn accepted_events_are_sealed_and_found_again_by_another_server_and_missed_when_they_are_cut_off() {
    let ward = Ward::new();
    let (stream, token) = ward.approved(2);
    let next = ward
        .post(&stream, &token, "", &EVENT.repeat(20))
        .expect(202)["next"]
        .clone();
    let folder = ward.server.app.settings.data.join("streams");
    let log = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let log = log
        .max_by_key(|path| path.metadata().map_or(0, |told| told.len()))
        .expect("a log");
    let bytes = std::fs::read(&log).expect("a file");
    assert!(!bytes.windows(6).any(|bytes| bytes == b"canary"));

    let ward = Ward {
        server: ward.server.restarted(),
        ..ward
    };
    let again = ward
        .post(&stream, &token, &format!("?at={next}"), EVENT)
        .expect(202);
    assert!(again["next"].as_u64() > next.as_u64());
    let taken = "UPDATE streams SET accepted = $1";
    let told = [again["next"].as_i64().expect("a place").into()];
    let told = ward.server.app.store.act(|act| act.execute(taken, &told));
    told.expect("noted");
    let ward = Ward {
        server: ward.server.restarted(),
        ..ward
    };
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(&log)
        .expect("a file");
    file.set_len(bytes.len() as u64).expect("cut");
    ward.post(&stream, &token, "", EVENT)
        .refused(500, "damaged");
}

#[test]
fn a_policy_that_is_none_for_streams_or_breaks_the_rules_is_refused_when_it_is_named() {
    let ward = Ward::new();
    let table = POLICY.replace(
        "z-anonymity\"\nz = 3\nwindow = \"60s\"",
        "mondrian\"\n[guarantee]\nk = 5",
    );
    let table = ward.write(
        "table",
        &table.replace(
            "t = { role = \"time\", unit = \"s\" }",
            "t = { role = \"drop\" }",
        ),
    );
    ward.define("tables", &table, 2).refused(422, "policy");
    ward.define("none", &Id::random().to_string(), 2)
        .refused(404, "not-found");
    ward.define("raw", &ward.policy, 1).refused(422, "unusable");
    let tuned = POLICY.replace(
        "z = 3",
        "tune = { goal = 0.8, k = 2, every = \"30m\", at_least = 2 }",
    );
    let tuned = ward.write("tuned", &tuned);
    ward.rules(&json!({ "least_k": { "2": 3, "3": 4 } }));
    ward.define("coarse", &ward.policy, 3).refused(409, "rules");
    ward.define("tuned", &tuned, 2).refused(409, "rules");
    ward.define("fine", &ward.policy, 2).expect(201);
    // Where no k is named, it is 5.
    ward.rules(&json!({}));
    ward.define("usual", &ward.policy, 2).refused(409, "rules");
    ward.rules(&json!({ "least_k": { "2": 2 }, "methods": ["noise"] }));
    ward.define("method", &ward.policy, 2).refused(409, "rules");
}

#[test]
fn released_rows_are_for_readers_of_the_level_and_never_for_operators() {
    let ward = Ward::new();
    let (stream, _) = ward.approved(3);
    let path = ward.path(&stream, "/rows");
    let (fine, same, coarse) = (
        ward.reader("two", 2),
        ward.reader("three", 3),
        ward.reader("four", 4),
    );
    for (person, status) in [
        (&fine, 200),
        (&same, 200),
        (&coarse, 404),
        (&ward.officer, 200),
        (&ward.steward, 200),
        (&ward.operator, 403),
    ] {
        let answered = ward.server.see(person, &path);
        assert_eq!(answered.status, status, "{}", person.name);
    }
    let figures = ward.path(&stream, "/figures");
    ward.server.see(&ward.operator, &figures).expect(200);
    ward.server.see(&fine, &figures).refused(403, "forbidden");
}

#[test]
fn readers_find_the_streams_of_their_level() {
    let ward = Ward::new();
    let (stream, _) = ward.approved(3);
    ward.define("other", &ward.policy, 2).expect(201);
    let path = format!("/projects/{}/released-streams", ward.project);
    let (fine, same) = (ward.reader("two", 2), ward.reader("three", 3));
    for (person, names) in [
        (&fine, vec!["other", "visits"]),
        (&same, vec!["visits"]),
        (&ward.officer, vec!["other", "visits"]),
    ] {
        let found = ward.server.see(person, &path).expect(200);
        let found = found["items"].as_array().expect("items").iter();
        let found: Vec<&str> = found.filter_map(|one| one["name"].as_str()).collect();
        assert_eq!(found, names, "{}", person.name);
    }
    let page = ward.server.see(&same, &path).expect(200);
    assert_eq!(page["items"][0]["id"], stream["id"]);
    assert_eq!(page["items"][0]["running"], false);
    let refused = ward.server.see(&ward.operator, &path);
    refused.refused(403, "forbidden");
}

#[test]
fn a_stream_says_by_which_policy_and_since_when_it_runs() {
    let ward = Ward::new();
    let (stream, _) = ward.approved(2);
    assert_eq!(stream["policy_name"], "shop");
    assert_eq!(stream["policy_number"], 1);
    let started = ward.want(&stream, "start").expect(202);
    assert_eq!(started["since"], Value::Null, "it does not run yet");
    let began = ward.server.clock.now();
    ward.server.clock.forward(4_000);
    let runs = "UPDATE streams SET state = 'running'";
    let runs = ward.server.app.store.act(|act| act.execute(runs, &[]));
    runs.expect("it runs");
    let path = ward.path(&stream, "");
    let found = ward.server.see(&ward.operator, &path).expect(200);
    assert_eq!(found["since"].as_i64(), Some(began));
}

#[test]
fn a_token_that_was_ended_sends_nothing() {
    let ward = Ward::new();
    let (stream, token) = ward.approved(2);
    ward.post(&stream, &token, "", EVENT).expect(202);
    let tokens = ward
        .server
        .see(&ward.steward, &ward.path(&stream, "/tokens"))
        .expect(200);
    assert!(!tokens.to_string().contains(&token[8..]));
    let id = tokens[0]["id"].as_str().expect("an id");
    let path = ward.path(&stream, &format!("/tokens/{id}"));
    ward.server
        .send(&ward.steward, Method::DELETE, &path, &Value::Null)
        .expect(204);
    ward.post(&stream, &token, "", EVENT)
        .refused(401, "signed-out");
}

#[test]
fn figures_of_any_range_are_none_or_some() {
    let ward = Ward::new();
    let (stream, _) = ward.approved(2);
    for range in [
        (i64::MIN, i64::MIN),
        (i64::MIN, i64::MAX),
        (i64::MAX, i64::MIN),
    ] {
        for query in [
            format!("?from={}&until={}", range.0, range.1),
            format!("?until={}", range.1),
        ] {
            let path = ward.path(&stream, &format!("/figures{query}"));
            let told = ward.server.see(&ward.operator, &path).expect(200);
            assert_eq!(told["points"], json!([]));
        }
    }
}

#[test]
fn a_token_of_a_stream_does_nothing_but_send_its_events() {
    let ward = Ward::new();
    let (stream, token) = ward.approved(2);
    let headers = [
        ("authorization", &*format!("Bearer {token}")),
        ("content-type", "application/json"),
    ];
    let project = format!("/projects/{}", ward.project);
    for (method, path) in [
        (Method::GET, "/me".to_owned()),
        (Method::GET, format!("{project}/datasets")),
        (Method::POST, format!("{project}/uploads")),
        (Method::GET, ward.path(&stream, "/rows")),
        (Method::GET, "/projects/none/streams/none/events".to_owned()),
    ] {
        let body: &[u8] = match method {
            Method::POST => b"{\"name\":\"a.csv\"}",
            _ => b"",
        };
        let answered = ward.server.ask(method, &path, &headers, body);
        answered.refused(403, "forbidden");
    }
}

#[test]
fn counts_of_a_stream_are_told_in_tens_and_bytes_in_blocks() {
    let ward = Ward::new();
    let (stream, token) = ward.approved(2);
    ward.post(&stream, &token, "", &EVENT.repeat(3)).expect(202);
    let set = "UPDATE streams SET taken = 17, released = 9, accepted = 5000";
    let set = ward.server.app.store.act(|act| act.execute(set, &[]));
    set.expect("figures");
    for person in [&ward.operator, &ward.officer, &ward.steward] {
        let path = ward.path(&stream, "");
        let shown = ward.server.see(person, &path).expect(200);
        assert_eq!(shown["taken"], 10);
        assert_eq!(shown["released"], 0);
        assert_eq!(shown["accepted"], 4096);
    }
}

fn rule(ward: &Ward, rules: &str) {
    let update = "UPDATE projects SET rules = $1";
    let updated = ward
        .server
        .app
        .store
        .act(|act| act.execute(update, &[rules.into()]));
    updated.expect("rules");
}

fn segments(ward: &Ward) -> (i64, usize) {
    let count = "SELECT count(*) FROM segments WHERE side = 'events'";
    let count = ward.server.app.store.read(|sql| sql.number(count, &[]));
    let folder = ward.server.app.settings.data.join("streams");
    let files = std::fs::read_dir(folder).expect("a folder");
    let names = files.map(|entry| entry.expect("an entry").file_name());
    let logs = names.filter(|name| !name.to_string_lossy().contains('.'));
    (count.expect("a number"), logs.count())
}

#[test]
fn events_go_when_their_time_is_over_also_those_of_a_stream_that_stands_still() {
    let ward = Ward::new();
    let (stream, _) = ward.approved(2);
    let token = |ward: &Ward| {
        let steward = ward.server.again(ward.steward.id, "steward", true);
        let ends = ward.server.clock.now() + 80 * DAY;
        let body = json!({ "name": format!("shop {ends}"), "ends_at": ends });
        let path = ward.path(&stream, "/tokens");
        let made = ward.server.send(&steward, Method::POST, &path, &body);
        made.expect(201)["token"]
            .as_str()
            .expect("a token")
            .to_owned()
    };
    let token = token(&ward);
    let sweep = || retention(&ward.server.app).expect("swept");
    ward.post(&stream, &token, "", EVENT).expect(202);
    ward.server.clock.forward(30 * MINUTE);
    ward.post(&stream, &token, "", EVENT).expect(202);
    assert_eq!(segments(&ward), (1, 1));
    // After an hour events go to another file.
    ward.server.clock.forward(HOUR);
    let next = ward.post(&stream, &token, "", EVENT).expect(202)["next"].clone();
    assert_eq!(segments(&ward), (2, 2));
    ward.server.clock.forward(40 * DAY);
    assert_eq!(sweep(), 0, "nobody has set a rule");
    rule(&ward, "{\"retention_days\":40}");
    assert_eq!(sweep(), 1, "the first file");
    ward.server.clock.forward(2 * HOUR);
    // The last file goes too, and the place of the next event stays.
    assert_eq!(sweep(), 1);
    assert_eq!(sweep(), 0);
    assert_eq!(segments(&ward).0, 1);
    let again = ward
        .post(&stream, &token, &format!("?at={next}"), EVENT)
        .expect(202);
    assert!(again["next"].as_u64() > next.as_u64());
    let acts = ward.server.acts();
    let swept = acts.iter().filter(|act| *act == "stream.retention");
    assert_eq!(swept.count(), 2);
}

#[test]
fn what_waits_and_what_is_wrong_with_a_stream_is_in_the_inbox_of_who_can_do_something() {
    let ward = Ward::new();
    let stream = ward.define("visits", &ward.policy, 2).expect(201);
    let inbox = |person: &Person| {
        let waiting = ward.server.see(person, "/inbox").expect(200);
        let waiting = waiting.as_array().expect("a list").clone();
        let kinds = waiting.iter().map(|one| {
            assert_eq!(
                (&one["id"], &one["name"]),
                (&stream["id"], &json!("visits"))
            );
            one["kind"].as_str().expect("a kind").to_owned()
        });
        kinds.collect::<Vec<_>>()
    };
    let nothing: [&str; 0] = [];
    assert_eq!(inbox(&ward.officer), ["stream"]);
    assert_eq!(inbox(&ward.steward), nothing);
    let stream = ward.decide(&ward.officer, &stream, true).expect(200);
    ward.want(&stream, "start").expect(202);
    assert_eq!(inbox(&ward.officer), nothing);
    let put = |taken: u64, p: f64| {
        let insert = "INSERT INTO points (stream_id, at, figures) VALUES ($1, $2, $3)";
        let figures = json!({ "taken": taken, "released": null, "suppressed": null, "z": 3, "p": p,
            "goal": 0.8, "unique": null, "delay_median": null, "delay_99": null, "lag": 0,
            "measures": [] });
        let cells = [
            stream["id"].as_str().expect("an id").into(),
            ward.server.clock.now().into(),
            figures.to_string().into(),
        ];
        let kept = ward.server.app.store.act(|act| act.execute(insert, &cells));
        kept.expect("kept");
    };
    let (point, quiet) = (|p| put(30, p), |p| put(0, p));
    point(0.84);
    assert_eq!(inbox(&ward.operator), nothing);
    ward.server.clock.forward(10_000);
    point(0.79);
    assert_eq!(inbox(&ward.operator), ["stream-under-goal"]);
    assert_eq!(inbox(&ward.officer), ["stream-under-goal"]);
    assert_eq!(inbox(&ward.steward), nothing);
    ward.server.clock.forward(5 * MINUTE);
    assert_eq!(inbox(&ward.operator), ["stream-silent"]);
    ward.server.clock.forward(10_000);
    quiet(0.84);
    assert_eq!(
        inbox(&ward.operator),
        ["stream-silent"],
        "points, and no event"
    );
    ward.server.clock.forward(10_000);
    point(0.84);
    assert_eq!(inbox(&ward.operator), nothing);
    let failed = "UPDATE streams SET state = 'failed'";
    let failed = ward.server.app.store.act(|act| act.execute(failed, &[]));
    failed.expect("failed");
    assert_eq!(inbox(&ward.operator), ["stream-failed"]);
}

/// A stream of records whose values are masked: it promises neither k nor z.
const MASKED: &str = r#"
version = 1
[columns]
age = { role = "quasi", type = "number" }
[[protect]]
method = "noise"
kind = "uncorrelated"
amount = 0.1
buffer = 100
"#;

/// The same by a private method.
const PRIVATE: &str = r#"
version = 1
[columns]
age = { role = "quasi", type = "number" }
[[protect]]
method = "local-dp"
columns.age = { mechanism = "laplace", epsilon = 1.0, bounds = [0, 120] }
buffer = 1
"#;

#[test]
fn streams_that_promise_another_thing_are_defined_where_the_rules_allow_it() {
    let ward = Ward::new();
    let (masked, private) = (ward.write("masked", MASKED), ward.write("private", PRIVATE));
    ward.rules(&json!({}));
    ward.define("private", &private, 2).expect(201);
    ward.define("masked", &masked, 2).refused(409, "rules");
    ward.rules(&json!({ "unpromised": true }));
    ward.define("masked", &masked, 2).expect(201);
    // Where a k is named, what spends is held by a budget.
    ward.rules(&json!({ "least_k": { "2": 5 } }));
    ward.define("private 2", &private, 2).refused(409, "rules");
    ward.rules(&json!({ "least_k": { "2": 5 }, "epsilon_a_year": 0.5 }));
    ward.define("private 2", &private, 2).refused(409, "rules");
    ward.rules(&json!({ "least_k": { "2": 5 }, "epsilon_a_year": 1.0 }));
    ward.define("private 2", &private, 2).expect(201);
}

#[test]
fn rules_are_held_again_when_a_stream_is_approved_and_hold_it_when_they_are_tightened() {
    let ward = Ward::new();
    let (stream, token) = ward.approved(2);
    let waiting = ward.define("later", &ward.policy, 2).expect(201);
    ward.want(&stream, "start").expect(202);
    let path = format!("/projects/{}/rules", ward.project);
    let version = ward.server.see(&ward.officer, &path);
    let etag = version.headers.iter().find(|(name, _)| name == "etag");
    let version = etag.expect("a version").1.trim_matches('"').parse::<i64>();
    let tighter = json!({ "least_k": { "2": 4 } });
    let changed = ward.edit(
        &ward.officer,
        Method::PUT,
        &path,
        version.expect("a number"),
        &tighter,
    );
    assert_eq!(changed.expect(202)["state"], "changed");
    ward.decide(&ward.officer, &waiting, true)
        .refused(409, "rules");

    let held = ward.server.see(&ward.operator, &ward.path(&stream, ""));
    let held = held.expect(200);
    assert_eq!(
        (&held["decision"], &held["wanted"]),
        (&json!("waiting"), &json!("stopped"))
    );
    let reason = held["reason"].as_str().expect("a reason");
    assert!(reason.contains("rules"), "{reason}");
    ward.want(&held, "start").refused(409, "not-approved");
    ward.post(&stream, &token, "", EVENT)
        .refused(409, "not-approved");
    ward.decide(&ward.officer, &held, true)
        .refused(409, "rules");
    let acts = ward.server.acts();
    assert_eq!(acts.iter().filter(|act| *act == "stream.hold").count(), 1);
    let kinds = |person: &Person| {
        let inbox = ward.server.see(person, "/inbox").expect(200);
        let all = inbox.as_array().expect("an inbox").iter();
        let of = all.filter(|one| one["id"] == stream["id"]);
        of.map(|one| one["kind"].as_str().expect("a kind").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(&ward.officer), ["stream"]);
    assert_eq!(kinds(&ward.operator), ["stream-held"]);

    ward.rules(&json!({ "least_k": { "2": 3 } }));
    let again = ward.decide(&ward.officer, &held, true).expect(200);
    assert_eq!(again["decision"], "approved");
    assert_eq!(kinds(&ward.operator), [""; 0]);
}

#[test]
fn an_officer_whom_one_person_has_made_approves_no_stream() {
    let ward = Ward::new();
    let stream = ward.define("visits", &ward.policy, 2).expect(201);
    let alone = "UPDATE members SET confirmed_by = asked_by WHERE user_id = $1";
    let made = ward
        .server
        .app
        .store
        .act(|act| act.execute(alone, &[ward.officer.id.into()]));
    made.expect("alone");
    ward.decide(&ward.officer, &stream, true)
        .refused(403, "second-person");
    ward.decide(&ward.officer, &stream, false).expect(200);
}

#[test]
fn streams_of_a_closed_project_stop_and_nothing_of_them_begins() {
    let ward = Ward::new();
    let (stream, token) = ward.approved(2);
    let waiting = ward.define("later", &ward.policy, 2).expect(201);
    ward.want(&stream, "start").expect(202);
    let admin = ward.server.admin("administrator");
    let path = format!("/projects/{}", ward.project);
    let read = "SELECT version FROM projects";
    let version = ward.server.app.store.read(|sql| sql.number(read, &[]));
    let closed = json!({ "state": "closed" });
    ward.edit(
        &admin,
        Method::PATCH,
        &path,
        version.expect("a version"),
        &closed,
    )
    .expect(200);

    let stopped = ward.server.see(&ward.operator, &ward.path(&stream, ""));
    assert_eq!(stopped.expect(200)["wanted"], "stopped");
    assert!(ward.server.acts().iter().any(|act| act == "stream.stop"));
    for wanted in ["start", "restart", "finish"] {
        ward.want(&stream, wanted).refused(409, "closed");
    }
    ward.want(&stream, "stop").expect(202);
    ward.post(&stream, &token, "", EVENT).refused(409, "closed");
    ward.define("new", &ward.policy, 2).refused(409, "closed");
    ward.decide(&ward.officer, &waiting, true)
        .refused(409, "closed");
    let tokens = json!({ "name": "new", "ends_at": ward.server.clock.now() + 3_600_000 });
    let path = ward.path(&stream, "/tokens");
    ward.server
        .send(&ward.steward, Method::POST, &path, &tokens)
        .refused(409, "closed");
}
