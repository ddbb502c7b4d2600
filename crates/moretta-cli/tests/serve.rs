//! `moretta serve` as a process: it begins, answers, ends when it is told to, and writes its keys
//! nowhere but into their file.

#![cfg(all(unix, feature = "serve"))]

use serde_json::Value;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_moretta");

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .current_dir(folder)
        .env("TMPDIR", folder)
        .env("XDG_DATA_HOME", folder.join("share"))
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn ran(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("it starts")
}

/// A server that runs, and what it has printed when it began.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
    begun: Value,
}

impl Running {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let all = [&["--json", "serve", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut child = command(folder, &all).spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let begun = {
            let mut documents = serde_json::Deserializer::from_reader(&mut out).into_iter();
            let first = documents.next().expect("it begins");
            first.expect("JSON")
        };
        Running { child, out, begun }
    }

    fn ask(&self, lines: &str, body: &str) -> String {
        let address = self.begun["address"].as_str().expect("an address");
        let address = address.strip_prefix("http://").expect("plain HTTP");
        let mut stream = TcpStream::connect(address).expect("it listens");
        let head = format!(
            "{lines}\r\nhost: {address}\r\nconnection: close\r\nsec-fetch-site: same-origin\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("an answer");
        reply
    }

    /// Ends it by a signal; gives its code and all that it has written.
    fn end(mut self, signal: &str) -> (Option<i32>, Vec<u8>) {
        let id = self.child.id().to_string();
        let told = Command::new("kill").args([signal, &id]).status();
        assert!(told.expect("kill is there").success());
        let mut written = self.begun.to_string().into_bytes();
        self.out.read_to_end(&mut written).expect("read");
        let mut errors = self.child.stderr.take().expect("a pipe");
        errors.read_to_end(&mut written).expect("read");
        (self.child.wait().expect("it ends").code(), written)
    }
}

#[test]
fn it_begins_answers_and_ends_in_good_order() {
    let folder = tempfile::tempdir().expect("a folder");
    for signal in ["-TERM", "-INT"] {
        let server = Running::start(folder.path(), &[]);
        assert!(
            server
                .ask("GET /api/v1/health HTTP/1.1", "")
                .contains("well")
        );
        // Nobody administers it yet: a link for each of two people, with the secret in the fragment.
        let links = server.begun["links"].as_array().expect("links");
        assert_eq!(links.len(), 2);
        for link in links {
            let link = link["address"].as_str().expect("an address");
            assert!(link.contains("/#"), "{link}");
        }
        let (code, written) = server.end(signal);
        assert_eq!(code, Some(0));
        let written = String::from_utf8(written).expect("text");
        assert!(written.contains("head of the log: "), "{written}");
    }
    assert!(folder.path().join("share/moretta/server/store").exists());
    assert!(folder.path().join("share/moretta/server.keys").exists());
}

#[test]
fn one_folder_has_one_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Running::start(folder.path(), &[]);
    let second = ran(folder.path(), &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(2));
    let port = server.begun["address"].as_str().expect("an address");
    let port = port.strip_prefix("http://").expect("plain HTTP").to_owned();
    let taken = ran(
        folder.path(),
        &["serve", "--data", "other", "--listen", &port],
    );
    assert_eq!(taken.status.code(), Some(5));
    let (code, _) = server.end("-TERM");
    assert_eq!(code, Some(0));
}

#[test]
fn what_would_be_less_safe_than_it_says_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    write("open.address", "postgres://moretta:secret-7f3a@127.0.0.1/x");
    write("unknown.toml", "lissten = \"127.0.0.1:1\"\n");
    write("demo.toml", "demo = true\n");
    for arguments in [
        &["--listen", "0.0.0.0:8440"][..],
        &["--listen", "0.0.0.0:8440", "--tls-cert", "a"],
        &["--behind-proxy", "127.0.0.1"],
        &["--keys", "data/keys"],
        &["--role", "web"],
        &["--demo", "--listen", "0.0.0.0:8440"],
        &["--database", "open.address"],
        &["--config", "unknown.toml"],
        &["--config", "demo.toml"],
        &["--seen", "5"],
    ] {
        let mut all = vec!["serve"];
        if !arguments.contains(&"--demo") && !arguments.contains(&"--config") {
            all.extend(["--data", "data"]);
        }
        all.extend(arguments);
        let refused = ran(folder.path(), &all);
        let told = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(!told.contains("secret-7f3a"), "{told}");
    }
    let missing = ran(folder.path(), &["serve", "--config", "none.toml"]);
    assert_eq!(missing.status.code(), Some(5));
}

