//! Nobody, administrators included, reaches data alone or through an account that they control.

use crate::support::{Browser, Kind, PASSWORD, Person, Server};
use http::Method;
use moretta_server::account::set_factor;
use moretta_server::clock::MINUTE;
use moretta_server::db::Value as Cell;
use moretta_server::id::Id;
use serde_json::{Value, json};

/// Two administrators who began on their own, a project, and an officer of it with a second factor.
struct Ward {
    server: Server,
    first: Person,
    second: Person,
    project: Id,
    officer: Person,
}

impl Ward {
    fn new() -> Self {
        Ward::with(true)
    }

    fn with(four_eyes: bool) -> Self {
        let server = Server::with(|settings| settings.four_eyes = four_eyes);
        let (first, second) = (server.admin("first"), server.admin("second"));
        let project = server.send(
            &first,
            Method::POST,
            "/projects",
            &json!({ "name": "ward 7" }),
        );
        let project = project.expect(201)["id"].as_str().and_then(Id::parse);
        let officer = server.signed_in("officer");
        let ward = Ward {
            server,
            first,
            second,
            project: project.expect("an id"),
            officer,
        };
        ward.member(ward.officer.id, "officer", 0);
        ward
    }

    fn member(&self, user: Id, role: &str, level: i64) {
        let insert = "INSERT INTO members (project_id, user_id, role, level, asked_by, confirmed_by, at) \
                      VALUES ($1, $2, $3, $4, '', 'y', 0)";
        let cells = [
            self.project.into(),
            user.into(),
            role.into(),
            Cell::from(level),
        ];
        self.server
            .app
            .store
            .act(|act| act.execute(insert, &cells))
            .expect("a member");
    }

    fn change(&self, by: &Person, user: Id, body: &Value) -> crate::support::Answered {
        let path = format!("/users/{user}");
        let version = self.server.see(by, &path).expect(200)["version"].to_string();
        let cookie = by.cookie();
        let headers = [
            ("cookie", &*cookie),
            ("x-moretta-token", &*by.token),
            ("sec-fetch-site", "same-origin"),
            ("if-match", &*version),
        ];
        self.server
            .ask(Method::PATCH, &path, &headers, body.to_string().as_bytes())
    }

    fn decide(&self, by: &Person, wish: &Value, grant: bool) -> crate::support::Answered {
        let path = format!("/wishes/{}/decision", wish.as_str().expect("a wish"));
        self.server
            .send(by, Method::POST, &path, &json!({ "grant": grant }))
    }

    fn user(&self, id: Id) -> Value {
        self.server
            .see(&self.first, &format!("/users/{id}"))
            .expect(200)
    }
}

#[test]
fn another_administrator_waits_for_a_second_person_with_an_independent_account() {
    let ward = Ward::new();
    let server = &ward.server;
    let (ana, _) = server.invited(&ward.first, "ana");
    let (own, _) = server.invited(&ward.first, "accomplice");
    let make = "UPDATE users SET admin = 1, factor = $1 WHERE id = $2";
    let cells = [Cell::from(vec![0_u8]), Cell::from(own)];
    server
        .app
        .store
        .act(|act| act.execute(make, &cells))
        .expect("an administrator");
    let accomplice = server.again(own, "accomplice", true);

    ward.change(&ward.first, ana, &json!({ "admin": true }))
        .refused(422, "unusable");
    let asked = json!({ "admin": true, "reason": "takes over in June" });
    let wish = ward.change(&ward.first, ana, &asked).expect(200)["wish"].clone();
    assert_eq!(ward.user(ana)["admin"], false);
    let waiting = server.see(&ward.second, "/wishes").expect(200);
    assert_eq!(waiting[0]["id"], wish);
    assert_eq!(waiting[0]["kind"], "admin");
    ward.change(&ward.first, ana, &asked).refused(409, "asked");
    // Neither who asked nor somebody whom they have invited.
    ward.decide(&ward.first, &wish, true)
        .refused(403, "second-person");
    ward.decide(&accomplice, &wish, true)
        .refused(403, "second-person");
    ward.decide(&ward.second, &wish, true).expect(204);
    ward.decide(&ward.second, &wish, true)
        .refused(409, "decided");
    assert_eq!(ward.user(ana)["admin"], true);
}

