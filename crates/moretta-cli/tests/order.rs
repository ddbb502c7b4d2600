//! The order of the input leaves no trace: a table and the same table turned
//! round give the same release, byte for byte, whatever the mode.

use std::path::Path;
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_moretta");

const POLICY: &str = r#"version = 1

[source]
path = "admissions.csv"

[columns]
name      = { role = "identifier" }
patient   = { role = "subject" }
age       = { role = "quasi" }
sex       = { role = "quasi" }
zip       = { role = "quasi", type = "category", hierarchy = { mask = "right" } }
education = { role = "quasi" }
admission = { role = "quasi" }
ward      = { role = "plain" }
diagnosis = { role = "sensitive" }
cost      = { role = "plain" }

[guarantee]
k = 5
l = 2

[[protect]]
METHOD

[sink]
path = "out.csv"
"#;

fn run(folder: &Path, arguments: &[&str]) {
    let output = Command::new(PROGRAM)
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
}

/// The release of the table in this folder.
fn release(folder: &Path, method: &str) -> Vec<u8> {
    std::fs::write(folder.join("policy.toml"), POLICY.replace("METHOD", method)).expect("written");
    run(folder, &["run", "policy.toml", "--force"]);
    std::fs::read(folder.join("out.csv")).expect("released")
}

#[test]
fn a_table_turned_round_gives_the_same_release() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let [straight, turned] = [&folders[0], &folders[1]].map(|folder| folder.path());
    let arguments = [
        "generate",
        "hospital",
        "--rows",
        "600",
        "--output",
        "admissions.csv",
    ];
    run(straight, &arguments);
    let table = std::fs::read_to_string(straight.join("admissions.csv")).expect("a table");
    let mut lines: Vec<&str> = table.lines().collect();
    lines[1..].reverse();
    std::fs::write(turned.join("admissions.csv"), lines.join("\n") + "\n").expect("written");
    for method in [
        "method = \"mondrian\"",
        "method = \"mondrian\"\nmode = \"relaxed\"",
        "method = \"mondrian\"\nmode = \"balanced\"",
        "method = \"mondrian\"\nmode = \"relaxed\"\nsuppress = 0.1",
    ] {
        assert!(
            release(straight, method) == release(turned, method),
            "{method}"
        );
    }
}
