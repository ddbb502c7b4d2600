//! Every command of the manual works.
//!
//! The blocks of a page are taken in order, in a temporary folder that holds a copy of
//! `examples`: files are written, commands run, and what was printed is compared. `moretta …`
//! and `cargo run --release -- …` stand for the program under test; ` | ` joins programs by
//! pipes and ` > ` writes a file. Other commands are those of [`ELSEWHERE`].

use super::pages::{Block, Page, manual, refresh, replace_block, root};
use super::words::words;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Commands that are run by other means: by a person who installs or tests.
const ELSEWHERE: &[&str] = &["./test", "cargo install --path crates/moretta-cli"];

/// What pseudonyms of the manual are made with; a reader of this file can undo them.
const KEY: &str = "a key for the manual, not a secret";

#[test]
fn every_command_works() {
    let pages = manual();
    let tried: Vec<Result<usize, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = pages
            .iter()
            .map(|page| scope.spawn(|| follow(page)))
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|tried| tried.expect("no panic")).collect()
    });
    let faults: Vec<&str> = tried
        .iter()
        .filter_map(|t| Some(t.as_ref().err()?.as_str()))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    let commands: usize = tried.iter().flatten().sum();
    assert!(commands >= 40, "only {commands} commands were found");
}

#[test]
fn the_first_commands_of_the_readme_are_enough_for_a_newcomer() {
    let readme = Page::read("README.md");
    let blocks = readme.blocks();
    let shell = blocks.iter().filter(|block| block.language == "sh");
    let first: Vec<String> = shell.flat_map(commands).take(2).collect();
    let run = "cargo run --release -- run examples/hospital/policy.toml";
    assert_eq!(first, [run, "./test"]);
}

/// Does what a page says, and counts its commands.
fn follow(page: &Page) -> Result<usize, String> {
    let folder = copy_of_examples();
    let (mut count, mut printed) = (0, String::new());
    for (index, block) in page.blocks().iter().enumerate() {
        let place = format!("{}: line {}", page.path, block.line);
        if let Some(name) = block.mark("file") {
            fs::write(folder.path().join(name), &block.text).expect("a file of the manual");
        }
        if block.mark("printed").is_some() && block.text != printed {
            if refresh() {
                replace_block(&page.path, index, &printed);
            } else {
                return Err(format!("{place}: the program prints\n{printed}"));
            }
        }
        if block.language != "sh" {
            continue;
        }
        let code = block.mark("exit").unwrap_or("0");
        for line in commands(block) {
            if ELSEWHERE.contains(&line.as_str()) {
                continue;
            }
            printed = run(folder.path(), &line, code)
                .map_err(|fault| format!("{place}: {line}\n{fault}"))?;
            count += 1;
        }
    }
    Ok(count)
}

/// The lines of a block, without comments.
fn commands(block: &Block) -> Vec<String> {
    let lines = block.text.lines().map(str::trim);
    let commands = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    commands.map(str::to_owned).collect()
}

/// Runs a line and gives what it prints; its last program must end with `code`, the others with 0.
fn run(folder: &Path, line: &str, code: &str) -> Result<String, String> {
    let (line, file) = match line.split_once(" > ") {
        Some((line, file)) => (line, Some(file)),
        None => (line, None),
    };
    let parts: Vec<&str> = line.split(" | ").collect();
    let mut piped = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let words = part
            .strip_prefix("cargo run --release -- ")
            .or(part.strip_prefix("moretta "))
            .ok_or("a command that nobody runs; see `ELSEWHERE`")?;
        let output = moretta(folder, &words_of(words)?, &piped);
        let expected = if index + 1 == parts.len() { code } else { "0" };
        if output.status.code().map(|code| code.to_string()).as_deref() != Some(expected) {
            let told = String::from_utf8_lossy(&output.stderr);
            return Err(format!("ends with {}\n{told}", output.status));
        }
        piped = output.stdout;
    }
    if let Some(file) = file {
        fs::write(folder.join(file), &piped).expect("a file");
        return Ok(String::new());
    }
    Ok(String::from_utf8_lossy(&piped).into_owned())
}

fn words_of(line: &str) -> Result<Vec<String>, String> {
    words(line).ok_or_else(|| "a quote is not closed".to_owned())
}

/// Runs the program with `piped` on its standard input.
pub(crate) fn moretta(folder: &Path, words: &[String], piped: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_moretta"))
        .args(words)
        .current_dir(folder)
        .env("MORETTA_KEY", KEY)
        .env_remove("COLUMNS")
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