#[test]
fn whoever_is_a_member_of_a_project_does_not_administer() {
    let ward = Ward::new();
    let asked = json!({ "admin": true, "reason": "takes over" });
    ward.change(&ward.first, ward.officer.id, &asked)
        .refused(409, "member");
    // Also not when the membership began while the wish was waiting.
    let (ana, _) = ward.server.invited(&ward.first, "ana");
    let wish = ward.change(&ward.first, ana, &asked).expect(200)["wish"].clone();
    ward.member(ana, "steward", 0);
    ward.decide(&ward.second, &wish, true)
        .refused(409, "member");
    assert_eq!(ward.user(ana)["admin"], false);
}

#[test]
fn a_new_second_factor_of_who_reads_data_or_administers_waits_for_a_second_person() {
    let ward = Ward::new();
    let server = &ward.server;
    let (raw, _) = server.invited(&ward.first, "raw");
    ward.member(raw, "analyst", 1);
    for user in [ward.officer.id, raw, ward.second.id] {
        set_factor(&server.app, user, b"12345678901234567890").expect("a factor");
        let path = format!("/users/{user}/factor-removal");
        let body = json!({ "reason": "lost phone" });
        let asked = server
            .send(&ward.first, Method::POST, &path, &body)
            .expect(202);
        assert_eq!(asked["state"], "waiting");
        assert_eq!(ward.user(user)["has_factor"], true);
        ward.decide(&ward.first, &asked["wish"], true)
            .refused(403, "second-person");
        match user == ward.second.id {
            // Nobody grants what they get.
            true => ward
                .decide(&ward.second, &asked["wish"], true)
                .refused(403, "second-person"),
            false => {
                ward.decide(&ward.second, &asked["wish"], true).expect(204);
                assert_eq!(ward.user(user)["has_factor"], false);
            }
        }
    }
    server.see(&ward.officer, "/me").refused(401, "signed-out");
    // Who reads nothing finer than what was released gets it from one administrator.
    let (ana, mut browser) = server.invited(&ward.first, "ana");
    browser.set_up_factor(server);
    let path = format!("/users/{ana}/factor-removal");
    let done = server
        .send(
            &ward.first,
            Method::POST,
            &path,
            &json!({ "reason": "lost" }),
        )
        .expect(202);
    assert_eq!(done["state"], "removed");
    browser.see(server, "/me").refused(401, "signed-out");
}

#[test]
fn a_link_for_who_must_have_a_second_factor_and_has_none_waits_for_a_second_person() {
    let ward = Ward::new();
    let server = &ward.server;
    let (ana, _) = server.invited(&ward.first, "ana");
    ward.member(ana, "officer", 0);
    let path = format!("/users/{ana}/link");
    let body = json!({ "reason": "lost" });
    let handed = server
        .send(&ward.first, Method::POST, &path, &body)
        .expect(201);
    let use_link = |handed: &Value| {
        let body = json!({ "link": handed["link"], "password": "sieben blaue Leitern im Nebel" });
        server.knock(Method::POST, "/links/use", &body)
    };
    use_link(&handed).refused(409, "waiting");
    ward.decide(&ward.second, &handed["wish"], false)
        .expect(204);
    use_link(&handed).refused(404, "link-over");
    let handed = server
        .send(&ward.first, Method::POST, &path, &body)
        .expect(201);
    ward.decide(&ward.second, &handed["wish"], true).expect(204);
    use_link(&handed).expect(201);
}

