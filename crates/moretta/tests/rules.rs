//! Rules between columns in whole runs: judged in the source, in the release, in streams and in
//! files that somebody else has changed.

use moretta::pipeline::report::Report;
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root};
use moretta::{Error, io};
use std::fs;
use std::path::Path;

const COLUMNS: &str = "[columns]\nage = { role = \"quasi\", type = \"integer\" }\n\
    zip = { role = \"quasi\", type = \"category\" }\nstatus = { role = \"sensitive\" }\n";
const MONDRIAN: &str = "[guarantee]\nk = 3\n[[protect]]\nmethod = \"mondrian\"\n";
const RULE: &str =
    "[[rules]]\nname = \"adults\"\nwhen = \"status = 'married'\"\nthen = \"age >= 18\"\n";

/// A policy with these parts.
fn policy(folder: &Path, parts: &[&str]) -> Result<Policy, Error> {
    let root = Root::of_policy(&folder.join("policy.toml"), None)?;
    let head = "version = 1\nseed = 5\n[source]\npath = \"in.csv\"\n";
    let tail = "[sink]\npath = \"out.csv\"\n[report]\npath = \"report.json\"\n";
    Policy::parse(&format!("{head}{}{tail}", parts.concat()), &root)
}

/// The release of a run, and its report.
fn run(folder: &Path, parts: &[&str], rows: &str) -> Result<(String, Report), Error> {
    fs::write(folder.join("in.csv"), rows).expect("written");
    let options = Options {
        command: "moretta run policy.toml".to_owned(),
        date: None,
        force: true,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    for file in ["out.csv", "report.json"] {
        let _ = fs::remove_file(folder.join(file));
    }
    pipeline::run(&policy(folder, parts)?, &options)?;
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    let report = serde_json::from_str(&read("report.json")).expect("JSON");
    Ok((read("out.csv"), report))
}

/// Thirty persons; the married ones are adults.
fn rows() -> String {
    let row = |i: usize| {
        let (age, status) = match i % 3 {
            0 => (20 + i, "married"),
            1 => (5 + i / 3, "single"),
            _ => (30 + i, "single"),
        };
        format!("{age},z{},{status}\n", i % 2)
    };
    let rows: String = (0..30).map(row).collect();
    format!("age,zip,status\n{rows}")
}

#[test]
fn a_text_that_nobody_has_is_warned_about_unless_a_private_method_hides_the_column() {
    let folder = tempfile::tempdir().expect("a folder");
    let misspelt = RULE.replace("married", "maried");
    let warned = |parts: &[&str]| {
        let (_, report) = run(folder.path(), parts, &rows()).expect("released");
        let mut warnings = report.warnings.iter();
        warnings.any(|warning| warning.contains("names a text that no row has in `status`"))
    };
    assert!(!warned(&[COLUMNS, MONDRIAN, RULE]));
    assert!(warned(&[COLUMNS, MONDRIAN, &misspelt]));
    let private = "[[protect]]\nmethod = \"local-dp\"\ncolumns = { status = { mechanism = \"k-ary\", \
        epsilon = 1, categories = [\"married\", \"single\", \"maried\"] } }\n";
    let open = misspelt + "release = \"warn\"\n";
    assert!(!warned(&[COLUMNS, private, MONDRIAN, &open]));
}

#[test]
fn a_source_that_breaks_a_rule_is_refused_with_rows_and_no_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = rows() + "17,z0,married\n16,z1,married\n";
    let error = run(folder.path(), &[COLUMNS, MONDRIAN, RULE], &bad).expect_err("refused");
    assert_eq!(error.exit_code(), 4);
    let text = error.to_string();
    assert_eq!(
        text,
        "rule `adults` is broken by 2 rows of the source: 31 and 32"
    );
    assert!(!folder.path().join("out.csv").exists());
    let many: String = (0..15).map(|_| "17,z0,married\n").collect();
    let error = run(folder.path(), &[COLUMNS, MONDRIAN, RULE], &(rows() + &many));
    let text = error.expect_err("refused").to_string();
    assert!(
        text.ends_with("15 rows of the source: 31, 32, 33, 34, 35, 36, 37, 38, 39, 40 and 5 more"),
        "{text}"
    );
}

