//! Policies as people write them on the server, and with the places that the server gives them.
//!
//! A policy of the server names no file: which data it is for is said beside it, hierarchies are
//! named by their names, keys as `secret:NAME`. What the library reads is the same text with the
//! places put in; what it says of a place is told for the text that people see.

use crate::problem::{Place, Problem, Result};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The places that the server gives to a policy.
#[derive(Clone, Debug)]
pub struct Places {
    /// The data, by a name whose ending tells the format.
    pub source: String,
    /// The release.
    pub sink: Option<String>,
    /// The page of the report.
    pub report: Option<String>,
    /// The ledger of the data set.
    pub ledger: Option<String>,
}

impl Places {
    /// Those of data alone, with the name that the library has for them.
    pub fn of_data(source: &str) -> Self {
        Places {
            source: source.to_owned(),
            sink: None,
            report: None,
            ledger: None,
        }
    }
}

/// A policy with its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// What the library reads.
    pub text: String,
    /// Where something was put in, in the text that people see, and how many bytes.
    inserted: Vec<(usize, usize)>,
}

/// Sections that are the server's alone, and what stands for them.
const OURS: &[(&str, &str)] = &[
    ("manifest", "the server makes a manifest of each release"),
    ("ledger", "the server keeps the ledger of each data set"),
    ("checkpoint", "the server keeps checkpoints of streams"),
    ("federation", "federations are started by `moretta site`"),
];

/// Keys that name files, of which the server decides.
const PATHS: &[(&str, &str)] = &[
    ("source", "path"),
    ("source", "population"),
    ("sink", "path"),
    ("sink", "certificate"),
    ("sink", "matrices"),
    ("sink", "edges"),
    ("report", "path"),
    ("report", "key"),
    ("graph", "path"),
];

/// Puts the places into a policy.
///
/// # Errors
/// When it is no TOML, or names places itself.
pub fn compose(text: &str, places: &Places) -> Result<Composed> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map(|span| place_of(text, span.start));
        // The sentence of the reader can hold what was written.
        Problem::new(422, "policy", "the policy is not TOML").at(at)
    })?;
    let table = table.get_ref();
    for (key, value) in table {
        if let Some((_, help)) = OURS.iter().find(|(name, _)| *name == key.get_ref()) {
            return Err(refused(
                text,
                key.span(),
                &format!("[{}] is not for policies of the server", key.get_ref()),
                help,
            ));
        }
        if let DeValue::Table(section) = value.get_ref() {
            for (inner, _) in section {
                if PATHS.contains(&(key.get_ref(), inner.get_ref())) {
                    let what = format!("`{}` of [{}] names a file", inner.get_ref(), key.get_ref());
                    return Err(refused(
                        text,
                        inner.span(),
                        &what,
                        "leave it out: the server knows the places",
                    ));
                }
            }
        }
    }
    for value in table.values() {
        check_keys(text, value)?;
    }
    let mut pieces: Vec<(usize, String)> = Vec::new();
    let wanted = [
        ("source", Some(&places.source)),
        ("sink", places.sink.as_ref()),
        ("report", places.report.as_ref()),
        ("ledger", places.ledger.as_ref()),
    ];
    let mut end = String::new();
    for (name, path) in wanted {
        let Some(path) = path else { continue };
        match table.iter().find(|(key, _)| key.get_ref() == name) {
            None => end += &format!("\n[{name}]\npath = \"{path}\"\n"),
            Some((key, _)) => {
                let at = end_of_header(text, key.span()).ok_or_else(|| {
                    refused(
                        text,
                        key.span(),
                        &format!("`{name}` is no section"),
                        &format!("write it as [{name}]"),
                    )
                })?;
                let before = if text[..at].ends_with('\n') { "" } else { "\n" };
                pieces.push((at, format!("{before}path = \"{path}\"\n")));
            }
        }
    }
    if !end.is_empty() {
        pieces.push((text.len(), end));
    }
    pieces.sort_by_key(|(at, _)| *at);
    let mut composed = Composed {
        text: String::new(),
        inserted: Vec::new(),
    };
    let mut done = 0;
    for (at, piece) in pieces {
        composed.text += &text[done..at];
        composed.text += &piece;
        composed.inserted.push((at, piece.len()));
        done = at;
    }
    composed.text += &text[done..];
    Ok(composed)
}

