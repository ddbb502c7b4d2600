//! The worker: a process that does one job, or runs one stream, knows what its task says and nothing
//! else.
//!
//! It reads one line, limits itself, and answers in lines; the last is `done` or `failed`. Files
//! that it is given are sealed and so are those that it makes (`files.rs`): it unseals in memory,
//! and plain text never reaches a disk. At the end of its input it ends, whatever it is doing.
//!
//! Jobs are done by the library as on the command line, so the same policy gives the same bytes.
//! What is not a release is told in rounded figures, as those who prepare data may see them.

mod attack;
mod explore;
mod files;
mod learn;
pub mod limits;
mod plan;
mod preview;
mod profile;
mod release;
pub mod stream;
mod told;
mod tune;
mod verify;

use crate::job::Kind;
use crate::job::protocol::{Failure, Made, Progress as HowFar, Task, Told};
use crate::problem::{Problem, Result};
use crate::stream::protocol::StreamTask;
use files::SealedFiles;
use limits::Allowed;
use moretta::Error;
use moretta::io::Files;
use moretta::pipeline::{Options, Progress};
use moretta::policy::{Policy, Root, Secrets};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use zeroize::Zeroizing;

/// How long the line of a task may be.
const LINE: u64 = 64 << 20;

/// How many threads a job may have, whatever its task says.
const THREADS: usize = 256;

/// How often a worker tells how far it is.
const TELL: Duration = Duration::from_millis(250);

/// The process around a worker.
pub struct Process {
    /// Limits the process to what the task says, before anything of it is read.
    pub limit: fn(&Allowed<'_>) -> Result<()>,
    /// Ends the process: the server does not want the job any more, or is gone.
    pub gone: fn(),
}

/// Does the job that the first line of `input` says, and tells of it in lines of `output`. Gives
/// whether it was done.
pub fn work(
    mut input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    process: &Process,
) -> bool {
    let line = read(&mut input);
    // Threads inherit the limits, so these come before the first of them.
    let task = match line.and_then(|line| parse(&line)) {
        Ok(Work::Stream(task)) => return stream::run_stream(task, input, output, process),
        Ok(Work::Job(task)) => (process.limit)(&Allowed::from(&*task)).map(|()| *task),
        Err(problem) => Err(problem),
    };
    let teller = Teller::new(output);
    let task = match task {
        Ok(task) => task,
        Err(problem) => return teller.end(Err(problem.into())),
    };
    let progress = Progress::default();
    watch(input, progress.clone(), process.gone);
    let done = teller.beside(&progress, || within(task, &progress, &teller));
    teller.end(done)
}

/// What was found, and what was made.
type Done = std::result::Result<(Value, Vec<Made>), Failure>;

/// What a worker is for.
enum Work {
    /// A job, which ends.
    Job(Box<Task>),
    /// A stream, until somebody stops it.
    Stream(StreamTask),
}

fn read(input: &mut impl BufRead) -> Result<Zeroizing<Vec<u8>>> {
    let mut line = Zeroizing::new(Vec::new());
    let read = input.by_ref().take(LINE).read_until(b'\n', &mut line);
    read.map_err(|e| Problem::unavailable(format!("no task can be read: {}", e.kind())))?;
    Ok(line)
}

fn parse(line: &[u8]) -> Result<Work> {
    if let Ok(task) = serde_json::from_slice(line) {
        return Ok(Work::Stream(task));
    }
    let task = serde_json::from_slice(line).map(|task| Work::Job(Box::new(task)));
    // The sentence of the reader could hold what was written.
    task.map_err(|_| Problem::bug("a worker was given no task"))
}

/// Stops the work when the input ends.
fn watch(mut input: impl BufRead + Send + 'static, progress: Progress, gone: fn()) {
    thread::spawn(move || {
        let mut some = [0; 64];
        while !matches!(input.read(&mut some), Ok(0) | Err(_)) {}
        progress.cancel().cancel();
        gone();
    });
}

/// Does the job on as many threads as it may have; a panic is a fault of ours and of this job.
fn within(task: Task, progress: &Progress, teller: &Teller) -> Done {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(task.threads.clamp(1, THREADS));
    let pool = pool
        .build()
        .map_err(|_| Problem::unavailable("no threads can be started"));
    let pool = pool.map_err(Failure::from)?;
    let worked = catch_unwind(AssertUnwindSafe(|| {
        pool.install(|| Job::new(task, progress, teller)?.work())
    }));
    worked.unwrap_or_else(|_| Err(Problem::bug("a worker has panicked").into()))
}

/// A job that is being done.
struct Job<'a> {
    task: Task,
    sealed: SealedFiles,
    files: Files,
    root: Root,
    progress: &'a Progress,
    teller: &'a Teller,
}

