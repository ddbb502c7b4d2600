//! What the README says is so: its commands run, its output is the program's, its lists are complete.
//!
//! Lines of code blocks marked `sh` are commands. `moretta …` and
//! `cargo run --release -- …` both stand for the program under test, called with
//! the words that follow; they run in the order of the README, in one temporary
//! folder that holds a copy of `examples`, joined by ` | ` through pipes, and each
//! must end with 0. The only
//! other commands allowed are those in [`ELSEWHERE`], which are not run here.

use moretta::config::{Accepts, Parameter};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Commands that are run by other means: by whoever installs or tests.
const ELSEWHERE: &[&str] = &["./test", "cargo install --path crates/moretta-cli"];

#[test]
fn every_command_works() {
    let folder = copy_of_examples();
    let mut commands = 0;
    for line in commands_of(&readme()) {
        let mut piped = Vec::new();
        for part in line.split(" | ") {
            let Some(words) = words_for_the_program(part) else {
                assert!(ELSEWHERE.contains(&part), "unknown command: {line}");
                continue;
            };
            let output = moretta(folder.path(), words, &piped);
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{line}\n{told}");
            piped = output.stdout;
            commands += 1;
        }
    }
    assert!(commands >= 12, "only {commands} commands were found");
}

#[test]
fn the_first_commands_do_everything() {
    let commands = commands_of(&readme());
    assert_eq!(
        commands[..2],
        [
            "cargo run --release -- run examples/hospital/policy.toml",
            "./test"
        ]
    );
}

#[test]
fn the_summary_is_what_the_program_prints() {
    let folder = copy_of_examples();
    let output = moretta(folder.path(), "run examples/hospital/policy.toml", &[]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        blocks(&readme(), "text").contains(&printed),
        "the README does not show:\n{printed}"
    );
}

#[test]
fn the_policies_explained_are_those_of_the_examples() {
    let shown = blocks(&readme(), "toml");
    assert_eq!(shown.len(), 3);
    for (shown, example) in shown.iter().zip(["hospital", "shop", "sensors"]) {
        let place = root().join("examples").join(example).join("policy.toml");
        let policy = fs::read_to_string(place).expect("read");
        let (_comment, rest) = policy.split_once('\n').expect("a first line");
        assert_eq!(shown, rest);
    }
}

#[test]
fn every_method_and_measure_is_named() {
    let readme = readme();
    let methods = moretta::protect::METHODS.iter().map(|info| info.name);
    let pairs = moretta::measure::PAIR_LIST;
    let measures = moretta::measure::LIST.iter().chain(pairs);
    let measures = measures.map(|info| info.name);
    let parameters = moretta::protect::METHODS
        .iter()
        .flat_map(|info| info.parameters.iter().map(|parameter| parameter.name));
    for name in methods.chain(measures).chain(parameters) {
        assert!(
            readme.contains(&format!("`{name}`")),
            "the README lacks `{name}`"
        );
    }
}

#[test]
fn the_parameters_of_methods_are_those_that_are_declared() {
    let mut readme = readme();
    for info in moretta::protect::METHODS {
        let start = format!("| `{}` | ", info.name);
        let row = readme.lines().find(|line| line.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("no row {start}")).to_owned();
        let (_, meaning) = row[start.len()..].split_once(" | ").expect("three cells");
        let declared = format!("{start}{} | {meaning}", cell(info.parameters));
        if std::env::var_os("MORETTA_REFRESH").is_some() {
            readme = readme.replace(&row, &declared);
            fs::write(root().join("README.md"), &readme).expect("written");
        } else {
            assert_eq!(row, declared, "MORETTA_REFRESH=1 writes it");
        }
    }
}

/// Each parameter with its words and what is in its table.
fn cell(parameters: &[Parameter]) -> String {
    let one = |parameter: &Parameter| {
        let values = match parameter.accepts {
            Accepts::Word(_) | Accepts::OneOf(_) => format!(" = {}", choices(&parameter.accepts)),
            Accepts::By(what, _) => format!(" by {what}"),
            _ => String::new(),
        };
        let table = match parameter.inner() {
            [] => String::new(),
            inner => format!(" ({})", cell(inner)),
        };
        format!("`{}`{values}{table}", parameter.name)
    };
    let cells: Vec<String> = parameters.iter().map(one).collect();
    cells.join("; ")
}