#[test]
fn a_policy_may_warn_of_both_sides() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad: String = (0..12).map(|_| "7,z0,married\n").collect();
    let warns = format!("{RULE}source = \"warn\"\n");
    // The class of the children shows that they are married and under age.
    let error = run(
        folder.path(),
        &[COLUMNS, MONDRIAN, &warns],
        &(rows() + &bad),
    );
    let error = error.expect_err("the release breaks it, too");
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().contains("`adults` in"), "{error}");
    let warns = format!("{warns}release = \"warn\"\n");
    let (_, report) = run(
        folder.path(),
        &[COLUMNS, MONDRIAN, &warns],
        &(rows() + &bad),
    )
    .expect("released");
    let rule = &report.rules[0];
    assert_eq!(rule.broken_in_source, Some(20), "12 rounded up");
    assert!(rule.broken > 0 && rule.kept > 0);
    assert_eq!(rule.kept + rule.open + rule.broken, 42);
    let told = report.warnings.join("\n");
    assert!(
        told.contains("up to 20 rows of the source break it"),
        "{told}"
    );
    assert!(told.contains("rows of the release break it"), "{told}");
}

#[test]
fn coarse_cells_leave_a_rule_open_and_that_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let method = "[guarantee]\nk = 10\n[[protect]]\nmethod = \"mondrian\"\n";
    let (release, report) =
        run(folder.path(), &[COLUMNS, method, RULE], &rows()).expect("released");
    let rule = &report.rules[0];
    let open = release.lines().skip(1).filter(|line| {
        let low = line
            .split("..")
            .next()
            .and_then(|age| age.parse::<u32>().ok());
        line.ends_with(",married") && low.is_none_or(|low| low < 18)
    });
    assert_eq!(rule.open, open.count() as u64, "{release}");
    assert!(rule.open > 0, "{release}");
    assert!(
        report
            .warnings
            .iter()
            .any(|w| w.contains("tell rows of one class apart"))
    );
}

#[test]
fn suppressed_rows_are_not_told_by_what_they_did_to_a_rule() {
    let folder = tempfile::tempdir().expect("a folder");
    let columns = COLUMNS.replace(
        "type = \"integer\"",
        "type = \"integer\", hierarchy = { intervals = [50] }",
    );
    let method = "[guarantee]\nk = 3\n[[protect]]\nmethod = \"generalization\"\n\
                  levels = { age = 1 }\nsuppress = 0.5\n";
    let rule = format!("{RULE}source = \"warn\"\n");
    let told = |status: &str| {
        let rows = rows() + &format!("16,alone,{status}\n");
        let (release, report) =
            run(folder.path(), &[&columns, method, &rule], &rows).expect("released");
        assert!(!release.contains("alone"));
        (release, report)
    };
    assert_eq!(told("married"), told("single"));
}

#[test]
fn a_stream_is_judged_batch_by_batch() {
    let folder = tempfile::tempdir().expect("a folder");
    let columns = "[columns]\nlow = { role = \"quasi\", type = \"number\" }\n\
                   high = { role = \"quasi\", type = \"number\" }\n";
    let noise = |amount: &str| {
        format!(
            "[[protect]]\nmethod = \"noise\"\nkind = \"uncorrelated\"\namount = {amount}\nbuffer = 10\n"
        )
    };
    let rule = "[[rules]]\nname = \"range\"\nrequire = \"low <= high\"\n";
    let rows = |last: &str| {
        let rows: String = (0..400)
            .map(|i| format!("{},{}\n", i % 50, i % 50 + 30))
            .collect();
        format!("low,high\n{rows}{last}")
    };
    let (_, report) =
        run(folder.path(), &[columns, &noise("0.01"), rule], &rows("")).expect("kept");
    assert_eq!((report.rules[0].kept, report.rules[0].broken), (400, 0));
    let error = run(folder.path(), &[columns, &noise("5"), rule], &rows("")).expect_err("broken");
    assert_eq!(error.exit_code(), 1, "{error}");
    assert!(!folder.path().join("out.csv").exists());
    let error = run(
        folder.path(),
        &[columns, &noise("0.01"), rule],
        &rows("9,3\n"),
    );
    let error = error.expect_err("the last row breaks it");
    assert_eq!(error.exit_code(), 4);
    assert!(
        error.to_string().contains("row 401 of the source"),
        "{error}"
    );
    let warns = format!("{rule}release = \"warn\"\n");
    let (release, report) =
        run(folder.path(), &[columns, &noise("5"), &warns], &rows("")).expect("told");
    let broken = release.lines().skip(1).filter(|line| {
        let (low, high) = line.split_once(',').expect("two cells");
        low.parse::<f64>().expect("a number") > high.parse::<f64>().expect("a number")
    });
    assert_eq!(report.rules[0].broken, broken.count() as u64);
}

