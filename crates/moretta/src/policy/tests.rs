//! Each key, each error with its place, secrets, and policies that were mutilated.

use super::*;
use crate::data::Role;
use crate::error::PolicyError;
use proptest::prelude::*;

const POLICY: &str = r#"version = 1
name = "ward"
seed = 42

[source]
path = "in.csv"
delimiter = ";"

[columns]
name = { role = "identifier" }
patient = { role = "subject", action = "pseudonym", key = "env:KEY" }
age = { role = "quasi", hierarchy = { intervals = [5, 10] } }
zip = { role = "quasi", hierarchy = { mask = "right" } }
grade = { role = "quasi", order = ["low", "high"] }
born = { role = "quasi", type = "date", format = "%d.%m.%Y", hierarchy = { dates = ["year"] } }
diagnosis = { role = "sensitive" }

[guarantee]
k = 5
l = { value = 2, on = ["diagnosis"] }

[[protect]]
method = "mondrian"
mode = "strict"

[measure]
report = ["gcp"]
fail_above = { gcp = 0.35 }

[sink]
path = "out.csv"

[report]
path = "report.html"
"#;

fn parse(text: &str) -> Result<Policy> {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Root::of_policy(&folder.path().join("p.toml"), None).expect("it is there");
    Policy::parse(text, &root)
}

/// The error of the policy with one text replaced, and the text that it points at.
fn fails(from: &str, to: &str) -> (PolicyError, String) {
    let text = POLICY.replacen(from, to, 1);
    assert_ne!(text, POLICY, "{from} is there");
    match parse(&text) {
        Err(Error::Policy(error)) => {
            let place = error.span.clone().expect("a place");
            (error, text[place].to_owned())
        }
        Err(error) => panic!("{to}: not an error of the policy: {error}"),
        Ok(_) => panic!("{to}: accepted"),
    }
}

/// A line a case: what is replaced → by what → the error → the text that it points at.
fn check(cases: &str) {
    for case in cases.lines().map(str::trim).filter(|case| !case.is_empty()) {
        let case = case.replace("\\n", "\n");
        let parts: Vec<&str> = case.split('→').map(|part| part.trim_matches(' ')).collect();
        let [from, to, what, place] = parts[..] else {
            panic!("four parts: {case}");
        };
        let (error, found) = fails(from, to);
        assert_eq!((error.what.as_str(), found.as_str()), (what, place), "{to}");
        assert!(!error.what.ends_with('.'), "{to}");
    }
}

#[test]
fn every_key_is_read() {
    let policy = parse(POLICY).expect("valid");
    assert_eq!((policy.name.as_str(), policy.plan.seed), ("ward", Some(42)));
    assert_eq!(policy.source.options.delimiter, Some(b';'));
    assert_eq!(policy.plan.guarantee.k, Some(5));
    assert_eq!(policy.plan.guarantee.l[0].column, "diagnosis");
    assert_eq!(policy.plan.protect[0].name(), "mondrian");
    assert_eq!(policy.plan.fail_above, [("gcp".to_owned(), 0.35)]);
    assert_eq!(policy.plan.report_measures, ["gcp"]);
    let sink = policy.sink.as_ref().expect("a sink");
    assert_eq!(
        (sink.shown.as_str(), sink.order),
        ("out.csv", Order::Shuffled)
    );
    assert_eq!(sink.options.delimiter, Some(b';'), "that of the source");
    let names: Vec<&str> = policy
        .plan
        .columns
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    let order = [
        "name",
        "patient",
        "age",
        "zip",
        "grade",
        "born",
        "diagnosis",
    ];
    assert_eq!(names, order, "in the order of the file");
    assert_eq!(
        policy.plan.column("name").map(|c| &c.action),
        Some(&Action::Drop)
    );
}

