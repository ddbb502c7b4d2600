//! 38 to 54: policies.

use crate::support::{CANARY, Folder, POLICY, Table, policy_with, replaced};

const ZIP: &str = "hierarchy = { mask = \"right\" }";
const METHOD: &str = "method = \"mondrian\"";

/// A good table with this policy.
fn with_policy(policy: &str) -> Folder {
    Folder::with_table(&Table::of(30)).policy(policy)
}

#[test]
fn case_38_a_syntax_error() {
    let folder = with_policy(&policy_with("k = 5", "k = = 5"));
    let line = 1 + folder
        .text("policy.toml")
        .lines()
        .position(|l| l == "k = = 5")
        .expect("there");
    for command in ["run", "check", "plan"] {
        folder
            .moretta(&[command, "policy.toml"])
            .fails(3, &format!("policy.toml:{line}:"))
            .says("k = = 5")
            .says("┬");
    }
}

#[test]
fn case_39_an_unknown_key() {
    for (from, to, what) in [
        (
            "role = \"sensitive\"",
            "role = \"sensitve\"",
            "did you mean `sensitive`?",
        ),
        (
            "k = 5",
            "k = 5\nsensitve = 1",
            "unknown key `sensitve` in [guarantee]",
        ),
        ("[guarantee]", "[guarante]", "did you mean `guarantee`?"),
        (
            "role = \"quasi\"",
            "rol = \"quasi\"",
            "did you mean `role`?",
        ),
        (METHOD, "method = \"mondrain\"", "did you mean `mondrian`?"),
        (
            METHOD,
            "method = \"mondrian\"\nsuppres = 0.1",
            "unknown key `suppres`",
        ),
    ] {
        with_policy(&policy_with(from, to)).run().fails(3, what);
    }
}

#[test]
fn case_40_a_path_outside_the_folder() {
    for path in [
        "../outside.csv",
        "../../etc/passwd",
        "/etc/passwd",
        "out/../../outside.csv",
    ] {
        for place in [
            "\"admissions.csv\"",
            "\"out/release.csv\"",
            "\"out/report.html\"",
        ] {
            with_policy(&policy_with(place, &format!("{path:?}")))
                .outside("outside.csv", CANARY)
                .run()
                .fails(3, "the path is outside the policy's folder");
        }
        let hierarchy = format!("hierarchy = {{ file = {path:?} }}");
        with_policy(&policy_with(ZIP, &hierarchy))
            .outside("outside.csv", CANARY)
            .run()
            .fails(3, "the path is outside the policy's folder");
    }
}

#[test]
#[cfg(unix)]
fn case_41_a_link_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    for place in [
        "\"admissions.csv\"",
        "\"out/release.csv\"",
        "\"out/report.html\"",
    ] {
        for path in ["link", "folder/outside.csv", "folder/new.csv"] {
            let folder = with_policy(&policy_with(place, &format!("{path:?}")))
                .outside("outside.csv", Table::of(30).csv());
            symlink("../outside.csv", folder.path("link")).expect("linked");
            symlink("..", folder.path("folder")).expect("linked");
            folder
                .run()
                .fails(3, "the path is outside the policy's folder");
        }
    }
}

#[test]
fn case_42_an_address_instead_of_a_file() {
    for address in [
        "http://169.254.169.254/latest/meta-data",
        "https://user:hunter2@example.org/a.csv",
        "file:///etc/passwd",
    ] {
        for place in ["\"admissions.csv\"", "\"out/release.csv\""] {
            with_policy(&policy_with(place, &format!("{address:?}")))
                .run()
                .fails(3, "no host is allowed")
                .hides("hunter2");
        }
    }
}

