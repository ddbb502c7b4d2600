//! A child process that does one job, or runs one stream: lines of JSON to it and from it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
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

/// Gives on what is told, until the end or what is no line of the protocol.
fn receive<T: DeserializeOwned>(output: impl Read, sender: &SyncSender<T>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::protocol::{Progress, Told};
    use crate::stream::protocol::StreamTold;
    use proptest::prelude::*;

    /// What is heard of these bytes; it ends, since they do.
    fn heard<T: DeserializeOwned + Send>(bytes: &[u8]) -> Vec<T> {
        let (sender, told) = sync_channel(4);
        std::thread::scope(|scope| {
            scope.spawn(move || receive(bytes, &sender));
            told.iter().collect()
        })
    }

    fn lines(number: usize) -> Vec<u8> {
        let line = |rows: usize| {
            let told = Told::Progress(Progress {
                stage: "read".to_owned(),
                rows: rows as u64,
                share: None,
            });
            serde_json::to_string(&told).expect("JSON") + "\n"
        };
        (0..number).map(line).collect::<String>().into_bytes()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn any_bytes_are_heard_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..3_000)) {
            heard::<Told>(&bytes);
            heard::<StreamTold>(&bytes);
        }

        #[test]
        fn lines_before_one_that_is_none_are_heard(number in 0..20_usize, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = lines(number);
            let whole = heard::<Told>(&bytes).len();
            prop_assert_eq!(whole, number);
            if number > 0 {
                let at = at.index(bytes.len());
                let before = bytes[..at].iter().filter(|b| **b == b'\n').count();
                bytes[at] = byte;
                prop_assert!(heard::<Told>(&bytes).len() >= before);
                bytes[at] = b'{';
                bytes.truncate(at + 1);
                prop_assert_eq!(heard::<Told>(&bytes).len(), before);
            }
        }
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        let (sender, told) = sync_channel::<Told>(4);
        receive(std::io::repeat(b'['), &sender);
        drop(sender);
        assert_eq!(told.iter().count(), 0);
    }
}
