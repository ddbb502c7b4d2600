//! The ledger: releases of one data set that, taken together, would give somebody away are
//! refused or made coarser, and nothing is released that is not recorded.

mod support;

use serde_json::Value;
use support::{Folder, PROGRAM, Ran};

/// Eight persons and what each of three releases shows of them.
const ROWS: &str = "person,first,second,good,third\n\
    p0,a,a,a,a\np1,a,a,a,b\np2,a,a,b,a\np3,a,b,b,b\n\
    p4,b,b,b,a\np5,b,b,b,b\np6,b,b,a,a\np7,b,b,a,b\n";

/// A policy that releases one column as it is, in classes of two, to a file of its name.
fn policy(column: &str, ledger: &str) -> String {
    let role = |name: &str| match name == column {
        true => "quasi",
        false => "drop",
    };
    let columns: String = ["first", "second", "good", "third"]
        .iter()
        .map(|name| format!("{name} = {{ role = \"{}\" }}\n", role(name)))
        .collect();
    format!(
        "version = 1\nname = \"{column}\"\n[source]\npath = \"admissions.csv\"\n[columns]\n\
         person = {{ role = \"subject\" }}\n{columns}[guarantee]\nk = 2\n\
         [[protect]]\nmethod = \"generalization\"\nsuppress = 1.0\n\
         [sink]\npath = \"out/{column}.csv\"\norder = \"input\"\n\
         [ledger]\npath = \"data.ledger\"\nkey = \"file:ledger.key\"\n{ledger}"
    )
}

fn folder() -> Folder {
    let mut folder = Folder::new()
        .data(ROWS)
        .file("ledger.key", "a key for tests, not a secret");
    for column in ["first", "second", "good", "third"] {
        folder = folder.file(&format!("{column}.toml"), policy(column, ""));
        let coarser = policy(column, "on_conflict = \"coarsen\"\n");
        folder = folder.file(&format!("{column}-coarser.toml"), coarser);
    }
    folder
}

fn well(ran: &Ran<'_>) {
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

fn ledger(folder: &Folder, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = { folder.command(PROGRAM) }
        .arg("ledger")
        .args(arguments)
        .arg("--json")
        .output()
        .expect("the program starts");
    let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), json)
}

#[test]
fn three_releases_are_refused_though_each_pair_is_allowed() {
    let folder = folder();
    well(&folder.moretta(&["run", "first.toml"]));
    let refused = folder.moretta(&["run", "second.toml"]);
    refused.fails(7, "1 groups of fewer than 2 persons");
    well(&folder.moretta(&["run", "good.toml"]));
    let refused = folder.moretta(&["run", "third.toml"]);
    refused.fails(7, "8 groups of fewer than 2 persons");
    let (code, listed) = ledger(&folder, &["list", "first.toml"]);
    assert_eq!(code, Some(0));
    let names: Vec<&Value> = { listed["releases"].as_array().expect("releases").iter() }
        .map(|release| &release["name"])
        .collect();
    assert_eq!(names, ["first", "good"]);
    assert_eq!(listed["releases"][0]["k"], 2);
    assert_eq!(listed["releases"][0]["rows"], 8);
    // Each pair is allowed: with the first release out of the count, the third may come.
    let id = listed["releases"][0]["id"].as_str().expect("an id");
    let (code, _) = ledger(&folder, &["revoke", "first.toml", id]);
    assert_eq!(code, Some(0));
    well(&folder.moretta(&["run", "third.toml"]));
    let (_, listed) = ledger(&folder, &["list", "first.toml"]);
    assert_eq!(listed["releases"][0]["revoked"], true);
    assert_eq!(listed["entries"], 4);
    let (code, _) = ledger(&folder, &["revoke", "first.toml", id]);
    assert_eq!(code, Some(2), "it does not count any more");
}

