//! From settings to the end: what is opened, what is refused, what an old store tells, and how a
//! store moves.

use crate::support::net::{Net, Reply};
use crate::support::{BEGIN, Postgres, Server as Support};
use http::Method;
use moretta_server::account::demo_people;
use moretta_server::audit::{self, Entry};
use moretta_server::clock::Clock;
use moretta_server::db::{SqliteDb, copy, migrate};
use moretta_server::id::Id;
use moretta_server::session::{self, State};
use moretta_server::settings::Settings;
use moretta_server::start::Server;
use serde_json::json;
use std::fs;
use std::path::Path;

fn settings(folder: &Path) -> Settings {
    Settings {
        data: folder.join("data"),
        keys: folder.join("keys"),
        ..Settings::default()
    }
}

fn open(folder: &Path) -> moretta::Result<Server> {
    Server::open(settings(folder), Clock::standing(BEGIN), None)
}

#[test]
fn what_a_server_makes_is_its_owners_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = open(folder.path()).expect("a server");
    server.head().expect("a head");
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let mut met = 0;
        let mut look = vec![folder.path().join("data"), folder.path().join("keys")];
        while let Some(path) = look.pop() {
            let told = fs::metadata(&path).expect("there");
            let expected = if told.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(told.mode() & 0o777, expected, "{}", path.display());
            if told.is_dir() {
                let entries = fs::read_dir(&path).expect("a folder");
                look.extend(entries.map(|entry| entry.expect("an entry").path()));
            }
            met += 1;
        }
        assert!(met > 4, "only {met}");
    }
}

#[test]
fn a_folder_has_one_server_and_one_file_of_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = open(folder.path()).expect("a server");
    let second = open(folder.path()).expect_err("one is there");
    assert_eq!(second.exit_code(), 2, "{second}");
    drop(server);
    let keys = folder.path().join("keys");
    let kept = folder.path().join("kept");
    fs::rename(&keys, &kept).expect("moved");
    let missing = open(folder.path()).expect_err("the keys are missing");
    assert_eq!(missing.exit_code(), 2, "{missing}");
    // Those of another folder.
    let other = tempfile::tempdir().expect("a folder");
    drop(open(other.path()).expect("a server"));
    fs::copy(other.path().join("keys"), &keys).expect("copied");
    let wrong = open(folder.path()).expect_err("the keys are wrong");
    assert_eq!(wrong.exit_code(), 2, "{wrong}");
    fs::rename(&kept, &keys).expect("moved");
    assert!(open(folder.path()).is_ok());
}

#[test]
fn keys_among_the_data_and_a_newer_store_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut among = settings(folder.path());
    among.keys = among.data.join("keys");
    let refused = Server::open(among, Clock::standing(BEGIN), None).expect_err("refused");
    assert_eq!(refused.exit_code(), 2, "{refused}");
    let server = open(folder.path()).expect("a server");
    let newer = "UPDATE store SET value = 1000 WHERE name = 'version'";
    let done = server.app.store.act(|act| act.execute(newer, &[]));
    done.expect("newer");
    drop(server);
    let refused = open(folder.path()).expect_err("it is newer");
    assert_eq!(refused.exit_code(), 2, "{refused}");
    assert!(refused.to_string().contains("version 1000"), "{refused}");
}

fn act(server: &Server, times: usize) {
    for _ in 0..times {
        let entry = Entry {
            at: BEGIN,
            act: "project.make",
            ..Entry::default()
        };
        server
            .app
            .store
            .act(|act| act.log(&entry))
            .expect("entered");
    }
}

fn sessions(server: &Server) -> i64 {
    let count =
        |sql: &mut dyn moretta_server::db::Sql| sql.number("SELECT count(*) FROM sessions", &[]);
    server.app.store.read(count).expect("a number")
}

#[test]
fn a_restored_store_is_told_and_all_its_sessions_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = open(folder.path()).expect("a server");
    act(&server, 3);
    let begun = server
        .app
        .store
        .act(|act| session::begin(&mut **act, Id::random(), State::Full, None, BEGIN));
    begun.expect("a session");
    drop(server);
    let store = folder.path().join("data/store");
    let backup = folder.path().join("backup");
    fs::copy(&store, &backup).expect("a backup");
    let server = open(folder.path()).expect("a server");
    act(&server, 2);
    let head = server.head().expect("a head");
    drop(server);
    // As it was left, it holds.
    let server = open(folder.path()).expect("a server");
    assert_eq!((server.lacking, sessions(&server)), (None, 1));
    drop(server);
    fs::copy(&backup, &store).expect("restored");
    let server = open(folder.path()).expect("a server");
    assert_eq!(server.lacking, Some(head));
    assert_eq!(sessions(&server), 0);
    // It goes on from here, also when its log grows past the number that was seen.
    act(&server, 5);
    server.head().expect("a head");
    drop(server);
    let server = open(folder.path()).expect("a server");
    assert_eq!(server.lacking, None);
    drop(server);
    let seen = Server::open(settings(folder.path()), Clock::standing(BEGIN), Some(head));
    assert_eq!(seen.expect("a server").lacking, Some(head));
}