#[test]
fn what_may_be_left_out_has_a_default() {
    for part in [
        "name = \"ward\"\n",
        "seed = 42\n",
        "delimiter = \";\"\n",
        "l = { value = 2, on = [\"diagnosis\"] }\n",
        "[guarantee]\nk = 5\nl = { value = 2, on = [\"diagnosis\"] }\n",
        "mode = \"strict\"\n",
        "[measure]\nreport = [\"gcp\"]\nfail_above = { gcp = 0.35 }\n",
        "[sink]\npath = \"out.csv\"\n",
        "[report]\npath = \"report.html\"\n",
    ] {
        assert!(POLICY.contains(part));
        parse(&POLICY.replacen(part, "", 1)).expect(part);
    }
}

#[test]
fn errors_at_the_top_point_at_their_place() {
    check(
        r#"
        version = 1 → version = 2 → this program reads policies of version 1 → 2
        version = 1\n →  → the policy has no version → n
        seed = 42 → seed = -1 → `seed` must be a whole number from 0 to 9223372036854775807 → -1
        seed = 42 → seed = "x" → `seed` is a text, not a whole number → "x"
        seed = 42 → sede = 42 → unknown key `sede` in the policy → sede
        seed = 42 → seed = 99999999999999999999 → `seed` is too large a number → 99999999999999999999
        "ward" → 7 → `name` is a whole number, not a text → 7
        "ward" → 2024-01-01 → `name` is a date; write it as a text → 2024-01-01
        [source] → [sauce] → the policy has no [source] → v
        [columns] → [collumns] → the policy has no [columns] → v
        [[protect]] → [protect] → `protect` is a table, not a list → [protect]
        [measure] → [measures] → unknown key `measures` in the policy → measures
        "#,
    );
}

#[test]
fn errors_in_the_source_point_at_their_place() {
    check(
        r#"
        path = "in.csv" →  → [source] needs `path` → [source]
        "in.csv" → 3 → `path` is a whole number, not a text → 3
        "in.csv" → "" → a path cannot be empty or hold a NUL → ""
        "in.csv" → "../in.csv" → the path is outside the policy's folder → "../in.csv"
        "in.csv" → "/etc/passwd" → the path is outside the policy's folder → "/etc/passwd"
        "in.csv" → "http://host/a" → a path is a file, not an address: no host is allowed → "http://host/a"
        ";" → ";;" → `delimiter` is one ASCII character → ";;"
        ";" → "\u000A" → `delimiter` is one ASCII character → "\u000A"
        delimiter = ";" → delimter = ";" → unknown key `delimter` in [source] → delimter
        delimiter = ";" → format = "cvs" → `format` cannot be `cvs` → "cvs"
        delimiter = ";" → compression = "zip" → `compression` cannot be `zip` → "zip"
        delimiter = ";" → encoding = "utf-16" → `encoding` cannot be `utf-16` → "utf-16"
        delimiter = ";" → missing = [1] → `missing` is a whole number, not a text → 1
        delimiter = ";" → limits = { columns = 0 } → `columns` must be a whole number from 1 to 9223372036854775807 → 0
        delimiter = ";" → limits = { rows = 1 } → unknown key `rows` in [limits] → rows
        "#,
    );
}

