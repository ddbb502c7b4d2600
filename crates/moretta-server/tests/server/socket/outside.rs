//! The server connects to nothing but its database, whatever a client names.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Ways out of a program.
const WAYS_OUT: &[&str] = &[
    "TcpStream",
    "TcpSocket",
    "UdpSocket",
    "UnixStream",
    "ToSocketAddrs",
    "lookup_host",
    "hyper::client",
    "client::conn",
    "reqwest",
    "ureq",
    "ClientConfig",
    "Client::connect",
    ".connect(",
];

/// Where they are: the database, and nothing else.
const EXPECTED: &[(&str, &str)] = &[("db/postgres.rs", ".connect(")];

#[test]
fn no_code_dials_but_that_of_the_database() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&sources, &mut files);
    assert!(files.len() > 40, "only {} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code: String = lines.collect();
        for way in WAYS_OUT {
            // Our own functions that happen to be called so take no address.
            if code.replace("self.connect()", "").contains(way) {
                let name = file.strip_prefix(&sources).expect("inside");
                found.push((name.to_string_lossy().replace('\\', "/"), (*way).to_owned()));
            }
        }
    }
    let expected: Vec<(String, String)> = EXPECTED
        .iter()
        .map(|(file, way)| ((*file).to_owned(), (*way).to_owned()))
        .collect();
    assert_eq!(found, expected);
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => collect(&path, files),
            false if path.extension().is_some_and(|ending| ending == "rs") => files.push(path),
            false => {}
        }
    }
}

/// The whole suite in a network that has loopback and nothing else. `./test all` says that the
/// machine can do it.
#[test]
fn the_suite_passes_without_a_network() {
    if std::env::var_os("MORETTA_TEST_HOSTS").is_none()
        || std::env::var_os("WITHOUT_NETWORK").is_some()
    {
        return;
    }
    let suite = std::env::current_exe().expect("this program");
    // Who is root already keeps all rights: of a root of a namespace, the folder of PostgreSQL is somebody else's.
    let who = match rustix::process::geteuid().is_root() {
        true => None,
        false => Some("--map-root-user"),
    };
    let ran = Command::new("unshare")
        .arg("--net")
        .args(who)
        .args(["sh", "-c", "ip link set lo up && exec \"$0\""])
        .arg(suite)
        .env("WITHOUT_NETWORK", "1")
        .output()
        .expect("unshare is there");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stdout)
    );
}
