//! Objects of JSON lines of which a few fields are wanted, whatever else they have.

use crate::engine::Progress;
use crate::error::{Error, Result};
use crate::io::{LineBlocks, ReadOptions};
use rayon::prelude::*;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::atomic::Ordering;

/// What is wrong with a line, without a value of it.
pub(super) type Flaw = &'static str;

/// Reads a file line by line: `parse` makes something of each line, side by side, and `take` gets
/// it in the order of the file. Gives the number of lines that are not blank.
///
/// # Errors
/// When the file cannot be read, or either finds a flaw.
pub(super) fn read<T: Send>(
    path: &Path,
    progress: &Progress,
    parse: impl Fn(&str) -> std::result::Result<T, Flaw> + Sync,
    mut take: impl FnMut(T) -> std::result::Result<(), Flaw>,
) -> Result<u64> {
    let counter = progress.counter();
    let mut blocks = LineBlocks::open(path, &ReadOptions::default())?;
    let mut count = 0;
    while let Some(block) = blocks.next_block()? {
        let lines: Vec<&str> = block.text.lines().collect();
        let parsed: Vec<_> = lines
            .par_iter()
            .with_min_len(64)
            .map(|line| (!line.trim_ascii().is_empty()).then(|| parse(line)))
            .collect();
        for (line, parsed) in (block.first..).zip(parsed) {
            let Some(parsed) = parsed else { continue };
            let taken = parsed.and_then(&mut take);
            taken.map_err(|what| Error::input(what).in_file(path).on_line(line))?;
            count += 1;
        }
        counter.fetch_add(lines.len() as u64, Ordering::Relaxed);
    }
    Ok(count)
}

/// A value of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Value<'a> {
    /// Not there, or `null`.
    #[default]
    Missing,
    /// A text.
    Text(Cow<'a, str>),
    /// A whole number, or true or false.
    Plain(String),
    /// A number that is not exact.
    Number(f64),
    /// A list of texts.
    Texts(Vec<Cow<'a, str>>),
}

impl<'a> Value<'a> {
    /// The value as a text; none where there is none.
    pub(super) fn text(self) -> std::result::Result<Option<Cow<'a, str>>, Flaw> {
        match self {
            Value::Missing => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            Value::Plain(text) => Ok(Some(text.into())),
            Value::Number(number) => Ok(Some(number.to_string().into())),
            Value::Texts(_) => Err("a list where a text is wanted"),
        }
    }

    /// The value as the id of somebody.
    pub(super) fn id(self) -> std::result::Result<Cow<'a, str>, Flaw> {
        match self {
            // Two long ids may be one number.
            Value::Number(_) => Err("an id that is neither a text nor a whole number of 64 bits"),
            other => match other.text()? {
                Some(id) if !id.trim().is_empty() => Ok(id),
                _ => Err("an id is missing"),
            },
        }
    }
}

/// The values of these fields of the object on a line.
pub(super) fn fields<'a>(
    line: &'a str,
    names: &[&str],
) -> std::result::Result<Vec<Value<'a>>, Flaw> {
    let mut reader = serde_json::Deserializer::from_str(line);
    let fields = Fields(names).deserialize(&mut reader);
    // What the parser says may hold a value.
    let fields = fields.map_err(|error| match error.classify() {
        serde_json::error::Category::Data => "not an object with fields that are plain values",
        _ => "not a JSON object",
    })?;
    let ended = reader.end().map_err(|_| "more than one JSON object");
    ended.map(|()| fields)
}

struct Fields<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Vec<Value<'de>>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        from: D,
    ) -> std::result::Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Vec<Value<'de>>;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut map: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let mut values = vec![Value::Missing; self.0.len()];
        while let Some(name) = map.next_key_seed(Text)? {
            match self.0.iter().position(|wanted| *wanted == name) {
                Some(place) => values[place] = map.next_value_seed(OneValue)?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(values)
    }
}

/// A text, borrowed where it has no escapes.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        from: D,
    ) -> std::result::Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> std::result::Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

struct OneValue;

impl<'de> DeserializeSeed<'de> for OneValue {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        from: D,
    ) -> std::result::Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneValue {
    type Value = Value<'de>;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a plain value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> std::result::Result<Self::Value, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Self::Value, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<Self::Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Self::Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Self::Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Self::Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_unit<E>(self) -> std::result::Result<Self::Value, E> {
        Ok(Value::Missing)
    }

    fn visit_seq<A: SeqAccess<'de>>(
        self,
        mut list: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element_seed(Text)? {
            texts.push(text);
        }
        Ok(Value::Texts(texts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_fields_are_found_whatever_else_there_is() {
        let line = r#"{"x":{"deep":[1,{}]},"id":9007199254740993,"tags":["a","b\n"],"text":"h\u00e9","no":null,"b":true}"#;
        let found = fields(line, &["id", "text", "tags", "no", "b", "absent"]).expect("an object");
        let texts = |list: &[&str]| {
            list.iter()
                .map(|text| Cow::Owned((*text).to_owned()))
                .collect()
        };
        let expected = [
            Value::Plain("9007199254740993".to_owned()),
            Value::Text("hé".into()),
            Value::Texts(texts(&["a", "b\n"])),
            Value::Missing,
            Value::Plain("true".to_owned()),
            Value::Missing,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn flaws_are_told_without_a_value() {
        for (line, told) in [
            ("{\"id\": \"secret\"", "not a JSON object"),
            ("[\"secret\"]", "plain values"),
            ("\"secret\"", "plain values"),
            ("{\"id\": {\"secret\": 1}}", "plain values"),
            ("{\"id\": [\"secret\", 5]}", "plain values"),
            ("{\"id\": 1} {\"id\": 2}", "more than one"),
        ] {
            let flaw = fields(line, &["id"]).expect_err(told);
            assert!(
                flaw.contains(told) && !flaw.contains("secret"),
                "{line}: {flaw}"
            );
        }
        let id = |line| {
            fields(line, &["id"])
                .expect("an object")
                .swap_remove(0)
                .id()
        };
        assert_eq!(
            id("{\"id\": 123456789012345678901}")
                .err()
                .map(|f| f.contains("64 bits")),
            Some(true)
        );
        assert_eq!(id("{}"), Err("an id is missing"));
        assert_eq!(id("{\"id\": \" \"}"), Err("an id is missing"));
        assert_eq!(id("{\"id\": -3}"), Ok("-3".into()));
    }
}
