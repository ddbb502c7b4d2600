//! Passwords, guesses and second factors.

use crate::support::{Browser, Kind, PASSWORD, Server};
use http::Method;
use moretta_server::account::{set_factor, totp};
use moretta_server::clock::{MINUTE, SECOND};
use moretta_server::db::Value as Cell;
use moretta_server::id::Id;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const SECRET: &[u8] = b"12345678901234567890";

fn code(server: &Server) -> String {
    totp::code(SECRET, totp::step(server.clock.now()))
}

/// The hash of the password of a user.
fn stored_hash(server: &Server, user: Id) -> String {
    let query = "SELECT password FROM users WHERE id = $1";
    let row = server
        .app
        .store
        .read(|sql| sql.row(query, &[Cell::from(user)]));
    let row = row.expect("the store").expect("a user");
    row.text(0).expect("a hash").to_owned()
}

#[test]
fn passwords_are_kept_by_argon2id_over_19_mib_in_two_passes_and_easy_ones_are_refused() {
    let server = Server::new();
    let admin = server.admin("first");
    let made = server.send(&admin, Method::POST, "/users", &json!({ "name": "Ana" }));
    let link = made.expect(201)["link"].clone();
    for password in [
        "short 7#kQ",
        "Password1234!",
        "ana ana ana ana",
        "moretta-hospital",
        &"7#kQz".repeat(26),
    ] {
        let body = json!({ "link": link, "password": password });
        let refused = server.knock(Method::POST, "/links/use", &body);
        refused.refused(422, "weak-password");
    }
    // A password that is refused does not use the link up, and costs no hash.
    assert_eq!(server.app.gate.runs(), 0);
    let body = json!({ "link": link, "password": PASSWORD });
    let used = server.knock(Method::POST, "/links/use", &body).expect(201);
    let user = used["user"].as_str().and_then(Id::parse).expect("an id");
    let hash = stored_hash(&server, user);
    let parts: Vec<&str> = hash.split('$').collect();
    assert_eq!(parts[..4], ["", "argon2id", "v=19", "m=19456,t=2,p=1"]);
    // 16 bytes of salt and 32 of hash.
    assert_eq!((parts[4].len(), parts[5].len()), (22, 43));
}

/// By counts and not by times: hashes at a time are bounded, who comes too much is turned away at no
/// cost, and all other pages are answered while the flood lasts.
#[test]
fn a_flood_of_sign_ins_leaves_other_pages_free() {
    const FLOOD: usize = 1000;
    // As many as the server answers at a time.
    const AT_ONCE: usize = 128;
    let server = Server::with(|settings| settings.limits.calls = (1_000_000, 1_000_000));
    let reader = server.signed_in("reader");
    let left = AtomicUsize::new(FLOOD);
    let (statuses, pages) = std::thread::scope(|scope| {
        let (server, left) = (&server, &left);
        let flood: Vec<_> = (0..AT_ONCE)
            .map(|first| {
                let one = move |n: usize| {
                    let name = format!("nobody {n}");
                    let status = Browser::default().sign_in(server, &name, PASSWORD).status;
                    left.fetch_sub(1, Ordering::SeqCst);
                    status
                };
                let all = (first..FLOOD).step_by(AT_ONCE);
                scope.spawn(move || all.map(one).collect::<Vec<_>>())
            })
            .collect();
        let mut pages = 0;
        while left.load(Ordering::SeqCst) > 0 {
            server.ask(Method::GET, "/health", &[], b"").expect(200);
            server.see(&reader, "/projects").expect(200);
            pages += 1;
        }
        let statuses = flood
            .into_iter()
            .flat_map(|one| one.join().expect("no panic"));
        (statuses.collect::<Vec<_>>(), pages)
    });
    let count = |status| statuses.iter().filter(|found| **found == status).count();
    assert_eq!(count(401) + count(503), FLOOD, "{statuses:?}");
    assert!(count(503) > 0, "the queue is short");
    assert!(pages > 0);
    // Who is turned away at the gate has cost no hash, and has used up no guess.
    assert_eq!(server.app.gate.runs(), count(401) as u64);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    assert!((1..=cores).contains(&server.app.gate.most()));
}

