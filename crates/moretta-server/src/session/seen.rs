//! Sessions whose persons were there, noted in the store some at a time.
//!
//! Each session is news every few seconds, and a note has to reach the disk. Requests do not wait for
//! that: they mark their session, and once one is answered, its thread notes all that are marked, in
//! one transaction. However slow the disk is, there is one note on its way at a time. What is lost
//! when the server is killed are a few seconds, by which a session locks earlier.

use super::touch;
use crate::clock::Millis;
use crate::id::Id;
use crate::problem::Result;
use crate::store::Store;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Sessions that were seen and are not noted yet.
#[derive(Debug, Default)]
pub struct Seen {
    marked: Mutex<HashMap<Id, Millis>>,
    noting: Mutex<()>,
}

impl Seen {
    /// The person of a session was there.
    pub fn mark(&self, session: Id, at: Millis) {
        let mut marked = self.marked();
        let last = marked.entry(session).or_insert(at);
        *last = at.max(*last);
    }

    /// Notes those that are marked, unless another thread does: that one notes these too.
    ///
    /// # Errors
    /// When the store does not answer; then they are marked again by what they ask next.
    pub fn note(&self, store: &Store) -> Result<()> {
        while !self.marked().is_empty() {
            let _noting = match self.noting.try_lock() {
                Ok(noting) => noting,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return Ok(()),
            };
            let marked = std::mem::take(&mut *self.marked());
            store.note(|sql| {
                let mut marked = marked.iter();
                marked.try_for_each(|(session, at)| touch(sql, *session, *at))
            })?;
        }
        Ok(())
    }

    fn marked(&self) -> MutexGuard<'_, HashMap<Id, Millis>> {
        self.marked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
