//! A store that takes its time to write: who only reads does not wait, and threads do not pile up.

use crate::support::Server;
use crate::support::net::{Net, Reply};
use moretta_server::clock::MINUTE;
use moretta_server::db::{Db, Sql, SqliteDb};
use moretta_server::problem::Result;
use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How many are answered at the same time.
const ANSWERS: usize = 128;

fn asked(path: &str, secret: &str) -> String {
    format!(
        "GET /api/v1{path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         cookie: __Host-moretta={secret}\r\nsec-fetch-site: same-origin\r\n\r\n"
    )
}

fn seen_at(server: &Server) -> i64 {
    let seen = "SELECT max(seen_at) FROM sessions";
    let read = server.app.store.read(|sql| sql.number(seen, &[]));
    read.expect("a session")
}

#[test]
fn a_page_does_not_wait_until_its_reader_is_noted() {
    let server = Server::new();
    let person = server.signed_in("ana");
    server.clock.forward(MINUTE);
    let net = server.listen();
    let (begin, begun) = channel();
    let (end, ended) = channel::<()>();
    let store = server.app.store.clone();
    let writer = std::thread::spawn(move || {
        store.act(|_| {
            let _ = begin.send(());
            let _ = ended.recv();
            Ok(())
        })
    });
    begun.recv().expect("somebody writes");
    for _ in 0..3 {
        let request = asked("/session", &person.secret);
        assert_eq!(net.send(request.as_bytes()).status, 200);
    }
    drop(end);
    writer.join().expect("no panic").expect("the store answers");
    while seen_at(&server) < server.clock.now() {
        std::thread::yield_now();
    }
}

/// A database that writes nothing while its gate is shut.
struct Slow {
    db: SqliteDb,
    gate: Mutex<()>,
    waiting: AtomicUsize,
}

impl Db for Slow {
    fn name(&self) -> &'static str {
        self.db.name()
    }

    fn read(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()> {
        self.db.read(work)
    }

    fn write(&self, work: &mut dyn FnMut(&mut dyn Sql) -> Result<()>) -> Result<()> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let _open = self.gate.lock().expect("no panic");
        let written = self.db.write(work);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        written
    }

    fn wipe(&self) -> Result<()> {
        self.db.wipe()
    }

    fn copy_to(&self, file: &Path) -> Result<()> {
        self.db.copy_to(file)
    }
}

/// Asks for what somebody may not know, which is entered in the log.
fn ask(net: &Net, number: usize, secret: &str) -> TcpStream {
    let from = Ipv4Addr::new(127, 0, 0, 1 + (number / 50) as u8);
    let mut stream = net.connect_from(from);
    let request = asked("/users", secret);
    stream.write_all(request.as_bytes()).expect("sent");
    stream
}

#[test]
fn more_requests_than_are_answered_at_a_time_wait_without_a_thread() {
    let folder = tempfile::tempdir().expect("a folder");
    let slow = Arc::new(Slow {
        db: SqliteDb::open(&folder.path().join("store")).expect("a store"),
        gate: Mutex::default(),
        waiting: AtomicUsize::new(0),
    });
    let server = Server::on(Arc::clone(&slow) as Arc<dyn Db>);
    let people = ["ana", "bo", "cy"].map(|name| server.signed_in(name));
    let net = server.listen();
    let shut = slow.gate.lock().expect("no panic");
    let asking: Vec<TcpStream> = (0..3 * ANSWERS / 2)
        .map(|number| ask(&net, number, &people[number % 3].secret))
        .collect();
    while slow.waiting.load(Ordering::SeqCst) < ANSWERS {
        std::thread::yield_now();
    }
    // Those who may not come would do so now.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(slow.waiting.load(Ordering::SeqCst), ANSWERS);
    drop(shut);
    for stream in asking {
        assert_eq!(Reply::read(stream).status, 403);
    }
}
