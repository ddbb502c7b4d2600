//! The web app as browsers get it: headers, kinds, copies that are kept, and nothing that is no page.

use crate::support::Server;
use crate::support::net::{Net, Reply};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

fn ask(net: &Net, method: &str, path: &str, lines: &str) -> Reply {
    let head =
        format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{lines}\r\n");
    net.send(head.as_bytes())
}

fn has(reply: &Reply, name: &str, value: &str) -> bool {
    reply.header(name) == [value]
}

#[test]
fn every_page_of_the_app_is_the_same_file() {
    let server = Server::new();
    let net = server.listen();
    let project = "/projects/00000000000000000000000000000000";
    let first = net.get("/", "");
    assert_eq!(first.status, 200);
    assert!(first.body.starts_with(b"<!doctype html>"));
    assert!(has(&first, "content-type", "text/html; charset=utf-8"));
    for path in ["/inbox", "/account", project, "/inbox?a=1"] {
        let reply = net.get(path, "");
        assert_eq!((reply.status, &reply.body), (200, &first.body), "{path}");
    }
}

#[test]
fn what_is_no_page_is_not_found() {
    let server = Server::new();
    let net = server.listen();
    for path in [
        "/nothing",
        "/inbox/",
        "//",
        "/projects",
        "/projects/",
        "/index.html",
        "/pages.list",
        "/source.sha256",
        "/app.js/",
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/%61pp.js",
        "/./app.js",
        "/APP.JS",
        "/app.js%00",
    ] {
        let reply = net.get(path, "");
        assert_eq!(reply.status, 404, "{path}");
        assert!(
            has(&reply, "content-type", "application/problem+json"),
            "{path}"
        );
        // A person is told by a page.
        let page = net.get(path, "accept: text/html,application/xhtml+xml;q=0.9\r\n");
        assert_eq!(page.status, 404, "{path}");
        assert!(page.body.starts_with(b"<!doctype html>"), "{path}");
    }
    for path in ["/api", "/api/", "/api/v2/health", "/api/v1/inbox.html"] {
        let reply = net.get(path, "accept: text/html\r\n");
        assert_eq!(reply.status, 404, "{path}");
        assert!(
            has(&reply, "content-type", "application/problem+json"),
            "{path}"
        );
    }
}

#[test]
fn files_have_their_kind_and_the_headers_of_all_responses() {
    let server = Server::new();
    let net = server.listen();
    for (path, kind) in [
        ("/app.js", "text/javascript; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/mask.svg", "image/svg+xml"),
        ("/licences.txt", "text/plain; charset=utf-8"),
        ("/inbox", "text/html; charset=utf-8"),
    ] {
        let reply = net.get(path, "");
        assert_eq!(reply.status, 200, "{path}");
        assert!(has(&reply, "content-type", kind), "{path}");
        // Looked at each time again, and kept: names do not change with what is in them.
        assert!(has(&reply, "cache-control", "no-cache"), "{path}");
        for (name, value) in moretta_server::http::SECURITY_HEADERS {
            if *name != "cache-control" {
                assert!(has(&reply, name, value), "{path}: {name}");
            }
        }
    }
}

#[test]
fn a_copy_that_is_kept_is_not_sent_again() {
    let server = Server::new();
    let net = server.listen();
    let tag_of = |lines: &str| net.get("/app.js", lines).header("etag").concat();
    let (plain, packed) = (tag_of(""), tag_of("accept-encoding: gzip\r\n"));
    assert_ne!(plain, packed);
    for (known, expected) in [
        (plain.clone(), 304),
        (format!("W/{plain}"), 304),
        (format!("\"other\", {plain}"), 304),
        ("*".to_owned(), 304),
        ("\"other\"".to_owned(), 200),
        (packed.clone(), 200),
    ] {
        let reply = net.get("/app.js", &format!("if-none-match: {known}\r\n"));
        assert_eq!(reply.status, expected, "{known}");
        assert!(has(&reply, "etag", &plain), "{known}");
        assert_eq!(reply.body.is_empty(), expected == 304, "{known}");
    }
    // What is not there is not unchanged.
    let gone = net.get("/nothing", "accept: text/html\r\nif-none-match: *\r\n");
    assert_eq!(gone.status, 404);
}

