//! A project with people in it, and streams.

use super::{Answered, Person, Server};
use http::Method;
use moretta_server::id::Id;
use serde_json::{Value, json};

/// The policy of the project.
pub const POLICY: &str = r#"
version = 1
[columns]
t = { role = "time", unit = "s" }
user = { role = "subject", action = "keep" }
place = { role = "quasi", hierarchy = { path = "/" } }
[[protect]]
method = "z-anonymity"
z = 3
window = "60s"
"#;

/// A project with one person of each role, and a policy.
pub struct Ward {
    pub server: Server,
    pub project: Id,
    pub steward: Person,
    pub officer: Person,
    pub operator: Person,
    pub policy: String,
}

impl Ward {
    pub fn new() -> Self {
        Ward::on(Server::new())
    }

    pub fn on(server: Server) -> Self {
        let admin = server.admin("first");
        let made = server.send(
            &admin,
            Method::POST,
            "/projects",
            &json!({ "name": "ward 7" }),
        );
        let project = made.expect(201)["id"]
            .as_str()
            .and_then(Id::parse)
            .expect("an id");
        let mut ward = Ward {
            steward: server.signed_in("steward"),
            officer: server.signed_in("officer"),
            operator: server.signed_in("operator"),
            policy: String::new(),
            server,
            project,
        };
        for (person, role) in [
            (&ward.steward, "steward"),
            (&ward.officer, "officer"),
            (&ward.operator, "operator"),
        ] {
            ward.join(person, role, 0);
        }
        ward.rules(&json!({ "least_k": { "2": 2 } }));
        ward.policy = ward.write("shop", POLICY);
        ward
    }

    /// Sets the rules, behind the back of the server.
    pub fn rules(&self, rules: &Value) {
        let update = "UPDATE projects SET rules = $1, version = version + 1 WHERE id = $2";
        let cells = [rules.to_string().into(), self.project.into()];
        let set = self.server.app.store.act(|act| act.execute(update, &cells));
        set.expect("rules");
    }

    pub fn join(&self, person: &Person, role: &str, level: i64) {
        let insert = "INSERT INTO members (project_id, user_id, role, level, ends_at, asked_by, confirmed_by, at) \
                      VALUES ($1, $2, $3, $4, NULL, $5, $6, 0)";
        let cells = [
            self.project.into(),
            person.id.into(),
            role.into(),
            level.into(),
            self.project.into(),
            person.id.into(),
        ];
        let joined = self.server.app.store.act(|act| act.execute(insert, &cells));
        joined.expect("a member");
    }

    pub fn reader(&self, name: &str, level: i64) -> Person {
        let person = self.server.signed_in(name);
        self.join(&person, "analyst", level);
        person
    }

    pub fn write(&self, name: &str, policy: &str) -> String {
        let path = format!("/projects/{}/policies", self.project);
        let body = json!({ "name": name, "content": policy });
        let made = self
            .server
            .send(&self.steward, Method::POST, &path, &body)
            .expect(201);
        made["id"].as_str().expect("an id").to_owned()
    }

    pub fn path(&self, stream: &Value, rest: &str) -> String {
        let id = stream["id"].as_str().expect("an id");
        format!("/projects/{}/streams/{id}{rest}", self.project)
    }

    pub fn define(&self, name: &str, policy: &str, level: i64) -> Answered {
        let path = format!("/projects/{}/streams", self.project);
        let body = json!({ "name": name, "policy_version": policy, "level": level });
        self.server.send(&self.steward, Method::POST, &path, &body)
    }

    pub fn decide(&self, person: &Person, stream: &Value, approve: bool) -> Answered {
        let body = json!({ "approve": approve, "reason": "read it" });
        self.edit(
            person,
            Method::POST,
            &self.path(stream, "/decision"),
            stream["version"].as_i64().expect("a version"),
            &body,
        )
    }

    /// Changes what has been read with this version.
    pub fn edit(
        &self,
        person: &Person,
        method: Method,
        path: &str,
        version: i64,
        body: &Value,
    ) -> Answered {
        let cookie = person.cookie();
        let version = version.to_string();
        let headers = [
            ("cookie", &*cookie),
            ("x-moretta-token", &*person.token),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
            ("if-match", &*version),
        ];
        self.server
            .ask(method, path, &headers, body.to_string().as_bytes())
    }

    pub fn want(&self, stream: &Value, wanted: &str) -> Answered {
        let body = json!({ "wanted": wanted });
        self.server.send(
            &self.operator,
            Method::POST,
            &self.path(stream, "/wanted"),
            &body,
        )
    }

    pub fn approved(&self, level: i64) -> (Value, String) {
        let stream = self.define("visits", &self.policy, level).expect(201);
        let stream = self.decide(&self.officer, &stream, true).expect(200);
        let body = json!({ "name": "shop", "ends_at": self.server.clock.now() + 3_600_000 });
        let made = self.server.send(
            &self.steward,
            Method::POST,
            &self.path(&stream, "/tokens"),
            &body,
        );
        let token = made.expect(201)["token"]
            .as_str()
            .expect("a token")
            .to_owned();
        (stream, token)
    }

    pub fn post(&self, stream: &Value, token: &str, query: &str, events: &str) -> Answered {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("authorization", &*bearer),
            ("content-type", "application/x-ndjson"),
        ];
        let path = self.path(stream, &format!("/events{query}"));
        self.server
            .ask(Method::POST, &path, &headers, events.as_bytes())
    }
}
