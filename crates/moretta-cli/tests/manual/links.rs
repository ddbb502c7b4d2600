//! Every link leads somewhere, every page of the book is in its summary, and README is short.

use super::pages::{Page, book, manual, root};
use std::path::{Component, Path, PathBuf};

/// Lines that README may have.
const README_LINES: usize = 200;

#[test]
fn the_readme_is_one_page() {
    let lines = Page::read("README.md").text.lines().count();
    assert!(
        lines <= README_LINES,
        "{lines} lines; the rest belongs into docs/src"
    );
}

#[test]
fn every_page_is_in_the_summary_once() {
    let summary = Page::read("docs/src/SUMMARY.md");
    let mut listed: Vec<String> = links(&summary.text)
        .into_iter()
        .map(|link| format!("docs/src/{link}"))
        .collect();
    listed.sort();
    assert_eq!(listed, book());
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = manual();
    let others = [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "bench/README.md",
        "docs/src/SUMMARY.md",
    ];
    pages.extend(others.map(Page::read));
    let mut faults = Vec::new();
    for page in &pages {
        for link in links(&page.prose()) {
            if let Err(fault) = follow(page, &link) {
                faults.push(format!("{}: {link}: {fault}", page.path));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn follow(page: &Page, link: &str) -> Result<(), &'static str> {
    if link.starts_with("https://") {
        return Ok(());
    }
    let (file, anchor) = match link.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (link, None),
    };
    let target = match file {
        "" => page.path.clone(),
        file => resolved(&page.path, file).ok_or("it leaves the repository")?,
    };
    if page.path.starts_with("docs/src/") && !target.starts_with("docs/src/") {
        return Err("a book that is built elsewhere lacks it");
    }
    if !root().join(&target).exists() {
        return Err("no such file");
    }
    let there = match anchor {
        Some(anchor) => anchors(&Page::read(&target)).contains(&anchor.to_owned()),
        None => true,
    };
    there.then_some(()).ok_or("no such heading")
}

/// The path from the root of what `file` is seen from `page`.
fn resolved(page: &str, file: &str) -> Option<String> {
    let mut path = PathBuf::from(page);
    path.pop();
    for part in Path::new(file).components() {
        match part {
            Component::ParentDir if path.pop() => {}
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(path.to_str()?.to_owned())
}

/// The targets of links and pictures, outside of code.
fn links(text: &str) -> Vec<String> {
    let outside: String = text.split('`').step_by(2).collect::<Vec<&str>>().join("`");
    let links = outside.split("](").skip(1);
    links
        .filter_map(|link| Some(link.split_once(')')?.0.to_owned()))
        .collect()
}

/// What headings are called in addresses, as mdBook and GitHub have it.
fn anchors(page: &Page) -> Vec<String> {
    let prose = page.prose();
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_in_code_are_none() {
    assert_eq!(
        links("[a](b.md#c) and `[d](e)` and ![f](g.png)"),
        ["b.md#c", "g.png"]
    );
}