#[test]
fn case_43_a_secret_in_the_policy() {
    let subject = "patient   = { role = \"subject\" }";
    let pseudonym = |key: &str| {
        format!("patient = {{ role = \"subject\", action = \"pseudonym\", key = {key:?} }}")
    };
    for (from, to) in [
        (subject, pseudonym("hunter2")),
        (
            "version = 1",
            "version = 1\npassword = \"hunter2\"".to_owned(),
        ),
        ("k = 5", "k = 5\nsalt = \"hunter2\"".to_owned()),
        (
            METHOD,
            "method = \"mondrian\"\ntoken = \"hunter2\"".to_owned(),
        ),
    ] {
        with_policy(&policy_with(from, &to))
            .run()
            .fails(3, "holds a secret; a policy must not")
            .says("use \"file:PATH\"")
            .hides("hunter2");
    }
    // A syntax error beside it must not show it either.
    let broken = replaced(
        &policy_with(subject, &pseudonym("hunter2")),
        "age       =",
        "age",
    );
    with_policy(&broken)
        .run()
        .fails(3, "line 9")
        .hides("hunter2");
}

#[test]
fn case_44_a_column_of_the_data_that_is_not_in_the_policy() {
    with_policy(&policy_with("cost      = { role = \"plain\" }\n", ""))
        .run()
        .fails(3, "the data has columns without a role: `cost`");
}

#[test]
fn case_45_a_column_of_the_policy_that_is_not_in_the_data() {
    with_policy(&policy_with("cost  ", "cots  "))
        .run()
        .fails(3, "not in the data: `cots`")
        .says("did you mean `cost`?");
}

#[test]
fn case_45_a_file_without_a_header_shows_no_cell_as_a_name() {
    let rows = Table::of(30).lines().split_off(1).join("\n");
    let folder = Folder::new().data(&rows);
    for command in ["run", "check", "plan"] {
        folder
            .moretta(&[command, "policy.toml"])
            .fails(3, "not in the data")
            .says("is the first line of the file its header?");
    }
    // Two equal cells in the first row look like a name that stands there twice.
    let twice = Table::of(30)
        .with(2, "diagnosis", CANARY)
        .with(2, "cost", CANARY);
    Folder::new()
        .data(twice.lines().split_off(1).join("\n"))
        .run()
        .fails(4, "columns 7 and 8 have the same name");
}

#[test]
fn case_46_a_k_out_of_range() {
    for (k, what) in [
        ("0", "`k` must be a whole number from 2 to"),
        ("1", "`k` must be a whole number from 2 to"),
        ("-5", "`k` must be a whole number from 2 to"),
        ("2.5", "`k` must be a whole number"),
        ("1_000_000_000_000", "`k` must be a whole number from 2 to"),
        ("99999999999999999999", "`k` is too large a number"),
        ("\"five\"", "`k` is a text, not a whole number"),
    ] {
        with_policy(&policy_with("k = 5", &format!("k = {k}")))
            .run()
            .fails(3, what);
    }
    for method in [METHOD, "method = \"generalization\""] {
        with_policy(&replaced(&policy_with("k = 5", "k = 31"), METHOD, method))
            .run()
            .fails(1, "30 persons; k=31 needs at least 31 persons");
    }
}

#[test]
fn case_47_an_l_beyond_the_values() {
    for promise in ["l = 4", "l = { value = 4, on = [\"diagnosis\"] }", "p = 4"] {
        with_policy(&policy_with("k = 5", &format!("k = 5\n{promise}")))
            .run()
            .fails(1, "`diagnosis` has 3 values, l=4 impossible");
    }
}

#[test]
fn case_48_a_t_out_of_range() {
    for t in ["-0.1", "1.5", "nan", "inf", "-1"] {
        let what = match t {
            "nan" | "inf" => "is not a finite number",
            _ => "must lie between 0 and 1",
        };
        for t in [format!("t = {t}"), format!("t = {{ value = {t} }}")] {
            with_policy(&policy_with("k = 5", &format!("k = 5\n{t}")))
                .run()
                .fails(3, what);
        }
    }
}

#[test]
fn case_49_only_k_while_a_sensitive_column_exists() {
    let what = "only k is promised although a sensitive column exists";
    let folder = with_policy(POLICY);
    folder
        .moretta(&["run", "policy.toml", "--strict"])
        .fails(3, what);
    folder.run().succeeds().warns(what);
    with_policy(&policy_with("k = 5", "k = 5\nl = 2"))
        .moretta(&["run", "policy.toml", "--strict"])
        .succeeds();
}

