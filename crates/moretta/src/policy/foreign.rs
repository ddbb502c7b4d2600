//! A file that is no policy may be the data, so nothing of it is told.
//!
//! People give the data where a policy is expected. What is wrong with a line
//! cannot be said without the line, and the line may be about a person.

use super::schema::KEYS;
use crate::error::Error;

/// Characters of a version, at most, with its quotes.
const LONGEST_VERSION: usize = 8;

/// The file is something else.
pub(super) fn error() -> Error {
    Error::policy("this file is no policy")
        .help(
            "give a policy, which begins with `version = 1`: `moretta init DATA` makes one; \
             `moretta learn DATA --class COLUMN` learns from data without one",
        )
        .secret()
}

/// The error as it is when `text` is meant to be a policy; else one that shows nothing of it.
pub(super) fn without_content(found: Error, text: &str) -> Error {
    match found {
        Error::Policy(_) if !is_meant_as_policy(text) => error(),
        _ => found,
    }
}

fn is_meant_as_policy(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    text.trim().is_empty() || text.lines().any(|line| is_version(line) || is_head(line))
}

/// `version = 1`, and no longer text that happens to begin so.
fn is_version(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default();
    let Some((key, value)) = line.split_once('=') else {
        return false;
    };
    let value = value.trim();
    key.trim().trim_matches('"') == "version"
        && value.len() <= LONGEST_VERSION
        && !value.contains([' ', ',', ';', '\t'])
}

/// `[source]`, `[[protect]]` or `[columns.age]`.
fn is_head(line: &str) -> bool {
    let Some(inner) = line.trim().strip_prefix('[') else {
        return false;
    };
    let inner = inner.trim_start_matches('[');
    inner.split_once(']').is_some_and(|(name, _)| {
        let first = name.split('.').next().unwrap_or_default();
        let mut sections = KEYS.iter().filter(|key| !key.inner().is_empty());
        sections.any(|section| section.name == first.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_known_by_its_version_or_a_section() {
        for (text, expected) in [
            ("", true),
            ("version = 1", true),
            ("\u{feff}# ours\nversion=2 # newer\n", true),
            ("\"version\" = 1", true),
            ("k = = 5\n[ source ]\n", true),
            ("[[protect]]\nmethod", true),
            ("[columns.age]", true),
            ("name,age\nJane,44\n", false),
            ("version,age\n1,44\n", false),
            ("version=1 user=Jane\n", false),
            ("name = \"Jane\"\nage = 44\n", false),
            ("{\"version\": 1, \"name\": \"Jane\"}", false),
            ("[\"source\", \"Jane\"]", false),
            ("[patients]\nname = \"Jane\"", false),
        ] {
            assert_eq!(is_meant_as_policy(text), expected, "{text}");
        }
    }

    #[test]
    fn other_errors_stay_as_they_are() {
        let told = |error: Error, text: &str| without_content(error, text).to_string();
        let wrong = || Error::policy("`Jane` is unknown").at(0..4);
        assert_eq!(told(wrong(), "version = 1"), "`Jane` is unknown");
        assert_eq!(told(wrong(), "Jane,44"), "this file is no policy");
        assert_eq!(told(Error::usage("no such folder"), "x"), "no such folder");
    }
}
