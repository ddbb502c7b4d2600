//! Requests that are sent again under the same key.

use crate::support::{Answered, Person, Server};
use http::Method;
use moretta_server::clock::{DAY, MINUTE};
use serde_json::{Value, json};

fn make(server: &Server, admin: &Person, key: &str, name: &str) -> Answered {
    let (cookie, body) = (admin.cookie(), json!({ "name": name }).to_string());
    let headers = [
        ("cookie", &*cookie),
        ("x-moretta-token", &*admin.token),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/json"),
        ("idempotency-key", key),
    ];
    server.ask(Method::POST, "/projects", &headers, body.as_bytes())
}

fn count(server: &Server, query: &str) -> i64 {
    let counted = server.app.store.read(|sql| sql.number(query, &[]));
    counted.expect("a number")
}

const PROJECTS: &str = "SELECT count(*) FROM projects";

#[test]
fn the_same_request_is_done_once_and_answered_the_same() {
    let server = Server::new();
    let admin = server.admin("root");
    let first = make(&server, &admin, "k1", "ward");
    let second = make(&server, &admin, "k1", "ward");
    assert_eq!((first.status, &first.body), (201, &second.body));
    assert_eq!(second.status, 201);
    let tag = |answered: &Answered| {
        let tag = answered.headers.iter().find(|(name, _)| name == "etag");
        tag.cloned()
    };
    assert!(tag(&first).is_some());
    assert_eq!(tag(&first), tag(&second));
    assert_eq!(count(&server, PROJECTS), 1);
    make(&server, &admin, "k1", "other").refused(422, "other-request");
    make(&server, &admin, "", "x").refused(422, "unusable");
    make(&server, &admin, &"k".repeat(129), "x").refused(422, "unusable");
}

#[test]
fn keys_are_those_of_one_person_and_of_a_day() {
    let server = Server::new();
    let (admin, other) = (server.admin("root"), server.admin("other"));
    make(&server, &admin, "k1", "ward").expect(201);
    make(&server, &other, "k1", "clinic").expect(201);
    server.clock.forward(DAY);
    let admin = server.again(admin.id, "root", true);
    make(&server, &admin, "k1", "lab").expect(201);
    assert_eq!(count(&server, PROJECTS), 3);
}

#[test]
fn what_was_refused_can_be_sent_again_under_its_key() {
    let server = Server::new();
    let admin = server.admin("root");
    make(&server, &admin, "k1", "").refused(422, "unusable");
    assert_eq!(count(&server, "SELECT count(*) FROM repeats"), 0);
    make(&server, &admin, "k1", "ward").expect(201);
}

#[test]
fn twins_run_once() {
    let server = Server::new();
    let admin = server.admin("root");
    let bodies: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let ask = || make(&server, &admin, "k1", "ward");
        let twins: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        let answers = twins
            .into_iter()
            .map(|twin| twin.join().expect("an answer"));
        answers
            .map(|answered| {
                assert_eq!(answered.status, 201, "{}", answered.code);
                answered.body
            })
            .collect()
    });
    assert_eq!(count(&server, PROJECTS), 1);
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

#[test]
fn answers_are_sealed_and_no_one_is_told_that_of_a_killed_server() {
    let server = Server::new();
    let admin = server.admin("root");
    let made = make(&server, &admin, "k1", "canary-ward").expect(201);
    let row = "SELECT body FROM repeats";
    let kept = server.app.store.read(|sql| sql.row(row, &[]));
    let kept = kept.expect("a store").expect("a row");
    let kept = kept.bytes(0).expect("bytes").to_vec();
    assert!(!kept.windows(6).any(|bytes| bytes == b"canary"));
    assert_ne!(made, Value::Null);
    let forgotten = "UPDATE repeats SET status = 0";
    server
        .app
        .store
        .act(|act| act.execute(forgotten, &[]))
        .expect("a store");
    server.clock.forward(6 * MINUTE);
    make(&server, &admin, "k1", "canary-ward").refused(409, "unknown");
}
