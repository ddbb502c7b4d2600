//! Parties of a federation that are killed go on where they were.
//!
//! With `MORETTA_LONG` a thousand kills are tried instead of a few.
#![cfg(all(feature = "federation", unix))]

mod support;

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::PROGRAM;
use support::federation::{
    LONG, PARTIES, add_host, change, check_answers, example, make_keys, moretta, start, wait,
    wait_until,
};

/// Records of a run whose parties are killed.
const RECORDS: usize = 3000;

/// Numbers that follow from a seed: xorshift.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Starts a party whose words go to a file, so that nobody has to read them.
fn start_quietly(folder: &Path, party: &str) -> Child {
    let command = if party == "hub" { "aggregate" } else { "site" };
    let told = OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join(format!("{party}.told")))
        .expect("a file");
    Command::new(PROGRAM)
        .args([command, &format!("{party}.toml"), "--json"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(told.try_clone().expect("a file"))
        .stderr(told)
        .spawn()
        .expect("the program starts")
}

/// A run whose parties are killed up to so often; gives how often they were.
fn run_with_kills(draws: &mut Draws, has_host: bool, most: u64) -> u64 {
    let folder = example(RECORDS);
    let folder = folder.path();
    for party in PARTIES {
        let policy = format!("{party}.toml");
        change(folder, &policy, "pins = ", "checkpoint = 100\npins = ");
        change(folder, &policy, "batch = 64", "batch = 16");
    }
    if has_host {
        add_host(folder);
    }
    make_keys(folder);
    let host = has_host.then_some("node");
    let mut running: Vec<(&str, Child)> = PARTIES
        .into_iter()
        .chain(host)
        .map(|party| (party, start_quietly(folder, party)))
        .collect();
    let mut kills = 0;
    let begin = std::time::Instant::now();
    while !running.is_empty() {
        if kills < most {
            std::thread::sleep(Duration::from_millis(draws.below(120)));
            let place = draws.below(running.len() as u64) as usize;
            let (party, child) = &mut running[place];
            if child.try_wait().expect("a process").is_none() {
                child.kill().expect("killed");
                child.wait().expect("killed");
                kills += 1;
                std::thread::sleep(Duration::from_millis(draws.below(60)));
                *child = start_quietly(folder, party);
            }
        } else {
            std::thread::sleep(Duration::from_millis(20));
        }
        running.retain_mut(
            |(party, child)| match child.try_wait().expect("a process") {
                None => true,
                // A kill between the end of a run and that of its process.
                Some(status) => {
                    let told = std::fs::read_to_string(folder.join(format!("{party}.told")));
                    let told = told.expect("what it told");
                    let had_ended = told.contains("has ended");
                    assert!(status.success() || had_ended, "{party}: {status}\n{told}");
                    false
                }
            },
        );
        if begin.elapsed() > LONG {
            let parties: Vec<&str> = running.iter().map(|(party, _)| *party).collect();
            running.iter_mut().for_each(|(_, child)| {
                child.kill().expect("ended");
                child.wait().expect("ended");
            });
            panic!("after {kills} kills these do not end: {parties:?}");
        }
    }
    check_answers(folder, RECORDS);
    kills
}

#[test]
fn answers_do_not_depend_on_kills() {
    let wanted = match std::env::var_os("MORETTA_LONG") {
        Some(_) => 1000,
        None => 24,
    };
    let (mut kills, mut runs) = (0, 0);
    let mut draws = Draws(0x2545_f491_4f6c_dd1d);
    while kills < wanted {
        kills += run_with_kills(&mut draws, runs % 2 == 1, (wanted - kills).min(40));
        runs += 1;
    }
    assert!(kills >= wanted, "{kills} kills in {runs} runs");
}

/// Parties that have joined a run, which cannot begin without labels.
fn without_labels(folder: &Path) -> Vec<(&'static str, Child)> {
    make_keys(folder);
    let others = PARTIES.into_iter().filter(|party| *party != "desk");
    let running: Vec<(&str, Child)> = others.map(|party| (party, start(folder, party))).collect();
    // Topology and credit have come.
    let journal = folder.join("lab.state/journal");
    wait_until("the beginning of the run", || {
        std::fs::metadata(&journal).is_ok_and(|file| file.len() > 400)
    });
    running
}

fn kill(running: &mut Vec<(&'static str, Child)>, party: &str) {
    let place = running.iter().position(|(id, _)| *id == party);
    let (_, mut child) = running.swap_remove(place.expect("it runs"));
    child.kill().expect("killed");
    child.wait().expect("killed");
}

fn kill_all(running: Vec<(&'static str, Child)>) {
    for (_, mut child) in running {
        child.kill().expect("killed");
        child.wait().expect("killed");
    }
}

/// Runs a party until it ends by itself, with this code and these words.
fn check(folder: &Path, args: &[&str], code: i32, told: &str) {
    let run = moretta(folder, args);
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(code), "{args:?}: {stderr}");
    assert!(stderr.contains(told), "{told}: {stderr}");
}

#[test]
fn a_party_that_is_begun_anew_is_not_taken_for_the_one_before() {
    let folder = example(200);
    let folder = folder.path();
    let mut running = without_labels(folder);
    check(folder, &["site", "lab.toml"], 2, "another process runs");
    kill(&mut running, "lab");
    let secret = std::fs::read(folder.join("lab.state/run")).expect("a secret");
    let another = "in another run than this party";
    check(folder, &["site", "lab.toml", "--force"], 2, another);
    let anew = std::fs::read(folder.join("lab.state/run")).expect("a secret");
    assert_ne!(secret, anew);
    // An aggregator that is begun anew finds nobody who goes on with it.
    kill(&mut running, "hub");
    let hub = Command::new(PROGRAM)
        .args(["aggregate", "hub.toml", "--force"])
        .current_dir(folder)
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn();
    running.push(("hub", hub.expect("the program starts")));
    for party in ["home", "icu", "ward", "viewer"] {
        let place = running.iter().position(|(id, _)| *id == party);
        let ended = wait(vec![running.swap_remove(place.expect("it runs"))]);
        let (_, output) = &ended[0];
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{party}: {told}");
        assert!(told.contains(another) && told.contains("--force"), "{told}");
    }
    kill_all(running);
}

#[test]
fn a_run_that_has_ended_is_said_to_have_and_force_begins_anew() {
    let folder = example(200);
    let folder = folder.path();
    make_keys(folder);
    let run = |force: bool| {
        let parties = PARTIES.iter().map(|&party| {
            let command = if party == "hub" { "aggregate" } else { "site" };
            let mut run = Command::new(PROGRAM);
            run.args([command, &format!("{party}.toml")]);
            if force {
                run.arg("--force");
            }
            run.current_dir(folder).stdout(Stdio::piped());
            let child = run.stderr(Stdio::piped()).spawn();
            (party, child.expect("the program starts"))
        });
        for (party, output) in wait(parties.collect()) {
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{party}: {told}");
        }
        check_answers(folder, 200);
    };
    run(false);
    let answers = std::fs::read(folder.join("out/answers.csv")).expect("answers");
    for party in PARTIES {
        let command = if party == "hub" { "aggregate" } else { "site" };
        let policy = format!("{party}.toml");
        check(folder, &[command, &policy], 2, "has ended");
    }
    let after = std::fs::read(folder.join("out/answers.csv")).expect("answers");
    assert_eq!(answers, after);
    run(true);
}

/// Lets a party run with files of at most so many blocks of 512 bytes, and the others without a
/// limit; then all of them without.
fn check_full_disk(party: &'static str, blocks: u32, told: &str) {
    let folder = example(1500);
    let folder = folder.path();
    add_host(folder);
    make_keys(folder);
    let all = PARTIES.into_iter().chain(["node"]);
    let others = all.filter(|id| *id != party);
    let mut running: Vec<(&str, Child)> = others.map(|id| (id, start(folder, id))).collect();
    let command = if party == "hub" { "aggregate" } else { "site" };
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {command} {party}.toml");
    let limited = Command::new("sh")
        .args(["-c", &limited, PROGRAM])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let ended = wait(vec![(party, limited.expect("a shell"))]);
    let stderr = String::from_utf8_lossy(&ended[0].1.stderr);
    assert_eq!(ended[0].1.status.code(), Some(5), "{stderr}");
    assert!(stderr.contains(told), "{told}: {stderr}");
    running.push((party, start(folder, party)));
    for (party, output) in wait(running) {
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{party}: {told}");
    }
    check_answers(folder, 1500);
}

#[test]
fn a_party_whose_disk_is_full_stops_and_goes_on_when_there_is_room() {
    check_full_disk("lab", 8, "lab.state/journal");
    check_full_disk("viewer", 24, "cannot write");
    check_full_disk("hub", 24, "hub.state/journal");
    check_full_disk("desk", 8, "desk.state/journal");
    check_full_disk("node", 16, "node.state/journal");
}

#[test]
fn a_damaged_journal_is_refused() {
    let folder = example(200);
    let folder = folder.path();
    let mut running = without_labels(folder);
    kill(&mut running, "lab");
    let journal = folder.join("lab.state/journal");
    let whole = std::fs::read(&journal).expect("a journal");
    for (place, told) in [(40, "damaged"), (4, "another version")] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        std::fs::write(&journal, bytes).expect("written");
        check(folder, &["site", "lab.toml"], 4, told);
    }
    kill_all(running);
}

/// The pads of a run that goes on are those from before: other values under them would show what
/// they hide.
#[test]
fn rows_with_the_same_keys_and_other_values_are_refused_after_a_restart() {
    let folder = example(1500);
    let folder = folder.path();
    // The label holder ends early, so that the run stands still and nobody else does.
    let labels = std::fs::read_to_string(folder.join("labels.csv")).expect("labels");
    let labels: Vec<&str> = labels.lines().take(641).collect();
    std::fs::write(folder.join("labels.csv"), labels.join("\n") + "\n").expect("written");
    make_keys(folder);
    let mut running: Vec<(&str, Child)> = PARTIES.map(|id| (id, start(folder, id))).into();
    let answers = folder.join("out/answers.csv");
    wait_until("answers", || {
        std::fs::read_to_string(&answers).is_ok_and(|text| text.lines().count() > 300)
    });
    kill(&mut running, "lab");
    let rows = std::fs::read_to_string(folder.join("lab.csv")).expect("rows");
    let first = rows.lines().nth(1).expect("a row");
    let (key, _) = first.split_once(',').expect("a key");
    let changed = rows.replacen(first, &format!("{key},6.25,77"), 1);
    assert_ne!(rows, changed);
    std::fs::write(folder.join("lab.csv"), changed).expect("written");
    let refused = ["site", "lab.toml"];
    check(folder, &refused, 4, "not those from before the restart");
    check(folder, &refused, 4, "--force");
    let told = moretta(folder, &refused);
    let told = String::from_utf8_lossy(&told.stderr);
    assert!(!told.contains("6.25"), "{told}");
    kill_all(running);
}

#[test]
fn rows_of_standard_input_are_not_gone_on_with() {
    let folder = example(200);
    let folder = folder.path();
    let from = "path = \"lab.csv\"";
    change(folder, "lab.toml", from, "path = \"-\"\nformat = \"csv\"");
    make_keys(folder);
    let others = PARTIES
        .into_iter()
        .filter(|id| !["desk", "lab"].contains(id));
    let mut running: Vec<(&str, Child)> = others.map(|id| (id, start(folder, id))).collect();
    let lab = Command::new(PROGRAM)
        .args(["site", "lab.toml"])
        .current_dir(folder)
        .stdin(File::open(folder.join("lab.csv")).expect("rows"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    running.push(("lab", lab.expect("the program starts")));
    let journal = folder.join("lab.state/journal");
    wait_until("the beginning of the run", || {
        std::fs::metadata(&journal).is_ok_and(|file| file.len() > 400)
    });
    kill(&mut running, "lab");
    check(folder, &["site", "lab.toml"], 2, "standard input");
    kill_all(running);
}

#[test]
fn without_the_secret_of_record_keys_no_rows_are_told() {
    let folder = example(100);
    let folder = folder.path();
    make_keys(folder);
    std::fs::remove_file(folder.join("keys/records.key")).expect("removed");
    for party in ["lab", "desk"] {
        let policy = format!("{party}.toml");
        check(folder, &["site", &policy], 3, "records.key");
        check(folder, &["site", &policy], 3, "moretta federation keys");
        assert!(!folder.join(format!("{party}.state")).exists());
    }
}
