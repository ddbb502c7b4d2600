//! Threads that claim jobs, start children for them and keep what they make.

use super::child::{Heard, Worker};
use super::end::{self, Outcome};
use super::kind::{Kind, Pool};
use super::protocol::{Failure, Made, Progress, Told};
use super::queue::{self, Claimed};
use super::staging;
use super::task::{Composition, Share, compose_task};
use crate::app::App;
use crate::problem::{Problem, Result};
use crate::text::Composed;
use serde_json::Value;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a claim is kept.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How often progress is told, and how long a cancelled job may go on.
const TELL: Duration = Duration::from_secs(1);
/// How often the queue is looked at where nobody in this process says that something waits.
const LOOK: Duration = Duration::from_secs(1);
/// How long a claim is believed that could not be kept: less than its lease.
const BELIEVED: Duration = Duration::from_secs(25);
/// How many results before the end are kept.
const FOUND: usize = 10_000;

/// Does the jobs of a server. When it is dropped, children end and their jobs wait for the next one.
pub struct Dispatcher {
    stop: Arc<AtomicBool>,
    app: Arc<App>,
    threads: Vec<JoinHandle<()>>,
}

impl Dispatcher {
    /// Begins to do jobs with children that are started as `program` says: its path and arguments.
    /// What earlier tries left behind is deleted first.
    ///
    /// # Errors
    /// When folders cannot be made, or the store does not answer.
    pub fn start(app: Arc<App>, program: Vec<String>) -> Result<Self> {
        staging::sweep(&app)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let batch = (cores - 1).max(1);
        let share = Share {
            memory: memory_of(&app) / (batch as u64 + 1),
            threads: cores,
        };
        let stop = Arc::new(AtomicBool::new(false));
        let pools = std::iter::once(Pool::Interactive).chain((0..batch).map(|_| Pool::Batch));
        let begin = |pool| {
            let one = One {
                app: Arc::clone(&app),
                program: program.clone(),
                pool,
                share,
                stop: Arc::clone(&stop),
            };
            std::thread::spawn(move || one.run())
        };
        Ok(Dispatcher {
            threads: pools.map(begin).collect(),
            stop,
            app,
        })
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.app.store.bell().ring();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dispatcher").finish_non_exhaustive()
    }
}

/// The memory of all jobs together: as the settings say, or 60 % of the machine's.
pub fn memory_of(app: &App) -> u64 {
    app.settings.limits.memory.unwrap_or_else(|| {
        let told = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        // Where the system does not say, a small machine is assumed.
        machine(&told).unwrap_or(4 << 30) / 10 * 6
    })
}

