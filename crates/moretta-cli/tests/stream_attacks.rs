//! Streams made to break z-anonymity, the program or its files; each was once a way in.

mod support;

use std::fmt::Write;
use support::{Folder, PROGRAM};

const POLICY: &str = r#"
version = 1
[source]
path = "in.csv"
[columns]
t = { role = "time" }
user = { role = "subject", action = "keep" }
attribute = { role = "quasi", hierarchy = { HIERARCHY } }
[guarantee]
audit = AUDIT
[[protect]]
method = "z-anonymity"
METHOD
[sink]
path = "out.csv"
"#;

fn stream(method: &str, audit: bool, rows: &str) -> Folder {
    with(method, audit, "path = \"*\"", rows)
}

fn with(method: &str, audit: bool, hierarchy: &str, rows: &str) -> Folder {
    let policy = POLICY
        .replace("METHOD", method)
        .replace("AUDIT", &audit.to_string())
        .replace("HIERARCHY", hierarchy);
    Folder::new()
        .policy(&policy)
        .file("in.csv", format!("t,user,attribute\n{rows}"))
}

fn run(folder: &Folder) -> (Option<i32>, String) {
    call(folder, &["run", "policy.toml"])
}

/// The same over what is there.
fn run_again(folder: &Folder) -> (Option<i32>, String) {
    call(folder, &["run", "policy.toml", "--force"])
}

fn call(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = folder.command(PROGRAM);
    let ran = command
        .args(arguments)
        .output()
        .expect("the program starts");
    (
        ran.status.code(),
        String::from_utf8_lossy(&ran.stderr).into_owned(),
    )
}