#[test]
fn a_promise_in_other_words_is_held_against_the_ledger_and_none_is_refused() {
    let as_risk = |column: &str| policy(column, "").replace("k = 2", "maximum_risk = 0.5");
    let nothing = [
        ("average_risk = 0.5", "generalization"),
        (
            "k_map = { k = 2, fraction = 0.5, alpha = 0.4 }",
            "generalization",
        ),
        ("", "rank-swapping"),
        ("", "mu-argus"),
    ];
    let mut folder = folder()
        .file("first-risk.toml", as_risk("first"))
        .file("second-risk.toml", as_risk("second"));
    for (place, (promise, method)) in nothing.iter().enumerate() {
        let text = policy("good", "").replace("k = 2", promise);
        let text = match *method {
            "generalization" => text,
            "mu-argus" => text.replace(
                "method = \"generalization\"\nsuppress = 1.0",
                "method = \"mu-argus\"\nk = 2\nsize = 1",
            ),
            method => text.replace(
                "method = \"generalization\"\nsuppress = 1.0",
                &format!("method = \"{method}\""),
            ),
        };
        folder = folder.file(&format!("nothing-{place}.toml"), text);
    }
    well(&folder.moretta(&["run", "first-risk.toml"]));
    let refused = folder.moretta(&["run", "second-risk.toml"]);
    refused.fails(7, "1 groups of fewer than 2 persons");
    let refused = folder.moretta(&["run", "second.toml"]);
    refused.fails(7, "1 groups of fewer than 2 persons");
    for place in 0..nothing.len() {
        let refused = folder.moretta(&["run", &format!("nothing-{place}.toml")]);
        refused.fails(3, "promises no such number");
    }
    let (_, listed) = ledger(&folder, &["list", "first.toml"]);
    assert_eq!(listed["releases"].as_array().map(Vec::len), Some(1));
}

#[test]
fn classes_are_joined_until_nobody_can_be_told() {
    let folder = folder();
    well(&folder.moretta(&["run", "first.toml"]));
    well(&folder.moretta(&["run", "second-coarser.toml"]));
    let released = folder.text("out/second.csv");
    assert_eq!(released, format!("second\n{}", "{a|b}\n".repeat(8)));
    let verified = [
        "verify",
        "out/second.csv",
        "--policy",
        "second-coarser.toml",
    ];
    well(&folder.moretta(&verified));
    well(&folder.moretta(&["run", "good-coarser.toml"]));
    // What does not split a cell is released as it is.
    assert_eq!(
        folder.text("out/good.csv"),
        "good\na\na\nb\nb\nb\nb\na\na\n"
    );
}

#[test]
fn a_release_of_which_no_row_is_left_is_refused() {
    let folder = folder();
    // All are one class first; then one person stands out, and the method suppresses the row.
    let rows = ROWS.replace(",b", ",a").replace("p0,a,a", "p0,a,b");
    std::fs::write(folder.path("admissions.csv"), rows).expect("written");
    well(&folder.moretta(&["run", "first.toml"]));
    let refused = folder.moretta(&["run", "second-coarser.toml"]);
    refused.fails(7, "no row is left to release");
    let (_, listed) = ledger(&folder, &["list", "first.toml"]);
    assert_eq!(listed["entries"], 1);
}

#[test]
fn a_ledger_that_begins_says_so() {
    let folder = folder();
    let first = folder.moretta(&["run", "first.toml"]);
    well(&first);
    assert!(first.stderr.contains("no ledger at"), "{}", first.stderr);
    let next = folder.moretta(&["run", "good.toml"]);
    well(&next);
    assert!(!next.stderr.contains("no ledger at"), "{}", next.stderr);
    let (_, listed) = ledger(&folder, &["list", "first.toml"]);
    let head = listed["head"].as_str().expect("a head");
    std::fs::remove_file(folder.path("data.ledger")).expect("removed");
    std::fs::remove_file(folder.path("out/good.csv")).expect("removed");
    let anew = folder.moretta(&["run", "good.toml"]);
    well(&anew);
    assert!(anew.stderr.contains("no ledger at"), "{}", anew.stderr);
    let (code, _) = ledger(&folder, &["verify", "good.toml", "--head", head]);
    assert_eq!(code, Some(7), "a head that was kept finds it");
}

#[test]
fn a_person_is_known_by_the_text_of_the_source() {
    let folder = folder();
    let numbered = |prefix: &str| ROWS.replace("\np", &format!("\n{prefix}"));
    std::fs::write(folder.path("admissions.csv"), numbered("")).expect("written");
    well(&folder.moretta(&["run", "first.toml"]));
    let (_, listed) = ledger(&folder, &["list", "first.toml"]);
    assert_eq!(listed["known_rows"], 8);
    std::fs::write(folder.path("admissions.csv"), numbered("0")).expect("written");
    // 00 to 07 are others than 0 to 7, of whom each class was whole.
    well(&folder.moretta(&["run", "second.toml"]));
    let (_, listed) = ledger(&folder, &["list", "first.toml"]);
    assert_eq!(listed["known_rows"], 16);
}

