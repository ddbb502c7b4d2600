//! Events: told to those who may know, in order, and again to those who come back.

use crate::support::{Person, Server};
use http::{HeaderMap, HeaderValue, Method};
use moretta_server::app::App;
use moretta_server::clock::{Clock, DAY, MINUTE, SECOND};
use moretta_server::db::{SqliteDb, Value as Cell};
use moretta_server::events::{self, Kind, News};
use moretta_server::http::{Given, Head, Live, Request};
use moretta_server::id::Id;
use moretta_server::store::{Act, Store};
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

fn listen(server: &Server, person: &Person, last: Option<&str>) -> Live {
    let mut headers = HeaderMap::new();
    let cookie = HeaderValue::from_str(&person.cookie()).expect("a cookie");
    headers.insert("cookie", cookie);
    if let Some(last) = last {
        headers.insert("last-event-id", HeaderValue::from_str(last).expect("an id"));
    }
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut head = Head::new(Method::GET, "/events", "", headers, peer);
    server
        .app
        .look(&mut head, Some("localhost"))
        .expect("a route");
    let body = Vec::new();
    match server.app.answer(Request { head, body }) {
        Ok(Given::Live(live)) => live,
        Ok(_) => panic!("events are live"),
        Err(problem) => panic!("{problem}"),
    }
}

/// What there is now; none at the end.
fn next(server: &Server, live: &mut Live) -> Option<String> {
    let told = (live.next)(&server.app);
    told.map(|bytes| String::from_utf8(bytes).expect("text"))
}

/// The words of the events in a text.
fn words(text: &str) -> Vec<&str> {
    let lines = text.lines();
    lines
        .filter_map(|line| line.strip_prefix("event: "))
        .collect()
}

fn tell(server: &Server, kind: Kind, project: Option<Id>, user: Option<Id>) -> Id {
    let subject = Id::random();
    let news = News {
        kind,
        project,
        subject: Some(subject),
        user,
        body: json!({ "id": subject }),
    };
    let at = server.clock.now();
    let told = server
        .app
        .store
        .act(|act| events::tell(&mut **act, &news, at));
    told.expect("the store answers");
    subject
}

fn project(server: &Server) -> Id {
    let id = Id::random();
    let made = server.app.store.act(|act| {
        act.execute(
            "INSERT INTO projects (id, name, rules, state, made_at, made_by) \
             VALUES ($1, $2, '{}', 'open', 0, 'x')",
            &[Cell::from(id), Cell::from(id)],
        )
    });
    made.expect("a project");
    id
}

fn join(server: &Server, project: Id, person: &Person, role: &str) {
    let joined = server.app.store.act(|act| {
        act.execute(
            "INSERT INTO members (project_id, user_id, role, level, asked_by, confirmed_by, at) \
             VALUES ($1, $2, $3, 2, 'x', 'y', 0)",
            &[Cell::from(project), Cell::from(person.id), Cell::from(role)],
        )
    });
    joined.expect("a member");
}

#[test]
fn each_hears_what_their_role_may_know() {
    let server = Server::new();
    let (own, other) = (project(&server), project(&server));
    let roles = ["officer", "steward", "analyst", "operator", "auditor"];
    let people = roles.map(|role| server.signed_in(role));
    for (person, role) in people.iter().zip(roles) {
        join(&server, own, person, role);
    }
    let stranger = server.signed_in("stranger");
    let mut lines: Vec<Live> = people.iter().map(|p| listen(&server, p, None)).collect();
    let mut outside = listen(&server, &stranger, None);
    tell(&server, Kind::Job, Some(own), Some(people[2].id));
    tell(&server, Kind::Job, Some(own), Some(people[1].id));
    tell(&server, Kind::Stream, Some(own), None);
    tell(&server, Kind::Release, Some(own), None);
    // What officers decide; and, with the stream that it is about, what operators look after.
    let at = server.clock.now();
    let decide = |act: &mut Act<'_>| events::tell_inbox(&mut **act, Some(own), at);
    server.app.store.act(decide).expect("the store answers");
    tell(&server, Kind::Inbox, Some(own), None);
    tell(&server, Kind::Job, Some(other), Some(people[2].id));
    let expected: [&[&str]; 5] = [
        &[
            "session", "job", "job", "stream", "release", "inbox", "inbox",
        ],
        &["session", "job", "job", "stream", "release"],
        &["session", "job"],
        &["session", "stream", "inbox"],
        &["session", "job", "job", "stream", "release"],
    ];
    for ((live, expected), role) in lines.iter_mut().zip(expected).zip(roles) {
        let told = next(&server, live).expect("events");
        assert_eq!(words(&told), expected, "{role}: {told}");
    }
    assert_eq!(
        words(&next(&server, &mut outside).expect("events")),
        ["session"]
    );
}

#[test]
fn rights_are_asked_for_each_event() {
    let server = Server::new();
    let project = project(&server);
    let steward = server.signed_in("steward");
    join(&server, project, &steward, "steward");
    let mut live = listen(&server, &steward, None);
    tell(&server, Kind::Job, Some(project), Some(steward.id));
    assert_eq!(
        words(&next(&server, &mut live).expect("events")),
        ["session", "job"]
    );
    let removed = server
        .app
        .store
        .act(|act| act.execute("DELETE FROM members", &[]));
    removed.expect("the store answers");
    tell(&server, Kind::Job, Some(project), Some(steward.id));
    assert_eq!(next(&server, &mut live).as_deref(), Some(""));
}

