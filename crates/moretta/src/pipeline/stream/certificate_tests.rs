//! Certificates of masked records: every line is true, and a lie in any field is found.

use super::generated::seeds;
use super::masked_tests::{PRIVATE, Place, RECODING, SEEDED, cases};
use super::verify_masked;
use crate::engine::Progress;
use crate::error::Result;
use crate::io::ReadOptions;
use crate::pipeline::{self, Options};
use std::collections::{BTreeMap, HashSet};

/// Runs a policy, which leaves its release and its certificate.
fn run(place: &Place) {
    let progress = Progress::default();
    pipeline::run(&place.policy, &Options::plain(&progress)).expect("a run");
}

/// What is wrong with the release and the certificate that lie there.
fn verify(place: &Place) -> Result<Vec<String>> {
    let (release, certificate) = (place.path("out.csv"), place.path("why.csv"));
    let (options, progress) = (ReadOptions::default(), Progress::default());
    let found = verify_masked(&place.policy, &release, &certificate, &options, &progress)?;
    assert_eq!(found.verdict.passed, found.faults.is_empty());
    Ok(found.faults)
}

fn lines(place: &Place, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(place.path(name)).expect("a text");
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

/// The columns of the release that are numbers.
fn numbers(row: &[String]) -> [f64; 2] {
    [&row[3], &row[4]].map(|cell| cell.parse().expect("a number"))
}

#[test]
fn every_line_is_true_of_source_and_release() {
    for seed in seeds(6) {
        for case in cases(seed) {
            for method in SEEDED.iter().chain(PRIVATE) {
                let told = format!("MORETTA_SEED={seed} {case:?}\n{method}");
                let place = Place::new(case, method, false);
                run(&place);
                let faults = verify(&place).unwrap_or_else(|e| panic!("{told}: {e}"));
                assert!(faults.is_empty(), "{told}: {faults:?}");
                recount(&place, &told);
            }
        }
    }
}

/// Counts everything again, the slow way.
fn recount(place: &Place, told: &str) {
    let (release, certificate) = (lines(place, "out.csv"), lines(place, "why.csv"));
    let steps = place.policy.plan.protect.len();
    assert_eq!(certificate.len(), steps * release.len(), "{told}");
    let merged = certificate
        .first()
        .is_some_and(|line| line[0].contains(':'));
    let files = place.policy.source.paths().len();
    let sources: Vec<Vec<Vec<String>>> = (0..files)
        .map(|n| lines(place, &format!("{n}.csv")))
        .collect();
    let original = |row: &str| -> Vec<String> {
        let (source, row) = row.split_once(':').unwrap_or(("1", row));
        let (source, row): (usize, usize) = (
            source.parse().expect("a number"),
            row.parse().expect("a number"),
        );
        match merged {
            true => sources[source - 1][row - 1].clone(),
            false => sources.concat()[row - 1].clone(),
        }
    };
    let rows: HashSet<&String> = certificate.iter().map(|line| &line[0]).collect();
    assert_eq!(rows.len(), release.len(), "{told}");
    for (released, lines) in release.iter().zip(certificate.chunks(steps)) {
        let original = original(&lines[0][0]);
        // What is not masked is as it was: the time, and the category.
        assert_eq!(
            (&released[0], &released[2]),
            (&original[0], &original[2]),
            "{told}"
        );
        for (step, line) in lines.iter().enumerate() {
            assert_eq!(
                (&line[0], line[1].clone()),
                (&lines[0][0], (step + 1).to_string())
            );
        }
    }
    let mut groups: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (place, line) in certificate.iter().enumerate() {
        if !line[5].is_empty() {
            let group = groups.entry((&line[1], &line[5])).or_default();
            group.push(place / steps);
        }
    }
    for line in certificate.iter().filter(|line| !line[5].is_empty()) {
        let group = &groups[&(&*line[1], &*line[5])];
        assert_eq!(line[6], group.len().to_string(), "{told}");
        if line[2] == "microaggregation" {
            assert!(
                group.len() >= 3 && line[3] == "k" && line[4] == "3",
                "{told}"
            );
            let plan = &place.policy.plan;
            for column in [0, 1]
                .into_iter()
                .filter(|&n| !plan.recodes_in_stream(["x", "y"][n]))
            {
                let originals = group
                    .iter()
                    .map(|&row| original(&certificate[row * steps][0]));
                let sum: f64 = originals.map(|row| numbers(&row)[column]).sum();
                let mean = sum / group.len() as f64;
                for &row in group {
                    let shown = numbers(&release[row])[column];
                    assert!((shown - mean).abs() < 1e-9, "{told}");
                }
            }
        }
    }
}

/// The text of a file with one of its lines changed.
fn changed(place: &Place, name: &str, line: usize, change: impl Fn(&mut Vec<String>)) -> String {
    let text = std::fs::read_to_string(place.path(name)).expect("a text");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut cells: Vec<String> = lines[line].split(',').map(str::to_owned).collect();
    change(&mut cells);
    lines[line] = cells.join(",");
    lines.retain(|line| !line.is_empty());
    lines.join("\n") + "\n"
}

#[test]
fn a_lie_in_any_field_is_found() {
    for method in SEEDED.iter().chain(PRIVATE) {
        for case in [cases(3)[0], cases(3)[3]] {
            let place = Place::new(case, method, true);
            run(&place);
            let good = std::fs::read_to_string(place.path("why.csv")).expect("a certificate");
            for field in 0..7 {
                for lie in [
                    "1",
                    "2",
                    "9",
                    "100000",
                    "2:18446744073709551517",
                    "",
                    "k",
                    "noise",
                ] {
                    let bad = changed(&place, "why.csv", 5, |cells| cells[field] = lie.to_owned());
                    if bad == good {
                        continue;
                    }
                    std::fs::write(place.path("why.csv"), bad).expect("written");
                    let found = verify(&place);
                    let is_found = found.is_err() || found.is_ok_and(|faults| !faults.is_empty());
                    assert!(is_found, "field {field} as `{lie}`: {case:?}\n{method}");
                    std::fs::write(place.path("why.csv"), &good).expect("written");
                }
            }
            // A line that is not there, and one that is there twice.
            let first = good.lines().nth(1).expect("a line");
            let without = good.replacen(&format!("{first}\n"), "", 1);
            let twice = good.replacen(&format!("{first}\n"), &format!("{first}\n{first}\n"), 1);
            for bad in [without, twice] {
                std::fs::write(place.path("why.csv"), bad).expect("written");
                assert!(!verify(&place).expect("lines").is_empty(), "{method}");
            }
            std::fs::write(place.path("why.csv"), &good).expect("written");
            assert!(verify(&place).expect("lines").is_empty(), "{method}");
        }
    }
}

#[test]
fn a_release_that_was_changed_does_not_fit_its_certificate() {
    for (method, columns) in [
        (SEEDED[0], &[0, 2][..]),
        (SEEDED[2], &[0, 2, 3, 4]),
        (SEEDED[3], &[0, 2, 3, 4]),
        (PRIVATE[1], &[0, 2]),
        (RECODING, &[0, 2, 3, 4]),
    ] {
        let place = Place::new(cases(7)[0], method, true);
        run(&place);
        for &column in columns {
            let good = std::fs::read_to_string(place.path("out.csv")).expect("a release");
            let bad = changed(&place, "out.csv", 4, |cells| {
                cells[column] = match column {
                    2 => "else".to_owned(),
                    _ => "123456".to_owned(),
                }
            });
            std::fs::write(place.path("out.csv"), bad).expect("written");
            let faults = verify(&place).expect("lines");
            assert!(!faults.is_empty(), "column {column}\n{method}");
            // No fault shows a cell.
            assert!(!faults[0].contains("123456"), "{faults:?}");
            std::fs::write(place.path("out.csv"), good).expect("written");
        }
        assert!(verify(&place).expect("lines").is_empty(), "{method}");
    }
}

/// No value, no seed and no draw.
#[test]
fn a_certificate_holds_what_the_policy_says_and_numbers_of_records() {
    for method in SEEDED.iter().chain(PRIVATE) {
        let place = Place::new(cases(2)[0], method, false);
        run(&place);
        let public: HashSet<String> = (place.policy.plan.protect.iter())
            .map(|method| {
                let strength = method.as_masking().map(|masking| masking.strength());
                let (name, value) = strength.flatten().unwrap_or_default();
                assert!(!name.is_empty() || method.is_recoding(), "a parameter");
                format!("{},{name},{value}", method.name())
            })
            .collect();
        for line in lines(&place, "why.csv") {
            assert!(public.contains(&line[2..5].join(",")), "{line:?}");
            for number in [&line[0], &line[1], &line[5], &line[6]] {
                let most = number.parse().map_or(0, |number: usize| number);
                assert!(most <= place.rows, "{line:?}");
            }
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let permissions = std::fs::metadata(place.path("why.csv")).expect("a file");
            assert_eq!(permissions.permissions().mode() & 0o777, 0o600);
        }
    }
}

/// A certificate appears with its release, or not at all.
#[test]
fn a_run_that_fails_leaves_no_certificate() {
    for checkpoint in [true, false] {
        let mut place = Place::new(cases(2)[0], SEEDED[0], false);
        if !checkpoint {
            place.policy.checkpoint = None;
        }
        let source = place.path("0.csv");
        let mut text = std::fs::read_to_string(&source).expect("a source");
        text.push_str("1800000000,u1,c1,none,1\n");
        std::fs::write(&source, text).expect("written");
        let progress = Progress::default();
        let failed = pipeline::run(&place.policy, &Options::plain(&progress));
        assert_eq!(failed.expect_err("no number").exit_code(), 4);
        assert!(!place.path("out.csv").exists() && !place.path("why.csv").exists());
        let left = std::fs::read_dir(place.path("")).expect("a folder");
        let left = left.filter(|file| {
            let name = file.as_ref().expect("a file").file_name();
            name.to_string_lossy().contains("why")
        });
        // What can be gone on with stays aside.
        assert_eq!(left.count(), usize::from(checkpoint));
    }
}
