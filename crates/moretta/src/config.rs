//! Named settings with their places in a file, read once and completely.
//!
//! A [`Section`] is one table of a policy. Its reader takes what it knows through
//! declarations ([`Parameter`]); what is left at the end is an unknown key and an
//! error with a suggestion. So no setting is ever ignored, and every error
//! points at its place.

mod parameter;
mod schema;
mod write;

pub use parameter::{
    Absent, Accepts, DURATION, Form, Length, NAMES, POSITIVE, POSITIVE_DURATION, Parameter,
    Protects, words,
};
pub use schema::object;
pub use write::{key, quoted, word};

use crate::data::parse_duration;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::ops::Range;

/// A value in a policy.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Whole(i64),
    /// A number with a fraction.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// Several values.
    List(Vec<Placed>),
    /// Named values.
    Table(Section),
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a text",
            Value::Whole(_) => "a whole number",
            Value::Number(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The value.
    pub value: Value,
    /// The bytes of the policy that hold it.
    pub span: Range<usize>,
}

impl Placed {
    /// An error about this value.
    pub fn error(&self, what: impl Into<String>) -> Error {
        Error::policy(what).at(self.span.clone())
    }

    fn wanted(&self, name: &str, wanted: &str) -> Error {
        self.error(format!("`{name}` is {}, not {wanted}", self.value.kind()))
    }

    /// The text.
    pub fn text(&self, name: &str) -> Result<String> {
        match &self.value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(self.wanted(name, "a text")),
        }
    }

    /// The number, whole or not; it must be finite.
    pub fn number(&self, name: &str) -> Result<f64> {
        match self.value {
            Value::Whole(n) => Ok(n as f64),
            Value::Number(n) if n.is_finite() => Ok(n),
            Value::Number(_) => Err(self.error(format!("`{name}` is not a finite number"))),
            _ => Err(self.wanted(name, "a number")),
        }
    }

    /// The whole number.
    pub fn whole<T: TryFrom<i64>>(&self, name: &str) -> Result<T> {
        let Value::Whole(n) = self.value else {
            return Err(self.wanted(name, "a whole number"));
        };
        T::try_from(n).map_err(|_| self.error(format!("`{name}` is too large a number")))
    }

    /// True or false.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.value {
            Value::Flag(flag) => Ok(flag),
            _ => Err(self.wanted(name, "true or false")),
        }
    }

    /// What one of these words means.
    pub fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T> {
        let text = self.text(name)?;
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let error = self.error(format!("`{name}` cannot be `{text}`"));
            unknown(error, &text, &names)
        })
    }

    /// The length of time, in milliseconds.
    pub fn duration(&self, name: &str) -> Result<i64> {
        let duration = parse_duration(&self.text(name)?);
        duration.ok_or_else(|| self.error(format!("`{name}` is a duration")))
    }

    /// The list.
    pub fn list(&self, name: &str) -> Result<&[Placed]> {
        match &self.value {
            Value::List(list) => Ok(list),
            _ => Err(self.wanted(name, "a list")),
        }
    }

    /// The list of texts.
    pub fn texts(&self, name: &str) -> Result<Vec<String>> {
        self.list(name)?
            .iter()
            .map(|item| item.text(name))
            .collect()
    }

    /// The table.
    pub fn table(&self, name: &str) -> Result<&Section> {
        match &self.value {
            Value::Table(section) => Ok(section),
            _ => Err(self.wanted(name, "a table")),
        }
    }
}

/// One table of settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// What it is called in messages, for example `[guarantee]`.
    name: String,
    span: Range<usize>,
    entries: BTreeMap<String, (Range<usize>, Placed)>,
    known: Vec<&'static str>,
}

impl Section {
    /// An empty section called `name`.
    pub fn new(name: impl Into<String>, span: Range<usize>) -> Self {
        Section {
            name: name.into(),
            span,
            ..Section::default()
        }
    }

    /// Adds a setting.
    pub fn insert(&mut self, key: &str, key_span: Range<usize>, value: Placed) {
        self.entries.insert(key.to_owned(), (key_span, value));
    }

    /// What the section is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names not yet taken, with the places of their keys, in the order of the file.
    pub fn keys(&self) -> Vec<(String, Range<usize>)> {
        let mut keys: Vec<_> = self
            .entries
            .iter()
            .map(|(key, (span, _))| (key.clone(), span.clone()))
            .collect();
        keys.sort_by_key(|(_, span)| span.start);
        keys
    }

