//! The pages of the manual and their blocks of code.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The languages of blocks, and what may be said of one behind its language.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("sh", &["exit"]),
    ("toml", &["like", "part", "file"]),
    ("csv", &["file"]),
    ("text", &["printed"]),
    ("rust", &[]),
];

/// A page, by its path from the root of the repository.
pub(crate) struct Page {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A block of code.
pub(crate) struct Block {
    pub(crate) language: String,
    /// Words behind the language, as names and values.
    marks: Vec<(String, String)>,
    pub(crate) text: String,
    /// The line of its fence, counted from 1.
    pub(crate) line: usize,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether what is made is to be written instead of compared.
pub(crate) fn refresh() -> bool {
    std::env::var_os("MORETTA_REFRESH").is_some()
}

/// README and all pages of the book.
pub(crate) fn manual() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned()];
    paths.extend(book());
    paths.iter().map(|path| Page::read(path)).collect()
}

/// The paths of the pages of the book, but for the summary.
pub(crate) fn book() -> Vec<String> {
    let mut paths = Vec::new();
    collect("docs/src", &mut paths);
    paths.retain(|path| path != "docs/src/SUMMARY.md");
    paths.sort();
    paths
}

fn collect(folder: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(root().join(folder)).expect("a folder of the book") {
        let entry = entry.expect("a readable entry");
        let name = entry.file_name().into_string().expect("a plain name");
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() {
            collect(&path, paths);
        } else if name.ends_with(".md") {
            paths.push(path);
        }
    }
}

impl Page {
    pub(crate) fn read(path: &str) -> Self {
        let text = fs::read_to_string(root().join(path));
        Page {
            path: path.to_owned(),
            text: text.unwrap_or_else(|error| panic!("{path}: {error}")),
        }
    }

    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut inside = false;
        for (index, line) in self.text.lines().enumerate() {
            match (line.strip_prefix("```"), inside) {
                (Some(info), false) => blocks.push(Block::new(info, index + 1)),
                (None, true) => {
                    let block = blocks.last_mut().expect("a block was begun");
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                _ => {}
            }
            inside ^= line.starts_with("```");
        }
        assert!(!inside, "{}: a block is not closed", self.path);
        blocks
    }

    /// The page without its blocks of code.
    pub(crate) fn prose(&self) -> String {
        let mut inside = false;
        let outside = self.text.lines().filter(|line| {
            let fence = line.starts_with("```");
            inside ^= fence;
            !inside && !fence
        });
        outside.map(|line| format!("{line}\n")).collect()
    }
}

impl Block {
    fn new(info: &str, line: usize) -> Self {
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or_default().to_owned();
        let marks = words.map(|word| {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            (name.to_owned(), value.to_owned())
        });
        Block {
            language,
            marks: marks.collect(),
            text: String::new(),
            line,
        }
    }

    /// What stands behind the language as `name=value`, or `name` alone.
    pub(crate) fn mark(&self, name: &str) -> Option<&str> {
        let mut marks = self.marks.iter();
        let (_, value) = marks.find(|(marked, _)| marked == name)?;
        Some(value)
    }
}

/// Replaces the only place of a page that holds `old`.
pub(crate) fn replace(path: &str, old: &str, new: &str) {
    change(path, |page| {
        assert_eq!(page.text.matches(old).count(), 1, "{path} has once:\n{old}");
        page.text.replacen(old, new, 1)
    });
}

/// Replaces what is inside of a block of a page, the first of which has index 0.
pub(crate) fn replace_block(path: &str, index: usize, new: &str) {
    change(path, |page| {
        let (mut text, mut fences) = (String::new(), 0);
        for line in page.text.lines() {
            let fence = line.starts_with("```");
            if fence || fences != 2 * index + 1 {
                text.push_str(&format!("{line}\n"));
            }
            fences += usize::from(fence);
            if fence && fences == 2 * index + 1 {
                text.push_str(new);
            }
        }
        text
    });
}

/// Changes a page, one at a time.
fn change(path: &str, changed: impl FnOnce(&Page) -> String) {
    static WRITING: Mutex<()> = Mutex::new(());
    let _turn = WRITING.lock().expect("nobody failed while writing");
    let text = changed(&Page::read(path));
    fs::write(root().join(path), text).expect("written");
}

#[test]
fn every_block_says_what_it_is() {
    for page in manual() {
        for block in page.blocks() {
            let place = format!("{}: line {}", page.path, block.line);
            let mut languages = LANGUAGES.iter();
            let known = languages.find(|(language, _)| *language == block.language);
            let (_, marks) = known.unwrap_or_else(|| panic!("{place}: `{}`", block.language));
            for (name, _) in &block.marks {
                assert!(marks.contains(&name.as_str()), "{place}: mark `{name}`");
            }
        }
    }
}
