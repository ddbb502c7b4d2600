//! The documentation of the interface and the page of the manual about it are committed, so that a
//! change of either is seen and meant.

use moretta_server::http::openapi_text;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn refresh() -> bool {
    std::env::var_os("MORETTA_REFRESH").is_some()
}

const AGAIN: &str = "MORETTA_REFRESH=1 cargo test --workspace --test server";

#[test]
fn the_committed_documentation_is_that_of_the_routes() {
    let path = here().join("openapi.json");
    let made = openapi_text();
    if refresh() {
        std::fs::write(&path, &made).expect("written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let what = "the interface has changed";
    assert!(
        committed == made,
        "{what}; {AGAIN} writes {}",
        path.display()
    );
}

#[test]
fn what_changes_a_version_names_it_and_what_is_done_once_can_have_a_key() {
    let document: Value = serde_json::from_str(&openapi_text()).expect("JSON");
    let has = |operation: &Value, name: &str| {
        let parameters = operation["parameters"].as_array().expect("a list");
        let found = parameters
            .iter()
            .find(|parameter| parameter["name"] == name);
        found.map(|parameter| parameter["required"] == true)
    };
    // These say by themselves what they go on from.
    let others = [
        "/me/factor",
        "/me/drafts/{draft}",
        "/projects/{project}/uploads/{upload}",
    ];
    let (mut versions, mut keys) = (0, 0);
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let path = path.strip_prefix("/api/v1").expect("below the interface");
        for (method, operation) in methods.as_object().expect("methods") {
            let named = has(operation, "If-Match");
            if ["put", "patch"].contains(&&**method) && !others.contains(&path) {
                assert_eq!(named, Some(true), "{method} {path}");
            }
            versions += usize::from(named.is_some());
            let key = has(operation, "Idempotency-Key");
            assert_ne!(key, Some(true), "{method} {path}");
            assert!(method != "get" || key.is_none(), "{path}");
            keys += usize::from(key.is_some());
        }
    }
    // As many as handlers that ask for it.
    let mut files = Vec::new();
    collect(&here().join("src"), &mut files);
    let texts = files
        .iter()
        .map(|file| std::fs::read_to_string(file).expect("a source"));
    let flags: usize = texts
        .map(|text| text.matches(".of_version()").count())
        .sum();
    assert_eq!(versions, flags);
    assert!(keys > 50, "{keys}");
}

#[test]
fn the_page_of_the_manual_is_what_the_lists_say() {
    let path = here().join("../../docs/src/reference/server.md");
    let mut page = std::fs::read_to_string(&path).expect("a page");
    let mut stale = Vec::new();
    for (name, made) in [
        ("settings of a server", settings()),
        ("routes of a server", routes()),
        ("acts in the log of a server", acts()),
    ] {
        let (start, end) = (
            format!("<!-- made: {name} -->\n"),
            format!("\n<!-- end of {name} -->"),
        );
        let (before, rest) = page.split_once(&start).expect(name);
        let (old, after) = rest.split_once(&end).expect(name);
        let made = format!("\n{}\n", made.trim());
        if old != made {
            stale.push(name);
        }
        page = format!("{before}{start}{made}{end}{after}");
    }
    if refresh() {
        std::fs::write(&path, page).expect("written");
    } else {
        assert!(stale.is_empty(), "stale: {stale:?}; {AGAIN} writes it");
    }
}

fn source(path: &str) -> String {
    std::fs::read_to_string(here().join("src").join(path)).expect("a source")
}

/// The fields of settings with what is said of them.
fn settings() -> String {
    let text = source("settings.rs");
    let of = |name: &str| {
        let start = format!("pub struct {name} {{\n");
        let (_, rest) = text.split_once(&start).expect("a struct");
        let (fields, _) = rest.split_once("\n}").expect("its end");
        let (mut about, mut hidden) = (Vec::new(), false);
        let mut rows = String::from("| setting | meaning |\n|---|---|\n");
        for line in fields.lines().map(str::trim) {
            if let Some(sentence) = line.strip_prefix("/// ") {
                about.push(sentence.trim_end_matches('.').to_owned());
            } else if line.starts_with("#[serde(skip)]") {
                hidden = true;
            } else if let Some((field, _)) =
                line.strip_prefix("pub ").and_then(|l| l.split_once(':'))
            {
                if !hidden && field != "limits" {
                    let name = field.replace('_', "-");
                    rows += &format!("| `{name}` | {} |\n", about.join(" "));
                }
                (about, hidden) = (Vec::new(), false);
            }
        }
        rows
    };
    format!("{}\n{}", of("Settings"), of("Limits"))
}

/// Every route under its right.
fn routes() -> String {
    let document: Value = serde_json::from_str(&openapi_text()).expect("JSON");
    let mut rows = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let path = path.strip_prefix("/api/v1").expect("below the interface");
        for (method, operation) in methods.as_object().expect("methods") {
            let right = &operation["x-right"];
            let to = right["to"].as_array().expect("a list").iter().map(|to| {
                let of = to["of"].as_str().or(to["kind"].as_str());
                match of.expect("a word") {
                    "anyone" => "everybody",
                    "half" => "who has shown a password",
                    "signed" => "who is signed in",
                    "raw" => "level 1",
                    "ingest" => "token of a stream",
                    word => word,
                }
                .to_owned()
            });
            let mut to: Vec<String> = to.collect();
            to.dedup();
            for (flag, word) in [("fresh", "fresh"), ("token", "token")] {
                if right[flag] == true {
                    to.push(format!("*{word}*"));
                }
            }
            rows.push(format!(
                "| `{}` | `{} {path}` | {} | {} |\n",
                right["name"].as_str().expect("a name"),
                method.to_ascii_uppercase(),
                operation["summary"].as_str().expect("a summary"),
                to.join(", ")
            ));
        }
    }
    rows.sort();
    format!(
        "| right | route | what it does | who |\n|---|---|---|---|\n{}",
        rows.concat()
    )
}

