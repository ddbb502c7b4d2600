//! The gate to hashing: one hash a core at a time, a short queue, and no more.
//!
//! A hash of a password costs a tenth of a second and 19 MiB on purpose. Without the gate, a flood
//! of sign-ins would take all cores and all memory from everybody who is signed in.

use super::password;
use crate::problem::{Problem, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many may wait.
const WAITING: usize = 64;

/// Lets passwords be hashed.
#[derive(Debug)]
pub struct Gate {
    cores: usize,
    at_gate: Mutex<AtGate>,
    free: Condvar,
    runs: AtomicU64,
}

#[derive(Debug, Default)]
struct AtGate {
    running: usize,
    waiting: usize,
    most: usize,
}

impl Default for Gate {
    fn default() -> Self {
        Gate::new(std::thread::available_parallelism().map_or(1, usize::from))
    }
}

impl Gate {
    /// For this many cores.
    pub fn new(cores: usize) -> Self {
        Gate {
            cores,
            at_gate: Mutex::default(),
            free: Condvar::new(),
            runs: AtomicU64::new(0),
        }
    }

    /// How many hashes were computed since the server was started.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::SeqCst)
    }

    /// How many hashes were computed at a time, at most.
    pub fn most(&self) -> usize {
        self.at_gate().most
    }

    /// The hash of a new password, as the store keeps it.
    ///
    /// # Errors
    /// 503 when too many wait.
    pub(super) fn hash(&self, password: &str) -> Result<String> {
        self.run(|| password::hash(password))
    }

    /// Whether a password is that of a hash. Without a hash it is not, and this takes as long.
    ///
    /// # Errors
    /// 503 when too many wait.
    pub(super) fn verify(&self, password: &str, stored: Option<&str>) -> Result<bool> {
        self.run(|| password::verify(password, stored))
    }

    fn run<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let _entered = self.enter()?;
        self.runs.fetch_add(1, Ordering::SeqCst);
        work()
    }

    fn enter(&self) -> Result<Entered<'_>> {
        let mut at_gate = self.at_gate();
        if at_gate.running >= self.cores {
            if at_gate.waiting >= WAITING {
                let what = "too many people sign in at the moment";
                return Err(Problem::new(503, "busy", what).after(5));
            }
            at_gate.waiting += 1;
            let full = |at_gate: &mut AtGate| at_gate.running >= self.cores;
            let waited = self.free.wait_while(at_gate, full);
            at_gate = waited.unwrap_or_else(PoisonError::into_inner);
            at_gate.waiting -= 1;
        }
        at_gate.running += 1;
        at_gate.most = at_gate.most.max(at_gate.running);
        Ok(Entered(self))
    }

    fn at_gate(&self) -> MutexGuard<'_, AtGate> {
        self.at_gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Entered<'a>(&'a Gate);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.at_gate().running -= 1;
        self.0.free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn one_a_core_runs_and_sixty_four_wait() {
        let gate = Gate::new(1);
        let (open, opened) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let (begun, begins) = mpsc::channel();
            let gate = &gate;
            scope.spawn(move || {
                gate.run(|| {
                    begun.send(()).map_err(|_| Problem::bug("nobody waits"))?;
                    opened.recv().map_err(|_| Problem::bug("nobody opens"))
                })
            });
            begins.recv().expect("the first runs");
            let waiting: Vec<_> = (0..WAITING)
                .map(|_| scope.spawn(|| gate.run(|| Ok(gate.at_gate().running))))
                .collect();
            while gate.at_gate().waiting < WAITING {
                std::thread::yield_now();
            }
            let refused = gate.run(|| Ok(0)).expect_err("one too many");
            assert_eq!((refused.status, refused.retry_after), (503, Some(5)));
            open.send(()).expect("the first ends");
            for waited in waiting {
                assert_eq!(waited.join().expect("no panic"), Ok(1));
            }
        });
        assert_eq!(gate.runs(), 65);
    }

    #[test]
    fn a_hash_that_fails_frees_its_place() {
        let gate = Gate::new(1);
        for _ in 0..3 {
            assert!(gate.run(|| Err::<(), _>(Problem::bug("no"))).is_err());
        }
        assert_eq!(gate.run(|| Ok(7)), Ok(7));
    }
}
