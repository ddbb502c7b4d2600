//! Events in one form: a line of JSON each, with the columns of the policy in its order and every
//! value as text or missing, so that what an event is does not depend on those before it.

use super::row::line;
use crate::problem::{Problem, Result};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::io::Write;

/// How long an event may be.
const LONGEST: usize = 1 << 20;
/// How many events a request may have.
const MOST: usize = 1 << 20;

/// Events in their form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Normal {
    /// Their text.
    pub(super) text: Vec<u8>,
    /// How many they are.
    pub(super) events: u64,
}

/// Brings lines of JSON into the form of events with these columns.
///
/// # Errors
/// 422 with the line of the first that is no such event.
pub(super) fn normal(body: &[u8], columns: &[String]) -> Result<Normal> {
    let mut normal = Normal {
        text: Vec::with_capacity(body.len() + body.len() / 4),
        events: 0,
    };
    for (number, event) in body.split(|&byte| byte == b'\n').enumerate() {
        if event.trim_ascii().is_empty() {
            continue;
        }
        let refused = |what: &str| Problem::unusable(what).at(line(number + 1));
        if event.len() > LONGEST {
            return Err(refused("an event is longer than 1 MiB"));
        }
        if normal.events as usize == MOST {
            return Err(refused("these are more than 1,048,576 events")
                .help("send them in several requests"));
        }
        let event = std::str::from_utf8(event).map_err(|_| refused("an event is not UTF-8"))?;
        let values = Values::new(columns);
        let mut reader = serde_json::Deserializer::from_str(event);
        let values = reader
            .deserialize_map(values)
            .and_then(|values| reader.end().map(|()| values));
        let values = values.map_err(|error| {
            // The sentences of the reader can hold what was sent; ours do not.
            let what = OURS
                .iter()
                .find(|what| error.to_string().starts_with(**what));
            refused(what.copied().unwrap_or("an event is no JSON object"))
                .help("send a line of JSON for each event, with the columns of the policy as keys")
        })?;
        values.write(&mut normal.text)?;
        normal.events += 1;
    }
    Ok(normal)
}

const UNKNOWN: &str = "an event has a key that is no column of the policy";
const TWICE: &str = "an event has a key twice";
const NESTED: &str = "a value of an event is a list or an object";
const OURS: [&str; 3] = [UNKNOWN, TWICE, NESTED];

/// The values of an event, in the order of the columns.
struct Values<'a> {
    columns: &'a [String],
    values: Vec<Option<Cow<'a, str>>>,
    seen: Vec<bool>,
}

impl<'a> Values<'a> {
    fn new(columns: &'a [String]) -> Self {
        Values {
            columns,
            values: vec![None; columns.len()],
            seen: vec![false; columns.len()],
        }
    }

    fn write(self, text: &mut Vec<u8>) -> Result<()> {
        let failed = |_| Problem::bug("an event cannot be written");
        let mut before = b'{';
        for (name, value) in self.columns.iter().zip(self.values) {
            text.push(before);
            before = b',';
            serde_json::to_writer(&mut *text, name).map_err(failed)?;
            text.push(b':');
            serde_json::to_writer(&mut *text, &value).map_err(failed)?;
        }
        writeln!(text, "}}").map_err(|_| Problem::bug("memory cannot be written"))
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Values<'a> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<M: MapAccess<'de>>(mut self, mut map: M) -> std::result::Result<Self, M::Error> {
        use serde::de::Error;
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let place = self.columns.iter().position(|column| **column == *key.0);
            let place = place.ok_or_else(|| M::Error::custom(UNKNOWN))?;
            if std::mem::replace(&mut self.seen[place], true) {
                return Err(M::Error::custom(TWICE));
            }
            let value: &RawValue = map.next_value()?;
            let raw = value.get();
            self.values[place] = match raw.as_bytes().first() {
                Some(b'{' | b'[') => return Err(M::Error::custom(NESTED)),
                Some(b'n') => None,
                Some(b'"') => Some(
                    serde_json::from_str::<Key<'_>>(raw)
                        .map_err(M::Error::custom)?
                        .0,
                ),
                _ => Some(Cow::Borrowed(raw)),
            };
        }
        Ok(self)
    }
}

/// A text, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<String> {
        ["t", "user", "site"].map(str::to_owned).to_vec()
    }

    #[test]
    fn events_have_one_form() {
        let body = b"{\"user\": \"a\\u00e9\\\"b\", \"t\": 1.50}\r\n\n{\"site\":null,\"t\":12345678901234567890123,\"user\":true}";
        let normal = normal(body, &columns()).expect("events");
        let text = String::from_utf8(normal.text).expect("text");
        assert_eq!(
            text,
            "{\"t\":\"1.50\",\"user\":\"a\u{e9}\\\"b\",\"site\":null}\n\
             {\"t\":\"12345678901234567890123\",\"user\":\"true\",\"site\":null}\n"
        );
        assert_eq!(normal.events, 2);
        let again = super::normal(text.as_bytes(), &columns()).expect("events");
        assert_eq!(again.text, text.as_bytes());
    }

    #[test]
    fn what_is_no_event_is_refused_with_its_line_and_without_a_cell() {
        for (body, expected) in [
            ("{\"t\":1}\n{\"t\":1,\"canary\":2}", UNKNOWN),
            ("{\"t\":1}\n{\"t\":1,\"t\":\"canary\"}", TWICE),
            ("{\"t\":1}\n{\"user\":[\"canary\"]}", NESTED),
            ("{\"t\":1}\n{\"user\":{\"canary\":1}}", NESTED),
            ("{\"t\":1}\n\"canary\"", "an event is no JSON object"),
            ("{\"t\":1}\n{\"t\":canary}", "an event is no JSON object"),
            ("{\"t\":1}\n{\"t\":1} canary", "an event is no JSON object"),
            ("{\"t\":1}\n{\"t\":1", "an event is no JSON object"),
        ] {
            let problem = normal(body.as_bytes(), &columns()).expect_err(body);
            assert_eq!(problem.what, expected, "{body}");
            assert_eq!(problem.place.map(|place| place.line), Some(2), "{body}");
            assert!(!format!("{problem:?}").contains("canary"));
        }
        assert!(normal(b"\xff", &columns()).is_err());
    }
}