/// Released lines without the header.
fn released(folder: &Folder) -> Vec<String> {
    let (code, said) = run(folder);
    assert_eq!(code, Some(0), "{said}");
    let text = folder.text("out.csv");
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn times_at_the_edge_of_what_can_be_told_make_no_crowd() {
    for audit in [true, false] {
        for method in [
            "z = 10\nwindow = \"1h\"",
            "window = \"1h\"\ntune = { goal = 0.5, every = \"1m\", at_least = 10 }",
            "z = 10\nwindow = \"1h\"\nunique_sets = \"hold\"",
        ] {
            let mut rows = "1000000,first,a\n".to_owned();
            for ghost in 0..20 {
                let _ = writeln!(rows, "-9223372036854775.7{ghost:02},ghost{ghost},clinic");
            }
            for later in [1000, 4_300_000, 4_400_000, 9_000_000] {
                let _ = writeln!(rows, "{},victim,clinic", 1_000_000 + later);
            }
            assert_eq!(
                released(&stream(method, audit, &rows)),
                Vec::<String>::new(),
                "{method}"
            );
        }
    }
}

#[test]
fn one_person_written_in_many_ways_is_no_crowd() {
    let spellings = [
        "ren\u{e9}e",
        "Ren\u{e9}e",
        "rene\u{301}e",
        " ren\u{e9}e ",
        "ren\u{e9}\u{200b}e",
    ];
    for audit in [true, false] {
        for method in [
            "z = 3\nwindow = \"1h\"",
            "z = 3\nwindow = \"1h\"\nmode = \"exact\"\nlateness = \"1m\"",
            "window = \"1h\"\ntune = { goal = 0.5, every = \"1m\", at_least = 3 }",
            "z = 3\nwindow = \"1h\"\nunique_sets = \"hold\"",
        ] {
            let mut rows = String::new();
            for (second, name) in spellings.iter().cycle().take(20).enumerate() {
                let _ = writeln!(rows, "{},\"{name}\",clinic", 1000 + second);
            }
            let folder = stream(method, audit, &rows);
            let (code, said) = run(&folder);
            assert_eq!(code, Some(0), "{said}");
            assert_eq!(folder.text("out.csv"), "t,user,attribute\n", "{method}");
            assert!(said.contains("counted as one person"), "{said}");
        }
    }
    // Where others are, each is released as it is written, and `verify` counts the same.
    let mut rows = String::new();
    for (second, name) in ["anna", "ANNA", "bob", "carla", " carla"]
        .iter()
        .enumerate()
    {
        let _ = writeln!(rows, "{},\"{name}\",clinic", 1000 + second);
    }
    let folder = stream("z = 3\nwindow = \"1h\"", true, &rows);
    assert_eq!(
        released(&folder),
        ["1003,carla,clinic", "1004, carla,clinic"]
    );
    let verify = |lines: &str| {
        let text = format!("t,user,attribute\n{lines}");
        std::fs::write(folder.path("other.csv"), text).expect("written");
        call(&folder, &["verify", "other.csv", "--policy", "policy.toml"]).0
    };
    assert_eq!(verify("1003,carla,clinic\n"), Some(0));
    assert_eq!(verify("1002,bob,clinic\n1003,carla,clinic\n"), Some(1));
}

#[test]
fn a_tuned_z_does_not_fall_to_one_when_nobody_is_there() {
    let mut rows = String::new();
    for second in 0..8_000 {
        let _ = writeln!(rows, "{second},u{},home", second % 50);
    }
    rows.push_str("20000,lone,clinic*x*1\n20001,other,clinic*x*2\n");
    let folder = stream(
        "window = \"1h\"\ntune = { goal = 0.8, every = \"30m\" }",
        true,
        &rows,
    );
    assert!(
        released(&folder)
            .iter()
            .all(|line| !line.contains("clinic*x*"))
    );
}

#[test]
fn a_value_that_looks_like_a_label_is_unknown_and_no_alarm() {
    let file = "file = \"places.csv\"";
    let rows = "1,u1,a\n2,u2,g1\n3,u3,a\n4,u4,g1\n5,u5,b\n";
    for (hierarchy, rows) in [
        (file, rows.to_owned()),
        (
            "intervals = [10]",
            "1,u1,31\n2,u2,30..39\n3,u3,32\n4,u4,30..39\n5,u5,33\n".to_owned(),
        ),
    ] {
        let mut found = Vec::new();
        for audit in [true, false] {
            let folder = with("z = 2\nwindow = \"1h\"", audit, hierarchy, &rows)
                .file("places.csv", "a;g1;*\nb;g1;*\n");
            let lines = released(&folder);
            assert!(
                lines
                    .iter()
                    .all(|line| !line.starts_with("2,") && !line.starts_with("4,"))
            );
            found.push(lines);
        }
        assert_eq!(found[0], found[1]);
        assert!(!found[0].is_empty());
    }
}

#[test]
fn a_row_ahead_of_the_clock_does_not_stop_an_exact_stream() {
    let mut rows = String::new();
    for second in 0..3_000 {
        let _ = writeln!(rows, "{second},u{},home", second % 50);
        if second == 1_000 {
            rows.push_str("99999999999,far,home\n");
        }
    }
    let folder = stream(
        "z = 5\nwindow = \"1h\"\nmode = \"exact\"\nlateness = \"10s\"",
        true,
        &rows,
    );
    assert_eq!(released(&folder).len(), 2_996);
}

#[test]
fn late_rows_of_ever_new_users_are_forgotten_without_harm() {
    for lateness in ["0s", "20s"] {
        let mut rows = String::new();
        for n in 0..180_000 {
            let time = match n % 3 {
                0 => 100_000 + n / 100,
                1 => 10 + n / 100,
                _ => 99_990 + n / 100,
            };
            let _ = writeln!(rows, "{time},u{n},p{}*q{n}", n % 7);
        }
        let method = format!(
            "window = \"1m\"\nlateness = \"{lateness}\"\ntune = {{ goal = 0.5, every = \"1m\" }}"
        );
        released(&stream(&method, false, &rows));
    }
}

#[test]
fn a_huge_z_takes_no_huge_memory() {
    let mut rows = String::new();
    for second in 0..8_000 {
        let _ = writeln!(rows, "{second},u{},home", second % 50);
    }
    let method = "z = 99999999\nwindow = \"10m\"\ntune = { goal = 1.0, k = 40, every = \"10m\", search = \"incremental\" }";
    assert!(released(&stream(method, true, &rows)).is_empty());
}

#[test]
fn no_other_file_is_touched() {
    let folder = stream("z = 1\nwindow = \"1h\"", true, "1,a,b\n").file("out.mode", "mine");
    released(&folder);
    assert_eq!(folder.text("out.mode"), "mine");
}

#[test]
fn rows_before_a_bad_one_leave() {
    let folder = stream(
        "z = 1\nwindow = \"1h\"",
        true,
        "1,a,b\n2,b,b\nnoon,c,b\n4,d,b\n",
    );
    let (code, said) = run(&folder);
    assert_eq!(code, Some(4), "{said}");
    assert!(
        said.contains("row 3 has no time that can be read"),
        "{said}"
    );
    assert_eq!(folder.text("out.csv"), "t,user,attribute\n1,a,b\n2,b,b\n");
}

#[test]
fn a_row_without_a_user_is_counted_and_the_stream_goes_on() {
    let (mut rows, mut people) = (String::new(), String::new());
    for second in 0..600 {
        let row = format!("{second},u{},home\n", second % 50);
        people.push_str(&row);
        rows.push_str(&row);
        if second % 20 == 19 {
            let _ = writeln!(rows, "{second},,home");
        }
    }
    for method in [
        "z = 5\nwindow = \"1h\"",
        "z = 5\nwindow = \"1h\"\nlateness = \"10s\"",
        "z = 5\nwindow = \"1h\"\nmode = \"exact\"\nlateness = \"10s\"",
        "window = \"1h\"\ntune = { goal = 0.5, every = \"1m\" }",
        "z = 5\nwindow = \"1h\"\nunique_sets = \"hold\"",
    ] {
        let folder = stream(method, true, &rows);
        let lines = released(&folder);
        assert_eq!(lines, released(&stream(method, true, &people)), "{method}");
        assert!(lines.len() > 550, "{method}");
        let (code, said) = run_again(&folder);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("30 rows have no subject"), "{said}");
    }
    // The same where missing is told by the format.
    let objects: String = (0..60)
        .map(|n| match n % 3 {
            0 => format!("{{\"t\":{n},\"user\":null,\"attribute\":\"home\"}}\n"),
            1 => format!("{{\"t\":{n},\"attribute\":\"home\"}}\n"),
            _ => format!("{{\"t\":{n},\"user\":\"u{n}\",\"attribute\":\"home\"}}\n"),
        })
        .collect();
    let folder = stream("z = 2\nwindow = \"1h\"", true, "");
    let policy = folder.text("policy.toml").replace("in.csv", "in.jsonl");
    let folder = folder.policy(&policy).file("in.jsonl", objects);
    assert_eq!(released(&folder).len(), 19);
}

