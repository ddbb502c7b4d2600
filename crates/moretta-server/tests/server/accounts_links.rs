//! Links: the first administrators, invitations and resets.

use crate::support::{Browser, PASSWORD, Server};
use http::Method;
use moretta_server::account::setup_links;
use moretta_server::clock::{DAY, MINUTE};
use moretta_server::id::Id;
use serde_json::{Value, json};

/// The secrets of the links that the program would print now.
fn printed(server: &Server) -> Vec<String> {
    let links = setup_links(&server.app).expect("links");
    links
        .iter()
        .map(|link| secret(&link.address("http://localhost:8440")))
        .collect()
}

/// What stands in the fragment of an address.
fn secret(address: &str) -> String {
    let (page, secret) = address.split_once("#setup=").expect("a fragment");
    assert_eq!(page, "http://localhost:8440/");
    assert_eq!(secret.len(), 64);
    secret.to_owned()
}

fn set_up(server: &Server, link: &str, name: &str) -> (Browser, crate::support::Answered) {
    let mut browser = Browser::default();
    let body = json!({ "link": link, "name": name, "password": PASSWORD });
    let answered = browser.post(server, "/setup", &body);
    (browser, answered)
}

#[test]
fn the_first_administrator_begins_by_a_link_that_a_hundred_cannot_share() {
    let server = Server::new();
    let link = printed(&server).remove(0);
    let body = json!({ "link": link });
    let told = server.knock(Method::POST, "/links/look", &body).expect(200);
    assert_eq!(told["kind"], "setup");
    let statuses = std::thread::scope(|scope| {
        let (server, link) = (&server, &link);
        let race: Vec<_> = (0..100)
            .map(|n| scope.spawn(move || set_up(server, link, &format!("admin {n}")).1.status))
            .collect();
        race.into_iter()
            .map(|one| one.join().expect("no panic"))
            .collect::<Vec<_>>()
    });
    let count = |status| statuses.iter().filter(|found| **found == status).count();
    assert_eq!(count(201), 1, "{statuses:?}");
    assert_eq!(count(409) + count(404), 99, "{statuses:?}");
    assert_eq!(server.app.gate.runs(), 1, "the others have cost no hash");
    let admins = "SELECT count(*) FROM users WHERE admin = 1";
    assert_eq!(server.app.store.read(|sql| sql.number(admins, &[])), Ok(1));
    // Twice, and over a restart; only the one for a second administrator is printed again.
    let server = server.restarted();
    set_up(&server, &link, "another")
        .1
        .refused(404, "link-over");
    let again = json!({ "link": printed(&server).remove(0) });
    let told = server
        .knock(Method::POST, "/links/look", &again)
        .expect(200);
    assert_eq!(told["kind"], "second");
}

#[test]
fn the_first_administrator_needs_a_second_factor_before_anything_else() {
    let server = Server::new();
    let link = printed(&server).remove(0);
    let (mut browser, answered) = set_up(&server, &link, "First");
    assert_eq!(answered.expect(201)["state"], "factor-needed");
    browser.see(&server, "/users").refused(403, "factor-needed");
    let (secret, _) = browser.set_up_factor(&server);
    browser.see(&server, "/users").expect(200);
    // Signing in again takes both.
    let waiting = browser.sign_in(&server, "first", PASSWORD).expect(201);
    assert_eq!(waiting["state"], "waiting");
    assert_eq!(
        browser.show_factor(&server, &secret).expect(200)["state"],
        "full"
    );
}

#[test]
fn a_setup_link_is_worth_nothing_after_thirty_minutes_and_nothing_after_the_next_one() {
    let server = Server::new();
    let first = printed(&server).remove(0);
    let second = printed(&server).remove(0);
    set_up(&server, &first, "first").1.refused(404, "link-over");
    server.clock.forward(30 * MINUTE);
    set_up(&server, &second, "first")
        .1
        .refused(404, "link-over");
    let third = printed(&server).remove(0);
    // A password that is refused leaves the link as it was.
    let easy = json!({ "link": third, "name": "first", "password": "Password1234" });
    server
        .knock(Method::POST, "/setup", &easy)
        .refused(422, "weak-password");
    server.clock.forward(30 * MINUTE - 1);
    // It does not stand in for an invitation.
    let other = json!({ "link": third, "password": PASSWORD });
    server
        .knock(Method::POST, "/links/use", &other)
        .refused(404, "link-over");
    set_up(&server, &third, "first").1.expect(201);
}

#[test]
fn there_are_no_accounts_to_begin_with() {
    let server = Server::new();
    printed(&server);
    assert_eq!(
        server
            .app
            .store
            .read(|sql| sql.number("SELECT count(*) FROM users", &[])),
        Ok(0)
    );
}

#[test]
fn a_second_administrator_begins_as_the_first_did_where_two_persons_are_needed() {
    let server = Server::new();
    let links = printed(&server);
    assert_eq!(links.len(), 2);
    set_up(&server, &links[0], "first").1.expect(201);
    set_up(&server, &links[1], "second").1.expect(201);
    assert!(printed(&server).is_empty());
    set_up(&server, &links[1], "third")
        .1
        .refused(404, "link-over");

    let alone = Server::with(|settings| settings.four_eyes = false);
    assert_eq!(printed(&alone).len(), 1);
}

