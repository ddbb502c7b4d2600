//! Values between commas, quoted with `'` or `"`, with backslash escapes inside quotes.

use std::borrow::Cow;

/// A value of a row.
#[derive(Debug, PartialEq)]
pub(super) enum Value<'t> {
    /// `?` without quotes.
    Missing,
    /// Anything else.
    Text(Cow<'t, str>),
}

type Token<'t> = (Value<'t>, Option<&'t str>);

/// The first value of `text`, and what follows the comma after it.
pub(super) fn next_value(text: &str) -> Result<Token<'_>, String> {
    let text = text.trim_ascii_start();
    match text.as_bytes().first() {
        Some(b'{') => Err("sparse rows are not supported; write all values".to_owned()),
        Some(&quote @ (b'\'' | b'"')) => {
            let (inside, rest) = quoted(text, quote)?;
            let rest = rest.trim_ascii_start();
            match rest.strip_prefix(',') {
                Some(next) => Ok((Value::Text(inside), Some(next))),
                None if rest.is_empty() => Ok((Value::Text(inside), None)),
                None => Err("there is text after a closing quote".to_owned()),
            }
        }
        _ => {
            let (value, next) = match text.split_once(',') {
                Some((value, next)) => (value, Some(next)),
                None => (text, None),
            };
            let value = value.trim_ascii_end();
            if value == "?" || value.is_empty() {
                return Ok((Value::Missing, next));
            }
            Ok((Value::Text(Cow::Borrowed(value)), next))
        }
    }
}

/// The text in quotes at the start of `text`, and what follows it.
pub(super) fn quoted(text: &str, quote: u8) -> Result<(Cow<'_, str>, &str), String> {
    let bytes = text.as_bytes();
    let unclosed = || "the quote opened on this line is never closed".to_owned();
    let mut inside = Cow::Borrowed("");
    let mut from = 1;
    loop {
        let rest = bytes.get(from..).ok_or_else(unclosed)?;
        let at = from + memchr::memchr2(quote, b'\\', rest).ok_or_else(unclosed)?;
        let piece = &text[from..at];
        if inside.is_empty() && bytes[at] == quote {
            return Ok((Cow::Borrowed(piece), &text[at + 1..]));
        }
        inside.to_mut().push_str(piece);
        if bytes[at] == quote {
            return Ok((inside, &text[at + 1..]));
        }
        let escaped = text[at + 1..].chars().next().ok_or_else(unclosed)?;
        inside.to_mut().push(match escaped {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            other => other,
        });
        from = at + 1 + escaped.len_utf8();
    }
}

/// Appends `text`, in quotes when it must be.
pub(super) fn push_value(out: &mut Vec<u8>, text: &str) {
    let plain =
        |b: u8| !matches!(b, b' ' | b',' | b'\'' | b'"' | b'\\' | b'{' | b'}' | b'%') && b > b' ';
    if !text.is_empty() && text != "?" && text.bytes().all(plain) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'\'');
    for &byte in text.as_bytes() {
        match byte {
            b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_are_split_into_values() {
        let mut rest = Some(r#" 5 , 'a, \'b\'' ,?,"x\ty",'?',"#);
        let mut values = Vec::new();
        while let Some(text) = rest {
            let (value, next) = next_value(text).expect("a value");
            values.push(match value {
                Value::Missing => None,
                Value::Text(text) => Some(text.into_owned()),
            });
            rest = next;
        }
        let expected = [
            Some("5"),
            Some("a, 'b'"),
            None,
            Some("x\ty"),
            Some("?"),
            None,
        ];
        assert_eq!(values, expected.map(|v| v.map(str::to_owned)));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(text in any::<String>()) {
            let mut out = Vec::new();
            push_value(&mut out, &text);
            let written = String::from_utf8(out).expect("UTF-8");
            let (value, next) = next_value(&written).expect("a value");
            prop_assert_eq!(value, Value::Text(Cow::Borrowed(&text)));
            prop_assert_eq!(next, None);
        }

        #[test]
        fn any_text_is_split_or_refused(text in any::<String>()) {
            let _ = next_value(&text);
            let _ = next_value(&format!("'{text}"));
        }
    }
}