#[test]
fn known_and_unknown_users_are_told_the_same_after_the_same_work() {
    let server = Server::new();
    let admin = server.admin("first");
    server.invited(&admin, "ana");
    let (gone, _) = server.invited(&admin, "gone");
    let path = format!("/users/{gone}/disable");
    server
        .send(&admin, Method::POST, &path, &Value::Null)
        .expect(204);
    // Who was invited and has no password yet.
    server
        .send(&admin, Method::POST, "/users", &json!({ "name": "new" }))
        .expect(201);
    let ask = |name: &str| {
        let (runs, acts) = (server.app.gate.runs(), server.acts().len());
        let answered = Browser::default().sign_in(&server, name, "wrong horse battery staple");
        let work = (server.app.gate.runs() - runs, server.acts().len() - acts);
        (
            answered.status,
            answered.code,
            answered.headers,
            answered.body,
            work,
        )
    };
    let known = ask("ana");
    assert_eq!((known.0, known.4), (401, (1, 1)));
    for name in ["nobody", "gone", "new"] {
        assert_eq!(ask(name), known, "{name}");
    }
    // A disabled user is told no more when the password is right.
    let right = Browser::default().sign_in(&server, "gone", PASSWORD);
    assert_eq!((right.status, right.body), (known.0, known.3));
}

#[test]
fn ten_wrong_guesses_lock_an_account_for_a_quarter_of_an_hour_unlock_and_second_factor_included() {
    let server = Server::new();
    let admin = server.admin("first");
    let (ana, mut home) = server.invited(&admin, "ana");
    let mut outside = Browser::default();
    // A device that has signed in counts apart; one that has not shares the count of all strangers.
    for n in 0..10 {
        let wrong = if n % 2 == 0 { "wrong" } else { "wrong as well" };
        outside.sign_in(&server, "ana", wrong).refused(401, "wrong");
    }
    outside
        .sign_in(&server, "ana", PASSWORD)
        .refused(429, "too-many-guesses");
    Browser::default()
        .sign_in(&server, "Ana", PASSWORD)
        .refused(429, "too-many-guesses");
    let server = server.restarted();
    outside
        .sign_in(&server, "ana", PASSWORD)
        .refused(429, "too-many-guesses");
    home.sign_in(&server, "ana", PASSWORD).expect(201);
    server.clock.forward(15 * MINUTE - 1);
    outside
        .sign_in(&server, "ana", PASSWORD)
        .refused(429, "too-many-guesses");
    server.clock.forward(1);
    outside.sign_in(&server, "ana", PASSWORD).expect(201);

    // Unlock, step-up and second factor draw on the same ten.
    set_factor(&server.app, ana, SECRET).expect("a factor");
    home.sign_in(&server, "ana", PASSWORD).expect(201);
    for n in 0..9 {
        match n % 2 {
            0 => home.post(&server, "/session/unlock", &json!({ "password": "wrong" })),
            _ => home.post(&server, "/session/factor", &json!({ "code": "12345" })),
        }
        .refused(401, "wrong");
    }
    home.sign_in(&server, "ana", "wrong").refused(401, "wrong");
    home.sign_in(&server, "ana", PASSWORD)
        .refused(429, "too-many-guesses");
    home.post(&server, "/session/unlock", &json!({ "password": PASSWORD }))
        .refused(429, "too-many-guesses");
    let right = json!({ "code": code(&server) });
    home.post(&server, "/session/factor", &right)
        .refused(429, "too-many-guesses");
}

