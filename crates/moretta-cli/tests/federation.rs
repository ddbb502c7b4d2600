//! A federation from the command line: in one process, and as processes that are linked.
#![cfg(feature = "federation")]

mod support;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::PROGRAM;
use support::federation::{
    LONG, PARTIES, add_host, change, check_answers, example, make_keys, moretta, start, succeeded,
    wait, wait_until,
};

/// Runs the parties linked, and compares the bytes of their answers with those of one process.
fn check_parties(folder: &Path, parties: &[&'static str]) {
    make_keys(folder);
    let children = parties.iter().map(|&party| (party, start(folder, party)));
    for (party, output) in wait(children.collect()) {
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{party}: {told}");
    }
    let simulated = check_answers(folder, 1500);
    assert!(simulated.contains("\"node\": 4"), "{simulated}");
}

#[test]
fn linked_processes_answer_as_one_process_does() {
    let folder = example(1500);
    check_parties(folder.path(), &PARTIES);
}

#[test]
fn trouble_nodes_at_a_place_of_their_own_answer_alike() {
    let folder = example(1500);
    let folder = folder.path();
    add_host(folder);
    let parties: Vec<&str> = PARTIES.into_iter().chain(["node"]).collect();
    check_parties(folder, &parties);
}

#[test]
fn strangers_and_other_terms_are_refused_with_a_reason() {
    let folder = example(100);
    let folder = folder.path();
    let check = |party: &str, code: i32, told: &str| {
        let command = if party == "hub" { "aggregate" } else { "site" };
        let run = moretta(folder, &[command, &format!("{party}.toml")]);
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(told), "{told}: {stderr}");
    };
    check("lab", 5, "keys/lab.pem");
    succeeded(&moretta(
        folder,
        &["federation", "keys", "hub.toml", "--output", "keys"],
    ));
    let again = moretta(
        folder,
        &["federation", "keys", "hub.toml", "--output", "keys"],
    );
    assert_eq!(again.status.code(), Some(2));
    change(folder, "lab.toml", "keys/lab.key", "keys/icu.key");
    check("lab", 3, "not of the key beside it");
    change(folder, "lab.toml", "keys/icu.key", "keys/lab.key");
    change(folder, "lab.toml", "keys/lab.pem", "keys/icu.pem");
    check("lab", 3, "is that of site `icu`");
    change(folder, "lab.toml", "keys/icu.pem", "keys/lab.pem");
    change(folder, "lab.toml", "batch = 64", "batch = 32");
    let run = moretta(folder, &["federation", "check", "."]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(3), "{told}");
    assert!(told.contains("have not agreed"), "{told}");
    let mut hub = start(folder, "hub");
    check("lab", 3, "has not agreed on the same terms");
    hub.kill().expect("ended");
    hub.wait().expect("ended");
    assert!(!folder.join("out").exists());
}

#[test]
fn rows_in_another_order_are_found_before_anything_is_learnt() {
    let folder = example(100);
    let folder = folder.path();
    change(folder, "icu.csv", "v00070,", "v99999,");
    let run = moretta(folder, &["federation", "simulate", "."]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(4), "{told}");
    assert!(
        told.contains("the keys of `icu`") && !told.contains("v99999"),
        "{told}"
    );
    assert!(told.contains("batch 1 (records 65 to 128)"), "{told}");
}

#[test]
fn sites_with_other_keys_are_found_over_links() {
    let folder = example(100);
    let folder = folder.path();
    change(folder, "icu.csv", "v00070,", "v99999,");
    make_keys(folder);
    let others = PARTIES.into_iter().filter(|party| *party != "icu");
    let others: Vec<_> = others.map(|party| (party, start(folder, party))).collect();
    let run = moretta(folder, &["site", "icu.toml"]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(4), "{told}");
    let where_it_is = "keys of the rows are not those that desk has in batch 1 (records 65 to 128)";
    assert!(told.contains(where_it_is), "{told}");
    assert!(!told.contains("v99999"), "{told}");
    for (_, mut child) in others {
        // The label holder may have ended, since its labels are refused.
        let _ = child.kill();
        child.wait().expect("ended");
    }
}

