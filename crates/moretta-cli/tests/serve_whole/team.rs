//! A server in a folder, and the people of a project, who have come by links and invitations alone.

use crate::browser::{Answer, Browser};
use crate::postgres::Postgres;
use crate::program::Running;
use moretta_server::db::{Db, SqliteDb};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No test waits longer for what must happen.
const PATIENCE: Duration = Duration::from_secs(300);

/// The file with the address of a database.
const ADDRESS: &str = "postgres.address";

/// Waits until something is there.
pub(crate) fn until<T>(what: &str, mut is: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(is) = is() {
            return is;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(150));
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// A team and its server.
pub(crate) struct Team {
    pub(crate) folder: TempDir,
    server: Option<Running>,
    part: &'static str,
    postgres: Option<Postgres>,
    /// All that servers have printed that have ended.
    pub(crate) printed: Vec<u8>,
    people: BTreeMap<String, Browser>,
    project: String,
}

impl Team {
    /// Two administrators and a project with one person for each of these roles, with levels.
    pub(crate) fn new(roles: &[(&str, &str, Option<i64>)]) -> Self {
        Team::on(Postgres::new(), "all", roles)
    }

    /// The same with the store in a database, where there is one, and a server of a part.
    pub(crate) fn on(
        postgres: Option<Postgres>,
        part: &'static str,
        roles: &[(&str, &str, Option<i64>)],
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let server = start(folder.path(), postgres.as_ref(), part);
        let mut team = Team {
            folder,
            server: Some(server),
            part,
            postgres,
            printed: Vec::new(),
            people: BTreeMap::new(),
            project: String::new(),
        };
        let links = team.server().begun["links"].clone();
        for (name, link) in ["ana", "bo"]
            .into_iter()
            .zip(links.as_array().expect("links"))
        {
            let secret = text(&link["address"]);
            let secret = secret.rsplit_once('=').expect("a secret").1;
            let browser = Browser::new(team.server().address());
            browser.begin(secret, Some(name));
            team.people.insert(name.to_owned(), browser);
        }
        let made = team
            .person("ana")
            .post("/projects", &json!({ "name": "ward 7" }));
        team.project = text(&made.expect(201)["id"]);
        for (name, role, level) in roles {
            team.invite(name, role, *level);
        }
        team
    }

    fn invite(&mut self, name: &str, role: &str, level: Option<i64>) {
        let body = json!({ "name": name, "auditor": role == "auditor" });
        let made = self.person("ana").post("/users", &body).expect(201);
        let browser = Browser::new(self.server().address());
        browser.begin(&text(&made["link"]), None);
        self.people.insert(name.to_owned(), browser);
        let grant = json!({ "grant": true });
        if role == "auditor" {
            let path = format!("/wishes/{}/decision", text(&made["wish"]));
            assert_eq!(self.person("ana").post(&path, &grant).status, 403);
            self.person("bo").post(&path, &grant).expect(204);
            return;
        }
        let body = json!({
            "user": made["user"], "role": role, "level": level, "ends_at": null, "reason": "study 12",
        });
        let asked = self.post("ana", "/members", &body).expect(202);
        if matches!(role, "officer" | "steward") {
            // Nobody makes one alone.
            assert_eq!(asked["state"], "waiting");
            let path = format!("/wishes/{}/decision", text(&asked["wish"]));
            assert_eq!(self.post("ana", &path, &grant).status, 403);
            self.post("bo", &path, &grant).expect(204);
        }
    }

    pub(crate) fn server(&self) -> &Running {
        self.server.as_ref().expect("a server")
    }

    pub(crate) fn person(&self, name: &str) -> &Browser {
        &self.people[name]
    }

    pub(crate) fn people(&self) -> impl Iterator<Item = (&String, &Browser)> {
        self.people.iter()
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/projects/{}{rest}", self.project)
    }

    pub(crate) fn see(&self, name: &str, rest: &str) -> Answer {
        self.person(name).see(&self.path(rest))
    }

    pub(crate) fn post(&self, name: &str, rest: &str, body: &Value) -> Answer {
        self.person(name).post(&self.path(rest), body)
    }

    pub(crate) fn send(
        &self,
        name: &str,
        method: &str,
        rest: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let path = self.path(rest);
        self.person(name).send(method, &path, headers, body)
    }

    /// A job when it has ended well.
    pub(crate) fn done(&self, name: &str, job: &Value) -> Value {
        let path = format!("/jobs/{}", text(job));
        let job = until("a job ends", || {
            let job = self.see(name, &path).expect(200);
            let is_over = job["state"] != "waiting" && job["state"] != "running";
            is_over.then_some(job)
        });
        assert_eq!(job["state"], "done", "{job}");
        job
    }

    /// Kills the server with all that it does, and starts it again.
    pub(crate) fn kill_server(&mut self) {
        let workers = self.server().strike();
        self.start_again(&workers, |_| ());
    }

    /// Starts the server again that was killed, once its workers have ended and something was done to
    /// its store.
    pub(crate) fn start_again(&mut self, workers: &[u32], change: impl FnOnce(&dyn Db)) {
        let server = self.server.take().expect("a server");
        self.printed.extend(server.kill());
        for worker in workers {
            until("a worker ends with its server", || {
                is_gone(*worker).then_some(())
            });
        }
        change(&*self.store());
        let server = self.another(self.part);
        for browser in self.people.values() {
            browser.go_to(server.address());
        }
        self.server = Some(server);
    }

    /// Another server on the same folder and store.
    pub(crate) fn another(&self, part: &str) -> Running {
        start(self.folder.path(), self.postgres.as_ref(), part)
    }

    /// The store, behind the back of the server.
    pub(crate) fn store(&self) -> Arc<dyn Db> {
        match &self.postgres {
            Some(postgres) => Arc::new(postgres.open()),
            None => {
                let file = self.folder.path().join("share/moretta/server/store");
                Arc::new(SqliteDb::open(&file).expect("a store"))
            }
        }
    }

    pub(crate) fn project(&self) -> &str {
        &self.project
    }

    /// Ends the server in good order.
    pub(crate) fn end_server(&mut self) {
        let server = self.server.take().expect("a server");
        self.printed.extend(server.end());
    }
}

/// Whether a process is there no more; where that cannot be looked up it is.
fn is_gone(process: u32) -> bool {
    let told = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = told.rsplit(')').next().unwrap_or_default().trim();
    state.is_empty() || state.starts_with('Z')
}

fn start(folder: &Path, postgres: Option<&Postgres>, part: &str) -> Running {
    let mut arguments = vec!["--listen", "127.0.0.1:0", "--role", part];
    if let Some(postgres) = postgres {
        std::fs::write(folder.join(ADDRESS), postgres.address()).expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(folder.join(ADDRESS), mode).expect("its owner's alone");
        arguments.extend(["--database", ADDRESS]);
    }
    Running::start(folder, &arguments)
}