#[test]
fn invitations_and_resets_are_used_once_within_a_day() {
    let server = Server::new();
    let admin = server.admin("first");
    let invite = |name: &str| {
        let made = server.send(&admin, Method::POST, "/users", &json!({ "name": name }));
        made.expect(201)
    };
    let made = invite("Ana");
    let path = format!("/users/{}/link", made["user"].as_str().expect("an id"));
    let use_link = |link: &Value| {
        let body = json!({ "link": link, "password": PASSWORD });
        server.knock(Method::POST, "/links/use", &body)
    };
    let told = server
        .knock(
            Method::POST,
            "/links/look",
            &json!({ "link": made["link"] }),
        )
        .expect(200);
    assert_eq!(
        (&told["kind"], &told["name"]),
        (&json!("invitation"), &json!("ana"))
    );
    server
        .send(&admin, Method::POST, "/users", &json!({ "name": "ANA" }))
        .refused(409, "taken");
    server.clock.forward(DAY - 1);
    use_link(&made["link"]).expect(201);
    use_link(&made["link"]).refused(404, "link-over");
    use_link(&json!("0".repeat(64))).refused(404, "link-over");

    // A reset: a new link ends the one before, and the sessions of who had lost the password.
    let admin = server.again(admin.id, "first", true);
    let reset = || {
        server
            .send(&admin, Method::POST, &path, &json!({ "reason": "lost" }))
            .expect(201)
    };
    let (one, two) = (reset(), reset());
    let mut browser = Browser::default();
    browser.sign_in(&server, "ana", PASSWORD).expect(201);
    use_link(&one["link"]).refused(404, "link-over");
    use_link(&two["link"]).expect(201);
    browser.see(&server, "/me").refused(401, "signed-out");
    let three = reset();
    server.clock.forward(DAY);
    use_link(&three["link"]).refused(404, "link-over");
}

#[test]
fn a_reset_does_not_bypass_the_second_factor_and_no_administrator_knows_a_password() {
    let server = Server::new();
    let admin = server.admin("first");
    let (ana, mut browser) = server.invited(&admin, "ana");
    let (secret, _) = browser.set_up_factor(&server);
    let path = format!("/users/{ana}/link");
    let handed = server
        .send(&admin, Method::POST, &path, &json!({ "reason": "lost" }))
        .expect(201);
    let body = json!({ "link": handed["link"], "password": "sieben blaue Leitern im Nebel" });
    let mut other = Browser::default();
    let used = other.post(&server, "/links/use", &body).expect(201);
    assert_eq!(used["state"], "waiting");
    other.see(&server, "/me").refused(401, "second-factor");
    let prepare = json!({ "password": "sieben blaue Leitern im Nebel" });
    other
        .post(&server, "/me/factor", &prepare)
        .refused(401, "second-factor");
    other.show_factor(&server, &secret).expect(200);
    // No route of users takes a password, and none gives one.
    let document = server
        .ask(Method::GET, "/openapi.json", &[], b"")
        .expect(200);
    let paths = document["paths"].as_object().expect("paths");
    let of_users = paths.iter().filter(|(path, _)| path.contains("/users"));
    for (path, methods) in of_users {
        assert!(!methods.to_string().contains("\"password\""), "{path}");
    }
    let own = format!("/users/{}/link", admin.id);
    server
        .send(&admin, Method::POST, &own, &json!({ "reason": "mine" }))
        .refused(409, "own-account");
}

#[test]
fn nothing_secret_stands_in_the_store_or_the_log() {
    let server = Server::new();
    let links = printed(&server);
    let admin = server.admin("first");
    let made = server
        .send(&admin, Method::POST, "/users", &json!({ "name": "ana" }))
        .expect(201);
    let link = made["link"].as_str().expect("a link").to_owned();
    let mut browser = Browser::default();
    let body = json!({ "link": link, "password": PASSWORD });
    browser.post(&server, "/links/use", &body).expect(201);
    let invited = browser.clone();
    let (secret, recovery) = browser.set_up_factor(&server);
    browser
        .sign_in(&server, "ana", "wrong canary horse")
        .refused(401, "wrong");
    browser
        .post(
            &server,
            "/session/factor",
            &json!({ "code": "canary-code" }),
        )
        .refused(401, "wrong");
    let ends = server.clock.now() + DAY;
    let token = json!({ "name": "job", "scope": ["data.upload"], "ends_at": ends });
    let token = browser.post(&server, "/me/tokens", &token).expect(201)["secret"].clone();
    let draft = json!({ "content": "canary-draft" });
    browser
        .send(&server, Method::PUT, "/me/drafts/a", &draft)
        .expect(204);
    let everything = server.everything();
    let mut secrets = links;
    secrets.extend([
        link,
        invited.session,
        browser.session,
        browser.device,
        browser.token,
    ]);
    secrets.extend(
        [
            PASSWORD,
            "wrong canary horse",
            "canary-code",
            "CANARYCODE",
            "canary-draft",
        ]
        .map(str::to_owned),
    );
    secrets.extend([
        moretta_server::account::totp::base32(&secret),
        moretta_server::secret::hex(&secret),
    ]);
    secrets.push(format!("{secret:?}"));
    secrets.push(token.as_str().expect("a secret").to_owned());
    secrets.extend(recovery.iter().map(|code| code.replace('-', "")));
    for (place, secret) in secrets.iter().enumerate() {
        let needle = secret.as_bytes();
        assert!(!needle.is_empty(), "{place}");
        let found = everything
            .windows(needle.len())
            .any(|window| window == needle);
        assert!(!found, "the secret with number {place} is in the store");
    }
    let id = made["user"].as_str().and_then(Id::parse);
    assert!(id.is_some_and(|id| String::from_utf8_lossy(&everything).contains(&id.to_string())));
}