/// Starts parties whose words go to files beside their policies.
fn start_with_words(folder: &Path, parties: &[&'static str]) -> Vec<(&'static str, Child)> {
    let start = |&party: &&'static str| {
        let words = std::fs::File::create(folder.join(format!("{party}.words"))).expect("a file");
        let command = if party == "hub" { "aggregate" } else { "site" };
        let child = Command::new(PROGRAM)
            .args([command, &format!("{party}.toml")])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(words)
            .spawn();
        (party, child.expect("the program starts"))
    };
    parties.iter().map(start).collect()
}

#[test]
fn a_site_that_fails_is_told_to_all_others_by_its_code() {
    // A row that cannot be read, and a source without a column: before and after it has begun.
    for (from, to) in [("v00070,", "v00070,zanzibar,"), ("lactate", "zanzibar")] {
        let folder = example(100);
        let folder = folder.path();
        make_keys(folder);
        change(folder, "lab.csv", from, to);
        let others: Vec<&'static str> = PARTIES.into_iter().filter(|one| *one != "lab").collect();
        let mut running = start_with_words(folder, &others);
        let words = |party: &str| {
            let words = std::fs::read(folder.join(format!("{party}.words"))).expect("its words");
            String::from_utf8_lossy(&words).into_owned()
        };
        // Who is linked has a state; those who link later are told, too.
        wait_until("the others have begun", || {
            let has_begun = |party: &&str| folder.join(format!("{party}.state/journal")).exists();
            others.iter().all(has_begun)
        });
        let fail = || {
            let run = moretta(folder, &["site", "lab.toml"]);
            let own = String::from_utf8_lossy(&run.stderr).into_owned();
            let code = run.status.code().expect("a code");
            assert!([3, 4].contains(&code), "{own}");
            code
        };
        let code = fail();
        let told = format!("lab has ended with exit code {code}: ");
        let knows = |party: &&str| words(party).contains(&told);
        // It waits for links for a moment only: on a busy machine it says so when it is run again.
        wait_until("the aggregator is told", || {
            knows(&"hub") || {
                assert_eq!(fail(), code);
                knows(&"hub")
            }
        });
        // The aggregator tells all others.
        wait_until("all are told", || others.iter().all(knows));
        for party in &others {
            assert!(!words(party).contains("zanzibar"), "{}", words(party));
        }
        for (_, child) in &mut running {
            child.kill().expect("ended");
            child.wait().expect("ended");
        }
        // Mended and started again, all go on.
        change(folder, "lab.csv", to, from);
        let children = PARTIES.map(|party| (party, start(folder, party)));
        for (party, output) in wait(children.into()) {
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{party}: {told}");
        }
    }
}

/// The kinds of the events in a journal; its last one may be written in part.
fn events(journal: &Path) -> Vec<u8> {
    let bytes = std::fs::read(journal).unwrap_or_default();
    let mut rest = bytes.get(16..).unwrap_or_default();
    let mut kinds = Vec::new();
    // A length, a sum, and the event: its time and its kind are first.
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let Some(event) = after.get(16..) else { break };
        let Some((event, after)) = event.split_at_checked(u32::from_le_bytes(*length) as usize)
        else {
            break;
        };
        kinds.push(event[8]);
        rest = after;
    }
    kinds
}

#[test]
fn figures_of_a_run_that_goes_on_say_since_when_they_are() {
    let folder = example(200);
    let folder = folder.path();
    make_keys(folder);
    let others: Vec<&'static str> = PARTIES.into_iter().filter(|one| *one != "desk").collect();
    let mut running = start_with_words(folder, &others);
    // Without labels no batch is answered, but all parties begin, and the rows of a site are taken.
    wait_until("the beginning of the run", || {
        let begun =
            |party: &&str| !events(&folder.join(format!("{party}.state/journal"))).is_empty();
        let rows_ended = 4;
        others.iter().all(begun) && events(&folder.join("lab.state/journal")).contains(&rows_ended)
    });
    for (_, child) in &mut running {
        child.kill().expect("ended");
        child.wait().expect("ended");
    }
    let children = PARTIES.map(|party| (party, start(folder, party)));
    for (party, output) in wait(children.into()) {
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        match party.as_str() {
            "hub" => {
                assert_eq!(told["restarted_at"], 0, "{told}");
                assert_eq!(
                    (&told["records"], &told["labelled"]),
                    (&200.into(), &200.into())
                );
            }
            "desk" => assert_eq!(told["restarted"], false, "{told}"),
            // Its rows were taken before the restart; what was sent is of the rest, too.
            "lab" => {
                assert_eq!(told["restarted"], true, "{told}");
                assert_eq!(told["batches"], 0, "{told}");
            }
            "viewer" => assert_eq!(told["answers"], 200, "{told}"),
            _ => assert_eq!(told["restarted"], true, "{told}"),
        }
    }
}

