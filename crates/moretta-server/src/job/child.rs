//! A child process that does one job.

use super::protocol::{Task, Told};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How long a line of a worker may be.
const LINE: u64 = 64 << 20;

/// A child that works.
pub(super) struct Worker {
    child: Child,
    told: Receiver<Told>,
}

/// What a child has to say within some time.
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
    /// however, so does the child.
    pub(super) fn start(program: &[String], task: &Task) -> std::io::Result<Self> {
        let (name, arguments) = program
            .split_first()
            .ok_or_else(|| std::io::Error::other("no program is named for workers"))?;
        let mut child = Command::new(name)
            .args(arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = serde_json::to_vec(task).map_err(std::io::Error::other)?;
        line.push(b'\n');
        if let Some(input) = &mut child.stdin {
            // A child that ended already is heard of below.
            let _ = input.write_all(&line);
        }
        let (sender, told) = sync_channel(64);
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut output = BufReader::new(output);
                loop {
                    let mut line = Vec::new();
                    match output.by_ref().take(LINE).read_until(b'\n', &mut line) {
                        Ok(0) | Err(_) => break,
                        Ok(_) => {}
                    }
                    let Ok(told) = serde_json::from_slice(&line) else { break };
                    if sender.send(told).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Worker { child, told })
    }

    /// What it has to say within `wait`.
    pub(super) fn hear(&mut self, wait: Duration) -> Heard {
        match self.told.recv_timeout(wait) {
            Ok(told) => Heard::Told(told),
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => {
                self.child.stdin = None;
                Heard::Ended(self.child.wait().ok())
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
