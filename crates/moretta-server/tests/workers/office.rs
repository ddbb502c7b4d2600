//! A server with a dispatcher, here or in a process of its own.

use crate::support::Server;
use moretta_server::app::App;
use moretta_server::clock::Clock;
use moretta_server::db::{Db, PostgresDb, SqliteDb, Value as Cell};
use moretta_server::id::Id;
use moretta_server::job::{self, Dispatcher, Job, Kind, Spec, State};
use moretta_server::settings::Settings;
use moretta_server::store::Store;
use moretta_server::stream::Keeper;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long anything may take before a test says that it does not happen.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server with a project and one who asks.
pub struct Office {
    pub server: Server,
    pub project: Id,
    user: Id,
}

/// This program as a worker.
pub fn program() -> Vec<String> {
    let own = std::env::current_exe().expect("this program");
    vec![own.display().to_string(), "worker".to_owned()]
}

/// Waits until something is the case.
pub fn until<T>(what: &str, mut is: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(is) = is() {
            return is;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Office {
    pub fn new() -> Self {
        Office::with(|_| ())
    }

    /// One with other settings.
    pub fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let server = Server::with(|settings| {
            settings.limits.memory = Some(1 << 30);
            change(settings);
        });
        let (project, user) = (Id::random(), Id::random());
        let made = server.app.store.act(|act| {
            act.execute(
                "INSERT INTO projects (id, name, rules, state, made_at, made_by) \
                 VALUES ($1, 'ward', '{}', 'open', 0, 'x')",
                &[Cell::from(project)],
            )
        });
        made.expect("a project");
        Office {
            server,
            project,
            user,
        }
    }

    /// Begins to do jobs.
    pub fn open(&self) -> Dispatcher {
        Dispatcher::start(Arc::clone(&self.server.app), program()).expect("a dispatcher")
    }

    /// Asks for a job with these options.
    pub fn ask(&self, options: &Value) -> Id {
        self.ask_for(Spec {
            options: options.clone(),
            ..Spec::default()
        })
    }

    pub fn ask_for(&self, spec: Spec) -> Id {
        let (by, at) = ((self.project, self.user), self.server.clock.now());
        let enqueue = |act: &mut moretta_server::store::Act<'_>| {
            job::enqueue(&mut **act, by, Kind::Plan, &spec, at)
        };
        self.server.app.store.act(enqueue).expect("a job")
    }

    pub fn job(&self, id: Id) -> Job {
        let found = self
            .server
            .app
            .store
            .read(|sql| job::find(sql, self.project, id));
        found.expect("the store answers").expect("the job")
    }

    /// A job when it has ended.
    pub fn ended(&self, id: Id) -> Job {
        until("a job ends", || {
            let job = self.job(id);
            (!matches!(job.state, State::Waiting | State::Running)).then_some(job)
        })
    }

    /// The process of the worker that waits in some try of a job.
    pub fn waiting_worker(&self, id: Id, attempt: i64) -> i32 {
        until("a worker waits", || {
            let job = self.job(id);
            assert!(
                matches!(job.state, State::Waiting | State::Running),
                "{job:?}"
            );
            let progress = job.progress.filter(|_| job.attempts == attempt)?;
            i32::try_from(progress["rows"].as_i64()?).ok()
        })
    }

    pub fn count(&self, query: &str) -> i64 {
        let counted = self.server.app.store.read(|sql| sql.number(query, &[]));
        counted.expect("a number")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.server.app.settings.data.join(name)
    }

    /// How many files are in a folder of the server.
    pub fn files(&self, name: &str) -> usize {
        std::fs::read_dir(self.path(name)).map_or(0, Iterator::count)
    }

    /// A file that says to waiting workers to go on.
    pub fn sign(&self) -> PathBuf {
        self.server.folder.path().join("go")
    }

    /// The same server in a process of its own, which does jobs until it is killed.
    pub fn process(&self) -> Child {
        process(&self.server)
    }
}

/// A server in a process of its own, which does jobs and keeps streams until it is killed.
pub fn process(server: &Server) -> Child {
    let settings = &server.app.settings;
    let postgres = server.postgres.as_ref();
    let database = postgres.map_or_else(String::new, |postgres| postgres.address());
    Command::new(&program()[0])
        .arg("server")
        .args([&settings.data, &settings.keys])
        .args([server.clock.now().to_string(), database])
        .stdin(Stdio::null())
        .spawn()
        .expect("a process")
}

/// The database of a server: that at an address, or the file where there is none.
pub fn database(file: &Path, address: &str) -> Arc<dyn Db> {
    match address {
        "" => Arc::new(SqliteDb::open(file).expect("a store")),
        address => Arc::new(PostgresDb::open(address).expect("a database")),
    }
}

/// The processes that one has started and that are there.
pub fn children(of: u32) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").expect("processes").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_child = |id: &i32| {
        let told = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let parent = told
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split(' ').nth(2));
        parent == Some(&*of.to_string())
    };
    ids.filter(|id| is_child(id) && lives(*id)).collect()
}

/// Kills a server between two of its instructions, and waits until its children have ended.
pub fn kill_server(mut server: Child) {
    let process = Pid::from_child(&server);
    // A stopped process starts no other one.
    kill_process(process, Signal::STOP).expect("a server");
    let children = children(server.id());
    server.kill().expect("a server");
    server.wait().expect("a server");
    for child in children {
        until("a child ends with its server", || {
            (!lives(child)).then_some(())
        });
    }
}

/// Whether a process is there.
pub fn lives(process: i32) -> bool {
    // One that has ended and waits to be told of is gone too.
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let ended = state
        .rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim().starts_with('Z'));
    let found = Pid::from_raw(process).is_some_and(|pid| test_kill_process(pid).is_ok());
    found && !ended
}

/// Kills a process as nobody can refuse.
pub fn kill(process: i32) {
    if let Some(process) = Pid::from_raw(process) {
        // It may have ended meanwhile.
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Is a server that does jobs and keeps streams until it is killed: with a folder of data, a file of keys, a time at
/// which its clock stands, and the address of a database or nothing.
pub fn serve(arguments: &[String]) -> ! {
    let [data, keys, at, database] = arguments else {
        panic!("a server has four arguments");
    };
    let mut settings = Settings {
        data: data.into(),
        keys: keys.into(),
        ..Settings::default()
    };
    settings.limits.memory = Some(1 << 30);
    let db = self::database(&Path::new(data).join("store"), database);
    let clock = Clock::standing(at.parse().expect("a time"));
    let app = Arc::new(App::new(Store::open(db).expect("a store"), clock, settings));
    let _dispatcher = Dispatcher::start(Arc::clone(&app), program()).expect("a dispatcher");
    let _keeper = Keeper::start(app, program());
    loop {
        std::thread::park();
    }
}