#[cfg(unix)]
#[test]
fn a_certificate_is_its_owners_also_where_it_replaces_one_that_was_not() {
    use std::os::unix::fs::PermissionsExt;
    let folder = stream("z = 1\nwindow = \"1h\"", true, "1,a,b\n2,b,b\n");
    let policy = folder.text("policy.toml").replace(
        "path = \"out.csv\"",
        "path = \"out.csv\"\ncertificate = \"why.csv\"\n[report]\npath = \"report.html\"",
    );
    let folder = folder.policy(&policy).file("sample", "");
    for name in ["why.csv", "out.csv", "report.html", "report.json"] {
        std::fs::write(folder.path(name), "older").expect("written");
        let mode = std::fs::Permissions::from_mode(0o666);
        std::fs::set_permissions(folder.path(name), mode).expect("opened to all");
    }
    assert_eq!(run_again(&folder).0, Some(0));
    let mode = |name: &str| {
        let metadata = std::fs::metadata(folder.path(name)).expect("there");
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode("why.csv"), 0o600);
    for name in ["out.csv", "report.html", "report.json"] {
        assert_eq!(mode(name), mode("sample"), "{name}");
    }
}

#[test]
fn a_release_with_hidden_fakes_is_verified_by_its_certificate() {
    let method = "z = 6\nwindow = \"1h\"\nfakes = { at_most = \"z/2\" }";
    let folder = stream(method, true, "");
    let policy = folder.text("policy.toml");
    let policy = policy.replace(
        "path = \"out.csv\"",
        "path = \"out.csv\"\ncertificate = \"why.csv\"",
    );
    let folder = folder.policy(&policy);
    let call = |arguments: &[&str]| {
        let ran = folder.command(PROGRAM).args(arguments).output();
        let ran = ran.expect("the program starts");
        let said = [ran.stdout, ran.stderr].concat();
        (
            ran.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    };
    let generate = [
        "generate",
        "ecommerce",
        "--rows",
        "4000",
        "--output",
        "in.csv",
        "--force",
    ];
    assert_eq!(call(&generate).0, Some(0));
    assert_eq!(run(&folder).0, Some(0));
    let verify = [
        "verify",
        "out.csv",
        "--policy",
        "policy.toml",
        "--certificate",
        "why.csv",
    ];
    let (code, said) = call(&verify);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("rows are made up"), "{said}");
    let release = folder.text("out.csv").replacen("*", "*x", 40);
    let folder = folder.file("out.csv", release);
    let ran = folder
        .command(PROGRAM)
        .args(verify)
        .output()
        .expect("the program starts");
    assert_eq!(ran.status.code(), Some(1));
}

#[test]
fn a_stream_that_fails_before_its_first_row_leaves_no_file() {
    for rows in ["NaN,a,b\n", "1,a,\"b\n", "1,a\n"] {
        let folder = stream("z = 1\nwindow = \"1h\"", true, rows);
        let (code, said) = run(&folder);
        assert_eq!(code, Some(4), "{said}");
        assert!(!folder.path("out.csv").exists(), "{said}");
    }
}
