//! `moretta generate` writes what it says, in full, and the same every time.

use std::path::Path;
use std::process::{Command, Output};

const EVENTS: [&str; 3] = ["ecommerce", "domains", "positions"];

const RECORDS: [&[&str]; 14] = [
    &["rbf", "--classes", "5"],
    &["rbf-drift", "--speed", "0.001"],
    &["waveform", "--noise"],
    &["sea", "--function", "2"],
    &["led"],
    &["agrawal", "--function", "10"],
    &["hyperplane", "--magnitude", "0.001"],
    &["random-tree", "--classes", "3"],
    &["sine", "--function", "3"],
    &["mixed"],
    &["stagger", "--function", "2", "--balanced"],
    &[
        "recurrent-drift",
        "--from",
        "sine",
        "--to",
        "sine --function 2",
    ],
    &[
        "imbalanced",
        "--of",
        "led --drift-attributes 4",
        "--shares",
        "0.5,0,0.5",
    ],
    &[
        "drift",
        "--from",
        "sea",
        "--to",
        "drift --from (sea --seed 4) --to sea",
    ],
];

fn kinds() -> impl Iterator<Item = Vec<&'static str>> {
    let others = ["hospital"].into_iter().chain(EVENTS);
    others
        .map(|kind| vec![kind])
        .chain(RECORDS.iter().map(|kind| kind.to_vec()))
}

fn generate(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moretta"))
        .current_dir(folder)
        .arg("generate")
        .args(arguments)
        .output()
        .expect("the program runs")
}

#[test]
fn the_same_seed_gives_the_same_file_and_another_seed_another() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in kinds() {
        let written = |seed: &str| {
            let name = "rows.csv";
            let common = [
                "--rows", "70000", "--seed", seed, "--output", name, "--force",
            ];
            let output = generate(folder.path(), &[kind.as_slice(), &common].concat());
            assert_eq!(output.status.code(), Some(0), "{kind:?}");
            std::fs::read(folder.path().join(name)).expect("a file")
        };
        let first = written("7");
        assert!(first == written("7"), "{kind:?}");
        assert!(first != written("8"), "{kind:?}");
        assert_eq!(first.iter().filter(|&&b| b == b'\n').count(), 70_001);
    }
}

#[test]
fn streams_have_a_time_a_user_and_an_attribute_and_any_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in EVENTS {
        let output = generate(folder.path(), &[kind, "--rows", "100"]);
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(text.starts_with("t,user,attribute\n1"), "{kind}");
        assert_eq!(text.lines().count(), 101, "{kind}");
        assert!(text.lines().all(|line| line.split(',').count() == 3));
        for ending in ["jsonl", "csv.gz", "parquet", "arrow", "arff"] {
            let name = format!("{kind}.{ending}");
            let output = generate(folder.path(), &[kind, "--rows", "100", "--output", &name]);
            assert_eq!(output.status.code(), Some(0), "{name}");
        }
    }
}

#[test]
fn records_have_a_class_and_any_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in RECORDS {
        let output = generate(folder.path(), &[kind, &["--rows", "100"]].concat());
        let text = String::from_utf8(output.stdout).expect("text");
        let mut lines = text.lines();
        let header = lines.next().expect("a header");
        assert!(header.ends_with(",class"), "{kind:?}");
        let columns = header.split(',').count();
        assert!(lines.all(|line| line.split(',').count() == columns));
        assert_eq!(text.lines().count(), 101, "{kind:?}");
        for ending in ["jsonl", "csv.gz", "parquet", "arrow", "arff"] {
            let name = format!("{}.{ending}", kind[0]);
            let arguments = [kind, &["--rows", "100", "--output", &name]].concat();
            let output = generate(folder.path(), &arguments);
            assert_eq!(output.status.code(), Some(0), "{name}");
        }
    }
}

#[test]
fn the_rows_are_those_of_moa() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/moa-streams");
    let check = |name: &str, arguments: &[&str]| {
        let Ok(dump) = std::fs::read_to_string(shared.join(name)) else {
            assert!(std::env::var_os("CI").is_none(), "CI needs the shared data");
            return;
        };
        let arguments = [arguments, &["--rows", "100"]].concat();
        let output = generate(&std::env::temp_dir(), &arguments);
        let text = String::from_utf8(output.stdout).expect("text");
        let (made, dumped) = (text.lines(), dump.lines());
        assert_eq!(made.clone().count(), 101, "{name}");
        for (made, dumped) in made.zip(dumped) {
            let cells = made.split(',').zip(dumped.split(','));
            for (made, dumped) in cells {
                let numbers = made.parse::<f64>().ok() == dumped.parse::<f64>().ok();
                assert!(made == dumped || numbers, "{name}: {made} {dumped}");
            }
        }
    };
    check("rbf-a10-c5-n50.csv", &["rbf", "--classes", "5"]);
    check(
        "rbf-r7-i3-c5-a10-n50.csv",
        &["rbf", "--model-seed", "7", "--seed", "3", "--classes", "5"],
    );
    check("led-s-n0.csv", &["led", "--only-relevant", "--noise", "0"]);
    check("agrawal-f3.csv", &["agrawal", "--function", "3"]);
    let drift = "drift --from sea --position 500 --width 1 --to".split(' ');
    let drift: Vec<&str> = drift.chain(["sea --function 2 --seed 2"]).collect();
    check("drift-sea-f1-f2-p500-w1.csv", &drift);
}

#[test]
fn wrong_options_are_usage_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [
        ["sea", "--function", "5", "--rows", "1"].as_slice(),
        &["rbf", "--attributes", "0"],
        &["drift", "--from", "sea", "--to", "led"],
        &["drift", "--from", "sea", "--to", "sea --fnction 2"],
        &["drift", "--from", "sea", "--to", "(sea"],
    ] {
        let output = generate(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_help_has_an_example_of_every_generator() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = generate(folder.path(), &["--help"]);
    let help = String::from_utf8(output.stdout).expect("text");
    for kind in kinds() {
        let example = format!("moretta generate {} ", kind[0]);
        assert!(help.contains(&example), "{example}");
        let output = generate(folder.path(), &[kind[0], "--help"]);
        let help = String::from_utf8(output.stdout).expect("text");
        assert!(help.contains(&example), "{example}");
    }
}