/// The names of acts that the code enters.
fn acts() -> String {
    let mut found = BTreeSet::new();
    let mut files = Vec::new();
    collect(&here().join("src"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(file).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for start in [".entry(\"", "act: \"", ".act = \""] {
            let after = code.split(start).skip(1);
            let names = after.filter_map(|rest| rest.split('"').next());
            let is_name = |name: &&str| {
                !name.is_empty()
                    && name
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b"-.".contains(&b))
            };
            found.extend(names.filter(is_name).map(str::to_owned));
        }
    }
    let names: Vec<String> = found.iter().map(|name| format!("`{name}`")).collect();
    assert!(names.len() > 10, "only {names:?}");
    names.join(" ")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
    files.sort();
}

/// The lines of the specification of security, privacy and failure.
const PROMISES: [(&str, usize); 3] = [("Security", 18), ("Privacy", 10), ("Failure", 7)];

#[test]
fn every_promise_has_a_test_and_every_test_that_is_named_is_there() {
    let page = here().join("../../docs/src/reference/server.md");
    let page = std::fs::read_to_string(page).expect("a page");
    let mut files = Vec::new();
    for folder in ["src", "tests", "../moretta-cli/tests"] {
        collect(&here().join(folder), &mut files);
    }
    let sources = files
        .iter()
        .filter(|file| file.extension().is_some_and(|e| e == "rs"));
    let code: String = sources
        .map(|file| std::fs::read_to_string(file).expect("a source"))
        .collect();
    for (section, lines) in PROMISES {
        let (_, rest) = page
            .split_once(&format!("\n### {section}\n"))
            .expect(section);
        let table = rest.split("\n#").next().unwrap_or_default();
        let rows = table.lines().filter(|line| line.starts_with("| "));
        let rows: Vec<&str> = rows.filter(|line| !line.starts_with("| promise")).collect();
        assert_eq!(rows.len(), lines, "{section}");
        for row in rows {
            let (_, tests) = row.trim_end_matches(" |").rsplit_once(" | ").expect(row);
            let tests: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
            assert!(!tests.is_empty(), "{row}");
            for test in tests {
                // One of ours is a function, or stands in the list of the program that kills.
                let is_there =
                    code.contains(&format!("fn {test}(")) || code.contains(&format!("\"{test}\""));
                assert!(is_there, "`{test}` is named, and there is none");
            }
        }
    }
}
