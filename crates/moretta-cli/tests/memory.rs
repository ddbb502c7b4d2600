//! A table that needs too much memory is refused before it takes it, and `plan` tells how
//! much a run needs.

#![cfg(target_os = "linux")]

mod support;

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;
use support::{Folder, PROGRAM, policy_with};

/// Many short rows in a small file.
fn packed_rows(rows: usize) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer
        .write_all(b"name,patient,age,sex,zip,admission,diagnosis,cost\n")
        .expect("packs");
    let block = "n,p,4,f,1,2024-01-01,d,1\n".repeat(1000);
    for _ in 0..rows / 1000 {
        packer.write_all(block.as_bytes()).expect("packs");
    }
    packer.finish().expect("packs")
}

#[test]
fn too_many_rows_are_refused_with_the_figure() {
    let gz = policy_with("admissions.csv", "admissions.csv.gz");
    let folder = Folder::new()
        .policy(&gz)
        .file("admissions.csv.gz", packed_rows(600_000));
    for command in ["run", "plan"] {
        folder
            .moretta_within(1 << 20, &[command, "policy.toml", "--memory", "100MB"])
            .fails(4, "the limit is 100 MB");
    }
    let limited = "\"admissions.csv.gz\"\nlimits = { memory = 100000000 }";
    let folder = folder.policy(&gz.replace("\"admissions.csv.gz\"", limited));
    folder.run().fails(4, "the limit is 100 MB");
    folder
        .moretta(&["run", "policy.toml", "--memory", "much"])
        .says("write a size such as");
}

/// Of a gibibyte of addresses the program takes half, and does not break off.
#[test]
fn a_limit_of_the_system_is_kept() {
    let gz = policy_with("admissions.csv", "admissions.csv.gz");
    let folder = Folder::new()
        .policy(&gz)
        .file("admissions.csv.gz", packed_rows(3_000_000));
    folder
        .moretta_within(1 << 20, &["run", "policy.toml"])
        .fails(4, "the limit is 537 MB");
}

#[test]
fn names_without_end_are_counted_and_not_kept() {
    let commas = ",".repeat(12 << 20) + "\n";
    let keys = format!("{{{}}}\n", vec!["\"\":1"; 2 << 20].join(","));
    for (name, text) in [("admissions.csv", commas), ("admissions.jsonl", keys)] {
        let folder = Folder::new()
            .policy(&policy_with("admissions.csv", name))
            .file(name, text);
        folder
            .moretta_within(512 << 10, &["check", "policy.toml"])
            .fails(4, "the limit is 10,000");
    }
}

/// The peak of a run in bytes, as the system counts it.
fn peak(folder: &Folder) -> f64 {
    let mut run = folder
        .command(PROGRAM)
        .args(["run", "policy.toml", "--force"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut peak = 0.0;
    while run.try_wait().expect("a child of ours").is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", run.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        peak = kibibytes.unwrap_or(peak / 1024.0) * 1024.0;
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(run.wait().expect("ended").success());
    peak
}

#[test]
fn plan_tells_how_much_memory_a_run_takes() {
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital");
    let read = |name: &str| std::fs::read(example.join(name)).expect("the example");
    let folder = Folder::new()
        .file("policy.toml", read("policy.toml"))
        .file("education.csv", read("education.csv"));
    let arguments = ["generate", "hospital", "--rows", "150000"];
    let made = folder.moretta(&[&arguments[..], &["--output", "admissions.csv"]].concat());
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let planned = folder.moretta(&["plan", "policy.toml", "--json"]);
    let plan: serde_json::Value = serde_json::from_str(&planned.stdout).expect("JSON");
    let estimate = plan["megabytes"].as_f64().expect("a number") * 1e6;
    let peak = peak(&folder);
    let off = estimate / peak;
    assert!((0.75..1.33).contains(&off), "{estimate} for {peak}");
}
