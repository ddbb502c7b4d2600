//! Commands that read or write without a policy: what they advise works, and a reader who has
//! enough is no error.

mod support;

use std::io::Read;
use std::process::Stdio;
use support::{Folder, PROGRAM, Ran, Table};

fn folder(name: &str, bytes: impl AsRef<[u8]>) -> Folder {
    Folder::new().file(name, bytes)
}

fn prints<'a>(ran: &'a Ran<'_>) -> &'a str {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    &ran.stdout
}

/// The last line of help is what to type, and typing it helps.
#[test]
fn hints_name_options_of_the_command() {
    for (bytes, hint, options) in [
        (&b"n\xe4me,x\na,1\nb,2\n"[..], "--latin1", &["--latin1"][..]),
        (b"x|y\n1|2\n3|4\n", "--delimiter", &["--delimiter", "|"]),
        (
            b"x,y\n1,inf\n2,-inf\n3,4\n",
            "--missing",
            &["--missing", "inf", "--missing", "-inf"],
        ),
    ] {
        let folder = folder("a.csv", bytes);
        let column = if hint == "--missing" { "y" } else { "x" };
        let new = [
            "hierarchy",
            "new",
            "a.csv",
            "--column",
            column,
            "--output",
            "-",
        ];
        let refused = folder.moretta(&new);
        assert!(refused.code.is_some_and(|code| code > 0), "{hint}");
        refused.says(hint);
        assert!(!refused.stderr.contains("[source]"), "{}", refused.stderr);
        assert!(!refused.stderr.contains("encoding"), "{}", refused.stderr);
        let helped = folder.moretta(&[&new[..], options].concat());
        assert_eq!(helped.code, Some(0), "{}", helped.stderr);
    }
    let latin = folder("a.csv", b"n\xe4me,x\na,1\nb,2\n");
    latin
        .moretta(&["init", "a.csv", "--output", "p.toml"])
        .fails(4, "--latin1");
}

#[test]
fn decimals_may_follow_a_comma() {
    let folder = folder("a.csv", "x;y\n1,5;a\n2,5;b\n");
    let new = [
        "hierarchy",
        "new",
        "a.csv",
        "--column",
        "x",
        "--output",
        "-",
        "--delimiter",
        ";",
    ];
    let words = folder.moretta(&new);
    assert!(prints(&words).starts_with("\"1,5\""), "{}", words.stdout);
    let numbers = folder.moretta(&[&new[..], &["--decimal", ","]].concat());
    assert!(prints(&numbers).starts_with("1.5;"), "{}", numbers.stdout);
}

/// `inf` and `nan` among numbers: the policy says that they mean missing, and runs.
#[test]
fn cells_that_are_no_finite_numbers_are_no_dead_end() {
    let rows: String = (0..40)
        .map(|i| match i % 10 {
            7 => "inf,x\n".to_owned(),
            8 => "-Infinity,x\n".to_owned(),
            9 => "nan,x\n".to_owned(),
            _ => format!("{}.5,x\n", i % 10),
        })
        .collect();
    let folder = folder("a.csv", format!("size,kind\n{rows}"));
    prints(&folder.moretta(&["init", "a.csv", "--output", "p.toml"]));
    let policy = folder.text("p.toml");
    assert!(
        policy.contains("missing = [\"-Infinity\", \"inf\", \"nan\"]"),
        "{policy}"
    );
    prints(&folder.moretta(&["run", "p.toml"]));
}

/// What `init` says to type next can be typed.
#[test]
fn init_advises_commands_that_work() {
    for file in ["table.csv", "stream.csv"] {
        let folder = folder("table.csv", Table::of(60).csv());
        let made = [
            "generate",
            "ecommerce",
            "--rows",
            "400",
            "--output",
            "stream.csv",
        ];
        prints(&folder.moretta(&made));
        let ran = folder.moretta(&["init", file, "--output", "p.toml"]);
        let advised: Vec<Vec<&str>> = (prints(&ran).lines())
            .filter_map(|line| line.trim().strip_prefix("moretta "))
            .map(|line| line.split(' ').collect())
            .collect();
        assert!(advised.len() >= 2, "{}", ran.stdout);
        for arguments in advised {
            prints(&folder.moretta(&arguments));
        }
    }
}

#[test]
fn names_of_persons_without_a_header_are_identifiers() {
    let first = ["Anna", "Bruno", "Carla", "Dino", "Elena", "Fabio", "Gina"];
    let last = ["Rossi", "Bianchi", "De Luca", "Neri", "Conti"];
    for rows in [6, 40, 2000] {
        let row = |i: usize| {
            let (first, last) = (first[i * 3 % 7], last[i * 7 / 3 % 5]);
            format!(
                "{first} {last},{},{}\n",
                20 + i * 13 % 60,
                ["flu", "cold"][i % 2]
            )
        };
        let rows: String = (0..rows).map(row).collect();
        let folder = folder("a.csv", rows);
        let ran = folder.moretta(&["init", "a.csv", "--output", "p.toml"]);
        let line = prints(&ran).lines().next().expect("a column");
        assert!(
            line.contains("column1") && line.contains("identifier"),
            "{line}"
        );
    }
    // Few places that repeat are no persons.
    let cities: String = (0..200)
        .map(|i| format!("{},{i}\n", ["New York", "San Jose", "El Paso"][i % 3]))
        .collect();
    let folder = folder("a.csv", format!("where,n\n{cities}"));
    let ran = folder.moretta(&["init", "a.csv", "--output", "p.toml"]);
    assert!(prints(&ran).contains("quasi"), "{}", ran.stdout);
}

/// The first bytes of what the program prints, its exit code and its standard error, when the
/// reader then closes the pipe.
fn cut_short(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = folder
        .command(PROGRAM)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut first = [0; 10];
    let mut stdout = child.stdout.take().expect("piped");
    stdout.read_exact(&mut first).expect("some bytes");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8(output.stderr).expect("text");
    (output.status.code(), stderr)
}

#[test]
fn a_reader_who_has_enough_is_no_error_unless_rows_are_lost() {
    let folder = folder("a.csv", {
        let rows: String = (0..60_000).map(|i| format!("{i}\n")).collect();
        format!("x\n{rows}")
    });
    let hierarchy = [
        "hierarchy",
        "new",
        "a.csv",
        "--column",
        "x",
        "--output",
        "-",
    ];
    for arguments in [
        &["generate", "rbf", "--rows", "50000"][..],
        &["generate", "hospital", "--rows", "50000"],
        &["completions", "bash"],
        &["explain", "mondrian"],
        &hierarchy,
    ] {
        let (code, stderr) = cut_short(&folder, arguments);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
    // A release that is not read to its end is one without its last rows.
    for buffer in ["", "buffer = 20\n"] {
        let policy = format!(
            "version = 1\n[source]\npath = \"a.csv\"\n[columns]\n\
             x = {{ role = \"quasi\", type = \"number\" }}\n\
             [[protect]]\nmethod = \"noise\"\n{buffer}[sink]\npath = \"-\"\n"
        );
        std::fs::write(folder.path("policy.toml"), policy).expect("written");
        let (code, stderr) = cut_short(&folder, &["run", "policy.toml"]);
        assert_eq!(code, Some(5), "{stderr}");
    }
}
