//! Parties on hosts of their own: what networks and clocks do to them changes no answer.
//!
//! They need more than Rust (iproute2, util-linux, libfaketime) and run with `./test all`, which sets
//! a variable. There they fail where a host cannot be made.

use crate::bed::{Bed, PARTIES, PROGRAM, Process, finish, wait_until};
use crate::forward::Forwarding;
use crate::forwarder::Faults;
use crate::network::{Host, Switch};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const RECORDS: usize = 1500;
const BATCH: usize = 64;

/// Whether hosts are wanted.
fn skipped() -> bool {
    let skipped = std::env::var_os("MORETTA_TEST_HOSTS").is_none();
    if skipped {
        println!("skipped: hosts are made by ./test all");
    }
    skipped
}

/// A host for each party.
fn hosts(switch: &Switch) -> BTreeMap<&'static str, Host<'_>> {
    let numbered = (1..).zip(PARTIES);
    numbered
        .map(|(number, party)| (party, switch.host(number)))
        .collect()
}

/// The example with the addresses of the hosts; all dial `dialled` instead, where it is given.
fn example(hosts: &BTreeMap<&str, Host<'_>>, dialled: Option<&Host<'_>>) -> Bed {
    let bed = Bed::example(RECORDS);
    for party in PARTIES {
        let file = format!("{party}.toml");
        for (key, peer, port) in [("aggregator", "hub", 7443), ("labels", "desk", 7444)] {
            let listens = format!("{}:{port}", hosts[peer].address());
            let dials =
                dialled.map_or(listens.clone(), |host| format!("{}:{port}", host.address()));
            let old = format!("127.0.0.1:{port}");
            bed.change(
                &file,
                &format!("{key} = \"{old}\""),
                &format!("{key} = \"{dials}\""),
            );
            if party == peer {
                bed.change(&file, &old, &listens);
            }
        }
    }
    bed.make_keys();
    bed
}

fn start(bed: &Bed, hosts: &BTreeMap<&str, Host<'_>>, party: &str) -> Process {
    bed.start_by(hosts[party].command(PROGRAM), party)
}

fn check(bed: &Bed, processes: Vec<Process>) {
    finish(processes);
    bed.check_answers(RECORDS);
}

#[test]
fn hosts_answer_as_one_process_does() {
    if skipped() {
        return;
    }
    let switch = Switch::new();
    let hosts = hosts(&switch);
    let bed = example(&hosts, None);
    let parties = PARTIES.map(|party| start(&bed, &hosts, party));
    check(&bed, parties.into());
}

#[test]
fn delays_and_cut_connections_change_no_answer() {
    if skipped() {
        return;
    }
    let switch = Switch::new();
    let (hosts, between) = (hosts(&switch), switch.host(100));
    let bed = example(&hosts, Some(&between));
    let forward = |seed, port, peer: &str, cut_after| {
        let target = format!("{}:{port}", hosts[peer].address());
        let faults = Faults {
            seed,
            delay: 5,
            cut_after,
            cuts: 12,
        };
        Forwarding::start(&between, port, &target, faults)
    };
    let to_hub = forward(1, 7443, "hub", 30_000);
    let to_desk = forward(2, 7444, "desk", 6_000);
    let parties = PARTIES.map(|party| start(&bed, &hosts, party));
    check(&bed, parties.into());
    // Six dial the hub and four the label holder; each cut needs another connection.
    let made = (to_hub.connections(), to_desk.connections());
    assert!(made.0 > 9 && made.1 > 6, "{made:?} connections");
}

#[test]
fn a_host_that_was_cut_off_catches_up() {
    if skipped() {
        return;
    }
    let switch = Switch::new();
    let hosts = hosts(&switch);
    let bed = example(&hosts, None);
    let rows = bed.read("lab.csv");
    bed.change("lab.toml", "lab.csv", "-");
    let mut parties = PARTIES.map(|party| start(&bed, &hosts, party));
    let half: usize = rows
        .split_inclusive('\n')
        .take(1 + 10 * BATCH)
        .map(str::len)
        .sum();
    let lab = parties.iter_mut().find(|party| party.party == "lab");
    let lab = lab.expect("the laboratory");
    lab.feed(&rows[..half]);
    bed.wait_for_answers(8 * BATCH);
    hosts["lab"].unplug();
    lab.feed(&rows[half..]);
    lab.end_rows();
    std::thread::sleep(Duration::from_secs(3));
    // Without its answers none can be final.
    assert!(bed.flags().len() <= 10 * BATCH);
    hosts["lab"].plug_in();
    finish(parties.into());
    bed.change("lab.toml", "\"-\"", "\"lab.csv\"");
    bed.check_answers(RECORDS);
}

