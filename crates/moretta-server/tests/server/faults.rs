//! A store that does not answer, and one that takes nothing more: nothing fails open, and no data
//! leave that are not in the log.

use crate::support::Server;
use crate::ward::{Ward, version_path};
use http::Method;
use moretta_server::app::App;
use moretta_server::db::{Db, Sql, SqliteDb};
use moretta_server::problem::{Problem, Result};
use moretta_server::store::Store;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What is wrong with a database.
const FINE: u8 = 0;
const AWAY: u8 = 1;
const FULL: u8 = 2;

/// A database that can be taken away.
struct Faulty {
    db: Arc<dyn Db>,
    fault: Arc<AtomicU8>,
}

impl Faulty {
    fn check(&self, writes: bool) -> Result<()> {
        match self.fault.load(Ordering::SeqCst) {
            AWAY => Err(Problem::unavailable("the store does not answer")),
            FULL if writes => Err(Problem::new(507, "disk-full", "the disk is full")),
            _ => Ok(()),
        }
    }
}

impl Db for Faulty {
    fn name(&self) -> &'static str {
        self.db.name()
    }

    fn read(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()> {
        self.check(false)?;
        self.db.read(work)
    }

    fn write(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()> {
        self.check(true)?;
        self.db.write(work)
    }

    fn copy_to(&self, file: &Path) -> Result<()> {
        self.check(false)?;
        self.db.copy_to(file)
    }

    fn wipe(&self) -> Result<()> {
        self.check(true)?;
        self.db.wipe()
    }
}

/// The same server on a database of which faults are told.
fn faulty(server: &mut Server) -> Arc<AtomicU8> {
    let db: Arc<dyn Db> = match &server.postgres {
        Some(postgres) => Arc::new(postgres.open()),
        None => {
            let file = server.app.settings.data.join("store");
            Arc::new(SqliteDb::open(&file).expect("a store"))
        }
    };
    let fault = Arc::new(AtomicU8::new(FINE));
    let faulty = Faulty {
        db,
        fault: Arc::clone(&fault),
    };
    let store = Store::open(Arc::new(faulty)).expect("a store");
    let settings = server.app.settings.clone();
    server.app = Arc::new(App::new(store, server.clock.clone(), settings));
    fault
}

#[test]
fn while_the_store_is_away_every_route_says_so_and_nothing_fails_open() {
    let mut server = Server::with(|settings| settings.limits.calls = (1_000_000, 1_000_000));
    let admin = server.admin("first");
    let fault = faulty(&mut server);
    server.see(&admin, "/projects").expect(200);
    fault.store(AWAY, Ordering::SeqCst);
    let mut asked = 0;
    let (link, password) = ("0".repeat(64), "correct horse battery staple");
    for route in server.app.router().routes() {
        let path = route.path.replace(['{', '}'], "");
        let answered = match route.right.name {
            "open" => {
                let body = match &*path {
                    "/session" => json!({ "name": "ana", "password": password }),
                    "/setup" => json!({ "link": link, "name": "ana", "password": password }),
                    "/links/use" => json!({ "link": link, "password": password }),
                    "/links/look" => json!({ "link": link }),
                    "/health" => Value::Null,
                    // The documentation, and what is in a demonstration only.
                    _ => continue,
                };
                match route.method {
                    Method::GET => server.ask(Method::GET, &path, &[], b""),
                    _ => server.knock(route.method.clone(), &path, &body),
                }
            }
            _ => server.send(&admin, route.method.clone(), &path, &Value::Null),
        };
        let what = format!("{} {path}", route.method);
        assert_eq!(
            (answered.status, &*answered.code),
            (503, "unavailable"),
            "{what}"
        );
        asked += 1;
    }
    assert!(asked > 100, "{asked}");
    // By the network, with the time after which another try makes sense.
    let net = server.listen();
    let reply = net.get(
        "/api/v1/projects",
        &format!("cookie: {}\r\n", admin.cookie()),
    );
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (503, vec!["5"])
    );
    assert_eq!(net.get("/api/v1/health", "").status, 503);
    fault.store(FINE, Ordering::SeqCst);
    assert_eq!(net.get("/api/v1/health", "").status, 200);
    server.see(&admin, "/projects").expect(200);
}

#[test]
fn with_a_full_disk_no_data_leave_that_are_not_in_the_log() {
    let mut ward = Ward::new();
    let patients = b"patient,name,age\np1,Ada Canary,34\np2,Bob Canary,61\n";
    let version = ward.upload("a.csv", patients, &["name"]);
    let path = version_path(&version);
    let rows = format!("{path}/rows?purpose=round");
    let page = ward.see(&ward.clinician, &rows).expect(200);
    let pseudonym = page["rows"][0][1].clone();
    let look = json!({ "pseudonym": pseudonym, "purpose": "round" });
    let identity = format!("{path}/identity");
    ward.post(&ward.clinician, &identity, &look).expect(200);
    let auditor = ward.server.auditor("uma");
    ward.server.see(&auditor, "/audit/verification").expect(200);
    let before = ward.acts().len();

    let fault = faulty(&mut ward.server);
    fault.store(FULL, Ordering::SeqCst);
    for answered in [
        ward.see(&ward.clinician, &rows),
        ward.post(&ward.clinician, &identity, &look),
        ward.see(&ward.auditor, "/audit/export"),
        ward.server.see(&auditor, "/audit/export"),
        ward.server.see(&auditor, "/audit/verification"),
        // A refusal that cannot be entered is still one, told as the fault that it is.
        ward.see(&ward.analyst, &rows),
        ward.post(&ward.steward, "/uploads", &json!({ "name": "b.csv" })),
    ] {
        answered.refused(507, "disk-full");
        let told = String::from_utf8_lossy(&answered.body).into_owned();
        assert!(!told.contains("Canary") && !told.contains("34"), "{told}");
    }
    fault.store(FINE, Ordering::SeqCst);
    assert_eq!(ward.acts().len(), before);
    ward.see(&ward.clinician, &rows).expect(200);
    assert_eq!(ward.acts().len(), before + 1);
}

#[test]
fn a_store_that_was_damaged_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("store");
    std::fs::write(
        &file,
        "this is no database, and longer than its header would be".repeat(9),
    )
    .expect("written");
    let refused = SqliteDb::open(&file).expect_err("it is none");
    assert_eq!(refused.status, 503);
}
