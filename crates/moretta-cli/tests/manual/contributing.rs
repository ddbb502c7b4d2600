//! The diffs of CONTRIBUTING, by which things are added, apply to the code and compile.

use super::pages::{Page, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_diffs_of_contributing_apply_and_compile() {
    let mut files = BTreeMap::new();
    for place in ["Cargo.toml", "Cargo.lock", "crates", "bench/costs"] {
        read_into(&mut files, Path::new(place));
    }
    let text = Page::read("CONTRIBUTING.md").text;
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
        let (_, diff) = section.split_once("\n```diff\n").expect(heading);
        let (diff, _) = diff.split_once("\n```").expect(heading);
        let changed = apply(diff, &mut files);
        // A file of its own, its line in the module above, and the list.
        assert!((2..=3).contains(&changed), "{heading}: {changed} files");
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("contributing");
    write_all(&folder, &set_apart(files));
    compile(&folder);
}

/// Moves the crates to a folder of their own, the manifest of all stays where it is: cargo tells
/// crates apart by their path from it, and takes what is compiled of one for the other.
fn set_apart(files: BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, Vec<u8>> {
    let moved = files.into_iter().map(|(path, bytes)| {
        if path == Path::new("Cargo.lock") {
            return (path, bytes);
        }
        if path != Path::new("Cargo.toml") {
            return (Path::new("copy").join(path), bytes);
        }
        let mut manifest = String::from_utf8(bytes).expect("text");
        for folder in ["crates", "bench"] {
            manifest = manifest.replace(&format!("\"{folder}/"), &format!("\"copy/{folder}/"));
        }
        (path, manifest.into_bytes())
    });
    moved.collect()
}

/// Adds the files below a place of the repository, by their paths in it.
fn read_into(files: &mut BTreeMap<PathBuf, Vec<u8>>, place: &Path) {
    let full = root().join(place);
    if full.is_file() {
        files.insert(place.to_owned(), fs::read(full).expect("readable"));
        return;
    }
    for entry in fs::read_dir(full).expect("a folder") {
        read_into(files, &place.join(entry.expect("an entry").file_name()));
    }
}

/// Applies a diff that only adds, and gives the number of files that it changes.
fn apply(diff: &str, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> usize {
    let changes = diff.split("--- ").skip(1);
    let each = changes.map(|change| {
        let (old, rest) = change.split_once("\n+++ b/").expect("two names");
        let (path, hunks) = rest.split_once('\n').expect("changes");
        let hunks = format!("{}\n", hunks.trim_end());
        let source = files.entry(PathBuf::from(path)).or_default();
        if old == "/dev/null" {
            assert!(source.is_empty(), "{path} is there already");
            *source = new_file(path, &hunks).into_bytes();
            return;
        }
        let mut text = String::from_utf8(std::mem::take(source)).expect("text");
        for hunk in hunks.split("@@\n").skip(1) {
            let without = |sign: char| -> String {
                let lines = hunk.lines().filter(|line| !line.starts_with(sign));
                lines.map(|line| format!("{}\n", &line[1..])).collect()
            };
            let (before, after) = (without('+'), without('-'));
            assert_eq!(
                text.matches(&before).count(),
                1,
                "{path} has once:\n{before}"
            );
            text = text.replace(&before, &after);
        }
        *source = text.into_bytes();
    });
    each.count()
}

/// The lines of a file that a diff adds, whose number its first line tells.
fn new_file(path: &str, hunk: &str) -> String {
    let (head, lines) = hunk.split_once('\n').expect("a first line");
    let lines: Vec<&str> = lines
        .lines()
        .map(|line| line.strip_prefix('+').expect(path))
        .collect();
    assert_eq!(head, format!("@@ -0,0 +1,{} @@", lines.len()), "{path}");
    lines.join("\n") + "\n"
}

/// Makes the folder hold these files and no others. Those that it holds already keep their
/// times, so that nothing is compiled twice.
fn write_all(folder: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    fs::create_dir_all(folder).expect("a folder");
    remove_others(folder, Path::new(""), files);
    for (path, bytes) in files {
        let path = folder.join(path);
        if fs::read(&path).ok().as_ref() != Some(bytes) {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, bytes).expect("written");
        }
    }
}

fn remove_others(folder: &Path, place: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder.join(place)).expect("a folder") {
        let entry = entry.expect("an entry");
        let place = place.join(entry.file_name());
        if entry.path().is_dir() {
            remove_others(folder, &place, files);
        } else if !files.contains_key(&place) {
            fs::remove_file(entry.path()).expect("removed");
        }
    }
}

/// Compiles the library of a copy with the dependencies that are compiled for this one.
#[track_caller]
fn compile(folder: &Path) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    let output = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--offline", "--locked"])
        .args(["--package", "moretta", "--lib", "--color", "never"])
        .arg("--target-dir")
        .arg(target)
        .current_dir(folder)
        .output()
        .expect("cargo runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.is_empty(), "{told}");
}