#[test]
fn who_comes_back_hears_what_they_missed_and_who_missed_too_much_reads_again() {
    let server = Server::new();
    let project = project(&server);
    let steward = server.signed_in("steward");
    join(&server, project, &steward, "steward");
    let mut live = listen(&server, &steward, None);
    let first = tell(&server, Kind::Job, Some(project), Some(steward.id));
    let told = next(&server, &mut live).expect("events");
    assert!(told.contains(&first.to_string()));
    let id = told.lines().find_map(|line| line.strip_prefix("id: "));
    let id = id.expect("an id").to_owned();
    drop(live);
    let second = tell(&server, Kind::Job, Some(project), Some(steward.id));
    let mut live = listen(&server, &steward, Some(&id));
    let told = next(&server, &mut live).expect("events");
    assert!(told.contains(&second.to_string()) && !told.contains(&first.to_string()));
    for id in ["100000", "-5", "x"] {
        let mut live = listen(&server, &steward, Some(id));
        let told = next(&server, &mut live).expect("events");
        assert_eq!(words(&told), ["resync", "session"], "{id}");
    }
}

#[test]
fn events_are_kept_for_a_day_and_no_number_is_given_twice() {
    let server = Server::new();
    let project = project(&server);
    for _ in 0..300 {
        tell(&server, Kind::Job, Some(project), None);
    }
    server.clock.forward(DAY + 1);
    for _ in 0..256 {
        tell(&server, Kind::Job, Some(project), None);
    }
    let numbers = "SELECT MIN(number), MAX(number) FROM events";
    let row = server.app.store.read(|sql| sql.row(numbers, &[]));
    let row = row.expect("a store").expect("a row");
    assert_eq!((row.integer(0), row.integer(1)), (Ok(301), Ok(556)));
}

#[test]
fn a_stream_tells_one_event_a_second() {
    let server = Server::new();
    let project = project(&server);
    let subject = Some(Id::random());
    for _ in 0..30 {
        let news = News {
            kind: Kind::Stream,
            project: Some(project),
            subject,
            user: None,
            body: json!({}),
        };
        let at = server.clock.now();
        let told = server
            .app
            .store
            .act(|act| events::tell(&mut **act, &news, at));
        told.expect("the store answers");
        server.clock.forward(SECOND / 10);
    }
    let count = server
        .app
        .store
        .read(|sql| sql.number("SELECT count(*) FROM events", &[]));
    assert_eq!(count, Ok(3));
}

#[test]
fn silence_is_a_comment_each_15_seconds() {
    let server = Server::new();
    let person = server.signed_in("steward");
    let mut live = listen(&server, &person, None);
    assert_eq!(
        words(&next(&server, &mut live).expect("events")),
        ["session"]
    );
    server.clock.forward(14 * SECOND);
    assert_eq!(next(&server, &mut live).as_deref(), Some(""));
    server.clock.forward(SECOND);
    assert!(
        next(&server, &mut live)
            .expect("a comment")
            .starts_with(": ")
    );
    assert_eq!(next(&server, &mut live).as_deref(), Some(""));
}

#[test]
fn listening_is_no_activity_and_ends_with_the_session() {
    let server = Server::new();
    let person = server.signed_in("steward");
    server.clock.forward(6 * MINUTE);
    let mut live = listen(&server, &person, None);
    let told = next(&server, &mut live).expect("events");
    assert!(
        told.contains(&format!(r#"{{"locks_in":{}}}"#, 4 * MINUTE)),
        "{told}"
    );
    server.clock.forward(4 * MINUTE);
    let told = next(&server, &mut live).expect("the lock");
    assert!(told.contains(r#"{"locks_in":0}"#), "{told}");
    assert_eq!(next(&server, &mut live), None);
}

#[test]
fn events_of_another_process_are_heard_within_a_second() {
    let server = Server::new();
    let project = project(&server);
    let steward = server.signed_in("steward");
    join(&server, project, &steward, "steward");
    let mut live = listen(&server, &steward, None);
    next(&server, &mut live);
    let db: Arc<dyn moretta_server::db::Db> = match &server.postgres {
        Some(postgres) => Arc::new(postgres.open()),
        None => Arc::new(SqliteDb::open(&server.app.settings.data.join("store")).expect("a store")),
    };
    let (clock, settings) = (Clock::standing(0), server.app.settings.clone());
    let other = App::new(Store::open(db).expect("a store"), clock, settings);
    let news = News {
        kind: Kind::Job,
        project: Some(project),
        subject: None,
        user: Some(steward.id),
        body: json!({}),
    };
    let told = other
        .store
        .act(|act| events::tell(&mut **act, &news, server.clock.now()));
    told.expect("the store answers");
    server.clock.forward(SECOND);
    assert_eq!(words(&next(&server, &mut live).expect("events")), ["job"]);
}

#[test]
fn a_wish_is_told_to_the_inbox_of_who_decides() {
    let server = Server::new();
    let (first, second) = (server.admin("first"), server.admin("second"));
    let project = project(&server);
    let officer = server.signed_in("officer");
    join(&server, project, &officer, "officer");
    let mut live = listen(&server, &officer, None);
    let mut aside = listen(&server, &second, None);
    let asked = json!({ "user": server.signed_in("new").id, "role": "officer", "level": null,
                        "ends_at": null, "reason": "leave" });
    let path = format!("/projects/{project}/members");
    server.send(&first, Method::POST, &path, &asked).expect(202);
    let told = next(&server, &mut live).expect("events");
    assert_eq!(words(&told), ["session", "inbox"]);
    assert!(told.contains(r#"{"count":1}"#), "{told}");
    assert_eq!(
        words(&next(&server, &mut aside).expect("events")),
        ["session"]
    );
}
