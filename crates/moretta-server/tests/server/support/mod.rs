//! A server in a folder that goes away, a clock that stands, and who asks it.

#![allow(dead_code, unused_imports, reason = "each test uses some of it")]

mod browser;
pub mod net;
mod postgres;
mod ward;

pub use browser::{Browser, PASSWORD};
pub use postgres::Postgres;
pub use ward::{POLICY, Ward};

use http::{HeaderMap, HeaderValue, Method};
use moretta_server::app::App;
use moretta_server::clock::Clock;
use moretta_server::db::{Db, SqliteDb, Value as Cell};
use moretta_server::http::{Given, Head, Request};
use moretta_server::id::Id;
use moretta_server::problem::Problem;
use moretta_server::session::{self, State};
use moretta_server::settings::Settings;
use moretta_server::store::Store;
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use tempfile::TempDir;

/// When tests begin: a Monday in 2026.
pub const BEGIN: i64 = 1_790_000_000_000;

/// A server without a network.
pub struct Server {
    pub app: Arc<App>,
    pub clock: Clock,
    pub folder: TempDir,
    pub postgres: Option<Postgres>,
}

/// An answer.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    /// Of a problem.
    pub code: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub json: Value,
}

impl Server {
    /// A new one.
    pub fn new() -> Self {
        Server::with(|_| ())
    }

    /// A new one with other settings.
    pub fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut settings = Settings {
            data: folder.path().join("data"),
            keys: folder.path().join("keys"),
            ..Settings::default()
        };
        change(&mut settings);
        std::fs::create_dir_all(&settings.data).expect("a folder");
        let clock = Clock::standing(BEGIN);
        Server::open(folder, Postgres::new(), clock, settings)
    }

    /// The same server, started again on the same store.
    pub fn restarted(self) -> Self {
        let settings = self.app.settings.clone();
        drop(self.app);
        Server::open(self.folder, self.postgres, self.clock, settings)
    }

    fn open(folder: TempDir, postgres: Option<Postgres>, clock: Clock, settings: Settings) -> Self {
        let db: Arc<dyn Db> = match &postgres {
            Some(postgres) => Arc::new(postgres.open()),
            None => Arc::new(SqliteDb::open(&settings.data.join("store")).expect("a store")),
        };
        Server::from(db, settings, folder, postgres, clock)
    }

    /// A new one on this database.
    pub fn on(db: Arc<dyn Db>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings {
            data: folder.path().join("data"),
            keys: folder.path().join("keys"),
            ..Settings::default()
        };
        std::fs::create_dir_all(&settings.data).expect("a folder");
        Server::from(db, settings, folder, None, Clock::standing(BEGIN))
    }

    fn from(
        db: Arc<dyn Db>,
        settings: Settings,
        folder: TempDir,
        postgres: Option<Postgres>,
        clock: Clock,
    ) -> Self {
        let store = Store::open(db).expect("a store");
        Server {
            app: Arc::new(App::new(store, clock.clone(), settings)),
            clock,
            folder,
            postgres,
        }
    }

    /// Asks.
    pub fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answered {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: http::HeaderName = name.parse().expect("a name");
            map.append(name, HeaderValue::from_str(value).expect("a value"));
        }
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let mut head = Head::new(method, path, query, map, peer);
        let looked = self.app.look(&mut head, Some("localhost:8440"));
        let answered = looked.and_then(|_| {
            self.app.answer(Request {
                head,
                body: body.to_vec(),
            })
        });
        match answered {
            Ok(Given::Ready(ready)) => {
                let json = serde_json::from_slice(&ready.body).unwrap_or(Value::Null);
                let headers = ready.headers.into_iter().map(|(n, v)| (n.to_owned(), v));
                Answered {
                    status: ready.status,
                    code: String::new(),
                    headers: headers.collect(),
                    json,
                    body: ready.body,
                }
            }
            Ok(Given::Download(download)) => {
                let chunks: Result<Vec<Vec<u8>>, Problem> = download.chunks.collect();
                let body = chunks.expect("a whole file").concat();
                Answered {
                    status: 200,
                    code: String::new(),
                    headers: vec![("content-type".to_owned(), download.media_type.to_owned())],
                    body,
                    json: Value::Null,
                }
            }
            // Events are read elsewhere.
            Ok(Given::Live(_)) => Answered {
                status: 200,
                code: String::new(),
                headers: vec![("content-type".to_owned(), "text/event-stream".to_owned())],
                body: Vec::new(),
                json: Value::Null,
            },
            Err(problem) => Answered {
                status: problem.status,
                code: problem.code.to_owned(),
                headers: Vec::new(),
                body: problem.to_string().into_bytes(),
                json: Value::Null,
            },
        }
    }
}

