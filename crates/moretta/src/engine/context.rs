//! What a session needs besides its plan and its rows: keys, a clock, a way to stop it, a way
//! to watch it.

use super::ledger::History;
use super::plan::KeyPlace;
use super::progress::Progress;
use crate::cancel::Cancel;
use crate::data::Batch;
use crate::error::{Error, Result};
use crate::protect::identifiers::Key;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// What a session needs besides its plan and its rows.
#[derive(Clone, Default)]
pub struct Context {
    /// The keys that the plan names.
    pub keys: Keys,
    /// The population that the guarantee names: its quasi-identifiers, of the same kinds as those
    /// of the rows, one row a person.
    pub population: Option<Arc<Batch>>,
    /// Tells which events are ahead of it.
    pub clock: Clock,
    /// Stops the session.
    pub cancel: Cancel,
    /// Tells how far the session is.
    pub progress: Progress,
    /// What earlier releases of the same rows have told; none without a ledger.
    pub ledger: Option<Arc<History>>,
    /// Whether a promise that leaves sensitive values open is an error.
    pub strict: bool,
    /// Whether all is measured that a report can tell, or only what the plan names.
    pub measure_all: bool,
}

impl Context {
    /// What is worth measuring besides what the plan names.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted {
            all: self.measure_all,
            live: self.progress.is_watched(),
        }
    }
}

/// Tells milliseconds since 1970; that of the system unless another one is given.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Clock {
    /// A clock that shows what `now` gives.
    pub fn new(now: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Clock(Arc::new(now))
    }

    /// What it shows.
    pub fn now(&self) -> i64 {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Clock::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            since.map_or(0, |since| since.as_millis() as i64)
        })
    }
}

/// What is worth measuring besides what the plan names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Everything, for a report.
    pub(crate) all: bool,
    /// The figures that a program shows while a stream runs.
    pub(crate) live: bool,
}

impl Wanted {
    /// Nothing.
    pub(crate) const NONE: Wanted = Wanted {
        all: false,
        live: false,
    };
}

/// Keys by the names that a plan has for them.
#[derive(Clone, Default)]
pub struct Keys(BTreeMap<KeyPlace, Key>);

impl Keys {
    /// Adds a key.
    pub fn insert(&mut self, place: KeyPlace, key: Key) {
        self.0.insert(place, key);
    }

    /// The key that a plan names.
    ///
    /// # Errors
    /// When nobody has given it.
    pub fn get(&self, place: &KeyPlace) -> Result<Key> {
        let key = self.0.get(place).cloned();
        key.ok_or_else(|| {
            Error::policy("a key that the plan names was not given")
                .help("put it into the keys of the context")
        })
    }
}
