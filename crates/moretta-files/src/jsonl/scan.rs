//! The keys and values of one flat JSON object, without copying them.

use serde::de::IgnoredAny;
use std::borrow::Cow;

/// A value, by its raw text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'t> {
    /// `null`
    Null,
    /// A string with its quotes.
    String(&'t str),
    /// A number, `true` or `false`.
    Scalar(&'t str),
    /// An array or object.
    Nested(&'t str),
}

impl<'t> Token<'t> {
    /// The text as it stands in the file.
    pub(super) fn raw(self) -> &'t str {
        match self {
            Token::Null => "null",
            Token::String(raw) | Token::Scalar(raw) | Token::Nested(raw) => raw,
        }
    }
}

/// Reads one object from its start.
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

type Scan<T> = Result<T, String>;

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Scanner { text, at: 0 }
    }

    /// Hands each key and value to `take`; nothing may follow the object.
    pub(super) fn object(
        &mut self,
        mut take: impl FnMut(Cow<'t, str>, Token<'t>) -> Scan<()>,
    ) -> Scan<()> {
        match self.peek() {
            Some(b'{') => self.at += 1,
            Some(b'[') => return Err("an array ($) where an object is expected".to_owned()),
            _ => return Err("not a JSON object".to_owned()),
        }
        if self.peek() == Some(b'}') {
            self.at += 1;
            return self.end();
        }
        loop {
            let key = self.key()?;
            self.expect(b':')?;
            let token = self.value()?;
            take(key, token)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return self.end();
                }
                _ => return self.fail(),
            }
        }
    }

    fn key(&mut self) -> Scan<Cow<'t, str>> {
        if self.peek() != Some(b'"') {
            return self.fail();
        }
        let raw = self.string()?;
        let inside = &raw[1..raw.len() - 1];
        if !inside.contains('\\') {
            return Ok(Cow::Borrowed(inside));
        }
        serde_json::from_str(raw)
            .map(Cow::Owned)
            .or_else(|_| self.fail())
    }

    fn value(&mut self) -> Scan<Token<'t>> {
        match self.peek() {
            Some(b'"') => self.string().map(Token::String),
            Some(b'{' | b'[') => self.nested(),
            Some(_) => self.scalar(),
            None => self.fail(),
        }
    }

    /// A string with its quotes; the escapes in it are not checked.
    fn string(&mut self) -> Scan<&'t str> {
        let bytes = self.text.as_bytes();
        let mut from = self.at + 1;
        loop {
            let Some(i) = memchr::memchr2(b'"', b'\\', &bytes[from.min(bytes.len())..]) else {
                return self.fail();
            };
            if bytes[from + i] == b'"' {
                let raw = &self.text[self.at..from + i + 1];
                if raw.bytes().any(|b| b < b' ') {
                    return self.fail();
                }
                self.at = from + i + 1;
                return Ok(raw);
            }
            from += i + 2;
        }
    }

    fn scalar(&mut self) -> Scan<Token<'t>> {
        let rest = &self.text[self.at..];
        let end = rest
            .find([',', '}', ' ', '\t', '\r', '\n'])
            .unwrap_or(rest.len());
        let raw = &rest[..end];
        let token = match raw {
            "null" => Token::Null,
            "true" | "false" => Token::Scalar(raw),
            number if is_number(number.as_bytes()) => Token::Scalar(raw),
            _ => return self.fail(),
        };
        self.at += end;
        Ok(token)
    }

    fn nested(&mut self) -> Scan<Token<'t>> {
        let rest = &self.text[self.at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => {
                let raw = &rest[..values.byte_offset()];
                self.at += raw.len();
                Ok(Token::Nested(raw))
            }
            _ => self.fail(),
        }
    }

    fn expect(&mut self, byte: u8) -> Scan<()> {
        if self.peek() != Some(byte) {
            return self.fail();
        }
        self.at += 1;
        Ok(())
    }

    fn end(&mut self) -> Scan<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.fail(),
        }
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn fail<T>(&self) -> Scan<T> {
        Err(format!("not JSON at byte {} of the line", self.at + 1))
    }
}

/// Whether the text is a number by the grammar of JSON.
fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest[0] == b'0' {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or(rest.strip_prefix(b"E")) {
        let exponent = exponent
            .strip_prefix(b"+")
            .or(exponent.strip_prefix(b"-"))
            .unwrap_or(exponent);
        let n = digits(exponent);
        return n > 0 && n == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_follow_the_grammar() {
        for (text, expected) in [
            ("0", true),
            ("-0.50", true),
            ("1e+5", true),
            ("1E5", true),
            ("01", false),
            ("1.", false),
            (".5", false),
            ("+1", false),
            ("1e", false),
            ("-", false),
            ("", false),
        ] {
            assert_eq!(is_number(text.as_bytes()), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn objects_are_accepted_as_by_serde_json(
            text in "\\{?(\"[ab\\\\n]{0,2}\"[:, ]{0,2}|[0-9.e-]{1,3}|null|\\[1\\]|[,:{}]|true){0,8}\\}?"
        ) {
            let expected = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&text);
            let mut keys = std::collections::BTreeSet::new();
            let found = Scanner::new(&text).object(|key, token| {
                keys.insert(key.into_owned());
                match token {
                    // Escapes of values are checked when they are unescaped.
                    Token::String(raw) => serde_json::from_str::<String>(raw).map(drop).map_err(|e| e.to_string()),
                    // serde_json refuses numbers beyond the floats, here they are only text.
                    _ => Ok(()),
                }
            });
            if let Ok(map) = expected {
                prop_assert!(found.is_ok());
                prop_assert!(map.keys().eq(keys.iter()));
            } else {
                prop_assert!(found.is_err() || text.contains('e'), "{}", text);
            }
        }
    }
}
