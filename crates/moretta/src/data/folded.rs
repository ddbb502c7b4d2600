//! Texts that a reader takes for one, as one text.

use super::is_invisible;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// How a text looks to a reader: composed, in lower case, with single spaces between words and
/// none at the ends, without characters that show nothing.
pub fn folded(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase();
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let visible: String = text
        .chars()
        .filter(|&c| c.is_whitespace() || !is_invisible(c))
        .collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    Cow::Owned(words.join(" ").to_lowercase().nfc().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_is_one_text() {
        for (text, expected) in [
            ("anna", "anna"),
            ("ANNA", "anna"),
            (" Anna\t Rossi ", "anna rossi"),
            ("an\u{200b}na\u{feff}", "anna"),
            ("Ren\u{e9}e", "ren\u{e9}e"),
            ("rene\u{301}e", "ren\u{e9}e"),
            ("a\u{2028}b", "a b"),
            ("u-7", "u-7"),
            ("", ""),
            (" \u{200b}", ""),
        ] {
            assert_eq!(folded(text), expected, "{text:?}");
        }
    }
}