#[test]
fn a_hundred_guesses_at_once_are_ten() {
    let server = Server::new();
    let admin = server.admin("first");
    let (ana, _) = server.invited(&admin, "ana");
    set_factor(&server.app, ana, SECRET).expect("a factor");
    let mut browser = Browser::default();
    browser.sign_in(&server, "ana", PASSWORD).expect(201);
    let statuses = std::thread::scope(|scope| {
        let (server, browser) = (&server, &browser);
        let tries: Vec<_> = (0..50)
            .map(|n| {
                let body = json!({ "code": format!("wrong{n}") });
                scope.spawn(move || {
                    browser
                        .clone()
                        .post(server, "/session/factor", &body)
                        .status
                })
            })
            .collect();
        tries
            .into_iter()
            .map(|one| one.join().expect("no panic"))
            .collect::<Vec<_>>()
    });
    let count = |status| statuses.iter().filter(|found| **found == status).count();
    assert_eq!((count(401), count(429)), (10, 40), "{statuses:?}");
}

#[test]
fn a_code_counts_once_and_a_recovery_code_as_well() {
    let server = Server::new();
    let admin = server.admin("first");
    let (_, mut browser) = server.invited(&admin, "ana");
    let (secret, recovery) = browser.set_up_factor(&server);
    assert_eq!(recovery.len(), 10);
    // The code by which it was set up is used up, too.
    let mut other = Browser::default();
    let waiting = other.sign_in(&server, "ana", PASSWORD).expect(201);
    assert_eq!(waiting["state"], "waiting");
    other.see(&server, "/me").refused(401, "second-factor");
    let now = totp::code(&secret, totp::step(server.clock.now()));
    other
        .post(&server, "/session/factor", &json!({ "code": now }))
        .refused(401, "wrong");
    server.clock.forward(30 * SECOND);
    let next = json!({ "code": totp::code(&secret, totp::step(server.clock.now())) });
    let full = other.post(&server, "/session/factor", &next).expect(200);
    assert_eq!(full["state"], "full");
    other.see(&server, "/me").expect(200);
    // A replay, in another session and over a restart.
    let server = server.restarted();
    let mut third = Browser::default();
    third.sign_in(&server, "ana", PASSWORD).expect(201);
    third
        .post(&server, "/session/factor", &next)
        .refused(401, "wrong");
    let typed = recovery[3].to_lowercase().replace('-', " ");
    third
        .post(&server, "/session/factor", &json!({ "code": typed }))
        .expect(200);
    third
        .post(&server, "/session/factor", &json!({ "code": recovery[3] }))
        .refused(401, "wrong");
    assert_eq!(third.see(&server, "/me").expect(200)["recovery_codes"], 9);
}

#[test]
fn of_two_who_show_a_code_at_once_one_is_let_in() {
    let server = Server::new();
    let admin = server.admin("first");
    let (ana, mut one) = server.invited(&admin, "ana");
    set_factor(&server.app, ana, SECRET).expect("a factor");
    let mut browsers = vec![Browser::default(), Browser::default(), Browser::default()];
    one.sign_in(&server, "ana", PASSWORD).expect(201);
    for browser in &mut browsers {
        browser.sign_in(&server, "ana", PASSWORD).expect(201);
    }
    browsers.push(one);
    let body = json!({ "code": code(&server) });
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let (server, body) = (&server, &body);
        let tries: Vec<_> = browsers
            .iter_mut()
            .map(|browser| {
                scope.spawn(move || browser.post(server, "/session/factor", body).status)
            })
            .collect();
        tries
            .into_iter()
            .map(|one| one.join().expect("no panic"))
            .collect()
    });
    let let_in = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(let_in, 1, "{statuses:?}");
}