    /// An error about the section as a whole.
    pub fn error(&self, what: impl Into<String>) -> Error {
        Error::policy(what).at(self.span.clone())
    }

    /// Where the value of a key stands; where the section begins if it has none.
    pub(crate) fn place(&self, key: &str) -> Range<usize> {
        let placed = self.entries.get(key).map(|(_, placed)| &placed.span);
        placed.unwrap_or(&self.span).clone()
    }

    /// Takes any value.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Placed> {
        self.known.push(key);
        self.entries.remove(key).map(|(_, value)| value)
    }

    /// Takes a value whose name comes from the data.
    pub fn take_named(&mut self, key: &str) -> Option<Placed> {
        self.entries.remove(key).map(|(_, value)| value)
    }

    /// Whether this key is there and was not taken.
    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// All values that were not taken, by name.
    pub fn values(&self) -> impl Iterator<Item = (&String, &Placed)> {
        self.entries.iter().map(|(key, (_, value))| (key, value))
    }

    /// A value that was not taken, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.entries
            .get_mut(key)
            .map(|(_, placed)| &mut placed.value)
    }

    /// Refuses keys that nobody declares, here and in the tables within, before anything is read: a
    /// misspelt key that must be given is named with its place, not the one that is missing.
    pub(crate) fn check_names(&self, declared: &[Parameter]) -> Result<()> {
        for (key, span) in self.keys() {
            let Some(parameter) = declared.iter().find(|known| known.name == key) else {
                let names: Vec<&str> = declared.iter().map(|known| known.name).collect();
                return Err(self.unknown_key(&key, span, &names));
            };
            // A value of another kind is refused when it is read.
            let Value::Table(within) = &self.entries[&key].1.value else {
                continue;
            };
            match parameter.accepts {
                Accepts::Table(keys) => within.check_names(keys)?,
                Accepts::By(_, Accepts::Table(keys)) => {
                    for (_, named) in within.values() {
                        if let Value::Table(named) = &named.value {
                            named.check_names(keys)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Everything must have been taken by now.
    pub fn finish(self) -> Result<()> {
        let Some((key, span)) = self.keys().into_iter().next() else {
            return Ok(());
        };
        Err(self.unknown_key(&key, span, &self.known))
    }

    fn unknown_key(&self, key: &str, span: Range<usize>, known: &[&str]) -> Error {
        let error = Error::policy(format!("unknown key `{key}` in {}", self.name)).at(span);
        unknown(error, key, known)
    }
}

/// Adds "did you mean …?" or the list of what is known.
pub fn unknown(error: Error, word: &str, known: &[&str]) -> Error {
    let nearest = known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(word, k), *k))
        .min();
    match nearest {
        Some((distance, k)) if distance <= 2.max(k.len() / 3) => {
            error.help(format!("did you mean `{k}`?"))
        }
        _ if known.is_empty() => error,
        _ => error.help(format!("known here: {}", known.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(key: &str, value: Value) -> Section {
        let mut section = Section::new("[guarantee]", 0..1);
        section.insert(key, 5..6, Placed { value, span: 9..10 });
        section
    }

    #[test]
    fn what_nobody_took_is_an_unknown_key_with_a_suggestion() {
        let mut section = section("sensitve", Value::Flag(true));
        assert_eq!(section.take("sensitive"), None);
        let error = section.finish().expect_err("unknown");
        assert_eq!(error.to_string(), "unknown key `sensitve` in [guarantee]");
        assert_eq!(error.help_text(), Some("did you mean `sensitive`?"));
    }

    #[test]
    fn wrong_types_and_ranges_are_errors() {
        let check = |value| {
            let mut section = section("k", value);
            let k = Parameter::new("k", Accepts::Whole(2, 9), Absent::Refused, "");
            section.whole::<i64>(&k).expect_err("fails").to_string()
        };
        assert_eq!(
            check(Value::Whole(0)),
            "`k` must be a whole number from 2 to 9"
        );
        assert_eq!(check(Value::Number(2.5)), "`k` must be a whole number");
        assert_eq!(
            check(Value::Text(String::new())),
            "`k` is a text, not a whole number"
        );
        let t = Parameter::new("t", Accepts::Number(0.0, 1.0), Absent::Refused, "");
        let nan = section("t", Value::Number(f64::NAN)).number(&t);
        assert_eq!(nan.expect_err("fails").exit_code(), 3);
    }
}
