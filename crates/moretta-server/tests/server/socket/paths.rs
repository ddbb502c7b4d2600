//! No path from a client reaches the file system, and no line from one stands in a response.

use crate::support::Server;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::path::PathBuf;

#[test]
fn no_path_leads_to_a_file() {
    let server = Server::new();
    let canary = "canary-7f3a-in-a-file";
    let secret = server.folder.path().join("secret");
    std::fs::write(&secret, canary).expect("written");
    let admin = server.admin("first");
    let net = server.listen();
    let cookie = format!("cookie: {}\r\n", admin.cookie());
    let climb = |up: &str| {
        let way: PathBuf = secret.components().skip(1).collect();
        format!("{}{}", up.repeat(24), way.display())
    };
    let paths = [
        climb("../"),
        climb("..%2f"),
        climb("%2e%2e/"),
        climb("%2e%2e%2f"),
        climb("..%5c"),
        climb("....//"),
        climb("..%c0%af"),
        secret.display().to_string(),
        format!("file://{}", secret.display()),
        "con".to_owned(),
        "nul.csv".to_owned(),
        "%00".to_owned(),
        format!("{}%00.json", secret.display()),
        "a%0d%0aset-cookie:%20x=y".to_owned(),
        "%ff%fe".to_owned(),
        "%".to_owned(),
        "%2".to_owned(),
        "%zz".to_owned(),
    ];
    let mut asked = 0;
    for route in server.app.router().routes() {
        for path in &paths {
            for place in [
                route.path.replacen("{project}", path, 1),
                format!("{}/{path}", route.path),
                format!("/{path}"),
            ] {
                // What is still in braces is another part.
                let place = place.replace(['{', '}'], "");
                let reply = net.get(&format!("/api/v1{place}"), &cookie);
                let text = String::from_utf8_lossy(&reply.body);
                assert!(!text.contains(canary), "{place}");
                assert!(reply.header("set-cookie").is_empty(), "{place}");
                assert!(reply.status != 500, "{place}: {text}");
                server.clock.forward(1000);
                asked += 1;
            }
        }
        // The clock has locked the session.
        let touch = "UPDATE sessions SET seen_at = $1, factor_at = $1, ends_at = $2";
        let now = server.clock.now();
        let cells = [now.into(), (now + 1_000_000_000).into()];
        let touched = server.app.store.act(|act| act.execute(touch, &cells));
        touched.expect("the store answers");
    }
    assert!(asked > 500);
}

#[test]
fn whatever_comes_nothing_is_a_fault_of_ours() {
    let server = Server::new();
    let net = server.listen();
    let config = Config {
        cases: 300,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[15; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let strategy = proptest::collection::vec(proptest::num::u8::ANY, 0..80);
    let ran = runner.run(&strategy, |bytes| {
        let mut line = b"GET /api/v1/".to_vec();
        line.extend(
            bytes
                .iter()
                .filter(|byte| !matches!(byte, b' ' | b'\r' | b'\n')),
        );
        line.extend(b" HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        let reply = net.send(&line);
        proptest::prop_assert!(reply.status < 500, "{}", reply.status);
        Ok(())
    });
    ran.expect("no fault");
    assert!(net.told.lock().expect("no panic").is_empty());
}
