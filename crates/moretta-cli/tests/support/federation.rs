//! The example of a federation with ports of its own, and its parties as processes.

use super::PROGRAM;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub(crate) const PARTIES: [&str; 7] = ["hub", "desk", "viewer", "home", "icu", "lab", "ward"];

/// No test waits longer for processes to end.
pub(crate) const LONG: Duration = Duration::from_secs(240);

/// A copy of the example with ports of its own and this many records.
pub(crate) fn example(records: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/federation");
    let ports: Vec<TcpListener> = (0..2)
        .map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"))
        .collect();
    let port = |place: usize| {
        ports[place]
            .local_addr()
            .expect("an address")
            .port()
            .to_string()
    };
    for entry in std::fs::read_dir(example).expect("the example") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_owned();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let text = match ending {
            Some("toml" | "csv") => std::fs::read_to_string(&path).expect("a text"),
            _ => continue,
        };
        let text = match ending {
            Some("csv") => rows(&text, records),
            _ => text.replace("7443", &port(0)).replace("7444", &port(1)),
        };
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

pub(crate) fn moretta(folder: &Path, args: &[&str]) -> Output {
    let run = Command::new(PROGRAM)
        .args(args)
        .current_dir(folder)
        .output();
    run.expect("the program runs")
}

pub(crate) fn succeeded(run: &Output) -> String {
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8_lossy(&run.stdout).into_owned()
}

pub(crate) fn change(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).expect("a policy");
    assert!(text.contains(from), "{from} in {file}");
    std::fs::write(path, text.replace(from, to)).expect("written");
}

pub(crate) fn start(folder: &Path, party: &str) -> Child {
    let command = if party == "hub" { "aggregate" } else { "site" };
    Command::new(PROGRAM)
        .args([command, &format!("{party}.toml"), "--json"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits for all of them, and ends those that take too long.
pub(crate) fn wait(children: Vec<(&str, Child)>) -> Vec<(String, Output)> {
    let begin = Instant::now();
    // Who has more to tell than a pipe holds would never end.
    let drained = children.into_iter().map(|(party, mut child)| {
        let told = (drain(child.stdout.take()), drain(child.stderr.take()));
        (party, child, told)
    });
    let drained: Vec<_> = drained.collect();
    let end = |(party, mut child, (stdout, stderr)): (&str, Child, (Drain, Drain))| {
        let status = loop {
            if let Some(status) = child.try_wait().expect("a process") {
                break status;
            }
            if begin.elapsed() > LONG {
                child.kill().expect("ended");
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let output = Output {
            status,
            stdout: stdout.join().expect("its output"),
            stderr: stderr.join().expect("its messages"),
        };
        (party.to_owned(), output)
    };
    drained.into_iter().map(end).collect()
}

type Drain = std::thread::JoinHandle<Vec<u8>>;

fn drain(pipe: Option<impl std::io::Read + Send + 'static>) -> Drain {
    std::thread::spawn(move || {
        let mut told = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut told).expect("a pipe");
        }
        told
    })
}

/// The head of a table and this many rows of it, from the beginning again where they are too few.
fn rows(text: &str, records: usize) -> String {
    let mut lines = text.lines();
    let head = lines.next().expect("a head");
    let rows = lines.cycle().take(records);
    std::iter::once(head)
        .chain(rows)
        .map(|line| format!("{line}\n"))
        .collect()
}

pub(crate) fn make_keys(folder: &Path) {
    let keys = ["federation", "keys", "hub.toml", "--output", "keys"];
    succeeded(&moretta(folder, &keys));
}

/// Compares answers of processes with those of one process that has their secrets; gives what
/// it told.
pub(crate) fn check_answers(folder: &Path, records: usize) -> String {
    let answers = folder.join("out/answers.csv");
    let linked = std::fs::read(&answers).expect("answers");
    std::fs::remove_file(&answers).expect("removed");
    let simulated = moretta(
        folder,
        &["federation", "simulate", ".", "--write", "--json"],
    );
    let simulated = succeeded(&simulated);
    let expected = std::fs::read(&answers).expect("answers");
    assert!(linked == expected, "answers differ");
    let lines = linked.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(lines, records + 1);
    simulated
}

/// Waits until something is so, and fails if it takes too long.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < LONG, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Gives trouble nodes a place of their own, the party `node`.
pub(crate) fn add_host(folder: &Path) {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address").to_string();
    drop(free);
    for party in PARTIES {
        let policy = format!("{party}.toml");
        let hosts = format!("hosts = {{ node = \"{address}\" }}\npins = ");
        change(folder, &policy, "pins = ", &hosts);
        let parties = "viewer = \"consumer\", node = \"trouble\"";
        change(folder, &policy, "viewer = \"consumer\"", parties);
    }
    let viewer = std::fs::read_to_string(folder.join("viewer.toml")).expect("a policy");
    let (_, federation) = viewer.split_once("[federation]").expect("a section");
    let node = federation
        .replace("role = \"consumer\"", "role = \"trouble\"")
        .replace(
            "id = \"viewer\"",
            &format!("id = \"node\"\nlisten = \"{address}\""),
        )
        .replace("keys/viewer", "keys/node");
    let node = format!("version = 1\n[federation]{node}");
    std::fs::write(folder.join("node.toml"), node).expect("written");
}
