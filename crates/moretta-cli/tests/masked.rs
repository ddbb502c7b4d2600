//! Methods that mask records, from the policy to the file.

mod support;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;
use support::{CANARY, Folder, PROGRAM, Table, policy_with, replaced};

const GUARANTEE: &str = "[guarantee]\nk = 5\n\n[[protect]]\nmethod = \"mondrian\"\n";

/// The policy of the admissions, with a method that masks them instead.
fn policy(method: &str) -> String {
    let text = policy_with(GUARANTEE, &format!("[[protect]]\n{method}\n"));
    // Groups count rows: each person has one here.
    let text = replaced(&text, "{ role = \"subject\" }", "{ role = \"identifier\" }");
    match method.contains("dp") {
        true => with_open_columns(text, method),
        false => text,
    }
}

/// Of a private method the columns that it does not name are published knowingly.
fn with_open_columns(text: String, method: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(' ') {
        Some((name, rest))
            if rest.contains("\"quasi\"") && !method.contains(&format!("{name} =")) =>
        {
            format!("{name} = {{ role = \"plain\" }}\n")
        }
        _ => format!("{line}\n"),
    });
    lines.collect()
}

fn folder(method: &str, rows: usize) -> Folder {
    Folder::with_table(&Table::of(rows)).policy(&policy(method))
}

const AGE: &str = "bounds = { age = [0, 120] }";

/// Each method, on a table and on a stream.
const METHODS: &[&str] = &[
    "method = \"noise\"",
    "method = \"noise\"\nkind = \"correlated\"\nbuffer = 10",
    "method = \"microaggregation\"\nk = 5",
    "method = \"microaggregation\"\nk = 5\nbuffer = 20",
    "method = \"rank-swapping\"",
    "method = \"rank-swapping\"\nwithin = 3\nbuffer = 20",
    "method = \"dp-microaggregation\"\nk = 5\nepsilon = 1\nbuffer = 20\nbounds = { age = [0, 120] }",
    "method = \"local-dp\"\ncolumns = { age = { mechanism = \"geometric\", epsilon = 1, bounds = [0, 120] }, sex = { mechanism = \"randomised-response\", epsilon = 1, categories = [\"f\", \"m\"] } }",
    "method = \"local-dp\"\nbuffer = 1\ncolumns = { age = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 120] } }",
    "method = \"pram\"\ncolumns = [\"sex\", \"diagnosis\"]",
    "method = \"pram\"\nbuffer = 1\nmatrices = [{ columns = [\"sex\"], categories = [\"f\", \"m\"], rows = [[0.9, 0.1], [0.1, 0.9]] }]",
];

fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().skip(1);
    lines.map(|line| line.split(',').collect()).collect()
}

#[test]
fn every_method_releases_all_rows_with_a_report() {
    for method in METHODS {
        let folder = folder(method, 200);
        folder.run().succeeds();
        let release = folder.text("out/release.csv");
        assert_eq!(
            release.lines().next(),
            Some("age,sex,zip,admission,diagnosis,cost"),
            "{method}"
        );
        assert_eq!(rows(&release).len(), 200, "{method}");
        let report = folder.report();
        assert_eq!(report["rows"]["released"], 200, "{method}");
        assert_eq!(report["verdict"]["passed"], true, "{method}");
    }
}

#[test]
fn microaggregated_records_are_k_anonymous_and_verify_agrees() {
    for method in METHODS
        .iter()
        .filter(|text| text.contains("\"microaggregation\""))
    {
        let folder = folder(method, 203);
        folder.run().succeeds();
        let release = folder.text("out/release.csv");
        let mut crowds: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
        for row in rows(&release) {
            *crowds.entry(row[..4].to_vec()).or_default() += 1;
        }
        assert!(crowds.values().all(|&count| count >= 5), "{method}");
        let verified = folder.moretta(&["verify", "out/release.csv", "--policy", "policy.toml"]);
        assert_eq!(verified.code, Some(0), "{}", verified.stderr);
        // One row less, and a crowd is too small.
        let shorter: Vec<&str> = release.lines().take(203).collect();
        let folder = folder.file("shorter.csv", shorter.join("\n"));
        let verified = folder.moretta(&["verify", "shorter.csv", "--policy", "policy.toml"]);
        assert_eq!(verified.code, Some(1), "{}", verified.stdout);
    }
}

