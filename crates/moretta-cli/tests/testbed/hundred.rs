//! A hundred processes on loopback: an aggregator, a label holder, a consumer and 97 sites.

use crate::bed::{Bed, finish, free_ports};
use crate::canaries::Draws;
use std::fmt::Write;

const SITES: usize = 97;
const RECORDS: usize = 640;

/// Sites with a column each; the class follows the first few of them.
fn plant(bed: &Bed) -> Vec<String> {
    let [hub, desk] = free_ports();
    let sites: Vec<String> = (0..SITES).map(|site| format!("site-{site:02}")).collect();
    let listed: Vec<String> = sites
        .iter()
        .map(|site| format!("{site} = \"site\""))
        .collect();
    let policy = |party: &str, role: &str, sections: &str, listen: Option<u16>| {
        let listen = listen.map_or(String::new(), |port| {
            format!("listen = \"127.0.0.1:{port}\"\n")
        });
        let text = format!(
            "version = 1\n\n{sections}\n[federation]\nname = \"meters\"\nrole = \"{role}\"\nid = \"{party}\"\n\
             aggregator = \"127.0.0.1:{hub}\"\nlabels = \"127.0.0.1:{desk}\"\n{listen}\
             identity = {{ certificate = \"file:keys/{party}.pem\", key = \"file:keys/{party}.key\", authority = \"file:keys/ca.pem\" }}\n\
             parties = {{ hub = \"aggregator\", desk = \"labels\", viewer = \"consumer\", {} }}\n\
             pins = \"keys/pins.toml\"\nclasses = [\"low\", \"high\"]\nlearner = \"naive-bayes\"\n\
             answer = {{ rule = \"vote\" }}\nmode = \"lockstep\"\nbatch = 64\nfragments = {{ kind = \"none\" }}\n",
            listed.join(", ")
        );
        bed.write(&format!("{party}.toml"), &text);
    };
    let mut draws = Draws(97);
    let mut sums = vec![0.0; RECORDS];
    for (number, site) in sites.iter().enumerate() {
        let mut rows = String::from("meter,load\n");
        for (record, sum) in sums.iter_mut().enumerate() {
            let load = draws.fraction();
            *sum += if number < 5 { load } else { 0.0 };
            let _ = writeln!(rows, "m{record},{load:.3}");
        }
        bed.write(&format!("{site}.csv"), &rows);
        let sections = format!(
            "[source]\npath = \"{site}.csv\"\n\n[columns]\nmeter = {{ role = \"key\" }}\nload = {{ role = \"quasi\", type = \"number\", range = [0, 1] }}\n"
        );
        policy(site, "site", &sections, None);
    }
    let mut rows = String::from("meter,peak\n");
    for (record, sum) in sums.iter().enumerate() {
        let _ = writeln!(
            rows,
            "m{record},{}",
            if *sum > 2.5 { "high" } else { "low" }
        );
    }
    bed.write("labels.csv", &rows);
    policy("hub", "aggregator", "", Some(hub));
    let labels = "[source]\npath = \"labels.csv\"\n\n[columns]\nmeter = { role = \"key\" }\npeak = { role = \"class\" }\n";
    policy("desk", "labels", labels, Some(desk));
    policy(
        "viewer",
        "consumer",
        "[sink]\npath = \"out/answers.csv\"\n",
        None,
    );
    let others = ["hub", "desk", "viewer"].map(str::to_owned);
    others.into_iter().chain(sites).collect()
}

#[test]
fn a_hundred_processes_answer_as_one_does() {
    let bed = Bed::new();
    let parties = plant(&bed);
    assert_eq!(parties.len(), 100);
    bed.make_keys();
    finish(parties.iter().map(|party| bed.start(party)).collect());
    bed.check_answers(RECORDS);
}
