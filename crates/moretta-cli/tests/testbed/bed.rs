//! A folder with the policies and rows of a federation, and its parties as processes.

use std::fs::File;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_moretta");

/// The parties of the example; the aggregator is `hub`.
pub(crate) const PARTIES: [&str; 7] = ["hub", "desk", "viewer", "home", "icu", "lab", "ward"];

/// No test waits longer for what must happen.
const LONG: Duration = Duration::from_secs(240);

/// Where answers go.
const ANSWERS: &str = "out/answers.csv";

pub(crate) struct Bed {
    folder: tempfile::TempDir,
}

impl Bed {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("logs")).expect("a folder");
        Bed { folder }
    }

    /// The example with this many records.
    pub(crate) fn example(records: usize) -> Self {
        let bed = Bed::new();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/federation");
        for entry in std::fs::read_dir(example).expect("the example") {
            let path = entry.expect("an entry").path();
            let text = |lines: usize| -> String {
                let text = std::fs::read_to_string(&path).expect("a text");
                text.lines()
                    .take(lines)
                    .map(|line| format!("{line}\n"))
                    .collect()
            };
            let text = match path.extension().and_then(|ending| ending.to_str()) {
                Some("toml") => text(usize::MAX),
                Some("csv") => text(records + 1),
                _ => continue,
            };
            let name = path.file_name().and_then(|name| name.to_str());
            bed.write(name.expect("a name"), &text);
        }
        bed
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a text")
    }

    /// Replaces what must be there.
    pub(crate) fn change(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{from} in {file}");
        self.write(file, &text.replace(from, to));
    }

    pub(crate) fn run(&self, arguments: &[&str]) {
        let run = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(self.folder.path())
            .output();
        let run = run.expect("the program runs");
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{arguments:?}: {told}");
    }

    pub(crate) fn make_keys(&self) {
        self.run(&["federation", "keys", "hub.toml", "--output", "keys"]);
    }

    /// The answers of parties that have ended must be those of one process, which repeats their run.
    pub(crate) fn check_answers(&self, records: usize) {
        let answers = self.answers();
        std::fs::remove_file(self.path(ANSWERS)).expect("removed");
        self.run(&["federation", "simulate", ".", "--write", "--json"]);
        assert!(self.answers() == answers, "answers differ");
        let lines = answers.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines, records + 1);
    }

    pub(crate) fn answers(&self) -> Vec<u8> {
        std::fs::read(self.path(ANSWERS)).unwrap_or_default()
    }

    /// Records that are answered so far, each with its flags.
    pub(crate) fn flags(&self) -> Vec<String> {
        let answers = String::from_utf8(self.answers()).expect("a text");
        // The last line may be on its way.
        let whole = answers.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let flags = |line: &str| line.rsplit(',').next().unwrap_or_default().to_owned();
        whole.lines().skip(1).map(flags).collect()
    }

    pub(crate) fn wait_for_answers(&self, records: usize) {
        wait_until(&format!("{records} answers"), || {
            self.flags().len() >= records
        });
    }

    /// Starts a party; `command` runs the program, perhaps elsewhere.
    pub(crate) fn start_by(&self, mut command: Command, party: &str) -> Process {
        let verb = if party == "hub" { "aggregate" } else { "site" };
        let log = |ending: &str| {
            let path = self.path(&format!("logs/{party}.{ending}"));
            File::create(path).expect("a log")
        };
        let child = command
            .args([verb, &format!("{party}.toml"), "--json"])
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(log("out"))
            .stderr(log("err"))
            .spawn()
            .expect("the program starts");
        Process {
            party: party.to_owned(),
            child,
            errors: self.path(&format!("logs/{party}.err")),
        }
    }

    pub(crate) fn start(&self, party: &str) -> Process {
        self.start_by(Command::new(PROGRAM), party)
    }

    /// All files below the folder.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let (mut folders, mut files) = (vec![self.folder.path().to_owned()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        files
    }
}

/// A party that runs; it is killed when it is dropped.
pub(crate) struct Process {
    pub(crate) party: String,
    child: Child,
    errors: PathBuf,
}

impl Process {
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Gives it rows on standard input.
    pub(crate) fn feed(&mut self, rows: &str) {
        let input = self.child.stdin.as_mut().expect("a pipe");
        let fed = input.write_all(rows.as_bytes());
        fed.unwrap_or_else(|_| panic!("{} has ended: {}", self.party, self.told()));
    }

    /// Ends its standard input.
    pub(crate) fn end_rows(&mut self) {
        drop(self.child.stdin.take());
    }

    fn told(&self) -> String {
        std::fs::read_to_string(&self.errors).unwrap_or_default()
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a process")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended().is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Waits until all have ended well.
pub(crate) fn finish(processes: Vec<Process>) {
    let mut processes = processes;
    processes.iter_mut().for_each(Process::end_rows);
    let begin = Instant::now();
    while !processes.is_empty() {
        processes.retain_mut(|process| match process.ended() {
            None => true,
            Some(status) => {
                let party = &process.party;
                assert!(status.success(), "{party}: {status}: {}", process.told());
                false
            }
        });
        if begin.elapsed() > LONG {
            let told = processes
                .iter()
                .map(|p| format!("{}: {}", p.party, p.told()));
            panic!("still running: {}", told.collect::<Vec<_>>().join("\n"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for what must happen.
pub(crate) fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !happened() {
        assert!(begin.elapsed() < LONG, "{what}: waited in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Ports that were free a moment ago.
pub(crate) fn free_ports<const N: usize>() -> [u16; N] {
    let listeners = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    listeners.map(|listener| listener.local_addr().expect("an address").port())
}