fn machine(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let line = lines.find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// A thread that does one job at a time.
struct One {
    app: Arc<App>,
    program: Vec<String>,
    pool: Pool,
    share: Share,
    stop: Arc<AtomicBool>,
}

/// How a child ended.
enum Ended {
    /// As it should: with what it has told last.
    Told(Told),
    /// By itself, without a word.
    Silent(Failure),
    /// It was killed.
    Killed,
    /// Somebody does not want the job any more, or another try has it.
    Unwanted,
    /// This server stops.
    Stopped,
}

impl One {
    fn run(&self) {
        let mut seen = self.app.store.bell().rings();
        while !self.stops() {
            match self.claim() {
                Ok(Some(job)) => self.work(&job),
                // While the store does not answer, nothing begins.
                Ok(None) | Err(_) => seen = self.app.store.bell().wait(seen, LOOK),
            }
        }
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn claim(&self) -> Result<Option<Claimed>> {
        let at = self.app.clock.now();
        let waits = |sql: &mut dyn crate::db::Sql| queue::is_waiting(sql, self.pool, at);
        if !self.app.store.read(waits)? {
            return Ok(None);
        }
        self.app
            .store
            .act(|act| queue::claim(&self.app, act, self.pool, at))
    }

    fn work(&self, job: &Claimed) {
        let folder = staging::folder(&self.app, job.claim);
        let mut policy = None;
        let ended = staging::begin(&self.app, &folder).and_then(|()| {
            let composition = compose_task(&self.app, job, folder.clone(), self.share)?;
            let Composition { task, policy: of } = composition;
            policy = of;
            let started = Worker::start(&self.program, &task.folder, &task);
            let worker = started.map_err(|e| {
                Problem::unavailable(format!("no worker can be started: {}", e.kind()))
            })?;
            Ok(self.watch(job, worker))
        });
        let ended = ended.unwrap_or_else(|problem| Ended::Silent(problem.into()));
        // A job whose end cannot be written is claimed again when its lease has run out.
        let _ = self.keep(job, ended, policy.as_ref());
        let _ = std::fs::remove_dir_all(&folder);
    }

    /// Hears what a child tells until it ends, and keeps the claim meanwhile.
    fn watch(&self, job: &Claimed, mut worker: Worker<Told>) -> Ended {
        let (mut kept, mut looked) = (Instant::now(), Instant::now());
        let mut progress: Option<Progress> = None;
        let mut found: Vec<Value> = Vec::new();
        let mut is_news = false;
        loop {
            match worker.hear(TELL / 4) {
                Heard::Told(Told::Progress(news)) => {
                    is_news |= progress.as_ref() != Some(&news);
                    progress = Some(news);
                }
                Heard::Told(Told::Found { value }) if found.len() < FOUND => {
                    is_news = true;
                    found.push(value);
                }
                Heard::Told(Told::Found { .. }) | Heard::Nothing => {}
                Heard::Told(last) => return Ended::Told(last),
                Heard::Ended(status) => return silent(status),
            }
            if self.stops() {
                return Ended::Stopped;
            }
            if looked.elapsed() < TELL {
                continue;
            }
            looked = Instant::now();
            let at = self.app.clock.now();
            let answered = if is_news || kept.elapsed() >= HEARTBEAT {
                let progress = progress.as_ref().and_then(|p| serde_json::to_value(p).ok());
                let found = (!found.is_empty()).then(|| serde_json::json!({ "found": found }));
                self.app.store.act(|act| {
                    queue::heartbeat(&mut **act, job, progress.as_ref(), found.as_ref(), at)
                })
            } else {
                let over = self.app.store.read(|sql| queue::is_over(sql, job));
                over.map(|over| !over)
            };
            match answered {
                Ok(true) => {
                    if is_news || kept.elapsed() >= HEARTBEAT {
                        kept = Instant::now();
                    }
                    is_news = false;
                }
                Ok(false) => return Ended::Unwanted,
                // The store is away: the claim may be another's by the time that it is back.
                Err(_) if kept.elapsed() >= BELIEVED => return Ended::Killed,
                Err(_) => {}
            }
        }
    }

    /// Writes the end of a job, if it is still this try's.
    fn keep(&self, job: &Claimed, ended: Ended, policy: Option<&(String, Composed)>) -> Result<()> {
        let at = self.app.clock.now();
        let mut made: Vec<Made> = Vec::new();
        let mut outcome = match ended {
            Ended::Told(Told::Done { result, made: all }) => {
                made = all;
                let made = Vec::new();
                Outcome::Done { result, made }
            }
            Ended::Told(Told::Failed(failure)) => Outcome::Failed(placed(failure, policy)),
            Ended::Told(_) => Outcome::Failed(Problem::bug("a worker has no last word").into()),
            Ended::Silent(failure) => Outcome::Failed(failure),
            Ended::Unwanted => Outcome::Cancelled,
            Ended::Killed | Ended::Stopped => {
                let counts = matches!(ended, Ended::Killed);
                let back =
                    |act: &mut crate::store::Act<'_>| queue::put_back(&mut **act, job, counts, at);
                if self.app.store.act(back)? {
                    return Ok(());
                }
                Outcome::Failed(queue::killed())
            }
        };
        let written = self.app.store.act(|act| {
            if queue::check_claim(&mut **act, job)? {
                return end::end(&self.app, act, job, &Outcome::Cancelled, at);
            }
            if let Outcome::Done { made: kept, .. } = &mut outcome {
                *kept = staging::keep(&self.app, act, job, &made, at)?;
            }
            end::end(&self.app, act, job, &outcome, at)
        });
        match (written, outcome) {
            // What was made cannot be kept: the job says so instead.
            (Err(problem), Outcome::Done { .. }) if problem.code != queue::LOST => {
                let failed = Outcome::Failed(problem.into());
                self.app.store.act(|act| {
                    queue::check_claim(&mut **act, job)?;
                    end::end(&self.app, act, job, &failed, at)
                })
            }
            (written, _) => written,
        }
    }
}

/// What is known of a child that has ended without its last word.
fn silent(status: Option<ExitStatus>) -> Ended {
    #[cfg(unix)]
    {
        const ABORT: i32 = 6;
        use std::os::unix::process::ExitStatusExt;
        match status.and_then(|status| status.signal()) {
            // Memory that is not to be had ends a program so; another try would not get more.
            Some(ABORT) => {
                let what = "the job needs more memory than it may use";
                let help = "use fewer rows, or give jobs more memory in the settings of the server";
                return Ended::Silent(Problem::new(507, "memory", what).help(help).into());
            }
            Some(_) => return Ended::Killed,
            None => {}
        }
    }
    let Some(_) = status else {
        return Ended::Killed;
    };
    let what = "the process of the job ended without a result";
    let help =
        "this is a fault of ours: the same job can be tried with fewer rows or another method";
    Ended::Silent(Problem::new(500, "worker", what).help(help).into())
}

/// A failure with its place in the policy that people see.
fn placed(mut failure: Failure, policy: Option<&(String, Composed)>) -> Failure {
    if let (Some(at), Some((written, composed))) = (failure.at.take(), policy) {
        failure.place = composed.place(written, at);
    }
    failure
}

/// Kinds that a person may have done again by hand: not releases, which are asked for anew.
pub(super) fn is_repeatable(kind: Kind) -> bool {
    kind != Kind::Release
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_the_machine_is_read() {
        assert_eq!(
            machine("MemTotal:       16 kB\nMemFree: 1 kB\n"),
            Some(16 << 10)
        );
        assert_eq!(machine(""), None);
    }
}
