//! One look at the table of events for all who listen.

use super::{Event, after, last};
use crate::clock::{Millis, SECOND};
use crate::problem::{Problem, Result};
use crate::store::Store;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How many events are kept in memory.
const RECENT: usize = 4096;
/// How many events are read at a time.
const AT_ONCE: i64 = 1000;
/// How many may listen at a time.
const LISTENERS: usize = 512;

/// Where listeners read.
#[derive(Debug, Default)]
pub struct Hub {
    recent: Mutex<Recent>,
    listening: Arc<AtomicUsize>,
}

#[derive(Debug, Default)]
struct Recent {
    events: VecDeque<Arc<Event>>,
    /// Up to which number they are complete, and the rings of the bell and the time at the last look.
    looked: Option<(i64, u64, Millis)>,
}

/// A place among those who listen.
#[derive(Debug)]
pub(super) struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Hub {
    /// Takes a place among those who listen.
    pub(super) fn enter(&self) -> Result<Place> {
        let place = Place(Arc::clone(&self.listening));
        match self.listening.fetch_add(1, Ordering::Relaxed) {
            before if before < LISTENERS => Ok(place),
            // The place that is dropped here takes its count with it.
            _ => Err(Problem::unavailable("too many listen to events already")
                .help("read what changes from time to time instead")),
        }
    }

    /// Events after `number`, the oldest first; perhaps not all at a time.
    pub(super) fn after(&self, store: &Store, number: i64, at: Millis) -> Result<Vec<Arc<Event>>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.look(store, at)?;
        let first = recent.events.front().map(|event| event.number);
        let complete = match (first, recent.looked) {
            (Some(first), _) => first <= number + 1,
            (None, Some((up_to, _, _))) => up_to <= number,
            (None, None) => false,
        };
        if complete {
            let from = recent
                .events
                .partition_point(|event| event.number <= number);
            let events = recent.events.iter().skip(from).take(AT_ONCE as usize);
            return Ok(events.cloned().collect());
        }
        drop(recent);
        let events = store.read(|sql| after(sql, number, AT_ONCE))?;
        Ok(events.into_iter().map(Arc::new).collect())
    }
}

impl Recent {
    /// Reads what is new, if the bell has rung or a second has passed.
    fn look(&mut self, store: &Store, at: Millis) -> Result<()> {
        let rings = store.bell().rings();
        let up_to = match self.looked {
            Some((_, rung, looked)) if rung == rings && (at - looked).abs() < SECOND => {
                return Ok(());
            }
            Some((up_to, _, _)) => up_to,
            None => store.read(last)?,
        };
        let news = store.read(|sql| after(sql, up_to, AT_ONCE))?;
        let whole = (news.len() as i64) < AT_ONCE;
        let up_to = news.last().map_or(up_to, |event| event.number);
        self.events.extend(news.into_iter().map(Arc::new));
        let surplus = self.events.len().saturating_sub(RECENT);
        self.events.drain(..surplus);
        // Where there is more, the next look follows at once.
        let rings = if whole { rings } else { rings.wrapping_sub(1) };
        self.looked = Some((up_to, rings, at));
        Ok(())
    }
}
