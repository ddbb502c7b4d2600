//! A server in two processes on PostgreSQL and a shared folder: one takes requests, the other does
//! jobs and keeps streams; where the other is killed, a third one has its claims when they run out.

use crate::kills::{STREAM, lines, releases, rows, stream, table, undisturbed};
use crate::postgres::Postgres;
use crate::team::{Team, until};
use serde_json::{Value, json};

#[test]
fn one_process_takes_requests_and_another_works_and_a_third_takes_over() {
    let Some(postgres) = Postgres::new() else {
        // Two processes share a store of PostgreSQL only; `./test all` has one.
        return;
    };
    let people = [
        ("sam", "steward", None),
        ("sue", "steward", None),
        ("olga", "officer", None),
        ("nia", "analyst", Some(2)),
        ("pat", "operator", None),
    ];
    let mut team = Team::on(Some(postgres), "web", &people);
    let releases = releases(&team, &table(60_000));
    let (path, mut shop) = stream(&team, STREAM);
    let mut send = |team: &Team| {
        for _ in 0..20 {
            let batch = shop.batch();
            let (status, told) = shop.send("POST", "", &batch).expect("an answer");
            assert_eq!(status, 202, "{told}");
            shop.sent += &batch;
        }
        let sent = shop.sent.lines().count();
        assert!(
            team.server().workers().is_empty(),
            "who takes requests does no work"
        );
        (shop.sent.clone(), sent)
    };
    let (_, sent) = send(&team);
    let found = team.see("pat", &path).expect(200);
    assert_eq!(found["taken"], 0, "nobody works yet");

    let first = team.another("worker");
    assert_eq!(first.begun["address"], Value::Null);
    taken(&team, &path, sent);
    let mut request = releases.request;
    request["name"] = "May".into();
    let asked = team.post("sue", "/requests", &request).expect(202);
    let job = format!("/jobs/{}", asked["job"].as_str().expect("an id"));
    until("the job runs", || {
        let job = team.see("sue", &job).expect(200);
        assert_ne!(job["state"], "done", "it ends before its server is killed");
        (job["state"] == "running").then_some(())
    });
    first.strike();
    team.printed.extend(first.kill());
    let (_, _) = send(&team);

    let second = team.another("worker");
    let done = team.done("sue", &asked["job"]);
    assert_eq!(done["attempts"], 2, "the claim was taken over");
    let (all, sent) = send(&team);
    taken(&team, &path, sent);
    let finish = json!({ "wanted": "finish" });
    team.post("pat", &format!("{path}/wanted"), &finish)
        .expect(202);
    until("the stream is finished", || {
        let found = team.see("pat", &path).expect(200);
        (found["state"] == "finished").then_some(())
    });
    let expected = undisturbed(STREAM, ("events.jsonl", all.as_bytes()), "released.jsonl");
    assert!(
        rows(&team, &path) == lines(&expected),
        "the rows of an undisturbed run"
    );
    team.printed.extend(second.end());
    team.end_server();
}

/// Waits until so many events were taken, as far as that is told: in tens.
fn taken(team: &Team, path: &str, events: usize) {
    let events = events / 10 * 10;
    until("events are taken", || {
        let found = team.see("pat", path).expect(200);
        assert_ne!(found["state"], "failed", "{found}");
        (found["taken"] == events).then_some(())
    });
}