/// Who is signed in, as their browser has it.
#[derive(Clone)]
pub struct Person {
    pub id: Id,
    pub name: String,
    pub secret: String,
    pub token: String,
}

/// What somebody is whom [`Server::person`] puts into the store.
#[derive(Clone, Copy, Default)]
pub struct Kind {
    pub admin: bool,
    pub auditor: bool,
    /// Whether they have a second factor, and have just shown it.
    pub factor: bool,
}

impl Server {
    /// Somebody with a second factor just shown, who is put straight into the store, signed in.
    pub fn signed_in(&self, name: &str) -> Person {
        let factor = true;
        self.person(
            name,
            Kind {
                factor,
                ..Kind::default()
            },
        )
    }

    /// The same, an administrator.
    pub fn admin(&self, name: &str) -> Person {
        let (admin, factor) = (true, true);
        self.person(
            name,
            Kind {
                admin,
                factor,
                ..Kind::default()
            },
        )
    }

    /// The same, an auditor of everything.
    pub fn auditor(&self, name: &str) -> Person {
        let (auditor, factor) = (true, true);
        self.person(
            name,
            Kind {
                auditor,
                factor,
                ..Kind::default()
            },
        )
    }

    /// Somebody of this kind without a password, who is put straight into the store, signed in.
    pub fn person(&self, name: &str, kind: Kind) -> Person {
        let id = Id::random();
        let at = self.clock.now();
        let next = "SELECT coalesce(max(number), 0) + 1 FROM users";
        let insert = "INSERT INTO users (id, number, name, factor, state, admin, auditor, idle_minutes, made_at) \
                      VALUES ($1, $2, $3, $4, 'active', $5, $6, 10, $7)";
        let factor = kind.factor.then(|| vec![0_u8]);
        self.app
            .store
            .act(|act| {
                let number = act.number(next, &[])?;
                let cells = [
                    Cell::from(id),
                    Cell::from(number),
                    Cell::from(name),
                    Cell::from(factor.clone()),
                    Cell::from(kind.admin),
                    Cell::from(kind.auditor),
                    Cell::from(at),
                ];
                act.execute(insert, &cells).map(drop)
            })
            .expect("a user");
        self.again(id, name, kind.factor)
    }

    /// Another session of somebody, without asking for anything.
    pub fn again(&self, id: Id, name: &str, factor: bool) -> Person {
        let at = self.clock.now();
        let begin = self
            .app
            .store
            .act(|act| session::begin(&mut **act, id, State::Full, factor.then_some(at), at));
        let (_, secret) = begin.expect("a session");
        Person::of(id, name, secret.show())
    }

    /// Asks as a page does, for somebody who is signed in.
    pub fn send(&self, person: &Person, method: Method, path: &str, body: &Value) -> Answered {
        let cookie = person.cookie();
        let headers = [
            ("cookie", &*cookie),
            ("x-moretta-token", &*person.token),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
        ];
        let body = match body {
            Value::Null => Vec::new(),
            body => body.to_string().into_bytes(),
        };
        self.ask(method, path, &headers, &body)
    }

    /// Reads as a page does, for somebody who is signed in.
    pub fn see(&self, person: &Person, path: &str) -> Answered {
        self.send(person, Method::GET, path, &Value::Null)
    }

    /// Asks as a page does on which nobody is signed in.
    pub fn knock(&self, method: Method, path: &str, body: &Value) -> Answered {
        let headers = [
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
        ];
        self.ask(method, path, &headers, body.to_string().as_bytes())
    }
}

impl Person {
    /// Who has a session with this secret.
    pub fn of(id: Id, name: &str, secret: &str) -> Self {
        Person {
            id,
            name: name.to_owned(),
            secret: secret.to_owned(),
            token: session::token_of(secret),
        }
    }

    /// What their browser sends as `Cookie`.
    pub fn cookie(&self) -> String {
        format!("__Host-moretta={}", self.secret)
    }
}

impl Answered {
    /// The value of a cookie that was set; empty when it was taken away.
    pub fn cookie(&self, name: &str) -> Option<String> {
        let set = self
            .headers
            .iter()
            .filter(|(header, _)| header == "set-cookie");
        let mut values = set.filter_map(|(_, line)| {
            let (key, value) = line.split(';').next()?.split_once('=')?;
            (key == name).then(|| value.to_owned())
        });
        values.next()
    }

    /// The answer, which must have this status.
    pub fn expect(self, status: u16) -> Value {
        let told = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{} {told}", self.code);
        self.json
    }

    /// Asserts that it was refused with this code.
    pub fn refused(&self, status: u16, code: &str) {
        assert_eq!(
            (self.status, &*self.code),
            (status, code),
            "{}",
            String::from_utf8_lossy(&self.body)
        );
    }
}