/// A hierarchy of the zips of [`Table::of`], two towns of ten.
fn zips() -> Vec<String> {
    (4040..4060)
        .map(|zip| format!("{zip};town {};*", zip / 10))
        .collect()
}

#[test]
fn case_50_hierarchies_that_are_no_tree_or_miss_values() {
    let policy = policy_with(ZIP, "hierarchy = { file = \"zip.csv\" }");
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut rows = zips();
        change(&mut rows);
        rows.join("\n") + "\n"
    };
    with_policy(&policy)
        .file("zip.csv", with(&|_| {}))
        .run()
        .succeeds();
    for (text, what) in [
        (
            with(&|rows| rows.truncate(17)),
            "hierarchy zip.csv covers 17 of 20 values of column `zip`; 3 values are not in it, the first of them is no. 18 of its distinct values, sorted",
        ),
        (
            with(&|rows| rows.push(rows[3].clone())),
            "1 value stands there twice, on line 21",
        ),
        (
            with(&|rows| rows[4] = "4044;a;b;a;*".to_owned()),
            "1 row has another number of levels than the first, on line 5",
        ),
        (
            zips()
                .iter()
                .map(|row| replaced(row, ";*", ";4041;*"))
                .collect::<Vec<_>>()
                .join("\n"),
            "a label its own ancestor",
        ),
        (
            with(&|rows| {
                for (i, row) in rows.iter_mut().enumerate() {
                    *row = replaced(row, ";*", if i == 4 { ";south;*" } else { ";north;*" });
                }
            }),
            "1 row gives a label a second parent, on line 5",
        ),
    ] {
        let folder = with_policy(&policy).file("zip.csv", text);
        folder.run().fails(3, what);
    }
}

#[test]
fn case_51_the_hierarchy_of_another_column() {
    let policy = policy_with(ZIP, "hierarchy = { file = \"sex.csv\" }");
    let table = Table::of(30).with_each("zip", |i| format!("{CANARY}{}", i % 14));
    Folder::with_table(&table)
        .file("sex.csv", "f;*\nm;*\n")
        .policy(&policy)
        .run()
        .fails(3, "covers 0 of 14 values")
        .says("is it the hierarchy of another column?");
}

#[test]
fn case_52_levels_in_the_wrong_order() {
    for (levels, what) in [
        (
            "researcher = { k = 25 }\nexternal = { k = 5 }",
            "level `external` has k=5, not more than the 25 of `researcher` before it",
        ),
        (
            "researcher = { k = 5 }\nexternal = { k = 5 }",
            "level `external` has k=5, not more than the 5 of `researcher` before it",
        ),
        (
            "researcher = { k = 5 }\nresearcher = { k = 25 }",
            "duplicate key",
        ),
        ("researcher = {}", "level `researcher` has no k"),
        (
            "researcher = { k = 4 }",
            "level `researcher` has k=4, less than the k=5 of [guarantee]",
        ),
        (
            "researcher = { k = 1 }",
            "`k` must be a whole number from 2 to",
        ),
        ("researcher = { k = 5, z = 2 }", "unknown key `z`"),
        (
            "researcher = 5",
            "`levels.researcher` is a whole number, not a table",
        ),
        ("", "[levels] is empty"),
        (
            "\"../../up\" = { k = 5 }",
            "the name of a level becomes part of file names",
        ),
    ] {
        with_policy(&policy_with(
            "[sink]",
            &format!("[levels]\n{levels}\n\n[sink]"),
        ))
        .run()
        .fails(3, what);
    }
}