impl<'a> Job<'a> {
    fn new(
        task: Task,
        progress: &'a Progress,
        teller: &'a Teller,
    ) -> std::result::Result<Self, Failure> {
        let sealed = SealedFiles::new(&task)?;
        let files = Files::provided(sealed.clone());
        let secrets: BTreeMap<String, String> = task.secrets.iter().cloned().collect();
        let find = move |name: &str| secrets.get(name).map(|text| text.clone().into_bytes());
        let root = Root::of_files(files.clone()).with_secrets(Secrets::by(find).alone());
        Ok(Job {
            task,
            sealed,
            files,
            root,
            progress,
            teller,
        })
    }

    fn work(&self) -> Done {
        let value = match self.task.kind {
            Kind::Profile => profile::work(self),
            Kind::Preview => preview::work(self),
            Kind::Plan => plan::work(self),
            Kind::Explore => explore::work(self),
            Kind::Tune => tune::work(self),
            Kind::Learn => learn::work(self),
            Kind::Attack => attack::work(self),
            Kind::Verify => verify::work(self),
            Kind::Release => release::work(self),
        }?;
        // What was cancelled is not done, whatever it has found.
        self.progress.cancel().check().map_err(failure)?;
        Ok((value, self.sealed.made()?))
    }

    /// What exactly is to be done.
    fn options<T: DeserializeOwned>(&self) -> std::result::Result<T, Failure> {
        let options = serde_json::from_value(self.task.options.clone());
        options.map_err(|_| Problem::bug("a worker was given other options").into())
    }

    /// The policy. It may use as much memory as the job.
    fn policy(&self) -> std::result::Result<Policy, Failure> {
        let mut policy = Policy::parse(&self.task.policy, &self.root).map_err(failure)?;
        let memory = &mut policy.source.options.limits.memory;
        *memory = (*memory).min(self.task.memory / 4 * 3);
        Ok(policy)
    }

    /// The policy, for what is run on the data and not charged.
    fn public_policy(&self) -> std::result::Result<Policy, Failure> {
        let policy = self.policy()?;
        refuse_private(&policy).map(|()| policy)
    }

    /// How a policy is run.
    fn run_options(&self) -> Options<'_> {
        Options {
            command: "moretta run policy.toml".to_owned(),
            date: Some(self.task.date.clone()),
            force: false,
            strict: false,
            render: &moretta_report::html,
            progress: self.progress,
        }
    }

    /// Has points told as they are found, in the figures that `round` makes of them, if any.
    fn tell_points(&self, round: impl Fn(Value) -> Option<Value> + Send + 'static) {
        let teller = self.teller.clone();
        self.progress.on_found(move |value| {
            if let Some(value) = round(value) {
                teller.tell(&Told::Found { value });
            }
        });
    }
}

/// Fails when a method is private: it is not run on data without a charge.
fn refuse_private(policy: &Policy) -> std::result::Result<(), Failure> {
    if !policy.is_private() {
        return Ok(());
    }
    let what = "each try of a private method on the data spends of what may be told of them";
    let help =
        "have a preview made, which uses made-up rows, or ask for a release, which is charged";
    Err(Problem::conflict("private", what).help(help).into())
}

/// Why the library could not do it, with its place in the policy.
fn failure(error: Error) -> Failure {
    let at = match &error {
        Error::Policy(error) => error.span.as_ref().map(|span| span.start),
        _ => None,
    };
    Failure {
        at,
        ..Failure::from(Problem::from(error))
    }
}

/// A result as JSON.
fn json(found: &impl serde::Serialize) -> std::result::Result<Value, Failure> {
    serde_json::to_value(found).map_err(|_| Problem::bug("a result is no JSON").into())
}

/// The same in rounded figures.
fn rounded(found: &impl serde::Serialize) -> std::result::Result<Value, Failure> {
    json(found).map(moretta::pipeline::rounded_json)
}

/// Tells the server, line by line.
#[derive(Clone)]
struct Teller(Arc<Mutex<dyn Write + Send>>);

impl Teller {
    fn new(output: impl Write + Send + 'static) -> Self {
        Teller(Arc::new(Mutex::new(output)))
    }

    fn tell(&self, told: &Told) {
        let Ok(mut line) = serde_json::to_vec(told) else {
            return;
        };
        line.push(b'\n');
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A server that does not listen any more has closed the input, too.
        let _ = output.write_all(&line).and_then(|()| output.flush());
    }

    fn end(&self, done: Done) -> bool {
        let is_done = done.is_ok();
        self.tell(&match done {
            Ok((result, made)) => Told::Done { result, made },
            Err(failure) => Told::Failed(failure),
        });
        is_done
    }

    /// Works, and tells how far it is meanwhile.
    fn beside(&self, progress: &Progress, work: impl FnOnce() -> Done) -> Done {
        let (ended, wait) = sync_channel::<()>(0);
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut last = HowFar::default();
                while wait.recv_timeout(TELL) == Err(RecvTimeoutError::Timeout) {
                    let now = HowFar {
                        stage: progress.stage().0.word().to_owned(),
                        // The last number would be that of all rows, to the person.
                        rows: progress.rows() / 100 * 100,
                        share: None,
                    };
                    if now != last {
                        self.tell(&Told::Progress(now.clone()));
                        last = now;
                    }
                }
            });
            let done = work();
            drop(ended);
            done
        })
    }
}