#[test]
fn a_demonstration_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Running::start(folder.path(), &["--demo"]);
    let links = server.begun["links"].as_array().expect("links").clone();
    assert_eq!(links.len(), 7);
    for link in &links {
        let link = link["address"].as_str().expect("an address");
        let secret = link.rsplit_once('=').expect("a secret").1;
        let body = format!("{{\"link\":\"{secret}\"}}");
        let reply = server.ask("POST /api/v1/demo/session HTTP/1.1", &body);
        assert!(reply.starts_with("HTTP/1.1 201"), "{reply}");
    }
    is_shown(&server, &links);
    let (code, _) = server.end("-TERM");
    assert_eq!(code, Some(0));
    let left: Vec<PathBuf> = files(folder.path());
    assert!(left.is_empty(), "{left:?}");
}

/// The analyst of a demonstration finds a release of the hospital, and visits of the shop.
fn is_shown(server: &Running, links: &[Value]) {
    let ask = |path: &str| ask_as(server, &links[2], path);
    let projects = ask("/projects");
    let project = |name: &str| {
        let all = projects["items"].as_array().expect("projects");
        let found = all.iter().find(|project| project["name"] == name);
        let id = found.expect("the project")["id"].as_str();
        id.expect("an id").to_owned()
    };
    let releases = format!("/projects/{}/releases", project("hospital"));
    let begun = Instant::now();
    let release = loop {
        let listed = ask(&releases);
        match listed["items"].as_array().expect("releases").first() {
            Some(release) => break release.clone(),
            None => assert!(begun.elapsed() < Duration::from_secs(240), "a release"),
        }
        std::thread::sleep(Duration::from_millis(250));
    };
    let id = release["id"].as_str().expect("an id");
    let rows = ask(&format!("{releases}/{id}/levels/2/rows"));
    assert_eq!(rows["items"].as_array().map(Vec::len), Some(100));
    let streams = format!("/projects/{}/streams", project("shop"));
    let visits = loop {
        // An analyst reads rows of a stream, and the list of streams is for others.
        let listed = ask_as(server, &links[1], &streams);
        if let Some(stream) = listed["items"].as_array().and_then(|all| all.first()) {
            break stream["id"].as_str().expect("an id").to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(240), "a stream");
        std::thread::sleep(Duration::from_millis(250));
    };
    while ask(&format!("{streams}/{visits}/rows"))["rows"]
        .as_array()
        .is_none_or(Vec::is_empty)
    {
        assert!(begun.elapsed() < Duration::from_secs(240), "rows of it");
        std::thread::sleep(Duration::from_millis(250));
    }
}

/// What somebody of a demonstration sees.
fn ask_as(server: &Running, link: &Value, path: &str) -> Value {
    let link = link["address"].as_str().expect("an address");
    let secret = link.rsplit_once('=').expect("a secret").1;
    let body = format!("{{\"link\":\"{secret}\"}}");
    let reply = server.ask("POST /api/v1/demo/session HTTP/1.1", &body);
    let cookie = reply.split("__Host-moretta=").nth(1).expect("a cookie");
    let cookie = cookie.split(';').next().expect("its value");
    let head = format!("GET /api/v1{path} HTTP/1.1\r\ncookie: __Host-moretta={cookie}");
    let reply = server.ask(&head, "");
    let body = reply.split_once("\r\n\r\n").expect("a body").1;
    serde_json::from_str(body).expect("JSON")
}

/// The keys of a file as a disk or a memory may have them: as digits, as bytes, and in both alphabets
/// of base 64.
fn forms_of_keys(file: &Path) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(file).expect("keys");
    let mut forms = Vec::new();
    for (_, digits) in text.lines().filter_map(|line| line.split_once(" = ")) {
        let bytes = (0..64).step_by(2);
        let bytes = bytes.map(|place| u8::from_str_radix(&digits[place..place + 2], 16));
        let bytes: Vec<u8> = bytes.collect::<Result<_, _>>().expect("digits");
        forms.extend([
            digits.as_bytes().to_vec(),
            digits.to_ascii_uppercase().into_bytes(),
            base_64(&bytes, b"+/"),
            base_64(&bytes, b"-_"),
            bytes,
        ]);
    }
    assert_eq!(forms.len(), 5 * 5);
    forms
}

