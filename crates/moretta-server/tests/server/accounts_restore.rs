//! Restore of an old store.

use crate::support::{Browser, PASSWORD, Server};
use http::Method;
use moretta_server::audit;
use moretta_server::clock::DAY;
use moretta_server::session;
use serde_json::json;

#[test]
fn a_head_behind_the_last_printed_one_is_told_and_all_sessions_tokens_and_links_end() {
    let server = Server::new();
    let admin = server.admin("first");
    let (_, mut browser) = server.invited(&admin, "ana");
    let made = server
        .send(&admin, Method::POST, "/users", &json!({ "name": "new" }))
        .expect(201);
    let old = server.app.store.read(audit::head).expect("a head");
    browser.sign_in(&server, "ana", PASSWORD).expect(201);
    let ends = server.clock.now() + DAY;
    let body = json!({ "name": "nightly", "scope": ["signed"], "ends_at": ends });
    let token = browser.post(&server, "/me/tokens", &body).expect(201);
    let bearer = format!("Bearer {}", token["secret"].as_str().expect("a secret"));
    let by_token = || server.ask(Method::GET, "/me", &[("authorization", &*bearer)], b"");
    by_token().expect(200);
    let printed = server.app.store.read(audit::head).expect("a head");
    let verify = |seen: &audit::Head| server.app.store.read(|sql| audit::verify(sql, Some(seen)));
    assert_eq!(verify(&printed).expect("a log").fault, None);

    // The store as it was when the backup was made, as far as its log is concerned.
    let cut = "DELETE FROM audit WHERE number > $1";
    let cells = [old.number.into()];
    server
        .app
        .store
        .act(|act| act.execute(cut, &cells))
        .expect("the cut");
    let verified = verify(&printed).expect("a log");
    let fault = verified.fault.expect("a fault");
    assert_eq!((verified.head, fault.number), (old, old.number + 1));
    assert!(
        fault.what.contains("a later head has been seen"),
        "{}",
        fault.what
    );
    // One that has grown since in another way is told as well.
    Browser::default()
        .sign_in(&server, "ana", "wrong")
        .refused(401, "wrong");
    Browser::default()
        .sign_in(&server, "ana", "wrong")
        .refused(401, "wrong");
    assert!(verify(&printed).expect("a log").fault.is_some());

    let ended = server
        .app
        .store
        .act(|act| session::end_everybodys(&mut **act));
    assert!(ended.expect("sessions") >= 2);
    browser.see(&server, "/session").refused(401, "signed-out");
    by_token().refused(401, "signed-out");
    server.see(&admin, "/users").refused(401, "signed-out");
    let body = json!({ "link": made["link"], "password": PASSWORD });
    server
        .knock(Method::POST, "/links/use", &body)
        .refused(404, "link-over");
}
