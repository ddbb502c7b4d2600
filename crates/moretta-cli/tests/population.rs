//! Promises about a population: read beside the source, counted while a method works and again
//! from the release, and by `verify` from the file.

mod support;

use support::{Folder, replaced};

const POLICY: &str = include_str!("golden/mapped-sample/policy.toml");
const PATIENTS: &str = include_str!("golden/mapped-sample/patients.csv");
const PEOPLE: &str = include_str!("golden/mapped-sample/people.csv");

fn folder(policy: &str, people: &str) -> Folder {
    let folder = Folder::new().policy(policy);
    folder
        .file("patients.csv", PATIENTS)
        .file("people.csv", people)
}

/// The population without its last rows.
fn fewer(rows: usize) -> String {
    let lines: Vec<&str> = PEOPLE.lines().collect();
    lines[..lines.len() - rows].join("\n") + "\n"
}

#[test]
fn a_release_is_held_against_the_population_of_its_policy() {
    let folder = folder(POLICY, PEOPLE);
    assert_eq!(folder.run().code, Some(0));
    let claims = folder.report()["verdict"]["claims"].clone();
    let names: Vec<&str> = (claims.as_array().expect("claims").iter())
        .filter_map(|claim| claim["name"].as_str())
        .collect();
    assert!(names.contains(&"k-map") && names.contains(&"delta-presence"));
    let verify = ["verify", "out/release.csv", "--policy", "policy.toml"];
    assert_eq!(folder.moretta(&verify).code, Some(0));
    let smaller = folder.file("people.csv", fewer(30));
    let found = smaller.moretta(&verify);
    assert_eq!(found.code, Some(1));
    assert!(found.stdout.contains("k-map"), "{}", found.stdout);
}

#[test]
fn a_method_that_does_not_look_at_the_population_is_refused_where_it_misses() {
    let from = POLICY.find("[guarantee]").expect("promises");
    let to = POLICY.find("[sink]").expect("a sink");
    let promises = "[guarantee]\nmaximum_risk = 0.5\n\
        k_map = { k = 15, population = \"people.csv\" }\n\
        [[protect]]\nmethod = \"mondrian\"\n\n";
    let mondrian = POLICY.replace(&POLICY[from..to], promises);
    // Classes of two persons, in regions of few others.
    let found = folder(&mondrian, PEOPLE);
    let found = found.run();
    assert_eq!(found.code, Some(1), "{}", found.stderr);
    assert!(found.stderr.contains("k-map"), "{}", found.stderr);
    // Classes of ten are regions of many more.
    let larger = replaced(&mondrian, "maximum_risk = 0.5", "maximum_risk = 0.1");
    let larger = folder(&larger, PEOPLE);
    let found = larger.run();
    assert_eq!(found.code, Some(0), "{}", found.stderr);
}

#[test]
fn what_the_population_lacks_is_named() {
    let renamed = PEOPLE.replacen("sex", "gender", 1);
    let found = folder(POLICY, &renamed);
    let found = found.run();
    assert_eq!(found.code, Some(4), "{}", found.stderr);
    assert!(found.stderr.contains("the population has no column `sex`"));
    let words = PEOPLE.replacen("\n4", "\nx4", 1).replace(",2", ",x2");
    let found = folder(POLICY, &words);
    let found = found.run();
    assert_eq!(found.code, Some(4), "{}", found.stderr);
    let words = "give the column a `type`";
    assert!(found.stderr.contains(words), "{}", found.stderr);
}

#[test]
fn methods_that_change_the_rows_alone_are_refused_before_a_row_is_read() {
    let generalization =
        "method = \"generalization\"\nlevels = { age = 2, sex = 1, zip = 3 }\nsuppress = 0.3";
    let recoded =
        "method = \"recoding\"\nlevels = { zip = 1 }\n\n[[protect]]\nmethod = \"mondrian\"";
    for (from, to, words) in [
        (
            generalization,
            recoded,
            "changes the rows and not the population",
        ),
        (
            generalization,
            "method = \"mondrian\"\noutput = \"mode\"",
            "shown as a representative",
        ),
        (
            "presence = { min = 0, max = 0.6, population = \"people.csv\" }",
            "presence = { max = 0.6, population = \"others.csv\" }",
            "two populations",
        ),
    ] {
        let policy = replaced(POLICY, from, to);
        let folder = Folder::new().policy(&policy);
        let found = folder.run();
        assert_eq!(found.code, Some(3), "{}", found.stderr);
        assert!(found.stderr.contains(words), "{}", found.stderr);
    }
}
