//! `moretta generate` writes what it says, in full, and the same every time.

use std::path::Path;
use std::process::{Command, Output};

const KINDS: [&str; 4] = ["hospital", "ecommerce", "domains", "positions"];

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
    for kind in KINDS {
        let written = |seed: &str| {
            let name = "rows.csv";
            let arguments = [
                kind, "--rows", "70000", "--seed", seed, "--output", name, "--force",
            ];
            let output = generate(folder.path(), &arguments);
            assert_eq!(output.status.code(), Some(0), "{kind}");
            std::fs::read(folder.path().join(name)).expect("a file")
        };
        let first = written("7");
        assert!(first == written("7"), "{kind}");
        assert!(first != written("8"), "{kind}");
        assert_eq!(first.iter().filter(|&&b| b == b'\n').count(), 70_001);
    }
}

#[test]
fn streams_have_a_time_a_user_and_an_attribute_and_any_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in &KINDS[1..] {
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
fn the_help_has_an_example_of_every_generator() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = generate(folder.path(), &["--help"]);
    let help = String::from_utf8(output.stdout).expect("text");
    for kind in KINDS {
        assert!(
            help.contains(&format!("moretta generate {kind} ")),
            "{kind}"
        );
    }
}
