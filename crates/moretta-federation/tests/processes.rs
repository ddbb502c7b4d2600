//! Parties as processes of their own: one that is killed at any point is found again, and nothing
//! that was not answered is lost.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_federation_echo");

fn program(arguments: &[&str]) -> Child {
    Command::new(PROGRAM)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts")
}

fn said(child: Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stdout).expect("a text");
    assert!(output.status.success(), "{said}");
    said
}

fn keys(folder: &Path, sites: &str) -> String {
    let folder = folder.to_str().expect("a path").to_owned();
    said(program(&["keys", &folder, sites]));
    folder
}

/// Starts a hub and gives the address that it prints.
fn serve(folder: &str, sites: &str, address: &str) -> (Child, String) {
    let mut hub = program(&["serve", folder, sites, address]);
    let mut line = String::new();
    let out = hub.stdout.as_mut().expect("a pipe");
    BufReader::new(out).read_line(&mut line).expect("a line");
    (hub, line.trim().to_owned())
}

fn kill(mut child: Child) {
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
}

#[test]
fn a_listener_that_is_killed_and_started_again_is_found_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = keys(folder.path(), "4");
    let (mut hub, address) = serve(&folder, "4", "127.0.0.1:0");
    let sites = program(&["load", &folder, "4", &address, "300", "400"]);
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(500));
        kill(hub);
        (hub, _) = serve(&folder, "4", &address);
    }
    let told = said(sites);
    assert!(told.contains("1200 frames answered"), "{told}");
    let links = told
        .split(", ")
        .find_map(|part| part.strip_suffix(" links"));
    let links: u64 = links.expect("a count").parse().expect("a number");
    assert!(links > 4, "{told}");
    drop(hub.stdin.take());
    said(hub);
}

#[test]
fn sites_that_are_killed_do_no_harm_to_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = keys(folder.path(), "8");
    let (mut hub, address) = serve(&folder, "8", "127.0.0.1:0");
    for _ in 0..3 {
        let sites = program(&["load", &folder, "8", &address, "1000000"]);
        std::thread::sleep(Duration::from_millis(400));
        kill(sites);
    }
    let told = said(program(&["load", &folder, "8", &address, "200"]));
    assert!(told.contains("8 links, 1600 frames answered"), "{told}");
    drop(hub.stdin.take());
    let told = said(hub);
    assert!(told.contains("serve: ") && !told.contains("TLS"), "{told}");
}

#[test]
fn a_hundred_links_between_two_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = keys(folder.path(), "100");
    let (mut hub, address) = serve(&folder, "100", "127.0.0.1:0");
    let told = said(program(&["load", &folder, "100", &address, "50"]));
    assert!(told.contains("100 links, 5000 frames answered"), "{told}");
    drop(hub.stdin.take());
    let told = said(hub);
    assert!(!told.contains("refused"), "{told}");
}