#[test]
fn administrators_officers_and_level_1_do_nothing_before_they_have_a_second_factor() {
    let server = Server::new();
    let admin = server.admin("first");
    let project = server.send(
        &admin,
        Method::POST,
        "/projects",
        &json!({ "name": "ward 7" }),
    );
    let project = project.expect(201)["id"]
        .as_str()
        .and_then(Id::parse)
        .expect("an id");
    for (name, role, level, needed) in [
        ("officer", "officer", 0, true),
        ("raw", "analyst", 1, true),
        ("steward", "steward", 0, true),
        ("steward raw", "steward", 1, true),
        ("auditor", "auditor", 0, true),
        ("operator", "operator", 0, false),
        ("analyst", "analyst", 2, false),
    ] {
        let (user, mut browser) = server.invited(&admin, name);
        let insert = "INSERT INTO members (project_id, user_id, role, level, asked_by, confirmed_by, at) \
                      VALUES ($1, $2, $3, $4, '', 'y', 0)";
        let cells = [project.into(), user.into(), role.into(), Cell::from(level)];
        server
            .app
            .store
            .act(|act| act.execute(insert, &cells))
            .expect("a member");
        let path = format!("/projects/{project}/members");
        let state = browser.see(&server, "/session").expect(200)["state"].clone();
        if !needed {
            assert_eq!(state, "full");
            browser.see(&server, "/me").expect(200);
            continue;
        }
        assert_eq!(state, "factor-needed", "{name}");
        browser.see(&server, "/me").refused(403, "factor-needed");
        browser.see(&server, &path).refused(403, "factor-needed");
        browser.set_up_factor(&server);
        browser.see(&server, "/me").expect(200);
    }
    let nobody = server.person(
        "second",
        Kind {
            admin: true,
            ..Kind::default()
        },
    );
    server.see(&nobody, "/users").refused(403, "factor-needed");
}

#[test]
fn the_second_factor_is_asked_for_again_after_15_minutes() {
    let server = Server::new();
    let admin = server.admin("first");
    set_factor(&server.app, admin.id, SECRET).expect("a factor");
    let mut browser = Browser::of(&admin);
    let invite = |browser: &mut Browser, name: &str| {
        browser.post(&server, "/users", &json!({ "name": name }))
    };
    server.clock.forward(5 * MINUTE);
    browser.see(&server, "/users").expect(200);
    server.clock.forward(5 * MINUTE);
    browser.see(&server, "/users").expect(200);
    server.clock.forward(5 * MINUTE);
    invite(&mut browser, "in time").expect(201);
    server.clock.forward(1);
    invite(&mut browser, "late").refused(403, "step-up");
    let (before, body) = (browser.clone(), json!({ "code": code(&server) }));
    browser.post(&server, "/session/factor", &body).expect(200);
    invite(&mut browser, "late").expect(201);
    // The secret of the session is a new one.
    assert_ne!(before.session, browser.session);
    before
        .clone()
        .see(&server, "/session")
        .refused(401, "signed-out");
}

#[test]
fn a_second_factor_is_replaced_by_who_has_the_one_before() {
    let server = Server::new();
    let admin = server.admin("first");
    let (_, mut browser) = server.invited(&admin, "ana");
    browser
        .post(&server, "/me/factor", &json!({ "password": "wrong" }))
        .refused(401, "wrong");
    browser
        .send(
            &server,
            Method::PUT,
            "/me/factor",
            &json!({ "code": "123456" }),
        )
        .refused(409, "not-begun");
    let (secret, _) = browser.set_up_factor(&server);
    let begin = |browser: &mut Browser, body: Value| browser.post(&server, "/me/factor", &body);
    begin(&mut browser, json!({ "password": PASSWORD })).refused(422, "unusable");
    begin(
        &mut browser,
        json!({ "password": PASSWORD, "code": "000000" }),
    )
    .refused(401, "wrong");
    server.clock.forward(30 * SECOND);
    let now = totp::code(&secret, totp::step(server.clock.now()));
    let begun = begin(&mut browser, json!({ "password": PASSWORD, "code": now })).expect(201);
    // Until a code of the new one was given, the old one counts.
    browser.show_factor(&server, &secret).expect(200);
    let new = begun["secret"]
        .as_str()
        .and_then(totp::unbase32)
        .expect("a secret");
    let now = totp::code(&new, totp::step(server.clock.now()));
    let other = server.again(
        Id::parse(
            browser.see(&server, "/me").expect(200)["id"]
                .as_str()
                .expect("an id"),
        )
        .expect("an id"),
        "ana",
        true,
    );
    browser
        .send(&server, Method::PUT, "/me/factor", &json!({ "code": now }))
        .expect(200);
    server.see(&other, "/me").refused(401, "signed-out");
    browser.show_factor(&server, &secret).refused(401, "wrong");
    browser.show_factor(&server, &new).expect(200);
}
