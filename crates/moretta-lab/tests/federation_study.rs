//! `moretta-lab federation` prints, writes and draws, and says what is wrong with a call.

use std::path::Path;
use std::process::{Command, Output};

fn federation(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moretta-lab"))
        .arg("federation")
        .args(arguments)
        .env("RAYON_NUM_THREADS", "2")
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

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_cell_of_the_demonstration_comes_out() {
    let Some(data) = data() else { return };
    let output = federation(&["--table", "4.1", "--data", &data]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("8 of 8 properties hold"), "{text}");
    assert!(!text.contains("differs"), "{text}");
}

#[cfg(feature = "grpc")]
#[test]
fn figures_are_the_same_over_real_links() {
    let Some(data) = data() else { return };
    let figures = |network: &str| {
        let short = ["--tables", "4.1,4.6", "--sets", "WFR", "--records", "1500"];
        let more = ["--seeds", "1", "--network", network, "--data", &data];
        let output = federation(&[&short[..], &more].concat());
        let text = text(&output);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}{text}");
        let is_time = |line: &&str| line.ends_with(" s");
        let lines: Vec<String> = text
            .lines()
            .filter(|line| !is_time(line))
            .map(str::to_owned)
            .collect();
        lines.join("\n")
    };
    let simulated = figures("sim");
    assert!(simulated.contains("Table 4.6"), "{simulated}");
    assert_eq!(figures("grpc"), simulated);
}

#[test]
fn streams_are_counted_and_missing_ones_are_told() {
    let output = federation(&["--tables", "4.2", "--sets", "SEA-A", "--data", "nowhere"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for told in ["25,001", "1 of 1 properties hold"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert_eq!(text.matches("not at hand").count(), 4, "{text}");
}

#[test]
fn the_published_sum_is_broken_without_any_data() {
    let output = federation(&["--tables", "sum", "--data", "nowhere"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.matches("exposed").count(), 3, "{text}");
    for line in text.lines().filter(|line| line.starts_with("0.70")) {
        assert!(line.contains("1.30") && line.contains("0.30  "), "{line}");
    }
}

#[test]
fn a_short_study_shows_every_table_and_compares_nothing_printed() {
    let Some(data) = data() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a path in Unicode");
    let short = ["--records", "1300", "--seeds", "1", "--sets", "WFR,OCC"];
    let output = federation(&[&short[..], &["--data", &data, "--out", out]].concat());
    let text = text(&output);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}{text}");
    for title in [
        "Table 4.1",
        "Table 4.2",
        "Table 4.3",
        "Average ranks",
        "Table 4.4",
        "Table 4.5",
        "Table 4.6",
        "Table 4.7",
        "Batches and late labels",
        "Privacy",
        "Variants",
        "The published secure sum",
    ] {
        assert!(text.contains(title), "{title}: {text}");
    }
    assert!(text.contains("1 of 1 properties hold"), "{text}");
    let page = std::fs::read_to_string(folder.path().join("index.html")).expect("a page");
    for name in [
        "timeline-coins.svg",
        "timeline-wfr.svg",
        "anytime.svg",
        "ranks.svg",
    ] {
        assert!(page.contains(name), "{name}");
        let drawing = std::fs::read_to_string(folder.path().join(name)).expect("a drawing");
        assert!(
            drawing.ends_with("</svg>\n") && !drawing.contains("NaN"),
            "{name}"
        );
    }
    let table = std::fs::read_to_string(folder.path().join("table-4-3.csv")).expect("a file");
    assert_eq!(table.lines().count(), 1 + 2 * 14);
}

#[test]
fn what_is_wrong_is_said() {
    for (arguments, code, told) in [
        (&["--tables", "9.9"][..], 2, "9.9"),
        (&["--sets", "GAS"], 2, "GAS"),
        (&["--seeds", "0"], 2, "--seeds"),
        (
            &["--data", "nowhere", "--sets", "OCC", "--tables", "4.5"],
            4,
            "--data",
        ),
    ] {
        let output = federation(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains(told), "{error}");
    }
}
