//! Methods, measures, attacks, learners, formats and exit codes, from the lists of the library.

use super::super::pages::Page;
use super::keys::{capital, parameters};
use super::{head, table};
use moretta::config::Parameter;
use moretta::error::EXIT_CODES;
use moretta::io::FORMATS;
use moretta::learn::{LEARNERS, LearnerInfo};
use moretta::measure::{Info, LIST, Of};
use moretta::protect::{Family, METHODS, MethodInfo};

pub(super) fn name_of(info: &MethodInfo) -> &'static str {
    info.name
}

/// The page of a method, below the reference.
pub(super) fn page_of(info: &MethodInfo) -> String {
    format!("methods/{}.md", info.name)
}

/// Every method with what it works on.
pub(super) fn methods() -> String {
    let mut rows = vec![head(["method", "works on", "what it does"])];
    rows.extend(METHODS.iter().map(|info| {
        let waits = info.parameters.iter().any(|one| one.name == "buffer");
        let works_on = match info.family {
            Family::Table if waits => "tables, and records of streams",
            Family::Table => "tables",
            Family::Items => "tables of items",
            Family::Stream => "streams of events",
            Family::Filter => "records of tables and streams",
            Family::Sample => "tables, of which a sample leaves",
        };
        let name = format!("[`{}`]({})", info.name, page_of(info));
        vec![name, works_on.to_owned(), info.about()]
    }));
    table(&rows)
}

/// The policy that examples of pages are parts of.
const POLICY: &str = "examples/research-extract/policy.toml";

/// The page of a method: what `explain` shows, with its parameters as a table.
pub(super) fn method(info: &MethodInfo) -> String {
    // A policy with the columns that the example of the page names.
    let policy = match info.name {
        "recoding" => "examples/registry/policy.toml",
        "km-anonymity" => "examples/baskets/policy.toml",
        "resampling" | "shuffling" => "examples/accounts/policy.toml",
        _ => POLICY,
    };
    let page = as_page(&info.page(), policy);
    let keys = parameters(info.parameters);
    format!("# `{}`\n\n{page}\n\n## Parameters\n\n{keys}", info.name)
}

/// Module documentation as a page: its examples are Rust, or parts of a policy.
fn as_page(documentation: &str, policy: &str) -> String {
    let mut inside = false;
    let lines = documentation.lines().map(|line| {
        let fence = line.starts_with("```");
        inside ^= fence;
        match line {
            "```" if inside => "```rust".to_owned(),
            "```toml" => format!("```toml part={policy}"),
            _ => line.to_owned(),
        }
    });
    lines.collect::<Vec<String>>().join("\n")
}

pub(super) fn measures_of_tables() -> String {
    measures(|info| info.is_of(true, false))
}

pub(super) fn measures_of_records() -> String {
    measures(|info| info.is_of(false, true))
}

pub(super) fn measures_of_streams() -> String {
    measures(|info| matches!(info.of, Of::Events))
}

fn measures(listed: impl Fn(&&Info) -> bool) -> String {
    let mut rows = vec![head(["measure", "of", "meaning"])];
    rows.extend(LIST.iter().filter(listed).map(|info| {
        let name = format!("`{}`", info.name);
        vec![name, info.family.word().to_owned(), info.meaning.to_owned()]
    }));
    table(&rows)
}

/// Every learner with its options.
pub(super) fn learners() -> String {
    let mut rows = vec![head(["learner", "what it is"])];
    rows.extend(
        LEARNERS
            .iter()
            .map(|info| vec![format!("`{}`", info.name), info.meaning.to_owned()]),
    );
    let mut text = table(&rows);
    for info in LEARNERS.iter().filter(|info| !info.options.is_empty()) {
        text.push_str(&format!(
            "\n## Options of `{}`\n\n{}",
            info.name,
            options(info)
        ));
    }
    text
}

fn options(info: &LearnerInfo) -> String {
    let options: Vec<Parameter> = info.options.iter().copied().flatten().copied().collect();
    parameters(&options)
}

pub(super) fn formats() -> String {
    let mut rows = vec![head(["`format`", "ending"])];
    rows.extend(FORMATS.iter().map(|info| {
        let endings = info.endings.iter().map(|ending| format!("`.{ending}`"));
        let endings: Vec<String> = endings.collect();
        vec![format!("`{}`", info.name), endings.join(" ")]
    }));
    table(&rows)
}

pub(super) fn exit_codes() -> String {
    let mut rows = vec![head(["code", "meaning"])];
    rows.extend(
        EXIT_CODES
            .iter()
            .map(|(code, meaning)| vec![code.to_string(), (*meaning).to_owned()]),
    );
    table(&rows)
}

/// The documentation of each public module of attacks.
pub(super) fn attacks() -> String {
    let modules = |folder: &str| -> Vec<String> {
        let list = Page::read(&format!("crates/moretta/src/attack/{folder}mod.rs")).text;
        let lines = list.lines();
        let names = lines.filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        names.map(|name| format!("{folder}{name}")).collect()
    };
    let mut all = modules("");
    all.extend(modules("table/"));
    let pages: Vec<String> = all.iter().map(|module| attack(module)).collect();
    assert!(pages.len() >= 12, "only {} attacks", pages.len());
    pages.join("\n")
}

fn attack(module: &str) -> String {
    let folder = "crates/moretta/src/attack";
    let paths = [
        format!("{folder}/{module}.rs"),
        format!("{folder}/{module}/mod.rs"),
    ];
    let exists = |path: &&String| super::root().join(path).exists();
    let path = paths.iter().find(exists).expect(module);
    let source = Page::read(path).text;
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let page: String = lines
        .map(|line| format!("{}\n", line.trim_start()))
        .collect();
    let name = module.rsplit('/').next().unwrap_or(module);
    let heading = capital(&name.replace('_', " "));
    format!("## {heading}\n\n{}\n", as_page(page.trim(), POLICY))
}