#[test]
fn key_files_are_checked_where_they_are() {
    let folder = example(100);
    let folder = folder.path();
    let check = |code: i32, told: &str| {
        let run = moretta(folder, &["federation", "check", "."]);
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&run.stdout),
            String::from_utf8_lossy(&run.stderr)
        );
        assert_eq!(run.status.code(), Some(code), "{told}: {text}");
        // Wherever a line ends.
        let words = text.split_whitespace().filter(|word| *word != "│");
        let text: String = words.collect::<Vec<_>>().join(" ");
        assert!(text.contains(told), "{told}: {text}");
    };
    let absent = "keys not checked: ./keys/lab.pem is not there";
    check(0, absent);
    make_keys(folder);
    check(0, "lab: ok; site, 2 columns, terms ");
    check(0, "keys checked");
    let other = tempfile::tempdir().expect("a folder");
    let elsewhere = other.path().join("keys");
    let elsewhere = elsewhere.to_str().expect("a path");
    succeeded(&moretta(
        folder,
        &["federation", "keys", "hub.toml", "--output", elsewhere],
    ));
    let with = |changes: &[(&str, &str)], code: i32, told: &str| {
        let file = |name: &str| folder.join("keys").join(name);
        let before: Vec<Vec<u8>> = changes
            .iter()
            .map(|(name, _)| std::fs::read(file(name)).expect("a file"))
            .collect();
        for (name, from) in changes {
            let from = match from.strip_prefix("other/") {
                Some(from) => Path::new(elsewhere).join(from),
                None => file(from),
            };
            std::fs::write(file(name), std::fs::read(from).expect("a file")).expect("written");
        }
        check(code, told);
        for ((name, _), bytes) in changes.iter().zip(before) {
            std::fs::write(file(name), bytes).expect("written");
        }
    };
    with(&[("lab.key", "icu.key")], 3, "not of the key beside it");
    with(&[("lab.pem", "icu.pem")], 3, "is that of site `icu`");
    with(
        &[("ca.pem", "other/ca.pem")],
        3,
        "is not one that this authority issues",
    );
    let all_of_lab = [
        ("lab.pem", "other/lab.pem"),
        ("lab.key", "other/lab.key"),
        ("ca.pem", "other/ca.pem"),
    ];
    // The first of the folder whose certificate is of the old authority is told.
    with(&all_of_lab, 3, "is not one that this authority issues");
    change(folder, "lab.toml", "keys/ca.pem", "keys/other.pem");
    std::fs::copy(
        Path::new(elsewhere).join("ca.pem"),
        folder.join("keys/other.pem"),
    )
    .expect("copied");
    with(
        &all_of_lab[..2],
        3,
        "is not the certificate of the public key that ./keys/pins.toml has for `lab`",
    );
    change(folder, "lab.toml", "keys/other.pem", "keys/ca.pem");
    with(
        &[("pins.toml", "other/pins.toml")],
        3,
        "is not the certificate of the public key",
    );
    with(&[("lab.key", "lab.pem")], 3, "does not hold a key");
    std::fs::remove_file(folder.join("keys/lab.key")).expect("removed");
    check(0, "keys not checked: ./keys/lab.key is not there");
}

#[cfg(unix)]
#[test]
fn check_finds_keys_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = example(100);
    let folder = folder.path();
    make_keys(folder);
    for (file, missing) in [
        ("lab.key", None),
        ("records.key", None),
        ("lab.key", Some("ca.pem")),
    ] {
        if let Some(missing) = missing {
            std::fs::remove_file(folder.join("keys").join(missing)).expect("removed");
        }
        let key = folder.join("keys").join(file);
        let set = |mode: u32| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&key, mode).expect("changed");
        };
        set(0o644);
        let run = moretta(folder, &["check", "lab.toml"]);
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(3), "{told}");
        assert!(told.contains(file) && told.contains("chmod 600"), "{told}");
        set(0o600);
    }
}

