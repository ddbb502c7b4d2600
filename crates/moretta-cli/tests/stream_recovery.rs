//! A stream that is killed goes on where it was: no row is lost, none released
//! twice, none at another level, and the bytes are those of an undisturbed run.

#![cfg(unix)]

mod support;

use std::process::Stdio;
use std::time::Duration;
use support::{Folder, PROGRAM};

const POLICY: &str = r#"
version = 1
name = "shop"
[source]
path = "events.csv"
[columns]
t = { role = "time" }
user = { role = "subject", action = "pseudonym", key = "env:MORETTA_KEY", rotate = "2h" }
attribute = { role = "quasi", hierarchy = { path = "*" } }
[[protect]]
method = "z-anonymity"
window = "20m"
METHOD
[checkpoint]
path = "progress.json"
every = 700
[sink]
path = "out/released.csv"
"#;

/// The methods, and for each one a stream of shop visits.
const METHODS: [&str; 5] = [
    "z = 4",
    "tune = { goal = 0.6, every = \"10m\" }",
    "z = 4\nmode = \"exact\"\nlateness = \"3m\"",
    "z = 6\nfakes = { at_most = \"z/2\", key = \"env:MORETTA_KEY\" }",
    "z = 3\nunique_sets = \"hold\"",
];

fn folder(method: &str) -> Folder {
    let folder = Folder::new().policy(&POLICY.replace("METHOD", method));
    let made = folder
        .command(PROGRAM)
        .args(["generate", "ecommerce", "--rows", "30000", "--seed", "5"])
        .args(["--output", "events.csv"])
        .output()
        .expect("the program starts");
    assert!(made.status.success());
    folder
}

fn command(folder: &Folder) -> std::process::Command {
    let mut command = folder.command(PROGRAM);
    command
        .args(["run", "policy.toml"])
        .env("MORETTA_KEY", "0123456789abcdef0123456789abcdef")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// A sequence that does not repeat soon.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

#[test]
fn killed_a_hundred_times_it_releases_the_same_bytes() {
    let mut random = Random(0x5EED);
    let mut kills = 0;
    for method in METHODS {
        let whole = folder(method);
        let ran = command(&whole).output().expect("the program starts");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{method}: {said}");
        assert!(
            !whole.path("progress.json").exists(),
            "a finished stream leaves no checkpoint"
        );
        let expected = whole.text("out/released.csv");
        let mut killed_here = 0;
        while killed_here < 20 {
            let broken = folder(method);
            let (mut interrupted, mut runs) = (0, 0);
            loop {
                let mut child = command(&broken).spawn().expect("the program starts");
                // A run takes a good part of a second at most; later ones are let be.
                let patience = if runs < 12 { 300 } else { 600_000 };
                let deadline = Duration::from_millis(1 + random.below(patience));
                let begun = std::time::Instant::now();
                let status = loop {
                    match child.try_wait().expect("a child") {
                        Some(status) => break Some(status),
                        None if begun.elapsed() >= deadline => break None,
                        None => std::thread::sleep(Duration::from_micros(200)),
                    }
                };
                runs += 1;
                match status {
                    // Killed when all was done: the release is there, and nothing to go on with.
                    Some(status)
                        if status.code() == Some(2)
                            && interrupted > 0
                            && !broken.path("progress.json").exists() =>
                    {
                        break;
                    }
                    Some(status) => {
                        assert!(
                            status.success(),
                            "{method} after {interrupted} kills: {status}"
                        );
                        break;
                    }
                    None => {
                        child.kill().expect("killed");
                        child.wait().expect("gone");
                        interrupted += 1;
                    }
                }
            }
            killed_here += interrupted;
            let found = broken.text("out/released.csv");
            assert_eq!(
                found.len(),
                expected.len(),
                "{method} after {interrupted} kills"
            );
            assert!(
                found == expected,
                "{method} after {interrupted} kills: other bytes"
            );
        }
        kills += killed_here;
    }
    assert!(kills >= 100, "{kills}");
}

#[test]
fn a_damaged_or_foreign_checkpoint_is_refused() {
    let folder = folder("z = 4");
    let mut child = command(&folder).spawn().expect("the program starts");
    let place = folder.path("progress.json");
    // As soon as there is a checkpoint with rows in it.
    let checkpoint = loop {
        let text = std::fs::read_to_string(&place).unwrap_or_default();
        if text.contains("\"rows\":[") && !text.contains("\"rows\":[0]") {
            child.kill().expect("killed");
            break text;
        }
        std::thread::sleep(Duration::from_micros(200));
    };
    child.wait().expect("gone");
    let release = folder.text("out/released.csv");
    let refused = |what: &str| {
        let ran = command(&folder).output().expect("the program starts");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(5), "{said}");
        assert!(said.contains(what), "{said}");
        assert_eq!(
            folder.text("out/released.csv"),
            release,
            "nothing is touched"
        );
    };
    for flipped in 0..checkpoint.len() {
        // Every 37th byte, or this would take minutes.
        if flipped % 37 != 0 {
            continue;
        }
        let mut bytes = checkpoint.clone().into_bytes();
        bytes[flipped] ^= 1;
        std::fs::write(&place, bytes).expect("written");
        refused("damaged");
    }
    for cut in [0, 1, checkpoint.len() / 2, checkpoint.len() - 2] {
        std::fs::write(&place, &checkpoint[..cut]).expect("written");
        refused("damaged");
    }
    std::fs::write(&place, &checkpoint).expect("written");
    let policy = folder.text("policy.toml");
    std::fs::write(folder.path("policy.toml"), policy.replace("z = 4", "z = 2")).expect("written");
    refused("belongs to the policy with SHA-256");
    std::fs::write(folder.path("policy.toml"), policy).expect("written");
    let events = folder.text("events.csv");
    for (changed, what) in [
        (events.replacen('\n', "\n1", 1), "the source does not begin"),
        (
            events[..events.len() / 2].to_owned(),
            "the source has become shorter",
        ),
    ] {
        std::fs::write(folder.path("events.csv"), changed).expect("written");
        refused(what);
    }
    std::fs::write(folder.path("events.csv"), &events).expect("written");
    let other = command(&folder)
        .env("MORETTA_KEY", "fedcba9876543210fedcba9876543210")
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(5), "{said}");
    assert!(said.contains("made with another key"), "{said}");
    // With --force it begins anew.
    let ran = command(&folder)
        .arg("--force")
        .output()
        .expect("the program starts");
    assert!(ran.status.success());
}
