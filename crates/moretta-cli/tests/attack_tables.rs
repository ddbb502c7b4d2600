//! `moretta attack` on tables: what a policy would release, and files.

mod support;

use support::{Folder, POLICY, Table, replaced};

/// The evidence of an attack on the first release.
fn evidence(found: &serde_json::Value, name: &str) -> serde_json::Value {
    let attacks = found["releases"][0]["attacks"].as_array();
    let attacks = attacks.expect("attacks").iter();
    let mut named = attacks.filter(|attack| attack["attack"] == name);
    named.next().expect("an attack of this name").clone()
}

fn share(found: &serde_json::Value, name: &str) -> f64 {
    evidence(found, name)["share"].as_f64().expect("a number")
}

fn attack(folder: &Folder, arguments: &[&str]) -> serde_json::Value {
    let mut all = vec!["attack", "--json"];
    all.extend(arguments);
    let ran = folder.moretta(&all);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[test]
fn exact_bounds_are_found_and_rounded_ones_are_not() {
    let exact = replaced(POLICY, "\"mondrian\"", "\"mondrian\"\nbounds = \"exact\"");
    let table = Table::of(400);
    let exact = attack(&Folder::with_table(&table).policy(&exact), &["policy.toml"]);
    let rounded = attack(&Folder::with_table(&table), &["policy.toml"]);
    assert_eq!(share(&exact, "exact_bounds"), 1.0);
    assert!(share(&rounded, "exact_bounds") < 0.2, "{rounded}");
}

#[test]
fn diversity_stops_homogeneity_and_more_of_it_background_knowledge() {
    let table = Table::of(400);
    let of = |promise: &str| {
        let policy = replaced(POLICY, "k = 5", promise);
        attack(
            &Folder::with_table(&table).policy(&policy),
            &["policy.toml"],
        )
    };
    let bare = of("k = 2");
    assert!(share(&bare, "homogeneity") > 0.0, "{bare}");
    let diverse = of("k = 2\nl = 2");
    assert_eq!(share(&diverse, "homogeneity"), 0.0);
    assert!(share(&diverse, "background_knowledge") > 0.0, "{diverse}");
    let more = of("k = 2\nl = 3");
    assert_eq!(share(&more, "background_knowledge"), 0.0);
}

#[test]
fn a_limit_on_an_attack_refuses_a_release() {
    let limited =
        format!("{POLICY}\n[measure]\nfail_above = {{ homogeneity = 0.0, exact_bounds = 0.5 }}\n");
    let limited = replaced(&limited, "k = 5", "k = 2");
    let folder = Folder::with_table(&Table::of(400)).policy(&limited);
    let ran = folder.run();
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    assert!(ran.stderr.contains("homogeneity"), "{}", ran.stderr);
    let diverse = replaced(&limited, "k = 2", "k = 2\nl = 2");
    let folder = Folder::with_table(&Table::of(400)).policy(&diverse);
    assert_eq!(folder.run().code, Some(0));
}

#[test]
fn two_releases_side_by_side_show_smaller_groups_than_each() {
    let folder = Folder::with_table(&Table::of(400));
    assert_eq!(folder.run().code, Some(0));
    let other = replaced(POLICY, "out/release.csv", "out/other.csv");
    let other = replaced(&other, "out/report.html", "out/other.html");
    let other = replaced(&other, "k = 5", "k = 7");
    let folder = folder.file("other.toml", &other);
    assert_eq!(folder.moretta(&["run", "other.toml"]).code, Some(0));
    let files = [
        "out/release.csv",
        "out/other.csv",
        "--policy",
        "policy.toml",
    ];
    let found = attack(&folder, &files);
    let together = &found["intersection"];
    let number = |name: &str| together[name].as_u64().expect("a number");
    assert_eq!((number("releases"), number("persons")), (2, 400));
    assert!(
        number("smallest_cell") < number("smallest_class"),
        "{together}"
    );
    assert!(number("exposed") > 0);
    let text = folder.moretta(&["attack", "out/release.csv", "--policy", "policy.toml"]);
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    assert!(text.stdout.contains("homogeneity"), "{}", text.stdout);
    let bare = folder.moretta(&["attack", "out/release.csv", "out/other.csv"]);
    assert_eq!(bare.code, Some(2), "{}", bare.stderr);
    assert!(bare.stderr.contains("--policy"), "{}", bare.stderr);
}

#[test]
fn cuts_that_are_refused_by_chance_blur_what_an_uncut_class_tells() {
    let table = Table::of(400);
    let of = |more: &str| {
        let policy = replaced(POLICY, "\"mondrian\"", &format!("\"mondrian\"\n{more}"));
        let policy = replaced(&policy, "version = 1", "version = 1\nseed = 5");
        attack(
            &Folder::with_table(&table).policy(&policy),
            &["policy.toml"],
        )
    };
    let minimal = of("refuse = 0");
    assert_eq!(minimal, of(""));
    let refused = of("refuse = 0.5");
    assert_eq!(refused, of("refuse = 0.5"), "the seed decides");
    let classes = |found: &serde_json::Value| found["releases"][0]["classes"].as_u64();
    assert!(classes(&refused) < classes(&minimal), "{refused}");
    for found in [&minimal, &refused] {
        let share = share(found, "downcoding");
        assert!(share > 0.0 && share < 1.0, "{found}");
    }
}

#[test]
fn a_class_that_only_diversity_kept_together_tells_of_its_parts() {
    // Zips of five and of fifteen patients. All of the first have asthma, so no cut is allowed.
    let row = |i: usize| {
        let diagnosis = if i < 5 {
            "asthma"
        } else {
            ["burn", "cold"][i % 2]
        };
        let zip = if i < 5 { 4040 } else { 4050 };
        format!("n{i},p{i},30,f,{zip},2024-01-01,{diagnosis},1\n")
    };
    let rows: String = (0..20).map(row).collect();
    let data = format!("name,patient,age,sex,zip,admission,diagnosis,cost\n{rows}");
    let policy = replaced(
        POLICY,
        "k = 5",
        "k = 5\nl = { value = 2, kind = \"recursive\", c = 1.5 }",
    );
    let found = attack(&Folder::new().data(data).policy(&policy), &["policy.toml"]);
    let minimality = evidence(&found, "minimality");
    assert_eq!(minimality["classes"], 1, "{found}");
    // More than three of five in the smaller part had to have it: 0.6 is what is promised.
    assert_eq!(minimality["succeeds"], 5, "{found}");
}

#[test]
fn a_release_that_no_attack_fits_says_why() {
    let policy = "version = 1\n[source]\npath = \"admissions.csv\"\n[columns]\nx = { role = \"quasi\" }\n[guarantee]\nk = 2\n[[protect]]\nmethod = \"mondrian\"\n";
    let folder = Folder::new().data("x\na\na\nb\nb\n").policy(policy);
    let told = folder.moretta(&["attack", "policy.toml"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert!(told.stdout.contains("no attack fits"), "{}", told.stdout);
    assert!(!told.stdout.contains("succeeds in"), "{}", told.stdout);
}
