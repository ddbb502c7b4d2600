//! Paths lose their last parts: with the separator `/`, a/b/c, a/b, a, *.
//!
//! The most general part comes first. A path that is whole in one row and the
//! beginning of another in a second row is one path. Parts may be empty and are
//! not trimmed, so `/b` generalises to the empty path. Shorter paths repeat
//! themselves from the bottom, as if padded on the right: beside a/b/c the path
//! a is a, a, a, *.
//!
//! Costs one pass over the values a level; more than 63 parts are refused. A
//! single path climbs in one pass over its text and may have any number of parts.

use super::labels::Labels;
use super::{Hierarchy, MAX_LEVELS, Rungs};
use crate::data::levels::Levels;
use crate::error::{Error, Result};
use memchr::memmem::Finder;

pub(super) fn build(separator: &str, column: &str, values: &Levels) -> Result<Hierarchy> {
    check(separator, column)?;
    let parts = |text: &str| text.matches(separator).count() + 1;
    let deepest = values.iter().map(parts).max().unwrap_or(0);
    if deepest >= MAX_LEVELS {
        let deep = values
            .iter()
            .filter(|text| parts(text) >= MAX_LEVELS)
            .count();
        return Err(Error::policy(format!(
            "column `{column}`: {deep} paths have more than {} parts",
            MAX_LEVELS - 1
        ))
        .help("is it the right separator?"));
    }
    let mut levels: Vec<Labels> = vec![values.iter().collect()];
    for kept in (1..deepest).rev() {
        let prefixes = values.iter().map(|text| prefix(text, separator, kept));
        levels.push(Labels::by_key(prefixes, |prefix, label| {
            label.push_str(prefix)
        }));
    }
    Ok(Hierarchy::growing(levels))
}

fn check(separator: &str, column: &str) -> Result<()> {
    match separator.is_empty() {
        false => Ok(()),
        true => Err(Error::policy(format!(
            "column `{column}`: the separator of the path is empty"
        ))
        .help("name the text between the parts, for example path = \"/\"")),
    }
}

/// What stands between the parts, ready to be searched for.
#[derive(Clone, Debug)]
pub(super) enum Separator {
    Byte(u8),
    Text(Box<Finder<'static>>),
}

impl Separator {
    pub(super) fn new(separator: &str, column: &str) -> Result<Self> {
        check(separator, column)?;
        Ok(match separator.as_bytes() {
            &[byte] => Separator::Byte(byte),
            text => Separator::Text(Box::new(Finder::new(text).into_owned())),
        })
    }

    /// The path and then its beginnings, the shortest last. False when it has too many parts.
    pub(super) fn climb(&self, path: &str, rungs: &mut Rungs) -> bool {
        let bytes = path.as_bytes();
        let parts = match self {
            Separator::Byte(byte) => 1 + memchr::memchr_iter(*byte, bytes).count(),
            Separator::Text(finder) => 1 + finder.find_iter(bytes).count(),
        };
        if parts > MOST_PARTS {
            return false;
        }
        match self {
            Separator::Byte(byte) => rungs.beginnings(path, memchr::memchr_iter(*byte, bytes)),
            Separator::Text(finder) => rungs.beginnings(path, finder.find_iter(bytes)),
        }
        true
    }
}

/// A path with more parts is not climbed: each of its beginnings would be read again and again.
pub const MOST_PARTS: usize = 256;

/// The first `kept` parts.
fn prefix<'a>(text: &'a str, separator: &str, kept: usize) -> &'a str {
    let end = text.match_indices(separator).nth(kept - 1);
    &text[..end.map_or(text.len(), |(end, _)| end)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chains(separator: &str, values: &[&str]) -> Vec<String> {
        let h = build(separator, "place", &values.iter().collect()).expect("paths");
        let chain = |leaf| h.chain(leaf).collect::<Vec<_>>().join(" ");
        (0..h.leaf_count() as u32).map(chain).collect()
    }

    #[test]
    fn parts_go_one_by_one() {
        assert_eq!(
            chains("*", &["a*b*c", "x", "a*b", "a", "a**"]),
            [
                "a*b*c a*b a *",
                "a*b a*b a *",
                "a a a *",
                "a** a* a *",
                "x x x *"
            ]
        );
        assert_eq!(chains("/", &["a/b"]), ["a/b a *"]);
        assert_eq!(chains(" > ", &["a > b", " > "]), ["a > b a *", " >   *"]);
        assert_eq!(chains("/", &["a", "b"]), ["a *", "b *"]);
    }

    #[test]
    fn a_path_that_is_whole_here_and_a_beginning_there_is_one_path() {
        let h = build("*", "place", &["a", "a*b", "c*d"].iter().collect()).expect("paths");
        let (level, node) = h.find("a").expect("a node");
        assert_eq!(h.leaves_under(level, node).len(), 2);
    }

    #[test]
    fn an_empty_separator_and_endless_paths_are_refused() {
        let deep = "/".repeat(70);
        for separator in ["", "/"] {
            let error = build(separator, "c", &[&deep].iter().collect()).expect_err("refused");
            assert_eq!(error.exit_code(), 3);
        }
    }

    proptest! {
        #[test]
        fn a_path_is_always_a_tree_of_prefixes(
            values in proptest::collection::hash_set("[ab/]{0,6}", 0..30),
        ) {
            let levels: Levels = values.iter().collect();
            let h = build("/", "c", &levels).expect("paths");
            for text in levels.iter() {
                let leaf = h.leaf(text).expect("a leaf");
                let chain: Vec<&str> = h.chain(leaf).collect();
                prop_assert_eq!(chain.last(), Some(&"*"));
                for label in &chain[..chain.len() - 1] {
                    let beginning = format!("{label}/");
                    prop_assert!(text == *label || text.starts_with(&beginning));
                }
                for level in 0..h.level_count() {
                    prop_assert!(h.leaves_under(level, h.node(level, leaf)).contains(&leaf));
                }
            }
        }
    }
}
