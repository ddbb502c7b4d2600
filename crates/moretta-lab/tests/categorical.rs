//! `moretta-lab categorical` prints, writes and draws, and says what is wrong with a call.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

fn categorical(arguments: &[&str], threads: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moretta-lab"))
        .arg("categorical")
        .args(arguments)
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .expect("the program runs")
}

/// The public data; without them a test is skipped, except under `CI=true`.
fn data() -> Option<String> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if data.exists() {
        return data.to_str().map(str::to_owned);
    }
    let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!in_ci, "the public data are not there");
    None
}

/// The files of a folder, with what differs between two runs left out: seconds.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let text = std::fs::read_to_string(&path).expect("a file");
            let seconds = text
                .lines()
                .next()
                .is_some_and(|head| head.ends_with("CPU_seconds"));
            let text = match seconds {
                true => text
                    .lines()
                    .filter_map(|line| line.rsplit_once(','))
                    .map(|(rest, _)| format!("{rest}\n"))
                    .collect(),
                false => text,
            };
            (name.into_owned(), text)
        })
        .filter(|(name, _)| name != "index.html")
        .collect()
}

/// A quick study; its text and its files.
fn study(data: &str, more: &[&str], threads: &str) -> (String, BTreeMap<String, String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().to_str().expect("a path in Unicode");
    let quick = ["--quick", "--data", data, "--output", output];
    let output = categorical(&[&quick[..], more].concat(), threads);
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0), "{errors}{text}");
    let page = std::fs::read_to_string(folder.path().join("index.html")).expect("a page");
    let files = files(folder.path());
    for name in files.keys().filter(|name| name.ends_with(".svg")) {
        assert!(page.contains(&**name), "{name}");
    }
    (text, files)
}

#[test]
fn a_quick_study_prints_writes_and_draws_every_part_alike_for_any_number_of_threads() {
    let Some(data) = data() else { return };
    let (text, files) = study(&data, &[], "2");
    for part in [
        "Files of the first population",
        "Methods over their grids",
        "The search over cells",
        "PRAM: the best design of each family",
        "Equations that were found",
        "The best matrix found for checking_status of german",
        "Tables in clusters",
        "Social graphs",
        "properties hold",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("NaN") && !text.contains("fails"), "{text}");
    for (name, text) in &files {
        assert!(!text.contains("NaN") && !text.contains("inf\""), "{name}");
    }
    let drawings = files.keys().filter(|name| name.ends_with(".svg"));
    assert_eq!(drawings.count(), 12);
    let (_, again) = study(&data, &["--parts", "pram,clustering,graphs"], "1");
    assert!(again.len() > 8, "{:?}", again.keys());
    for (name, text) in again.iter().filter(|(name, _)| *name != "acceptance.csv") {
        assert_eq!(Some(text), files.get(name), "{name}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (arguments, code, told) in [
        (&["--data", "nowhere", "--parts", "grid"][..], 4, "--data"),
        (&["--steps", "7"], 2, "--steps"),
        (&["--parts", "everything"], 2, "--parts"),
    ] {
        let output = categorical(arguments, "2");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains(told), "{error}");
    }
}
