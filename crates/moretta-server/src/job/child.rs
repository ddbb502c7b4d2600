//! A child process that does one job, or runs one stream: lines of JSON to it and from it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;
use zeroize::Zeroizing;

/// How long a line of a worker may be.
const LINE: u64 = 64 << 20;

/// A child that works, and tells `T`. It is killed when this is dropped.
pub(crate) struct Worker<T> {
    child: Child,
    told: Receiver<T>,
    /// Lines for the child; while this is there, its input stays open.
    lines: Option<Sender<Line>>,
}

/// A line for a child, which may hold keys.
type Line = Zeroizing<Vec<u8>>;

/// What a child has told within some time.
pub(crate) enum Heard<T> {
    /// This.
    Told(T),
    /// Nothing yet.
    Nothing,
    /// Nothing any more: it has ended so.
    Ended(Option<ExitStatus>),
}

impl<T: DeserializeOwned + Send + 'static> Worker<T> {
    /// Starts a child in a folder and tells it its task. Its standard input stays open: when this process ends,
    /// however, so does the child. It gets no variable of the environment and no other open file.
    pub(crate) fn start(program: &[String], folder: &Path, task: &impl Serialize) -> Result<Self> {
        let (name, arguments) = program
            .split_first()
            .ok_or_else(|| std::io::Error::other("no program is named for workers"))?;
        let mut command = Command::new(name);
        command
            .args(arguments)
            .env_clear()
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // Keys that stop the server in its terminal are not meant for its children.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (lines, wanted) = channel();
        if let Some(input) = child.stdin.take() {
            std::thread::spawn(move || send(input, &wanted));
        }
        let (sender, told) = sync_channel(64);
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || receive(output, &sender));
        }
        let worker = Worker {
            child,
            told,
            lines: Some(lines),
        };
        worker.say(task)?;
        Ok(worker)
    }

    /// Says something to it; one that does not listen any more is heard of by [`Worker::hear`].
    pub(crate) fn say(&self, what: &impl Serialize) -> Result<()> {
        let mut line = Zeroizing::new(serde_json::to_vec(what)?);
        line.push(b'\n');
        if let Some(lines) = &self.lines {
            let _ = lines.send(line);
        }
        Ok(())
    }

    /// What it tells within `wait`.
    pub(crate) fn hear(&mut self, wait: Duration) -> Heard<T> {
        match self.told.recv_timeout(wait) {
            Ok(told) => Heard::Told(told),
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => {
                // One that has closed its output has nothing more to do here.
                self.lines = None;
                Heard::Ended(self.wait())
            }
        }
    }

    /// Waits until it has ended, for a while; then it is killed.
    fn wait(&mut self) -> Option<ExitStatus> {
        for _ in 0..200 {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                Err(_) => return None,
            }
        }
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes lines and keeps the input open until the worker is dropped. A child that does not read
/// holds up this thread only.
fn send(mut input: ChildStdin, lines: &Receiver<Line>) {
    while let Ok(line) = lines.recv() {
        if input.write_all(&line).is_err() {
            break;
        }
    }
}

fn receive<T: DeserializeOwned>(output: ChildStdout, sender: &SyncSender<T>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.by_ref().take(LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        // What is no line of the protocol ends the talk: the child is not believed any more.
        let Ok(told) = serde_json::from_slice(&line) else {
            break;
        };
        if sender.send(told).is_err() {
            break;
        }
    }
}
