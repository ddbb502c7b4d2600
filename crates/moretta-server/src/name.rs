//! Names of things: shown to people, compared as people see them, never a path.

use crate::problem::{Problem, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// How many characters a name may have.
const LONGEST: usize = 100;

/// A name of 1 to 100 characters, in one form, without control characters and outer blanks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Name(String);

impl Name {
    /// Reads a name.
    ///
    /// # Errors
    /// When it is empty, too long, or holds what nobody sees.
    pub fn new(text: &str) -> Result<Self> {
        let name: String = text.nfc().collect();
        let name = name.trim();
        let hidden = |c: char| {
            c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
        };
        match name.is_empty() || name.chars().count() > LONGEST || name.chars().any(hidden) {
            true => Err(Problem::unusable(
                "a name has 1 to 100 characters, all of which can be seen",
            )),
            false => Ok(Name(name.to_owned())),
        }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The problem of a name that another one has, instead of what the store says.
    pub fn taken(&self, problem: Problem) -> Problem {
        match problem.code == crate::db::UNIQUE {
            true => {
                Problem::conflict("taken", "another one has this name").help("choose another name")
            }
            false => problem,
        }
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(from)?;
        Name::new(&text).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": LONGEST })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_people_see() {
        for (text, expected) in [
            (" ward-7 ", Some("ward-7")),
            ("e\u{301}", Some("é")),
            ("", None),
            ("   ", None),
            ("a\u{200b}b", None),
            ("a\nb", None),
            ("../../etc", Some("../../etc")),
        ] {
            let name = Name::new(text).ok();
            assert_eq!(name.as_ref().map(Name::text), expected, "{text:?}");
        }
        assert!(Name::new(&"x".repeat(101)).is_err());
    }
}
