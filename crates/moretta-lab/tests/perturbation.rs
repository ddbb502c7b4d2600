//! `moretta-lab perturbation` prints, writes and draws the same on any number of threads,
//! and says what is wrong with a call.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

fn perturbation(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moretta-lab"))
        .current_dir(folder)
        .arg("perturbation")
        .args(arguments)
        .output()
        .expect("the program runs")
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            let text = std::fs::read_to_string(entry.path()).expect("a text");
            (entry.file_name().to_string_lossy().into_owned(), text)
        })
        .collect()
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |threads: &str| {
        let output = perturbation(
            folder.path(),
            &[
                "--sets",
                "sea",
                "--records",
                "300",
                "--attacks",
                "2",
                "--threads",
                threads,
                "--output",
                threads,
            ],
        );
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(0), "{text}");
        files(&folder.path().join(threads))
    };
    let (one, three) = (run("1"), run("3"));
    assert!(one == three, "files differ");
    let kind = |ending: &str| one.keys().filter(|name| name.ends_with(ending)).count();
    assert_eq!((kind(".svg"), kind(".csv"), kind(".html")), (14, 5, 1));
    for name in one.keys().filter(|name| name.ends_with(".svg")) {
        assert!(one["index.html"].contains(name), "{name}");
    }
}

#[test]
fn the_public_data_can_be_read() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.exists() {
        let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(!in_ci, "the public data are not there");
        return;
    }
    let data = data.to_str().expect("a path in Unicode");
    let sets = "electricity,robot,arem,htru2,breast-cancer,adult";
    let arguments = ["--data", data, "--sets", sets];
    let short = ["--records", "500", "--attacks", "1"];
    let output = perturbation(Path::new("."), &[arguments, short].concat());
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0), "{text}");
    // Three columns of electricity do not change so early, and the robot does not turn left.
    for head in [
        "electricity: 500 records, 5 features, 2 classes",
        "robot: 500 records, 4 features, 3 classes",
        "arem: 500 records, 6 features, 5 classes",
        "htru2: 500 records, 8 features, 2 classes",
        "breast-cancer: 500 records, 9 features, 2 classes",
        "adult: 500 records, 6 features, 2 classes",
    ] {
        assert!(text.contains(head), "{head}: {text}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, code, told) in [
        (&["--data", "nowhere"][..], 4, "--data"),
        (&["--sets", "iris"], 2, "there is no data set iris"),
        (&["--records", "7"], 2, "--records"),
    ] {
        let output = perturbation(folder.path(), arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains(told), "{error}");
    }
}