#[test]
fn a_certificate_of_another_authority_is_told_with_the_way_out() {
    let folder = example(100);
    let folder = folder.path();
    make_keys(folder);
    let other = ["federation", "keys", "hub.toml", "--output", "other"];
    succeeded(&moretta(folder, &other));
    for file in ["lab.pem", "lab.key", "ca.pem"] {
        change(
            folder,
            "lab.toml",
            &format!("keys/{file}"),
            &format!("other/{file}"),
        );
    }
    // The pins are those of its own keys, so that it takes itself for who it is.
    change(folder, "lab.toml", "keys/pins.toml", "other/pins.toml");
    let mut hub = start(folder, "hub");
    let run = moretta(folder, &["site", "lab.toml"]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    hub.kill().expect("ended");
    hub.wait().expect("ended");
    assert_eq!(run.status.code(), Some(5), "{told}");
    let told: String = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["hub at", "`authority`", "`moretta federation keys`"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn folders_without_policies_and_two_policies_of_a_party_are_told() {
    let folder = example(100);
    let folder = folder.path();
    let empty = folder.join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let check = |args: &[&str], parts: &[&str]| {
        for command in ["check", "simulate"] {
            let run = moretta(folder, &[&["federation", command], args].concat());
            let told = String::from_utf8_lossy(&run.stderr).into_owned();
            assert_eq!(run.status.code(), Some(2), "{told}");
            for part in parts {
                assert!(told.contains(part), "{part}: {told}");
            }
        }
    };
    check(&["empty"], &["there is no policy in empty", ".toml"]);
    std::fs::write(empty.join("other.toml"), "a = 1\n").expect("written");
    check(&["empty"], &["no policy in empty has [federation]"]);
    check(&["lab.toml", "lab.toml"], &["`lab`, is named twice"]);
    // Even where they have not agreed either.
    let lab = std::fs::read_to_string(folder.join("lab.toml")).expect("a policy");
    let lab = lab.replace("batch = 64", "batch = 32");
    std::fs::write(folder.join("lab-2.toml"), lab).expect("written");
    let both = ["two policies of `lab`", "lab.toml", "lab-2.toml"];
    check(&["."], &both);
}

#[test]
fn why_there_is_no_trouble_node_is_told() {
    let folder = example(640);
    let folder = folder.path();
    let why = |expected: &str, told: &str| {
        let simulate = ["federation", "simulate", "."];
        let text = succeeded(&moretta(folder, &simulate));
        assert!(text.contains(told), "{told}: {text}");
        let json = succeeded(&moretta(folder, &[&simulate[..], &["--json"]].concat()));
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["no_nodes"], expected, "{json}");
    };
    for party in PARTIES {
        let policy = format!("{party}.toml");
        change(
            folder,
            &policy,
            "creation_time = 60",
            "creation_time = 5000",
        );
    }
    why("no-agreement", "no sources agreed");
    for (party, range) in [
        ("icu.toml", "range = [40, 180]"),
        ("icu.toml", "range = [70, 100]"),
        ("lab.toml", "range = [0, 10]"),
        ("lab.toml", "range = [0, 200]"),
        ("ward.toml", "range = [18, 99]"),
        ("home.toml", "range = [0, 9000]"),
    ] {
        change(folder, party, range, &format!("{range}, size = 4000"));
    }
    why("too-long", "`factor` is so small");
}

/// Lets `icu` and `ward` say that a column of theirs is the same one, of these sizes.
fn share_a_column(folder: &Path, sizes: [u32; 2]) {
    for (party, range, size) in [
        ("icu.toml", "range = [40, 180]", sizes[0]),
        ("ward.toml", "range = [18, 99]", sizes[1]),
    ] {
        let keys = format!("{range}, common = \"a column\", size = {size}");
        change(folder, party, range, &keys);
    }
}

#[test]
fn linked_sites_with_a_common_column_answer_as_one_process_does() {
    let folder = example(1500);
    let folder = folder.path();
    share_a_column(folder, [2, 2]);
    for party in PARTIES {
        let file = format!("{party}.toml");
        change(folder, &file, "kind = \"masked\"", "kind = \"raw\"");
    }
    check_parties(folder, &PARTIES);
}

#[test]
fn sites_that_give_a_common_column_other_sizes_are_told_so() {
    let folder = example(100);
    let folder = folder.path();
    share_a_column(folder, [2, 4]);
    for command in ["check", "simulate"] {
        let run = moretta(folder, &["federation", command, "."]);
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(3), "{told}");
        assert!(
            told.contains("`icu` and `ward`") && told.contains("the sizes 2 and 4"),
            "{told}"
        );
    }
    make_keys(folder);
    let mut running: Vec<_> = PARTIES.map(|party| (party, start(folder, party))).into();
    // Whose hello comes second is refused.
    let begin = Instant::now();
    let ended = loop {
        assert!(begin.elapsed() < LONG, "nobody is refused");
        let ended = running
            .iter_mut()
            .position(|(_, child)| child.try_wait().expect("a state").is_some());
        match ended {
            Some(place) => break running.swap_remove(place),
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    let (party, child) = ended;
    assert!(["icu", "ward"].contains(&party), "{party}");
    let output = child.wait_with_output().expect("ended");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("another `size` or `order`"), "{told}");
    for (_, mut child) in running {
        child.kill().expect("ended");
        child.wait().expect("ended");
    }
}

#[test]
fn checks_tell_who_sees_what() {
    let folder = example(100);
    let folder = folder.path();
    let check = |party: &str, told: &[&str]| {
        let run = moretta(folder, &["check", &format!("{party}.toml")]);
        let text = succeeded(&run) + &String::from_utf8_lossy(&run.stderr);
        for told in told {
            assert!(text.contains(told), "{told}: {text}");
        }
    };
    check("lab", &["labels reach this site, as they reach every site"]);
    check("home", &["this site has one column"]);
    check("hub", &["sums of masked projections", "(8 bits)"]);
    for party in PARTIES {
        change(
            folder,
            &format!("{party}.toml"),
            "kind = \"masked\"",
            "kind = \"raw\"",
        );
    }
    check("hub", &["values of forwarded records", "fragments are raw"]);
    let audit = succeeded(&moretta(folder, &["federation", "audit", "."]));
    assert!(
        audit.contains("classes, coarse confidences, forward bits"),
        "{audit}"
    );
}

/// Policies of so many sites with these columns, and of their aggregator.
fn many_sites(folder: &Path, sites: usize, group: u8, columns: impl Fn(usize) -> String) {
    let ids: Vec<String> = (0..sites).map(|site| format!("s{site:02}")).collect();
    let listed: Vec<String> = ids.iter().map(|id| format!("{id} = \"site\"")).collect();
    let shared = format!(
        r#"
        parties = {{ hub = "aggregator", desk = "labels", {} }}
        classes = ["a", "b"]
        trouble = {{ factor = 4, group = {group} }}
        "#,
        listed.join(", ")
    );
    let part = |id: &str, role: &str| {
        format!("[federation]\nname = \"w\"\nid = \"{id}\"\nrole = \"{role}\"{shared}")
    };
    let write = |id: &str, text: String| {
        let text = format!("version = 1\n{text}");
        std::fs::write(folder.join(format!("{id}.toml")), text).expect("written");
    };
    write("hub", part("hub", "aggregator"));
    for (site, id) in ids.iter().enumerate() {
        let columns = columns(site);
        let names = columns.lines().map(|line| line.split(' ').next());
        let names: Vec<&str> = names.map(|name| name.expect("a name")).collect();
        let rows = format!("visit,{}\n", names.join(","));
        std::fs::write(folder.join(format!("{id}.csv")), rows).expect("written");
        let source = format!("[source]\npath = \"{id}.csv\"\n");
        let columns = format!("[columns]\nvisit = {{ role = \"key\" }}\n{columns}\n");
        write(id, source + &columns + &part(id, "site"));
    }
}

#[test]
fn checks_count_what_all_sites_hold() {
    let check = |sites, group, columns: &dyn Fn(usize) -> String| {
        let folder = tempfile::tempdir().expect("a folder");
        many_sites(folder.path(), sites, group, columns);
        let run = moretta(folder.path(), &["federation", "check", "."]);
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        (run.status.code(), told)
    };
    let one = |size: usize| format!("x = {{ role = \"quasi\", range = [0, 1], size = {size} }}");
    let (code, told) = check(22, 4, &|site| one(1 + site * site * 977));
    assert_eq!(code, Some(0), "{told}");
    let warned = "of 7315 groups of sites that would be watched for a trouble node ";
    assert!(told.contains(&format!("hub: {warned}")), "{told}");
    let (code, told) = check(22, 4, &|_| one(7));
    assert!(code == Some(0) && !told.contains("watched"), "{told}");
    let (code, told) = check(26, 4, &|_| one(7));
    assert_eq!(code, Some(0), "{told}");
    let warned = "of 14950 groups of sites that could share a trouble node 10000 are watched";
    assert!(told.contains(&format!("hub: {warned}")), "{told}");

    let many = |_| -> String {
        let column = |at| format!("x{at} = {{ role = \"quasi\", range = [0, 1] }}");
        let columns: Vec<String> = (0..1400).map(column).collect();
        columns.join("\n")
    };
    let (code, told) = check(3, 3, &many);
    assert_eq!(code, Some(3), "{told}");
    assert!(told.contains("4200 columns together"), "{told}");
    assert!(told.contains("drop"), "{told}");
}

#[test]
fn a_policy_of_a_folder_that_cannot_be_read_is_named_with_its_line() {
    let folder = example(100);
    let folder = folder.path();
    succeeded(&moretta(folder, &["federation", "check", "."]));
    change(
        folder,
        "ward.toml",
        "mode = \"lockstep\"",
        "mode = lockstep",
    );
    let text = std::fs::read_to_string(folder.join("ward.toml")).expect("a policy");
    let line = text
        .lines()
        .position(|line| line.contains("mode = lockstep"));
    let place = format!("ward.toml:{}", line.expect("a line") + 1);
    for command in [
        &["federation", "check", "."][..],
        &["federation", "simulate", "."],
        &["federation", "audit", "."],
        &["attack", "."],
    ] {
        let run = moretta(folder, command);
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(3), "{command:?}: {told}");
        assert!(told.contains(&place), "{place}: {told}");
    }
    change(
        folder,
        "ward.toml",
        "mode = lockstep",
        "mode = \"lockstep\"",
    );
    // Bytes that are no text could be those of a policy, too; other TOML is passed over.
    std::fs::write(folder.join("other.toml"), "day = 2026-01-01\n").expect("written");
    succeeded(&moretta(folder, &["federation", "check", "."]));
    std::fs::write(
        folder.join("other.toml"),
        b"[federation]\nname = \"\xff\"\n",
    )
    .expect("written");
    let run = moretta(folder, &["federation", "check", "."]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(
        !run.status.success() && told.contains("other.toml"),
        "{told}"
    );
}

#[cfg(unix)]
#[test]
fn keys_that_others_can_read_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = example(100);
    let folder = folder.path();
    make_keys(folder);
    let mode = |file: &str| {
        let of = std::fs::metadata(folder.join(file)).expect("a key");
        of.permissions().mode() & 0o777
    };
    let set = |file: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.join(file), permissions).expect("changed");
    };
    for (file, party) in [
        ("keys/lab.key", "lab"),
        ("keys/records.key", "lab"),
        ("keys/records.key", "desk"),
        ("keys/hub.key", "hub"),
    ] {
        assert_eq!(mode(file), 0o600, "{file}");
        set(file, 0o644);
        let ended = wait(vec![(party, start(folder, party))]);
        let run = &ended[0].1;
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(3), "{told}");
        assert!(told.contains(file) && told.contains("chmod 600"), "{told}");
        assert!(!folder.join(format!("{party}.state")).exists(), "{party}");
        set(file, 0o600);
    }
}