#[test]
fn errors_of_columns_point_at_their_place() {
    check(
        r#"
        { role = "identifier" } → { role = "identifer" } → `role` cannot be `identifer` → "identifer"
        { role = "identifier" } → { } → column `name` has no role → name
        { role = "identifier" } → { role = "subject" } → `patient` is a second subject column → patient
        { role = "identifier" } → { role = "plain", hierarchy = { mask = "right" } } → column `name` has a hierarchy but is plain → name
        { role = "identifier" } → { role = "quasi", rule = 1 } → unknown key `rule` in [name] → rule
        { role = "identifier" } → { role = "quasi", type = "string" } → `type` cannot be `string` → "string"
        { role = "identifier" } → { role = "quasi", type = "number", format = "%Y" } → `format` is for dates → "%Y"
        { role = "identifier" } → { role = "quasi", order = ["a", "b", "a"] } → `order` names this value twice → "a"
        { role = "identifier" } → { role = "quasi", order = [1] } → `order` is a whole number, not a text → 1
        { role = "identifier" } → { role = "identifier", key = "env:K" } → `key`, `domain` and `rotate` go with action = "pseudonym" → "env:K"
        { role = "identifier" } → { role = "identifier", domain = "d" } → `key`, `domain` and `rotate` go with action = "pseudonym" → "d"
        { role = "identifier" } → "identifier" → `columns.name` is a text, not a table → "identifier"
        { role = "identifier" } → { role = "identifier", action = "keep" } → `name` is an identifier and cannot be kept → { role = "identifier", action = "keep" }
        { role = "identifier" } → { role = "identifier", action = "pseudonym" } → the pseudonym of `name` needs a key → { role = "identifier", action = "pseudonym" }
        { role = "identifier" } → { role = "plain", action = "pseudonym", key = "env:K" } → `name` is plain and cannot be a pseudonym → { role = "plain", action = "pseudonym", key = "env:K" }
        { role = "identifier" } → { role = "plain", action = "drop" } → `name` is plain, and `action` says to drop it → { role = "plain", action = "drop" }
        { role = "identifier" } → { role = "plain", weight = 2 } → `weight` is for a column with the role quasi → { role = "plain", weight = 2 }
        { role = "identifier" } → { role = "quasi", weight = 0 } → `weight` must lie between 0.001 and 1000 → 0
        { role = "identifier" } → { role = "drop", action = "keep" } → a column with the role drop is not released → { role = "drop", action = "keep" }
        { role = "identifier" } → { role = "quasi", type = "text" } → `name` is quasi and cannot pass through as text → { role = "quasi", type = "text" }
        { role = "identifier" } → { role = "quasi", type = "number", order = ["a"] } → `order` is for categories → { role = "quasi", type = "number", order = ["a"] }
        { role = "identifier" } → { role = "quasi", order = [] } → `order` names no value → []
        env:KEY → env: → `env:` is not followed by the name of a variable → "env:"
        env:KEY → file:../key → the path is outside the policy's folder → "file:../key"
        %d.%m.%Y → %d.%m → `format` is not a date pattern → "%d.%m"
        "#,
    );
}

#[test]
fn errors_of_hierarchies_point_at_their_place() {
    check(
        r#"
        [5, 10] → [5, "a"] → `intervals` is a text, not a number → "a"
        [5, 10] → [5, nan] → `intervals` is not a finite number → nan
        intervals = [5, 10] → file = "../h.csv" → the path is outside the policy's folder → "../h.csv"
        intervals = [5, 10] → interval = [5] → unknown key `interval` in [hierarchy] → interval
        { intervals = [5, 10] } → { intervals = [5], mask = "left" } → a hierarchy is one of file, intervals, mask, dates, path, grid, h3 → { intervals = [5], mask = "left" }
        { intervals = [5, 10] } → { } → a hierarchy is one of file, intervals, mask, dates, path, grid, h3 → { }
        mask = "right" → mask = "middle" → `mask` cannot be `middle` → "middle"
        "year" → "week" → `dates` cannot be `week` → "week"
        { role = "identifier" } → { role = "plain", from = ["a", "b"] } → `from` goes with a grid or h3 hierarchy → { role = "plain", from = ["a", "b"] }
        { role = "identifier" } → { role = "quasi", hierarchy = { grid = ["1km"] } } → the grid of `name` needs latitude and longitude → { role = "quasi", hierarchy = { grid = ["1km"] } }
        { role = "identifier" } → { role = "quasi", hierarchy = { h3 = [7] }, from = ["a"] } → `from` needs 2 values → ["a"]
        { role = "identifier" } → { role = "quasi", hierarchy = { grid = ["1 mile"] }, from = ["a", "b"] } → `grid` is a length in m or km → "1 mile"
        { role = "identifier" } → { role = "quasi", hierarchy = { grid = [-1] }, from = ["a", "b"] } → `grid` must be above 0 → -1
        { role = "identifier" } → { role = "quasi", hierarchy = { h3 = [16] }, from = ["a", "b"] } → `h3` must be a whole number from 0 to 15 → 16
        "#,
    );
}

