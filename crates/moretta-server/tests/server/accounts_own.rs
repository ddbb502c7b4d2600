//! The own account: who one is, sessions, tokens, drafts.

use crate::support::{Browser, PASSWORD, Server};
use http::Method;
use moretta_server::clock::DAY;
use moretta_server::db::Value as Cell;
use moretta_server::id::Id;
use serde_json::{Value, json};

fn ana(server: &Server) -> (Id, Browser) {
    let admin = server.admin("first");
    server.invited(&admin, "ana")
}

/// Changes the own account, as somebody who has seen a version.
fn change(
    server: &Server,
    browser: &Browser,
    version: &Value,
    body: &Value,
) -> crate::support::Answered {
    let (cookie, version) = (
        format!("__Host-moretta={}", browser.session),
        version.to_string(),
    );
    let headers = [
        ("cookie", &*cookie),
        ("x-moretta-token", &*browser.token),
        ("sec-fetch-site", "same-origin"),
        ("if-match", &*version),
    ];
    server.ask(Method::PATCH, "/me", &headers, body.to_string().as_bytes())
}

#[test]
fn a_person_is_told_who_they_are_and_what_they_may_do_where() {
    let server = Server::new();
    let admin = server.admin("first");
    let (ana, mut browser) = server.invited(&admin, "ana");
    let project = |name: &str| {
        let made = server.send(&admin, Method::POST, "/projects", &json!({ "name": name }));
        made.expect(201)["id"]
            .as_str()
            .and_then(Id::parse)
            .expect("an id")
    };
    let (ward, shop, once) = (project("ward"), project("shop"), project("once"));
    for (project, role, level, ends) in [
        (ward, "analyst", 2, None),
        (shop, "operator", 0, None),
        (once, "officer", 0, Some(server.clock.now())),
    ] {
        let insert = "INSERT INTO members (project_id, user_id, role, level, ends_at, asked_by, confirmed_by, at) \
                      VALUES ($1, $2, $3, $4, $5, '', 'y', 0)";
        let cells = [
            project.into(),
            ana.into(),
            role.into(),
            Cell::from(level),
            Cell::from(ends),
        ];
        server
            .app
            .store
            .act(|act| act.execute(insert, &cells))
            .expect("a member");
    }
    // A membership that has ended asks for a second factor still, until it is taken away.
    let forget = "DELETE FROM members WHERE role = 'officer'";
    browser.see(&server, "/me").refused(403, "factor-needed");
    browser.set_up_factor(&server);
    let me = browser.see(&server, "/me").expect(200);
    server
        .app
        .store
        .act(|act| act.execute(forget, &[]))
        .expect("none");
    assert_eq!((&me["name"], &me["admin"]), (&json!("ana"), &json!(false)));
    let projects = me["projects"].as_array().expect("projects");
    let told: Vec<_> = projects
        .iter()
        .map(|p| (&p["name"], &p["role"], &p["level"]))
        .collect();
    let (shop, ward) = (
        (json!("shop"), json!("operator")),
        (json!("ward"), json!("analyst")),
    );
    assert_eq!(
        told,
        [
            (&shop.0, &shop.1, &Value::Null),
            (&ward.0, &ward.1, &json!(2))
        ]
    );
    let rights = |of: &Value| {
        let rights = of["rights"].as_array().expect("rights").clone();
        rights
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(rights(&projects[0]).contains(&"streams.run".to_owned()));
    assert!(!rights(&projects[1]).contains(&"streams.run".to_owned()));
    assert!(rights(&projects[1]).contains(&"releases.read".to_owned()));
    assert!(!rights(&projects[1]).contains(&"data.raw".to_owned()));
    assert_eq!(rights(&me), ["signed", "me"]);
    let first = server.see(&admin, "/me").expect(200);
    assert!(rights(&first).contains(&"users".to_owned()));
}

#[test]
fn preferences_are_kept_and_of_two_changes_the_second_reads_again() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    let me = browser.see(&server, "/me").expect(200);
    let body = json!({ "preferences": { "theme": "dark" } });
    change(&server, &browser, &me["version"], &body).expect(200);
    change(&server, &browser, &me["version"], &body).refused(412, "outdated");
    let server = server.restarted();
    let me = browser.see(&server, "/me").expect(200);
    assert_eq!(me["preferences"], json!({ "theme": "dark" }));
    let long = json!({ "preferences": { "a": "x".repeat(20_000) } });
    change(&server, &browser, &me["version"], &long).refused(422, "unusable");
}

#[test]
fn a_new_password_needs_the_one_before() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    let new = "sieben blaue Leitern im Nebel";
    let body = json!({ "password": "wrong", "new": new });
    browser
        .post(&server, "/me/password", &body)
        .refused(401, "wrong");
    let body = json!({ "password": PASSWORD, "new": "ana ana ana ana ana" });
    browser
        .post(&server, "/me/password", &body)
        .refused(422, "weak-password");
    let body = json!({ "password": PASSWORD, "new": new });
    browser.post(&server, "/me/password", &body).expect(200);
    Browser::default()
        .sign_in(&server, "ana", PASSWORD)
        .refused(401, "wrong");
    Browser::default().sign_in(&server, "ana", new).expect(201);
}

