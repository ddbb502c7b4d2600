//! A stream: defined, approved, started, fed, read and stopped.

use crate::browser::Browser;
use crate::team::{Team, text, until};
use moretta_server::clock::Clock;
use serde_json::{Value, json};

const POLICY: &str = r#"
version = 1
[columns]
t = { role = "time", unit = "s" }
user = { role = "subject", action = "keep" }
place = { role = "quasi", hierarchy = { path = "/" } }
[[protect]]
method = "z-anonymity"
z = 5
window = "60s"
"#;

#[test]
fn a_stream_is_defined_approved_run_and_read() {
    let mut team = Team::new(&[
        ("sam", "steward", None),
        ("olga", "officer", None),
        ("nia", "analyst", Some(2)),
        ("pat", "operator", None),
    ]);
    let body = json!({ "name": "visits", "content": POLICY });
    let saved = team.post("sam", "/policies", &body).expect(201);
    let body = json!({ "name": "visits", "policy_version": saved["id"], "level": 2 });
    let stream = team.post("sam", "/streams", &body).expect(201);
    let path = |rest: &str| format!("/streams/{}{rest}", text(&stream["id"]));
    let want = |team: &Team, wanted: &str| {
        let body = json!({ "wanted": wanted });
        team.post("pat", &path("/wanted"), &body)
    };
    want(&team, "start").refused(409, "not-approved");
    let decision = json!({ "approve": true, "reason": "read it" }).to_string();
    let version = stream["version"].to_string();
    let seen = [("if-match", &*version)];
    team.send(
        "olga",
        "POST",
        &path("/decision"),
        &seen,
        decision.as_bytes(),
    )
    .expect(200);
    let ends_at = Clock::default().now() + 3_600_000;
    let body = json!({ "name": "shop", "ends_at": ends_at });
    let token = team.post("sam", &path("/tokens"), &body).expect(201);
    want(&team, "start").expect(202);

    // The shop has a token and no session.
    let bearer = format!("Bearer {}", text(&token["token"]));
    let project = text(&team.person("sam").see("/projects").expect(200)["items"][0]["id"]);
    let send = |team: &Team, events: &str| {
        let shop = Browser::new(team.server().address());
        let headers = [
            ("authorization", &*bearer),
            ("content-type", "application/x-ndjson"),
        ];
        let path = format!("/projects/{project}{}", path("/events"));
        shop.send("POST", &path, &headers, events.as_bytes())
    };
    let events = |from: u64, to: u64| -> String {
        let event = |n: u64| {
            let t = 1_700_000_000 + n;
            format!(
                "{{\"t\":\"{t}\",\"user\":\"u{}\",\"place\":\"p{}\"}}\n",
                n % 7,
                n % 2
            )
        };
        (from..to).map(event).collect()
    };
    let taken = |team: &Team, count: u64| -> Value {
        until("events are taken", || {
            let found = team.see("pat", &path("")).expect(200);
            assert_ne!(found["state"], "failed", "{found}");
            (found["taken"] == count).then_some(found)
        })
    };
    send(&team, &events(0, 100)).expect(202);
    taken(&team, 100);
    team.kill_server();
    send(&team, &events(100, 200)).expect(202);
    taken(&team, 200);
    let rows = until("rows are released", || {
        let rows = team.see("nia", &path("/rows?limit=500")).expect(200);
        let rows = rows["rows"].as_array().expect("rows").clone();
        (rows.len() > 100).then_some(rows)
    });
    let mut once: Vec<String> = rows.iter().map(Value::to_string).collect();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), rows.len(), "no row is released twice");
    assert_eq!(team.see("pat", &path("/rows")).status, 403);
    want(&team, "stop").expect(202);
    until("the stream stops", || {
        let found = team.see("pat", &path("")).expect(200);
        (found["state"] == "stopped").then_some(())
    });
    team.end_server();
}
