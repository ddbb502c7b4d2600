//! Settings written through the declarations by which they are read, and as TOML.
//!
//! A [`Section`] that is put together here is what a reader would have got of its text. What holds
//! anyway is left out.

use super::{Parameter, Placed, Section, Value};
use crate::data::{duration_text, is_invisible};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

impl Section {
    /// Sets a value, unless it is the default or a table without entries.
    pub fn set(&mut self, parameter: &Parameter, value: impl Into<Value>) {
        let value = value.into();
        let empty = matches!(&value, Value::Table(table) if table.entries.is_empty());
        if !empty && parameter.default_value().as_ref() != Some(&value) {
            self.put(parameter.name, value);
        }
    }

    /// Sets a value that may be absent.
    pub fn set_optional(&mut self, parameter: &Parameter, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(parameter, value);
        }
    }

    /// Sets one of the words by which the parameter was declared.
    pub fn set_word<T: PartialEq>(
        &mut self,
        parameter: &Parameter,
        words: &[(&'static str, T)],
        value: T,
    ) {
        self.set_optional(parameter, word(words, &value));
    }

    /// Sets a length of time in milliseconds.
    pub fn set_duration(&mut self, parameter: &Parameter, milliseconds: i64) {
        self.set(parameter, duration_text(milliseconds));
    }

    /// Adds a value whose name comes from the data, behind all others.
    pub fn put(&mut self, key: &str, value: impl Into<Value>) {
        let place = self.entries.len();
        let value = Placed::from(value.into());
        self.insert(key, place..place, value);
    }
}

/// The word of a list that means this value.
pub fn word<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> Option<&'static str> {
    let mut words = words.iter();
    words
        .find(|(_, meaning)| meaning == value)
        .map(|(word, _)| *word)
}

impl From<Value> for Placed {
    fn from(value: Value) -> Self {
        Placed { value, span: 0..0 }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::Text(text.clone())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Flag(flag)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

/// A number beyond those of a policy is written as one with a fraction, which is refused when
/// it is read.
macro_rules! whole {
    ($($type:ty),+) => {
        $(impl From<$type> for Value {
            fn from(number: $type) -> Self {
                i64::try_from(number).map_or(Value::Number(number as f64), Value::Whole)
            }
        })+
    };
}

whole!(u8, u32, u64, usize);

impl From<Section> for Value {
    fn from(section: Section) -> Self {
        Value::Table(section)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Self {
        let placed = list.into_iter().map(|value| Placed::from(value.into()));
        Value::List(placed.collect())
    }
}

impl<T: Into<Value>> From<BTreeMap<String, T>> for Value {
    fn from(map: BTreeMap<String, T>) -> Self {
        let mut section = Section::default();
        for (key, value) in map {
            section.put(&key, value);
        }
        Value::Table(section)
    }
}

/// A value as TOML, in one line.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(&quoted(text)),
            Value::Whole(n) => write!(f, "{n}"),
            Value::Number(n) if n.fract() == 0.0 && n.abs() < 1e15 => write!(f, "{n:.0}"),
            Value::Number(n) => write!(f, "{n:?}"),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::List(list) => {
                let list: Vec<String> = list.iter().map(|item| item.value.to_string()).collect();
                write!(f, "[{}]", list.join(", "))
            }
            Value::Table(section) => {
                let lines: Vec<String> = section.lines().collect();
                write!(f, "{{ {} }}", lines.join(", "))
            }
        }
    }
}

impl Section {
    /// Its entries as TOML, `key = value` each, in their order.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(_, (span, _))| span.start);
        let lines = entries.into_iter();
        lines.map(|(name, (_, placed))| format!("{} = {}", key(name), placed.value))
    }
}

/// A TOML key, quoted when it is not a bare one.
pub fn key(name: &str) -> String {
    let bare = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.to_owned() } else { quoted(name) }
}

/// A TOML text.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() || is_invisible(c) => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