#[test]
fn files_are_packed_for_those_who_unpack_them() {
    let server = Server::new();
    let net = server.listen();
    let plain = net.get("/app.js", "").body;
    for (accepted, expected) in [
        ("gzip", true),
        ("br, gzip;q=0.5, *;q=0", true),
        ("gzip;q=0", false),
        ("gzip; q=0.0", false),
        ("br", false),
        ("identity", false),
        ("xgzip", false),
    ] {
        let reply = net.get("/app.js", &format!("accept-encoding: {accepted}\r\n"));
        assert_eq!(
            has(&reply, "content-encoding", "gzip"),
            expected,
            "{accepted}"
        );
        assert!(has(&reply, "vary", "accept-encoding"), "{accepted}");
        assert!(has(&reply, "content-length", &reply.body.len().to_string()));
        let unpacked = match expected {
            true => {
                assert!(reply.body.len() * 2 < plain.len(), "it is smaller");
                unpack(&reply.body)
            }
            false => reply.body,
        };
        assert_eq!(unpacked, plain, "{accepted}");
    }
}

fn unpack(packed: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(packed);
    std::io::copy(&mut reader, &mut unpacked).expect("gzip");
    unpacked
}

#[test]
fn the_head_alone_is_the_head_of_the_whole() {
    let server = Server::new();
    let net = server.listen();
    for path in ["/", "/app.js"] {
        let (whole, head) = (net.get(path, ""), ask(&net, "HEAD", path, ""));
        assert_eq!(head.status, 200, "{path}");
        assert!(head.body.is_empty(), "{path}");
        for name in ["content-length", "content-type", "etag"] {
            assert_eq!(head.header(name), whole.header(name), "{path}: {name}");
        }
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let reply = ask(&net, method, "/", "content-length: 0\r\n");
        assert_eq!(reply.status, 405, "{method}");
    }
}

#[test]
fn pages_are_given_under_names_of_the_server_alone() {
    let server = Server::new();
    let net = server.listen();
    let other = "GET / HTTP/1.1\r\nhost: localhost.example\r\nconnection: close\r\n\r\n";
    assert_eq!(net.send(other.as_bytes()).status, 421);
}

/// Assets are built with npm and committed, so that the program is built with Rust alone. The
/// configuration of the build, `vite.config.ts`, makes the same sum of the same files.
#[test]
fn the_built_app_is_that_of_its_sources() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    let sources = [
        "../crates/moretta-report/src/tokens.css",
        "index.html",
        "package-lock.json",
        "package.json",
        "public",
        "src",
        "tsconfig.json",
        "vite.config.ts",
    ];
    let mut sum = Sha256::new();
    for name in sources.iter().flat_map(|name| files(&web, name)) {
        let content = fs::read(web.join(&name)).expect("a file");
        sum.update(format!("{name}\n{}\n", content.len()));
        sum.update(content);
    }
    let expected: String = sum.finalize().iter().map(|b| format!("{b:02x}")).collect();
    let built = fs::read_to_string(web.join("dist/source.sha256")).expect("a sum");
    assert_eq!(
        built.trim(),
        expected,
        "web/dist is stale: run `npm ci && npm run build` in web"
    );
}

fn files(web: &Path, name: &str) -> Vec<String> {
    let path: PathBuf = web.join(name);
    if !path.is_dir() {
        return vec![name.to_owned()];
    }
    let entries = fs::read_dir(path).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    names.sort();
    let within = names
        .iter()
        .flat_map(|inner| files(web, &format!("{name}/{inner}")));
    within.collect()
}

#[test]
fn the_first_page_is_small() {
    let server = Server::new();
    let net = server.listen();
    let packed = |path: &str| net.get(path, "accept-encoding: gzip\r\n");
    let page = String::from_utf8(net.get("/", "").body).expect("text");
    let named = page.split('"').filter(|text| text.starts_with('/'));
    let all: usize = named.map(|path| packed(path).body.len()).sum();
    let bytes = all + packed("/").body.len();
    assert!((10_000..200_000).contains(&bytes), "{bytes} bytes");
}