#[test]
fn sessions_are_listed_and_ended_one_by_one() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    let mut other = Browser::default();
    other.sign_in(&server, "ana", PASSWORD).expect(201);
    let sessions = browser.see(&server, "/me/sessions").expect(200);
    let sessions = sessions.as_array().expect("sessions");
    assert_eq!(sessions.len(), 2);
    let foreign = sessions
        .iter()
        .find(|session| session["own"] == false)
        .expect("another");
    let path = format!("/me/sessions/{}", foreign["id"].as_str().expect("an id"));
    // Nobody ends the session of somebody else.
    let stranger = server.signed_in("stranger");
    server
        .send(&stranger, Method::DELETE, &path, &Value::Null)
        .refused(404, "not-found");
    browser
        .send(&server, Method::DELETE, &path, &Value::Null)
        .expect(204);
    other.see(&server, "/me").refused(401, "signed-out");
    browser.see(&server, "/me").expect(200);
}

#[test]
fn a_token_has_a_scope_and_ends_after_ninety_days_at_most() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    let now = server.clock.now();
    let make = |browser: &mut Browser, scope: Value, ends: i64| {
        let body = json!({ "name": "nightly", "scope": scope, "ends_at": ends });
        browser.post(&server, "/me/tokens", &body)
    };
    make(&mut browser, json!(["data.upload"]), now + 90 * DAY + 1).refused(422, "unusable");
    make(&mut browser, json!(["data.upload"]), now).refused(422, "unusable");
    // None for raw rows, approvals, grants and the account itself.
    for scope in [
        "data.raw",
        "releases.decide",
        "members.confirm",
        "users",
        "me",
        "nonsense",
    ] {
        make(&mut browser, json!([scope]), now + DAY).refused(422, "unusable");
    }
    let made = make(&mut browser, json!(["signed"]), now + 90 * DAY).expect(201);
    let bearer = format!("Bearer {}", made["secret"].as_str().expect("a secret"));
    let ask =
        |method: Method, path: &str| server.ask(method, path, &[("authorization", &*bearer)], b"");
    ask(Method::GET, "/me").expect(200);
    ask(Method::GET, "/me/tokens").refused(403, "forbidden");
    ask(Method::POST, "/session/lock").refused(403, "forbidden");
    let listed = browser.see(&server, "/me/tokens").expect(200);
    assert_eq!(listed[0]["id"], made["id"]);
    assert!(
        !listed
            .to_string()
            .contains(bearer.trim_start_matches("Bearer "))
    );
    let path = format!("/me/tokens/{}", made["id"].as_str().expect("an id"));
    browser
        .send(&server, Method::DELETE, &path, &Value::Null)
        .expect(204);
    ask(Method::GET, "/me").refused(401, "signed-out");
}

#[test]
fn drafts_are_sealed_and_seen_by_their_writer_alone() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    let draft = json!({ "content": { "text": "canary 7f3a", "k": 5.5 } });
    browser
        .send(&server, Method::PUT, "/me/drafts/policy%20a", &draft)
        .expect(204);
    assert_eq!(
        browser.see(&server, "/me/drafts/policy%20a").expect(200),
        draft
    );
    assert_eq!(
        browser.see(&server, "/me/drafts").expect(200)[0]["name"],
        "policy a"
    );
    let stranger = server.signed_in("stranger");
    server
        .see(&stranger, "/me/drafts/policy%20a")
        .refused(404, "not-found");
    let heap = server.everything();
    assert!(!heap.windows(6).any(|bytes| bytes == b"canary"));
    let long = json!({ "content": "x".repeat(600_000) });
    browser
        .send(&server, Method::PUT, "/me/drafts/b", &long)
        .refused(413, "too-long");
    browser
        .send(
            &server,
            Method::DELETE,
            "/me/drafts/policy%20a",
            &Value::Null,
        )
        .expect(204);
    browser
        .see(&server, "/me/drafts/policy%20a")
        .refused(404, "not-found");
}

#[test]
fn sign_ins_refusals_and_changes_stand_in_the_log() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    browser
        .sign_in(&server, "ana", "wrong")
        .refused(401, "wrong");
    browser.sign_in(&server, "ana", PASSWORD).expect(201);
    browser
        .post(&server, "/session/lock", &Value::Null)
        .expect(204);
    let body = json!({ "password": PASSWORD });
    browser.post(&server, "/session/unlock", &body).expect(200);
    browser.set_up_factor(&server);
    browser
        .send(&server, Method::DELETE, "/session", &Value::Null)
        .expect(204);
    let expected = [
        "user.invite",
        "link.use",
        "session.begin",
        "session.begin",
        "session.begin",
        "session.lock",
        "session.unlock",
        "me.factor-begin",
        "me.factor",
        "session.end",
    ];
    assert_eq!(server.acts(), expected);
    let refused = "SELECT entry FROM audit WHERE number = 4";
    let row = server
        .app
        .store
        .read(|sql| sql.row(refused, &[]))
        .expect("the log")
        .expect("an entry");
    let entry: Value = serde_json::from_str(row.text(0).expect("a text")).expect("an entry");
    assert_eq!(entry["refused"], true);
    assert_eq!(entry["facts"], json!({ "guess": "1", "wrong": "password" }));
}