/// Without what stands for missing bytes at the end.
fn base_64(bytes: &[u8], last: &[u8; 2]) -> Vec<u8> {
    let letters = [(b'A'..=b'Z'), (b'a'..=b'z'), (b'0'..=b'9')];
    let letters: Vec<u8> = letters.into_iter().flatten().chain(*last).collect();
    let three = |three: &[u8]| {
        let number = (0..3).fold(0_usize, |number, place| {
            number << 8 | usize::from(three.get(place).copied().unwrap_or(0))
        });
        let signs = (0..=three.len()).map(move |place| number >> (18 - 6 * place) & 63);
        signs.collect::<Vec<usize>>()
    };
    let signs = bytes.chunks(3).flat_map(three);
    signs.map(|sign| letters[sign]).collect()
}

#[test]
fn base_64_is_that_of_its_standard() {
    assert_eq!(base_64(b"foobar", b"+/"), b"Zm9vYmFy");
    assert_eq!(base_64(&[0xfb, 0xff], b"-_"), b"-_8");
}

#[test]
fn keys_stand_in_their_file_and_nowhere_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Running::start(folder.path(), &[]);
    let links = server.begun["links"].as_array().expect("links").clone();
    let link = links[0]["address"].as_str().expect("an address");
    let secret = link.rsplit_once('=').expect("a secret").1.to_owned();
    let password = "canary-7f3a correct horse";
    let body = format!("{{\"link\":\"{secret}\",\"name\":\"ana\",\"password\":\"{password}\"}}");
    let reply = server.ask("POST /api/v1/setup HTTP/1.1", &body);
    assert!(reply.starts_with("HTTP/1.1 201"), "{reply}");
    let cookie = reply.split("__Host-moretta=").nth(1).expect("a cookie");
    let cookie = cookie.split(';').next().expect("its value").to_owned();
    let (code, mut written) = server.end("-TERM");
    assert_eq!(code, Some(0));
    let keys = folder.path().join("share/moretta/server.keys");
    let mut secrets = forms_of_keys(&keys);
    secrets.extend([password, &cookie].map(|text| text.as_bytes().to_vec()));
    for file in files(folder.path()) {
        if file != keys {
            written.extend(std::fs::read(file).expect("a file"));
        }
    }
    assert!(written.len() > 10_000);
    for secret in &secrets {
        let found = written.windows(secret.len()).any(|bytes| bytes == secret);
        assert!(!found, "{}", String::from_utf8_lossy(secret));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn keys_are_left_in_no_core_dump() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Running::start(folder.path(), &[]);
    let limits = format!("/proc/{}/limits", server.child.id());
    let limits = std::fs::read_to_string(limits).expect("limits");
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let core: Vec<&str> = core.expect("a limit").split_whitespace().collect();
    assert_eq!(core[4..6], ["0", "0"], "{core:?}");
    let (code, _) = server.end("-ABRT");
    assert_eq!(code, None, "it has crashed");
    let keys = forms_of_keys(&folder.path().join("share/moretta/server.keys"));
    for file in files(folder.path()) {
        let name = file.file_name().and_then(|name| name.to_str());
        assert!(
            !name.is_some_and(|name| name.starts_with("core")),
            "{}",
            file.display()
        );
        if name != Some("server.keys") {
            let bytes = std::fs::read(&file).expect("a file");
            let held = |key: &Vec<u8>| bytes.windows(key.len()).any(|held| held == key);
            assert!(!keys.iter().any(held), "{}", file.display());
        }
    }
}

#[test]
fn an_exported_log_is_verified_by_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.txt");
    std::fs::write(&path, "").expect("written");
    let empty = ran(folder.path(), &["audit", "log.txt"]);
    assert_eq!(empty.status.code(), Some(0));
    let seen = format!("5:{}", "0".repeat(64));
    let cut = ran(folder.path(), &["audit", "log.txt", "--seen", &seen]);
    assert_eq!(cut.status.code(), Some(1));
    std::fs::write(&path, "nonsense\n").expect("written");
    let nonsense = ran(folder.path(), &["audit", "log.txt"]);
    assert_eq!(nonsense.status.code(), Some(1));
    let missing = ran(folder.path(), &["audit", "none.txt"]);
    assert_eq!(missing.status.code(), Some(5));
}

#[test]
fn a_store_is_copied_by_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, _) = Running::start(folder.path(), &["--data", "a"]).end("-TERM");
    assert_eq!(code, Some(0));
    let copied = ran(folder.path(), &["store", "copy", "a", "b"]);
    let told = String::from_utf8_lossy(&copied.stderr);
    assert_eq!(copied.status.code(), Some(0), "{told}");
    let again = ran(folder.path(), &["store", "copy", "a", "b"]);
    assert_eq!(again.status.code(), Some(2));
    let same = ran(folder.path(), &["store", "copy", "a", "a"]);
    assert_eq!(same.status.code(), Some(2));
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}
