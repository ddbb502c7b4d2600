//! A first policy for a real file: sensible guesses, and a policy that loads again and runs.

mod support;

use moretta::data::Role;
use moretta::io::ReadOptions;
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root, propose};

#[test]
fn the_first_policy_for_adult_is_sensible_loads_again_and_runs() {
    let Some(shared) = support::shared("adult-uci") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("adult.csv");
    std::fs::copy(shared.join("adult-uci.csv"), &data).expect("copied");
    let proposal = propose(&data, &ReadOptions::default()).expect("guessed");
    assert_eq!(proposal.missing, ["?"]);
    assert_eq!(proposal.columns.len(), 15);
    for guess in &proposal.columns {
        // Nothing here names a person, and whatever an outsider could know is protected.
        let expected = match guess.name.as_str() {
            "salary-class" => Role::Sensitive,
            _ => Role::Quasi,
        };
        assert_eq!(guess.role, expected, "{}", guess.name);
    }
    let text = proposal.text("adult.csv", "adult");
    let place = folder.path().join("adult.toml");
    std::fs::write(&place, &text).expect("written");
    let root = Root::of_policy(&place, None).expect("a folder");
    let policy = Policy::load(&place, &root).expect("it loads again");
    pipeline::check(&policy).expect("it fits the data");
    let options = Options {
        command: String::new(),
        force: false,
        strict: true,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    let outcome = pipeline::run(&policy, &options);
    let report = outcome
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .report;
    assert!(report.verdict.passed);
    assert_eq!(report.verdict.truthful, Some(true));
    assert_eq!((report.rows.read, report.rows.released), (32_561, 32_561));
    assert!(
        report.rows.classes_after > 1_000,
        "{}",
        report.rows.classes_after
    );
    let release = std::fs::read_to_string(folder.path().join("out/adult.csv"));
    assert_eq!(release.expect("a release").lines().count(), 32_562);
}