#[test]
fn a_rule_that_was_broken_in_a_file_is_found_by_verify() {
    let folder = tempfile::tempdir().expect("a folder");
    let parts = [COLUMNS, MONDRIAN, RULE];
    let (release, _) = run(folder.path(), &parts, &rows()).expect("released");
    let policy = policy(folder.path(), &parts).expect("a policy");
    let verify = |text: &str| {
        let file = folder.path().join("changed.csv");
        fs::write(&file, text).expect("written");
        let found = pipeline::verify(
            &policy,
            &file,
            &io::ReadOptions::default(),
            &Progress::default(),
        );
        let claims = found.expect("checked").verdict.claims;
        let claim = claims
            .into_iter()
            .find(|claim| claim.name == "rule `adults`");
        claim
            .map(|claim| (claim.holds, claim.found))
            .expect("a claim")
    };
    assert!(verify(&release).0, "{:?}", verify(&release));
    // A child of a class becomes married: k and everything else still hold.
    let child = release.lines().find(|line| {
        let age = line.split(',').next().unwrap_or_default();
        let high = age
            .rsplit("..")
            .next()
            .and_then(|age| age.parse::<u32>().ok());
        line.ends_with(",single") && high.is_some_and(|high| high < 18)
    });
    let child = child.expect("a class of children");
    let planted = release.replacen(child, &child.replace("single", "married"), 1);
    let (holds, found) = verify(&planted);
    assert!(!holds && found.starts_with("broken by 1 rows"), "{found}");
}

#[test]
fn missing_cells_of_a_file_are_missing_whatever_their_role() {
    let folder = tempfile::tempdir().expect("a folder");
    let columns = "[columns]\nage = { role = \"quasi\" }\nfrom = { role = \"plain\", type = \"date\" }\n\
                   to = { role = \"plain\", type = \"date\" }\nnote = { role = \"plain\" }\n";
    let rules = "[[rules]]\nname = \"stay\"\nrequire = \"to >= from\"\n\
                 [[rules]]\nname = \"noted\"\nwhen = \"note is not missing\"\nthen = \"note != 'x'\"\n";
    let rows =
        "age,from,to,note\n1,2024-01-02,,\n1,2024-01-02,2024-01-02,y\n1,,2023-01-01,\n1,,,z\n";
    let parts = [columns, MONDRIAN, rules];
    let (_, report) = run(folder.path(), &parts, rows).expect("released");
    assert!(
        report.rules.iter().all(|rule| rule.kept == 4),
        "{:?}",
        report.rules
    );
    let policy = policy(folder.path(), &parts).expect("a policy");
    let file = folder.path().join("out.csv");
    let found = pipeline::verify(
        &policy,
        &file,
        &io::ReadOptions::default(),
        &Progress::default(),
    );
    assert!(found.expect("checked").verdict.passed);
}

#[test]
fn a_column_that_holds_something_else_than_its_rule_says_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let columns = "[columns]\nage = { role = \"quasi\" }\nzip = { role = \"quasi\" }\nstatus = { role = \"sensitive\" }\n";
    for (rule, what) in [("age = '17'", "holds numbers"), ("zip > 3", "holds texts")] {
        let rule = format!("[[rules]]\nname = \"r\"\nrequire = \"{rule}\"\n");
        let error = run(folder.path(), &[columns, MONDRIAN, &rule], &rows()).expect_err("refused");
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().contains(what), "{error}");
    }
}
