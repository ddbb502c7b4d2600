//! A child process that does one job.

use super::protocol::{Task, Told};
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

/// How long a line of a worker may be.
const LINE: u64 = 64 << 20;

/// A child that works. It is killed when this is dropped.
pub(super) struct Worker {
    child: Child,
    told: Receiver<Told>,
    /// While it is there, the input of the child stays open.
    wanted: Option<Sender<()>>,
}

/// What a child has told within some time.
pub(super) enum Heard {
    /// This.
    Told(Told),
    /// Nothing yet.
    Nothing,
    /// Nothing any more: it has ended so.
    Ended(Option<ExitStatus>),
}

impl Worker {
    /// Starts a child and tells it its task. Its standard input stays open: when this process ends,
    /// however, so does the child. It gets no variable of the environment and no other open file.
    pub(super) fn start(program: &[String], task: &Task) -> Result<Self> {
        let (name, arguments) = program
            .split_first()
            .ok_or_else(|| std::io::Error::other("no program is named for workers"))?;
        let mut line = zeroize::Zeroizing::new(serde_json::to_vec(task)?);
        line.push(b'\n');
        let mut command = Command::new(name);
        command
            .args(arguments)
            .env_clear()
            .current_dir(&task.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // Keys that stop the server in its terminal are not meant for its children.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (wanted, dropped) = channel();
        if let Some(input) = child.stdin.take() {
            std::thread::spawn(move || send(input, &line, &dropped));
        }
        let (sender, told) = sync_channel(64);
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || receive(output, &sender));
        }
        Ok(Worker {
            child,
            told,
            wanted: Some(wanted),
        })
    }

    /// What it tells within `wait`.
    pub(super) fn hear(&mut self, wait: Duration) -> Heard {
        match self.told.recv_timeout(wait) {
            Ok(told) => Heard::Told(told),
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => {
                // One that has closed its output has nothing more to do here.
                self.wanted = None;
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

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the line and keeps the input open until the worker is dropped. A child that does not read
/// holds up this thread only.
fn send(mut input: ChildStdin, line: &[u8], dropped: &Receiver<()>) {
    if input.write_all(line).is_ok() {
        let _ = dropped.recv();
    }
}

fn receive(output: ChildStdout, sender: &SyncSender<Told>) {
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
