//! How many calls a session may make: some at once, and then so many a second.

use crate::clock::Millis;
use crate::problem::{Problem, Result};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How many sessions are remembered; those that were quiet for long are forgotten first.
const REMEMBERED: usize = 10_000;

/// A bucket of calls for each session.
#[derive(Debug)]
pub struct Rates {
    each_second: f64,
    at_once: f64,
    buckets: Mutex<HashMap<[u8; 32], Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Millis,
}

impl Rates {
    /// So many calls a second, and so many at once.
    pub fn new((each_second, at_once): (u32, u32)) -> Self {
        Rates {
            each_second: f64::from(each_second),
            at_once: f64::from(at_once),
            buckets: Mutex::default(),
        }
    }

    /// Counts a call.
    ///
    /// # Errors
    /// 429 when it is one too many.
    pub fn check(&self, secret: &str, at: Millis) -> Result<()> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED {
            let full = |bucket: &Bucket| self.filled(bucket, at) >= self.at_once;
            buckets.retain(|_, bucket| !full(bucket));
        }
        let full = Bucket {
            left: self.at_once,
            at,
        };
        let bucket = buckets.entry(Sha256::digest(secret).into()).or_insert(full);
        let left = self.filled(bucket, at);
        *bucket = Bucket { left, at };
        if left < 1.0 {
            return Err(Problem::new(429, "too-many", "these are too many calls").after(1));
        }
        bucket.left -= 1.0;
        Ok(())
    }

    fn filled(&self, bucket: &Bucket, at: Millis) -> f64 {
        let seconds = (at - bucket.at).max(0) as f64 / 1000.0;
        (bucket.left + seconds * self.each_second).min(self.at_once)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_gets_its_burst_and_then_its_rate() {
        let rates = Rates::new((20, 100));
        let allowed = |secret: &str, at, calls: usize| {
            (0..calls)
                .filter(|_| rates.check(secret, at).is_ok())
                .count()
        };
        assert_eq!(allowed("a", 0, 150), 100);
        assert_eq!(allowed("b", 0, 150), 100, "another session has its own");
        assert_eq!(allowed("a", 500, 150), 10);
        assert_eq!(allowed("a", 3_600_000, 150), 100);
    }
}
