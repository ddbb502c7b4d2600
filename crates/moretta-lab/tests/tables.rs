//! `moretta-lab tables` prints, writes and draws, and says what is wrong with a call.

use std::path::Path;
use std::process::{Command, Output};

fn tables(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moretta-lab"))
        .arg("tables")
        .args(arguments)
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

/// The lines of a file of figures that begin so, cell by cell behind the beginning.
fn lines<'a>(csv: &'a str, start: &str) -> Vec<Vec<&'a str>> {
    let rest = csv.lines().filter_map(|line| line.strip_prefix(start));
    rest.map(|rest| rest.split(',').collect()).collect()
}

#[test]
fn a_short_study_prints_writes_and_draws_every_part() {
    let Some(data) = data() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().to_str().expect("a path in Unicode");
    let short = ["--rows", "250", "--k", "2,10"];
    let output = tables(&[&["--data", &data, "--output", output][..], &short].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let text = String::from_utf8(output.stdout).expect("text");
    for part in [
        "GCP of age and fnlwgt, beside what the source study printed",
        "age and fnlwgt against k",
        "age and fnlwgt against rows",
        "adult against k",
        "adult against rows",
        "adult side by side, 250 rows",
        "german side by side, 250 rows",
        "census side by side, 250 rows",
        "worked tables: 9 as worked out, 0 differ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    let series = read("series.csv");
    for start in [
        "\"age and fnlwgt\",k,\"microaggregation\",",
        "\"age and fnlwgt\",k,\"mondrian, balanced\",",
        "\"adult\",k,\"suppression\",",
        "\"adult\",k,\"mu-argus\",",
    ] {
        let found = lines(&series, start);
        let [two, ten] = &found[..] else {
            panic!("{start}: {series}");
        };
        assert_eq!([two[0], ten[0]], ["2", "10"]);
        let gcp = |cells: &[&str]| -> f64 { cells[4].parse().expect("a number") };
        assert!(gcp(two) < gcp(ten), "{start}: {series}");
    }
    let side_by_side = read("side-by-side.csv");
    for table in ["adult", "german", "census"] {
        for method in ["mondrian", "lattice", "datafly", "mu-argus"] {
            let found = lines(&side_by_side, &format!("\"{table}\",methods,\"{method}\","));
            let ks: Vec<&str> = found.iter().map(|cells| cells[0]).collect();
            assert_eq!(ks, ["5", "25"], "{table}, {method}");
            let lost = found.iter().all(|cells| cells[4].parse::<f64>().is_ok());
            assert!(lost, "{table}, {method}: {side_by_side}");
        }
    }
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    let drawings = [
        "adult-against-k.svg",
        "adult-against-rows.svg",
        "age-and-fnlwgt-against-k.svg",
        "age-and-fnlwgt-against-rows.svg",
    ];
    let tables = [
        "index.html",
        "printed.csv",
        "series.csv",
        "side-by-side.csv",
    ];
    assert_eq!(names, [&drawings[..], &tables].concat());
    let page = read("index.html");
    for name in drawings {
        assert!(page.contains(name), "{name}");
        let svg = read(name);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        assert!(svg.contains("mondrian, relaxed"), "{name}");
        let numbers = name.starts_with("age");
        assert_eq!(svg.contains("microaggregation"), numbers, "{name}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (arguments, code, told) in [
        (&["--data", "nowhere"][..], 4, "--data"),
        (&["--rows", "7"], 2, "--rows"),
        (&["--k", "1"], 2, "--k"),
    ] {
        let output = tables(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains(told), "{error}");
    }
}
