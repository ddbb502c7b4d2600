//! `moretta-lab filters` prints, writes and draws, and says what is wrong with a call.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HEADER: &str = "table,generator,filter,a,c,b,k,p,epsilon,DR,IL\n";

/// The first lines of the tables, one of each kind.
const LINES: &str = "\
A.1,rbf,noise,0.1,0.0,,,,,0.956,1123.97
A.4,waveform,microaggregation,,,100,3,,,0.241,3375656.78
A.5,rbf,rank_swapping,,,100,,10,,0.838,19136.62
A.9,rbf,dp_microaggregation,,,100,3,,1.0,0.013,3.129E+07
";

fn filters(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moretta-lab"))
        .current_dir(folder)
        .args(["filters", "--printed", "printed.csv"])
        .args(arguments)
        .output()
        .expect("the program runs")
}

fn folder_with(lines: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("printed.csv"), [HEADER, lines].concat()).expect("a file");
    folder
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let mut names: Vec<String> = paths
        .iter()
        .filter_map(|path| path.file_name()?.to_str().map(str::to_owned))
        .collect();
    names.sort();
    names
}

#[test]
fn a_full_run_agrees_with_the_tables() {
    let folder = folder_with(LINES);
    let output = filters(folder.path(), &["--csv", "out.csv", "--plots", "plots"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("published: 4 as printed, 0 more within 1 %, 0 differ"),
        "{text}"
    );
    let csv = std::fs::read_to_string(folder.path().join("out.csv")).expect("a file");
    assert_eq!(csv.lines().count(), 9);
    assert!(csv.contains(",published,0.95669,1123.97"), "{csv}");
    let plots = [
        "table-A.1.svg",
        "table-A.4.svg",
        "table-A.5.svg",
        "table-A.9.svg",
    ];
    assert_eq!(files(&folder.path().join("plots")), plots);
}

#[test]
fn a_wrong_figure_fails_the_run() {
    let folder = folder_with("A.1,rbf,noise,0.1,0.0,,,,,0.946,1123.97\n");
    let output = filters(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(6));
    assert!(String::from_utf8_lossy(&output.stdout).contains("differs"));
}

#[test]
fn repeats_come_with_intervals() {
    let folder = folder_with(LINES);
    let arguments = ["--rows", "500", "--repeats", "3", "--tables", "A.1,A.5"];
    let output = filters(folder.path(), &arguments);
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text.matches(" ± ").count(), 12, "{text}");
    assert!(text.contains("no verdicts"), "{text}");
}

#[test]
fn what_is_wrong_is_said() {
    let folder = folder_with("A.1,rbf,noise,0.1,0.0,,,,,much,1123.97\n");
    let output = filters(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(4));
    let folder = folder_with(LINES);
    let output = filters(folder.path(), &["--tables", "A.77"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no table A.77"));
    std::fs::remove_file(folder.path().join("printed.csv")).expect("it is there");
    let output = filters(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(5));
}