#[test]
fn errors_of_the_guarantee_point_at_their_place() {
    check(
        r#"
        k = 5 → k = 1 → `k` must be a whole number from 2 to 1000000000 → 1
        k = 5 → k = 2.5 → `k` must be a whole number → 2.5
        k = 5 → kk = 5 → unknown key `kk` in [guarantee] → kk
        role = "sensitive" → role = "plain" → `l` is about `diagnosis`, which is not a sensitive column → { value = 2, on = ["diagnosis"] }
        { value = 2, on = ["diagnosis"] } → { on = ["diagnosis"] } → [l] needs `value` → { on = ["diagnosis"] }
        { value = 2, on = ["diagnosis"] } → { value = 0.5 } → `value` must lie between 1 and 1000000 → 0.5
        { value = 2, on = ["diagnosis"] } → 0.5 → `l` must lie between 1 and 1000000 → 0.5
        { value = 2, on = ["diagnosis"] } → { value = 2.5 } → only entropy l-diversity takes an l with a fraction → { value = 2.5 }
        { value = 2, on = ["diagnosis"] } → { value = 2, on = ["age"] } → `l` is about `age`, which is not a sensitive column → { value = 2, on = ["age"] }
        { value = 2, on = ["diagnosis"] } → { value = 2, on = [] } → `l` is about sensitive columns, and there is none → { value = 2, on = [] }
        { value = 2, on = ["diagnosis"] } → { value = 2, kind = "recursive" } → recursive l-diversity needs a `c` above 0 → { value = 2, kind = "recursive" }
        { value = 2, on = ["diagnosis"] } → { value = 2, kind = "recursive", c = 0 } → `c` must be above 0, at most 1000000000 → 0
        { value = 2, on = ["diagnosis"] } → { value = 2, c = 2 } → `c` goes with kind = "recursive" → { value = 2, c = 2 }
        { value = 2, on = ["diagnosis"] } → "two" → `l` is a number or a table → "two"
        { value = 2, on = ["diagnosis"] } → { value = 2, kind = "entrpy" } → `kind` cannot be `entrpy` → "entrpy"
        l = { value = 2, → t = { value = 1.5, → `value` must lie between 0 and 1 → 1.5
        l = { value = 2, → t = { value = 0.2, distance = "far", → `distance` cannot be `far` → "far"
        l = { value = 2, → t = { value = 0.2, distance = "hierarchical", → hierarchical t-closeness needs a hierarchy of `diagnosis` → diagnosis
        l = { value = 2, → p = { value = 0, → `value` must be a whole number from 1 to 1000000000 → 0
        l = { value = 2, → p = { value = 2, kind = "all", → `kind` cannot be `all` → "all"
        l = { value = 2, → beta = { value = 0, → `value` must be above 0, at most 1000000000 → 0
        l = { value = 2, → beta = { value = 1, kind = "strict", → `kind` cannot be `strict` → "strict"
        l = { value = 2, → delta = { value = 1, absent = 0, → `absent` is a whole number, not a text → 0
        k = 5 → maximum_risk = 2 → `maximum_risk` must lie between 0.000000001 and 1 → 2
        k = 5 → average_risk = "low" → `average_risk` is a text, not a number → "low"
        k = 5 → k_map = { k = 5 } → `k_map` does not say what the population is → { k = 5 }
        k = 5 → k_map = { k = 5, fraction = 0.1, population = "p.csv" } → `k_map` counts in a population or estimates from a fraction, not both → { k = 5, fraction = 0.1, population = "p.csv" }
        k = 5 → k_map = { k = 5, alpha = 0.1, population = "p.csv" } → `k_map` counts in a population or estimates from a fraction, not both → { k = 5, alpha = 0.1, population = "p.csv" }
        k = 5 → k_map = { k = 5, population = "../p.csv" } → the path is outside the policy's folder → "../p.csv"
        k = 5 → presence = { max = 0.2 } → [presence] needs `population` → { max = 0.2 }
        k = 5 → presence = { min = 0.3, max = 0.2, population = "p.csv" } → `min` of presence is above its `max` → { min = 0.3, max = 0.2, population = "p.csv" }
        k = 5 → presence = { max = 0.2, population = "-" } → a population is a file, not standard input → "-"
        l = { value = 2, → l = { value = 2, valeu = 3, → unknown key `valeu` in [l] → valeu
        "#,
    );
}

#[test]
fn errors_of_methods_measures_and_outputs_point_at_their_place() {
    check(
        r#"
        "mondrian" → "mondrain" → there is no method `mondrain` → "mondrain"
        method = "mondrian"\n →  → [protect] needs `method` → [[protect]]
        mode = "strict" → mode = "loose" → `mode` cannot be `loose` → "loose"
        mode = "strict" → output = "max" → `output` cannot be `max` → "max"
        mode = "strict" → output = { age = "max" } → `output.age` cannot be `max` → "max"
        mode = "strict" → output = "label" → column `grade` cannot be shown as its label → grade
        mode = "strict" → output = { grade = "label" } → column `grade` cannot be shown as its label → grade
        mode = "strict" → output = { diagnosis = "mode" } → `output` names `diagnosis`, which is no quasi-identifier → diagnosis
        method = "mondrian"\nmode = "strict" → method = "generalization"\nlevels = { age = 1, grade = 1 } → column `grade` has a level but no hierarchy → grade
        mode = "strict" → suppress = 2 → `suppress` must lie between 0 and 1 → 2
        mode = "strict" → speed = 9 → unknown key `speed` in [protect] → speed
        mode = "strict" → [[protect]]\nmethod = "mondrian" → a second method would generalise what the first one releases → [[protect]]
        ["gcp"] → ["gpc"] → there is no measure `gpc` → "gpc"
        { gcp = 0.35 } → { gpc = 0.35 } → there is no measure `gpc` → gpc
        { gcp = 0.35 } → { gcp = "low" } → `fail_above.gcp` is a text, not a number → "low"
        "out.csv" → "../out.csv" → the path is outside the policy's folder → "../out.csv"
        "out.csv" → "out.xlsx" → the ending of out.xlsx tells no format → "out.xlsx"
        "out.csv" → "out.csv"\norder = "random" → `order` cannot be `random` → "random"
        "out.csv" → "out.csv"\nguard_formulas = 1 → `guard_formulas` is a whole number, not true or false → 1
        "report.html" → "../report.html" → the path is outside the policy's folder → "../report.html"
        path = "report.html" → pfad = "report.html" → [report] needs `path` → [report]
        "#,
    );
}

#[test]
fn a_dropped_column_is_neither_read_nor_released() {
    let text = POLICY.replacen("{ role = \"identifier\" }", "{ role = \"drop\" }", 1);
    let policy = parse(&text).expect("valid");
    let column = policy.plan.column("name").expect("it is there");
    assert_eq!((column.role, &column.action), (Role::Drop, &Action::Drop));
    assert_eq!(column.plan().read, crate::io::ReadAs::Skip);
}

#[test]
fn a_secret_is_refused_and_never_told() {
    for (from, to) in [
        ("\"env:KEY\"", "\"hunter2\""),
        ("seed = 42", "password = \"hunter2\""),
        ("seed = 42", "token = [\"hunter2\"]"),
        ("seed = 42", "salt = 3402"),
        ("delimiter = \";\"", "secret = \"hunter2\""),
        ("mode = \"strict\"", "passphrase = \"hunter2\""),
        ("\"in.csv\"", "\"https://me:hunter2@host/in.csv\""),
    ] {
        let (error, _) = fails(from, to);
        let told = format!("{} {:?}", error.what, error.help);
        assert!(error.secret, "{to}");
        assert!(
            !told.contains("hunter2") && !told.contains("3402"),
            "{told}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_mutilated_policy_is_read_or_refused_with_a_place_inside_it(
        cuts in proptest::collection::vec((0usize..2000, 0usize..40, "[ -~\\n]{0,6}"), 1..4),
    ) {
        let mut text = POLICY.to_owned();
        for (start, len, insert) in cuts {
            let start = start.min(text.len());
            let end = (start + len).min(text.len());
            text.replace_range(start..end, &insert);
        }
        if let Err(error) = parse(&text) {
            prop_assert_eq!(error.exit_code(), 3, "{}", error);
            if let Error::Policy(PolicyError { span: Some(span), .. }) = error {
                prop_assert!(text.get(span.clone()).is_some(), "{:?}", span);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        prop_assert_eq!(parse(&text).expect_err("no policy").exit_code(), 3);
    }
}

#[test]
fn drift_is_watched_only_where_rows_stay_in_their_order() {
    let policy = |reset: &str, more: &str, sink: &str| {
        parse(&format!(
            "version = 1\nsource = {{ path = \"in.csv\" }}\ncolumns = {{ x = {{ role = \"quasi\" }} }}\n\
             [[protect]]\nmethod = \"random-projection\"\nnoise = \"cumulative\"\nreset = {reset}\n{more}\n{sink}"
        ))
    };
    let shuffled = "[sink]\npath = \"out.csv\"";
    let ordered = "[sink]\npath = \"out.csv\"\norder = \"input\"";
    let error = policy("\"drift\"", "", shuffled).expect_err("shuffled");
    assert_eq!(error.exit_code(), 3);
    let help = error.help_text().expect("a way out");
    assert!(help.contains("order = \"input\"") && help.contains("buffer"));
    for (reset, more, sink) in [
        ("\"drift\"", "", ordered),
        ("\"drift\"", "buffer = 20", shuffled),
        ("\"drift\"", "", ""),
        ("50", "", shuffled),
    ] {
        policy(reset, more, sink).expect("it keeps its order");
    }
}

#[test]
fn a_pseudonym_rotates_only_where_nothing_beside_it_stays() {
    let policy = |account: &str, group: &str| {
        parse(&format!(
            "version = 1\nsource = {{ path = \"in.csv\" }}\n[columns]\nt = {{ role = \"time\" }}\n\
             user = {{ role = \"subject\", action = \"pseudonym\", key = \"env:KEY\", rotate = \"1d\" }}\n\
             page = {{ role = \"quasi\" }}\naccount = {{ {account} }}\n\
             [[protect]]\nmethod = \"z-anonymity\"\nz = 5\nwindow = \"1h\"\n{group}"
        ))
    };
    let group = "group = { column = \"account\" }";
    for (account, more, refused) in [
        ("role = \"identifier\"", "", false),
        ("role = \"key\"", group, false),
        ("role = \"plain\"", "", false),
        ("role = \"key\", action = \"drop\"", group, false),
        ("role = \"quasi\"", group, false),
        ("role = \"plain\"", group, true),
        ("role = \"key\", action = \"keep\"", "", true),
        (
            "role = \"key\", action = \"pseudonym\", key = \"env:KEY\"",
            group,
            true,
        ),
        (
            "role = \"identifier\", action = \"pseudonym\", key = \"env:KEY\"",
            "",
            true,
        ),
    ] {
        match policy(account, more) {
            Ok(_) => assert!(!refused, "{account} {more}"),
            Err(error) => {
                assert!(refused, "{account} {more}: {error}");
                assert_eq!(error.exit_code(), 3);
                let told = error.to_string();
                assert!(told.contains("`user` rotates and `account`"), "{told}");
            }
        }
    }
}

#[test]
fn a_range_is_two_numbers_or_two_dates() {
    for (column, range, expected) in [
        ("age = { role = \"quasi\"", "[0, 120]", (0.0, 120.0)),
        ("age = { role = \"quasi\"", "[-0.5, 1]", (-0.5, 1.0)),
        (
            "born = { role = \"quasi\"",
            "[\"02.01.1970\", \"11.01.1970\"]",
            (1.0, 10.0),
        ),
    ] {
        let text = POLICY.replacen(column, &format!("{column}, range = {range}"), 1);
        let policy = parse(&text).expect("valid");
        let mut ranges = policy.plan.columns.iter().filter_map(|column| column.range);
        assert_eq!(ranges.next(), Some(expected));
    }
    let what = "`range` is the least and the largest value";
    for range in ["[5]", "[5, 5]", "[9, 1]", "5", "[\"a\", \"b\"]", "[1, inf]"] {
        let (error, place) = fails("age = { role", &format!("age = {{ range = {range}, role"));
        assert_eq!((error.what.as_str(), place.as_str()), (what, range));
    }
    let what = "`range` is for quasi-identifiers that are numbers or dates";
    for column in ["grade", "diagnosis"] {
        let from = format!("{column} = {{ role");
        let (error, _) = fails(&from, &format!("{column} = {{ range = [1, 2], role"));
        assert_eq!(error.what, what);
    }
}

#[test]
fn a_report_may_have_a_key_and_never_a_secret() {
    let with = |key: &str| POLICY.replace("report.html\"", &format!("report.html\"\nkey = {key}"));
    let policy = parse(&with("\"env:KEY\"")).expect("valid");
    assert_eq!(
        policy.report_key,
        Some(KeyPlace::Environment("KEY".to_owned()))
    );
    let policy = parse(&with("\"file:secret.txt\"")).expect("valid");
    assert!(
        policy
            .inputs()
            .iter()
            .any(|path| path.ends_with("secret.txt"))
    );
    assert_eq!(parse(POLICY).expect("valid").report_key, None);
    let Err(Error::Policy(error)) = parse(&with("\"hunter2\"")) else {
        panic!("a secret was read");
    };
    assert!(error.secret);
}

#[test]
fn streams_of_records_have_checkpoints_lateness_rotation_audit_and_certificates_and_tables_do_not()
{
    const NOISE: &str = "method = \"noise\"\ncolumns = [\"x\"]\nbuffer = 9";
    const LOCAL: &str = "method = \"local-dp\"\nbuffer = 1\ncolumns.x = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 9] }";
    const CHECKPOINT: &str = "[checkpoint]\npath = \"c.json\"\n";
    const ROTATES: &str = ", action = \"pseudonym\", key = \"env:KEY\", rotate = \"1d\"";
    let table = NOISE.replace("\nbuffer = 9", "");
    let both = format!("{LOCAL}\n[[protect]]\n{NOISE}");
    let z = "method = \"z-anonymity\"\nz = 5\nwindow = \"1h\"";
    for (time, subject, method, more, refused) in [
        ("", "", NOISE, CHECKPOINT, None),
        ("", ROTATES, NOISE, "[guarantee]\naudit = false\n", None),
        (", lateness = \"5s\"", "", NOISE, CHECKPOINT, None),
        ("", "", LOCAL, CHECKPOINT, None),
        ("", "", &both, "", None),
        (
            "",
            "",
            NOISE,
            "[sink]\npath = \"out.csv\"\ncertificate = \"why.csv\"\n",
            None,
        ),
        (
            "",
            "",
            &table,
            "[sink]\npath = \"out.csv\"\ncertificate = \"why.csv\"\n",
            Some("`certificate` under [sink] is for streams"),
        ),
        (
            "",
            "",
            &both,
            CHECKPOINT,
            Some("private noise beside other methods"),
        ),
        (
            "",
            "",
            &table,
            CHECKPOINT,
            Some("[checkpoint] is for streams"),
        ),
        ("", ROTATES, &table, "", Some("`rotate` is for streams")),
        (
            ", lateness = \"5s\"",
            "",
            &table,
            "",
            Some("is for streams of records"),
        ),
        (
            ", lateness = \"5s\"",
            "",
            z,
            "",
            Some("is for streams of records"),
        ),
        (
            ", lateness = \"5s\"",
            "",
            &NOISE.replace("\"x\"", "\"t\""),
            "",
            Some("tells when events happened and is masked"),
        ),
    ] {
        let text = format!(
            "version = 1\n[source]\npath = \"a.csv\"\n[columns]\nt = {{ role = \"time\"{time} }}\n\
             user = {{ role = \"subject\"{subject} }}\nq = {{ role = \"quasi\" }}\n\
             x = {{ role = \"plain\", type = \"number\" }}\n{more}[[protect]]\n{method}\n{}",
            match more.contains("[sink]") {
                true => "",
                false => "[sink]\npath = \"out.csv\"\n",
            }
        );
        let found = parse(&text).err().map(|error| error.to_string());
        match (refused, &found) {
            (None, None) => {}
            (Some(why), Some(found)) => assert!(found.contains(why), "{found}\n{text}"),
            _ => panic!("{found:?}\n{text}"),
        }
    }
}