/// Lets a program believe that it is later or earlier.
fn with_clock(command: &mut Command, offset: &str) {
    let folders = ["x86_64-linux-gnu", "aarch64-linux-gnu"];
    let library = folders
        .map(|folder| format!("/usr/lib/{folder}/faketime/libfaketimeMT.so.1"))
        .into_iter()
        .find(|path| std::path::Path::new(path).exists());
    command
        .env("LD_PRELOAD", library.expect("libfaketime"))
        .env("FAKETIME", offset)
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
}

#[test]
fn clocks_that_are_off_by_an_hour_change_no_answer() {
    if skipped() {
        return;
    }
    let switch = Switch::new();
    let hosts = hosts(&switch);
    let bed = example(&hosts, None);
    let clocks = [
        ("lab", "+1h", 3600),
        ("icu", "-1h", -3600),
        ("hub", "+1h", 3600),
    ];
    let parties = PARTIES.map(|party| {
        let clock = clocks.iter().find(|(other, ..)| *other == party);
        let Some((_, offset, seconds)) = clock else {
            return start(&bed, &hosts, party);
        };
        let mut date = hosts[party].command("date");
        with_clock(date.arg("+%s"), offset);
        let date = date.output().expect("a date").stdout;
        let date: i64 = String::from_utf8_lossy(&date)
            .trim()
            .parse()
            .expect("a time");
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let off = date - now.expect("after 1970").as_secs() as i64;
        assert!((off - seconds).abs() < 600, "{party} is off by {off} s");
        let mut command = hosts[party].command(PROGRAM);
        with_clock(&mut command, offset);
        bed.start_by(command, party)
    });
    check(&bed, parties.into());
}

#[test]
fn flow_goes_on_without_a_host_and_with_it_again() {
    if skipped() {
        return;
    }
    let switch = Switch::new();
    let hosts = hosts(&switch);
    let bed = example(&hosts, None);
    let mut rows = BTreeMap::new();
    for (party, file) in [
        ("desk", "labels.csv"),
        ("home", "home.csv"),
        ("icu", "icu.csv"),
        ("lab", "lab.csv"),
        ("ward", "ward.csv"),
    ] {
        let text = bed.read(file);
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        rows.insert(party, lines);
        bed.change(&format!("{party}.toml"), file, "-");
    }
    for party in PARTIES {
        let file = format!("{party}.toml");
        bed.change(&file, "mode = \"lockstep\"", "mode = \"flow\"");
        let answer = "answer = { rule = \"vote\", after = \"4s\" }";
        bed.change(&file, "answer = { rule = \"vote\" }", answer);
    }
    let mut parties = PARTIES.map(|party| start(&bed, &hosts, party));
    let mut fed = 0;
    let mut feed = |batches: usize| {
        // The first line is the header.
        let lines = if fed == 0 { 0 } else { 1 + fed * BATCH }..1 + (fed + batches) * BATCH;
        for process in &mut parties {
            if let Some(rows) = rows.get(&process.party[..]) {
                process.feed(&rows[lines.clone()].concat());
            }
        }
        fed += batches;
        let answered = fed * BATCH;
        bed.wait_for_answers(answered);
        let flags = bed.flags()[answered - batches * BATCH..answered].to_vec();
        (
            flags.iter().all(String::is_empty),
            flags.iter().all(|flags| flags == "partial"),
        )
    };
    // Parties that are not there yet are missing from the first answers.
    wait_until("all are there", || feed(1).0);
    assert_eq!(feed(2), (true, false), "all are there");
    hosts["lab"].unplug();
    assert_eq!(feed(2), (false, true), "one is cut off");
    hosts["lab"].plug_in();
    wait_until("all are there again", || feed(1).0);
    assert_eq!(feed(2), (true, false), "all are there again");
    finish(parties.into());
}
