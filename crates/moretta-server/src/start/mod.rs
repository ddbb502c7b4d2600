//! A server from its settings to its end.
//!
//! It opens the data folder, the keys and the store, and refuses to begin where it would be less
//! safe than it says. While it runs it tells the head of the log each hour, which makes a cut end
//! visible to whoever keeps what it prints. It ends when it is told to: live events first, then
//! responses that are on their way, then workers.

mod database;
mod folder;
mod seen;
mod tls;

pub use database::{OpenedStore, database};
pub use folder::DataFolder;
pub use seen::parse_head;
pub use tls::tls;

use crate::app::App;
use crate::audit::{self, Head};
use crate::clock::{Clock, HOUR, Millis};
use crate::core_dump;
use crate::http::{Listening, Log, serve};
use crate::job::Dispatcher;
use crate::problem::Problem;
use crate::seal::ZoneKeys;
use crate::settings::{Part, Settings};
use crate::store::Store;
use crate::stream::Keeper;
use database::failure;
use moretta::error::{Error, Result};
use seen::Note;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// How often it is noted.
const NOTED: Duration = Duration::from_secs(60);
/// How old files are that belong to no row of the store when they are swept away: no upload takes
/// as long.
const UNKNOWN: Duration = Duration::from_secs(24 * 3600);

/// A server that is ready to listen.
pub struct Server {
    /// What answers.
    pub app: Arc<App>,
    /// A head that was told earlier and that the store does not hold: it is an older one.
    pub lacking: Option<Head>,
    runtime: Runtime,
    note: Note,
    _folder: DataFolder,
}

/// What ends a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<watch::Sender<bool>>);

impl Stopper {
    /// One that has not been used.
    pub fn new() -> Self {
        Stopper(Arc::new(watch::Sender::new(false)))
    }

    /// Ends the server.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Waits for it, where nothing may block.
    pub fn subscribe(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }

    /// Whether it was used.
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }
}

impl Default for Stopper {
    fn default() -> Self {
        Stopper::new()
    }
}

impl Server {
    /// Opens everything that a server needs; `seen` is a head of its log that was told earlier.
    ///
    /// # Errors
    /// When settings, keys, folder or store do not let it begin.
    pub fn open(settings: Settings, clock: Clock, seen: Option<Head>) -> Result<Self> {
        settings.check()?;
        core_dump::leave_none().map_err(|e| Error::io("keep core dumps from", "keys", e))?;
        let folder = DataFolder::open(&settings.data, settings.database.is_some())?;
        ZoneKeys::of(&settings).map_err(|problem| failure(&settings.keys, problem))?;
        let place = match &settings.database {
            Some(address) => address.clone(),
            None => settings.data.join("store"),
        };
        let failed = |problem: Problem| failure(&place, problem);
        let db = database(settings.database.as_deref(), &settings.data)?;
        let store = Store::open(db).map_err(failed)?;
        let note = Note::of(&settings.data);
        let heads: Vec<Head> = note.read().into_iter().chain(seen).collect();
        let lacking = seen::heed(&store, &heads, clock.now()).map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .thread_name("moretta")
            .build()
            .map_err(|e| Error::io("start", "threads", e))?;
        let app = Arc::new(App::new(store, clock, settings));
        Ok(Server {
            app,
            lacking,
            runtime,
            note,
            _folder: folder,
        })
    }

    /// Begins to listen.
    ///
    /// # Errors
    /// When the address cannot be had, or the certificate cannot be used.
    pub fn listen(&self) -> Result<Listening> {
        let settings = &self.app.settings;
        let tls = match (&settings.tls_cert, &settings.tls_key) {
            (Some(chain), Some(key)) => Some(tls(chain, key)?),
            _ => None,
        };
        let listening = self.runtime.block_on(Listening::new(settings.listen, tls));
        listening.map_err(|e| Error::io("listen at", settings.listen.to_string(), e))
    }

    /// The head of the log, which is noted as told.
    ///
    /// # Errors
    /// When the store or the disk does not answer.
    pub fn head(&self) -> Result<Head> {
        told(&self.app, &self.note)
    }

    /// Does jobs and runs streams by children that are started as `worker` says, its path and
    /// arguments, and answers until `stopper` is used; tells `log` what the person who runs the server should know.
    ///
    /// # Errors
    /// When it cannot begin to do jobs.
    pub fn serve(
        &self,
        listening: Option<Listening>,
        worker: Vec<String>,
        stopper: &Stopper,
        log: Log,
    ) -> Result<()> {
        let mut stop = stopper.subscribe();
        let children = match self.app.settings.role {
            Part::Web => None,
            Part::All | Part::Worker => {
                let started = Dispatcher::start(Arc::clone(&self.app), worker.clone());
                let jobs = started.map_err(|problem| failure(&self.app.settings.data, problem))?;
                Some((jobs, Keeper::start(Arc::clone(&self.app), worker)))
            }
        };
        self.runtime.block_on(async {
            let hours = tokio::spawn(hours(
                Arc::clone(&self.app),
                self.note.clone(),
                Arc::clone(&log),
            ));
            match listening {
                Some(listening) => serve(Arc::clone(&self.app), listening, log, stop).await,
                None => drop(stop.wait_for(|stop| *stop).await),
            }
            hours.abort();
        });
        // Pages and responses have ended; now children are told, and what they did waits for the next
        // start.
        drop(children);
        Ok(())
    }