/// Starts all parties of a copy by the one command of the example.
fn start_all(folder: &Path) -> Output {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/federation");
    std::fs::copy(example.join("start"), folder.join("start")).expect("copied");
    let started = Command::new("sh")
        .arg(folder.join("start"))
        .env("MORETTA", PROGRAM)
        .stdin(Stdio::null())
        .output();
    started.expect("a shell")
}

#[cfg(unix)]
#[test]
fn one_command_starts_all_parties() {
    let folder = example(600);
    let told = succeeded(&start_all(folder.path()));
    assert!(told.contains("600 records at 4 sites"), "{told}");
    let answers = std::fs::read_to_string(folder.path().join("out/answers.csv"));
    assert_eq!(answers.expect("answers").lines().count(), 601);
    let again = start_all(folder.path());
    let told = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(told.contains("all parties begin anew"), "{told}");
    let again = succeeded(&again);
    assert!(again.contains("600 records at 4 sites"), "{again}");
    for party in PARTIES {
        std::fs::remove_dir_all(folder.path().join(format!("{party}.state"))).expect("removed");
    }
    succeeded(&start_all(folder.path()));
}

#[cfg(unix)]
#[test]
fn one_party_that_fails_ends_them_all_and_is_named() {
    let folder = example(100);
    change(folder.path(), "lab.csv", "lactate", "lactat");
    let run = start_all(folder.path());
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(1), "{told}");
    assert!(told.contains("lab has failed"), "{told}");
    assert!(!folder.path().join("out/answers.csv").exists() || told.contains("lab"));
    change(folder.path(), "lab.csv", "lactat", "lactate");
    let run = start_all(folder.path());
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(told.contains("interrupted goes on"), "{told}");
    succeeded(&run);
}