/// Refuses keys of the machine, wherever a policy names them.
fn check_keys(text: &str, value: &Spanned<DeValue<'_>>) -> Result<()> {
    match value.get_ref() {
        DeValue::String(written) if written.starts_with("env:") || written.starts_with("file:") => {
            Err(refused(
                text,
                value.span(),
                "a key is taken from the environment or from a file",
                "name a key of the project: \"secret:NAME\"",
            ))
        }
        DeValue::Array(values) => values.iter().try_for_each(|value| check_keys(text, value)),
        DeValue::Table(table) => table.values().try_for_each(|value| check_keys(text, value)),
        _ => Ok(()),
    }
}

/// The byte after the line of a header `[name]`, whose name has this place.
fn end_of_header(text: &str, name: Range<usize>) -> Option<usize> {
    let line = text[..name.start].rfind('\n').map_or(0, |at| at + 1);
    let header = text[line..name.start].trim_start();
    if header != "[" {
        return None;
    }
    let rest = &text[name.end..];
    Some(name.end + rest.find('\n').map_or(rest.len(), |at| at + 1))
}

fn refused(text: &str, span: Range<usize>, what: &str, help: &str) -> Problem {
    Problem::new(422, "policy", what)
        .help(help)
        .at(Some(place_of(text, span.start)))
}

impl Composed {
    /// The place in the text that people see of a byte of the text that the library reads.
    pub fn place(&self, written: &str, byte: usize) -> Option<Place> {
        let mut shift = 0;
        for (at, length) in &self.inserted {
            if byte < at + shift {
                break;
            }
            if byte < at + shift + length {
                // It is about what the server put in.
                return None;
            }
            shift += length;
        }
        Some(place_of(written, byte - shift))
    }
}

/// Line and character of a byte, counted from 1.
pub fn place_of(text: &str, byte: usize) -> Place {
    let before = text.get(..byte.min(text.len())).unwrap_or(text);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    Place {
        line: 1 + before.matches('\n').count() as u64,
        column: 1 + before[line..].chars().count() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places {
            source: "data.csv".to_owned(),
            sink: Some("release.csv".to_owned()),
            report: None,
            ledger: None,
        }
    }

    #[test]
    fn places_are_put_in_and_taken_out_of_errors() {
        let text =
            "version = 1\n[source] # read\ndelimiter = \";\"\n[columns]\na = { role = \"qasi\" }\n";
        let composed = compose(text, &places()).expect("composed");
        assert_eq!(
            composed.text,
            "version = 1\n[source] # read\npath = \"data.csv\"\ndelimiter = \";\"\n[columns]\n\
             a = { role = \"qasi\" }\n\n[sink]\npath = \"release.csv\"\n"
        );
        let wrong = composed.text.find("\"qasi\"").expect("there");
        let place = composed.place(text, wrong).expect("a place");
        assert_eq!((place.line, place.column), (5, 14));
        let ours = composed.text.find("data.csv").expect("there");
        assert_eq!(composed.place(text, ours), None);
    }

    #[test]
    fn what_names_files_is_refused_with_its_line() {
        for (text, line) in [
            ("version = 1\n[source]\npath = \"/etc/passwd\"\n", 3),
            ("[sink]\ncertificate = \"x\"\n", 2),
            ("a = 1\n[manifest]\npath = \"x\"\n", 2),
            ("source = { format = \"csv\" }\n", 1),
            (
                "[columns]\na = { role = \"subject\", key = \"env:KEY\" }\n",
                2,
            ),
            ("[columns]\na = { key = [\"file:../key\"] }\n", 2),
            ("version = [", 1),
        ] {
            let problem = compose(text, &places()).expect_err(text);
            assert_eq!((problem.status, problem.code), (422, "policy"));
            assert_eq!(problem.place.map(|place| place.line), Some(line), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_composed_or_refused(text in "\\PC{0,200}|(\\[(source|sink)\\]\n|a = 1\n|path = 1\n|\\[\\[x\\]\\]\n){0,8}") {
            if let Ok(composed) = compose(&text, &places()) {
                for byte in 0..=composed.text.len() {
                    let _ = composed.place(&text, byte);
                }
            }
        }
    }
}
