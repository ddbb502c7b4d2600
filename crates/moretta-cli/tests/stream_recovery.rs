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

/// A stream from standard input with a report, of which the first rows have come.
struct Waiting {
    folder: Folder,
    run: std::process::Child,
    events: String,
}

/// Feeds the first half of the events and waits until a checkpoint has noted some of them.
fn waiting(prepared: impl Fn(&Folder), arguments: &[&str]) -> Waiting {
    let folder = folder("z = 4");
    let policy = folder.text("policy.toml").replace("events.csv", "-");
    let policy = policy + "[report]\npath = \"out/report.html\"\n";
    std::fs::write(folder.path("policy.toml"), policy).expect("written");
    prepared(&folder);
    let events = folder.text("events.csv");
    // `env` sees to it that whoever runs the tests has not set the interrupt aside.
    let mut run = folder
        .command("env")
        .arg("--default-signal=INT,TERM,HUP")
        .arg(PROGRAM)
        .args(["run", "policy.toml"])
        .args(arguments)
        .env("MORETTA_KEY", "0123456789abcdef0123456789abcdef")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = run.stdin.take().expect("piped");
    let half = events.len() / 2;
    std::io::Write::write_all(&mut input, &events.as_bytes()[..half]).expect("fed");
    let noted = || std::fs::read_to_string(folder.path("progress.json")).unwrap_or_default();
    while !noted().contains("\"released\":") || noted().contains("\"rows\":[0]") {
        let ended = run.try_wait().expect("a child of ours");
        assert!(ended.is_none(), "it ended before a checkpoint was seen");
        std::thread::sleep(Duration::from_millis(1));
    }
    // The stream must not see the end of its input before it is told to end.
    run.stdin = Some(input);
    Waiting {
        folder,
        run,
        events,
    }
}

impl Waiting {
    /// Gives all events again; the exit code and what was said.
    fn go_on(&self) -> (Option<i32>, String) {
        let source = self.folder.path("again.csv");
        std::fs::write(&source, &self.events).expect("written");
        let ran = command(&self.folder)
            .stdin(std::fs::File::open(source).expect("there"))
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        (ran.status.code(), said)
    }
}

#[test]
fn a_report_that_force_replaces_is_replaced_by_the_run_that_goes_on() {
    let prepared = |folder: &Folder| {
        std::fs::create_dir(folder.path("out")).expect("a folder");
        for name in ["out/report.html", "out/report.json", "out/released.csv"] {
            std::fs::write(folder.path(name), "of an older run").expect("written");
        }
    };
    let mut stopped = waiting(prepared, &["--force"]);
    stopped.run.kill().expect("killed");
    stopped.run.wait().expect("ended");
    assert_eq!(stopped.folder.text("out/report.html"), "of an older run");
    let (code, said) = stopped.go_on();
    assert_eq!(code, Some(0), "{said}");
    let folder = &stopped.folder;
    assert!(folder.text("out/report.html").contains("<html"));
    assert!(folder.text("out/report.json").contains("\"stream\""));
    assert!(!folder.path("progress.json").exists());
}

#[test]
fn a_report_that_came_meanwhile_is_told_before_the_first_row_and_nothing_is_lost() {
    let mut stopped = waiting(|_| {}, &[]);
    stopped.run.kill().expect("killed");
    stopped.run.wait().expect("ended");
    let folder = &stopped.folder;
    std::fs::write(folder.path("out/report.json"), "of another run").expect("written");
    let before = folder.text("out/released.csv");
    let (code, said) = stopped.go_on();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("move it away"), "{said}");
    assert_eq!(folder.text("out/report.json"), "of another run");
    assert_eq!(folder.text("out/released.csv"), before);
    std::fs::rename(folder.path("out/report.json"), folder.path("other.json")).expect("moved");
    let (code, said) = stopped.go_on();
    assert_eq!(code, Some(0), "{said}");
    assert!(
        folder
            .text("out/released.csv")
            .starts_with(&before[..before.len() / 2])
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_that_is_told_to_end_says_how_it_goes_on() {
    let mut stopped = waiting(|_| {}, &[]);
    let sent = std::process::Command::new("kill")
        .args(["-s", "INT", &stopped.run.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
    assert_eq!(stopped.run.wait().expect("ended").code(), Some(130));
    let mut said = String::new();
    let mut told = stopped.run.stderr.take().expect("piped");
    std::io::Read::read_to_string(&mut told, &mut said).expect("text");
    assert!(said.contains("the same command goes on"), "{said}");
    assert!(said.contains("progress.json"), "{said}");
    let (code, said) = stopped.go_on();
    assert_eq!(code, Some(0), "{said}");
}
