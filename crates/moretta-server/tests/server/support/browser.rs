//! A browser: it keeps the cookies that it is given, and sends what a page sends.

use super::{Answered, Person, Server};
use http::Method;
use moretta_server::account::totp;
use moretta_server::clock::{Clock, SECOND};
use moretta_server::id::Id;
use serde_json::{Value, json};

/// A password that nobody guesses.
pub const PASSWORD: &str = "correct horse battery staple";

/// A browser, which nobody has used before.
#[derive(Clone, Debug, Default)]
pub struct Browser {
    pub session: String,
    pub device: String,
    pub token: String,
}

impl Browser {
    /// That of somebody who is signed in.
    pub fn of(person: &Person) -> Self {
        Browser {
            session: person.secret.clone(),
            token: person.token.clone(),
            device: String::new(),
        }
    }

    /// Asks as a page does.
    pub fn send(&mut self, server: &Server, method: Method, path: &str, body: &Value) -> Answered {
        let cookies = [
            ("__Host-moretta", &self.session),
            ("__Host-moretta-device", &self.device),
        ];
        let cookies = cookies.iter().filter(|(_, value)| !value.is_empty());
        let cookies: Vec<String> = cookies
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let cookies = cookies.join("; ");
        let mut headers = vec![
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
            ("x-moretta-token", &*self.token),
        ];
        if !cookies.is_empty() {
            headers.push(("cookie", &cookies));
        }
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let answered = server.ask(method, path, &headers, body.as_bytes());
        self.keep(&answered);
        answered
    }

    fn keep(&mut self, answered: &Answered) {
        if let Some(session) = answered.cookie("__Host-moretta") {
            self.session = session;
        }
        if let Some(device) = answered.cookie("__Host-moretta-device") {
            self.device = device;
        }
        for told in [&answered.json, &answered.json["session"]] {
            if let (Some(token), true) = (told["token"].as_str(), told["locks_at"].is_i64()) {
                self.token = token.to_owned();
            }
        }
    }

    /// Reads.
    pub fn see(&mut self, server: &Server, path: &str) -> Answered {
        self.send(server, Method::GET, path, &Value::Null)
    }

    /// Sends.
    pub fn post(&mut self, server: &Server, path: &str, body: &Value) -> Answered {
        self.send(server, Method::POST, path, body)
    }

    /// Signs in by name and password.
    pub fn sign_in(&mut self, server: &Server, name: &str, password: &str) -> Answered {
        let body = json!({ "name": name, "password": password });
        self.post(server, "/session", &body)
    }

    /// Shows the second factor with this secret, of the next half minute so that no code is used twice.
    pub fn show_factor(&mut self, server: &Server, secret: &[u8]) -> Answered {
        server.clock.forward(30 * SECOND);
        let body = json!({ "code": code(&server.clock, secret) });
        self.post(server, "/session/factor", &body)
    }

    /// Sets up a second factor; gives its secret and the recovery codes.
    pub fn set_up_factor(&mut self, server: &Server) -> (Vec<u8>, Vec<String>) {
        let begun = self.post(server, "/me/factor", &json!({ "password": PASSWORD }));
        let begun = begun.expect(201);
        let secret = begun["secret"].as_str().and_then(totp::unbase32);
        let secret = secret.expect("a secret");
        let body = json!({ "code": code(&server.clock, &secret) });
        let set = self
            .send(server, Method::PUT, "/me/factor", &body)
            .expect(200);
        let codes = set["recovery"].as_array().expect("codes");
        let codes = codes
            .iter()
            .filter_map(|code| code.as_str())
            .map(str::to_owned);
        (secret, codes.collect())
    }
}

/// The code of now.
pub fn code(clock: &Clock, secret: &[u8]) -> String {
    totp::code(secret, totp::step(clock.now()))
}

impl Server {
    /// Invites somebody, who accepts with [`PASSWORD`].
    pub fn invited(&self, admin: &Person, name: &str) -> (Id, Browser) {
        let made = self
            .send(admin, Method::POST, "/users", &json!({ "name": name }))
            .expect(201);
        let user = made["user"].as_str().and_then(Id::parse).expect("an id");
        let mut browser = Browser::default();
        let body = json!({ "link": made["link"], "password": PASSWORD });
        browser.post(self, "/links/use", &body).expect(201);
        (user, browser)
    }

    /// Every value of the store, and every file beside it, as one heap of bytes.
    pub fn everything(&self) -> Vec<u8> {
        let tables = [
            "users", "recovery", "links", "sessions", "devices", "tokens", "guesses", "drafts",
            "wishes", "audit", "events", "repeats",
        ];
        let mut heap = Vec::new();
        for table in tables {
            let rows = self
                .app
                .store
                .read(|sql| sql.query(&format!("SELECT * FROM {table}"), &[]));
            heap.extend(format!("{:?}", rows.expect("rows")).into_bytes());
        }
        for entry in std::fs::read_dir(&self.app.settings.data).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                heap.extend(std::fs::read(path).expect("a file"));
            }
        }
        heap
    }

    /// The acts of the log, in order.
    pub fn acts(&self) -> Vec<String> {
        let query = "SELECT act FROM audit ORDER BY number";
        let rows = self
            .app
            .store
            .read(|sql| sql.query(query, &[]))
            .expect("the log");
        let act = |row: &moretta_server::db::Row| row.text(0).map(str::to_owned);
        rows.iter().map(|row| act(row).expect("an act")).collect()
    }
}