#[test]
fn a_stream_passes_from_standard_input_to_standard_output() {
    for method in METHODS.iter().filter(|text| text.contains("buffer")) {
        let text = replaced(&policy(method), "\"admissions.csv\"", "\"-\"");
        let text = replaced(&text, "\"out/release.csv\"", "\"-\"");
        let text = replaced(&text, "\n[report]\npath = \"out/report.html\"\n", "");
        let folder = Folder::new().policy(&text);
        let mut child = folder
            .command(PROGRAM)
            .args(["run", "policy.toml"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("piped");
        input
            .write_all(Table::of(100).csv().as_ref())
            .expect("taken");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{method}");
        let released = String::from_utf8(output.stdout).expect("text");
        assert_eq!(rows(&released).len(), 100, "{method}");
        assert!(!released.contains(CANARY));
    }
}

#[test]
fn a_seed_repeats_noise_and_swaps_and_nothing_repeats_private_noise() {
    for method in METHODS {
        let release = |seeded: bool| {
            let mut text = policy(method);
            if seeded {
                text = replaced(&text, "version = 1\n", "version = 1\nseed = 7\n");
            }
            let folder = Folder::with_table(&Table::of(200)).policy(&text);
            folder.run().succeeds();
            folder.text("out/release.csv")
        };
        let private = method.contains("dp");
        let random = !method.contains("\"microaggregation\"");
        assert_eq!(release(true) == release(true), !private, "{method}");
        assert_eq!(release(false) == release(false), !random, "{method}");
    }
}

#[test]
fn a_private_report_tells_nothing_of_the_originals_unless_asked() {
    let method = format!("method = \"dp-microaggregation\"\nk = 5\nepsilon = 1\n{AGE}");
    let silent = folder(&method, 200);
    silent.run().succeeds();
    assert!(silent.report().get("pairs").is_none());
    let asked = folder(&method, 200).policy(&format!(
        "{}\n[measure]\nreport = [\"sse\"]\n",
        policy(&method)
    ));
    asked.run().succeeds().warns("not differentially private");
    assert!(asked.report().get("pairs").is_some());
}

#[test]
fn a_private_method_does_not_let_a_quasi_identifier_pass_as_it_is() {
    for method in METHODS.iter().filter(|text| text.contains("dp")) {
        let open = policy_with(GUARANTEE, &format!("[[protect]]\n{method}\n"));
        // Before rows are read: there are none.
        for command in ["check", "plan", "run"] {
            let folder = Folder::new().policy(&open);
            let refused = folder.moretta(&[command, "policy.toml"]);
            refused.fails(3, "is not masked, so it would be released as it is");
        }
        let dropped = policy(method).replace("\"plain\"", "\"drop\"");
        let folder = Folder::with_table(&Table::of(200)).policy(&dropped);
        folder.run().succeeds();
        let release = folder.text("out/release.csv");
        assert!(!release.contains("zip"), "{method}");
    }
}

/// 200 rows are ten windows of 20, and what `plan` says of the budget is what `run` does.
#[test]
fn check_and_plan_tell_what_a_private_method_spends() {
    for (budget, windows, enough) in [
        ("3", "6 windows, 120 rows", false),
        ("5", "10 windows, 200 rows", true),
    ] {
        let method = format!(
            "method = \"dp-microaggregation\"\nk = 5\nepsilon = 0.5\nbuffer = 20\nbudget = {budget}\n{AGE}"
        );
        let folder = folder(&method, 200);
        let checked = folder.moretta(&["check", "policy.toml"]);
        let planned = folder.moretta(&["plan", "policy.toml"]);
        for ran in [&checked, &planned] {
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            for told in [
                "ε = 0.5 for each record",
                "each window of 20 rows spends ε = 0.5",
                windows,
            ] {
                assert!(ran.stdout.contains(told), "{told}:\n{}", ran.stdout);
            }
        }
        assert!(
            planned
                .stdout
                .contains("200 rows are 10 windows: ε = 5 for a person"),
            "{}",
            planned.stdout
        );
        assert_eq!(
            planned.stdout.contains("a run is refused"),
            !enough,
            "{}",
            planned.stdout
        );
        assert_eq!(folder.run().code, Some(if enough { 0 } else { 7 }));
    }
    let folder = folder(METHODS[7], 50);
    let checked = folder.moretta(&["check", "policy.toml"]);
    assert!(
        checked.stdout.contains("ε = 1 of `age` and ε = 1 of `sex`"),
        "{}",
        checked.stdout
    );
}

/// Figures about k are those of the k that a mask promises, and missing where there is none.
#[test]
fn a_plan_of_a_mask_does_not_contradict_itself() {
    for method in METHODS {
        let folder = folder(method, 200);
        let planned = folder.moretta(&["plan", "policy.toml", "--json"]);
        assert_eq!(planned.code, Some(0), "{}", planned.stderr);
        let plan: serde_json::Value = serde_json::from_str(&planned.stdout).expect("JSON");
        let below = plan["below_k"].as_f64();
        let promises_k = method.contains("\"microaggregation\"");
        assert_eq!(below.is_some(), promises_k, "{method}: {plan}");
        if let Some(below) = below {
            let uniques = plan["uniques"].as_f64().expect("a share");
            assert!(uniques > 0.0 && below >= uniques, "{method}: {plan}");
        }
        let warnings = plan["warnings"].to_string();
        assert_eq!(
            warnings.contains("only k is promised"),
            promises_k,
            "{warnings}"
        );
        for foreign in ["bounds of intervals", "missing cells count"] {
            assert!(!warnings.contains(foreign), "{warnings}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_left() {
    let spent = format!(
        "method = \"dp-microaggregation\"\nk = 5\nepsilon = 1\nbuffer = 20\nbudget = 3\n{AGE}"
    );
    let private = format!("method = \"dp-microaggregation\"\nk = 5\nepsilon = 1\n{AGE}");
    let cases: &[(&str, &str, i32, &str)] = &[
        (&spent, "", 7, "budget"),
        (
            "method = \"noise\"",
            "[guarantee]\nk = 5\n",
            3,
            "noise cannot promise k",
        ),
        (
            "method = \"microaggregation\"\nk = 3",
            "[guarantee]\nk = 5\n",
            3,
            "k = 5 is promised",
        ),
        (
            "method = \"microaggregation\"\nk = 5\nbuffer = 9",
            "",
            3,
            "buffer",
        ),
        ("method = \"microaggregation\"", "", 3, "k"),
        ("method = \"noise\"\namount = -1", "", 3, "amount"),
        ("method = \"noise\"\ncolumns = [\"agee\"]", "", 3, "agee"),
        ("method = \"noise\"\ncolumns = [\"name\"]", "", 3, "name"),
        ("method = \"rank-swapping\"\nwithin = 0.1", "", 3, "within"),
        (
            "method = \"noise\"",
            "[measure]\nfail_above = { record_linkage = 0 }\n",
            6,
            "record_linkage is",
        ),
        (
            "method = \"noise\"",
            "[measure]\nbuffer = 100\n",
            3,
            "is for streams",
        ),
        (
            "method = \"noise\"",
            "[measure]\nreport = [\"gcp\"]\n",
            3,
            "gcp",
        ),
        (
            "method = \"local-dp\"\ncolumns = { sex = { mechanism = \"k-ary\", epsilon = 1, categories = [\"f\", \"x\"] } }",
            "",
            4,
            "no declared category",
        ),
        (
            "method = \"local-dp\"\ncolumns = { sex = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 1] } }",
            "",
            3,
            "holds no numbers",
        ),
        (
            "method = \"random-projection\"\ncolumns = [\"age\"]\nnoise = \"cumulative\"\nreset = \"drift\"",
            "",
            3,
            "order = \"input\"",
        ),
        (
            "method = \"dp-microaggregation\"\nk = 5\nepsilon = 1",
            "",
            3,
            "bounds",
        ),
        (
            "method = \"noise\"",
            "[checkpoint]\npath = \"a.json\"\n",
            3,
            "streams",
        ),
        (
            "method = \"noise\"\ncolumns = [\"age\", \"age\"]",
            "",
            3,
            "named twice",
        ),
        ("method = \"noise\"\ncolumns = []", "", 3, "names no column"),
        (
            "method = \"microaggregation\"\nk = 5\ncolumns = [\"age\"]",
            "",
            3,
            "is not masked",
        ),
        (
            "method = \"noise\"",
            "[measure]\nfail_above = { record_linkage = 5 }\n",
            3,
            "share from 0 to 1",
        ),
        (
            &private,
            "[measure]\nfail_above = { sse = 5 }\n",
            3,
            "beyond its budget",
        ),
    ];
    let persons = replaced(
        &policy("method = \"microaggregation\"\nk = 5\nbuffer = 20"),
        "patient   = { role = \"identifier\" }",
        "patient   = { role = \"subject\" }",
    );
    Folder::with_table(&Table::of(50))
        .policy(&persons)
        .run()
        .fails(3, "count rows");
    let mixed = Table::of(50).with(7, "age", "n/a");
    let odd = Folder::with_table(&mixed).policy(&policy("method = \"noise\""));
    odd.run().fails(4, "most values are numbers");
    let strict = folder("method = \"microaggregation\"\nk = 5", 50);
    strict
        .moretta(&["run", "policy.toml", "--strict"])
        .fails(3, "only k is promised");
    for (method, more, code, message) in cases {
        let folder = Folder::with_table(&Table::of(200));
        let folder = folder.policy(&format!("{}\n{more}", policy(method)));
        let ran = folder.run();
        assert_eq!(ran.code, Some(*code), "{method}: {}", ran.stderr);
        ran.fails(*code, message);
    }
}

#[test]
fn what_is_dropped_does_not_show_in_the_order_of_the_rows() {
    for method in METHODS
        .iter()
        .filter(|text| !text.contains("buffer") && !text.contains("dp"))
    {
        let release = |patient: &str| {
            let table = Table::of(200).with_each("patient", |i| format!("{patient}{i}"));
            let text = replaced(
                &policy(method),
                "patient   = { role = \"identifier\" }",
                "patient   = { role = \"key\" }",
            );
            let text = replaced(&text, "version = 1\n", "version = 1\n\"seed\" = 7\n");
            let folder = Folder::with_table(&table).policy(&text);
            folder.run().succeeds();
            let report = folder.report();
            assert!(
                !report["policy"]
                    .as_str()
                    .expect("text")
                    .contains("seed = 7")
            );
            folder.text("out/release.csv")
        };
        assert_eq!(release("a"), release("b"), "{method}");
    }
}

#[test]
fn no_warning_tells_how_much_of_a_private_column_stayed() {
    // Of such noise nearly every value stays as it was.
    let weak = "method = \"local-dp\"\ncolumns = { age = { mechanism = \"geometric\", epsilon = 1000, bounds = [0, 120] } }";
    let folder = folder(weak, 200);
    folder.run().succeeds();
    let text = folder.report()["warnings"].to_string();
    assert!(!text.contains("left as they were"), "{text}");
    // Of noise without a promise it is told.
    let none = self::folder("method = \"noise\"\namount = 0", 200);
    none.run().succeeds().warns("left as they were");
}

#[test]
fn no_report_has_an_open_sum_of_the_originals() {
    for method in METHODS {
        let folder = folder(method, 200);
        folder.run().succeeds();
        let source = &folder.report()["source"];
        assert_eq!(
            (&source["sha256"], &source["bytes"]),
            (&serde_json::Value::Null, &serde_json::Value::Null)
        );
    }
}

#[test]
fn a_stream_that_breaks_off_leaves_whole_groups() {
    let text = "version = 1\n[source]\npath = \"-\"\n[columns]\nx = { role = \"quasi\", type = \"number\" }\n\
                [[protect]]\nmethod = \"microaggregation\"\nk = 3\nbuffer = 20\n[sink]\npath = \"-\"\n";
    let folder = Folder::new().policy(text);
    let mut child = folder
        .command(PROGRAM)
        .args(["run", "policy.toml"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    let rows: String = (0..60).map(|row| format!("{}\n", row * 37 % 101)).collect();
    input
        .write_all(format!("x\n{rows}").as_bytes())
        .expect("taken");
    input.flush().expect("sent");
    std::thread::sleep(std::time::Duration::from_millis(400));
    input.write_all(b"bad\n").expect("taken");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(4));
    let released = String::from_utf8(output.stdout).expect("text");
    let mut crowds: BTreeMap<&str, usize> = BTreeMap::new();
    for value in released.lines().skip(1) {
        *crowds.entry(value).or_default() += 1;
    }
    assert!(crowds.values().all(|&count| count >= 3), "{crowds:?}");
}

#[test]
fn masked_categories_are_measured_limited_and_left_out_of_private_reports() {
    const OF_CATEGORIES: [&str; 7] = [
        "dbil",
        "ctbil",
        "ebil",
        "il",
        "dr",
        "score_mean",
        "score_max",
    ];
    let method = "method = \"microaggregation\"\nk = 5";
    let folder = folder(method, 200);
    folder.run().succeeds();
    let report = folder.report();
    let measures = report["pairs"]["measures"].as_array().expect("measures");
    let value = |name: &str| {
        let mut measures = measures.iter();
        let found = measures.find(|measure| measure["name"] == name);
        found.expect("measured")["value"]
            .as_f64()
            .expect("a number")
    };
    for name in OF_CATEGORIES {
        assert!(
            (0.0..=1.0).contains(&value(name)),
            "{name}: {}",
            value(name)
        );
    }
    let (il, dr) = (value("il"), value("dr"));
    // A report tells tenths of a percent.
    let near = |a: f64, b: f64| (a - b).abs() < 0.001_1;
    assert!(near(value("score_mean"), (il + dr) / 2.0));
    assert!(near(value("score_max"), il.max(dr)));
    let losses = value("dbil") + value("ctbil") + value("ebil");
    assert!(near(il, losses / 3.0));

    let with = |measure: &str| {
        let text = format!("{}\n[measure]\n{measure}\n", policy(method));
        self::folder(method, 200).policy(&text)
    };
    with("fail_above = { dr = 0.0 }").run().fails(6, "dr");
    with("linkage = \"supervised\"\ntable_order = 3\nclusters = 4")
        .run()
        .succeeds();
    with("linkage = \"magic\"").run().fails(3, "em_fixed_pi");
    with("table_order = 4").run().fails(3, "table_order");

    let private = "method = \"local-dp\"\ncolumns = { sex = { mechanism = \"randomised-response\", epsilon = 1, categories = [\"f\", \"m\"] } }";
    let silent = self::folder(private, 200);
    silent.run().succeeds();
    assert!(silent.report().get("pairs").is_none());
    let warnings = silent.report()["warnings"].to_string();
    assert!(!warnings.contains("probabilistic linkage"), "{warnings}");
}

#[test]
fn a_table_is_searched_as_a_whole_for_each_record() {
    let folder = folder("method = \"microaggregation\"\nk = 5", 200);
    folder.run().succeeds();
    let report = folder.report();
    assert_eq!(report["pairs"]["table"], true);
    let linked = &report["pairs"]["measures"][0];
    assert_eq!(linked["name"], "record_linkage");
    // Each record is one of five at the least, wherever it lies.
    assert!(
        linked["value"].as_f64().expect("a share") <= 0.2,
        "{linked}"
    );
}

#[test]
fn short_streams_are_released_whole() {
    for (method, rows_in) in [
        ("method = \"microaggregation\"\nk = 5\nbuffer = 10", 5),
        ("method = \"noise\"\nbuffer = 50", 3),
    ] {
        let folder = folder(method, rows_in);
        folder.run().succeeds();
        let text = folder.text("out/release.csv");
        assert_eq!(rows(&text).len(), rows_in, "{method}");
    }
}

#[test]
fn a_table_too_short_for_a_group_is_refused_as_by_other_methods() {
    let policy = |method: &str| {
        format!(
            "version = 1\n[source]\npath = \"admissions.csv\"\n[columns]\na = {{ role = \"quasi\" }}\nb = {{ role = \"quasi\" }}\n{method}[sink]\npath = \"out/release.csv\"\n"
        )
    };
    let told: Vec<String> = [
        "[[protect]]\nmethod = \"microaggregation\"\nk = 3\n",
        "[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\n",
    ]
    .map(|method| {
        let folder = Folder::new()
            .data("a,b\n1,2\n3,4\n")
            .policy(&policy(method));
        let ran = folder.run();
        ran.fails(1, "2 rows; k=3 needs at least 3 persons");
        ran.stderr.clone()
    })
    .to_vec();
    assert_eq!(told[0], told[1]);
}