#[test]
fn what_happened_is_a_page_that_replaces_nothing_unasked() {
    let folder = example(3000);
    let folder = folder.path();
    let simulate = ["federation", "simulate", ".", "--report", "out/page.html"];
    succeeded(&moretta(folder, &simulate));
    let page = std::fs::read_to_string(folder.join("out/page.html")).expect("a page");
    assert!(page.contains("Hierarchy over time"), "{page}");
    let json = std::fs::read_to_string(folder.join("out/page.json")).expect("its JSON");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_federation.json");
    if std::env::var_os("MORETTA_REFRESH").is_some() {
        std::fs::write(&golden, &json).expect("written");
    }
    let expected = std::fs::read_to_string(golden).expect("the expected report");
    assert!(
        json == expected,
        "run with MORETTA_REFRESH=1 and read the difference"
    );
    let again = moretta(folder, &simulate);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let forced = [&simulate[..], &["--force"]].concat();
    succeeded(&moretta(folder, &forced));
    let over_a_policy = [
        "federation",
        "simulate",
        ".",
        "--report",
        "lab.toml",
        "--force",
    ];
    assert_eq!(moretta(folder, &over_a_policy).status.code(), Some(2));
}

#[test]
fn an_attack_tells_what_hosts_and_colluders_get() {
    let folder = example(1500);
    let folder = folder.path();
    let told = succeeded(&moretta(
        folder,
        &["attack", ".", "--attacks", "40", "--json"],
    ));
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let all = told["coalitions"].as_array().expect("coalitions");
    let of = |kind: &'static str| all.iter().filter(move |one| one["fragments"] == kind);
    let breach = |one: &serde_json::Value, who: &str| one[who]["breaches"][1].as_f64();
    let raw = of("raw").next().expect("raw fragments");
    assert_eq!(breach(raw, "strongest"), Some(1.0), "{raw}");
    assert_eq!(raw["is_own"], false);
    let colluders = |one: &serde_json::Value| one["colluders"].as_array().map_or(0, Vec::len);
    let mut counts: Vec<usize> = of("masked").map(colluders).collect();
    counts.dedup();
    assert_eq!(counts, [0, 1, 2]);
    // One colluder takes its part off the sum; what is left is still a projection of two sites.
    for one in of("masked").filter(|one| colluders(one) == 1 && one["known"] == 1) {
        assert_eq!(one["is_own"], true);
        let (attack, guess) = (breach(one, "strongest"), breach(one, "guess"));
        assert!(attack <= guess.map(|guess| guess + 0.15), "{one}");
    }
    // All but one colluding site leave the projection of the last one, as if it were not masked.
    assert!(of("masked").any(|one| colluders(one) == 2));
    let sites = told["confidences"].as_array().expect("confidences");
    assert_eq!(sites.len(), 12);
    let home = |bits: u64| {
        let leak = sites
            .iter()
            .find(|leak| leak["site"] == "home" && leak["bits"] == bits);
        leak.and_then(|leak| leak["single"].as_f64())
            .expect("a share")
    };
    assert!(home(64) > home(8), "{} {}", home(64), home(8));
    for leak in sites {
        let of = |key: &str| leak[key].as_f64().expect("a share");
        assert!(of("single_with_bits") >= of("single"), "{leak}");
    }
    // Bits cut coarse confidences in two, and leave exact ones as they are.
    let worse = |leak: &&serde_json::Value| leak["single_with_bits"] != leak["single"];
    let of_bits = |bits: u64| sites.iter().filter(move |leak| leak["bits"] == bits);
    assert!(of_bits(8).filter(worse).count() > 0);
    assert_eq!(of_bits(64).filter(worse).count(), 0);
    assert!(home(8) < 0.35, "{}", home(8));
}