    /// A problem of this server as an error of the program.
    pub fn failure(&self, problem: Problem) -> Error {
        failure(&self.app.settings.data, problem)
    }

    /// What browsers call the server at `address`.
    pub fn url(&self, address: SocketAddr) -> String {
        let settings = &self.app.settings;
        let scheme = if settings.is_secure() {
            "https"
        } else {
            "http"
        };
        let host = match (settings.hosts.first(), settings.behind_proxy) {
            (Some(host), Some(_)) => host.clone(),
            (Some(host), None) if !host.contains(':') => format!("{host}:{}", address.port()),
            (Some(host), None) => host.clone(),
            // Not `localhost`, which may be somebody else's at the same port.
            (None, _) => address.to_string(),
        };
        format!("{scheme}://{host}")
    }
}

/// Reads the head of the log and notes it as told.
fn told(app: &App, note: &Note) -> Result<Head> {
    let read = app.store.read(audit::head);
    let head = read.map_err(|problem| failure(&app.settings.data, problem))?;
    note.write(&head)
        .map_err(|e| Error::io("write", &app.settings.data, e))?;
    Ok(head)
}

/// What is done beside requests: each minute the head of the log is noted, releases whose end has come
/// are ended and interrupted publications are finished; each hour the head is told, and what is over
/// goes: data and events whose time is over by the rules of their project, and files that no row
/// of the store knows.
async fn hours(app: Arc<App>, note: Note, log: Log) {
    let mut minutes = tokio::time::interval(NOTED);
    minutes.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut hours = Hours::default();
    loop {
        minutes.tick().await;
        let is_due = hours.is_due(app.clock.now());
        let (app, note, log) = (Arc::clone(&app), note.clone(), Arc::clone(&log));
        let done = tokio::task::spawn_blocking(move || minute(&app, &note, &log, is_due));
        // What could not be done now is tried again in a minute or an hour.
        let _ = done.await;
    }
}

/// Hours by the clock of the server; the first is due at once.
#[derive(Debug, Default)]
struct Hours {
    next: Option<Millis>,
}

impl Hours {
    /// Whether another hour is over. One begins too where the clock was put back.
    fn is_due(&mut self, now: Millis) -> bool {
        let runs = |next: Millis| (now + 1..=now + HOUR).contains(&next);
        let is_due = !self.next.is_some_and(runs);
        if is_due {
            self.next = Some(now + HOUR);
        }
        is_due
    }
}

fn minute(app: &App, note: &Note, log: &Log, is_due: bool) {
    let failed = |what: &str, problem: &Problem| log(&format!("{what}: {}", problem.what));
    if let Err(problem) = crate::release::tend(app) {
        failed("releases that are due wait", &problem);
    }
    if is_due {
        for (what, done) in [
            ("data whose time is over stay", crate::data::retention(app)),
            (
                "events whose time is over stay",
                crate::stream::retention(app),
            ),
            (
                "files that nobody knows stay",
                crate::zone::sweep(app, UNKNOWN),
            ),
        ] {
            if let Err(problem) = done {
                failed(what, &problem);
            }
        }
    }
    match told(app, note) {
        Ok(head) if is_due => log(&format!("head of the log: {}", head.text())),
        Ok(_) => {}
        Err(error) => log(&format!("the head of the log cannot be noted: {error}")),
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MINUTE;
    use crate::db::SqliteDb;
    use std::sync::{Mutex, PoisonError};

    #[test]
    fn the_head_of_the_log_is_noted_each_minute_and_told_each_hour() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings {
            data: folder.path().to_owned(),
            keys: folder.path().with_extension("keys"),
            ..Settings::default()
        };
        let note = Note::of(&settings.data);
        let db = SqliteDb::open(&folder.path().join("store")).expect("a store");
        let clock = Clock::standing(7);
        let store = Store::open(Arc::new(db)).expect("a store");
        let app = App::new(store, clock.clone(), settings);
        let told = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&told);
        let log: Log = Arc::new(move |line: &str| {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push(line.to_owned());
        });
        let mut hours = Hours::default();
        let mut heads = Vec::new();
        for passed in 0..=130 {
            if passed > 0 {
                clock.forward(MINUTE);
            }
            let entry = audit::Entry {
                at: clock.now(),
                act: "test",
                ..audit::Entry::default()
            };
            app.store.act(|act| act.log(&entry)).expect("an entry");
            let head = app.store.read(audit::head).expect("a head");
            let is_due = hours.is_due(clock.now());
            minute(&app, &note, &log, is_due);
            assert_eq!(note.read(), Some(head), "after {passed} minutes");
            if passed % 60 == 0 {
                heads.push(format!("head of the log: {}", head.text()));
            }
        }
        assert_eq!(*told.lock().unwrap_or_else(PoisonError::into_inner), heads);
        let mut hours = Hours::default();
        assert!(hours.is_due(9 * HOUR) && hours.is_due(HOUR), "put back");
    }
}
