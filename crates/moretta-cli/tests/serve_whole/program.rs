//! `moretta serve` as a process, all that it prints, and other commands of the program.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

const PROGRAM: &str = env!("CARGO_BIN_EXE_moretta");

/// The program in a folder, in which everything of it lies.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let temporary = folder.join("temporary");
    std::fs::create_dir_all(&temporary).expect("a folder");
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .current_dir(folder)
        .env("TMPDIR", temporary)
        .env("XDG_DATA_HOME", folder.join("share"))
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a command that succeeds.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    let output = command(folder, arguments).output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    output
}

/// The code with which a command ends.
pub(crate) fn code(folder: &Path, arguments: &[&str]) -> Option<i32> {
    let output = command(folder, arguments).output().expect("it starts");
    output.status.code()
}

/// A server that runs.
pub(crate) struct Running {
    child: Child,
    /// What it has printed when it began.
    pub(crate) begun: Value,
    printed: Arc<Mutex<Vec<u8>>>,
    readers: Vec<JoinHandle<()>>,
}

impl Running {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let all = [&["--json", "serve"], arguments].concat();
        let mut child = command(folder, &all).spawn().expect("it starts");
        let printed = Arc::new(Mutex::new(Vec::new()));
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let begun = begun(&mut out);
        let errors = child.stderr.take().expect("a pipe");
        let readers = vec![keep(out, &printed), keep(errors, &printed)];
        Running {
            child,
            begun,
            printed,
            readers,
        }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        let address = self.begun["address"].as_str().expect("an address");
        address.strip_prefix("http://").expect("plain HTTP")
    }

    /// Kills it between two of its instructions, also while others talk to it; gives the processes that
    /// worked for it.
    pub(crate) fn strike(&self) -> Vec<u32> {
        // A stopped process starts no other one.
        self.signal("-STOP");
        let workers = self.workers();
        self.signal("-KILL");
        workers
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let told = Command::new("kill").args([signal, &id]).status();
        assert!(told.expect("kill is there").success());
    }

    /// The processes that work for it now, where the system tells that.
    pub(crate) fn workers(&self) -> Vec<u32> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let children = threads.into_iter().flatten().flatten().map(|thread| {
            let told = std::fs::read_to_string(thread.path().join("children"));
            told.unwrap_or_default()
        });
        let children: Vec<String> = children.collect();
        let ids = children.iter().flat_map(|told| told.split_whitespace());
        ids.filter_map(|id| id.parse().ok()).collect()
    }

    /// Ends it as nobody can refuse; gives what it has printed.
    pub(crate) fn kill(mut self) -> Vec<u8> {
        self.child.kill().expect("killed");
        self.child.wait().expect("it ends");
        self.printed()
    }

    /// Asks it to end; gives what it has printed.
    pub(crate) fn end(mut self) -> Vec<u8> {
        self.signal("-TERM");
        let status = self.child.wait().expect("it ends");
        let printed = self.printed();
        let shown = String::from_utf8_lossy(&printed).into_owned();
        assert_eq!(status.code(), Some(0), "{shown}");
        printed
    }

    fn printed(&mut self) -> Vec<u8> {
        for reader in self.readers.drain(..) {
            reader.join().expect("read");
        }
        self.printed.lock().expect("bytes").clone()
    }
}

/// A test that fails leaves no server behind.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn begun(out: &mut impl BufRead) -> Value {
    let mut documents = serde_json::Deserializer::from_reader(out).into_iter();
    documents.next().expect("it begins").expect("JSON")
}

fn keep(mut from: impl Read + Send + 'static, printed: &Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    let printed = Arc::clone(printed);
    std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut piece) {
            let mut printed = printed.lock().expect("bytes");
            printed.extend_from_slice(&piece[..read]);
        }
    })
}
