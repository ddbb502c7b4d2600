//! Sessions: their secrets, their locks and their ends.

use crate::support::{Browser, PASSWORD, Server};
use http::Method;
use moretta_server::clock::{HOUR, MINUTE};
use moretta_server::id::Id;
use moretta_server::secret::Secret;
use serde_json::{Value, json};

/// Somebody who is signed in and has no second factor.
fn ana(server: &Server) -> (Id, Browser) {
    let admin = server.admin("first");
    server.invited(&admin, "ana")
}

fn unlock(browser: &mut Browser, server: &Server) -> Value {
    let body = json!({ "password": PASSWORD });
    browser.post(server, "/session/unlock", &body).expect(200)
}

#[test]
fn a_session_has_256_random_bits_stored_hashed_and_new_at_sign_in_unlock_and_step_up() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    let mut secrets = vec![browser.session.clone()];
    let mut new = |browser: &Browser, server: &Server| {
        let former = secrets.last().expect("one").clone();
        let mut stale = Browser {
            session: former,
            ..browser.clone()
        };
        stale.see(server, "/session").refused(401, "signed-out");
        secrets.push(browser.session.clone());
    };
    browser.sign_in(&server, "ana", PASSWORD).expect(201);
    new(&browser, &server);
    browser
        .post(&server, "/session/lock", &Value::Null)
        .expect(204);
    unlock(&mut browser, &server);
    new(&browser, &server);
    let (secret, _) = browser.set_up_factor(&server);
    new(&browser, &server);
    browser.show_factor(&server, &secret).expect(200);
    new(&browser, &server);
    let body = json!({ "password": PASSWORD, "new": "sieben blaue Leitern im Nebel" });
    browser.post(&server, "/me/password", &body).expect(200);
    new(&browser, &server);
    for secret in &secrets {
        assert_eq!(secret.len(), 64);
        assert!(secret.bytes().all(|b| b.is_ascii_hexdigit()));
        let others = secrets.iter().filter(|other| *other == secret);
        assert_eq!(others.count(), 1);
    }
    let last = secrets.last().expect("one").clone();
    let rows = server
        .app
        .store
        .read(|sql| sql.query("SELECT secret FROM sessions", &[]));
    let rows = rows.expect("sessions");
    let sum = Secret::new(last.clone()).sum();
    assert!(rows.iter().any(|row| row.bytes(0) == Ok(&sum[..])));
    assert!(!holds(&server.everything(), last.as_bytes()));
}

fn holds(heap: &[u8], needle: &[u8]) -> bool {
    heap.windows(needle.len()).any(|window| window == needle)
}

#[test]
fn a_session_locks_after_ten_idle_minutes_and_opens_with_the_password_where_it_was() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    let draft = json!({ "content": { "step": "protect", "k": 5 } });
    browser
        .send(&server, Method::PUT, "/me/drafts/ward 7", &draft)
        .expect(204);
    server.clock.forward(10 * MINUTE - 1);
    browser.see(&server, "/me").expect(200);
    server.clock.forward(10 * MINUTE);
    browser.see(&server, "/me").refused(401, "session-locked");
    browser
        .see(&server, "/me/drafts/ward 7")
        .refused(401, "session-locked");
    // Asking is no activity that would open it, and it stays locked over a restart.
    let server = server.restarted();
    browser.see(&server, "/me").refused(401, "session-locked");
    assert_eq!(
        browser.see(&server, "/session").expect(200)["state"],
        "locked"
    );
    let wrong = json!({ "password": "wrong" });
    browser
        .post(&server, "/session/unlock", &wrong)
        .refused(401, "wrong");
    assert_eq!(unlock(&mut browser, &server)["state"], "full");
    assert_eq!(browser.see(&server, "/me/drafts/ward 7").expect(200), draft);
}

#[test]
fn users_shorten_the_idle_time_and_nobody_has_more_than_30_minutes() {
    let server = Server::new();
    let admin = server.admin("first");
    let (ana, mut browser) = server.invited(&admin, "ana");
    let change = |browser: &mut Browser, minutes: i64| {
        let version = browser.see(&server, "/me").expect(200)["version"].to_string();
        let (cookie, body) = (
            format!("__Host-moretta={}", browser.session),
            json!({ "idle_minutes": minutes }),
        );
        let headers = [
            ("cookie", &*cookie),
            ("x-moretta-token", &*browser.token),
            ("sec-fetch-site", "same-origin"),
            ("if-match", &*version),
        ];
        server.ask(Method::PATCH, "/me", &headers, body.to_string().as_bytes())
    };
    change(&mut browser, 11).refused(422, "unusable");
    change(&mut browser, 0).refused(422, "unusable");
    change(&mut browser, 3).expect(200);
    server.clock.forward(3 * MINUTE - 1);
    browser.see(&server, "/me").expect(200);
    server.clock.forward(3 * MINUTE);
    browser.see(&server, "/me").refused(401, "session-locked");
    unlock(&mut browser, &server);
    let set = |minutes: i64| {
        let admin = server.again(admin.id, "first", true);
        let path = format!("/users/{ana}");
        let version = server.see(&admin, &path).expect(200)["version"].to_string();
        let (cookie, body) = (admin.cookie(), json!({ "idle_minutes": minutes }));
        let headers = [
            ("cookie", &*cookie),
            ("x-moretta-token", &*admin.token),
            ("sec-fetch-site", "same-origin"),
            ("if-match", &*version),
        ];
        server.ask(Method::PATCH, &path, &headers, body.to_string().as_bytes())
    };
    set(31).refused(422, "unusable");
    set(30).expect(200);
    change(&mut browser, 30).expect(200);
    server.clock.forward(30 * MINUTE - 1);
    browser.see(&server, "/me").expect(200);
    // What administrators set holds at once, also where somebody has chosen more.
    set(5).expect(200);
    server.clock.forward(5 * MINUTE);
    browser.see(&server, "/me").refused(401, "session-locked");
}

