//! Limits of what comes: length, time, number.

use crate::support::Server;
use crate::support::net::{Reply, exchange};
use crate::ward::Ward;
use std::io::Write;
use std::net::Ipv4Addr;

const HEAD: &str = "POST /api/v1/projects HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                    content-type: application/json\r\n";

#[test]
fn a_body_that_is_too_long_is_not_read_to_its_end() {
    let server = Server::new();
    let net = server.listen();
    let told = |length: usize| {
        let bytes = format!(
            "{HEAD}content-length: {length}\r\n\r\n{}",
            "x".repeat(length)
        );
        net.send(bytes.as_bytes()).status
    };
    // What may come is looked at: nobody is signed in.
    assert_eq!(told(1 << 20), 401);
    assert_eq!(told((1 << 20) + 1), 413);
    // A sender who says nothing of its length, and never ends.
    let mut stream = net.connect();
    let head = format!("{HEAD}transfer-encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("sent");
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    while stream.write_all(chunk.as_bytes()).is_ok() {}
    assert!(matches!(Reply::read(stream).status, 0 | 413));
    // One who promises more than may come.
    let mut stream = net.connect();
    let head = format!("{HEAD}content-length: 2000000000\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("sent");
    while stream.write_all(chunk.as_bytes()).is_ok() {}
    assert!(matches!(Reply::read(stream).status, 0 | 413));
    assert_eq!(net.get("/api/v1/health", "").status, 200);
}

#[test]
fn a_part_of_an_upload_has_eight_mebibytes() {
    const PART: usize = 8 << 20;
    let ward = Ward::new();
    let upload = ward.begin("march.csv");
    let net = ward.server.listen();
    let told = |offset: usize, length: usize| {
        let path = ward.path(&format!("/uploads/{upload}?offset={offset}"));
        let head = format!(
            "PATCH /api/v1{path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             cookie: {}\r\nx-moretta-token: {}\r\nsec-fetch-site: same-origin\r\n\
             content-type: application/octet-stream\r\ncontent-length: {length}\r\n\r\n",
            ward.steward.cookie(),
            ward.steward.token
        );
        let mut stream = net.connect();
        stream.write_all(head.as_bytes()).expect("sent");
        // The server may close before it has read what is too long.
        let _ = stream.write_all(&vec![b'7'; length]);
        Reply::read(stream).status
    };
    assert_eq!(told(0, PART), 200);
    assert!(matches!(told(PART, PART + 1), 0 | 413));
    let received = || {
        let shown = ward.see(&ward.steward, &format!("/uploads/{upload}"));
        shown.expect(200)["received"].clone()
    };
    assert_eq!(received(), PART, "nothing of it is taken");
    assert_eq!(told(PART, 1), 200);
    assert_eq!(received(), PART + 1);
}

#[test]
fn who_sends_slowly_is_not_waited_for() {
    let server = Server::with(|settings| {
        settings.limits.head_seconds = 1;
        settings.limits.body_seconds = 1;
    });
    let net = server.listen();
    // Nothing at all, half a line, half a head, and nothing after a request: the server closes.
    for sent in ["", "GET /api", "GET /api/v1/health HTTP/1.1\r\nhost: local"] {
        let mut stream = net.connect();
        stream.write_all(sent.as_bytes()).expect("sent");
        let reply = Reply::read(stream);
        assert!(
            matches!(reply.status, 0 | 408),
            "{sent:?}: {}",
            reply.status
        );
    }
    let mut stream = net.connect();
    let kept = "GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream.write_all(kept.as_bytes()).expect("sent");
    assert_eq!(Reply::read(stream).status, 200);
    // Half a body.
    let mut stream = net.connect();
    let head = format!("{HEAD}content-length: 100\r\n\r\n{{");
    stream.write_all(head.as_bytes()).expect("sent");
    let reply = Reply::read(stream);
    assert_eq!((reply.status, reply.code().as_str()), (408, "slow"));
}

#[test]
fn an_address_has_sixty_four_connections() {
    let server = Server::new();
    assert_eq!(server.app.settings.limits.connections, 64);
    let net = server.listen();
    let asked = b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut open: Vec<_> = (0..64)
        .map(|_| {
            let mut stream = net.connect();
            stream.write_all(asked).expect("sent");
            // It has been let in once it is answered.
            let mut byte = [0];
            std::io::Read::read_exact(&mut stream, &mut byte).expect("an answer");
            stream
        })
        .collect();
    assert_eq!(net.get("/api/v1/health", "").status, 0);
    let close = b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let elsewhere = net.connect_from(Ipv4Addr::new(127, 0, 0, 2));
    assert_eq!(exchange(elsewhere, close).status, 200);
    open.truncate(32);
    // The server hears a little later that they were closed.
    while net.get("/api/v1/health", "").status != 200 {
        std::thread::yield_now();
    }
}

#[test]
fn a_session_has_its_burst_and_others_have_theirs() {
    let server = Server::new();
    let (first, second) = (server.signed_in("first"), server.signed_in("second"));
    let net = server.listen();
    let ask = |cookie: String| net.get("/api/v1/projects", &format!("cookie: {cookie}\r\n"));
    for _ in 0..100 {
        assert_eq!(ask(first.cookie()).status, 200);
    }
    let refused = ask(first.cookie());
    assert_eq!((refused.status, refused.code().as_str()), (429, "too-many"));
    assert_eq!(refused.header("retry-after"), ["1"]);
    assert_eq!(ask(second.cookie()).status, 200);
    server.clock.forward(1000);
    for _ in 0..20 {
        assert_eq!(ask(first.cookie()).status, 200);
    }
    assert_eq!(ask(first.cookie()).status, 429);
}
