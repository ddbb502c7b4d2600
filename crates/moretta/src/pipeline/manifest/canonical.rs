//! JSON of which there is one text alone: what is signed must be the same bytes wherever it is
//! written again.
//!
//! Keys are sorted, nothing stands between tokens, and there are no numbers: a figure is
//! a decimal text, so that no reader rounds it.

use crate::error::{Error, Result};
use serde_json::Value;

/// The text of a value.
///
/// # Errors
/// When there is a number in it.
pub(crate) fn canonical(value: &Value) -> Result<String> {
    let mut text = String::new();
    write(value, &mut text)?;
    Ok(text)
}

/// Reads a text that [`canonical`] wrote, with a line end behind it; none when it is any other.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let text = text.strip_suffix('\n')?;
    let value: Value = serde_json::from_str(text).ok()?;
    let again = canonical(&value).ok()?;
    (again == text).then_some(value)
}

fn write(value: &Value, text: &mut String) -> Result<()> {
    match value {
        Value::Number(_) => return Err(Error::bug("a number in canonical JSON")),
        Value::Array(list) => {
            text.push('[');
            for (place, value) in list.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { "," });
                write(value, text)?;
            }
            text.push(']');
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (place, (key, value)) in members.into_iter().enumerate() {
                text.push_str(if place == 0 { "" } else { "," });
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(value, text)?;
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_and_nothing_stands_between() {
        let value = json!({ "b": ["x", true, null], "a": { "z": "\u{e9}\"\n", "y": {} } });
        let text = canonical(&value).expect("no numbers");
        assert_eq!(
            text,
            "{\"a\":{\"y\":{},\"z\":\"\u{e9}\\\"\\n\"},\"b\":[\"x\",true,null]}"
        );
        assert_eq!(parse(&format!("{text}\n")), Some(value));
        assert!(canonical(&json!({ "a": 1 })).is_err());
    }

    #[test]
    fn any_other_text_is_refused() {
        for text in [
            "{\"a\":\"b\"}",
            "{ \"a\":\"b\"}\n",
            "{\"b\":\"\",\"a\":\"\"}\n",
            "{\"a\":1}\n",
            "{\"a\":\"\\u0041\"}\n",
            "{\"a\":\"x\",\"a\":\"y\"}\n",
            "{}{}\n",
            "\n",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