#[test]
fn a_store_is_copied_with_every_row_and_into_an_empty_one_only() {
    let server = Support::new();
    let admin = server.admin("first");
    for number in 0..30 {
        let body = json!({ "name": format!("ward {number} \u{e4}") });
        server
            .send(&admin, Method::POST, "/projects", &body)
            .expect(201);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let other = SqliteDb::open(&folder.path().join("store")).expect("a store");
    migrate(&other).expect("tables");
    let copied = copy(server.app.store.db(), &other).expect("copied");
    let head = server.app.store.read(audit::head).expect("a head");
    assert_eq!(copied.head, head);
    let rows = |name| copied.tables.iter().find(|(table, _)| *table == name);
    assert_eq!(rows("projects"), Some(&("projects", 30)));
    let refused = copy(server.app.store.db(), &other).expect_err("it is full");
    assert!(refused.what.contains("in use"), "{}", refused.what);
    // And back, where there is a PostgreSQL.
    if let Some(postgres) = Postgres::new() {
        let back = postgres.open();
        migrate(&back).expect("tables");
        assert_eq!(copy(&other, &back).expect("copied").head, head);
    }
}

#[test]
fn a_link_of_a_demonstration_signs_in_and_elsewhere_there_is_none() {
    let server = Support::with(|settings| settings.demo = true);
    let people = demo_people(&server.app).expect("people");
    assert_eq!(people.len(), 7);
    let secret_of = |address: String| address.rsplit_once('=').expect("a link").1.to_owned();
    for person in &people {
        let link = secret_of(person.address("http://127.0.0.1"));
        // It can be used again.
        for _ in 0..2 {
            let body = json!({ "link": link });
            let answered = server.knock(Method::POST, "/demo/session", &body);
            assert_eq!(answered.status, 201, "{}", person.name);
            let secret = answered.cookie("__Host-moretta").expect("a cookie");
            let signed = crate::support::Person::of(Id::random(), person.name, &secret);
            let projects = server.see(&signed, "/projects").expect(200);
            let expected = match person.name {
                "clinician" | "operator" => 1,
                _ => 2,
            };
            let found = projects["items"].as_array().map(Vec::len);
            assert_eq!(found, Some(expected), "{}", person.name);
        }
        let look = json!({ "link": link });
        let looked = server.knock(Method::POST, "/links/look", &look);
        looked.refused(404, "link-over");
    }
    let wrong = json!({ "link": "0".repeat(64) });
    let knocked = server.knock(Method::POST, "/demo/session", &wrong);
    assert_eq!(knocked.status, 404);
    // The same store with a server that is none of a demonstration.
    let plain = Support::new();
    assert!(demo_people(&plain.app).is_err());
    let link = json!({ "link": secret_of(people[0].address("")) });
    plain
        .knock(Method::POST, "/demo/session", &link)
        .refused(404, "no-such-route");
}

#[cfg(unix)]
#[test]
fn while_the_store_is_away_nothing_is_answered() {
    use std::io::{Read, Write};
    use std::net::{Shutdown, TcpListener, TcpStream};
    use std::os::unix::net::UnixStream;
    use std::sync::{Arc, Mutex};
    // A database that can be cut off is behind a relay of ours.
    let Some(postgres) = Postgres::new() else {
        return;
    };
    let Some(socket) = postgres.socket() else {
        return;
    };
    let relay = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = relay.local_addr().expect("an address").port();
    let open: Arc<Mutex<(bool, Vec<TcpStream>)>> = Arc::new(Mutex::new((true, Vec::new())));
    let accepted = Arc::clone(&open);
    std::thread::spawn(move || {
        for stream in relay.incoming().flatten() {
            let mut state = accepted.lock().expect("no panic");
            if !state.0 {
                continue;
            }
            let Ok(database) = UnixStream::connect(&socket) else {
                continue;
            };
            state.1.push(stream.try_clone().expect("a socket"));
            let pairs = (stream.try_clone(), database.try_clone());
            let (Ok(back), Ok(forth)) = pairs else {
                continue;
            };
            std::thread::spawn(move || pump(stream, forth));
            std::thread::spawn(move || pump(database, back));
        }
    });
    fn pump(mut from: impl Read, mut to: impl Write) {
        let mut piece = [0; 8192];
        while let Ok(1..) = from
            .read(&mut piece)
            .map(|n| match to.write_all(&piece[..n]) {
                Ok(()) => n,
                Err(_) => 0,
            })
        {}
    }
    let address = format!("postgres://moretta@127.0.0.1:{port}/{}", postgres.name());
    let server = Support::on(Arc::new(
        moretta_server::db::PostgresDb::open(&address).expect("an answer"),
    ));
    let admin = server.admin("first");
    let net = server.listen();
    let ask = |net: &Net, path: &str| -> Reply {
        net.get(path, &format!("cookie: {}\r\n", admin.cookie()))
    };
    assert_eq!(ask(&net, "/api/v1/projects").status, 200);
    let cut = |is_open: bool| {
        let mut state = open.lock().expect("no panic");
        state.0 = is_open;
        for stream in state.1.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    };
    cut(false);
    for route in server.app.router().routes() {
        if route.method == Method::GET && !route.path.contains("openapi") {
            let path = route.path.replace(['{', '}'], "");
            let reply = ask(&net, &format!("/api/v1{path}"));
            assert_eq!(reply.status, 503, "{path}");
            assert_eq!(reply.header("retry-after"), ["5"], "{path}");
        }
    }
    cut(true);
    // A connection that was cut is found to be so once.
    while ask(&net, "/api/v1/projects").status != 200 {
        std::thread::yield_now();
    }
}