#[test]
fn persons_who_leave_or_come_alone_are_told_and_so_refused() {
    let folder = folder();
    well(&folder.moretta(&["run", "first.toml"]));
    std::fs::remove_file(folder.path("out/first.csv")).expect("removed");
    for (rows, code) in [
        (ROWS.replace("p7,b,b,a,b\n", ""), 7),
        (format!("{ROWS}p8,b,b,a,b\n"), 7),
        (format!("{ROWS}p8,b,b,a,b\np9,b,b,a,b\n"), 0),
    ] {
        std::fs::write(folder.path("admissions.csv"), rows).expect("written");
        let ran = folder.moretta(&["run", "first.toml"]);
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    }
    // One more who comes alone is held back where the policy allows it.
    std::fs::remove_file(folder.path("out/first.csv")).expect("removed");
    let rows = format!("{ROWS}p8,b,b,a,b\np9,b,b,a,b\npx,a,a,a,a\n");
    std::fs::write(folder.path("admissions.csv"), rows).expect("written");
    well(&folder.moretta(&["run", "first-coarser.toml"]));
    assert_eq!(folder.text("out/first.csv").lines().count(), 11);
}

#[test]
fn release_and_entry_appear_both_or_neither() {
    let folder = folder();
    well(&folder.moretta(&["run", "first.toml"]));
    let before = std::fs::read(folder.path("data.ledger")).expect("a ledger");
    // The release is there already, so that nothing may be written.
    let again = folder.moretta(&["run", "first.toml"]);
    again.fails(2, "exists already");
    assert_eq!(
        std::fs::read(folder.path("data.ledger")).expect("a ledger"),
        before
    );
    // Refused, so not recorded.
    folder
        .moretta(&["run", "second.toml"])
        .fails(7, "nothing was written");
    assert_eq!(
        std::fs::read(folder.path("data.ledger")).expect("a ledger"),
        before
    );
    let (_, listed) = ledger(&folder, &["list", "first.toml"]);
    assert_eq!(listed["releases"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_changed_ledger_stops_everything() {
    let folder = folder();
    well(&folder.moretta(&["run", "first.toml"]));
    let (_, listed) = ledger(&folder, &["verify", "first.toml"]);
    let head = listed["head"].as_str().expect("a head").to_owned();
    let place = folder.path("data.ledger");
    let whole = std::fs::read(&place).expect("a ledger");
    for changed in [&whole[..whole.len() - 1], &whole[1..], b""] {
        std::fs::write(&place, changed).expect("written");
        folder
            .moretta(&["run", "good.toml"])
            .fails(7, "was changed, cut off");
        assert_eq!(ledger(&folder, &["verify", "first.toml"]).0, Some(7));
    }
    std::fs::write(&place, &whole).expect("written");
    well(&folder.moretta(&["run", "good.toml"]));
    let known = ["verify", "first.toml", "--head", &head];
    assert_eq!(ledger(&folder, &known).0, Some(0));
    // An older ledger is found by a newer head.
    let (_, listed) = ledger(&folder, &["list", "first.toml"]);
    let newer = listed["head"].as_str().expect("a head").to_owned();
    std::fs::write(&place, &whole).expect("written");
    assert_eq!(
        ledger(&folder, &["verify", "first.toml", "--head", &newer]).0,
        Some(7)
    );
}

#[test]
fn a_ledger_names_nobody() {
    let folder = folder();
    well(&folder.moretta(&["run", "first.toml"]));
    let bytes = std::fs::read(folder.path("data.ledger")).expect("a ledger");
    let text = String::from_utf8_lossy(&bytes);
    assert!((0..8).all(|person| !text.contains(&format!("p{person}"))));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path("data.ledger")).expect("there");
        assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn rows_need_a_name_and_the_key_of_a_row_is_one() {
    let folder = folder();
    let nameless = policy("first", "").replace("\"subject\"", "\"drop\"");
    std::fs::write(folder.path("nameless.toml"), nameless).expect("written");
    let refused = folder.moretta(&["run", "nameless.toml"]);
    refused.fails(3, "does not know which rows of two releases are the same");
    let twice = format!("{ROWS}p7,b,b,a,b\n");
    std::fs::write(folder.path("admissions.csv"), twice).expect("written");
    let refused = folder.moretta(&["run", "first.toml"]);
    refused.fails(3, "persons have several rows");
    std::fs::write(folder.path("admissions.csv"), ROWS).expect("written");
    for column in ["first", "second"] {
        let keyed = policy(column, "").replace("\"subject\"", "\"key\"");
        std::fs::write(folder.path(&format!("{column}-keyed.toml")), keyed).expect("written");
    }
    well(&folder.moretta(&["run", "first-keyed.toml"]));
    assert!(!folder.text("out/first.csv").contains("person"));
    folder
        .moretta(&["run", "second-keyed.toml"])
        .fails(7, "1 groups");
}

#[test]
fn epsilon_is_added_up_and_bounded() {
    let private = |name: &str| {
        format!(
            "version = 1\n[source]\npath = \"admissions.csv\"\n[columns]\n\
             person = {{ role = \"subject\" }}\nage = {{ role = \"quasi\" }}\n\
             [[protect]]\nmethod = \"local-dp\"\n\
             columns = {{ age = {{ mechanism = \"laplace\", epsilon = 0.8, bounds = [0, 100] }} }}\n\
             [sink]\npath = \"out/{name}.csv\"\n\
             [ledger]\npath = \"data.ledger\"\nkey = \"file:ledger.key\"\nepsilon = 2\n"
        )
    };
    let rows: String = (0..30).map(|i| format!("p{i},{}\n", 20 + i)).collect();
    let mut folder = Folder::new()
        .data(format!("person,age\n{rows}"))
        .file("ledger.key", "a key for tests, not a secret");
    for name in ["one", "two", "three"] {
        folder = folder.file(&format!("{name}.toml"), private(name));
    }
    well(&folder.moretta(&["run", "one.toml"]));
    well(&folder.moretta(&["run", "two.toml"]));
    folder
        .moretta(&["run", "three.toml"])
        .fails(7, "1.6 are spent");
    let (_, listed) = ledger(&folder, &["list", "one.toml"]);
    assert_eq!(listed["epsilon"], 1.6);
}

#[test]
fn a_manifest_holds_the_head_of_the_ledger() {
    let folder = folder();
    well(&folder.moretta(&["key", "new", "steward.key"]));
    let signed = policy("first", "")
        + "[manifest]\npath = \"out/manifest.json\"\nkey = \"file:steward.key\"\n";
    std::fs::write(folder.path("signed.toml"), signed).expect("written");
    well(&folder.moretta(&["run", "signed.toml"]));
    let manifest: Value =
        serde_json::from_str(&folder.text("out/manifest.json")).expect("a manifest");
    let (_, listed) = ledger(&folder, &["list", "signed.toml"]);
    assert_eq!(manifest["manifest"]["ledger"]["head"], listed["head"]);
    assert_eq!(manifest["manifest"]["ledger"]["entries"], "1");
    let entry = &listed["releases"][0];
    assert_eq!(manifest["manifest"]["release"], entry["release"]);
    let time = entry["time"].as_str().expect("a time");
    let day = entry["date"].as_str().expect("a day");
    assert!(
        time.ends_with('Z') && time.len() == day.len() + 10,
        "{time}"
    );
}

/// A table that grows keeps its old classes to the letter.
#[test]
fn new_rows_wait_until_they_form_or_join_classes() {
    let policy = |version: usize| {
        format!(
            "version = 1\n[source]\npath = \"admissions.csv\"\n[columns]\n\
             person = {{ role = \"subject\" }}\nage = {{ role = \"quasi\" }}\n\
             ward = {{ role = \"plain\" }}\n[guarantee]\nk = 3\n\
             [[protect]]\nmethod = \"mondrian\"\n\
             [sink]\npath = \"out/{version}.csv\"\norder = \"input\"\n\
             [ledger]\npath = \"data.ledger\"\nkey = \"file:ledger.key\"\ngrowth = true\n"
        )
    };
    let mut folder = Folder::new().file("ledger.key", "a key for tests, not a secret");
    let mut rows = String::from("person,age,ward\n");
    let mut next = 0;
    // Two classes, then one who waits, two more of the kind, three who join, three far away.
    let versions: [(&[u32], usize); 5] = [
        (&[20, 21, 22, 40, 41, 42], 6),
        (&[41], 6),
        (&[40, 42], 9),
        (&[20, 22, 22], 12),
        (&[70, 71], 12),
    ];
    let mut before: Vec<String> = Vec::new();
    for (version, (ages, released)) in versions.into_iter().enumerate() {
        for age in ages {
            rows.push_str(&format!("p{next},{age},w{next}\n"));
            next += 1;
        }
        folder = folder
            .data(&rows)
            .file(&format!("{version}.toml"), policy(version));
        let ran = folder.moretta(&["run", &format!("{version}.toml")]);
        assert_eq!(ran.code, Some(0), "version {version}: {}", ran.stderr);
        let text = folder.text(&format!("out/{version}.csv"));
        let lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
        assert_eq!(lines.len(), released, "version {version}:\n{text}");
        for line in &before {
            assert!(lines.contains(line), "version {version} lost {line}");
        }
        before = lines;
    }
}

/// New rows are a table of their own, whose hierarchy knows their values alone.
#[test]
fn a_table_grows_with_hierarchies_that_are_made_of_its_values() {
    for method in ["mondrian", "lattice", "datafly", "generalization"] {
        let policy = |version: usize| {
            format!(
                "version = 1\n[source]\npath = \"admissions.csv\"\n[columns]\n\
                 person = {{ role = \"subject\" }}\n\
                 zip = {{ role = \"quasi\", type = \"category\", hierarchy = {{ mask = \"right\" }} }}\n\
                 [guarantee]\nk = 3\n[[protect]]\nmethod = \"{method}\"\n\
                 [sink]\npath = \"out/{version}.csv\"\norder = \"input\"\n\
                 [ledger]\npath = \"data.ledger\"\nkey = \"file:ledger.key\"\ngrowth = true\n"
            )
        };
        let mut folder = Folder::new().file("ledger.key", "a key for tests, not a secret");
        let mut rows = String::from("person,zip\n");
        let mut next = 0;
        // Two classes; two who wait; a third of their kind; others with shorter and longer values.
        let versions: [(&[&str], usize); 4] = [
            (&["12345", "12345", "12345", "12399", "12399", "12399"], 6),
            (&["99700", "99700"], 6),
            (&["99700"], 9),
            (&["70", "70", "70"], 12),
        ];
        for (version, (zips, released)) in versions.into_iter().enumerate() {
            for zip in zips {
                rows.push_str(&format!("p{next},{zip}\n"));
                next += 1;
            }
            folder = folder
                .data(&rows)
                .file(&format!("{version}.toml"), policy(version));
            let ran = folder.moretta(&["run", &format!("{version}.toml")]);
            assert_eq!(ran.code, Some(0), "{method} {version}: {}", ran.stderr);
            let text = folder.text(&format!("out/{version}.csv"));
            assert_eq!(
                text.lines().count() - 1,
                released,
                "{method} {version}:\n{text}"
            );
        }
    }
}

#[test]
fn persons_with_several_rows_are_counted_once() {
    // Each person has two rows; k counts persons, so four rows of two persons are too few.
    let rows: String = (0..8)
        .map(|i| format!("r{i},p{},{}\n", i / 2, if i < 4 { "a" } else { "b" }))
        .collect();
    let policy = |k: u32| {
        format!(
            "version = 1\n[source]\npath = \"admissions.csv\"\n[columns]\n\
             row = {{ role = \"key\" }}\nperson = {{ role = \"subject\" }}\nq = {{ role = \"quasi\" }}\n\
             [guarantee]\nk = {k}\n[[protect]]\nmethod = \"generalization\"\nsuppress = 1.0\n\
             [sink]\npath = \"out/{k}.csv\"\n\
             [ledger]\npath = \"data.ledger\"\nkey = \"file:ledger.key\"\n"
        )
    };
    let folder = Folder::new()
        .data(format!("row,person,q\n{rows}"))
        .file("ledger.key", "a key for tests, not a secret")
        .policy(&policy(2));
    well(&folder.run());
    // One row of a person leaves its class: two rows of one person are one person.
    std::fs::remove_file(folder.path("out/2.csv")).expect("removed");
    let moved = format!("row,person,q\n{rows}").replace("r2,p1,a\nr3,p1,a", "r2,p1,b\nr3,p1,b");
    std::fs::write(folder.path("admissions.csv"), moved).expect("written");
    assert_ne!(folder.run().code, Some(0), "p0 is left alone in its class");
}
