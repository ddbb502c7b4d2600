//! Releases of made-up visits to a shop, as they were made and tampered with.

use super::*;
use crate::pipeline::{Options, run};
use crate::policy::Root;
use std::path::PathBuf;

/// A policy and what was made under it, in a folder of its own.
struct Made {
    folder: tempfile::TempDir,
    policy: Policy,
}

/// What the policies differ in.
#[derive(Clone, Copy)]
struct Case {
    source: &'static str,
    user: &'static str,
    method: &'static str,
}

const PLAIN: Case = Case {
    source: "path = \"visits.csv\"",
    user: "role = \"subject\", action = \"keep\"",
    method: "z = 5",
};

impl Made {
    fn new(rows: usize, case: Case) -> Made {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(
            folder.path().join("key"),
            "0123456789abcdef0123456789abcdef",
        )
        .expect("written");
        write_visits(folder.path(), rows);
        let text = format!(
            "version = 1\n[source]\n{}\n[columns]\nt = {{ role = \"time\" }}\nuser = {{ {} }}\n\
             attribute = {{ role = \"quasi\", hierarchy = {{ path = \"*\" }} }}\n\
             [[protect]]\nmethod = \"z-anonymity\"\nwindow = \"1h\"\n{}\n[sink]\npath = \"out.csv\"\ncertificate = \"why.csv\"\n",
            case.source, case.user, case.method
        );
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let policy = Policy::parse(&text, &root).expect("a policy");
        let made = Made { folder, policy };
        made.release();
        made
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn config(&self) -> &ZAnonymity {
        self.policy.plan.stream().expect("a stream")
    }

    /// Lets the stream through.
    fn release(&self) {
        let progress = Progress::default();
        let options = Options::plain(&progress);
        run(&self.policy, &options).expect("released");
    }

    fn verify(&self, certified: bool) -> Result<StreamVerification> {
        let certificate = self.path("why.csv");
        verify(
            &self.policy,
            self.config(),
            &self.path("out.csv"),
            certified.then_some(certificate.as_path()),
            &ReadOptions::default(),
            &Progress::default(),
        )
    }

    /// Changes the lines of a file.
    fn tamper(&self, name: &str, change: impl FnOnce(&mut Vec<String>)) {
        let text = std::fs::read_to_string(self.path(name)).expect("a text");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        std::fs::write(self.path(name), lines.join("\n") + "\n").expect("written");
    }
}

/// Visits in order, the same out of order, and the same in two files.
fn write_visits(folder: &Path, rows: usize) {
    let header = "t,user,attribute";
    let visits = moretta_generate::ecommerce(rows, 7).into_rows();
    let lines: Vec<String> = visits.map(|row| row.expect("a row").join(",")).collect();
    let mut mixed = lines.clone();
    for (place, chunk) in mixed.chunks_mut(5).enumerate() {
        chunk.rotate_left(place % chunk.len());
    }
    let (even, odd): (Vec<_>, Vec<_>) = lines.iter().enumerate().partition(|(i, _)| i % 2 == 0);
    let half = |lines: Vec<(usize, &String)>| {
        let lines: Vec<&str> = lines.into_iter().map(|(_, line)| line.as_str()).collect();
        lines.join("\n")
    };
    for (name, lines) in [
        ("visits.csv", lines.join("\n")),
        ("mixed.csv", mixed.join("\n")),
        ("even.csv", half(even)),
        ("odd.csv", half(odd)),
    ] {
        std::fs::write(folder.join(name), format!("{header}\n{lines}\n")).expect("written");
    }
}

#[test]
fn releases_are_kept_with_and_without_their_certificate() {
    let mixed = "path = \"mixed.csv\"";
    let key = "key = \"file:key\"";
    let pseudonym = format!("role = \"subject\", action = \"pseudonym\", {key}");
    let rotating = format!("{pseudonym}, rotate = \"2h\"");
    let (pseudonym, rotating) = (&*pseudonym.leak(), &*rotating.leak());
    let cases = [
        PLAIN,
        Case {
            method: "z = 20\nmode = \"exact\"\nlateness = \"10m\"",
            source: mixed,
            ..PLAIN
        },
        Case {
            method: "z = 5\nlateness = \"10m\"",
            source: mixed,
            ..PLAIN
        },
        Case {
            source: "path = [\"even.csv\", \"odd.csv\"]",
            ..PLAIN
        },
        Case {
            user: pseudonym,
            ..PLAIN
        },
        Case {
            user: rotating,
            ..PLAIN
        },
        Case {
            user: "role = \"subject\", action = \"drop\"",
            ..PLAIN
        },
        Case {
            method: "z = 5\ngeneralize = false",
            ..PLAIN
        },
        Case {
            method: "tune = { goal = 0.8, every = \"30m\" }",
            ..PLAIN
        },
    ];
    for case in cases {
        let made = Made::new(20_000, case);
        for certified in [false, true] {
            let found = made.verify(certified).expect("verified");
            assert_eq!(
                found.faults,
                Vec::<String>::new(),
                "{} {}",
                case.method,
                case.user
            );
            assert!(found.verdict.passed);
            assert!(found.matched > 2_000, "{}: {}", case.method, found.matched);
            assert_eq!((found.rows, found.made_up), (found.matched, 0));
            let tuned = case.method.starts_with("tune");
            assert_eq!(found.notes.is_empty(), !tuned || certified);
            if !tuned {
                let z = u64::from(made.config().z);
                assert_eq!(found.smallest_count, Some(z), "{}", case.method);
            }
            let lines = if certified { found.rows } else { 0 };
            assert_eq!(found.lines, lines);
        }
    }
}

#[test]
fn made_up_rows_are_told_by_the_certificate_alone() {
    let method = "z = 8\nfakes = { at_most = \"z/4\", order = \"thesis\" }";
    let made = Made::new(20_000, Case { method, ..PLAIN });
    let error = made.verify(false).expect_err("fakes cannot be told");
    assert_eq!(error.exit_code(), 3);
    let found = made.verify(true).expect("verified");
    assert_eq!(found.faults, Vec::<String>::new());
    assert!(found.made_up > 50, "{}", found.made_up);
    assert_eq!(found.rows, found.matched + found.made_up);
    let helpers = found.made_up;
    let source = std::fs::read_to_string(made.path("visits.csv")).expect("a text");
    made.tamper("out.csv", |lines| {
        let made_up = |line: &String| !source.lines().any(|other| other.starts_with(line));
        let place = lines.iter().position(made_up).expect("a made-up row");
        lines.remove(place);
    });
    let found = made.verify(true).expect("verified");
    let told = format!("{helpers} made-up rows are needed and {} rows", helpers - 1);
    assert!(found.faults[0].starts_with(&told), "{:?}", found.faults);
    // The last row is a real one: made-up rows come before theirs.
    made.tamper("out.csv", |lines| {
        let last = lines.len() - 1;
        lines[last] = lines[last].replacen(',', ",x", 1);
    });
    let found = made.verify(true).expect("verified");
    let told = "1 rows of the certificate are not in the release";
    assert!(found.faults[0].starts_with(told), "{:?}", found.faults);
}

/// Tampers with a file and looks what is said about it.
fn refused(name: &str, certified: bool, change: impl FnOnce(&mut Vec<String>)) -> String {
    let made = Made::new(5_000, PLAIN);
    made.tamper(name, change);
    let found = made.verify(certified).expect("verified");
    assert!(!found.verdict.passed);
    assert!(found.verdict.claims.iter().any(|claim| !claim.holds));
    assert_eq!(found.faults.len(), 1);
    found.faults[0].clone()
}

#[test]
fn releases_that_were_tampered_with_are_refused() {
    let double = |lines: &mut Vec<String>| lines.insert(100, lines[100].clone());
    let moved = |lines: &mut Vec<String>| lines[100..400].rotate_left(1);
    let foreign = |lines: &mut Vec<String>| {
        let (time, rest) = lines[100].split_once(',').expect("a time");
        lines[100] = format!("{}9,{rest}", &time[..time.len() - 1]);
    };
    let specific = |lines: &mut Vec<String>| lines[100].push_str("*nothing");
    for certified in [false, true] {
        let told = [
            refused("out.csv", certified, double),
            refused("out.csv", certified, moved),
            refused("out.csv", certified, foreign),
            refused("out.csv", certified, specific),
        ];
        for told in told {
            assert!(told.contains(" of the release"), "{told}");
        }
    }
    let removed = refused("out.csv", true, |lines| {
        lines.remove(100);
    });
    assert!(
        removed.contains("row 100 of the release is not row"),
        "{removed}"
    );
}

#[test]
fn a_value_that_too_few_share_is_refused() {
    let made = Made::new(5_000, PLAIN);
    let source = std::fs::read_to_string(made.path("visits.csv")).expect("a text");
    // The first row that was generalised shows its value after all.
    made.tamper("out.csv", |lines| {
        let (row, whole) = lines
            .iter()
            .enumerate()
            .skip(1)
            .find_map(|(row, line)| {
                let whole = source.lines().find(|other| {
                    other.len() > line.len() && other.starts_with(&format!("{line}*"))
                })?;
                Some((row, whole.to_owned()))
            })
            .expect("a row is generalised");
        lines[row] = whole;
    });
    let found = made.verify(false).expect("verified");
    assert!(
        found.faults[0].contains("and 5 are needed"),
        "{:?}",
        found.faults
    );
    assert!(!found.verdict.claims[0].holds && found.verdict.claims[1].holds);
}

#[test]
fn certificates_that_were_tampered_with_are_refused() {
    type Change = fn(i64) -> i64;
    let field = |line: &mut String, place: usize, change: Change| {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        let number: i64 = fields[place].parse().expect("a number");
        fields[place] = change(number).to_string();
        *line = fields.join(",");
    };
    let cases: [(&str, usize, Change); 6] = [
        ("tells of level", 2, |level| level + 9),
        (
            "counts 5000 users in column `attribute` and there are",
            3,
            |_| 5000,
        ),
        ("counts 4 users and needs 5", 3, |_| 4),
        ("needs 4 users and the policy 5", 4, |z| z - 1),
        ("tells of another window", 5, |from| from - 1),
        ("tells of another window", 6, |to| to + 1),
    ];
    for (expected, place, change) in cases {
        let told = refused("why.csv", true, |lines| {
            field(&mut lines[100], place, change)
        });
        assert!(told.starts_with("line 101 of the certificate "), "{told}");
        assert!(told.contains(expected), "{told}");
    }
    let told = refused("why.csv", true, |lines| {
        field(&mut lines[100], 0, |row| row + 1_000_000)
    });
    assert!(
        told.contains("line 101 of the certificate tells of a row"),
        "{told}"
    );
    let told = refused("why.csv", true, |lines| {
        lines.remove(100);
    });
    assert!(told.contains("row 100 of the release is not"), "{told}");
    let told = refused("why.csv", true, |lines| {
        lines.pop();
    });
    assert!(told.contains("is not in the certificate"), "{told}");
    let told = refused("why.csv", true, |lines| {
        lines.insert(100, lines[100].clone())
    });
    assert!(
        told.contains("line 102 of the certificate tells of a cell again"),
        "{told}"
    );
}

#[test]
fn a_file_with_other_columns_than_the_release_is_refused() {
    let dropped = Case {
        user: "role = \"subject\", action = \"drop\"",
        ..PLAIN
    };
    type Change = fn(&mut String, bool);
    let cases: [(Case, &str, Change); 4] = [
        (PLAIN, "differ only in case", |line, first| {
            if first {
                *line = line.replace("attribute", "Attribute");
            }
        }),
        (PLAIN, "lacks columns", |line, first| {
            if first {
                *line = line.replace("user", "who");
            }
        }),
        (PLAIN, "does not know columns", |line, first| {
            line.push_str(if first { ",salary" } else { ",1" });
        }),
        (dropped, "does not release: `user`", |line, first| {
            line.push_str(if first { ",user" } else { ",u1" });
        }),
    ];
    for (case, expected, change) in cases {
        let made = Made::new(2_000, case);
        assert!(made.verify(false).expect("verified").verdict.passed);
        made.tamper("out.csv", |lines| {
            for (number, line) in lines.iter_mut().enumerate() {
                change(line, number == 0);
            }
        });
        let error = made.verify(false).expect_err("other columns");
        let told = format!("{error} {}", error.help_text().unwrap_or_default());
        assert!(told.contains(expected), "{told}");
    }
}
