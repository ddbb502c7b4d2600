//! Hosts with a network each: a namespace, an address and a cable to a switch.
//!
//! Nobody needs to be root for it where users may have namespaces of their own; root does without.
//! The addresses are known inside of these namespaces only, and nothing leads out of them.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Joins hosts; all of them end with it.
pub(crate) struct Switch {
    namespace: Namespace,
    is_of_user: bool,
}

impl Switch {
    /// A switch without hosts.
    pub(crate) fn new() -> Self {
        let of_user: &[&str] = &["unshare", "--user", "--map-root-user", "--net"];
        let of_root: &[&str] = &["unshare", "--net"];
        let made = [(of_user, true), (of_root, false)]
            .into_iter()
            .find_map(|(words, is_of_user)| Some((Namespace::new(words)?, is_of_user)));
        let (namespace, is_of_user) = made.expect("a network namespace, of a user or of root");
        let switch = Switch {
            namespace,
            is_of_user,
        };
        switch.ip("link add bridge0 type bridge");
        switch.ip("link set bridge0 up");
        switch
    }

    /// A host with the address 10.77.0.`number`.
    pub(crate) fn host(&self, number: u8) -> Host<'_> {
        let words = self.inside(self.namespace.id());
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .chain(["unshare", "--net"])
            .collect();
        let namespace = Namespace::new(&words).expect("a network namespace");
        let cable = format!("cable{number}");
        let id = namespace.id();
        self.ip(&format!(
            "link add {cable} type veth peer name eth0 netns {id}"
        ));
        self.ip(&format!("link set {cable} master bridge0"));
        self.ip(&format!("link set {cable} up"));
        let host = Host {
            switch: self,
            namespace,
            cable,
            number,
        };
        for words in [
            format!("address add {}/24 dev eth0", host.address()),
            "link set eth0 up".to_owned(),
            "link set lo up".to_owned(),
        ] {
            succeeds(host.command("ip").args(words.split(' ')));
        }
        host
    }

    fn inside(&self, id: u32) -> Vec<String> {
        let mut words = vec!["nsenter".to_owned(), format!("--target={id}")];
        if self.is_of_user {
            words.extend(["--user", "--preserve-credentials"].map(str::to_owned));
        }
        words.push("--net".to_owned());
        words
    }

    fn command(&self, id: u32, program: &str) -> Command {
        let words = self.inside(id);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(program);
        command
    }

    fn ip(&self, words: &str) {
        succeeds(
            self.command(self.namespace.id(), "ip")
                .args(words.split(' ')),
        );
    }
}

/// A host at a switch.
pub(crate) struct Host<'a> {
    switch: &'a Switch,
    namespace: Namespace,
    cable: String,
    number: u8,
}

impl Host<'_> {
    pub(crate) fn address(&self) -> String {
        format!("10.77.0.{}", self.number)
    }

    /// Runs a program there.
    pub(crate) fn command(&self, program: &str) -> Command {
        self.switch.command(self.namespace.id(), program)
    }

    /// Takes the cable out.
    pub(crate) fn unplug(&self) {
        self.switch.ip(&format!("link set {} down", self.cable));
    }

    /// Puts the cable back.
    pub(crate) fn plug_in(&self) {
        self.switch.ip(&format!("link set {} up", self.cable));
    }
}

fn succeeds(command: &mut Command) {
    let run = command.output().expect("it runs");
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{command:?}: {told}");
}

/// A process that keeps a namespace until its standard input ends.
struct Namespace(Child);

impl Namespace {
    fn new(words: &[&str]) -> Option<Self> {
        let mut child = Command::new(words[0])
            .args(&words[1..])
            .args(["sh", "-c", "echo ready; exec cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("a pipe");
        let _ = BufReader::new(out).read_line(&mut line);
        let namespace = Namespace(child);
        (line == "ready\n").then_some(namespace)
    }

    fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
