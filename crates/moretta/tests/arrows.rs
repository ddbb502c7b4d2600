//! Use goes one way between the modules of the library, and this test reads the code to see that it does.
//!
//! It looks for `crate::…` and for `super::…` that climbs to the top, in `use`
//! lines and in paths alike. Comments and test code may point anywhere. The
//! reading leans on rustfmt: an item ends where a line of its own indentation
//! closes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each top-level module may use. A new module needs a line here.
const ARROWS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("math", &["error"]),
    ("config", &["data", "error"]),
    ("optimize", &["error"]),
    ("data", &["error", "math"]),
    ("io", &["data", "error", "math"]),
    ("guarantee", &["data", "error", "math"]),
    ("learn", &["config", "data", "error", "math"]),
    ("measure", &["data", "error", "learn", "math"]),
    ("attack", &["data", "error", "math"]),
    ("protect", &["config", "data", "error", "guarantee", "math"]),
    (
        "policy",
        &[
            "config",
            "data",
            "error",
            "guarantee",
            "io",
            "learn",
            "math",
            "measure",
            "protect",
        ],
    ),
    (
        "pipeline",
        &[
            "attack",
            "config",
            "data",
            "error",
            "guarantee",
            "io",
            "learn",
            "math",
            "measure",
            "optimize",
            "policy",
            "protect",
        ],
    ),
];

#[test]
fn no_module_uses_what_it_should_not_know() {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(files.len() > 50, "only {} files were found", files.len());
    let faults = faults(&files);
    assert!(faults.is_empty(), "wrong arrows:\n{}", faults.join("\n"));
}

#[test]
fn planted_wrong_arrows_are_caught() {
    let check = |path: &str, code: &str, caught: &[&str]| {
        let files = BTreeMap::from([(PathBuf::from(path), code.to_owned())]);
        let found: Vec<String> = faults(&files)
            .iter()
            .map(|fault| fault.split(": ").last().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(found, caught, "{path}\n{code}");
    };
    let deep = "protect/mondrian/cut.rs";
    check(deep, "use crate::policy::Policy;\n", &["protect -> policy"]);
    check(deep, "use crate::data::Batch;\n", &[]);
    check(
        deep,
        "use crate::{\n    data::Batch,\n    io::{Sink, Source},\n};\n",
        &["protect -> io"],
    );
    check(
        deep,
        "fn f() {\n    crate::measure::info(\"x\");\n}\n",
        &["protect -> measure"],
    );
    check(
        deep,
        "use super::super::super::pipeline;\n",
        &["protect -> pipeline"],
    );
    check(deep, "use super::super::limits::Limits;\n", &[]);
    check(deep, "/// See [`crate::policy`].\nfn f() {}\n", &[]);
    check("error.rs", "use super::data::Batch;\n", &["error -> data"]);
    check("data/batch.rs", "use crate::{Error, Result};\n", &[]);
    check(
        "data/batch.rs",
        "#[cfg(test)]\nmod tests {\n    use crate::io::open;\n}\n\nuse crate::protect;\n",
        &["data -> protect"],
    );
    check(
        "guarantee/mod.rs",
        "#[cfg(test)]\nmod cases;\nuse crate::protect::Method;\n",
        &["guarantee -> protect"],
    );
    check(
        "newcomer/mod.rs",
        "use crate::error::Error;\n",
        &["newcomer has no line in ARROWS"],
    );
    check(
        "data/batch.rs",
        "use crate::stranger::Thing;\n",
        &["data -> stranger"],
    );
}

#[test]
fn files_that_only_tests_declare_are_exempt() {
    let files = BTreeMap::from([
        (
            PathBuf::from("io/mod.rs"),
            "#[cfg(test)]\nmod made_up;\n".to_owned(),
        ),
        (
            PathBuf::from("io/made_up.rs"),
            "use crate::protect::Method;\n".to_owned(),
        ),
    ]);
    assert_eq!(faults(&files), Vec::<String>::new());
}

#[test]
fn the_table_has_no_circle() {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    while known.len() < ARROWS.len() {
        let ready: Vec<&str> = ARROWS
            .iter()
            .filter(|(module, uses)| {
                !known.contains(module) && uses.iter().all(|u| known.contains(u))
            })
            .map(|(module, _)| *module)
            .collect();
        assert!(!ready.is_empty(), "a circle among all but {known:?}");
        known.extend(ready);
    }
}

/// Every source file below `folder`, by its path within it.
fn sources(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder of sources") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let inner = path.strip_prefix(folder).expect("below the folder");
                let text = std::fs::read_to_string(&path).expect("a readable source");
                files.insert(inner.to_owned(), text);
            }
        }
    }
    files
}

/// One line for each wrong arrow.
fn faults(files: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let exempt: BTreeSet<PathBuf> = files
        .iter()
        .flat_map(|(path, text)| test_modules(path, text))
        .collect();
    let mut faults = Vec::new();
    for (path, text) in files {
        let module = module_path(path);
        let Some(top) = module.first() else {
            continue;
        };
        if exempt.contains(&path.with_extension("")) {
            continue;
        }
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| name == top) else {
            faults.push(format!("{}: {top} has no line in ARROWS", path.display()));
            continue;
        };
        for used in uses(&without_comments(&without_tests(text)), module.len()) {
            if used != *top && !allowed.contains(&used.as_str()) {
                faults.push(format!("{}: {top} -> {used}", path.display()));
            }
        }
    }
    faults
}

/// The names from the crate's root to the file; none for `lib.rs`.
fn module_path(path: &Path) -> Vec<String> {
    let path = path.with_extension("");
    path.iter()
        .map(|part| part.to_string_lossy().into_owned())
        .filter(|part| part != "mod" && part != "lib")
        .collect()
}

/// The files, without endings, of modules that `path` declares for tests only.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let folder: PathBuf = module_path(path).iter().collect();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines
        .windows(2)
        .filter(|pair| pair[0] == "#[cfg(test)]")
        .filter_map(|pair| pair[1].strip_prefix("mod ")?.strip_suffix(';'))
        .map(|name| folder.join(name))
        .collect()
}

/// The text without the items that follow `#[cfg(test)]`.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        let indentation = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &str| {
            line.strip_prefix(indentation).is_some_and(|rest| {
                rest.starts_with('}') || (!rest.starts_with(' ') && rest.ends_with(';'))
            })
        };
        lines.by_ref().find(|line| ends(line));
    }
    kept
}

fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned() + "\n";
    text.lines().map(code).collect()
}

/// The top-level modules that `code`, `depth` modules below the root, names.
fn uses(code: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    let climb = "super::".repeat(depth);
    for start in ["crate::", climb.as_str()] {
        for (at, _) in code.match_indices(start) {
            let inside_a_name = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if !inside_a_name {
                found.extend(first_names(&code[at + start.len()..]));
            }
        }
    }
    found.retain(|name| name != "super");
    found
}

/// The name at the start of a path, or the names of a group in braces. What the
/// root itself offers, a type, comes from `error`.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let home = |name: String| match name.starts_with(char::is_uppercase) {
        true => "error".to_owned(),
        false => name,
    };
    let Some(group) = path.strip_prefix('{') else {
        return vec![home(name(path))];
    };
    let mut names = vec![name(group)];
    let mut depth = 1;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => names.push(name(&group[at + 1..])),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
        .into_iter()
        .filter(|n| !n.is_empty())
        .map(home)
        .collect()
}
