//! The server answers to its names, whatever pages on other names send to its address.

use crate::support::Server;
use crate::support::net::exchange;
use std::net::Ipv4Addr;

#[test]
fn only_names_of_the_server_are_answered() {
    let server = Server::new();
    let net = server.listen();
    for (host, expected) in [
        ("localhost", 200),
        ("LocalHost:8440", 200),
        ("127.0.0.1", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:8440", 200),
        ("127.0.0.1.example", 421),
        ("localhost.example:8440", 421),
        ("evil.example", 421),
        ("evil.localhost", 421),
        ("localhost.", 421),
        ("localhost@evil.example", 421),
        ("evil.example:localhost", 421),
        ("0.0.0.0", 421),
        ("2130706433", 421),
        ("[::ffff:127.0.0.1]", 421),
        ("", 421),
    ] {
        let asked =
            format!("GET /api/v1/health HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        let reply = net.send(asked.as_bytes());
        assert_eq!(reply.status, expected, "{host}");
        if expected == 421 {
            assert_eq!(reply.code(), "other-host", "{host}");
        }
    }
}

#[test]
fn a_request_that_names_no_server_or_two_is_not_answered() {
    let server = Server::new();
    let net = server.listen();
    for (line, hosts, expected) in [
        ("GET /api/v1/health", "", 421),
        (
            "GET /api/v1/health",
            "host: localhost\r\nhost: evil.example\r\n",
            421,
        ),
        (
            "GET /api/v1/health",
            "host: localhost\r\nhost: localhost\r\n",
            421,
        ),
        (
            "GET http://localhost/api/v1/health",
            "host: localhost\r\n",
            200,
        ),
        (
            "GET http://evil.example/api/v1/health",
            "host: localhost\r\n",
            421,
        ),
        (
            "GET http://localhost/api/v1/health",
            "host: evil.example\r\n",
            421,
        ),
        (
            "GET http://localhost@evil.example/api/v1/health",
            "host: localhost\r\n",
            421,
        ),
    ] {
        let asked = format!("{line} HTTP/1.1\r\nconnection: close\r\n{hosts}\r\n");
        let reply = net.send(asked.as_bytes());
        assert_eq!(reply.status, expected, "{line} {hosts:?}");
    }
}

#[test]
fn forwarded_headers_of_anybody_change_nothing() {
    let server = Server::new();
    let net = server.listen();
    let forged = "x-forwarded-host: localhost\r\nforwarded: host=localhost\r\nx-forwarded-for: 192.0.2.1\r\n";
    assert_eq!(net.get("/api/v1/health", forged).status, 200);
    let other = format!(
        "GET /api/v1/health HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n{forged}\r\n"
    );
    assert_eq!(net.send(other.as_bytes()).status, 421);
}

#[test]
fn behind_a_proxy_nobody_else_is_answered_in_plain_http() {
    let server = Server::with(|settings| {
        settings.behind_proxy = Some([127, 0, 0, 2].into());
        settings.hosts = vec!["moretta.example".to_owned()];
    });
    let net = server.listen();
    let asked =
        b"GET /api/v1/health HTTP/1.1\r\nhost: moretta.example\r\nconnection: close\r\n\r\n";
    let by_proxy = net.connect_from(Ipv4Addr::new(127, 0, 0, 2));
    assert_eq!(exchange(by_proxy, asked).status, 200);
    assert_eq!(net.send(asked).status, 0);
}