#[test]
fn who_is_alone_decides_alone_and_the_log_says_so() {
    let ward = Ward::with(false);
    let (ana, _) = ward.server.invited(&ward.first, "ana");
    let asked = json!({ "admin": true, "reason": "takes over" });
    let changed = ward.change(&ward.first, ana, &asked).expect(200);
    assert_eq!(
        (&changed["wish"], &changed["user"]["admin"]),
        (&Value::Null, &json!(true))
    );
    let last = "SELECT entry FROM audit ORDER BY number DESC LIMIT 1";
    let row = ward
        .server
        .app
        .store
        .read(|sql| sql.row(last, &[]))
        .expect("the log")
        .expect("an entry");
    assert!(row.text(0).expect("a text").contains("four_eyes is off"));
}

#[test]
fn nobody_confirms_without_a_fresh_second_factor() {
    let ward = Ward::new();
    let (ana, _) = ward.server.invited(&ward.first, "ana");
    let asked = json!({ "admin": true, "reason": "takes over" });
    let wish = ward.change(&ward.first, ana, &asked).expect(200)["wish"].clone();
    let stale = ward.server.again(ward.second.id, "second", false);
    ward.decide(&stale, &wish, true).refused(403, "step-up");
}

#[test]
fn an_invited_person_becomes_officer_after_they_have_accepted() {
    let ward = Ward::new();
    let server = &ward.server;
    let made = server
        .send(
            &ward.first,
            Method::POST,
            "/users",
            &json!({ "name": "new" }),
        )
        .expect(201);
    let path = format!("/projects/{}/members", ward.project);
    let ask = |role: &str, level: Value| {
        let body = json!({ "user": made["user"], "role": role, "level": level, "ends_at": null, "reason": "new" });
        server.send(&ward.first, Method::POST, &path, &body)
    };
    ask("officer", Value::Null).refused(409, "invited");
    ask("analyst", json!(2)).expect(202);
}

