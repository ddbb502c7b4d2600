//! Headers that every response has, whatever it is about.

use crate::support::Server;
use crate::support::net::{Net, Reply};
use http::Method;

/// As the specification writes them, not as the code does.
const EXPECTED: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("strict-transport-security", "max-age=31536000"),
    ("cache-control", "no-store"),
];

fn check(reply: &Reply, what: &str) {
    for (name, value) in EXPECTED {
        assert_eq!(reply.header(name), [value], "{what}: {name}");
    }
    for unwanted in ["server", "x-powered-by", "access-control-allow-origin"] {
        assert!(reply.header(unwanted).is_empty(), "{what}: {unwanted}");
    }
    if reply.status >= 400 {
        assert_eq!(reply.header("content-type"), ["application/problem+json"]);
        let problem: serde_json::Value = serde_json::from_slice(&reply.body).expect("JSON");
        assert_eq!(problem["status"], reply.status, "{what}");
        assert_eq!(problem["instance"].as_str().map(str::len), Some(32));
    }
}

fn post(net: &Net, path: &str, lines: &str, body: &str) -> Reply {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n{lines}\r\n{body}",
        body.len()
    );
    net.send(head.as_bytes())
}

#[test]
fn all_responses_have_the_headers_that_protect_pages_also_those_of_errors() {
    let server = Server::with(|settings| settings.limits.calls = (1, 5));
    let admin = server.admin("first");
    let net = server.listen();
    let cookie = format!("cookie: {}\r\n", admin.cookie());
    let json = "content-type: application/json\r\n";
    let own = format!(
        "{cookie}{json}sec-fetch-site: same-origin\r\nx-moretta-token: {}\r\n",
        admin.token
    );
    let long = "x".repeat((1 << 20) + 1);
    let path = "/api/v1/projects";
    for (what, expected, reply) in [
        ("health", 200, net.get("/api/v1/health", "")),
        ("nothing there", 404, net.get("/api/v1/nothing", "")),
        ("outside", 404, net.get("/outside", "")),
        ("no method", 405, post(&net, "/api/v1/health", "", "")),
        ("nobody", 401, net.get(path, "")),
        ("own", 200, net.get(path, &cookie)),
        ("made", 201, post(&net, path, &own, r#"{"name":"ward 7"}"#)),
        (
            "no token",
            403,
            post(&net, path, &format!("{cookie}{json}"), "{}"),
        ),
        (
            "other type",
            415,
            post(&net, path, "content-type: text/plain\r\n", "{}"),
        ),
        ("unusable", 422, post(&net, path, &own, "{")),
        ("too long", 413, post(&net, path, json, &long)),
        ("query", 422, net.get("/api/v1/health?x=1", "")),
    ] {
        assert_eq!(reply.status, expected, "{what}");
        check(&reply, what);
    }
    let mut refused = None;
    for _ in 0..6 {
        refused = Some(net.get(path, &cookie))
            .filter(|reply| reply.status == 429)
            .or(refused);
    }
    let refused = refused.expect("these are too many");
    check(&refused, "too many");
    assert_eq!(refused.header("retry-after"), ["1"]);
}

#[test]
fn every_route_refuses_nobody_with_the_same_headers() {
    let server = Server::new();
    let net = server.listen();
    for route in server.app.router().routes() {
        let path = format!("/api/v1{}", route.path.replace(['{', '}'], ""));
        let what = format!("{} {path}", route.method);
        let length = match route.method {
            Method::GET => "",
            _ => "content-length: 0\r\n",
        };
        let asked =
            format!("{what} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{length}\r\n");
        let reply = net.send(asked.as_bytes());
        check(&reply, &what);
        if route.right.name != "open" {
            assert!(
                matches!(reply.status, 401 | 415),
                "{what}: {}",
                reply.status
            );
        }
    }
}

#[test]
fn what_is_no_request_is_refused_without_a_word() {
    let server = Server::new();
    let net = server.listen();
    let long = format!(
        "GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n",
        "x".repeat(64 << 10)
    );
    for bytes in [
        "nonsense\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET /\0 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nhost: local\0host\r\n\r\n",
        "POST /api/v1/projects HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        "POST /api/v1/projects HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        &long,
    ] {
        let reply = net.send(bytes.as_bytes());
        assert!(
            matches!(reply.status, 0 | 400 | 431),
            "{bytes:?}: {}",
            reply.status
        );
        assert!(reply.body.is_empty(), "{bytes:?}");
    }
    assert_eq!(net.get("/api/v1/health", "").status, 200);
}
