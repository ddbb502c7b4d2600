//! A server in a folder, and the people of a project, who have come by links and invitations alone.

use crate::browser::{Answer, Browser};
use crate::program::Running;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No test waits longer for what must happen.
const PATIENCE: Duration = Duration::from_secs(300);

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
    /// All that servers have printed that have ended.
    pub(crate) printed: Vec<u8>,
    people: BTreeMap<String, Browser>,
    project: String,
}

impl Team {
    /// Two administrators and a project with one person for each of these roles, with levels.
    pub(crate) fn new(roles: &[(&str, &str, Option<i64>)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let server = start(folder.path());
        let mut team = Team {
            folder,
            server: Some(server),
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

    fn path(&self, rest: &str) -> String {
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
        let server = self.server.take().expect("a server");
        #[cfg(target_os = "linux")]
        let workers = server.workers();
        self.printed.extend(server.kill());
        #[cfg(target_os = "linux")]
        for worker in workers {
            until("a worker ends with its server", || {
                is_gone(worker).then_some(())
            });
        }
        let server = start(self.folder.path());
        for browser in self.people.values() {
            browser.go_to(server.address());
        }
        self.server = Some(server);
    }

    /// Ends the server in good order.
    pub(crate) fn end_server(&mut self) {
        let server = self.server.take().expect("a server");
        self.printed.extend(server.end());
    }
}

#[cfg(target_os = "linux")]
fn is_gone(process: u32) -> bool {
    let told = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = told.rsplit(')').next().unwrap_or_default().trim();
    state.is_empty() || state.starts_with('Z')
}

fn start(folder: &Path) -> Running {
    Running::start(folder, &["--listen", "127.0.0.1:0"])
}