fn choices(accepts: &Accepts) -> String {
    match accepts {
        Accepts::Word(words) => format!("`{}`", words().join("`, `")),
        Accepts::OneOf(kinds) => {
            let choices: Vec<String> = kinds.iter().map(choices).collect();
            choices.join(" or ")
        }
        Accepts::By(what, _) => format!("a table by {what}"),
        Accepts::Form(form) => format!("`\"{}\"`", form.example),
        Accepts::Table(_) => "a table".to_owned(),
        _ => "a number".to_owned(),
    }
}

#[test]
fn the_diffs_of_contributing_apply() {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("a page");
    let mut hunks = 0;
    for heading in [
        "A method",
        "A measure",
        "A learner",
        "A format",
        "An attack",
    ] {
        let (_, section) = text
            .split_once(&format!("\n### {heading}\n"))
            .expect(heading);
        let diff = blocks(section, "diff").into_iter().next().expect(heading);
        // A file of its own, its line in the module above, and the list.
        let files: Vec<&str> = diff.split("--- ").skip(1).collect();
        assert!(
            (2..=3).contains(&files.len()),
            "{heading}: {} files",
            files.len()
        );
        for file in files {
            let (old, rest) = file.split_once("\n+++ b/").expect("two names");
            let (path, changes) = rest.split_once('\n').expect("changes");
            let source = fs::read_to_string(root().join(path));
            if old == "/dev/null" {
                assert!(source.is_err(), "{path} is there already");
                continue;
            }
            let source = source.expect(path);
            for hunk in changes.split("@@\n").skip(1) {
                let kept = hunk.lines().filter(|line| !line.starts_with('+'));
                let kept: String = kept.map(|line| format!("{}\n", &line[1..])).collect();
                assert_eq!(source.matches(&kept).count(), 1, "{path} has once:\n{kept}");
                assert!(!hunk.lines().any(|line| line.starts_with('-')), "{path}");
                hunks += 1;
            }
        }
    }
    assert!(hunks > 10, "{hunks}");
}

#[test]
fn every_link_leads_somewhere() {
    for page in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(page)).expect("a page");
        for link in text.split("](").skip(1) {
            let target = link.split(')').next().unwrap_or_default();
            let there = target.starts_with("https://") || root().join(target).exists();
            assert!(there, "{page}: {target}");
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("the README")
}

/// The code blocks marked `language`.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("\n```{language}\n");
    text.split(&fence)
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```"))
        .map(|(block, _)| format!("{block}\n"))
        .collect()
}

fn commands_of(text: &str) -> Vec<String> {
    let lines: Vec<String> = blocks(text, "sh")
        .iter()
        .flat_map(|block| block.lines())
        .map(|line| line.trim().to_owned())
        .collect();
    lines
        .into_iter()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

fn words_for_the_program(line: &str) -> Option<&str> {
    line.strip_prefix("cargo run --release -- ")
        .or(line.strip_prefix("moretta "))
}

/// Runs the program with `piped` on its standard input.
fn moretta(folder: &Path, words: &str, piped: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_moretta"))
        .args(words.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // A program that needs no input may be gone before it has taken any.
        scope.spawn(move || input.write_all(piped));
        child.wait_with_output().expect("the program ends")
    })
}

/// A temporary folder with the policies and data of `examples`, without what runs have written.
fn copy_of_examples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for example in fs::read_dir(root().join("examples")).expect("examples") {
        let example = example.expect("a readable entry").path();
        let name = example.file_name().expect("a name");
        let copy = folder.path().join("examples").join(name);
        fs::create_dir_all(&copy).expect("a folder");
        for entry in fs::read_dir(&example).expect("an example") {
            let path = entry.expect("a readable entry").path();
            if path.is_file() {
                let name = path.file_name().expect("a name");
                fs::copy(&path, copy.join(name)).expect("a copy");
            }
        }
    }
    folder
}
