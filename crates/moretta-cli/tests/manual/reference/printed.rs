//! What the program prints of itself: pages of `explain`, and `--help` of every command.

use super::super::commands::moretta;
use super::keys::capital;
use std::path::Path;

/// What the program prints.
fn printed(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    let output = moretta(Path::new("."), &words, &[]);
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A page of `explain` whose first line is its title.
pub(super) fn explained(topic: &str) -> String {
    let page = printed(&["explain", topic]);
    let (title, rest) = page.split_once('\n').expect("more than a title");
    let (_, about) = title.split_once(": ").unwrap_or(("", title));
    format!("{}.\n{rest}", capital(about))
}

/// The names of topics of a kind, as `explain` lists them.
pub(super) fn topics(kind: &str) -> Vec<String> {
    let topics = printed(&["explain", "--json"]);
    let topics: Vec<[String; 3]> = serde_json::from_str(&topics).expect("a list of topics");
    let topics = topics.into_iter().filter(|[_, of, _]| of == kind);
    topics.map(|[name, ..]| name).collect()
}

/// The pages of all promises.
pub(super) fn promises() -> String {
    let page = |topic: &String| {
        let title = printed(&["explain", topic]);
        let (title, _) = title.split_once(": ").expect("a title");
        format!("## {}\n\n{}", title, explained(topic))
    };
    let promises = topics("promise");
    promises
        .iter()
        .map(page)
        .collect::<Vec<String>>()
        .join("\n")
}

/// `--help` of every command.
pub(super) fn commands() -> String {
    let mut text = format!("```text\n{}```\n", printed(&["--help"]));
    add(&[], "##", &mut text);
    text
}

/// `--help` of every generator.
pub(super) fn generators() -> String {
    let mut text = String::new();
    add(&["generate"], "##", &mut text);
    text
}

/// `--help` of each command below one; generators have a page of their own.
fn add(command: &[&str], heading: &str, text: &mut String) {
    for name in below(command) {
        let words = [command, &[name.as_str()]].concat();
        let help = printed(&[words.as_slice(), &["--help"]].concat());
        let called = words.join(" ");
        text.push_str(&format!(
            "\n{heading} `moretta {called}`\n\n```text\n{help}```\n"
        ));
        if words != ["generate"] {
            add(&words, &format!("{heading}#"), text);
        }
    }
}

/// The commands that `--help` of a command lists.
fn below(command: &[&str]) -> Vec<String> {
    let help = printed(&[command, &["--help"]].concat());
    let Some((_, commands)) = help.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let lines = commands.lines().take_while(|line| !line.is_empty());
    // A name is indented by two; what follows of its meaning is by more.
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}