#[test]
fn the_only_administrator_stays_and_nobody_disables_themselves() {
    let server = Server::new();
    let first = server.admin("first");
    let send = |method: Method, path: &str| server.send(&first, method, path, &Value::Null);
    send(Method::POST, &format!("/users/{}/disable", first.id)).refused(409, "own-account");
    send(Method::DELETE, &format!("/users/{}", first.id)).refused(409, "own-account");
    let second = server.admin("second");
    send(Method::POST, &format!("/users/{}/disable", second.id)).expect(204);
    let cookie = first.cookie();
    let headers = [
        ("cookie", &*cookie),
        ("x-moretta-token", &*first.token),
        ("sec-fetch-site", "same-origin"),
        ("if-match", "1"),
    ];
    let path = format!("/users/{}", first.id);
    let dismissed = server.ask(Method::PATCH, &path, &headers, br#"{"admin":false}"#);
    dismissed.refused(409, "last-admin");
}

#[test]
fn the_acts_of_a_deleted_user_stay_in_the_log_under_a_number_and_nothing_else_stays() {
    let ward = Ward::new();
    let server = &ward.server;
    let (ana, mut browser) = server.invited(&ward.first, "Ana Canary");
    ward.member(ana, "steward", 0);
    browser.set_up_factor(server);
    let ends = server.clock.now() + MINUTE;
    let token = json!({ "name": "canary token", "scope": ["data.upload"], "ends_at": ends });
    browser.post(server, "/me/tokens", &token).expect(201);
    let draft = json!({ "content": "x" });
    browser
        .send(server, Method::PUT, "/me/drafts/canary draft", &draft)
        .expect(204);
    let number = ward.user(ana)["number"].clone();
    let path = format!("/users/{ana}");
    server
        .send(&ward.first, Method::DELETE, &path, &Value::Null)
        .expect(204);
    server
        .send(&ward.first, Method::DELETE, &path, &Value::Null)
        .refused(404, "not-found");
    browser.see(server, "/session").refused(401, "signed-out");
    browser
        .sign_in(server, "ana canary", PASSWORD)
        .refused(401, "wrong");

    let user = ward.user(ana);
    assert_eq!(
        (&user["state"], &user["name"], &user["number"]),
        (&json!("deleted"), &Value::Null, &number)
    );
    let count = |table: &str| {
        let query = format!("SELECT count(*) FROM {table} WHERE user_id = $1");
        server
            .app
            .store
            .read(|sql| sql.number(&query, &[Cell::from(ana)]))
    };
    for table in [
        "sessions", "tokens", "devices", "recovery", "links", "drafts", "members", "repeats",
    ] {
        assert_eq!(count(table), Ok(0), "{table}");
    }
    let rows = ["users", "audit", "tokens", "drafts", "wishes"].map(|table| {
        let rows = server
            .app
            .store
            .read(|sql| sql.query(&format!("SELECT * FROM {table}"), &[]));
        format!("{:?}", rows.expect("rows"))
    });
    assert!(!rows.concat().to_lowercase().contains("canary"));
    let acts = "SELECT count(*) FROM audit WHERE actor = $1";
    let acts = server
        .app
        .store
        .read(|sql| sql.number(acts, &[Cell::from(number.as_i64().expect("a number"))]));
    assert!(acts.expect("a number") >= 3);
    assert!(
        server.acts().iter().any(|act| act == "member.end"),
        "nobody reads the project any more"
    );
    // The name is free, for another account with another number.
    let again = server.send(
        &ward.first,
        Method::POST,
        "/users",
        &json!({ "name": "ana canary" }),
    );
    assert_ne!(again.expect(201)["user"], json!(ana));
}

#[test]
fn users_are_for_administrators_alone() {
    let ward = Ward::new();
    let auditor = ward.server.person(
        "auditor",
        Kind {
            auditor: true,
            factor: true,
            ..Kind::default()
        },
    );
    for person in [&ward.officer, &auditor] {
        ward.server.see(person, "/users").refused(403, "forbidden");
        ward.server.see(person, "/wishes").refused(403, "forbidden");
        let mut browser = Browser::of(person);
        browser
            .post(&ward.server, "/users", &json!({ "name": "x" }))
            .refused(403, "forbidden");
    }
}

impl Ward {
    fn ask_member(&self, user: Id, role: &str) -> crate::support::Answered {
        let path = format!("/projects/{}/members", self.project);
        let body =
            json!({ "user": user, "role": role, "level": null, "ends_at": null, "reason": "new" });
        self.server.send(&self.first, Method::POST, &path, &body)
    }

    fn decide_member(&self, by: &Person, wish: &Value, grant: bool) -> crate::support::Answered {
        let wish = wish.as_str().expect("a wish");
        let path = format!("/projects/{}/wishes/{wish}/decision", self.project);
        self.server
            .send(by, Method::POST, &path, &json!({ "grant": grant }))
    }

    /// Somebody whom the first administrator has invited and who administers, too.
    fn accomplice(&self) -> Person {
        let (own, _) = self.server.invited(&self.first, "accomplice");
        let make = "UPDATE users SET admin = 1, factor = $1 WHERE id = $2";
        let cells = [Cell::from(vec![0_u8]), Cell::from(own)];
        let made = self.server.app.store.act(|act| act.execute(make, &cells));
        made.expect("an administrator");
        self.server.again(own, "accomplice", true)
    }

    fn acts(&self, what: &str) -> usize {
        let acts = self.server.acts();
        acts.iter().filter(|act| *act == what).count()
    }
}

#[test]
fn nobody_makes_a_steward_or_an_auditor_of_a_project_alone() {
    let ward = Ward::new();
    let server = &ward.server;
    let accomplice = ward.accomplice();
    for (name, role) in [("sock", "steward"), ("eyes", "auditor")] {
        let (sock, mut browser) = server.invited(&ward.first, name);
        let link = server
            .send(
                &ward.first,
                Method::POST,
                &format!("/users/{sock}/link"),
                &json!({ "reason": "for later" }),
            )
            .expect(201);
        let asked = ward.ask_member(sock, role).expect(202);
        assert_eq!(asked["state"], "waiting", "{role}");
        let path = format!("/projects/{}/requests", ward.project);
        browser.see(server, &path).refused(404, "no-such-project");
        for own in [&ward.first, &accomplice] {
            ward.decide_member(own, &asked["wish"], true)
                .refused(403, "second-person");
        }
        ward.decide_member(&ward.second, &asked["wish"], true)
            .expect(204);
        // What one administrator has handed out before is worth nothing, and so is a password alone.
        let body = json!({ "link": link["link"], "password": "sieben blaue Leitern im Nebel" });
        server
            .knock(Method::POST, "/links/use", &body)
            .refused(404, "link-over");
        browser.see(server, &path).refused(403, "factor-needed");
        let handed = server
            .send(
                &ward.first,
                Method::POST,
                &format!("/users/{sock}/link"),
                &json!({ "reason": "lost" }),
            )
            .expect(201);
        let body = json!({ "link": handed["link"], "password": "sieben blaue Leitern im Nebel" });
        server
            .knock(Method::POST, "/links/use", &body)
            .refused(409, "waiting");
        set_factor(&server.app, sock, b"12345678901234567890").expect("a factor");
        let removal = server
            .send(
                &ward.first,
                Method::POST,
                &format!("/users/{sock}/factor-removal"),
                &json!({ "reason": "lost" }),
            )
            .expect(202);
        assert_eq!(removal["state"], "waiting", "{role}");
    }
    // Officers confirm as well.
    let (sam, _) = server.invited(&ward.first, "sam");
    let asked = ward.ask_member(sam, "steward").expect(202);
    ward.decide_member(&ward.officer, &asked["wish"], true)
        .expect(204);
    let alone = Ward::with(false);
    let (sam, _) = alone.server.invited(&alone.first, "sam");
    assert_eq!(
        alone.ask_member(sam, "steward").expect(202)["state"],
        "granted"
    );
}

#[test]
fn an_officer_whom_one_person_has_made_confirms_nothing_until_a_second_one_has_confirmed_them() {
    let ward = Ward::new();
    let server = &ward.server;
    let (own, _) = server.invited(&ward.first, "own");
    let insert = "INSERT INTO members (project_id, user_id, role, level, asked_by, confirmed_by, at) \
                  VALUES ($1, $2, 'officer', 0, $3, $3, 0)";
    let cells = [ward.project.into(), own.into(), Cell::from(ward.first.id)];
    let made = server.app.store.act(|act| act.execute(insert, &cells));
    made.expect("an officer, while four_eyes was off");
    set_factor(&server.app, own, b"12345678901234567890").expect("a factor");
    let officer = server.again(own, "own", true);
    let (sock, _) = server.invited(&ward.first, "sock");
    let wish = ward.ask_member(sock, "steward").expect(202)["wish"].clone();
    ward.decide_member(&officer, &wish, true)
        .refused(403, "second-person");
    let again = ward.ask_member(own, "officer").expect(202)["wish"].clone();
    ward.decide_member(&ward.second, &again, true).expect(204);
    ward.decide_member(&officer, &wish, true).expect(204);
}

#[test]
fn nobody_audits_everything_by_the_word_of_one_administrator() {
    let ward = Ward::new();
    let server = &ward.server;
    let (eyes, mut browser) = server.invited(&ward.first, "eyes");
    let asked = json!({ "auditor": true, "reason": "audits the year" });
    ward.change(&ward.first, eyes, &json!({ "auditor": true }))
        .refused(422, "unusable");
    ward.change(&ward.first, ward.first.id, &asked)
        .refused(409, "own-account");
    let both = json!({ "auditor": true, "admin": true, "reason": "both" });
    ward.change(&ward.first, eyes, &both)
        .refused(422, "unusable");
    let wish = ward.change(&ward.first, eyes, &asked).expect(200)["wish"].clone();
    assert_eq!(ward.user(eyes)["auditor"], false);
    browser.see(server, "/audit").refused(403, "forbidden");
    ward.decide(&ward.first, &wish, true)
        .refused(403, "second-person");
    ward.decide(&ward.second, &wish, true).expect(204);
    assert_eq!(ward.user(eyes)["auditor"], true);
    browser.see(server, "/audit").refused(403, "factor-needed");
    // It ends by the word of one.
    let ended = ward.change(&ward.first, eyes, &json!({ "auditor": false }));
    assert_eq!(ended.expect(200)["user"]["auditor"], false);

    // Who is invited as one is none before a second person knows them.
    let invited = json!({ "name": "later", "auditor": true });
    let handed = server
        .send(&ward.first, Method::POST, "/users", &invited)
        .expect(201);
    let id = handed["user"].as_str().and_then(Id::parse).expect("an id");
    assert_eq!(ward.user(id)["auditor"], false);
    ward.decide(&ward.second, &handed["wish"], true)
        .refused(409, "not-active");
    let alone = Ward::with(false);
    let handed = alone
        .server
        .send(&alone.first, Method::POST, "/users", &invited)
        .expect(201);
    let id = handed["user"].as_str().and_then(Id::parse).expect("an id");
    assert_eq!(
        (&alone.user(id)["auditor"], &handed["wish"]),
        (&json!(true), &Value::Null)
    );
}

#[test]
fn administrators_have_no_part_in_rules_and_what_was_tightened_meanwhile_stays() {
    let ward = Ward::new();
    let server = &ward.server;
    let other = server.signed_in("another officer");
    ward.member(other.id, "officer", 0);
    let path = format!("/projects/{}/rules", ward.project);
    let put = |rules: &Value| {
        let cookie = ward.officer.cookie();
        let version = server.see(&ward.officer, &path);
        let version = version.headers.iter().find(|(name, _)| name == "etag");
        let version = version.expect("a version").1.clone();
        let headers = [
            ("cookie", &*cookie),
            ("x-moretta-token", &*ward.officer.token),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
            ("if-match", &*version),
        ];
        let answered = server.ask(Method::PUT, &path, &headers, rules.to_string().as_bytes());
        answered.expect(202)
    };
    // Without a word, k is 5 and a policy promises something: less needs a second person.
    for looser in [
        json!({ "least_k": { "2": 4 } }),
        json!({ "unpromised": true }),
    ] {
        assert_eq!(put(&looser)["state"], "waiting", "{looser}");
    }
    let wish = put(&json!({ "least_k": { "2": 3 } }))["wish"].clone();
    let wishes = format!("/projects/{}/wishes", ward.project);
    let seen = server.see(&ward.second, &wishes).expect(200);
    assert_eq!(seen, json!([]));
    assert_eq!(server.see(&other, &wishes).expect(200)[2]["id"], wish);
    for grant in [true, false] {
        ward.decide_member(&ward.second, &wish, grant)
            .refused(403, "forbidden");
    }
    assert_eq!(put(&json!({ "least_k": { "2": 10 } }))["state"], "changed");
    ward.decide_member(&other, &wish, true)
        .refused(409, "rules-changed");
    let now = server.see(&other, &path).expect(200);
    assert_eq!(now["least_k"], json!({ "2": 10 }));
    ward.decide_member(&other, &wish, false).expect(204);
    let wish = put(&json!({ "least_k": { "2": 3 } }))["wish"].clone();
    ward.decide_member(&other, &wish, true).expect(204);
    let now = server.see(&other, &path).expect(200);
    assert_eq!(now["least_k"], json!({ "2": 3 }));
    assert_eq!(ward.acts("rules.grant"), 1);
}

#[test]
fn who_could_read_on_a_day_could_sign_in_on_it() {
    let ward = Ward::new();
    let server = &ward.server;
    let (ana, _) = server.invited(&ward.first, "ana");
    let wish = ward.ask_member(ana, "steward").expect(202)["wish"].clone();
    ward.decide_member(&ward.second, &wish, true).expect(204);
    let mut days = vec![server.clock.now()];
    for act in ["disable", "enable"] {
        server.clock.forward(MINUTE);
        let path = format!("/users/{ana}/{act}");
        server
            .send(&ward.first, Method::POST, &path, &Value::Null)
            .expect(204);
        days.push(server.clock.now());
    }
    let reads: Vec<bool> = days
        .iter()
        .map(|at| {
            let path = format!("/projects/{}/readers?at={at}", ward.project);
            let readers = server.see(&ward.officer, &path).expect(200);
            let mut readers = readers.as_array().expect("readers").iter();
            readers.any(|reader| reader["user"] == json!(ana))
        })
        .collect();
    assert_eq!(reads, [true, false, true]);
}

#[test]
fn a_token_of_who_had_the_account_before_is_worth_nothing() {
    let ward = Ward::new();
    let server = &ward.server;
    let link = |user: Id| {
        let path = format!("/users/{user}/link");
        let handed = server.send(
            &ward.first,
            Method::POST,
            &path,
            &json!({ "reason": "lost" }),
        );
        handed.expect(201)["link"].clone()
    };
    let token = |browser: &mut Browser| {
        let ends = server.clock.now() + MINUTE * 60;
        let body = json!({ "name": "x", "scope": ["releases"], "ends_at": ends });
        let made = browser.post(server, "/me/tokens", &body).expect(201);
        format!("Bearer {}", made["secret"].as_str().expect("a secret"))
    };
    let path = format!(
        "/projects/{}/releases/{}/levels/2/rows",
        ward.project, ward.project
    );
    let ask = |bearer: &str| server.ask(Method::GET, &path, &[("authorization", bearer)], b"");
    // An administrator uses the link of somebody who reads nothing yet, and then hands out another one.
    let (bob, _) = server.invited(&ward.first, "bob");
    let mut taken = Browser::default();
    let body = json!({ "link": link(bob), "password": PASSWORD });
    taken.post(server, "/links/use", &body).expect(201);
    let bearer = token(&mut taken);
    ask(&bearer).refused(404, "no-such-project");
    let mut own = Browser::default();
    let body = json!({ "link": link(bob), "password": "sieben blaue Leitern im Nebel" });
    own.post(server, "/links/use", &body).expect(201);
    ask(&bearer).refused(401, "signed-out");
    // Whoever sees what nobody has approved begins without tokens, and with a second factor.
    let bearer = token(&mut own);
    let asked = ward.ask_member(bob, "steward").expect(202);
    ward.decide_member(&ward.second, &asked["wish"], true)
        .expect(204);
    ask(&bearer).refused(401, "signed-out");
    let (carl, mut browser) = server.invited(&ward.first, "carl");
    let bearer = token(&mut browser);
    ward.member(carl, "steward", 0);
    ask(&bearer).refused(403, "factor-needed");
    set_factor(&server.app, carl, b"12345678901234567890").expect("a factor");
    ask(&bearer).refused(404, "not-found");
}

#[test]
fn who_is_a_member_no_more_is_not_made_one_again_by_what_waited() {
    let ward = Ward::new();
    let (bob, _) = ward.server.invited(&ward.first, "bob");
    ward.member(bob, "analyst", 3);
    let asked = ward.ask_member(bob, "steward").expect(202);
    let path = format!("/projects/{}/members/{bob}", ward.project);
    ward.server
        .send(&ward.first, Method::DELETE, &path, &Value::Null)
        .expect(204);
    ward.decide_member(&ward.second, &asked["wish"], true)
        .refused(409, "decided");
    let waits = format!("/projects/{}/wishes", ward.project);
    assert_eq!(
        ward.server.see(&ward.officer, &waits).expect(200),
        json!([])
    );
}
