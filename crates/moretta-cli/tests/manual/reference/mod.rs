//! The pages of reference that are made from the program's lists.
//!
//! A made part of a page stands between `<!-- made: NAME -->` and `<!-- end of NAME -->`. The
//! test compares it with what the lists give; with `MORETTA_REFRESH` it writes it, and the page
//! where there is none yet.

mod keys;
mod lists;
mod printed;

use super::pages::{Page, refresh, replace, root};
use moretta::protect::METHODS;
use std::fs;

/// A part of a page.
struct Part {
    /// The page, below the reference of the book.
    page: String,
    name: &'static str,
    text: String,
}

impl Part {
    fn new(page: &str, name: &'static str, text: String) -> Self {
        Part {
            page: page.to_owned(),
            name,
            text,
        }
    }

    /// As it stands in its page.
    fn marked(&self, text: &str) -> String {
        let name = self.name;
        format!(
            "<!-- made: {name} -->\n\n{}\n\n<!-- end of {name} -->",
            text.trim()
        )
    }
}

/// Every part that is made.
fn parts() -> Vec<Part> {
    let mut parts = vec![
        Part::new("policy.md", "keys of a policy", keys::policy()),
        Part::new("roles.md", "roles", printed::explained("roles")),
        Part::new(
            "hierarchies.md",
            "hierarchies",
            printed::explained("hierarchies"),
        ),
        Part::new("promises.md", "promises", printed::promises()),
        Part::new("streams.md", "checkpoint", printed::explained("checkpoint")),
        Part::new("streams.md", "lateness", printed::explained("lateness")),
        Part::new("streams.md", "rotate", printed::explained("rotate")),
        Part::new("goal.md", "goal", printed::explained("goal")),
        Part::new("evolve.md", "evolve", printed::explained("evolve")),
        Part::new("ledger.md", "ledger", printed::explained("ledger")),
        Part::new("levels.md", "levels", printed::explained("levels")),
        Part::new("graph.md", "graph", printed::explained("graph")),
        Part::new(
            "federation.md",
            "federation",
            printed::explained("federation"),
        ),
        Part::new("manifest.md", "manifest", printed::explained("manifest")),
        Part::new("rules.md", "rules", printed::explained("rules")),
        Part::new("methods.md", "methods", lists::methods()),
        Part::new(
            "measures.md",
            "measures of tables",
            lists::measures_of_tables(),
        ),
        Part::new(
            "measures.md",
            "measures of records",
            lists::measures_of_records(),
        ),
        Part::new(
            "measures.md",
            "measures of streams",
            lists::measures_of_streams(),
        ),
        Part::new("attacks.md", "attackers", printed::explained("attackers")),
        Part::new("attacks.md", "attacks", lists::attacks()),
        Part::new("learners.md", "learners", lists::learners()),
        Part::new("formats.md", "formats", lists::formats()),
        Part::new("generators.md", "generators", printed::generators()),
        Part::new("commands.md", "commands", printed::commands()),
        Part::new("exit-codes.md", "exit codes", lists::exit_codes()),
    ];
    let method = |info| Part::new(&lists::page_of(info), "method", lists::method(info));
    parts.extend(METHODS.iter().map(method));
    parts
}

#[test]
fn the_reference_is_what_the_lists_say() {
    let mut stale = Vec::new();
    for part in parts() {
        let path = format!("docs/src/reference/{}", part.page);
        let made = part.marked(&part.text);
        if refresh() && !root().join(&path).exists() {
            fs::write(root().join(&path), format!("{made}\n")).expect("written");
        }
        let Page { text, .. } = Page::read(&path);
        if text.contains(&made) {
            continue;
        }
        let start = format!("<!-- made: {} -->\n\n", part.name);
        let end = format!("\n\n<!-- end of {} -->", part.name);
        let old = text
            .split_once(&start)
            .and_then(|(_, rest)| rest.split_once(&end));
        let (old, _) = old.unwrap_or_else(|| panic!("{path} has no part `{}`", part.name));
        if refresh() {
            replace(&path, &format!("{start}{old}{end}"), &made);
        } else {
            stale.push(format!("{path}: {}", part.name));
        }
    }
    let again = "MORETTA_REFRESH=1 cargo test --workspace --test manual";
    assert!(
        stale.is_empty(),
        "stale; {again} writes\n{}",
        stale.join("\n")
    );
}

#[test]
fn the_summary_names_the_methods_in_their_order() {
    let line = |info| {
        format!(
            "    - [{}](reference/{})\n",
            lists::name_of(info),
            lists::page_of(info)
        )
    };
    let expected: String = METHODS.iter().map(line).collect();
    let summary = Page::read("docs/src/SUMMARY.md");
    let named = summary
        .text
        .lines()
        .filter(|line| line.contains("(reference/methods/"));
    let named: String = named.map(|line| format!("{line}\n")).collect();
    if named != expected && refresh() {
        replace(&summary.path, &named, &expected);
    } else {
        assert_eq!(named, expected);
    }
}

#[test]
fn every_page_of_explain_is_in_the_reference() {
    let parts = parts();
    for topic in printed::topics("policy") {
        assert!(parts.iter().any(|part| part.name == topic), "{topic}");
    }
}

#[test]
fn the_guide_to_methods_names_each() {
    let guide = Page::read("docs/src/how-to/choose-a-method.md").text;
    for info in METHODS {
        let link = format!("(../reference/methods/{}.md)", info.name);
        assert!(guide.contains(&link), "{} is missing", info.name);
    }
}

/// A table of these rows, the first of them its head.
fn table(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
        if index == 0 {
            text.push_str(&format!("|{}\n", "---|".repeat(row.len())));
        }
    }
    text
}

/// A head of a table.
fn head<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
