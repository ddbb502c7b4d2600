//! A bell that is rung after each change of the store, so that nobody has to look all the time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Wakes who waits in this process. Other processes look each second.
#[derive(Debug)]
pub struct Bell {
    rings: Mutex<u64>,
    rung: Condvar,
    told: watch::Sender<u64>,
}

impl Default for Bell {
    fn default() -> Self {
        Bell {
            rings: Mutex::default(),
            rung: Condvar::new(),
            told: watch::Sender::new(0),
        }
    }
}

impl Bell {
    /// Rings.
    pub fn ring(&self) {
        let mut rings = self.lock();
        *rings += 1;
        self.told.send_replace(*rings);
        self.rung.notify_all();
    }

    /// How often it has rung.
    pub fn rings(&self) -> u64 {
        *self.lock()
    }

    /// Waits until it has rung more often than `seen` times, or for some time; gives how often it has.
    pub fn wait(&self, seen: u64, at_most: Duration) -> u64 {
        let waited = self
            .rung
            .wait_timeout_while(self.lock(), at_most, |rings| *rings == seen);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// What an asynchronous task waits with.
    pub fn listen(&self) -> watch::Receiver<u64> {
        self.told.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_before_the_wait_is_not_missed() {
        let bell = Bell::default();
        let seen = bell.rings();
        bell.ring();
        assert_eq!(bell.wait(seen, Duration::from_secs(3600)), seen + 1);
        assert!(bell.listen().borrow().eq(&1));
    }
}
