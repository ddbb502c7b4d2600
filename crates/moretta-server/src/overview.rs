//! What administrators see of the server: how it was set up, and how it is doing. Settings are
//! changed in their file alone, so that nobody who is signed in can loosen them.

use crate::app::App;
use crate::audit;
use crate::backup;
use crate::clock::Millis;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::problem::Result;
use crate::rights::{ManageServer, Permit};
use crate::settings::Limits;
use crate::zone::free;
use schemars::JsonSchema;
use serde::Serialize;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    vec![
        get(
            "/settings",
            "How the server was set up; settings are changed in their file",
            settings,
        ),
        get("/status", "How the server is doing", status),
    ]
}

/// How the server was set up. No path of its machine is told.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Shown {
    /// The version of the program.
    version: &'static str,
    /// `SQLite` or `PostgreSQL`.
    store: &'static str,
    /// The names under which it is asked; none for those of its own machine.
    hosts: Vec<String>,
    /// Whether browsers reach it over TLS.
    secure: bool,
    /// Whether two persons are needed where one alone could reach data.
    four_eyes: bool,
    /// Whether stewards may take files of a folder.
    inbox: bool,
    /// Whether it is a demonstration.
    demo: bool,
    /// What may not be exceeded.
    limits: Limits,
}

fn settings(app: &App, _: Permit<ManageServer>, _: Call<Nothing, Nothing>) -> Result<Json<Shown>> {
    let settings = &app.settings;
    Ok(Json(Shown {
        version: env!("CARGO_PKG_VERSION"),
        store: app.store.db().name(),
        hosts: settings.hosts.clone(),
        secure: settings.is_secure(),
        four_eyes: settings.four_eyes,
        inbox: settings.inbox.is_some(),
        demo: settings.demo,
        limits: settings.limits,
    }))
}

/// How the server is doing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Status {
    /// The head of the log.
    head: String,
    /// Accounts that may sign in.
    users: i64,
    /// Sessions that have not ended.
    sessions: i64,
    /// Jobs that wait.
    jobs_waiting: i64,
    /// Jobs that run.
    jobs_running: i64,
    /// Streams that run.
    streams_running: i64,
    /// Bytes of sealed files.
    bytes: i64,
    /// Bytes of the disk that are free, where the system tells.
    free_bytes: Option<u64>,
    /// When the store was last copied.
    backup_at: Option<Millis>,
}

fn status(
    app: &App,
    permit: Permit<ManageServer>,
    _: Call<Nothing, Nothing>,
) -> Result<Json<Status>> {
    let backup_at = backup::last(app)?;
    app.store
        .read(|sql| {
            let mut count = |query: &str| sql.number(query, values![]);
            let users = count("SELECT count(*) FROM users WHERE state = 'active'")?;
            let jobs_waiting = count("SELECT count(*) FROM jobs WHERE state = 'waiting'")?;
            let jobs_running = count("SELECT count(*) FROM jobs WHERE state = 'running'")?;
            let streams_running = count("SELECT count(*) FROM streams WHERE state = 'running'")?;
            let bytes = count("SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM objects")?;
            let sessions = "SELECT count(*) FROM sessions WHERE ends_at > $1";
            Ok(Status {
                head: audit::head(sql)?.text(),
                users,
                sessions: sql.number(sessions, values![permit.at()])?,
                jobs_waiting,
                jobs_running,
                streams_running,
                bytes,
                free_bytes: free(&app.settings.data),
                backup_at,
            })
        })
        .map(Json)
}