#[test]
fn background_calls_are_no_activity() {
    let server = Server::new();
    let (_, browser) = ana(&server);
    let cookie = format!("__Host-moretta={}", browser.session);
    let background = [("cookie", &*cookie), ("x-moretta-background", "1")];
    for _ in 0..9 {
        server.clock.forward(MINUTE);
        server.ask(Method::GET, "/me", &background, b"").expect(200);
    }
    server.clock.forward(MINUTE);
    let locked = server.ask(Method::GET, "/me", &background, b"");
    locked.refused(401, "session-locked");
}

#[test]
fn a_session_ends_after_twelve_hours_whatever_happens() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    for _ in 0..79 {
        server.clock.forward(9 * MINUTE);
        browser.see(&server, "/me").expect(200);
    }
    unlock(&mut browser, &server);
    let server = server.restarted();
    server.clock.forward(12 * HOUR - 79 * 9 * MINUTE - 1);
    browser.see(&server, "/me").expect(200);
    server.clock.forward(1);
    browser.see(&server, "/session").refused(401, "signed-out");
}

#[test]
fn a_session_ends_at_once_by_sign_out_disabling_and_a_new_password() {
    let server = Server::new();
    let admin = server.admin("first");
    let (ana, mut browser) = server.invited(&admin, "ana");
    let copy = browser.clone();
    let out = browser.send(&server, Method::DELETE, "/session", &Value::Null);
    assert_eq!(out.cookie("__Host-moretta").as_deref(), Some(""));
    copy.clone()
        .see(&server, "/session")
        .refused(401, "signed-out");

    browser.sign_in(&server, "ana", PASSWORD).expect(201);
    let mut other = Browser::default();
    other.sign_in(&server, "ana", PASSWORD).expect(201);
    let changed = json!({ "password": PASSWORD, "new": "sieben blaue Leitern im Nebel" });
    browser.post(&server, "/me/password", &changed).expect(200);
    browser.see(&server, "/me").expect(200);
    other.see(&server, "/me").refused(401, "signed-out");
    other
        .sign_in(&server, "ana", PASSWORD)
        .refused(401, "wrong");

    let path = format!("/users/{ana}/disable");
    server
        .send(&admin, Method::POST, &path, &Value::Null)
        .expect(204);
    let server = server.restarted();
    browser.see(&server, "/me").refused(401, "signed-out");
    let path = format!("/users/{ana}/enable");
    server
        .send(&admin, Method::POST, &path, &Value::Null)
        .expect(204);
    browser.see(&server, "/me").refused(401, "signed-out");
    browser
        .sign_in(&server, "ana", "sieben blaue Leitern im Nebel")
        .expect(201);
    let path = format!("/users/{ana}/sessions");
    let ended = server
        .send(&admin, Method::DELETE, &path, &Value::Null)
        .expect(200);
    assert_eq!(ended["sessions"], 1);
    browser.see(&server, "/me").refused(401, "signed-out");
}

#[test]
fn a_lock_does_not_stand_in_for_the_second_factor() {
    let server = Server::new();
    let (_, mut browser) = ana(&server);
    browser.set_up_factor(&server);
    browser.sign_in(&server, "ana", PASSWORD).expect(201);
    browser
        .post(&server, "/session/lock", &Value::Null)
        .expect(204);
    assert_eq!(unlock(&mut browser, &server)["state"], "waiting");
    browser.see(&server, "/me").refused(401, "second-factor");
    server.clock.forward(10 * MINUTE);
    assert_eq!(unlock(&mut browser, &server)["state"], "waiting");
}

#[test]
fn cookies_are_of_this_host_alone_and_unsafe_calls_need_the_token_and_the_same_origin() {
    let server = Server::new();
    let (_, browser) = ana(&server);
    let body = json!({ "name": "ana", "password": PASSWORD }).to_string();
    let json = ("content-type", "application/json");
    let sign_in =
        |headers: &[(&str, &str)]| server.ask(Method::POST, "/session", headers, body.as_bytes());
    let answered = sign_in(&[json]);
    let set = answered
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie");
    let set: Vec<&str> = set.map(|(_, value)| &**value).collect();
    assert_eq!(set.len(), 2);
    for (cookie, name) in set
        .iter()
        .zip(["__Host-moretta=", "__Host-moretta-device="])
    {
        assert!(cookie.starts_with(name), "{name}");
        for part in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict"] {
            assert!(cookie.contains(part), "{name} {part}");
        }
        assert!(!cookie.contains("Domain"));
    }
    for site in ["cross-site", "same-site", "none"] {
        sign_in(&[json, ("sec-fetch-site", site)]).refused(403, "other-origin");
    }
    let cookie = format!("__Host-moretta={}", browser.session);
    let (cookie, site) = (("cookie", &*cookie), ("sec-fetch-site", "same-origin"));
    let token = ("x-moretta-token", &*browser.token);
    let lock = |headers: &[(&str, &str)]| server.ask(Method::POST, "/session/lock", headers, b"");
    lock(&[cookie, site]).refused(403, "other-origin");
    lock(&[cookie, token]).refused(403, "other-origin");
    lock(&[cookie, token, ("sec-fetch-site", "same-site")]).refused(403, "other-origin");
    lock(&[cookie, site, ("x-moretta-token", "0")]).refused(403, "other-origin");
    lock(&[cookie, site, token]).expect(204);
}
