//! The forwarder as a process, so that it can run on a host of its own.

use crate::forwarder::{Faults, Forwarder};
use crate::network::Host;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

/// Tells a test program to be a forwarder: where to listen, the target, and faults.
const VARIABLE: &str = "MORETTA_TEST_FORWARD";

/// A forwarder on a host.
pub(crate) struct Forwarding(Child);

impl Forwarding {
    pub(crate) fn start(host: &Host<'_>, port: u16, target: &str, faults: Faults) -> Self {
        let own = std::env::current_exe().expect("this program");
        let listen = format!("{}:{port}", host.address());
        let Faults {
            seed,
            delay,
            cut_after,
            cuts,
        } = faults;
        let told = format!("{listen} {target} {seed} {delay} {cut_after} {cuts}");
        let mut child = host
            .command(own.to_str().expect("a path"))
            .args(["--exact", "forward::forwards_where_it_is_told_to"])
            .arg("--nocapture")
            .env(VARIABLE, told)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program again");
        let out = BufReader::new(child.stdout.as_mut().expect("a pipe"));
        let is_there = |line: std::io::Result<String>| line.is_ok_and(|l| l.contains("forwards"));
        assert!(out.lines().any(is_there), "{listen} is taken");
        Forwarding(child)
    }

    /// Ends it, and gives the number of connections that it forwarded.
    pub(crate) fn connections(mut self) -> u64 {
        drop(self.0.stdin.take());
        let mut told = String::new();
        let out = self.0.stdout.as_mut().expect("a pipe");
        out.read_to_string(&mut told).expect("a text");
        let count = told.split_once(" connections").expect("a count").0;
        let count = count.rsplit(['\n', ' ']).next().unwrap_or_default();
        count.parse().expect("a number")
    }
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// By itself it forwards a word; with the variable it is the process that others start.
#[test]
fn forwards_where_it_is_told_to() {
    if let Ok(told) = std::env::var(VARIABLE) {
        return serve(&told);
    }
    let target = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = target.local_addr().expect("an address");
    let forwarder = Forwarder::start(address, Faults::default());
    let mut near = TcpStream::connect(forwarder.address).expect("a connection");
    near.write_all(b"a word").expect("sent");
    let (mut far, _) = target.accept().expect("a connection");
    let mut word = [0; 6];
    far.read_exact(&mut word).expect("six bytes");
    assert_eq!((&word, forwarder.connections()), (b"a word", 1));
    assert_eq!(forwarder.wire(), b"a word");
}

fn serve(told: &str) {
    let words: Vec<&str> = told.split(' ').collect();
    let number = |at: usize| words[at].parse().expect("a number");
    let faults = Faults {
        seed: number(2),
        delay: number(3),
        cut_after: number(4),
        cuts: number(5),
    };
    let target = words[1].parse().expect("an address");
    let forwarder = Forwarder::start_at(words[0], target, faults);
    println!("forwards {}", forwarder.address);
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    println!("{} connections", forwarder.connections());
}