#[test]
fn case_53_the_output_is_the_input() {
    for (place, path) in [
        ("\"out/release.csv\"", "admissions.csv"),
        ("\"out/release.csv\"", "./admissions.csv"),
        ("\"out/release.csv\"", "zip.csv"),
        ("\"out/report.html\"", "admissions.csv"),
    ] {
        let policy = policy_with(ZIP, "hierarchy = { file = \"zip.csv\" }");
        let folder = with_policy(&replaced(&policy, place, &format!("{path:?}")))
            .file("zip.csv", zips().join("\n"));
        for arguments in [
            &["check", "policy.toml"][..],
            &["plan", "policy.toml"],
            &["run", "policy.toml"],
            &["run", "policy.toml", "--force"],
        ] {
            folder
                .moretta(arguments)
                .fails(2, "is an input; it would be overwritten");
        }
    }
    // The JSON of the report stands beside its page.
    let policy = replaced(POLICY, "\"admissions.csv\"", "\"a.json\"\nformat = \"csv\"");
    with_policy(&replaced(&policy, "\"out/report.html\"", "\"a.html\""))
        .file("a.json", Table::of(30).csv())
        .moretta(&["run", "policy.toml", "--force"])
        .fails(2, "is an input; it would be overwritten");
    for path in ["out/release.csv", "out/release.html"] {
        let policy = replaced(
            POLICY,
            "\"out/release.csv\"",
            "\"out/release.json\"\nformat = \"jsonl\"",
        );
        let policy = replaced(&policy, "\"out/report.html\"", &format!("{path:?}"));
        let folder = with_policy(&policy);
        for command in ["check", "plan", "run"] {
            let refused = folder.moretta(&[command, "policy.toml"]);
            refused.fails(2, "would be written twice");
        }
    }
}

/// Whatever a stream writes, its release, certificate, checkpoint and report are four files.
#[test]
fn case_53_two_outputs_of_a_stream_are_one_file() {
    const PLACES: [(&str, &str); 4] = [
        ("SINK", "out/release.csv"),
        ("CERTIFICATE", "out/why.csv"),
        ("CHECKPOINT", "out/mark.json"),
        ("REPORT", "out/report.html"),
    ];
    let policy = |one: &str, path: &str| {
        let text = "version = 1\n[source]\npath = \"visits.csv\"\n[columns]\nt = { role = \"time\" }\n\
             user = { role = \"subject\" }\npage = { role = \"quasi\" }\n[[protect]]\n\
             method = \"z-anonymity\"\nz = 2\nwindow = \"1h\"\n[sink]\npath = \"SINK\"\nformat = \"csv\"\n\
             certificate = \"CERTIFICATE\"\n[checkpoint]\npath = \"CHECKPOINT\"\n[report]\npath = \"REPORT\"\n";
        PLACES.iter().fold(text.to_owned(), |text, (place, own)| {
            replaced(&text, place, if *place == one { path } else { own })
        })
    };
    let folder = |text: &str| {
        let folder = Folder::new().policy(text);
        folder.file("visits.csv", "t,user,page\n0,a,x\n1,b,x\n")
    };
    let good = folder(&policy("", ""));
    let checked = good.moretta(&["check", "policy.toml"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    for (one, _) in PLACES {
        for (other, path) in PLACES.iter().filter(|(other, _)| *other != one) {
            let folder = folder(&policy(one, &format!("./{path}")));
            for command in ["check", "run"] {
                let refused = folder.moretta(&[command, "policy.toml"]);
                assert_eq!(refused.code, Some(2), "{one} {other}: {}", refused.stderr);
                refused.fails(2, "would be written twice");
            }
        }
        let folder = folder(&policy(one, "visits.csv"));
        let refused = folder.moretta(&["check", "policy.toml"]);
        refused.fails(2, "is an input; it would be overwritten");
    }
}

#[test]
fn case_54_the_output_exists_already() {
    for name in ["out/release.csv", "out/report.html", "out/report.json"] {
        let folder = with_policy(POLICY).file(name, "older");
        folder
            .run()
            .fails(2, &format!("{name} exists already"))
            .says("use --force to replace it");
        let ran = folder.moretta(&["run", "policy.toml", "--force"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_ne!(folder.text(name), "older");
    }
    let folder = with_policy(POLICY).file("out/release.csv/inner", "");
    folder
        .moretta(&["run", "policy.toml", "--force"])
        .fails(2, "is a folder, not a file");
}
